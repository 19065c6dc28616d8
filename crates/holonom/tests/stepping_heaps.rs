//! Heaps under time stepping: what overlaps after a step, judged by other mathematics than detection, and the energy.

#[path = "common/distance.rs"]
mod distance;

use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom_collide::RigidTransform;

/// A shape and a body of water that has it.
fn random_shape(g: &mut SplitMix, kind: usize) -> (Shape, Rigid) {
    let mut r = |low: f64, high: f64| low + (high - low) * g.unit();
    match kind {
        0 => {
            let half = vec3(r(0.02, 0.06), r(0.02, 0.06), r(0.02, 0.06));
            (Shape::Box { half }, Rigid::cuboid(8000.0 * half.x * half.y * half.z, half * 2.0))
        }
        1 => {
            let radius = r(0.02, 0.05);
            (Shape::Sphere { radius }, Rigid::ball(4189.0 * radius.powi(3), radius))
        }
        2 => {
            let (radius, half_length) = (r(0.015, 0.03), r(0.02, 0.06));
            let mass = 1000.0 * std::f64::consts::PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius);
            (Shape::Capsule { radius, half_length }, Rigid::capsule(mass, radius, 2.0 * half_length))
        }
        3 => {
            let (radius, half_length) = (r(0.02, 0.05), r(0.02, 0.05));
            let mass = 2000.0 * std::f64::consts::PI * radius * radius * half_length;
            (Shape::Cylinder { radius, half_length }, Rigid::cylinder(mass, radius, 2.0 * half_length))
        }
        _ => {
            let points: Vec<Vec3> = (0..10).map(|_| g.vec3(1.0).normalize_or(Vec3::X) * 0.05).collect();
            (Shape::Hull { points }, Rigid::ball(0.4, 0.05))
        }
    }
}

/// A shape of a body at a place.
type Part = (BodyId, Shape, Vec3);

/// Bodies that fall into a box without a lid, 0.8 m wide.
fn heap(n: usize, seed: u64, friction: f64, kinds: &[usize]) -> (Simulation, Vec<Part>) {
    let mut g = SplitMix(seed);
    let mut m = ModelBuilder::new();
    let stone = Material::new(friction);
    let mut parts: Vec<Part> = vec![(BodyId::GROUND, Shape::HalfSpace, Vec3::ZERO)];
    let wide = 0.12 * (n as f64).cbrt().max(2.0);
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let at = vec3(x * (wide + 0.05), y * (wide + 0.05), 1.5);
        let half = vec3(if x == 0.0 { wide + 0.1 } else { 0.05 }, if y == 0.0 { wide + 0.1 } else { 0.05 }, 1.5);
        parts.push((BodyId::GROUND, Shape::Box { half }, at));
    }
    let side = ((2.0 * wide) / 0.18).floor() as usize;
    for i in 0..n {
        let (shape, body) = random_shape(&mut g, kinds[i % kinds.len()]);
        let cell = vec3((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        let at = vec3(-wide + 0.1, -wide + 0.1, 0.12) + cell * 0.17 + g.vec3(0.01);
        let body = m.body(
            format!("b{i}"),
            body.position(at).orientation(holonom::math::exp_quat(g.vec3(3.0))).velocity(g.vec3(0.5)),
        );
        parts.push((body, shape, Vec3::ZERO));
    }
    for (body, shape, at) in &parts {
        m.shape(body.at(*at), shape.clone(), stone);
    }
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    (sim, parts)
}

/// The deepest overlap of all pairs of shapes, judged from their support points, m.
fn judged(sim: &Simulation, parts: &[Part]) -> (f64, String) {
    let pose = |(body, _, at): &Part| RigidTransform {
        position: sim.point(body.at(*at)).0,
        rotation: sim.axes(*body).unwrap_or(Mat3::IDENTITY),
    };
    let poses: Vec<RigidTransform> = parts.iter().map(pose).collect();
    let (mut worst, mut who) = (0.0, String::new());
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            let ((of_a, a, _), (of_b, b, _)) = (&parts[i], &parts[j]);
            let apart = (poses[i].position - poses[j].position).length();
            if of_a == of_b || apart > a.bounding_radius() + b.bounding_radius() {
                continue;
            }
            let depth = distance::distance((a, &poses[i]), (b, &poses[j])).overlap();
            if depth > worst {
                (worst, who) = (depth, format!("{a:?} at {:?} and {b:?} at {:?}", poses[i], poses[j]));
            }
        }
    }
    (worst, who)
}

/// What a heap has done.
#[derive(Default)]
struct Figures {
    /// Largest overlap as detected anew after every step, and as judged after some of them, m.
    overlap: f64,
    judged: f64,
    /// Largest gain of energy in a step, of all that has been lost by the end.
    gain: f64,
}

fn run(sim: &mut Simulation, parts: &[Part], steps: usize, h: f64, every: usize) -> Figures {
    let mut f = Figures::default();
    let start = sim.energy().total();
    let (mut last, mut gain) = (start, 0.0f64);
    for k in 0..steps {
        let report = sim.step(h).unwrap();
        let anew = sim.overlap();
        assert!(
            (anew - report.overlap).abs() <= 1e-9,
            "step {k} reports {:.3e} m, {anew:.3e} m is found",
            report.overlap
        );
        f.overlap = f.overlap.max(anew);
        let now = sim.energy().total();
        gain = gain.max(now - last);
        last = now;
        if k % every == every - 1 {
            let (depth, who) = judged(sim, parts);
            if depth > 1e-6 {
                println!("step {k}: {depth:.2e} m, reported {:.2e} m: {who}", report.overlap);
            }
            f.judged = f.judged.max(depth);
        }
    }
    f.gain = gain / (start - last);
    f
}

/// (bodies, seeds, steps): more with the variable `HOLONOM_HEAPS`.
fn sizes() -> (Vec<usize>, u64, usize) {
    match std::env::var("HOLONOM_HEAPS") {
        Ok(_) => (vec![10, 30, 60, 200], 5, 480),
        Err(_) => (vec![12], 2, 300),
    }
}

/// Boxes, balls, capsules, cylinders, hulls, and all together.
#[test]
fn heaps_do_not_overlap() {
    let (numbers, seeds, steps) = sizes();
    let all = [0, 1, 2, 3, 4];
    for (name, kinds) in
        [("mixed", &all[..]), ("boxes", &[0]), ("capsules", &[2]), ("cylinders", &[3]), ("hulls", &[4])]
    {
        for &n in &numbers {
            for seed in 1..=seeds {
                let friction = [0.3, 0.8][seed as usize % 2];
                let (mut sim, parts) = heap(n, seed, friction, kinds);
                let clock = std::time::Instant::now();
                let f = run(&mut sim, &parts, steps, 1.0 / 240.0, 60);
                println!(
                    "{n} {name}, seed {seed}: overlap {:.2e} m, judged {:.2e} m, gain {:.2e}, {:.2} ms per step with the judge",
                    f.overlap,
                    f.judged,
                    f.gain,
                    1e3 * clock.elapsed().as_secs_f64() / steps as f64
                );
                assert!(f.overlap <= 1e-6 && f.judged <= 1e-6, "{n} {name}, seed {seed}: {:.2e} m", f.judged);
                assert!(f.gain <= 1e-9, "{n} {name}, seed {seed}: gains {:.2e}", f.gain);
            }
        }
    }
}

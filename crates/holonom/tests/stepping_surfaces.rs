//! Bodies dropped into bowls and onto heights: nothing jumps, nothing gains energy, nothing sinks in. Distances are
//! judged from every triangle by itself.

mod common;
#[path = "common/distance.rs"]
mod distance;

use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom_collide::RigidTransform;

fn shape(g: &mut SplitMix, kind: usize) -> (Shape, Rigid) {
    let mut r = || 0.04 + 0.11 * g.unit();
    match kind {
        0 => {
            let half = vec3(r(), r(), 0.6 * r());
            (Shape::Box { half }, Rigid::cuboid(1.0, half * 2.0))
        }
        1 => {
            let (radius, half_length) = (r(), r());
            (Shape::Capsule { radius, half_length }, Rigid::capsule(1.0, radius, 2.0 * half_length))
        }
        2 => {
            let radius = r();
            (Shape::Sphere { radius }, Rigid::ball(1.0, radius))
        }
        3 => {
            let points = (0..10).map(|_| common::direction(g) * (0.08 + 0.07 * g.unit())).collect();
            (Shape::Hull { points }, Rigid::ball(1.0, 0.1))
        }
        _ => {
            let (radius, half_length) = (r(), r());
            (Shape::Cylinder { radius, half_length }, Rigid::cylinder(1.0, radius, 2.0 * half_length))
        }
    }
}

/// A bowl of radius 1 m, open at the top, every triangle with corners of its own: n around and n down.
fn bowl(n: u32, deep: f64) -> Shape {
    let at = |i: u32, j: u32| {
        let (turn, down) = (f64::from(i) / f64::from(n) * std::f64::consts::TAU, f64::from(j) / f64::from(n) * deep);
        vec3(down.sin() * turn.cos(), down.sin() * turn.sin(), 1.0 - down.cos())
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            for corners in if j == 0 { vec![[a, b, c]] } else { vec![[a, b, c], [a, c, d]] } {
                let k = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([k, k + 1, k + 2]);
            }
        }
    }
    Shape::Mesh { vertices, triangles }
}

/// Random heights.
fn heights(g: &mut SplitMix, n: u32, rough: f64) -> Shape {
    let heights = (0..n * n).map(|_| rough * g.unit()).collect();
    Shape::HeightField { heights, rows: n, columns: n, size: [3.0, 3.0] }
}

/// How deep a shape is in a surface, m, judged from every triangle by itself; sheets may be left to either side.
fn judged(shape: &Shape, pose: &RigidTransform, ground: &Shape) -> f64 {
    let mut surface = distance::placed(ground, &RigidTransform::default());
    if let (Shape::Mesh { .. }, distance::Placed::Pieces(pieces)) = (ground, &mut surface) {
        pieces.iter_mut().for_each(|p| p.outside = None);
    }
    distance::between(&distance::placed(shape, pose), &surface).overlap()
}

/// The worst of some drops.
#[derive(Default)]
struct Worst {
    /// m
    overlap: f64,
    /// How much farther a centre went in a step than its speed before and after explains, m.
    jump: f64,
    /// Of the energy at the start.
    gain: f64,
}

/// One drop of 1.25 s. The judge looks at every tenth step, and at those that report an overlap.
fn drop(ground: &Shape, kind: usize, seed: u64, worst: &mut Worst) {
    let mut g = SplitMix(seed);
    let mut m = ModelBuilder::new();
    let material = Material::new([0.0, 0.3, 0.8][seed as usize % 3]);
    let (shape, body) = shape(&mut g, kind);
    let at = vec3(g.symmetric(0.8), g.symmetric(0.8), 1.0 + 0.4 * g.unit());
    let spin = g.vec3(6.0);
    let body = m.body("body", body.position(at).orientation(exp_quat(g.vec3(3.0))).spin(spin).velocity(g.vec3(1.0)));
    m.shape(BodyId::GROUND.origin(), ground.clone(), material);
    m.shape(body.origin(), shape.clone(), material);
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    let h = 1.0 / 240.0;
    let mut last = sim.energy().total();
    let scale = last.abs().max(1.0);
    for k in 0..300 {
        let (before, speed) = (sim.centre(body), sim.centre_velocity(body).length());
        let report = sim.step(h).unwrap();
        let after = RigidTransform { position: sim.centre(body), rotation: sim.axes(body).unwrap() };
        let fastest = speed.max(sim.centre_velocity(body).length()) + 9.81 * h;
        worst.jump = worst.jump.max((after.position - before).length() - h * fastest);
        let now = sim.energy().total();
        worst.gain = worst.gain.max((now - last) / scale);
        last = now;
        if k % 10 == 0 || report.overlap > 1e-9 {
            worst.overlap = worst.overlap.max(judged(&shape, &after, ground));
        }
        if after.position.z < -1.0 {
            break;
        }
    }
}

fn drops(name: &str, ground: &Shape, kinds: &[usize], many: u64) -> Worst {
    let mut all = Worst::default();
    for &kind in kinds {
        for seed in 0..many {
            let mut worst = Worst::default();
            drop(ground, kind, 1000 * kind as u64 + seed, &mut worst);
            if worst.overlap > 1e-6 || worst.jump > 5e-3 || worst.gain > 1e-9 {
                let Worst { overlap, jump, gain } = worst;
                println!(
                    "{name}, kind {kind}, drop {seed}: overlap {overlap:.2e} m, jump {jump:.2e} m, gain {gain:.2e}"
                );
            }
            all.overlap = all.overlap.max(worst.overlap);
            all.jump = all.jump.max(worst.jump);
            all.gain = all.gain.max(worst.gain);
        }
    }
    println!("{name}: overlap {:.2e} m, jump {:.2e} m, gain {:.2e}", all.overlap, all.jump, all.gain);
    all
}

/// How many drops of each shape; more with the variable `HOLONOM_DROPS`.
fn many(usual: u64) -> u64 {
    std::env::var("HOLONOM_DROPS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Boxes, capsules, balls, hulls.
const ROUND_OR_FLAT: [usize; 4] = [0, 1, 2, 3];

fn nothing_jumps_or_sinks(worst: &Worst) {
    assert!(worst.overlap <= 1e-6, "{:.2e} m deep", worst.overlap);
    assert!(worst.jump <= 5e-3, "jumps by {:.2e} m", worst.jump);
    assert!(worst.gain <= 1e-9, "gains {:.2e} of its energy in a step", worst.gain);
}

/// Inside, over the rim, and outside from below the rim.
#[test]
fn drops_into_and_beside_bowls() {
    nothing_jumps_or_sinks(&drops("bowl", &bowl(12, 1.5), &ROUND_OR_FLAT, many(4)));
    nothing_jumps_or_sinks(&drops("shallow bowl", &bowl(24, 1.0), &ROUND_OR_FLAT, many(2)));
}

#[test]
fn cylinders_fall_into_bowls() {
    nothing_jumps_or_sinks(&drops("bowl", &bowl(8, 1.5), &[4], many(2)));
}

#[test]
fn drops_onto_rough_heights() {
    let mut g = SplitMix(5);
    nothing_jumps_or_sinks(&drops("heights", &heights(&mut g, 12, 0.3), &ROUND_OR_FLAT, many(4)));
}

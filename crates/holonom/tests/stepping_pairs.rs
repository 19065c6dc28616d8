//! Two free bodies that fly at each other under time stepping, for every pair of shapes: nothing overlaps after a
//! step, nothing passes through, nothing is struck that is far, no energy comes from nowhere. Distances are judged by
//! other mathematics than detection.

mod common;
#[path = "common/distance.rs"]
mod distance;

use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom_collide::RigidTransform;

/// Half-sizes between 3 and 15 cm.
fn shape(g: &mut SplitMix, kind: usize) -> (Shape, Rigid) {
    let mut r = || 0.03 + 0.12 * g.unit();
    match kind {
        0 => {
            let radius = r();
            (Shape::Sphere { radius }, Rigid::ball(1.0, radius))
        }
        1 => {
            let half = vec3(r(), r(), r());
            (Shape::Box { half }, Rigid::cuboid(1.0, half * 2.0))
        }
        2 => {
            let (radius, half_length) = (r(), r());
            (Shape::Capsule { radius, half_length }, Rigid::capsule(1.0, radius, 2.0 * half_length))
        }
        3 => {
            let (radius, half_length) = (r(), r());
            (Shape::Cylinder { radius, half_length }, Rigid::cylinder(1.0, radius, 2.0 * half_length))
        }
        _ => {
            let points = (0..10).map(|_| common::direction(g) * (0.08 + 0.07 * g.unit())).collect();
            (Shape::Hull { points }, Rigid::ball(1.0, 0.1))
        }
    }
}

const NAMES: [&str; 5] = ["sphere", "box", "capsule", "cylinder", "hull"];

struct Pair {
    sim: Simulation,
    bodies: [BodyId; 2],
    shapes: [Shape; 2],
}

/// Flight `number` of a pair of kinds: 3 m/s, the second body turning and at rest, spins up to `spin`, rad/s.
fn pair(kinds: [usize; 2], number: u64, spin: f64) -> Pair {
    let mut g = SplitMix(number.wrapping_mul(0x5851_F42D).wrapping_add(kinds[0] as u64 * 64 + kinds[1] as u64));
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let material =
        Material::new([0.0, 0.3, 0.8][number as usize % 3]).restitution([0.0, 0.0, 0.5][number as usize / 3 % 3]);
    let (first, one) = shape(&mut g, kinds[0]);
    let (second, other) = shape(&mut g, kinds[1]);
    let near = 0.7 * (first.bounding_radius() + second.bounding_radius());
    let aside = vec3(0.0, g.symmetric(near), g.symmetric(near));
    let mut body = |name: &str, body: Rigid, at: Vec3, v: Vec3| {
        let turn = exp_quat(g.vec3(3.0));
        m.body(name, body.position(at).orientation(turn).velocity(v).spin(g.vec3(spin)))
    };
    let a = body("a", one, vec3(-0.6, 0.0, 0.0) + aside, vec3(3.0, 0.0, 0.0));
    let b = body("b", other, Vec3::ZERO, Vec3::ZERO);
    m.shape(a.origin(), first.clone(), material);
    m.shape(b.origin(), second.clone(), material);
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    Pair { sim, bodies: [a, b], shapes: [first, second] }
}

impl Pair {
    fn pose(&self, k: usize) -> RigidTransform {
        let body = self.bodies[k];
        RigidTransform { position: self.sim.centre(body), rotation: self.sim.axes(body).unwrap() }
    }

    /// Signed distance, m, where both have gone back by a part of a step at the velocities they have now.
    fn distance(&self, back: f64) -> f64 {
        let [a, b] = [0, 1].map(|k| {
            let body = self.bodies[k];
            let pose = self.pose(k);
            let turn = Mat3::from_quat(exp_quat(self.sim.spin(body).unwrap() * -back));
            RigidTransform {
                position: pose.position - self.sim.centre_velocity(body) * back,
                rotation: turn * pose.rotation,
            }
        });
        let far =
            (a.position - b.position).length() - self.shapes[0].bounding_radius() - self.shapes[1].bounding_radius();
        if far > 0.05 { far } else { distance::distance((&self.shapes[0], &a), (&self.shapes[1], &b)).distance() }
    }

    fn speed(&self) -> f64 {
        let at = |k: usize| {
            let body = self.bodies[k];
            self.sim.centre_velocity(body).length()
                + self.sim.spin(body).unwrap().length() * self.shapes[k].bounding_radius()
        };
        at(0) + at(1)
    }
}

#[derive(Default)]
struct Worst {
    /// After a step; how far the report is off; within steps in which nothing was struck, m.
    overlap: f64,
    reported: f64,
    through: f64,
    /// Distance of what was struck, before and after the step, of the way that its points may go in it.
    air: f64,
    /// Of the energy, in a step.
    gain: f64,
    blows: usize,
}

fn fly(mut pair: Pair, h: f64, time: f64, worst: &mut Worst, label: &str) {
    let steps = (time / h) as usize;
    let mut before = pair.distance(0.0);
    for k in 0..steps {
        let (energy, speed, v) = (pair.sim.energy().total(), pair.speed(), pair.sim.centre_velocity(pair.bodies[0]));
        let report = pair.sim.step(h).unwrap();
        let gain = pair.sim.energy().total() / energy - 1.0;
        let after = pair.distance(0.0);
        let blow = (pair.sim.centre_velocity(pair.bodies[0]) - v).length() > 1e-9;
        if -after > 1e-8 || gain > 1e-9 {
            println!("{label} step {k}: overlap {:.2e} m, reported {:.2e} m, gain {gain:.2e}", -after, report.overlap);
        }
        worst.overlap = worst.overlap.max(-after);
        worst.reported = worst.reported.max((report.overlap - (-after).max(0.0)).abs());
        worst.gain = worst.gain.max(gain);
        if blow {
            worst.blows += 1;
            let air = before.min(after);
            worst.air = worst.air.max(air / (speed.max(pair.speed()) * h));
        } else if before < speed * h {
            // nothing was met: then nothing was in the way
            let least = (1..8).map(|i| pair.distance(h * i as f64 / 8.0)).fold(f64::INFINITY, f64::min);
            if least < -1e-3 {
                println!("{label} step {k}: passes through, {least:.2e} m deep");
            }
            worst.through = worst.through.max(-least);
        }
        before = after;
    }
}

#[test]
fn flights_of_every_pair() {
    for i in 0..NAMES.len() {
        for j in i..NAMES.len() {
            let mut worst = Worst::default();
            for number in 0..flights(4) {
                let label = format!("{}-{} {number}", NAMES[i], NAMES[j]);
                let spin = [3.0, 30.0][number as usize % 2];
                fly(pair([i, j], number, spin), 1.0 / 240.0, 0.4, &mut worst, &label);
            }
            let Worst { overlap, reported, through, air, gain, blows } = worst;
            println!(
                "{}-{}: overlap {overlap:.2e} m, report off {reported:.2e} m, through {through:.2e} m, blows at {air:.2} \
                 of the way in a step, gain {gain:.2e}, {blows} steps with blows",
                NAMES[i], NAMES[j]
            );
            assert!(overlap <= 1e-8 && through <= 1e-3, "{}-{}", NAMES[i], NAMES[j]);
            assert!(reported <= 1e-8 && air <= 1.0 && gain <= 1e-9 && blows > 0, "{}-{}", NAMES[i], NAMES[j]);
        }
    }
}

/// How many flights of each pair; more with the variable `HOLONOM_FLIGHTS`.
fn flights(usual: u64) -> u64 {
    std::env::var("HOLONOM_FLIGHTS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A small box that tumbles fast, and a thin plate: free, and part of the ground.
#[test]
fn tumbling_bullets_do_not_pass_through_plates() {
    for number in 0..4 * flights(6) {
        let mut g = SplitMix(number + 9000);
        let mut m = ModelBuilder::new();
        m.gravity(Vec3::ZERO);
        let plate = Shape::Box { half: vec3(0.001, 0.5, 0.5) };
        let material = Material::new(0.2);
        let free = number % 2 == 0;
        let at = vec3(1.0, 0.0, 0.0);
        let body =
            if free { m.body("plate", Rigid::cuboid(1.0, vec3(0.002, 1.0, 1.0)).position(at)) } else { BodyId::GROUND };
        m.shape(body.at(if free { Vec3::ZERO } else { at }), plate, material);
        let half = vec3(0.005 + 0.02 * g.unit(), 0.005, 0.005 + 0.01 * g.unit());
        let speed = [3.0, 30.0, 100.0, 300.0][number as usize / 2 % 4];
        let bullet = m.body(
            "bullet",
            Rigid::cuboid(0.01, half * 2.0)
                .position([0.0, g.symmetric(0.2), g.symmetric(0.2)])
                .orientation(exp_quat(g.vec3(3.0)))
                .velocity([speed, 0.0, 0.0])
                .spin(common::direction(&mut g) * 320.0),
        );
        m.shape(bullet.origin(), Shape::Box { half }, material);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(IntegratorKind::Stepping);
        let h = 1.0 / 240.0;
        let steps = ((1.5 / speed) / h) as usize + 4;
        let start = sim.energy().total();
        for k in 0..steps {
            sim.step(h).unwrap();
            let axes = if free { sim.axes(body).unwrap() } else { Mat3::IDENTITY };
            let centre = if free { sim.centre(body) } else { at };
            let front = axes.x_axis.dot(sim.centre(bullet) - centre);
            let gain = sim.energy().total() / start - 1.0;
            assert!(front < 0.0, "flight {number}: through at step {k}, {speed} m/s: {front}");
            assert!(gain < 1e-9, "flight {number}: gains {gain:.2e} at step {k}");
        }
        assert!(sim.centre_velocity(bullet).x < 0.9 * speed, "flight {number}: nothing was hit");
    }
}

/// A rod that swings past a wall, and clears it by little, does not hit the air.
#[test]
fn a_swinging_rod_clears_a_wall() {
    for (clear, spin) in [(0.002, 20.0), (0.004, 60.0), (0.01, 120.0)] {
        let mut m = ModelBuilder::new();
        m.gravity(Vec3::ZERO);
        let material = Material::new(0.2);
        let half = vec3(0.5, 0.01, 0.01);
        let rod = m.body("rod", Rigid::cuboid(1.0, half * 2.0).spin([0.0, 0.0, spin]).position([0.0, 0.0, 0.0]));
        m.shape(rod.origin(), Shape::Box { half }, material);
        let far = half.truncate().length() + clear + 0.1;
        m.shape(BodyId::GROUND.at([0.0, far, 0.0]), Shape::Box { half: vec3(2.0, 0.1, 0.1) }, material);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(IntegratorKind::Stepping);
        for _ in 0..480 {
            sim.step(1.0 / 240.0).unwrap();
        }
        let (v, w) = (sim.centre_velocity(rod).length(), sim.spin(rod).unwrap());
        assert!(v < 1e-9 && (w.z - spin).abs() < 1e-9 * spin, "{clear} m, {spin} rad/s: {v} m/s, {w} rad/s");
    }
}

//! Bodies made from functions of parameters against the references of the pendulum (p01) and of the double pendulum (p06), the latter
//! also against the same mechanism built from constrained particles.

use holonom::bodies::{Parameter, Place};
use holonom::prelude::*;
use holonom_verify::{Reference, problem};
use std::f64::consts::FRAC_PI_2;

/// Largest deviation between two lists is at most `allowed` (a NaN fails).
#[track_caller]
fn close(what: &str, found: &[f64], expected: &[f64], allowed: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= allowed, "{what}: off by {:e}, allowed {allowed:e}", (a - b).abs());
    }
}

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-14, absolute: 1e-14 };

fn built(m: ModelBuilder) -> Simulation {
    let mut sim = Simulation::build(m).expect("sound");
    sim.set_integrator(TIGHT);
    sim
}

/// r in the direction of an angle from the downward vertical, in the x-y plane.
fn hang<const U: usize>(angle: Parameter<U>, r: f64) -> Place<U> {
    Place::new(angle.sin() * r, angle.cos() * -r, Parameter::constant(0.0))
}

fn empty(p: &Reference) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    m
}

/// Where the two bobs of the double pendulum are, and how fast.
type Bobs = [Marker; 2];

/// As one body of two parameters: labels (distance on the first rod, distance on the second).
fn by_parameters(p: &Reference) -> (Simulation, Bobs) {
    let (l1, l2) = (p.parameter("L1"), p.parameter("L2"));
    let mut m = empty(p);
    let pendulum = Parametric::new([FRAC_PI_2; 2], |[a, b], x| hang(a, x.x) + hang(b, x.y));
    let body =
        m.body("pendulum", pendulum.mass([l1, 0.0, 0.0], p.parameter("m1")).mass([l1, l2, 0.0], p.parameter("m2")));
    (built(m), [body.at([l1, 0.0, 0.0]), body.at([l1, l2, 0.0])])
}

/// As two particles on rods.
fn by_constraints(p: &Reference) -> (Simulation, Bobs) {
    let (l1, l2) = (p.parameter("L1"), p.parameter("L2"));
    let mut m = empty(p);
    let a = m.body("first", Particle::new(p.parameter("m1"), [l1, 0.0, 0.0])).origin();
    let b = m.body("second", Particle::new(p.parameter("m2"), [l1 + l2, 0.0, 0.0])).origin();
    m.joint("upper rod", Distance::new(BodyId::GROUND.origin(), a, l1));
    m.joint("lower rod", Distance::new(a, b, l2));
    (built(m), [a, b])
}

/// The upper one by its angle, the lower one a particle on a rod.
fn hybrid(p: &Reference) -> (Simulation, Bobs) {
    let (l1, l2) = (p.parameter("L1"), p.parameter("L2"));
    let mut m = empty(p);
    let upper = Parametric::new([FRAC_PI_2], |[a], x| hang(a, x.x)).mass([l1, 0.0, 0.0], p.parameter("m1"));
    let a = m.body("upper", upper).at([l1, 0.0, 0.0]);
    let b = m.body("second", Particle::new(p.parameter("m2"), [l1 + l2, 0.0, 0.0])).origin();
    m.joint("lower rod", Distance::new(a, b, l2));
    (built(m), [a, b])
}

/// Positions and velocities of both bobs.
fn motion(sim: &Simulation, bobs: &Bobs) -> Vec<f64> {
    bobs.iter().flat_map(|&b| [sim.point(b).0, sim.point(b).1]).flat_map(|v| v.to_array()).collect()
}

#[test]
fn a_double_pendulum_three_ways() {
    let p = problem("p06-double-pendulum").expect("listed");
    let mut runs = [by_parameters(&p), by_constraints(&p), hybrid(&p)];
    for row in p.samples.iter().filter(|row| row[0] <= 2.0) {
        // the reference as positions and velocities
        let [_, a, b, wa, wb] = row[..] else { panic!("five columns") };
        let (l1, l2) = (p.parameter("L1"), p.parameter("L2"));
        let bob = |angle: f64, l: f64| {
            let (s, c) = libm::sincos(angle);
            (vec3(s, -c, 0.0) * l, vec3(c, s, 0.0) * l)
        };
        let ((p1, v1), (p2, v2)) = (bob(a, l1), bob(b, l2));
        let expected: Vec<f64> = [p1, v1 * wa, p1 + p2, v1 * wa + v2 * wb].iter().flat_map(|v| v.to_array()).collect();
        for (name, (sim, bobs)) in ["parameters", "constraints", "hybrid"].into_iter().zip(&mut runs) {
            sim.run_until(row[0]).expect("regular");
            close(name, &motion(sim, bobs), &expected, 1e-9);
        }
    }
    let ends = runs.each_ref().map(|(sim, bobs)| motion(sim, bobs));
    close("parameters and constraints", &ends[0], &ends[1], 1e-9);
    close("parameters and hybrid", &ends[0], &ends[2], 1e-9);
    // the tension of the lower rod is the same, however the upper one is described
    let joint = |sim: &Simulation, k: usize| sim.model().joints().nth(k).expect("a rod");
    let [_, (constraints, _), (hybrid, _)] = &mut runs;
    let (lower, only) = (joint(constraints, 1), joint(hybrid, 0));
    let tension = constraints.reaction(lower).expect("regular").force;
    assert!((tension - hybrid.reaction(only).expect("regular").force).length() < 1e-8 * tension.length());
}

#[test]
fn a_pendulum_is_the_known_one() {
    let p = problem("p01-a01-pendulum").expect("listed");
    let length = p.parameter("L");
    let mut m = empty(&p);
    let body = Parametric::new([-FRAC_PI_2], |[a], x| hang(a, x.x)).mass([length, 0.0, 0.0], p.parameter("m"));
    let bob = m.body("pendulum", body).at([length, 0.0, 0.0]);
    let mut sim = built(m);
    for row in &p.samples {
        sim.run_until(row[0]).expect("regular");
        let (x, v) = sim.point(bob);
        close("sample", &[x.x, x.y, v.x, v.y], &row[1..5], 1e-10);
    }
}

//! Poses where other formulations fail are regular here: chains stretched out or folded, rods across a plate, every scale of length.

mod common;

use common::grow::{Link, Step, Wish, grow};
use common::spec::Kind;
use common::{Worst, difference, size};
use holonom::SolverKind;
use holonom::math::{Mat3, SplitMix};
use holonom::prelude::*;
use holonom_cases::link;

/// A chain of links on the ground; link i points along `direction(i)` and turns with `spin(i)`.
fn chain(
    n: usize,
    direction: impl Fn(usize) -> Vec3,
    spin: impl Fn(usize) -> Vec3,
    joint: impl Fn(&mut ModelBuilder, usize, Marker, Marker),
) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let (mut at, mut v) = (Vec3::ZERO, Vec3::ZERO);
    let mut above = BodyId::GROUND.origin();
    for i in 0..n {
        let (x, w) = (direction(i), spin(i));
        let (y, z) = holonom::math::perpendicular(x);
        let turn = Quat::from_mat3(&Mat3::from_cols(x, y, z));
        let body = m.body(format!("link {i}"), link().position(at).orientation(turn).velocity(v).spin(w));
        joint(&mut m, i, above, body.origin());
        at += x;
        v += w.cross(x);
        above = body.at([1.0, 0.0, 0.0]);
    }
    m
}

type AtLink = fn(usize) -> Vec3;

fn residual(m: ModelBuilder, what: &str, worst: &Worst) -> Simulation {
    let sim = Simulation::build(m).unwrap_or_else(|e| panic!("{what}: {e}"));
    let r = sim.residual().unwrap_or_else(|e| panic!("{what}: {e}"));
    worst.note("residual", r.largest());
    assert!(r.largest() < 1e-10, "{what}: {r:?}");
    sim
}

#[test]
fn a_chain_is_regular_in_every_pose() {
    let worst = Worst::default();
    let poses: [(&str, AtLink); 6] = [
        ("horizontal", |_| Vec3::X),
        ("hanging", |_| -Vec3::Z),
        ("standing", |_| Vec3::Z),
        ("folded back", |i| if i % 2 == 0 { Vec3::X } else { -Vec3::X }),
        ("folded once", |i| if i < 20 { Vec3::Y } else { -Vec3::Y }),
        ("staircase", |i| if i % 2 == 0 { Vec3::X } else { -Vec3::Z }),
    ];
    let spins: [(&str, AtLink); 3] = [
        ("at rest", |_| Vec3::ZERO),
        ("turning as one", |_| vec3(0.3, -0.4, 0.5)),
        ("tumbling", |i| SplitMix(i as u64).vec3(2.0)),
    ];
    for (pose, direction) in poses {
        for (motion, spin) in spins {
            let what = format!("{pose}, {motion}");
            let ball = |m: &mut ModelBuilder, i: usize, a: Marker, b: Marker| {
                m.joint(format!("ball {i}"), Spherical::new(a, b));
            };
            let mut sim = residual(chain(40, direction, spin, ball), &what, &worst);
            let a = sim.accelerations().expect("regular");
            for solver in ["dense", "dense-kkt", "banded"] {
                sim.set_solver(SolverKind::from_name(solver).expect("known")).expect("it applies");
                // a chain that hangs at rest has no acceleration: gravity is the measure
                let error = common::gap(&sim.accelerations().expect("regular"), &a) / (9.81 + size(&a));
                worst.note("difference from other solvers", error);
                assert!(error < 1e-9, "{what}: {solver} differs by {error:e}");
            }
            sim.set_solver(SolverKind::Tree).expect("it applies");
            sim.set_integrator(IntegratorKind::RungeKutta4);
            for _ in 0..10 {
                sim.step(1e-3).unwrap_or_else(|e| panic!("{what}: {e}"));
            }
            let gap = sim.violation().0;
            worst.note("gap after ten steps", gap);
            assert!(gap < 1e-12, "{what}: gap {gap:e}");
        }
    }
    worst.print("chains");
}

/// A straight chain of hinges about parallel axes, of universal joints, and of rods between particles.
#[test]
fn other_chains_stretched_out() {
    let worst = Worst::default();
    let hinge = |m: &mut ModelBuilder, i: usize, a: Marker, b: Marker| {
        // body axes of all links are the same in a straight chain
        m.joint(format!("hinge {i}"), Revolute::new(a.along([0.0, 1.0, 0.0]), b.along([0.0, 1.0, 0.0])));
    };
    residual(chain(40, |_| Vec3::X, |_| Vec3::ZERO, hinge), "hinges", &worst);
    let cross = |m: &mut ModelBuilder, i: usize, a: Marker, b: Marker| {
        m.joint(format!("cross {i}"), Universal::new(a, b));
    };
    residual(chain(40, |_| Vec3::X, |_| Vec3::ZERO, cross), "universal joints", &worst);
    for direction in [Vec3::X, -Vec3::Z, Vec3::Z] {
        let mut m = ModelBuilder::new();
        let mut above = BodyId::GROUND.origin();
        for i in 0..40 {
            let bead = m.body(format!("bead {i}"), Particle::new(1.0, direction * (i + 1) as f64));
            m.joint(format!("rod {i}"), Distance::new(above, bead.origin(), 1.0));
            above = bead.origin();
        }
        residual(m, "beads on rods", &worst);
    }
    worst.print("other chains");
}

/// A row that vanishes on one body in a pose, though not on the other: the tree must not rely on it.
#[test]
fn a_rod_across_a_plate() {
    let worst = Worst::default();
    for offset in [0.0, 1e-12, 1e-9, 1e-6, 1e-3] {
        for order in [false, true] {
            let mut m = ModelBuilder::new();
            let plate = |m: &mut ModelBuilder| m.body("plate", Planar::new(1.0, 0.1));
            let bob =
                |m: &mut ModelBuilder| m.body("bob", Particle::new(1.0, [offset, 0.0, 1.0]).velocity([1.0, 0.0, 0.0]));
            let (plate, bob) = if order {
                let p = plate(&mut m);
                (p, bob(&mut m))
            } else {
                let b = bob(&mut m);
                (plate(&mut m), b)
            };
            m.joint("rod", Distance::new(bob.origin(), plate.origin(), 1.0));
            let mut sim = residual(m, &format!("offset {offset}"), &worst);
            let a = sim.accelerations().expect("regular");
            sim.set_solver(SolverKind::DenseKkt).expect("it applies");
            let error = difference(&sim.accelerations().expect("regular"), &a);
            worst.note("difference from dense", error);
            assert!(error < 1e-9, "offset {offset}: differs from dense by {error:e}");
        }
    }
    worst.print("plate");
}

/// From micrometres to a thousand kilometres: the same mechanism is built and solved, and its accelerations are the same but for the units.
#[test]
fn every_scale_of_length() {
    let worst = Worst::default();
    for seed in 0..60u64 {
        let s = seed as usize;
        let kinds = [Kind::Rigid, Kind::Rigid, Kind::Particle, Kind::Affine];
        let step = |i: usize| {
            let link = if i == 0 { Link::Ground } else { Link::Body(i - 1) };
            Step { kind: kinds[(s / 10 + i) % 4], link, joint: s + 3 * i, reversed: s % 3 == 1 }
        };
        let steps: Vec<Step> = (0..4).map(step).map(|s| Step { joint: s.joint % 10, ..s }).collect();
        let grown = grow(&steps, seed, Wish { forces: false, ..Wish::ANY });
        assert!(grown.refused.is_empty(), "{:?}", grown.refused);
        let mut sim = grown.spec.simulation();
        for k in [-20, -10, 10, 20] {
            let l = libm::ldexp(1.0, k);
            // masses of equal density, times such that gravity stays the same
            let scaled = grown.spec.scaled(l, l * l * l, libm::ldexp(1.0, k / 2));
            let what = format!("2^{k} m, seed {seed}");
            let mut other = residual(scaled.builder(), &what, &worst);
            let centre = |sim: &mut Simulation| -> Vec<f64> {
                let ids: Vec<BodyId> = sim.model().bodies().collect();
                let a = sim.accelerations().expect("regular");
                ids.iter().flat_map(|&id| a[sim.model().v_range(id)][..3].to_vec()).collect()
            };
            let (a, b) = (centre(&mut sim), centre(&mut other));
            let error = common::gap(&a, &b) / (1.0 + size(&a));
            worst.note("accelerations", error);
            assert!(error < 1e-9, "{what}: accelerations differ by {error:e}");
        }
    }
    worst.print("scales");
}

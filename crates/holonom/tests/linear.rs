//! Linearisation and static equilibrium against closed forms, and against themselves on random mechanisms.

mod common;

use common::grow::Wish;
use common::spec::{ForceSpec, Kind, body_id};
use common::{Worst, for_mechanisms};
use holonom::linear::{Complex, EquilibriumOptions, Linearisation, Observer, Stability};
use holonom::prelude::*;
use proptest::test_runner::TestCaseError;

const GROUND: BodyId = BodyId::GROUND;

/// The eigenvalue nearest to `expected`, as a relative error.
fn error_of(found: &Linearisation, expected: Complex) -> f64 {
    let near = found.eigenvalues().iter().map(|v| (*v - expected).abs()).fold(f64::INFINITY, f64::min);
    near / expected.abs()
}

fn imaginary(x: f64) -> Complex {
    Complex::new(0.0, x)
}

/// A rigid double pendulum in a plane: rods of masses m and lengths l, hinges about y.
fn double_pendulum(m: [f64; 2], l: [f64; 2]) -> Simulation {
    let mut b = ModelBuilder::new();
    let mut above = GROUND.origin().along([0.0, 1.0, 0.0]);
    let mut depth = 0.0;
    for i in 0..2 {
        let inertia = m[i] * l[i] * l[i] / 12.0;
        let rod = Rigid::principal(m[i], [inertia, inertia, 0.1 * inertia]);
        let rod = b.body(format!("rod {i}"), rod.position([0.0, 0.0, -depth - 0.5 * l[i]]));
        b.joint(format!("hinge {i}"), Revolute::new(above, rod.at([0.0, 0.0, 0.5 * l[i]]).along([0.0, 1.0, 0.0])));
        above = rod.at([0.0, 0.0, -0.5 * l[i]]).along([0.0, 1.0, 0.0]);
        depth += l[i];
    }
    Simulation::build(b).expect("a double pendulum")
}

#[test]
fn double_pendulum_by_closed_form() {
    let worst = Worst::default();
    for (m, l) in [([1.0, 1.0], [1.0, 1.0]), ([3.0, 0.5], [0.4, 1.7]), ([0.01, 20.0], [2.0, 0.05])] {
        // minimal coordinates: absolute angles of the rods
        let g = 9.81;
        let m11 = (m[0] / 3.0 + m[1]) * l[0] * l[0];
        let m12 = 0.5 * m[1] * l[0] * l[1];
        let m22 = m[1] * l[1] * l[1] / 3.0;
        let (k1, k2) = ((0.5 * m[0] + m[1]) * g * l[0], 0.5 * m[1] * g * l[1]);
        let (a, b, c) = (m11 * m22 - m12 * m12, -(k1 * m22 + k2 * m11), k1 * k2);
        let root = f64::sqrt(b * b - 4.0 * a * c);
        let fast = (-b + root) / (2.0 * a);
        let squares = [c / (a * fast), fast];
        let sim = double_pendulum(m, l);
        let before = sim.state().clone();
        let found = sim.linearise().expect("linearises");
        assert_eq!(*sim.state(), before);
        assert!(found.is_undamped() && found.is_stable());
        assert_eq!((found.n_positions(), found.n_velocities(), found.modes().len()), (2, 2, 2));
        for (f, square) in found.frequencies().iter().zip(squares) {
            let expected = square.sqrt() / std::f64::consts::TAU;
            worst.demand("double pendulum, relative error of frequencies", (f - expected).abs() / expected, 1e-11);
        }
        worst.demand("its own estimate of the error", found.error(), 1e-9);
        let text = found.to_string();
        assert!(text.contains("rod 1") && text.lines().count() == 3, "{text}");
    }
    worst.print("double_pendulum_by_closed_form");
}

#[test]
fn damped_oscillator_and_unstable_pendulum() {
    // a slider on a spring with a damper
    let (m, k, c) = (2.0, 50.0, 3.0);
    let mut b = ModelBuilder::new();
    b.gravity([0.0, 0.0, 0.0]);
    let slider = b.body("slider", Particle::new(m, [1.0, 0.0, 0.0]));
    b.joint("rail", PointOnLine::new(GROUND.origin().along([1.0, 0.0, 0.0]), slider.origin()));
    b.force("spring", Spring::new(GROUND.origin(), slider.origin(), k, 1.0).damping(c));
    let found = Simulation::build(b).expect("builds").linearise().expect("linearises");
    assert!(!found.is_undamped() && found.is_stable());
    let re = -c / (2.0 * m);
    let expected = Complex::new(re, (k / m - re * re).sqrt());
    assert!(error_of(&found, expected) < 1e-12);
    let mode = &found.modes()[0];
    assert!((mode.frequency() - (k / m).sqrt() / std::f64::consts::TAU).abs() < 1e-12);
    assert!((mode.damping() - c / (2.0 * (k * m).sqrt())).abs() < 1e-12);
    // the mode shape is an eigenvector: v = lambda x
    for (x, v) in mode.position.iter().zip(&mode.velocity) {
        assert!((mode.eigenvalue * *x - *v).abs() < 1e-11);
    }

    // a particle upright on a rod
    let mut b = ModelBuilder::new();
    let bob = b.body("bob", Particle::new(1.0, [0.0, 0.0, 2.0]));
    b.joint("rod", Distance::new(GROUND.origin(), bob.origin(), 2.0));
    let found = Simulation::build(b).expect("builds").linearise().expect("linearises");
    assert!(found.is_undamped() && !found.is_stable());
    let rate = (9.81f64 / 2.0).sqrt();
    assert!(error_of(&found, Complex::new(rate, 0.0)) < 1e-12 && error_of(&found, Complex::new(-rate, 0.0)) < 1e-12);
}

#[test]
fn cyclic_directions_are_reported() {
    // a cart on a rail with a pendulum: one frequency, one free direction (a double zero)
    let mut b = ModelBuilder::new();
    let cart = b.body("cart", Particle::new(2.0, [0.0, 0.0, 0.0]));
    let bob = b.body("bob", Particle::new(1.0, [0.0, 0.0, -0.5]));
    b.joint("rail", PointOnLine::new(GROUND.origin().along([1.0, 0.0, 0.0]), cart.origin()));
    b.joint("plane", PointOnPlane::new(GROUND.origin().along([0.0, 1.0, 0.0]), bob.origin()));
    b.joint("rod", Distance::new(cart.origin(), bob.origin(), 0.5));
    let mut sim = Simulation::build(b).expect("builds");
    let found = sim.linearise().expect("linearises");
    assert_eq!(found.eigenvalues().len(), 4);
    assert_eq!(found.modes().iter().filter(|m| m.free).count(), 1);
    let expected = (9.81 / 0.5 * 1.5f64).sqrt();
    assert!(error_of(&found, imaginary(expected)) < 1e-12);
    assert!(found.is_stable() && found.to_string().contains("free"));
    let still = sim.equilibrium(&EquilibriumOptions::default()).expect("an equilibrium");
    assert_eq!(still.stability, Stability::Neutral);
}

#[test]
fn a_free_top_about_each_of_its_axes() {
    let worst = Worst::default();
    let (moments, rate) = ([1.5, 2.0, 3.0], 4.0);
    let mut g = holonom::math::SplitMix(3);
    for axis in 0..3 {
        let turn = Quat::from_mat3(&common::turn(&mut g));
        let mut spin = [0.0; 3];
        spin[axis] = rate;
        let mut b = ModelBuilder::new();
        b.gravity([0.0, 0.0, 0.0]);
        b.body("top", Rigid::principal(1.5, moments).orientation(turn).spin(turn * Vec3::from_array(spin)));
        let found = Simulation::build(b).expect("builds").linearise_from(&Observer::Bodies).expect("linearises");
        let (i, j, k) = (moments[axis], moments[(axis + 1) % 3], moments[(axis + 2) % 3]);
        let square = rate * rate * (i - j) * (i - k) / (j * k);
        let expected = if square > 0.0 { imaginary(square.sqrt()) } else { Complex::new((-square).sqrt(), 0.0) };
        assert_eq!(found.is_stable(), square > 0.0, "axis {axis}");
        worst.demand("free top, relative error", error_of(&found, expected), 1e-11);
    }
    worst.print("a_free_top_about_each_of_its_axes");
}

#[test]
fn a_sleeping_top_in_world_axes() {
    // spinning upright on a ball joint; x + i y of the axis obeys  I1 s^2 - i I3 w s - m g h = 0
    let worst = Worst::default();
    let (mass, h, i1, i3, g) = (2.0, 0.3, 0.05, 0.03, 9.81);
    let about_pivot = i1 + mass * h * h;
    for rate in [10.0, 60.0, 200.0] {
        let mut b = ModelBuilder::new();
        let top = Rigid::principal(mass, [i1, i1, i3]).position([0.0, 0.0, h]).spin([0.0, 0.0, rate]);
        let top = b.body("top", top);
        b.joint("ball", Spherical::new(GROUND.origin(), top.at([0.0, 0.0, -h])));
        let found = Simulation::build(b).expect("builds").linearise().expect("linearises");
        let (l, pull) = (i3 * rate, mass * g * h);
        let under = l * l - 4.0 * about_pivot * pull;
        let roots = if under > 0.0 {
            [imaginary((l + under.sqrt()) / (2.0 * about_pivot)), imaginary(2.0 * pull / (l + under.sqrt()))]
        } else {
            let (re, im) = ((-under).sqrt() / (2.0 * about_pivot), l / (2.0 * about_pivot));
            [Complex::new(re, im), Complex::new(-re, im)]
        };
        assert_eq!(found.is_stable(), under > 0.0, "{rate}");
        for root in roots {
            worst.demand("sleeping top, relative error", error_of(&found, root), 1e-10);
        }
    }
    worst.print("a_sleeping_top_in_world_axes");
}

#[test]
fn a_conical_pendulum_from_axes_that_go_round() {
    // small motions about steady circles: w^2 = W^2 (1 + 3 cos^2), W^2 = g / (l cos)
    let (l, angle, g) = (0.8, 0.7f64, 9.81);
    let rate = (g / (l * angle.cos())).sqrt();
    let at = l * vec3(angle.sin(), 0.0, -angle.cos());
    let mut b = ModelBuilder::new();
    let bob = b.body("bob", Particle::new(0.7, at).velocity(vec3(0.0, 0.0, rate).cross(at)));
    b.joint("rod", Distance::new(GROUND.origin(), bob.origin(), l));
    let sim = Simulation::build(b).expect("builds");
    let found = sim.linearise_from(&Observer::Turning(vec3(0.0, 0.0, rate))).expect("linearises");
    assert!(found.acceleration() < 1e-13, "{:e}", found.acceleration());
    let expected = rate * (1.0 + 3.0 * angle.cos() * angle.cos()).sqrt();
    let error = error_of(&found, imaginary(expected));
    println!("a_conical_pendulum_from_axes_that_go_round: {error:.1e}");
    assert!(error < 1e-11);
    // seen from the world it is not steady
    assert!(sim.linearise().expect("linearises").acceleration() > 1.0);
    assert!(sim.linearise_from(&Observer::Each(vec![])).is_err());
}

#[test]
fn pendulum_up_and_down() {
    let pendulum = |angle: f64| {
        let mut sim = double_pendulum([1.0, 2.0], [1.0, 0.5]);
        // both rods turned by the angle about the first hinge
        let turn = holonom::math::exp_quat(vec3(0.0, angle, 0.0));
        let depth = [0.5, 1.25];
        for (i, d) in depth.into_iter().enumerate() {
            let at = turn * vec3(0.0, 0.0, -d);
            let q = [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z];
            sim.state_mut().q[7 * i..7 * i + 7].copy_from_slice(&q);
        }
        sim.state_mut().v.fill(0.0);
        sim
    };
    let tip = |sim: &Simulation| sim.point(BodyId::from_index(1).at([0.0, 0.0, -0.25])).0;
    // exactly upright: an equilibrium, and said to be unstable
    let mut sim = pendulum(std::f64::consts::PI);
    let found = sim.equilibrium(&EquilibriumOptions::default()).expect("stands");
    assert_eq!(found.stability, Stability::Unstable);
    assert!((tip(&sim).z - 1.5).abs() < 1e-12);
    // a little beside it: down it goes
    let mut sim = pendulum(3.0);
    let found = sim.equilibrium(&EquilibriumOptions::default()).expect("hangs");
    println!("pendulum_up_and_down: {found:?}");
    assert!(found.is_stable() && found.residual <= 1e-12);
    assert!((tip(&sim) - vec3(0.0, 0.0, -1.5)).length() < 1e-12);
    assert!(sim.state().v.iter().all(|v| *v == 0.0));
    let (angle, rate) = sim.coordinate(sim.model().joint("hinge 0").expect("there"), 0).expect("an angle");
    assert!(rate == 0.0 && (angle.abs() < 1e-12 || (angle.abs() - std::f64::consts::TAU).abs() < 1e-12), "{angle}");
    // and back up, when the nearest equilibrium is asked for
    let mut sim = pendulum(3.0);
    let nearest = EquilibriumOptions { nearest: true, ..Default::default() };
    let found = sim.equilibrium(&nearest).expect("stands");
    assert_eq!(found.stability, Stability::Unstable);
    assert!((tip(&sim).z - 1.5).abs() < 1e-12);
}

#[test]
fn without_equilibrium_the_state_stays() {
    // a free particle falls for ever
    let mut b = ModelBuilder::new();
    b.body("stone", Particle::new(1.0, [0.0, 0.0, 1.0]).velocity([1.0, 0.0, 0.0]));
    let mut sim = Simulation::build(b).expect("builds");
    let before = sim.state().clone();
    let options = EquilibriumOptions { max_iterations: 50, ..Default::default() };
    assert!(matches!(sim.equilibrium(&options), Err(StepError::NotConverged { .. })));
    assert_eq!(*sim.state(), before);
    let nonsense = EquilibriumOptions { tolerance: -1.0, ..Default::default() };
    assert!(sim.equilibrium(&nonsense).unwrap_err().to_string().contains("tolerance is -1"));
}

#[test]
fn random_mechanisms_come_to_rest_and_swing() {
    // affine bodies and sizes without elasticity give way without end
    let wish = Wish { most: 6, forces: false, affine: false, scaled: false, ..Wish::ANY };
    let counts = std::cell::RefCell::new((0, 0));
    for_mechanisms("random_mechanisms_come_to_rest_and_swing", 0.15, wish, |spec, worst| {
        // two springs on every body hold it near its place
        let mut spec = spec.clone();
        for i in 0..spec.bodies.len() {
            let at = spec.bodies[i].position;
            for (point, off) in [(Vec3::ZERO, vec3(0.3, -0.2, 0.8)), (vec3(0.2, 0.3, 0.1), vec3(-0.5, 0.4, 0.6))] {
                let point = if spec.bodies[i].kind == Kind::Particle { Vec3::ZERO } else { point };
                let (a, b) = (GROUND.at(at + off), body_id(i).at(point));
                spec.forces.push(ForceSpec::Spring { a, b, stiffness: 40.0, rest: 0.3, damping: 0.0 });
            }
        }
        let mut sim = spec.simulation();
        let found = sim.equilibrium(&EquilibriumOptions::default());
        let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
        let mut counts = counts.borrow_mut();
        counts.0 += 1;
        worst.at_most("residual", found.residual, 1e-12)?;
        worst.at_most("gap", sim.violation().0, 1e-10)?;
        worst.note("iterations", found.iterations as f64);
        let modes = sim.linearise().expect("linearises");
        worst.note("estimated error of A", modes.error());
        if modes.is_undamped() {
            counts.1 += 1;
            // two ways to the same squares of frequencies: by A, and by the stiffness from rest
            let mut squares: Vec<f64> = modes.eigenvalues().iter().map(|v| v.im * v.im - v.re * v.re).collect();
            squares.sort_by(f64::total_cmp);
            let largest = squares.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            for (i, s) in found.stiffness.iter().enumerate() {
                worst.at_most("squares of frequencies", (s - squares[2 * i]).abs() / largest, 1e-9)?;
            }
        }
        Ok(())
    });
    let (standing, undamped) = *counts.borrow();
    println!("{standing} come to rest, {undamped} of them without damping");
    assert!(standing > 50 && undamped == standing);
}

//! Answers from one factor: inverse dynamics, Jacobians, mobilities, the equations in joint coordinates. Against dense
//! algebra that knows nothing of trees, against finite differences, and against closed forms.

#[path = "common/closed.rs"]
mod closed;
mod common;

use closed::{Closed, closed};
use common::dense::{Dense, cholesky, cholesky_solve};
use common::grow::Wish;
use common::spec::{Kind, Spec, body_id};
use common::{Worst, difference, dot, for_mechanisms, gap, size};
use holonom::JointId;
use holonom::answers::{HeldFactor, JointEquations, PushAlong};
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom_cases::tree_case;
use proptest::test_runner::TestCaseError;
use std::sync::Arc;

/// Every coordinate of every joint, and a random push on every body.
fn directions(model: &Model, spec: &Spec, g: &mut SplitMix) -> (Vec<PushAlong>, Vec<PushAlong>) {
    let coordinates = model.joints().flat_map(|j| {
        let n = model.constraint(j).coordinates().len();
        (0..n).map(move |i| PushAlong::coordinate(j, i))
    });
    let pushes = spec.bodies.iter().enumerate().flat_map(|(i, body)| {
        let at = if body.kind == Kind::Particle { body_id(i).origin() } else { body_id(i).at(g.vec3(0.5)) };
        let mut out = vec![PushAlong::point(at, g.vec3(1.0))];
        if matches!(body.kind, Kind::Rigid | Kind::Planar) {
            out.push(PushAlong::turn(body_id(i), g.vec3(1.0)));
        }
        out
    });
    let pushes = pushes.collect();
    (coordinates.collect(), pushes)
}

/// `sqrt(x . M x)` by the dense mass matrix.
fn mass_norm(d: &Dense, x: &[f64]) -> f64 {
    d.inner(x, x).max(0.0).sqrt()
}

fn subtract(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Forward with random efforts, then back.
fn there_and_back(model: &Arc<Model>, spec: &Spec, worst: &Worst, seed: u64) -> Result<usize, TestCaseError> {
    let mut g = SplitMix(seed);
    let state = model.initial_state();
    let mut held = HeldFactor::at(model, state).expect("regular");
    let (mut along, pushes) = directions(model, spec, &mut g);
    along.extend(pushes.into_iter().filter(|_| g.below(3) == 0));
    let given: Vec<f64> = along.iter().map(|_| g.symmetric(10.0)).collect();
    let mut force = held.force().to_vec();
    for (a, e) in along.iter().zip(&given) {
        let row = held.row(a).expect("valid");
        force.iter_mut().zip(row).for_each(|(f, r)| *f += e * r);
    }
    let mut x = force;
    x.extend_from_slice(held.row_acceleration());
    held.solve(&mut x).expect("regular");
    let wanted = &x[..model.n_v()];
    let found = held.inverse_dynamics(wanted, &along, None).expect("valid");
    worst.at_most("forward of inverse", found.missed, 1e-10)?;
    let d = Dense::at(model, state);
    let free = held.accelerations().expect("regular").acceleration;
    let alone = dot(&d.e.force, &d.mass_solve(&d.e.force)).sqrt();
    let scale = mass_norm(&d, wanted).max(mass_norm(&d, &free)).max(alone);
    let off = mass_norm(&d, &subtract(&found.acceleration, wanted));
    worst.at_most("the same by the dense masses", if scale > 0.0 { off / scale } else { 0.0 }, 1e-10)?;
    let (asked, took) = (dot(&given, &given).sqrt(), dot(&found.efforts, &found.efforts).sqrt());
    worst.at_most("efforts above those given", took / asked.max(1e-300) - 1.0, 1e-8)?;
    Ok(usize::from(!found.is_unique()))
}

#[test]
fn inverse_of_forward_is_the_identity() {
    let redundant = std::cell::Cell::new(0);
    for_mechanisms("inverse of forward, trees", 0.3, Wish::ANY, |spec, worst| {
        let model = Arc::new(spec.build().expect("accepted"));
        redundant.set(redundant.get() + there_and_back(&model, spec, worst, 7)?);
        Ok(())
    });
    let worst = Worst::default();
    let (mut run, mut loops) = (0, 0);
    for number in 0..150 {
        let spec = closed(number, Closed { most: 7, rigid: number % 2 == 0, closing: 3, full_rank: number % 3 != 0 });
        let Ok(model) = spec.build() else { continue };
        run += 1;
        loops += usize::from(model.has_loops());
        let one = there_and_back(&Arc::new(model), &spec, &worst, number);
        redundant.set(redundant.get() + one.unwrap_or_else(|e| panic!("mechanism {number}: {e}")));
    }
    worst.print("inverse of forward, loops");
    println!("{run} closed mechanisms, {loops} with loops; {} with redundant actuation", redundant.get());
    assert!(loops > 60 && redundant.get() > 50);
}

#[test]
fn unique_efforts_come_back() {
    // one effort for each rate of a tree: exactly what was given
    let worst = Worst::default();
    let mut tried = 0;
    for_mechanisms("unique efforts", 0.2, Wish { charts: true, ..Wish::ANY }, |spec, worst| {
        let model = Arc::new(spec.build().expect("accepted"));
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let mut g = SplitMix(3);
        let (along, _) = directions(&model, spec, &mut g);
        let given: Vec<f64> = along.iter().map(|_| g.symmetric(10.0)).collect();
        let mut x = held.force().to_vec();
        for (a, e) in along.iter().zip(&given) {
            let row = held.row(a).expect("valid");
            x.iter_mut().zip(row).for_each(|(f, r)| *f += e * r);
        }
        x.extend_from_slice(held.row_acceleration());
        held.solve(&mut x).expect("regular");
        let found = held.inverse_dynamics(&x[..model.n_v()], &along, None).expect("valid");
        if found.is_unique() {
            worst.at_most("efforts", gap(&found.efforts, &given) / size(&given).max(1.0), 1e-7)?;
        }
        Ok(())
    });
    // chains of hinges with a torque at every one
    for name in ["b16", "b128"] {
        let case = tree_case(name).expect("a case");
        let model = Arc::new(case.builder().build().expect("valid"));
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let along: Vec<PushAlong> = model.joints().map(|j| PushAlong::coordinate(j, 0)).collect();
        let mut g = SplitMix(1);
        let given: Vec<f64> = along.iter().map(|_| g.symmetric(10.0)).collect();
        let wanted = {
            let mut x = held.force().to_vec();
            for (a, e) in along.iter().zip(&given) {
                x.iter_mut().zip(held.row(a).expect("valid")).for_each(|(f, r)| *f += e * r);
            }
            x.extend_from_slice(held.row_acceleration());
            held.solve(&mut x).expect("regular");
            x.truncate(model.n_v());
            x
        };
        let found = held.inverse_dynamics(&wanted, &along, None).expect("valid");
        assert!(found.is_unique());
        worst.demand("hinge chains, efforts", gap(&found.efforts, &given) / 10.0, 1e-10);
        // and in joint coordinates, where nothing is inverted
        let equations = JointEquations::of(&mut held).expect("a tree");
        let wdot = wdot_of(&equations, &wanted);
        // efforts are differences of what inertia and gravity ask for
        let scale = size(equations.bias());
        worst.demand("hinge chains, in joint coordinates", gap(&equations.efforts(&wdot), &given) / scale, 1e-10);
        tried += 1;
    }
    assert_eq!(tried, 2);
    worst.print("unique efforts");
}

/// Accelerations of the rates, by least squares from those of the bodies: N is well conditioned here.
fn wdot_of(e: &JointEquations, vdot: &[f64]) -> Vec<f64> {
    let n = e.len();
    let base = e.body_accelerations(&vec![0.0; n]);
    let off = subtract(vdot, &base);
    let mut a: Vec<f64> = (0..n * n).map(|k| dot(e.direction(k / n), e.direction(k % n))).collect();
    assert!(cholesky(&mut a, n));
    let b: Vec<f64> = (0..n).map(|i| dot(e.direction(i), &off)).collect();
    let mut x = cholesky_solve(&a, n, &b);
    // once more with what is left: the condition of N was squared
    let rest = subtract(vdot, &e.body_accelerations(&x));
    let b: Vec<f64> = (0..n).map(|i| dot(e.direction(i), &rest)).collect();
    x.iter_mut().zip(cholesky_solve(&a, n, &b)).for_each(|(x, d)| *x += d);
    x
}

/// The equations in joint coordinates against everything that is known of the bodies.
fn joint_equations(model: &Arc<Model>, worst: &Worst) -> Result<(), TestCaseError> {
    let state = model.initial_state();
    let mut held = HeldFactor::at(model, state).expect("regular");
    let e = JointEquations::of(&mut held).expect("no rows with directions of their own");
    let (n, d) = (e.len(), Dense::at(model, state));
    // directions are legal, and as many as there is freedom
    for i in 0..n {
        let gap = size(&d.jacobian_times(e.direction(i))) / size(e.direction(i));
        worst.at_most("directions are legal", gap, 1e-11)?;
    }
    // the rates give the velocities, and the mass matrix the kinetic energy
    let mut v = vec![0.0; d.n];
    for (i, w) in e.values().iter().enumerate() {
        v.iter_mut().zip(e.direction(i)).for_each(|(v, n)| *v += w * n);
    }
    worst.at_most("velocities from rates", gap(&v, &state.v) / size(&state.v).max(1.0), 1e-11)?;
    let sim = Simulation::new(model.clone());
    let kinetic = sim.energy().kinetic;
    let w = e.values();
    let found: f64 = 0.5 * (0..n).map(|i| w[i] * dot(&e.mass_matrix()[i * n..(i + 1) * n], w)).sum::<f64>();
    worst.at_most("kinetic energy", (found - kinetic).abs() / kinetic.max(1e-3), 1e-11)?;
    // against the dense mass matrix of the bodies
    let dense: Vec<f64> = (0..n * n).map(|k| d.inner(e.direction(k / n), e.direction(k % n))).collect();
    worst.at_most("mass matrix against the dense projection", difference(e.mass_matrix(), &dense), 1e-12)?;
    // forward dynamics in joint coordinates are those of the bodies
    let mut l = e.mass_matrix().to_vec();
    if !cholesky(&mut l, n) {
        return Err(TestCaseError::fail("the mass matrix is not positive definite"));
    }
    let pull: Vec<f64> = e.applied().iter().zip(e.bias()).map(|(f, b)| f - b).collect();
    let wdot = cholesky_solve(&l, n, &pull);
    let known = held.accelerations().expect("regular").acceleration;
    let off = gap(&e.body_accelerations(&wdot), &known) / size(&known).max(1.0);
    worst.at_most("accelerations", off, 1e-9)?;
    let left = size(&e.efforts(&wdot)) / size(&pull).max(1.0);
    worst.at_most("efforts of the free motion", left, 1e-9)
}

#[test]
fn equations_in_joint_coordinates() {
    for_mechanisms("joint coordinates, trees", 0.3, Wish::ANY, |spec, worst| {
        joint_equations(&Arc::new(spec.build().expect("accepted")), worst)
    });
    let worst = Worst::default();
    let mut loops = 0;
    for number in 0..120 {
        let spec = closed(number, Closed { most: 7, rigid: number % 2 == 0, closing: 3, full_rank: true });
        let Ok(model) = spec.build() else { continue };
        loops += usize::from(model.has_loops());
        joint_equations(&Arc::new(model), &worst).unwrap_or_else(|e| panic!("mechanism {number}: {e}"));
    }
    worst.print("joint coordinates, loops");
    assert!(loops > 50, "{loops} loops");
}

/// Two rods on hinges: the mass matrix and the bias of every textbook, relative angles.
#[test]
fn double_pendulum_as_in_textbooks() {
    let (m, l) = ([2.0, 3.0], [0.7, 1.1]);
    let y = [0.0, 1.0, 0.0];
    let (q, w) = ([0.4f64, 0.9f64], [1.3, -2.1]);
    let mut b = ModelBuilder::new();
    let (mut above, mut at, mut angle, mut spin) = (BodyId::GROUND.origin().along(y), Vec3::ZERO, 0.0, 0.0);
    let mut velocity = Vec3::ZERO;
    for i in 0..2 {
        angle += q[i];
        spin += w[i];
        // a turn by `angle` about y takes x to (cos, 0, -sin)
        let turn = Quat::from_rotation_y(angle);
        let along = turn * Vec3::X;
        let omega = Vec3::Y * spin;
        let centre = at + along * (0.5 * l[i]);
        let inertia = m[i] * l[i] * l[i] / 12.0;
        let rod = Rigid::principal(m[i], [1e-3, inertia, inertia]).position(centre).orientation(turn);
        let rod = rod.velocity(velocity + omega.cross(along * (0.5 * l[i]))).spin(omega);
        let rod = b.body(format!("rod {i}"), rod);
        b.joint(format!("hinge {i}"), Revolute::new(above, rod.at([-0.5 * l[i], 0.0, 0.0]).along(y)));
        above = rod.at([0.5 * l[i], 0.0, 0.0]).along(y);
        velocity += omega.cross(along * l[i]);
        at += along * l[i];
    }
    let sim = Simulation::build(b).expect("valid");
    let e = sim.joint_equations().expect("a tree");
    assert_eq!((e.len(), e.name(1).as_str()), (2, "hinge 1.0"));
    let (c, s, g) = (q[1].cos(), q[1].sin(), 9.81);
    let (a1, a2, h) =
        (m[0] * l[0] * l[0] / 3.0 + m[1] * l[0] * l[0], m[1] * l[1] * l[1] / 3.0, 0.5 * m[1] * l[0] * l[1]);
    let mass = [a1 + a2 + 2.0 * h * c, a2 + h * c, a2 + h * c, a2];
    assert!(gap(e.mass_matrix(), &mass) < 1e-13, "{:?} against {mass:?}", e.mass_matrix());
    // gravity turns the rods down: about +y, which takes x to -z
    let g2 = -0.5 * m[1] * l[1] * g * (q[0] + q[1]).cos();
    let g1 = -(0.5 * m[0] + m[1]) * l[0] * g * q[0].cos() + g2;
    let bias = [-h * s * w[1] * (2.0 * w[0] + w[1]) + g1, h * s * w[0] * w[0] + g2];
    assert!(gap(e.bias(), &bias) < 1e-12, "{:?} against {bias:?}", e.bias());
    assert!(gap(e.values(), &w) < 1e-14);
    assert!(size(e.applied()) == 0.0);
}

/// Rows against the motion: `g . v` is the rate of what is measured, `jdot_v` the rest of its second derivative.
#[test]
fn jacobians_by_finite_differences() {
    for_mechanisms("jacobians", 0.15, Wish::ANY, |spec, worst| {
        let model = Arc::new(spec.build().expect("accepted"));
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let (mut along, pushes) = directions(&model, spec, &mut SplitMix(5));
        along.extend(pushes);
        let jacobian = held.jacobian(&along).expect("valid");
        let drift = held.jacobian_dot_v(&along).expect("valid");
        let a = held.accelerations().expect("regular").acceleration;
        let n = model.n_v();
        let h = 1e-4;
        let speeds = |dt: f64| {
            let mut state = model.initial_state().clone();
            // along the motion, to second order: what is odd in dt is exact to third
            for body in model.bodies() {
                let (q, v) = (model.q_range(body), model.v_range(body));
                let mean: Vec<f64> = v.clone().map(|k| state.v[k] + 0.5 * dt * a[k]).collect();
                holonom::check::advance_body(&model, body, &mut state.q[q], &mean, dt);
                v.for_each(|k| state.v[k] += dt * a[k]);
            }
            let held = HeldFactor::at(&model, &state).expect("regular");
            along.iter().map(|d| dot(&held.row(d).expect("valid"), &state.v)).collect::<Vec<f64>>()
        };
        let (ahead, behind) = (speeds(h), speeds(-h));
        let equations = JointEquations::of(&mut held).expect("a tree");
        let by_rates = equations.jacobian(&along).expect("valid");
        let at_rest = equations.jacobian_dot_v(&along).expect("valid");
        let wdot = wdot_of(&equations, &a);
        for (i, row) in jacobian.chunks_exact(n).enumerate() {
            let found = dot(row, &a) + drift[i];
            let expected = (ahead[i] - behind[i]) / (2.0 * h);
            worst.at_most("second derivatives", (found - expected).abs() / (1.0 + found.abs() + size(&a)), 1e-6)?;
            let w = equations.values();
            let speed = dot(row, &model.initial_state().v);
            let m = w.len();
            let in_rates = dot(&by_rates[i * m..(i + 1) * m], w);
            worst.at_most("speeds from rates", (speed - in_rates).abs() / (1.0 + speed.abs()), 1e-11)?;
            let in_rates = dot(&by_rates[i * m..(i + 1) * m], &wdot) + at_rest[i];
            worst.at_most("accelerations from rates", (found - in_rates).abs() / (1.0 + size(&a)), 1e-9)?;
        }
        Ok(())
    });
}

/// `J M^-1 J^T` and `G P G^T` against dense matrices.
#[test]
fn delassus_and_mobility() {
    let worst = Worst::default();
    let mut loops = 0;
    for number in 0..60 {
        let spec = closed(number, Closed { most: 6, rigid: number % 2 == 0, closing: 2, full_rank: true });
        let Ok(model) = spec.build() else { continue };
        let model = Arc::new(model);
        loops += usize::from(model.has_loops());
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let d = Dense::at(&model, model.initial_state());
        // every second joint, in reverse
        let chosen: Vec<JointId> = model.joints().collect::<Vec<_>>().into_iter().rev().step_by(2).collect();
        let rows: Vec<usize> = chosen.iter().flat_map(|j| model.rows_of(*j)).collect();
        let expected: Vec<f64> = rows
            .iter()
            .flat_map(|&r| rows.iter().map(move |&c| (r, c)))
            .map(|(r, c)| dot(d.row(r), &d.mass_solve(d.row(c))))
            .collect();
        let found = held.delassus(&chosen).expect("regular");
        worst.demand("Delassus", difference(&found, &expected), 1e-11);
        let (mut along, pushes) = directions(&model, &spec, &mut SplitMix(number));
        along.extend(pushes);
        let g: Vec<Vec<f64>> = along.iter().map(|a| held.row(a).expect("valid")).collect();
        let legal: Vec<Vec<f64>> = g.iter().map(|g| d.legal_part(&d.mass_solve(g))).collect();
        let expected: Vec<f64> = g.iter().flat_map(|g| legal.iter().map(|x| dot(g, x))).collect();
        let found = held.mobility(&along).expect("regular");
        // joints may hold all of it
        let free = g.iter().map(|g| dot(g, &d.mass_solve(g))).fold(0.0, f64::max);
        worst.demand("mobility", gap(&found, &expected) / free, 1e-8);
        let n = along.len();
        let skew = (0..n * n).map(|k| (found[k] - found[k % n * n + k / n]).abs()).fold(0.0, f64::max);
        worst.demand("mobility is symmetric", skew / free, 1e-10);
        for (i, a) in along.iter().enumerate().take(3) {
            let mass = held.effective_mass(a).expect("regular");
            let m = found[i * n + i];
            if mass.is_finite() {
                worst.demand("effective mass", (mass * m - 1.0).abs(), 1e-9);
            }
        }
    }
    worst.print("delassus_and_mobility");
    assert!(loops > 20);
}

#[test]
fn a_thousand_right_hand_sides_on_one_factor() {
    let model = Arc::new(tree_case("c128").expect("a case").builder().build().expect("valid"));
    let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
    let before = held.counts().expect("it works with factors");
    assert_eq!(before.factors, 1, "{before:?}");
    let (mut g, d) = (SplitMix(2), Dense::at(&model, model.initial_state()));
    let mut worst: f64 = 0.0;
    for k in 0..1000 {
        let body = BodyId::from_index(g.below(model.n_bodies()));
        let push = PushAlong::point(body.at(g.vec3(1.0)), g.vec3(1.0));
        let answer = held.push(&push, 1.0 + g.unit()).expect("regular");
        if k % 100 == 0 {
            // joints hold
            worst = worst.max(size(&d.jacobian_times(&answer.acceleration)) / size(&answer.acceleration));
        }
    }
    let after = held.counts().expect("it works with factors");
    println!("{before:?}, then {after:?}; joints open at {worst:.1e} of what moves");
    assert_eq!(after.factors, before.factors);
    assert_eq!(after.forward - before.forward, 1000);
    assert_eq!(after.backward - before.backward, 1000);
    assert!(worst < 1e-12);
}

/// Three motors on a four-bar linkage, which has one freedom: the smallest torques, by what they are measured by.
#[test]
fn redundant_motors_share_by_least_effort() {
    let y = [0.0, 1.0, 0.0];
    let mut m = ModelBuilder::new();
    let (a, b, c, d) = ([0.0; 3], [0.0, 0.0, 0.4], [1.2, 0.0, 0.9], [1.0, 0.0, 0.0]);
    let bar = |m: &mut ModelBuilder, name: &str, from: [f64; 3], to: [f64; 3]| {
        let (from, to) = (Vec3::from(from), Vec3::from(to));
        let r = (to - from) * 0.5;
        let body = m.body(name, Rigid::ball(1.0, 0.2).position(from + r));
        (body.at(-r).along(y), body.at(r).along(y))
    };
    let (crank, coupler, rocker) =
        (bar(&mut m, "crank", a, b), bar(&mut m, "coupler", b, c), bar(&mut m, "rocker", c, d));
    let joints = [
        m.joint("A", Revolute::new(BodyId::GROUND.at(a).along(y), crank.0)),
        m.joint("B", Revolute::new(crank.1, coupler.0)),
        m.joint("D", Revolute::new(rocker.1, BodyId::GROUND.at(d).along(y))),
    ];
    m.joint("C", Spherical::new(coupler.1, rocker.0));
    let sim = Simulation::build(m).expect("valid");
    let mut held = sim.held_factor().expect("regular");
    let motors = joints.map(|j| PushAlong::coordinate(j, 0));
    let still = vec![0.0; held.n_v()];
    let all = held.inverse_dynamics(&still, &motors, None).expect("valid");
    assert!((all.rank, all.is_unique()) == (1, false) && all.missed < 1e-12, "{all:?}");
    // the efforts of one freedom are a multiple of the rates with which the joints move
    let alone: Vec<f64> = motors
        .iter()
        .map(|one| {
            let found = held.inverse_dynamics(&still, &[*one], None).expect("valid");
            assert!(found.is_unique() && found.missed < 1e-12);
            found.efforts[0]
        })
        .collect();
    // each alone gives e_i = Q / r_i; together the least are  Q r_i / sum r^2
    let rates: Vec<f64> = alone.iter().map(|e| alone[0] / e).collect();
    let expected: Vec<f64> = rates.iter().map(|r| alone[0] * r / dot(&rates, &rates)).collect();
    assert!(gap(&all.efforts, &expected) < 1e-10, "{:?} against {expected:?}", all.efforts);
    // with scales, in their measure
    let scales = [1.0, 5.0, 0.2];
    let scaled = held.inverse_dynamics(&still, &motors, Some(&scales)).expect("valid");
    let sum: f64 = rates.iter().zip(scales).map(|(r, s)| (r * s) * (r * s)).sum();
    let expected: Vec<f64> = rates.iter().zip(scales).map(|(r, s)| alone[0] * r * s * s / sum).collect();
    assert!(gap(&scaled.efforts, &expected) < 1e-10, "{:?} against {expected:?}", scaled.efforts);
    // the same from the accelerations along the motors alone
    let by_rates = held.efforts_for(&motors[..1], &[0.0], None).expect("valid");
    assert!(gap(&by_rates.efforts, &alone[..1]) < 1e-10 && by_rates.missed < 1e-12);
    // too few efforts: what they miss is said
    let none = held.inverse_dynamics(&still, &[], None).expect("valid");
    assert!(none.missed > 0.1 && none.efforts.is_empty());
}

#[test]
fn questions_that_cannot_be_asked() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(1.0, [1.0, 0.0, 0.0]));
    let rod = m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    let mut held = Simulation::build(m).expect("valid").held_factor().expect("regular");
    let said = |e: holonom::StepError| e.to_string();
    let no_coordinate = held.row(&PushAlong::coordinate(rod, 1)).map_err(said).unwrap_err();
    assert!(no_coordinate.contains("`rod`") && no_coordinate.contains("no number 1"), "{no_coordinate}");
    let no_spin = held.row(&PushAlong::turn(bob, [0.0, 0.0, 1.0])).map_err(said).unwrap_err();
    assert!(no_spin.contains("`bob`") && no_spin.contains("spin"), "{no_spin}");
    let nowhere = held.push(&PushAlong::point(bob.origin(), [f64::NAN, 0.0, 0.0]), 1.0).map_err(said).unwrap_err();
    assert!(nowhere.contains("must be finite"), "{nowhere}");
    let short = held.inverse_dynamics(&[0.0; 2], &[], None).map_err(said).unwrap_err();
    assert!(short.contains("2 numbers, must be 3"), "{short}");
    let bad =
        held.inverse_dynamics(&[0.0; 3], &[PushAlong::coordinate(rod, 0)], Some(&[0.0])).map_err(said).unwrap_err();
    assert!(bad.contains("greater than 0"), "{bad}");
    // the ground may be pushed, and does not mind
    let nothing = held.push(&PushAlong::point(BodyId::GROUND.origin(), [1.0, 0.0, 0.0]), 5.0).expect("valid");
    assert!(size(&nothing.acceleration) == 0.0);
    // the rod's own length is held: no effort along it moves anything
    assert_eq!(held.effective_mass(&PushAlong::coordinate(rod, 0)).expect("valid"), f64::INFINITY);
}

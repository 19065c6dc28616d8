//! Every joint of the table and every relation between every ordered pair of body kinds, by finite differences.

mod common;

use common::dense::{cholesky, cholesky_solve};
use common::grow::{place, random_body, random_marker};
use common::spec::{JointSpec, Kind, Spec, body_id};
use common::{Worst, dot};
use holonom::joints::{Constraint, JOINTS, pairs};
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom::{Assembly, AttachmentKind, check};

/// The ground and every kind of body.
const KINDS: [Option<Kind>; 7] = [
    None,
    Some(Kind::Particle),
    Some(Kind::Planar),
    Some(Kind::Rigid),
    Some(Kind::Affine),
    Some(Kind::Uniform),
    Some(Kind::PerAxis),
];

/// Two bodies, or one and the ground, placed so that the joint holds.
fn pair(kind: usize, a: Option<Kind>, b: Option<Kind>, general_rows: bool, g: &mut SplitMix) -> Spec {
    let mut spec = Spec { bodies: vec![], joints: vec![], forces: vec![], gravity: g.vec3(9.0), general_rows };
    let ids = [a, b].map(|k| match k {
        None => BodyId::GROUND,
        Some(k) => {
            spec.bodies.push(random_body(k, g));
            body_id(spec.bodies.len() - 1)
        }
    });
    let joint =
        JointSpec { kind, a: random_marker(a, ids[0], g), b: random_marker(b, ids[1], g), seed: g.bits(), scale: 1.0 };
    // the last body is the one that is moved into place
    let last = spec.bodies.len() - 1;
    let is_a = ids[0] == body_id(last);
    let mut body = spec.bodies[last].clone();
    place(&mut body, &joint, joint.constraint().as_ref(), is_a, &spec, g);
    spec.bodies[last] = body;
    spec.joints.push(joint);
    spec
}

/// Run `test` on every joint and every ordered pair of kinds that can carry it. Returns how many pairs each joint has.
fn every_pair(general_rows: bool, draws: usize, mut test: impl FnMut(&str, Spec, Model, &mut SplitMix)) -> Vec<usize> {
    let mut g = SplitMix(3);
    let mut counts = vec![0; pairs().len()];
    for (kind, a, b) in (0..pairs().len()).flat_map(|k| KINDS.map(|a| KINDS.map(|b| (k, a, b))).concat()) {
        if a.is_none() && b.is_none() {
            continue;
        }
        let what = format!("{} between {a:?} and {b:?}", pairs()[kind].name());
        let mut built = 0;
        for _ in 0..draws {
            let spec = pair(kind, a, b, general_rows, &mut g);
            match spec.build() {
                Ok(model) => {
                    built += 1;
                    test(&what, spec, model, &mut g);
                }
                // a kind that cannot carry the joint never can
                Err(ModelError::NotCarried { .. }) => break,
                // random axes between planar bodies may be redundant or incompatible
                Err(e) if [a, b].contains(&Some(Kind::Planar)) => drop(e),
                Err(e) if a == Some(Kind::Affine) || b == Some(Kind::Affine) => {
                    assert!(matches!(e, ModelError::NotAssembled { .. }), "{what}: {e}")
                }
                Err(e) => panic!("{what}: {e}"),
            }
        }
        assert!(built == 0 || 3 * built >= draws, "{what}: only {built} of {draws} draws were built");
        counts[kind] += (built > 0) as usize;
    }
    counts
}

/// Pairs of kinds that can carry each joint of the table: 49 less (ground, ground) where both need axes, less the particle's, and so on.
fn expect_coverage(counts: &[usize]) {
    for (joint, &count) in pairs().iter().zip(counts) {
        let expected = match joint.name() {
            // points only: all pairs but ground with ground
            "spherical" | "distance" => 48,
            // axes on a only: a particle can be b
            "point-on-line" | "point-on-plane" => 41,
            // axes on both
            _ => 35,
        };
        assert_eq!(count, expected, "{} was tested on {count} pairs of kinds", joint.name());
    }
}

/// Rates and accelerations of all rows against central differences, anywhere: the joint need not hold.
#[test]
fn general_rows_are_the_derivatives_of_the_gap() {
    let worst = Worst::default();
    let counts = every_pair(true, 6, |what, spec, model, g| {
        let joint = model.joints().next().expect("one joint");
        for _ in 0..4 {
            let mut state = model.initial_state().clone();
            for i in 0..spec.bodies.len() {
                let q = &mut state.q[model.q_range(body_id(i))];
                q.iter_mut().for_each(|x| *x += g.symmetric(0.3));
                if spec.bodies[i].kind.turns() {
                    let length = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
                    q[3..7].iter_mut().for_each(|x| *x /= length);
                }
            }
            state.v.iter_mut().for_each(|v| *v = g.symmetric(1.5));
            let c = check::constraint(&model, joint, &state, 1e-5);
            worst.note("rate", c.rate);
            worst.note("acceleration", c.acceleration);
            worst.note("jacobian", c.jacobian);
            assert!(c.rate < 1e-7 && c.acceleration < 1e-6 && c.jacobian < 1e-12, "{what}: {c:?}");
        }
    });
    worst.print("general rows");
    expect_coverage(&counts);
}

/// Two bodies, or one and the ground, with markers at this distance (m) and axes at this angle (rad): poses that suit joints and relations of every kind, though
/// nothing need hold there.
fn apart(a: Option<Kind>, b: Option<Kind>, distance: f64, tilt: f64, g: &mut SplitMix) -> (Spec, [Marker; 2]) {
    let mut spec = Spec { bodies: vec![], joints: vec![], forces: vec![], gravity: g.vec3(9.0), general_rows: true };
    let (sin, cos) = libm::sincos(g.symmetric(3.0));
    let spin = |g: &mut SplitMix| Mat3::from_rotation_z(distance * g.symmetric(3.0));
    let turned = spin(g) * Mat3::from_rotation_x(tilt) * spin(g);
    let world = common::turn(g);
    let poses = [(a, Vec3::ZERO, Mat3::IDENTITY), (b, vec3(cos, sin, 0.3) * distance, turned)];
    let markers = poses.map(|(kind, p, r)| {
        let Some(kind) = kind else { return Marker { body: BodyId::GROUND, point: world * p, axes: world * r } };
        let marker = random_marker(Some(kind), body_id(spec.bodies.len()), g);
        let mut body = random_body(kind, g);
        body.turn = world * r * marker.axes.transpose();
        body.position = world * p - body.shape() * marker.point;
        spec.bodies.push(body);
        marker
    });
    (spec, markers)
}

/// Rates and accelerations of all rows of joints *and relations*, away from where they hold. Bodies that cannot carry what a kind needs are refused by
/// name.
/// Random numbers of one kind alone: a new line in the table does not change what is drawn for the others.
fn draws_of(seed: u64, name: &str) -> SplitMix {
    SplitMix(name.bytes().fold(seed, |h, b| h.wrapping_mul(0x0000_0100_0000_01b3) ^ b as u64))
}

#[test]
fn every_kind_is_the_derivative_of_its_gap_or_is_refused() {
    let worst = Worst::default();
    let (mut checked, mut refused, mut stuck, mut checks) = (0, 0, vec![], 0);
    for (kind, a, b) in
        JOINTS.iter().filter(|k| k.sample.is_some()).flat_map(|k| KINDS.map(|a| KINDS.map(|b| (k, a, b))).concat())
    {
        let mut g = draws_of(21, &format!("{}{a:?}{b:?}", kind.name()));
        if a.is_none() && b.is_none() {
            continue;
        }
        let what = format!("{} between {a:?} and {b:?}", kind.name());
        let (mut built, mut not_carried) = (0, 0);
        let mut open = vec![];
        for draw in 0..8 {
            // wheels on crossed axes have no angles where these are parallel, and a disc cannot roll lying flat
            let crossed = draw % 2 == 0 || ["bevel-gear", "worm", "rolling-disc"].contains(&kind.name());
            let tilt = if crossed { 0.7 + 0.2 * g.unit() } else { 0.0 };
            // and joints hold where markers coincide, but for rods
            let joint = pairs().iter().any(|k| k.name() == kind.name()) && kind.name() != "distance";
            let distance = if draw % 2 == 1 && joint { 0.0 } else { 1.0 };
            let (spec, markers) = apart(a, b, distance, tilt, &mut g);
            let free = spec.build().expect("bodies alone");
            let mut m = spec.builder();
            let sample = kind.sample.expect("a sample");
            let again = sample(markers[0], markers[1], &mut g.clone());
            m.boxed_joint("joint", sample(markers[0], markers[1], &mut g));
            let model = match m.build() {
                Ok(model) => model,
                Err(ModelError::NotCarried { .. }) => {
                    not_carried += 1;
                    continue;
                }
                // a relation that has nothing to do with one of the two
                Err(ModelError::Joint { reason, .. }) if reason.reason.contains("only the ground") => {
                    not_carried += 1;
                    continue;
                }
                // so far from holding, not every joint can be closed
                Err(ModelError::NotAssembled { .. } | ModelError::WrongBranch { .. }) => {
                    open.push((spec, again));
                    continue;
                }
                Err(e) => panic!("{what}: {e}"),
            };
            built += 1;
            let joint = model.joints().next().expect("one joint");
            for _ in 0..3 {
                let mut state = model.initial_state().clone();
                state.q.copy_from_slice(&free.initial_state().q);
                for (i, body) in spec.bodies.iter().enumerate() {
                    let q = &mut state.q[model.q_range(body_id(i))];
                    q.iter_mut().for_each(|x| *x += g.symmetric(0.1));
                    if body.kind.turns() {
                        let length = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
                        q[3..7].iter_mut().for_each(|x| *x /= length);
                    }
                }
                state.v.iter_mut().for_each(|v| *v = g.symmetric(1.0));
                let c = check::constraint(&model, joint, &state, 1e-5);
                checks += 1;
                worst.note("rate", c.rate);
                worst.note("acceleration", c.acceleration);
                worst.note("jacobian", c.jacobian);
                assert!(c.rate < 1e-7 && c.acceleration < 1e-6 && c.jacobian < 1e-12, "{what}: {c:?}");
            }
        }
        match (built, not_carried) {
            (0, 8) => refused += 1,
            // no pose closes it: a point of a body in a plane cannot be led out of it
            (0, 0) => {
                let least = open.into_iter().map(|(spec, joint)| least_gap(&spec, joint, &mut g));
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(least > 1e-3, "{what}: never assembled, though a pose leaves a gap of {least:e}");
                stuck.push(what);
            }
            // a sample of two forms of which the bodies carry one
            (1.., 0) | (1.., 1..8) => checked += 1,
            _ => panic!("{what}: refused {not_carried} of 8 times, never assembled otherwise"),
        }
    }
    worst.print("all kinds");
    let n = JOINTS.iter().filter(|k| k.sample.is_some()).count();
    println!("{n} kinds: {checked} pairs checked in {checks} states, {refused} refused, never closed: {stuck:?}");
    assert_eq!(checked + refused + stuck.len(), (KINDS.len() * KINDS.len() - 1) * n);
}

/// The least length of a joint's gap over all poses of its bodies, by Levenberg's method on differences of the gap, from
/// several poses: another road than the engine's assembly.
fn least_gap(spec: &Spec, joint: Box<dyn Constraint>, g: &mut SplitMix) -> f64 {
    let mut m = spec.builder();
    m.boxed_joint("joint", joint);
    m.assembly(Assembly::Open);
    let model = match m.build() {
        Ok(model) => model,
        // a row that is the same in every pose is not closed by any
        Err(ModelError::NotAssembled { gap, .. }) => return gap,
        Err(e) => panic!("{e}"),
    };
    let normalise = |q: &mut [f64]| {
        for (i, _) in spec.bodies.iter().enumerate().filter(|(_, b)| b.kind.turns()) {
            let q = &mut q[model.q_range(body_id(i))][3..7];
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            q.iter_mut().for_each(|x| *x /= length);
        }
    };
    let mut state = model.initial_state().clone();
    let mut gap_at = |q: &[f64]| {
        state.q.copy_from_slice(q);
        normalise(&mut state.q);
        check::equations(&model, &state).gap
    };
    let n = model.initial_state().q.len();
    let mut least = f64::INFINITY;
    for start in 0..4 {
        let mut q = model.initial_state().q.clone();
        q.iter_mut().for_each(|x| *x += 0.5 * start as f64 * g.symmetric(1.0));
        let (mut gap, mut damping) = (gap_at(&q), 1e-3);
        for _ in 0..200 {
            let columns: Vec<Vec<f64>> = (0..n)
                .map(|i| {
                    let (mut ahead, mut behind) = (q.clone(), q.clone());
                    (ahead[i], behind[i]) = (q[i] + 1e-6, q[i] - 1e-6);
                    gap_at(&ahead).iter().zip(gap_at(&behind)).map(|(a, b)| (a - b) / 2e-6).collect()
                })
                .collect();
            let mut normal: Vec<f64> = (0..n * n).map(|k| dot(&columns[k / n], &columns[k % n])).collect();
            (0..n).for_each(|i| normal[i * n + i] += damping);
            let down: Vec<f64> = columns.iter().map(|c| -dot(c, &gap)).collect();
            assert!(cholesky(&mut normal, n), "damped, yet not positive definite");
            let change = cholesky_solve(&normal, n, &down);
            let next: Vec<f64> = q.iter().zip(&change).map(|(q, d)| q + d).collect();
            let there = gap_at(&next);
            if dot(&there, &there) < dot(&gap, &gap) {
                (q, gap, damping) = (next, there, 0.3 * damping);
            } else {
                damping *= 4.0;
            }
        }
        least = least.min(dot(&gap, &gap).sqrt());
    }
    least
}

/// What joints and relations measure, with gradients and curvatures: the row of a coupler over all coordinates of each kind, on all pairs of bodies on
/// which both can be closed.
#[test]
fn every_coordinate_is_differentiated_twice() {
    let worst = Worst::default();
    for kind in JOINTS.iter().filter(|k| k.sample.is_some()) {
        let mut g = draws_of(22, kind.name());
        let (mut pairs, mut measured) = (0, 0);
        for (a, b) in KINDS.map(|a| KINDS.map(|b| (a, b))).concat() {
            let mut built = 0;
            for _ in 0..4 {
                let (spec, markers) = apart(a, b, 1.0, 0.7 + 0.2 * g.unit(), &mut g);
                let constraint = (kind.sample.expect("a sample"))(markers[0], markers[1], &mut g);
                measured = constraint.coordinates().len();
                if measured == 0 || spec.bodies.is_empty() {
                    break;
                }
                let mut m = spec.builder();
                let joint = m.boxed_joint("joint", constraint);
                let terms: Vec<_> = (0..measured).map(|i| (0.5 + g.unit(), m.coordinate(joint, i))).collect();
                let coupler = m.joint("coupler", Coupler::new(terms));
                let Ok(model) = m.build() else { continue };
                built += 1;
                let free = spec.build().expect("bodies alone");
                let mut state = model.initial_state().clone();
                state.q.copy_from_slice(&free.initial_state().q);
                state.v.iter_mut().for_each(|v| *v = g.symmetric(1.0));
                let c = check::constraint(&model, coupler, &state, 1e-5);
                worst.note("rate", c.rate);
                worst.note("acceleration", c.acceleration);
                assert!(c.rate < 1e-7 && c.acceleration < 1e-6, "{} between {a:?} and {b:?}: {c:?}", kind.name());
            }
            pairs += (built > 0) as usize;
        }
        println!("{}: {measured} coordinates on {pairs} pairs", kind.name());
        // a rod's length is what the rod holds: a coupler that holds another contradicts it
        assert!(measured == 0 || pairs >= 4 || kind.name() == "distance", "{}: only on {pairs} pairs", kind.name());
    }
    worst.print("coordinates, twice");
}

/// Lock rows at assembled states with legal velocities.
#[test]
fn lock_rows_are_the_derivatives_of_the_gap() {
    let worst = Worst::default();
    let counts = every_pair(false, 12, |what, _, model, g| {
        let joint = model.joints().next().expect("one joint");
        let mut sim = Simulation::new(model);
        sim.state_mut().v.iter_mut().for_each(|v| *v = g.symmetric(1.5));
        if sim.project().is_err() {
            return; // random axes between planar bodies may be singular where they are assembled
        }
        let c = check::constraint(sim.model(), joint, sim.state(), 1e-5);
        worst.note("rate", c.rate);
        worst.note("acceleration", c.acceleration);
        worst.note("jacobian", c.jacobian);
        assert!(c.rate < 1e-7 && c.acceleration < 1e-6 && c.jacobian < 1e-12, "{what}: {c:?}");
    });
    worst.print("lock rows");
    expect_coverage(&counts);
}

/// Accelerations and reactions do not depend on the form of the rows, for every joint that offers a lock.
#[test]
fn lock_rows_give_the_same_answers() {
    let worst = Worst::default();
    let mut locks = 0;
    every_pair(false, 12, |what, spec, model, _| {
        if model.constraint(model.joints().next().expect("one")).lock_shape().is_none() {
            return;
        }
        locks += 1;
        let lock = Simulation::new(model);
        let mut rows = Spec { general_rows: true, ..spec.clone() }.simulation();
        let (q, v) = (lock.state().q.clone(), lock.state().v.clone());
        rows.state_mut().q.copy_from_slice(&q);
        rows.state_mut().v.copy_from_slice(&v);
        if common::dense::Dense::at(lock.model(), lock.state()).rcond() < 1e-8 {
            return;
        }
        let (a, b) = (lock.accelerations().expect("regular"), rows.accelerations().expect("regular"));
        let scale = 1.0 + common::size(&a);
        let error = common::gap(&a, &b) / scale;
        worst.note("accelerations", error);
        assert!(error < 1e-10, "{what}: accelerations differ by {error:e}");
        let joint = lock.model().joints().next().expect("one");
        let (r, s) = (lock.reaction(joint).expect("regular"), rows.reaction(joint).expect("regular"));
        let error = (r.force - s.force).length().max((r.torque - s.torque).length()) / (scale + r.force.length());
        worst.note("reactions", error);
        assert!(error < 1e-10, "{what}: reactions differ by {error:e}");
    });
    worst.print("lock and general rows");
    assert!(locks > 9 * 5, "only {locks} locks were compared");
}

/// Coordinates of joints: their rates against their values before and after.
#[test]
fn coordinates_change_at_their_rates() {
    let worst = Worst::default();
    every_pair(false, 4, |what, _, model, _| {
        let joint = model.joints().next().expect("one joint");
        let mut sim = Simulation::new(model);
        let n = sim.model().constraint(joint).coordinates().len();
        assert!(sim.coordinate(joint, n).is_none(), "{what}: more than {n} coordinates");
        let all = |sim: &mut Simulation| -> Vec<(f64, f64)> {
            (0..n).map(|i| sim.coordinate(joint, i).expect("a coordinate")).collect()
        };
        let before = all(&mut sim);
        const H: f64 = 1e-4;
        if sim.step(H).is_err() {
            return; // singular where it is assembled
        }
        let now = all(&mut sim);
        sim.step(H).expect("regular");
        for (i, after) in all(&mut sim).into_iter().enumerate() {
            let found = (after.0 - before[i].0) / (2.0 * H);
            let error = (found - now[i].1).abs() / (1.0 + found.abs());
            worst.note("rate", error);
            assert!(error < 1e-5, "{what}: coordinate {i} changes at {found}, says {}", now[i].1);
        }
    });
    worst.print("coordinates");
}

#[test]
fn bodies_carry_what_they_say() {
    let worst = Worst::default();
    let mut g = SplitMix(8);
    for kind in KINDS.into_iter().flatten() {
        for _ in 0..50 {
            let spec = Spec {
                bodies: vec![random_body(kind, &mut g)],
                joints: vec![],
                forces: vec![],
                gravity: Vec3::ZERO,
                general_rows: false,
            };
            let model = spec.build().expect("one body");
            let state = model.initial_state();
            let carried = [
                AttachmentKind::Point(Vec3::ZERO),
                AttachmentKind::Point(g.vec3(0.6)),
                AttachmentKind::Direction(common::direction(&mut g)),
                AttachmentKind::Spin,
            ];
            let c = check::body(&model, body_id(0), state, &carried, g.vec3(2.0), 1e-5);
            for (name, value) in [("rate", c.rate), ("jdot_v", c.jdot_v), ("power", c.power), ("q_rate", c.q_rate)] {
                worst.note(name, value);
            }
            assert!(c.rate < 1e-7 && c.jdot_v < 1e-6 && c.power < 1e-12 && c.q_rate < 1e-7, "{kind:?}: {c:?}");
        }
    }
    worst.print("bodies");
}

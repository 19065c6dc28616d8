//! What must not matter: numbering, the place and turn of the world, units, strangers far away, and how a body is put together.

mod common;

use common::grow::{Link, Step, Wish, grow, verdict};
use common::spec::{BodySpec, JointSpec, Kind, Spec, body_id};
use common::{bits, for_mechanisms, gap, size, turn};
use holonom::math::{Mat3, SplitMix};
use holonom::prelude::*;
use proptest::prelude::*;

fn shuffled(n: usize, g: &mut SplitMix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, g.below(i + 1));
    }
    order
}

/// Put a simulation at given coordinates.
fn set_motion(sim: &mut Simulation, q: &[f64], v: &[f64]) {
    let state = sim.state_mut();
    state.q.copy_from_slice(q);
    state.v.copy_from_slice(v);
}

/// The size that accelerations are measured against: where a body is held, of what cancels.
fn scale_of(sim: &mut Simulation) -> f64 {
    let d = common::dense::Dense::at(sim.model(), sim.state());
    let push = d.transposed_times(&sim.multipliers().expect("regular"));
    (size(&d.mass_solve(&d.e.force)) + size(&d.mass_solve(&push))).max(1e-300)
}

#[test]
fn numbering() {
    for_mechanisms("numbering", 2.0, Wish::ANY, |spec, worst| {
        let mut g = SplitMix(spec.bodies.len() as u64);
        let (bodies, joints) = (shuffled(spec.bodies.len(), &mut g), shuffled(spec.joints.len(), &mut g));
        let (mut sim, mut other) = (spec.simulation(), spec.renumbered(&bodies, &joints).simulation());
        let model = sim.model().clone();
        let permuted = |x: &[f64], range: &dyn Fn(BodyId) -> std::ops::Range<usize>| -> Vec<f64> {
            bodies.iter().flat_map(|&k| x[range(body_id(k))].to_vec()).collect()
        };
        let q = permuted(&sim.state().q, &|b| model.q_range(b));
        let v = permuted(&sim.state().v, &|b| model.v_range(b));
        set_motion(&mut other, &q, &v);
        let scale = scale_of(&mut sim);
        let a = permuted(&sim.accelerations().expect("regular"), &|b| model.v_range(b));
        worst.at_most("accelerations", gap(&a, &other.accelerations().expect("regular")) / scale, 1e-9)?;
        let lambda = sim.multipliers().expect("regular");
        let ids: Vec<_> = model.joints().collect();
        let lambda: Vec<f64> = joints.iter().flat_map(|&k| lambda[model.rows_of(ids[k])].to_vec()).collect();
        let found = other.multipliers().expect("regular");
        let forces = size(&common::dense::Dense::at(&model, sim.state()).e.force);
        worst.at_most("multipliers", gap(&lambda, &found) / (size(&lambda) + forces).max(1e-300), 1e-9)
    });
}

/// Vectors among the velocity coordinates of a body, turned.
fn turned(spec: &Spec, q: Mat3, x: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    for b in &spec.bodies {
        let n = match b.kind {
            Kind::Planar => {
                let at = out.len();
                out.extend_from_slice(&x[at..at + 3]);
                continue;
            }
            Kind::Particle => 1,
            Kind::Rigid => 2,
            Kind::Affine => 4,
            Kind::Uniform | Kind::PerAxis => 2,
        };
        for _ in 0..n {
            let at = out.len();
            out.extend((q * vec3(x[at], x[at + 1], x[at + 2])).to_array());
        }
        let at = out.len();
        out.extend_from_slice(&x[at..at + b.kind.scales()]);
    }
    out
}

#[test]
fn place_and_turn_of_the_world() {
    for_mechanisms("frame", 2.0, Wish::ANY, |spec, worst| {
        let mut g = SplitMix(spec.bodies.len() as u64);
        let (q, s) = (turn(&mut g), g.vec3(3.0));
        let (mut sim, other) = (spec.simulation(), spec.moved(q, s).simulation());
        let scale = scale_of(&mut sim);
        let v = gap(&turned(spec, q, &sim.state().v), &other.state().v);
        worst.at_most("legal start velocities", v, 1e-9)?;
        let a = turned(spec, q, &sim.accelerations().expect("regular"));
        worst.at_most("accelerations", gap(&a, &other.accelerations().expect("regular")) / scale, 1e-9)?;
        for (id, j) in sim.model().joints().collect::<Vec<_>>().into_iter().zip(&spec.joints) {
            // what a planar body feels is unique; how its plane and the joint share the rest is not
            let planar = |m: &Marker| m.body.index().is_some_and(|i| spec.bodies[i].kind == Kind::Planar);
            if planar(&j.a) || planar(&j.b) {
                continue;
            }
            let (r, t) = (sim.reaction(id).expect("regular"), other.reaction(id).expect("regular"));
            let error = (q * r.force - t.force).length().max((q * r.torque - t.torque).length());
            let forces = size(&common::dense::Dense::at(sim.model(), sim.state()).e.force);
            let scale = size(&sim.multipliers().expect("regular")) + forces;
            worst.at_most("reactions", error / scale, 1e-9)?;
        }
        Ok(())
    });
}

/// Assembled from so far away that the first steps are shortened: by how much must not depend on the axes of the world.
#[test]
fn a_far_start_in_other_axes() {
    use Kind::{Affine, Particle, Planar, Uniform};
    let step = |kind, link, joint| Step { kind, link, joint, reversed: false };
    let steps = [
        step(Uniform, Link::Free, 0),
        step(Particle, Link::Body(0), 0),
        step(Planar, Link::Body(1), 0),
        step(Affine, Link::Body(1), 10),
        step(Uniform, Link::Ground, 7),
        step(Affine, Link::Body(2), 0),
    ];
    for seed in [6284313499557639016, 1, 2, 3, 4, 5, 6, 7] {
        let spec = grow(&steps, seed, Wish::ANY).spec;
        let mut g = SplitMix(spec.bodies.len() as u64);
        let (q, s) = (turn(&mut g), g.vec3(3.0));
        let (sim, other) = (spec.simulation(), spec.moved(q, s).simulation());
        let off = gap(&turned(&spec, q, &sim.state().v), &other.state().v);
        assert!(off < 1e-9, "seed {seed}: start velocities differ by {off:e}");
    }
}

/// What position or velocity coordinates are multiplied with when lengths are multiplied with `l` (`t` is a factor for all).
fn units(spec: &Spec, l: f64, t: f64, velocity: bool) -> Vec<f64> {
    let part = |b: &BodySpec| match b.kind {
        Kind::Particle => vec![l; 3],
        Kind::Planar => vec![l, l, 1.0],
        Kind::Rigid => [vec![l; 3], vec![1.0; if velocity { 3 } else { 4 }]].concat(),
        Kind::Affine => [vec![l; 3], vec![1.0; 9]].concat(),
        kind => [vec![l; 3], vec![1.0; kind.scales() + if velocity { 3 } else { 4 }]].concat(),
    };
    spec.bodies.iter().flat_map(part).map(|x| x * t).collect()
}

fn times(x: &[f64], units: &[f64]) -> Vec<f64> {
    x.iter().zip(units).map(|(x, u)| x * u).collect()
}

/// Other units by powers of two change exponents and no other bit: of one evaluation, and of a step of fixed size.
#[test]
fn units_by_powers_of_two() {
    for_mechanisms("units", 2.0, Wish::ANY, |spec, worst| {
        let mut g = SplitMix(spec.bodies.len() as u64);
        let power = |n: i32, g: &mut SplitMix| libm::ldexp(1.0, g.below(2 * n as usize + 1) as i32 - n);
        let (l, m, t) = (power(6, &mut g), power(10, &mut g), power(4, &mut g));
        let scaled = spec.scaled(l, m, t);
        let (mut sim, mut other) = (spec.simulation(), scaled.simulation());
        let (q_units, v_units) = (units(spec, l, 1.0, false), units(spec, l, 1.0 / t, true));
        set_motion(&mut other, &times(&sim.state().q, &q_units), &times(&sim.state().v, &v_units));
        let a = times(&sim.accelerations().expect("regular"), &units(spec, l, 1.0 / (t * t), true));
        let found = other.accelerations().expect("regular");
        worst.note("accelerations, largest difference", gap(&a, &found));
        prop_assert_eq!(bits(&a), bits(&found), "accelerations in units {} m, {} kg, {} s", l, m, t);

        let start = (sim.state().clone(), other.state().clone());
        for (kind, drift) in [
            (IntegratorKind::RungeKutta4, Drift::None),
            (IntegratorKind::RungeKutta4, Drift::Project),
            (IntegratorKind::default(), Drift::Project),
            (IntegratorKind::Rattle, Drift::Project),
        ] {
            sim.set_state(start.0.clone());
            other.set_state(start.1.clone());
            for (sim, dt) in [(&mut sim, 1e-3), (&mut other, 1e-3 * t)] {
                sim.set_integrator(kind);
                sim.set_drift(drift);
                sim.step(dt).expect("regular");
            }
            let what = format!("after a step with {kind:?}, {drift:?}, in units {l} m, {m} kg, {t} s");
            prop_assert_eq!(bits(&times(&sim.state().q, &q_units)), bits(&other.state().q), "positions {}", what);
            prop_assert_eq!(bits(&times(&sim.state().v, &v_units)), bits(&other.state().v), "velocities {}", what);
        }
        Ok(())
    });
}

/// A mechanism far away, with a joint of its own.
fn island() -> Spec {
    let step = |link| Step { kind: Kind::Rigid, link, joint: 1, reversed: false };
    let spec = grow(&[step(Link::Ground), step(Link::Body(0))], 5, Wish { forces: false, ..Wish::ANY }).spec;
    spec.moved(Mat3::IDENTITY, vec3(1e3, 0.0, 0.0))
}

fn with_island(spec: &Spec) -> Spec {
    let (mut out, far, n) = (spec.clone(), island(), spec.bodies.len());
    let shift = |m: Marker| Marker { body: m.body.index().map_or(m.body, |i| body_id(i + n)), ..m };
    out.bodies.extend(far.bodies.iter().cloned());
    out.joints.extend(far.joints.iter().map(|j| JointSpec { a: shift(j.a), b: shift(j.b), ..j.clone() }));
    out
}

/// Bodies far away that are not connected change no bit of the others in steps of fixed size.
#[test]
fn strangers_far_away() {
    for drift in [Drift::None, Drift::Project] {
        for kind in [IntegratorKind::RungeKutta4, IntegratorKind::Rattle] {
            if drift == Drift::None && kind == IntegratorKind::Rattle {
                continue; // closes its gaps itself
            }
            for_mechanisms("island", 1.0, Wish::ANY, |spec, _| {
                let (mut sim, mut other) = (spec.simulation(), with_island(spec).simulation());
                let (n_q, n_v) = (sim.state().q.len(), sim.state().v.len());
                prop_assert_eq!(bits(&sim.state().q), bits(&other.state().q[..n_q]), "assembled positions");
                prop_assert_eq!(bits(&sim.state().v), bits(&other.state().v[..n_v]), "legal start velocities");
                for sim in [&mut sim, &mut other] {
                    sim.set_integrator(kind);
                    sim.set_drift(drift);
                    for _ in 0..3 {
                        prop_assert!(sim.step(1e-3).is_ok());
                    }
                }
                prop_assert_eq!(bits(&sim.state().q), bits(&other.state().q[..n_q]), "{:?} {:?}", kind, drift);
                prop_assert_eq!(bits(&sim.state().v), bits(&other.state().v[..n_v]), "{:?} {:?}", kind, drift);
                Ok(())
            });
        }
    }
}

/// One rigid body as two halves welded together; some of its joints go over to the second half.
fn split(spec: &Spec, k: usize, g: &mut SplitMix) -> Spec {
    let mut out = spec.clone();
    let whole = &spec.bodies[k];
    let (share, apart) = (0.3 + 0.4 * g.unit(), g.vec3(0.04));
    let outer = Mat3::from_cols(apart * apart.x, apart * apart.y, apart * apart.z);
    let second = whole.second - outer * (whole.mass * share * (1.0 - share));
    let half =
        |part: f64, centre: Vec3| BodySpec { mass: part * whole.mass, second: second * part, centre, ..whole.clone() };
    out.bodies[k] = half(share, whole.centre + apart * (1.0 - share));
    out.bodies.push(half(1.0 - share, whole.centre - apart * share));
    let new = body_id(out.bodies.len() - 1);
    for j in &mut out.joints {
        for m in [&mut j.a, &mut j.b] {
            if m.body == body_id(k) && g.below(2) == 0 {
                m.body = new;
            }
        }
    }
    let seam = Marker { body: body_id(k), point: g.vec3(0.3), axes: turn(g) };
    out.joints.push(JointSpec { kind: 0, a: seam, b: Marker { body: new, ..seam }, seed: 0, scale: 1.0 });
    out
}

#[test]
fn a_body_in_two_welded_halves() {
    for_mechanisms("halves", 1.0, Wish { most: 5, affine: false, ..Wish::ANY }, |spec, worst| {
        let Some(k) = spec.bodies.iter().position(|b| b.kind == Kind::Rigid) else { return Ok(()) };
        let (spec, mut g) = (&spec.smooth(), SplitMix(spec.bodies.len() as u64));
        let halves = split(spec, k, &mut g);
        if verdict(&halves).is_err() {
            worst.note("halves refused", 1.0);
            return Ok(());
        }
        let (mut sim, mut other) = (spec.simulation(), halves.simulation());
        let others: Vec<usize> = (0..spec.bodies.len()).filter(|&i| i != k).collect();
        let compare = |sim: &Simulation, other: &Simulation| {
            let at = |s: &Simulation| -> Vec<f64> {
                others.iter().flat_map(|&i| s.state().q[s.model().q_range(body_id(i))].to_vec()).collect()
            };
            let origin = |s: &Simulation| s.point(body_id(k).origin());
            let ((x, v), (y, w)) = (origin(sim), origin(other));
            gap(&at(sim), &at(other)).max((x - y).length()).max((v - w).length())
        };
        worst.at_most("start", compare(&sim, &other), 1e-9)?;
        for sim in [&mut sim, &mut other] {
            sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
            if sim.run_until(0.05).is_err() {
                worst.note("singular on the way", 1.0);
                return Ok(());
            }
        }
        worst.at_most("after 50 ms", compare(&sim, &other), 1e-9)
    });
}

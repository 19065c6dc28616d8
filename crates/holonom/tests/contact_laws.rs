//! The laws of contacts, stops, ropes and dry friction on random mechanisms: forces at one moment, and what must not matter for them.

mod common;

use common::grow::{Link, Step, Wish, grow};
use common::sides::{Sided, displacement, for_sided};
use common::spec::{JointSpec, Kind, Spec, body_id};
use common::{bits, gap, size};
use holonom::check::{InequalityLaw, InequalityTable};
use holonom::math::SplitMix;
use holonom::prelude::*;
use proptest::prelude::*;

/// At rest, or in the motion that is left when everything that approaches has been stopped without rebound.
fn settle(sided: &Sided, g: &mut SplitMix, worst: &common::Worst) -> Option<Simulation> {
    let mut sim = sided.simulation();
    if g.below(3) == 0 {
        sim.state_mut().v.fill(0.0);
        return Some(sim);
    }
    sim.set_integrator(IntegratorKind::RungeKutta4);
    match sim.step(1e-9) {
        Ok(_) => Some(sim),
        Err(e) => {
            worst.note("not settled", 1.0);
            println!("not settled: {e}");
            None
        }
    }
}

/// A vector of a block.
fn of(x: &[f64], rows: &std::ops::Range<usize>) -> Vec3 {
    let mut out = Vec3::ZERO;
    rows.clone().enumerate().for_each(|(k, row)| out[k] = x[row]);
    out
}

/// How far the forces are from obeying their laws, relative to the sizes of forces and of accelerations: with `free`, what bodies would do on their own.
fn disobedience(s: &InequalityTable, free: f64) -> f64 {
    let a_size = size(&s.acceleration) + size(&s.c) + free + 1e-300;
    let f_size = size(&s.force) + 1e-300;
    let mut worst = 0.0f64;
    let mut note = |x: f64| worst = worst.max(if x.is_nan() { f64::INFINITY } else { x });
    for b in &s.blocks {
        let (a, f, u) = (of(&s.acceleration, &b.rows) / a_size, of(&s.force, &b.rows), of(&s.rate, &b.rows));
        if !b.closed {
            note(f.length() / f_size);
            continue;
        }
        match b.law {
            InequalityLaw::Push => {
                let f = f.x / f_size;
                [-a.x, -f, a.x.abs().min(f.abs())].into_iter().for_each(&mut note);
            }
            InequalityLaw::Within { least, most } => {
                // at a bound it gives way, against the force
                let way = if b.slips { u.x } else { a.x };
                [(least - f.x) / most.max(1e-300), (f.x - most) / most.max(1e-300)].into_iter().for_each(&mut note);
                if way > 1e-10 {
                    note((f.x - least) / most.max(1e-300));
                } else if way < -1e-10 {
                    note((most - f.x) / most.max(1e-300));
                }
            }
            InequalityLaw::Ball { .. } => panic!("not drawn"),
            InequalityLaw::Cone { normal, mu } => {
                let most = mu * s.force[normal];
                note((f.length() - most) / f_size);
                let way = if b.slips { u } else { a };
                if way.length() > 1e-9 {
                    note((f + way.normalize() * most).length() / f_size);
                }
            }
        }
    }
    worst
}

/// Accelerations and forces at one moment: gaps open or forces push, friction stays in its cone and opposes the slip, and the equations of motion hold with those
/// forces in them.
#[test]
fn forces_obey_their_laws() {
    let counts = std::cell::Cell::new([0usize; 4]);
    for_sided("laws", 0.5, 5, |sided, g, worst| {
        let Some(sim) = settle(sided, g, worst) else { return Ok(()) };
        let vdot = match sim.accelerations() {
            Ok(a) => a.to_vec(),
            Err(e) => {
                println!("no forces: {e}");
                worst.note("no forces", 1.0);
                return Ok(());
            }
        };
        let s = sim.inequality_rows().expect("evaluated");
        let d = common::dense::Dense::at(sim.model(), sim.state());
        let off = disobedience(&s, size(&d.mass_solve(&d.e.force)) + size(&vdot));
        if off > 1e-9 {
            for b in &s.blocks {
                let see = |x: &[f64]| x[b.rows.clone()].to_vec();
                println!(
                    "{off:.1e} {:?} closed {} slips {}: a {:?} f {:?} u {:?}",
                    b.law,
                    b.closed,
                    b.slips,
                    see(&s.acceleration),
                    see(&s.force),
                    see(&s.rate)
                );
            }
        }
        worst.at_most("disobedience", off, 1e-9)?;
        let residual = sim.residual().expect("evaluated");
        worst.at_most("residual", residual.largest(), 1e-10)?;
        // the same equation of motion, put together from plain matrices
        let lambda = sim.multipliers().expect("evaluated");
        let mut right = d.transposed_times(&lambda);
        right.iter_mut().zip(&d.e.force).for_each(|(r, f)| *r += f);
        let n = d.n;
        for (row, f) in s.force.iter().enumerate() {
            right.iter_mut().zip(&s.jacobian[row * n..]).for_each(|(r, g)| *r += g * f);
        }
        let left = d.mass_times(&vdot);
        let scale = size(&left) + size(&d.e.force) + size(&d.transposed_times(&lambda)) + size(&s.force) + 1e-300;
        worst.at_most("equation of motion", gap(&left, &right) / scale, 1e-11)?;
        let mut c = counts.get();
        for b in &s.blocks {
            let slot = match b.law {
                InequalityLaw::Push if b.closed && s.force[b.rows.start] > 0.0 => 0,
                InequalityLaw::Push => 1,
                _ if b.slips => 2,
                _ => 3,
            };
            c[slot] += 1;
        }
        counts.set(c);
        Ok(())
    });
    let c = counts.get();
    println!("laws: {} pushing, {} not, {} slipping, {} sticking", c[0], c[1], c[2], c[3]);
    assert!(c.iter().all(|&n| n > 20), "{c:?}");
}

fn accelerations(sim: &mut Simulation) -> Option<Vec<f64>> {
    sim.accelerations().ok()
}

/// Same answer by all solvers, by rows and locks, in any order of bodies and in a turned world.
#[test]
fn solvers_forms_numbers_and_turns_do_not_matter() {
    for_sided("what does not matter", 0.25, 4, |sided, g, worst| {
        let Some(mut sim) = settle(sided, g, worst) else { return Ok(()) };
        let Some(a) = accelerations(&mut sim) else { return Ok(()) };
        let scale = 1.0 + size(&a);
        let state = sim.state().clone();
        for name in SolverKind::NAMES {
            let kind = SolverKind::from_name(name).expect("listed");
            let mut other = common::at(sim.model(), &state);
            if kind == SolverKind::Tree && sim.model().has_loops() || *name == "cg" {
                continue;
            }
            if kind == SolverKind::Baraff && other.set_solver(kind).is_err() {
                continue; // loops, or a joint that the bodies below it leave without full rank
            }
            other.set_solver(kind).expect("fits");
            match other.accelerations() {
                Ok(found) => {
                    let found = &found.to_vec();
                    let off = gap(&a, found) / scale;
                    if off > 1e-8 {
                        println!("{name}: {off:e} {a:?} {found:?}");
                        for sim in [&mut sim, &mut other] {
                            let s = sim.inequality_rows().expect("evaluated");
                            for b in &s.blocks {
                                let see = |x: &[f64]| x[b.rows.clone()].to_vec();
                                println!(
                                    "  {:?} closed {} slips {}: a {:?} f {:?} u {:?}",
                                    b.law,
                                    b.closed,
                                    b.slips,
                                    see(&s.acceleration),
                                    see(&s.force),
                                    see(&s.rate)
                                );
                            }
                        }
                    }
                    worst.at_most("solvers", off, 1e-8)?
                }
                Err(e) => return Err(TestCaseError::fail(format!("{name}: {e}"))),
            }
        }
        let mut rows = sided.clone();
        rows.spec.general_rows = true;
        let mut other = rows.simulation();
        other.set_state(state.clone());
        worst.at_most("general rows", gap(&a, &other.accelerations().expect("as before")) / scale, 1e-8)?;

        let n = sided.spec.bodies.len();
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| order.swap(i, g.below(i + 1)));
        let mut other = sided.renumbered(&order).simulation();
        let model = sim.model().clone();
        let permuted = |x: &[f64], range: &dyn Fn(BodyId) -> std::ops::Range<usize>| -> Vec<f64> {
            order.iter().flat_map(|&k| x[range(body_id(k))].to_vec()).collect()
        };
        let (q, v) = (permuted(&state.q, &|b| model.q_range(b)), permuted(&state.v, &|b| model.v_range(b)));
        other.state_mut().q.copy_from_slice(&q);
        other.state_mut().v.copy_from_slice(&v);
        let expected = permuted(&a, &|b| model.v_range(b));
        worst.at_most("numbering", gap(&expected, &other.accelerations().expect("as before")) / scale, 1e-8)?;

        let (q, s) = displacement(g);
        let mut other = sided.moved(q, s).simulation();
        let turned = |x: &[f64]| -> Vec<f64> {
            x.chunks_exact(3).flat_map(|c| (q * vec3(c[0], c[1], c[2])).to_array()).collect()
        };
        // positions of the moved world belong to the unmoved start, so bring the state there
        let mut moved_q = Vec::new();
        for (i, b) in sided.spec.bodies.iter().enumerate() {
            let at = &state.q[model.q_range(body_id(i))];
            moved_q.extend((q * vec3(at[0], at[1], at[2]) + s).to_array());
            if b.kind == Kind::Rigid {
                let r = Quat::from_mat3(&q) * Quat::from_xyzw(at[4], at[5], at[6], at[3]);
                moved_q.extend([r.w, r.x, r.y, r.z]);
            }
        }
        other.state_mut().q.copy_from_slice(&moved_q);
        let v = turned(&state.v);
        other.state_mut().v.copy_from_slice(&v);
        match other.accelerations() {
            Ok(found) => worst.at_most("turned world", gap(&turned(&a), &found) / scale, 1e-8),
            Err(e) => Err(TestCaseError::fail(format!("turned world: {e}"))),
        }
    });
}

/// What coordinates are multiplied with when lengths are multiplied with `l`.
fn units(spec: &Spec, l: f64, t: f64, velocity: bool) -> Vec<f64> {
    let part = |kind: Kind| match kind {
        Kind::Particle => vec![l; 3],
        _ => [vec![l; 3], vec![1.0; if velocity { 3 } else { 4 }]].concat(),
    };
    spec.bodies.iter().flat_map(|b| part(b.kind)).map(|x| x * t).collect()
}

fn times(x: &[f64], units: &[f64]) -> Vec<f64> {
    x.iter().zip(units).map(|(x, u)| x * u).collect()
}

/// Other units by powers of two: the same accelerations and steps, to rounding in the solver of cones and otherwise to the bit.
#[test]
fn units_by_powers_of_two() {
    for_sided("units", 0.25, 4, |sided, g, worst| {
        let power = |n: i32, g: &mut SplitMix| libm::ldexp(1.0, g.below(2 * n as usize + 1) as i32 - n);
        let (l, m, t) = (power(6, g), power(10, g), power(4, g));
        let (mut sim, mut other) = (sided.simulation(), sided.scaled(l, m, t).simulation());
        let (q_units, v_units) = (units(&sided.spec, l, 1.0, false), units(&sided.spec, l, 1.0 / t, true));
        let a_units = units(&sided.spec, l, 1.0 / (t * t), true);
        let (q, v) = (times(&sim.state().q, &q_units), times(&sim.state().v, &v_units));
        other.state_mut().q.copy_from_slice(&q);
        other.state_mut().v.copy_from_slice(&v);
        match (accelerations(&mut sim), accelerations(&mut other)) {
            (Some(a), Some(b)) => {
                let b: Vec<f64> = b.iter().zip(&a_units).map(|(b, u)| b / u).collect();
                worst.at_most("accelerations", gap(&a, &b) / (1.0 + size(&a)), 1e-9)?;
                worst.note("accelerations, bits", (bits(&a) != bits(&b)) as u8 as f64);
            }
            (None, None) => worst.note("no forces", 1.0),
            (a, b) => return Err(TestCaseError::fail(format!("{a:?} {b:?} in units {l} m, {m} kg, {t} s"))),
        }
        for kind in [IntegratorKind::Stepping, IntegratorKind::RungeKutta4] {
            let start = (sim.state().clone(), other.state().clone());
            let mut done = [false; 2];
            for (k, (sim, dt)) in [(&mut sim, 1e-3), (&mut other, 1e-3 * t)].into_iter().enumerate() {
                sim.set_integrator(kind);
                done[k] = sim.step(dt).map_err(|e| println!("{kind:?}: {e}")).is_ok();
            }
            prop_assert_eq!(done[0], done[1], "only one of the steps with {:?} was possible", kind);
            let back: Vec<f64> = other.state().v.iter().zip(&v_units).map(|(b, u)| b / u).collect();
            worst.at_most("a step", gap(&sim.state().v, &back) / (1.0 + size(&back)), 1e-9)?;
            worst.note("a step, bits", (bits(&sim.state().v) != bits(&back)) as u8 as f64);
            sim.set_state(start.0);
            other.set_state(start.1);
        }
        Ok(())
    });
}

/// Bodies far away that are not connected change no bit of the others in steps of fixed size.
#[test]
fn strangers_far_away() {
    let step = |link| Step { kind: Kind::Rigid, link, joint: 1, reversed: false };
    let far = grow(&[step(Link::Ground), step(Link::Body(0))], 5, Wish { forces: false, ..Wish::ANY }).spec;
    let far = far.moved(Mat3::IDENTITY, vec3(1e3, 0.0, 0.0));
    let compared = std::cell::Cell::new(0);
    for_sided("strangers", 0.25, 4, |sided, _, worst| {
        let n = sided.spec.bodies.len();
        let mut both = sided.clone();
        let shift = |m: Marker| Marker { body: m.body.index().map_or(m.body, |i| body_id(i + n)), ..m };
        both.spec.bodies.extend(far.bodies.iter().cloned());
        let joint = |j: &JointSpec| JointSpec { a: shift(j.a), b: shift(j.b), ..j.clone() };
        both.spec.joints.extend(far.joints.iter().map(joint));
        let (mut sim, mut other) = (sided.simulation(), both.simulation());
        let (n_q, n_v) = (sim.state().q.len(), sim.state().v.len());
        prop_assert_eq!(bits(&sim.state().q), bits(&other.state().q[..n_q]), "assembled positions");
        let mut smooth = false;
        for sim in [&mut sim, &mut other] {
            sim.set_integrator(IntegratorKind::Stepping);
            for _ in 0..3 {
                let done = sim.step(1e-3);
                prop_assert!(done.is_ok(), "{:?}", done);
                smooth |= done.is_ok_and(|report| report.contacts == 0);
            }
        }
        // a step in which nothing acts is a smooth one, in parts that the energy of all bodies asks for: then only the error is as small as before
        if smooth {
            return worst.at_most("after smooth steps", gap(&sim.state().q, &other.state().q[..n_q]), 1e-9);
        }
        compared.set(compared.get() + 1);
        prop_assert_eq!(bits(&sim.state().q), bits(&other.state().q[..n_q]), "positions");
        prop_assert_eq!(bits(&sim.state().v), bits(&other.state().v[..n_v]), "velocities");
        Ok(())
    });
    println!("strangers: {} compared to the bit", compared.get());
    assert!(compared.get() > 20, "only {} were compared to the bit", compared.get());
}

/// Looking changes nothing: a run during which everything is asked for is the run without.
#[test]
fn looking_changes_nothing() {
    for_sided("looking", 0.2, 4, |sided, _, worst| {
        for kind in [IntegratorKind::Stepping, IntegratorKind::RungeKutta4] {
            let run = |look: bool| -> Option<Vec<u8>> {
                let mut sim = sided.simulation();
                sim.set_integrator(kind);
                for _ in 0..5 {
                    if look {
                        let _ = (sim.contacts(), sim.energy(), sim.overlap(), sim.residual(), sim.violation());
                    }
                    let report = sim.step(2e-3).ok()?;
                    if report.events > 20 {
                        println!("{:?}: {} events in a step", kind, report.events);
                    }
                }
                Some(sim.snapshot())
            };
            let (quiet, looked) = (run(false), run(true));
            worst.note("failed", quiet.is_none() as u8 as f64);
            prop_assert!(quiet == looked, "{:?}: looking changed the run", kind);
        }
        Ok(())
    });
}

//! Motion with impacts, friction and stops: by every integrator, without forces that exist (Painleve), and with the energy accounted for.

mod common;

use common::sides::for_sided;
use common::slopes;
use holonom::prelude::*;
use holonom::{ImpactLaw, ImpactOrder, Restitution};
use proptest::prelude::*;

const G: f64 = 9.81;

fn ball(restitution: f64, friction: f64, height: f64, velocity: [f64; 3]) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let material = Material::new(friction).restitution(restitution);
    let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 0.1 + height]).velocity(velocity));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, material);
    (Simulation::build(m).expect("valid"), ball)
}

/// A block on a rail with dry friction, thrown against a stop.
fn slider(friction: f64, stop: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let x = [1.0, 0.0, 0.0];
    let block = m.body("block", Rigid::cuboid(1.0, [0.1; 3]).velocity([2.0, 0.0, 0.0]));
    let rail = m.joint("rail", Prismatic::new(BodyId::GROUND.origin().along(x), block.origin().along(x)));
    let along = m.coordinate(rail, 0);
    m.joint("friction", DryFriction::constant(along.clone(), friction));
    m.joint("stop", Limit::new(along, -10.0, stop).restitution(0.5));
    (Simulation::build(m).expect("valid"), block)
}

/// Every integrator that can: a ball that bounces, a block that is stopped by friction, one that is thrown back by a stop. The others say what to use.
#[test]
fn every_integrator_meets_events_or_says_what_to_use() {
    for name in IntegratorKind::NAMES {
        let kind = IntegratorKind::from_name(name).expect("listed");
        let choose = |sim: &mut Simulation| sim.set_integrator(kind);
        if ["euler", "rattle", "sdirk4"].contains(name) {
            let (mut sim, _) = ball(0.5, 0.0, 1.0, [0.0; 3]);
            choose(&mut sim);
            let before = sim.snapshot();
            let message = sim.step(1e-3).expect_err("it does not know contacts").to_string();
            assert!(message.contains(name) && message.contains("stepping") && message.contains("dop853"), "{message}");
            assert_eq!(sim.snapshot(), before);
            continue;
        }
        // order 1 where time is stepped
        let (dt, allowed) = if *name == "stepping" { (1e-4, 5e-3) } else { (1e-2, 1e-7) };
        let run = |sim: &mut Simulation, t: f64, fixed: bool| {
            let done = if fixed { sim.run_fixed(t, dt) } else { sim.run_until(t) };
            done.unwrap_or_else(|e| panic!("{name}: {e}"));
        };
        for fixed in [true, false] {
            if !fixed && *name == "stepping" {
                continue;
            }
            // e = 0.5: up again at half the speed, at the time known
            let (mut sim, body) = ball(0.5, 0.0, 1.0, [0.3, 0.0, 0.0]);
            choose(&mut sim);
            let fall = (2.0f64 / G).sqrt();
            run(&mut sim, 1.5 * fall, fixed);
            let (z, v) = (0.5 * G * fall * 0.5 * fall - 0.125 * G * fall * fall, 0.5 * G * fall - 0.5 * G * fall);
            let off = (sim.centre(body) - vec3(0.45 * fall, 0.0, 0.1 + z)).length();
            assert!(off < allowed, "{name}: bounce {off:e}");
            assert!((sim.centre_velocity(body).z - v).abs() < 10.0 * allowed, "{name}");
            // friction 5 m/s2 against 2 m/s: 0.4 m, then still
            let (mut sim, body) = slider(5.0, 1.0);
            choose(&mut sim);
            run(&mut sim, 1.0, fixed);
            let x = sim.centre(body).x;
            assert!((x - 0.4).abs() < allowed, "{name}: slid to {x}");
            let v = sim.centre_velocity(body).length();
            assert!(v < 1e-12, "{name}: {v:e} m/s are left");
            // thrown back by the stop at 0.3 m: 1 m/s there, 0.5 m/s back, 0.025 m
            let (mut sim, body) = slider(5.0, 0.3);
            choose(&mut sim);
            run(&mut sim, 1.0, fixed);
            let x = sim.centre(body).x;
            assert!((x - 0.275).abs() < allowed, "{name}: thrown back to {x}");
        }
    }
}

/// A pendulum that strikes two stops: the error after two impacts falls as the order of the method says.
#[test]
fn the_order_is_kept_across_impacts() {
    let run = |kind: IntegratorKind, dt: f64| -> (Vec<f64>, f64) {
        let mut m = ModelBuilder::new();
        let y = [0.0, 1.0, 0.0];
        let bob = m.body("bob", Rigid::cuboid(1.0, [0.2, 0.1, 0.1]).position([1.0, 0.0, 0.0]));
        let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), bob.at([-1.0, 0.0, 0.0]).along(y)));
        let angle = m.coordinate(pin, 0);
        let stop = m.joint("stop", Limit::new(angle, -0.5, 2.1).restitution(0.8));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(kind);
        sim.run_fixed(2.7, dt).expect("regular");
        let ledger = sim.ledger();
        ([sim.state().q.clone(), sim.state().v.clone()].concat(), ledger.joint(stop))
    };
    let (exact, lost) = run(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 }, 2e-3);
    assert!(lost < -1.0, "the stops took {lost} J");
    let errors: Vec<f64> =
        [0.08, 0.04, 0.02, 0.01].map(|dt| common::gap(&run(IntegratorKind::RungeKutta4, dt).0, &exact)).to_vec();
    let slopes = slopes(&errors);
    println!("rk4: {errors:?} {slopes:?}");
    let last = slopes[slopes.len() - 1];
    assert!((last - 4.0).abs() < 0.3, "{slopes:?}");
    let loose = common::gap(&run(IntegratorKind::Dop853 { relative: 1e-10, absolute: 1e-10 }, 0.04).0, &exact);
    assert!(loose < 1e-9, "dop853 with steps of 40 ms: {loose:e}");
}

/// A slender rod of length 1 m that slides tip-down: theta from the horizontal, mu beyond the critical 4/3.
fn painleve(theta: f64, mu: f64, speed: f64, spin: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let (s, c) = libm::sincos(theta);
    let inertia = 1.0 / 12.0;
    // the tip is at -x of the rod; it slides in the direction in which the rod leans forward over it
    let centre = vec3(0.5 * c, 0.0, 0.5 * s);
    let velocity = vec3(speed, 0.0, 0.0) + vec3(0.0, spin, 0.0).cross(centre);
    let rod = m.body(
        "rod",
        Rigid::new(1.0, Mat3::from_diagonal(vec3(1e-3, inertia, inertia)))
            .position(centre)
            .orientation(holonom::math::exp_quat(vec3(0.0, -theta, 0.0)))
            .velocity(velocity)
            .spin([0.0, spin, 0.0]),
    );
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(mu));
    m.shape(rod.at([-0.5, 0.0, 0.0]), Shape::Point, Material::new(mu));
    (Simulation::build(m).expect("valid"), rod)
}

/// Where forces do not exist or are not unique the run goes on: no NaN, no energy from nowhere, and a tip that cannot slide is stopped by an impulse.
#[test]
fn painleves_rod_survives() {
    let mut jammed = 0;
    for (theta, mu) in [(0.8, 2.0), (1.0, 2.0), (0.6, 1.5), (1.1, 3.0), (0.9, 1.0)] {
        for speed in [-3.0, 3.0] {
            for spin in [-2.0, 0.0, 2.0] {
                // beyond: the normal answer to a normal push together with its friction is negative
                let (s, c) = libm::sincos(theta);
                let answer = 1.0 + 3.0 * c * c - mu * 3.0 * s * c;
                let leans = speed < 0.0;
                for kind in [IntegratorKind::Stepping, IntegratorKind::default(), IntegratorKind::RungeKutta4] {
                    let (mut sim, rod) = painleve(theta, mu, speed, spin);
                    sim.set_integrator(kind);
                    let mut last = sim.energy().total();
                    for k in 1..=40 {
                        let done = sim.run_fixed(0.005 * k as f64, 1e-3);
                        let what = format!("theta {theta}, mu {mu}, {speed} m/s, {spin} rad/s, {kind:?}");
                        assert!(done.is_ok(), "{what}: {done:?}");
                        let energy = sim.energy().total();
                        assert!(energy.is_finite(), "{what}");
                        assert!(energy <= last + 1e-3 * last.abs().max(1.0) * 0.1, "{what}: {energy} J after {last} J");
                        last = energy;
                        if k == 4 && leans && answer < 0.0 && spin == 0.0 {
                            let tip = sim.point(rod.at([-0.5, 0.0, 0.0])).1.x;
                            if tip.abs() < 1e-6 {
                                jammed += 1;
                            }
                        }
                    }
                    assert!(sim.overlap() < 1e-6);
                }
            }
        }
    }
    println!("{jammed} tips were stopped");
    assert!(jammed >= 3, "only {jammed} tips were stopped by an impulse");
}

/// Impacts of many contacts at once, with friction and rebound, by all laws: never more energy than before.
#[test]
fn impacts_never_gain_energy() {
    for_sided("impacts", 0.25, 6, |sided, g, worst| {
        let sided = sided.with_restitution(g.unit());
        for restitution in [Restitution::Newton, Restitution::Poisson] {
            for order in [ImpactOrder::Simultaneous, ImpactOrder::Sequential] {
                let mut sim = sided.simulation();
                sim.set_integrator(IntegratorKind::RungeKutta4);
                sim.set_impacts(ImpactLaw { restitution, order });
                let before = sim.energy().kinetic;
                // so short that forces do nothing
                if let Err(e) = sim.step(1e-12) {
                    println!("{restitution:?} {order:?}: {e}");
                    worst.note("failed", 1.0);
                    continue;
                }
                let after = sim.energy().kinetic;
                worst.at_most("gain", (after - before) / before.max(1e-3), 1e-9)?;
                let l = sim.ledger();
                // stops and contacts share a blow: one of them may give what the other takes
                let blow = l.joints.iter().sum::<f64>() + l.contacts;
                worst.at_most("given by the blow", blow / before.max(1e-3), 1e-9)?;
                let works = l.forces.iter().sum::<f64>() + blow + l.projection;
                worst.note("left over in the ledger", (l.change - works).abs() / before.max(1e-3));
            }
        }
        Ok(())
    });
}

/// Without rebound and friction, velocities after an impact are those of least kinetic energy of the change (Gauss, Moreau): found here by trying all
/// sets of contacts that may push.
#[test]
fn impacts_without_rebound_are_the_least_change() {
    for_sided("least change", 0.25, 4, |sided, _, worst| {
        let sided = sided.smooth().with_restitution(0.0);
        let mut sim = sided.simulation();
        let v0 = sim.state().v.clone();
        let d = common::dense::Dense::at(sim.model(), sim.state());
        // rows that may push: closed ones, friction in joints left out
        let s = sim.all_inequality_rows();
        let rows: Vec<usize> = s
            .blocks
            .iter()
            .filter(|b| b.law == holonom::check::InequalityLaw::Push && s.gap[b.rows.start] < 1e-9)
            .map(|b| b.rows.start)
            .collect();
        if rows.len() > 8 {
            return Ok(());
        }
        let n = d.n;
        let row = |i: usize| &s.jacobian[i * n..(i + 1) * n];
        let scale = 1.0 + common::size(&v0);
        let best = (0..1u32 << rows.len())
            .filter_map(|set| {
                let active: Vec<&[f64]> = (0..rows.len()).filter(|k| set >> k & 1 == 1).map(|k| row(rows[k])).collect();
                let (v, p) = d.stop(&v0, &active)?;
                let pushes = p.iter().all(|p| *p >= -1e-9);
                let legal = rows.iter().all(|&i| common::dot(row(i), &v) >= -1e-9 * scale);
                (pushes && legal).then_some(v)
            })
            .next();
        let Some(best) = best else {
            worst.note("no set", 1.0);
            return Ok(());
        };
        sim.set_integrator(IntegratorKind::RungeKutta4);
        prop_assert!(sim.step(1e-13).is_ok());
        worst.at_most("velocities", common::gap(&sim.state().v, &best) / scale, 1e-8)
    });
}

/// The ledger closes over runs with bounces, friction and stops; momentum of free bodies that collide is kept.
#[test]
fn the_ledger_closes_and_momentum_is_kept() {
    let (mut sim, _) = ball(0.7, 0.4, 0.5, [1.0, 0.3, 0.0]);
    sim.run_until(1.5).expect("regular");
    let l = sim.ledger();
    assert!(l.contacts < -0.1 && l.integrator.abs() < 1e-8 && l.projection.abs() < 1e-8, "{l:?}");
    let (mut sim, _) = slider(2.0, 0.3);
    sim.run_until(1.5).expect("regular");
    let l = sim.ledger();
    assert!(l.joints.iter().sum::<f64>() < -1.0 && l.integrator.abs() < 1e-9, "{l:?}");

    for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut m = ModelBuilder::new();
        m.gravity([0.0; 3]);
        let mut g = holonom::math::SplitMix(4);
        for i in 0..6 {
            let at = vec3(i as f64 * 0.25, 0.02 * g.unit(), 0.02 * g.unit());
            let body = Rigid::ball(0.5 + g.unit(), 0.1).position(at).velocity(g.vec3(1.0) - at * 2.0).spin(g.vec3(5.0));
            let body = m.body(format!("ball {i}"), body);
            m.shape(body.origin(), Shape::Sphere { radius: 0.1 }, Material::new(0.3).restitution(0.6));
        }
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(kind);
        let (start, energy) = (sim.momentum(), sim.energy().total());
        let mut last = start;
        for _ in 0..300 {
            sim.step(2e-3).expect("regular");
            let now = sim.momentum();
            let off = (now.linear - last.linear).length().max((now.angular - last.angular).length());
            assert!(off < 1e-12, "{kind:?}: momentum changed by {off:e} in a step");
            last = now;
        }
        let lost = energy - sim.energy().total();
        assert!(lost > 0.1, "{kind:?}: nothing collided, {lost} J");
    }
}

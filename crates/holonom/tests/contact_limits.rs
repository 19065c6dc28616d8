//! Limits of joints reached at speed: pendulum, double pendulum, an arm of seven hinges that flails; with and without rebound, by events and by steps.

#[path = "common/articulated.rs"]
mod articulated;

use articulated::Watch;
use holonom::JointId;
use holonom::prelude::*;

struct Arm {
    sim: Simulation,
    hinges: Vec<JointId>,
    stops: Vec<JointId>,
    limit: f64,
}

/// Links in a row on hinges whose axes alternate by `twist`, each free to turn by ± `limit`; the first starts level and swings.
fn arm(n: usize, limit: f64, twist: bool, restitution: f64, spin: f64) -> Arm {
    let mut m = ModelBuilder::new();
    let (mut hinges, mut stops) = (Vec::new(), Vec::new());
    let mut above = BodyId::GROUND.origin();
    for i in 0..n {
        let axis = if twist && i % 2 == 1 { Vec3::Z } else { Vec3::Y };
        let link = Rigid::cuboid(1.0, [0.5, 0.06, 0.08]).position([0.5 * i as f64 + 0.25, 0.0, 0.0]);
        let link = m.body(
            format!("link {i}"),
            link.spin([0.0, spin, 0.0]).velocity([0.0, 0.0, -spin * (0.5 * i as f64 + 0.25)]),
        );
        let hinge =
            m.joint(format!("hinge {i}"), Revolute::new(above.along(axis), link.at([-0.25, 0.0, 0.0]).along(axis)));
        let stop = Limit::new(m.coordinate(hinge, 0), -limit, limit).restitution(restitution);
        stops.push(m.joint(format!("stop {i}"), stop));
        hinges.push(hinge);
        above = link.at([0.25, 0.0, 0.0]);
    }
    Arm { sim: Simulation::build(m).unwrap(), hinges, stops, limit }
}

/// Run, and demand that no limit is passed, no energy comes from nowhere, and the ledger knows where it went. Returns blows.
fn flail(what: &str, mut arm: Arm, kind: IntegratorKind, seconds: f64, dt: f64) {
    let sim = &mut arm.sim;
    sim.set_integrator(kind);
    let mut watch = Watch::new(sim);
    let (mut beyond, mut reached) = (0.0f64, 0.0f64);
    for _ in 0..(seconds / dt).round() as usize {
        watch.step(sim, dt);
        for hinge in &arm.hinges {
            let (angle, _) = sim.coordinate(*hinge, 0).unwrap();
            beyond = beyond.max(angle.abs() - arm.limit);
            reached = reached.max(angle.abs());
        }
    }
    let ledger = sim.ledger();
    let lost: f64 = arm.stops.iter().map(|s| ledger.joint(*s)).sum();
    let unexplained = ledger.change - lost;
    watch.print(what);
    println!(
        "  beyond the limit by {beyond:.1e} rad, lost to stops {lost:.6} J, unexplained {unexplained:.1e} J (projection {:.1e}, integrator {:.1e})",
        ledger.projection, ledger.integrator
    );
    assert!(reached > arm.limit - 1e-3, "{what}: never at the limit, {reached}");
    assert!(beyond <= 1e-9, "{what}: {beyond} rad beyond the limit");
    assert!(watch.gap <= 1e-8);
    assert!(watch.gain <= 1e-9 * watch.start.abs().max(1.0), "{what}: energy {} J above the start", watch.gain);
    if kind != IntegratorKind::Stepping {
        assert!(watch.rise <= 1e-9 * watch.start.abs().max(1.0), "{what}: energy rises by {} J in a step", watch.rise);
        // all of the loss is the stops', but for micro-bounces that are cut off where they are smaller than a billionth of the mechanism; those are booked as projection
        assert!(ledger.integrator.abs() <= 1e-9 * lost.abs(), "{what}: {} J from nowhere", ledger.integrator);
        assert!((unexplained - ledger.projection).abs() <= 1e-9 * lost.abs(), "{what}: {unexplained} J unexplained");
        assert!(ledger.projection.abs() <= 1e-8 * lost.abs(), "{what}: {} J by projection", ledger.projection);
    }
}

fn both(what: &str, make: impl Fn(f64) -> Arm, seconds: f64) {
    for restitution in [0.0, 0.5] {
        for (kind, dt) in [
            (IntegratorKind::default(), 2e-3),
            (IntegratorKind::Stepping, 1e-3),
            (IntegratorKind::Stepping, 1.0 / 60.0),
        ] {
            flail(&format!("{what}, e = {restitution}, {kind:?} {dt:.4} s"), make(restitution), kind, seconds, dt);
        }
    }
}

#[test]
fn a_pendulum_hits_its_stop() {
    both("pendulum", |e| arm(1, 1.0, false, e, 0.0), 2.0);
}

#[test]
fn a_double_pendulum_hits_its_stops() {
    both("double pendulum", |e| arm(2, 1.2, false, e, 3.0), 2.0);
}

#[test]
fn an_arm_of_seven_hinges_flails() {
    both("seven hinges", |e| arm(7, 0.5, true, e, 2.0), 2.0);
}

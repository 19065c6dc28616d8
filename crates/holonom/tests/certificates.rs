//! Certificates: what a simulation says of its own state and of its last solve is true.

mod common;

use common::grow::Wish;
use common::linkage::{self, Rough, Y};
use common::{Worst, for_mechanisms};
use holonom::Certificate;
use holonom::bodies::Rotor;
use holonom::joints::RotorGear;
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom_cases::{Case, case, loop_case};

const GROUND: BodyId = BodyId::GROUND;

/// A certificate, checked against what can be asked otherwise.
fn certified(what: &str, sim: &mut Simulation, worst: &Worst) -> Certificate {
    let violation = sim.violation();
    let residual = sim.residual().expect("regular");
    let c = sim.certificate().expect("regular");
    assert_eq!((c.gap, c.gap_rate), violation, "{what}");
    assert_eq!(c.residual, residual, "{what}");
    assert_eq!(c.cost, sim.model().cost(), "{what}");
    assert!(!c.contradiction, "{what}: {c:?}");
    worst.demand("residual", c.residual.largest(), 1e-10);
    worst.demand("gap", c.gap, 1e-10);
    worst.demand("rate of the gap", c.gap_rate, 1e-10);
    c
}

/// Work, fill and rank deficiency of trees: none but what there was.
#[test]
fn trees() {
    let worst = Worst::default();
    for name in ["a16", "a128", "b16", "b128", "c128", "d127"] {
        let found = case(name).expect("known");
        let mut sim = Simulation::build(found.builder()).expect("valid");
        for seed in 0..3 {
            let state = found.state(sim.model(), seed);
            sim.set_state(state);
            let c = certified(name, &mut sim, &worst);
            if seed == 0 {
                let per_body = (c.cost.factor_flops + c.cost.solve_flops) / found.n_bodies() as f64;
                println!(
                    "{name}: fill {:.3}, {per_body:.0} operations per body, largest {}",
                    c.cost.fill(),
                    c.cost.largest
                );
                assert!(matches!(found, Case::Tree(_)));
                assert!(c.cost.fill() > 0.3 && c.cost.fill() < 1.5, "{name}: {:?}", c.cost);
                assert!(per_body > 100.0 && per_body < 2000.0, "{name}: {:?}", c.cost);
            }
            assert_eq!(c.rank_deficiency.unwrap_or(0), 0, "{name}");
        }
    }
    worst.print("trees");
}

#[test]
fn random_trees() {
    for_mechanisms("certificates", 0.1, Wish::ANY, |spec, worst| {
        let mut sim = spec.simulation();
        if sim.run_until(0.1).is_err() {
            return Ok(());
        }
        let c = sim.certificate().expect("regular");
        worst.at_most("residual", c.residual.largest(), 1e-10)?;
        worst.at_most("gap", c.gap, 1e-10)?;
        worst.note("fill", c.cost.fill());
        worst.at_most("rank deficiency", c.rank_deficiency.unwrap_or(0) as f64, 0.0)
    });
}

#[test]
fn loops() {
    let worst = Worst::default();
    for name in ["e20", "e40", "r20", "ladder-5", "ladder-40", "fourbars-1", "fourbars-20"] {
        let found = loop_case(name).expect("known");
        let mut sim = Simulation::build(found.builder()).expect("valid");
        let c = certified(name, &mut sim, &worst);
        println!(
            "{name}: fill {:.2}, largest front {}, {:?} surplus rows",
            c.cost.fill(),
            c.cost.largest,
            c.rank_deficiency
        );
        assert_eq!(c.rank_deficiency, Some(found.n_redundant()), "{name}");
        assert!(c.cost.fill() > 0.5 && c.cost.fill() < 20.0, "{name}: {:?}", c.cost);
        assert!(c.cost.entries >= c.cost.largest && c.cost.pivots >= found.n_bodies(), "{name}: {:?}", c.cost);
    }
    worst.print("loops");
}

/// A flat net is in a singular pose: rows that are independent elsewhere depend on each other there, and that must be counted too.
#[test]
fn flat_nets() {
    let worst = Worst::default();
    let mut wrong = Vec::new();
    for name in ["grid-2", "grid-3", "grid-5", "grid-9"] {
        let found = loop_case(name).expect("known");
        let mut sim = Simulation::build(found.builder()).expect("valid");
        let c = certified(name, &mut sim, &worst);
        let surplus = sim.diagnose().expect("regular").surplus();
        println!("{name}: fill {:.2}, {:?} surplus rows, {surplus} by the doctor", c.cost.fill(), c.rank_deficiency);
        assert_eq!(surplus, found.n_redundant(), "{name}: the doctor");
        if c.rank_deficiency != Some(surplus) {
            wrong.push(format!("{name}: {:?} surplus rows certified, {surplus} by the doctor", c.rank_deficiency));
        }
    }
    worst.print("nets");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A door on `n` hinges in one line.
fn door(n: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let leaf = m.body("leaf", Rigid::cuboid(20.0, [0.8, 0.04, 2.0]).position([0.4, 0.0, 1.0]).spin([0.0, 0.0, 0.5]));
    for i in 0..n {
        let z = 0.2 + 1.6 * i as f64 / (n.max(2) - 1) as f64;
        m.joint(format!("hinge {i}"), Revolute::new(GROUND.at([0.0, 0.0, z]), leaf.at([-0.4, 0.0, z - 1.0])));
    }
    m
}

/// A body held by hinges about different axes: more rows than it has freedoms.
fn held(n: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let block = m.body("block", Rigid::cuboid(2.0, [1.0; 3]));
    for (name, axis) in [("x", Vec3::X), ("y", Y), ("z", Vec3::Z)].into_iter().take(n) {
        m.joint(name, Revolute::new(GROUND.at(axis * 0.5).along(axis), block.at(axis * 0.5).along(axis)));
    }
    m
}

fn made(make: fn(&mut ModelBuilder, &mut Rough)) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    make(&mut m, &mut Rough::not());
    m
}

/// The count of the factorisation, of the doctor, and by hand.
#[test]
fn the_rank_is_that_of_the_doctor() {
    let worst = Worst::default();
    let cases: Vec<(&str, ModelBuilder, usize)> = vec![
        ("door on one hinge", door(1), 0),
        ("door on two hinges", door(2), 5),
        ("door on three hinges", door(3), 10),
        ("door on six hinges", door(6), 25),
        ("four-bar", made(linkage::four_bar), 3),
        ("six-bar", made(linkage::six_bar), 6),
        ("ring", made(linkage::ring), 0),
        ("platform", made(linkage::platform), 0),
    ];
    for (name, m, surplus) in cases {
        let mut sim = Simulation::build(m).expect("closes");
        for t in [0.0, 0.2, 0.5] {
            sim.run_until(t).expect("regular");
            let c = certified(name, &mut sim, &worst);
            let d = sim.diagnose().expect("regular");
            println!("{name}, t {t}: {:?} in the factors, {} by the doctor", c.rank_deficiency, d.surplus());
            assert_eq!((d.surplus(), c.rank_deficiency.unwrap_or(0)), (surplus, surplus), "{name} at {t}");
        }
        let report = sim.step(1e-3).expect("regular");
        assert_eq!(report.rank_deficiency, surplus, "{name}");
        assert_eq!((report.gap, report.gap_rate), sim.violation(), "{name}: the report of the step");
    }
    worst.print("rank");
}

/// Where gravity is all that acts, and joints that agree hold a body against it, nothing is contradicted.
#[test]
fn a_body_held_at_rest() {
    let worst = Worst::default();
    for (n, surplus) in [(2, 4), (3, 9)] {
        let mut sim = Simulation::build(held(n)).expect("closes");
        let c = certified(&format!("block on {n} hinges"), &mut sim, &worst);
        assert_eq!((c.rank_deficiency, sim.diagnose().expect("regular").surplus()), (Some(surplus), surplus));
    }
}

/// A certificate must be able to say no.
#[test]
fn a_bad_state_is_shown() {
    let mut sim = Simulation::build(made(linkage::four_bar)).expect("closes");
    sim.state_mut().q[0] += 1e-3;
    sim.state_mut().v[2] += 0.5;
    let c = sim.certificate().expect("regular");
    assert!(c.gap > 9e-4 && c.gap_rate > 0.4, "{c:?}");
    let mut sim = Simulation::build(case("a16").expect("known").builder()).expect("valid");
    sim.set_drift(Drift::None);
    sim.set_integrator(IntegratorKind::from_name("euler").expect("known"));
    let mut last = 0.0;
    for _ in 0..100 {
        last = sim.step(1e-3).expect("regular").gap;
    }
    assert_eq!(last, sim.violation().0);
    assert!(last > 1e-7, "without correction the gaps must grow, and the report must say so: {last:e}");
}

/// Ring of forty links on ball joints, 10 s with steps of 1 ms.
#[test]
fn a_ring_stays_closed_for_ten_seconds() {
    let mut sim = Simulation::build(loop_case("e40").expect("known").builder()).expect("valid");
    let (mut gap, mut rate): (f64, f64) = (0.0, 0.0);
    let start = sim.energy().total();
    let mut off: f64 = 0.0;
    for k in 0..10_000 {
        let report = sim.step(1e-3).unwrap_or_else(|e| panic!("step {k}: {e}"));
        (gap, rate) = (gap.max(report.gap), rate.max(report.gap_rate));
        assert!(report.gap <= 1e-10, "step {k}: gap {:e}", report.gap);
        if k % 100 == 99 {
            off = off.max((sim.energy().total() - start).abs());
        }
    }
    println!(
        "e40, 10 s at 1 ms: largest gap {gap:.2e} m, rate {rate:.2e} m/s, energy off by {off:.1e} J of {start:.1} J"
    );
    assert_eq!(sim.model().n_rows(), 123);
}

/// What a servo holds at rest has no accelerations: its equations are as good as the forces that cancel in them, not as the rounding that is left.
#[test]
fn a_servo_at_rest_is_certified_by_the_forces_it_holds() {
    let y = [0.0, 1.0, 0.0];
    let mut m = ModelBuilder::new();
    let upper = m.body("upper", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let lower = m.body("lower", Rigid::cuboid(1.0, [0.1, 0.1, 0.8]).position([1.0, 0.0, 0.4]));
    let shoulder =
        m.joint("shoulder", Revolute::new(BodyId::GROUND.origin().along(y), upper.at([-0.5, 0.0, 0.0]).along(y)));
    let elbow =
        m.joint("elbow", Revolute::new(upper.at([0.5, 0.0, 0.0]).along(y), lower.at([0.0, 0.0, -0.4]).along(y)));
    let (ground, hand) = (BodyId::GROUND.origin(), lower.at([0.0, 0.0, 0.4]));
    let hold =
        PrescribedPoint::new(ground, hand, |_| [vec3(1.0, 0.0, 0.8), Vec3::ZERO, Vec3::ZERO]).only(true, false, true);
    let actuators = [m.coordinate(shoulder, 0), m.coordinate(elbow, 0)];
    m.joint("servo", Servo::new(hold, actuators));
    let sim = Simulation::build(m).expect("built");
    let residual = sim.residual().expect("solved");
    assert!(residual.largest() < 1e-14, "{residual:?}");
}

/// A robot of many sizes that falls freely, at rest in itself: nothing is transmitted and nothing turns, so that every
/// term of the equations of turning is rounding. Rotors geared to its joints have nothing but such equations.
#[test]
fn a_falling_robot_is_certified_by_its_weight() {
    let mut g = SplitMix(7);
    for seed in 0..20 {
        let mut m = ModelBuilder::new();
        let mut links = vec![(m.body("base", Rigid::cuboid(30.0, [0.3, 0.4, 0.6])), vec3(0.0, 0.0, 0.0))];
        for i in 0..40 {
            let (parent, at) = links[(g.unit() * links.len() as f64) as usize];
            let size = libm::pow(10.0, -2.5 + 2.5 * g.unit());
            let place = at + vec3(g.symmetric(0.3), g.symmetric(0.3), g.symmetric(0.3));
            let body = Rigid::cuboid(8.0 * size * size, [size, 0.3 * size, 0.2 * size]).position(place);
            let body = m.body(format!("link {i}"), body);
            let axis = vec3(g.symmetric(1.0), g.symmetric(1.0), 1.0);
            let pin = at + (place - at) * 0.4;
            let hinge = Revolute::new(parent.at(pin - at).along(axis), body.at(pin - place).along(axis));
            let hinge = m.joint(format!("hinge {i}"), hinge);
            if i % 2 == seed % 2 {
                let rotor = m.body(format!("rotor {i}"), Rotor::new(1e-6));
                let coordinate = m.coordinate(hinge, 0);
                m.joint(format!("gear {i}"), RotorGear::new(rotor, coordinate, 100.0));
            }
            links.push((body, place));
        }
        let mut sim = Simulation::build(m).expect("closed as it stands");
        let certificate = sim.certificate().expect("regular");
        assert!(certificate.residual.largest() < 1e-12, "{seed}: {certificate:?}");
        assert!(certificate.residual.contradiction < 1e-12, "{seed}: {certificate:?}");
        // and while it falls
        let summary = sim.run_until(0.5).expect("falls");
        assert!(summary.worst.residual().largest() < 1e-11, "{seed}: {summary:?}");
        assert_eq!(summary.worst.broken(sim.model(), sim.drift()).count(), 0, "{seed}: {summary:?}");
    }
}

/// Every integrator measures its equations, and those that begin with accelerations report what anybody can ask for
/// there.
#[test]
fn every_step_reports_its_residual() {
    let worst = Worst::default();
    for name in ["a16", "b16", "fourbars-1", "ladder-5"] {
        let builder = match case(name) {
            Some(found) => found.builder(),
            None => loop_case(name).expect("known").builder(),
        };
        let mut sim = Simulation::build(builder).expect("valid");
        for kind in ["dop853", "rk4", "euler", "rattle", "stepping", "sdirk4"] {
            sim.set_integrator(IntegratorKind::from_name(kind).expect("known"));
            let before = sim.residual().expect("regular");
            let report = sim.step(1e-3).expect("regular");
            if ["dop853", "rk4", "sdirk4"].contains(&kind) {
                assert_eq!(report.residual, before, "{name} {kind}: the first stage is where the step begins");
            }
            for x in [report.residual.motion, report.residual.constraint, report.residual.contradiction] {
                worst.demand(kind, x, 1e-11);
            }
            assert!(report.residual.largest() > 0.0, "{name} {kind}: not measured");
        }
    }
    worst.print("reports");
}

/// A row that the solver left out cannot read small: of two hinges whose axes differ by a little, every row counts,
/// whatever the solver makes of it.
#[test]
fn no_row_is_left_out_of_the_residual() {
    for (angle, solver) in [(1e-5, "sparse"), (1e-5, "huge-pivot"), (1e-6, "sparse"), (1e-6, "dense")] {
        let mut m = ModelBuilder::new();
        let body = m.body("body", Rigid::cuboid(1.0, [1.0, 0.5, 0.2]).position([1.0, 0.0, 0.0]));
        for (name, z) in [("j", 0.0), ("k", angle)] {
            let axis = vec3(0.0, 1.0, z);
            m.joint(name, Revolute::new(GROUND.origin().along(axis), body.at([-1.0, 0.0, 0.0]).along(axis)));
        }
        let mut sim = Simulation::build(m).expect("closed");
        sim.set_solver(SolverKind::from_name(solver).expect("known")).expect("applies");
        let Ok(certificate) = sim.certificate() else { continue };
        let (n, a) = (sim.state().v.len(), sim.accelerations().expect("solved"));
        // held by both hinges it cannot move; where it does, the certificate must say so
        let moves = a[..n].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        println!("{angle:e} {solver}: accelerates at {moves:e}, {:?}", certificate.residual);
        assert!(moves < 1e-5 || certificate.residual.contradiction > 1e-2 * angle, "{moves:e} {certificate:?}");
    }
}

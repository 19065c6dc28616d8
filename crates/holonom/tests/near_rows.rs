//! Joints that hold nearly what others hold: hinges that are not quite parallel, a Bennett linkage that is not quite one.
//!
//! A hinge about y carries a body whose weight turns it; a second hinge at the same point, its axis turned by d towards
//! z, stops that. With omega along y alone the second hinge asks for omega = 0 but for a part d, and the couple that
//! holds the weight's moment m g r about y is m g r / d across the axes. At rest nothing moves, whatever d.

use holonom::prelude::*;

const G: f64 = 9.81;

/// A body of 1 kg, its centre 1 m from two hinges whose axes are apart by the angle of (0, 1, d) and y.
fn two_hinges(d: f64) -> Simulation {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -G]);
    let arm = m.body("arm", Rigid::new(1.0, Mat3::IDENTITY).position([1.0, 0.0, 0.0]));
    for (name, axis) in [("one", [0.0, 1.0, 0.0]), ("other", [0.0, 1.0, d])] {
        let pin = Revolute::new(BodyId::GROUND.at([0.0; 3]).along(axis), arm.at([-1.0, 0.0, 0.0]).along(axis));
        m.joint(name, pin);
    }
    Simulation::build(m).expect("two hinges can be built")
}

/// Where the arm's end is, as far as it has moved.
fn sunk(sim: &Simulation) -> f64 {
    (sim.centre(sim.model().body("arm").expect("by name")) - Vec3::X).length()
}

#[test]
fn hinges_that_are_drawn_askew_hold_at_any_angle() {
    for d in [1e-1, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 3e-6, 2e-6] {
        let sim = two_hinges(d);
        assert!(sim.model().nearly_repeated().iter().all(|n| n.holds), "d = {d:e}");
        assert_eq!(sim.diagnose().expect("regular").mobility, 0, "d = {d:e}");
        for integrator in ["dop853", "euler"] {
            let mut sim = two_hinges(d);
            sim.set_integrator(IntegratorKind::from_name(integrator).expect("a known integrator"));
            let run = if integrator == "euler" { sim.run_fixed(0.2, 1e-3) } else { sim.run_until(1.0) };
            run.unwrap_or_else(|e| panic!("d = {d:e}: {e}"));
            // gaps are known to rounding, and along the free direction of one hinge that is rounding over d
            assert!(sunk(&sim) <= 1e-14 / d, "d = {d:e}: sunk by {:e}", sunk(&sim));
            assert!(sim.violation().0 <= 1e-10, "d = {d:e}: gap {:e}", sim.violation().0);
        }
        let certificate = sim.certificate().expect("regular");
        assert!(certificate.residual.constraint <= 1e-10 && !certificate.contradiction, "d = {d:e}: {certificate:?}");
        // the couple across the axes that holds m g r about y
        let other = sim.model().joint("other").expect("by name");
        let torque = sim.reaction(other).expect("regular").torque.length();
        assert!((torque * d / G - 1.0).abs() <= 1e-2 + d, "d = {d:e}: {torque} N m, {} expected", G / d);
    }
}

#[test]
fn hinges_that_are_meant_to_be_parallel_turn() {
    for d in [0.0, 1e-12, 1e-10, 1e-8, 1e-7, 3e-7] {
        let mut sim = two_hinges(d);
        let near = sim.model().nearly_repeated();
        assert_eq!(near.iter().any(|n| !n.holds), d > 1e-9, "d = {d:e}: {near:?}");
        assert!(near.iter().all(|n| (0.1 * d..=10.0 * d).contains(&n.difference)), "d = {d:e}: {near:?}");
        let mut one = two_hinges(0.0);
        one.run_until(0.5).expect("regular");
        sim.run_until(0.5).unwrap_or_else(|e| panic!("d = {d:e}: {e}"));
        assert!(sunk(&sim) > 0.1, "d = {d:e}: stands at {:e}", sunk(&sim));
        assert!((sunk(&sim) - sunk(&one)).abs() <= 10.0 * d + 1e-9, "d = {d:e}: {} and {}", sunk(&sim), sunk(&one));
        assert!(sim.violation().0 <= 2.0 * d + 1e-12, "d = {d:e}: gap {:e}", sim.violation().0);
    }
}

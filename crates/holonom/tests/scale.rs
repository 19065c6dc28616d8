//! A mechanism of micrometres and one of a thousand kilometres move alike: with lengths scaled by s and times by sqrt(s), the default
//! tolerances give the same dimensionless motion.

use holonom::prelude::*;

/// A double pendulum in space, hinge and ball joint, with links of length `s`.
fn pendulum(s: f64) -> Simulation {
    let mut m = ModelBuilder::new();
    let link = |m: &mut ModelBuilder, name: &str, x: f64| {
        m.body(name, Rigid::cuboid(2.0, vec3(1.0, 0.2, 0.1) * s).position([x * s, 0.0, 0.0]))
    };
    let (upper, lower) = (link(&mut m, "upper", 0.5), link(&mut m, "lower", 1.5));
    let end = |side: f64| [0.5 * side * s, 0.0, 0.0];
    let tilted = [0.1, 1.0, 0.2];
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(tilted), upper.at(end(-1.0)).along(tilted)));
    m.joint("ball", Spherical::new(upper.at(end(1.0)), lower.at(end(-1.0))));
    let spring = 5.0 * 2.0 * 9.81 / s;
    m.force(
        "tie",
        Spring::new(BodyId::GROUND.at([s, s, 0.0]), lower.at(end(1.0)), spring, s).damping(0.1 * spring * s.sqrt()),
    );
    Simulation::build(m).expect("a valid pendulum")
}

#[test]
fn the_same_motion_at_every_scale() {
    let run = |s: f64| {
        let mut sim = pendulum(s);
        let summary = sim.run_until(3.0 * s.sqrt()).expect("a smooth motion");
        let lower = sim.model().body("lower").expect("named above");
        let upper = sim.model().body("upper").expect("named above");
        let end = |side: f64| [0.5 * side * s, 0.0, 0.0];
        let gap = (sim.point(lower.at(end(-1.0))).0 - sim.point(upper.at(end(1.0))).0).length() / s;
        (sim.centre(lower) / s, sim.spin(lower).expect("rigid") * s.sqrt(), gap, summary.steps)
    };
    let (x, w, _, steps) = run(1.0);
    for s in [1e-6, 1e-3, 1e3, 1e6] {
        let (xs, ws, gap, n) = run(s);
        let error = (xs - x).length().max((ws - w).length());
        println!("scale {s:e}: difference {error:.1e}, gap {gap:.1e} of the length, {n} steps ({steps} at 1 m)");
        assert!(error < 1e-9, "scale {s:e}: {error:e}");
        assert!(gap < 1e-13, "scale {s:e}: gap {gap:e}");
    }
}

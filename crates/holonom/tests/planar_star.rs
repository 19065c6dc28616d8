//! Many planar arms on one planar hub. Rows on planar bodies may lose rank in some poses, so the planner likes to put them off; it must not do
//! so for all arms at once, or the hub's pivot block grows with their number.

use holonom::prelude::*;

fn star(arms: usize) -> Model {
    let mut m = ModelBuilder::new();
    let hub = m.body("hub", Planar::new(10.0, 1.0));
    for k in 0..arms {
        let angle = std::f64::consts::TAU * k as f64 / arms as f64;
        let (s, c) = angle.sin_cos();
        let place = |r: f64| Planar::rod(1.0, 1.0).pose(r * c, r * s, angle);
        let (inner, outer) = (m.body(format!("inner {k}"), place(1.5)), m.body(format!("outer {k}"), place(2.5)));
        let end = |side: f64| [0.5 * side, 0.0, 0.0];
        m.joint(format!("root {k}"), Revolute::new(hub.at([c, s, 0.0]), inner.at(end(-1.0))));
        m.joint(format!("elbow {k}"), Revolute::new(inner.at(end(1.0)), outer.at(end(-1.0))));
    }
    m.build().expect("a valid star")
}

#[test]
fn work_is_linear_in_the_number_of_arms() {
    let cost = |arms| {
        let model = star(arms);
        assert_eq!(model.n_rows(), 4 * arms, "two rows per planar hinge");
        model.cost()
    };
    let (small, large) = (cost(100), cost(3000));
    let exponent = (large.factor_flops / small.factor_flops).ln() / 30f64.ln();
    println!("exponent {exponent:.4}, largest block {}", large.largest);
    assert!(exponent <= 1.01, "{exponent}");
}

#[test]
fn it_swings_with_closed_joints() {
    let mut sim = Simulation::new(star(40));
    sim.apply_impulses(&[(sim.model().body("outer 0").expect("named above").at([0.5, 0.0, 0.0]), vec3(0.0, 3.0, 0.0))])
        .expect("regular");
    let start = sim.energy().total();
    sim.run_until(1.0).expect("a smooth motion");
    let (gap, _) = sim.violation();
    let error = (sim.energy().total() - start).abs() / start;
    assert!(gap < 1e-13 && error < 1e-9, "gap {gap:e}, energy {error:e}");
    let residual = sim.residual().expect("regular").largest();
    assert!(residual < 1e-10, "{residual:e}");
}

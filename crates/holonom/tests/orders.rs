//! Every integrator has the order it states: in a free rotation with a known solution, and in a spatial double pendulum.

mod common;

use common::slopes;
use common::top::Top;
use holonom::prelude::*;

const TOP: Top = Top { moments: vec3(1.0, 2.0, 2.5), a: 1.0, c: 1.2 };

/// Integrator, its order, the largest of four step sizes for the top, and for the pendulum.
const METHODS: [(&str, f64, f64, f64); 5] = [
    ("euler", 1.0, 1e-2, 2e-3),
    ("rk4", 4.0, 0.05, 0.01),
    ("rattle", 2.0, 0.1, 0.02),
    ("dop853", 8.0, 0.4, 0.08),
    ("sdirk4", 4.0, 0.1, 0.02),
];

fn in_joint_coordinates(name: &str) -> bool {
    matches!(name, "rk4" | "dop853")
}

fn simulation(m: ModelBuilder, name: &str, coordinates: Coordinates) -> Simulation {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
    sim.set_coordinates(coordinates).expect("a tree of rigid bodies");
    sim
}

/// Mean slope over the halvings: the steps in between scatter while terms of higher order fade.
fn order(errors: &[f64]) -> f64 {
    let s = slopes(errors);
    s.iter().sum::<f64>() / s.len() as f64
}

fn top() -> (ModelBuilder, BodyId) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let r = TOP.axes(0.0);
    let body = Rigid::principal(1.0, TOP.moments).orientation(Quat::from_mat3(&r)).spin(r * TOP.spin(0.0));
    let id = m.body("top", body);
    (m, id)
}

/// Largest deviation of axes and angular velocity from the known solution.
fn deviation(sim: &Simulation, id: BodyId) -> f64 {
    let t = sim.time();
    let (axes, spin) = (TOP.axes(t), TOP.axes(t) * TOP.spin(t));
    let turn = sim.axes(id).expect("has axes") - axes;
    common::size(&turn.to_cols_array()).max((sim.spin(id).expect("spins") - spin).length())
}

#[test]
fn the_free_top_follows_its_known_solution() {
    let (m, id) = top();
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
    sim.run_until(10.0).expect("regular");
    let error = deviation(&sim, id);
    println!("top after 10 s: {error:.2e}");
    assert!(error < 1e-11, "deviation {error:e}");
}

#[test]
fn orders_in_free_rotation() {
    for (name, stated, largest, _) in METHODS {
        for coordinates in [Coordinates::Maximal, Coordinates::Joint] {
            if coordinates == Coordinates::Joint && !in_joint_coordinates(name) {
                continue;
            }
            let error = |k: i32| {
                let (m, id) = top();
                let mut sim = simulation(m, name, coordinates);
                let h = largest * 0.5f64.powi(k);
                for _ in 0..(4.0 / h).round() as usize {
                    sim.step(h).expect("regular");
                }
                deviation(&sim, id)
            };
            let errors: Vec<f64> = (0..4).map(error).take_while(|e| *e > 1e-13).collect();
            let found = order(&errors);
            println!("top, {name}, {coordinates:?}: order {found:.2} from {errors:?}");
            assert!((found - stated).abs() < 0.2, "{name} {coordinates:?}: order {found}, stated {stated}, {errors:?}");
        }
    }
}

/// A hinged link with another on a ball joint.
fn pendulum() -> (ModelBuilder, [BodyId; 2]) {
    let mut m = ModelBuilder::new();
    let a = m.body("a", Rigid::cuboid(1.0, [1.0, 0.3, 0.1]).position([0.5, 0.0, 0.0]).spin([0.3, 0.5, 0.0]));
    let b = m.body("b", Rigid::cuboid(0.7, [0.8, 0.2, 0.3]).position([1.4, 0.0, 0.0]).spin([1.0, 0.4, 2.0]));
    let axis = [0.1, 1.0, 0.2];
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), a.at([-0.5, 0.0, 0.0]).along(axis)));
    m.joint("ball", Spherical::new(a.at([0.5, 0.0, 0.1]), b.at([-0.4, 0.0, 0.1])));
    (m, [a, b])
}

/// Centres, axes and velocities: the same in either kind of coordinates.
fn motion(sim: &Simulation, ids: &[BodyId]) -> Vec<f64> {
    let mut x = sim.state().v.clone();
    for &id in ids {
        x.extend(sim.centre(id).to_array());
        x.extend(sim.axes(id).expect("has axes").to_cols_array());
    }
    x
}

#[test]
fn orders_in_a_spatial_double_pendulum() {
    const END: f64 = 1.6;
    let (m, ids) = pendulum();
    let mut sim = simulation(m, "dop853", Coordinates::Maximal);
    sim.run_fixed(END, 5e-4).expect("regular");
    let reference = motion(&sim, &ids);
    for (name, stated, _, largest) in METHODS {
        for coordinates in [Coordinates::Maximal, Coordinates::Joint] {
            if coordinates == Coordinates::Joint && !in_joint_coordinates(name) {
                continue;
            }
            // largest error of the energy on the way, and of the motion at the end
            let errors = |k: i32| {
                let (m, ids) = pendulum();
                let mut sim = simulation(m, name, coordinates);
                let (h, start) = (largest * 0.5f64.powi(k), sim.energy().total());
                let energy = (0..(END / h).round() as usize).fold(0.0, |worst: f64, _| {
                    sim.step(h).expect("regular");
                    worst.max((sim.energy().total() - start).abs())
                });
                (energy, common::gap(&motion(&sim, &ids), &reference))
            };
            let (energy, state): (Vec<f64>, Vec<f64>) = (0..4).map(errors).unzip();
            let (p_energy, p_state) = (order(&energy), order(&state));
            println!(
                "pendulum, {name}, {coordinates:?}: order {p_state:.2} of the motion, {p_energy:.2} of the energy"
            );
            println!("    {state:?}\n    {energy:?}");
            assert!((p_state - stated).abs() < 0.2, "{name} {coordinates:?}: order of the motion {p_state}, {state:?}");
            // of order 8 the steps are so long that the energy still falls faster than it will
            let above = if name == "dop853" { 1.0 } else { 0.2 };
            let good = p_energy > stated - 0.2 && p_energy < stated + above;
            assert!(good, "{name} {coordinates:?}: order of the energy {p_energy}, {energy:?}");
        }
    }
}

/// States between steps: loose tolerances and a longest step make all steps but the first few equally long.
#[test]
fn dense_output_has_order_seven() {
    let error = |h: f64| {
        let (m, ids) = pendulum();
        let mut sim = simulation(m, "dop853", Coordinates::Maximal);
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e3, absolute: 1e3 });
        sim.set_max_step(h);
        let (m, _) = pendulum();
        let mut exact = simulation(m, "dop853", Coordinates::Maximal);
        exact.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        let (m, _) = pendulum();
        let mut seen = simulation(m, "dop853", Coordinates::Maximal);
        let (mut worst, mut gap): (f64, f64) = (0.0, 0.0);
        let summary = sim.run_sampled(1.0, 0.01, |_, state| {
            exact.run_until(state.t).expect("regular");
            seen.set_state(state.clone());
            gap = gap.max(seen.violation().0);
            worst = worst.max(common::gap(&motion(&seen, &ids), &motion(&exact, &ids)));
        });
        let summary = summary.expect("regular");
        assert!(summary.steps as f64 <= 1.0 / h + 8.0, "{} steps of {h} s", summary.steps);
        assert!(gap < 1e-12, "a sample has a gap of {gap:e}");
        worst
    };
    let errors: Vec<f64> = [0.08, 0.04, 0.02].map(error).to_vec();
    let found = order(&errors);
    println!("dense output: order {found:.2} from {errors:?}");
    assert!(found > 7.0, "order {found} from {errors:?}");
}

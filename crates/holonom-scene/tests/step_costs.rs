//! What steps and evaluations cost, counted: a rise by more than 5 % fails.
//!
//! Times differ from machine to machine and from hour to hour; counts do not. Counted are factorisations, sweeps of
//! solves, evaluations of bodies, of joints and of gaps over a run, and the flops that the plan of elimination says one
//! factorisation and one solve take. What a count does not see (how long one evaluation takes, half solves for stops
//! and friction) is for `holonom bench`. Counts that have fallen should be written down here: `--nocapture` prints the
//! lines.

use holonom::{Coordinates, IntegratorKind, Model, Simulation};
use holonom_scene::scene::drift;
use holonom_scene::{Loader, gallery};
use std::sync::Arc;

/// Steps of 1 ms that are counted.
const STEPS: usize = 100;
/// What counts may rise by.
const RISE: f64 = 1.05;

/// Flops of one factorisation and of one solve, by the plan.
type PlanCosts = [usize; 2];
const PLANS: &[(&str, PlanCosts)] = &[
    ("c128", [49602, 15312]),
    ("b128", [41216, 35840]),
    ("a1024", [399360, 122880]),
    ("e40", [23767, 10134]),
    ("ladder-40", [123726, 43452]),
    ("prosthetic-arm", [10146, 3660]),
    ("bike-rider", [30983, 8816]),
    ("humanoid", [4952, 4292]),
    ("robot", [52526, 18800]),
];

/// Of a run: factorisations, sweeps of solves, evaluations of bodies, of J, of gaps, of parts of a model.
type RunCosts = [usize; 6];
const RUNS: &[(&str, RunCosts)] = &[
    ("c128", [101, 1298, 200, 101, 749, 0]),
    ("c128 in joint coordinates", [101, 400, 200, 101, 201, 0]),
    ("b128", [286, 1712, 200, 190, 958, 96]),
    ("b128 in joint coordinates", [101, 400, 200, 101, 201, 0]),
    ("ring-40", [200, 1200, 200, 200, 700, 0]),
    ("prosthetic-arm", [101, 1002, 200, 101, 501, 0]),
    ("bike-rider", [744, 1898, 744, 744, 305, 0]),
    ("humanoid", [234, 2132, 267, 234, 1026, 0]),
    ("wall-100", [101, 600, 200, 101, 200, 0]),
    ("robot", [101, 22836, 200, 101, 307, 0]),
    ("robot held by the ground", [113, 2982, 212, 113, 715, 400]),
];

fn costs(sim: &Simulation) -> RunCosts {
    let (solver, terms) = (sim.solver_counts().expect("it works with factors"), sim.evaluation_counts());
    [solver.factors, solver.forward + solver.backward, terms.bodies, terms.constraints, terms.gaps, terms.parts]
}

/// All that cost more than is written down, or are not written down at all.
fn check<const N: usize>(found: &[(String, [usize; N])], pinned: &[(&str, [usize; N])]) {
    let mut risen = Vec::new();
    for (name, found) in found {
        println!("    (\"{name}\", {found:?}),");
        let then = pinned.iter().find(|p| p.0 == *name).map(|p| p.1);
        if !then.is_some_and(|then| found.iter().zip(then).all(|(now, then)| *now as f64 <= RISE * then as f64)) {
            risen.push(format!("{name}: {found:?}, written down is {then:?}"));
        }
    }
    assert!(risen.is_empty(), "these cost more than they did:\n{}", risen.join("\n"));
}

fn stepped(model: Arc<Model>, integrator: IntegratorKind, coordinates: Coordinates) -> RunCosts {
    let mut sim = Simulation::new(model);
    sim.set_integrator(integrator);
    sim.set_drift(drift(None, None, None, None));
    if coordinates == Coordinates::Joint {
        sim.set_coordinates(coordinates).expect("a tree");
    }
    for _ in 0..STEPS {
        sim.step(1e-3).expect("a step");
    }
    costs(&sim)
}

fn of_gallery(name: &str) -> Arc<Model> {
    let entry = gallery::find(name).unwrap_or_else(|| panic!("{name} is in the gallery"));
    let loaded =
        Loader::new().load_text(&format!("{name}.toml"), entry.text).unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render())).into()
}

fn of_case(name: &str) -> Arc<Model> {
    let case = holonom_cases::case(name).unwrap_or_else(|| panic!("{name} is a case"));
    Arc::new(case.builder().build().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// A robot like those of the registries: two legs of six hinges, a torso of two, a head of two, arms of seven, and in
/// each hand a driven hinge that six others mimic. Stops everywhere, dry friction in all but the legs. `base`: on the
/// ground, or free.
fn robot(fixed: bool) -> String {
    let mut joints = String::new();
    let mut links = vec!["base".to_string()];
    let mut joint =
        |name: &str, parent: &str, axis: [i32; 3], range: [f64; 2], friction: f64, mimic: Option<(&str, f64)>| {
            let [x, y, z] = axis;
            let mimic = mimic.map_or(String::new(), |(other, factor)| {
                format!("<mimic joint=\"{other}\" multiplier=\"{factor}\" offset=\"0\"/>")
            });
            joints += &format!(
                "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{name}_link\"/>\
             <origin xyz=\"0.03 0.04 -0.1\"/><axis xyz=\"{x} {y} {z}\"/>\
             <limit lower=\"{}\" upper=\"{}\" effort=\"100\" velocity=\"10\"/>\
             <dynamics damping=\"{}\" friction=\"{friction}\"/>{mimic}</joint>\n",
                range[0], range[1], friction,
            );
            links.push(format!("{name}_link"));
            format!("{name}_link")
        };
    let axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]];
    for side in ["left", "right"] {
        let mut above = "base".to_string();
        for (k, axis) in axes[..6].iter().enumerate() {
            above = joint(&format!("leg_{side}_{k}"), &above, *axis, [-0.6, 1.2], 0.0, None);
        }
    }
    let torso = joint("torso_0", "base", axes[0], [-1.2, 1.2], 1.0, None);
    let torso = joint("torso_1", &torso, axes[2], [-0.2, 0.7], 1.0, None);
    let neck = joint("head_0", &torso, axes[2], [-0.2, 0.8], 0.5, None);
    joint("head_1", &neck, axes[0], [-1.3, 1.3], 0.5, None);
    for side in ["left", "right"] {
        let mut above = torso.clone();
        for (k, axis) in axes.iter().enumerate() {
            above = joint(&format!("arm_{side}_{k}"), &above, *axis, [-0.5, 1.5], 0.4, None);
        }
        let driven = format!("hand_{side}_0");
        let open = [-0.9, 0.0];
        joint(&driven, &above, axes[1], open, 0.1, None);
        let mut finger = above.clone();
        for k in 1..7 {
            let parent = if k % 2 == 1 { above.clone() } else { finger.clone() };
            let sign = if k == 1 { 1.0 } else { -1.0 };
            let range = if k == 1 { open } else { [0.0, 0.9] };
            finger = joint(&format!("hand_{side}_{k}"), &parent, axes[1], range, 0.0, Some((&driven, sign)));
        }
    }
    let links: String = links
        .iter()
        .map(|name| {
            let mass = if name == "base" { 15.0 } else { 1.5 };
            format!(
                "<link name=\"{name}\"><inertial><origin xyz=\"0.01 0.02 -0.05\"/><mass value=\"{mass}\"/>\
                 <inertia ixx=\"0.012\" ixy=\"0\" ixz=\"0\" iyy=\"0.011\" iyz=\"0\" izz=\"0.006\"/></inertial></link>\n"
            )
        })
        .collect();
    let ground = if fixed {
        "<link name=\"world\"/><joint name=\"to_world\" type=\"fixed\"><parent link=\"world\"/><child link=\"base\"/></joint>"
    } else {
        ""
    };
    format!("<robot name=\"robot\">\n{links}{joints}{ground}</robot>\n")
}

fn of_robot(fixed: bool) -> Arc<Model> {
    let loaded = Loader::new().load_text("robot.urdf", robot(fixed)).unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render())).into()
}

fn plan_of(name: &str, model: &Model) -> (String, PlanCosts) {
    let cost = model.cost();
    (name.to_string(), [cost.factor_flops, cost.solve_flops].map(|flops| flops.round() as usize))
}

#[test]
fn factors_and_solves_cost_no_more_than_they_did() {
    let mut found = Vec::new();
    for name in ["c128", "b128", "a1024", "e40", "ladder-40"] {
        found.push(plan_of(name, &of_case(name)));
    }
    for name in ["prosthetic-arm", "bike-rider", "humanoid"] {
        found.push(plan_of(name, &of_gallery(name)));
    }
    found.push(plan_of("robot", &of_robot(false)));
    check(&found, PLANS);
}

#[test]
fn steps_cost_no_more_than_they_did() {
    let (euler, stepping) = (IntegratorKind::SemiImplicitEuler, IntegratorKind::Stepping);
    let mut found = Vec::new();
    let mut run = |name: &str, model: Arc<Model>, integrator: IntegratorKind, coordinates: Coordinates| {
        found.push((name.to_string(), stepped(model, integrator, coordinates)));
    };
    for name in ["c128", "b128"] {
        run(name, of_case(name), euler, Coordinates::Maximal);
        run(&format!("{name} in joint coordinates"), of_case(name), euler, Coordinates::Joint);
    }
    run("ring-40", of_gallery("ring-40"), euler, Coordinates::Maximal);
    for name in ["prosthetic-arm", "bike-rider", "humanoid", "wall-100"] {
        run(name, of_gallery(name), stepping, Coordinates::Maximal);
    }
    for (name, fixed) in [("robot", false), ("robot held by the ground", true)] {
        let model = of_robot(fixed);
        assert_eq!(model.n_bodies(), if fixed { 44 } else { 45 });
        run(name, model, stepping, Coordinates::Maximal);
    }
    check(&found, RUNS);
}

//! What steps and evaluations cost, counted: a rise by more than 5 % fails.
//!
//! Times differ from machine to machine and from hour to hour; counts do not. Counted are factorisations, sweeps of
//! solves, evaluations of bodies, of joints and of gaps over a run, and the flops that the plan of elimination says one
//! factorisation and one solve take. What a count does not see (how long one evaluation takes) is for `holonom bench`.
//! Counts that have fallen should be written down here: the message of a failure, or `--nocapture`, prints the lines.

use holonom::{Coordinates, IntegratorKind, Model, Simulation};
use holonom_scene::scene::drift;
use holonom_scene::{Loader, gallery};
use std::sync::Arc;

/// Steps of 1 ms that are counted.
const STEPS: usize = 100;
/// What counts may rise by.
const RISE: f64 = 1.05;

/// Of a run, or of one evaluation: factorisations, sweeps, evaluations of bodies, of J, of gaps, of parts of a model;
/// then flops of one factorisation and of one solve.
type Costs = [usize; 8];

const PINNED: &[(&str, Costs)] = &[];

fn costs(sim: &Simulation) -> Costs {
    let (solver, terms, plan) =
        (sim.solver_counts().expect("it works with factors"), sim.evaluation_counts(), sim.model().cost());
    let sweeps = solver.forward + solver.backward;
    let flops = [plan.factor_flops, plan.solve_flops].map(|f| f.round() as usize);
    [solver.factors, sweeps, terms.bodies, terms.constraints, terms.gaps, terms.parts, flops[0], flops[1]]
}

/// Costs of what `run` does.
fn costs_of(sim: &mut Simulation, run: impl FnOnce(&mut Simulation)) -> Costs {
    let before = costs(sim);
    run(sim);
    let after = costs(sim);
    std::array::from_fn(|k| if k < 6 { after[k] - before[k] } else { after[k] })
}

fn check(name: &str, found: Costs) {
    println!("    (\"{name}\", {found:?}),");
    let (_, pinned) = PINNED.iter().find(|p| p.0 == name).unwrap_or_else(|| panic!("{name} is not pinned: {found:?}"));
    let risen = found.iter().zip(pinned).any(|(now, then)| *now as f64 > RISE * *then as f64);
    assert!(!risen, "{name} costs more than it did: {found:?}, it was {pinned:?}");
}

fn stepped(model: Arc<Model>, integrator: IntegratorKind, coordinates: Coordinates) -> Costs {
    let mut sim = Simulation::new(model);
    sim.set_integrator(integrator);
    sim.set_drift(drift(None, None, None, None));
    if coordinates == Coordinates::Joint {
        sim.set_coordinates(coordinates).expect("a tree");
    }
    costs_of(&mut sim, |sim| (0..STEPS).for_each(|_| drop(sim.step(1e-3).expect("a step"))))
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

#[test]
fn evaluations_cost_no_more_than_they_did() {
    for name in ["c128", "b128", "a1024", "e40", "ladder-40"] {
        let mut sim = Simulation::new(of_case(name));
        check(name, costs_of(&mut sim, |sim| drop(sim.accelerations().expect("an answer").len())));
    }
}

#[test]
fn steps_cost_no_more_than_they_did() {
    let (euler, stepping) = (IntegratorKind::SemiImplicitEuler, IntegratorKind::Stepping);
    for name in ["c128", "b128"] {
        check(&format!("{name} step"), stepped(of_case(name), euler, Coordinates::Maximal));
        check(&format!("{name} step in joint coordinates"), stepped(of_case(name), euler, Coordinates::Joint));
    }
    for name in ["ring-40", "prosthetic-arm", "bike-rider"] {
        let integrator = if name == "ring-40" { euler } else { stepping };
        check(name, stepped(of_gallery(name), integrator, Coordinates::Maximal));
    }
    for name in ["humanoid", "wall-100"] {
        check(name, stepped(of_gallery(name), stepping, Coordinates::Maximal));
    }
}

#[test]
fn steps_of_robots_cost_no_more_than_they_did() {
    for (name, fixed) in [("robot", false), ("robot held by the ground", true)] {
        let model = of_robot(fixed);
        assert_eq!(model.n_bodies(), if fixed { 44 } else { 45 });
        check(name, stepped(model, IntegratorKind::Stepping, Coordinates::Maximal));
    }
}

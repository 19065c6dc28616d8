//! Quantities by name: what they are called, and that the numbers are what the names say.

use holonom::Simulation;
use holonom_scene::{Loaded, Loader, Quantities};

const SCENE: &str = r#"
[body.arm]
shape = { kind = "box", size = [1, 0.1, 0.2] }
mass = 2
com = [0.1, 0.02, 0.03]
inertia = [0.01, 0.2, 0.2]
at = [0.5, 0, 0]
spin = [0, 2, 0]
points.tip = [0.5, 0, 0]
[body.bob]
kind = "particle"
mass = 1
at = [1, 0, -0.5]
[joint.pin]
kind = "revolute"
b = "arm"
at = [0, 0, 0]
axis = [0, 1, 0]
[joint.cable]
kind = "distance"
a = "arm.tip"
b = "bob"
length = 0.5
[force.spring]
kind = "spring"
a = "ground"
b = "bob"
stiffness = 10
length = 0.3
"#;

fn load(text: &str) -> (Loaded, std::sync::Arc<holonom::Model>) {
    let loaded = Loader::new().load_text("test.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    let model = loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    (loaded, model.into())
}

fn read(q: &mut Quantities, sim: &mut Simulation) -> Vec<f64> {
    let mut row = vec![0.0; q.len()];
    q.read(sim, &mut row).expect("solvable");
    row
}

#[test]
fn the_usual_ones_in_their_order() {
    let (loaded, model) = load(SCENE);
    let q = Quantities::of_scene(&model, &loaded.scene, &[]).expect("usual");
    let names: Vec<&str> = q.names().collect();
    assert_eq!(&names[..5], ["time", "arm.pos.x", "arm.pos.y", "arm.pos.z", "arm.quat.w"]);
    assert!(names.contains(&"bob.pos.z") && !names.contains(&"bob.quat.w"), "a particle has no orientation");
    assert!(names.contains(&"pin.coordinate") && names.contains(&"cable.force.x"));
    assert_eq!(names.last(), Some(&"energy.total"));
    let unit = |name: &str| q.all().iter().find(|c| c.name == name).map(|c| c.unit);
    assert_eq!(unit("pin.coordinate"), Some("rad"));
    assert_eq!(unit("pin.torque.x"), Some("N m"));
    assert!(!q.reduced());
}

/// Accelerations are the derivatives of velocities, and those of positions: for centres, points and turning.
#[test]
fn rates_are_derivatives() {
    let (loaded, model) = load(SCENE);
    let patterns = ["arm.*", "bob.*", "pin.*", "momentum.*", "energy.*", "spring.power", "ledger.force.spring"];
    let mut q = Quantities::of_scene(&model, &loaded.scene, &patterns).expect("known");
    let names: Vec<String> = q.names().map(str::to_string).collect();
    let at = |name: &str| names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"));
    let mut sim = Simulation::new(model);
    sim.run_until(0.3).expect("runs");
    let h = 1e-4;
    let now = read(&mut q, &mut sim);
    let mut ahead = [Vec::new(), Vec::new()];
    let start = sim.state().clone();
    for (k, row) in ahead.iter_mut().enumerate() {
        sim.set_state(start.clone());
        sim.run_until(0.3 + (k + 1) as f64 * h).expect("runs");
        *row = read(&mut q, &mut sim);
    }
    // second order, forwards
    let slope = |name: &str| {
        let i = at(name);
        (-1.5 * now[i] + 2.0 * ahead[0][i] - 0.5 * ahead[1][i]) / h
    };
    let pairs = ["pos vel", "vel acc", "tip.pos tip.vel", "tip.vel tip.acc", "omega alpha"];
    for pair in pairs {
        let (value, rate) = pair.split_once(' ').expect("two");
        for axis in ["x", "y", "z"] {
            let (value, rate) = (format!("arm.{value}.{axis}"), now[at(&format!("arm.{rate}.{axis}"))]);
            assert!(
                (slope(&value) - rate).abs() < 1e-5 * (1.0 + rate.abs()),
                "{value}: {} against {rate}",
                slope(&value)
            );
        }
    }
    for (value, rate) in
        [("bob.vel.z", "bob.acc.z"), ("pin.coordinate", "pin.rate"), ("ledger.force.spring", "spring.power")]
    {
        assert!((slope(value) - now[at(rate)]).abs() < 1e-4, "{value}: {} against {}", slope(value), now[at(rate)]);
    }
    let total: f64 = ["kinetic", "potential", "elastic"].iter().map(|e| now[at(&format!("energy.{e}"))]).sum();
    assert!((total - now[at("energy.total")]).abs() < 1e-12);
    let momentum = 2.0 * now[at("arm.vel.x")] + now[at("bob.vel.x")];
    assert!((momentum - now[at("momentum.linear.x")]).abs() < 1e-12);
}

#[test]
fn the_same_numbers_as_the_engine_gives_one_by_one() {
    let (loaded, model) = load(SCENE);
    let mut q = Quantities::of_scene(&model, &loaded.scene, &["pin.force.*", "pin.torque.*", "cable.multiplier"])
        .expect("known");
    let mut sim = Simulation::new(model.clone());
    sim.run_until(0.2).expect("runs");
    let row = read(&mut q, &mut sim);
    let (pin, cable) = (model.joint("pin").expect("there"), model.joint("cable").expect("there"));
    let r = sim.reaction(pin).expect("solvable");
    assert_eq!(row[1..4], r.force.to_array());
    assert_eq!(row[4..7], r.torque.to_array());
    assert_eq!(row[7], sim.multipliers_of(cable).expect("solvable")[0]);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let (loaded, model) = load(SCENE);
    let near = |pattern: &str| {
        let e = Quantities::of_scene(&model, &loaded.scene, &["time", pattern]).expect_err("unknown");
        assert_eq!(e.index, 1);
        e.near.unwrap_or_default()
    };
    assert_eq!(near("pin.coordinat"), "pin.coordinate");
    assert_eq!(near("amr.pos.x"), "arm.pos.x");
    assert_eq!(near("arm.pos"), "arm.pos.*");
    assert_eq!(near("arm"), "arm.*");
    assert_eq!(near("enrgy.total"), "energy.total");
    assert_eq!(near("zzz.*"), "");
    let e = Quantities::of_scene(&model, &loaded.scene, &["pin.angle"]).expect_err("unknown");
    assert!(e.has.contains(&"pin.coordinate".to_string()), "{:?}", e.has);
    assert!(Quantities::new(&model, &["arm.tip.pos.x"]).is_err(), "points belong to the scene");
}

#[test]
fn large_models_are_reduced_and_wide_patterns_refused() {
    let (loaded, model) = load(
        "[chain.rope]\ncount = 2000\nlength = 1\nfirst = 'ground'\njoint = { kind = 'spherical' }\n\
         link = { shape = { kind = 'box', size = [1, 0.1, 0.1] }, mass = 1 }\n",
    );
    let q = Quantities::of_scene(&model, &loaded.scene, &[]).expect("usual");
    assert!(q.reduced());
    assert_eq!(
        q.names().collect::<Vec<_>>(),
        ["time", "energy.kinetic", "energy.potential", "energy.elastic", "energy.total"]
    );
    let one = Quantities::new(&model, &["*/1999.pos.z"]).expect("known");
    assert_eq!(one.len(), 2);
}

/// The force of a law on a body: a spring of 10 N/m and 0.3 m from the origin to (1, 0, -0.5).
#[test]
fn what_a_force_does_to_a_body() {
    let (loaded, model) = load(SCENE);
    let mut q = Quantities::of_scene(&model, &loaded.scene, &["spring.bob.force.*"]).expect("known");
    let names: Vec<&str> = q.names().collect();
    assert_eq!(names, ["time", "spring.bob.force.x", "spring.bob.force.y", "spring.bob.force.z"]);
    let row = read(&mut q, &mut Simulation::new(model));
    let length = 1.25f64.sqrt();
    let pull = 10.0 * (length - 0.3) / length;
    for (found, expected) in row[1..].iter().zip([-pull, 0.0, 0.5 * pull]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

/// A planar pendulum: its angle is that of its hinge, turns and all, and the acceleration of the hinge that of the body.
#[test]
fn angles_of_planar_bodies_and_accelerations_of_joints() {
    let text = r#"
[body.rod]
kind = "planar"
mass = 2
inertia = 0.2
plane = { x = [1, 0, 0], y = [0, 0, 1] }
com = [0.5, 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, -1, 0]
start_rate = 20
"#;
    let (loaded, model) = load(text);
    let names = ["rod.angle", "pin.coordinate", "pin.acceleration", "rod.alpha.y"];
    let mut q = Quantities::of_scene(&model, &loaded.scene, &names).expect("known");
    assert_eq!(q.units().collect::<Vec<_>>(), ["s", "rad", "rad", "rad/s^2", "rad/s^2"]);
    let mut sim = Simulation::new(model.clone());
    for k in 0..5 {
        sim.run_until(0.3 * f64::from(k)).expect("runs");
        let row = read(&mut q, &mut sim);
        assert!((row[1] - row[2]).abs() < 1e-9 && (row[3] + row[4]).abs() < 1e-9 * (1.0 + row[3].abs()), "{row:?}");
    }
    assert!(read(&mut q, &mut sim)[1] > 6.5, "more than a turn");
    // alpha = - m g l cos(angle) / (I + m l^2)
    let row = read(&mut q, &mut sim);
    let expected = -2.0 * 9.81 * 0.5 * libm::cos(row[1]) / (0.2 + 2.0 * 0.25);
    assert!((row[3] - expected).abs() < 1e-9, "{} against {expected}", row[3]);
    assert!(Quantities::of_scene(&model, &loaded.scene, &["pin.angle"]).is_err());
}

/// Gaps of pairs, each in its own column, and NaN beyond the size of the model: a ball above a floor of triangles and
/// beside another, far from a third.
#[test]
fn gaps_of_pairs() {
    let ball = |name: &str, x: f64| {
        format!("[body.{name}]\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.5 }}\nat = [{x}, 0, 1]\n")
    };
    let floor = "[ground]\nshapes = [{ kind = \"box\", size = [20, 20, 1], at = [0, 0, -0.5] }]\n[contact]\n";
    let text = [floor, &ball("a", 0.0), &ball("b", 1.25), &ball("c", 9.0)].concat();
    let (loaded, model) = load(&text);
    let names = ["contact.b.c.gap", "contact.a.b.gap", "contact.a.ground.gap", "contact.a.c.gap"];
    let mut q = Quantities::of_scene(&model, &loaded.scene, &names).expect("known");
    let size = model.length_scale();
    let row = read(&mut q, &mut Simulation::new(model));
    for (x, expected) in row[1..].iter().zip([6.75, 0.25, 0.5, 8.0]) {
        if expected > size {
            assert!(x.is_nan(), "{x} where {expected} is more than {size}");
        } else {
            assert!((x - expected).abs() < 1e-12, "{x} against {expected}");
        }
    }
    assert!(row[2].is_finite() && row[3].is_finite(), "{row:?}");
}

/// Known answers: a weight on a rod, on a winch and on a rope over an eye, each at rest.
#[test]
fn rods_winches_and_ropes_tell_their_tension() {
    let (loaded, model) = load(
        r#"
[body.a]
kind = "particle"
mass = 2
at = [0, 0, -1]
[joint.rod]
kind = "distance"
b = "a"
[body.drum]
shape = { kind = "cylinder", radius = 0.1, length = 0.1 }
mass = 5
at = [3, 0, 0]
rotation = { axis = [1, 0, 0], angle = "${90*deg}" }
[joint.bearing]
kind = "weld"
b = "drum"
[body.b]
kind = "particle"
mass = 3
at = [3.1, 0, -1]
[joint.winch]
kind = "winch"
a = "drum"
b = "b"
radius = 0.1
[body.c]
kind = "particle"
mass = 4
at = [6, 0, -1]
[joint.tackle]
kind = "reeving"
points = [{ body = "ground", at = [6, 0, 0] }, "c", { body = "ground", at = [6, 0, 0] }]
"#,
    );
    let names = ["rod.tension", "winch.tension", "tackle.tension", "rod.force.norm", "a.vel.norm"];
    let mut q = Quantities::of_scene(&model, &loaded.scene, &names).expect("all there");
    let mut sim = Simulation::new(model);
    let row = read(&mut q, &mut sim);
    let g = 9.81;
    // both strands of the tackle carry half
    for (k, expected) in [2.0 * g, 3.0 * g, 0.5 * 4.0 * g, 2.0 * g, 0.0].into_iter().enumerate() {
        assert!((row[k + 1] - expected).abs() < 1e-9, "{}: {} instead of {expected}", names[k], row[k + 1]);
    }
    assert_eq!(q.units().skip(1).collect::<Vec<_>>(), ["N", "N", "N", "N", "m/s"]);
}

#[test]
fn lengths_of_vectors_are_those_of_their_parts() {
    let (loaded, model) = load(SCENE);
    let vectors = ["arm.vel", "arm.acc", "arm.omega", "pin.force", "pin.torque", "spring.bob.force"];
    let names: Vec<String> =
        vectors.iter().flat_map(|v| ["x", "y", "z", "norm"].map(|part| format!("{v}.{part}"))).collect();
    let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut q = Quantities::of_scene(&model, &loaded.scene, &patterns).expect("all there");
    let mut sim = Simulation::new(model.clone());
    sim.run_until(0.3).expect("runs");
    let row = read(&mut q, &mut sim);
    for (k, v) in vectors.iter().enumerate() {
        let [x, y, z, norm] = row[1 + 4 * k..5 + 4 * k] else { panic!("four numbers") };
        assert!(norm > 0.0 && (norm - (x * x + y * y + z * z).sqrt()).abs() <= 1e-15 * norm, "{v}: {norm}");
    }
    // a star stands for the parts
    let of = |pattern: &str| Quantities::of_scene(&model, &loaded.scene, &[pattern]).map(|q| q.len() - 1);
    assert_eq!(
        (of("pin.force.*"), of("arm.*.norm")),
        (Ok(3), Ok(6)),
        "velocities and accelerations: of the body, its turning and its point"
    );
}

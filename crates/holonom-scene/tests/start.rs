//! `start` and `start_rate`: joints begin where they are told and move as they are told, whichever way the tree is walked, and in loops.

use holonom::math::{Mat3, Vec3};
use holonom::{BodyId, JointId, Model, Simulation};
use holonom_scene::Loader;

fn model(text: &str) -> Model {
    let loaded = Loader::new().load_text("start.toml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render()))
}

/// A base with a pose of its own, and a second body, joined by `joint`; which of them is a is the parameter.
fn pair(kind: &str, forwards: bool, rest: &str) -> Simulation {
    let (a, b) = if forwards { ("base", "other") } else { ("other", "base") };
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.base]
mass = 2
inertia = [0.1, 0.2, 0.15]
at = [0.3, -0.2, 0.5]
rotation = {{ axis = [1, 1, 0], angle = 0.7 }}
velocity = [0.1, 0.2, -0.1]
spin = [0.3, -0.5, 0.2]
[body.other]
mass = 1
inertia = [0.01, 0.02, 0.015]
at = [0.9, 0.1, 0.4]
rotation = {{ axis = [0, 1, 2], angle = -0.4 }}
[joint.it]
kind = "{kind}"
a = "{a}"
b = "{b}"
at = [0.6, 0.1, 0.2]
axis = [0.2, 0.3, 1]
{rest}
"#
    );
    Simulation::new(model(&text))
}

fn joint(sim: &Simulation) -> JointId {
    sim.model().joint("it").expect("there")
}

const CASES: &[(&str, &[f64], &[f64])] = &[
    ("revolute", &[0.6], &[-1.5]),
    ("prismatic", &[-0.25], &[0.8]),
    ("cylindrical", &[0.15, -0.9], &[0.4, 1.1]),
    ("universal", &[0.5, -0.7], &[0.9, 1.3]),
    ("planar", &[0.2, -0.3, 0.8], &[0.5, -0.6, 0.7]),
    ("pin-slot", &[0.2, 0.8], &[-0.6, 0.7]),
];

#[test]
fn coordinates_start_where_they_are_told_from_either_side() {
    for (kind, start, rate) in CASES {
        for forwards in [true, false] {
            let rest = format!("start = {start:?}\nstart_rate = {rate:?}");
            let sim = pair(kind, forwards, &rest);
            let id = joint(&sim);
            for (i, (q, w)) in start.iter().zip(*rate).enumerate() {
                let (value, speed) = sim.coordinate(id, i).expect("a coordinate");
                assert!(
                    (value - q).abs() < 1e-12 && (speed - w).abs() < 1e-12,
                    "{kind} {forwards} {i}: {value} {speed}"
                );
            }
            // the joint was closed and the velocities legal before the engine made them so: the base has not moved
            let base = sim.model().body("base").expect("there");
            let (at, v) = sim.point(base.origin());
            assert!((at - Vec3::new(0.3, -0.2, 0.5)).length() < 1e-12, "{kind}: {at}");
            assert!((v - Vec3::new(0.1, 0.2, -0.1)).length() < 1e-12, "{kind}: {v}");
            assert!(sim.violation().0 < 1e-12 && sim.violation().1 < 1e-12);
        }
    }
}

#[test]
fn rates_are_derivatives_of_starts() {
    // the pose at start + h rate, minus that at start - h rate, by finite differences, with the base at rest
    let h = 1e-5;
    for (kind, start, rate) in CASES {
        for forwards in [true, false] {
            let at = |t: f64| -> (Vec3, Mat3, Vec3, Vec3) {
                let start: Vec<f64> = start.iter().zip(*rate).map(|(q, w)| q + t * w).collect();
                let rest = format!("start = {start:?}\nstart_rate = {rate:?}");
                let sim = still_base(kind, forwards, &rest);
                let other = sim.model().body("other").expect("there");
                let (p, v) = sim.point(other.origin());
                (p, sim.axes(other).expect("rigid"), v, sim.spin(other).expect("rigid"))
            };
            let (now, before, after) = (at(0.0), at(-h), at(h));
            let velocity = (after.0 - before.0) / (2.0 * h);
            assert!((velocity - now.2).length() < 1e-8, "{kind} {forwards}: {velocity} {}", now.2);
            let turning = (after.1 + before.1 * -1.0) * (1.0 / (2.0 * h)) * now.1.transpose();
            let spin = Vec3::new(turning.y_axis.z, turning.z_axis.x, turning.x_axis.y);
            assert!((spin - now.3).length() < 1e-8, "{kind} {forwards}: {spin} {}", now.3);
        }
    }
}

/// The same pair with the base held by the ground.
fn still_base(kind: &str, forwards: bool, rest: &str) -> Simulation {
    let (a, b) = if forwards { ("ground", "other") } else { ("other", "ground") };
    let text = format!(
        "gravity = [0, 0, 0]\n[body.other]\nmass = 1\ninertia = [0.01, 0.02, 0.015]\nat = [0.9, 0.1, 0.4]\n\
         rotation = {{ axis = [0, 1, 2], angle = -0.4 }}\n[joint.it]\nkind = \"{kind}\"\na = \"{a}\"\nb = \"{b}\"\n\
         at = [0.6, 0.1, 0.2]\naxis = [0.2, 0.3, 1]\n{rest}\n"
    );
    Simulation::new(model(&text))
}

#[test]
fn a_ball_joint_starts_with_an_orientation_and_a_spin() {
    let q = [0.8, 0.36, 0.48, 0.0];
    let sim = still_base("spherical", true, &format!("start = {q:?}\nstart_rate = [1, -2, 3]"));
    let other = sim.model().body("other").expect("there");
    let expected = Mat3::from_quat(holonom::Quat::from_xyzw(q[1], q[2], q[3], q[0]));
    assert!(sim.axes(other).expect("rigid").abs_diff_eq(expected, 1e-14));
    assert!((sim.spin(other).expect("rigid") - Vec3::new(1.0, -2.0, 3.0)).length() < 1e-13);
    assert!(sim.violation().0 < 1e-14 && sim.violation().1 < 1e-14);
}

#[test]
fn a_chain_moves_along_and_keeps_its_other_joints() {
    let mut text = String::from("gravity = [0, 0, 0]\n");
    for (i, name) in ["l1", "l2", "l3", "l4"].iter().enumerate() {
        text += &format!("[body.{name}]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nat = [{i}.5, 0, 0]\n");
    }
    // the second is written from the far side; the third says nothing
    text +=
        "[joint.j1]\nkind = \"revolute\"\nb = \"l1\"\nat = [0, 0, 0]\naxis = [0, 1, 0]\nstart = 0.4\nstart_rate = 2\n";
    text += "[joint.j2]\nkind = \"revolute\"\na = \"l2\"\nb = \"l1\"\nat = [1, 0, 0]\naxis = [0, 0, 1]\nstart = -0.3\nstart_rate = 1\n";
    text += "[joint.j3]\nkind = \"spherical\"\na = \"l2\"\nb = \"l3\"\nat = [2, 0, 0]\n";
    text += "[joint.j4]\nkind = \"cylindrical\"\na = \"l3\"\nb = \"l4\"\nat = [3, 0, 0]\naxis = [1, 0, 0]\nstart = [0.1, 0.2]\nstart_rate = [0.3, 0.4]\n";
    let mut sim = Simulation::new(model(&text));
    let of = |sim: &mut Simulation, name: &str, i| {
        let id = sim.model().joint(name).expect("there");
        sim.coordinate(id, i).expect("a coordinate")
    };
    for (name, i, expected) in
        [("j1", 0, (0.4, 2.0)), ("j2", 0, (-0.3, 1.0)), ("j4", 0, (0.1, 0.3)), ("j4", 1, (0.2, 0.4))]
    {
        let (q, w) = of(&mut sim, name, i);
        assert!((q - expected.0).abs() < 1e-12 && (w - expected.1).abs() < 1e-12, "{name}.{i}: {q} {w}");
    }
    // where nothing was said, the bodies stay as they are to each other, and move together
    let (l2, l3) = (BodyId::from_index(1), BodyId::from_index(2));
    let (r2, r3) = (sim.axes(l2).expect("rigid"), sim.axes(l3).expect("rigid"));
    assert!(r2.abs_diff_eq(r3, 1e-12));
    assert!((sim.spin(l2).expect("rigid") - sim.spin(l3).expect("rigid")).length() < 1e-12);
    assert!(sim.violation().0 < 1e-12 && sim.violation().1 < 1e-12);
}

/// A four-bar drawn roughly at another crank angle.
const FOUR_BAR: &str = r#"
gravity = [0, 0, 0]
[body.crank]
from = [0, 0, 0]
to = [0, 0.2, 0]
shape = { kind = "rod", radius = 0.01 }
density = 7800
[body.coupler]
from = [0, 0.2, 0]
to = [0.5, 0.4, 0]
shape = { kind = "rod", radius = 0.01 }
density = 7800
[body.rocker]
from = [0.5, 0, 0]
to = [0.5, 0.4, 0]
shape = { kind = "rod", radius = 0.01 }
density = 7800
[joint.it]
kind = "revolute"
b = "crank.from"
START
[joint.one]
kind = "revolute"
a = "crank.to"
b = "coupler.from"
[joint.two]
kind = "revolute"
a = "coupler.to"
b = "rocker.to"
[joint.three]
kind = "revolute"
b = "rocker.from"
OTHER
"#;

#[test]
fn a_loop_is_closed_with_the_crank_where_it_was_told() {
    let text = FOUR_BAR.replace("START", "start = -0.6\nstart_rate = 5").replace("OTHER", "");
    let sim = Simulation::new(model(&text));
    let id = joint(&sim);
    let (q, w) = sim.coordinate(id, 0).expect("an angle");
    assert!((q + 0.6).abs() < 1e-9 && (w - 5.0).abs() < 1e-9, "{q} {w}");
    assert!(sim.violation().0 < 1e-9 && sim.violation().1 < 1e-9, "{:?}", sim.violation());
    // and at rest if no rate is said
    let text = FOUR_BAR.replace("START", "start = -0.6").replace("OTHER", "");
    let sim = Simulation::new(model(&text));
    let (q, w) = sim.coordinate(joint(&sim), 0).expect("an angle");
    assert!((q + 0.6).abs() < 1e-9 && w == 0.0, "{q} {w}");
}

#[test]
fn starts_that_contradict_each_other_in_a_loop_give_the_nearest_pose() {
    let text = FOUR_BAR.replace("START", "start = -0.6").replace("OTHER", "start = 0.3");
    let sim = Simulation::new(model(&text));
    let (q, _) = sim.coordinate(joint(&sim), 0).expect("an angle");
    assert!(sim.violation().0 < 1e-9 && (q + 0.6).abs() < 0.5, "{q}");
}

#[test]
fn wrong_starts_are_refused_at_their_place() {
    for (rest, code, line) in [
        ("start = [1, 2]", "E0207", 12),
        ("start_rate = [1, 2]", "E0207", 12),
        ("kind = \"spherical\"\nstart = [1, 1, 0, 0]", "E0218", 12),
        ("kind = \"weld\"\nstart = 1", "E0201", 12),
    ] {
        let kind = if rest.starts_with("kind") { "" } else { "kind = \"revolute\"\n" };
        let mut text = String::from("[body.rod]\nmass = 1\ninertia = [1, 1, 1]\n\n\n\n[joint.it]\nb = \"rod\"\n\n");
        text += &format!("\n{kind}{rest}\n");
        let failed = match Loader::new().load_text("bad.toml", text) {
            Ok(loaded) => loaded.build().err().expect("refused"),
            Err(failed) => failed,
        };
        let shown = failed.render();
        assert!(shown.contains(code) && shown.contains(&format!("bad.toml:{line}:")), "{rest}\n{shown}");
    }
}

#[test]
fn a_rotor_starts_with_the_joint_it_is_geared_to() {
    let text = r#"
gravity = [0, 0, 0]
[body.arm]
mass = 1
inertia = [0.1, 0.1, 0.1]
[body.rotor]
kind = "rotor"
rotor_inertia = 0.5
[joint.hinge]
kind = "revolute"
b = "arm"
start_rate = 2
[joint.gear]
kind = "rotor-gear"
b = "rotor"
joint = "hinge"
ratio = 10
"#;
    let loaded =
        holonom_scene::Loader::new().load_text("rotor.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    let sim = holonom::Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    let hinge = sim.model().joint("hinge").expect("there");
    // the rotor has five hundred times the inertia of the arm as the hinge feels it: a rotor at rest would leave next to nothing of the rate
    let (_, rate) = sim.coordinate(hinge, 0).expect("an angle");
    assert!((rate - 2.0).abs() < 1e-12, "{rate}");
}

#[test]
fn bodies_start_where_the_section_says_and_joints_hold_on_to_them_as_drawn() {
    let text = |start: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[body.rod]
mass = 1
inertia = [0.1, 0.1, 0.1]
at = [0.5, 0, 0]
[body.loose]
mass = 1
inertia = [0.1, 0.1, 0.1]
velocity = [1, 0, 0]
[joint.hinge]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
start = 0.3
{start}
"#
        )
    };
    let (s, c) = libm::sincos(0.7);
    // a quarter turn would be another drawing: here the coordinate is counted from the one there is, and `start` of the joint no longer counts
    let start = format!(
        "[start.rod]\nat = [{}, 0, {}]\nrotation = {{ axis = [0, 1, 0], angle = 0.7 }}\nspin = [0, 2, 0]\nvelocity = [{}, 0, {}]\n[start.loose]\nat = [3, 4, 5]",
        0.5 * c,
        -0.5 * s,
        -s,
        -c
    );
    let sim = Simulation::new(model(&text(&start)));
    let hinge = sim.model().joint("hinge").expect("there");
    let (angle, rate) = sim.coordinate(hinge, 0).expect("an angle");
    assert!((angle - 0.7).abs() < 1e-12 && (rate - 2.0).abs() < 1e-12, "{angle} {rate}");
    let loose = sim.model().body("loose").expect("there");
    assert_eq!(sim.point(loose.origin()), (Vec3::new(3.0, 4.0, 5.0), Vec3::X));
    // without it the joint says
    let sim = Simulation::new(model(&text("")));
    let hinge = sim.model().joint("hinge").expect("there");
    assert!((sim.coordinate(hinge, 0).expect("an angle").0 - 0.3).abs() < 1e-12);
    // a body that is not there
    let failed = Loader::new().load_text("bad.toml", text("[start.rood]\nat = [0, 0, 0]")).map(|l| l.build().err());
    let shown = failed.unwrap_or_else(|e| panic!("{}", e.render())).expect("refused").render();
    assert!(shown.contains("there is no body `rood`") && shown.contains("did you mean `rod`"), "{shown}");
}

/// A disc and a sphere that roll start where and as they are told: at a point of the plane, by heading, lean and turn, and
/// by their rates; what hangs on them comes along, and nothing slips.
#[test]
fn rolling_starts_by_coordinates() {
    let text = r#"
[body.wheel]
mass = 2
inertia = [0.05, 0.05, 0.1]
at = [0, 0, 0.4]
[body.rider]
mass = 1
inertia = [0.01, 0.02, 0.015]
at = [0, 0, 0.9]
[joint.it]
kind = "rolling-disc"
b = "wheel"
radius = 0.4
start = [1.0, 2.0, 0.5, 0.2, 0.7]
start_rate = [0.3, -0.1, 5.0]
[joint.seat]
kind = "weld"
a = "wheel"
b = "rider"
at = [0, 0, 0.6]
"#;
    let sim = Simulation::new(model(text));
    let wheel = sim.model().body("wheel").expect("there");
    let (sin, cos) = (0.2_f64.sin(), 0.2_f64.cos());
    let (h, m) = (Vec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0), Vec3::new(-(0.5_f64.sin()), 0.5_f64.cos(), 0.0));
    let axis = m * cos + Vec3::Z * sin;
    let contact = Vec3::new(1.0, 2.0, 0.0);
    let centre = contact - 0.4 * (m * sin - Vec3::Z * cos);
    let spin = Vec3::Z * 0.3 - h * 0.1 + axis * 5.0;
    let near = |what: &str, a: Vec3, b: Vec3| assert!((a - b).length() < 1e-12, "{what}: {a}, not {b}");
    near("centre", sim.centre(wheel), centre);
    near("axis", sim.axes(wheel).expect("rigid").z_axis, axis);
    near("spin", sim.spin(wheel).expect("rigid"), spin);
    near("velocity", sim.centre_velocity(wheel), spin.cross(centre - contact));
    let rider = sim.model().body("rider").expect("there");
    assert!(((sim.centre(rider) - centre).length() - 0.5).abs() < 1e-12, "the rider is not on its seat");
    let (lean, rate) = sim.coordinate(joint(&sim), 0).expect("a lean");
    assert!((lean - 0.2).abs() < 1e-12 && (rate + 0.1).abs() < 1e-12, "lean {lean}, {rate}");

    let text = r#"
[body.ball]
mass = 1
inertia = [0.1, 0.1, 0.1]
at = [0, 0, 0.5]
[joint.it]
kind = "rolling-sphere"
b = "ball"
radius = 0.5
start = [1.0, 2.0, 1, 0, 0, 0]
start_rate = [0.3, 2.0, 5.0]
"#;
    let sim = Simulation::new(model(text));
    let ball = sim.model().body("ball").expect("there");
    near("centre", sim.centre(ball), Vec3::new(1.0, 2.0, 0.5));
    near("velocity", sim.centre_velocity(ball), Vec3::new(1.0, -0.15, 0.0));
    near("spin", sim.spin(ball).expect("rigid"), Vec3::new(0.3, 2.0, 5.0));

    let wrong = text.replace("start = [1.0, 2.0, 1, 0, 0, 0]", "start = [1.0, 2.0]");
    let refused = Loader::new().load_text("start.toml", &wrong).map(|l| l.build().map(|_| ()));
    let message = match refused {
        Ok(Err(e)) | Err(e) => e.render(),
        Ok(Ok(())) => panic!("two numbers for six were accepted"),
    };
    assert!(message.contains("6 elements"), "{message}");
}

//! Pictures and frames of everything that comes with the program, held to what the engine itself says.

use holonom::math::Vec3;
use holonom::{JointId, Simulation};
use holonom_scene::gallery::{GALLERY, GalleryScene, VERIFICATION};
use holonom_scene::{Loaded, Loader};
use holonom_view::catalogue::CoordinateMeasure;
use holonom_view::message::FrameSection;
use holonom_view::picture::{GeometryPicture, Picture, StructureRole, picture};
use holonom_view::sections::{FrameSections, width};
use std::time::Instant;

const ALL: [FrameSection; 8] = [
    FrameSection::Poses,
    FrameSection::Shears,
    FrameSection::Reactions,
    FrameSection::Applied,
    FrameSection::Contacts,
    FrameSection::Velocities,
    FrameSection::Accelerations,
    FrameSection::Centre,
];

fn load(name: &str, text: &str) -> Loaded {
    Loader::new().load_text(name, text).unwrap_or_else(|f| panic!("{name}:\n{}", f.render()))
}

fn open(name: &str, text: &str) -> (Loaded, Simulation, Picture) {
    let loaded = load(name, text);
    let model = loaded.build().unwrap_or_else(|f| panic!("{name}:\n{}", f.render()));
    let mut sim = Simulation::new(model);
    let joints = sim.model().n_joints();
    let picture = picture(&loaded, &mut sim, joints);
    (loaded, sim, picture)
}

fn gallery(name: &str) -> (Loaded, Simulation, Picture) {
    let entry = holonom_scene::gallery::find(name).expect("scene");
    open(&format!("{name}.toml"), entry.text)
}

fn numbers(section: FrameSection, sections: &mut FrameSections, sim: &mut Simulation) -> Vec<f32> {
    let mut out = Vec::new();
    sections.fill(section, sim, &mut out);
    assert_eq!(out.len() % width(section), 0);
    out
}

/// To the precision of what is sent.
fn near(sent: &[f32], said: Vec3, size: f64) -> bool {
    sent.iter().zip(said.to_array()).all(|(a, b)| (*a as f64 - b).abs() <= 1e-6 * (size + b.abs()))
}

fn check(name: &str, mut sim: Simulation, picture: &Picture) {
    let model = sim.model().clone();
    assert_eq!(picture.bodies.len(), model.n_bodies(), "{name}");
    assert_eq!(picture.joints.len(), model.n_joints(), "{name}");
    assert_eq!(picture.forces.len(), model.n_forces(), "{name}");
    assert!(picture.size.is_finite() && picture.size > 0.0, "{name}: size {}", picture.size);
    let text = serde_json::to_string(picture).expect("JSON");
    assert!(!text.contains("null,null"), "{name}: numbers that are none");
    for shape in picture.bodies.iter().flat_map(|b| &b.shapes).chain(&picture.ground) {
        assert!((shape.geometry as usize) < picture.geometries.len(), "{name}");
    }
    for j in &picture.joints {
        for (body, at) in [(j.a, &j.on_a), (j.b, &j.on_b)] {
            assert!((-1..model.n_bodies() as i64).contains(&body), "{name}: {}", j.name);
            let length: f64 = at.turn.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-12 && at.at.iter().all(|x| x.is_finite()), "{name}: {}", j.name);
        }
    }
    let mut sections = FrameSections::new(&model, picture);
    // again after a while: contacts and forces have set in
    for moment in 0..2 {
        if moment == 1 && sim.run_until(0.01).is_err() {
            break;
        }
        let sent: Vec<Vec<f32>> = ALL.iter().map(|s| numbers(*s, &mut sections, &mut sim)).collect();
        let count = |s: FrameSection| {
            let at = ALL.iter().position(|x| *x == s).expect("listed");
            sent[at].len() / width(s)
        };
        assert_eq!(count(FrameSection::Poses), model.n_bodies(), "{name}");
        assert_eq!(count(FrameSection::Shears), picture.deforming.len(), "{name}");
        assert_eq!(count(FrameSection::Reactions), model.n_joints(), "{name}");
        assert_eq!(count(FrameSection::Applied), picture.forces.iter().map(|f| f.on.len()).sum::<usize>(), "{name}");
        assert_eq!(count(FrameSection::Velocities), model.n_bodies(), "{name}");
        assert_eq!(count(FrameSection::Accelerations), model.n_bodies(), "{name}");
        assert_eq!(count(FrameSection::Centre), 1, "{name}");
        for (id, pose) in model.bodies().zip(sent[0].chunks(7)) {
            let at = sim.point(id.origin()).0;
            if model.mass(id) == 0.0 {
                assert!(pose.iter().all(|x| x.is_nan()), "{name}: a rotor is nowhere");
                continue;
            }
            assert!(near(pose, at, picture.size), "{name}: {pose:?} {at}");
            let turned = pose[3..].iter().all(|x| x.is_finite());
            assert_eq!(turned, sim.axes(id).is_some(), "{name}: {}", model.body_name(id));
            if turned && model.keeps_shape(id) {
                let [x, y, z, w] = [0, 1, 2, 3].map(|k| pose[3 + k] as f64);
                let axes = holonom::math::rotation(w, x, y, z);
                assert!(axes.abs_diff_eq(sim.axes(id).expect("axes"), 1e-6), "{name}: {}", model.body_name(id));
            }
        }
        for (joint, r) in model.joints().zip(sent[2].chunks(10)) {
            let said = sim.reaction(joint).expect("solved");
            let on = model.constraint(joint).attachments().get(model.constraint(joint).reference());
            if model.n_multipliers(joint) == 0 || on.is_some_and(|a| model.mass(a.body) == 0.0) {
                assert!(r.iter().all(|x| x.is_nan()), "{name}");
                continue;
            }
            let named = format!("{name}: {}", model.joint_name(joint));
            assert!(near(r, said.point, picture.size), "{named}: {r:?} {said:?}");
            assert!(near(&r[3..], said.force, said.force.length()), "{named}: {r:?} {said:?}");
            assert!(
                near(&r[6..], said.torque, said.torque.length() + picture.size * said.force.length()),
                "{named}: {r:?} {said:?}"
            );
            assert_eq!(r[9], picture.joints[joint.index()].unique as u8 as f32, "{named}");
        }
        assert!(sent[3].iter().chain(&sent[4]).chain(&sent[7]).all(|x| x.is_finite()), "{name}");
        for (id, v) in model.bodies().zip(sent[5].chunks(9)) {
            assert!(model.mass(id) == 0.0 || v[..6].iter().all(|x| x.is_finite()), "{name}: {v:?}");
        }
        for (id, a) in model.bodies().zip(sent[6].chunks(6)) {
            assert_eq!(a.iter().all(|x| x.is_finite()), model.mass(id) > 0.0, "{name}: accelerations");
        }
    }
}

#[test]
fn everything_that_comes_with_the_program_can_be_drawn() {
    let mut slowest = (0.0, "");
    for GalleryScene { name, text, .. } in GALLERY.iter().chain(VERIFICATION) {
        let loaded = load(&format!("{name}.toml"), text);
        let model = loaded.build().unwrap_or_else(|f| panic!("{name}:\n{}", f.render()));
        let mut sim = Simulation::new(model);
        let joints = sim.model().n_joints();
        let began = Instant::now();
        let picture = picture(&loaded, &mut sim, joints);
        let took = began.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, name);
        }
        assert!(took < 2.0, "{name}: {took} s");
        check(name, sim, &picture);
    }
    println!("slowest picture: {} in {:.1} ms", slowest.1, 1e3 * slowest.0);
}

#[test]
fn a_door_on_three_hinges_is_held_more_than_once() {
    let (_, _, picture) = gallery("door-3-hinges");
    let hinges: Vec<_> = picture.joints.iter().filter(|j| j.kind == "revolute").collect();
    assert_eq!(hinges.len(), 3);
    assert!(hinges.iter().all(|j| j.role == StructureRole::Redundant && !j.unique));
}

#[test]
fn a_four_bar_is_a_loop_whose_axes_are_the_hinges() {
    let (loaded, sim, picture) = gallery("four-bar");
    let model = sim.model();
    let pins: Vec<_> = picture.joints.iter().filter(|j| !j.drive && j.role != StructureRole::Inequality).collect();
    assert_eq!(pins.len(), 4);
    assert!(pins.iter().all(|j| matches!(j.role, StructureRole::Loop | StructureRole::Redundant)));
    // frames on both bodies are one place of the world, and z is the axis
    let state = model.initial_state();
    for (j, said) in picture.joints.iter().zip(&loaded.scene.joints) {
        assert_eq!(j.name, &*said.name);
        let see = |body: i64, at: [f64; 3], turn: [f64; 4]| {
            let id = if body < 0 { holonom::BodyId::GROUND } else { holonom::BodyId::from_index(body as usize) };
            let z = holonom::math::rotation(turn[3], turn[0], turn[1], turn[2]).z_axis;
            let of = |a| model.carried(state, &a).expect("carried");
            (of(holonom::Attachment::point(id, Vec3::from(at))), of(holonom::Attachment::direction(id, z)))
        };
        let (a, b) = (see(j.a, j.on_a.at, j.on_a.turn), see(j.b, j.on_b.at, j.on_b.turn));
        assert!((a.0 - b.0).length() < 1e-9, "{}: {} {}", j.name, a.0, b.0);
        if j.kind == "revolute" {
            assert!((a.1 - b.1).length() < 1e-9, "{}: {} {}", j.name, a.1, b.1);
        }
    }
}

#[test]
fn a_drive_stands_where_the_joint_it_drives_stands() {
    let (_, _, picture) = open("driven.toml", DRIVEN);
    let [pin, motor] = ["pin", "crank"].map(|n| picture.joints.iter().find(|j| j.name == n).expect("there"));
    assert!(motor.drive && !pin.drive);
    assert_eq!((motor.a, motor.b, motor.on_a, motor.on_b), (pin.a, pin.b, pin.on_a, pin.on_b));
    let coordinates: Vec<_> = pin.coordinates.iter().map(|c| (c.name.as_str(), c.measure)).collect();
    assert_eq!(coordinates, [("pin.coordinate", CoordinateMeasure::Angle)]);
    // the limit of the joint acts on one side, and is nobody's to edit by itself
    let limit = picture.joints.iter().find(|j| j.name == "pin.limit").expect("there");
    assert!(limit.role == StructureRole::Inequality && limit.generated && !pin.generated);
    assert_eq!(limit.on_b, pin.on_b);
    assert!(picture.bodies.iter().all(|b| b.generated == b.name.contains('/')));
    // gravity is no force law; the spring and the torque are
    assert_eq!(
        picture.forces.iter().map(|f| (f.name.as_str(), f.on.len())).collect::<Vec<_>>(),
        [("pull", 2), ("twist", 1)]
    );
}

const DRIVEN: &str = r#"
[body.rod]
shape = { kind = "box", size = [1, 0.05, 0.05] }
density = 7800
at = [0.5, 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
limits = [-3, 3]
[drive.crank]
kind = "speed"
joint = "pin"
value = 2
[force.pull]
kind = "spring"
a = { body = "ground", at = [0, 0, 1] }
b = { body = "rod", at = [0.5, 0, 0] }
stiffness = 100
length = 0.5
[force.twist]
kind = "torque"
on = "rod"
torque = [0, 0.5, 0]
[chain.tail]
count = 3
from = [0, 1, 0]
to = [0, 1, -2]
link = { shape = { kind = "rod", radius = 0.02 }, density = 1000 }
joint = { kind = "spherical" }
first = "ground"
"#;

#[test]
fn applied_forces_are_those_of_the_laws() {
    let (_, mut sim, picture) = open("driven.toml", DRIVEN);
    let mut sections = FrameSections::new(&sim.model().clone(), &picture);
    let sent = numbers(FrameSection::Applied, &mut sections, &mut sim);
    let rows: Vec<&[f32]> = sent.chunks(9).collect();
    // the spring: from (0, 0, 1) to (1, 0, 0), drawn out from 0.5 m
    let d = Vec3::new(1.0, 0.0, -1.0);
    let pull = d.normalize() * 100.0 * (d.length() - 0.5);
    assert!(near(rows[0], Vec3::Z, 1.0) && near(&rows[0][3..], pull, 1.0), "{:?}", rows[0]);
    assert!(near(rows[1], Vec3::X, 1.0) && near(&rows[1][3..], -pull, 1.0), "{:?}", rows[1]);
    assert!(near(rows[2], Vec3::new(0.5, 0.0, 0.0), 1.0), "{:?}", rows[2]);
    assert!(near(&rows[2][3..], Vec3::ZERO, 1.0) && near(&rows[2][6..], Vec3::Y * 0.5, 1.0), "{:?}", rows[2]);
}

#[test]
fn equal_shapes_are_one_geometry() {
    let (_, sim, picture) = gallery("wall-100");
    let bricks = sim.model().n_bodies();
    let boxes = picture.geometries.iter().filter(|g| matches!(g, GeometryPicture::Box { .. })).count();
    assert!(bricks >= 100 && boxes <= 4, "{bricks} bodies, {boxes} boxes");
    assert!(picture.contacts);
}

#[test]
fn contacts_carry_the_weight_of_the_wall() {
    let (_, mut sim, picture) = gallery("wall-100");
    sim.run_until(0.05).expect("runs");
    let mut sections = FrameSections::new(&sim.model().clone(), &picture);
    let sent = numbers(FrameSection::Contacts, &mut sections, &mut sim);
    let said = sim.contacts().expect("solved");
    assert!(!said.is_empty());
    assert_eq!(sent.len(), 8 * said.len());
    for (sent, said) in sent.chunks(8).zip(&said) {
        assert!(near(sent, said.point, picture.size) && near(&sent[3..], said.force, said.force.length()));
    }
}

#[test]
fn ten_thousand_bodies_in_time() {
    let text = r#"
[repeat.row]
count = 100
[repeat.row.repeat."column ${i}"]
count = 100
index = "j"
[repeat.row.repeat."column ${i}".body."box ${i} ${j}"]
shape = { kind = "box", size = [0.5, 0.5, 0.5] }
density = 500
at = ["${i}", "${j}", 0]
"#;
    let loaded = load("many.toml", text);
    let mut sim = Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    assert_eq!(sim.model().n_bodies(), 10_000);
    let best = |f: &mut dyn FnMut()| {
        let time = |f: &mut dyn FnMut()| {
            let began = Instant::now();
            f();
            1e3 * began.elapsed().as_secs_f64()
        };
        (0..5).map(|_| time(f)).fold(f64::INFINITY, f64::min)
    };
    let joints = sim.model().n_joints();
    let mut made = None;
    let drawn = best(&mut || made = Some(picture(&loaded, &mut sim, joints)));
    let made = made.expect("made");
    assert_eq!(made.geometries.len(), 1);
    let mut sections = FrameSections::new(&sim.model().clone(), &made);
    let mut out = Vec::new();
    let sent = best(&mut || {
        out.clear();
        sections.fill(FrameSection::Poses, &mut sim, &mut out);
    });
    println!("picture {drawn:.1} ms, poses {sent:.3} ms");
    assert!(drawn < 100.0, "{drawn} ms");
    assert!(sent < 2.0, "{sent} ms");
}

#[test]
fn hands_are_not_in_the_picture() {
    let (loaded, mut sim, before) = gallery("double-pendulum");
    let joints = sim.model().n_joints();
    let body = sim.model().bodies().last().expect("a body");
    let mouse = holonom::joints::Mouse::new(body.origin(), 0.1).cap(50.0);
    sim.add_joint("hand 1", mouse).expect("added");
    let after = picture(&loaded, &mut sim, joints);
    assert_eq!(after.joints, before.joints);
    let mut sections = FrameSections::new(&sim.model().clone(), &after);
    assert_eq!(numbers(FrameSection::Reactions, &mut sections, &mut sim).len(), 10 * joints);
    let first: JointId = sim.model().joints().next().expect("a joint");
    assert_eq!(sim.model().joint_name(first), after.joints[0].name);
}

#[test]
fn imported_robots_can_be_drawn() {
    let mut drawn = 0;
    for folder in ["mjcf", "urdf"] {
        let path = format!("{}/../holonom-scene/tests/{folder}", env!("CARGO_MANIFEST_DIR"));
        let Ok(files) = std::fs::read_dir(path) else { continue };
        let mut files: Vec<_> = files.filter_map(|f| Some(f.ok()?.path())).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "xml" || e == "urdf")) {
            // files that test refusals are not meant here
            let Ok(loaded) = Loader::new().load(file) else { continue };
            let Ok(model) = loaded.build() else { continue };
            let mut sim = Simulation::new(model);
            let joints = sim.model().n_joints();
            let picture = picture(&loaded, &mut sim, joints);
            check(&file.display().to_string(), sim, &picture);
            drawn += 1;
        }
    }
    assert!(drawn >= 5, "{drawn} files");
    println!("{drawn} imported files drawn");
}

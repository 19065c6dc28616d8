//! URDF import: good robots become the right mechanisms, bad ones are refused at the right place, nothing is dropped in silence.

use holonom::Simulation;
use holonom::math::{Mat3, Vec3, vec3};
use holonom_scene::diagnostic::Severity;
use holonom_scene::node::{DocNode, DocTable, Value};
use holonom_scene::scene::{BodyRecord, Geometry};
use holonom_scene::{Loaded, Loader};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/urdf")
}

fn load(name: &str) -> Loaded {
    Loader::new().load(&folder().join(name)).unwrap_or_else(|e| panic!("{}", e.render()))
}

fn body<'a>(loaded: &'a Loaded, name: &str) -> &'a BodyRecord {
    loaded.scene.bodies.iter().find(|b| &*b.name == name).unwrap_or_else(|| panic!("no body {name}"))
}

#[test]
fn bad_robots_are_refused_at_the_place_of_the_mistake() {
    let mut n = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder().join("bad")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "urdf") {
            continue;
        }
        n += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = text.split("expected: ").nth(1).unwrap().trim().trim_end_matches("-->").trim().to_string();
        let found = match Loader::new().load(&path) {
            Ok(_) => "loaded".to_string(),
            Err(e) => {
                let first = e.report.all().iter().find(|d| d.severity == Severity::Error).unwrap();
                let place = first.span.and_then(|s| e.sources.place(s)).unwrap();
                assert!(!first.message.is_empty() && e.report.n_errors() == 1, "{}", e.render());
                format!("{} {}:{}", first.code, place.line, place.column)
            }
        };
        if found != expected {
            wrong.push(format!("{}: expected {expected}, found {found}", path.file_name().unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n >= 35, "{n}");
}

#[test]
fn an_arm_with_a_gripper() {
    let loaded = load("arm.urdf");
    let names: Vec<_> = loaded.scene.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["upper", "finger_left", "finger_right"]);
    assert!((loaded.scene.mass() - 3.2).abs() < 1e-15);
    let upper = body(&loaded, "upper");
    let mass = upper.mass.unwrap();
    // two links as one: 2 kg at 0.25, 1 kg at 0.5
    assert!((mass.centre - vec3(1.0 / 3.0, 0.0, 0.0)).length() < 1e-15);
    let turn = Mat3::from_rotation_z(0.5);
    let tilted = turn * Mat3::from_diagonal(vec3(0.01, 0.04, 0.045)) * turn.transpose();
    let (a, b) = (1.0f64 / 12.0, 1.0f64 / 6.0);
    let steiner = Mat3::from_diagonal(vec3(0.0, 1.0, 1.0) * (2.0 * a * a + b * b));
    let expected = tilted + Mat3::from_diagonal(Vec3::splat(0.001)) + steiner;
    assert!(mass.inertia.abs_diff_eq(expected, 1e-15), "{:?} {expected:?}", mass.inertia);
    // the links that were fused are frames, dots are gone
    let frames: Vec<_> = upper.points.iter().map(|p| (&*p.name, p.pose.position)).collect();
    assert_eq!(frames[0], ("hand", vec3(0.5, 0.0, 0.0)));
    assert!(frames[1].0 == "camera_frame" && (frames[1].1 - vec3(0.6, 0.0, 0.0)).length() < 1e-15, "{frames:?}");
    let ground: Vec<_> = loaded.scene.ground_points.iter().map(|p| (&*p.name, p.pose.position.z)).collect();
    assert_eq!(ground, [("world", 0.0), ("pedestal", 0.5)]);
    assert!(matches!(loaded.scene.ground_shapes[0].geometry, Geometry::Cylinder(..)));
    assert_eq!(loaded.scene.ground_shapes[0].colour, Some([0.6, 0.6, 0.7]));
    // seen but not touched, touched but not seen, and none of them has mass
    let looks: Vec<_> = upper.shapes.iter().map(|s| (s.visible, s.collides, s.colour)).collect();
    assert_eq!(looks, [(true, Some(false), Some([1.0, 0.5, 0.0])), (false, None, None), (true, Some(false), None)]);

    let mut sim = Simulation::new(loaded.build().unwrap_or_else(|e| panic!("{}", e.render())));
    let joint = |sim: &Simulation, name: &str| sim.model().joint(name).unwrap();
    let (left, right, shoulder) = (joint(&sim, "left"), joint(&sim, "right"), joint(&sim, "shoulder"));
    // the follower starts where its offset puts it
    assert!((sim.coordinate(right, 0).unwrap().0 - 0.005).abs() < 1e-12);
    // hanging out level along y, it begins to fall about the y axis of its link, which is -x of the world
    let start = sim.energy();
    sim.run_until(0.3).unwrap();
    let (q, rate) = sim.coordinate(shoulder, 0).unwrap();
    assert!(q > 0.1 && rate > 0.5, "{q} {rate}");
    let sum = sim.coordinate(left, 0).unwrap().0 + sim.coordinate(right, 0).unwrap().0;
    assert!((sum - 0.005).abs() < 1e-10, "{sum}");
    // the damper of the shoulder is the only one that takes energy
    let end = sim.energy();
    assert!(end.total() < start.total() - 1e-4, "{} {}", start.total(), end.total());
    let expected = ["the link `camera.frame`", "the joint `camera.mount`", "the `velocity` of the limits"];
    for what in expected {
        assert!(loaded.report.all().iter().any(|d| d.message.contains(what)), "{what}");
    }
    assert_eq!(loaded.report.all().len(), expected.len());
}

#[test]
fn everything_that_does_not_count_is_listed_with_its_place() {
    let loaded = load("ledger.urdf");
    let mut found: Vec<_> = loaded
        .report
        .all()
        .iter()
        .map(|d| {
            let place = loaded.sources.place(d.span.unwrap()).unwrap();
            assert_eq!((d.code.name(), d.severity), ("W0404", Severity::Warning));
            (place.line, place.column, d.message.clone())
        })
        .collect();
    found.sort();
    let places: Vec<_> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
    let expected = [
        (3, 21),  // kind="big"
        (5, 39),  // a Collada mesh
        (6, 39),  // a mesh that is not there
        (7, 34),  // a flat box
        (8, 5),   // <self_collision_checking>
        (14, 33), // velocity
        (15, 5),  // calibration
        (17, 5),  // safety_controller
        (19, 15), // a link without mass that moves
        (26, 32), // an inertia no body has
        (28, 3),  // transmission
        (29, 3),  // gazebo
    ];
    let missing: Vec<_> = expected.iter().filter(|p| !places.contains(p)).collect();
    assert!(missing.is_empty(), "missing {missing:?} in {found:#?}");
    // the material of the flat box is gone with it
    let more: Vec<_> = found.iter().filter(|(l, c, _)| !expected.contains(&(*l, *c))).collect();
    assert!(more.len() == 1 && more[0].2.contains("material"), "{more:?}");
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));

    let strict = Loader { strict: true, ..Loader::new() };
    let failed = strict.load(&folder().join("ledger.urdf")).unwrap_err();
    assert_eq!(failed.report.n_errors(), found.len());
}

#[test]
fn loops_from_a_side_file_are_joints() {
    let loaded = load("parallel.urdf");
    assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
    assert_eq!(body(&loaded, "crank").point("grip").map(|p| p.pose.position), Some(vec3(0.0, 0.0, -0.1)));
    let sim = Simulation::new(loaded.build().unwrap_or_else(|e| panic!("{}", e.render())));
    // 3 bodies, 4 hinges: 20 rows of which 3 say nothing new, one freedom
    assert_eq!((sim.model().n_bodies(), sim.model().n_rows()), (3, 20));
    let crank = sim.model().body("crank").unwrap();
    let angle = sim.model().joint("first").unwrap();
    assert!((sim.coordinate(angle, 0).unwrap().0 - 0.7).abs() < 1e-12);
    // the cranks turn together and the rod moves without turning:
    // (2 (0.03 + 2 0.2^2) + 3 0.4^2) a = -(2 2 0.2 + 3 0.4) 9.81 sin 0.7
    let expected = -(2.0 * 2.0 * 0.2 + 3.0 * 0.4) * 9.81 * libm::sin(0.7) / (2.0 * (0.03 + 2.0 * 0.04) + 3.0 * 0.16);
    let i = 6 * crank.index().unwrap() + 4;
    let found = sim.accelerations().unwrap()[i];
    assert!((found - expected).abs() < 1e-10, "{found} {expected}");
}

#[test]
fn the_side_file_places_the_root() {
    let loaded = load("floating.urdf");
    let at = |name: &str| body(&loaded, name).pose.position;
    for (name, expected) in [
        ("body", vec3(0.0, 0.0, 5.0)),
        ("puck", vec3(0.0, 1.0, 5.0)),
        ("moon", vec3(-2.0, 0.0, 5.0)),
        ("bob", vec3(-2.0, 0.0, 4.0)),
    ] {
        assert!((at(name) - expected).length() < 1e-15, "{name}: {}", at(name));
    }
    let model = loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));
    // a planar joint holds three directions, a ball three, a floating one none
    assert_eq!((model.n_bodies(), model.n_rows()), (4, 6));
    let sim = Simulation::new(model);
    let id = sim.model().body("body").unwrap();
    assert_eq!(sim.centre_velocity(id), vec3(1.0, 0.0, 0.0));
}

#[test]
fn the_root_is_free_unless_it_is_the_world_or_weighs_nothing() {
    let i = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let count = |root: &str, inside: &str| {
        let text = format!(
            r#"<robot name="r"><link name="{root}">{inside}</link><link name="b">{i}</link>
            <joint name="j" type="revolute"><parent link="{root}"/><child link="b"/></joint></robot>"#
        );
        let loaded = Loader::new().load_text("r.urdf", text).unwrap_or_else(|e| panic!("{}", e.render()));
        (loaded.scene.bodies.len(), loaded.report.all().len())
    };
    assert_eq!(count("base", i), (2, 0));
    assert_eq!(count("world", ""), (1, 0));
    assert_eq!(count("world", i), (1, 0));
    // said, because nobody asked for it
    assert_eq!(count("base", ""), (1, 1));
}

/// Every number of the document stands somewhere in one of the texts.
#[test]
fn every_value_of_the_document_has_a_place() {
    for name in ["arm.urdf", "parallel.urdf", "floating.urdf"] {
        let loaded = load(name);
        let mut stack: Vec<&DocNode> = Vec::new();
        let of = |t: &DocTable| t.entries().iter().map(|e| e.node.clone()).collect::<Vec<_>>();
        let nodes = of(&loaded.document);
        stack.extend(&nodes);
        let mut n = 0;
        while let Some(node) = stack.pop() {
            let file = loaded.sources.file(node.span.file).unwrap();
            assert!(node.span.start < node.span.end && node.span.end as usize <= file.text.len(), "{node:?}");
            n += 1;
            match &node.value {
                Value::List(l) => stack.extend(l),
                Value::Table(t) => stack.extend(t.entries().iter().map(|e| &e.node)),
                _ => {}
            }
        }
        assert!(n > 30);
    }
}

#[test]
fn meshes_are_found_in_packages_within_the_confinement() {
    let root = std::env::temp_dir().join(format!("holonom-urdf-{}", std::process::id()));
    let package = root.join("ws/robot_description");
    std::fs::create_dir_all(package.join("urdf")).unwrap();
    std::fs::create_dir_all(package.join("meshes")).unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(package.join("meshes/part.obj"), tetrahedron).unwrap();
    std::fs::write(root.join("secret.obj"), tetrahedron).unwrap();
    let robot = |mesh: &str| {
        format!(
            r#"<robot name="r"><link name="a">
            <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
            <visual><geometry><mesh filename="{mesh}" scale="1 -2 1"/></geometry></visual></link></robot>"#
        )
    };
    let file = package.join("urdf/robot.urdf");
    let shapes = |mesh: &str, allowed: &[&Path]| {
        std::fs::write(&file, robot(mesh)).unwrap();
        let loader = Loader { allowed: allowed.iter().map(|p| p.to_path_buf()).collect(), ..Loader::new() };
        let loaded = loader.load(&file).unwrap_or_else(|e| panic!("{}", e.render()));
        assert_eq!(loaded.scene.bodies[0].shapes.len() + loaded.report.all().len(), 1);
        if let Some(shape) = loaded.scene.bodies[0].shapes.first() {
            let Geometry::Mesh(mesh) = &shape.geometry else { panic!("not a mesh") };
            let at = |i: usize| mesh.vertices[i];
            let volume: f64 = mesh.triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum();
            assert!((volume - 1.0 / 3.0).abs() < 1e-15, "{volume}");
        }
        loaded.scene.bodies[0].shapes.len()
    };
    let ws = root.join("ws");
    let part = "package://robot_description/meshes/part.obj";
    // the package lies above the robot's own folder: not without leave
    assert_eq!(shapes(part, &[]), 0);
    assert_eq!(shapes(part, &[&ws]), 1);
    assert_eq!(shapes(part, &[&package]), 1);
    assert_eq!(shapes("../meshes/part.obj", &[&package]), 1);
    assert_eq!(shapes(&format!("file://{}", package.join("meshes/part.obj").display()), &[&ws]), 1);
    for out in [
        "package://robot_description/../../secret.obj",
        "../../../secret.obj",
        "file:///etc/passwd.obj",
        "http://x/y.obj",
    ] {
        assert_eq!(shapes(out, &[&ws]), 0, "{out}");
    }
    std::fs::remove_dir_all(&root).unwrap();
}

/// A rod on a hinge about y, let go level; what is said of the joint besides.
fn rod(joint: &str) -> String {
    format!(
        r#"<robot name="r"><link name="world"/><link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
        <inertia ixx="0.01" iyy="0.09" izz="0.09" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
        <joint name="hinge" type="revolute"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>{joint}</joint></robot>"#
    )
}

#[test]
fn limits_friction_and_effort_are_enforced() {
    let load = |text: String, settings: &[&str]| {
        let settings = settings.iter().map(|s| s.to_string()).collect();
        let loaded = Loader { settings, ..Loader::new() }.load_text("r.urdf", text);
        loaded.unwrap_or_else(|e| panic!("{}", e.render()))
    };
    let angle = |joint: &str| {
        let mut sim = Simulation::new(load(rod(joint), &[]).build().unwrap_or_else(|e| panic!("{}", e.render())));
        for _ in 0..1000 {
            sim.step(1e-3).unwrap();
        }
        let hinge = sim.model().joint("hinge").unwrap();
        sim.coordinate(hinge, 0).unwrap().0
    };
    assert!((angle(r#"<limit lower="-1" upper="0.5" effort="10" velocity="0"/>"#) - 0.5).abs() < 1e-6);
    assert!(angle(r#"<limit effort="10" velocity="0"/>"#) > 1.0, "where neither bound is said there is none");
    assert!(
        angle(r#"<limit lower="-1" upper="1"/><dynamics friction="5"/>"#).abs() < 1e-9,
        "the weight takes 4.905 N m"
    );
    assert!(angle(r#"<limit lower="-1" upper="1"/><dynamics friction="2"/>"#) > 0.5);
    let loaded = load(rod(r#"<limit lower="-1" upper="1" effort="7" velocity="2"/>"#), &[]);
    let joint = &loaded.scene.joints[0].record;
    assert_eq!(joint.numbers("effort"), Some(&[7.0][..]));
    assert_eq!(loaded.report.all().len(), 1, "only the velocity is not enforced");
    // zero is not allowed: it starts at the nearest limit
    let loaded = load(rod(r#"<limit lower="0.2" upper="1" effort="0" velocity="0"/>"#), &[]);
    let said: Vec<_> = loaded.report.all().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said, ["the `effort` of the limits counts as not given", "the joint `hinge` starts at its limit"]);
    assert_eq!(loaded.scene.joints[0].record.numbers("start"), Some(&[0.2][..]));
    // a contradiction is said, and free
    let loaded = load(rod(r#"<limit lower="1" upper="-1" effort="1" velocity="0"/>"#), &[]);
    assert!(
        loaded.report.all()[0].message.contains("are not enforced") && !loaded.scene.joints[0].record.has("limits")
    );
}

#[test]
fn collisions_are_on_where_somebody_asks() {
    let text = rod(r#"<limit lower="-2" upper="2" effort="0" velocity="0"/>"#);
    let model = |settings: &[&str]| {
        let settings = settings.iter().map(|s| s.to_string()).collect();
        let loaded = Loader { settings, ..Loader::new() }
            .load_text("r.urdf", text.clone())
            .unwrap_or_else(|e| panic!("{}", e.render()));
        let shapes = loaded.scene.bodies[0].shapes.iter().filter(|s| loaded.scene.collides(s)).count();
        loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));
        shapes
    };
    assert_eq!(model(&[]), 0);
    assert_eq!(model(&["contact.friction=0.6"]), 1);
}

/// A square of two triangles in red and one of a polygon without a colour.
const SQUARES: &str = r##"<COLLADA>
<library_effects><effect id="fx"><profile_COMMON><technique><lambert><diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="pos"><float_array>0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common><accessor stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#pos"/></vertices>
<triangles material="A"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>
<polylist material="B"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 3 2 1</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="A" target="#red"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
</COLLADA>"##;

#[test]
fn a_robot_in_a_package_shows_its_meshes_in_their_colours() {
    let root = std::env::temp_dir().join(format!("holonom-urdf-package-{}", std::process::id()));
    let (own, other) = (root.join("src/robot_description"), root.join("src/deep/arm_meshes"));
    for folder in [own.join("urdf"), own.join("meshes"), other.clone()] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(own.join("meshes/part.dae"), SQUARES).unwrap();
    std::fs::write(other.join("part.dae"), SQUARES).unwrap();
    std::fs::write(own.join("meshes/torn.dae"), &SQUARES[..SQUARES.len() / 2]).unwrap();
    std::fs::write(other.join("package.xml"), "<package/>").unwrap();
    let file = own.join("urdf/robot.urdf");
    let load = |mesh: &str, packages: &[&Path]| {
        let text = format!(
            r#"<robot name="r"><link name="a">
            <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
            <visual><geometry><mesh filename="{mesh}"/></geometry><material name="m"><color rgba="0 0 1 1"/></material></visual>
            <collision><geometry><sphere radius="1"/></geometry></collision></link></robot>"#
        );
        std::fs::write(&file, text).unwrap();
        let loader = Loader { package_paths: packages.iter().map(|p| p.to_path_buf()).collect(), ..Loader::new() };
        loader.load(&file).unwrap_or_else(|e| panic!("{}", e.render()))
    };
    let seen = |loaded: &Loaded| {
        let shapes = loaded.scene.bodies[0].shapes.iter().filter(|s| s.visible);
        shapes.map(|s| (s.colour, matches!(s.geometry, Geometry::Mesh(_)))).collect::<Vec<_>>()
    };
    let sphere = vec![(None, false)];
    let squares = vec![(Some([1.0, 0.0, 0.0]), true), (Some([0.0, 0.0, 1.0]), true)];
    // without a package.xml above it the folder beside its own is out of reach, and what touches is shown instead
    let ours = "package://robot_description/meshes/part.dae";
    assert_eq!(seen(&load(ours, &[])), sphere);
    std::fs::write(own.join("package.xml"), "<package/>").unwrap();
    let loaded = load(ours, &[]);
    assert_eq!((seen(&loaded), loaded.report.all().len()), (squares.clone(), 0));
    assert_eq!(loaded.scene.bodies[0].shapes.len(), 3, "the sphere touches, unseen");
    // another package: only where packages are said to be, and not what lies outside of them
    let others = "package://arm_meshes/part.dae";
    let alone = load(others, &[]);
    assert_eq!(seen(&alone), sphere);
    assert!(alone.report.all()[0].label.contains("--package-path"), "{}", alone.report.all()[0].label);
    assert_eq!(seen(&load(others, &[&root.join("src")])), squares);
    assert_eq!(seen(&load("package://arm_meshes/../../../etc/part.dae", &[&root.join("src")])), sphere);
    // a mesh that cannot be read is a warning with its reason, and does not keep the robot from being simulated
    let torn = load("package://robot_description/meshes/torn.dae", &[]);
    assert_eq!(seen(&torn), sphere);
    let warning = &torn.report.all()[0];
    assert!(warning.message.contains("torn.dae") && warning.label.contains("line"), "{warning:?}");
    // the scene that is written shows the same
    let text = holonom_scene::write::document(&load(ours, &[]).document);
    let again =
        Loader::new().load_text_at(&own.join("urdf/robot.toml"), text).unwrap_or_else(|e| panic!("{}", e.render()));
    assert_eq!(seen(&again), squares);
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn settings_say_what_a_side_file_would() {
    let load = |settings: &[&str]| {
        let loader = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
        loader.load(&folder().join("arm.urdf"))
    };
    let joint = load(&[]).unwrap().scene.joints[0].name.to_string();
    let held = load(&["hold.kp=50", "hold.kd=2", &format!("start.{joint}=0.2")]).unwrap();
    let drive = held.scene.drives.iter().find(|d| *d.name == *format!("{joint}-hold")).expect("a controller");
    assert_eq!((drive.record.number("kp"), drive.record.number("kd")), (Some(50.0), Some(2.0)));
    assert_eq!(drive.record.function("value").map(|f| f.at(0.0)[0]), Some(0.2));
    let mimics = held.scene.joints.iter().filter(|j| j.name.ends_with("-mimic")).count();
    assert!(mimics > 0 && held.scene.drives.iter().all(|d| !d.name.contains("right")), "what follows is not held");
    let code = |settings: &[&str]| {
        let failed = load(settings).err()?;
        failed.report.all().iter().find(|d| d.severity == Severity::Error).map(|d| d.code.name())
    };
    assert_eq!(code(&["base.fixd=true"]), Some("E0201"));
    assert_eq!(code(&["start.nothing=1"]), Some("E0212"));
    assert_eq!(code(&["hold.kd=1"]), Some("E0202"));
    assert_eq!(code(&["base=1"]), Some("E0224"));
    // a scene has no base
    let scene = Loader { settings: vec!["base.fixed=true".into()], ..Loader::new() };
    let refused = scene.load_text("x.toml", "title = \"x\"\n").unwrap_err();
    assert_eq!(refused.report.all()[0].code.name(), "E0224");
}

#[test]
fn a_fixed_base_holds_a_robot_that_would_fall() {
    let inertial =
        r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let text = format!(
        r#"<robot name="r"><link name="root">{inertial}</link><link name="arm">{inertial}</link>
        <joint name="hinge" type="continuous"><parent link="root"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"#
    );
    let remarks = |settings: &[&str]| {
        let loader = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
        let loaded = loader.load_text("floating.urdf", text.clone()).unwrap_or_else(|e| panic!("{}", e.render()));
        let model = loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));
        (model.n_bodies(), holonom_scene::sanity::remarks(&loaded, &model))
    };
    let (bodies, said) = remarks(&[]);
    assert!(bodies == 2 && said.len() == 1 && said[0].contains("nothing holds the robot: its root `root`"), "{said:?}");
    assert_eq!(remarks(&["base.fixed=true"]), (1, Vec::new()));
}

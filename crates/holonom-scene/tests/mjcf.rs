//! MJCF: masses, classes, joints, loops, copies and parts by hand-made files with known answers; mistakes where they are; hostile files.

use holonom::Simulation;
use holonom::math::{Vec3, vec3};
use holonom_scene::{Limits, Loaded, Loader, Scene};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf").join(name)
}

fn load(name: &str) -> Loaded {
    Loader::new().load(&file(name)).unwrap_or_else(|e| panic!("{name}\n{}", e.render()))
}

fn simulate(loaded: &Loaded) -> Simulation {
    Simulation::new(loaded.build().unwrap_or_else(|e| panic!("{}", e.render())))
}

fn mass(scene: &Scene, name: &str) -> holonom_scene::scene::Mass {
    let body = scene.bodies.iter().find(|b| &*b.name == name).unwrap_or_else(|| panic!("no body {name}"));
    body.mass.unwrap_or_else(|| panic!("{name} has no mass"))
}

fn kind_of(scene: &Scene, joint: &str) -> &'static str {
    scene.joints.iter().find(|j| &*j.name == joint).map_or("none", |j| j.kind().name)
}

fn ledger(loaded: &Loaded, words: &str) -> bool {
    loaded.report.warnings().any(|d| d.message.contains(words))
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{what}: {a} against {b}");
}

#[test]
fn every_geom_has_its_mass() {
    let loaded = load("masses.xml");
    let m = |name: &str| mass(&loaded.scene, name);
    let ball = 700.0 * 4.0 / 3.0 * PI * 0.2f64.powi(3);
    close(m("sphere").mass, ball, "sphere");
    close(m("sphere").inertia.x_axis.x, 0.4 * ball * 0.04, "sphere");
    let (round, ends) = (1000.0 * PI * 0.01 * 0.6, 1000.0 * 4.0 / 3.0 * PI * 0.001);
    close(m("capsule").mass, round + ends, "capsule");
    close(m("capsule").inertia.z_axis.z, 0.5 * round * 0.01 + 0.4 * ends * 0.01, "capsule");
    let rod = m("cylinder");
    close(rod.mass, 1000.0 * PI * 0.01, "cylinder");
    assert!((rod.centre - vec3(0.0, 0.5, 0.0)).length() < 1e-12, "fromto has its centre in the middle");
    close(rod.inertia.y_axis.y, 0.5 * rod.mass * 0.01, "cylinder along y");
    close(m("box").mass, 3.0, "box");
    close(m("box").inertia.x_axis.x, 3.0 / 12.0 * (0.16 + 0.36), "sizes are halves");
    let egg = 1000.0 * 4.0 / 3.0 * PI * 0.1 * 0.2 * 0.3;
    close(m("ellipsoid").mass, egg, "ellipsoid");
    close(m("ellipsoid").inertia.x_axis.x, egg / 5.0 * (0.04 + 0.09), "ellipsoid");
    // three balls, one of them on a body that is welded on
    let two = m("two");
    close(two.mass, 8.0, "two");
    assert!((two.centre - vec3(0.0, 0.5, -0.125)).length() < 1e-12, "{}", two.centre);
    close(m("tetrahedron").mass, 1.0, "tetrahedron");
    assert!((m("tetrahedron").centre - Vec3::splat(0.25)).length() < 1e-12);
    // welded bodies and sites stay as frames
    let body = loaded.scene.bodies.iter().find(|b| &*b.name == "two").expect("there");
    let welded = body.point("welded").expect("a frame").pose;
    assert!((welded.position - vec3(0.0, 1.0, 0.0)).length() < 1e-15);
    let tip = body.point("tip").expect("a site").pose.position;
    assert!((tip - vec3(1.5f64.cos(), 1.0 + 1.5f64.sin(), 0.0)).length() < 1e-12, "{tip}");
    assert_eq!(loaded.scene.ground_shapes.len(), 1);
    assert_eq!(simulate(&loaded).model().n_rows(), 0);
}

#[test]
fn classes_are_inherited() {
    let loaded = load("defaults.xml");
    let m = |name: &str| mass(&loaded.scene, name).mass;
    close(m("plain"), 100.0, "outermost class");
    close(m("by-class"), 300.0, "class of the geom");
    close(m("by-child"), 600.0, "childclass");
    close(m("inner"), 10.0 * PI / 6.0, "a class against the childclass");
    close(m("again"), 10.0 * PI / 6.0 / 8.0, "own size, default type");
    close(m("framed"), 300.0, "childclass of a frame");
    let damping = |name: &str| {
        let spring = loaded.scene.forces.iter().find(|f| *f.name == format!("{name} spring"));
        spring.and_then(|f| f.record.number("damping"))
    };
    assert_eq!(
        ["a", "b", "c", "d", "e", "f"].map(damping),
        [Some(1.0), Some(7.0), Some(7.0), Some(7.0), None, Some(1.0)]
    );
    let rotors: Vec<_> = loaded.scene.bodies.iter().filter(|b| b.mass.is_none()).map(|b| &*b.name).collect();
    assert_eq!(rotors, ["b rotor", "c rotor", "d rotor"]);
    let framed = loaded.scene.bodies.iter().find(|b| &*b.name == "framed").expect("there").pose;
    assert!((framed.position - vec3(5.0, 0.0, 3.0)).length() < 1e-12);
    // 90 degrees about the first of Z Y X
    assert!((framed.rotation * Vec3::X - Vec3::Y).length() < 1e-12, "{}", framed.rotation);
}

#[test]
fn sets_of_joints_become_one() {
    let loaded = load("joints.xml");
    let kinds = [
        ("h", "revolute"),
        ("s", "prismatic"),
        ("b", "spherical"),
        ("c1+c2", "cylindrical"),
        ("p1+p2+p3", "planar"),
        ("u1+u2", "universal"),
        ("k1+k2", "serial"),
        ("x+z+y", "serial"),
        ("q1", "revolute"),
        ("q2", "revolute"),
    ];
    for (joint, kind) in kinds {
        assert_eq!(kind_of(&loaded.scene, joint), kind, "{joint}");
    }
    assert!(ledger(&loaded, "the joints of body `scara` are split"));
    let limits = |joint: &str| {
        let record = &loaded.scene.joints.iter().find(|j| &*j.name == joint).expect("there").record;
        let of = |v: &holonom_scene::fields::Val| match v {
            holonom_scene::fields::Val::Numbers(x) => x.to_vec(),
            _ => panic!("not an interval"),
        };
        record.list("limits").iter().map(|(v, _)| of(v)).collect::<Vec<_>>()
    };
    let h = limits("h");
    assert!(h.len() == 1 && (h[0][0] + 1.3).abs() < 1e-15 && (h[0][1] - 0.7).abs() < 1e-15, "less `ref`: {h:?}");
    let mut sim = simulate(&loaded);
    assert!(sim.violation().0 < 1e-12);
    // a pendulum held by its spring: I a = k (springref - ref); the centre lies on the axis
    let i = 2.0 / 3.0 * (0.01 + 0.09);
    let model = sim.model().clone();
    let body = model.body("hinge").expect("there");
    let x = sim.accelerations().expect("solved")[model.v_range(body)].to_vec();
    close(x[4], 4.0 * 0.2 / i, "spring from its reference");
    // slides fall, whatever the length of their axis
    let slide = model.body("slide").expect("there");
    close(sim.accelerations().expect("solved")[model.v_range(slide)][2], -10.0, "slide");
    sim.run_until(0.05).expect("runs");
    assert!(sim.violation().0 < 1e-9);
}

#[test]
fn equalities_hold_exactly() {
    let loaded = load("fourbar.xml");
    assert!(ledger(&loaded, "the equality `off` is not used"));
    assert_eq!(["loop", "gear", "glue"].map(|n| kind_of(&loaded.scene, n)), ["spherical", "coupler", "weld"]);
    let mut sim = simulate(&loaded);
    sim.run_until(0.3).expect("runs");
    assert!(sim.violation().0 < 1e-9, "{:?}", sim.violation());
    let model = sim.model().clone();
    let q = |sim: &mut Simulation, name: &str| sim.coordinate(model.joint(name).expect("there"), 0).expect("has one").0;
    let (wheel, motor) = (q(&mut sim, "wheel"), q(&mut sim, "motor"));
    assert!(motor.abs() > 0.05 && (wheel + 2.0 * motor).abs() < 1e-9, "{wheel} {motor}");
    // the loop is closed where it was drawn: 0.5 0 0.3
    let at = |body: &str, p: [f64; 3]| sim.point(model.body(body).expect("there").at(p)).0;
    assert!((at("coupler", [0.5, 0.0, 0.1]) - at("rocker", [0.0, 0.0, 0.3])).length() < 1e-9);
}

#[test]
fn copies_are_turned_moved_and_named() {
    let loaded = load("replicate.xml");
    assert_eq!((loaded.scene.bodies.len(), loaded.scene.ground_shapes.len()), (12, 2));
    for (i, body) in loaded.scene.bodies.iter().enumerate() {
        assert_eq!(*body.name, format!("spoke-{i:02}"));
        let angle = i as f64 * PI / 6.0;
        let expected = vec3(angle.cos(), angle.sin(), 0.1 * i as f64);
        assert!((body.pose.position - expected).length() < 1e-12, "{i}: {}", body.pose.position);
        assert!(body.point(&format!("end-{i:02}")).is_some());
    }
    assert_eq!(kind_of(&loaded.scene, "hinge-11"), "revolute");
    assert_eq!(loaded.scene.ground_shapes[1].pose.position, vec3(0.0, 0.0, 5.0));
}

#[test]
fn parts_are_put_in_place() {
    let loaded = load("includes.xml");
    assert_eq!(loaded.scene.title, "in parts");
    assert_eq!(loaded.scene.gravity, vec3(0.0, 0.0, -3.0));
    assert_eq!(loaded.scene.bodies.iter().map(|b| &*b.name).collect::<Vec<_>>(), ["upper", "lower"]);
    close(loaded.scene.mass(), 10.0, "defaults of another file");
    assert_eq!(loaded.scene.joints[1].a.as_ref().map(|p| format!("{:?}", p.body)), Some("Named(\"upper\")".into()));
}

#[test]
fn controls_are_parameters() {
    let run = |settings: &[&str]| {
        let settings = settings.iter().map(|s| s.to_string()).collect();
        let loader = Loader { settings, ..Loader::new() };
        let loaded = loader.load(&file("drives.xml")).unwrap_or_else(|e| panic!("{}", e.render()));
        let sim = simulate(&loaded);
        let model = sim.model().clone();
        let x = sim.accelerations().expect("solved");
        let spin = |name: &str| x[model.v_range(model.body(name).expect("there"))][5];
        let way = x[model.v_range(model.body("loose").expect("there"))][0];
        (spin("wheel"), spin("other"), way, loaded)
    };
    // armature and inertia make 2; the servo pulls back from 0.25 with kp gear^2
    let (wheel, other, way, loaded) = run(&[]);
    close(wheel, -8.0 * 0.25 * 0.25 / 2.0, "at rest");
    assert_eq!((other, way), (0.0, 0.0));
    let names: Vec<_> = loaded.scene.params.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(names, ["ctrl_push", "ctrl_servo", "ctrl_pull", "ctrl_later", "ctrl_jet", "ctrl_weak"]);
    assert!(ledger(&loaded, "an actuator <muscle> is not used"));
    close(run(&["ctrl_push=0.5"]).0 - wheel, 1.5 / 2.0, "gear 3");
    close(run(&["ctrl_push=7"]).0 - wheel, 3.0 / 2.0, "not beyond the range");
    // all kinds of actuators share their defaults: a control of 2 counts as 1
    close(run(&["ctrl_servo=2"]).0 - wheel, 0.5 * 8.0 * 1.0 / 2.0, "kp gear");
    let (pulled, with, ..) = run(&["ctrl_pull=1"]);
    close(pulled - wheel, 4.0 / 2.0, "tendon");
    close(with, -2.0 * 4.0 / 2.0, "tendon");
    close(run(&["ctrl_later=3"]).1, 0.0, "the integral begins at 0");
    close(run(&["ctrl_weak=0.01"]).1, 2.0 * 1.0 / 2.0, "below its limit");
    close(run(&["ctrl_weak=0.5"]).1, 2.0 * 3.0 / 2.0, "at its limit");
    close(run(&["ctrl_weak=-0.5"]).1, -2.0 * 1.0 / 2.0, "at the other");
    close(run(&["ctrl_jet=6"]).2, 3.0, "z of the site points along x");
}

#[test]
fn nothing_is_dropped_in_silence() {
    let text = r#"<mujoco><option timestep="0.01"/><size nconmax="5"/><visual><map znear="1"/></visual>
<worldbody><light pos="0 0 1"/><body gravcomp="1"><joint type="ball" frictionloss="2" solreflimit="1 1"/><geom size="1" margin="1"/><composite type="cloth"/></body></worldbody>
<contact><exclude solref="1"/></contact><sensor><clock/></sensor><keyframe><key qpos="1"/></keyframe></mujoco>"#;
    let loaded = Loader::new().load_text("a.xml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    let said = [
        "`timestep` of <option>",
        "<size>",
        "<visual>",
        "<light>",
        "`gravcomp` of <body>",
        "dry friction",
        "`solreflimit` of <joint>",
        "`margin` of <geom>",
        "<composite>",
        "`solref` of <exclude>",
        "<sensor>",
        "<keyframe>",
    ];
    for words in said {
        assert!(ledger(&loaded, words), "{words} is missing");
    }
    assert_eq!(loaded.report.warnings().count(), said.len());
    assert!(loaded.report.warnings().all(|d| d.code.name() == "W0404" && d.span.is_some() && !d.label.is_empty()));
    let strict = Loader { strict: true, ..Loader::new() };
    assert_eq!(strict.load_text("a.xml", text).map(|_| ()).map_err(|e| e.report.n_errors()), Err(said.len()));
}

/// File, code, line, column.
#[rustfmt::skip]
const BAD: &[(&str, &str, usize, usize)] = &[
    ("unclosed", "E0103", 3, 1),
    ("doctype", "E0106", 1, 1),
    ("root", "E0401", 1, 2),
    ("number", "E0203", 3, 18),
    ("three", "E0207", 3, 16),
    ("infinite", "E0206", 3, 18),
    ("zero_axis", "E0214", 3, 24),
    ("zero_quat", "E0218", 3, 17),
    ("two_rotations", "E0215", 3, 26),
    ("joint_type", "E0228", 3, 24),
    ("geom_type", "E0228", 3, 31),
    ("geom_size", "E0205", 3, 42),
    ("negative_size", "E0205", 3, 31),
    ("negative_density", "E0205", 3, 45),
    ("no_mass", "E0216", 3, 5),
    ("inertia", "E0217", 3, 63),
    ("no_inertia", "E0202", 3, 19),
    ("world_joint", "E0402", 3, 5),
    ("inner_free", "E0402", 3, 33),
    ("twin_bodies", "E0209", 3, 63),
    ("twin_joints", "E0209", 3, 41),
    ("no_class", "E0403", 3, 25),
    ("no_mesh", "E0403", 3, 43),
    ("no_joint", "E0403", 6, 27),
    ("no_body", "E0403", 6, 39),
    ("no_site", "E0403", 6, 36),
    ("no_anchor", "E0202", 6, 13),
    ("eulerseq", "E0228", 2, 23),
    ("global", "E0228", 2, 25),
    ("range", "E0205", 3, 25),
    ("replicate", "E0504", 3, 23),
    ("replicate_nested", "E0504", 3, 48),
    ("replicate_part", "E0205", 3, 23),
    ("include_itself", "E0113", 2, 18),
    ("include_out", "E0110", 2, 18),
    ("include_up", "E0110", 2, 18),
    ("include_none", "E0202", 2, 3),
    ("include_missing", "E0104", 2, 18),
    ("mesh_out", "E0110", 2, 31),
    ("mesh_faces", "E0114", 2, 64),
    ("default_class", "E0202", 3, 5),
];

#[test]
fn mistakes_are_found_where_they_are() {
    let mut wrong = Vec::new();
    for (name, code, line, column) in BAD {
        let failed = match Loader::new().load(&file(&format!("bad/{name}.xml"))) {
            Err(failed) => failed,
            Ok(loaded) => match loaded.build() {
                Err(failed) => failed,
                Ok(_) => panic!("{name} was accepted"),
            },
        };
        let first = &failed.report.to_data(&failed.sources)[0];
        let found = (first.code.as_str(), first.line, first.column);
        if found != (*code, Some(*line), Some(*column)) {
            wrong.push(format!("{name}: {found:?}, must be {code} {line}:{column}\n{}", failed.render()));
        }
        assert!(!first.message.is_empty() && failed.render().contains(&format!("{name}.xml:")), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(BAD.len() >= 20);
}

#[test]
fn hostile_files_end_quickly() {
    let code = |loader: &Loader, text: String| match loader.load_text("x.xml", text) {
        Ok(_) => "accepted".to_string(),
        Err(e) => e.report.to_data(&e.sources)[0].code.clone(),
    };
    let usual = Loader::new();
    let nest = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    // deep, but allowed: nothing recurses
    let classes: String = (0..9000).map(|i| format!("<default class='c{i}'>")).collect();
    let deep = format!("<mujoco><default>{classes}{}</default></mujoco>", "</default>".repeat(9000));
    assert_eq!(code(&usual, deep), "accepted");
    let bodies = nest("<body><joint/><geom size='1'/>", "</body>", 9000);
    assert_eq!(code(&usual, format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")), "accepted");
    // too deep
    let bodies = nest("<body>", "</body>", 20_000);
    assert_eq!(code(&usual, format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")), "E0502");
    // many geoms on one body
    let geoms = "<geom type='box' size='1 1 1' pos='1 0 0'/>".repeat(100_000);
    let many = format!("<mujoco><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>");
    let loaded = usual.load_text("x.xml", many).unwrap_or_else(|e| panic!("{}", e.render()));
    assert!((loaded.scene.mass() / 8e8 - 1.0).abs() < 1e-9);
    // and many of a class with thousands above it
    let classes: String = (0..5000).map(|i| format!("<default class='c{i}'><geom pos='0 0 {i}'/>")).collect();
    let geoms = "<geom class='c4999' type='box' size='1 1 1'/>".repeat(50_000);
    let text = format!(
        "<mujoco><default>{classes}{}</default><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>",
        "</default>".repeat(5000)
    );
    let loaded = usual.load_text("x.xml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    assert_eq!(loaded.scene.bodies[0].shapes[0].pose.position.z, 4999.0);
    // a budget of one's own
    let small = Loader { limits: Limits { bodies: 50, ..Limits::default() }, ..Loader::new() };
    let copies = "<mujoco><worldbody><replicate count='51'><geom size='1'/></replicate></worldbody></mujoco>";
    assert_eq!(code(&small, copies.into()), "E0504");
    assert_eq!(code(&usual, copies.into()), "accepted");
    // attributes that grow elsewhere
    let long = format!("<mujoco><worldbody><body pos='{}'/></worldbody></mujoco>", "1 ".repeat(1_000_000));
    assert_eq!(code(&usual, long), "E0207");
}

/// Run a model in memory with time stepping for a second.
fn after_a_second(text: &str) -> (Loaded, Simulation) {
    let loaded = Loader::new().load_text("a.xml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    let mut sim = simulate(&loaded);
    sim.set_integrator(holonom::IntegratorKind::Stepping);
    sim.run_fixed(1.0, 1e-3).expect("runs");
    (loaded, sim)
}

#[test]
fn ranges_and_dry_friction_hold() {
    let text = |joint: &str| {
        format!(
            r#"<mujoco><compiler angle="radian"/><worldbody><body><joint name="h" axis="0 1 0" {joint}/>
               <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/></body></worldbody></mujoco>"#
        )
    };
    let angle = |joint: &str| {
        let (_, sim) = after_a_second(&text(joint));
        let h = sim.model().joint("h").expect("there");
        sim.coordinate(h, 0).expect("has one").0
    };
    assert!((angle(r#"range="-0.2 0.4""#) - 0.4).abs() < 1e-6, "it swings into its limit and stops there");
    assert!((angle(r#"range="-0.2 0.6" ref="0.1""#) - 0.5).abs() < 1e-6, "less `ref`");
    assert!(angle(r#"range="-0.2 0.4" limited="false""#) > 1.0);
    assert!(angle(r#"frictionloss="6""#).abs() < 1e-9, "more than the weight's 4.9 N m");
    assert!(angle(r#"frictionloss="2""#) > 0.5);
    // a reference configuration outside of the range
    let (loaded, sim) = after_a_second(&text(r#"range="0.3 0.4""#));
    assert!(ledger(&loaded, "the joint `h` starts at its limit"));
    let h = sim.model().joint("h").expect("there");
    assert!((sim.coordinate(h, 0).expect("has one").0 - 0.4).abs() < 1e-6);
}

#[test]
fn geoms_touch_by_the_rules_of_the_file() {
    // a ball falls on a plate that is held by a slide, above a floor
    let text = |ball: &str, plate: &str, rest: &str| {
        format!(
            r#"<mujoco>{rest}<worldbody><geom name="floor" type="plane" size="1 1 1"/>
               <body name="ball" pos="0 0 1"><freejoint/><geom name="round" size="0.1" {ball}/></body>
               <body name="plate" pos="0 0 0.5"><joint name="s" type="slide" range="0 1"/><geom type="box" size="0.5 0.5 0.1" {plate}/></body>
               </worldbody></mujoco>"#
        )
    };
    let height = |ball: &str, plate: &str, rest: &str| {
        let (_, sim) = after_a_second(&text(ball, plate, rest));
        (sim.centre(sim.model().body("ball").expect("there")).z * 1e4).round() / 1e4
    };
    assert_eq!(height("", "", ""), 0.7);
    assert_eq!(height("", r#"contype="0" conaffinity="0""#, ""), 0.1);
    assert_eq!(
        height(r#"contype="2" conaffinity="2""#, r#"contype="0" conaffinity="2""#, ""),
        0.7,
        "but not the floor"
    );
    assert_eq!(height(r#"contype="2" conaffinity="1""#, r#"contype="4" conaffinity="8""#, ""), 0.1);
    assert_eq!(height("", "", r#"<contact><exclude body1="ball" body2="plate"/></contact>"#), 0.1);
    assert!(height("", "", r#"<option><flag contact="disable"/></option>"#) < -3.0);
    // material
    let (loaded, _) = after_a_second(&text(r#"friction="0.3 0.01 0.002" condim="6""#, "", ""));
    let ball = &loaded.scene.bodies.iter().find(|b| &*b.name == "ball").expect("there").shapes[0].surface;
    assert_eq!((ball.friction, ball.torsional, ball.rolling), (Some(0.3), Some(0.01), Some(0.002)));
    assert!(ledger(&loaded, "friction of a pair of geoms is another"));
    let pair = r#"<contact><pair geom1="round" geom2="floor" friction="0.2" condim="1"/></contact>"#;
    let (loaded, _) = after_a_second(&text("", "", pair));
    assert_eq!((loaded.scene.contact.pairs.len(), loaded.scene.contact.pairs[0].surface.friction), (1, Some(0.0)));
    let wrong = text("", "", r#"<contact><pair geom1="roundd" geom2="floor"/></contact>"#);
    let failed = Loader::new().load_text("a.xml", wrong).unwrap_err().render();
    assert!(failed.contains("E0403") && failed.contains("did you mean `round`?"), "{failed}");
}

#[test]
fn parent_and_child_pass_through_each_other_unless_the_parent_is_the_world() {
    // an arm whose ball overlaps that of its parent, both far above a floor that the first is hinged to
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="a" pos="0 0 0.5"><joint name="s" type="slide"/><geom size="0.2"/>
        <body name="b" pos="0 0 0.1"><joint name="h" axis="0 1 0"/><geom size="0.2"/></body></body></worldbody></mujoco>"#;
    let (loaded, sim) = after_a_second(text);
    let collide =
        |joint: &str| loaded.scene.joints.iter().find(|j| &*j.name == joint).expect("there").record.flag("collide");
    assert!(collide("s") && !collide("h"));
    assert!((sim.centre(sim.model().body("a").expect("there")).z - 0.2).abs() < 1e-6, "it lies on the floor");
    assert!(sim.overlap() < 1e-6);
}

//! Contacts, limits, dry friction, ropes and caps, as scene files say them.

use holonom::{IntegratorKind, Simulation};
use holonom_scene::{Loaded, Loader, Quantities};

fn load(text: &str) -> Loaded {
    Loader::new().load_text("scene.toml", text).unwrap_or_else(|f| panic!("{}", f.render()))
}

fn simulate(text: &str) -> Simulation {
    Simulation::new(load(text).build().unwrap_or_else(|f| panic!("{}", f.render())))
}

/// What the messages about a bad scene begin with: code and place of each.
fn refused(text: &str) -> String {
    match Loader::new().load_text("scene.toml", text) {
        Err(f) => f.render(),
        Ok(loaded) => loaded.build().map(|_| String::from("accepted")).unwrap_or_else(|f| f.render()),
    }
}

fn coordinate(sim: &mut Simulation, joint: &str) -> f64 {
    let id = sim.model().joint(joint).expect("a joint of that name");
    sim.coordinate(id, 0).expect("a coordinate").0
}

fn height(sim: &mut Simulation, body: &str) -> f64 {
    let id = sim.model().body(body).expect("a body of that name");
    sim.point(id.origin()).0.z
}

/// A box on a plane, in ten lines.
const BOX: &str = r#"
[contact]
friction = 0.5
[ground]
shapes = [{ kind = "plane" }]
[body.crate]
at = [0, 0, 0.5]
mass = 2
shape = { kind = "box", size = [1, 1, 1] }
velocity = [1, 0, 0]
"#;

#[test]
fn a_box_slides_on_the_ground_and_rests() {
    for integrator in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut sim = simulate(BOX);
        sim.set_integrator(integrator);
        for _ in 0..1000 {
            sim.step(1e-3).expect("it steps");
        }
        let id = sim.model().body("crate").expect("a crate");
        let at = sim.point(id.origin()).0;
        // v^2 / (2 mu g)
        assert!((at.x - 1.0 / (2.0 * 0.5 * 9.81)).abs() < 2e-3, "{at}");
        assert!((at.z - 0.5).abs() < 1e-6, "{at}");
    }
}

#[test]
fn shapes_without_contacts_are_pictures() {
    let mut sim = simulate(&BOX.replace("[contact]\nfriction = 0.5\n", ""));
    assert!(!sim.model().has_inequalities());
    for _ in 0..100 {
        sim.step(1e-2).expect("it steps");
    }
    assert!((height(&mut sim, "crate") - (0.5 - 0.5 * 9.81)).abs() < 1e-9, "it falls");
    let said = BOX.replace("[contact]\nfriction = 0.5\n", "").replace("[1, 1, 1] }", "[1, 1, 1], collides = true }");
    let said = said.replace("\"plane\" }", "\"plane\", collides = true }");
    assert!(simulate(&said).model().has_inequalities(), "unless they say that they collide");
    let not = BOX.replace("[1, 1, 1] }", "[1, 1, 1], collides = false }");
    let mut sim = simulate(&not);
    sim.step(1e-2).expect("it steps");
    assert!(height(&mut sim, "crate") < 0.5);
    let ideal = format!("{BOX}[run]\nideal = true\n");
    assert!(!simulate(&ideal).model().has_inequalities());
}

/// A rod on a hinge, let go level; what is put in the place of the star is said of the hinge.
fn pendulum(hinge: &str) -> String {
    format!(
        "[body.rod]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nmass = 1\nshape = {{ kind = \"beam\", width = 0.1, height = 0.1 }}\n\
         [joint.hinge]\nkind = \"revolute\"\nb = \"rod.from\"\naxis = [0, 1, 0]\n{hinge}\n"
    )
}

#[test]
fn a_pendulum_swings_into_its_limit_and_stops_there() {
    for integrator in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut sim = simulate(&pendulum("limits = [-0.5, 0.5]"));
        assert!(sim.model().joint("hinge.limit").is_some());
        sim.set_integrator(integrator);
        for _ in 0..2000 {
            sim.step(1e-3).expect("it steps");
        }
        let q = coordinate(&mut sim, "hinge");
        assert!((q - 0.5).abs() < 1e-6, "{q}");
        // the stop carries the weight at half the length: m g cos(q) / 2
        let stop = sim.model().joint("hinge.limit").expect("a stop");
        let loads = sim.multipliers_of(stop).expect("solved");
        assert!(loads[0].abs() < 1e-9 && (loads[1] - 0.5 * 9.81 * libm::cos(0.5)).abs() < 1e-3, "{loads:?}");
    }
}

#[test]
fn restitution_of_a_stop_gives_the_speed_back() {
    let mut sim = simulate(&pendulum("limits = [-inf, 0.5]\nrestitution = 1"));
    let mut lowest = f64::INFINITY;
    for k in 0..3000 {
        sim.step(1e-3).expect("it steps");
        let q = coordinate(&mut sim, "hinge");
        assert!(q < 0.5 + 1e-6, "{q}");
        if k > 300 {
            lowest = lowest.min(q);
        }
    }
    assert!(lowest.abs() < 1e-3, "it comes back to where it was let go: {lowest}");
}

#[test]
fn dry_friction_holds_what_it_can() {
    let at_end = |hinge: &str| {
        let mut sim = simulate(&pendulum(hinge));
        for _ in 0..200 {
            sim.step(1e-3).expect("it steps");
        }
        coordinate(&mut sim, "hinge")
    };
    // the weight needs 4.905 N m to be held, and the pin carries 9.81 N
    assert!(at_end("friction = 5").abs() < 1e-9);
    let constant = at_end("friction = 2.4525");
    let free = at_end("");
    assert!((constant / free - 0.5).abs() < 0.01, "half the torque is left: {constant} of {free}");
    assert!(at_end("friction_coefficient = 1\nfriction_radius = 0.51").abs() < 1e-9);
    assert!(at_end("friction_coefficient = 1\nfriction_radius = 0.2") > 0.05);
    assert!(simulate(&pendulum("friction = 5")).model().joint("hinge.friction").is_some());
    assert!(
        !simulate(&format!("{}[run]\nideal = true", pendulum("friction = 5\nlimits = [0, 1]")))
            .model()
            .has_inequalities()
    );
}

#[test]
fn limits_of_several_coordinates() {
    let text = r#"
        [body.b]
        mass = 1
        inertia = [1, 1, 1]
        [joint.j]
        kind = "cylindrical"
        b = "b"
        limits = [[], [-1, "${60*deg}"]]
        friction = [0, 0.1]
        friction_coefficient = 0.1
        friction_radius = 0.02
    "#;
    let sim = simulate(text);
    let names: Vec<&str> = sim.model().joints().map(|j| sim.model().joint_name(j)).collect();
    assert_eq!(names, ["j", "j.limit.1", "j.friction", "j.friction.1"]);
}

#[test]
fn a_rope_is_slack_until_it_is_taut() {
    let text = r#"
        [body.ball]
        kind = "particle"
        mass = 2
        at = [0, 0, -0.5]
        [joint.tether]
        kind = "rope"
        b = "ball"
        length = 1
    "#;
    for integrator in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut sim = simulate(text);
        sim.set_integrator(integrator);
        for _ in 0..200 {
            sim.step(1e-3).expect("it steps");
        }
        assert!((height(&mut sim, "ball") - (-0.5 - 0.5 * 9.81 * 0.04)).abs() < 2e-3, "it falls freely");
        for _ in 0..800 {
            sim.step(1e-3).expect("it steps");
        }
        assert!((height(&mut sim, "ball") + 1.0).abs() < 1e-6, "and hangs on the rope");
        let rope = sim.model().joint("tether").expect("a rope");
        let tension = sim.multipliers_of(rope).expect("solved")[0];
        assert!((tension - 2.0 * 9.81).abs() < 1e-6, "{tension}");
    }
}

#[test]
fn drives_give_no_more_than_their_effort() {
    // 4.905 N m hold the rod level; less does not
    let after = |hinge: &str, drive: &str| {
        let text =
            format!("{}[drive.motor]\nkind = \"position\"\njoint = \"hinge\"\nvalue = 0\n{drive}\n", pendulum(hinge));
        let mut sim = simulate(&text);
        for _ in 0..200 {
            sim.step(1e-3).expect("it steps");
        }
        coordinate(&mut sim, "hinge")
    };
    assert!(after("", "").abs() < 1e-9);
    assert!(after("", "effort = 5").abs() < 1e-9);
    let weak = after("", "effort = 2.4525");
    assert!(weak > 0.1, "{weak}");
    assert_eq!(after("effort = 2.4525", ""), weak, "the cap of the joint is that of its drives");
    assert!(after("effort = 2.4525", "effort = 5").abs() < 1e-9, "unless they say their own");
}

#[test]
fn pairs_groups_and_joints_say_who_touches_whom() {
    // a ball falls on a plate that stands on the ground
    let scene = |plate: &str, rest: &str| {
        format!(
            "[ground]\nshapes = [{{ kind = \"plane\" }}]\n[body.ball]\nat = [0, 0, 1]\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\n\
             [body.plate]\nat = [0, 0, 0.1]\nmass = 1\nshape = {{ kind = \"box\", size = [1, 1, 0.2], name = \"top\"{plate} }}\n[contact]\n{rest}\n"
        )
    };
    let falls_to = |text: &str| {
        let mut sim = simulate(text);
        sim.set_integrator(IntegratorKind::Stepping);
        for _ in 0..1000 {
            sim.step(1e-3).expect("it steps");
        }
        (height(&mut sim, "ball") * 1e4).round() / 1e4
    };
    assert_eq!(falls_to(&scene("", "")), 0.3);
    assert_eq!(falls_to(&scene("", "ignore = [[\"ball\", \"plate\"]]")), 0.1);
    assert_eq!(
        falls_to(&scene(", groups = [2], meets = [2]", "ignore = [[\"plate\", \"ground\"]]")),
        0.1,
        "nobody is in group 2"
    );
    let bouncy = scene("", "[[contact.pair]]\na = \"ball\"\nb = \"plate.top\"\nrestitution = 1");
    let mut sim = simulate(&bouncy);
    let mut highest = 0.0f64;
    for k in 0..800 {
        sim.step(1e-3).expect("it steps");
        if k > 450 {
            highest = highest.max(height(&mut sim, "ball"));
        }
    }
    assert!(highest > 0.6, "{highest}");
    // held together by a joint they pass through each other, unless it says that they collide
    let joined = |more: &str| {
        format!("{}\n[joint.slide]\nkind = \"prismatic\"\na = \"plate\"\nb = \"ball\"\n{more}\n", scene("", ""))
    };
    assert_eq!(falls_to(&joined("")), 0.1);
    assert_eq!(falls_to(&joined("collide = true")), 0.3);
    let driven = joined("collide = true\n[drive.push]\nkind = \"torque\"\njoint = \"slide\"\nvalue = 0");
    assert_eq!(falls_to(&driven), 0.3);
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let body = "[body.b]\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }\n";
    let cases: &[(&str, &str, &[&str])] = &[
        ("", &pendulum("limits = [1, -1]"), &["E0205", "`limits` is out of range", "1 and -1", "less"]),
        ("", &pendulum("limits = [1, 2, 3]"), &["E0207", "3 elements"]),
        ("", &pendulum("limits = [[0, 1], [0, 1]]"), &["E0213", "2, the joint has 1"]),
        ("", &pendulum("limits = 3"), &["E0203", "`limits`"]),
        ("", &pendulum("restitution = 2\nlimits = [0, 1]"), &["E0205", "`restitution`", "2, must be from 0 to 1"]),
        ("", &pendulum("friction = -1"), &["E0205", "`friction`", "-1 N m, must not be negative"]),
        ("", &pendulum("effort = 0"), &["E0205", "`effort`", "0 N m, must be greater than 0"]),
        ("", &pendulum("friction_coefficient = 0.1"), &["E0202", "friction_radius"]),
        ("", &pendulum("friction_radius = 0.1"), &["E0202", "friction_coefficient"]),
        (body, "[joint.j]\nkind = \"spherical\"\nb = \"b\"\nlimits = [0, 1]", &["E0213", "has none"]),
        (body, "[contact]\nfriction = -0.1", &["E0205", "`friction`", "-0.1, must not be negative"]),
        (body, "[contact]\nrestitution = 2", &["E0205", "2, must be from 0 to 1"]),
        (body, "[contact]\nstatic_friction = 0.1\nfriction = 0.2", &["E0205", "at least `friction`, 0.2"]),
        (body, "[contact]\nimpacts = \"newtons\"", &["E0228", "did you mean `newton`?"]),
        (body, "[contact]\nignore = [[\"b\", \"c\"]]", &["E0210", "no body `c`"]),
        (body, "[contact]\nignore = [[\"b\"]]", &["E0207", "two bodies"]),
        (body, "[[contact.pair]]\na = \"b\"\nb = \"bb\"", &["E0210", "did you mean `b`?"]),
        (body, "[[contact.pair]]\na = \"b.lid\"\nb = \"b\"", &["E0230", "no shape `lid`"]),
        (body, "[[contact.pair]]\na = \"b\"\nb = \"ground\"", &["E0230", "`ground` has no shape that collides"]),
        (body, "[contact]\nfrction = 1", &["E0201", "did you mean `friction`?"]),
        (
            "[contact]\n",
            "[body.soft]\nkind = \"affine\"\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }",
            &["E0229", "`soft`", "affine", "collides = false"],
        ),
        (
            "",
            "[body.soft]\nkind = \"scaled\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1, collides = true }",
            &["E0229", "`soft`", "scaled"],
        ),
        (
            "[contact]\n",
            "[body.hat]\nmass = 1\nshape = { kind = \"cone\", radius = 1, height = 0.1 }\n\
             [ground]\nshapes = [{ kind = \"cylinder\", radius = 1, length = 1 }]",
            &["E0229", "a cone and a cylinder", "would pass through", "body/hat"],
        ),
        (
            "[contact]\n",
            "[body.b]\nmass = 1\nshape = { kind = \"sphere\", radius = 1, groups = [33] }",
            &["E0205", "33, must be whole numbers from 1 to 32"],
        ),
        (
            "[contact]\n",
            "[ground]\nshapes = [{ kind = \"heights\", size = [1, 1], columns = 2, heights = [0, 0, 0] }]",
            &["E0207", "3 elements, 2 for each row"],
        ),
        (
            "",
            "[body.p]\nkind = \"particle\"\nmass = 1\n[joint.r]\nkind = \"rope\"\nb = \"p\"\nlength = -1",
            &["E0205", "`length`"],
        ),
    ];
    for (before, text, wanted) in cases {
        let text = format!("{before}{text}\n");
        let said = refused(&text);
        assert!(wanted.iter().all(|w| said.contains(w)), "{text}\n{said}");
    }
}

#[test]
fn loads_of_contacts_stops_and_ropes_have_names() {
    let text = format!(
        "{BOX}{}",
        pendulum("limits = [-1, 0.5]\nfriction = 0.1").replace("[body.rod]", "[body.rod]\ncolour = [1, 0, 0]")
    )
    .replace("velocity = [1, 0, 0]\n", "")
    .replace("height = 0.1 }", "height = 0.1, collides = false }")
        + "[body.ball]\nkind = \"particle\"\nmass = 3\nat = [5, 0, 4]\n[joint.tether]\nkind = \"rope\"\na = { body = \"ground\", at = [5, 0, 5] }\nb = \"ball\"\n";
    let loaded = load(&text);
    let model = loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    let mut quantities = Quantities::of_scene(
        &model,
        &loaded.scene,
        &["contact.*", "hinge.limit.effort", "hinge.friction.effort", "tether.tension"],
    )
    .expect("known");
    let names: Vec<&str> = quantities.names().collect();
    let contact = "contact.crate.ground";
    let of_pair =
        ["force.x", "force.y", "force.z", "normal", "gap", "points", "state"].map(|n| format!("{contact}.{n}"));
    let expected = ["contact.count", "contact.overlap", "contact.largest"].map(String::from).into_iter().chain(of_pair);
    assert_eq!(names[1..11].iter().map(|n| n.to_string()).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let mut sim = Simulation::new(model);
    sim.set_integrator(IntegratorKind::Stepping);
    for _ in 0..2000 {
        sim.step(1e-3).expect("it steps");
    }
    let mut row = vec![0.0; quantities.len()];
    quantities.read(&mut sim, &mut row).expect("solved");
    let near = |k: usize, x: f64| assert!((row[k] - x).abs() < 1e-6 * (1.0 + x.abs()), "{k}: {} against {x}", row[k]);
    near(1, 4.0);
    // how four corners share the weight of a rigid box is not unique: balance of moments leaves the largest between a quarter and a half
    assert!((0.25 - 1e-6..=0.5 + 1e-6).contains(&(row[3] / (2.0 * 9.81))), "{}", row[3]);
    near(6, 2.0 * 9.81);
    near(7, 2.0 * 9.81);
    near(9, 4.0);
    near(10, 1.0);
    // the stop holds the rod down against its weight, less what dry friction carries
    near(11, -(0.5 * 9.81 * libm::cos(0.5)) - row[12]);
    assert!(row[12].abs() <= 0.1 + 1e-12);
    near(13, 3.0 * 9.81);
    assert_eq!(quantities.all()[11].unit, "N m");
    assert!(
        Quantities::of_scene(sim.model(), &loaded.scene, &["contact.crate.ground.force.*"]).expect("known").len() == 4
    );
    assert!(
        Quantities::of_scene(sim.model(), &loaded.scene, &["contact.crate.rod.gap"]).is_err(),
        "it has no shape that touches"
    );
}

#[test]
fn scenes_with_contacts_come_back_as_they_were() {
    let text = r#"
[contact]
restitution = 0.1
order = "sequential"
ignore = [["a", "b"], ["a", "ground"]]
[[contact.pair]]
a = "a.lid"
b = "ground"
friction = 0.9
[[contact.pair]]
a = "b"
b = "ground"
rolling = 0.001
[ground]
shapes = [{ kind = "plane" }, { kind = "heights", size = [1, 2], columns = 2, heights = [0, 0, 1, 1, 0, 0] }]
[body.a]
mass = 1
shape = { kind = "box", size = [1, 1, 1], name = "lid", groups = [1, 2] }
[body.b]
mass = 1
shape = { kind = "sphere", radius = 1, static_friction = 1, friction = 0.8 }
[joint.j]
kind = "cylindrical"
a = "a"
b = "b"
limits = [[], [-inf, 1]]
friction = [0, 0.1]
effort = [3, 4]
collide = true
[run]
integrator = "stepping"
ideal = false
"#;
    let first = load(text);
    let written = holonom_scene::write::document(&first.document);
    let again = load(&written);
    assert_eq!(holonom_scene::write::document(&again.document), written);
    let shapes = |l: &Loaded| {
        (l.scene.ground_shapes.clone(), l.scene.bodies.iter().map(|b| b.shapes.clone()).collect::<Vec<_>>())
    };
    let plain = |(ground, bodies): (Vec<_>, Vec<std::sync::Arc<[holonom_scene::scene::ShapeRecord]>>)| {
        let strip = |s: &holonom_scene::scene::ShapeRecord| holonom_scene::scene::ShapeRecord {
            span: first.scene.ground_shapes[0].span,
            ..s.clone()
        };
        (
            ground.iter().map(strip).collect::<Vec<_>>(),
            bodies.iter().map(|b| b.iter().map(strip).collect::<Vec<_>>()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(plain(shapes(&first)), plain(shapes(&again)));
    assert_eq!(again.scene.contact.pairs.len(), 2);
    let [x, y] = [&first, &again].map(|l| {
        let mut sim = Simulation::new(l.build().unwrap_or_else(|f| panic!("{}", f.render())));
        sim.step(1e-3).expect("it steps");
        sim.state().hash()
    });
    assert_eq!(x, y);
}

#[test]
fn every_kind_of_shape_that_can_comes_to_rest() {
    let shapes = [
        (r#"{ kind = "sphere", radius = 0.2 }"#, 0.2),
        (r#"{ kind = "ellipsoid", half_axes = [0.2, 0.2, 0.2] }"#, 0.2),
        (r#"{ kind = "box", size = [0.4, 0.5, 0.6] }"#, 0.3),
        (r#"{ kind = "beam", from = [0, 0, 0], to = [1, 0, 0], width = 0.4, height = 0.6 }"#, 0.3),
        (
            r#"{ kind = "capsule", radius = 0.2, length = 0.5, rotation = { axis = [0, 1, 0], angle = "${pi/2}" } }"#,
            0.2,
        ),
        (r#"{ kind = "cylinder", radius = 0.3, length = 0.4 }"#, 0.2),
        (
            r#"{ kind = "hull", points = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0.2, 0.2, 0.2]] }"#,
            0.0,
        ),
    ];
    let grounds = [
        r#"{ kind = "plane" }"#,
        r#"{ kind = "box", size = [4, 4, 1], at = [0, 0, -0.5] }"#,
        r#"{ kind = "heights", size = [4, 4], columns = 3, heights = [0, 0, 0, 0, 0, 0, 0, 0, 0] }"#,
    ];
    for ground in grounds {
        for (shape, height) in shapes {
            let text = format!(
                "[contact]\n[ground]\nshapes = [{ground}]\n[body.it]\nat = [0.03, 0.02, {}]\ndensity = 1000\nshape = {shape}\n",
                height + 0.01
            );
            let mut sim = simulate(&text);
            sim.set_integrator(IntegratorKind::Stepping);
            for _ in 0..500 {
                sim.step(1e-3).unwrap_or_else(|e| panic!("{shape} on {ground}: {e}"));
            }
            let z = self::height(&mut sim, "it");
            assert!((z - height).abs() < 1e-5, "{shape} on {ground}: {z} against {height}");
        }
        let text = format!(
            "[contact]\n[ground]\nshapes = [{ground}]\n[body.it]\nkind = \"particle\"\nmass = 1\nat = [0.03, 0.02, 0.01]\nshape = {{ kind = \"point\" }}\n"
        );
        let mut sim = simulate(&text);
        sim.set_integrator(IntegratorKind::Stepping);
        for _ in 0..200 {
            sim.step(1e-3).unwrap_or_else(|e| panic!("point on {ground}: {e}"));
        }
        let z = height(&mut sim, "it");
        assert!(z.abs() < 1e-5, "point on {ground}: {z}");
    }
}

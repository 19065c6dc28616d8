//! Generators make what they say: the bench cases, written as scenes of a few lines, have the accelerations of the cases built by hand.

use holonom::Simulation;
use holonom_cases::{SEED, case};
use holonom_scene::diagnostic::Class;
use holonom_scene::{Loaded, Loader};

const LINK: &str = r#"link = { mass = 1, shape = { kind = "box", size = [1, 0.2, 0.2], at = [0.5, 0, 0] } }"#;

fn load(text: &str) -> Loaded {
    let loaded = Loader::new().load_text("test.toml", text).unwrap_or_else(|f| panic!("{}\n{text}", f.render()));
    assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
    loaded
}

/// Code, line and column of the first mistake, and its class.
fn refused(text: &str) -> (String, usize, usize, Class) {
    let failed = match Loader::new().load_text("test.toml", text) {
        Err(failed) => failed,
        Ok(loaded) => loaded.build().map(|_| ()).expect_err("must be refused"),
    };
    let d = &failed.report.all()[0];
    let place = failed.sources.place(d.span.unwrap_or_else(|| panic!("no place: {}", failed.render()))).expect("place");
    (d.code.to_string(), place.line, place.column, failed.report.class())
}

fn scene(name: &str, n: usize) -> String {
    match name {
        "a" => {
            format!("[chain.link]\ncount = {n}\nlength = 1\nfirst = 'ground'\njoint = {{ kind = 'spherical' }}\n{LINK}")
        }
        "b" => format!(
            "[chain.link]\ncount = {n}\nlength = 1\nfirst = 'ground'\n{LINK}\n\
             joint = {{ kind = 'revolute', axis = [0, '${{mod(i, 2)}}', '${{1 - mod(i, 2)}}'] }}"
        ),
        "c" => format!("[tree.link]\ncount = {n}\nlength = 1\nspread = 0.2\njoint = {{ kind = 'spherical' }}\n{LINK}"),
        "d" => format!(
            "[star.link]\ncount = {n}\nlength = 1\nradius = 0.5\ncentre = [0.5, 0, 0]\ndirection = [1, 0, 0]\n\
             joint = {{ kind = 'spherical' }}\n{LINK}\n{}",
            LINK.replace("link =", "hub =").replace("} }", "}, at = [0, 0, 0] }")
        ),
        "e" | "r" => format!(
            "[ring.link]\ncount = {n}\nlength = 1\nfrom = [0, 0, 0]\nheading = 0.1\nfirst = 'ground'\n{LINK}\n\
             joint = {{ kind = '{}' }}",
            if name == "e" { "spherical" } else { "revolute" }
        ),
        "ladder-" => format!(
            "[ladder.link]\ncount = {n}\nlength = 1\nacross = [0, 1, 0]\nfirst = 'ground'\njoint = {{ kind = 'spherical' }}\n{LINK}"
        ),
        "fourbars-" => format!(
            r#"
gravity = [0, -9.81, 0]
[params]
N = {n}
[body."crank/0"]
from = [0, 0, 0]
to = [0, 1, 0]
mass = 1
com = [0.5, 0, 0]
inertia = [0.006666666666666667, 0.08333333333333333, 0.08333333333333333]
[joint."pin/0"]
kind = "revolute"
b = "crank/0.from"
[repeat.loop]
count = "${{N}}"
[repeat.loop.body."coupler/${{i}}"]
from = ["${{i - 1}}", 1, 0]
to = ["${{i}}", 1, 0]
mass = 1
com = [0.5, 0, 0]
inertia = [0.006666666666666667, 0.08333333333333333, 0.08333333333333333]
[repeat.loop.body."crank/${{i}}"]
from = ["${{i}}", 0, 0]
to = ["${{i}}", 1, 0]
mass = 1
com = [0.5, 0, 0]
inertia = [0.006666666666666667, 0.08333333333333333, 0.08333333333333333]
[repeat.loop.joint."pin/${{i}}"]
kind = "revolute"
b = "crank/${{i}}.from"
[repeat.loop.joint."left/${{i}}"]
kind = "revolute"
a = "crank/${{i - 1}}.to"
b = "coupler/${{i}}.from"
[repeat.loop.joint."right/${{i}}"]
kind = "revolute"
a = "crank/${{i}}.to"
b = "coupler/${{i}}.to"
"#
        ),
        _ => format!(
            r#"
[params]
N = {n}
[grid.net]
rows = "${{N}}"
columns = "${{N}}"
link = {{ mass = 1, shape = {{ kind = "box", size = [0.5, 0.5, 0.5] }} }}
joint = {{ kind = "spherical" }}
[joint.corner]
kind = "spherical"
b = "net/1/1"
[joint.other-corner]
kind = "spherical"
b = "net/1/${{N}}"
"#
        ),
    }
}

#[test]
fn bench_cases_as_scenes() {
    for (name, n) in [
        ("a", 16),
        ("b", 17),
        ("c", 128),
        ("d", 127),
        ("e", 20),
        ("e", 40),
        ("r", 40),
        ("ladder-", 30),
        ("fourbars-", 10),
        ("grid-", 6),
    ] {
        let case = case(&format!("{name}{n}")).expect("known");
        let text = scene(name, n);
        assert!(text.lines().count() < 45, "{name} fits on a screen");
        let ours = load(&text).build().unwrap_or_else(|f| panic!("{name}: {}", f.render()));
        let by_hand = case.builder().build().expect("case");
        assert_eq!((ours.n_bodies(), ours.n_rows()), (by_hand.n_bodies(), by_hand.n_rows()), "{name}{n}");
        // cases with loops stand as their scenes do
        if !"abcd".contains(name) {
            let (q, p) = (&ours.initial_state().q, &by_hand.initial_state().q);
            // a quaternion and its negative are the same turn
            let worst = q.iter().zip(p).map(|(x, y)| (x - y).abs().min((x + y).abs())).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{name}{n}: poses differ by {worst:e}");
        }
        let accelerations = |model: holonom::Model| {
            let state = case.state(&model, SEED);
            let mut sim = Simulation::new(model);
            sim.set_state(state);
            sim.accelerations().expect("regular")
        };
        let (a, b) = (accelerations(ours), accelerations(by_hand));
        let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = a.iter().zip(&b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size;
        println!("{name}{n}: {error:.1e}");
        assert!(error < 1e-9, "{name}{n}: accelerations differ by {error:e}");
    }
}

#[test]
fn a_chain_finds_its_ends() {
    let loaded = load(
        "[ground]\npoints.A = [0, 0, 2]\n[body.hook]\nat = [3, 0, 2]\nmass = 5\ninertia = [1, 1, 1]\npoints.eye = [0, 0, 0.5]\n\
         [chain.rope]\ncount = 4\nfirst = 'ground.A'\nlast = 'hook.eye'\njoint = { kind = 'spherical' }\n\
         link = { shape = { kind = 'rod', radius = 0.01 }, mass = '${0.1*i}' }\n\
         [joint.tag]\nkind = 'weld'\nb = 'tag'\na = 'rope/2.to'\n[body.tag]\nmass = 0.1\ninertia = [1, 1, 1]\n",
    );
    let names: Vec<&str> = loaded.scene.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["hook", "tag", "rope/1", "rope/2", "rope/3", "rope/4"]);
    let joints: Vec<&str> = loaded.scene.joints.iter().map(|b| &*b.name).collect();
    assert_eq!(joints, ["tag", "rope/1", "rope/2", "rope/3", "rope/4", "rope/last"]);
    let end = loaded.scene.bodies[5].pose.point(holonom::math::vec3((9.25f64).sqrt() / 4.0, 0.0, 0.0));
    assert!((end - holonom::math::vec3(3.0, 0.0, 2.5)).length() < 1e-14, "{end}");
    let masses: Vec<f64> = loaded.scene.bodies[2..].iter().map(|b| b.mass.expect("mass").mass).collect();
    assert_eq!(masses, [0.1, 0.2, 0.30000000000000004, 0.4]);
    let model = loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    assert_eq!((model.n_bodies(), model.n_rows()), (6, 5 * 3 + 6));
}

#[test]
fn templates_without_counters_are_shared() {
    let loaded = load(&scene("a", 1000));
    let bodies = &loaded.scene.bodies;
    assert!(bodies.iter().all(|b| std::sync::Arc::ptr_eq(&b.record, &bodies[0].record)));
    assert!(bodies.iter().all(|b| std::sync::Arc::ptr_eq(&b.shapes, &bodies[0].shapes)));
    assert!(bodies.iter().all(|b| std::sync::Arc::ptr_eq(&b.points, &bodies[0].points)));
    let joints = &loaded.scene.joints;
    // the first one knows where `first` was said
    assert!(joints[1..].iter().all(|j| std::sync::Arc::ptr_eq(&j.record, &joints[1].record)));
}

#[test]
fn a_repeat_of_one_is_a_switch() {
    let text = |on: usize| {
        format!(
            "[params]\non = {on}\n[body.arm]\nmass = 1\ninertia = [1, 1, 1]\n[joint.hinge]\nkind = 'revolute'\nb = 'arm'\n\
             [repeat.motor]\ncount = '${{on}}'\n[repeat.motor.drive.motor]\nkind = 'position'\njoint = 'hinge'\nvalue = 0\n"
        )
    };
    let names = |on: usize| load(&text(on)).scene.drives.iter().map(|d| d.name.to_string()).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec![], vec!["motor".to_string()]));
}

#[test]
fn copies_share_what_does_not_use_the_counter() {
    let text = |mass: &str, axis: &str| {
        format!(
            "[repeat.flap]\ncount = 50\n[repeat.flap.body.'flap/${{i}}']\nfrom = ['${{i}}', 0, 0]\nto = ['${{i}}', 1, 0]\nmass = {mass}\n\
             spin = [0, 0, '${{i}}']\nshape = {{ kind = 'rod', radius = 0.1 }}\n\
             [repeat.flap.joint.'hinge/${{i}}']\nkind = 'revolute'\nb = 'flap/${{i}}.from'\naxis = {axis}\n"
        )
    };
    // the same scene, told in two ways: one that can be shared and one that cannot
    let shared = load(&text("2", "[0, 0, 1]"));
    let each = load(&text("'${2 + 0*i}'", "[0, 0, '${1 + 0*i}']"));
    let same = |l: &Loaded| std::sync::Arc::ptr_eq(&l.scene.bodies[7].record, &l.scene.bodies[30].record);
    assert_eq!((same(&shared), same(&each)), (true, false));
    assert!(std::sync::Arc::ptr_eq(&shared.scene.bodies[7].shapes, &shared.scene.bodies[30].shapes));
    assert!(std::sync::Arc::ptr_eq(&shared.scene.joints[7].record, &shared.scene.joints[30].record));
    for (a, b) in shared.scene.bodies.iter().zip(&each.scene.bodies) {
        assert_eq!(
            (&a.name, a.pose, a.velocity, a.spin, a.mass, a.placed, a.moves),
            (&b.name, b.pose, b.velocity, b.spin, b.mass, b.placed, b.moves)
        );
    }
    let accelerations = |l: &Loaded| {
        let sim = Simulation::new(l.build().unwrap_or_else(|f| panic!("{}", f.render())));
        sim.accelerations().expect("regular")
    };
    assert_eq!(accelerations(&shared), accelerations(&each));
}

#[test]
fn particles_on_a_string() {
    let loaded = load(
        "[chain.bead]\ncount = 3\nfrom = [1, 0, 0]\nstep = [0.5, 0, 0]\nlink = { kind = 'particle', mass = 2 }\n\
         spin = [0, 0, 2]\nvelocity = [1, 0, 0]\n",
    );
    let b = &loaded.scene.bodies[2];
    assert_eq!((b.pose.position.x, b.velocity.x, b.velocity.y), (2.0, 1.0, 2.0));
    assert!(loaded.scene.joints.is_empty());
    loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
}

#[test]
fn repeats_nest() {
    let loaded = load(
        r#"
[repeat.leg]
count = 2
index = "leg"
[repeat.leg.chain."leg/${leg}/rope"]
count = "${2 * leg}"
from = ["${leg}", 0, 0]
length = 0.5
link = { mass = "${leg + i/10}", shape = { kind = "rod", radius = 0.1 } }
joint = { kind = "spherical" }
[repeat.leg.repeat."toe/${leg}"]
count = 3
[repeat.leg.repeat."toe/${leg}".body."leg/${leg}/toe/${i}"]
at = ["${leg}", "${i}", "${n}"]
mass = 1
inertia = [1, 1, 1]
[repeat.leg.repeat."toe/${leg}".force."pull/${leg}/${i}"]
kind = "spring"
b = "leg/${leg}/toe/${i}"
a = "leg/${leg}/rope/1.to"
stiffness = "${100 * i}"
"#,
    );
    let names: Vec<&str> = loaded.scene.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names.len(), 2 + 3 + 4 + 3);
    assert_eq!(
        names[..6],
        ["leg/1/rope/1", "leg/1/rope/2", "leg/1/toe/1", "leg/1/toe/2", "leg/1/toe/3", "leg/2/rope/1"]
    );
    assert_eq!(loaded.scene.bodies[8].mass.map(|m| m.mass), Some(2.4));
    assert_eq!(loaded.scene.bodies[11].pose.position, holonom::math::vec3(2.0, 3.0, 3.0));
    loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
}

#[test]
fn counts_are_charged_before_anything_is_made() {
    let start = std::time::Instant::now();
    let link = "length = 1\nlink = { mass = 1 }\njoint = { kind = 'weld' }\n";
    for (text, line, column) in [
        (format!("[chain.x]\ncount = 1e18\n{link}"), 2, 9),
        (format!("[chain.x]\ncount = 1_000_000_000_000\n{link}"), 2, 9),
        (format!("[chain.x]\ncount = 99999999999999999999999\n{link}"), 2, 9),
        (format!("[ring.x]\ncount = '${{10^18}}'\n{link}"), 2, 9),
        (format!("[tree.x]\ndepth = 100\n{link}"), 2, 9),
        (format!("[tree.x]\ndepth = 1e18\nbranching = 1\n{link}"), 2, 9),
        ("[grid.x]\nrows = 5e9\ncolumns = 5e9\nlink = { mass = 1 }\njoint = { kind = 'weld' }\n".into(), 2, 8),
        (format!("[ladder.x]\ncount = 1e18\nacross = [0, 1, 0]\n{link}"), 2, 9),
        (format!("[star.x]\ncount = 9e18\nradius = 1\nhub = {{ mass = 1 }}\n{link}"), 2, 9),
        ("[repeat.x]\ncount = 1e18\n[repeat.x.body.'b/${i}']\nmass = 1".into(), 2, 9),
        (
            "[repeat.x]\ncount = 10000\n[repeat.x.repeat.'y/${i}']\ncount = 10000\nindex = 'k'\n\
             [repeat.x.repeat.'y/${i}'.body.'b/${i}/${k}']\nmass = 1"
                .into(),
            2,
            9,
        ),
        (
            "[repeat.x]\ncount = 10000\n[repeat.x.chain.'y/${i}']\ncount = '${10*i}'\nlength = 1\n\
             link = { mass = 1, inertia = [1, 1, 1] }"
                .into(),
            2,
            9,
        ),
    ] {
        assert_eq!(refused(&text), ("E0504".to_string(), line, column, Class::Limit), "{text}");
    }
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let (input, chain) = (Class::Input, "[chain.x]\ncount = 3\n");
    for (text, code, line, column) in [
        ("[chain.x]\ncount = 0\nlength = 1\nlink = { mass = 1 }".to_string(), "E0205", 2, 9),
        ("[chain.x]\ncount = 1.5\nlength = 1\nlink = { mass = 1 }".into(), "E0203", 2, 9),
        ("[chain.x]\ncuont = 3\nlength = 1\nlink = { mass = 1 }".into(), "E0201", 2, 1),
        (format!("{chain}length = 1"), "E0202", 1, 8),
        (format!("{chain}link = {{ mass = 1 }}"), "E0202", 1, 8),
        (format!("{chain}length = 1\nto = [1, 0, 0]\nlink = {{ mass = 1 }}"), "E0215", 3, 1),
        (format!("{chain}length = 1\nlink = {{ mass = 1, at = [0, 0, 0] }}"), "E0215", 4, 20),
        (
            format!("{chain}length = 1\nlink = {{ mass = 1 }}\njoint = {{ kind = 'weld', at = [0, 0, 0] }}"),
            "E0215",
            5,
            26,
        ),
        (format!("{chain}length = 1\nlink = {{ mass = 1 }}\njoint = {{ kind = 'wled' }}"), "E0204", 5, 18),
        (format!("{chain}length = 1\nlink = {{ mass = '${{j}}' }}"), "E0220", 4, 20),
        (format!("{chain}length = 1\nlink = {{ mass = '${{2 - i}}' }}"), "E0205", 4, 17),
        (format!("{chain}length = 1\nlink = {{ mass = 1, inertia = [1, 1, 1] }}\n[ring.x]\ncount = 3"), "E0202", 5, 7),
        (
            format!(
                "{chain}length = 1\nlink = {{ mass = 1, inertia = [1, 1, 1] }}\n[body.'x/2']\nmass = 1\ninertia = [1, 1, 1]"
            ),
            "E0209",
            1,
            8,
        ),
        ("[repeat.x]\ncount = 3\n[repeat.x.body.b]\nmass = 1".into(), "E0208", 3, 16),
        ("[repeat.x]\ncount = 3\n[repeat.x.body.'b/${i/2}']\nmass = 1\ninertia = [1, 1, 1]".into(), "E0208", 3, 16),
        ("[repeat.x]\ncount = 3\nindex = 'a b'\n[repeat.x.body.'b/${i}']\nmass = 1".into(), "E0208", 3, 9),
        ("[repeat.x]\ncount = 3".into(), "E0202", 1, 9),
        ("[tree.x]\nlength = 1\nlink = { mass = 1 }\njoint = { kind = 'weld' }".into(), "E0202", 1, 7),
    ] {
        assert_eq!(refused(&text), (code.to_string(), line, column, input), "{text}");
    }
}

#[test]
fn a_repeat_may_be_switched_off() {
    let text = "[params]\nextra = 0\n[body.a]\nmass = 1\ninertia = [1, 1, 1]\n[repeat.more]\ncount = '${extra}'\n\
         [repeat.more.body.'b${i}']\nmass = 1\ninertia = [1, 1, 1]\n[repeat.more.joint.'pin${i}']\nkind = 'revolute'\na = 'a'\nb = 'b${i}'\nat = [0, 0, 0]\n";
    let counted = |extra: f64| {
        let loaded = Loader::new().parameter("extra", extra).load_text("switch.toml", text);
        let scene = loaded.unwrap_or_else(|f| panic!("{}", f.render())).scene;
        (scene.bodies.len(), scene.joints.len())
    };
    assert_eq!((counted(0.0), counted(1.0), counted(3.0)), ((1, 0), (2, 1), (4, 3)));
    // what there is once at most needs no counter in its name
    let plain = text.replace("b${i}", "b").replace("pin${i}", "pin");
    let load = |extra: f64| Loader::new().parameter("extra", extra).load_text("switch.toml", plain.as_str());
    assert_eq!(load(1.0).unwrap_or_else(|f| panic!("{}", f.render())).scene.bodies.len(), 2);
    assert_eq!(load(0.0).unwrap_or_else(|f| panic!("{}", f.render())).scene.bodies.len(), 1);
    assert!(load(2.0).expect_err("two of one name").render().contains("has no counter"));
    let refused = Loader::new().parameter("extra", -1.0).load_text("switch.toml", text).expect_err("fewer than none");
    assert!(refused.render().contains("must be at least 0"), "{}", refused.render());
}

//! Where joints hold on to bodies, and what is said of values that make no joint, drive, function, curve or surface: at the field, with its code.

use holonom::math::{Vec3, vec3};
use holonom::{AttachmentKind, Simulation};
use holonom_scene::{LoadError, Loader, Severity};

const HEAD: &str = r#"gravity = [0, 0, 0]
[body.one]
mass = 1
inertia = [0.1, 0.2, 0.15]
at = [1, 2, 3]
rotation = { axis = [0, 0, 1], angle = 0.5 }
points.p = [0.1, 0.2, 0.3]
frames.f = { at = [0.1, 0.2, 0.3], axis = [1, 0, 0] }
[body.two]
mass = 1
inertia = [0.1, 0.2, 0.15]
at = [1.5, 2, 3]
points.p = [0.4, 0, 0]
"#;

fn failed(tail: &str) -> LoadError {
    match Loader::new().load_text("bad.toml", format!("{HEAD}{tail}")) {
        Ok(loaded) => loaded.build().err().unwrap_or_else(|| panic!("built:\n{tail}")),
        Err(failed) => failed,
    }
}

/// Every text, and what is said against it: the code, and the piece of the text that is underlined.
const BAD: &[(&str, &str, &str)] = &[
    ("[joint.j]\nkind = \"gear\"\na = \"one\"\nb = \"two\"\nradius_a = 0\nradius_b = 1", "E0205", "0"),
    (
        "[joint.j]\nkind = \"gear\"\na = \"one\"\nb = \"two\"\nradius_a = 2\nradius_b = 2.0\ninternal = true",
        "E0205",
        "2.0",
    ),
    (
        "[joint.j]\nkind = \"gear\"\na = \"one\"\nb = \"two\"\nradius_a = 2\nradius_b = 1\npressure_angle = 20",
        "E0205",
        "20",
    ),
    ("[joint.j]\nkind = \"gear\"\na = \"one\"\nb = \"two\"\nradius_a = 2\nradius_b = 1\nhelix = -1.6", "E0205", "-1.6"),
    ("[joint.j]\nkind = \"worm\"\na = \"one\"\nb = \"two\"\nlead = 0.0\nwheel_radius = 1", "E0205", "0.0"),
    ("[joint.j]\nkind = \"rolling-disc\"\nb = \"two\"\nradius = -0.5", "E0205", "-0.5"),
    ("[joint.j]\nkind = \"distance\"\na = \"one\"\nb = \"two\"\nlength = -2", "E0205", "-2"),
    ("[joint.j]\nkind = \"perpendicular-axes\"\na = \"one\"\nb = \"two\"\nangle = 3.2", "E0205", "3.2"),
    ("[joint.j]\nkind = \"revolute\"\na = \"one\"\nb = \"one\"", "E0225", "\"one\""),
    (
        "[joint.j]\nkind = \"revolute\"\na = \"one\"\nb = \"two\"\naxis = [0, 0, 1]\nx_axis = [0, 0, 2]",
        "E0218",
        "[0, 0, 2]",
    ),
    ("[joint.j]\nkind = \"rolling-sphere\"\nb = \"two\"\nradius = 1\nat = [0, 0, 0]", "E0201", "at"),
    ("[joint.j]\nkind = \"reeving\"\npoints = [\"one\"]", "E0207", "[\"one\"]"),
    ("[joint.j]\nkind = \"reeving\"\npoints = [\"one\", \"one.p\"]", "E0225", "[\"one\", \"one.p\"]"),
    ("[joint.j]\nkind = \"reeving\"\npoints = [\"one\", \"two.q\"]", "E0211", "\"two.q\""),
    ("[joint.j]\nkind = \"coupler\"\nterms = []", "E0207", "[]"),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[joint.j]\nkind = \"coupler\"\nterms = [{ joint = \"h\", factor = 0 }]",
        "E0205",
        "0",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[joint.j]\nkind = \"coupler\"\nterms = [{ joint = \"h.1\", factor = 1 }]",
        "E0213",
        "\"h.1\"",
    ),
    (
        "[joint.h]\nkind = \"cylindrical\"\nb = \"two\"\n[joint.j]\nkind = \"differential\"\nleft = \"h.0\"\nright = \"h.0\"\ncarrier = \"h.1\"",
        "E0213",
        "\"h.1\"",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[joint.j]\nkind = \"velocity-ratio\"\nfirst = \"h\"\nratio = 2",
        "E0202",
        "\"h\"",
    ),
    ("[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"circle\", radius = 0 }", "E0205", "0"),
    (
        "[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"line\", to = [0, 0, 0] }",
        "E0214",
        "[0, 0, 0]",
    ),
    (
        "[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"spline\", points = [[0, 0, 0], [0, 0, 0]] }",
        "E0226",
        "[[0, 0, 0], [0, 0, 0]]",
    ),
    (
        "[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"nurbs\", points = [[0, 0, 0], [1, 0, 0]] }",
        "E0207",
        "[[0, 0, 0], [1, 0, 0]]",
    ),
    (
        "[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"nurbs\", degree = 1, points = [[0, 0, 0], [1, 0, 0]], weights = [1, 1], knots = [0, 0, 1] }",
        "E0207",
        "[0, 0, 1]",
    ),
    ("[joint.j]\nkind = \"point-on-curve\"\nb = \"two\"\ncurve = { kind = \"ellipse\" }", "E0204", "\"ellipse\""),
    (
        "[joint.j]\nkind = \"point-on-surface\"\nb = \"two\"\nsurface = { kind = \"torus\", ring_radius = 1, tube_radius = 1.5 }",
        "E0205",
        "1.5",
    ),
    (
        "[joint.j]\nkind = \"point-on-surface\"\nb = \"two\"\nsurface = { kind = \"ellipsoid\", half_axes = [1, 0, 1] }",
        "E0205",
        "[1, 0, 1]",
    ),
    (
        "[joint.j]\nkind = \"tangency\"\na = \"one\"\nb = \"two\"\nsurface_a = { kind = \"plane\" }\nsurface_b = { kind = \"cylinder\", radius = 1 }",
        "E0301",
        "{ kind = \"cylinder\", radius = 1 }",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"position\"\njoint = \"h\"\nvalue = { kind = \"smooth-step\", to = 1, start = 2, end = 1.5 }",
        "E0205",
        "1.5",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"position\"\njoint = \"h\"\nvalue = { kind = \"spline\", x = [0, 2, 1], y = [0, 0, 1] }",
        "E0226",
        "[0, 2, 1]",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"position\"\njoint = \"h\"\nvalue = { kind = \"table\", x = [0, 1, 2], y = [0, 1] }",
        "E0207",
        "[0, 1]",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"torque\"\njoint = \"h\"\nvalue = { kind = \"sum\", terms = [{ value = \"2*w\" }] }",
        "E0220",
        "w",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"torque-curve\"\njoint = \"h\"\nstall_torque = 2\nno_load_speed = 0",
        "E0205",
        "0",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"controller\"\njoint = \"h\"\nvalue = 1\nkp = -3",
        "E0205",
        "-3",
    ),
    (
        "[drive.d]\nkind = \"path\"\nb = \"two\"\ncurve = { kind = \"circle\", radius = 1 }",
        "E0202",
        "{ kind = \"circle\", radius = 1 }",
    ),
    (
        "[drive.d]\nkind = \"path\"\nb = \"two\"\nx = \"t\"\ncurve = { kind = \"circle\", radius = 1 }\ndistance = \"t\"",
        "E0215",
        "\"t\"",
    ),
    (
        "[joint.h]\nkind = \"revolute\"\nb = \"two\"\n[drive.d]\nkind = \"servo\"\nactuators = [\"h\"]\ncondition = { kind = \"path\", b = \"two\", x = \"t\", y = 0 }",
        "E0207",
        "[\"h\"]",
    ),
    ("[drive.d]\nkind = \"position\"\njoint = \"h\"\nvalue = 1", "E0212", "\"h\""),
];

#[test]
fn what_is_wrong_is_said_at_its_field() {
    for (text, code, piece) in BAD {
        let failed = failed(text);
        let errors: Vec<_> = failed.report.all().iter().filter(|d| d.severity == Severity::Error).collect();
        let shown = failed.render();
        assert_eq!(errors.len(), 1, "{text}\n{shown}");
        let (d, source) = (errors[0], failed.sources.files()[0].text.as_str());
        assert_eq!(d.code.name(), *code, "{text}\n{shown}");
        let span = d.span.unwrap_or_else(|| panic!("no place\n{shown}"));
        assert_eq!(&source[span.start as usize..span.end as usize], *piece, "{text}\n{shown}");
        assert!(!d.path.is_empty(), "{shown}");
    }
}

/// Markers of the joint `j`, as points of the world and world z axes at the start.
fn sides(tail: &str) -> [(Vec3, Vec3); 2] {
    let loaded =
        Loader::new().load_text("good.toml", format!("{HEAD}{tail}")).unwrap_or_else(|e| panic!("{}", e.render()));
    let sim = Simulation::new(loaded.build().unwrap_or_else(|e| panic!("{}", e.render())));
    let joint = sim.model().joint("j").expect("there");
    let constraint = sim.model().constraint(joint);
    let of = |k: usize| {
        // attachments 0 and 1 are the points; a prismatic joint has the axes of both
        let at = constraint.attachments();
        let AttachmentKind::Point(p) = at[k].what else { panic!("not a point") };
        sim.point(at[k].body.at(p)).0
    };
    let (a, b) = constraint.chart().map(|c| c.markers()).unzip();
    let z = |m: Option<holonom::Marker>| {
        m.map_or(Vec3::ZERO, |m| sim.axes(m.body).unwrap_or(holonom::Mat3::IDENTITY) * m.axes.z_axis)
    };
    [(of(0), z(a)), (of(1), z(b))]
}

#[track_caller]
fn near(found: [(Vec3, Vec3); 2], expected: [(Vec3, Vec3); 2]) {
    for (f, e) in found.iter().zip(&expected) {
        assert!((f.0 - e.0).length() < 1e-12 && (f.1 - e.1).length() < 1e-12, "{found:?} {expected:?}");
    }
}

#[test]
fn a_joint_holds_where_it_is_said() {
    let (z, y) = (Vec3::Z, Vec3::Y);
    let (s, c) = libm::sincos(0.5);
    let named = vec3(1.0, 2.0, 3.0) + vec3(0.1 * c - 0.2 * s, 0.1 * s + 0.2 * c, 0.3);
    let turned = vec3(c, s, 0.0);
    let joint = |rest: &str| sides(&format!("[joint.j]\nkind = \"revolute\"\n{rest}"));
    // nothing said: the origin of b, the world's z
    near(joint("a = \"one\"\nb = \"two\""), [(vec3(1.5, 2.0, 3.0), z); 2]);
    // a place and a direction of the world
    near(joint("a = \"one\"\nb = \"two\"\nat = [1, 1, 1]\naxis = [0, 2, 0]"), [(vec3(1.0, 1.0, 1.0), y); 2]);
    // a point on either side, or on the first only: the other is where it is drawn
    near(joint("a = \"one.p\"\nb = \"two\""), [(named, z); 2]);
    near(joint("b = \"two.p\""), [(vec3(1.9, 2.0, 3.0), z); 2]);
    // a frame says the axis too, from whichever side
    near(joint("a = \"one.f\"\nb = \"two\""), [(named, turned); 2]);
    near(joint("a = \"two\"\nb = \"one.f\""), [(named, turned); 2]);
    // an axis in the frame of one side
    near(joint("a = \"one\"\nb = \"two\"\naxis_a = [1, 0, 0]"), [(vec3(1.5, 2.0, 3.0), turned); 2]);
    // the joint's own axis counts more than that of a frame
    near(joint("a = \"one.f\"\nb = \"two\"\naxis = [0, 1, 0]"), [(named, y); 2]);
    // kinds that hold bodies apart take the origins
    let rod = sides("[joint.j]\nkind = \"distance\"\na = \"one\"\nb = \"two\"");
    assert!((rod[0].0 - vec3(1.0, 2.0, 3.0)).length() < 1e-12 && (rod[1].0 - vec3(1.5, 2.0, 3.0)).length() < 1e-12);
    let oldham = sides("[joint.j]\nkind = \"oldham\"\na = \"one\"\nb = \"two\"");
    near(oldham, [(vec3(1.0, 2.0, 3.0), z), (vec3(1.5, 2.0, 3.0), z)]);
}

//! Every kind of body from text moves like the same body made in Rust.

use holonom::math::exp_quat;
use holonom::prelude::*;
use holonom_scene::kinds::BODIES;
use holonom_scene::{Loader, codes};

/// Accelerations of a scene.
fn from_text(text: &str) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let loaded = Loader::new().load_text("body.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    let model = loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    of(Simulation::new(model))
}

fn of(sim: Simulation) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let a = sim.accelerations().expect("accelerations");
    (a, sim.state().q.to_vec(), sim.state().v.to_vec())
}

fn in_rust(body: impl holonom::bodies::Body + 'static) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut m = ModelBuilder::new();
    m.body("a", body);
    of(Simulation::build(m).expect("a body"))
}

/// The same state and the same accelerations.
fn assert_same(kind: &str, fields: &str, body: impl holonom::bodies::Body + 'static) {
    let (a, b) = (from_text(&format!("[body.a]\nkind = \"{kind}\"\n{fields}\n")), in_rust(body));
    for (what, x, y) in [("a", &a.0, &b.0), ("q", &a.1, &b.1), ("v", &a.2, &b.2)] {
        assert_eq!(x.len(), y.len(), "{kind}");
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{kind}: {what}: {x} instead of {y}");
        }
    }
}

const BOX: &str = "density = 100\nshape = { kind = \"box\", size = [0.5, 0.3, 0.2], at = [0.1, 0.2, 0] }\n\
                   at = [1, 2, 3]\nvelocity = [1, -2, 0.5]\n";

fn box_properties() -> MassProperties {
    MassProperties::cuboid(100.0, [0.5, 0.3, 0.2]).translated([0.1, 0.2, 0.0])
}

#[test]
fn every_kind_moves_as_in_rust() {
    let turn = exp_quat(vec3(0.3, 0.4, 0.5).normalize() * 0.9);
    let posed = format!("{BOX}spin = [0.4, 2, -1]\nrotation = {{ axis = [0.3, 0.4, 0.5], angle = 0.9 }}\n");
    let p = box_properties();
    let (at, v, w) = (vec3(1.0, 2.0, 3.0), vec3(1.0, -2.0, 0.5), vec3(0.4, 2.0, -1.0));
    let mut tried = vec!["rigid", "particle", "scaled", "affine", "planar", "rotor"];
    assert_same("rotor", "rotor_inertia = 0.3\nrate = 2", holonom::bodies::Rotor::new(0.3).rate(2.0));
    assert_same("rigid", &posed, Rigid::from_properties(&p).position(at).orientation(turn).velocity(v).spin(w));
    assert_same("particle", "mass = 3\nat = [1, 2, 3]\nvelocity = [1, -2, 0.5]", Particle::new(3.0, at).velocity(v));
    let scaled = Scaled::uniform_from(&p).position(at).orientation(turn).velocity(v).spin(w);
    assert_same(
        "scaled",
        &format!("{posed}scale = 1.5\nscale_rate = 0.3\nstiffness = 40\nrest = 1.1\ndamping = 0.2"),
        scaled.scale(1.5).scale_rate(0.3).spring(40.0, 1.1).damping(0.2),
    );
    let scaled = Scaled::per_axis_from(&p).position(at).orientation(turn).velocity(v).spin(w);
    assert_same(
        "scaled",
        &format!("{posed}per_axis = true\nscale = [1.5, 1, 0.7]\nscale_rate = [0.3, 0, -1]\nstiffness = 40"),
        scaled.scales([1.5, 1.0, 0.7]).scale_rates([0.3, 0.0, -1.0]).spring(40.0, 1.0),
    );
    let (r, u) = (Mat3::from_quat(turn), Mat3::from_diagonal(vec3(1.1, 0.9, 1.0)));
    let shape = r * u;
    let cross = |c: Vec3| w.cross(c);
    let rate = Mat3::from_cols(cross(shape.x_axis), cross(shape.y_axis), cross(shape.z_axis))
        + r * Mat3::from_cols(vec3(0.1, 0.4, 0.0), vec3(0.4, 0.2, 0.0), vec3(0.0, 0.0, 0.3));
    let affine = Affine::from_properties(&p).pose(at, shape).velocity(v, rate);
    assert_same(
        "affine",
        &format!(
            "{posed}stretch = [1.1, 0.9, 1]\nstretch_rate = [0.1, 0.2, 0.3, 0.4, 0, 0]\nyoung = 2e4\npoisson = 0.3\nviscosity = 5"
        ),
        affine.elastic(2e4, 0.3, 0.03).viscous(5.0),
    );
    // the same said by A and its rate themselves, and one that no rotation and stretch of the axes would say: a shear
    let rows = |m: Mat3| format!("{:?}", m.transpose().to_cols_array());
    let shear = Mat3::from_cols(vec3(1.0, 0.0, 0.0), vec3(0.6, 1.0, 0.0), vec3(0.0, -0.2, 1.1));
    for (a, a_rate) in [(shape, rate), (shear, rate * 0.5)] {
        assert_same(
            "affine",
            &format!("{BOX}deformation = {}\ndeformation_rate = {}", rows(a), rows(a_rate)),
            Affine::from_properties(&p).pose(at, a).velocity(v, a_rate),
        );
    }
    assert_same(
        "planar",
        &format!("{BOX}angle = 7.5\nspin = [0, 0, 2]").replace("0.5]\n", "0]\n"),
        Planar::from_properties(&p)
            .plane([0.0, 0.0, 3.0], Vec3::X, Vec3::Y)
            .pose(1.0, 2.0, 7.5)
            .velocity(1.0, -2.0, 2.0),
    );
    // in the x-z plane, seen against y, turned by its ends
    let ends =
        "mass = 2\ninertia = 0.4\nplane = { origin = [0, 5, 0], x = [1, 0, 0], y = [0, 0, 1] }\nspin = [0, -2, 0]";
    let bar = Planar::new(2.0, 0.4)
        .plane([0.0, 5.0, 0.0], Vec3::X, Vec3::Z)
        .pose(1.0, 0.0, std::f64::consts::FRAC_PI_2)
        .velocity(0.0, 0.0, 2.0);
    // the centre of mass where it is said; where nobody says it, halfway between the ends
    let placed = format!("{ends}\nfrom = [1, 5, 0]\nto = [1, 5, 2]");
    assert_same("planar", &format!("{placed}\ncom = [0, 0, 0]"), bar.clone());
    assert_same("planar", &placed, bar.centre(1.0, 0.0));
    let rod = "mass = 2\ninertia = [0.1, 0.4, 0.4]\nfrom = [1, 5, 0]\nto = [4, 5, 0]";
    assert_same("rigid", rod, Rigid::principal(2.0, [0.1, 0.4, 0.4]).centre([1.5, 0.0, 0.0]).position([1.0, 5.0, 0.0]));
    for kind in BODIES.kinds() {
        let before = tried.len();
        tried.retain(|t| *t != kind.name);
        assert!(tried.len() < before, "the kind `{}` is not tested", kind.name);
    }
}

#[test]
fn a_rotor_has_no_place() {
    let (code, line, text) = refused("[body.a]\nkind = \"rotor\"\nrotor_inertia = 1\nat = [1, 2, 3]\n");
    assert_eq!((code.as_str(), line), ("E0201", 4), "{text}");
}

fn refused(text: &str) -> (String, usize, String) {
    let failed = match Loader::new().load_text("bad.toml", text) {
        Err(failed) => failed,
        Ok(loaded) => loaded.build().err().unwrap_or_else(|| panic!("was built:\n{text}")),
    };
    let first = failed.report.to_data(&failed.sources).remove(0);
    (first.code, first.line.unwrap_or(0), failed.render())
}

#[test]
fn what_does_not_suit_a_kind_is_refused_at_its_line() {
    let planar = "[body.a]\nkind = \"planar\"\nmass = 1\ninertia = 1\n";
    let cases = [
        (format!("{planar}rotation = {{ rpy = [0.1, 0, 0] }}"), codes::OUT_OF_RANGE, 5, "orientation"),
        (format!("{planar}at = [0, 0, 1]\nplane = {{ origin = [0, 0, 0] }}"), codes::OUT_OF_RANGE, 5, "1 m off"),
        (format!("{planar}velocity = [0, 0, 1]"), codes::OUT_OF_RANGE, 5, "1 m/s across"),
        (format!("{planar}spin = [1, 0, 0]"), codes::OUT_OF_RANGE, 5, "spin"),
        (format!("{planar}from = [0, 0, 0]\nto = [0, 0, 1]"), codes::OUT_OF_RANGE, 6, "orientation"),
        (format!("{planar}angle = 1\nrotation = {{ rpy = [0, 0, 1] }}"), codes::EXCLUSIVE, 5, "`rotation`"),
        (format!("{planar}angle = 1\nfrom = [0, 0, 0]\nto = [1, 0, 0]"), codes::EXCLUSIVE, 5, "`from`"),
        (format!("{planar}plane = {{ x = [0, 1, 0] }}"), codes::BAD_ROTATION, 5, "parallel"),
        ("[body.a]\nkind = \"particle\"\nmass = 1\nspin = [0, 0, 1]".into(), codes::UNKNOWN_FIELD, 4, "a point"),
        ("[body.a]\nkind = \"particle\"\nmass = 1\ncom = [0, 0, 1]".into(), codes::OUT_OF_RANGE, 4, "origin"),
        (
            "[body.a]\nkind = \"scaled\"\nmass = 1\ninertia = [1, 1, 1]\nscale = [1, 2, 3]".into(),
            codes::WRONG_LENGTH,
            5,
            "per_axis",
        ),
        (
            "[body.a]\nkind = \"scaled\"\nmass = 1\ninertia = [1, 1, 1]\nscale = 0".into(),
            codes::OUT_OF_RANGE,
            5,
            "greater",
        ),
        (
            "[body.a]\nkind = \"affine\"\nmass = 1\ninertia = [1, 1, 1]\nyoung = 1e5".into(),
            codes::MISSING_FIELD,
            5,
            "volume",
        ),
        (
            "[body.a]\nkind = \"affine\"\nmass = 1\ninertia = [1, 1, 1]\nviscosity = 1".into(),
            codes::UNKNOWN_FIELD,
            5,
            "young",
        ),
        (
            "[body.a]\nkind = \"affine\"\nmass = 1\ninertia = [1, 1, 1]\nyoung = 1e5\nvolume = 1\npoisson = 0.5".into(),
            codes::OUT_OF_RANGE,
            7,
            "between -1 and 0.5",
        ),
        (
            "[body.a]\nkind = \"affine\"\nmass = 1\ninertia = [1, 1, 1]\nstretch = [1, 0, 1]".into(),
            codes::OUT_OF_RANGE,
            5,
            "determinant 0",
        ),
    ];
    for (text, code, line, says) in cases {
        let (found, at, rendered) = refused(&text);
        assert_eq!((found.as_str(), at), (code.name(), line), "{text}\n{rendered}");
        assert!(rendered.contains(says) && rendered.contains("in: body/a"), "{says}\n{rendered}");
    }
}

#[test]
fn planar_bodies_hang_on_joints_with_starts() {
    // a plane pendulum in the x-z plane started by its hinge moves as one made at that angle
    let text = |at: &str, start: &str| {
        format!(
            "[body.rod]\nkind = \"planar\"\nmass = 2\ninertia = 0.2\nplane = {{ x = [1, 0, 0], y = [0, 0, 1] }}\ncom = [0.5, 0, 0]\n{at}\n\
             [joint.pin]\nkind = \"revolute\"\nb = \"rod\"\nat = [0, 0, 0]\naxis = [0, -1, 0]\n{start}\n"
        )
    };
    let (moved, ..) = from_text(&text("", "start = 0.4\nstart_rate = 2"));
    let (made, ..) = from_text(&text("angle = 0.4\nspin = [0, -2, 0]", ""));
    for (x, y) in moved.iter().zip(&made) {
        assert!((x - y).abs() < 1e-12 * (1.0 + y.abs()), "{moved:?} {made:?}");
    }
    assert!(made.iter().any(|x| x.abs() > 1.0));
}

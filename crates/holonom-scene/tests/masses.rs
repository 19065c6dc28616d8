//! Masses of bodies from what scenes say, against formulas and against the engine's own mass properties; and what is refused.

use holonom::math::{Mat3, Quat, Vec3, exp_quat, vec3};
use holonom::{MassProperties, Simulation};
use holonom_scene::scene::Mass;
use holonom_scene::{Loader, codes};

const PI: f64 = std::f64::consts::PI;

/// The mass of the only body of a scene.
fn mass_of(fields: &str) -> Mass {
    let text = format!("[body.a]\n{fields}\n");
    let loaded = Loader::new().load_text("mass.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    loaded.scene.bodies[0].mass.expect("a mass")
}

fn assert_near(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{what}: {a} instead of {b}");
}

fn assert_mass(fields: &str, mass: f64, centre: Vec3, inertia: Mat3) {
    let m = mass_of(fields);
    assert_near(m.mass, mass, fields);
    for (a, b) in m.centre.to_array().into_iter().zip(centre.to_array()) {
        assert_near(a, b, fields);
    }
    for (a, b) in m.inertia.to_cols_array().into_iter().zip(inertia.to_cols_array()) {
        assert_near(a, b, fields);
    }
}

fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    Mat3::from_diagonal(vec3(x, y, z))
}

/// Code and line of the first mistake of a scene, when it is read or when it is built.
fn refusal(text: &str) -> (String, usize, String) {
    let failed = match Loader::new().load_text("bad.toml", text) {
        Err(failed) => failed,
        Ok(loaded) => loaded.build().err().unwrap_or_else(|| panic!("was built:\n{text}")),
    };
    let first = failed.report.to_data(&failed.sources).remove(0);
    (first.code, first.line.unwrap_or(0), failed.render())
}

fn assert_refused(text: &str, code: codes::Code, line: usize, says: &str) {
    let (found, at, rendered) = refusal(text);
    assert_eq!((found.as_str(), at), (code.name(), line), "{text}\n{rendered}");
    assert!(rendered.contains(says), "{says}\n{rendered}");
    assert!(rendered.contains("in: body/a"), "{rendered}");
}

#[test]
fn solids_by_their_formulas() {
    let m = 500.0 * 0.2 * 0.4 * 0.6;
    let i = diagonal(0.16 + 0.36, 0.04 + 0.36, 0.04 + 0.16) * (m / 12.0);
    assert_mass("density = 500\nshape = { kind = \"box\", size = [0.2, 0.4, 0.6] }", m, Vec3::ZERO, i);
    let m = 1000.0 * 4.0 / 3.0 * PI * 0.027;
    assert_mass(
        "shape = { kind = \"sphere\", radius = 0.3, density = 1000 }",
        m,
        Vec3::ZERO,
        Mat3::IDENTITY * (0.4 * m * 0.09),
    );
    let across = 2.0 * (3.0 * 0.01 + 0.25) / 12.0;
    let i = diagonal(across, across, 0.5 * 2.0 * 0.01);
    assert_mass("mass = 2\nshape = { kind = \"cylinder\", radius = 0.1, length = 0.5 }", 2.0, Vec3::ZERO, i);
    let e = 3.0 / 5.0;
    let i = diagonal(e * (0.04 + 0.09), e * (0.01 + 0.09), e * (0.01 + 0.04));
    assert_mass("mass = 3\nshape = { kind = \"ellipsoid\", half_axes = [0.1, 0.2, 0.3] }", 3.0, Vec3::ZERO, i);
    let ring = 2.0 * (4.0 * 0.25 + 3.0 * 0.01) / 4.0;
    let flat = 2.0 * (4.0 * 0.25 + 5.0 * 0.01) / 8.0;
    let i = diagonal(flat, flat, ring);
    assert_mass("mass = 2\nshape = { kind = \"torus\", ring_radius = 0.5, tube_radius = 0.1 }", 2.0, Vec3::ZERO, i);
    let tube = 2.0 * (3.0 * (0.01 + 0.04) + 1.0) / 12.0;
    let i = diagonal(tube, tube, 0.5 * 2.0 * 0.05);
    let text = "mass = 2\nshape = { kind = \"tube\", inner_radius = 0.1, outer_radius = 0.2, length = 1 }";
    assert_mass(text, 2.0, Vec3::ZERO, i);
    // a quarter of its height above the base
    let across = 4.0 * (3.0 / 20.0 * 0.04 + 3.0 / 80.0 * 0.64);
    let i = diagonal(across, across, 0.3 * 4.0 * 0.04);
    assert_mass("mass = 4\nshape = { kind = \"cone\", radius = 0.2, height = 0.8 }", 4.0, vec3(0.0, 0.0, 0.2), i);
    let p = MassProperties::capsule(1.0, 0.1, 0.7).of_mass(1.5);
    let text = "mass = 1.5\nshape = { kind = \"capsule\", radius = 0.1, length = 0.7 }";
    assert_mass(text, 1.5, Vec3::ZERO, p.inertia());
}

#[test]
fn rods_and_beams_lie_between_two_points() {
    // along y in the world: the body's x
    let (r, l) = (0.05, 2.0);
    let m = 7800.0 * PI * r * r * l;
    let across = m * (3.0 * r * r + l * l) / 12.0;
    let fields = "density = 7800\nfrom = [1, 0, 0]\nto = [1, 2, 0]\nshape = { kind = \"rod\", radius = 0.05 }";
    assert_mass(fields, m, vec3(1.0, 0.0, 0.0), diagonal(0.5 * m * r * r, across, across));
    // exactly: no products of inertia from rounding
    let off = mass_of(fields).inertia;
    assert_eq!((off.x_axis.y, off.x_axis.z, off.y_axis.z), (0.0, 0.0, 0.0));
    let fields = "mass = 6\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nshape = { kind = \"beam\", width = 0.2, height = 0.1 }";
    assert_mass(fields, 6.0, vec3(0.5, 0.0, 0.0), diagonal(0.05, 1.01, 1.04) * 0.5);
    // between two points of its own, along z of the body
    let fields = "mass = 6\nshape = { kind = \"rod\", radius = 0.1, from = [0, 0, 1], to = [0, 0, 3] }";
    let across = 6.0 * (0.03 + 4.0) / 12.0;
    assert_mass(fields, 6.0, vec3(0.0, 0.0, 2.0), diagonal(across, across, 0.03));
    // where it is drawn is where its mass is
    let loaded = Loader::new().load_text("rod.toml", format!("[body.a]\n{fields}")).expect("a rod");
    let shape = &loaded.scene.bodies[0].shapes[0];
    assert!((shape.pose.point(vec3(0.0, 0.0, 1.0)) - vec3(0.0, 0.0, 3.0)).length() < 1e-12, "{:?}", shape.pose);
}

#[test]
fn several_shapes_add_up_as_in_the_engine() {
    let fields = "density = 100\nshapes = [\n  { kind = \"box\", size = [1, 0.2, 0.1], at = [0.5, 0, 0] },\n  \
         { kind = \"cylinder\", radius = 0.1, length = 0.5, at = [1, 0.3, -0.2], rotation = { axis = [1, 2, 3], angle = 0.7 }, density = 300 },\n  \
         { kind = \"sphere\", radius = 0.2, at = [0, -1, 0], mass = 4, rotation = [0.5, 0.5, 0.5, 0.5] },\n  \
         { kind = \"box\", size = [9, 9, 9], massless = true },\n]";
    let turn = Mat3::from_quat(exp_quat(vec3(1.0, 2.0, 3.0).normalize() * 0.7));
    let p = MassProperties::cuboid(100.0, [1.0, 0.2, 0.1]).translated([0.5, 0.0, 0.0]);
    let p = p.plus(&MassProperties::cylinder(300.0, 0.1, 0.5).rotated(turn).translated([1.0, 0.3, -0.2]));
    let p = p.plus(&MassProperties::sphere(1.0, 0.2).of_mass(4.0).translated([0.0, -1.0, 0.0]));
    assert_mass(fields, p.mass(), p.centre(), p.inertia());
    // the mass says how much, the shapes how it is spread
    let spread = fields.replace("density = 100\n", "mass = 17\ndensity = 100\n");
    let p = p.of_mass(17.0);
    assert_mass(&spread, 17.0, p.centre(), p.inertia());
}

#[test]
fn numbers_replace_what_the_shapes_say() {
    let shape = "shape = { kind = \"box\", size = [1, 1, 1], at = [1, 0, 0] }";
    assert_mass(&format!("mass = 6\n{shape}"), 6.0, vec3(1.0, 0.0, 0.0), Mat3::IDENTITY);
    assert_mass(&format!("mass = 6\ncom = [0, 0, 2]\n{shape}"), 6.0, vec3(0.0, 0.0, 2.0), Mat3::IDENTITY);
    let given = Mat3::from_cols(vec3(2.0, 0.1, 0.2), vec3(0.1, 3.0, 0.3), vec3(0.2, 0.3, 4.0));
    let text = format!("mass = 6\ninertia = [2, 3, 4, 0.1, 0.2, 0.3]\n{shape}");
    assert_mass(&text, 6.0, vec3(1.0, 0.0, 0.0), given);
    assert_mass("mass = 6\ninertia = [2, 3, 4]", 6.0, Vec3::ZERO, diagonal(2.0, 3.0, 4.0));
}

#[test]
fn the_engine_gets_the_same_mass() {
    // a physical pendulum about a skew axis: its frequency tells mass, centre and all six moments along it
    let text = "gravity = [0, 0, 0]\n[body.a]\nmass = 2\ncom = [0.1, 0.2, 0.3]\ninertia = [2, 3, 4, 0.1, 0.2, 0.3]\n\
                at = [1, 2, 3]\nrotation = { rpy = [0.3, -0.4, 0.5] }\nspin = [1, 2, 3]\nvelocity = [4, 5, 6]\n";
    let loaded = Loader::new().load_text("a.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    let sim = Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    let turn = Mat3::from_quat(loaded.scene.bodies[0].pose.rotation);
    let (w, v) = (vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0));
    let arm = turn * vec3(0.1, 0.2, 0.3);
    let inertia = Mat3::from_cols(vec3(2.0, 0.1, 0.2), vec3(0.1, 3.0, 0.3), vec3(0.2, 0.3, 4.0));
    let spin = turn.transpose() * w;
    let kinetic = (v + w.cross(arm)).length_squared() + 0.5 * spin.dot(inertia * spin);
    assert_near(sim.energy().kinetic, kinetic, "kinetic energy");
}

#[test]
fn what_has_no_mass_is_refused() {
    assert_refused("[body.a]\nat = [0, 0, 1]\n", codes::NO_MASS, 1, "`mass` and `inertia`");
    assert_refused("[body.a]\nmass = 2\n", codes::NO_MASS, 2, "add  inertia = [0.02");
    let planar = "[body.a]\nkind = \"planar\"\nmass = 2\n";
    assert_refused(planar, codes::NO_MASS, 3, "add  inertia = 0.02  (kg m^2)");
    let shape = "[body.a]\nshape = { kind = \"sphere\", radius = 1 }\n";
    assert_refused(shape, codes::NO_MASS, 1, "a `density` or a `mass`");
    let massless = "[body.a]\nmass = 1\nshape = { kind = \"sphere\", radius = 1, massless = true }\n";
    assert_refused(massless, codes::NO_MASS, 2, "how it is spread");
    let half = "[body.a]\nshapes = [\n  { kind = \"sphere\", radius = 1, density = 5 },\n  { kind = \"sphere\", radius = 2 },\n]\n";
    assert_refused(half, codes::NO_MASS, 4, "massless = true");
    let plane = "[body.a]\nmass = 1\nshape = { kind = \"plane\" }\n";
    assert_refused(plane, codes::OPEN_MESH, 3, "no volume");
    let tiny = "[body.a]\nshape = { kind = \"sphere\", radius = 1e-120, density = 1 }\n";
    assert_refused(tiny, codes::OUT_OF_RANGE, 1, "0 kg");
}

#[test]
fn inertias_that_no_body_has_are_refused_at_their_line() {
    let with = |inertia: &str| format!("[body.a]\nmass = 1\ninertia = {inertia}\n");
    assert_refused(&with("[1, 1, 3]"), codes::IMPOSSIBLE_INERTIA, 3, "exceeds the sum");
    assert_refused(&with("[1, 1, 0]"), codes::IMPOSSIBLE_INERTIA, 3, "greater than 0");
    assert_refused(&with("[1, 1, -1]"), codes::IMPOSSIBLE_INERTIA, 3, "greater than 0");
    // its smallest moment is 0
    assert_refused(&with("[1, 1, 1, 1, 0, 0]"), codes::IMPOSSIBLE_INERTIA, 3, "greater than 0");
    assert_refused(&with("0.5"), codes::WRONG_LENGTH, 3, "3 or 6 elements");
    assert_refused(&with("[1, 2]"), codes::WRONG_LENGTH, 3, "[Ixx, Iyy, Izz]");
    mass_of("mass = 1\ninertia = [1, 1, 2]");
}

#[test]
fn sizes_that_no_shape_has_are_refused() {
    let with = |shape: &str| format!("[body.a]\nmass = 1\nshape = {{ {shape} }}\n");
    assert_refused(&with("kind = \"box\", size = [1, 0, 1]"), codes::OUT_OF_RANGE, 3, "[1, 0, 1] m");
    let tube = with("kind = \"tube\", inner_radius = 2, outer_radius = 1, length = 1");
    assert_refused(&tube, codes::OUT_OF_RANGE, 3, "must be smaller than `outer_radius`, 1 m");
    let torus = with("kind = \"torus\", ring_radius = 1, tube_radius = 2");
    assert_refused(&torus, codes::OUT_OF_RANGE, 3, "2 m, must not be larger than `ring_radius`");
    assert_refused(&with("kind = \"rod\", radius = 1"), codes::MISSING_FIELD, 3, "needs two ends");
    assert_refused(&with("kind = \"sphere\", radius = -1"), codes::OUT_OF_RANGE, 3, "-1 m, must be greater than 0");
}

#[test]
fn a_quaternion_and_the_same_rotation_in_words_agree() {
    let pose = |rotation: &str| -> Quat {
        let text = format!("[body.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = {rotation}\n");
        Loader::new().load_text("a.toml", text).unwrap_or_else(|f| panic!("{}", f.render())).scene.bodies[0]
            .pose
            .rotation
    };
    let (s, c) = libm::sincos(0.35);
    let q = pose(&format!("[{c}, 0, 0, {s}]"));
    for other in ["{ axis = [0, 0, 2], angle = 0.7 }", "{ rpy = [0, 0, 0.7] }"] {
        assert!((pose(other) - q).length() < 1e-15, "{other}");
    }
}

/// A pyramid with corners at the origin and at 1 along each axis, as an STL file; without its base if it is to be open.
fn pyramid(open: bool) -> String {
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut text = String::from("solid pyramid\n");
    for face in [[1, 2, 3], [0, 2, 1], [0, 3, 2], [0, 1, 3]].into_iter().skip(usize::from(open)) {
        text += "facet normal 0 0 0\nouter loop\n";
        for corner in face.map(|k: usize| corners[k]) {
            text += &format!("vertex {} {} {}\n", corner[0], corner[1], corner[2]);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid\n"
}

#[test]
fn meshes_have_a_volume_and_open_ones_only_looks() {
    let folder = std::env::temp_dir().join(format!("holonom-masses-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("closed.stl"), pyramid(false)).expect("a mesh");
    std::fs::write(folder.join("open.stl"), pyramid(true)).expect("a mesh");
    let load = |name: &str, fields: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("[body.a]\n{fields}\n")).expect("a scene");
        Loader::new().load(&path)
    };
    let good = load("good.toml", "density = 6\nshape = { kind = \"mesh\", file = \"closed.stl\", scale = 2 }");
    let m = good.unwrap_or_else(|f| panic!("{}", f.render())).scene.bodies[0].mass.expect("a mass");
    assert_near(m.mass, 8.0, "volume 8/6");
    assert_near(m.centre.x, 0.5, "a quarter of the height");
    // about the centre: m (2/5 - 2/16) of the side squared, 4
    assert_near(m.inertia.x_axis.x, 8.0 * 4.0 * (2.0 / 10.0 - 2.0 / 16.0), "moment");
    let open = "shape = { kind = \"mesh\", file = \"open.stl\" }";
    let failed = load("open.toml", &format!("mass = 1\n{open}")).expect_err("has no volume");
    let said = failed.render();
    assert!(said.contains("E0219") && said.contains("open.toml:3:") && said.contains("massless = true"), "{said}");
    let looks = [
        format!("mass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n{open}"),
        format!("mass = 1\ninertia = [1, 1, 1]\n{}", open.replace(" }", ", massless = true }")),
    ];
    for text in looks {
        let loaded = load("looks.toml", &text).unwrap_or_else(|f| panic!("{}", f.render()));
        assert_eq!(loaded.scene.bodies[0].shapes.len(), 1);
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn inertia_along_other_axes_is_turned() {
    let turn = Mat3::from_quat(exp_quat(vec3(1.0, 2.0, 3.0).normalize() * 0.7));
    let expected = turn * diagonal(2.0, 3.0, 4.0) * turn.transpose();
    let fields = "mass = 1\ninertia = [2, 3, 4]\ninertia_axes = { axis = [1, 2, 3], angle = 0.7 }";
    assert_mass(fields, 1.0, Vec3::ZERO, expected);
    let i = mass_of(fields).inertia;
    assert_eq!([i.x_axis.y, i.x_axis.z, i.y_axis.z], [i.y_axis.x, i.z_axis.x, i.z_axis.y], "symmetric to the bit");
    let alone = "[body.a]\nmass = 1\ninertia_axes = { rpy = [0, 0, 1] }\n";
    assert_refused(alone, codes::MISSING_FIELD, 3, "without `inertia`");
}

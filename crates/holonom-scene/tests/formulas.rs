//! Formulas in scene files: the same motion as the catalogue's kinds, derivatives that agree with finite differences, and
//! mistakes that are shown where they are.

use holonom::check;
use holonom::prelude::*;
use holonom_scene::{LoadError, Loader};

fn model(text: &str) -> Model {
    let loaded = Loader::new().load_text("formula.toml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render()))
}

fn refused(text: &str) -> String {
    let failed: LoadError = match Loader::new().load_text("formula.toml", text) {
        Err(e) => e,
        Ok(loaded) => loaded.build().map(|_| ()).expect_err("it must be refused"),
    };
    failed.render()
}

/// Largest difference of the states of two models over a run, relative to the largest entry.
fn apart(a: &str, b: &str, time: f64) -> f64 {
    let (mut a, mut b) = (Simulation::new(model(a)), Simulation::new(model(b)));
    a.run_fixed(time, 1e-3).expect("runs");
    b.run_fixed(time, 1e-3).expect("runs");
    let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let gap = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
    let (s, t) = (a.state(), b.state());
    (gap(&s.q, &t.q) / size(&s.q)).max(gap(&s.v, &t.v) / size(&s.v))
}

const TWO: &str = r#"
[params]
L = 0.9
k = 40
[run]
integrator = "rk4"
dt = 1e-3
[body.one]
shape = { kind = "box", size = [0.6, 0.1, 0.1] }
density = 800
at = [0.3, 0.1, 0]
points = { end = [0.3, 0, 0] }
spin = [0.3, 1, -0.5]
[body.two]
kind = "particle"
mass = 0.7
at = [0.6, 1.0, 0]
[joint.ball]
kind = "spherical"
b = "one"
at = [0, 0.1, 0]
"#;

/// A formula is a distance joint, to rounding, in motion.
#[test]
fn a_formula_joint_moves_as_the_distance_joint() {
    let known = format!("{TWO}[joint.rod]\nkind = \"distance\"\na = \"one.end\"\nb = \"two\"\nlength = \"${{L}}\"\n");
    let formula = format!(
        "{TWO}[joint.rod]\nkind = \"formula\"\npoints = {{ a = \"one.end\", b = \"two\" }}\nexpression = \"distance(a, b) - L\"\n"
    );
    let found = apart(&known, &formula, 1.0);
    println!("distance joint and formula: {found:.1e} apart after 1 s");
    assert!(found < 1e-12, "{found:e}");
    // the multiplier is the force along the rod
    let (a, b) = (Simulation::new(model(&known)), Simulation::new(model(&formula)));
    let rod = a.model().joint("rod").expect("there");
    let (x, y) = (a.multipliers_of(rod).expect("solves")[0], b.multipliers_of(rod).expect("solves")[0]);
    assert!((x - y).abs() < 1e-12 * x.abs(), "{x} against {y}");
}

/// A formula in joint coordinates is a coupler; one with rates a ratio of velocities; both count turns.
#[test]
fn formulas_in_coordinates() {
    let hinges = r#"
[run]
integrator = "rk4"
[body.one]
shape = { kind = "box", size = [0.6, 0.1, 0.1] }
density = 800
at = [0.3, 0, 0]
[body.two]
shape = { kind = "box", size = [0.1, 0.4, 0.1] }
density = 500
at = [2, 0.2, 0]
[joint.first]
kind = "revolute"
b = "one"
at = [0, 0, 0]
axis = [0, 1, 0]
[joint.second]
kind = "revolute"
b = "two"
at = [2, 0, 0]
axis = [1, 0, 0.2]
"#;
    let coupler = format!(
        "{hinges}[joint.it]\nkind = \"coupler\"\nterms = [{{ joint = \"first\", factor = 2 }}, {{ joint = \"second\", factor = -0.5 }}]\noffset = 0\n"
    );
    let formula = format!(
        "{hinges}[joint.it]\nkind = \"formula\"\ncoordinates = {{ p = \"first\", q = \"second\" }}\nexpression = \"2*p - q/2\"\n"
    );
    let found = apart(&coupler, &formula, 2.0);
    assert!(found < 1e-12, "coupler: {found:e}");
    let ratio =
        format!("{hinges}[joint.it]\nkind = \"velocity-ratio\"\nfirst = \"first\"\nsecond = \"second\"\nratio = 3\n");
    let rates = |sign: &str| {
        format!(
            "{hinges}[joint.it]\nkind = \"formula\"\ncoordinates = {{ p = \"first\", q = \"second\" }}\nexpression = \"rate(p) {sign} 3*rate(q)\"\n"
        )
    };
    let found = ["-", "+"].map(|sign| apart(&ratio, &rates(sign), 1.0));
    let best = found[0].min(found[1]);
    // (the ratio may count either way round)
    let other = ["3*rate(p) - rate(q)", "3*rate(p) + rate(q)"]
        .map(|e| apart(&ratio, &rates("-").replace("rate(p) - 3*rate(q)", e), 1.0));
    let best = best.min(other[0]).min(other[1]);
    assert!(best < 1e-12, "velocity ratio: {found:?} {other:?}");
}

/// An ellipse on which a bead slides: no kind of the catalogue is that short. Loops over a thread of fixed length.
#[test]
fn a_bead_on_a_loop_of_thread() {
    let text = r#"
title = "A pen in a loop of thread draws an ellipse"
[params]
L = 2.5
[body.pen]
kind = "particle"
mass = 0.1
at = [0, 0, -0.75]
velocity = [1.0, 0, 0]
[ground]
points = { left = [-1, 0, 0], right = [1, 0, 0] }
[joint.thread]
kind = "formula"
points = { a = "ground.left", b = "pen", c = "ground.right" }
expression = "distance(a, b) + distance(b, c) - L"
[joint.paper]
kind = "point-on-plane"
b = "pen"
axis = [0, 1, 0]
"#;
    let mut sim = Simulation::new(model(text));
    let pen = sim.model().body("pen").expect("there").origin();
    let energy = sim.energy().total();
    for k in 1..=20 {
        sim.run_until(0.1 * k as f64).expect("runs");
        let (p, _) = sim.point(pen);
        let (a, b2) = (1.25, 1.25 * 1.25 - 1.0);
        let off = p.x * p.x / (a * a) + p.z * p.z / b2 - 1.0;
        assert!(off.abs() < 1e-10 && p.y.abs() < 1e-12, "at {} s off by {off:e}", sim.time());
    }
    assert!((sim.energy().total() - energy).abs() < 1e-9);
}

/// Rows and forces against finite differences, with every operation in them.
#[test]
fn derivatives_agree_with_finite_differences() {
    let text = format!(
        r#"{TWO}
[body.three]
shape = {{ kind = "box", size = [0.2, 0.3, 0.1] }}
density = 700
at = [1.2, 0.4, 0.5]
velocity = [0.2, -0.4, 0.3]
spin = [0.5, 0.2, 0.8]
[joint.hinge]
kind = "revolute"
a = "one.end"
b = "three"
at = [0.6, 0.1, 0]
axis = [0.2, 1, 0.3]
[joint.places]
kind = "formula"
points = {{ a = "one.end", b = "two", c = {{ body = "three", at = [0.1, 0.05, 0.02] }} }}
coordinates = {{ q = "hinge" }}
expression = "distance(a, b) + 0.2*sin(q + t)*dot(a - c, b) + length(cross(a, c))/(2 + a.x^2) + hypot(b.x, c.y) - atan2(c.z + 2, 3) - 1"
[joint.rates]
kind = "formula"
points = {{ b = "two", c = "three" }}
coordinates = {{ q = "hinge" }}
expression = "rate(b).x + 0.3*rate(q)*cos(q) - dot(rate(c), vec(b.y, 0.2, t))"
[force.spring]
kind = "formula"
points = {{ a = "one.end", b = "three" }}
coordinates = {{ q = "hinge" }}
energy = "k*(distance(a, b) - L/4)^2/2 + 0.3*(1 - cos(q))"
[force.damper]
kind = "formula"
points = {{ a = "one.end", b = "two" }}
along = "distance(a, b)"
force = "-3*rate - k*(s - 1)^3"
[run]
assembly = "none"
"#
    )
    .replacen("[run]\nintegrator = \"rk4\"\ndt = 1e-3\n", "", 1);
    let model = model(&text);
    let state = model.initial_state();
    for name in ["places", "rates"] {
        let found = check::constraint(&model, model.joint(name).expect("there"), state, 1e-5);
        println!("{name}: {found:?}");
        assert!(found.rate < 1e-8 && found.acceleration < 1e-7 && found.jacobian < 1e-12, "{name}: {found:?}");
    }
    for name in ["spring", "damper"] {
        let found = check::force(&model, model.force(name).expect("there"), state, 1e-5);
        println!("{name}: {found:?}");
        assert!(found.power < 1e-12, "{name}: {found:?}");
    }
    let found = check::force(&model, model.force("spring").expect("there"), state, 1e-5);
    assert!(found.energy < 1e-8, "{found:?}");
}

/// A spring written as its energy, and as a force along its length, is the catalogue's.
#[test]
fn formula_forces_are_the_springs_of_the_catalogue() {
    let spring = format!(
        "{TWO}[force.it]\nkind = \"spring\"\na = \"one.end\"\nb = \"two\"\nstiffness = 40\nlength = 0.9\ndamping = 2\n"
    );
    let both = format!(
        "{TWO}[force.it]\nkind = \"formula\"\npoints = {{ a = \"one.end\", b = \"two\" }}\nenergy = \"k*(distance(a, b) - L)^2/2\"\n\
         [force.damper]\nkind = \"formula\"\npoints = {{ a = \"one.end\", b = \"two\" }}\nalong = \"distance(a, b)\"\nforce = \"-2*rate\"\n"
    );
    let along = format!(
        "{TWO}[force.it]\nkind = \"formula\"\npoints = {{ a = \"one.end\", b = \"two\" }}\nalong = \"distance(a, b)\"\nforce = \"-k*(s - L) - 2*rate\"\n"
    );
    for text in [both, along] {
        let found = apart(&spring, &text, 1.0);
        assert!(found < 1e-12, "{found:e}\n{text}");
    }
}

#[test]
fn mistakes_are_shown_in_the_expression() {
    let joint = |expression: &str| {
        format!(
            "{TWO}[joint.rod]\nkind = \"formula\"\npoints = {{ end = \"one.end\", tip = \"two\" }}\nexpression = \"{expression}\"\n"
        )
    };
    let line = TWO.lines().count() + 4;
    for (expression, column, parts) in [
        ("distance(end, tipp) - L", 15 + 14, &["`tipp`", "did you mean `tip`?"][..]),
        ("distance(end, tip) - M", 15 + 21, &["no point, coordinate or parameter `M`", "points = { M"]),
        ("end - tip", 15, &["must be a number"]),
        ("distans(end, tip)", 15, &["did you mean `distance`?"]),
        ("distance(end, tip", 15 + 8, &["a bracket is not closed"]),
    ] {
        let message = refused(&joint(expression));
        let place = format!("formula.toml:{line}:{column}");
        assert!(message.contains(&place), "{expression}: `{place}` is missing in\n{message}");
        for part in parts {
            assert!(message.contains(part), "{expression}: `{part}` is missing in\n{message}");
        }
    }
    for (text, part) in [
        ("[joint.x]\nkind = \"formula\"\nexpression = \"t\"\n", "holds nothing"),
        ("[joint.x]\nkind = \"formula\"\npoints = { a = \"three\" }\nexpression = \"a.x\"\n", "three"),
        ("[joint.x]\nkind = \"formula\"\ncoordinates = { q = \"hinge\" }\nexpression = \"q\"\n", "hinge"),
        ("[force.x]\nkind = \"formula\"\npoints = { a = \"two\" }\nenergy = \"a.x\"\nforce = \"1\"\n", "energy"),
        ("[force.x]\nkind = \"formula\"\npoints = { a = \"two\" }\nalong = \"a.x\"\n", "force"),
        ("[force.x]\nkind = \"formula\"\npoints = { a = \"two\" }\nenergy = \"rate(a).x\"\n", "speaks of rates"),
        ("[force.x]\nkind = \"formula\"\npoints = { a = \"two\" }\n", "energy"),
    ] {
        let message = refused(&format!("{TWO}{text}"));
        assert!(message.contains(part) && message.contains("formula.toml:"), "{text}: {message}");
    }
}

//! Functions in scene files are those of the engine.

use holonom::functions::*;
use holonom_scene::Loader;
use holonom_scene::kinds::FUNCTIONS;
use std::sync::Arc;

/// The function a scene means by this value, of t or (by a torque curve) of w.
fn read(value: &str, variable: &str) -> Arc<dyn Function> {
    let (kind, field) = if variable == "t" { ("torque", "value") } else { ("torque-curve", "torque") };
    let text = format!(
        "[params]\nk = 3\n[body.b]\nmass = 1\ninertia = [1, 1, 1]\n[joint.j]\nkind = \"revolute\"\nb = \"b\"\n\
         [drive.d]\nkind = \"{kind}\"\njoint = \"j\"\n{field} = {value}\n"
    );
    let loaded = Loader::new().load_text("f.toml", text).unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));
    loaded.scene.drives[0].record.function(field).expect("a function")
}

#[test]
fn every_kind_is_that_of_the_engine() {
    let (x, y) = ([-1.0, 0.5, 2.0, 3.0], [0.3, 1.5, -0.4, 0.2]);
    let knots = [0.0, 0.0, 0.0, 1.5, 3.0, 3.0, 3.0];
    let cases: Vec<(&str, Box<dyn Function>)> = vec![
        ("2.5", Box::new(2.5)),
        ("\"k*t^2 - 1\"", Box::new(|t: f64| [3.0 * t * t - 1.0, 6.0 * t, 6.0])),
        (
            "{ kind = \"harmonic\", mean = 1, amplitude = \"${k}\", frequency = 2, phase = 0.5 }",
            Box::new(Harmonic { mean: 1.0, amplitude: 3.0, frequency: 2.0, phase: 0.5 }),
        ),
        (
            "{ kind = \"smooth-step\", from = -1, to = 2, start = 0.2, end = 1.7 }",
            Box::new(SmoothStep { from: -1.0, to: 2.0, start: 0.2, end: 1.7 }),
        ),
        (
            "{ kind = \"polynomial\", coefficients = [1, -2, 0.5, 3], about = 0.4 }",
            Box::new(Polynomial::new(&[1.0, -2.0, 0.5, 3.0]).about(0.4)),
        ),
        (
            "{ kind = \"spline\", x = [-1, 0.5, 2, 3], y = [0.3, 1.5, -0.4, 0.2] }",
            Box::new(SplineFunction::natural(&x, &y)),
        ),
        (
            "{ kind = \"spline\", x = [-1, 0.5, 2, 3], y = [0.3, 1.5, -0.4, 0.2], first_slope = 1, last_slope = -2 }",
            Box::new(SplineFunction::clamped(&x, &y, 1.0, -2.0)),
        ),
        (
            "{ kind = \"nurbs\", degree = 2, values = [0.3, 1.5, -0.4, 0.2], weights = [1, 2, 1, 0.5], knots = [0, 0, 0, 1.5, 3, 3, 3] }",
            Box::new(NurbsFunction::new(2, &y, &[1.0, 2.0, 1.0, 0.5], &knots)),
        ),
        ("{ kind = \"table\", x = [-1, 0.5, 2, 3], y = [0.3, 1.5, -0.4, 0.2] }", Box::new(Table::new(&x, &y))),
        (
            "{ kind = \"smooth-table\", x = [-1, 0.5, 2, 3], y = [0.3, 1.5, -0.4, 0.2] }",
            Box::new(SmoothTable::new(&x, &y)),
        ),
        (
            "{ kind = \"sum\", terms = [{ value = \"t^2\" }, { value = { kind = \"polynomial\", coefficients = [0, 1] }, factor = -2 }] }",
            Box::new(|t: f64| [t * t - 2.0 * t, 2.0 * t - 2.0, 2.0]),
        ),
        (
            "{ kind = \"scaled\", value = { kind = \"scaled\", value = \"t^2\" }, factor = 3, start = 0.5, rate = 2 }",
            Box::new(|t: f64| [12.0 * (t - 0.5) * (t - 0.5), 24.0 * (t - 0.5), 24.0]),
        ),
    ];
    for (text, expected) in &cases {
        // parts have the variable of the whole, whatever it is called
        for variable in ["t", "w"] {
            let text = if variable == "w" { text.replace("t^2", "w^2") } else { text.to_string() };
            let found = read(&text, variable);
            for x in [-2.0, -0.3, 0.0, 0.7, 1.6, 2.4, 5.0] {
                for (f, e) in found.at(x).iter().zip(expected.at(x)) {
                    assert!((f - e).abs() <= 1e-13 * (1.0 + e.abs()), "{text} at {x}: {f} {e}");
                }
            }
        }
    }
    for kind in FUNCTIONS.kinds() {
        let written = format!("kind = \"{}\"", kind.name);
        assert!(cases.iter().any(|(text, _)| text.contains(&written)), "no case for `{}`", kind.name);
    }
}

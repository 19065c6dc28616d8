//! Charts of all kinds, to be looked at: `cargo run -p holonom-plot --example gallery -- FOLDER`.

use holonom_plot::{Axis, LineChart, Mark, Scale, Series, SketchOptions};

type Values = (String, String, Vec<f64>, Vec<f64>);

fn sampled(n: usize, end: f64, f: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
    let t: Vec<f64> = (0..n).map(|i| end * i as f64 / (n - 1) as f64).collect();
    let y = t.iter().map(|&t| f(t)).collect();
    (t, y)
}

fn curve(name: &str, unit: &str, n: usize, end: f64, f: impl Fn(f64) -> f64) -> Values {
    let (t, y) = sampled(n, end, f);
    (name.into(), unit.into(), t, y)
}

fn chart<'a>(title: &str, subtitle: &str, values: &'a [Values]) -> LineChart<'a> {
    let series = values.iter().map(|(name, unit, x, y)| Series::new(name, unit, x, y)).collect();
    LineChart {
        title: title.into(),
        subtitle: subtitle.into(),
        x: Axis::new("time", "s"),
        series,
        ..LineChart::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    let (sin, cos, exp) = (libm::sin, libm::cos, libm::exp);
    let save = |name: &str, chart: &LineChart| -> Result<(), Box<dyn std::error::Error>> {
        let svg = chart.to_svg()?;
        std::fs::write(format!("{folder}/{name}.svg"), &svg)?;
        let png = chart.to_png(2.0)?;
        println!("{name}: svg {} bytes, png {} bytes", svg.len(), png.len());
        std::fs::write(format!("{folder}/{name}.png"), png)?;
        for look in [
            SketchOptions { width: 72, height: 12, ..SketchOptions::default() },
            SketchOptions { ascii: true, width: 60, height: 10, colour: false },
        ] {
            println!("{}", chart.sketch(&look)?);
        }
        Ok(())
    };

    let one = [curve("pin.angle", "rad", 600, 10.0, |t| 1.4 * exp(-0.15 * t) * cos(3.1 * t))];
    save("one", &chart("Pendulum with drag", "pendulum.toml, integrator rk4, dt = 1 ms", &one))?;

    let names =
        ["left_front/upper_arm.position.x", "left_front/lower_arm.position.x", "right_front/upper_arm.position.x"];
    let names =
        [&names[..], &["right_front/lower_arm.position.x", "chassis/engine_mount_rear_left/bushing.position.x", "a"]]
            .concat();
    let six: Vec<Values> = names
        .iter()
        .enumerate()
        .map(|(k, n)| curve(n, "m", 800, 10.0, move |t| 0.1 * k as f64 * sin(t + k as f64) + 0.02 * sin(9.0 * t)))
        .collect();
    save("six", &chart("Suspension on a rough road", "car.toml, integrator sdirk4", &six))?;

    let two =
        [
            curve("slider.x", "m", 700, 4.0, |t| 0.3 + 0.1 * sin(6.0 * t)),
            curve("crank.x", "m", 700, 4.0, |t| 0.1 * cos(6.0 * t)),
            curve("crank.angle", "rad", 700, 4.0, |t| 6.0 * t),
            curve("rod.angle", "rad", 700, 4.0, |t| 0.3 * sin(6.0 * t)),
            curve("pin.load", "N", 700, 4.0, |t| {
                if (1.4..1.6).contains(&t) { f64::NAN } else { 12e3 + 4e3 * cos(12.0 * t) }
            }),
        ];
    let mut c = chart("Slider-crank", "slider_crank.toml, integrator rk4", &two);
    c.marks = vec![Mark { x: 1.5, label: "rope breaks".into() }, Mark { x: 1.62, label: "motor off".into() }];
    save("units", &c)?;

    let constant = [
        curve("energy", "J", 500, 100.0, |t| 1.0 + 1e-13 * sin(0.3 * t) * (1.0 + 0.2 * sin(17.0 * t))),
        curve("mass", "kg", 500, 100.0, |_| 2.5),
        curve("gap", "m", 500, 100.0, |_| 0.0),
        curve("total momentum", "kg m/s", 500, 100.0, |t| -7.123e5 + 1e-3 * t),
    ];
    save("constant", &chart("Conserved quantities", "", &constant))?;

    let huge = [
        curve("far body", "m", 300, 3.0, |t| 3e11 * cos(t)),
        curve("stress", "Pa", 300, 3.0, |t| 2.1e8 * (1.0 + t)),
        curve("deflection", "m²", 300, 3.0, |t| 4e-9 * sin(5.0 * t)),
    ];
    save("magnitudes", &chart("Large and small", "", &huge))?;

    let many = [
        curve("noise", "m/s²", 100_000, 60.0, |t| {
            if (t - 33.3).abs() < 3e-4 { 9.0 } else { sin(400.0 * t) * sin(37.0 * t) }
        }),
        curve("carrier", "m/s²", 100_000, 60.0, |t| 3.0 + 0.5 * sin(t)),
    ];
    save("many", &chart("100,000 samples", "one of them out of line", &many))?;

    let errors = [
        curve("gap, projected", "m", 400, 10.0, |t| 1e-14 * (1.1 + sin(40.0 * t))),
        curve("gap, no projection", "m", 400, 10.0, |t| 1e-12 * (1.0 + t * t * t * t)),
    ];
    let mut c = chart("Drift", "logarithmic", &errors);
    c.y_scale = Scale::Log;
    save("log", &c)?;

    let ten: Vec<Values> = (0..10)
        .map(|k| {
            curve(&format!("link {k}.z"), "m", 300, 5.0, move |t| -(k as f64) + 0.4 * sin(t * (1.0 + 0.1 * k as f64)))
        })
        .collect();
    save("ten", &chart("A chain of ten", "", &ten))?;
    let late: Vec<Values> = (0..24)
        .map(|k| {
            let (t, y) = sampled(300, 1.0, |t| libm::sin((2.0 + 0.1 * k as f64) * t) * 1.2345);
            (format!("wheel {k}"), "rad/s".to_string(), t.iter().map(|t| 1e6 + t).collect(), y)
        })
        .collect();
    let mut c = chart("Twenty-four wheels after a long time", "", &late);
    for (k, label) in ["brake", "gear 1", "gear 2", "gear 3", "clutch", "the end of the run"].into_iter().enumerate() {
        c.marks.push(Mark { x: 1e6 + [0.0, 0.5, 0.51, 0.52, 0.9, 1.0][k], label: label.into() });
    }
    save("late", &c)?;
    save("nothing", &chart("No series", "", &[]))?;
    Ok(())
}

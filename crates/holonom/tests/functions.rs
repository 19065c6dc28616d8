//! Functions of one variable: derivatives by finite differences, what splines reproduce, what tables promise, what is refused.

mod common;

use common::Worst;
use holonom::functions::{
    Function, Harmonic, NurbsFunction, Polynomial, ScaledFunction, SmoothStep, SmoothTable, SplineFunction, Sum, Table,
};
use holonom::math::SplitMix;
use std::sync::Arc;

/// Increasing abscissae and values, at random.
fn samples(n: usize, g: &mut SplitMix) -> (Vec<f64>, Vec<f64>) {
    let mut at = -1.0;
    let x = (0..n)
        .map(|_| {
            at += 0.2 + 0.5 * g.unit();
            at
        })
        .collect();
    (x, (0..n).map(|_| g.symmetric(1.0)).collect())
}

fn random_nurbs(degree: usize, g: &mut SplitMix) -> (NurbsFunction, Vec<f64>) {
    let n = degree + 5;
    let mut at = 0.0;
    let knots: Vec<f64> = (0..n + degree + 1)
        .map(|i| {
            if i > degree && i <= n {
                at += 0.3 + g.unit();
            }
            at
        })
        .collect();
    let values: Vec<f64> = (0..n).map(|_| g.symmetric(1.0)).collect();
    let weights: Vec<f64> = (0..n).map(|_| 0.5 + g.unit()).collect();
    (NurbsFunction::new(degree, &values, &weights, &knots), knots)
}

/// One of every kind, with the abscissae at which a derivative jumps.
fn all(g: &mut SplitMix) -> Vec<(&'static str, Box<dyn Function>, Vec<f64>)> {
    let harmonic = Harmonic { mean: 0.3, amplitude: g.symmetric(2.0), frequency: 1.0 + g.unit(), phase: g.unit() };
    let step = SmoothStep { from: g.unit(), to: g.symmetric(2.0), start: 0.2, end: 1.5 };
    let (x, y) = samples(9, g);
    let sum = Sum::new().and(harmonic).and(step).and(0.4).and(|x: f64| [x * x, 2.0 * x, 2.0]);
    let shared: Arc<dyn Function> = Arc::new(harmonic);
    let scaled = ScaledFunction::new(-1.5, shared).shifted(0.3, 1.7);
    let ((cubic, cubic_knots), (fifth, fifth_knots)) = (random_nurbs(3, g), random_nurbs(5, g));
    vec![
        ("constant", Box::new(0.7), vec![]),
        ("harmonic", Box::new(harmonic), vec![]),
        ("smooth step", Box::new(step), vec![0.2, 1.5]),
        ("polynomial", Box::new(Polynomial::new(&[1.0, -2.0, 0.5, 0.3, -0.1]).about(0.4)), vec![]),
        ("natural spline", Box::new(SplineFunction::natural(&x, &y)), x.clone()),
        ("clamped spline", Box::new(SplineFunction::clamped(&x, &y, 0.5, -0.7)), x.clone()),
        (
            "uniform spline",
            Box::new(SplineFunction::uniform(-1.0, 0.5, &y)),
            (0..9).map(|i| -1.0 + 0.5 * i as f64).collect(),
        ),
        ("cubic nurbs", Box::new(cubic), cubic_knots),
        ("nurbs of degree 5", Box::new(fifth), fifth_knots),
        ("table", Box::new(Table::new(&x, &y)), x.clone()),
        ("smooth table", Box::new(SmoothTable::new(&x, &y)), x),
        ("sum", Box::new(sum), vec![0.2, 1.5]),
        ("scaled", Box::new(scaled), vec![]),
    ]
}

#[test]
fn derivatives_are_those_of_the_value() {
    let worst = Worst::default();
    let mut g = SplitMix(21);
    const H: f64 = 1e-4;
    for _ in 0..10 {
        for (name, f, jumps) in all(&mut g) {
            f.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
            for _ in 0..100 {
                let x = -2.0 + 7.0 * g.unit();
                if jumps.iter().any(|j| (j - x).abs() < 3.0 * H) {
                    continue;
                }
                let now = f.at(x);
                let around = [-2.0, -1.0, 1.0, 2.0].map(|k| f.at(x + k * H));
                for k in 0..2 {
                    let [a, b, c, d] = around.map(|f| f[k]);
                    let found = (8.0 * (c - b) - (d - a)) / (12.0 * H); // of order four
                    let error = (found - now[k + 1]).abs() / (1.0 + found.abs());
                    worst.note(["first", "second"][k], error);
                    assert!(error < 1e-8, "{name} at {x}: derivative {} is {found}, says {}", k + 1, now[k + 1]);
                }
            }
        }
    }
    worst.print("functions");
}

#[test]
fn splines_reproduce_what_they_can() {
    let mut g = SplitMix(22);
    let (x, _) = samples(12, &mut g);
    let cubic = Polynomial::new(&[0.3, -1.0, 0.7, 0.25]);
    let y: Vec<f64> = x.iter().map(|&x| cubic.at(x)[0]).collect();
    let spline = SplineFunction::clamped(&x, &y, cubic.at(x[0])[1], cubic.at(x[11])[1]);
    let line = SplineFunction::natural(&x, &x);
    for _ in 0..300 {
        let at = x[0] + (x[11] - x[0]) * g.unit();
        for k in 0..3 {
            assert!((spline.at(at)[k] - cubic.at(at)[k]).abs() < 1e-12, "derivative {k} at {at}");
        }
        assert!((line.at(at)[0] - at).abs() < 1e-14 && (line.at(at)[1] - 1.0).abs() < 1e-13);
    }
    // between dense samples of a sine, of order four
    let error = |n: usize| {
        let step = 3.0 / n as f64;
        let y: Vec<f64> = (0..=n).map(|i| libm::sin(i as f64 * step)).collect();
        let x: Vec<f64> = (0..=n).map(|i| i as f64 * step).collect();
        let f = SplineFunction::clamped(&x, &y, 1.0, libm::cos(3.0));
        (0..500).map(|i| 3.0 * i as f64 / 500.0).map(|x| (f.at(x)[0] - libm::sin(x)).abs()).fold(0.0, f64::max)
    };
    let slope = (error(20) / error(40)).log2();
    assert!((slope - 4.0).abs() < 0.2, "order {slope}");
}

#[test]
fn tables_pass_through_their_samples_without_overshoot() {
    let mut g = SplitMix(23);
    for _ in 0..100 {
        let (x, y) = samples(8, &mut g);
        let (table, smooth) = (Table::new(&x, &y), SmoothTable::new(&x, &y));
        for i in 0..8 {
            assert!((table.at(x[i])[0] - y[i]).abs() < 1e-15 && (smooth.at(x[i])[0] - y[i]).abs() < 1e-14);
            if i > 0 {
                let (low, high) = (y[i - 1].min(y[i]), y[i - 1].max(y[i]));
                for k in 0..=50 {
                    let f = smooth.at(x[i - 1] + (x[i] - x[i - 1]) * k as f64 / 50.0)[0];
                    assert!(f >= low - 1e-14 && f <= high + 1e-14, "{f} outside [{low}, {high}]");
                }
                let (before, after) = (smooth.at(x[i] - 1e-9)[1], smooth.at(x[i] + 1e-9)[1]);
                assert!((before - after).abs() < 1e-6, "rate jumps from {before} to {after}");
            }
        }
    }
    let straight = Table::new(&[0.0, 1.0, 3.0], &[0.0, 2.0, 0.0]);
    assert_eq!(straight.at(-1.0), [-2.0, 2.0, 0.0]);
    assert_eq!(straight.at(2.0), [1.0, -1.0, 0.0]);
    assert_eq!(straight.at(5.0), [-2.0, -1.0, 0.0]);
}

#[test]
fn bad_parameters_are_refused_with_a_reason() {
    let x = [0.0, 1.0, 2.0];
    let bad: Vec<(Box<dyn Function>, &str)> = vec![
        (Box::new(f64::NAN), "constant is NaN, must be finite"),
        (Box::new(Table::new(&x, &[1.0])), "3 abscissae for 1 values, must be as many"),
        (Box::new(Table::new(&[0.0], &[1.0])), "number of samples is 1, must be at least 2"),
        (Box::new(SmoothTable::new(&[0.0, 2.0, 2.0], &x)), "abscissa 2 is 2 after 2, must increase"),
        (Box::new(SplineFunction::natural(&x, &[0.0, f64::INFINITY, 0.0])), "value 1 is inf, must be finite"),
        (Box::new(SplineFunction::clamped(&x, &x, f64::NAN, 0.0)), "first slope is NaN, must be finite"),
        (Box::new(SplineFunction::uniform(0.0, -1.0, &x)), "abscissa 1 is -1 after 0, must increase"),
        (Box::new(Polynomial::new(&[])), "polynomial has no coefficients, must have at least 1"),
        (
            Box::new(Harmonic { mean: 0.0, amplitude: 1.0, frequency: f64::INFINITY, phase: 0.0 }),
            "frequency is inf, must be finite",
        ),
        (
            Box::new(SmoothStep { from: 0.0, to: 1.0, start: 2.0, end: 1.0 }),
            "step starts at 2 and ends at 1, must end later",
        ),
        (
            Box::new(NurbsFunction::new(2, &x, &[1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])),
            "weight is 0, must be finite and positive",
        ),
        (
            Box::new(NurbsFunction::new(2, &x, &[1.0; 3], &[0.0, 0.0, 0.0, 1.0, 1.0])),
            "5 knots for 3 control points of degree 2, must be 6",
        ),
        (Box::new(Sum::new().and(1.0).and(f64::NAN)), "term 1: constant is NaN, must be finite"),
        (Box::new(ScaledFunction::new(f64::NAN, 1.0)), "factor is NaN, must be finite"),
    ];
    for (f, reason) in bad {
        assert_eq!(f.validate().unwrap_err().to_string(), reason);
        f.at(0.5); // must not panic
    }
}

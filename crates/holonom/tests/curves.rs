//! Curves and surfaces: derivatives by finite differences, exact circles, what splines reproduce, nearest points against brute force,
//! lengths of arc, what is refused.

mod common;

use common::Worst;
use holonom::curves::{
    Circle, CubicSpline, Curve, Helix, Line, Nurbs, NurbsSurface, PatchJet, Sheet, Track, UserCurve, UserPatch,
};
use holonom::math::{SplitMix, Vec3, vec3};
use std::f64::consts::TAU;

/// Points along a random walk that bends gently.
fn walk(n: usize, g: &mut SplitMix) -> Vec<Vec3> {
    let (mut at, mut step) = (Vec3::ZERO, vec3(0.3, 0.0, 0.0));
    (0..n)
        .map(|_| {
            step = (step + g.vec3(0.12)).normalize() * (0.2 + 0.2 * g.unit());
            at += step;
            at
        })
        .collect()
}

fn around(n: usize, g: &mut SplitMix) -> Vec<Vec3> {
    (0..n)
        .map(|i| {
            let (sin, cos) = libm::sincos(TAU * i as f64 / n as f64);
            vec3(2.0 * cos, sin, 0.0) + g.vec3(0.15)
        })
        .collect()
}

fn random_nurbs(degree: usize, g: &mut SplitMix) -> Nurbs {
    let points = walk(degree + 6, g);
    let n = points.len();
    let mut at = 0.0;
    let knots: Vec<f64> = (0..n + degree + 1)
        .map(|i| {
            if i > degree && i <= n {
                at += 0.5 + g.unit();
            }
            at
        })
        .collect();
    let weights: Vec<f64> = (0..n).map(|_| 0.6 + 0.8 * g.unit()).collect();
    Nurbs::new(degree, &points, &weights, &knots)
}

fn all(g: &mut SplitMix) -> Vec<(&'static str, Track)> {
    let w = walk(9, g);
    vec![
        ("line", Track::new(Line { from: g.vec3(1.0), to: g.vec3(1.0) + vec3(2.0, 0.0, 0.0) })),
        ("circle", Track::new(Circle { radius: 0.5 + g.unit() })),
        ("helix", Track::new(Helix { radius: 0.5 + g.unit(), pitch: 0.4, turns: 2.3 })),
        ("natural spline", Track::new(CubicSpline::natural(&w))),
        ("clamped spline", Track::new(CubicSpline::clamped(&w, vec3(1.0, 0.2, 0.0), vec3(1.0, 0.0, 0.3)))),
        ("closed spline", Track::new(CubicSpline::closed(&around(9, g)))),
        ("nurbs of degree 3", Track::new(random_nurbs(3, g))),
        ("nurbs of degree 4", Track::new(random_nurbs(4, g))),
        ("nurbs of degree 7", Track::new(random_nurbs(7, g))),
        ("clamped nurbs", Track::new(Nurbs::clamped(3, &w))),
        ("nurbs circle", Track::new(Nurbs::circle(0.7))),
        (
            "user's",
            Track::new(UserCurve::new(-1.0, 2.0, |s| {
                [
                    vec3(s, s * s, s * s * s),
                    vec3(1.0, 2.0 * s, 3.0 * s * s),
                    vec3(0.0, 2.0, 6.0 * s),
                    vec3(0.0, 0.0, 6.0),
                ]
            })),
        ),
    ]
}

#[test]
fn derivatives_are_those_of_the_curve() {
    let worst = Worst::default();
    let mut g = SplitMix(31);
    for (name, track) in (0..8).flat_map(|_| all(&mut g)).collect::<Vec<_>>() {
        track.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
        let (from, to) = track.curve().domain();
        let h = 1e-5;
        for _ in 0..60 {
            // a tenth of the domain beyond both ends
            let s = from + (to - from) * (-0.1 + 1.2 * g.unit());
            let mut jumps = vec![from, to];
            jumps.extend_from_slice(track.curve().breaks());
            if jumps.iter().any(|j| (j - s).abs() < 2.0 * h) {
                continue;
            }
            let (now, ahead, behind) = (track.at(s), track.at(s + h), track.at(s - h));
            for k in 0..3 {
                let found = (ahead[k] - behind[k]) / (2.0 * h);
                let error = (found - now[k + 1]).length() / (1.0 + found.length());
                worst.note(["first", "second", "third"][k], error);
                assert!(error < 1e-7, "{name} at {s}: derivative {} is {found}, says {}", k + 1, now[k + 1]);
            }
        }
    }
    worst.print("curves");
}

#[test]
fn a_circle_of_nurbs_is_a_circle() {
    let circle = Nurbs::circle(1.0);
    let mut g = SplitMix(32);
    let mut worst = 0.0_f64;
    for _ in 0..1000 {
        let [r, v, a, _] = circle.at(4.0 * g.unit());
        worst = worst.max((r.length() - 1.0).abs()).max(r.z.abs());
        assert!(r.dot(v).abs() < 1e-14 && (v.length_squared() + r.dot(a)).abs() < 1e-13);
    }
    println!("circle of nurbs: radius off by {worst:.1e}");
    assert!(worst < 1e-15);
    let track = Track::new(circle);
    assert!((track.length() - TAU).abs() < 1e-13, "{}", track.length());
    for _ in 0..200 {
        let angle = TAU * g.unit();
        let (sin, cos) = libm::sincos(angle);
        let s = track.nearest(vec3(1.3 * cos, 1.3 * sin, 0.4));
        assert!((track.at(s)[0] - vec3(cos, sin, 0.0)).length() < 1e-14);
        assert!((track.arc(s) - angle).abs() < 1e-13, "{} {angle}", track.arc(s));
    }
}

#[test]
fn splines_reproduce_cubics() {
    // three components of one cubic in the chord: on a straight line chord and parameter agree, so bend it by its speed alone
    let mut g = SplitMix(33);
    let points: Vec<Vec3> = (0..7).map(|i| vec3(1.0, -2.0, 2.0) * (0.3 * i as f64 + 0.1 * g.unit())).collect();
    let line = CubicSpline::natural(&points);
    let length = line.domain().1;
    for _ in 0..100 {
        let s = length * g.unit();
        let expected = points[0] + vec3(1.0, -2.0, 2.0) / 3.0 * s;
        assert!((line.at(s)[0] - expected).length() < 1e-14 && (line.at(s)[1].length() - 1.0).abs() < 1e-13);
    }
    // a Bezier curve cut into two by knots is the same cubic
    let p = [Vec3::ZERO, vec3(1.0, 0.0, 0.5), vec3(2.0, 1.0, 0.0), vec3(2.0, 2.0, 1.0)];
    let whole = Nurbs::clamped(3, &p);
    let half = |a: Vec3, b: Vec3| 0.5 * (a + b);
    let (q, r, s) = (half(p[0], p[1]), half(p[1], p[2]), half(p[2], p[3]));
    let (t, u) = (half(q, r), half(r, s));
    let parts = [p[0], q, t, half(t, u), u, s, p[3]];
    let knots = [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0];
    let cut = Nurbs::new(3, &parts, &[1.0; 7], &knots);
    cut.validate().expect("no corner");
    for _ in 0..100 {
        let x = g.unit();
        for k in 0..4 {
            assert!((whole.at(x)[k] - cut.at(x)[k]).length() < 1e-13, "derivative {k} at {x}");
        }
    }
}

#[test]
fn closed_splines_go_round_smoothly() {
    let mut g = SplitMix(34);
    let track = Track::new(CubicSpline::closed(&around(8, &mut g)));
    let period = track.curve().domain().1;
    let (a, b) = (track.curve().at(0.0), track.curve().at(period));
    for k in 0..3 {
        assert!((a[k] - b[k]).length() < 1e-13, "derivative {k} jumps by {}", a[k] - b[k]);
    }
    for k in 0..3 {
        assert!((track.at(0.3)[k] - track.at(0.3 + 2.0 * period)[k]).length() < 1e-12);
        assert!((track.at(0.3)[k] - track.at(0.3 - period)[k]).length() < 1e-12);
    }
}

#[test]
fn the_nearest_point_is_the_nearest() {
    let worst = Worst::default();
    let mut g = SplitMix(35);
    for (name, track) in (0..5).flat_map(|_| all(&mut g)).collect::<Vec<_>>() {
        let (from, to) = track.curve().domain();
        let open = !track.curve().closed();
        for _ in 0..20 {
            let p = track.at(from + (to - from) * g.unit())[0] + g.vec3(1.0);
            let s = track.nearest(p);
            let [r, v, a, _] = track.at(s);
            // stationary to rounding: what is left of g is less than a change of s by a few roundings makes
            let g = (r - p).dot(v);
            let slope = v.length_squared() + (r - p).dot(a);
            let error = (g / slope).abs() / (to - from);
            worst.note("stationary", if slope.abs() > 0.1 * v.length_squared() { error } else { 0.0 });
            let spread = if open { 0.3 } else { 0.0 };
            let brute = (0..=4000)
                .map(|i| from + (to - from) * (-spread + (1.0 + 2.0 * spread) * i as f64 / 4000.0))
                .map(|s| (track.at(s)[0] - p).length())
                .fold(f64::INFINITY, f64::min);
            worst.note("farther than by brute force", (r - p).length() - brute);
            assert!((r - p).length() <= brute + 1e-12, "{name}: {} m away, {brute} by brute force", (r - p).length());
            let [low, high] = [track.at(s - 1e-5)[0], track.at(s + 1e-5)[0]].map(|q| (q - p).length());
            assert!((r - p).length() <= low.min(high) + 1e-14, "{name}: not a minimum");
        }
        // a point of the curve is nearest to itself
        for _ in 0..20 {
            let q = track.at(from + (to - from) * g.unit())[0];
            let d = (track.at(track.nearest(q))[0] - q).length();
            worst.note("of itself", d);
            assert!(d < 1e-14, "{name}: {d}");
        }
    }
    worst.print("nearest");
    assert!(worst.get("stationary") < 1e-14);
}

#[test]
fn arcs_grow_with_the_speed() {
    let worst = Worst::default();
    let mut g = SplitMix(36);
    for (name, track) in (0..5).flat_map(|_| all(&mut g)).collect::<Vec<_>>() {
        let (from, to) = track.curve().domain();
        let h = 1e-5 * (to - from);
        for _ in 0..30 {
            let s = from + (to - from) * (0.01 + 0.98 * g.unit());
            let found = (track.arc(s + h) - track.arc(s - h)) / (2.0 * h);
            let speed = track.at(s)[1].length();
            worst.note("rate", (found - speed).abs() / speed);
            assert!((found - speed).abs() < 1e-7 * speed, "{name} at {s}: {found}, speed {speed}");
        }
    }
    worst.print("arc");
    let helix = Track::new(Helix { radius: 0.8, pitch: 0.5, turns: 3.0 });
    let right = 3.0 * ((TAU * 0.8) * (TAU * 0.8) + 0.25_f64).sqrt();
    assert!((helix.length() - right).abs() < 1e-13 * right);
    // integral of sqrt(1 + 4 x^2) from 0 to 1
    let parabola =
        UserCurve::new(0.0, 1.0, |s| [vec3(s, s * s, 0.0), vec3(1.0, 2.0 * s, 0.0), vec3(0.0, 2.0, 0.0), Vec3::ZERO]);
    let right = 0.5 * 5.0_f64.sqrt() + 0.25 * libm::asinh(2.0);
    assert!((Track::new(parabola).length() - right).abs() < 1e-14);
}

fn bump(g: &mut SplitMix) -> NurbsSurface {
    let points: Vec<Vec3> =
        (0..42).map(|k| vec3((k / 7) as f64 * 0.4, (k % 7) as f64 * 0.4, 0.0) + g.vec3(0.1)).collect();
    let weights: Vec<f64> = (0..42).map(|_| 0.7 + 0.6 * g.unit()).collect();
    let knots = |n: usize, p: usize| -> Vec<f64> { (0..n + p + 1).map(|i| i.clamp(p, n) as f64 - p as f64).collect() };
    NurbsSurface::new([3, 4], [&knots(6, 3), &knots(7, 4)], &points, &weights)
}

fn jets(j: &PatchJet) -> [Vec3; 10] {
    [j.r, j.u, j.v, j.uu, j.uv, j.vv, j.uuu, j.uuv, j.uvv, j.vvv]
}

#[test]
fn derivatives_are_those_of_the_surface() {
    let worst = Worst::default();
    let mut g = SplitMix(37);
    // derivative of entry i by u, by v: which entry
    const BY: [[usize; 2]; 6] = [[1, 2], [3, 4], [4, 5], [6, 7], [7, 8], [8, 9]];
    for _ in 0..10 {
        let sheet = Sheet::new(bump(&mut g));
        sheet.validate().expect("a surface");
        let domain = sheet.patch().domain();
        for _ in 0..100 {
            let [u, v] = domain.map(|(from, to)| from + (to - from) * (-0.2 + 1.4 * g.unit()));
            let near = |x: f64| (x - libm::round(x)).abs() < 1e-4; // of a knot
            if near(u) || near(v) {
                continue;
            }
            let inside = (domain[0].0..domain[0].1).contains(&u) && (domain[1].0..domain[1].1).contains(&v);
            const H: f64 = 1e-5;
            let now = jets(&sheet.at(u, v));
            let by = [
                (jets(&sheet.at(u + H, v)), jets(&sheet.at(u - H, v))),
                (jets(&sheet.at(u, v + H)), jets(&sheet.at(u, v - H))),
            ];
            for i in 0..if inside { 6 } else { 3 } {
                for k in 0..2 {
                    let found = (by[k].0[i] - by[k].1[i]) / (2.0 * H);
                    let error = (found - now[BY[i][k]]).length() / (1.0 + found.length());
                    worst.note("derivative", error);
                    assert!(error < 1e-8, "entry {i} by {k} at ({u}, {v}): {found}, says {}", now[BY[i][k]]);
                }
            }
        }
    }
    worst.print("surfaces");
}

#[test]
fn the_nearest_point_of_a_surface_is_the_nearest() {
    let worst = Worst::default();
    let mut g = SplitMix(38);
    for _ in 0..5 {
        let sheet = Sheet::new(bump(&mut g));
        let domain = sheet.patch().domain();
        for _ in 0..10 {
            let [u, v] = domain.map(|(from, to)| from + (to - from) * g.unit());
            let p = sheet.at(u, v).r + g.vec3(0.3);
            let [a, b] = sheet.nearest(p);
            let j = sheet.at(a, b);
            let d = (j.r - p).length();
            let mut brute = f64::INFINITY;
            for i in 0..=120 {
                for k in 0..=120 {
                    let x = domain[0].0 + (domain[0].1 - domain[0].0) * (-0.1 + 1.2 * i as f64 / 120.0);
                    let y = domain[1].0 + (domain[1].1 - domain[1].0) * (-0.1 + 1.2 * k as f64 / 120.0);
                    brute = brute.min((sheet.at(x, y).r - p).length());
                }
            }
            worst.note("farther than by brute force", d - brute);
            assert!(d <= brute + 1e-9, "{d} m away, {brute} by brute force, at {a} {b}");
            let slope = (j.r - p).dot(j.u).abs().max((j.r - p).dot(j.v).abs());
            worst.note("stationary", slope);
            assert!(slope < 1e-14, "({a}, {b}): {slope}");
            let q = sheet.at(u, v).r;
            let [a, b] = sheet.nearest(q);
            worst.note("of itself", (sheet.at(a, b).r - q).length());
        }
    }
    worst.print("nearest of a surface");
    assert!(worst.get("of itself") < 1e-14);
    // a cylinder closed along u
    let tube = UserPatch::new((0.0, TAU), (0.0, 1.0), |u, v| {
        let (s, c) = libm::sincos(u);
        let (e, f) = (vec3(c, s, 0.0), vec3(-s, c, 0.0));
        PatchJet { r: e + vec3(0.0, 0.0, v), u: f, v: Vec3::Z, uu: -e, uuu: -f, ..PatchJet::default() }
    });
    let sheet = Sheet::new(tube.closed(true, false));
    for _ in 0..100 {
        let p = g.vec3(2.0);
        let [u, v] = sheet.nearest(p);
        let angle = libm::atan2(p.y, p.x);
        let angle = if angle < 0.0 { angle + TAU } else { angle };
        assert!((u - angle).abs() < 1e-13 && (v - p.z).abs() < 1e-13, "{p}: {u} {v}");
        assert!((sheet.at(u, v).normal().dot(p) - vec3(p.x, p.y, 0.0).length()).abs() < 1e-13);
    }
}

#[test]
fn bad_curves_are_refused_with_a_reason() {
    let p = [Vec3::ZERO, Vec3::X, vec3(1.0, 1.0, 0.0)];
    let open = |t: Track| t.validate().unwrap_err().to_string();
    let cases: Vec<(String, &str)> = vec![
        (open(Track::new(Circle { radius: -1.0 })), "radius is -1 m, must be finite and positive"),
        (open(Track::new(Line { from: p[0], to: p[0] })), "line is 0 m long"),
        (open(Track::new(Helix { radius: 1.0, pitch: 0.1, turns: 0.0 })), "number of turns is 0"),
        (open(Track::new(CubicSpline::natural(&p[..1]))), "1 points, must be at least 2"),
        (open(Track::new(CubicSpline::natural(&[]))), "0 points, must be at least 2"),
        (open(Track::new(CubicSpline::closed(&p[..2]))), "2 points, must be at least 3"),
        (open(Track::new(CubicSpline::natural(&[p[0], p[1], p[1]]))), "points 1 and 2 are both"),
        (open(Track::new(CubicSpline::natural(&[p[0], Vec3::NAN]))), "point [NaN, NaN, NaN] m, must be finite"),
        (open(Track::new(CubicSpline::clamped(&p, Vec3::ZERO, Vec3::X))), "direction at an end has zero length"),
        (open(Track::new(Nurbs::clamped(8, &[Vec3::X; 12]))), "degree is 8, must be 1 to 7"),
        (open(Track::new(Nurbs::clamped(3, &p))), "3 control points for degree 3, must be at least 4"),
        (open(Track::new(Nurbs::clamped(1, &p))), "corner at 0.5"),
        (open(Track::new(Nurbs::clamped(2, &p).closed())), "closed curve ends at"),
        (open(Track::new(Nurbs::new(2, &p, &[1.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))), "2 weights for 3"),
        (open(Track::new(Nurbs::new(2, &p, &[1.0; 3], &[0.0, 0.0, 0.0, 1.0, 1.0, 0.5]))), "knot 5 is 0.5 after 1"),
        (open(Track::new(UserCurve::new(1.0, 0.0, |_| [Vec3::X; 4]))), "parameters run from 1 to 0"),
        (open(Track::new(UserCurve::new(0.0, 1.0, |_| [Vec3::ZERO; 4]))), "curve stands still at"),
        (
            Sheet::new(NurbsSurface::clamped([2, 2], [3, 3], &[Vec3::X; 8])).validate().unwrap_err().to_string(),
            "8 control points for knots of 3 x 3, must be 9",
        ),
        (
            Sheet::new(NurbsSurface::clamped([2, 2], [3, 3], &[Vec3::X; 9])).validate().unwrap_err().to_string(),
            "patch is",
        ),
    ];
    let flat = UserPatch::new((0.0, 1.0), (0.0, 1.0), |u, v| PatchJet {
        r: vec3(u, v, 0.0),
        u: Vec3::X,
        v: Vec3::Y,
        ..PatchJet::default()
    });
    let e = Sheet::new(flat.closed(true, false)).validate().unwrap_err().to_string();
    assert!(e.starts_with("closed along u, but"), "{e}");
    for (found, expected) in cases {
        assert!(found.starts_with(expected), "said: {found}\nexpected: {expected}");
    }
    // questions to a bad curve have no answer, and no panic either
    let bad = Track::new(CubicSpline::natural(&[]));
    assert!(bad.arc(0.3).is_nan() && bad.length() == 0.0);
    bad.nearest(Vec3::X);
    Sheet::new(NurbsSurface::clamped([9, 2], [1, 3], &[])).nearest(Vec3::X);
}

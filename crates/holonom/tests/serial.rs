//! Serial joints against the same freedoms with bodies between them, and rotors against the inertia they stand for.

use holonom::bodies::Rotor;
use holonom::joints::{Freedom, RotorGear, Serial};
use holonom::math::SplitMix;
use holonom::prelude::*;

/// The pose that the chain of freedoms gives at these coordinates: position and rotation of marker b against marker a.
fn forward(freedoms: &[Freedom], q: &[f64]) -> (Vec3, Quat) {
    let (mut p, mut r) = (Vec3::ZERO, Quat::IDENTITY);
    for (f, q) in freedoms.iter().zip(q) {
        match *f {
            Freedom::Slide { axis } => p += r * axis.normalize() * *q,
            Freedom::Hinge { axis, point } => {
                let turn = holonom::math::exp_quat(axis.normalize() * *q);
                p += r * (point - turn * point);
                r *= turn;
            }
            Freedom::Ball { .. } => unreachable!("has no single coordinate"),
        }
    }
    (p, r)
}

fn sets(g: &mut SplitMix) -> Vec<Vec<Freedom>> {
    let mut hinge = |axis: Vec3| Freedom::Hinge { axis: axis + g.vec3(0.3), point: g.vec3(0.5) };
    let (a, b, c) = (hinge(Vec3::X), hinge(Vec3::Y), hinge(Vec3::Z));
    let mut slide = |axis: Vec3| Freedom::Slide { axis: axis + g.vec3(0.3) };
    let (s, t, u) = (slide(Vec3::X), slide(Vec3::Y), slide(Vec3::Z));
    vec![
        vec![a],
        vec![s],
        vec![a, b],
        vec![a, b, c],
        vec![s, a],
        vec![a, s],
        vec![s, t, a],
        vec![a, s, b],
        vec![s, t, u],
        vec![s, t, a, b],
        vec![a, s, b, t, c],
        vec![s, t, u, a, b],
        vec![s, a, b, c, u],
        // holds nothing, but measures
        vec![s, t, u, a, b, c],
    ]
}

/// At a pose made from coordinates the joint is closed and reads the same coordinates back; along a motion made from rates its rows are quiet.
#[test]
fn coordinates_are_those_of_the_chain() {
    let mut g = SplitMix(5);
    let mut worst: f64 = 0.0;
    for round in 0..20 {
        for freedoms in sets(&mut g) {
            let q: Vec<f64> = freedoms.iter().map(|_| g.symmetric(0.7)).collect();
            let rates: Vec<f64> = freedoms.iter().map(|_| g.symmetric(1.0)).collect();
            let (p, r) = forward(&freedoms, &q);
            let h = 1e-6;
            let at = |s: f64| forward(&freedoms, &q.iter().zip(&rates).map(|(q, w)| q + s * w).collect::<Vec<_>>());
            let ((p1, r1), (p0, r0)) = (at(h), at(-h));
            let velocity = (p1 - p0) / (2.0 * h);
            let spin = holonom::math::log_quat(r1 * r0.conjugate()) / (2.0 * h);
            let mut m = ModelBuilder::new();
            let body = Rigid::cuboid(1.0, [0.3, 0.4, 0.5]).position(p).orientation(r).velocity(velocity).spin(spin);
            let b = m.body("b", body);
            let joint = m.joint("joint", Serial::new(BodyId::GROUND.origin(), b.origin(), freedoms.clone()));
            let sim = Simulation::build(m).unwrap_or_else(|e| panic!("round {round}, {freedoms:?}: {e}"));
            let (gap, rate) = sim.violation();
            assert!(gap < 1e-11 && rate < 1e-8, "{freedoms:?}: gap {gap}, rate {rate}");
            for (i, (q, w)) in q.iter().zip(&rates).enumerate() {
                let (value, rate) = sim.coordinate(joint, i).expect("measured");
                worst = worst.max((value - q).abs());
                assert!((value - q).abs() < 1e-11, "{freedoms:?}, coordinate {i}: {value} against {q}");
                assert!((rate - w).abs() < 1e-8, "{freedoms:?}, rate {i}: {rate} against {w}");
            }
        }
    }
    println!("largest difference of a coordinate: {worst:.1e}");
}

/// One joint of several freedoms is the limit of single joints with ever lighter bodies between them.
#[test]
fn massless_bodies_between_make_no_difference() {
    let mut g = SplitMix(6);
    for freedoms in sets(&mut g).into_iter().filter(|f| f.len() > 1) {
        let accelerations = |m: ModelBuilder, last: BodyId| {
            let sim = Simulation::build(m).expect("a chain");
            sim.accelerations().expect("solved");
            let range = sim.model().v_range(last);
            sim.accelerations().expect("solved")[range].to_vec()
        };
        let body = || Rigid::principal(1.3, [0.2, 0.3, 0.4]).centre([0.1, -0.2, 0.3]);
        let mut m = ModelBuilder::new();
        let b = m.body("b", body());
        m.joint("joint", Serial::new(BodyId::GROUND.origin(), b.origin(), freedoms.clone()));
        let exact = accelerations(m, b);
        let with = |light: f64| {
            let mut m = ModelBuilder::new();
            let mut before = BodyId::GROUND;
            for (i, f) in freedoms.iter().enumerate() {
                let last = i + 1 == freedoms.len();
                let next = m.body(format!("b{i}"), if last { body() } else { Rigid::ball(light, 1.0) });
                match *f {
                    Freedom::Slide { axis } => {
                        m.joint(format!("j{i}"), Prismatic::new(before.origin().along(axis), next.origin().along(axis)))
                    }
                    Freedom::Hinge { axis, point } => m.joint(
                        format!("j{i}"),
                        Revolute::new(before.at(point).along(axis), next.at(point).along(axis)),
                    ),
                    Freedom::Ball { .. } => unreachable!("not drawn"),
                };
                before = next;
            }
            accelerations(m, before)
        };
        let off = |a: &[f64]| a.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let (one, two) = (off(&with(1e-3)), off(&with(1e-5)));
        assert!(two < 1e-3 && two < 0.05 * one + 1e-9, "{freedoms:?}: {one:.1e}, then {two:.1e}");
    }
}

/// On a hinge between two moving bodies, armature is what the two equations of motion say it is; about a ball it acts along every axis.
#[test]
fn rotors_add_to_the_relative_motion_only() {
    // two wheels on one shaft, free to turn: I1, I2, a rotor of inertia A between them, torque on the second
    let (i1, i2, a, torque) = (0.7, 0.4, 0.25, 3.0);
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let wheel = |i: f64| Rigid::principal(1.0, [1.0, 1.0, i]);
    let (first, second) = (m.body("first", wheel(i1)), m.body("second", wheel(i2)));
    let rotor = m.body("rotor", Rotor::new(a));
    m.joint("bearing", Revolute::new(BodyId::GROUND.origin(), first.origin()));
    let hinge = m.joint("hinge", Revolute::new(first.origin(), second.origin()));
    let angle = m.coordinate(hinge, 0);
    m.joint("gear", RotorGear::new(rotor, angle, 1.0));
    m.force("torque", Torque::new(second, [0.0, 0.0, torque]));
    let sim = Simulation::build(m).expect("valid");
    let model = sim.model().clone();
    let x = sim.accelerations().expect("solved");
    let (w1, w2) = (x[model.v_range(first)][5], x[model.v_range(second)][5]);
    // (i1 + a) w1 - a w2 = 0,  (i2 + a) w2 - a w1 = torque
    assert!(((i1 + a) * w1 - a * w2).abs() < 1e-12 && ((i2 + a) * w2 - a * w1 - torque).abs() < 1e-12, "{w1} {w2}");
    assert!((x[model.v_range(rotor)][0] - (w2 - w1)).abs() < 1e-12);

    // a body on a ball joint with three rotors: its inertia is larger by A about every axis, and the gyroscopic moment is not
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let (moments, spin) = (vec3(0.3, 0.5, 0.6), vec3(1.0, -2.0, 0.5));
    let b = m.body("b", Rigid::principal(1.0, moments).spin(spin));
    m.joint("ball", Spherical::new(BodyId::GROUND.origin(), b.origin()));
    for (i, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        let rotor = m.body(format!("rotor {i}"), Rotor::new(a).rate(spin[i]));
        m.joint(format!("gear {i}"), RotorGear::spin(rotor, BodyId::GROUND, b.origin().along(e), 1.0));
    }
    let mut sim = Simulation::build(m).expect("valid");
    let range = sim.model().v_range(b);
    let x = sim.accelerations().expect("solved")[range].to_vec();
    let expected = -spin.cross(moments * spin) / (moments + Vec3::splat(a));
    assert!((vec3(x[3], x[4], x[5]) - expected).length() < 1e-12, "{x:?} against {expected}");
    let energy = sim.energy().total();
    sim.run_until(1.0).expect("runs");
    assert!((sim.energy().total() - energy).abs() < 1e-9, "rotors keep energy");
}

#[test]
fn what_cannot_be_is_refused() {
    let build = |freedoms: Vec<Freedom>| {
        let mut m = ModelBuilder::new();
        let b = m.body("b", Rigid::ball(1.0, 0.1));
        m.joint("joint", Serial::new(BodyId::GROUND.origin(), b.origin(), freedoms));
        m.build().map(|_| ()).map_err(|e| e.to_string())
    };
    let hinge = |axis: [f64; 3]| Freedom::Hinge { axis: axis.into(), point: Vec3::ZERO };
    let slide = |axis: [f64; 3]| Freedom::Slide { axis: axis.into() };
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    for (freedoms, why) in [
        (vec![hinge(x), hinge(x)], "parallel"),
        (vec![hinge(x), hinge(y), hinge([1.0, 1.0, 0.0])], "one plane"),
        (vec![slide(x), slide([-2.0, 0.0, 0.0])], "parallel"),
        (vec![hinge(x), Freedom::Ball { point: Vec3::ZERO }], "ball"),
        (vec![hinge([0.0; 3])], "axis"),
    ] {
        let error = build(freedoms.clone()).expect_err("must be refused");
        assert!(error.contains(why), "{freedoms:?}: {error}");
    }
}

//! Rolling without slip: on general surfaces against known motions and against the rolling sphere, and in joint
//! coordinates.

mod common;

use common::{difference, gap};
use holonom::joints::Constraint;
use holonom::math::{Mat3, SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::surfaces::{Inside, Plane, Quadric, Torus};

const GROUND: BodyId = BodyId::GROUND;
const G: f64 = 9.81;

fn under(gravity: [f64; 3]) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity(gravity);
    m
}

fn simulation(m: ModelBuilder) -> Simulation {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    sim
}

/// A ball inside a vertical cylinder does not fall: it goes up and down while it goes round. With Omega the rate at
/// which its centre goes round, and k = 2/7 for a solid ball, z'' = - k Omega^2 z - (1 - k) g.
#[test]
fn a_ball_in_a_vertical_pipe_comes_up_again() {
    let (pipe, r, omega) = (0.5, 0.1, 6.0);
    let mut m = under([0.0, 0.0, -G]);
    let orbit = pipe - r;
    let ball = Rigid::ball(0.3, r).position([orbit, 0.0, 0.0]).velocity([0.0, omega * orbit, 0.0]);
    let ball = m.body("ball", ball.spin([0.0, 0.0, -omega * orbit / r]));
    m.joint(
        "rolls",
        SurfaceRolling::new(GROUND.origin(), Inside(Quadric::cylinder(pipe)), ball.origin(), Quadric::sphere(r)),
    );
    let mut sim = simulation(m);
    let (k, energy) = (2.0 / 7.0_f64, sim.energy());
    let rate = omega * k.sqrt();
    let middle = -(1.0 - k) * G / (rate * rate);
    for i in 1..=12 {
        let t = 0.25 * i as f64;
        sim.run_until(t).expect("regular");
        let at = sim.centre(ball);
        let z = middle * (1.0 - (rate * t).cos());
        let expected = Vec3::new(orbit * (omega * t).cos(), orbit * (omega * t).sin(), z);
        assert!((at - expected).length() < 1e-8, "at {t} s: {at}, not {expected}");
        let spent = sim.energy();
        let off = (spent.kinetic + spent.gravity - energy.kinetic - energy.gravity).abs();
        assert!(off < 1e-10, "{off:e} J at {t} s");
    }
    assert!(sim.violation().0 < 1e-14 && sim.violation().1 < 1e-13, "{:?}", sim.violation());
}

/// Small swings of a ball in a bowl: (1 + 2/5) (R - r) phi'' = - g phi.
#[test]
fn a_ball_swings_in_a_bowl() {
    let (bowl, r, angle) = (1.0, 0.2, 1e-4_f64);
    let mut m = under([0.0, 0.0, -G]);
    let (s, c) = angle.sin_cos();
    let ball = m.body("ball", Rigid::ball(0.5, r).position([(bowl - r) * s, 0.0, -(bowl - r) * c]));
    m.joint(
        "rolls",
        SurfaceRolling::new(GROUND.origin(), Inside(Quadric::sphere(bowl)), ball.origin(), Quadric::sphere(r)),
    );
    let mut sim = simulation(m);
    let rate = (G / (1.4 * (bowl - r))).sqrt();
    sim.run_until(2.0).expect("regular");
    let expected = (bowl - r) * angle * (rate * 2.0).cos();
    let x = sim.centre(ball).x;
    // the period of a finite swing is longer by angle^2 / 16
    assert!((x - expected).abs() < 1e-8 * angle + 4.0 * rate * angle.powi(3), "{x:e}, not {expected:e}");
    // with its own spin about the normal nothing changes
    assert!(sim.centre(ball).y.abs() < 1e-12);
}

/// A sphere on a plane: the general rows and the special ones say the same, also on a plane that moves.
#[test]
fn a_sphere_on_a_plane_is_the_rolling_sphere() {
    let build = |general: bool| {
        let mut m = under([0.5, -0.3, -G]);
        let table = m.body("table", Rigid::cuboid(5.0, [2.0, 2.0, 0.1]).spin([0.0, 0.0, 0.4]));
        m.joint("pivot", Spherical::new(GROUND.origin(), table.origin()));
        let ball = m.body(
            "ball",
            Rigid::ball(0.2, 0.15).position([0.3, 0.2, 0.2]).spin([1.0, 2.0, 3.0]).velocity([0.3, 0.1, 0.0]),
        );
        let (top, middle) = (table.at([0.0, 0.0, 0.05]), ball.at([0.0, 0.0, 0.0]));
        if general {
            m.joint("rolls", SurfaceRolling::new(top, Plane, middle, Quadric::sphere(0.15)));
        } else {
            m.joint("rolls", RollingSphere::new(top, middle, 0.15));
        }
        let mut sim = simulation(m);
        sim.run_until(0.6).expect("regular");
        let state = [&sim.state().q[..], &sim.state().v].concat();
        let rolls = sim.model().joint("rolls").expect("there");
        let reaction = sim.reaction(rolls).expect("regular");
        (state, [reaction.force.to_array(), reaction.torque.to_array()].concat())
    };
    let (special, general) = (build(false), build(true));
    assert!(difference(&special.0, &general.0) < 1e-9, "{:e}", difference(&special.0, &general.0));
    assert!(gap(&special.1, &general.1) < 1e-8, "{:?} and {:?}", special.1, general.1);
}

/// An egg on a log, a ball on a ring: no slip by the velocities of the bodies themselves, and no work.
#[test]
fn nothing_slips_and_nothing_is_lost() {
    let egg = Quadric::ellipsoid([0.1, 0.15, 0.2]);
    let log = || {
        let mut m = under([0.0, 0.0, -G]);
        let log = m.body("log", Rigid::cylinder(3.0, 0.3, 1.0));
        m.joint("axle", Revolute::new(GROUND.origin().along([1.0, 0.0, 0.0]), log.origin().along([1.0, 0.0, 0.0])));
        let body = m.body("egg", Rigid::ball(0.5, 0.12).position([0.1, 0.02, 0.51]).spin([0.3, 0.4, 1.0]));
        m.joint(
            "rolls",
            SurfaceRolling::new(log.origin().along([1.0, 0.0, 0.0]), Quadric::cylinder(0.3), body.origin(), egg),
        );
        (m, body)
    };
    let ring = || {
        let mut m = under([0.0, 0.0, -G]);
        let body = m.body("ball", Rigid::ball(0.5, 0.1).position([1.02, 0.0, 0.32]).spin([0.3, 2.0, 1.0]));
        m.joint(
            "rolls",
            SurfaceRolling::new(GROUND.origin(), Torus { ring: 1.0, tube: 0.2 }, body.origin(), Quadric::sphere(0.1)),
        );
        (m, body)
    };
    for (name, (m, body)) in [("egg on a log", log()), ("ball on a ring", ring())] {
        let mut sim = simulation(m);
        let start = sim.energy();
        for _ in 0..30 {
            let t = sim.time() + 0.01;
            sim.run_until(t).expect("regular");
            // where they touch, by other mathematics: the ball towards the core of the ring; on the log, the point of
            // the egg farthest along the direction to the axis, again and again
            let (c, r) = (sim.centre(body), sim.axes(body).expect("rigid"));
            let other = sim.model().body("log");
            let point = if other.is_none() {
                let core = Vec3::new(c.x, c.y, 0.0).normalize();
                core + (c - core) * (0.2 / 0.3)
            } else {
                let mut point = c;
                for _ in 0..500 {
                    let inwards = r.transpose() * -Vec3::new(0.0, point.y, point.z).normalize() * egg.semi_axes;
                    point = c + r * (egg.semi_axes * inwards.normalize());
                }
                assert!(
                    (Vec3::new(0.0, point.y, point.z).length() - 0.3).abs() < 1e-12,
                    "{name}: not in touch at {point}"
                );
                point
            };
            let at = |id: BodyId| sim.centre_velocity(id) + sim.spin(id).expect("rigid").cross(point - sim.centre(id));
            let slip = (at(body) - other.map_or(Vec3::ZERO, at)).length();
            assert!(slip < 1e-11, "{name}: slips at {slip:e} m/s");
        }
        let end = sim.energy();
        let lost = end.kinetic + end.gravity - start.kinetic - start.gravity;
        assert!(lost.abs() < 1e-9 * (end.kinetic + 1.0), "{name}: {lost:e} J");
        println!("{name}: {lost:.1e} J, gaps {:?}", sim.violation());
    }
}

/// Charts as motions, by finite differences: twist, rates and accelerations of the rates.
#[test]
fn charts_are_motions() {
    let mut g = SplitMix(7);
    let mut pose = || Mat3::from_quat(exp_quat(g.vec3(2.0)));
    let (a, b) = (GROUND.origin(), Marker { axes: pose(), ..BodyId::from_index(0).at([0.1, 0.2, 0.3]) });
    let joints: Vec<Box<dyn Constraint>> = vec![
        Box::new(Revolute::new(a, b)),
        Box::new(Spherical::new(a, b)),
        Box::new(Universal::new(a, b)),
        Box::new(Screw::new(a, b, 0.3).phase(0.1)),
        Box::new(ConstantVelocity::new(a, b)),
        Box::new(RollingDisc::new(a, b, 0.4)),
        Box::new(RollingSphere::new(a, b, 0.4)),
    ];
    for joint in &joints {
        let chart = joint.chart().expect("a chart");
        let name = joint.kind();
        for _ in 0..20 {
            let mut u: Vec<f64> = (0..chart.n_u()).map(|_| g.symmetric(1.0)).collect();
            chart.normalise(&mut u);
            let mut w: Vec<f64> = (0..chart.n_w()).map(|_| g.symmetric(1.0)).collect();
            let twist = |u: &[f64], w: &[f64]| {
                let sum =
                    |part: fn((Vec3, Vec3)) -> Vec3| (0..w.len()).map(|k| part(chart.free(u, k)) * w[k]).sum::<Vec3>();
                (sum(|f| f.0), sum(|f| f.1))
            };
            let rates = |u: &[f64], (l, r): (Vec3, Vec3)| -> Vec<f64> {
                (0..chart.n_w()).map(|k| chart.rate_row(u, k)).map(|(a, b)| a.dot(l) + b.dot(r)).collect()
            };
            // rates that are legal: what is read back of a twist
            w = rates(&u, twist(&u, &w));
            assert!(gap(&rates(&u, twist(&u, &w)), &w) < 1e-13, "{name}: {w:?}");
            // and read back from a pose, up to turns and the sign of a quaternion
            let (p, r) = chart.pose(&u);
            let mut read = vec![0.0; u.len()];
            chart.read(p, r, &mut read);
            let (q, s) = chart.pose(&read);
            assert!(
                (p - q).length() < 1e-13 && (r - s).abs_diff_eq(Mat3::ZERO, 1e-13),
                "{name}: {u:?} read as {read:?}"
            );
            // along a motion with rates w + a t
            let push: Vec<f64> = rates(&u, twist(&u, &(0..w.len()).map(|_| g.symmetric(1.0)).collect::<Vec<_>>()));
            let h = 1e-4;
            let moved = |t: f64| {
                let (mut u, mut w, n) = (u.clone(), w.clone(), 50);
                for _ in 0..n {
                    let h = t / n as f64;
                    let mut rate = vec![0.0; u.len()];
                    let middle: Vec<f64> = w.iter().zip(&push).map(|(w, a)| w + 0.5 * h * a).collect();
                    chart.u_rate(&u, &middle, &mut rate);
                    let half: Vec<f64> = u.iter().zip(&rate).map(|(u, r)| u + 0.5 * h * r).collect();
                    chart.u_rate(&half, &middle, &mut rate);
                    u.iter_mut().zip(&rate).for_each(|(u, r)| *u += h * r);
                    w.iter_mut().zip(&push).for_each(|(w, a)| *w += h * a);
                }
                (u, w)
            };
            let ((u1, w1), (u0, w0)) = (moved(h), moved(-h));
            let ((p1, r1), (p0, r0)) = (chart.pose(&u1), chart.pose(&u0));
            let (linear, angular) = twist(&u, &w);
            let turning = (r1 - r0) * r.transpose() * (0.5 / h);
            let spin = Vec3::new(turning.y_axis.z, turning.z_axis.x, turning.x_axis.y);
            assert!(((p1 - p0) * (0.5 / h) - linear).length() < 1e-7, "{name}: the point moves otherwise");
            assert!((spin - angular).length() < 1e-6, "{name}: {spin} and {angular}");
            let ((l1, a1), (l0, a0)) = (twist(&u1, &w1), twist(&u0, &w0));
            // a motion that stays legal has the accelerations that the chart reads; with more rates than freedom the
            // push is legal only where the row holds
            if chart.freedom() == chart.n_w() {
                let found = rates(&u, ((l1 - l0) * (0.5 / h), (a1 - a0) * (0.5 / h)));
                let found: Vec<f64> = found.iter().enumerate().map(|(k, x)| x + chart.drift(&u, &w, k)).collect();
                assert!(gap(&found, &push) < 1e-6, "{name}: {found:?} and {push:?}");
            }
        }
    }
}

/// Discs and spheres in joint coordinates: nothing to correct, and the same motion.
#[test]
fn rolling_in_joint_coordinates() {
    let build = || {
        let mut m = under([0.2, 0.1, -G]);
        let table = m.body("table", Rigid::cuboid(5.0, [2.0, 2.0, 0.1]).spin([0.1, 0.0, 0.5]));
        m.joint("pivot", Universal::new(GROUND.origin(), table.origin()));
        let disc = Rigid::cylinder(0.5, 0.2, 0.02).orientation(exp_quat(Vec3::new(-1.3, 0.2, 0.0)));
        let disc = m.body("disc", disc.position([0.1, 0.0, 0.2]).spin([0.2, 6.0, 0.3]).velocity([1.2, 0.0, 0.0]));
        m.joint("edge", RollingDisc::new(table.origin(), disc.origin(), 0.2));
        let ball = m.body("ball", Rigid::ball(0.2, 0.1).position([-0.3, 0.2, 0.1]).spin([1.0, 2.0, 3.0]));
        // the plane below the ball, seen from the ball
        m.joint("ball", RollingSphere::new(table.origin(), ball.origin(), 0.1));
        let arm = m.body("arm", Rigid::ball(0.1, 0.05).position([0.1, 0.2, 0.2]));
        m.joint("axle", Spherical::new(arm.at([0.0, -0.2, 0.0]), disc.origin()));
        m
    };
    let run = |coordinates, drift| {
        let mut sim = simulation(build());
        sim.set_coordinates(coordinates).expect("any model");
        sim.set_drift(drift);
        sim.run_until(0.5).expect("regular");
        assert!(sim.cut_joints().is_empty(), "{:?}", sim.cut_joints());
        ([&sim.state().q[..], &sim.state().v].concat(), sim.violation())
    };
    let (maximal, _) = run(Coordinates::Maximal, Drift::Project);
    let (joint, (gap, slip)) = run(Coordinates::Joint, Drift::None);
    println!("{:.1e}, gaps {gap:.1e} and {slip:.1e}", difference(&maximal, &joint));
    assert!(difference(&maximal, &joint) < 1e-9, "{:e}", difference(&maximal, &joint));
    assert!(gap < 1e-13 && slip < 1e-13, "{gap:e} m, {slip:e} m/s");
}

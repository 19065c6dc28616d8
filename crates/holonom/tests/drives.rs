//! Motors, servos, prescribed points, the mouse, inverse kinematics and break loads, against closed forms and against each other.

mod common;

use common::Worst;
use holonom::JointId;
use holonom::prelude::*;
use std::f64::consts::{PI, TAU};

const GROUND: BodyId = BodyId::GROUND;
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// An arm of links of a metre in the x-z plane, hinged about y, from the origin outwards at these angles from the x axis.
fn arm(m: &mut ModelBuilder, angles: &[f64]) -> (Vec<JointId>, Marker) {
    let (mut above, mut at, mut joints) = (GROUND.origin().axes([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]), Vec3::ZERO, vec![]);
    let mut total = 0.0;
    for (i, angle) in angles.iter().enumerate() {
        total += angle;
        let along = vec3(libm::cos(total), 0.0, libm::sin(total));
        let link = Rigid::cuboid(1.0, [1.0, 0.1, 0.1])
            .position(at + along * 0.5)
            .orientation(holonom::math::exp_quat(vec3(0.0, -total, 0.0)));
        let link = m.body(format!("link {i}"), link);
        let near = link.at([-0.5, 0.0, 0.0]).axes([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]);
        joints.push(m.joint(format!("hinge {i}"), Revolute::new(above, near)));
        above = link.at([0.5, 0.0, 0.0]).axes([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]);
        at += along;
    }
    (joints, above)
}

/// The circle that the hand of the two-link arm follows: from where it starts, with position, velocity and acceleration.
fn circle(start: Vec3) -> impl Fn(f64) -> [Vec3; 3] + Send + Sync + Clone {
    move |t: f64| {
        let (r, w) = (0.2, 2.0);
        let (s, c) = libm::sincos(w * t);
        let x = |a: f64, b: f64| vec3(a, 0.0, b);
        [start + x(r * (c - 1.0), r * s), x(-r * w * s, r * w * c), x(-r * w * w * c, -r * w * w * s)]
    }
}

const START: [f64; 2] = [0.3, 1.2];

fn hand_start() -> Vec3 {
    let (a, b) = (START[0], START[0] + START[1]);
    vec3(libm::cos(a) + libm::cos(b), 0.0, libm::sin(a) + libm::sin(b))
}

/// Torques at the shoulder and the elbow over a run, by whatever drives the arm.
fn torques(mut sim: Simulation, read: impl Fn(&mut Simulation) -> [f64; 2]) -> Vec<[f64; 2]> {
    sim.set_integrator(TIGHT);
    (0..=20)
        .map(|k| {
            sim.run_until(0.1 * k as f64).expect("regular");
            read(&mut sim)
        })
        .collect()
}

/// The same torques three ways: servo rows in one run; motors driven by the exact joint angles; motors driven by inverse kinematics. And a
/// hand at the wrist needs no torques at all.
#[test]
fn torque_curves_of_a_path_agree() {
    let worst = Worst::default();
    let path = circle(hand_start());
    let builder = || {
        let mut m = ModelBuilder::new();
        let (joints, hand) = arm(&mut m, &START);
        (m, joints, hand)
    };
    let lead = |hand: Marker| PrescribedPoint::new(GROUND.origin(), hand, path.clone()).only(true, false, true);

    let (mut m, joints, hand) = builder();
    let actuators = [m.coordinate(joints[0], 0), m.coordinate(joints[1], 0)];
    let servo = m.joint("servo", Servo::new(lead(hand), actuators));
    let by_servo = torques(Simulation::build(m).expect("valid"), |sim| {
        let t = sim.multipliers_of(servo).expect("regular");
        [t[0], t[1]]
    });

    // closed form: the angles of the triangle with sides 1, 1 and the distance of the hand; derivatives by the numbers of the library
    let closed = |which: usize| {
        let path = path.clone();
        move |t: f64| {
            let angle = |t: f64| {
                let p = path(t)[0];
                let d = p.length();
                let inner = libm::acos(0.5 * d);
                [libm::atan2(p.z, p.x) - inner, 2.0 * inner][which]
            };
            // sixth-order differences of a smooth function
            let h = 2e-3;
            let f: Vec<f64> = (-3..=3).map(|k| angle(t + k as f64 * h)).collect();
            let first = (-f[0] + 9.0 * f[1] - 45.0 * f[2] + 45.0 * f[4] - 9.0 * f[5] + f[6]) / (60.0 * h);
            let second = (2.0 * f[0] - 27.0 * f[1] + 270.0 * f[2] - 490.0 * f[3] + 270.0 * f[4] - 27.0 * f[5]
                + 2.0 * f[6])
                / (180.0 * h * h);
            [f[3], first, second]
        }
    };
    let driven = |goals: [Box<dyn holonom::functions::Function>; 2]| {
        let (mut m, joints, _) = builder();
        let motors: Vec<JointId> = goals
            .into_iter()
            .enumerate()
            .map(|(i, goal)| {
                let q = m.coordinate(joints[i], 0);
                m.joint(format!("motor {i}"), Motor::position(q, move |t: f64| goal.at(t)))
            })
            .collect();
        torques(Simulation::build(m).expect("valid"), |sim| {
            [0, 1].map(|i| sim.multipliers_of(motors[i]).expect("regular")[0])
        })
    };
    let by_motors = driven([Box::new(closed(0)), Box::new(closed(1))]);

    let (mut m, joints, hand) = builder();
    m.joint("hand", lead(hand));
    let led = Simulation::build(m).expect("valid");
    let motion = led.inverse_kinematics(&[(joints[0], 0), (joints[1], 0)], 2.0, 2000).expect("reachable");
    assert_eq!((motion.spare_freedom, led.time()), (0, 0.0));
    let by_kinematics = driven([Box::new(motion.function(0)), Box::new(motion.function(1))]);
    let largest = by_servo.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!(largest > 10.0, "the arm is heavy: {largest} N m");
    for ((a, b), c) in by_servo.iter().zip(&by_motors).zip(&by_kinematics) {
        for i in 0..2 {
            worst.demand("servo against motors", (a[i] - b[i]).abs(), 1e-6);
            worst.demand("servo against inverse kinematics", (a[i] - c[i]).abs(), 1e-4);
        }
    }
    worst.print("torques");
}

/// Three links, two conditions: the spare freedom takes the least motion, which no other motion of the same hand undercuts.
#[test]
fn spare_freedom_takes_the_least_motion() {
    let mut m = ModelBuilder::new();
    let (joints, hand) = arm(&mut m, &[0.3, 0.8, 0.7]);
    let start = {
        let sum = [0.3, 1.1, 1.8];
        let at: Vec3 = sum.iter().map(|a| vec3(libm::cos(*a), 0.0, libm::sin(*a))).sum();
        at
    };
    m.joint("hand", PrescribedPoint::new(GROUND.origin(), hand, circle(start)).only(true, false, true));
    let mut sim = Simulation::build(m).expect("valid");
    let coordinates: Vec<_> = joints.iter().map(|&j| (j, 0)).collect();
    let motion = sim.inverse_kinematics(&coordinates, 1.0, 200).expect("reachable");
    assert_eq!(motion.spare_freedom, 1);
    // rates are derivatives of the values
    for (values, rates) in motion.values.iter().zip(&motion.rates) {
        for k in 1..values.len() - 1 {
            let slope = (values[k + 1] - values[k - 1]) / (motion.times[k + 1] - motion.times[k - 1]);
            assert!((slope - rates[k]).abs() < 1e-3, "{slope} against {}", rates[k]);
        }
    }
    let v = sim.velocities_from_forces(&[]).expect("regular");
    sim.state_mut().v.copy_from_slice(&v);
    let least = sim.energy().kinetic;
    // a push along any coordinate makes another legal motion with the same hand; it costs more
    for k in 0..8 {
        let push = (hand, vec3(0.0, 0.0, 0.0));
        let elbow = (BodyId::from_index(k % 3).origin(), vec3(0.3 * k as f64 - 1.0, 0.0, 0.5));
        let other = sim.velocities_from_forces(&[push, elbow]).expect("regular");
        sim.state_mut().v.copy_from_slice(&other);
        assert!(sim.violation().1 < 1e-12 && sim.energy().kinetic > least);
    }
}

/// A motor counts turns, takes a speed as well as a position, and its torque is the inertia times the acceleration.
#[test]
fn motors_turn_a_flywheel() {
    let inertia = 0.3;
    for by_position in [true, false] {
        let mut m = ModelBuilder::new();
        let wheel = m.body("wheel", Rigid::principal(2.0, [0.2, 0.2, inertia]));
        let axle = m.joint("axle", Revolute::new(GROUND.origin(), wheel.origin()));
        let q = m.coordinate(axle, 0);
        let motor = if by_position {
            Motor::position(q, |t: f64| [2.0 * t * t, 4.0 * t, 4.0])
        } else {
            Motor::speed(q, |t: f64| [4.0 * t, 4.0, 0.0])
        };
        let motor = m.joint("motor", motor);
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        sim.run_until(10.0).expect("regular");
        let (angle, rate) = sim.coordinate(axle, 0).expect("it turns");
        assert!((angle - 200.0).abs() < 1e-9 && (rate - 40.0).abs() < 1e-10, "{angle} {rate}");
        let torque = sim.multipliers_of(motor).expect("regular")[0];
        assert!((torque - 4.0 * inertia).abs() < 1e-10, "{torque}");
        assert!((sim.reaction(motor).expect("regular").torque.z - torque).abs() < 1e-12);
        // all energy comes from the motor
        let ledger = sim.ledger();
        assert!((ledger.joint(motor) - 0.5 * inertia * 1600.0).abs() < 1e-9 * 240.0, "{ledger:?}");
    }
}

/// The mouse: a point follows a moved target as a critically damped oscillator, whatever hangs on it; the other end of a pendulum included.
#[test]
fn the_mouse_leads_a_point_exactly() {
    let mut m = ModelBuilder::new();
    let cart = m.body("cart", Rigid::cuboid(3.0, [0.2; 3]));
    let bob = m.body("bob", Particle::new(50.0, [0.0, 0.0, -1.0]));
    m.joint("rod", Distance::new(cart.origin(), bob.origin(), 1.0));
    let mouse = Mouse::new(cart.origin(), 0.1);
    let target = mouse.target();
    let mouse = m.joint("mouse", mouse);
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    assert_eq!(target.get(), Vec3::ZERO);
    target.set([0.5, 0.0, 0.0]);
    for k in 1..=10 {
        let t = 0.05 * k as f64;
        sim.run_until(t).expect("regular");
        let x = sim.point(cart.origin()).0;
        let known = 0.5 * (1.0 - (1.0 + t / 0.1) * libm::exp(-t / 0.1));
        assert!((x - vec3(known, 0.0, 0.0)).length() < 1e-11, "{x} against {known}");
    }
    let ledger = sim.ledger();
    assert!(ledger.joint(mouse) > 0.0 && ledger.integrator.abs() < 1e-9 * ledger.joint(mouse), "{ledger:?}");
    // without inertia it follows exponentially
    let mut m = ModelBuilder::new();
    let cart = m.body("cart", Rigid::cuboid(3.0, [0.2; 3]));
    let mouse = Mouse::new(cart.origin(), 0.1);
    let target = mouse.target();
    m.joint("mouse", mouse);
    let mut sim = Simulation::build(m).expect("valid");
    target.set([1.0, 0.0, 0.0]);
    for _ in 0..100 {
        sim.kinematic_step(&[], 1e-3).expect("regular");
    }
    let x = sim.point(cart.origin()).0.x;
    assert!((x - (1.0 - libm::exp(-1.0))).abs() < 1e-5, "{x}");
}

/// A pendulum on a rod that breaks when its tension reaches a limit: the moment and the flight afterwards are known.
#[test]
fn a_rod_breaks_at_its_load() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(2.0, [1.0, 0.0, 0.0]));
    let rod = m.joint("rod", Distance::new(GROUND.origin(), bob.origin(), 1.0));
    // tension 3 m g cos(theta) from the vertical; it reaches 2 m g at cos = 2/3
    m.break_load(rod, 2.0 * 2.0 * 9.81, f64::INFINITY);
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let mut broken_at = None;
    while sim.time() < 1.0 {
        let report = sim.step(0.01).expect("regular");
        if report.broken > 0 {
            assert!(broken_at.is_none() && report.step < 0.01);
            broken_at = Some((sim.time(), sim.centre(bob), sim.centre_velocity(bob)));
        }
    }
    let (t, at, v) = broken_at.expect("it breaks");
    assert!((-at.z - 2.0 / 3.0).abs() < 1e-5, "cosine {}", -at.z);
    assert!((0.5 * v.length_squared() - 9.81 * 2.0 / 3.0).abs() < 1e-4);
    let left = sim.time() - t;
    let known = at + v * left - vec3(0.0, 0.0, 0.5 * 9.81 * left * left);
    assert!((sim.centre(bob) - known).length() < 1e-9);
    // the same in a run that chooses its own steps, and one that reports in between
    for sampled in [false, true] {
        sim.return_to(&{
            let mut m = ModelBuilder::new();
            let bob = m.body("bob", Particle::new(2.0, [1.0, 0.0, 0.0]));
            let rod = m.joint("rod", Distance::new(GROUND.origin(), bob.origin(), 1.0));
            m.break_load(rod, 2.0 * 2.0 * 9.81, f64::INFINITY);
            Simulation::build(m).expect("valid").checkpoint()
        });
        if sampled {
            let mut times = Vec::new();
            sim.run_sampled(1.0, 0.1, |_, s| times.push(s.t)).expect("regular");
            assert_eq!(times.len(), 11);
        } else {
            sim.run_until(1.0).expect("regular");
        }
        let left = 1.0 - t;
        let known = at + v * left - vec3(0.0, 0.0, 0.5 * 9.81 * left * left);
        assert!((sim.centre(bob) - known).length() < 1e-4, "{} against {known}", sim.centre(bob));
    }
}

/// What is wrong is said.
#[test]
fn drives_are_refused_clearly() {
    let refused = |what: &str, make: &dyn Fn(&mut ModelBuilder, JointId, BodyId)| {
        let mut m = ModelBuilder::new();
        let wheel = m.body("wheel", Rigid::cuboid(1.0, [0.2; 3]));
        let axle = m.joint("axle", Revolute::new(GROUND.origin(), wheel.origin()));
        make(&mut m, axle, wheel);
        let error = m.build().err().expect("refused").to_string();
        assert!(error.contains(what), "{error}");
    };
    refused("has 1 coordinates, there is no number 1", &|m, axle, _| {
        let q = m.coordinate(axle, 1);
        m.joint("motor", Motor::position(q, 0.0));
    });
    refused("constant is NaN, must be finite", &|m, axle, _| {
        let q = m.coordinate(axle, 0);
        m.joint("motor", Motor::speed(q, f64::NAN));
    });
    refused("has 1 actuators for 3 rows", &|m, axle, wheel| {
        let q = m.coordinate(axle, 0);
        let goal = PrescribedPoint::new(GROUND.origin(), wheel.origin(), |_| [Vec3::ZERO; 3]);
        m.joint("servo", Servo::new(goal, [q]));
    });
    refused("its condition (gear) follows turns of its own", &|m, axle, wheel| {
        let q = m.coordinate(axle, 0);
        m.joint("servo", Servo::new(Gear::external(GROUND.at([0.3, 0.0, 0.0]), wheel.origin(), 0.1, 0.2), [q]));
    });
    refused("time constant is 0 s", &|m, _, wheel| {
        m.joint("mouse", Mouse::new(wheel.origin(), 0.0));
    });
    refused("break load of joint `axle` is -1 N", &|m, axle, _| {
        m.break_load(axle, -1.0, 1.0);
    });
    // a joint that a motor needs is not taken away
    let mut m = ModelBuilder::new();
    let wheel = m.body("wheel", Rigid::cuboid(1.0, [0.2; 3]));
    let axle = m.joint("axle", Revolute::new(GROUND.origin(), wheel.origin()));
    let q = m.coordinate(axle, 0);
    m.joint("motor", Motor::speed(q, 3.0));
    let mut sim = Simulation::build(m).expect("valid");
    let error = sim.remove_joint(axle).expect_err("needed").to_string();
    assert!(error.contains("there is no joint `axle`"), "{error}");
}

/// Turns survive edits: a motor put on a shaft that has turned many times goes on from there, a locked shaft keeps its angle, and a snapshot restores it.
#[test]
fn turns_are_known_to_what_is_added_later() {
    let mut m = ModelBuilder::new();
    let wheel = m.body("wheel", Rigid::cuboid(1.0, [0.2; 3]).spin([0.0, 0.0, 30.0]));
    let axle = m.joint("axle", Revolute::new(GROUND.origin(), wheel.origin()));
    let mut sim = Simulation::build(m).expect("valid");
    sim.run_until(1.0).expect("regular");
    let (angle, _) = sim.coordinate(axle, 0).expect("it turns");
    assert!((angle - 30.0).abs() < 1e-9 && angle > 4.0 * TAU);
    sim.lock_joint(axle).expect("it can be held");
    assert!((sim.coordinate(axle, 0).expect("still known").0 - angle).abs() < 1e-12);
    sim.unlock_joint(axle).expect("and let go");
    let q = sim.model().coordinate(axle, 0);
    let motor = Motor::position(q, move |t: f64| [angle + PI * (t - 1.0), PI, 0.0]);
    let (motor, edited) = sim.add_joint("motor", motor).expect("it fits");
    assert!(edited.moved < 1e-12, "{edited:?}");
    let kept = sim.snapshot();
    sim.run_until(3.0).expect("regular");
    let end = sim.coordinate(axle, 0).expect("it turns").0;
    assert!((end - angle - TAU).abs() < 1e-9, "{end}");
    assert!(sim.multipliers_of(motor).expect("regular")[0].abs() < 1e-9);
    sim.restore(&kept).expect("the same model");
    sim.run_until(3.0).expect("regular");
    assert_eq!(sim.coordinate(axle, 0).expect("it turns").0, end);
}

//! Couplings, slots and held directions against what is known of them in closed form.

mod common;

use common::{Worst, difference};
use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::math::{exp_quat, quat_from_axes, unwrap_angle};
use holonom::prelude::*;
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6, PI};

const GROUND: BodyId = BodyId::GROUND;
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };
/// Rate of led shafts, rad/s.
const RATE: f64 = 3.0;

/// The direction d turns about z at `RATE`: it is perpendicular to n(t) = (- sin, cos, 0).
struct Led([Attachment; 1]);

impl Constraint for Led {
    fn kind(&self) -> &'static str {
        "led"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.0
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let (s, c) = libm::sincos(RATE * t);
        let (n, n_rate) = (vec3(-s, c, 0.0), vec3(-c, -s, 0.0) * RATE);
        let d = a.get(0);
        let row = out.row(0);
        row.gap = n.dot(d.at);
        row.rate_t = n_rate.dot(d.at);
        row.curvature = 2.0 * n_rate.dot(d.rate) - RATE * RATE * n.dot(d.at);
        out.gradient(0, 0, n);
    }
}

fn lead(m: &mut ModelBuilder, body: BodyId) {
    m.joint("motor", Led([Attachment::direction(body, Vec3::X)]));
}

/// A shaft along its own z with its origin at `at`, turned so, turning about itself at `RATE`.
fn shaft(m: &mut ModelBuilder, name: &str, at: Vec3, axes: Mat3) -> BodyId {
    let shape = Rigid::principal(2.0, [0.3, 0.3, 0.5]).position(at).orientation(quat_from_axes(axes));
    m.body(name, shape.spin(axes.z_axis * RATE))
}

/// Two shafts bent by `bend` about an axis of the x-y plane: the second on a hinge, or on a bearing that aligns itself.
fn bent(bend: f64, hinges: bool, joint: impl FnOnce(&mut ModelBuilder, Marker, Marker)) -> (Simulation, Vec3, f64) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let axes = Mat3::from_quat(exp_quat(vec3(0.6, 0.8, 0.0) * bend));
    let input = shaft(&mut m, "input", Vec3::ZERO, Mat3::IDENTITY);
    let output = shaft(&mut m, "output", Vec3::ZERO, axes);
    m.joint("input bearing", Revolute::new(GROUND.origin(), input.origin()));
    let line = GROUND.origin().along(axes.z_axis);
    if hinges {
        m.joint("output bearing", Revolute::new(line, output.origin()));
    } else {
        m.joint("output bearing", PointOnLine::new(line, output.at(Vec3::Z)));
    }
    joint(&mut m, input.origin(), output.origin());
    let load = 0.7;
    m.force("load", Torque::new(output, axes.z_axis * -load));
    lead(&mut m, input);
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    (sim, axes.z_axis, load)
}

/// Both shafts turn at the same rate at any bend, and the joint's torque is along their bisector.
#[test]
fn constant_velocity_is_constant() {
    let worst = Worst::default();
    let output = BodyId::from_index(1);
    for bend in [0.0, FRAC_PI_6, FRAC_PI_3, 0.5 * PI, 0.95 * PI] {
        for hinges in [true, false] {
            let (mut sim, axis, load) = bent(bend, hinges, |m, a, b| {
                m.joint("joint", ConstantVelocity::new(a, b));
            });
            let start = sim.axes(output).expect("rigid");
            let joint = sim.model().joint("joint").expect("by name");
            for k in 1..=20 {
                sim.run_until(0.2 * k as f64).expect("regular");
                let spin = sim.spin(output).expect("rigid");
                worst.demand("rate of the output", (spin - axis * RATE).length() / RATE, 1e-10);
                let x = sim.axes(output).expect("rigid").x_axis;
                let turned = libm::atan2(x.dot(start.y_axis), x.dot(start.x_axis));
                let wanted = RATE * sim.time();
                worst.demand("angle of the output", (unwrap_angle(turned, wanted) - wanted).abs(), 1e-10);
                // the bend as coordinates: its plane turns back under the input shaft
                let [bend_x, bend_y] = [0, 1].map(|i| sim.coordinate(joint, i).expect("a bend").0);
                let tan = libm::tan(0.5 * bend_x).hypot(libm::tan(0.5 * bend_y));
                worst.demand("bend from coordinates", (2.0 * libm::atan(tan) - bend).abs(), 1e-9);
                if !hinges {
                    // nothing is redundant: n . z_b of the torque carries the load
                    let n = (Vec3::Z + axis).normalize();
                    let expected = n * (load / n.dot(axis));
                    let found = sim.reaction(joint).expect("regular").torque;
                    worst.demand("torque", (found - expected).length() / expected.length(), 1e-9);
                }
            }
            worst.demand("gap", sim.violation().0, 1e-12);
        }
    }
    worst.print("constant velocity");
}

/// What the test above would say of a universal joint.
#[test]
fn a_universal_joint_is_not() {
    for bend in [FRAC_PI_6, FRAC_PI_3] {
        let (mut sim, axis, _) = bent(bend, false, |m, a, b| {
            // the axes of the cross are across their shafts, and perpendicular in the start pose
            let across = vec3(0.6, 0.8, 0.0);
            m.joint("joint", Universal::new(a.axes(across, Vec3::Z), b.axes(across, Vec3::Z)));
        });
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for k in 1..=400 {
            sim.run_until(PI / RATE * k as f64 / 200.0).expect("regular");
            let ratio = sim.spin(BodyId::from_index(1)).expect("rigid").dot(axis) / RATE;
            (least, most) = (least.min(ratio), most.max(ratio));
        }
        let cos = libm::cos(bend);
        println!("universal joint bent by {bend:.3}: {least:.4} to {most:.4}");
        assert!((least - cos).abs() < 1e-3 && (most - 1.0 / cos).abs() < 2e-3, "{least} to {most}");
    }
}

/// A free arm swings through bends of half a turn again and again: energy stays, and the motion is the same with every tolerance.
#[test]
fn constant_velocity_passes_half_a_turn() {
    let worst = Worst::default();
    let run = |tolerance: f64| {
        let mut m = ModelBuilder::new();
        let arm = Rigid::principal(1.0, [0.2, 0.3, 0.1]).position([0.0, 0.0, 0.3]);
        let w = vec3(7.0, 4.0, 0.0);
        let arm = m.body("arm", arm.spin(w).velocity(w.cross(vec3(0.0, 0.0, 0.3))));
        let joint = m.joint("joint", ConstantVelocity::new(GROUND.origin(), arm.at([0.0, 0.0, -0.3])));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(IntegratorKind::Dop853 { relative: tolerance, absolute: tolerance });
        let start = sim.energy().total();
        let (mut passed, mut torque, mut last) = (0, 0.0f64, None::<[f64; 2]>);
        for k in 1..=100 {
            sim.run_until(0.05 * k as f64).expect("regular");
            let axes = sim.axes(arm).expect("rigid");
            worst.demand("energy", (sim.energy().total() - start).abs() / start, 100.0 * tolerance);
            worst.demand("gap", sim.violation().0, 1e-12);
            // the arm leans to the other side, with the bend beyond a right angle
            let side = [axes.z_axis.x, axes.z_axis.y];
            if let Some([x, y]) = last {
                passed += (axes.z_axis.z < 0.0 && x * side[0] + y * side[1] < 0.0) as usize;
            }
            last = Some(side);
            torque = torque.max(sim.reaction(joint).expect("regular").torque.length());
        }
        (sim.state().v.clone(), passed, torque)
    };
    let (fine, passed, torque) = run(1e-12);
    worst.demand("difference between tolerances", difference(&run(1e-7).0, &fine), 1e-4);
    println!("passed {passed} times, torque up to {torque:.3} N m");
    assert!(passed > 2 && torque > 0.1, "passed {passed} times, torque {torque} N m");
    worst.print("half a turn");
}

/// Poses half a turn off about an axis that leans out of the x-y plane satisfy the row, and are not taken.
#[test]
fn twisted_by_half_a_turn_is_not_taken() {
    let mut refused = 0;
    for (x, z) in [(0.0, 1.0), (0.6, 0.8), (0.8, 0.6), (-0.6, 0.8)] {
        for degrees in [180.0, 179.0, 170.0] {
            let mut m = ModelBuilder::new();
            let off = exp_quat(vec3(x, 0.0, z) * (degrees * PI / 180.0));
            let arm = m.body("arm", Rigid::principal(1.0, [0.2, 0.3, 0.1]).orientation(off));
            m.joint("suspect", ConstantVelocity::new(GROUND.origin(), arm.origin()));
            match Simulation::build(m) {
                Ok(sim) => {
                    let axes = sim.axes(arm).expect("rigid");
                    let branch = axes.x_axis.x + axes.y_axis.y;
                    assert!(branch > 0.0, "{degrees} degrees about ({x}, 0, {z}): taken with {branch}");
                }
                Err(ModelError::WrongBranch { joint }) => {
                    assert_eq!(joint, "suspect");
                    refused += 1;
                }
                Err(e) => panic!("{degrees} degrees about ({x}, 0, {z}): {e}"),
            }
        }
    }
    println!("{refused} of 12 refused");
}

/// Shafts beside each other: equal rates, offsets that turn back, and a disc whose centre runs around twice.
#[test]
fn an_oldham_coupling_turns_evenly() {
    let worst = Worst::default();
    for offset in [0.0, 0.05, 0.4] {
        let mut m = ModelBuilder::new();
        let at = vec3(offset, 0.0, 0.0);
        let input = shaft(&mut m, "input", Vec3::ZERO, Mat3::IDENTITY);
        let output = shaft(&mut m, "output", at, Mat3::IDENTITY);
        m.joint("input bearing", Revolute::new(GROUND.origin(), input.origin()));
        m.joint("output bearing", PointOnLine::new(GROUND.at(at), output.origin()));
        let joint = m.joint("coupling", Oldham::new(input.origin(), output.origin()));
        lead(&mut m, input);
        m.force("load", Torque::new(output, [0.0, 0.0, -0.7]));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        for k in 1..=20 {
            sim.run_until(0.2 * k as f64).expect("regular");
            let (s, c) = libm::sincos(RATE * sim.time());
            worst.demand("rate", (sim.spin(output).expect("rigid") - RATE * Vec3::Z).length() / RATE, 1e-10);
            let [(x, _), (y, y_rate)] = [0, 1].map(|i| sim.coordinate(joint, i).expect("an offset"));
            worst.demand("offsets", (x - offset * c).abs().max((y + offset * s).abs()), 1e-10);
            worst.demand("rate of an offset", (y_rate + offset * RATE * c).abs(), 1e-10);
            let centre = sim.axes(input).expect("rigid").x_axis * x;
            let (s2, c2) = libm::sincos(2.0 * RATE * sim.time());
            let circle = 0.5 * offset * vec3(1.0 + c2, s2, 0.0);
            worst.demand("centre of the disc", (centre - circle).length(), 1e-10);
            // the load passes as a pure torque, the weight of the output as a force along the axis
            let r = sim.reaction(joint).expect("regular");
            worst.demand("torque about the axis", (r.torque.z - 0.7).abs(), 1e-9);
            worst.demand("force", (r.force - 2.0 * 9.81 * Vec3::Z).length(), 1e-9);
        }
        worst.demand("gap", sim.violation().0, 1e-12);
    }
    worst.print("oldham");
}

/// Scotch yoke: a crank pin in a slot across the yoke's path moves it as a pure sine.
#[test]
fn a_scotch_yoke_moves_as_a_sine() {
    let worst = Worst::default();
    let (radius, mass) = (0.3, 1.5);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let crank = shaft(&mut m, "crank", Vec3::ZERO, Mat3::IDENTITY);
    let yoke = m.body("yoke", Rigid::cuboid(mass, [0.8, 0.1, 0.1]).velocity([0.0, radius * RATE, 0.0]));
    m.joint("bearing", Revolute::new(GROUND.origin(), crank.origin()));
    m.joint("guide", Prismatic::new(GROUND.origin().along(Vec3::Y), yoke.origin().along(Vec3::Y)));
    let pin = m.joint("pin", PinSlot::new(yoke.origin(), crank.at([radius, 0.0, 0.0])));
    lead(&mut m, crank);
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    for k in 1..=25 {
        sim.run_until(0.2 * k as f64).expect("regular");
        let angle = RATE * sim.time();
        let (s, c) = libm::sincos(angle);
        let (at, v) = sim.point(yoke.origin());
        worst.demand("position", (at - vec3(0.0, radius * s, 0.0)).length(), 1e-10);
        worst.demand("velocity", (v - vec3(0.0, radius * RATE * c, 0.0)).length(), 1e-10);
        let [slide, turn] = [0, 1].map(|i| sim.coordinate(pin, i).expect("two coordinates"));
        worst.demand("slide", (slide.0 - radius * c).abs().max((slide.1 + radius * RATE * s).abs()), 1e-10);
        worst.demand("turn", (turn.0 - angle).abs().max((turn.1 - RATE).abs()), 1e-10);
        // the yoke pushes back with its inertia, across the slot
        let force = sim.reaction(pin).expect("regular").force;
        worst.demand("force", (force.y - mass * radius * RATE * RATE * s).abs(), 1e-9);
        worst.demand("force along the slot", force.x.abs(), 1e-9);
    }
    worst.print("scotch yoke");
}

/// An unbalanced body spins about an axis that is held parallel: it falls like a stone, and the joint gives w × J w.
#[test]
fn a_parallel_axis_holds_an_unbalanced_wheel() {
    let worst = Worst::default();
    let (w, xz, yz) = (4.0, 0.06, -0.04);
    let inertia = Mat3::from_cols(vec3(0.5, 0.0, xz), vec3(0.0, 0.6, yz), vec3(xz, yz, 0.7));
    let mut m = ModelBuilder::new();
    let wheel = m.body("wheel", Rigid::new(1.0, inertia).velocity([1.0, 2.0, 3.0]).spin([0.0, 0.0, w]));
    let joint = m.joint("axis", ParallelAxes::new(GROUND.origin(), wheel.at([0.3, 0.0, 0.2])));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    for k in 1..=20 {
        sim.run_until(0.2 * k as f64).expect("regular");
        let t = sim.time();
        let fall = vec3(t, 2.0 * t, 3.0 * t - 0.5 * 9.81 * t * t);
        worst.demand("centre", (sim.centre(wheel) - fall).length(), 1e-9);
        let (angle, rate) = sim.coordinate(joint, 0).expect("an angle");
        worst.demand("angle", (angle - w * t).abs().max((rate - w).abs()), 1e-9);
        let r = sim.reaction(joint).expect("regular");
        let torque = sim.axes(wheel).expect("rigid") * vec3(-yz, xz, 0.0) * (w * w);
        worst.demand("torque", (r.torque - torque).length(), 1e-9);
        worst.demand("force", r.force.length(), 1e-12);
    }
    worst.print("parallel axis");
}

/// A body that cannot turn, on a rod, moves as a particle on a rod: inertia plays no part, wherever the rod holds it.
#[test]
fn a_body_that_cannot_turn_is_a_particle() {
    let worst = Worst::default();
    let arm = vec3(0.2, -0.3, 0.4);
    let mut m = ModelBuilder::new();
    let start = vec3(1.0, 0.0, 0.0);
    let bob = m.body("bob", Particle::new(2.0, start).velocity([0.0, 1.0, 0.5]));
    m.joint("string", Distance::new(GROUND.origin(), bob.origin(), 1.0));
    let turned = exp_quat(vec3(0.3, 0.2, -0.5));
    let at = start - Mat3::from_quat(turned) * arm;
    let gondola = Rigid::cuboid(2.0, [0.5, 0.4, 0.3]).position(at).orientation(turned).velocity([0.0, 1.0, 0.5]);
    let gondola = m.body("gondola", gondola);
    m.joint("rod", Distance::new(GROUND.origin(), gondola.at(arm), 1.0));
    let base = Marker { axes: Mat3::from_quat(turned), ..GROUND.at(start) };
    let joint = m.joint("lock", OrientationLock::new(base, gondola.at(arm)));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    for k in 1..=20 {
        sim.run_until(0.2 * k as f64).expect("regular");
        let ((p, v), (q, u)) = (sim.point(bob.origin()), sim.point(gondola.at(arm)));
        worst.demand("path", (p - q).length().max((v - u).length()), 1e-9);
        worst.demand("spin", sim.spin(gondola).expect("rigid").length(), 1e-12);
        let offset = Vec3::from_array([0, 1, 2].map(|i| sim.coordinate(joint, i).expect("an offset").0));
        worst.demand("offsets", (Mat3::from_quat(turned) * offset - (q - start)).length(), 1e-12);
        let rod = sim.model().joint("rod").expect("by name");
        let (r, f) = (sim.reaction(joint).expect("regular"), sim.reaction(rod).expect("regular").force);
        // the rod pulls at the end of its arm
        let lever = q - sim.centre(gondola);
        worst.demand("torque", (r.torque + lever.cross(f)).length() / (1.0 + f.length()), 1e-9);
        worst.demand("force", r.force.length(), 1e-12);
    }
    worst.print("orientation lock");
}

/// A heavy symmetrical top with its nutation held: steady precession and spin, and the torque that Euler's equation wants.
#[test]
fn a_top_at_a_fixed_angle_precesses_steadily() {
    let worst = Worst::default();
    let (mass, length, across, along) = (1.2, 0.5, 0.08, 0.05);
    let (precession, spin) = (1.3, 7.0);
    for theta in [0.4, 0.5 * PI, 2.3] {
        let (s, c) = libm::sincos(theta);
        let axis = vec3(s, 0.0, c);
        let w = precession * Vec3::Z + spin * axis;
        let mut m = ModelBuilder::new();
        let nod = exp_quat(vec3(0.0, theta, 0.0));
        let top = Rigid::principal(mass, [across, across, along]).position(axis * length).orientation(nod);
        let top = m.body("top", top.velocity(w.cross(axis * length)).spin(w));
        let foot = top.at([0.0, 0.0, -length]);
        m.joint("foot", Spherical::new(GROUND.origin(), foot));
        let ring = PerpendicularAxes::new(GROUND.origin(), foot);
        let ring = m.joint("ring", if theta == 0.5 * PI { ring } else { ring.angle(theta) });
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        let pivot = across + mass * length * length;
        let tumble = pivot * precession * precession * s * c - along * (spin + precession * c) * precession * s;
        let torque = -(tumble + mass * 9.81 * length * s);
        for k in 1..=20 {
            sim.run_until(0.2 * k as f64).expect("regular");
            let t = sim.time();
            let [alpha, beta] = [0, 1].map(|i| sim.coordinate(ring, i).expect("an angle"));
            worst.demand("precession", (alpha.0 - precession * t).abs().max((alpha.1 - precession).abs()), 1e-9);
            worst.demand("spin", (beta.0 - spin * t).abs().max((beta.1 - spin).abs()), 1e-9);
            let z = sim.axes(top).expect("rigid").z_axis;
            worst.demand("angle", (libm::acos(z.z) - theta).abs(), 1e-11);
            let n = Vec3::Z.cross(z).normalize();
            let r = sim.reaction(ring).expect("regular");
            worst.demand("torque", (r.torque - n * torque).length(), 1e-8);
            worst.demand("force", r.force.length(), 1e-12);
        }
    }
    worst.print("top");
}

/// What cannot be held is refused, by name.
#[test]
fn refusals() {
    let message = |fill: &dyn Fn(&mut ModelBuilder)| {
        let mut m = ModelBuilder::new();
        fill(&mut m);
        m.build().err().expect("should be refused").to_string()
    };
    for angle in [0.0, 5e-4, PI, -1.0, f64::NAN] {
        let text = message(&|m| {
            let a = m.body("a", Rigid::ball(1.0, 0.1));
            m.joint("ring", PerpendicularAxes::new(GROUND.origin(), a.origin()).angle(angle));
        });
        println!("{text}");
        for part in ["joint `ring`", &format!("angle is {angle} rad"), "between 0.001 and pi - 0.001", "parallel-axes"]
        {
            assert!(text.contains(part), "`{text}` does not say `{part}`");
        }
    }
    type Make = fn(Marker, Marker) -> Box<dyn Constraint>;
    let makes: [Make; 6] = [
        |a, b| Box::new(ParallelAxes::new(a, b)),
        |a, b| Box::new(PerpendicularAxes::new(a, b)),
        |a, b| Box::new(OrientationLock::new(a, b)),
        |a, b| Box::new(Oldham::new(a, b)),
        |a, b| Box::new(ConstantVelocity::new(a, b)),
        |a, b| Box::new(PinSlot::new(a, b)),
    ];
    for make in makes {
        let text = message(&|m| {
            let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
            m.boxed_joint("held", make(GROUND.origin(), bead.origin()));
        });
        println!("{text}");
        for part in ["joint `held`", "body `bead`", "particle", "a direction"] {
            assert!(text.contains(part), "`{text}` does not say `{part}`");
        }
        let text = message(&|m| {
            let a = m.body("a", Rigid::ball(1.0, 0.1));
            m.boxed_joint("held", make(a.origin(), a.at([1.0, 0.0, 0.0])));
        });
        assert!(text.contains("joins a body to itself"), "{text}");
        let text = message(&|m| {
            let a = m.body("a", Rigid::ball(1.0, 0.1));
            m.boxed_joint("held", make(GROUND.origin().along([0.0; 3]), a.origin()));
        });
        assert!(text.contains("axis on the first body"), "{text}");
    }
}

//! Watch for: an arm of three joints draws a circle; inverse kinematics takes the least motion, motors repeat it, and the ledger accounts for the work of their torques.

use holonom::prelude::*;
use holonom::{JointId, JointMotion};

/// Three links in the x-z plane, hinged about y.
fn arm() -> (ModelBuilder, Vec<JointId>, Marker) {
    let mut m = ModelBuilder::new();
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]);
    let (mut above, mut at, mut angle, mut hinges) = (BodyId::GROUND.origin().axes(x, y), Vec3::ZERO, 0.0, Vec::new());
    for (name, turn, length) in [("shoulder", 0.4, 0.5), ("elbow", 0.9, 0.4), ("wrist", 0.5, 0.2)] {
        angle += turn;
        let along = vec3(libm::cos(angle), 0.0, libm::sin(angle));
        let link = Rigid::cuboid(4.0 * length, [length, 0.06, 0.06])
            .position(at + along * (0.5 * length))
            .orientation(holonom::math::exp_quat(vec3(0.0, -angle, 0.0)));
        let link = m.body(format!("link after the {name}"), link);
        hinges.push(m.joint(name, Revolute::new(above, link.at([-0.5 * length, 0.0, 0.0]).axes(x, y))));
        above = link.at([0.5 * length, 0.0, 0.0]).axes(x, y);
        at += along * length;
    }
    (m, hinges, above)
}

/// How the joints must move for the hand to draw a circle of 10 cm in two seconds.
fn plan() -> Result<JointMotion, Box<dyn std::error::Error>> {
    let (mut m, hinges, hand) = arm();
    let start = {
        let (m, _, hand) = arm();
        Simulation::build(m)?.point(hand).0
    };
    let circle = move |t: f64| {
        let (r, w) = (0.1, std::f64::consts::PI);
        let (s, c) = libm::sincos(w * t);
        let x = |a: f64, b: f64| vec3(a, 0.0, b) * r;
        [start + x(c - 1.0, s), x(-s, c) * w, x(-c, -s) * (w * w)]
    };
    m.joint("hand", PrescribedPoint::new(BodyId::GROUND.origin(), hand, circle).only(true, false, true));
    let coordinates: Vec<_> = hinges.iter().map(|&h| (h, 0)).collect();
    Ok(Simulation::build(m)?.inverse_kinematics(&coordinates, 2.0, 1000)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let motion = plan()?;
    println!("freedom that the path leaves open, decided by least motion: {}", motion.spare_freedom);

    let (mut m, hinges, hand) = arm();
    let motors: Vec<JointId> = (0..3)
        .map(|i| {
            let q = m.coordinate(hinges[i], 0);
            m.joint(format!("motor {i}"), Motor::position(q, motion.function(i)))
        })
        .collect();
    let mut sim = Simulation::build(m)?;
    println!("{:>6}{:>22}{:>14}{:>14}{:>14}", "s", "hand at (x, z), m", "shoulder N m", "elbow N m", "wrist N m");
    for k in 0..=8 {
        sim.run_until(0.25 * k as f64)?;
        let at = sim.point(hand).0;
        let torque = |i: usize| sim.multipliers_of(motors[i]).map(|t| t[0]);
        let t = [torque(0)?, torque(1)?, torque(2)?];
        println!("{:6.2}{:>13.5}{:9.5}{:14.4}{:14.4}{:14.4}", 0.25 * k as f64, at.x, at.z, t[0], t[1], t[2]);
    }
    let ledger = sim.ledger();
    let work: f64 = motors.iter().map(|&j| ledger.joint(j)).sum();
    println!("work of the motors {work:.6} J, change of energy {:.6} J", ledger.change);
    Ok(())
}

//! Watch for: an arm that follows a path by computed torques, and sags and lags under the same feedback alone.
//!
//! The torques come from a second simulation of the same arm, whose joints are led by speed motors. It is never stepped: at the state of the arm its motors are asked what it
//! takes to give the joints the accelerations that are wanted, a = a_path + kd (rate_path - rate) + kp (path - angle).

use holonom::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const JOINTS: usize = 3;
/// Feedback on angles and rates: 1/s^2 and 1/s; without the masses that computed torques know, N m/rad and N m s/rad.
const KP: f64 = 400.0;
const KD: f64 = 40.0;
const STEP: f64 = 1e-3;

/// Numbers that a controller and the laws of a model share.
type Shared = Arc<[AtomicU64; JOINTS]>;

fn shared() -> Shared {
    Arc::new([const { AtomicU64::new(0) }; JOINTS])
}

/// An arm of three links on hinges about y, and its hinges.
fn arm() -> (ModelBuilder, Vec<JointId>) {
    let (mut m, y) = (ModelBuilder::new(), [0.0, 1.0, 0.0]);
    let (mut above, mut hinges) = (BodyId::GROUND.origin(), Vec::new());
    for i in 0..JOINTS {
        let link = Rigid::cuboid(4.0 - i as f64, [0.5, 0.08, 0.08]).position([0.25 + 0.5 * i as f64, 0.0, 0.0]);
        let link = m.body(format!("link {i}"), link);
        hinges.push(m.joint(format!("hinge {i}"), Revolute::new(above.along(y), link.at([-0.25, 0.0, 0.0]).along(y))));
        above = link.at([0.25, 0.0, 0.0]);
    }
    (m, hinges)
}

/// Angle, rate and acceleration that joint `i` should have.
fn path(i: usize, t: f64) -> [f64; 3] {
    let (a, w) = (0.4 - 0.1 * i as f64, 2.0 + i as f64);
    [a * (1.0 - (w * t).cos()), a * w * (w * t).sin(), a * w * w * (w * t).cos()]
}

/// The largest error of an angle in the last of two seconds.
fn follow(computed: bool) -> Result<f64, Box<dyn std::error::Error>> {
    // the arm itself: torques as they are told
    let (mut m, hinges) = arm();
    let torques = shared();
    for (i, hinge) in hinges.iter().enumerate() {
        let (coordinate, told) = (m.coordinate(*hinge, 0), torques.clone());
        m.force(
            format!("torque {i}"),
            CoordinateForce::new(coordinate, move |_, _, _| f64::from_bits(told[i].load(Relaxed))),
        );
    }
    let mut plant = Simulation::build(m)?;
    // its double: accelerations as they are wanted
    let (mut m, _) = arm();
    let wanted = shared();
    let mut motors = Vec::new();
    for (i, hinge) in hinges.iter().enumerate() {
        let (coordinate, wanted) = (m.coordinate(*hinge, 0), wanted.clone());
        let goal = move |_: f64| [0.0, f64::from_bits(wanted[i].load(Relaxed)), 0.0];
        motors.push(m.joint(format!("motor {i}"), Motor::speed(coordinate, goal)));
    }
    let mut double = Simulation::build(m)?;

    plant.set_integrator(IntegratorKind::RungeKutta4);
    let mut worst: f64 = 0.0;
    while plant.time() < 2.0 {
        let t = plant.time();
        let mut errors = [0.0; JOINTS];
        for (i, hinge) in hinges.iter().enumerate() {
            let (angle, rate) = plant.coordinate(*hinge, 0).ok_or("a hinge has an angle")?;
            let [q, v, a] = path(i, t);
            errors[i] = q - angle;
            let feedback = KP * (q - angle) + KD * (v - rate);
            wanted[i].store((a + feedback).to_bits(), Relaxed);
            torques[i].store(feedback.to_bits(), Relaxed);
        }
        if computed {
            double.set_state(double.model().carry(plant.model(), plant.state()));
            for (i, motor) in motors.iter().enumerate() {
                torques[i].store(double.multipliers_of(*motor)?[0].to_bits(), Relaxed);
            }
        }
        if t > 1.0 {
            worst = errors.iter().fold(worst, |w, e| w.max(e.abs()));
        }
        plant.step(STEP)?;
    }
    Ok(worst)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (computed, name) in [(false, "feedback alone"), (true, "computed torque")] {
        println!("{name}: off by {:.1e} rad at most in the last second", follow(computed)?);
    }
    Ok(())
}

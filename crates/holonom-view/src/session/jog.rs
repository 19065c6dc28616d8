//! Jogging: a tool point is moved, and the motors are told what that takes.
//!
//! A twin of the mechanism has no drives. It is moved by the law f = m v so that its tool point has the velocity wanted
//! (inverse kinematics: of all motions that do this, the least in the metric of the masses; limits are kept), and its
//! joint coordinates become the goals of the position drives of the mechanism itself, which follow with the torque they
//! have. So the hand of an arm goes higher, lower, nearer at the press of a key, whatever its joints are.
//!
//! Goals are twice continuously differentiable. Every tick each is planned anew: from where it is, with its rate and
//! its second derivative, to the coordinate of the twin a lead time T later, by the polynomial of degree 5
//!
//! ```text
//! x(s) = x0 + v0 s + a0 s²/2 + c3 s³ + c4 s⁴ + c5 s⁵,     s = t - t0 in [0, T],     x(T) = x1 + v1 T,  x'(T) = v1,  x''(T) = 0
//! ```
//!
//! after which it goes on at the rate v1, which is 0 once the twin has come to rest.

use super::kinematic;
use crate::numbers::is_hand;
use holonom::declaration::DriveAction;
use holonom::drives;
use holonom::functions::Function;
use holonom::joints::{self, Motor};
use holonom::{Checkpoint, JointId, Marker, Simulation, StepError, Vec3};
use holonom_scene::Scene;
use std::sync::{Arc, Mutex, PoisonError};

/// How far ahead goals are planned, s.
const LEAD: f64 = 0.08;

/// One plan: start time, and the coefficients of the polynomial.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    t0: f64,
    c: [f64; 6],
}

impl Plan {
    fn rest(t0: f64, x: f64) -> Plan {
        Plan { t0, c: [x, 0.0, 0.0, 0.0, 0.0, 0.0] }
    }

    fn at(&self, t: f64) -> [f64; 3] {
        let c = &self.c;
        let s = (t - self.t0).clamp(0.0, LEAD);
        let x = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
        let v = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])));
        let a = 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]));
        let over = t - self.t0 - s;
        [x + v * over, v, if over == 0.0 { a } else { 0.0 }]
    }

    /// From here, smoothly, to where `x1 + v1 LEAD` will be a lead time later.
    fn towards(&self, t: f64, x1: f64, v1: f64) -> Plan {
        let [x0, v0, a0] = self.at(t);
        let h = LEAD;
        // what is left to be done by the higher terms at the end: position, rate, second derivative
        let p = x1 + v1 * h - (x0 + v0 * h + 0.5 * a0 * h * h);
        let q = v1 - (v0 + a0 * h);
        let r = -a0;
        let c3 = (10.0 * p - 4.0 * q * h + 0.5 * r * h * h) / (h * h * h);
        let c4 = (-15.0 * p + 7.0 * q * h - r * h * h) / (h * h * h * h);
        let c5 = (6.0 * p - 3.0 * q * h + 0.5 * r * h * h) / (h * h * h * h * h);
        Plan { t0: t, c: [x0, v0, 0.5 * a0, c3, c4, c5] }
    }
}

/// A goal that is told what to be.
#[derive(Clone, Debug)]
struct Goal(Arc<Mutex<Plan>>);

impl Goal {
    fn get(&self) -> Plan {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn set(&self, plan: Plan) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = plan;
    }
}

impl Function for Goal {
    fn at(&self, t: f64) -> [f64; 3] {
        self.get().at(t)
    }
}

/// A tool on its way.
pub struct Jog {
    twin: Simulation,
    tool: Marker,
    velocity: Vec3,
    /// Which coordinates of the twin are whose goals.
    driven: Vec<(JointId, usize, Goal)>,
}

/// A jog as it was at a moment.
#[derive(Clone)]
pub struct JogSnapshot {
    twin: Checkpoint,
    tool: Marker,
    velocity: Vec3,
    driven: Vec<(JointId, usize, Goal)>,
    plans: Vec<Plan>,
}

impl Jog {
    /// Take the position drives of a scene over, as they stand.
    pub fn begin(scene: &Scene, sim: &mut Simulation, tool: Marker) -> Result<Jog, String> {
        let model = sim.model().clone();
        let drives: Vec<(JointId, JointId, usize, Option<f64>)> = scene
            .drives
            .iter()
            .filter(|d| drives::declaration(d.kind().name).is_some_and(|d| d.action == DriveAction::Position))
            .filter_map(|d| {
                let c = d.record.coordinate("joint")?;
                let joint = model.joint(&c.joint)?;
                let of_joint = || {
                    let joint = scene.joints.iter().find(|j| j.name == c.joint)?;
                    joint.record.numbers("effort")?.get(c.index).copied()
                };
                let effort = d.record.number("effort").or_else(of_joint).filter(|_| !scene.run.ideal);
                Some((model.joint(&d.name)?, joint, c.index, effort))
            })
            .collect();
        if drives.is_empty() {
            return Err(
                "there is nothing to jog: the scene has no position drives, and the tool is moved by way of them"
                    .into(),
            );
        }
        let mut driven = Vec::new();
        for &(drive, joint, i, effort) in &drives {
            let (value, _) = sim.coordinate(joint, i).ok_or("a drive has no coordinate")?;
            let goal = Goal(Arc::new(Mutex::new(Plan::rest(sim.time(), value))));
            let motor = Motor::position(model.coordinate(joint, i), goal.clone());
            let motor = match effort {
                Some(effort) => motor.effort(effort),
                None => motor,
            };
            sim.replace_joint(drive, motor).map_err(|e| e.to_string())?;
            driven.push((joint, i, goal));
        }
        let mut twin = Simulation::new(model.clone());
        twin.return_to(&sim.checkpoint());
        for joint in model.joints() {
            // what drives coordinates is taken over; points that are led along paths stay so
            let constraint = model.constraint(joint);
            let on_coordinates = joints::is_drive(constraint.kind()) && !constraint.reads().is_empty();
            if on_coordinates || is_hand(model.joint_name(joint)) {
                twin.break_joint(joint).map_err(|e| e.to_string())?;
            }
        }
        Ok(Jog { twin, tool, velocity: Vec3::ZERO, driven })
    }

    /// Another tool or another velocity.
    pub fn set(&mut self, tool: Marker, velocity: Vec3) {
        (self.tool, self.velocity) = (tool, velocity);
    }

    /// Is it on the move?
    pub fn moves(&self) -> bool {
        self.velocity != Vec3::ZERO
    }

    /// One tick ahead of the mechanism, which is at the time `t`.
    pub fn advance(&mut self, t: f64, h: f64, size: f64) -> Result<(), StepError> {
        let before: Vec<f64> = self.values();
        if self.moves() {
            kinematic::step_at_speed(&mut self.twin, (self.tool, self.velocity), size, h)?;
        }
        let after = self.values();
        for ((_, _, goal), (x0, x1)) in self.driven.iter().zip(before.iter().zip(&after)) {
            goal.set(goal.get().towards(t, *x1, (x1 - x0) / h));
        }
        Ok(())
    }

    fn values(&mut self) -> Vec<f64> {
        let twin = &mut self.twin;
        self.driven.iter().map(|(joint, i, _)| twin.coordinate(*joint, *i).map_or(f64::NAN, |c| c.0)).collect()
    }

    /// As it is, to come back to.
    pub fn keep(&self) -> JogSnapshot {
        JogSnapshot {
            twin: self.twin.checkpoint(),
            tool: self.tool,
            velocity: self.velocity,
            driven: self.driven.clone(),
            plans: self.driven.iter().map(|d| d.2.get()).collect(),
        }
    }

    /// As it was. The mechanism's model then reads the goals of then.
    pub fn back(kept: &JogSnapshot, sim: &Simulation) -> Jog {
        let mut twin = Simulation::new(sim.model().clone());
        twin.return_to(&kept.twin);
        for ((_, _, goal), plan) in kept.driven.iter().zip(&kept.plans) {
            goal.set(*plan);
        }
        Jog { twin, tool: kept.tool, velocity: kept.velocity, driven: kept.driven.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_join_smoothly_and_arrive() {
        let mut plan = Plan::rest(0.0, 1.0);
        let mut t = 0.0;
        for k in 0..50 {
            let next = plan.towards(t, 1.0 + 0.02 * k as f64, 0.5);
            for (a, b) in plan.at(t).iter().zip(next.at(t)) {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
            plan = next;
            t += 0.02;
        }
        let last = plan.towards(t, 3.0, 0.0);
        let [x, v, a] = last.at(t + LEAD);
        assert!((x - 3.0).abs() < 1e-12 && v.abs() < 1e-10 && a.abs() < 1e-8, "{x} {v} {a}");
        assert_eq!(last.at(t + 2.0 * LEAD)[2], 0.0);
        // derivatives against differences
        for s in [0.01, 0.03, 0.06] {
            let (e, [_, v, a]) = (1e-6, last.at(t + s));
            let (up, down) = (last.at(t + s + e), last.at(t + s - e));
            assert!(((up[0] - down[0]) / (2.0 * e) - v).abs() < 1e-6 * (1.0 + v.abs()));
            assert!(((up[1] - down[1]) / (2.0 * e) - a).abs() < 1e-5 * (1.0 + a.abs()));
        }
    }
}

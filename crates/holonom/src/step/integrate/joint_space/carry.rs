//! Bodies carried along the joints of the forest at constant rates, without their coordinates.
//!
//! Where the directions that a joint leaves free are fixed in the axes of marker a (locks), the motion at constant
//! rates has a closed form. With e_A, e_B the orientations of the markers, and (v, w) the free part of the relative
//! twist at b's point, in a's axes,
//!
//! ```text
//! p' = p + h v   (nothing along what is held)           e_A'^-1 e_B' = exp(h w) e_A^-1 e_B
//! ```
//!
//! and root to leaf e_B' = e_A' exp(h w) e_A^-1 e_B, or, where a is the body below, e_A' = e_B' e_B^-1 e_A exp(- h w).
//! No angle is read, so no turn is lost and no function inverted. What is held in translation is closed to rounding;
//! rotations keep what they were off by, which is rounding.

use super::limbs::{Limb, Pose};
use crate::catalogue::attach::{BodyId, Frame, read3, write3};
use crate::catalogue::joints::Mask;
use crate::math::{Mat3, Quat, Vec3, exp_quat, quat_from_axes, rotation, vec3};
use crate::model::Model;

/// The forest, where every body moves along locks or freely.
#[derive(Clone, Debug, Default)]
pub(super) struct Carrier {
    links: Vec<CarriedLink>,
    /// Of every body, then of the ground: pose and motion before and after.
    before: Vec<Place>,
    after: Vec<Place>,
}

/// A body and the joint above it.
#[derive(Clone, Copy, Debug)]
struct CarriedLink {
    body: u32,
    joint: Option<LockAbove>,
}

#[derive(Clone, Copy, Debug)]
struct LockAbove {
    /// The body above; the ground is the last.
    above: u32,
    is_b: bool,
    mask: Mask,
    /// Points of the markers from the reference points of their bodies, in the axes of those.
    arm_a: Vec3,
    arm_b: Vec3,
    /// Axes of marker a in those of its body.
    axes_a: Quat,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    x: Vec3,
    e: Quat,
    r: Mat3,
    /// Velocities, of places before the motion.
    v: Vec3,
    w: Vec3,
}

impl Place {
    const GROUND: Place = Place { x: Vec3::ZERO, e: Quat::IDENTITY, r: Mat3::IDENTITY, v: Vec3::ZERO, w: Vec3::ZERO };

    fn read(q: &[f64], v: &[f64]) -> Place {
        let e = Quat::from_xyzw(q[4], q[5], q[6], q[3]);
        Place { x: read3(q), e, r: rotation(e.w, e.x, e.y, e.z), v: read3(v), w: read3(&v[3..]) }
    }
}

impl Carrier {
    /// `None` where a body of the forest moves in another way.
    pub fn new(model: &Model, limbs: &[Limb], poses: &[Pose]) -> Option<Carrier> {
        let n = model.n_bodies();
        let slot = |body: BodyId| body.index().map_or(n as u32, |i| i as u32);
        let state = model.initial_state();
        let origin = |body: BodyId| {
            body.index().map_or(Vec3::ZERO, |i| {
                let mut frame = Frame::NONE;
                model.bodies[i].place(model.q_of(i, &state.q), model.v_of(i, &state.v), &mut frame);
                frame.origin
            })
        };
        let link = |limb: &Limb| {
            let Some(joint) = limb.joint else { return Some(CarriedLink { body: limb.body, joint: None }) };
            let chart = model.joints[joint as usize].constraint.chart()?;
            let (a, b) = chart.markers();
            let above = if limb.is_b { a.body } else { b.body };
            let rigid = poses[limb.body as usize] == Pose::Space
                && above.index().is_none_or(|i| poses[i] == Pose::Space)
                && chart.is_steady();
            rigid.then(|| CarriedLink {
                body: limb.body,
                joint: Some(LockAbove {
                    above: slot(above),
                    is_b: limb.is_b,
                    mask: chart.mask(),
                    arm_a: a.point - origin(a.body),
                    arm_b: b.point - origin(b.body),
                    axes_a: quat_from_axes(a.axes),
                }),
            })
        };
        let links = limbs.iter().map(link).collect::<Option<Vec<_>>>()?;
        let places = vec![Place::GROUND; n + 1];
        Some(Carrier { links, before: places.clone(), after: places })
    }

    /// Move `q` for a time `h` at the rates that the joints have in `v`.
    pub fn carry(&mut self, model: &Model, q: &mut [f64], v: &[f64], h: f64) {
        for link in &self.links {
            let i = link.body as usize;
            let free = link.joint.is_none() && model.bodies[i].n_q() != 7;
            if !free {
                self.before[i] = Place::read(model.q_of(i, q), model.v_of(i, v));
            }
        }
        for link in &self.links {
            let i = link.body as usize;
            let Some(joint) = &link.joint else {
                model.bodies[i].advance(model.q_of_mut(i, q), model.v_of(i, v), h);
                if model.bodies[i].n_q() == 7 {
                    self.after[i] = Place::read(model.q_of(i, q), model.v_of(i, v));
                }
                continue;
            };
            let above = joint.above as usize;
            let moved = joint.below(&self.before[above], &self.before[i], &self.after[above], h);
            self.after[i] = moved;
            let q = model.q_of_mut(i, q);
            write3(q, moved.x);
            q[3..7].copy_from_slice(&[moved.e.w, moved.e.x, moved.e.y, moved.e.z]);
        }
    }
}

impl LockAbove {
    /// Where the body below comes, when the one above has gone from `above` to `to`.
    fn below(&self, above: &Place, body: &Place, to: &Place, h: f64) -> Place {
        let (a, b) = if self.is_b { (above, body) } else { (body, above) };
        let axes = a.r * Mat3::from_quat(self.axes_a);
        let back = axes.transpose();
        let (p_a, p_b) = (a.x + a.r * self.arm_a, b.x + b.r * self.arm_b);
        // the relative twist at b's point in a's axes, as far as the joint leaves it free
        let slip = b.v + b.w.cross(p_b - b.x) - a.v - a.w.cross(p_b - a.x);
        let lin = self.free(back * slip, 0);
        let ang = self.free(back * (b.w - a.w), 3);
        let p = self.free(back * (p_b - p_a), 0) + lin * h;
        let turn = exp_quat(ang * h);
        let e_a = a.e * self.axes_a;
        let e = if self.is_b {
            (to.e * self.axes_a) * turn * (e_a.conjugate() * b.e)
        } else {
            to.e * (b.e.conjugate() * e_a) * turn.conjugate() * self.axes_a.conjugate()
        };
        let e = e.normalize();
        let r = rotation(e.w, e.x, e.y, e.z);
        let x = if self.is_b {
            let axes = to.r * Mat3::from_quat(self.axes_a);
            to.x + to.r * self.arm_a + axes * p - r * self.arm_b
        } else {
            let axes = r * Mat3::from_quat(self.axes_a);
            to.x + to.r * self.arm_b - axes * p - r * self.arm_a
        };
        Place { x, e, r, ..Place::GROUND }
    }

    /// Of a vector in a's axes what is not held; `first`: the bit of its first axis.
    #[inline(always)]
    fn free(&self, x: Vec3, first: usize) -> Vec3 {
        let part = |k: usize, x: f64| if self.mask.keeps(first + k) { 0.0 } else { x };
        vec3(part(0, x.x), part(1, x.y), part(2, x.z))
    }
}

#[cfg(test)]
mod tests {
    use super::super::JointSpace;
    use crate::math::SplitMix;
    use crate::prelude::*;

    /// A tree of locks, seen from either side: hinges, balls, sliders, shafts, plates, a free root.
    fn tree(seed: u64) -> Simulation {
        let mut g = SplitMix(seed);
        let mut m = ModelBuilder::new();
        let mut bodies = vec![m.body("root", Rigid::cuboid(2.0, [0.5, 0.4, 0.3]).spin(g.vec3(1.0)))];
        for k in 0..12 {
            let above = bodies[(g.unit() * bodies.len() as f64) as usize];
            let below = m.body(format!("b{k}"), Rigid::cuboid(1.0, [0.3, 0.2, 0.4]).spin(g.vec3(1.0)));
            let (a, b) = (above.at(g.vec3(0.5)).along(g.vec3(1.0)), below.at(g.vec3(0.5)).along(g.vec3(1.0)));
            let (a, b) = if k % 2 == 0 { (a, b) } else { (b, a) };
            let name = format!("j{k}");
            match k % 6 {
                0 | 1 => m.joint(&name, Revolute::new(a, b)),
                2 => m.joint(&name, Spherical::new(a, b)),
                3 => m.joint(&name, Prismatic::new(a, b)),
                4 => m.joint(&name, Cylindrical::new(a, b)),
                _ => m.joint(&name, PlanarJoint::new(a, b)),
            };
            bodies.push(below);
        }
        Simulation::build(m).expect("a tree")
    }

    #[test]
    fn bodies_come_where_the_coordinates_of_their_joints_take_them() {
        for seed in 0..40 {
            let sim = tree(seed);
            let (model, state) = (sim.model(), sim.state());
            let (mut by_pose, mut by_coordinates) = (JointSpace::new(model), JointSpace::new(model));
            assert!(by_pose.carrier.is_some() && by_pose.cuts().is_empty(), "seed {seed}");
            by_coordinates.carrier = None;
            for h in [1e-3, 0.05, -0.3] {
                let (mut q, mut q2) = (state.q.clone(), state.q.clone());
                by_pose.carry(model, &mut q, &state.v, h);
                by_coordinates.carry(model, &mut q2, &state.v, h);
                for (a, b) in q.iter().zip(&q2) {
                    assert!((a - b).abs() <= 1e-11, "seed {seed}, h = {h}: {a} and {b}");
                }
            }
        }
    }
}

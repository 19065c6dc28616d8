//! How much room two moving colliders keep for some time: a bound from below, from support functions.
//!
//! Let n be a unit vector from b to a that turns with a constant Omega (any: the better it follows the features that
//! are near, the longer the bound says something), o the origins of the carriers, v and w their velocities and spins
//! now, rho the arms of points of the cores from them (world axes, now), r the sum of the rounding radii. In axes that
//! turn with Omega n is at rest, o_a - o_b has the velocity u = v_a - v_b - Omega × (o_a - o_b), and bodies turn by w
//! less Omega. With A a bound on the relative acceleration of any two points there, after the time t,
//!
//! ```text
//! room(t) >= n . (o_a - o_b) + t n . u - h_a(-(n + t n × (w_a - Omega))) - h_b(n + t n × (w_b - Omega)) - r - A t²/2
//! A       =  sum of both of (a + alpha R + (|w| + alpha t)² R) + 2 Omega V + Omega² X
//! ```
//!
//! with h(d) the greatest d . rho of a core, a and alpha bounds on accelerations, R the length of the longest arm, V
//! and X bounds on relative speeds and distances of points of the two. A plane across n with room on both sides parts
//! the shapes, so the distance is never less than the room. h is convex, so the bound is concave in t: where it is
//! positive now and after t, it is so all the time between. It is exact to the second order: no points are sampled, and
//! nothing thin or fast slips through.
//!
//! The plane of a half-space turns with its carrier b, whose angular acceleration counts too: Omega = w_b, and with D =
//! |o_a - o_b| + R_a
//!
//! ```text
//! A = a_a + alpha_a R_a + w_a² R_a + a_b + (alpha_b + w_b²) D + 2 w_b V
//! ```

use crate::detector::{Core, Detector};
use crate::{RigidTransform, Vec3};

/// How a carrier moves, world axes: now, and how fast that may change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CarrierMotion {
    /// Of its origin, m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub spin: Vec3,
    /// Greatest acceleration of the origin in the time of interest, m/s².
    pub acceleration: f64,
    /// Greatest angular acceleration, rad/s².
    pub angular_acceleration: f64,
}

impl Detector {
    /// A bound from below on the room between two colliders along `normal`, which points from the second to the first
    /// (unit, world axes) and turns with `turning`, rad/s, after the time `t`, s. Where it is positive now (t = 0) and
    /// then, the two do not touch in between. `None` where a side is not convex.
    ///
    /// # Panics
    ///
    /// When there are fewer poses or motions than carriers.
    pub fn room_ahead(
        &self,
        pair: (u32, u32),
        poses: &[RigidTransform],
        motions: &[CarrierMotion],
        (normal, turning): (Vec3, Vec3),
        t: f64,
    ) -> Option<f64> {
        let (first, second) = (self.side(pair.0), self.side(pair.1));
        match (first.core, second.core) {
            (Core::Plane(_), Core::Plane(_)) => None,
            (Core::Plane(_), _) => self.room_ahead((pair.1, pair.0), poses, motions, (-normal, turning), t),
            (_, Core::Plane(plane)) => {
                let (a, b) = (&poses[first.carrier], &poses[second.carrier]);
                let (ma, mb) = (&motions[first.carrier], &motions[second.carrier]);
                let n = b.rotation * plane.n;
                let between = a.position - b.position;
                let velocity = ma.velocity - mb.velocity - mb.spin.cross(between);
                let spin = ma.spin - mb.spin;
                let arm = longest_arm(first.core)?;
                let carried = ma.acceleration + by_turning(ma, arm, t) + mb.acceleration;
                let speed = velocity.length() + spin.length() * arm + carried * t;
                let far = between.length() + arm + speed * t;
                let most =
                    carried + by_turning(mb, far, t) + 2.0 * (mb.spin.length() + mb.angular_acceleration * t) * speed;
                let down = -(n + n.cross(spin) * t);
                let h = support(first.core, a.rotation.transpose() * down)?;
                let now = n.dot(between - b.rotation * plane.o);
                Some(now + t * n.dot(velocity) - h - first.radius - 0.5 * most * t * t)
            }
            _ => {
                let (a, b) = (first.carrier, second.carrier);
                let between = poses[a].position - poses[b].position;
                let velocity = motions[a].velocity - motions[b].velocity - turning.cross(between);
                let (mut room, mut most) = (normal.dot(between) + t * normal.dot(velocity), 0.0);
                let (mut speed, mut far) = (velocity.length(), between.length());
                for (side, d) in [(&first, -normal), (&second, normal)] {
                    let (pose, motion) = (&poses[side.carrier], &motions[side.carrier]);
                    let (arm, spin) = (longest_arm(side.core)?, motion.spin - turning);
                    room -= support(side.core, pose.rotation.transpose() * (d + d.cross(spin) * t))? + side.radius;
                    most += motion.acceleration + by_turning(motion, arm, t);
                    speed += spin.length() * arm;
                    far += arm;
                }
                speed += most * t;
                let frame = turning.length();
                most += 2.0 * frame * speed + frame * frame * (far + speed * t);
                Some(room - 0.5 * most * t * t)
            }
        }
    }

    /// The longest arm of a collider's core from the origin of its carrier, m. Infinite for a half-space.
    pub fn longest_arm(&self, collider: u32) -> f64 {
        longest_arm(self.side(collider).core).unwrap_or(f64::INFINITY)
    }
}

/// A collider as this file sees it.
pub(crate) struct Side<'a> {
    pub carrier: usize,
    pub radius: f64,
    pub core: &'a Core,
}

/// Acceleration of the end of an arm by turning, m/s².
fn by_turning(motion: &CarrierMotion, arm: f64, t: f64) -> f64 {
    let spin = motion.spin.length() + motion.angular_acceleration * t;
    (motion.angular_acceleration + spin * spin) * arm
}

/// The greatest d . x over a core, in the axes of its carrier. `None` where that says nothing of its shape.
fn support(core: &Core, d: Vec3) -> Option<f64> {
    match core {
        Core::Polyhedron(poly) => Some(poly.vertices.iter().fold(f64::NEG_INFINITY, |m, x| m.max(d.dot(*x)))),
        Core::Cylinder(c) => {
            let along = d.dot(c.axes.z_axis);
            let across = (d - c.axes.z_axis * along).length();
            Some(d.dot(c.centre) + along.abs() * c.half_length + across * c.radius)
        }
        _ => None,
    }
}

fn longest_arm(core: &Core) -> Option<f64> {
    match core {
        Core::Polyhedron(poly) => Some(poly.vertices.iter().fold(0.0, |m: f64, x| m.max(x.length()))),
        Core::Cylinder(c) => {
            let own = (c.radius * c.radius + c.half_length * c.half_length).sqrt();
            Some(c.centre.length() + own)
        }
        _ => None,
    }
}

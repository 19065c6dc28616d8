//! Rolling sphere: a sphere of body b touches the x-y plane of a and does not slip.
//!
//! With n = z_a the normal of the plane and r the radius:
//!
//! ```text
//! P = p_b - r n                                          the point of contact
//! C    = n . (p_b - p_a) - r                             height of the lowest point (position row)
//! slip = v_b - w_b × (r n) - v_a - w_a × (P - p_a)       of the material point of b at P against that of a
//! a_1  = x_a . slip,   a_2 = y_a . slip                  (velocity rows: nonholonomic)
//! ```
//!
//! Spin about the normal is free. The multipliers are the normal force and the two components of friction that rolling
//! needs. The plane may move: a ball on a turntable. There is no singular pose.
//!
//! Chart: (x, y) of the point of contact in the axes of a, then the unit quaternion (w, x, y, z) of the sphere's axes
//! against those of a; its rates are the relative angular velocity in the axes of a, and the centre moves with w × r n.

use super::lock::{normalise_quat, quat_rate, read_quat};
use super::{AXES_A, AXES_B, Chart, Constraint, Glyph, JointDeclaration, Level, POINTS, Rows, STARTS, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, positive, required};
use crate::math::{Mat3, Vec3, rotation, vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rolling-sphere",
        summary: "a sphere with its centre at b rolls on the x-y plane of a, on the side of z. Start: x and y of the point of contact and the \
                  quaternion (w, x, y, z) of the axes of b, in the axes of a; its rates are the angular velocity in the axes of a",
        fields: &[POINTS, AXES_A, AXES_B, &[required("radius", LENGTH, "radius of the sphere")], STARTS],
        make: Make::Joint(|p| Ok(Box::new(RollingSphere::new(p.a(), p.b(), p.of("radius"))))),
    },
    label: "Rolling sphere",
    rows: 3,
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(RollingSphere::new(a, b, 0.2 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// A sphere that rolls on a plane without slipping.
#[derive(Clone, Debug)]
pub struct RollingSphere {
    attachments: [Attachment; 7],
    markers: (Marker, Marker),
    radius: f64,
}

impl RollingSphere {
    /// The plane is the x-y plane of `a`, the sphere has its centre at the point of `b`. The sphere is on the side of z
    /// of `a`.
    pub fn new(a: Marker, b: Marker, radius: f64) -> Self {
        RollingSphere { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), a.spin(), b.spin()], markers: (a, b), radius }
    }
}

impl Constraint for RollingSphere {
    fn kind(&self) -> &'static str {
        "rolling-sphere"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers.0, &self.markers.1)?;
        positive("radius", self.radius, "m")
    }
    fn level(&self, i: usize) -> Level {
        if i == 0 { Level::Position } else { Level::Velocity }
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let r = self.radius;
        out.write::<5, 1>(0, a, t, |[p, q, _, _, n], _| [n.dot(q - p) - r]);
        out.write_rates::<7, 2>(1, a, t, |[p, q, x, y, n, spin_a, spin_b], _| {
            let arm = n.at * -r;
            let slip = q.rate + spin_b.rate.cross(arm) - p.rate - spin_a.rate.cross(q.at + arm - p.at);
            [x.at.dot(slip), y.at.dot(slip)]
        });
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for RollingSphere {
    fn markers(&self) -> (Marker, Marker) {
        self.markers
    }
    fn n_u(&self) -> usize {
        6
    }
    fn n_w(&self) -> usize {
        3
    }
    fn free(&self, u: &[f64], k: usize) -> (Vec3, Vec3) {
        let spin = self.rate_row(u, k).1;
        (spin.cross(Vec3::Z * self.radius), spin)
    }
    fn rate_row(&self, _: &[f64], k: usize) -> (Vec3, Vec3) {
        (Vec3::ZERO, Vec3::AXES.get(k).copied().unwrap_or(Vec3::ZERO))
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], self.radius), rotation(u[2], u[3], u[4], u[5]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        (u[0], u[1]) = (p.x, p.y);
        read_quat(r, &mut u[2..]);
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        (out[0], out[1]) = (self.radius * w[1], -self.radius * w[0]);
        quat_rate(&u[2..], w, &mut out[2..]);
    }
    fn normalise(&self, u: &mut [f64]) {
        normalise_quat(&mut u[2..]);
    }
}

//! Perpendicular axes, or axes at a fixed angle: the z axes of a and b keep the angle theta, pi/2 unless chosen. Points
//! move freely.
//!
//! With e and f the unit vectors along z_a and z_b:
//!
//! ```text
//! C = (cos theta - e . f) / sin theta             rate  n . (w_b - w_a),   n = (e × f) / sin theta
//! ```
//!
//! To first order C is the angle between the axes less theta (rad), and n has length 1 where C = 0: there the row is
//! the lock row about n. It belongs to neither body and brings its own c, with f and e carried rigidly:
//!
//! ```text
//! c = - (f . jdot_v_e + e . jdot_v_f + 2 e' . f') / sin theta
//! ```
//!
//! A body that deforms may stretch z = r e. Then e' = (z' - (e . z') e) / r, and with z'' = 0, from z'' = r'' e + 2 r'
//! e' + r e'' and e . e'' = - |e'|^2:
//!
//! ```text
//! gradients   - (f - (e . f) e) / (r sin theta) at z_a, and e and f exchanged at z_b
//! curvature   - (e'' . f + 2 e' . f' + e . f'') / sin theta,     e'' = - (2 r'/r) e' - |e'|^2 e
//! ```
//!
//! Singular at theta = 0 and pi: e . f has an extremum there and its gradient vanishes. Angles nearer than 1e-3 rad to
//! either are refused; parallel axes take two rows, `ParallelAxes`. The multiplier is a torque (N m) about n.
//! Coordinates, from x_b, y_b, z_b = Rz(alpha) Ry(theta) Rz(beta) in the axes of a: alpha, the angle of z_b about z_a
//! from x_a, and beta, the turn of b about z_b.

use super::{
    AXES_A, AXES_B, Chart, Constraint, CoordinateKind, Glyph, JointDeclaration, JointRole, Lock, LockShape, Mask,
    POINTS, Rows, about_z, check_markers, free_of, markers,
};
use crate::catalogue::attach::{Attached, Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{ANGLE, Invalid, Kind, Make, optional};
use crate::error::refuse;
use crate::math::{Mat3, Vec3, vec3};
use std::f64::consts::{FRAC_PI_2, PI};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "perpendicular-axes",
        summary: "keeps the z axes of a and b perpendicular, or at another angle. Coordinates: the turn of z of b about z of a, that of b about z of b",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[optional("angle", ANGLE, "pi/2", "angle between the axes, greater than 0 and less than pi")],
        ],
        make: Make::Joint(|p| {
            let made = PerpendicularAxes::new(p.a(), p.b());
            let angle = p.fitting("angle", |x| x > 0.0 && x < PI, "greater than 0 and less than pi, rad")?;
            Ok(Box::new(angle.map_or(made.clone(), |x| made.angle(x))))
        }),
    },
    label: "Perpendicular axes",
    role: JointRole::Pair,
    coordinates: &[("turn of b about z of a", CoordinateKind::Angle), ("turn about z of b", CoordinateKind::Angle)],
    glyph: Glyph::CrossedBars,
    sample: Some(|a, b, g| Box::new(PerpendicularAxes::new(a, b).angle(0.5 + 2.0 * g.unit()))),
    ..JointDeclaration::PLAIN
};

const MASK: Mask = Mask(0b001_000);

/// Nearest that the angle may come to 0 and pi, rad.
const NEAREST: f64 = 1e-3;

/// Keeps the z axes of two markers perpendicular, or at another fixed angle.
#[derive(Clone, Debug)]
pub struct PerpendicularAxes {
    angle: f64,
    sin: f64,
    cos: f64,
    /// Points of a and b; x, y, z of a; -x, y, z of b.
    attachments: [Attachment; 8],
}

impl PerpendicularAxes {
    /// Joins the directions of two markers; their points only say where the reaction is reported.
    pub fn new(a: Marker, b: Marker) -> Self {
        let minus_x = Attachment::direction(b.body, -b.axes.x_axis);
        let attachments = [a.p(), b.p(), a.x(), a.y(), a.z(), minus_x, b.y(), b.z()];
        PerpendicularAxes { angle: FRAC_PI_2, sin: 1.0, cos: 0.0, attachments }
    }

    /// The angle between the axes, rad; at least 0.001 from 0 and from pi.
    pub fn angle(self, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        PerpendicularAxes { angle, sin, cos, ..self }
    }
}

/// A carried vector as its unit direction: direction, rate, second derivative with the vector's own taken as zero,
/// length.
fn unit(z: Attached) -> (Vec3, Vec3, Vec3, f64) {
    let r = z.at.length();
    let e = z.at / r;
    let along = e.dot(z.rate);
    let rate = (z.rate - along * e) / r;
    (e, rate, -(2.0 * along / r) * rate - rate.length_squared() * e, r)
}

impl Constraint for PerpendicularAxes {
    fn kind(&self) -> &'static str {
        "perpendicular-axes"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = self.markers();
        check_markers(&a, &b)?;
        if self.angle >= NEAREST && self.angle <= PI - NEAREST {
            Ok(())
        } else {
            refuse!(
                "angle",
                "angle is {} rad, must be between {NEAREST} and pi - {NEAREST} (use parallel-axes to keep axes parallel)",
                self.angle
            )
        }
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let (e, e_rate, e_second, r_a) = unit(a.get(4));
        let (f, f_rate, f_second, r_b) = unit(a.get(7));
        let cos = e.dot(f);
        let row = out.row(0);
        row.gap = (self.cos - cos) / self.sin;
        row.curvature = -(e_second.dot(f) + 2.0 * e_rate.dot(f_rate) + e.dot(f_second)) / self.sin;
        out.gradient(0, 4, (cos * e - f) / (r_a * self.sin));
        out.gradient(0, 7, (cos * f - e) / (r_b * self.sin));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        let (e, f) = (a.get(4), a.get(7));
        let n = e.at.cross(f.at).normalize();
        let c = -(f.at.dot(e.jdot_v) + e.at.dot(f.jdot_v) + 2.0 * e.rate.dot(f.rate)) / self.sin;
        Lock { c_angular: n * c, ..Lock::in_first(a, Mat3::from_cols(n, e.at.cross(n), e.at)) }
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle; 2]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.angle(a, 2, 3, 7)
        } else {
            out.angle(a, 5, 6, 4) // z_a in the axes of b is sin theta (-cos beta, sin beta), and cos theta along z_b
        };
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

/// Offsets along x_a, y_a, z_a, then alpha and beta. The relative angular velocity is alpha' z_a + beta' z_b, and z_b =
/// cos theta z_a + sin theta m with m = (cos alpha, sin alpha, 0) in the axes of a. Rates along the orthonormal z_a and
/// m are alpha' + cos theta beta' and sin theta beta'. z_a stands still; m moves across both.
impl Chart for PerpendicularAxes {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(-d(5), d(6), d(7)))
    }
    fn n_u(&self) -> usize {
        5
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn free(&self, u: &[f64], k: usize) -> (Vec3, Vec3) {
        match k {
            0..3 => free_of(MASK, k),
            3 => (Vec3::ZERO, Vec3::Z),
            _ => (Vec3::ZERO, about_z(u[3]).x_axis),
        }
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        let (s, c) = (self.sin, self.cos);
        let nod = Mat3::from_cols(vec3(c, 0.0, -s), Vec3::Y, vec3(s, 0.0, c));
        (vec3(u[0], u[1], u[2]), about_z(u[3]) * nod * about_z(u[4]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        let alpha = libm::atan2(r.z_axis.y, r.z_axis.x);
        let beta = libm::atan2(r.y_axis.z, -r.x_axis.z);
        u.copy_from_slice(&[p.x, p.y, p.z, alpha, beta]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        let beta = w[4] / self.sin;
        out.copy_from_slice(&[w[0], w[1], w[2], w[3] - self.cos * beta, beta]);
    }
}

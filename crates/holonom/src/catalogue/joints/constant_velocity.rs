//! Constant-velocity joint (homokinetic: Rzeppa, tripod without plunge): two shafts turn at the same rate, however they
//! are bent.
//!
//! Two points coincide, and the rotation R from a to b is without twist: its axis is perpendicular to z_a. With the
//! unit quaternion (w, x, y, z) of R in the axes of a, R_ij being the i-th axis of a . the j-th axis of b, and u =
//! z_a + z_b:
//!
//! ```text
//! N = R_10 - R_01 = y_a . x_b - x_a . y_b = 4 w z                 zero without twist
//! R_00 + R_11 = x_a . x_b + y_a . y_b = 2 (w^2 - z^2)
//! |u|^2 = 2 (1 + R_22) = 4 (w^2 + z^2)
//!
//! translation rows  C = p_b - p_a                                 as in the spherical joint, world axes
//! rotation row      C = N / |u|                                   2 z w / |w| near z = 0: twist times cos(beta/2), rad
//! ```
//!
//! The rate of N is (x_b × y_a + x_a × y_b) . (w_b - w_a). Turn the axes so that R is a turn by the bend beta about
//! y_a: then y_b = y_a, x_b × y_a = z_b and x_a × y_b = z_a (a turn of both frames by the same angle, each about its
//! own z axis, changes neither the sum nor u). So where C = 0
//!
//! ```text
//! n . (w_b - w_a) = 0,     n = u / |u|                            the bisector of the shafts;  |u| = 2 cos(beta/2)
//! ```
//!
//! Shafts in fixed bearings have w_a = s_a z_a and w_b = s_b z_b, so (1 + cos beta) (s_b - s_a) = 0: the rates are
//! equal at every bend and every angle, where a universal joint's differ by factors between cos beta and 1 / cos beta.
//! The torque of the joint is along the bisector.
//!
//! N alone, without the division, would do as well near beta = 0, but its gradient vanishes at beta = pi; that of C has
//! length 1 (on a rigid body, as a torque). Near beta = pi u itself vanishes and C is 0/0, though the poses without
//! twist, the sphere w^2 + x^2 + y^2 = 1, are smooth there and a free shaft can be bent right through. The same 2 z w
//! / |w| then comes from other elements of R:
//!
//! ```text
//! x_a . z_b + z_a . x_b = 4 x z,   |y_a - y_b|^2 = 4 (x^2 + z^2)       with the sign of  z_a . y_b - y_a . z_b = 4 w x
//! y_a . z_b + z_a . y_b = 4 y z,   |x_a - x_b|^2 = 4 (y^2 + z^2)       with the sign of  x_a . z_b - z_a . x_b = 4 w y
//! ```
//!
//! These two, the one with the larger square, are used where |u| < 0.2 (beta > 168 degrees). The three differ by terms
//! in z^3, so where C = 0 they have the same first and second derivatives. All are
//!
//! ```text
//! C = s N / r,     N = p_a . q_b + k q_a . p_b,     r = |g|,   g = h_a - k h_b,       k = -1 or 1, s = -1 or 1
//! gradients   p_a: q_b / r,  q_b: p_a / r,  q_a: k p_b / r,  p_b: k q_a / r,  h_a: - N g / r^3,  h_b: k N g / r^3,   all times s
//! curvature   s (N''/r - 2 N' r'/r^2 - N r''/r^2 + 2 N r'^2/r^3),
//!             N'' = 2 (p_a' . q_b' + k q_a' . p_b'),   r' = g . g'/r,   r'' = (|g'|^2 - r'^2) / r
//! ```
//!
//! and r is at least 0.2 at every pose without twist, so no such pose is singular. Passing beta = pi, C and its
//! gradient change their sign and the motion goes on smoothly. C = 0 also on the poses w = 0, z not 0, half turns about
//! an axis that leans out of the x-y plane: there w^2 - z^2 < 0, without twist it is w^2 > 0, and `branch` is this
//! number. On a body that deforms the row is held as written, with axes as the body stretches them, and the three are
//! not quite the same condition: such bodies should not be bent beyond 168 degrees.
//!
//! No lock: the rows of translation and the bisector have no common axes. Chart: s = (w, x, y), the quaternion without
//! its z, on the unit sphere, and the relative angular velocity in the axes of a, of which the part along the bisector
//! n = (y, -x, w) is dropped. Two rates would need directions carried over the sphere of bisectors, and there are no
//! such directions on all of it; three do without. n . w = 0 at the start stays so, because n . wdot + ndot . w = 0 is
//! the row itself. s' = (- x w_x - y w_y,  w w_x - y w_z,  w w_y + x w_z) / 2.
//!
//! Coordinates: the bend about x_a and about y_a, as twice the angle by which u leans from z_a, seen along x_a and
//! along y_a: 2 atan2(- y_a . z_b, 1 + z_a . z_b) and 2 atan2(x_a . z_b, 1 + z_a . z_b). Either is beta itself when the
//! shaft bends about that axis; both are regular below beta = pi.

use super::lock::read_quat;
use super::{
    Chart, Closes, Constraint, CoordinateKind, Glyph, JointDeclaration, JointRole, PAIR, Rows, check_markers, markers,
    numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, Make};
use crate::math::{Mat3, Vec3, rotation, vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "constant-velocity",
        summary: "couples shafts along z, bent at a common point, at equal rates. Coordinates: the bends about x and y of a",
        fields: &[PAIR],
        make: Make::Joint(|p| Ok(Box::new(ConstantVelocity::new(p.a(), p.b())))),
    },
    label: "Constant velocity",
    also: &["cv", "homokinetic"],
    role: JointRole::Pair,
    rows: 4,
    coordinates: &[("bend about x", CoordinateKind::Angle), ("bend about y", CoordinateKind::Angle)],
    glyph: Glyph::CrossInRing,
    closes: Closes::Point,
    sample: Some(|a, b, _| Box::new(ConstantVelocity::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Where |z_a + z_b| is smaller, the twist is read from other elements of the rotation.
const SMALL: f64 = 0.2;

/// A homokinetic joint between shafts along the z axes of two markers.
#[derive(Clone, Debug)]
pub struct ConstantVelocity {
    attachments: [Attachment; 8],
}

impl ConstantVelocity {
    /// Joins two markers; their z axes are the shafts, pointing the same way when straight.
    pub fn new(a: Marker, b: Marker) -> Self {
        ConstantVelocity { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()] }
    }
}

/// Which axes p, q, h (0, 1, 2 for x, y, z) and signs k, s the twist is read from at this pose.
fn form(a: &View) -> (usize, usize, usize, f64, f64) {
    let [x_a, y_a, z_a, x_b, y_b, z_b] = std::array::from_fn(|k| a.at(2 + k));
    if (z_a + z_b).length() >= SMALL {
        (1, 0, 2, -1.0, 1.0)
    } else if (y_a - y_b).length_squared() >= (x_a - x_b).length_squared() {
        (0, 2, 1, 1.0, 1f64.copysign(z_a.dot(y_b) - y_a.dot(z_b)))
    } else {
        (1, 2, 0, 1.0, 1f64.copysign(x_a.dot(z_b) - z_a.dot(x_b)))
    }
}

impl Constraint for ConstantVelocity {
    fn kind(&self) -> &'static str {
        "constant-velocity"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        4
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        out.coincide(0, numbered(a, 0), numbered(a, 1));
        let (p, q, h, k, s) = form(a);
        let (p_a, q_a, h_a) = (a.get(2 + p), a.get(2 + q), a.get(2 + h));
        let (p_b, q_b, h_b) = (a.get(5 + p), a.get(5 + q), a.get(5 + h));
        let twist = p_a.at.dot(q_b.at) + k * q_a.at.dot(p_b.at);
        let twist_rate =
            p_a.rate.dot(q_b.at) + p_a.at.dot(q_b.rate) + k * (q_a.rate.dot(p_b.at) + q_a.at.dot(p_b.rate));
        let twist_second = 2.0 * (p_a.rate.dot(q_b.rate) + k * q_a.rate.dot(p_b.rate));
        let (g, g_rate) = (h_a.at - k * h_b.at, h_a.rate - k * h_b.rate);
        let i = 1.0 / g.length();
        let n = g * i;
        let r_rate = n.dot(g_rate);
        let r_second = (g_rate.length_squared() - r_rate * r_rate) * i;
        let row = out.row(3);
        row.gap = s * i * twist;
        row.curvature =
            s * i * (twist_second - i * (2.0 * twist_rate * r_rate + twist * (r_second - 2.0 * i * r_rate * r_rate)));
        out.gradient(3, 2 + p, s * i * q_b.at);
        out.gradient(3, 5 + q, s * i * p_a.at);
        out.gradient(3, 2 + q, s * i * k * p_b.at);
        out.gradient(3, 5 + p, s * i * k * q_a.at);
        let lean = n * (-s * twist * i * i);
        out.gradient(3, 2 + h, lean);
        out.gradient(3, 5 + h, -k * lean);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle; 2]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.write::<8>(a, |[_, _, _, y, z, _, _, f]| 2.0 * (-y.dot(f)).atan2(1.0 + z.dot(f)));
        } else {
            out.write::<8>(a, |[_, _, x, _, z, _, _, f]| 2.0 * x.dot(f).atan2(1.0 + z.dot(f)));
        }
    }
    fn branch(&self, a: &View) -> f64 {
        0.5 * (a.at(2).dot(a.at(5)) + a.at(3).dot(a.at(6)))
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

/// The bisector of the shafts at `s = (w, x, y)`, in the axes of a.
fn bisector(s: &[f64]) -> Vec3 {
    vec3(s[2], -s[1], s[0]).normalize()
}

impl Chart for ConstantVelocity {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        let axes = |k: usize| Mat3::from_cols(d(k), d(k + 1), d(k + 2));
        markers(&self.attachments, axes(2), axes(5))
    }
    fn n_u(&self) -> usize {
        3
    }
    fn n_w(&self) -> usize {
        3
    }
    fn freedom(&self) -> usize {
        2
    }
    fn free(&self, u: &[f64], k: usize) -> (Vec3, Vec3) {
        let n = bisector(u);
        (Vec3::ZERO, Vec3::AXES.get(k).map_or(Vec3::ZERO, |e| *e - n * n.dot(*e)))
    }
    fn rate_row(&self, _: &[f64], k: usize) -> (Vec3, Vec3) {
        (Vec3::ZERO, Vec3::AXES.get(k).copied().unwrap_or(Vec3::ZERO))
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (Vec3::ZERO, rotation(u[0], u[1], u[2], 0.0))
    }
    fn read(&self, _: Vec3, r: Mat3, u: &mut [f64]) {
        let mut e = [0.0; 4];
        read_quat(r, &mut e);
        u.copy_from_slice(&e[..3]);
        self.normalise(u);
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        let n = bisector(u);
        let w = vec3(w[0], w[1], w[2]);
        let w = (w - n * n.dot(w)) * 0.5;
        out.copy_from_slice(&[-u[1] * w.x - u[2] * w.y, u[0] * w.x - u[2] * w.z, u[0] * w.y + u[1] * w.z]);
    }
    fn normalise(&self, u: &mut [f64]) {
        let s = 1.0 / (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
        u.iter_mut().for_each(|x| *x *= s);
    }
}

//! Constant-velocity joint (homokinetic: Rzeppa, tripod without plunge): two shafts bent by any angle below pi turn at the same rate.
//!
//! Two points coincide, and the rotation R from a to b is without twist: its axis is perpendicular to z_a. With the unit quaternion (w, x, y, z) of R,
//! in the axes of a, and R_ij = e_i of a . e_j of b:
//!
//! ```text
//! R_10 - R_01 = y_a . x_b - x_a . y_b = 4 w z             zero without twist
//! R_00 + R_11 = x_a . x_b + y_a . y_b = 2 (w^2 - z^2)
//!
//! translation rows  C = p_b - p_a                         as in the spherical joint, world axes
//! rotation row      C = (y_a . x_b - x_a . y_b) / 2       curvature  y_a' . x_b' - x_a' . y_b'
//! ```
//!
//! The row's rate is (x_b × y_a + x_a × y_b)/2 . (w_b - w_a). Turn the axes so that R is a turn by the bend beta about y_a: then y_b = y_a, x_b × y_a = z_b,
//! x_a × y_b = z_a, and with the bisector of the shafts
//!
//! ```text
//! (z_a + z_b)/2 . (w_b - w_a) = 0                         |z_a + z_b| / 2 = cos(beta/2)
//! ```
//!
//! (a turn of both frames about their own z axes by the same angle changes neither side). Shafts in fixed bearings have w_a = s_a z_a and w_b = s_b z_b, so
//! (1 + cos beta) (s_b - s_a) = 0: the rates are equal at every bend and every angle, where a universal joint's differ by factors between cos beta and
//! 1 / cos beta. The torque of the joint is along the bisector.
//!
//! Singular at beta = pi, where w = z = 0 and the row vanishes. C = 0 also on the poses w = 0, half turns about an axis that leans out of the
//! x-y plane: there w^2 - z^2 < 0, on the intended ones it is w^2 > 0, and `branch` is this number.
//! On a body that deforms the row is held as written, with x and y as the body stretches them.
//!
//! No lock: rows of translation and the bisector have no common axes that belong to one body. No chart: its directions would have to be moved
//! along the sphere of bisectors without turning about them, which depends on the path.
//! Coordinates: the bend about x_a and about y_a, as twice the angle by which the bisector z_a + z_b leans from z_a, seen along x_a and along y_a:
//! 2 atan2(- y_a . z_b, 1 + z_a . z_b) and 2 atan2(x_a . z_b, 1 + z_a . z_b). Either is beta itself when the shaft bends about that axis; both are
//! regular at every bend below pi.

use super::{Constraint, CoordinateKind, Rows, check_markers, markers, numbered};
use crate::attach::{Attachment, Marker, View};
use crate::coordinate::Measure;
use crate::math::Mat3;

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
    fn validate(&self) -> Result<(), String> {
        let d = |k: usize| self.attachments[k].carried_vector();
        let axes = |k: usize| Mat3::from_cols(d(k), d(k + 1), d(k + 2));
        let (a, b) = markers(&self.attachments, axes(2), axes(5));
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        out.coincide(0, numbered(a, 0), numbered(a, 1));
        let (x_a, y_a, x_b, y_b) = (a.get(2), a.get(3), a.get(5), a.get(6));
        let row = out.row(3);
        row.gap = 0.5 * (y_a.at.dot(x_b.at) - x_a.at.dot(y_b.at));
        row.curvature = y_a.rate.dot(x_b.rate) - x_a.rate.dot(y_b.rate);
        out.gradient(3, 2, -0.5 * y_b.at);
        out.gradient(3, 3, 0.5 * x_b.at);
        out.gradient(3, 5, 0.5 * y_a.at);
        out.gradient(3, 6, -0.5 * x_a.at);
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
}

//! A shaft turned at a constant rate: its angle is a given function of time.
//!
//! With d a direction carried by the body, e and f fixed and perpendicular to each other and to the shaft, and a(t) the angle:
//!
//! ```text
//! g = cos(a) e + sin(a) f     where d should point          m = - sin(a) e + cos(a) f     across it
//! C = m . d       C_t = - a' g . d       curvature = - 2 a' g . d' - a'^2 m . d
//! ```
//!
//! C vanishes also with d opposite to g; `branch` tells the two apart.

use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::prelude::*;

/// A direction of a body led around at a constant rate.
pub(super) struct Drive {
    on: [Attachment; 1],
    e: Vec3,
    f: Vec3,
    start: f64,
    rate: f64,
}

impl Drive {
    /// The angle of the carried direction is `start + rate t`, from `e` towards `f`.
    pub fn new(on: Attachment, e: Vec3, f: Vec3, start: f64, rate: f64) -> Self {
        Drive { on: [on], e, f, start, rate }
    }

    /// The directions g and m.
    fn target(&self, t: f64) -> (Vec3, Vec3) {
        let (s, c) = (self.start + self.rate * t).sin_cos();
        (self.e * c + self.f * s, self.f * c - self.e * s)
    }
}

impl Constraint for Drive {
    fn kind(&self) -> &'static str {
        "drive"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let (g, m) = self.target(t);
        let d = a.get(0);
        let row = out.row(0);
        row.gap = m.dot(d.at);
        row.rate_t = -self.rate * g.dot(d.at);
        row.curvature = -2.0 * self.rate * g.dot(d.rate) - self.rate * self.rate * m.dot(d.at);
        out.gradient(0, 0, m);
    }
    /// Looked at in the start pose, t = 0.
    fn branch(&self, a: &View) -> f64 {
        self.target(0.0).0.dot(a.at(0))
    }
}

//! Distance (massless rod with ball ends): |p_b - p_a| = length.
//!
//! ```text
//! d = p_b - p_a,   r = |d|,   n = d / r
//! C = r - length            gradients  n at p_b, -n at p_a            J v = n . ddot
//! curvature = (|ddot|^2 - (n . ddot)^2) / r
//! ```
//!
//! Singular at r = 0, where there is no direction: n is then the world x axis and the curvature is dropped, so that the
//! row stays finite and a projection can open the gap again. Not used: (d . d - length^2) / 2. It is cheaper, but its
//! gap is in m^2 and scales badly beside rows in metres. Coordinate: r.

use super::{Constraint, CoordinateKind, Glyph, JointDeclaration, JointRole, POINTS, Rows, check_markers, markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, optional};
use crate::error::refuse;
use crate::math::{Mat3, Vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "distance",
        summary: "keeps two points at a fixed distance: a massless rod. Coordinate: its length",
        fields: &[POINTS, &[optional("length", LENGTH, "as drawn", "length of the rod")]],
        make: Make::Joint(|p| {
            let length = p.number("length").unwrap_or_else(|| p.drawn_distance());
            Ok(Box::new(Distance::new(p.a(), p.b(), length)))
        }),
    },
    label: "Link",
    also: &["rod", "link", "massless-rod", "bar"],
    role: JointRole::Pair,
    coordinates: &[("length", CoordinateKind::Length)],
    glyph: Glyph::Rod,
    button: Some(5),
    sample: Some(|a, b, g| Box::new(Distance::new(a, b, 0.5 + g.unit()))),
    pulls: true,
    ..JointDeclaration::PLAIN
};

/// Keeps two points at a fixed distance.
#[derive(Clone, Debug)]
pub struct Distance {
    length: f64,
    attachments: [Attachment; 2],
}

impl Distance {
    /// Between the points of two markers; `length` in m.
    pub fn new(a: Marker, b: Marker, length: f64) -> Self {
        Distance { length, attachments: [a.p(), b.p()] }
    }
}

/// Length and unit direction of `d`.
fn polar(d: Vec3) -> (f64, Vec3) {
    let r = d.length();
    if r > 0.0 { (r, d / r) } else { (0.0, Vec3::X) }
}

impl Constraint for Distance {
    fn kind(&self) -> &'static str {
        "distance"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = markers(&self.attachments, Mat3::IDENTITY, Mat3::IDENTITY);
        check_markers(&a, &b)?;
        if self.length.is_finite() && self.length > 0.0 {
            Ok(())
        } else {
            refuse!(
                "length",
                "length is {} m, must be finite and greater than 0 (use a spherical joint to join two points)",
                self.length
            )
        }
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let (p, q) = (a.get(0), a.get(1));
        let (r, n) = polar(q.at - p.at);
        let rate = q.rate - p.rate;
        let along = n.dot(rate);
        let row = out.row(0);
        row.gap = r - self.length;
        row.curvature = if r > 0.0 { (rate.length_squared() - along * along) / r } else { 0.0 };
        out.gradient(0, 0, -n);
        out.gradient(0, 1, n);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length]
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        let (p, q) = (a.get(0), a.get(1));
        let (r, n) = polar(q.at - p.at);
        let slip = q.rate - p.rate;
        let across = slip - n * n.dot(slip);
        out.set(r, if r > 0.0 { across.length_squared() / r } else { 0.0 });
        out.gradient(0, -n);
        out.gradient(1, n);
    }
}

//! Rope: two points are never farther apart than its length, and free where it is slack.
//!
//! ```text
//! d = p_b - p_a,   r = |d|,   n = d / r
//! C = length - r >= 0       gradients  -n at p_b, n at p_a          multiplier >= 0: the tension, N
//! curvature = -(|ddot|^2 - (n . ddot)^2) / r
//! ```
//!
//! Singular at r = 0, where a rope is slack anyway; the row is finite there as that of a rod is ([`super::Distance`]).
//! A rope that jerks taut at speed gives back `restitution` times that speed. Coordinate: r.

use super::{Constraint, CoordinateKind, Distance, Glyph, JointDeclaration, JointRole, POINTS, RowLaw, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, between_0_and_1, optional};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rope",
        summary: "keeps two points within a distance, and is slack below it. Coordinate: the distance",
        fields: &[POINTS, &[optional("length", LENGTH, "as drawn", "length of the rope")]],
        make: Make::Joint(|p| {
            let rope = Rope::new(p.a(), p.b(), p.number("length").unwrap_or_else(|| p.drawn_distance()));
            Ok(Box::new(rope.restitution(p.of("restitution"))))
        }),
    },
    label: "Rope",
    also: &["string", "cable", "max-distance"],
    role: JointRole::Inequality,
    coordinates: &[("distance", CoordinateKind::Length)],
    glyph: Glyph::Rope,
    effort: "tension",
    sample: Some(|a, b, g| Box::new(Rope::new(a, b, 0.5 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// Keeps two points within a distance.
#[derive(Clone, Debug)]
pub struct Rope {
    rod: Distance,
    restitution: f64,
}

impl Rope {
    /// Between the points of two markers; `length` in m.
    pub fn new(a: Marker, b: Marker, length: f64) -> Self {
        Rope { rod: Distance::new(a, b, length), restitution: 0.0 }
    }

    /// The part of the speed that comes back when it jerks taut, 0 to 1.
    pub fn restitution(self, restitution: f64) -> Self {
        Rope { restitution, ..self }
    }
}

impl Constraint for Rope {
    fn kind(&self) -> &'static str {
        "rope"
    }
    fn attachments(&self) -> &[Attachment] {
        self.rod.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.rod.validate()?;
        between_0_and_1("restitution", self.restitution)
    }
    fn law(&self) -> RowLaw {
        RowLaw::Unilateral
    }
    fn restitution(&self) -> f64 {
        self.restitution
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        self.rod.rows(a, t, out);
        let row = out.row(0);
        (row.gap, row.curvature) = (-row.gap, -row.curvature);
        out.gradients[..2].iter_mut().for_each(|g| *g = -*g);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        self.rod.coordinates()
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        self.rod.measure(a, i, out);
    }
}

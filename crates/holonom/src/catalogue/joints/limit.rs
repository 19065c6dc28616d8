//! Limit: a joint coordinate q stays between two stops.
//!
//! ```text
//! row 0   C = q - lower >= 0          multiplier >= 0, pushes q forward
//! row 1   C = upper - q >= 0          multiplier >= 0, pushes q back
//! ```
//!
//! The rows are those of the coordinate ([`crate::catalogue::coordinate`]); a multiplier is the force (N) or torque (N
//! m) of a stop. An infinite bound is no stop: its gap is infinite and it never acts. A coordinate that arrives at a
//! stop at speed leaves it with `restitution` times that speed.

use super::{Constraint, Glyph, JointDeclaration, JointRole, Revolute, RowLaw, Rows};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Invalid, Kind, Make, between_0_and_1};
use crate::error::refuse;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind { name: "limit", summary: "stops of a joint coordinate", fields: &[], make: Make::Elsewhere },
    label: "Stops",
    role: JointRole::Inequality,
    rows: 2,
    glyph: Glyph::Stops,
    sample: Some(|a, b, g| {
        Box::new(
            Limit::new(Coordinate::of(Revolute::new(a, b), 0), -0.2 - g.unit(), 0.2 + g.unit()).restitution(g.unit()),
        )
    }),
    ..JointDeclaration::PLAIN
};

/// A coordinate is far from its stops when it is so far of their distance away, and so many steps at its speed.
const FAR: f64 = 0.05;
const FAR_STEPS: f64 = 20.0;

/// Stops of a joint coordinate.
#[derive(Clone, Debug)]
pub struct Limit {
    readings: Readings,
    lower: f64,
    upper: f64,
    restitution: f64,
}

impl Limit {
    /// Between `lower` and `upper` (m or rad, turns counted; infinite where there is no stop), without rebound.
    pub fn new(coordinate: Coordinate, lower: f64, upper: f64) -> Self {
        Limit { readings: Readings::new([], [coordinate]), lower, upper, restitution: 0.0 }
    }

    /// The part of the speed that comes back from a stop, 0 to 1.
    pub fn restitution(self, restitution: f64) -> Self {
        Limit { restitution, ..self }
    }
}

impl Constraint for Limit {
    fn kind(&self) -> &'static str {
        "limit"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        2
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        if !(self.lower < self.upper) {
            return refuse!(
                "limits",
                "lower limit is {} and upper limit {}, lower must be below upper",
                self.lower,
                self.upper
            );
        }
        between_0_and_1("restitution", self.restitution)
    }
    fn law(&self) -> RowLaw {
        RowLaw::Unilateral
    }
    fn is_far(&self, a: &View, h: f64) -> bool {
        let (value, rate) = self.readings.get(a, 0);
        let gap = (value - self.lower).min(self.upper - value);
        gap > FAR * (self.upper - self.lower) && gap > FAR_STEPS * h * rate.abs()
    }
    fn restitution(&self) -> f64 {
        self.restitution
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        self.readings.add_both_ways(a, 0, [0, 1], out);
        out.row(0).gap -= self.lower;
        out.row(1).gap += self.upper;
    }
    fn reference(&self) -> usize {
        self.readings.coordinates()[0].joint.reference()
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
}

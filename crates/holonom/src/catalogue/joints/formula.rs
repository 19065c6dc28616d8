//! A condition written as a formula in a text.
//!
//! ```text
//! positions    C = f(points, coordinates, t)               gradient, curvature: those of f along the motion
//! velocities   a = f(points, coordinates, rates, t)        gradient by the rates, curvature da/dt with the rates held
//! ```
//!
//! A formula that speaks of rates is a condition on velocities. Derivatives are exact (`interface::formula`). The unit
//! of the gap is the writer's: metres suit points. Where the gradient vanishes the row is singular, like any other.

use super::{Constraint, JointDeclaration, Level, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Field, FieldType, Invalid, Kind, Make, Parameters, optional, required};
use crate::catalogue::interface::{BoundFormula, Formula};
use std::sync::Arc;

/// What a formula is over.
pub(crate) static NAMES: &[Field] = &[
    optional(
        "points",
        FieldType::Map(&FieldType::Point),
        "none",
        "points by the names they have in the formula: vectors, with .x, .y and .z",
    ),
    optional(
        "coordinates",
        FieldType::Map(&FieldType::Coordinate),
        "none",
        "coordinates of joints by the names they have in the formula",
    ),
];

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "formula",
        summary: "keeps a formula in points, coordinates, parameters and t at 0: a condition on velocities where it has rates in it",
        fields: &[
            NAMES,
            &[required(
                "expression",
                FieldType::Formula,
                "what stays 0, e.g. `distance(a, b) + distance(b, c) - L`; `rate(a)` is the velocity of a point",
            )],
        ],
        make: Make::Joint(|p| {
            let (formula, points, coordinates) = bound(p, "expression")?;
            Ok(Box::new(FormulaJoint::new(formula, points, coordinates)?))
        }),
    },
    label: "Formula",
    ..JointDeclaration::PLAIN
};

/// A formula, and the points and coordinates that it is over.
type FormulaOver = (Arc<Formula>, Vec<Marker>, Vec<Coordinate>);

/// A formula with the points and coordinates of the record it stands in.
pub(crate) fn bound(p: &dyn Parameters, field: &str) -> Result<FormulaOver, Invalid> {
    let formula = p.formula(field).ok_or_else(|| Invalid::not_given(field))?;
    Ok((formula, p.named_points("points"), p.named_coordinates("coordinates")))
}

/// Keeps a formula at zero.
#[derive(Clone, Debug)]
pub struct FormulaJoint {
    bound: BoundFormula,
}

impl FormulaJoint {
    /// Of a formula over these points and coordinates, in the order in which it numbers them.
    pub fn new(
        formula: Arc<Formula>,
        points: impl IntoIterator<Item = Marker>,
        coordinates: impl IntoIterator<Item = Coordinate>,
    ) -> Result<Self, Invalid> {
        let points: Vec<Attachment> = points.into_iter().map(|m| m.p()).collect();
        let coordinates: Vec<Coordinate> = coordinates.into_iter().collect();
        formula.fits(points.len(), coordinates.len())?;
        if points.is_empty() && coordinates.is_empty() {
            return Err(Invalid::new("expression", "a formula in no points and no coordinates holds nothing"));
        }
        Ok(FormulaJoint { bound: BoundFormula { formula, readings: Readings::new(points, coordinates) } })
    }
}

impl Constraint for FormulaJoint {
    fn kind(&self) -> &'static str {
        "formula"
    }
    fn attachments(&self) -> &[Attachment] {
        self.bound.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.bound.validate()
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let rates = self.bound.formula.has_rates();
        let found = self.bound.evaluate(a, t, rates, [0.0; 2]);
        let mut moved = 0.0;
        self.bound.gradient(a, &found, |k, g| {
            moved += g.dot(a.rate(k));
            out.gradient(0, k, g);
        });
        let row = out.row(0);
        if rates {
            (row.rate_t, row.curvature) = (found.value - moved, found.rate);
        } else {
            // of a formula without time the rest is rounding
            let rate_t = if self.bound.formula.has_time() { found.rate - moved } else { 0.0 };
            (row.gap, row.curvature, row.rate_t) = (found.value, found.second, rate_t);
        }
    }
    fn level(&self, _: usize) -> Level {
        if self.bound.formula.has_rates() { Level::Velocity } else { Level::Position }
    }
    fn rheonomic(&self) -> bool {
        self.bound.formula.has_time()
    }
    fn reads(&self) -> &[Coordinate] {
        self.bound.readings.coordinates()
    }
}

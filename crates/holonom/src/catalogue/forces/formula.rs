//! Forces written as formulas in a text.
//!
//! ```text
//! an energy V(points, coordinates, t)     pushes each input with - dV/d(input); what it stores is V
//! a force Q along s(points, coordinates)  pushes each input with Q ds/d(input): its power is Q sdot
//! ```
//!
//! Q may speak of `s` and its rate besides: `-k*(s - L) - c*rate`. Derivatives are exact (`interface::formula`). An
//! energy that depends on time feeds or drains the mechanism; the ledger says how much.

use super::{Force, ForceDeclaration, ForceGlyph, Push};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{FieldType, Invalid, Kind, Make, optional};
use crate::catalogue::interface::{BoundFormula, Formula};
use crate::catalogue::joints::{FORMULA_NAMES, bound_formula};
use std::sync::Arc;

pub(super) static FORMULA: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "formula",
        summary: "a force by a formula: from its energy, or along a quantity",
        fields: &[
            FORMULA_NAMES,
            &[
                optional(
                    "energy",
                    FieldType::Formula,
                    "not said",
                    "J, a formula in points, coordinates, parameters and t; instead of `along` and `force`",
                ),
                optional(
                    "along",
                    FieldType::Formula,
                    "not said",
                    "the quantity that the force acts along, e.g. `distance(a, b)`: m or rad",
                ),
                optional(
                    "force",
                    FieldType::Formula,
                    "not said",
                    "N (N m along an angle), positive where it drives the quantity up; besides all else it may use `s`, the quantity, and `rate`",
                ),
            ],
        ],
        make: Make::Force(|p| {
            let energy = p.formula("energy").is_some();
            if energy && p.formula("along").is_some() {
                return Err(Invalid::exclusive("energy", "along"));
            }
            if energy && p.formula("force").is_some() {
                return Err(Invalid::exclusive("energy", "force"));
            }
            if energy {
                let (energy, points, coordinates) = bound_formula(p, "energy")?;
                return Ok(Box::new(FormulaForce::from_energy(energy, points, coordinates)?));
            }
            if p.formula("along").is_none() && p.formula("force").is_none() {
                return Err(Invalid::neither("energy", "along"));
            }
            let (along, points, coordinates) = bound_formula(p, "along")?;
            let (force, ..) = bound_formula(p, "force")?;
            Ok(Box::new(FormulaForce::along(along, force, points, coordinates)?))
        }),
    },
    label: "Formula",
    law: "formula",
    glyph: ForceGlyph::Dashes,
};

/// A force by a formula.
#[derive(Clone, Debug)]
pub struct FormulaForce {
    bound: BoundFormula,
    /// The force along the formula; without it the formula is an energy.
    force: Option<BoundFormula>,
}

impl FormulaForce {
    /// From its energy (J) over these points and coordinates, in the order in which the formula numbers them.
    pub fn from_energy(
        energy: Arc<Formula>,
        points: impl IntoIterator<Item = Marker>,
        coordinates: impl IntoIterator<Item = Coordinate>,
    ) -> Result<Self, Invalid> {
        let bound = bind(energy, points, coordinates, "energy")?;
        Ok(FormulaForce { bound, force: None })
    }

    /// A force along a quantity; it is given the quantity and its rate as the two numbers beside its inputs.
    pub fn along(
        along: Arc<Formula>,
        force: Arc<Formula>,
        points: impl IntoIterator<Item = Marker>,
        coordinates: impl IntoIterator<Item = Coordinate>,
    ) -> Result<Self, Invalid> {
        let bound = bind(along, points, coordinates, "along")?;
        let (n_points, n_coordinates) = bound.formula.inputs();
        force.fits(n_points, n_coordinates)?;
        let force = Some(BoundFormula { formula: force, readings: bound.readings.clone() });
        Ok(FormulaForce { bound, force })
    }
}

fn bind(
    formula: Arc<Formula>,
    points: impl IntoIterator<Item = Marker>,
    coordinates: impl IntoIterator<Item = Coordinate>,
    field: &str,
) -> Result<BoundFormula, Invalid> {
    let points: Vec<Attachment> = points.into_iter().map(|m| m.p()).collect();
    let coordinates: Vec<Coordinate> = coordinates.into_iter().collect();
    formula.fits(points.len(), coordinates.len())?;
    if formula.has_rates() {
        return Err(Invalid::new(field, format!("`{field}` speaks of rates, must be of places and time alone")));
    }
    if points.is_empty() && coordinates.is_empty() {
        return Err(Invalid::new(field, "a formula in no points and no coordinates pushes nothing"));
    }
    Ok(BoundFormula { formula, readings: Readings::new(points, coordinates) })
}

impl Force for FormulaForce {
    fn kind(&self) -> &'static str {
        "formula"
    }
    fn attachments(&self) -> &[Attachment] {
        self.bound.attachments()
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.bound.validate()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        let found = self.bound.evaluate(a, t, false, [0.0; 2]);
        let size = match &self.force {
            None => -1.0,
            Some(force) => force.evaluate(a, t, false, [found.value, found.rate]).value,
        };
        self.bound.gradient(a, &found, |k, g| push.on(k, g * size));
    }
    fn energy(&self, a: &View, t: f64) -> f64 {
        if self.force.is_none() { self.bound.evaluate(a, t, false, [0.0; 2]).value } else { 0.0 }
    }
    fn reads(&self) -> &[Coordinate] {
        self.bound.readings.coordinates()
    }
}

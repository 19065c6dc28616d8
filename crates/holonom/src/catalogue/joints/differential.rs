//! Differential: two outputs share what the carrier gives them.
//!
//! ```text
//! C = q_left + q_right - 2 q_carrier - const
//! ```
//!
//! with three joint coordinates (the angles of the shafts in the housing). The carrier turns with the mean of the two
//! outputs, and each output gets half of the carrier's torque: with the multiplier lambda, lambda on the left and the
//! right and - 2 lambda on the carrier. It is a coupler with ratios 1, 1, -2 (see there); for one with teeth, build it
//! from four bevel gears and their shafts.

use super::{Constraint, CoordinateKind, Coupler, JointDeclaration, Revolute, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::declaration::{Allowed, Fault, FieldType, Invalid, Kind, Make, Parameters, optional, required};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "differential",
        summary: "two joint coordinates together are twice a third",
        fields: &[&[
            required("left", FieldType::Coordinate, "first output: a joint, or one of its coordinates"),
            required("right", FieldType::Coordinate, "second output"),
            required("carrier", FieldType::Coordinate, "input: the mean of the outputs"),
            optional(
                "offset",
                FieldType::Number(Allowed::Any, "m or rad"),
                "as the poses say",
                "left + right - 2 carrier",
            ),
        ]],
        make: Make::Joint(|p| Ok(Box::new(of_coordinates(p)?))),
    },
    label: "Differential",
    sample: Some(|a, b, _| Box::new(sample(a, b))),
    ..JointDeclaration::PLAIN
};

fn of_coordinates(p: &dyn Parameters) -> Result<Differential, Invalid> {
    const FIELDS: [&str; 3] = ["left", "right", "carrier"];
    let [left, right, carrier] = FIELDS.map(|field| p.given_coordinate(field));
    let coordinates = [left?, right?, carrier?];
    let what = |c: &Coordinate| if c.kind() == CoordinateKind::Length { "a length" } else { "an angle" };
    for (field, c) in FIELDS.into_iter().zip(&coordinates) {
        if c.kind() != coordinates[0].kind() {
            let message = format!("`{field}` is {}, `left` {}", what(c), what(&coordinates[0]));
            let help = "a differential joins coordinates of one kind";
            return Err(Invalid::new(field, message).fault(Fault::Coordinate).help(help));
        }
    }
    let [left, right, carrier] = coordinates;
    let made = Differential::new(left, right, carrier);
    Ok(p.number("offset").map_or(made.clone(), |x| made.offset(x)))
}

/// An ideal differential between three joint coordinates.
#[derive(Clone, Debug)]
pub struct Differential {
    coupler: Coupler,
}

impl Differential {
    /// `left + right = 2 carrier + const`, the constant being that of the start pose.
    pub fn new(left: Coordinate, right: Coordinate, carrier: Coordinate) -> Self {
        Differential { coupler: Coupler::new([(1.0, left), (1.0, right), (-2.0, carrier)]) }
    }

    /// The constant (rad, or m for coordinates that are lengths).
    pub fn offset(self, offset: f64) -> Self {
        Differential { coupler: self.coupler.offset(offset) }
    }
}

impl Constraint for Differential {
    fn kind(&self) -> &'static str {
        "differential"
    }
    fn attachments(&self) -> &[Attachment] {
        self.coupler.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        let kinds: Vec<_> = self.reads().iter().map(Coordinate::kind).collect();
        if kinds.windows(2).any(|k| k[0] != k[1]) {
            return Err("joins lengths with angles, must join coordinates of one kind".into());
        }
        self.coupler.validate()
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        self.coupler.rows(a, t, out);
    }
    fn reference(&self) -> usize {
        self.coupler.reference()
    }
    fn reads(&self) -> &[Coordinate] {
        self.coupler.reads()
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        self.coupler.at_rest(a).map(|coupler| Arc::new(Differential { coupler }) as Arc<dyn Constraint>)
    }
}

fn sample(a: Marker, b: Marker) -> Differential {
    // three shafts need more than two bodies: here the third turns the other way round
    let angle = |a, b| Coordinate::of(Revolute::new(a, b), 0);
    Differential::new(angle(a, b), angle(a, b), angle(b, a))
}

//! Differential: two outputs share what the carrier gives them.
//!
//! ```text
//! C = q_left + q_right - 2 q_carrier - const
//! ```
//!
//! with three joint coordinates (the angles of the shafts in the housing). The carrier turns with the mean of the two outputs, and each output
//! gets half of the carrier's torque: with the multiplier lambda, lambda on the left and the right and - 2 lambda on the carrier. It is a
//! coupler with ratios 1, 1, -2 (see there); for one with teeth, build it from four bevel gears and their shafts.

use super::{Constraint, Coupler, Rows};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::Coordinate;
use std::sync::Arc;

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
    fn validate(&self) -> Result<(), String> {
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

//! Coupler: a linear relation between joint coordinates.
//!
//! ```text
//! C = sum_i r_i q_i - offset         g = sum_i r_i (gradient of q_i),      curvature = sum_i r_i (curvature of q_i)
//! ```
//!
//! The multiplier lambda is a generalised force: r_i lambda acts along every q_i (N on a length, N m on an angle),
//! whatever the joint is made of. It is internal to the joints: gear trains, differentials and screws whose teeth and
//! housings are not of interest. (Where they are, `Gear` and its companions push at the teeth, and the bearings feel
//! it.) Units: r_i q_i must all be in the same, m or rad. Turns of angles are counted for joints of the model. The
//! offset is that of the start pose unless it is given. The reaction is what acts on the second body of the first
//! coordinate's joint.

use super::{Constraint, Cylindrical, JointDeclaration, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Allowed, FieldType, Invalid, Kind, Make, NUMBER, optional, required};
use crate::error::refuse;
use crate::math::SplitMix;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "coupler",
        summary: "a weighted sum of joint coordinates stays constant",
        fields: &[&[
            required(
                "terms",
                FieldType::Records(&[
                    required("joint", FieldType::Coordinate, "the joint, or one of its coordinates"),
                    required(
                        "factor",
                        NUMBER,
                        "what its coordinate is multiplied by, not 0; such that all have one unit",
                    ),
                ]),
                "what is added, one at least",
            ),
            optional("offset", FieldType::Number(Allowed::Any, "m or rad"), "as the poses say", "value of the sum"),
        ]],
        make: Make::Joint(|p| {
            let terms = p.terms("terms")?;
            if let Some(i) = terms.iter().position(|t| t.0 == 0.0) {
                return Err(Invalid::range("factor", "0, must be other than 0").within(&format!("terms.{i}")));
            }
            let made = Coupler::new(terms);
            Ok(Box::new(p.number("offset").map_or(made.clone(), |x| made.offset(x))))
        }),
    },
    label: "Coupler",
    also: &["mimic", "linear-coupler", "equality"],
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// Keeps a weighted sum of joint coordinates constant.
#[derive(Clone, Debug)]
pub struct Coupler {
    readings: Readings,
    ratios: Vec<f64>,
    offset: Option<f64>,
}

impl Coupler {
    /// `sum of ratio * coordinate` stays what it is at the start.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let z = |body: BodyId| body.origin().along([0.0, 0.0, 1.0]);
    /// let (a, b) = (m.body("a", Rigid::ball(1.0, 0.1)), m.body("b", Rigid::ball(1.0, 0.1)));
    /// let first = m.joint("first", Revolute::new(z(BodyId::GROUND), z(a)));
    /// let second = m.joint("second", Revolute::new(z(BodyId::GROUND), z(b)));
    /// let angles = [(3.0, m.coordinate(first, 0)), (1.0, m.coordinate(second, 0))];
    /// m.joint("gearbox", Coupler::new(angles)); // b turns three times as fast, backwards
    /// m.force("push", Torque::new(a, [0.0, 0.0, 0.1]));
    /// let mut sim = Simulation::build(m)?;
    /// sim.run_until(1.0)?;
    /// let (one, three) = (sim.coordinate(first, 0).unwrap().0, sim.coordinate(second, 0).unwrap().0);
    /// assert!((3.0 * one + three).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(terms: impl IntoIterator<Item = (f64, Coordinate)>) -> Self {
        let (ratios, coordinates): (Vec<f64>, Vec<Coordinate>) = terms.into_iter().unzip();
        Coupler { readings: Readings::new([], coordinates), ratios, offset: None }
    }

    /// The value of the sum (m or rad). Otherwise that of the start pose.
    pub fn offset(self, offset: f64) -> Self {
        Coupler { offset: Some(offset), ..self }
    }

    /// With the sum of the present pose, where it was left open.
    pub(super) fn at_rest(&self, a: &View) -> Option<Coupler> {
        let sum = || self.ratios.iter().enumerate().map(|(i, r)| r * self.readings.get(a, i).0).sum();
        self.offset.is_none().then(|| self.clone().offset(sum()))
    }
}

impl Constraint for Coupler {
    fn kind(&self) -> &'static str {
        "coupler"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        if self.ratios.is_empty() {
            return Err("couples no coordinates, must have at least one".into());
        }
        if let Some(r) = self.ratios.iter().find(|r| !(r.is_finite() && **r != 0.0)) {
            return refuse!("terms", "a ratio is {r}, must be finite and not 0");
        }
        if let Some(offset) = self.offset.filter(|x| !x.is_finite()) {
            return refuse!("offset", "offset is {offset}, must be finite");
        }
        self.readings.validate()
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        for (i, r) in self.ratios.iter().enumerate() {
            self.readings.add(a, i, *r, 0, out);
        }
        out.row(0).gap -= self.offset.unwrap_or(0.0);
    }
    fn reference(&self) -> usize {
        self.readings.coordinates().first().map_or(0, |c| c.joint.reference())
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        self.at_rest(a).map(|c| Arc::new(c) as Arc<dyn Constraint>)
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Coupler {
    let terms = (0..2).map(|i| (0.5 + g.unit(), Coordinate::of(Cylindrical::new(a, b), i)));
    Coupler::new(terms.collect::<Vec<_>>())
}

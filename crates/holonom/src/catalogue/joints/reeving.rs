//! Reeving: a rope of fixed length through any number of eyes or small pulleys, without friction.
//!
//! ```text
//! C = sum_i |p_{i+1} - p_i| - L            n_i = (p_{i+1} - p_i) / |p_{i+1} - p_i|,   s_i = p_{i+1}' - p_i'
//! gradient at p_i:  n_{i-1} - n_i          curvature = sum_i (|s_i|² - (n_i . s_i)²) / |p_{i+1} - p_i|
//! ```
//!
//! Every strand pulls with the same force: the multiplier is minus the tension (N), as for a rod. A body may appear any
//! number of times, and a point as often as the rope passes it: a tackle with four falls names its two blocks in turn.
//! Strands between points of one body are part of the length and do nothing. A strand of length zero has no direction
//! and pulls nothing just then. The rope holds like a rod when it would have to push. Pulleys are points: for one whose
//! size or inertia matters, see `Winch` (two on one drum) and `Belt`. L is that of the start pose unless
//! [`Reeving::length`] gives it. Coordinate: the length of the path, for up to 16 points.

use super::{Constraint, CoordinateKind, Glyph, JointDeclaration, Rows, check_markers};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::catalogue::coordinate::{MAX_MEASURED, Measure};
use crate::catalogue::declaration::{Fault, FieldType, Invalid, Kind, LENGTH, Make, optional, required};
use crate::error::refuse;
use crate::math::{SplitMix, Vec3};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "reeving",
        summary: "a rope of fixed length passes a list of points. Coordinate: the length of the path",
        fields: &[&[
            required(
                "points",
                FieldType::Points,
                "points it passes, from end to end; two at least, on two bodies at least",
            ),
            optional("length", LENGTH, "as the poses say", "length of the rope"),
        ]],
        make: Make::Joint(|p| {
            let points = p.points("points");
            if points.len() < 2 {
                return Err(Invalid::too_few("points", points.len(), 2));
            }
            if points.iter().all(|x| x.body == points[0].body) {
                let invalid = Invalid::new("points", "the rope stays on one body").fault(Fault::SameBody);
                return Err(invalid.label("must pass points of two bodies at least"));
            }
            let made = Reeving::new(points);
            Ok(Box::new(p.number("length").map_or(made.clone(), |x| made.length(x))))
        }),
    },
    label: "Reeving",
    also: &["pulley", "tackle"],
    coordinates: &[("length", CoordinateKind::Length)],
    glyph: Glyph::Tackle,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    pulls: true,
    ..JointDeclaration::PLAIN
};

/// A rope through a list of points.
#[derive(Clone, Debug)]
pub struct Reeving {
    points: Vec<Attachment>,
    length: Option<f64>,
}

impl Reeving {
    /// The points that the rope passes, from end to end.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let load = m.body("load", Particle::new(2.0, [0.0, 0.0, -1.0]));
    /// let weight = m.body("weight", Particle::new(1.0, [1.0, 0.0, -1.0]));
    /// let (beam, pulley) = (BodyId::GROUND.origin(), BodyId::GROUND.at([1.0, 0.0, 0.0]));
    /// // from the beam down to the load, up to the beam again, over the pulley and down to the weight
    /// let rope = m.joint("rope", Reeving::new([beam, load.origin(), beam, pulley, weight.origin()]));
    /// let mut sim = Simulation::build(m)?;
    /// assert!(sim.accelerations()?.iter().all(|a| a.abs() < 1e-12)); // half the weight holds the load
    /// assert!((sim.multipliers()?[0] + 9.81).abs() < 1e-12); // the tension is 9.81 N
    /// # let _ = rope;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(points: impl IntoIterator<Item = Marker>) -> Self {
        Reeving { points: points.into_iter().map(|m| m.p()).collect(), length: None }
    }

    /// Length of the rope (m). Otherwise that of the path at the start.
    pub fn length(self, length: f64) -> Self {
        Reeving { length: Some(length), ..self }
    }

    /// Length and curvature of the path; gradients go to `pull(point, gradient)`.
    #[inline(always)]
    fn path(&self, a: &View, mut pull: impl FnMut(usize, Vec3)) -> (f64, f64) {
        let (mut length, mut curvature) = (0.0, 0.0);
        for k in 1..self.points.len() {
            let (p, q) = (a.get(k - 1), a.get(k));
            let (d, slip) = (q.at - p.at, q.rate - p.rate);
            let r = d.length();
            if r > 0.0 {
                let n = d / r;
                let across = slip - n * n.dot(slip);
                length += r;
                curvature += across.length_squared() / r;
                pull(k, n);
                pull(k - 1, -n);
            }
        }
        (length, curvature)
    }
}

impl Constraint for Reeving {
    fn kind(&self) -> &'static str {
        "reeving"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.points
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        if self.points.len() < 2 {
            return refuse!("points", "passes {} points, must pass at least 2", self.points.len());
        }
        let marker = |a: &Attachment| a.body.at(a.carried_vector());
        if self.points.iter().all(|p| p.body == self.points[0].body) {
            return check_markers(&marker(&self.points[0]), &marker(&self.points[1]));
        }
        if let Some(point) = self.points.iter().map(|p| p.carried_vector()).find(|p| !p.is_finite()) {
            return refuse!("points", "a point is {point}, must be finite");
        }
        match self.length {
            Some(length) if !(length.is_finite() && length > 0.0) => {
                refuse!("length", "length is {length} m, must be finite and greater than 0")
            }
            _ => Ok(()),
        }
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let (length, curvature) = self.path(a, |k, g| out.gradient(0, k, g));
        let row = out.row(0);
        (row.gap, row.curvature) = (length - self.length.unwrap_or(length), curvature);
    }
    /// The last point that is not on the ground.
    fn reference(&self) -> usize {
        self.points.iter().rposition(|p| !p.body.is_ground()).unwrap_or(0)
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        if self.points.len() <= MAX_MEASURED { &[CoordinateKind::Length] } else { &[] }
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        let (length, curvature) = self.path(a, |k, g| out.gradient(k, g));
        out.set(length, curvature);
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let (length, _) = self.path(a, |_, _| {});
        self.length.is_none().then(|| Arc::new(self.clone().length(length)) as Arc<dyn Constraint>)
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Reeving {
    let (eye, far) = (a.body.at(a.point), BodyId::GROUND.at(g.vec3(2.0)));
    Reeving::new([eye, b, eye, far, b])
}

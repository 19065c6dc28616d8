//! Rotor gear: a [`crate::catalogue::bodies::Rotor`] goes along with the rate of a joint coordinate, or with the
//! relative spin of two bodies about an axis of the second.
//!
//! ```text
//! coordinate    a = udot - n qdot                       level: velocity
//! spin          a = udot - n e_b . (w_b - w_a)          e_b carried by b; of a ball joint, one rotor for each axis
//! ```
//!
//! With the rotor's inertia I the multiplier is I uddot, and n times it acts along q: exactly I n^2 qddot more to move.
//! (For the spin: about e_b on b, and opposite on a.) The relative spin of a ball joint is the derivative of nothing,
//! which is why the row is one of velocities; the rotor's own angle means nothing and is not corrected. The rotor must
//! start at the rate that fits, or the start is corrected with everyone's inertia as a weight.

use super::{Constraint, Glyph, JointDeclaration, Level, Rows};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Fault, FieldType, Invalid, Kind, Make, NUMBER, Parameters, optional, required};
use crate::error::refuse;
use crate::math::Vec3;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rotor-gear",
        summary: "a body of kind `rotor` turns with a coordinate, or with the spin of one body against another",
        fields: &[&[
            required("b", FieldType::Point, "the rotor"),
            optional("joint", FieldType::Coordinate, "not said", "the joint, or one of its coordinates"),
            optional("of", FieldType::Point, "not said", "instead of a joint: the body whose spin is meant"),
            optional("against", FieldType::Point, "ground", "the body it spins against"),
            optional(
                "axis_of",
                FieldType::Direction,
                "[0, 0, 1]",
                "about which axis of the body `of`, in its own frame",
            ),
            optional("ratio", NUMBER, "1", "how many times as fast the rotor turns, not 0"),
        ]],
        make: Make::Joint(|p| Ok(Box::new(geared(p)?))),
    },
    label: "Rotor gear",
    glyph: Glyph::Dashes,
    ..JointDeclaration::PLAIN
};

fn geared(p: &dyn Parameters) -> Result<RotorGear, Invalid> {
    let rotor = p.given_point("b")?.body;
    let ratio = p.fitting("ratio", |x| x != 0.0, "other than 0")?.unwrap_or(1.0);
    match (p.coordinate("joint"), p.point("of")) {
        (Some(joint), None) => Ok(RotorGear::new(rotor, joint, ratio)),
        (None, Some(of)) => {
            let against = p.point("against").map_or(BodyId::GROUND, |m| m.body);
            let axis = p.vector("axis_of").unwrap_or(Vec3::Z);
            Ok(RotorGear::spin(rotor, against, of.body.origin().along(axis), ratio))
        }
        (Some(_), Some(_)) => Err(Invalid::new("of", "`joint` and `of` exclude each other").fault(Fault::Exclusive)),
        (None, None) => Err(Invalid::missing("joint", "a rotor gear names neither `joint` nor `of`")
            .help("joint = \"NAME\" for the coordinate of a joint, of = \"BODY\" for a spin")),
    }
}

/// Ties a rotor to a motion.
#[derive(Clone, Debug)]
pub struct RotorGear {
    /// Attachment 0 is the rotor; for a spin 1 and 2 are the spins of a and b, and 3 is the axis.
    readings: Readings,
    ratio: f64,
}

impl RotorGear {
    /// The rotor turns `ratio` times as fast as the coordinate; the unit of the ratio is theirs.
    ///
    /// ```
    /// use holonom::bodies::Rotor;
    /// use holonom::joints::RotorGear;
    /// use holonom::prelude::*;
    ///
    /// // a flywheel of 2 kg m^2 on a hinge, driven through a gear of 1 : 10 by a motor whose rotor has 0.03 kg m^2
    /// let mut m = ModelBuilder::new();
    /// let wheel = m.body("wheel", Rigid::principal(1.0, [1.5, 1.5, 2.0]));
    /// let rotor = m.body("rotor", Rotor::new(0.03));
    /// let hinge = m.joint("hinge", Revolute::new(BodyId::GROUND.origin(), wheel.origin()));
    /// let angle = m.coordinate(hinge, 0);
    /// m.joint("gear", RotorGear::new(rotor, angle, 10.0));
    /// m.force("push", Torque::new(wheel, [0.0, 0.0, 1.0]));
    /// let mut sim = Simulation::build(m)?;
    /// sim.run_until(1.0)?;
    /// let turned = sim.coordinate(hinge, 0).unwrap().0;
    /// assert!((turned - 0.5 / (2.0 + 0.03 * 100.0)).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(rotor: BodyId, coordinate: Coordinate, ratio: f64) -> Self {
        RotorGear { readings: Readings::new([rotor.origin().p()], [coordinate]), ratio }
    }

    /// The rotor turns `ratio` times as fast as b against a about the z axis of the marker on b.
    pub fn spin(rotor: BodyId, a: BodyId, b: Marker, ratio: f64) -> Self {
        let attachments = [rotor.origin().p(), Attachment::spin(a), b.spin(), b.z()];
        RotorGear { readings: Readings::new(attachments, []), ratio }
    }
}

impl Constraint for RotorGear {
    fn kind(&self) -> &'static str {
        "rotor-gear"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        if !(self.ratio.is_finite() && self.ratio != 0.0) {
            return refuse!("ratio", "ratio is {}, must be finite and not 0", self.ratio);
        }
        self.readings.validate()
    }
    fn level(&self, _: usize) -> Level {
        Level::Velocity
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        out.gradient(0, 0, crate::math::Vec3::X);
        if !self.readings.coordinates().is_empty() {
            self.readings.add(a, 0, -self.ratio, 0, out);
            return;
        }
        let (spin_a, spin_b, e) = (a.get(1), a.get(2), a.get(3));
        let relative = spin_b.rate - spin_a.rate;
        out.gradient(0, 1, e.at * self.ratio);
        out.gradient(0, 2, e.at * -self.ratio);
        out.row(0).curvature -= self.ratio * e.rate.dot(relative);
    }
    fn reference(&self) -> usize {
        0
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
}

//! Belt or chain over two wheels on parallel axes, open or crossed, that neither stretches nor slips.
//!
//! d = p_b - p_a, D its length, n = d / D, u = z × n, alpha = angle of d in a's (x, y), beta = angle of - d in b's, as
//! for gears: both are relative to the centre line, and fall when their wheel turns forwards.
//!
//! ```text
//! open      C = r_a alpha - r_b beta - const      the wheels turn in the same sense
//! crossed   C = r_a alpha + r_b beta - const      in opposite senses
//! dC = (r_a -+ r_b) / D  u . dd - r_a z . (turn of a) +- r_b z . (turn of b)
//! ```
//!
//! The forces. Open: with sin e = (r_a - r_b) / D the strand on the side of u leaves a at the radius r_a (sin e n + cos
//! e u) and runs to b along cos e n - sin e u, the other one along cos e n + sin e u. Tensions T_1 (on the side of u)
//! and T_2 together give
//!
//! ```text
//! on b   - (T_1 + T_2) cos e n + (T_1 - T_2) sin e u         torque on a   - r_a (T_1 - T_2) z         on b   + r_b (T_1 - T_2) z
//! ```
//!
//! and crossed the same with sin e = (r_a + r_b) / D and - r_b. So the multiplier is T_1 - T_2 (N), and torques and the
//! force across the centre line are exactly those of the belt. Its pull along the centre line, (T_1 + T_2) cos e, is
//! not there: an ideal belt of given length says nothing about the sum of its tensions. It comes from how the belt was
//! put on: where bearings should feel it, add it as a force between the centres (a `Spring`, say). That no strand goes
//! slack is not checked either.
//!
//! The constant is that of the start pose unless [`Belt::phase`] gives it. Singular where the centres coincide.
//! Coordinates: alpha and beta, turns counted.

use super::gear::check_radius;
use super::polar::Polar;
use super::{Constraint, CoordinateKind, Glyph, JointDeclaration, PARALLEL, RADII, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{FieldType, Invalid, Kind, Make, optional, optional_finite};
use crate::math::SplitMix;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "belt",
        summary: "a belt runs over two wheels on parallel axes. Coordinates: the angles to the other wheel",
        fields: &[
            PARALLEL,
            RADII,
            &[optional("crossed", FieldType::Flag, "false", "the wheels turn in opposite senses")],
        ],
        make: Make::Joint(|p| {
            let (a, b, r_a, r_b) = (p.a(), p.b(), p.of("radius_a"), p.of("radius_b"));
            let made = if p.flag("crossed") { Belt::crossed(a, b, r_a, r_b) } else { Belt::open(a, b, r_a, r_b) };
            Ok(Box::new(p.number("phase").map_or(made.clone(), |x| made.phase(x))))
        }),
    },
    label: "Belt",
    coordinates: &[("angle on a", CoordinateKind::Angle), ("angle on b", CoordinateKind::Angle)],
    glyph: Glyph::Wheels,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// A belt over two wheels, which turn about the z axes of two markers at their centres; the axes point the same way.
#[derive(Clone, Debug)]
pub struct Belt {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 8],
    r_a: f64,
    /// Negative for an open belt.
    r_b: f64,
    crossed: bool,
    phase: Option<f64>,
}

impl Belt {
    /// An open belt: both wheels turn in the same sense. Radii in m.
    pub fn open(a: Marker, b: Marker, r_a: f64, r_b: f64) -> Self {
        let attachments = [a.p(), b.p(), a.x(), a.y(), b.x(), b.y(), a.z(), b.z()];
        Belt { a, b, attachments, r_a, r_b: -r_b, crossed: false, phase: None }
    }

    /// A crossed belt: the wheels turn in opposite senses. Radii in m.
    pub fn crossed(a: Marker, b: Marker, r_a: f64, r_b: f64) -> Self {
        Belt { r_b, crossed: true, ..Belt::open(a, b, r_a, r_b) }
    }

    /// The value (m) of the constant. Otherwise that of the start pose.
    pub fn phase(self, phase: f64) -> Self {
        Belt { phase: Some(phase), ..self }
    }

    fn polar(&self, a: &View) -> [Polar; 2] {
        [Polar::between(a, 2, 3, 0, 1), Polar::between(a, 4, 5, 1, 0)]
    }
}

impl Constraint for Belt {
    fn kind(&self) -> &'static str {
        "belt"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        check_radius("radius_a", "radius of the first wheel", self.r_a)?;
        check_radius("radius_b", "radius of the second wheel", if self.crossed { self.r_b } else { -self.r_b })?;
        optional_finite("phase", self.phase, "m")
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let [at_a, at_b] = self.polar(a);
        at_a.add(&at_a.followed(a, 0), self.r_a, 0, out);
        at_b.add(&at_b.followed(a, 1), self.r_b, 0, out);
        out.row(0).gap -= self.phase.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        let polar = &self.polar(a)[i];
        polar.measure(&polar.angle(), out);
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let [at_a, at_b] = self.polar(a);
        let phase = self.r_a * at_a.followed(a, 0).value + self.r_b * at_b.followed(a, 1).value;
        self.phase.is_none().then(|| Arc::new(self.clone().phase(phase)) as Arc<dyn Constraint>)
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(6).dot(a.at(7))
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Belt {
    let (r_a, r_b) = (0.2 + g.unit(), 0.2 + g.unit());
    if g.unit() < 0.5 { Belt::open(a, b, r_a, r_b) } else { Belt::crossed(a, b, r_a, r_b) }
}

//! Rack and pinion: the pinion a turns about its z axis and rolls along the x axis of the rack b.
//!
//! d = p_a - p_b, alpha = angle of x_b in a's (x, y) about z_a: it falls when the pinion turns forwards. The pinion is
//! on the rack's +y side, where y_b = z_a × x_b: it touches at P = p_a - r y_b, and turning forwards by theta takes it
//! along by - r theta = r alpha.
//!
//! ```text
//! C = x_b . d - s r alpha - const                        s = 1;  - 1 with the pinion on the other side, P = p_a + r y_b
//! dC = x_b . (dp_a - dp_b) + (x_b × d) . (turn of b) + s r z . (turn of a - turn of b)
//!
//! force on a    x_b,   torque about p_a   s r z               =  (P - p_a) × x_b
//! force on b  - x_b,   torque about p_b   x_b × d - s r z     =  (P - p_b) × (- x_b)
//! ```
//!
//! The row pushes at the pitch point, wherever that is on the rack, and its multiplier is the tangential tooth force
//! (N) on the pinion along x_b. The rack may move, tilt or turn; C is relative to it. Not modelled: the pressure angle
//! (a push along y_b), backlash, the ends of the rack. The constant is that of the start pose unless
//! [`RackAndPinion::phase`] gives it. Singular where the rack is along the pinion's axis. Coordinates: the place of the
//! pinion on the rack, x_b . d, and alpha with turns counted.

use super::gear::check_radius;
use super::polar::Polar;
use super::{
    AXES_A, AXES_B, Constraint, CoordinateKind, Glyph, JointDeclaration, POINTS, Rows, check_markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{
    Allowed, FieldType, Invalid, Kind, LENGTH, Make, optional, optional_finite, required,
};
use crate::math::SplitMix;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rack-and-pinion",
        summary: "a pinion, turning about z of a, rolls along a rack, x of b. Coordinates: the way along the rack, the angle of the pinion to it",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[
                required("radius", LENGTH, "pitch radius of the pinion"),
                optional(
                    "other_side",
                    FieldType::Flag,
                    "false",
                    "the pinion is on the side of -y of the rack, y = z of a x x of b",
                ),
                optional(
                    "phase",
                    FieldType::Number(Allowed::Any, "m"),
                    "as the poses say",
                    "the way where the angle is 0",
                ),
            ],
        ],
        make: Make::Joint(|p| {
            let made = RackAndPinion::new(p.a(), p.b(), p.of("radius"));
            let made = if p.flag("other_side") { made.other_side() } else { made };
            Ok(Box::new(p.number("phase").map_or(made.clone(), |x| made.phase(x))))
        }),
    },
    label: "Rack and pinion",
    coordinates: &[("offset", CoordinateKind::Length), ("angle", CoordinateKind::Angle)],
    glyph: Glyph::Wheels,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// A pinion (first marker, z axis) on a rack (second marker, x axis).
#[derive(Clone, Debug)]
pub struct RackAndPinion {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 5],
    /// Negative on the other side.
    radius: f64,
    phase: Option<f64>,
}

impl RackAndPinion {
    /// The pinion has its z axis at its centre and the pitch radius `radius` (m); the rack has its x axis along the
    /// teeth. The pinion is on the side of y = z × x of the rack, with z that of the pinion.
    pub fn new(pinion: Marker, rack: Marker, radius: f64) -> Self {
        let attachments = [pinion.p(), rack.p(), pinion.x(), pinion.y(), rack.x()];
        RackAndPinion { a: pinion, b: rack, attachments, radius, phase: None }
    }

    /// The pinion is on the other side of the rack.
    pub fn other_side(self) -> Self {
        RackAndPinion { radius: -self.radius, ..self }
    }

    /// The value (m) of the constant. Otherwise that of the start pose.
    pub fn phase(self, phase: f64) -> Self {
        RackAndPinion { phase: Some(phase), ..self }
    }
}

impl Constraint for RackAndPinion {
    fn kind(&self) -> &'static str {
        "rack-and-pinion"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        check_radius("radius", "pitch radius", self.radius.abs())?;
        optional_finite("phase", self.phase, "m")
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        out.along(0, n(4), n(1), n(0));
        let turn = Polar::of(a, 2, 3, 4);
        turn.add(&turn.followed(a, 0), -self.radius, 0, out);
        out.row(0).gap -= self.phase.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.offset(a, 4, 1, 0);
        } else {
            out.angle(a, 2, 3, 4);
        }
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let along = a.at(4).dot(a.at(0) - a.at(1));
        let phase = along - self.radius * Polar::of(a, 2, 3, 4).followed(a, 0).value;
        self.phase.is_none().then(|| Arc::new(self.clone().phase(phase)) as Arc<dyn Constraint>)
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> RackAndPinion {
    let rack = RackAndPinion::new(a, b, 0.2 + g.unit());
    if g.unit() < 0.5 { rack } else { rack.other_side() }
}

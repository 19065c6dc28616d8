//! Bevel gears: wheels on axes that meet in an apex O. The z axis of each marker points from the apex to its wheel; the
//! markers may sit anywhere on the axes.
//!
//! S = angle between the axes, t = z_a × z_b / sin S, and in the plane of the axes m_a = (z_b - cos S z_a) / sin S
//! perpendicular to z_a, m_b = (z_a - cos S z_b) / sin S perpendicular to z_b.
//!
//! ```text
//! alpha   angle of z_b in a's (x, y) about z_a           on rigid bodies   dalpha = m_b . (turn of b - turn of a) / sin S
//! beta    angle of z_a in b's (x, y) about z_b                             dbeta  = m_a . (turn of a - turn of b) / sin S
//! C = r_a alpha + r_b beta + t . (p_b - p_a) - const
//! ```
//!
//! Both angles are relative to the plane of the axes, which a carrier may turn: a differential needs nothing else.
//!
//! The tooth force. The pitch point P lies between the axes at the distances r_a and r_b from them: P - O = l (cos g
//! z_a + sin g m_a) with l sin g = r_a, l sin(S - g) = r_b. From z_a × t = - m_a, m_a × t = z_a, m_b = sin S z_a - cos
//! S m_a and r_a cos S + r_b = l sin S cos g:
//!
//! ```text
//! torque of the angles on b, opposite on a:     (r_a m_b - r_b m_a) / sin S  =  r_a z_a - l cos g m_a  =  (P - O) × t
//! ```
//!
//! That is the torque about the apex of a force t on b at P. Only the force itself is missing. t . (p_b - p_a) is the
//! distance of the two axes: it vanishes where they meet, does not change when the markers move along them, and its
//! gradient is the force t on b and - t on a at the apex. Together they are the force t at P, and the multiplier is the
//! tangential tooth force (N), positive where the teeth hold a back from turning positively.
//!
//! Not modelled: the pressure angle, so the teeth push neither wheel along its axis nor the wheels apart; spiral teeth;
//! backlash; wheels inside a hollow cone. Axes that pass each other (hypoid) keep the ratio, with the tooth force off
//! by the distance of the axes. The constant is that of the start pose unless [`BevelGear::phase`] gives it. Singular
//! where the axes are parallel. Coordinates: alpha and beta, turns counted.

use super::gear::check_radius;
use super::polar::Polar;
use super::{AXES_A, AXES_B, Constraint, CoordinateKind, Glyph, JointDeclaration, POINTS, RADII, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, Make, optional_finite};
use crate::math::number::{Num, Point};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "bevel-gear",
        summary: "wheels on axes that meet mesh; each z axis points from where they meet to its wheel. Coordinates: the angles to the other wheel",
        fields: &[POINTS, AXES_A, AXES_B, RADII],
        make: Make::Joint(|p| {
            let made = BevelGear::new(p.a(), p.b(), p.of("radius_a"), p.of("radius_b"));
            Ok(Box::new(p.number("phase").map_or(made.clone(), |x| made.phase(x))))
        }),
    },
    label: "Bevel gear",
    coordinates: &[("angle on a", CoordinateKind::Angle), ("angle on b", CoordinateKind::Angle)],
    glyph: Glyph::Wheels,
    sample: Some(|a, b, g| Box::new(BevelGear::new(a, b, 0.2 + g.unit(), 0.2 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// Two bevel wheels that mesh; the z axes of two markers point from the common apex to the wheels.
#[derive(Clone, Debug)]
pub struct BevelGear {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 8],
    r_a: f64,
    r_b: f64,
    phase: Option<f64>,
}

/// Points and axes, then the directions from which angles are counted.
pub(super) fn crossed_attachments(a: &Marker, b: &Marker) -> [Attachment; 8] {
    [a.p(), b.p(), a.z(), b.z(), a.x(), a.y(), b.x(), b.y()]
}

/// The axis of b seen from a, and that of a seen from b.
pub(super) fn crossed(a: &View) -> [Polar; 2] {
    [Polar::of(a, 4, 5, 3), Polar::of(a, 6, 7, 2)]
}

/// t . (p_b - p_a).
fn apart([p_a, p_b, z_a, z_b]: [Point<4>; 4]) -> Num<4> {
    let t = z_a.cross(z_b);
    t.dot(p_b - p_a) / t.length()
}

impl BevelGear {
    /// Pitch radii in m, where the teeth meet; their ratio is that of the numbers of teeth.
    pub fn new(a: Marker, b: Marker, r_a: f64, r_b: f64) -> Self {
        BevelGear { a, b, attachments: crossed_attachments(&a, &b), r_a, r_b, phase: None }
    }

    /// The value (m) of r_a alpha + r_b beta. Otherwise that of the start pose.
    pub fn phase(self, phase: f64) -> Self {
        BevelGear { phase: Some(phase), ..self }
    }
}

impl Constraint for BevelGear {
    fn kind(&self) -> &'static str {
        "bevel-gear"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        check_radius("radius_a", "pitch radius of the first wheel", self.r_a)?;
        check_radius("radius_b", "pitch radius of the second wheel", self.r_b)?;
        optional_finite("phase", self.phase, "m")
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write(0, a, t, |p: [Point<4>; 4], _| [apart(p)]);
        let [at_a, at_b] = crossed(a);
        at_a.add(&at_a.followed(a, 0), self.r_a, 0, out);
        at_b.add(&at_b.followed(a, 1), self.r_b, 0, out);
        out.row(0).gap -= self.phase.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        let polar = &crossed(a)[i];
        polar.measure(&polar.angle(), out);
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        if self.phase.is_some() {
            return None;
        }
        let [at_a, at_b] = crossed(a);
        let arc = self.r_a * at_a.followed(a, 0).value + self.r_b * at_b.followed(a, 1).value;
        let t = a.at(2).cross(a.at(3));
        let apart = t.dot(a.at(1) - a.at(0)) / t.length();
        Some(Arc::new(self.clone().phase(arc + apart)))
    }
}

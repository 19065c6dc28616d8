//! Winch: a rope wound on a drum, its free end tied to a point of another body.
//!
//! The drum is body a, of radius R about the z axis of its marker. In its plane d = p_b - p_a has the length rho and
//! the angle phi in a's (x, y), with n = d / rho and u = z × n. The rope leaves the drum along a tangent of length l,
//! at the angle phi + w g from x:
//!
//! ```text
//! l = sqrt(rho² - R²)        g = acos(R / rho)        w = 1: turning the drum forwards winds the rope in;  w = - 1: backwards
//! C = l - R (w phi + g) - L                       free length + rope on the drum beyond its x axis - length of the rope
//! dl/drho = rho / l,  dg/drho = R / (rho l)       d(l - R g)/drho = l / rho        d²(l - R g)/drho² = R² / (rho² l)
//! ```
//!
//! The gradient by d is (l / rho) n - w (R / rho) u: a unit vector along the rope, from the drum to b. The torque on
//! the drum is w R about z. So the row pulls as a rope does, tangentially, and its multiplier is minus the tension (N):
//! positive would be a push, as for a rod. A rope that would push must be taken out by the program; this row holds
//! either way.
//!
//! Only the plane of the drum counts: the rope is fed along the axis to where b is, and pulls perpendicular to the
//! axis. Layers do not change R. l = 0 where b reaches the drum; within R the free length stays 0 and the end is held
//! to the drum's turn. phi is followed over any number of turns. L is that of the start pose unless [`Winch::length`]
//! gives it. Coordinates: l, and phi with turns counted.

use super::gear::check_radius;
use super::polar::{Polar, Quantity};
use super::{AXES_A, Constraint, CoordinateKind, Glyph, JointDeclaration, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{
    Allowed, FieldType, Invalid, Kind, LENGTH, Make, optional, optional_finite, required,
};
use crate::math::SplitMix;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "winch",
        summary: "a rope wound on a drum about z of a holds a point of b. Coordinates: the free length, the angle of b about the drum",
        fields: &[
            POINTS,
            AXES_A,
            &[
                required("radius", LENGTH, "radius of the drum"),
                optional("other_side", FieldType::Flag, "false", "turning the drum backwards winds the rope in"),
                optional(
                    "length",
                    FieldType::Number(Allowed::Any, "m"),
                    "as the poses say",
                    "of the rope: the free part, and what is wound on beyond the drum's x axis",
                ),
            ],
        ],
        make: Make::Joint(|p| {
            let made = Winch::new(p.a(), p.b(), p.of("radius"));
            let made = if p.flag("other_side") { made.other_side() } else { made };
            Ok(Box::new(p.number("length").map_or(made.clone(), |x| made.length(x))))
        }),
    },
    label: "Winch",
    coordinates: &[("free length", CoordinateKind::Length), ("angle", CoordinateKind::Angle)],
    glyph: Glyph::Drum,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    pulls: true,
    ..JointDeclaration::PLAIN
};

/// A rope from a drum (first marker, z axis) to a point of another body.
#[derive(Clone, Debug)]
pub struct Winch {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 4],
    radius: f64,
    side: f64,
    length: Option<f64>,
}

impl Winch {
    /// `radius` of the drum in m. Turning the drum forwards about its z axis winds the rope in.
    pub fn new(drum: Marker, end: Marker, radius: f64) -> Self {
        let attachments = [drum.p(), end.p(), drum.x(), drum.y()];
        Winch { a: drum, b: end, attachments, radius, side: 1.0, length: None }
    }

    /// Turning the drum backwards winds the rope in: it leaves the drum on the other side.
    pub fn other_side(self) -> Self {
        Winch { side: -self.side, ..self }
    }

    /// Length of the rope (m): the free part, and what is wound on beyond the drum's x axis (negative before it).
    /// Otherwise that of the start pose.
    pub fn length(self, length: f64) -> Self {
        Winch { length: Some(length), ..self }
    }

    /// l - R g with two derivatives by rho.
    fn strand(&self, rho: f64) -> [f64; 3] {
        let (r, l) = (self.radius, self.free(rho)[0]);
        if l > 0.0 { [l - r * libm::acos(r / rho), l / rho, r * r / (rho * rho * l)] } else { [0.0; 3] }
    }

    /// l with two derivatives by rho.
    fn free(&self, rho: f64) -> [f64; 3] {
        let square = (rho - self.radius) * (rho + self.radius);
        if square > 0.0 {
            let l = square.sqrt();
            [l, rho / l, -(self.radius * self.radius) / (l * square)]
        } else {
            [0.0; 3]
        }
    }

    fn parts(&self, a: &View) -> (Polar, Quantity, Quantity) {
        let polar = Polar::between(a, 2, 3, 0, 1);
        let (rho, turn) = (polar.length(), polar.followed(a, 0));
        let strand = rho.lift(self.strand(rho.value));
        (polar, strand, turn)
    }
}

impl Constraint for Winch {
    fn kind(&self) -> &'static str {
        "winch"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        check_radius("radius", "radius of the drum", self.radius)?;
        optional_finite("length", self.length, "m")
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let (polar, strand, turn) = self.parts(a);
        polar.add(&strand, 1.0, 0, out);
        polar.add(&turn, -self.side * self.radius, 0, out);
        out.row(0).gap -= self.length.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        let polar = Polar::between(a, 2, 3, 0, 1);
        let rho = polar.length();
        let quantity = if i == 0 { rho.lift(self.free(rho.value)) } else { polar.angle() };
        polar.measure(&quantity, out);
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let (_, strand, turn) = self.parts(a);
        let length = strand.value - self.side * self.radius * turn.value;
        self.length.is_none().then(|| Arc::new(self.clone().length(length)) as Arc<dyn Constraint>)
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Winch {
    let winch = Winch::new(a, b, 0.02 + 0.1 * g.unit());
    if g.unit() < 0.5 { winch } else { winch.other_side() }
}

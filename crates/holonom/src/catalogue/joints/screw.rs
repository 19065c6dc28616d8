//! Screw: b turns about the z axis of a and advances along it in proportion.
//!
//! ```text
//! rows 0-3   C = (x_a . d,  y_a . d,  - y_a . z_b,  x_a . z_b),     d = p_b - p_a       those of the cylindrical joint
//! row 4      C = z_a . d - H angle - const                          H = lead / (2 pi)
//! ```
//!
//! lead in m per turn, positive for a right-handed thread: b turned forwards about z_a advances along z_a. The angle is
//! that from x_a to x_b about z_a, turns counted. Row 4 has the gradient of a force along z and a torque - H about it,
//! so the multiplier is the thrust lambda (N) of a on b along z, and the torque on b about z is - H lambda: a screw
//! without friction.
//!
//! The constant is that of the start pose unless [`Screw::phase`] gives it; with 0, the markers coincide at the
//! angle 0. z_b opposite to z_a satisfies the first rows too; `branch` tells the two apart. Coordinates: the offset z_a
//! . d, and the angle.
//!
//! Chart: the angle u alone, turns counted by the offset, which is phase + H u. The relative twist at p_b is
//! (H u' z_a, u' z_a): phi = (H z, z), read back by psi = (0, z).

use super::lock::{about_z, angle_of};
use super::polar::Polar;
use super::{Chart, Closes, Constraint, CoordinateKind, Glyph, JointDeclaration, PAIR, Rows, check_markers, numbered};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Allowed, FieldType, Invalid, Kind, Make, optional, optional_finite, required};
use crate::error::refuse;
use crate::math::{Mat3, Vec3};
use std::f64::consts::TAU;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "screw",
        summary: "turns about the common z axis and advances along it in proportion. Coordinates: the way, the angle",
        fields: &[
            PAIR,
            &[
                required(
                    "lead",
                    FieldType::Number(Allowed::Any, "m"),
                    "advance per turn; negative for a left-handed thread",
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
            let made = Screw::new(p.a(), p.b(), p.of("lead"));
            Ok(Box::new(p.number("phase").map_or(made.clone(), |x| made.phase(x))))
        }),
    },
    label: "Screw",
    also: &["helical", "thread", "lead-screw"],
    rows: 5,
    coordinates: &[("offset", CoordinateKind::Length), ("angle", CoordinateKind::Angle)],
    glyph: Glyph::Screw,
    closes: Closes::AcrossAxis,
    axis_in_plane: true,
    sample: Some(|a, b, g| Box::new(Screw::new(a, b, g.symmetric(2.0)))),
    ..JointDeclaration::PLAIN
};

/// Turns about the common z axis of two markers and advances by a lead per turn.
#[derive(Clone, Debug)]
pub struct Screw {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 7],
    lead: f64,
    phase: Option<f64>,
}

impl Screw {
    /// `lead` in m per turn, negative for a left-handed thread.
    pub fn new(a: Marker, b: Marker, lead: f64) -> Self {
        Screw { a, b, attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()], lead, phase: None }
    }

    /// Offset (m) at the angle 0. Otherwise that of the start pose.
    pub fn phase(self, offset: f64) -> Self {
        Screw { phase: Some(offset), ..self }
    }
}

impl Constraint for Screw {
    fn kind(&self) -> &'static str {
        "screw"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        5
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        if !self.lead.is_finite() {
            return refuse!("lead", "lead is {} m per turn, must be finite", self.lead);
        }
        optional_finite("phase", self.phase, "m")
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        let (p, q) = (n(0), n(1));
        for i in 0..2 {
            out.along(i, n(2 + i), p, q);
        }
        out.perpendicular(2, -1.0, n(3), n(6));
        out.perpendicular(3, 1.0, n(2), n(6));
        out.along(4, n(4), p, q);
        let turn = Polar::of(a, 2, 3, 5);
        turn.add(&turn.followed(a, 0), -self.lead / TAU, 4, out);
        out.row(4).gap -= self.phase.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.offset(a, 4, 0, 1);
        } else {
            out.angle(a, 2, 3, 5);
        }
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let offset = a.at(4).dot(a.at(1) - a.at(0));
        let phase = offset - self.lead / TAU * Polar::of(a, 2, 3, 5).followed(a, 0).value;
        self.phase.is_none().then(|| Arc::new(self.clone().phase(phase)) as Arc<dyn Constraint>)
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(4).dot(a.at(6))
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Screw {
    fn markers(&self) -> (Marker, Marker) {
        (self.a, self.b)
    }
    fn n_u(&self) -> usize {
        1
    }
    fn n_w(&self) -> usize {
        1
    }
    fn free(&self, _: &[f64], _: usize) -> (Vec3, Vec3) {
        (Vec3::Z * (self.lead / TAU), Vec3::Z)
    }
    fn rate_row(&self, _: &[f64], _: usize) -> (Vec3, Vec3) {
        (Vec3::ZERO, Vec3::Z)
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (Vec3::Z * (self.phase.unwrap_or(0.0) + self.lead / TAU * u[0]), about_z(u[0]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        let angle = angle_of(r);
        let turns = (p.z - self.phase.unwrap_or(0.0)) / self.lead - angle / TAU;
        // without a lead nothing tells the turns
        u[0] = angle + if turns.is_finite() { TAU * libm::round(turns) } else { 0.0 };
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}

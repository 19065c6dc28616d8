//! Worm and wheel: crossed axes. Marker a is on the axis of the worm, b on that of the wheel, at the foot of their
//! common perpendicular.
//!
//! lead = 2 pi H (m per turn of the worm; negative for a left-handed thread), r the pitch radius of the wheel, n the
//! unit vector along the common perpendicular from worm to wheel, eps = sign of n . (z_a × z_b). The angles are those
//! of the bevel gear, relative to the other's axis:
//!
//! ```text
//! alpha   angle of z_b in a's (x, y):  falls when the worm turns forwards       beta   angle of z_a in b's (x, y):  falls with the wheel
//! ```
//!
//! The thread of a right-handed worm is at the height H phi for the body angle phi. At the wheel's side phi falls as
//! the worm turns by theta_a, so the flank there moves along - z_a at the rate H theta_a'. The wheel's rim at P = p_b -
//! r n moves along z_a at z_a . p_b' - eps r theta_b' (axes at right angles). Rim and flank move together:
//!
//! ```text
//! C = z_a . (p_b - p_a) + H theta_a - eps r theta_b - const  =  z_a . d - H alpha + eps r beta - const          theta_a' / theta_b' = eps r / H
//! ```
//!
//! Tooth force for axes at right angles, where dalpha = z_a . (turn of b - turn of a), dbeta = z_b . (turn of a - turn
//! of b), d = D n and z_a × n = - eps z_b:
//!
//! ```text
//! on b   force z_a,    torque about p_b   - eps r z_b - H z_a         (P - p_b) × z_a = - eps r z_b
//! on a   force - z_a,  torque about p_a   - eps (D - r) z_b + H z_a   (P - p_a) × (- z_a) = - eps (D - r) z_b
//! ```
//!
//! So the multiplier is the force along the worm's axis at the pitch point P (N): the thrust of the worm and what
//! drives the wheel. The torque H on the worm is here a couple between worm and wheel. A real flank makes it by a force
//! along the wheel's axis: with the pitch radius r_1 of the worm, (eps H / r_1) z_b . d added to C gives the force eps
//! H / r_1 along z_b on b, its torque on b turns - H z_a into H r / r_1 z_a, and all of it acts at P when D = r + r_1.
//! Give [`Worm::worm_radius`] for that; without it the wheel's bearings feel no thrust.
//!
//! Not modelled: the pressure angle (force along n), friction (so the drive is never self-locking), backlash. At other
//! angles between the axes the ratio r / H is kept as given, but the forces no longer meet in one point. The constant
//! and the side eps are those of the start pose. Singular where the axes are parallel. Coordinates: alpha and beta,
//! turns counted.

use super::bevel::{crossed, crossed_attachments};
use super::gear::check_radius;
use super::{
    AXES_A, AXES_B, Constraint, CoordinateKind, Glyph, JointDeclaration, POINTS, Rows, check_markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Allowed, FieldType, Invalid, Kind, LENGTH, Make, optional, required};
use crate::error::refuse;
use crate::math::SplitMix;
use std::f64::consts::TAU;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "worm",
        summary: "a worm along z of a drives a wheel about z of b, each where their axes are nearest. Coordinates: the angles to the other's axis",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[
                required(
                    "lead",
                    FieldType::Number(Allowed::Any, "m"),
                    "advance per turn of the worm, not 0; negative: left-handed",
                ),
                required("wheel_radius", LENGTH, "pitch radius of the wheel"),
                optional("worm_radius", LENGTH, "no thrust on the wheel", "pitch radius of the worm"),
            ],
        ],
        make: Make::Joint(|p| {
            let lead = p.fitting("lead", |x| x != 0.0, "other than 0 m")?.unwrap_or(0.0);
            let made = Worm::new(p.a(), p.b(), lead, p.of("wheel_radius"));
            Ok(Box::new(p.number("worm_radius").map_or(made.clone(), |x| made.worm_radius(x))))
        }),
    },
    label: "Worm gear",
    coordinates: &[("angle of the worm", CoordinateKind::Angle), ("angle of the wheel", CoordinateKind::Angle)],
    glyph: Glyph::Wheels,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// A worm (first marker) that drives a wheel (second marker), each about its z axis.
#[derive(Clone, Debug)]
pub struct Worm {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 8],
    lead: f64,
    wheel_radius: f64,
    worm_radius: Option<f64>,
    /// eps and the constant.
    start: Option<(f64, f64)>,
}

impl Worm {
    /// `lead` in m per turn of the worm (all starts of the thread), negative if left-handed; pitch radius of the wheel
    /// in m.
    pub fn new(worm: Marker, wheel: Marker, lead: f64, wheel_radius: f64) -> Self {
        let attachments = crossed_attachments(&worm, &wheel);
        Worm { a: worm, b: wheel, attachments, lead, wheel_radius, worm_radius: None, start: None }
    }

    /// Pitch radius of the worm (m): the teeth then also push the wheel along its axis.
    pub fn worm_radius(self, radius: f64) -> Self {
        Worm { worm_radius: Some(radius), ..self }
    }

    fn side(&self, a: &View) -> f64 {
        let now = || if a.at(2).cross(a.at(3)).dot(a.at(1) - a.at(0)) < 0.0 { -1.0 } else { 1.0 };
        self.start.map_or_else(now, |s| s.0)
    }

    /// Slope of the thread at the worm's radius, with eps.
    fn thrust(&self, side: f64) -> f64 {
        self.worm_radius.map_or(0.0, |r| side * self.lead / (TAU * r))
    }
}

impl Constraint for Worm {
    fn kind(&self) -> &'static str {
        "worm"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        if !(self.lead.is_finite() && self.lead != 0.0) {
            return refuse!("lead", "lead is {} m per turn, must be finite and not 0", self.lead);
        }
        check_radius("wheel_radius", "pitch radius of the wheel", self.wheel_radius)?;
        self.worm_radius.map_or(Ok(()), |r| check_radius("worm_radius", "pitch radius of the worm", r))
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let (n, side) = (|k| numbered(a, k), self.side(a));
        out.along(0, n(2), n(0), n(1));
        let thrust = self.thrust(side);
        if thrust != 0.0 {
            let (p, q, z) = (a.get(0), a.get(1), a.get(3));
            let d = q.at - p.at;
            out.row(0).gap += thrust * z.at.dot(d);
            out.row(0).curvature += 2.0 * thrust * z.rate.dot(q.rate - p.rate);
            out.gradient(0, 3, d * thrust);
            out.gradient(0, 1, z.at * thrust);
            out.gradient(0, 0, z.at * -thrust);
        }
        let [worm, wheel] = crossed(a);
        worm.add(&worm.followed(a, 0), -self.lead / TAU, 0, out);
        wheel.add(&wheel.followed(a, 1), side * self.wheel_radius, 0, out);
        out.row(0).gap -= self.start.map_or(0.0, |s| s.1);
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
        if self.start.is_some() {
            return None;
        }
        let (side, [worm, wheel]) = (self.side(a), crossed(a));
        let along = (a.at(2) + a.at(3) * self.thrust(side)).dot(a.at(1) - a.at(0));
        let turns = side * self.wheel_radius * wheel.followed(a, 1).value - self.lead / TAU * worm.followed(a, 0).value;
        Some(Arc::new(Worm { start: Some((side, along + turns)), ..self.clone() }))
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Worm {
    let worm = Worm::new(a, b, 0.1 + g.unit(), 0.2 + g.unit());
    if g.unit() < 0.3 { worm } else { worm.worm_radius(0.2 + g.unit()) }
}

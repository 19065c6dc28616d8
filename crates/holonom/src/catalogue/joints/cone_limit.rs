//! Cone limit: the z axes of a and b never lean apart by more than an angle theta: the swing of a ball joint, or of
//! anything else.
//!
//! With e and f the unit vectors along z_a and z_b:
//!
//! ```text
//! C = (e . f - cos theta) / sin theta >= 0          multiplier >= 0: the torque (N m) that pushes the axes together
//! ```
//!
//! To first order C is theta less the angle between the axes (rad). It is the row of [`super::PerpendicularAxes`] with
//! the other sign, and is as smooth where the axes are parallel: its gradient vanishes there, far from where it acts.
//! It only limits the swing; a [`super::Limit`] on the turn of a joint with a coordinate limits twist. Axes that arrive
//! at the limit at speed come back with `restitution` times that speed.

use super::{
    AXES_A, AXES_B, Chart, Constraint, Glyph, JointDeclaration, JointRole, POINTS, PerpendicularAxes, RowLaw, Rows,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{ANGLE, Invalid, Kind, Make, between_0_and_1, required};
use std::f64::consts::PI;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "cone-limit",
        summary: "keeps the z axis of b in a cone about the z axis of a: the swing of a ball joint",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[required("angle", ANGLE, "half angle of the cone, greater than 0 and less than pi")],
        ],
        make: Make::Joint(|p| {
            let angle = p.fitting("angle", |x| x > 0.0 && x < PI, "greater than 0 and less than pi, rad")?;
            let cone = ConeLimit::new(p.a(), p.b(), angle.unwrap_or(f64::NAN));
            Ok(Box::new(cone.restitution(p.of("restitution"))))
        }),
    },
    label: "Cone limit",
    role: JointRole::Inequality,
    glyph: Glyph::Cone,
    sample: Some(|a, b, g| Box::new(ConeLimit::new(a, b, 0.5 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// Keeps the angle between two axes below a limit.
#[derive(Clone, Debug)]
pub struct ConeLimit {
    axes: PerpendicularAxes,
    restitution: f64,
}

impl ConeLimit {
    /// The z axis of `b` stays in the cone of half angle `angle` (rad) about the z axis of `a`; at least 0.001 from 0
    /// and from pi.
    pub fn new(a: Marker, b: Marker, angle: f64) -> Self {
        ConeLimit { axes: PerpendicularAxes::new(a, b).angle(angle), restitution: 0.0 }
    }

    /// The part of the speed that comes back from the limit, 0 to 1.
    pub fn restitution(self, restitution: f64) -> Self {
        ConeLimit { restitution, ..self }
    }
}

impl Constraint for ConeLimit {
    fn kind(&self) -> &'static str {
        "cone-limit"
    }
    fn attachments(&self) -> &[Attachment] {
        self.axes.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = self.axes.markers();
        super::check_markers(&a, &b)?;
        // without the advice to use another joint
        self.axes.validate().map_err(|e| match e.reason.split_once(" (") {
            Some((reason, _)) => Invalid::new(e.field, reason),
            None => e,
        })?;
        between_0_and_1("restitution", self.restitution)
    }
    fn law(&self) -> RowLaw {
        RowLaw::Unilateral
    }
    fn restitution(&self) -> f64 {
        self.restitution
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        self.axes.rows(a, t, out);
        let row = out.row(0);
        (row.gap, row.curvature) = (-row.gap, -row.curvature);
        out.gradients[..8].iter_mut().for_each(|g| *g = -*g);
    }
}

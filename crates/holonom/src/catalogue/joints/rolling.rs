//! Rolling: two smooth surfaces, fixed to a and b, touch and do not slip.
//!
//! They touch as in the [tangency](super::SurfaceTangency): the point y of a and the point z = y + C n of b face each
//! other along the normal n of a, and the gap C vanishes. Where they touch, the material points of the two bodies have
//! the same velocity:
//!
//! ```text
//! C                                                              position row; its multiplier is the normal force (N)
//! slip = v_b + w_b × (z - p_b) - v_a - w_a × (y - p_a)           of the point of b against that of a
//! a_1  = t_1 . slip,    a_2 = t_2 . slip                         velocity rows: nonholonomic; multipliers are friction (N)
//! ```
//!
//! t_1 is x_a without its part along n, or y_a where x_a is within 37 degrees of n, and t_2 = n × t_1. Which of the two
//! depends on the pose alone; where it changes, the two rows turn in their plane, and the force they make does not.
//! (The axis that leans most would be another choice: on a plane two of them lean alike, and rounding would choose.)
//! The rate of the rows needs that of y, z and n, which the derivatives of the touching point give.
//!
//! Spin about the normal is free. Both bodies may move: a ball in a bowl that tilts, an egg on a log. Singular where
//! the tangency is: where surfaces have no single nearest pair. With a plane and a sphere it is the [rolling
//! sphere](super::RollingSphere); a disc has an edge and no smooth surface, and a joint of its own.

use super::tangency::{TOUCHING, check_touch, gap_row, given_surfaces, sample_surfaces};
use super::{AXES_A, AXES_B, Constraint, Glyph, JointDeclaration, Level, POINTS, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, Kind, Make};
use crate::catalogue::surfaces::Surface;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rolling",
        summary: "two smooth surfaces touch and roll on each other without slipping; spin about the normal is free",
        fields: &[POINTS, AXES_A, AXES_B, TOUCHING],
        make: Make::Joint(|p| {
            let [on_a, on_b] = given_surfaces(p)?;
            Ok(Box::new(SurfaceRolling::new(p.a(), on_a, p.b(), on_b)))
        }),
    },
    label: "Rolling",
    rows: 3,
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| {
        let [on_a, on_b] = sample_surfaces(g);
        Box::new(SurfaceRolling::new(a, on_a, b, on_b))
    }),
    ..JointDeclaration::PLAIN
};

/// Tangents are made from x of a up to this cosine between it and the normal.
const STEEP: f64 = 0.8;

/// Two smooth surfaces, fixed to markers a and b, that roll on each other without slipping.
#[derive(Clone)]
pub struct SurfaceRolling {
    attachments: [Attachment; 10],
    markers: [Marker; 2],
    surfaces: [Arc<dyn Surface>; 2],
}

impl SurfaceRolling {
    /// Each surface lies in the axes of its marker. For a ball in a bowl, one of them is
    /// [`crate::catalogue::surfaces::Inside`].
    pub fn new(a: Marker, on_a: impl Surface + 'static, b: Marker, on_b: impl Surface + 'static) -> Self {
        SurfaceRolling {
            attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), a.spin(), b.spin()],
            markers: [a, b],
            surfaces: [Arc::new(on_a), Arc::new(on_b)],
        }
    }
}

impl Constraint for SurfaceRolling {
    fn kind(&self) -> &'static str {
        "rolling"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_touch(&self.markers, &self.surfaces)
    }
    fn level(&self, i: usize) -> Level {
        if i == 0 { Level::Position } else { Level::Velocity }
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let Some(nearest) = gap_row(&self.surfaces, a, t, out) else { return };
        out.write_rates::<10, 2>(1, a, t, |[p, q, x, y, z, i, j, k, spin_a, spin_b], _| {
            let at = [p, q, x, y, z, i, j, k].map(|m| m.at);
            let (on_a, n, gap) = nearest.follow(&self.surfaces, at);
            let on_b = on_a + n * gap;
            let slip = q.rate + spin_b.rate.cross(on_b - q.at) - p.rate - spin_a.rate.cross(on_a - p.at);
            let axis = if x.at.dot(n).value.abs() <= STEEP { x.at } else { y.at };
            let first = (axis - n * axis.dot(n)).normalize();
            [first.dot(slip), n.cross(first).dot(slip)]
        });
    }
}

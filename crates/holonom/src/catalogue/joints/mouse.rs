//! Mouse: a hand that pulls a point towards a target which may be moved while the simulation runs.
//!
//! The point p follows the target h as a critically damped oscillator would, whatever mass hangs on it:
//!
//! ```text
//! pddot + 2 w pdot + w² (p - h) = 0,     w = 1 / time constant       (rows on accelerations: J = 1, c = jdot_v + 2 w pdot + w² (p - h))
//! ```
//!
//! enforced exactly, together with all joints, by the force that is its multiplier. Nothing is stiff and nothing is
//! tuned: the mechanism follows with the given time constant. A target that jumps makes the force jump, not the
//! velocity. Under the law f = m v the point follows as pdot = - w (p - h).
//!
//! The force may be capped, |force| <= cap: then the hand pulls as hard as it may and the point comes as it can, with
//! the rest of the mechanism in the way. A hand with a cap cannot break anything.
//!
//! The target is an input from outside, like a function of time: it is not part of the state and not in snapshots.

use super::{Constraint, JointDeclaration, JointRole, Level, RowLaw, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, Kind, Make, positive};
use crate::error::refuse;
use crate::math::{Vec3, vec3};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind { name: "mouse", summary: "a hand pulls a point towards a target", fields: &[], make: Make::Elsewhere },
    label: "Hand",
    role: JointRole::Drive,
    rows: 3,
    sample: Some(|_, b, g| Box::new(Mouse::new(b, 0.05 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// A hand on a point.
#[derive(Clone, Debug)]
pub struct Mouse {
    attachments: [Attachment; 1],
    time_constant: f64,
    target: MouseTarget,
    cap: f64,
}

/// Where a [`Mouse`] pulls to. Clones name the same target.
#[derive(Clone, Debug)]
pub struct MouseTarget(Arc<[AtomicU64; 3]>);

impl MouseTarget {
    /// Move the target, world (m).
    pub fn set(&self, target: impl Into<Vec3>) {
        let target = target.into();
        for (slot, x) in self.0.iter().zip(target.to_array()) {
            slot.store(x.to_bits(), Ordering::Relaxed);
        }
    }

    /// Where it is, world (m).
    pub fn get(&self) -> Vec3 {
        let x = |i: usize| f64::from_bits(self.0[i].load(Ordering::Relaxed));
        vec3(x(0), x(1), x(2))
    }
}

impl Mouse {
    /// Take hold of a point. It follows its [target](Mouse::target) with this time constant (s); 0.05 suits a hand.
    pub fn new(point: Marker, time_constant: f64) -> Self {
        let unset = || AtomicU64::new(f64::NAN.to_bits());
        let target = MouseTarget(Arc::new([unset(), unset(), unset()]));
        Mouse { attachments: [point.p()], time_constant, target, cap: f64::INFINITY }
    }

    /// Take hold of a point and pull it towards a target that exists already.
    pub fn with_target(point: Marker, time_constant: f64, target: MouseTarget) -> Self {
        Mouse { attachments: [point.p()], time_constant, target, cap: f64::INFINITY }
    }

    /// Pull with at most this force, N.
    pub fn cap(self, cap: f64) -> Self {
        Mouse { cap, ..self }
    }

    /// The target, to be moved. As long as nobody has, it is where the point was when the mouse took hold.
    pub fn target(&self) -> MouseTarget {
        self.target.clone()
    }
}

impl Constraint for Mouse {
    fn kind(&self) -> &'static str {
        "mouse"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("time constant", self.time_constant, "s")?;
        if self.cap > 0.0 { Ok(()) } else { refuse!("", "cap is {} N, must be greater than 0", self.cap) }
    }
    fn level(&self, _: usize) -> Level {
        Level::Acceleration
    }
    fn law(&self) -> RowLaw {
        if self.cap.is_finite() { RowLaw::Ball { radius: self.cap } } else { RowLaw::Equality }
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        let (p, w) = (a.get(0), 1.0 / self.time_constant);
        let off = (p.at - self.target.get()) * w;
        for (i, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            out.gradient(i, 0, e);
            let row = out.row(i);
            row.gap = off[i] / w;
            row.rate_t = off[i];
            row.curvature = 2.0 * w * p.rate[i] + w * off[i];
        }
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        if self.target.get().is_nan() {
            self.target.set(a.at(0));
        }
        None
    }
}

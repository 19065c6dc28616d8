//! Constraints: conditions on bodies.
//!
//! A constraint is a set of rows written against attachments. For each row it gives
//!
//! ```text
//! gap         C: how far the condition is from holding (m, rad or a pure number); absent in a nonholonomic row
//! gradient    g_k = dC/d(attachment k): the engine turns it into the Jacobian through each body's `pull`
//! rate_t      C_t, for rows that depend on time
//! curvature   what is left of d²C/dt² after `sum_k g_k . (second derivative of attachment k)`: the part quadratic in the
//!             attachments' rates, plus 2 C_qt v + C_tt
//! ```
//!
//! so that  dC/dt = sum_k g_k . rate_k + C_t   and   c = sum_k g_k . jdot_v_k + curvature   (notation.md, eq. 2).
//! A body kind is never named here, and no solver names a joint.

use super::{Attachment, Chart, Coordinate, Lock, LockShape, Measure, Rows, View};
use crate::error::Invalid;
use crate::math::Mat3;
use std::sync::Arc;

/// Which multipliers a row allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// The row holds exactly; its multiplier has any sign.
    Equality,
    /// The gap may open (>= 0); the multiplier only pushes (>= 0).
    Unilateral,
    /// The multiplier stays within bounds (N or N m); where it reaches one, the row gives way. For rows on velocities
    /// or accelerations.
    Bounded {
        /// Smallest multiplier.
        least: f64,
        /// Largest multiplier.
        most: f64,
    },
    /// All rows together are one force, not longer than this (N or N m). At most three rows, on velocities or
    /// accelerations.
    Ball {
        /// Largest length.
        radius: f64,
    },
    /// Friction in the joint of the first coordinate it reads: |multiplier| <= constant + lever |force that joint
    /// transmits|. Rows on velocities.
    Dry {
        /// N or N m.
        constant: f64,
        /// A pure number, or m.
        lever: f64,
    },
}

/// What a row is a condition on, and so what is corrected when it drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Positions: `C(q, t) = 0`.
    Position,
    /// Velocities only, not to be had as the derivative of a gap (nonholonomic): rolling, a blade, a speed. Its `gap`
    /// is not looked at.
    Velocity,
    /// Accelerations only: `J vdot + c = 0`, with whatever c the row says. Neither gap nor rate is corrected.
    Acceleration,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// Metres.
    Length,
    /// Radians; the engine counts turns.
    Angle,
}

/// Sizes of what gaps are differences of: their rounding is 2^-52 times these.
#[derive(Clone, Copy, Debug, Default)]
pub struct GapSizes {
    /// Given: size (m) and speed (m/s) of what the positions of attachments 0 and 1 are made of.
    pub points: [(f64, f64); 2],
    /// Wanted, row by row: the sum over all terms of a gap, and of its rate.
    pub rows: [(f64, f64); 6],
    /// Wanted: the fastest turn of a direction that is read, rad/s.
    pub fastest: f64,
}

/// A condition on bodies. What a kind must say are the first four methods; everything else has a default.
pub trait Constraint: Send + Sync {
    /// Name of the kind, as in the table and in messages.
    fn kind(&self) -> &'static str;
    /// What it touches, the same at every call. Attachments 0 and 1 name the bodies a and b of the reaction's sign.
    fn attachments(&self) -> &[Attachment];
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// Fill in the rows at the current state. Gradients start at zero.
    fn rows(&self, a: &View, t: f64, out: &mut Rows);

    // ---- parameters ---------------------------------------------------------------------------------------------

    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    /// The same constraint with what was left open (the phase of a gear) taken from the pose it starts in, if anything
    /// was.
    fn settled(&self, _a: &View) -> Option<Arc<dyn Constraint>> {
        None
    }

    // ---- what its rows are, the same at every call --------------------------------------------------------------

    /// Gaps and their rates, row by row, as [`Constraint::rows`] has them, for those who want nothing else; for at
    /// most six rows. With `sizes`, also what rounding makes of them. `false`: they are found only there.
    fn gaps(&self, _a: &View, _out: &mut [(f64, f64)], _sizes: Option<&mut GapSizes>) -> bool {
        false
    }
    /// What row `i` is a condition on.
    fn level(&self, _i: usize) -> Level {
        Level::Position
    }
    /// Does it depend on time?
    fn rheonomic(&self) -> bool {
        false
    }
    /// Which multipliers its rows allow.
    fn law(&self) -> RowLaw {
        RowLaw::Equality
    }
    /// Is it an inequality so far from acting that it will not within the time `h`, s, unless something hits hard?
    /// Those who look again where the step ends may leave it out.
    fn is_far(&self, _a: &View, _h: f64) -> bool {
        false
    }
    /// The part of the speed of approach that comes back when a unilateral row closes, 0 to 1.
    fn restitution(&self) -> f64 {
        0.0
    }
    /// Do its rows push along directions of their own (`Rows::force`) instead of their gradients?
    fn own_force_direction(&self) -> bool {
        false
    }
    /// Index of the attachment on body b at which the reaction is reported.
    fn reference(&self) -> usize {
        1.min(self.attachments().len().saturating_sub(1))
    }
    /// Positive when the pose is on the intended side of a condition that has two (an axis that may point either way).
    fn branch(&self, _a: &View) -> f64 {
        1.0
    }

    // ---- coordinates --------------------------------------------------------------------------------------------

    /// Its coordinates: what drives, gears and springs act on.
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[]
    }
    /// Coordinate `i`: value (angles within one turn), gradient and curvature.
    fn measure(&self, _a: &View, _i: usize, _out: &mut Measure) {}
    /// Does it need to know which turn its own angles are on (see [`View::follow`])?
    fn follows_turns(&self) -> bool {
        false
    }
    /// Coordinates of other joints that it uses.
    fn reads(&self) -> &[Coordinate] {
        &[]
    }

    // ---- shorter ways for the solvers ---------------------------------------------------------------------------

    /// The lock-row door: its rows are lock rows of this shape. It is then called through `lock` between rigid bodies,
    /// which is faster.
    fn lock_shape(&self) -> Option<LockShape> {
        None
    }
    /// The lock at this state; called only when `lock_shape` is `Some` and both bodies are rigid.
    fn lock(&self, a: &View) -> Lock {
        Lock::at_common_point(a, Mat3::IDENTITY)
    }
    /// Is its lock at every state that of [`Lock::at_common_point`] where all translations are held, else that of
    /// [`Lock::in_first`], with axes that body a carries, or the world's? Its derivatives are then known.
    fn lock_is_plain(&self) -> bool {
        false
    }
    /// Integration in joint coordinates: the joint as a motion with parameters of its own, where it has one.
    fn chart(&self) -> Option<&dyn Chart> {
        None
    }
}

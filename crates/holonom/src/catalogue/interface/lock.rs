//! The lock-row door: joints that hold some of the six relative directions of two rigid bodies at a point, in a form
//! that the solvers use directly.

use super::{Mask, View};
use crate::math::{Mat3, Vec3};

/// The lock-row door, static part: which of the six relative directions of two rigid bodies are held.
#[derive(Clone, Copy, Debug)]
pub struct LockShape {
    /// Held directions: bits 0-2 translation along the axes, bits 3-5 rotation about them.
    pub mask: Mask,
    /// The axes are the world's.
    pub aligned: bool,
}

impl LockShape {
    /// Is it `C = p_b - p_a` for attachments 0 and 1, along the world's axes, and nothing else? Its gaps are then found
    /// without asking for rows.
    pub fn is_coincidence(self) -> bool {
        self.aligned && self.mask == Mask::FIRST_THREE
    }
}

/// The lock-row door at one state. Body a is that of attachment 0, body b that of attachment 1; both twists are taken
/// at one point, p_b.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// From the reference point of body a to p_b, world axes (m).
    pub arm_a: Vec3,
    /// From the reference point of body b to p_b, world axes (m).
    pub arm_b: Vec3,
    /// Columns: the axes of the mask, orthonormal, world axes.
    pub axes: Mat3,
    /// Acceleration term of the translation rows: row k has `c = axes[k] . c_linear`.
    pub c_linear: Vec3,
    /// Acceleration term of the rotation rows.
    pub c_angular: Vec3,
}

impl Lock {
    /// Axes fixed to body a, points p_a and p_b (attachments 0 and 1) that may be apart. With u the relative velocity
    /// at p_b:
    ///
    /// ```text
    /// rows   e . (v_b + w_b × r_b - v_a - w_a × r_a),    e . (w_b - w_a),     e turns with w_a, the point moves with b
    /// c_linear  = w_b × (w_b × r_b) - w_a × (w_a × r_a) - 2 w_a × u
    /// c_angular = w_b × w_a
    /// ```
    #[inline(always)]
    pub fn in_first(a: &View, axes: Mat3) -> Lock {
        let (fa, fb) = (a.frame(0), a.frame(1));
        let arm_b = a.arm(1);
        let arm_a = (fb.x - fa.x) + arm_b;
        let wra = fa.w.cross(arm_a);
        let wrb = fb.w.cross(arm_b);
        let u = fb.v + wrb - fa.v - wra;
        let c_linear = fb.w.cross(wrb) - fa.w.cross(wra + 2.0 * u);
        Lock { arm_a, arm_b, axes, c_linear, c_angular: fb.w.cross(fa.w) }
    }

    /// World axes, for joints that hold the three translations and nothing else.
    #[inline(always)]
    pub fn at_point_only(a: &View) -> Lock {
        let (fa, fb) = (a.frame(0), a.frame(1));
        let (arm_a, arm_b) = (a.arm(0), a.arm(1));
        let c_linear = fb.w.cross(fb.w.cross(arm_b)) - fa.w.cross(fa.w.cross(arm_a));
        Lock { arm_a, arm_b, axes: Mat3::IDENTITY, c_linear, c_angular: Vec3::ZERO }
    }

    /// Axes fixed to body a or of the world, for joints that hold all three translations: p_a and p_b coincide, each
    /// arm is taken to its own body's point (no difference of large positions), and the relative velocity there is
    /// zero.
    #[inline(always)]
    pub fn at_common_point(a: &View, axes: Mat3) -> Lock {
        let (fa, fb) = (a.frame(0), a.frame(1));
        Lock { axes, c_angular: fb.w.cross(fa.w), ..Lock::at_point_only(a) }
    }
}

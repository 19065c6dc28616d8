//! Gradients of the contracted equations in closed form: of rigid bodies, and of plain locks, which most joints are.
//!
//! Every pose is displaced by `(dx, theta)`, world axes: what a body carries, `r`, changes by `theta × r`, and its
//! inertia I by `[theta]× I - I [theta]×`. With weights b (velocities that multiply forces), a (accelerations):
//!
//! ```text
//! body    S = b . (m g - w × I w) - b . M a            (linear parts do not depend on the pose)
//!         dS/dtheta = - (I alpha × b + I b × alpha) - (I w × u + I u × w),    u = b × w
//!         dS/dw     = - (I w × b + I u)
//!
//! lock    B(mu; b) = L . (v_b + w_b × r_b - v_a - w_a × r_a) + N . (w_b - w_a),   v, w: the twists in b;
//!                                                      L, N: force and torque of the multipliers mu along the axes
//!         axes carried by a turn L and N with it:      dB/dtheta_a += L × (..) + N × (..)
//!         of an arm, with X = L × w:                   dB/dr = X,  so dB/dtheta = r × X for an arm that turns,
//!                                                      and ± X along x where it is a difference of positions
//!
//! c       n . (w × (w × r)) of an arm:                 by r: (n × w) × w,    by w: (w × r) × n + r × (n × w)
//!         - 2 n . (w_a × u)                            by w_a: - 2 u × n,    by u: - 2 n × w_a
//!         n . (w_b × w_a)                              by w_b: w_a × n,      by w_a: n × w_b
//! ```

use crate::catalogue::attach::Frame;
use crate::math::{Mat3, Vec3, vec3};
use holonom_tree::Mask;

/// Derivatives by displacement and velocity of one rigid body: linear, angular.
#[derive(Clone, Copy, Default)]
pub(super) struct Slopes {
    pub x: Vec3,
    pub theta: Vec3,
    pub v: Vec3,
    pub w: Vec3,
}

/// The velocity coordinates of a rigid body, of whatever they are weights.
#[derive(Clone, Copy, Default)]
pub(super) struct Twist {
    pub v: Vec3,
    pub w: Vec3,
}

impl Twist {
    #[inline(always)]
    pub fn read(x: &[f64]) -> Twist {
        Twist { v: vec3(x[0], x[1], x[2]), w: vec3(x[3], x[4], x[5]) }
    }
}

#[inline(always)]
fn times(i: &[f64], x: Vec3) -> Vec3 {
    vec3(
        i[0] * x.x + i[1] * x.y + i[2] * x.z,
        i[1] * x.x + i[3] * x.y + i[4] * x.z,
        i[2] * x.x + i[4] * x.y + i[5] * x.z,
    )
}

/// `- w × I w`, which every rigid body about its centre of mass has.
pub(super) fn gyroscopic(inertia: &[f64], w: Vec3) -> Vec3 {
    -w.cross(times(inertia, w))
}

/// Of a rigid body about its centre of mass, `inertia` packed in world axes; gyroscopic forces where they are `moving`.
#[inline(always)]
pub(super) fn body(inertia: &[f64], (b, a): (Twist, Twist), w: Vec3, moving: bool, out: &mut Slopes) {
    let (ib, ia) = (times(inertia, b.w), times(inertia, a.w));
    out.theta -= ia.cross(b.w) + ib.cross(a.w);
    if moving {
        let u = b.w.cross(w);
        let (iw, iu) = (times(inertia, w), times(inertia, u));
        out.theta -= iw.cross(u) + iu.cross(w);
        out.w -= iw.cross(b.w) + iu;
    }
}

/// A plain lock at one pose.
pub(super) struct PlainLock {
    pub arm_a: Vec3,
    pub arm_b: Vec3,
    pub axes: Mat3,
    /// Axes of the world: they do not turn.
    pub aligned: bool,
    /// The arm of a reaches to the point of b.
    pub across: bool,
    pub mask: Mask,
}

/// Force and torque of multipliers along the axes.
type Pushes = (Vec3, Vec3);

impl PlainLock {
    /// Multipliers along the axes that are held, as force and torque.
    #[inline(always)]
    pub fn pushes(&self, multipliers: &[f64]) -> Pushes {
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        let axes = [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis];
        let mut row = 0;
        for k in 0..6 {
            if self.mask.keeps(k) {
                let push = axes[k % 3] * multipliers[row];
                if k < 3 {
                    force += push;
                } else {
                    torque += push;
                }
                row += 1;
            }
        }
        (force, torque)
    }

    /// By an arm: it turns with its body, or is a difference of positions.
    #[inline(always)]
    fn by_arms(&self, (by_a, by_b): (Vec3, Vec3), a: &mut Slopes, b: &mut Slopes) {
        if self.across {
            // arm_a = x_b - x_a + arm_b
            b.x += by_a;
            a.x -= by_a;
            b.theta += self.arm_b.cross(by_a + by_b);
        } else {
            a.theta += self.arm_a.cross(by_a);
            b.theta += self.arm_b.cross(by_b);
        }
    }

    #[inline(always)]
    fn turn_axes(&self, push: Pushes, with: (Vec3, Vec3), a: &mut Slopes) {
        if !self.aligned {
            a.theta += push.0.cross(with.0) + push.1.cross(with.1);
        }
    }

    /// Of `mu . J x`, with x the twists of a and b.
    #[inline(always)]
    pub fn rows(&self, push: Pushes, (of_a, of_b): (Twist, Twist), a: &mut Slopes, b: &mut Slopes) {
        let force = push.0;
        let at_b = of_b.v + of_b.w.cross(self.arm_b) - of_a.v - of_a.w.cross(self.arm_a);
        self.turn_axes(push, (at_b, of_b.w - of_a.w), a);
        self.by_arms((-force.cross(of_a.w), force.cross(of_b.w)), a, b);
    }

    /// Of `nu . c`.
    pub fn accelerations(&self, push: Pushes, (fa, fb): (&Frame, &Frame), a: &mut Slopes, b: &mut Slopes) {
        let (n, torque) = push;
        let (wa, wb) = (fa.w, fb.w);
        let (wra, wrb) = (wa.cross(self.arm_a), wb.cross(self.arm_b));
        let mut linear = wb.cross(wrb) - wa.cross(wra);
        // n . (w × (w × r)) of both arms
        let mut by_arms = (-n.cross(wa).cross(wa), n.cross(wb).cross(wb));
        a.w -= wra.cross(n) + self.arm_a.cross(n.cross(wa));
        b.w += wrb.cross(n) + self.arm_b.cross(n.cross(wb));
        if self.across {
            let u = fb.v + wrb - fa.v - wra;
            linear -= wa.cross(2.0 * u);
            let by_u = -2.0 * n.cross(wa);
            a.w -= 2.0 * u.cross(n) + self.arm_a.cross(by_u);
            a.v -= by_u;
            b.v += by_u;
            b.w += self.arm_b.cross(by_u);
            by_arms.0 -= by_u.cross(wa);
            by_arms.1 += by_u.cross(wb);
        }
        self.by_arms(by_arms, a, b);
        b.w += wa.cross(torque);
        a.w += torque.cross(wb);
        self.turn_axes(push, (linear, wb.cross(wa)), a);
    }
}

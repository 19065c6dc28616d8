//! Constraints: the trait, the parts joints are made of, and the table of joints.
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
//!
//! A joint is one file and one line in [`TABLE`], or in [`RELATIONS`] where it does not hold two markers together.

mod belt;
mod bevel;
mod cone_limit;
mod constant_velocity;
mod coupler;
mod cylindrical;
mod differential;
mod distance;
mod dry_friction;
mod gear;
mod knife_edge;
mod limit;
mod motor;
mod mouse;
mod oldham;
mod orientation;
mod parallel_axes;
mod perpendicular_axes;
mod pin_slot;
mod planar;
mod point_on_curve;
mod point_on_line;
mod point_on_plane;
mod point_on_surface;
mod polar;
mod prescribed_point;
mod prismatic;
mod rack;
mod reeving;
mod revolute;
mod rolling_disc;
mod rolling_sphere;
mod rope;
mod rotor_gear;
mod sample;
mod screw;
mod serial;
mod servo;
mod spherical;
mod tangency;
mod universal;
mod velocity_ratio;
mod weld;
mod winch;
mod worm;

pub use belt::Belt;
pub use bevel::BevelGear;
pub use cone_limit::ConeLimit;
pub use constant_velocity::ConstantVelocity;
pub use coupler::Coupler;
pub use cylindrical::Cylindrical;
pub use differential::Differential;
pub use distance::Distance;
pub use dry_friction::DryFriction;
pub use gear::Gear;
pub use knife_edge::KnifeEdge;
pub use limit::Limit;
pub use motor::Motor;
pub use mouse::{Mouse, MouseTarget};
pub use oldham::Oldham;
pub use orientation::OrientationLock;
pub use parallel_axes::ParallelAxes;
pub use perpendicular_axes::PerpendicularAxes;
pub use pin_slot::PinSlot;
pub use planar::PlanarJoint;
pub use point_on_curve::PointOnCurve;
pub use point_on_line::PointOnLine;
pub use point_on_plane::PointOnPlane;
pub use point_on_surface::PointOnSurface;
pub use prescribed_point::PrescribedPoint;
pub use prismatic::Prismatic;
pub use rack::RackAndPinion;
pub use reeving::Reeving;
pub use revolute::Revolute;
pub use rolling_disc::RollingDisc;
pub use rolling_sphere::RollingSphere;
pub use rope::Rope;
pub use rotor_gear::RotorGear;
pub use screw::Screw;
pub use serial::{Freedom, Serial};
pub use servo::Servo;
pub use spherical::Spherical;
pub use tangency::SurfaceTangency;
pub use universal::Universal;
pub use velocity_ratio::VelocityRatio;
pub use weld::Weld;
pub use winch::Winch;
pub use worm::Worm;

use crate::catalogue::attach::{Attached, Attachment, Carried, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Measure};
use crate::math::{Mat3, SplitMix, Vec3, vec3};
pub use holonom_tree::Mask;
use std::sync::Arc;

/// Which multipliers a row allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// The row holds exactly; its multiplier has any sign.
    Equality,
    /// The gap may open (>= 0); the multiplier only pushes (>= 0).
    Unilateral,
    /// The multiplier stays within bounds (N or N m); where it reaches one, the row gives way. For rows on velocities or accelerations.
    Bounded {
        /// Smallest multiplier.
        least: f64,
        /// Largest multiplier.
        most: f64,
    },
    /// All rows together are one force, not longer than this (N or N m). At most three rows, on velocities or accelerations.
    Ball {
        /// Largest length.
        radius: f64,
    },
    /// Friction in the joint of the first coordinate it reads: |multiplier| <= constant + lever |force that joint transmits|. Rows on velocities.
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
    /// Velocities only, not to be had as the derivative of a gap (nonholonomic): rolling, a blade, a speed. Its `gap` is not looked at.
    Velocity,
    /// Accelerations only: `J vdot + c = 0`, with whatever c the row says. Neither gap nor rate is corrected.
    Acceleration,
}

/// The lock-row door, static part: which of the six relative directions of two rigid bodies are held.
#[derive(Clone, Copy, Debug)]
pub struct LockShape {
    /// Held directions: bits 0-2 translation along the axes, bits 3-5 rotation about them.
    pub mask: Mask,
    /// The axes are the world's.
    pub aligned: bool,
}

/// The lock-row door at one state. Body a is that of attachment 0, body b that of attachment 1; both twists are taken at one point, p_b.
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
    /// Axes fixed to body a, points p_a and p_b (attachments 0 and 1) that may be apart. With u the relative velocity at p_b:
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

    /// Axes fixed to body a or of the world, for joints that hold all three translations: p_a and p_b coincide, each arm is taken to its own
    /// body's point (no difference of large positions), and the relative velocity there is zero.
    #[inline(always)]
    pub fn at_common_point(a: &View, axes: Mat3) -> Lock {
        let (fa, fb) = (a.frame(0), a.frame(1));
        Lock { axes, c_angular: fb.w.cross(fa.w), ..Lock::at_point_only(a) }
    }
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// Metres.
    Length,
    /// Radians; the engine counts turns.
    Angle,
}

/// A condition on bodies.
pub trait Constraint: Send + Sync {
    /// Name of the kind, as in the table and in messages.
    fn kind(&self) -> &'static str;
    /// What it touches, the same at every call. Attachments 0 and 1 name the bodies a and b of the reaction's sign.
    fn attachments(&self) -> &[Attachment];
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
    /// Fill in the rows at the current state. Gradients start at zero.
    fn rows(&self, a: &View, t: f64, out: &mut Rows);
    /// What row `i` is a condition on, the same at every call.
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
    /// The part of the speed of approach that comes back when a unilateral row closes, 0 to 1.
    fn restitution(&self) -> f64 {
        0.0
    }
    /// Do its rows push along directions of their own (`Rows::force`) instead of their gradients?
    fn own_force_direction(&self) -> bool {
        false
    }
    /// The lock-row door. A joint that offers it is called through `lock` between rigid bodies, which is faster.
    fn lock_shape(&self) -> Option<LockShape> {
        None
    }
    /// The lock at this state; called only when `lock_shape` is `Some` and both bodies are rigid.
    fn lock(&self, a: &View) -> Lock {
        Lock::at_common_point(a, Mat3::IDENTITY)
    }
    /// Index of the attachment on body b at which the reaction is reported.
    fn reference(&self) -> usize {
        1.min(self.attachments().len().saturating_sub(1))
    }
    /// Is it `C = p_b - p_a` for attachments 0 and 1, along the world's axes, and nothing else? Its gaps are then found without asking for `rows`.
    fn is_coincidence(&self) -> bool {
        false
    }
    /// Joint coordinates, if any.
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
    /// The same constraint with what was left open (the phase of a gear) taken from the pose it starts in, if anything was.
    fn settled(&self, _a: &View) -> Option<Arc<dyn Constraint>> {
        None
    }
    /// Positive when the pose is on the intended side of a condition that has two (an axis that may point either way).
    fn branch(&self, _a: &View) -> f64 {
        1.0
    }
    /// Integration in joint coordinates: the joint as a motion with parameters of its own, where it has one.
    fn chart(&self) -> Option<&dyn Chart> {
        None
    }
}

/// A joint as a motion with coordinates `u` and rates `w`: the twist of marker b relative to marker a, taken at the point of b
/// and in the axes of marker a, is `sum_k w_k phi_k(u)` with orthonormal `phi_k`. Also required: `d(phi_k)/dt w_k` summed over k is
/// perpendicular to every `phi_k`, so that `wdot_k = phi_k . (relative acceleration)`.
pub trait Chart {
    /// The markers joined.
    fn markers(&self) -> (Marker, Marker);
    /// Number of coordinates `u` (a free rotation has four).
    fn n_u(&self) -> usize;
    /// Which relative directions are held, in the axes of marker a.
    fn mask(&self) -> Mask;
    /// Number of rates `w`.
    fn n_w(&self) -> usize {
        6 - self.mask().count()
    }
    /// `phi_k`: translation and rotation, in the axes of marker a. By default the directions that the mask leaves free.
    fn free(&self, _u: &[f64], k: usize) -> (Vec3, Vec3) {
        free_of(self.mask(), k)
    }
    /// Position (in the axes of marker a) and rotation of marker b relative to marker a.
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3);
    /// Coordinates of a relative pose that satisfies the joint.
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]);
    /// du/dt from the rates.
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]);
    /// Back on the manifold (unit quaternion).
    fn normalise(&self, _u: &mut [f64]) {}
}

/// One row of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// C.
    pub gap: f64,
    /// C_t.
    pub rate_t: f64,
    /// The part of d²C/dt² that is quadratic in the attachments' rates, plus 2 C_qt v + C_tt.
    pub curvature: f64,
}

/// Where a constraint writes its rows.
pub struct Rows<'w> {
    pub(crate) rows: &'w mut [Row],
    /// `rows x attachments`.
    pub(crate) gradients: &'w mut [Vec3],
    /// Force directions, where they differ from the gradients; same shape, or empty.
    pub(crate) forces: &'w mut [Vec3],
    pub(crate) n_attachments: usize,
    /// Where only gaps and their rates are wanted.
    pub(crate) gaps: Option<GapSums<'w>>,
}

/// Rates of gaps and their noise, summed up by the parts of a joint on the spot: no gradients are written down and multiplied out again. What says its gradients itself
/// still writes them.
pub(crate) struct GapSums<'w> {
    /// Sum of g . rate over the attachments of each row, and of |g| times the size and the speed of what each is made of.
    pub sums: &'w mut [[f64; 3]],
    /// Size and speed of every attachment; empty where nobody asks for noise.
    pub sizes: &'w [(f64, f64)],
    /// Were gradients written down too? They start at zero only then.
    pub written: bool,
}

impl GapSums<'_> {
    #[inline(always)]
    fn add(&mut self, i: usize, g: Vec3, (k, a): (usize, Attached)) {
        let sum = &mut self.sums[i];
        sum[0] += g.dot(a.rate);
        if let Some((size, speed)) = self.sizes.get(k) {
            let length = g.length() * f64::EPSILON;
            sum[1] += length * size;
            sum[2] += length * speed;
        }
    }
}

impl Rows<'_> {
    /// Row `i`.
    #[inline(always)]
    pub fn row(&mut self, i: usize) -> &mut Row {
        &mut self.rows[i]
    }

    /// dC_i/d(attachment k).
    #[inline(always)]
    pub fn gradient(&mut self, i: usize, k: usize, g: Vec3) {
        if let Some(gaps) = &mut self.gaps
            && !gaps.written
        {
            gaps.written = true;
            self.gradients.fill(Vec3::ZERO);
        }
        self.gradients[i * self.n_attachments + k] += g;
    }

    /// Push direction of row `i` on attachment `k`, for constraints with `own_force_direction`.
    pub fn force(&mut self, i: usize, k: usize, h: Vec3) {
        if let Some(slot) = self.forces.get_mut(i * self.n_attachments + k) {
            *slot += h;
        }
    }

    // ---- parts: small conditions that joints are made of -------------------------------------------------------

    /// Rows i, i+1, i+2: point `b` on point `a`, along the world axes.  C = p_b - p_a.
    pub fn coincide(&mut self, i: usize, a: (usize, Attached), b: (usize, Attached)) {
        for (j, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            self.row(i + j).gap = (b.1.at - a.1.at)[j];
            if let Some(gaps) = &mut self.gaps {
                gaps.add(i + j, -e, a);
                gaps.add(i + j, e, b);
                continue;
            }
            self.gradient(i + j, a.0, -e);
            self.gradient(i + j, b.0, e);
        }
    }

    /// Row i: no offset along the carried direction `e`.  C = e . (p_b - p_a),  curvature 2 edot . (pdot_b - pdot_a).
    pub fn along(&mut self, i: usize, e: (usize, Attached), a: (usize, Attached), b: (usize, Attached)) {
        let d = b.1.at - a.1.at;
        self.row(i).gap = e.1.at.dot(d);
        if let Some(gaps) = &mut self.gaps {
            gaps.add(i, -e.1.at, a);
            gaps.add(i, e.1.at, b);
            gaps.add(i, d, e);
            return;
        }
        self.row(i).curvature = 2.0 * e.1.rate.dot(b.1.rate - a.1.rate);
        self.gradient(i, e.0, d);
        self.gradient(i, b.0, e.1.at);
        self.gradient(i, a.0, -e.1.at);
    }

    /// Row i: carried directions perpendicular.  C = s d . e,  curvature 2 s ddot . edot.
    pub fn perpendicular(&mut self, i: usize, s: f64, d: (usize, Attached), e: (usize, Attached)) {
        self.row(i).gap = s * d.1.at.dot(e.1.at);
        if let Some(gaps) = &mut self.gaps {
            gaps.add(i, s * e.1.at, d);
            gaps.add(i, s * d.1.at, e);
            return;
        }
        self.row(i).curvature = 2.0 * s * d.1.rate.dot(e.1.rate);
        self.gradient(i, d.0, s * e.1.at);
        self.gradient(i, e.0, s * d.1.at);
    }

    /// Rows i, i+1: axis z_b along the third axis of a, of which x and y are given.  C = (- y_a . z_b, x_a . z_b): small turns about x_a, y_a.
    pub fn parallel(&mut self, i: usize, [x, y]: [(usize, Attached); 2], z_b: (usize, Attached)) {
        self.perpendicular(i, -1.0, y, z_b);
        self.perpendicular(i + 1, 1.0, x, z_b);
    }

    /// Rows i, i+1, i+2: axes (x, y, z) of b along those of a.  C = (z_a . y_b, x_a . z_b, y_a . x_b): small turns about x_a, y_a, z_a.
    pub fn same_axes(&mut self, i: usize, a: [(usize, Attached); 3], b: [(usize, Attached); 3]) {
        self.perpendicular(i, 1.0, a[2], b[1]);
        self.perpendicular(i + 1, 1.0, a[0], b[2]);
        self.perpendicular(i + 2, 1.0, a[1], b[0]);
    }
}

/// Attachment `k` with its number, as the parts want it.
#[inline(always)]
pub(crate) fn numbered(a: &View, k: usize) -> (usize, Attached) {
    (k, a.get(k))
}

/// Markers at attachments 0 and 1 with these axes: what a joint was made from.
pub(crate) fn markers(attachments: &[Attachment], a: Mat3, b: Mat3) -> (Marker, Marker) {
    let at = |k: usize, axes| Marker { axes, ..attachments[k].body.at(attachments[k].carried_vector()) };
    (at(0, a), at(1, b))
}

/// Do the markers make sense?
pub(crate) fn check_markers(a: &Marker, b: &Marker) -> Result<(), String> {
    for (side, m) in [("first", a), ("second", b)] {
        if !m.point.is_finite() {
            return Err(format!("point on the {side} body is {}, must be finite", m.point));
        }
        if !m.axes.is_finite() {
            return Err(format!(
                "axis on the {side} body has zero length or is not finite, must be finite and longer than 0"
            ));
        }
    }
    // two markers on the ground are refused with all that touches no body
    if a.body == b.body && !a.body.is_ground() {
        return Err("joins a body to itself, must join two bodies or a body and the ground".into());
    }
    Ok(())
}

/// Do the axes of a (attachments 2-4) and of b (5-7) agree? Half a turn off the smallest of their cosines is -1, a third of a turn off, about
/// (1, 1, 1), all are 0, and rows of the form x_a . z_b vanish there too: so it must be well above 0.
pub(crate) fn agreement(a: &View) -> f64 {
    let cos = |i: usize| a.at(2 + i).dot(a.at(5 + i));
    cos(0).min(cos(1)).min(cos(2)) - 0.5
}

/// Rotation about z.
pub(crate) fn about_z(angle: f64) -> Mat3 {
    let (s, c) = libm::sincos(angle);
    Mat3::from_cols(vec3(c, s, 0.0), vec3(-s, c, 0.0), Vec3::Z)
}

/// Angle about z of a rotation.
pub(crate) fn angle_of(r: Mat3) -> f64 {
    libm::atan2(r.x_axis.y, r.x_axis.x)
}

/// Is `x` within 0 and 1?
pub(crate) fn unit_interval(what: &str, x: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&x) { Ok(()) } else { Err(format!("{what} is {x}, must be between 0 and 1")) }
}

/// The k-th free direction of a mask, in the axes it refers to.
fn free_of(mask: Mask, k: usize) -> (Vec3, Vec3) {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    match (0..6).filter(|&i| !mask.keeps(i)).nth(k) {
        Some(i) if i < 3 => (axes[i], Vec3::ZERO),
        Some(i) => (Vec3::ZERO, axes[i - 3]),
        None => (Vec3::ZERO, Vec3::ZERO),
    }
}

/// One line of the table of joints.
pub struct JointKind {
    /// The name used in files, help and messages.
    pub name: &'static str,
    /// Rows it takes between rigid bodies.
    pub rows: usize,
    /// One sentence for people.
    pub summary: &'static str,
    /// A joint of this kind between two markers, with random values for any parameters it has beyond them.
    pub sample: fn(Marker, Marker, &mut SplitMix) -> Box<dyn Constraint>,
}

macro_rules! joint {
    ($name:literal, $rows:literal, $summary:literal, $make:expr) => {
        JointKind { name: $name, rows: $rows, summary: $summary, sample: $make }
    };
}

/// Every kind: joints, then relations.
pub fn kinds() -> impl Iterator<Item = &'static JointKind> {
    TABLE.iter().chain(RELATIONS)
}

/// Conditions that do not hold two markers together, in a stable order: gears, drives, rolling, curves and the like.
#[rustfmt::skip]
pub static RELATIONS: &[JointKind] = &[
    joint!("rolling-disc", 3, "a disc rolls on a plane without slipping", |a, b, g| Box::new(RollingDisc::new(a, b, 0.2 + g.unit()))),
    joint!("rolling-sphere", 3, "a sphere rolls on a plane without slipping", |a, b, g| Box::new(RollingSphere::new(a, b, 0.2 + g.unit()))),
    joint!("knife-edge", 1, "a point moves along its blade, not across it", |a, b, _| Box::new(KnifeEdge::new(a, b))),
    joint!("motor", 1, "a joint coordinate moves as prescribed, in position or speed", |a, b, g| Box::new(sample::motor(a, b, g))),
    joint!("prescribed-point", 3, "a point is led along a path", |a, b, g| Box::new(sample::led(a, b, g))),
    joint!("servo", 3, "a condition is kept by named actuators", |a, b, g| Box::new(sample::servo(a, b, g))),
    joint!("mouse", 3, "a hand pulls a point towards a target", |_, b, g| Box::new(Mouse::new(b, 0.05 + g.unit()))),
    joint!("point-on-curve", 2, "keeps a point of b on a curve fixed to a", |a, b, g| Box::new(sample::on_curve(a, b, g))),
    joint!("point-on-surface", 1, "keeps a point of b on a surface fixed to a", |a, b, g| Box::new(sample::on_surface(a, b, g))),
    joint!("tangency", 1, "keeps two smooth surfaces in touch", |a, b, g| Box::new(sample::touching(a, b, g))),
    joint!("coupler", 1, "a weighted sum of joint coordinates stays constant", |a, b, g| Box::new(sample::coupler(a, b, g))),
    joint!("differential", 1, "two joint coordinates together are twice a third", |a, b, g| Box::new(sample::differential(a, b, g))),
    joint!("gear", 1, "wheels on parallel axes mesh: spur or helical, external or internal", |a, b, g| Box::new(sample::gear(a, b, g))),
    joint!("bevel-gear", 1, "wheels on axes that meet mesh", |a, b, g| Box::new(BevelGear::new(a, b, 0.2 + g.unit(), 0.2 + g.unit()))),
    joint!("worm", 1, "a worm drives a wheel on a crossed axis", |a, b, g| Box::new(sample::worm(a, b, g))),
    joint!("rack-and-pinion", 1, "a pinion rolls along a rack", |a, b, g| Box::new(sample::rack(a, b, g))),
    joint!("belt", 1, "a belt runs over two wheels, open or crossed", |a, b, g| Box::new(sample::belt(a, b, g))),
    joint!("winch", 1, "a rope wound on a drum holds a point", |a, b, g| Box::new(sample::winch(a, b, g))),
    joint!("reeving", 1, "a rope of fixed length passes a list of points", |a, b, g| Box::new(sample::reeving(a, b, g))),
    joint!("screw", 5, "turns about the common z axis and advances along it in proportion", |a, b, g| Box::new(Screw::new(a, b, g.symmetric(2.0)))),
    joint!("serial", 3, "hinges and slides one after the other without bodies between them", |a, b, g| Box::new(sample::serial(a, b, g))),
    joint!("limit", 2, "stops of a joint coordinate", |a, b, g| Box::new(sample::limit(a, b, g))),
    joint!("rope", 1, "two points are never farther apart than its length", |a, b, g| Box::new(Rope::new(a, b, 0.5 + g.unit()))),
    joint!("cone-limit", 1, "the z axes of a and b never lean apart by more than an angle", |a, b, g| Box::new(ConeLimit::new(a, b, 0.5 + g.unit()))),
    joint!("dry-friction", 1, "a joint coordinate sticks, or slips against a friction force", |a, b, g| Box::new(sample::dry_friction(a, b, g))),
    joint!("velocity-ratio", 1, "one spin or rate is a multiple of another", |a, b, g| Box::new(sample::ratio(a, b, g))),
];

/// Joints that hold where two markers coincide (a rod: where they are its length apart; perpendicular axes: where z leans by their angle), in a stable
/// order. Generic tests, help texts and file readers walk it.
#[rustfmt::skip]
pub static TABLE: &[JointKind] = &[
    joint!("weld", 6, "holds b to a completely", |a, b, _| Box::new(Weld::new(a, b))),
    joint!("revolute", 5, "turns about the common z axis", |a, b, _| Box::new(Revolute::new(a, b))),
    joint!("prismatic", 5, "slides along the common z axis", |a, b, _| Box::new(Prismatic::new(a, b))),
    joint!("cylindrical", 4, "turns about and slides along the common z axis", |a, b, _| Box::new(Cylindrical::new(a, b))),
    joint!("universal", 4, "turns about x of a and about y of b, which stay perpendicular", |a, b, _| Box::new(Universal::new(a, b))),
    joint!("spherical", 3, "turns about a common point", |a, b, _| Box::new(Spherical::new(a, b))),
    joint!("planar", 3, "slides in the x-y plane of a and turns about its normal", |a, b, _| Box::new(PlanarJoint::new(a, b))),
    joint!("point-on-line", 2, "keeps a point of b on the z axis of a", |a, b, _| Box::new(PointOnLine::new(a, b))),
    joint!("point-on-plane", 1, "keeps a point of b in the x-y plane of a", |a, b, _| Box::new(PointOnPlane::new(a, b))),
    joint!("distance", 1, "keeps two points at a fixed distance: a massless rod", |a, b, g| Box::new(Distance::new(a, b, 0.5 + g.unit()))),
    joint!("parallel-axes", 2, "keeps the z axes of a and b parallel", |a, b, _| Box::new(ParallelAxes::new(a, b))),
    joint!("perpendicular-axes", 1, "keeps the z axes of a and b perpendicular, or at another fixed angle", |a, b, g| Box::new(PerpendicularAxes::new(a, b).angle(0.5 + 2.0 * g.unit()))),
    joint!("orientation-lock", 3, "keeps b from turning against a", |a, b, _| Box::new(OrientationLock::new(a, b))),
    joint!("oldham", 4, "couples parallel shafts along z with a free lateral offset", |a, b, _| Box::new(Oldham::new(a, b))),
    joint!("constant-velocity", 4, "couples shafts along z, bent at a common point, at equal rates", |a, b, _| Box::new(ConstantVelocity::new(a, b))),
    joint!("pin-slot", 4, "slides along x of a and turns about the common z axis", |a, b, _| Box::new(PinSlot::new(a, b))),
];

/// Does the attachment sit on a point? Reactions of direction and spin attachments are pure torques.
pub(crate) fn is_point(a: &Attachment) -> bool {
    matches!(a.what, Carried::Point(_))
}

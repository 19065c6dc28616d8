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
//! A joint is one file, with its declaration at the head (name, fields, how it is made, drawn and tested), and one line in [`JOINTS`]. Scene files, the
//! schema and the reference of scenes, the command line, the page and the generic tests read the table.

mod belt;
mod bevel;
mod chart;
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
mod lock;
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
mod rows;
mod screw;
mod serial;
mod servo;
mod spherical;
mod table;
mod tangency;
mod universal;
mod velocity_ratio;
mod weld;
mod winch;
mod worm;

pub use chart::Chart;
pub use lock::{Lock, LockJoint, LockShape};
pub use mouse::MouseTarget;
pub use rows::{Row, Rows};
pub use serial::Freedom;
pub use table::{AXES_A, AXES_B, Closes, Glyph, JointDeclaration, JointRole, PAIR, PARALLEL, POINTS, STARTS, Sample};

pub(crate) use motor::{POSITION_DRIVE, SPEED_DRIVE};
pub(crate) use prescribed_point::PATH_DRIVE;
pub(crate) use rows::{GapSums, numbered};
pub(crate) use servo::SERVO_DRIVE;

use chart::{about_z, free_of};
use lock::agreement;
use table::RADII;

use crate::catalogue::attach::{Attachment, Carried, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Measure};
use crate::catalogue::declaration::Invalid;
use crate::math::Mat3;
pub use holonom_tree::Mask;
use std::sync::Arc;

macro_rules! joints {
    ($($module:ident::$name:ident,)*) => {
        $(pub use $module::$name;)*

        /// Every kind of joint and relation, in a stable order: those that hold two markers together first.
        pub static JOINTS: &[&JointDeclaration] = &[$(&$module::DECLARATION,)*];
    };
}

joints! {
    weld::Weld,
    revolute::Revolute,
    prismatic::Prismatic,
    cylindrical::Cylindrical,
    universal::Universal,
    spherical::Spherical,
    planar::PlanarJoint,
    point_on_line::PointOnLine,
    point_on_plane::PointOnPlane,
    distance::Distance,
    parallel_axes::ParallelAxes,
    perpendicular_axes::PerpendicularAxes,
    orientation::OrientationLock,
    oldham::Oldham,
    constant_velocity::ConstantVelocity,
    pin_slot::PinSlot,
    rolling_disc::RollingDisc,
    rolling_sphere::RollingSphere,
    knife_edge::KnifeEdge,
    motor::Motor,
    prescribed_point::PrescribedPoint,
    servo::Servo,
    mouse::Mouse,
    point_on_curve::PointOnCurve,
    point_on_surface::PointOnSurface,
    tangency::SurfaceTangency,
    coupler::Coupler,
    differential::Differential,
    gear::Gear,
    bevel::BevelGear,
    worm::Worm,
    rack::RackAndPinion,
    belt::Belt,
    winch::Winch,
    reeving::Reeving,
    screw::Screw,
    serial::Serial,
    limit::Limit,
    rope::Rope,
    cone_limit::ConeLimit,
    dry_friction::DryFriction,
    velocity_ratio::VelocityRatio,
    rotor_gear::RotorGear,
}

/// The joints that hold where two markers coincide.
pub fn pairs() -> &'static [&'static JointDeclaration] {
    &JOINTS[..JOINTS.iter().take_while(|d| d.role == JointRole::Pair).count()]
}

/// A line of the table by the name of its kind.
pub fn declaration(name: &str) -> Option<&'static JointDeclaration> {
    JOINTS.iter().find(|d| d.name() == name).copied()
}

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
    fn validate(&self) -> Result<(), Invalid> {
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

/// Markers at attachments 0 and 1 with these axes: what a joint was made from.
pub(crate) fn markers(attachments: &[Attachment], a: Mat3, b: Mat3) -> (Marker, Marker) {
    let at = |k: usize, axes| Marker { axes, ..attachments[k].body.at(attachments[k].carried_vector()) };
    (at(0, a), at(1, b))
}

/// Do the markers make sense?
pub(crate) fn check_markers(a: &Marker, b: &Marker) -> Result<(), Invalid> {
    for (i, (side, m)) in [("first", a), ("second", b)].into_iter().enumerate() {
        if !m.point.is_finite() {
            return Err(Invalid::new(
                ["a", "b"][i],
                format!("point on the {side} body is {}, must be finite", m.point),
            ));
        }
        if !m.axes.is_finite() {
            return Err(Invalid::new(
                ["axis_a", "axis_b"][i],
                format!("axis on the {side} body has zero length or is not finite, must be finite and longer than 0"),
            ));
        }
    }
    // two markers on the ground are refused with all that touches no body
    if a.body == b.body && !a.body.is_ground() {
        return Err("joins a body to itself, must join two bodies or a body and the ground".into());
    }
    Ok(())
}

/// Does the attachment sit on a point? Reactions of direction and spin attachments are pure torques.
pub(crate) fn is_point(a: &Attachment) -> bool {
    matches!(a.what, Carried::Point(_))
}

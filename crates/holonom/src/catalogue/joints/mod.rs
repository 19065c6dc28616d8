//! Joints and relations, and the table of them. What a constraint is: [`Constraint`].
//!
//! A joint is one file, with its declaration at the head (name, fields, how it is made, drawn and tested), and one line
//! in [`JOINTS`]. Scene files, the schema and the reference of scenes, the command line, the page and the generic tests
//! read the table.

mod lock;
mod polar;
mod table;

pub use crate::catalogue::interface::{
    Chart, Constraint, CoordinateKind, GapSizes, Level, Lock, LockShape, Mask, Row, RowLaw, Rows,
};
pub use lock::LockJoint;
pub use mouse::MouseTarget;
pub use serial::Freedom;
pub use table::{AXES_A, AXES_B, Closes, Glyph, JointDeclaration, JointRole, PAIR, PARALLEL, POINTS, STARTS, Sample};

pub(crate) use formula::{NAMES as FORMULA_NAMES, bound as bound_formula};
pub(crate) use motor::{POSITION_DRIVE, SPEED_DRIVE};
pub(crate) use prescribed_point::PATH_DRIVE;
pub(crate) use servo::SERVO_DRIVE;

use lock::{about_z, agreement};
use table::RADII;

use crate::catalogue::interface::{Attachment, AttachmentKind, Marker, free_of, numbered};
use crate::error::{Invalid, refuse};
use crate::math::Mat3;
use std::sync::LazyLock;

macro_rules! joints {
    ($($module:ident::$name:ident,)*) => {
        $(
            mod $module;
            pub use $module::$name;
        )*

        /// Every kind of joint and relation, in a stable order.
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
    rolling::SurfaceRolling,
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
    formula::FormulaJoint,
}

/// The joints that hold where two markers coincide, in the order of the table, wherever they stand in it.
pub fn pairs() -> &'static [&'static JointDeclaration] {
    static PAIRS: LazyLock<Vec<&'static JointDeclaration>> =
        LazyLock::new(|| JOINTS.iter().filter(|d| d.role == JointRole::Pair).copied().collect());
    &PAIRS
}

/// A line of the table by the name of its kind.
pub fn declaration(name: &str) -> Option<&'static JointDeclaration> {
    JOINTS.iter().find(|d| d.name() == name).copied()
}

/// The joint that leaves no freedom.
pub fn rigid_joint() -> &'static JointDeclaration {
    &weld::DECLARATION
}

/// Does a kind of joint move things as prescribed?
pub fn is_drive(kind: &str) -> bool {
    declaration(kind).is_some_and(|d| d.role == JointRole::Drive)
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
            return refuse!(["a", "b"][i], "point on the {side} body is {}, must be finite", m.point);
        }
        if !m.axes.is_finite() {
            return refuse!(
                ["axis_a", "axis_b"][i],
                "axis on the {side} body has zero length or is not finite, must be finite and longer than 0"
            );
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
    matches!(a.what, AttachmentKind::Point(_))
}

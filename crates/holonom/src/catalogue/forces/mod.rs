//! Applied forces: pushes on attachments. Gravity is a property of the model and acts through each body.
//!
//! A law is one file, with declarations of the kinds that files can say and a line in [`FORCES`] for each of them;
//! [`SAMPLES`] has laws between markers for generic tests. Laws that store energy push along the exact gradient of it;
//! laws that are stiff say in which directions.

mod bushing;
mod drag;
mod feedback;
mod formula;
mod law;
mod motor;
mod on_coordinate;
mod point;
mod spring;
mod table;
mod torsion;
mod user;

pub use crate::catalogue::interface::{Force, Push, Stiffness};
pub use bushing::{Bushing, Matrix6};
pub use drag::{AngularDrag, Drag};
pub use feedback::CoordinateFeedback;
pub use formula::FormulaForce;
pub use law::{OneSided, SpringLaw, TorsionLaw};
pub use motor::{AxisMotor, TorqueCurve};
pub use on_coordinate::CoordinateForce;
pub use point::{PointForce, Torque};
pub use spring::Spring;
pub use table::{AXES, ENDS, ForceDeclaration, ForceGlyph, LawSample, SAMPLES};
pub use torsion::TorsionSpring;
pub use user::UserForce;

pub(crate) use motor::TORQUE_CURVE_DRIVE;
pub(crate) use on_coordinate::{CONTROLLER_DRIVE, TORQUE_DRIVE};

use table::ends;

/// Every kind of force, in a stable order. Crates with laws of their own add theirs when scenes are read.
pub static FORCES: &[&ForceDeclaration] = &[
    &point::POINT_FORCE,
    &point::TORQUE,
    &spring::SPRING,
    &law::SPRING_LAW,
    &law::ONE_SIDED_SPRING,
    &torsion::TORSION_SPRING,
    &law::TORSION_LAW,
    &bushing::BUSHING,
    &motor::AXIS_MOTOR,
    &drag::DRAG,
    &drag::ANGULAR_DRAG,
    &drag::SPIN_DAMPER,
    &on_coordinate::COORDINATE_FORCE,
    &on_coordinate::COORDINATE_SPRING,
    &on_coordinate::COORDINATE_SERVO,
    &feedback::COORDINATE_FEEDBACK,
    &on_coordinate::COORDINATE_LAW,
    &formula::FORMULA,
];

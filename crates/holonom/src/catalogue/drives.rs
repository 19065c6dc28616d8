//! The table of drives: what makes joints and points move as they should.
//!
//! `position`, `speed` and `path` are rows: the motion is exact, and the drive gives whatever that takes. `servo` is
//! such a motion kept by the torques of actuators elsewhere. `torque`, `torque-curve` and `controller` are forces: they
//! give what they say, and what moves is left to the equations.

use super::declaration::DriveDeclaration;
use super::forces::{CONTROLLER_DRIVE, TORQUE_CURVE_DRIVE, TORQUE_DRIVE};
use super::joints::{PATH_DRIVE, POSITION_DRIVE, SERVO_DRIVE, SPEED_DRIVE};

/// Every kind of drive, in a stable order.
pub static DRIVES: &[&DriveDeclaration] =
    &[&POSITION_DRIVE, &SPEED_DRIVE, &PATH_DRIVE, &SERVO_DRIVE, &TORQUE_DRIVE, &TORQUE_CURVE_DRIVE, &CONTROLLER_DRIVE];

/// A line of the table by the name of its kind.
pub fn declaration(name: &str) -> Option<&'static DriveDeclaration> {
    DRIVES.iter().find(|d| d.kind.name == name).copied()
}

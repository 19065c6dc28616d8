//! The table of drives: what makes joints and points move as they should.
//!
//! `position`, `speed` and `path` are rows: the motion is exact, and the drive gives whatever that takes. `servo` is
//! such a motion kept by the torques of actuators elsewhere. `torque`, `torque-curve` and `controller` are forces: they
//! give what they say, and what moves is left to the equations.

use super::declaration::{Family, Kind};
use super::forces::{CONTROLLER_DRIVE, TORQUE_CURVE_DRIVE, TORQUE_DRIVE};
use super::joints::{PATH_DRIVE, POSITION_DRIVE, SERVO_DRIVE, SPEED_DRIVE};

/// The kinds of drives, one line for each.
pub static DRIVES: Family = Family { name: "drive", common: &[], members: || KINDS, default: None };

static KINDS: &[&Kind] =
    &[&POSITION_DRIVE, &SPEED_DRIVE, &PATH_DRIVE, &SERVO_DRIVE, &TORQUE_DRIVE, &TORQUE_CURVE_DRIVE, &CONTROLLER_DRIVE];

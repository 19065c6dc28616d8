//! What mechanisms are made of: bodies, joints, forces, and the functions, curves and surfaces they use.

pub mod bodies;
pub mod curves;
pub mod drives;
pub mod forces;
pub(crate) mod formula;
pub mod functions;
pub(crate) mod interface;
pub mod joints;
pub(crate) mod mass;
pub mod surfaces;

pub use interface::{attach, coordinate};

/// How kinds are declared: names, fields with units and ranges, constructors.
pub mod declaration {
    pub use super::interface::{
        ANGLE, Allowed, Component, DriveAction, DriveButton, DriveDeclaration, Driven, Family, Field, FieldType, Kind,
        LENGTH, Make, Making, NUMBER, Need, ON_JOINT, POSITION, Parameters, SurfaceForm, between_0_and_1, finite,
        finite_vector, not_negative, optional, optional_finite, positive, required,
    };
    pub use crate::error::{Fault, Invalid};
}

//! Answers about a mechanism and its motion: diagnosis, small motions, equilibria, inverse kinematics, certificates, observations.

pub(crate) mod certificate;
pub mod check;
pub mod doctor;
pub(crate) mod kinematics;
pub mod linear;
pub(crate) mod observe;
pub mod pattern;
pub mod phases;

//! Answers about a mechanism and its motion: diagnosis, small motions, equilibria, inverse kinematics, certificates,
//! observations.

pub(crate) mod certificate;
pub mod check;
pub(crate) mod contacts;
pub mod doctor;
pub(crate) mod inequalities;
pub(crate) mod kinematics;
pub mod linear;
pub(crate) mod observe;
pub mod pattern;
pub mod phases;
pub(crate) mod queries;
pub(crate) mod reactions;

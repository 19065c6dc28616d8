//! Answers about a mechanism and its motion: diagnosis, what pushes do and which efforts a motion takes, small motions,
//! equilibria, inverse kinematics, certificates, observations.

pub mod answers;
pub(crate) mod certificate;
pub mod check;
pub(crate) mod contacts;
pub(crate) mod dense;
pub mod doctor;
pub(crate) mod inequalities;
pub(crate) mod kinematics;
pub mod linear;
pub(crate) mod nearby;
pub(crate) mod observe;
pub mod pattern;
pub mod phases;
pub(crate) mod queries;
pub(crate) mod reactions;

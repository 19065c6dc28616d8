//! What mechanisms are made of: bodies, joints, forces, and the functions, curves and surfaces they use.

pub mod attach;
pub mod bodies;
pub mod coordinate;
pub mod curves;
pub mod declaration;
pub mod drives;
pub mod forces;
pub(crate) mod formula;
pub mod functions;
pub mod joints;
pub(crate) mod mass;
pub mod surfaces;

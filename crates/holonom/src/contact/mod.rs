//! Contact between bodies, and all other rows under inequalities.
//!
//! A body may carry any number of shapes, the ground too. Shapes of bodies that a joint connects do not collide with
//! each other unless asked to; all others do. What two shapes do to each other follows from their materials, or from
//! one given for the pair.

pub(crate) mod detection;
pub(crate) mod inequality;
pub(crate) mod pairs;
pub(crate) mod touch;

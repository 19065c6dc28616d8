//! The C interface of co-simulation units, versions 3.0 and 2.0 of the Functional Mock-up Interface, around
//! [`holonom_cosim::UnitInstance`].
//!
//! # Safety
//!
//! All exported functions are called under the rules of the standard, which are those of C:
//!
//! - an instance is a pointer that `fmi3InstantiateCoSimulation` or `fmi2Instantiate` has given, and is not used any
//!   more once it was freed; it is used by one thread at a time, several instances by several threads;
//! - an array is valid for as many elements as the number beside it says; it may be null where that number is 0;
//! - a text is null or ends in a zero; functions for messages are those of the standard, or null.
//!
//! Within these, nothing that is passed can do harm: null pointers, unknown value references, lengths that do not fit,
//! numbers that are not finite and calls out of order are refused, by `Error` and a message in the log of the importing
//! tool. A panic, which would be a mistake in here, ends at the boundary as `Error` too. States of a unit are known by
//! numbers, not by addresses, so that one that was freed or made up is refused.
//!
//! The library keeps nothing outside its instances: any number of them can be in one process.

pub mod fmi2;
pub mod fmi3;
mod instance;
mod log;
mod memory;

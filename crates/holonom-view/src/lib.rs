//! # The page
//!
//! A mechanism in the browser: seen, touched, measured, built. From the inside out:
//!
//! ```text
//! session    a simulation that people put their hands on: ticks, hands, history, a log of inputs that replays to the last bit. No clock, no threads
//! picture    what is to be drawn of a model: everything that does not move
//! sections   the numbers of a frame: everything that moves
//! numbers    answers to questions: the doctor's report, quantities, the energy ledger, patterns of matrices
//! edit       changes of the scene: bodies and joints added, joined, removed; undo and redo
//! catalogue  what can be built, and how it is drawn
//! message    what page and program say to each other
//! hub        a session run against the clock, and its clients: by a thread, or in turns (`hub::LocalHub`)
//! clock      moments of the host: the system's, or those that a browser tells
//! server     HTTP and WebSocket on the loopback interface, for the holder of a token only
//! page       the page itself, built from `web/` by the build script and carried in the program
//! ```
//!
//! A session alone, without any of the rest, is what tests and replays use. Without the feature `server` (on by
//! default) there is no server and no page, and all else builds for `wasm32-unknown-unknown`: `holonom-wasm` runs it in
//! the browser.

pub mod catalogue;
pub mod clock;
pub mod edit;
pub mod hub;
pub mod message;
pub mod numbers;
#[cfg(feature = "server")]
pub mod page;
pub mod picture;
#[cfg(test)]
mod protocol;
pub mod sections;
#[cfg(feature = "server")]
pub mod server;
pub mod session;

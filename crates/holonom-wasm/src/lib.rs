//! Sessions of holonom in a Web Worker: the engine, the scenes and the answers of `holonom-view`, with the messages of
//! the socket as the only way in and out.
//!
//! The interface is written by hand, since it is ten functions. Texts and bytes go through linear memory as (place,
//! length), and nothing outlives the call in which it is passed:
//!
//! ```text
//! the host calls                                        the engine calls
//!   start()          once, before all others              now() -> f64               the time, s: performance.now()
//!   room(n) -> place where n bytes are to be put          said(place, n)             a reply, JSON
//!   hear()           they are a request, JSON             shown(place, n)            the newest frame
//!   turn()           sixty times a second                 handed(place, n)           a file that was asked for
//!   fetch(what)      0 scene, 1 inputs, 2 numbers         failed(place, n)           why there is none, or why all ends
//! ```
//!
//! After `fetch(2)` the bytes put into `room` are the names of the quantities, a JSON list. A panic tells its sentence
//! by `failed` and then traps: the instance is done for, and the host starts another. On targets other than WebAssembly
//! this crate is empty.

#[cfg(target_family = "wasm")]
mod engine;

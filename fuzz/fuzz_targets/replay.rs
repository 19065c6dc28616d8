//! Any bytes as a log of inputs that is replayed, and as the state of a snapshot that is restored. Nothing may panic, and
//! a log reads no file.
#![no_main]

use holonom::{Interrupt, Simulation};
use holonom_scene::{Limits, Loader};
use holonom_view::session::{InputLog, Session};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut session = Session::new();
    session.open_named("pendulum").expect("a scene of the gallery");
    let model = session.simulation().model().clone();
    let mut sim = Simulation::new(model);
    sim.set_interrupt(Interrupt::never());
    if sim.restore(data).is_ok() {
        let _ = sim.step(1e-3);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let limits = Limits { bodies: 20, values: 200, ..Limits::default() };
    let loader = Loader { limits, ..Loader::new() };
    let Ok(log) = InputLog::read(text) else { return };
    // a log may ask for any number of ticks: that is its right, and not what is looked for here
    if log.ticks() <= 50 && log.folder().is_none() {
        let _ = log.replay(&loader);
    }
});

//! Any bytes as what a client of the page says, one message a line, done to a session; between them time goes on. Nothing
//! may panic, and the log of what was done comes to the same bits without the page.
#![no_main]

use holonom::Interrupt;
use holonom_view::message::Request;
use holonom_view::session::log::Input;
use holonom_view::session::Session;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Times that the engine may ask whether to go on, for one message.
const WORK: u64 = 5_000;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut session = Session::new();
    let scene = "[body.rod]\nmass = 1\ninertia = [1, 1, 1]\nat = [1, 0, 0]\n[joint.pin]\nkind = \"revolute\"\nb = \"rod\"\naxis = [0, 1, 0]\n";
    session.open_text("fuzz.toml", scene, None).expect("a scene");
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    session.set_interrupt(Interrupt::when(move || count.fetch_add(1, Ordering::Relaxed) > WORK));
    for line in text.lines().take(40) {
        asked.store(0, Ordering::Relaxed);
        match serde_json::from_str::<Request>(line) {
            Ok(Request::Step { ticks }) => {
                for _ in 0..ticks.min(5) {
                    let _ = session.advance();
                }
            }
            Ok(Request::Seek { tick }) => session.seek(tick),
            Ok(Request::Ask { question, .. }) => {
                let _ = session.answer(&question);
            }
            Ok(Request::New) => session.open_new(),
            Ok(Request::OpenText { name, text }) if text.len() < 2000 => {
                let _ = session.open_own(&name, &text);
            }
            Ok(Request::Open { .. }) | Err(_) => {}
            Ok(request) => {
                let _ = session.input(1, Input::Said(request));
            }
        }
        if session.simulation().model().n_bodies() > 20 {
            return;
        }
    }
    let _ = session.picture();
});

//! The functions, and the one hub that they speak to.

use holonom_view::clock::set_clock;
use holonom_view::hub::{Download, LocalHub};
use holonom_view::session::Session;
use std::cell::RefCell;
use std::time::Duration;

// SAFETY: the host defines them with these signatures; it copies what it is shown before it returns.
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    safe fn now() -> f64;
    safe fn said(place: *const u8, n: usize);
    safe fn shown(place: *const u8, n: usize);
    safe fn handed(place: *const u8, n: usize);
    safe fn failed(place: *const u8, n: usize);
}

#[derive(Default)]
struct Engine {
    hub: Option<LocalHub>,
    /// What the host puts in before a call.
    room: Vec<u8>,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

/// Do something with the hub, then hand over what it has to say.
fn with_hub(act: impl FnOnce(&mut LocalHub, &[u8])) {
    ENGINE.with_borrow_mut(|engine| {
        let Some(hub) = &mut engine.hub else { return };
        act(hub, &engine.room);
        engine.room.clear();
        while let Some(reply) = hub.reply() {
            said(reply.as_ptr(), reply.len());
        }
        if let Some(frame) = hub.frame() {
            shown(frame.as_ptr(), frame.len());
        }
    });
}

/// Once, before all others.
#[unsafe(no_mangle)]
extern "C" fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        failed(text.as_ptr(), text.len());
    }));
    set_clock(|| Duration::try_from_secs_f64(now()).unwrap_or_default());
    ENGINE.with_borrow_mut(|engine| engine.hub = Some(LocalHub::new(Session::new())));
    with_hub(|_, _| {});
}

/// Where the host may put so many bytes, until its next call.
#[unsafe(no_mangle)]
extern "C" fn room(n: usize) -> *mut u8 {
    ENGINE.with_borrow_mut(|engine| {
        engine.room = vec![0; n];
        engine.room.as_mut_ptr()
    })
}

/// What is in the room is a request.
#[unsafe(no_mangle)]
extern "C" fn hear() {
    with_hub(|hub, room| hub.hear(&String::from_utf8_lossy(room)));
}

/// Time goes on.
#[unsafe(no_mangle)]
extern "C" fn turn() {
    with_hub(|hub, _| hub.turn());
}

/// Hand over a file.
#[unsafe(no_mangle)]
extern "C" fn fetch(what: u32) {
    with_hub(|hub, room| {
        let what = match what {
            0 => Download::Scene,
            1 => Download::Inputs,
            _ => Download::Csv { names: serde_json::from_slice(room).unwrap_or_default() },
        };
        match hub.fetch(what) {
            Ok(bytes) => handed(bytes.as_ptr(), bytes.len()),
            Err(why) => failed(why.as_ptr(), why.len()),
        }
    });
}

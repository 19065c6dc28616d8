//! Any bytes as a URDF file: read, and built if they happen to be a small mechanism. Nothing may panic.
#![no_main]

use holonom_scene::{Limits, Loader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let limits = Limits { bodies: 200, values: 1000, ..Limits::default() };
    let loader = Loader { limits, ..Loader::new() };
    match loader.load_text("fuzz.urdf", text) {
        Ok(loaded) if loaded.scene.bodies.len() <= 8 && loaded.scene.joints.len() <= 8 => {
            let _ = loaded.build().map_err(|failed| failed.render());
        }
        Ok(_) => {}
        Err(failed) => assert!(failed.report.has_errors() && !failed.render().is_empty()),
    }
});

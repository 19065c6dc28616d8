//! Ctrl-C and a polite request to end (SIGTERM): noticed between steps, so that what was done is kept. A second one
//! ends at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Has somebody asked for an end?
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on. Where signals cannot be caught the program simply ends, as it would without.
    pub fn watch() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // in this order: the flag of the first signal arms the end by the second
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone());
            let _ = signal_hook::flag::register(signal, flag.clone());
        }
        Interrupt(flag)
    }

    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

//! Work that can be given up on the way.

use std::sync::Arc;

/// Somebody who is asked between bounded pieces of work whether it is still wanted. Nothing is read but the answer: no
/// clock, no thread; work that is not given up has the same bits with and without it.
///
/// ```
/// use holonom_lcp::Interrupt;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// let enough = Arc::new(AtomicBool::new(false));
/// let seen = enough.clone();
/// let interrupt = Interrupt::when(move || seen.load(Ordering::Relaxed));
/// assert!(!interrupt.is_asked());
/// enough.store(true, Ordering::Relaxed);
/// assert!(interrupt.is_asked() && !Interrupt::never().is_asked());
/// ```
#[derive(Clone, Default)]
pub struct Interrupt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Interrupt {
    /// Everything goes on to its own end. The default.
    pub fn never() -> Self {
        Interrupt(None)
    }

    /// Work is given up once `asked` says so. It is asked very often: a look at a flag is what it should cost.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Interrupt(Some(Arc::new(asked)))
    }

    /// Is the work to be given up?
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked())
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Interrupt::when(..)" } else { "Interrupt::never()" })
    }
}

//! What stands behind an instance of either version: the unit, its kept states, and the log.

use crate::log::{Logger, Status};
use crate::memory;
use holonom_cosim::description::CATEGORIES;
use holonom_cosim::library::MARK;
use holonom_cosim::{SavedUnit, UnitError, UnitInstance};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What the command looks for in a library: that it is this one, and of its version.
pub static VERSION: &str = concat!("holonom co-simulation unit, version ", env!("CARGO_PKG_VERSION"), "\0");

/// An instance, as the importing tool holds it.
pub struct Instance {
    /// The unit.
    pub unit: UnitInstance,
    /// States that were kept, by number.
    states: BTreeMap<usize, SavedUnit>,
    next_state: usize,
    /// Bytes of a state that was asked for last, so that asking for its size and then for itself costs once.
    serialised: Option<(usize, Vec<u8>)>,
    /// Why some of the numbers that were just read are NaN.
    unknown: Option<String>,
    logger: Logger,
    /// Categories that are said besides errors and warnings.
    said: Vec<&'static str>,
}

/// Why a call ends without a result: it was refused, or the unit has stopped.
pub type CallResult = Result<(), UnitError>;

impl Instance {
    /// A new one, from the folder of resources; `None` where it cannot be, which is said.
    pub fn open(folder: Option<&Path>, token: Option<&str>, logging: bool, logger: Logger) -> Option<Instance> {
        let made = catch_unwind(AssertUnwindSafe(|| {
            let missing = |what: &str| UnitError::refused(format!("{what} is missing"));
            let folder = folder.ok_or_else(|| missing("the folder of resources"))?;
            UnitInstance::open(folder, token.ok_or_else(|| missing("the token"))?)
        }));
        let made = made.unwrap_or_else(|_| Err(UnitError::stopped("the unit panicked")));
        let unit = match made {
            Ok(unit) => unit,
            Err(e) => {
                logger.say(Status::Error, CATEGORIES[0].0, &e.message);
                return None;
            }
        };
        let said = if logging { CATEGORIES.iter().map(|c| c.0).collect() } else { Vec::new() };
        let (states, next_state) = (BTreeMap::new(), 1);
        let instance = Instance { unit, states, next_state, serialised: None, unknown: None, logger, said };
        let version = VERSION.trim_end_matches('\0').strip_prefix(MARK).unwrap_or(VERSION);
        instance.event(&format!("a unit of holonom {version}: {}", instance.unit.plan().model));
        Some(instance)
    }

    /// What happens, for those who want to know.
    pub fn event(&self, message: &str) {
        if self.said.contains(&CATEGORIES[2].0) {
            self.logger.say(Status::Ok, CATEGORIES[2].0, message);
        }
    }

    /// Something went wrong, or was refused.
    pub fn error(&self, message: &str) {
        self.logger.say(Status::Error, CATEGORIES[0].0, message);
    }

    /// Some numbers are not known.
    pub fn warning(&self, message: &str) {
        self.logger.say(Status::Warning, CATEGORIES[1].0, message);
    }

    /// Which categories are said besides errors and warnings; all where none is named.
    pub fn set_logging(&mut self, on: bool, wanted: &[String]) -> CallResult {
        let known = |name: &String| CATEGORIES.iter().map(|c| c.0).find(|c| c == name);
        let unknown = |name: &String| UnitError::refused(format!("there is no log category `{name}`"));
        let named = wanted.iter().map(|w| known(w).ok_or_else(|| unknown(w))).collect::<Result<Vec<_>, _>>()?;
        self.said = match (on, named.is_empty()) {
            (false, true) => Vec::new(),
            (true, true) => CATEGORIES.iter().map(|c| c.0).collect(),
            (false, false) => self.said.iter().copied().filter(|c| !named.contains(c)).collect(),
            (true, false) => named,
        };
        Ok(())
    }

    /// Read variables into an array of as many numbers.
    pub fn get(&mut self, references: &[u32], out: &mut [f64]) -> CallResult {
        if references.len() != out.len() {
            let (n, m) = (references.len(), out.len());
            return Err(UnitError::refused(format!("room for {m} values of {n} variables, must be as many")));
        }
        let (values, warning) = self.unit.get(references)?;
        out.copy_from_slice(&values);
        self.unknown = warning;
        Ok(())
    }

    /// Keep the present state, under the number of one that was kept or a new one.
    pub fn keep(&mut self, number: usize) -> Result<usize, UnitError> {
        let number = match number {
            0 => {
                self.next_state += 1;
                self.next_state - 1
            }
            n if self.states.contains_key(&n) => n,
            n => return Err(unknown_state(n)),
        };
        self.put_state(number, self.unit.save());
        Ok(number)
    }

    fn put_state(&mut self, number: usize, state: SavedUnit) {
        self.serialised = None;
        self.states.insert(number, state);
    }

    /// Back to a state that was kept.
    pub fn bring_back(&mut self, number: usize) -> CallResult {
        self.unit.restore(self.states.get(&number).ok_or_else(|| unknown_state(number))?)
    }

    /// Forget a state.
    pub fn forget(&mut self, number: usize) -> CallResult {
        self.serialised = None;
        match number {
            0 => Ok(()),
            n => self.states.remove(&n).map(|_| ()).ok_or_else(|| unknown_state(n)),
        }
    }

    /// A state as bytes.
    pub fn bytes(&mut self, number: usize) -> Result<&[u8], UnitError> {
        let state = self.states.get(&number).ok_or_else(|| unknown_state(number))?;
        let kept = self.serialised.take().filter(|s| s.0 == number);
        Ok(&self.serialised.insert(kept.unwrap_or_else(|| (number, state.to_bytes()))).1)
    }

    /// A state from bytes, under the number of one that was kept or a new one.
    pub fn read_state(&mut self, bytes: &[u8], number: usize) -> Result<usize, UnitError> {
        let read = SavedUnit::from_bytes(bytes);
        let state = read.ok_or_else(|| UnitError::refused("the bytes are no state of a unit, or are damaged"))?;
        let number = match number {
            0 => self.keep(0)?,
            n if self.states.contains_key(&n) => n,
            n => return Err(unknown_state(n)),
        };
        self.put_state(number, state);
        Ok(number)
    }
}

fn unknown_state(number: usize) -> UnitError {
    UnitError::refused(format!("there is no kept state of the number {number} in this instance"))
}

/// Run a call on an instance. What it comes to is said where that is not `Ok`; nothing leaves through a panic.
///
/// # Safety
/// As the crate says of instances.
pub unsafe fn call(instance: *mut c_void, work: impl FnOnce(&mut Instance) -> CallResult) -> Status {
    // SAFETY: an instance comes from `memory::give`
    let Some(instance) = (unsafe { memory::borrow(instance.cast::<Instance>()) }) else { return Status::Error };
    let answer = catch_unwind(AssertUnwindSafe(|| work(instance)));
    let answer = answer.unwrap_or_else(|_| Err(UnitError::stopped("the unit panicked")));
    match answer {
        Ok(()) => match instance.unknown.take() {
            None => Status::Ok,
            Some(why) => {
                instance.warning(&format!("not all numbers are known, and are NaN: {why}"));
                Status::Warning
            }
        },
        Err(e) => {
            if e.fatal {
                instance.unit.fail();
            }
            instance.error(&e.message);
            Status::Error
        }
    }
}

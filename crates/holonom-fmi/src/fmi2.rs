//! The functions of FMI 2.0.

use crate::instance::{CallResult, Instance, call};
use crate::log::{Logger, Logger2, Status, c_text};
use crate::memory::{array, array_mut, give, read, take_back, text, write};
use holonom_cosim::{UnitError, UnitMode};
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

/// An instance.
pub type Fmi2Component = *mut c_void;
/// A kept state: its number.
pub type Fmi2State = *mut c_void;

/// What the importing tool lends to an instance.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Fmi2Callbacks {
    /// Takes messages.
    pub logger: Option<Logger2>,
    /// Not used.
    pub allocate: Option<unsafe extern "C" fn(usize, usize) -> *mut c_void>,
    /// Not used.
    pub free: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Not used: steps end before they return.
    pub step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    /// Handed to the logger.
    pub environment: *mut c_void,
}

/// The types of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

/// The version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

/// A folder from its address: `file:///a%20b` is `/a b`.
fn folder_of(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file:")?;
    // file:/a, file:///a, file://localhost/a
    let rest = rest.strip_prefix("//localhost/").or(rest.strip_prefix("///")).or(rest.strip_prefix('/'))?;
    let mut bytes = Vec::with_capacity(rest.len() + 1);
    let windows = rest.as_bytes().get(1) == Some(&b':');
    if !windows {
        bytes.push(b'/');
    }
    let mut left = rest.as_bytes();
    while let Some((first, tail)) = left.split_first() {
        let coded = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match coded.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                left = &tail[2..];
            }
            None => {
                bytes.push(*first);
                left = tail;
            }
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A unit. The kind 1 is co-simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    resources: *const c_char,
    callbacks: *const Fmi2Callbacks,
    _visible: c_int,
    logging: c_int,
) -> Fmi2Component {
    // SAFETY: texts and places, as the crate says
    let (name, guid, resources, callbacks) = unsafe { (text(name), text(guid), text(resources), read(callbacks)) };
    let (log, environment) = callbacks.map_or((None, std::ptr::null_mut()), |c| (c.logger, c.environment));
    let logger = Logger::Two(log, environment, c_text(name.as_deref().unwrap_or("")));
    let refuse = |message: &str| {
        logger.say(Status::Error, "logStatusError", message);
        std::ptr::null_mut()
    };
    if kind != 1 {
        return refuse("the unit is for co-simulation, not for model exchange");
    }
    if name.is_none_or(|n| n.is_empty()) {
        return refuse("the instance has no name");
    }
    let folder = resources.as_deref().and_then(folder_of);
    if let (Some(address), None) = (&resources, &folder) {
        return refuse(&format!("the address of the resources, `{address}`, does not begin with file:"));
    }
    let made = Instance::open(folder.as_deref(), guid.as_deref(), logging != 0, logger);
    made.map_or(std::ptr::null_mut(), |i| give(i).cast())
}

/// The end of an instance and of the states it keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(instance: Fmi2Component) {
    // SAFETY: instances, as the crate says
    unsafe { take_back(instance.cast::<Instance>()) }
}

fn null(what: &str) -> UnitError {
    UnitError::refused(format!("the pointer to {what} is null"))
}

/// Which categories of messages are wanted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    instance: Fmi2Component,
    on: c_int,
    n: usize,
    categories: *const *const c_char,
) -> Status {
    // SAFETY: instances, arrays and texts, as the crate says
    unsafe {
        call(instance, |i| {
            let named = array(categories, n).ok_or_else(|| null("categories"))?;
            let named: Vec<String> = named.iter().filter_map(|c| text(*c)).collect();
            i.set_logging(on != 0, &named)
        })
    }
}

/// Start and end of the experiment, and the tolerance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    instance: Fmi2Component,
    tolerance_defined: c_int,
    tolerance: f64,
    start: f64,
    stop_defined: c_int,
    stop: f64,
) -> Status {
    // SAFETY: instances, as the crate says
    unsafe {
        call(instance, |i| {
            i.unit.set_up((tolerance_defined != 0).then_some(tolerance), start, (stop_defined != 0).then_some(stop))
        })
    }
}

/// Functions of an instance alone.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $work:expr;)*) => {
        $(
            $(#[$doc])*
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(instance: Fmi2Component) -> Status {
                // SAFETY: instances, as the crate says
                unsafe { call(instance, $work) }
            }
        )*
    };
}

plain! {
    /// Begin to make the start.
    fmi2EnterInitializationMode: |i| i.unit.enter_initialization();
    /// The start is made.
    fmi2ExitInitializationMode: |i| i.unit.exit_initialization();
    /// No further steps.
    fmi2Terminate: |i| i.unit.terminate();
    /// As it was when it was made.
    fmi2Reset: |i| {
        i.unit.reset();
        i.event("reset");
        Ok(())
    };
    /// Steps end before they return: there is nothing to cancel.
    fmi2CancelStep: |_| not_there("steps that go on in the background");
    /// There is none.
    fmi2EnterEventMode: |_| not_there("model exchange");
    /// There is none.
    fmi2EnterContinuousTimeMode: |_| not_there("model exchange");
}

fn not_there(what: &str) -> CallResult {
    Err(UnitError::refused(format!("the unit does not have {what}")))
}

/// Read variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(
    instance: Fmi2Component,
    references: *const u32,
    n: usize,
    values: *mut f64,
) -> Status {
    // SAFETY: instances and arrays, as the crate says
    unsafe {
        call(instance, |i| {
            let references = array(references, n).ok_or_else(|| null("value references"))?;
            i.get(references, array_mut(values, n).ok_or_else(|| null("values"))?)
        })
    }
}

/// Set variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(
    instance: Fmi2Component,
    references: *const u32,
    n: usize,
    values: *const f64,
) -> Status {
    // SAFETY: instances and arrays, as the crate says
    unsafe {
        call(instance, |i| {
            let references = array(references, n).ok_or_else(|| null("value references"))?;
            i.unit.set(references, array(values, n).ok_or_else(|| null("values"))?)
        })
    }
}

/// One communication step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(instance: Fmi2Component, from: f64, step: f64, _no_earlier_state: c_int) -> Status {
    // SAFETY: instances, as the crate says
    unsafe { call(instance, |i| i.unit.step(from, step)) }
}

/// The number of a state in the place of an address.
fn handle(number: usize) -> Fmi2State {
    std::ptr::without_provenance_mut(number)
}

/// Keep the present state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(instance: Fmi2Component, state: *mut Fmi2State) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| {
            let before = read(state).ok_or_else(|| null("the state"))?;
            write(state, handle(i.keep(before.addr())?));
            Ok(())
        })
    }
}

/// Back to a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(instance: Fmi2Component, state: Fmi2State) -> Status {
    // SAFETY: instances, as the crate says
    unsafe { call(instance, |i| i.bring_back(state.addr())) }
}

/// Forget a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(instance: Fmi2Component, state: *mut Fmi2State) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| {
            let Some(before) = read(state) else { return Ok(()) };
            i.forget(before.addr())?;
            write(state, std::ptr::null_mut());
            Ok(())
        })
    }
}

/// Bytes that a state takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    instance: Fmi2Component,
    state: Fmi2State,
    size: *mut usize,
) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| {
            write(size, i.bytes(state.addr())?.len());
            Ok(())
        })
    }
}

/// A state as bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    instance: Fmi2Component,
    state: Fmi2State,
    out: *mut u8,
    size: usize,
) -> Status {
    // SAFETY: instances and arrays, as the crate says
    unsafe {
        call(instance, |i| {
            let bytes = i.bytes(state.addr())?;
            if size != bytes.len() {
                let n = bytes.len();
                return Err(UnitError::refused(format!("room for {size} bytes of a state of {n}, must be as many")));
            }
            array_mut(out, size).ok_or_else(|| null("the bytes"))?.copy_from_slice(bytes);
            Ok(())
        })
    }
}

/// A state from bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    instance: Fmi2Component,
    bytes: *const u8,
    size: usize,
    state: *mut Fmi2State,
) -> Status {
    // SAFETY: instances, arrays and places, as the crate says
    unsafe {
        call(instance, |i| {
            let before = read(state).ok_or_else(|| null("the state"))?;
            let bytes = array(bytes, size).ok_or_else(|| null("the bytes"))?;
            write(state, handle(i.read_state(bytes, before.addr())?));
            Ok(())
        })
    }
}

/// A number about the last step. The kind 2 is the time that was reached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(instance: Fmi2Component, kind: c_int, value: *mut f64) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| match kind {
            2 => {
                write(value, i.unit.time());
                Ok(())
            }
            _ => not_there("such a status"),
        })
    }
}

/// Something about the last step that is true or false. The kind 3: does the unit want to end?
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(instance: Fmi2Component, kind: c_int, value: *mut c_int) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| match kind {
            3 => {
                write(value, c_int::from(i.unit.mode() == UnitMode::Failed));
                Ok(())
            }
            _ => not_there("such a status"),
        })
    }
}

/// Functions that are fine where they are asked for nothing, and refused where they are asked for anything.
macro_rules! no_variables {
    ($($name:ident($($argument:ident: $type:ty),*), $what:literal;)*) => {
        $(
            #[doc = concat!("The unit does not have ", $what, ".")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(instance: Fmi2Component, _references: *const u32, n: usize, $($argument: $type),*) -> Status {
                $(let _ = $argument;)*
                // SAFETY: instances, as the crate says
                unsafe { call(instance, |_| if n == 0 { Ok(()) } else { not_there($what) }) }
            }
        )*
    };
}

no_variables! {
    fmi2GetInteger(values: *mut c_int), "variables of the type Integer";
    fmi2GetBoolean(values: *mut c_int), "variables of the type Boolean";
    fmi2GetString(values: *mut *const c_char), "variables of the type String";
    fmi2SetInteger(values: *const c_int), "variables of the type Integer";
    fmi2SetBoolean(values: *const c_int), "variables of the type Boolean";
    fmi2SetString(values: *const *const c_char), "variables of the type String";
    fmi2SetRealInputDerivatives(orders: *const c_int, values: *const f64), "inputs that are interpolated";
    fmi2GetRealOutputDerivatives(orders: *const c_int, values: *mut f64), "derivatives of outputs";
    fmi2GetDirectionalDerivative(knowns: *const u32, m: usize, seed: *const f64, out: *mut f64), "directional derivatives";
}

/// Functions that are refused always.
macro_rules! always_refused {
    ($($name:ident($($argument:ident: $type:ty),*), $what:literal;)*) => {
        $(
            #[doc = concat!("The unit does not have ", $what, ".")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(instance: Fmi2Component, $($argument: $type),*) -> Status {
                $(let _ = $argument;)*
                // SAFETY: instances, as the crate says
                unsafe { call(instance, |_| not_there($what)) }
            }
        )*
    };
}

always_refused! {
    fmi2GetStatus(kind: c_int, value: *mut c_int), "steps that go on in the background";
    fmi2GetIntegerStatus(kind: c_int, value: *mut c_int), "such a status";
    fmi2GetStringStatus(kind: c_int, value: *mut *const c_char), "such a status";
    fmi2NewDiscreteStates(info: *mut c_void), "model exchange";
    fmi2CompletedIntegratorStep(earlier: c_int, event: *mut c_int, terminate: *mut c_int), "model exchange";
    fmi2SetTime(time: f64), "model exchange";
    fmi2SetContinuousStates(states: *const f64, n: usize), "model exchange";
    fmi2GetDerivatives(derivatives: *mut f64, n: usize), "model exchange";
    fmi2GetEventIndicators(indicators: *mut f64, n: usize), "model exchange";
    fmi2GetContinuousStates(states: *mut f64, n: usize), "model exchange";
    fmi2GetNominalsOfContinuousStates(nominals: *mut f64, n: usize), "model exchange";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_from_addresses() {
        for (address, folder) in [
            ("file:///tmp/a%20b/resources", Some("/tmp/a b/resources")),
            ("file:/tmp/x", Some("/tmp/x")),
            ("file://localhost/tmp/x", Some("/tmp/x")),
            ("file:///C:/x%C3%A9", Some("C:/xé")),
            ("file:///tmp/100%", Some("/tmp/100%")),
            ("http://example.org/x", None),
            ("/tmp/x", None),
            ("", None),
        ] {
            assert_eq!(folder_of(address), folder.map(PathBuf::from), "{address}");
        }
    }
}

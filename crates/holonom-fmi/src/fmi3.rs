//! The functions of FMI 3.0. What a unit of co-simulation without events, clocks and other types of variables has no
//! use for is there too, as the standard wants it, and is refused.

use crate::instance::{CallResult, Instance, call};
use crate::log::{Logger, Logger3, Status};
use crate::memory::{array, array_mut, give, read, take_back, text, write};
use holonom_cosim::UnitError;
use std::ffi::{c_char, c_void};
use std::path::PathBuf;

/// An instance.
pub type Fmi3Instance = *mut c_void;
/// A kept state: its number.
pub type Fmi3State = *mut c_void;

/// The version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// A unit of co-simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    _name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    event_mode: bool,
    _early_return: bool,
    _intermediate: *const u32,
    n_intermediate: usize,
    environment: *mut c_void,
    log: Option<Logger3>,
    _update: *const c_void,
) -> Fmi3Instance {
    let logger = Logger::Three(log, environment);
    let refuse = |message: &str| {
        logger.say(Status::Error, "logStatusError", message);
        std::ptr::null_mut()
    };
    if event_mode {
        return refuse("the unit has no event mode (hasEventMode is false)");
    }
    if n_intermediate > 0 {
        return refuse("the unit has no intermediate variables (providesIntermediateUpdate is false)");
    }
    // SAFETY: texts, as the crate says
    let (token, folder) = unsafe { (text(token), text(resources).map(PathBuf::from)) };
    Instance::open(folder.as_deref(), token.as_deref(), logging, logger)
        .map_or(std::ptr::null_mut(), |i| give(i).cast())
}

/// There is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Option<Logger3>,
) -> Fmi3Instance {
    not_that_kind(environment, log, "model exchange")
}

/// There is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Option<Logger3>,
    _update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> Fmi3Instance {
    not_that_kind(environment, log, "scheduled execution")
}

fn not_that_kind(environment: *mut c_void, log: Option<Logger3>, what: &str) -> Fmi3Instance {
    let message = format!("the unit is for co-simulation, not for {what}");
    Logger::Three(log, environment).say(Status::Error, "logStatusError", &message);
    std::ptr::null_mut()
}

/// The end of an instance and of the states it keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: Fmi3Instance) {
    // SAFETY: instances, as the crate says
    unsafe { take_back(instance.cast::<Instance>()) }
}

/// Which categories of messages are wanted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: Fmi3Instance,
    on: bool,
    n: usize,
    categories: *const *const c_char,
) -> Status {
    // SAFETY: instances, arrays and texts, as the crate says
    unsafe {
        call(instance, |i| {
            let named = array(categories, n).ok_or_else(|| null("categories"))?;
            let named: Vec<String> = named.iter().filter_map(|c| text(*c)).collect();
            i.set_logging(on, &named)
        })
    }
}

fn null(what: &str) -> UnitError {
    UnitError::refused(format!("the pointer to {what} is null"))
}

/// Begin to make the start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    instance: Fmi3Instance,
    tolerance_defined: bool,
    tolerance: f64,
    start: f64,
    stop_defined: bool,
    stop: f64,
) -> Status {
    // SAFETY: instances, as the crate says
    unsafe {
        call(instance, |i| {
            i.unit.set_up(tolerance_defined.then_some(tolerance), start, stop_defined.then_some(stop))?;
            i.unit.enter_initialization()
        })
    }
}

/// The start is made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: Fmi3Instance) -> Status {
    // SAFETY: instances, as the crate says
    unsafe {
        call(instance, |i| {
            i.unit.exit_initialization()?;
            i.event(&format!("the start is made, at {} s", i.unit.time()));
            Ok(())
        })
    }
}

/// No further steps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: Fmi3Instance) -> Status {
    // SAFETY: instances, as the crate says
    unsafe { call(instance, |i| i.unit.terminate()) }
}

/// As it was when it was made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: Fmi3Instance) -> Status {
    // SAFETY: instances, as the crate says
    unsafe {
        call(instance, |i| {
            i.unit.reset();
            i.event("reset");
            Ok(())
        })
    }
}

/// Read variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    instance: Fmi3Instance,
    references: *const u32,
    n: usize,
    values: *mut f64,
    n_values: usize,
) -> Status {
    // SAFETY: instances and arrays, as the crate says
    unsafe {
        call(instance, |i| {
            let references = array(references, n).ok_or_else(|| null("value references"))?;
            i.get(references, array_mut(values, n_values).ok_or_else(|| null("values"))?)
        })
    }
}

/// Set variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    instance: Fmi3Instance,
    references: *const u32,
    n: usize,
    values: *const f64,
    n_values: usize,
) -> Status {
    // SAFETY: instances and arrays, as the crate says
    unsafe {
        call(instance, |i| {
            let references = array(references, n).ok_or_else(|| null("value references"))?;
            i.unit.set(references, array(values, n_values).ok_or_else(|| null("values"))?)
        })
    }
}

/// One communication step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: Fmi3Instance,
    from: f64,
    step: f64,
    _no_earlier_state: bool,
    event: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    reached: *mut f64,
) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        for flag in [event, terminate, early] {
            write(flag, false);
        }
        call(instance, |i| {
            let done = i.unit.step(from, step);
            write(reached, i.unit.time());
            done
        })
    }
}

/// Keep the present state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFMUState(instance: Fmi3Instance, state: *mut Fmi3State) -> Status {
    // SAFETY: instances and places, as the crate says
    unsafe {
        call(instance, |i| {
            let before = read(state).ok_or_else(|| null("the state"))?;
            write(state, handle(i.keep(before.addr())?));
            Ok(())
        })
    }
}

/// The number of a state in the place of an address.
fn handle(number: usize) -> Fmi3State {
    std::ptr::without_provenance_mut(number)
}

/// Back to a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFMUState(instance: Fmi3Instance, state: Fmi3State) -> Status {
    // SAFETY: instances, as the crate says
    unsafe { call(instance, |i| i.bring_back(state.addr())) }
}

/// Forget a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeFMUState(instance: Fmi3Instance, state: *mut Fmi3State) -> Status {
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
pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
    instance: Fmi3Instance,
    state: Fmi3State,
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
pub unsafe extern "C" fn fmi3SerializeFMUState(
    instance: Fmi3Instance,
    state: Fmi3State,
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
pub unsafe extern "C" fn fmi3DeserializeFMUState(
    instance: Fmi3Instance,
    bytes: *const u8,
    size: usize,
    state: *mut Fmi3State,
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

/// What the unit does not have.
unsafe fn refused(instance: Fmi3Instance, what: &str) -> Status {
    // SAFETY: instances, as the crate says
    unsafe { call(instance, |_| -> CallResult { Err(UnitError::refused(format!("the unit does not have {what}"))) }) }
}

/// Functions whose variables do not exist: fine for none of them, refused for any.
macro_rules! no_variables {
    ($($name:ident($($argument:ident: $type:ty),*), $what:literal;)*) => {
        $(
            #[doc = concat!("The unit does not have ", $what, ".")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(instance: Fmi3Instance, _references: *const u32, n: usize, $($argument: $type),*) -> Status {
                $(let _ = $argument;)*
                if n == 0 && !instance.is_null() {
                    return Status::Ok;
                }
                // SAFETY: instances, as the crate says
                unsafe { refused(instance, $what) }
            }
        )*
    };
}

no_variables! {
    fmi3GetFloat32(values: *mut f32, m: usize), "variables of the type Float32";
    fmi3GetInt8(values: *mut i8, m: usize), "variables of the type Int8";
    fmi3GetUInt8(values: *mut u8, m: usize), "variables of the type UInt8";
    fmi3GetInt16(values: *mut i16, m: usize), "variables of the type Int16";
    fmi3GetUInt16(values: *mut u16, m: usize), "variables of the type UInt16";
    fmi3GetInt32(values: *mut i32, m: usize), "variables of the type Int32";
    fmi3GetUInt32(values: *mut u32, m: usize), "variables of the type UInt32";
    fmi3GetInt64(values: *mut i64, m: usize), "variables of the type Int64";
    fmi3GetUInt64(values: *mut u64, m: usize), "variables of the type UInt64";
    fmi3GetBoolean(values: *mut bool, m: usize), "variables of the type Boolean";
    fmi3GetString(values: *mut *const c_char, m: usize), "variables of the type String";
    fmi3GetBinary(sizes: *mut usize, values: *mut *const u8, m: usize), "variables of the type Binary";
    fmi3GetClock(values: *mut bool), "clocks";
    fmi3SetFloat32(values: *const f32, m: usize), "variables of the type Float32";
    fmi3SetInt8(values: *const i8, m: usize), "variables of the type Int8";
    fmi3SetUInt8(values: *const u8, m: usize), "variables of the type UInt8";
    fmi3SetInt16(values: *const i16, m: usize), "variables of the type Int16";
    fmi3SetUInt16(values: *const u16, m: usize), "variables of the type UInt16";
    fmi3SetInt32(values: *const i32, m: usize), "variables of the type Int32";
    fmi3SetUInt32(values: *const u32, m: usize), "variables of the type UInt32";
    fmi3SetInt64(values: *const i64, m: usize), "variables of the type Int64";
    fmi3SetUInt64(values: *const u64, m: usize), "variables of the type UInt64";
    fmi3SetBoolean(values: *const bool, m: usize), "variables of the type Boolean";
    fmi3SetString(values: *const *const c_char, m: usize), "variables of the type String";
    fmi3SetBinary(sizes: *const usize, values: *const *const u8, m: usize), "variables of the type Binary";
    fmi3SetClock(values: *const bool), "clocks";
    fmi3GetIntervalDecimal(intervals: *mut f64, qualifiers: *mut i32), "clocks";
    fmi3GetIntervalFraction(counters: *mut u64, resolutions: *mut u64, qualifiers: *mut i32), "clocks";
    fmi3GetShiftDecimal(shifts: *mut f64), "clocks";
    fmi3GetShiftFraction(counters: *mut u64, resolutions: *mut u64), "clocks";
    fmi3SetIntervalDecimal(intervals: *const f64), "clocks";
    fmi3SetIntervalFraction(counters: *const u64, resolutions: *const u64), "clocks";
    fmi3SetShiftDecimal(shifts: *const f64), "clocks";
    fmi3SetShiftFraction(counters: *const u64, resolutions: *const u64), "clocks";
    fmi3GetOutputDerivatives(orders: *const i32, values: *mut f64, m: usize), "derivatives of outputs";
    fmi3GetDirectionalDerivative(knowns: *const u32, m: usize, seed: *const f64, n_seed: usize, out: *mut f64, n_out: usize),
        "directional derivatives";
    fmi3GetAdjointDerivative(knowns: *const u32, m: usize, seed: *const f64, n_seed: usize, out: *mut f64, n_out: usize),
        "adjoint derivatives";
}

/// Functions that are refused always.
macro_rules! not_there {
    ($($name:ident($($argument:ident: $type:ty),*), $what:literal;)*) => {
        $(
            #[doc = concat!("The unit does not have ", $what, ".")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(instance: Fmi3Instance, $($argument: $type),*) -> Status {
                $(let _ = $argument;)*
                // SAFETY: instances, as the crate says
                unsafe { refused(instance, $what) }
            }
        )*
    };
}

not_there! {
    fmi3EnterEventMode(), "an event mode";
    fmi3EnterStepMode(), "an event mode, from which it would go back to steps";
    fmi3EnterConfigurationMode(), "structural parameters";
    fmi3ExitConfigurationMode(), "structural parameters";
    fmi3EvaluateDiscreteStates(), "discrete states";
    fmi3UpdateDiscreteStates(
        needed: *mut bool, terminate: *mut bool, nominals: *mut bool, values: *mut bool, defined: *mut bool, time: *mut f64
    ), "discrete states";
    fmi3EnterContinuousTimeMode(), "model exchange";
    fmi3CompletedIntegratorStep(earlier: bool, event: *mut bool, terminate: *mut bool), "model exchange";
    fmi3SetTime(time: f64), "model exchange";
    fmi3SetContinuousStates(states: *const f64, n: usize), "model exchange";
    fmi3GetContinuousStateDerivatives(derivatives: *mut f64, n: usize), "model exchange";
    fmi3GetEventIndicators(indicators: *mut f64, n: usize), "model exchange";
    fmi3GetContinuousStates(states: *mut f64, n: usize), "model exchange";
    fmi3GetNominalsOfContinuousStates(nominals: *mut f64, n: usize), "model exchange";
    fmi3GetNumberOfEventIndicators(n: *mut usize), "model exchange";
    fmi3GetNumberOfContinuousStates(n: *mut usize), "model exchange";
    fmi3GetNumberOfVariableDependencies(reference: u32, n: *mut usize), "dependencies that change";
    fmi3GetVariableDependencies(
        dependent: u32, elements: *mut usize, independents: *mut u32, of_these: *mut usize, kinds: *mut i32, n: usize
    ), "dependencies that change";
    fmi3ActivateModelPartition(clock: u32, time: f64), "scheduled execution";
}

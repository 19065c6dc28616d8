//! The C interface, called as an importing tool in C would: pointers that are null, lengths that do not fit, calls out
//! of order, states that are gone, and a life from beginning to end. Small enough for Miri:
//!
//! ```text
//! MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p holonom-fmi --test interface
//! ```

use holonom_cosim::UnitPlan;
use holonom_cosim::export::{UnitChoices, plan, resources};
use holonom_fmi::{fmi2, fmi3};
use holonom_scene::{Limits, Loader};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

const OK: c_int = 0;
const ERROR: c_int = 3;

const SCENE: &str = r#"
[params]
mass = 2.0
[body.ball]
kind = "particle"
mass = "${mass}"
at = [0, 0, 1]
[joint.guide]
kind = "point-on-line"
b = "ball"
axis = [0, 0, 1]
[run]
integrator = "rk4"
dt = 0.01
[record]
columns = ["ball.pos.z", "ball.vel.z"]
"#;

/// A folder of resources that is gone at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn unit(name: &str) -> (Folder, UnitPlan) {
    let loaded = Loader::new().load_text("ball.toml", SCENE).map_err(|e| e.render()).expect("reads");
    let model = loaded.build().map_err(|e| e.render()).expect("builds");
    let choices = UnitChoices { name: "ball".into(), inputs: None, outputs: Vec::new(), limits: Limits::default() };
    let Ok(mut plan) = plan(&loaded, &model, &choices) else { panic!("no plan") };
    let folder = std::env::temp_dir().join(format!("holonom-fmi-{}-{name} %", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    for (file, content) in resources(&mut plan, &loaded).map_err(|e| e.text()).expect("resources") {
        std::fs::write(folder.join(file), content).expect("written");
    }
    (Folder(folder), plan)
}

fn c(text: &str) -> CString {
    CString::new(text).expect("no zeros")
}

/// What an importing tool keeps of messages.
type Said = Vec<(c_int, String)>;

unsafe extern "C" fn note(environment: *mut c_void, status: c_int, _category: *const c_char, message: *const c_char) {
    // SAFETY: the environment is the list below, and the message ends in a zero
    unsafe { (*environment.cast::<Said>()).push((status, CStr::from_ptr(message).to_string_lossy().into_owned())) }
}

unsafe fn open3(folder: &Path, token: &str, said: *mut Said) -> *mut c_void {
    let (name, token, folder) = (c("ball"), c(token), c(folder.to_str().expect("text")));
    // SAFETY: texts that live as long as the call, and a list that lives longer than the instance
    unsafe {
        fmi3::fmi3InstantiateCoSimulation(
            name.as_ptr(),
            token.as_ptr(),
            folder.as_ptr(),
            false,
            true,
            false,
            false,
            null(),
            0,
            said.cast(),
            Some(note),
            null(),
        )
    }
}

fn reference(plan: &UnitPlan, name: &str) -> u32 {
    plan.variables().find(|v| v.name == name).expect("there").reference
}

#[test]
fn a_life_from_beginning_to_end() {
    let (folder, plan) = unit("life");
    let said: *mut Said = Box::into_raw(Box::default());
    let (z, mass) = ([reference(&plan, "ball.pos.z")], [reference(&plan, "mass")]);
    // SAFETY: arrays of the lengths that stand beside them, and an instance that is freed once, at the end
    unsafe {
        let i = open3(&folder.0, &plan.token, said);
        assert!(!i.is_null());
        assert_eq!(fmi3::fmi3SetFloat64(i, mass.as_ptr(), 1, [3.0].as_ptr(), 1) as c_int, OK);
        assert_eq!(fmi3::fmi3EnterInitializationMode(i, false, 0.0, 0.0, true, 1.0) as c_int, OK);
        assert_eq!(fmi3::fmi3ExitInitializationMode(i) as c_int, OK);
        let (mut event, mut stop, mut early, mut reached) = (true, true, true, -1.0);
        let flags = (&raw mut event, &raw mut stop, &raw mut early, &raw mut reached);
        assert_eq!(fmi3::fmi3DoStep(i, 0.0, 0.02, true, flags.0, flags.1, flags.2, flags.3) as c_int, OK);
        assert_eq!((event, stop, early, reached), (false, false, false, 0.02));
        let mut height = [0.0];
        assert_eq!(fmi3::fmi3GetFloat64(i, z.as_ptr(), 1, height.as_mut_ptr(), 1) as c_int, OK);
        assert!((height[0] - (1.0 - 0.5 * 9.81 * 0.02 * 0.02)).abs() < 1e-12, "{height:?}");
        // a state: kept, on, back, as bytes, gone
        let mut state = null_mut();
        assert_eq!(fmi3::fmi3GetFMUState(i, &raw mut state) as c_int, OK);
        assert_eq!(fmi3::fmi3DoStep(i, 0.02, 0.02, true, null_mut(), null_mut(), null_mut(), null_mut()) as c_int, OK);
        assert_eq!(fmi3::fmi3SetFMUState(i, state) as c_int, OK);
        let mut again = [0.0];
        assert_eq!(fmi3::fmi3GetFloat64(i, z.as_ptr(), 1, again.as_mut_ptr(), 1) as c_int, OK);
        assert_eq!(height, again);
        let mut size = 0;
        assert_eq!(fmi3::fmi3SerializedFMUStateSize(i, state, &raw mut size) as c_int, OK);
        let mut bytes = vec![0u8; size];
        assert_eq!(fmi3::fmi3SerializeFMUState(i, state, bytes.as_mut_ptr(), size) as c_int, OK);
        assert_eq!(fmi3::fmi3SerializeFMUState(i, state, bytes.as_mut_ptr(), size - 1) as c_int, ERROR);
        let mut copy = null_mut();
        assert_eq!(fmi3::fmi3DeserializeFMUState(i, bytes.as_ptr(), size, &raw mut copy) as c_int, OK);
        assert_ne!(copy, state);
        assert_eq!(fmi3::fmi3SetFMUState(i, copy) as c_int, OK);
        for kept in [&mut state, &mut copy] {
            assert_eq!(fmi3::fmi3FreeFMUState(i, &raw mut *kept) as c_int, OK);
            assert!(kept.is_null());
        }
        // of one that is kept when the instance ends, nothing leaks
        assert_eq!(fmi3::fmi3GetFMUState(i, &raw mut state) as c_int, OK);
        assert_eq!(fmi3::fmi3Terminate(i) as c_int, OK);
        fmi3::fmi3FreeInstance(i);
        let said = Box::from_raw(said);
        assert_eq!(said.iter().filter(|s| s.0 == ERROR).count(), 1, "{said:?}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let (folder, plan) = unit("refused");
    let said: *mut Said = Box::into_raw(Box::default());
    let z = [reference(&plan, "ball.pos.z")];
    let mut values = [0.0; 2];
    // SAFETY: as above; null where nothing is to be followed
    unsafe {
        // no instance
        assert!(open3(&folder.0, "{another}", said).is_null());
        assert!(open3(Path::new("/no/such/folder"), &plan.token, said).is_null());
        assert_eq!((*said).len(), 2);
        assert_eq!(fmi3::fmi3Terminate(null_mut()) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetFloat64(null_mut(), z.as_ptr(), 1, values.as_mut_ptr(), 1) as c_int, ERROR);
        fmi3::fmi3FreeInstance(null_mut());
        let i = open3(&folder.0, &plan.token, said);
        assert_eq!(fmi3::fmi3EnterInitializationMode(i, true, f64::NAN, 0.0, false, 0.0) as c_int, ERROR);
        assert_eq!(fmi3::fmi3EnterInitializationMode(i, false, 0.0, 0.0, false, 0.0) as c_int, OK);
        assert_eq!(fmi3::fmi3ExitInitializationMode(i) as c_int, OK);
        // arrays
        assert_eq!(fmi3::fmi3GetFloat64(i, null(), 1, values.as_mut_ptr(), 1) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetFloat64(i, z.as_ptr(), 1, null_mut(), 1) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetFloat64(i, z.as_ptr(), 1, values.as_mut_ptr(), 2) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetFloat64(i, null(), 0, null_mut(), 0) as c_int, OK);
        assert_eq!(fmi3::fmi3GetFloat64(i, [12345].as_ptr(), 1, values.as_mut_ptr(), 1) as c_int, ERROR);
        assert_eq!(values, [0.0; 2]);
        // types and modes that there are not
        assert_eq!(fmi3::fmi3GetInt32(i, z.as_ptr(), 1, null_mut(), 1) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetInt32(i, null(), 0, null_mut(), 0) as c_int, OK);
        assert_eq!(fmi3::fmi3EnterEventMode(i) as c_int, ERROR);
        assert_eq!(fmi3::fmi3SetTime(i, 0.0) as c_int, ERROR);
        // states
        let made_up = std::ptr::without_provenance_mut(77);
        assert_eq!(fmi3::fmi3SetFMUState(i, made_up) as c_int, ERROR);
        assert_eq!(fmi3::fmi3SetFMUState(i, null_mut()) as c_int, ERROR);
        assert_eq!(fmi3::fmi3GetFMUState(i, null_mut()) as c_int, ERROR);
        assert_eq!(fmi3::fmi3FreeFMUState(i, null_mut()) as c_int, OK);
        let mut state = null_mut();
        assert_eq!(fmi3::fmi3DeserializeFMUState(i, [1, 2, 3].as_ptr(), 3, &raw mut state) as c_int, ERROR);
        // messages
        let (known, unknown) = (c("logEvents"), c("logNonsense"));
        assert_eq!(fmi3::fmi3SetDebugLogging(i, true, 1, [known.as_ptr()].as_ptr()) as c_int, OK);
        assert_eq!(fmi3::fmi3SetDebugLogging(i, true, 1, [unknown.as_ptr()].as_ptr()) as c_int, ERROR);
        fmi3::fmi3FreeInstance(i);
        drop(Box::from_raw(said));
    }
}

#[test]
fn the_second_version_too() {
    let (folder, plan) = unit("second");
    let address = format!("file://{}", folder.0.display()).replace('%', "%25").replace(' ', "%20");
    let (name, guid, address) = (c("ball"), c(&plan.token), c(&address));
    let (z, mut height) = ([reference(&plan, "ball.pos.z"), 0], [0.0; 2]);
    // without any function for messages
    let callbacks =
        fmi2::Fmi2Callbacks { logger: None, allocate: None, free: None, step_finished: None, environment: null_mut() };
    // SAFETY: as above
    unsafe {
        let open = |kind| {
            let (name, guid, address) = (name.as_ptr(), guid.as_ptr(), address.as_ptr());
            fmi2::fmi2Instantiate(name, kind, guid, address, &raw const callbacks, 0, 1)
        };
        assert!(open(0).is_null(), "model exchange");
        let i = open(1);
        assert!(!i.is_null());
        assert_eq!(fmi2::fmi2SetupExperiment(i, 0, 0.0, 0.0, 0, 0.0) as c_int, OK);
        assert_eq!(fmi2::fmi2EnterInitializationMode(i) as c_int, OK);
        assert_eq!(fmi2::fmi2ExitInitializationMode(i) as c_int, OK);
        assert_eq!(fmi2::fmi2DoStep(i, 0.0, 0.02, 1) as c_int, OK);
        assert_eq!(fmi2::fmi2DoStep(i, 0.0, 0.02, 1) as c_int, ERROR);
        assert_eq!(fmi2::fmi2GetReal(i, z.as_ptr(), 2, height.as_mut_ptr()) as c_int, OK);
        assert!((height[0] - (1.0 - 0.5 * 9.81 * 0.02 * 0.02)).abs() < 1e-12 && height[1] == 0.02, "{height:?}");
        let mut reached = 0.0;
        assert_eq!(fmi2::fmi2GetRealStatus(i, 2, &raw mut reached) as c_int, OK);
        assert_eq!(reached, 0.02);
        assert_eq!(fmi2::fmi2GetStatus(i, 0, null_mut()) as c_int, ERROR);
        assert_eq!(fmi2::fmi2CancelStep(i) as c_int, ERROR);
        assert_eq!(fmi2::fmi2Terminate(i) as c_int, OK);
        fmi2::fmi2FreeInstance(i);
    }
}

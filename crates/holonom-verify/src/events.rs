//! Runs with contact: what happened, and when.

use crate::comparison::VerifyError;
use crate::scenes::{ProblemScene, load_with};
use holonom::prelude::*;
use holonom::{Event, EventKind};

/// Step control below what is compared; events are located to rounding whatever it is.
const SHARP: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// A scene with events followed.
pub(crate) fn sharp(name: &str, parameters: &[(&str, f64)], settings: &[&str]) -> Result<ProblemScene, VerifyError> {
    let mut loaded = load_with(name, parameters, settings)?;
    loaded.sim.set_integrator(SHARP);
    Ok(loaded)
}

/// Run to `t`, and say what happened.
pub(crate) fn watch(sim: &mut Simulation, t: f64) -> Result<Vec<Event>, VerifyError> {
    sim.keep_events(10_000);
    sim.run_until(t)?;
    Ok(sim.take_events())
}

/// When something of a kind happened first after the start.
pub(crate) fn first(events: &[Event], kind: EventKind) -> Option<f64> {
    events.iter().find(|e| e.kind == kind && e.time > 0.0).map(|e| e.time)
}

/// Where `test` becomes true between `low`, where it is not, and `high`, where it is: by halving.
pub(crate) fn threshold(
    mut low: f64,
    mut high: f64,
    mut test: impl FnMut(f64) -> Result<bool, VerifyError>,
) -> Result<f64, VerifyError> {
    for _ in 0..45 {
        let middle = 0.5 * (low + high);
        if test(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(0.5 * (low + high))
}

/// Length of the acceleration of everything, m/s² and rad/s² alike.
pub(crate) fn largest_acceleration(sim: &mut Simulation) -> Result<f64, VerifyError> {
    Ok(sim.accelerations()?.iter().fold(0.0, |m: f64, x| m.max(x.abs())))
}

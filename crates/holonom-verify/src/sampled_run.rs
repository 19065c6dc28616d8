//! A run with its states at all sample times, and events found between them.

use holonom::math::{Quat, Vec3, quat_from_axes};
use holonom::prelude::*;

/// Step control at the level of rounding. The flip of p09 needs it: near the separatrix its period feels errors of
/// energy and momentum forty thousand times over, and at 1e-13 they are just within what is allowed.
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-14, absolute: 1e-14 };

/// Which way an event function passes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    Up,
    Down,
}

/// A simulation and where it was at the sample times.
pub(crate) struct SampledRun {
    pub sim: Simulation,
    pub states: Vec<State>,
}

impl SampledRun {
    /// Run, stepping exactly to each of `times`; the first is the start.
    pub fn run(sim: Simulation, times: impl Iterator<Item = f64>) -> Result<SampledRun, StepError> {
        SampledRun::run_with(sim, TIGHT, times)
    }

    /// The same with another integrator.
    pub fn run_with(
        mut sim: Simulation,
        integrator: IntegratorKind,
        times: impl Iterator<Item = f64>,
    ) -> Result<SampledRun, StepError> {
        sim.set_integrator(integrator);
        let mut states = Vec::new();
        for t in times {
            sim.run_until(t)?;
            states.push(sim.state().clone());
        }
        Ok(SampledRun { sim, states })
    }

    /// Read something off every sample.
    pub fn read<T>(&mut self, mut look: impl FnMut(&mut Simulation) -> T) -> Vec<T> {
        let SampledRun { sim, states } = self;
        let mut at = |state: &State| {
            sim.set_state(state.clone());
            look(sim)
        };
        states.iter().map(&mut at).collect()
    }

    /// Largest gap of any joint at any sample.
    pub fn gaps(&mut self) -> Vec<f64> {
        self.read(|sim| sim.violation().0)
    }

    /// Total energy at every sample, J.
    pub fn energies(&mut self) -> Vec<f64> {
        self.read(|sim| sim.energy().total())
    }

    /// The states where `event` passes zero after the first sample, to the last bit of time. Each is reached by the
    /// integrator itself, not by interpolation: the run is taken back to the sample before and stepped exactly to the
    /// time in question.
    pub fn events(
        &mut self,
        crossing: Crossing,
        mut event: impl FnMut(&mut Simulation) -> f64,
    ) -> Result<Vec<State>, StepError> {
        let sign = if crossing == Crossing::Up { 1.0 } else { -1.0 };
        let mut event = |sim: &mut Simulation| sign * event(sim);
        let values = self.read(&mut event);
        let mut found = Vec::new();
        for k in 1..values.len().saturating_sub(1) {
            if values[k] < 0.0 && values[k + 1] >= 0.0 {
                let bracket = (self.states[k + 1].t, values[k], values[k + 1]);
                found.push(self.locate(&self.states[k].clone(), bracket, &mut event)?);
            }
        }
        Ok(found)
    }

    /// Regula falsi with Illinois' correction, between `from` and the time `end.0` where the event function is `end.1`
    /// and `end.2`.
    fn locate(
        &mut self,
        from: &State,
        end: (f64, f64, f64),
        event: &mut impl FnMut(&mut Simulation) -> f64,
    ) -> Result<State, StepError> {
        let (mut a, mut b) = (from.t, end.0);
        let (mut fa, mut fb) = (end.1, end.2);
        let mut best = (f64::INFINITY, from.clone());
        for _ in 0..60 {
            let t = ((a * fb - b * fa) / (fb - fa)).clamp(a, b);
            self.sim.set_state(from.clone());
            self.sim.run_until(t)?;
            let f = event(&mut self.sim);
            if f.abs() < best.0 {
                best = (f.abs(), self.sim.state().clone());
            }
            if f == 0.0 || b - a <= 1e-15 * b.abs().max(1.0) {
                break;
            }
            if f < 0.0 {
                (a, fa, fb) = (t, f, 0.5 * fb);
            } else {
                (b, fb, fa) = (t, f, 0.5 * fa);
            }
        }
        Ok(best.1)
    }
}

/// Steps of fixed length to `end`, as a program with a clock of its own takes them; a look at the start and after each.
pub(crate) fn fixed_steps(
    sim: &mut Simulation,
    end: f64,
    step: f64,
    mut look: impl FnMut(&mut Simulation),
) -> Result<(), StepError> {
    look(sim);
    for k in 1..=(end / step).round() as u64 {
        sim.run_fixed(k as f64 * step, step)?;
        look(sim);
    }
    Ok(())
}

/// Mean time between the start and the last of some events that come once per period.
pub(crate) fn period(events: &[State]) -> Option<f64> {
    events.last().map(|last| last.t / events.len() as f64)
}

/// Orientation of a body as (w, x, y, z), with the sign nearest to `reference`: a quaternion and its negative are the
/// same rotation.
pub(crate) fn quaternion(axes: holonom::Mat3, reference: &[f64]) -> [f64; 4] {
    let e: Quat = quat_from_axes(axes);
    let q = [e.w, e.x, e.y, e.z];
    let along: f64 = q.iter().zip(reference).map(|(a, b)| a * b).sum();
    if along < 0.0 { q.map(|x| -x) } else { q }
}

/// Angle from the downward vertical in the x-y plane, x = sin(angle), y = -cos(angle), and its rate. The angle is the
/// one nearest to `before`, that of the sample before.
pub(crate) fn pendulum_angle(r: Vec3, v: Vec3, before: f64) -> (f64, f64) {
    let angle = holonom::math::unwrap_angle(r.x.atan2(-r.y), before);
    (angle, (r.x * v.y - r.y * v.x) / (r.x * r.x + r.y * r.y))
}

//! How a tick is taken.
//!
//! A tick is a fixed length of simulated time. *Accurate* ticks are taken as the scene says: by its integrator, its
//! fixed step or its error control, so that what is seen is what `holonom run` computes. *Real-time* ticks are taken by
//! velocity-level stepping, one solve each whatever happens. While something is grabbed ticks are taken that way too: a
//! hand with a cap is an inequality, and stepping has a solution whatever the hand does.

use holonom::{Coordinates, IntegratorKind, Model, Simulation, StepError, StepReport, WorstOfRun};
use holonom_scene::scene::Run;

/// Length of a tick where the scene names no step, s: four to a frame.
const TICK: f64 = 1.0 / 240.0;
/// Step of integrators that cannot choose one, s.
const STEP: f64 = 1e-3;

/// How a scene wants to be stepped through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// By which integrator.
    pub integrator: IntegratorKind,
    /// Fixed steps in a tick; none where the integrator chooses.
    pub fixed: Option<u32>,
    /// Length of a tick, s.
    pub tick: f64,
}

impl Pace {
    /// As the scene says, else as `holonom run` would choose.
    pub fn of(run: &Run, model: &Model) -> Pace {
        let name = match run.integrator.as_deref() {
            Some("implicit") => "sdirk4",
            Some(name) => name,
            None => model.default_integrator().name(),
        };
        let mut integrator = IntegratorKind::from_name(name).unwrap_or_default();
        if let IntegratorKind::Dop853 { relative, absolute } | IntegratorKind::Sdirk4 { relative, absolute } =
            &mut integrator
            && let Some(given) = run.tolerance
        {
            (*relative, *absolute) = (given, given);
        }
        let chooses = matches!(integrator, IntegratorKind::Dop853 { .. } | IntegratorKind::Sdirk4 { .. });
        let usual = if chooses { None } else { Some(STEP) };
        match run.dt.or(usual) {
            None => Pace { integrator, fixed: None, tick: TICK },
            Some(dt) => {
                let n = (TICK / dt).round().clamp(1.0, 10_000.0);
                Pace { integrator, fixed: Some(n as u32), tick: n * dt }
            }
        }
    }

    /// Everything else the scene says of how it is run.
    pub fn set_up(run: &Run, sim: &mut Simulation) -> Result<(), StepError> {
        if let Some(kind) = run.solver.as_deref().and_then(holonom::SolverKind::from_name) {
            sim.set_solver(kind)?;
        }
        if let Some(max_step) = run.max_step {
            sim.set_max_step(max_step);
        }
        sim.set_drift(run.drift());
        if run.coordinates.as_deref() == Some("joint") {
            sim.set_coordinates(Coordinates::Joint)?;
        }
        Ok(())
    }

    /// To the time `goal`, a tick away, as the scene says. On failure the state is where the last good step left it.
    pub fn accurate(&self, sim: &mut Simulation, goal: f64, worst: &mut WorstOfRun) -> Result<StepReport, StepError> {
        match self.fixed {
            None => loop {
                let report = sim.step_towards(goal)?;
                worst.add(&report, sim.time());
                if sim.time() >= goal {
                    return Ok(report);
                }
            },
            Some(n) => {
                let (start, h) = (sim.time(), (goal - sim.time()) / n as f64);
                let mut k = 0;
                loop {
                    // a step in which a joint broke ends early
                    let end = if k + 1 == n { goal } else { start + (k + 1) as f64 * h };
                    let left = end - sim.time();
                    let report = sim.step(left)?;
                    worst.add(&report, sim.time());
                    if report.step == left {
                        sim.state_mut().t = end;
                        k += 1;
                        if k == n {
                            return Ok(report);
                        }
                    }
                }
            }
        }
    }

    /// To the time `goal` by velocity-level stepping.
    pub fn hurried(&self, sim: &mut Simulation, goal: f64, worst: &mut WorstOfRun) -> Result<StepReport, StepError> {
        loop {
            let left = goal - sim.time();
            let report = sim.step(left)?;
            worst.add(&report, sim.time());
            if report.step == left {
                sim.state_mut().t = goal;
                return Ok(report);
            }
        }
    }
}

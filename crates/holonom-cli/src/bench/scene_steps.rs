//! Whole steps of a scene: what one pays for a step of simulated time, projection and book-keeping included.
//!
//! The first second of a scene, or 1000 steps if those are fewer, is stepped through again and again from the same
//! start. Of every step the shortest time counts, and the mean of these over all steps is what a step costs. So steps
//! that cost more than others (an impact, a tyre on a stone) count with their share, and other work on the machine does
//! not.

use super::CliError;
use crate::scene::OpenedScene;
use holonom::{Coordinates, IntegratorKind, Simulation, SolverKind, StepError};
use holonom_scene::scene::drift;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Step where neither the scene nor anybody else says one, s.
const STEP: f64 = 1e-3;
/// Simulated time of a passage, s, and most steps.
const PASSAGE: f64 = 1.0;
const MOST_STEPS: f64 = 1000.0;
/// Time spent, and least number of passages.
const BUDGET: Duration = Duration::from_millis(1000);
const LEAST_PASSAGES: usize = 4;

/// What was asked for besides the scene.
#[derive(Clone, Debug)]
pub(super) struct StepOptions {
    pub integrator: Option<IntegratorKind>,
    pub dt: Option<f64>,
    pub solver: Option<SolverKind>,
    pub drift: Option<String>,
    pub gap_tolerance: Option<f64>,
    pub coordinates: Option<String>,
}

/// Steps of a scene, timed. Times in microseconds per step.
#[derive(Debug, Serialize)]
pub(super) struct SceneStepTiming {
    pub scene: String,
    pub n: usize,
    pub rows: usize,
    pub integrator: &'static str,
    pub solver: &'static str,
    /// s.
    pub dt: f64,
    /// Steps of a passage, and passages.
    pub steps: usize,
    pub passages: usize,
    /// Every step at its fastest; and the median passage.
    pub us_min: f64,
    pub us_median: f64,
    /// Largest gap after any step, m or rad.
    pub gap: f64,
}

/// Step through the beginning of a scene.
pub(super) fn measure(opened: &OpenedScene, options: &StepOptions) -> Result<SceneStepTiming, CliError> {
    let stopped = |e: StepError| match e {
        StepError::Invalid(why) => CliError::usage(format!("scene `{}`: {why}", opened.name)),
        e => CliError::step(&format!("scene `{}`", opened.name), &e),
    };
    let (model, run) = (&opened.model, &opened.loaded.scene.run);
    let said = run.integrator.as_deref().and_then(IntegratorKind::from_name);
    let integrator = options.integrator.or(said).unwrap_or(model.default_integrator());
    let said = run.solver.as_deref().and_then(SolverKind::from_name);
    let solver = options.solver.or(said).unwrap_or(model.default_solver());
    let dt = options.dt.or(run.dt).unwrap_or(STEP);
    let steps = (PASSAGE / dt).ceil().clamp(1.0, MOST_STEPS) as usize;

    let mut sim = Simulation::new(model.clone());
    sim.set_solver(solver).map_err(stopped)?;
    sim.set_integrator(integrator);
    let name = options.drift.as_deref().or(run.drift.as_deref());
    sim.set_drift(drift(name, options.gap_tolerance.or(run.gap_tolerance), run.ks, run.kd));
    if options.coordinates.as_deref().or(run.coordinates.as_deref()) == Some("joint") {
        sim.set_coordinates(Coordinates::Joint).map_err(stopped)?;
    }
    let start = sim.state().clone();
    let mut gap = 0.0f64;
    for _ in 0..steps {
        sim.step(dt).map_err(stopped)?;
        gap = gap.max(sim.violation().0);
    }
    let (mut seconds, begin) = (Vec::new(), Instant::now());
    let mut fastest = vec![f64::INFINITY; steps];
    while seconds.len() < LEAST_PASSAGES || begin.elapsed() < BUDGET {
        sim.set_state(start.clone());
        let passage = Instant::now();
        for fastest in &mut fastest {
            let clock = Instant::now();
            sim.step(dt).map_err(stopped)?;
            *fastest = fastest.min(clock.elapsed().as_secs_f64());
        }
        seconds.push(passage.elapsed().as_secs_f64() / steps as f64);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(SceneStepTiming {
        scene: opened.name.clone(),
        n: model.n_bodies(),
        rows: model.n_rows(),
        integrator: integrator.name(),
        solver: solver.name(),
        dt,
        steps,
        passages: seconds.len(),
        us_min: 1e6 * fastest.iter().sum::<f64>() / steps as f64,
        us_median: 1e6 * seconds[seconds.len() / 2],
        gap,
    })
}

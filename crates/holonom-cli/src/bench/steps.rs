//! Whole steps of piles, timed once they have settled, and how far they moved from where they were put; and of heaps,
//! from the fall to what is nearly rest, every step once.

use super::CliError;
use holonom::math::Vec3;
use holonom::{BodyId, IntegratorKind, Simulation, StepError};
use holonom_cases::PileCase;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Step, s.
const STEP: f64 = 1e-3;
/// Steps before the clock runs.
const SETTLE: usize = 100;
/// Time spent on steps that count, and least number of them.
const BUDGET: Duration = Duration::from_millis(500);
const LEAST_STEPS: usize = 20;
/// Step of heaps, s, how many of them, and how many of these are the last.
const HEAP_STEP: f64 = 1.0 / 240.0;
const HEAP_STEPS: usize = 480;
const HEAP_LAST: usize = 120;
/// Largest pile.
const MAX_BODIES: usize = 10_000;

/// A pile, timed. Times in microseconds per step.
#[derive(Debug, Serialize)]
pub(super) struct PileStepTiming {
    pub case: String,
    pub n: usize,
    pub contacts: usize,
    /// s.
    pub dt: f64,
    pub steps: usize,
    pub us_min: f64,
    pub us_median: f64,
    pub us_mean: f64,
    /// Of a heap: the mean of the last half second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub us_last: Option<f64>,
    /// How far any body has sunk and slid, m.
    pub sink: f64,
    pub creep: f64,
    /// Largest overlap after any step, m.
    pub overlap: f64,
}

/// Refuse what would take too long.
pub(super) fn check(name: &str, case: &PileCase) -> Result<(), CliError> {
    if case.n_bodies() > MAX_BODIES {
        return Err(CliError::limit(format!("case `{name}` has {} bodies", case.n_bodies()))
            .note("limit", format!("{MAX_BODIES} bodies in a pile")));
    }
    Ok(())
}

/// Build a pile, let it settle, and time its steps.
pub(super) fn measure(name: &str, case: &PileCase) -> Result<PileStepTiming, CliError> {
    let stopped = |e: StepError| CliError::step(&format!("case `{name}`"), &e);
    let model = case.builder().build().map_err(|e| CliError::model(&format!("case `{name}`"), &e))?;
    let mut sim = Simulation::new(model);
    sim.set_integrator(IntegratorKind::Stepping);
    let bodies: Vec<BodyId> = sim.model().bodies().collect();
    let start: Vec<Vec3> = bodies.iter().map(|b| sim.centre(*b)).collect();
    let falls = matches!(case, PileCase::Heap { .. });
    let (settle, dt) = if falls { (0, HEAP_STEP) } else { (SETTLE, STEP) };
    let mut overlap = 0.0f64;
    for _ in 0..settle {
        let report = sim.step(dt).map_err(stopped)?;
        overlap = overlap.max(report.overlap).max(report.overlap_anew);
    }
    let (mut seconds, begin) = (Vec::new(), Instant::now());
    let enough = |steps: usize| match falls {
        true => steps >= HEAP_STEPS,
        false => steps >= LEAST_STEPS && begin.elapsed() >= BUDGET,
    };
    while !enough(seconds.len()) {
        let clock = Instant::now();
        let report = sim.step(dt).map_err(stopped)?;
        seconds.push(clock.elapsed().as_secs_f64());
        overlap = overlap.max(report.overlap).max(report.overlap_anew);
    }
    let mean_of = |seconds: &[f64]| seconds.iter().sum::<f64>() / seconds.len() as f64;
    let mean = mean_of(&seconds);
    let last = falls.then(|| mean_of(&seconds[HEAP_STEPS - HEAP_LAST..]));
    seconds.sort_by(f64::total_cmp);
    let (mut sink, mut creep) = (0.0f64, 0.0f64);
    for (body, start) in bodies.iter().zip(&start) {
        let d = sim.centre(*body) - *start;
        (sink, creep) = (sink.max(-d.z), creep.max((d.x * d.x + d.y * d.y).sqrt()));
    }
    Ok(PileStepTiming {
        case: name.to_string(),
        n: bodies.len(),
        contacts: sim.contacts().map_err(stopped)?.len(),
        dt,
        steps: seconds.len(),
        us_min: 1e6 * seconds[0],
        us_median: 1e6 * seconds[seconds.len() / 2],
        us_mean: 1e6 * mean,
        us_last: last.map(|s| 1e6 * s),
        sink,
        creep,
        overlap,
    })
}

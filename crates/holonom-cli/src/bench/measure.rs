//! The clock: repeats of one evaluation, and of its phases.

use super::EvaluationTiming;
use super::case;
use crate::error::CliError;
use crate::scene::OpenedScene;
use holonom::{Model, Simulation, SolverKind, State, StepError, Workspace, phases};
use holonom_cases::{Case, SEED, forward_dynamics};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time spent on whole evaluations and on phases, per case.
const BUDGET: Duration = Duration::from_millis(250);
const PHASE_BUDGET: Duration = Duration::from_millis(150);
/// However long they take.
const LEAST_REPEATS: usize = 5;
/// Time spent on the auxiliary method, which is here to be compared with.
const AUXILIARY_BUDGET: Duration = Duration::from_millis(100);
/// Rows that close loops, beyond which the auxiliary method is not timed: it is cubic in them.
const MAX_AUXILIARY: usize = 2_000;
/// Rows beyond which those that close loops are not even counted.
const MAX_COUNTED: usize = 20_000;
/// One repeat is at least so long, so that the clock's own cost does not count.
const REPEAT: f64 = 50e-6;

/// What is timed: a model, two states to take turns, and what is known of it.
struct Timed {
    name: String,
    model: Arc<Model>,
    states: [State; 2],
    /// Rows of joints that close loops.
    closing_rows: usize,
    solver: SolverKind,
    /// Are there reference accelerations under this name?
    is_case: bool,
}

/// Build a case and time it.
pub(super) fn measure(case: &case::BenchCase, solver: Option<SolverKind>) -> Result<EvaluationTiming, CliError> {
    let (name, solver) = (case.name(), case.solver(solver));
    let mechanism = case.mechanism()?;
    let model = mechanism.builder().build().map_err(|e| CliError::model(&format!("case `{name}`"), &e))?;
    let states = [model.initial_state().clone(), mechanism.state(&model, SEED + 1)];
    let closing_rows = match &mechanism {
        Case::Tree(_) => 0,
        Case::Loop(case) => case.n_closing_rows(),
    };
    drop(mechanism);
    time(Timed { name, model: Arc::new(model), states, closing_rows, solver, is_case: true })
}

/// Time a scene, a URDF or an MJCF: at its start, and a little later.
pub(super) fn measure_scene(opened: &OpenedScene, solver: Option<SolverKind>) -> Result<EvaluationTiming, CliError> {
    let (name, model) = (opened.name.clone(), opened.model.clone());
    let solver = solver.unwrap_or(model.default_solver());
    let stopped = |e: StepError| match e {
        StepError::Invalid(why) => CliError::usage(format!("scene `{name}`: {why}")),
        e => CliError::step(&format!("scene `{name}`"), &e),
    };
    case::check_scene(&name, &model, solver)?;
    let mut sim = Simulation::new(model.clone());
    sim.set_solver(solver).map_err(stopped)?;
    let mut later = Simulation::new(model.clone());
    // where it cannot move on, the start alone is timed
    let _ = later.step(1e-3 / model.rate_scale());
    let states = [model.initial_state().clone(), later.state().clone()];
    let closing_rows = match model.has_loops() {
        true if model.n_rows() <= MAX_COUNTED => {
            let mut tree = Simulation::new(model.clone());
            tree.set_solver(SolverKind::Auxiliary).map_err(stopped)?;
            tree.auxiliary_rows()
        }
        true => usize::MAX,
        false => 0,
    };
    time(Timed { name, model, states, closing_rows, solver, is_case: false })
}

fn time(timed: Timed) -> Result<EvaluationTiming, CliError> {
    let Timed { name, model, states, closing_rows, solver, is_case } = timed;
    let what = if is_case { "case" } else { "scene" };
    let stopped = |e: StepError| CliError::step(&format!("{what} `{name}`"), &e);
    let mut work = Workspace::new(&model, solver);
    let seconds = if model.n_shapes() > 0 {
        touching(&model, &states, solver).map_err(stopped)?
    } else {
        whole(&model, &states, &mut work).map_err(stopped)?
    };
    let [jacobian, factor, solve] = in_phases(&model, &states, &mut work).map_err(stopped)?;
    drop(work); // a million bodies: make room for the check
    let us_auxiliary = match closing_rows {
        0 => Some(0.0),
        1..=MAX_AUXILIARY => match auxiliary(&model, &states) {
            Ok(seconds) => Some(1e6 * seconds),
            // of a scene it need not be possible
            Err(_) if !is_case => None,
            Err(e) => return Err(stopped(e)),
        },
        _ => None,
    };

    let cost = model.cost();
    let counted = matches!(solver, SolverKind::Tree | SolverKind::Sparse);
    let flops = counted.then_some(cost.factor_flops + cost.solve_flops);
    let (n, rows) = (model.n_bodies(), model.n_rows());
    let (error, against_reference, iterations) =
        error(is_case.then_some(name.as_str()), model, solver).map_err(stopped)?;
    if !error.is_finite() {
        return Err(CliError::numerical(format!("{what} `{name}`: the accelerations are not finite")));
    }
    let us_min = 1e6 * seconds[0];
    Ok(EvaluationTiming {
        case: name,
        n,
        rows,
        us_min,
        us_median: 1e6 * seconds[seconds.len() / 2],
        ns_per_body: 1e3 * us_min / n.max(1) as f64,
        us_jacobian: 1e6 * jacobian,
        us_factor: 1e6 * factor,
        us_solve: 1e6 * solve,
        us_auxiliary,
        front: (closing_rows > 0 && counted).then_some(cost.largest),
        fill: (closing_rows > 0 && counted).then_some(cost.fill()),
        error,
        iterations,
        against_reference,
        flops,
    })
}

/// Seconds per evaluation of every repeat, shortest first.
fn whole(model: &Model, states: &[State; 2], work: &mut Workspace) -> Result<Vec<f64>, StepError> {
    repeat(|turn| {
        phases::accelerations(model, black_box(&states[turn % 2]), work)?;
        black_box(work.accelerations());
        Ok(())
    })
}

/// The same where shapes may touch: who touches whom is found, and the forces there are solved for.
fn touching(model: &Arc<Model>, states: &[State; 2], solver: SolverKind) -> Result<Vec<f64>, StepError> {
    let mut sim = Simulation::new(model.clone());
    if solver != sim.solver() {
        sim.set_solver(solver)?;
    }
    repeat(|turn| {
        sim.set_state(black_box(&states[turn % 2]).clone());
        black_box(sim.accelerations()?);
        Ok(())
    })
}

/// Seconds per call of every repeat, shortest first.
fn repeat(mut once: impl FnMut(usize) -> Result<(), StepError>) -> Result<Vec<f64>, StepError> {
    let mut turn = 0;
    let mut evaluate = |times: usize| -> Result<f64, StepError> {
        let start = Instant::now();
        for _ in 0..times {
            once(turn)?;
            turn += 1;
        }
        Ok(start.elapsed().as_secs_f64() / times as f64)
    };
    evaluate(1)?; // touches all memory
    let once = evaluate(1)?;
    let batch = (REPEAT / once.max(1e-9)).ceil().clamp(1.0, 1e4) as usize;
    let start = Instant::now();
    let mut seconds = Vec::new();
    while seconds.len() < LEAST_REPEATS || start.elapsed() < BUDGET {
        seconds.push(evaluate(batch)?);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds)
}

/// Shortest seconds of a whole evaluation that treats the rows of closing joints as auxiliary ones.
fn auxiliary(model: &Model, states: &[State; 2]) -> Result<f64, StepError> {
    let mut work = Workspace::new(model, SolverKind::Auxiliary);
    let mut least = f64::INFINITY;
    let begin = Instant::now();
    let mut repeats = 0;
    while repeats < 1 || begin.elapsed() < AUXILIARY_BUDGET {
        let start = Instant::now();
        phases::accelerations(model, black_box(&states[repeats % 2]), &mut work)?;
        black_box(work.accelerations());
        least = least.min(start.elapsed().as_secs_f64());
        repeats += 1;
    }
    Ok(least)
}

/// Shortest seconds of the three phases, timed inside whole evaluations so that each finds the caches as it really
/// does.
fn in_phases(model: &Model, states: &[State; 2], work: &mut Workspace) -> Result<[f64; 3], StepError> {
    let mut least = [f64::INFINITY; 3];
    let begin = Instant::now();
    let mut repeats = 0;
    while repeats < LEAST_REPEATS || begin.elapsed() < PHASE_BUDGET {
        let state = black_box(&states[repeats % 2]);
        let t0 = Instant::now();
        phases::equations(model, state, work);
        let t1 = Instant::now();
        phases::factor(model, state, work)?;
        let t2 = Instant::now();
        phases::solve(model, state, work)?;
        let t3 = Instant::now();
        for (least, span) in least.iter_mut().zip([t1 - t0, t2 - t1, t3 - t2]) {
            *least = least.min(span.as_secs_f64());
        }
        repeats += 1;
    }
    let clock = clock_cost();
    Ok(least.map(|s| (s - clock).max(0.0)))
}

/// What reading the clock adds to a span.
fn clock_cost() -> f64 {
    let span = || {
        let start = Instant::now();
        black_box(Instant::now()).duration_since(start).as_secs_f64()
    };
    (0..1000).map(|_| span()).fold(f64::INFINITY, f64::min)
}

/// Against the reference where there is one (then the second is true), otherwise the scaled residual of all equations;
/// iterations of an iterative solver.
fn error(name: Option<&str>, model: Arc<Model>, solver: SolverKind) -> Result<(f64, bool, Option<usize>), StepError> {
    let mut sim = Simulation::new(model);
    if solver != sim.solver() {
        sim.set_solver(solver)?;
    }
    // hinges written by hand or as formulas move as the others do
    let same = name.and_then(|n| n.strip_prefix(['h', 'w'])).map(|size| format!("b{size}"));
    let (error, against_reference) = match same.as_deref().or(name).and_then(forward_dynamics) {
        Some(reference) => (reference.error(&sim.accelerations()?), true),
        None => (sim.residual()?.largest(), false),
    };
    // answers come from a double of the mechanism; iterations are counted in its own scratch
    sim.evaluate()?;
    Ok((error, against_reference, sim.solver_iterations()))
}

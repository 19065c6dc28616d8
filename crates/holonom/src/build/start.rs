//! Where a model starts: the pose is assembled, velocities are made legal, loops are regularised, the ledger is opened.

use crate::analysis::doctor;
use crate::build::assemble;
use crate::build::builder::ModelBuilder;
use crate::build::plan::Planned;
use crate::build::shapes;
use crate::catalogue::attach::View;
use crate::catalogue::joints::Level;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::ModelError;
use crate::evaluate::evaluation::{Angles, bodies_at};
use crate::evaluate::{self, RowScratch, angles, energy};
use crate::model::choices::{Assembly, SolverKind};
use crate::model::state::State;
use crate::model::{Model, Regularisation, Start};
use crate::solve;
use crate::step::contradiction;

/// Gap of an assembled joint, m or rad.
const ASSEMBLED: f64 = 1e-9;

/// Assemble the start pose, make the start velocities legal, open the ledger.
pub(super) fn start(planned: Planned) -> Result<Model, ModelError> {
    shapes::check_pairs(&planned.model)?;
    let (model, how, mut work) = with_workspace(planned);
    let angles = if model.has_loops() { work.eval.angles.clone() } else { Angles::default() };
    let (q, v) = assembled(&model, how, &mut work)?;
    let graded = model.regularisation.graded_islands.clone();
    let model = regularised(model, &q, &v, &mut work);
    let (model, q, v) = match newly_graded(&graded, &model) {
        false => (model, q, v),
        // masses that the pose where the search began did not show to be graded: once more, knowing of them
        true => {
            work = workspace(&model, angles);
            let (q, v) = assembled(&model, how, &mut work)?;
            (regularised(model, &q, &v, &mut work), q, v)
        }
    };
    let initial = opened(&model, q, v, &mut work);
    Ok(Model { initial, ..model })
}

fn newly_graded(before: &[bool], model: &Model) -> bool {
    let now = model.regularisation.graded_islands.iter().enumerate();
    now.filter(|(_, graded)| **graded).any(|(i, _)| before.get(i) != Some(&true))
}

/// A planned model that knows its graded islands, as far as its start pose shows them, with scratch memory that knows
/// the joint angles at the start.
fn with_workspace(planned: Planned) -> (Model, Assembly, Workspace) {
    let Planned { model, angles, assembly } = planned;
    let model = with_graded_islands(model, &angles);
    let work = workspace(&model, angles);
    (model, assembly, work)
}

fn workspace(model: &Model, angles: Angles) -> Workspace {
    let mut work = Workspace::new(model, SolverKind::Tree);
    work.eval.angles = angles;
    work
}

/// Found at the start pose: assembling it needs to know of them.
fn with_graded_islands(model: Model, angles: &Angles) -> Model {
    if !model.has_loops() && model.plan.large_parts().next().is_none() {
        return model;
    }
    let (mut work, State { t, q, v, .. }) = (workspace(&model, angles.clone()), &model.initial);
    evaluate::evaluate_bodies(&model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(&model, q, v, *t, &mut work.eval);
    match solve::graded_islands(&model, &work.eval.blocks) {
        Some((graded_islands, _)) => {
            Model { regularisation: Regularisation { graded_islands, ..Regularisation::default() }, ..model }
        }
        None => model,
    }
}

/// Positions and velocities with every joint closed; frames in `work` are left there.
fn assembled(model: &Model, how: Assembly, work: &mut Workspace) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
    let State { t, mut q, mut v, .. } = model.initial.clone();
    if how == Assembly::Open {
        evaluate::place_bodies(model, &q, &v, &mut work.eval);
    } else {
        let mut closed = assemble::assemble(model, &mut q, &mut v, t, how, work);
        if model.lock_rows && (closed.is_err() || assemble::wrong_branch(model, &q, &v, work).is_some()) {
            (q, v) = assembled_by_general_rows(model, how)?;
            closed = assemble::assemble(model, &mut q, &mut v, t, how, work);
        }
        let name = |k: usize| model.joint_names.get(k).to_string();
        closed.map_err(|open| ModelError::NotAssembled {
            joint: name(open.joint),
            gap: open.gap,
            allowed: ASSEMBLED,
            conflict: open.conflict.into_iter().map(name).collect(),
        })?;
        if let Some(k) = assemble::wrong_branch(model, &q, &v, work) {
            return Err(ModelError::WrongBranch { joint: name(k) });
        }
        if let Some(found) = contradiction::after_correction(model, &q, &v, t, work) {
            let (joint, conflict) = found.names(model);
            return Err(ModelError::RatesContradict { joint, rate: found.rate, conflict });
        }
    }
    check_dropped_rows(model, &q, &v, work)?;
    Ok((q, v))
}

/// Lock rows are the derivatives of the gaps only where those are small; from far away general rows lead to the closed
/// pose. So the same mechanism is planned again with general rows alone, from the same start, and assembled.
pub(super) fn assembled_by_general_rows(model: &Model, how: Assembly) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
    let start = Some(Start::of(model, &model.initial));
    let description = ModelBuilder { lock_rows: false, start, assembly: how, ..model.reopen() };
    let (general, how, mut work) = with_workspace(Planned::of(description)?);
    assembled(&general, how, &mut work)
}

/// Rows that were dropped because they say nothing new must hold with those that were kept.
fn check_dropped_rows(model: &Model, q: &[f64], v: &[f64], work: &mut Workspace) -> Result<(), ModelError> {
    let eval = &mut work.eval;
    let bodies = &bodies_at(model, &eval.frames, q, v);
    for (k, joint) in model.joints.iter().enumerate() {
        let constraint = joint.constraint.as_ref();
        if joint.n_rows == 0 || joint.n_rows as usize == constraint.n_rows() {
            continue;
        }
        let mut out = RowScratch { rows: &mut eval.rows, gradients: &mut eval.gradients, forces: &mut eval.forces };
        out.evaluate(constraint, &View::new(bodies, constraint.attachments()), model.initial.t);
        let gaps = (0..constraint.n_rows()).filter(|&i| constraint.level(i) == Level::Position);
        let gap = gaps.map(|i| out.rows[i].gap.abs()).fold(0.0, f64::max);
        if gap > ASSEMBLED {
            let joint = model.joint_names.get(k).to_string();
            return Err(ModelError::NotAssembled { gap, allowed: ASSEMBLED, conflict: vec![joint.clone()], joint });
        }
    }
    Ok(())
}

/// The model with what must be known of its loops, found at the assembled pose.
fn regularised(model: Model, q: &[f64], v: &[f64], work: &mut Workspace) -> Model {
    if !model.has_loops() {
        return model;
    }
    let t = model.initial.t;
    evaluate::evaluate_bodies(&model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(&model, q, v, t, &mut work.eval);
    let blocks = &work.eval.blocks;
    let (graded_islands, neutral) = solve::graded_islands(&model, blocks).unzip();
    let solve::Softness { weights, watched, singular, near } =
        solve::softness(&model, neutral.as_ref().map_or(blocks, |neutral| neutral.blocks()));
    let mut graded_islands = graded_islands.unwrap_or_default();
    for row in near.iter().filter(|row| row.stands()) {
        graded_islands.resize(model.n_islands, false);
        graded_islands[model.island_of_row(row.row as usize)] = true;
    }
    let regularisation =
        Regularisation { softness: weights, watched, stuck_islands: Vec::new(), graded_islands, near_rows: near };
    let model = Model { regularisation, ..model };
    if !singular.contains(&true) {
        return model;
    }
    let mut work = Workspace::new(&model, SolverKind::Sparse);
    let mut stuck = doctor::stuck_islands(&model, q, t, &mut work);
    stuck.iter_mut().zip(&singular).for_each(|(stuck, singular)| *stuck &= singular);
    if !stuck.contains(&true) {
        return with_stuck_islands(model, stuck);
    }
    // of the islands that seem stuck, those in which all rows may be relaxed without changing the accelerations: in
    // others, long loops with very small eigenvalues, that would do more harm than good
    let (model, without) = accelerations(with_stuck_islands(model, vec![false; stuck.len()]), q, v);
    let (model, with) = accelerations(with_stuck_islands(model, stuck.clone()), q, v);
    let unchanged = match (with, without) {
        (Some(with), Some(without)) => unchanged_islands(&model, &with, &without),
        _ => vec![false; stuck.len()],
    };
    stuck.iter_mut().zip(unchanged).for_each(|(stuck, unchanged)| *stuck &= unchanged);
    with_stuck_islands(model, stuck)
}

fn with_stuck_islands(model: Model, stuck_islands: Vec<bool>) -> Model {
    Model { regularisation: Regularisation { stuck_islands, ..model.regularisation }, ..model }
}

fn accelerations(model: Model, q: &[f64], v: &[f64]) -> (Model, Option<Vec<f64>>) {
    let mut work = Workspace::new(&model, SolverKind::Sparse);
    let found = dynamics::accelerations(&model, q, v, model.initial.t, None, &mut work);
    (model, found.ok().map(|()| work.accelerations().to_vec()))
}

/// Islands in which two sets of accelerations are the same.
fn unchanged_islands(model: &Model, with: &[f64], without: &[f64]) -> Vec<bool> {
    let mut sizes = vec![(0.0f64, 0.0f64); model.n_islands];
    for i in 0..model.n_bodies() {
        let (change, size) = &mut sizes[model.island[i] as usize];
        for (a, b) in model.v_of(i, with).iter().zip(model.v_of(i, without)) {
            (*change, *size) = (change.max((a - b).abs()), size.max(b.abs()));
        }
    }
    sizes.into_iter().map(|(change, size)| change <= 1e-9 * size).collect()
}

/// The start state at an assembled pose, with an empty ledger. Frames in `work` must be there.
fn opened(model: &Model, q: Vec<f64>, v: Vec<f64>, work: &mut Workspace) -> State {
    let State { t, turns, .. } = model.initial.clone();
    let opening_energy = energy::mechanical(model, &q, &v);
    let ledger = vec![0.0; model.n_works() + 2];
    let mut initial = State { t, q, v, turns, work: ledger, opening_energy, last_error: 1e-4, ..State::default() };
    if model.reads_turns {
        angles::count_turns(model, &mut work.eval, &mut initial);
    }
    initial
}

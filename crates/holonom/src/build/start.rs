//! Where a model starts: what was left open is taken from the start pose, the pose is assembled, velocities are made legal, the ledger is opened.

use crate::analysis::doctor;
use crate::build::assemble::{self, Assembly};
use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::View;
use crate::catalogue::joints::Level;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::ModelError;
use crate::evaluate::angles;
use crate::evaluate::evaluation::bodies_at;
use crate::evaluate::{self, RowScratch};
use crate::model::state::State;
use crate::model::{Joint, Model, Start};
use crate::solve::{self, SolverKind};

/// Gap of an assembled joint, m or rad.
const ASSEMBLED: f64 = 1e-9;

/// Of the islands that seem stuck, those in which all rows may give way without changing the accelerations. In others, long loops with very small
/// eigenvalues, that would do more harm than good.
fn harmless(model: &mut Model, stuck: Vec<bool>, q: &[f64], v: &[f64], t: f64) -> Vec<bool> {
    if !stuck.contains(&true) {
        return stuck;
    }
    let mut accelerations = |islands: Vec<bool>| {
        model.stuck_islands = islands;
        let mut work = Workspace::new(model, SolverKind::Sparse);
        dynamics::accelerations(model, q, v, t, None, &mut work).ok()?;
        Some(work.accelerations().to_vec())
    };
    let none = vec![false; stuck.len()];
    let (Some(with), Some(without)) = (accelerations(stuck.clone()), accelerations(none.clone())) else { return none };
    let mut sizes = vec![(0.0f64, 0.0f64); stuck.len()];
    for i in 0..model.n_bodies() {
        let (change, size) = &mut sizes[model.island[i] as usize];
        for (a, b) in model.v_of(i, &with).iter().zip(model.v_of(i, &without)) {
            (*change, *size) = (change.max((a - b).abs()), size.max(b.abs()));
        }
    }
    stuck.iter().zip(sizes).map(|(&stuck, (change, size))| stuck && change <= 1e-9 * size).collect()
}

/// What constraints left open is taken from the pose they start in.
fn settle(model: &mut Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Result<(), ModelError> {
    evaluate::place_bodies(model, q, v, &mut work.eval);
    let settled: Vec<_> = {
        let bodies = &bodies_at(model, &work.eval.frames, q, v);
        let settle = |joint: &Joint| {
            joint.constraint.settled(&work.eval.angles.view(
                bodies,
                joint.constraint.attachments(),
                model.slots_of(joint),
                t,
            ))
        };
        model.joints.iter().map(settle).collect()
    };
    for (k, (joint, settled)) in model.joints.iter_mut().zip(settled).enumerate() {
        let Some(constraint) = settled else { continue };
        constraint.validate().map_err(|e| ModelError::Joint {
            joint: model.joint_names.get(k).to_string(),
            kind: constraint.kind(),
            reason: format!("cannot take what it was not told from the pose it starts in, where its parts coincide or are in line ({e})").into(),
        })?;
        joint.constraint = constraint;
    }
    Ok(())
}

/// Assemble the start pose, make the start velocities legal, open the ledger.
pub(crate) fn start(model: &mut Model, from: Start, how: Assembly) -> Result<(), ModelError> {
    let mut work = Workspace::new(model, SolverKind::Tree);
    let hint = from.clone();
    let Start { mut q, mut v, t, turns: by_name } = from;
    let mut turns = vec![0; model.n_turns];
    for (k, joint) in model.joints.iter().enumerate() {
        if let Some(known) = by_name.get(model.joint_names.get(k)).filter(|known| known.len() == joint.n_turns()) {
            turns[joint.first_turn as usize..][..known.len()].copy_from_slice(known);
        }
    }
    if model.reads_turns {
        angles::note_angles(model, &q, &v, &turns, t, &mut work.eval);
    }
    settle(model, &q, &v, t, &mut work)?;
    let open = how == Assembly::Open;
    let mut assembled = if open { Ok(()) } else { assemble::assemble(model, &mut q, &mut v, t, how, &mut work) };
    let wrong = !open && (assembled.is_err() || assemble::wrong_branch(model, &q, &v, &work).is_some());
    if wrong && model.lock_rows {
        // lock rows are the derivatives of the gaps only where those are small; far from it general rows know better
        let general = ModelBuilder { lock_rows: false, start: Some(hint), assembly: how, ..model.reopen() }.build()?;
        (q, v) = (general.initial.q.clone(), general.initial.v.clone());
        assembled = assemble::assemble(model, &mut q, &mut v, t, how, &mut work);
    }
    if let Err(open) = assembled {
        let name = |k: usize| model.joint_names.get(k).to_string();
        let conflict = open.conflict.iter().map(|&k| name(k)).collect();
        return Err(ModelError::NotAssembled { joint: name(open.joint), gap: open.gap, allowed: ASSEMBLED, conflict });
    }
    if model.has_loops() {
        evaluate::evaluate_bodies(model, &q, &v, &mut work.eval);
        evaluate::evaluate_constraints(model, &q, &v, t, &mut work.eval);
        let solve::Softness { weights, watched, singular } = solve::softness(model, &work.eval.blocks);
        (model.softness, model.watched) = (weights, watched);
        if singular.contains(&true) {
            let mut work = Workspace::new(model, SolverKind::Sparse);
            let stuck = doctor::stuck_islands(model, &q, t, &mut work);
            let stuck = stuck.iter().zip(&singular).map(|(stuck, singular)| *stuck && *singular).collect();
            model.stuck_islands = harmless(model, stuck, &q, &v, t);
        }
    }
    if open {
        evaluate::place_bodies(model, &q, &v, &mut work.eval);
    } else if let Some(k) = assemble::wrong_branch(model, &q, &v, &work) {
        return Err(ModelError::WrongBranch { joint: model.joint_names.get(k).to_string() });
    }
    let bodies = &bodies_at(model, &work.eval.frames, &q, &v);
    for (k, joint) in model.joints.iter().enumerate() {
        let view = View::new(bodies, joint.constraint.attachments());
        let name = || model.joint_names.get(k).to_string();
        if joint.n_rows > 0 && (joint.n_rows as usize) < joint.constraint.n_rows() {
            let mut out = RowScratch {
                rows: &mut work.eval.rows,
                gradients: &mut work.eval.gradients,
                forces: &mut work.eval.forces,
            };
            out.evaluate(joint.constraint.as_ref(), &view, t);
            let gaps = (0..joint.constraint.n_rows()).filter(|&i| joint.constraint.level(i) == Level::Position);
            let largest = gaps.map(|i| out.rows[i].gap.abs()).fold(0.0, f64::max);
            if largest > ASSEMBLED {
                return Err(ModelError::NotAssembled {
                    joint: name(),
                    gap: largest,
                    allowed: ASSEMBLED,
                    conflict: vec![name()],
                });
            }
        }
    }
    let work_entries = model.n_works() + 2;
    let ledger = vec![0.0; work_entries];
    model.initial = State { t, q, v, turns, work: ledger, last_error: 1e-4, ..State::default() };
    if model.reads_turns {
        let mut initial = std::mem::take(&mut model.initial);
        angles::count_turns(model, &work.eval, &mut initial);
        model.initial = initial;
    }
    model.initial.opening_energy = crate::evaluate::energy::mechanical(model, &model.initial.q, &model.initial.v);
    Ok(())
}

//! Joint angles over many turns: which turn each one is on.

use super::place_bodies;
use crate::catalogue::attach::{Bodies, View};
use crate::catalogue::coordinate::value_and_rate;
use crate::catalogue::joints::{Constraint, CoordinateKind};
use crate::evaluate::evaluation::{Angles, Evaluation, bodies_at};
use crate::math::unwrap_angle;
use crate::model::state::State;
use crate::model::{Joint, JointId, Model};

/// Visit every joint angle and its rate, in the order of the turn counters.
fn for_each_angle<'a>(
    measured: impl Iterator<Item = &'a dyn Constraint>,
    bodies: &Bodies,
    mut visit: impl FnMut(usize, f64, f64),
) {
    let mut turn = 0;
    for constraint in measured {
        for (i, kind) in constraint.coordinates().iter().enumerate() {
            if *kind == CoordinateKind::Angle {
                let (angle, rate) = value_and_rate(constraint, &View::new(bodies, constraint.attachments()), i);
                visit(turn, angle, rate);
                turn += 1;
            }
        }
    }
}

/// Keep value and rate of every joint angle at `(q, v, t)`.
pub(crate) fn note_angles(model: &Model, q: &[f64], v: &[f64], turns: &[i32], t: f64, eval: &mut Evaluation) {
    if model.n_turns > 0 {
        place_bodies(model, q, v, eval);
        let Evaluation { angles, counted, counted_at, placement, .. } = eval;
        if counted_at == placement && counted.len() == turns.len() {
            // where the step before ended
            angles.known.clear();
            let turned = |((angle, rate), turns): (&(f64, f64), &i32)| (on_turn(*angle, *turns), *rate);
            angles.known.extend(counted.iter().zip(turns).map(turned));
            angles.time = t;
            return;
        }
        let measured = model.joints.iter().map(Joint::measured);
        note_each_angle(measured, &bodies_at(model, &eval.frames, q, v), turns, t, &mut eval.angles);
    }
}

/// The same of the joints `measured`, for bodies whose frames are up to date.
pub(crate) fn note_each_angle<'a>(
    measured: impl Iterator<Item = &'a dyn Constraint>,
    bodies: &Bodies,
    turns: &[i32],
    t: f64,
    angles: &mut Angles,
) {
    angles.known.resize(turns.len(), (0.0, 0.0));
    angles.time = t;
    for_each_angle(measured, bodies, |k, angle, rate| {
        angles.known[k] = (on_turn(angle, turns[k]), rate);
    });
}

fn on_turn(angle: f64, turns: i32) -> f64 {
    angle + turns as f64 * std::f64::consts::TAU
}

/// Each angle is that of its turn nearest to where its mean rate would have taken it since the angles were noted.
pub(crate) fn count_turns(model: &Model, eval: &mut Evaluation, next: &mut State) {
    if model.n_turns == 0 {
        return;
    }
    let State { q, v, t, turns, .. } = next;
    let Evaluation { frames, angles: Angles { known, time }, counted, counted_at, placement, .. } = eval;
    let h = *t - *time;
    let bodies = &bodies_at(model, frames, q, v);
    counted.resize(turns.len(), (0.0, 0.0));
    *counted_at = *placement;
    for_each_angle(model.joints.iter().map(Joint::measured), bodies, |k, angle, rate| {
        counted[k] = (angle, rate);
        let (before, rate_before) = known[k];
        let guess = before + 0.5 * h * (rate_before + rate);
        turns[k] = libm::round((unwrap_angle(angle, guess) - angle) / std::f64::consts::TAU) as i32;
    });
}

/// Value, turns counted, and rate of coordinate `i` of a joint at a state whose frames are in `eval`; `None` when it
/// has no such coordinate.
pub(crate) fn of_joint(
    model: &Model,
    state: &State,
    eval: &Evaluation,
    joint: JointId,
    i: usize,
) -> Option<(f64, f64)> {
    let record = &model.joints[joint.index()];
    let constraint = record.measured();
    let kinds = constraint.coordinates();
    let kind = *kinds.get(i)?;
    let bodies = &bodies_at(model, &eval.frames, &state.q, &state.v);
    let (value, rate) = value_and_rate(constraint, &View::new(bodies, constraint.attachments()), i);
    let turns = match kind {
        CoordinateKind::Angle => {
            let before = kinds[..i].iter().filter(|&&k| k == CoordinateKind::Angle).count();
            state.turns[record.first_turn as usize + before] as f64
        }
        CoordinateKind::Length => 0.0,
    };
    Some((value + turns * std::f64::consts::TAU, rate))
}

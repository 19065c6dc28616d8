//! Joint angles over many turns: which turn each one is on.

use super::place_bodies;
use crate::catalogue::attach::{Frame, View};
use crate::catalogue::coordinate;
use crate::catalogue::coordinate::value_and_rate;
use crate::catalogue::joints::CoordinateKind;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::unwrap_angle;
use crate::model::state::State;
use crate::model::{JointId, Model};

fn for_each_angle(model: &Model, q: &[f64], v: &[f64], frames: &[Frame], mut visit: impl FnMut(usize, f64, f64)) {
    let bodies = &bodies_at(model, frames, q, v);
    for joint in &model.joints {
        let mut turn = joint.first_turn as usize;
        let constraint = joint.measured();
        for (i, kind) in constraint.coordinates().iter().enumerate() {
            if *kind == CoordinateKind::Angle {
                let view = View::new(bodies, constraint.attachments());
                let (angle, rate) = coordinate::value_and_rate(constraint, &view, i);
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
        let Evaluation { frames, angles, .. } = eval;
        angles.known.resize(model.n_turns, (0.0, 0.0));
        angles.time = t;
        for_each_angle(model, q, v, frames, |k, angle, rate| {
            angles.known[k] = (angle + turns[k] as f64 * std::f64::consts::TAU, rate);
        });
    }
}

/// Each angle is that of its turn nearest to where its mean rate would have taken it since the angles were noted.
pub(crate) fn count_turns(model: &Model, eval: &Evaluation, next: &mut State) {
    let State { q, v, t, turns, .. } = next;
    let h = *t - eval.angles.time;
    for_each_angle(model, q, v, &eval.frames, |k, angle, rate| {
        let (before, rate_before) = eval.angles.known[k];
        let guess = before + 0.5 * h * (rate_before + rate);
        turns[k] = libm::round((unwrap_angle(angle, guess) - angle) / std::f64::consts::TAU) as i32;
    });
}

/// Value, turns counted, and rate of coordinate `i` of a joint at a state whose frames are in `eval`; `None` when it has no such coordinate.
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

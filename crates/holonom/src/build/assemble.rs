//! From a rough pose to one where every joint is closed ([`search`](super::search)), and to velocities that keep it so.
//!
//! What cannot be closed ends where the gaps cannot be reduced ([`conflict`](super::conflict)). Such a point may also
//! be an unlucky start (three bodies in one place), so the search is begun again a few times from poses nearby.

use crate::build::conflict::{self, Open};
use crate::build::search::{Aim, copy_islands};
use crate::catalogue::attach::View;
use crate::contact::inequality::workspace::Workspace;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::SplitMix;
use crate::model::Model;
use crate::model::choices::Assembly;
use crate::step::drift;

/// Fresh starts, each further from the pose given: part of a radian, and of the size of the mechanism.
const SHAKES: [f64; 6] = [0.03, 0.1, 0.2, 0.4, 0.8, 1.2];

/// Close every joint, and make the velocities legal. Frames in `work` are left at the result. `Err` when an island
/// cannot be closed.
pub(crate) fn assemble(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    t: f64,
    how: Assembly,
    work: &mut Workspace,
) -> Result<(), Open> {
    if model.n_rows() > 0 {
        let aim = Aim { model, v, t, how, softness: &[] };
        let hint = q.to_vec();
        let mut open = aim.search(q, &vec![true; model.n_islands], work);
        let mut g = SplitMix(0xa55e);
        for shake in SHAKES {
            if !open.contains(&true) {
                break;
            }
            let mut again = q.to_vec();
            shake_up(model, &hint, shake, &open, &mut g, &mut again);
            let still = aim.search(&mut again, &open, work);
            copy_islands(model, |island| open[island] && !still[island], &again, q);
            open.iter_mut().zip(&still).for_each(|(open, still)| *open &= still);
        }
        if open.contains(&true) {
            return Err(conflict::explain(&aim, &hint, q, &open, work));
        }
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        if work.kkt.factor(model, t, &work.eval).is_ok() {
            // a failure here would show again, with its name, at the first step
            let _ = drift::close_rates(model, q, v, t, work);
        }
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    Ok(())
}

/// Put the bodies of the islands named somewhere near `hint`.
fn shake_up(model: &Model, hint: &[f64], shake: f64, islands: &[bool], g: &mut SplitMix, q: &mut [f64]) {
    let mut v = Vec::new();
    for (i, body) in model.bodies.iter().enumerate() {
        let island = model.island[i] as usize;
        let length = model.island_length[island];
        v.clear();
        v.extend((0..body.n_dof()).map(|k| g.symmetric(shake) * if k < body.n_lengths() { length } else { 1.0 }));
        if islands[island] {
            let q = model.q_of_mut(i, q);
            q.copy_from_slice(model.q_of(i, hint));
            body.advance(q, &v, 1.0);
        }
    }
}

/// A joint assembled on the wrong side of a condition that has two.
pub(crate) fn wrong_branch(model: &Model, q: &[f64], v: &[f64], work: &Workspace) -> Option<usize> {
    let bodies = &bodies_at(model, &work.eval.frames, q, v);
    model.joints.iter().position(|joint| {
        let view = View::new(bodies, joint.constraint.attachments());
        joint.n_rows > 0 && !(joint.constraint.branch(&view) > 0.0)
    })
}

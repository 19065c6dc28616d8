//! The ledger of a step on velocities: the discrete balance of energy, exact but for rounding.
//!
//! The step is three moves. M and J belong to q0 in the first, E is the energy of the bodies alone, and vm = (v0 +
//! v1)/2:
//!
//! ```text
//! velocities    M (v1 - v0) = h F_b + h sum F_k + J^T Lambda + G^T p - S (v1 - v0) - S v0        at q0
//! positions     q1 = q0 advanced by h v1, then corrected
//! arrival       (M1 + S)(v2 - v1) = J1^T mu                                                       at q1
//! ```
//!
//! F_b: gravity, inertia and what is inside bodies; F_k: force laws; S = h² K of taut links
//! ([`crate::contact::inequality::tension`]), zero but for their spins. The first, times vm, row by row:
//!
//! ```text
//! T(q0, v1) - T(q0, v0) = vm . M (v1 - v0)            since M is symmetric and the same for both
//!                       = h F_b . vm + sum h F_k . vm + Lambda . J vm + p . G vm - vm . S v1
//! ```
//!
//! Every force law has h F_k . vm, every joint Lambda . J vm, every inequality row p . G vm in its own entry. The rest
//! of the change of energy is what the finite length of the step does, and is computed from the bodies alone:
//!
//! ```text
//! stepping  =   h F_b . vm + E(q1, v1) - E(q0, v1)    gravity at the mean velocity, fall at the new one: - h F_b . (v1 - v0)/2
//!                                                     and more; inertia at q0, moments of inertia of q1
//!             - vm . S v1 - (v1 + v2)/2 . S (v2 - v1) what held links taut
//!             - mu . J1 (v2 - v1)/2                   velocities made legal where they arrive
//!             - work of friction inside bodies        which has an entry of its own
//! ```
//!
//! The impulse mu of a drive works with the rate it prescribes, J1 v2 = - C_t: mu . J1 v2 is the joint's, the rest of
//! mu . J1 (v1 + v2)/2 is above. Corrections of positions are measured, and stand under projection. So all entries
//! together differ from the change of energy by the residual of the linear solve times velocities, and by nothing else:
//! an impulse that were not written down, or twice, would show in full.
//!
//! A smooth step of the method (Runge-Kutta in parts, see `smooth`) integrates works with its stages, as others do;
//! what it leaves, at most 1e-11 of the energy in motion, is measured, and stands under `stepping` too.

use super::Stepping;
use crate::contact::inequality::impact;
use crate::evaluate::{self, energy, reaction};
use crate::step::integrate::Motion;

/// Scratch of the books.
#[derive(Default)]
pub(super) struct Balance {
    /// Gravity, inertia and what is inside bodies, per velocity coordinate.
    of_bodies: Vec<f64>,
    /// Half the sum of two velocities.
    mean: Vec<f64>,
    one: Vec<f64>,
}

impl Balance {
    /// F holds what bodies alone make of it.
    pub fn note_bodies(&mut self, force: &[f64]) {
        self.of_bodies.clear();
        self.of_bodies.extend_from_slice(force);
    }

    fn mean_of(&mut self, a: &[f64], b: &[f64]) {
        self.mean.clear();
        self.mean.extend(a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)));
    }
}

impl Stepping {
    /// Works of all impulses of the step, with new velocities at the old pose: `kept_v` are those before, `task.x` and
    /// `impulses` what acted, M, J and frames still those of the start. Frames are used up.
    pub(super) fn book(&mut self, m: &mut Motion<'_>, h: f64) {
        let (model, work) = (m.model, &mut *m.work);
        let books = &mut self.balance;
        books.mean_of(&self.kept_v, m.v);
        let Balance { of_bodies, mean, one } = books;
        // what flies has books of its own
        for i in (0..model.n_bodies()).filter(|i| self.company.flies(*i)) {
            mean[model.v_start[i] as usize..model.v_start[i + 1] as usize].fill(0.0);
        }
        one.clear();
        one.resize(mean.len(), 0.0);
        evaluate::works_of_forces(model, m.q, &self.kept_v, m.t, mean, one, &mut work.eval);
        for (entry, power) in m.ledger.iter_mut().zip(&work.eval.power[..model.n_forces()]) {
            *entry += h * power;
        }
        let stepped = h * dot(of_bodies, mean) - self.tension.product(model, mean, m.v);
        impact::book_rows(model, &work.contact.rows, &self.task.x, mean, m.ledger, m.blows);
        evaluate::place_bodies(model, m.q, mean, &mut work.eval);
        reaction::joint_powers(model, m.q, mean, &self.impulses, &mut work.eval);
        let (first, n) = (model.n_forces(), model.n_joints());
        for (entry, joint) in m.ledger[first..][..n].iter_mut().zip(&work.eval.power[first..]) {
            *entry += joint;
        }
        let inside = if model.dissipative.is_empty() { 0.0 } else { h * work.eval.power[first + n] };
        if inside != 0.0 {
            m.ledger[first + n] += inside;
        }
        m.blows.stepping += stepped - inside;
    }

    /// The same for velocities made legal where they arrive: `kept_v` before, multipliers in `work.kkt.x`.
    pub(super) fn book_arrival(&mut self, m: &mut Motion<'_>) {
        let (model, work, n_v) = (m.model, &mut *m.work, m.v.len());
        let (first, n) = (model.n_forces(), model.n_joints());
        evaluate::place_bodies(model, m.q, m.v, &mut work.eval);
        reaction::joint_powers(model, m.q, m.v, &work.kkt.x[n_v..], &mut work.eval);
        for (entry, joint) in m.ledger[first..][..n].iter_mut().zip(&work.eval.power[first..]) {
            *entry += joint;
        }
        let change = &mut self.balance.one;
        change.clear();
        change.extend(m.v.iter().zip(&self.kept_v).map(|(v, before)| v - before));
        evaluate::place_bodies(model, m.q, change, &mut work.eval);
        reaction::joint_powers(model, m.q, change, &work.kkt.x[n_v..], &mut work.eval);
        let jumped: f64 = work.eval.power[first..][..n].iter().sum();
        self.balance.mean_of(&self.kept_v, m.v);
        let Balance { mean, one: change, .. } = &self.balance;
        m.blows.stepping -= 0.5 * jumped + self.tension.product(model, mean, change);
    }

    /// What a smooth step from `kept_q`, `kept_v` and `kept_ledger` left of the balance.
    pub(super) fn book_smooth(&self, m: &mut Motion<'_>) {
        let change = energy::mechanical(m.model, m.q, m.v) - energy::mechanical(m.model, &self.kept_q, &self.kept_v);
        let worked: f64 = m.ledger.iter().zip(&self.kept_ledger).map(|(now, then)| now - then).sum();
        m.blows.stepping += change - worked;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

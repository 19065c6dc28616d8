//! The search for a pose where every joint is closed.
//!
//! Newton's method in the mass metric, through the same factor as everything else, with damping: with gaps C of an
//! island (bodies connected by joints) and mu_i its damping,
//!
//! ```text
//! dx = - M^-1 J^T (A + mu_i diag A)^-1 C,      A = J M^-1 J^T          (Levenberg and Marquardt, in the metric of the masses)
//! q <- q + s_i dx                                                      s_i: no body turns by more than half a radian at once
//! ```
//!
//! A step is kept when the sum of the squares of the island's gaps gets smaller, in loops each against its row's own
//! size A_jj, elsewhere in units of its rounding noise; otherwise it is damped more, or cut. Moving as little as the
//! masses allow keeps the mechanism on the branch of the pose it was given.

use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::model::Model;
use crate::model::choices::Assembly;
use crate::step::drift;

/// A gap counts as closed below this, in units of its rounding noise: about 1e-12 of the size of the mechanism.
const CLOSED: f64 = 1e4;
/// Least damping, relative to the diagonal of A.
const LEAST: f64 = crate::solve::EPS;
/// Steps are not cut to less than this part of what they should be.
const SHORTEST: f64 = 1e-4;
/// Largest turn of a body in one step, rad.
const TURN: f64 = 0.5;
/// The search of one island.
#[derive(Clone, Copy)]
struct IslandSearch {
    active: bool,
    damping: f64,
    length: f64,
    /// Sum of squares at the pose kept, and largest entry.
    merit: f64,
    largest: f64,
    /// Steps in succession that improved little.
    idle: u32,
}

/// Copy the coordinates of the bodies of some islands.
pub(super) fn copy_islands(model: &Model, islands: impl Fn(usize) -> bool, from: &[f64], to: &mut [f64]) {
    for i in (0..model.n_bodies()).filter(|&i| islands(model.island[i] as usize)) {
        model.q_of_mut(i, to).copy_from_slice(model.q_of(i, from));
    }
}

impl IslandSearch {
    /// Is there more to be gained?
    fn goes_on(&self) -> bool {
        self.largest > drift::QUIET && self.idle < 30 && self.length > SHORTEST && self.merit.is_finite()
    }

    /// Keep a step with this result, or damp or cut the next one.
    fn judge(&mut self, merit: f64, largest: f64, looped: bool) -> bool {
        if merit < self.merit {
            self.idle = if merit > 0.999 * self.merit { self.idle + 1 } else { 0 };
            (self.merit, self.largest) = (merit, largest);
            (self.damping, self.length) = ((0.2 * self.damping).max(LEAST), (2.0 * self.length).min(1.0));
            return true;
        }
        if self.largest <= CLOSED {
            self.active = false; // rounding is all that is left
        } else if looped && self.damping < 1e3 {
            // damping reaches the rows of loops only; elsewhere steps are cut
            self.damping *= 10.0;
        } else {
            self.length *= 0.5;
        }
        false
    }
}

/// What a search is for: gaps of a model at a time, with velocities that matter only to constraints that read them.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub model: &'a Model,
    pub v: &'a [f64],
    pub t: f64,
    pub how: Assembly,
    /// Weights of the rows: how readily each stays open; none means alike.
    pub softness: &'a [f64],
}

impl Aim<'_> {
    /// Search from `q`; returns which of the islands named stay open.
    pub fn search(&self, q: &mut [f64], islands: &[bool], work: &mut Workspace) -> Vec<bool> {
        let start = |&active| IslandSearch { active, damping: LEAST, length: 1.0, merit: 0.0, largest: 0.0, idle: 0 };
        let mut all: Vec<IslandSearch> = islands.iter().map(start).collect();
        let mut trial = q.to_vec();
        let sizes = self.sizes(q, work);
        self.measure(q, &sizes, work, |i, merit, largest| (all[i].merit, all[i].largest) = (merit, largest));
        for _ in 0..500 {
            all.iter_mut().for_each(|s| s.active &= s.goes_on());
            if !all.iter().any(|s| s.active) || self.step(q, &all, work).is_err() {
                break;
            }
            trial.copy_from_slice(q);
            self.advance(&all, &work.kkt.x, &mut trial);
            let mut kept = vec![false; all.len()];
            self.measure(&trial, &sizes, work, |i, merit, largest| {
                kept[i] = all[i].active && all[i].judge(merit, largest, self.model.looped_islands[i]);
            });
            copy_islands(self.model, |island| kept[island], &trial, q);
        }
        all.iter().zip(islands).map(|(s, &asked)| asked && !(s.largest <= CLOSED)).collect()
    }

    /// Own sizes of the rows at a pose, in islands with loops: the diagonal of A, which damping is relative to. Rows
    /// outside the loops get the mean of their island. Elsewhere 0, and nothing at all without loops.
    pub fn own_sizes(&self, q: &[f64], work: &mut Workspace) -> Vec<f64> {
        let Aim { model, v, t, .. } = *self;
        if !model.has_loops() {
            return Vec::new();
        }
        let n = model.n_v();
        work.kkt.solver.damp(Some(&vec![1.0; n + model.n_rows()]));
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        let known =
            work.kkt.factor(model, t, &work.eval).ok().and_then(|()| work.kkt.solver.own_sizes().map(|s| s.to_vec()));
        work.kkt.solver.damp(None);
        let known = known.unwrap_or_default();
        let mut sizes: Vec<f64> = (0..model.n_rows()).map(|r| known.get(n + r).copied().unwrap_or(0.0)).collect();
        let mut mean = vec![(0.0, 0.0); model.n_islands];
        for (row, &size) in sizes.iter().enumerate().filter(|(_, s)| **s > 0.0) {
            let (sum, count) = &mut mean[model.island_of_row(row)];
            (*sum, *count) = (*sum + size, *count + 1.0);
        }
        for row in 0..sizes.len() {
            let (sum, count) = mean[model.island_of_row(row)];
            if !(sizes[row] > 0.0) && count > 0.0 {
                sizes[row] = sum / count;
            }
        }
        sizes
    }

    /// Squares of what gaps are measured by: own sizes, or, where they are not known, noise at the pose the search
    /// begins in; that must not change on the way.
    fn sizes(&self, q: &[f64], work: &mut Workspace) -> Vec<f64> {
        let mut sizes = self.own_sizes(q, work);
        self.evaluate_gaps(q, work);
        sizes.resize(self.model.n_rows(), 0.0);
        for (size, noise) in sizes.iter_mut().zip(&work.eval.gap_noise) {
            *size = if *size > 0.0 { *size } else { noise * noise };
        }
        sizes
    }

    /// Gaps at a pose, with their noise.
    pub fn evaluate_gaps(&self, q: &[f64], work: &mut Workspace) {
        evaluate::place_bodies(self.model, q, self.v, &mut work.eval);
        evaluate::evaluate_gaps(self.model, q, self.v, self.t, &mut work.eval);
    }

    fn softness_of(&self, row: usize) -> f64 {
        self.softness.get(row).copied().unwrap_or(1.0)
    }

    /// Damped dx of all active islands, into `work.kkt.x`.
    fn step(&self, q: &[f64], all: &[IslandSearch], work: &mut Workspace) -> Result<(), StepError> {
        let mut weights = vec![1.0; self.model.n_v() + self.model.n_rows()];
        for joint in &self.model.joints {
            for row in joint.row_range() {
                weights[self.model.n_v() + row] = self.softness_of(row) * all[joint.island as usize].damping / LEAST;
            }
        }
        work.kkt.solver.damp(Some(&weights));
        let stepped = self.newton_step(q, all, work);
        work.kkt.solver.damp(None);
        stepped
    }

    /// dx of all active islands, into `work.kkt.x`, shortened so that no body turns too far.
    fn newton_step(&self, q: &[f64], all: &[IslandSearch], work: &mut Workspace) -> Result<(), StepError> {
        let Aim { model, v, t, .. } = *self;
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        work.kkt.x.fill(0.0);
        let n = model.n_v();
        for joint in model.joints.iter().filter(|j| all[j.island as usize].active) {
            for row in joint.row_range() {
                work.kkt.x[n + row] = work.eval.gap[row];
            }
        }
        work.kkt.solve(model, t, &work.eval)?;
        let mut turn = vec![0.0f64; model.n_islands];
        for (i, body) in model.bodies.iter().enumerate() {
            let dx = model.v_of(i, &work.kkt.x);
            // the length of what turns and deforms, not its largest component: that would depend on the axes of the
            // world
            let turned = dx[body.n_lengths().min(dx.len())..].iter().map(|x| x * x).sum::<f64>().sqrt();
            let island = &mut turn[model.island[i] as usize];
            *island = island.max(turned);
        }
        for i in 0..model.n_bodies() {
            let turn = turn[model.island[i] as usize];
            if turn > TURN {
                let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
                work.kkt.x[range].iter_mut().for_each(|x| *x *= TURN / turn);
            }
        }
        Ok(())
    }

    /// Move the bodies of all active islands by their part of dx.
    fn advance(&self, all: &[IslandSearch], dx: &[f64], q: &mut [f64]) {
        let model = self.model;
        for (i, body) in model.bodies.iter().enumerate() {
            let s = &all[model.island[i] as usize];
            if s.active {
                let gradual = self.how == Assembly::Gradual && s.largest > 1e9;
                let length = s.length * if gradual { 0.1 } else { 1.0 };
                body.advance(model.q_of_mut(i, q), model.v_of(i, dx), length);
            }
        }
    }

    /// Gaps island by island: the sum of their squares over `sizes`, and the largest in units of its noise.
    fn measure(&self, q: &[f64], sizes: &[f64], work: &mut Workspace, mut report: impl FnMut(usize, f64, f64)) {
        self.evaluate_gaps(q, work);
        let mut sums = vec![(0.0f64, 0.0f64); self.model.n_islands];
        for joint in &self.model.joints {
            let (sum, largest) = &mut sums[joint.island as usize];
            for row in joint.row_range() {
                let x =
                    if work.eval.gap[row] == 0.0 { 0.0 } else { work.eval.gap[row].abs() / work.eval.gap_noise[row] };
                let y = if sizes[row] > 0.0 { work.eval.gap[row] / sizes[row].sqrt() } else { x };
                *sum += y * y / self.softness_of(row);
                if !(x <= *largest) {
                    *largest = x;
                }
            }
        }
        sums.iter().enumerate().for_each(|(i, &(merit, largest))| report(i, merit, largest));
    }
}

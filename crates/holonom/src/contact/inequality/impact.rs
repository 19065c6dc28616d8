//! Impacts: velocities jump so that nothing approaches any more, by impulses that go through the whole mechanism at
//! once.
//!
//! With u- and u+ the velocities of closed rows before and after, A their responses (joints hold during the impact), p
//! the impulses:
//!
//! ```text
//! u+ = u- + A p,      p_n >= 0,      friction |p_t| <= mu p_n against u+_t
//! Newton      u+_n >= - e u-_n, complementary to p_n                     the part e of the speed comes back
//! Poisson     first e = 0, with impulses p1; then e p1 come back, and what still approaches is stopped      the part e of the impulse comes back
//! ```
//!
//! *Simultaneous*: all contacts that are closed take part at once. *Sequential*: one contact after the other, the
//! fastest first, as if there were tiny gaps between bodies that touch; with e = 1 a row of equal balls passes the blow
//! on to the last. Both conserve momentum; nature knows cases for each.
//!
//! With friction the laws of Newton and Poisson may gain energy. Where they do, the impact is taken without rebound,
//! which never does: then u+ . p <= 0, and the change of energy p . (u- + u+)/2 = p . u+ - p A p/2 is negative.
//!
//! Forces that are finite (springs, motors with a cap, friction in joints) have no time to act.
//!
//! The books. M is that of the pose and does not change, joints answer with impulses Lambda, and velocities before and
//! after are v- and v+:
//!
//! ```text
//! M (v+ - v-) = J^T Lambda + G^T p       times (v- + v+)/2:
//! T+ - T-     = sum over rows of impulse times mean velocity of the row = Lambda . J (v- + v+)/2 + p . G (v- + v+)/2
//! ```
//!
//! exactly, row by row. Joints that hold still do none of it; a drive whose coordinate moves at the rate -C_t does
//! Lambda (-C_t): it goes on turning through the blow and gives or takes what that costs.

use super::mode::Tolerances;
use super::solve::{Joints, Solvers, Task};
use super::workspace::ContactScratch;
use super::{Block, InequalityRows, Origin, RowBound, blocked};
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate::{self, reaction};
use crate::model::Model;
use crate::model::shapes::{ImpactLaw, ImpactOrder, Restitution};
use crate::model::state::BlowWorks;
use holonom_lcp::ComplementarityLaw as Law;

/// Blows of a sequential impact before what is left is stopped at once.
const BLOWS: usize = 20_000;

/// What of the speed of approach may be left after a blow.
const STOPPED: f64 = 1e-6;

/// Where works of a blow are written down: those of stops and ropes with their joints, of friction with contacts.
pub(crate) struct Books<'a> {
    pub works: &'a mut [f64],
    pub blows: &'a mut BlowWorks,
}

/// Let everything that is closed and approaches collide: `v` jumps, the works go to `books`. The rows are gathered at
/// `(q, v)`, the equations there factored; frames are used up. Did anything happen?
pub(crate) fn collide(
    model: &Model,
    q: &[f64],
    v: &mut [f64],
    t: f64,
    law: ImpactLaw,
    rebound: bool,
    books: Books,
    work: &mut Workspace,
) -> Result<bool, StepError> {
    let tolerances = Tolerances::of(model);
    let Workspace { eval, kkt, contact, .. } = work;
    let ContactScratch { rows, solvers, impact: scratch, .. } = contact;
    scratch.u.clone_from(&rows.rate);
    scratch.total.clear();
    scratch.total.resize(rows.len(), 0.0);
    Impact { joints: Joints { model, t, eval, kkt }, q, rows, solvers, tolerances, scratch, books }.run(v, law, rebound)
}

/// Memory of impacts.
#[derive(Default)]
pub(crate) struct Scratch {
    task: Task,
    /// Velocities of all rows now, and as they were.
    u: Vec<f64>,
    kept: Vec<f64>,
    /// Impulses of a blow, and velocities before it.
    p: Vec<f64>,
    before: Vec<f64>,
    /// Half the sum of velocities before and after it.
    mean: Vec<f64>,
    /// Impulses of all blows of an impact together.
    pub total: Vec<f64>,
}

struct Impact<'a> {
    joints: Joints<'a>,
    q: &'a [f64],
    rows: &'a InequalityRows,
    solvers: &'a mut Solvers,
    tolerances: Tolerances,
    scratch: &'a mut Scratch,
    books: Books<'a>,
}

impl Impact<'_> {
    fn run(&mut self, v: &mut [f64], law: ImpactLaw, rebound: bool) -> Result<bool, StepError> {
        if self.fastest().is_none() {
            return Ok(false);
        }
        match law.order {
            ImpactOrder::Simultaneous => self.blow(v, None, law.restitution, rebound)?,
            ImpactOrder::Sequential => {
                let mut blows = 0;
                while let Some(block) = self.fastest() {
                    blows += 1;
                    let only = (blows < BLOWS).then_some(block);
                    self.blow(v, only, law.restitution, rebound && only.is_some())?;
                    if only.is_none() {
                        break;
                    }
                }
            }
        }
        let (rows, u, tolerances) = (self.rows, &self.scratch.u, self.tolerances);
        let closed = |i: usize| rows.gap[rows.blocks[i].row as usize] <= tolerances.gap;
        let still = |block: &Block| {
            let row = block.row as usize;
            (-u[row], tolerances.rate.max(STOPPED * rows.rate[row].abs()))
        };
        blocked::refuse(rows, self.q, &mut self.joints, closed, still)?;
        Ok(true)
    }

    /// The normal block that closes fastest.
    fn fastest(&self) -> Option<usize> {
        let ineq = self.rows;
        let mut found = None;
        let mut most = -self.tolerances.rate;
        for (i, block) in ineq.blocks.iter().enumerate() {
            let row = block.row as usize;
            if matches!(block.bound, RowBound::Push { .. })
                && ineq.gap[row] <= self.tolerances.gap
                && self.scratch.u[row] < most
            {
                (found, most) = (Some(i), self.scratch.u[row]);
            }
        }
        found
    }

    /// One blow: of all closed blocks, or of `only` that one and its friction.
    fn blow(
        &mut self,
        v: &mut [f64],
        only: Option<usize>,
        restitution: Restitution,
        rebound: bool,
    ) -> Result<(), StepError> {
        let with = if rebound { Some(restitution) } else { None };
        self.impulses(only, with)?;
        if rebound && self.work_of_impulses(v)? > 0.0 {
            self.impulses(only, None)?;
        }
        let n = v.len();
        let Scratch { u, p, before, .. } = &mut self.scratch;
        before.clear();
        before.extend_from_slice(v);
        respond(p, self.rows, &mut self.joints)?;
        v.iter_mut().zip(&self.joints.kkt.x[..n]).for_each(|(v, dv)| *v += dv);
        let ineq = self.rows;
        for (row, u) in u.iter_mut().enumerate() {
            *u += ineq.product(row, &self.joints.kkt.x);
        }
        let Scratch { p, total, .. } = &mut self.scratch;
        total.iter_mut().zip(&*p).for_each(|(total, p)| *total += p);
        self.book(v);
        Ok(())
    }

    /// Works of the impulses in `p` and in `joints.kkt.x` on the way to the velocities `v`.
    fn book(&mut self, v: &[f64]) {
        let Scratch { p, before, mean, .. } = &mut *self.scratch;
        let Books { works, blows } = &mut self.books;
        mean.clear();
        mean.extend(before.iter().zip(v).map(|(a, b)| 0.5 * (a + b)));
        book_rows(self.joints.model, self.rows, p, mean, works, blows);
        let Joints { model, eval, kkt, .. } = &mut self.joints;
        evaluate::place_bodies(model, self.q, mean, eval);
        reaction::joint_powers(model, self.q, mean, &kkt.x[v.len()..], eval);
        blows.joints += eval.power[model.n_forces()..][..model.n_joints()].iter().sum::<f64>();
    }

    /// Impulses of a blow, into `p`; without a law nothing comes back.
    fn impulses(&mut self, only: Option<usize>, law: Option<Restitution>) -> Result<(), StepError> {
        let newton = law == Some(Restitution::Newton);
        self.pose(only, newton);
        self.solvers.solve(self.rows, &mut self.scratch.task, &mut self.joints)?;
        let Scratch { task, p, u, kept, .. } = &mut self.scratch;
        p.clone_from(&task.x);
        if law == Some(Restitution::Poisson) {
            for block in &self.rows.blocks {
                let part = |normal: usize| {
                    let of = self.rows.blocks.iter().find(|b| b.row as usize == normal);
                    of.map_or(0.0, |b| b.bound.rebound(u[normal]))
                };
                let e = match block.bound {
                    RowBound::Push { .. } => block.bound.rebound(u[block.row as usize]),
                    RowBound::Cone { normal, .. } => part(normal as usize),
                    _ => 0.0,
                };
                block.rows().for_each(|row| p[row] *= 1.0 + e);
            }
            // what still approaches then
            respond(p, self.rows, &mut self.joints)?;
            kept.clone_from(u);
            for (row, u) in u.iter_mut().enumerate() {
                *u += self.rows.product(row, &self.joints.kkt.x);
            }
            self.pose(only, false);
            let result = self.solvers.solve(self.rows, &mut self.scratch.task, &mut self.joints);
            let Scratch { task, p, u, kept, .. } = &mut self.scratch;
            std::mem::swap(u, kept);
            result?;
            p.iter_mut().zip(&task.x).for_each(|(p, x)| *p += x);
        }
        Ok(())
    }

    fn pose(&mut self, only: Option<usize>, newton: bool) {
        let ineq = self.rows;
        let Task { laws, b, x, drags, give, .. } = &mut self.scratch.task;
        laws.clear();
        drags.clear();
        give.clear();
        x.clear();
        x.resize(ineq.len(), 0.0);
        b.clear();
        b.extend_from_slice(&self.scratch.u);
        let mut closed = false;
        for (i, block) in ineq.blocks.iter().enumerate() {
            let row = block.row as usize;
            laws.push(match block.bound {
                RowBound::Push { .. } => {
                    closed = ineq.gap[row] <= self.tolerances.gap && only.is_none_or(|only| only == i);
                    if newton && self.scratch.u[row] < 0.0 {
                        b[row] += block.bound.rebound(self.scratch.u[row]) * self.scratch.u[row];
                    }
                    closed.then_some(Law::Push)
                }
                // it yields: forces that are finite have no time to act
                RowBound::Soft { .. } => {
                    closed = false;
                    None
                }
                // the friction of a touch follows its normal row
                RowBound::Cone { normal, sticking, .. } if closed => {
                    Some(Law::Cone { normal: normal as usize, mu: sticking, rows: block.n as usize })
                }
                _ => None,
            });
        }
    }

    /// Energy that impulses give, J; 0 within rounding.
    fn work_of_impulses(&mut self, v: &[f64]) -> Result<f64, StepError> {
        let p = &self.scratch.p;
        respond(p, self.rows, &mut self.joints)?;
        let ineq = self.rows;
        let (mut sum, mut size) = (0.0, 0.0);
        for block in &ineq.blocks {
            for (row, p) in block.rows().map(|row| (row, p[row])).filter(|(_, p)| *p != 0.0) {
                // of a touch: over the surface of the other, which may run over its body
                let touch = matches!(block.origin, Origin::Touch(_));
                let before = if touch { self.scratch.u[row] } else { ineq.product(row, v) };
                let change = ineq.product(row, &self.joints.kkt.x);
                sum += p * (before + 0.5 * change);
                size += p.abs() * (before.abs() + change.abs());
            }
        }
        Ok(if sum.abs() <= 1e-12 * size { 0.0 } else { sum })
    }
}

/// Works of the impulses `p` of all inequality rows at the mean velocities `mean` of a jump: of stops, ropes, friction
/// and caps with their joints, of the friction of contacts with contacts, of their normal impulses with impacts.
pub(crate) fn book_rows(
    model: &Model,
    rows: &InequalityRows,
    p: &[f64],
    mean: &[f64],
    works: &mut [f64],
    blows: &mut BlowWorks,
) {
    for block in &rows.blocks {
        let work: f64 = block.rows().filter(|&row| p[row] != 0.0).map(|row| p[row] * rows.product(row, mean)).sum();
        match (block.origin, block.bound) {
            (Origin::Joint(k), _) => works[model.n_forces() + model.inequalities[k as usize].joint as usize] += work,
            (Origin::Touch(_), RowBound::Push { .. } | RowBound::Soft { .. }) => blows.impacts += work,
            (Origin::Touch(_), _) => works[model.n_works() - 1] += work,
        }
    }
}

/// The velocity change by impulses on all rows, into `joints.kkt.x`.
fn respond(p: &[f64], rows: &InequalityRows, joints: &mut Joints) -> Result<(), StepError> {
    let n = joints.model.n_v();
    joints.kkt.x.fill(0.0);
    for (row, &p) in p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
        rows.push(row, p, &mut joints.kkt.x[..n]);
    }
    joints.solve()
}

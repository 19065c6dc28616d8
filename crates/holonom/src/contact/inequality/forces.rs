//! Forces of inequality rows at one moment: resting contact, friction and caps on the level of accelerations.
//!
//! In a given mode
//!
//! ```text
//! closed        G vdot + c >= 0,  f >= 0, complementary                (it may separate)
//! sticking      G_t vdot + c_t = 0 as long as |f_t| <= mu_s f_n        (it may begin to slip: against G_t vdot + c_t)
//! slipping      f_t = - mu f_n u/|u|: no condition, but a push that comes with f_n
//! bounded       G vdot + c = 0 as long as f stays within its bounds
//! ```
//!
//! A slipping contact pushes along G_n - mu (u/|u|) . G_t and is watched along G_n: the matrix of responses is then not
//! symmetric, and there may be no solution (Painleve's rod). That is an answer too: the caller lets impulses decide.
//!
//! The direction of slip at a speed that passes through zero within a stage is continued, so that stages see a smooth
//! function; the event is found afterwards.

use super::memory;
use super::mode::{self, ContactMode, Slip, Tolerances};
use super::solve::{Drag, Joints, Solvers, Task};
use super::workspace::ContactScratch;
use super::{InequalityRows, RowBound, gather, soft};
use crate::catalogue::joints::Level;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate::reaction;
use crate::math::Vec3;
use crate::model::warm_start::WarmStart;
use crate::model::{JointId, Model};
use holonom_lcp::ComplementarityLaw as Law;

/// Forces found last.
#[derive(Default)]
pub(crate) struct Forces {
    pub task: Task,
    /// Are they in force: do they belong to the equations in the workspace?
    pub acting: bool,
    /// Forces that are given by memory instead of found; empty otherwise.
    pub warm_start: Vec<WarmStart>,
    /// Forces of soft touches by row: they follow from the state alone.
    known: Vec<(usize, f64)>,
    loads: Vec<f64>,
    lambda: Vec<f64>,
    bare: Vec<f64>,
}

/// Friction that follows a load is solved for again until the load has settled.
const LOAD_ITERATIONS: usize = 30;

/// `[vdot; lambda]` at a state whose M, F, J, c are in `work` and factored, with the forces of inequality rows in the
/// mode `work.contact.mode`. F includes those forces afterwards. Candidates for touches are those last detected.
pub(crate) fn solve_motion(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    gather::gather_closed(model, q, v, t, work);
    let Workspace { eval, kkt, contact, .. } = work;
    let ContactScratch { rows, solvers, mode, acting, .. } = contact;
    acting.push_known(Tolerances::of(model).rate, mode, rows, &mut eval.force);
    let mut joints = Joints { model, t, eval, kkt };
    joints.solve_motion()?;
    let result = acting.solve(mode, rows, solvers, q, v, &mut joints);
    acting.acting = result.is_ok();
    result
}

impl Forces {
    /// Nothing acts.
    pub fn clear(&mut self) {
        self.warm_start.clear();
        self.acting = false;
    }

    /// Force that a joint with friction transmits, as last solved for, N.
    pub fn load_of(&self, joint: u32) -> f64 {
        self.loads.get(joint as usize).copied().unwrap_or(0.0)
    }

    /// Forces of one inequality joint, row by row; they are the first among all, in the order of the joints.
    pub fn of_joint(&self, record: &crate::model::InequalityJoint) -> Option<&[f64]> {
        let rows = record.first as usize..record.first as usize + record.n_rows as usize;
        if self.acting { self.task.x.get(rows) } else { None }
    }

    /// Soft touches push as their law says, whatever everything else does.
    fn push_known(&mut self, slow: f64, mode: &ContactMode, rows: &InequalityRows, force: &mut [f64]) {
        self.known.clear();
        if self.warm_start.is_empty() {
            let way = |block: &super::Block, before: Vec3| direction(rows, block, before, slow);
            soft::known_forces(rows, mode, way, |row, force| self.known.push((row, force)));
            self.known.iter().for_each(|&(row, x)| rows.push(row, x, force));
        }
    }

    fn solve(
        &mut self,
        mode: &ContactMode,
        rows: &InequalityRows,
        solvers: &mut Solvers,
        q: &[f64],
        v: &[f64],
        joints: &mut Joints,
    ) -> Result<(), StepError> {
        let model = joints.model;
        self.task.residual = 0.0;
        if rows.blocks.is_empty() {
            self.task.x.clear();
            return Ok(());
        }
        if !self.warm_start.is_empty() {
            return self.apply_remembered(rows, joints);
        }
        self.bare.clear();
        self.bare.extend_from_slice(&joints.eval.force);
        self.loads.clear();
        self.loads.resize(model.n_joints(), 0.0);
        let slow = Tolerances::of(model).rate;
        self.pose(slow, mode, rows, Some(&joints.kkt.x));
        let follows = rows.blocks.iter().any(|b| matches!(b.bound, RowBound::Dry { lever, .. } if lever > 0.0));
        for _ in 0..if follows { LOAD_ITERATIONS } else { 1 } {
            solvers.solve(rows, &mut self.task, joints)?;
            joints.eval.force.copy_from_slice(&self.bare);
            for (row, &x) in self.task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                rows.push(row, x, &mut joints.eval.force);
            }
            joints.solve_motion()?;
            if !follows || self.update_loads(q, v, joints) {
                break;
            }
            self.pose(slow, mode, rows, None);
        }
        self.known.iter().for_each(|&(row, x)| self.task.x[row] = x);
        Ok(())
    }

    fn apply_remembered(&mut self, rows: &InequalityRows, joints: &mut Joints) -> Result<(), StepError> {
        let x = &mut self.task.x;
        x.clear();
        x.resize(rows.len(), 0.0);
        memory::recall(&self.warm_start, rows, 1.0, x);
        for (row, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            rows.push(row, x, &mut joints.eval.force);
        }
        joints.solve_motion()
    }

    /// The problem on accelerations. `fresh`: accelerations without forces of inequality rows, at the start. `slow`:
    /// see [`direction`].
    fn pose(&mut self, slow: f64, mode: &ContactMode, ineq: &InequalityRows, fresh: Option<&[f64]>) {
        let Task { laws, b, x, drags, give, .. } = &mut self.task;
        give.clear();
        if let Some(vdot) = fresh {
            b.clear();
            b.extend((0..ineq.len()).map(|row| ineq.product(row, vdot) + ineq.c[row]));
            x.clear();
            x.resize(ineq.len(), 0.0);
        }
        laws.clear();
        drags.clear();
        self.task.strict = Some(1e-7);
        let Task { laws, drags, .. } = &mut self.task;
        let loads = &self.loads;
        for block in &ineq.blocks {
            let known = mode.find(block.key, mode::part_of(block));
            let load = |joint: u32| loads[joint as usize];
            let law = |slipping| block.bound.law(block.n as usize, 1.0, load, |row| row as usize, slipping);
            laws.push(match (known, block.bound) {
                (None, RowBound::Push { .. } | RowBound::Cone { .. }) | (_, RowBound::Soft { .. }) => None,
                // friction of a soft touch: its limit is known
                (Some(closed), RowBound::Cone { sticking, .. }) if soft::carrier(ineq, block).is_some() => {
                    let normal = soft::carrier(ineq, block).and_then(|soft| soft::normal_force(ineq, soft));
                    let radius = sticking * normal.unwrap_or(0.0);
                    (closed.slip == Slip::Stick).then_some(Law::Ball { radius, rows: block.n as usize })
                }
                (Some(closed), _) if block.level == Level::Velocity => match closed.slip {
                    Slip::Stick => Some(law(false)),
                    Slip::Slide(before) => {
                        let way = mode::to_rows(ineq, block, direction(ineq, block, before, slow));
                        slide(block, way, law(true), drags)
                    }
                },
                _ => Some(law(false)),
            });
        }
    }

    fn update_loads(&mut self, q: &[f64], v: &[f64], joints: &mut Joints) -> bool {
        let (model, t) = (joints.model, joints.t);
        self.lambda.clear();
        self.lambda.extend_from_slice(&joints.kkt.x[v.len()..]);
        let mut settled = true;
        for joint in model.inequalities.iter().filter_map(|r| r.loaded) {
            let load = {
                let rows = &self.lambda[model.rows_of(JointId(joint))];
                reaction::of_rows(model, JointId(joint), q, v, t, rows, joints.eval).force.length()
            };
            let known = &mut self.loads[joint as usize];
            settled &= (load - *known).abs() <= 1e-13 * load;
            *known = load;
        }
        settled
    }
}

/// Direction of slip: that of the velocity, continued through zero.
///
/// A velocity below twice `slow` says little about its own direction: what is left of it may be rounding, and where
/// several contacts of one body come to rest or set out together, each would go its own way. There the direction turns
/// smoothly into the one `before`.
fn direction(ineq: &InequalityRows, block: &super::Block, before: Vec3, slow: f64) -> Vec3 {
    let u = mode::slip_of(ineq, block);
    let u = if u.dot(before) >= 0.0 { u } else { -u };
    let part = u.length() / (2.0 * slow);
    if part >= 1.0 {
        return u.normalize();
    }
    let part = part * part * (3.0 - 2.0 * part);
    (before * (1.0 - part) + u.normalize_or_zero() * part).normalize()
}

/// A slipping block: its push comes with the normal force, or is a constant.
fn slide(block: &super::Block, way: [f64; 3], law: Law, drags: &mut Vec<Drag>) -> Option<Law> {
    match law {
        Law::Cone { normal, mu, .. } => {
            for (k, row) in block.rows().enumerate() {
                drags.push(Drag { normal: normal as u32, row: row as u32, factor: -mu * way[k] });
            }
            None
        }
        Law::Within { least, most } => {
            let force = if way[0] > 0.0 { least } else { most };
            Some(Law::Within { least: force, most: force })
        }
        other => Some(other),
    }
}

/// Powers of inequality rows into `work.eval.power`, after those of forces and joints.
pub(crate) fn add_powers(model: &Model, v: &[f64], work: &mut Workspace) {
    if model.has_inequalities() {
        work.eval.power[model.n_works() - 1] = 0.0;
        if !work.contact.acting.acting {
            return;
        }
        let (ineq, x) = (&work.contact.rows, &work.contact.acting.task.x);
        for block in &ineq.blocks {
            let power: f64 = block.rows().filter(|&row| x[row] != 0.0).map(|row| x[row] * ineq.product(row, v)).sum();
            let entry = match block.origin {
                super::Origin::Joint(k) => model.n_forces() + model.inequalities[k as usize].joint as usize,
                super::Origin::Touch(_) => model.n_works() - 1,
            };
            work.eval.power[entry] += power;
        }
    }
}

//! One factor, many answers.
//!
//! ```text
//! H [a; lambda] = [f; r],   H = [M -J^T; -J 0]         f: generalised force (or impulse),   r: - wanted J a
//! P = H^-1 [1; 0], its upper part      a = P f: what the joints leave of M^-1 f
//! G P G^T                              mobility: speeds along G that unit pushes along G cause, per second
//! ```
//!
//! H is evaluated and factored once, at one state. Every right-hand side after that costs one solve: two sweeps over
//! the plan, linear in the number of bodies. Inequality rows (contacts, stops, ropes, dry friction) are no part of H.

use super::along::PushAlong;
use crate::analysis::dense::{self, dot};
use crate::catalogue::attach::BodyId;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::model::state::State;
use crate::model::{Form, JointId, Model};
use crate::solve::Counts;
use holonom_tree::Node;
use std::sync::Arc;

/// What a push does while joints hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Accelerations (of an impulse: jumps of velocity), per velocity coordinate.
    pub acceleration: Vec<f64>,
    /// Multipliers (impulses) of all rows.
    pub multipliers: Vec<f64>,
}

/// The equations of motion at one state, evaluated and factored: it answers any number of right-hand sides at the cost
/// of a solve each. Contacts, stops, ropes and dry friction are left out of it: joints hold, and nothing else.
pub struct HeldFactor {
    pub(super) model: Arc<Model>,
    pub(super) state: State,
    pub(super) work: Workspace,
    /// Of F, what force laws contribute.
    pub(super) applied: Vec<f64>,
}

impl HeldFactor {
    /// Evaluate and factor at a state.
    ///
    /// # Panics
    /// When the state belongs to a model of other size.
    pub fn at(model: &Arc<Model>, state: &State) -> Result<Self, StepError> {
        let same = state.q.len() == model.n_q() && state.v.len() == model.n_v();
        assert!(same, "HeldFactor: the state belongs to another model");
        let work = Workspace::new(model, model.default_solver());
        let mut held = HeldFactor { model: model.clone(), state: state.clone(), work, applied: vec![0.0; model.n_v()] };
        held.refactor()?;
        Ok(held)
    }

    /// Evaluate and factor anew at another state of the same model, in the same memory.
    pub fn move_to(&mut self, state: &State) -> Result<(), StepError> {
        let same = state.q.len() == self.model.n_q() && state.v.len() == self.model.n_v();
        assert!(same, "HeldFactor: the state belongs to another model");
        self.state.clone_from(state);
        self.refactor()
    }

    fn refactor(&mut self) -> Result<(), StepError> {
        let HeldFactor { model, state, work, applied } = self;
        let State { q, v, turns, t, .. } = &*state;
        if model.reads_turns {
            angles::note_angles(model, q, v, turns, *t, &mut work.eval);
        }
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        let inertial = work.eval.force.clone();
        evaluate::apply_forces(model, q, v, *t, &mut work.eval);
        for ((applied, f), own) in applied.iter_mut().zip(&work.eval.force).zip(&inertial) {
            *applied = f - own;
        }
        evaluate::evaluate_constraints(model, q, v, *t, &mut work.eval);
        work.kkt.factor(model, *t, &work.eval)
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Number of velocity coordinates.
    pub fn n_v(&self) -> usize {
        self.model.n_v()
    }

    /// Number of rows, that is of multipliers.
    pub fn n_rows(&self) -> usize {
        self.model.n_rows()
    }

    /// Factorisations and sweeps since it was made, where the solver counts them.
    pub fn counts(&self) -> Option<Counts> {
        self.work.kkt.solver.counts()
    }

    /// F: all forces at the state, inertial ones and gravity included, per velocity coordinate.
    pub fn force(&self) -> &[f64] {
        &self.work.eval.force
    }

    /// Of [`HeldFactor::force`], what force laws (springs, dampers, motors that push) contribute.
    pub fn applied_force(&self) -> &[f64] {
        &self.applied
    }

    /// Let a generalised force act besides those of the model, in everything that is asked from here on.
    ///
    /// # Panics
    /// When it has another length than the velocity coordinates.
    pub fn add_force(&mut self, force: &[f64]) {
        assert_eq!(force.len(), self.n_v(), "HeldFactor::add_force: length of the force");
        let both = self.work.eval.force.iter_mut().zip(&mut self.applied);
        both.zip(force).for_each(|((f, applied), more)| {
            *f += more;
            *applied += more;
        });
    }

    /// c of `J vdot + c = 0`, per row.
    pub fn row_acceleration(&self) -> &[f64] {
        &self.work.eval.c
    }

    /// `M x`.
    ///
    /// # Panics
    /// When `x` has another length than the velocity coordinates.
    pub fn mass_times(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.n_v(), "mass_times: length of x");
        let mut out = vec![0.0; x.len()];
        for i in 0..self.model.n_bodies() {
            let (at, end) = (self.model.v_start[i] as usize, self.model.v_start[i + 1] as usize);
            for r in at..end {
                let entry = |c: usize| self.work.eval.blocks.entry(Node(i as u32), r - at, c - at) * x[c];
                out[r] = (at..end).map(entry).sum();
            }
        }
        out
    }

    /// Solve `H x = x` in place: `x` is a force (per velocity coordinate), then what is wanted of `- J a` (per row).
    ///
    /// # Panics
    /// When `x` has another length than both together.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), StepError> {
        assert_eq!(x.len(), self.n_v() + self.n_rows(), "HeldFactor::solve: length of x");
        self.work.kkt.x.copy_from_slice(x);
        self.work.kkt.solve(&self.model, self.state.t, &self.work.eval)?;
        x.copy_from_slice(&self.work.kkt.x);
        Ok(())
    }

    pub(super) fn response(&mut self, mut x: Vec<f64>) -> Result<Response, StepError> {
        self.solve(&mut x)?;
        let multipliers = x.split_off(self.n_v());
        Ok(Response { acceleration: x, multipliers })
    }

    /// What this generalised force does by itself: accelerations and multipliers, `H [a; lambda] = [f; 0]`. Read as an
    /// impulse it gives jumps of velocity and impulses of joints. Add it to [`HeldFactor::accelerations`] for the
    /// motion under all forces.
    ///
    /// # Panics
    /// When `force` has another length than the velocity coordinates.
    pub fn respond(&mut self, force: &[f64]) -> Result<Response, StepError> {
        assert_eq!(force.len(), self.n_v(), "HeldFactor::respond: length of the force");
        let mut x = force.to_vec();
        x.resize(self.n_v() + self.n_rows(), 0.0);
        self.response(x)
    }

    /// What a push of this size along a direction does by itself.
    pub fn push(&mut self, along: &PushAlong, size: f64) -> Result<Response, StepError> {
        let mut force = self.row(along)?;
        force.iter_mut().for_each(|x| *x *= size);
        self.respond(&force)
    }

    /// The motion under all forces of the model: forward dynamics at the state, without contacts.
    pub fn accelerations(&mut self) -> Result<Response, StepError> {
        let x = self.work.eval.force.iter().chain(&self.work.eval.c).copied().collect();
        self.response(x)
    }

    /// The Jacobian of a direction, one row: `g . v` is the speed along it.
    pub fn row(&self, along: &PushAlong) -> Result<Vec<f64>, StepError> {
        let mut row = vec![0.0; self.n_v()];
        along.write(&self.model, (&self.state.q, &self.state.v), &self.work.eval, &mut row)?;
        Ok(row)
    }

    /// Jacobian of several directions, row by row, `along.len() x n_v`, in the velocity coordinates of the bodies.
    pub fn jacobian(&self, along: &[PushAlong]) -> Result<Vec<f64>, StepError> {
        let mut out = Vec::with_capacity(along.len() * self.n_v());
        for a in along {
            out.extend(self.row(a)?);
        }
        Ok(out)
    }

    /// The part of the accelerations along these directions that velocities alone make: `d(g . v)/dt = g . vdot +
    /// jdot_v`.
    pub fn jacobian_dot_v(&self, along: &[PushAlong]) -> Result<Vec<f64>, StepError> {
        let mut row = vec![0.0; self.n_v()];
        let at = (&self.state.q[..], &self.state.v[..]);
        along.iter().map(|a| a.write(&self.model, at, &self.work.eval, &mut row)).collect()
    }

    /// Accelerations along `along[i]` for unit pushes along `along[j]`, row by row: `G P G^T`, joints held (the inverse
    /// inertia in operational space; of contact directions, what contact solvers call the Delassus matrix). One solve
    /// for each direction.
    pub fn mobility(&mut self, along: &[PushAlong]) -> Result<Vec<f64>, StepError> {
        let rows = along.iter().map(|a| self.row(a)).collect::<Result<Vec<_>, _>>()?;
        self.mobility_of(&rows)
    }

    pub(super) fn mobility_of(&mut self, rows: &[Vec<f64>]) -> Result<Vec<f64>, StepError> {
        let n = rows.len();
        let mut matrix = vec![0.0; n * n];
        for (j, row) in rows.iter().enumerate() {
            let answer = self.respond(row)?.acceleration;
            for (i, g) in rows.iter().enumerate() {
                matrix[i * n + j] = dot(g, &answer);
            }
        }
        Ok(matrix)
    }

    /// Force over acceleration along a direction, kg or kg m^2: what one feels who pushes there. Infinite where joints
    /// allow no motion.
    pub fn effective_mass(&mut self, along: &PushAlong) -> Result<f64, StepError> {
        let row = self.row(along)?;
        let answer = self.respond(&row)?;
        let (mobility, free) = (dot(&row, &answer.acceleration), dot(&row, &self.mass_inverse(&row)?));
        // what is left of cancellation is no mobility
        Ok(if mobility > 1e-13 * free { 1.0 / mobility } else { f64::INFINITY })
    }

    /// `J M^-1 J^T` of the rows of these joints, row by row in the order given, all other joints left out: the Delassus
    /// matrix of the bodies alone.
    pub fn delassus(&self, joints: &[JointId]) -> Result<Vec<f64>, StepError> {
        let rows = self.joint_rows(joints);
        let answers = rows.iter().map(|r| self.mass_inverse(r)).collect::<Result<Vec<_>, _>>()?;
        Ok(rows.iter().flat_map(|r| answers.iter().map(|a| dot(r, a))).collect())
    }

    /// Rows of J of these joints, each a list of `n_v` numbers.
    pub fn joint_rows(&self, joints: &[JointId]) -> Vec<Vec<f64>> {
        let (model, eval) = (&self.model, &self.work.eval);
        let n = model.n_v();
        let mut place = vec![None; model.n_joints()];
        let mut n_rows = 0;
        for j in joints {
            place[j.index()] = Some(n_rows);
            n_rows += model.rows_of(*j).len();
        }
        let mut out = vec![vec![0.0; n]; n_rows];
        let (s, mut block) = (model.structure(), Vec::new());
        for (k, (dual, primal)) in s.links().enumerate() {
            let Some(first) = place[dual.index() - model.n_bodies()] else { continue };
            eval.blocks.dense_link(s, k, &mut block);
            let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
            for (r, numbers) in block.chunks_exact(width).enumerate() {
                out[first + r][at..at + width].copy_from_slice(numbers);
            }
        }
        for (joint, first) in model.joints.iter().zip(&place).filter_map(|(j, p)| Some((j, (*p)?))) {
            let Form::Own(own) = &joint.form else { continue };
            for r in 0..joint.n_rows as usize {
                for b in &own.bodies {
                    let at = own.at as usize + r * own.width() + b.column as usize;
                    out[first + r][b.v as usize..][..b.n as usize].copy_from_slice(&eval.own.j[at..at + b.n as usize]);
                }
            }
        }
        out
    }

    /// `L^T x` with M = L L^T, body by body: its length is that of x in the norm of the masses.
    pub(super) fn mass_root_times(&self, x: &[f64]) -> Result<Vec<f64>, StepError> {
        let mut out = x.to_vec();
        for i in 0..self.model.n_bodies() {
            let (at, n, l) = self.mass_root(i)?;
            for r in 0..n {
                out[at + r] = (r..n).map(|k| l[k * n + r] * x[at + k]).sum();
            }
        }
        Ok(out)
    }

    /// First velocity coordinate of a body, their number, and L of its mass block.
    fn mass_root(&self, i: usize) -> Result<(usize, usize, Vec<f64>), StepError> {
        let (at, end) = (self.model.v_start[i] as usize, self.model.v_start[i + 1] as usize);
        let n = end - at;
        let entry = |k: usize| self.work.eval.blocks.entry(Node(i as u32), k / n, k % n);
        let mut l: Vec<f64> = (0..n * n).map(entry).collect();
        if !dense::cholesky(&mut l, n) {
            let name = self.model.body_names.get(i).to_string();
            return Err(StepError::Singular { name, time: self.state.t });
        }
        Ok((at, n, l))
    }

    /// `M^-1 x`, body by body.
    pub(super) fn mass_inverse(&self, x: &[f64]) -> Result<Vec<f64>, StepError> {
        let mut out = x.to_vec();
        for i in 0..self.model.n_bodies() {
            let range = self.model.v_range(BodyId::from_index(i));
            if x[range.clone()].iter().all(|x| *x == 0.0) {
                continue;
            }
            let (_, n, l) = self.mass_root(i)?;
            dense::forward(&l, n, &mut out[range.clone()]);
            dense::backward(&l, n, &mut out[range]);
        }
        Ok(out)
    }
}

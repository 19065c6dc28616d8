//! Static equilibrium.
//!
//! ```text
//! wanted      F(q, 0) + J^T lambda = 0,   C(q, t) = 0,   v = 0,     time standing still
//! residual    the acceleration from rest, H [a; lambda] = [F; 0]: it vanishes in equilibrium, and no other combination of forces counts;
//!             measured as |a| = (a . M a)^1/2 against the same norm of M^-1 |F|, |F| the sum of the sizes of all forces, coordinate by coordinate
//! ```
//!
//! With forces that have a potential V, -a is the gradient of V on the legal poses, measured by mass. So the search
//! follows a down:
//!
//! ```text
//! L-BFGS      d = a, turned by the last displacements s and changes of gradient y, all products in the mass metric, made legal by one more
//!             solve with the same factor: two or three evaluations for a move
//! Newton      near the end, or where that is slow, and where there are not too many directions for dense algebra: on the legal directions N,
//!             (|K| + mu) z = N^T M a,  K = -N^T M da/dz by central differences.  Of K's eigenvalues the sizes are taken, so that every step goes
//!             down; mu keeps it within reach and is 0 in the end. Where the nearest equilibrium of any kind is wanted, eigenvalues
//!             keep their signs
//! ```
//!
//! After every move, q advanced by d, joints are closed.
//!
//! A move D is good when it gains a part of the work that its beginning promised,
//! `1/2 (F before + F after) . D > 1/10 F . d`. This is the trapezoidal rule for - dV, exact for weights and for
//! springs in joints; reactions do no work, and no energies are needed. Near the end, where work drowns in rounding, a
//! move is good when it lessens the residual. Moves that are not are shortened. Each move turns no body by more than a
//! third of a radian and shifts none by more than a third of the mechanism's length.
//!
//! After a move joints are closed by shifting bodies rather than by turning them: rotations are given a thousand times
//! their inertia for that (M' = D M D). A chain of links then moves with constant joint rates, and stiff springs in its
//! joints feel what the move meant and nothing else. Closed with the true masses, the links of a bent beam would be
//! turned against each other at random, and only tiny moves would pass.
//!
//! Stability: K at the end, its symmetric part, on the legal directions. With a potential, positive definite means a
//! minimum. Forces without one (followers, circulation) can drive motions that K alone does not tell;
//! `Simulation::linearise` does.

use super::basis;
use super::neighbour::{Neighbourhood, advance, derivative, difference, extent, from_rest};
use crate::analysis::contacts;
use crate::analysis::dense::{self, dot};
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::energy;
use crate::model::Model;
use crate::model::state::State;
use crate::step::drift;
use crate::step::mechanism::Mechanism;
use holonom_tree::{Node, packed};
use std::collections::VecDeque;

/// Longest move, in the measure of [`extent`].
const LONGEST: f64 = 0.3;
/// Displacements remembered.
const MEMORY: usize = 10;
/// Relative residual below which Newton's method takes over.
const NEAR: f64 = 1e-4;
/// Moves along gradients before it takes over anyway.
const PATIENCE: usize = 100;
/// By how much rotations are heavier than they are while joints are closed; their inertia by the square.
const HEAVY: f64 = 30.0;

/// How an equilibrium is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// Good enough: acceleration from rest, relative to what the sizes of all forces would make of the bodies alone;
    /// both in the mass norm.
    pub tolerance: f64,
    /// Give up after this many moves.
    pub max_iterations: usize,
    /// Go to the nearest equilibrium, stable or not, instead of down.
    pub nearest: bool,
    /// Newton's method, and the judgement of stability, for at most this many free directions: both are dense in their
    /// number.
    pub newton_limit: usize,
}

impl Default for EquilibriumOptions {
    /// To 1e-12 in at most 1000 moves, downwards; Newton up to 300 directions.
    fn default() -> Self {
        EquilibriumOptions { tolerance: 1e-12, max_iterations: 1000, nearest: false, newton_limit: 300 }
    }
}

/// What happens after a small push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// It comes back: the stiffness is positive definite on the legal directions.
    Stable,
    /// Some directions are free, none gives way.
    Neutral,
    /// It leaves.
    Unstable,
    /// Not judged: there are more free directions than `newton_limit`.
    Unknown,
}

/// An equilibrium found; the simulation stands there, at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// Moves made.
    pub iterations: usize,
    /// Of these, by Newton's method.
    pub newton: usize,
    /// Evaluations of the equations of motion.
    pub evaluations: usize,
    /// Acceleration from rest, relative to what the sizes of all forces would make of the bodies alone.
    pub residual: f64,
    /// What happens after a small push.
    pub stability: Stability,
    /// Eigenvalues of the stiffness on the legal directions measured by mass, ascending, 1/s^2: squares of the
    /// frequencies where nothing damps. Empty when not judged.
    pub stiffness: Vec<f64>,
}

impl Equilibrium {
    /// Does it come back after a small push in any direction?
    pub fn is_stable(&self) -> bool {
        self.stability == Stability::Stable
    }
}

/// A pose with what is known there.
struct Pose {
    state: State,
    /// Acceleration from rest.
    a: Vec<f64>,
    /// M a.
    ma: Vec<f64>,
    /// F.
    force: Vec<f64>,
    /// |a|, and what it is measured against.
    norm: f64,
    pull: f64,
}

impl Pose {
    fn residual(&self) -> f64 {
        if self.norm == 0.0 { 0.0 } else { self.norm / self.pull.max(self.norm) }
    }
}

struct Search<'a> {
    model: &'a Model,
    work: &'a mut Workspace,
    options: &'a EquilibriumOptions,
    iterations: usize,
    newton: usize,
    evaluations: usize,
}

/// Overlaps below this part of the size of shapes are none.
const CLEAR: f64 = 1e-9;

/// Bring the mechanism to rest in a static equilibrium, from the present pose downwards; time stands still. On failure
/// the state is as before.
pub(crate) fn equilibrium(mechanism: &mut Mechanism, options: &EquilibriumOptions) -> Result<Equilibrium, StepError> {
    if !(options.tolerance.is_finite() && options.tolerance > 0.0) {
        let tolerance = options.tolerance;
        return Err(StepError::Invalid(format!("tolerance is {tolerance}, must be finite and greater than 0")));
    }
    contacts::refuse_contacts(mechanism, "an equilibrium")?;
    let (model, state, work) = mechanism.parts();
    let mut search = Search { model, work, options, iterations: 0, newton: 0, evaluations: 0 };
    let mut start = state.clone();
    start.v.fill(0.0);
    search.note(&start);
    let mut pose = search.closed(start)?;
    // at least so many directions are free
    let few = model.n_v().saturating_sub(model.n_rows()) <= options.newton_limit;
    if few && !options.nearest {
        search.descend(&mut pose, NEAR, PATIENCE)?;
    }
    let few = few && search.finish(&mut pose)?;
    if !few && options.nearest {
        return Err(StepError::Invalid(format!(
            "the nearest equilibrium can be found for at most {} free directions (newton_limit), and there are more",
            options.newton_limit
        )));
    }
    if !few {
        search.descend(&mut pose, options.tolerance, options.max_iterations)?;
    }
    if !(pose.residual() <= options.tolerance) {
        return Err(StepError::NotConverged {
            what: "the search for an equilibrium",
            residual: pose.residual(),
            iterations: search.iterations,
            time: pose.state.t,
        });
    }
    let (stability, stiffness) = if few { search.judge(&pose)? } else { (Stability::Unknown, Vec::new()) };
    let (iterations, newton, evaluations) = (search.iterations, search.newton, search.evaluations);
    let mut next = pose.state.clone();
    next.v.fill(0.0);
    next.next_step = 0.0;
    let energy = |s: &State| energy::mechanical(model, &s.q, &s.v);
    next.work[model.n_works() + 1] += energy(&next) - energy(state);
    let before = std::mem::replace(state, next);
    if mechanism.model.has_inequalities() && contacts::overlap(mechanism) > CLEAR * mechanism.model.contact_scale() {
        mechanism.set_state(before);
        return Err(StepError::Invalid(
            "the equilibrium lies beyond a limit or inside a shape; contacts, limits, ropes and friction do not take part in the search: run the motion until it rests instead"
                .into(),
        ));
    }
    Ok(Equilibrium { iterations, newton, evaluations, residual: pose.residual(), stability, stiffness })
}

impl Search<'_> {
    /// What is known at a pose.
    fn look(&mut self, state: State) -> Result<Pose, StepError> {
        self.evaluations += 1;
        from_rest(self.model, &state.q, state.t, self.work)?;
        let (a, force) = (self.work.accelerations().to_vec(), self.work.eval.force.clone());
        let ma = self.times_mass(&a);
        let (norm, pull) = (dot(&a, &ma).max(0.0).sqrt(), self.pull_of_all(&state));
        if !(norm.is_finite() && pull.is_finite()) {
            let body = self.model.bodies().find(|b| !dense::size(&a[self.model.v_range(*b)]).is_finite());
            let body = body.map_or("", |b| self.model.body_name(b)).to_string();
            return Err(StepError::NotFinite { body, time: state.t });
        }
        Ok(Pose { state, a, ma, force, norm, pull })
    }

    /// From here on joint angles are followed from this state.
    fn note(&mut self, state: &State) {
        angles::note_angles(self.model, &state.q, &state.v, &state.turns, state.t, &mut self.work.eval);
    }

    /// A pose with its joints closed, and what is known there.
    fn closed(&mut self, mut state: State) -> Result<Pose, StepError> {
        let t = state.t;
        let mut still = vec![0.0; self.model.n_v()];
        self.shift_together(&mut state.q, &still, t)?;
        evaluate::evaluate_bodies(self.model, &state.q, &still, &mut self.work.eval);
        evaluate::evaluate_constraints(self.model, &state.q, &still, t, &mut self.work.eval);
        self.work.kkt.factor(self.model, t, &self.work.eval)?;
        drift::project(self.model, &mut state.q, &mut still, t, 0.0, self.work)?;
        self.look(state)
    }

    /// Close joints roughly, by shifting bodies rather than by turning them.
    fn shift_together(&mut self, q: &mut [f64], still: &[f64], t: f64) -> Result<(), StepError> {
        let model = self.model;
        let n_v = model.n_v();
        let mut last = f64::INFINITY;
        for _ in 0..12 {
            evaluate::evaluate_bodies(model, q, still, &mut self.work.eval);
            evaluate::evaluate_constraints(model, q, still, t, &mut self.work.eval);
            evaluate::evaluate_gaps(model, q, still, t, &mut self.work.eval);
            let noisy = self.work.eval.gap.iter().zip(&self.work.eval.gap_noise).filter(|(gap, _)| **gap != 0.0);
            let open = noisy.map(|(gap, noise)| gap.abs() / noise).fold(0.0, f64::max);
            // a millionth of the size of the mechanism; the rest is left to projection
            if open < 1e10 || !(open < 0.5 * last) {
                break;
            }
            last = open;
            for (i, body) in model.bodies.iter().enumerate() {
                let (n, lengths) = (body.n_dof(), body.n_lengths());
                let mass = self.work.eval.blocks.diagonal_mut(Node(i as u32));
                if body.central() {
                    mass[1..].iter_mut().for_each(|m| *m *= HEAVY * HEAVY);
                    continue;
                }
                for r in 0..n {
                    for c in r..n {
                        let times = |k: usize| if k < lengths { 1.0 } else { HEAVY };
                        mass[packed::at(n, r, c)] *= times(r) * times(c);
                    }
                }
            }
            self.work.kkt.factor(model, t, &self.work.eval)?;
            self.work.kkt.x.fill(0.0);
            let (gaps, x) = (&self.work.eval.gap, &mut self.work.kkt.x);
            x[n_v..].copy_from_slice(gaps);
            self.work.kkt.solve(model, t, &self.work.eval)?;
            advance(model, q, &self.work.kkt.x[..n_v], 1.0);
        }
        Ok(())
    }

    /// M x at the pose looked at last.
    fn times_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for i in 0..self.model.n_bodies() {
            let (at, end) = (self.model.v_start[i] as usize, self.model.v_start[i + 1] as usize);
            for r in at..end {
                out[r] = (at..end).map(|c| self.work.eval.blocks.entry(Node(i as u32), r - at, c - at) * x[c]).sum();
            }
        }
        out
    }

    /// The norm of M^-1 |F|, with the sizes of all forces, at the pose looked at last.
    fn pull_of_all(&mut self, state: &State) -> f64 {
        let rest = vec![0.0; self.model.n_v()];
        let sizes = evaluate::force_sizes(self.model, &state.q, &rest, state.t, &mut self.work.eval);
        let (mut sum, mut mass) = (0.0, Vec::new());
        for i in 0..self.model.n_bodies() {
            let force = self.model.v_of(i, &sizes);
            let mut x = force.to_vec();
            self.work.eval.blocks.packed_diagonal(Node(i as u32), x.len(), &mut mass);
            if packed::factor(&mut mass, x.len(), |_| true).is_ok() {
                packed::solve(&mass, x.len(), &mut x);
                sum += dot(force, &x);
            }
        }
        sum.max(0.0).sqrt()
    }

    /// The legal part of `d` at the pose looked at last: `H [x; .] = [M d; 0]`.
    fn legal(&mut self, d: &[f64], t: f64) -> Result<Vec<f64>, StepError> {
        let md = self.times_mass(d);
        self.work.kkt.x.fill(0.0);
        self.work.kkt.x[..md.len()].copy_from_slice(&md);
        self.work.kkt.solve(self.model, t, &self.work.eval)?;
        Ok(self.work.accelerations().to_vec())
    }

    /// Move along `d`, not too far, until it is good. `None` when no move is.
    fn go(&mut self, from: &Pose, d: &[f64], longest: f64) -> Result<Option<(Pose, f64)>, StepError> {
        let mut s = (longest / extent(self.model, d)).min(1.0);
        let gain = dot(&from.ma, d);
        let model = self.model;
        for _ in 0..30 {
            let mut state = from.state.clone();
            self.note(&state);
            advance(model, &mut state.q, d, s);
            if state.q == from.state.q {
                return Ok(None);
            }
            if let Ok(mut to) = self.closed(state) {
                let moved = difference(model, &from.state.q, &to.state.q);
                let terms = |force: &[f64]| force.iter().zip(&moved).map(|(f, x)| (f * x).abs()).sum::<f64>();
                let work = 0.5 * (dot(&from.force, &moved) + dot(&to.force, &moved));
                let drowned = gain * s < 1e-9 * (terms(&from.force) + terms(&to.force));
                let good = if drowned { to.norm < from.norm } else { work > 0.1 * gain * s };
                if gain > 0.0 && good || to.residual() <= self.options.tolerance {
                    angles::count_turns(model, &mut self.work.eval, &mut to.state);
                    return Ok(Some((to, s)));
                }
                // the lowest point of a parabola
                let guess = 0.5 * gain * s / (gain * s - work);
                s *= if guess.is_finite() { guess.clamp(0.1, 0.5) } else { 0.3 };
            } else {
                s *= 0.25;
            }
        }
        Ok(None)
    }

    /// Down along gradients with memory.
    fn descend(&mut self, pose: &mut Pose, goal: f64, patience: usize) -> Result<(), StepError> {
        let model = self.model;
        let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
        let patience = self.iterations + patience;
        while pose.residual() > goal && self.iterations < patience.min(self.options.max_iterations) {
            self.iterations += 1;
            // masses and factor of this very pose
            from_rest(model, &pose.state.q, pose.state.t, self.work)?;
            let mut d = self.remembered(pose, &memory);
            d = self.legal(&d, pose.state.t)?;
            if !(dot(&d, &pose.ma) > 1e-6 * pose.norm * dot(&d, &self.times_mass(&d)).sqrt()) {
                memory.clear();
                d.clone_from(&pose.a);
            }
            if memory.is_empty() {
                // no idea of the stiffness yet: as far as the pull reaches in the mechanism's own time
                let time = 1.0 / model.rate_scale();
                d.iter_mut().for_each(|x| *x *= time * time);
            }
            let Some((to, s)) = self.go(pose, &d, LONGEST)? else {
                if memory.is_empty() {
                    break;
                }
                memory.clear();
                continue;
            };
            let moved: Vec<f64> = d.iter().map(|x| s * x).collect();
            let change: Vec<f64> = pose.a.iter().zip(&to.a).map(|(a, b)| a - b).collect();
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back((moved, change));
            *pose = to;
        }
        Ok(())
    }

    /// The direction of L-BFGS. Pairs that say the stiffness is negative are passed over.
    fn remembered(&self, pose: &Pose, memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
        let mut d = pose.a.clone();
        let inner = |x: &[f64], y: &[f64]| dot(x, &self.times_mass(y));
        let mut passed = Vec::new();
        let mut scale = 1.0;
        for (s, y) in memory.iter().rev() {
            let (sy, ss, yy) = (inner(s, y), inner(s, s), inner(y, y));
            if sy > 1e-10 * (ss * yy).sqrt() {
                if passed.is_empty() {
                    scale = sy / yy;
                }
                let alpha = inner(s, &d) / sy;
                dense::add(&mut d, -alpha, y);
                passed.push((alpha, sy, s, y));
            }
        }
        d.iter_mut().for_each(|d| *d *= scale);
        for (alpha, sy, s, y) in passed.into_iter().rev() {
            let beta = inner(y, &d) / sy;
            dense::add(&mut d, alpha - beta, s);
        }
        d
    }

    /// Newton's method. False when there are too many directions for it.
    fn finish(&mut self, pose: &mut Pose) -> Result<bool, StepError> {
        let model = self.model;
        let mut longest = LONGEST;
        let mut before = f64::INFINITY;
        while self.iterations < self.options.max_iterations && pose.norm > 0.0 {
            let good = pose.residual() <= self.options.tolerance;
            // once good it is made as good as rounding allows, as long as a step still gains something
            if good && !(pose.residual() < 0.1 * before) {
                break;
            }
            let basis = basis::basis(model, &pose.state)?;
            let n = &basis.velocities;
            if n.len() > self.options.newton_limit {
                return Ok(false);
            }
            let (k, _) = self.stiffness(pose, &basis, false)?;
            let (values, vectors) = dense::symmetric_eigen(&k, n.len());
            let pull = n.components(&pose.a);
            let d = self.step_within(n, &values, &vectors, &pull, longest);
            if dense::size(&d) == 0.0 {
                break;
            }
            self.iterations += 1;
            self.newton += 1;
            before = pose.residual();
            let moved = if self.options.nearest { self.jump(pose, &d, longest)? } else { self.go(pose, &d, longest)? };
            match moved {
                Some((to, s)) if !good || to.norm < pose.norm => {
                    let reach = s * extent(model, &d);
                    longest = (2.0 * reach.max(0.1 * LONGEST)).min(LONGEST);
                    *pose = to;
                }
                _ => break,
            }
        }
        Ok(true)
    }

    /// Newton's step, or the part of it within reach: with the smallest mu >= 0 such that
    /// `z = sum_i u_i (u_i . pull) / (|k_i| + mu)` moves nothing farther than `longest`. Stiff directions are then
    /// served in full, soft ones in part.
    fn step_within(&self, n: &basis::Directions, k: &[f64], u: &[Vec<f64>], pull: &[f64], longest: f64) -> Vec<f64> {
        let stiffest = dense::size(k);
        let step = |mu: f64| {
            let mut z = vec![0.0; n.len()];
            for (k, u) in k.iter().zip(u) {
                let size = k.abs() + mu;
                // along free directions there is nowhere to go
                if size > 1e-12 * stiffest {
                    let sign = if self.options.nearest && *k < 0.0 { -1.0 } else { 1.0 };
                    dense::add(&mut z, sign * dot(u, pull) / size, u);
                }
            }
            n.combine(&z, self.model.n_v())
        };
        let d = step(0.0);
        if extent(self.model, &d) <= longest {
            return d;
        }
        // mu on a logarithmic scale
        let (mut low, mut high) = (1e-16 * stiffest, stiffest.max(f64::MIN_POSITIVE));
        while extent(self.model, &step(high)) > longest && high.is_finite() {
            high *= 16.0;
        }
        for _ in 0..25 {
            let middle = (low * high).sqrt();
            if extent(self.model, &step(middle)) > longest { low = middle } else { high = middle }
        }
        step(high)
    }

    /// A move that need not go down, for equilibria of any kind: shortened until the residual does not grow much.
    fn jump(&mut self, from: &Pose, d: &[f64], longest: f64) -> Result<Option<(Pose, f64)>, StepError> {
        let model = self.model;
        let mut s = (longest / extent(model, d)).min(1.0);
        for _ in 0..12 {
            let mut state = from.state.clone();
            self.note(&state);
            advance(model, &mut state.q, d, s);
            if state.q == from.state.q {
                return Ok(None);
            }
            match self.closed(state) {
                Ok(mut to) if to.norm <= from.norm * (1.0 - 0.1 * s) || to.residual() <= self.options.tolerance => {
                    angles::count_turns(model, &mut self.work.eval, &mut to.state);
                    return Ok(Some((to, s)));
                }
                _ => s *= 0.5,
            }
        }
        Ok(None)
    }

    /// K on directions, its symmetric part, and the error it may have. Quick: one central difference, good enough to
    /// find the way.
    fn stiffness(&mut self, pose: &Pose, basis: &basis::Basis, exact: bool) -> Result<(Vec<f64>, f64), StepError> {
        let (model, n) = (self.model, &basis.velocities);
        let size = n.len();
        self.note(&pose.state);
        let mut around = Neighbourhood { model, work: self.work, base: &pose.state, evaluations: 0 };
        let (mut k, mut worst) = (vec![0.0; size * size], 0.0f64);
        for (j, direction) in n.n.iter().enumerate() {
            let unit = 1.0 / extent(model, direction);
            let mut pull = |h: f64| -> Result<Vec<f64>, StepError> {
                let (mut q, mut v) = (around.base.q.clone(), around.base.v.clone());
                if exact {
                    (q, _) = around.displaced(n, n, j, h)?;
                } else {
                    advance(model, &mut q, direction, h);
                    around.close(&mut q, &mut v)?;
                }
                Ok(n.components(&around.from_rest(&q)?))
            };
            let column = if exact {
                let (column, error) = derivative(unit, pull)?;
                worst = worst.max(error);
                column
            } else {
                let h = 1e-5 * unit;
                let (ahead, behind) = (pull(h)?, pull(-h)?);
                ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            };
            for i in 0..size {
                k[i * size + j] -= 0.5 * column[i];
                k[j * size + i] -= 0.5 * column[i];
            }
        }
        self.evaluations += around.evaluations;
        Ok((k, worst))
    }

    /// Stability, and the eigenvalues of the stiffness.
    fn judge(&mut self, pose: &Pose) -> Result<(Stability, Vec<f64>), StepError> {
        let basis = basis::basis(self.model, &pose.state)?;
        let n = &basis.velocities;
        let (k, error) = self.stiffness(pose, &basis, true)?;
        let (values, _) = dense::symmetric_eigen(&k, n.len());
        let noise = 10.0 * error * (n.len() as f64).sqrt() + 1e-13 * dense::size(&values);
        let least = values.first().copied().unwrap_or(f64::INFINITY);
        let stability = if least > noise {
            Stability::Stable
        } else if least < -noise {
            Stability::Unstable
        } else {
            Stability::Neutral
        };
        Ok((stability, values))
    }
}

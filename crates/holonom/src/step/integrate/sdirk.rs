//! An implicit Runge-Kutta method for stiff forces: singly diagonal with an explicit first stage, of order 4 with
//! stages of order 2, L-stable and stiffly accurate, with an error estimate of order 3 (the implicit part of
//! ARK4(3)6L[2]SA, Kennedy and Carpenter, Applied Numerical Mathematics 44, 2003). Stages of order 2 matter: with
//! stages of order 1 the order falls to 2 where forces are stiff.
//!
//! ```text
//! stage i > 0: v_i = v_n + h sum_j<i a_ij k_j + h' k_i        k_i = vdot at (q_i, v_i, t_i),    h' = h / 4
//!              q_i = q_n + h sum_j<i a_ij l_j + h' l_i        l_i = q_rate(q_i, v_i)
//! ```
//!
//! Each stage satisfies M k = F + J^T lambda and J k + c = 0 at its own (q_i, v_i). It is found by simplified Newton
//! steps,
//!
//! ```text
//! [ M + h' D + h'^2 K   -J^T ] [ dk      ]   [ F - M k + J^T lambda ]
//! [       -J             0   ] [ dlambda ] = [ c + J k              ]
//! ```
//!
//! with one factorisation per step where that is enough, through the plan that knows the stiff laws
//! ([`crate::solve::implicit`]). A stiff spring then does not limit the step: what is faster than the step is damped
//! out, what is slower is followed to order 4. As in all Runge-Kutta methods here, quaternions combine linearly and are
//! normalised at the end of the step; projection follows.
//!
//! K has the geometric stiffness of links held taut beside that of force laws
//! ([`crate::contact::inequality::tension`]). Such links swing at sqrt(tension / (mass length)), which a heavy load on
//! light links makes faster than any step; they are damped like stiff springs. What the step leaves open of their
//! joints is closed with the same matrix: by masses alone light links would rather turn across by a lot than let the
//! load move along by a little.
//!
//! Where loops come to a singular pose stages may have no solution: a step that fails there is tried by an explicit
//! method before it is cut ([`super::passage`]).
//!
//! The estimated error is filtered by the same matrix, e = H'^-1 (M e_v), so that fast components that the method damps
//! do not shorten the steps.

use super::{Attempt, Integrator, Maximal, Motion, Passage, System, maximal, passage};
use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::Feedback;
use crate::model::Model;
use crate::solve::ImplicitMatrix;
use crate::step::drift;

const STAGES: usize = 6;
const GAMMA: f64 = 0.25;
const C: [f64; STAGES] = [0.0, 0.5, 83.0 / 250.0, 31.0 / 50.0, 17.0 / 20.0, 1.0];
/// Below the diagonal, on which every stage but the first has GAMMA. The last row is also the weights.
const A: [[f64; 5]; STAGES] = [
    [0.0; 5],
    [0.25, 0.0, 0.0, 0.0, 0.0],
    [8611.0 / 62500.0, -1743.0 / 31250.0, 0.0, 0.0, 0.0],
    [5012029.0 / 34652500.0, -654441.0 / 2922500.0, 174375.0 / 388108.0, 0.0, 0.0],
    [15267082809.0 / 155376265600.0, -71443401.0 / 120774400.0, 730878875.0 / 902184768.0, 2285395.0 / 8070912.0, 0.0],
    [82889.0 / 524892.0, 0.0, 15625.0 / 83664.0, 69875.0 / 102672.0, -2260.0 / 8211.0],
];
/// Weights of the embedded method of order 3.
const LOWER: [f64; STAGES] = [
    4586570599.0 / 29645900160.0,
    0.0,
    178811875.0 / 945068544.0,
    814220225.0 / 1159782912.0,
    -3700637.0 / 11593932.0,
    61727.0 / 225920.0,
];

/// Weight of stage `s`.
fn weight(s: usize) -> f64 {
    if s + 1 < STAGES { A[STAGES - 1][s] } else { GAMMA }
}

/// Newton steps per stage before the step is given up.
const PATIENCE: usize = 25;
/// The factorisation is renewed when a correction is larger than this part of the one before.
const SLOW: f64 = 0.1;
/// A stage is solved when its last correction is this part of the tolerance.
const SOLVED: f64 = 1e-5;
/// Corrections of the positions of taut mechanisms.
const CLOSURES: usize = 12;

/// The implicit integrator.
#[derive(Clone, Debug)]
pub struct Sdirk4 {
    relative: f64,
    absolute: f64,
    start: Vec<f64>,
    sizes: Vec<f64>,
    /// Rates of (q, v, work) in each stage.
    k: Vec<Vec<f64>>,
    base: Vec<f64>,
    stage: Vec<f64>,
    /// `[k; lambda]` of the stage, and `[F; c]`; rows stand as in the blocks.
    x: Vec<f64>,
    rhs: Vec<f64>,
    tension: Tension,
    passage: Passage,
}

impl Sdirk4 {
    /// With relative and absolute tolerances per step.
    pub fn new(relative: f64, absolute: f64) -> Self {
        let empty = Vec::new;
        let (start, sizes, base, stage, x, rhs) = (empty(), empty(), empty(), empty(), empty(), empty());
        let (tension, passage) = (Tension::default(), Passage::new(relative, absolute));
        Sdirk4 { relative, absolute, start, sizes, k: Vec::new(), base, stage, x, rhs, tension, passage }
    }
}

impl Integrator for Sdirk4 {
    fn name(&self) -> &'static str {
        "sdirk4"
    }
    fn order(&self) -> u32 {
        4
    }
    fn adaptive(&self) -> bool {
        true
    }
    fn validate(&self) -> Result<(), String> {
        for (name, value) in [("relative", self.relative), ("absolute", self.absolute)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(format!("{name} tolerance of sdirk4 is {value}, must be greater than 0 and less than 1"));
            }
        }
        Ok(())
    }

    fn between_events(&self) -> bool {
        false
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        if passage::is_taut(m.model) {
            return self.passage.attempt(m, h); // stages of a taut loop have no solution
        }
        let attempt = self.implicit_attempt(m, h);
        // loops may be at a singular pose, which others pass; the factor at hand is that of the start
        let failed = match &attempt {
            Ok(a) => !m.work.kkt.solver.near_singular().is_empty() && a.error.is_some_and(|e| e > 1.0),
            Err(_) => m.model.has_loops(),
        };
        if !failed {
            return attempt;
        }
        let n = m.model.n_q() + m.model.n_v();
        let (q, v) = self.start[..n].split_at(m.model.n_q());
        m.q.copy_from_slice(q);
        m.v.copy_from_slice(v);
        m.ledger.copy_from_slice(&self.start[n..]);
        match self.passage.attempt(m, h) {
            Ok(explicit) if explicit.error.is_some_and(|e| e <= 1.0) => Ok(explicit),
            _ => attempt,
        }
    }
}

impl Sdirk4 {
    fn implicit_attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let (model, t, feedback) = (m.model, m.t, m.feedback());
        self.start_at(m);
        let work = &mut *m.work;
        let matrix = match work.kkt.implicit.take() {
            Some(matrix) => matrix,
            None => {
                let (q, v) = self.start[..model.n_q() + model.n_v()].split_at(model.n_q());
                evaluate::evaluate_bodies(model, q, v, &mut work.eval);
                evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
                Box::new(ImplicitMatrix::new(model, &mut work.eval, q, v, t)?)
            }
        };
        let mut step = ImplicitStep { model, feedback, h, matrix, factored: false, evaluations: 0 };
        let solved = self.first_stage(t, &mut step, work).and_then(|()| {
            (1..STAGES).try_for_each(|s| {
                self.solve_stage(s, t + C[s] * h, &mut step, work)?;
                self.store_rates(s, t + C[s] * h, &step, work);
                Ok(())
            })
        });
        let error = solved.map(|()| self.error(&mut step, work));
        let error = error.and_then(|error| {
            // stiffly accurate: the last stage is the end of the step; its sum is taken anew with its own rates
            self.stage.copy_from_slice(&self.start);
            for s in 0..STAGES {
                let weight = h * weight(s);
                self.stage.iter_mut().zip(&self.k[s]).for_each(|(y, k)| *y += weight * k);
            }
            let system = Maximal { model, work, feedback, projected: false, near: false };
            system.normalise(&mut self.stage);
            system.store(&self.stage, m.q, m.v, m.ledger);
            if self.tension.matters() && m.drift.projects() && error <= 1.0 {
                close_taut(&mut step, t + h, m.q, m.v, work)?;
            }
            Ok(error)
        });
        work.kkt.implicit = Some(step.matrix);
        let error = error?;
        let error = if error.is_nan() { f64::INFINITY } else { error };
        Ok(Attempt { error: Some(error), evaluations: step.evaluations })
    }
}

/// Close what the step left open of joints that hold links taut, by what then moves most easily: the matrix of the step
/// in place of the masses.
fn close_taut(
    step: &mut ImplicitStep,
    t: f64,
    q: &mut [f64],
    v: &mut [f64],
    work: &mut Workspace,
) -> Result<(), StepError> {
    let (model, h, matrix) = (step.model, GAMMA * step.h, &mut step.matrix);
    let (n_v, eval) = (model.n_v(), &mut work.eval);
    let mut last = f64::INFINITY;
    for _ in 0..CLOSURES {
        evaluate::place_bodies(model, q, v, eval);
        evaluate::evaluate_gaps(model, q, v, t, eval);
        let worst = eval.gap.iter().zip(&eval.gap_noise).fold(0.0, |worst: f64, (gap, noise)| {
            let open = if *gap == 0.0 { 0.0 } else { gap.abs() / noise };
            if open <= worst { worst } else { open }
        });
        if worst <= drift::QUIET || !(worst < last) {
            break;
        }
        last = worst;
        evaluate::evaluate_bodies(model, q, v, eval);
        evaluate::evaluate_constraints(model, q, v, t, eval);
        matrix.factor(model, q, v, t, h, eval)?;
        matrix.left[..n_v].fill(0.0);
        matrix.left[n_v..].copy_from_slice(&eval.gap);
        matrix.solve(n_v);
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, q), model.v_of(i, &matrix.left), 1.0);
        }
    }
    for _ in 0..2 {
        evaluate::place_bodies(model, q, v, eval);
        evaluate::evaluate_gaps(model, q, v, t, eval);
        matrix.left[..n_v].fill(0.0);
        matrix.left[n_v..].copy_from_slice(&eval.gap_rate);
        matrix.solve(n_v);
        v.iter_mut().zip(&matrix.left).for_each(|(v, dv)| *v += dv);
    }
    Ok(())
}

/// What the stages of one attempt share.
struct ImplicitStep<'m> {
    model: &'m Model,
    feedback: Option<Feedback>,
    h: f64,
    matrix: Box<ImplicitMatrix>,
    /// The matrix belongs to this step, or to an iterate near enough.
    factored: bool,
    evaluations: usize,
}

impl Sdirk4 {
    /// Where the step begins, and memory for its stages.
    fn start_at(&mut self, m: &mut Motion<'_>) {
        let (n_q, n_v) = (m.model.n_q(), m.model.n_v());
        let system = Maximal { model: m.model, work: &mut *m.work, feedback: None, projected: false, near: false };
        system.load(m.q, m.v, m.ledger, &mut self.start);
        if self.sizes.len() != n_q + n_v {
            system.sizes(&mut self.sizes);
        }
        let n = n_q + n_v + m.ledger.len();
        self.k.resize(STAGES, Vec::new());
        for part in self.k.iter_mut().chain([&mut self.base, &mut self.stage]) {
            part.resize(n, 0.0);
        }
        for part in [&mut self.x, &mut self.rhs] {
            part.resize(n_v + m.model.n_rows(), 0.0);
        }
        self.x.fill(0.0);
    }

    /// What counts as 1 in the error of entry `i`, between the values `a` and `b`.
    fn scale(&self, i: usize, a: f64, b: f64) -> f64 {
        self.absolute * self.sizes[i] + self.relative * a.abs().max(b.abs())
    }

    /// The first stage is where the step begins.
    fn first_stage(&mut self, t: f64, step: &mut ImplicitStep, work: &mut Workspace) -> Result<(), StepError> {
        let (model, n_q) = (step.model, step.model.n_q());
        let n = n_q + model.n_v();
        let (q, v) = self.start[..n].split_at(n_q);
        dynamics::accelerations(model, q, v, t, step.feedback, work)?;
        step.evaluations += 1;
        dynamics::powers(model, q, v, work);
        maximal::q_rates(model, q, v, &mut self.k[0][..n_q]);
        self.k[0][n_q..n].copy_from_slice(&work.kkt.x[..n - n_q]);
        self.k[0][n..].copy_from_slice(&work.eval.power);
        self.x.copy_from_slice(&work.kkt.x);
        Ok(())
    }

    /// Simplified Newton iteration for `[k; lambda]` of stage `s`, from those of the stage before.
    fn solve_stage(
        &mut self,
        s: usize,
        t: f64,
        step: &mut ImplicitStep,
        work: &mut Workspace,
    ) -> Result<(), StepError> {
        let (model, h) = (step.model, GAMMA * step.h);
        let (n_q, n_v) = (model.n_q(), model.n_v());
        self.base.copy_from_slice(&self.start);
        for (j, &a) in A[s].iter().enumerate().take(s) {
            self.base.iter_mut().zip(&self.k[j]).for_each(|(b, k)| *b += step.h * a * k);
        }
        self.stage.copy_from_slice(&self.base);
        let (mut last, mut iteration, mut worse) = (f64::INFINITY, 0, 0);
        loop {
            self.advance_stage(s, h, model);
            let size = self.correct(h, t, step, work)?;
            iteration += 1;
            // linear convergence: what is left after this correction is about size theta / (1 - theta)
            let theta = size / last;
            let rest = if theta < 1.0 { size * (theta / (1.0 - theta)).min(1.0) } else { size };
            if size <= SOLVED || (iteration > 1 && rest <= SOLVED) {
                // velocities follow the last correction; positions are within the tolerance as they are
                for i in 0..n_v {
                    self.stage[n_q + i] = self.base[n_q + i] + h * self.x[i];
                }
                return Ok(());
            }
            worse = if theta > 1.0 && iteration > 1 { worse + 1 } else { 0 };
            if !size.is_finite() || worse >= 3 || iteration >= PATIENCE {
                return Err(StepError::NotConverged {
                    what: "a stage of the implicit integrator (the step may be too large)",
                    residual: size,
                    iterations: iteration,
                    time: t,
                });
            }
            // stiff laws turn with what they hold: where the iteration is slow, it goes on with the matrix of the
            // present guess
            step.factored = theta < SLOW;
            last = size;
        }
    }

    /// The stage that these accelerations lead to; positions answer velocities by two passes, as q_rate depends on q.
    fn advance_stage(&mut self, s: usize, h: f64, model: &Model) {
        let (n_q, n_v) = (model.n_q(), model.n_v());
        for i in 0..n_v {
            self.stage[n_q + i] = self.base[n_q + i] + h * self.x[i];
        }
        let rates = &mut self.k[s][..n_q];
        for _ in 0..2 {
            maximal::q_rates(model, &self.stage[..n_q], &self.stage[n_q..n_q + n_v], rates);
            for i in 0..n_q {
                self.stage[i] = self.base[i] + h * rates[i];
            }
        }
    }

    /// One Newton correction of `x` at the present stage; returns its size in units of the tolerance.
    fn correct(&mut self, h: f64, t: f64, step: &mut ImplicitStep, work: &mut Workspace) -> Result<f64, StepError> {
        let (model, eval) = (step.model, &mut work.eval);
        let (n_q, n_v) = (model.n_q(), model.n_v());
        let (q, v) = self.stage[..n_q + n_v].split_at(n_q);
        evaluate::evaluate_bodies(model, q, v, eval);
        evaluate::apply_forces(model, q, v, t, eval);
        evaluate::evaluate_constraints(model, q, v, t, eval);
        if let Some(feedback) = step.feedback {
            evaluate::add_feedback(model, q, v, t, feedback, eval);
        }
        step.evaluations += 1;
        if !step.factored {
            self.tension.of_multipliers(model, (q, v, t), h, &self.x[n_v..], eval);
            step.matrix.held.clear();
            if self.tension.matters() {
                step.matrix.held.extend_from_slice(self.tension.stiffness());
            }
            step.matrix.factor(model, q, v, t, h, eval)?;
            step.factored = true;
        }
        self.rhs[..n_v].copy_from_slice(&eval.force);
        self.rhs[n_v..].copy_from_slice(&eval.c);
        let matrix = &mut step.matrix;
        matrix.leave(model, eval, &self.x, &self.rhs);
        matrix.solve(n_v);
        self.x.iter_mut().zip(&matrix.left).for_each(|(x, d)| *x += d);
        let size = |i: usize| h * matrix.left[i] / self.scale(n_q + i, self.start[n_q + i], v[i]);
        let size = (0..n_v).map(|i| size(i) * size(i)).sum::<f64>() / n_v.max(1) as f64;
        Ok(size.sqrt())
    }

    /// Rates of a solved stage: positions, velocities, work.
    fn store_rates(&mut self, s: usize, t: f64, step: &ImplicitStep, work: &mut Workspace) {
        let (model, n_q) = (step.model, step.model.n_q());
        let n = n_q + model.n_v();
        let (q, v) = self.stage[..n].split_at(n_q);
        maximal::q_rates(model, q, v, &mut self.k[s][..n_q]);
        self.k[s][n_q..n].copy_from_slice(&self.x[..n - n_q]);
        work.kkt.x.copy_from_slice(&self.x);
        evaluate::place_bodies(model, q, v, &mut work.eval);
        evaluate::apply_forces(model, q, v, t, &mut work.eval);
        dynamics::powers(model, q, v, work);
        self.k[s][n..].copy_from_slice(&work.eval.power);
    }

    /// The estimated error in units of the tolerance: that of the velocities filtered by the matrix, that of the
    /// positions as it is.
    fn error(&mut self, step: &mut ImplicitStep, work: &mut Workspace) -> f64 {
        let (model, h) = (step.model, step.h);
        let (n_q, n_v) = (model.n_q(), model.n_v());
        let k = &self.k;
        let difference = |i: usize| h * (0..STAGES).map(|s| (weight(s) - LOWER[s]) * k[s][i]).sum::<f64>();
        for i in 0..n_v {
            self.x[i] = difference(n_q + i);
        }
        self.x[n_v..].fill(0.0);
        self.rhs.fill(0.0);
        let matrix = &mut step.matrix;
        matrix.leave(model, &work.eval, &self.x, &self.rhs);
        matrix.left.iter_mut().for_each(|e| *e = -*e);
        matrix.left[n_v..].fill(0.0);
        matrix.solve(n_v);
        let mut sum = 0.0;
        for i in 0..n_v {
            let e = matrix.left[i] / self.scale(n_q + i, self.start[n_q + i], self.stage[n_q + i]);
            sum += e * e;
        }
        for i in 0..n_q {
            let e = difference(i) / self.scale(i, self.start[i], self.stage[i]);
            sum += e * e;
        }
        (sum / (n_q + n_v).max(1) as f64).sqrt()
    }
}

//! RATTLE for bodies with rotation: kick, free flight, kick, with constraint impulses along J(q)^T at both ends.
//!
//! ```text
//! M (v_half - v) = h/2 F(q) + J(q)^T a                 a such that free flight from (q, v_half) ends at C = 0,
//!                                                      Cdot(q, v_half) + Cdot(q1, v_flight) = 0 in rows on velocities
//! (q1, v_flight) = free flight of every body over h
//! M (v1 - v_flight) = h/2 F(q1, v1) + J(q1)^T b        b such that Cdot(q1, v1) = 0
//! ```
//!
//! A row on velocities (nonholonomic) has no gap that the flight could close. Holding it at the start of the flight,
//! J(q) v_half = 0, treats the two ends differently: the step is then of order 1. The mean of its rates at both ends of
//! the flight is the same read backwards, and h times it is the trapezoidal rule for the gap that it does not have.
//! Rows on accelerations, J vdot + c = 0, say what each kick changes: J dv = - h/2 c with c at that end.
//!
//! Free flight is each body's own symmetric, momentum-keeping map, so inertial forces are left out of F for bodies that
//! account for them there. The whole step is symmetric: order 2, and the energy error of long runs stays bounded. The
//! impulses a are found by simplified Newton steps with the factor of H at q: J dv = -C(q1) / h, or minus the mean
//! rate. F and c may depend on velocity; they are then taken at v1 by two fixed-point passes.

use super::{Attempt, Integrator, Motion, Passage, passage};
use crate::catalogue::bodies::{Inertia, frame_of};
use crate::contact::inequality::tension::{LEAPFROG, Tension};
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::convergence::{self, Correction};
use crate::model::Model;
use crate::step::drift;
use holonom_tree::Node;

/// The RATTLE integrator.
#[derive(Clone, Debug)]
pub struct Rattle {
    q_start: Vec<f64>,
    v_start: Vec<f64>,
    v_half: Vec<f64>,
    zero: Vec<f64>,
    /// The impulses a of the first kick.
    impulses: Vec<f64>,
    /// Rows on velocities at the start of the flight: rate and its noise.
    rates: Vec<(f64, f64)>,
    passage: Passage,
    tension: Tension,
}

impl Default for Rattle {
    fn default() -> Self {
        let empty = Vec::new;
        let (q_start, v_start, v_half, zero, impulses) = (empty(), empty(), empty(), empty(), empty());
        let passage = Passage::new(PASSAGE, PASSAGE);
        Rattle { q_start, v_start, v_half, zero, impulses, rates: Vec::new(), passage, tension: Tension::default() }
    }
}

/// Tolerance of a step past a singular pose: far below the error of a step of order 2.
const PASSAGE: f64 = 1e-8;

/// Newton steps allowed for the first kick.
const MAX_ITERATIONS: usize = 50;

/// M, and F without what free flight accounts for.
fn evaluate_kick(model: &Model, q: &[f64], v: &[f64], t: f64, zero: &[f64], work: &mut Workspace) {
    for (i, body) in model.bodies.iter().enumerate() {
        let qi = model.q_of(i, q);
        let vi = if body.inertial_in_flight() { model.v_of(i, zero) } else { model.v_of(i, v) };
        let frame = frame_of(body.as_ref(), qi, vi);
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        let out = Inertia { mass: work.eval.blocks.diagonal_mut(Node(i as u32)), force: &mut work.eval.force[range] };
        body.evaluate(qi, vi, &frame, model.gravity, out);
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::apply_forces(model, q, v, t, &mut work.eval);
}

/// Solve H [dv; b] = [h/2 F; gap rate, or h/2 c in rows on accelerations] and add dv.
fn kick(model: &Model, t: f64, h: f64, v: &mut [f64], work: &mut Workspace) -> Result<(), StepError> {
    let n = v.len();
    for i in 0..n {
        work.kkt.x[i] = 0.5 * h * work.eval.force[i];
    }
    work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
    for &row in &model.acceleration_rows {
        work.kkt.x[n + row as usize] = 0.5 * h * work.eval.c[row as usize];
    }
    work.kkt.solve_and_check(model, t, &work.eval)?;
    for i in 0..n {
        v[i] += work.kkt.x[i];
    }
    Ok(())
}

impl Integrator for Rattle {
    fn name(&self) -> &'static str {
        "rattle"
    }
    fn order(&self) -> u32 {
        2
    }
    fn between_events(&self) -> bool {
        false
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        self.zero.resize(m.v.len(), 0.0);
        self.q_start.clone_from(m.q);
        self.v_start.clone_from(m.v);
        self.v_half.clone_from(m.v);
        if m.model.has_loops() {
            self.passage.note(m);
        }
        let rattled = match passage::is_taut(m.model) {
            false => self.first_kick(m, h).and_then(|()| self.second_kick(m, h)),
            true => Err(StepError::Singular { name: passage::taut_joint(m.model), time: m.t }),
        };
        let lost = (0..m.model.n_bodies()).find(|&i| {
            let (q, v) = (m.model.q_of(i, m.q), m.model.v_of(i, m.v));
            !q.iter().chain(v).all(|x| x.is_finite())
        });
        match rattled {
            Ok(()) if lost.is_none() || !m.model.has_loops() => Ok(Attempt { error: None, evaluations: 2 }),
            Err(e) if !m.model.has_loops() => Err(e),
            // loops may be at a singular pose, which others pass
            stopped => {
                let body = m.model.body_names.get(lost.unwrap_or(0)).to_string();
                let stopped = stopped.err().unwrap_or(StepError::NotFinite { body, time: m.t });
                self.passage.cross(m, h, stopped)
            }
        }
    }
}

impl Rattle {
    /// Links held taut that swing too fast for the step are thrown about, a little more in every step: refused at once.
    /// The impulses of the first kick, as it begins, are in `work.kkt.x`.
    fn refuse_taut(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (Workspace { eval, kkt, .. }, at) = (&mut *m.work, (&m.q[..], &m.v[..], m.t));
        let lambda = &mut kkt.x[m.v.len()..];
        lambda.iter_mut().for_each(|x| *x /= 0.5 * h);
        if self.tension.followed(m.model, at, (h, LEAPFROG), lambda, eval) {
            return Ok(());
        }
        let (i, rate) = self.tension.fastest(m.model, at, lambda, eval).unwrap_or((0, f64::NAN));
        Err(StepError::TautLink { body: m.model.body_names.get(i).to_string(), rate, step: h, time: m.t })
    }

    /// Kick and flight: legal to first order, then corrected until the flight ends on the constraints.
    fn first_kick(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (model, work, t) = (m.model, &mut *m.work, m.t);
        evaluate_kick(model, m.q, m.v, t, &self.zero, work);
        evaluate::evaluate_constraints(model, m.q, m.v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        evaluate::evaluate_gaps(model, m.q, m.v, t, &mut work.eval);
        kick(model, t, h, &mut self.v_half, work)?;
        let n = m.v.len();
        self.impulses.clear();
        self.impulses.extend_from_slice(&work.kkt.x[n..]);
        self.refuse_taut(m, h)?;
        convergence::watch_all(model, &mut m.work.correction.islands);
        for iteration in 0.. {
            self.fly(m, h);
            let Workspace { eval, kkt, correction: Correction { islands, .. }, .. } = &mut *m.work;
            let left = convergence::watch(model, &eval.gap, &eval.gap_noise, islands, |i| {
                i.now <= drift::QUIET || (i.now >= i.last && i.now <= drift::STALLED)
            });
            if !left {
                break;
            }
            let worst = islands.iter().filter(|i| i.active).fold((0.0, 0), |worst: (f64, usize), i| {
                let gap = eval.gap[i.row as usize].abs();
                if gap <= worst.0 { worst } else { (gap, i.row as usize) }
            });
            if iteration == MAX_ITERATIONS || !worst.0.is_finite() {
                let joint = model.joint_names.get(model.joint_of_row(worst.1)).to_string();
                return Err(StepError::DriftNotCorrected { joint, gap: worst.0, time: t, step: h });
            }
            drift::load_active(model, islands, kkt, &eval.gap);
            kkt.x[model.n_v()..].iter_mut().for_each(|x| *x /= h);
            kkt.solve(model, t, eval)?;
            self.impulses.iter_mut().zip(&kkt.x[n..]).for_each(|(sum, a)| *sum += a);
            for i in (0..model.n_bodies()).filter(|&i| islands[model.island[i] as usize].active) {
                for k in model.v_start[i] as usize..model.v_start[i + 1] as usize {
                    self.v_half[k] += kkt.x[k];
                }
            }
        }
        m.work.kkt.x[n..].copy_from_slice(&self.impulses);
        half_work(model, &self.q_start, &self.v_start, h, m.work, m.ledger);
        Ok(())
    }

    /// Free flight from the start with `v_half`, into `m`; what it leaves open of every row, m or rad, as its gap.
    fn fly(&mut self, m: &mut Motion<'_>, h: f64) {
        let (model, eval, t) = (m.model, &mut m.work.eval, m.t);
        let rows = &model.velocity_rows;
        if !rows.is_empty() {
            evaluate::place_bodies(model, &self.q_start, &self.v_half, eval);
            evaluate::evaluate_gaps(model, &self.q_start, &self.v_half, t, eval);
            self.rates.clear();
            self.rates.extend(rows.iter().map(|&r| (eval.gap_rate[r as usize], eval.rate_noise[r as usize])));
        }
        m.q.copy_from_slice(&self.q_start);
        m.v.copy_from_slice(&self.v_half);
        for (i, body) in model.bodies.iter().enumerate() {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            body.free_flight(model.q_of_mut(i, m.q), &mut m.v[range], h);
        }
        evaluate::place_bodies(model, m.q, m.v, eval);
        evaluate::evaluate_gaps(model, m.q, m.v, t + h, eval);
        for (&row, (rate, noise)) in rows.iter().zip(&self.rates) {
            let row = row as usize;
            eval.gap[row] = 0.5 * h * (rate + eval.gap_rate[row]);
            eval.gap_noise[row] = 0.5 * h * (noise + eval.rate_noise[row]);
        }
    }

    /// From the end of the flight to velocities that are legal there.
    fn second_kick(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (model, work, t) = (m.model, &mut *m.work, m.t + h);
        self.v_half.copy_from_slice(m.v);
        let no_forces = model.n_forces() == 0 && model.bodies.iter().all(|b| b.inertial_in_flight());
        let passes = if no_forces && model.acceleration_rows.is_empty() { 1 } else { 3 };
        for pass in 0..passes {
            evaluate_kick(model, m.q, m.v, t, &self.zero, work);
            if pass == 0 || !model.acceleration_rows.is_empty() {
                evaluate::evaluate_constraints(model, m.q, m.v, t, &mut work.eval);
            }
            if pass == 0 {
                work.kkt.factor(model, t, &work.eval)?;
            }
            evaluate::place_bodies(model, m.q, &self.v_half, &mut work.eval);
            evaluate::evaluate_gaps(model, m.q, &self.v_half, t, &mut work.eval);
            m.v.copy_from_slice(&self.v_half);
            kick(model, t, h, m.v, work)?;
        }
        evaluate::place_bodies(model, m.q, m.v, &mut work.eval);
        half_work(model, m.q, m.v, h, work, m.ledger);
        Ok(())
    }
}

/// Trapezoidal share of the work of forces and joints; the impulses are in `work.kkt.x` as h/2 lambda.
fn half_work(model: &Model, q: &[f64], v: &[f64], h: f64, work: &mut Workspace, ledger: &mut [f64]) {
    let n = v.len();
    for x in &mut work.kkt.x[n..] {
        *x /= 0.5 * h;
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    dynamics::powers(model, q, v, work);
    for (w, p) in ledger.iter_mut().zip(&work.eval.power) {
        *w += 0.5 * h * p;
    }
}

//! RATTLE for bodies with rotation: kick, free flight, kick, with constraint impulses along J(q)^T at both ends.
//!
//! ```text
//! M (v_half - v) = h/2 F(q) + J(q)^T a        a such that free flight from (q, v_half) ends at C = 0
//! (q1, v_flight) = free flight of every body over h
//! M (v1 - v_flight) = h/2 F(q1, v1) + J(q1)^T b        b such that Cdot = 0
//! ```
//!
//! Free flight is each body's own symmetric, momentum-keeping map, so inertial forces are left out of F for bodies that
//! account for them there. The whole step is symmetric: order 2, and the energy error of long runs stays bounded. The
//! impulses a are found by simplified Newton steps with the factor of H at q: J dv = -C(q1) / h. F may depend on
//! velocity; it is then taken at v1 by two fixed-point passes.

use super::{Attempt, Integrator, Motion};
use crate::catalogue::bodies::{Inertia, frame_of};
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::convergence::{self, Correction};
use crate::model::Model;
use crate::step::drift;
use holonom_tree::Node;

/// The RATTLE integrator.
#[derive(Clone, Debug, Default)]
pub struct Rattle {
    q_start: Vec<f64>,
    v_start: Vec<f64>,
    v_half: Vec<f64>,
    zero: Vec<f64>,
    /// The impulses a of the first kick.
    impulses: Vec<f64>,
}

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

/// Solve H [dv; b] = [h/2 F; gap rate] and add dv.
fn kick(model: &Model, t: f64, h: f64, v: &mut [f64], work: &mut Workspace) -> Result<(), StepError> {
    let n = v.len();
    for i in 0..n {
        work.kkt.x[i] = 0.5 * h * work.eval.force[i];
    }
    work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
    work.kkt.solve(model, t, &work.eval)?;
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
        let Rattle { q_start, v_start, v_half, zero, impulses } = self;
        let (model, work, t) = (m.model, &mut *m.work, m.t);
        zero.resize(m.v.len(), 0.0);
        q_start.clone_from(m.q);
        v_start.clone_from(m.v);
        v_half.clone_from(m.v);

        // first kick: legal to first order, then corrected until the flight ends on the constraints
        evaluate_kick(model, m.q, m.v, t, zero, work);
        evaluate::evaluate_constraints(model, m.q, m.v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        evaluate::evaluate_gaps(model, m.q, m.v, t, &mut work.eval);
        kick(model, t, h, v_half, work)?;
        let n = m.v.len();
        impulses.clear();
        impulses.extend_from_slice(&work.kkt.x[n..]);
        let Workspace { eval, kkt, correction: Correction { islands, .. }, .. } = &mut *work;
        convergence::watch_all(model, islands);
        for iteration in 0.. {
            m.q.copy_from_slice(q_start);
            m.v.copy_from_slice(v_half);
            for (i, body) in model.bodies.iter().enumerate() {
                let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
                body.free_flight(model.q_of_mut(i, m.q), &mut m.v[range], h);
            }
            evaluate::place_bodies(model, m.q, m.v, eval);
            evaluate::evaluate_gaps(model, m.q, m.v, t + h, eval);
            let left = convergence::watch(model, &eval.gap, &eval.gap_noise, islands, |i| {
                i.now <= drift::QUIET || (i.now >= i.last && i.now <= drift::STALLED)
            });
            if !left {
                break;
            }
            let open = islands.iter().filter(|i| i.active).map(|i| eval.gap[i.row as usize].abs());
            let gap = open.fold(0.0, |a: f64, gap| if gap <= a { a } else { gap });
            if iteration == MAX_ITERATIONS || !gap.is_finite() {
                return Err(StepError::NotConverged {
                    what: "the position equation of RATTLE (the step may be too large)",
                    residual: gap,
                    iterations: iteration,
                    time: t,
                });
            }
            drift::load_active(model, islands, kkt, |row| eval.gap[row] / h);
            kkt.solve(model, t, eval)?;
            impulses.iter_mut().zip(&kkt.x[n..]).for_each(|(sum, a)| *sum += a);
            for i in (0..model.n_bodies()).filter(|&i| islands[model.island[i] as usize].active) {
                for k in model.v_start[i] as usize..model.v_start[i + 1] as usize {
                    v_half[k] += kkt.x[k];
                }
            }
        }
        work.kkt.x[n..].copy_from_slice(impulses);
        half_work(model, q_start, v_start, h, work, m.ledger);

        // second kick
        let t = t + h;
        v_half.copy_from_slice(m.v);
        let all_in_flight = model.n_forces() == 0 && model.bodies.iter().all(|b| b.inertial_in_flight());
        let passes = if all_in_flight { 1 } else { 3 };
        for pass in 0..passes {
            evaluate_kick(model, m.q, m.v, t, zero, work);
            if pass == 0 {
                evaluate::evaluate_constraints(model, m.q, m.v, t, &mut work.eval);
                work.kkt.factor(model, t, &work.eval)?;
            }
            evaluate::place_bodies(model, m.q, v_half, &mut work.eval);
            evaluate::evaluate_gaps(model, m.q, v_half, t, &mut work.eval);
            m.v.copy_from_slice(v_half);
            kick(model, t, h, m.v, work)?;
        }
        evaluate::place_bodies(model, m.q, m.v, &mut work.eval);
        half_work(model, m.q, m.v, h, work, m.ledger);
        Ok(Attempt { error: None, evaluations: 2 })
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

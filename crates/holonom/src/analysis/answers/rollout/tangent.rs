//! Forward: how every state of a run changes with one number, step by step beside the run.
//!
//! ```text
//! stages        H d[a; lambda] = d(rho),   rho = [F + J^T lambda - M a; c + J a],  [a; lambda] held fixed
//! projection    J (dq + dd) + C_p = 0,  M dd = J^T (..);      J (dv + dd') + d(J v + C_t) = 0 likewise
//! ```
//!
//! One solve for each stage with the factor at hand, and two looks at all terms nearby: central differences along the
//! one direction that counts, the model for more ahead and the model for less behind. Corrections d = M^-1 J^T mu are
//! along the rows of the last stage, and turn with it: `d(J^T) mu - dM d` comes from there.

use super::charts::Chart;
use super::forward::{self, Controlled, STAGES, Stage};
use super::parameters::RolloutParameter;
use super::watch::Watch;
use super::{Rollout, RolloutTable};
use crate::analysis::answers::PushAlong;
use crate::analysis::answers::derivatives::Terms;
use crate::analysis::nearby::difference;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::model::Model;
use crate::model::state::State;
use std::sync::Arc;

/// A model at one side of the differences.
struct Side {
    model: Arc<Model>,
    terms: Terms,
    q: Vec<f64>,
    v: Vec<f64>,
    row: Vec<f64>,
}

impl Side {
    fn new(model: &Arc<Model>) -> Side {
        let (n_q, n_v) = (model.n_q(), model.n_v());
        Side {
            model: model.clone(),
            terms: Terms::new(model),
            q: vec![0.0; n_q],
            v: vec![0.0; n_v],
            row: vec![0.0; n_v],
        }
    }

    /// `h` along the direction, from a state.
    fn go(&mut self, (q, v): (&[f64], &[f64]), (dq, dv): (&[f64], &[f64]), h: f64) {
        let move_on = |to: &mut [f64], from: &[f64], d: &[f64]| {
            to.iter_mut().zip(from).zip(d).for_each(|((to, from), d)| *to = from + h * d);
        };
        move_on(&mut self.q, q, dq);
        move_on(&mut self.v, v, dv);
    }

    /// rho there, controls included.
    fn remainder(&mut self, t: f64, x: &[f64], controls: Controlled) -> Vec<f64> {
        let Side { model, terms, q, v, row } = self;
        let mut rho = terms.remainder(model, (q, v, t), x);
        for (along, size) in controls.along.iter().zip(controls.sizes) {
            row.fill(0.0);
            along.write_at(model, &bodies_at(model, &terms.eval.frames, q, v), row);
            rho.iter_mut().zip(&*row).for_each(|(r, g)| *r += size * g);
        }
        rho
    }

    /// Gaps and their rates there.
    fn gaps(&mut self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let Side { model, terms, q, v, .. } = self;
        evaluate::place_bodies(model, q, v, &mut terms.eval);
        evaluate::evaluate_gaps(model, q, v, t, &mut terms.eval);
        (terms.eval.gap.clone(), terms.eval.gap_rate.clone())
    }
}

/// A direction beside a run: displacements of the state, in velocity coordinates, and changes of its velocities.
struct Beside {
    z: Vec<f64>,
    v: Vec<f64>,
}

fn by(charts: &[Chart], model: &Model, mut visit: impl FnMut(usize, Chart, std::ops::Range<usize>)) {
    for (i, chart) in charts.iter().enumerate() {
        visit(i, *chart, model.v_start[i] as usize..model.v_start[i + 1] as usize);
    }
}

/// `J x` with J as in `end`.
fn opened(model: &Model, end: &Workspace, bare: &mut holonom_tree::Factor, x: &[f64]) -> Vec<f64> {
    let n = x.len() + model.n_rows();
    let (mut all, zero, mut out) = (x.to_vec(), vec![0.0; n], vec![0.0; n]);
    all.resize(n, 0.0);
    model.plan.residual(&end.eval.blocks, bare, &all, &zero, &mut out);
    out.split_off(x.len())
}

/// What closes rows that are opened by `by`: J d = - by, M d = J^T (..) + turned.
fn closing(model: &Model, end: &mut Workspace, turned: &[f64], by: &[f64], t: f64) -> Result<Vec<f64>, StepError> {
    let n = model.n_v();
    end.kkt.x[..n].copy_from_slice(turned);
    end.kkt.x[n..].copy_from_slice(by);
    end.kkt.solve(model, t, &end.eval)?;
    Ok(end.kkt.x[..n].to_vec())
}

fn slope(ahead: &[f64], behind: &[f64], apart: f64) -> Vec<f64> {
    ahead.iter().zip(behind).map(|(a, b)| (a - b) / apart).collect()
}

/// Of a correction d with M d = J^T mu at the last stage: `d(J^T) mu - dM d` along the direction.
fn turning(
    model: &Model,
    correction: &[f64],
    (stage, work): (&Stage, &mut Workspace),
    (sides, apart): (&mut [Side; 2], f64),
    (dq, dv): (&[f64], &[f64]),
) -> Result<Vec<f64>, StepError> {
    let n = correction.len();
    let mut bare = model.plan.new_factor();
    let by = opened(model, work, &mut bare, correction);
    work.kkt.x[..n].fill(0.0);
    work.kkt.x[n..].iter_mut().zip(&by).for_each(|(x, o)| *x = -o);
    work.kkt.solve(model, stage.t, &work.eval)?;
    let mut x = correction.to_vec();
    x.extend_from_slice(&work.kkt.x[n..]);
    let zero = vec![0.0; x.len()];
    let none = Controlled { along: &[], sizes: &[] };
    let mut seen = [Vec::new(), Vec::new()];
    for ((side, seen), h) in sides.iter_mut().zip(&mut seen).zip([0.5 * apart, -0.5 * apart]) {
        side.go((&stage.q, &stage.v), (dq, dv), h);
        let (with, without) = (side.remainder(stage.t, &x, none), side.remainder(stage.t, &zero, none));
        *seen = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    }
    Ok(slope(&seen[0][..n], &seen[1][..n], apart))
}

impl Rollout {
    /// How what is looked at along the run changes with a parameter: derivatives of every entry of the table of
    /// [`Rollout::watched`]. Costs as much as some runs for each parameter; for one objective of many parameters
    /// [`Rollout::watched_gradient`] is the shorter way.
    pub fn watched_tangent(
        &self,
        parameter: &RolloutParameter,
        along: &[PushAlong],
    ) -> Result<RolloutTable, StepError> {
        let along: Arc<[PushAlong]> = along.into();
        let (less, more, apart) = parameter.sides();
        let mut watches = [Watch::new(more, &along)?, Watch::new(less, &along)?];
        let charts = super::charts::charts(&self.model)?;
        let mut table = RolloutTable::default();
        let model = &self.model;
        self.tangent(parameter, |state, d| {
            let mut dq = vec![0.0; model.n_q()];
            by(&charts, model, |i, chart, range| {
                chart.rate(model.q_of(i, &state.q), &d.z[range], model.q_of_mut(i, &mut dq));
            });
            let mut seen = [Vec::new(), Vec::new()];
            for ((watch, seen), h) in watches.iter_mut().zip(&mut seen).zip([0.5 * apart, -0.5 * apart]) {
                let mut there = state.clone();
                there.q.iter_mut().zip(&dq).for_each(|(q, d)| *q += h * d);
                there.v.iter_mut().zip(&d.v).for_each(|(v, d)| *v += h * d);
                watch.place(&there);
                seen.extend((0..along.len()).map(|k| watch.read(k, &there)));
            }
            for (ahead, behind) in seen[0].iter().zip(&seen[1]) {
                let mut by = ahead.0 - behind.0;
                // an angle that is read within one turn may jump by a whole one
                if by.abs() > 3.0 {
                    by -= std::f64::consts::TAU * libm::round(by / std::f64::consts::TAU);
                }
                table.values.push(by / apart);
                table.rates.push((ahead.1 - behind.1) / apart);
            }
        })?;
        Ok(table)
    }

    /// Step by step.
    fn tangent(&self, parameter: &RolloutParameter, mut visit: impl FnMut(&State, &Beside)) -> Result<(), StepError> {
        let (model, h) = (&self.model, self.options.step);
        let (less, more, apart) = parameter.sides();
        super::parameters::refuse_other(model, less, more)?;
        let charts = super::charts::charts(model)?;
        let mut sides = [Side::new(more), Side::new(less)];
        let mut work: Vec<Workspace> = (0..4).map(|_| Workspace::new(model, model.default_solver())).collect();
        let mut end = Workspace::new(model, model.default_solver());
        let mut stages: [Stage; 4] = Default::default();
        let mut state = self.kept.first().unwrap_or(&self.last).clone();
        let n = model.n_v();
        let mut d = Beside { z: vec![0.0; n], v: vec![0.0; n] };
        if self.as_built {
            (d.z, d.v) = parameter.start();
        }
        visit(&state, &d);
        for k in 0..self.options.steps {
            let controls = self.during(k);
            forward::stages(model, &state, h, controls, &mut work, &mut stages)?;
            let ends = (&mut sides, apart);
            let sum = stage_slopes(model, (&state, h), (&stages, &mut work), controls, ends, &charts, &d)?;
            let mut next = state.clone();
            forward::finish(model, &mut next, h, &stages, &mut work[3])?;
            let (mut raw, mut v) = (Vec::new(), Vec::new());
            forward::sum(&state, h, &stages, &mut raw, &mut v);
            d.z.fill(0.0);
            by(&charts, model, |i, chart, range| {
                chart.settle(model.q_of(i, &raw), model.q_of(i, &sum.q), &mut d.z[range]);
            });
            d.v = sum.v;
            if model.n_rows() > 0 {
                let mut closed = raw.clone();
                forward::normalise(model, &mut closed);
                let moved = difference(model, &closed, &next.q);
                let changed: Vec<f64> = next.v.iter().zip(&v).map(|(a, b)| a - b).collect();
                let turned = [moved, changed].map(|correction| {
                    turning(
                        model,
                        &correction,
                        (&stages[3], &mut work[3]),
                        (&mut sides, apart),
                        (&sum.last.0, &sum.last.1),
                    )
                });
                let [of_q, of_v] = turned;
                forward::factor(model, &next, &mut end)?;
                project(model, &next, &mut end, (&mut sides, apart), &charts, (&of_q?, &of_v?), &mut d)?;
            }
            state = next;
            visit(&state, &d);
        }
        Ok(())
    }
}

/// Derivatives of the numbers in q and of v, where stages have been summed, and at the last of them.
struct Slopes {
    q: Vec<f64>,
    v: Vec<f64>,
    last: (Vec<f64>, Vec<f64>),
}

/// From those at the start of a step.
fn stage_slopes(
    model: &Model,
    (state, h): (&State, f64),
    (stages, work): (&[Stage; 4], &mut [Workspace]),
    controls: Controlled,
    (sides, apart): (&mut [Side; 2], f64),
    charts: &[Chart],
    d: &Beside,
) -> Result<Slopes, StepError> {
    let (n_q, n_v) = (model.n_q(), model.n_v());
    let mut last = (Vec::new(), Vec::new());
    let mut first = vec![0.0; n_q];
    by(charts, model, |i, chart, range| {
        chart.rate(model.q_of(i, &state.q), &d.z[range], model.q_of_mut(i, &mut first));
    });
    let (mut total_q, mut total_v) = (first.clone(), d.v.clone());
    let (mut k_q, mut k_v) = (vec![0.0; n_q], vec![0.0; n_v]);
    for (s, (node, weight)) in STAGES.into_iter().enumerate() {
        let stage = &stages[s];
        let ahead = |from: &[f64], k: &[f64]| from.iter().zip(k).map(|(x, k)| x + h * node * k).collect::<Vec<f64>>();
        let (dq, dv) = (ahead(&first, &k_q), ahead(&d.v, &k_v));
        let mut seen = [Vec::new(), Vec::new()];
        for ((side, seen), h) in sides.iter_mut().zip(&mut seen).zip([0.5 * apart, -0.5 * apart]) {
            side.go((&stage.q, &stage.v), (&dq, &dv), h);
            if model.reads_turns {
                side.terms.eval.angles.clone_from(&work[s].eval.angles);
            }
            *seen = side.remainder(stage.t, &stage.solution, controls);
        }
        let Workspace { eval, kkt, .. } = &mut work[s];
        kkt.x.copy_from_slice(&slope(&seen[0], &seen[1], apart));
        kkt.solve(model, stage.t, eval)?;
        k_v.copy_from_slice(&kkt.x[..n_v]);
        k_q.fill(0.0);
        by(charts, model, |i, chart, range| {
            let (q, out) = (model.q_of(i, &stage.q), model.q_of_mut(i, &mut k_q));
            chart.rate(q, &dv[range.clone()], out);
            chart.turn(model.q_of(i, &dq), &stage.v[range], out);
        });
        total_q.iter_mut().zip(&k_q).for_each(|(t, k)| *t += h / 6.0 * weight * k);
        total_v.iter_mut().zip(&k_v).for_each(|(t, k)| *t += h / 6.0 * weight * k);
        last = (dq, dv);
    }
    Ok(Slopes { q: total_q, v: total_v, last })
}

/// The projections at the end of a step.
fn project(
    model: &Model,
    next: &State,
    end: &mut Workspace,
    (sides, apart): (&mut [Side; 2], f64),
    charts: &[Chart],
    turned: (&[f64], &[f64]),
    d: &mut Beside,
) -> Result<(), StepError> {
    let mut bare = model.plan.new_factor();
    let (mut still, none) = (vec![0.0; model.n_q()], vec![0.0; model.n_v()]);
    let halves = [0.5 * apart, -0.5 * apart];
    let mut differences = |dq: &[f64]| {
        let mut seen = [Default::default(), Default::default()];
        for ((side, seen), h) in sides.iter_mut().zip(&mut seen).zip(halves) {
            side.go((&next.q, &next.v), (dq, &none), h);
            *seen = side.gaps(next.t);
        }
        let [(a, b), (c, e)]: [(Vec<f64>, Vec<f64>); 2] = seen;
        (slope(&a, &c, apart), slope(&b, &e, apart))
    };
    let mask = |rows: &mut [f64], list: &[u32]| list.iter().for_each(|&r| rows[r as usize] = 0.0);
    let (gaps, _) = differences(&still);
    let mut by_z = opened(model, end, &mut bare, &d.z);
    by_z.iter_mut().zip(&gaps).for_each(|(o, g)| *o += g);
    mask(&mut by_z, &model.velocity_rows);
    mask(&mut by_z, &model.acceleration_rows);
    let correction = closing(model, end, turned.0, &by_z, next.t)?;
    d.z.iter_mut().zip(&correction).for_each(|(z, c)| *z += c);
    by(charts, model, |i, chart, range| {
        chart.rate(model.q_of(i, &next.q), &d.z[range], model.q_of_mut(i, &mut still));
    });
    let (_, rates) = differences(&still);
    let mut by_v = opened(model, end, &mut bare, &d.v);
    by_v.iter_mut().zip(&rates).for_each(|(o, g)| *o += g);
    mask(&mut by_v, &model.acceleration_rows);
    let correction = closing(model, end, turned.1, &by_v, next.t)?;
    d.v.iter_mut().zip(&correction).for_each(|(v, c)| *v += c);
    Ok(())
}

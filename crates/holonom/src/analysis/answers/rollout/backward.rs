//! Backward: one step of [`super::forward`] transposed. Derivation: `docs/derivations/rollout.md`.

use super::charts::Chart;
use super::contracted::{Contracted, Terms, Weights};
use super::forward::{self, Controlled, STAGES, Stage};
use super::parameters::Known;
use crate::analysis::dense::size;
use crate::analysis::nearby::difference;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::model::Model;
use crate::model::state::State;
use holonom_tree::Factor;

/// Corrections smaller than this part of what they correct change no derivative.
const UNFELT: f64 = 1e-12;

/// Memory for going backwards.
pub(super) struct Backward {
    /// One for each stage, with its factor, and one for the end of the step.
    work: Vec<Workspace>,
    end: Workspace,
    stages: [Stage; 4],
    contracted: Contracted,
    charts: Vec<Chart>,
    bare: Factor,
    /// Rows that are conditions on positions; on positions or velocities.
    on_positions: Vec<bool>,
    on_rates: Vec<bool>,
    /// What is found: the gradient by displacement and velocity at the state that has been reached.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    /// By parameters.
    pub parameters: Vec<f64>,
    scratch: Vec<f64>,
}

/// A projection, transposed: y and nu with M y - J^T nu = given, J y = 0.
struct Projected {
    y: Vec<f64>,
    nu: Vec<f64>,
    /// Of nu, rows that were no part of what was to close: zero elsewhere, and their sign turned.
    held: Vec<f64>,
}

impl Backward {
    pub fn new(model: &Model, contracted: Contracted, charts: Vec<Chart>, n_parameters: usize) -> Self {
        let workspace = || Workspace::new(model, model.default_solver());
        let n_rows = model.n_rows();
        let (mut on_positions, mut on_rates) = (vec![true; n_rows], vec![true; n_rows]);
        model.velocity_rows.iter().for_each(|&r| on_positions[r as usize] = false);
        for &r in &model.acceleration_rows {
            (on_positions[r as usize], on_rates[r as usize]) = (false, false);
        }
        Backward {
            work: (0..4).map(|_| workspace()).collect(),
            end: workspace(),
            stages: Default::default(),
            contracted,
            charts,
            bare: model.plan.new_factor(),
            on_positions,
            on_rates,
            by_q: vec![0.0; model.n_v()],
            by_v: vec![0.0; model.n_v()],
            parameters: vec![0.0; n_parameters],
            scratch: vec![0.0; model.n_v() + n_rows],
        }
    }

    /// Begin at the end of the last step.
    pub fn begin(&mut self, model: &Model, last: &State) -> Result<(), StepError> {
        forward::factor(model, last, &mut self.end)
    }

    /// From the gradient at `after` to that at `before`, of a step with these controls, whose own gradient goes to
    /// `by_controls`.
    pub fn step(
        &mut self,
        model: &Model,
        (before, after, h): (&State, &State, f64),
        controls: Controlled,
        known: &mut [Known],
        by_controls: &mut [f64],
    ) -> Result<(), StepError> {
        forward::stages(model, before, h, controls, &mut self.work, &mut self.stages)?;
        let (mut q, mut v) = (Vec::new(), Vec::new());
        forward::sum(before, h, &self.stages, &mut q, &mut v);
        let (of_q, of_v) = self.projection(model, after, controls, known)?;

        // what the projection did to a step is along the rows of its last stage, which depend on where that was
        let mut closed = q.clone();
        forward::normalise(model, &mut closed);
        let moved = difference(model, &closed, &after.q);
        let changed: Vec<f64> = after.v.iter().zip(&v).map(|(a, b)| a - b).collect();
        let felt_q = size(&moved) > UNFELT * model.length_scale();
        let felt_v = size(&changed) > UNFELT * size(&after.v);
        let rows = [(felt_q, &moved, of_q), (felt_v, &changed, of_v)];

        let (n_q, n_v) = (model.n_q(), model.n_v());
        let mut total_q = vec![0.0; n_q]; // by the numbers in q, at the sum of the stages
        self.each_chart(model, |me, i, chart| {
            chart.lift(model.q_of(i, &q), model.v_of(i, &me.by_q), model.q_of_mut(i, &mut total_q));
        });
        let total_v = self.by_v.clone();
        let (mut start_q, mut start_v) = (total_q.clone(), total_v.clone());
        let (mut next_q, mut next_v) = (vec![0.0; n_q], vec![0.0; n_v]); // by the stage after this one
        let (mut k_q, mut k_v) = (vec![0.0; n_q], vec![0.0; n_v]);
        let (mut slope_q, mut slope_v) = (vec![0.0; n_v], vec![0.0; n_v]);
        for s in (0..4).rev() {
            let weight = h / 6.0 * STAGES[s].1;
            let carried = STAGES.get(s + 1).map_or(0.0, |(node, _)| h * node);
            for j in 0..n_q {
                k_q[j] = weight * total_q[j] + carried * next_q[j];
            }
            for j in 0..n_v {
                k_v[j] = weight * total_v[j] + carried * next_v[j];
            }
            slope_q.fill(0.0);
            slope_v.fill(0.0);
            self.stage(model, s, &k_v, controls, known, by_controls, (&mut slope_q, &mut slope_v))?;
            if s == 3 {
                for (_, moved, projected) in rows.iter().filter(|(felt, ..)| *felt) {
                    self.corrected(model, moved, projected, known, (&mut slope_q, &mut slope_v))?;
                }
            }
            next_q.fill(0.0);
            next_v.copy_from_slice(&slope_v);
            let stages = std::mem::take(&mut self.stages);
            let stage = &stages[s];
            self.each_chart(model, |_, i, chart| {
                let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
                let (q, v, k) = (model.q_of(i, &stage.q), &stage.v[range.clone()], model.q_of(i, &k_q));
                chart.lift(q, &slope_q[range.clone()], model.q_of_mut(i, &mut next_q));
                chart.pass(v, k, model.q_of_mut(i, &mut next_q));
                chart.lower(q, k, &mut next_v[range]);
            });
            self.stages = stages;
            start_q.iter_mut().zip(&next_q).for_each(|(a, b)| *a += b);
            start_v.iter_mut().zip(&next_v).for_each(|(a, b)| *a += b);
        }
        self.by_q.fill(0.0);
        self.by_v.copy_from_slice(&start_v);
        self.each_chart(model, |me, i, chart| {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            chart.lower(model.q_of(i, &before.q), model.q_of(i, &start_q), &mut me.by_q[range]);
        });
        // the factor of the first stage is that of the end of the step before
        std::mem::swap(&mut self.end, &mut self.work[0]);
        Ok(())
    }

    fn each_chart(&mut self, model: &Model, mut visit: impl FnMut(&mut Self, usize, Chart)) {
        for i in 0..model.n_bodies() {
            let chart = self.charts[i];
            visit(self, i, chart);
        }
    }

    /// `J^T nu` with J as in `end`, added to `out`.
    fn add_pull(&mut self, model: &Model, nu: &[f64], out: &mut [f64]) {
        let n = out.len();
        let mut x = vec![0.0; n];
        x.extend_from_slice(nu);
        let zero = vec![0.0; x.len()];
        model.plan.residual(&self.end.eval.blocks, &mut self.bare, &x, &zero, &mut self.scratch);
        out.iter_mut().zip(&self.scratch).for_each(|(o, p)| *o += p);
    }

    fn project(&mut self, model: &Model, given: &[f64], t: f64, wanted: &[bool]) -> Result<Projected, StepError> {
        let Workspace { eval, kkt, .. } = &mut self.end;
        kkt.x.fill(0.0);
        kkt.x[..given.len()].copy_from_slice(given);
        kkt.solve(model, t, eval)?;
        let (y, nu) = kkt.x.split_at(given.len());
        let held = nu.iter().zip(wanted).map(|(x, w)| if *w { 0.0 } else { -x }).collect();
        let nu = nu.iter().zip(wanted).map(|(x, w)| if *w { *x } else { 0.0 }).collect();
        Ok(Projected { y: y.to_vec(), nu, held })
    }

    /// The projections at the end of the step: velocities first, which were projected last.
    fn projection(
        &mut self,
        model: &Model,
        after: &State,
        controls: Controlled,
        known: &mut [Known],
    ) -> Result<(Projected, Projected), StepError> {
        if model.n_rows() == 0 {
            let none = || Projected { y: vec![0.0; self.by_q.len()], nu: Vec::new(), held: Vec::new() };
            return Ok((none(), none()));
        }
        let (by_q, by_v) = (std::mem::take(&mut self.by_q), std::mem::take(&mut self.by_v));
        let on_rates = std::mem::take(&mut self.on_rates);
        let on_positions = std::mem::take(&mut self.on_positions);
        let of_v = self.project(model, &by_v, after.t, &on_rates)?;
        let (mut by_q, mut by_v) = (by_q, by_v);
        self.add_pull(model, &of_v.nu, &mut by_v);
        let still = vec![0.0; by_v.len()];
        let none = vec![0.0; of_v.nu.len()];
        let w = Weights { terms: Terms::Rates, a: &after.v, lambda: &none, b: &still, nu: &of_v.nu };
        self.contracted.place(&after.q, &after.v, after.t, &self.work[0].eval.angles);
        let mut unused = vec![0.0; by_v.len()];
        self.contracted.gradient(&w, &self.end.eval, &mut by_q, &mut unused);
        let of_q = self.project(model, &by_q, after.t, &on_positions)?;
        self.add_pull(model, &of_q.nu, &mut by_q);
        let gaps = Weights { terms: Terms::Gaps, nu: &of_q.nu, ..w };
        for (total, known) in self.parameters.iter_mut().zip(known) {
            known.place((&after.q, &after.v, after.t), controls.sizes, &self.work[0].eval.angles);
            *total += known.slope(&w) + known.slope(&gaps);
        }
        (self.by_q, self.by_v, self.on_rates, self.on_positions) = (by_q, by_v, on_rates, on_positions);
        Ok((of_q, of_v))
    }

    /// One stage: the gradient of k_v . a by where it is.
    #[expect(clippy::too_many_arguments, reason = "what a stage adds to")]
    fn stage(
        &mut self,
        model: &Model,
        s: usize,
        k_v: &[f64],
        controls: Controlled,
        known: &mut [Known],
        by_controls: &mut [f64],
        (slope_q, slope_v): (&mut [f64], &mut [f64]),
    ) -> Result<(), StepError> {
        let n = k_v.len();
        let (stage, work) = (&self.stages[s], &mut self.work[s]);
        work.kkt.x.fill(0.0);
        work.kkt.x[..n].copy_from_slice(k_v);
        work.kkt.solve(model, stage.t, &work.eval)?;
        let (a, lambda) = stage.solution.split_at(n);
        let (b, nu) = work.kkt.x.split_at(n);
        let w = Weights { terms: Terms::Motion, a, lambda, b, nu };
        self.contracted.sizes.copy_from_slice(controls.sizes);
        self.contracted.place(&stage.q, &stage.v, stage.t, &work.eval.angles);
        self.contracted.gradient(&w, &work.eval, slope_q, slope_v);
        for (k, total) in by_controls.iter_mut().enumerate() {
            *total += self.contracted.along_control(k, b);
        }
        for (total, known) in self.parameters.iter_mut().zip(known) {
            known.place((&stage.q, &stage.v, stage.t), controls.sizes, &work.eval.angles);
            *total += known.slope(&w);
        }
        Ok(())
    }

    /// A correction by `moved` with the factor of the last stage: M moved = J^T mu there. The place is still that of
    /// the stage.
    fn corrected(
        &mut self,
        model: &Model,
        moved: &[f64],
        projected: &Projected,
        known: &mut [Known],
        (slope_q, slope_v): (&mut [f64], &mut [f64]),
    ) -> Result<(), StepError> {
        let n = moved.len();
        let work = &mut self.work[3];
        let mut x = moved.to_vec();
        x.resize(self.scratch.len(), 0.0);
        let zero = vec![0.0; x.len()];
        model.plan.residual(&work.eval.blocks, &mut self.bare, &x, &zero, &mut self.scratch);
        work.kkt.x.fill(0.0);
        work.kkt.x[n..].iter_mut().zip(&self.scratch[n..]).for_each(|(x, opened)| *x = -opened);
        work.kkt.solve(model, self.stages[3].t, &work.eval)?;
        let mu = &work.kkt.x[n..];
        let w = Weights { terms: Terms::Pairs, a: moved, lambda: mu, b: &projected.y, nu: &projected.held };
        self.contracted.gradient(&w, &work.eval, slope_q, slope_v);
        for (total, known) in self.parameters.iter_mut().zip(known) {
            *total += known.slope(&w);
        }
        Ok(())
    }
}

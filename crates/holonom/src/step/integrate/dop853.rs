//! Dormand-Prince of order 8 with error estimates of order 5 and 3, and dense output of order 7.
//!
//! Stages combine the rates of quaternions linearly; the step ends by normalising them, which keeps the full order in
//! 3-D rotation. Stage 2's and 3's memory is used again for stages 11 and 12 (Hairer's arrangement): ten arrays serve
//! twelve stages.

use super::dop853_table::{A, B, C, D, E3, E5};
use super::{Attempt, Integrator, Motion, System};
use crate::error::StepError;
use crate::model::Model;

/// Memory of each stage.
const SLOT: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 10, 11];

/// The adaptive integrator of order 8.
#[derive(Clone, Debug)]
pub struct Dop853 {
    relative: f64,
    absolute: f64,
    y: Vec<f64>,
    start: Vec<f64>,
    stage: Vec<f64>,
    sizes: Vec<f64>,
    k: Vec<Vec<f64>>,
    /// Dense output: differences of the last step; empty until asked for.
    dense: Vec<Vec<f64>>,
}

impl Dop853 {
    /// With relative and absolute tolerances per step.
    pub fn new(relative: f64, absolute: f64) -> Self {
        Dop853 {
            relative,
            absolute,
            y: Vec::new(),
            start: Vec::new(),
            stage: Vec::new(),
            sizes: Vec::new(),
            k: Vec::new(),
            dense: Vec::new(),
        }
    }
}

/// out = y + h sum_j a_j k_j.
fn combine(out: &mut [f64], y: &[f64], h: f64, k: &[Vec<f64>], weights: &[(usize, f64)]) {
    out.copy_from_slice(y);
    for &(j, a) in weights {
        let factor = h * a;
        for (o, k) in out.iter_mut().zip(&k[SLOT[j]]) {
            *o += factor * k;
        }
    }
}

fn run_stage(
    system: &mut dyn System,
    s: usize,
    t: f64,
    h: f64,
    y: &[f64],
    stage: &mut [f64],
    k: &mut [Vec<f64>],
) -> Result<(), StepError> {
    combine(stage, y, h, k, A[s]);
    system.rate(t + C[s] * h, stage, &mut k[SLOT[s]])
}

/// The error that projection leaves. Near a singular pose rates are rough across the constraints, by rounding divided
/// by the square of the distance, and a step that crosses the pose has the sum of that; but where it ends those
/// directions are held again, and projection takes it out. So the results of order 8 and 5 are compared after
/// projection.
#[cold]
fn legal_error(
    system: &mut dyn System,
    t: f64,
    h: f64,
    y: &[f64],
    k: &[Vec<f64>],
    scale: impl Fn(usize) -> f64,
) -> Result<f64, StepError> {
    let n = system.n_controlled();
    let (mut best, mut other) = (y.to_vec(), y.to_vec());
    for (i, other) in other.iter_mut().enumerate().take(n) {
        *other -= h * E5.iter().map(|&(j, e)| e * k[SLOT[j]][i]).sum::<f64>();
    }
    system.normalise(&mut other);
    system.project(t, &mut best)?;
    system.project(t, &mut other)?;
    let off = |i: usize| (best[i] - other[i]) / scale(i);
    let sum: f64 = (0..n).map(|i| off(i) * off(i)).sum();
    Ok((sum / n.max(1) as f64).sqrt())
}

impl Integrator for Dop853 {
    fn name(&self) -> &'static str {
        "dop853"
    }
    fn order(&self) -> u32 {
        8
    }
    fn adaptive(&self) -> bool {
        true
    }
    fn any_coordinates(&self) -> bool {
        true
    }
    fn dense_output(&self) -> bool {
        true
    }
    fn validate(&self) -> Result<(), String> {
        for (name, value) in [("relative", self.relative), ("absolute", self.absolute)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(format!("{name} tolerance of dop853 is {value}, must be greater than 0 and less than 1"));
            }
        }
        Ok(())
    }

    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let Dop853 { relative, absolute, y, start, stage, sizes, k, .. } = self;
        m.with_system(y, |system, t, y| {
            let n = system.len();
            k.resize(k.len().max(10), Vec::new());
            for k in k.iter_mut().take(10) {
                k.resize(n, 0.0);
            }
            stage.resize(n, 0.0);
            start.resize(n, 0.0);
            start.copy_from_slice(y);
            system.rate(t, y, &mut k[0])?;
            for s in 1..12 {
                run_stage(system, s, t, h, start, stage, k)?;
            }
            combine(y, start, h, k, B);

            let (mut sum5, mut sum3) = (0.0, 0.0);
            let controlled = system.n_controlled();
            if sizes.len() != controlled {
                system.sizes(sizes);
            }
            for i in 0..controlled {
                let scale = *absolute * sizes[i] + *relative * start[i].abs().max(y[i].abs());
                let at = |e: &[(usize, f64)]| e.iter().map(|&(j, e)| e * k[SLOT[j]][i]).sum::<f64>() / scale;
                let (e5, e3) = (at(E5), at(E3));
                sum5 += e5 * e5;
                sum3 += e3 * e3;
            }
            let size = (sum5 + 0.01 * sum3) * controlled as f64;
            let mut error = if size > 0.0 { h.abs() * sum5 / size.sqrt() } else { 0.0 };
            system.normalise(y);
            if !(error <= 1.0) && system.passes_singular() {
                let scale = |i: usize| *absolute * sizes[i] + *relative * start[i].abs().max(y[i].abs());
                error = legal_error(system, t + h, h, y, k, scale).unwrap_or(error);
            }
            Ok(Attempt { error: Some(if error.is_nan() { f64::INFINITY } else { error }), evaluations: 12 })
        })
    }

    fn prepare_dense(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let Dop853 { y, start, stage, k, dense, .. } = self;
        let t_end = m.t;
        m.with_system(y, |system, _, y| {
            let n = system.len();
            k.resize(12, Vec::new());
            dense.resize(7, Vec::new());
            for x in k.iter_mut().skip(10).chain(dense.iter_mut()) {
                x.resize(n, 0.0);
            }
            let t = t_end - h;
            // the end point as it was reported, after projection
            system.rate(t_end, y, &mut k[SLOT[12]])?;
            for s in 13..16 {
                run_stage(system, s, t, h, start, stage, k)?;
            }
            for i in 0..n {
                let delta = y[i] - start[i];
                dense[0][i] = delta;
                dense[1][i] = h * k[0][i] - delta;
                dense[2][i] = 2.0 * delta - h * (k[SLOT[12]][i] + k[0][i]);
                for (d, weights) in D.iter().enumerate() {
                    dense[3 + d][i] = h * weights.iter().map(|&(j, w)| w * k[SLOT[j]][i]).sum::<f64>();
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn interpolate(&self, theta: f64, model: &Model, q: &mut [f64], v: &mut [f64], ledger: &mut [f64]) {
        for (i, out) in q.iter_mut().chain(v).chain(ledger).enumerate() {
            let mut sum = 0.0;
            for (j, d) in self.dense.iter().enumerate().rev() {
                sum = (sum + d[i]) * if j % 2 == 0 { theta } else { 1.0 - theta };
            }
            *out = self.start[i] + sum;
        }
        for (i, body) in model.bodies.iter().enumerate() {
            body.normalise(model.q_of_mut(i, q));
        }
    }
}

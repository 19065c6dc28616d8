//! Derivatives of one number of the motion by everything: the transpose of [`HeldFactor::derivative`].
//!
//! ```text
//! k_a . da + k_lambda . dlambda = [b; nu] . d(rho),    H [b; nu] = [k_a; k_lambda]
//! ```
//!
//! One solve and one look at all parts, for derivatives by all displacements, velocities and forces together. All rows
//! of a matrix of derivatives by 2 n coordinates so cost n solves and looks.

use super::contracted::{Contracted, Terms, Weights};
use crate::analysis::answers::{Displacement, HeldFactor, Response};
use crate::error::StepError;
use std::sync::Arc;

impl HeldFactor {
    /// For each of these numbers `acceleration . a + multipliers . lambda` of the motion under all forces: its
    /// derivatives by a displacement, by the velocities and by a generalised force, per velocity coordinate. Closed
    /// forms for rigid bodies and joints that are locks, central differences part by part for everything else (1e-9 of
    /// the part).
    ///
    /// # Panics
    /// When a list has another length than the velocity coordinates or the rows.
    pub fn pull_back(&mut self, of: &[Response]) -> Result<Vec<Displacement>, StepError> {
        let (n, n_rows) = (self.n_v(), self.n_rows());
        let Response { acceleration: a, multipliers: lambda } = self.accelerations()?;
        let model = self.model().clone();
        super::contracted::refuse_own(&model)?;
        let mut contracted = Contracted::new(&model, &Arc::from([]));
        let state = self.state().clone();
        contracted.place(&state.q, &state.v, state.t, &self.work.eval.angles);
        let mut out = Vec::with_capacity(of.len());
        for number in of {
            let lengths = (number.acceleration.len(), number.multipliers.len());
            assert_eq!(lengths, (n, n_rows), "pull_back: lengths");
            let mut x = number.acceleration.clone();
            x.extend_from_slice(&number.multipliers);
            self.solve(&mut x)?;
            let (b, nu) = x.split_at(n);
            let mut found = Displacement { position: vec![0.0; n], velocity: vec![0.0; n], force: b.to_vec() };
            let w = Weights { terms: Terms::Motion, a: &a, lambda: &lambda, b, nu };
            contracted.gradient(&w, &self.work.eval, &mut found.position, &mut found.velocity);
            out.push(found);
        }
        Ok(out)
    }
}

//! Legal directions at a state, orthonormal in the mass metric.
//!
//! ```text
//! M = L L^T, body by body;     J x = 0  <=>  (J L^-T) (L^T x) = 0
//! N = L^-T (orthonormal basis of the null space of J L^-T),      N^T M N = 1
//! ```
//!
//! The null space is that of a factorisation with pivoting, so redundant rows do no harm. Two bases are kept:
//! `positions`, annihilated by the rows of level `Position`, and `velocities`, annihilated by those of level `Velocity`
//! too. Rows on accelerations restrict neither.

use crate::analysis::check;
use crate::analysis::dense::{backward, cholesky, dot, forward, normalised, null_space};
use crate::catalogue::joints::Level;
use crate::error::StepError;
use crate::model::Model;
use crate::model::state::State;

/// What is left of a row of length 1 when it counts as dependent on the others.
const DEPENDENT: f64 = 1e-10;

/// Directions, and their images under M.
pub(super) struct Directions {
    /// Columns of N, each a list of velocity coordinates.
    pub n: Vec<Vec<f64>>,
    /// Columns of M N.
    pub mn: Vec<Vec<f64>>,
}

impl Directions {
    /// `N^T M x`: the components of x.
    pub fn components(&self, x: &[f64]) -> Vec<f64> {
        self.mn.iter().map(|m| dot(m, x)).collect()
    }

    /// `N z`.
    pub fn combine(&self, z: &[f64], n_v: usize) -> Vec<f64> {
        let mut out = vec![0.0; n_v];
        for (column, z) in self.n.iter().zip(z) {
            crate::analysis::dense::add(&mut out, *z, column);
        }
        out
    }

    pub fn len(&self) -> usize {
        self.n.len()
    }
}

/// Both sets of directions.
pub(super) struct Basis {
    pub positions: Directions,
    pub velocities: Directions,
    /// No row is nonholonomic: the two sets are the same.
    pub same: bool,
}

/// The legal directions at `state`.
pub(super) fn basis(model: &Model, state: &State) -> Result<Basis, StepError> {
    let equations = check::equations(model, state);
    let n = model.n_v();
    let blocks: Vec<(usize, usize)> = model.v_start.windows(2).map(|w| (w[0] as usize, w[1] as usize)).collect();
    let mut factors = Vec::with_capacity(blocks.len());
    for (i, &(at, end)) in blocks.iter().enumerate() {
        let mut l: Vec<f64> = (at..end).flat_map(|r| equations.mass[r * n + at..r * n + end].to_vec()).collect();
        if !cholesky(&mut l, end - at) {
            return Err(StepError::Singular { name: model.body_names.get(i).to_string(), time: state.t });
        }
        factors.push(l);
    }
    let rows_of = |wanted: &dyn Fn(Level) -> bool| -> Vec<Vec<f64>> {
        let mut rows = Vec::new();
        for joint in &model.joints {
            for (row, i) in joint.row_range().zip(joint.kept_rows()) {
                if wanted(joint.constraint.level(i)) {
                    let mut j = equations.jacobian[row * n..(row + 1) * n].to_vec();
                    for (&(at, end), l) in blocks.iter().zip(&factors) {
                        forward(l, end - at, &mut j[at..end]);
                    }
                    rows.push(j);
                }
            }
        }
        rows
    };
    let directions = |rows: Vec<Vec<f64>>| {
        let mut columns = null_space(normalised(rows), n, DEPENDENT);
        for x in &mut columns {
            for (&(at, end), l) in blocks.iter().zip(&factors) {
                backward(l, end - at, &mut x[at..end]);
            }
        }
        let mn = columns
            .iter()
            .map(|x| {
                let mut m = vec![0.0; n];
                for &(at, end) in &blocks {
                    for r in at..end {
                        m[r] = dot(&equations.mass[r * n + at..r * n + end], &x[at..end]);
                    }
                }
                m
            })
            .collect();
        Directions { n: columns, mn }
    };
    let same = !model.joints.iter().any(|j| j.kept_rows().any(|i| j.constraint.level(i) == Level::Velocity));
    let positions = directions(rows_of(&|level| level == Level::Position));
    let velocities = if same {
        Directions { n: positions.n.clone(), mn: positions.mn.clone() }
    } else {
        directions(rows_of(&|level| level != Level::Acceleration))
    };
    Ok(Basis { positions, velocities, same })
}

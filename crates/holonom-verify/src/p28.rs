//! Elastica: a cantilever as a chain of N rigid links with springs in its pins.
//!
//! Links of length l = 1/N stand for the slopes in their middles. Between two middles lies a length l, so the spring of
//! a pin has stiffness EI / l; between the clamp and the first middle only l / 2, so the spring at the clamp has 2 EI /
//! l. The free end carries no moment and needs no spring. This is the midpoint rule: all errors are of second order,
//! with an expansion in even powers of l. The slope at the tip is that of the last link, tip and deflection those of
//! its far end.
//!
//! Compared: the limit by Richardson's extrapolation over N = 4, 8, 16, 32, 64; and the order with which the plain
//! results approach the reference, which must be 2.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::scenes::load;
use holonom::EquilibriumOptions;

const LINKS: [usize; 5] = [4, 8, 16, 32, 64];

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("links with springs");
    let (mut rows, mut orders, mut residuals) = (Vec::new(), Vec::new(), Vec::new());
    for sample in &p.samples {
        let mut plain: Vec<Vec<f64>> = Vec::new();
        for n in LINKS {
            let (row, residual) = bent(n, sample[0])?;
            plain.push(row);
            residuals.push(residual);
        }
        let error = |k: usize, column: usize| (plain[k][column] - sample[column + 1]).abs();
        for column in 0..3 {
            orders.push((error(3, column) / error(4, column)).log2() - 2.0);
        }
        rows.push(extrapolated(plain));
    }
    compare.columns(&rows);
    compare.at_most("order of convergence less 2", &orders, 0.01);
    compare.at_most("residual", &residuals, 1e-12);
    Ok(())
}

/// The limit of results whose errors have even powers of the spacing, which is halved from each to the next.
fn extrapolated(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let mut power = 1.0;
    while rows.len() > 1 {
        power *= 4.0;
        let better = |w: &[Vec<f64>]| w[1].iter().zip(&w[0]).map(|(f, c)| f + (f - c) / (power - 1.0)).collect();
        rows = rows.windows(2).map(better).collect();
    }
    rows.swap_remove(0)
}

/// Slope and deflection of the tip and its distance from the wall under the load `alpha`, from a straight start; and
/// the residual.
fn bent(n: usize, alpha: f64) -> Result<(Vec<f64>, f64), VerifyError> {
    let scene = load("p28-elastica", &[("N", n as f64), ("alpha", alpha)])?;
    let (from, to) = (scene.point(&format!("beam/{n}.from"))?, scene.point(&format!("beam/{n}.to"))?);
    let mut sim = scene.sim;
    let found = sim.equilibrium(&EquilibriumOptions::default())?;
    let tip = sim.point(to).0;
    let along = tip - sim.point(from).0;
    Ok((vec![along.y.atan2(along.x), tip.y, tip.x], found.residual))
}

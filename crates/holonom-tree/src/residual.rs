//! What a solution leaves of its right-hand side, from the blocks as given.

use crate::blocks::Blocks;
use crate::factor::Factor;
use crate::plan::Plan;
use crate::structure::Node;

impl Plan {
    /// `out = rhs - H x`, from the blocks as given, not from the factors. Allocates nothing; borrows scratch from the factor.
    ///
    /// One step of iterative refinement is: solve, take the residual, solve for it, add.
    ///
    /// # Panics
    /// When a vector is shorter than [`Plan::len`].
    pub fn residual(&self, blocks: &Blocks, factor: &mut Factor, x: &[f64], rhs: &[f64], out: &mut [f64]) {
        let n = self.len();
        out[..n].copy_from_slice(&rhs[..n]);
        let s = &self.structure;
        let mut at = 0;
        for i in 0..s.n_nodes() {
            let size = s.size(Node(i as u32));
            if !s.is_dual(Node(i as u32)) {
                let (x, out) = (&x[at..at + size], &mut out[at..at + size]);
                for r in 0..size {
                    for c in 0..size {
                        out[r] -= blocks.entry(Node(i as u32), r, c) * x[c];
                    }
                }
            }
            at += size;
        }
        for link in &s.links {
            let (rows, columns) = (s.size(link.dual), s.size(link.primal));
            let block = &mut factor.link[..rows * columns];
            blocks.write_link(s, link, block);
            let (dual, primal) = (self.offset(link.dual), self.offset(link.primal));
            for r in 0..rows {
                for c in 0..columns {
                    // the link stands as -J
                    let j = block[r * columns + c];
                    out[dual + r] += j * x[primal + c];
                    out[primal + c] += j * x[dual + r];
                }
            }
        }
    }
}

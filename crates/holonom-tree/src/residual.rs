//! What a solution leaves of its right-hand side, from the blocks as given.

use crate::blocks::Blocks;
use crate::factor::Factor;
use crate::plan::Plan;
use crate::structure::Node;

impl Plan {
    /// `out = rhs - H x`, from the blocks as given, not from the factors. Allocates nothing; borrows scratch from the
    /// factor.
    ///
    /// One step of iterative refinement is: solve, take the residual, solve for it, add.
    ///
    /// # Panics
    /// When a vector is shorter than [`Plan::len`].
    pub fn residual(&self, blocks: &Blocks, factor: &mut Factor, x: &[f64], rhs: &[f64], out: &mut [f64]) {
        let n = self.len();
        out[..n].copy_from_slice(&rhs[..n]);
        let s = &self.structure;
        for i in 0..s.n_nodes() {
            let (node, at) = (Node(i as u32), self.offsets[i] as usize);
            if s.central[i] {
                let (d, x, out) = (blocks.diagonal(node), &x[at..at + 6], &mut out[at..at + 6]);
                for r in 0..3 {
                    out[r] -= d[0] * x[r];
                }
                out[3] -= d[1] * x[3] + d[2] * x[4] + d[3] * x[5];
                out[4] -= d[2] * x[3] + d[4] * x[4] + d[5] * x[5];
                out[5] -= d[3] * x[3] + d[5] * x[4] + d[6] * x[5];
            } else if !s.is_dual(node) {
                let size = s.size(node);
                let (x, out) = (&x[at..at + size], &mut out[at..at + size]);
                for r in 0..size {
                    for c in 0..size {
                        out[r] -= blocks.entry(node, r, c) * x[c];
                    }
                }
            }
        }
        for link in &s.links {
            let (rows, columns) = (s.size(link.dual), s.size(link.primal));
            let block = &mut factor.link[..rows * columns];
            blocks.write_link(s, link, block);
            let (dual, primal) = (self.offset(link.dual), self.offset(link.primal));
            if columns == 6 {
                // the common case, with its size known
                let y: &[f64; 6] = &std::array::from_fn(|c| x[primal + c]);
                let mut sum = [0.0; 6];
                for (r, row) in block.as_chunks::<6>().0.iter().enumerate() {
                    let l = x[dual + r];
                    let mut product = 0.0;
                    for c in 0..6 {
                        product += row[c] * y[c];
                        sum[c] += row[c] * l;
                    }
                    out[dual + r] += product;
                }
                (0..6).for_each(|c| out[primal + c] += sum[c]);
                continue;
            }
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

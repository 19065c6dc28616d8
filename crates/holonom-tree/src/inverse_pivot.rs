//! Inverse pivots: primal nodes of the core with a block `[a 1, 0; 0, C]` and nothing below them, kept as explicit
//! inverses.
//!
//! The inverse of such a block is explicit, and so is what its duals receive:
//!
//! ```text
//!     W_a = J_a D^-1 = [ (first three columns of J_a) / a,  (last three) C^-1 ],       T_ab -= J_a W_b^T
//!     forward  x_a += W_a f            backward   y = D^-1 f + sum_a W_a^T x_a
//! ```
//!
//! where `T_ab` is the block between duals a and b, in the panel of whichever is eliminated first ([`crate::panel`]).

use crate::blocks::Blocks;
use crate::factor::{Factor, Singular};
use crate::panel::Target;
use crate::plan::Plan;
use crate::structure::Node;
use crate::vec3::{V3, cross, dot, invert, rows_of};

#[derive(Clone, Copy, Debug)]
pub(crate) struct InversePivot {
    pub node: Node,
    /// Index among the central blocks.
    pub central: u32,
    pub x: u32,
    /// Index among the inverses.
    pub inverse: u32,
    pub links: (u32, u32),
    /// First of its targets.
    pub targets: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct InversePivotLink {
    pub link: u32,
    /// The dual in a vector.
    pub x: u32,
    pub rows: u32,
    /// Offset of W among the numbers of all inverse pivots.
    pub w: u32,
    /// Three rows and `E = 1`; then `transform` and `far` say where the lever arm is.
    pub three_aligned: bool,
    pub transform: u32,
    pub far: bool,
}

impl Plan {
    /// Eliminate an inverse pivot.
    pub(crate) fn factor_inverse_pivot(
        &self,
        pivot: &InversePivot,
        blocks: &Blocks,
        factor: &mut Factor,
    ) -> Result<(), Singular> {
        let d = &blocks.central[pivot.central as usize];
        let Some(k) = invert(&[d[1], d[2], d[3], d[4], d[5], d[6]]).filter(|_| d[0] > 0.0) else {
            return Err(Singular { node: pivot.node, pivot: f64::NAN });
        };
        let a = 1.0 / d[0];
        factor.inverses[pivot.inverse as usize] = [a, k[0], k[1], k[2], k[3], k[4], k[5]];
        let links = self.links_of_pivot(pivot);
        self.write_w(links, a, &rows_of(&k), blocks, factor);
        let mut targets = self.targets[pivot.targets as usize..].iter();
        for (i, first) in links.iter().enumerate() {
            if first.three_aligned && links[i..].iter().all(|l| l.three_aligned) {
                self.update_aligned(&links[i..], &mut targets, blocks, factor);
            } else {
                self.update_any(&links[i..], &mut targets, blocks, factor);
            }
        }
        Ok(())
    }

    /// W of every link, with `a` and `k` for the inverse of the block.
    #[inline(always)]
    fn write_w(&self, links: &[InversePivotLink], a: f64, k: &[V3; 3], blocks: &Blocks, factor: &mut Factor) {
        for l in links {
            let w = &mut factor.w[l.w as usize..][..6 * l.rows as usize];
            if l.three_aligned {
                let (s, r) = self.aligned_end(l, blocks);
                write_aligned_w(a, k, s, r, w);
            } else {
                blocks.write_link(&self.structure, self.link(l.link), w);
                for row in w.as_chunks_mut::<6>().0 {
                    let y = [row[3], row[4], row[5]];
                    *row = [a * row[0], a * row[1], a * row[2], dot(k[0], y), dot(k[1], y), dot(k[2], y)];
                }
            }
        }
    }

    /// `T_ab -= J_a W_b^T` for the first link and all of them, where they have three aligned rows each; and the own
    /// sizes of the first.
    #[inline(always)]
    fn update_aligned<'t>(
        &self,
        links: &[InversePivotLink],
        targets: &mut impl Iterator<Item = &'t Target>,
        blocks: &Blocks,
        factor: &mut Factor,
    ) {
        let own = &mut factor.own[links[0].x as usize..][..3];
        let (s, r) = self.aligned_end(&links[0], blocks);
        for (k, (second, t)) in links.iter().zip(targets).enumerate() {
            let w = &factor.w[second.w as usize..][..18];
            let block = aligned_product(s, r, w);
            subtract(&block, &mut factor.panels, t);
            if k == 0 {
                (0..3).for_each(|c| own[c] += block[c][c]);
            }
        }
    }

    /// The same for any rows.
    #[inline(always)]
    fn update_any<'t>(
        &self,
        links: &[InversePivotLink],
        targets: &mut impl Iterator<Item = &'t Target>,
        blocks: &Blocks,
        factor: &mut Factor,
    ) {
        let rows = links[0].rows as usize;
        let own = &mut factor.own[links[0].x as usize..][..rows];
        let j = &mut factor.link[..6 * rows];
        blocks.write_link(&self.structure, self.link(links[0].link), j);
        let j = j.as_chunks::<6>().0;
        for (k, (second, t)) in links.iter().zip(targets).enumerate() {
            let w = factor.w[second.w as usize..][..6 * second.rows as usize].as_chunks::<6>().0;
            for (r, j) in j.iter().enumerate() {
                let row = &mut factor.panels[t.at as usize + r * t.stride as usize..][..w.len()];
                for (t, w) in row.iter_mut().zip(w) {
                    *t -= dot6(j, w);
                }
                if k == 0 {
                    own[r] += dot6(j, &w[r]);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn links_of_pivot(&self, pivot: &InversePivot) -> &[InversePivotLink] {
        &self.inverse_pivot_links[pivot.links.0 as usize..pivot.links.1 as usize]
    }

    /// Sign and lever arm of an aligned link.
    #[inline(always)]
    fn aligned_end(&self, l: &InversePivotLink, blocks: &Blocks) -> (f64, [f64; 3]) {
        let transform = &blocks.transforms[l.transform as usize];
        if l.far { (1.0, transform.far) } else { (-1.0, transform.near) }
    }

    pub(crate) fn forward_inverse_pivot(&self, pivot: &InversePivot, factor: &Factor, x: &mut [f64]) {
        let f: [f64; 6] = std::array::from_fn(|i| x[pivot.x as usize + i]);
        for l in self.links_of_pivot(pivot) {
            let w = factor.w[l.w as usize..][..6 * l.rows as usize].as_chunks::<6>().0;
            let x = &mut x[l.x as usize..][..w.len()];
            // the usual number of rows, so that the loop unrolls
            if let ([x0, x1, x2], [w0, w1, w2]) = (&mut *x, w) {
                (*x0, *x1, *x2) = (*x0 + dot6(&f, w0), *x1 + dot6(&f, w1), *x2 + dot6(&f, w2));
                continue;
            }
            for (x, w) in x.iter_mut().zip(w) {
                *x += dot6(&f, w);
            }
        }
    }

    pub(crate) fn backward_inverse_pivot(&self, pivot: &InversePivot, factor: &Factor, x: &mut [f64]) {
        let at = pivot.x as usize;
        let [a, k @ ..] = factor.inverses[pivot.inverse as usize];
        let y = [x[at + 3], x[at + 4], x[at + 5]];
        let mut out = [
            a * x[at],
            a * x[at + 1],
            a * x[at + 2],
            k[0] * y[0] + k[1] * y[1] + k[2] * y[2],
            k[1] * y[0] + k[3] * y[1] + k[4] * y[2],
            k[2] * y[0] + k[4] * y[1] + k[5] * y[2],
        ];
        for l in self.links_of_pivot(pivot) {
            let w = factor.w[l.w as usize..][..6 * l.rows as usize].as_chunks::<6>().0;
            let x = &x[l.x as usize..][..w.len()];
            if let ([x0, x1, x2], [w0, w1, w2]) = (x, w) {
                (0..6).for_each(|i| out[i] = out[i] + x0 * w0[i] + x1 * w1[i] + x2 * w2[i]);
                continue;
            }
            for (x, w) in x.iter().zip(w) {
                (0..6).for_each(|i| out[i] += x * w[i]);
            }
        }
        x[at..at + 6].copy_from_slice(&out);
    }
}

/// W = s [a 1, -[r] K]: row i of -[r] K has the entries (K_j × r)_i.
#[inline(always)]
fn write_aligned_w(a: f64, k: &[[f64; 3]; 3], s: f64, r: [f64; 3], w: &mut [f64]) {
    let p = [cross(k[0], r), cross(k[1], r), cross(k[2], r)];
    for i in 0..3 {
        for j in 0..3 {
            w[6 * i + j] = if i == j { s * a } else { 0.0 };
            w[6 * i + 3 + j] = s * p[j][i];
        }
    }
}

/// J_a W_b^T with J_a = s [1 -[r]]: entry (i, c) is s (W_b first)_ci + s ((W_b last)_c × r)_i.
#[inline(always)]
fn aligned_product(s: f64, r: [f64; 3], w: &[f64]) -> [[f64; 3]; 3] {
    let mut out = [[0.0; 3]; 3];
    for c in 0..3 {
        let w = &w[6 * c..6 * c + 6];
        let turn = cross([w[3], w[4], w[5]], r);
        for i in 0..3 {
            out[i][c] = s * (w[i] + turn[i]);
        }
    }
    out
}

#[inline(always)]
fn subtract(block: &[[f64; 3]; 3], panels: &mut [f64], t: &Target) {
    for (r, b) in block.iter().enumerate() {
        let row = &mut panels[t.at as usize + r * t.stride as usize..][..3];
        (0..3).for_each(|c| row[c] -= b[c]);
    }
}

#[inline(always)]
fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

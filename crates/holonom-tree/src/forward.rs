//! Half a solve: products `a^T H^-1 b` from forward sweeps alone.
//!
//! With `H = L D L^T`, `a^T H^-1 b = (L^-1 a)^T D^-1 (L^-1 b)`: whoever wants many such products, and not the solutions
//! themselves, needs no backward sweep. Every pivot contributes what it has eliminated:
//!
//! ```text
//!     dense pivot block, row k     z_k^a z_k^b / d_k
//!     inverse pivot                f_a^T D^-1 f_b
//!     pair, free direction k       u_k^a u_k^b / d_k
//!     pair, three aligned rows     h_a^T C'^-1 h_b,     h = last three entries of X^-T f
//! ```
//!
//! The vectors must be zero in their dual entries: pairs know their duals only through the way up and down again.

use crate::factor::Factor;
use crate::plan::{Op, Plan};
use crate::solve::{Between, forward_pair};

impl Plan {
    /// Length of what [`Plan::solve_forward`] leaves.
    pub fn forward_len(&self) -> usize {
        self.ops
            .iter()
            .map(|op| match op {
                Op::Pair(pair) => 6 - pair.mask.count(),
                Op::Front(k) => self.fronts[*k as usize].n as usize,
                Op::InversePivot(_) => 6,
                Op::Panel(k) => self.panels[*k as usize].n as usize,
            })
            .sum()
    }

    /// The forward sweep of a solve; `x` must be zero in its dual entries and is used up. O(nodes); allocates nothing.
    ///
    /// # Panics
    /// When `x` or `half` is too short.
    pub fn solve_forward(&self, factor: &mut Factor, x: &mut [f64], half: &mut [f64]) {
        let mut at = 0;
        let mut put = |values: &[f64]| {
            half[at..at + values.len()].copy_from_slice(values);
            at += values.len();
        };
        for op in &self.ops {
            match op {
                Op::Pair(pair) if pair.three_aligned() => {
                    let f: [f64; 6] = std::array::from_fn(|i| x[pair.x_child as usize + i]);
                    put(&factor.aligned[pair.pivot as usize].last_at_point(&f));
                    forward_pair(pair, factor, x);
                }
                Op::Pair(pair) => {
                    forward_pair(pair, factor, x);
                    let Between { u, .. } = &factor.between[pair.pivot as usize];
                    put(&u[..6 - pair.mask.count()]);
                }
                Op::Front(k) => {
                    let front = &self.fronts[*k as usize];
                    self.forward_front(front, factor, x);
                    self.eliminated(front.members).for_each(|part| put(&x[part]));
                }
                Op::InversePivot(k) => {
                    let pivot = &self.inverse_pivots[*k as usize];
                    put(&x[pivot.x as usize..][..6]);
                    self.forward_inverse_pivot(pivot, factor, x);
                }
                Op::Panel(k) => {
                    let panel = &self.panels[*k as usize];
                    self.forward_panel(panel, factor, x);
                    self.eliminated(panel.members).for_each(|part| put(&x[part]));
                }
            }
        }
    }

    /// Where the members of a pivot block lie in a vector, in the order in which they stand in the block: the forward
    /// sweep leaves z there.
    fn eliminated(&self, (first, end): (u32, u32)) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.members[first as usize..end as usize].iter().map(|m| m.x as usize..(m.x + m.size) as usize)
    }

    /// `a^T H^-1 b` from what [`Plan::solve_forward`] left of the two.
    pub fn forward_product(&self, factor: &Factor, a: &[f64], b: &[f64]) -> f64 {
        let mut at = 0;
        let mut sum = 0.0;
        for op in &self.ops {
            match op {
                Op::Pair(pair) if pair.three_aligned() => {
                    let three = |v: &[f64]| [v[at], v[at + 1], v[at + 2]];
                    sum += factor.aligned[pair.pivot as usize].last_product(three(a), three(b));
                    at += 3;
                }
                Op::Pair(pair) => {
                    for inverse in factor.free[pair.pivot as usize].inverses(pair.mask) {
                        sum += a[at] * b[at] * inverse;
                        at += 1;
                    }
                }
                Op::Front(k) => {
                    let front = &self.fronts[*k as usize];
                    for k in 0..front.n as usize {
                        sum += a[at] * b[at] * self.front_inverse(front, factor, k);
                        at += 1;
                    }
                }
                Op::InversePivot(k) => {
                    let [m, k @ ..] = factor.inverses[self.inverse_pivots[*k as usize].inverse as usize];
                    let (f, y) = (&a[at..at + 6], &b[at..at + 6]);
                    sum += m * (f[0] * y[0] + f[1] * y[1] + f[2] * y[2]);
                    sum += f[3] * (k[0] * y[3] + k[1] * y[4] + k[2] * y[5]);
                    sum += f[4] * (k[1] * y[3] + k[3] * y[4] + k[4] * y[5]);
                    sum += f[5] * (k[2] * y[3] + k[4] * y[4] + k[5] * y[5]);
                    at += 6;
                }
                Op::Panel(k) => {
                    let panel = &self.panels[*k as usize];
                    for k in 0..panel.n as usize {
                        sum += a[at] * b[at] * factor.panels[panel.at as usize + k * (panel.width as usize + 1)];
                        at += 1;
                    }
                }
            }
        }
        sum
    }
}

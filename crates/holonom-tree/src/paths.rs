//! Half solves of many right-hand sides, each zero but for a few nodes.
//!
//! The forward sweep ([`crate::forward`]) of a vector that is zero outside of one node changes nothing but the nodes on
//! the way from there to a root of the elimination tree: the next pivot on the way is the first that is eliminated
//! among those a pivot passes something on to. With several nodes, several ways run together. So the matrix
//!
//! ```text
//!     A = K^T H^-1 K = Y^T D^-1 Y,      Y = L^-1 K
//! ```
//!
//! of k right-hand sides costs k ways, and `k^2 / 2` products over what two ways have in common, instead of k solves.

use crate::factor::Factor;
use crate::plan::{NONE, Op, Plan};
use crate::solve::{Between, forward_pair};
use crate::structure::Node;

/// The elimination tree of a plan, by pivots.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The pivot that eliminates an entry of a vector.
    op_of: Vec<u32>,
    /// The next pivot on the way to the root.
    next: Vec<u32>,
    /// Place of a pivot's first number in half a solve, and the length of a whole half.
    at: Vec<u32>,
    len: usize,
}

/// Half solves of some right-hand sides: what is not zero of each.
#[derive(Clone, Debug, Default)]
pub struct SparseHalves {
    /// Of every right-hand side the end of its pieces and of its numbers.
    ends: Vec<(usize, usize)>,
    /// Numbers in a row: their first place, and how many.
    pieces: Vec<(u32, u32)>,
    /// `y`, and `D^-1 y`.
    values: Vec<f64>,
    scaled: Vec<f64>,
    /// The next pivot on each way.
    ways: Vec<u32>,
    dense: Vec<f64>,
}

impl SparseHalves {
    /// No right-hand sides.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.pieces.clear();
        self.values.clear();
        self.scaled.clear();
    }

    /// How many right-hand sides there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Numbers that are not zero, of all of them together.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Row `i` of `A` up to its diagonal, into the first `i + 1` entries of `row`.
    ///
    /// # Panics
    /// When there is no such right-hand side or `row` is too short.
    pub fn write_products(&mut self, i: usize, row: &mut [f64]) {
        let (first, start) = if i == 0 { (0, 0) } else { self.ends[i - 1] };
        let own = &self.pieces[first..self.ends[i].0];
        let mut scaled = &self.scaled[start..];
        for &(at, n) in own {
            let (piece, rest) = scaled.split_at(n as usize);
            self.dense[at as usize..][..n as usize].copy_from_slice(piece);
            scaled = rest;
        }
        let (mut pieces, mut values) = (self.pieces.iter(), &self.values[..]);
        let mut first = 0;
        for (out, &(end, _)) in row[..=i].iter_mut().zip(&self.ends) {
            let mut sum = 0.0;
            for &(at, n) in pieces.by_ref().take(end - first) {
                let (piece, rest) = values.split_at(n as usize);
                let other = &self.dense[at as usize..][..n as usize];
                sum += piece.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
                values = rest;
            }
            *out = sum;
            first = end;
        }
        for &(at, n) in own {
            self.dense[at as usize..][..n as usize].fill(0.0);
        }
    }

    fn put(&mut self, at: u32, values: &[f64], scaled: impl IntoIterator<Item = f64>) {
        let n = values.len() as u32;
        // what follows the piece before, of the same right-hand side, joins it
        let first = self.ends.last().map_or(0, |end| end.0);
        match self.pieces[first..].last_mut() {
            Some(last) if last.0 + last.1 == at => last.1 += n,
            _ => self.pieces.push((at, n)),
        }
        self.values.extend_from_slice(values);
        self.scaled.extend(scaled);
    }
}

impl Plan {
    /// The elimination tree.
    pub fn paths(&self) -> Paths {
        let mut paths = Paths { op_of: vec![NONE; self.n_x], ..Paths::default() };
        for (k, op) in self.ops.iter().enumerate() {
            let k = k as u32;
            let mut own = |start: u32, size: u32| paths.op_of[start as usize..][..size as usize].fill(k);
            match op {
                Op::Pair(pair) => {
                    own(pair.x_child, 6);
                    own(pair.x_dual, pair.mask.count() as u32);
                }
                Op::Front(k) => {
                    self.members_of(self.fronts[*k as usize].members).iter().for_each(|m| own(m.x, m.size));
                }
                Op::InversePivot(k) => own(self.inverse_pivots[*k as usize].x, 6),
                Op::Panel(k) => {
                    self.members_of(self.panels[*k as usize].members).iter().for_each(|m| own(m.x, m.size));
                }
            }
        }
        for op in &self.ops {
            let op_of = |x: u32| paths.op_of[x as usize];
            let (n, next) = match op {
                Op::Pair(pair) => (6 - pair.mask.count(), if pair.has_parent() { op_of(pair.x_parent) } else { NONE }),
                Op::Front(k) => {
                    let front = &self.fronts[*k as usize];
                    (front.n as usize, front.up.map_or(NONE, |up| op_of(up.x)))
                }
                Op::InversePivot(k) => {
                    let links = self.links_of_pivot(&self.inverse_pivots[*k as usize]);
                    (6, links.iter().filter(|l| l.rows > 0).map(|l| op_of(l.x)).min().unwrap_or(NONE))
                }
                Op::Panel(k) => {
                    let panel = &self.panels[*k as usize];
                    let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
                    (panel.n as usize, ups.iter().filter(|u| u.size > 0).map(|u| op_of(u.x)).min().unwrap_or(NONE))
                }
            };
            paths.at.push(paths.len as u32);
            paths.len += n;
            paths.next.push(next);
        }
        paths
    }

    /// Half a solve of `x`, which is zero but for the primal `nodes`, and all zero afterwards.
    ///
    /// # Panics
    /// When `x` is shorter than [`Plan::len`].
    pub fn solve_along(
        &self,
        paths: &Paths,
        factor: &mut Factor,
        nodes: impl IntoIterator<Item = Node>,
        x: &mut [f64],
        halves: &mut SparseHalves,
    ) {
        halves.dense.resize(paths.len, 0.0);
        halves.ways.clear();
        halves.ways.extend(nodes.into_iter().map(|node| paths.op_of[self.offset(node)]));
        loop {
            // the first of all; ways that have met go on as one
            let first = halves.ways.iter().copied().min().unwrap_or(NONE);
            if first == NONE {
                break;
            }
            self.eliminate_along(first, paths, factor, x, halves);
            let next = paths.next[first as usize];
            halves.ways.iter_mut().filter(|way| **way == first).for_each(|way| *way = next);
        }
        halves.ends.push((halves.pieces.len(), halves.values.len()));
    }

    fn eliminate_along(&self, k: u32, paths: &Paths, factor: &mut Factor, x: &mut [f64], halves: &mut SparseHalves) {
        let at = paths.at[k as usize];
        match &self.ops[k as usize] {
            Op::Pair(pair) if pair.three_aligned() => {
                let f: [f64; 6] = std::array::from_fn(|i| x[pair.x_child as usize + i]);
                let pivot = &factor.aligned[pair.pivot as usize];
                let y = pivot.last_at_point(&f);
                halves.put(at, &y, pivot.last_scaled(y));
                forward_pair(pair, factor, x);
                x[pair.x_child as usize..][..6].fill(0.0);
            }
            Op::Pair(pair) => {
                forward_pair(pair, factor, x);
                let Between { u, .. } = &factor.between[pair.pivot as usize];
                let inverses = factor.free[pair.pivot as usize].inverses(pair.mask);
                let u = &u[..6 - pair.mask.count()];
                halves.put(at, u, u.iter().zip(inverses).map(|(u, inverse)| u * inverse));
                x[pair.x_child as usize..][..6].fill(0.0);
            }
            Op::Front(k) => {
                let front = &self.fronts[*k as usize];
                self.forward_front(front, factor, x);
                let inverse = |i| self.front_inverse(front, factor, i);
                self.take_members(front.members, at, inverse, x, halves);
            }
            Op::InversePivot(k) => {
                let pivot = &self.inverse_pivots[*k as usize];
                let f: [f64; 6] = std::array::from_fn(|i| x[pivot.x as usize + i]);
                let [m, k @ ..] = factor.inverses[pivot.inverse as usize];
                let turn = [
                    k[0] * f[3] + k[1] * f[4] + k[2] * f[5],
                    k[1] * f[3] + k[3] * f[4] + k[4] * f[5],
                    k[2] * f[3] + k[4] * f[4] + k[5] * f[5],
                ];
                halves.put(at, &f, [m * f[0], m * f[1], m * f[2], turn[0], turn[1], turn[2]]);
                self.forward_inverse_pivot(pivot, factor, x);
                x[pivot.x as usize..][..6].fill(0.0);
            }
            Op::Panel(k) => {
                let panel = &self.panels[*k as usize];
                self.forward_panel(panel, factor, x);
                let inverse = |i| factor.panels[panel.at as usize + i * (panel.width as usize + 1)];
                self.take_members(panel.members, at, inverse, x, halves);
            }
        }
    }

    /// What a pivot block has eliminated, with the inverses of its pivots; `x` is zero there afterwards.
    fn take_members(
        &self,
        members: (u32, u32),
        at: u32,
        inverse: impl Fn(usize) -> f64,
        x: &mut [f64],
        halves: &mut SparseHalves,
    ) {
        for m in self.members_of(members) {
            let part = &mut x[m.x as usize..][..m.size as usize];
            let scaled = part.iter().enumerate().map(|(i, y)| y * inverse(m.at as usize + i));
            halves.put(at + m.at, part, scaled);
            part.fill(0.0);
        }
    }
}

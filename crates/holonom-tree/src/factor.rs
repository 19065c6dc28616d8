//! The numeric phase: walk the plan, eliminate.

use crate::blocks::Blocks;
use crate::packed;
use crate::pivot_rule::PivotRule;
use crate::plan::{Front, Op, Pair, Plan, Store, Up, member_at};
use crate::structure::{Mask, Node};
use crate::transform::{AlignedPivot, FreePivot, Parts};
use crate::vec3::sub;

/// A pivot without its sign: the matrix is singular, or not of the form promised.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("singular pivot at node {} (pivot {pivot:e})", .node.index())]
pub struct Singular {
    /// The node whose pivot failed. For a pair this is the dual.
    pub node: Node,
    /// The offending pivot, NaN when it is not a single number.
    pub pivot: f64,
}

/// The factors, and the scratch of both phases. Made by [`Plan::new_factor`], reused for ever.
#[derive(Clone, Debug)]
pub struct Factor {
    pub(crate) six: Vec<[f64; 21]>,
    pub(crate) arena: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) aligned: Vec<AlignedPivot>,
    pub(crate) free: Vec<FreePivot>,
    /// One per pivot through free directions.
    pub(crate) between: Vec<Between>,
    pub(crate) scratch: Vec<f64>,
    /// Where roots add what no parent takes.
    pub(crate) discarded: [f64; 21],
    pub(crate) link: Vec<f64>,
    /// The core: panels, W of the inverse pivots and their inverses, own size of every dual row by its place in a
    /// vector.
    pub(crate) panels: Vec<f64>,
    pub(crate) w: Vec<f64>,
    pub(crate) inverses: Vec<[f64; 7]>,
    pub(crate) own: Vec<f64>,
    pub(crate) rule: PivotRule,
    /// Weights of the rows in the rules `Regularised` and `Damped`, by place in a vector; empty when all are 1.
    pub(crate) weights: Vec<f64>,
    /// Rows regularised in any case (relaxed) under [`PivotRule::Regularised`], by place in a vector; empty when there
    /// are none.
    pub(crate) relaxed: Vec<bool>,
    pub(crate) small: Vec<u32>,
    /// Parts of their own size below which pivots count as near to singular, by place in a vector; empty when nobody
    /// asks.
    pub(crate) watched: Vec<f64>,
    pub(crate) near: Vec<u32>,
}

impl Factor {
    /// The rule for small pivots in cycles, from the next factorisation on.
    pub fn set_rule(&mut self, rule: PivotRule) {
        self.rule = rule;
    }

    /// Weights for [`PivotRule::Regularised`] and [`PivotRule::Damped`], one for every entry of a vector (those of
    /// duals are read); none means 1 for all.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.weights.clear();
        self.weights.extend_from_slice(weights);
    }

    /// Rows regularised in any case (relaxed) under [`PivotRule::Regularised`], one entry for every entry of a vector;
    /// none when empty.
    pub fn set_relaxed(&mut self, relaxed: &[bool]) {
        self.relaxed.clear();
        self.relaxed.extend_from_slice(relaxed);
    }

    /// Dual rows in cycles whose pivots in the last factorisation were small, by place in a vector: rows that depend on
    /// others, or nearly so. Small is what the rule says; below 1e-11 of the row's own size for [`PivotRule::Exact`].
    pub fn small_pivot_rows(&self) -> &[u32] {
        &self.small
    }

    /// Watch the pivots of dual rows in cycles: one entry for every entry of a vector, the part of its own size below
    /// which a row is named by [`Factor::near_singular`].
    pub fn set_watched(&mut self, watched: &[f64]) {
        self.watched.clear();
        self.watched.extend_from_slice(watched);
    }

    /// Rows whose pivots in the last factorisation were below what is watched for, by place in a vector.
    pub fn near_singular(&self) -> &[u32] {
        &self.near
    }

    /// Own size `(J D^-1 J^T)_jj` of the dual rows in cycles, by place in a vector, as of the last factorisation.
    pub fn own_sizes(&self) -> &[f64] {
        &self.own
    }
}

/// What a pivot through free directions keeps between the two sweeps of a solve: u_k, and the right-hand side of its
/// dual spread over the six directions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Between {
    pub u: [f64; 3],
    pub g: [f64; 6],
}

impl Plan {
    /// Storage for one factorisation.
    pub fn new_factor(&self) -> Factor {
        Factor {
            six: vec![[0.0; 21]; self.n_six],
            arena: vec![0.0; self.n_arena],
            y: vec![0.0; self.n_y],
            aligned: vec![AlignedPivot::default(); self.n_aligned],
            free: vec![FreePivot::default(); self.n_free],
            between: vec![Between::default(); self.n_free],
            scratch: vec![0.0; self.largest_front],
            discarded: [0.0; 21],
            link: vec![0.0; self.largest_link],
            panels: vec![0.0; self.n_panels],
            w: vec![0.0; self.n_w],
            inverses: vec![[0.0; 7]; self.inverse_pivots.len()],
            own: vec![0.0; if self.has_loops() { self.n_x } else { 0 }],
            rule: PivotRule::Exact,
            weights: Vec::new(),
            relaxed: Vec::new(),
            watched: Vec::new(),
            near: Vec::with_capacity(if self.has_loops() { self.n_x } else { 0 }),
            small: Vec::with_capacity(if self.has_loops() { self.n_x } else { 0 }),
        }
    }

    /// Factor the matrix with these values. O(nodes); allocates nothing.
    pub fn factor(&self, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        self.prepare(blocks, factor);
        for op in &self.ops {
            match op {
                Op::Pair(pair) => self.factor_pair(pair, blocks, factor)?,
                Op::Front(k) => self.factor_front(&self.fronts[*k as usize], blocks, factor)?,
                Op::InversePivot(k) => self.factor_inverse_pivot(&self.inverse_pivots[*k as usize], blocks, factor)?,
                Op::Panel(k) => self.factor_panel(&self.panels[*k as usize], blocks, factor)?,
            }
        }
        Ok(())
    }

    /// Clear what is summed up from below, and fill the fronts.
    pub(crate) fn prepare(&self, blocks: &Blocks, factor: &mut Factor) {
        factor.six.fill([0.0; 21]);
        self.assemble(self.fronts.iter(), blocks, factor);
        self.prepare_core(blocks, factor);
    }

    /// Copy what is not of size 6 into the fronts.
    pub(crate) fn assemble<'p>(
        &'p self,
        fronts: impl Iterator<Item = &'p Front>,
        blocks: &Blocks,
        factor: &mut Factor,
    ) {
        factor.arena.fill(0.0);
        for front in fronts {
            let Store::Arena(start) = front.store else { continue };
            let n = front.n as usize;
            let matrix = &mut factor.arena[start as usize..][..packed::len(n)];
            for member in self.members_of(front.members) {
                let (at, size) = (member.at as usize, member.size as usize);
                if let (Some([a, b, c, d, e, f]), 3) = (blocks.packed(member.node), size) {
                    let rows = [0, 1, 2].map(|i| packed::at(n, at + i, at + i));
                    (matrix[rows[0]], matrix[rows[0] + 1], matrix[rows[0] + 2]) = (*a, *b, *c);
                    (matrix[rows[1]], matrix[rows[1] + 1], matrix[rows[2]]) = (*d, *e, *f);
                } else if let Some(block) = blocks.packed(member.node) {
                    // rows of the one lie in a row in the other
                    let mut from = 0;
                    for i in 0..size {
                        let row = packed::at(n, at + i, at + i);
                        matrix[row..row + size - i].copy_from_slice(&block[from..from + size - i]);
                        from += size - i;
                    }
                } else if !self.structure.is_dual(member.node) {
                    for i in 0..size {
                        for j in i..size {
                            matrix[packed::at(n, at + i, at + j)] = blocks.entry(member.node, i, j);
                        }
                    }
                } else if at > 0 {
                    // a deferred dual: -J^T beside its leader, which comes first in the front
                    let link = self.link(member.link);
                    let width = self.structure.size(link.primal);
                    let block = blocks.any_link(&self.structure, link, &mut factor.link[..size * width]);
                    if let (&[a, b, c, d, e, f], 3) = (block, width) {
                        for (i, pair) in [[a, d], [b, e], [c, f]].into_iter().enumerate() {
                            let row = packed::at(n, i, at);
                            (matrix[row], matrix[row + 1]) = (-pair[0], -pair[1]);
                        }
                        continue;
                    }
                    for i in 0..width {
                        for r in 0..size {
                            matrix[packed::at(n, i, at + r)] = -block[r * width + i];
                        }
                    }
                }
            }
        }
    }

    /// Eliminate a pair. Common ones (blocks `[a 1, 0; 0, C]` at their pair's point, usual masks) stay in registers
    /// from end to end.
    #[inline(always)]
    pub(crate) fn factor_pair(&self, pair: &Pair, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        let usual = pair.three_aligned() || matches!(pair.mask.0, 0b011_111 | 0b111_011 | 0b111_111);
        if usual && pair.shifted && (pair.child as usize) < self.n_central {
            self.eliminate_pair(pair, blocks, factor, true)
        } else {
            self.factor_unusual_pair(pair, blocks, factor)
        }
    }

    #[inline(never)]
    fn factor_unusual_pair(&self, pair: &Pair, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        self.eliminate_pair(pair, blocks, factor, false)
    }

    #[inline(always)]
    fn eliminate_pair(&self, pair: &Pair, blocks: &Blocks, factor: &mut Factor, usual: bool) -> Result<(), Singular> {
        let transform = &blocks.transforms[pair.transform as usize];
        let (r_child, r_parent) =
            if pair.child_is_far { (transform.far, transform.near) } else { (transform.near, transform.far) };
        let (below, parent, r_parent) = if pair.has_parent() {
            match factor.six.get_disjoint_mut([pair.child as usize, pair.parent as usize]) {
                Ok([below, parent]) => (below, parent, r_parent),
                Err(_) => unreachable!("a node is not its own parent, and both lie within the plan"),
            }
        } else {
            (&mut factor.six[pair.child as usize], &mut factor.discarded, [0.0; 3])
        };
        let lever = if pair.parent_is_shifted() {
            let s = &blocks.transforms[pair.parent_transform as usize];
            sub(r_parent, if pair.parent_is_far { s.far } else { s.near })
        } else {
            r_parent
        };
        let child = pair.child as usize;
        let good = if pair.three_aligned() {
            let pivot = &mut factor.aligned[pair.pivot as usize];
            if usual && pair.leaf {
                pivot.factor_leaf(&blocks.central[child], r_child, r_parent, lever, parent)
            } else {
                let d = if usual {
                    Parts::central_with(&blocks.central[child], below, r_child)
                } else {
                    self.any_block(pair, blocks, below, r_child)
                };
                pivot.factor(&d, r_child, r_parent, lever, parent)
            }
        } else {
            let d = if usual {
                Parts::central_with(&blocks.central[child], below, r_child)
            } else {
                self.any_block(pair, blocks, below, r_child)
            };
            let pivot = &mut factor.free[pair.pivot as usize];
            let axes = transform.axes(pair.aligned);
            // constant masks for the common cases, so that the loops over directions unroll
            match pair.mask {
                mask if !usual => pivot.factor(mask, &d, axes, r_child, r_parent, lever, parent),
                Mask(0b011_111) => pivot.factor(Mask(0b011_111), &d, axes, r_child, r_parent, lever, parent),
                Mask(0b111_011) => pivot.factor(Mask(0b111_011), &d, axes, r_child, r_parent, lever, parent),
                _ => pivot.factor(Mask(0b111_111), &d, axes, r_child, r_parent, lever, parent),
            }
        };
        if good { Ok(()) } else { Err(Singular { node: Node(pair.dual), pivot: f64::NAN }) }
    }

    /// The block of a pair's child at the pair's point, whatever its form.
    fn any_block(&self, pair: &Pair, blocks: &Blocks, below: &[f64; 21], r: [f64; 3]) -> Parts {
        let child = pair.child as usize;
        if child >= self.n_central {
            Parts::at_point(&blocks.six[child - self.n_central], below, r, pair.shifted)
        } else if pair.shifted {
            Parts::central_with(&blocks.central[child], below, r)
        } else {
            Parts::central_moved(&blocks.central[child], below, r)
        }
    }

    /// The node that pivot `k` of a front belongs to, and the pivot.
    pub(crate) fn at_fault(&self, front: &Front, k: usize, pivot: f64) -> Singular {
        Singular { node: member_at(self.members_of(front.members), k as u32).node, pivot }
    }

    pub(crate) fn factor_front(&self, front: &Front, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        if let Some(small) = self.size3(front) {
            return self.factor_size3(&small, front, blocks, factor);
        }
        let n = front.n as usize;
        if let Store::Six(i) = front.store {
            self.add_own_six(front, blocks, &mut factor.six[i as usize]);
        }
        let matrix = match front.store {
            Store::Six(i) => &mut factor.six[i as usize][..],
            Store::Arena(start) | Store::Panel(start) => &mut factor.arena[start as usize..][..packed::len(n)],
        };
        packed::factor(matrix, n, |k| k < front.n_primal as usize)
            .map_err(|k| self.at_fault(front, k, matrix[packed::at(n, k, k)]))?;
        let Some(up) = front.up else { return Ok(()) };

        let u = up.size as usize;
        let y = &mut factor.y[front.y as usize..][..n * u];
        self.write_up(front, &up, blocks, &mut factor.link, y);
        packed::solve_lower(matrix, n, y, u);

        // parent -= Y^T D^-1 Y, one triangle
        let d_inverse = &mut factor.scratch[..n];
        for k in 0..n {
            d_inverse[k] = matrix[packed::at(n, k, k)];
        }
        let size = up.n as usize;
        let (target, in_panel) = match up.store {
            Store::Six(i) => (&mut factor.six[i as usize][..], false),
            Store::Arena(start) => (&mut factor.arena[start as usize..][..packed::len(size)], false),
            Store::Panel(start) => (&mut factor.panels[start as usize..], true),
        };
        let at = up.at as usize;
        if in_panel {
            subtract_square(target, |i| (at + i) * (size + 1), y, d_inverse, n, u);
        } else {
            subtract_square(target, |i| packed::at(size, at + i, at + i), y, d_inverse, n, u);
        }
        Ok(())
    }

    /// Add the block of a front's only member, of size 6, to what came from below.
    #[inline(always)]
    fn add_own_six(&self, front: &Front, blocks: &Blocks, matrix: &mut [f64; 21]) {
        let node = self.members_of(front.members)[0].node;
        let own = blocks.diagonal(node);
        if !self.structure.is_central(node) {
            matrix.iter_mut().zip(own).for_each(|(m, o)| *m += o);
            return;
        }
        for (k, &(r, c)) in [(0, 0), (3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)].iter().enumerate() {
            matrix[packed::at(6, r, c)] += own[k];
        }
        matrix[packed::at(6, 1, 1)] += own[0];
        matrix[packed::at(6, 2, 2)] += own[0];
    }

    /// The block B between a front and its parent: -J (or its transpose) in the rows of the top member, zero elsewhere.
    #[inline(always)]
    fn write_up(&self, front: &Front, up: &Up, blocks: &Blocks, scratch: &mut [f64], y: &mut [f64]) {
        let link = self.link(up.link);
        let (rows, width) = (self.structure.size(link.dual), self.structure.size(link.primal));
        let block = blocks.any_link(&self.structure, link, &mut scratch[..rows * width]);
        let (u, top) = (up.size as usize, up.top as usize);
        y.fill(0.0);
        if front.n_primal > 0 {
            for i in 0..width {
                for r in 0..rows {
                    y[(top + i) * u + r] = -block[r * width + i];
                }
            }
        } else {
            for (y, b) in y[top * u..].iter_mut().zip(block.iter()) {
                *y = -b;
            }
        }
    }
}

/// `target -= Y^T D^-1 Y`, one triangle, whose row `i` begins at `start(i)`. Common sizes are spelt out, so that their
/// loops unroll.
#[inline(always)]
fn subtract_square(target: &mut [f64], start: impl Fn(usize) -> usize, y: &[f64], d: &[f64], n: usize, u: usize) {
    match (n, u) {
        (2, 3) => subtract_square_any(target, start, y, d, 2, 3),
        (3, 2) => subtract_square_any(target, start, y, d, 3, 2),
        (6, 1) => subtract_square_any(target, start, y, d, 6, 1),
        (6, 2) => subtract_square_any(target, start, y, d, 6, 2),
        (6, 3) => subtract_square_any(target, start, y, d, 6, 3),
        (6, 4) => subtract_square_any(target, start, y, d, 6, 4),
        (6, 5) => subtract_square_any(target, start, y, d, 6, 5),
        (1, 6) => subtract_square_any(target, start, y, d, 1, 6),
        (2, 6) => subtract_square_any(target, start, y, d, 2, 6),
        (3, 6) => subtract_square_any(target, start, y, d, 3, 6),
        (4, 6) => subtract_square_any(target, start, y, d, 4, 6),
        (5, 6) => subtract_square_any(target, start, y, d, 5, 6),
        _ => subtract_square_any(target, start, y, d, n, u),
    }
}

#[inline(always)]
fn subtract_square_any(target: &mut [f64], start: impl Fn(usize) -> usize, y: &[f64], d: &[f64], n: usize, u: usize) {
    let (y, d) = (&y[..n * u], &d[..n]);
    for i in 0..u {
        let target = &mut target[start(i)..][..u - i];
        for k in 0..n {
            let row = &y[k * u..][..u];
            let l = row[i] * d[k];
            for j in i..u {
                target[j - i] -= l * row[j];
            }
        }
    }
}

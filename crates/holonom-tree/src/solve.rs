//! One right-hand side through the factors: leaves to roots, then back.

use crate::blocks::Blocks;
pub(crate) use crate::factor::Between;
use crate::factor::{Factor, Singular};
use crate::packed;
use crate::plan::{Front, Op, Pair, Plan, Store, gather, scatter};
use crate::structure::Mask;

/// `N` entries of a vector from `at` on. [`Plan::solve`] has checked that the vector is as long as the plan says.
#[inline(always)]
fn part<const N: usize>(x: &mut [f64], at: u32) -> &mut [f64; N] {
    match x[at as usize..].first_chunk_mut() {
        Some(part) => part,
        None => unreachable!("offsets of a plan lie within its vectors"),
    }
}

impl Plan {
    /// Solve `[D -J^T; -J 0] x = rhs` in place; nodes in their order of declaration. O(nodes); allocates nothing.
    ///
    /// # Panics
    /// When `x` is shorter than [`Plan::len`].
    pub fn solve(&self, factor: &mut Factor, x: &mut [f64]) {
        assert!(x.len() >= self.len(), "solve: the vector has {} entries, the plan {}", x.len(), self.len());
        for op in &self.ops {
            match op {
                Op::Pair(pair) => forward_pair(pair, factor, x),
                Op::Front(k) => self.forward_front(&self.fronts[*k as usize], factor, x),
                Op::InversePivot(k) => self.forward_inverse_pivot(&self.inverse_pivots[*k as usize], factor, x),
                Op::Panel(k) => self.forward_panel(&self.panels[*k as usize], factor, x),
            }
        }
        self.backward(factor, x);
    }

    /// Factor and solve for one right-hand side: the same numbers as [`Plan::factor`] and [`Plan::solve`] one after the
    /// other, with one sweep from the leaves instead of two. The factor can be used for more right-hand sides
    /// afterwards.
    ///
    /// # Panics
    /// When `x` is shorter than [`Plan::len`].
    pub fn factor_and_solve(&self, blocks: &Blocks, factor: &mut Factor, x: &mut [f64]) -> Result<(), Singular> {
        assert!(x.len() >= self.len(), "solve: the vector has {} entries, the plan {}", x.len(), self.len());
        self.prepare(blocks, factor);
        for op in &self.ops {
            match op {
                Op::Pair(pair) => {
                    self.factor_pair(pair, blocks, factor)?;
                    forward_pair(pair, factor, x);
                }
                Op::Front(k) => {
                    let front = &self.fronts[*k as usize];
                    self.factor_front(front, blocks, factor)?;
                    self.forward_front(front, factor, x);
                }
                Op::InversePivot(k) => {
                    let pivot = &self.inverse_pivots[*k as usize];
                    self.factor_inverse_pivot(pivot, blocks, factor)?;
                    self.forward_inverse_pivot(pivot, factor, x);
                }
                Op::Panel(k) => {
                    let panel = &self.panels[*k as usize];
                    self.factor_panel(panel, blocks, factor)?;
                    self.forward_panel(panel, factor, x);
                }
            }
        }
        self.backward(factor, x);
        Ok(())
    }

    fn backward(&self, factor: &mut Factor, x: &mut [f64]) {
        for op in self.ops.iter().rev() {
            match op {
                Op::Pair(pair) => backward_pair(pair, factor, x),
                Op::Front(k) => self.backward_front(&self.fronts[*k as usize], factor, x),
                Op::InversePivot(k) => self.backward_inverse_pivot(&self.inverse_pivots[*k as usize], factor, x),
                Op::Panel(k) => self.backward_panel(&self.panels[*k as usize], factor, x),
            }
        }
    }

    pub(crate) fn forward_front(&self, front: &Front, factor: &mut Factor, x: &mut [f64]) {
        if let Some(small) = self.size3(front) {
            return self.forward_size3(&small, front, factor, x);
        }
        let n = front.n as usize;
        let Factor { six, arena, y, scratch, .. } = factor;
        let matrix = match front.store {
            Store::Six(i) => &six[i as usize][..],
            Store::Arena(start) | Store::Panel(start) => &arena[start as usize..][..packed::len(n)],
        };
        let z = &mut scratch[..n];
        gather(self.members_of(front.members), x, z);
        packed::solve_lower(matrix, n, z, 1);
        scatter(self.members_of(front.members), z, x);
        if let Some(up) = front.up {
            let u = up.size as usize;
            let (target, y) = (&mut x[up.x as usize..][..u], &y[front.y as usize..][..n * u]);
            eliminate_from_parent(matrix, y, z, target, n, u);
        }
    }

    /// 1 / d_k of a front.
    pub(crate) fn front_inverse(&self, front: &Front, factor: &Factor, k: usize) -> f64 {
        let n = front.n as usize;
        match front.store {
            Store::Six(i) => factor.six[i as usize][packed::at(n, k, k)],
            Store::Arena(start) | Store::Panel(start) => factor.arena[start as usize + packed::at(n, k, k)],
        }
    }

    pub(crate) fn backward_front(&self, front: &Front, factor: &mut Factor, x: &mut [f64]) {
        if let Some(small) = self.size3(front) {
            return self.backward_size3(&small, front, factor, x);
        }
        let n = front.n as usize;
        let Factor { six, arena, y, scratch, .. } = factor;
        let matrix = match front.store {
            Store::Six(i) => &six[i as usize][..],
            Store::Arena(start) | Store::Panel(start) => &arena[start as usize..][..packed::len(n)],
        };
        let z = &mut scratch[..n];
        gather(self.members_of(front.members), x, z);
        let u = front.up.map_or(0, |up| up.size as usize);
        let above = front.up.map_or(&[][..], |up| &x[up.x as usize..][..u]);
        let y = &y[front.y as usize..][..n * u];
        substitute_parent(matrix, y, z, above, n, u);
        packed::solve_upper(matrix, n, z);
        scatter(self.members_of(front.members), z, x);
    }
}

/// `target -= Y^T D^-1 z` of a front.
#[inline(always)]
pub(crate) fn eliminate_from_parent(matrix: &[f64], y: &[f64], z: &[f64], target: &mut [f64], n: usize, u: usize) {
    let (matrix, y, z, target) = (&matrix[..packed::len(n)], &y[..n * u], &z[..n], &mut target[..u]);
    for k in 0..n {
        let l = z[k] * matrix[packed::at(n, k, k)];
        for j in 0..u {
            target[j] -= l * y[k * u + j];
        }
    }
}

/// `z = D^-1 (z - Y x)` of a front, with `x` of what is above it.
#[inline(always)]
pub(crate) fn substitute_parent(matrix: &[f64], y: &[f64], z: &mut [f64], above: &[f64], n: usize, u: usize) {
    let (matrix, y, z, above) = (&matrix[..packed::len(n)], &y[..n * u], &mut z[..n], &above[..u]);
    for k in 0..n {
        for j in 0..u {
            z[k] -= y[k * u + j] * above[j];
        }
        z[k] *= matrix[packed::at(n, k, k)];
    }
}

#[inline(always)]
fn sign(pair: &Pair) -> f64 {
    if pair.child_is_far { 1.0 } else { -1.0 }
}

#[inline(always)]
fn add_to_parent(pair: &Pair, x: &mut [f64], gain: [f64; 6]) {
    if pair.has_parent() {
        let p = part::<6>(x, pair.x_parent);
        for i in 0..6 {
            p[i] += gain[i];
        }
    }
}

#[inline(always)]
fn parent_of(pair: &Pair, x: &mut [f64]) -> [f64; 6] {
    if pair.has_parent() { *part::<6>(x, pair.x_parent) } else { [0.0; 6] }
}

#[inline(always)]
fn aligned_g(pair: &Pair, x: &mut [f64]) -> [f64; 3] {
    let (s, g) = (sign(pair), part::<3>(x, pair.x_dual));
    [s * g[0], s * g[1], s * g[2]]
}

#[inline(always)]
pub(crate) fn forward_pair(pair: &Pair, factor: &mut Factor, x: &mut [f64]) {
    if pair.three_aligned() {
        let g = aligned_g(pair, x);
        let gain = factor.aligned[pair.pivot as usize].forward(part::<6>(x, pair.x_child), g);
        add_to_parent(pair, x, gain);
    } else {
        match pair.mask {
            Mask(0b011_111) => forward_free(Mask(0b011_111), pair, factor, x),
            Mask(0b111_011) => forward_free(Mask(0b111_011), pair, factor, x),
            Mask(0b111_111) => forward_free(Mask(0b111_111), pair, factor, x),
            mask => forward_free(mask, pair, factor, x),
        }
    }
}

#[inline(always)]
fn forward_free(mask: Mask, pair: &Pair, factor: &mut Factor, x: &mut [f64]) {
    let pivot = &factor.free[pair.pivot as usize];
    let between = &mut factor.between[pair.pivot as usize];
    between.g = pivot.spread(mask, sign(pair), &x[pair.x_dual as usize..][..mask.count()]);
    let gain = pivot.forward(mask, part::<6>(x, pair.x_child), &mut between.u, &between.g);
    add_to_parent(pair, x, gain);
}

#[inline(always)]
pub(crate) fn backward_pair(pair: &Pair, factor: &mut Factor, x: &mut [f64]) {
    let parent = parent_of(pair, x);
    if pair.three_aligned() {
        let g = aligned_g(pair, x);
        let dual = factor.aligned[pair.pivot as usize].backward(part::<6>(x, pair.x_child), &parent, g);
        let s = sign(pair);
        *part::<3>(x, pair.x_dual) = [s * dual[0], s * dual[1], s * dual[2]];
    } else {
        match pair.mask {
            Mask(0b011_111) => backward_free(Mask(0b011_111), pair, factor, x, parent),
            Mask(0b111_011) => backward_free(Mask(0b111_011), pair, factor, x, parent),
            Mask(0b111_111) => backward_free(Mask(0b111_111), pair, factor, x, parent),
            mask => backward_free(mask, pair, factor, x, parent),
        }
    }
}

#[inline(always)]
fn backward_free(mask: Mask, pair: &Pair, factor: &Factor, x: &mut [f64], parent: [f64; 6]) {
    let pivot = &factor.free[pair.pivot as usize];
    let Between { u, g } = &factor.between[pair.pivot as usize];
    let mut dual = [0.0; 6];
    pivot.backward(mask, part::<6>(x, pair.x_child), u, &parent, g, sign(pair), &mut dual);
    x[pair.x_dual as usize..][..mask.count()].copy_from_slice(&dual[..mask.count()]);
}

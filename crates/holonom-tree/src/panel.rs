//! Pivots of the core, where a node may have several neighbours left.
//!
//! A *panel* is a pivot block `D` (one node, or duals with the same later neighbours) beside its row `B` of blocks towards the
//! neighbours: `n` rows of `n + q` numbers. Eliminating it row by row,
//!
//! ```text
//!     row_i -= (row_k[i] / d_k) row_k       for the rows i below k, entries from the diagonal on
//! ```
//!
//! leaves `d_k l_jk` in row k, and every pair of neighbours a, b receives
//!
//! ```text
//!     T_ab -= sum_k row_k[a] row_k[b] / d_k
//! ```
//!
//! where `T_ab` stands in the panel of whichever of the two is eliminated first. The plan holds the address of every such block.
//!
//! Primal nodes with nothing below them have a form of their own: [`crate::inverse_pivot`].
//!
//! Pivots of duals are compared with the row's own size, `own_j = (J D^-1 J^T)_jj`, which the primal pivots add up on their way. What
//! happens to small ones is the [`PivotRule`].

use crate::blocks::Blocks;
use crate::factor::{Factor, Singular};
use crate::plan::{Member, NONE, Plan};
use crate::transform::invert;

/// What to do about duals of a core whose rows depend on others, or nearly so. Duals outside the core never do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PivotRule {
    /// Nothing: a pivot without its sign stops the factorisation.
    Exact,
    /// A row j whose pivot is below `eps w_j` of its own size is regularised: its pivot becomes that much larger. The factors are then those of a
    /// regular matrix close by, and refinement with [`Plan::residual`] leads back to the matrix as given. Weights: [`Factor::set_weights`].
    /// Rows named by [`Factor::set_relaxed`] are relaxed by `10 eps` of their own size in any case.
    Regularised {
        /// Relative to the row's own size.
        eps: f64,
    },
    /// Every row j of the core is damped: `-eps w_j own_j` is added to its diagonal.
    Damped {
        /// Relative to the row's own size.
        eps: f64,
    },
    /// A pivot below `threshold` of the row's own size is replaced by an infinite one: that entry of the solution is zero (Tasora's rule).
    Huge {
        /// Relative to the row's own size.
        threshold: f64,
    },
}

/// Relaxed rows are regularised by this many times `eps`, whatever their pivots.
const RELAXED: f64 = 10.0;
/// A dual pivot below this part of its row's own size counts as small, where the rule does not say otherwise.
const SMALL: f64 = 1e-11;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    pub n: u32,
    /// `n` and the sizes of the neighbours.
    pub width: u32,
    /// Offset among the panels' numbers.
    pub at: u32,
    /// For a primal node of size 6, its index among those; else `NONE`. And among the central ones.
    pub six: u32,
    pub central: u32,
    pub primal: bool,
    pub members: (u32, u32),
    pub ups: (u32, u32),
    pub links: (u32, u32),
    pub targets: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PanelUp {
    pub x: u32,
    pub size: u32,
    pub column: u32,
}

/// A block of the matrix that stands in a panel from the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PanelLink {
    pub link: u32,
    pub row: u32,
    pub column: u32,
}

/// Where a block is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub at: u32,
    pub stride: u32,
}

impl Plan {
    /// Clear the panels and write into them what the matrix has there.
    pub(crate) fn prepare_core(&self, blocks: &Blocks, factor: &mut Factor) {
        factor.panels.fill(0.0);
        factor.own.fill(0.0);
        factor.small.clear();
        factor.near.clear();
        for panel in &self.panels {
            let width = panel.width as usize;
            let numbers = &mut factor.panels[panel.at as usize..][..panel.n as usize * width];
            for l in &self.panel_links[panel.links.0 as usize..panel.links.1 as usize] {
                let link = self.link(l.link);
                let (rows, columns) = (self.structure.size(link.dual), self.structure.size(link.primal));
                let block = &mut factor.link[..rows * columns];
                blocks.write_link(&self.structure, link, block);
                let (row, column) = (l.row as usize, l.column as usize);
                for r in 0..rows {
                    for c in 0..columns {
                        let (i, j) = if panel.primal { (c, r) } else { (r, c) };
                        numbers[(row + i) * width + column + j] = -block[r * columns + c];
                    }
                }
                if panel.central != NONE {
                    // own sizes from the block as given: what hangs on the node is not theirs
                    let d = &blocks.central[panel.central as usize];
                    let Some(k) = invert(&[d[1], d[2], d[3], d[4], d[5], d[6]]) else { continue };
                    for (r, row) in block.as_chunks::<6>().0.iter().enumerate() {
                        let (lin, y) = ([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
                        let ky = [dot([k[0], k[1], k[2]], y), dot([k[1], k[3], k[4]], y), dot([k[2], k[4], k[5]], y)];
                        factor.own[self.offset(link.dual) + r] += dot(lin, lin) / d[0] + dot(y, ky);
                    }
                }
            }
            if panel.primal && panel.six == NONE {
                self.add_diagonal(panel, blocks, numbers);
            }
        }
    }

    fn add_diagonal(&self, panel: &Panel, blocks: &Blocks, numbers: &mut [f64]) {
        let (n, width) = (panel.n as usize, panel.width as usize);
        let node = self.members[panel.members.0 as usize].node;
        for i in 0..n {
            for j in i..n {
                numbers[i * width + j] += blocks.entry(node, i, j);
            }
        }
    }

    /// Eliminate a panel.
    pub(crate) fn factor_panel(&self, panel: &Panel, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        let (n, width) = (panel.n as usize, panel.width as usize);
        let (own_part, later) = factor.panels[panel.at as usize..].split_at_mut(n * width);
        let members = &self.members[panel.members.0 as usize..panel.members.1 as usize];
        if panel.six != NONE {
            let below = &factor.six[panel.six as usize];
            let mut k = 0;
            for i in 0..6 {
                for j in i..6 {
                    own_part[i * width + j] += below[k];
                    k += 1;
                }
            }
            self.add_diagonal(panel, blocks, own_part);
        }
        let sizes = &mut factor.scratch[..n];
        if !panel.primal {
            let regularisation =
                Regularisation { rule: factor.rule, weights: &factor.weights, relaxed: &factor.relaxed };
            regularisation.apply(members, &factor.own, own_part, width, sizes);
        }
        let judge = Judge::new(factor.rule, panel.primal, &*sizes);
        let small = &mut factor.small;
        let first_small = small.len();
        let eliminated = match (n, width) {
            (3, 9) => eliminate(own_part, 3, 9, &judge, small),
            (3, _) => eliminate(own_part, 3, width, &judge, small),
            (6, _) => eliminate(own_part, 6, width, &judge, small),
            _ => eliminate(own_part, n, width, &judge, small),
        };
        if !panel.primal && !factor.relaxed.is_empty() {
            note_relaxed(members, own_part, width, &judge, &factor.relaxed, small);
        }
        for row in &mut small[first_small..] {
            let m = members.iter().rev().find(|m| m.at <= *row && m.size > 0).unwrap_or(&members[0]);
            *row = m.x + *row - m.at;
        }
        eliminated.map_err(|k| {
            let at_fault = members.iter().rev().find(|m| m.at as usize <= k && m.size > 0).unwrap_or(&members[0]);
            Singular { node: at_fault.node, pivot: own_part[k * width + k] }
        })?;
        if !panel.primal && !factor.watched.is_empty() {
            note_near(members, own_part, width, &factor.watched, &factor.own, &mut factor.near);
        }
        let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
        let mut targets = self.targets[panel.targets as usize..].iter();
        let end = panel.at as usize + n * width;
        for (i, a) in ups.iter().enumerate() {
            for (b, t) in ups[i..].iter().zip(&mut targets) {
                let target = &mut later[t.at as usize - end..];
                let (ca, cb) = (a.column as usize, b.column as usize);
                match (n, a.size, b.size) {
                    (3, 3, 3) => update(own_part, 3, width, ca, 3, cb, 3, target, t.stride as usize),
                    (_, 3, 3) => update(own_part, n, width, ca, 3, cb, 3, target, t.stride as usize),
                    (_, 5, 5) => update(own_part, n, width, ca, 5, cb, 5, target, t.stride as usize),
                    _ => update_any(own_part, n, width, a, b, target, t.stride as usize),
                }
            }
            if panel.primal && panel.central == NONE {
                for j in 0..a.size as usize {
                    let c = a.column as usize + j;
                    let own: f64 = (0..n).map(|k| own_part[k * width + c].powi(2) * own_part[k * width + k]).sum();
                    factor.own[a.x as usize + j] += own;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn forward_panel(&self, panel: &Panel, factor: &mut Factor, x: &mut [f64]) {
        let members = &self.members[panel.members.0 as usize..panel.members.1 as usize];
        let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
        // small blocks stay in registers
        match panel.n {
            2 => forward_small::<2>(panel, members, ups, &factor.panels, x),
            3 => forward_small::<3>(panel, members, ups, &factor.panels, x),
            5 => forward_small::<5>(panel, members, ups, &factor.panels, x),
            6 => forward_small::<6>(panel, members, ups, &factor.panels, x),
            _ => forward_any(panel, members, ups, factor, x),
        }
    }

    pub(crate) fn backward_panel(&self, panel: &Panel, factor: &mut Factor, x: &mut [f64]) {
        let members = &self.members[panel.members.0 as usize..panel.members.1 as usize];
        let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
        match panel.n {
            2 => backward_small::<2>(panel, members, ups, &factor.panels, x),
            3 => backward_small::<3>(panel, members, ups, &factor.panels, x),
            5 => backward_small::<5>(panel, members, ups, &factor.panels, x),
            6 => backward_small::<6>(panel, members, ups, &factor.panels, x),
            _ => backward_any(panel, members, ups, factor, x),
        }
    }
}

fn forward_any(panel: &Panel, members: &[Member], ups: &[PanelUp], factor: &mut Factor, x: &mut [f64]) {
    let (n, width) = (panel.n as usize, panel.width as usize);
    let numbers = &factor.panels[panel.at as usize..][..n * width];
    let z = &mut factor.scratch[..width];
    gather(members, x, z);
    z[n..].fill(0.0);
    for (k, row) in numbers.chunks_exact(width).enumerate() {
        let l = z[k] * row[k];
        for (z, r) in z[k + 1..].iter_mut().zip(&row[k + 1..]) {
            *z -= l * r;
        }
    }
    scatter(members, z, x);
    for up in ups {
        let part = &z[up.column as usize..][..up.size as usize];
        x[up.x as usize..].iter_mut().zip(part).for_each(|(x, z)| *x += z);
    }
}

fn backward_any(panel: &Panel, members: &[Member], ups: &[PanelUp], factor: &mut Factor, x: &mut [f64]) {
    let (n, width) = (panel.n as usize, panel.width as usize);
    let numbers = &factor.panels[panel.at as usize..][..n * width];
    let z = &mut factor.scratch[..width];
    gather(members, x, z);
    for up in ups {
        z[up.column as usize..][..up.size as usize].copy_from_slice(&x[up.x as usize..][..up.size as usize]);
    }
    for (k, row) in numbers.chunks_exact(width).enumerate().rev() {
        let sum: f64 = row[k + 1..].iter().zip(&z[k + 1..]).map(|(r, z)| r * z).sum();
        z[k] = row[k] * (z[k] - sum);
    }
    scatter(members, z, x);
}

/// The rows of a panel of a size known to the compiler.
#[inline(always)]
fn rows_of<'p, const N: usize>(panel: &Panel, panels: &'p [f64]) -> [&'p [f64]; N] {
    let width = panel.width as usize;
    let numbers = &panels[panel.at as usize..][..N * width];
    std::array::from_fn(|k| &numbers[k * width..][..width])
}

/// [`forward_any`], operation by operation.
#[inline(always)]
fn forward_small<const N: usize>(panel: &Panel, members: &[Member], ups: &[PanelUp], panels: &[f64], x: &mut [f64]) {
    let rows = rows_of::<N>(panel, panels);
    let mut z = read::<N>(members, x);
    let mut l = [0.0; N];
    for k in 0..N {
        l[k] = z[k] * rows[k][k];
        for j in k + 1..N {
            z[j] -= l[k] * rows[k][j];
        }
    }
    write(members, &z, x);
    for up in ups {
        let (c, x) = (up.column as usize, &mut x[up.x as usize..][..up.size as usize]);
        match up.size {
            3 => forward_up(&rows, &l, c, 3, x),
            5 => forward_up(&rows, &l, c, 5, x),
            _ => forward_up(&rows, &l, c, up.size as usize, x),
        }
    }
}

#[inline(always)]
fn forward_up<const N: usize>(rows: &[&[f64]; N], l: &[f64; N], column: usize, size: usize, x: &mut [f64]) {
    let x = &mut x[..size];
    let parts: [&[f64]; N] = std::array::from_fn(|k| &rows[k][column..][..size]);
    for j in 0..size {
        let mut z = 0.0;
        for k in 0..N {
            z -= l[k] * parts[k][j];
        }
        x[j] += z;
    }
}

/// [`backward_any`]; what comes from the neighbours is summed up first, in all rows at once.
#[inline(always)]
fn backward_small<const N: usize>(panel: &Panel, members: &[Member], ups: &[PanelUp], panels: &[f64], x: &mut [f64]) {
    let rows = rows_of::<N>(panel, panels);
    let mut sum = [0.0; N];
    for up in ups {
        let (c, x) = (up.column as usize, &x[up.x as usize..][..up.size as usize]);
        match up.size {
            3 => backward_up(&rows, c, 3, x, &mut sum),
            5 => backward_up(&rows, c, 5, x, &mut sum),
            _ => backward_up(&rows, c, up.size as usize, x, &mut sum),
        }
    }
    let mut z = read::<N>(members, x);
    for k in (0..N).rev() {
        let mut rest = z[k] - sum[k];
        for j in k + 1..N {
            rest -= rows[k][j] * z[j];
        }
        z[k] = rows[k][k] * rest;
    }
    write(members, &z, x);
}

#[inline(always)]
fn backward_up<const N: usize>(rows: &[&[f64]; N], column: usize, size: usize, x: &[f64], sum: &mut [f64; N]) {
    let x = &x[..size];
    let parts: [&[f64]; N] = std::array::from_fn(|k| &rows[k][column..][..size]);
    for j in 0..size {
        for k in 0..N {
            sum[k] += parts[k][j] * x[j];
        }
    }
}

/// [`gather`] of a small panel; most have a single member.
#[inline(always)]
fn read<const N: usize>(members: &[Member], x: &[f64]) -> [f64; N] {
    if let [only] = members
        && let Some(z) = x[only.x as usize..].first_chunk()
    {
        return *z;
    }
    let mut z = [0.0; N];
    gather(members, x, &mut z);
    z
}

#[inline(always)]
fn write<const N: usize>(members: &[Member], z: &[f64; N], x: &mut [f64]) {
    if let [only] = members
        && let Some(x) = x[only.x as usize..].first_chunk_mut()
    {
        *x = *z;
        return;
    }
    scatter(members, z, x);
}

fn gather(members: &[Member], x: &[f64], z: &mut [f64]) {
    for m in members {
        z[m.at as usize..][..m.size as usize].copy_from_slice(&x[m.x as usize..][..m.size as usize]);
    }
}

fn scatter(members: &[Member], z: &[f64], x: &mut [f64]) {
    for m in members {
        x[m.x as usize..][..m.size as usize].copy_from_slice(&z[m.at as usize..][..m.size as usize]);
    }
}

/// Regularisation of rows before they are eliminated.
struct Regularisation<'a> {
    rule: PivotRule,
    weights: &'a [f64],
    relaxed: &'a [bool],
}

impl Regularisation<'_> {
    /// The size of each row of a panel, by which its pivot will be judged; relaxed and damped rows are regularised here.
    #[inline(always)]
    fn apply(&self, members: &[Member], own: &[f64], panel: &mut [f64], width: usize, sizes: &mut [f64]) {
        for m in members {
            for r in 0..m.size as usize {
                let (x, at) = (m.x as usize + r, m.at as usize + r);
                let diagonal = at * (width + 1);
                let size = if own[x] > 0.0 { own[x] } else { panel[diagonal].abs() };
                let weight = self.weights.get(x).copied().unwrap_or(1.0);
                sizes[at] = size;
                match self.rule {
                    PivotRule::Damped { eps } => panel[diagonal] -= eps * weight * size,
                    PivotRule::Regularised { eps } => {
                        if self.relaxed.get(x) == Some(&true) {
                            panel[diagonal] -= RELAXED * eps * size;
                        }
                        sizes[at] = weight * size;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Rows of a panel whose pivots are below what is watched for: `pivot < watched own`, with the inverse at hand.
#[inline(always)]
fn note_near(members: &[Member], panel: &[f64], width: usize, watched: &[f64], own: &[f64], near: &mut Vec<u32>) {
    for m in members {
        for r in 0..m.size {
            let (x, at) = ((m.x + r) as usize, (m.at + r) as usize);
            if -panel[at * (width + 1)] * watched[x] * own[x] > 1.0 {
                near.push(m.x + r);
            }
        }
    }
}

/// Of the relaxed rows, those of which not much more than their regularisation is left depend on others. (By their places in the panel.)
#[cold]
fn note_relaxed(
    members: &[Member],
    panel: &[f64],
    width: usize,
    judge: &Judge,
    relaxed: &[bool],
    small: &mut Vec<u32>,
) {
    for m in members {
        for r in (0..m.size).filter(|r| relaxed[(m.x + r) as usize]) {
            let at = (m.at + r) as usize;
            if -panel[at * width + at] * 1e4 * judge.threshold * judge.sizes[at] > 1.0 {
                small.push(m.at + r);
            }
        }
    }
}

/// Judges pivots by the rule.
struct Judge<'a> {
    primal: bool,
    sizes: &'a [f64],
    /// A dual pivot below this part of its row's size is small; it is then made larger by this part, or infinite.
    threshold: f64,
    added: f64,
    huge: bool,
}

impl<'a> Judge<'a> {
    fn new(rule: PivotRule, primal: bool, sizes: &'a [f64]) -> Self {
        let (threshold, added, huge) = match rule {
            PivotRule::Exact => (SMALL, 0.0, false),
            PivotRule::Regularised { eps } => (eps, eps, false),
            // what is left of a row that depends on others is its damping, where that is light
            PivotRule::Damped { eps } => (10.0 * eps, 0.0, false),
            PivotRule::Huge { threshold } => (threshold, 0.0, true),
        };
        Judge { primal, sizes, threshold, added, huge }
    }

    /// The inverse of pivot k, or `None`; small pivots are noted.
    #[inline(always)]
    fn inverse(&self, k: usize, d: f64, small: &mut Vec<u32>) -> Option<f64> {
        if self.primal {
            return (d > 0.0).then(|| 1.0 / d);
        }
        if -d > self.threshold * self.sizes[k] {
            return Some(1.0 / d);
        }
        self.small_inverse(k, d, small)
    }

    #[cold]
    fn small_inverse(&self, k: usize, d: f64, small: &mut Vec<u32>) -> Option<f64> {
        if !d.is_finite() {
            return None;
        }
        small.push(k as u32);
        if self.huge {
            return Some(0.0);
        }
        let d = if self.added > 0.0 { d.min(0.0) - self.added * self.sizes[k] } else { d };
        (d < 0.0).then(|| 1.0 / d)
    }
}

/// Row by row; the inverse of each pivot takes its place.
#[inline(always)]
fn eliminate(panel: &mut [f64], n: usize, width: usize, judge: &Judge, small: &mut Vec<u32>) -> Result<(), usize> {
    for k in 0..n {
        let (top, below) = panel.split_at_mut((k + 1) * width);
        let row_k = &mut top[k * width..];
        let inverse = judge.inverse(k, row_k[k], small).ok_or(k)?;
        row_k[k] = inverse;
        for i in k + 1..n {
            let l = row_k[i] * inverse;
            let row_i = &mut below[(i - k - 1) * width..][..width];
            for j in i..width {
                row_i[j] -= l * row_k[j];
            }
        }
    }
    Ok(())
}

/// `T_ab -= sum_k row_k[a] row_k[b] / d_k` for sizes known to the compiler. The part of a block on the diagonal that lies below it is
/// written too, and never read.
#[inline(always)]
fn update(
    panel: &[f64],
    n: usize,
    width: usize,
    a: usize,
    size_a: usize,
    b: usize,
    size_b: usize,
    target: &mut [f64],
    stride: usize,
) {
    let mut sum = [[0.0; 6]; 6];
    for k in 0..n {
        let row = &panel[k * width..][..width];
        let inverse = row[k];
        let (row_a, row_b) = (&row[a..a + size_a], &row[b..b + size_b]);
        for i in 0..size_a {
            let l = row_a[i] * inverse;
            for j in 0..size_b {
                sum[i][j] += l * row_b[j];
            }
        }
    }
    for i in 0..size_a {
        for (t, s) in target[i * stride..][..size_b].iter_mut().zip(&sum[i]) {
            *t -= s;
        }
    }
}

/// The same for any sizes.
fn update_any(panel: &[f64], n: usize, width: usize, a: &PanelUp, b: &PanelUp, target: &mut [f64], stride: usize) {
    for k in 0..n {
        let row = &panel[k * width..][..width];
        let row_b = &row[b.column as usize..][..b.size as usize];
        for i in 0..a.size as usize {
            let l = row[a.column as usize + i] * row[k];
            for (t, r) in target[i * stride..].iter_mut().zip(row_b) {
                *t -= l * r;
            }
        }
    }
}

#[inline(always)]
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

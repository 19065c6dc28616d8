//! Pivots of the core, where a node may have several neighbours left.
//!
//! A *panel* is a pivot block `D` (one node, or duals with the same later neighbours) beside its row `B` of blocks
//! towards the neighbours: `n` rows of `n + q` numbers. Eliminating it row by row,
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
//! where `T_ab` stands in the panel of whichever of the two is eliminated first. The plan holds the address of every
//! such block.
//!
//! Primal nodes with nothing below them have a form of their own: [`crate::inverse_pivot`].

use crate::blocks::Blocks;
use crate::factor::{Factor, Singular};
use crate::pivot_rule::{Judge, Regularisation, note_near, note_relaxed};
use crate::plan::{Member, NONE, Plan, gather, member_at, scatter};
use crate::vec3::{dot, invert};

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
        if panel.six != NONE {
            self.add_six(panel, blocks, factor);
        }
        self.eliminate_panel(panel, factor)?;
        self.update_neighbours(panel, factor);
        Ok(())
    }

    /// Blocks of size 6 are summed up elsewhere.
    #[inline(always)]
    fn add_six(&self, panel: &Panel, blocks: &Blocks, factor: &mut Factor) {
        let (n, width) = (panel.n as usize, panel.width as usize);
        let rows = &mut factor.panels[panel.at as usize..][..n * width];
        let below = &factor.six[panel.six as usize];
        let mut k = 0;
        for i in 0..6 {
            for j in i..6 {
                rows[i * width + j] += below[k];
                k += 1;
            }
        }
        self.add_diagonal(panel, blocks, rows);
    }

    /// The rows of the panel, by the pivot rule; notes those with small pivots.
    #[inline(always)]
    fn eliminate_panel(&self, panel: &Panel, factor: &mut Factor) -> Result<(), Singular> {
        let (n, width) = (panel.n as usize, panel.width as usize);
        let rows = &mut factor.panels[panel.at as usize..][..n * width];
        let members = self.members_of(panel.members);
        let sizes = &mut factor.scratch[..n];
        if !panel.primal {
            let regularisation =
                Regularisation { rule: factor.rule, weights: &factor.weights, relaxed: &factor.relaxed };
            regularisation.apply(members, &factor.own, rows, width, sizes);
        }
        let judge = Judge::new(factor.rule, panel.primal, &*sizes);
        let small = &mut factor.small;
        let first_small = small.len();
        let eliminated = match (n, width) {
            (3, 9) => eliminate(rows, 3, 9, &judge, small),
            (3, _) => eliminate(rows, 3, width, &judge, small),
            (6, _) => eliminate(rows, 6, width, &judge, small),
            _ => eliminate(rows, n, width, &judge, small),
        };
        if !panel.primal && !factor.relaxed.is_empty() {
            note_relaxed(members, rows, width, &judge, &factor.relaxed, small);
        }
        for row in &mut small[first_small..] {
            let m = member_at(members, *row);
            *row = m.x + *row - m.at;
        }
        eliminated.map_err(|k| Singular { node: member_at(members, k as u32).node, pivot: rows[k * width + k] })?;
        if !panel.primal && !factor.watched.is_empty() {
            note_near(members, rows, width, &factor.watched, &factor.own, &mut factor.near);
        }
        Ok(())
    }

    /// What the neighbours receive, and from primal panels their own sizes.
    #[inline(always)]
    fn update_neighbours(&self, panel: &Panel, factor: &mut Factor) {
        let (n, width) = (panel.n as usize, panel.width as usize);
        let (rows, later) = factor.panels[panel.at as usize..].split_at_mut(n * width);
        let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
        let mut targets = self.targets[panel.targets as usize..].iter();
        let end = panel.at as usize + n * width;
        for (i, a) in ups.iter().enumerate() {
            for (b, t) in ups[i..].iter().zip(&mut targets) {
                let target = &mut later[t.at as usize - end..];
                let (ca, cb, stride) = (a.column as usize, b.column as usize, t.stride as usize);
                let done = Eliminated { rows, n, width };
                match (n, a.size, b.size) {
                    (3, 3, 3) => Eliminated { n: 3, ..done }.update((ca, 3), (cb, 3), target, stride),
                    (_, 3, 3) => done.update((ca, 3), (cb, 3), target, stride),
                    (_, 5, 5) => done.update((ca, 5), (cb, 5), target, stride),
                    _ => done.update_any(a, b, target, stride),
                }
            }
            if panel.primal && panel.central == NONE {
                for j in 0..a.size as usize {
                    let c = a.column as usize + j;
                    let own: f64 = (0..n).map(|k| rows[k * width + c].powi(2) * rows[k * width + k]).sum();
                    factor.own[a.x as usize + j] += own;
                }
            }
        }
    }

    pub(crate) fn forward_panel(&self, panel: &Panel, factor: &mut Factor, x: &mut [f64]) {
        let members = self.members_of(panel.members);
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
        let members = self.members_of(panel.members);
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

/// The rows of a panel after their elimination, `1 / d_k` on the diagonal.
#[derive(Clone, Copy)]
struct Eliminated<'p> {
    rows: &'p [f64],
    n: usize,
    width: usize,
}

impl Eliminated<'_> {
    /// `T_ab -= sum_k row_k[a] row_k[b] / d_k` for blocks (first column, size) with sizes known to the compiler. The
    /// part of a block on the diagonal that lies below it is written too, and never read.
    #[inline(always)]
    fn update(self, a: (usize, usize), b: (usize, usize), target: &mut [f64], stride: usize) {
        let mut sum = [[0.0; 6]; 6];
        for k in 0..self.n {
            let row = &self.rows[k * self.width..][..self.width];
            let inverse = row[k];
            let (row_a, row_b) = (&row[a.0..a.0 + a.1], &row[b.0..b.0 + b.1]);
            for i in 0..a.1 {
                let l = row_a[i] * inverse;
                for j in 0..b.1 {
                    sum[i][j] += l * row_b[j];
                }
            }
        }
        for i in 0..a.1 {
            for (t, s) in target[i * stride..][..b.1].iter_mut().zip(&sum[i]) {
                *t -= s;
            }
        }
    }

    /// The same for any sizes.
    fn update_any(self, a: &PanelUp, b: &PanelUp, target: &mut [f64], stride: usize) {
        for k in 0..self.n {
            let row = &self.rows[k * self.width..][..self.width];
            let row_b = &row[b.column as usize..][..b.size as usize];
            for i in 0..a.size as usize {
                let l = row[a.column as usize + i] * row[k];
                for (t, r) in target[i * stride..].iter_mut().zip(row_b) {
                    *t -= l * r;
                }
            }
        }
    }
}

//! Are rows independent? Asked when a structure is planned and when one is built, never in the numeric phase.

use crate::blocks::Blocks;
use crate::core::Core;
use crate::factor::Factor;
use crate::order::Elimination;
use crate::packed;
use crate::plan::{Member, Plan};
use crate::planner::Planner;
use crate::structure::Node;

/// A dual may be eliminated before its hub when its pivot keeps this part of its row's own size.
const STRONG: f64 = 1e-2;

/// Which rows are independent of the rows before them? Gram-Schmidt with a threshold relative to each row's own length.
pub fn independent_rows(rows: &[Vec<f64>]) -> Vec<bool> {
    // a generic row that is dependent is left with rounding errors of about 1e-15 of its length
    independent(rows, |i| norm(&rows[i]), 1e-9)
}

/// Which rows keep more than this part of their length at right angles to the rows before them?
pub(crate) fn independent(rows: &[Vec<f64>], length: impl Fn(usize) -> f64, threshold: f64) -> Vec<bool> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    rows.iter()
        .enumerate()
        .map(|(i, row)| {
            let mut rest = row.clone();
            for _ in 0..2 {
                for b in &basis {
                    let along: f64 = b.iter().zip(&rest).map(|(a, c)| a * c).sum();
                    rest.iter_mut().zip(b).for_each(|(r, b)| *r -= along * b);
                }
            }
            let left = norm(&rest);
            let keep = left > threshold * length(i);
            if keep {
                rest.iter_mut().for_each(|r| *r /= left);
                basis.push(rest);
            }
            keep
        })
        .collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// A dual row after its elimination, with its place in a vector and the magnitude of its pivot.
struct DualPivot {
    node: Node,
    row: usize,
    x: usize,
    pivot: f64,
}

impl Plan {
    /// After a factorisation: the dual whose pivot is smallest against the diagonal of its own `J D^-1 J^T`, and that
    /// ratio. A ratio near rounding says that `J` has dependent rows there. For use when a structure is built, not in
    /// the numeric phase.
    pub fn smallest_dual_pivot(&self, blocks: &Blocks, factor: &Factor) -> Option<(Node, f64)> {
        let all = self.against_own(blocks, self.front_pivots(factor).chain(self.core_pivots(factor)));
        // a ratio that is not a number is the smallest of all
        all.into_iter().reduce(|a, b| if a.1 <= b.1 { a } else { b })
    }

    /// After a factorisation: the duals outside cycles with pivots not above this part of their own `J D^-1 J^T`.
    pub fn dependent_outside_cycles(&self, blocks: &Blocks, factor: &Factor, threshold: f64) -> Vec<Node> {
        let small = |p: &(Node, f64)| !(p.1 > threshold);
        self.against_own(blocks, self.front_pivots(factor)).into_iter().filter(small).map(|p| p.0).collect()
    }

    /// After a factorisation: the pivots of the dual rows in cycles, each against its row's own size at the time, by
    /// place in a vector. Other entries are left alone.
    pub fn pivot_ratios(&self, factor: &Factor, out: &mut [f64]) {
        for p in self.core_pivots(factor) {
            let own = factor.own[p.x];
            out[p.x] = if own > 0.0 { p.pivot / own } else { 1.0 };
        }
    }

    /// Rows of the duals in a pivot block.
    fn dual_rows(&self, members: (u32, u32)) -> impl Iterator<Item = (&Member, usize)> {
        let duals = self.members_of(members).iter().filter(|m| self.structure.is_dual(m.node));
        duals.flat_map(|m| (0..m.size as usize).map(move |r| (m, r)))
    }

    /// Pivots of the duals outside cycles that are eliminated through their rows.
    fn front_pivots<'a>(&'a self, factor: &'a Factor) -> impl Iterator<Item = DualPivot> + 'a {
        let inverse = |front, m: &Member, r| self.front_inverse(front, factor, m.at as usize + r);
        let rows =
            self.fronts.iter().flat_map(move |f| self.dual_rows(f.members).map(move |(m, r)| (m, r, inverse(f, m, r))));
        rows.map(|(m, row, inverse)| DualPivot { node: m.node, row, x: m.x as usize + row, pivot: 1.0 / inverse.abs() })
    }

    /// Pivots of the core's duals.
    fn core_pivots<'a>(&'a self, factor: &'a Factor) -> impl Iterator<Item = DualPivot> + 'a {
        let panels = self.panels.iter().filter(|p| !p.primal);
        panels.flat_map(move |panel| {
            self.dual_rows(panel.members).map(move |(m, row)| {
                let at = panel.at as usize + (m.at as usize + row) * (panel.width as usize + 1);
                DualPivot { node: m.node, row, x: m.x as usize + row, pivot: 1.0 / factor.panels[at].abs() }
            })
        })
    }

    /// Pivots over the diagonal of their rows' own `J D^-1 J^T`.
    fn against_own(&self, blocks: &Blocks, pivots: impl Iterator<Item = DualPivot>) -> Vec<(Node, f64)> {
        let planner = Planner::new(&self.structure);
        let (mut diagonal, mut row) = (Vec::new(), Vec::new());
        let mut own =
            |p: &DualPivot| self.own_diagonal(blocks, planner.links_of(p.node.index()), p.row, &mut diagonal, &mut row);
        pivots.map(|p| (p.node, p.pivot / own(&p))).collect()
    }

    /// Duals that come before a hub and whose pivots, in the sample, are small without it.
    pub(crate) fn small_before_hubs(&self, order: &Elimination, core: &Core, sample: &Blocks) -> Vec<u32> {
        if order.hubs.is_empty() {
            return Vec::new();
        }
        let component = |i: u32| core.component[i as usize] as usize;
        let mut is_hub = vec![false; self.structure.n_nodes()];
        order.hubs.iter().for_each(|&h| is_hub[h as usize] = true);
        // position of the last hub of each component
        let mut last = vec![0; core.n_components()];
        for (k, &i) in order.nodes.iter().enumerate().filter(|(_, i)| is_hub[**i as usize]) {
            last[component(i)] = k;
        }
        let mut early = vec![false; self.structure.n_nodes()];
        for (k, &i) in order.nodes.iter().enumerate() {
            early[i as usize] = self.structure.is_dual(Node(i)) && k < last[component(i)];
        }
        let mut factor = self.new_factor();
        // regular enough to see which pivots are small
        factor.set_rule(crate::PivotRule::Damped { eps: 1e-8 });
        match self.factor(sample, &mut factor) {
            Err(e) if early[e.node.index()] => return vec![e.node.0],
            // small for other reasons: not the hubs' fault, but none of the duals can be judged either
            Err(_) => return order.nodes.iter().copied().filter(|&i| early[i as usize]).collect(),
            Ok(()) => {}
        }
        let mut small: Vec<u32> = (self.against_own(sample, self.core_pivots(&factor)).iter())
            .filter(|(dual, ratio)| early[dual.index()] && !(*ratio > STRONG))
            .map(|(dual, _)| dual.0)
            .collect();
        small.sort_unstable();
        small.dedup();
        small
    }

    /// Entry (r, r) of a dual's own `J D^-1 J^T`, from the blocks as given.
    fn own_diagonal(&self, blocks: &Blocks, links: &[u32], r: usize, d: &mut Vec<f64>, row: &mut Vec<f64>) -> f64 {
        let mut sum = 0.0;
        for &index in links {
            let link = self.link(index);
            let n = self.structure.size(link.primal);
            blocks.dense_link(&self.structure, index as usize, row);
            let row_r = &row[r * n..(r + 1) * n];
            blocks.packed_diagonal(link.primal, n, d);
            if packed::factor(d, n, |_| true).is_err() {
                return f64::NAN;
            }
            let mut x = row_r.to_vec();
            packed::solve(d, n, &mut x);
            sum += x.iter().zip(row_r).map(|(a, b)| a * b).sum::<f64>();
        }
        sum
    }
}

//! Are rows independent? Asked when a structure is planned and when one is built, never in the numeric phase.

use crate::blocks::Blocks;
use crate::core::Core;
use crate::order::Elimination;
use crate::packed;
use crate::plan::Plan;
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

impl Plan {
    /// After a factorisation: the dual whose pivot is smallest against the diagonal of its own `J D^-1 J^T`, and that ratio. A ratio
    /// near rounding says that `J` has dependent rows there. For use when a structure is built, not in the numeric phase.
    pub fn smallest_dual_pivot(&self, blocks: &Blocks, factor: &crate::Factor) -> Option<(Node, f64)> {
        let all = self.front_pivots(blocks, factor).into_iter().chain(self.core_pivots(blocks, factor));
        // a ratio that is not a number is the weakest of all
        all.reduce(|a, b| if a.1 <= b.1 { a } else { b })
    }

    /// After a factorisation: the duals outside cycles with pivots not above this part of their own `J D^-1 J^T`.
    pub fn dependent_outside_cycles(&self, blocks: &Blocks, factor: &crate::Factor, threshold: f64) -> Vec<Node> {
        let small = |p: &(Node, f64)| !(p.1 > threshold);
        self.front_pivots(blocks, factor).into_iter().filter(small).map(|p| p.0).collect()
    }

    /// Pivots of the duals outside cycles that are eliminated through their rows, each against its row's own `J D^-1 J^T`.
    fn front_pivots(&self, blocks: &Blocks, factor: &crate::Factor) -> Vec<(Node, f64)> {
        let planner = Planner::new(&self.structure);
        let (mut diagonal, mut row, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for front in &self.fronts {
            for m in self.members_of(front.members) {
                for r in 0..if self.structure.is_dual(m.node) { m.size as usize } else { 0 } {
                    let pivot = 1.0 / self.front_inverse(front, factor, m.at as usize + r).abs();
                    let links = planner.links_of(m.node.index());
                    out.push((m.node, pivot / self.own_diagonal(blocks, links, r, &mut diagonal, &mut row)));
                }
            }
        }
        out
    }

    /// After a factorisation: the pivots of the dual rows in cycles, each against its row's own size at the time, by place in a vector. Other entries
    /// are left alone.
    pub fn pivot_ratios(&self, factor: &crate::Factor, out: &mut [f64]) {
        for panel in self.panels.iter().filter(|p| !p.primal) {
            for m in self.members_of(panel.members) {
                for r in 0..m.size as usize {
                    let at = (m.at as usize + r) * (panel.width as usize + 1);
                    let own = factor.own[m.x as usize + r];
                    let pivot = 1.0 / factor.panels[panel.at as usize + at].abs();
                    out[m.x as usize + r] = if own > 0.0 { pivot / own } else { 1.0 };
                }
            }
        }
    }

    /// Pivots of the core's duals, each against its row's own `J D^-1 J^T`: (dual, ratio).
    fn core_pivots(&self, blocks: &Blocks, factor: &crate::Factor) -> Vec<(Node, f64)> {
        let planner = Planner::new(&self.structure);
        let (mut diagonal, mut row, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for panel in self.panels.iter().filter(|p| !p.primal) {
            let width = panel.width as usize;
            for m in self.members_of(panel.members) {
                for r in 0..m.size as usize {
                    let at = m.at as usize + r;
                    let pivot = 1.0 / factor.panels[panel.at as usize + at * width + at].abs();
                    let links = planner.links_of(m.node.index());
                    out.push((m.node, pivot / self.own_diagonal(blocks, links, r, &mut diagonal, &mut row)));
                }
            }
        }
        out
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
        let mut small: Vec<u32> = (self.core_pivots(sample, &factor).iter())
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

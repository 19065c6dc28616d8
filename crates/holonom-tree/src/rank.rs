//! Are rows independent? Asked when a structure is planned and when one is built, never in the numeric phase.

use crate::blocks::Blocks;
use crate::packed;
use crate::plan::{Plan, Store};
use crate::planner::Planner;
use crate::structure::Node;

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
    pub fn weakest_dual(&self, blocks: &Blocks, factor: &crate::Factor) -> Option<(Node, f64)> {
        let mut weakest: Option<(Node, f64)> = None;
        let (mut diagonal, mut row) = (Vec::new(), Vec::new());
        let planner = Planner::new(&self.structure);
        for front in &self.fronts {
            let n = front.n as usize;
            let matrix = match front.store {
                Store::Six(i) => &factor.six[i as usize][..],
                Store::Arena(start) => &factor.arena[start as usize..][..packed::len(n)],
            };
            for member in &self.members[front.members.0 as usize..front.members.1 as usize] {
                if !self.structure.is_dual(member.node) {
                    continue;
                }
                for r in 0..member.size as usize {
                    let k = member.at as usize + r;
                    let pivot = 1.0 / matrix[packed::at(n, k, k)].abs();
                    let links = planner.links_of(member.node.index());
                    let scale = self.own_diagonal(blocks, links, r, &mut diagonal, &mut row);
                    if weakest.is_none_or(|(_, w)| pivot / scale < w) {
                        weakest = Some((member.node, pivot / scale));
                    }
                }
            }
        }
        weakest
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

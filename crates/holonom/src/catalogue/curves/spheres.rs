//! A binary tree of spheres: which parts of a curve or surface can hold the point nearest to p?
//!
//! Leaves are the parts in an order in which neighbours are near each other; node k of the heap covers nodes 2k and
//! 2k + 1. A node whose sphere is farther away than the best distance found holds nothing better.

use crate::math::Vec3;

#[derive(Clone, Debug, Default)]
pub(crate) struct Spheres {
    /// Centre and radius; node 0 is not used, the leaves are the second half.
    nodes: Vec<(Vec3, f64)>,
    /// Differences of distance that do not matter (m).
    tiny: f64,
}

impl Spheres {
    pub fn new(leaves: &[(Vec3, f64)]) -> Spheres {
        let n = leaves.len().next_power_of_two();
        // a sphere of radius -infinity is empty: infinitely far from everything
        let mut nodes = vec![(Vec3::ZERO, f64::NEG_INFINITY); 2 * n];
        nodes[n..n + leaves.len()].copy_from_slice(leaves);
        for k in (1..n).rev() {
            nodes[k] = around(nodes[2 * k], nodes[2 * k + 1]);
        }
        let tiny = 1e-14 * nodes[1].1.max(0.0);
        Spheres { nodes, tiny }
    }

    /// Visit leaves that may be nearer to `p` than the best so far; `visit` says how near its leaf has turned out to
    /// be. The order depends on `p` alone.
    pub fn search(&self, p: Vec3, mut best: f64, mut visit: impl FnMut(usize) -> f64) {
        let n = self.nodes.len() / 2;
        if n == 0 {
            return;
        }
        // an empty sphere is infinitely far even from a point that is not finite, whose distances are no numbers
        let bound = |k: usize| match self.nodes[k] {
            (_, f64::NEG_INFINITY) => f64::INFINITY,
            (centre, radius) => ((p - centre).length() - radius).max(0.0),
        };
        // of every level at most one node waits, and one is looked at
        let mut waiting = [(0usize, 0.0); 64];
        let mut height = 1;
        waiting[0] = (1, bound(1));
        while height > 0 {
            height -= 1;
            let (k, d) = waiting[height];
            if !(d + self.tiny < best) {
                continue;
            }
            if k >= n {
                best = best.min(visit(k - n));
                continue;
            }
            let mut pair = [(2 * k, bound(2 * k)), (2 * k + 1, bound(2 * k + 1))];
            let centre = |k: usize| (p - self.nodes[k].0).length_squared();
            if pair[0].1 < pair[1].1 || pair[0].1 == pair[1].1 && centre(2 * k) < centre(2 * k + 1) {
                pair.swap(0, 1);
            }
            waiting[height] = pair[0];
            waiting[height + 1] = pair[1];
            height += 2;
        }
    }
}

/// A sphere around two.
fn around(a: (Vec3, f64), b: (Vec3, f64)) -> (Vec3, f64) {
    if b.1 == f64::NEG_INFINITY {
        return a;
    }
    let d = (b.0 - a.0).length();
    if d + b.1 <= a.1 {
        a
    } else if d + a.1 <= b.1 {
        b
    } else {
        let radius = 0.5 * (d + a.1 + b.1);
        // rounding must not leave a point outside
        (a.0 + (b.0 - a.0) * ((radius - a.1) / d), radius * (1.0 + 1e-14))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_leaves_are_never_visited() {
        let leaves: Vec<(Vec3, f64)> = (0..5).map(|i| (Vec3::X * i as f64, 0.5)).collect();
        for p in [Vec3::ZERO, Vec3::splat(1e9), Vec3::NAN, Vec3::INFINITY] {
            Spheres::new(&leaves).search(p, f64::INFINITY, |i| {
                assert!(i < leaves.len(), "leaf {i} of {} at {p}", leaves.len());
                (leaves[i].0 - p).length()
            });
        }
    }
}

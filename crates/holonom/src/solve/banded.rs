//! Band Cholesky of `A = J M^-1 J^T` (after Surles 1992): constraints numbered by reverse Cuthill-McKee, so that those
//! which share a body lie close together. Linear for chains; the band widens with every branch.

use super::dense::DEPENDENT;
use super::explicit::Explicit;
use holonom_tree::{Blocks, Node, Structure};

pub(crate) struct Banded {
    e: Explicit,
    /// Position of each dual in the band order.
    place: Vec<usize>,
    order: Vec<usize>,
    n: usize,
    /// Entries above the diagonal kept per row.
    width: usize,
    /// Row i holds A(i, i..=i+width).
    a: Vec<f64>,
    b: Vec<f64>,
    lambda: Vec<f64>,
}

impl Banded {
    pub fn new(s: &Structure) -> Self {
        let e = Explicit::new(s);
        let order = reverse_cuthill_mckee(&e);
        let mut place = vec![0; e.size.len()];
        let mut n = 0;
        for &d in &order {
            place[d] = n;
            n += e.size[d];
        }
        let mut width = 0;
        for l in &e.links {
            for &k in &e.links_of[l.primal] {
                let other = e.links[k].dual;
                let last = place[other] + e.size[other];
                width = width.max(last.saturating_sub(place[l.dual] + 1));
            }
        }
        let b = vec![0.0; e.len()];
        Banded { e, place, order, n, width, a: vec![0.0; n * (width + 1)], b, lambda: vec![0.0; n] }
    }

    pub fn factor(&mut self, s: &Structure, blocks: &Blocks) -> Result<(), Node> {
        self.e.load(s, blocks)?;
        self.a.fill(0.0);
        let (e, a, place) = (&self.e, &mut self.a, &self.place);
        let stride = self.width + 1;
        e.for_each_delassus_block(|first, second, block| {
            let columns = e.size[second];
            for r in 0..e.size[first] {
                for c in 0..columns {
                    let (i, j) = (place[first] + r, place[second] + c);
                    // a block off the diagonal is visited once; put it into the upper triangle of the band order
                    let (i, j) = if first == second { (i, j) } else { (i.min(j), i.max(j)) };
                    if i <= j {
                        a[i * stride + j - i] += block[r * columns + c];
                    }
                }
            }
        });
        let own: Vec<f64> = a.iter().step_by(stride).copied().collect();
        for k in 0..self.n {
            let reach = self.width.min(self.n - 1 - k);
            let (top, below) = a.split_at_mut((k + 1) * stride);
            let row = &mut top[k * stride..];
            let d = row[0];
            if !(d > DEPENDENT * own[k]) {
                let dual = self.order.iter().rev().find(|&&d| place[d] <= k && e.size[d] > 0);
                return Err(Node(dual.copied().unwrap_or(0) as u32));
            }
            let inverse = 1.0 / d;
            for i in 1..=reach {
                let l = row[i] * inverse;
                if l != 0.0 {
                    let target = &mut below[(i - 1) * stride..][..reach - i + 1];
                    for (t, r) in target.iter_mut().zip(&row[i..=reach]) {
                        *t -= l * r;
                    }
                }
            }
            row[1..=reach].iter_mut().for_each(|r| *r *= inverse);
            row[0] = inverse;
        }
        Ok(())
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        let (e, stride, n) = (&self.e, self.width + 1, self.n);
        e.reduce(x, &mut self.b);
        let z = &mut self.lambda;
        for &d in &self.order {
            z[self.place[d]..self.place[d] + e.size[d]].copy_from_slice(&self.b[e.start[d]..e.start[d + 1]]);
        }
        for k in 0..n {
            for i in 1..=self.width.min(n - 1 - k) {
                z[k + i] -= self.a[k * stride + i] * z[k];
            }
        }
        for k in 0..n {
            z[k] *= self.a[k * stride];
        }
        for k in (0..n).rev() {
            for i in 1..=self.width.min(n - 1 - k) {
                z[k] -= self.a[k * stride + i] * z[k + i];
            }
        }
        for &d in &self.order {
            self.b[e.start[d]..e.start[d + 1]].copy_from_slice(&z[self.place[d]..self.place[d] + e.size[d]]);
        }
        e.recover(&self.b, x);
    }
}

/// Breadth first from a node of low degree at the far end of each component, neighbours by degree; then reversed.
fn reverse_cuthill_mckee(e: &Explicit) -> Vec<usize> {
    let neighbours =
        |d: usize| e.links_of[d].iter().flat_map(|&k| &e.links_of[e.links[k].primal]).map(|&k| e.links[k].dual);
    let degree: Vec<usize> =
        (0..e.size.len()).map(|i| e.links_of[i].iter().map(|&k| e.links_of[e.links[k].primal].len()).sum()).collect();
    let mut placed = vec![false; e.size.len()];
    let mut stamp = vec![usize::MAX; e.size.len()];
    let mut order: Vec<usize> = Vec::with_capacity(e.duals.len());
    let mut queue = Vec::new();
    for &first in &e.duals {
        if placed[first] {
            continue;
        }
        // two breadth-first sweeps find an end of the component
        let mut start = first;
        for sweep in 0..2 {
            let mark = 2 * first + sweep;
            queue.clear();
            queue.push(start);
            stamp[start] = mark;
            let mut k = 0;
            while k < queue.len() {
                for other in neighbours(queue[k]) {
                    if stamp[other] != mark {
                        stamp[other] = mark;
                        queue.push(other);
                    }
                }
                k += 1;
            }
            start = queue[queue.len() - 1];
        }
        let mut k = order.len();
        order.push(start);
        placed[start] = true;
        while k < order.len() {
            let from = order.len();
            for other in neighbours(order[k]) {
                if !placed[other] {
                    placed[other] = true;
                    order.push(other);
                }
            }
            order[from..].sort_by_key(|&d| (degree[d], d));
            k += 1;
        }
    }
    order.reverse();
    order
}

//! Factors of twice the precision, for components whose diagonal blocks are *graded*: some of them smaller than others
//! by so many powers of ten that floats cannot hold both sides of a sum.
//!
//! Where a node with a small block D = mu lies on a cycle, its duals receive `J D^-1 J^T` of size 1 / mu, of lower rank
//! than they have rows: what tells their rows apart is of size 1, from the other nodes, and stands in the same sum. A
//! pivot of the elimination then is the difference of two numbers of size 1 / mu, and float arithmetic leaves
//! `2^-53 / mu` of error in it. At mu = 1e-7 half of the digits are gone, at 1e-16 all of them. No order of elimination
//! by blocks is free of this: duals eliminated before the small node lack rank without it.
//!
//! So the same elimination, by the order of the plan, is done with numbers of 106 bits. Every pivot of the plan,
//! whatever its kernel there, is here a dense *step*: rows of its members, with columns of the members and of the
//! neighbours left,
//!
//! ```text
//!     row_i -= (row_k[i] / d_k) row_k,        T_ab -= sum_k row_k[a] row_k[b] / d_k
//! ```
//!
//! as in [`crate::panel`]. Sweeps of refinement are done with these numbers as well: the residual of a float solution
//! has an error of rounding size, which is large against a small block.
//!
//! Which rows depend on others cannot be read from pivots of a graded matrix, with any precision: the rows themselves
//! are rounded, and what rounding leaves of a dependent row, seen through 1 / mu, is as large as the pivot of an
//! independent one. It is decided by another factorisation, of the same rows with [neutral](crate::NeutralBlocks)
//! blocks, and handed on as the list of small pivots of a [`Factor`].

use crate::blocks::Blocks;
use crate::double_double::DoubleDouble as Dd;
use crate::factor::{Factor, Singular};
use crate::packed;
use crate::pivot_rule::{PivotRule, RELAXED};
use crate::plan::{Member, NONE, Op, Plan};
use crate::structure::Node;

/// A pivot: `n` rows of `width` numbers from `at` on. Ranges into the lists of the factor.
#[derive(Clone, Copy, Debug)]
struct Step {
    n: u32,
    width: u32,
    at: usize,
    members: (u32, u32),
    ups: (u32, u32),
    targets: u32,
}

/// A neighbour eliminated later: its node, place in a vector, size and first column.
#[derive(Clone, Copy, Debug)]
struct StepUp {
    node: u32,
    x: u32,
    size: u32,
    column: u32,
}

/// A block of the matrix as it stands in a step, from its first entry on; `by_rows` where the step has the dual's rows.
#[derive(Clone, Copy, Debug)]
struct StepLink {
    link: u32,
    at: usize,
    width: u32,
    by_rows: bool,
}

/// Factors of twice the precision of some components, with the scratch of factorisation and solve.
#[derive(Clone, Debug, Default)]
pub struct ExtendedFactor {
    steps: Vec<Step>,
    members: Vec<Member>,
    ups: Vec<StepUp>,
    links: Vec<StepLink>,
    /// First entry and stride of the block that every pair of neighbours writes to.
    targets: Vec<(usize, u32)>,
    numbers: Vec<Dd>,
    x: Vec<Dd>,
    rest: Vec<Dd>,
    z: Vec<Dd>,
    /// Own sizes of the rows, and those that gave way in the last factorisation, by place in a vector.
    own: Vec<f64>,
    soft: Vec<bool>,
    any_soft: bool,
    block: Vec<f64>,
    diagonal: Vec<f64>,
}

/// A pivot below this part of its row's own size is what rounding leaves of nothing, in numbers of 32 digits.
const NOTHING: f64 = 1e-23;
/// Sweeps of refinement where rows give way.
const SWEEPS: usize = 2;

impl Plan {
    /// Storage for factors of twice the precision of the components that these nodes make up (all nodes of a component,
    /// or none of them).
    pub fn new_extended(&self, wanted: impl Fn(Node) -> bool) -> ExtendedFactor {
        let mut layout = Layout::new(self);
        for op in &self.ops {
            let (pivots, later) = self.nodes_of(op);
            if !pivots.is_empty() && wanted(Node(pivots[0][0])) {
                for (nodes, later) in pivots.iter().zip(&later) {
                    layout.push(nodes, later);
                }
            }
        }
        layout.finish()
    }

    /// The nodes that a pivot of the plan eliminates, one list or two, and for each list the neighbours it has left.
    fn nodes_of(&self, op: &Op) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let node_at = |x: u32| {
            // nodes without rows share their place with the next
            let k = self.offsets.partition_point(|&o| o <= x) - 1;
            k as u32
        };
        match op {
            Op::Pair(p) => {
                let parent = if p.has_parent() { vec![node_at(p.x_parent)] } else { Vec::new() };
                (vec![vec![node_at(p.x_child)], vec![p.dual]], vec![vec![p.dual], parent])
            }
            Op::Front(k) => {
                let front = &self.fronts[*k as usize];
                let members = self.members_of(front.members).iter().map(|m| m.node.0).collect();
                (vec![members], vec![front.up.iter().map(|up| node_at(up.x)).collect()])
            }
            Op::InversePivot(k) => {
                let pivot = &self.inverse_pivots[*k as usize];
                let duals = self.links_of_pivot(pivot).iter().map(|l| self.link(l.link).dual.0).collect();
                (vec![vec![pivot.node.0]], vec![duals])
            }
            Op::Panel(k) => {
                let panel = &self.panels[*k as usize];
                let members = self.members_of(panel.members).iter().map(|m| m.node.0).collect();
                let ups = &self.ups[panel.ups.0 as usize..panel.ups.1 as usize];
                (vec![members], vec![ups.iter().map(|up| node_at(up.x)).collect()])
            }
        }
    }

    /// Factor with twice the precision. Rule, weights, relaxed rows and the rows that give way are those of `factor`,
    /// the last as found in its last factorisation; rows of which nothing is left even here are added to them.
    /// Allocates nothing.
    pub fn factor_extended(
        &self,
        blocks: &Blocks,
        factor: &mut Factor,
        out: &mut ExtendedFactor,
    ) -> Result<(), Singular> {
        out.soft.fill(false);
        factor.small.iter().for_each(|&x| out.soft[x as usize] = true);
        out.any_soft = false;
        self.load(blocks, out);
        for k in 0..out.steps.len() {
            let step = out.steps[k];
            self.eliminate_step(&step, factor, out)?;
            out.update(&step);
        }
        Ok(())
    }

    /// Solve `H x = rhs` with these factors, refined where rows gave way; entries of other components are left alone.
    /// Allocates nothing.
    pub fn solve_extended(&self, blocks: &Blocks, factor: &mut ExtendedFactor, rhs: &[f64], x: &mut [f64]) {
        for m in &factor.members {
            let range = m.x as usize..(m.x + m.size) as usize;
            range.for_each(|i| factor.rest[i] = Dd::from(rhs[i]));
        }
        factor.substitute();
        factor.x.copy_from_slice(&factor.rest);
        for _ in 0..if factor.any_soft { SWEEPS } else { 0 } {
            self.extended_residual(blocks, rhs, factor);
            factor.substitute();
            for k in 0..factor.x.len() {
                factor.x[k] += factor.rest[k];
            }
        }
        for m in &factor.members {
            let range = m.x as usize..(m.x + m.size) as usize;
            range.for_each(|i| x[i] = factor.x[i].value());
        }
    }

    /// The matrix into the steps, and the own sizes of its rows.
    fn load(&self, blocks: &Blocks, out: &mut ExtendedFactor) {
        out.numbers.fill(Dd::ZERO);
        out.own.fill(0.0);
        for step in &out.steps {
            let width = step.width as usize;
            for m in &out.members[step.members.0 as usize..step.members.1 as usize] {
                if self.structure.is_dual(m.node) {
                    continue;
                }
                for i in 0..m.size as usize {
                    let row = &mut out.numbers[step.at + (m.at as usize + i) * width + m.at as usize..];
                    (i..m.size as usize).for_each(|j| row[j] = Dd::from(blocks.entry(m.node, i, j)));
                }
            }
        }
        for l in &out.links {
            let link = self.link(l.link);
            let (rows, columns) = (self.structure.size(link.dual), self.structure.size(link.primal));
            let block = &mut out.block[..rows * columns];
            blocks.write_link(&self.structure, link, block);
            for r in 0..rows {
                for c in 0..columns {
                    let (i, j) = if l.by_rows { (r, c) } else { (c, r) };
                    out.numbers[l.at + i * l.width as usize + j] = Dd::from(-block[r * columns + c]);
                }
            }
            blocks.packed_diagonal(link.primal, columns, &mut out.diagonal);
            let good = packed::factor(&mut out.diagonal, columns, |_| true).is_ok();
            for (r, row) in block.chunks_exact_mut(columns).enumerate().filter(|_| good) {
                packed::solve_lower(&out.diagonal, columns, row, 1);
                let size: f64 = (0..columns).map(|k| row[k] * row[k] * out.diagonal[packed::at(columns, k, k)]).sum();
                out.own[self.offset(link.dual) + r] += size;
            }
        }
    }

    /// The rows of a step, one after the other; the inverse of each pivot takes its place.
    fn eliminate_step(&self, step: &Step, factor: &mut Factor, out: &mut ExtendedFactor) -> Result<(), Singular> {
        let width = step.width as usize;
        let rows = &mut out.numbers[step.at..][..step.n as usize * width];
        for m in &out.members[step.members.0 as usize..step.members.1 as usize] {
            let primal = !self.structure.is_dual(m.node);
            for r in 0..m.size as usize {
                let (k, x) = (m.at as usize + r, m.x as usize + r);
                let d = &mut rows[k * width + k];
                let mut inverse = None;
                if !primal {
                    if !out.soft[x] && factor.rule != PivotRule::Exact && -d.value() <= NOTHING * out.own[x] {
                        out.soft[x] = true;
                        factor.small.push(x as u32);
                    }
                    let weight = factor.weights.get(x).copied().unwrap_or(1.0);
                    let relaxed = factor.relaxed.get(x) == Some(&true);
                    let gives_way = match factor.rule {
                        PivotRule::Damped { eps } => eps * weight,
                        PivotRule::Regularised { eps } if out.soft[x] => eps * weight,
                        _ => 0.0,
                    };
                    let by_choice = match factor.rule {
                        PivotRule::Regularised { eps } if relaxed => RELAXED * eps,
                        _ => 0.0,
                    };
                    if out.soft[x] && gives_way > 0.0 && d.value() > 0.0 {
                        *d = Dd::ZERO;
                    }
                    let added = (gives_way + by_choice) * out.own[x];
                    *d -= Dd::from(added);
                    out.any_soft |= added > 0.0 && !matches!(factor.rule, PivotRule::Damped { .. });
                    if out.soft[x] && matches!(factor.rule, PivotRule::Huge { .. }) {
                        inverse = Some(Dd::ZERO);
                    }
                }
                let right_sign = if primal { d.value() > 0.0 } else { d.value() < 0.0 };
                let inverse = match inverse {
                    Some(inverse) => inverse,
                    None if right_sign => d.inverse(),
                    None => return Err(Singular { node: m.node, pivot: d.value() }),
                };
                *d = inverse;
                eliminate_row(rows, k, step.n as usize, width);
            }
        }
        Ok(())
    }

    /// `rest = rhs - H x`.
    fn extended_residual(&self, blocks: &Blocks, rhs: &[f64], factor: &mut ExtendedFactor) {
        let ExtendedFactor { members, links, x, rest, block, .. } = factor;
        for m in &*members {
            let (at, size) = (m.x as usize, m.size as usize);
            for i in 0..size {
                let mut sum = Dd::from(rhs[at + i]);
                if !self.structure.is_dual(m.node) {
                    for j in 0..size {
                        let entry = blocks.entry(m.node, i, j);
                        if entry != 0.0 {
                            sum -= Dd::from(entry) * x[at + j];
                        }
                    }
                }
                rest[at + i] = sum;
            }
        }
        for l in &*links {
            let link = self.link(l.link);
            let (rows, columns) = (self.structure.size(link.dual), self.structure.size(link.primal));
            let block = &mut block[..rows * columns];
            blocks.write_link(&self.structure, link, block);
            let (dual, primal) = (self.offset(link.dual), self.offset(link.primal));
            for r in 0..rows {
                for c in 0..columns {
                    // the link stands as -J
                    let j = Dd::from(block[r * columns + c]);
                    rest[dual + r] += j * x[primal + c];
                    rest[primal + c] += j * x[dual + r];
                }
            }
        }
    }
}

/// `row_i -= (row_k[i] / d_k) row_k` for the rows below k, with `1 / d_k` on the diagonal.
fn eliminate_row(rows: &mut [Dd], k: usize, n: usize, width: usize) {
    let (top, below) = rows.split_at_mut((k + 1) * width);
    let row_k = &top[k * width..];
    for i in k + 1..n {
        if row_k[i] == Dd::ZERO {
            continue;
        }
        let l = row_k[i] * row_k[k];
        let row_i = &mut below[(i - k - 1) * width..][..width];
        for j in i..width {
            row_i[j] -= l * row_k[j];
        }
    }
}

impl ExtendedFactor {
    /// Write the own sizes `(J D^-1 J^T)_jj` of the rows factored here to their places in a vector.
    pub fn write_own_sizes(&self, out: &mut [f64]) {
        for m in &self.members {
            let range = m.x as usize..(m.x + m.size) as usize;
            out[range.clone()].copy_from_slice(&self.own[range]);
        }
    }

    /// After a factorisation: the pivots of its duals, each against its row's own size, by place in a vector; 0 for
    /// rows of which nothing was left even with these digits. Other entries are left alone.
    pub fn write_pivot_ratios(&self, out: &mut [f64]) {
        for step in &self.steps {
            for m in &self.members[step.members.0 as usize..step.members.1 as usize] {
                for r in 0..m.size as usize {
                    let (k, x) = (m.at as usize + r, m.x as usize + r);
                    let inverse = self.numbers[step.at + k * (step.width as usize + 1)].value();
                    if self.own[x] > 0.0 {
                        out[x] = if self.soft[x] { 0.0 } else { 1.0 / (inverse.abs() * self.own[x]) };
                    }
                }
            }
        }
    }

    /// What the neighbours of a step receive.
    fn update(&mut self, step: &Step) {
        let (n, width) = (step.n as usize, step.width as usize);
        let (rows, later) = self.numbers[step.at..].split_at_mut(n * width);
        let end = step.at + n * width;
        let ups = &self.ups[step.ups.0 as usize..step.ups.1 as usize];
        let mut targets = self.targets[step.targets as usize..].iter();
        for (i, a) in ups.iter().enumerate() {
            for (b, &(at, stride)) in ups[i..].iter().zip(&mut targets) {
                for row in rows.chunks_exact(width).enumerate().map(|(k, row)| (row[k], row)) {
                    let (inverse, row) = row;
                    let row_b = &row[b.column as usize..][..b.size as usize];
                    for r in 0..a.size as usize {
                        let l = row[a.column as usize + r] * inverse;
                        if l == Dd::ZERO {
                            continue;
                        }
                        let target = &mut later[at - end + r * stride as usize..];
                        target.iter_mut().zip(row_b).for_each(|(t, b)| *t -= l * *b);
                    }
                }
            }
        }
    }

    /// `rest <- H^-1 rest`.
    fn substitute(&mut self) {
        for step in &self.steps {
            let (n, width) = (step.n as usize, step.width as usize);
            let z = &mut self.z[..width];
            let members = &self.members[step.members.0 as usize..step.members.1 as usize];
            for m in members {
                (0..m.size as usize).for_each(|r| z[m.at as usize + r] = self.rest[m.x as usize + r]);
            }
            z[n..].fill(Dd::ZERO);
            for (k, row) in self.numbers[step.at..][..n * width].chunks_exact(width).enumerate() {
                let l = z[k] * row[k];
                z[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(z, r)| *z -= l * *r);
            }
            for m in members {
                (0..m.size as usize).for_each(|r| self.rest[m.x as usize + r] = z[m.at as usize + r]);
            }
            for up in &self.ups[step.ups.0 as usize..step.ups.1 as usize] {
                (0..up.size as usize).for_each(|r| self.rest[up.x as usize + r] += z[up.column as usize + r]);
            }
        }
        for step in self.steps.iter().rev() {
            let (n, width) = (step.n as usize, step.width as usize);
            let z = &mut self.z[..width];
            let members = &self.members[step.members.0 as usize..step.members.1 as usize];
            for m in members {
                (0..m.size as usize).for_each(|r| z[m.at as usize + r] = self.rest[m.x as usize + r]);
            }
            for up in &self.ups[step.ups.0 as usize..step.ups.1 as usize] {
                (0..up.size as usize).for_each(|r| z[up.column as usize + r] = self.rest[up.x as usize + r]);
            }
            for (k, row) in self.numbers[step.at..][..n * width].chunks_exact(width).enumerate().rev() {
                let mut sum = z[k];
                row[k + 1..].iter().zip(&z[k + 1..]).for_each(|(r, z)| sum -= *r * *z);
                z[k] = row[k] * sum;
            }
            for m in members {
                (0..m.size as usize).for_each(|r| self.rest[m.x as usize + r] = z[m.at as usize + r]);
            }
        }
    }
}

/// Steps while they are laid out.
struct Layout<'p> {
    plan: &'p Plan,
    out: ExtendedFactor,
    /// Step of every node, and its first row there.
    step: Vec<u32>,
    row: Vec<u32>,
}

impl<'p> Layout<'p> {
    fn new(plan: &'p Plan) -> Self {
        let n = plan.structure.n_nodes();
        Layout { plan, out: ExtendedFactor::default(), step: vec![NONE; n], row: vec![0; n] }
    }

    fn push(&mut self, nodes: &[u32], later: &[u32]) {
        let (plan, out) = (self.plan, &mut self.out);
        if nodes.iter().all(|&i| plan.structure.sizes[i as usize] == 0) {
            return; // a dual without rows
        }
        let (first_member, first_up, mut n) = (out.members.len() as u32, out.ups.len() as u32, 0);
        for &i in nodes {
            let size = plan.structure.sizes[i as usize];
            (self.step[i as usize], self.row[i as usize]) = (out.steps.len() as u32, n);
            out.members.push(Member { node: Node(i), at: n, x: plan.offsets[i as usize], size, link: NONE });
            n += size;
        }
        let mut width = n;
        for &node in later {
            let size = plan.structure.sizes[node as usize];
            out.ups.push(StepUp { node, x: plan.offsets[node as usize], size, column: width });
            width += size;
        }
        let at = out.steps.last().map_or(0, |s| s.at + (s.n * s.width) as usize);
        let (members, ups) = ((first_member, out.members.len() as u32), (first_up, out.ups.len() as u32));
        out.steps.push(Step { n, width, at, members, ups, targets: 0 });
    }

    /// Entry of node `a`'s first row in the column of node `b`, eliminated with it or later, and the stride there.
    fn entry(&self, a: u32, b: u32) -> Option<(usize, u32)> {
        let step = self.out.steps.get(self.step[a as usize] as usize)?;
        let column = if self.step[a as usize] == self.step[b as usize] {
            self.row[b as usize]
        } else {
            let ups = &self.out.ups[step.ups.0 as usize..step.ups.1 as usize];
            ups.iter().find(|up| up.node == b)?.column
        };
        Some((step.at + (self.row[a as usize] * step.width + column) as usize, step.width))
    }

    /// Addresses of all blocks, and room for the numbers.
    fn finish(mut self) -> ExtendedFactor {
        let mut targets = Vec::new();
        for k in 0..self.out.steps.len() {
            let step = self.out.steps[k];
            let later: Vec<u32> =
                self.out.ups[step.ups.0 as usize..step.ups.1 as usize].iter().map(|u| u.node).collect();
            self.out.steps[k].targets = targets.len() as u32;
            for (i, &a) in later.iter().enumerate() {
                let found = later[i..].iter().map(|&b| self.entry(a, b));
                targets
                    .extend(found.map(|t| t.unwrap_or_else(|| unreachable!("neighbours of a pivot are neighbours"))));
            }
        }
        let s = &self.plan.structure;
        let mut links = Vec::new();
        for (k, link) in s.links.iter().enumerate().filter(|(_, l)| s.size(l.dual) > 0) {
            let key = |i: Node| (self.step[i.index()], self.row[i.index()]);
            if key(link.dual).0 == NONE {
                continue;
            }
            let by_rows = key(link.dual) < key(link.primal);
            let (a, b) = if by_rows { (link.dual, link.primal) } else { (link.primal, link.dual) };
            if let Some((at, width)) = self.entry(a.0, b.0) {
                links.push(StepLink { link: k as u32, at, width, by_rows });
            }
        }
        let mut out = self.out;
        let widest = out.steps.iter().map(|s| s.width as usize).max().unwrap_or(0);
        let largest = s.sizes.iter().copied().max().unwrap_or(0) as usize;
        let n = self.plan.len();
        out.numbers = vec![Dd::ZERO; out.steps.last().map_or(0, |s| s.at + (s.n * s.width) as usize)];
        (out.x, out.rest, out.z) = (vec![Dd::ZERO; n], vec![Dd::ZERO; n], vec![Dd::ZERO; widest]);
        (out.own, out.soft) = (vec![0.0; n], vec![false; n]);
        (out.block, out.diagonal) = (vec![0.0; self.plan.largest_link], Vec::with_capacity(packed::len(largest)));
        (out.links, out.targets) = (links, targets);
        out
    }
}

//! The complementarity problem of inequality rows, through the articulated structure.
//!
//! Bodies that joints connect, and those that inequality rows connect with them, form islands; each island is a problem
//! of its own. Small islands are solved exactly: the responses to unit pushes are collected in a dense matrix (half a
//! solve with the joints' factor for every row, along the way from its bodies to the root; or whole solves, one for the
//! r-th rows of *all* islands together, since islands do not feel each other), and a solver for friction cones finds
//! the pushes to rounding. Large islands are solved to the same law by Newton's method in the space of motions, which
//! is sparse ([`super::sparse`]); where even that would be too large, without any matrix: every iteration asks the
//! joints' factor for the response to all pushes at once, in linear time.

use super::{Block, InequalityRows, Origin, RowBound, sparse};
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate::evaluation::Evaluation;
use crate::model::{Model, Sets};
use crate::solve::kkt::Kkt;
use holonom_lcp::{
    ComplementarityLaw as Law, ConeProblem, ConeReport, DenseConeSolver, Interrupt, LcpError, LinearOperator,
    MatrixFreeConeSolver,
};
use holonom_tree::SparseHalves;

/// Above so many rows the matrix of responses is not written down: where joints connect the bodies, and where nothing
/// but the rows does.
const DENSE_ROWS: usize = 240;
const DENSE_ROWS_LOOSE: usize = 36;
/// Above so many rows nothing is factored.
const SPARSE_ROWS: usize = 60_000;

/// What failed when there are no forces.
pub(crate) const NO_FORCES: &str = "the search for contact forces";

/// A row that answers its own push by less than this part of what it would without joints does not answer at all:
/// joints hold it, and what is left is rounding.
const HELD: f64 = 1e-13;

/// A problem to be solved: laws per block (`None`: left out), what rows would do without pushes, and the pushes: a
/// first guess, then the answer.
#[derive(Default)]
pub(crate) struct Task {
    /// Rows named in laws are numbers among all inequality rows.
    pub laws: Vec<Option<Law>>,
    pub b: Vec<f64>,
    pub x: Vec<f64>,
    /// Pushes that come with others; sorted by the rows they come with.
    pub drags: Vec<Drag>,
    /// How much a row gives way to its own push, beside what bodies do: `a = A x + give x + b`. Empty where none does.
    pub give: Vec<f64>,
    /// The largest residual that counts as an answer; infinite where the best that was found will do.
    pub strict: Option<f64>,
    /// Islands whose touches slip and close no faster than this, m/s, may stop within the step: of several answers
    /// that in which nothing moves is wanted.
    pub stoppable: Option<f64>,
    /// What of `b` is due to gaps that are open by no more than rounding, row by row, or nothing at all: where an
    /// island may rest they count as closed.
    pub slack: Vec<f64>,
    /// What is left undone, relative to the size of the problem; largest of all islands.
    pub residual: f64,
    /// Largest number of rows of an island.
    pub largest: usize,
}

impl Task {
    /// Nothing asked yet, of this many rows.
    pub fn empty(&mut self, rows: usize) {
        self.laws.clear();
        self.drags.clear();
        self.give.clear();
        self.b.clear();
        self.slack.clear();
        self.x.clear();
        self.x.resize(rows, 0.0);
    }
}

/// The push of `row` is `factor` times that of `normal`: friction of a contact that slips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drag {
    pub normal: u32,
    pub row: u32,
    pub factor: f64,
}

impl Task {
    fn drags_of(&self, row: u32) -> &[Drag] {
        let start = self.drags.partition_point(|d| d.normal < row);
        let n = self.drags[start..].partition_point(|d| d.normal == row);
        &self.drags[start..start + n]
    }

    fn give_of(&self, row: u32) -> f64 {
        self.give.get(row as usize).copied().unwrap_or(0.0)
    }

    /// `x += s (G_row^T, and what comes with it)`.
    fn push(&self, ineq: &InequalityRows, row: u32, s: f64, x: &mut [f64]) {
        ineq.push(row as usize, s, x);
        for drag in self.drags_of(row) {
            ineq.push(drag.row as usize, s * drag.factor, x);
        }
    }
}

/// Scratch of the solvers.
#[derive(Default)]
pub(crate) struct Solvers {
    dense: DenseConeSolver,
    sparse: sparse::SparseIsland,
    matrix_free: MatrixFreeConeSolver,
    /// Blocks in the order of their islands, and where islands begin.
    order: Vec<u32>,
    sets: Sets,
    root: Vec<u32>,
    groups: Vec<Group>,
    /// Row of the local problem for each inequality row.
    local: Vec<u32>,
    /// Inequality rows of the islands, end to end.
    rows: Vec<u32>,
    a: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    laws: Vec<Law>,
    diagonal: Vec<f64>,
    give: Vec<f64>,
    /// Rows that joints hold whatever pushes.
    held: Vec<bool>,
    /// Half solves of the rows of an island.
    halves: SparseHalves,
}

#[derive(Clone, Copy)]
struct Group {
    blocks: (u32, u32),
    rows: (u32, u32),
    /// Do joints hold its bodies?
    is_jointed: bool,
    /// Is its matrix of responses written down? Then its first number is this.
    is_dense: bool,
    a: usize,
}

impl Group {
    fn n(&self) -> usize {
        (self.rows.1 - self.rows.0) as usize
    }
}

/// The joints of a mechanism at one moment, factored: they answer pushes.
pub(crate) struct Joints<'a> {
    pub model: &'a Model,
    pub t: f64,
    pub eval: &'a mut Evaluation,
    pub kkt: &'a mut Kkt,
}

impl Joints<'_> {
    /// `[vdot; lambda]` from F and c, into `kkt.x`.
    pub fn solve_motion(&mut self) -> Result<(), StepError> {
        self.kkt.solve_motion(self.model, self.t, self.eval)
    }

    /// `H x = x` in place, on `kkt.x`.
    pub fn solve(&mut self) -> Result<(), StepError> {
        self.kkt.solve(self.model, self.t, self.eval)
    }
}

/// Solve `task` for the rows in `work.contact.rows`, with the factor of the joints at hand. `work.kkt.x` is used up.
pub(crate) fn solve(model: &Model, t: f64, task: &mut Task, work: &mut Workspace) -> Result<(), StepError> {
    let Workspace { eval, kkt, contact, .. } = work;
    contact.solvers.solve(&contact.rows, task, &mut Joints { model, t, eval, kkt })
}

impl Solvers {
    /// Who may have solutions given up.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.dense.interrupt.clone_from(interrupt);
        self.sparse.solver.interrupt.clone_from(interrupt);
        self.matrix_free.interrupt.clone_from(interrupt);
    }

    pub fn solve(&mut self, ineq: &InequalityRows, task: &mut Task, joints: &mut Joints) -> Result<(), StepError> {
        (task.residual, task.largest) = (0.0, 0);
        task.drags.sort_unstable_by_key(|d| (d.normal, d.row));
        self.find_islands(joints.model, ineq, task);
        self.respond(ineq, task, joints)?;
        for k in 0..self.groups.len() {
            let group = self.groups[k];
            task.largest = task.largest.max(group.n());
            self.find_held(ineq, &group, joints);
            let rest = self.may_rest(ineq, &group, task);
            self.load(ineq, &group, task, rest);
            (self.dense.rest, self.sparse.solver.rest) = (rest, rest);
            let residual = if group.is_dense {
                let a = &self.a[group.a..][..group.n() * group.n()];
                residual_of(self.dense.solve(&ConeProblem { a, b: &self.b, laws: &self.laws }, &mut self.x))
            } else {
                self.solve_large(ineq, &group, task, joints)?
            };
            joints.kkt.heed(joints.t)?; // what was given up is no answer
            let residual = residual.unwrap_or(f64::NAN);
            if !(residual <= task.strict.unwrap_or(f64::INFINITY)) {
                let what = if task.strict.is_some() { NO_FORCES } else { "the contact solver" };
                return Err(StepError::NotConverged { what, residual, iterations: 0, time: joints.t });
            }
            task.residual = task.residual.max(residual);
            for (&row, &x) in self.rows[group.rows.0 as usize..group.rows.1 as usize].iter().zip(&self.x) {
                task.x[row as usize] = x;
            }
        }
        for drag in &task.drags {
            task.x[drag.row as usize] = drag.factor * task.x[drag.normal as usize];
        }
        Ok(())
    }

    /// Which blocks feel each other?
    fn find_islands(&mut self, model: &Model, ineq: &InequalityRows, task: &Task) {
        let sets = &mut self.sets;
        sets.reset(model.n_islands.max(1));
        let island = |body: u32| model.island[body as usize];
        let wanted = |i: &usize| task.laws[*i].is_some();
        for i in (0..ineq.blocks.len()).filter(wanted) {
            let parts = ineq.parts_of(ineq.blocks[i].row as usize);
            parts.windows(2).for_each(|w| sets.join(island(w[0].body), island(w[1].body)));
        }
        self.root.clear();
        self.root.resize(ineq.blocks.len(), 0);
        self.order.clear();
        for i in (0..ineq.blocks.len()).filter(wanted) {
            let first = ineq.parts_of(ineq.blocks[i].row as usize).first();
            self.root[i] = first.map_or(0, |p| sets.find(island(p.body)));
            self.order.push(i as u32);
        }
        let root = &self.root;
        self.order.sort_unstable_by_key(|&i| (root[i as usize], i));
        self.groups.clear();
        self.rows.clear();
        self.local.clear();
        self.local.resize(ineq.len(), u32::MAX);
        let (mut start, mut a) = (0, 0);
        while start < self.order.len() {
            let mut end = start;
            let first_row = self.rows.len() as u32;
            while end < self.order.len() && self.root[self.order[end] as usize] == self.root[self.order[start] as usize]
            {
                for row in ineq.blocks[self.order[end] as usize].rows() {
                    self.local[row] = self.rows.len() as u32 - first_row;
                    self.rows.push(row as u32);
                }
                end += 1;
            }
            let n = self.rows.len() - first_row as usize;
            let jointed = self.rows[first_row as usize..]
                .iter()
                .flat_map(|&row| ineq.parts_of(row as usize))
                .any(|part| model.jointed_islands[island(part.body) as usize]);
            // pushes that come with others make the responses unsymmetric: only a written matrix can say so
            let most = match (task.drags.is_empty(), jointed) {
                (false, _) => usize::MAX,
                (true, true) => DENSE_ROWS,
                // forces of a moment are wanted to rounding
                (true, false) if task.strict.is_some() => DENSE_ROWS,
                (true, false) => DENSE_ROWS_LOOSE,
            };
            let is_dense = n <= most;
            let rows = (first_row, self.rows.len() as u32);
            let group = Group { blocks: (start as u32, end as u32), rows, is_jointed: jointed, is_dense, a };
            a += if group.is_dense { group.n() * group.n() } else { 0 };
            self.groups.push(group);
            start = end;
        }
        self.a.resize(a, 0.0);
    }

    /// The matrices of small islands.
    fn respond(&mut self, ineq: &InequalityRows, task: &Task, joints: &mut Joints) -> Result<(), StepError> {
        let jointed = self.groups.iter().any(|g| g.is_dense && g.is_jointed);
        if jointed && task.drags.is_empty() && self.respond_by_halves(ineq, task, joints) {
            return Ok(());
        }
        self.respond_by_solves(ineq, task, joints)
    }

    /// `A = Y^T D^-1 Y` with `Y = L^-1 G^T`: half a solve for every row, along the ways from its bodies to the roots of
    /// the elimination, and products over what two ways have in common. Islands do not meet on their ways. `false`:
    /// the factor offers no half solves, or the products would cost more than they save.
    fn respond_by_halves(&mut self, ineq: &InequalityRows, task: &Task, joints: &mut Joints) -> bool {
        let Some(whole) = joints.kkt.solver.half_solves() else { return false };
        joints.kkt.x.fill(0.0);
        let n_v = joints.model.n_v();
        for group in self.groups.iter().filter(|g| g.is_dense) {
            let n = group.n();
            let rows = &self.rows[group.rows.0 as usize..group.rows.1 as usize];
            self.halves.clear();
            for &row in rows {
                ineq.push(row as usize, 1.0, &mut joints.kkt.x[..n_v]);
                let bodies = ineq.parts_of(row as usize).iter().map(|part| part.body);
                joints.kkt.solver.half(joints.model, bodies, &mut joints.kkt.x, &mut self.halves);
            }
            if self.halves.entries() as f64 > whole {
                return false;
            }
            let a = &mut self.a[group.a..][..n * n];
            for i in 0..n {
                self.halves.write_products(i, &mut a[i * n..]);
                a[i * n + i] += task.give_of(rows[i]);
                (0..i).for_each(|j| a[j * n + i] = a[i * n + j]);
            }
        }
        true
    }

    /// The same by whole solves: one for the r-th row of every island.
    fn respond_by_solves(&mut self, ineq: &InequalityRows, task: &Task, joints: &mut Joints) -> Result<(), StepError> {
        let most = self.groups.iter().filter(|g| g.is_dense).map(Group::n).max().unwrap_or(0);
        let n_v = joints.model.n_v();
        for r in 0..most {
            let pushed = |g: &&Group| g.is_dense && r < g.n();
            joints.kkt.x.fill(0.0);
            for group in self.groups.iter().filter(pushed) {
                task.push(ineq, self.rows[group.rows.0 as usize + r], 1.0, &mut joints.kkt.x[..n_v]);
            }
            joints.solve()?;
            for group in self.groups.iter().filter(pushed) {
                let n = group.n();
                let rows = &self.rows[group.rows.0 as usize..group.rows.1 as usize];
                for (i, &row) in rows.iter().enumerate() {
                    self.a[group.a + i * n + r] = ineq.product(row as usize, &joints.kkt.x);
                }
                self.a[group.a + r * n + r] += task.give_of(rows[r]);
            }
        }
        if !task.drags.is_empty() {
            return Ok(());
        }
        // the responses are symmetric but for rounding: make them so
        for group in self.groups.iter().filter(|g| g.is_dense) {
            let n = group.n();
            let a = &mut self.a[group.a..][..n * n];
            for i in 0..n {
                for j in 0..i {
                    let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
                    (a[i * n + j], a[j * n + i]) = (mean, mean);
                }
            }
        }
        Ok(())
    }

    /// Which rows of a small island do joints hold, so that no push can change what they do? A stop of a locked joint,
    /// a shape on a body that is welded to the ground. They get no push: it would be one rounding error over another.
    /// Nor are their responses left in the matrix: rounding is no unit for a row.
    fn find_held(&mut self, ineq: &InequalityRows, group: &Group, joints: &mut Joints) {
        let n = group.n();
        self.held.clear();
        self.held.resize(n, false);
        if group.is_dense {
            for i in 0..n {
                let own = own_response(ineq, self.rows[group.rows.0 as usize + i] as usize, joints);
                let a = &mut self.a[group.a..][..n * n];
                self.held[i] = a[i * n + i].abs() <= HELD * own;
                if self.held[i] {
                    (0..n).for_each(|j| (a[i * n + j], a[j * n + i]) = (0.0, 0.0));
                    a[i * n + i] = own;
                }
            }
        }
    }

    /// The problem of one island.
    fn load(&mut self, ineq: &InequalityRows, group: &Group, task: &Task, rest: bool) {
        self.b.clear();
        self.x.clear();
        self.laws.clear();
        for &i in &self.order[group.blocks.0 as usize..group.blocks.1 as usize] {
            let first = self.local[ineq.blocks[i as usize].row as usize] as usize;
            let law = match task.laws[i as usize] {
                Some(Law::Cone { normal, rows, .. }) if self.held[self.local[normal] as usize] => {
                    Law::Ball { radius: 0.0, rows }
                }
                Some(Law::Cone { normal, mu, rows }) => Law::Cone { normal: self.local[normal] as usize, mu, rows },
                Some(Law::Push | Law::Free | Law::Within { .. }) if self.held[first] => {
                    Law::Within { least: 0.0, most: 0.0 }
                }
                Some(law) => law,
                None => continue,
            };
            // a vector of one row under a bound per row would be several laws; blocks are single laws by construction
            self.laws.push(law);
            for row in ineq.blocks[i as usize].rows() {
                let slack = if rest { task.slack.get(row).map_or(0.0, |slack| *slack) } else { 0.0 };
                let held = self.held[self.local[row] as usize];
                self.b.push(if held { 0.0 } else { task.b[row] - slack });
                self.x.push(if held { 0.0 } else { task.x[row] });
            }
        }
    }

    /// May everything that touches in an island be at rest after the step?
    fn may_rest(&self, ineq: &InequalityRows, group: &Group, task: &Task) -> bool {
        let Some(limit) = task.stoppable else { return false };
        let blocks = &self.order[group.blocks.0 as usize..group.blocks.1 as usize];
        let mut blocks = blocks.iter().map(|&i| &ineq.blocks[i as usize]);
        let turns = |block: &Block| matches!(block.bound, RowBound::Cone { spin: true, .. });
        let still = |block: &Block| block.rows().all(|row| ineq.rate[row].abs() <= limit);
        let rubs = blocks.clone().any(|block| matches!(block.bound, RowBound::Cone { .. }));
        rubs && blocks.all(|block| !matches!(block.origin, Origin::Touch(_)) || turns(block) || still(block))
    }

    /// An island too large for a matrix of responses: sparse factorisations where every body has at most six numbers of
    /// motion, otherwise iterations on responses.
    fn solve_large(
        &mut self,
        ineq: &InequalityRows,
        group: &Group,
        task: &Task,
        joints: &mut Joints,
    ) -> Result<Option<f64>, StepError> {
        let rows = &self.rows[group.rows.0 as usize..group.rows.1 as usize];
        if rows.len() <= SPARSE_ROWS && task.drags.is_empty() && self.sparse.number_bodies(joints.model, ineq, rows) {
            self.give.clear();
            self.give.extend(rows.iter().map(|row| task.give_of(*row)));
            return self.sparse.solve(ineq, rows, (&self.b, &self.give, &self.laws), &mut self.x, joints);
        }
        // what each row would answer to itself if its bodies had no joints: a scale, no more
        self.diagonal.clear();
        for &row in rows {
            self.diagonal.push(own_response(ineq, row as usize, joints) + task.give_of(row));
        }
        let mut responses = Responses { ineq, task, rows, joints, failed: None };
        let report = self.matrix_free.solve(&mut responses, &self.diagonal, &self.b, &self.laws, &mut self.x);
        if let Some(e) = responses.failed {
            return Err(e);
        }
        Ok(residual_of(report))
    }
}

/// What is left undone; `None` when there is no answer at all.
pub(crate) fn residual_of(report: Result<ConeReport, LcpError>) -> Option<f64> {
    match report {
        Ok(report) => Some(report.residual),
        Err(LcpError::NotConverged { residual }) => Some(residual),
        Err(_) => None,
    }
}

/// `G_i M^-1 G_i^T` without joints.
fn own_response(ineq: &InequalityRows, row: usize, joints: &mut Joints) -> f64 {
    use holonom_tree::{Node, packed};
    let eval = &mut *joints.eval;
    let mut sum = 0.0;
    for part in ineq.parts_of(row) {
        let n = part.n as usize;
        let g = &ineq.values[part.at as usize..][..n];
        // a block [a 1, 0; 0, C] is two blocks
        if let (&[a, c0, c1, c2, c3, c4, c5], &[x, y, z, u, v, w]) = (eval.blocks.diagonal(Node(part.body)), g) {
            let (mut c, mut turn) = ([c0, c1, c2, c3, c4, c5], [u, v, w]);
            if packed::factor(&mut c, 3, |_| true).is_ok() {
                packed::solve(&c, 3, &mut turn);
            }
            sum += (x * x + y * y + z * z) / a + (turn[0] * u + turn[1] * v + turn[2] * w);
            continue;
        }
        eval.blocks.packed_diagonal(Node(part.body), joints.model.bodies[part.body as usize].n_dof(), &mut eval.mass);
        eval.piece.clear();
        eval.piece.extend_from_slice(g);
        if packed::factor(&mut eval.mass, n, |_| true).is_ok() {
            packed::solve(&eval.mass, n, &mut eval.piece);
        }
        sum += eval.piece.iter().zip(g).map(|(a, b)| a * b).sum::<f64>();
    }
    sum
}

/// The responses of an island, one product at a time.
struct Responses<'s, 'm> {
    ineq: &'s InequalityRows,
    task: &'s Task,
    rows: &'s [u32],
    joints: &'s mut Joints<'m>,
    failed: Option<StepError>,
}

impl LinearOperator for Responses<'_, '_> {
    fn len(&self) -> usize {
        self.rows.len()
    }
    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let n_v = self.joints.model.n_v();
        self.joints.kkt.x.fill(0.0);
        for (&row, &s) in self.rows.iter().zip(x) {
            if s != 0.0 {
                self.task.push(self.ineq, row, s, &mut self.joints.kkt.x[..n_v]);
            }
        }
        if self.failed.is_none()
            && let Err(e) = self.joints.solve()
        {
            self.failed = Some(e);
        }
        for ((&row, out), s) in self.rows.iter().zip(out).zip(x) {
            *out = self.ineq.product(row as usize, &self.joints.kkt.x) + self.task.give_of(row) * s;
        }
    }
}

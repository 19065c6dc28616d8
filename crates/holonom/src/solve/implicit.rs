//! The matrix of an implicit step, factored like any other.
//!
//! A stage whose velocities and positions answer the acceleration k with h' k and h'^2 k (h' = a_ii h) is solved by
//! Newton steps with
//!
//! ```text
//! [ M + h' D + h'^2 K   -J^T ]        K = - dF/dq,  D = - dF/dv
//! [       -J             0   ]
//! ```
//!
//! K and D of a force law couple the bodies it acts on, which are not neighbours in the matrix of joints. They need not
//! be: a law that answers the displacements s = G v with a stiffness block k and damping c (see
//! [`crate::catalogue::forces::Stiffness`]) contributes G^T B G, B = h' c + h'^2 k, and
//!
//! ```text
//! [ M   .   -G^T ] [ x ]              w: one more node with B in place of its mass
//! [ .   B    1   ] [ w ]              row: w = G x,  and its multiplier is - B w
//! [ -G  1    .   ] [ . ]
//! ```
//!
//! has the same solution. So a stiff law is a node and a joint in the eyes of the solver: the plan orders them with all
//! others, springs that close loops included, and the cost stays linear where it was. Where B has no stiffness in some
//! direction it is given a little, which changes nothing that can be seen.
//!
//! Stiffness inside bodies is added to their own blocks, and so is that of links held taut against turning
//! ([`ImplicitMatrix::held`]): a light link under a heavy load swings faster than any spring. Other derivatives of
//! joint forces and of inertial forces are left out: they are not stiff, and the iteration takes account of the forces
//! themselves.

use crate::catalogue::attach::Attachment;
use crate::catalogue::forces::Stiffness;
use crate::error::StepError;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::{Mat3, Vec3};
use crate::model::{Form, Model, touched_bodies};
use crate::solve::EPS;
use holonom_tree::{Blocks, Factor, LinkId, Node, PivotRule, Plan, Structure, packed};

/// The matrix, its plan and its factors.
pub(crate) struct ImplicitMatrix {
    plan: Plan,
    blocks: Blocks,
    factor: Factor,
    /// Rows of joints in the matrix: node, link in the model's structure, link here.
    joints: Vec<(usize, LinkId)>,
    laws: Vec<Law>,
    /// Right-hand side and solution.
    x: Vec<f64>,
    rhs: Vec<f64>,
    rest: Vec<f64>,
    dense: Vec<f64>,
    gradients: Vec<Vec3>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    /// Place of the first joint row, and their number.
    first_row: usize,
    n_rows: usize,
    /// Scratch for products with the matrix of joints alone.
    bare: Factor,
    /// What a guess leaves, and then its correction: velocity coordinates, then rows.
    pub left: Vec<f64>,
    /// What holds bodies against turning, times h'^2, in the coordinates of their turning; empty where nothing does.
    pub held: Vec<Mat3>,
}

struct Law {
    force: usize,
    n: usize,
    node: Node,
    links: Vec<LinkId>,
    /// Attachment k writes to link `slots[k]`; none for the ground.
    slots: Vec<Option<usize>>,
}

impl ImplicitMatrix {
    /// Lay out and plan the matrix for a model, at the values in `eval`.
    pub fn new(model: &Model, eval: &mut Evaluation, q: &[f64], v: &[f64], t: f64) -> Result<Self, StepError> {
        if model.joints.iter().any(|j| j.n_rows > 0 && matches!(j.form, Form::Own(_))) {
            return Err(StepError::Invalid(
                "the implicit integrator does not know rows with force directions of their own (servos); use another"
                    .into(),
            ));
        }
        let mut s = Structure::new();
        for body in &model.bodies {
            s.primal(body.n_dof());
        }
        let stiff: Vec<(usize, usize)> = (0..model.n_forces())
            .map(|f| (f, model.forces[f].law.n_stiff()))
            .filter(|&(f, n)| n > 0 && model.forces[f].law.attachments().iter().any(|a| !a.body.is_ground()))
            .collect();
        let nodes: Vec<Node> = stiff.iter().map(|&(_, n)| s.primal(n)).collect();
        let first_row = model.n_v() + stiff.iter().map(|&(_, n)| n).sum::<usize>();
        let duals: Vec<Node> = model.joints.iter().map(|j| s.dual(j.n_rows as usize)).collect();
        let joints = model
            .structure()
            .links()
            .enumerate()
            .map(|(k, (dual, primal))| (k, s.link(duals[dual.index() - model.n_bodies()], primal)))
            .collect();
        let mut laws = Vec::new();
        let mut links_to_w = Vec::new();
        for (&(force, n), &node) in stiff.iter().zip(&nodes) {
            let attachments = model.forces[force].law.attachments();
            let bodies = touched_bodies(attachments);
            let dual = s.dual(n);
            let links = bodies.iter().map(|&i| s.link(dual, Node(i))).collect();
            links_to_w.push((s.link(dual, node), n));
            let slot = |a: &Attachment| a.body.index().and_then(|i| bodies.iter().position(|&b| b as usize == i));
            laws.push(Law { force, n, node, links, slots: attachments.iter().map(slot).collect() });
        }
        let mut blocks = Blocks::new(&s);
        for (link, n) in links_to_w {
            let block = blocks.link_mut(link);
            (0..n).for_each(|i| block[i * n + i] = -1.0);
        }
        let cells = laws.iter().map(|l| l.n * l.slots.len()).max().unwrap_or(0);
        let packed_len = laws.iter().map(|l| packed::len(l.n)).max().unwrap_or(0);
        let empty = Structure::new();
        let no_plan = empty.plan(&Blocks::new(&empty)).map_err(|_| refused())?;
        let mut matrix = ImplicitMatrix {
            factor: no_plan.new_factor(),
            plan: no_plan,
            blocks,
            joints,
            laws,
            x: Vec::new(),
            rhs: Vec::new(),
            rest: Vec::new(),
            dense: Vec::new(),
            gradients: vec![Vec3::ZERO; cells],
            stiffness: vec![0.0; packed_len],
            damping: vec![0.0; packed_len],
            first_row,
            n_rows: model.n_rows(),
            bare: model.plan.new_factor(),
            left: vec![0.0; model.n_v() + model.n_rows()],
            held: Vec::new(),
        };
        matrix.fill(model, q, v, t, 1e-3, eval);
        matrix.plan = s.plan(&matrix.blocks).map_err(|_| refused())?;
        matrix.factor = matrix.plan.new_factor();
        matrix.factor.set_rule(PivotRule::Regularised { eps: EPS });
        let n = matrix.plan.len();
        (matrix.x, matrix.rhs, matrix.rest) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        Ok(matrix)
    }

    /// M, J, and what is stiff, at a state whose equations are in `eval`; `h` is h'.
    fn fill(&mut self, model: &Model, q: &[f64], v: &[f64], t: f64, h: f64, eval: &Evaluation) {
        for (i, body) in model.bodies.iter().enumerate() {
            let node = Node(i as u32);
            eval.blocks.packed_diagonal(node, body.n_dof(), &mut self.dense);
            if !body.central() {
                body.stiffen(model.q_of(i, q), model.v_of(i, v), h * h, h, &mut self.dense);
            }
            if let Some(k) = self.held.get(i).filter(|k| **k != Mat3::ZERO) {
                hold(k, body.n_dof(), body.plane().is_some(), &mut self.dense);
            }
            self.blocks.diagonal_mut(node).copy_from_slice(&self.dense);
        }
        for &(from, to) in &self.joints {
            eval.blocks.dense_link(model.structure(), from, &mut self.dense);
            self.blocks.link_mut(to).copy_from_slice(&self.dense);
        }
        let bodies = &bodies_at(model, &eval.frames, q, v);
        for law in &self.laws {
            let record = &model.forces[law.force];
            let attachments = record.law.attachments();
            let (n, width) = (law.n, attachments.len());
            let cells = &mut self.gradients[..n * width];
            cells.fill(Vec3::ZERO);
            let (k, c) = (&mut self.stiffness[..packed::len(n)], &mut self.damping[..packed::len(n)]);
            k.fill(0.0);
            c.fill(0.0);
            let mut out = Stiffness { gradients: cells, stiffness: k, damping: c, n_stiff: n, n_attachments: width };
            record.law.stiffness(&eval.angles.view(bodies, attachments, &record.slots, t), t, &mut out);
            let block = self.blocks.diagonal_mut(law.node);
            for (b, (k, c)) in block.iter_mut().zip(self.stiffness.iter().zip(&self.damping)) {
                *b = h * (c + h * k);
            }
            let trace: f64 = (0..n).map(|i| block[packed::at(n, i, i)]).sum();
            (0..n).for_each(|i| block[packed::at(n, i, i)] += 1e-12 * trace + 1e-100);
            for &link in &law.links {
                self.blocks.link_mut(link).fill(0.0);
            }
            for (a, attachment) in attachments.iter().enumerate() {
                let Some(slot) = law.slots[a] else { continue };
                let dofs = model.v_range(attachment.body).len();
                let block = self.blocks.link_mut(law.links[slot]);
                for i in 0..n {
                    bodies.pull(attachment, self.gradients[i * width + a], &mut block[i * dofs..(i + 1) * dofs]);
                }
            }
        }
    }

    /// Factor the matrix at a state whose equations are in `eval`.
    pub fn factor(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        t: f64,
        h: f64,
        eval: &Evaluation,
    ) -> Result<(), StepError> {
        self.fill(model, q, v, t, h, eval);
        let ImplicitMatrix { plan, blocks, factor, .. } = self;
        plan.factor(blocks, factor).map_err(|e| {
            let n = model.n_bodies();
            let joint = e.node.index().checked_sub(n + self.laws.len()).filter(|&k| k < model.n_joints());
            let name = match (e.node.index() < n, joint) {
                (true, _) => model.body_names.get(e.node.index()).to_string(),
                (_, Some(k)) => model.joint_names.get(k).to_string(),
                _ => "a stiff force".to_string(),
            };
            StepError::Singular { name, time: t }
        })
    }

    /// What `[k; lambda]` leaves of `[force; c]`: `F - M k + J^T lambda` and `c + J k`, in `self.left`. Rows stand as
    /// in the blocks.
    pub fn leave(&mut self, model: &Model, eval: &Evaluation, x: &[f64], rhs: &[f64]) {
        model.plan.residual(&eval.blocks, &mut self.bare, x, rhs, &mut self.left);
    }

    /// Solve for `self.left`, in place.
    pub fn solve(&mut self, n_v: usize) {
        let first = self.first_row;
        self.x.fill(0.0);
        self.x[..n_v].copy_from_slice(&self.left[..n_v]);
        self.x[first..first + self.n_rows].copy_from_slice(&self.left[n_v..]);
        self.rhs.copy_from_slice(&self.x);
        self.plan.solve(&mut self.factor, &mut self.x);
        // one refinement: weights of stiff laws and masses may be far apart, and rows may depend on each other
        self.plan.residual(&self.blocks, &mut self.factor, &self.x, &self.rhs, &mut self.rest);
        self.plan.solve(&mut self.factor, &mut self.rest);
        self.x.iter_mut().zip(&self.rest).for_each(|(x, r)| *x += r);
        self.left[..n_v].copy_from_slice(&self.x[..n_v]);
        self.left[n_v..].copy_from_slice(&self.x[first..first + self.n_rows]);
    }
}

/// Add stiffness against turning to the packed block of a rigid body: its last coordinate in a plane, its last three in
/// space.
fn hold(k: &Mat3, n: usize, flat: bool, block: &mut [f64]) {
    let first = if flat { 2 } else { 0 };
    for row in first..3 {
        for column in row..3 {
            block[packed::at(n, n - 3 + row, n - 3 + column)] += k.col(column)[row];
        }
    }
}

fn refused() -> StepError {
    StepError::Invalid("the matrix of an implicit step cannot be planned for this mechanism".into())
}

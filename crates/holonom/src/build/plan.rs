//! The plan of elimination, made from values of M and J at a generic pose.

use crate::build::builder::ModelBuilder;
use crate::build::check::Checked;
use crate::build::index::Indexed;
use crate::build::rank::{random_pose, random_velocity};
use crate::build::settle::{Given, Settled};
use crate::error::ModelError;
use crate::evaluate;
use crate::evaluate::evaluation::{Angles, Evaluation};
use crate::math::SplitMix;
use crate::model::choices::Assembly;
use crate::model::{Model, ModelLayout, Regularisation};
use crate::solve::EPS;
use holonom_tree::{Blocks, Node, PivotRule, Plan, PlanError, Structure, packed};

/// Pivots below this fraction of their row's own size are dependent rows. Rounding leaves about 1e-15.
const DEPENDENT: f64 = 1e-10;

/// A model that can be solved, but not yet assembled: it starts as it was given, joints open or not, and its loops are
/// not regularised.
pub(crate) struct Planned {
    pub model: Model,
    pub angles: Angles,
    pub assembly: Assembly,
}

impl Planned {
    /// All stages up to this one.
    pub fn of(description: ModelBuilder) -> Result<Planned, ModelError> {
        let checked = Checked::new(description)?;
        let settled = Settled::new(checked)?;
        Planned::new(Indexed::new(settled))
    }

    pub fn new(indexed: Indexed) -> Result<Planned, ModelError> {
        let Indexed { layout, structure, given: Given { state: initial, angles, assembly } } = indexed;
        let sample = sample(&layout, &structure, &initial.q);
        check_masses(&layout, &sample)?;
        let (plan, entangled_islands) = plan(&layout, structure, &sample)?;
        let mut looped_islands = vec![false; layout.n_islands];
        for (k, joint) in layout.joints.iter().enumerate() {
            let node = Node((layout.bodies.len() + k) as u32);
            looped_islands[joint.island as usize] |= joint.n_rows > 0 && plan.in_core(node);
        }
        let regularisation = Regularisation::default();
        let model = Model { layout, plan, looped_islands, entangled_islands, regularisation, initial };
        Ok(Planned { model, angles, assembly })
    }
}

impl Model {
    /// M and J at a generic pose.
    pub(crate) fn sample(&self) -> Blocks {
        sample(self, self.structure(), &self.initial.q)
    }
}

/// M and J at a generic pose near `q`, at generic velocities: what the planner looks at.
fn sample(layout: &ModelLayout, structure: &Structure, q: &[f64]) -> Blocks {
    let lever = |i: usize| layout.island_lever[layout.island[i] as usize];
    let q = random_pose(&layout.bodies, &layout.q_start, lever, q, &mut SplitMix(0xface));
    let mut eval = Evaluation::new(layout, structure);
    let v = random_velocity(&layout.bodies, lever, &mut SplitMix(0x0e1));
    evaluate::evaluate_bodies(layout, &q, &v, &mut eval);
    evaluate::evaluate_constraints(layout, &q, &v, 0.0, &mut eval);
    eval.blocks
}

fn check_masses(layout: &ModelLayout, sample: &Blocks) -> Result<(), ModelError> {
    let mut mass = Vec::new();
    for (i, body) in layout.bodies.iter().enumerate() {
        sample.packed_diagonal(Node(i as u32), body.n_dof(), &mut mass);
        if packed::factor(&mut mass, body.n_dof(), |_| true).is_err() {
            let reason = "its mass block is not positive definite".into();
            return Err(ModelError::Body { body: layout.body_names.get(i).into(), kind: body.kind(), reason });
        }
    }
    Ok(())
}

/// Plan the elimination. Trees with rows that depend on each other even at a generic pose are treated like loops, for
/// which there are rules; their islands are returned beside.
fn plan(layout: &ModelLayout, mut structure: Structure, sample: &Blocks) -> Result<(Plan, Vec<bool>), ModelError> {
    let mut entangled_islands = vec![false; layout.n_islands];
    loop {
        let plan = structure.plan(sample).map_err(|e| {
            // every row touches a body, and each body once: the engine links them so
            let (PlanError::LinkedTwice(node)
            | PlanError::Unlinked(node)
            | PlanError::Cycle(node)
            | PlanError::Dependent(node)) = e;
            ModelError::Parameter(format!("joint `{}` cannot be planned: {e}", layout.node_name(node)))
        })?;
        let mut blocks = sample.clone();
        weigh_by_columns(layout, &structure, &mut blocks);
        let mut factor = plan.new_factor();
        factor.set_rule(PivotRule::Damped { eps: EPS });
        let dependent = match plan.factor(&blocks, &mut factor) {
            Ok(()) => plan.dependent_outside_cycles(&blocks, &factor, DEPENDENT),
            Err(e) if !plan.in_core(e.node) => vec![e.node],
            Err(_) => Vec::new(),
        };
        if dependent.is_empty() {
            return Ok((plan, entangled_islands));
        }
        for node in dependent {
            structure.treat_as_cyclic(node);
            entangled_islands[layout.island_of_node(node)] = true;
        }
    }
}

/// The rank of J has nothing to do with masses and units: weights in their place, which make all columns of J equally
/// long.
fn weigh_by_columns(layout: &ModelLayout, structure: &Structure, blocks: &mut Blocks) {
    let mut squares = vec![0.0; layout.v_start[layout.bodies.len()] as usize];
    let mut block = Vec::new();
    for (k, (_, primal)) in structure.links().enumerate() {
        blocks.dense_link(structure, k, &mut block);
        let columns =
            &mut squares[layout.v_start[primal.index()] as usize..layout.v_start[primal.index() + 1] as usize];
        for row in block.chunks_exact(columns.len()) {
            columns.iter_mut().zip(row).for_each(|(c, j)| *c += j * j);
        }
    }
    for (i, body) in layout.bodies.iter().enumerate() {
        let w: Vec<f64> = layout.v_of(i, &squares).iter().map(|&c| if c > 0.0 { c } else { 1.0 }).collect();
        let mass = blocks.diagonal_mut(Node(i as u32));
        if body.central() {
            mass.copy_from_slice(&[w[0].max(w[1]).max(w[2]), w[3], 0.0, 0.0, w[4], 0.0, w[5]]);
        } else {
            mass.fill(0.0);
            w.iter().enumerate().for_each(|(k, w)| mass[packed::at(body.n_dof(), k, k)] = *w);
        }
    }
}

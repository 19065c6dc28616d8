//! From a builder to a model: every check, the structure of the equations, the plan, the assembled start state.

pub(crate) mod assemble;
pub(crate) mod builder;
pub(crate) mod shapes;
pub(crate) mod start;

use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::{Attachment, Carried, Frame, View, is_direction};
use crate::catalogue::bodies::frame_of;
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::joints::{CoordinateKind, Level, RowLaw};
use crate::contact::inequality::workspace::Workspace;
use crate::error::ModelError;
use crate::evaluate::evaluation::{self, bodies_at};
use crate::evaluate::{self, RowScratch};
use crate::math::{SplitMix, Vec3};
use crate::model::InequalityJoint;
use crate::model::loops::reaches_everywhere;
use crate::model::state::State;
use crate::model::{
    ForceLaw, Form, Joint, JointStatus, Model, Names, OwnBlocks, OwnBody, RowBlocks, Sets, Start, touched_bodies,
};
use crate::solve::{EPS, SolverKind};
use holonom_tree::{Blocks, Node, PivotRule, PlanError, Structure, independent_rows, packed};

/// Pivots below this fraction of their row's own size are dependent rows. Rounding leaves about 1e-15.
const DEPENDENT: f64 = 1e-10;

pub(crate) fn build(b: ModelBuilder) -> Result<Model, ModelError> {
    let (body_names, joint_names, force_names) =
        (Names::new(b.body_names), Names::new(b.joint_names), Names::new(b.force_names));
    for (what, names) in [("bodies", &body_names), ("joints", &joint_names), ("forces", &force_names)] {
        if let Some(name) = names.duplicate() {
            return Err(ModelError::DuplicateName { what, name: name.into() });
        }
    }
    if !b.gravity.is_finite() {
        return Err(ModelError::Parameter(format!("gravity is {}, must be finite", b.gravity)));
    }
    let (mut q_start, mut v_start) = (vec![0], vec![0]);
    for (i, body) in b.bodies.iter().enumerate() {
        body.validate().map_err(|reason| ModelError::Body {
            body: body_names.get(i).to_string(),
            kind: body.kind(),
            reason,
        })?;
        q_start.push(q_start[i] + body.n_q() as u32);
        v_start.push(v_start[i] + body.n_dof() as u32);
    }
    let empty = Structure::new();
    let Ok(no_plan) = empty.plan(&Blocks::new(&empty)) else {
        return Err(ModelError::Parameter("an empty structure has a plan".into()));
    };
    let mut q = vec![0.0; q_start[b.bodies.len()] as usize];
    let mut v = vec![0.0; v_start[b.bodies.len()] as usize];
    let mut model = Model {
        bodies: b.bodies,
        joints: Vec::new(),
        forces: Vec::new(),
        body_names,
        joint_names,
        force_names,
        gravity: b.gravity,
        dissipative: Vec::new(),
        lock_rows: b.lock_rows,
        q_start,
        v_start,
        island_length: Vec::new(),
        n_rows: 0,
        n_turns: 0,
        slots: Vec::new(),
        reads_turns: false,
        island: Vec::new(),
        n_islands: 0,
        turned_rows: Vec::new(),
        row_joint: Vec::new(),
        softness: Vec::new(),
        watched: Vec::new(),
        jointed_islands: Vec::new(),
        looped_islands: Vec::new(),
        stuck_islands: Vec::new(),
        entangled_islands: Vec::new(),
        compliance: b.compliance,
        break_loads: b.break_loads,
        sided: Vec::new(),
        shapes: b.shapes,
        carries_shape: Vec::new(),
        acceleration_rows: Vec::new(),
        shape_size: 1.0,
        plan: no_plan,
        initial: State {
            t: 0.0,
            q: Vec::new(),
            v: Vec::new(),
            turns: Vec::new(),
            work: Vec::new(),
            opening_energy: 0.0,
            next_step: 0.0,
            last_error: 0.0,
            held: Vec::new(),
        },
    };
    for (i, body) in model.bodies.iter().enumerate() {
        let (qr, vr) = (
            model.q_start[i] as usize..model.q_start[i + 1] as usize,
            model.v_start[i] as usize..model.v_start[i + 1] as usize,
        );
        body.initial(&mut q[qr], &mut v[vr]);
    }
    let loses = |&i: &usize| model.bodies[i].dissipation(model.q_of(i, &q), model.v_of(i, &v)).is_some();
    model.dissipative = (0..model.n_bodies()).filter(loses).map(|i| i as u32).collect();

    let start_from = match b.start {
        Some(start) => Start { turns: start.turns, ..start },
        None => Start { q, v, t: 0.0, turns: Default::default() },
    };
    let (q, v) = (&start_from.q, &start_from.v);

    for (i, law) in b.forces.into_iter().enumerate() {
        let name = || model.force_names.get(i).to_string();
        let kind = law.kind();
        law.validate().map_err(|reason| ModelError::Force { force: name(), kind, reason })?;
        check_attachments(&model, "force", &name, law.attachments())?;
        check_readings(&model, "force", &name, law.reads())?;
        model.forces.push(ForceLaw { law, slots: Box::default() });
    }
    for (i, (constraint, status)) in b.joints.into_iter().enumerate() {
        let name = || model.joint_names.get(i).to_string();
        let kind = constraint.kind();
        constraint.validate().map_err(|reason| ModelError::Joint { joint: name(), kind, reason })?;
        check_attachments(&model, "joint", &name, constraint.attachments())?;
        check_readings(&model, "joint", &name, constraint.reads())?;
        let unsupported = |what| Err(ModelError::Unsupported { joint: name(), what });
        match (constraint.law(), constraint.level(0)) {
            (RowLaw::Unilateral, Level::Velocity | Level::Acceleration) => {
                return unsupported("unilateral rows must be conditions on positions");
            }
            (RowLaw::Bounded { .. } | RowLaw::Ball { .. } | RowLaw::Dry { .. }, Level::Position) => {
                return unsupported("rows with bounds must be conditions on velocities or accelerations");
            }
            (RowLaw::Ball { .. }, _) if constraint.n_rows() > 3 => {
                return unsupported("a bounded vector may have at most 3 rows");
            }
            _ => {}
        }
        let has_sides = constraint.law() != RowLaw::Equality;
        if has_sides && constraint.own_force_direction() {
            return unsupported("rows with bounds cannot have force directions of their own");
        }
        if constraint.n_rows() > 32 {
            return unsupported("a constraint may have at most 32 rows; split it");
        }
        if constraint.attachments().len() < 2 && constraint.lock_shape().is_some() {
            return unsupported("a lock needs attachments 0 and 1 to name its two bodies");
        }
        if constraint.attachments().iter().all(|a| a.body.is_ground()) {
            let reason = "touches no body, only the ground".to_string();
            return Err(ModelError::Joint { joint: name(), kind, reason: reason.into() });
        }
        let n_rows = if has_sides || matches!(status, JointStatus::Broken) { 0 } else { constraint.n_rows() as u8 };
        let kept = if n_rows == 32 { u32::MAX } else { (1 << n_rows) - 1 };
        let form = Form::Rows(Default::default());
        model.joints.push(Joint {
            constraint,
            status,
            form,
            row: 0,
            n_rows,
            kept,
            first_turn: 0,
            island: 0,
            first_slot: 0,
            n_slots: 0,
        });
    }
    model.bodies.shrink_to_fit();
    model.joints.shrink_to_fit();
    model.q_start.shrink_to_fit();
    model.v_start.shrink_to_fit();
    for (&joint, &(translation, rotation)) in &model.compliance {
        if !(translation > 0.0 && rotation > 0.0 && translation.is_finite() && rotation.is_finite()) {
            let name = model.joint_names.get(joint as usize);
            return Err(ModelError::Parameter(format!(
                "compliance of joint `{name}` is {translation} m/N and {rotation} rad/(N m), both must be finite and greater than 0"
            )));
        }
    }
    for (&joint, &(force, torque)) in &model.break_loads {
        if !(force > 0.0 && torque > 0.0) {
            let name = model.joint_names.get(joint as usize);
            return Err(ModelError::Parameter(format!(
                "break load of joint `{name}` is {force} N and {torque} N m, both must be greater than 0"
            )));
        }
    }
    find_islands(&mut model);
    model.entangled_islands = vec![false; model.n_islands];
    model.jointed_islands = vec![false; model.n_islands];
    for joint in model.joints.iter().filter(|j| j.n_rows > 0) {
        model.jointed_islands[joint.island as usize] = true;
    }
    model.island_length = length_scales(&model, q);
    let structure = structure(&mut model, b.lock_rows, q, v);
    find_slots(&mut model);
    find_sided(&mut model);
    shapes::check(&model)?;
    model.carries_shape = vec![false; model.n_bodies()];
    for shape in &model.shapes.all {
        shape.body.index().into_iter().for_each(|i| model.carries_shape[i] = true);
    }
    let size = |c: &crate::model::shapes::Carrying| if c.body.is_ground() { 0.0 } else { c.shape.bounding_radius() };
    let largest = model.shapes.all.iter().map(size).fold(0.0, f64::max);
    model.shape_size = if largest > 0.0 { largest } else { model.length_scale() };
    let on_accelerations = |joint: &Joint| {
        let rows = joint.row_range().zip(joint.kept_rows());
        rows.filter(|&(_, i)| joint.constraint.level(i) == Level::Acceleration)
            .map(|(row, _)| row as u32)
            .collect::<Vec<_>>()
    };
    model.acceleration_rows = model.joints.iter().flat_map(on_accelerations).collect();
    plan(&mut model, structure, q)?;
    model.looped_islands = vec![false; model.n_islands];
    for (k, joint) in model.joints.iter().enumerate() {
        let node = Node((model.bodies.len() + k) as u32);
        model.looped_islands[joint.island as usize] |= joint.n_rows > 0 && model.plan.in_core(node);
    }
    start::start(&mut model, start_from, b.assembly)?;
    Ok(model)
}

/// Length scale of each island.
fn length_scales(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut scale = vec![0.0f64; model.n_islands];
    let mut first = vec![None; model.n_islands];
    for (i, body) in model.bodies.iter().enumerate() {
        let (k, centre) = (model.island[i] as usize, body.centre(model.q_of(i, q)));
        let from: Vec3 = *first[k].get_or_insert(centre);
        scale[k] = scale[k].max((centre - from).length());
    }
    for joint in &model.joints {
        for a in joint.constraint.attachments().iter().filter(|a| !a.body.is_ground()) {
            let k = joint.island as usize;
            scale[k] = scale[k].max(a.carried_point().length());
        }
    }
    scale.iter().map(|&s| if s > 0.0 { s } else { 1.0 }).collect()
}

fn check_attachments(
    model: &Model,
    what: &'static str,
    name: &dyn Fn() -> String,
    attachments: &[Attachment],
) -> Result<(), ModelError> {
    for a in attachments {
        let Some(i) = a.body.index() else { continue };
        let Some(body) = model.bodies.get(i) else {
            return Err(ModelError::UnknownBody { what, name: name(), index: i, bodies: model.bodies.len() });
        };
        let refuse = |reason| ModelError::NotCarried {
            what,
            name: name(),
            body: model.body_names.get(i).to_string(),
            kind: body.kind(),
            carried: a.what.describe(),
            reason,
        };
        body.can_carry(&a.what).map_err(refuse)?;
        match a.what {
            Carried::Point(p) if !p.is_finite() => return Err(refuse("the point is not finite")),
            Carried::Direction(d) if !is_direction(d) => {
                return Err(refuse("the direction has zero length (less than 1e-12) or is not finite"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Every coordinate used must be there.
fn check_readings(
    model: &Model,
    what: &'static str,
    name: &dyn Fn() -> String,
    reads: &[Coordinate],
) -> Result<(), ModelError> {
    for c in reads.iter().filter(|c| !c.name.is_empty()) {
        let missing = || format!("there is no joint `{}` whose coordinate it could use", c.name);
        let found = model.joint_names.find(&c.name).map(|_| ()).ok_or_else(missing);
        found.map_err(|e| ModelError::Parameter(format!("{what} `{}`: {e}", name())))?;
    }
    Ok(())
}

/// Which turn counters are followed by whom: a joint's own first, then those of the coordinates it reads.
fn find_slots(model: &mut Model) {
    let slot = |model: &Model, c: &Coordinate| {
        let joint = model.joint_names.find(&c.name).map(|k| &model.joints[k as usize]);
        let kinds = c.joint.coordinates();
        let before = kinds.iter().take(c.index).filter(|&&k| k == CoordinateKind::Angle).count();
        match joint {
            Some(joint) if c.kind() == CoordinateKind::Angle && joint.n_turns() > before => {
                joint.first_turn + before as u32
            }
            _ => u32::MAX,
        }
    };
    for k in 0..model.joints.len() {
        let joint = &model.joints[k];
        let own = if joint.constraint.follows_turns() { joint.n_turns() as u32 } else { 0 };
        let own = (0..own).map(|i| joint.first_turn + i);
        let slots: Vec<u32> = own.chain(joint.constraint.reads().iter().map(|c| slot(model, c))).collect();
        model.reads_turns |= !slots.is_empty();
        (model.joints[k].first_slot, model.joints[k].n_slots) = (model.slots.len() as u32, slots.len() as u16);
        model.slots.extend(slots);
    }
    for k in 0..model.forces.len() {
        let slots: Box<[u32]> = model.forces[k].law.reads().iter().map(|c| slot(model, c)).collect();
        model.reads_turns |= !slots.is_empty();
        model.forces[k].slots = slots;
    }
}

/// Joints whose rows have sides. They are no part of the matrix.
fn find_sided(model: &mut Model) {
    let mut first = 0;
    for (k, joint) in model.joints.iter().enumerate() {
        let constraint = joint.constraint.as_ref();
        if constraint.law() == RowLaw::Equality || matches!(joint.status, JointStatus::Broken) {
            continue;
        }
        let n_rows = constraint.n_rows() as u8;
        let loaded = constraint.reads().first().and_then(|c| model.joint_names.find(&c.name));
        let form = own_blocks(constraint.attachments(), &model.v_start, 0);
        let level = constraint.level(0);
        model.sided.push(InequalityJoint { joint: k as u32, n_rows, level, first, form, loaded });
        first += n_rows as u32;
    }
}

/// Where rows outside the matrix keep their numbers.
fn own_blocks(attachments: &[Attachment], v_start: &[u32], at: u32) -> OwnBlocks {
    let bodies = touched_bodies(attachments);
    let slot = |a: &Attachment| {
        let at = a.body.index().and_then(|i| bodies.iter().position(|&b| b == i as u32));
        at.unwrap_or(0) as u8
    };
    let slots = attachments.iter().map(slot).collect();
    let mut column = 0;
    let bodies = bodies.iter().map(|&i| {
        let (v, n) = (v_start[i as usize], v_start[i as usize + 1] - v_start[i as usize]);
        column += n;
        OwnBody { body: i, v, n, column: column - n }
    });
    OwnBlocks { at, bodies: bodies.collect(), slots }
}

/// Islands: bodies connected by joints, the ground left out.
fn find_islands(model: &mut Model) {
    let n = model.bodies.len();
    let mut sets = Sets::new(n);
    for joint in model.joints.iter().filter(|j| j.n_rows > 0) {
        touched_bodies(joint.constraint.attachments()).windows(2).for_each(|w| sets.join(w[0], w[1]));
    }
    // a root has the lowest number of its set: islands are numbered in the order of their first bodies
    for i in 0..n as u32 {
        let root = sets.find(i);
        let island = if root == i { model.n_islands as u32 } else { model.island[root as usize] };
        model.n_islands += (root == i) as usize;
        model.island.push(island);
    }
    for joint in &mut model.joints {
        let first = joint.constraint.attachments().iter().find_map(|a| a.body.index());
        joint.island = first.map_or(0, |i| model.island[i]);
    }
}

/// Longest lever of the joints of each island, or its length scale where there is none: what plans are made with, so that they do not depend on
/// units.
fn levers(model: &Model) -> Vec<f64> {
    let mut levers = vec![0.0f64; model.n_islands];
    let attachments = model.joints.iter().flat_map(|j| j.constraint.attachments());
    for (a, i) in attachments.filter_map(|a| Some((a, a.body.index()?))) {
        let lever = &mut levers[model.island[i] as usize];
        *lever = lever.max(a.carried_point().length());
    }
    levers.iter().zip(&model.island_length).map(|(&l, &whole)| if l > 0.0 { l } else { whole }).collect()
}

/// A generic pose: the start pose moved at random.
fn random_pose(model: &Model, q: &[f64], g: &mut SplitMix) -> Vec<f64> {
    let mut q = q.to_vec();
    let mut v = Vec::new();
    let levers = levers(model);
    for (i, body) in model.bodies.iter().enumerate() {
        let lever = levers[model.island[i] as usize];
        v.clear();
        v.extend((0..body.n_dof()).map(|k| g.symmetric(0.7) * if k < body.n_lengths() { lever } else { 1.0 }));
        body.advance(model.q_of_mut(i, &mut q), &v, 1.0);
    }
    q
}

/// Nodes and links; rows that vanish between the bodies at hand are dropped here.
fn structure(model: &mut Model, lock_rows: bool, q: &[f64], v: &[f64]) -> Structure {
    let n = model.bodies.len();
    let mut s = Structure::new();
    let levers = levers(model);
    for (i, body) in model.bodies.iter().enumerate() {
        let node = s.primal(body.n_dof());
        s.unit(node, body.n_lengths(), levers[model.island[i] as usize]);
        if !reaches_everywhere(body.as_ref(), model.q_of(i, q)) {
            s.doubt(node);
        }
        if body.central() && body.n_dof() == 6 {
            s.central(node);
        }
    }
    let frames: Vec<Frame> =
        (0..n).map(|i| frame_of(model.bodies[i].as_ref(), model.q_of(i, q), model.v_of(i, v))).collect();
    let is_rigid = |a: &Attachment| a.body.index().is_none_or(|i| frames[i].rigid);
    let is_placed = |a: &Attachment| a.body.index().is_none_or(|i| frames[i].carries());
    let forms: Vec<Option<holonom_tree::Mask>> = model
        .joints
        .iter()
        .map(|joint| {
            let shape = joint.constraint.lock_shape().filter(|_| lock_rows && joint.n_rows > 0)?;
            joint.constraint.attachments()[..2].iter().all(is_rigid).then_some(shape.mask)
        })
        .collect();
    drop_dependent_rows(model, q, &forms);
    let is_own = |joint: &Joint| joint.constraint.own_force_direction();
    let n_rows = |own: bool| model.joints.iter().filter(|j| is_own(j) == own).map(|j| j.n_rows as u32).sum::<u32>();
    // rows that are not in the matrix come after all others
    let (mut row, mut own_row, mut own_at) = (0, n_rows(false), 0);
    let mut row_joint = vec![0; (n_rows(false) + n_rows(true)) as usize];
    let mut first_turn = 0;
    let v_start = &model.v_start;
    for (k, (joint, form)) in model.joints.iter_mut().zip(forms).enumerate() {
        let attachments = joint.constraint.attachments();
        let next = if joint.constraint.own_force_direction() { &mut own_row } else { &mut row };
        joint.row = *next;
        *next += joint.n_rows as u32;
        joint.row_range().for_each(|r| row_joint[r] = k as u32);
        joint.first_turn = first_turn;
        first_turn += joint.n_turns() as u32;
        joint.form = match form {
            Some(mask) => {
                let aligned = joint.constraint.lock_shape().is_some_and(|s| s.aligned);
                let (a, b) = (attachments[0].body.index(), attachments[1].body.index());
                let node = |i: usize| Node(i as u32);
                let dual = match (a, b) {
                    (a, Some(b)) => s.sheared(mask, aligned, a.map(node), node(b)),
                    (Some(a), None) => s.sheared(mask, aligned, None, node(a)),
                    (None, None) => s.dual(0), // refused before
                };
                let turned = b.is_none();
                if turned {
                    model.turned_rows.extend(joint.row..joint.row + joint.n_rows as u32);
                }
                Form::Lock { shear: s.shear_index(dual).unwrap_or(0) as u32, mask, aligned, turned }
            }
            None => {
                let own = own_blocks(attachments, v_start, own_at);
                if joint.constraint.own_force_direction() {
                    s.dual(0);
                    own_at += own.width() as u32 * joint.n_rows as u32;
                    Form::Own(Box::new(own))
                } else {
                    let dual = s.dual(joint.n_rows as usize);
                    // rows with sides are elsewhere
                    let held = own.bodies.iter().filter(|_| joint.n_rows > 0);
                    let links = held.map(|b| s.link(dual, Node(b.body))).collect();
                    let lock = match joint.constraint.lock_shape() {
                        Some(shape) if lock_rows && attachments.iter().all(is_placed) && own.bodies.len() <= 2 => {
                            let directions: Vec<usize> = shape.mask.rows().collect();
                            joint.kept_rows().map(|i| directions[i] as u8).collect()
                        }
                        _ => Vec::new(),
                    };
                    Form::Rows(Box::new(RowBlocks { links, slots: own.slots, lock }))
                }
            }
        };
    }
    model.n_rows = row_joint.len();
    model.row_joint = if own_at > 0 { row_joint } else { Vec::new() };
    model.n_turns = first_turn as usize;
    s
}

/// A spatial joint between planar bodies has rows that say nothing new in any pose. Keep the first independent set, judged at
/// three random poses. (That the dropped rows hold is checked once the model is assembled.)
fn drop_dependent_rows(model: &mut Model, q: &[f64], forms: &[Option<holonom_tree::Mask>]) {
    if forms.iter().all(|f| f.is_some()) {
        return;
    }
    let mut g = SplitMix(0x5eed);
    let (rows, cells) = model.largest_constraint();
    let mut scratch =
        (vec![Default::default(); rows], vec![Default::default(); cells], vec![Default::default(); cells]);
    let mut needed = vec![0u32; model.joints.len()];
    for _ in 0..3 {
        let q = random_pose(model, q, &mut g);
        let v = vec![0.0; model.n_v()];
        let mut frames: Vec<_> = model
            .bodies
            .iter()
            .enumerate()
            .map(|(i, b)| frame_of(b.as_ref(), model.q_of(i, &q), model.v_of(i, &v)))
            .collect();
        frames.push(crate::catalogue::attach::Frame::GROUND);
        let bodies = &bodies_at(model, &frames, &q, &v);
        for (k, joint) in model.joints.iter().enumerate().filter(|(k, _)| forms[*k].is_none()) {
            let attachments = joint.constraint.attachments();
            let mut out = RowScratch { rows: &mut scratch.0, gradients: &mut scratch.1, forces: &mut scratch.2 };
            let n = out.evaluate(joint.constraint.as_ref(), &View::new(bodies, attachments), 0.0);
            let touched = touched_bodies(attachments);
            let jacobian: Vec<Vec<f64>> = (0..joint.constraint.n_rows())
                .map(|i| {
                    let mut row = Vec::new();
                    for &body in &touched {
                        let start = row.len();
                        row.resize(start + model.bodies[body as usize].n_dof(), 0.0);
                        for (k, a) in attachments.iter().enumerate().filter(|(_, a)| a.body.0 == body) {
                            bodies.pull(a, out.gradients[i * n + k], &mut row[start..]);
                        }
                    }
                    // a row that vanishes has only rounding left: measure it against its gradients
                    let size: f64 = (0..n).map(|k| out.gradients[i * n + k].length_squared()).sum();
                    let left: f64 = row.iter().map(|x| x * x).sum();
                    if left <= 1e-18 * size {
                        row.fill(0.0);
                    }
                    row
                })
                .collect();
            // a formula may have no value in a pose that is never taken: then nothing is known, and nothing dropped
            let known = jacobian.iter().flatten().all(|x| x.is_finite());
            for (i, keep) in independent_rows(&jacobian).into_iter().enumerate() {
                needed[k] |= ((keep || !known) as u32) << i;
            }
        }
    }
    for (k, joint) in model.joints.iter_mut().enumerate().filter(|(k, _)| forms[*k].is_none()) {
        joint.kept &= needed[k];
        joint.n_rows = joint.kept.count_ones() as u8;
    }
}

/// The rank of J has nothing to do with masses and units: weights in their place, which make all columns of J equally long.
fn weigh_by_columns(model: &Model, blocks: &mut Blocks) {
    let mut squares = vec![0.0; model.n_v()];
    let mut block = Vec::new();
    for (k, (_, primal)) in model.structure().links().enumerate() {
        blocks.dense_link(model.structure(), k, &mut block);
        let columns = &mut squares[model.v_start[primal.index()] as usize..model.v_start[primal.index() + 1] as usize];
        for row in block.chunks_exact(columns.len()) {
            columns.iter_mut().zip(row).for_each(|(c, j)| *c += j * j);
        }
    }
    for (i, body) in model.bodies.iter().enumerate() {
        let w: Vec<f64> = model.v_of(i, &squares).iter().map(|&c| if c > 0.0 { c } else { 1.0 }).collect();
        let mass = blocks.diagonal_mut(Node(i as u32));
        if body.central() {
            mass.copy_from_slice(&[w[0].max(w[1]).max(w[2]), w[3], 0.0, 0.0, w[4], 0.0, w[5]]);
        } else {
            mass.fill(0.0);
            w.iter().enumerate().for_each(|(k, w)| mass[packed::at(body.n_dof(), k, k)] = *w);
        }
    }
}

/// M and J at a generic pose: what the planner looks at.
fn sample_at(model: &Model, structure: &Structure, q: &[f64]) -> Blocks {
    let q = random_pose(model, q, &mut SplitMix(0xface));
    let v = vec![0.0; model.n_v()];
    let mut work = Workspace::new(model, SolverKind::Tree);
    work.eval.blocks = evaluation::new_blocks(structure);
    evaluate::evaluate_bodies(model, &q, &v, &mut work.eval);
    evaluate::evaluate_constraints(model, &q, &v, 0.0, &mut work.eval);
    work.eval.blocks
}

impl Model {
    /// M and J at a generic pose.
    pub(crate) fn sample(&self) -> Blocks {
        sample_at(self, self.structure(), &self.initial.q)
    }
}

/// Plan the elimination at a generic pose. Trees with rows that depend on each other even there are treated like loops, for which there are
/// rules.
fn plan(model: &mut Model, mut structure: Structure, q: &[f64]) -> Result<(), ModelError> {
    let sample = sample_at(model, &structure, q);
    let n = model.bodies.len();
    let mut mass = Vec::new();
    for i in 0..n {
        sample.packed_diagonal(Node(i as u32), model.bodies[i].n_dof(), &mut mass);
        if packed::factor(&mut mass, model.bodies[i].n_dof(), |_| true).is_err() {
            return Err(ModelError::Body {
                body: model.node_name(Node(i as u32)),
                kind: model.bodies[i].kind(),
                reason: "its mass block is not positive definite".into(),
            });
        }
    }
    loop {
        model.plan = structure.plan(&sample).map_err(|e| {
            // every row touches a body, and each body once: the engine links them so
            let (PlanError::LinkedTwice(node) | PlanError::Unlinked(node)) = e;
            ModelError::Parameter(format!("joint `{}` cannot be planned: {e}", model.node_name(node)))
        })?;
        let mut blocks = sample.clone();
        weigh_by_columns(model, &mut blocks);
        let mut factor = model.plan.new_factor();
        factor.set_rule(PivotRule::Damped { eps: EPS });
        let dependent = match model.plan.factor(&blocks, &mut factor) {
            Ok(()) => model.plan.dependent_outside_cycles(&blocks, &factor, DEPENDENT),
            Err(e) if !model.plan.in_core(e.node) => vec![e.node],
            Err(_) => return Ok(()),
        };
        if dependent.is_empty() {
            return Ok(());
        }
        for node in dependent {
            structure.entangle(node);
            let island = model.island_of_node(node);
            model.entangled_islands[island] = true;
        }
    }
}

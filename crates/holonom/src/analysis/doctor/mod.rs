//! The doctor: how a mechanism can move, which joints hold the same thing twice, and which of the reactions can be
//! trusted.
//!
//! Accelerations are always unique. Reactions are not where loops have more rows than directions to hold: the loads
//! then depend on tiny errors of manufacture and on how stiff the parts are, which rigid bodies do not know. Every
//! component of a reaction is either *unique*, and then right, or *not unique*, and then the value given is that of the
//! smallest loads (see `cluster.rs` for what smallest means).

mod cluster;
mod split;

use crate::catalogue::attach::View;
use crate::catalogue::joints::is_point;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::angles;
use crate::evaluate::evaluation::bodies_at;
use crate::evaluate::reaction::Reaction;
use crate::evaluate::{self, RowScratch};
use crate::math::{SplitMix, Vec3};
use crate::model::loops::Loops;
use crate::model::state::State;
use crate::model::{JointId, Model};
use crate::step::contradiction;
use crate::step::drift;
use crate::step::mechanism::Mechanism;
use crate::step::promises;
use cluster::{Cluster, LARGEST_DENSE};
use std::fmt;

/// One row of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct RowName {
    /// The joint.
    pub joint: JointId,
    /// Its name.
    pub joint_name: String,
    /// Which of its multipliers, counted from 0.
    pub row: usize,
    /// What it holds, for instance "translation along x"; axes are those of the joint on its first body.
    pub holds: String,
}

/// Rows that hold the same thing more than once.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantSet {
    /// All rows that take part: no one of them can be said to be the wrong one.
    pub rows: Vec<RowName>,
    /// Rows that could be left out without freeing anything: one choice of several.
    pub dropped: Vec<RowName>,
}

/// Rank of the rows of loops that share bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCluster {
    /// Its joints.
    pub joints: Vec<JointId>,
    /// Rows of these joints.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
    /// Found by writing the rows out (up to 1000 of them), not by probing the factors.
    pub exact: bool,
}

/// A reaction with what is known of its components, in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct JointReaction {
    /// The joint.
    pub joint: JointId,
    /// Action of body a on body b. Components that are not unique have the values of the smallest loads.
    pub reaction: Reaction,
    /// Can this component of the force have no other value?
    pub force_unique: [bool; 3],
    /// Can this component of the torque have no other value?
    pub torque_unique: [bool; 3],
}

impl JointReaction {
    /// Are all components unique?
    pub fn is_unique(&self) -> bool {
        self.force_unique.iter().chain(&self.torque_unique).all(|&u| u)
    }
}

/// What the doctor found, at one state of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Bodies, the ground not counted.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Rows of all joints.
    pub rows: usize,
    /// How many of them are independent at this pose.
    pub rank: usize,
    /// In how many directions the mechanism can start to move from this pose.
    pub mobility: usize,
    /// The same at poses nearby. A smaller number says that this pose is singular.
    pub mobility_generic: usize,
    /// Motions that the rows allow to begin but not to go on: the pose is singular although no pose nearby could be
    /// reached to compare.
    pub stuck: bool,
    /// Independent loops.
    pub loops: usize,
    /// Loops that share bodies.
    pub clusters: Vec<LoopCluster>,
    /// Rows that hold something twice.
    pub redundant: Vec<RedundantSet>,
    /// Multipliers that are not unique.
    pub not_unique: Vec<RowName>,
    /// Drives and joints that contradict each other, drives first: no motion suits all of them, and what moves follows
    /// none exactly.
    pub contradictions: Vec<Vec<JointId>>,
    /// Every joint's reaction.
    pub reactions: Vec<JointReaction>,
    /// Largest gap of any joint, m or rad.
    pub gap: f64,
}

impl Diagnosis {
    /// The reaction of a joint.
    pub fn reaction(&self, joint: JointId) -> Option<&JointReaction> {
        self.reactions.iter().find(|r| r.joint == joint)
    }
    /// Rows that could be left out.
    pub fn surplus(&self) -> usize {
        self.rows - self.rank
    }
    /// Is the pose singular?
    pub fn is_singular(&self) -> bool {
        self.mobility > self.mobility_generic || self.stuck
    }
}

/// A multiplier is unique when null vectors change it by less than this part of themselves.
const UNIQUE: f64 = 1e-6;

/// Ask the doctor about the mechanism in its present state. Takes time cubic in the rows of the largest cluster of
/// loops up to 1000 of them, linear beyond.
pub(crate) fn diagnose(mechanism: &mut Mechanism) -> Result<Diagnosis, StepError> {
    let gap = mechanism.violation().0;
    let mut lambda = mechanism.multipliers()?.to_vec();
    let keeps_loads = mechanism.solver.keeps_its_loads();
    // the doctor has instruments of his own: whatever solver is in use, and left as it is
    let (model, state) = (&*mechanism.model, &mechanism.state);
    let work = &mut Workspace::new(model, model.default_solver());
    angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
    dynamics::accelerations(model, &state.q, &state.v, state.t, None, work)?;
    let contradictions = contradictions(model, state, work);
    let loops = Loops::of(model);
    let compliance = compliances(model, state, &loops, work);
    // as `split_multipliers` does it, to the same bits
    let done = keeps_loads || split::by_factors(model, &suspects(model, &loops), &compliance, work, &mut lambda);
    let clusters = analyse(model, state, &loops, usize::MAX, work);
    let own_rows = model.n_rows() + model.n_v() - model.plan.len();
    let rank = model.n_rows() - own_rows - clusters.iter().map(|c| c.dropped.len()).sum::<usize>()
        + own_rows.saturating_sub(work.kkt.solver.own_deficiency());
    let mobility = model.n_v().saturating_sub(rank);
    let mobility_generic = nearby(model, state, &loops, rank, mobility, work);
    let stuck = stuck_islands(model, &state.q, state.t, work).contains(&true);
    if !done {
        clusters.iter().for_each(|c| c.split(&mut lambda));
    }
    let reactions = reactions(model, state, &clusters, &lambda, work);
    let name = |c: &Cluster, i: usize| row_name(model, c.rows[i]);
    let not_unique = clusters
        .iter()
        .flat_map(|c| (0..c.rows.len()).filter(|&i| c.freedom(i) > UNIQUE).map(move |i| name(c, i)))
        .collect();
    Ok(Diagnosis {
        bodies: model.n_bodies(),
        joints: model.n_joints(),
        rows: model.n_rows(),
        rank,
        mobility,
        mobility_generic,
        stuck,
        loops: loops.count,
        redundant: clusters.iter().flat_map(|c| redundant_sets(model, c)).collect(),
        not_unique,
        contradictions,
        reactions,
        gap,
        clusters: clusters
            .iter()
            .map(|c| LoopCluster {
                joints: c.joints.iter().map(|&k| JointId(k as u32)).collect(),
                rows: c.rows.len(),
                rank: c.rank(),
                exact: c.dense,
            })
            .collect(),
    })
}

/// What contradicts each other at a state whose equations are solved in `work`, in rates and in accelerations.
fn contradictions(model: &Model, state: &State, work: &mut Workspace) -> Vec<Vec<JointId>> {
    let (q, v, t) = (&state.q, &state.v, state.t);
    let left = work.kkt.residual(model, &work.eval).contradiction;
    let seen = work.kkt.solver.contradiction() || left > promises::CONTRADICTION;
    let accelerations = if seen { contradiction::of_accelerations(model, q, v, t, &work.eval.angles) } else { None };
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    let rates = contradiction::of_rates(model, q, v, t, work);
    let ids = |found: contradiction::Contradiction| found.joints.into_iter().map(|k| JointId(k as u32)).collect();
    let mut out: Vec<Vec<JointId>> = [rates, accelerations].into_iter().flatten().map(ids).collect();
    out.dedup();
    out
}

/// Analyse all clusters of up to `most_rows` rows at a state. The equations in `work` are evaluated there, applied
/// forces left out; the factor is changed only by clusters too large to be written out.
fn analyse(model: &Model, state: &State, loops: &Loops, most_rows: usize, work: &mut Workspace) -> Vec<Cluster> {
    evaluate::evaluate_bodies(model, &state.q, &state.v, &mut work.eval);
    evaluate::evaluate_constraints(model, &state.q, &state.v, state.t, &mut work.eval);
    let compliance = compliances(model, state, loops, work);
    let mut groups = suspects(model, loops);
    let rows = |g: &[usize]| g.iter().map(|&k| model.joints[k].n_rows as usize).sum::<usize>();
    groups.retain(|g| rows(g) <= most_rows);
    groups.into_iter().map(|g| Cluster::analyse(model, g, |r| compliance[r], work)).collect()
}

/// Groups of joints whose rows may depend on each other, and on none of another group: the clusters of loops. In a tree
/// whose rows depend on each other all of its joints are suspect.
fn suspects(model: &Model, loops: &Loops) -> Vec<Vec<usize>> {
    let mut groups = loops.clusters.clone();
    let mut whole: Vec<Vec<usize>> = vec![Vec::new(); model.n_islands];
    for (k, joint) in
        model.joints.iter().enumerate().filter(|(_, j)| model.entangled_islands[j.island as usize] && j.n_rows > 0)
    {
        whole[joint.island as usize].push(k);
    }
    groups.retain(|g| !model.entangled_islands[model.joints[g[0]].island as usize]);
    groups.extend(whole.into_iter().filter(|g| !g.is_empty()));
    for g in &mut groups {
        g.retain(|&k| !matches!(model.joints[k].form, crate::model::Form::Own(_)));
    }
    groups
}

/// Compliance of every row: that of its joint where it has been given, else 1 for forces and 1 / L^2 for torques, L
/// being the root mean square distance of the cluster's joint points from their centroid.
fn compliances(model: &Model, state: &State, loops: &Loops, work: &mut Workspace) -> Vec<f64> {
    let frames = work.eval.frames.clone();
    let bodies = &bodies_at(model, &frames, &state.q, &state.v);
    let mut out = vec![1.0; model.n_rows()];
    let fallback: Vec<usize> = (0..model.n_joints()).collect();
    for group in loops.clusters.iter().chain([&fallback]).rev() {
        let points: Vec<Vec3> = group
            .iter()
            .map(|&k| {
                let constraint = &model.joints[k].constraint;
                View::new(bodies, constraint.attachments()).at(constraint.reference())
            })
            .collect();
        let centroid = points.iter().copied().sum::<Vec3>() / points.len().max(1) as f64;
        let spread = points.iter().map(|p| (*p - centroid).length_squared()).sum::<f64>() / points.len().max(1) as f64;
        // joints in one place are apart by rounding only
        let apart = spread.sqrt() > 1e-9 * model.length_scale();
        let length = if apart { spread.sqrt() } else { model.length_scale() };
        let given: Vec<(f64, f64)> = group.iter().filter_map(|&k| model.compliance.get(&(k as u32)).copied()).collect();
        let mean = |f: fn(&(f64, f64)) -> f64| given.iter().map(f).sum::<f64>() / given.len() as f64;
        let usual = if given.is_empty() { (1.0, 1.0 / (length * length)) } else { (mean(|c| c.0), mean(|c| c.1)) };
        for &k in group {
            let (translation, rotation) = model.compliance.get(&(k as u32)).copied().unwrap_or(usual);
            let joint = &model.joints[k];
            let view = View::new(bodies, joint.constraint.attachments());
            let mut rows = RowScratch {
                rows: &mut work.eval.rows,
                gradients: &mut work.eval.gradients,
                forces: &mut work.eval.forces,
            };
            let n = rows.evaluate(joint.constraint.as_ref(), &view, state.t);
            for (row, i) in joint.row_range().zip(joint.kept_rows()) {
                // a row that pushes on points is a force
                let force = (0..n).any(|k| is_point(&view.attachments[k]) && rows.gradients[i * n + k] != Vec3::ZERO);
                out[row] = if force { translation } else { rotation };
            }
        }
    }
    out
}

/// A pose nearby: along a random motion that the rows allow to begin (`far`: in radians and lengths of the mechanism,
/// less for larger islands, in which small turns add up), then back onto the constraints. `None` when that cannot be
/// done.
fn pose_nearby(model: &Model, q: &[f64], t: f64, far: f64, g: &mut SplitMix, work: &mut Workspace) -> Option<Vec<f64>> {
    let mut bodies = vec![0; model.n_islands];
    model.island.iter().for_each(|&i| bodies[i as usize] += 1);
    let mut v: Vec<f64> = Vec::with_capacity(model.n_v());
    for (i, body) in model.bodies.iter().enumerate() {
        let island = model.island[i] as usize;
        let (length, far) = (model.island_length[island], far / (bodies[island] as f64).sqrt());
        v.extend((0..body.n_dof()).map(|k| g.symmetric(far) * if k < body.n_lengths() { length } else { 1.0 }));
    }
    let mut q = q.to_vec();
    evaluate::evaluate_bodies(model, &q, &v, &mut work.eval);
    evaluate::evaluate_constraints(model, &q, &v, t, &mut work.eval);
    work.kkt.factor(model, t, &work.eval).ok()?;
    drift::close_rates(model, &q, &mut v, t, work).ok()?;
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, &mut q), model.v_of(i, &v), 1.0);
    }
    drift::project(model, &mut q, &mut vec![0.0; v.len()], t, 0.0, work).ok()?;
    Some(q)
}

/// Islands in which motions that the rows allow to begin cannot go on. A velocity v that satisfies the rows can be
/// followed only if accelerations exist that keep satisfying them, `J a + c(v) = 0`. Where a combination n of the rows
/// pushes nothing, `n^T J = 0`, that asks for
///
/// ```text
/// n^T c(v) = 0,     a quadratic form in v
/// ```
///
/// In a redundant mechanism it vanishes for every legal v. Where branches of motion cross it has both signs: some
/// motions can go on. Where it has one sign only, like the tension of a straight chain times the squares of its turning
/// rates, none can. A row whose pivot vanishes and that gives way has a multiplier in proportion to `n^T c`; a handful
/// of random velocities shows its signs.
pub(crate) fn stuck_islands(model: &Model, q: &[f64], t: f64, work: &mut Workspace) -> Vec<bool> {
    let (n, rest) = (model.n_v(), vec![0.0; model.n_v()]);
    let mut stuck = vec![false; model.n_islands];
    evaluate::evaluate_bodies(model, q, &rest, &mut work.eval);
    evaluate::evaluate_constraints(model, q, &rest, t, &mut work.eval);
    if work.kkt.factor(model, t, &work.eval).is_err() {
        return stuck;
    }
    work.kkt.solver.ignore_contradictions();
    // what drives ask for at rest is not of this kind
    let at_rest = work.eval.c.clone();
    let weak: Vec<usize> = work.kkt.solver.weak_rows().iter().map(|&x| x as usize).collect();
    let own: Vec<f64> = weak.iter().map(|&x| work.kkt.solver.own_sizes().map_or(1.0, |own| own[x])).collect();
    let mut g = SplitMix(0x57c);
    let mut signs = vec![(0, 0); weak.len()];
    for _ in 0..SAMPLES {
        let mut v: Vec<f64> = Vec::with_capacity(n);
        for (i, body) in model.bodies.iter().enumerate() {
            let length = model.island_length[model.island[i] as usize];
            v.extend((0..body.n_dof()).map(|k| g.symmetric(1.0) * if k < body.n_lengths() { length } else { 1.0 }));
        }
        if drift::close_rates(model, q, &mut v, t, work).is_err() {
            return stuck;
        }
        // c at these velocities; J stays what it is
        evaluate::place_bodies(model, q, &v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, &v, t, &mut work.eval);
        let mut sizes = vec![0.0f64; model.n_islands];
        for row in 0..model.n_rows() {
            let size = &mut sizes[model.island_of_row(row)];
            *size = size.max((work.eval.c[row] - at_rest[row]).abs());
            work.kkt.x[n + row] = work.eval.c[row] - at_rest[row];
        }
        work.kkt.x[..n].fill(0.0);
        if work.kkt.solve(model, t, &work.eval).is_err() {
            return stuck;
        }
        for ((&x, own), (plus, minus)) in weak.iter().zip(&own).zip(&mut signs) {
            let left = crate::solve::EPS * own * work.kkt.x[x];
            let island = model.island_of_row(x - n);
            let size = 1e-6 * sizes[island];
            // what cannot begin to move has velocities of rounding size, and is not stuck but held
            let moves = sizes[island] > 1e-9 * model.island_length[island].min(1.0);
            *plus += (moves && left > size) as usize;
            *minus += (moves && left < -size) as usize;
        }
    }
    for (&x, &(plus, minus)) in weak.iter().zip(&signs) {
        stuck[model.island_of_row(x - n)] |= plus == SAMPLES || minus == SAMPLES;
    }
    stuck
}

/// Random velocities tried.
const SAMPLES: usize = 8;

/// Mobility at legal poses nearby.
fn nearby(model: &Model, state: &State, loops: &Loops, rank: usize, mobility: usize, work: &mut Workspace) -> usize {
    let mut best = rank;
    if loops.clusters.is_empty() || mobility == 0 {
        return mobility;
    }
    let mut g = SplitMix(0x9e4);
    for _ in 0..2 {
        let Some(q) = pose_nearby(model, &state.q, state.t, 0.05, &mut g, work) else { continue };
        let near = State { q, v: vec![0.0; model.n_v()], ..state.clone() };
        let there = analyse(model, &near, loops, usize::MAX, work);
        let surplus = there.iter().map(|c| c.dropped.len()).sum::<usize>() + work.kkt.solver.own_deficiency();
        best = best.max(model.n_rows() - surplus);
    }
    model.n_v().saturating_sub(best)
}

fn reactions(
    model: &Model,
    state: &State,
    clusters: &[Cluster],
    lambda: &[f64],
    work: &mut Workspace,
) -> Vec<JointReaction> {
    evaluate::place_bodies(model, &state.q, &state.v, &mut work.eval);
    let mut out: Vec<JointReaction> = (0..model.n_joints())
        .map(|k| {
            let joint = JointId(k as u32);
            let reaction = dynamics::reaction(model, joint, &state.q, &state.v, state.t, Some(lambda), work);
            JointReaction { joint, reaction, force_unique: [true; 3], torque_unique: [true; 3] }
        })
        .collect();
    let mut push = vec![0.0; model.n_rows()];
    for c in clusters.iter().filter(|c| !c.null.is_empty()) {
        let mut change = vec![(Vec3::ZERO, Vec3::ZERO); c.joints.len()];
        for null in &c.null {
            c.rows.iter().zip(null).for_each(|(&r, n)| push[r] = *n);
            for (&k, (force, torque)) in c.joints.iter().zip(&mut change) {
                let joint = JointId(k as u32);
                let r = dynamics::reaction(model, joint, &state.q, &state.v, state.t, Some(&push), work);
                *force += r.force * r.force;
                *torque += r.torque * r.torque;
            }
        }
        c.rows.iter().for_each(|&r| push[r] = 0.0);
        // null vectors have size 1 in the metric of the compliances
        let size = c.compliance.iter().map(|w| 1.0 / w.sqrt()).fold(0.0, f64::max);
        for (&k, (force, torque)) in c.joints.iter().zip(&change) {
            for i in 0..3 {
                out[k].force_unique[i] = force[i].sqrt() <= UNIQUE * size;
                out[k].torque_unique[i] = torque[i].sqrt() <= UNIQUE * size;
            }
        }
    }
    out
}

/// Dependencies that share rows belong to one set.
fn redundant_sets(model: &Model, c: &Cluster) -> Vec<RedundantSet> {
    if !c.dense {
        let all = (0..c.rows.len()).filter(|&i| c.freedom(i) > UNIQUE);
        let set = RedundantSet {
            rows: all.map(|i| row_name(model, c.rows[i])).collect(),
            dropped: c.dropped.iter().map(|&i| row_name(model, c.rows[i])).collect(),
        };
        return if c.dropped.is_empty() { Vec::new() } else { vec![set] };
    }
    let mut sets = crate::model::Sets::new(c.rows.len());
    let mut used = vec![false; c.rows.len()];
    for (circuit, &dropped) in c.circuits.iter().zip(&c.dropped) {
        let largest = circuit.iter().zip(&c.compliance).map(|(x, w)| x.abs() * w.sqrt()).fold(0.0, f64::max);
        for i in (0..c.rows.len()).filter(|&i| circuit[i].abs() * c.compliance[i].sqrt() > UNIQUE * largest) {
            used[i] = true;
            sets.join(i as u32, dropped as u32);
        }
    }
    let mut out: Vec<(u32, RedundantSet)> = Vec::new();
    for i in (0..c.rows.len()).filter(|&i| used[i]) {
        let root = sets.find(i as u32);
        let at = out.iter().position(|s| s.0 == root).unwrap_or_else(|| {
            out.push((root, RedundantSet { rows: Vec::new(), dropped: Vec::new() }));
            out.len() - 1
        });
        out[at].1.rows.push(row_name(model, c.rows[i]));
        if c.dropped.contains(&i) {
            out[at].1.dropped.push(row_name(model, c.rows[i]));
        }
    }
    out.into_iter().map(|s| s.1).collect()
}

/// What a row is called.
pub(crate) fn row_name(model: &Model, row: usize) -> RowName {
    let k = model.joint_of_row(row);
    let joint = &model.joints[k];
    let place = row - joint.row as usize;
    let own = joint.kept_rows().nth(place).unwrap_or(place);
    let holds = match joint.constraint.lock_shape() {
        Some(shape) => {
            let direction = shape.mask.rows().nth(own).unwrap_or(0);
            let what = if direction < 3 { "translation along" } else { "rotation about" };
            format!("{what} {}{}", ["x", "y", "z"][direction % 3], if shape.aligned { " of the world" } else { "" })
        }
        None if joint.constraint.n_rows() == 1 => joint.constraint.kind().to_string(),
        None => format!("row {}", own + 1),
    };
    RowName { joint: JointId(k as u32), joint_name: model.joint_names.get(k).to_string(), row: place, holds }
}

/// The multipliers with those of redundant rows split as the doctor does: with the factors of the step, or, where those
/// cannot tell, by writing out the clusters that are small enough to do it at every state. A solver whose loads are a
/// part of its method keeps them.
pub(crate) fn split_multipliers(mechanism: &mut Mechanism) -> Result<(), StepError> {
    let keeps_loads = mechanism.solver.keeps_its_loads();
    mechanism.split_by(|model, state, work, lambda| {
        if keeps_loads || work.kkt.solver.deficiency().unwrap_or(0) == 0 {
            return;
        }
        let loops = Loops::of(model);
        let compliance = compliances(model, state, &loops, work);
        if split::by_factors(model, &suspects(model, &loops), &compliance, work, lambda) {
            return;
        }
        let (force, c) = (work.eval.force.clone(), work.eval.c.clone());
        let clusters = analyse(model, state, &loops, LARGEST_DENSE, work);
        clusters.iter().for_each(|c| c.split(lambda));
        (work.eval.force, work.eval.c) = (force, c);
    })
}

/// Everything that many answers are read from: the model, the state, the solved equations, and the split multipliers.
#[allow(clippy::type_complexity)]
pub(crate) fn solved(mechanism: &mut Mechanism) -> Result<(&Model, &State, &mut Workspace, &[f64]), StepError> {
    split_multipliers(mechanism)?;
    Ok((&mechanism.model, &mechanism.state, &mut mechanism.work, &mechanism.split))
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`: {}", self.joint_name, self.holds)
    }
}

/// Five digits or so; what is rounding beside the largest number is zero.
fn number(x: f64, largest: f64) -> String {
    if x.abs() <= 1e-12 * largest {
        "0".into()
    } else if (1e-3..1e6).contains(&x.abs()) {
        format!("{x:.4}")
    } else {
        format!("{x:.4e}")
    }
}

/// A report to be read by people.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let count = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
        let (bodies, joints) = (count(self.bodies, "body", "bodies"), count(self.joints, "joint", "joints"));
        writeln!(f, "{bodies}, {joints}, {}, {}", count(self.rows, "row", "rows"), count(self.loops, "loop", "loops"))?;
        writeln!(f, "largest gap {:.1e}", self.gap)?;
        writeln!(f, "mobility {}: the rows have rank {}", self.mobility, self.rank)?;
        if self.mobility > self.mobility_generic {
            writeln!(f, "this pose is singular: at poses nearby the mobility is {}", self.mobility_generic)?;
        }
        if self.stuck {
            writeln!(f, "this pose is singular: some motions that the rows allow to begin cannot go on")?;
        }
        for set in &self.contradictions {
            writeln!(f, "{} joints and drives contradict each other: no motion suits all of them", set.len())?;
        }
        for set in &self.redundant {
            let surplus = count(set.dropped.len(), "row", "rows");
            writeln!(f, "redundant: {surplus} more than needed among the {} that hold the same thing", set.rows.len())?;
            let many = set.rows.len() > 24;
            for row in set.rows.iter().take(24) {
                let note = if set.dropped.contains(row) { "   <- could be left out" } else { "" };
                writeln!(f, "    {row}{note}")?;
            }
            if many {
                writeln!(f, "    and {} more", set.rows.len() - 24)?;
            }
        }
        if self.redundant.is_empty() {
            return writeln!(f, "no redundant rows: all reactions are unique");
        }
        let doubtful: Vec<&JointReaction> = self.reactions.iter().filter(|r| !r.is_unique()).collect();
        writeln!(
            f,
            "reactions: {} with components that are not unique (marked ~)",
            count(doubtful.len(), "joint", "joints")
        )?;
        let parts = |r: &&JointReaction| [r.reaction.force, r.reaction.torque].map(|v| v.abs().max_element());
        let largest = doubtful.iter().flat_map(parts).fold(0.0, f64::max);
        for r in doubtful.iter().take(24) {
            let name = self.redundant.iter().flat_map(|s| &s.rows).find(|n| n.joint == r.joint);
            let mark = |x: f64, unique: bool| format!("{}{}", if unique { "" } else { "~" }, number(x, largest));
            let vector =
                |v: Vec3, u: &[bool; 3]| format!("({}, {}, {})", mark(v.x, u[0]), mark(v.y, u[1]), mark(v.z, u[2]));
            let (force, torque) =
                (vector(r.reaction.force, &r.force_unique), vector(r.reaction.torque, &r.torque_unique));
            let name = name.map_or(String::new(), |n| n.joint_name.clone());
            writeln!(f, "    `{name}`: force {force} N, torque {torque} N m")?;
        }
        Ok(())
    }
}

//! Initial poses by joint coordinates: `start` and `start_rate` of joints move what hangs on them.
//!
//! Bodies begin as drawn. Along a spanning forest of the joints, rooted at the ground and preferring joints that have a
//! `start`,
//!
//! ```text
//! pose_b = pose_a m_a chart(u) m_b^-1        where the joint has a start u (m_a, m_b its markers)
//! pose_b = pose_a (drawn_a^-1 drawn_b)       elsewhere: b stays where it is against a
//! ```
//!
//! and for velocities, with the free directions (l_k, w_k) of the joint in the axes of m_a,
//!
//! ```text
//! omega_b = omega_a + R_a (sum w_k rate_k)
//! v of b's marker = v of that point carried by a + R_a (sum l_k rate_k)
//! ```
//!
//! A body whose own velocity was given keeps it unless its joint has a `start_rate`. Loops are closed afterwards, see
//! `loop_starts.rs`.
//!
//! `[start.BODY]` overrides all that, for this body alone.

use crate::build::Draft;
use crate::codes::{self, Code};
use crate::diagnostic::{Diagnostic, Report};
use crate::fields::Record;
use crate::scene::{BodyRecord, InteractionRecord, Pose, Scene};
use holonom::joints::{Chart, JointRole, declaration};
use holonom::math::{Mat3, Vec3, quat_from_axes};
use holonom::{BodyId, JointId, Marker, ModelBuilder};
use std::collections::{HashMap, VecDeque};

/// Where a body starts and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct BodyStart {
    pose: Pose,
    velocity: Vec3,
    spin: Vec3,
    /// Was the motion given, by itself or by its joint?
    moves: bool,
}

impl BodyStart {
    /// A body that stands here and moves so.
    pub fn new(pose: Pose, velocity: Vec3, spin: Vec3) -> Self {
        BodyStart { pose, velocity, spin, moves: true }
    }

    /// Where the body stands.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// The pose of this, the motion of another.
    pub fn move_like(&mut self, other: &BodyStart) {
        (self.velocity, self.spin, self.moves) = (other.velocity, other.spin, other.moves);
    }

    /// A body as a draft that stands and moves so.
    pub fn draft<'b>(&self, body: &'b BodyRecord) -> Draft<'b> {
        let (name, mass, volume) = (&*body.name, body.mass, body.volume);
        Draft { name, mass, volume, pose: self.pose, velocity: self.velocity, spin: self.spin, geared: None }
    }
}

struct Edge<'a> {
    a: usize,
    b: usize,
    markers: (Marker, Marker),
    start: Option<&'a [f64]>,
    rate: Option<&'a [f64]>,
    id: JointId,
}

fn pose(m: &Marker) -> Pose {
    Pose { position: m.point, rotation: quat_from_axes(m.axes) }
}

/// Starts of all bodies; none when they start as drawn. Errors go to the report.
pub(crate) fn initial_poses(
    scene: &Scene,
    builder: &ModelBuilder,
    ids: &HashMap<&str, JointId>,
    report: &mut Report,
) -> Option<Vec<BodyStart>> {
    let drawn = |b: &BodyRecord| BodyStart { pose: b.pose, velocity: b.velocity, spin: b.spin, moves: b.moves };
    let mut starts: Vec<BodyStart> = scene.bodies.iter().map(drawn).collect();
    if scene.joints.iter().any(|j| has_start(&j.record)) {
        let edges = edges(scene, builder, ids, report)?;
        starts = moved_by_joints(builder, &edges, starts);
    } else if scene.starts.is_empty() {
        return None;
    }
    started(scene, starts, report)
}

fn has_start(record: &Record) -> bool {
    record.has("start") || record.has("start_rate")
}

/// The joints as edges between bodies (the ground is one past the last), those that decide first. None, with an error,
/// if a start does not fit.
fn edges<'a>(
    scene: &'a Scene,
    builder: &ModelBuilder,
    ids: &HashMap<&str, JointId>,
    report: &mut Report,
) -> Option<Vec<Edge<'a>>> {
    let slot = |body: BodyId| body.index().unwrap_or(scene.bodies.len());
    let mut edges = Vec::new();
    for link in &scene.joints {
        let Some(&id) = ids.get(&*link.name) else { continue };
        let constraint = builder.constraint(id);
        if let Err(d) = check_start(link, constraint.chart()) {
            report.push(*d);
            return None;
        }
        if let Some(chart) = constraint.chart() {
            let markers = chart.markers();
            let (start, rate) = (link.record.numbers("start"), link.record.numbers("start_rate"));
            edges.push(Edge { a: slot(markers.0.body), b: slot(markers.1.body), markers, start, rate, id });
            continue;
        }
        // what hangs on a joint without a chart moves along
        let at = constraint.attachments();
        if let (Some(first), Some(last)) = (at.first(), at.last())
            && first.body != last.body
            && constraint.reads().is_empty()
        {
            let markers = (first.body.origin(), last.body.origin());
            edges.push(Edge { a: slot(first.body), b: slot(last.body), markers, start: None, rate: None, id });
        }
    }
    // joints with a start first: they decide; then those that hold two bodies together, before gears, threads, ropes
    // and the like
    let holds = |id: JointId| {
        let constraint = builder.constraint(id);
        let is_pair = declaration(constraint.kind()).is_none_or(|d| d.role == JointRole::Pair);
        is_pair && constraint.chart().is_some()
    };
    edges.sort_by_key(|e| {
        let starts = e.start.is_some() || e.rate.is_some();
        let rank = if starts { 0 } else { 1 + u8::from(!holds(e.id)) };
        (rank, e.id)
    });
    Some(edges)
}

/// Do `start` and `start_rate` of a joint fit its coordinates?
fn check_start(link: &InteractionRecord, chart: Option<&dyn Chart>) -> Result<(), Box<Diagnostic>> {
    let record = &link.record;
    let error = |field: &str, code: Code, message: String| {
        Diagnostic::error(code, message).at(record.span_of(field)).path(format!("joint/{}/{field}", link.name))
    };
    let Some(chart) = chart else {
        if !has_start(record) {
            return Ok(());
        }
        let field = if record.has("start") { "start" } else { "start_rate" };
        let message = format!("a joint of kind `{}` cannot be started by coordinates", link.kind().name);
        let d = error(field, codes::UNKNOWN_COORDINATE, message);
        return Err(Box::new(d.help("place the bodies instead, or let them be assembled")));
    };
    for (field, wanted) in [("start", chart.n_u()), ("start_rate", chart.n_w())] {
        if let Some(given) = record.numbers(field).filter(|g| g.len() != wanted) {
            let d = error(field, codes::WRONG_LENGTH, format!("`{field}` must have {wanted} elements"));
            return Err(Box::new(d.label(format!("{} elements", given.len()))));
        }
    }
    // a quaternion: the only chart with more coordinates than rates
    if let Some(q) = record.numbers("start").filter(|q| q.len() == 4 && chart.n_w() == 3) {
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !((length - 1.0).abs() < 1e-3) {
            let message = "`start` is not a unit quaternion (w, x, y, z)".to_string();
            let d = error("start", codes::BAD_ROTATION, message);
            return Err(Box::new(d.label(format!("length {length}, must be 1"))));
        }
    }
    Ok(())
}

/// Of every body (and of the ground, the last): the edges of a spanning forest that meet it; earlier edges are
/// preferred.
fn spanning_forest(edges: &[Edge], n: usize) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..=n).collect();
    let find = |root: &mut Vec<usize>, mut i: usize| {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    };
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    for (k, e) in edges.iter().enumerate() {
        let (i, j) = (find(&mut root, e.a), find(&mut root, e.b));
        if i != j {
            root[i] = j;
            around[e.a].push(k);
            around[e.b].push(k);
        }
    }
    around
}

/// Bodies moved along the forest of the joints, from the ground outwards, then from the first body of every other tree.
fn moved_by_joints(builder: &ModelBuilder, edges: &[Edge], mut drawn: Vec<BodyStart>) -> Vec<BodyStart> {
    let n = drawn.len();
    let around = spanning_forest(edges, n);
    drawn.push(BodyStart::new(Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO));
    let mut out = drawn.clone();
    let mut seen = vec![false; n + 1];
    for first in std::iter::once(n).chain(0..n) {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut queue = VecDeque::from([first]);
        while let Some(i) = queue.pop_front() {
            for &k in &around[i] {
                let e = &edges[k];
                let j = if e.a == i { e.b } else { e.a };
                if std::mem::replace(&mut seen[j], true) {
                    continue;
                }
                out[j] = moved(builder, e, e.a == i, &out[i], &drawn[i], &drawn[j]);
                queue.push_back(j);
            }
        }
    }
    out.truncate(n);
    out
}

/// The same, with what `[start]` gives.
fn started(scene: &Scene, mut starts: Vec<BodyStart>, report: &mut Report) -> Option<Vec<BodyStart>> {
    if scene.starts.is_empty() {
        return Some(starts);
    }
    let numbers: HashMap<&str, usize> = scene.bodies.iter().enumerate().map(|(i, b)| (&*b.name, i)).collect();
    for given in &scene.starts {
        let Some(&i) = numbers.get(&*given.body) else {
            let names = scene.bodies.iter().map(|b| &*b.name);
            let d = Diagnostic::unknown(codes::UNKNOWN_BODY, "body", &given.body, names).at(given.span);
            report.push(d.path(format!("start/{}", given.body)));
            return None;
        };
        let body = &mut starts[i];
        body.pose.position = given.at.unwrap_or(body.pose.position);
        body.pose.rotation = given.rotation.unwrap_or(body.pose.rotation);
        body.velocity = given.velocity.unwrap_or(body.velocity);
        body.spin = given.spin.unwrap_or(body.spin);
        body.moves = true;
    }
    Some(starts)
}

/// Where the far body of a joint is, given where the near one is.
fn moved(
    builder: &ModelBuilder,
    e: &Edge,
    forwards: bool,
    near: &BodyStart,
    drawn_near: &BodyStart,
    drawn_far: &BodyStart,
) -> BodyStart {
    let chart = builder.constraint(e.id).chart();
    let (ma, mb) = (pose(&e.markers.0), pose(&e.markers.1));
    let pose = match (chart, e.start) {
        (Some(chart), Some(u)) => {
            let mut u = u.to_vec();
            chart.normalise(&mut u);
            let (p, r) = chart.pose(&u);
            let across = ma.then(&Pose { position: p, rotation: quat_from_axes(r) }).then(&mb.inverse());
            near.pose.then(&if forwards { across } else { across.inverse() })
        }
        _ => near.pose.then(&drawn_near.pose.inverse().then(&drawn_far.pose)),
    };
    if let (Some(chart), Some(rates)) = (chart, e.rate) {
        let (velocity, spin) = velocity_by_rates(chart, rates, e, forwards, near, &pose);
        return BodyStart { pose, velocity, spin, moves: true };
    }
    if drawn_far.moves {
        return BodyStart { pose, velocity: drawn_far.velocity, spin: drawn_far.spin, moves: true };
    }
    let velocity = near.velocity + near.spin.cross(pose.position - near.pose.position);
    BodyStart { pose, velocity, spin: near.spin, moves: false }
}

/// Velocity of the origin and angular velocity of the far body, from the rates of the joint's coordinates.
fn velocity_by_rates(
    chart: &dyn Chart,
    rates: &[f64],
    e: &Edge,
    forwards: bool,
    near: &BodyStart,
    far: &Pose,
) -> (Vec3, Vec3) {
    let (ma, mb) = (pose(&e.markers.0), pose(&e.markers.1));
    let (a, b) = if forwards { (near.pose, *far) } else { (*far, near.pose) };
    let turn = Mat3::from_quat(a.then(&ma).rotation);
    let mut u = vec![0.0; chart.n_u()];
    match e.start {
        Some(start) => {
            u.copy_from_slice(start);
            chart.normalise(&mut u);
        }
        None => {
            let between = a.then(&ma).inverse().then(&b.then(&mb));
            chart.read(between.position, Mat3::from_quat(between.rotation), &mut u);
        }
    }
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (k, rate) in rates.iter().enumerate() {
        let (l, w) = chart.free(&u, k);
        linear += turn * l * *rate;
        angular += turn * w * *rate;
    }
    let sign = if forwards { 1.0 } else { -1.0 };
    let spin = near.spin + sign * angular;
    // the free directions are velocities at the marker of b
    let at = b.point(mb.position);
    let near_there = near.velocity + near.spin.cross(at - near.pose.position);
    (near_there + sign * linear + spin.cross(far.position - at), spin)
}

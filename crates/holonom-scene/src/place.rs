//! Initial poses by joint coordinates: `start` and `start_rate` of joints move what hangs on them.
//!
//! The bodies stand as they were drawn. Along a spanning forest of the joints, rooted at the ground and preferring joints that have a `start`,
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
//! A body whose own velocity was given keeps it unless its joint has a `start_rate`. Loops are closed afterwards, see `starts.rs`.
//!
//! What `[start.BODY]` says of a body goes before all that, for this body alone.

use crate::build::Draft;
use crate::codes;
use crate::diagnostic::{Diagnostic, Report, nearest};
use crate::scene::{Pose, Scene};
use holonom::math::{Mat3, Vec3, quat_from_axes};
use holonom::{BodyId, JointId, Marker, ModelBuilder};
use std::collections::{HashMap, VecDeque};

/// Where a body starts and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pose: Pose,
    velocity: Vec3,
    spin: Vec3,
    /// Was the motion given, by itself or by its joint?
    moves: bool,
}

impl Place {
    /// A body that stands here and moves so.
    pub fn new(pose: Pose, velocity: Vec3, spin: Vec3) -> Self {
        Place { pose, velocity, spin, moves: true }
    }

    /// Stand here, but move as another.
    pub fn move_like(&mut self, other: &Place) {
        (self.velocity, self.spin, self.moves) = (other.velocity, other.spin, other.moves);
    }

    /// A body as a draft that stands and moves so.
    pub fn draft<'b>(&self, body: &'b crate::scene::Body) -> Draft<'b> {
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

/// Places of all bodies; none when no joint says where it starts, so that nothing moves.
pub(crate) fn places(
    scene: &Scene,
    builder: &ModelBuilder,
    ids: &HashMap<&str, JointId>,
    report: &mut Report,
) -> Option<Vec<Place>> {
    let says = |record: &crate::fields::Record| record.has("start") || record.has("start_rate");
    let drawn = |b: &crate::scene::Body| Place { pose: b.pose, velocity: b.velocity, spin: b.spin, moves: b.moves };
    if !scene.joints.iter().any(|j| says(&j.record)) {
        if scene.starts.is_empty() {
            return None;
        }
        return started(scene, scene.bodies.iter().map(drawn).collect(), report);
    }
    let n = scene.bodies.len();
    let slot = |body: BodyId| body.index().unwrap_or(n);
    let mut edges = Vec::new();
    for link in &scene.joints {
        let Some(&id) = ids.get(&*link.name) else { continue };
        let constraint = builder.constraint(id);
        let (start, rate) = (link.record.numbers("start"), link.record.numbers("start_rate"));
        let chart = constraint.chart();
        if let Some(chart) = chart {
            let markers = chart.markers();
            for (field, given) in
                [("start", start.map(|s| (s, chart.n_u()))), ("start_rate", rate.map(|r| (r, chart.n_w())))]
            {
                if let Some((given, wanted)) = given.filter(|(g, w)| g.len() != *w) {
                    let message = format!("`{field}` must have {wanted} elements");
                    let d = Diagnostic::error(codes::WRONG_LENGTH, message).at(link.record.span_of(field));
                    report.push(
                        d.label(format!("{} elements", given.len())).path(format!("joint/{}/{field}", link.name)),
                    );
                    return None;
                }
            }
            // a quaternion: the only chart with more coordinates than rates
            if let Some(q) = start.filter(|q| q.len() == 4 && chart.n_w() == 3) {
                let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                if !((length - 1.0).abs() < 1e-3) {
                    let d = Diagnostic::error(codes::BAD_ROTATION, "`start` is not a unit quaternion (w, x, y, z)");
                    let d = d.at(link.record.span_of("start")).label(format!("length {length}, must be 1"));
                    report.push(d.path(format!("joint/{}/start", link.name)));
                    return None;
                }
            }
            edges.push(Edge { a: slot(markers.0.body), b: slot(markers.1.body), markers, start, rate, id });
            continue;
        }
        if says(&link.record) {
            let field = if start.is_some() { "start" } else { "start_rate" };
            let d = Diagnostic::error(
                codes::UNKNOWN_COORDINATE,
                format!("a joint of kind `{}` cannot be started by coordinates", link.kind().name),
            );
            let d = d.at(link.record.span_of(field)).path(format!("joint/{}/{field}", link.name));
            report.push(d.help("place the bodies instead, or let them be assembled"));
            return None;
        }
        // what hangs on it moves along
        let at = constraint.attachments();
        if let (Some(first), Some(last)) = (at.first(), at.last())
            && first.body != last.body
            && constraint.reads().is_empty()
        {
            let markers = (first.body.origin(), last.body.origin());
            edges.push(Edge { a: slot(first.body), b: slot(last.body), markers, start: None, rate: None, id });
        }
    }
    // joints with a start first: they decide; then those that hold two bodies together, before gears, ropes and the like
    edges.sort_by_key(|e| {
        let says = e.start.is_some() || e.rate.is_some();
        let rank = if says { 0 } else { 1 + u8::from(builder.constraint(e.id).chart().is_none()) };
        (rank, e.id)
    });
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
    let still = Place { pose: Pose::IDENTITY, velocity: Vec3::ZERO, spin: Vec3::ZERO, moves: true };
    let drawn: Vec<Place> = scene.bodies.iter().map(drawn).chain([still]).collect();
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
    started(scene, out, report)
}

/// The same, with what `[start]` says.
fn started(scene: &Scene, mut places: Vec<Place>, report: &mut Report) -> Option<Vec<Place>> {
    if scene.starts.is_empty() {
        return Some(places);
    }
    let numbers: HashMap<&str, usize> = scene.bodies.iter().enumerate().map(|(i, b)| (&*b.name, i)).collect();
    for start in &scene.starts {
        let Some(place) = numbers.get(&*start.body).map(|&i| &mut places[i]) else {
            let name = crate::confine::shown(&start.body);
            let d = Diagnostic::error(codes::UNKNOWN_BODY, format!("there is no body `{name}`")).at(start.span);
            let d = d.path(format!("start/{}", start.body));
            report.push(match nearest(&start.body, scene.bodies.iter().map(|b| &*b.name)) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            });
            return None;
        };
        place.pose.position = start.at.unwrap_or(place.pose.position);
        place.pose.rotation = start.rotation.unwrap_or(place.pose.rotation);
        place.velocity = start.velocity.unwrap_or(place.velocity);
        place.spin = start.spin.unwrap_or(place.spin);
        place.moves = true;
    }
    Some(places)
}

/// Where the far body of a joint is, given where the near one is.
fn moved(
    builder: &ModelBuilder,
    e: &Edge,
    forwards: bool,
    near: &Place,
    drawn_near: &Place,
    drawn_far: &Place,
) -> Place {
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
    let carried = |spin: Vec3| near.velocity + spin.cross(pose.position - near.pose.position);
    if let (Some(chart), Some(rates)) = (chart, e.rate) {
        let a = if forwards { near.pose } else { pose };
        let turn = Mat3::from_quat(a.then(&ma).rotation);
        let mut u = vec![0.0; chart.n_u()];
        match e.start {
            Some(start) => {
                u.copy_from_slice(start);
                chart.normalise(&mut u);
            }
            None => {
                let other = if forwards { pose } else { near.pose };
                let between = a.then(&ma).inverse().then(&other.then(&mb));
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
        let b = if forwards { pose } else { near.pose };
        let at = b.point(mb.position);
        let near_there = near.velocity + near.spin.cross(at - near.pose.position);
        let velocity = near_there + sign * linear + spin.cross(pose.position - at);
        return Place { pose, velocity, spin, moves: true };
    }
    if drawn_far.moves {
        return Place { pose, velocity: drawn_far.velocity, spin: drawn_far.spin, moves: true };
    }
    Place { pose, velocity: carried(near.spin), spin: near.spin, moves: false }
}

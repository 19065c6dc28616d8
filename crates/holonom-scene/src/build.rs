//! From a [`Scene`] to a model of the engine.
//!
//! Joints first, because their markers are fixed to the bodies as they were drawn; then the bodies are moved to where
//! the coordinates given to joints put them (see [`crate::initial_poses`]); then the engine checks, plans and
//! assembles. Whatever it refuses is reported at the line that said it.

use crate::codes;
use crate::contact;
use crate::diagnostic::{Diagnostic, Report, nearest};
use crate::fields::*;
use crate::initial_poses::{BodyStart, initial_poses};
use crate::joint_limits;
use crate::kinds::{self, BuildContext, Mistake, RecordParameters, mistake, refused};
use crate::loop_starts;
use crate::sanity::{self, Disagreement};
use crate::scene::{BodyRecord, InteractionRecord, Mass, Pose, Scene, ShapeRecord};
use crate::source::Span;
use holonom::declaration::{Driven, Fault, Invalid, Make, Parameters};
use holonom::math::{Mat3, Vec3, perpendicular};
use holonom::{Assembly, BodyId, Coordinate, JointId, Marker, Model, ModelBuilder, ModelError};
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

/// What a body kind is made from.
pub struct Draft<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its mass, if it is known.
    pub mass: Option<Mass>,
    /// Volume of its shapes, m^3, if it has any.
    pub volume: Option<f64>,
    /// Where it starts.
    pub pose: Pose,
    /// Velocity of the origin, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
    /// Rate of a joint that it is geared to, times the ratio, where the joint says how fast it starts.
    pub geared: Option<f64>,
}

/// Bodies by their names, and what was made so far.
pub(crate) struct Joints<'a> {
    bodies: HashMap<&'a str, u32>,
    pub(crate) builder: ModelBuilder,
    ids: HashMap<&'a str, JointId>,
    /// What was said of joints that have an effort.
    pub(crate) records: HashMap<&'a str, &'a Record>,
}

/// A coordinate by its name.
pub(crate) fn coordinate_of(context: &BuildContext, c: &CoordinateRef, span: Span) -> Result<Coordinate, Mistake> {
    let joints = context.joints;
    let Some(&id) = joints.ids.get(&*c.joint) else {
        return Err(unknown_joint(context.scene, &c.joint, span));
    };
    let n = joints.builder.constraint(id).coordinates().len();
    if c.index >= n {
        let message = format!("the joint `{}` has no coordinate {}", c.joint, c.index);
        let label = if n == 0 { "it has none".to_string() } else { format!("it has {n}, numbered from 0") };
        return Err(Box::new(Diagnostic::error(codes::UNKNOWN_COORDINATE, message).at(span).label(label)));
    }
    Ok(joints.builder.coordinate(id, c.index))
}

/// The marker of a point; axes as those of the frame named, or of the body.
pub(crate) fn marker(context: &BuildContext, p: &PointRef, span: Span) -> Result<Marker, Mistake> {
    let body = context.joints.body(context.scene, &p.body, span)?;
    let pose = side(context.scene, body, p, span)?.map_or(Pose::IDENTITY, |s| s.pose);
    Ok(Marker { body, point: pose.position, axes: Mat3::from_quat(pose.rotation) })
}

impl Joints<'_> {
    /// A body by what it is called.
    pub(crate) fn body(&self, scene: &Scene, body: &BodyRef, span: Span) -> Result<BodyId, Mistake> {
        match body {
            BodyRef::Ground => Ok(BodyId::GROUND),
            BodyRef::Index(i) => Ok(BodyId::from_index(*i as usize)),
            BodyRef::Named(name) => match self.bodies.get(&**name) {
                Some(&i) => Ok(BodyId::from_index(i as usize)),
                None => {
                    let d = Diagnostic::error(
                        codes::UNKNOWN_BODY,
                        format!("there is no body `{}`", crate::confine::shown(name)),
                    )
                    .at(span);
                    let names = scene.bodies.iter().map(|b| &*b.name).chain(["ground"]);
                    Err(Box::new(match nearest(name, names) {
                        Some(near) => d.label(format!("did you mean `{near}`?")),
                        None => d.label("not known").help(listed("bodies", scene.bodies.iter().map(|b| &*b.name))),
                    }))
                }
            },
        }
    }
}

fn listed<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut list: Vec<&str> = names.take(13).collect();
    let more = if list.len() > 12 { ", ..." } else { "" };
    list.truncate(12);
    if list.is_empty() { format!("the scene has no {what}") } else { format!("{what}: {}{more}", list.join(", ")) }
}

fn unknown_joint(scene: &Scene, name: &str, span: Span) -> Mistake {
    let d = Diagnostic::error(codes::UNKNOWN_JOINT, format!("there is no joint `{}`", crate::confine::shown(name)))
        .at(span);
    let names = || scene.joints.iter().map(|j| &*j.name);
    Box::new(match nearest(name, names()) {
        Some(near) => d.label(format!("did you mean `{near}`?")),
        None => d.label("not known").help(listed("joints", names())),
    })
}

/// What markers are made from.
pub(crate) struct Sides<'a> {
    pub name: &'a str,
    pub a: Option<&'a PointRef>,
    pub b: Option<&'a PointRef>,
    pub record: &'a Record,
}

impl<'a> Sides<'a> {
    /// Those of a table inside the thing of that name.
    pub fn inside(name: &'a str, record: &'a Record) -> Self {
        Sides { name, a: record.point("a"), b: record.point("b"), record }
    }
}

impl<'a> From<&'a InteractionRecord> for Sides<'a> {
    fn from(l: &'a InteractionRecord) -> Self {
        Sides { name: &l.name, a: l.a.as_ref(), b: l.b.as_ref(), record: &l.record }
    }
}

/// One side of a joint, as far as it was said.
struct Side {
    pose: Pose,
    has_axes: bool,
}

/// What was said of the point on a body; none if only the body was named.
fn side(scene: &Scene, body: BodyId, p: &PointRef, span: Span) -> Result<Option<Side>, Mistake> {
    let name = match &p.at {
        Where::Unsaid => return Ok(None),
        Where::At(p) => return Ok(Some(Side { pose: Pose { position: *p, ..Pose::IDENTITY }, has_axes: false })),
        Where::Named(name) => name,
    };
    let (owner, points) = match body.index() {
        Some(i) => (&*scene.bodies[i].name, &*scene.bodies[i].points),
        None => ("ground", &*scene.ground_points),
    };
    if let Some(p) = points.iter().find(|p| p.name == *name) {
        return Ok(Some(Side { pose: p.pose, has_axes: p.has_axes }));
    }
    let message = format!("`{owner}` has no point `{}`", crate::confine::shown(name));
    let d = Diagnostic::error(codes::UNKNOWN_POINT, message).at(span);
    let names = || points.iter().map(|p| &*p.name);
    Err(Box::new(match nearest(name, names()) {
        Some(near) => d.label(format!("did you mean `{near}`?")),
        None if points.is_empty() => d.label("it has none").help(format!("give it one:  points.{name} = [0, 0, 0]")),
        None => d.label("not known").help(listed("points", names())),
    }))
}

pub(crate) fn pose_of(scene: &Scene, body: BodyId) -> Pose {
    body.index().map_or(Pose::IDENTITY, |i| scene.bodies[i].pose)
}

/// Axes from a z axis, and an x axis roughly; from an x axis alone, z is as near to that of the frame as it can be.
fn axes_of(record: &Record, [z_name, x_name]: [&str; 2]) -> Result<Option<Mat3>, Mistake> {
    let (z, x) = match (record.vector(z_name), record.vector(x_name)) {
        (None, None) => return Ok(None),
        (Some(z), None) => {
            let (x, y) = perpendicular(z);
            return Ok(Some(Mat3::from_cols(x, y, z)));
        }
        (Some(z), Some(x)) => (z, x),
        (None, Some(x)) => {
            let near = if x.z.abs() < 1.0 - 1e-9 { Vec3::Z } else { Vec3::Y };
            ((near - x * x.dot(near)).normalize(), x)
        }
    };
    let y = z.cross(x);
    if !(y.length() > 1e-9) {
        return Err(mistake(record, x_name, codes::BAD_ROTATION, format!("`{x_name}` is parallel to `{z_name}`")));
    }
    let y = y.normalize();
    Ok(Some(Mat3::from_cols(y.cross(z), y, z)))
}

/// The markers of a joint on its two bodies, at the poses the bodies were drawn in.
///
/// A kind with `at` holds both bodies at one point: what was not said on one side is taken from the other. A kind
/// without it has a point on each: the one named, or the body's origin. A kind with `axis` has its axes along one
/// direction of the world, that of the joint, of the frame on either side, or the world's; a kind without it takes
/// those of the frame named on each side, or the body's own.
pub(crate) fn markers(scene: &Scene, joints: &Joints, about: &Sides) -> Result<(Marker, Marker), Mistake> {
    let record = about.record;
    let ground = PointRef { body: BodyRef::Ground, at: Where::Unsaid };
    let a = about.a.unwrap_or(&ground);
    let Some(b) = about.b else {
        // the kind has no sides
        return Ok((BodyId::GROUND.origin(), BodyId::GROUND.origin()));
    };
    let (span_a, span_b) = (record.span_of("a"), record.span_of("b"));
    let (body_a, body_b) = (joints.body(scene, &a.body, span_a)?, joints.body(scene, &b.body, span_b)?);
    if body_a == body_b {
        let name = crate::confine::shown(about.name);
        let d = Diagnostic::error(codes::SELF_JOINT, format!("`{name}` joins a body to itself")).at(span_b);
        return Err(Box::new(d.label("the same body as `a`")));
    }
    let (side_a, side_b) = (side(scene, body_a, a, span_a)?, side(scene, body_b, b, span_b)?);
    let (pose_a, pose_b) = (pose_of(scene, body_a), pose_of(scene, body_b));
    let kind = record.kind;
    let has = |name: &str| kind.is_some_and(|k| k.has(name));

    let (point_a, point_b) = if has("at") {
        if let (Some(_), true) = (&side_b, record.has("at")) {
            let m = mistake(record, "at", codes::EXCLUSIVE, "`at` and a point on `b` exclude each other");
            return Err(Box::new(m.help("keep one of them")));
        }
        // where it is in the world, for a side that does not know
        let world_b = side_b.as_ref().map(|s| pose_b.point(s.pose.position));
        let world_a = side_a.as_ref().map(|s| pose_a.point(s.pose.position));
        let common = record.vector("at").or(world_b).or(world_a).unwrap_or(pose_b.position);
        let point_a = side_a.as_ref().map_or_else(|| pose_a.local(common), |s| s.pose.position);
        let point_b = side_b.as_ref().map_or_else(|| pose_b.local(common), |s| s.pose.position);
        (point_a, point_b)
    } else {
        let own = |s: &Option<Side>| s.as_ref().map_or(Vec3::ZERO, |s| s.pose.position);
        (own(&side_a), own(&side_b))
    };

    let turn = |pose: &Pose| Mat3::from_quat(pose.rotation);
    let common = axes_of(record, ["axis", "x_axis"])?;
    let frame = |s: &Option<Side>| s.as_ref().filter(|s| s.has_axes).map(|s| turn(&s.pose));
    // in the body's own frame, as far as it is known without the other side
    let own = |names: [&str; 2], s: &Option<Side>, pose: &Pose| -> Result<Option<Mat3>, Mistake> {
        let said = axes_of(record, names)?;
        Ok(said.or(common.map(|w| turn(pose).transpose() * w)).or_else(|| frame(s)))
    };
    let own_a = own(["axis_a", "x_axis_a"], &side_a, &pose_a)?;
    let own_b = own(["axis_b", "x_axis_b"], &side_b, &pose_b)?;
    let otherwise = |pose: &Pose, other: Option<Mat3>, other_pose: &Pose| match has("axis") {
        true => turn(pose).transpose() * other.map_or(Mat3::IDENTITY, |o| turn(other_pose) * o),
        false => Mat3::IDENTITY,
    };
    let axes_a = own_a.unwrap_or_else(|| otherwise(&pose_a, own_b, &pose_b));
    let axes_b = own_b.unwrap_or_else(|| otherwise(&pose_b, own_a, &pose_a));
    Ok((Marker { body: body_a, point: point_a, axes: axes_a }, Marker { body: body_b, point: point_b, axes: axes_b }))
}

/// Where joints, drives and forces sit on their bodies.
pub struct Frames<'a> {
    scene: &'a Scene,
    joints: Joints<'a>,
}

impl<'a> Frames<'a> {
    /// Of a scene.
    pub fn new(scene: &'a Scene) -> Self {
        let bodies = scene.bodies.iter().enumerate().map(|(i, b)| (&*b.name, i as u32)).collect();
        let (ids, records) = Default::default();
        Frames { scene, joints: Joints { bodies, builder: ModelBuilder::new(), ids, records } }
    }

    /// The two sides of a link as it is built: point and axes in the frame of each body, z along the axis of joints
    /// that have one. `None` where the kind has no sides.
    pub fn of(&self, link: &InteractionRecord) -> Option<(Marker, Marker)> {
        link.b.as_ref()?;
        markers(self.scene, &self.joints, &link.into()).ok()
    }
}

/// Names of joints whose coordinates a record uses.
fn used<'a>(record: &'a Record, out: &mut Vec<(&'a str, Span)>) {
    for (_, value, span) in record.values() {
        match value {
            Val::Coordinate(c) => out.push((&c.joint, *span)),
            Val::Record(r) => used(r, out),
            Val::List(list) => {
                for (v, span) in list {
                    match v {
                        Val::Coordinate(c) => out.push((&c.joint, *span)),
                        Val::Record(r) => used(r, out),
                        _ => {}
                    }
                }
            }
            Val::Map(map) => {
                for (_, v, span) in map {
                    if let Val::Coordinate(c) = v {
                        out.push((&c.joint, *span));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Build a model. What is wrong goes to the report.
pub fn build(scene: &Scene, report: &mut Report) -> Option<Model> {
    let builder = builder(scene, report)?;
    match builder.build() {
        Ok(model) => Some(loop_starts::settled(scene, model, |places| drafted(scene, places, &mut Report::new()))),
        Err(e) => {
            report.push(refusal(scene, &e));
            None
        }
    }
}

/// A model before the last step, which checks, plans and assembles.
pub(crate) struct Drafted<'a> {
    /// Everything in it.
    pub builder: ModelBuilder,
    /// Joints and drives by their names.
    pub ids: HashMap<&'a str, JointId>,
    /// Where bodies stand that joints have moved, if any have.
    pub places: Option<Vec<BodyStart>>,
}

/// Everything but the last step.
pub fn builder(scene: &Scene, report: &mut Report) -> Option<ModelBuilder> {
    drafted(scene, None, report).map(|d| d.builder)
}

/// Where bodies stand before assembly, if coordinates of joints or the scene put them elsewhere than they are drawn.
pub(crate) fn places(scene: &Scene) -> Option<Vec<Pose>> {
    let moves = scene.joints.iter().any(|j| j.record.has("start")) || !scene.starts.is_empty();
    let places = moves.then(|| drafted(scene, None, &mut Report::new())).flatten()?.places?;
    Some(places.iter().map(BodyStart::pose).collect())
}

/// The same with bodies in given places.
fn drafted<'a>(scene: &'a Scene, places: Option<Vec<BodyStart>>, report: &mut Report) -> Option<Drafted<'a>> {
    let errors = report.n_errors();
    let bodies = scene.bodies.iter().enumerate().map(|(i, b)| (&*b.name, i as u32)).collect();
    let with_effort = scene.joints.iter().filter(|l| l.record.has("effort"));
    let mut joints = Joints {
        bodies,
        builder: ModelBuilder::new(),
        ids: HashMap::with_capacity(scene.joints.len()),
        records: with_effort.map(|l| (&*l.name, &*l.record)).collect(),
    };
    joints.builder.gravity(scene.gravity);
    match scene.run.assembly.as_deref() {
        Some("gradual") => _ = joints.builder.assembly(Assembly::Gradual),
        Some("none") => _ = joints.builder.assembly(Assembly::Open),
        _ => {}
    }
    add_joints(scene, &mut joints, report);
    for link in &scene.drives {
        if let Err(d) = add_drive(scene, &mut joints, link) {
            report.push(named(*d, "drive", link));
        }
    }
    for link in &scene.forces {
        if let Err(d) = add_force(scene, &mut joints, link) {
            report.push(named(*d, "force", link));
        }
    }
    if report.n_errors() > errors {
        return None;
    }
    let places = places.or_else(|| initial_poses(scene, &joints.builder, &joints.ids, report));
    let geared = geared(scene, &joints);
    // what is wrong with one piece of a generator is wrong with all of them
    let mut wrong: Option<&std::sync::Arc<Record>> = None;
    for (i, body) in scene.bodies.iter().enumerate() {
        if wrong.is_some_and(|w| std::sync::Arc::ptr_eq(w, &body.record)) {
            continue;
        }
        let draft = match &places {
            Some(moved) => moved[i].draft(body),
            None => draft(body),
        };
        let draft = Draft { geared: geared.get(&i).copied(), ..draft };
        match kinds::body(&body.record, &draft) {
            Ok(made) => {
                if let Some(shape) = body.shapes.iter().find(|s| scene.collides(s) && !made.keeps_shape()) {
                    report.push(soft(body, shape));
                    wrong = Some(&body.record);
                    continue;
                }
                joints.builder.boxed_body(&*body.name, made);
            }
            Err(d) => {
                let d = if d.path.is_empty() { d.path(format!("body/{}", body.name)) } else { *d };
                report.push(d);
                wrong = Some(&body.record);
            }
        }
    }
    if report.n_errors() == errors {
        contact::add(scene, &mut joints, report);
    }
    (report.n_errors() == errors).then_some(Drafted { builder: joints.builder, ids: joints.ids, places })
}

/// A shape on a body that cannot carry it into a contact.
fn soft(body: &BodyRecord, shape: &ShapeRecord) -> Diagnostic {
    let kind = body.record.kind.map_or("", |k| k.name);
    let d = Diagnostic::error(codes::NO_CONTACT, format!("the shape of body `{}` cannot collide", body.name));
    let d = d.at(shape.span).path(format!("body/{}", body.name));
    let d = d.label(format!("on a body of kind `{kind}`; rigid and planar bodies and particles can carry it"));
    d.help("say  collides = false  on the shape")
}

fn draft(body: &BodyRecord) -> Draft<'_> {
    Draft {
        name: &body.name,
        mass: body.mass,
        volume: body.volume,
        pose: body.pose,
        velocity: body.velocity,
        spin: body.spin,
        geared: None,
    }
}

/// How fast bodies start that are geared to a coordinate whose joint has a `start_rate`, by their numbers.
fn geared(scene: &Scene, joints: &Joints) -> HashMap<usize, f64> {
    let rates = kinds::geared_rates(&scene.joints).into_iter();
    rates.filter_map(|(link, body, rate)| Some((joints.body(scene, body, link.span).ok()?.index()?, rate))).collect()
}

fn named(d: Diagnostic, what: &str, link: &InteractionRecord) -> Diagnostic {
    let d = if d.path.is_empty() { d.path(format!("{what}/{}", link.name)) } else { d };
    if d.span.is_none() { d.at(link.span) } else { d }
}

/// In the order they were written, but one that uses the coordinates of another after it.
fn add_joints<'a>(scene: &'a Scene, joints: &mut Joints<'a>, report: &mut Report) {
    let mut open: Vec<&InteractionRecord> = scene.joints.iter().collect();
    while !open.is_empty() {
        let n = open.len();
        let mut left = Vec::new();
        // looked at only where a joint uses another, and only the first time round
        let first = open.len() == scene.joints.len();
        let known = LazyCell::new(|| scene.joints.iter().map(|l| &*l.name).collect::<HashSet<&str>>());
        for link in open {
            let mut uses = Vec::new();
            used(&link.record, &mut uses);
            let waits = uses.iter().any(|(name, _)| !joints.ids.contains_key(name));
            if waits {
                // a name that is no joint at all is reported by whoever looks it up
                if first && uses.iter().any(|(name, _)| !known.contains(name)) {
                    if let Some((name, span)) = uses.iter().find(|(name, _)| !known.contains(name)) {
                        report.push(named(*unknown_joint(scene, name, *span), "joint", link));
                    }
                    continue;
                }
                left.push(link);
                continue;
            }
            if let Err(d) = add_joint(scene, joints, link) {
                report.push(named(*d, "joint", link));
            }
        }
        open = left;
        if open.len() == n {
            // each of them waits for one that failed, which was reported, or for another of them
            if report.n_errors() == 0 {
                let d = Diagnostic::error(codes::UNKNOWN_JOINT, "joints use each other's coordinates in a circle");
                report.push(named(d, "joint", open[0]));
            }
            break;
        }
    }
}

/// What the kind of a link makes of its record; refusals of parameters are put at their field.
fn made<T>(
    joints: &Joints,
    scene: &Scene,
    link: &InteractionRecord,
    make: fn(&dyn Parameters) -> Result<T, Invalid>,
) -> Result<T, Mistake> {
    let given = RecordParameters::new(&link.into(), BuildContext { scene, joints })?;
    make(&given).map_err(|e| refused(&link.record, &e))
}

/// A refusal of what was made, with its name in front.
fn unusable(what: &str, link: &InteractionRecord, e: Invalid) -> Mistake {
    refused(&link.record, &e.prefixed(&format!("{what} `{}`: ", link.name)).fault(Fault::Unusable))
}

fn add_joint<'a>(scene: &'a Scene, joints: &mut Joints<'a>, link: &'a InteractionRecord) -> Result<(), Mistake> {
    let Make::Joint(make) = link.kind().make else { return Ok(()) };
    let made = made(joints, scene, link, make)?;
    made.validate().map_err(|e| unusable("joint", link, e))?;
    let id = joints.builder.boxed_joint(&*link.name, made);
    joints.ids.insert(&link.name, id);
    joint_limits::add(link, id, scene.run.ideal, &mut joints.builder)?;
    let load = |name: &str| link.record.number(name).unwrap_or(f64::INFINITY);
    if link.record.has("break_force") || link.record.has("break_torque") {
        joints.builder.break_load(id, load("break_force"), load("break_torque"));
    }
    match link.record.numbers("compliance") {
        Some([translation, rotation]) if *translation > 0.0 && *rotation > 0.0 => {
            joints.builder.compliance(id, *translation, *rotation);
        }
        Some(other) => {
            let m = mistake(
                &link.record,
                "compliance",
                codes::OUT_OF_RANGE,
                "`compliance` must be two numbers greater than 0, m/N and rad/(N m)",
            );
            return Err(Box::new(m.label(format!("{other:?}"))));
        }
        None => {}
    }
    Ok(())
}

fn add_drive<'a>(scene: &'a Scene, joints: &mut Joints<'a>, link: &'a InteractionRecord) -> Result<(), Mistake> {
    let Make::Drive(make) = link.kind().make else { return Ok(()) };
    match made(joints, scene, link, make)? {
        Driven::Row(row) => {
            row.validate().map_err(|e| unusable("drive", link, e))?;
            let id = joints.builder.boxed_joint(&*link.name, row);
            joints.ids.insert(&link.name, id);
        }
        Driven::Push(force) => {
            force.validate().map_err(|e| unusable("drive", link, e))?;
            joints.builder.boxed_force(&*link.name, force);
        }
    }
    Ok(())
}

fn add_force<'a>(scene: &'a Scene, joints: &mut Joints<'a>, link: &'a InteractionRecord) -> Result<(), Mistake> {
    let Make::Force(make) = link.kind().make else { return Ok(()) };
    let made = made(joints, scene, link, make)?;
    joints.builder.boxed_force(&*link.name, made);
    Ok(())
}

/// Where a thing was said: its table, its path, its record.
type Said<'a> = (Span, String, &'a Record);

fn place_of<'a>(list: &'a [InteractionRecord], what: &str, name: &str) -> Option<Said<'a>> {
    let link = list.iter().find(|l| &*l.name == name)?;
    Some((link.span, format!("{what}/{name}"), &*link.record))
}

/// The drive that is farthest from the start of its joint, among those that contradict other joints.
fn disagreeing<'a>(scene: &'a Scene, names: impl Iterator<Item = &'a String>) -> Option<Disagreement<'a>> {
    let names: HashSet<&str> = names.map(String::as_str).collect();
    let among = scene.drives.iter().filter(|d| names.contains(&*d.name));
    among.filter_map(|d| sanity::disagreement(scene, d)).max_by(|a, b| a.gap().total_cmp(&b.gap()))
}

/// What the engine refused, at the line that said it.
pub fn refusal(scene: &Scene, e: &ModelError) -> Diagnostic {
    let body = |name: &str| {
        scene.bodies.iter().find(|b| &*b.name == name).map(|b| (b.span, format!("body/{name}"), &*b.record))
    };
    let joint = |name: &str| place_of(&scene.joints, "joint", name).or_else(|| place_of(&scene.drives, "drive", name));
    // some drives are forces
    let force = |name: &str| place_of(&scene.forces, "force", name).or_else(|| place_of(&scene.drives, "drive", name));
    let at = |d: Diagnostic, place: Option<Said>| match place {
        Some((span, path, _)) => d.at(span).path(path),
        None => d,
    };
    // a parameter at its field, where it was said
    let parameter = |what: &str, name: &str, e: &Invalid, place: Option<Said>| {
        let d = Diagnostic::error(codes::NOT_BUILT, format!("{what} `{name}`: {e}"));
        match place {
            Some((_, path, record)) if record.has(e.field.split('.').next().unwrap_or("")) => {
                d.at(record.span_at(&e.field)).path(path)
            }
            place => at(d, place),
        }
    };
    match e {
        ModelError::Body { body: name, reason, .. } => parameter("body", name, reason, body(name)),
        ModelError::Joint { joint: name, reason, .. } => parameter("joint", name, reason, joint(name)),
        ModelError::Force { force: name, reason, .. } => parameter("force", name, reason, force(name)),
        ModelError::Unsupported { joint: name, what } => {
            at(Diagnostic::error(codes::NOT_BUILT, format!("joint `{name}`: {what}")), joint(name))
        }
        ModelError::NotCarried { name, .. } => {
            at(Diagnostic::error(codes::NOT_BUILT, e.to_string()), joint(name).or_else(|| force(name)))
        }
        ModelError::NotAssembled { joint: name, conflict, .. }
            if let Some(told) = disagreeing(scene, conflict.iter().chain([name])) =>
        {
            let d = Diagnostic::error(codes::NOT_CLOSED, told.in_words(told.is_angle_by_kind(scene)));
            let d = d.label(format!("told here; `{name}` cannot be closed with it"));
            let help = format!("let the drive begin where the joint is, or give the joint  start = {}", told.goal());
            at(d.help(help), place_of(&scene.drives, "drive", &told.link.name))
        }
        ModelError::NotAssembled { joint: name, gap, allowed, conflict } => {
            let others: Vec<_> = conflict.iter().filter(|c| *c != name).collect();
            let (code, message) = if others.is_empty() {
                (codes::NOT_CLOSED, format!("joint `{name}` cannot be closed"))
            } else {
                (codes::NOT_CLOSED, "the loop cannot be closed".to_string())
            };
            let d = Diagnostic::error(code, message).label(format!("joint `{name}`"));
            let d = d.note("smallest reachable gap", format!("{gap:.6} (m or rad, limit {allowed:.0e})"));
            let d = match others.is_empty() {
                true => d,
                false => {
                    let names = others.iter().take(10).map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
                    d.note("it contradicts", names)
                }
            };
            at(d.help("check lengths and axes; if there is a pose that fits, start nearer to it"), joint(name))
        }
        ModelError::RatesContradict { joint: name, rate, conflict } => {
            let others: Vec<_> = conflict.iter().filter(|c| *c != name).take(10).map(|c| format!("`{c}`")).collect();
            let d = Diagnostic::error(codes::CONFLICT, "drives contradict each other".to_string());
            let d = d.label(format!("`{name}` is off by {rate:.6} m/s or rad/s where the others are kept"));
            let d = d.note("it contradicts", others.join(", "));
            at(
                d.help("let them agree, or leave one out, or give one of the drives an `effort` and it gives way"),
                joint(name),
            )
        }
        ModelError::WrongBranch { joint: name } => {
            let d = Diagnostic::error(codes::WRONG_BRANCH, format!("joint `{name}` is assembled the wrong way round"));
            at(
                d.help("its axes on the two bodies point in opposite directions: turn one of the bodies, or the axis"),
                joint(name),
            )
        }
        ModelError::Shape { body: name, .. } => {
            let d = Diagnostic::error(codes::NO_CONTACT, e.to_string());
            at(
                d.help("collide_as = \"hull\" makes a mesh convex; `ignore` in [contact] lets two bodies pass"),
                body(name),
            )
        }
        ModelError::DuplicateName { name, .. } => at(
            Diagnostic::error(codes::DUPLICATE, e.to_string()),
            body(name).or_else(|| joint(name)).or_else(|| force(name)),
        ),
        _ => Diagnostic::error(codes::NOT_BUILT, e.to_string()),
    }
}

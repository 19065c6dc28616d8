//! Random mechanisms: forests of mixed bodies and joints, assembled, with J of full rank.
//!
//! A mechanism grows body by body. Each new body is placed so that its joint holds, and is kept only when the engine builds the
//! model and `J M^-1 J^T` is well enough conditioned at the start pose; what is refused is counted.

use super::dense::Dense;
use super::spec::{BodySpec, ForceSpec, JointSpec, Kind, Spec, body_id};
use super::turn;
use holonom::joints::{Constraint, pairs};
use holonom::math::{Mat3, SplitMix, Vec3, exp_quat, vec3};
use holonom::prelude::*;
use holonom::{AttachmentKind, Marker};
use proptest::prelude::*;

/// Where a new body hangs.
#[derive(Clone, Copy, Debug)]
pub enum Link {
    /// Nowhere: the root of a floating tree.
    Free,
    /// On the ground: the root of a tree.
    Ground,
    /// On an earlier body.
    Body(usize),
}

/// One body and the joint above it. A joint that the two bodies cannot carry gives way to the next in the table that they can.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub kind: Kind,
    pub link: Link,
    pub joint: usize,
    /// The new body is body a of its joint.
    pub reversed: bool,
}

/// Which mechanisms are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    pub most: usize,
    pub planar: bool,
    pub affine: bool,
    pub scaled: bool,
    pub ground: bool,
    /// Rigid bodies and joints with a chart only.
    pub charts: bool,
    pub forces: bool,
}

impl Wish {
    pub const ANY: Wish =
        Wish { most: 10, planar: true, affine: true, scaled: true, ground: true, charts: false, forces: true };
    /// Nothing outside acts on it, once gravity is off.
    pub const ISOLATED: Wish =
        Wish { most: 6, planar: false, affine: true, scaled: true, ground: false, charts: false, forces: false };
    /// Fit for joint coordinates.
    pub const CHARTS: Wish =
        Wish { most: 5, planar: false, affine: false, scaled: false, ground: true, charts: true, forces: true };
}

pub fn steps(wish: Wish) -> impl Strategy<Value = (Vec<Step>, u64)> {
    let kind = (0..10usize).prop_map(move |k| match k {
        _ if wish.charts => Kind::Rigid,
        0 | 1 => Kind::Particle,
        2 | 3 if wish.planar => Kind::Planar,
        4 | 5 if wish.affine => Kind::Affine,
        6 if wish.scaled => Kind::Uniform,
        7 if wish.scaled => Kind::PerAxis,
        _ => Kind::Rigid,
    });
    let link = (0..1000usize).prop_map(move |k| match k {
        0..60 => Link::Free,
        60..160 if wish.ground => Link::Ground,
        _ => Link::Body(k),
    });
    let step = (kind, link, 0..pairs().len(), any::<bool>());
    let step = step.prop_map(|(kind, link, joint, reversed)| Step { kind, link, joint, reversed });
    (prop::collection::vec(step, 1..=wish.most), any::<u64>())
}

/// A mechanism and how its growth went.
#[derive(Clone, Debug)]
pub struct Grown {
    pub spec: Spec,
    pub asked: usize,
    pub refused: Vec<String>,
}

/// Smallest reciprocal condition number of `J M^-1 J^T` kept.
pub const CONDITION: f64 = 1e-8;

pub fn grow(steps: &[Step], seed: u64, wish: Wish) -> Grown {
    let mut g = SplitMix(seed);
    let gravity = if wish.ground { g.vec3(9.0) } else { Vec3::ZERO };
    let mut spec = Spec { bodies: vec![], joints: vec![], forces: vec![], gravity, general_rows: false };
    let mut refused = Vec::new();
    for step in steps {
        let mut next = spec.clone();
        let what = add(&mut next, step, wish, &mut g);
        match verdict(&next) {
            Ok(()) => spec = next,
            Err(why) => refused.push(format!("{what}: {why}")),
        }
    }
    if wish.forces {
        for _ in 0..g.below(4) {
            add_force(&mut spec, &mut g);
        }
    }
    Grown { spec, asked: steps.len(), refused }
}

/// Is the mechanism fit for the identities?
pub fn verdict(spec: &Spec) -> Result<(), String> {
    let model = match spec.build() {
        Ok(model) => model,
        Err(e @ (ModelError::NotAssembled { .. } | ModelError::WrongBranch { .. })) => {
            return Err(e.to_string());
        }
        Err(e) => panic!("unexpected refusal: {e}"),
    };
    let rcond = Dense::at(&model, model.initial_state()).rcond();
    if rcond > CONDITION { Ok(()) } else { Err(format!("rcond {rcond:.1e}")) }
}

pub fn random_body(kind: Kind, g: &mut SplitMix) -> BodySpec {
    let mass = 0.3 * libm::exp2(4.0 * g.unit());
    let sides = vec3(0.2 + g.unit(), 0.2 + g.unit(), 0.2 + g.unit());
    let axes = turn(g);
    let stretch = Mat3::IDENTITY + Mat3::from_cols(g.vec3(0.1), g.vec3(0.1), g.vec3(0.1));
    let body = BodySpec {
        kind,
        mass,
        second: symmetric(axes * Mat3::from_diagonal(sides * sides * (mass / 12.0)) * axes.transpose()),
        centre: match kind {
            Kind::Particle => Vec3::ZERO,
            Kind::Planar => g.vec3(0.3) * vec3(1.0, 1.0, 0.0),
            _ => g.vec3(0.3),
        },
        position: g.vec3(1.0),
        turn: turn(g),
        stretch: if kind == Kind::Affine { stretch } else { Mat3::IDENTITY },
        in_plane: g.vec3(1.0),
        velocity: g.vec3(1.0),
        spin: g.vec3(1.5),
        shape_rate: Mat3::from_cols(g.vec3(0.7), g.vec3(0.7), g.vec3(0.7)),
        scale_rates: Vec3::ZERO,
        stiffness: 0.0,
    };
    if kind.scales() == 0 {
        return body;
    }
    let alike = |x: Vec3| if kind == Kind::Uniform { Vec3::splat(x.x) } else { x };
    let scales = alike(Vec3::ONE + g.vec3(0.3));
    // soft enough for steps of milliseconds: a few radians per second, whatever the size
    let least = body.second.x_axis.x.min(body.second.y_axis.y).min(body.second.z_axis.z);
    let (scale_rates, stiffness) = (alike(g.vec3(0.7)), least * (5.0 + 5.0 * g.unit()));
    BodySpec { stretch: Mat3::from_diagonal(scales), scale_rates, stiffness, ..body }
}

fn symmetric(m: Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

/// A random marker that the body can carry.
pub fn random_marker(kind: Option<Kind>, body: BodyId, g: &mut SplitMix) -> Marker {
    let point = g.vec3(0.6);
    let mut axes = turn(g);
    match kind {
        Some(Kind::Particle) => return Marker { body, point: Vec3::ZERO, axes },
        // most joints of planar bodies have their axis across the plane or in it
        Some(Kind::Planar) => match g.below(4) {
            0 => {}
            1 => axes = Mat3::from_rotation_z(g.symmetric(3.0)) * Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X),
            _ => axes = Mat3::from_rotation_z(g.symmetric(3.0)),
        },
        _ => {}
    }
    Marker { body, point, axes }
}

fn carries(kinds: &[Kind], constraint: &dyn Constraint) -> bool {
    constraint.attachments().iter().all(|a| match (a.body.index().map(|i| kinds[i]), a.what) {
        (Some(Kind::Particle), AttachmentKind::Point(p)) => p == Vec3::ZERO,
        (Some(Kind::Particle), _) => false,
        (Some(Kind::Affine), AttachmentKind::Spin) => false,
        _ => true,
    })
}

/// Add a body and its joint; says what was added.
fn add(spec: &mut Spec, step: &Step, wish: Wish, g: &mut SplitMix) -> String {
    let new = spec.bodies.len();
    let mut body = random_body(step.kind, g);
    let parent = match step.link {
        Link::Body(k) if new > 0 => Some(body_id(k % new)),
        Link::Ground => Some(BodyId::GROUND),
        _ => None,
    };
    let Some(parent) = parent else {
        spec.bodies.push(body);
        return format!("{:?}", step.kind);
    };
    let kinds: Vec<Kind> = spec.bodies.iter().map(|b| b.kind).chain([step.kind]).collect();
    let above = random_marker(parent.index().map(|i| kinds[i]), parent, g);
    let below = random_marker(Some(step.kind), body_id(new), g);
    let seed = g.bits();
    for k in 0..2 * pairs().len() {
        let (kind, reversed) = ((step.joint + k / 2) % pairs().len(), step.reversed != (k % 2 == 1));
        let (a, b) = if reversed { (below, above) } else { (above, below) };
        let joint = JointSpec { kind, a, b, seed, scale: 1.0 };
        let constraint = joint.constraint();
        if !carries(&kinds, constraint.as_ref()) || (wish.charts && constraint.chart().is_none()) {
            continue;
        }
        place(&mut body, &joint, constraint.as_ref(), reversed, spec, g);
        let what = format!(
            "{:?} by {} (reversed: {reversed}) on {:?}",
            step.kind,
            joint.name(),
            parent.index().map(|i| kinds[i])
        );
        spec.bodies.push(body);
        spec.joints.push(joint);
        return what;
    }
    panic!("no joint of the table fits {step:?}");
}

/// Relative pose of marker b to marker a that satisfies the joint, or nearly.
fn relative_pose(joint: &JointSpec, constraint: &dyn Constraint, g: &mut SplitMix) -> (Vec3, Mat3) {
    match constraint.chart() {
        // without twist: about an axis across z
        _ if joint.name() == "constant-velocity" => {
            (Vec3::ZERO, Mat3::from_quat(exp_quat(g.vec3(1.0) * vec3(1.0, 1.0, 0.0))))
        }
        Some(chart) => {
            let mut u: Vec<f64> = (0..chart.n_u()).map(|_| g.symmetric(1.0)).collect();
            chart.normalise(&mut u);
            chart.pose(&u)
        }
        // a rod holds at its length; what is unknown starts near and is assembled
        None => (super::direction(g) * joint.length().unwrap_or(1.0), turn(g)),
    }
}

/// Put a body where its joint holds.
pub fn place(
    body: &mut BodySpec,
    joint: &JointSpec,
    constraint: &dyn Constraint,
    is_a: bool,
    spec: &Spec,
    g: &mut SplitMix,
) {
    let (p, r) = relative_pose(joint, constraint, g);
    let (above, below) = if is_a { (joint.b, joint.a) } else { (joint.a, joint.b) };
    let (origin, shape, turn) = match above.body.index() {
        Some(i) => (spec.bodies[i].position, spec.bodies[i].shape(), spec.bodies[i].turn),
        None => (Vec3::ZERO, Mat3::IDENTITY, Mat3::IDENTITY),
    };
    let (point, axes) = (origin + shape * above.point, turn * above.axes);
    let (point, axes) = if is_a {
        let marker = axes * r.transpose();
        (point - marker * p, marker)
    } else {
        (point + axes * p, axes * r)
    };
    body.turn = axes * below.axes.transpose();
    body.position = point - body.shape() * below.point;
}

fn add_force(spec: &mut Spec, g: &mut SplitMix) {
    let n = spec.bodies.len();
    if n == 0 {
        return;
    }
    let pick = |g: &mut SplitMix| {
        let i = g.below(n);
        (spec.bodies[i].kind, random_marker(Some(spec.bodies[i].kind), body_id(i), g))
    };
    let (kind, on) = pick(g);
    let (other_kind, other) = pick(g);
    let other = if other.body == on.body { Marker { body: BodyId::GROUND, ..other } } else { other };
    let spins = |k: Kind| k.turns() || k == Kind::Planar;
    let (stiffness, damping) = (20.0 * g.unit(), g.unit());
    let force = match g.below(5) {
        0 if spins(kind) && (spins(other_kind) || other.body.is_ground()) => {
            ForceSpec::Torsion { a: other, b: on, stiffness, rest: g.symmetric(1.0), damping }
        }
        1 if spins(kind) => ForceSpec::Torque { on: on.body, torque: g.vec3(3.0) },
        2 => ForceSpec::Point { on, force: g.vec3(5.0) },
        3 => ForceSpec::User { on, damping, force: g.vec3(5.0), rate: 3.0 * g.unit() },
        _ => ForceSpec::Spring { a: other, b: on, stiffness, rest: g.unit(), damping },
    };
    spec.forces.push(force);
}

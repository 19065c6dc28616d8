//! Random mechanisms with closed loops: a tree from the generator, and joints more between markers that coincide where it stands.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

use crate::common::dense::Dense;
use crate::common::grow::{self, Link, Step, Wish};
use crate::common::spec::{JointSpec, Kind, Spec, body_id};
use crate::common::{direction, turn};
use holonom::joints::pairs;
use holonom::math::{Mat3, SplitMix, Vec3};
use holonom::prelude::*;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// Most bodies.
    pub most: usize,
    /// Rigid bodies only.
    pub rigid: bool,
    /// Joints to add, at most.
    pub closing: usize,
    /// `J M^-1 J^T` must keep `rcond > 1e-8`: a joint that spoils it is left out again.
    pub full_rank: bool,
}

/// A mechanism of the given number, the same on every call. The last joints close loops.
pub fn closed(number: u64, wish: Closed) -> Spec {
    let mut g = SplitMix(0xc105ed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let n = 2 + g.below(wish.most - 1);
    let steps: Vec<Step> = (0..n)
        .map(|i| Step {
            kind: match g.below(10) {
                _ if wish.rigid => Kind::Rigid,
                0 => Kind::Particle,
                1 => Kind::Planar,
                2 => Kind::Affine,
                _ => Kind::Rigid,
            },
            link: match g.below(8) {
                0 => Link::Ground,
                _ if i == 0 => Link::Ground,
                k => Link::Body(i - 1 - (k % 2).min(i - 1)),
            },
            joint: [1, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9][g.below(12)],
            reversed: g.below(2) == 0,
        })
        .collect();
    let wish_tree = Wish { most: wish.most, ..Wish::ANY };
    let mut spec = settled(grow::grow(&steps, g.bits(), wish_tree).spec.smooth());
    for _ in 0..1 + g.below(wish.closing) {
        let mut next = spec.clone();
        let joint = if !wish.full_rank && g.below(3) == 0 && !spec.joints.is_empty() {
            twin(&spec, &mut g)
        } else {
            closing(&spec, &mut g)
        };
        next.joints.push(joint);
        let Ok(model) = next.build() else { continue };
        if !wish.full_rank || Dense::at(&model, model.initial_state()).rcond() > grow::CONDITION {
            spec = next;
        }
    }
    spec
}

/// The mechanism with its assembled pose as its start pose.
fn settled(mut spec: Spec) -> Spec {
    let sim = spec.simulation();
    for (i, body) in spec.bodies.iter_mut().enumerate() {
        body.position = sim.point(body_id(i).origin()).0;
        match (body.kind, sim.axes(body_id(i))) {
            (Kind::Affine, Some(axes)) => (body.turn, body.stretch) = (Mat3::IDENTITY, axes),
            (_, Some(axes)) => body.turn = axes,
            _ => {}
        }
    }
    spec
}

/// A marker in world terms.
fn marker(spec: &Spec, body: BodyId, point: Vec3, axes: Mat3) -> Marker {
    let Some(i) = body.index() else { return Marker { body, point, axes } };
    let b = &spec.bodies[i];
    Marker { body, point: b.shape().inverse() * (point - b.position), axes: b.turn.transpose() * axes }
}

fn place(spec: &Spec, m: Marker) -> (Vec3, Mat3) {
    match m.body.index() {
        Some(i) => (spec.bodies[i].position + spec.bodies[i].shape() * m.point, spec.bodies[i].turn * m.axes),
        None => (m.point, m.axes),
    }
}

/// A joint between two bodies, or a body and the ground, at a random point.
fn closing(spec: &Spec, g: &mut SplitMix) -> JointSpec {
    let n = spec.bodies.len();
    let first = g.below(n);
    let second = (first + 1 + g.below(n)) % (n + 1);
    let ids = [first, second].map(|i| if i == n { BodyId::GROUND } else { body_id(i) });
    let [a, b] = if g.below(2) == 0 { ids } else { [ids[1], ids[0]] };
    let at = |id: BodyId| id.index().map_or(Vec3::ZERO, |i| spec.bodies[i].position);
    let particle = |id: BodyId| id.index().is_some_and(|i| spec.bodies[i].kind == Kind::Particle);
    let simple = |id: BodyId| id.index().is_some_and(|i| spec.bodies[i].kind != Kind::Rigid);
    let mut kind = [0, 1, 1, 3, 4, 5, 5, 5, 7, 7, 8, 8, 8, 9, 9, 9][g.below(16)];
    if (simple(a) || simple(b)) && kind < 8 {
        kind = 5;
    }
    if particle(a) && particle(b) || (particle(a) && kind == 8) {
        kind = 9;
    }
    let seed = g.bits();
    if pairs()[kind].name() == "distance" {
        let mut end = |id: BodyId| {
            let away = if particle(id) { 0.0 } else { 0.5 };
            at(id) + direction(g) * away
        };
        let (p, q) = (end(a), end(b));
        let scale = (p - q).length() / (0.5 + SplitMix(seed).unit());
        let axes = turn(g);
        return JointSpec { kind, a: marker(spec, a, p, axes), b: marker(spec, b, q, axes), seed, scale };
    }
    let point = match (particle(a), particle(b)) {
        (true, _) => at(a),
        (_, true) => at(b),
        _ => 0.5 * (at(a) + at(b)) + g.vec3(0.4),
    };
    let axes = turn(g);
    JointSpec { kind, a: marker(spec, a, point, axes), b: marker(spec, b, point, axes), seed, scale: 1.0 }
}

/// A joint that says again what one of them says already, farther along its axis where it has one.
fn twin(spec: &Spec, g: &mut SplitMix) -> JointSpec {
    let mut joint = spec.joints[g.below(spec.joints.len())].clone();
    let (point, axes) = place(spec, joint.b);
    let along = match joint.name() {
        "weld" => g.vec3(0.5),
        "revolute" | "prismatic" | "cylindrical" => axes.z_axis * g.symmetric(0.5),
        _ => Vec3::ZERO,
    };
    let free = |m: Marker| m.body.index().is_none_or(|i| spec.bodies[i].kind == Kind::Rigid);
    if free(joint.a) && free(joint.b) && joint.name() != "distance" {
        // along the axis of b and of a alike
        let ahead = place(spec, joint.a).0 + along;
        joint.a = Marker { axes: joint.a.axes, ..marker(spec, joint.a.body, ahead, Mat3::IDENTITY) };
        joint.b = Marker { axes: joint.b.axes, ..marker(spec, joint.b.body, point + along, Mat3::IDENTITY) };
    }
    joint
}

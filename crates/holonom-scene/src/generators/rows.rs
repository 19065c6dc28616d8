//! Rows of bodies: chains and rings.

use super::template::{End, Joinery, Pieces, Stand, counting};
use super::{GeneratorInput, fields, world};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::DocNode;
use crate::read::{SceneReader, along};
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::{Mat3, Vec3, perpendicular, quat_from_axes};
use std::f64::consts::PI;

const TEMPLATES: &[&str] = &["link", "joint", "first_joint", "last_joint"];
const COUNTERS: &[&str] = &["i"];

/// `[chain.NAME]`.
pub fn chain(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    let input = GeneratorInput::read(m, "chain", name, node, span, fields::CHAIN, TEMPLATES)?;
    let mut joints = Joinery::new(m, &input, COUNTERS)?;
    let n = input.count;
    let from = joints.from(m, &input);
    let (turn, step, length) = line(m, &input, &joints, from)?;
    let mut pieces = Pieces::new(m, &input, "link", COUNTERS, from, length.is_some())?;
    // where neighbours meet, in the frames of both; world axes where pieces have no ends
    let particles = length.is_none() && pieces.are_particles();
    counting(m, &[("i", 1.0), ("n", n as f64)], |m, counters| {
        let mut before = 0;
        for i in 1..=n {
            counters.set(m, &[i as f64]);
            let pose = Pose { position: from + step * (i - 1) as f64, rotation: turn };
            let piece = pieces.make(m, format!("{name}/{i}"), Stand { pose, length })?;
            let meet = |m: &SceneReader, piece: u32, side: f64| match length {
                Some(length) => Vec3::X * (if side > 0.0 { length } else { 0.0 }),
                None if particles => Vec3::ZERO,
                None => m.scene.bodies[piece as usize].pose.rotation.conjugate() * (step * (0.5 * side)),
            };
            if i == 1 {
                let at = if length.is_some() { meet(m, piece, -1.0) } else { Vec3::ZERO };
                joints.begin(m, format!("{name}/1"), piece, at)?;
            } else if let Some(between) = &mut joints.between {
                let (a, b) = (meet(m, before, 1.0), meet(m, piece, -1.0));
                between.tie(m, format!("{name}/{i}"), End::Piece(before, a), End::Piece(piece, b))?;
            }
            before = piece;
        }
        joints.end(m, format!("{name}/last"), before, length.map_or(Vec3::ZERO, |l| Vec3::X * l))
    })
}

/// Orientation of the pieces of a chain, the way from one to the next, and their length if they have one.
fn line(
    m: &mut SceneReader,
    input: &GeneratorInput,
    joints: &Joinery,
    from: Vec3,
) -> Option<(holonom::math::Quat, Vec3, Option<f64>)> {
    let r = &input.record;
    for pair in [["step", "to"], ["step", "direction"], ["step", "length"], ["to", "direction"], ["to", "length"]] {
        if !input.at_most_one(m, &pair) {
            return None;
        }
    }
    if let Some(step) = r.vector("step") {
        return Some((Default::default(), step, None));
    }
    let end = r.vector("to").or_else(|| match r.number("length") {
        None => joints.ends.as_ref().and_then(|p| world(m, p)),
        Some(_) => None,
    });
    let (direction, length) = match (end, r.number("length")) {
        (Some(end), _) => {
            let whole = (end - from).length();
            if !(whole > 1e-12) {
                let d = Diagnostic::error(codes::ZERO_DIRECTION, "the chain begins and ends at the same point");
                m.reader.complain(d.at(r.span_of("to")).label("`from` and `to` must differ by more than 1e-12 m"));
                return None;
            }
            ((end - from) / whole, whole / input.count as f64)
        }
        (None, Some(length)) => (r.vector("direction").unwrap_or(Vec3::X), length),
        (None, None) => {
            let help = "say where the chain ends (to = [0, 0, -2]), or how long a piece is (length = 0.2), or `step`";
            input.missing(m, format!("`{}` has no length", input.name), help);
            return None;
        }
    };
    Some((quat_from_axes(along(direction)), direction * length, Some(length)))
}

/// `[ring.NAME]`.
pub fn ring(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    let input = GeneratorInput::read(m, "ring", name, node, span, fields::RING, TEMPLATES)?;
    let mut joints = Joinery::new(m, &input, COUNTERS)?;
    let (r, n) = (&input.record, input.count);
    if !input.at_most_one(m, &["radius", "length"]) || !input.at_most_one(m, &["centre", "from"]) {
        return None;
    }
    let per = PI / n as f64;
    let (radius, length) = match (r.number("radius"), r.number("length")) {
        (Some(radius), _) => (radius, 2.0 * radius * libm::sin(per)),
        (None, Some(length)) => (0.5 * length / libm::sin(per), length),
        (None, None) => {
            input.missing(m, format!("`{name}` has no size"), "say its radius, or the length of a piece");
            return None;
        }
    };
    let axis = r.vector("axis").unwrap_or(Vec3::Z);
    let (x, y) = perpendicular(axis);
    let way = |angle: f64| x * libm::cos(angle) + y * libm::sin(angle);
    let heading = r.number("heading").unwrap_or(0.5 * PI + per);
    // the joints lie a quarter turn behind the pieces' headings
    let joint = |i: f64| radius * way(heading - 0.5 * PI - per + 2.0 * per * i);
    let from = r.vector("from").or_else(|| match r.has("centre") {
        false => joints.begins.as_ref().and_then(|p| world(m, p)),
        true => None,
    });
    let centre = from.map_or_else(|| r.vector("centre").unwrap_or_default(), |from| from - joint(0.0));
    let mut pieces = Pieces::new(m, &input, "link", COUNTERS, from.unwrap_or(centre), true)?;
    let end = Vec3::X * length;
    let first = m.scene.bodies.len() as u32;
    counting(m, &[("i", 1.0), ("n", n as f64)], |m, counters| {
        for i in 1..=n {
            counters.set(m, &[i as f64]);
            let k = (i - 1) as f64;
            let along = way(heading + 2.0 * per * k);
            let rotation = quat_from_axes(Mat3::from_cols(along, axis.cross(along), axis));
            // exactly there for the first one
            let position = if i == 1 { from.unwrap_or(centre + joint(0.0)) } else { centre + joint(k) };
            let stand = Stand { pose: Pose { position, rotation }, length: Some(length) };
            let piece = pieces.make(m, format!("{name}/{i}"), stand)?;
            if i == 1 {
                joints.begin(m, format!("{name}/first"), piece, Vec3::ZERO)?;
            } else if let Some(between) = &mut joints.between {
                between.tie(m, format!("{name}/{i}"), End::Piece(piece - 1, end), End::Piece(piece, Vec3::ZERO))?;
            }
        }
        let last = first + n as u32 - 1;
        counters.set(m, &[1.0]);
        let close = joints.between.as_mut()?;
        close.tie(m, format!("{name}/1"), End::Piece(last, end), End::Piece(first, Vec3::ZERO))
    })
}

//! What branches: trees and stars.

use super::template::{End, Joinery, Pieces, Stand, Ties, counting, uses};
use super::{GeneratorInput, fields, sizes};
use crate::fields::{Allowed, BodyRef, PointRef, Type, Val, Where};
use crate::kinds::BODIES;
use crate::node::DocNode;
use crate::read::{SceneReader, along, placement};
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::{Mat3, Vec3, exp_quat, perpendicular, quat_from_axes, vec3};
use std::f64::consts::TAU;
use std::sync::Arc;

/// `[tree.NAME]`. Piece i (from 0) hangs on piece (i - 1)/b as its child (i - 1) mod b.
pub fn tree(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    const COUNTERS: &[&str] = &["i", "level", "k"];
    let templates = &["link", "joint", "first_joint", "length"];
    let input = GeneratorInput::read(m, "tree", name, node, span, fields::TREE, templates)?;
    let mut joints = Joinery::new(m, &input, COUNTERS)?;
    let (r, n) = (&input.record, input.count as usize);
    let b = sizes::branching(m, input.table)?.min(1 << 40) as usize;
    let number = |field: &str| r.number(field).unwrap_or(0.0);
    let (spread, fan, twist) = (number("spread"), number("fan"), number("twist"));
    let from = joints.from(m, &input);
    let mut pieces = Pieces::new(m, &input, "link", COUNTERS, from, true)?;
    let length_node = input.table.get("length")?;
    let length_varies = uses(length_node, COUNTERS);
    let mut length = None;
    let first = m.scene.bodies.len() as u32;
    // lengths of all pieces, for their children
    let mut lengths: Vec<f64> = Vec::new();
    let root = quat_from_axes(along(r.vector("direction").unwrap_or(Vec3::X)));
    let locals = [("i", 1.0), ("level", 1.0), ("k", 1.0), ("n", n as f64)];
    counting(m, &locals, |m, counters| {
        let (mut level, mut level_ends, mut level_size) = (1u64, 1usize, 1usize);
        for i in 0..n {
            if i >= level_ends {
                level += 1;
                level_size = level_size.saturating_mul(b);
                level_ends = level_ends.saturating_add(level_size);
            }
            let child = (i + b - 1) % b;
            counters.set(m, &[(i + 1) as f64, level as f64, (child + 1) as f64]);
            if length.is_none() || length_varies {
                let kind = Type::Number(Allowed::Positive, "m");
                let Some(Val::Number(x)) = m.reader.value(length_node, "length", &kind) else { return None };
                length = Some(x);
            }
            let length = length?;
            lengths.push(length);
            if i == 0 {
                let stand = Stand { pose: Pose { position: from, rotation: root }, length: Some(length) };
                let piece = pieces.make(m, format!("{name}/1"), stand)?;
                joints.begin(m, format!("{name}/1"), piece, Vec3::ZERO)?;
                continue;
            }
            let parent = (i - 1) / b;
            let side = 0.5 * (b - 1) as f64 - child as f64;
            let at = vec3(lengths[parent], spread * side, 0.0);
            let above = m.scene.bodies[first as usize + parent].pose;
            let turn = exp_quat(Vec3::X * twist) * exp_quat(Vec3::Z * (fan * side));
            let pose = Pose { position: above.point(at), rotation: (above.rotation * turn).normalize() };
            let piece = pieces.make(m, format!("{name}/{}", i + 1), Stand { pose, length: Some(length) })?;
            let hangs_on = End::Piece(first + parent as u32, at);
            joints.between.as_mut()?.tie(m, format!("{name}/{}", i + 1), hangs_on, End::Piece(piece, Vec3::ZERO))?;
        }
        Some(())
    })
}

/// `[star.NAME]`.
pub fn star(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    const COUNTERS: &[&str] = &["i"];
    let input = GeneratorInput::read(m, "star", name, node, span, fields::STAR, &["hub", "link", "joint"])?;
    let (r, n) = (&input.record, input.count);
    let centre = r.vector("centre").unwrap_or_default();
    let hub = hub(m, &input, centre)?;
    let hub_span = input.table.get("hub")?.span;
    let mut pieces = Pieces::new(m, &input, "link", COUNTERS, centre, true)?;
    let mut ties = Ties::new(m, &input, "joint", COUNTERS)?;
    let (radius, length) = (r.number("radius")?, r.number("length")?);
    let axis = r.vector("axis").unwrap_or(Vec3::Z);
    let (x, y) = perpendicular(axis);
    counting(m, &[("i", 1.0), ("n", n as f64)], |m, counters| {
        for i in 1..=n {
            counters.set(m, &[i as f64]);
            let angle = TAU * (i - 1) as f64 / n as f64;
            let out = x * libm::cos(angle) + y * libm::sin(angle);
            let axes = match r.vector("direction") {
                Some(direction) => along(direction),
                None => Mat3::from_cols(out, axis.cross(out), axis),
            };
            let pose = Pose { position: centre + out * radius, rotation: quat_from_axes(axes) };
            let piece = pieces.make(m, format!("{name}/{i}"), Stand { pose, length: Some(length) })?;
            let a = match &hub {
                PointRef { body: BodyRef::Index(hub), .. } => {
                    End::Piece(*hub, m.scene.bodies[*hub as usize].pose.local(pose.position))
                }
                other => End::Given(other.clone(), hub_span),
            };
            ties.tie(m, format!("{name}/{i}"), a, End::Piece(piece, Vec3::ZERO))?;
        }
        Some(())
    })
}

/// The body in the middle: made from a table, or one that is there.
fn hub(m: &mut SceneReader, input: &GeneratorInput, centre: Vec3) -> Option<PointRef> {
    let node = input.table.get("hub")?;
    if node.as_table().is_none() {
        return m.reader.point(node, "hub");
    }
    let name = format!("{}/hub", input.name);
    let record = m.reader.kind(node, &name, &BODIES)?;
    let own = record.has("at") || record.has("from") || record.has("to");
    let made = placement(&record).and_then(|(pose, length)| {
        let pose = if own { pose } else { Pose { position: centre, ..pose } };
        m.body_at(&name, Arc::new(record), input.span, pose, length)
    });
    match made {
        Ok(mut body) => {
            body.velocity += input.velocity + input.spin.cross(body.pose.position - centre);
            body.spin += input.spin;
            body.moves |= input.record.has("velocity") || input.record.has("spin");
            m.scene.bodies.push(body);
            Some(PointRef { body: BodyRef::Index(m.scene.bodies.len() as u32 - 1), at: Where::Unsaid })
        }
        Err(d) => {
            m.reader.complain(*d);
            None
        }
    }
}

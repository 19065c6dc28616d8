//! What the importers of URDF and MJCF write in the same way: names, places and masses as a scene has them.

use crate::node::{DocNode, DocTable, numbers};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Quat, Vec3};

/// A name as scenes allow it: without the characters that paths and expressions use, at most 180 bytes long, and not
/// `ground`.
pub fn scene_name(written: &str) -> String {
    let bad = |c: char| matches!(c, '.' | '"' | '\\' | ',' | '*') || c.is_control();
    let mut name: String = written.trim().chars().map(|c| if bad(c) { '_' } else { c }).collect();
    name = name.replace("${", "_{");
    name.truncate(name.floor_char_boundary(180));
    if name.is_empty() || name == "ground" {
        name.push('_');
    }
    name
}

/// `at` and `rotation`, where they differ from those of the frame around.
pub fn write_pose(table: &mut DocTable, pose: &Pose, span: Span) {
    if pose.position != Vec3::ZERO {
        table.push("at", span, numbers(span, &pose.position.to_array()));
    }
    let q = pose.rotation;
    if q != Quat::IDENTITY {
        table.push("rotation", span, numbers(span, &[q.w, q.x, q.y, q.z]));
    }
}

/// `mass`, `com` and `inertia`.
pub fn write_mass(table: &mut DocTable, m: &Mass, mass_span: Span, inertia_span: Span) {
    table.put("mass", mass_span, m.mass);
    table.push("com", inertia_span, numbers(inertia_span, &m.centre.to_array()));
    let i = &m.inertia;
    let all = [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.x_axis.y, i.x_axis.z, i.y_axis.z];
    let diagonal = all[3..].iter().all(|x| *x == 0.0);
    table.push("inertia", inertia_span, numbers(inertia_span, if diagonal { &all[..3] } else { &all }));
}

/// A weighted sum of joint coordinates, as the `terms` of couplers, springs and forces on coordinates.
pub fn write_terms(terms: &[(String, f64)], span: Span) -> Vec<DocNode> {
    let term =
        |(joint, factor): &(String, f64)| DocTable::at(span).with("joint", joint.as_str()).with("factor", *factor);
    terms.iter().map(|t| DocNode::new(span, term(t))).collect()
}

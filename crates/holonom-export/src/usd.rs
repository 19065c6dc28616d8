//! USD as text (`.usda`): bodies with their shapes, masses and motion, and the joints that UsdPhysics knows.
//!
//! ```text
//! /World                   z upwards, metres, kilograms
//!   /World/physics         gravity
//!   /World/ground          shapes that stand
//!   /World/BODY            UsdPhysics rigid body: mass, centre, principal inertia; poses as samples in time
//!   /World/joints/JOINT    revolute, prismatic, spherical, fixed, distance
//! ```
//!
//! Other joints, drives, limits, contacts and forces have no counterpart that means the same, and are left out; what
//! was left out is said. Samples stand at [`CODES`] codes per second. Poses are in double precision.

use crate::motion::{BodyPlace, SampledMotion};
use crate::solids::surface;
use holonom::math::{Mat3, Quat, Vec3, quat_from_axes, symmetric_eigen};
use holonom_scene::Scene;
use holonom_view::picture::{JointPicture, Picture, PlacedFrame, ShapePicture, StructureRole};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Time codes per second.
pub const CODES: f64 = 24.0;

/// Of shapes that name no colour.
const GREY: [f64; 3] = [0.62, 0.66, 0.7];

/// A file, and what could not be put into it.
pub struct UsdText {
    /// The file.
    pub text: String,
    /// Joints that have no counterpart: name and kind.
    pub left_out: Vec<(String, &'static str)>,
}

/// Names of prims: letters, digits and `_`, each once below its parent.
#[derive(Default)]
struct PrimNames(HashSet<String>);

impl PrimNames {
    fn of(&mut self, name: &str) -> String {
        let mut plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        let mut unique = plain.clone();
        let mut k = 1;
        while !self.0.insert(unique.clone()) {
            k += 1;
            unique = format!("{plain}_{k}");
        }
        unique
    }
}

fn triple(v: [f64; 3]) -> String {
    format!("({:?}, {:?}, {:?})", v[0], v[1], v[2])
}

/// Real part first, of length 1.
fn quaternion(x: f64, y: f64, z: f64, w: f64) -> String {
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let of = |a: f64| if length > 0.0 { a / length } else { 0.0 };
    format!("({:?}, {:?}, {:?}, {:?})", if length > 0.0 { w / length } else { 1.0 }, of(x), of(y), of(z))
}

fn text_of(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A scene in motion.
pub fn usda(picture: &Picture, scene: &Scene, motion: &SampledMotion, generator: &str) -> UsdText {
    let end = motion.times.last().copied().unwrap_or(0.0) * CODES;
    let begin = motion.times.first().copied().unwrap_or(0.0) * CODES;
    let mut out = format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {}\n    upAxis = \"Z\"\n    metersPerUnit = 1\n    \
         kilogramsPerUnit = 1\n    timeCodesPerSecond = {CODES}\n    framesPerSecond = {CODES}\n    startTimeCode = {begin:?}\n    \
         endTimeCode = {end:?}\n)\n\ndef Xform \"World\" (\n    kind = \"assembly\"\n)\n{{\n",
        text_of(&format!("{}; made by {generator}", picture.title)),
    );
    let g = Vec3::from_array(picture.gravity);
    let down = if g.length() > 0.0 { g / g.length() } else { -Vec3::Z };
    let _ = write!(
        out,
        "    def PhysicsScene \"physics\"\n    {{\n        vector3f physics:gravityDirection = {}\n        \
         float physics:gravityMagnitude = {:?}\n    }}\n\n",
        triple(down.to_array()),
        g.length()
    );
    let mut names = PrimNames::default();
    for taken in ["physics", "joints"] {
        names.of(taken);
    }
    if !picture.ground.is_empty() {
        let _ = write!(out, "    def Xform \"{}\"\n    {{\n", names.of("ground"));
        shapes(&mut out, picture, &picture.ground);
        out += "    }\n\n";
    }
    let mut prims = Vec::with_capacity(picture.bodies.len());
    for (body, places) in picture.bodies.iter().zip(&motion.bodies) {
        let prim = names.of(&body.name);
        let _ = write!(
            out,
            "    def Xform \"{prim}\" (\n        displayName = {}\n        \
             prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n    )\n    {{\n",
            text_of(&body.name)
        );
        masses(&mut out, scene, &body.name, body.mass, body.centre);
        motion_of(&mut out, &motion.times, places);
        shapes(&mut out, picture, &body.shapes);
        out += "    }\n\n";
        prims.push(prim);
    }
    let mut left_out = Vec::new();
    let mut joints = String::new();
    let mut names = PrimNames::default();
    for joint in &picture.joints {
        match joint_of(joint, &prims, motion, &mut names) {
            Some(text) => joints += &text,
            None => left_out.push((joint.name.clone(), joint.kind)),
        }
    }
    if !joints.is_empty() {
        let _ = write!(out, "    def Scope \"joints\"\n    {{\n{joints}    }}\n");
    }
    out += "}\n";
    UsdText { text: out, left_out }
}

fn masses(out: &mut String, scene: &Scene, name: &str, mass: f64, centre: [f64; 3]) {
    let _ = writeln!(out, "        float physics:mass = {mass:?}");
    let _ = writeln!(out, "        point3f physics:centerOfMass = {}", triple(centre));
    // of particles and bodies with a law of their own nothing more is known
    let Some(record) = scene.bodies.iter().find(|b| &*b.name == name).and_then(|b| b.mass) else { return };
    let (axes, moments) = symmetric_eigen(&record.inertia);
    if moments.iter().all(|m| *m > 0.0) {
        // a rotation, not a mirror
        let axes =
            if axes.determinant() < 0.0 { Mat3::from_cols(axes.x_axis, axes.y_axis, -axes.z_axis) } else { axes };
        let q = quat_from_axes(axes);
        let _ = writeln!(out, "        float3 physics:diagonalInertia = {}", triple(moments));
        let _ = writeln!(out, "        quatf physics:principalAxes = {}", quaternion(q.x, q.y, q.z, q.w));
    }
}

fn motion_of(out: &mut String, times: &[f64], places: &[BodyPlace]) {
    let turn = |q: Quat| quaternion(q.x, q.y, q.z, q.w);
    let first = places.first().copied().unwrap_or(BodyPlace { at: Vec3::ZERO, turn: Quat::IDENTITY });
    let _ = writeln!(out, "        double3 xformOp:translate = {}", triple(first.at.to_array()));
    let _ = writeln!(out, "        quatd xformOp:orient = {}", turn(first.turn));
    let mut samples = |attribute: &str, of: &dyn Fn(&BodyPlace) -> String, moves: bool| {
        if !moves {
            return;
        }
        let _ = writeln!(out, "        {attribute}.timeSamples = {{");
        for (t, place) in times.iter().zip(places) {
            let _ = writeln!(out, "            {:?}: {},", t * CODES, of(place));
        }
        *out += "        }\n";
    };
    samples("double3 xformOp:translate", &|p| triple(p.at.to_array()), places.iter().any(|p| p.at != first.at));
    samples("quatd xformOp:orient", &|p| turn(p.turn), places.iter().any(|p| p.turn != first.turn));
    *out += "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n";
}

fn shapes(out: &mut String, picture: &Picture, shapes: &[ShapePicture]) {
    for (k, shape) in shapes.iter().enumerate() {
        let Some(geometry) = picture.geometries.get(shape.geometry as usize) else { continue };
        let solid = surface(geometry, picture.size);
        if solid.triangles.is_empty() {
            continue;
        }
        let _ = write!(out, "\n        def Mesh \"shape_{k}\"\n        {{\n");
        let list = |text: &mut String, items: &mut dyn Iterator<Item = String>| {
            for (i, item) in items.enumerate() {
                if i > 0 {
                    *text += ", ";
                }
                *text += &item;
            }
            *text += "]\n";
        };
        *out += "            int[] faceVertexCounts = [";
        list(out, &mut solid.triangles.iter().map(|_| "3".to_string()));
        *out += "            int[] faceVertexIndices = [";
        list(out, &mut solid.triangles.as_flattened().iter().map(|i| i.to_string()));
        *out += "            point3f[] points = [";
        list(out, &mut solid.corners.iter().map(|c| format!("({:?}, {:?}, {:?})", c[0], c[1], c[2])));
        let low = |k: usize| solid.corners.iter().map(|c| c[k]).fold(f32::INFINITY, f32::min);
        let high = |k: usize| solid.corners.iter().map(|c| c[k]).fold(f32::NEG_INFINITY, f32::max);
        let (l, h) = ([0, 1, 2].map(low), [0, 1, 2].map(high));
        let _ = writeln!(
            out,
            "            float3[] extent = [({:?}, {:?}, {:?}), ({:?}, {:?}, {:?})]",
            l[0], l[1], l[2], h[0], h[1], h[2]
        );
        let PlacedFrame { at, turn: [x, y, z, w] } = shape.pose;
        let _ = write!(
            out,
            "            uniform token subdivisionScheme = \"none\"\n            color3f[] primvars:displayColor = [{}]\n            \
             double3 xformOp:translate = {}\n            quatd xformOp:orient = {}\n            \
             uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n        }}\n",
            triple(shape.colour.unwrap_or(GREY)),
            triple(at),
            quaternion(x, y, z, w),
        );
    }
}

/// A joint, where UsdPhysics has one that means the same.
fn joint_of(joint: &JointPicture, prims: &[String], motion: &SampledMotion, names: &mut PrimNames) -> Option<String> {
    if joint.drive || joint.role == StructureRole::Inequality {
        return None;
    }
    let (kind, axis) = match joint.kind {
        "revolute" => ("PhysicsRevoluteJoint", true),
        "prismatic" => ("PhysicsPrismaticJoint", true),
        "spherical" => ("PhysicsSphericalJoint", true),
        "weld" => ("PhysicsFixedJoint", false),
        "distance" => ("PhysicsDistanceJoint", false),
        _ => return None,
    };
    let mut out = format!(
        "        def {kind} \"{}\" (\n            displayName = {}\n        )\n        {{\n",
        names.of(&joint.name),
        text_of(&joint.name)
    );
    for (k, body, frame) in [(0, joint.a, &joint.on_a), (1, joint.b, &joint.on_b)] {
        // no body is the world
        if let Some(prim) = usize::try_from(body).ok().and_then(|b| prims.get(b)) {
            let _ = writeln!(out, "            rel physics:body{k} = </World/{prim}>");
        }
        let [x, y, z, w] = frame.turn;
        let _ = writeln!(out, "            point3f physics:localPos{k} = {}", triple(frame.at));
        let _ = writeln!(out, "            quatf physics:localRot{k} = {}", quaternion(x, y, z, w));
    }
    if axis {
        out += "            uniform token physics:axis = \"Z\"\n";
    }
    if kind == "PhysicsDistanceJoint" {
        let place = |body: i64, frame: &PlacedFrame| {
            let at = Vec3::from_array(frame.at);
            let first = usize::try_from(body).ok().and_then(|b| motion.bodies.get(b)?.first());
            first.map_or(at, |p| p.at + Mat3::from_quat(p.turn) * at)
        };
        let length = (place(joint.b, &joint.on_b) - place(joint.a, &joint.on_a)).length();
        for bound in ["min", "max"] {
            let _ = writeln!(out, "            float physics:{bound}Distance = {length:?}");
        }
    }
    Some(out + "        }\n\n")
}

//! glTF 2.0: bodies as nodes with their shapes, and their motion as an animation.
//!
//! ```text
//! scene - "world" (turned: z upwards becomes y upwards) - ground - its shapes
//!                                                       - body   - its shapes      translation and rotation animated
//! ```
//!
//! Positions are those of the motion in single precision; between samples viewers go straight, and along the shortest
//! turn. Shapes that look the same are one mesh. There are no normals: viewers then shade the triangles flat.

use crate::motion::SampledMotion;
use crate::solids::surface;
use holonom_view::message::Triple;
use holonom_view::picture::{Picture, ShapePicture};
use serde_json::{Value, json};
use std::collections::HashMap;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
/// Of shapes that name no colour.
const GREY: Triple = [0.62, 0.66, 0.7];

/// The parts of a file in the making.
#[derive(Default)]
struct Writer {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    /// Geometry and material of every mesh.
    known: HashMap<(u32, usize), usize>,
    known_materials: HashMap<[u64; 3], usize>,
    /// Accessors of corners and triangles, geometry by geometry.
    solids: HashMap<u32, (usize, usize)>,
}

impl Writer {
    /// Numbers as an accessor; `target` says what a view of corners or of triangles is for.
    fn put<const N: usize>(&mut self, rows: &[[f32; N]], kind: &str, target: Option<u32>, bounds: bool) -> usize {
        let offset = self.binary.len();
        for x in rows.as_flattened() {
            self.binary.extend_from_slice(&x.to_le_bytes());
        }
        let mut accessor = json!({"componentType": FLOAT, "count": rows.len(), "type": kind});
        if bounds {
            let fold = |start: f32, f: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|k| rows.iter().fold(start, |a, r| f(a, r[k]))).collect()
            };
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        self.accessor(offset, accessor, target)
    }

    fn accessor(&mut self, offset: usize, mut accessor: Value, target: Option<u32>) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": self.binary.len() - offset});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn material(&mut self, colour: Triple) -> usize {
        if let Some(known) = self.known_materials.get(&colour.map(f64::to_bits)) {
            return *known;
        }
        // files have linear light, colours of scenes are those of screens
        let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        let [r, g, b] = colour.map(|c| linear(c.clamp(0.0, 1.0)));
        self.materials.push(json!({
            "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6},
            "doubleSided": true,
        }));
        self.known_materials.insert(colour.map(f64::to_bits), self.materials.len() - 1);
        self.materials.len() - 1
    }

    fn mesh(&mut self, picture: &Picture, shape: &ShapePicture) -> Option<usize> {
        let material = self.material(shape.colour.unwrap_or(GREY));
        if let Some(known) = self.known.get(&(shape.geometry, material)) {
            return Some(*known);
        }
        let (corners, triangles) = match self.solids.get(&shape.geometry) {
            Some(known) => *known,
            None => {
                let solid = surface(picture.geometries.get(shape.geometry as usize)?, picture.size);
                if solid.triangles.is_empty() {
                    return None;
                }
                let corners = self.put(&solid.corners, "VEC3", Some(34962), true);
                let offset = self.binary.len();
                for k in solid.triangles.as_flattened() {
                    self.binary.extend_from_slice(&k.to_le_bytes());
                }
                let count = 3 * solid.triangles.len();
                let accessor = json!({"componentType": UNSIGNED, "count": count, "type": "SCALAR"});
                let made = (corners, self.accessor(offset, accessor, Some(34963)));
                self.solids.insert(shape.geometry, made);
                made
            }
        };
        let primitive = json!({"attributes": {"POSITION": corners}, "indices": triangles, "material": material});
        self.meshes.push(json!({"primitives": [primitive]}));
        self.known.insert((shape.geometry, material), self.meshes.len() - 1);
        Some(self.meshes.len() - 1)
    }

    /// Nodes of shapes.
    fn shapes(&mut self, picture: &Picture, shapes: &[ShapePicture]) -> Vec<usize> {
        let mut made = Vec::new();
        for shape in shapes {
            let Some(mesh) = self.mesh(picture, shape) else { continue };
            let mut node = json!({"mesh": mesh});
            if shape.pose.at != [0.0; 3] {
                node["translation"] = json!(shape.pose.at.map(|x| x as f32));
            }
            if shape.pose.turn != [0.0, 0.0, 0.0, 1.0] {
                node["rotation"] = json!(unit(shape.pose.turn));
            }
            made.push(self.node(node));
        }
        made
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// A quaternion of length 1 in single precision.
fn unit(q: [f64; 4]) -> [f32; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { q.map(|x| (x / length) as f32) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The document and its binary part.
fn document(picture: &Picture, motion: &SampledMotion, generator: &str) -> (Value, Vec<u8>) {
    let mut w = Writer::default();
    let mut children = Vec::new();
    let on_ground = w.shapes(picture, &picture.ground);
    if !on_ground.is_empty() {
        children.push(w.node(json!({"name": "ground", "children": on_ground})));
    }
    let times: Vec<[f32; 1]> = motion.times.iter().map(|t| [*t as f32]).collect();
    // samples nearer to each other than single precision are one
    let kept: Vec<usize> = (0..times.len()).filter(|k| *k == 0 || times[*k][0] > times[k - 1][0]).collect();
    let times: Vec<[f32; 1]> = kept.iter().map(|k| times[*k]).collect();
    let input = (times.len() > 1).then(|| w.put(&times, "SCALAR", None, true));
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (body, places) in picture.bodies.iter().zip(&motion.bodies) {
        let shapes = w.shapes(picture, &body.shapes);
        let at: Vec<[f32; 3]> = kept.iter().map(|k| places[*k].at.to_array().map(|x| x as f32)).collect();
        let turn = |k: &usize| unit(places[*k].turn.to_array());
        let turn: Vec<[f32; 4]> = kept.iter().map(turn).collect();
        let mut node = json!({"name": body.name});
        if let (Some(at), Some(turn)) = (at.first(), turn.first()) {
            (node["translation"], node["rotation"]) = (json!(at), json!(turn));
        }
        if !shapes.is_empty() {
            node["children"] = json!(shapes);
        }
        let node = w.node(node);
        children.push(node);
        let Some(input) = input else { continue };
        let mut animate = |output: usize, path: &str| {
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        };
        if at.iter().any(|p| *p != at[0]) {
            animate(w.put(&at, "VEC3", None, false), "translation");
        }
        if turn.iter().any(|q| *q != turn[0]) {
            animate(w.put(&turn, "VEC4", None, false), "rotation");
        }
    }
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut world = json!({"name": "world", "rotation": [-half, 0.0, 0.0, half]});
    if !children.is_empty() {
        world["children"] = json!(children);
    }
    let world = w.node(world);
    let mut root = json!({
        "asset": {"version": "2.0", "generator": generator},
        "scene": 0,
        "scenes": [{"name": picture.title, "nodes": [world]}],
        "nodes": w.nodes,
    });
    let lists =
        [("meshes", w.meshes), ("materials", w.materials), ("accessors", w.accessors), ("bufferViews", w.views)];
    // lists of nothing are not allowed
    for (name, list) in lists.into_iter().filter(|l| !l.1.is_empty()) {
        root[name] = json!(list);
    }
    if !channels.is_empty() {
        root["animations"] = json!([{"name": "motion", "channels": channels, "samplers": samplers}]);
    }
    (root, w.binary)
}

/// As one binary file, `.glb`.
pub fn glb(picture: &Picture, motion: &SampledMotion, generator: &str) -> Vec<u8> {
    let (mut root, mut binary) = document(picture, motion, generator);
    if !binary.is_empty() {
        root["buffers"] = json!([{"byteLength": binary.len()}]);
    }
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let chunks = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let mut out = b"glTF".to_vec();
    for n in [2, (12 + 8 + text.len() + chunks) as u32, text.len() as u32] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&text);
    if !binary.is_empty() {
        out.extend_from_slice(&(binary.len() as u32).to_le_bytes());
        out.extend_from_slice(b"BIN\0");
        out.extend_from_slice(&binary);
    }
    out
}

/// As one text with the numbers in it, `.gltf`.
pub fn gltf(picture: &Picture, motion: &SampledMotion, generator: &str) -> String {
    let (mut root, binary) = document(picture, motion, generator);
    if !binary.is_empty() {
        let address = format!("data:application/octet-stream;base64,{}", base64(&binary));
        root["buffers"] = json!([{"byteLength": binary.len(), "uri": address}]);
    }
    root.to_string()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |w, k| w << 8 | u32::from(three.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize] as char;
            out.push(if k > three.len() { '=' } else { letter });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_letters() {
        for (bytes, text) in [("", ""), ("M", "TQ=="), ("Ma", "TWE="), ("Man", "TWFu"), ("hello!", "aGVsbG8h")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}

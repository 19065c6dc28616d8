//! Shapes of a scene as geometries, each listed once, and how large the mechanism is.
//!
//! Meshes with too many triangles are thinned out by merging corners that fall into the same cell of a grid; cells grow
//! until what is left fits. Sizes stay what they are to within a cell, and holes do not open: triangles only ever
//! collapse.

use super::frames::JointSides;
use super::{GeometryPicture, PlacedFrame, ShapePicture, is_somewhere};
use holonom::math::{Vec3, vec3};
use holonom::{Attachment, BodyId, Model};
use holonom_scene::Scene;
use holonom_scene::mesh::Mesh;
use holonom_scene::scene::{self, Heights, ShapeRecord};
use std::collections::HashMap;
use std::sync::Arc;

/// Triangles of all meshes together that a page is asked to draw.
pub const MOST_TRIANGLES: usize = 200_000;
/// No mesh is thinned out below this.
const FEWEST_TRIANGLES: usize = 200;

/// What makes two geometries the same: their kind and numbers, bit for bit; for meshes the place in memory that they
/// share.
type Key = (u8, [u64; 3]);

/// Geometries in the making.
#[derive(Default)]
pub struct ShapePictures {
    known: HashMap<Key, u32>,
    all: Vec<GeometryPicture>,
    /// Meshes are kept alive, so that no other can take their place in memory.
    meshes: Vec<Arc<Mesh>>,
    heights: Vec<Arc<Heights>>,
}

impl ShapePictures {
    /// Those of a list that can be seen.
    pub fn all(&mut self, shapes: &[ShapeRecord]) -> Vec<ShapePicture> {
        let seen = shapes.iter().filter(|s| s.visible);
        let picture = |s: &ShapeRecord| ShapePicture {
            geometry: self.number(&s.geometry),
            pose: PlacedFrame::from(&s.pose),
            colour: s.colour,
        };
        seen.map(picture).collect()
    }

    /// A point that stands for a body without shapes.
    pub fn point(&mut self, at: Vec3) -> ShapePicture {
        let pose = PlacedFrame { at: at.to_array(), turn: [0.0, 0.0, 0.0, 1.0] };
        ShapePicture { geometry: self.number(&scene::Geometry::Point), pose, colour: None }
    }

    fn number(&mut self, geometry: &scene::Geometry) -> u32 {
        use scene::Geometry as G;
        let bits = |n: [f64; 3]| n.map(f64::to_bits);
        let key: Key = match geometry {
            G::Box(size) => (0, bits(size.to_array())),
            G::Sphere(r) => (1, bits([*r, 0.0, 0.0])),
            G::Ellipsoid(radii) => (2, bits(radii.to_array())),
            G::Cylinder(r, l) => (3, bits([*r, *l, 0.0])),
            G::Capsule(r, l) => (4, bits([*r, *l, 0.0])),
            G::Cone(r, h) => (5, bits([*r, *h, 0.0])),
            G::Tube(inner, outer, length) => (6, bits([*inner, *outer, *length])),
            G::Torus(radius, tube) => (7, bits([*radius, *tube, 0.0])),
            G::Mesh(mesh) => (8, [Arc::as_ptr(mesh) as usize as u64, 0, 0]),
            G::Heights(heights) => (9, [Arc::as_ptr(heights) as usize as u64, 0, 0]),
            G::Point => (10, [0; 3]),
            G::Plane => (11, [0; 3]),
        };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let made = match geometry {
            G::Box(size) => GeometryPicture::Box { size: size.to_array() },
            G::Sphere(radius) => GeometryPicture::Sphere { radius: *radius },
            G::Ellipsoid(radii) => GeometryPicture::Ellipsoid { radii: radii.to_array() },
            G::Cylinder(radius, length) => GeometryPicture::Cylinder { radius: *radius, length: *length },
            G::Capsule(radius, length) => GeometryPicture::Capsule { radius: *radius, length: *length },
            G::Cone(radius, height) => GeometryPicture::Cone { radius: *radius, height: *height },
            G::Tube(inner, outer, length) => GeometryPicture::Tube { inner: *inner, outer: *outer, length: *length },
            G::Torus(radius, tube) => GeometryPicture::Torus { radius: *radius, tube: *tube },
            G::Mesh(mesh) => {
                self.meshes.push(mesh.clone());
                triangles(mesh.vertices.iter().copied(), mesh.triangles.iter().map(|t| t.map(|i| i as u32)))
            }
            G::Heights(heights) => {
                self.heights.push(heights.clone());
                ground(heights)
            }
            G::Point => GeometryPicture::Point,
            G::Plane => GeometryPicture::Plane,
        };
        let number = self.all.len() as u32;
        self.all.push(made);
        self.known.insert(key, number);
        number
    }

    /// The geometries, and what is to be said about them.
    pub fn finish(self) -> (Vec<GeometryPicture>, Vec<String>) {
        let mut all = self.all;
        let total: usize = all.iter().map(n_triangles).sum();
        if total <= MOST_TRIANGLES {
            return (all, Vec::new());
        }
        for geometry in &mut all {
            let share = n_triangles(geometry) as f64 / total as f64 * MOST_TRIANGLES as f64;
            if let GeometryPicture::Mesh { positions, triangles } = geometry {
                thin_out(positions, triangles, (share as usize).max(FEWEST_TRIANGLES));
            }
        }
        let left: usize = all.iter().map(n_triangles).sum();
        let note = format!(
            "The meshes have {total} triangles; they are drawn with {left}. The motion does not depend on that."
        );
        (all, vec![note])
    }
}

fn n_triangles(geometry: &GeometryPicture) -> usize {
    if let GeometryPicture::Mesh { triangles, .. } = geometry { triangles.len() / 3 } else { 0 }
}

fn triangles(corners: impl Iterator<Item = Vec3>, triangles: impl Iterator<Item = [u32; 3]>) -> GeometryPicture {
    let positions = corners.flat_map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
    GeometryPicture::Mesh { positions, triangles: triangles.flatten().collect() }
}

/// A height field as triangles, seen from above.
fn ground(h: &Heights) -> GeometryPicture {
    let (rows, columns) = (h.rows as usize, h.columns as usize);
    let along = |i: usize, n: usize, size: f64| size * (i as f64 / (n.max(2) - 1) as f64 - 0.5);
    let corner = |k: usize| {
        let (row, column) = (k / columns.max(1), k % columns.max(1));
        let height = h.heights.get(k).copied().unwrap_or(0.0);
        vec3(along(column, columns, h.size[0]), along(row, rows, h.size[1]), height)
    };
    let cells = (1..rows).flat_map(|r| (1..columns).map(move |c| (r * columns + c) as u32));
    let width = columns as u32;
    let halves = cells.flat_map(move |k| [[k - width - 1, k - width, k], [k - width - 1, k, k - 1]]);
    triangles((0..rows * columns).map(corner), halves)
}

/// Merge corners until at most so many triangles are left.
fn thin_out(positions: &mut Vec<f32>, triangles: &mut Vec<u32>, most: usize) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in positions.chunks_exact(3) {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
        }
    }
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f32::max);
    let mut cells = 1024.0f32;
    while triangles.len() / 3 > most && cells >= 2.0 {
        let cell = longest / cells;
        let of = |p: &[f32]| [0, 1, 2].map(|k| ((p[k] - low[k]) / cell) as u32);
        let mut number: HashMap<[u32; 3], u32> = HashMap::new();
        let mut kept: Vec<f32> = Vec::new();
        let new: Vec<u32> = positions
            .chunks_exact(3)
            .map(|p| {
                *number.entry(of(p)).or_insert_with(|| {
                    kept.extend_from_slice(p);
                    (kept.len() / 3 - 1) as u32
                })
            })
            .collect();
        let left = triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|i| new.get(i as usize).copied()));
        *triangles = left
            .filter_map(|t| Some([t[0]?, t[1]?, t[2]?]))
            .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            .flatten()
            .collect();
        *positions = kept;
        cells *= 0.7;
    }
}

/// A box that grows.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    const NOTHING: Bounds = Bounds { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn add(&mut self, p: Vec3) {
        if p.is_finite() {
            (self.low, self.high) = (self.low.min(p), self.high.max(p));
        }
    }

    /// Zero where there is nothing.
    fn diagonal(&self) -> f64 {
        if self.low.cmple(self.high).all() { (self.high - self.low).length() } else { 0.0 }
    }
}

/// How far beyond itself a mechanism is looked at to see the plane below it, in its own sizes.
const REACH: f64 = 20.0;

/// Diagonal of the box around all shapes of bodies and all points of joints at the start, and the nearest point of
/// planes that are not far; the length scale of the model where all of that is one point.
pub fn extent(scene: &Scene, model: &Model, frames: &[JointSides]) -> f64 {
    let state = model.initial_state();
    let mut all = Bounds::NOTHING;
    let place = |body: BodyId, p: Vec3| match is_somewhere(model, body) {
        true => model.carried(state, &Attachment::point(body, p)),
        false => None,
    };
    // meshes are shared: each is measured once
    let mut measured: HashMap<*const Mesh, Option<(Vec3, Vec3)>> = HashMap::new();
    for (id, body) in model.bodies().zip(&scene.bodies) {
        let Some(origin) = place(id, Vec3::ZERO) else { continue };
        let axis = |d: Vec3| model.carried(state, &Attachment::direction(id, d));
        let axes = axis(Vec3::X).zip(axis(Vec3::Y)).zip(axis(Vec3::Z));
        all.add(model.centre(state, id));
        for shape in body.shapes.iter() {
            let within = match &shape.geometry {
                scene::Geometry::Mesh(mesh) => {
                    *measured.entry(Arc::as_ptr(mesh)).or_insert_with(|| shape.geometry.bounds())
                }
                other => other.bounds(),
            };
            let Some((low, high)) = within else { continue };
            for corner in 0..8 {
                let pick = |k: usize| if corner >> k & 1 == 0 { low[k] } else { high[k] };
                let p = shape.pose.point(vec3(pick(0), pick(1), pick(2)));
                all.add(match axes {
                    Some(((x, y), z)) => origin + x * p.x + y * p.y + z * p.z,
                    None => origin + p,
                });
            }
        }
    }
    for side in frames.iter().flat_map(|f| [f.a, f.b]) {
        if let Some(p) = place(side.body, side.point) {
            all.add(p);
        }
    }
    let alone = all.diagonal();
    for shape in scene.ground_shapes.iter().filter(|s| matches!(s.geometry, scene::Geometry::Plane)) {
        let middle = shape.pose.local(0.5 * (all.low + all.high));
        let below = shape.pose.point(vec3(middle.x, middle.y, 0.0));
        if middle.z.abs() <= REACH * alone {
            all.add(below);
        }
    }
    match all.diagonal() {
        size if size > 0.0 && size.is_finite() => size,
        _ => model.length_scale(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_too_large_is_thinned_out_and_keeps_its_size() {
        let n = 400u32;
        let heights = (0..n * n).map(|k| 0.1 * libm::sin((k % n) as f64 / 20.0)).collect();
        let field = Heights { size: [8.0, 4.0], rows: n, columns: n, heights };
        let mut shapes = ShapePictures::default();
        let (field, ball) = (scene::Geometry::Heights(Arc::new(field)), scene::Geometry::Sphere(1.0));
        assert_eq!([&field, &ball, &field, &ball].map(|g| shapes.number(g)), [0, 1, 0, 1]);
        let (all, notes) = shapes.finish();
        assert_eq!((all.len(), notes.len()), (2, 1));
        let GeometryPicture::Mesh { positions, triangles } = &all[0] else { panic!("{:?}", all[0]) };
        let left = triangles.len() / 3;
        assert!((10_000..=MOST_TRIANGLES).contains(&left), "{left}");
        assert!(triangles.iter().all(|&i| (i as usize) < positions.len() / 3));
        let reach = |k: usize| positions.chunks_exact(3).map(|p| p[k]).fold(f32::NEG_INFINITY, f32::max);
        assert!((reach(0) - 4.0).abs() < 0.05 && (reach(1) - 2.0).abs() < 0.05, "{} {}", reach(0), reach(1));
    }

    #[test]
    fn a_height_field_faces_up() {
        let field = Heights { size: [2.0, 2.0], rows: 2, columns: 2, heights: vec![0.0; 4] };
        let GeometryPicture::Mesh { positions, triangles } = ground(&field) else { panic!("a mesh") };
        assert_eq!(triangles.len(), 6);
        for t in triangles.chunks_exact(3) {
            let p = |i: u32| Vec3::from_slice(&[0, 1, 2].map(|k| positions[3 * i as usize + k] as f64));
            assert!((p(t[1]) - p(t[0])).cross(p(t[2]) - p(t[0])).z > 0.0);
        }
    }
}

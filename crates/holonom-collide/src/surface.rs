//! Surfaces of triangles, prepared: corners welded, edges and what sticks out of them, flat neighbours as one plane, a
//! tree of bounds.
//!
//! Solid is behind the triangles of a surface that closes. One that has a border (a bowl, a sheet, a soup with holes)
//! has two sides, and shapes meet that on which their middle is: the other side is a surface of its own, with the
//! triangles turned over. An edge *sticks out* if the surface bends away from the outside there, or ends there; a seam
//! or a valley does not, and is never touched: what touches near it touches the faces.

use std::collections::BTreeMap;

use crate::broad_phase::{Aabb, AabbTree};
use crate::polyhedron::NONE;
use crate::shape::field_point;
use crate::{RigidTransform, Vec3};

/// Bends with a smaller sine than this are seams.
const SEAM: f64 = 1e-9;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceRidge {
    /// Corners at its ends, in the order of the first triangle.
    pub ends: [u32; 2],
    /// In the planes of the two triangles, out of them across the edge; for a border, the second is the normal of the
    /// first triangle. What is nearest to the edge lies in front of both.
    pub across: [Vec3; 2],
    /// Unit, from the first end to the second.
    pub along: Vec3,
    pub sticks_out: bool,
    /// The surface ends here.
    pub border: bool,
}

impl SurfaceRidge {
    /// The same two directions for a shape whose middle is at `from`: beside the border of a sheet it may be behind the
    /// plane of the triangle there.
    pub fn arc(&self, from: Vec3, end: Vec3) -> [Vec3; 2] {
        let [across, n] = self.across;
        if self.border && n.dot(from - end) < 0.0 { [across, -n] } else { [across, n] }
    }
}

/// A surface in the axes of its carrier.
pub(crate) struct TriangleSurface {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub normals: Vec<Vec3>,
    /// The triangle whose plane a triangle lies in: itself, or a flat neighbour.
    pub planes: Vec<u32>,
    pub ridges: Vec<SurfaceRidge>,
    /// Edges of each triangle; the k-th joins corner k with the next.
    pub edges: Vec<[u32; 3]>,
    /// Edges around each corner: `fans[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    fans: Vec<u32>,
    /// Whether a corner sticks out with its edges.
    pub corner_out: Vec<bool>,
    /// Whether everything below is solid, and which way is up.
    pub up: Option<Vec3>,
    pub extent: f64,
    tree: AabbTree,
    /// The other side, where the surface has a border.
    back: Option<Box<TriangleSurface>>,
}

impl TriangleSurface {
    pub fn new(place: &RigidTransform, points: &[Vec3], triangles: &[[u32; 3]], solid_below: bool) -> TriangleSurface {
        let mut surface = TriangleSurface::one_side(place, points, triangles, solid_below);
        if !solid_below && surface.ridges.iter().any(|r| r.border) {
            let over: Vec<[u32; 3]> = triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
            surface.back = Some(Box::new(TriangleSurface::one_side(place, points, &over, false)));
        }
        surface
    }

    /// The side that a point is on.
    pub fn side_of(&self, x: Vec3, stack: &mut Vec<(f64, u32)>) -> &TriangleSurface {
        match &self.back {
            Some(back) if self.is_behind(x, stack) => back,
            _ => self,
        }
    }

    /// Whether a point is behind what of the surface is nearest to it.
    fn is_behind(&self, x: Vec3, stack: &mut Vec<(f64, u32)>) -> bool {
        let same = 1e-12 * self.extent;
        let (mut least, mut height) = (f64::INFINITY, 0.0f64);
        self.tree.nearest(x, stack, |t| {
            let corners = self.corners(t);
            let distance = (x - nearest_on_triangle(&corners, x)).length();
            let above = self.normals[t as usize].dot(x - corners[0]);
            // At an edge several are equally near: the one that is seen most squarely knows.
            if distance < least - same || (distance < least + same && above.abs() > height.abs()) {
                (least, height) = (distance.min(least), above);
            }
            // all that are equally near are to be seen
            (least + same) * (least + same)
        });
        height < 0.0
    }

    fn one_side(place: &RigidTransform, points: &[Vec3], triangles: &[[u32; 3]], solid_below: bool) -> TriangleSurface {
        let (number, vertices) = weld(points);
        let vertices: Vec<Vec3> = vertices.iter().map(|v| place.point(*v)).collect();
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals: Vec<Vec3> = triangles.iter().map(normal).collect();
        let low = vertices.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
        let high = vertices.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
        let mut surface = TriangleSurface {
            vertices,
            normals,
            planes: Vec::new(),
            ridges: Vec::new(),
            edges: vec![[NONE; 3]; triangles.len()],
            starts: Vec::new(),
            fans: Vec::new(),
            corner_out: Vec::new(),
            up: solid_below.then_some(place.rotation.z_axis),
            extent: (high - low).length(),
            tree: AabbTree::default(),
            back: None,
            triangles,
        };
        let neighbours = surface.find_edges();
        surface.find_planes(&neighbours);
        surface.find_fans();
        let bounds: Vec<Aabb> = (0..surface.triangles.len() as u32)
            .map(|t| {
                let [a, b, c] = surface.corners(t);
                Aabb { low: a.min(b).min(c), high: a.max(b).max(c) }
            })
            .collect();
        surface.tree.build(&bounds);
        surface
    }

    /// A height field: two triangles per cell.
    pub fn field(place: &RigidTransform, heights: &[f64], rows: u32, columns: u32, size: [f64; 2]) -> TriangleSurface {
        let points: Vec<Vec3> = (0..heights.len()).map(|i| field_point(heights, rows, columns, size, i)).collect();
        let mut triangles = Vec::with_capacity(2 * points.len());
        for row in 0..rows.saturating_sub(1) {
            for column in 0..columns.saturating_sub(1) {
                let at = |r: u32, c: u32| (row + r) * columns + column + c;
                triangles.push([at(0, 0), at(0, 1), at(1, 1)]);
                triangles.push([at(0, 0), at(1, 1), at(1, 0)]);
            }
        }
        TriangleSurface::new(place, &points, &triangles, true)
    }

    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// The point of the surface nearest to `x`. `stack` is memory.
    pub fn nearest_point(&self, x: Vec3, stack: &mut Vec<(f64, u32)>) -> Vec3 {
        let (mut best, mut found) = (f64::INFINITY, x);
        self.tree.nearest(x, stack, |t| {
            let y = nearest_on_triangle(&self.corners(t), x);
            let square = (y - x).length_squared();
            if square < best {
                (best, found) = (square, y);
            }
            square
        });
        found
    }

    /// Where a ray first crosses a triangle from its front, at most `most` (m) along a direction of length 1, and its
    /// normal. `stack` is memory.
    ///
    /// Which side of an edge the ray passes on is judged by the volume of the tetrahedron of the edge and two points of
    /// the ray, the same number but for its sign for both triangles of an edge: rays do not slip through seams.
    pub fn ray(&self, o: Vec3, d: Vec3, most: f64, stack: &mut Vec<(f64, u32)>) -> Option<(f64, Vec3)> {
        let mut best: Option<(f64, Vec3)> = None;
        self.tree.along(o, d, most, stack, |t| {
            let n = self.normals[t as usize];
            let rate = n.dot(d);
            if !(rate < 0.0) {
                return f64::INFINITY;
            }
            let v = self.triangles[t as usize];
            let passes = |k: usize| {
                let (i, j) = (v[k], v[(k + 1) % 3]);
                let (low, high) = (self.vertices[i.min(j) as usize] - o, self.vertices[i.max(j) as usize] - o);
                let volume = d.dot(low.cross(high));
                if i < j { -volume } else { volume }
            };
            let height = n.dot(o - self.corners(t)[0]);
            let s = -height / rate;
            if s < 0.0 || !(0..3).all(|k| passes(k) >= 0.0) {
                return f64::INFINITY;
            }
            if best.is_none_or(|b| s < b.0) {
                best = Some((s, n));
            }
            s
        });
        best
    }

    /// Numbers the edges and finds which stick out; gives the neighbours of each triangle.
    fn find_edges(&mut self) -> Vec<[u32; 3]> {
        let mut neighbours = vec![[NONE; 3]; self.triangles.len()];
        // Undirected edge -> the first triangle that has it, until a second comes that runs the other way.
        let mut waiting: BTreeMap<(u32, u32), (u32, usize)> = BTreeMap::new();
        for t in 0..self.triangles.len() as u32 {
            for k in 0..3 {
                let v = self.triangles[t as usize];
                let (from, to) = (v[k], v[(k + 1) % 3]);
                if let Some((s, j)) = waiting.remove(&(to, from)) {
                    neighbours[t as usize][k] = s;
                    neighbours[s as usize][j] = t;
                    let number = self.edges[s as usize][j];
                    self.edges[t as usize][k] = number;
                    self.close(number, s, t, v[(k + 2) % 3]);
                } else {
                    let number = self.ridges.len() as u32;
                    self.edges[t as usize][k] = number;
                    self.open(t, from, to);
                    waiting.insert((from, to), (t, k));
                }
            }
        }
        neighbours
    }

    /// An edge with one triangle: a border, unless it is closed.
    fn open(&mut self, triangle: u32, from: u32, to: u32) {
        let along = (self.vertices[to as usize] - self.vertices[from as usize]).normalize();
        let n = self.normals[triangle as usize];
        self.ridges.push(SurfaceRidge {
            ends: [from, to],
            across: [along.cross(n), n],
            along,
            sticks_out: true,
            border: true,
        });
    }

    /// The second triangle of an edge, with the corner opposite.
    fn close(&mut self, number: u32, first: u32, second: u32, opposite: u32) {
        let n = self.normals[first as usize];
        let ridge = &mut self.ridges[number as usize];
        let arm = self.vertices[opposite as usize] - self.vertices[ridge.ends[0] as usize];
        let away = (arm - ridge.along * arm.dot(ridge.along)).length();
        ridge.across[1] = self.normals[second as usize].cross(ridge.along);
        ridge.sticks_out = n.dot(arm) < -SEAM * away;
        ridge.border = false;
    }

    /// Flat neighbours get the plane of the triangle with the lowest index.
    fn find_planes(&mut self, neighbours: &[[u32; 3]]) {
        self.planes = vec![NONE; self.triangles.len()];
        let flat = 1e-12 * self.extent;
        let mut group = Vec::new();
        for seed in 0..self.triangles.len() as u32 {
            if self.planes[seed as usize] != NONE {
                continue;
            }
            let (n, o) = (self.normals[seed as usize], self.corners(seed)[0]);
            self.planes[seed as usize] = seed;
            group.clear();
            group.push(seed);
            let mut k = 0;
            while k < group.len() {
                for &other in &neighbours[group[k] as usize] {
                    if other != NONE
                        && self.planes[other as usize] == NONE
                        && n.dot(self.normals[other as usize]) > 0.0
                        && self.corners(other).iter().all(|x| n.dot(*x - o).abs() <= flat)
                    {
                        self.planes[other as usize] = seed;
                        group.push(other);
                    }
                }
                k += 1;
            }
        }
    }

    fn find_fans(&mut self) {
        let mut counts = vec![0u32; self.vertices.len() + 1];
        self.corner_out = vec![false; self.vertices.len()];
        for ridge in &self.ridges {
            for v in ridge.ends {
                counts[v as usize + 1] += 1;
                self.corner_out[v as usize] |= ridge.sticks_out;
            }
        }
        for v in 0..self.vertices.len() {
            counts[v + 1] += counts[v];
        }
        self.starts = counts.clone();
        self.fans = vec![0; 2 * self.ridges.len()];
        for (e, ridge) in self.ridges.iter().enumerate() {
            for v in ridge.ends {
                self.fans[counts[v as usize] as usize] = e as u32;
                counts[v as usize] += 1;
            }
        }
        // A place in the middle of a straight edge is no corner.
        for v in 0..self.vertices.len() as u32 {
            let mut out = self.fan(v).iter().map(|e| &self.ridges[*e as usize]).filter(|r| r.sticks_out);
            if let (Some(r), Some(s), None) = (out.next(), out.next(), out.next()) {
                let away = |r: &SurfaceRidge| if r.ends[0] == v { r.along } else { -r.along };
                self.corner_out[v as usize] = (away(r) + away(s)).length() > SEAM;
            }
        }
    }

    /// Edges at a corner.
    fn fan(&self, corner: u32) -> &[u32] {
        &self.fans[self.starts[corner as usize] as usize..self.starts[corner as usize + 1] as usize]
    }

    /// Whether a direction from a corner leads where the corner is nearest: behind the ends of all its edges, outside.
    pub fn in_cone(&self, corner: u32, direction: Vec3, slack: f64) -> bool {
        let mut outside = false;
        for &e in self.fan(corner) {
            let ridge = &self.ridges[e as usize];
            let along = if ridge.ends[0] == corner { ridge.along } else { -ridge.along };
            if along.dot(direction) > slack {
                return false;
            }
            // The normal of the edge's first triangle.
            outside |= ridge.across[0].cross(ridge.along).dot(direction) > 0.0;
        }
        outside
    }

    /// Whether a point is outside, judged by what of the surface is nearest to it, no farther than `within` (m).
    /// Nothing there, or beside the border of the surface: outside.
    pub fn outside(&self, x: Vec3, within: f64, stack: &mut Vec<u32>, found: &mut Vec<u32>) -> bool {
        let reach = Vec3::splat(within);
        self.near(&Aabb { low: x - reach, high: x + reach }, stack, found);
        let same = 1e-12 * self.extent;
        let (mut least, mut height, mut ends) = (f64::INFINITY, 0.0f64, false);
        for &t in found.iter() {
            let corners = self.corners(t);
            let y = nearest_of(&corners, x);
            let distance = (x - y).length();
            let above = self.normals[t as usize].dot(x - corners[0]);
            // At an edge several are equally near: the one that is seen most squarely knows.
            if distance < least - same || (distance < least + same && above.abs() > height.abs()) {
                (least, height) = (distance.min(least), above);
                ends = distance > above.abs() + same && self.on_border(t, y, same);
            }
        }
        !(least <= within) || height > 0.0 || ends && self.up.is_none()
    }

    /// Whether a place of a triangle is on the border of the surface, to `same`, m.
    fn on_border(&self, triangle: u32, y: Vec3, same: f64) -> bool {
        self.edges[triangle as usize].iter().map(|e| &self.ridges[*e as usize]).filter(|r| r.border).any(|ridge| {
            let arm = y - self.vertices[ridge.ends[0] as usize];
            (arm - ridge.along * arm.dot(ridge.along)).length() <= same
        })
    }

    /// Whether the way from one point to another leads through one of these triangles, from its front to its back.
    pub fn passed(&self, from: Vec3, to: Vec3, triangles: &[u32]) -> bool {
        let slack = 1e-9 * self.extent;
        triangles.iter().any(|&t| {
            let (corners, n) = (self.corners(t), self.normals[t as usize]);
            let (before, after) = (n.dot(from - corners[0]), n.dot(to - corners[0]));
            if !(before > 0.0 && after < 0.0) {
                return false;
            }
            let through = from + (to - from) * (before / (before - after));
            (0..3).all(|k| {
                let out = (corners[(k + 1) % 3] - corners[k]).cross(n);
                out.dot(through - corners[k]) <= slack * out.length()
            })
        })
    }

    /// Triangles whose bounds overlap these, sorted. `stack` is memory.
    pub fn near(&self, extent: &Aabb, stack: &mut Vec<u32>, found: &mut Vec<u32>) {
        self.tree.near(extent, stack, found);
    }
}

/// The point of a triangle that is nearest to `x`.
fn nearest_of(corners: &[Vec3; 3], x: Vec3) -> Vec3 {
    let [a, b, c] = *corners;
    let n = (b - a).cross(c - a);
    let inside = (0..3).all(|k| (corners[(k + 1) % 3] - corners[k]).cross(n).dot(x - corners[k]) <= 0.0);
    if inside {
        return x - n * (n.dot(x - a) / n.length_squared());
    }
    let mut best = (f64::INFINITY, a);
    for k in 0..3 {
        let (from, d) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let on = from + d * ((x - from).dot(d) / d.length_squared()).clamp(0.0, 1.0);
        let square = (x - on).length_squared();
        if square < best.0 {
            best = (square, on);
        }
    }
    best.1
}

/// Points that are equal to the last bit become one: new numbers, and the points left.
fn weld(points: &[Vec3]) -> (Vec<u32>, Vec<Vec3>) {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    // Adding zero makes -0 and 0 the same.
    let key = |i: u32| (points[i as usize] + Vec3::ZERO).to_array();
    let compare = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k].total_cmp(&b[k])).find(|o| o.is_ne());
    order.sort_by(|i, j| compare(key(*i), key(*j)).unwrap_or(i.cmp(j)));
    let mut first = vec![0u32; points.len()];
    for k in 0..order.len() {
        let same = k > 0 && compare(key(order[k - 1]), key(order[k])).is_none();
        first[order[k] as usize] = if same { first[order[k - 1] as usize] } else { order[k] };
    }
    // Numbers in the order of the points themselves.
    let (mut number, mut left) = (vec![0u32; points.len()], Vec::new());
    for i in 0..points.len() {
        if first[i] == i as u32 {
            number[i] = left.len() as u32;
            left.push(points[i]);
        }
    }
    for i in 0..points.len() {
        number[i] = number[first[i] as usize];
    }
    (number, left)
}

/// The point of a triangle nearest to `x`: over the inside, or on the nearest side.
pub(crate) fn nearest_on_triangle(corners: &[Vec3; 3], x: Vec3) -> Vec3 {
    let [a, b, c] = *corners;
    let n = (b - a).cross(c - a);
    let inside = |k: usize| n.dot((corners[(k + 1) % 3] - corners[k]).cross(x - corners[k])) >= 0.0;
    if n != Vec3::ZERO && (0..3).all(inside) {
        return x - n * (n.dot(x - a) / n.length_squared());
    }
    let on_side = |k: usize| {
        let (p, d) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let length = d.length_squared();
        p + d * if length > 0.0 { ((x - p).dot(d) / length).clamp(0.0, 1.0) } else { 0.0 }
    };
    let sides = [on_side(0), on_side(1), on_side(2)];
    let nearer = |a: Vec3, b: Vec3| if (b - x).length_squared() < (a - x).length_squared() { b } else { a };
    nearer(nearer(sides[0], sides[1]), sides[2])
}

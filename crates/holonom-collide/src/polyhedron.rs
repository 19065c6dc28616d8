//! Convex cores: a point, a segment, a box, a hull, all as corners, edges and faces in the axes of their carrier.
//!
//! The ring of a face runs counter-clockwise seen from outside. An edge runs along the ring of its first face, so first
//! normal x second normal points along it.

use std::collections::BTreeMap;

use crate::{Mat3, RigidTransform, Vec3};

/// Where an edge of a point or segment has no face.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Corners at its ends.
    pub ends: [u32; 2],
    /// Faces on both sides.
    pub faces: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceRing {
    start: u32,
    len: u32,
}

impl FaceRing {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// What is known of a box besides: its frame, and its edges by direction and side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxFrame {
    pub centre: Vec3,
    pub axes: Mat3,
    pub half: Vec3,
    /// `edges[i][bits]`: along axis i; bits tell the sides along the other two axes, the lower axis first, 1 for the
    /// positive side.
    pub edges: [[u32; 4]; 3],
}

/// A convex core in the axes of its carrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polyhedron {
    pub vertices: Vec<Vec3>,
    pub edges: Vec<Edge>,
    pub normals: Vec<Vec3>,
    rings: Vec<FaceRing>,
    ring_vertices: Vec<u32>,
    ring_edges: Vec<u32>,
    fans: Vec<FaceRing>,
    fan_faces: Vec<u32>,
    pub boxed: Option<BoxFrame>,
    /// Greatest distance of a corner from the mean of the corners, m.
    pub size: f64,
}

impl Polyhedron {
    pub fn point(place: &RigidTransform) -> Polyhedron {
        Polyhedron { vertices: vec![place.position], ..Polyhedron::default() }
    }

    pub fn segment(place: &RigidTransform, half_length: f64) -> Polyhedron {
        let arm = place.rotation.z_axis * half_length;
        Polyhedron {
            vertices: vec![place.position - arm, place.position + arm],
            edges: vec![Edge { ends: [0, 1], faces: [NONE; 2] }],
            size: half_length,
            ..Polyhedron::default()
        }
    }

    /// Corner `i` is on the positive side of axis k where bit k of `i` is set. Face 2 k is on the positive side of axis
    /// k, 2 k + 1 on the negative.
    pub fn cuboid(place: &RigidTransform, half: Vec3) -> Polyhedron {
        let side = |bit: usize, i: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |i: usize| place.point(Vec3::new(side(0, i) * half.x, side(1, i) * half.y, side(2, i) * half.z));
        let vertices: Vec<Vec3> = (0..8).map(corner).collect();
        let rings: [[u32; 4]; 6] = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
        let rings: Vec<Vec<u32>> = rings.iter().map(|r| r.to_vec()).collect();
        let axes = place.rotation;
        let normals = (0..6).map(|f| if f % 2 == 0 { axes.col(f / 2) } else { -axes.col(f / 2) }).collect();
        let mut poly = Polyhedron::from_rings(vertices, &rings, normals);
        let mut edges = [[0; 4]; 3];
        for (index, edge) in poly.edges.iter().enumerate() {
            let [low, high] = [edge.ends[0].min(edge.ends[1]), edge.ends[0].max(edge.ends[1])];
            let axis = (low ^ high).trailing_zeros() as usize;
            let (j, k) = match axis {
                0 => (1, 2),
                1 => (0, 2),
                _ => (0, 1),
            };
            edges[axis][((low >> j & 1) | (low >> k & 1) << 1) as usize] = index as u32;
        }
        poly.boxed = Some(BoxFrame { centre: place.position, axes, half, edges });
        poly.size = half.length();
        poly
    }

    /// The hull of points that have been accepted; empty for others.
    pub fn hull(place: &RigidTransform, points: &[Vec3]) -> Polyhedron {
        let Ok(hull) = crate::hull::hull(points) else { return Polyhedron::default() };
        let vertices = hull.corners.iter().map(|v| place.point(points[*v as usize])).collect();
        let normals = hull.normals.iter().map(|n| place.rotation * *n).collect();
        Polyhedron::from_rings(vertices, &hull.rings, normals)
    }

    /// From corners and rings of a closed convex surface. Edges are numbered by their corners, so the order of the
    /// rings does not matter to them.
    pub fn from_rings(vertices: Vec<Vec3>, rings: &[Vec<u32>], normals: Vec<Vec3>) -> Polyhedron {
        let mut poly = Polyhedron { normals, ..Polyhedron::default() };
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for ring in rings {
            for k in 0..ring.len() {
                let (v, w) = (ring[k], ring[(k + 1) % ring.len()]);
                numbers.entry((v.min(w), v.max(w))).or_insert(0);
            }
        }
        for (index, number) in numbers.values_mut().enumerate() {
            *number = index as u32;
        }
        poly.edges = vec![Edge { ends: [NONE; 2], faces: [NONE; 2] }; numbers.len()];
        let mut fans = vec![Vec::new(); vertices.len()];
        for (face, ring) in rings.iter().enumerate() {
            poly.rings.push(FaceRing { start: poly.ring_vertices.len() as u32, len: ring.len() as u32 });
            for k in 0..ring.len() {
                let (v, w) = (ring[k], ring[(k + 1) % ring.len()]);
                let number = numbers[&(v.min(w), v.max(w))];
                let edge = &mut poly.edges[number as usize];
                if edge.faces[0] == NONE {
                    *edge = Edge { ends: [v, w], faces: [face as u32, NONE] };
                } else {
                    edge.faces[1] = face as u32;
                }
                poly.ring_vertices.push(v);
                poly.ring_edges.push(number);
                fans[v as usize].push(face as u32);
            }
        }
        for fan in &fans {
            poly.fans.push(FaceRing { start: poly.fan_faces.len() as u32, len: fan.len() as u32 });
            poly.fan_faces.extend_from_slice(fan);
        }
        let mean = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
        poly.size = vertices.iter().fold(0.0, |m: f64, v| m.max((*v - mean).length()));
        poly.vertices = vertices;
        poly
    }

    /// Corners of a face, in order.
    pub fn ring(&self, face: u32) -> &[u32] {
        &self.ring_vertices[self.rings[face as usize].range()]
    }

    /// Edges of a face: the k-th joins the k-th corner with the next.
    pub fn sides(&self, face: u32) -> &[u32] {
        &self.ring_edges[self.rings[face as usize].range()]
    }

    /// Faces around a corner.
    pub fn fan(&self, vertex: u32) -> &[u32] {
        match self.fans.get(vertex as usize) {
            Some(fan) => &self.fan_faces[fan.range()],
            None => &[],
        }
    }

    /// Unit direction of an edge in the axes of the carrier.
    pub fn direction(&self, edge: u32) -> Vec3 {
        let [v, w] = self.edges[edge as usize].ends;
        (self.vertices[w as usize] - self.vertices[v as usize]).normalize()
    }
}

/// A core as it is worked with: corners and normals in the axes of the first carrier.
#[derive(Clone, Copy)]
pub(crate) struct PolyhedronView<'a> {
    pub poly: &'a Polyhedron,
    pub v: &'a [Vec3],
    pub n: &'a [Vec3],
}

impl<'a> PolyhedronView<'a> {
    pub fn own(poly: &'a Polyhedron) -> PolyhedronView<'a> {
        PolyhedronView { poly, v: &poly.vertices, n: &poly.normals }
    }

    /// A point of a face.
    pub fn on(&self, face: u32) -> Vec3 {
        self.v[self.poly.ring(face)[0] as usize]
    }

    pub fn ends(&self, edge: u32) -> [Vec3; 2] {
        self.poly.edges[edge as usize].ends.map(|v| self.v[v as usize])
    }
}

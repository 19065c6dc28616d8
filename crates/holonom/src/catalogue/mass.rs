//! Mass, centre of mass and moments of solid bodies: of shapes, of closed meshes, and of what is put together from
//! them.
//!
//! ```text
//! m = integral dm,     c = integral X dm / m,     P = integral (X - c) (X - c)^T dm     second moments, about the centre of mass
//! inertia tensor:      I = (tr P) 1 - P           the same thing in other words; P adds and turns more simply
//! moved by d:          c -> c + d                 turned by R:    c -> R c,   P -> R P R^T
//! together:            m = m1 + m2,   c = (m1 c1 + m2 c2) / m,   P = P1 + P2 + (m1 m2 / m) (c1 - c2) (c1 - c2)^T
//! without a hole:      the same with m2 -> -m2, P2 -> -P2
//! ```
//!
//! A closed mesh is the sum of the tetrahedra between a point o and its triangles (a, b, c seen from o), each with the
//! sign of its volume:
//!
//! ```text
//! V = a . (b × c) / 6,     integral X dV = V (a + b + c) / 4,
//! integral X X^T dV = V / 20 (s s^T + a a^T + b b^T + c c^T),   s = a + b + c
//! ```
//!
//! which is exact: a mesh of a box gives the box to rounding. The point o is the mean of the vertices, so that a mesh
//! far from the origin loses no digits.

use crate::math::{Mat3, Vec3, symmetric_eigen, vec3};
use std::f64::consts::PI;

/// Mass properties of a body, in the axes and from the origin of its shape. They do not have to be those of anything
/// solid (a difference may be negative): body kinds check what they are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    mass: f64,
    centre: Vec3,
    second: Mat3,
    volume: f64,
}

/// A mesh that encloses no volume. Vertices and triangles are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// Fewer than four triangles.
    #[error("the mesh has {0} triangles, a closed one has at least 4")]
    TooFew(usize),
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, the mesh has {vertices}")]
    UnknownVertex {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// A triangle names a vertex twice.
    #[error("triangle {triangle} names vertex {vertex} twice")]
    Degenerate {
        /// The triangle.
        triangle: usize,
        /// The vertex.
        vertex: usize,
    },
    /// An edge with a triangle on one side only.
    #[error("the mesh is open: the edge from vertex {from} to vertex {to} belongs to triangle {triangle} alone")]
    Open {
        /// Where the edge begins, in the order of the triangle.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The only triangle that has it.
        triangle: usize,
    },
    /// Two triangles run along an edge in the same direction.
    #[error(
        "triangles {first} and {second} both run from vertex {from} to vertex {to}: neighbours must run along their edge in opposite \
         directions; reverse the order of vertices of one of them"
    )]
    Orientation {
        /// One triangle.
        first: usize,
        /// The other.
        second: usize,
        /// Where the edge begins.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// The triangles look inwards, or enclose nothing.
    #[error(
        "the volume is {0:.6e} m^3, must be greater than 0: seen from outside every triangle must run counterclockwise; if all run clockwise, \
         exchange two vertices of each"
    )]
    Volume(f64),
}

impl MassProperties {
    fn new(density: f64, volume: f64, centre: Vec3, second_per_mass: Vec3) -> Self {
        let mass = density * volume;
        MassProperties { mass, centre, second: Mat3::from_diagonal(second_per_mass * mass), volume }
    }

    /// A point mass (kg) at a place (m).
    pub fn point(mass: f64, at: impl Into<Vec3>) -> Self {
        MassProperties { mass, centre: at.into(), second: Mat3::ZERO, volume: 0.0 }
    }

    /// A box with full side lengths `size` (m), origin at its centre; density in kg/m^3, here and below.
    pub fn cuboid(density: f64, size: impl Into<Vec3>) -> Self {
        let s = size.into();
        Self::new(density, s.x * s.y * s.z, Vec3::ZERO, s * s / 12.0)
    }

    /// A ball, origin at its centre.
    pub fn sphere(density: f64, radius: f64) -> Self {
        Self::ellipsoid(density, Vec3::splat(radius))
    }

    /// An ellipsoid with these half axes (m) along x, y and z, origin at its centre.
    pub fn ellipsoid(density: f64, half_axes: impl Into<Vec3>) -> Self {
        let a = half_axes.into();
        Self::new(density, 4.0 / 3.0 * PI * a.x * a.y * a.z, Vec3::ZERO, a * a / 5.0)
    }

    /// A cylinder along z, origin at its centre.
    pub fn cylinder(density: f64, radius: f64, length: f64) -> Self {
        let r = radius * radius;
        Self::new(density, PI * r * length, Vec3::ZERO, vec3(r / 4.0, r / 4.0, length * length / 12.0))
    }

    /// A cone along z: its base around the origin, its tip at `height`.
    pub fn cone(density: f64, radius: f64, height: f64) -> Self {
        let (r, h) = (radius * radius, height * height);
        let second = vec3(3.0 / 20.0 * r, 3.0 / 20.0 * r, 3.0 / 80.0 * h);
        Self::new(density, PI * r * height / 3.0, vec3(0.0, 0.0, height / 4.0), second)
    }

    /// Half a ball, its flat side in the plane z = 0 around the origin, the rest above.
    pub fn hemisphere(density: f64, radius: f64) -> Self {
        let r = radius * radius;
        let second = vec3(r / 5.0, r / 5.0, (1.0 / 5.0 - 9.0 / 64.0) * r);
        Self::new(density, 2.0 / 3.0 * PI * r * radius, vec3(0.0, 0.0, 3.0 / 8.0 * radius), second)
    }

    /// A cylinder along z with half balls on its ends, origin at its centre; `length` is that of the cylinder alone.
    pub fn capsule(density: f64, radius: f64, length: f64) -> Self {
        let cap = Self::hemisphere(density, radius).translated(vec3(0.0, 0.0, 0.5 * length));
        // the other cap, turned upside down
        let other = cap.rotated(Mat3::from_diagonal(vec3(1.0, -1.0, -1.0)));
        Self::cylinder(density, radius, length).plus(&cap).plus(&other)
    }

    /// A cylinder along z with a hole along its axis, origin at its centre.
    pub fn tube(density: f64, inner_radius: f64, outer_radius: f64, length: f64) -> Self {
        Self::cylinder(density, outer_radius, length).minus(&Self::cylinder(density, inner_radius, length))
    }

    /// A ball with a hollow ball inside, origin at its centre.
    pub fn hollow_sphere(density: f64, inner_radius: f64, outer_radius: f64) -> Self {
        Self::sphere(density, outer_radius).minus(&Self::sphere(density, inner_radius))
    }

    /// A ring around z: a disc of radius `tube` led around a circle of radius `ring`, not smaller. Origin at its
    /// centre.
    pub fn torus(density: f64, ring: f64, tube: f64) -> Self {
        let (a, b) = (ring * ring, tube * tube);
        let across = a / 2.0 + 3.0 / 8.0 * b;
        Self::new(density, 2.0 * PI * PI * ring * b, Vec3::ZERO, vec3(across, across, b / 4.0))
    }

    /// Inside of a closed mesh of triangles; seen from outside each runs counterclockwise. Refused with a reason when
    /// the mesh has an open edge, when neighbours do not agree which side is out, and when the volume is not positive.
    /// Surfaces that pass through each other are not noticed.
    pub fn from_mesh(vertices: &[Vec3], triangles: &[[usize; 3]], density: f64) -> Result<Self, MeshError> {
        check_mesh(vertices, triangles)?;
        let o = vertices.iter().copied().sum::<Vec3>() / vertices.len() as f64;
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for t in triangles {
            let [a, b, c] = t.map(|k| vertices[k] - o);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            second += (outer(s) + outer(a) + outer(b) + outer(c)) * (v / 20.0);
        }
        if !(volume > 0.0) {
            return Err(MeshError::Volume(volume));
        }
        let c = first / volume;
        let second = second - outer(c) * volume;
        Ok(MassProperties { mass: density * volume, centre: o + c, second: second * density, volume })
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass, from the origin of the shape (m).
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Second moments of mass about the centre of mass, `integral X X^T dm` (kg m^2).
    pub fn second_moments(&self) -> Mat3 {
        self.second
    }

    /// Inertia tensor about the centre of mass (kg m^2).
    pub fn inertia(&self) -> Mat3 {
        inertia_of(&self.second)
    }

    /// Inertia tensor about another point (m), by the theorem of parallel axes (kg m^2).
    pub fn inertia_about(&self, point: impl Into<Vec3>) -> Mat3 {
        inertia_of(&(self.second + outer(self.centre - point.into()) * self.mass))
    }

    /// Principal moments of inertia about the centre of mass (kg m^2), and their axes as columns.
    pub fn principal(&self) -> (Vec3, Mat3) {
        let (axes, moments) = symmetric_eigen(&self.inertia());
        (moments.into(), axes)
    }

    /// Volume, m^3; 0 for point masses.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The same shape with another mass (kg), evenly spread as before.
    pub fn of_mass(&self, mass: f64) -> Self {
        MassProperties { mass, second: self.second * (mass / self.mass), ..*self }
    }

    /// Moved by a vector (m).
    pub fn translated(&self, by: impl Into<Vec3>) -> Self {
        MassProperties { centre: self.centre + by.into(), ..*self }
    }

    /// Turned about the origin by a rotation matrix.
    pub fn rotated(&self, turn: Mat3) -> Self {
        let second = turn * self.second * turn.transpose();
        // equal to rounding; made so to the last bit
        let second = (second + second.transpose()) * 0.5;
        MassProperties { centre: turn * self.centre, second, ..*self }
    }

    /// Both together, as one body. Where they overlap the mass counts twice.
    pub fn plus(&self, other: &Self) -> Self {
        self.with(other, 1.0)
    }

    /// Without what the other one fills: a hole. It must lie inside and have the density of what it is taken from.
    pub fn minus(&self, hole: &Self) -> Self {
        self.with(hole, -1.0)
    }

    fn with(&self, other: &Self, sign: f64) -> Self {
        let added = sign * other.mass;
        let mass = self.mass + added;
        let d = other.centre - self.centre;
        MassProperties {
            mass,
            centre: self.centre + d * (added / mass),
            second: self.second + other.second * sign + outer(d) * (self.mass * added / mass),
            volume: self.volume + sign * other.volume,
        }
    }
}

fn outer(a: Vec3) -> Mat3 {
    Mat3::from_cols(a * a.x, a * a.y, a * a.z)
}

fn inertia_of(second: &Mat3) -> Mat3 {
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(trace)) - *second
}

/// Every edge has one triangle on either side, and they agree which side is out.
fn check_mesh(vertices: &[Vec3], triangles: &[[usize; 3]]) -> Result<(), MeshError> {
    if let Some(k) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(MeshError::NotFinite(k));
    }
    if triangles.len() < 4 {
        return Err(MeshError::TooFew(triangles.len()));
    }
    // (lower vertex, higher vertex, runs upwards, triangle)
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (k, t) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (from, to) = (t[i], t[(i + 1) % 3]);
            if from >= vertices.len() {
                return Err(MeshError::UnknownVertex { triangle: k, vertex: from, vertices: vertices.len() });
            }
            if from == to {
                return Err(MeshError::Degenerate { triangle: k, vertex: from });
            }
            edges.push((from.min(to), from.max(to), from < to, k));
        }
    }
    edges.sort_unstable();
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        // downwards first; an edge may have several pairs of triangles, as where two boxes touch, and each pair runs
        // both ways
        let (down, up) = same.split_at(same.iter().filter(|e| !e.2).count());
        let more = if up.len() > down.len() { up } else { down };
        let (from, to) = if up.len() > down.len() { (same[0].0, same[0].1) } else { (same[0].1, same[0].0) };
        match more {
            _ if up.len() == down.len() => {}
            [first, second, ..] => return Err(MeshError::Orientation { first: first.3, second: second.3, from, to }),
            [alone] => return Err(MeshError::Open { from, to, triangle: alone.3 }),
            [] => {}
        }
    }
    Ok(())
}

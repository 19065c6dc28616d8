//! The shapes, and what makes one acceptable.

use crate::Vec3;

/// A shape, in axes of its own. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum CollisionShape {
    /// A point without size: a particle.
    Point,
    /// A ball about the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box about the origin, along the axes.
    Box {
        /// Half of each side, m.
        half: Vec3,
    },
    /// All points within `radius` of a segment along z.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the length of the segment: the whole capsule is 2 (half_length + radius) long, m.
        half_length: f64,
    },
    /// A cylinder about the origin, its axis along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half its length, m.
        half_length: f64,
    },
    /// An ellipsoid about the origin, along the axes. Of round shapes meets other ellipsoids and tori, not cylinders,
    /// cones and tubes.
    Ellipsoid {
        /// Half of each axis, m.
        half: Vec3,
    },
    /// A cone along z, its base around the origin. Of round shapes meets tori only.
    Cone {
        /// Radius of its base, m.
        radius: f64,
        /// Where its tip is along z, m.
        height: f64,
    },
    /// A cylinder about the origin along z with a hole along its axis. Of round shapes meets tori only.
    Tube {
        /// Radius of the hole, m.
        inner: f64,
        /// Radius, m.
        outer: f64,
        /// Half its length, m.
        half_length: f64,
    },
    /// A ring about z, about the origin.
    Torus {
        /// From the z axis to the middle of the tube, m.
        ring: f64,
        /// Radius of the tube, m.
        tube: f64,
    },
    /// Everything below z = 0.
    HalfSpace,
    /// The convex hull of some points.
    Hull {
        /// At least four of them, not all in one plane, m.
        points: Vec<Vec3>,
    },
    /// Triangles: terrain, scenery. Closed, solid is behind them, and outside where their corners run
    /// counter-clockwise. With a border (a bowl, a sheet, a soup with holes) they are thin and have two sides: a shape
    /// meets the side on which its middle is. Meets convex shapes and half-spaces, not other surfaces.
    Mesh {
        /// Corners, m.
        vertices: Vec<Vec3>,
        /// Three corners each, by index.
        triangles: Vec<[u32; 3]>,
    },
    /// Heights above a rectangle in the plane z = 0, centred at the origin; solid below at any depth. Two triangles per
    /// cell, split along the diagonal from (row, column) to (row + 1, column + 1). Meets convex shapes, not other
    /// surfaces.
    HeightField {
        /// Heights row by row, m: `heights[row * columns + column]` is at x = (column / (columns - 1) - 1/2) size\[0\],
        /// y = (row / (rows - 1) - 1/2) size\[1\].
        heights: Vec<f64>,
        /// Number of rows, along y.
        rows: u32,
        /// Number of columns, along x.
        columns: u32,
        /// Extent along x and y, m.
        size: [f64; 2],
    },
}

/// More corners than this in one mesh or height field are refused: features must fit into keys.
const MOST_CORNERS: usize = 1 << 24;

impl CollisionShape {
    /// Refuses sizes that are not positive or not finite, hulls without volume, triangles without area, indices out of
    /// range.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            CollisionShape::Point | CollisionShape::HalfSpace => Ok(()),
            CollisionShape::Sphere { radius } => positive("radius of a sphere", *radius),
            CollisionShape::Box { half } => {
                for (axis, h) in ["x", "y", "z"].iter().zip(half.to_array()) {
                    positive(&format!("half size of a box along {axis}"), h)?;
                }
                Ok(())
            }
            CollisionShape::Capsule { radius, half_length } => {
                positive("radius of a capsule", *radius)?;
                positive("half length of a capsule", *half_length)
                    .map_err(|e| format!("{e}; a capsule without length is a sphere"))
            }
            CollisionShape::Cylinder { radius, half_length } => {
                positive("radius of a cylinder", *radius)?;
                positive("half length of a cylinder", *half_length)
            }
            CollisionShape::Ellipsoid { half } => {
                for (axis, h) in ["x", "y", "z"].iter().zip(half.to_array()) {
                    positive(&format!("half axis of an ellipsoid along {axis}"), h)?;
                }
                Ok(())
            }
            CollisionShape::Cone { radius, height } => {
                positive("radius of a cone", *radius)?;
                positive("height of a cone", *height)
            }
            CollisionShape::Tube { inner, outer, half_length } => {
                positive("inner radius of a tube", *inner)?;
                positive("half length of a tube", *half_length)?;
                positive("wall of a tube (outer radius less inner radius)", outer - inner)
            }
            CollisionShape::Torus { ring, tube } => {
                positive("radius of the tube of a torus", *tube)?;
                if ring >= tube {
                    positive("ring radius of a torus", *ring)
                } else {
                    Err(format!("ring radius of a torus is {ring} m; it must be at least that of its tube, {tube} m"))
                }
            }
            CollisionShape::Hull { points } => {
                finite("point of a hull", points)?;
                crate::hull::hull(points).map(|_| ())
            }
            CollisionShape::Mesh { vertices, triangles } => {
                finite("vertex of a mesh", vertices)?;
                mesh(vertices, triangles)
            }
            CollisionShape::HeightField { heights, rows, columns, size } => field(heights, *rows, *columns, *size),
        }
    }

    /// What it is, in two words: `a box`.
    pub fn kind(&self) -> &'static str {
        match self {
            CollisionShape::Point => "a point",
            CollisionShape::Sphere { .. } => "a sphere",
            CollisionShape::Box { .. } => "a box",
            CollisionShape::Capsule { .. } => "a capsule",
            CollisionShape::Cylinder { .. } => "a cylinder",
            CollisionShape::Ellipsoid { .. } => "an ellipsoid",
            CollisionShape::Cone { .. } => "a cone",
            CollisionShape::Tube { .. } => "a tube",
            CollisionShape::Torus { .. } => "a torus",
            CollisionShape::HalfSpace => "a half-space",
            CollisionShape::Hull { .. } => "a hull",
            CollisionShape::Mesh { .. } => "a mesh of triangles",
            CollisionShape::HeightField { .. } => "a height field",
        }
    }

    /// The convex hull of some points as triangles, counter-clockwise seen from outside, by index of point.
    pub fn hull_triangles(points: &[Vec3]) -> Result<Vec<[u32; 3]>, String> {
        finite("point of a hull", points)?;
        let hull = crate::hull::hull(points)?;
        let corner = |k: u32| hull.corners[k as usize];
        let fan =
            |ring: &Vec<u32>| (2..ring.len()).map(|k| [ring[0], ring[k - 1], ring[k]].map(corner)).collect::<Vec<_>>();
        Ok(hull.rings.iter().flat_map(fan).collect())
    }

    /// Radius of the smallest ball about the shape's origin that holds it, m. Infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        let farthest = |points: &[Vec3]| points.iter().fold(0.0, |m: f64, p| m.max(p.length()));
        match self {
            CollisionShape::Point => 0.0,
            CollisionShape::Sphere { radius } => *radius,
            CollisionShape::Box { half } => half.length(),
            CollisionShape::Capsule { radius, half_length } => radius + half_length,
            CollisionShape::Cylinder { radius, half_length } => (radius * radius + half_length * half_length).sqrt(),
            CollisionShape::Ellipsoid { half } => half.max_element(),
            CollisionShape::Cone { radius, height } => radius.max(*height),
            CollisionShape::Tube { outer, half_length, .. } => (outer * outer + half_length * half_length).sqrt(),
            CollisionShape::Torus { ring, tube } => ring + tube,
            CollisionShape::HalfSpace => f64::INFINITY,
            CollisionShape::Hull { points } => farthest(points),
            CollisionShape::Mesh { vertices, .. } => farthest(vertices),
            CollisionShape::HeightField { heights, rows, columns, size } => (0..heights.len())
                .fold(0.0, |m: f64, i| m.max(field_point(heights, *rows, *columns, *size, i).length())),
        }
    }
}

/// Corner `i` of a height field, m.
pub(crate) fn field_point(heights: &[f64], rows: u32, columns: u32, size: [f64; 2], i: usize) -> Vec3 {
    let (row, column) = (i / columns.max(1) as usize, i % columns.max(1) as usize);
    let along = |k: usize, n: u32, size: f64| (k as f64 / f64::from(n.saturating_sub(1).max(1)) - 0.5) * size;
    Vec3::new(along(column, columns, size[0]), along(row, rows, size[1]), heights[i])
}

fn positive(what: &str, x: f64) -> Result<(), String> {
    if x > 0.0 && x.is_finite() { Ok(()) } else { Err(format!("{what} is {x} m; it must be positive and finite")) }
}

fn finite(what: &str, points: &[Vec3]) -> Result<(), String> {
    match points.iter().position(|p| !p.is_finite()) {
        Some(i) => Err(format!("{what} (number {i}) is {} m; it must be finite", points[i])),
        None => Ok(()),
    }
}

fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), String> {
    let most = MOST_CORNERS;
    if vertices.len() > most || triangles.len() > 2 * most {
        let (v, t) = (vertices.len(), triangles.len());
        return Err(format!("a mesh has {v} vertices and {t} triangles; at most {most} and {} are allowed", 2 * most));
    }
    if triangles.is_empty() {
        return Err("a mesh has no triangles; it needs at least one".into());
    }
    for (i, t) in triangles.iter().enumerate() {
        for &v in t {
            if v as usize >= vertices.len() {
                let last = vertices.len().saturating_sub(1);
                return Err(format!("triangle {i} of a mesh names vertex {v}; there are vertices 0 to {last} only"));
            }
        }
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let area = 0.5 * (b - a).cross(c - a).length();
        // Thinner than this, and its normal is rounding.
        if !(area > 1e-10 * longest * longest) {
            return Err(format!(
                "triangle {i} of a mesh has area {area} m^2 with a side of {longest} m; it must not be a line or a point: leave it out"
            ));
        }
    }
    Ok(())
}

fn field(heights: &[f64], rows: u32, columns: u32, size: [f64; 2]) -> Result<(), String> {
    if rows < 2 || columns < 2 {
        return Err(format!("a height field has {rows} rows and {columns} columns; it needs at least 2 of each"));
    }
    let count = rows as usize * columns as usize;
    if count > MOST_CORNERS {
        return Err(format!("a height field has {count} heights; at most {MOST_CORNERS} are allowed"));
    }
    if heights.len() != count {
        let n = heights.len();
        return Err(format!("a height field of {rows} rows and {columns} columns has {n} heights; it needs {count}"));
    }
    positive("size of a height field along x", size[0])?;
    positive("size of a height field along y", size[1])?;
    match heights.iter().position(|h| !h.is_finite()) {
        Some(i) => Err(format!("height {i} of a height field is {} m; it must be finite", heights[i])),
        None => Ok(()),
    }
}

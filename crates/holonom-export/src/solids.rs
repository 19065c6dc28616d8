//! Shapes as triangles, counter-clockwise seen from outside.

use holonom_view::picture::GeometryPicture;
use std::f64::consts::{PI, TAU};

/// Corners around a full turn.
const AROUND: usize = 32;

/// Corners and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSurface {
    /// m.
    pub corners: Vec<[f32; 3]>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
}

/// The surface of a shape; `size` is that of the mechanism, for what has none of its own.
pub fn surface(geometry: &GeometryPicture, size: f64) -> TriangleSurface {
    use GeometryPicture as G;
    match geometry {
        G::Box { size } => cuboid(*size),
        G::Sphere { radius } => ball([*radius; 3]),
        G::Ellipsoid { radii } => ball(*radii),
        G::Cylinder { radius: r, length } => {
            let h = 0.5 * length;
            revolve(&[[0.0, -h], [*r, -h], [*r, h], [0.0, h]], false)
        }
        G::Capsule { radius, length } => {
            let lower = arc(-0.5 * PI, 0.0, AROUND / 4).map(|a| [radius * a[0], radius * a[1] - 0.5 * length]);
            let upper = arc(0.0, 0.5 * PI, AROUND / 4).map(|a| [radius * a[0], radius * a[1] + 0.5 * length]);
            revolve(&lower.chain(upper).collect::<Vec<_>>(), false)
        }
        G::Cone { radius, height } => revolve(&[[0.0, 0.0], [*radius, 0.0], [0.0, *height]], false),
        G::Tube { inner, outer, length } => {
            let h = 0.5 * length;
            revolve(&[[*inner, -h], [*outer, -h], [*outer, h], [*inner, h]], true)
        }
        G::Torus { radius, tube } => {
            let ring = arc(0.0, TAU, AROUND / 2).map(|a| [radius + tube * a[0], tube * a[1]]);
            let mut ring: Vec<[f64; 2]> = ring.collect();
            ring.pop();
            revolve(&ring, true)
        }
        G::Mesh { positions, triangles } => TriangleSurface {
            corners: positions.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
            triangles: triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        },
        G::Point => ball([0.01 * size; 3]),
        G::Plane => {
            let h = (2.0 * size) as f32;
            let corners = vec![[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]];
            TriangleSurface { corners, triangles: vec![[0, 1, 2], [0, 2, 3]] }
        }
    }
}

/// Points of a circle of radius 1, both ends included.
fn arc(from: f64, to: f64, n: usize) -> impl Iterator<Item = [f64; 2]> {
    (0..=n).map(move |k| {
        let a = from + (to - from) * k as f64 / n as f64;
        // on the axis to the last bit
        let c = if (a.abs() - 0.5 * PI).abs() < 1e-12 { 0.0 } else { a.cos() };
        [c, a.sin()]
    })
}

fn ball(radii: [f64; 3]) -> TriangleSurface {
    let profile: Vec<[f64; 2]> = arc(-0.5 * PI, 0.5 * PI, AROUND / 2).collect();
    let mut surface = revolve(&profile, false);
    for corner in &mut surface.corners {
        for k in 0..3 {
            corner[k] *= radii[k] as f32;
        }
    }
    surface
}

fn cuboid(size: [f64; 3]) -> TriangleSurface {
    let corner = |k: usize| [0, 1, 2].map(|axis| (size[axis] * if k >> axis & 1 == 1 { 0.5 } else { -0.5 }) as f32);
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriangleSurface { corners: (0..8).map(corner).collect(), triangles }
}

/// A profile (distance from z, height) turned about z. Where it runs upwards, outside is away from z.
fn revolve(profile: &[[f64; 2]], closed: bool) -> TriangleSurface {
    let mut surface = TriangleSurface::default();
    // corners of a ring, or the one corner on the axis
    let mut rings: Vec<(u32, bool)> = Vec::new();
    for [r, z] in profile {
        let pole = *r == 0.0;
        rings.push((surface.corners.len() as u32, pole));
        for k in 0..if pole { 1 } else { AROUND } {
            let a = TAU * k as f64 / AROUND as f64;
            surface.corners.push([(r * a.cos()) as f32, (r * a.sin()) as f32, *z as f32]);
        }
    }
    let n = rings.len();
    for i in 0..if closed { n } else { n - 1 } {
        let (low, high) = (rings[i], rings[(i + 1) % n]);
        for k in 0..AROUND as u32 {
            let at = |(first, pole): (u32, bool), k: u32| if pole { first } else { first + k % AROUND as u32 };
            let (a, b, c, d) = (at(low, k), at(low, k + 1), at(high, k + 1), at(high, k));
            if a != b {
                surface.triangles.push([a, b, c]);
            }
            if c != d {
                surface.triangles.push([a, c, d]);
            }
        }
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom::MassProperties;
    use holonom::math::vec3;

    /// The engine knows closed surfaces that face outwards from others, and their volumes.
    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        use GeometryPicture as G;
        let cases = [
            (G::Box { size: [1.0, 2.0, 3.0] }, 6.0),
            (G::Sphere { radius: 1.0 }, 4.0 / 3.0 * PI),
            (G::Ellipsoid { radii: [1.0, 2.0, 0.5] }, 4.0 / 3.0 * PI),
            (G::Cylinder { radius: 1.0, length: 2.0 }, 2.0 * PI),
            (G::Capsule { radius: 1.0, length: 2.0 }, 2.0 * PI + 4.0 / 3.0 * PI),
            (G::Cone { radius: 1.0, height: 3.0 }, PI),
            (G::Tube { inner: 0.5, outer: 1.0, length: 2.0 }, 1.5 * PI),
            (G::Torus { radius: 2.0, tube: 0.5 }, PI * PI),
            (G::Point, 4.0 / 3.0 * PI * 1e-6),
        ];
        for (geometry, volume) in cases {
            let s = surface(&geometry, 1.0);
            let corners: Vec<_> = s.corners.iter().map(|c| vec3(c[0].into(), c[1].into(), c[2].into())).collect();
            let triangles: Vec<_> = s.triangles.iter().map(|t| t.map(|k| k as usize)).collect();
            let found = MassProperties::from_mesh(&corners, &triangles, 1.0).map_err(|e| format!("{geometry:?}: {e}"));
            let found = found.expect("closed").volume();
            // inscribed, and so a little smaller
            assert!(found <= volume * (1.0 + 1e-6) && found > 0.96 * volume, "{geometry:?}: {found} {volume}");
        }
    }
}

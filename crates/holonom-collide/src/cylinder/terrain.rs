//! A cylinder on a surface of triangles.

use super::search::deepest_along;
use super::{Cylinder, CylinderScratch, rims_above, rounded};
use crate::Vec3;
use crate::broad_phase::Aabb;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::sat::PARALLEL;
use crate::surface::TriangleSurface;
use crate::terrain::{in_arc, over};

/// Directions this far (sine) outside of what belongs to a corner still count.
const LOOSE: f64 = 1e-9;

/// A cylinder (first) on a surface (second): rims above triangles, edges and corners that stick out beside its side and
/// below its caps.
pub(crate) fn on_surface(
    pair: &mut ColliderPair,
    own: &Cylinder,
    surface: &TriangleSurface,
    scratch: &mut CylinderScratch,
) {
    let back = pair.relative.turn.transpose();
    let seen = own.seen(back, -(back * pair.relative.shift));
    let surface = surface.side_of(seen.centre, &mut scratch.by_distance);
    let limit = pair.core_limit();
    let reach = Vec3::new(seen.extent(Vec3::X), seen.extent(Vec3::Y), seen.extent(Vec3::Z)) + Vec3::splat(limit);
    let around = Aabb { low: seen.centre - reach, high: seen.centre + reach };
    surface.near(&around, &mut scratch.stack, &mut scratch.triangles);
    let buried = surface.up.is_some()
        && !surface.outside(seen.centre, reach.length(), &mut scratch.stack, &mut scratch.features);
    let slack = 1e-9 * surface.extent;
    let start = pair.out.len();
    for &t in &scratch.triangles {
        let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
        let n = surface.normals[t as usize];
        // The centre behind a triangle: it is on the other side of the solid, unless it is in ground that is solid all
        // the way down.
        if !buried && n.dot(seen.centre - corners[0]) < 0.0 {
            continue;
        }
        let plane = surface.planes[t as usize];
        let o = surface.vertices[surface.triangles[plane as usize][0] as usize];
        let native = ContactPlane { o, n: surface.normals[plane as usize] };
        // what is behind the plane is behind the surface only if the way there leads through it
        let inside = |x: Vec3| {
            over(&corners, n, x, |_| slack)
                && (buried || n.dot(x - corners[0]) >= 0.0 || surface.passed(seen.centre, x, &scratch.triangles))
        };
        rims_above(pair, PairSide::First, own, &seen, plane, (native, corners[0], n), inside);
    }
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.edges[t as usize].iter().filter(|e| surface.ridges[**e as usize].sticks_out));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &r in &scratch.features {
        let beside = beside_ridge(pair, own, &seen, surface, r);
        below_rim(pair, own, &seen, surface, r, beside);
    }
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.triangles[t as usize].iter().filter(|v| surface.corner_out[**v as usize]));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &w in &scratch.features {
        beside_corner(pair, own, &seen, surface, w);
    }
    pair.only_once(start);
}

/// An edge that sticks out, across the side. Is it?
fn beside_ridge(pair: &mut ColliderPair, own: &Cylinder, seen: &Cylinder, surface: &TriangleSurface, r: u32) -> bool {
    let ridge = &surface.ridges[r as usize];
    let [q, q1] = ridge.ends.map(|v| surface.vertices[v as usize]);
    let (d, e, w) = (seen.axis(), ridge.along, seen.centre - q);
    let cross = d.cross(e);
    let sine = cross.length();
    if !(sine > PARALLEL) {
        return false;
    }
    let arc = if surface.up.is_some() { ridge.across } else { ridge.arc(seen.centre, q) };
    let n = if cross.dot(arc[0] + arc[1]) < 0.0 { -cross / sine } else { cross / sine };
    let (de, dw, ew) = (d.dot(e), d.dot(w), e.dot(w));
    let (s, t) = ((de * ew - dw) / (sine * sine), (ew - de * dw) / (sine * sine));
    let height = n.dot(w) - own.radius;
    let fits = s.abs() <= own.half_length && t >= 0.0 && t <= (q1 - q).length() && in_arc(arc, n);
    let fits = fits && height <= pair.core_limit() && height > -own.radius;
    if fits {
        let outward = pair.world * (pair.relative.turn * n);
        let features = FeaturePair::LineLine { p: own.centre, d: own.axis(), o: q, e, outward };
        rounded(pair, own.radius, 0.0, |pair| pair.push(PairSide::First, FeatureKind::EdgeEdge, 0, r, features));
    }
    fits
}

/// Where an edge that sticks out is nearest to a rim or a cap, or deepest in it: there it meets as a point. The same
/// for the side, unless that has been noted.
fn below_rim(
    pair: &mut ColliderPair,
    own: &Cylinder,
    seen: &Cylinder,
    surface: &TriangleSurface,
    r: u32,
    side_noted: bool,
) {
    let ridge = &surface.ridges[r as usize];
    let ends = ridge.ends.map(|v| surface.vertices[v as usize]);
    let x = deepest_along(seen, ends);
    let (distance, out) = seen.distance(x);
    let arc = if surface.up.is_some() { ridge.across } else { ridge.arc(seen.centre, ends[0]) };
    if distance > pair.core_limit() || !in_arc(arc, -out) {
        return;
    }
    let arm = x - seen.centre;
    let along = arm.dot(seen.axis());
    let across = arm - seen.axis() * along;
    let (over, beside) = (along.abs() - seen.half_length, across.length() - seen.radius);
    let end = usize::from(along > 0.0);
    if over > 0.0 && beside > 0.0 {
        let u = across / across.length();
        let o = own.rim_point(end, [u.dot(seen.axes.x_axis), u.dot(seen.axes.y_axis)]);
        pair.push(PairSide::Second, FeatureKind::Middle, r, end as u32, FeaturePair::PointPoint { p: x, o });
    } else if over > beside {
        let features = FeaturePair::PointPlane { p: x, o: own.end(end), n: own.axis() * own.out(end) };
        pair.push(PairSide::Second, FeatureKind::Crossing, r, end as u32, features);
    } else if !side_noted && beside > -own.radius {
        let features = FeaturePair::PointLine { p: x, o: own.centre, d: own.axis() };
        rounded(pair, own.radius, 0.0, |pair| pair.push(PairSide::Second, FeatureKind::Under, r, 0, features));
    }
}

fn beside_corner(pair: &mut ColliderPair, own: &Cylinder, seen: &Cylinder, surface: &TriangleSurface, w: u32) {
    let x = surface.vertices[w as usize];
    let arm = x - seen.centre;
    let along = arm.dot(seen.axis());
    let across = arm - seen.axis() * along;
    let beside = across.length();
    let limit = pair.core_limit();
    let end = usize::from(along > 0.0);
    let out = seen.axis() * seen.out(end);
    let height = along.abs() - own.half_length;
    if beside <= own.radius && height <= limit && height > -own.half_length && surface.in_cone(w, -out, LOOSE) {
        let features = FeaturePair::PointPlane { p: x, o: own.end(end), n: own.axis() * own.out(end) };
        pair.push(PairSide::Second, FeatureKind::VertexFace, w, end as u32, features);
    }
    if height <= 0.0 && beside > 0.0 && beside - own.radius <= limit && surface.in_cone(w, -across / beside, LOOSE) {
        let features = FeaturePair::PointLine { p: x, o: own.centre, d: own.axis() };
        rounded(pair, own.radius, 0.0, |pair| pair.push(PairSide::Second, FeatureKind::VertexEdge, w, 0, features));
    }
}

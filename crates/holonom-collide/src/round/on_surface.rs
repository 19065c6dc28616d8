//! A round shape on a surface of triangles: its lowest points above triangles, corners and edges that stick out beside
//! it.

use super::Round;
use super::on_core::{PlaceOnCore, least_on_edge, note};
use crate::Vec3;
use crate::broad_phase::Aabb;
use crate::candidate::FeatureKind;
use crate::cylinder::CylinderScratch;
use crate::pair::ColliderPair;
use crate::plane::ContactPlane;
use crate::surface::TriangleSurface;
use crate::terrain::{in_arc, over};

/// Directions this far (sine) outside of what belongs to a corner still count.
const LOOSE: f64 = 1e-9;

/// A round shape (first) on a surface (second).
pub(crate) fn on_surface(
    pair: &mut ColliderPair,
    round: &Round,
    surface: &TriangleSurface,
    scratch: &mut CylinderScratch,
) {
    let relative = pair.relative;
    let (half, middle) = round.bound();
    let (centre, limit) = (relative.point_back(middle), pair.core_limit());
    let reach = Vec3::splat(half.length() + limit);
    surface.near(&Aabb { low: centre - reach, high: centre + reach }, &mut scratch.stack, &mut scratch.triangles);
    let buried =
        surface.up.is_some() && !surface.outside(centre, reach.length(), &mut scratch.stack, &mut scratch.features);
    let slack = 1e-9 * surface.extent;
    let start = pair.out.len();
    // the least gap noted, and what of the surface is deepest in the shape
    let (mut least, mut deepest): (f64, Option<PlaceOnCore>) = (f64::INFINITY, None);
    let mut weigh = |pair: &mut ColliderPair, place: PlaceOnCore, nearest: bool| {
        let distance = place.near.distance;
        if distance < 0.0 && deepest.is_none_or(|d| distance < d.near.distance) {
            deepest = Some(place);
        }
        if nearest && distance <= limit {
            note(pair, round, &place);
            least = least.min(distance);
        }
    };
    let mut lowest = f64::INFINITY;
    for &t in &scratch.triangles {
        let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
        let n = surface.normals[t as usize];
        // The middle behind a triangle: it is on the other side of the solid, unless it is in ground that is solid all
        // the way down.
        if !buried && n.dot(centre - corners[0]) < 0.0 {
            continue;
        }
        let plane = surface.planes[t as usize];
        let o = surface.vertices[surface.triangles[plane as usize][0] as usize];
        let native = ContactPlane { o, n: surface.normals[plane as usize] };
        let inside = |x: Vec3| over(&corners, n, relative.point_back(x), |_| slack);
        let place = (native, relative.point(corners[0]), relative.turn * n);
        lowest = lowest.min(round.above(pair, plane, place, &inside));
    }
    // from the round shape's own axes to those of the surface
    let turn = relative.turn.transpose() * round.place.rotation;
    let own = |x: Vec3| round.own(relative.point(x));
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.edges[t as usize].iter().filter(|e| surface.ridges[**e as usize].sticks_out));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &r in &scratch.features {
        let ridge = &surface.ridges[r as usize];
        let [p, q] = ridge.ends.map(|v| surface.vertices[v as usize]);
        let (found, count) = least_on_edge(round, own(p), own(q));
        for (k, s) in found[..count].iter().enumerate() {
            let native = p + (q - p) * *s;
            let near = round.nearest(own(native));
            let (kind, id) = (FeatureKind::VertexEdge, (r << 3) | k as u32);
            let place = PlaceOnCore { near, kind, id, native, along: Some(ridge.along) };
            let arc = if surface.up.is_some() { ridge.across } else { ridge.arc(centre, p) };
            weigh(pair, place, in_arc(arc, -(turn * near.n)));
        }
    }
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.triangles[t as usize].iter().filter(|v| surface.corner_out[**v as usize]));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &w in &scratch.features {
        let native = surface.vertices[w as usize];
        let near = round.nearest(own(native));
        let place = PlaceOnCore { near, kind: FeatureKind::VertexVertex, id: w, native, along: None };
        weigh(pair, place, surface.in_cone(w, -(turn * near.n), LOOSE));
    }
    // in, where no feature is nearest in its neighbourhood: out the way that is shortest for what is deepest
    if let Some(place) = deepest.filter(|_| least.min(lowest) > 0.0) {
        note(pair, round, &place);
    }
    pair.only_once(start);
}

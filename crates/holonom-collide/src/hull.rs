//! The convex hull of points: triangles grown point by point, the farthest first, then flat neighbours merged into
//! faces.
//!
//! A point that lies in the plane of a triangle (to `FLAT`) has that triangle replaced together with those it sees, so
//! no new triangle is a sliver. Points less than `FLAT` outside are left out. The result is checked: closed, of the
//! right genus, holding all points.

use std::collections::BTreeMap;

use crate::Vec3;

/// What counts as flat, in parts of the extent of the points.
const FLAT: f64 = 1e-10;
/// Most corners of a hull: pairs of large hulls are slow, and detail of this kind is a mesh's.
const MOST: usize = 1024;

/// Of a triangle that belongs to no face yet.
const NO_FACE: u32 = u32::MAX;

/// Corners (by index of point) and faces of a hull. Rings run counter-clockwise seen from outside.
pub(crate) struct Hull {
    pub corners: Vec<u32>,
    /// Rings of indices into `corners`.
    pub rings: Vec<Vec<u32>>,
    /// Unit outward normals.
    pub normals: Vec<Vec3>,
}

struct Triangle {
    v: [u32; 3],
    n: Vec3,
    alive: bool,
}

struct Growing<'a> {
    points: &'a [Vec3],
    triangles: Vec<Triangle>,
    /// Which triangle has this directed edge.
    edges: BTreeMap<(u32, u32), u32>,
    flat: f64,
}

/// The hull of points that are finite.
pub(crate) fn hull(points: &[Vec3]) -> Result<Hull, String> {
    let low = points.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    let extent = (high - low).length();
    if points.len() < 4 || !(extent > 0.0 && extent.is_finite()) {
        let n = points.len();
        return Err(format!(
            "a hull of {n} points, {extent} m across, has no volume; it needs four points not in one plane"
        ));
    }
    let flat = FLAT * extent;
    let start = simplex(points, extent)?;
    let mut growing = Growing { points, triangles: Vec::new(), edges: BTreeMap::new(), flat };
    let [a, b, c, d] = start;
    for v in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
        growing.add(v)?;
    }
    growing.grow()?;
    let hull = growing.merge()?;
    if hull.corners.len() > MOST {
        let n = hull.corners.len();
        return Err(format!("a hull has {n} corners; at most {MOST} are allowed: simplify it, or use a mesh"));
    }
    check(&hull, points, extent)?;
    Ok(hull)
}

/// Four points far apart, the first three clockwise seen from the fourth.
fn simplex(points: &[Vec3], extent: f64) -> Result<[u32; 4], String> {
    let farthest = |score: &dyn Fn(Vec3) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, p) in points.iter().enumerate() {
            if score(*p) > best.1 {
                best = (i, score(*p));
            }
        }
        best
    };
    let (a, _) = farthest(&|p| -p.x);
    let pa = points[a];
    let (b, _) = farthest(&|p| (p - pa).length());
    let along = (points[b] - pa).normalize();
    let (c, wide) = farthest(&|p| (p - pa).cross(along).length());
    let n = along.cross(points[c] - pa).normalize_or_zero();
    let (d, high) = farthest(&|p| n.dot(p - pa).abs());
    // A flatter hull has faces whose normals are rounding.
    if !(wide > 1e-6 * extent && high > 1e-6 * extent) {
        return Err(format!(
            "a hull of {} points, {extent} m across, is {wide} m wide and {high} m thick; its points must not lie in one plane",
            points.len()
        ));
    }
    let [a, b, c, d] = [a as u32, b as u32, c as u32, d as u32];
    Ok(if n.dot(points[d as usize] - pa) > 0.0 { [a, c, b, d] } else { [a, b, c, d] })
}

impl Growing<'_> {
    fn at(&self, v: u32) -> Vec3 {
        self.points[v as usize]
    }

    fn add(&mut self, v: [u32; 3]) -> Result<(), String> {
        let [a, b, c] = v.map(|v| self.at(v));
        let n = (b - a).cross(c - a).normalize_or_zero();
        let index = self.triangles.len() as u32;
        for k in 0..3 {
            if self.edges.insert((v[k], v[(k + 1) % 3]), index).is_some() {
                return Err("a hull could not be closed; its points are too nearly alike".into());
            }
        }
        self.triangles.push(Triangle { v, n, alive: true });
        Ok(())
    }

    fn height(&self, triangle: u32, p: Vec3) -> f64 {
        let t = &self.triangles[triangle as usize];
        t.n.dot(p - self.at(t.v[0]))
    }

    /// The triangle a point is farthest above, among some.
    fn highest(&self, p: Vec3, among: impl Iterator<Item = u32>) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        for t in among {
            let height = self.height(t, p);
            if height > self.flat && best.is_none_or(|b| height > b.1) {
                best = Some((t, height));
            }
        }
        best
    }

    fn grow(&mut self) -> Result<(), String> {
        // Every point outside knows a triangle below it.
        let all = self.triangles.len() as u32;
        let mut outside: Vec<(u32, u32, f64)> = Vec::new();
        for (i, p) in self.points.iter().enumerate() {
            if let Some((t, height)) = self.highest(*p, 0..all) {
                outside.push((i as u32, t, height));
            }
        }
        let mut corners = 4;
        while let Some(next) = outside.iter().copied().reduce(|m, o| if o.2 > m.2 { o } else { m }) {
            corners += 1;
            if corners > 4 * MOST {
                return Err(format!("a hull has more than {MOST} corners: simplify it, or use a mesh"));
            }
            let first = self.triangles.len() as u32;
            self.take(next.0, next.1)?;
            let last = self.triangles.len() as u32;
            let mut kept = Vec::with_capacity(outside.len());
            for (i, t, height) in outside {
                if i == next.0 {
                    continue;
                }
                if self.triangles[t as usize].alive {
                    kept.push((i, t, height));
                } else if let Some((t, height)) = self.highest(self.at(i), first..last) {
                    kept.push((i, t, height));
                }
            }
            outside = kept;
        }
        Ok(())
    }

    /// Puts a point into the hull: what it sees, or is level with, is replaced by triangles up to it.
    fn take(&mut self, point: u32, seen: u32) -> Result<(), String> {
        let p = self.at(point);
        let mut gone = vec![seen];
        self.triangles[seen as usize].alive = false;
        let mut k = 0;
        let mut border = Vec::new();
        while k < gone.len() {
            let v = self.triangles[gone[k] as usize].v;
            k += 1;
            for e in 0..3 {
                let (from, to) = (v[e], v[(e + 1) % 3]);
                let Some(&other) = self.edges.get(&(to, from)) else {
                    return Err("a hull could not be closed; its points are too nearly alike".into());
                };
                if !self.triangles[other as usize].alive {
                    continue;
                }
                if self.height(other, p) >= -self.flat {
                    self.triangles[other as usize].alive = false;
                    gone.push(other);
                } else {
                    border.push((from, to, other));
                }
            }
        }
        for t in &gone {
            let v = self.triangles[*t as usize].v;
            for e in 0..3 {
                self.edges.remove(&(v[e], v[(e + 1) % 3]));
            }
        }
        for (from, to, other) in border {
            if self.triangles[other as usize].alive {
                self.add([from, to, point])?;
            }
        }
        Ok(())
    }

    /// Flat neighbours as one face, large triangles first; corners on straight edges left out.
    fn merge(&self) -> Result<Hull, String> {
        let (face_of, faces) = self.flat_faces();
        let (corners, number) = self.true_corners(&face_of);
        let (mut rings, mut normals) = (Vec::new(), Vec::new());
        for (face, members) in faces.iter().enumerate() {
            let ring = self.border(&face_of, face as u32, members, &number)?;
            let mut n = Vec3::ZERO;
            for k in 1..ring.len().saturating_sub(1) {
                let o = self.at(ring[0]);
                n += (self.at(ring[k]) - o).cross(self.at(ring[k + 1]) - o);
            }
            normals.push(n.normalize_or_zero());
            rings.push(ring.iter().map(|v| number[*v as usize]).collect());
        }
        Ok(Hull { corners, rings, normals })
    }

    /// The face of every triangle that is left, and the triangles of every face: each grows from its largest triangle
    /// over all neighbours in its plane.
    fn flat_faces(&self) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut order: Vec<u32> =
            (0..self.triangles.len() as u32).filter(|t| self.triangles[*t as usize].alive).collect();
        let area = |t: u32| {
            let [a, b, c] = self.triangles[t as usize].v.map(|v| self.at(v));
            (b - a).cross(c - a).length()
        };
        order.sort_by(|s, t| area(*t).total_cmp(&area(*s)).then(s.cmp(t)));
        let mut face_of = vec![NO_FACE; self.triangles.len()];
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for &seed in &order {
            if face_of[seed as usize] != NO_FACE {
                continue;
            }
            let face = faces.len() as u32;
            face_of[seed as usize] = face;
            let mut members = vec![seed];
            let mut k = 0;
            while k < members.len() {
                let v = self.triangles[members[k] as usize].v;
                k += 1;
                for e in 0..3 {
                    let other = self.edges[&(v[(e + 1) % 3], v[e])];
                    let level = |w: &u32| self.height(seed, self.at(*w)).abs() <= 4.0 * self.flat;
                    if face_of[other as usize] == NO_FACE && self.triangles[other as usize].v.iter().all(level) {
                        face_of[other as usize] = face;
                        members.push(other);
                    }
                }
            }
            faces.push(members);
        }
        (face_of, faces)
    }

    /// Points where three faces or more meet, and the number of each point among them, `u32::MAX` for the others.
    fn true_corners(&self, face_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); self.points.len()];
        for (triangle, &face) in self.triangles.iter().zip(face_of).filter(|(_, face)| **face != NO_FACE) {
            for v in triangle.v {
                if !around[v as usize].contains(&face) {
                    around[v as usize].push(face);
                }
            }
        }
        let corners: Vec<u32> = (0..self.points.len() as u32).filter(|v| around[*v as usize].len() >= 3).collect();
        let mut number = vec![u32::MAX; self.points.len()];
        for (k, v) in corners.iter().enumerate() {
            number[*v as usize] = k as u32;
        }
        (corners, number)
    }

    /// The corners around a face, counter-clockwise, by index of point.
    fn border(&self, face_of: &[u32], face: u32, members: &[u32], number: &[u32]) -> Result<Vec<u32>, String> {
        let mut next: BTreeMap<u32, u32> = BTreeMap::new();
        for t in members {
            let v = self.triangles[*t as usize].v;
            for e in 0..3 {
                let (from, to) = (v[e], v[(e + 1) % 3]);
                if face_of[self.edges[&(to, from)] as usize] != face {
                    next.insert(from, to);
                }
            }
        }
        let Some((&start, _)) = next.iter().next() else { return Err("a hull has no border".into()) };
        let (mut ring, mut v) = (Vec::new(), start);
        for _ in 0..next.len() {
            if number[v as usize] != u32::MAX {
                ring.push(v);
            }
            v = *next.get(&v).ok_or("a hull has a broken face; its points are too nearly alike")?;
        }
        Ok(ring)
    }
}

fn check(hull: &Hull, points: &[Vec3], extent: f64) -> Result<(), String> {
    let edges: usize = hull.rings.iter().map(Vec::len).sum();
    let closed = edges.is_multiple_of(2) && hull.corners.len() + hull.rings.len() == edges / 2 + 2;
    let sound = hull.rings.iter().zip(&hull.normals).all(|(ring, n)| {
        let Some(first) = ring.first() else { return false };
        let o = points[hull.corners[*first as usize] as usize];
        ring.len() >= 3 && points.iter().all(|p| n.dot(*p - o) <= 1e-8 * extent) && n.length() > 0.5
    });
    if closed && sound {
        Ok(())
    } else {
        Err(format!("the hull of {} points could not be made; leave out points that nearly coincide", points.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(points: &[Vec3]) -> (usize, usize) {
        let h = hull(points).unwrap();
        (h.corners.len(), h.rings.len())
    }

    #[test]
    fn faces_are_whole() {
        let cube: Vec<Vec3> =
            (0..8).map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1))).collect();
        assert_eq!(count(&cube), (8, 6));
        // A grid of points in the cube, its surface included: still a cube.
        let mut grid = Vec::new();
        for i in 0..5 * 5 * 5 {
            grid.push(Vec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)) / 3.0 + Vec3::splat(0.1));
        }
        assert_eq!(count(&grid), (8, 6));
        let mut twice = cube.clone();
        twice.extend(&cube);
        assert_eq!(count(&twice), (8, 6));
    }

    #[test]
    fn prisms_and_turned_prisms() {
        for sides in [3, 5, 12, 64] {
            for turn in 0..20 {
                let axis = Vec3::new(1.0, 0.3 * f64::from(turn), -0.7).normalize();
                let turn = glam::DMat3::from_axis_angle(axis, 0.37 * f64::from(turn));
                let mut points = Vec::new();
                for k in 0..sides {
                    let angle = 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(sides);
                    for z in [-0.3, 0.2, 0.7] {
                        points.push(turn * Vec3::new(libm::cos(angle), libm::sin(angle), z));
                    }
                }
                assert_eq!(count(&points), (2 * sides as usize, sides as usize + 2));
            }
        }
    }

    #[test]
    fn flat_sets_are_refused() {
        let flat: Vec<Vec3> = (0..20).map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5), 0.25)).collect();
        assert!(hull(&flat).is_err_and(|e| e.contains("plane")));
        assert!(hull(&[Vec3::ZERO; 7]).is_err());
    }
}

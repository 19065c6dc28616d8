//! The judge of distances: the signed distance of two placed shapes, by other mathematics than collision detection.
//!
//! Detection goes over faces, edges and separating axes. The judge knows nothing but support points
//! S(d) = argmax over the core of d . x, and encloses the answer from both sides. With W = A - B the difference of the
//! cores, r the sum of the rounding radii, n a unit vector from b to a:
//!
//! ```text
//! room(n) = min over w in W of n . w - r = n . (S_A(-n) - S_B(n)) - r
//! signed distance = max over unit n of room(n)        (minus the shortest way out where the shapes overlap)
//! ```
//!
//! - Every n gives a lower bound: the plane across n leaves that much room. The best n is climbed to: room is the least
//!   of linear functions on the sphere, so where it was looked at it is bounded by planes (cuts), and the best point
//!   under all cuts within a trust region is the next one to look at (Kelley's method).
//! - Every convex combination of points of W gives an upper bound while the cores are apart: its length less r. The
//!   shortest is found by the method of Gilbert, Johnson and Keerthi with a simplex solver of its own that tries all
//!   faces of the simplex.
//!
//! Where the cores overlap, `most` says so only ( -r ), and `least` is the best of climbs from many directions: never
//! above the truth, so that a test that no overlap exceeds a bound cannot pass by mistake.
//!
//! A surface of triangles is every triangle by itself, left along its outer side; what is behind it and crosses none
//! is not seen.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

use holonom::math::Vec3;
use holonom_collide::{CollisionShape, RigidTransform};

/// The signed distance lies between these, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// There is a plane that leaves this much room between the shapes (negative: that frees them when one moves by it).
    pub least: f64,
    /// Two of their points are this near. Where the cores overlap: minus the rounding radii.
    pub most: f64,
    /// Across that plane, from the second to the first.
    pub normal: Vec3,
}

impl Judged {
    /// The best single number.
    pub fn distance(&self) -> f64 {
        self.least
    }

    /// By how much they overlap at most, m.
    pub fn overlap(&self) -> f64 {
        (-self.least).max(0.0)
    }
}

/// A convex core in the world and its rounding radius, m.
pub struct Rounded<'a> {
    /// The farthest point of the core along a direction.
    pub support: Box<dyn Fn(Vec3) -> Vec3 + 'a>,
    pub radius: f64,
    /// Directions worth a climb, world axes.
    pub hints: Vec<Vec3>,
    /// Of flat one-sided pieces: the side on which the world is.
    pub outside: Option<Vec3>,
}

/// A placed shape as the judge sees it.
pub enum Placed<'a> {
    HalfSpace { o: Vec3, n: Vec3 },
    Pieces(Vec<Rounded<'a>>),
}

/// The signed distance of two placed shapes.
pub fn distance(a: (&CollisionShape, &RigidTransform), b: (&CollisionShape, &RigidTransform)) -> Judged {
    // differences first: far from the origin nothing is lost but what the positions have lost
    let origin = b.1.position;
    let near = |pose: &RigidTransform| RigidTransform { position: pose.position - origin, rotation: pose.rotation };
    between(&placed(a.0, &near(a.1)), &placed(b.0, &near(b.1)))
}

/// The signed distance of two shapes given by their support functions.
pub fn between(a: &Placed, b: &Placed) -> Judged {
    let flip = |j: Judged| Judged { normal: -j.normal, ..j };
    match (a, b) {
        (Placed::HalfSpace { .. }, Placed::HalfSpace { .. }) => panic!("two half-spaces have no distance"),
        (Placed::Pieces(pieces), Placed::HalfSpace { o, n }) => {
            let room = |p: &Rounded| n.dot((p.support)(-*n) - *o) - p.radius;
            let least = pieces.iter().map(room).fold(f64::INFINITY, f64::min);
            Judged { least, most: least, normal: *n }
        }
        (Placed::HalfSpace { .. }, Placed::Pieces(_)) => flip(between(b, a)),
        (Placed::Pieces(of_a), Placed::Pieces(of_b)) => {
            let mut all = Judged { least: f64::INFINITY, most: f64::INFINITY, normal: Vec3::Z };
            for one in of_a {
                for other in of_b {
                    // far pieces of a surface need no look
                    let n = (of(one) - of(other)).normalize_or(Vec3::Z);
                    if (Pair { a: one, b: other }).room(n).0 > all.most {
                        continue;
                    }
                    let j = pieces(one, other);
                    all.most = all.most.min(j.most);
                    if j.least < all.least {
                        (all.least, all.normal) = (j.least, j.normal);
                    }
                }
            }
            all
        }
    }
}

/// Some point of a core.
fn of(x: &Rounded) -> Vec3 {
    ((x.support)(Vec3::X) + (x.support)(-Vec3::X)) * 0.5
}

/// A shape of the engine as cores with support functions.
pub fn placed<'a>(shape: &'a CollisionShape, pose: &RigidTransform) -> Placed<'a> {
    let pose = *pose;
    let axes = || [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis].to_vec();
    let one = |radius: f64, local: Box<dyn Fn(Vec3) -> Vec3 + 'a>| {
        let support = Box::new(move |d: Vec3| pose.position + pose.rotation * local(pose.rotation.transpose() * d));
        Placed::Pieces(vec![Rounded { support, radius, hints: axes(), outside: None }])
    };
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    #[allow(unreachable_patterns)]
    match shape {
        CollisionShape::Point => one(0.0, Box::new(|_| Vec3::ZERO)),
        CollisionShape::Sphere { radius } => one(*radius, Box::new(|_| Vec3::ZERO)),
        CollisionShape::Capsule { radius, half_length } => {
            one(*radius, Box::new(move |d| Vec3::Z * (sign(d.z) * half_length)))
        }
        CollisionShape::Box { half } => one(0.0, Box::new(move |d| Vec3::new(sign(d.x), sign(d.y), sign(d.z)) * *half)),
        CollisionShape::Cylinder { radius, half_length } => one(
            0.0,
            Box::new(move |d| {
                let flat = Vec3::new(d.x, d.y, 0.0).normalize_or(Vec3::X) * *radius;
                flat + Vec3::Z * (sign(d.z) * half_length)
            }),
        ),
        CollisionShape::Hull { points } => one(0.0, Box::new(move |d| farthest(points, d))),
        CollisionShape::HalfSpace => Placed::HalfSpace { o: pose.position, n: pose.rotation.z_axis },
        CollisionShape::Mesh { vertices, triangles } => {
            Placed::Pieces(triangles.iter().map(|t| triangle(t.map(|v| pose.point(vertices[v as usize])))).collect())
        }
        CollisionShape::HeightField { heights, rows, columns, size } => {
            let (rows, columns) = (*rows as usize, *columns as usize);
            let corner = |row: usize, column: usize| {
                let x = (column as f64 / (columns - 1) as f64 - 0.5) * size[0];
                let y = (row as f64 / (rows - 1) as f64 - 0.5) * size[1];
                pose.point(Vec3::new(x, y, heights[row * columns + column]))
            };
            let mut pieces = Vec::new();
            for row in 0..rows - 1 {
                for column in 0..columns - 1 {
                    let (low, high) = (corner(row, column), corner(row + 1, column + 1));
                    pieces.push(triangle([low, corner(row, column + 1), high]));
                    pieces.push(triangle([low, high, corner(row + 1, column)]));
                }
            }
            Placed::Pieces(pieces)
        }
        other => panic!("the judge does not know {other:?}"),
    }
}

fn farthest(points: &[Vec3], d: Vec3) -> Vec3 {
    let mut best = points[0];
    for p in &points[1..] {
        if p.dot(d) > best.dot(d) {
            best = *p;
        }
    }
    best
}

fn triangle<'a>(corners: [Vec3; 3]) -> Rounded<'a> {
    let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
    Rounded { support: Box::new(move |d| farthest(&corners, d)), radius: 0.0, hints: vec![n], outside: Some(n) }
}

struct Pair<'a> {
    a: &'a Rounded<'a>,
    b: &'a Rounded<'a>,
}

impl Pair<'_> {
    /// Room between the cores across `n`, and the point of their difference that decides.
    fn core(&self, n: Vec3) -> (f64, Vec3) {
        let w = (self.a.support)(-n) - (self.b.support)(n);
        (n.dot(w), w)
    }

    fn radius(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    fn room(&self, n: Vec3) -> (f64, Vec3) {
        let (core, w) = self.core(n);
        (core - self.radius(), w)
    }

    /// May the shapes be parted this way? Not through the back of a surface.
    fn allowed(&self, n: Vec3) -> bool {
        self.b.outside.is_none_or(|up| n.dot(up) > 0.0) && self.a.outside.is_none_or(|up| n.dot(up) < 0.0)
    }
}

fn pieces(a: &Rounded, b: &Rounded) -> Judged {
    let pair = Pair { a, b };
    let (v, scale) = shortest(&pair);
    let apart = v.length();
    let mut best = (f64::NEG_INFINITY, Vec3::Z);
    let judged = |best: (f64, Vec3)| {
        let core = best.0.min(apart);
        Judged { least: core - pair.radius(), most: apart - pair.radius(), normal: best.1 }
    };
    if apart > 0.0 {
        best = climb(&pair, v / apart, 1e-3, scale);
        if apart - best.0 <= 1e-11 * scale {
            return judged(best);
        }
    }
    for n in starts(&pair) {
        let found = climb(&pair, n, 0.3, scale);
        if found.0 > best.0 {
            best = found;
        }
    }
    judged(best)
}

/// Directions to climb from: spread over the sphere, the best of them, and what the shapes themselves suggest.
fn starts(pair: &Pair) -> Vec<Vec3> {
    const MANY: usize = 240;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let spread = (0..MANY).map(|i| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / MANY as f64;
        let (r, angle) = ((1.0 - z * z).sqrt(), golden * i as f64);
        Vec3::new(r * angle.cos(), r * angle.sin(), z)
    });
    let hints = pair.a.hints.iter().chain(&pair.b.hints).flat_map(|h| [*h, -*h]);
    let mut all: Vec<(f64, Vec3)> =
        spread.chain(hints).filter(|n| pair.allowed(*n)).map(|n| (pair.core(n).0, n)).collect();
    all.sort_by(|x, y| y.0.total_cmp(&x.0));
    all.truncate(24);
    all.into_iter().map(|(_, n)| n).collect()
}

/// The best room near `n` by cuts within a trust region (tangent of an angle).
fn climb(pair: &Pair, start: Vec3, mut trust: f64, scale: f64) -> (f64, Vec3) {
    let mut n = start;
    let (mut room, w) = pair.core(n);
    let mut cuts = vec![w];
    for _ in 0..200 {
        if trust < 1e-16 {
            break;
        }
        let x = n.any_orthonormal_vector();
        let y = n.cross(x);
        let planes: Vec<[f64; 3]> = cuts.iter().map(|w| [w.dot(x), w.dot(y), w.dot(n)]).collect();
        let Some((d, foreseen)) = under_cuts(&planes, trust) else { break };
        let next = (n + x * d[0] + y * d[1]).normalize();
        let (now, w) = pair.core(next);
        if !cuts.iter().any(|c| (*c - w).length() <= 1e-15 * scale) {
            if cuts.len() >= 14 {
                // the one that matters least here
                let far = (0..cuts.len()).max_by(|i, j| next.dot(cuts[*i]).total_cmp(&next.dot(cuts[*j])));
                cuts.swap_remove(far.unwrap_or(0));
            }
            cuts.push(w);
        }
        if now > room && pair.allowed(next) {
            trust = if now - room > 0.5 * (foreseen - room) { (2.0 * trust).min(0.5) } else { trust };
            (room, n) = (now, next);
        } else {
            trust *= 0.5;
        }
    }
    (room, n)
}

/// The d within a square of half side `trust` where the least of the planes a d0 + b d1 + c is highest, and that
/// height: a linear program in three unknowns, by trying all triples of what may bind.
fn under_cuts(planes: &[[f64; 3]], trust: f64) -> Option<([f64; 2], f64)> {
    // rows: a d0 + b d1 - s t >= -c, with s = 0 for the walls
    let mut rows: Vec<[f64; 4]> = planes.iter().map(|p| [p[0], p[1], -1.0, -p[2]]).collect();
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        rows.push([x, y, 0.0, -trust]);
    }
    let height = |d: [f64; 2]| planes.iter().map(|p| p[0] * d[0] + p[1] * d[1] + p[2]).fold(f64::INFINITY, f64::min);
    let mut best: Option<([f64; 2], f64)> = None;
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            for k in j + 1..rows.len() {
                let [r, s, t] = [rows[i], rows[j], rows[k]].map(|r| Vec3::new(r[0], r[1], r[2]));
                let det = r.dot(s.cross(t));
                if det == 0.0 {
                    continue;
                }
                let x = (s.cross(t) * rows[i][3] + t.cross(r) * rows[j][3] + r.cross(s) * rows[k][3]) / det;
                let d = [x.x.clamp(-trust, trust), x.y.clamp(-trust, trust)];
                let h = height(d);
                if best.is_none_or(|b| h > b.1) {
                    best = Some((d, h));
                }
            }
        }
    }
    best
}

/// The shortest vector of the difference of the cores, and a length that rounding is measured by.
fn shortest(pair: &Pair) -> (Vec3, f64) {
    let first = pair.core(Vec3::X).1;
    let (mut simplex, mut v) = (vec![first], first);
    let mut scale = first.length().max(pair.core(-Vec3::X).1.length());
    for _ in 0..300 {
        let length = v.length();
        if !(length > 0.0) {
            break;
        }
        let (room, w) = pair.core(v / length);
        scale = scale.max(w.length());
        if length - room <= 1e-15 * scale || simplex.contains(&w) {
            break;
        }
        simplex.push(w);
        let (kept, next) = nearest_face(&simplex);
        if !(next.length() < length) {
            break;
        }
        (simplex, v) = (kept, next);
    }
    (v, scale)
}

/// The point of a simplex of up to four points (five while one is new) that is nearest to the origin, and the face it
/// is on: the best of all faces whose own nearest point is inside.
fn nearest_face(points: &[Vec3]) -> (Vec<Vec3>, Vec3) {
    let mut best = (Vec::new(), Vec3::INFINITY);
    let mut least = f64::INFINITY;
    for set in 1u32..1 << points.len() {
        if set.count_ones() > 4 {
            continue;
        }
        let face: Vec<Vec3> = (0..points.len()).filter(|i| set >> i & 1 == 1).map(|i| points[i]).collect();
        let Some(x) = inside(&face) else { continue };
        if x.length() < least {
            least = x.length();
            best = (face, x);
        }
    }
    best
}

/// The point of the plane through these points that is nearest to the origin, if it is between them.
fn inside(face: &[Vec3]) -> Option<Vec3> {
    let o = face[0];
    let lambda: Vec<f64> = match face.len() {
        1 => vec![],
        2 => {
            let e = face[1] - o;
            vec![-o.dot(e) / e.length_squared()]
        }
        3 => {
            let (e, f) = (face[1] - o, face[2] - o);
            let n = e.cross(f);
            let nn = n.length_squared();
            // coordinates of -o in the basis e, f, n
            vec![f.cross(n).dot(-o) / nn, n.cross(e).dot(-o) / nn]
        }
        _ => {
            let (e, f, g) = (face[1] - o, face[2] - o, face[3] - o);
            let det = e.dot(f.cross(g));
            vec![f.cross(g).dot(-o) / det, g.cross(e).dot(-o) / det, e.cross(f).dot(-o) / det]
        }
    };
    let rest: f64 = 1.0 - lambda.iter().sum::<f64>();
    if !(rest >= 0.0) || !lambda.iter().all(|l| *l >= 0.0) {
        return None;
    }
    Some(lambda.iter().zip(&face[1..]).fold(o, |x, (l, p)| x + (*p - o) * *l))
}

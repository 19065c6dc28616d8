//! Ellipsoids, cones, tubes and tori against distances by other mathematics: their surfaces as pictures of rectangles,
//! sampled, and the least distance found by a search that shrinks around the best samples.

mod common;

use common::{Random, gaps};
use holonom_collide::{Collider, CollisionShape, Detector, Filter, RigidTransform, Vec3, gap};

const TURN: f64 = 2.0 * std::f64::consts::PI;

/// The faces of a round shape as functions of two numbers from 0 to 1, in its own axes.
fn faces(shape: &CollisionShape) -> Vec<Box<dyn Fn(f64, f64) -> Vec3>> {
    let around = |u: f64| Vec3::new((TURN * u).cos(), (TURN * u).sin(), 0.0);
    match *shape {
        CollisionShape::Ellipsoid { half } => vec![Box::new(move |u, v| {
            let (s, c) = (std::f64::consts::PI * v).sin_cos();
            half * (around(u) * s + Vec3::Z * c)
        })],
        CollisionShape::Cone { radius, height } => vec![
            Box::new(move |u, v| around(u) * (radius * (1.0 - v)) + Vec3::Z * (height * v)),
            Box::new(move |u, v| around(u) * (radius * v)),
        ],
        CollisionShape::Tube { inner, outer, half_length: l } => vec![
            Box::new(move |u, v| around(u) * outer + Vec3::Z * (l * (2.0 * v - 1.0))),
            Box::new(move |u, v| around(u) * inner + Vec3::Z * (l * (2.0 * v - 1.0))),
            Box::new(move |u, v| around(u) * (inner + (outer - inner) * v) + Vec3::Z * l),
            Box::new(move |u, v| around(u) * (inner + (outer - inner) * v) - Vec3::Z * l),
        ],
        CollisionShape::Torus { ring, tube } => vec![Box::new(move |u, v| {
            let (s, c) = (TURN * v).sin_cos();
            around(u) * (ring + tube * c) + Vec3::Z * (tube * s)
        })],
        _ => Vec::new(),
    }
}

/// The least value of a function over the surface of a round shape.
fn least(shape: &CollisionShape, value: impl Fn(Vec3) -> f64) -> f64 {
    const GRID: usize = 48;
    let mut best = f64::INFINITY;
    for face in faces(shape) {
        let at = |k: usize| k as f64 / GRID as f64;
        let mut all: Vec<(f64, f64, f64)> = (0..GRID)
            .flat_map(|i| (0..=GRID).map(move |j| (at(i), at(j))))
            .map(|(u, v)| (value(face(u, v)), u, v))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(mut least, mut u, mut v) in all.iter().take(6) {
            let mut step = 1.0 / GRID as f64;
            while step > 1e-11 {
                let mut better = false;
                for (du, dv) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                    let (x, y) = (u + step * f64::from(du), (v + step * f64::from(dv)).clamp(0.0, 1.0));
                    let found = value(face(x, y));
                    if found < least {
                        (least, u, v, better) = (found, x, y, true);
                    }
                }
                if !better {
                    step *= 0.5;
                }
            }
            best = best.min(least);
        }
    }
    best
}

/// Distance of a point from a shape with corners, below 0 inside, own axes.
fn from_core(shape: &CollisionShape, x: Vec3) -> f64 {
    match shape {
        CollisionShape::Sphere { radius } => x.length() - radius,
        CollisionShape::Capsule { radius, half_length } => {
            (x - Vec3::Z * x.z.clamp(-half_length, *half_length)).length() - radius
        }
        CollisionShape::Box { half } => {
            let over = x.abs() - *half;
            over.max(Vec3::ZERO).length() + over.max_element().min(0.0)
        }
        CollisionShape::HalfSpace => x.z,
        // a box by its corners
        CollisionShape::Hull { points } | CollisionShape::Mesh { vertices: points, .. } => {
            from_core(&CollisionShape::Box { half: points.iter().fold(Vec3::ZERO, |m, p| m.max(*p)) }, x)
        }
        _ => f64::NAN,
    }
}

fn round_shapes(random: &mut Random) -> [CollisionShape; 4] {
    let mut size = || 0.2 + 0.6 * random.unit();
    let tube = 0.3 * size();
    let inner = size();
    [
        CollisionShape::Ellipsoid { half: Vec3::new(size(), size(), size()) },
        CollisionShape::Cone { radius: size(), height: 2.0 * size() },
        CollisionShape::Tube { inner, outer: inner + 0.3 * size(), half_length: size() },
        CollisionShape::Torus { ring: tube + size(), tube },
    ]
}

fn cores(random: &mut Random) -> [CollisionShape; 6] {
    let mut size = || 0.1 + 0.4 * random.unit();
    let half = Vec3::new(size(), size(), size());
    let corners = (0..8).map(|i| {
        let side = |bit: usize, h: f64| if i >> bit & 1 == 1 { h } else { -h };
        Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
    });
    [
        CollisionShape::Sphere { radius: size() },
        CollisionShape::Capsule { radius: 0.5 * size(), half_length: size() },
        CollisionShape::Box { half: Vec3::new(size(), size(), size()) },
        CollisionShape::Hull { points: corners.clone().collect() },
        CollisionShape::HalfSpace,
        // the same box as triangles
        CollisionShape::Mesh {
            vertices: corners.collect(),
            triangles: [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]]
                .iter()
                .flat_map(|f: &[u32; 4]| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]])
                .collect(),
        },
    ]
}

#[test]
fn gaps_are_distances_by_sampling() {
    let mut random = Random(21);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..12 {
        for round in round_shapes(&mut random) {
            for core in cores(&mut random) {
                let place = RigidTransform { position: random.vector(0.3), rotation: random.rotation() };
                let poses = [random.pose(1.0), random.pose(1.0)];
                let colliders = vec![Collider::new(round.clone(), 0).place(place), Collider::new(core.clone(), 1)];
                let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
                assert!(detector.can_touch(0, 1));
                let in_core = |x: Vec3| {
                    let world = poses[0].point(place.point(x));
                    poses[1].rotation.transpose() * (world - poses[1].position)
                };
                let expected = least(&round, |x| from_core(&core, in_core(x)));
                let mut found = Vec::new();
                detector.detect(&poses, &[2.0, 2.0], &mut found);
                let all = gaps(&detector, &found, &poses);
                let least = all.iter().map(|(_, g)| g.gap).fold(f64::INFINITY, f64::min);
                if expected > 1e-6 {
                    apart += 1;
                    // a ball in the hole of a tube is apart from it too
                    if expected < 1.9 {
                        assert!((least - expected).abs() < 2e-8, "{round:?} {core:?}: {least} for {expected}");
                    }
                } else if matches!(core, CollisionShape::HalfSpace) {
                    overlapping += 1;
                    assert!((least - expected).abs() < 2e-8, "{round:?} {core:?}: {least} for {expected}");
                } else if expected < -1e-3 {
                    overlapping += 1;
                    assert!(least < 0.0, "{round:?} {core:?}: overlap not seen: {least}");
                }
                for (c, g) in &all {
                    assert!((g.normal.length() - 1.0).abs() < 1e-9, "{c:?}");
                }
            }
        }
    }
    assert!(apart > 60 && overlapping > 40, "{apart} {overlapping}");
}

#[test]
fn tori_meet_where_their_circles_are_nearest() {
    let mut random = Random(8);
    let mut memory = Vec::new();
    let mut apart = 0;
    for _ in 0..60 {
        let ring = [0.5 + random.unit(), 0.5 + random.unit()];
        let tube = [0.05 + 0.1 * random.unit(), 0.05 + 0.1 * random.unit()];
        let poses = [random.pose(0.7), random.pose(0.7)];
        let torus = |k: usize| Collider::new(CollisionShape::Torus { ring: ring[k], tube: tube[k] }, k as u32);
        let mut detector = Detector::new(vec![torus(0), torus(1)], Filter::new(2)).unwrap();
        let from_second = |x: Vec3| {
            let y = poses[1].rotation.transpose() * (poses[0].point(x) - poses[1].position);
            (y.x.hypot(y.y) - ring[1]).hypot(y.z)
        };
        let circle = |k: u32| {
            let (s, c) = (TURN * f64::from(k) / 100_000.0).sin_cos();
            from_second(Vec3::new(c, s, 0.0) * ring[0])
        };
        let expected = (0..100_000).map(circle).fold(f64::INFINITY, f64::min) - tube[0] - tube[1];
        let found = detector.closest(&poses, (0, 1), 10.0, &mut memory).unwrap();
        apart += usize::from(expected > 0.0);
        assert!((found.gap - expected).abs() < 1e-7, "{} for {expected}", found.gap);
    }
    assert!(apart > 5, "{apart}");
}

/// What lies above a plane is followed exactly: a candidate found at one pose tells the gap at another.
#[test]
fn above_planes_gaps_are_followed_exactly() {
    let mut random = Random(4);
    for _ in 0..40 {
        for round in round_shapes(&mut random) {
            let colliders = vec![Collider::new(round.clone(), 0), Collider::new(CollisionShape::HalfSpace, 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            let mut poses = [random.pose(1.0), random.pose(1.0)];
            let least_of = |detector: &mut Detector, poses: &[RigidTransform; 2]| {
                let mut found = Vec::new();
                detector.detect(poses, &[9.0, 9.0], &mut found);
                found
            };
            let found = least_of(&mut detector, &poses);
            // a small turn: the lowest feature may change for cones and tubes, not its gap
            poses[0].rotation = common::tilt(random.vector(1e-3)) * poses[0].rotation;
            poses[0].position += random.vector(0.1);
            let followed = found.iter().map(|c| gap(c, &poses[0], &poses[1]).gap).fold(f64::INFINITY, f64::min);
            let anew = least_of(&mut detector, &poses);
            let anew = anew.iter().map(|c| gap(c, &poses[0], &poses[1]).gap).fold(f64::INFINITY, f64::min);
            assert!((followed - anew).abs() < 1e-13, "{round:?}: {followed} for {anew}");
        }
    }
}

#[test]
fn rays_meet_round_shapes_where_a_walk_does() {
    let mut random = Random(17);
    let mut hits = 0;
    for _ in 0..60 {
        for round in round_shapes(&mut random) {
            let mut detector = Detector::new(vec![Collider::new(round.clone(), 0)], Filter::new(1)).unwrap();
            let pose = random.pose(1.0);
            let start = random.vector(1.0).normalize() * 3.0;
            let d = (random.vector(0.4) - start).normalize();
            let hit = detector.ray(0, &[pose], pose.point(start), pose.rotation * d, 10.0);
            let inside = |x: Vec3| {
                let r = x.x.hypot(x.y);
                match round {
                    CollisionShape::Ellipsoid { half } => (x / half).length() <= 1.0,
                    CollisionShape::Cone { radius, height } => {
                        x.z >= 0.0 && x.z <= height && r <= radius * (1.0 - x.z / height)
                    }
                    CollisionShape::Tube { inner, outer, half_length } => {
                        x.z.abs() <= half_length && r >= inner && r <= outer
                    }
                    CollisionShape::Torus { ring, tube } => (r - ring).hypot(x.z) <= tube,
                    _ => false,
                }
            };
            let at = |k: usize| 6.0 * k as f64 / 20_000.0;
            let walked = (1..=20_000).find(|k| inside(start + d * at(*k))).map(|k| {
                let (mut low, mut high) = (at(k - 1), at(k));
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if inside(start + d * middle) { high = middle } else { low = middle }
                }
                high
            });
            match (hit, walked) {
                (Some(hit), Some(s)) => {
                    hits += 1;
                    assert!((hit.distance - s).abs() < 1e-9, "{round:?}: {} for {s}", hit.distance);
                }
                (None, Some(s)) => panic!("{round:?}: nothing for {s}"),
                // grazing
                (Some(hit), None) => {
                    assert!(inside(start + d * hit.distance - pose.rotation.transpose() * (hit.normal * 1e-7)))
                }
                _ => {}
            }
        }
    }
    assert!(hits > 60, "{hits}");
}

/// A point of the surface of one round shape is inside another, or how far it is outside: for ellipsoids the least over a
/// sampled surface.
#[test]
fn round_shapes_meet_round_shapes() {
    let mut random = Random(33);
    let mut memory = Vec::new();
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..25 {
        let shapes = round_shapes(&mut random);
        let again = round_shapes(&mut random);
        let cylinder = CollisionShape::Cylinder { radius: 0.3, half_length: 0.5 };
        // a torus is its circle: a thin one is sampled as that, and the radius of the tube taken away
        let pairs = [
            (shapes[0].clone(), again[0].clone()),
            (shapes[3].clone(), again[0].clone()),
            (shapes[3].clone(), again[1].clone()),
            (again[2].clone(), shapes[3].clone()),
            (shapes[3].clone(), cylinder),
        ];
        for (a, b) in pairs {
            let poses = [random.pose(0.9), random.pose(0.9)];
            let colliders = vec![Collider::new(a.clone(), 0), Collider::new(b.clone(), 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            assert!(detector.can_touch(0, 1) && detector.can_touch(1, 0), "{a:?} {b:?}");
            let points = detector.closest(&poses, (0, 1), 10.0, &mut memory).unwrap();
            // both surfaces sampled, by a search over the first of the least over the second
            let (first, second) =
                if matches!(a, CollisionShape::Torus { .. }) { ((&a, 0), (&b, 1)) } else { ((&b, 1), (&a, 0)) };
            let to_second =
                |x: Vec3| poses[second.1].rotation.transpose() * (poses[first.1].point(x) - poses[second.1].position);
            let expected = sampled(first.0, second.0, to_second);
            let found = points.gap;
            if expected > 1e-3 {
                apart += 1;
                // no sample is nearer, and the points that are told are on both surfaces, so far apart
                assert!(found <= expected + 1e-9 && found > 0.0, "{a:?} {b:?}: {found} for {expected}");
                assert!(expected - found < 0.1, "{a:?} {b:?}: {found} for {expected}");
                for (k, shape, x) in [(0, &a, points.points.0), (1, &b, points.points.1)] {
                    let own = poses[k].rotation.transpose() * (x - poses[k].position);
                    assert!(off_surface(shape, own).abs() < 1e-9, "{shape:?}: {}", off_surface(shape, own));
                }
                assert!(((points.points.0 - points.points.1).length() - found).abs() < 1e-9);
            } else if expected < -1e-3 {
                overlapping += 1;
                assert!(found < 0.0, "{a:?} {b:?}: {found} for {expected}");
            }
        }
    }
    assert!(apart > 30 && overlapping > 30, "{apart} {overlapping}");
}

/// How far a point is from the surface of a shape, to the first order, from its equation.
fn off_surface(shape: &CollisionShape, x: Vec3) -> f64 {
    let r = x.x.hypot(x.y);
    match *shape {
        CollisionShape::Ellipsoid { half } => (x / half).length() - 1.0,
        CollisionShape::Torus { ring, tube } => (r - ring).hypot(x.z) - tube,
        CollisionShape::Cone { radius, height } => (-x.z).max(r - radius * (1.0 - x.z / height)),
        CollisionShape::Tube { inner, outer, half_length } => (x.z.abs() - half_length).max((inner - r).max(r - outer)),
        CollisionShape::Cylinder { radius, half_length } => (x.z.abs() - half_length).max(r - radius),
        _ => f64::NAN,
    }
}

/// Least signed distance of the surface of `a` from `b`; the place of a point of `a` in the axes of `b` is given.
fn sampled(a: &CollisionShape, b: &CollisionShape, to_b: impl Fn(Vec3) -> Vec3) -> f64 {
    let profile = |r: f64, z: f64, half: f64, from: f64, to: f64| {
        let (over, beside) = (z.abs() - half, (from - r).max(r - to));
        if over > 0.0 && beside > 0.0 { over.hypot(beside) } else { over.max(beside) }
    };
    let from_b = |x: Vec3| {
        let y = to_b(x);
        let r = y.x.hypot(y.y);
        match *b {
            CollisionShape::Tube { inner, outer, half_length } => profile(r, y.z, half_length, inner, outer),
            CollisionShape::Cylinder { radius, half_length } => profile(r, y.z, half_length, -1e9, radius),
            // the distance from the surface itself, by another search
            _ => {
                let inside = match *b {
                    CollisionShape::Ellipsoid { half } => (y / half).length() < 1.0,
                    CollisionShape::Cone { radius, height } => {
                        y.z > 0.0 && y.z < height && r < radius * (1.0 - y.z / height)
                    }
                    _ => false,
                };
                let distance = coarse(b, |s| (s - y).length());
                if inside { -distance } else { distance }
            }
        }
    };
    coarse(a, from_b)
}

/// As [`least`], with fewer samples and a coarser end.
fn coarse(shape: &CollisionShape, value: impl Fn(Vec3) -> f64) -> f64 {
    const GRID: usize = 12;
    let mut best = f64::INFINITY;
    for face in faces(shape) {
        let at = |k: usize| k as f64 / GRID as f64;
        let all = (0..GRID).flat_map(|i| (0..=GRID).map(move |j| (at(i), at(j))));
        let first = all.map(|(u, v)| (value(face(u, v)), u, v)).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((mut least, mut u, mut v)) = first else { continue };
        let mut step = 1.0 / GRID as f64;
        while step > 1e-5 {
            let mut better = false;
            for (du, dv) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                let (x, y) = (u + step * f64::from(du), (v + step * f64::from(dv)).clamp(0.0, 1.0));
                let found = value(face(x, y));
                if found < least {
                    (least, u, v, better) = (found, x, y, true);
                }
            }
            if !better {
                step *= 0.5;
            }
        }
        best = best.min(least);
    }
    best
}

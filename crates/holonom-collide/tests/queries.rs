//! Rays, casts and nearest points, against answers from other mathematics: rays against a walk along them with a test
//! for being inside, casts of convex shapes against a ray on the Minkowski sum, distances against alternating
//! projections.

mod common;

use common::Random;
use holonom_collide::{Collider, CollisionShape, Detector, Filter, RigidTransform, Vec3};

fn points(random: &mut Random, n: usize, size: f64) -> Vec<Vec3> {
    (0..n).map(|_| random.vector(size)).collect()
}

/// Is a place in the shape's own axes inside?
fn inside(shape: &CollisionShape, x: Vec3) -> bool {
    match shape {
        CollisionShape::Sphere { radius } => x.length() <= *radius,
        CollisionShape::Box { half } => x.abs().cmple(*half).all(),
        CollisionShape::Capsule { radius, half_length } => {
            let on = Vec3::Z * x.z.clamp(-half_length, *half_length);
            (x - on).length() <= *radius
        }
        CollisionShape::Cylinder { radius, half_length } => x.z.abs() <= *half_length && x.x.hypot(x.y) <= *radius,
        CollisionShape::HalfSpace => x.z <= 0.0,
        // for tetrahedra: barycentric coordinates of the point
        CollisionShape::Hull { points } | CollisionShape::Mesh { vertices: points, .. } => {
            let volume = |p: [Vec3; 4]| (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0]));
            let p = [points[0], points[1], points[2], points[3]];
            let whole = volume(p);
            (0..4).all(|k| {
                let mut q = p;
                q[k] = x;
                volume(q) / whole >= 0.0
            })
        }
        CollisionShape::HeightField { heights, rows, columns, size } => {
            let (u, v) = ((x.x / size[0] + 0.5) * f64::from(columns - 1), (x.y / size[1] + 0.5) * f64::from(rows - 1));
            if !(u >= 0.0 && v >= 0.0 && u <= f64::from(columns - 1) && v <= f64::from(rows - 1)) {
                return false;
            }
            let (c, r) = ((u as u32).min(columns - 2), (v as u32).min(rows - 2));
            let (a, b) = (u - f64::from(c), v - f64::from(r));
            let h = |i: u32, j: u32| heights[((r + i) * columns + c + j) as usize];
            let top = if b <= a {
                h(0, 0) + a * (h(0, 1) - h(0, 0)) + b * (h(1, 1) - h(0, 1))
            } else {
                h(0, 0) + b * (h(1, 0) - h(0, 0)) + a * (h(1, 1) - h(1, 0))
            };
            x.z <= top
        }
        _ => false, // points; round shapes have a test of their own
    }
}

fn shapes(random: &mut Random) -> Vec<CollisionShape> {
    let corners = loop {
        let p = points(random, 4, 1.0);
        if (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) > 0.3 {
            break p;
        }
    };
    let size = |random: &mut Random| 0.2 + random.unit();
    vec![
        CollisionShape::Sphere { radius: size(random) },
        CollisionShape::Box { half: Vec3::new(size(random), size(random), size(random)) },
        CollisionShape::Capsule { radius: size(random), half_length: size(random) },
        CollisionShape::Cylinder { radius: size(random), half_length: size(random) },
        CollisionShape::HalfSpace,
        CollisionShape::Hull { points: corners.clone() },
        // outside of a tetrahedron with a positive volume
        CollisionShape::Mesh { vertices: corners, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] },
        CollisionShape::HeightField {
            heights: (0..20).map(|_| 0.4 * random.unit()).collect(),
            rows: 4,
            columns: 5,
            size: [2.0, 3.0],
        },
    ]
}

#[test]
fn a_ray_meets_what_a_walk_along_it_meets() {
    const WALK: usize = 4000;
    const FAR: f64 = 6.0;
    let mut random = Random(11);
    let mut hits = [0; 8];
    for round in 0..400 {
        for (kind, shape) in shapes(&mut random).into_iter().enumerate() {
            let place = RigidTransform { position: random.vector(0.3), rotation: random.rotation() };
            let collider = Collider::new(shape.clone(), 0).place(place);
            let mut detector = Detector::new(vec![collider], Filter::new(1)).unwrap();
            let carrier = RigidTransform { position: random.vector(100.0), rotation: random.rotation() };
            // all the way from outside
            let target = random.vector(1.0);
            let start = loop {
                let x = random.vector(1.0).normalize() * 3.0;
                if !inside(&shape, x) && (kind != 7 || x.z > 0.5) {
                    break x;
                }
            };
            let d = (target - start).normalize();
            let world = |x: Vec3| carrier.point(place.point(x));
            let direction = carrier.rotation * (place.rotation * d);
            let found = detector.ray(0, &[carrier], world(start), direction, FAR);
            let at = |k: usize| FAR * k as f64 / WALK as f64;
            let walked = (1..=WALK).find(|k| inside(&shape, start + d * at(*k))).map(|k| {
                let (mut low, mut high) = (at(k - 1), at(k));
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if inside(&shape, start + d * middle) { high = middle } else { low = middle }
                }
                high
            });
            // a field has no sides: a ray may come in below its border
            let below = kind == 7 && walked.is_some_and(|s| !inside_column(&shape, start + d * (s - 1e-9)));
            match (found, walked) {
                (Some(hit), Some(s)) if !below => {
                    hits[kind] += 1;
                    assert!((hit.distance - s).abs() < 1e-11, "{round}: {shape:?}: {} for {s}", hit.distance);
                    assert!(hit.normal.dot(direction) < 0.0 && (hit.normal.length() - 1.0).abs() < 1e-12);
                    // a little along the normal is outside, a little against it inside
                    let n = place.rotation.transpose() * (carrier.rotation.transpose() * hit.normal);
                    let on = start + d * hit.distance;
                    assert!(!inside(&shape, on + n * 1e-6) || kind == 7, "{round}: {shape:?}");
                }
                // grazing: shorter inside than a step of the walk
                (Some(hit), None) => {
                    let n = place.rotation.transpose() * (carrier.rotation.transpose() * hit.normal);
                    assert!(inside(&shape, start + d * hit.distance - n * 1e-9), "{round}: {shape:?}: {hit:?}");
                }
                (None, Some(s)) => assert!(below, "{round}: {shape:?}: nothing, {s} by walking"),
                _ => {}
            }
        }
    }
    assert!(hits.iter().all(|n| *n > 40), "{hits:?}");
}

/// Is a place above or below the rectangle of a field?
fn inside_column(shape: &CollisionShape, x: Vec3) -> bool {
    let CollisionShape::HeightField { size, .. } = shape else { return true };
    x.x.abs() < 0.5 * size[0] && x.y.abs() < 0.5 * size[1]
}

#[test]
fn from_inside_a_solid_it_is_hit_at_once() {
    let mut random = Random(5);
    for shape in shapes(&mut random).into_iter().take(6) {
        let mut detector = Detector::new(vec![Collider::new(shape.clone(), 0)], Filter::new(1)).unwrap();
        let x = (0..10_000).map(|_| random.vector(1.0)).find(|x| inside(&shape, *x)).unwrap();
        let hit = detector.ray(0, &[RigidTransform::default()], x, Vec3::X, 10.0).unwrap();
        assert!(hit.distance == 0.0 && hit.normal == -Vec3::X, "{shape:?}");
    }
}

/// A shape that moves without turning hits another where a ray from the origin hits the set of all differences.
#[test]
fn a_cast_is_a_ray_on_the_minkowski_difference() {
    let mut random = Random(3);
    let mut memory = Vec::new();
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..300 {
        let corners = |random: &mut Random| loop {
            let p = points(random, 6, 0.5);
            if (CollisionShape::Hull { points: p.clone() }).validate().is_ok() {
                break p;
            }
        };
        let (a, b) = (corners(&mut random), corners(&mut random));
        let poses = [random.pose(0.5), RigidTransform { position: random.vector(2.0), rotation: random.rotation() }];
        let d = (poses[1].position - poses[0].position + random.vector(1.0)).normalize();
        let hull = |p: &[Vec3], carrier| Collider::new(CollisionShape::Hull { points: p.to_vec() }, carrier);
        let mut detector = Detector::new(vec![hull(&a, 0), hull(&b, 1)], Filter::new(2)).unwrap();
        let mut moving = poses;
        let found = detector.cast(&mut moving, (0, 1), d, 5.0, &mut memory);
        assert_eq!(moving, poses);
        let differences =
            b.iter().flat_map(|q| a.iter().map(|p| poses[1].point(*q) - poses[0].point(*p))).collect::<Vec<_>>();
        let mut sum = Detector::new(vec![hull(&differences, 0)], Filter::new(1)).unwrap();
        let expected = sum.ray(0, &[RigidTransform::default()], Vec3::ZERO, d, 5.0);
        match (found, expected) {
            (Some(f), Some(e)) => {
                hits += 1;
                assert!((f.distance - e.distance).abs() < 1e-9, "{} for {}", f.distance, e.distance);
            }
            (None, None) => misses += 1,
            (f, e) => panic!("{f:?} for {e:?}"),
        }
    }
    assert!(hits > 80 && misses > 20, "{hits} {misses}");
}

/// A ball that rolls down onto a mesh: the cast stops where a point would stop on the surface of the grown triangle.
#[test]
fn a_ball_cast_onto_triangles_stops_at_its_radius() {
    let vertices = vec![Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let mesh = CollisionShape::Mesh { vertices, triangles: vec![[0, 1, 2]] };
    let ball = CollisionShape::Sphere { radius: 0.25 };
    let mut detector = Detector::new(vec![Collider::new(mesh, 0), Collider::new(ball, 1)], Filter::new(2)).unwrap();
    let mut poses = [RigidTransform::default(), RigidTransform::at(Vec3::new(-0.6, -0.3, 1.25))];
    let d = Vec3::new(0.6, 0.0, -0.8);
    let hit = detector.cast(&mut poses, (1, 0), d, 10.0, &mut Vec::new()).unwrap();
    assert!((hit.distance - 1.25).abs() < 1e-9, "{}", hit.distance); // 1 m down at 0.8 m per metre
    assert!((hit.point - Vec3::new(0.15, -0.3, 0.0)).length() < 1e-9, "{}", hit.point);
}

#[test]
fn nearest_points_are_no_farther_than_alternating_projections_find() {
    let mut random = Random(9);
    let mut memory = Vec::new();
    for _ in 0..60 {
        let half = [0; 2].map(|_| Vec3::new(0.2 + random.unit(), 0.2 + random.unit(), 0.2 + random.unit()));
        let poses = [random.pose(0.5), RigidTransform { position: random.vector(3.0), rotation: random.rotation() }];
        let colliders = (0..2).map(|k| Collider::new(CollisionShape::Box { half: half[k] }, k as u32)).collect();
        let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
        let found = detector.closest(&poses, (0, 1), 20.0, &mut memory).unwrap();
        if found.gap <= 0.0 {
            continue;
        }
        let onto = |k: usize, x: Vec3| {
            let own = poses[k].rotation.transpose() * (x - poses[k].position);
            poses[k].point(own.clamp(-half[k], half[k]))
        };
        let mut p = poses[0].position;
        for _ in 0..20_000 {
            p = onto(0, onto(1, p));
        }
        let least = (p - onto(1, p)).length();
        assert!((found.gap - least).abs() < 1e-6 && found.gap <= least + 1e-12, "{} for {least}", found.gap);
        assert!((found.points.0 - onto(0, found.points.0)).length() < 1e-12);
        assert!((found.points.1 - onto(1, found.points.1)).length() < 1e-12);
        assert!(((found.points.0 - found.points.1) - found.normal * found.gap).length() < 1e-12);
    }
}

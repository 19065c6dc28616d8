//! Surfaces of triangles: seams are not felt, ridges and borders are, and what rests is held.

mod common;

use common::{Random, gaps, tilt};
use holonom_collide::{Candidate, Collider, CollisionShape, Detector, FeaturePair, Filter, RigidTransform, Vec3};

/// A flat square of side 4 m, in cells of 0.5 m, with corners that are not shared: a soup as STL has it.
fn flat() -> CollisionShape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..8 {
        for j in 0..8 {
            let at = |a: i32, b: i32| Vec3::new(f64::from(i + a) * 0.5 - 2.0, f64::from(j + b) * 0.5 - 2.0, 0.0);
            for corners in [[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]] {
                let k = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([k, k + 1, k + 2]);
            }
        }
    }
    CollisionShape::Mesh { vertices, triangles }
}

fn cube_mesh() -> CollisionShape {
    let vertices: Vec<Vec3> =
        (0..8).map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - 0.5).collect();
    let quads = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let triangles = quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    CollisionShape::Mesh { vertices, triangles }
}

fn detect(
    ground: &CollisionShape,
    shape: &CollisionShape,
    pose: RigidTransform,
    reach: f64,
) -> (Vec<(Candidate, holonom_collide::Gap)>, Detector) {
    let colliders = vec![Collider::new(ground.clone(), 0), Collider::new(shape.clone(), 1)];
    let mut detector = Detector::new(colliders, Filter::new(2).fixed(0)).unwrap();
    let mut found = Vec::new();
    let poses = [RigidTransform::default(), pose];
    detector.detect(&poses, &[0.0, reach], &mut found);
    (gaps(&detector, &found, &poses), detector)
}

#[test]
fn seams_of_a_flat_floor_are_not_felt() {
    let floor = flat();
    let ball = CollisionShape::Sphere { radius: 0.3 };
    let brick = CollisionShape::Box { half: Vec3::new(0.4, 0.3, 0.1) };
    let rod = CollisionShape::Capsule { radius: 0.1, half_length: 0.5 };
    let drum = CollisionShape::Cylinder { radius: 0.2, half_length: 0.3 };
    let lying = tilt(Vec3::Y * std::f64::consts::FRAC_PI_2);
    let mut keys: Vec<Vec<u64>> = vec![Vec::new(); 5];
    for k in 0..400 {
        let s = f64::from(k) / 400.0;
        // Over seams, along them, and exactly on their crossings.
        let x = Vec3::new(-1.0 + 2.0 * s, if k % 2 == 0 { 0.0 } else { 0.013 - s }, 0.0);
        for (i, (shape, height, points)) in
            [(&ball, 0.3, 1), (&brick, 0.1, 4), (&rod, 0.1, 2), (&drum, 0.3, 8), (&drum, 0.2, 2)]
                .into_iter()
                .enumerate()
        {
            let turn = if i == 2 || i == 4 { lying } else { tilt(Vec3::Z * s) };
            // A little above and a little below as well.
            let off = [0.0, 1e-16, -1e-16, 1e-3, -1e-3][k as usize % 5];
            let (found, _) =
                detect(&floor, shape, RigidTransform { position: x + Vec3::Z * (height + off), rotation: turn }, 0.01);
            assert_eq!(found.len(), points, "{shape:?} at {x}: {found:?}");
            for (c, g) in &found {
                assert!(
                    (g.normal - Vec3::Z).length() < 1e-12 && (g.gap - off).abs() < 1e-12,
                    "{shape:?} at {x}: {g:?}"
                );
                assert!(matches!(c.features, FeaturePair::PointPlane { .. } | FeaturePair::RimPlane { .. }));
            }
            let now: Vec<u64> = found.iter().map(|f| f.0.key).collect();
            if keys[i].is_empty() {
                keys[i] = now;
            } else {
                assert_eq!(keys[i], now, "{shape:?} at {x}: keys change on a flat floor");
            }
        }
    }
}

#[test]
fn a_brick_over_the_border_is_held_there() {
    let floor = flat();
    let brick = CollisionShape::Box { half: Vec3::new(0.5, 0.3, 0.1) };
    let (found, _) = detect(&floor, &brick, RigidTransform::at(Vec3::new(1.8, 0.1, 0.1)), 0.0);
    let out = found.iter().map(|f| f.1.point.x).fold(0.0, f64::max);
    assert!((out - 2.0).abs() < 1e-12, "{found:?}");
    assert_eq!(found.len(), 4, "{found:?}");
    for (_, g) in &found {
        assert!(g.gap.abs() < 1e-12 && (g.normal - Vec3::Z).length() < 1e-12, "{found:?}");
    }
    // A ball beside the border touches it, and not the floor's plane.
    let (found, _) =
        detect(&floor, &CollisionShape::Sphere { radius: 0.3 }, RigidTransform::at(Vec3::new(2.18, 0.1, 0.24)), 0.1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.gap.abs() < 1e-12 && matches!(found[0].0.features, FeaturePair::PointLine { .. }));
}

/// A cube of triangles is met as a box is.
#[test]
fn a_cube_of_triangles_is_a_box() {
    let (mesh, solid) = (cube_mesh(), CollisionShape::Box { half: Vec3::splat(0.5) });
    let mut random = Random(77);
    let shapes = [
        CollisionShape::Point,
        CollisionShape::Sphere { radius: 0.3 },
        CollisionShape::Box { half: Vec3::new(0.5, 0.3, 0.2) },
        CollisionShape::Capsule { radius: 0.15, half_length: 0.6 },
    ];
    let mut apart = 0;
    for shape in &shapes {
        let make = |ground: &CollisionShape| {
            let colliders = vec![Collider::new(ground.clone(), 0), Collider::new(shape.clone(), 1)];
            Detector::new(colliders, Filter::new(2).fixed(0)).unwrap()
        };
        let (mut on_mesh, mut on_box) = (make(&mesh), make(&solid));
        let (mut there, mut here) = (Vec::new(), Vec::new());
        for _ in 0..3000 {
            let poses = [random.pose(0.2), random.pose(1.3)];
            on_mesh.detect(&poses, &[2.0, 2.0], &mut there);
            on_box.detect(&poses, &[2.0, 2.0], &mut here);
            let (m, b) = (common::least_gap(&on_mesh, &there, &poses), common::least_gap(&on_box, &here, &poses));
            if b > 1e-9 {
                apart += 1;
                assert!(
                    (m - b).abs() < 1e-10,
                    "{shape:?} at {poses:?}: {m} m on the mesh, {b} m on the box: {there:?}"
                );
            }
        }
    }
    assert!(apart > 4000, "{apart}");
}

/// A ball on a rough height field: the gap is that to the nearest point of the surface, found by sampling.
#[test]
fn heights_are_met_where_they_are_nearest() {
    let mut random = Random(13);
    let (rows, columns, size) = (9, 7, [3.0, 4.0]);
    let heights: Vec<f64> = (0..rows * columns).map(|_| 0.4 * random.unit()).collect();
    let field = CollisionShape::HeightField { heights: heights.clone(), rows, columns, size };
    let height = |x: f64, y: f64| {
        let (u, v) = ((x / size[0] + 0.5) * f64::from(columns - 1), (y / size[1] + 0.5) * f64::from(rows - 1));
        let (c, r) = ((u as u32).min(columns - 2), (v as u32).min(rows - 2));
        let (u, v) = (u - f64::from(c), v - f64::from(r));
        let h = |i: u32, j: u32| heights[((r + i) * columns + c + j) as usize];
        if u >= v {
            h(0, 0) + u * (h(0, 1) - h(0, 0)) + v * (h(1, 1) - h(0, 1))
        } else {
            h(0, 0) + v * (h(1, 0) - h(0, 0)) + u * (h(1, 1) - h(1, 0))
        }
    };
    let ball = CollisionShape::Sphere { radius: 0.2 };
    for _ in 0..150 {
        let (x, y) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
        let centre = Vec3::new(x, y, height(x, y) + 0.05 + 0.3 * random.unit());
        let (found, _) = detect(&field, &ball, RigidTransform::at(centre), 1.0);
        let least = found.iter().fold(f64::INFINITY, |m, f| m.min(f.1.gap));
        let mut nearest = f64::INFINITY;
        for i in 0..400 {
            for j in 0..400 {
                let (sx, sy) = (x + 0.5 * (f64::from(i) / 200.0 - 1.0), y + 0.5 * (f64::from(j) / 200.0 - 1.0));
                nearest = nearest.min((Vec3::new(sx, sy, height(sx, sy)) - centre).length() - 0.2);
            }
        }
        assert!(least < nearest + 1e-12 && least > nearest - 5e-3, "{centre}: {least} m, sampled {nearest} m");
    }
    // Fallen through, it is still told the way up.
    let (found, _) = detect(&field, &ball, RigidTransform::at(Vec3::new(0.1, 0.2, -1.0)), 0.0);
    assert!(!found.is_empty());
    assert!(found.iter().all(|f| f.1.gap < -0.5 && f.1.normal.z > 0.5), "{found:?}");
}

/// A ball in a valley between two slopes touches both; on the ridge, the ridge.
#[test]
fn valleys_and_ridges() {
    let profile = |fold: f64| CollisionShape::Mesh {
        vertices: vec![
            Vec3::new(-1.0, -1.0, fold),
            Vec3::new(-1.0, 1.0, fold),
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(1.0, -1.0, fold),
            Vec3::new(1.0, 1.0, fold),
        ],
        triangles: vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]],
    };
    let ball = CollisionShape::Sphere { radius: 0.2 };
    let (valley, _) = detect(&profile(1.0), &ball, RigidTransform::at(Vec3::Z * (0.2 * 2.0f64.sqrt())), 0.0);
    assert_eq!(valley.len(), 2, "{valley:?}");
    assert!(valley.iter().all(|f| f.1.gap.abs() < 1e-12 && matches!(f.0.features, FeaturePair::PointPlane { .. })));
    let (ridge, _) = detect(&profile(-1.0), &ball, RigidTransform::at(Vec3::Z * 0.2), 0.0);
    assert_eq!(ridge.len(), 1, "{ridge:?}");
    assert!(matches!(ridge[0].0.features, FeaturePair::PointLine { .. }) && ridge[0].1.gap.abs() < 1e-12);
    // A brick across the ridge lies on it with its edges.
    let (brick, _) = detect(
        &profile(-1.0),
        &CollisionShape::Box { half: Vec3::new(0.3, 0.2, 0.1) },
        RigidTransform::at(Vec3::Z * 0.1),
        0.0,
    );
    assert_eq!(brick.len(), 2, "{brick:?}");
    assert!(brick.iter().all(|f| f.1.gap.abs() < 1e-12 && (f.1.normal - Vec3::Z).length() < 1e-12));
}

/// A bowl, open at the top: quarter circles turned about z, n around and n down.
fn bowl(n: u32) -> CollisionShape {
    let at = |i: u32, j: u32| {
        let (turn, down) = (f64::from(i) / f64::from(n) * std::f64::consts::TAU, f64::from(j) / f64::from(n) * 1.5);
        Vec3::new(down.sin() * turn.cos(), down.sin() * turn.sin(), -down.cos())
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            let corners = if j == 0 { vec![[a, b, c]] } else { vec![[a, b, c], [a, c, d]] };
            for corners in corners {
                let k = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([k, k + 1, k + 2]);
            }
        }
    }
    CollisionShape::Mesh { vertices, triangles }
}

fn hills(n: u32) -> CollisionShape {
    let heights = (0..n * n).map(|k| 0.3 * f64::from(k % n).sin() * f64::from(k / n).cos()).collect();
    CollisionShape::HeightField { heights, rows: n, columns: n, size: [3.0, 3.0] }
}

/// The nearest candidates have the least gap of all candidates within reach, wherever the shape is: above, beside,
/// touching, half through. The other road: everything within reach. (What is wholly behind an open surface, outside of
/// the bowl, or beside a field of heights and lower than it, is not below anything; there the answer depends on how far
/// one looks.)
#[test]
fn the_nearest_is_the_least_of_all_within_reach() {
    let mut g = Random(77);
    let points = (0..12).map(|_| g.vector(0.25)).collect();
    let shapes = [
        CollisionShape::Sphere { radius: 0.2 },
        CollisionShape::Box { half: Vec3::new(0.3, 0.2, 0.1) },
        CollisionShape::Capsule { radius: 0.1, half_length: 0.3 },
        CollisionShape::Cylinder { radius: 0.15, half_length: 0.2 },
        CollisionShape::Hull { points },
    ];
    let (most, mut far, mut near, mut through, mut missing) = (1.0, 0, 0, 0, 0);
    let grounds = [flat(), cube_mesh(), bowl(12), hills(9), CollisionShape::HalfSpace, shapes[1].clone()];
    for (number, ground) in grounds.into_iter().enumerate() {
        for shape in shapes.iter().chain([&cube_mesh()]) {
            for k in 0..60 {
                let size = [0.3, 1.0, 2.5][k % 3];
                let pose = RigidTransform { position: g.vector(size), rotation: g.rotation() };
                let beside = pose.position.truncate().abs().max_element() > 1.0;
                let behind = pose.position.z < 0.5 && pose.position.length() > 0.9;
                if number == 2 && behind || number == 3 && beside {
                    continue;
                }
                let (all, mut detector) = detect(&ground, shape, pose, most);
                let expected = all.iter().map(|(_, gap)| gap.gap).fold(f64::INFINITY, f64::min);
                let (poses, mut found) = ([RigidTransform::default(), pose], Vec::new());
                detector.nearest(&poses, (1, 0), most, &mut found);
                let got = common::least_gap(&detector, &found, &poses);
                if expected > most {
                    missing += 1;
                    assert!(got > most, "{got} where nothing is within reach");
                    continue;
                }
                let gap = got - expected;
                assert!(gap.abs() <= 1e-12, "ground {number}, {:?}: {got}, not {expected}", pose.position);
                assert!(found.len() <= all.len());
                (far, near, through) = (
                    far + usize::from(found.len() < all.len()),
                    near + usize::from(expected > 0.0),
                    through + usize::from(expected < 0.0),
                );
            }
        }
    }
    println!("{near} apart, {through} overlapping, {missing} out of reach; fewer candidates in {far}");
    assert!(near > 200 && through > 100 && missing > 50 && far > 100, "{near} {through} {missing} {far}");
}

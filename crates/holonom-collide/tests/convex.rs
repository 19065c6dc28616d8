//! Convex shapes against an independent judge (parry), in random poses.

mod common;

use common::{Random, least_gap, parry_distance};
use holonom_collide::{Collider, Detector, Filter, Pose, Shape, Vec3};

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Point,
        Shape::Sphere { radius: 0.3 },
        Shape::Box { half: Vec3::new(0.5, 0.3, 0.2) },
        Shape::Capsule { radius: 0.15, half_length: 0.6 },
        Shape::HalfSpace,
    ]
}

#[test]
fn least_gap_is_the_distance() {
    let mut random = Random(7);
    let shapes = shapes();
    for first in &shapes {
        for second in &shapes {
            if matches!((first, second), (Shape::HalfSpace, Shape::HalfSpace)) {
                continue;
            }
            let colliders = vec![Collider::new(first.clone(), 0), Collider::new(second.clone(), 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            let mut found = Vec::new();
            let mut apart = 0;
            for _ in 0..2000 {
                let poses = [random.pose(1.0), random.pose(1.0)];
                let Some(distance) = parry_distance(first, &poses[0], second, &poses[1]) else { continue };
                detector.detect(&poses, &[2.0, 2.0], &mut found);
                assert!(!found.is_empty(), "{first:?} and {second:?} at {poses:?}: nothing found at {distance} m");
                let least = least_gap(&detector, &found, &poses);
                if distance > 0.0 {
                    apart += 1;
                    assert!(
                        (least - distance).abs() < 1e-9,
                        "{first:?} and {second:?} at {poses:?}: gap {least} m, distance {distance} m: {found:#?}"
                    );
                } else {
                    assert!(least <= 1e-9, "{first:?} and {second:?} at {poses:?}: gap {least} m, but they overlap");
                }
            }
            assert!(apart > 200, "{first:?} and {second:?}: only {apart} poses apart");
        }
    }
}

#[test]
fn out_of_reach_is_not_found() {
    let mut random = Random(3);
    let shapes = shapes();
    for first in &shapes[..4] {
        for second in &shapes {
            let colliders = vec![Collider::new(first.clone(), 0), Collider::new(second.clone(), 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            let mut found = Vec::new();
            for _ in 0..500 {
                let poses = [random.pose(1.0), random.pose(1.0)];
                let Some(distance) = parry_distance(first, &poses[0], second, &poses[1]) else { continue };
                if distance > 0.01 {
                    detector.detect(&poses, &[0.4 * distance, 0.59 * distance], &mut found);
                    assert!(found.is_empty(), "{first:?} and {second:?}: found beyond reach");
                    detector.detect(&poses, &[0.4 * distance, 0.61 * distance], &mut found);
                    assert!(!found.is_empty(), "{first:?} and {second:?}: not found within reach");
                }
            }
        }
    }
}

/// Moving `a` out along the normal by the depth of the deepest candidate must part the shapes, and no way out is shorter by much.
#[test]
fn overlap_is_undone_along_the_normal() {
    let mut random = Random(11);
    let shapes = &shapes()[..4];
    for first in shapes {
        for second in shapes {
            let colliders = vec![Collider::new(first.clone(), 0), Collider::new(second.clone(), 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            let mut found = Vec::new();
            let mut seen = 0;
            for _ in 0..1500 {
                let mut poses = [random.pose(0.4), random.pose(0.4)];
                let Some(distance) = parry_distance(first, &poses[0], second, &poses[1]) else { continue };
                if distance > 0.0 {
                    continue;
                }
                seen += 1;
                detector.detect(&poses, &[0.0, 0.0], &mut found);
                let gaps = common::gaps(&detector, &found, &poses);
                let (c, g) = gaps.iter().min_by(|x, y| x.1.gap.total_cmp(&y.1.gap)).expect("found");
                let push = g.normal * (1e-9 - g.gap);
                let sign = if c.a == 0 { 1.0 } else { -1.0 };
                poses[0].position += push * sign;
                let after = parry_distance(first, &poses[0], second, &poses[1]).unwrap();
                // A face may be preferred to edges that overlap up to 5 % less; a corner may then be a little deeper.
                assert!(after > 0.0, "{first:?} and {second:?}: {after} m after pushing by {} m: {found:#?}", g.gap);
            }
            if !matches!((first, second), (Shape::Point, Shape::Point)) {
                assert!(seen > 10, "{first:?} and {second:?}: only {seen} overlaps");
            }
        }
    }
}

#[test]
fn world_turned_and_shifted_gives_the_same() {
    let mut random = Random(5);
    let shapes = shapes();
    for first in &shapes[..4] {
        for second in &shapes {
            let colliders = vec![Collider::new(first.clone(), 0), Collider::new(second.clone(), 1)];
            let mut detector = Detector::new(colliders, Filter::new(2)).unwrap();
            let (mut here, mut there) = (Vec::new(), Vec::new());
            for _ in 0..300 {
                let poses = [random.pose(0.7), random.pose(0.7)];
                let world = random.pose(1.0);
                let moved =
                    poses.map(|p| Pose { position: world.point(p.position), rotation: world.rotation * p.rotation });
                detector.detect(&poses, &[0.5, 0.5], &mut here);
                detector.detect(&moved, &[0.5, 0.5], &mut there);
                let (g, h) = (common::gaps(&detector, &here, &poses), common::gaps(&detector, &there, &moved));
                assert_eq!(g.len(), h.len());
                for ((c, g), (d, h)) in g.iter().zip(&h) {
                    assert_eq!((c.a, c.b, c.key), (d.a, d.b, d.key));
                    assert!((g.gap - h.gap).abs() < 1e-12, "{} and {}", g.gap, h.gap);
                    assert!((world.rotation * g.normal - h.normal).length() < 1e-9);
                }
            }
        }
    }
}

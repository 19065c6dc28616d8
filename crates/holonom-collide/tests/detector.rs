//! Filters, refusals, the broad phase against all pairs.

mod common;

use common::{Random, zoo};
use holonom_collide::{Candidate, Collider, CollisionShape, Detector, Filter, Groups, RigidTransform, Vec3};

fn ball(carrier: u32) -> Collider {
    Collider::new(CollisionShape::Sphere { radius: 1.0 }, carrier)
}

fn found(colliders: Vec<Collider>, filter: Filter) -> Vec<(u32, u32)> {
    let mut detector = Detector::new(colliders, filter).unwrap();
    let poses: Vec<RigidTransform> =
        (0..detector.carriers()).map(|c| RigidTransform::at(Vec3::X * 0.1 * c as f64)).collect();
    let mut out = Vec::new();
    detector.detect(&poses, &vec![0.0; poses.len()], &mut out);
    out.iter().map(|c| (c.a, c.b)).collect()
}

#[test]
fn filters() {
    let three = || vec![ball(0), ball(1), ball(2)];
    assert_eq!(found(three(), Filter::new(3)), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(found(three(), Filter::new(3).fixed(0).fixed(2)), [(0, 1), (1, 2)]);
    assert_eq!(found(three(), Filter::new(3).joined(2, 1)), [(0, 1), (0, 2)]);
    assert_eq!(found(three(), Filter::new(3).joined(2, 1).allow(2, 1)), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(found(three(), Filter::new(3).forbid(1, 0).allow(0, 1)), [(0, 2), (1, 2)]);
    // Two colliders of one carrier never meet.
    assert_eq!(found(vec![ball(0), ball(0), ball(1)], Filter::new(2).allow(0, 1)), [(0, 2), (1, 2)]);
    let alone = Groups { member: 2, with: 4 };
    let groups = vec![ball(0).groups(alone), ball(1).groups(alone), ball(2).groups(Groups { member: 4, with: 2 })];
    assert_eq!(found(groups, Filter::new(3)), [(0, 2), (1, 2)]);
}

#[test]
fn mistakes_are_told() {
    let refused = |shape: CollisionShape, word: &str| {
        let message = Detector::new(vec![Collider::new(shape, 0)], Filter::new(1)).err().unwrap();
        assert!(message.contains(word), "{message}");
    };
    refused(CollisionShape::Sphere { radius: -1.0 }, "-1 m");
    refused(CollisionShape::Box { half: Vec3::new(1.0, 0.0, 1.0) }, "along y");
    refused(CollisionShape::Capsule { radius: 1.0, half_length: f64::NAN }, "NaN");
    refused(CollisionShape::Hull { points: vec![Vec3::ZERO; 3] }, "volume");
    refused(CollisionShape::Mesh { vertices: vec![Vec3::ZERO; 3], triangles: vec![[0, 1, 7]] }, "vertex 7");
    refused(
        CollisionShape::Mesh { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], triangles: vec![[0, 1, 2]] },
        "area",
    );
    refused(CollisionShape::HeightField { heights: vec![0.0; 5], rows: 2, columns: 3, size: [1.0, 1.0] }, "needs 6");
    assert!(Detector::new(vec![ball(3)], Filter::new(2)).err().unwrap().contains("carrier 3"));
    let crooked = RigidTransform { position: Vec3::ZERO, rotation: holonom_collide::Mat3::IDENTITY * 2.0 };
    assert!(Detector::new(vec![ball(0).place(crooked)], Filter::new(1)).err().unwrap().contains("orthonormal"));
}

/// Everything at once finds what every pair alone finds.
#[test]
fn broad_phase_against_all_pairs() {
    let mut random = Random(17);
    for _ in 0..6 {
        let count = 40;
        let colliders = zoo(count, &mut random);
        let poses: Vec<RigidTransform> =
            (0..count).map(|c| if c == 0 { RigidTransform::default() } else { random.pose(2.0) }).collect();
        let reach: Vec<f64> = (0..count).map(|c| if c == 0 { 0.0 } else { 0.2 * random.unit() }).collect();
        let mut all = Detector::new(colliders.clone(), Filter::new(count as usize)).unwrap();
        let mut together = Vec::new();
        all.detect(&poses, &reach, &mut together);
        let mut one_by_one: Vec<Candidate> = Vec::new();
        for i in 0..colliders.len() {
            for j in i + 1..colliders.len() {
                if colliders[i].carrier == colliders[j].carrier {
                    continue;
                }
                let two = vec![colliders[i].clone(), colliders[j].clone()];
                let mut detector = Detector::new(two, Filter::new(count as usize)).unwrap();
                let mut found = Vec::new();
                detector.detect(&poses, &reach, &mut found);
                let real = |k: u32| if k == 0 { i as u32 } else { j as u32 };
                one_by_one.extend(found.iter().map(|c| Candidate { a: real(c.a), b: real(c.b), ..*c }));
            }
        }
        assert!(together.len() > 100);
        assert_eq!(together, one_by_one);
    }
}

/// What is not a number finds nothing rather than failing.
#[test]
fn not_a_number() {
    let mut random = Random(4);
    let count = 12;
    let mut detector = Detector::new(zoo(count, &mut random), Filter::new(count as usize)).unwrap();
    let mut poses: Vec<RigidTransform> = (0..count).map(|_| random.pose(1.0)).collect();
    let mut found = Vec::new();
    for c in 0..count as usize {
        let kept = poses[c];
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            poses[c].position.y = bad;
            detector.detect(&poses, &vec![0.1; count as usize], &mut found);
        }
        poses[c] = kept;
    }
}

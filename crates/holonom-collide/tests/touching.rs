//! What rests is found, what rolls passes from feature to feature, keys stay.

mod common;

use common::{gaps, tilt};
use holonom_collide::{
    Candidate, Collider, CollisionShape, Detector, FeaturePair, Filter, Gap, Mat3, RigidTransform, Vec3,
};

const BRICK: CollisionShape = CollisionShape::Box { half: Vec3::new(0.5, 0.1, 0.1) };

fn pair(first: CollisionShape, second: CollisionShape) -> Detector {
    Detector::new(vec![Collider::new(first, 0), Collider::new(second, 1)], Filter::new(2)).unwrap()
}

fn find(detector: &mut Detector, poses: &[RigidTransform], reach: f64) -> Vec<(Candidate, Gap)> {
    let mut found = Vec::new();
    detector.detect(poses, &vec![reach; poses.len()], &mut found);
    gaps(detector, &found, poses)
}

fn keys(found: &[(Candidate, Gap)]) -> Vec<(u32, u32, u64)> {
    found.iter().map(|f| (f.0.a, f.0.b, f.0.key)).collect()
}

/// Every shape at rest on a floor and on a box, exactly and a rounding off, here and far away, in a turned world.
#[test]
fn what_rests_is_found() {
    let lying = tilt(Vec3::Y * std::f64::consts::FRAC_PI_2);
    let turned = |rotation: Mat3, shape: CollisionShape, height: f64, points: usize| (shape, rotation, height, points);
    let cases = [
        turned(Mat3::IDENTITY, CollisionShape::Point, 0.0, 1),
        turned(Mat3::IDENTITY, CollisionShape::Sphere { radius: 0.3 }, 0.3, 1),
        turned(Mat3::IDENTITY, BRICK, 0.1, 4),
        turned(lying, BRICK, 0.5, 4),
        turned(lying, CollisionShape::Capsule { radius: 0.15, half_length: 0.4 }, 0.15, 2),
        turned(Mat3::IDENTITY, CollisionShape::Capsule { radius: 0.15, half_length: 0.4 }, 0.55, 1),
        turned(Mat3::IDENTITY, CollisionShape::Cylinder { radius: 0.15, half_length: 0.4 }, 0.4, 8),
        turned(lying, CollisionShape::Cylinder { radius: 0.15, half_length: 0.4 }, 0.15, 2),
    ];
    let table = CollisionShape::Box { half: Vec3::new(2.0, 2.0, 0.5) };
    let worlds = [
        RigidTransform::default(),
        RigidTransform { position: Vec3::new(1e4, 2e3, -5e3), rotation: tilt(Vec3::new(0.3, -1.0, 2.0)) },
    ];
    for (shape, rotation, height, points) in cases {
        for (ground, top) in [(CollisionShape::HalfSpace, 0.0), (table.clone(), 0.5)] {
            let mut detector = pair(ground, shape.clone());
            for world in &worlds {
                for off in [0.0, 1e-16, -1e-16] {
                    let upper = Vec3::new(0.3, -0.2, top + height + off);
                    let poses =
                        [*world, RigidTransform { position: world.point(upper), rotation: world.rotation * rotation }];
                    let found = find(&mut detector, &poses, 0.0);
                    assert_eq!(found.len(), points, "{shape:?}, {off}: {found:?}");
                    for (_, g) in &found {
                        assert!(g.gap.abs() < 1e-11, "{shape:?}: {g:?}");
                        let up = g.normal.dot(world.rotation.z_axis).abs();
                        assert!((up - 1.0).abs() < 1e-12, "{shape:?}: {g:?}");
                    }
                }
            }
        }
    }
}

/// Bricks on bricks: the four corners of the common rectangle, with keys that a turned world does not change.
#[test]
fn bricks_share_a_rectangle() {
    let mut detector = pair(BRICK, BRICK);
    for shift in [Vec3::ZERO, Vec3::new(0.505, 0.0, 0.0), Vec3::new(-0.3, 0.05, 0.0), Vec3::new(0.2, -0.2, 0.0)] {
        let flat = [RigidTransform::default(), RigidTransform::at(shift + Vec3::Z * 0.2)];
        let found = find(&mut detector, &flat, 0.0);
        let touching = if shift.y.abs() < 0.19 { 4 } else { 2 };
        assert!(found.len() >= touching && found.len() <= 4, "{shift}: {found:?}");
        let (low, high) = (Vec3::new(-0.5, -0.1, 0.1), Vec3::new(0.5, 0.1, 0.1));
        let (low, high) = (low.max(low + shift), high.min(high + shift));
        if touching == 4 {
            for corner in [low, high, low.with_x(high.x), low.with_y(high.y)] {
                assert!(
                    found.iter().any(|f| (f.1.point - corner).length() < 1e-12),
                    "{shift}: no point at {corner}: {found:?}"
                );
            }
        }
        for turn in 0..40 {
            let world = RigidTransform {
                position: Vec3::new(3.0, -1.0, 2.0),
                rotation: tilt(Vec3::new(0.1, 0.7, -0.2) * f64::from(turn)),
            };
            let poses = flat
                .map(|p| RigidTransform { position: world.point(p.position), rotation: world.rotation * p.rotation });
            assert_eq!(
                keys(&find(&mut detector, &poses, 1e-9)),
                keys(&find(&mut detector, &flat, 1e-9)),
                "{shift} turned {turn}"
            );
        }
    }
}

/// Small motions do not change keys.
#[test]
fn keys_stay() {
    let mut random = common::Random(21);
    let hull = CollisionShape::Hull { points: (0..12).map(|_| random.vector(0.4)).collect() };
    let shapes = [
        CollisionShape::Sphere { radius: 0.3 },
        BRICK,
        CollisionShape::Capsule { radius: 0.15, half_length: 0.4 },
        CollisionShape::Cylinder { radius: 0.2, half_length: 0.3 },
        hull,
    ];
    let (mut same, mut all) = (0, 0);
    for first in &shapes {
        for second in &shapes {
            let mut detector = pair(first.clone(), second.clone());
            for _ in 0..200 {
                let poses = [random.pose(0.5), random.pose(0.5)];
                let near = poses.map(|p| RigidTransform {
                    position: p.position + random.vector(1e-9),
                    rotation: tilt(random.vector(1e-9)) * p.rotation,
                });
                all += 1;
                same += usize::from(keys(&find(&mut detector, &poses, 0.3)) == keys(&find(&mut detector, &near, 0.3)));
            }
        }
    }
    // NearestFeatures change somewhere, and a pose may be at such a place.
    assert!(same + 5 > all, "{same} of {all}");
    // Each key is used once.
    let mut detector = pair(shapes[1].clone(), shapes[4].clone());
    for _ in 0..500 {
        let found = find(&mut detector, &[random.pose(0.4), random.pose(0.4)], 0.5);
        let mut keys = keys(&found);
        keys.dedup();
        assert_eq!(keys.len(), found.len());
    }
}

/// A ball over the edge of a box: face, edge, face, and the gap never jumps.
#[test]
fn a_ball_rolls_over_an_edge() {
    let mut detector = pair(CollisionShape::Sphere { radius: 0.2 }, CollisionShape::Box { half: Vec3::splat(0.5) });
    let mut kinds = Vec::new();
    for k in 0..=3000 {
        // Along the top, round the edge at x = z = 0.5, down the side.
        let s = f64::from(k) / 1000.0;
        let (x, z) = if s < 1.0 {
            (s - 0.5, 0.7)
        } else if s < 2.0 {
            let angle = (s - 1.0) * std::f64::consts::FRAC_PI_2;
            (0.5 + 0.2 * libm::sin(angle), 0.5 + 0.2 * libm::cos(angle))
        } else {
            (0.7, 2.5 - s)
        };
        let found = find(&mut detector, &[RigidTransform::at(Vec3::new(x, 0.1, z)), RigidTransform::default()], 0.001);
        assert_eq!(found.len(), 1, "{x} {z}: {found:?}");
        let (c, g) = found[0];
        assert!(g.gap.abs() < 1e-12, "{x} {z}: {g:?}");
        let kind = (std::mem::discriminant(&c.features), c.key);
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
        assert!(matches!(c.features, FeaturePair::PointPlane { .. } | FeaturePair::PointLine { .. }));
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

/// A cylinder from standing to lying: its lowest point is always exact.
#[test]
fn a_cylinder_tips_over() {
    let mut detector = pair(CollisionShape::Cylinder { radius: 0.3, half_length: 0.5 }, CollisionShape::HalfSpace);
    for k in 0..=900 {
        let angle = f64::from(k) / 900.0 * std::f64::consts::FRAC_PI_2;
        for angle in [angle, angle * 1e-4, angle * 1e-7] {
            let lowest = 0.5 * libm::cos(angle) + 0.3 * libm::sin(angle);
            let poses = [
                RigidTransform { position: Vec3::Z * lowest, rotation: tilt(Vec3::X * angle) },
                RigidTransform::default(),
            ];
            let found = find(&mut detector, &poses, 1e-6);
            let least = found.iter().fold(f64::INFINITY, |m, f| m.min(f.1.gap));
            // Below a millionth of a radian the fixed points stand in for the lowest.
            let close = if angle < 1.1e-6 { 0.3 * angle * 0.08 + 1e-14 } else { 1e-14 };
            assert!(least > -1e-14 && least < close, "{angle}: {least} {found:?}");
        }
    }
}

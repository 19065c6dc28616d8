//! The judge of distances against closed forms, and against itself: where shapes are apart its two bounds, found by
//! different methods, must meet.

#[path = "common/distance.rs"]
mod distance;

use distance::distance as judge;
use holonom::math::{Mat3, SplitMix, Vec3, exp_quat, vec3};
use holonom_collide::{CollisionShape, RigidTransform};

const CLOSE: f64 = 1e-10;

fn pose(g: &mut SplitMix, size: f64) -> RigidTransform {
    RigidTransform { position: g.vec3(size), rotation: Mat3::from_quat(exp_quat(g.vec3(3.0))) }
}

/// Both placed by a further motion: the distance does not change.
fn moved(by: &RigidTransform, at: &RigidTransform) -> RigidTransform {
    RigidTransform { position: by.point(at.position), rotation: by.rotation * at.rotation }
}

fn check(a: &CollisionShape, at: RigidTransform, b: &CollisionShape, g: &mut SplitMix, expected: f64) {
    let by = pose(g, 2.0);
    let zero = RigidTransform::default();
    for (one, other) in [((a, moved(&by, &at)), (b, moved(&by, &zero))), ((b, moved(&by, &zero)), (a, moved(&by, &at)))]
    {
        let j = judge((one.0, &one.1), (other.0, &other.1));
        assert!((j.least - expected).abs() < CLOSE, "{a:?} at {at:?} and {b:?}: {j:?}, should be {expected}");
        assert!(j.most > expected - CLOSE || expected < 0.0, "{j:?}, should be {expected}");
    }
}

fn turned(position: Vec3, about: Vec3) -> RigidTransform {
    RigidTransform { position, rotation: Mat3::from_quat(exp_quat(about)) }
}

#[test]
fn closed_forms() {
    let g = &mut SplitMix(5);
    let ball = CollisionShape::Sphere { radius: 0.3 };
    let cube = CollisionShape::Box { half: vec3(0.5, 0.4, 0.3) };
    let cylinder = CollisionShape::Cylinder { radius: 0.4, half_length: 0.7 };
    let rod = CollisionShape::Capsule { radius: 0.1, half_length: 0.6 };
    for _ in 0..20 {
        let x = g.vec3(2.0);
        let place = turned(x, g.vec3(3.0));
        check(&ball, place, &ball, g, x.length() - 0.6);
        // a ball and a box, from outside; from inside the nearest face
        let q = x.abs() - vec3(0.5, 0.4, 0.3);
        let outside = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
        check(&ball, place, &cube, g, outside - 0.3);
        // a ball and a cylinder
        let q = vec3(x.truncate().length() - 0.4, x.z.abs() - 0.7, 0.0);
        let outside = q.max(Vec3::ZERO).length() + q.x.max(q.y).min(0.0);
        check(&ball, place, &cylinder, g, outside - 0.3);
        // a point and a rod
        let core = (x - Vec3::Z * x.z.clamp(-0.6, 0.6)).length();
        check(&CollisionShape::Point, place, &rod, g, core - 0.1);
        // a half-space: corners of the box by hand
        let n = place.rotation.z_axis;
        let low = n.abs().dot(vec3(0.5, 0.4, 0.3));
        check(&cube, RigidTransform::default(), &CollisionShape::HalfSpace, g, -0.3);
        let j = judge((&cube, &RigidTransform::default()), (&CollisionShape::HalfSpace, &place));
        assert!((j.least - (-x.dot(n) - low)).abs() < CLOSE, "{j:?}");
    }
}

#[test]
fn boxes_rods_and_cylinders_by_hand() {
    let g = &mut SplitMix(6);
    let cube = CollisionShape::Box { half: vec3(0.5, 0.4, 0.3) };
    let corners = (0..8).map(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        vec3(0.5 * sign(0), 0.4 * sign(1), 0.3 * sign(2))
    });
    let hull = CollisionShape::Hull { points: corners.collect() };
    let rod = CollisionShape::Capsule { radius: 0.1, half_length: 0.6 };
    let cylinder = CollisionShape::Cylinder { radius: 0.4, half_length: 0.7 };
    for gap in [0.2, 1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3] {
        for other in [&cube, &hull] {
            // face on face, turned about the normal
            check(&cube, turned(vec3(0.1, 0.0, 0.6 + gap), vec3(0.0, 0.0, 0.3)), other, g, gap);
            // an edge over an edge, crossing at right angles: both stand on edge
            let (up, down) = (vec3(0.0, 0.4, 0.3), 0.5);
            let tilt = up.angle_between(Vec3::Z);
            let low = RigidTransform { position: Vec3::ZERO, rotation: Mat3::from_rotation_x(tilt) };
            let turn = Mat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
            let high = RigidTransform { position: Vec3::Z * (2.0 * down + gap), rotation: turn * low.rotation };
            let j = judge((&cube, &high), (other, &low));
            assert!((j.least - gap).abs() < CLOSE, "edges {gap}: {j:?}");
            // a corner over a face
            let down = vec3(0.5, 0.4, 0.3);
            let rotation = Mat3::from_quat(glam::DQuat::from_rotation_arc(down.normalize(), -Vec3::Z));
            let high = RigidTransform { position: vec3(0.1, -0.1, 0.3 + down.length() + gap), rotation };
            check(&cube, high, other, g, gap);
        }
        // rods that cross, and side by side
        let cross = RigidTransform { position: vec3(0.2 + gap, 0.1, 0.2), rotation: Mat3::from_rotation_x(1.1) };
        check(&rod, cross, &rod, g, gap);
        check(&rod, RigidTransform::at(vec3(0.2 + gap, 0.0, 0.9)), &rod, g, gap);
        // cylinders side by side, end to end, crossed, and rim on a face
        check(&cylinder, RigidTransform::at(vec3(0.8 + gap, 0.0, 0.5)), &cylinder, g, gap);
        check(&cylinder, RigidTransform::at(vec3(0.1, 0.2, 1.4 + gap)), &cylinder, g, gap);
        let cross = RigidTransform { position: vec3(0.8 + gap, 0.1, 0.2), rotation: Mat3::from_rotation_x(1.1) };
        check(&cylinder, cross, &cylinder, g, gap);
        let tilt: f64 = 0.4;
        let low = 0.7 * tilt.cos() + 0.4 * tilt.sin();
        let rim = RigidTransform { position: vec3(0.0, 0.1, 0.3 + low + gap), rotation: Mat3::from_rotation_x(tilt) };
        check(&cylinder, rim, &cube, g, gap);
        // a triangle facing up, and a ball and a box on it
        let vertices = vec![vec3(-3.0, -3.0, 0.0), vec3(3.0, -3.0, 0.0), vec3(0.0, 4.0, 0.0)];
        let mesh = CollisionShape::Mesh { vertices, triangles: vec![[0, 1, 2]] };
        check(&cube, RigidTransform::at(vec3(0.1, 0.2, 0.3 + gap)), &mesh, g, gap);
        check(&cylinder, RigidTransform::at(vec3(0.1, 0.2, 0.7 + gap)), &mesh, g, gap);
    }
    // deep inside each other: the shortest way out
    check(&cube, RigidTransform::at(vec3(0.1, 0.1, 0.35)), &cube, g, -0.25);
    check(&cube, RigidTransform::at(vec3(0.05, 0.7, 0.1)), &cube, g, -0.1);
    check(&cylinder, RigidTransform::at(vec3(0.7, 0.0, 0.1)), &cylinder, g, -0.1);
}

#[test]
fn both_bounds_meet_where_shapes_are_apart() {
    let g = &mut SplitMix(7);
    let mut apart = 0;
    for k in 0..600 {
        let shape = |kind: usize, g: &mut SplitMix| match kind % 6 {
            0 => CollisionShape::Sphere { radius: 0.3 },
            1 => CollisionShape::Box { half: vec3(0.02, 0.0, 0.0) + g.vec3(0.3).abs() + Vec3::splat(1e-3) },
            2 => CollisionShape::Capsule { radius: 0.1, half_length: 0.4 },
            3 => CollisionShape::Cylinder { radius: 0.01 + g.vec3(0.3).x.abs(), half_length: 0.2 },
            4 => CollisionShape::Hull { points: (0..10).map(|_| g.vec3(0.3)).collect() },
            _ => CollisionShape::Point,
        };
        let (a, b) = (shape(k, g), shape(k / 6, g));
        let (at, bt) = (pose(g, 0.7), pose(g, 0.2));
        let j = judge((&a, &at), (&b, &bt));
        if j.least > 0.0 {
            apart += 1;
            assert!(j.most - j.least < CLOSE, "{a:?} {at:?}\n{b:?} {bt:?}: {j:?}");
        }
    }
    assert!(apart > 200, "{apart}");
}

//! Room kept ahead: never more than there is, along exact motions, and nearly all of it for short times.

mod common;

use common::{Random, room, tilt};
use holonom_collide::{CarrierMotion, Collider, CollisionShape, Detector, Filter, RigidTransform, Vec3};

/// A carrier with constant velocity and spin after the time t.
fn after(pose: &RigidTransform, m: &CarrierMotion, t: f64) -> RigidTransform {
    RigidTransform { position: pose.position + m.velocity * t, rotation: tilt(m.spin * t) * pose.rotation }
}

#[test]
fn the_bound_holds_and_is_of_second_order() {
    let random = &mut Random(21);
    let shape = |k: u32, random: &mut Random| match k {
        0 => CollisionShape::Sphere { radius: 0.2 },
        1 => CollisionShape::Box { half: Vec3::splat(0.05) + random.vector(0.2).abs() },
        2 => CollisionShape::Capsule { radius: 0.1, half_length: 0.3 },
        3 => CollisionShape::Cylinder { radius: 0.1, half_length: 0.3 },
        _ => CollisionShape::Hull { points: (0..9).map(|_| random.vector(0.3)).collect() },
    };
    for k in 0..400 {
        let (a, b) = (shape(k % 5, random), shape(k / 5 % 5, random));
        let poses = [random.pose(1.0), random.pose(0.2)];
        let motion = |random: &mut Random| CarrierMotion {
            velocity: random.vector(3.0),
            spin: random.vector(5.0),
            ..CarrierMotion::default()
        };
        let motions = [motion(random), motion(random)];
        let colliders = vec![Collider::new(a.clone(), 0), Collider::new(b.clone(), 1)];
        let detector = Detector::new(colliders, Filter::new(2)).expect("shapes are good");
        let (n, turning) = (random.rotation().x_axis, random.vector(if k % 3 == 0 { 0.0 } else { 5.0 }));
        for t in [0.0, 1e-4, 1e-3, 1e-2, 0.1] {
            let bound = detector.room_ahead((0, 1), &poses, &motions, (n, turning), t).expect("both are convex");
            let then = [0, 1].map(|i| after(&poses[i], &motions[i], t));
            let truth = room(&a, &then[0], &b, &then[1], tilt(turning * t) * n);
            assert!(bound <= truth + 1e-12, "{a:?} {b:?} after {t}: {bound} above {truth}");
            assert!(truth - bound <= 1e3 * t * t + 1e-12, "{a:?} {b:?} after {t}: {bound} far below {truth}");
        }
    }
}

#[test]
fn the_plane_of_a_half_space_turns_along() {
    let random = &mut Random(22);
    for _ in 0..200 {
        let half = Vec3::splat(0.05) + random.vector(0.2).abs();
        let poses = [random.pose(1.0), random.pose(0.2)];
        let motion = |random: &mut Random| CarrierMotion {
            velocity: random.vector(3.0),
            spin: random.vector(5.0),
            ..CarrierMotion::default()
        };
        let motions = [motion(random), motion(random)];
        let colliders =
            vec![Collider::new(CollisionShape::Box { half }, 0), Collider::new(CollisionShape::HalfSpace, 1)];
        let detector = Detector::new(colliders, Filter::new(2)).expect("shapes are good");
        let n = poses[1].rotation.z_axis;
        for t in [0.0, 1e-4, 1e-3, 1e-2, 0.1] {
            let then = [0, 1].map(|i| after(&poses[i], &motions[i], t));
            let n_then = then[1].rotation.z_axis;
            let across = (then[0].rotation.transpose() * n_then).abs().dot(half);
            let truth = n_then.dot(then[0].position - then[1].position) - across;
            for (pair, normal) in [((0, 1), n), ((1, 0), -n)] {
                let bound =
                    detector.room_ahead(pair, &poses, &motions, (normal, Vec3::ZERO), t).expect("both are convex");
                assert!(bound <= truth + 1e-12, "after {t}: {bound} above {truth}");
                assert!(truth - bound <= 1e3 * t * t + 1e-12, "after {t}: {bound} far below {truth}");
            }
        }
    }
}

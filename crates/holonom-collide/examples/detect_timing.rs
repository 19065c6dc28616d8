//! Time of one detection in a wall of 100 bricks: 10 courses of 10, 1.0 x 0.2 x 0.2 m, on a half-space.
//!
//!     cargo run --release -p holonom-collide --example detect_timing

use std::time::Instant;

use holonom_collide::{Collider, CollisionShape, Detector, Filter, RigidTransform, Vec3};

fn main() -> Result<(), String> {
    let mut colliders = vec![Collider::new(CollisionShape::HalfSpace, 0)];
    let mut poses = vec![RigidTransform::default()];
    for course in 0..10 {
        for k in 0..10 {
            let x = 1.01 * f64::from(k) + if course % 2 == 1 { 0.505 } else { 0.0 };
            poses.push(RigidTransform::at(Vec3::new(x, 0.0, 0.1 + 0.2 * f64::from(course))));
            colliders
                .push(Collider::new(CollisionShape::Box { half: Vec3::new(0.5, 0.1, 0.1) }, poses.len() as u32 - 1));
        }
    }
    let mut detector = Detector::new(colliders, Filter::new(poses.len()).fixed(0))?;
    let mut found = Vec::new();
    for (what, reach) in [("at rest", 0.0), ("reach 1 mm", 0.001), ("reach 10 mm", 0.01)] {
        let mut reaches = vec![reach; poses.len()];
        reaches[0] = 0.0;
        let mut best = f64::INFINITY;
        for _ in 0..200 {
            let start = Instant::now();
            detector.detect(&poses, &reaches, &mut found);
            best = best.min(start.elapsed().as_secs_f64());
        }
        let mut pairs: Vec<(u32, u32)> = found.iter().map(|c| (c.a.min(c.b), c.a.max(c.b))).collect();
        pairs.dedup();
        let (n, pairs, ms) = (found.len(), pairs.len(), 1e3 * best);
        println!("{what:<12} {pairs:>4} pairs {n:>5} candidates {ms:>8.4} ms");
    }
    Ok(())
}

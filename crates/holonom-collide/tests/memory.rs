//! Detection is a pure function, and holds no more memory the longer it is used. Alone in its program: it counts allocations.

mod common;

use std::alloc::System;

use common::{Random, zoo};
use holonom_collide::{Candidate, Detector, Filter, RigidTransform};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The past does not matter, and memory does not grow.
#[test]
fn pure_and_without_growth() {
    let mut random = Random(23);
    let count = 24;
    let colliders = zoo(count, &mut random);
    let scenes: Vec<Vec<RigidTransform>> = (0..20)
        .map(|_| (0..count).map(|c| if c == 0 { RigidTransform::default() } else { random.pose(1.2) }).collect())
        .collect();
    let reach = vec![0.05; count as usize];
    let make = || Detector::new(colliders.clone(), Filter::new(count as usize).fixed(0)).unwrap();
    let mut detector = make();
    let mut found = Vec::new();
    let mut first: Vec<Vec<Candidate>> = Vec::new();
    for scene in &scenes {
        let mut fresh = make();
        fresh.detect(scene, &reach, &mut found);
        first.push(found.clone());
        detector.detect(scene, &reach, &mut found);
        assert_eq!(&found, first.last().unwrap(), "a used detector finds something else");
    }
    for (scene, expected) in scenes.iter().zip(&first).rev() {
        detector.detect(scene, &reach, &mut found);
        assert_eq!(&found, expected);
    }
    let region = Region::new(GLOBAL);
    for _ in 0..5000 / scenes.len() {
        for scene in &scenes {
            detector.detect(scene, &reach, &mut found);
        }
    }
    let change = region.change();
    let held = change.bytes_allocated as i64 - change.bytes_deallocated as i64 + change.bytes_reallocated as i64;
    assert!(held.abs() < 4096, "memory grows by {held} bytes: {change:?}");
}

//! Reading a row of quantities must not touch the allocator after the first. Alone in its file, because the count is that of the whole process.

use holonom::Simulation;
use holonom_scene::{Loader, Quantities};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn rows_after_the_first_take_no_memory() {
    let text = r#"
[body.arm]
shape = { kind = "box", size = [1, 0.1, 0.2] }
mass = 2
at = [0.5, 0, 0]
points.tip = [0.5, 0, 0]
[body.bob]
kind = "particle"
mass = 1
at = [1, 0, -0.5]
[joint.pin]
kind = "revolute"
b = "arm"
at = [0, 0, 0]
axis = [0, 1, 0]
[joint.cable]
kind = "distance"
a = "arm.tip"
b = "bob"
length = 0.5
[force.spring]
kind = "spring"
a = "ground"
b = "bob"
stiffness = 10
length = 0.3
"#;
    let loaded = Loader::new().load_text("test.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
    let model = std::sync::Arc::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    let patterns =
        ["arm.*", "bob.*", "pin.*", "cable.*", "spring.*", "energy.*", "momentum.*", "ledger.*", "certificate.gap*"];
    let mut q = Quantities::of_scene(&model, &loaded.scene, &patterns).expect("known");
    let mut sim = Simulation::new(model);
    let mut row = vec![0.0; q.len()];
    sim.step(0.01).expect("steps");
    q.read(&mut sim, &mut row).expect("solvable");
    sim.step(0.01).expect("steps");
    let region = Region::new(COUNTING);
    q.read(&mut sim, &mut row).expect("solvable");
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0), "{change:?}");
    assert!(row.iter().all(|x| x.is_finite()));
}

//! Any bytes as an COLLADA mesh: every triangle of what is read refers to a vertex that is there and finite; the budget is kept.
#![no_main]

use holonom_scene::mesh::{Budget, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut budget = Budget { used: 0, limit: 10_000 };
    let Ok(mesh) = parse("fuzz.dae", data, &mut budget) else { return };
    assert!(mesh.triangles.len() <= 10_000);
    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
    assert!(mesh.triangles.iter().flatten().all(|&i| i < mesh.vertices.len()));
    let _ = holonom::MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, 1.0);
});

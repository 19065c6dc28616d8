//! Answers to questions.

use holonom::Simulation;
use holonom_scene::Scene;
use serde_json::{Value, json};

/// The doctor's report on the present pose.
pub fn doctor(_scene: &Scene, sim: &mut Simulation) -> Result<Value, String> {
    let d = sim.diagnose().map_err(|e| e.to_string())?;
    Ok(json!({ "mobility": d.mobility }))
}

/// Names and units of everything that can be watched.
pub fn quantities(_scene: &Scene, _sim: &mut Simulation) -> Result<Value, String> {
    Ok(json!([]))
}

/// Where energy went.
pub fn ledger(_scene: &Scene, _sim: &mut Simulation) -> Result<Value, String> {
    Ok(json!({}))
}

/// Where a matrix has entries.
pub fn spy(_scene: &Scene, _sim: &mut Simulation, _matrix: &str) -> Result<Value, String> {
    Ok(json!({}))
}

/// What can be opened.
pub fn gallery(own: Option<&str>) -> Value {
    json!({ "own": own, "scenes": [] })
}

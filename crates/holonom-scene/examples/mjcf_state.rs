//! Accelerations of a model with every body in a given state, for comparison with other programs: JSON in, JSON out.
//!
//! ```text
//! in    {"file": "model.xml", "allow": ["folder", ...], "set": ["ctrl_hip=0.3", ...],
//!        "bodies": {"torso": [x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz], ...},     origin, orientation and their rates, world axes
//!        "rotors": {"hip rotor": rate, ...}}
//! out   {"mass": kg, "bodies": {"torso": {"mass", "com", "inertia", "acceleration" of the origin, "angular"}, ...}, "gap", "gap_rate", "residual", "ledger": [..]}
//! ```
//!
//! Without `bodies` only the names and masses are given. `benches/robots_mjcf.py` uses it.

use holonom::Simulation;
use holonom::math::{Mat3, Quat, Vec3, vec3};
use holonom_scene::Loader;
use serde_json::{Map, Value, json};
use std::io::Read as _;
use std::path::Path;

fn main() -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| e.to_string())?;
    let asked: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let settings = asked["set"].as_array().map(|l| l.iter().filter_map(|s| s.as_str()).map(String::from).collect());
    let allowed = asked["allow"].as_array().map(|l| l.iter().filter_map(|s| s.as_str()).map(Into::into).collect());
    let (settings, allowed) = (settings.unwrap_or_default(), allowed.unwrap_or_default());
    let loader = Loader { settings, allowed, ..Loader::new() };
    let file = asked["file"].as_str().ok_or("`file` is missing")?;
    let mut loaded = loader.load(Path::new(file)).map_err(|e| e.render())?;
    // compared are smooth forces: contacts, limits and dry friction are off in both programs
    loaded.scene.run.ideal = true;
    let model = loaded.build().map_err(|e| e.render())?;
    let ledger: Vec<String> = loaded.report.warnings().map(|d| format!("{}: {}", d.message, d.label)).collect();
    let params: Vec<&str> = loaded.scene.params.iter().map(|p| p.0.as_str()).collect();
    let mut out = json!({ "mass": loaded.scene.mass(), "ledger": ledger, "params": params, "rows": model.n_rows() });
    let bodies: Vec<_> = loaded.scene.bodies.iter().filter_map(|b| Some((b.name.to_string(), b.mass?))).collect();
    let ids: Vec<_> =
        bodies.iter().map(|(name, _)| model.body(name).ok_or("a body is missing")).collect::<Result<_, _>>()?;
    let mut sim = Simulation::new(model);
    let model = sim.model().clone();
    if let Some(states) = asked["bodies"].as_object() {
        let state = sim.state_mut();
        for ((name, mass), id) in bodies.iter().zip(&ids) {
            let Some(s) = states.get(name).and_then(Value::as_array) else { return Err(format!("no state of {name}")) };
            let s: Vec<f64> = s.iter().filter_map(Value::as_f64).collect();
            let rotation = Quat::from_xyzw(s[4], s[5], s[6], s[3]).normalize();
            let arm = Mat3::from_quat(rotation) * mass.centre;
            let spin = vec3(s[10], s[11], s[12]);
            let (centre, velocity) = (vec3(s[0], s[1], s[2]) + arm, vec3(s[7], s[8], s[9]) + spin.cross(arm));
            let q = &mut state.q[model.q_range(*id)];
            q[..3].copy_from_slice(&centre.to_array());
            q[3..7].copy_from_slice(&[rotation.w, rotation.x, rotation.y, rotation.z]);
            let v = &mut state.v[model.v_range(*id)];
            v[..3].copy_from_slice(&velocity.to_array());
            v[3..6].copy_from_slice(&spin.to_array());
        }
        for (name, rate) in asked["rotors"].as_object().into_iter().flatten() {
            if let (Some(id), Some(rate)) = (model.body(name), rate.as_f64()) {
                state.v[model.v_range(id)][0] = rate;
            }
        }
        let (gap, gap_rate) = sim.violation();
        let residual = sim.residual().map_err(|e| e.to_string())?;
        out["gap"] = json!(gap);
        out["gap_rate"] = json!(gap_rate);
        out["residual"] = json!(residual.motion.max(residual.constraint));
        out["time"] = json!(timed(&mut sim));
    }
    let a = sim.accelerations().map_err(|e| e.to_string())?.to_vec();
    let mut all = Map::new();
    for ((name, mass), id) in bodies.iter().zip(&ids) {
        let a = &a[model.v_range(*id)];
        let (linear, angular) = (vec3(a[0], a[1], a[2]), vec3(a[3], a[4], a[5]));
        let spin = sim.spin(*id).unwrap_or(Vec3::ZERO);
        let arm = sim.point(id.origin()).0 - sim.centre(*id);
        let origin = linear + angular.cross(arm) + spin.cross(spin.cross(arm));
        all.insert(
            name.clone(),
            json!({
                "mass": mass.mass, "com": mass.centre.to_array(), "inertia": mass.inertia.to_cols_array(),
                "acceleration": origin.to_array(), "angular": angular.to_array(),
            }),
        );
    }
    out["bodies"] = Value::Object(all);
    println!("{out}");
    Ok(())
}

/// Time of one evaluation, s.
fn timed(sim: &mut Simulation) -> f64 {
    let start = std::time::Instant::now();
    let n = 100;
    for _ in 0..n {
        sim.state_mut();
        let _ = sim.accelerations();
    }
    start.elapsed().as_secs_f64() / n as f64
}

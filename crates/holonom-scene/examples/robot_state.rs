//! Accelerations of a robot in a given state, for comparison with other programs: JSON in, JSON out.
//!
//! ```text
//! in    {"file": "robot.urdf", "allow": ["folder", ...],
//!        "joints": {"elbow": [coordinate, rate], ...},                            m or rad, and per s; others stay as they are
//!        "base": {"at": [..], "rotation": [w, x, y, z], "velocity": [..], "spin": [..]}}      of the root body, if it is free; world axes
//! out   {"mass": kg of all bodies that move, "base": name of the root body or null,
//!        "joints": {"elbow": acceleration, ...}, "acceleration": [..], "angular": [..]        of the root body's origin, world axes
//!        "masses": {"forearm": [mass, com x, y, z, Ixx, Iyy, Izz, Ixy, Ixz, Iyz], ...},         body axes, about the centre of mass
//!        "bodies": n, "warnings": n, "residual": x, "gap": x}
//! ```
//!
//! An empty `joints` asks for the masses and names alone. `benches/robots.py` uses it.

use holonom::Simulation;
use holonom::math::{Mat3, Quat, Vec3};
use holonom_scene::confine::Confinement;
use holonom_scene::fields::BodyRef;
use holonom_scene::node::{DocNode, DocTable, Value, numbers};
use holonom_scene::read::{self, Environment};
use holonom_scene::{Loaded, Loader, Report, Scene, build};
use serde_json::{Map, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};

type Json = serde_json::Value;

fn main() -> std::process::ExitCode {
    match answer() {
        Ok(out) => {
            println!("{out}");
            std::process::ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<Json, String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| e.to_string())?;
    let asked: Json = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let path = PathBuf::from(asked["file"].as_str().ok_or("`file` is missing")?);
    let allowed: Vec<PathBuf> = strings(&asked["allow"]).into_iter().map(PathBuf::from).collect();
    let loader = Loader { allowed: allowed.clone(), ..Loader::new() };
    let mut loaded = loader.load(&path).map_err(|e| e.render())?;
    set_joints(&mut loaded.document, &asked);
    let mut scene = read_again(&loaded, &path, &allowed)?;
    // compared are smooth forces: limits and dry friction are in neither program
    scene.run.ideal = true;
    let mut report = Report::new();
    let model = build::build(&scene, &mut report).ok_or_else(|| report.render(&loaded.sources))?;
    let mut sim = Simulation::new(model);
    if base(&scene).is_some() {
        set_base(&mut sim, &asked["base"]);
    }
    let residual = sim.residual().map_err(|e| e.to_string())?;
    let gap = sim.violation().0;
    let motion = motions(&scene, &mut sim)?;
    let mut out = json!({
        "mass": scene.mass(), "base": base(&scene), "bodies": scene.bodies.len(),
        "warnings": loaded.report.warnings().count(), "residual": residual.motion.max(residual.constraint), "gap": gap,
    });
    let joints: Map<String, Json> = scene
        .joints
        .iter()
        .filter_map(|j| Some((j.name.to_string(), json!(acceleration(&scene, &motion, j)?))))
        .collect();
    out["joints"] = Json::Object(joints);
    let masses = scene.bodies.iter().filter_map(|b| {
        let (m, i, c) = (b.mass?.mass, b.mass?.inertia, b.mass?.centre);
        let moments = [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.x_axis.y, i.x_axis.z, i.y_axis.z];
        Some((b.name.to_string(), json!([[m, c.x, c.y, c.z].as_slice(), moments.as_slice()].concat())))
    });
    out["masses"] = Json::Object(masses.collect());
    if let Some(root) = base(&scene).and_then(|name| scene.bodies.iter().position(|b| *b.name == *name)) {
        let m = &motion[root];
        let a = m.at(m.origin);
        out["acceleration"] = json!([a.x, a.y, a.z]);
        out["angular"] = json!([m.angular.x, m.angular.y, m.angular.z]);
    }
    Ok(out)
}

fn strings(list: &Json) -> Vec<&str> {
    list.as_array().map(|l| l.iter().filter_map(Json::as_str).collect()).unwrap_or_default()
}

fn floats(list: &Json) -> Option<Vec<f64>> {
    list.as_array().map(|l| l.iter().filter_map(Json::as_f64).collect())
}

/// The body on which everything hangs, if it is not the ground: the one that is no joint's second side.
fn base(scene: &Scene) -> Option<String> {
    let carried = |name: &str| {
        let is = |b: &BodyRef| matches!(b, BodyRef::Named(n) if **n == *name);
        scene.joints.iter().any(|j| j.b.as_ref().is_some_and(|b| is(&b.body)))
    };
    scene.bodies.iter().find(|b| !carried(&b.name)).map(|b| b.name.to_string())
}

/// Write the coordinates asked for into the document, as a scene file would say them.
fn set_joints(document: &mut DocTable, asked: &Json) {
    let Some(Value::Table(joints)) = document.get_mut("joint").map(|n| &mut n.value) else { return };
    for (name, state) in asked["joints"].as_object().into_iter().flatten() {
        let Some(DocNode { value: Value::Table(fields), span }) = joints.get_mut(name) else { continue };
        let Some([q, rate]) = floats(state).as_deref().map(|s| [s[0], s[1]]) else { continue };
        for (field, value) in [("start", q), ("start_rate", rate)] {
            fields.entries_mut().retain(|e| e.key != field);
            fields.push(field, *span, numbers(*span, &[value]));
        }
    }
}

/// Move the whole robot as one piece, its root from rest at the origin to where it is asked for. Rigid bodies only: q = (centre, quaternion),
/// v = (velocity of the centre, angular velocity).
fn set_base(sim: &mut Simulation, asked: &Json) {
    let three = |field: &str| match floats(&asked[field]).as_deref() {
        Some([x, y, z]) => Vec3::new(*x, *y, *z),
        _ => Vec3::ZERO,
    };
    let (at, velocity, spin) = (three("at"), three("velocity"), three("spin"));
    let turn = match floats(&asked["rotation"]).as_deref() {
        Some([w, x, y, z]) => Quat::from_xyzw(*x, *y, *z, *w),
        _ => Quat::IDENTITY,
    };
    let axes = Mat3::from_quat(turn);
    let state = sim.state_mut();
    for (q, v) in state.q.chunks_exact_mut(7).zip(state.v.chunks_exact_mut(6)) {
        let arm = axes * Vec3::new(q[0], q[1], q[2]);
        let e = (turn * Quat::from_xyzw(q[4], q[5], q[6], q[3])).normalize();
        let linear = axes * Vec3::new(v[0], v[1], v[2]) + velocity + spin.cross(arm);
        let angular = axes * Vec3::new(v[3], v[4], v[5]) + spin;
        let place = at + arm;
        q.copy_from_slice(&[place.x, place.y, place.z, e.w, e.x, e.y, e.z]);
        v.copy_from_slice(&[linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
    }
}

fn read_again(loaded: &Loaded, path: &Path, allowed: &[PathBuf]) -> Result<Scene, String> {
    let mut confinement = Confinement::to_folder_of(path);
    for folder in allowed {
        confinement.allow(folder).map_err(|e| e.to_string())?;
    }
    let files = loaded.sources.files().iter();
    let folders: Vec<_> = files.map(|f| f.path.as_deref().and_then(Path::parent).map(Path::to_path_buf)).collect();
    let around = Environment { limits: Default::default(), confinement: &confinement, folders: &folders };
    let mut report = Report::new();
    let scene = read::read(&loaded.document, &around, &mut report);
    if report.has_errors() { Err(report.render(&loaded.sources)) } else { Ok(scene) }
}

/// How a body moves: rigid bodies only.
struct Motion {
    origin: Vec3,
    axes: Mat3,
    spin: Vec3,
    centre: Vec3,
    linear: Vec3,
    angular: Vec3,
}

impl Motion {
    /// Acceleration of a point that moves with it (world).
    fn at(&self, p: Vec3) -> Vec3 {
        let d = p - self.centre;
        self.linear + self.angular.cross(d) + self.spin.cross(self.spin.cross(d))
    }
}

fn motions(scene: &Scene, sim: &mut Simulation) -> Result<Vec<Motion>, String> {
    let a = sim.accelerations().map_err(|e| e.to_string())?.to_vec();
    let three = |k: usize| Vec3::new(a[k], a[k + 1], a[k + 2]);
    let mut out = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let id = sim.model().body(&body.name).ok_or("a body is missing")?;
        out.push(Motion {
            origin: sim.point(id.origin()).0,
            axes: sim.axes(id).ok_or("a body has no axes")?,
            spin: sim.spin(id).ok_or("a body has no spin")?,
            centre: sim.centre(id),
            linear: three(6 * i),
            angular: three(6 * i + 3),
        });
    }
    Ok(out)
}

/// Second derivative of the coordinate of a hinge or a slide, from the accelerations of its bodies.
fn acceleration(scene: &Scene, motion: &[Motion], joint: &holonom_scene::scene::InteractionRecord) -> Option<f64> {
    let still = Motion {
        origin: Vec3::ZERO,
        axes: Mat3::IDENTITY,
        spin: Vec3::ZERO,
        centre: Vec3::ZERO,
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
    };
    let of = |side: &Option<holonom_scene::fields::PointRef>| match side.as_ref().map(|p| &p.body) {
        Some(BodyRef::Named(n)) => scene.bodies.iter().position(|b| b.name == *n),
        _ => None,
    };
    let (ia, ib) = (of(&joint.a), of(&joint.b)?);
    let (a, b) = (ia.map_or(&still, |i| &motion[i]), &motion[ib]);
    let drawn = ia.map_or(holonom_scene::scene::Pose::IDENTITY, |i| scene.bodies[i].pose);
    // axis and place in the world as drawn; both go with body a
    let turn = a.axes * Mat3::from_quat(drawn.rotation).transpose();
    let e = turn * joint.record.vector("axis")?;
    match joint.kind().name {
        "revolute" => Some(e.dot(b.angular - a.angular)),
        "prismatic" => {
            let on_a = a.origin + turn * (joint.record.vector("at")? - drawn.position);
            let on_b = b.origin;
            let r = on_b - on_a;
            // d2/dt2 of e . r, e and on_a carried by a; r is along e
            Some(e.dot(b.at(on_b) - a.at(on_a) - a.spin.cross(a.spin.cross(r))))
        }
        _ => None,
    }
}

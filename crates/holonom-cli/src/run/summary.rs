//! What a run came to, for people and for scripts.

use super::contacts::{Touch, Touching};
use super::journey::Journey;
use super::progress::{duration, factor};
use super::track::Track;
use holonom::Simulation;
use holonom_record::Finished;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::cell::RefCell;

/// The object of `run --json`. Names are a contract.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    pub scene: &'a str,
    pub time: f64,
    pub steps: u64,
    pub bodies: usize,
    pub rows: usize,
    pub wall_s: f64,
    pub us_per_step: f64,
    pub real_time_factor: f64,
    pub max_gap: f64,
    pub max_gap_rate: f64,
    pub max_penetration: f64,
    pub contacts: usize,
    pub largest_contact_force: f64,
    pub events: u64,
    pub energy_start: f64,
    pub energy_end: f64,
    pub energy_drift: f64,
    pub hash: String,
    pub solver: &'a str,
    pub integrator: &'a str,
    pub integrator_by_default: bool,
    pub law: super::settings::Law,
    pub dt: Option<f64>,
    pub rejected: u64,
    pub evaluations: u64,
    pub broken: usize,
    pub interrupted: bool,
    pub out: Option<String>,
    pub out_rows: Option<u64>,
    pub snapshot: Option<String>,
    #[serde(rename = "final")]
    pub last: Final<'a>,
}

/// The last state, thing by thing; written without being held in memory.
#[derive(Serialize)]
pub(crate) struct Final<'a> {
    bodies: Bodies<'a>,
    joints: Joints<'a>,
    contacts: Contacts<'a>,
}

struct Bodies<'a>(&'a RefCell<Simulation>);
struct Joints<'a>(&'a RefCell<Simulation>);
struct Contacts<'a>(&'a RefCell<Simulation>);

#[derive(Serialize)]
struct Body {
    com: [f64; 3],
    quaternion: Option<[f64; 4]>,
    v_com: [f64; 3],
    omega: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct Joint {
    coordinate: Option<f64>,
    rate: Option<f64>,
    force: [f64; 3],
    torque: [f64; 3],
    /// All of them, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coordinates: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rates: Vec<f64>,
    /// Row by row: the torque of a motor, the tension of a rod.
    multipliers: Vec<f64>,
    /// Limits, ropes, dry friction, capped drives: room left, and `free`, `holds` or `slips`.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
}

impl<'a> Final<'a> {
    pub fn of(sim: &'a RefCell<Simulation>) -> Self {
        Final { bodies: Bodies(sim), joints: Joints(sim), contacts: Contacts(sim) }
    }
}

impl Serialize for Bodies<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        let seen = sim.observe().map_err(serde::ser::Error::custom)?;
        let mut map = out.serialize_map(Some(model.n_bodies()))?;
        for body in model.bodies() {
            let (com, v_com) = seen.centre(body);
            let quaternion = seen.orientation(body).map(|e| [e.w, e.x, e.y, e.z]);
            let omega = seen.spin(body).map(|m| m.velocity.to_array());
            let entry = Body { com: com.to_array(), quaternion, v_com: v_com.to_array(), omega };
            map.serialize_entry(model.body_name(body), &entry)?;
        }
        map.end()
    }
}

impl Serialize for Contacts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        let seen = sim.observe().map_err(serde::ser::Error::custom)?;
        out.collect_seq(seen.contacts().map(|c| Touch::of(&model, &c)))
    }
}

impl Serialize for Joints<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        let mut seen = sim.observe().map_err(serde::ser::Error::custom)?;
        let mut map = out.serialize_map(Some(model.n_joints()))?;
        for joint in model.joints() {
            let r = seen.reaction(joint);
            let all: Vec<(f64, f64)> = (0..).map_while(|i| seen.coordinate(joint, i)).collect();
            let several = if all.len() > 1 { all.as_slice() } else { &[] };
            let standing = seen.standing(joint);
            let entry = Joint {
                coordinate: all.first().map(|c| c.0),
                rate: all.first().map(|c| c.1),
                force: r.force.to_array(),
                torque: r.torque.to_array(),
                coordinates: several.iter().map(|c| c.0).collect(),
                rates: several.iter().map(|c| c.1).collect(),
                multipliers: seen.multipliers(joint).to_vec(),
                // a stop that is not there is infinitely far away, and JSON has no infinity
                gap: standing.and_then(|s| s.gap).filter(|g| g.is_finite()),
                state: standing.map(|s| super::contacts::standing(s.state)),
            };
            map.serialize_entry(model.joint_name(joint), &entry)?;
        }
        map.end()
    }
}

/// Lines for people: what was run, how fast, how well, where it went.
pub(crate) fn text(
    scene: &str,
    title: &str,
    journey: &Journey,
    track: &Track,
    begun_at: f64,
    interrupted: bool,
    recording: Option<&Finished>,
    snapshot: Option<&str>,
    touching: Option<&Touching>,
    by_default: bool,
) -> String {
    let sim = &journey.sim;
    let model = sim.model();
    let simulated = sim.time() - begun_at;
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut lines: Vec<(&str, String)> = Vec::new();
    let title = if title.is_empty() { String::new() } else { format!(": {title}") };
    lines.push(("scene", format!("{scene}{title}")));
    lines.push((
        "model",
        format!(
            "{}, {}, {}",
            plural(model.n_bodies(), "body", "bodies"),
            plural(model.n_joints(), "joint", "joints"),
            plural(model.n_rows(), "row", "rows")
        ),
    ));
    let stopped =
        if interrupted { format!(", interrupted (the end would be {} s)", journey.end) } else { String::new() };
    lines.push(("time", format!("{} s to {} s{stopped}", shortest(begun_at), shortest(sim.time()))));
    let rejected = if track.rejected > 0 { format!(", {} rejected", track.rejected) } else { String::new() };
    lines.push((
        "steps",
        format!(
            "{}{rejected} ({}{}, {}; solver {})",
            track.steps,
            journey.settings.method(),
            if by_default && model.has_sides() { reason(journey.settings.method()) } else { "" },
            journey.settings.steps_in_words(),
            sim.solver().name()
        ),
    ));
    let per_step = track.wall / track.steps.max(1) as f64;
    lines.push((
        "wall time",
        format!(
            "{}, {} per step, {} x real time",
            duration(track.wall),
            duration(per_step),
            factor(simulated / track.wall)
        ),
    ));
    lines.push(("largest gap", format!("{:.1e} m or rad, rate {:.1e}", track.max_gap, track.max_gap_rate)));
    let (start, now) = (track.start.total(), track.now.total());
    lines.push((
        "energy",
        format!(
            "{} J at the start, {} J now; unaccounted for: {:.1e} of what moved",
            number(start, now),
            number(now, start),
            track.energy_drift(sim)
        ),
    ));
    if let Some(t) = touching {
        let events = if track.events > 0 {
            format!("; {}", plural(track.events as usize, "event", "events"))
        } else {
            String::new()
        };
        let force = if t.points > 0 { format!(", largest force {:.4} N", t.largest) } else { String::new() };
        let touches = plural(t.points, "touch", "touches");
        lines.push((
            "contact",
            format!("{touches} now{force}{events}; deepest overlap {:.1e} m or rad", track.max_overlap),
        ));
    }
    if track.broken > 0 {
        lines.push(("broken", plural(track.broken, "joint", "joints")));
    }
    if let Some(r) = recording {
        lines.push(("recording", format!("{} ({} rows, {})", r.path.display(), r.rows, size(r.bytes))));
    }
    if let Some(path) = snapshot {
        lines.push(("snapshot", path.to_string()));
    }
    lines.push(("hash", format!("{:016x}", sim.state().hash())));
    lines.iter().map(|(label, value)| format!("{label:<12} {value}\n")).collect()
}

/// Why this integrator, where nobody said which.
fn reason(method: &str) -> &'static str {
    match method {
        "stepping" => " because many shapes may touch",
        _ => " with events",
    }
}

/// A number beside another of its kind.
fn number(x: f64, other: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if a < 1e-3 && other.abs() < 1e-3 || a >= 1e6 => format!("{x:.3e}"),
        _ => format!("{x:.6}"),
    }
}

/// A time without the noise of its last digits.
fn shortest(t: f64) -> String {
    let rounded = (t * 1e9).round() / 1e9;
    format!("{rounded}")
}

/// Bytes as people say them.
pub(crate) fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b} bytes"),
    }
}

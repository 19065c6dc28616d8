//! What a run came to, for people and for scripts.

use super::contacts::{ContactRecord, ContactTotals};
use super::peaks::Peaks;
use super::progress_bar::{duration, factor};
use super::record::RecordingEnd;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::text::{plural, size};
use holonom::{ObservationDepth, Promise, Simulation, WorstOfRun};
use holonom_run::RunLoop;
use holonom_run::RunStatistics;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::cell::RefCell;

/// The object of `run --json`. Names are a contract.
#[derive(Serialize)]
struct RunSummary<'a> {
    scene: &'a str,
    time: f64,
    steps: u64,
    bodies: usize,
    rows: usize,
    wall_s: f64,
    us_per_step: f64,
    real_time_factor: f64,
    max_residual: f64,
    max_contradiction: f64,
    max_gap: f64,
    max_gap_rate: f64,
    max_penetration: f64,
    contacts: usize,
    largest_contact_force: f64,
    events: u64,
    energy_start: f64,
    energy_end: f64,
    energy_drift: f64,
    energy_unaccounted: f64,
    ledger: LedgerColumns,
    hash: String,
    solver: &'a str,
    integrator: &'a str,
    integrator_by_default: bool,
    law: holonom_run::MotionLaw,
    dt: Option<f64>,
    rejected: u64,
    evaluations: u64,
    broken: usize,
    interrupted: bool,
    warnings: Vec<String>,
    out: Option<String>,
    out_rows: Option<u64>,
    /// Rows in which some number could not be computed and is NaN.
    out_incomplete_rows: Option<u64>,
    /// The largest loads in the rows of the recording.
    peaks: Option<Peaks>,
    snapshot: Option<String>,
    #[serde(rename = "final")]
    last: FinalState<'a>,
}

/// The energy ledger, J: `change` is the sum of all the others but `contacts`, which is that of friction and impacts.
#[derive(Serialize)]
struct LedgerColumns {
    change: f64,
    forces: f64,
    joints: f64,
    bodies: f64,
    friction: f64,
    impacts: f64,
    contacts: f64,
    blows: f64,
    projection: f64,
    stepping: f64,
    imposed: f64,
    error: f64,
}

impl LedgerColumns {
    fn of(sim: &Simulation) -> Self {
        let l = sim.ledger();
        LedgerColumns {
            change: l.change,
            forces: l.forces.iter().sum(),
            joints: l.joints.iter().sum(),
            bodies: l.bodies,
            friction: l.friction,
            impacts: l.impacts,
            contacts: l.contacts,
            blows: l.blows,
            projection: l.projection,
            stepping: l.stepping,
            imposed: l.imposed,
            error: l.integrator,
        }
    }
}

/// The last state, thing by thing; written without being held in memory.
#[derive(Serialize)]
pub(crate) struct FinalState<'a> {
    bodies: FinalBodies<'a>,
    joints: FinalJoints<'a>,
    contacts: FinalContacts<'a>,
}

struct FinalBodies<'a>(&'a RefCell<Simulation>);
struct FinalJoints<'a>(&'a RefCell<Simulation>);
struct FinalContacts<'a>(&'a RefCell<Simulation>);

#[derive(Serialize)]
struct FinalBody {
    com: [f64; 3],
    quaternion: Option<[f64; 4]>,
    v_com: [f64; 3],
    omega: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct FinalJoint {
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

impl<'a> FinalState<'a> {
    pub fn of(sim: &'a RefCell<Simulation>) -> Self {
        FinalState { bodies: FinalBodies(sim), joints: FinalJoints(sim), contacts: FinalContacts(sim) }
    }
}

impl Serialize for FinalBodies<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        let seen = sim.observe_partly(ObservationDepth::Places);
        let mut map = out.serialize_map(Some(model.n_bodies()))?;
        for body in model.bodies() {
            let (com, v_com) = seen.centre(body);
            let quaternion = seen.orientation(body).map(|e| [e.w, e.x, e.y, e.z]);
            let omega = seen.spin(body).map(|m| m.velocity.to_array());
            let entry = FinalBody { com: com.to_array(), quaternion, v_com: v_com.to_array(), omega };
            map.serialize_entry(model.body_name(body), &entry)?;
        }
        map.end()
    }
}

impl Serialize for FinalContacts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        let seen = sim.observe_partly(ObservationDepth::LeastLoads);
        out.collect_seq(seen.contacts().map(|c| ContactRecord::of(&model, &c)))
    }
}

impl Serialize for FinalJoints<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut sim = self.0.borrow_mut();
        let model = sim.model().clone();
        // where forces cannot be computed they are null
        let mut seen = sim.observe_partly(ObservationDepth::LeastLoads);
        let mut map = out.serialize_map(Some(model.n_joints()))?;
        for joint in model.joints() {
            let r = seen.reaction(joint);
            let all: Vec<(f64, f64)> = (0..).map_while(|i| seen.coordinate(joint, i)).collect();
            let several = if all.len() > 1 { all.as_slice() } else { &[] };
            let standing = seen.inequality_status(joint);
            let entry = FinalJoint {
                coordinate: all.first().map(|c| c.0),
                rate: all.first().map(|c| c.1),
                force: r.force.to_array(),
                torque: r.torque.to_array(),
                coordinates: several.iter().map(|c| c.0).collect(),
                rates: several.iter().map(|c| c.1).collect(),
                multipliers: seen.multipliers(joint).to_vec(),
                // a stop that is not there is infinitely far away, and JSON has no infinity
                gap: standing.and_then(|s| s.gap).filter(|g| g.is_finite()),
                state: standing.map(|s| super::contacts::inequality_status(s.state)),
            };
            map.serialize_entry(model.joint_name(joint), &entry)?;
        }
        map.end()
    }
}

/// What a run came to.
pub(crate) struct RunResult<'a> {
    pub scene: &'a str,
    pub title: &'a str,
    pub run: RunLoop,
    pub statistics: RunStatistics,
    /// Ended by Ctrl-C.
    pub interrupted: bool,
    /// Nobody said which integrator.
    pub integrator_by_default: bool,
    pub recording: Option<RecordingEnd>,
    pub snapshot: Option<String>,
    pub contacts: Option<ContactTotals>,
    /// What was not as promised.
    pub warnings: Option<String>,
}

/// The worst of a run, in one line.
pub(super) fn certificate(worst: &WorstOfRun) -> String {
    let [gap, rate, overlap, contradiction] =
        [Promise::Gap, Promise::GapRate, Promise::Overlap, Promise::Contradiction].map(|p| worst.value(p));
    format!(
        "worst residual {:.1e}, contradiction {contradiction:.1e}, gap {gap:.1e}, rate {rate:.1e}, overlap {overlap:.1e}",
        worst.residual().largest()
    )
}

impl RunResult<'_> {
    /// The object of `run --json`.
    pub fn write_json(self, out: &mut StandardOutput) -> Result<(), CliError> {
        let RunLoop { sim, settings, begun_at, .. } = self.run;
        let statistics = &self.statistics;
        let time = sim.time();
        let (bodies, rows, solver) = (sim.model().n_bodies(), sim.model().n_rows(), sim.solver().name());
        let energy_drift = statistics.energy_drift(&sim);
        let (energy_unaccounted, ledger) = (statistics.energy_unaccounted(&sim), LedgerColumns::of(&sim));
        let hash = format!("{:016x}", sim.state().hash());
        let sim = RefCell::new(sim);
        out.json(&RunSummary {
            scene: self.scene,
            time,
            steps: statistics.steps,
            bodies,
            rows,
            wall_s: statistics.wall,
            us_per_step: 1e6 * statistics.wall / statistics.steps.max(1) as f64,
            real_time_factor: (time - begun_at) / statistics.wall,
            max_residual: statistics.worst.residual().largest(),
            max_contradiction: statistics.worst.value(Promise::Contradiction),
            max_gap: statistics.worst.value(Promise::Gap),
            max_gap_rate: statistics.worst.value(Promise::GapRate),
            max_penetration: statistics.worst.value(Promise::Overlap),
            contacts: self.contacts.as_ref().map_or(0, |c| c.points),
            largest_contact_force: self.contacts.as_ref().map_or(0.0, |c| c.largest),
            events: statistics.events,
            energy_start: statistics.start.total(),
            energy_end: statistics.now.total(),
            energy_drift,
            energy_unaccounted,
            ledger,
            hash,
            solver,
            integrator: settings.method(),
            integrator_by_default: self.integrator_by_default,
            law: settings.law,
            dt: settings.dt,
            rejected: statistics.rejected,
            evaluations: statistics.evaluations,
            broken: statistics.broken,
            interrupted: self.interrupted,
            warnings: self.warnings.into_iter().collect(),
            out: self.recording.as_ref().map(|r| r.file.path.display().to_string()),
            out_rows: self.recording.as_ref().map(|r| r.file.rows),
            out_incomplete_rows: self.recording.as_ref().map(|r| r.incomplete),
            peaks: self.recording.map(|r| r.peaks),
            snapshot: self.snapshot,
            last: FinalState::of(&sim),
        })
    }

    /// Lines for people: what was run, how fast, how well, where it went.
    pub fn text(&self) -> String {
        let (run, statistics) = (&self.run, &self.statistics);
        let model = run.sim.model();
        let (bodies, joints) =
            (plural(model.n_bodies(), "body", "bodies"), plural(model.n_joints(), "joint", "joints"));
        let title = if self.title.is_empty() { String::new() } else { format!(": {}", self.title) };
        let mut lines = vec![
            ("scene", format!("{}{title}", self.scene)),
            ("model", format!("{bodies}, {joints}, {}", plural(model.n_rows(), "row", "rows"))),
            ("time", self.time()),
            ("steps", self.steps()),
            ("wall time", self.wall_time()),
            ("residual", self.residual()),
            ("largest gap", self.gaps()),
            ("energy", self.energy()),
        ];
        lines.extend(self.ledger().map(|text| ("ledger", text)));
        lines.extend(self.contacts.as_ref().map(|totals| ("contact", self.contact(totals))));
        if statistics.broken > 0 {
            lines.push(("broken", plural(statistics.broken, "joint", "joints")));
        }
        let recording = |r: &RecordingEnd| {
            let missing = match r.incomplete {
                0 => String::new(),
                n => format!("; {} with NaN, where numbers could not be computed", plural(n as usize, "row", "rows")),
            };
            format!("{} ({} rows, {}{missing})", r.file.path.display(), r.file.rows, size(r.file.bytes))
        };
        lines.extend(self.recording.as_ref().map(|r| ("recording", recording(r))));
        lines.extend(self.recording.as_ref().and_then(|r| Some(("peaks", r.peaks.text()?))));
        lines.extend(self.snapshot.clone().map(|path| ("snapshot", path)));
        lines.push(("hash", format!("{:016x}", run.sim.state().hash())));
        lines.iter().map(|(label, value)| format!("{label:<12} {value}\n")).collect()
    }

    fn time(&self) -> String {
        let run = &self.run;
        let stopped =
            if self.interrupted { format!(", interrupted (the end would be {} s)", run.end) } else { String::new() };
        format!("{} s to {} s{stopped}", shortest(run.begun_at), shortest(run.sim.time()))
    }

    fn steps(&self) -> String {
        let (settings, sim, statistics) = (&self.run.settings, &self.run.sim, &self.statistics);
        let rejected =
            if statistics.rejected > 0 { format!(", {} rejected", statistics.rejected) } else { String::new() };
        let explained = self.integrator_by_default && sim.model().has_inequalities();
        format!(
            "{}{rejected} ({}{}, {}; solver {})",
            statistics.steps,
            settings.method(),
            if explained { reason(settings.method()) } else { "" },
            settings.steps_in_words(),
            sim.solver().name()
        )
    }

    fn wall_time(&self) -> String {
        let statistics = &self.statistics;
        let per_step = statistics.wall / statistics.steps.max(1) as f64;
        let simulated = self.run.sim.time() - self.run.begun_at;
        format!(
            "{}, {} per step, {} x real time",
            duration(statistics.wall),
            duration(per_step),
            factor(simulated / statistics.wall)
        )
    }

    fn residual(&self) -> String {
        let worst = &self.statistics.worst;
        let contradiction = worst.value(Promise::Contradiction);
        format!("{:.1e} at worst, contradiction {contradiction:.1e}", worst.residual().largest())
    }

    fn gaps(&self) -> String {
        let [gap, rate] = [Promise::Gap, Promise::GapRate].map(|p| self.statistics.worst.value(p));
        format!("{gap:.1e} m or rad, rate {rate:.1e}")
    }

    fn energy(&self) -> String {
        let (start, now) = (self.statistics.start.total(), self.statistics.now.total());
        let open = self.statistics.energy_unaccounted(&self.run.sim);
        format!(
            "{} J at the start, {} J now; unaccounted for: {open:.1e} of what moved",
            number(start, now),
            number(now, start)
        )
    }

    /// What drives, contacts and the method did, where velocities jumped.
    fn ledger(&self) -> Option<String> {
        let l = self.run.sim.ledger();
        let works: f64 = l.forces.iter().sum::<f64>() + l.joints.iter().sum::<f64>();
        (l.impacts != 0.0 || l.blows != 0.0 || l.stepping != 0.0).then(|| {
            format!(
                "forces and joints {works:.4} J, impacts {:.4} J, friction {:.4} J, drives in blows {:.4} J, projection {:.1e} J, time stepping {:.1e} J",
                l.impacts, l.friction, l.blows, l.projection, l.stepping
            )
        })
    }

    fn contact(&self, totals: &ContactTotals) -> String {
        let events = self.statistics.events as usize;
        let events = if events > 0 { format!("; {}", plural(events, "event", "events")) } else { String::new() };
        let forced = match self.statistics.forced as usize {
            0 => String::new(),
            n => format!(" ({} where they brought no time)", plural(n, "short step", "short steps")),
        };
        let force = if totals.points > 0 { format!(", largest force {:.4} N", totals.largest) } else { String::new() };
        let touches = plural(totals.points, "touch", "touches");
        format!(
            "{touches} now{force}{events}{forced}; deepest overlap {:.1e} m or rad",
            self.statistics.worst.value(Promise::Overlap)
        )
    }
}

/// Why this integrator, where nobody said which.
fn reason(method: &str) -> &'static str {
    match method {
        "stepping" => " because many shapes may touch: order 1 where they do, RK4 elsewhere",
        "midpoint" => "",
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

//! Snapshots of runs: the state, and what is needed to go on with the same bits.
//!
//! The settings of the file are JSON: how the run was made, where its steps are counted from, and the lengths of the
//! states that follow each other in the state bytes: the state at the time of the snapshot and, if the end of the run
//! cut a step short, the state before that.

use crate::failure::Failure;
use crate::run_loop::RunLoop;
use crate::scenes::OpenedScene;
use crate::settings::RunSettings;
use holonom::{BodyId, JointCondition, Model, Simulation, SnapshotError, State};
use holonom_record::Snapshot;
use holonom_scene::source::Sources;
use holonom_scene::{Diagnostic, codes};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Names are kept in snapshots of models up to this many bodies and joints, to explain a misfit.
const MOST_NAMES: usize = 10_000;

#[derive(Serialize, Deserialize)]
struct Kept {
    settings: RunSettings,
    base: f64,
    index: u64,
    steps: u64,
    states: Vec<u64>,
    broken: Vec<String>,
    /// What the numbers of the mechanism come to; none in snapshots of older programs.
    #[serde(default)]
    values: Option<u64>,
    /// Parameters of the scene, to say what differs.
    #[serde(default)]
    params: Vec<(String, f64)>,
}

/// What a run is resumed from.
pub struct Resume {
    /// How the run was made.
    pub settings: RunSettings,
    /// Time of the snapshot, s.
    pub time: f64,
    /// Where fixed steps are counted from, s.
    pub base: f64,
    /// Fixed steps since `base`.
    pub index: u64,
    /// Steps since `base`, of any kind.
    pub steps: u64,
    path: String,
    broken: Vec<String>,
    now: State,
    uncut: Option<State>,
    /// The numbers of the mechanism are not those of the snapshot.
    changed: bool,
}

/// The present state of a run as a snapshot.
pub fn take(run: &RunLoop, opened: &OpenedScene) -> Snapshot {
    let sim = &run.sim;
    let model = sim.model();
    let mut state = sim.snapshot();
    let mut states = vec![state.len() as u64];
    let (mut index, mut steps) = (run.index, run.steps);
    if let Some((uncut, i, n)) = &run.uncut {
        let bytes = uncut.to_bytes();
        states.push(bytes.len() as u64);
        state.extend(bytes);
        (index, steps) = (*i, *n);
    }
    let broken = model.joints().filter(|j| model.condition(*j) == JointCondition::Broken);
    let broken = broken.map(|j| model.joint_name(j).to_string()).collect();
    let values = Some(opened.values);
    let params = opened.loaded.scene.params.clone();
    let kept = Kept { settings: run.settings.clone(), base: run.base, index, steps, states, broken, values, params };
    let names = (model.n_bodies() + model.n_joints() <= MOST_NAMES).then(|| names(model).collect());
    Snapshot {
        scene: opened.name.clone(),
        fingerprint: fingerprint(model),
        time: sim.time(),
        names,
        settings: serde_json::to_string(&kept).unwrap_or_default(),
        state,
    }
}

/// Bodies and joints with their kinds.
fn names(model: &Model) -> impl Iterator<Item = String> + '_ {
    let bodies = model.bodies().map(|b| format!("{} `{}`", model.body_kind(b), model.body_name(b)));
    let joints = model.joints().map(|j| format!("{} joint `{}`", model.constraint(j).kind(), model.joint_name(j)));
    bodies.chain(joints)
}

/// A number that differs between models of other bodies, joints or forces.
fn fingerprint(model: &Model) -> u64 {
    let forces = model.forces().map(|f| format!("force `{}`", model.force_name(f)));
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for name in names(model).chain(forces) {
        for byte in name.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

impl Resume {
    /// Read a snapshot of this model. One of the same parts with other numbers is refused, unless it is to be assembled
    /// anew.
    pub fn read(path: &Path, opened: &OpenedScene, reassemble: bool) -> Result<Resume, Failure> {
        let model = &*opened.model;
        let file = Snapshot::read(path)?;
        let shown = path.display().to_string();
        let misfit = |why: String| {
            let message = format!("the snapshot `{shown}` belongs to another mechanism");
            let d = Diagnostic::error(codes::SNAPSHOT_MISFIT, message).label(why);
            let d = d.note("note", format!("it was taken from `{}` at t = {} s", file.scene, file.time));
            Failure::diagnostic(
                d.help("resume it with the scene and the --set options it was made with"),
                &Sources::new(),
            )
        };
        if file.fingerprint != fingerprint(model) {
            return Err(misfit(difference(&file, model)));
        }
        let foreign = || Failure::input(format!("`{shown}` is a snapshot, but not one that `holonom run` wrote"));
        let kept: Kept = serde_json::from_str(&file.settings).map_err(|_| foreign())?;
        let changed = kept.values.is_some_and(|v| v != opened.values);
        if changed && !reassemble {
            let message = format!("the snapshot `{shown}` belongs to other numbers than those of `{}`", opened.name);
            let d = Diagnostic::error(codes::SNAPSHOT_MISFIT, message).label(changes(&kept.params, opened));
            let d = d.note("note", format!("it was taken from `{}` at t = {} s", file.scene, file.time));
            let help = "resume it with the --set options it was made with; --reassemble takes its pose as a start and closes the joints anew";
            return Err(Failure::diagnostic(d.help(help), &Sources::new()));
        }
        let mut rest = file.state.as_slice();
        let mut states = Vec::new();
        for n in &kept.states {
            let (state, tail) = usize::try_from(*n).ok().and_then(|n| rest.split_at_checked(n)).ok_or_else(foreign)?;
            states.push(State::from_bytes(model, state).map_err(|e| match e {
                SnapshotError::Mismatch { .. } => misfit(e.to_string()),
                _ => Failure::input(format!("`{shown}`: {e}")),
            })?);
            rest = tail;
        }
        let mut states = states.into_iter();
        let now = states.next().ok_or_else(foreign)?;
        Ok(Resume {
            settings: kept.settings,
            time: file.time,
            base: kept.base,
            index: kept.index,
            steps: kept.steps,
            path: shown,
            broken: kept.broken,
            now,
            // what would be taken again belongs to the other numbers
            uncut: states.next().filter(|_| !changed),
            changed,
        })
    }

    /// A simulation at the state to go on from.
    ///
    /// Where its joints had to be closed anew, also what that moved, in words.
    pub fn restore(&self, mut sim: Simulation, end: f64) -> Result<(Simulation, Option<String>), Failure> {
        if end < self.time {
            return Err(Failure::input(format!(
                "the snapshot `{}` is at t = {} s, later than the end of the run at {end} s",
                self.path, self.time
            ))
            .help(format!("give a --time of {} s or more", self.time)));
        }
        for name in &self.broken {
            let joint = sim.model().joint(name);
            if let Some(joint) = joint {
                sim.break_joint(joint).map_err(|e| Failure::input(format!("`{}`: joint `{name}`: {e}", self.path)))?;
            }
        }
        // at the end already: nothing is to be taken again
        let from = self.uncut.as_ref().filter(|_| end > self.time).unwrap_or(&self.now);
        sim.set_state(from.clone());
        let moved = if self.changed { Some(self.reassemble(&mut sim)?) } else { None };
        Ok((sim, moved))
    }

    /// Close the joints of the changed mechanism, open its ledger, and say what that moved.
    fn reassemble(&self, sim: &mut Simulation) -> Result<String, Failure> {
        let model = sim.model().clone();
        let (gap, _) = sim.violation();
        sim.project().map_err(|e| Failure::step("the joints cannot be closed from the pose of the snapshot", &e))?;
        sim.reset_ledger();
        let moved = |b: &BodyId| (model.centre(sim.state(), *b) - model.centre(&self.now, *b)).length();
        let far = model.bodies().map(|b| (moved(&b), b)).max_by(|a, b| a.0.total_cmp(&b.0));
        let most = far.map_or(String::new(), |(d, b)| format!("; `{}` moved most, by {d:.3e} m", model.body_name(b)));
        Ok(format!(
            "the snapshot belongs to other numbers: its joints stood open by {gap:.3e} m or rad and were closed{most}; energies are counted from here"
        ))
    }

    /// The state at the time of the snapshot.
    pub fn now(&self) -> &State {
        &self.now
    }
}

/// Which parameters differ, in words.
fn changes(theirs: &[(String, f64)], opened: &OpenedScene) -> String {
    let ours = &opened.loaded.scene.params;
    let value = |name: &str| ours.iter().find(|p| p.0 == name).map(|p| p.1);
    let differ = theirs.iter().filter_map(|(name, x)| Some((name, x, value(name)?))).filter(|(_, x, y)| *x != y);
    let said: Vec<String> = differ.take(3).map(|(name, x, y)| format!("`{name}` was {x}, is {y}")).collect();
    if said.is_empty() {
        "masses, lengths or forces of the scene are not those it was made with".into()
    } else {
        said.join("; ")
    }
}

/// How two mechanisms differ, in words.
fn difference(file: &Snapshot, model: &Model) -> String {
    let Some(theirs) = &file.names else { return "its bodies, joints or forces differ".into() };
    let ours: Vec<String> = names(model).collect();
    let missing: Vec<&String> = theirs.iter().filter(|n| !ours.contains(n)).collect();
    let new: Vec<&String> = ours.iter().filter(|n| !theirs.contains(n)).collect();
    let list = |names: &[&String]| {
        let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
        let shown: Vec<&str> = names.iter().take(3).map(|s| s.as_str()).collect();
        shown.join(", ") + &more
    };
    match (missing.is_empty(), new.is_empty()) {
        (true, true) => "its forces differ, or the order of its parts".into(),
        (false, true) => format!("it has {}, the scene has not", list(&missing)),
        (true, false) => format!("the scene has {}, the snapshot has not", list(&new)),
        (false, false) => format!("it has {}; the scene has {}", list(&missing), list(&new)),
    }
}

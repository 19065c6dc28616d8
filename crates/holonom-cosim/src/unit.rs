//! A unit at work.
//!
//! ```text
//! Instantiated -> Initialization -> Stepping -> Terminated        and from everywhere back: reset, or another state
//!                                      '-> Failed
//! ```
//!
//! The model is built when somebody first needs it after a parameter was set: when initialization ends, or when an
//! output is read before. A *communication step* from t to t + h goes as `holonom run` goes: the steps of the
//! integrator are its own, and where no input has changed since the last communication point, the step that this point
//! has cut short is taken again, uncut (see [`RunLoop::go_on_to`]). So the communication points leave no trace in the
//! motion.
//!
//! Efforts follow their inputs at once. What prescribes a motion must not jump: from the time t of a communication
//! point to the next at t + h, the value goes from where it is, with two continuous derivatives, to what was set, and
//! its rate to that with which what was set has changed since the last step (a polynomial of degree five). A ramp is
//! followed exactly, one communication step late.

use crate::error::UnitError;
use crate::plan::{InputKind, PLAN_FILE, SCENE_FILE, UnitPlan, VariableId};
use crate::saved::{Chosen, SavedMotion, SavedUnit};
use holonom::functions::Function;
use holonom::{JointCondition, Model, Simulation, State};
use holonom_run::inputs::{self, told};
use holonom_run::{Failure, InputCell, InputCourse, RunChoices, RunLoop, RunSettings, stop};
use holonom_scene::{Loaded, Loader, Quantities, Report};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of the plan of a unit.
const MOST_PLAN: u64 = 256 << 20;

/// How far a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitMode {
    /// Nothing happened yet.
    Instantiated,
    /// The start is being made.
    Initialization,
    /// Between communication steps.
    Stepping,
    /// At its end.
    Terminated,
    /// It cannot go on.
    Failed,
}

/// One unit with its scene.
pub struct UnitInstance {
    folder: PathBuf,
    plan: UnitPlan,
    numbers: HashMap<u32, VariableId>,
    mode: UnitMode,
    chosen: Chosen,
    motion: Option<Motion>,
}

/// The mechanism of a unit in motion.
struct Motion {
    /// What it was built with.
    built: Chosen,
    loaded: Loaded,
    base: Arc<Model>,
    run: RunLoop,
    /// What drives are told and joints are pushed with, input by input.
    cells: Vec<InputCell>,
    /// What the inputs were in the last communication step.
    followed: Vec<f64>,
    /// Nothing has changed since the last communication step.
    left_alone: bool,
    quantities: Quantities,
    /// Outputs are read through it, so that reading leaves no trace.
    probe: Simulation,
    /// Values of the quantities at the present state, where they were read; and why some are NaN.
    row: Vec<f64>,
    seen: bool,
    incomplete: Option<String>,
}

/// Numbers that were read, and why some of them are NaN.
pub type ReadValues = (Vec<f64>, Option<String>);

impl UnitInstance {
    /// A unit from its folder of resources; the token must be that of the unit.
    pub fn open(folder: &Path, token: &str) -> Result<UnitInstance, UnitError> {
        let path = folder.join(PLAN_FILE);
        let cannot = |why: String| UnitError::refused(format!("`{}` cannot be read: {why}", path.display()));
        let size = std::fs::metadata(&path).map_err(|e| cannot(e.to_string()))?.len();
        if size > MOST_PLAN {
            return Err(cannot(format!("{size} bytes are too many")));
        }
        let text = std::fs::read(&path).map_err(|e| cannot(e.to_string()))?;
        let plan: UnitPlan = serde_json::from_slice(&text).map_err(|e| cannot(e.to_string()))?;
        if plan.token != token {
            let message =
                format!("the token `{token}` belongs to another unit, that of these resources is `{}`", plan.token);
            return Err(UnitError::refused(message));
        }
        let chosen = beginning(&plan);
        let numbers = plan.references().collect();
        Ok(UnitInstance { folder: folder.into(), plan, numbers, mode: UnitMode::Instantiated, chosen, motion: None })
    }

    /// Its variables.
    pub fn plan(&self) -> &UnitPlan {
        &self.plan
    }

    /// How far it is.
    pub fn mode(&self) -> UnitMode {
        self.mode
    }

    /// Its time, s.
    pub fn time(&self) -> f64 {
        self.motion.as_ref().map_or(self.chosen.start, |m| m.run.sim.time())
    }

    fn variable(&self, reference: u32) -> Result<VariableId, UnitError> {
        let found = self.numbers.get(&reference).copied();
        found
            .ok_or_else(|| UnitError::refused(format!("the unit has no variable with the value reference {reference}")))
    }

    fn wrong_order(&self, what: &str, wanted: &str) -> UnitError {
        UnitError::refused(format!("{what} is asked for in the mode {:?}, and allowed {wanted}", self.mode))
    }

    /// Start and end of the experiment, s, and the tolerance of adaptive steps.
    pub fn set_up(&mut self, tolerance: Option<f64>, start: f64, stop: Option<f64>) -> Result<(), UnitError> {
        if self.mode != UnitMode::Instantiated {
            return Err(self.wrong_order("an experiment", "before initialization"));
        }
        if let Some(t) = tolerance
            && !(t > 0.0 && t < 1.0)
        {
            return Err(UnitError::refused(format!("the tolerance is {t}, must be greater than 0 and less than 1")));
        }
        if !start.is_finite() {
            return Err(UnitError::refused(format!("the start time is {start} s, must be finite")));
        }
        if let Some(stop) = stop
            && !(stop > start && stop.is_finite())
        {
            return Err(UnitError::refused(format!("the stop time is {stop} s, must be finite and after {start} s")));
        }
        (self.chosen.tolerance, self.chosen.start, self.chosen.stop) = (tolerance, start, stop);
        self.motion = None;
        Ok(())
    }

    /// Begin to make the start.
    pub fn enter_initialization(&mut self) -> Result<(), UnitError> {
        if self.mode != UnitMode::Instantiated {
            return Err(self.wrong_order("initialization", "once, after the instance was made or reset"));
        }
        self.mode = UnitMode::Initialization;
        Ok(())
    }

    /// The start is made: build the model.
    pub fn exit_initialization(&mut self) -> Result<(), UnitError> {
        if self.mode != UnitMode::Initialization {
            return Err(self.wrong_order("the end of initialization", "in initialization"));
        }
        self.moving()?;
        self.mode = UnitMode::Stepping;
        Ok(())
    }

    /// No further steps.
    pub fn terminate(&mut self) -> Result<(), UnitError> {
        if self.mode != UnitMode::Stepping {
            return Err(self.wrong_order("the end", "between communication steps"));
        }
        self.mode = UnitMode::Terminated;
        Ok(())
    }

    /// As it was when it was made.
    pub fn reset(&mut self) {
        self.chosen = beginning(&self.plan);
        self.motion = None;
        self.mode = UnitMode::Instantiated;
    }

    /// It cannot go on.
    pub fn fail(&mut self) {
        self.mode = UnitMode::Failed;
    }

    /// Set variables: all of them, or none where one is refused.
    pub fn set(&mut self, references: &[u32], values: &[f64]) -> Result<(), UnitError> {
        if references.len() != values.len() {
            let (n, m) = (references.len(), values.len());
            return Err(UnitError::refused(format!("{m} values for {n} variables, must be as many")));
        }
        let mut found = Vec::with_capacity(references.len());
        for (reference, value) in references.iter().zip(values) {
            let id = self.variable(*reference)?;
            self.may_be_set(id, *value)?;
            found.push(id);
        }
        for (id, value) in found.into_iter().zip(values) {
            match id {
                VariableId::Parameter(k) if self.chosen.parameters[k] != *value => {
                    self.chosen.parameters[k] = *value;
                    self.motion = None;
                }
                VariableId::Input(k) => self.set_input(k, *value),
                _ => {}
            }
        }
        Ok(())
    }

    fn may_be_set(&self, id: VariableId, value: f64) -> Result<(), UnitError> {
        let (name, ok, when) = match id {
            VariableId::Time => ("time", false, "never"),
            VariableId::Output(k) => (self.plan.outputs[k].name.as_str(), false, "never: it is an output"),
            VariableId::Parameter(k) => {
                let p = &self.plan.parameters[k];
                let open = matches!(self.mode, UnitMode::Instantiated | UnitMode::Initialization);
                let when =
                    if p.calculated { "never: it is calculated from others" } else { "until initialization ends" };
                (p.variable.name.as_str(), open && !p.calculated, when)
            }
            VariableId::Input(k) => {
                let open = !matches!(self.mode, UnitMode::Terminated | UnitMode::Failed);
                (self.plan.inputs[k].variable.name.as_str(), open, "while the unit runs")
            }
        };
        if !ok {
            return Err(self.wrong_order(&format!("setting `{name}`"), when));
        }
        if !value.is_finite() {
            return Err(UnitError::refused(format!("the value of `{name}` is {value}, must be finite")));
        }
        Ok(())
    }

    fn set_input(&mut self, k: usize, value: f64) {
        if self.chosen.inputs[k] == Some(value) {
            return;
        }
        self.chosen.inputs[k] = Some(value);
        if self.mode != UnitMode::Stepping {
            // the start depends on it
            self.motion = None;
        } else if let Some(motion) = &mut self.motion
            && !is_motion(&self.plan, k)
            && motion.cells[k].at(motion.run.sim.time())[0] != value
        {
            motion.cells[k].put(Some(InputCourse::constant(value)));
            motion.touch();
        }
    }

    /// Read variables.
    pub fn get(&mut self, references: &[u32]) -> Result<ReadValues, UnitError> {
        let ids = references.iter().map(|r| self.variable(*r)).collect::<Result<Vec<_>, _>>()?;
        let computed = |id: &VariableId| match id {
            VariableId::Output(_) => true,
            VariableId::Parameter(k) => self.plan.parameters[*k].calculated,
            _ => false,
        };
        let mut warning = None;
        if ids.iter().any(computed) {
            if self.mode == UnitMode::Instantiated {
                return Err(self.wrong_order("a calculated value", "from initialization on"));
            }
            let outputs = ids.iter().any(|id| matches!(id, VariableId::Output(_)));
            let motion = self.moving()?;
            if outputs {
                warning = motion.look();
            }
        }
        Ok((ids.into_iter().map(|id| self.value(id)).collect(), warning))
    }

    /// The value of a variable, computed before where it must be.
    fn value(&self, id: VariableId) -> f64 {
        let motion = self.motion.as_ref();
        match id {
            VariableId::Time => self.time(),
            VariableId::Output(k) => motion.map_or(f64::NAN, |m| m.row[k + 1]),
            VariableId::Parameter(k) => match motion.filter(|_| self.plan.parameters[k].calculated) {
                Some(m) => m.loaded.scene.params.get(k).map_or(f64::NAN, |p| p.1),
                None => self.chosen.parameters[k],
            },
            VariableId::Input(k) => self.chosen.inputs[k].unwrap_or_else(|| match motion {
                Some(m) => m.followed[k],
                None => self.plan.inputs[k].start,
            }),
        }
    }

    /// From the communication point `from` to `from + step`, s.
    pub fn step(&mut self, from: f64, step: f64) -> Result<(), UnitError> {
        if self.mode != UnitMode::Stepping {
            return Err(self.wrong_order("a step", "after initialization, until the end"));
        }
        if !(step > 0.0 && step.is_finite()) {
            return Err(UnitError::refused(format!(
                "the communication step is {step} s, must be finite and greater than 0"
            )));
        }
        let (now, slack) = (self.time(), 1e-9 * (from.abs() + step));
        if !((from - now).abs() <= slack) {
            return Err(UnitError::refused(format!("the communication point is {from} s, and the unit is at {now} s")));
        }
        let end = from + step;
        if let Some(stop) = self.chosen.stop
            && !(end <= stop + slack)
        {
            return Err(UnitError::refused(format!("the step ends at {end} s, after the stop time {stop} s")));
        }
        if !(end > now) {
            return Err(UnitError::refused(format!("a step of {step} s is too short at {from} s")));
        }
        let Some(motion) = &mut self.motion else { return Err(UnitError::stopped("the unit was not initialized")) };
        motion.follow(&self.plan, &self.chosen, now, step);
        motion.go(end)
    }

    /// The mechanism, built if it must be.
    fn moving(&mut self) -> Result<&mut Motion, UnitError> {
        let motion = match self.motion.take() {
            Some(motion) => motion,
            None => Motion::build(&self.folder, &self.plan, &self.chosen)?,
        };
        Ok(self.motion.insert(motion))
    }

    /// Everything as it is.
    pub fn save(&self) -> SavedUnit {
        SavedUnit {
            token: self.plan.token.clone(),
            mode: self.mode,
            chosen: self.chosen.clone(),
            motion: self.motion.as_ref().map(Motion::save),
        }
    }

    /// Back to a state that was kept, with the same bits.
    pub fn restore(&mut self, saved: &SavedUnit) -> Result<(), UnitError> {
        let fits = saved.token == self.plan.token
            && saved.chosen.parameters.len() == self.plan.parameters.len()
            && saved.chosen.inputs.len() == self.plan.inputs.len();
        if !fits {
            return Err(UnitError::refused("the state belongs to another unit"));
        }
        match &saved.motion {
            None => self.motion = None,
            Some(kept) => {
                let usable = self.motion.take().filter(|m| m.built == kept.built);
                let mut motion = match usable {
                    Some(motion) => motion,
                    None => Motion::build(&self.folder, &self.plan, &kept.built)?,
                };
                motion.restore(&self.plan, kept)?;
                self.motion = Some(motion);
            }
        }
        self.chosen = saved.chosen.clone();
        self.mode = saved.mode;
        Ok(())
    }
}

/// What is chosen before anybody chooses.
fn beginning(plan: &UnitPlan) -> Chosen {
    Chosen {
        parameters: plan.parameters.iter().map(|p| p.start).collect(),
        inputs: vec![None; plan.inputs.len()],
        start: 0.0,
        stop: None,
        tolerance: None,
    }
}

fn is_motion(plan: &UnitPlan, k: usize) -> bool {
    matches!(plan.inputs[k].acts, InputKind::Drive { motion: true, .. })
}

/// Name of the force that an input adds.
fn force_name(plan: &UnitPlan, k: usize) -> String {
    format!("input {}", plan.inputs[k].variable.name)
}

impl Motion {
    fn build(folder: &Path, plan: &UnitPlan, chosen: &Chosen) -> Result<Motion, UnitError> {
        // only what differs is set, so that the others stay as they were written
        let set = plan.parameters.iter().zip(&chosen.parameters).filter(|(p, x)| !p.calculated && p.start != **x);
        let parameters = set.map(|(p, x)| (p.variable.name.clone(), *x)).collect();
        let loader = Loader { limits: plan.limits(), parameters, ..Loader::default() };
        let loaded = loader.load(&folder.join(SCENE_FILE)).map_err(Failure::from)?;
        let mut cells = Vec::new();
        let mut fields = Vec::new();
        for (input, set) in plan.inputs.iter().zip(&chosen.inputs) {
            let otherwise = match &input.acts {
                InputKind::Effort { .. } => 0.0,
                InputKind::Drive { drive, .. } => {
                    let found = loaded.scene.drives.iter().find(|d| *d.name == **drive).and_then(told);
                    let (field, function) = found.ok_or_else(|| gone("drive", drive))?;
                    fields.push((drive.as_str(), field, cells.len()));
                    function.at(0.0)[0]
                }
            };
            cells.push(InputCell::new(Arc::new(set.unwrap_or(otherwise))));
        }
        let scene =
            inputs::scene_with(&loaded.scene, fields.iter().map(|(name, field, k)| (*name, *field, &cells[*k])));
        let mut report = Report::new();
        let base = holonom_scene::build::build(&scene, &mut report).map(Arc::new);
        let base = base.ok_or_else(|| Failure::report(report, loaded.sources.clone()))?;
        let mut settings = RunSettings::gather(&RunChoices::default(), &loaded.scene, &base, None)?;
        if settings.dt.is_none() && chosen.tolerance.is_some() {
            settings.tolerance = chosen.tolerance;
        }
        let mut sim = fresh(plan, &settings, &base, &cells)?;
        if chosen.start != 0.0 {
            sim.state_mut().t = chosen.start;
            sim.project().map_err(|e| {
                UnitError::stopped(format!(
                    "the scene, which begins at 0 s, cannot be brought to {} s: {e}",
                    chosen.start
                ))
            })?;
            sim.reset_ledger();
        }
        let names: Vec<&str> = plan.outputs.iter().map(|o| o.name.as_str()).collect();
        // without patterns all usual quantities would be meant
        let names = if names.is_empty() { vec!["time"] } else { names };
        let quantities =
            Quantities::of_scene(&base, &loaded.scene, &names).map_err(|unknown| gone("quantity", &unknown.pattern))?;
        if quantities.len() != plan.outputs.len() + 1 {
            return Err(UnitError::stopped("the outputs are not those that the unit was made with"));
        }
        let probe = settings.simulation(sim.model())?;
        let followed = cells.iter().map(|c| c.at(chosen.start)[0]).collect();
        let row = vec![f64::NAN; quantities.len()];
        let run = RunLoop::begin(sim, settings, chosen.start, None)?;
        Ok(Motion {
            built: chosen.clone(),
            loaded,
            base,
            run,
            cells,
            followed,
            left_alone: false,
            quantities,
            probe,
            row,
            seen: false,
            incomplete: None,
        })
    }

    /// Inputs have changed: what was computed with others does not hold any more.
    fn touch(&mut self) {
        self.run.sim.state_mut();
        (self.left_alone, self.seen) = (false, false);
    }

    /// Lay the courses of prescribed motions for the step that begins now.
    fn follow(&mut self, plan: &UnitPlan, chosen: &Chosen, now: f64, step: f64) {
        let mut changed = false;
        for k in 0..self.cells.len() {
            let (last, value) = (self.followed[k], chosen.inputs[k].unwrap_or(self.followed[k]));
            self.followed[k] = value;
            if !is_motion(plan, k) {
                continue;
            }
            let present = self.cells[k].at(now);
            if value != last || present != [value, 0.0, 0.0] {
                let rate = (value - last) / step;
                self.cells[k].put(Some(InputCourse::towards(present, now, value, rate, step)));
                changed = true;
            }
        }
        if changed {
            self.touch();
        }
    }

    /// On to the next communication point.
    fn go(&mut self, end: f64) -> Result<(), UnitError> {
        self.run.go_on_to(end, self.left_alone);
        (self.left_alone, self.seen) = (false, false);
        while !self.run.arrived() {
            if let Err(e) = self.run.advance() {
                let diagnostic = stop::explain(&e, stop::moment(&e, &self.run), &self.run, &self.loaded.scene);
                return Err(Failure::diagnostic(diagnostic, &self.loaded.sources).into());
            }
        }
        self.left_alone = true;
        Ok(())
    }

    /// Read all outputs at the present state, once; why some of them are NaN.
    fn look(&mut self) -> Option<String> {
        if !self.seen {
            let model = self.run.sim.model();
            if !Arc::ptr_eq(model, self.probe.model()) {
                // a joint broke
                self.probe = match self.run.settings.simulation(model) {
                    Ok(probe) => probe,
                    Err(e) => return Some(e.text()),
                };
            }
            self.probe.state_mut().clone_from(self.run.sim.state());
            let read = self.quantities.read(&mut self.probe, &mut self.row);
            self.incomplete = read.err().map(|e| e.to_string());
            self.seen = true;
        }
        self.incomplete.clone()
    }

    fn save(&self) -> SavedMotion {
        let run = &self.run;
        let (uncut, uncut_at) = run.uncut.as_ref().map_or((Vec::new(), (0, 0)), |(s, i, n)| (s.to_bytes(), (*i, *n)));
        SavedMotion {
            built: self.built.clone(),
            courses: self.cells.iter().map(InputCell::course).collect(),
            followed: self.followed.clone(),
            left_alone: self.left_alone,
            base: run.base,
            index: run.index,
            steps: run.steps,
            uncut_at,
            broken: broken(&run.sim).map(|j| run.sim.model().joint_name(j).to_string()).collect(),
            state: run.sim.snapshot(),
            uncut,
        }
    }

    fn restore(&mut self, plan: &UnitPlan, kept: &SavedMotion) -> Result<(), UnitError> {
        let damaged = || UnitError::stopped("the state is damaged, or belongs to another unit");
        if kept.courses.len() != self.cells.len() || kept.followed.len() != self.cells.len() {
            return Err(damaged());
        }
        let model = self.run.sim.model().clone();
        let there: Vec<&str> = broken(&self.run.sim).map(|j| model.joint_name(j)).collect();
        if there != kept.broken {
            self.run.sim = fresh(plan, &self.run.settings, &self.base, &self.cells)?;
            for name in &kept.broken {
                let joint = self.run.sim.model().joint(name).ok_or_else(damaged)?;
                self.run.sim.break_joint(joint).map_err(|e| UnitError::stopped(format!("joint `{name}`: {e}")))?;
            }
        }
        for (cell, course) in self.cells.iter().zip(&kept.courses) {
            cell.put(*course);
        }
        let model = self.run.sim.model().clone();
        let read = |bytes: &[u8]| State::from_bytes(&model, bytes).map_err(|_| damaged());
        let uncut = if kept.uncut.is_empty() { None } else { Some(read(&kept.uncut)?) };
        self.run.sim.set_state(read(&kept.state)?);
        let run = &mut self.run;
        (run.base, run.index, run.steps) = (kept.base, kept.index, kept.steps);
        run.uncut = uncut.map(|state| (state, kept.uncut_at.0, kept.uncut_at.1));
        run.note_good();
        self.followed.clone_from(&kept.followed);
        (self.left_alone, self.seen) = (kept.left_alone, false);
        Ok(())
    }
}

/// The engine at the start of a model, pushed by the inputs that push.
fn fresh(
    plan: &UnitPlan,
    settings: &RunSettings,
    base: &Arc<Model>,
    cells: &[InputCell],
) -> Result<Simulation, UnitError> {
    let mut sim = settings.simulation(base)?;
    for (k, (input, cell)) in plan.inputs.iter().zip(cells).enumerate() {
        let InputKind::Effort { joint, index } = &input.acts else { continue };
        let id = sim.model().joint(joint).filter(|id| *index < sim.model().coordinate_kinds(*id).len());
        let id = id.ok_or_else(|| gone("joint", joint))?;
        inputs::add_effort(&mut sim, &force_name(plan, k), (id, *index), cell, f64::INFINITY)
            .map_err(|e| UnitError::stopped(format!("the input `{}`: {e}", input.variable.name)))?;
    }
    Ok(sim)
}

fn broken(sim: &Simulation) -> impl Iterator<Item = holonom::JointId> + '_ {
    let model = sim.model();
    model.joints().filter(|j| model.condition(*j) == JointCondition::Broken)
}

/// A thing that parameters have made to vanish.
fn gone(what: &str, name: &str) -> UnitError {
    UnitError::stopped(format!("with these parameters the scene has no {what} `{name}`, which the unit was made with"))
}

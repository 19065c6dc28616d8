//! Simulations: set up, stepped, set back.

use crate::errors::{raised, usage};
use crate::forces::{Added, Raised};
use crate::inputs::Inputs;
use crate::model::Model;
use crate::state::State;
use holonom::{JointCondition, Marker, Simulation as Engine, StepError, Vec3};
use holonom_run::{Failure, MotionLaw, RunChoices, RunLoop, RunSettings, stop};
use holonom_scene::{Loaded, Report};
use numpy::{IntoPyArray, PyArray1};
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::Instant;

/// A model in motion.
///
/// Options are those of the command: `integrator` (euler, rk4, dop853, sdirk4, rattle, stepping), `solver` (tree,
/// sparse, baraff, huge-pivot, auxiliary, dense, dense-kkt, banded, cg), `dt` (s; the integrator chooses unless given),
/// `tolerance`, `max_step` (s), `drift` (projection, once, feedback, none), `gap_tolerance` (of projection, m or rad),
/// `coordinates` (maximal, joint), `law` (dynamic, first-order). What is not said is decided by the scene, else by what
/// suits most.
///
/// Questions never change the motion. One simulation is used by one thread at a time.
#[pyclass(module = "holonom", subclass)]
pub(crate) struct Simulation {
    pub model: Py<Model>,
    /// The scene.
    pub loaded: Arc<Loaded>,
    /// The model that simulations of it start from: that of the scene, its drives made inputs where that was asked.
    base: Arc<holonom::Model>,
    pub run: RunLoop,
    /// Answers questions.
    probe: Option<Engine>,
    /// [`Inputs::changes`] that the run and the probe have seen.
    seen: (u64, u64),
    /// Nothing has touched the state since the last run ended.
    pub left_alone: bool,
    pub inputs: Inputs,
    pub added: Vec<Added>,
    pub raised: Raised,
}

/// What a step did: `step` (s), `error` relative to the tolerance, `evaluations`, attempts `rejected`, `residual` of
/// the equations (relative), largest `gap` (m or rad) and `gap_rate`, `dependent_rows`, joints `broken`, largest
/// `overlap` (m or rad), `contacts` that act, `events`.
#[pyclass(module = "holonom", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct StepReport {
    step: f64,
    error: Option<f64>,
    evaluations: usize,
    rejected: usize,
    residual: f64,
    gap: f64,
    gap_rate: f64,
    dependent_rows: usize,
    broken: usize,
    overlap: f64,
    contacts: usize,
    events: usize,
}

impl From<&holonom::StepReport> for StepReport {
    fn from(r: &holonom::StepReport) -> Self {
        StepReport {
            step: r.step,
            error: r.error,
            evaluations: r.evaluations,
            rejected: r.rejected,
            residual: r.residual.largest(),
            gap: r.gap,
            gap_rate: r.gap_rate,
            dependent_rows: r.rank_deficiency,
            broken: r.broken,
            overlap: r.overlap,
            contacts: r.contacts,
            events: r.events,
        }
    }
}

#[pymethods]
impl StepReport {
    fn __repr__(&self) -> String {
        let (step, gap, residual) = (self.step, self.gap, self.residual);
        format!("<holonom.StepReport: {step} s, largest gap {gap:.1e}, residual {residual:.1e}>")
    }
}

impl Simulation {
    /// The engine's simulation at the start: of the model as it is now, with all that was added.
    fn fresh(&self) -> PyResult<Engine> {
        let mut sim = self.run.settings.simulation(&self.base).map_err(raised)?;
        for added in &self.added {
            added.add(&mut sim)?;
        }
        Ok(sim)
    }

    /// Another model of the same scene in the place of the present one, in the present state.
    pub fn rebuild(&mut self) -> PyResult<()> {
        let model = self.built()?;
        let before = std::mem::replace(&mut self.base, model);
        let replaced = self.fresh().and_then(|mut sim| {
            carry_conditions(&self.run.sim, &mut sim)?;
            let bytes = self.run.sim.snapshot();
            sim.restore(&bytes).map_err(|e| usage(e.to_string()))?;
            Ok(sim)
        });
        match replaced {
            Ok(sim) => self.run.sim = sim,
            Err(e) => {
                self.base = before;
                return Err(e);
            }
        }
        Ok(())
    }

    /// The model of the scene with the inputs of this simulation.
    fn built(&self) -> PyResult<Arc<holonom::Model>> {
        let scene = self.inputs.scene(&self.loaded.scene);
        let mut report = Report::new();
        let model = holonom_scene::build::build(&scene, &mut report);
        model.map(Arc::new).ok_or_else(|| raised(Failure::report(report, self.loaded.sources.clone())))
    }

    /// Another engine of the model as it is now, at a copy of the state.
    pub fn another(&self) -> PyResult<Engine> {
        let mut sim = self.run.settings.simulation(self.run.sim.model()).map_err(raised)?;
        sim.state_mut().clone_from(self.run.sim.state());
        Ok(sim)
    }

    /// A simulation at a copy of the state, to ask: questions change nothing of the motion.
    pub fn probe(&mut self) -> &mut Engine {
        let (model, changes) = (self.run.sim.model(), self.inputs.changes());
        let usable = self.probe.take().filter(|p| Arc::ptr_eq(p.model(), model));
        // what this model was set up with before suits it still
        let mut probe = usable.unwrap_or_else(|| {
            let again = self.run.settings.simulation(model);
            again.unwrap_or_else(|_| Engine::new(model.clone()))
        });
        if self.seen.1 != changes || probe.state() != self.run.sim.state() {
            probe.state_mut().clone_from(self.run.sim.state());
            self.seen.1 = changes;
        }
        self.probe.insert(probe)
    }

    /// The state is about to be changed.
    pub fn touch(&mut self) {
        self.left_alone = false;
        self.refresh();
    }

    /// What was computed before an input changed does not hold any more.
    pub fn refresh(&mut self) {
        let changes = self.inputs.changes();
        if self.seen.0 != changes {
            self.seen.0 = changes;
            self.left_alone = false;
            self.run.sim.state_mut();
        }
    }

    /// Time has passed; the exception of a Python function if one raised any.
    pub fn after(&mut self) -> PyResult<()> {
        self.inputs.set_time(self.run.sim.time());
        self.raised.take().map_or(Ok(()), Err)
    }

    /// Why it cannot go on, as the command says it; a step of `dt` seconds, or adaptive steps.
    pub fn stopped(&mut self, e: &StepError, moment: Option<String>, dt: Option<f64>) -> PyErr {
        if let StepError::Invalid(reason) = e {
            return usage(reason.clone());
        }
        let kept = std::mem::replace(&mut self.run.settings.dt, dt);
        let moment = moment.unwrap_or_else(|| stop::moment(e, &self.run));
        let diagnostic = stop::explain(e, moment, &self.run, &self.loaded.scene);
        self.run.settings.dt = kept;
        raised(Failure::diagnostic(diagnostic, &self.loaded.sources))
    }

    /// A force of one's own, from now on.
    pub fn add(&mut self, added: Added) -> PyResult<()> {
        self.touch();
        added.add(&mut self.run.sim)?;
        self.added.push(added);
        Ok(())
    }

    fn edit(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut Engine, holonom::JointId) -> Result<holonom::Edited, holonom::ModelError>,
    ) -> PyResult<()> {
        self.touch();
        let id = crate::model::joint(self.run.sim.model(), name)?;
        change(&mut self.run.sim, id).map_err(|e| usage(e.to_string()))?;
        Ok(())
    }
}

/// Joints that are broken or locked in one are so in the other.
fn carry_conditions(from: &Engine, to: &mut Engine) -> PyResult<()> {
    let model = from.model().clone();
    for joint in model.joints() {
        let edited = match model.condition(joint) {
            JointCondition::Active => continue,
            JointCondition::Broken => to.break_joint(joint),
            JointCondition::Locked => to.lock_joint(joint),
        };
        edited.map_err(|e| usage(e.to_string()))?;
    }
    Ok(())
}

/// What was chosen of a run, by the names of the command's options.
fn choices(given: Option<&Bound<'_, PyDict>>) -> PyResult<RunChoices> {
    let mut choices = RunChoices::default();
    for (name, value) in given.into_iter().flat_map(|d| d.iter()) {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        match name.as_str() {
            "dt" => choices.dt = Some(value.extract()?),
            "tolerance" => choices.tolerance = Some(value.extract()?),
            "max_step" => choices.max_step = Some(value.extract()?),
            "integrator" => choices.integrator = Some(value.extract()?),
            "solver" => choices.solver = Some(value.extract()?),
            "drift" => choices.drift = Some(value.extract()?),
            "gap_tolerance" => choices.gap_tolerance = Some(value.extract()?),
            "coordinates" => choices.coordinates = Some(value.extract()?),
            "law" => {
                let law: String = value.extract()?;
                let known = MotionLaw::from_name(&law);
                choices.law =
                    Some(known.ok_or_else(|| crate::errors::unknown("law", &law, MotionLaw::NAMES.into_iter()))?);
            }
            _ => return Err(pyo3::exceptions::PyTypeError::new_err(format!("Simulation() has no option `{name}`"))),
        }
    }
    Ok(choices)
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (model, **options))]
    fn new(py: Python<'_>, model: Py<Model>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Simulation> {
        let choices = choices(options)?;
        let of = model.get();
        let (loaded, base) = (of.loaded.clone(), of.model.clone());
        let (run, time) = py
            .detach(|| {
                let settings = RunSettings::gather(&choices, &loaded.scene, &base, None)?;
                let sim = settings.simulation(&base)?;
                let time = sim.time();
                Ok((RunLoop::begin(sim, settings, time, None)?, time))
            })
            .map_err(raised)?;
        let raised = Raised::default();
        let inputs = Inputs::new(time);
        Ok(Simulation {
            model,
            loaded,
            base,
            run,
            probe: None,
            seen: (0, 0),
            left_alone: false,
            inputs,
            added: Vec::new(),
            raised,
        })
    }

    /// Its model.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<Model> {
        self.model.clone_ref(py)
    }

    /// Time, s. Set, it moves the clock alone: call `project()` where something depends on time.
    #[getter]
    fn time(&self) -> f64 {
        self.run.sim.time()
    }

    /// How it is run: law, integrator, solver, dt, tolerance, max_step, drift, gap_tolerance, coordinates.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let s = &self.run.settings;
        let dict = PyDict::new(py);
        dict.set_item("law", MotionLaw::NAMES[usize::from(s.law == MotionLaw::FirstOrder)])?;
        dict.set_item("integrator", &s.integrator)?;
        dict.set_item("solver", &s.solver)?;
        dict.set_item("dt", s.dt)?;
        dict.set_item("tolerance", s.tolerance)?;
        dict.set_item("max_step", s.max_step)?;
        dict.set_item("drift", &s.drift)?;
        dict.set_item("gap_tolerance", s.gap_tolerance)?;
        dict.set_item("coordinates", &s.coordinates)?;
        Ok(dict)
    }

    /// Take `count` steps of exactly `dt` seconds each (that of the settings unless given); what the last one did. On
    /// failure the state is as before the step that failed.
    #[pyo3(signature = (dt = None, count = 1))]
    fn step(&mut self, py: Python<'_>, dt: Option<f64>, count: u64) -> PyResult<StepReport> {
        let dt = match dt.or(self.run.settings.dt) {
            Some(dt) => dt,
            None => return Err(usage("the step is not known: give step(dt), or a `dt` to the simulation")),
        };
        if count == 0 {
            return Err(usage("count is 0, must be 1 or more"));
        }
        self.touch();
        let mut left = count;
        loop {
            let run = &mut self.run;
            let inputs = &self.inputs;
            let result = py.detach(|| {
                let begun = Instant::now();
                loop {
                    let report = run.fixed(dt)?;
                    left -= 1;
                    if left == 0 || begun.elapsed() >= crate::running::SLICE {
                        return Ok(report);
                    }
                    inputs.set_time(run.sim.time());
                }
            });
            self.after()?;
            match result {
                Ok(report) if left == 0 => return Ok(StepReport::from(&report)),
                Ok(_) => py.check_signals()?,
                Err(e) => return Err(self.stopped(&e, None, Some(dt))),
            }
        }
    }

    /// The state, a copy; set, an exact rollback.
    #[getter]
    fn state(&self) -> State {
        State { model: self.run.sim.model().clone(), state: self.run.sim.state().clone() }
    }

    #[setter]
    fn set_state(&mut self, state: &State) -> PyResult<()> {
        self.touch();
        if Arc::ptr_eq(&state.model, self.run.sim.model()) {
            self.run.sim.set_state(state.state.clone());
        } else {
            // of another model: it may fit all the same
            self.run.sim.restore(&state.state.to_bytes()).map_err(|e| usage(e.to_string()))?;
        }
        self.after()
    }

    /// The state as bytes: everything that is needed to go on with the same bits.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, pyo3::types::PyBytes> {
        pyo3::types::PyBytes::new(py, &self.run.sim.snapshot())
    }

    /// Back to a state that was saved, bit for bit.
    fn restore(&mut self, data: &[u8]) -> PyResult<()> {
        self.touch();
        self.run.sim.restore(data).map_err(|e| usage(e.to_string()))?;
        self.after()
    }

    /// Back to the start, joints mended; inputs and forces that were added stay.
    fn reset(&mut self) -> PyResult<()> {
        self.touch();
        let start = self.base.initial_state();
        if self.added.is_empty() && Arc::ptr_eq(self.run.sim.model(), &self.base) {
            self.run.sim.set_state(start.clone());
        } else {
            self.run.sim = self.fresh()?;
        }
        self.after()
    }

    #[setter]
    fn set_time(&mut self, time: f64) -> PyResult<()> {
        if !time.is_finite() {
            return Err(usage(format!("time is {time} s, must be finite")));
        }
        self.touch();
        self.run.sim.state_mut().t = time;
        self.after()
    }

    /// Bring a state that was changed by hand back onto the joints, by the nearest way in the metric of the masses.
    fn project(&mut self, py: Python<'_>) -> PyResult<()> {
        self.touch();
        let sim = &mut self.run.sim;
        let result = py.detach(|| sim.project());
        self.after()?;
        result.map_err(|e| crate::errors::answer_error(&e))
    }

    /// 64 bits over everything in the state as 16 digits, as the command prints them.
    fn hash(&self) -> String {
        format!("{:016x}", self.run.sim.state().hash())
    }

    /// Strike a body with an impulse (N s, world axes) at a point of its own (m).
    #[pyo3(signature = (body, impulse, at = [0.0; 3]), text_signature = "($self, body, impulse, at=(0.0, 0.0, 0.0))")]
    fn strike(&mut self, py: Python<'_>, body: &str, impulse: [f64; 3], at: [f64; 3]) -> PyResult<()> {
        crate::arrays::finite("impulse", &impulse)?;
        crate::arrays::finite("at", &at)?;
        self.touch();
        let marker: Marker = crate::model::body(self.run.sim.model(), body)?.at(at);
        let sim = &mut self.run.sim;
        let result = py.detach(|| sim.apply_impulses(&[(marker, Vec3::from_array(impulse))]));
        self.after()?;
        result.map_err(|e| crate::errors::answer_error(&e))
    }

    /// Open the energy ledger anew.
    fn reset_ledger(&mut self) {
        self.touch();
        self.run.sim.reset_ledger();
    }

    /// Let a joint hold nothing until it is mended.
    fn break_joint(&mut self, joint: &str) -> PyResult<()> {
        self.edit(joint, |sim, id| sim.break_joint(id))
    }

    /// Let a broken joint hold again.
    fn mend_joint(&mut self, joint: &str) -> PyResult<()> {
        self.edit(joint, |sim, id| sim.mend_joint(id))
    }

    /// Hold a joint as it stands.
    fn lock_joint(&mut self, joint: &str) -> PyResult<()> {
        self.edit(joint, |sim, id| sim.lock_joint(id))
    }

    /// Let a locked joint move again.
    fn unlock_joint(&mut self, joint: &str) -> PyResult<()> {
        self.edit(joint, |sim, id| sim.unlock_joint(id))
    }

    /// Accelerations of all velocity coordinates, m/s^2 and rad/s^2.
    fn accelerations<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = py.detach(|| self.probe().accelerations());
        self.after()?;
        Ok(found.map_err(|e| crate::errors::answer_error(&e))?.into_pyarray(py))
    }

    /// Another simulation of the same model in the same state, with inputs of its own.
    fn copy(&self, py: Python<'_>) -> PyResult<Simulation> {
        let settings = self.run.settings.clone();
        let run = settings.simulation(&self.base).and_then(|sim| RunLoop::begin(sim, settings, 0.0, None));
        let raised_there = Raised::default();
        let mut copy = Simulation {
            model: self.model.clone_ref(py),
            loaded: self.loaded.clone(),
            base: self.base.clone(),
            run: run.map_err(raised)?,
            probe: None,
            seen: (0, 0),
            left_alone: false,
            inputs: self.inputs.detached(),
            added: self.added.iter().map(|a| a.detached(&raised_there)).collect(),
            raised: raised_there,
        };
        if copy.inputs.any_drives() {
            copy.base = copy.built()?;
        }
        let mut sim = copy.fresh()?;
        carry_conditions(&self.run.sim, &mut sim)?;
        sim.restore(&self.run.sim.snapshot()).map_err(|e| usage(e.to_string()))?;
        copy.run.sim = sim;
        Ok(copy)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.model)?;
        self.added.iter().filter_map(Added::function).try_for_each(|f| visit.call(f))
    }

    fn __clear__(&mut self) {
        // the engine's forces hold the functions too
        self.added.clear();
        self.probe = None;
        self.run.sim = Engine::new(self.base.clone());
    }

    fn __repr__(&self) -> String {
        let (name, s) = (&self.model.get().name, &self.run.settings);
        format!(
            "<holonom.Simulation of {name} at t = {} s: {}, {}>",
            self.run.sim.time(),
            s.method(),
            s.steps_in_words()
        )
    }
}

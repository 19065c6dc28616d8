//! How a scene is run: what the command line says, else the snapshot that is resumed, else the scene, else what suits
//! most.

use crate::failure::Failure;
use crate::snapshot::Resume;
use holonom::{Coordinates, IntegratorKind, Model, Simulation, SolverKind, StepError};
use holonom_scene::Scene;
use holonom_scene::diagnostic::nearest;
use holonom_scene::scene::drift;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// End time where nobody says one, s.
const DEFAULT_TIME: f64 = 10.0;
/// Step of integrators that cannot choose one, s.
const DEFAULT_STEP: f64 = 1e-3;
/// Rows per second of a recording.
const DEFAULT_RATE: f64 = 100.0;

/// Which law moves the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MotionLaw {
    /// f = m a
    Dynamic,
    /// f = m v: without inertia
    #[serde(alias = "kinematic")]
    FirstOrder,
}

impl MotionLaw {
    /// The names there are.
    pub const NAMES: [&'static str; 2] = ["dynamic", "first-order"];

    /// The law of that name; `kinematic` is another name of `first-order`.
    pub fn from_name(name: &str) -> Option<MotionLaw> {
        match name {
            "dynamic" => Some(MotionLaw::Dynamic),
            "first-order" | "kinematic" => Some(MotionLaw::FirstOrder),
            _ => None,
        }
    }
}

/// What somebody chose of a run; what is left open is decided by the snapshot that is resumed, else by the scene, else
/// by what suits most.
#[derive(Clone, Debug, Default)]
pub struct RunChoices {
    /// End time, s.
    pub time: Option<f64>,
    /// Fixed step, s.
    pub dt: Option<f64>,
    /// Relative and absolute tolerance of adaptive steps.
    pub tolerance: Option<f64>,
    /// Law of motion.
    pub law: Option<MotionLaw>,
    /// Name of the integrator.
    pub integrator: Option<String>,
    /// Name of the solver.
    pub solver: Option<String>,
    /// Name of what is done about drift.
    pub drift: Option<String>,
    /// Of projection: how far joints may stay open, m or rad.
    pub gap_tolerance: Option<f64>,
    /// Name of the coordinates that are integrated.
    pub coordinates: Option<String>,
    /// Longest adaptive step, s.
    pub max_step: Option<f64>,
    /// Rows per second of recordings.
    pub rate: Option<f64>,
    /// What stands before the name of an option where a message names one: `--` on the command line.
    pub prefix: &'static str,
}

/// Everything that decides the motion, as it is kept in snapshots and recordings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Law of motion.
    pub law: MotionLaw,
    /// Name of the integrator.
    pub integrator: String,
    /// Fixed step, s; none where the integrator chooses.
    pub dt: Option<f64>,
    /// Name of the solver.
    pub solver: String,
    /// Tolerance of adaptive steps, where one was chosen.
    pub tolerance: Option<f64>,
    /// Longest adaptive step, s.
    pub max_step: Option<f64>,
    /// Name of what is done about drift.
    pub drift: String,
    /// Of projection: how far joints may stay open, m or rad; to rounding where nothing is said.
    pub gap_tolerance: Option<f64>,
    /// Of feedback against drift, 1/s^2.
    #[serde(default)]
    pub ks: Option<f64>,
    /// Of feedback against drift, 1/s.
    #[serde(default)]
    pub kd: Option<f64>,
    /// Name of the coordinates that are integrated.
    pub coordinates: String,
}

/// When, besides how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSchedule {
    /// End, s.
    pub end: f64,
    /// Rows per second.
    pub rate: f64,
}

impl RunSettings {
    /// From all that was said.
    pub fn gather(
        choices: &RunChoices,
        scene: &Scene,
        model: &Model,
        resume: Option<&Resume>,
    ) -> Result<RunSettings, Failure> {
        let (run, prefix) = (&scene.run, choices.prefix);
        let before = resume.map(|r| &r.settings);
        let law = match (choices.law, before, run.law.as_deref()) {
            (Some(law), ..) => law,
            (None, Some(s), _) => s.law,
            (None, None, Some("first-order")) => MotionLaw::FirstOrder,
            _ => MotionLaw::Dynamic,
        };
        let pick = |said: &Option<String>, kept: Option<&String>, scene: &Option<String>, usual: &str| {
            said.as_ref().or(kept).or(scene.as_ref()).map_or(usual.to_string(), String::clone)
        };
        let integrator = pick(
            &choices.integrator,
            before.map(|s| &s.integrator),
            &run.integrator,
            model.default_integrator().name(),
        );
        let integrator = if integrator == "implicit" { "sdirk4".to_string() } else { integrator };
        let names: Vec<&str> = IntegratorKind::NAMES.iter().copied().chain(["implicit"]).collect();
        known("integrator", &integrator, &names)?;
        let solver = pick(&choices.solver, before.map(|s| &s.solver), &run.solver, model.default_solver().name());
        known("solver", &solver, SolverKind::NAMES)?;
        if let Some(name) = &choices.drift {
            known("kind of drift correction", name, &["projection", "once", "feedback", "none"])?;
        }
        if let Some(gap) = choices.gap_tolerance {
            positive(prefix, "gap-tolerance", gap, "m or rad")?;
        }
        if let Some(name) = &choices.coordinates {
            known("kind of coordinates", name, &["maximal", "joint"])?;
        }
        if let Some(step) = choices.max_step {
            positive(prefix, "max-step", step, "s")?;
        }
        // an integrator of another kind makes its own choice of steps
        let same = before.filter(|s| s.integrator == integrator && s.law == law);
        let mut dt = choices.dt.or(match before {
            Some(_) => same.and_then(|s| s.dt),
            None => run.dt,
        });
        if dt.is_none() && (law == MotionLaw::FirstOrder || !matches!(integrator.as_str(), "dop853" | "sdirk4")) {
            dt = Some(DEFAULT_STEP);
        }
        if let Some(dt) = dt {
            positive(choices.prefix, "dt", dt, "s")?;
        }
        if let Some(tolerance) = choices.tolerance {
            if !(tolerance > 0.0 && tolerance < 1.0) {
                let message = format!("{prefix}tolerance is {tolerance}, must be greater than 0 and less than 1");
                return Err(Failure::input(message));
            }
            if dt.is_some() {
                let help = format!("leave {prefix}dt out, or choose {prefix}integrator dop853 or sdirk4");
                let message = format!("{prefix}tolerance is for adaptive steps, and the steps of this run are fixed");
                return Err(Failure::input(message).help(help));
            }
        }
        Ok(RunSettings {
            law,
            integrator,
            dt,
            solver,
            tolerance: choices.tolerance.or(before.map_or(run.tolerance, |s| s.tolerance)),
            max_step: choices.max_step.or(before.map_or(run.max_step, |s| s.max_step)),
            drift: pick(&choices.drift, before.map(|s| &s.drift), &run.drift, "projection"),
            gap_tolerance: choices.gap_tolerance.or(before.map_or(run.gap_tolerance, |s| s.gap_tolerance)),
            ks: before.map_or(run.ks, |s| s.ks),
            kd: before.map_or(run.kd, |s| s.kd),
            coordinates: pick(&choices.coordinates, before.map(|s| &s.coordinates), &run.coordinates, "maximal"),
        })
    }

    /// A simulation set up this way, at the start of its model.
    pub fn simulation(&self, model: &Arc<Model>) -> Result<Simulation, Failure> {
        let mut sim = Simulation::new(model.clone());
        let refused = |e: StepError| Failure::input(e.to_string());
        if let Some(kind) = SolverKind::from_name(&self.solver) {
            sim.set_solver(kind).map_err(refused)?;
        }
        let mut kind = IntegratorKind::from_name(&self.integrator).unwrap_or_default();
        if let Some(given) = self.tolerance
            && let IntegratorKind::Dop853 { relative, absolute } | IntegratorKind::Sdirk4 { relative, absolute } =
                &mut kind
        {
            (*relative, *absolute) = (given, given);
        }
        sim.set_integrator(kind);
        if let Some(max_step) = self.max_step {
            sim.set_max_step(max_step);
        }
        sim.set_drift(drift(Some(&self.drift), self.gap_tolerance, self.ks, self.kd));
        if self.coordinates == "joint" {
            sim.set_coordinates(Coordinates::Joint).map_err(refused)?;
        }
        Ok(sim)
    }

    /// What steps through time, by its name. The law f = m v has its own rule.
    pub fn method(&self) -> &str {
        if self.law == MotionLaw::FirstOrder { "midpoint" } else { &self.integrator }
    }

    /// For people.
    pub fn steps_in_words(&self) -> String {
        match self.dt {
            Some(dt) => format!("fixed step {dt} s"),
            None => "adaptive steps".into(),
        }
    }
}

impl RunSchedule {
    /// What was chosen, else what the scene says, else the usual.
    pub fn gather(choices: &RunChoices, scene: &Scene) -> Result<RunSchedule, Failure> {
        if let Some(t) = choices.time
            && !(t.is_finite() && t >= 0.0)
        {
            return Err(Failure::input(format!("{}time is {t} s, must be finite and not negative", choices.prefix)));
        }
        if let Some(rate) = choices.rate {
            positive(choices.prefix, "rate", rate, "rows per second")?;
        }
        Ok(RunSchedule {
            end: choices.time.or(scene.run.time).unwrap_or(DEFAULT_TIME),
            rate: choices.rate.or(scene.record.rate).unwrap_or(DEFAULT_RATE),
        })
    }
}

fn positive(prefix: &str, what: &str, value: f64, unit: &str) -> Result<(), Failure> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Failure::input(format!("{prefix}{what} is {value} {unit}, must be finite and greater than 0")))
}

fn known(what: &str, name: &str, names: &[&str]) -> Result<(), Failure> {
    if names.contains(&name) {
        return Ok(());
    }
    Err(Failure::input(format!("there is no {what} `{name}`"))
        .did_you_mean(nearest(name, names.iter().copied()))
        .help(format!("{what}s are {}", names.join(", "))))
}

//! How a scene is run: what the command line says, else the snapshot that is resumed, else the scene, else what suits
//! most.

use super::RunArgs;
use super::snapshot::Resume;
use crate::error::CliError;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MotionLaw {
    /// f = m a
    Dynamic,
    /// f = m v: without inertia
    #[value(alias = "kinematic")]
    #[serde(alias = "kinematic")]
    FirstOrder,
}

/// Everything that decides the motion, as it is kept in snapshots and recordings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunSettings {
    pub law: MotionLaw,
    pub integrator: String,
    /// Fixed step, s; none where the integrator chooses.
    pub dt: Option<f64>,
    pub solver: String,
    pub tolerance: Option<f64>,
    pub max_step: Option<f64>,
    pub drift: String,
    /// Of feedback against drift, 1/s^2 and 1/s.
    #[serde(default)]
    pub ks: Option<f64>,
    #[serde(default)]
    pub kd: Option<f64>,
    pub coordinates: String,
}

/// When, besides how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunSchedule {
    /// End, s.
    pub end: f64,
    /// Rows per second.
    pub rate: f64,
}

impl RunSettings {
    /// From all that was said.
    pub fn gather(
        args: &RunArgs,
        scene: &Scene,
        model: &Model,
        resume: Option<&Resume>,
    ) -> Result<RunSettings, CliError> {
        let run = &scene.run;
        let before = resume.map(|r| &r.settings);
        let law = match (args.law, before, run.law.as_deref()) {
            (Some(law), ..) => law,
            (None, Some(s), _) => s.law,
            (None, None, Some("first-order")) => MotionLaw::FirstOrder,
            _ => MotionLaw::Dynamic,
        };
        let pick = |said: &Option<String>, kept: Option<&String>, scene: &Option<String>, usual: &str| {
            said.as_ref().or(kept).or(scene.as_ref()).map_or(usual.to_string(), String::clone)
        };
        let integrator =
            pick(&args.integrator, before.map(|s| &s.integrator), &run.integrator, model.default_integrator().name());
        let integrator = if integrator == "implicit" { "sdirk4".to_string() } else { integrator };
        let names: Vec<&str> = IntegratorKind::NAMES.iter().copied().chain(["implicit"]).collect();
        known("integrator", &integrator, &names)?;
        let solver = pick(&args.solver, before.map(|s| &s.solver), &run.solver, model.default_solver().name());
        known("solver", &solver, SolverKind::NAMES)?;
        // an integrator of another kind makes its own choice of steps
        let same = before.filter(|s| s.integrator == integrator && s.law == law);
        let mut dt = args.dt.or(match before {
            Some(_) => same.and_then(|s| s.dt),
            None => run.dt,
        });
        if dt.is_none() && (law == MotionLaw::FirstOrder || !matches!(integrator.as_str(), "dop853" | "sdirk4")) {
            dt = Some(DEFAULT_STEP);
        }
        if let Some(dt) = dt {
            positive("--dt", dt, "s")?;
        }
        if let Some(tolerance) = args.tolerance {
            if !(tolerance > 0.0 && tolerance < 1.0) {
                let message = format!("--tolerance is {tolerance}, must be greater than 0 and less than 1");
                return Err(CliError::usage(message));
            }
            if dt.is_some() {
                let help = "leave --dt out, or choose --integrator dop853 or sdirk4";
                let message = "--tolerance is for adaptive steps, and the steps of this run are fixed";
                return Err(CliError::usage(message).help(help));
            }
        }
        Ok(RunSettings {
            law,
            integrator,
            dt,
            solver,
            tolerance: args.tolerance.or(before.map_or(run.tolerance, |s| s.tolerance)),
            max_step: before.map_or(run.max_step, |s| s.max_step),
            drift: pick(&None, before.map(|s| &s.drift), &run.drift, "projection"),
            ks: before.map_or(run.ks, |s| s.ks),
            kd: before.map_or(run.kd, |s| s.kd),
            coordinates: pick(&None, before.map(|s| &s.coordinates), &run.coordinates, "maximal"),
        })
    }

    /// A simulation set up this way, at the start of its model.
    pub fn simulation(&self, model: &Arc<Model>) -> Result<Simulation, CliError> {
        let mut sim = Simulation::new(model.clone());
        let refused = |e: StepError| CliError::usage(e.to_string());
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
        sim.set_drift(drift(Some(&self.drift), self.ks, self.kd));
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
    pub fn gather(args: &RunArgs, scene: &Scene) -> Result<RunSchedule, CliError> {
        if let Some(t) = args.time
            && !(t.is_finite() && t >= 0.0)
        {
            return Err(CliError::usage(format!("--time is {t} s, must be finite and not negative")));
        }
        if let Some(rate) = args.rate {
            positive("--rate", rate, "rows per second")?;
        }
        Ok(RunSchedule {
            end: args.time.or(scene.run.time).unwrap_or(DEFAULT_TIME),
            rate: args.rate.or(scene.record.rate).unwrap_or(DEFAULT_RATE),
        })
    }
}

fn positive(what: &str, value: f64, unit: &str) -> Result<(), CliError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(CliError::usage(format!("{what} is {value} {unit}, must be finite and greater than 0")))
}

fn known(what: &str, name: &str, names: &[&str]) -> Result<(), CliError> {
    if names.contains(&name) {
        return Ok(());
    }
    Err(CliError::usage(format!("there is no {what} `{name}`"))
        .did_you_mean(nearest(name, names.iter().copied()))
        .help(format!("{what}s are {}", names.join(", "))))
}

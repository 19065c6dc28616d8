//! `holonom bench`: how long one evaluation of the equations of motion takes.

mod case;
mod measure;
mod scene_steps;
mod steps;

use crate::Exit;
use crate::error::{self, CliError};
use crate::output::{ProgressLine, StandardOutput};
use crate::scene::{OpenedScene, SceneArgs, SceneOptions};
use crate::text::{Align, TextTable, significant};
use case::BenchCase;
use clap::builder::PossibleValuesParser;
use holonom::{IntegratorKind, SolverKind};
use holonom_cases::{PileCase, pile_case};
use scene_steps::{SceneStepTiming, StepOptions};
use serde::Serialize;
use std::collections::BTreeMap;
use steps::PileStepTiming;

/// Time one evaluation of the equations of motion.
///
/// State and forces in, all accelerations and multipliers out, on one thread. Two different states take turns, so that
/// nothing can be kept from one evaluation to the next. Phases are timed one by one in a run of their own and need not
/// add up to the whole: `jacobian` is bodies, forces and constraints. `error` is the largest deviation from reference
/// accelerations over the largest of them, or the scaled residual of all equations where there is no reference.
/// `auxiliary` is the whole evaluation again, with the joints that close loops solved for on top of a tree. `front` is
/// the largest dense block that loops make the direct solver work on, `fill` the size of its factors over that of the
/// matrix. Where shapes may touch, the whole evaluation also finds those that do and solves for the forces there; the
/// phases are those of the joints alone.
///
/// Of piles whole steps of 1 ms are timed, after 0.1 s to settle: fN is a wall of N bricks, every other course shifted
/// by 0.495 m; in fN-overhang it is 0.505 m, half a pitch, and the last brick of the top course must fall: its centre
/// lies 5 mm beyond its support. tower-N has its heaviest plate on top, 1000 times as heavy as the lowest. Of heaps
/// (heap-spheres-N, heap-boxes-N, heap-mixed-N: N bodies fall into a bin) every step of the first two seconds counts
/// once, 1/240 s each; `us_last` is the mean of the last half second.
///
/// With --steps whole steps of scenes are timed: the first second (at most 1000 steps) again and again, each with the
/// integrator, step, solver and drift of the scene unless said otherwise; every step at its fastest, and the mean of
/// these.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// Cases: aN ball chain, bN revolute chain, cN binary tree, dN star; with loops: eN ring, rN ring of hinges,
    /// ladder-N, fourbars-N, grid-N; piles, whole steps: fN wall of N bricks (N a square), fN-overhang, tower-N,
    /// heap-spheres-N, heap-boxes-N, heap-mixed-N. Or scenes: files (.toml, .urdf, .xml) and names of the gallery.
    /// Default: a list of cases.
    #[arg(value_name = "CASE|FILE")]
    cases: Vec<String>,
    /// Print one line of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// How the multipliers are computed. Default: tree, or sparse where there are loops.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SolverKind::NAMES))]
    solver: Option<String>,
    /// Relative residual at which the iterative solver `cg` stops. Default: 1e-13.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Time whole steps of scenes instead of evaluations.
    #[arg(long)]
    steps: bool,
    /// With --steps: another integrator than the scene's.
    #[arg(long, value_name = "NAME", requires = "steps", value_parser = PossibleValuesParser::new(IntegratorKind::NAMES))]
    integrator: Option<String>,
    /// With --steps: another step than the scene's, s. Default: that of the scene, or 1 ms.
    #[arg(long, value_name = "H", requires = "steps", allow_negative_numbers = true)]
    dt: Option<f64>,
    /// With --steps: how joints are kept closed, instead of as the scene says.
    #[arg(long, value_name = "NAME", requires = "steps", value_parser = PossibleValuesParser::new(["projection", "once", "feedback", "none"]))]
    drift: Option<String>,
    /// With --steps: how far joints may stay open after a projection, m or rad. Default: rounding.
    #[arg(long, value_name = "GAP", requires = "steps", allow_negative_numbers = true)]
    gap_tolerance: Option<f64>,
    /// With --steps: coordinates in which time is stepped, instead of those of the scene.
    #[arg(long, value_name = "NAME", requires = "steps", value_parser = PossibleValuesParser::new(["maximal", "joint"]))]
    coordinates: Option<String>,
    #[command(flatten)]
    options: SceneOptions,
}

/// What can be timed.
enum Subject {
    Case(BenchCase),
    Scene(Box<OpenedScene>),
    /// Of a pile whole steps are timed.
    Pile(String, PileCase),
}

/// What came of it.
enum Timed {
    Evaluation(EvaluationTiming),
    Steps(PileStepTiming),
    SceneStepTiming(SceneStepTiming),
}

impl Subject {
    fn parse(name: &str, solver: Option<SolverKind>, options: &SceneOptions) -> Result<Subject, CliError> {
        if let Some(pile) = pile_case(name) {
            steps::check(name, &pile)?;
            return Ok(Subject::Pile(name.to_string(), pile));
        }
        if !case::is_scene(name) {
            return BenchCase::parse(name, solver).map(Subject::Case);
        }
        let args = SceneArgs { scene: name.to_string(), options: options.clone() };
        Ok(Subject::Scene(Box::new(args.open()?)))
    }

    fn name(&self) -> String {
        match self {
            Subject::Case(case) => case.name(),
            Subject::Scene(opened) => opened.name.clone(),
            Subject::Pile(name, _) => name.clone(),
        }
    }

    fn measure(&self, solver: Option<SolverKind>, steps: Option<&StepOptions>) -> Result<Timed, CliError> {
        match (self, steps) {
            (Subject::Scene(opened), Some(options)) => {
                return scene_steps::measure(opened, options).map(Timed::SceneStepTiming);
            }
            (Subject::Case(case), Some(_)) => {
                let error = CliError::usage(format!("--steps is for scenes and piles, `{}` is a case", case.name()));
                return Err(error.help("name a scene, or leave --steps out"));
            }
            _ => {}
        }
        match self {
            Subject::Case(case) => measure::measure(case, solver).map(Timed::Evaluation),
            Subject::Scene(opened) => measure::measure_scene(opened, solver).map(Timed::Evaluation),
            Subject::Pile(name, pile) => steps::measure(name, pile).map(Timed::Steps),
        }
    }
}

/// What is timed where nothing is named.
const DEFAULT: &str = "a16 a128 a1024 a8192 b16 b128 b1024 b8192 c128 c1024 d127 d1023 e20 e40 r20 r40 ladder-64 ladder-640 fourbars-32 fourbars-320 grid-8 grid-32";

/// A time is worth nothing when the answer is off by more than this.
const TRUSTED: f64 = 1e-9;

/// One timed case. Times in microseconds, single evaluations.
#[derive(Debug, Serialize)]
struct EvaluationTiming {
    case: String,
    n: usize,
    rows: usize,
    us_min: f64,
    us_median: f64,
    ns_per_body: f64,
    us_jacobian: f64,
    us_factor: f64,
    us_solve: f64,
    /// A whole evaluation with the auxiliary method, for comparison: 0 without loops, null where it would take too
    /// long.
    us_auxiliary: Option<f64>,
    error: f64,
    /// Of an iterative solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<usize>,
    /// Largest front of the factorisation, rows; with loops only.
    #[serde(skip_serializing_if = "Option::is_none")]
    front: Option<usize>,
    /// Numbers in the factors over those in the matrix; with loops only.
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<f64>,
    /// The error is measured against reference accelerations; otherwise it is the scaled residual of all equations.
    #[serde(skip)]
    against_reference: bool,
    /// Counted operations of factor and solve, where they are counted.
    #[serde(skip)]
    flops: Option<f64>,
}

/// The answer.
#[derive(Debug, Serialize)]
struct BenchReport {
    cases: Vec<EvaluationTiming>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<PileStepTiming>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scene_steps: Vec<SceneStepTiming>,
    exponents: BTreeMap<String, f64>,
    time_exponents: BTreeMap<String, f64>,
}

/// Run the command.
pub(crate) fn run(args: &BenchArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let by_name = |name: &String| {
        SolverKind::from_name(name).ok_or_else(|| CliError::usage(format!("no solver called `{name}`")))
    };
    let mut solver = args.solver.as_ref().map(by_name).transpose()?;
    if let Some(given) = args.tolerance {
        match &mut solver {
            Some(SolverKind::Cg { tolerance, .. }) if given > 0.0 && given < 1.0 => *tolerance = given,
            Some(SolverKind::Cg { .. }) => {
                return Err(CliError::usage(format!("--tolerance is {given}, must be greater than 0 and less than 1")));
            }
            _ => return Err(CliError::usage("--tolerance is for --solver cg".to_string())),
        }
    }
    if let Some(dt) = args.dt.filter(|dt| !(dt.is_finite() && *dt > 0.0)) {
        return Err(CliError::usage(format!("--dt is {dt} s, must be finite and greater than 0")));
    }
    let integrator = args.integrator.as_deref().and_then(IntegratorKind::from_name);
    let (drift, gap_tolerance, coordinates) = (args.drift.clone(), args.gap_tolerance, args.coordinates.clone());
    let how = StepOptions { integrator, dt: args.dt, solver, drift, gap_tolerance, coordinates };
    let options = args.steps.then_some(how);
    let names: Vec<&str> = if args.cases.is_empty() {
        DEFAULT.split(' ').collect()
    } else {
        args.cases.iter().map(String::as_str).collect()
    };
    // every mistake is reported before the first measurement
    let parse = |name| Subject::parse(name, solver, &args.options);
    let cases = names.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;

    let progress = ProgressLine::new();
    let (mut timings, mut evaluated) = (Vec::new(), Vec::new());
    let (mut steps, mut scene_steps) = (Vec::new(), Vec::new());
    for (k, case) in cases.iter().enumerate() {
        progress.show(&format!("timing {} ({} of {})", case.name(), k + 1, cases.len()));
        match case.measure(solver, options.as_ref())? {
            Timed::Evaluation(timing) => {
                timings.push(timing);
                evaluated.push(case);
            }
            Timed::Steps(timing) => steps.push(timing),
            Timed::SceneStepTiming(timing) => scene_steps.push(timing),
        }
    }
    drop(progress);
    // whoever asks for less gets it
    let trusted = args.tolerance.map_or(TRUSTED, |_| f64::INFINITY);
    for t in timings.iter().filter(|t| !(t.error <= trusted)) {
        let (case, error) = (&t.case, t.error);
        error::warn(&format!("case `{case}`: the answer is wrong, error {error:.1e} (allowed {TRUSTED:.0e})"));
    }

    let exponents = fit(&evaluated, &timings, |t| t.flops);
    let time_exponents = fit(&evaluated, &timings, |t| Some(t.us_min));
    let report = BenchReport { cases: timings, steps, scene_steps, exponents, time_exponents };
    if args.json {
        out.json(&report)?
    } else {
        out.write(&text(&report, solver))?
    }
    Ok(Exit::Ok)
}

/// Slope of log(value) over log(n) for every family with at least two sizes, by least squares.
fn fit(
    cases: &[&Subject],
    timings: &[EvaluationTiming],
    value: impl Fn(&EvaluationTiming) -> Option<f64>,
) -> BTreeMap<String, f64> {
    let mut points: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for (case, timing) in cases.iter().zip(timings) {
        if let (Subject::Case(case), Some(value)) = (case, value(timing).filter(|v| *v > 0.0)) {
            points.entry(case.family.name()).or_default().push(((timing.n as f64).ln(), value.ln()));
        }
    }
    points.into_iter().filter_map(|(family, points)| Some((family, slope(&points)?))).collect()
}

/// `None` when all abscissas are the same.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (sxx, sxy) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + (p.0 - x) * (p.0 - x), b + (p.0 - x) * (p.1 - y)));
    (sxx > 1e-12).then(|| sxy / sxx)
}

fn text(report: &BenchReport, solver: Option<SolverKind>) -> String {
    let mut parts = Vec::new();
    if !report.cases.is_empty() {
        parts.push(text_of_evaluations(report, solver));
    }
    if !report.steps.is_empty() {
        parts.push(text_of_steps(&report.steps));
    }
    if !report.scene_steps.is_empty() {
        parts.push(text_of_scene_steps(&report.scene_steps));
    }
    parts.join("\n")
}

fn text_of_steps(steps: &[PileStepTiming]) -> String {
    let right = Align::Right;
    let table = TextTable::of(
        steps,
        &[
            ("case", Align::Left, &|t| t.case.clone()),
            ("bodies", right, &|t| t.n.to_string()),
            ("contacts", right, &|t| t.contacts.to_string()),
            ("dt s", right, &|t| significant(t.dt, 4)),
            ("min us", right, &|t| significant(t.us_min, 4)),
            ("median us", right, &|t| significant(t.us_median, 4)),
            ("mean us", right, &|t| significant(t.us_mean, 4)),
            ("last us", right, &|t| t.us_last.map_or("-".to_string(), |us| significant(us, 4))),
            ("sink m", right, &|t| format!("{:.1e}", t.sink)),
            ("creep m", right, &|t| format!("{:.1e}", t.creep)),
            ("overlap m", right, &|t| format!("{:.1e}", t.overlap)),
        ],
    );
    format!("One step of 1 ms, settled (heaps: 1/240 s, falling), one thread, integrator stepping.\n\n{}", table.text())
}

fn text_of_scene_steps(steps: &[SceneStepTiming]) -> String {
    let right = Align::Right;
    let table = TextTable::of(
        steps,
        &[
            ("scene", Align::Left, &|t| t.scene.clone()),
            ("bodies", right, &|t| t.n.to_string()),
            ("rows", right, &|t| t.rows.to_string()),
            ("integrator", Align::Left, &|t| t.integrator.to_string()),
            ("solver", Align::Left, &|t| t.solver.to_string()),
            ("dt s", right, &|t| t.dt.to_string()),
            ("steps", right, &|t| format!("{} x {}", t.passages, t.steps)),
            ("min us", right, &|t| significant(t.us_min, 4)),
            ("median us", right, &|t| significant(t.us_median, 4)),
            ("steps/s", right, &|t| format!("{:.0}", 1e6 / t.us_min)),
            ("gap", right, &|t| format!("{:.1e}", t.gap)),
        ],
    );
    format!("One step: the mean over a passage of every step at its fastest; one thread.\n\n{}", table.text())
}

fn text_of_evaluations(report: &BenchReport, solver: Option<SolverKind>) -> String {
    let right = Align::Right;
    let us = |x| significant(x, 4);
    let none = || "-".to_string();
    let table = TextTable::of(
        &report.cases,
        &[
            ("case", Align::Left, &|t| t.case.clone()),
            ("bodies", right, &|t| t.n.to_string()),
            ("rows", right, &|t| t.rows.to_string()),
            ("min us", right, &|t| us(t.us_min)),
            ("median us", right, &|t| us(t.us_median)),
            ("ns/body", right, &|t| format!("{:.1}", t.ns_per_body)),
            ("jacobian us", right, &|t| us(t.us_jacobian)),
            ("factor us", right, &|t| us(t.us_factor)),
            ("solve us", right, &|t| us(t.us_solve)),
            ("auxiliary us", right, &|t| t.us_auxiliary.map_or_else(none, us)),
            ("front", right, &|t| t.front.map_or_else(none, |rows| rows.to_string())),
            ("fill", right, &|t| t.fill.map_or_else(none, |fill| significant(fill, 3))),
            ("error", right, &|t| format!("{:.1e}", t.error)),
            ("against", Align::Left, &|t| if t.against_reference { "reference" } else { "residual" }.to_string()),
        ],
    );
    let list = |map: &BTreeMap<String, f64>| {
        let parts: Vec<String> = map.iter().map(|(family, e)| format!("{family} {e:.3}")).collect();
        if parts.is_empty() { "none (needs two sizes of a family)".to_string() } else { parts.join(", ") }
    };
    let per_body: Vec<String> =
        report.cases.iter().filter_map(|t| Some(format!("{} {:.0}", t.case, t.flops? / t.n as f64))).collect();
    let solver = solver.map_or("tree, or sparse where there are loops", SolverKind::name);
    let mut text = format!("One evaluation, one thread, solver {solver}.\n\n{}\n", table.text());
    if !per_body.is_empty() {
        text += &format!(
            "The same on every machine: counted operations per body {}; exponent of the count over n: {}.\n",
            per_body.join(", "),
            list(&report.exponents)
        );
    }
    text + &format!("Of this machine: exponent of the time over n: {}.\n", list(&report.time_exponents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_power_law_is_its_exponent() {
        let points: Vec<(f64, f64)> =
            [16.0f64, 128.0, 1024.0].iter().map(|n| (n.ln(), (3.0 * n.powf(1.5)).ln())).collect();
        assert!((slope(&points).expect("two sizes") - 1.5).abs() < 1e-12);
        assert_eq!(slope(&points[..1]), None);
        assert_eq!(slope(&[points[0], points[0]]), None);
    }
}

//! `holonom run`: through time, with a recording if one is wanted, and a summary at the end.

mod contacts;
mod events;
mod lines;
mod peaks;
pub(crate) mod progress_bar;
mod record;
pub(crate) mod summary;

use crate::Exit;
use crate::check::beyond_at_the_start;
use crate::error::{CliError, to_stderr, warn};
use crate::interrupt::Interrupt;
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::{OpenedScene, SceneArgs, stem, unknown_quantity};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use contacts::ContactTotals;
use events::EventStream;
use holonom::StepError;
use holonom_run::{MotionLaw, Resume, RunChoices, RunLoop, RunSchedule, RunSettings, RunStatistics, snapshot, stop};
use holonom_scene::source::Span;
use holonom_scene::{Diagnostic, Quantities};
use progress_bar::ProgressBar;
use record::Recorder;
use std::path::{Path, PathBuf};
use summary::RunResult;

/// Most rows of a recording whose times do not follow the steps.
const MOST_ROWS: f64 = 1e9;

/// Run a scene through time.
///
/// What the command line does not say is taken from [run] and [record] of the scene. Ctrl-C ends the run early and
/// keeps everything until then.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:\n  holonom run pendulum\n  holonom run crane.toml --time 30 --out crane.parquet\n  \
    holonom run crane.toml --set L=2 --dt 1e-3 --columns 'hook.pos.*,energy.*' --out crane.csv\n  \
    holonom run crane.toml --time 5 --snapshot at5.snap\n  holonom run crane.toml --from at5.snap --time 10")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// End time, s [default: that of the scene, or 10]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub time: Option<f64>,
    /// Fixed step, s [default: the integrator chooses]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub dt: Option<f64>,
    /// Relative tolerance of adaptive steps, and absolute one relative to the size of the mechanism [default: that of
    /// the scene, or 1e-10 with dop853 and 1e-8 with sdirk4]
    #[arg(long, value_name = "TOL", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Law of motion: f = m a, or f = m v (no inertia: bodies follow forces until they balance)
    #[arg(long, value_parser = law_names())]
    pub law: Option<MotionLaw>,
    /// euler, rk4, dop853, sdirk4 (implicit), rattle, stepping [default: dop853, or stepping where many shapes may
    /// touch]
    #[arg(long, value_name = "NAME")]
    pub integrator: Option<String>,
    /// tree, sparse, baraff, huge-pivot, auxiliary, dense, dense-kkt, banded, cg [default: tree, or sparse with loops]
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// How joints are kept closed: projection, once, feedback, none [default: that of the scene, or projection]
    #[arg(long, value_name = "NAME")]
    pub drift: Option<String>,
    /// How far joints may stay open after a projection, m or rad [default: rounding]
    #[arg(long, value_name = "GAP", allow_hyphen_values = true)]
    pub gap_tolerance: Option<f64>,
    /// Coordinates in which time is stepped: maximal, or joint (rk4, dop853, euler) [default: that of the scene, or
    /// maximal]
    #[arg(long, value_name = "NAME")]
    pub coordinates: Option<String>,
    /// Go on from a snapshot, with the same bits as if there had been no interruption
    #[arg(long, value_name = "SNAPSHOT")]
    from: Option<PathBuf>,
    /// With --from: take a snapshot of the same parts with other numbers as a start, and close its joints anew
    #[arg(long, requires = "from")]
    reassemble: bool,
    /// Write the last state to a file to go on from
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// Record to a .csv, .parquet or .hrec file; `-` is CSV on standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Rows per second of the recording [default: that of the scene, or 100]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// What to record: names of quantities, `*` stands for anything, e.g. 'crank.pos.*,energy.*'
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// Every contact at every row of the recording, one by one, as lines of JSON
    #[arg(long, value_name = "FILE", requires = "out")]
    contacts: Option<PathBuf>,
    /// What happens and when: touches that begin and end, impacts with their impulses, slips, sensors, as lines of JSON
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Replace files of --out, --contacts and --events that are there already
    #[arg(long, short)]
    force: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    json: bool,
    /// No summary and no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Do rows go to standard output?
fn to_standard_output(args: &RunArgs) -> bool {
    args.out.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

/// The names of [`MotionLaw`], with what they mean.
fn law_names() -> impl TypedValueParser<Value = MotionLaw> {
    let [dynamic, first_order] = MotionLaw::NAMES;
    let names = [
        PossibleValue::new(dynamic).help("f = m a"),
        PossibleValue::new(first_order).alias("kinematic").help("f = m v: without inertia"),
    ];
    // nothing else comes through the list
    PossibleValuesParser::new(names).map(|name| MotionLaw::from_name(&name).unwrap_or(MotionLaw::Dynamic))
}

impl RunArgs {
    /// What was said of how to run.
    fn choices(&self) -> RunChoices {
        RunChoices {
            time: self.time,
            dt: self.dt,
            tolerance: self.tolerance,
            law: self.law,
            integrator: self.integrator.clone(),
            solver: self.solver.clone(),
            drift: self.drift.clone(),
            gap_tolerance: self.gap_tolerance,
            coordinates: self.coordinates.clone(),
            rate: self.rate,
            prefix: "--",
            ..RunChoices::default()
        }
    }
}

pub(crate) fn run(args: &RunArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if args.json && to_standard_output(args) {
        let error = CliError::usage("--out - and --json both write to standard output");
        return Err(error.help("name a file with --out, or leave --json out"));
    }
    let mut opened = args.scene.open()?;
    let resume = args.from.as_ref().map(|path| Resume::read(path, &opened, args.reassemble)).transpose()?;
    let (mut run, schedule) = set_up(args, &opened, resume.as_ref())?;
    check_snapshot_target(args.snapshot.as_deref())?;
    for path in [&args.out, &args.contacts, &args.events].into_iter().flatten() {
        refuse_existing(path, args.force)?;
    }
    let mut recorder = recorder(args, &opened, &run, resume.as_ref(), schedule)?;
    opened.lighten();

    let mut events = args.events.as_deref().map(|path| EventStream::begin(path, &mut run)).transpose()?;
    let mut statistics = RunStatistics::begin(&mut run.sim);
    let stopped = step_to_end(&mut run, &mut statistics, recorder.as_mut(), events.as_mut(), args)?;
    events.map(EventStream::finish).transpose()?;
    let interrupted = stopped.is_none() && !run.arrived();
    let ending = match &stopped {
        Some(e) => format!("stopped: {e}"),
        None if interrupted => format!("interrupted at t = {} s", run.sim.time()),
        None => "end of time reached".to_string(),
    };
    let certified = format!("{ending}; {}", summary::certificate(&statistics.worst));
    let recording = recorder.map(|r| r.finish(&run, &certified)).transpose()?;
    if let Some(e) = stopped {
        return Err(failed(&e, run, statistics.broken > 0, &opened, args, recording.as_ref()));
    }
    if let Some(path) = &args.snapshot {
        snapshot::take(&run, &opened).write(path)?;
    }
    let warnings = statistics.warnings(&run.sim);
    if let Some(line) = &warnings {
        warn(&format!("{line}; `--strict` stops there"));
    }
    let scene = &opened.loaded.scene;
    let result = RunResult {
        scene: &opened.name,
        title: &scene.title,
        // where forces cannot be computed the motion was good all the same
        contacts: ContactTotals::of(&mut run.sim).ok().flatten(),
        run,
        statistics,
        interrupted,
        integrator_by_default: args.integrator.is_none() && resume.is_none() && scene.run.integrator.is_none(),
        recording,
        snapshot: args.snapshot.as_ref().map(|path| path.display().to_string()),
        warnings,
    };
    if args.json {
        result.write_json(out)?;
    } else if !args.quiet {
        let text = result.text();
        // where rows go to standard output, the summary must not follow them
        if to_standard_output(args) { to_stderr(&text) } else { out.write(&text)? }
    }
    Ok(Exit::Ok)
}

/// The loop at its first step, and when it ends.
fn set_up(args: &RunArgs, opened: &OpenedScene, resume: Option<&Resume>) -> Result<(RunLoop, RunSchedule), CliError> {
    let scene = &opened.loaded.scene;
    let choices = args.choices();
    let settings = RunSettings::gather(&choices, scene, &opened.model, resume)?;
    let order = holonom_scene::remarks::unheard_order(scene, &opened.model, settings.method());
    let through = holonom_scene::remarks::through_the_ground(scene, &opened.model);
    let sanity = holonom_scene::sanity::remarks(&opened.loaded, &opened.model);
    let remarks = holonom_scene::remarks::unfelt_gravity(scene).into_iter().chain(order).chain(through).chain(sanity);
    remarks.for_each(|remark| warn(&remark));
    if resume.is_none() {
        beyond_at_the_start(&opened.model).iter().for_each(|what| warn(what.trim_end_matches('.')));
    }
    let schedule = RunSchedule::gather(&choices, scene)?;
    let sim = settings.simulation(&opened.model)?;
    let run = RunLoop::begin(sim, settings, schedule.end, resume)?;
    run.moved.iter().for_each(|moved| warn(moved));
    Ok((run, schedule))
}

/// Step until the end or Ctrl-C; the error where a step failed.
fn step_to_end(
    run: &mut RunLoop,
    statistics: &mut RunStatistics,
    mut recorder: Option<&mut Recorder>,
    mut events: Option<&mut EventStream>,
    args: &RunArgs,
) -> Result<Option<StepError>, CliError> {
    let interrupt = Interrupt::watch();
    let (strict, mut progress) = (args.scene.options.strict, ProgressBar::new(run.begun_at, run.end, args.quiet));
    let mut stopped = None;
    while stopped.is_none() && !run.arrived() && !interrupt.asked() {
        match run.advance() {
            Ok(report) => {
                statistics.after_step(&mut run.sim, &report);
                if strict {
                    stopped = statistics.worst.strict(run.sim.model(), run.sim.drift()).err();
                }
                if stopped.is_none() && statistics.finds_good(&run.sim) {
                    run.note_good();
                }
                if let Some(recorder) = &mut recorder {
                    recorder.after_step(run, &report)?;
                }
                if let Some(events) = &mut events {
                    events.after_step(&mut run.sim)?;
                }
                progress.show(run.sim.time(), statistics.steps);
            }
            Err(e) => stopped = Some(e),
        }
    }
    statistics.end(&mut run.sim);
    Ok(stopped)
}

/// The quantities asked for: by the command line, else by the scene, else the usual ones.
fn columns(args: &RunArgs, opened: &OpenedScene) -> Result<Quantities, CliError> {
    let scene = &opened.loaded.scene;
    let said: Vec<(&str, Option<Span>)> = if args.columns.is_empty() {
        scene.record.columns.iter().map(|(name, span)| (name.as_str(), Some(*span))).collect()
    } else {
        args.columns.iter().map(|name| (name.trim(), None)).collect()
    };
    let patterns: Vec<&str> = said.iter().map(|(name, _)| *name).collect();
    Quantities::of_scene(&opened.model, scene, &patterns)
        .map_err(|unknown| unknown_quantity(&unknown, said[unknown.index].1, &opened.loaded, "--columns"))
}

/// The recording, if one is wanted; names of columns are checked in any case.
fn recorder(
    args: &RunArgs,
    opened: &OpenedScene,
    run: &RunLoop,
    resume: Option<&Resume>,
    schedule: RunSchedule,
) -> Result<Option<Recorder>, CliError> {
    let Some(path) = &args.out else {
        if !(args.columns.is_empty() && opened.loaded.scene.record.columns.is_empty()) {
            columns(args, opened)?;
        }
        return Ok(None);
    };
    let mut quantities = columns(args, opened)?;
    if quantities.reduced() {
        warn(&format!(
            "{} bodies are too many to record everything: only the energies are recorded; --columns says what else",
            opened.model.n_bodies()
        ));
    }
    let rows = (run.end - run.sim.time()) * schedule.rate;
    if run.settings.dt.is_none() && rows > MOST_ROWS {
        return Err(CliError::limit(format!(
            "--rate {} would make {rows:.1e} rows, at most {MOST_ROWS:.0e}",
            schedule.rate
        ))
        .help("record at a lower --rate"));
    }
    if quantities.has_reactions() && opened.model.has_loops() {
        // which loads are unique depends on the pose; the one at the start speaks for all
        let doctor = run.settings.simulation(&opened.model)?;
        if let Ok(diagnosis) = doctor.diagnose() {
            quantities.mark_not_unique(&diagnosis, doctor.solver());
        }
    }
    let sampling = match (run.settings.dt, run.sim.samples_steps()) {
        (Some(_), _) => "at the steps nearest to multiples of 1/rate",
        (None, true) => "at multiples of 1/rate, from the dense output of the integrator",
        (None, false) => "at the first step after each multiple of 1/rate",
    };
    let metadata = serde_json::json!({
        "program": format!("holonom {}", env!("CARGO_PKG_VERSION")),
        "scene": opened.name,
        "title": opened.loaded.scene.title,
        "set": args.scene.options.settings(),
        "settings": run.settings,
        "rate": schedule.rate,
        "sampling": sampling,
        "from": resume.map(|r| r.time),
    });
    let first = resume.map_or_else(|| run.sim.state(), |r| r.now());
    let stream = args.contacts.as_deref().map(contacts::ContactStream::create).transpose()?;
    Recorder::begin(path, quantities, stream, run, first, schedule.rate, &metadata).map(Some)
}

/// A snapshot that could not be written at the end of a long run is found out at its start.
fn check_snapshot_target(path: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = path else { return Ok(()) };
    if path.is_dir() {
        return Err(CliError::usage(format!("--snapshot `{}` is a folder; name a file", path.display())));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(CliError::usage(format!("--snapshot: there is no folder `{}`", folder.display()))
            .help("make it first, or write to another one"));
    }
    Ok(())
}

/// The message of a run that stopped; its last good state is saved.
fn failed(
    e: &StepError,
    mut run: RunLoop,
    broken: bool,
    opened: &OpenedScene,
    args: &RunArgs,
    finished: Option<&record::RecordingEnd>,
) -> CliError {
    if let StepError::Invalid(reason) = e {
        return CliError::usage(reason.clone());
    }
    let moment = stop::moment(e, &run);
    if !broken {
        run.return_to_good();
    }
    let mut d: Diagnostic = stop::explain(e, moment, &run, &opened.loaded.scene);
    let name = match &args.out {
        Some(out) if !to_standard_output(args) => {
            out.with_file_name(format!("{}.failed.snap", stem(&out.display().to_string())))
        }
        _ => PathBuf::from(format!("{}.failed.snap", stem(&opened.name))),
    };
    let saved = match snapshot::take(&run, opened).write(&name) {
        Ok(()) => format!("last good state (t = {:.6} s) written to {}", run.sim.time(), name.display()),
        Err(e) => format!("the last good state could not be saved: {e}"),
    };
    d = d.note("note", saved);
    if let Some(f) = finished {
        d = d.note("note", format!("{} rows until then are in {}", f.file.rows, f.file.path.display()));
    }
    CliError::diagnostic(d, &opened.loaded.sources)
}

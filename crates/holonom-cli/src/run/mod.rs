//! `holonom run`: through time, with a recording if one is wanted, and a summary at the end.

mod contacts;
mod journey;
pub(crate) mod progress;
mod record;
pub(crate) mod settings;
mod snapshot;
pub(crate) mod stop;
pub(crate) mod summary;
mod track;

use crate::Exit;
use crate::failure::{Failure, warn};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::scene::{Opened, SceneArgs, stem, unknown_quantity};
use contacts::Touching;
use holonom::StepError;
use holonom_scene::source::Span;
use holonom_scene::{Diagnostic, Quantities};
use journey::Journey;
use progress::Progress;
use record::Recorder;
use settings::{Law, Schedule, Settings};
use snapshot::Resume;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use summary::{Final, Summary};
use track::Track;

/// Most rows of a recording whose times do not follow the steps.
const MOST_ROWS: f64 = 1e9;

/// Run a scene through time.
///
/// What the command line does not say is taken from [run] and [record] of the scene. Ctrl-C ends the run early and keeps everything until then.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom run pendulum\n  holonom run crane.toml --time 30 --out crane.parquet\n  \
    holonom run crane.toml --set L=2 --dt 1e-3 --columns 'hook.pos.*,energy.*' --out crane.csv\n  \
    holonom run crane.toml --time 5 --snapshot at5.snap\n  holonom run crane.toml --from at5.snap --time 10")]
pub(crate) struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// End time, s [default: that of the scene, or 10]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub time: Option<f64>,
    /// Fixed step, s [default: the integrator chooses]
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub dt: Option<f64>,
    /// Law of motion: f = m a, or f = m v (no inertia: bodies follow forces until they balance)
    #[arg(long)]
    pub law: Option<Law>,
    /// euler, rk4, dop853, sdirk4 (implicit), rattle, stepping [default: dop853, or stepping where many shapes may touch]
    #[arg(long, value_name = "NAME")]
    pub integrator: Option<String>,
    /// tree, sparse, baraff, huge-pivot, auxiliary, dense, dense-kkt, banded, cg [default: tree, or sparse with loops]
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Go on from a snapshot, with the same bits as if there had been no interruption
    #[arg(long, value_name = "SNAPSHOT")]
    from: Option<PathBuf>,
    /// Write the last state to a file to go on from
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// Record to a .csv, .parquet or .hrec file
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
    /// One JSON object as the last line of standard output
    #[arg(long)]
    json: bool,
    /// No summary and no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let mut opened = args.scene.open()?;
    let scene = &opened.loaded.scene;
    let resume = args.from.as_ref().map(|path| Resume::read(path, &opened.model)).transpose()?;
    let settings = Settings::gather(args, scene, &opened.model, resume.as_ref())?;
    let by_default = args.integrator.is_none() && resume.is_none() && scene.run.integrator.is_none();
    if settings.law == Law::Kinematic && opened.model.has_sides() {
        warn("the law f = m v knows no contacts, limits and friction: bodies pass through each other");
    }
    let schedule = Schedule::gather(args, scene)?;
    let sim = settings.simulation(&opened.model)?;
    let mut journey = Journey::begin(sim, settings, schedule.end, resume.as_ref())?;
    let begun_at = resume.as_ref().map_or(journey.sim.time(), |r| r.time);
    check_target(args.snapshot.as_deref())?;
    let mut recorder = match &args.out {
        Some(path) => Some(recorder(path, args, &opened, &journey, resume.as_ref(), schedule)?),
        None => {
            if !(args.columns.is_empty() && scene.record.columns.is_empty()) {
                columns(args, &opened)?; // mistakes are mistakes, also while nothing is recorded
            }
            None
        }
    };
    opened.lighten();

    let interrupt = Interrupt::watch();
    let mut track = Track::begin(&mut journey.sim);
    let mut progress = Progress::new(begun_at, schedule.end, args.quiet);
    let mut stopped = None;
    while !journey.arrived() && !interrupt.asked() {
        match journey.advance() {
            Ok(report) => {
                track.after_step(&mut journey.sim, &report);
                if track.finds_good(&journey.sim) {
                    journey.note_good();
                }
                if let Some(recorder) = &mut recorder {
                    recorder.after_step(&mut journey, &report)?;
                }
                progress.show(journey.sim.time(), track.steps);
            }
            Err(e) => {
                stopped = Some(e);
                break;
            }
        }
    }
    track.end();
    drop(progress);
    let interrupted = stopped.is_none() && !journey.arrived();
    let ending = match (&stopped, interrupted) {
        (Some(e), _) => format!("stopped: {e}"),
        (None, true) => format!("interrupted at t = {} s", journey.sim.time()),
        (None, false) => "end of time reached".to_string(),
    };
    let finished = recorder.map(|r| r.finish(&journey, &ending)).transpose()?;
    if let Some(e) = stopped {
        return Err(failed(&e, journey, track.broken > 0, &opened, args, finished.as_ref()));
    }
    if let Some(path) = &args.snapshot {
        snapshot::take(&journey, &opened.name).write(path)?;
    }
    let snapshot = args.snapshot.as_ref().map(|p| p.display().to_string());
    // where forces cannot be had the motion was good all the same
    let touching = Touching::of(&mut journey.sim).ok().flatten();
    if !args.quiet && !args.json {
        let title = &opened.loaded.scene.title;
        let text = summary::text(
            &opened.name,
            title,
            &journey,
            &track,
            begun_at,
            interrupted,
            finished.as_ref(),
            snapshot.as_deref(),
            touching.as_ref(),
            by_default,
        );
        out.write(&text)?;
    }
    if args.json {
        let drift = track.energy_drift(&journey.sim);
        let (hash, time) = (journey.sim.state().hash(), journey.sim.time());
        let (bodies, rows) = (journey.sim.model().n_bodies(), journey.sim.model().n_rows());
        let solver = journey.sim.solver().name();
        let sim = RefCell::new(journey.sim);
        out.json(&Summary {
            scene: &opened.name,
            time,
            steps: track.steps,
            bodies,
            rows,
            wall_s: track.wall,
            us_per_step: 1e6 * track.wall / track.steps.max(1) as f64,
            real_time_factor: (time - begun_at) / track.wall,
            max_gap: track.max_gap,
            max_gap_rate: track.max_gap_rate,
            max_penetration: track.max_overlap,
            contacts: touching.as_ref().map_or(0, |t| t.points),
            largest_contact_force: touching.as_ref().map_or(0.0, |t| t.largest),
            events: track.events,
            energy_start: track.start.total(),
            energy_end: track.now.total(),
            energy_drift: drift,
            hash: format!("{hash:016x}"),
            solver,
            integrator: journey.settings.method(),
            integrator_by_default: by_default,
            law: journey.settings.law,
            dt: journey.settings.dt,
            rejected: track.rejected,
            evaluations: track.evaluations,
            broken: track.broken,
            interrupted,
            out: finished.as_ref().map(|f| f.path.display().to_string()),
            out_rows: finished.as_ref().map(|f| f.rows),
            snapshot,
            last: Final::of(&sim),
        })?;
    }
    Ok(Exit::Ok)
}

/// The quantities asked for: by the command line, else by the scene, else the usual ones.
fn columns(args: &Args, opened: &Opened) -> Result<Quantities, Failure> {
    let scene = &opened.loaded.scene;
    let said: Vec<(&str, Option<Span>)> = if args.columns.is_empty() {
        scene.record.columns.iter().map(|(name, span)| (name.as_str(), Some(*span))).collect()
    } else {
        args.columns.iter().map(|name| (name.trim(), None)).collect()
    };
    let patterns: Vec<&str> = said.iter().map(|(name, _)| *name).collect();
    Quantities::of_scene(&opened.model, scene, &patterns)
        .map_err(|unknown| unknown_quantity(&unknown, said[unknown.index].1, &opened.loaded))
}

fn recorder(
    path: &Path,
    args: &Args,
    opened: &Opened,
    journey: &Journey,
    resume: Option<&Resume>,
    schedule: Schedule,
) -> Result<Recorder, Failure> {
    let mut quantities = columns(args, opened)?;
    if quantities.reduced() {
        warn(&format!(
            "{} bodies are too many to record everything: only the energies are recorded; --columns says what else",
            opened.model.n_bodies()
        ));
    }
    let rows = (journey.end - journey.sim.time()) * schedule.rate;
    if journey.settings.dt.is_none() && rows > MOST_ROWS {
        return Err(Failure::limit(format!(
            "--rate {} would make {rows:.1e} rows, at most {MOST_ROWS:.0e}",
            schedule.rate
        ))
        .help("record at a lower --rate"));
    }
    if quantities.has_reactions() && opened.model.has_loops() {
        // which loads are unique depends on the pose; the one at the start speaks for all
        let mut doctor = journey.settings.simulation(&opened.model)?;
        if let Ok(diagnosis) = doctor.diagnose() {
            quantities.mark_not_unique(&diagnosis);
        }
    }
    let sampling = match (journey.settings.dt, journey.sim.samples_steps()) {
        (Some(_), _) => "at the steps nearest to multiples of 1/rate",
        (None, true) => "at multiples of 1/rate, from the dense output of the integrator",
        (None, false) => "at the first step after each multiple of 1/rate",
    };
    let metadata = serde_json::json!({
        "program": format!("holonom {}", env!("CARGO_PKG_VERSION")),
        "scene": opened.name,
        "title": opened.loaded.scene.title,
        "set": args.scene.options.set,
        "settings": journey.settings,
        "rate": schedule.rate,
        "sampling": sampling,
        "from": resume.map(|r| r.time),
    });
    let first = resume.map_or_else(|| journey.sim.state(), |r| r.now());
    let stream = args.contacts.as_deref().map(contacts::Stream::create).transpose()?;
    Recorder::begin(path, quantities, stream, journey, first, schedule.rate, &metadata)
}

/// A snapshot that could not be written at the end of a long run is found out at its start.
fn check_target(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    if path.is_dir() {
        return Err(Failure::usage(format!("--snapshot `{}` is a folder; name a file", path.display())));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::usage(format!("--snapshot: there is no folder `{}`", folder.display()))
            .help("make it first, or write to another one"));
    }
    Ok(())
}

/// The message of a run that stopped; its last good state is saved.
fn failed(
    e: &StepError,
    mut journey: Journey,
    broken: bool,
    opened: &Opened,
    args: &Args,
    finished: Option<&holonom_record::Finished>,
) -> Failure {
    if let StepError::Invalid(reason) = e {
        return Failure::usage(reason.clone());
    }
    let moment = stop::moment(e, &journey);
    if !broken {
        journey.return_to_good();
    }
    let mut d: Diagnostic = stop::explain(e, moment, &journey, opened);
    let name = match &args.out {
        Some(out) => out.with_file_name(format!("{}.failed.snap", stem(&out.display().to_string()))),
        None => PathBuf::from(format!("{}.failed.snap", stem(&opened.name))),
    };
    let saved = match snapshot::take(&journey, &opened.name).write(&name) {
        Ok(()) => format!("last good state (t = {:.6} s) written to {}", journey.sim.time(), name.display()),
        Err(e) => format!("the last good state could not be saved: {e}"),
    };
    d = d.note("note", saved);
    if let Some(f) = finished {
        d = d.note("note", format!("{} rows until then are in {}", f.rows, f.path.display()));
    }
    Failure::diagnostic(d, &opened.loaded.sources)
}

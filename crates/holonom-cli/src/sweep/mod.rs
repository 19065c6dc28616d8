//! `holonom sweep`: all runs of a study on all cores, kept one by one, and a table at the end.

mod progress;

use crate::Exit;
use crate::error::{CliError, warn};
use crate::interrupt::Interrupt;
use crate::output::StandardOutput;
use crate::run::progress_bar::duration;
use crate::text::{plural, significant};
use holonom_record::DataTable;
use holonom_study::{Study, Sweep, SweepFiles};
use progress::SweepProgress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Run a study: a scene many times, with other values.
///
/// Every finished run is kept at once. Started again after whatever ended it, a sweep makes the runs that are missing.
/// A run that fails is a row of the table with its error.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  holonom sweep heights.toml\n  holonom sweep heights.toml --jobs 8 -o out/heights\n  \
    holonom plot heights.csv --y peak --x height"
)]
pub(crate) struct SweepArgs {
    /// A study (.toml): scene, factors, outcomes
    study: PathBuf,
    /// Runs at the same time [default: one for each core]
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Name of the tables, NAME.csv and NAME.parquet, and of the rows so far, NAME.sweep [default: that of the study,
    /// in this folder]
    #[arg(long, short = 'o', value_name = "NAME")]
    out: Option<PathBuf>,
    /// Begin anew: forget the rows and replace the tables that are there
    #[arg(long, short)]
    force: bool,
    /// Let study and scene read files from another folder
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,
    /// Only read the study, and say what would be run
    #[arg(long)]
    dry_run: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    json: bool,
    /// No summary and no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The object of `sweep --json`.
#[derive(Serialize)]
struct SweepSummary {
    study: String,
    scene: String,
    scene_hash: String,
    runs: u64,
    finished: u64,
    failed: u64,
    /// Rows that were there before.
    resumed: u64,
    interrupted: bool,
    jobs: usize,
    wall_s: f64,
    runs_per_s: f64,
    journal: String,
    csv: Option<String>,
    parquet: Option<String>,
    outcomes: BTreeMap<String, OutcomeRange>,
    /// Codes of errors, and how many runs ended with each.
    errors: BTreeMap<String, u64>,
}

/// What an outcome came to over all runs.
#[derive(Serialize)]
struct OutcomeRange {
    unit: String,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    /// Runs for which there is no number.
    missing: u64,
}

pub(crate) fn run(args: &SweepArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let study = Arc::new(Study::read(&args.study, &args.allow_path)?);
    if args.dry_run {
        return dry_run(&study, args, out);
    }
    let base = match &args.out {
        Some(base) if base.is_dir() => base.join(crate::scene::stem(&args.study.display().to_string())),
        Some(base) => base.clone(),
        None => PathBuf::from(crate::scene::stem(&args.study.display().to_string())),
    };
    let files = SweepFiles::named(&base);
    // the study itself must not be written over
    if [&files.csv, &files.parquet, &files.journal].iter().any(|f| same_file(f, &args.study)) {
        return Err(CliError::usage(format!("-o {}: that is the study", base.display())));
    }
    let mut sweep = Sweep::begin(study.clone(), files, args.force)?;
    if sweep.lost > 0 {
        warn(&format!(
            "{} at the end of `{}` were of a row that was not whole; it is made again",
            plural(sweep.lost as usize, "byte", "bytes"),
            sweep.files().journal.display()
        ));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).max(1);
    let begun = Instant::now();
    let interrupted = make(&mut sweep, jobs, args.quiet)?;
    let wall = begun.elapsed().as_secs_f64();
    let all = sweep.finished == study.runs();
    let table = if all { sweep.write()? } else { sweep.table()? };
    let summary = summary(&study, &sweep, &table, args, (jobs, wall), interrupted, all);
    if args.json {
        out.json(&summary)?;
    } else if !args.quiet {
        out.write(&text(&summary, &table))?;
    }
    // a study of which nothing came is no success
    Ok(if all && summary.failed == summary.runs { Exit::Numerical } else { Exit::Ok })
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Make the missing runs; true when somebody asked for an end before.
fn make(sweep: &mut Sweep, jobs: usize, quiet: bool) -> Result<bool, CliError> {
    let (interrupt, stop, over) = (Interrupt::watch(), AtomicBool::new(false), AtomicBool::new(false));
    let mut progress = SweepProgress::new(sweep.finished, sweep.study.runs(), quiet);
    let made = std::thread::scope(|scope| {
        // signals are noticed also while a run takes long
        let (asked, stop_of, over_of) = (&interrupt, &stop, &over);
        scope.spawn(move || {
            while !over_of.load(Ordering::Relaxed) {
                if asked.asked() {
                    stop_of.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        let made = sweep.run(jobs, &stop, |sweep| progress.show(sweep.finished, sweep.failed));
        over.store(true, Ordering::Relaxed);
        made
    });
    made?;
    Ok(interrupt.asked())
}

fn dry_run(study: &Study, args: &SweepArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if args.json {
        let settings: Vec<Vec<String>> = (0..study.runs().min(1000)).map(|run| study.settings(run)).collect();
        out.json(&serde_json::json!({"scene": study.scene, "runs": study.runs(), "settings": settings}))?;
        return Ok(Exit::Ok);
    }
    let mut text = format!("{:<12} {}\n{:<12} {}\n", "scene", study.scene, "runs", study.runs());
    const SHOWN: u64 = 20;
    for run in 0..study.runs().min(SHOWN) {
        text += &format!("{run:<12} {}\n", study.settings(run).join("  "));
    }
    if study.runs() > SHOWN {
        text += &format!("{:<12} and {} more\n", "", study.runs() - SHOWN);
    }
    out.write(&text)?;
    Ok(Exit::Ok)
}

fn summary(
    study: &Study,
    sweep: &Sweep,
    table: &DataTable,
    args: &SweepArgs,
    (jobs, wall): (usize, f64),
    interrupted: bool,
    all: bool,
) -> SweepSummary {
    let files = sweep.files();
    let mut errors = BTreeMap::new();
    let texts = |name: &str| table.column(name).and_then(|c| c.as_texts()).unwrap_or_default();
    for (status, code) in texts("status").iter().zip(texts("code")) {
        if status == "failed" {
            *errors.entry(if code.is_empty() { "other".to_string() } else { code.clone() }).or_insert(0) += 1;
        }
    }
    let outcomes = study.outcomes.all().iter().map(|o| {
        let values = table.column(&o.name).and_then(|c| c.as_numbers()).unwrap_or_default();
        let known: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        let some = |x: f64| (!known.is_empty()).then_some(x);
        let range = OutcomeRange {
            unit: o.unit.clone(),
            min: some(known.iter().copied().fold(f64::INFINITY, f64::min)),
            max: some(known.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            mean: some(known.iter().sum::<f64>() / known.len().max(1) as f64),
            missing: (values.len() - known.len()) as u64,
        };
        (o.name.clone(), range)
    });
    let table_name = |path: &Path| all.then(|| path.display().to_string());
    SweepSummary {
        study: args.study.display().to_string(),
        scene: study.scene.clone(),
        scene_hash: study.scene_hash().to_string(),
        runs: study.runs(),
        finished: sweep.finished,
        failed: sweep.failed,
        resumed: sweep.resumed,
        interrupted,
        jobs,
        wall_s: wall,
        runs_per_s: (sweep.finished - sweep.resumed) as f64 / wall,
        journal: files.journal.display().to_string(),
        csv: table_name(&files.csv),
        parquet: table_name(&files.parquet),
        outcomes: outcomes.collect(),
        errors,
    }
}

/// Lines for people.
fn text(s: &SweepSummary, table: &DataTable) -> String {
    let made = s.finished - s.resumed;
    let resumed = if s.resumed > 0 { format!(", {} of them before", s.resumed) } else { String::new() };
    let failed = if s.failed > 0 { format!(", {} failed", s.failed) } else { String::new() };
    let mut lines = vec![
        ("study", s.study.clone()),
        ("scene", format!("{} ({})", s.scene, s.scene_hash)),
        ("runs", format!("{} of {}{resumed}{failed}", s.finished, s.runs)),
        (
            "wall time",
            format!(
                "{} with {}, {} runs/s",
                duration(s.wall_s),
                plural(s.jobs, "thread", "threads"),
                if made > 0 { significant(s.runs_per_s, 3) } else { "-".into() }
            ),
        ),
    ];
    for (code, n) in &s.errors {
        let texts = |name: &str| table.column(name).and_then(|c| c.as_texts()).unwrap_or_default();
        let first =
            texts("code").iter().zip(texts("message")).position(|(c, m)| c == code || code == "other" && !m.is_empty());
        let example =
            first.map_or(String::new(), |k| format!(": run {}: {}", table_run(table, k), texts("message")[k]));
        lines.push(("failed", format!("{n} with {code}{example}")));
    }
    for (name, o) in &s.outcomes {
        let missing = if o.missing > 0 { format!(" ({} without a number)", o.missing) } else { String::new() };
        let range = match (o.min, o.max, o.mean) {
            (Some(min), Some(max), Some(mean)) => {
                let [min, max, mean] = [min, max, mean].map(|x| significant(x, 5));
                let unit = if o.unit == "1" { "" } else { &o.unit };
                format!("{name}: {min} to {max} {unit}, mean {mean}{missing}")
            }
            _ => format!("{name}: no number"),
        };
        lines.push(("outcome", range));
    }
    match (&s.csv, &s.parquet) {
        (Some(csv), Some(parquet)) => lines.push(("table", format!("{csv}, {parquet}"))),
        _ => lines.push(("kept", format!("{}: start it again to go on", s.journal))),
    }
    lines.iter().map(|(label, value)| format!("{label:<12} {value}\n")).collect()
}

/// The number of the run in a row.
fn table_run(table: &DataTable, row: usize) -> u64 {
    table.column("run").and_then(|c| c.as_numbers()).and_then(|n| n.get(row)).map_or(0, |n| *n as u64)
}

//! `holonom info RUN` and `holonom recover RUN`: what a recording or snapshot holds, and a whole one from what a crash
//! left.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::text::{Align, TextTable, size};
use holonom_record::{Description, Ending, Existing, RecordError, RecordingReader, Snapshot, describe, recover};
use holonom_scene::quantities::usual_unit;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Say what a recording or a snapshot holds.
#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {
    /// A .csv, .parquet, .hrec or .snap file
    run: PathBuf,
    /// Also the smallest and largest value of every column
    #[arg(long)]
    ranges: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Make a whole recording from what a crash left.
#[derive(Debug, clap::Args)]
pub(crate) struct RecoverArgs {
    /// The file the run was to make (run.csv), or the stream it left (run.csv.hrec)
    run: PathBuf,
    /// What to make; the name says the format [default: the file the run was to make]
    target: Option<PathBuf>,
    /// Replace the target if it is there
    #[arg(long)]
    force: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Columns shown; a large model has thousands.
const MOST_SHOWN: usize = 60;

pub(crate) fn info(args: &InfoArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if args.run.extension().is_some_and(|e| e.eq_ignore_ascii_case("snap")) {
        return snapshot(args, out);
    }
    let d = describe(&args.run).map_err(|e| not_a_recording(e, &args.run))?;
    let ranges = if args.ranges { Some(ranges(&d.path)?) } else { None };
    if args.json {
        out.json(&data(&d, ranges.as_deref()))?;
        return Ok(Exit::Ok);
    }
    out.write(&heading(&d))?;
    out.write(&format!("\n{}", column_table(&d, ranges.as_deref()).text()))?;
    if d.columns.len() > MOST_SHOWN {
        out.write(&format!("... and {} more\n", d.columns.len() - MOST_SHOWN))?;
    }
    Ok(Exit::Ok)
}

/// What is known of the recording as a whole, line by line.
fn heading(d: &Description) -> String {
    let mut lines = vec![
        ("file", format!("{} ({:?}, {})", d.path.display(), d.format, size(d.bytes))),
        ("rows", d.rows.to_string()),
        ("time", d.time.map_or("none".into(), |(a, b)| format!("{a} s to {b} s"))),
        ("ending", ending(&d.ending, d.lost_bytes)),
    ];
    if let Ok(meta) = serde_json::from_str::<Value>(&d.metadata) {
        let text = |key: &str| meta[key].as_str().filter(|s| !s.is_empty()).map(str::to_string);
        lines.extend(text("scene").map(|s| ("scene", s)));
        lines.extend(text("title").map(|s| ("title", s)));
        if let Value::Object(settings) = &meta["settings"] {
            let shown = settings.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| match v {
                Value::String(s) => format!("{k} {s}"),
                v => format!("{k} {v}"),
            });
            lines.push(("settings", shown.collect::<Vec<_>>().join(", ")));
        }
        lines.extend(text("sampling").map(|s| ("sampling", s)));
        lines.extend(text("program").map(|s| ("program", s)));
    }
    for blob in &d.blobs {
        lines.push(("also", format!("{} at t = {} s ({})", blob.kind, blob.time, size(blob.bytes))));
    }
    if let Some(stream) = &d.left_stream {
        lines.push((
            "left over",
            format!("{}: rows of a run that was not finished; `holonom recover` reads them", stream.display()),
        ));
    }
    lines.push(("columns", d.columns.len().to_string()));
    lines.iter().map(|(label, value)| format!("{label:<10} {value}\n")).collect()
}

fn column_table(d: &Description, ranges: Option<&[(f64, f64)]>) -> TextTable {
    let mut head = vec![("column", Align::Left), ("unit", Align::Left)];
    if ranges.is_some() {
        head.extend([("smallest", Align::Right), ("largest", Align::Right)]);
    }
    head.push(("note", Align::Left));
    let mut table = TextTable::new(&head);
    for (i, c) in d.columns.iter().enumerate().take(MOST_SHOWN) {
        let unit = if c.unit.is_empty() { usual_unit(&c.name) } else { &c.unit };
        let mut row = vec![c.name.clone(), unit.to_string()];
        if let Some(r) = ranges {
            row.extend([format!("{:.6e}", r[i].0), format!("{:.6e}", r[i].1)]);
        }
        row.push(c.note.clone());
        table.row(row);
    }
    table
}

fn ranges(path: &Path) -> Result<Vec<(f64, f64)>, CliError> {
    let recording = RecordingReader::open(path)?;
    let mut all = Vec::new();
    for i in 0..recording.columns().len() {
        let values = recording.column_at(i)?;
        let least = values.iter().copied().fold(f64::NAN, f64::min);
        all.push((least, values.iter().copied().fold(f64::NAN, f64::max)));
    }
    Ok(all)
}

fn data(d: &Description, ranges: Option<&[(f64, f64)]>) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let columns = d.columns.iter().enumerate().map(|(i, c)| {
        let mut v = json!({"name": c.name, "unit": c.unit, "note": c.note});
        if let Some(r) = ranges {
            (v["min"], v["max"]) = (number(r[i].0), number(r[i].1));
        }
        v
    });
    json!({
        "file": d.path.display().to_string(),
        "format": format!("{:?}", d.format).to_lowercase(),
        "bytes": d.bytes,
        "rows": d.rows,
        "time": d.time.map(|(a, b)| [a, b]),
        "complete": d.complete,
        "ending": ending(&d.ending, d.lost_bytes),
        "lost_bytes": d.lost_bytes,
        "columns": columns.collect::<Vec<_>>(),
        "metadata": serde_json::from_str(&d.metadata).unwrap_or(Value::Null),
        "left_stream": d.left_stream.as_ref().map(|p| p.display().to_string()),
    })
}

fn ending(ending: &Ending, lost: u64) -> String {
    let lost = if lost > 0 { format!("; {} at its end cannot be used", size(lost)) } else { String::new() };
    match ending {
        Ending::Closed { reason } if reason.is_empty() => format!("complete{lost}"),
        Ending::Closed { reason } => format!("complete: {reason}{lost}"),
        Ending::Torn => format!("not closed: the run was stopped, or is still going on{lost}"),
        Ending::Damaged { offset, reason } => format!("damaged at byte {offset}: {reason}{lost}"),
    }
}

fn snapshot(args: &InfoArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let s = Snapshot::read(&args.run)?;
    let kept: Value = serde_json::from_str(&s.settings).unwrap_or(Value::Null);
    if args.json {
        out.json(&json!({
            "file": args.run.display().to_string(),
            "format": "snapshot",
            "scene": s.scene,
            "time": s.time,
            "fingerprint": format!("{:016x}", s.fingerprint),
            "names": s.names,
            "settings": kept,
        }))?;
        return Ok(Exit::Ok);
    }
    let how = &kept["settings"];
    let text = |v: &Value| v.as_str().unwrap_or("?").to_string();
    out.write(&format!(
        "file       {} (snapshot, {})\nscene      {}\ntime       {} s, after {} steps\nsettings   integrator {}, solver {}, {}\n",
        args.run.display(),
        size(s.state.len() as u64),
        s.scene,
        s.time,
        kept["steps"],
        text(&how["integrator"]),
        text(&how["solver"]),
        how["dt"].as_f64().map_or("adaptive steps".to_string(), |dt| format!("dt {dt} s")),
    ))?;
    out.write(&format!("\nGo on from here:  holonom run {} --from {} --time T\n", s.scene, args.run.display()))?;
    Ok(Exit::Ok)
}

pub(crate) fn recover_run(args: &RecoverArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let r = recover(&args.run, args.target.as_deref(), existing).map_err(|e| match e {
        RecordError::Exists { .. } => CliError::record(&e).help("--force replaces it"),
        e => not_a_recording(e, &args.run),
    })?;
    if args.json {
        out.json(&json!({
            "target": r.target.display().to_string(),
            "source": r.source.display().to_string(),
            "source_kept": r.source_kept,
            "rows": r.rows,
            "time": r.time.map(|(a, b)| [a, b]),
            "ending": ending(&r.ending, 0),
            "lost_bytes": r.lost_bytes,
        }))?;
        return Ok(Exit::Ok);
    }
    let span = r.time.map_or(String::new(), |(a, b)| format!(", t = {a} s to {b} s"));
    let lost =
        if r.lost_bytes > 0 { format!("; {} at the end could not be used", size(r.lost_bytes)) } else { String::new() };
    out.write(&format!("{}: {} rows{span}{lost}\n", r.target.display(), r.rows))?;
    if r.source_kept {
        out.write(&format!("{} is still there\n", r.source.display()))?;
    }
    Ok(Exit::Ok)
}

/// A hint where the file is none of ours.
pub(crate) fn not_a_recording(e: RecordError, path: &Path) -> CliError {
    let error = CliError::record(&e);
    match e {
        RecordError::Extension { .. } if path.extension().is_some_and(|x| x == "toml" || x == "urdf" || x == "xml") => {
            error.help(format!(
                "that is a scene; record a run of it first:  holonom run {} --out run.parquet",
                path.display()
            ))
        }
        RecordError::Extension { .. } | RecordError::Foreign { .. } => {
            error.help("recordings come from `holonom run SCENE --out FILE`")
        }
        _ => error,
    }
}

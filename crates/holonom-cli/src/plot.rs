//! `holonom plot`: curves of a recording, or where the matrices of a scene have entries; in the terminal, as SVG or as
//! PNG.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::plot_table;
use crate::recordings::not_a_recording;
use crate::scene::{SceneArgs, SceneOptions};
use holonom::pattern::Matrix;
use holonom_plot::{Axis, EntryKind, LineChart, MatrixBlock, PlotError, Scale, Series, SketchOptions, SpyPlot};
use holonom_record::{DataTable, RecordError, RecordingColumn, RecordingFormat, RecordingReader};
use holonom_scene::diagnostic::nearest;
use holonom_scene::quantities::{fits, usual_unit};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Plot quantities of a recording, outcomes of a study, or the pattern of a scene's matrices.
///
/// Without -o the picture is drawn in the terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom plot run.csv --y 'pin.force.*'\n  \
    holonom plot run.parquet --x rod.pos.x --y rod.pos.z -o path.svg\n  holonom plot pendulum --matrix H\n  \
    holonom plot heights.csv --y peak --x height\n  holonom plot heights.csv --z peak --x height --y speed -o map.png\n  \
    holonom plot heights.parquet --y peak --tornado")]
pub(crate) struct PlotArgs {
    /// Recordings (.csv, .parquet, .hrec), whose curves share a picture; or the table of a study (.csv, .parquet,
    /// .sweep); with --matrix, a scene
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// Quantities to plot, with `*` for anything; several with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub y: Vec<String>,
    /// Quantity along the horizontal axis [default: time; of a study its first factor]
    #[arg(long, value_name = "NAME")]
    pub x: Option<String>,
    /// Of a study: the outcome as colours over the factors --x and --y
    #[arg(long, value_name = "NAME")]
    pub z: Option<String>,
    /// Of a study: what each factor does to the outcome --y
    #[arg(long, conflicts_with = "z")]
    pub tornado: bool,
    /// Of a study: only rows where a column has this value
    #[arg(long, value_name = "NAME=VALUE")]
    pub only: Vec<String>,
    /// Spread values by their logarithm
    #[arg(long)]
    pub log: bool,
    /// Instead: the pattern of a matrix of the scene: J, H, A or L
    #[arg(long, value_name = "J|H|A|L")]
    matrix: Option<String>,
    /// File to write: .svg or .png
    #[arg(short, long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// In the terminal: letters and signs only
    #[arg(long)]
    ascii: bool,
    #[command(flatten)]
    options: SceneOptions,
}

/// Curves in one picture at most.
const MOST_CURVES: usize = 60;

pub(crate) fn run(args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if let Some(path) = &args.output {
        picture_format(path)?;
    }
    match &args.matrix {
        Some(name) => matrix(name, args, out),
        None => match (args.runs.as_slice(), of_study(args)?) {
            ([name], Some(table)) => plot_table::plot(name, table, args, out),
            _ => curves(args, out),
        },
    }
}

/// The table, if the first of the files is one of a study.
fn of_study(args: &PlotArgs) -> Result<Option<DataTable>, CliError> {
    let found = plot_table::table_of(&args.runs[0])?;
    if found.is_some() && args.runs.len() > 1 {
        return Err(CliError::usage("of studies one table is plotted at a time"));
    }
    if found.is_none() && (args.z.is_some() || args.tornado || !args.only.is_empty()) {
        let message = format!("--z, --tornado and --only are for tables of studies, and `{}` is none", args.runs[0]);
        return Err(CliError::usage(message).help("`holonom sweep` makes one"));
    }
    Ok(found)
}

#[derive(Clone, Copy, PartialEq)]
enum Picture {
    Svg,
    Png,
}

fn picture_format(path: &Path) -> Result<Picture, CliError> {
    let suffix = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match suffix.as_str() {
        "svg" => Ok(Picture::Svg),
        "png" => Ok(Picture::Png),
        _ => Err(CliError::usage(format!("-o {}: pictures are .svg or .png files", path.display()))),
    }
}

fn curves(args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let runs = args.runs.iter().map(|run| Curves::read(run, args)).collect::<Result<Vec<_>, _>>()?;
    let n: usize = runs.iter().map(|r| r.chosen.len()).sum();
    if n > MOST_CURVES {
        let message = format!("{n} curves are too many for one picture, at most {MOST_CURVES}");
        return Err(CliError::usage(message).help("name fewer of them"));
    }
    let label = |run: &Curves, name: &str| match runs.len() {
        1 => name.to_string(),
        _ => format!("{}: {name}", crate::scene::stem(run.name)),
    };
    let series = runs
        .iter()
        .flat_map(|run| run.chosen.iter().map(|(c, y)| Series::new(label(run, &c.name), unit(c), &run.along.1, y)));
    let first = &runs[0];
    let chart = LineChart {
        title: title(&first.recording, first.name),
        subtitle: match runs.len() {
            1 => subtitle(&first.recording, first.name),
            _ => args.runs.join(", "),
        },
        x: Axis::new(&first.along.0.name, unit(&first.along.0)),
        y_scale: if args.log { Scale::Log } else { Scale::Linear },
        series: series.collect(),
        marks: Vec::new(),
    };
    show(args, out, || chart.to_svg(), || chart.to_png(2.0), |options| chart.sketch(options))
}

/// What is plotted of a recording.
struct Curves<'a> {
    name: &'a str,
    recording: RecordingReader,
    along: (RecordingColumn, Vec<f64>),
    chosen: Vec<(RecordingColumn, Vec<f64>)>,
}

/// Where the numbers of a curve come from.
#[derive(Clone, Copy, PartialEq)]
enum Curve {
    Column(usize),
    /// The length of a vector, of which the file has the components.
    Length([usize; 3]),
}

impl Curve {
    fn read(self, recording: &RecordingReader) -> Result<(RecordingColumn, Vec<f64>), CliError> {
        match self {
            Curve::Column(i) => Ok((recording.columns()[i].clone(), recording.column_at(i)?)),
            Curve::Length(parts) => {
                let mut column = recording.columns()[parts[0]].clone();
                column.name.truncate(column.name.len() - "x".len());
                column.name.push_str("norm");
                let [x, y, z] = parts.map(|i| recording.column_at(i));
                let (x, y, z) = (x?, y?, z?);
                Ok((column, (0..x.len()).map(|i| (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt()).collect()))
            }
        }
    }
}

/// Vectors whose length `pattern` asks for (`pin.force.norm`), told by their components.
fn lengths(pattern: &str, columns: &[RecordingColumn]) -> Vec<Curve> {
    let place = |name: &str| columns.iter().position(|c| c.name == name);
    let vector = |c: &RecordingColumn| {
        let head = c.name.strip_suffix(".x").filter(|head| fits(pattern, &format!("{head}.norm")))?;
        let part = |axis| place(&format!("{head}.{axis}"));
        // of the parts of a quaternion three would be no vector
        part("w").is_none().then_some(Curve::Length([part("x")?, part("y")?, part("z")?]))
    };
    columns.iter().filter_map(vector).collect()
}

/// The unit of a column, by its name where the file does not say it; none for plain numbers.
fn unit(c: &RecordingColumn) -> String {
    let unit = if c.unit.is_empty() { usual_unit(&c.name) } else { &c.unit };
    if unit == "1" { String::new() } else { unit.to_string() }
}

impl<'a> Curves<'a> {
    fn read(run: &'a str, args: &PlotArgs) -> Result<Curves<'a>, CliError> {
        let path = Path::new(run);
        // a run that did not end as it should has left a stream, which can be looked at too
        let stream = PathBuf::from(format!("{run}.hrec"));
        let path = if !path.exists() && RecordingFormat::of(path).is_ok() && stream.is_file() { &stream } else { path };
        let recording = match RecordingReader::open(path) {
            Ok(recording) => recording,
            Err(e @ RecordError::Extension { .. }) if path.extension().is_none() && !path.exists() => {
                return Err(not_a_recording(e, path)
                    .help(format!("for a scene:  holonom plot {} --matrix J, or record a run of it first", run)));
            }
            Err(e) => return Err(not_a_recording(e, path)),
        };
        let columns = recording.columns();
        if args.y.is_empty() {
            return Err(CliError::usage("nothing to plot: --y says which quantities")
                .note("note", format!("`{}` has {}", run, listed(columns)))
                .help(format!("for instance  holonom plot {} --y '{}'", run, example(columns))));
        }
        let x = pick_one(args.x.as_deref().unwrap_or("time"), columns, run)?;
        let mut chosen: Vec<Curve> = Vec::new();
        for pattern in args.y.iter().map(|p| p.trim()) {
            let found = (0..columns.len()).filter(|&i| fits(pattern, &columns[i].name));
            // a star is not meant to bring in the axis itself
            let found = found.filter(|&i| i != x || !pattern.contains('*')).map(Curve::Column);
            let mut found: Vec<Curve> = found.collect();
            if found.is_empty() {
                found = lengths(pattern, columns);
            }
            if found.is_empty() {
                return Err(unknown(pattern, columns, run));
            }
            found.retain(|curve| !chosen.contains(curve));
            chosen.append(&mut found);
        }
        let along = Curve::Column(x).read(&recording)?;
        let chosen = chosen.into_iter().map(|curve| curve.read(&recording)).collect::<Result<Vec<_>, _>>()?;
        if !recording.complete() {
            crate::error::warn(&format!("`{}` is not complete: what there is of it is shown", path.display()));
        }
        Ok(Curves { name: run, along, chosen, recording })
    }
}

fn matrix(name: &str, args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let Some(matrix) = Matrix::from_name(&name.to_uppercase()) else {
        return Err(CliError::usage(format!("there is no matrix `{name}`"))
            .help("J: constraint rows; H: the whole system; A: J M^-1 J^T; L: the factor of H"));
    };
    if !args.y.is_empty() {
        return Err(CliError::usage(
            "--matrix and --y exclude each other: one is about a scene, the other about a recording",
        ));
    }
    let [scene] = args.runs.as_slice() else {
        return Err(CliError::usage("--matrix is about one scene"));
    };
    let opened = SceneArgs { scene: scene.clone(), options: args.options.clone() }.open()?;
    let pattern = opened.model.pattern(matrix).map_err(|e| CliError::limit(e.to_string()))?;
    let what = match matrix {
        Matrix::J => "J: rows of the joints by velocities of the bodies",
        Matrix::H => "H: masses and joints, in the order of elimination",
        Matrix::A => "A = J M^-1 J^T: rows by rows",
        Matrix::L => "L: the factor of H",
    };
    let kind = |fill: bool| if fill { EntryKind::Fill } else { EntryKind::Entry };
    let blocks = |parts: &[holonom::pattern::Part]| {
        parts.iter().map(|p| MatrixBlock { name: p.name.clone(), range: p.range.clone() }).collect::<Vec<_>>()
    };
    let spy = SpyPlot {
        title: what.into(),
        subtitle: opened.name.clone(),
        rows: pattern.n_rows,
        columns: pattern.n_columns,
        entries: pattern.entries.iter().map(|e| (e.row, e.column, kind(e.fill))).collect(),
        row_blocks: blocks(&pattern.rows),
        column_blocks: blocks(&pattern.columns),
    };
    show(args, out, || spy.to_svg(), || spy.to_png(2.0), |options| spy.sketch(options))
}

pub(crate) fn show(
    args: &PlotArgs,
    out: &mut StandardOutput,
    svg: impl FnOnce() -> Result<String, PlotError>,
    png: impl FnOnce() -> Result<Vec<u8>, PlotError>,
    sketch: impl FnOnce(&SketchOptions) -> Result<String, PlotError>,
) -> Result<Exit, CliError> {
    let failed = |e: PlotError| match e {
        PlotError::TooLarge { .. } => CliError::limit(e.to_string()),
        _ => CliError::usage(e.to_string()),
    };
    let Some(path) = &args.output else {
        let number = |name: &str, least: usize, usual: usize| {
            std::env::var(name).ok().and_then(|v| v.parse().ok()).filter(|n| *n >= least).unwrap_or(usual)
        };
        let colour = crate::error::coloured(std::io::stdout().is_terminal());
        let height = number("LINES", 16, 32) - 10;
        let options = SketchOptions { width: number("COLUMNS", 40, 100), height, colour, ascii: args.ascii };
        out.write(&sketch(&options).map_err(failed)?)?;
        return Ok(Exit::Ok);
    };
    let bytes = match picture_format(path)? {
        Picture::Svg => svg().map_err(failed)?.into_bytes(),
        Picture::Png => png().map_err(failed)?,
    };
    holonom_record::replace_file(path, &bytes).map_err(|e| CliError::io(e.to_string()))?;
    out.write(&format!("{} ({})\n", path.display(), crate::text::size(bytes.len() as u64)))?;
    Ok(Exit::Ok)
}

fn pick_one(name: &str, columns: &[RecordingColumn], run: &str) -> Result<usize, CliError> {
    columns.iter().position(|c| c.name == name).ok_or_else(|| unknown(name, columns, run))
}

fn unknown(name: &str, columns: &[RecordingColumn], run: &str) -> CliError {
    let names = || columns.iter().map(|c| c.name.as_str());
    let whole = names().any(|n| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
    let meant = if whole { Some(format!("{name}.*")) } else { nearest(name, names()).map(str::to_string) };
    let error = CliError::usage(format!("`{run}` has no column `{name}`")).did_you_mean(meant);
    error.note("note", format!("it has {}", listed(columns))).help(format!("`holonom info {run}` lists them all"))
}

/// Columns in few words: `rod.pos.*, pin.force.*, ...`.
fn listed(columns: &[RecordingColumn]) -> String {
    let mut short: Vec<String> = Vec::new();
    for c in columns {
        let name = match c.name.rsplit_once('.') {
            Some((head, "w" | "x" | "y" | "z")) => format!("{head}.*"),
            _ => c.name.clone(),
        };
        if !short.contains(&name) {
            short.push(name);
        }
        if short.len() > 14 {
            return format!("{}, ...", short[..14].join(", "));
        }
    }
    short.join(", ")
}

fn example(columns: &[RecordingColumn]) -> String {
    let all = listed(columns);
    all.split(", ").nth(1).unwrap_or("*").to_string()
}

fn metadata(recording: &RecordingReader) -> serde_json::Value {
    serde_json::from_str(recording.metadata()).unwrap_or_default()
}

fn title(recording: &RecordingReader, run: &str) -> String {
    let meta = metadata(recording);
    let title = meta["title"].as_str().filter(|t| !t.is_empty()).or(meta["scene"].as_str());
    title.map_or_else(|| crate::scene::stem(run), str::to_string)
}

fn subtitle(recording: &RecordingReader, run: &str) -> String {
    let meta = metadata(recording);
    let mut parts = vec![run.to_string()];
    parts.extend(meta["scene"].as_str().map(str::to_string));
    parts.extend(meta["settings"]["integrator"].as_str().map(str::to_string));
    parts.extend(meta["settings"]["dt"].as_f64().map(|dt| format!("dt {dt} s")));
    parts.dedup();
    parts.join(", ")
}

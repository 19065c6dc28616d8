//! `holonom plot TABLE`: what came of a study. Curves of outcomes against a factor, one for each combination of the
//! others; points where factors were sampled; a heat map over two factors; a tornado of all factors.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::plot::{PlotArgs, show};
use holonom_plot::{Axis, HeatMap, LineChart, Scale, Series, Tornado, TornadoBar};
use holonom_record::{Cells, DEFAULT_BUDGET, DataTable, TableColumn};
use holonom_scene::diagnostic::nearest;
use holonom_study::sensitivities;
use std::path::{Path, PathBuf};

/// Curves in one picture at most.
const MOST_CURVES: usize = 24;
/// More values than this are no levels of a grid.
const MOST_LEVELS: usize = 60;

/// The table of a study, if that is what the file is.
pub(crate) fn table_of(run: &str) -> Result<Option<DataTable>, CliError> {
    let path = Path::new(run);
    let suffix = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match suffix.as_str() {
        "sweep" => Ok(Some(DataTable::read(path, DEFAULT_BUDGET)?)),
        "csv" | "parquet" if path.is_file() => match DataTable::read(path, DEFAULT_BUDGET) {
            Ok(table) if table.columns.first().is_some_and(|c| c.name == "run") => Ok(Some(table)),
            // a recording, or nothing of ours: others say what is wrong with it
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// A table with what is known of its columns.
struct StudyPicture<'a> {
    name: &'a str,
    table: DataTable,
    factors: Vec<String>,
    outcomes: Vec<String>,
}

/// An outcome along a factor.
struct StudyCurve {
    name: String,
    unit: String,
    /// Points by themselves.
    dots: bool,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// Draw it.
pub(crate) fn plot(
    name: &str,
    mut table: DataTable,
    args: &PlotArgs,
    out: &mut StandardOutput,
) -> Result<Exit, CliError> {
    table.sort();
    if table.metadata.is_empty() {
        // a CSV has none: that of what was written with it
        let beside = ["parquet", "sweep"].map(|suffix| Path::new(name).with_extension(suffix));
        let of = |path: &PathBuf| DataTable::read(path, DEFAULT_BUDGET).ok().filter(|t| same_columns(t, &table));
        table.metadata = beside.iter().find_map(of).map_or(String::new(), |t| t.metadata);
    }
    let (factors, outcomes) = roles(&table);
    let mut picture = StudyPicture { name, table, factors, outcomes };
    for filter in &args.only {
        picture.keep(filter)?;
    }
    if picture.table.rows() == 0 {
        return Err(CliError::usage(format!("no row of `{name}` is left to be shown")));
    }
    if args.tornado {
        return picture.tornado(args, out);
    }
    match &args.z {
        Some(z) => picture.heat(z, args, out),
        None => picture.curves(args, out),
    }
}

/// Are two tables of one study?
fn same_columns(a: &DataTable, b: &DataTable) -> bool {
    a.columns.iter().map(|c| &c.name).eq(b.columns.iter().map(|c| &c.name))
}

/// Names of factors and outcomes: from the metadata, or by where they stand.
fn roles(table: &DataTable) -> (Vec<String>, Vec<String>) {
    let metadata: serde_json::Value = serde_json::from_str(&table.metadata).unwrap_or_default();
    let listed = |key: &str| -> Option<Vec<String>> {
        let all = metadata[key].as_array()?.iter();
        Some(all.filter_map(|v| v.as_str().map(str::to_string)).collect())
    };
    if let (Some(factors), Some(outcomes)) = (listed("factors"), listed("outcomes")) {
        return (factors, outcomes);
    }
    // without metadata: between `run` and `end` stand factors, then outcomes
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let end = names.iter().position(|n| *n == "end").unwrap_or(names.len());
    let all: Vec<String> = names[1.min(end)..end].iter().map(|n| n.to_string()).collect();
    (all.clone(), all)
}

impl StudyPicture<'_> {
    fn column(&self, name: &str) -> Result<&TableColumn, CliError> {
        self.table.column(name).ok_or_else(|| {
            let names = || self.table.columns.iter().map(|c| c.name.as_str());
            CliError::usage(format!("`{}` has no column `{name}`", self.name))
                .did_you_mean(nearest(name, names()))
                .note("note", format!("it has {}", names().collect::<Vec<_>>().join(", ")))
        })
    }

    fn numbers(&self, name: &str) -> Result<&[f64], CliError> {
        self.column(name)?.as_numbers().ok_or_else(|| CliError::usage(format!("`{name}` is a column of texts")))
    }

    fn axis(&self, name: &str) -> Result<Axis, CliError> {
        let unit = &self.column(name)?.unit;
        Ok(Axis::new(name, if unit == "1" { "" } else { unit }))
    }

    /// Keep the rows with `NAME=VALUE`.
    fn keep(&mut self, filter: &str) -> Result<(), CliError> {
        let Some((name, value)) = filter.split_once('=') else {
            return Err(
                CliError::usage(format!("--only {filter}: must be NAME=VALUE")).help("for instance  --only soft=1")
            );
        };
        let (name, value) = (name.trim(), value.trim());
        let keep: Vec<bool> = match &self.column(name)?.cells {
            Cells::Numbers(all) => {
                let wanted: f64 = value
                    .parse()
                    .map_err(|_| CliError::usage(format!("--only {filter}: `{value}` is not a number")))?;
                all.iter().map(|x| (x - wanted).abs() <= 1e-9 * wanted.abs()).collect()
            }
            Cells::Texts(all) => all.iter().map(|x| x == value).collect(),
        };
        self.table.retain(&keep);
        Ok(())
    }

    /// The values of a column in order, each once, as they are called.
    fn levels(&self, name: &str) -> Result<Vec<String>, CliError> {
        Ok(match &self.column(name)?.cells {
            Cells::Numbers(all) => {
                let mut sorted = all.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.dedup();
                sorted.iter().map(|x| plain(*x)).collect()
            }
            Cells::Texts(all) => {
                let mut found: Vec<String> = Vec::new();
                for text in all {
                    if !found.contains(text) {
                        found.push(text.clone());
                    }
                }
                found
            }
        })
    }

    /// What a column is called in a row.
    fn label(&self, name: &str, row: usize) -> String {
        match self.table.column(name).map(|c| &c.cells) {
            Some(Cells::Numbers(all)) => plain(all[row]),
            Some(Cells::Texts(all)) => all[row].clone(),
            None => String::new(),
        }
    }

    fn subtitle(&self, args: &PlotArgs, more: String) -> String {
        let only = args.only.iter().cloned();
        let failed = self.table.column("status").and_then(|c| c.as_texts());
        let failed = failed.map_or(0, |all| all.iter().filter(|s| *s == "failed").count());
        let failed = if failed > 0 { format!(", {failed} of them failed") } else { String::new() };
        let runs = format!("{} runs{failed}", self.table.rows());
        [self.name.to_string(), runs]
            .into_iter()
            .chain(only)
            .chain([more].into_iter().filter(|t| !t.is_empty()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Outcomes that are to be shown: those named, or the first.
    fn asked(&self, args: &PlotArgs) -> Result<Vec<String>, CliError> {
        if args.y.is_empty() {
            let known = self.outcomes.join(", ");
            let example = self.outcomes.last().map_or("OUTCOME", String::as_str);
            return Err(CliError::usage("nothing to plot: --y says which outcomes")
                .note("note", format!("`{}` has {known}", self.name))
                .help(format!("for instance  holonom plot {} --y {example}", self.name)));
        }
        Ok(args.y.iter().map(|y| y.trim().to_string()).collect())
    }

    /// The factor along the axis: the one named, or the first of numbers that varies.
    fn along(&self, args: &PlotArgs) -> Result<String, CliError> {
        if let Some(x) = &args.x {
            self.numbers(x)?;
            return Ok(x.clone());
        }
        let varies = |name: &&String| {
            let numbers = self.table.column(name).and_then(|c| c.as_numbers());
            numbers.is_some_and(|all| all.iter().any(|x| *x != all[0]))
        };
        let first = self.factors.iter().find(varies);
        first.cloned().ok_or_else(|| CliError::usage("no factor of numbers varies: --x says what runs along the axis"))
    }

    fn curves(&self, args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
        let outcomes = self.asked(args)?;
        let x_name = self.along(args)?;
        let x = self.numbers(&x_name)?;
        let others: Vec<&String> = self
            .factors
            .iter()
            .filter(|f| **f != x_name && !outcomes.contains(f))
            .filter(|f| self.levels(f).is_ok_and(|l| l.len() > 1))
            .collect();
        let grid = others.iter().all(|f| self.levels(f).is_ok_and(|l| l.len() <= MOST_LEVELS));
        // one curve for each combination of the other factors
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for row in 0..self.table.rows() {
            let name = match grid {
                true => others.iter().map(|f| format!("{f} {}", self.label(f, row))).collect::<Vec<_>>().join(", "),
                false => String::new(),
            };
            match groups.iter_mut().find(|g| g.0 == name) {
                Some(group) => group.1.push(row),
                None => groups.push((name, vec![row])),
            }
        }
        let lonely = groups.iter().all(|g| g.1.len() < 2);
        if !grid || lonely {
            groups = vec![(String::new(), (0..self.table.rows()).collect())];
        }
        if groups.len() * outcomes.len() > MOST_CURVES {
            let message =
                format!("{} curves are too many for one picture, at most {MOST_CURVES}", groups.len() * outcomes.len());
            return Err(CliError::usage(message).help("--only NAME=VALUE keeps some rows; --z draws a heat map"));
        }
        let mut curves: Vec<StudyCurve> = Vec::new();
        for outcome in &outcomes {
            let (y, unit) = (self.numbers(outcome)?, self.axis(outcome)?.unit);
            for (group, rows) in &groups {
                let mut rows = rows.clone();
                rows.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
                // several values at one place are no curve
                let dots = rows.windows(2).any(|w| x[w[0]] == x[w[1]]) || !grid || lonely;
                let name = match (group.as_str(), outcomes.len()) {
                    ("", _) => outcome.clone(),
                    (group, 1) => group.to_string(),
                    (group, _) => format!("{outcome}, {group}"),
                };
                let pick = |values: &[f64]| rows.iter().map(|i| values[*i]).collect::<Vec<_>>();
                curves.push(StudyCurve { name, unit: unit.clone(), dots, x: pick(x), y: pick(y) });
            }
        }
        let series = curves.iter().map(|c| {
            let series = Series::new(c.name.clone(), c.unit.clone(), &c.x, &c.y);
            if c.dots { series.as_dots() } else { series }
        });
        let chart = LineChart {
            title: outcomes.join(", "),
            subtitle: self.subtitle(args, String::new()),
            x: self.axis(&x_name)?,
            y_scale: if args.log { Scale::Log } else { Scale::Linear },
            series: series.collect(),
            marks: Vec::new(),
        };
        show(args, out, || chart.to_svg(), || chart.to_png(2.0), |options| chart.sketch(options))
    }

    fn heat(&self, z: &str, args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
        let (Some(x), [y]) = (&args.x, args.y.as_slice()) else {
            return Err(CliError::usage("a heat map needs two factors: --x FACTOR --y FACTOR").help(format!(
                "for instance  holonom plot {} --z {z} --x {}",
                self.name,
                self.factors.join(" --y ")
            )));
        };
        let values = self.numbers(z)?;
        let (columns, rows) = (self.levels(x)?, self.levels(y)?);
        for (name, levels) in [(x, &columns), (y, &rows)] {
            if levels.len() > MOST_LEVELS {
                let message = format!("`{name}` has {} values, at most {MOST_LEVELS} for a heat map", levels.len());
                return Err(CliError::usage(message).help("of samples draw points:  --x FACTOR --y OUTCOME"));
            }
        }
        let mut sums = vec![(0.0, 0u32); columns.len() * rows.len()];
        for (k, value) in values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
            let place = |levels: &[String], name: &str| levels.iter().position(|l| *l == self.label(name, k));
            if let (Some(c), Some(r)) = (place(&columns, x), place(&rows, y)) {
                let cell = &mut sums[r * columns.len() + c];
                *cell = (cell.0 + value, cell.1 + 1);
            }
        }
        let most = sums.iter().map(|s| s.1).max().unwrap_or(0);
        let more = if most > 1 { format!("means of up to {most} runs") } else { String::new() };
        let map = HeatMap {
            title: z.to_string(),
            subtitle: self.subtitle(args, more),
            x: self.axis(x)?,
            y: self.axis(y)?,
            z: self.axis(z)?,
            columns,
            rows,
            values: sums.iter().map(|(sum, n)| if *n > 0 { sum / f64::from(*n) } else { f64::NAN }).collect(),
        };
        show(args, out, || map.to_svg(), || map.to_png(2.0), |options| map.sketch(options))
    }

    fn tornado(&self, args: &PlotArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
        let outcomes = self.asked(args)?;
        let [outcome] = outcomes.as_slice() else {
            return Err(CliError::usage("a tornado is of one outcome"));
        };
        let values = self.numbers(outcome)?;
        let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let factors: Vec<String> = self.factors.iter().filter(|f| *f != outcome).cloned().collect();
        let found = sensitivities(&self.table, &factors, outcome);
        if found.is_empty() {
            return Err(CliError::usage(format!("no factor of `{}` varies", self.name)));
        }
        let bars = found.iter().map(|s| TornadoBar {
            name: if s.unit.is_empty() || s.unit == "1" {
                s.factor.clone()
            } else {
                format!("{} ({})", s.factor, s.unit)
            },
            low: s.low.clone(),
            high: s.high.clone(),
            note: format!("{:.0} %", 100.0 * s.share),
        });
        let tornado = Tornado {
            title: format!("{outcome} by factors"),
            subtitle: self
                .subtitle(args, "mean outcomes at the ends of each factor, and its part of the variance".into()),
            x: self.axis(outcome)?,
            middle: known.iter().sum::<f64>() / known.len().max(1) as f64,
            bars: bars.collect(),
        };
        show(args, out, || tornado.to_svg(), || tornado.to_png(2.0), |options| tornado.sketch(options))
    }
}

/// A value as a label: six digits, as short as they can be said.
fn plain(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    format!("{rounded}")
}

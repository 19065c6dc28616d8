//! A study: which scene, what is varied, what is measured; read from its file, with mistakes shown at their lines.

use crate::declaration::{FACTORS, MOST_RUNS, OUTCOME, RATE, STUDY};
use crate::outcome::{OutcomeReader, Outcomes};
use crate::sampling::{Distribution, SampleMethod, coordinate};
use crate::sobol::MOST_AXES;
use holonom::Model;
use holonom_run::Failure;
use holonom_scene::confine::{Confinement, read_bytes, shown};
use holonom_scene::fields::Record;
use holonom_scene::gallery;
use holonom_scene::node::{DocNode, DocTable, Value, parse_toml};
use holonom_scene::reader::{Names, Reader};
use holonom_scene::source::{Sources, Span};
use holonom_scene::{Diagnostic, Limits, Loaded, Loader, PreparedScene, Report, codes, read};
use std::path::Path;

/// A value that a factor can have.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorValue {
    /// As it stands after `path=`.
    pub text: String,
    /// As a number, where it is one.
    pub number: Option<f64>,
}

/// What a factor does.
#[derive(Clone, Debug, PartialEq)]
pub enum FactorCourse {
    /// One value after the other.
    Values(Vec<FactorValue>),
    /// Drawn from a distribution; the second is its number among those that are.
    Drawn(Distribution, usize),
}

/// What is varied.
#[derive(Clone, Debug)]
pub struct StudyFactor {
    /// Its name, a column of the table.
    pub name: String,
    /// What is set.
    pub paths: Vec<String>,
    /// Unit of its numbers.
    pub unit: String,
    /// Its values.
    pub course: FactorCourse,
}

impl StudyFactor {
    /// Are all its values numbers?
    pub fn is_number(&self) -> bool {
        match &self.course {
            FactorCourse::Values(all) => all.iter().all(|v| v.number.is_some()),
            FactorCourse::Drawn(..) => true,
        }
    }
}

/// How factors with distributions are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// How samples are spread.
    pub method: SampleMethod,
    /// How many there are.
    pub count: u64,
    /// Where random numbers begin.
    pub seed: u64,
}

/// A study that was read, ready to be run.
pub struct Study {
    /// For messages: its file.
    pub name: String,
    /// A name for people.
    pub title: String,
    /// The scene, as the study names it.
    pub scene: String,
    /// What is varied.
    pub factors: Vec<StudyFactor>,
    /// Lists and ranges side by side, instead of all combinations.
    side_by_side: bool,
    /// Of factors with distributions.
    pub sampling: Option<Sampling>,
    /// What is measured.
    pub outcomes: Outcomes,
    /// The scene, read as far as it is the same for all runs.
    pub(crate) prepared: PreparedScene,
    /// What it was read from, for other processes.
    text: String,
    folder: Option<String>,
    runs: u64,
    scene_hash: String,
}

/// What a study is read from: enough for another process on a machine that has not its files (but meshes).
#[derive(serde::Serialize, serde::Deserialize)]
struct Portable {
    version: String,
    name: String,
    text: String,
    scene: String,
    folder: Option<String>,
}

impl Study {
    /// Read a study file.
    pub fn read(path: &Path, allowed: &[std::path::PathBuf]) -> Result<Study, Failure> {
        let name = path.display().to_string();
        if !path.exists() {
            return Err(Failure::input(format!("there is no study `{name}`"))
                .help("a study is a .toml file with a scene, factors and outcomes"));
        }
        let read = read_bytes(path, &name, Limits::default().file);
        let text = read.map_err(|d| Failure::diagnostic(*d, &Sources::new()))?;
        let text = String::from_utf8(text).map_err(|_| Failure::input(format!("`{name}` is not UTF-8 text")))?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut confinement = Confinement::to_folder_of(path);
        for other in allowed {
            confinement.allow(other).map_err(|e| Failure::input(format!("--allow-path {}: {e}", other.display())))?;
        }
        let loader = Loader { allowed: allowed.to_vec(), ..Loader::default() };
        let prepare = |scene: &str, settings: Vec<String>, span: Span, sources: &Sources| {
            let loader = Loader { settings, ..loader.clone() };
            let looks_like_path = scene.contains(['/', '\\']) || Path::new(scene).extension().is_some();
            if !looks_like_path && let Some(entry) = gallery::find(scene) {
                return Ok((loader.prepare_text(&format!("{}.toml", entry.name), None, entry.text)?, None));
            }
            if !looks_like_path {
                let names = gallery::GALLERY.iter().chain(gallery::VERIFICATION).map(|e| e.name);
                let d = Diagnostic::unknown(codes::NO_SUCH_FILE, "scene", scene, names).at(span).path("scene");
                return Err(Failure::diagnostic(d, sources));
            }
            let found = confinement.resolve(scene, folder);
            let found = found.map_err(|d| Failure::diagnostic(d.at(span).path("scene"), sources))?;
            let within = found.parent().map(|p| p.display().to_string());
            Ok((loader.prepare_file(&found)?, within))
        };
        Study::from_text(&name, text, prepare)
    }

    /// What [`Study::from_portable`] reads.
    pub fn portable(&self) -> String {
        let scene = holonom_scene::write::document(self.prepared.document());
        let (name, text, folder) = (self.name.clone(), self.text.clone(), self.folder.clone());
        let version = env!("CARGO_PKG_VERSION").to_string();
        serde_json::to_string(&Portable { version, name, text, scene, folder }).unwrap_or_default()
    }

    /// A study as another process has read it: its scene comes with it.
    pub fn from_portable(text: &str) -> Result<Study, Failure> {
        let p: Portable = serde_json::from_str(text).map_err(|e| Failure::input(format!("this is no study: {e}")))?;
        if p.version != env!("CARGO_PKG_VERSION") {
            let (here, there) = (env!("CARGO_PKG_VERSION"), &p.version);
            return Err(Failure::input(format!("the study comes from version {there} of holonom, this is {here}"))
                .help("install the same version everywhere"));
        }
        let (scene, folder) = (p.scene, p.folder);
        Study::from_text(&p.name, p.text, |_, _, _, _| {
            let place = folder.as_ref().map(|f| Path::new(f).join("study-scene.toml"));
            let prepared = Loader::default().prepare_text("study-scene.toml", place.as_deref(), scene)?;
            Ok((prepared, folder))
        })
    }

    /// `prepare` finds the scene of that name, with the settings that all runs have, and the folder of its files.
    fn from_text(
        name: &str,
        text: String,
        prepare: impl FnOnce(&str, Vec<String>, Span, &Sources) -> Result<(PreparedScene, Option<String>), Failure>,
    ) -> Result<Study, Failure> {
        let limits = Limits::default();
        let (mut report, mut sources) = (Report::new(), Sources::new());
        let file = sources.add(name, None, text.clone());
        let document = parse_toml(&text, file, &limits, &mut report);
        if report.has_errors() {
            return Err(Failure::report(report, sources));
        }
        let whole = Span::new(file, 0..text.len().min(1));
        let mut reader = Reader::new(Names::default(), limits, &mut report);
        let record = reader.fields_but(&document, whole, "study", &[STUDY], None, &["run", "factor", "outcome"]);
        for wanted in ["factor", "outcome"] {
            if document.get(wanted).is_none() && record.is_some() {
                let d = Diagnostic::error(codes::MISSING_FIELD, format!("the study has no `{wanted}`")).at(whole);
                let example = match wanted {
                    "factor" => "[factor.length]  path = \"L\"  values = [1, 1.5, 2]",
                    _ => "[outcome]  load = \"max(pin.force.norm)\"",
                };
                reader.complain(d.help(format!("for instance  {example}")));
            }
        }
        let run = run_settings(&mut reader, &document, &sources);
        let factors = read_factors(&mut reader, &document, &sources);
        let Some(record) = record.filter(|_| !reader.report.has_errors()) else {
            return Err(Failure::report(report, sources));
        };
        let sampling = read_sampling(&record);
        let side_by_side = record.text("design") == Some("list");
        let runs = plan(&mut reader, &document, &factors, side_by_side, sampling.as_ref());
        if report.has_errors() {
            return Err(Failure::report(report, sources));
        }
        let scene = record.text("scene").unwrap_or_default().to_string();
        let of_study = record.list("set").iter().filter_map(|(v, _)| match v {
            holonom_scene::fields::Val::Text(text) => Some(text.to_string()),
            _ => None,
        });
        let settings: Vec<String> = of_study.chain(run).collect();
        let (prepared, folder) = prepare(&scene, settings, record.span_of("scene"), &sources)?;
        let base = prepared.finish(&[])?;
        let model = base.build()?;
        check_paths(&prepared, &document, &factors, &mut report);
        let outcomes = read_outcomes(&document, &base, &model, &factors, &mut report);
        if report.has_errors() {
            return Err(Failure::report(report, sources));
        }
        let title = record.text("title").unwrap_or_default().to_string();
        let name = name.to_string();
        let scene_hash = hash(&holonom_scene::write::document(prepared.document()));
        Ok(Study {
            name,
            title,
            scene,
            factors,
            side_by_side,
            sampling,
            outcomes,
            prepared,
            text,
            folder,
            runs,
            scene_hash,
        })
    }

    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The values of all factors in a run. Lists and ranges are the outer loops, the first factor the outermost;
    /// samples the innermost.
    pub fn values(&self, run: u64) -> Vec<FactorValue> {
        let samples = self.samples();
        let (mut outer, sample) = (run / samples, run % samples);
        let mut values = vec![FactorValue { text: String::new(), number: None }; self.factors.len()];
        for (factor, value) in self.factors.iter().zip(&mut values).rev() {
            match &factor.course {
                FactorCourse::Values(all) if self.side_by_side => *value = all[outer as usize].clone(),
                FactorCourse::Values(all) => {
                    *value = all[(outer % all.len() as u64) as usize].clone();
                    outer /= all.len() as u64;
                }
                FactorCourse::Drawn(distribution, axis) => {
                    let u = self.sampling.map_or(0.5, |s| coordinate(s.method, s.seed, s.count, *axis, sample));
                    *value = number(distribution.quantile(u));
                }
            }
        }
        values
    }

    fn samples(&self) -> u64 {
        let drawn = self.factors.iter().any(|f| matches!(f.course, FactorCourse::Drawn(..)));
        if drawn { self.sampling.map_or(1, |s| s.count) } else { 1 }
    }

    /// What is set in a run, as --set has it.
    pub fn settings(&self, run: u64) -> Vec<String> {
        self.settings_of(&self.values(run))
    }

    pub(crate) fn settings_of(&self, values: &[FactorValue]) -> Vec<String> {
        let all = self.factors.iter().zip(values);
        all.flat_map(|(f, v)| f.paths.iter().map(|path| format!("{path}={}", v.text))).collect()
    }

    /// What the scene is, before any factor: 16 hexadecimal digits.
    pub fn scene_hash(&self) -> &str {
        &self.scene_hash
    }

    /// What decides the rows of the table: scene, factors, samples, outcomes. Two studies with the same one have the
    /// same table.
    pub fn identity(&self) -> String {
        let mut text = holonom_scene::write::document(self.prepared.document());
        for f in &self.factors {
            text += &format!("\nfactor {} {:?} {:?} {:?}", f.name, f.paths, f.unit, f.course);
        }
        text += &format!("\n{} {:?} {}", self.side_by_side, self.sampling, self.outcomes.written());
        hash(&text)
    }
}

/// FNV-1a.
fn hash(text: &str) -> String {
    let step = |h: u64, byte: u8| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

fn number(x: f64) -> FactorValue {
    FactorValue { text: format!("{x:?}"), number: Some(x) }
}

/// `[run]` of the study as settings of the scene.
fn run_settings(reader: &mut Reader, document: &DocTable, sources: &Sources) -> Vec<String> {
    let Some(node) = document.get("run") else { return Vec::new() };
    let Some(table) = reader.table(node, "run") else { return Vec::new() };
    let before = reader.enter("run");
    reader.fields(table, node.span, "run", &[read::RUN, RATE], None);
    reader.leave(before);
    let section = |key: &str| if key == "rate" { "record" } else { "run" };
    table.entries().iter().map(|e| format!("{}.{}={}", section(&e.key), e.key, raw(&e.node, sources))).collect()
}

/// A value as it is written.
fn raw(node: &DocNode, sources: &Sources) -> String {
    let text = sources.file(node.span.file).map_or("", |f| f.text.as_str());
    let text = text.get(node.span.start as usize..node.span.end as usize).unwrap_or("");
    // a setting is one line; lists may go over several
    text.lines().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn read_sampling(record: &Record) -> Option<Sampling> {
    let record = record.record("sample")?;
    let method = match record.text("method") {
        Some("monte-carlo") => SampleMethod::MonteCarlo,
        Some("sobol") => SampleMethod::Sobol,
        _ => SampleMethod::LatinHypercube,
    };
    let whole = |name: &str| record.integer(name).map_or(0, i64::unsigned_abs);
    Some(Sampling { method, count: whole("count").max(1), seed: whole("seed") })
}

/// All factors; what is wrong with them is in the report.
fn read_factors(reader: &mut Reader, document: &DocTable, sources: &Sources) -> Vec<StudyFactor> {
    let Some(table) = document.get("factor").and_then(|node| reader.table(node, "factor")) else { return Vec::new() };
    let mut factors = Vec::new();
    let mut drawn = 0;
    for entry in table.entries() {
        let before = reader.enter(&format!("factor/{}", entry.key));
        if reader.good_name(&entry.key, entry.key_span)
            && free(reader, &[], &entry.key, entry.key_span)
            && let Some(mut factor) = read_factor(reader, &entry.key, &entry.node, sources)
        {
            if let FactorCourse::Drawn(_, axis) = &mut factor.course {
                *axis = drawn;
                drawn += 1;
            }
            factors.push(factor);
        }
        reader.leave(before);
    }
    factors
}

fn read_factor(reader: &mut Reader, name: &str, node: &DocNode, sources: &Sources) -> Option<StudyFactor> {
    // values are of any type, and read by the scene
    let plain = node
        .as_table()
        .filter(|t| t.get("values").is_some() && t.get("kind").is_none_or(|k| k.as_text() == Some("list")));
    let (record, course) = if let Some(table) = plain {
        let lists: Vec<_> =
            std::iter::once(FACTORS.common).chain(FACTORS.find("list")?.fields.iter().copied()).collect();
        let record = reader.fields_but(table, node.span, name, &lists, FACTORS.find("list"), &["values"])?;
        let values = reader.list(table.get("values")?, "values")?;
        if values.is_empty() {
            reader.error(codes::WRONG_LENGTH, table.get("values")?.span, "`values` is empty", "one at least");
            return None;
        }
        let value = |node: &DocNode| FactorValue {
            text: raw(node, sources),
            number: match &node.value {
                Value::Integer(i) => Some(*i as f64),
                Value::Number(x) => Some(*x),
                _ => None,
            },
        };
        (record, FactorCourse::Values(values.iter().map(value).collect()))
    } else {
        let record = reader.kind(node, name, &FACTORS)?;
        let course = course_of(reader, &record)?;
        (record, course)
    };
    let paths = record.list("path").iter().filter_map(|(v, _)| match v {
        holonom_scene::fields::Val::Text(text) => Some(text.to_string()),
        _ => None,
    });
    let mut paths: Vec<String> = paths.collect();
    if paths.is_empty() {
        paths.push(name.to_string());
    }
    Some(StudyFactor {
        name: name.to_string(),
        paths,
        unit: record.text("unit").unwrap_or_default().to_string(),
        course,
    })
}

/// A range or a distribution.
fn course_of(reader: &mut Reader, record: &Record) -> Option<FactorCourse> {
    let get = |name: &str| record.number(name);
    let (low, high) = (get("low").unwrap_or(f64::NEG_INFINITY), get("high").unwrap_or(f64::INFINITY));
    if !(low < high) {
        let label = format!("{high}, must be greater than low = {low}");
        reader.error(codes::OUT_OF_RANGE, record.span_of("high"), "`high` is not above `low`", label);
        return None;
    }
    let drawn = match record.kind.map_or("", |k| k.name) {
        "range" => return range(reader, record),
        "uniform" => Distribution::Uniform { low, high },
        "log-uniform" => Distribution::LogUniform { low, high },
        "normal" => Distribution::Normal { mean: get("mean")?, deviation: get("deviation")?, low, high },
        "log-normal" => Distribution::LogNormal { median: get("median")?, deviation: get("deviation")? },
        _ => {
            let mode = get("mode")?;
            if !(low <= mode && mode <= high) {
                let label = format!("{mode}, must lie between {low} and {high}");
                reader.error(codes::OUT_OF_RANGE, record.span_of("mode"), "`mode` lies outside", label);
                return None;
            }
            Distribution::Triangular { low, mode, high }
        }
    };
    Some(FactorCourse::Drawn(drawn, 0))
}

fn range(reader: &mut Reader, record: &Record) -> Option<FactorCourse> {
    let (from, to, count) = (record.number("from")?, record.number("to")?, record.integer("count")?.max(1));
    let log = record.text("spacing") == Some("log");
    if log && !(from > 0.0 && to > 0.0) {
        let label = "both ends must be greater than 0";
        reader.error(codes::OUT_OF_RANGE, record.span_of("from"), "a range of logarithms needs positive ends", label);
        return None;
    }
    let at = |k: i64| {
        let part = k as f64 / (count - 1).max(1) as f64;
        match (k, log) {
            (0, _) => from,
            // the last exactly, and the same bits on every machine
            (k, _) if k == count - 1 => to,
            (_, false) => decimal(from + part * (to - from)),
            (_, true) => libm::exp(libm::log(from) + part * (libm::log(to) - libm::log(from))),
        }
    };
    Some(FactorCourse::Values((0..count).map(|k| number(at(k))).collect()))
}

/// Without the noise of its last digits: 0.3 and not 0.30000000000000004.
fn decimal(x: f64) -> f64 {
    format!("{x:.12e}").parse().unwrap_or(x)
}

/// How many runs there are; what does not go together is in the report.
fn plan(
    reader: &mut Reader,
    document: &DocTable,
    factors: &[StudyFactor],
    side_by_side: bool,
    sampling: Option<&Sampling>,
) -> u64 {
    let span = |name: &str| {
        let entry = document.get("factor").and_then(DocNode::as_table).and_then(|t| t.entry(name));
        entry.map_or(Span::default(), |e| e.key_span)
    };
    let mut runs = 1u64;
    let mut first: Option<(&str, usize)> = None;
    let mut drawn = 0;
    for factor in factors {
        let FactorCourse::Values(all) = &factor.course else {
            drawn += 1;
            if sampling.is_none() {
                let d = Diagnostic::error(codes::MISSING_FIELD, "a factor with a distribution, and no `sample`");
                let d =
                    d.at(span(&factor.name)).help("add  [sample]  count = 200  method = \"latin-hypercube\"  seed = 1");
                reader.complain(d);
                return 0;
            }
            continue;
        };
        match first {
            Some((name, n)) if side_by_side && n != all.len() => {
                let message = format!("side by side `{name}` has {n} values, `{}` has {}", factor.name, all.len());
                reader.error(codes::WRONG_LENGTH, span(&factor.name), message, "must be as many");
                return 0;
            }
            Some(_) if side_by_side => {}
            _ => runs = runs.saturating_mul(all.len() as u64),
        }
        first = first.or(Some((&factor.name, all.len())));
    }
    let count = if drawn > 0 { sampling.map_or(1, |s| s.count) } else { 1 };
    runs = runs.saturating_mul(count);
    if drawn > MOST_AXES && sampling.is_some_and(|s| s.method == SampleMethod::Sobol) {
        let message = format!("a Sobol sequence of {drawn} factors, at most {MOST_AXES}");
        let d = Diagnostic::error(codes::TOO_LARGE_VALUE, message).at(span(&factors[0].name));
        reader.complain(d.help("use  method = \"latin-hypercube\""));
    }
    if runs > MOST_RUNS {
        let message = format!("a study of {runs} runs, at most {MOST_RUNS}");
        let d = Diagnostic::error(codes::TOO_LARGE_VALUE, message);
        let at = factors.first().map_or(Span::default(), |f| span(&f.name));
        reader.complain(d.at(at).help("take fewer values, or sample them"));
    }
    runs
}

/// Paths that are not there, shown where the study names them.
fn check_paths(prepared: &PreparedScene, document: &DocTable, factors: &[StudyFactor], report: &mut Report) {
    let table = document.get("factor").and_then(DocNode::as_table);
    for factor in factors {
        let Some(entry) = table.and_then(|t| t.entry(&factor.name)) else { continue };
        let said = entry.node.as_table().and_then(|t| t.get("path"));
        let value = match &factor.course {
            FactorCourse::Values(all) => all.first().map_or(String::new(), |v| v.text.clone()),
            FactorCourse::Drawn(d, _) => number(d.median()).text,
        };
        for (k, path) in factor.paths.iter().enumerate() {
            let node = said.and_then(|n| n.as_list().map_or(Some(n), |list| list.get(k)));
            let span = node.map_or(entry.key_span, |n| n.span);
            let found = prepared.check(&[format!("{path}={value}")]);
            for d in found.all().iter().take(1) {
                let mut d = d.clone().at(span).path(format!("factor/{}", factor.name));
                if node.is_none() {
                    d = d
                        .help(format!("a factor sets what `path` says, or what is called as it is: `{}`", shown(path)));
                }
                report.push(d);
            }
        }
    }
}

fn read_outcomes(
    document: &DocTable,
    base: &Loaded,
    model: &Model,
    factors: &[StudyFactor],
    report: &mut Report,
) -> Outcomes {
    let mut reader = Reader::new(Names::default(), Limits::default(), report);
    let Some(table) = document.get("outcome").and_then(|node| reader.table(node, "outcome")) else {
        return Outcomes::default();
    };
    let mut outcomes = OutcomeReader::new(base, model);
    for entry in table.entries() {
        let before = reader.enter(&format!("outcome/{}", entry.key));
        if reader.good_name(&entry.key, entry.key_span) && free(&mut reader, factors, &entry.key, entry.key_span) {
            let (node, unit) = match entry.node.as_table() {
                Some(inner) => {
                    let record = reader.fields(inner, entry.node.span, &entry.key, &[OUTCOME], None);
                    let unit = record.as_ref().and_then(|r| r.text("unit")).map(str::to_string);
                    (record.and(inner.get("value")), unit)
                }
                None => (Some(&entry.node), None),
            };
            match node.map(|n| (n, n.as_text())) {
                Some((node, Some(text))) => {
                    if let Err(d) = outcomes.read(&entry.key, text, unit, node) {
                        reader.complain(*d);
                    }
                }
                Some((node, None)) => {
                    let d = Diagnostic::error(codes::WRONG_TYPE, format!("the outcome `{}` must be text", entry.key));
                    let d = d.at(node.span).label(format!("this is {}", node.describe()));
                    reader.complain(d.help("an expression in quotes:  \"max(pin.force.norm)\""));
                }
                None => {}
            }
        }
        reader.leave(before);
    }
    outcomes.finish()
}

/// Columns that every table has.
pub(crate) const OWN: [&str; 11] =
    ["run", "end", "steps", "status", "code", "message", "warning", "hash", "scene", "version", "seed"];

/// Is a name that of no other column?
fn free(reader: &mut Reader, factors: &[StudyFactor], name: &str, span: Span) -> bool {
    let taken = OWN.contains(&name) || factors.iter().any(|f| f.name == name);
    if taken {
        let label = "the name of another column of the table";
        reader.error(codes::DUPLICATE, span, format!("nothing of a study can be called `{name}`"), label);
    }
    !taken
}

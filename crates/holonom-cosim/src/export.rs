//! From a scene to a unit: which variables it has, and the archive with all that it needs.

use crate::archive::Archive;
use crate::description::{self, FmiVersion};
use crate::library;
use crate::plan::{InputKind, PLAN_FILE, SCENE_FILE, UnitInput, UnitParameter, UnitPlan, UnitVariable};
use holonom::joints::CoordinateKind;
use holonom::{JointId, Model};
use holonom_run::inputs::{self, prescribes_motion, told};
use holonom_run::{Failure, RunChoices, RunSchedule, RunSettings};
use holonom_scene::diagnostic::nearest;
use holonom_scene::node::{DocTable, Value};
use holonom_scene::quantities::{UnknownQuantity, fits};
use holonom_scene::scene::InteractionRecord;
use holonom_scene::{Limits, Loaded, Loader, Quantities, write};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What somebody chose of a unit.
#[derive(Clone, Debug, Default)]
pub struct UnitChoices {
    /// Name of the unit; that of the scene's file unless given.
    pub name: String,
    /// Names or patterns of inputs; none: the drives that are told a constant.
    pub inputs: Option<Vec<String>>,
    /// Names or patterns of quantities; none: what the scene records.
    pub outputs: Vec<String>,
    /// Limits that the scene was read with.
    pub limits: Limits,
}

/// Why there is no plan.
pub enum NoPlan {
    /// A mistake.
    Failure(Failure),
    /// A quantity that is not there.
    Quantity(UnknownQuantity),
}

impl From<Failure> for NoPlan {
    fn from(failure: Failure) -> Self {
        NoPlan::Failure(failure)
    }
}

/// The variables of a scene as a unit.
pub fn plan(loaded: &Loaded, model: &Model, choices: &UnitChoices) -> Result<UnitPlan, NoPlan> {
    let scene = &loaded.scene;
    let run = RunChoices::default();
    let settings = RunSettings::gather(&run, scene, model, None)?;
    let schedule = RunSchedule::gather(&run, scene)?;
    let recorded = scene.record.columns.iter().map(|c| c.0.as_str());
    let patterns: Vec<&str> = match choices.outputs.is_empty() {
        true => recorded.collect(),
        false => choices.outputs.iter().map(String::as_str).collect(),
    };
    let quantities = Quantities::of_scene(model, scene, &patterns).map_err(NoPlan::Quantity)?;
    // time is a variable of its own
    let outputs = quantities.all()[1..].iter().map(|q| UnitVariable {
        name: q.name.clone(),
        reference: 0,
        unit: q.unit.to_string(),
        description: q.note.clone(),
    });
    let adaptive = settings.dt.is_none();
    let default = Limits::default();
    let mut plan = UnitPlan {
        program: format!("holonom {}", env!("CARGO_PKG_VERSION")),
        model: choices.name.clone(),
        description: if scene.title.is_empty() { scene.description.clone() } else { scene.title.clone() },
        identifier: identifier(&choices.name),
        token: String::new(),
        stop_time: schedule.end,
        step: 1.0 / schedule.rate,
        tolerance: settings.tolerance.or(Some(TOLERANCE)).filter(|_| adaptive),
        parameters: parameters(loaded),
        inputs: chosen_inputs(loaded, model, choices.inputs.as_deref())?,
        outputs: outputs.collect(),
        limits: choices.limits.changed(&default),
    };
    if let Some(name) = plan.twice() {
        let message = format!("two variables of the unit would be called `{name}`");
        return Err(Failure::input(message).help("rename the parameter, or leave the output out (--outputs)").into());
    }
    plan.number();
    Ok(plan)
}

/// Of adaptive steps unless the scene says another.
const TOLERANCE: f64 = 1e-10;

/// A name that a compiler would take.
fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "unit_");
    }
    out
}

/// The parameters; those that use others are calculated.
fn parameters(loaded: &Loaded) -> Vec<UnitParameter> {
    let params = &loaded.scene.params;
    let table = loaded.document.get("params").and_then(|n| n.as_table());
    let mentions = |text: &str| {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.into_iter().any(|word| params.iter().any(|p| p.0 == word))
    };
    let parameter = |(name, start): &(String, f64)| {
        let written = table.and_then(|t| t.get(name)).and_then(|n| n.as_text());
        let description = written.map_or(String::new(), |text| text.trim().to_string());
        UnitParameter {
            variable: UnitVariable { name: name.clone(), reference: 0, unit: String::new(), description },
            start: *start,
            calculated: written.is_some_and(mentions),
        }
    };
    params.iter().map(parameter).collect()
}

/// Every input that the scene could have.
fn possible_inputs(loaded: &Loaded, model: &Model) -> Vec<UnitInput> {
    let input = |name: String, unit: &str, description: String, start: f64, acts: InputKind| UnitInput {
        variable: UnitVariable { name, reference: 0, unit: unit.into(), description },
        start,
        acts,
    };
    let drives = loaded.scene.drives.iter().filter_map(|drive| {
        let (field, function) = told(drive)?;
        let motion = prescribes_motion(drive);
        let what = format!("what the drive `{}` ({}) is told", drive.name, drive.kind().name);
        let acts = InputKind::Drive { drive: drive.name.to_string(), motion };
        let (name, unit) = (format!("{}.{field}", drive.name), unit_of_drive(model, drive));
        Some(input(name, unit, what, function.at(0.0)[0], acts))
    });
    let efforts = inputs::coordinates(model).map(|(joint, index)| {
        let name = model.joint_name(joint);
        let suffix = if index == 0 { String::new() } else { format!(".{index}") };
        let [effort, _] = units_of_coordinate(model, joint, index);
        let what =
            format!("{} along the coordinate of the joint `{name}`", if effort == "N" { "force" } else { "torque" });
        let acts = InputKind::Effort { joint: name.into(), index };
        input(format!("{name}.effort{suffix}"), effort, what, 0.0, acts)
    });
    drives.chain(efforts).collect()
}

/// Unit of the effort along a coordinate, and of the coordinate.
fn units_of_coordinate(model: &Model, joint: JointId, index: usize) -> [&'static str; 2] {
    match model.coordinate_kinds(joint)[index] {
        CoordinateKind::Angle => ["N m", "rad"],
        CoordinateKind::Length => ["N", "m"],
    }
}

/// Unit of what a drive is told, where its kind and its joint say it.
fn unit_of_drive(model: &Model, drive: &InteractionRecord) -> &'static str {
    let Some(coordinate) = drive.record.coordinate("joint") else { return "" };
    let Some(joint) = model.joint(&coordinate.joint) else { return "" };
    if coordinate.index >= model.coordinate_kinds(joint).len() {
        return "";
    }
    let [effort, place] = units_of_coordinate(model, joint, coordinate.index);
    match (drive.kind().name, place) {
        ("position", _) => place,
        ("speed", "rad") => "rad/s",
        ("speed", _) => "m/s",
        ("torque", _) => effort,
        _ => "",
    }
}

/// Does a drive stay at what it is told at the start?
fn is_constant(drive: &InteractionRecord) -> bool {
    const TIMES: [f64; 6] = [0.013, 0.37, 1.0, 3.1, 17.0, 1000.0];
    told(drive).is_some_and(|(_, f)| {
        let first = f.at(0.0);
        TIMES.iter().all(|t| f.at(*t) == [first[0], 0.0, 0.0])
    })
}

fn chosen_inputs(loaded: &Loaded, model: &Model, wanted: Option<&[String]>) -> Result<Vec<UnitInput>, Failure> {
    let all = possible_inputs(loaded, model);
    let Some(wanted) = wanted else {
        let constant = |name: &str| loaded.scene.drives.iter().any(|d| &*d.name == name && is_constant(d));
        let usual = |i: &UnitInput| matches!(&i.acts, InputKind::Drive { drive, .. } if constant(drive));
        return Ok(all.into_iter().filter(usual).collect());
    };
    let mut chosen: Vec<UnitInput> = Vec::new();
    for pattern in wanted.iter().map(|w| w.trim()).filter(|w| !w.is_empty() && *w != "none") {
        let meant = |i: &&UnitInput| {
            // a drive may be named alone
            let alone = matches!(&i.acts, InputKind::Drive { drive, .. } if drive == pattern);
            alone || fits(pattern, &i.variable.name)
        };
        let found: Vec<&UnitInput> = all.iter().filter(meant).collect();
        if found.is_empty() {
            let names = || all.iter().map(|i| i.variable.name.as_str());
            let listed: Vec<&str> = names().take(20).collect();
            let more = if all.len() > 20 { ", ..." } else { "" };
            let there = match listed.is_empty() {
                true => "the scene has no drive that is told one number, and no joint coordinate".to_string(),
                false => format!("inputs that the scene can have: {}{more}", listed.join(", ")),
            };
            return Err(Failure::input(format!("there is no input `{pattern}`"))
                .did_you_mean(nearest(pattern, names()))
                .help(there));
        }
        for input in found {
            if !chosen.iter().any(|c| c.variable.name == input.variable.name) {
                chosen.push(input.clone());
            }
        }
    }
    Ok(chosen)
}

/// A library for the unit, as it was read from a file.
pub struct UnitLibrary {
    /// Where it was.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What lies in the unit's folder of resources: the plan, the scene and its meshes, by name. The token of the plan is
/// made here, from all of them.
pub fn resources(plan: &mut UnitPlan, loaded: &Loaded) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let (scene, mut files) = self_contained(loaded)?;
    reads_back(plan, &scene, loaded, files.is_empty())?;
    plan.token = token(plan, &scene, &files);
    let text = serde_json::to_string_pretty(plan).map_err(|e| Failure::io(format!("{PLAN_FILE}: {e}")))?;
    files.insert(PLAN_FILE.into(), text.into_bytes());
    files.insert(SCENE_FILE.into(), scene.into_bytes());
    Ok(files)
}

/// The unit as the bytes of a `.fmu`.
pub fn archive(
    plan: &mut UnitPlan,
    loaded: &Loaded,
    libraries: &[UnitLibrary],
    version: FmiVersion,
) -> Result<Vec<u8>, Failure> {
    let resources = resources(plan, loaded)?;
    let mut archive = Archive::default();
    let too_large = || Failure::limit("the unit is larger than 4 GiB, more than its format allows");
    let description = description::xml(plan, version);
    archive.add("modelDescription.xml", description.as_bytes()).ok_or_else(too_large)?;
    for library in libraries {
        archive.add(&place(plan, library, version)?, &library.bytes).ok_or_else(too_large)?;
    }
    for (name, content) in &resources {
        archive.add(&format!("resources/{name}"), content).ok_or_else(too_large)?;
    }
    archive.finish().ok_or_else(too_large)
}

/// Where a library lies in the unit. Refused is what is no library of ours, or of another version.
fn place(plan: &UnitPlan, library: &UnitLibrary, version: FmiVersion) -> Result<String, Failure> {
    let shown = library.path.display();
    let Some(platform) = library::platform(&library.bytes) else {
        return Err(Failure::input(format!("`{shown}` is not a shared library for a machine that units are for")));
    };
    let ours = env!("CARGO_PKG_VERSION");
    match library::version(&library.bytes) {
        Some(v) if v == ours => {}
        Some(other) => {
            let message = format!("`{shown}` belongs to holonom {other}, this is holonom {ours}");
            return Err(
                Failure::input(message).help("build both from the same sources: cargo build --release -p holonom-fmi")
            );
        }
        None => {
            return Err(Failure::input(format!("`{shown}` is not the library of co-simulation units"))
                .help("it is built by  cargo build --release -p holonom-fmi"));
        }
    }
    let folder = match version {
        FmiVersion::Three => platform.tuple,
        FmiVersion::Two if platform.plain.is_empty() => {
            let message = format!("`{shown}` is for {}, which FMI 2.0 does not know", platform.tuple);
            return Err(Failure::input(message).help("export it as FMI 3.0"));
        }
        FmiVersion::Two => platform.plain,
    };
    Ok(format!("binaries/{folder}/{}.{}", plan.identifier, platform.suffix))
}

/// The scene as one text, and the files it names by their new names.
fn self_contained(loaded: &Loaded) -> Result<(String, BTreeMap<String, Vec<u8>>), Failure> {
    let mut document = loaded.document.clone();
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut known: BTreeMap<PathBuf, String> = BTreeMap::new();
    let folders: Vec<Option<PathBuf>> = loaded
        .sources
        .files()
        .iter()
        .map(|f| f.path.as_deref().and_then(Path::parent).map(Path::to_path_buf))
        .collect();
    let mut open: Vec<&mut DocTable> = vec![&mut document];
    while let Some(table) = open.pop() {
        let mesh = table.get("kind").and_then(|n| n.as_text()) == Some("mesh");
        for entry in table.entries_mut() {
            match &mut entry.node.value {
                Value::Text(text) if mesh && entry.key == "file" => {
                    let folder = folders.get(entry.node.span.file as usize).cloned().flatten().unwrap_or_default();
                    // it was read from there before
                    let path = folder.join(&*text);
                    if !known.contains_key(&path) {
                        let read =
                            std::fs::read(&path).map_err(|e| Failure::io(format!("`{}`: {e}", path.display())))?;
                        let base = path.file_name().map_or("mesh".into(), |n| n.to_string_lossy().into_owned());
                        let base: String =
                            base.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
                        let name = format!("meshes/{}-{base}", known.len());
                        files.insert(name.clone(), read);
                        known.insert(path.clone(), name);
                    }
                    *text = known[&path].clone();
                }
                Value::Table(inner) => open.push(inner),
                Value::List(list) => open.extend(list.iter_mut().filter_map(|n| match &mut n.value {
                    Value::Table(inner) => Some(inner),
                    _ => None,
                })),
                _ => {}
            }
        }
    }
    Ok((write::document(&document), files))
}

/// Is the text the scene that it was made from? One with meshes is only read by the unit.
fn reads_back(plan: &UnitPlan, text: &str, loaded: &Loaded, alone: bool) -> Result<(), Failure> {
    if !alone {
        return Ok(());
    }
    let loader = Loader { limits: plan.limits(), ..Loader::default() };
    let again = loader.load_text(SCENE_FILE, text)?;
    if again.fingerprint() != loaded.fingerprint() {
        return Err(Failure::input("the scene does not read back from one text as it was read from its files"));
    }
    Ok(())
}

/// A token as tools like to see it, from everything that decides what the unit does.
fn token(plan: &UnitPlan, scene: &str, meshes: &BTreeMap<String, Vec<u8>>) -> String {
    let mut hash = Sha256::new();
    let text = serde_json::to_string(&UnitPlan { token: String::new(), ..plan.clone() }).unwrap_or_default();
    for part in [text.as_bytes(), scene.as_bytes()].into_iter().chain(meshes.values().map(Vec::as_slice)) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hex: String = hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("{{{}-{}-{}-{}-{}}}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

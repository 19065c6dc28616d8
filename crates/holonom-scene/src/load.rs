//! Files in, scenes out.

use crate::build;
use crate::codes;
use crate::confine::{Confinement, read_bytes, shown};
use crate::diagnostic::{Diagnostic, Report};
use crate::include;
use crate::limits::Limits;
use crate::node::{DocTable, Value, parse_toml};
use crate::read::{self, Environment};
use crate::scene::Scene;
use crate::set;
use crate::source::Sources;
use holonom::math::Mat3;
use holonom::{BodyId, Marker, Model};
use std::path::{Path, PathBuf};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A scene file.
    Scene,
    /// Unified Robot Description Format.
    Urdf,
    /// MuJoCo's format.
    Mjcf,
}

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct Loader {
    /// Budgets.
    pub limits: Limits,
    /// Folders besides the scene's own from which files may be read.
    pub allowed: Vec<PathBuf>,
    /// Folders below which packages of ROS are, as in `ROS_PACKAGE_PATH`: `package://` paths are looked up there.
    pub package_paths: Vec<PathBuf>,
    /// Changes, `path=value`, as `--set` gives them. Of a URDF also `base.fixed=true`,
    /// `start.JOINT=0.7` and `hold.kp=500`.
    pub settings: Vec<String>,
    /// New values of parameters, for programs; before the settings.
    pub parameters: Vec<(String, f64)>,
    /// Do warnings count as errors?
    pub strict: bool,
}

/// A scene that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// The document it was read from, for writing it again.
    pub document: DocTable,
    /// What the file was.
    pub format: Format,
    /// Its texts.
    pub sources: Sources,
    /// Warnings; for imports, everything that does not count.
    pub report: Report,
}

/// A scene that could not be read.
#[derive(Debug)]
pub struct LoadError {
    /// What is wrong.
    pub report: Report,
    /// The texts it refers to.
    pub sources: Sources,
}

impl LoadError {
    fn new(d: Diagnostic) -> Self {
        let mut report = Report::new();
        report.push(d);
        LoadError { report, sources: Sources::new() }
    }

    /// As a compiler would print it.
    pub fn render(&self) -> String {
        self.report.render(&self.sources)
    }
}

/// Limits, files and the report, for importers and includes.
pub struct ImportContext<'a> {
    /// Budgets.
    pub limits: Limits,
    /// Which files may be read.
    pub confinement: &'a Confinement,
    /// All texts.
    pub sources: &'a mut Sources,
    /// Errors and warnings.
    pub report: &'a mut Report,
    /// Changes of a robot's side file, `base.FIELD=VALUE` and `start.JOINT=VALUE`.
    pub side_settings: Vec<String>,
}

impl ImportContext<'_> {
    /// The folder of a text.
    pub fn folder(&self, file: u32) -> PathBuf {
        let path = self.sources.file(file).and_then(|f| f.path.as_deref());
        path.and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
    }

    /// Read another text that the text `file` names. Errors are left to the caller to place.
    pub fn read_text(&mut self, name: &str, file: u32) -> Result<u32, Box<Diagnostic>> {
        let path = self.confinement.resolve(name, &self.folder(file))?;
        let n = self.sources.files().len() as u64;
        Limits::check(codes::TOO_MANY_FILES, "files", n + 1, self.limits.files, "files")?;
        let bytes = read_bytes(&path, name, self.limits.file)?;
        let shown_as = match self.sources.file(file).map(|f| Path::new(&f.name)).and_then(Path::parent) {
            Some(folder) if !folder.as_os_str().is_empty() => folder.join(name).display().to_string(),
            _ => name.to_string(),
        };
        Ok(self.sources.add(shown_as, Some(&path), text_of(bytes, name)?))
    }
}

fn text_of(bytes: Vec<u8>, name: &str) -> Result<String, Box<Diagnostic>> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
        let message = format!("`{}` is not UTF-8 text", shown(name));
        Box::new(Diagnostic::error(codes::NOT_TEXT, message).label(format!("line {line}, byte {at}")))
    })
}

impl Loader {
    /// With the usual limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Read a scene, a URDF or an MJCF from a file.
    pub fn load(&self, path: &Path) -> Result<Loaded, LoadError> {
        let name = path.display().to_string();
        let read = read_bytes(path, &name, self.limits.file).and_then(|bytes| text_of(bytes, &name));
        let text = read.map_err(|d| LoadError::new(*d))?;
        let confinement = self.confinement(path)?;
        self.read(name, path.canonicalize().ok().as_deref(), text, &confinement)
    }

    /// With another value of a parameter.
    pub fn parameter(mut self, name: impl Into<String>, value: f64) -> Self {
        self.parameters.push((name.into(), value));
        self
    }

    fn set_parameters(&self, document: &mut DocTable, report: &mut Report) {
        for (name, value) in &self.parameters {
            let params = document.get_mut("params").and_then(|node| match &mut node.value {
                Value::Table(table) => Some(table),
                _ => None,
            });
            match params.and_then(|table| table.get_mut(name)) {
                Some(node) => node.value = Value::Number(*value),
                None => {
                    let message = format!("the scene has no parameter `{}`", shown(name));
                    report.push(Diagnostic::error(codes::UNKNOWN_SETTING, message));
                }
            }
        }
    }

    /// Read a scene from memory; it may name no files. The suffix of the name says what it is.
    pub fn load_text(&self, name: &str, text: impl Into<String>) -> Result<Loaded, LoadError> {
        self.read(name.to_string(), None, text.into(), &Confinement::none())
    }

    /// Read a scene from memory as if it were the text of this file: it may name files of the file's folder. The file
    /// itself need not exist.
    pub fn load_text_at(&self, path: &Path, text: impl Into<String>) -> Result<Loaded, LoadError> {
        let confinement = self.confinement(path)?;
        self.read(path.display().to_string(), Some(path), text.into(), &confinement)
    }

    /// The folders from which the scene in this file may read others.
    fn confinement(&self, path: &Path) -> Result<Confinement, LoadError> {
        let mut confinement = Confinement::to_folder_of(path);
        for folder in &self.allowed {
            confinement.allow(folder).map_err(|e| {
                let message = format!("--allow-path {}: {e}", folder.display());
                LoadError::new(Diagnostic::error(codes::CANNOT_READ, message))
            })?;
        }
        for folder in &self.package_paths {
            confinement.allow_packages(folder).map_err(|e| {
                let message = format!("--package-path {}: {e}", folder.display());
                LoadError::new(Diagnostic::error(codes::CANNOT_READ, message))
            })?;
        }
        Ok(confinement)
    }

    fn read(
        &self,
        name: String,
        path: Option<&Path>,
        text: String,
        confinement: &Confinement,
    ) -> Result<Loaded, LoadError> {
        self.prepare(name, path, text, confinement)?.into_loaded(&[])
    }

    /// Read a file as [`Loader::load`] does, as far as everything is the same whatever is set afterwards.
    pub fn prepare_file(&self, path: &Path) -> Result<PreparedScene, LoadError> {
        let name = path.display().to_string();
        let read = read_bytes(path, &name, self.limits.file).and_then(|bytes| text_of(bytes, &name));
        let text = read.map_err(|d| LoadError::new(*d))?;
        let confinement = self.confinement(path)?;
        self.prepare(name, path.canonicalize().ok().as_deref(), text, &confinement)
    }

    /// The same of a text; with a path as in [`Loader::load_text_at`].
    pub fn prepare_text(
        &self,
        name: &str,
        path: Option<&Path>,
        text: impl Into<String>,
    ) -> Result<PreparedScene, LoadError> {
        let confinement = path.map_or(Ok(Confinement::none()), |path| self.confinement(path))?;
        self.prepare(name.to_string(), path, text.into(), &confinement)
    }

    fn prepare(
        &self,
        name: String,
        path: Option<&Path>,
        text: String,
        confinement: &Confinement,
    ) -> Result<PreparedScene, LoadError> {
        let mut report = Report::new();
        let mut sources = Sources::new();
        let file = sources.add(name.clone(), path, text);
        let format = format_of(&name, &sources.files()[0].text);
        let Some(format) = format else {
            let message = format!("the kind of file of `{}` is not known", shown(&name));
            let d = Diagnostic::error(codes::UNKNOWN_FORMAT, message);
            report.push(d.help("scenes are .toml, .urdf or .xml files, or names of the gallery (`holonom scenes`)"));
            return Err(LoadError { report, sources });
        };
        let of_side = |s: &&String| format == Format::Urdf && set::is_of_side_file(s);
        let (side_settings, settings): (Vec<String>, Vec<String>) =
            self.settings.iter().cloned().partition(|s| of_side(&s));
        let (limits, sources_of, report_of) = (self.limits, &mut sources, &mut report);
        let mut context = ImportContext { limits, confinement, sources: sources_of, report: report_of, side_settings };
        let mut document = match format {
            Format::Scene => {
                let text = context.sources.files()[0].text.clone();
                let document = parse_toml(&text, file, &self.limits, context.report);
                if context.report.has_errors() { document } else { include::include(document, file, &mut context) }
            }
            Format::Urdf => crate::urdf::import(file, &mut context),
            Format::Mjcf => crate::mjcf::import(file, &mut context),
        };
        if !report.has_errors() {
            self.set_parameters(&mut document, &mut report);
            set::apply(&mut document, &settings, &mut sources, &self.limits, &mut report);
        }
        if report.has_errors() {
            return Err(LoadError { report, sources });
        }
        let (limits, strict) = (self.limits, self.strict);
        Ok(PreparedScene { document, format, sources, report, confinement: confinement.clone(), limits, strict })
    }
}

/// A scene of which the texts were read, to be finished many times with other settings: the work of reading files is
/// done once.
#[derive(Clone, Debug)]
pub struct PreparedScene {
    document: DocTable,
    format: Format,
    sources: Sources,
    /// What was said of it so far.
    report: Report,
    confinement: Confinement,
    limits: Limits,
    strict: bool,
}

impl PreparedScene {
    /// The document, after the settings of the loader.
    pub fn document(&self) -> &DocTable {
        &self.document
    }

    /// The texts it was read from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What is wrong with settings as such: names that are not there. Their values are looked at by
    /// [`PreparedScene::finish`].
    pub fn check(&self, settings: &[String]) -> Report {
        let mut report = Report::new();
        set::apply(&mut self.document.clone(), settings, &mut self.sources.clone(), &self.limits, &mut report);
        report
    }

    /// The scene with further settings, as [`Loader::load`] reads it with all of them.
    pub fn finish(&self, settings: &[String]) -> Result<Loaded, LoadError> {
        self.clone().into_loaded(settings)
    }

    /// The same where it is finished once.
    fn into_loaded(self, settings: &[String]) -> Result<Loaded, LoadError> {
        let PreparedScene { mut document, format, mut sources, mut report, confinement, limits, strict } = self;
        set::apply(&mut document, settings, &mut sources, &limits, &mut report);
        if report.has_errors() {
            return Err(LoadError { report, sources });
        }
        let folders: Vec<_> =
            sources.files().iter().map(|f| f.path.as_deref().and_then(Path::parent).map(Path::to_path_buf)).collect();
        let around = Environment { limits, confinement: &confinement, folders: &folders };
        let scene = read::read(&document, &around, &mut report);
        if strict {
            report.make_strict();
        }
        if report.has_errors() {
            return Err(LoadError { report, sources });
        }
        Ok(Loaded { scene, document, format, sources, report })
    }
}

impl Loaded {
    /// Build the model of the scene.
    pub fn build(&self) -> Result<Model, LoadError> {
        let mut report = Report::new();
        match build::build(&self.scene, &mut report) {
            Some(model) => Ok(model),
            None => Err(LoadError { report, sources: self.sources.clone() }),
        }
    }
}

/// Sections and fields that a mechanism does not depend on.
const FOR_THE_EYE: &[&str] = &["title", "description", "camera", "record", "run", "colour", "hidden"];

impl Loaded {
    /// A number that differs between scenes whose mechanisms differ in any value, after all settings. What is only to
    /// be seen, and how it is run, does not count.
    pub fn fingerprint(&self) -> u64 {
        let mut document = self.document.clone();
        let mut open = vec![&mut document];
        while let Some(table) = open.pop() {
            table.entries_mut().retain(|e| !FOR_THE_EYE.contains(&&*e.key));
            for entry in table.entries_mut() {
                match &mut entry.node.value {
                    Value::Table(inner) => open.push(inner),
                    Value::List(list) => open.extend(list.iter_mut().filter_map(|n| match &mut n.value {
                        Value::Table(inner) => Some(inner),
                        _ => None,
                    })),
                    _ => {}
                }
            }
        }
        // FNV-1a
        let bytes = crate::write::document(&document).into_bytes();
        bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

impl Scene {
    /// A point by its name, `body.point`, or the origin of a body, `body`.
    pub fn marker(&self, name: &str) -> Option<Marker> {
        let (body, point) = name.split_once('.').map_or((name, None), |(body, point)| (body, Some(point)));
        let (id, points) = match body {
            "ground" => (BodyId::GROUND, &*self.ground_points),
            _ => {
                let i = self.bodies.iter().position(|b| &*b.name == body)?;
                (BodyId::from_index(i), &*self.bodies[i].points)
            }
        };
        let Some(point) = point else { return Some(id.origin()) };
        let pose = points.iter().find(|p| &*p.name == point)?.pose;
        Some(Marker { body: id, point: pose.position, axes: Mat3::from_quat(pose.rotation) })
    }
}

/// What a file is, by its suffix; XML by its root element.
fn format_of(name: &str, text: &str) -> Option<Format> {
    let suffix = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    match suffix.as_str() {
        "toml" => Some(Format::Scene),
        "urdf" | "xacro" => Some(Format::Urdf),
        "xml" | "mjcf" => {
            let head = text.get(..text.len().min(100_000)).unwrap_or(text);
            let robot = head.find("<robot").unwrap_or(usize::MAX);
            let mujoco = head.find("<mujoco").unwrap_or(usize::MAX);
            Some(if robot < mujoco { Format::Urdf } else { Format::Mjcf })
        }
        _ => None,
    }
}

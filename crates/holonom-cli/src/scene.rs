//! Scenes on the command line: a file or a name of the gallery, and the options that go with it everywhere.

use crate::error::{CliError, to_stderr, warn};
use holonom::Model;
use holonom_scene::diagnostic::SHOWN;
use holonom_scene::diagnostic::nearest;
use holonom_scene::node::DocTable;
use holonom_scene::{Limits, Loaded, Loader, codes, gallery};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of every command that takes a scene.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SceneArgs {
    /// A scene (.toml), a robot (.urdf, .xml), or a name of the gallery (see `holonom scenes`)
    pub scene: String,
    #[command(flatten)]
    pub options: SceneOptions,
}

/// Options without the scene itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SceneOptions {
    /// Change a parameter or a field of the scene, e.g. `--set L=2` or `--set body.rod.mass=3`
    #[arg(long = "set", value_name = "PATH=VALUE", help_heading = "Scene options")]
    pub set: Vec<String>,
    /// Let the scene read files from another folder
    #[arg(long, value_name = "DIR", help_heading = "Scene options")]
    pub allow_path: Vec<PathBuf>,
    /// Change a limit: file, depth, attributes, bodies, files, triangles, values
    #[arg(long = "limit", value_name = "NAME=N", help_heading = "Scene options")]
    pub limit: Vec<String>,
    /// Treat warnings, such as ignored parts of an imported robot, as errors
    #[arg(long, help_heading = "Scene options")]
    pub strict: bool,
}

/// A scene that was read, and its model.
pub(crate) struct OpenedScene {
    pub loaded: Loaded,
    pub model: Arc<Model>,
    /// As it was asked for.
    pub name: String,
}

/// From so many bodies on, what a scene says of each of them is not kept while its model runs: half a gigabyte for a
/// million.
const MANY: usize = 100_000;

impl OpenedScene {
    /// Forget what only the building of the model needed. Messages of a run that stops then name bodies, but not their
    /// lines.
    pub fn lighten(&mut self) {
        if self.loaded.scene.bodies.len() >= MANY {
            self.loaded.scene.bodies = Vec::new();
            self.loaded.scene.joints = Vec::new();
            self.loaded.document = DocTable::new();
        }
    }
}

impl SceneArgs {
    /// Read the scene and build its model. Warnings go to standard error.
    pub fn open(&self) -> Result<OpenedScene, CliError> {
        let loaded = self.load()?;
        let model = Arc::new(loaded.build()?);
        Ok(OpenedScene { loaded, model, name: self.scene.clone() })
    }

    /// Only read it.
    pub fn load(&self) -> Result<Loaded, CliError> {
        let loaded = self.load_quietly()?;
        print_warnings(&loaded);
        Ok(loaded)
    }

    /// Only read it, and leave the warnings to the caller.
    pub fn load_quietly(&self) -> Result<Loaded, CliError> {
        let loader = self.options.loader()?;
        let loaded = match find(&self.scene)? {
            Found::File(path) => loader.load(&path)?,
            Found::Gallery(entry) => loader.load_text(&format!("{}.toml", entry.name), entry.text)?,
        };
        Ok(loaded)
    }
}

impl SceneOptions {
    /// A reader with these options.
    pub fn loader(&self) -> Result<Loader, CliError> {
        let mut limits = Limits::default();
        for text in &self.limit {
            let known = format!("limits are {}", Limits::NAMES.join(", "));
            let wrong = |why: String| CliError::usage(format!("--limit {text}: {why}"));
            let Some((name, value)) = text.split_once('=') else {
                return Err(wrong("must be NAME=N".into())
                    .help("for instance  --limit bodies=5000000")
                    .note("note", known));
            };
            let (name, value) = (name.trim(), value.trim().replace('_', ""));
            let number: u64 = match value.parse() {
                Ok(n) if n > 0 => n,
                _ => return Err(wrong(format!("`{value}` is not a whole number greater than 0"))),
            };
            if !limits.set(name, number) {
                let error = wrong(format!("there is no limit `{name}`"));
                return Err(error.did_you_mean(nearest(name, Limits::NAMES)).help(known));
            }
        }
        Ok(Loader {
            limits,
            allowed: self.allow_path.clone(),
            settings: self.set.clone(),
            strict: self.strict,
            ..Loader::default()
        })
    }
}

enum Found {
    File(PathBuf),
    Gallery(&'static gallery::GalleryScene),
}

/// A file, or a scene of the gallery. What looks like a path is one.
fn find(name: &str) -> Result<Found, CliError> {
    let path = Path::new(name);
    let looks_like_path = name.contains(['/', '\\']) || path.extension().is_some();
    if !looks_like_path && let Some(entry) = gallery::find(name) {
        return Ok(Found::Gallery(entry));
    }
    if looks_like_path || path.exists() {
        return Ok(Found::File(path.to_path_buf()));
    }
    let names = gallery::GALLERY.iter().chain(gallery::VERIFICATION).map(|e| e.name);
    Err(CliError::usage(format!("there is no scene `{name}`: neither a file nor a name of the gallery"))
        .did_you_mean(nearest(name, names))
        .help("`holonom scenes` lists the gallery; files end in .toml, .urdf or .xml"))
}

/// Warnings as they are, up to twenty; of more, how often each kind occurs.
fn print_warnings(loaded: &Loaded) {
    let warnings: Vec<_> = loaded.report.warnings().collect();
    if warnings.is_empty() {
        return;
    }
    if warnings.len() <= SHOWN {
        to_stderr(&loaded.report.render(&loaded.sources));
        return;
    }
    // the same message about different places counts together
    let mut kinds: Vec<(&str, usize, String)> = Vec::new();
    for w in &warnings {
        match kinds.iter_mut().find(|k| k.0 == w.message) {
            Some(k) => k.1 += 1,
            None => kinds.push((&w.message, 1, w.code.to_string())),
        }
    }
    warn(&format!("{} parts of `{}` do not count as they stand:", warnings.len(), first_name(loaded)));
    for (message, n, code) in kinds.iter().take(SHOWN) {
        let times = if *n == 1 { String::new() } else { format!(" ({n} times)") };
        to_stderr(&format!("  = {code}: {message}{times}\n"));
    }
    if kinds.len() > SHOWN {
        to_stderr(&format!("  = and {} more kinds of them\n", kinds.len() - SHOWN));
    }
    to_stderr("  = help: `holonom convert IN OUT.toml` writes the scene that is left; --strict makes these errors\n");
}

fn first_name(loaded: &Loaded) -> &str {
    loaded.sources.files().first().map_or("", |f| f.name.as_str())
}

/// A name for files made from a scene: that of its file without the suffix.
pub(crate) fn stem(scene: &str) -> String {
    let stem = Path::new(scene).file_stem().and_then(|s| s.to_str()).unwrap_or("scene");
    stem.to_string()
}

/// A quantity that is not there, at the line of the scene that named it if one did.
pub(crate) fn unknown_quantity(
    unknown: &holonom_scene::quantities::UnknownQuantity,
    span: Option<holonom_scene::source::Span>,
    loaded: &Loaded,
) -> CliError {
    let mut d = unknown.diagnostic(span);
    if span.is_none() && d.code == codes::UNKNOWN_COLUMN {
        d.path = "--columns".into();
    }
    CliError::diagnostic(d, &loaded.sources)
}

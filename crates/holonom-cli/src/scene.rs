//! Scenes on the command line: a file or a name of the gallery, and the options that go with it everywhere.

use crate::error::{CliError, to_stderr, warn};
pub(crate) use holonom_run::OpenedScene;
use holonom_run::scenes;
use holonom_scene::diagnostic::SHOWN;
use holonom_scene::diagnostic::nearest;
use holonom_scene::{Limits, Loaded, Loader, codes};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of every command that takes a scene.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SceneArgs {
    /// A scene (.toml), a robot (.urdf, .xml), a name of the gallery (see `holonom scenes`), or `-` for standard input
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
    /// Fix the root of a URDF robot to the ground: short for `--set base.fixed=true`
    #[arg(long, help_heading = "Scene options")]
    pub fixed_base: bool,
    /// A folder with packages of ROS, in which `package://` paths are looked up [default: ROS_PACKAGE_PATH and
    /// AMENT_PREFIX_PATH]
    #[arg(long, value_name = "DIR", help_heading = "Scene options")]
    pub package_path: Vec<PathBuf>,
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

impl SceneArgs {
    /// Read the scene and build its model. Warnings go to standard error.
    pub fn open(&self) -> Result<OpenedScene, CliError> {
        let loaded = self.load()?;
        let model = Arc::new(loaded.build()?);
        let values = loaded.fingerprint();
        Ok(OpenedScene { loaded, model, name: self.scene.clone(), values })
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
        if self.scene == "-" {
            let text = standard_input(loader.limits.file)?;
            let robot = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
            let suffix = if robot { "xml" } else { "toml" };
            // files that it names are looked for where the command was started
            return Ok(loader.load_text_at(Path::new(&format!("standard-input.{suffix}")), text)?);
        }
        Ok(scenes::open(&self.scene, &loader)?)
    }
}

impl SceneOptions {
    /// Everything that changes the scene, as `--set` would say it.
    pub fn settings(&self) -> Vec<String> {
        let fixed = self.fixed_base.then(|| "base.fixed=true".to_string());
        self.set.iter().cloned().chain(fixed).collect()
    }

    /// The same options for the scene as it was written after the changes.
    pub fn without_settings(&self) -> SceneOptions {
        SceneOptions { set: Vec::new(), fixed_base: false, ..self.clone() }
    }

    /// Folders of packages: those given, or else those of the environment that are there.
    fn package_paths(&self) -> Vec<PathBuf> {
        if !self.package_path.is_empty() {
            return self.package_path.clone();
        }
        let listed = |name: &str| std::env::var_os(name).unwrap_or_default();
        let first: Vec<PathBuf> = std::env::split_paths(&listed("ROS_PACKAGE_PATH")).collect();
        let second = std::env::split_paths(&listed("AMENT_PREFIX_PATH")).map(|p| p.join("share")).collect();
        [first, second].concat().into_iter().filter(|p| p.is_absolute() && p.is_dir()).collect()
    }

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
            package_paths: self.package_paths(),
            settings: self.settings(),
            strict: self.strict,
            ..Loader::default()
        })
    }
}

/// The text of a scene that comes through a pipe.
fn standard_input(limit: u64) -> Result<String, CliError> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_string(&mut text);
    read.map_err(|e| CliError::io(format!("standard input cannot be read: {e}")))?;
    match text.len() as u64 > limit {
        true => {
            Err(CliError::limit(format!("standard input has more than {limit} bytes"))
                .help("--limit file=N allows more"))
        }
        false => Ok(text),
    }
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
    option: &str,
) -> CliError {
    let mut d = unknown.diagnostic(span);
    if span.is_none() && d.code == codes::UNKNOWN_COLUMN {
        d.path = option.into();
    }
    CliError::diagnostic(d, &loaded.sources)
}

//! `holonom view [SCENE|RUN]`, and `holonom` alone: the page in the browser, served until Ctrl-C.

use crate::Exit;
use crate::browser;
use crate::error::{CliError, to_stderr, warn};
use crate::interrupt::Interrupt;
use crate::output::StandardOutput;
use crate::recordings::not_a_recording;
use crate::scene::{SceneArgs, SceneOptions};
use holonom_record::describe;
use holonom_scene::{Loaded, write};
use holonom_view::hub::Hub;
use holonom_view::page;
use holonom_view::server::{Server, Token};
use holonom_view::session::{SceneOrigin, Session};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Open a scene in the browser: look at it, drag it, measure it, build it.
///
/// Without a scene: the gallery. With a recording: the scene that was recorded. The page is served to this machine
/// only, at an address with a secret in it that is printed. Ctrl-C ends it.
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "Examples:\n  holonom view\n  holonom view four-bar\n  holonom view crane.toml --set L=2 --port 8080 --no-open"
)]
pub(crate) struct ViewArgs {
    /// A scene (.toml), a robot (.urdf, .xml), a name of the gallery, or a recording (.parquet, .hrec)
    #[arg(value_name = "SCENE|RUN")]
    what: Option<String>,
    /// Port to serve at; the address stays the same from start to start [default: the system chooses]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open a browser, only print the address
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    options: SceneOptions,
}

/// What is shown first where nothing is named.
const FIRST: &str = "four-bar";

pub(crate) fn run(args: &ViewArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let session = session(args)?;
    let title = session.scene().title.clone();
    let interrupt = Interrupt::watch();
    let hub = Hub::start(session);
    let server = match args.port {
        // a page that is open finds its program again after a restart
        Some(port) if port != 0 => Token::kept(port).and_then(|token| Server::bind_with(hub.clone(), port, token)),
        _ => Server::bind(hub.clone(), 0),
    };
    let server = server.map_err(unbound)?;
    if !page::COMPLETE {
        warn(page::MISSING.0);
        to_stderr(&format!("  = help: {}\n", page::MISSING.1));
    }
    let shown = if args.what.is_some() && !title.is_empty() { format!(": {title}") } else { String::new() };
    out.write(&format!(
        "holonom {}{shown}\n\n  {}\n\nCtrl-C ends it. The address is a secret: it lets in whoever has it.\n\
         `holonom --help` lists what else there is.\n",
        env!("CARGO_PKG_VERSION"),
        server.url(),
    ))?;
    if !args.no_open {
        browser::open(&server.ticket_url());
    }
    let served = server.run_until(|| interrupt.asked());
    hub.stop();
    served.map_err(|e| CliError::io(format!("the page cannot be served any longer: {e}")))?;
    Ok(Exit::Ok)
}

fn unbound(e: std::io::Error) -> CliError {
    let error = CliError::io(e.to_string());
    match e.kind() {
        ErrorKind::AddrInUse => error.help("name another with --port, or leave --port out and the system chooses one"),
        ErrorKind::PermissionDenied => error.help("ports from 1024 on are free to use, for instance  --port 8080"),
        _ => error,
    }
}

/// What to begin with.
fn session(args: &ViewArgs) -> Result<Session, CliError> {
    let mut session = Session::new();
    let (scene, options) = match &args.what {
        None => (FIRST.to_string(), args.options.clone()),
        Some(what) if is_recording(what) => recorded(Path::new(what), &args.options)?,
        Some(what) => (what.clone(), args.options.clone()),
    };
    let loaded = SceneArgs { scene: scene.clone(), options: options.clone() }.load()?;
    let origin = origin(&scene, &options, &loaded);
    loaded.build()?; // its mistakes as diagnostics with their places
    let opened = match args.what {
        Some(_) => session.start_with(origin, loaded, &options.loader()?),
        None => session.open(origin, loaded),
    };
    opened.map_err(|why| CliError::usage(format!("`{scene}` cannot be opened: {why}")))?;
    Ok(session)
}

/// Where the scene came from. Changes by `--set` are written into its text: the page reads it again when it goes back
/// to the start.
fn origin(scene: &str, options: &SceneOptions, loaded: &Loaded) -> SceneOrigin {
    let first = loaded.sources.files().first();
    let name = if is_path(scene) {
        Path::new(scene).file_name().map_or_else(|| scene.to_string(), |n| n.to_string_lossy().into_owned())
    } else {
        scene.to_string()
    };
    let folder = is_path(scene)
        .then(|| Path::new(scene).parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")))
        .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()));
    if options.settings().is_empty() {
        return SceneOrigin { name, text: first.map(|f| f.text.clone()).unwrap_or_default(), folder };
    }
    let name = Path::new(&name).with_extension("toml").display().to_string();
    SceneOrigin { name, text: write::document(&loaded.document), folder }
}

fn is_path(scene: &str) -> bool {
    holonom_scene::gallery::find(scene).is_none() || scene.contains(['/', '\\', '.'])
}

pub(crate) fn is_recording(what: &str) -> bool {
    let extension = Path::new(what).extension().map(|e| e.to_ascii_lowercase());
    extension.is_some_and(|e| e == "parquet" || e == "hrec" || e == "csv")
}

/// The scene of a recording, with the changes it was run with.
pub(crate) fn recorded(path: &Path, options: &SceneOptions) -> Result<(String, SceneOptions), CliError> {
    let d = describe(path).map_err(|e| not_a_recording(e, path))?;
    let meta: serde_json::Value = serde_json::from_str(&d.metadata).unwrap_or_default();
    let Some(scene) = meta["scene"].as_str() else {
        return Err(CliError::usage(format!("`{}` does not say which scene was recorded", path.display()))
            .help("name the scene instead; .parquet and .hrec files know theirs, .csv files do not"));
    };
    let set = meta["set"].as_array().into_iter().flatten().filter_map(|s| s.as_str().map(str::to_string));
    let options = SceneOptions { set: set.chain(options.settings()).collect(), fixed_base: false, ..options.clone() };
    Ok((beside(scene, path), options))
}

/// A recording names its scene as the run did: from where that was started, or else beside the recording.
fn beside(scene: &str, recording: &Path) -> String {
    if !is_path(scene) || Path::new(scene).exists() {
        return scene.to_string();
    }
    let near: Option<PathBuf> = recording.parent().zip(Path::new(scene).file_name()).map(|(f, n)| f.join(n));
    match near {
        Some(path) if path.exists() => path.display().to_string(),
        _ => scene.to_string(),
    }
}

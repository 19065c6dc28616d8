//! `holonom replay FILE`: what was done on the page, done again without it, to the same bits.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::scene::SceneOptions;
use holonom_view::session::InputLog;
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Replay the inputs of a page: the motion comes out the same to the last bit.
///
/// The file is what the page saves as "inputs". Ends with exit code 1 where the motion is another than the one that was
/// seen.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The log of inputs (.jsonl)
    file: PathBuf,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SceneOptions,
}

/// Longest log, bytes.
const LARGEST: u64 = 1 << 30;

pub(crate) fn run(args: &ReplayArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let shown = args.file.display();
    let wrong = |why: String| CliError::usage(format!("`{shown}` cannot be replayed: {why}"));
    let text = read(&args.file)?;
    let log = InputLog::read(&text).map_err(wrong)?;
    confine(log.folder(), args)?;
    let replayed = log.replay(&args.options.loader()?).map_err(wrong)?;
    let same = replayed.hash == replayed.expected;
    let exit = if same { Exit::Ok } else { Exit::VerdictFailed };
    if args.json {
        let mut data = serde_json::to_value(&replayed).unwrap_or_default();
        data["same"] = Value::Bool(same);
        out.json(&data)?;
        return Ok(exit);
    }
    let verdict = if same {
        "the same bits as on the page".to_string()
    } else {
        format!("NOT the same as on the page, which had {}", replayed.expected)
    };
    out.write(&format!(
        "scene      {}\ntime       {} s, {} ticks\ninputs     {}\nlargest gap {:.3e} m or rad\nhash       {}: {verdict}\n",
        replayed.scene, replayed.time, replayed.ticks, replayed.inputs, replayed.max_gap, replayed.hash,
    ))?;
    Ok(exit)
}

fn read(path: &Path) -> Result<String, CliError> {
    let wrong = |e: std::io::Error| CliError::io(format!("cannot read `{}`: {e}", path.display()));
    let found = std::fs::metadata(path).map_err(wrong)?;
    if !found.is_file() {
        return Err(CliError::usage(format!("`{}` is not an ordinary file", path.display())));
    }
    let mut text = String::new();
    // it may grow while it is read
    let file = std::fs::File::open(path).map_err(wrong)?;
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(wrong)?;
    if text.len() as u64 > LARGEST {
        return Err(CliError::limit(format!("`{}` has more than {LARGEST} bytes", path.display())));
    }
    Ok(text)
}

/// A log names the folder of its scene, from which the scene reads its files. A log that somebody else made must not
/// choose one for itself.
fn confine(folder: Option<&Path>, args: &ReplayArgs) -> Result<(), CliError> {
    let Some(folder) = folder else { return Ok(()) };
    let real = |p: &Path| p.canonicalize().ok();
    let own = args.file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let here = std::env::current_dir().ok();
    let allowed = args.options.allow_path.iter().map(PathBuf::as_path).chain([own]).chain(here.as_deref());
    let within = real(folder).is_some_and(|f| allowed.filter_map(real).any(|a| f.starts_with(a)));
    if within {
        return Ok(());
    }
    Err(CliError::usage(format!("the scene of `{}` reads files from `{}`", args.file.display(), folder.display()))
        .help(format!("if you trust it, say so with  --allow-path {}", folder.display())))
}

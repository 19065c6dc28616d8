//! `holonom convert IN OUT`: a URDF or MJCF as a scene file, with everything said that was ignored; a scene file in its
//! tidy form.

use crate::Exit;
use crate::error::{CliError, to_stderr, warn};
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::{SceneArgs, SceneOptions};
use crate::text::plural;
use holonom_record::replace_file;
use holonom_scene::{Format, Loaded, write};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Write a scene file from a robot (.urdf, .xml), a gallery scene, or another scene file.
///
/// Everything in a robot that does not count, or counts approximately, is said on standard error. A scene file keeps
/// its comments and order and is tidied, unless --set changes it.
#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    /// What to read: .urdf, .xml, .toml, or a name of the gallery
    input: String,
    /// The scene file to write (.toml); `-` is standard output
    output: PathBuf,
    /// Replace the file if it is there
    #[arg(long, short)]
    force: bool,
    /// Say what was done as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SceneOptions,
}

pub(crate) fn run(args: &ConvertArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let to_stdout = args.output == Path::new("-");
    if !to_stdout {
        check_target(args)?;
    }
    let scene = SceneArgs { scene: args.input.clone(), options: args.options.clone() };
    let loaded = scene.load_quietly()?;
    say_ignored(&loaded);
    let model = loaded.build()?;
    let text = text_of(args, &loaded)?;
    if to_stdout {
        out.write(&text)?;
        return Ok(Exit::Ok);
    }
    replace_file(&args.output, text.as_bytes()).map_err(|e| CliError::io(e.to_string()))?;
    // read back what was written: it must be the same mechanism in the same state
    let again = SceneArgs { scene: args.output.display().to_string(), options: args.options.without_settings() };
    let same = match again.load_quietly().and_then(|l| Ok(l.build()?)) {
        Ok(back) => back.initial_state().hash() == model.initial_state().hash(),
        Err(error) => {
            warn(&format!(
                "`{}` was written, but cannot be used where it is: files that it names must lie beside it, or in a folder given by --allow-path",
                args.output.display()
            ));
            return Err(error);
        }
    };
    if !same {
        warn(&format!("`{}` starts a little differently from `{}`", args.output.display(), args.input));
    }
    let (bodies, joints, forces) = (model.n_bodies(), model.n_joints(), model.n_forces());
    if args.json {
        out.json(&json!({
            "input": args.input,
            "output": args.output.display().to_string(),
            "bodies": bodies,
            "joints": joints,
            "forces": forces,
            "same_start": same,
            "ignored": loaded.report.warnings().map(|d| d.to_data(&loaded.sources)).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Ok);
    }
    let ignored = loaded.report.warnings().count();
    let ignored =
        if ignored > 0 { format!("; {ignored} things do not count as they stand, see above") } else { String::new() };
    out.write(&format!(
        "{}: {}, {}, {}{ignored}\n",
        args.output.display(),
        plural(bodies, "body", "bodies"),
        plural(joints, "joint", "joints"),
        plural(forces, "force", "forces")
    ))?;
    Ok(Exit::Ok)
}

fn text_of(args: &ConvertArgs, loaded: &Loaded) -> Result<String, CliError> {
    let first = loaded.sources.files().first();
    if loaded.format == Format::Scene && args.options.settings().is_empty() {
        let text = first.map_or("", |f| f.text.as_str());
        return write::formatted(text).map_err(|report| CliError::report(report, loaded.sources.clone()));
    }
    let name = first.map_or("", |f| f.name.as_str());
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    Ok(format!("# From {name}, by holonom {}.\n\n{}", env!("CARGO_PKG_VERSION"), write::document(&loaded.document)))
}

/// Everything that was ignored, one by one: this is the place to read it.
fn say_ignored(loaded: &Loaded) {
    for d in loaded.report.warnings() {
        to_stderr(&d.render(&loaded.sources));
    }
}

fn check_target(args: &ConvertArgs) -> Result<(), CliError> {
    let path = &args.output;
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return Err(CliError::usage(format!("`{}`: scene files end in .toml", path.display()))
            .help("only scene files are written; `-` writes to standard output"));
    }
    refuse_existing(path, args.force)
}

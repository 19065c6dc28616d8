//! `holonom export RUN|SCENE -o FILE`: a motion for programs that draw and film.

use crate::Exit;
use crate::error::{CliError, warn};
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::{SceneArgs, SceneOptions};
use crate::text::plural;
use crate::view::{is_recording, recorded};
use holonom_export::{MotionTable, SampledMotion, gltf, mcap, usd};
use holonom_record::{RecordingReader, replace_file};
use holonom_run::{RunChoices, RunSettings};
use holonom_view::picture::picture;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Frames per second of a motion, where nobody says how many.
const RATE: f64 = 60.0;

/// Write the motion of a scene or a recording as glTF (.glb, .gltf), USD (.usda) or MCAP (.mcap).
///
/// Bodies come with their shapes, colours and names. USD has masses and joints too, as far as UsdPhysics knows them;
/// MCAP has no shapes, but all quantities that are recorded.
/// A recording needs the columns BODY.pos.* and BODY.quat.*, which are among the usual ones; of a scene a run is made.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// A recording (.parquet, .hrec), or a scene
    #[arg(value_name = "RUN|SCENE")]
    what: String,
    /// The file to write: .glb, .gltf, .usda or .mcap
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// End of the run that is made of a scene, s [default: that of the scene, or 10]
    #[arg(long, value_name = "T")]
    time: Option<f64>,
    /// Samples per second of that run
    #[arg(long, value_name = "N", default_value_t = RATE)]
    rate: f64,
    /// Replace the file if it is there
    #[arg(long, short)]
    force: bool,
    /// Say what was written as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SceneOptions,
}

/// What is written.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Glb,
    Gltf,
    Usda,
    Mcap,
}

impl Target {
    fn of(path: &Path) -> Result<Target, CliError> {
        let suffix = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match suffix.as_deref() {
            Some("glb") => Ok(Target::Glb),
            Some("gltf") => Ok(Target::Gltf),
            Some("usda") => Ok(Target::Usda),
            Some("mcap") => Ok(Target::Mcap),
            _ => Err(CliError::usage(format!(
                "`{}`: motions are written as .glb, .gltf, .usda or .mcap",
                path.display()
            ))
            .help("numbers over time are written by  holonom run --out FILE.parquet  or  .csv")),
        }
    }
}

pub(crate) fn run(args: &ExportArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let target = Target::of(&args.out)?;
    refuse_existing(&args.out, args.force)?;
    let recording = is_recording(&args.what).then(|| Path::new(&args.what));
    let (scene, options) = match recording {
        Some(path) => recorded(path, &args.options)?,
        None => (args.what.clone(), args.options.clone()),
    };
    let opened = SceneArgs { scene, options }.open()?;
    let table = match recording {
        Some(_) if args.time.is_some() => {
            return Err(CliError::usage("--time is for scenes: a recording ends where it ends"));
        }
        Some(path) => MotionTable::of_recording(&RecordingReader::open(path).map_err(|e| CliError::record(&e))?)?,
        None => {
            let choices = RunChoices { time: args.time, rate: Some(args.rate), prefix: "--", ..RunChoices::default() };
            MotionTable::of_run(&opened, &choices, target == Target::Mcap)?
        }
    };
    let motion = SampledMotion::of(&table, &opened.model)?;
    let settings = RunSettings::gather(&RunChoices::default(), &opened.loaded.scene, &opened.model, None)?;
    let mut sim = settings.simulation(&opened.model)?;
    let picture = picture(&opened.loaded, &mut sim, opened.model.n_joints());
    for note in &picture.notes {
        warn(note);
    }
    let generator = format!("holonom {}", env!("CARGO_PKG_VERSION"));
    let mut left_out = Vec::new();
    let bytes = match target {
        Target::Glb => gltf::glb(&picture, &motion, &generator),
        Target::Gltf => gltf::gltf(&picture, &motion, &generator).into_bytes(),
        Target::Mcap => mcap::mcap(&picture, &table, &motion, &generator),
        Target::Usda => {
            let usd = usd::usda(&picture, &opened.loaded.scene, &motion, &generator);
            left_out = usd.left_out;
            usd.text.into_bytes()
        }
    };
    replace_file(&args.out, &bytes).map_err(|e| CliError::io(e.to_string()))?;
    if !left_out.is_empty() && !args.json {
        let named: Vec<String> = left_out.iter().take(6).map(|(name, kind)| format!("`{name}` ({kind})")).collect();
        let more = if left_out.len() > 6 { ", ..." } else { "" };
        let n = plural(left_out.len(), "joint or drive has", "joints and drives have");
        warn(&format!("{n} no counterpart in UsdPhysics: {}{more}", named.join(", ")));
    }
    let (samples, bodies) = (motion.times.len(), picture.bodies.len());
    let (first, last) = (motion.times.first().copied().unwrap_or(0.0), motion.times.last().copied().unwrap_or(0.0));
    if args.json {
        let left_out: Vec<_> = left_out.iter().map(|(name, kind)| json!({ "name": name, "kind": kind })).collect();
        out.json(&json!({
            "source": args.what,
            "out": args.out.display().to_string(),
            "bytes": bytes.len(),
            "bodies": bodies,
            "samples": samples,
            "from": first,
            "to": last,
            "left_out": left_out,
        }))?;
    } else {
        out.write(&format!(
            "{}: {}, {} from {first} s to {last} s, {:.1} MB\n",
            args.out.display(),
            plural(bodies, "body", "bodies"),
            plural(samples, "sample", "samples"),
            bytes.len() as f64 / 1e6,
        ))?;
    }
    Ok(Exit::Ok)
}

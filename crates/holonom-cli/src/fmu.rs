//! `holonom fmu SCENE -o x.fmu`: a scene as a unit of co-simulation for other tools.

use crate::Exit;
use crate::error::CliError;
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::{SceneArgs, stem, unknown_quantity};
use crate::text::plural;
use holonom_cosim::description::FmiVersion;
use holonom_cosim::export::{NoPlan, UnitChoices, UnitLibrary, archive, plan};
use holonom_cosim::{UnitPlan, UnitVariable, library};
use holonom_record::replace_file;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Write a scene as a unit of co-simulation (FMI 3.0 or 2.0), for FMPy, Simulink, OpenModelica, Dymola and others.
///
/// Parameters of the unit are the `[params]` of the scene; outputs are quantities by name; inputs are what drives are
/// told, and efforts along joint coordinates. The unit holds the scene, its meshes and a shared library, which
/// `cargo build --release -p holonom-fmi` builds beside this program.
#[derive(Debug, clap::Args)]
pub(crate) struct FmuArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// The unit to write (.fmu)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Version of the standard: 3 or 2
    #[arg(long, value_name = "VERSION", default_value = "3", value_parser = ["3", "2", "3.0", "2.0"])]
    fmi: String,
    /// Inputs: names of drives (`motor`) and efforts along joint coordinates (`elbow.effort`), `*` for anything, `none`
    /// for none [default: drives that are told a constant]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    inputs: Vec<String>,
    /// Outputs: names of quantities, `*` for anything [default: those that the scene records, else the usual ones]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    outputs: Vec<String>,
    /// A shared library to put in, instead of that of this machine; several for several kinds of machines
    #[arg(long, value_name = "FILE")]
    library: Vec<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, short)]
    force: bool,
    /// Say what was written as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &FmuArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let path = &args.out;
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("fmu")) {
        return Err(CliError::usage(format!("`{}`: units end in .fmu", path.display())));
    }
    refuse_existing(path, args.force)?;
    let version = if args.fmi.starts_with('2') { FmiVersion::Two } else { FmiVersion::Three };
    let opened = args.scene.open()?;
    let name = stem(&args.scene.scene);
    let choices = UnitChoices {
        name: if args.scene.scene == "-" { "scene".into() } else { name },
        inputs: (!args.inputs.is_empty()).then(|| args.inputs.clone()),
        outputs: args.outputs.clone(),
        limits: args.scene.options.loader()?.limits,
    };
    let mut plan = plan(&opened.loaded, &opened.model, &choices).map_err(|e| match e {
        NoPlan::Failure(failure) => failure.into(),
        NoPlan::Quantity(unknown) => {
            let columns = &opened.loaded.scene.record.columns;
            let span = if args.outputs.is_empty() { columns.get(unknown.index).map(|c| c.1) } else { None };
            unknown_quantity(&unknown, span, &opened.loaded, "--outputs")
        }
    })?;
    let libraries = libraries(&args.library)?;
    let bytes = archive(&mut plan, &opened.loaded, &libraries, version)?;
    replace_file(path, &bytes).map_err(|e| CliError::io(e.to_string()))?;
    report(args, &plan, &libraries, bytes.len(), out)?;
    Ok(Exit::Ok)
}

/// The libraries that were named, or that of this machine.
fn libraries(named: &[PathBuf]) -> Result<Vec<UnitLibrary>, CliError> {
    if !named.is_empty() {
        return named.iter().map(|path| read(path)).collect();
    }
    let environment = std::env::var_os(library::ENVIRONMENT).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let places = library::places(environment.as_deref(), program.as_deref());
    if let Some(found) = places.iter().find(|p| p.is_file()) {
        return Ok(vec![read(found)?]);
    }
    let mut error = CliError::usage("the shared library of co-simulation units is not there");
    for place in &places {
        error = error.note("looked for", place.display().to_string());
    }
    Err(error
        .help("in the sources of holonom:  cargo build --release -p holonom-cli -p holonom-fmi  builds both, side by side")
        .help(format!("a library elsewhere is named by  --library FILE  or by {}", library::ENVIRONMENT)))
}

fn read(path: &Path) -> Result<UnitLibrary, CliError> {
    let bytes = std::fs::read(path).map_err(|e| CliError::io(format!("`{}` cannot be read: {e}", path.display())))?;
    Ok(UnitLibrary { path: path.into(), bytes })
}

fn report(
    args: &FmuArgs,
    plan: &UnitPlan,
    libraries: &[UnitLibrary],
    size: usize,
    out: &mut StandardOutput,
) -> Result<(), CliError> {
    let machines: Vec<&str> = libraries.iter().filter_map(|l| library::platform(&l.bytes)).map(|p| p.tuple).collect();
    let variable = |v: &UnitVariable| json!({ "name": v.name, "reference": v.reference, "unit": v.unit });
    if args.json {
        return out.json(&json!({
            "scene": args.scene.scene,
            "out": args.out.display().to_string(),
            "fmi": if args.fmi.starts_with('2') { "2.0" } else { "3.0" },
            "token": plan.token,
            "bytes": size,
            "machines": machines,
            "parameters": plan.parameters.iter().map(|p| variable(&p.variable)).collect::<Vec<_>>(),
            "inputs": plan.inputs.iter().map(|i| variable(&i.variable)).collect::<Vec<_>>(),
            "outputs": plan.outputs.iter().map(variable).collect::<Vec<_>>(),
        }));
    }
    let inputs: Vec<&str> = plan.inputs.iter().map(|i| i.variable.name.as_str()).take(12).collect();
    let more = if plan.inputs.len() > 12 { ", ..." } else { "" };
    let inputs = if inputs.is_empty() { String::new() } else { format!(" ({}{more})", inputs.join(", ")) };
    out.write(&format!(
        "{}: {}, {}{inputs}, {}, for {}, {:.1} MB\n",
        args.out.display(),
        plural(plan.parameters.len(), "parameter", "parameters"),
        plural(plan.inputs.len(), "input", "inputs"),
        plural(plan.outputs.len(), "output", "outputs"),
        machines.join(" and "),
        size as f64 / 1e6,
    ))
}

//! The `holonom` command. The only crate that prints.

mod answers;
mod bench;
mod browser;
mod check;
mod convert;
mod error;
mod explain;
mod export;
mod fmu;
mod interrupt;
mod manual;
mod mass;
mod output;
mod plot;
mod plot_table;
mod recordings;
mod replay;
mod run;
mod scene;
mod scenes;
mod sweep;
mod text;
mod verify;
mod view;

use answers::{equilibrium, ik, modes, torques};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use error::{CliError, ColourChoice};
use output::StandardOutput;
use std::process::ExitCode;

const EXIT_CODES: &str = "Exit codes: 0 ok, 1 a verdict failed, 2 bad input or usage, 3 numerical stop, \
4 a limit was exceeded, 5 input or output error.";

/// Multibody dynamics with exact joint forces in linear time.
///
/// Without a command: the gallery in the browser, as `holonom view`.
#[derive(Parser)]
#[command(name = "holonom", version, after_help = EXIT_CODES)]
struct Cli {
    /// Colours in messages and in the terminal
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: ColourChoice,
    #[command(subcommand)]
    command: Option<Command>,
}

// each command is described at its arguments
#[derive(Subcommand)]
enum Command {
    View(view::ViewArgs),
    Run(run::RunArgs),
    Check(check::CheckArgs),
    Modes(modes::ModesArgs),
    Equilibrium(equilibrium::EquilibriumArgs),
    Ik(ik::IkArgs),
    Torques(torques::TorquesArgs),
    Sweep(sweep::SweepArgs),
    Plot(plot::PlotArgs),
    Convert(convert::ConvertArgs),
    Fmu(fmu::FmuArgs),
    Export(export::ExportArgs),
    Mass(mass::MassArgs),
    Scenes(scenes::ScenesArgs),
    Info(recordings::InfoArgs),
    Recover(recordings::RecoverArgs),
    Replay(replay::ReplayArgs),
    Bench(bench::BenchArgs),
    Verify(verify::VerifyArgs),
    Explain(explain::ExplainArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Exit codes: a contract that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok = 0,
    VerdictFailed = 1,
    Usage = 2,
    Numerical = 3,
    Limit = 4,
    Io = 5,
}

fn main() -> ExitCode {
    // also for mistakes on the command line, which is not understood then
    let json = std::env::args_os().any(|a| a == "--json");
    let exit = run().unwrap_or_else(|error| {
        error.print(json);
        error.exit
    });
    ExitCode::from(exit as u8)
}

fn run() -> Result<Exit, CliError> {
    let mut out = StandardOutput::new();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // --help and --version are answers, not mistakes
        Err(e) if !e.use_stderr() => return out.write(&e.render().to_string()).map(|()| Exit::Ok),
        Err(e) => return Err(usage(&e)),
    };
    error::choose_colour(cli.color);
    match cli.command {
        None => view::run(&view::ViewArgs::default(), &mut out),
        Some(Command::View(args)) => view::run(&args, &mut out),
        Some(Command::Run(args)) => run::run(&args, &mut out),
        Some(Command::Sweep(args)) => sweep::run(&args, &mut out),
        Some(Command::Check(args)) => check::run(&args, &mut out),
        Some(Command::Modes(args)) => modes::run(&args, &mut out),
        Some(Command::Equilibrium(args)) => equilibrium::run(&args, &mut out),
        Some(Command::Ik(args)) => ik::run(&args, &mut out),
        Some(Command::Torques(args)) => torques::run(&args, &mut out),
        Some(Command::Plot(args)) => plot::run(&args, &mut out),
        Some(Command::Convert(args)) => convert::run(&args, &mut out),
        Some(Command::Fmu(args)) => fmu::run(&args, &mut out),
        Some(Command::Export(args)) => export::run(&args, &mut out),
        Some(Command::Mass(args)) => mass::run(&args, &mut out),
        Some(Command::Scenes(args)) => scenes::run(&args, &mut out),
        Some(Command::Info(args)) => recordings::info(&args, &mut out),
        Some(Command::Recover(args)) => recordings::recover_run(&args, &mut out),
        Some(Command::Replay(args)) => replay::run(&args, &mut out),
        Some(Command::Bench(args)) => bench::run(&args, &mut out),
        Some(Command::Verify(args)) => verify::run(&args, &mut out),
        Some(Command::Explain(args)) => explain::run(&args, &mut out),
        Some(Command::Completions(args)) => manual::completions(&args, Cli::command(), &mut out),
        Some(Command::Man(args)) => manual::man(&args, Cli::command(), &mut out),
    }
}

/// A mistake on the command line, in our own form of message.
fn usage(e: &clap::Error) -> CliError {
    let text = e.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("the command line is not understood");
    let mut error = CliError::usage(first.strip_prefix("error: ").unwrap_or(first));
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            error = error.help(tip);
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            error = error.note("usage", usage);
        } else if !line.starts_with("For more information") {
            error = error.note("note", line);
        }
    }
    if e.kind() == ErrorKind::InvalidSubcommand {
        let names: Vec<String> = Cli::command().get_subcommands().map(|c| c.get_name().to_string()).collect();
        error = error.help(format!("commands are {}", names.join(", ")));
    }
    error.help("`holonom --help` lists commands and options")
}

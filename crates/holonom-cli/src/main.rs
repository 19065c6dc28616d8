//! The `holonom` command. The only crate that prints.

mod bench;
mod failure;
mod output;
mod suggest;
mod table;
mod verify;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use failure::Failure;
use output::Output;
use std::process::ExitCode;

const EXIT_CODES: &str = "Exit codes: 0 ok, 1 a verdict failed, 2 bad input or usage, 3 numerical stop, \
4 a limit was exceeded, 5 input or output error.";

/// Multibody dynamics with exact joint forces in linear time.
///
/// Without a command: checks this build against problems with known answers.
#[derive(Parser)]
#[command(name = "holonom", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

// each command is described at its arguments
#[derive(Subcommand)]
enum Command {
    Bench(bench::Args),
    Verify(verify::Args),
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
    let exit = run().unwrap_or_else(|failure| {
        failure.print();
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn run() -> Result<Exit, Failure> {
    let mut out = Output::new();
    match Cli::try_parse() {
        Ok(Cli { command: Some(Command::Bench(args)) }) => bench::run(&args, &mut out),
        Ok(Cli { command: Some(Command::Verify(args)) }) => verify::run(&args, &mut out),
        Ok(Cli { command: None }) => main_job(&mut out),
        // --help and --version are answers, not mistakes
        Err(e) if !e.use_stderr() => out.write(&e.render().to_string()).map(|()| Exit::Ok),
        Err(e) => Err(usage(&e)),
    }
}

/// What `holonom` alone does.
fn main_job(out: &mut Output) -> Result<Exit, Failure> {
    out.write(&format!(
        "holonom {}: multibody dynamics with exact joint forces in linear time.\n\
         Checking this build against problems with known answers.\n\n",
        env!("CARGO_PKG_VERSION")
    ))?;
    let exit = verify::run(&verify::Args::default(), out)?;
    out.write(
        "\nWhat else there is:\n  \
         holonom bench            time one evaluation of the equations of motion\n  \
         holonom verify p06       run one problem of the table above; --json for scripts\n  \
         holonom --help           all commands and options\n",
    )?;
    Ok(exit)
}

/// A mistake on the command line, in our own form of message.
fn usage(e: &clap::Error) -> Failure {
    let text = e.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("the command line is not understood");
    let mut failure = Failure::usage(first.strip_prefix("error: ").unwrap_or(first));
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            failure = failure.help(tip);
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            failure = failure.note("usage", usage);
        } else if !line.starts_with("For more information") {
            failure = failure.note("note", line);
        }
    }
    if e.kind() == ErrorKind::InvalidSubcommand {
        failure = failure.help("this version has the commands `bench` and `verify`");
    }
    failure.help("`holonom --help` lists commands and options")
}

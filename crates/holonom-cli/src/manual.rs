//! `holonom completions` and `holonom man`: what shells and `man` want to know, made from the declarations of the
//! command line.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use clap_complete::Shell;
use std::path::PathBuf;

/// Write completions of commands and options for a shell to standard output.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  holonom completions bash > ~/.local/share/bash-completion/completions/holonom\n  \
    holonom completions zsh > ~/.zfunc/_holonom\n  holonom completions fish > ~/.config/fish/completions/holonom.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Write the manual pages: one for `holonom`, one for every command.
///
/// Without a folder: the page of `holonom` itself, to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom man | man -l -\n  holonom man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write all of them into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    mut command: clap::Command,
    out: &mut StandardOutput,
) -> Result<Exit, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "holonom", &mut text);
    out.write(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

pub(crate) fn man(args: &ManArgs, mut command: clap::Command, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let Some(folder) = &args.out else {
        out.write(&page(command)?)?;
        return Ok(Exit::Ok);
    };
    command.build();
    let cannot = |path: &std::path::Path, e: std::io::Error| CliError::io(format!("`{}`: {e}", path.display()));
    std::fs::create_dir_all(folder).map_err(|e| cannot(folder, e))?;
    let commands: Vec<(String, clap::Command)> = command
        .get_subcommands()
        .filter(|c| c.get_name() != "help")
        .map(|c| (format!("holonom-{}", c.get_name()), c.clone()))
        .collect();
    for (name, command) in std::iter::once(("holonom".to_string(), command.clone())).chain(commands) {
        let path = folder.join(format!("{name}.1"));
        // a page is called as its file is
        let titled: &'static str = Box::leak(name.into_boxed_str());
        std::fs::write(&path, page(command.name(titled))?).map_err(|e| cannot(&path, e))?;
    }
    Ok(Exit::Ok)
}

fn page(command: clap::Command) -> Result<String, CliError> {
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut text);
    rendered.map_err(|e| CliError::io(format!("the page cannot be made: {e}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

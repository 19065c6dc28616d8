//! `holonom scenes`: the gallery, one line each.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use holonom_scene::gallery::{self, GalleryScene};
use holonom_scene::{Loaded, Loader};
use serde::Serialize;

/// List the scenes that come with the program.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ScenesArgs {
    /// Also the problems of the verification manual
    #[arg(long)]
    all: bool,
    /// Print the text of one scene instead, to start your own from
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Line {
    name: &'static str,
    title: String,
    description: String,
    bodies: usize,
    joints: usize,
    forces: usize,
    verification: bool,
    group: &'static str,
}

pub(crate) fn run(args: &ScenesArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if let Some(name) = &args.show {
        return show(name, out);
    }
    let verification = if args.all || args.json { gallery::VERIFICATION } else { &[] };
    let mut lines = Vec::new();
    for (entry, problem) in gallery::GALLERY.iter().map(|e| (e, false)).chain(verification.iter().map(|e| (e, true))) {
        let scene = load(entry)?.scene;
        let (bodies, joints, forces) =
            (scene.bodies.len(), scene.joints.len() + scene.drives.len(), scene.forces.len());
        let (title, description) = (scene.title, scene.description);
        lines.push(Line {
            name: entry.name,
            title,
            description,
            bodies,
            joints,
            forces,
            verification: problem,
            group: entry.group,
        });
    }
    if args.json {
        out.json(&lines)?;
        return Ok(Exit::Ok);
    }
    let width = lines.iter().map(|l| l.name.len()).max().unwrap_or(0);
    let (mut text, mut group) = (format!("{:<width$}  bodies  joints  what it shows\n", "scene"), "");
    for line in &lines {
        if line.group != group {
            group = line.group;
            text += &format!("\n{group}\n");
        }
        text += &format!("{:<width$}  {:>6}  {:>6}  {}\n", line.name, line.bodies, line.joints, line.title);
    }
    out.write(&text)?;
    out.write("\nRun one:  holonom run NAME        Look into one:  holonom check NAME        Its text:  holonom scenes --show NAME\n")?;
    Ok(Exit::Ok)
}

fn load(entry: &GalleryScene) -> Result<Loaded, CliError> {
    Ok(Loader::new().load_text(&format!("{}.toml", entry.name), entry.text)?)
}

fn show(name: &str, out: &mut StandardOutput) -> Result<Exit, CliError> {
    match gallery::find(name) {
        Some(entry) => out.write(entry.text).map(|()| Exit::Ok),
        None => {
            let names = gallery::GALLERY.iter().chain(gallery::VERIFICATION).map(|e| e.name);
            let error = CliError::usage(format!("the gallery has no scene `{name}`"));
            Err(match holonom_scene::diagnostic::nearest(name, names) {
                meant @ Some(_) => error.did_you_mean(meant),
                None => error.help("`holonom scenes` lists it"),
            })
        }
    }
}

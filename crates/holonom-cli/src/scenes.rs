//! `holonom scenes`: the gallery, one line each.

use crate::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Align, Table};
use holonom_scene::gallery::{self, Entry};
use holonom_scene::{Loaded, Loader};
use serde::Serialize;

/// List the scenes that come with the program.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
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
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
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
        lines.push(Line { name: entry.name, title, description, bodies, joints, forces, verification: problem });
    }
    if args.json {
        out.json(&lines)?;
        return Ok(Exit::Ok);
    }
    let columns =
        [("scene", Align::Left), ("bodies", Align::Right), ("joints", Align::Right), ("what it shows", Align::Left)];
    let mut table = Table::new(&columns);
    for line in &lines {
        table.row([line.name.to_string(), line.bodies.to_string(), line.joints.to_string(), line.title.clone()]);
    }
    out.write(&table.text())?;
    out.write("\nRun one:  holonom run NAME        Look into one:  holonom check NAME        Its text:  holonom scenes --show NAME\n")?;
    Ok(Exit::Ok)
}

fn load(entry: &Entry) -> Result<Loaded, Failure> {
    Ok(Loader::new().load_text(&format!("{}.toml", entry.name), entry.text)?)
}

fn show(name: &str, out: &mut Output) -> Result<Exit, Failure> {
    match gallery::find(name) {
        Some(entry) => out.write(entry.text).map(|()| Exit::Ok),
        None => {
            let names = gallery::GALLERY.iter().chain(gallery::VERIFICATION).map(|e| e.name);
            let failure = Failure::usage(format!("the gallery has no scene `{name}`"));
            Err(match crate::suggest::nearest(name, names) {
                Some(meant) => failure.help(format!("did you mean `{meant}`?")),
                None => failure.help("`holonom scenes` lists it"),
            })
        }
    }
}

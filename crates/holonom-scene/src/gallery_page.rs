//! The gallery as Markdown, from the scenes themselves: `docs/gallery.md`. Its pictures are taken from the page
//! (`web/tests/thumbnails.mjs` of `holonom-view`).

use crate::Loader;
use crate::gallery::GALLERY;
use std::fmt::Write as _;

const HEAD: &str = "\
# The gallery

<!-- written by `cargo xtask scenes`; do not edit -->

The scenes that come with the program. `holonom view NAME` opens one in the browser, where it can be dragged; `holonom run NAME` runs it, `holonom check NAME` says how it moves and which of its loads to trust,
`holonom scenes --show NAME` prints its text. Each file opens with what the doctor will say of it, and what was chosen where its source leaves something open. Times and drifts of all of them: [The papers, reproduced](reproduction.md#every-scene-of-the-gallery).
";

/// Folder of the pictures, from `docs`.
pub const PICTURES: &str = "images/gallery";

/// The page.
pub fn markdown() -> String {
    let mut out = HEAD.to_string();
    let mut group = "";
    for entry in GALLERY {
        if entry.group != group {
            group = entry.group;
            let _ = write!(out, "\n## {group}\n\n| | |\n|---|---|\n");
        }
        // every scene of the gallery can be read: there is a test of that
        let Ok(loaded) = Loader::new().load_text(&format!("{}.toml", entry.name), entry.text) else { continue };
        let (name, scene) = (entry.name, loaded.scene);
        let _ = writeln!(
            out,
            "| ![{name}]({PICTURES}/{name}.jpg) | **{}**<br>[`{name}`](../scenes/{name}.toml), {}<br>{} |",
            scene.title,
            counted(scene.bodies.len(), scene.joints.len() + scene.drives.len()),
            scene.description
        );
    }
    out
}

fn counted(bodies: usize, joints: usize) -> String {
    let some = |n: usize, one: &str, many: &str| match n {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    format!("{}, {}", some(bodies, "body", "bodies"), some(joints, "joint or drive", "joints and drives"))
}

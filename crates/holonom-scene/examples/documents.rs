//! Writes what follows from the declarations of scene files: their reference and their schema; and the page of the gallery. `cargo xtask scenes` runs it.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    std::fs::write(root.join("docs/gallery.md"), holonom_scene::gallery_page::markdown())?;
    std::fs::write(root.join("docs/scenes-reference.md"), holonom_scene::reference::markdown())?;
    std::fs::write(root.join("scenes/scene.schema.json"), holonom_scene::schema::text())
}

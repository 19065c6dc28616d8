//! Scenes by what people call them: a file, or a name of the gallery.

use crate::failure::Failure;
use holonom::Model;
use holonom_scene::diagnostic::nearest;
use holonom_scene::gallery::{self, GalleryScene};
use holonom_scene::node::DocTable;
use holonom_scene::{Loaded, Loader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene that was read, and its model.
pub struct OpenedScene {
    /// The scene.
    pub loaded: Loaded,
    /// Its model.
    pub model: Arc<Model>,
    /// As it was asked for.
    pub name: String,
    /// What the numbers of the mechanism come to, see [`Loaded::fingerprint`].
    pub values: u64,
}

/// From so many bodies on, what a scene says of each of them is not kept while its model runs: half a gigabyte for a
/// million.
const MANY: usize = 100_000;

impl OpenedScene {
    /// Forget what only the building of the model needed. Messages of a run that stops then name bodies, but not their
    /// lines.
    pub fn lighten(&mut self) {
        if self.loaded.scene.bodies.len() >= MANY {
            self.loaded.scene.bodies = Vec::new();
            self.loaded.scene.joints = Vec::new();
            self.loaded.document = DocTable::new();
        }
    }
}

/// Where a scene is.
enum Found {
    File(PathBuf),
    Gallery(&'static GalleryScene),
}

/// Read a scene, by its file or its name in the gallery.
pub fn open(name: &str, loader: &Loader) -> Result<Loaded, Failure> {
    Ok(match find(name)? {
        Found::File(path) => loader.load(&path)?,
        Found::Gallery(entry) => loader.load_text(&format!("{}.toml", entry.name), entry.text)?,
    })
}

/// A file, or a scene of the gallery. What looks like a path is one.
fn find(name: &str) -> Result<Found, Failure> {
    let path = Path::new(name);
    let looks_like_path = name.contains(['/', '\\']) || path.extension().is_some();
    if !looks_like_path && let Some(entry) = gallery::find(name) {
        return Ok(Found::Gallery(entry));
    }
    if looks_like_path || path.exists() {
        return Ok(Found::File(path.to_path_buf()));
    }
    let names = gallery::GALLERY.iter().chain(gallery::VERIFICATION).map(|e| e.name);
    Err(Failure::input(format!("there is no scene `{name}`: neither a file nor a name of the gallery"))
        .did_you_mean(nearest(name, names))
        .help("`holonom scenes` lists the gallery; files end in .toml, .urdf or .xml"))
}

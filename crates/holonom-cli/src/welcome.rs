//! What `holonom` alone says: what this is, what to try, on one screen.

use crate::Exit;
use crate::failure::Failure;
use crate::output::Output;
use holonom_scene::{Loader, gallery};

/// Scenes shown.
const SHOWN: usize = 12;

pub(crate) fn run(out: &mut Output) -> Result<Exit, Failure> {
    let mut text = format!(
        "holonom {}: multibody dynamics with exact joint forces in linear time.\n\n",
        env!("CARGO_PKG_VERSION")
    );
    text += "Try one of the gallery:\n";
    let width = gallery::GALLERY.iter().take(SHOWN).map(|e| e.name.len()).max().unwrap_or(0);
    for entry in gallery::GALLERY.iter().take(SHOWN) {
        let title = Loader::new().load_text(&format!("{}.toml", entry.name), entry.text).map(|l| l.scene.title);
        text += &format!("  holonom run {:width$}   {}\n", entry.name, title.unwrap_or_default());
    }
    if gallery::GALLERY.len() > SHOWN {
        text += &format!("  ... and {} more: holonom scenes\n", gallery::GALLERY.len() - SHOWN);
    }
    text += "\nThen:\n  \
        holonom run pendulum --out swing.csv         record it; .parquet for large ones\n  \
        holonom plot swing.csv --y 'pin.*'           look at it; -o swing.svg for a file\n  \
        holonom check pendulum                       mobility, redundant joints, which loads to trust\n  \
        holonom scenes --show pendulum > mine.toml   begin a scene of your own\n  \
        holonom verify                               check this build against problems with known answers\n  \
        holonom --help                               everything else\n";
    out.write(&text)?;
    Ok(Exit::Ok)
}

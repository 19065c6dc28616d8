//! The scenes that come with the program: the gallery, and the problems of the verification manual. Their files and the
//! lists of them are the package `holonom-scenes`.

pub use holonom_scenes::{GALLERY, GalleryScene, PARTS, VERIFICATION, find, part};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_can_be_built() {
        for e in GALLERY.iter().chain(VERIFICATION) {
            let loaded = crate::Loader::new().load_text(&format!("{}.toml", e.name), e.text);
            let loaded = loaded.unwrap_or_else(|f| panic!("{}:\n{}", e.name, f.render()));
            assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
            loaded.build().unwrap_or_else(|f| panic!("{}:\n{}", e.name, f.render()));
        }
    }
}

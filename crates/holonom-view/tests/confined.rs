//! What a page sends reads no file, whatever the program was started with and whatever the names in it look like.

use holonom_scene::Loader;
use holonom_view::session::{SceneOrigin, Session};
use std::path::PathBuf;

/// A folder with a scene and a canary: a file that would show by its name if it were read.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("holonom-view-confined-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("made");
        let write = |name: &str, text: &str| std::fs::write(path.join(name), text).expect("written");
        write("own.toml", "include = [\"canary.toml\"]\n");
        write("canary.toml", "[body.kanarienvogel]\nmass = 1\ninertia = [1, 1, 1]\n");
        write("canary.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn scenes_that_a_page_sends_read_no_files() {
    let folder = Folder::new();
    let file = folder.0.join("own.toml");
    let mut session = Session::new();
    let loader = Loader::new();
    // the scene of the program itself may read beside itself
    let loaded = loader.load(&file).expect("it can be read");
    let text = std::fs::read_to_string(&file).expect("there");
    let origin = SceneOrigin { name: "own.toml".into(), text, folder: Some(folder.0.clone()) };
    session.start_with(origin, loaded, &loader).expect("it can be run");
    assert!(session.simulation().model().body("kanarienvogel").is_some());
    let path = folder.0.display().to_string();
    let body = "[body.a]\nmass = 1\ninertia = [1, 1, 1]\n";
    for name in ["own.toml", "a.toml", &format!("{path}/own.toml"), "../own.toml", "own", ""] {
        for canary in ["canary", &format!("{path}/canary"), "./canary", "../canary", &format!("file://{path}/canary")] {
            for text in [
                format!("include = [\"{canary}.toml\"]\n"),
                format!("{body}shape = {{ kind = \"mesh\", file = \"{canary}.obj\" }}\n"),
            ] {
                let refused = session.open_own(name, &text);
                assert!(refused.is_err(), "{name}: {text}");
                assert!(session.simulation().model().body("kanarienvogel").is_some(), "the old scene is gone");
            }
        }
    }
    // nor does a change of a scene that came from a page
    session.open_own("a.toml", body).expect("it names no file");
    for value in ["canary.obj", &format!("{path}/canary.obj")] {
        let edit = serde_json::json!({ "do": "edit", "edit": { "kind": "set", "path": "body.a.shape",
            "value": { "kind": "mesh", "file": value } } });
        let request = serde_json::from_value(edit).expect("a request");
        let done = session.input(1, holonom_view::session::log::Input::Said(request));
        assert!(done.is_err(), "{value}");
    }
}

//! Kinds of joints are named in the catalogue and nowhere else: neither the page nor the editor has a list of its own.

use holonom_view::catalogue::catalogue;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "ts" || e == "rs") {
            found.push(path);
        }
    }
}

fn without_comments(line: &str) -> String {
    let mut code = line.split("//").next().unwrap_or_default().to_string();
    while let (Some(from), Some(to)) = (code.find("/**"), code.find("*/")) {
        code.replace_range(from..to.max(from) + 2, "");
    }
    code
}

#[test]
fn no_kind_of_joint_is_named_outside_of_the_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("web/src"), &mut files);
    sources(&root.join("src/edit"), &mut files);
    assert!(files.len() > 40, "{}", files.len());
    let kinds: Vec<&str> = catalogue().joints.iter().map(|j| j.entry.kind).filter(|k| !NOT_KINDS.contains(k)).collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    let mut named = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        for (n, line) in text.lines().enumerate() {
            // `{ kind: "weld" }` is a change of a scene
            let code = without_comments(line).replace("kind: \"weld\"", "").replace("\"kind\": \"weld\"", "");
            let quoted = |kind: &str| ['"', '\'', '`'].iter().any(|q| code.contains(&format!("{q}{kind}{q}")));
            let key = |kind: &str| ['"', '{', '['].iter().any(|v| code.trim().starts_with(&format!("{kind}: {v}")));
            let found = kinds.iter().filter(|k| quoted(k) || key(k));
            named.extend(found.map(|k| format!("{}:{}: {k}", file.display(), n + 1)));
        }
    }
    assert!(named.is_empty(), "kinds of joints belong into catalogue.rs:\n{}", named.join("\n"));
}

/// Words that mean other things in the page, too: buttons and fields, and the glyphs `screw` and `rope`.
const NOT_KINDS: [&str; 5] = ["motor", "servo", "limit", "screw", "rope"];

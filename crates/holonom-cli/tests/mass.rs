//! mass: a block of known mass, and how what is no closed surface is refused.

mod common;
use common::{Folder, holonom, json, refused, stderr, stdout};

/// A block from the origin to (2, 3, 4), its triangles facing outwards, in OBJ.
const BLOCK: &str = "v 0 0 0\nv 0 0 4\nv 0 3 0\nv 0 3 4\nv 2 0 0\nv 2 0 4\nv 2 3 0\nv 2 3 4\n\
f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n";

fn file(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.file(name);
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn a_block_has_the_mass_of_a_block() {
    let folder = Folder::new("mass-block");
    let block = file(&folder, "block.obj", BLOCK);
    let of = json(&["mass", &block, "--density", "500", "--scale", "0.1", "--json"]);
    let number = |v: &serde_json::Value| v.as_f64().expect("a number");
    let near = |v: &serde_json::Value, x: f64| assert!((number(v) - x).abs() < 1e-12 * x.abs().max(1e-3), "{v} {x}");
    let mass = 500.0 * 0.2 * 0.3 * 0.4;
    near(&of["volume"], 0.024);
    near(&of["mass"], mass);
    near(&of["area"], 2.0 * (0.06 + 0.08 + 0.12));
    for (k, half) in [0.1, 0.15, 0.2].into_iter().enumerate() {
        near(&of["centre"][k], half);
    }
    near(&of["inertia"][0][0], mass / 12.0 * (0.09 + 0.16));
    near(&of["inertia"][1][1], mass / 12.0 * (0.04 + 0.16));
    near(&of["inertia"][2][2], mass / 12.0 * (0.04 + 0.09));
    near(&of["inertia"][0][1], 0.0);
    assert_eq!((of["surfaces"].as_u64(), of["turned_over"].as_bool()), (Some(1), Some(false)));
    // for people, and what a scene makes of it
    let said = stdout(&holonom(&["mass", &block, "--density", "500", "--scale", "0.1"]));
    assert!(said.contains("mass       1.200000000e1 kg at 500 kg/m^3"), "{said}");
}

#[test]
fn a_block_inside_out_is_turned_over_and_an_open_one_refused() {
    let folder = Folder::new("mass-open");
    let flip = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["f", a, b, c] => format!("f {a} {c} {b}\n"),
        _ => format!("{line}\n"),
    };
    let turned = file(&folder, "turned.obj", &BLOCK.lines().map(flip).collect::<String>());
    let out = holonom(&["mass", &turned, "--json"]);
    assert!(stderr(&out).contains("inside out"), "{}", stderr(&out));
    let of: serde_json::Value = serde_json::from_str(stdout(&out).trim()).expect("JSON");
    assert_eq!((of["turned_over"].as_bool(), of["volume"].as_f64()), (Some(true), Some(24.0)));
    let open = file(&folder, "open.obj", BLOCK.trim_end().rsplit_once('\n').expect("lines").0);
    refused(&["mass", &open], 2, &["encloses no volume", "3 edges have triangles on one side only", "fill holes"]);
    refused(&["mass", &open, "--density", "0"], 2, &["--density is 0 kg/m^3"]);
    let step = file(&folder, "part.step", "ISO-10303-21;");
    refused(&["mass", &step], 2, &["is not a mesh", "exported as STL"]);
}

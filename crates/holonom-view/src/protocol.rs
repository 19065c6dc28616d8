//! The messages in TypeScript: `web/src/protocol.ts` is written from the Rust types, and fails a test when it is not as
//! they are.

use crate::edit::DetailsAnswer;
use crate::message::{BacklogAnswer, FrameHeader, Reply, Request, SceneAnswer};
use crate::numbers::{DoctorAnswer, GalleryAnswer, LedgerAnswer, QuantityAnswer, SpyAnswer};
use holonom::forces::ForceGlyph;
use holonom::joints::Glyph;
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use ts_rs::{Config, TS, TypeVisitor};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web/src/protocol.ts");
/// Set by `cargo xtask protocol`: write the file instead of comparing it.
const WRITE: &str = "HOLONOM_WRITE_PROTOCOL";

const HEADING: &str = "\
// What the page and the program say to each other. Written by `cargo xtask protocol` from the types of the program (message.rs); do not edit.
// SI units, world axes (z up) unless said otherwise, quaternions x y z w.

export type Triple = [number, number, number];
export type Quat = [number, number, number, number];
";

/// Declarations of types and of all that they are made of, by their names: the order in which they are met is not the
/// same in every build.
struct Declarations {
    config: Config,
    seen: HashSet<TypeId>,
    all: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        let docs = T::docs().unwrap_or_default().replace("/**\n * ", "/** ").replace("\n */\n", " */\n");
        let declaration = format!("\n{docs}export {}\n", indented(&T::decl(&self.config)));
        self.all.insert(T::ident(&self.config), declaration);
        T::visit_dependencies(self);
    }
}

/// One field or variant a line, each with what is said of it.
fn indented(declaration: &str) -> String {
    let short =
        declaration.replace("[number, number, number]", "Triple").replace("[number, number, number, number]", "Quat");
    let short = short.replace(" | { \"", "\n| { \"").replace(" = { \"", " =\n| { \"").replace(", }", " }");
    let one_line = short.replace("/**\n * ", "/** ").replace("\n */\n", " */ ");
    let mut lines = one_line.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default().to_string();
    lines.fold(first, |text, line| {
        let indent = match line {
            "}" | "};" => "",
            _ if line.starts_with('|') => "  ",
            _ if text.contains("\n  | {") => "      ",
            _ => "  ",
        };
        format!("{text}\n{indent}{line}")
    })
}

/// A type of the engine that is one of some words.
fn words(doc: &str, name: &str, all: Vec<&str>) -> String {
    format!("\n/** {doc} */\nexport type {name} = \"{}\";\n", all.join("\" | \""))
}

fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut found = Declarations { config, seen: HashSet::new(), all: BTreeMap::new() };
    found.visit::<Request>();
    found.visit::<Reply>();
    found.visit::<FrameHeader>();
    let Declarations { config, all, .. } = found;
    let answers = [
        ("gallery", GalleryAnswer::name(&config)),
        ("doctor", DoctorAnswer::name(&config)),
        ("quantities", Vec::<QuantityAnswer>::name(&config)),
        ("ledger", LedgerAnswer::name(&config)),
        ("spy", SpyAnswer::name(&config)),
        ("backlog", BacklogAnswer::name(&config)),
        ("scene", SceneAnswer::name(&config)),
        ("details", DetailsAnswer::name(&config)),
    ];
    let mut text = HEADING.to_string() + &all.into_values().collect::<String>();
    let glyphs = Glyph::ALL.iter().map(|g| g.name()).collect();
    let forces = ForceGlyph::ALL.iter().map(|g| g.name()).collect();
    text +=
        &words("How a joint is drawn: a sign in its frame, or a line between its two points.", "DrawnGlyph", glyphs);
    text += &words("How a force is drawn between its points.", "DrawnForce", forces);
    text += "\n/** What each question is answered with. */\nexport interface Answers {\n";
    for (question, answer) in answers {
        text += &format!("  {question}: {answer};\n");
    }
    text += "}\n";
    text
}

#[test]
fn the_page_has_the_types_of_the_program() {
    let wanted = typescript();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(FILE, &wanted).expect("the file can be written");
    }
    let there = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(there == wanted, "web/src/protocol.ts is not as the types of the program are: run `cargo xtask protocol`");
}

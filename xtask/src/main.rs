//! Chores of the workspace, written in Rust so that nothing but Rust is needed: `cargo xtask test` is the whole of it before a change goes in.

mod book;
mod documents;
mod house;
mod manual;
mod markdown;
mod packages;
mod page;
mod python;
mod site;
mod soak;
mod source;
mod steps;
mod wrap;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test       formatting, lints, all tests, the page in a browser, all examples, documentation
  soak       long runs of what draws its cases at random: tests, messages, spoilt files, fuzz targets, Miri: hours; words name parts
  page       the page in a browser alone; words select tests by their names
  python     the Python package in a fresh virtual environment: the wheel, and its tests; words are given to pytest
  site       write the page with the engine in it, and the book, for any host of files, into target/site
  book       write the book anew into target/site, which is there already
  examples   write docs/examples.md and docs/images/chain.svg anew from the examples
  manual     write docs/verification.md anew from what `holonom verify` finds
  reproduction  write docs/reproduction.md, its pictures, and the short table of the README anew: some minutes of measuring;
             words (witkin, baraff, tasora, pictures, gallery) print those parts alone
  scenes     write docs/scenes-reference.md, docs/gallery.md and scenes/scene.schema.json anew from declarations and scenes
  house      functions too long, lists of arguments too long, names of two types, comments too wide
  wrap       wrap the comments of all crates, or of the folders and files given, at the width of code
  packages   write what published packages need: licences and READMEs of all crates, THIRD-PARTY.md
  protocol   write crates/holonom-view/web/src/protocol.ts anew from the messages of the program
  fmt        format the workspace
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root();
    let good = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => steps::test(&root),
        ["soak", ref parts @ ..] => soak::soak(&root, parts),
        ["page", ref words @ ..] => report(page::test(&root, words)),
        ["python", ref words @ ..] => report(python::test(&root, words)),
        ["site"] => report(site::build(&root).map(|folder| println!("{}", folder.display()))),
        ["book"] => report(site::book(&root).map(|folder| println!("{}", folder.display()))),
        ["examples"] => report(documents::write_examples(&root)),
        ["manual"] => report(manual::write(&root)),
        ["reproduction", ref parts @ ..] => report(reproduction(&root, parts)),
        ["scenes"] => report(steps::cargo(&root, &["run", "-q", "-p", "holonom-scene", "--example", "documents"])),
        ["packages"] => report(packages::write(&root)),
        ["house"] => report(house::check(&root)),
        ["wrap", ref places @ ..] => report(wrap::write(&root, places)),
        ["protocol"] => report(page::write_protocol(&root)),
        ["fmt"] => report(steps::format(&root, &[])),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            true
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Built with optimisation, as what is measured must be.
fn reproduction(root: &std::path::Path, parts: &[&str]) -> Result<(), String> {
    steps::cargo(root, &["build", "--release", "-p", "holonom-cli"])?;
    let run = ["run", "--release", "-p", "holonom-reproduction", "--"];
    steps::cargo(root, &[&run, parts].concat())
}

/// The folder of the workspace: the parent of this package's.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map_or_else(|| ".".into(), PathBuf::from)
}

fn report(result: Result<(), String>) -> bool {
    result.map_err(|e| eprintln!("error: {e}")).is_ok()
}

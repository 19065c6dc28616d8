//! Writes `docs/reproduction.md`, with its pictures, and the short table of the README: what the papers behind holonom measured, and what holonom measures on
//! the same problems. `cargo xtask reproduction` builds the command and this, and runs it.
//!
//! One file for each paper. Times come from `holonom bench --json` and `holonom run --json`, that is from the program that users run; what no
//! command measures (drift over gains, time over auxiliary rows) is measured here with the library. Nothing in the report is written by hand
//! but the papers' own figures and the sentences around them: verdicts are computed from the numbers beside them.

mod baraff;
mod gallery;
mod machine;
mod page;
mod program;
mod tasora;
mod witkin;

use page::Page;
use program::Program;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What went wrong, in words.
pub type Failed = String;

fn main() -> ExitCode {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let done = match parts.as_slice() {
        [] => write(&root()),
        parts => parts.iter().try_for_each(|name| part(name, &root())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace: the parent of this package's.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map_or_else(|| ".".into(), Path::to_path_buf)
}

const HEAD: &str = "\
holonom grew out of three papers: Witkin, *Physically Based Modeling: Constrained Dynamics* (course notes, 1997); Baraff, *Linear-Time Dynamics using Lagrange Multipliers* (1996);
Tasora, *An optimized Lagrangian-multiplier approach for interactive multibody simulation in kinematic and dynamical digital prototyping* (2001). The mechanisms for which they print
figures are scenes of the gallery, built after what the papers say of them. Here their figures stand beside ours. What they leave open was chosen; the comments in the scene files say what and why.

Times are the shortest of many repeats, in f64, on one thread. *Ratio* is the paper's time over ours: it says how far machines have come and the code with
them, and nothing more than both together. A verdict on a claim compares methods with each other, on one machine.
";

/// Parts of the report, by the names under which one may be asked for alone; it is then printed and not saved.
const PARTS: &[&str] = &["witkin", "baraff", "coordinates", "tasora", "pictures", "gallery"];

fn part(name: &str, root: &Path) -> Result<(), Failed> {
    let mut page = Page::new(root);
    if name == "coordinates" {
        // needs no times: of Baraff's part, what compares coordinates
        baraff::coordinates::write(&mut page)?;
        println!("{}", page.markdown());
        return Ok(());
    }
    let program = Program::beside_this()?;
    match name {
        "witkin" => witkin::write(&mut page, &program)?,
        "baraff" => baraff::measure(&program)?.write(&mut page, &program)?,
        "tasora" => tasora::measure(&program)?.write(&mut page, &program)?,
        "pictures" => tasora::pictures(&mut page, &program)?,
        "gallery" => gallery::write(&mut page, &program)?,
        _ => return Err(format!("there is no part `{name}`, but {}", PARTS.join(", "))),
    }
    println!("{}", page.markdown());
    Ok(())
}

fn write(root: &Path) -> Result<(), Failed> {
    let program = Program::beside_this()?;
    let mut page = Page::new(root);
    page.heading(1, "The papers, reproduced");
    page.text("<!-- written by `cargo xtask reproduction`; do not edit -->");
    page.text(HEAD);
    page.text(&machine::describe());
    let baraff = baraff::measure(&program)?;
    let tasora = tasora::measure(&program)?;
    page.heading(2, "In short");
    let mut short = baraff.short();
    short.extend(tasora.short());
    page.table(&["problem", "paper", "here", "ratio"], &short);
    witkin::write(&mut page, &program)?;
    baraff.write(&mut page, &program)?;
    tasora.write(&mut page, &program)?;
    gallery::write(&mut page, &program)?;
    page.save("docs/reproduction.md")?;
    page::replace_in_readme(root, &short)
}

//! `holonom verify`: the verification manual. Every problem is modelled as a user would, run, and compared with its known answer.

mod book;
mod happened;
mod p01;
mod p02;
mod p03;
mod p04;
mod p05;
mod p06;
mod p07;
mod p08_p09;
mod p10;
mod p11;
mod p12;
mod p13;
mod p14_p15;
mod p16;
mod p17;
mod p18;
mod p19;
mod p20;
mod p21;
mod p22;
mod p23;
mod p24;
mod p25;
mod p26;
mod p27;
mod p28;
mod scenes;
mod track;

use crate::Exit;
use crate::failure::Failure;
use crate::output::{Output, Progress};
use crate::suggest::nearest;
use crate::table::{Align, Table, significant};
use book::{Book, Stop, Verdict};
use holonom_cases::{PROBLEMS, Problem, problem};

/// Run the problems with known answers and compare.
///
/// Every column of the samples is compared at every sample time, and every scalar that can be measured. An error is the largest
/// deviation divided by `scale`, the largest magnitude of the reference or 1 if that is larger. Allowed is 10 units of the last
/// trusted digit of the reference, and never less than 1e-9; the few quantities with a limit of their own are listed with it.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Run only the problems whose names begin so, e.g. p06. Default: all.
    #[arg(value_name = "PREFIX")]
    prefixes: Vec<String>,
    /// Print one line of JSON, a list of {problem, quantity, error, allowed, pass}.
    #[arg(long)]
    json: bool,
}

/// Model, run and compare one problem.
type Run = fn(&Problem, &mut Book) -> Result<(), Stop>;

/// By the first characters of the problem's name.
const RUNS: &[(&str, Run)] = &[
    ("p01", p01::run),
    ("p02", p02::run),
    ("p03", p03::run),
    ("p04", p04::run),
    ("p05", p05::run),
    ("p06", p06::run),
    ("p07", p07::run),
    ("p08", p08_p09::free_top),
    ("p09", p08_p09::flip),
    ("p10", p10::run),
    ("p11", p11::run),
    ("p12", p12::run),
    ("p13", p13::run),
    ("p14", p14_p15::sleigh),
    ("p15", p14_p15::skate),
    ("p16", p16::run),
    ("p17", p17::run),
    ("p18", p18::run),
    ("p19", p19::run),
    ("p20", p20::run),
    ("p21", p21::run),
    ("p22", p22::run),
    ("p23", p23::run),
    ("p24", p24::run),
    ("p25", p25::run),
    ("p26", p26::run),
    ("p27", p27::run),
    ("p28", p28::run),
];

/// Run the command.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let chosen = choose(&args.prefixes)?;
    let progress = Progress::new();
    let mut verdicts = Vec::new();
    for (id, run) in chosen {
        progress.show(&format!("running {id}"));
        let Some(problem) = problem(id) else { continue };
        let mut book = Book::new(&problem);
        run(&problem, &mut book).map_err(|stop| stop.failure(id))?;
        verdicts.extend(book.verdicts);
    }
    drop(progress);
    if args.json {
        out.json(&verdicts)?
    } else {
        out.write(&text(&verdicts))?
    }
    Ok(if verdicts.iter().all(|v| v.pass) { Exit::Ok } else { Exit::VerdictFailed })
}

/// The problems selected, in their own order, each once.
fn choose(prefixes: &[String]) -> Result<Vec<(&'static str, Run)>, Failure> {
    for prefix in prefixes {
        if prefix.is_empty() || !PROBLEMS.iter().any(|(id, _)| id.starts_with(prefix.as_str())) {
            return Err(unknown(prefix));
        }
    }
    let wanted = |id: &str| prefixes.is_empty() || prefixes.iter().any(|prefix| id.starts_with(prefix.as_str()));
    let run_of = |id: &str| RUNS.iter().find(|(short, _)| id.starts_with(short)).map(|(_, run)| *run);
    Ok(PROBLEMS.iter().filter(|(id, _)| wanted(id)).filter_map(|&(id, _)| Some((id, run_of(id)?))).collect())
}

fn unknown(prefix: &str) -> Failure {
    let names = || PROBLEMS.iter().map(|(id, _)| *id);
    let failure = Failure::usage(format!("no problem begins with `{prefix}`"));
    let lower = prefix.to_lowercase();
    let meant = names()
        .find(|id| lower.len() > 3 && id.contains(&lower))
        .or_else(|| nearest(prefix, names().map(|id| &id[..3])))
        .or_else(|| nearest(prefix, names()));
    // `p99` is not misspelt, the problem is just not here
    let well_formed = prefix.len() == 3 && prefix.strip_prefix('p').is_some_and(|n| n.parse::<u8>().is_ok());
    let failure = match meant {
        _ if well_formed => failure.note("note", "this version does not have it"),
        Some(meant) => failure.help(format!("did you mean `{meant}`?")),
        None => failure,
    };
    failure.help(format!("problems: {}", names().collect::<Vec<_>>().join(", ")))
}

fn text(verdicts: &[Verdict]) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("problem", Align::Left),
        ("quantity", Align::Left),
        ("error", right),
        ("allowed", right),
        ("scale", right),
        ("verdict", Align::Left),
    ]);
    for v in verdicts {
        table.row([
            v.problem.clone(),
            v.quantity.clone(),
            format!("{:.1e}", v.error),
            format!("{:.0e}", v.allowed),
            significant(v.scale, 4),
            if v.pass { "pass" } else { "FAIL" }.to_string(),
        ]);
    }
    let passed = verdicts.iter().filter(|v| v.pass).count();
    format!(
        "{}\nerror = largest deviation / scale; scale = largest magnitude of the reference, at least 1 (m, rad, s, J, as the quantity).\n\
         allowed = 10 units of the last trusted digit of the reference, at least 1e-9, or the quantity's own limit.\n\
         {passed} passed, {} failed\n",
        table.text(),
        verdicts.len() - passed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_run() {
        assert_eq!(choose(&[]).expect("all").len(), PROBLEMS.len());
    }

    #[test]
    fn prefixes_select_in_order_and_once() {
        let ids = |prefixes: &[&str]| -> Vec<&str> {
            let prefixes: Vec<String> = prefixes.iter().map(|p| p.to_string()).collect();
            choose(&prefixes).expect("known").into_iter().map(|(id, _)| id).collect()
        };
        let found = ids(&["p1", "p01", "p10"]);
        assert_eq!(found[..3], ["p01-a01-pendulum", "p10-heavy-top-fast", "p11-planar-slider-crank"]);
        assert!(found[1..].iter().all(|id| id.starts_with("p1")) && found.is_sorted_by(|a, b| a < b), "{found:?}");
        assert_eq!(ids(&["p0"]).len(), 9);
        assert!(choose(&["p99".to_string()]).is_err() && choose(&[String::new()]).is_err());
    }
}

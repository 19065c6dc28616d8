//! `holonom verify`: the verification manual. Every problem is modelled as a user would, run, and compared with its known answer.

use crate::Exit;
use crate::failure::Failure;
use crate::output::{Output, Progress};
use crate::suggest::nearest;
use crate::table::{Align, Table, significant};
use holonom_verify::{Verdict, VerifyError, names, verify};

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

/// Run the command.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let chosen = choose(&args.prefixes)?;
    let progress = Progress::new();
    let mut verdicts = Vec::new();
    for name in chosen {
        progress.show(&format!("running {name}"));
        verdicts.extend(verify(name).map_err(|e| failure(name, &e))?);
    }
    drop(progress);
    if args.json {
        out.json(&verdicts)?
    } else {
        out.write(&text(&verdicts))?
    }
    Ok(if verdicts.iter().all(|v| v.pass) { Exit::Ok } else { Exit::VerdictFailed })
}

fn failure(name: &str, e: &VerifyError) -> Failure {
    let message = format!("problem `{name}`: {e}");
    match e {
        VerifyError::Step(_) => Failure::numerical(message),
        VerifyError::Model(_) | VerifyError::Scene(_) => Failure::usage(message),
    }
}

/// The problems selected, in their own order, each once.
fn choose(prefixes: &[String]) -> Result<Vec<&'static str>, Failure> {
    for prefix in prefixes {
        if prefix.is_empty() || !names().any(|name| name.starts_with(prefix.as_str())) {
            return Err(unknown(prefix));
        }
    }
    let wanted = |name: &&str| prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    Ok(names().filter(wanted).collect())
}

fn unknown(prefix: &str) -> Failure {
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
    fn prefixes_select_in_order_and_once() {
        let ids = |prefixes: &[&str]| -> Vec<&str> {
            let prefixes: Vec<String> = prefixes.iter().map(|p| p.to_string()).collect();
            choose(&prefixes).expect("known")
        };
        let found = ids(&["p1", "p01", "p10"]);
        assert_eq!(found[..3], ["p01-a01-pendulum", "p10-heavy-top-fast", "p11-planar-slider-crank"]);
        assert!(found[1..].iter().all(|id| id.starts_with("p1")) && found.is_sorted_by(|a, b| a < b), "{found:?}");
        assert_eq!(ids(&["p0"]).len(), 9);
        assert!(choose(&["p99".to_string()]).is_err() && choose(&[String::new()]).is_err());
    }
}

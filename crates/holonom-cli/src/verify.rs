//! `holonom verify`: the verification manual. Every problem is modelled as a user would, run, and compared with its
//! known answer.

use crate::Exit;
use crate::error::CliError;
use crate::output::{ProgressLine, StandardOutput};
use crate::text::{Align, TextTable, significant};
use holonom_scene::diagnostic::nearest;
use holonom_verify::{Verdict, VerifyError, names, verify};

/// Run the problems with known answers and compare.
///
/// Every column of the samples is compared at every sample time, and every scalar that can be measured. An error is the
/// largest deviation divided by `scale`, the largest magnitude of the reference or 1 if that is larger. Allowed is 10
/// units of the last trusted digit of the reference, and never less than 1e-9; the few quantities with a limit of their
/// own are listed with it.
#[derive(clap::Args, Default)]
pub(crate) struct VerifyArgs {
    /// Run only the problems whose names begin so, e.g. p06. Default: all.
    #[arg(value_name = "PREFIX")]
    prefixes: Vec<String>,
    /// Print one line of JSON, a list of {problem, quantity, error, allowed, pass}.
    #[arg(long)]
    json: bool,
}

/// Run the command.
pub(crate) fn run(args: &VerifyArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let chosen = choose(&args.prefixes)?;
    let progress = ProgressLine::new();
    let mut verdicts = Vec::new();
    for name in chosen {
        progress.show(&format!("running {name}"));
        verdicts.extend(verify(name).map_err(|e| stopped(name, &e))?);
    }
    drop(progress);
    if args.json {
        out.json(&verdicts)?
    } else {
        out.write(&text(&verdicts))?
    }
    Ok(if verdicts.iter().all(|v| v.pass) { Exit::Ok } else { Exit::VerdictFailed })
}

fn stopped(name: &str, e: &VerifyError) -> CliError {
    let message = format!("problem `{name}`: {e}");
    match e {
        VerifyError::Step(_) => CliError::numerical(message),
        VerifyError::Model(_) | VerifyError::Scene(_) => CliError::usage(message),
    }
}

/// The problems selected, in their own order, each once.
fn choose(prefixes: &[String]) -> Result<Vec<&'static str>, CliError> {
    for prefix in prefixes {
        if prefix.is_empty() || !names().any(|name| name.starts_with(prefix.as_str())) {
            return Err(unknown(prefix));
        }
    }
    let wanted = |name: &&str| prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    Ok(names().filter(wanted).collect())
}

fn unknown(prefix: &str) -> CliError {
    let error = CliError::usage(format!("no problem begins with `{prefix}`"));
    let lower = prefix.to_lowercase();
    let meant = names()
        .find(|id| lower.len() > 3 && id.contains(&lower))
        .or_else(|| nearest(prefix, names().map(|id| &id[..3])))
        .or_else(|| nearest(prefix, names()));
    // `p99` is not misspelt, the problem is just not here
    let well_formed = prefix.len() == 3 && prefix.strip_prefix('p').is_some_and(|n| n.parse::<u8>().is_ok());
    let error =
        if well_formed { error.note("note", "this version does not have it") } else { error.did_you_mean(meant) };
    error.help(format!("problems: {}", names().collect::<Vec<_>>().join(", ")))
}

fn text(verdicts: &[Verdict]) -> String {
    let right = Align::Right;
    let table = TextTable::of(
        verdicts,
        &[
            ("problem", Align::Left, &|v| v.problem.clone()),
            ("quantity", Align::Left, &|v| v.quantity.clone()),
            ("error", right, &|v| format!("{:.1e}", v.error)),
            ("allowed", right, &|v| format!("{:.0e}", v.allowed)),
            ("scale", right, &|v| significant(v.scale, 4)),
            ("verdict", Align::Left, &|v| if v.pass { "pass" } else { "FAIL" }.to_string()),
        ],
    );
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

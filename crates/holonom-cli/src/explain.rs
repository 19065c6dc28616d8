//! `holonom explain CODE`: the long form of an error.

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use holonom_scene::codes::{self, EXPLANATIONS, Explanation};
use holonom_scene::diagnostic::nearest;
use serde::Serialize;

/// Explain an error or warning by its code.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A code such as E0214, or words to look for; nothing lists them all
    code: Vec<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Data {
    code: &'static str,
    title: &'static str,
    text: &'static str,
}

impl From<&'static Explanation> for Data {
    fn from(e: &'static Explanation) -> Self {
        Data { code: e.code.name(), title: e.title, text: e.text }
    }
}

pub(crate) fn run(args: &ExplainArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let asked = args.code.join(" ");
    let found = find(asked.trim())?;
    if args.json {
        let data: Vec<Data> = found.into_iter().map(Data::from).collect();
        out.json(&data)?;
        return Ok(Exit::Ok);
    }
    match found.as_slice() {
        [one] => out.write(&format!("{}: {}\n\n{}", one.code, one.title, one.text))?,
        many => {
            let lines: String = many.iter().map(|e| format!("{}  {}\n", e.code, e.title)).collect();
            out.write(&lines)?;
            out.write("\n`holonom explain CODE` says more.\n")?;
        }
    }
    Ok(Exit::Ok)
}

/// By code in any spelling (E0214, e214, 214, `error[E0214]`), else by words of its title or text.
fn find(asked: &str) -> Result<Vec<&'static Explanation>, CliError> {
    if asked.is_empty() {
        return Ok(EXPLANATIONS.iter().collect());
    }
    let bare = asked.trim_start_matches("error").trim_start_matches("warning").trim_matches(['[', ']', ':', ' ']);
    if let Some(e) = codes::explain(bare) {
        return Ok(vec![e]);
    }
    let digits = bare.trim_start_matches(['E', 'e', 'W', 'w']);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let padded = format!("{digits:0>4}");
        let letter = bare.chars().next().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_uppercase());
        let same =
            |e: &&Explanation| e.code.name()[1..] == padded && letter.is_none_or(|l| e.code.name().starts_with(l));
        if let Some(e) = EXPLANATIONS.iter().find(same) {
            return Ok(vec![e]);
        }
        let near = nearest(&format!("E{padded}"), EXPLANATIONS.iter().map(|e| e.code.name()));
        return Err(CliError::usage(format!("there is no error code `{asked}`"))
            .did_you_mean(near)
            .help("`holonom explain` lists them all"));
    }
    let words: Vec<String> = asked.to_lowercase().split_whitespace().map(str::to_string).collect();
    let has = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|w| text.contains(w.as_str()))
    };
    let mut found: Vec<&Explanation> = EXPLANATIONS.iter().filter(|e| has(e.title)).collect();
    if found.is_empty() {
        found = EXPLANATIONS.iter().filter(|e| has(e.text)).collect();
    }
    if found.is_empty() {
        return Err(CliError::usage(format!("no error code or explanation fits `{asked}`"))
            .help("codes look like E0214; `holonom explain` lists them all"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_however_they_are_written() {
        for asked in ["E0214", "e0214", "214", "0214", "e214", "error[E0214]", "error[E0214]:"] {
            let found = find(asked).expect("known");
            assert_eq!(found.len(), 1, "{asked}");
            assert_eq!(found[0].code, codes::ZERO_DIRECTION, "{asked}");
        }
        assert!(find("zero length").expect("words").iter().any(|e| e.code == codes::ZERO_DIRECTION));
        assert!(find("E9999").is_err() && find("windmill").is_err());
        assert_eq!(find("").expect("all").len(), EXPLANATIONS.len());
    }
}

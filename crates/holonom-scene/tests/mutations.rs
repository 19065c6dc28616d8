//! One thing is spoilt in a good scene, at every place and in many ways. Whenever the result is refused, the line that is shown is the line that was
//! spoilt; for a field that was taken away, the header of its table. At least 95 of 100.

use holonom_scene::gallery::GALLERY;
use holonom_scene::{LoadError, Loader};

struct Mutant {
    what: String,
    text: String,
    /// Lines that may be shown, from 1.
    lines: Vec<usize>,
}

/// Byte ranges of the numbers and of the quoted texts of a line, comments left out.
fn tokens(line: &str) -> [Vec<(usize, usize)>; 2] {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    let bytes = line.as_bytes();
    let mut i = line.find('=').map_or(line.len(), |at| at + 1);
    while i < bytes.len() {
        let start = i;
        match bytes[i] {
            b'#' => break,
            b'"' => {
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' {
                    i += 1;
                }
                i += 1;
                texts.push((start, i));
            }
            b'0'..=b'9' | b'-' => {
                while i < bytes.len() && matches!(bytes[i], b'0'..=b'9' | b'.' | b'-' | b'e' | b'E') {
                    i += 1;
                }
                numbers.push((start, i));
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
            }
            _ => i += 1,
        }
    }
    [numbers, texts]
}

/// Everything that can be done to a scene.
fn mutants(text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    let mut header = 1;
    for (at, line) in lines.iter().enumerate() {
        let mut add = |what: &str, new: Option<String>, also: Option<usize>| {
            let mut changed: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
            match new {
                Some(new) => changed[at] = new,
                None => {
                    changed.remove(at);
                }
            }
            let mut allowed = vec![at + 1];
            allowed.extend(also);
            out.push(Mutant { what: format!("{what}: {line}"), text: changed.join("\n") + "\n", lines: allowed });
        };
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') && !line.contains('=') {
            header = at + 1;
            let inside = line.split(']').next().unwrap_or_default().trim_start_matches('[');
            add("header not closed", Some(format!("[{inside}")), None);
            add("unknown section", Some(format!("[q{inside}]")), None);
            add("header twice", Some(format!("{line}\n[{inside}]")), Some(at + 2));
            if inside.matches('.').count() == 1 {
                add("bad name", Some(format!("[{}.\"a.b\"]", inside.split('.').next().unwrap_or_default())), None);
                add(
                    "long name",
                    Some(format!("[{}.{}]", inside.split('.').next().unwrap_or_default(), "n".repeat(300))),
                    None,
                );
            }
            continue;
        }
        if !line.contains('=') || trimmed.starts_with('#') || trimmed.starts_with('{') {
            continue;
        }
        let (key, value) = line.split_once('=').expect("looked for");
        let (key, value) = (key.trim_end(), value.trim());
        let whole = value.starts_with('[') && !value.contains(']');
        if !whole {
            add("deleted", None, Some(header));
            for (what, new) in [
                ("text", "\"wrong\""),
                ("number", "7.5"),
                ("negative", "-1"),
                ("not a number", "nan"),
                ("infinite", "inf"),
                ("too large", "1e999"),
                ("flag", "true"),
                ("empty list", "[]"),
                ("two numbers", "[1, 2]"),
                ("three numbers", "[0, 0, 0]"),
                ("empty table", "{}"),
                ("table", "{ kind = \"wrong\" }"),
                ("broken expression", "\"${1 +}\""),
                ("unknown parameter", "\"${nobody}\""),
                ("no value", "\"${1/0}\""),
                ("quote not closed", "\"wrong"),
                ("single quote not closed", "'wrong"),
                ("list not closed", "[1, 2"),
                ("table not closed", "{ a = 1"),
                ("nothing", ""),
                ("bare word", "wrong"),
                ("expression without quotes", "${1 + 2}"),
            ] {
                add(what, Some(format!("{key} = {new}")), None);
            }
            add("twice", Some(format!("{line}\n{line}")), Some(at + 2));
        }
        add("renamed", Some(format!("{key}q = {value}")), None);
        add("no equals sign", Some(format!("{key} {value}")), None);
        add("colon", Some(format!("{key}: {value}")), None);
        let [numbers, texts] = tokens(line);
        for (from, to) in numbers {
            for new in ["-3", "0", "nan", "1e999", "\"x\"", "1 2", "1,5", "1_"] {
                add("one number", Some(format!("{}{new}{}", &line[..from], &line[to..])), None);
            }
        }
        for (from, to) in texts {
            let inner = &line[from + 1..to - 1];
            for new in [
                format!("\"{inner}q\""),
                format!("\"q{inner}\""),
                "\"\"".into(),
                "3".into(),
                format!("\"{inner}"),
                inner.to_string(),
            ] {
                add("one text", Some(format!("{}{new}{}", &line[..from], &line[to..])), None);
            }
        }
    }
    out
}

fn refusal(mutant: &Mutant) -> Option<LoadError> {
    match Loader::new().load_text("mutant.toml", mutant.text.clone()) {
        Err(failed) => Some(failed),
        Ok(loaded) => loaded.build().err(),
    }
}

#[test]
fn the_line_shown_is_the_line_spoilt() {
    let (mut n, mut valid, mut right) = (0, 0, 0);
    let mut misses: Vec<String> = Vec::new();
    for entry in GALLERY {
        // ten thousand boxes are said in the same lines as a hundred, which are made a hundred times faster
        let text = entry.text.replace("\nn = 100 ", "\nn = 10 ");
        for mutant in mutants(&text) {
            n += 1;
            let Some(failed) = refusal(&mutant) else {
                valid += 1;
                continue;
            };
            let first = &failed.report.all()[0];
            let place = first.span.and_then(|s| failed.sources.place(s));
            if place.is_some_and(|p| mutant.lines.contains(&p.line)) {
                right += 1;
            } else {
                let line = place.map_or("nowhere".to_string(), |p| p.line.to_string());
                misses.push(format!(
                    "{} {:?} shown at {line}: {} {} [{}]",
                    entry.name, mutant.lines, first.code, first.message, mutant.what
                ));
            }
        }
    }
    let refused = n - valid;
    for miss in misses.iter() {
        println!("{miss}");
    }
    let rate = 100.0 * right as f64 / refused as f64;
    println!("{n} mutants, {valid} still valid, {refused} refused, the line is right in {right}: {rate:.2} %");
    assert!(n > 3000, "{n} mutants");
    assert!(rate >= 95.0, "{rate:.2} %");
}

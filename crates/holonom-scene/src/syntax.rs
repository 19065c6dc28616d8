//! Where a text that is not TOML went wrong.
//!
//! A parser notices a missing bracket or quote where it stumbles, which is often lines later. What is meant is the
//! bracket or quote that was left open, so that is looked for: a string that does not end in its line, a bracket closed
//! by one of another kind, and a bracket that is still open where a new field or table begins or the text ends. Only
//! asked when the parser has found something wrong.

use std::ops::Range;

/// What was left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The bracket or quote.
    pub at: Range<usize>,
    /// One sentence.
    pub message: &'static str,
    /// What to write.
    pub help: &'static str,
}

fn quote(at: usize, length: usize) -> Culprit {
    Culprit { at: at..at + length, message: "a text is not closed", help: "add the closing quote" }
}

fn bracket(open: (u8, usize)) -> Culprit {
    let (message, help) = match open.0 {
        b'[' => ("a list is not closed", "add the closing `]`"),
        _ => ("a table is not closed", "add the closing `}`"),
    };
    Culprit { at: open.1..open.1 + 1, message, help }
}

/// The first bracket or quote that was left open.
pub fn culprit(text: &str) -> Option<Culprit> {
    let bytes = text.as_bytes();
    let mut open: Vec<(u8, usize)> = Vec::new();
    // the last thing that was neither space nor comment
    let mut last = b'\n';
    let mut line_begins = true;
    let mut i = 0;
    while i < bytes.len() {
        if std::mem::take(&mut line_begins)
            && let Some(&top) = open.last()
        {
            let line = text[i..].lines().next().unwrap_or_default().trim_start();
            let next_field = is_field(line) && (top.0 == b'[' || !matches!(last, b',' | b'{'));
            if is_header(line) || next_field {
                return Some(bracket(top));
            }
        }
        let b = bytes[i];
        match b {
            b'\n' => line_begins = true,
            b' ' | b'\t' | b'\r' => {}
            b'#' => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
                continue;
            }
            b'[' | b'{' => {
                // a header, which is a matter of its line
                if open.is_empty() && last_is_line_start(bytes, i) {
                    let end = bytes[i..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| i + n);
                    if !text.get(i..end)?.contains(']') {
                        let what = Culprit {
                            at: i..end,
                            message: "the header of a table is not closed",
                            help: "add the closing `]`",
                        };
                        return Some(what);
                    }
                    i = end;
                    continue;
                }
                open.push((b, i));
            }
            b']' | b'}' => match open.pop() {
                Some(top) if (top.0 == b'[') != (b == b']') => return Some(bracket(top)),
                _ => {}
            },
            b'"' | b'\'' => {
                let quotes = if bytes[i..].starts_with(&[b; 3]) { 3 } else { 1 };
                i = match string_end(bytes, i) {
                    Ok(end) => end,
                    Err(_) => return Some(quote(i, quotes)),
                };
            }
            _ => {}
        }
        if !bytes[i].is_ascii_whitespace() {
            last = b;
        }
        i += 1;
    }
    open.last().copied().map(bracket)
}

/// Where the string that begins at `start` ends: its last byte. An error with where the search ended, if it is not
/// closed.
pub fn string_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let quote = bytes[start];
    let three = bytes[start..].starts_with(&[quote; 3]);
    let close: &[u8] = if three { &[quote; 3] } else { std::slice::from_ref(&quote) };
    let mut i = start + close.len();
    while i < bytes.len() && (three || bytes[i] != b'\n') {
        if bytes[i..].starts_with(close) {
            return Ok(i + close.len() - 1);
        }
        i += if quote == b'"' && bytes[i] == b'\\' { 2 } else { 1 };
    }
    Err(i)
}

/// What the parser says, in our words: one sentence, and what to write instead.
pub fn in_words(message: &str, text: &str, at: Range<usize>) -> (String, Option<String>) {
    let here = text.get(at.clone()).unwrap_or_default().trim();
    let rest = text.get(at.start..).and_then(|t| t.lines().next()).unwrap_or_default().trim();
    let word = crate::confine::shown(here);
    let first = message.lines().next().unwrap_or_default();
    let (say, help): (String, Option<String>) = match first {
        _ if rest.starts_with('$') => {
            ("an expression must stand in quotes".into(), Some("write it as  \"${L/2}\"".into()))
        }
        _ if first.starts_with("duplicate key") => {
            (format!("`{word}` is given twice"), Some("keep one of them".into()))
        }
        _ if first.starts_with("string values must be quoted") && (here.is_empty() || here.starts_with('#')) => {
            ("a value is missing".into(), Some("write something after `=`".into()))
        }
        _ if first.starts_with("string values must be quoted") => {
            ("text must stand in quotes".into(), Some(format!("write it as  \"{word}\"")))
        }
        _ if first.starts_with("key with no value") => {
            let help = if rest.starts_with(':') { "`=` instead of `:`" } else { "write  key = value" };
            ("a key has no value".into(), Some(help.into()))
        }
        _ if first.starts_with("unexpected key or value") => {
            let comma = rest.strip_prefix(',').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
            let help = if comma {
                "a decimal point is a dot:  1.5"
            } else {
                "one value per line; more than one go into a list:  [1, 2]"
            };
            ("there is something after the value".into(), Some(help.into()))
        }
        _ if first.starts_with("missing escaped value") => {
            let help = "write a backslash as  \\\\ , or the text in single quotes";
            ("a backslash must be followed by one of b e f n r t \" \\ x u U".into(), Some(help.into()))
        }
        "" => ("this is not TOML".into(), None),
        _ => (first.to_string(), None),
    };
    (say, help)
}

/// Is there nothing before it in its line?
fn last_is_line_start(bytes: &[u8], i: usize) -> bool {
    bytes[..i].iter().rev().take_while(|b| **b != b'\n').all(|b| matches!(b, b' ' | b'\t' | b'['))
}

/// `[word.word]`, which no value looks like.
fn is_header(line: &str) -> bool {
    let inside = line.trim_start_matches('[');
    line.starts_with('[')
        && inside.starts_with(|c: char| c.is_ascii_alphabetic())
        && inside.split(']').next().is_some_and(|name| !name.contains([',', '=', '{']))
}

/// `word = ...`.
fn is_field(line: &str) -> bool {
    let key = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    key.len() < line.len() && key.trim_start().starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_open_is_found() {
        let at = |text: &str| culprit(text).map(|c| (c.at.start, c.message.split(' ').nth(1).unwrap_or_default()));
        assert_eq!(at("a = [1, 2\nb = 3\n"), Some((4, "list")));
        assert_eq!(at("a = { b = [1, 2 }\nb = 3\n"), Some((10, "list")));
        assert_eq!(at("a = { b = 1\n[body.x]\n"), Some((4, "table")));
        assert_eq!(at("a = { b = 1\nc = 2\n"), Some((4, "table")));
        assert_eq!(at("a = [\n"), Some((4, "list")));
        assert_eq!(at("a = { k = \"x, r = 1 }\nb = 2"), Some((10, "text")));
        assert_eq!(at("a = '''x\nb = 2"), Some((4, "text")));
        assert_eq!(at("\n[body.x\nb = 2"), Some((1, "header")));
        let fine = "a = [ # [\n  1, \"[\", '{',\n  [2], { x = 1 },\n]\n[[b.c]]\n[d.\"e]\"]\nf = \"\"\"\n[ \"\"\"\ng = {\n x = 1,\n y = 2 }\n";
        assert_eq!(culprit(fine), None);
    }
}

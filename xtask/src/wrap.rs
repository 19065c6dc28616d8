//! `cargo xtask wrap`: comments wrapped at the width of code.
//!
//! Only paragraphs with a line that is too wide are touched, and only prose: headings, tables, fenced blocks, indented lines and lines with
//! columns stay as they are. Items of lists keep their marker and their hanging indent.

use crate::documents::{files, read};
use crate::house;
use crate::source::Source;
use std::fs;
use std::path::{Path, PathBuf};

/// `max_width` of `rustfmt.toml`.
pub fn width(root: &Path) -> Result<usize, String> {
    let text = read(&root.join("rustfmt.toml"))?;
    let value = text.lines().find_map(|line| line.strip_prefix("max_width")?.trim_start().strip_prefix('='));
    value.and_then(|v| v.trim().parse().ok()).ok_or_else(|| "rustfmt.toml: no max_width".into())
}

/// Wrap the comments of these folders or files, or those of all crates.
pub fn write(root: &Path, places: &[&str]) -> Result<(), String> {
    let width = width(root)?;
    let places: Vec<PathBuf> =
        if places.is_empty() { house::sources(root)? } else { places.iter().map(|p| root.join(p)).collect() };
    for place in places {
        for path in if place.is_dir() { files(&place, "rs")? } else { vec![place] } {
            let text = read(&path)?;
            let wrapped = wrapped(&text, width);
            if wrapped != text {
                fs::write(&path, wrapped).map_err(|e| format!("{}: {e}", path.display()))?;
                println!("{}", path.strip_prefix(root).unwrap_or(&path).display());
            }
        }
    }
    Ok(())
}

/// How many comment lines are too wide and can be wrapped.
pub fn wide_lines(text: &str, width: usize) -> usize {
    let paragraphs = paragraphs(text);
    let lines: Vec<&str> = text.lines().collect();
    let wide = |p: &&Paragraph| lines[p.from..p.to] != p.refilled(&lines, width);
    paragraphs
        .iter()
        .filter(wide)
        .map(|p| lines[p.from..p.to].iter().filter(|line| columns(line) > width).count())
        .sum()
}

fn columns(line: &str) -> usize {
    line.chars().count()
}

/// The text with all prose of its comments at most `width` columns wide.
fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut next) = (Vec::new(), 0);
    for p in paragraphs(text) {
        out.extend(lines[next..p.from].iter().map(|line| line.to_string()));
        out.extend(p.refilled(&lines, width));
        next = p.to;
    }
    out.extend(lines[next..].iter().map(|line| line.to_string()));
    let end = if text.ends_with('\n') { "\n" } else { "" };
    out.join("\n") + end
}

/// Lines of one paragraph of prose.
#[derive(Debug)]
struct Paragraph {
    from: usize,
    to: usize,
    /// What stands before the text of every line: indent, marker, a space.
    prefix: String,
    /// The marker of a list's item, with its space; further lines are indented as far.
    item: String,
}

impl Paragraph {
    /// The lines anew where one is too wide, else as they are.
    fn refilled(&self, lines: &[&str], width: usize) -> Vec<String> {
        let own = &lines[self.from..self.to];
        if own.iter().all(|line| columns(line) <= width) {
            return own.iter().map(|line| line.to_string()).collect();
        }
        let text: Vec<&str> = own.iter().map(|line| line[self.prefix.len()..].trim()).collect();
        let text = text.join(" ");
        let hanging = " ".repeat(columns(&self.item));
        let room = width.saturating_sub(columns(&self.prefix) + columns(&self.item));
        let filled = fill(&text[self.item.len()..], room);
        let line = |(i, text): (usize, &String)| {
            format!("{}{}{text}", self.prefix, if i == 0 { &self.item } else { &hanging })
        };
        filled.iter().enumerate().map(line).collect()
    }
}

/// Indent, marker (`//`, `///` or `//!`) and text of a comment line; `None` where something but a space follows the marker.
fn parts(line: &str) -> Option<(&str, &str)> {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let marker = ["///", "//!", "//"].into_iter().find(|marker| rest.starts_with(marker))?;
    let (prefix, text) = line.split_at(indent + marker.len());
    if text.trim().is_empty() {
        return Some((prefix, ""));
    }
    text.starts_with(' ').then_some((prefix, &text[1..]))
}

/// The marker of a list's item with the spaces after it.
fn item(text: &str) -> Option<&str> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let mark = match digits {
        0 => ["- ", "* ", "+ "].into_iter().find(|m| text.starts_with(m))?.len(),
        _ => [". ", ") "].into_iter().find(|m| text[digits..].starts_with(m))?.len() + digits,
    };
    Some(&text[..mark])
}

/// Is the line laid out by hand? Headings, tables, rules, indented lines and lines with columns in them.
fn laid_out(text: &str) -> bool {
    let inner = text.trim_end();
    text.starts_with([' ', '\t', '#', '|', '>'])
        || inner.contains("   ")
        || inner.match_indices("  ").any(|(at, _)| !inner[..at].ends_with(['.', ':', '?', '!']))
        || inner.starts_with("---")
        || inner.starts_with("===")
        || inner.starts_with('[') && inner.contains("]: ")
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let source = Source::new(text);
    let mut all: Vec<Paragraph> = Vec::new();
    let (mut open, mut fenced) = (false, None::<&str>);
    for (i, line) in text.lines().enumerate() {
        let Some((prefix, content)) = parts(line).filter(|_| source.is_comment(i)) else {
            (open, fenced) = (false, None);
            continue;
        };
        if content.trim_start().starts_with("```") {
            fenced = if fenced == Some(prefix) { None } else { Some(prefix) };
            open = false;
            continue;
        }
        if fenced == Some(prefix) || content.is_empty() {
            open = false;
            continue;
        }
        if open && let Some(last) = all.last_mut() {
            let hanging = columns(&last.item);
            let indented = content.len() - content.trim_start().len();
            let same = last.prefix.strip_suffix(' ') == Some(prefix);
            if same && indented == hanging && !laid_out(content.trim_start()) && item(content.trim_start()).is_none() {
                last.to = i + 1;
                continue;
            }
        }
        // an item inside another, or a line laid out by hand, is left alone
        let marker = item(content).unwrap_or("");
        open = !laid_out(content) && !laid_out(&content[marker.len()..]);
        if open {
            all.push(Paragraph { from: i, to: i + 1, prefix: format!("{prefix} "), item: marker.to_string() });
        }
    }
    all
}

/// Words into lines of at most `room` columns. Code in backquotes is not divided, and no line begins with what would make it a list, a heading
/// or a table.
fn fill(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces(text) {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(&piece) <= room => {
                line.push(' ');
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

/// What may stand on lines of its own.
fn pieces(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut inside = false;
    for word in text.split_whitespace() {
        let structural =
            item(&format!("{word} ")).is_some() || word.starts_with(['#', '|', '>']) || word.starts_with("---");
        match all.last_mut() {
            Some(last) if inside || structural => {
                last.push(' ');
                last.push_str(word);
            }
            _ => all.push(word.to_string()),
        }
        if word.matches('`').count() % 2 == 1 {
            inside = !inside;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrapped once, and not changed when wrapped again.
    fn wrap(text: &str, width: usize) -> String {
        let once = wrapped(text, width);
        assert_eq!(wrapped(&once, width), once);
        assert_eq!(wide_lines(&once, width), 0);
        once
    }

    #[test]
    fn a_paragraph_with_a_wide_line_is_filled_and_others_stay() {
        let text = "//! one two three four five six\n//! seven\n//!\n//! eight\n//! nine\n\n    // alpha beta gamma delta\n    fn f() {}\n";
        let expected = "//! one two three\n//! four five six\n//! seven\n//!\n//! eight\n//! nine\n\n    // alpha beta\n    // gamma delta\n    fn f() {}\n";
        assert_eq!(wide_lines(text, 20), 2);
        assert_eq!(wrap(text, 20), expected);
        assert_eq!(wrapped(text, 80), text);
    }

    #[test]
    fn items_hang_and_stay_apart() {
        let text = "/// - one two three four\n///   five\n/// - six\n/// 2. seven eight nine ten\n";
        let expected = "/// - one two three\n///   four five\n/// - six\n/// 2. seven eight\n///    nine ten\n";
        assert_eq!(wrap(text, 19), expected);
    }

    #[test]
    fn what_is_laid_out_stays() {
        for text in [
            "/// | a table | with wide rows |\n",
            "/// ```text\n/// a fenced block with wide lines\n/// ```\n",
            "///     an indented line of code\n",
            "// x   columns   of   text here\n",
            "// ---------------------------\n",
            "//no space after the marker at all\n",
            "let s = \"\n// in a string, not a comment\n\";\n",
            "/// # A heading that is rather long\n",
            "let x = 1; // behind code, where it is\n",
        ] {
            assert_eq!(wrap(text, 20), text);
        }
        // prose after a fence is prose again
        let text = "/// ```text\n/// wide wide wide wide\n/// ```\n/// wide wide wide wide\n";
        assert_eq!(wrap(text, 18), "/// ```text\n/// wide wide wide wide\n/// ```\n/// wide wide wide\n/// wide\n");
    }

    #[test]
    fn markers_of_different_comments_do_not_mix() {
        let text = "/// one two three four\n// five six\n";
        assert_eq!(wrap(text, 16), "/// one two\n/// three four\n// five six\n");
    }

    #[test]
    fn no_line_begins_like_a_list_and_code_is_not_divided() {
        assert_eq!(fill("alpha - beta # gamma", 9), ["alpha -", "beta #", "gamma"]);
        assert_eq!(fill("see `a b c` there", 8), ["see", "`a b c`", "there"]);
        assert_eq!(fill("a unbreakableword b", 6), ["a", "unbreakableword", "b"]);
    }
}

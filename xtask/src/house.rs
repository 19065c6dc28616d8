//! Rules of the house that the compiler does not check: short functions, short lists of arguments, one name for one type, comments no wider
//! than code.

use crate::documents::{files, names, read};
use crate::source::Source;
use crate::wrap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest function, lines; rows of numbers are not counted.
const LONGEST: usize = 100;
/// Most arguments of a function.
const MOST: usize = 8;

/// All that breaks a rule.
pub fn check(root: &Path) -> Result<(), String> {
    let found = [check_functions(root), check_type_names(root), check_comments(root)];
    let complaints: Vec<String> = found.into_iter().filter_map(Result::err).collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// The source folders of the crates.
pub fn sources(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = root.join("crates");
    Ok(names(&folder)?.into_iter().map(|name| folder.join(name).join("src")).filter(|src| src.is_dir()).collect())
}

/// Every Rust file of the crates with its path as it is shown.
fn texts(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for folder in sources(root)? {
        for path in files(&folder, "rs")? {
            all.push((path.strip_prefix(root).unwrap_or(&path).display().to_string(), read(&path)?));
        }
    }
    Ok(all)
}

fn verdict(what: &str, offenders: Vec<String>) -> Result<(), String> {
    if offenders.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}: {what}", offenders.join("\n"), offenders.len()))
}

/// No function is longer than [`LONGEST`] lines or takes more than [`MOST`] arguments.
pub fn check_functions(root: &Path) -> Result<(), String> {
    let texts = texts(root)?;
    let offenders = texts.iter().flat_map(|(file, text)| large_functions(file, text)).collect();
    verdict("functions that are too large", offenders)
}

fn large_functions(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for f in Source::new(text).functions() {
        if f.lines > LONGEST {
            found.push(format!("{file}:{}: `{}` has {} lines, at most {LONGEST}", f.line, f.name, f.lines));
        }
        // what C calls by name has the arguments that somebody else's standard gives it
        let foreign = text.lines().nth(f.line - 1).is_some_and(|line| line.contains("extern \"C\" fn"));
        if f.arguments > MOST && !foreign {
            found.push(format!("{file}:{}: `{}` has {} arguments, at most {MOST}", f.line, f.name, f.arguments));
        }
    }
    found
}

/// No two public types have the same name, in one crate or in two; one that is declared once may be re-exported.
pub fn check_type_names(root: &Path) -> Result<(), String> {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in texts(root)? {
        for (line, name) in public_types(&text) {
            declared.entry(name).or_default().push(format!("{file}:{line}"));
        }
    }
    verdict("names of more than one public type", repeated(&declared))
}

fn repeated(declared: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let twice = declared.iter().filter(|(_, places)| places.len() > 1);
    twice.map(|(name, places)| format!("`{name}`: {}", places.join(", "))).collect()
}

/// Public types with the numbers of their lines.
fn public_types(text: &str) -> Vec<(usize, String)> {
    let name = |line: &str| {
        let declaration = line.trim_start().strip_prefix("pub ")?;
        let declaration = declaration.strip_prefix("unsafe ").unwrap_or(declaration);
        let (kind, rest) = declaration.split_once(' ')?;
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (["struct", "enum", "trait", "type"].contains(&kind) && !name.is_empty()).then_some(name)
    };
    let code = Source::new(text).code();
    code.lines().enumerate().filter_map(|(i, line)| Some((i + 1, name(line)?))).collect()
}

/// No comment is wider than code may be, where it can be wrapped.
pub fn check_comments(root: &Path) -> Result<(), String> {
    let width = wrap::width(root)?;
    let (mut lines, mut worst) = (0, BTreeMap::new());
    for (file, text) in texts(root)? {
        let wide = wrap::wide_lines(&text, width);
        if wide > 0 {
            lines += wide;
            *worst.entry(file.split('/').take(2).collect::<Vec<_>>().join("/")).or_insert(0) += wide;
        }
    }
    if lines == 0 {
        return Ok(());
    }
    let folders: Vec<String> = worst.iter().map(|(folder, n)| format!("{folder}: {n}")).collect();
    Err(format!(
        "{}\n{lines}: comment lines wider than {width} columns; `cargo xtask wrap` wraps them",
        folders.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_functions_and_long_lists_of_arguments_are_named() {
        let long = format!("fn long() {{\n{}}}\n", "    x();\n".repeat(LONGEST - 1));
        assert_eq!(large_functions("f.rs", &long), ["f.rs:1: `long` has 101 lines, at most 100"]);
        let table = format!("fn table() {{\n    let t = [\n{}    ];\n}}\n", "        1.0, 2.0,\n".repeat(LONGEST));
        assert!(large_functions("f.rs", &table).is_empty());
        let many = "fn many(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8) {}\n";
        assert_eq!(large_functions("f.rs", many), ["f.rs:1: `many` has 9 arguments, at most 8"]);
        assert!(large_functions("f.rs", &many.replace(", i: u8", ",")).is_empty());
        assert!(large_functions("f.rs", &many.replace("fn many", "pub unsafe extern \"C\" fn many")).is_empty());
    }

    #[test]
    fn a_type_declared_twice_is_named_and_a_re_export_is_not() {
        let text = "pub struct A<T>(T);\npub(crate) struct B;\npub enum C {\n    D,\n}\n// pub struct E\npub use x::A;\nmod m {\n    pub type F = u8;\n}\n";
        let found = public_types(text);
        assert_eq!(found, [(1, "A".to_string()), (3, "C".to_string()), (9, "F".to_string())]);
        let mut declared = BTreeMap::new();
        declared.insert("A".to_string(), vec!["x.rs:1".to_string(), "y.rs:2".to_string()]);
        declared.insert("C".to_string(), vec!["x.rs:3".to_string()]);
        assert_eq!(repeated(&declared), ["`A`: x.rs:1, y.rs:2"]);
    }
}

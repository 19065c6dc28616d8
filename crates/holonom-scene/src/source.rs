//! The texts a scene was read from, and places in them.

use std::path::{Path, PathBuf};

/// A stretch of one source text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Which text, as numbered by [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A stretch of a text.
    pub fn new(file: u32, range: std::ops::Range<usize>) -> Span {
        let clip = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        Span { file, start: clip(range.start), end: clip(range.end) }
    }
}

/// One text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As shown to the user: the path as it was given.
    pub name: String,
    /// Where it lies, if it is a file.
    pub path: Option<PathBuf>,
    /// What it says.
    pub text: String,
    /// Byte offset of the start of every line.
    lines: Vec<u32>,
}

/// All texts of a scene: the file itself, what it includes, and the command line.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

/// A place as people count: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Sources {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Add a text; the number it has from now on.
    pub fn add(&mut self, name: impl Into<String>, path: Option<&Path>, text: String) -> u32 {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        // a byte order mark is no character of the first line
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let lines = std::iter::once(first).chain(starts).collect();
        self.files.push(SourceFile { name: name.into(), path: path.map(Path::to_path_buf), text, lines });
        self.files.len() as u32 - 1
    }

    /// A text by its number.
    pub fn file(&self, file: u32) -> Option<&SourceFile> {
        self.files.get(file as usize)
    }

    /// All texts, in the order they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Line and column of the start of a stretch.
    pub fn place(&self, span: Span) -> Option<LineColumn> {
        let file = self.file(span.file)?;
        let start = (span.start as usize).min(file.text.len()).max(file.lines[0] as usize);
        let line = file.lines.partition_point(|&s| s as usize <= start) - 1;
        let from = file.lines[line] as usize;
        let column = file.text.as_bytes()[from..start.max(from)].iter().filter(|b| (*b & 0xC0) != 0x80).count() + 1;
        Some(LineColumn { line: line + 1, column })
    }

    /// The line a stretch starts in, without its end, and how many characters of that line it covers.
    pub fn excerpt(&self, span: Span) -> Option<(&str, usize)> {
        let file = self.file(span.file)?;
        let line = self.place(span)?.line - 1;
        let from = file.lines[line] as usize;
        let to = file.lines.get(line + 1).map_or(file.text.len(), |&next| next as usize - 1);
        let text = file.text.get(from..to)?.trim_end_matches('\r');
        // a place may lie on the end of the line, or, from a parser, between the bytes of a character
        let whole =
            |at: usize| (0..=at.min(from + text.len())).rev().find(|&i| file.text.is_char_boundary(i)).unwrap_or(0);
        let start = whole(span.start as usize);
        let end = whole(span.end as usize).max(start);
        let covered = file.text[start..end].chars().count();
        Some((text, covered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let mut sources = Sources::new();
        let f = sources.add("a.toml", None, "x = 1\nµ = 2\r\nlast".into());
        let at = |start| sources.place(Span { file: f, start, end: start + 1 }).map(|p| (p.line, p.column));
        assert_eq!(at(0), Some((1, 1)));
        assert_eq!(at(6), Some((2, 1)));
        assert_eq!(at(9), Some((2, 3)));
        assert_eq!(at(999), Some((3, 5)));
        assert_eq!(sources.excerpt(Span { file: f, start: 6, end: 8 }), Some(("µ = 2", 1)));
        assert_eq!(sources.excerpt(Span { file: f, start: 6, end: 900 }), Some(("µ = 2", 5)));
        // on the end of a line, inside a character, the wrong way round
        assert_eq!(sources.excerpt(Span { file: f, start: 5, end: 6 }), Some(("x = 1", 0)));
        assert_eq!(sources.excerpt(Span { file: f, start: 7, end: 8 }), Some(("µ = 2", 1)));
        assert_eq!(sources.excerpt(Span { file: f, start: 9, end: 2 }), Some(("µ = 2", 0)));
    }
}

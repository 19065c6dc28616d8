//! Rust sources, read well enough to know code from comments and strings, and where functions begin and end.

/// A source text, and the same with everything that is not code blanked.
pub struct Source {
    /// Comments, strings and characters replaced by spaces; line breaks kept, so that lines have the same numbers.
    code: Vec<char>,
    /// Per line: is it a comment line, `//` with nothing but white space before it?
    comment: Vec<bool>,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Number of its first line, counted from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace, without rows of numbers.
    pub lines: usize,
    /// Arguments, `self` among them.
    pub arguments: usize,
}

impl Source {
    pub fn new(text: &str) -> Source {
        let chars: Vec<char> = text.chars().collect();
        let mut code = chars.clone();
        let mut comment = vec![false; text.lines().count() + 1];
        let (mut at, mut line, mut blank_line) = (0, 0, true);
        while at < chars.len() {
            let end = literal_end(&chars, at);
            if chars[at..].starts_with(&['/', '/']) {
                comment[line] |= blank_line;
            }
            match end {
                Some(end) => {
                    for c in &mut code[at..end] {
                        if *c == '\n' {
                            line += 1;
                        } else {
                            *c = ' ';
                        }
                    }
                    (at, blank_line) = (end, false);
                }
                None => {
                    if chars[at] == '\n' {
                        (line, blank_line) = (line + 1, true);
                    } else if !chars[at].is_whitespace() {
                        blank_line = false;
                    }
                    at += 1;
                }
            }
        }
        Source { code, comment }
    }

    /// Is the line (counted from 0) a comment line?
    pub fn is_comment(&self, line: usize) -> bool {
        self.comment.get(line).copied().unwrap_or(false)
    }

    /// The text with comments, strings and characters blanked.
    pub fn code(&self) -> String {
        self.code.iter().collect()
    }

    /// All functions that have a body.
    pub fn functions(&self) -> Vec<Function> {
        let code = &self.code;
        let mut found = Vec::new();
        let (mut at, mut line) = (0, 1);
        while at < code.len() {
            if code[at] == '\n' {
                line += 1;
            }
            if word_at(code, at) == Some("fn".into())
                && let Some(function) = function(code, at, line)
            {
                found.push(function);
            }
            at += 1;
        }
        found
    }
}

fn part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word that begins at `at`.
fn word_at(code: &[char], at: usize) -> Option<String> {
    let begins = part_of_word(code[at]) && !(at > 0 && part_of_word(code[at - 1]));
    begins.then(|| code[at..].iter().take_while(|c| part_of_word(**c)).collect())
}

/// The end of the comment, string or character that begins at `at`; `None` where code stands there.
fn literal_end(chars: &[char], at: usize) -> Option<usize> {
    let rest = &chars[at..];
    if rest.starts_with(&['/', '/']) {
        return Some(at + rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(&['/', '*']) {
        return Some(at + block_comment(rest));
    }
    if rest[0] == '\'' {
        return character(rest).map(|length| at + length);
    }
    if rest[0] == '"' {
        return Some(at + string(rest));
    }
    // r"..", r#".."#, br".."; the letters b and c before a plain quote may stay
    let before = at > 0 && part_of_word(chars[at - 1]) && chars[at - 1] != 'b' && chars[at - 1] != 'c';
    if rest[0] == 'r' && !before {
        let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
        if rest.get(1 + hashes) == Some(&'"') {
            let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let body = &rest[2 + hashes..];
            let end = body.windows(close.len()).position(|w| w == close).map_or(body.len(), |i| i + close.len());
            return Some(at + 2 + hashes + end);
        }
    }
    None
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < rest.len() {
        if rest[i..].starts_with(&['/', '*']) {
            (depth, i) = (depth + 1, i + 2);
        } else if rest[i..].starts_with(&['*', '/']) {
            (depth, i) = (depth - 1, i + 2);
            if depth == 0 {
                break;
            }
        } else {
            i += 1;
        }
    }
    i
}

fn string(rest: &[char]) -> usize {
    let mut i = 1;
    while i < rest.len() && rest[i] != '"' {
        i += if rest[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(rest.len())
}

/// Length of a character literal; `None` for a lifetime.
fn character(rest: &[char]) -> Option<usize> {
    if rest.get(1) == Some(&'\\') {
        return rest[3..].iter().position(|c| *c == '\'').map(|i| i + 4);
    }
    (rest.get(2) == Some(&'\'')).then_some(3)
}

/// The function whose `fn` stands at `at`; `None` for pointers to functions and declarations without a body.
fn function(code: &[char], at: usize, line: usize) -> Option<Function> {
    let begin = at + 2 + code[at + 2..].iter().position(|c| !c.is_whitespace())?;
    let name = word_at(code, begin)?;
    let mut i = begin + name.chars().count();
    if code.get(i) == Some(&'<') {
        i = list_end(code, i).0;
    }
    if code.get(i) != Some(&'(') {
        return None;
    }
    let (end, arguments) = list_end(code, i);
    let open = body_start(code, end)?;
    let close = closing_brace(code, open);
    let text: String = code[at..=close.min(code.len() - 1)].iter().collect();
    let lines = text.lines().filter(|line| !is_row_of_numbers(line)).count();
    Some(Function { name, line, lines, arguments })
}

/// The end of a bracketed list that opens at `at`, and how many entries it has.
fn list_end(code: &[char], at: usize) -> (usize, usize) {
    let (mut depth, mut entries, mut empty) = (0i32, 0, true);
    for i in at..code.len() {
        match code[i] {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if i > 0 && (code[i - 1] == '-' || code[i - 1] == '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 1 => {
                entries += usize::from(!empty);
                empty = true;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            return (i + 1, entries + usize::from(!empty));
        }
        if i > at && !code[i].is_whitespace() {
            empty = false;
        }
    }
    (code.len(), entries)
}

/// Where the body opens after the arguments: past the return type and the bounds.
fn body_start(code: &[char], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in code.iter().enumerate().skip(from) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(i),
            ';' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

fn closing_brace(code: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (i, c) in code.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    code.len()
}

/// Numbers, signs and brackets alone.
fn is_row_of_numbers(line: &str) -> bool {
    line.contains(|c: char| c.is_ascii_digit())
        && line.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || ".,-+eE_[]()".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Function {
        let mut all = Source::new(text).functions();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn comments_strings_and_characters_are_not_code() {
        let text =
            "let a = \"fn x() {\\\"\"; // fn y() {\n/* { /* { */ */ let b = '{'; let c = r#\"}\"{\"#; x::<'a>('\\'');";
        let code = Source::new(text).code();
        assert_eq!(code.lines().count(), 2);
        assert!(!code.contains(['{', '}', '"']) && code.contains("let b") && code.contains("<'a>"), "{code}");
    }

    #[test]
    fn comment_lines_are_known_from_strings_that_look_like_them() {
        let text = "// one\nlet s = \"\n// two\n\"; // three\n    //! four\n";
        let source = Source::new(text);
        assert_eq!((0..5).map(|i| source.is_comment(i)).collect::<Vec<_>>(), [true, false, false, false, true]);
    }

    #[test]
    fn generic_signatures_and_bounds_are_read() {
        let f = only(
            "impl<T> X<T> {\n    pub(crate) fn f<F: Fn(u8, u8) -> Vec<u8>, const N: usize>(\n        &self,\n        a: [u8; 3],\n        \
             b: impl Fn(u8, u8) -> u8,\n        c: Map<u8, (u8, u8)>,\n    ) -> Result<[T; 3], E>\n    where\n        T: Into<u8>,\n    {\n        \
             if a { b } else { c }\n    }\n}\n",
        );
        assert_eq!((f.name.as_str(), f.line, f.arguments, f.lines), ("f", 2, 4, 11));
    }

    #[test]
    fn declarations_and_pointers_are_no_functions() {
        assert!(Source::new("trait T { fn a(&self) -> [u8; 2]; }\ntype F = fn(u8) -> u8;\n").functions().is_empty());
        let nested = Source::new("fn a() {\n    fn b(x: u8) {}\n}\n").functions();
        assert_eq!(nested.iter().map(|f| (f.lines, f.arguments)).collect::<Vec<_>>(), [(3, 0), (1, 1)]);
    }

    #[test]
    fn rows_of_numbers_do_not_count() {
        assert_eq!(
            only("fn a() -> [[f64; 2]; 2] {\n    [\n        [1.0, -2e-3],\n        [0.5, 1_000.0],\n    ]\n}\n").lines,
            4
        );
    }
}

//! Reading XML: one pass over the bytes, a list of open elements instead of recursion, budgets charged before anything
//! is stored.

use super::{Attribute, Document, Node, Text};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::source::Span;
use std::cell::Cell;
use std::ops::Range;

/// Elements that a file may have for every body it may have.
const ELEMENTS_PER_BODY: u64 = 4;

/// A text on its way to a document.
pub(super) struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Where we are.
    at: usize,
    limits: &'t Limits,
    /// Elements that are open, outermost first.
    open: Vec<u32>,
    doc: Document,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, file: u32, limits: &'t Limits) -> Self {
        let doc = Document {
            text: text.into(),
            file,
            elements: Vec::new(),
            attributes: Vec::new(),
            decoded: String::new(),
            texts: Vec::new(),
            taken: Vec::new(),
            asked: Vec::new(),
        };
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Parser { text, bytes: text.as_bytes(), at, limits, open: Vec::new(), doc }
    }

    pub(super) fn document(mut self) -> Result<Document, Box<Diagnostic>> {
        while self.at < self.bytes.len() {
            if self.bytes[self.at] != b'<' {
                self.text()?;
            } else {
                match self.bytes.get(self.at + 1) {
                    Some(b'/') => self.end_tag()?,
                    Some(b'?') => self.pass("<?", "?>", "a processing instruction")?,
                    Some(b'!') => self.declaration()?,
                    _ => self.start_tag()?,
                }
            }
        }
        if let Some(&last) = self.open.last() {
            let name = self.doc.elements[last as usize].name;
            let message = format!("<{}> is never closed", shown(self.doc.slice(name)));
            let d = Diagnostic::error(codes::XML_SYNTAX, message).at(self.doc.span_of((name.0 - 1, name.1)));
            return Err(Box::new(
                d.label("opened here").help(format!("</{}> is missing", shown(self.doc.slice(name)))),
            ));
        }
        if self.doc.elements.is_empty() {
            let end = self.text.trim_end().len();
            return Err(self.wrong(end..end, "there is no element in the file", "XML begins with an element"));
        }
        let mut doc = self.doc;
        // a stable sort: the first of every element stays the first
        doc.texts.sort_by_key(|t| t.element);
        doc.texts.dedup_by_key(|t| t.element);
        doc.taken = vec![Cell::new(false); doc.elements.len()];
        doc.asked = vec![Cell::new(false); doc.attributes.len()];
        Ok(doc)
    }

    fn wrong(&self, at: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Box<Diagnostic> {
        let span = Span::new(self.doc.file, at);
        Box::new(Diagnostic::error(codes::XML_SYNTAX, message).at(span).label(label))
    }

    fn over(
        &self,
        code: codes::Code,
        at: Range<usize>,
        message: String,
        limit: u64,
        flag: &'static str,
    ) -> Box<Diagnostic> {
        let d = Diagnostic::error(code, message).at(Span::new(self.doc.file, at));
        Box::new(d.label(format!("the limit is {limit}")).help(format!("--limit {flag}=N allows more")))
    }

    /// The character here, whole.
    fn here(&self) -> Range<usize> {
        self.at..self.at + self.text[self.at..].chars().next().map_or(0, char::len_utf8)
    }

    /// Pass over something to its end, which must be there.
    fn pass(&mut self, start: &str, end: &str, what: &str) -> Result<(), Box<Diagnostic>> {
        let from = self.at + start.len();
        match self.text[from..].find(end) {
            Some(n) => {
                self.at = from + n + end.len();
                Ok(())
            }
            None => {
                Err(self.wrong(self.at..from, format!("{what} has no end"), format!("`{end}` is missing after this")))
            }
        }
    }

    fn declaration(&mut self) -> Result<(), Box<Diagnostic>> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<!--") {
            return self.pass("<!--", "-->", "a comment");
        }
        if rest.starts_with("<![CDATA[") {
            let from = self.at + "<![CDATA[".len();
            if self.open.is_empty() {
                return Err(self.wrong(self.at..from, "text stands outside the root element", "not allowed here"));
            }
            self.pass("<![CDATA[", "]]>", "a CDATA section")?;
            self.note_text(from, self.at - 3);
            return Ok(());
        }
        let word = rest[2..].bytes().take(20).take_while(u8::is_ascii_alphabetic).count();
        let at = self.at..self.at + 2 + word;
        if word == 0 {
            return Err(self.wrong(at, "`<!` begins nothing known", "a comment begins with `<!--`"));
        }
        let d = Diagnostic::error(codes::ENTITIES, "document types and entities are refused");
        let d = d.at(Span::new(self.doc.file, at)).label("not read any further");
        Err(Box::new(d.help("remove the DOCTYPE; models need none")))
    }

    /// Text between tags.
    fn text(&mut self) -> Result<(), Box<Diagnostic>> {
        let from = self.at;
        while self.at < self.bytes.len() && self.bytes[self.at] != b'<' {
            match self.bytes[self.at] {
                b'&' => self.reference(None)?,
                c if control(c) => return Err(self.unprintable()),
                _ => self.at += 1,
            }
        }
        let raw = &self.text[from..self.at];
        let trimmed = raw.trim_ascii();
        if trimmed.is_empty() {
            return Ok(());
        }
        let start = from + (raw.len() - raw.trim_ascii_start().len());
        if self.open.is_empty() {
            let end = start + trimmed.chars().next().map_or(0, char::len_utf8);
            return Err(self.wrong(start..end, "text stands outside the root element", "not allowed here"));
        }
        self.note_text(start, start + trimmed.len());
        Ok(())
    }

    fn note_text(&mut self, start: usize, end: usize) {
        if let Some(&element) = self.open.last().filter(|_| start < end) {
            self.doc.texts.push(Text { element, stretch: (start as u32, end as u32), asked: Cell::new(false) });
        }
    }

    fn end_tag(&mut self) -> Result<(), Box<Diagnostic>> {
        let from = self.at;
        self.at += 2;
        let name = self.name("the name of a closing tag")?;
        self.blanks();
        if self.bytes.get(self.at) != Some(&b'>') {
            let at = self.here();
            return Err(self.wrong(at, "a closing tag has no end", "`>` is missing here"));
        }
        self.at += 1;
        let written = &self.text[name.clone()];
        let Some(element) = self.open.pop() else {
            let message = format!("</{}> closes nothing", shown(written));
            return Err(self.wrong(from..self.at, message, "no element is open here"));
        };
        let opened = self.doc.elements[element as usize].name;
        let expected = self.doc.slice(opened);
        if expected != written {
            let message = format!("</{}> closes <{}>", shown(written), shown(expected));
            let line = self.text[..opened.0 as usize].bytes().filter(|b| *b == b'\n').count() + 1;
            let d = self.wrong(from..self.at, message, format!("</{}> is expected", shown(expected)));
            return Err(Box::new(d.note("note", format!("<{}> was opened in line {line}", shown(expected)))));
        }
        self.doc.elements[element as usize].end = self.doc.elements.len() as u32;
        Ok(())
    }

    fn start_tag(&mut self) -> Result<(), Box<Diagnostic>> {
        let from = self.at;
        self.at += 1;
        let name = self.name("the name of an element")?;
        if self.open.is_empty() && !self.doc.elements.is_empty() {
            return Err(self.wrong(from..name.end, "there is a second root element", "only one is allowed"));
        }
        if self.open.len() as u64 >= self.limits.depth {
            let limit = self.limits.depth;
            let message = format!("elements are nested more than {limit} deep");
            return Err(self.over(codes::TOO_DEEP, from..name.end, message, limit, "depth"));
        }
        let most = self.limits.bodies.saturating_mul(ELEMENTS_PER_BODY).min(u32::MAX as u64 - 1);
        if self.doc.elements.len() as u64 >= most {
            let message = format!("the file has more than {most} elements");
            let d = self.over(codes::TOO_MANY_BODIES, from..name.end, message, self.limits.bodies, "bodies");
            return Err(Box::new(d.label(format!("the limit is {ELEMENTS_PER_BODY} for every body allowed"))));
        }
        let index = self.doc.elements.len() as u32;
        let first = self.doc.attributes.len();
        self.doc.elements.push(Node {
            name: (name.start as u32, name.end as u32),
            tag_end: name.end as u32,
            parent: self.open.last().copied().unwrap_or(index),
            end: index + 1,
            attributes: first as u32,
        });
        loop {
            let gap = self.blanks();
            match self.bytes.get(self.at) {
                Some(b'>') => {
                    self.at += 1;
                    self.open.push(index);
                    break;
                }
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'>') => {
                    self.at += 2;
                    break;
                }
                Some(b'<') | None => {
                    let message = format!("the tag <{}> has no end", shown(&self.text[name.clone()]));
                    return Err(self.wrong(from..name.end, message, "`>` is missing"));
                }
                Some(_) if gap == 0 => {
                    let at = self.here();
                    return Err(self.wrong(at, "attributes must be separated by blanks", "a blank is missing here"));
                }
                Some(_) => {
                    let n = (self.doc.attributes.len() - first) as u64;
                    if n >= self.limits.attributes {
                        let limit = self.limits.attributes;
                        let message = format!("<{}> has more than {limit} attributes", shown(&self.text[name.clone()]));
                        let d = self.over(codes::TOO_MANY_ATTRIBUTES, from..name.end, message, limit, "attributes");
                        return Err(d);
                    }
                    self.attribute()?;
                }
            }
        }
        self.doc.elements[index as usize].tag_end = self.at as u32;
        self.no_twins(first)
    }

    fn attribute(&mut self) -> Result<(), Box<Diagnostic>> {
        let name = self.name("the name of an attribute")?;
        let shown_name = |p: &Self| shown(&p.text[name.clone()]);
        self.blanks();
        if self.bytes.get(self.at) != Some(&b'=') {
            let message = format!("attribute `{}` has no value", shown_name(self));
            return Err(self.wrong(name.clone(), message, "`=\"...\"` is missing"));
        }
        self.at += 1;
        self.blanks();
        let quote = match self.bytes.get(self.at) {
            Some(&q @ (b'"' | b'\'')) => q,
            _ => {
                let message = format!("the value of attribute `{}` is not quoted", shown_name(self));
                let at = self.here();
                return Err(self.wrong(at, message, "a quote is missing here"));
            }
        };
        self.at += 1;
        let start = self.at;
        let mut decoded: Option<usize> = None;
        loop {
            match self.bytes.get(self.at) {
                Some(&c) if c == quote => break,
                None | Some(b'<') => {
                    let message = format!("the value of attribute `{}` has no closing quote", shown_name(self));
                    return Err(self.wrong(start - 1..start, message, "opened here"));
                }
                Some(&c @ (b'&' | b'\t' | b'\n' | b'\r')) => {
                    let from = *decoded.get_or_insert(self.doc.decoded.len());
                    if from == self.doc.decoded.len() {
                        self.doc.decoded.push_str(&self.text[start..self.at]);
                    }
                    if c == b'&' {
                        self.reference(Some(from))?;
                    } else {
                        self.doc.decoded.push(' ');
                        self.at += if self.bytes[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
                    }
                    // all that follows up to the next of these, in one piece
                    let from = self.at;
                    let stop = |b: &u8| matches!(*b, b'&' | b'<') || *b == quote || *b < 0x20;
                    let n = self.bytes[from..].iter().position(stop).unwrap_or(self.bytes.len() - from);
                    self.at += n;
                    self.doc.decoded.push_str(&self.text[from..self.at]);
                }
                Some(&c) if control(c) => return Err(self.unprintable()),
                Some(_) => self.at += 1,
            }
        }
        let value = (start as u32, self.at as u32);
        self.at += 1;
        let decoded = decoded.map(|from| (from as u32, self.doc.decoded.len() as u32));
        self.doc.attributes.push(Attribute { name: (name.start as u32, name.end as u32), value, decoded });
        Ok(())
    }

    /// A reference; what it stands for goes to `decoded` if it belongs to a value.
    fn reference(&mut self, value: Option<usize>) -> Result<(), Box<Diagnostic>> {
        let from = self.at;
        let end = self.bytes[from..].iter().take(40).position(|b| *b == b';').map(|n| from + n);
        let Some(end) = end else {
            let d = self.wrong(from..from + 1, "`&` begins no reference", "`;` is missing after it");
            return Err(Box::new(d.help("a plain & is written  &amp;")));
        };
        let name = &self.text[from + 1..end];
        let c = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => numbered(name),
        };
        let Some(c) = c else {
            let message = format!("there is no entity `&{};`", shown(name));
            let d = self.wrong(from..end + 1, message, "not one of the five of XML, nor a character");
            return Err(Box::new(d.help("known are &amp; &lt; &gt; &quot; &apos; and numbers such as &#176;")));
        };
        if value.is_some() {
            self.doc.decoded.push(c);
        }
        self.at = end + 1;
        Ok(())
    }

    /// Attributes of one element, from `first` on, must have names of their own.
    fn no_twins(&self, first: usize) -> Result<(), Box<Diagnostic>> {
        let own = &self.doc.attributes[first..];
        if own.len() < 2 {
            return Ok(());
        }
        let mut names: Vec<(&str, u32)> = own.iter().map(|a| (self.doc.slice(a.name), a.name.0)).collect();
        names.sort_unstable();
        match names.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1]).min_by_key(|w| w.1) {
            None => Ok(()),
            Some((name, at)) => {
                let at = at as usize;
                let message = format!("attribute `{}` is given twice", shown(name));
                Err(self.wrong(at..at + name.len(), message, "the second of that name"))
            }
        }
    }

    fn name(&mut self, what: &str) -> Result<Range<usize>, Box<Diagnostic>> {
        let from = self.at;
        let begins = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b':' || b >= 0x80;
        let goes_on = |b: &u8| begins(*b) || b.is_ascii_digit() || *b == b'-' || *b == b'.';
        if !self.bytes.get(from).copied().is_some_and(begins) {
            let at = self.here();
            return Err(self.wrong(at, format!("{what} is missing"), "must begin with a letter, `_` or `:`"));
        }
        self.at += self.bytes[from..].iter().take_while(|b| goes_on(b)).count();
        Ok(from..self.at)
    }

    /// Pass over white space; how much there was.
    fn blanks(&mut self) -> usize {
        let n = self.bytes[self.at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += n;
        n
    }

    fn unprintable(&self) -> Box<Diagnostic> {
        let code = self.bytes[self.at];
        self.wrong(self.here(), format!("the character U+{code:04X} is not allowed in XML"), "a control character")
    }
}

fn control(b: u8) -> bool {
    b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')
}

/// The character of `#176` or `#xB0`.
fn numbered(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    let allowed = !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    allowed.then_some(c)
}

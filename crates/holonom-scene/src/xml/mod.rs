//! XML as models use it, from untrusted files: elements, attributes and text with their places.
//!
//! - Flat arrays in document order, an element knows its parent and where its descendants end. Nothing recurses,
//!   neither reading nor dropping.
//! - Budgets are charged while reading, before anything is stored: size of the text, levels (`depth`), attributes of an
//!   element (`attributes`), elements altogether (four for every body that `bodies` allows). Every byte is looked at a
//!   fixed number of times; attributes of one name are found by sorting.
//! - A `<!DOCTYPE` or any other declaration is refused, so there are no entities besides the five of the standard and
//!   character references.
//! - Comments, processing instructions and the XML declaration are passed over. A comment may contain `--`, which the
//!   standard forbids and people write. White space in attribute values becomes blanks, as the standard asks. Prefixes
//!   stay part of a name (`xacro:include`).
//! - The text is UTF-8 when it comes here, whatever its declaration says.
//!
//! **Nothing is dropped in silence.** Every element and attribute notes whether it was read: [`Element::attr`] and
//! [`Element::take`] note it. [`Document::unread`] lists the rest, and [`Document::report_unread`] turns it into
//! warnings. Of an element that was not taken only itself is listed, not what is inside.

mod parser;

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, Report};
use crate::limits::Limits;
use crate::source::Span;
use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

/// Warnings about unread parts that are written out for one document; the others are only counted.
const WRITTEN_OUT: usize = 1000;

/// A whole XML text.
#[derive(Debug)]
pub struct Document {
    text: Box<str>,
    file: u32,
    elements: Vec<Node>,
    attributes: Vec<Attribute>,
    /// Values that are not the bytes of the text, because they have references or white space in them.
    decoded: String,
    /// First text of elements that have any, sorted by element.
    texts: Vec<Text>,
    taken: Vec<Cell<bool>>,
    asked: Vec<Cell<bool>>,
}

type Stretch = (u32, u32);

#[derive(Debug)]
struct Node {
    name: Stretch,
    /// End of the start tag.
    tag_end: u32,
    /// The element around it; itself for the root.
    parent: u32,
    /// One past its last descendant.
    end: u32,
    /// Its first attribute; they end where those of the next element begin.
    attributes: u32,
}

#[derive(Debug)]
struct Attribute {
    name: Stretch,
    value: Stretch,
    /// Where the value is in `decoded`, if it is there.
    decoded: Option<Stretch>,
}

#[derive(Debug)]
struct Text {
    element: u32,
    stretch: Stretch,
    asked: Cell<bool>,
}

/// An element of a document.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    doc: &'d Document,
    index: u32,
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct Attr<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its value, references resolved.
    pub value: &'d str,
    /// Where the value stands, without its quotes.
    pub span: Span,
    /// Where the name stands.
    pub name_span: Span,
}

impl Attr<'_> {
    /// The finite numbers of the value, separated by blanks; `what` names them in messages, `count` says how many there
    /// may be.
    pub fn numbers(&self, what: &str, count: RangeInclusive<usize>) -> Result<Vec<f64>, Box<Diagnostic>> {
        let n = self.value.split_ascii_whitespace().count();
        if !count.contains(&n) {
            let wanted = match (*count.start(), *count.end()) {
                (1, 1) => "be one number".to_string(),
                (least, most) if least == most => format!("have {least} numbers"),
                (least, most) => format!("have {least} to {most} numbers"),
            };
            let d = Diagnostic::error(codes::WRONG_LENGTH, format!("`{}` must {wanted}", shown(what)));
            return Err(Box::new(d.at(self.span).label(format!("{n} given"))));
        }
        self.value.split_ascii_whitespace().map(|word| self.number(what, word)).collect()
    }

    fn number(&self, what: &str, word: &str) -> Result<f64, Box<Diagnostic>> {
        let wrong = |code, message: String, label: String| {
            // the place of the word itself, where the text has no references in it
            let start = self.span.start as usize + (word.as_ptr() as usize - self.value.as_ptr() as usize);
            let plain = (self.span.end - self.span.start) as usize == self.value.len();
            let span = if plain { Span::new(self.span.file, start..start + word.len()) } else { self.span };
            Diagnostic::error(code, message).at(span).label(label)
        };
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(x) => {
                let message = format!("`{}` is not finite", shown(what));
                Err(Box::new(wrong(codes::NOT_FINITE, message, format!("{x}, must be a finite number"))))
            }
            Err(_) => {
                let must =
                    if word.len() == self.value.trim().len() { "is not a number" } else { "must be made of numbers" };
                let message = format!("`{}` {must}", shown(what));
                let d = wrong(codes::WRONG_TYPE, message, format!("`{}` is not a number", shown(word)));
                Err(Box::new(match word.contains("${") || word.contains("$(") {
                    true => d.help("this is a xacro expression: expand the file with  xacro FILE > robot.urdf"),
                    false => d,
                }))
            }
        }
    }
}

/// A part of a document that was not read.
#[derive(Clone, Copy, Debug)]
pub enum Unread<'d> {
    /// An element, with all that is in it.
    Element(Element<'d>),
    /// An attribute of an element that was taken.
    Attribute(Element<'d>, Attr<'d>),
    /// Text in an element that was taken.
    Text(Element<'d>, Span),
}

impl<'d> Unread<'d> {
    /// The element it is, or belongs to.
    pub fn element(&self) -> Element<'d> {
        match *self {
            Unread::Element(e) | Unread::Attribute(e, _) | Unread::Text(e, _) => e,
        }
    }

    /// The name of the attribute, if it is one.
    pub fn attribute(&self) -> Option<&'d str> {
        match self {
            Unread::Attribute(_, a) => Some(a.name),
            _ => None,
        }
    }

    /// The warning that it has no effect; `suffix` follows the message.
    pub fn warning(&self, suffix: &str) -> Diagnostic {
        let element = shown(self.element().name());
        let (what, span) = match self {
            Unread::Element(e) => (format!("<{element}>"), e.span()),
            Unread::Attribute(_, a) => (format!("`{}` of <{element}>", shown(a.name)), a.name_span),
            Unread::Text(_, span) => (format!("text in <{element}>"), *span),
        };
        Diagnostic::warning(codes::IGNORED, format!("{what} is not used{suffix}")).at(span)
    }
}

impl Document {
    /// Read a text. The first error ends it: what follows an error in XML has no defined meaning.
    pub fn parse(text: &str, file: u32, limits: &Limits) -> Result<Document, Box<Diagnostic>> {
        let whole = text.len() as u64;
        Limits::check(codes::FILE_TOO_LARGE, "bytes of XML", whole, limits.file.min(u32::MAX as u64), "file")?;
        parser::Parser::new(text, file, limits).document()
    }

    /// The outermost element. It counts as taken.
    pub fn root(&self) -> Element<'_> {
        self.taken[0].set(true);
        Element { doc: self, index: 0 }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Never: a document has a root.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Everything that was not read, in the order of the file.
    pub fn unread(&self) -> impl Iterator<Item = Unread<'_>> {
        let mut next = 0u32;
        let elements = std::iter::from_fn(move || {
            let index = next;
            let node = self.elements.get(index as usize)?;
            next = if self.taken[index as usize].get() { index + 1 } else { node.end };
            Some(Element { doc: self, index })
        });
        elements.flat_map(move |e| {
            let taken = self.taken[e.index as usize].get();
            let own = (!taken).then_some(Unread::Element(e));
            let range = if taken { self.attributes_of(e.index) } else { 0..0 };
            let asked = move |k: &usize| self.asked[*k].get();
            let attributes = range.filter(move |k| !asked(k)).map(move |k| Unread::Attribute(e, self.attr_at(k)));
            let text = e.own_text().filter(|t| taken && !t.asked.get());
            let text = text.map(|t| Unread::Text(e, self.span_of(t.stretch)));
            own.into_iter().chain(attributes).chain(text)
        })
    }

    /// A warning for everything that was not read. `why` gives a reason where there is a better one than "not known";
    /// it sees the name of the element and of the attribute.
    pub fn report_unread(&self, report: &mut Report, why: impl Fn(&str, Option<&str>) -> Option<&'static str>) {
        let mut more = 0usize;
        for (n, unread) in self.unread().enumerate() {
            if n >= WRITTEN_OUT {
                more += 1;
                continue;
            }
            let (element, attribute) = (unread.element(), unread.attribute());
            let label = why(element.name(), attribute).unwrap_or("has no effect here");
            report.push(unread.warning("").label(label).path(element.path()));
        }
        if more > 0 {
            let message = format!("{more} more elements and attributes are not used");
            report.push(Diagnostic::warning(codes::IGNORED, message).at(Element { doc: self, index: 0 }.span()));
        }
    }

    fn slice(&self, s: Stretch) -> &str {
        &self.text[s.0 as usize..s.1 as usize]
    }

    fn span_of(&self, s: Stretch) -> Span {
        Span { file: self.file, start: s.0, end: s.1 }
    }

    fn attributes_of(&self, index: u32) -> Range<usize> {
        let i = index as usize;
        let end = self.elements.get(i + 1).map_or(self.attributes.len(), |n| n.attributes as usize);
        self.elements[i].attributes as usize..end
    }

    fn attr_at(&self, k: usize) -> Attr<'_> {
        let a = &self.attributes[k];
        let value = match a.decoded {
            Some((from, to)) => &self.decoded[from as usize..to as usize],
            None => self.slice(a.value),
        };
        Attr { name: self.slice(a.name), value, span: self.span_of(a.value), name_span: self.span_of(a.name) }
    }
}

impl<'d> Element<'d> {
    /// Its name, with its prefix.
    pub fn name(self) -> &'d str {
        self.doc.slice(self.doc.elements[self.index as usize].name)
    }

    /// Its number, in the order elements begin.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Its start tag, from `<` to `>`.
    pub fn span(self) -> Span {
        let node = &self.doc.elements[self.index as usize];
        self.doc.span_of((node.name.0 - 1, node.tag_end))
    }

    /// Where its name stands in the start tag.
    pub fn name_span(self) -> Span {
        self.doc.span_of(self.doc.elements[self.index as usize].name)
    }

    /// The element around it.
    pub fn parent(self) -> Option<Element<'d>> {
        let parent = self.doc.elements[self.index as usize].parent;
        (parent != self.index).then_some(Element { doc: self.doc, index: parent })
    }

    /// Note that it was read; gives itself back.
    pub fn take(self) -> Element<'d> {
        self.doc.taken[self.index as usize].set(true);
        self
    }

    /// Note that it was read with all that is in it: somebody has said what becomes of it.
    pub fn take_whole(self) {
        let end = self.doc.elements[self.index as usize].end;
        for i in self.index..end {
            self.doc.taken[i as usize].set(true);
            for k in self.doc.attributes_of(i) {
                self.doc.asked[k].set(true);
            }
            if let Some(text) = (Element { doc: self.doc, index: i }).own_text() {
                text.asked.set(true);
            }
        }
    }

    /// The elements in it, one level down. Asking for them does not take them.
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        let doc = self.doc;
        let end = doc.elements[self.index as usize].end;
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let index = next;
            if index >= end {
                return None;
            }
            next = doc.elements[index as usize].end;
            Some(Element { doc, index })
        })
    }

    /// The elements of a name in it, one level down, each taken as it is given.
    pub fn children_named(self, name: &'static str) -> impl Iterator<Item = Element<'d>> {
        self.children().filter(move |e| e.name() == name).map(Element::take)
    }

    /// The first element of a name in it, taken. Others of the name stay unread.
    pub fn child(self, name: &str) -> Option<Element<'d>> {
        self.children().find(|e| e.name() == name).map(Element::take)
    }

    /// An attribute by its name; it counts as read.
    pub fn attr(self, name: &str) -> Option<Attr<'d>> {
        let k = self.find(name)?;
        self.doc.asked[k].set(true);
        Some(self.doc.attr_at(k))
    }

    /// An attribute by its name, without noting that it was read.
    pub fn peek(self, name: &str) -> Option<Attr<'d>> {
        self.find(name).map(|k| self.doc.attr_at(k))
    }

    /// All attributes in order, without noting that they were read.
    pub fn attributes(self) -> impl Iterator<Item = Attr<'d>> {
        let doc = self.doc;
        doc.attributes_of(self.index).map(move |k| doc.attr_at(k))
    }

    /// The first text in it that is not white space, and where; it counts as read. As it is written: references in it
    /// are not resolved.
    pub fn text(self) -> Option<(&'d str, Span)> {
        let text = self.own_text()?;
        text.asked.set(true);
        Some((self.doc.slice(text.stretch), self.doc.span_of(text.stretch)))
    }

    /// Where it is in words, e.g. `robot[arm]/link[hand]/inertial`: names in brackets. Of many levels only the inner
    /// ones.
    pub fn path(self) -> String {
        const LEVELS: usize = 8;
        let mut parts = Vec::new();
        let mut at = Some(self);
        while let Some(e) = at {
            if parts.len() == LEVELS {
                parts.push("...".to_string());
                break;
            }
            parts.push(match e.peek("name") {
                Some(a) => format!("{}[{}]", shown(e.name()), shown(a.value)),
                None => shown(e.name()),
            });
            at = e.parent();
        }
        parts.reverse();
        parts.join("/")
    }

    fn own_text(self) -> Option<&'d Text> {
        let texts = &self.doc.texts;
        let at = texts.binary_search_by_key(&self.index, |t| t.element).ok()?;
        Some(&texts[at])
    }

    fn find(self, name: &str) -> Option<usize> {
        let doc = self.doc;
        doc.attributes_of(self.index).find(|&k| doc.slice(doc.attributes[k].name) == name)
    }
}

impl std::fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "<{}>", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn parse(text: &str) -> Result<Document, Box<Diagnostic>> {
        Document::parse(text, 0, &Limits::default())
    }

    #[test]
    fn elements_attributes_and_places() {
        let text = "<?xml version='1.0'?>\n<!-- a -- b -->\n<robot name=\"a&amp;b&#176;\n c\">\n  <link name='base'/> <x:y>t <![CDATA[<z>]]></x:y>\n</robot>\n";
        let doc = parse(text).unwrap();
        let root = doc.root();
        assert_eq!((root.name(), doc.len()), ("robot", 3));
        let name = root.attr("name").unwrap();
        assert_eq!(name.value, "a&b°  c");
        assert_eq!(&text[name.span.start as usize..name.span.end as usize], "a&amp;b&#176;\n c");
        let children: Vec<_> = root.children().collect();
        assert_eq!(children.iter().map(|c| c.name()).collect::<Vec<_>>(), ["link", "x:y"]);
        let span = children[0].span();
        assert_eq!(&text[span.start as usize..span.end as usize], "<link name='base'/>");
        assert_eq!(children[1].text().map(|t| t.0), Some("t"));
        assert_eq!(children[0].path(), "robot[a&b°  c]/link[base]");
        assert_eq!(children[0].parent().map(|e| e.name()), Some("robot"));
    }

    #[test]
    fn what_was_not_read_is_listed() {
        let doc = parse("<a p='1' q='2'><b r='3'><c/></b><b s='4'/>text</a>").unwrap();
        let root = doc.root();
        root.attr("q");
        root.child("b").unwrap().attr("r");
        let mut report = Report::new();
        doc.report_unread(&mut report, |e, _| (e == "c").then_some("c is for show"));
        let said: Vec<_> = report.all().iter().map(|d| (d.message.as_str(), d.label.as_str())).collect();
        let otherwise = "has no effect here";
        assert_eq!(
            said,
            [
                ("`p` of <a> is not used", otherwise),
                ("text in <a> is not used", otherwise),
                ("<c> is not used", "c is for show"),
                ("<b> is not used", otherwise)
            ]
        );
        root.take_whole();
        assert_eq!(doc.unread().count(), 0);
    }

    #[test]
    fn errors_are_found_where_they_are() {
        for (text, code, line, column, message) in [
            ("", "E0103", 1, 1, "there is no element in the file"),
            ("<a>\n<b>\n</a>", "E0103", 3, 1, "</a> closes <b>"),
            ("<a>\n  <b>", "E0103", 2, 3, "<b> is never closed"),
            ("<a/>\n<b/>", "E0103", 2, 1, "there is a second root element"),
            ("<a/>\n x", "E0103", 2, 2, "text stands outside the root element"),
            ("<a x=1/>", "E0103", 1, 6, "the value of attribute `x` is not quoted"),
            ("<a x/>", "E0103", 1, 4, "attribute `x` has no value"),
            ("<a x='1'y='2'/>", "E0103", 1, 9, "attributes must be separated by blanks"),
            ("<a\n x='1' y='2' x='3'/>", "E0103", 2, 14, "attribute `x` is given twice"),
            ("<a x='1", "E0103", 1, 6, "the value of attribute `x` has no closing quote"),
            ("<a x='&foo;'/>", "E0103", 1, 7, "there is no entity `&foo;`"),
            ("<a>x &foo; y</a>", "E0103", 1, 6, "there is no entity `&foo;`"),
            ("<a x='a & b'/>", "E0103", 1, 9, "`&` begins no reference"),
            ("<a x='&#0;'/>", "E0103", 1, 7, "there is no entity `&#0;`"),
            ("<a><!-- </a>", "E0103", 1, 4, "a comment has no end"),
            ("<a", "E0103", 1, 1, "the tag <a> has no end"),
            ("<a></b", "E0103", 1, 7, "a closing tag has no end"),
            ("</a>", "E0103", 1, 1, "</a> closes nothing"),
            ("<1a/>", "E0103", 1, 2, "the name of an element is missing"),
            ("µ<a/>", "E0103", 1, 1, "text stands outside the root element"),
            ("<a>\u{1}</a>", "E0103", 1, 4, "the character U+0001 is not allowed in XML"),
            ("\n<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "E0106", 2, 1, "document types and entities are refused"),
            ("<a><!ENTITY b 'c'></a>", "E0106", 1, 4, "document types and entities are refused"),
        ] {
            let d = parse(text).unwrap_err();
            let mut sources = Sources::new();
            sources.add("x.urdf", None, text.into());
            let place = sources.place(d.span.unwrap()).unwrap();
            assert_eq!((d.code.name(), place.line, place.column, d.message.as_str()), (code, line, column, message));
        }
    }

    #[test]
    fn budgets_are_charged_on_the_way() {
        let limits = Limits { depth: 3, attributes: 2, bodies: 2, ..Limits::default() };
        let code = |text: &str| Document::parse(text, 0, &limits).err().map(|d| d.code.name());
        assert_eq!(code("<a><b><c/></b></a>"), None);
        assert_eq!(code("<a><b><c><d/></c></b></a>"), Some("E0502"));
        assert_eq!(code("<a x='' y=''/>"), None);
        assert_eq!(code("<a x='' y='' z=''/>"), Some("E0503"));
        assert_eq!(code("<a><b/><b/><b/><b/><b/><b/><b/></a>"), None);
        assert_eq!(code("<a><b/><b/><b/><b/><b/><b/><b/><b/></a>"), Some("E0504"));
        let small = Limits { file: 3, ..limits };
        assert_eq!(Document::parse("<a/>", 0, &small).err().map(|d| d.code.name()), Some("E0501"));
    }
}

//! The elements of a model with its includes put in their places.
//!
//! `<include file="x.xml"/>` stands for the children of the root of that file, wherever it is written. Files are named
//! from the folder of the main file, are confined to it, and count towards the budget of files every time they are
//! included; a file that is being read cannot be included again. Elements stay in the documents they came from and keep
//! their places; the tree only holds numbers. Nothing recurses.

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::load::ImportContext;
use crate::xml::{Document, Element};
use std::collections::HashMap;
use std::path::PathBuf;

/// All documents of a model: the main one first.
pub struct Documents {
    pub all: Vec<Document>,
    /// Which document an include element (document, number of the element) stands for.
    includes: HashMap<(usize, usize), usize>,
}

impl Documents {
    /// Read the main text and everything it includes. None, with errors in the report, if the main text is not XML.
    pub fn read(file: u32, context: &mut ImportContext) -> Option<Documents> {
        let parse = |file: u32, context: &mut ImportContext| {
            let text = context.sources.file(file)?.text.clone();
            match Document::parse(&text, file, &context.limits) {
                Ok(document) => Some(document),
                Err(d) => {
                    context.report.push(*d);
                    None
                }
            }
        };
        let path = |file: u32, context: &ImportContext| context.sources.file(file).and_then(|f| f.path.clone());
        let mut out = Documents { all: vec![parse(file, context)?], includes: HashMap::new() };
        // the files that are being read when a document is: a file that includes itself is one of them
        let mut above: Vec<Vec<PathBuf>> = vec![path(file, context).into_iter().collect()];
        let mut next = 0;
        while next < out.all.len() {
            for (element, name, span) in includes_of(&out.all[next]) {
                let Some(name) = name else {
                    let d = Diagnostic::error(codes::MISSING_FIELD, "<include> has no `file`").at(span);
                    context.report.push(d.label("`file` is missing"));
                    continue;
                };
                let read = match context.read_text(&name, file) {
                    Ok(read) => read,
                    Err(d) => {
                        context.report.push(d.at(span));
                        continue;
                    }
                };
                let own = path(read, context);
                if own.as_ref().is_some_and(|p| above[next].contains(p)) {
                    let message = format!("`{}` includes itself", shown(&name));
                    let d = Diagnostic::error(codes::INCLUDE_CIRCLE, message).at(span).label("is being read");
                    context.report.push(d);
                    continue;
                }
                if let Some(document) = parse(read, context) {
                    out.includes.insert((next, element), out.all.len());
                    out.all.push(document);
                    let chain = above[next].iter().cloned().chain(own).collect();
                    above.push(chain);
                }
            }
            next += 1;
        }
        Some(out)
    }
}

/// Include elements of a document: number, name of the file, place.
fn includes_of(document: &Document) -> Vec<(usize, Option<String>, crate::source::Span)> {
    let mut out = Vec::new();
    let mut open = vec![document.root()];
    while let Some(e) = open.pop() {
        if e.name() == "include" {
            let file = e.take().attr("file");
            let span = file.map_or(e.span(), |a| a.span);
            out.push((e.index(), file.map(|a| a.value.to_string()), span));
            continue;
        }
        open.extend(e.children());
    }
    out
}

/// The elements of all documents as one tree.
pub struct ElementTree<'d> {
    elements: Vec<Element<'d>>,
    /// Children of element i are `children[start[i]..start[i + 1]]`.
    start: Vec<u32>,
    children: Vec<u32>,
}

/// An element of the tree.
#[derive(Clone, Copy)]
pub struct Item<'t, 'd> {
    tree: &'t ElementTree<'d>,
    index: u32,
}

impl<'d> ElementTree<'d> {
    /// Put includes in their places.
    pub fn new(documents: &'d Documents, limits: &Limits) -> Result<ElementTree<'d>, Box<Diagnostic>> {
        let root = documents.all[0].root();
        let mut tree = ElementTree { elements: vec![root], start: Vec::new(), children: Vec::new() };
        // of every element: its document and its depth
        let mut from = vec![(0usize, 1u64)];
        let mut next = 0;
        while next < tree.elements.len() {
            let (document, depth) = from[next];
            tree.start.push(tree.children.len() as u32);
            let mut open: Vec<(usize, Element)> = tree.elements[next].children().map(|c| (document, c)).collect();
            open.reverse();
            while let Some((document, child)) = open.pop() {
                if child.name() == "include" {
                    if let Some(&included) = documents.includes.get(&(document, child.index())) {
                        let inside: Vec<_> = documents.all[included].root().children().collect();
                        open.extend(inside.into_iter().rev().map(|c| (included, c)));
                    }
                    continue;
                }
                Limits::check(codes::TOO_DEEP, "levels of nesting", depth + 1, limits.depth, "depth")
                    .map_err(|d| Box::new(d.at(child.span())))?;
                tree.children.push(tree.elements.len() as u32);
                tree.elements.push(child);
                from.push((document, depth + 1));
            }
            next += 1;
        }
        tree.start.push(tree.children.len() as u32);
        Ok(tree)
    }

    /// The outermost element.
    pub fn root(&self) -> Item<'_, 'd> {
        Item { tree: self, index: 0 }
    }
}

impl<'t, 'd> Item<'t, 'd> {
    /// The element.
    pub fn element(self) -> Element<'d> {
        self.tree.elements[self.index as usize]
    }

    /// Its name.
    pub fn name(self) -> &'d str {
        self.element().name()
    }

    /// What is in it, one level down; asking does not take it.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Item<'t, 'd>> {
        let tree = self.tree;
        let i = self.index as usize;
        let range = tree.start[i] as usize..tree.start[i + 1] as usize;
        range.map(move |k| Item { tree, index: tree.children[k] })
    }

    /// Number of elements in it, on all levels.
    pub fn size(self) -> u64 {
        let mut open = vec![self];
        let mut n = 0;
        while let Some(item) = open.pop() {
            n += 1;
            open.extend(item.children());
        }
        n - 1
    }
}

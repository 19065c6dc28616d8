//! Default classes: what elements say that do not say it themselves.
//!
//! `<default class="a">` holds elements of which every attribute counts for all elements of that name and class;
//! classes inside it inherit and change. An element's class is its `class`, else the nearest `childclass` around it,
//! else the outermost. All kinds of actuators share their defaults.

use super::tree::Item;
use super::values::{AttributeMap, Attributes, ROTATIONS};
use super::{Context, actuators};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::xml::Element;
use std::collections::HashMap;
use std::rc::Rc;

/// One class.
#[derive(Debug)]
struct Class<'d> {
    name: &'d str,
    parent: Option<usize>,
    /// In the order they were written.
    elements: Vec<Element<'d>>,
}

/// All classes, parents before their children.
#[derive(Debug, Default)]
pub struct Defaults<'d> {
    classes: Vec<Class<'d>>,
    by_name: HashMap<&'d str, ClassId>,
    found: HashMap<(ClassId, &'d str), Rc<AttributeMap<'d>>>,
}

/// A class by its number.
pub type ClassId = usize;

impl<'d> Defaults<'d> {
    fn find(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    /// What the classes say about elements of a name, from the outermost to this one. Found once for every class and
    /// name, from what its parent says.
    fn said(&mut self, class: Option<ClassId>, name: &'d str) -> Rc<AttributeMap<'d>> {
        let Some(class) = class.or(if self.classes.is_empty() { None } else { Some(0) }) else { return Rc::default() };
        // all kinds of actuators are one here
        let actuator = actuators::is_actuator(name);
        let name = if actuator { "general" } else { name };
        let mut open = Vec::new();
        let mut at = Some(class);
        let mut said = loop {
            match at {
                None => break Rc::default(),
                Some(c) => match self.found.get(&(c, name)) {
                    Some(said) => break said.clone(),
                    None => open.push(c),
                },
            }
            at = at.and_then(|c| self.classes[c].parent);
        };
        for c in open.into_iter().rev() {
            let fits = |e: &&Element| e.name() == name || (actuator && actuators::is_actuator(e.name()));
            for e in self.classes[c].elements.iter().filter(fits) {
                let said = Rc::make_mut(&mut said);
                // a rotation said in another way replaces the one before
                if ROTATIONS.iter().any(|w| e.peek(w).is_some()) {
                    said.retain(|k, _| !ROTATIONS.contains(k));
                }
                said.extend(e.attributes().map(|a| (a.name, a)));
            }
            self.found.insert((c, name), said.clone());
        }
        said
    }
}

impl<'d> Context<'d, '_> {
    /// Read a `<default>` section.
    pub fn default_section(&mut self, section: Item<'_, 'd>) {
        let outermost = if self.defaults.classes.is_empty() { None } else { Some(0) };
        let mut open = vec![(section, outermost, true)];
        while let Some((item, parent, top)) = open.pop() {
            let e = item.element().take();
            let name = e.attr("class");
            let class = match name {
                // several outermost sections add to one class
                None if top => "main",
                None => {
                    let message = "a <default> inside another has no `class`";
                    self.error(codes::MISSING_FIELD, e.span(), message, "needs one");
                    continue;
                }
                Some(a) => a.value,
            };
            let id = match self.defaults.find(class) {
                Some(id) if top => id,
                Some(_) => {
                    let message = format!("there are two default classes `{}`", shown(class));
                    let span = name.map_or(e.span(), |a| a.span);
                    self.error(codes::DUPLICATE, span, message, "another <default> has it");
                    continue;
                }
                None => {
                    self.defaults.by_name.insert(class, self.defaults.classes.len());
                    self.defaults.classes.push(Class { name: class, parent, elements: Vec::new() });
                    self.defaults.classes.len() - 1
                }
            };
            let mut inner = Vec::new();
            for child in item.children() {
                if child.name() == "default" {
                    inner.push((child, Some(id), false));
                } else if let Some(known) = known_attributes(child.name()) {
                    let element = child.element().take();
                    // what is known of such elements counts as read even if no element of the class is there
                    for name in known.split_ascii_whitespace() {
                        element.attr(name);
                    }
                    self.defaults.classes[id].elements.push(element);
                }
            }
            open.extend(inner.into_iter().rev());
        }
    }

    /// The class an attribute of an element names.
    pub fn class_of(&mut self, e: Element<'d>, attribute: &str) -> Option<ClassId> {
        let a = e.attr(attribute)?;
        let found = self.defaults.find(a.value);
        if found.is_none() {
            let names = self.defaults.classes.iter().map(|c| c.name);
            self.report.push(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "class", a.value, names).at(a.span));
        }
        found
    }

    /// The class for what is inside an element: its `childclass`, or the one around it.
    pub fn child_class(&mut self, e: Element<'d>, around: Option<ClassId>) -> Option<ClassId> {
        if e.peek("childclass").is_some() { self.class_of(e, "childclass") } else { around }
    }

    /// An element with the defaults that hold for it; `around` is the nearest `childclass`.
    pub fn attributes(&mut self, e: Element<'d>, around: Option<ClassId>) -> Attributes<'d> {
        self.attributes_as(e, around, e.name())
    }

    /// The same where the defaults have another name than the element: `equality` for `connect`, `tendon` for
    /// `spatial`.
    pub fn attributes_as(&mut self, e: Element<'d>, around: Option<ClassId>, name: &'d str) -> Attributes<'d> {
        let class = if e.peek("class").is_some() { self.class_of(e, "class") } else { around };
        Attributes { element: e.take(), defaults: self.defaults.said(class, name) }
    }
}

/// Attributes that count, by the element they belong to.
static KNOWN: &[(&str, &str)] = &[
    ("mesh", "scale"),
    ("material", "rgba"),
    ("joint", "type pos axis ref springref stiffness damping armature frictionloss limited range springdamper"),
    (
        "geom",
        "type pos quat axisangle xyaxes zaxis euler size fromto mass density group rgba material mesh contype conaffinity condim friction \
         shellinertia",
    ),
    ("site", "pos quat axisangle xyaxes zaxis euler fromto"),
    ("camera", "pos quat axisangle xyaxes zaxis euler fovy mode target"),
    ("equality", "active"),
    ("tendon", "stiffness damping springlength"),
];

/// The attributes of such an element that count; none for an element that has no defaults.
fn known_attributes(name: &str) -> Option<&'static str> {
    let own = KNOWN.iter().find(|(n, _)| *n == name).map(|k| k.1);
    own.or(actuators::is_actuator(name).then_some(actuators::ATTRIBUTES))
}

//! `<equality>`: loops, welds and couplings, as joints that hold exactly.

use super::document::{Fields, vector};
use super::tendons::Fixed;
use super::tree::Item;
use super::values::Look;
use super::{Context, Coordinate};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{Node, Table};
use crate::scene::Pose;
use crate::xml::Attr;
use holonom::math::{Quat, vec3};

impl<'d> Context<'d, '_> {
    /// `<equality>`.
    pub fn equality_section(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for (n, item) in section.children().enumerate() {
            if !["connect", "weld", "joint", "tendon"].contains(&item.name()) {
                continue;
            }
            let look = self.look_as(item.element(), None, "equality");
            let name = match look.element.attr("name") {
                Some(a) => self.name(a.value, a.span),
                None => format!("{}{n}", item.name()),
            };
            if self.flag(&look, "active") == Some(false) {
                self.note(look.span(), format!("the equality `{name}` is not used"), "it is not active");
                continue;
            }
            let made = match item.name() {
                "connect" => self.connect(&look, &name),
                "weld" => self.weld(&look, &name),
                _ => self.coupling(&look, &name),
            };
            let Some(table) = made else { continue };
            let name = super::free(&mut self.joint_names, name);
            self.out.joint.put(name, look.span(), table);
        }
    }

    /// The body an attribute names; the world where it is not said.
    pub fn body_named(&mut self, a: Option<Attr<'d>>) -> Option<usize> {
        let Some(a) = a else { return Some(0) };
        if a.value == "world" {
            return Some(0);
        }
        let found = self.bodies.iter().position(|b| b.name == a.value);
        if found.is_none() {
            let names = self.bodies.iter().map(|b| b.name.as_str());
            let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, format!("there is no body `{}`", shown(a.value)));
            let d = match nearest(a.value, names) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            };
            self.report.push(d.at(a.span));
        }
        found
    }

    /// The place of a site: the moving body it is on, and where on it.
    pub fn site_named(&mut self, a: &Attr<'d>) -> Option<(usize, Pose)> {
        let found = self.site_places.get(a.value).copied();
        if found.is_none() {
            let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, format!("there is no site `{}`", shown(a.value)));
            let d = match nearest(a.value, self.site_places.keys().map(String::as_str)) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            };
            self.report.push(d.at(a.span));
        }
        found
    }

    /// Sides by sites, or by bodies: each a moving body and a pose on it.
    fn sides(&mut self, look: &Look<'d>) -> Option<(bool, [(usize, Pose); 2])> {
        if let (Some(a), Some(b)) = (look.attr("site1"), look.attr("site2")) {
            return Some((true, [self.site_named(&a)?, self.site_named(&b)?]));
        }
        let first = look.attr("body1");
        if first.is_none() {
            let d = Diagnostic::error(codes::MISSING_FIELD, format!("<{}> names no bodies", look.element.name()));
            self.report.push(d.at(look.span()).label("neither `body1` nor `site1` and `site2`"));
            return None;
        }
        let (a, b) = (self.body_named(first)?, self.body_named(look.attr("body2"))?);
        Some((false, [a, b].map(|i| (self.bodies[i].link, self.bodies[i].on_link))))
    }

    /// Is there anything to hold? Bodies that move together are held already.
    fn apart(&mut self, look: &Look<'d>, name: &str, sides: &[(usize, Pose); 2]) -> bool {
        if sides[0].0 == sides[1].0 {
            self.note(look.span(), format!("the equality `{name}` is not used"), "its bodies are one already");
            return false;
        }
        true
    }

    fn table(&self, kind: &str, look: &Look, a: Node, b: Node) -> Table {
        let mut table = Table::new();
        table.put("kind", look.span(), kind);
        table.push("a", look.span(), a);
        table.push("b", look.span(), b);
        table
    }

    /// A point on a moving body.
    fn point(&self, look: &Look, (link, pose): &(usize, Pose)) -> Node {
        let span = look.span();
        let mut table = Table::new();
        table.put("body", span, self.link_name(*link));
        table.push("at", span, vector(span, pose.position));
        Node::new(span, table)
    }

    fn connect(&mut self, look: &Look<'d>, name: &str) -> Option<Table> {
        let (by_sites, sides) = self.sides(look)?;
        if !self.apart(look, name, &sides) {
            return None;
        }
        let mut sides = sides;
        if !by_sites {
            let Some(anchor) = self.vector(look, "anchor") else {
                if look.attr("anchor").is_none() {
                    self.error(codes::MISSING_FIELD, look.span(), "<connect> has no `anchor`", "where?");
                }
                return None;
            };
            // given in the frame of the first body, and found on the second at the reference configuration
            sides[0].1.position = sides[0].1.point(anchor);
            let world = self.bodies[sides[0].0].world.point(sides[0].1.position);
            sides[1].1.position = self.bodies[sides[1].0].world.local(world);
        }
        Some(self.table("spherical", look, self.point(look, &sides[0]), self.point(look, &sides[1])))
    }

    fn weld(&mut self, look: &Look<'d>, name: &str) -> Option<Table> {
        let (by_sites, sides) = self.sides(look)?;
        if !self.apart(look, name, &sides) {
            return None;
        }
        look.attr("anchor");
        let relative = look.attr("relpose").and_then(|a| self.numbers(&a, 7, 7));
        let relative = relative.filter(|v| v[3..].iter().any(|x| *x != 0.0)).map(|v| Pose {
            position: vec3(v[0], v[1], v[2]),
            rotation: Quat::from_xyzw(v[4], v[5], v[6], v[3]).normalize(),
        });
        let names = sides.map(|s| self.link_name(s.0).to_string());
        if !by_sites && relative.is_none() {
            let node = |name: &str| Node::new(look.span(), name);
            return Some(self.table("weld", look, node(&names[0]), node(&names[1])));
        }
        // frames on both bodies that are to coincide
        let poses = [sides[0].1.then(&relative.unwrap_or(Pose::IDENTITY)), sides[1].1];
        let mut points = Vec::new();
        for k in 0..2 {
            let frame = format!("{name} {}", k + 1);
            self.frame(sides[k].0, &frame, &poses[k], look);
            points.push(Node::new(look.span(), format!("{}.{frame}", names[k])));
        }
        let b = points.pop()?;
        Some(self.table("weld", look, points.pop()?, b))
    }

    /// One more frame on a body of the scene.
    fn frame(&mut self, link: usize, name: &str, pose: &Pose, look: &Look) {
        let span = look.span();
        let mut frame = Table::new();
        frame.place(pose, span);
        if link == 0 {
            self.out.ground_frames.put(name, span, frame);
        } else if let Some(node) = self.out.body.get_mut(&self.bodies[link].name)
            && let crate::node::Value::Table(body) = &mut node.value
        {
            body.table_mut("frames", span).put(name, span, frame);
        }
    }

    /// The coordinate of a joint that an attribute names.
    pub fn coordinate_named(&mut self, a: &Attr<'d>) -> Option<Coordinate> {
        if let Some(found) = self.coordinates.get(a.value) {
            return Some(found.clone());
        }
        let d = if self.joint_names.contains(a.value) {
            let message = format!("the joint `{}` has no single coordinate", shown(a.value));
            Diagnostic::warning(codes::IGNORED, message).label("what refers to it is not used")
        } else {
            let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, format!("there is no joint `{}`", shown(a.value)));
            match nearest(a.value, self.coordinates.keys().map(String::as_str)) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            }
        };
        self.report.push(d.at(a.span));
        None
    }

    /// One side of a coupling: coordinates with their factors.
    fn sum(&mut self, look: &Look<'d>, a: &Attr<'d>) -> Option<Vec<(String, f64)>> {
        if look.element.name() == "joint" {
            return Some(vec![(self.coordinate_named(a)?.name, 1.0)]);
        }
        match self.tendons.get(a.value) {
            Some(fixed) => Some(fixed.terms.clone()),
            None => {
                self.note(a.span, "an equality of tendons is not used", "only fixed tendons can be coupled");
                None
            }
        }
    }

    /// q1 - ref1 = c0 + c1 (q2 - ref2) + ... of joints, or of fixed tendons.
    fn coupling(&mut self, look: &Look<'d>, name: &str) -> Option<Table> {
        let span = look.span();
        let kind = look.element.name();
        let Some(first) = look.attr(&format!("{kind}1")) else {
            let message = format!("<{kind}> of an equality has no `{kind}1`");
            self.error(codes::MISSING_FIELD, span, message, "which one?");
            return None;
        };
        let first = self.sum(look, &first)?;
        let second = match look.attr(&format!("{kind}2")) {
            Some(a) => self.sum(look, &a)?,
            None => Vec::new(),
        };
        let mut c = match look.attr("polycoef") {
            Some(a) => self.numbers(&a, 1, 5)?,
            None => vec![0.0, 1.0],
        };
        c.resize(5, 0.0);
        if !second.is_empty() && c[2..].iter().any(|x| *x != 0.0) {
            let at = look.attr("polycoef").map_or(span, |a| a.span);
            self.note(at, format!("the equality `{name}` is not used"), "only linear couplings are made");
            return None;
        }
        let mut terms: Vec<(String, f64)> = first;
        terms.extend(second.into_iter().map(|(coordinate, factor)| (coordinate, -c[1] * factor)));
        // a coordinate on both sides counts once
        let mut sums: Vec<(String, f64)> = Vec::new();
        for (coordinate, factor) in terms {
            match sums.iter_mut().find(|s| s.0 == coordinate) {
                Some(s) => s.1 += factor,
                None => sums.push((coordinate, factor)),
            }
        }
        sums.retain(|s| s.1 != 0.0);
        if sums.is_empty() {
            self.note(span, format!("the equality `{name}` is not used"), "it says nothing");
            return None;
        }
        let mut table = Table::new();
        table.put("kind", span, "coupler");
        table.put("terms", span, Fixed { terms: sums, reference: 0.0 }.terms(1.0, span));
        table.put("offset", span, c[0]);
        Some(table)
    }
}

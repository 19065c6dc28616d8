//! `<equality>`: loops, welds and couplings, as joints that hold exactly.

use super::tree::Item;
use super::values::Attributes;
use super::{Context, Coordinate};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::import::{write_pose, write_terms};
use crate::node::{DocTable, TableAt};
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
            let attrs = self.attributes_as(item.element(), None, "equality");
            let name = match attrs.element.attr("name") {
                Some(a) => self.name(a.value, a.span),
                None => format!("{}{n}", item.name()),
            };
            if self.flag(&attrs, "active") == Some(false) {
                self.note(attrs.span(), format!("the equality `{name}` is not used"), "it is not active");
                continue;
            }
            let made = match item.name() {
                "connect" => self.connect(&attrs, &name),
                "weld" => self.weld(&attrs, &name),
                _ => self.coupling(&attrs, &name),
            };
            let Some(table) = made else { continue };
            let name = super::free(&mut self.joint_names, name);
            self.out.joint.put(name, attrs.span(), table);
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
            self.report.push(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "body", a.value, names).at(a.span));
        }
        found
    }

    /// The place of a site: the moving body it is on, and where on it.
    pub fn site_named(&mut self, a: &Attr<'d>) -> Option<(usize, Pose)> {
        let found = self.site_places.get(a.value).copied();
        if found.is_none() {
            let names = self.site_places.keys().map(String::as_str);
            self.report.push(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "site", a.value, names).at(a.span));
        }
        found
    }

    /// Sides by sites, or by bodies: each a moving body and a pose on it.
    fn sides(&mut self, attrs: &Attributes<'d>) -> Option<(bool, [(usize, Pose); 2])> {
        if let (Some(a), Some(b)) = (attrs.attr("site1"), attrs.attr("site2")) {
            return Some((true, [self.site_named(&a)?, self.site_named(&b)?]));
        }
        let first = attrs.attr("body1");
        if first.is_none() {
            let d = Diagnostic::error(codes::MISSING_FIELD, format!("<{}> names no bodies", attrs.element.name()));
            self.report.push(d.at(attrs.span()).label("neither `body1` nor `site1` and `site2`"));
            return None;
        }
        let (a, b) = (self.body_named(first)?, self.body_named(attrs.attr("body2"))?);
        Some((false, [a, b].map(|i| (self.bodies[i].link, self.bodies[i].on_link))))
    }

    /// Is there anything to hold? Bodies that move together are held already.
    fn apart(&mut self, attrs: &Attributes<'d>, name: &str, sides: &[(usize, Pose); 2]) -> bool {
        if sides[0].0 == sides[1].0 {
            self.note(attrs.span(), format!("the equality `{name}` is not used"), "its bodies are one already");
            return false;
        }
        true
    }

    /// A point on a moving body.
    fn point(&self, attrs: &Attributes, (link, pose): &(usize, Pose)) -> TableAt {
        DocTable::at(attrs.span()).with("body", self.link_name(*link)).vector("at", pose.position)
    }

    fn connect(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<TableAt> {
        let (by_sites, sides) = self.sides(attrs)?;
        if !self.apart(attrs, name, &sides) {
            return None;
        }
        let mut sides = sides;
        if !by_sites {
            let Some(anchor) = self.vector(attrs, "anchor") else {
                if attrs.attr("anchor").is_none() {
                    self.error(codes::MISSING_FIELD, attrs.span(), "<connect> has no `anchor`", "where?");
                }
                return None;
            };
            // given in the frame of the first body, and found on the second at the reference configuration
            sides[0].1.position = sides[0].1.point(anchor);
            let world = self.bodies[sides[0].0].world.point(sides[0].1.position);
            sides[1].1.position = self.bodies[sides[1].0].world.local(world);
        }
        let [a, b] = sides.map(|side| self.point(attrs, &side));
        Some(DocTable::at(attrs.span()).with("kind", "spherical").with("a", a).with("b", b))
    }

    fn weld(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<TableAt> {
        let (by_sites, sides) = self.sides(attrs)?;
        if !self.apart(attrs, name, &sides) {
            return None;
        }
        attrs.attr("anchor");
        let relative = self.array::<7>(attrs, "relpose");
        let relative = relative.filter(|v| v[3..].iter().any(|x| *x != 0.0)).map(|v| Pose {
            position: vec3(v[0], v[1], v[2]),
            rotation: Quat::from_xyzw(v[4], v[5], v[6], v[3]).normalize(),
        });
        let names = sides.map(|s| self.link_name(s.0).to_string());
        if !by_sites && relative.is_none() {
            let [a, b] = names;
            return Some(DocTable::at(attrs.span()).with("kind", "weld").with("a", a).with("b", b));
        }
        // frames on both bodies that are to coincide
        let poses = [sides[0].1.then(&relative.unwrap_or(Pose::IDENTITY)), sides[1].1];
        let mut table = DocTable::at(attrs.span()).with("kind", "weld");
        for (k, key) in ["a", "b"].into_iter().enumerate() {
            let frame = format!("{name} {}", k + 1);
            self.frame(sides[k].0, &frame, &poses[k], attrs);
            table = table.with(key, format!("{}.{frame}", names[k]));
        }
        Some(table)
    }

    /// One more frame on a body of the scene.
    fn frame(&mut self, link: usize, name: &str, pose: &Pose, attrs: &Attributes) {
        let span = attrs.span();
        let mut frame = DocTable::new();
        write_pose(&mut frame, pose, span);
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
            let names = self.coordinates.keys().map(String::as_str);
            Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "joint", a.value, names)
        };
        self.report.push(d.at(a.span));
        None
    }

    /// One side of a coupling: coordinates with their factors.
    fn sum(&mut self, attrs: &Attributes<'d>, a: &Attr<'d>) -> Option<Vec<(String, f64)>> {
        if attrs.element.name() == "joint" {
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
    fn coupling(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<TableAt> {
        let span = attrs.span();
        let kind = attrs.element.name();
        let Some(first) = attrs.attr(&format!("{kind}1")) else {
            let message = format!("<{kind}> of an equality has no `{kind}1`");
            self.error(codes::MISSING_FIELD, span, message, "which one?");
            return None;
        };
        let first = self.sum(attrs, &first)?;
        let second = match attrs.attr(&format!("{kind}2")) {
            Some(a) => self.sum(attrs, &a)?,
            None => Vec::new(),
        };
        let mut c = match attrs.attr("polycoef") {
            Some(a) => self.numbers(&a, 1, 5)?,
            None => vec![0.0, 1.0],
        };
        c.resize(5, 0.0);
        if !second.is_empty() && c[2..].iter().any(|x| *x != 0.0) {
            self.note(
                attrs.span_of("polycoef"),
                format!("the equality `{name}` is not used"),
                "only linear couplings are made",
            );
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
            self.note(span, format!("the equality `{name}` is not used"), "it constrains nothing");
            return None;
        }
        let terms = write_terms(&sums, span);
        Some(DocTable::at(span).with("kind", "coupler").with("terms", terms).with("offset", c[0]))
    }
}

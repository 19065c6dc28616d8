//! `<tendon>`: fixed ones are weighted sums of coordinates, which springs and actuators pull on; spatial ones between two sites are springs.

use super::Context;
use super::tree::Item;
use crate::node::{Node, Table};
use crate::source::Span;

/// A weighted sum of joint coordinates.
#[derive(Clone)]
pub struct Fixed {
    /// Coordinate of the scene, factor.
    pub terms: Vec<(String, f64)>,
    /// Its length at the reference configuration: that of the scene is shorter by so much.
    pub reference: f64,
}

impl Fixed {
    /// As `terms` of a scene, each factor times `scale`.
    pub fn terms(&self, scale: f64, span: Span) -> Vec<Node> {
        let term = |(coordinate, factor): &(String, f64)| {
            let mut term = Table::new();
            term.put("joint", span, coordinate.as_str());
            term.put("factor", span, factor * scale);
            Node::new(span, term)
        };
        self.terms.iter().map(term).collect()
    }
}

impl<'d> Context<'d, '_> {
    /// `<tendon>`.
    pub fn tendon_section(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for (n, item) in section.children().enumerate() {
            if !["fixed", "spatial"].contains(&item.name()) {
                continue;
            }
            let look = self.look_as(item.element(), None, "tendon");
            let span = look.span();
            let name = look.element.attr("name");
            let shown = name.map_or(format!("tendon{n}"), |a| a.value.to_string());
            let first = |c: &mut Self, key: &str| {
                let v = look.attr(key).and_then(|a| c.numbers(&a, 1, 8));
                v.and_then(|v| v.first().copied()).unwrap_or(0.0)
            };
            let (stiffness, damping) = (first(self, "stiffness"), first(self, "damping"));
            let rest = look.attr("springlength").and_then(|a| self.numbers(&a, 1, 2)).unwrap_or(vec![-1.0]);
            if item.name() == "fixed" {
                let (mut terms, mut reference, mut at_springs) = (Vec::new(), 0.0, 0.0);
                for part in item.children().filter(|c| c.name() == "joint") {
                    let e = part.element().take();
                    let Some(joint) = e.attr("joint") else { continue };
                    let Some(c) = self.coordinate_named(&joint) else { continue };
                    let factor = e.attr("coef").and_then(|a| self.numbers(&a, 1, 1)).map_or(1.0, |v| v[0]);
                    reference += factor * c.reference;
                    at_springs += factor * c.spring_reference;
                    terms.push((c.name, factor));
                }
                let fixed = Fixed { terms, reference };
                if (stiffness > 0.0 || damping > 0.0) && !fixed.terms.is_empty() {
                    if rest.len() > 1 && rest[0] != rest[1] && stiffness > 0.0 {
                        self.note(
                            span,
                            format!("tendon `{shown}` has no dead band"),
                            "it pulls from its first rest length on",
                        );
                    }
                    let length = if rest[0] >= 0.0 { rest[0] } else { at_springs };
                    let mut table = Table::new();
                    table.put("kind", span, "coordinate-spring");
                    table.put("terms", span, fixed.terms(1.0, span));
                    table.put("stiffness", span, stiffness);
                    table.put("rest", span, length - reference);
                    table.put("damping", span, damping);
                    let name = self.name(&shown, span);
                    self.force(format!("{name} tendon"), span, table);
                }
                self.tendons.insert(shown, fixed);
                continue;
            }
            let sites: Vec<_> = item.children().filter(|c| c.name() == "site").collect();
            let plain = sites.len() == 2 && item.children().count() == 2;
            if !(stiffness > 0.0 || damping > 0.0) {
                // it measures, nothing more
                item.children().for_each(|c| c.element().take_whole());
                continue;
            }
            if !plain || rest.len() != 1 {
                item.children().for_each(|c| c.element().take_whole());
                let why = "only tendons from one site to another, with one rest length, are springs here";
                self.note(span, format!("tendon `{shown}` does not pull"), why);
                continue;
            }
            let mut ends = Vec::new();
            for site in sites {
                let e = site.element().take();
                let Some(a) = e.attr("site") else { continue };
                let Some(place) = self.site_named(&a) else { return };
                ends.push((place, a.value));
            }
            let [(a, name_a), (b, name_b)] = ends[..] else { continue };
            let length = match rest[0] {
                given if given >= 0.0 => given,
                _ => {
                    let at = |(link, pose): (usize, crate::scene::Pose)| self.bodies[link].world.point(pose.position);
                    (at(a) - at(b)).length()
                }
            };
            let mut table = Table::new();
            table.put("kind", span, "spring");
            for (key, (link, _), site) in [("a", a, name_a), ("b", b, name_b)] {
                table.push(key, span, Node::new(span, format!("{}.{site}", self.link_name(link))));
            }
            table.put("stiffness", span, stiffness);
            table.put("length", span, length);
            table.put("damping", span, damping);
            let name = self.name(&shown, span);
            self.force(format!("{name} tendon"), span, table);
        }
    }
}

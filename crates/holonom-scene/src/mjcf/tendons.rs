//! `<tendon>`: fixed ones (weighted sums of coordinates) as what actuators pull on; spatial ones between two sites as springs.

use super::Context;
use super::tree::Item;
use crate::node::{Node, Table};

/// A weighted sum of joint coordinates: coordinate, factor, `ref`.
pub struct Fixed {
    pub terms: Vec<(String, f64, f64)>,
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
                let mut terms = Vec::new();
                for part in item.children().filter(|c| c.name() == "joint") {
                    let e = part.element().take();
                    let Some(joint) = e.attr("joint") else { continue };
                    let Some((coordinate, reference, _)) = self.coordinate_named(&joint) else { continue };
                    let factor = e.attr("coef").and_then(|a| self.numbers(&a, 1, 1)).map_or(1.0, |v| v[0]);
                    terms.push((coordinate, factor, reference));
                }
                if stiffness > 0.0 || damping > 0.0 {
                    self.note(span, format!("tendon `{shown}` does not pull"), "its stiffness and damping are not used");
                }
                self.tendons.insert(shown, Fixed { terms });
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
            self.out.force.put(format!("{name} tendon"), span, table);
        }
    }
}

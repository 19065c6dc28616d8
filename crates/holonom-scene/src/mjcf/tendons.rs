//! `<tendon>`: fixed ones are weighted sums of coordinates, which springs and actuators pull on; spatial ones between
//! two sites are springs.

use super::Context;
use super::tree::Item;
use super::values::Attributes;
use crate::import::write_terms;
use crate::node::DocTable;
use crate::scene::Pose;

/// A weighted sum of joint coordinates.
#[derive(Clone)]
pub struct FixedTendon {
    /// Coordinate of the scene, factor.
    pub terms: Vec<(String, f64)>,
    /// Its length at the reference configuration: that of the scene is shorter by so much.
    pub reference: f64,
}

/// What tendons of both kinds have: stiffness (N/m), damping (N s/m), and one or two rest lengths, the first negative
/// if it is not given.
struct Elasticity {
    stiffness: f64,
    damping: f64,
    rest: Vec<f64>,
}

impl<'d> Context<'d, '_> {
    /// `<tendon>`.
    pub fn tendon_section(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for (n, item) in section.children().enumerate() {
            if !["fixed", "spatial"].contains(&item.name()) {
                continue;
            }
            let attrs = self.attributes_as(item.element(), None, "tendon");
            let name = attrs.element.attr("name").map_or(format!("tendon{n}"), |a| a.value.to_string());
            let elasticity = Elasticity {
                stiffness: self.first(&attrs, "stiffness", 8).unwrap_or(0.0),
                damping: self.first(&attrs, "damping", 8).unwrap_or(0.0),
                rest: attrs.attr("springlength").and_then(|a| self.numbers(&a, 1, 2)).unwrap_or(vec![-1.0]),
            };
            if item.name() == "fixed" {
                self.fixed_tendon(item, &attrs, name, &elasticity);
            } else if elasticity.stiffness > 0.0 || elasticity.damping > 0.0 {
                self.spatial_tendon(item, &attrs, name, &elasticity);
            } else {
                // it measures, nothing more
                item.children().for_each(|c| c.element().take_whole());
            }
        }
    }

    fn fixed_tendon(&mut self, item: Item<'_, 'd>, attrs: &Attributes<'d>, name: String, elasticity: &Elasticity) {
        let span = attrs.span();
        let (mut terms, mut reference, mut at_springs) = (Vec::new(), 0.0, 0.0);
        for part in item.children().filter(|c| c.name() == "joint") {
            let part = Attributes::plain(part.element().take());
            let Some(joint) = part.attr("joint") else { continue };
            let Some(c) = self.coordinate_named(&joint) else { continue };
            let factor = self.number(&part, "coef").unwrap_or(1.0);
            reference += factor * c.reference;
            at_springs += factor * c.spring_reference;
            terms.push((c.name, factor));
        }
        let Elasticity { stiffness, damping, rest } = elasticity;
        if (*stiffness > 0.0 || *damping > 0.0) && !terms.is_empty() {
            if rest.len() > 1 && rest[0] != rest[1] && *stiffness > 0.0 {
                let message = format!("tendon `{name}` has no dead band");
                self.note(span, message, "it pulls from its first rest length on");
            }
            let length = if rest[0] >= 0.0 { rest[0] } else { at_springs };
            let table = DocTable::at(span).with("kind", "coordinate-spring").with("terms", write_terms(&terms, span));
            let table = table.with("stiffness", *stiffness).with("rest", length - reference).with("damping", *damping);
            let name = self.name(&name, span);
            self.force(format!("{name} tendon"), span, table);
        }
        self.tendons.insert(name, FixedTendon { terms, reference });
    }

    /// A spring and damper between two sites.
    fn spatial_tendon(&mut self, item: Item<'_, 'd>, attrs: &Attributes<'d>, name: String, elasticity: &Elasticity) {
        let span = attrs.span();
        let sites: Vec<_> = item.children().filter(|c| c.name() == "site").collect();
        if sites.len() != 2 || item.children().count() != 2 || elasticity.rest.len() != 1 {
            item.children().for_each(|c| c.element().take_whole());
            let why = "only tendons from one site to another, with one rest length, are springs here";
            self.note(span, format!("tendon `{name}` does not pull"), why);
            return;
        }
        let mut ends = Vec::new();
        for site in sites {
            let Some(a) = site.element().take().attr("site") else { continue };
            let Some(place) = self.site_named(&a) else { return };
            ends.push((place, a.value));
        }
        let [(a, name_a), (b, name_b)] = ends[..] else { return };
        let at = |(link, pose): (usize, Pose)| self.bodies[link].world.point(pose.position);
        let length = if elasticity.rest[0] >= 0.0 { elasticity.rest[0] } else { (at(a) - at(b)).length() };
        let end = |(link, _): (usize, Pose), site: &str| format!("{}.{site}", self.link_name(link));
        let table = DocTable::at(span).with("kind", "spring").with("a", end(a, name_a)).with("b", end(b, name_b));
        let table = table.with("stiffness", elasticity.stiffness).with("length", length);
        let table = table.with("damping", elasticity.damping);
        let name = self.name(&name, span);
        self.force(format!("{name} tendon"), span, table);
    }
}

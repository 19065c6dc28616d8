//! What geoms touch: `contype`, `conaffinity`, `condim`, `friction`, and `<contact>` with its pairs and exceptions.
//!
//! Two geoms of MuJoCo meet if  (contype of one & conaffinity of the other)  is not zero, either way round. Two shapes of a scene meet if each belongs to a
//! group the other looks for. With the 16 lowest bits of both,
//!
//! ```text
//! groups = contype | conaffinity << 16,     meets = conaffinity | contype << 16
//! ```
//!
//! say the same: each of the two conditions is that of MuJoCo. Geoms that touch everything, as those of most files do,
//! need none of it.
//!
//! Contacts are hard here, with round friction cones. Friction of a pair is the geometric mean of its geoms' (MuJoCo
//! takes the larger one), levers against rolling and turning are the larger ones; `condim` says which of them act.

use super::Context;
use super::bodies::BodyIndex;
use super::tree::Item;
use super::values::Attributes;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::{DocNode, DocTable, numbers};
use crate::source::Span;
use crate::xml::Attr;

/// Which geoms a geom touches, and how.
pub struct GeomContact {
    name: Option<String>,
    /// Bits that others must have, and that it has.
    bits: [u32; 2],
    /// Sliding, turning about the normal (m), rolling (m).
    friction: [f64; 3],
    friction_given: bool,
    /// How many of them act: 1, 3, 4 or 6 rows.
    rows: u32,
    mesh: bool,
    /// Is it of a kind that has contacts here?
    able: bool,
}

/// A geom that has a name.
pub struct NamedGeom {
    body: BodyIndex,
    bits: [u32; 2],
    friction: [f64; 3],
}

impl GeomContact {
    fn touches(&self) -> bool {
        self.able && self.bits != [0, 0]
    }
}

fn meet(a: [u32; 2], b: [u32; 2]) -> bool {
    a[0] & b[1] != 0 || b[0] & a[1] != 0
}

impl<'d> Context<'d, '_> {
    /// The contact attributes of a geom.
    pub fn geom_contact(
        &mut self,
        attrs: &Attributes<'d>,
        kind: &str,
        name: Option<String>,
        body: BodyIndex,
    ) -> GeomContact {
        let mut bits = |name: &str| {
            let x = self.number(attrs, name).unwrap_or(1.0);
            // as many bits as two groups of them have room for
            let all = if x < 0.0 { u64::from((x as i32) as u32) } else { x as u64 };
            if all > 0xffff && all != u64::from(u32::MAX) {
                self.note(attrs.span_of(name), format!("only 16 bits of `{name}` count"), format!("{x}"));
            }
            (all & 0xffff) as u32
        };
        let bits = [bits("contype"), bits("conaffinity")];
        let rows = match self.number(attrs, "condim") {
            Some(x) if [1.0, 3.0, 4.0, 6.0].contains(&x) => x as u32,
            Some(x) => {
                let label = format!("{x}, must be 1, 3, 4 or 6");
                self.error(codes::OUT_OF_RANGE, attrs.span_of("condim"), "`condim` is out of range", label);
                3
            }
            None => 3,
        };
        let (friction, friction_given) = match attrs.attr("friction") {
            Some(a) => (self.frictions(&a, 3), true),
            None => ([1.0, 0.005, 0.0001], false),
        };
        let able = !matches!(kind, "ellipsoid" | "sdf" | "hfield");
        if !able && bits != [0, 0] && self.settings.contacts {
            self.note(attrs.span(), format!("a geom of type {kind} touches nothing"), "it has no contacts here");
        }
        let touching = GeomContact { name, bits, friction, friction_given, rows, mesh: kind == "mesh", able };
        self.touches |= touching.touches();
        self.selective |= touching.touches() && bits != [1, 1];
        if let Some(name) = &touching.name {
            self.geoms.insert(name.clone(), NamedGeom { body, bits, friction });
        }
        touching
    }

    /// Up to three numbers of friction over MuJoCo's own.
    fn frictions(&mut self, a: &Attr<'d>, most: usize) -> [f64; 3] {
        let mut friction = [1.0, 0.005, 0.0001];
        let Some(v) = self.numbers(a, 1, most) else { return friction };
        if let Some(x) = v.iter().find(|x| **x < 0.0) {
            self.error(codes::OUT_OF_RANGE, a.span, "`friction` is out of range", format!("{x}, must not be negative"));
            return friction;
        }
        for (f, x) in friction.iter_mut().zip(v) {
            *f = x;
        }
        friction
    }

    /// Write them into the shape of the geom.
    pub fn write_contact(&mut self, shape: &mut DocTable, t: &GeomContact, on_world: bool) {
        let span = shape.entries().first().map_or(self.root, |e| e.key_span);
        if !t.touches() || !self.settings.contacts {
            shape.put("collides", span, false);
            return;
        }
        if let Some(name) = t.name.as_ref().filter(|n| self.paired.contains(*n)) {
            shape.put("name", span, name.as_str());
        }
        if t.rows == 1 && self.all_smooth {
            shape.put("friction", span, 0.0);
        } else if t.friction_given {
            shape.put("friction", span, t.friction[0]);
        }
        if t.rows >= 4 && t.friction[1] > 0.0 {
            shape.put("torsional", span, t.friction[1]);
        }
        if t.rows >= 6 && t.friction[2] > 0.0 {
            shape.put("rolling", span, t.friction[2]);
        }
        if t.mesh && on_world {
            // as MuJoCo has it
            shape.put("collide_as", span, "hull");
        }
        if self.selective {
            let [t, a] = t.bits;
            let list = |bits: u32| {
                let all: Vec<f64> = (0..32).filter(|k| bits >> k & 1 == 1).map(|k| f64::from(k + 1)).collect();
                numbers(span, &all)
            };
            shape.push("groups", span, list(t | a << 16));
            shape.push("meets", span, list(a | t << 16));
        }
    }

    /// What must be known before shapes are written: which geoms pairs name, and whether any contact has friction.
    pub fn prepare_contacts<'t>(&mut self, sections: impl Iterator<Item = Item<'t, 'd>>)
    where
        'd: 't,
    {
        for pair in sections.flat_map(|s| s.children()).filter(|c| c.name() == "pair") {
            let names = ["geom1", "geom2"].into_iter().filter_map(|k| pair.element().peek(k));
            self.paired.extend(names.map(|a| a.value.to_string()));
        }
        let touching = self.bodies.iter().flat_map(|b| &b.geoms).map(|g| &g.contact).filter(|t| t.touches());
        let (mut smooth, mut rough, mut values) = (false, false, Vec::new());
        for t in touching {
            smooth |= t.rows == 1;
            rough |= t.rows > 1;
            values.push(t.friction[0]);
        }
        self.all_smooth = !rough;
        if smooth && rough && self.settings.contacts {
            let why = "in MuJoCo only contacts between two geoms with condim 1 have none";
            self.note(self.root, "geoms with `condim` 1 have friction", why);
        }
        if values.windows(2).any(|w| w[0] != w[1]) && self.settings.contacts {
            let why = "the geometric mean of its geoms', in MuJoCo the larger one";
            self.note(self.root, "friction of a pair of geoms is another", why);
        }
    }

    /// `<contact>`: pairs and exceptions.
    pub fn contact_section(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for item in section.children() {
            match item.name() {
                "exclude" => {
                    let attrs = Attributes::plain(item.element().take());
                    attrs.attr("name");
                    let (a, b) = (self.body_named(attrs.attr("body1")), self.body_named(attrs.attr("body2")));
                    let (Some(a), Some(b)) = (a, b) else { continue };
                    let (a, b) = (self.link_name(a).to_string(), self.link_name(b).to_string());
                    if a != b {
                        self.ignore(&a, &b, attrs.span());
                    }
                }
                "pair" => self.pair(item),
                _ => {}
            }
        }
    }

    /// Two bodies of the scene pass through each other.
    pub fn ignore(&mut self, a: &str, b: &str, span: Span) {
        let pair = vec![DocNode::new(span, a), DocNode::new(span, b)];
        self.out.ignore.push(DocNode::new(span, pair));
    }

    fn geom_named(&mut self, attrs: &Attributes<'d>, attribute: &str) -> Option<String> {
        let Some(a) = attrs.attr(attribute) else {
            let message = format!("<pair> has no `{attribute}`");
            self.error(codes::MISSING_FIELD, attrs.span(), message, "which geom?");
            return None;
        };
        if self.geoms.contains_key(a.value) {
            return Some(a.value.to_string());
        }
        let mut names: Vec<&str> = self.geoms.keys().map(String::as_str).collect();
        names.sort_unstable();
        self.report.push(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "geom", a.value, names).at(a.span));
        None
    }

    fn pair(&mut self, item: Item<'_, 'd>) {
        let attrs = self.attributes(item.element(), None);
        attrs.attr("name");
        let span = attrs.span();
        let (a, b) = (self.geom_named(&attrs, "geom1"), self.geom_named(&attrs, "geom2"));
        let (Some(a), Some(b)) = (a, b) else { return };
        let friction = match attrs.attr("friction") {
            Some(f) => {
                // two ways of sliding, turning, two ways of rolling
                let v = self.numbers(&f, 1, 5).unwrap_or_default();
                let at = |k: usize, otherwise: f64| v.get(k).copied().unwrap_or(otherwise);
                [at(0, 1.0), at(2, 0.005), at(3, 0.0001)]
            }
            None => {
                let (fa, fb) = (self.geoms[&a].friction, self.geoms[&b].friction);
                [0, 1, 2].map(|k| fa[k].max(fb[k]))
            }
        };
        let rows = self.number(&attrs, "condim").unwrap_or(3.0);
        let (ga, gb) = (&self.geoms[&a], &self.geoms[&b]);
        let (la, lb) = (self.bodies[ga.body].link, self.bodies[gb.body].link);
        if la == lb {
            self.note(span, "a <pair> is not used", "both geoms are parts of one body");
            return;
        }
        if !meet(ga.bits, gb.bits) {
            self.note(span, "a <pair> is not used", "its geoms do not touch by `contype` and `conaffinity`");
            return;
        }
        let side = |body: BodyIndex, geom: &str| format!("{}.{geom}", self.link_name(body));
        let (side_a, side_b) = (side(ga.body, &a), side(gb.body, &b));
        let table = DocTable::at(span)
            .with("a", side_a)
            .with("b", side_b)
            .with("friction", if rows < 2.0 { 0.0 } else { friction[0] })
            .with("torsional", if rows < 4.0 { 0.0 } else { friction[1] })
            .with("rolling", if rows < 6.0 { 0.0 } else { friction[2] });
        self.out.pairs.push(DocNode::new(span, table));
    }
}

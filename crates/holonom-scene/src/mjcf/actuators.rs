//! `<actuator>`: forces on coordinates, on fixed tendons and at sites, with a parameter for every control.
//!
//! ```text
//! force = (g0 + g1 length + g2 rate) a + b0 + b1 length + b2 rate,      length = gear q,  the joint feels  gear force
//! a = control, limited to ctrlrange                                      no dynamics
//! a = control (1 - exp(-t / T))                                          filter: exact for a control that is constant
//! a = control t, limited to actrange                                     integrator: likewise
//! ```
//!
//! What does not depend on the coordinate becomes a `coordinate-force`, the rest a `coordinate-spring`; where `forcerange` limits the sum of both, a
//! `coordinate-servo`.

use super::Context;
use super::tendons::Fixed;
use super::tree::Item;
use super::values::Look;
use crate::confine::shown;
use crate::node::{Node, Table};
use crate::source::Span;

const KINDS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// Attributes of actuators that count.
pub const ATTRIBUTES: &[&str] = &[
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "gear",
    "kp",
    "kv",
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "dyntype",
    "dynprm",
    "actlimited",
    "actrange",
    "timeconst",
    "area",
    "diameter",
    "bias",
    "dampratio",
    "inheritrange",
];

/// Is that an element of `<actuator>`?
pub fn is_actuator(name: &str) -> bool {
    KINDS.contains(&name)
}

/// The law of an actuator.
struct Law {
    gain: [f64; 3],
    bias: [f64; 3],
    dynamics: Dynamics,
}

enum Dynamics {
    None,
    Integrator,
    Filter(f64),
}

impl<'d> Context<'d, '_> {
    /// `<actuator>`.
    pub fn actuator_section(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for (n, item) in section.children().enumerate() {
            if is_actuator(item.name()) {
                self.actuator(item, n);
            }
        }
    }

    fn first(&mut self, look: &Look<'d>, name: &str) -> Option<f64> {
        let a = look.attr(name)?;
        self.numbers(&a, 1, 100)?.first().copied()
    }

    fn three(&mut self, look: &Look<'d>, name: &str, otherwise: [f64; 3]) -> [f64; 3] {
        let Some(v) = look.attr(name).and_then(|a| self.numbers(&a, 1, 100)) else { return otherwise };
        let mut out = otherwise;
        for (o, v) in out.iter_mut().zip(v) {
            *o = v;
        }
        out
    }

    /// What the kind of an actuator means. None, with a line in the ledger, where it cannot be made.
    fn law(&mut self, look: &Look<'d>) -> Option<Law> {
        let plain = |gain: [f64; 3], bias: [f64; 3]| Law { gain, bias, dynamics: Dynamics::None };
        let refused = |c: &mut Self, what: &str| {
            c.note(look.span(), format!("an actuator <{}> is not used", shown(look.element.name())), what);
            None
        };
        Some(match look.element.name() {
            "motor" => plain([1.0, 0.0, 0.0], [0.0; 3]),
            "position" => {
                let (kp, kv) = (self.first(look, "kp").unwrap_or(1.0), self.first(look, "kv").unwrap_or(0.0));
                if look.attr("dampratio").is_some() {
                    return refused(self, "`dampratio` takes the damping from the inertia, which is not done here");
                }
                let mut law = plain([kp, 0.0, 0.0], [0.0, -kp, -kv]);
                if let Some(t) = self.first(look, "timeconst").filter(|t| *t > 0.0) {
                    law.dynamics = Dynamics::Filter(t);
                }
                law
            }
            "velocity" => {
                let kv = self.first(look, "kv").unwrap_or(1.0);
                plain([kv, 0.0, 0.0], [0.0, 0.0, -kv])
            }
            "intvelocity" => {
                let (kp, kv) = (self.first(look, "kp").unwrap_or(1.0), self.first(look, "kv").unwrap_or(0.0));
                Law { dynamics: Dynamics::Integrator, ..plain([kp, 0.0, 0.0], [0.0, -kp, -kv]) }
            }
            "damper" => {
                let kv = self.first(look, "kv").unwrap_or(1.0);
                plain([0.0, 0.0, -kv], [0.0; 3])
            }
            "cylinder" => {
                let t = self.first(look, "timeconst").unwrap_or(1.0);
                let area = self.first(look, "area").unwrap_or(1.0);
                let area = match self.first(look, "diameter") {
                    Some(d) => 0.25 * std::f64::consts::PI * d * d,
                    None => area,
                };
                Law { dynamics: Dynamics::Filter(t), ..plain([area, 0.0, 0.0], self.three(look, "bias", [0.0; 3])) }
            }
            "general" => {
                let words = ["fixed", "affine", "muscle", "user", "none"];
                let gain = self.word(look, "gaintype", &words).unwrap_or("fixed");
                let bias = self.word(look, "biastype", &words).unwrap_or("none");
                let dynamics = ["none", "integrator", "filter", "filterexact", "muscle", "user"];
                let dynamics = self.word(look, "dyntype", &dynamics).unwrap_or("none");
                let mut g = self.three(look, "gainprm", [1.0, 0.0, 0.0]);
                let mut b = self.three(look, "biasprm", [0.0; 3]);
                match gain {
                    "fixed" => g = [g[0], 0.0, 0.0],
                    "affine" => {}
                    _ => return refused(self, "muscles and user functions are not simulated"),
                }
                match bias {
                    "none" => b = [0.0; 3],
                    "affine" => {}
                    _ => return refused(self, "muscles and user functions are not simulated"),
                }
                let dynamics = match dynamics {
                    "none" => Dynamics::None,
                    "integrator" => Dynamics::Integrator,
                    "filter" | "filterexact" => Dynamics::Filter(self.first(look, "dynprm").unwrap_or(1.0)),
                    _ => return refused(self, "muscles and user functions are not simulated"),
                };
                Law { gain: g, bias: b, dynamics }
            }
            _ => return refused(self, "actuators of this kind are not simulated"),
        })
    }

    /// A range that is in force.
    fn range(&mut self, look: &Look<'d>, range: &str, limited: &str) -> Option<[f64; 2]> {
        let v = look.attr(range).and_then(|a| self.numbers(&a, 2, 2));
        let on = match self.word(look, limited, &["true", "false", "auto"]) {
            Some("true") => true,
            Some("false") => false,
            _ => self.settings.autolimits && v.is_some(),
        };
        v.filter(|_| on).map(|v| [v[0], v[1]])
    }

    fn actuator(&mut self, item: Item<'_, 'd>, n: usize) {
        let look = self.look(item.element(), None);
        let span = look.span();
        let name = match look.element.attr("name") {
            Some(a) => self.name(a.value, a.span),
            None => {
                let target = ["joint", "tendon", "site"].iter().find_map(|k| look.element.peek(k));
                target.map_or(format!("actuator{n}"), |a| a.value.to_string())
            }
        };
        let Some(law) = self.law(&look) else { return };
        let gear = look.attr("gear").and_then(|a| self.numbers(&a, 1, 6)).unwrap_or(vec![1.0]);
        let limits = self.range(&look, "ctrlrange", "ctrllimited");
        let act_limits = self.range(&look, "actrange", "actlimited");
        let force_limits = self.range(&look, "forcerange", "forcelimited");
        // the control as an expression, limited, then as the dynamics make it
        let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut param = format!("ctrl_{}", name.chars().map(letters).collect::<String>());
        while self.out.params.get(&param).is_some() {
            param.push('_');
        }
        let within = |x: String, r: Option<[f64; 2]>| match r {
            Some([lo, hi]) => format!("max({lo:?}, min({hi:?}, {x}))"),
            None => x,
        };
        let control = within(param.clone(), limits);
        let activation = match law.dynamics {
            Dynamics::None => control,
            Dynamics::Integrator => within(format!("({control}) * t"), act_limits),
            Dynamics::Filter(t) if t > 0.0 => within(format!("({control}) * (1 - exp(-t / {t:?}))"), act_limits),
            Dynamics::Filter(_) => control,
        };
        let of_state = law.gain[1..].iter().chain(&law.bias[1..]).any(|x| *x != 0.0);
        let mut force = format!("{:?} * ({activation}) + {:?}", law.gain[0], law.bias[0]);
        if !of_state {
            force = within(force, force_limits);
        }
        let made = if let Some(a) = look.element.attr("joint").or_else(|| look.element.attr("jointinparent")) {
            match self.coordinate_named(&a) {
                Some(c) => {
                    let on = Fixed { terms: vec![(c.name, 1.0)], reference: c.reference };
                    self.on_coordinates(&name, span, &on, gear[0], &law, &activation, &force, force_limits)
                }
                None => false,
            }
        } else if let Some(a) = look.element.attr("tendon") {
            match self.tendons.get(a.value).filter(|t| !t.terms.is_empty()).cloned() {
                Some(on) => self.on_coordinates(&name, span, &on, gear[0], &law, &activation, &force, force_limits),
                None => {
                    let why = "it pulls on a tendon that is not simulated";
                    self.note(a.span, format!("actuator `{name}` is not used"), why);
                    false
                }
            }
        } else if let Some(a) = look.element.attr("site") {
            if of_state || look.element.attr("refsite").is_some() {
                self.note(span, format!("actuator `{name}` is not used"), "its force depends on the place of a site");
                return;
            }
            self.at_site(&name, span, &a, &gear, &force)
        } else {
            self.note(span, format!("actuator `{name}` is not used"), "it drives neither a joint, a tendon nor a site");
            return;
        };
        if made {
            self.out.params.put(param, span, 0.0);
        }
    }

    /// A force along a coordinate or a sum of them, and a spring where it depends on it.
    #[expect(clippy::too_many_arguments, reason = "the parts of one formula")]
    fn on_coordinates(
        &mut self,
        name: &str,
        span: Span,
        on: &Fixed,
        gear: f64,
        law: &Law,
        activation: &str,
        force: &str,
        limits: Option<[f64; 2]>,
    ) -> bool {
        let on_what = |table: &mut Table| match &on.terms[..] {
            [(coordinate, 1.0)] => table.put("joint", span, coordinate.as_str()),
            _ => table.put("terms", span, on.terms(1.0, span)),
        };
        let mut table = Table::new();
        table.put("kind", span, "coordinate-force");
        on_what(&mut table);
        table.put("force", span, format!("{gear:?} * ({force})"));
        let square = gear * gear;
        // minus the slope by length and by rate
        let slope = |k: usize| (-square * law.gain[k], -square * law.bias[k]);
        let ((gk, bk), (gc, bc)) = (slope(1), slope(2));
        if bk < 0.0 || bc < 0.0 || gk != 0.0 {
            self.note(span, format!("actuator `{name}` is not used"), "it pushes the further the further it is");
            return false;
        }
        let feedback = bk > 0.0 || bc > 0.0 || gc != 0.0;
        // limits hold for the whole force: then it is one
        let limits = limits.filter(|_| feedback).map(|[a, b]| [gear * a, gear * b]);
        if feedback {
            let mut spring = Table::new();
            if let Some([a, b]) = limits {
                spring = std::mem::take(&mut table);
                spring.entries_mut()[0].node.value = "coordinate-servo".into();
                spring.put("least", span, a.min(b));
                spring.put("most", span, a.max(b));
            } else {
                spring.put("kind", span, "coordinate-spring");
                on_what(&mut spring);
                self.force(name, span, std::mem::take(&mut table));
            }
            let mut table = spring;
            if bk > 0.0 {
                table.put("stiffness", span, bk);
                table.put("rest", span, -on.reference);
            }
            if gc != 0.0 {
                table.put("damping", span, format!("${{{bc:?} + {gc:?} * ({activation})}}"));
            } else if bc > 0.0 {
                table.put("damping", span, bc);
            }
            let name = if limits.is_some() { name.to_string() } else { format!("{name} feedback") };
            self.force(name, span, table);
        } else {
            self.force(name, span, table);
        }
        true
    }

    /// Force and torque in the axes of a site.
    fn at_site(&mut self, name: &str, span: Span, a: &crate::xml::Attr<'d>, gear: &[f64], force: &str) -> bool {
        let Some((link, _)) = self.site_named(a) else { return false };
        if link == 0 {
            self.note(span, format!("actuator `{name}` is not used"), "it pushes the ground");
            return false;
        }
        let on = format!("{}.{}", self.link_name(link), a.value);
        let mut all = gear.to_vec();
        all.resize(6, 0.0);
        let mut any = false;
        for (kind, field, part) in [("point-force", "force", &all[..3]), ("torque", "torque", &all[3..])] {
            if part.iter().all(|x| *x == 0.0) {
                continue;
            }
            let vector = part.iter().map(|g| Node::new(span, format!("{g:?} * ({force})"))).collect::<Vec<_>>();
            let mut table = Table::new();
            table.put("kind", span, kind);
            table.put("on", span, on.as_str());
            table.put(field, span, vector);
            table.put("axes", span, "body");
            self.force(format!("{name} {field}"), span, table);
            any = true;
        }
        any
    }
}

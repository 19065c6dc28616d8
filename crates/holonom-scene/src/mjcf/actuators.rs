//! `<actuator>`: forces on coordinates, on fixed tendons and at sites, with a parameter for every control.
//!
//! ```text
//! force = (g0 + g1 length + g2 rate) a + b0 + b1 length + b2 rate,      length = gear q,  the joint feels  gear force
//! a = control, limited to ctrlrange                                      no dynamics
//! a = control (1 - exp(-t / T))                                          filter: exact for a control that is constant
//! a = control t, limited to actrange                                     integrator: likewise
//! ```
//!
//! What does not depend on the coordinate becomes a `coordinate-force`, the rest a `coordinate-spring`; where
//! `forcerange` limits the sum of both, a `coordinate-servo`.

use super::Context;
use super::tendons::FixedTendon;
use super::tree::Item;
use super::values::Attributes;
use crate::confine::shown;
use crate::import::write_terms;
use crate::node::{DocNode, DocTable};
use crate::source::Span;

const KINDS: &str = "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor plugin";

/// Attributes of actuators that count.
pub const ATTRIBUTES: &str = "ctrllimited ctrlrange forcelimited forcerange gear kp kv gaintype gainprm biastype biasprm dyntype dynprm \
                              actlimited actrange timeconst area diameter bias dampratio inheritrange";

/// Is that an element of `<actuator>`?
pub fn is_actuator(name: &str) -> bool {
    KINDS.split(' ').any(|kind| kind == name)
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

impl Law {
    /// The activation as an expression of the control and of time.
    fn activation(&self, control: &str, limits: Option<[f64; 2]>) -> String {
        match self.dynamics {
            Dynamics::Integrator => limited(format!("({control}) * t"), limits),
            Dynamics::Filter(t) if t > 0.0 => limited(format!("({control}) * (1 - exp(-t / {t:?}))"), limits),
            Dynamics::None | Dynamics::Filter(_) => control.to_string(),
        }
    }
}

/// An actuator on a coordinate, or on a weighted sum of coordinates.
struct Actuator<'a> {
    name: &'a str,
    span: Span,
    on: FixedTendon,
    gear: f64,
    law: &'a Law,
    /// Activation, and force before the gear, as expressions.
    activation: &'a str,
    force: &'a str,
    /// Of the force.
    limits: Option<[f64; 2]>,
}

/// An expression kept within bounds.
fn limited(x: String, bounds: Option<[f64; 2]>) -> String {
    match bounds {
        Some([lo, hi]) => format!("max({lo:?}, min({hi:?}, {x}))"),
        None => x,
    }
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

    fn gain(&mut self, attrs: &Attributes<'d>, name: &str, otherwise: f64) -> f64 {
        self.first(attrs, name, 100).unwrap_or(otherwise)
    }

    fn three(&mut self, attrs: &Attributes<'d>, name: &str, otherwise: [f64; 3]) -> [f64; 3] {
        let Some(v) = attrs.attr(name).and_then(|a| self.numbers(&a, 1, 100)) else { return otherwise };
        let mut out = otherwise;
        for (o, v) in out.iter_mut().zip(v) {
            *o = v;
        }
        out
    }

    /// The law of an actuator. None, with a line in the ledger, where it cannot be made.
    fn law(&mut self, attrs: &Attributes<'d>) -> Option<Law> {
        let plain = |gain: f64, bias: [f64; 3]| Law { gain: [gain, 0.0, 0.0], bias, dynamics: Dynamics::None };
        let refused = |c: &mut Self, why: &str| {
            c.note(attrs.span(), format!("an actuator <{}> is not used", shown(attrs.element.name())), why);
            None
        };
        Some(match attrs.element.name() {
            "motor" => plain(1.0, [0.0; 3]),
            "position" => {
                let (kp, kv) = (self.gain(attrs, "kp", 1.0), self.gain(attrs, "kv", 0.0));
                if attrs.attr("dampratio").is_some() {
                    return refused(self, "`dampratio` takes the damping from the inertia, which is not done here");
                }
                let filter = self.first(attrs, "timeconst", 100).filter(|t| *t > 0.0);
                Law { dynamics: filter.map_or(Dynamics::None, Dynamics::Filter), ..plain(kp, [0.0, -kp, -kv]) }
            }
            "velocity" => {
                let kv = self.gain(attrs, "kv", 1.0);
                plain(kv, [0.0, 0.0, -kv])
            }
            "intvelocity" => {
                let (kp, kv) = (self.gain(attrs, "kp", 1.0), self.gain(attrs, "kv", 0.0));
                Law { dynamics: Dynamics::Integrator, ..plain(kp, [0.0, -kp, -kv]) }
            }
            "damper" => Law { gain: [0.0, 0.0, -self.gain(attrs, "kv", 1.0)], ..plain(0.0, [0.0; 3]) },
            "cylinder" => {
                let t = self.gain(attrs, "timeconst", 1.0);
                let area = self.gain(attrs, "area", 1.0);
                let area = match self.first(attrs, "diameter", 100) {
                    Some(d) => 0.25 * std::f64::consts::PI * d * d,
                    None => area,
                };
                Law { dynamics: Dynamics::Filter(t), ..plain(area, self.three(attrs, "bias", [0.0; 3])) }
            }
            "general" => match self.general_law(attrs) {
                Some(law) => law,
                None => return refused(self, "muscles and user functions are not simulated"),
            },
            _ => return refused(self, "actuators of this kind are not simulated"),
        })
    }

    /// The law of `<general>`; none for muscles and user functions.
    fn general_law(&mut self, attrs: &Attributes<'d>) -> Option<Law> {
        let words = ["fixed", "affine", "muscle", "user", "none"];
        let gain_type = self.word(attrs, "gaintype", &words).unwrap_or("fixed");
        let bias_type = self.word(attrs, "biastype", &words).unwrap_or("none");
        let dynamics = ["none", "integrator", "filter", "filterexact", "muscle", "user"];
        let dynamics = self.word(attrs, "dyntype", &dynamics).unwrap_or("none");
        let gain = self.three(attrs, "gainprm", [1.0, 0.0, 0.0]);
        let bias = self.three(attrs, "biasprm", [0.0; 3]);
        let gain = match gain_type {
            "fixed" => [gain[0], 0.0, 0.0],
            "affine" => gain,
            _ => return None,
        };
        let bias = match bias_type {
            "none" => [0.0; 3],
            "affine" => bias,
            _ => return None,
        };
        let dynamics = match dynamics {
            "none" => Dynamics::None,
            "integrator" => Dynamics::Integrator,
            "filter" | "filterexact" => Dynamics::Filter(self.gain(attrs, "dynprm", 1.0)),
            _ => return None,
        };
        Some(Law { gain, bias, dynamics })
    }

    fn actuator(&mut self, item: Item<'_, 'd>, n: usize) {
        let attrs = self.attributes(item.element(), None);
        let span = attrs.span();
        let name = match attrs.element.attr("name") {
            Some(a) => self.name(a.value, a.span),
            None => {
                let target = ["joint", "tendon", "site"].iter().find_map(|k| attrs.element.peek(k));
                target.map_or(format!("actuator{n}"), |a| a.value.to_string())
            }
        };
        let Some(law) = self.law(&attrs) else { return };
        let gear = attrs.attr("gear").and_then(|a| self.numbers(&a, 1, 6)).unwrap_or(vec![1.0]);
        let control_limits = self.range(&attrs, "ctrlrange", "ctrllimited");
        let act_limits = self.range(&attrs, "actrange", "actlimited");
        let limits = self.range(&attrs, "forcerange", "forcelimited");
        let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut param = format!("ctrl_{}", name.chars().map(letters).collect::<String>());
        while self.out.params.get(&param).is_some() {
            param.push('_');
        }
        let activation = law.activation(&limited(param.clone(), control_limits), act_limits);
        let mut force = format!("{:?} * ({activation}) + {:?}", law.gain[0], law.bias[0]);
        let of_state = law.gain[1..].iter().chain(&law.bias[1..]).any(|x| *x != 0.0);
        if !of_state {
            force = limited(force, limits);
        }
        let unused = |c: &mut Self, span: Span, why: &str| {
            c.note(span, format!("actuator `{name}` is not used"), why);
            false
        };
        let attr = |name: &str| attrs.element.attr(name);
        let actuator = |on: FixedTendon| Actuator {
            name: &name,
            span,
            on,
            gear: gear[0],
            law: &law,
            activation: &activation,
            force: &force,
            limits,
        };
        let used = if let Some(a) = attr("joint").or_else(|| attr("jointinparent")) {
            match self.coordinate_named(&a) {
                Some(c) => {
                    self.on_coordinates(actuator(FixedTendon { terms: vec![(c.name, 1.0)], reference: c.reference }))
                }
                None => false,
            }
        } else if let Some(a) = attr("tendon") {
            match self.tendons.get(a.value).filter(|t| !t.terms.is_empty()).cloned() {
                Some(on) => self.on_coordinates(actuator(on)),
                None => unused(self, a.span, "it pulls on a tendon that is not simulated"),
            }
        } else if let Some(a) = attr("site") {
            match of_state || attr("refsite").is_some() {
                true => unused(self, span, "its force depends on the place of a site"),
                false => self.at_site(&name, span, &a, &gear, &force),
            }
        } else {
            unused(self, span, "it drives neither a joint, a tendon nor a site")
        };
        if used {
            self.out.params.put(param, span, 0.0);
        }
    }

    /// A force along a coordinate or a sum of them, and a spring where it depends on it. False, with a line in the
    /// ledger, if it cannot be made.
    fn on_coordinates(&mut self, actuator: Actuator) -> bool {
        let Actuator { name, span, on, gear, law, activation, force, limits } = actuator;
        let table = |kind: &str| match &on.terms[..] {
            [(coordinate, 1.0)] => DocTable::at(span).with("kind", kind).with("joint", coordinate.as_str()),
            _ => DocTable::at(span).with("kind", kind).with("terms", write_terms(&on.terms, span)),
        };
        let force = format!("{gear:?} * ({force})");
        let square = gear * gear;
        // minus the slope by length and by rate
        let slope = |k: usize| (-square * law.gain[k], -square * law.bias[k]);
        let ((gk, bk), (gc, bc)) = (slope(1), slope(2));
        if bk < 0.0 || bc < 0.0 || gk != 0.0 {
            self.note(span, format!("actuator `{name}` is not used"), "it pushes the further the further it is");
            return false;
        }
        if bk == 0.0 && bc == 0.0 && gc == 0.0 {
            self.force(name, span, table("coordinate-force").with("force", force));
            return true;
        }
        // limits hold for the whole force: then it is one
        let (name, mut spring) = match limits.map(|[a, b]| [gear * a, gear * b]) {
            Some([a, b]) => {
                let servo = table("coordinate-servo").with("force", force);
                (name.to_string(), servo.with("least", a.min(b)).with("most", a.max(b)))
            }
            None => {
                self.force(name, span, table("coordinate-force").with("force", force));
                (format!("{name} feedback"), table("coordinate-spring"))
            }
        };
        if bk > 0.0 {
            spring = spring.with("stiffness", bk).with("rest", -on.reference);
        }
        if gc != 0.0 {
            spring = spring.with("damping", format!("${{{bc:?} + {gc:?} * ({activation})}}"));
        } else if bc > 0.0 {
            spring = spring.with("damping", bc);
        }
        self.force(name, span, spring);
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
            let vector = part.iter().map(|g| DocNode::new(span, format!("{g:?} * ({force})"))).collect::<Vec<_>>();
            let table = DocTable::at(span).with("kind", kind).with("on", on.as_str()).with(field, vector);
            self.force(format!("{name} {field}"), span, table.with("axes", "body"));
            any = true;
        }
        any
    }
}

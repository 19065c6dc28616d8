//! Spring and damper between two points.
//!
//! ```text
//! d = p_b - p_a,  r = |d|,  n = d / r          tension  f = k (r - rest) + c n . ddot
//! force on a: f n,  on b: - f n                energy  k (r - rest)^2 / 2
//! ```
//!
//! At r = 0 there is no direction and no force is applied; with rest = 0 that is the exact limit.

use super::{ENDS, Force, ForceDeclaration, ForceGlyph, Push, Stiffness, ends};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Allowed, FieldType, Invalid, Kind, Make, not_negative, optional, required};

/// A linear spring and damper between two points.
#[derive(Clone, Debug)]
pub struct Spring {
    attachments: [Attachment; 2],
    stiffness: f64,
    rest: f64,
    damping: f64,
}

impl Spring {
    /// Stiffness in N/m, rest length in m.
    pub fn new(a: Marker, b: Marker, stiffness: f64, rest: f64) -> Self {
        Spring { attachments: [a.p(), b.p()], stiffness, rest, damping: 0.0 }
    }

    /// A damper in parallel, N s/m.
    pub fn damping(self, damping: f64) -> Self {
        Spring { damping, ..self }
    }
}

impl Force for Spring {
    fn kind(&self) -> &'static str {
        "spring"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        for (name, value, unit) in
            [("stiffness", self.stiffness, "N/m"), ("rest length", self.rest, "m"), ("damping", self.damping, "N s/m")]
        {
            not_negative(name, value, unit)?;
        }
        Ok(())
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        let (p, q) = (a.get(0), a.get(1));
        let d = q.at - p.at;
        let r = d.length();
        if r == 0.0 {
            return;
        }
        let n = d / r;
        let f = n * (self.stiffness * (r - self.rest) + self.damping * n.dot(q.rate - p.rate));
        push.on(0, f);
        push.on(1, -f);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        let stretch = (a.at(1) - a.at(0)).length() - self.rest;
        0.5 * self.stiffness * stretch * stretch
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let n = (a.at(1) - a.at(0)).normalize_or_zero();
        out.gradient(0, 0, -n);
        out.gradient(0, 1, n);
        out.set(0, 0, self.stiffness, self.damping);
    }
}

pub(super) static SPRING: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "spring",
        summary: "a linear spring and damper between two points",
        fields: &[
            ENDS,
            &[
                required("stiffness", FieldType::Number(Allowed::NotNegative, "N/m"), "tension per way"),
                optional(
                    "length",
                    FieldType::Number(Allowed::NotNegative, "m"),
                    "0",
                    "length at which it does not pull",
                ),
                optional("damping", FieldType::Number(Allowed::NotNegative, "N s/m"), "0", "tension per speed"),
            ],
        ],
        make: Make::Force(|p| {
            let (a, b) = ends(p)?;
            Ok(Box::new(Spring::new(a, b, p.of("stiffness"), p.of("length")).damping(p.of("damping"))))
        }),
    },
    label: "Spring",
    law: "spring",
    glyph: ForceGlyph::Spring,
};

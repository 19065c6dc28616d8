//! Springs and dampers by your own laws, between two points and about an axis.
//!
//! ```text
//! s, sdot      length r = |p_b - p_a| (m), or the angle of x_b about z_a from x_a (rad), and its rate
//! pull         f = spring(s) + damper(sdot) + general(s, sdot, t)           positive shortens the length, or turns b back
//! pushes       - f ds/d(attachments)                       power  - f sdot
//! energy       integral of spring from s_0 to s            (s_0: where the energy is called zero)
//! ```
//!
//! Between points ds/dp_b = n = d / r = -ds/dp_a. Without a length there is no direction and no push.
//!
//! About an axis, with h the part of x_b across z_a, ĥ its direction and t = z_a × ĥ, the angle grows by
//!
//! ```text
//! ds = t . ((dw_b - dw_a) × x_b) / |h| = (dw_b - dw_a) . e,      e = (x_b × t) / |h| = z_a - (z_a . x_b / |h|) ĥ
//! ```
//!
//! which is z_a where the axes agree. With e instead of z_a the law is exactly conservative also where nothing holds
//! the axes together; e grows without bounds as x_b comes to lie along z_a, where there is no angle (and no push). The
//! angle is the one within half a turn of a middle angle (0 unless set); it does not count turns.
//!
//! The spring's integral is taken anew at every question, to rounding, also for laws with kinks; `general` stores
//! nothing. Stiff direction: s, with spring' and damper' where they are positive, and differences of `general`.

use super::{AXES, ENDS, Force, ForceDeclaration, ForceGlyph, Push, Stiffness, ends};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{
    ANGLE, Allowed, FieldType, Invalid, Kind, Make, finite, optional, positive, required,
};
use crate::catalogue::functions::{Function, integral};
use crate::math::{Vec3, unwrap_angle};
use std::sync::Arc;

type General = dyn Fn(f64, f64, f64) -> f64 + Send + Sync;

/// What both kinds share: a pull as a function of a coordinate, its rate and time.
#[derive(Clone, Default)]
pub(crate) struct Pull {
    spring: Option<Arc<dyn Function>>,
    damper: Option<Arc<dyn Function>>,
    general: Option<Arc<General>>,
    zero: f64,
}

impl Pull {
    pub(crate) fn spring(law: impl Function + 'static, zero: f64) -> Self {
        Pull { spring: Some(Arc::new(law)), zero, ..Pull::default() }
    }
    pub(crate) fn damper(law: impl Function + 'static) -> Self {
        Pull { damper: Some(Arc::new(law)), ..Pull::default() }
    }
    pub(crate) fn general(law: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        Pull { general: Some(Arc::new(law)), ..Pull::default() }
    }
    pub(crate) fn with_damper(self, law: impl Function + 'static) -> Self {
        Pull { damper: Some(Arc::new(law)), ..self }
    }

    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        finite("the coordinate where the energy is zero", self.zero)?;
        for (what, law) in [("spring law", &self.spring), ("damper law", &self.damper)] {
            if let Some(law) = law {
                law.validate().map_err(|reason| format!("{what}: {reason}"))?;
            }
        }
        Ok(())
    }

    pub(crate) fn at(&self, s: f64, rate: f64, t: f64) -> f64 {
        let spring = self.spring.as_ref().map_or(0.0, |law| law.at(s)[0]);
        let damper = self.damper.as_ref().map_or(0.0, |law| law.at(rate)[0]);
        spring + damper + self.general.as_ref().map_or(0.0, |law| law(s, rate, t))
    }

    pub(crate) fn energy(&self, s: f64) -> f64 {
        self.spring.as_ref().map_or(0.0, |law| integral(|x| law.at(x)[0], self.zero, s))
    }

    /// Stiffness and damping, never negative.
    pub(crate) fn slopes(&self, s: f64, rate: f64, t: f64) -> (f64, f64) {
        let mut k = self.spring.as_ref().map_or(0.0, |law| law.at(s)[1]);
        let mut c = self.damper.as_ref().map_or(0.0, |law| law.at(rate)[1]);
        if let Some(law) = &self.general {
            let h = |x: f64| 1e-6 * (1.0 + x.abs());
            let (hs, hr) = (h(s), h(rate));
            k += (law(s + hs, rate, t) - law(s - hs, rate, t)) / (2.0 * hs);
            c += (law(s, rate + hr, t) - law(s, rate - hr, t)) / (2.0 * hr);
        }
        (k.max(0.0), c.max(0.0))
    }
}

/// A spring, a damper, or any law of length, rate and time, between two points.
#[derive(Clone)]
pub struct SpringLaw {
    attachments: [Attachment; 2],
    pull: Pull,
}

impl SpringLaw {
    /// Tension (N) as a function of length (m). The energy is zero at the length `rest` (m).
    pub fn new(a: Marker, b: Marker, tension: impl Function + 'static, rest: f64) -> Self {
        SpringLaw { attachments: [a.p(), b.p()], pull: Pull::spring(tension, rest) }
    }

    /// A damper alone: tension (N) as a function of the rate of the length (m/s, positive where it grows).
    pub fn damper(a: Marker, b: Marker, tension: impl Function + 'static) -> Self {
        SpringLaw { attachments: [a.p(), b.p()], pull: Pull::damper(tension) }
    }

    /// Tension (N) as any function `tension(length, rate, t)`. It stores no energy: all its work stands in the ledger.
    pub fn general(a: Marker, b: Marker, tension: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        SpringLaw { attachments: [a.p(), b.p()], pull: Pull::general(tension) }
    }

    /// A damper in parallel, as in [`SpringLaw::damper`].
    pub fn damping(self, tension: impl Function + 'static) -> Self {
        SpringLaw { pull: self.pull.with_damper(tension), ..self }
    }
}

impl Force for SpringLaw {
    fn kind(&self) -> &'static str {
        "spring law"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.pull.validate()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        let (p, q) = (a.get(0), a.get(1));
        let d = q.at - p.at;
        let r = d.length();
        if r == 0.0 {
            return;
        }
        let n = d / r;
        let f = n * self.pull.at(r, n.dot(q.rate - p.rate), t);
        push.on(0, f);
        push.on(1, -f);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        self.pull.energy((a.at(1) - a.at(0)).length())
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, t: f64, out: &mut Stiffness) {
        let (p, q) = (a.get(0), a.get(1));
        let n = (q.at - p.at).normalize_or_zero();
        out.gradient(0, 0, -n);
        out.gradient(0, 1, n);
        let (k, c) = self.pull.slopes((q.at - p.at).length(), n.dot(q.rate - p.rate), t);
        out.set(0, 0, k, c);
    }
}

/// A torsion spring, a damper, or any law of angle, rate and time, about the z axis of marker a.
#[derive(Clone)]
pub struct TorsionLaw {
    /// Spins of a and b, axes of a, x of b.
    attachments: [Attachment; 6],
    pull: Pull,
    middle: f64,
}

impl TorsionLaw {
    fn with(a: Marker, b: Marker, pull: Pull) -> Self {
        let spins = [Attachment::spin(a.body), Attachment::spin(b.body)];
        TorsionLaw { attachments: [spins[0], spins[1], a.x(), a.y(), a.z(), b.x()], pull, middle: 0.0 }
    }

    /// Torque (N m) that turns b back, as a function of the angle (rad). The energy is zero at the angle `rest`.
    pub fn new(a: Marker, b: Marker, torque: impl Function + 'static, rest: f64) -> Self {
        Self::with(a, b, Pull::spring(torque, rest))
    }

    /// A damper alone: torque (N m) against a growing angle as a function of its rate (rad/s).
    pub fn damper(a: Marker, b: Marker, torque: impl Function + 'static) -> Self {
        Self::with(a, b, Pull::damper(torque))
    }

    /// Torque (N m) that turns b back as any function `torque(angle, rate, t)`. It stores no energy.
    pub fn general(a: Marker, b: Marker, torque: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::with(a, b, Pull::general(torque))
    }

    /// A damper in parallel, as in [`TorsionLaw::damper`].
    pub fn damping(self, torque: impl Function + 'static) -> Self {
        TorsionLaw { pull: self.pull.with_damper(torque), ..self }
    }

    /// The angle is taken within half a turn of this one (rad).
    pub fn middle(self, angle: f64) -> Self {
        TorsionLaw { middle: angle, ..self }
    }

    /// Angle, rate, axis e; `None` where there is no angle.
    fn angle(&self, a: &View) -> Option<(f64, f64, Vec3)> {
        let (x, y, z, d) = (a.get(2), a.get(3), a.at(4), a.get(5));
        let (c, s) = (x.at.dot(d.at), y.at.dot(d.at));
        let c_rate = x.rate.dot(d.at) + x.at.dot(d.rate);
        let s_rate = y.rate.dot(d.at) + y.at.dot(d.rate);
        let across = c * c + s * s;
        (across > 1e-18).then(|| {
            let angle = unwrap_angle(libm::atan2(s, c), self.middle);
            let along = z.dot(d.at);
            (angle, (c * s_rate - s * c_rate) / across, z - (d.at - z * along) * (along / across))
        })
    }
}

impl Force for TorsionLaw {
    fn kind(&self) -> &'static str {
        "torsion law"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        finite("middle angle", self.middle)?;
        self.pull.validate()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        if let Some((angle, rate, e)) = self.angle(a) {
            let torque = e * self.pull.at(angle, rate, t);
            push.on(0, torque);
            push.on(1, -torque);
        }
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        self.angle(a).map_or(0.0, |(angle, _, _)| self.pull.energy(angle))
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, t: f64, out: &mut Stiffness) {
        if let Some((angle, rate, e)) = self.angle(a) {
            out.gradient(0, 0, -e);
            out.gradient(0, 1, e);
            let (k, c) = self.pull.slopes(angle, rate, t);
            out.set(0, 0, k, c);
        }
    }
}

/// The law of a spring that acts on one side of its rest length only: a rope, a buffer. A [`Function`] for
/// [`SpringLaw`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneSided {
    stiffness: f64,
    rest: f64,
    sign: f64,
}

impl OneSided {
    /// Pulls when longer than `rest` (m), with `stiffness` (N/m); slack below.
    pub fn tension(stiffness: f64, rest: f64) -> Self {
        OneSided { stiffness, rest, sign: 1.0 }
    }
    /// Pushes when shorter than `rest` (m), with `stiffness` (N/m); free above.
    pub fn compression(stiffness: f64, rest: f64) -> Self {
        OneSided { stiffness, rest, sign: -1.0 }
    }
}

impl Function for OneSided {
    fn at(&self, x: f64) -> [f64; 3] {
        let stretch = x - self.rest;
        if stretch * self.sign > 0.0 { [self.stiffness * stretch, self.stiffness, 0.0] } else { [0.0; 3] }
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("stiffness", self.stiffness, "N/m")?;
        finite("rest length", self.rest)
    }
}

pub(super) static SPRING_LAW: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "spring-law",
        summary: "a spring, a damper or both between two points, by laws of your own",
        fields: &[
            ENDS,
            &[
                optional("tension", FieldType::Function("x", "N"), "0", "tension as a function of the length x (m)"),
                optional(
                    "length",
                    FieldType::Number(Allowed::NotNegative, "m"),
                    "0",
                    "length at which its energy is called 0",
                ),
                optional(
                    "damping",
                    FieldType::Function("v", "N"),
                    "0",
                    "tension as a function of the rate v of the length (m/s), in addition",
                ),
            ],
        ],
        make: Make::Force(|p| {
            let (a, b) = ends(p)?;
            Ok(match (p.function("tension"), p.function("damping")) {
                (Some(f), None) => Box::new(SpringLaw::new(a, b, f, p.of("length"))),
                (Some(f), Some(d)) => Box::new(SpringLaw::new(a, b, f, p.of("length")).damping(d)),
                (None, Some(d)) => Box::new(SpringLaw::damper(a, b, d)),
                (None, None) => return Err(Invalid::neither("tension", "damping")),
            })
        }),
    },
    label: "Spring by a law",
    law: "spring law",
    glyph: ForceGlyph::Spring,
};

pub(super) static ONE_SIDED_SPRING: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "one-sided-spring",
        summary: "a spring that only pulls (an elastic rope) or only pushes (a buffer)",
        fields: &[
            ENDS,
            &[
                required("stiffness", FieldType::Number(Allowed::NotNegative, "N/m"), "force per way"),
                required("length", FieldType::Number(Allowed::NotNegative, "m"), "length at which it begins to act"),
                optional(
                    "side",
                    FieldType::Choice(&["tension", "compression"]),
                    "tension",
                    "whether it acts when longer (tension) or when shorter (compression)",
                ),
            ],
        ],
        make: Make::Force(|p| {
            let (a, b) = ends(p)?;
            let (k, rest) = (p.of("stiffness"), p.of("length"));
            let law = match p.text("side") {
                Some("compression") => OneSided::compression(k, rest),
                _ => OneSided::tension(k, rest),
            };
            Ok(Box::new(SpringLaw::new(a, b, law, rest)))
        }),
    },
    label: "One-sided spring",
    law: "spring law",
    glyph: ForceGlyph::Spring,
};

pub(super) static TORSION_LAW: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "torsion-law",
        summary: "a torsion spring, a damper or both about the z axis of a, by laws of your own",
        fields: &[
            AXES,
            &[
                optional(
                    "torque",
                    FieldType::Function("x", "N m"),
                    "0",
                    "torque that turns b back, by the angle x (rad)",
                ),
                optional("rest", ANGLE, "0", "angle at which its energy is called 0"),
                optional(
                    "damping",
                    FieldType::Function("v", "N m"),
                    "0",
                    "torque against the rate v of the angle (rad/s), in addition",
                ),
                optional("middle", ANGLE, "0", "the angle is taken within half a turn of this one"),
            ],
        ],
        make: Make::Force(|p| {
            let law = match (p.function("torque"), p.function("damping")) {
                (Some(f), None) => TorsionLaw::new(p.a(), p.b(), f, p.of("rest")),
                (Some(f), Some(d)) => TorsionLaw::new(p.a(), p.b(), f, p.of("rest")).damping(d),
                (None, Some(d)) => TorsionLaw::damper(p.a(), p.b(), d),
                (None, None) => return Err(Invalid::neither("torque", "damping")),
            };
            Ok(Box::new(law.middle(p.of("middle"))))
        }),
    },
    label: "Torsion spring by a law",
    law: "torsion law",
    glyph: ForceGlyph::Spring,
};

//! Joint coordinates as quantities of their own: what motors drive, gears couple and springs pull.
//!
//! A coordinate q of a joint is a function of the joint's attachments. The joint gives (see [`Measure`])
//!
//! ```text
//! value q,    gradient g_k = dq/d(attachment k),    curvature: what is left of q'' beside  sum_k g_k . (second derivative of attachment k)
//! ```
//!
//! A row `sum_i r_i q_i = f(t)` is then the same sum of gradients and curvatures, and a generalised force Q along q is
//! the push Q g_k on every attachment k. Its power is Q qdot.
//!
//! Angles are followed over any number of turns: the joint says where the angle is within one turn, the engine
//! remembers which turn it was on at the start of the step, and the turn nearest to where the mean rate leads is taken
//! ([`View::follow`]).

use super::{Attachment, Constraint, CoordinateKind, Push, Rows, View};
use crate::error::{Invalid, refuse};
use crate::math::Vec3;
use crate::math::number::{Num, Point, seed};
use std::sync::Arc;

/// A joint whose coordinates are used elsewhere may have this many attachments.
pub const MAX_MEASURED: usize = 16;

/// Where a joint writes one of its coordinates.
pub struct Measure<'w> {
    pub(crate) value: f64,
    pub(crate) curvature: f64,
    pub(crate) gradients: &'w mut [Vec3],
}

impl Measure<'_> {
    /// The value (m, or rad within one turn) and the curvature.
    #[inline(always)]
    pub fn set(&mut self, value: f64, curvature: f64) {
        (self.value, self.curvature) = (value, curvature);
    }

    /// dq/d(attachment k); adds up.
    #[inline(always)]
    pub fn gradient(&mut self, k: usize, g: Vec3) {
        self.gradients[k] += g;
    }

    /// From a formula in the first N attachments.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, a: &View, formula: impl FnOnce([Point<N>; N]) -> Num<N>) {
        let q = formula(std::array::from_fn(|k| {
            let now = a.get(k);
            seed(k, now.at, now.rate)
        }));
        self.set(q.value, q.second);
        for (k, g) in q.gradient.into_iter().enumerate() {
            self.gradient(k, g);
        }
    }

    /// The angle of direction `d` in the plane of the directions `x` and `y` (attachment numbers), from x towards y.
    ///
    /// ```text
    /// c = x . d,  s = y . d,  r² = c² + s²      q = atan2(s, c)
    /// gradients   by y: c d / r²    by x: - s d / r²    by d: (c y - s x) / r²
    /// q'' beside  (c s'' - s c'') / r² - 2 (c c' + s s') (c s' - s c') / r⁴,   of which  s'' = 2 y' . d',  c'' = 2 x' . d'
    /// ```
    #[inline(always)]
    pub fn angle(&mut self, a: &View, x: usize, y: usize, d: usize) {
        let ((nx, x), (ny, y), (nd, d)) = ((x, a.get(x)), (y, a.get(y)), (d, a.get(d)));
        let (c, s) = (x.at.dot(d.at), y.at.dot(d.at));
        let c_rate = x.rate.dot(d.at) + x.at.dot(d.rate);
        let s_rate = y.rate.dot(d.at) + y.at.dot(d.rate);
        let i = 1.0 / (c * c + s * s);
        let turn = (c * s_rate - s * c_rate) * i;
        let bend = 2.0 * (c * y.rate.dot(d.rate) - s * x.rate.dot(d.rate)) * i;
        self.set(libm::atan2(s, c), bend - 2.0 * (c * c_rate + s * s_rate) * turn * i);
        self.gradient(ny, d.at * (c * i));
        self.gradient(nx, d.at * (-s * i));
        self.gradient(nd, (y.at * c - x.at * s) * i);
    }

    /// The offset of point `b` from point `p` along direction `e` (attachment numbers):  q = e . (p_b - p),  q'' beside 2 e' . (p_b' - p').
    #[inline(always)]
    pub fn offset(&mut self, a: &View, e: usize, p: usize, b: usize) {
        let ((ne, e), (np, p), (nb, b)) = ((e, a.get(e)), (p, a.get(p)), (b, a.get(b)));
        let d = b.at - p.at;
        self.set(e.at.dot(d), 2.0 * e.rate.dot(b.rate - p.rate));
        self.gradient(ne, d);
        self.gradient(nb, e.at);
        self.gradient(np, -e.at);
    }
}

/// Value and rate of coordinate `i` of a constraint, angles within one turn.
pub(crate) fn value_and_rate(constraint: &dyn Constraint, a: &View, i: usize) -> (f64, f64) {
    with_measure(constraint, a, i, |m, rate| (m.value, rate))
}

/// Second derivative of coordinate `i` of a constraint, from those of its attachments.
pub(crate) fn acceleration(constraint: &dyn Constraint, a: &View, i: usize, second: impl Fn(usize) -> Vec3) -> f64 {
    with_measure(constraint, a, i, |m, _| {
        let moved = m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO);
        m.curvature + moved.map(|(k, g)| g.dot(second(k))).sum::<f64>()
    })
}

/// Gradient of coordinate `i` of a constraint, attachment by attachment, to `visit(attachment, gradient)`.
pub(crate) fn gradient(constraint: &dyn Constraint, a: &View, i: usize, mut visit: impl FnMut(usize, Vec3)) {
    with_measure(constraint, a, i, |m, _| {
        m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO).for_each(|(k, g)| visit(k, *g));
    });
}

/// Measure coordinate `i` into memory on the stack, and use it together with its rate.
#[inline(always)]
fn with_measure<R>(constraint: &dyn Constraint, a: &View, i: usize, then: impl FnOnce(&Measure, f64) -> R) -> R {
    let mut gradients = [Vec3::ZERO; MAX_MEASURED];
    let n = a.attachments.len().min(MAX_MEASURED);
    let mut measure = Measure { value: 0.0, curvature: 0.0, gradients: &mut gradients[..n] };
    constraint.measure(a, i, &mut measure);
    let rate = (0..n).filter(|&k| measure.gradients[k] != Vec3::ZERO).map(|k| measure.gradients[k].dot(a.rate(k)));
    let rate = rate.sum();
    then(&measure, rate)
}

/// A coordinate of a named joint, to be driven, coupled or pulled: [`crate::ModelBuilder::coordinate`] makes one.
#[derive(Clone)]
pub struct Coordinate {
    pub(crate) joint: Arc<dyn Constraint>,
    pub(crate) name: Box<str>,
    pub(crate) index: usize,
}

impl std::fmt::Debug for Coordinate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "coordinate {} of {}", self.index, self.joint_name())
    }
}

impl Coordinate {
    /// Coordinate `index` of a joint that need not be in the model: what would be its coordinate if it were. Angles of
    /// such joints are taken within half a turn; to follow them further, put the joint into the model and use
    /// [`crate::ModelBuilder::coordinate`].
    pub fn of(joint: impl Constraint + 'static, index: usize) -> Self {
        Coordinate { joint: Arc::new(joint), name: Box::default(), index }
    }

    /// A length or an angle.
    pub fn kind(&self) -> CoordinateKind {
        self.joint.coordinates().get(self.index).copied().unwrap_or(CoordinateKind::Length)
    }

    /// The name of its joint, or the kind where it is not in the model.
    pub fn joint_name(&self) -> &str {
        if self.name.is_empty() { self.joint.kind() } else { &self.name }
    }

    /// Is it the same coordinate of the same joint of a model?
    pub(crate) fn same_as(&self, other: &Coordinate) -> bool {
        self.index == other.index
            && (Arc::ptr_eq(&self.joint, &other.joint) || !self.name.is_empty() && self.name == other.name)
    }

    /// What its joint is attached to. Whoever uses the coordinate has these among its own attachments.
    pub fn attachments(&self) -> &[Attachment] {
        self.joint.attachments()
    }

    /// Does the joint have this coordinate, and can it be used?
    pub fn validate(&self) -> Result<(), Invalid> {
        let n = self.joint.coordinates().len();
        if self.index >= n {
            let kind = self.joint.kind();
            return refuse!(
                "",
                "joint `{}` ({kind}) has {n} coordinates, there is no number {}",
                self.name,
                self.index
            );
        }
        if self.attachments().len() > MAX_MEASURED {
            return refuse!("", "joint `{}` has more than {MAX_MEASURED} attachments", self.name);
        }
        Ok(())
    }
}

/// Several coordinates and all that their joints are attached to, end to end: what readers of coordinates are made of.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    coordinates: Vec<Coordinate>,
    /// First attachment of each.
    first: Vec<usize>,
    attachments: Vec<Attachment>,
}

impl Readings {
    /// Of these coordinates. `before`: attachments that the reader has in front of them.
    pub fn new(before: impl Into<Vec<Attachment>>, coordinates: impl Into<Vec<Coordinate>>) -> Self {
        let (mut attachments, coordinates) = (before.into(), coordinates.into());
        let mut first = Vec::new();
        for c in &coordinates {
            first.push(attachments.len());
            attachments.extend_from_slice(c.attachments());
        }
        Readings { coordinates, first, attachments }
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// All attachments: those in front, then those of each coordinate's joint.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// Can all of them be used?
    pub fn validate(&self) -> Result<(), Invalid> {
        self.coordinates.iter().try_for_each(Coordinate::validate)
    }

    fn measured<R>(&self, a: &View, i: usize, then: impl FnOnce(&Measure, f64) -> R) -> R {
        let c = &self.coordinates[i];
        let part = a.part(self.first[i], c.attachments().len());
        with_measure(c.joint.as_ref(), &part, c.index, then)
    }

    /// Value (turns counted) and rate of coordinate `i`.
    pub fn get(&self, a: &View, i: usize) -> (f64, f64) {
        self.measured(a, i, |m, rate| (self.followed(a, i, m.value, rate), rate))
    }

    /// Value (turns counted), rate and curvature of coordinate `i`.
    pub(crate) fn measure(&self, a: &View, i: usize) -> (f64, f64, f64) {
        self.measured(a, i, |m, rate| (self.followed(a, i, m.value, rate), rate, m.curvature))
    }

    fn followed(&self, a: &View, i: usize, value: f64, rate: f64) -> f64 {
        if self.coordinates[i].kind() == CoordinateKind::Angle { a.follow(i, value, rate) } else { value }
    }

    /// Add `scale` times coordinate `i` to a row: gap, gradients and curvature. Returns its value and rate.
    pub fn add(&self, a: &View, i: usize, scale: f64, row: usize, out: &mut Rows) -> (f64, f64) {
        self.measured(a, i, |m, rate| {
            let value = self.followed(a, i, m.value, rate);
            out.row(row).gap += scale * value;
            out.row(row).curvature += scale * m.curvature;
            for (k, g) in m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO) {
                out.gradient(row, self.first[i] + k, *g * scale);
            }
            (value, rate)
        })
    }

    /// Add coordinate `i` to one row, and its opposite to another.
    pub fn add_both_ways(&self, a: &View, i: usize, rows: [usize; 2], out: &mut Rows) {
        self.measured(a, i, |m, rate| {
            let value = self.followed(a, i, m.value, rate);
            for (row, sign) in rows.into_iter().zip([1.0, -1.0]) {
                out.row(row).gap += sign * value;
                out.row(row).curvature += sign * m.curvature;
            }
            for (k, g) in m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO) {
                out.gradient(rows[0], self.first[i] + k, *g);
                out.gradient(rows[1], self.first[i] + k, -*g);
            }
        });
    }

    /// Let a row push along coordinate `i`: for rows with force directions of their own.
    pub fn add_force(&self, a: &View, i: usize, row: usize, out: &mut Rows) {
        self.measured(a, i, |m, _| {
            for (k, g) in m.gradients.iter().enumerate() {
                out.force(row, self.first[i] + k, *g);
            }
        });
    }

    /// A generalised force (N or N m) along coordinate `i`.
    pub fn push(&self, a: &View, i: usize, force: f64, push: &mut Push) {
        self.measured(a, i, |m, _| {
            for (k, g) in m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO) {
                push.on(self.first[i] + k, *g * force);
            }
        });
    }

    /// Gradient of coordinate `i`, attachment by attachment, to `visit(attachment, gradient)`.
    pub fn gradient(&self, a: &View, i: usize, mut visit: impl FnMut(usize, Vec3)) {
        self.measured(a, i, |m, _| {
            for (k, g) in m.gradients.iter().enumerate().filter(|(_, g)| **g != Vec3::ZERO) {
                visit(self.first[i] + k, *g);
            }
        });
    }
}

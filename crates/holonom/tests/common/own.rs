//! Constraints as a user writes them.

use holonom::Attachment;
use holonom::attach::View;
use holonom::joints::{Constraint, Level, RowLaw, Rows};
use holonom::math::{Vec3, vec3};

/// A point of a body follows a path: position, velocity and acceleration as functions of time. One attachment, nothing else.
pub struct OnPath {
    on: [Attachment; 1],
    path: fn(f64) -> [Vec3; 3],
}

impl OnPath {
    pub fn new(on: Attachment, path: fn(f64) -> [Vec3; 3]) -> Self {
        OnPath { on: [on], path }
    }
}

impl Constraint for OnPath {
    fn kind(&self) -> &'static str {
        "on path"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn rheonomic(&self) -> bool {
        true
    }
    /// C = p - r(t),  C_t = - r',  C_tt = - r''.
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let [r, r_rate, r_acceleration] = (self.path)(t);
        let p = a.at(0);
        for (i, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let row = out.row(i);
            row.gap = e.dot(p - r);
            row.rate_t = -e.dot(r_rate);
            row.curvature = -e.dot(r_acceleration);
            out.gradient(i, 0, e);
        }
    }
}

/// A blade that does not slip sideways: the carried direction n is perpendicular to the velocity of its point. Nonholonomic.
pub struct KnifeEdge {
    on: [Attachment; 2],
}

impl KnifeEdge {
    pub fn new(point: Attachment, across: Attachment) -> Self {
        KnifeEdge { on: [point, across] }
    }
}

impl Constraint for KnifeEdge {
    fn kind(&self) -> &'static str {
        "knife edge"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn level(&self, _: usize) -> holonom::joints::Level {
        holonom::joints::Level::Velocity
    }
    fn reference(&self) -> usize {
        0
    }
    /// Rate n . p',  its derivative n . p'' + n' . p'.
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        let (p, n) = (a.get(0), a.get(1));
        out.row(0).curvature = n.rate.dot(p.rate);
        out.gradient(0, 0, n.at);
    }
}

/// A point stays half-way between two others in one direction: a row on three bodies.
pub struct HalfWay {
    on: [Attachment; 3],
    along: Vec3,
}

impl HalfWay {
    /// The middle point comes second.
    pub fn new(on: [Attachment; 3], along: Vec3) -> Self {
        HalfWay { on, along }
    }
}

impl Constraint for HalfWay {
    fn kind(&self) -> &'static str {
        "half way"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        out.row(0).gap = self.along.dot(a.at(0) - 2.0 * a.at(1) + a.at(2));
        for (k, weight) in [1.0, -2.0, 1.0].into_iter().enumerate() {
            out.gradient(0, k, self.along * weight);
        }
    }
}

/// Something that this version does not solve.
pub struct Odd {
    pub on: [Attachment; 2],
    pub law: RowLaw,
    pub own_force: bool,
    pub rows: usize,
    pub level: Level,
}

impl Constraint for Odd {
    fn kind(&self) -> &'static str {
        "odd"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        self.rows
    }
    fn law(&self) -> RowLaw {
        self.law
    }
    fn own_force_direction(&self) -> bool {
        self.own_force
    }
    fn level(&self, _: usize) -> Level {
        self.level
    }
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        for i in 0..self.rows {
            out.row(i).gap = a.at(1).x - a.at(0).x;
            out.gradient(i, 0, -Vec3::X);
            out.gradient(i, 1, Vec3::X);
        }
    }
}

/// A path: a circle of radius 0.3 m in the x-z plane, once in two seconds, and a slow rise along y.
pub fn circle(t: f64) -> [Vec3; 3] {
    let w = std::f64::consts::PI;
    let (s, c) = libm::sincos(w * t);
    [
        vec3(0.3 * s, 0.1 * t * t, 0.3 * (1.0 - c)),
        vec3(0.3 * w * c, 0.2 * t, 0.3 * w * s),
        vec3(-0.3 * w * w * s, 0.2, 0.3 * w * w * c),
    ]
}

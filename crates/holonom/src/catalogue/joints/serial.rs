//! Serial joint: several hinges and slides one after the other, with no bodies between them.
//!
//! Let the markers coincide when all coordinates are zero, and let hinge i turn about the unit axis n_i through p_i,
//! slide j move along s_j, all given in the axes of the markers. Then
//!
//! ```text
//! marker b = marker a . J_1(q_1) J_2(q_2) ... J_k(q_k)            the first freedom is next to a, the last next to b
//! ```
//!
//! Between the hinges lie frames that belong to no body. F_0 is marker a, F_m (after m hinges) marker b; those between
//! are found from directions the bodies do carry: E_1 = n_1 in a, and E_m = n_m in b. After two hinges' worth of
//! algebra nothing trigonometric is left of them:
//!
//! ```text
//! m = 2    F_1 takes (n_1, n_2, n_1 × n_2) to (E_1, E_2, E_1 × E_2)
//! m = 3    E_1 . E_3 = n_1 . R(n_2, q_2) n_3 = k + P cos q_2 + Q sin q_2,    k = (n_1.n_2)(n_2.n_3),  P = n_1.n_3 - k,  Q = n_1.(n_2 × n_3)
//!          gives cos q_2 and sin q_2, on the branch that holds q_2 = 0;  then  m_3 = R(n_2, q_2) n_3  and  m_1 = R(n_2, q_2)^T n_1,
//!          F_1 takes (n_1, m_3, n_1 × m_3),  F_2 takes (m_1, n_3, m_1 × n_3)  to  (E_1, E_3, E_1 × E_3)
//! ```
//!
//! With D = p_b - p_a the chain of freedoms says  D = sum over hinges (F_{i-1} p_i - F_i p_i) + sum over slides q_j F s_j, so with E the rest of D
//! after the hinges:
//!
//! ```text
//! translation rows   no slides: E = 0 (3);   one: E across F s (2);   two: E . (F s_1 × F' s_2) (1);   three: none
//! rotation rows      no hinges: the axes agree (3);   one: n_1 the same in both (2);   two: n_1.n_2 - E_1.E_2 (1);   three, or a ball: none
//! ```
//!
//! (Sums and rows in the order of the joint's sides; gradients and curvatures by the numbers of
//! [`crate::math::number`].) Singular where the freedoms are: three hinges with their axes in one plane, two with
//! parallel axes. Such sets are refused at zero; elsewhere q_2 cannot be led through it. Coordinates: those of the
//! hinges and slides, in order; a ball has none.

use super::{
    Constraint, CoordinateKind, JointDeclaration, Lock, LockShape, Mask, PAIR, Rows, agreement, check_markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{
    Family, Fault, Field, FieldType, Invalid, Kind, Make, POSITION, Parameters, optional, required,
};
use crate::error::refuse;
use crate::math::number::{Num, Point};
use crate::math::{Mat3, SplitMix, Vec3, perpendicular, unwrap_angle};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "serial",
        summary: "hinges and slides one after the other, without bodies between them. Coordinates: theirs, in order",
        fields: &[
            PAIR,
            &[required(
                "freedoms",
                FieldType::Kinds(&FREEDOMS),
                "the first is next to a; up to three hinges (or a ball) and three slides",
            )],
        ],
        make: Make::Joint(|p| Ok(Box::new(of_freedoms(p)?))),
    },
    label: "Serial joint",
    rows: 3,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

const FREE_AXIS: Field = required("axis", FieldType::Direction, "its axis in the world, at the poses given");
const FREE_AT: Field = optional("at", POSITION, "`at` of the joint", "where it is in the world, at the poses given");

/// What a serial joint is made of.
static FREEDOMS: Family = Family { name: "freedom", common: &[], members: || FREEDOM_KINDS, default: None };

static FREEDOM_KINDS: &[&Kind] = &[
    &Kind { name: "hinge", summary: "turns about an axis", fields: &[&[FREE_AXIS, FREE_AT]], make: Make::Elsewhere },
    &Kind { name: "slide", summary: "slides along an axis", fields: &[&[FREE_AXIS]], make: Make::Elsewhere },
    &Kind { name: "ball", summary: "turns about a point", fields: &[&[FREE_AT]], make: Make::Elsewhere },
];

fn of_freedoms(p: &dyn Parameters) -> Result<Serial, Invalid> {
    let (position, axes) = p.drawn(p.b().body);
    let here = position + axes * p.b().point;
    // both sides in the axes of the world, at the poses given: there freedoms are said
    let turned = |m: Marker| Marker { axes: p.drawn(m.body).1.transpose(), ..m };
    let freedoms = p.tables("freedoms").into_iter().map(|f| {
        let axis = f.vector("axis").unwrap_or(Vec3::Z);
        let point = f.vector("at").map_or(Vec3::ZERO, |x| x - here);
        match f.kind().map(|k| k.name) {
            Some("slide") => Freedom::Slide { axis },
            Some("ball") => Freedom::Ball { point },
            _ => Freedom::Hinge { axis, point },
        }
    });
    let freedoms: Vec<Freedom> = freedoms.collect();
    if freedoms.is_empty() {
        return Err(Invalid::new("freedoms", "`freedoms` has too few elements").fault(Fault::Length));
    }
    let made = Serial::new(turned(p.a()), turned(p.b()), freedoms);
    let refuse = |e: Invalid| Invalid::new("freedoms", format!("a serial joint {e}")).fault(Fault::Range);
    made.validate().map_err(refuse)?;
    Ok(made)
}

/// One freedom of a [`Serial`] joint, in the axes of its markers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// Along a direction.
    Slide {
        /// Which way; the length does not matter.
        axis: Vec3,
    },
    /// About an axis.
    Hinge {
        /// The axis; its length does not matter.
        axis: Vec3,
        /// A point on it, from the marker (m).
        point: Vec3,
    },
    /// About a point.
    Ball {
        /// The point, from the marker (m).
        point: Vec3,
    },
}

/// Hinges and slides one after the other, without bodies between them.
///
/// ```
/// use holonom::joints::{Freedom, Serial};
/// use holonom::prelude::*;
///
/// // an ankle: two hinges, 4 cm apart, neither perpendicular nor through one point
/// let mut m = ModelBuilder::new();
/// let foot = m.body("foot", Rigid::cuboid(1.0, [0.2, 0.1, 0.05]).position([0.0, 0.0, -0.1]));
/// let freedoms = [
///     Freedom::Hinge { axis: vec3(0.0, 1.0, 0.0), point: vec3(0.0, 0.0, 0.08) },
///     Freedom::Hinge { axis: vec3(1.0, 0.2, 0.5), point: vec3(0.0, 0.0, 0.04) },
/// ];
/// let ankle = m.joint("ankle", Serial::new(BodyId::GROUND.at([0.0, 0.0, -0.1]), foot.origin(), freedoms));
/// let mut sim = Simulation::build(m)?;
/// sim.run_until(0.5)?;
/// println!("{:?} {:?}", sim.coordinate(ankle, 0), sim.coordinate(ankle, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Serial {
    /// Points of a and b, axes of a, axes of b; then what measures the hinges:
    /// one: u, v in a, u and n in b (u, v, n a right-handed set about the axis n);
    /// two: u_1, v_1, n_1 in a, n_2, u_2, -v_2 in b, with u towards the other axis;
    /// three: the spins of a and b.
    attachments: Vec<Attachment>,
    markers: (Marker, Marker),
    freedoms: Vec<Freedom>,
    /// Axis, and point from the common one, of every hinge.
    hinges: Vec<(Vec3, Vec3)>,
    /// Direction of every slide, and the frame it belongs to.
    slides: Vec<(Vec3, usize)>,
    /// Point of the ball, from the common one.
    ball: Option<Vec3>,
}

type Frame = [Point<8>; 3];

/// What a formula is written in.
struct Local {
    d: Point<8>,
    a: Frame,
    b: Frame,
}

impl Local {
    fn new([p, q, ax, ay, az, bx, by, bz]: [Point<8>; 8]) -> Self {
        Local { d: q - p, a: [ax, ay, az], b: [bx, by, bz] }
    }
}

/// A fixed vector of a frame.
fn of(frame: &Frame, v: Vec3) -> Point<8> {
    frame[0] * v.x + frame[1] * v.y + frame[2] * v.z
}

/// What follows from the angle of the second of three hinges.
struct Middle {
    /// n_1 seen from after the second hinge, n_3 seen from before it.
    m1: Point<8>,
    m3: Point<8>,
}

/// Kinds of coordinates for every pattern of six: bit i is set where freedom i is a hinge.
static PATTERNS: [[CoordinateKind; 6]; 64] = {
    let mut all = [[CoordinateKind::Length; 6]; 64];
    let mut n = 0;
    while n < 64 {
        let mut i = 0;
        while i < 6 {
            if n >> i & 1 == 1 {
                all[n][i] = CoordinateKind::Angle;
            }
            i += 1;
        }
        n += 1;
    }
    all
};

impl Serial {
    /// Joins two markers that coincide when all coordinates are zero; the first freedom is next to `a`.
    pub fn new(a: Marker, b: Marker, freedoms: impl Into<Vec<Freedom>>) -> Self {
        let mut freedoms = freedoms.into();
        for f in &mut freedoms {
            if let Freedom::Slide { axis } | Freedom::Hinge { axis, .. } = f {
                *axis = axis.normalize();
            }
        }
        // everything is measured from a point that as many of the axes as possible pass through: the first of them
        let common = freedoms.iter().find_map(|f| match f {
            Freedom::Hinge { point, .. } | Freedom::Ball { point } => Some(*point),
            Freedom::Slide { .. } => None,
        });
        let common = common.unwrap_or(Vec3::ZERO);
        let (mut hinges, mut slides, mut ball) = (Vec::new(), Vec::new(), None);
        for f in &freedoms {
            match *f {
                Freedom::Slide { axis } => slides.push((axis, hinges.len() + usize::from(ball.is_some()))),
                Freedom::Hinge { axis, point } => hinges.push((axis, point - common)),
                Freedom::Ball { point } => ball = Some(point - common),
            }
        }
        let shifted = |m: &Marker| Marker { point: m.point + m.axes * common, ..*m };
        let (a, b) = (shifted(&a), shifted(&b));
        let mut attachments = vec![a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()];
        let carried = |m: &Marker, v: Vec3| Attachment::direction(m.body, m.axes * v);
        match hinges[..] {
            [(n, _)] => {
                let (u, v) = perpendicular(n);
                attachments.extend([carried(&a, u), carried(&a, v), carried(&b, u), carried(&b, n)]);
            }
            [(n, _), (m, _)] => {
                let (u, w) = ((m - n * n.dot(m)).normalize(), (n - m * n.dot(m)).normalize());
                attachments.extend([u, n.cross(u), n].map(|e| carried(&a, e)));
                attachments.extend([m, w, -m.cross(w)].map(|e| carried(&b, e)));
            }
            [_, _, _] => attachments.extend([a.spin(), b.spin()]),
            _ => {}
        }
        Serial { attachments, markers: (a, b), freedoms, hinges, slides, ball }
    }

    fn n_rotation(&self) -> usize {
        if self.ball.is_some() { 0 } else { 3usize.saturating_sub(self.hinges.len()) }
    }

    /// Number of the frame next to b.
    fn last(&self) -> usize {
        self.hinges.len() + usize::from(self.ball.is_some())
    }

    /// Do all axes of rotation pass through one point, with nothing else?
    fn at_one_point(&self) -> bool {
        self.slides.is_empty() && self.hinges.iter().all(|h| h.1 == Vec3::ZERO)
    }

    fn middle(&self, l: &Local) -> Middle {
        let (n1, n2, n3) = (self.hinges[0].0, self.hinges[1].0, self.hinges[2].0);
        let k = n1.dot(n2) * n2.dot(n3);
        let (p, q) = (n1.dot(n3) - k, n1.dot(n2.cross(n3)));
        let r = (p * p + q * q).sqrt();
        let (cos_phase, sin_phase) = (p / r, q / r);
        let x = (of(&l.a, n1).dot(of(&l.b, n3)) - k) / r;
        let y = (1.0 - x * x).sqrt() * -q.signum();
        let (cos, sin) = (x * cos_phase - y * sin_phase, x * sin_phase + y * cos_phase);
        let turned = |v: Vec3, sign: f64| {
            let along = n2 * n2.dot(v);
            let fixed = |v: Vec3| Point::<8>::constant(v);
            fixed(along) + fixed(v - along) * cos + fixed(n2.cross(v)) * (sin * sign)
        };
        let (m1, m3) = (turned(n1, -1.0), turned(n3, 1.0));
        Middle { m1, m3 }
    }

    /// Frame `i` of those between the bodies.
    fn frame(&self, l: &Local, i: usize) -> Frame {
        if i == 0 {
            return l.a;
        }
        if i == self.last() {
            return l.b;
        }
        let n = self.hinges.len();
        let (first, last) = (of(&l.a, self.hinges[0].0), of(&l.b, self.hinges[n - 1].0));
        let across = first.cross(last);
        if n == 2 {
            let (n1, n2) = (self.hinges[0].0, self.hinges[1].0);
            let inverse = Mat3::from_cols(n1, n2, n1.cross(n2)).inverse();
            return [inverse.x_axis, inverse.y_axis, inverse.z_axis].map(|c| first * c.x + last * c.y + across * c.z);
        }
        let m = self.middle(l);
        let fixed = |v: Vec3| Point::<8>::constant(v);
        let (u, w) = if i == 1 { (fixed(self.hinges[0].0), m.m3) } else { (m.m1, fixed(self.hinges[2].0)) };
        let g = u.dot(w);
        let over = 1.0 / (1.0 - g * g);
        let normal = u.cross(w);
        [Vec3::X, Vec3::Y, Vec3::Z].map(|x| {
            let (xu, xw) = (u.along(x), w.along(x));
            first * ((xu - g * xw) * over) + last * ((xw - g * xu) * over) + across * (normal.along(x) * over)
        })
    }

    /// What the hinges leave of the way from a to b: the slides' part.
    fn rest(&self, l: &Local) -> Point<8> {
        let mut rest = l.d;
        if let Some(p) = self.ball.filter(|p| *p != Vec3::ZERO) {
            rest = rest - of(&l.a, p) + of(&l.b, p);
        }
        for (i, (_, p)) in self.hinges.iter().enumerate().filter(|(_, h)| h.1 != Vec3::ZERO) {
            rest = rest - of(&self.frame(l, i), *p) + of(&self.frame(l, i + 1), *p);
        }
        rest
    }

    fn slide(&self, l: &Local, j: usize) -> Point<8> {
        let (axis, frame) = self.slides[j];
        of(&self.frame(l, frame), axis)
    }

    /// Translation rows; those beyond their number are zero.
    fn translation(&self, l: &Local) -> [Num<8>; 3] {
        let rest = self.rest(l);
        let none = Num::<8>::constant(0.0);
        match self.slides.len() {
            0 => [rest.x, rest.y, rest.z],
            1 => {
                let (axis, frame) = self.slides[0];
                let (u, v) = perpendicular(axis);
                let frame = self.frame(l, frame);
                [of(&frame, u).dot(rest), of(&frame, v).dot(rest), none]
            }
            2 => [self.slide(l, 0).cross(self.slide(l, 1)).dot(rest), none, none],
            _ => [none; 3],
        }
    }

    fn slide_coordinate(&self, l: &Local, j: usize) -> Num<8> {
        let rest = self.rest(l);
        match self.slides.len() {
            1 => self.slide(l, 0).dot(rest),
            2 => {
                let (s, other) = (self.slide(l, j), self.slide(l, 1 - j));
                let n = s.cross(other);
                rest.cross(other).dot(n) / n.dot(n)
            }
            _ => {
                let n = self.slide(l, (j + 1) % 3).cross(self.slide(l, (j + 2) % 3));
                rest.dot(n) / self.slide(l, j).dot(n)
            }
        }
    }

    /// The angle of hinge `i` and its derivatives.
    fn measure_hinge(&self, a: &View, i: usize, out: &mut Measure) {
        match self.hinges.len() {
            1 => out.angle(a, 8, 9, 10),
            2 if i == 0 => out.angle(a, 8, 9, 11),
            2 => out.angle(a, 12, 13, 10),
            _ => self.measure_one_of_three(a, i, out),
        }
    }

    /// Three hinges leave the spin free, so that their rates follow from it. With the axes E_i as they stand now, each
    /// carried by what lies before it (the last by b),
    ///
    /// ```text
    /// w = w_b - w_a = sum_i E_i q_i'       g_i = E_j × E_k / det E       q_i' = g_i . w
    /// q_i'' = g_i . (w' - w_a × E_1 q_1' - (w_a + E_1 q_1') × E_2 q_2' - w_b × E_3 q_3')
    /// ```
    fn measure_one_of_three(&self, a: &View, i: usize, out: &mut Measure) {
        let frame = |k: usize| Mat3::from_cols(a.at(k), a.at(k + 1), a.at(k + 2));
        let (r_a, r_b) = (frame(2), frame(5));
        let (n1, n2, n3) = (self.hinges[0].0, self.hinges[1].0, self.hinges[2].0);
        let (e1, e3) = (r_a * n1, r_b * n3);
        let k = n1.dot(n2) * n2.dot(n3);
        let (p, q) = (n1.dot(n3) - k, n1.dot(n2.cross(n3)));
        let r = (p * p + q * q).sqrt();
        let x = (e1.dot(e3) - k) / r;
        let y = -q.signum() * (1.0 - x * x).sqrt();
        let (cos, sin) = ((x * p - y * q) / r, (x * q + y * p) / r);
        let turned = |v: Vec3, sin: f64| {
            let along = n2 * n2.dot(v);
            along + (v - along) * cos + n2.cross(v) * sin
        };
        let (m1, m3) = (turned(n1, -sin), turned(n3, sin));
        let angle = |n: Vec3, m: Vec3, e: Vec3| {
            let (u, v) = perpendicular(n);
            libm::atan2(v.dot(e), u.dot(e)) - libm::atan2(v.dot(m), u.dot(m))
        };
        let value = match i {
            0 => angle(n1, m3, r_a.transpose() * e3),
            1 => libm::atan2(sin, cos),
            _ => -angle(n3, m1, r_b.transpose() * e1),
        };
        // the middle axis, by what it makes with the two others
        let g = n1.dot(m3);
        let (along1, along3, across) = (n2.dot(n1), n2.dot(m3), n2.dot(n1.cross(m3)));
        let e2 = (e1 * (along1 - g * along3) + e3 * (along3 - g * along1) + e1.cross(e3) * across) / (1.0 - g * g);
        let det = e1.dot(e2.cross(e3));
        let dual = [e2.cross(e3) / det, e3.cross(e1) / det, e1.cross(e2) / det];
        let (w_a, w_b) = (a.rate(8), a.rate(9));
        let rates = dual.map(|d| d.dot(w_b - w_a));
        let bias = w_a.cross(e1) * rates[0] + (w_a + e1 * rates[0]).cross(e2) * rates[1] + w_b.cross(e3) * rates[2];
        out.set(unwrap_angle(value, 0.0), -dual[i].dot(bias));
        out.gradient(8, -dual[i]);
        out.gradient(9, dual[i]);
    }
}

impl Constraint for Serial {
    fn kind(&self) -> &'static str {
        "serial"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3usize.saturating_sub(self.slides.len()) + self.n_rotation()
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers.0, &self.markers.1)?;
        for f in &self.freedoms {
            let (axis, point) = match *f {
                Freedom::Slide { axis } => (axis, Vec3::ZERO),
                Freedom::Hinge { axis, point } => (axis, point),
                Freedom::Ball { point } => (Vec3::Z, point),
            };
            if !axis.is_finite() {
                return Err("the axis of a freedom has zero length or is not finite".into());
            }
            if !point.is_finite() {
                return refuse!("freedoms", "the point of a freedom is {point}, must be finite");
            }
        }
        let balls = self.freedoms.iter().filter(|f| matches!(f, Freedom::Ball { .. })).count();
        if balls > 1 || (balls == 1 && !self.hinges.is_empty()) {
            return Err("a ball leaves nothing to other hinges, must be the only one".into());
        }
        if self.hinges.len() > 3 || self.slides.len() > 3 {
            return refuse!(
                "freedoms",
                "has {} hinges and {} slides, must have at most 3 of each",
                self.hinges.len(),
                self.slides.len()
            );
        }
        let axis = |i: usize| self.hinges[i].0;
        let apart = match self.hinges.len() {
            2 => axis(0).cross(axis(1)).length(),
            3 => axis(0).dot(axis(1).cross(axis(2))).abs(),
            _ => 1.0,
        };
        if apart < 1e-6 {
            return refuse!(
                "freedoms",
                "hinge axes are parallel or lie in one plane ({apart:.1e}, must be above 1e-6)"
            );
        }
        let slide = |i: usize| self.slides[i].0;
        let apart = match self.slides.len() {
            2 => slide(0).cross(slide(1)).length(),
            3 => slide(0).dot(slide(1).cross(slide(2))).abs(),
            _ => 1.0,
        };
        if apart < 1e-6 {
            return refuse!("freedoms", "slides are parallel or lie in one plane ({apart:.1e}, must be above 1e-6)");
        }
        Ok(())
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let n = 3 - self.slides.len();
        if self.at_one_point() {
            out.coincide(0, numbered(a, 0), numbered(a, 1));
        } else {
            match n {
                3 => out.write::<8, 3>(0, a, t, |inputs, _| self.translation(&Local::new(inputs))),
                2 => out.write::<8, 2>(0, a, t, |inputs, _| {
                    let [x, y, _] = self.translation(&Local::new(inputs));
                    [x, y]
                }),
                1 => out.write::<8, 1>(0, a, t, |inputs, _| [self.translation(&Local::new(inputs))[0]]),
                _ => {}
            }
        }
        match self.n_rotation() {
            3 => out.same_axes(n, [2, 3, 4].map(|k| numbered(a, k)), [5, 6, 7].map(|k| numbered(a, k))),
            2 => out.parallel(n, [numbered(a, 8), numbered(a, 9)], numbered(a, 11)),
            1 => {
                out.perpendicular(n, -1.0, numbered(a, 10), numbered(a, 11));
                out.row(n).gap += self.hinges[0].0.dot(self.hinges[1].0);
            }
            _ => {}
        }
    }
    fn lock_shape(&self) -> Option<LockShape> {
        (self.at_one_point() && self.n_rotation() == 0).then_some(LockShape { mask: Mask(0b000_111), aligned: true })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::at_point_only(a)
    }
    fn lock_is_plain(&self) -> bool {
        true
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        if self.ball.is_some() {
            // its slides only
            return &PATTERNS[0][..self.slides.len().min(6)];
        }
        let hinge = |f: &Freedom| usize::from(matches!(f, Freedom::Hinge { .. }));
        let pattern = self.freedoms.iter().take(6).enumerate().map(|(i, f)| hinge(f) << i).sum::<usize>();
        &PATTERNS[pattern][..self.freedoms.len().min(6)]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        let moving = || self.freedoms.iter().filter(|f| !matches!(f, Freedom::Ball { .. }));
        let hinge = |f: &&Freedom| matches!(f, Freedom::Hinge { .. });
        let Some(this) = moving().nth(i) else { return };
        let is_hinge = hinge(&this);
        let before = moving().take(i).filter(|f| hinge(f) == is_hinge).count();
        if is_hinge {
            self.measure_hinge(a, before, out);
        } else {
            out.write::<8>(a, |inputs| self.slide_coordinate(&Local::new(inputs), before));
        }
    }
    fn branch(&self, a: &View) -> f64 {
        match self.n_rotation() {
            3 => agreement(a),
            2 => a.at(8).cross(a.at(9)).dot(a.at(11)),
            _ => 1.0,
        }
    }
}

/// Three freedoms, so that three rows are left.
fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Serial {
    let near = |e: Vec3, g: &mut SplitMix| e + g.vec3(0.3);
    let hinge = |axis: Vec3, g: &mut SplitMix| Freedom::Hinge { axis, point: g.vec3(0.2) };
    let skew = |e: Vec3, g: &mut SplitMix| hinge(near(e, g), g);
    let slide = |e: Vec3, g: &mut SplitMix| Freedom::Slide { axis: near(e, g) };
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    let freedoms = match g.below(6) {
        // away from where the joint holds, only perpendicular axes reach every orientation
        0 => [hinge(x, g), hinge(y, g), hinge(z, g)],
        1 => [slide(x, g), skew(y, g), skew(z, g)],
        2 => [skew(x, g), slide(y, g), skew(z, g)],
        3 => [skew(x, g), slide(y, g), slide(z, g)],
        4 => [slide(x, g), slide(y, g), skew(z, g)],
        _ => [skew(z, g), skew(y, g), slide(x, g)],
    };
    Serial::new(a, b, freedoms)
}

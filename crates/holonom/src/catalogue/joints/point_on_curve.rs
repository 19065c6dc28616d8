//! Point on curve: a point of b stays on a curve fixed to a; b turns freely. A bead on a wire.
//!
//! With q the coordinates of p_b in the axes of marker a and s the parameter of the point of the curve nearest to it,
//!
//! ```text
//! q = (x_a . d, y_a . d, z_a . d),   d = p_b - p_a
//! g(q, s) = (q - r(s)) . r'(s) = 0                            defines s(q)
//! C_i = n_i . (q - r(s)),    i = 1, 2,     n_1, n_2, r'(s)/|r'(s)| orthonormal
//! ```
//!
//! The curve finds s by itself (`curves/track.rs`). Its derivatives follow from g = 0: with s = s_0 + e, r and r' as
//! Taylor polynomials in e (up to r''', as e has no value, only derivatives), and h = -dg/ds = r' . r' - (q - r) . r''
//! a plain number,
//!
//! ```text
//! e <- e + g(q, s_0 + e) / h
//! ```
//!
//! makes one more order of e exact every time: two times give the second derivatives. h is zero where q is at a centre
//! of curvature: there, and where two points of the curve are equally near, the rows have no derivatives. A mechanism
//! that holds never comes near: q is on the curve.
//!
//! Directions. n_2 = t × k made one long, n_1 = n_2 × t, with t = r'/|r'| and k that axis of the marker which t is
//! least along. Where another k takes over, the two rows turn by a fixed angle in the plane that they span. Gaps and
//! rates are zero there and stay so, the motion and the reaction do not change; only the two multipliers are numbers
//! along other directions from there on. C depends on the shape of the curve alone, not on its parameter.
//!
//! Ends. An open curve goes on along its tangents, so that a bead runs off on a straight line. The curvature jumps
//! there, and with it the force.
//!
//! Coordinate: length of arc from the start of the curve to the nearest point (m); negative before the start of an open
//! curve, and on a closed one from 0 to its length, where it starts again. Its rate is |r'| ds/dt.

use super::{AXES_A, Constraint, CoordinateKind, Glyph, JointDeclaration, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::curves::{self, CURVES, Circle, CubicSpline, Curve, Helix, Nurbs, Track};
use crate::catalogue::declaration::{FieldType, Invalid, Kind, Make, required};
use crate::math::number::{Gradient, Number, Point, Vector};
use crate::math::{SplitMix, Vec3, vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "point-on-curve",
        summary: "keeps a point of b on a curve fixed to a, a bead on a wire. Coordinate: the length of arc from its start",
        fields: &[POINTS, AXES_A, &[required("curve", FieldType::Kind(&CURVES), "the curve, in the axes of a")]],
        make: Make::Joint(|p| Ok(Box::new(PointOnCurve::on(p.a(), p.b(), curves::given(p, "curve")?)))),
    },
    label: "Point on curve",
    rows: 2,
    coordinates: &[("length of arc", CoordinateKind::Length)],
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// Keeps a point of b on a curve fixed to marker a.
///
/// ```
/// use holonom::curves::CubicSpline;
/// use holonom::prelude::*;
///
/// let rail = CubicSpline::natural(&[vec3(0.0, 0.0, 2.0), vec3(1.0, 0.0, 1.0), vec3(2.0, 0.5, 1.2), vec3(3.0, 0.5, 0.5)]);
/// let mut m = ModelBuilder::new();
/// let car = m.body("car", Particle::new(1.0, [0.0, 0.0, 2.0]));
/// let rail = m.joint("rail", PointOnCurve::new(BodyId::GROUND.origin(), car.origin(), rail));
/// let mut sim = Simulation::build(m)?;
/// sim.run_until(0.5)?;
/// let (way, speed) = sim.coordinate(rail, 0).unwrap();
/// println!("{way:.3} m down the rail at {speed:.3} m/s");
/// assert!(way > 0.5 && sim.violation().0 < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PointOnCurve {
    attachments: [Attachment; 5],
    markers: [Marker; 2],
    track: Track,
}

/// The nearest point of the curve: its parameter, r with derivatives, and the parameter less its value.
struct Foot<G> {
    s: f64,
    at: [Vec3; 4],
    e: Number<G>,
}

impl PointOnCurve {
    /// The curve lies in the axes of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker, curve: impl Curve + 'static) -> Self {
        Self::on(a, b, Track::new(curve))
    }

    /// The same with a track made before, which others may share.
    pub fn on(a: Marker, b: Marker, track: Track) -> Self {
        PointOnCurve { attachments: [a.p(), b.p(), a.x(), a.y(), a.z()], markers: [a, b], track }
    }

    /// The curve.
    pub fn track(&self) -> &Track {
        &self.track
    }

    #[inline(always)]
    fn foot<G: Gradient>(&self, q: Vector<G>) -> Foot<G> {
        let p = q.value();
        let s = self.track.nearest(p);
        let [r, v, a, j] = self.track.at(s);
        let h = v.length_squared() - (p - r).dot(a);
        let mut e = Number::constant(0.0);
        for _ in 0..2 {
            let foot = Foot { s, at: [r, v, a, j], e };
            // the value of g is rounding: s stays where it is
            let g = (q - foot.point()).dot(foot.tangent());
            e += Number { value: 0.0, ..g / h };
        }
        Foot { s, at: [r, v, a, j], e }
    }
}

impl<G: Gradient> Foot<G> {
    /// r(s).
    #[inline(always)]
    fn point(&self) -> Vector<G> {
        let [r, v, a, _] = self.at;
        Vector::constant(v) * self.e + Vector::constant(a) * (self.e * self.e * 0.5) + r
    }

    /// r'(s).
    #[inline(always)]
    fn tangent(&self) -> Vector<G> {
        let [_, v, a, j] = self.at;
        Vector::constant(a) * self.e + Vector::constant(j) * (self.e * self.e * 0.5) + v
    }
}

/// The point of b in the axes of a, from the attachments [p_a, p_b, x_a, y_a, z_a].
#[inline(always)]
pub(super) fn in_first([p, q, x, y, z]: [Point<5>; 5]) -> Point<5> {
    let d = q - p;
    Vector::new(x.dot(d), y.dot(d), z.dot(d))
}

impl Constraint for PointOnCurve {
    fn kind(&self) -> &'static str {
        "point-on-curve"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        2
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers[0], &self.markers[1])?;
        self.track.validate()
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write(0, a, t, |at, _| {
            let q = in_first(at);
            let foot = self.foot(q);
            let along = foot.tangent().normalize();
            let k = along.value().abs();
            let least = if k.x <= k.y && k.x <= k.z {
                Vec3::X
            } else if k.y <= k.z {
                Vec3::Y
            } else {
                Vec3::Z
            };
            let second = along.cross(Vector::constant(least)).normalize();
            let first = second.cross(along);
            let off = q - foot.point();
            [first.dot(off), second.dot(off)]
        });
        for i in 0..2 {
            out.row(i).rate_t = 0.0; // but for rounding it was: time does not come in
        }
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length]
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        out.write(a, |at| {
            let foot = self.foot(in_first(at));
            let [_, v, bend, _] = foot.at;
            let speed = v.length();
            foot.e.lift([self.track.arc(foot.s), speed, v.dot(bend) / speed])
        });
    }
}

/// Along z, bent gently: centres of curvature are metres away.
fn wavy(n: usize, g: &mut SplitMix) -> Vec<Vec3> {
    (0..n).map(|i| vec3(g.symmetric(0.08), g.symmetric(0.08), i as f64 - 0.5 * n as f64)).collect()
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> PointOnCurve {
    match g.below(5) {
        0 => PointOnCurve::new(a, b, Circle { radius: 2.5 + g.unit() }),
        1 => PointOnCurve::new(a, b, Nurbs::circle(2.5 + g.unit())),
        2 => PointOnCurve::new(a, b, Helix { radius: 2.5 + g.unit(), pitch: 4.0, turns: 1.5 }),
        3 => PointOnCurve::new(a, b, CubicSpline::natural(&wavy(6, g))),
        _ => PointOnCurve::new(a, b, Nurbs::clamped(4, &wavy(8, g))),
    }
}

//! Point on surface: a point of b stays on a surface fixed to a; b turns freely.
//!
//! With q the coordinates of p_b in the axes of marker a, d = p_b - p_a, q = (x_a . d, y_a . d, z_a . d):
//!
//! ```text
//! surface f(x) = 0     C = f(q) / |grad f(q)|             the distance from the surface to first order (m), positive outside; inside, where
//!                                                         the gradient may vanish, with a denominator that does not
//! patch r(u, v)        C = n . (q - r(u, v))              the distance itself, (u, v) being the nearest point; positive on the side of
//!                                                         n = r_u × r_v / |r_u × r_v|
//! ```
//!
//! The first follows the chain rule, with the derivatives of f up to the third (`surfaces.rs`). For the second, the
//! gradient of a distance is the normal n at the nearest point, so its second derivative is the turning of n as the
//! nearest point moves:
//!
//! ```text
//! g_ij = r_i . r_j      b_ij = n . r_ij      (g - C b) (u', v') = w = (r_u . q', r_v . q')       motion of the nearest point
//! n_i = - sum_jk b_ij (g^-1)_jk r_k          C'' = n . q'' + q' . (n_u u' + n_v v') = n . q'' - (g^-1 w) . b (u', v')
//! ```
//!
//! Third derivatives of r drop out. g - C b is singular where q is at a centre of curvature of the patch, and f of a
//! torus on its axis: a mechanism that holds never comes near, as q is on the surface. Beyond its edges a patch goes on
//! straight.

use super::point_on_curve::in_first;
use super::{AXES_A, Constraint, Glyph, JointDeclaration, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::curves::{NurbsSurface, Sheet};
use crate::catalogue::declaration::{FieldType, Invalid, Kind, Make, required};
use crate::catalogue::surfaces::{self, Inside, Plane, Quadric, SURFACES, Surface, SurfaceGuide, Torus, lifted};
use crate::math::number::{Num, Point};
use crate::math::{SplitMix, Vec3, vec3};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "point-on-surface",
        summary: "keeps a point of b on a surface fixed to a",
        fields: &[POINTS, AXES_A, &[required("surface", FieldType::Kind(&SURFACES), "the surface, in the axes of a")]],
        make: Make::Joint(|p| {
            Ok(match surfaces::given(p, "surface")? {
                SurfaceGuide::Implicit(surface) => Box::new(PointOnSurface::new(p.a(), p.b(), surface)),
                SurfaceGuide::Sheet(sheet) => Box::new(PointOnSurface::patch(p.a(), p.b(), sheet)),
            })
        }),
    },
    label: "Point on surface",
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// Keeps a point of b on a surface fixed to marker a.
#[derive(Clone)]
pub struct PointOnSurface {
    attachments: [Attachment; 5],
    markers: [Marker; 2],
    shape: Shape,
}

#[derive(Clone)]
enum Shape {
    Implicit(Arc<dyn Surface>),
    Patch(Sheet),
}

impl PointOnSurface {
    /// The surface lies in the axes of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker, surface: impl Surface + 'static) -> Self {
        Self::on(a, b, Shape::Implicit(Arc::new(surface)))
    }

    /// The same on a parametric surface, such as a NURBS surface.
    pub fn patch(a: Marker, b: Marker, sheet: Sheet) -> Self {
        Self::on(a, b, Shape::Patch(sheet))
    }

    fn on(a: Marker, b: Marker, shape: Shape) -> Self {
        PointOnSurface { attachments: [a.p(), b.p(), a.x(), a.y(), a.z()], markers: [a, b], shape }
    }
}

/// Distance of a moving point from a patch.
fn distance(sheet: &Sheet, q: Point<5>) -> Num<5> {
    let (p, rate) = (q.value(), q.rate());
    let [u, v] = sheet.nearest(p);
    let j = sheet.at(u, v);
    let n = j.normal();
    let c = n.dot(p - j.r);
    let g = [j.u.dot(j.u), j.u.dot(j.v), j.v.dot(j.v)];
    let b = [n.dot(j.uu), n.dot(j.uv), n.dot(j.vv)];
    let w = [j.u.dot(rate), j.v.dot(rate)];
    let moved = solve([g[0] - c * b[0], g[1] - c * b[1], g[2] - c * b[2]], w);
    let w = solve(g, w);
    let bend = w[0] * (b[0] * moved[0] + b[1] * moved[1]) + w[1] * (b[1] * moved[0] + b[2] * moved[1]);
    lifted(&q, c, n, -bend)
}

/// Solution of [a b; b c] x = w.
fn solve([a, b, c]: [f64; 3], w: [f64; 2]) -> [f64; 2] {
    let det = a * c - b * b;
    [(c * w[0] - b * w[1]) / det, (a * w[1] - b * w[0]) / det]
}

impl Constraint for PointOnSurface {
    fn kind(&self) -> &'static str {
        "point-on-surface"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers[0], &self.markers[1])?;
        match &self.shape {
            Shape::Implicit(surface) => surface.validate(),
            Shape::Patch(sheet) => sheet.validate(),
        }
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write(0, a, t, |at, _| {
            let q = in_first(at);
            match &self.shape {
                Shape::Implicit(surface) => [surfaces::distance(surface.as_ref(), &q)],
                Shape::Patch(sheet) => [distance(sheet, q)],
            }
        });
        out.row(0).rate_t = 0.0; // but for rounding it was: time does not come in
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> PointOnSurface {
    let r = 0.9 + g.unit();
    match g.below(5) {
        0 => PointOnSurface::new(a, b, Plane),
        1 => PointOnSurface::new(a, b, Quadric::ellipsoid([r, 1.0, 1.3])),
        2 => PointOnSurface::new(a, b, Inside(Quadric::cylinder(r))),
        3 => PointOnSurface::new(a, b, Torus { ring: 1.0 + r, tube: 0.8 }),
        _ => {
            let points: Vec<Vec3> =
                (0..30).map(|k| vec3((k / 6) as f64 - 2.0, (k % 6) as f64 - 2.5, g.symmetric(0.08))).collect();
            PointOnSurface::patch(a, b, Sheet::new(NurbsSurface::clamped([3, 3], [5, 6], &points)))
        }
    }
}

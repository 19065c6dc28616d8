//! Tangency: two smooth surfaces f_a = 0 and f_b = 0, fixed to a and b, touch; they slide and roll freely.
//!
//! The gap is the distance between the surfaces along their common normal, negative where they overlap. In world axes,
//! with y the point of a and z that of b, and gradients that point outwards:
//!
//! ```text
//! unknown   y (3),  gap C,  mu            n = grad f_a(y) / |grad f_a(y)|,     z = y + C n
//! F = (f_a(y),   f_b(z),   n + mu grad f_b(z)) = 0                five equations; mu > 0: the normals are opposite
//! ```
//!
//! They are solved afresh at every evaluation by Newton's method with shortened steps, to rounding, from a start that
//! depends on the pose alone: y near the origin of marker b, z near that y, y near that z (where the normals there are
//! not opposed, the far side of one of the two, seen from its marker). Where that leads nowhere, as between long thin
//! bodies, the surfaces are grown: level sets f = c of an ellipsoid are smaller ellipsoids, and two tiny ones face each
//! other along the line of their centres, which is followed up to their size. Between convex bodies that do not overlap
//! much there is one pair only.
//!
//! Derivatives of C by everything that moves follow from F = 0: with unknowns that carry derivatives and the inverse of
//! the Jacobian of F as plain numbers,
//!
//! ```text
//! unknown <- unknown - (dF/d unknown)^-1 F(unknown, pose)
//! ```
//!
//! makes one more order exact every time, so two times give the second derivatives. Third derivatives of f are needed
//! for that of n.
//!
//! With N = dn/dy = (1 - n n^T) H_a / |grad f_a| and dz = (1 + C N) dy + n dC:
//!
//! ```text
//! dF = [ g_a^T                        0           0   ]
//!      [ g_b^T (1 + C N)              g_b . n     0   ]
//!      [ N + mu H_b (1 + C N)         mu H_b n    g_b ]
//! ```
//!
//! It is singular where the nearest pair is not unique: a plane on a plane or on a cylinder (refused when the model is
//! built), parallel cylinders, a ball at the centre of a bowl of its own curvature. There, and where Newton's method
//! finds no pair (surfaces that overlap so far that their near sides have changed places), the gap is infinite: a model
//! cannot start there, and a step fails with an error. Surfaces are taken as a whole, so two rings that are linked have
//! several common normals: the one found from the start is used.

use super::{AXES_A, AXES_B, Constraint, Glyph, JointDeclaration, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Field, FieldType, Invalid, Kind, Make, Parameters, required};
use crate::catalogue::surfaces::{self, Plane, Quadric, SURFACES, Surface, SurfaceGuide, lift};
use crate::math::number::{Gradient, Number, Vector};
use crate::math::{Mat3, SplitMix, Vec3, vec3};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "tangency",
        summary: "keeps two smooth surfaces in touch; they slide and roll freely",
        fields: &[POINTS, AXES_A, AXES_B, TOUCHING],
        make: Make::Joint(|p| Ok(Box::new(touching(p)?))),
    },
    label: "Tangency",
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// The surfaces that touch.
pub(super) static TOUCHING: &[Field] = &[
    required("surface_a", FieldType::Kind(&SURFACES), "the surface of a, in its axes"),
    required("surface_b", FieldType::Kind(&SURFACES), "the surface of b, in its axes"),
];

fn touching(p: &dyn Parameters) -> Result<SurfaceTangency, Invalid> {
    let [on_a, on_b] = given_surfaces(p)?;
    Ok(SurfaceTangency::new(p.a(), on_a, p.b(), on_b))
}

/// The surfaces of a and b as a file gives them.
pub(super) fn given_surfaces(p: &dyn Parameters) -> Result<[Arc<dyn Surface>; 2], Invalid> {
    let implicit = |field: &str| match surfaces::given(p, field)? {
        SurfaceGuide::Implicit(surface) => Ok(surface),
        SurfaceGuide::Sheet(_) => Err(Invalid::new(field, format!("`{field}` cannot be a NURBS patch"))
            .help("a plane, sphere, ellipsoid, cylinder or torus; a patch can guide a point")),
    };
    let (on_a, on_b) = (implicit("surface_a")?, implicit("surface_b")?);
    if on_a.straight() + on_b.straight() > 2 {
        let message = "a plane on a plane or on a cylinder touches at no single point";
        return Err(Invalid::new("surface_b", message).label("must be curved more"));
    }
    Ok([on_a, on_b])
}

/// Keeps two smooth surfaces, fixed to markers a and b, in touch at one point, without friction.
#[derive(Clone)]
pub struct SurfaceTangency {
    attachments: [Attachment; 8],
    markers: [Marker; 2],
    surfaces: [Arc<dyn Surface>; 2],
}

impl SurfaceTangency {
    /// Each surface lies in the axes of its marker. For a ball in a bowl, one of them is
    /// [`crate::catalogue::surfaces::Inside`].
    pub fn new(a: Marker, on_a: impl Surface + 'static, b: Marker, on_b: impl Surface + 'static) -> Self {
        SurfaceTangency {
            attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()],
            markers: [a, b],
            surfaces: [Arc::new(on_a), Arc::new(on_b)],
        }
    }
}

fn sides<'s>(surfaces: &'s [Arc<dyn Surface>; 2], a: &View) -> [Side<'s>; 2] {
    [0, 1].map(|k| Side {
        surface: surfaces[k].as_ref(),
        p: a.at(k),
        axes: Mat3::from_cols(a.at(2 + 3 * k), a.at(3 + 3 * k), a.at(4 + 3 * k)),
    })
}

/// A surface where it is now. On a body that can deform the axes need not be orthonormal: the surface is where f(axes^T
/// (y - p)) = 0.
struct Side<'a> {
    surface: &'a dyn Surface,
    p: Vec3,
    axes: Mat3,
}

impl Side<'_> {
    fn local(&self, y: Vec3) -> Vec3 {
        self.axes.transpose() * (y - self.p)
    }
    fn value(&self, y: Vec3) -> f64 {
        self.surface.value(self.local(y))
    }
    fn gradient(&self, y: Vec3) -> Vec3 {
        self.axes * self.surface.gradient(self.local(y))
    }
    fn hessian(&self, y: Vec3) -> Mat3 {
        self.axes * self.surface.hessian(self.local(y)) * self.axes.transpose()
    }
    /// The point with normal `n` of the surface shrunk about its innermost point to a small part.
    fn facing(&self, n: Vec3, part: f64) -> Vec3 {
        let least = self.surface.innermost().unwrap_or(0.0);
        let n = self.axes.transpose() * n;
        let out = self.surface.hessian(Vec3::ZERO).inverse() * n;
        self.p + self.axes.transpose().inverse() * out * (part * (-2.0 * least / out.dot(n)).sqrt())
    }
    fn near(&self, y: Vec3) -> Vec3 {
        self.p + self.axes.transpose().inverse() * self.surface.near(self.local(y))
    }
}

#[derive(Clone, Copy)]
struct Unknown {
    y: Vec3,
    gap: f64,
    mu: f64,
}

/// Part of their size at which surfaces begin to grow.
const SMALL: f64 = 1e-3;

/// Values of f taken as the surfaces: zero, or less for shrunken ones.
type Levels = [f64; 2];

impl Unknown {
    /// From a pair of points whose normals are about opposite.
    fn between([a, b]: &[Side; 2], y: Vec3, z: Vec3) -> Unknown {
        let n = a.gradient(y).normalize();
        Unknown { y, gap: (z - y).dot(n), mu: 1.0 / b.gradient(z).length() }
    }

    /// F, and by how much it is off in lengths and angles (squared).
    fn residual(&self, [a, b]: &[Side; 2], levels: Levels, size: f64) -> ([f64; 5], f64) {
        let g = a.gradient(self.y);
        let n = g.normalize();
        let z = self.y + n * self.gap;
        let h = b.gradient(z);
        let (f, e, turn) = (a.value(self.y) - levels[0], b.value(z) - levels[1], n + h * self.mu);
        let (p, q) = (f / g.length() / size, e / h.length() / size);
        ([f, e, turn.x, turn.y, turn.z], p * p + q * q + turn.length_squared())
    }

    /// Inverse of dF/d(y, gap, mu).
    fn inverse(&self, [a, b]: &[Side; 2]) -> Option<[[f64; 5]; 5]> {
        let g = a.gradient(self.y);
        let n = g.normalize();
        let bend = a.hessian(self.y) * (1.0 / g.length());
        let across = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
        let turn = bend - across * bend;
        let h = b.gradient(self.y + n * self.gap);
        let curved = b.hessian(self.y + n * self.gap) * self.mu;
        let moved = Mat3::IDENTITY + turn * self.gap;
        let (second, rest, by_gap) = (moved.transpose() * h, turn + curved * moved, curved * n);
        let mut m = [[0.0; 10]; 5];
        for k in 0..3 {
            m[0][k] = g[k];
            m[1][k] = second[k];
            for i in 0..3 {
                m[2 + i][k] = rest.col(k)[i];
            }
            m[2 + k][3] = by_gap[k];
            m[2 + k][4] = h[k];
        }
        m[1][3] = h.dot(n);
        invert(m)
    }

    /// The common normal, to rounding: straight from the near sides, or by growing the surfaces where that does not
    /// lead to one or leads deep inside. Of two, the one with the larger gap.
    fn solve(sides: &[Side; 2]) -> Option<Unknown> {
        let direct = Self::direct(sides);
        if let Some((u, size)) = direct
            && u.gap > -0.02 * size
        {
            return Some(u);
        }
        match (direct, Self::grown(sides)) {
            (Some((u, _)), Some(v)) => Some(if v.gap > u.gap { v } else { u }),
            (u, v) => v.or(u.map(|u| u.0)),
        }
    }

    /// From the near sides; and the size of what was searched.
    fn direct(sides: &[Side; 2]) -> Option<(Unknown, f64)> {
        let [a, b] = sides;
        let y = a.near(b.p);
        let z = b.near(y);
        let y = a.near(z);
        // the near sides; then, for surfaces that overlap far, the far side of one of them
        let (y_far, z_far) = (a.near(2.0 * a.p - y), b.near(2.0 * b.p - z));
        let starts = [(y, z), (y, z_far), (y_far, z)];
        let facing = |&(y, z): &(Vec3, Vec3)| a.gradient(y).dot(b.gradient(z)) < 0.0;
        starts.into_iter().filter(facing).find_map(|(y, z)| {
            let size = (y - a.p).length().max((z - b.p).length());
            Some((Self::between(sides, y, z).converge(sides, [0.0; 2], size, 1e-15)?, size))
        })
    }

    /// From surfaces so small that they face each other along the line of their centres, grown step by step to their
    /// size.
    fn grown(sides: &[Side; 2]) -> Option<Unknown> {
        let [a, b] = sides;
        let least = [a.surface.innermost(), b.surface.innermost()];
        let n = match least {
            [None, None] => return None,
            [Some(_), Some(_)] => b.p - a.p,
            [None, Some(_)] => a.gradient(a.near(b.p)),
            [Some(_), None] => -b.gradient(b.near(a.p)),
        };
        let n = n.normalize();
        let mut part = SMALL;
        let mut y = if least[0].is_some() { a.facing(n, part) } else { a.near(b.p) };
        let mut z = if least[1].is_some() { b.facing(-n, part) } else { b.near(a.p) };
        let mut growth = 2.0_f64;
        let mut u = Self::between(sides, y, z);
        for _ in 0..500 {
            let levels = least.map(|f| f.unwrap_or(0.0) * (1.0 - part * part));
            let size = [(y, a.p, least[0]), (z, b.p, least[1])]
                .map(|(x, p, f)| if f.is_some() { (x - p).length() } else { 0.0 });
            let precision = if part == 1.0 { 1e-15 } else { 1e-6 };
            let found = u.converge(sides, levels, size[0].max(size[1]), precision);
            // where the last growth was too much, take back some of it
            let (from, next) = match found {
                Some(v) if part == 1.0 => return Some(v),
                Some(v) => {
                    y = v.y;
                    z = v.y + a.gradient(v.y).normalize() * v.gap;
                    growth = (growth * growth.sqrt()).min(2.0);
                    (part, (part * growth).min(1.0))
                }
                None if growth > 1.0001 && part > SMALL => {
                    let from = part / growth;
                    growth = growth.sqrt();
                    (from, from * growth)
                }
                None => return None,
            };
            let scale = next / from;
            let scaled = |x: Vec3, p: Vec3, f: Option<f64>| if f.is_some() { p + (x - p) * scale } else { x };
            u = Self::between(sides, scaled(y, a.p, least[0]), scaled(z, b.p, least[1]));
            part = next;
        }
        None
    }

    /// Newton's method, until steps are below a part of `size`.
    fn converge(self, sides: &[Side; 2], levels: Levels, size: f64, precision: f64) -> Option<Unknown> {
        let mut u = self;
        let (mut f, mut off) = u.residual(sides, levels, size);
        let mut last = f64::INFINITY;
        for _ in 0..60 {
            let inverse = u.inverse(sides)?;
            let d = inverse.map(|row| -(0..5).map(|k| row[k] * f[k]).sum::<f64>());
            let step = Vec3::new(d[0], d[1], d[2]);
            let length = step.length().max(d[3].abs());
            if !length.is_finite() {
                return None;
            }
            // at rounding steps no longer shrink
            if length <= precision * size || (length <= 1e-10 * size && length >= 0.5 * last) {
                return (u.mu > 0.0).then_some(u);
            }
            last = length;
            let mut part = (0.5 * size / length).min(1.0);
            loop {
                let next = Unknown { y: u.y + step * part, gap: u.gap + d[3] * part, mu: u.mu + d[4] * part };
                let (f_next, off_next) = next.residual(sides, levels, size);
                if off_next < off || length < 1e-7 * size {
                    (u, f, off) = (next, f_next, off_next);
                    break;
                }
                part *= 0.5;
                if part < 1e-3 {
                    return None;
                }
            }
        }
        None
    }
}

/// Inverse of the left half, by elimination with pivoting; the right half is used for it.
fn invert(mut m: [[f64; 10]; 5]) -> Option<[[f64; 5]; 5]> {
    for (k, row) in m.iter_mut().enumerate() {
        row[5 + k] = 1.0;
    }
    for k in 0..5 {
        let best = (k..5).fold(k, |best, i| if m[i][k].abs() > m[best][k].abs() { i } else { best });
        m.swap(k, best);
        let pivot = m[k][k];
        if !(pivot != 0.0 && pivot.is_finite()) {
            return None;
        }
        m[k].iter_mut().for_each(|x| *x /= pivot);
        for i in 0..5 {
            if i != k {
                let (part, row) = (m[i][k], m[k]);
                m[i].iter_mut().zip(row).for_each(|(x, r)| *x -= part * r);
            }
        }
    }
    Some(m.map(|row| [row[5], row[6], row[7], row[8], row[9]]))
}

/// f and its gradient (world axes) at a moving point of a surface that moves.
#[inline(always)]
fn lift_side<G: Gradient>(
    surface: &dyn Surface,
    p: Vector<G>,
    axes: [Vector<G>; 3],
    y: Vector<G>,
) -> (Number<G>, Vector<G>) {
    let d = y - p;
    let local = Vector::new(axes[0].dot(d), axes[1].dot(d), axes[2].dot(d));
    let (f, g) = lift(surface, &local);
    (f, axes[0] * g.x + axes[1] * g.y + axes[2] * g.z)
}

/// Where two surfaces are nearest to each other, as both move: y of a, and the gap along the common normal there.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    unknown: Unknown,
    inverse: [[f64; 5]; 5],
}

impl Nearest {
    /// At this pose; none where there is no such pair, or more than one.
    pub fn find(surfaces: &[Arc<dyn Surface>; 2], a: &View) -> Option<Nearest> {
        let sides = sides(surfaces, a);
        let unknown = Unknown::solve(&sides)?;
        Some(Nearest { unknown, inverse: unknown.inverse(&sides)? })
    }

    /// The point of a, the normal of a there and the gap, with the derivatives that `at` has: points, then axes of a
    /// and b.
    #[inline(always)]
    pub fn follow<G: Gradient>(
        &self,
        surfaces: &[Arc<dyn Surface>; 2],
        [p, q, x, y, z, i, j, k]: [Vector<G>; 8],
    ) -> (Vector<G>, Vector<G>, Number<G>) {
        let u = self.unknown;
        let mut unknown: [Number<G>; 5] = [u.y.x, u.y.y, u.y.z, u.gap, u.mu].map(Number::constant);
        for _ in 0..2 {
            let [a, b, c, gap, mu] = unknown;
            let at = Vector::new(a, b, c);
            let (f, g) = lift_side(surfaces[0].as_ref(), p, [x, y, z], at);
            let n = g.normalize();
            let (e, h) = lift_side(surfaces[1].as_ref(), q, [i, j, k], at + n * gap);
            let turn = n + h * mu;
            let residual = [f, e, turn.x, turn.y, turn.z];
            for (row, x) in self.inverse.iter().zip(&mut unknown) {
                // the value is rounding: it stays where it is
                let step: Number<G> = residual.iter().zip(row).map(|(f, m)| *f * *m).sum();
                *x -= Number { value: 0.0, ..step };
            }
        }
        let [a, b, c, gap, _] = unknown;
        let at = Vector::new(a, b, c);
        (at, lift_side(surfaces[0].as_ref(), p, [x, y, z], at).1.normalize(), gap)
    }
}

/// The gap between the surfaces as row 0; infinite where they have no common normal.
pub(super) fn gap_row(surfaces: &[Arc<dyn Surface>; 2], a: &View, t: f64, out: &mut Rows) -> Option<Nearest> {
    let Some(nearest) = Nearest::find(surfaces, a) else {
        (out.row(0).gap, out.row(0).curvature) = (f64::INFINITY, f64::NAN);
        return None;
    };
    out.write::<8, 1>(0, a, t, |at, _| [nearest.follow(surfaces, at).2]);
    out.row(0).rate_t = 0.0; // but for rounding it was: time does not come in
    Some(nearest)
}

/// Surfaces in touch: are they and their markers usable?
pub(super) fn check_touch(markers: &[Marker; 2], surfaces: &[Arc<dyn Surface>; 2]) -> Result<(), Invalid> {
    check_markers(&markers[0], &markers[1])?;
    for (side, surface) in ["first", "second"].into_iter().zip(surfaces) {
        surface.validate().map_err(|e| format!("surface on the {side} body: {e}"))?;
    }
    if surfaces[0].straight() + surfaces[1].straight() > 2 {
        return Err("a plane on a plane or on a cylinder touches at no single point, must be curved more".into());
    }
    Ok(())
}

impl Constraint for SurfaceTangency {
    fn kind(&self) -> &'static str {
        "tangency"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_touch(&self.markers, &self.surfaces)
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        gap_row(&self.surfaces, a, t, out);
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> SurfaceTangency {
    let [on_a, on_b] = sample_surfaces(g);
    SurfaceTangency::new(a, on_a, b, on_b)
}

/// Two surfaces that touch at one point.
pub(super) fn sample_surfaces(g: &mut SplitMix) -> [Arc<dyn Surface>; 2] {
    let mut semi_axes = || vec3(0.2 + 0.2 * g.unit(), 0.2 + 0.2 * g.unit(), 0.2 + 0.2 * g.unit());
    let (first, second) = (Arc::new(Quadric::ellipsoid(semi_axes())), Arc::new(Quadric::ellipsoid(semi_axes())));
    match g.below(4) {
        0 => [Arc::new(Plane), second],
        1 => [first, Arc::new(Plane)],
        2 => [Arc::new(Quadric::cylinder(0.3)), second],
        _ => [first, second],
    }
}

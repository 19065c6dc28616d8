//! A touch of two features, followed exactly: gap, normal, point, and how normal and point move.
//!
//! Collision detection says *which* features are near each other; everything else is a smooth function of the pose,
//! evaluated here. With n the unit normal from b to a, c the point of contact and u = v_a(c) - v_b(c) the velocity of
//! the material points there:
//!
//! ```text
//! d(gap)/dt = n . u                                                                      (c may be anywhere on the line of n)
//! d(n . u)/dt = n . (J_a vdot - J_b vdot) + c_n
//! c_n = n . (k_a - k_b) + ndot . u,       k = jdot_v + w × (cdot - v(c))                 (c moves over the body, the material point does not)
//! d(t . u)/dt = t . (J_a vdot - J_b vdot) + t . (k_a - k_b)          for a tangent t at rest, or where u = 0
//! ```
//!
//! jdot_v is that of the material point, w the spin of the body. A ball that rolls has cdot parallel to the plane and k
//! = 0 although jdot_v is not: that is why cdot is needed. The touches, with r = r_a + r_b the rounding radii
//! (positions and directions are carried by their bodies, so their rates are known):
//!
//! ```text
//! point-plane   n = plane's normal                       gap = n . (p - o) - r                    c = p - r_a n
//! point-point   d = p - o,  n = d/|d|                    gap = |d| - r                            ndot = (ddot - n n . ddot)/|d|
//! point-line    d = (p - o) - e e . (p - o), same
//! line-line     n = ± (d × e)/|d × e|                    gap = n . (p - o) - r                    c = p + s d - r_a n at the nearest points
//! rim-plane     m = n - axis (n . axis)                  gap = n . (c0 - o) - R |m| - r           c = c0 - R m/|m| - r_a n
//! ellipsoid-plane   m = sum h_i (h_i . n), s^2 = n . m       gap = n . (c0 - o) - s - r               c = c0 - m/s - r_a n
//! ```
//!
//! Singular: coincident points (n is then the world z axis), parallel lines and a rim flat on its plane, where
//! detection gives other features.

use crate::catalogue::attach::{Attached, Attachment, AttachmentKind, Bodies, BodyId};
use crate::math::Vec3;
use holonom_collide::{Candidate, FeaturePair};

/// A touch at one state, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContactGeometry {
    /// m; negative where the bodies overlap.
    pub gap: f64,
    /// From b to a.
    pub n: Vec3,
    pub n_rate: Vec3,
    /// Where.
    pub point: Vec3,
    pub point_rate: Vec3,
}

/// A direction over a length, with its rate; `z` where the length vanishes.
fn unit(d: Vec3, d_rate: Vec3) -> (f64, Vec3, Vec3) {
    let length = d.length();
    if !(length > 0.0) {
        return (0.0, Vec3::Z, Vec3::ZERO);
    }
    let n = d / length;
    (length, n, (d_rate - n * n.dot(d_rate)) / length)
}

impl ContactGeometry {
    /// Evaluate `candidate` between bodies `a` and `b`, whose frames are up to date.
    pub fn of(candidate: &Candidate, a: BodyId, b: BodyId, bodies: &Bodies) -> ContactGeometry {
        let point = |body: BodyId, p: Vec3| bodies.carry(&Attachment { body, what: AttachmentKind::Point(p) });
        let along = |body: BodyId, d: Vec3| bodies.carry(&Attachment { body, what: AttachmentKind::Direction(d) });
        let (r, ra) = (candidate.radius, candidate.radius_a);
        let from_surface = |gap, n: Vec3, n_rate: Vec3, p: Attached| ContactGeometry {
            gap,
            n,
            n_rate,
            point: p.at - n * ra,
            point_rate: p.rate - n_rate * ra,
        };
        match candidate.features {
            FeaturePair::PointPlane { p, o, n } => {
                let (p, o, n) = (point(a, p), point(b, o), along(b, n));
                from_surface(n.at.dot(p.at - o.at) - r, n.at, n.rate, p)
            }
            FeaturePair::PointPoint { p, o } => {
                let (p, o) = (point(a, p), point(b, o));
                let (length, n, n_rate) = unit(p.at - o.at, p.rate - o.rate);
                from_surface(length - r, n, n_rate, p)
            }
            FeaturePair::PointLine { p, o, d } => {
                let (p, o, e) = (point(a, p), point(b, o), along(b, d));
                let (w, w_rate) = (p.at - o.at, p.rate - o.rate);
                let along_line = w.dot(e.at);
                let d = w - e.at * along_line;
                let d_rate = w_rate - e.rate * along_line - e.at * (w_rate.dot(e.at) + w.dot(e.rate));
                let (length, n, n_rate) = unit(d, d_rate);
                from_surface(length - r, n, n_rate, p)
            }
            FeaturePair::LineLine { p, d, o, e, outward } => {
                let (p, d, o, e) = (point(a, p), along(a, d), point(b, o), along(b, e));
                let (m, m_rate) = (d.at.cross(e.at), d.rate.cross(e.at) + d.at.cross(e.rate));
                let sign = if m.dot(outward) < 0.0 { -1.0 } else { 1.0 };
                let (_, n, n_rate) = unit(m * sign, m_rate * sign);
                let (w, w_rate) = (p.at - o.at, p.rate - o.rate);
                // nearest points p + s d and o + t e: both ends of their connection are perpendicular to their line
                let (dd, de, ee) = (d.at.length_squared(), d.at.dot(e.at), e.at.length_squared());
                let det = de * de - dd * ee;
                let solve = |x: f64, y: f64| ((-ee * x + de * y) / det, (-de * x + dd * y) / det);
                let (s, t) = solve(-w.dot(d.at), -w.dot(e.at));
                let de_rate = d.rate.dot(e.at) + d.at.dot(e.rate);
                let (dd_rate, ee_rate) = (2.0 * d.at.dot(d.rate), 2.0 * e.at.dot(e.rate));
                let (s_rate, _) = solve(
                    -w_rate.dot(d.at) - w.dot(d.rate) - s * dd_rate + t * de_rate,
                    -w_rate.dot(e.at) - w.dot(e.rate) - s * de_rate + t * ee_rate,
                );
                let nearest =
                    Attached { at: p.at + d.at * s, rate: p.rate + d.rate * s + d.at * s_rate, jdot_v: Vec3::ZERO };
                from_surface(n.dot(w) - r, n, n_rate, nearest)
            }
            FeaturePair::RimPlane { c, axis, rim, o, n } => {
                let (c, axis, o, n) = (point(a, c), along(a, axis), point(b, o), along(b, n));
                let k = n.at.dot(axis.at);
                let k_rate = n.rate.dot(axis.at) + n.at.dot(axis.rate);
                let m = n.at - axis.at * k;
                let m_rate = n.rate - axis.rate * k - axis.at * k_rate;
                let (length, m, m_rate) = unit(m, m_rate);
                let lowest = Attached { at: c.at - m * rim, rate: c.rate - m_rate * rim, jdot_v: Vec3::ZERO };
                from_surface(n.at.dot(c.at - o.at) - rim * length - r, n.at, n.rate, lowest)
            }
            FeaturePair::EllipsoidPlane { c, half, o, n } => {
                let (c, o, n) = (point(a, c), point(b, o), along(b, n));
                let (mut m, mut m_rate, mut square, mut half_rate) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
                for h in half.map(|h| along(a, h)) {
                    let k = h.at.dot(n.at);
                    let k_rate = h.rate.dot(n.at) + h.at.dot(n.rate);
                    m += h.at * k;
                    m_rate += h.rate * k + h.at * k_rate;
                    square += k * k;
                    half_rate += k * k_rate;
                }
                let s = square.sqrt();
                let s_rate = half_rate / s;
                let lowest = Attached {
                    at: c.at - m / s,
                    rate: c.rate - m_rate / s + m * (s_rate / square),
                    jdot_v: Vec3::ZERO,
                };
                from_surface(n.at.dot(c.at - o.at) - s - r, n.at, n.rate, lowest)
            }
        }
    }
}

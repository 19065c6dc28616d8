//! Part of gears, belts and drums: length and angle of a moving vector d in the plane of two directions x and y that a
//! body carries.
//!
//! ```text
//! c = x . d,  s = y . d        angle  q = atan2(s, c)        length  r = sqrt(c² + s²)
//! c' = x' . d + x . d'         c'' = x'' . d + x . d'' + 2 x' . d'        (s alike)
//! dq = (c ds - s dc) / r²      q'' = (c s'' - s c'') / r² - 2 r' q' / r
//! dr = (c dc + s ds) / r       r'' = (c c'' + s s'') / r + r q'²
//! ```
//!
//! What x'', y'' and d'' contribute goes through the gradients; the curvatures are what is left when c'' = 2 x' . d'
//! and s'' = 2 y' . d' are put in. Neither is defined at r = 0, where d is along the axis.
//!
//! On rigid bodies with axis z = x × y perpendicular to d, n = d / r and u = z × n:  dq = u . dd / r - z . (turn of the body),  dr = n . dd.

use super::Rows;
use crate::catalogue::attach::View;
use crate::catalogue::coordinate::Measure;
use crate::math::Vec3;

/// A vector in the plane of two carried directions.
pub(super) struct Polar {
    x: (usize, Vec3),
    y: (usize, Vec3),
    d: Vec3,
    /// Points or direction that d is made of: d = to - from.
    to: usize,
    from: Option<usize>,
    c: f64,
    s: f64,
    c_bend: f64,
    s_bend: f64,
    length: f64,
    length_rate: f64,
    angle_rate: f64,
}

/// A function of c and s.
pub(super) struct Quantity {
    pub value: f64,
    pub rate: f64,
    pub curvature: f64,
    by_c: f64,
    by_s: f64,
}

impl Polar {
    /// From point `from` to point `to`, in the plane of the directions `x` and `y` (attachment numbers).
    #[inline(always)]
    pub fn between(a: &View, x: usize, y: usize, from: usize, to: usize) -> Polar {
        let (p, q) = (a.get(from), a.get(to));
        Polar::new(a, (x, y), (Some(from), to), q.at - p.at, q.rate - p.rate)
    }

    /// Of the direction `d`.
    #[inline(always)]
    pub fn of(a: &View, x: usize, y: usize, d: usize) -> Polar {
        let now = a.get(d);
        Polar::new(a, (x, y), (None, d), now.at, now.rate)
    }

    #[inline(always)]
    fn new(a: &View, (nx, ny): (usize, usize), ends: (Option<usize>, usize), d: Vec3, d_rate: Vec3) -> Polar {
        let (x, y) = (a.get(nx), a.get(ny));
        let (c, s) = (x.at.dot(d), y.at.dot(d));
        let (c_rate, s_rate) = (x.rate.dot(d) + x.at.dot(d_rate), y.rate.dot(d) + y.at.dot(d_rate));
        let length = (c * c + s * s).sqrt();
        Polar {
            x: (nx, x.at),
            y: (ny, y.at),
            d,
            to: ends.1,
            from: ends.0,
            c,
            s,
            c_bend: 2.0 * x.rate.dot(d_rate),
            s_bend: 2.0 * y.rate.dot(d_rate),
            length,
            length_rate: (c * c_rate + s * s_rate) / length,
            angle_rate: (c * s_rate - s * c_rate) / (length * length),
        }
    }

    /// q, within one turn.
    #[inline(always)]
    pub fn angle(&self) -> Quantity {
        let i = 1.0 / (self.length * self.length);
        let bend = (self.c * self.s_bend - self.s * self.c_bend) * i;
        Quantity {
            value: libm::atan2(self.s, self.c),
            rate: self.angle_rate,
            curvature: bend - 2.0 * self.length_rate * self.angle_rate / self.length,
            by_c: -self.s * i,
            by_s: self.c * i,
        }
    }

    /// q on the turn it is on.
    #[inline(always)]
    pub fn followed(&self, a: &View, slot: usize) -> Quantity {
        let q = self.angle();
        Quantity { value: a.follow(slot, q.value, q.rate), ..q }
    }

    /// r.
    #[inline(always)]
    pub fn length(&self) -> Quantity {
        let bend = (self.c * self.c_bend + self.s * self.s_bend) / self.length;
        Quantity {
            value: self.length,
            rate: self.length_rate,
            curvature: bend + self.length * self.angle_rate * self.angle_rate,
            by_c: self.c / self.length,
            by_s: self.s / self.length,
        }
    }

    /// Gradients of a quantity, attachment by attachment.
    #[inline(always)]
    fn gradient(&self, q: &Quantity, scale: f64, mut visit: impl FnMut(usize, Vec3)) {
        let (by_c, by_s) = (q.by_c * scale, q.by_s * scale);
        let by_d = self.x.1 * by_c + self.y.1 * by_s;
        visit(self.x.0, self.d * by_c);
        visit(self.y.0, self.d * by_s);
        visit(self.to, by_d);
        if let Some(from) = self.from {
            visit(from, -by_d);
        }
    }

    /// Add `scale` times a quantity to a row.
    #[inline(always)]
    pub fn add(&self, q: &Quantity, scale: f64, row: usize, out: &mut Rows) {
        out.row(row).gap += scale * q.value;
        out.row(row).curvature += scale * q.curvature;
        self.gradient(q, scale, |k, g| out.gradient(row, k, g));
    }

    /// A quantity as a joint coordinate.
    pub fn measure(&self, q: &Quantity, out: &mut Measure) {
        out.set(q.value, q.curvature);
        self.gradient(q, 1.0, |k, g| out.gradient(k, g));
    }
}

impl Quantity {
    /// A function of this quantity, from the function's value, first and second derivative there.
    pub fn lift(&self, [f, f1, f2]: [f64; 3]) -> Quantity {
        Quantity {
            value: f,
            rate: f1 * self.rate,
            curvature: f1 * self.curvature + f2 * self.rate * self.rate,
            by_c: f1 * self.by_c,
            by_s: f1 * self.by_s,
        }
    }
}

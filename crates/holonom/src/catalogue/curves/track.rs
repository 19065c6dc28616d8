//! A curve with a table: nearest point, length of arc, continuation beyond the ends.
//!
//! Nearest point. The curve is cut into cells, each inside a sphere about its middle whose radius is the longer of its
//! two half lengths; a tree of spheres leads to the cells that can hold the point nearest to p. In a cell
//!
//! ```text
//! g(s) = (r - p) . r' = 0,     g'(s) = r' . r' + (r - p) . r''
//! ```
//!
//! is solved by Newton's method inside a bracket g < 0 < g, with bisection where Newton would leave it, to rounding.
//! There is no memory: s depends on p alone. It jumps where two points of the curve are equally near, as at the centre
//! of a circle; where a curve crosses itself the two branches are not told apart. Cells are short, so that a cell with
//! more than one minimum needs a p about as far away as the centre of curvature.
//!
//! Ends. An open curve is continued by its tangent lines, r + r' (s - end) with constant r'; the curvature jumps there.
//! A closed curve goes round, s and s + period being the same point.
//!
//! Length. sigma(s) = integral of |r'| from the start, by five-point Gauss quadrature in every half cell; cells end at
//! the curve's breaks. Beyond the ends it goes on (negative before the start).

use super::Curve;
use super::spheres::Spheres;
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::Vec3;
use std::sync::Arc;

/// Cells of every piece between two breaks, and of the whole curve at least.
const CELLS: usize = 16;
const LEAST_CELLS: usize = 64;

/// A curve with what is needed to find the nearest of its points. Cheap to clone.
#[derive(Clone)]
pub struct Track {
    curve: Arc<dyn Curve>,
    table: Arc<Table>,
}

#[derive(Default)]
struct Table {
    /// Parameters at the ends of the cells, one more than cells.
    s: Vec<f64>,
    /// Length of arc up to there (m).
    sigma: Vec<f64>,
    /// r and r' at both ends of the curve.
    ends: [[Vec3; 2]; 2],
    spheres: Spheres,
    fault: Option<Invalid>,
}

/// Integral of |r'| from a to b.
fn length(curve: &dyn Curve, a: f64, b: f64) -> f64 {
    let root = (10.0_f64 / 7.0).sqrt();
    let (near, far) = ((5.0 - 2.0 * root).sqrt() / 3.0, (5.0 + 2.0 * root).sqrt() / 3.0);
    let w = 13.0 * 70.0_f64.sqrt();
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let speed = |x: f64| curve.at(middle + half * x)[1].length();
    let sum = 128.0 / 225.0 * speed(0.0)
        + (322.0 + w) / 900.0 * (speed(near) + speed(-near))
        + (322.0 - w) / 900.0 * (speed(far) + speed(-far));
    sum * half
}

impl Track {
    /// Make the table of a curve. A curve that cannot be used is reported by [`Track::validate`].
    pub fn new(curve: impl Curve + 'static) -> Self {
        Self::shared(Arc::new(curve))
    }

    /// The same for a curve that others share.
    pub fn shared(curve: Arc<dyn Curve>) -> Self {
        let mut table = Table::default();
        match table.fill(curve.as_ref()) {
            Ok(()) => {}
            Err(fault) => table = Table { fault: Some(fault), ..Table::default() },
        }
        Track { curve, table: Arc::new(table) }
    }

    /// The curve itself.
    pub fn curve(&self) -> &dyn Curve {
        self.curve.as_ref()
    }

    /// Is the curve usable?
    pub fn validate(&self) -> Result<(), Invalid> {
        self.table.fault.clone().map_or(Ok(()), Err)
    }

    /// Length of the curve (m).
    pub fn length(&self) -> f64 {
        self.table.sigma.last().copied().unwrap_or(0.0)
    }

    /// `s` where it stands for the same point of a closed curve, inside the domain.
    fn wrapped(&self, s: f64) -> f64 {
        let (from, to) = self.curve.domain();
        if self.curve.closed() && !(s >= from && s <= to) {
            (s - (to - from) * libm::floor((s - from) / (to - from))).clamp(from, to)
        } else {
            s
        }
    }

    /// r, r', r'', r''' at any `s`: a closed curve goes round, an open one goes on straight.
    pub fn at(&self, s: f64) -> [Vec3; 4] {
        let s = self.wrapped(s);
        let (from, to) = self.curve.domain();
        let straight = |end: [Vec3; 2], by: f64| [end[0] + end[1] * by, end[1], Vec3::ZERO, Vec3::ZERO];
        if s < from {
            straight(self.table.ends[0], s - from)
        } else if s > to {
            straight(self.table.ends[1], s - to)
        } else {
            self.curve.at(s)
        }
    }

    /// Length of arc from the start of the curve to `s` (m), on a closed curve from 0 to [`Track::length`].
    pub fn arc(&self, s: f64) -> f64 {
        let s = self.wrapped(s);
        let t = &self.table;
        if t.s.len() < 2 {
            return f64::NAN; // a curve that was refused
        }
        let (from, to) = self.curve.domain();
        if s < from {
            return (s - from) * t.ends[0][1].length();
        }
        if s > to {
            return self.length() + (s - to) * t.ends[1][1].length();
        }
        let i = t.s.partition_point(|&x| x <= s).saturating_sub(1).min(t.s.len() - 2);
        // from the nearer end of the cell
        if s - t.s[i] <= t.s[i + 1] - s {
            t.sigma[i] + length(self.curve(), t.s[i], s)
        } else {
            t.sigma[i + 1] - length(self.curve(), s, t.s[i + 1])
        }
    }

    /// Parameter of the point nearest to `p`, on the curve or on its straight continuations.
    pub fn nearest(&self, p: Vec3) -> f64 {
        let t = &self.table;
        let (from, to) = self.curve.domain();
        let (mut best, mut found) = (f64::INFINITY, from);
        if !self.curve.closed() {
            for (k, end) in [from, to].into_iter().enumerate() {
                let [r, v] = t.ends[k];
                let by = (p - r).dot(v) / v.length_squared();
                if (k == 0) == (by < 0.0) && by != 0.0 {
                    let d = (p - r - v * by).length();
                    if d < best {
                        (best, found) = (d, end + by);
                    }
                }
            }
        }
        t.spheres.search(p, best, |i| {
            let (s, d) = nearest_in_cell(self.curve(), p, t.s[i], t.s[i + 1]);
            if d < best {
                (best, found) = (d, s);
            }
            d
        });
        found
    }
}

/// Parameter and distance of the point of a cell nearest to `p`.
fn nearest_in_cell(curve: &dyn Curve, p: Vec3, from: f64, to: f64) -> (f64, f64) {
    let slope = |s: f64| {
        let [r, v, a, _] = curve.at(s);
        let d = r - p;
        (d.dot(v), v.length_squared() + d.dot(a), d.length())
    };
    let (first, last) = (slope(from), slope(to));
    if !(first.0 < 0.0 && last.0 > 0.0) {
        return if first.2 <= last.2 { (from, first.2) } else { (to, last.2) };
    }
    let (mut low, mut high) = (from, to);
    let close = 2.0 * f64::EPSILON * (to - from).max(from.abs()).max(to.abs());
    let mut s = 0.5 * (from + to);
    let mut last_step = to - from;
    for _ in 0..100 {
        let (g, dg, _) = slope(s);
        if g < 0.0 {
            low = s;
        } else {
            high = s;
        }
        let newton = s - g / dg;
        // Newton's step, unless it leaves the bracket or does not shrink
        let next = if dg > 0.0 && newton >= low && newton <= high && (newton - s).abs() <= 0.5 * last_step {
            newton
        } else {
            0.5 * (low + high)
        };
        last_step = (next - s).abs();
        s = next;
        if last_step <= close {
            break;
        }
    }
    (s, slope(s).2)
}

impl Table {
    fn fill(&mut self, curve: &dyn Curve) -> Result<(), Invalid> {
        curve.validate()?;
        let (from, to) = curve.domain();
        if !(from.is_finite() && to.is_finite() && from < to) {
            return refuse!("", "parameters run from {from} to {to}, must be finite and increase");
        }
        let mut pieces = vec![from];
        pieces.extend_from_slice(curve.breaks());
        pieces.push(to);
        let per_piece = CELLS.max(LEAST_CELLS.div_ceil(pieces.len() - 1));
        self.s.push(from);
        self.sigma.push(0.0);
        let mut leaves = Vec::with_capacity(per_piece * (pieces.len() - 1));
        for piece in pieces.windows(2) {
            for i in 1..=per_piece {
                let a = self.s[self.s.len() - 1];
                let b = if i == per_piece {
                    piece[1]
                } else {
                    piece[0] + (piece[1] - piece[0]) * (i as f64 / per_piece as f64)
                };
                let middle = 0.5 * (a + b);
                let [r, v, ..] = curve.at(middle);
                let halves = [length(curve, a, middle), length(curve, middle, b)];
                if !(r.is_finite() && v.is_finite()) {
                    return refuse!("", "curve is {r} m with derivative {v} at {middle}, must be finite");
                }
                if !(halves[0] > 0.0 && halves[1] > 0.0 && v.length() > 0.0) {
                    return refuse!("", "curve stands still at {middle}: its derivative is {v}, must not be zero");
                }
                leaves.push((r, halves[0].max(halves[1]) * (1.0 + 1e-9)));
                self.sigma.push(self.sigma[self.sigma.len() - 1] + (halves[0] + halves[1]));
                self.s.push(b);
            }
        }
        self.spheres = Spheres::new(&leaves);
        self.ends = [from, to].map(|s| {
            let [r, v, ..] = curve.at(s);
            [r, v]
        });
        let [a, b] = self.ends;
        if a[1].length() == 0.0 || b[1].length() == 0.0 {
            return Err("curve stands still at an end: its derivative is zero, must not be".into());
        }
        if curve.closed() {
            let size = self.sigma[self.sigma.len() - 1];
            if (a[0] - b[0]).length() > 1e-9 * size {
                return refuse!("closed", "closed curve ends at {} m and starts at {} m, must meet", b[0], a[0]);
            }
            if (a[1].normalize() - b[1].normalize()).length() > 1e-9 {
                return refuse!(
                    "closed",
                    "closed curve ends along {} and starts along {}, must be the same",
                    b[1],
                    a[1]
                );
            }
        }
        Ok(())
    }
}

//! The radial springs of one row of tread: from a curve of vertical load to the load per length of tread.
//!
//! On a flat road, with the hub at the height R - d, the ray at the angle a from the vertical meets the road at
//! (R - d)/cos a; its deflection is `delta = R - (R - d)/cos a`. With q(delta) the radial load per length of tread, the
//! road pushes with q / cos a per length, along its normal (see `tyre.rs`), and
//!
//! ```text
//! F(d) = R  integral of q(R - (R - d)/cos a) / cos a  da,      delta >= 0            (Abel's equation)
//! ```
//!
//! F is given, q is wanted. q is taken as piecewise linear on nodes `delta_k = delta_max (k/K)^2`, which crowd towards
//! zero because F ~ d makes q ~ sqrt(delta). Demanding F at d = delta_k for k = 1, 2, ... makes a triangular system:
//! each equation has one new unknown. The integrals over the cells are done by Gauss's rule in a, where the integrand
//! is smooth. (For small angles q is the half-integral of F': it is never negative where the load never falls.)
//!
//! A tyre of several rows shares its load between them. A row that is lower than the highest by `drop` begins to carry
//! at d = drop:
//!
//! ```text
//! F_r(d) = integral of s_r(x) F'(x) dx from 0 to d,       s_r(x) = (x - drop_r)+ / sum over rows j of (x - drop_j)+
//! ```
//!
//! The shares add up to 1, so the rows together carry F, and no row's load ever falls.
//!
//! In an element of tread between two rays with deflections a and b (negative: clear of the road) the deflection is
//! taken as linear. Its energy per length, and its load on the two rays, are
//!
//! ```text
//! E = integral of Q(a + x (b - a)) dx over 0..1,      Q' = q
//! dE/da = integral of (1 - x) q dx,      dE/db = integral of x q dx
//! ```
//!
//! Cell by cell these are polynomials of degree 2. From x_1 to x_2, of the width w, with q_1, q_2, Q_1, Q_2 at the ends
//! and delta changing by D,
//!
//! ```text
//! integral of q = w (q_1 + q_2)/2
//! of x q = w (x_1 (2 q_1 + q_2) + x_2 (q_1 + 2 q_2))/6
//! of Q = w ((Q_1 + Q_2)/2 - q' D^2/12)
//! ```
//!
//! So the loads are the exact gradient of the energy, and they grow from zero smoothly when a ray touches the road.
//!
//! Beyond delta_max the last cell goes on. A curve that would need springs that pull is refused.

use holonom::declaration::Invalid;
use holonom::functions::{Function, integral};

const CELLS: usize = 128;

/// Positive half of Gauss's 8 nodes on [-1, 1], and weights.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Radial load per length of tread as a function of deflection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carcass {
    max_deflection: f64,
    cells: Vec<Cell>,
}

/// Between two nodes.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The node where it ends (m); the last one never does.
    end: f64,
    /// The node where it begins (m), and there q (N/m) and Q (N).
    begin: f64,
    q: f64,
    energy: f64,
    /// q' (N/m^2).
    slope: f64,
}

impl Cell {
    /// q and Q at a deflection.
    #[inline]
    fn at(&self, delta: f64) -> (f64, f64) {
        let x = delta - self.begin;
        (self.q + self.slope * x, self.energy + x * (self.q + 0.5 * self.slope * x))
    }
}

/// An element of tread, per length of it: loads on its two rays (N/m), their slopes (N/m^2), energy (N).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementLoad {
    pub load: [f64; 2],
    pub slope: [f64; 2],
    pub energy: f64,
}

/// delta_k.
fn node(max_deflection: f64, k: usize) -> f64 {
    let part = k as f64 / CELLS as f64;
    max_deflection * part * part
}

/// Integrals over the cell from `low` to `high` of (1 - x) / cos a and x / cos a by the angle a, with x from 0 to 1
/// across the cell; the hub is lowered by `depth`.
fn cell_integrals(radius: f64, depth: f64, low: f64, high: f64) -> (f64, f64) {
    let height = radius - depth;
    let angle = |delta: f64| libm::atan2(((depth - delta) * (radius - delta + height)).sqrt(), height);
    let (from, to) = (angle(high), angle(low));
    let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
    let (mut near, mut far) = (0.0, 0.0);
    for (x, w) in GAUSS.iter().flat_map(|&(x, w)| [(x, w), (-x, w)]) {
        let a = centre + half * x;
        // delta = depth - height (1/cos a - 1)
        let (sin, cos) = (libm::sin(0.5 * a), libm::cos(a));
        let part = (depth - height * 2.0 * sin * sin / cos - low) / (high - low);
        near += half * w * (1.0 - part) / cos;
        far += half * w * part / cos;
    }
    (near, far)
}

impl Carcass {
    /// The row of radius `radius` and drop `drops[row]` of a tyre with rows of all these drops, whose load (N) is a
    /// function of the deflection (m) up to `max_deflection`. `None` where the row does not touch within that.
    pub fn fit(
        load: &dyn Function,
        max_deflection: f64,
        radius: f64,
        drops: &[f64],
        row: usize,
    ) -> Result<Option<Carcass>, Invalid> {
        let (start, full) = (load.at(0.0)[0], load.at(max_deflection)[0]);
        if !(full > 0.0) || start.abs() > 1e-9 * full {
            return Err(Invalid::new(
                "load",
                format!("load is {start} N without and {full} N with the largest deflection, must be 0 and positive"),
            ));
        }
        let drop = drops[row];
        let max_deflection = max_deflection - drop;
        if max_deflection <= 1e-6 * radius {
            return Ok(None);
        }
        let row_slope = |x: f64| {
            let all: f64 = drops.iter().map(|d| (x - d).max(0.0)).sum();
            // where the first rows touch: equal shares among them
            let first = drops.iter().filter(|&&d| d <= x).count().max(1);
            load.at(x)[1] * if all > 0.0 { (x - drop).max(0.0) / all } else { 1.0 / first as f64 }
        };
        let (mut q, mut row_load) = (vec![0.0; CELLS + 1], 0.0);
        for k in 1..=CELLS {
            let depth = node(max_deflection, k);
            row_load = if drops.len() == 1 {
                load.at(depth)[0]
            } else {
                row_load + integral(row_slope, drop + node(max_deflection, k - 1), drop + depth)
            };
            let (mut known, mut factor) = (0.0, 0.0);
            for j in 0..k {
                let (near, far) = cell_integrals(radius, depth, node(max_deflection, j), node(max_deflection, j + 1));
                known += 2.0 * radius * near * q[j];
                if j + 1 == k {
                    factor = 2.0 * radius * far;
                } else {
                    known += 2.0 * radius * far * q[j + 1];
                }
            }
            q[k] = (row_load - known) / factor;
            if !(q[k] >= 0.0 && q[k].is_finite()) {
                let (d, f) = (drop + depth, load.at(drop + depth)[0]);
                return Err(Invalid::new(
                    "load",
                    format!("load {f} N at {d} m would need springs that pull: it must not fall"),
                ));
            }
        }
        Ok(Some(Carcass::through(max_deflection, &q)))
    }

    /// Piecewise linear through the values at the nodes.
    fn through(max_deflection: f64, q: &[f64]) -> Carcass {
        let (mut cells, mut energy) = (Vec::with_capacity(CELLS), 0.0);
        for k in 0..CELLS {
            let (begin, next) = (node(max_deflection, k), node(max_deflection, k + 1));
            let end = if k + 1 < CELLS { next } else { f64::INFINITY };
            cells.push(Cell { begin, end, q: q[k], energy, slope: (q[k + 1] - q[k]) / (next - begin) });
            energy += 0.5 * (q[k] + q[k + 1]) * (next - begin);
        }
        Carcass { max_deflection, cells }
    }

    fn cell(&self, delta: f64) -> usize {
        let guess = (CELLS as f64 * (delta / self.max_deflection).sqrt()) as usize;
        let guess = guess.min(CELLS - 1);
        // rounding may put a node into the wrong cell
        if self.cells[guess].begin > delta { guess - 1 } else { guess }
    }

    /// An element whose rays have the deflections `a` and `b` (m).
    pub fn element(&self, a: f64, b: f64) -> ElementLoad {
        let (low, high) = (a.min(b), a.max(b));
        if !(high > 0.0) {
            return ElementLoad::default();
        }
        if high - low <= 1e-12 * high {
            let cell = &self.cells[self.cell(high)];
            let (q, energy) = cell.at(high);
            return ElementLoad { load: [0.5 * q; 2], slope: [0.5 * cell.slope; 2], energy };
        }
        let scale = 1.0 / (high - low);
        let mut at = low.max(0.0);
        // all of it, and what goes to the ray with the larger deflection
        let (mut load, mut slope, mut energy) = ([0.0; 2], [0.0; 2], 0.0);
        for cell in &self.cells[self.cell(at)..] {
            let next = cell.end.min(high);
            let ((q1, e1), (q2, e2)) = (cell.at(at), cell.at(next));
            let (x1, x2, width) = ((at - low) * scale, (next - low) * scale, (next - at) * scale);
            load[0] += width * 0.5 * (q1 + q2);
            load[1] += width * (1.0 / 6.0) * (x1 * (2.0 * q1 + q2) + x2 * (q1 + 2.0 * q2));
            slope[0] += width * cell.slope;
            slope[1] += width * cell.slope * 0.5 * (x1 + x2);
            energy += width * (0.5 * (e1 + e2) - cell.slope * (next - at) * (next - at) * (1.0 / 12.0));
            at = next;
            if at >= high {
                break;
            }
        }
        let split = |[all, more]: [f64; 2]| if b >= a { [all - more, more] } else { [more, all - more] };
        ElementLoad { load: split(load), slope: split(slope), energy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With q = k delta Abel's integral is elementary: F = 2 R k (R ln(sec a + tan a) - (R - d) tan a),
    /// cos a = (R - d)/R.
    #[test]
    fn a_linear_carcass_is_found_again() {
        let (radius, stiffness) = (0.34, 4e6);
        let load = move |d: f64| {
            let tan = (d * (2.0 * radius - d)).sqrt() / (radius - d);
            [2.0 * radius * stiffness * (radius * libm::asinh(tan) - (radius - d) * tan), 0.0, 0.0]
        };
        let carcass = Carcass::fit(&load, 0.02, radius, &[0.0], 0).expect("fits").expect("touches");
        for k in 1..200 {
            let delta = 1e-4 * k as f64;
            let (q, _) = carcass.cells[carcass.cell(delta)].at(delta);
            assert!((q / (stiffness * delta) - 1.0).abs() < 1e-7, "{delta}: {q} {}", stiffness * delta);
        }
    }

    /// Loads are the gradient of the energy, through contact, cells, and beyond the last.
    #[test]
    fn loads_are_the_gradient_of_the_energy() {
        let load = |d: f64| [9e4 * d * (1.0 + 30.0 * d), 9e4 * (1.0 + 60.0 * d), 0.0];
        let carcass = Carcass::fit(&load, 0.02, 0.34, &[0.002, 0.0, 0.002], 1).expect("fits").expect("touches");
        let mut g = holonom::math::SplitMix(2);
        let (mut worst, h) = (0.0_f64, 1e-7);
        for _ in 0..500 {
            let (a, b) = (0.01 + g.symmetric(0.014), 0.01 + g.symmetric(0.014));
            let e = |a: f64, b: f64| carcass.element(a, b).energy;
            let element = carcass.element(a, b);
            let slopes = [(e(a + h, b) - e(a - h, b)) / (2.0 * h), (e(a, b + h) - e(a, b - h)) / (2.0 * h)];
            for i in 0..2 {
                worst = worst.max((slopes[i] - element.load[i]).abs() / (1.0 + element.load[i]));
            }
            let same = carcass.element(a, a);
            let nearly = carcass.element(a, a + 1e-9);
            assert!((same.load[0] - nearly.load[0]).abs() <= 1e-3 * (1.0 + same.load[0]));
        }
        assert!(worst < 1e-5, "{worst:e}");
    }

    #[test]
    fn curves_that_no_spring_makes_are_refused() {
        assert!(
            Carcass::fit(&|d: f64| [1.0 + d, 1.0, 0.0], 0.02, 0.3, &[0.0], 0).unwrap_err().reason.contains("must be 0")
        );
        assert!(Carcass::fit(&|d: f64| [-d, -1.0, 0.0], 0.02, 0.3, &[0.0], 0).unwrap_err().reason.contains("positive"));
        let falling = |d: f64| [d * (0.025 - d), 0.025 - 2.0 * d, -2.0];
        assert!(Carcass::fit(&falling, 0.02, 0.3, &[0.0], 0).unwrap_err().reason.contains("not fall"));
    }
}

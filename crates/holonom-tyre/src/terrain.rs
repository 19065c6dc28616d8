//! The ground that tyres roll on: a height over the world's x-y plane, fixed to the world.
//!
//! ```text
//! z = h(x, y)          normal  n = (-h_x, -h_y, 1) / sqrt(1 + h_x^2 + h_y^2)
//! ```
//!
//! A height field is sampled on a regular grid. Between the samples it is bicubic: with t in [0, 1] across a cell and
//! four samples in line,
//!
//! ```text
//! h(t) = Hermite's cubic through h_1, h_2 with slopes (h_2 - h_0)/2 and (h_3 - h_1)/2                  (Catmull and Rom)
//! ```
//!
//! first along x in four lines, then along y. It passes through the samples, reproduces planes and has a continuous
//! normal. Samples beyond the border are extrapolated in line; outside the grid the border's height continues level
//! across it.
//!
//! A terrain may know a bound of its height over a rectangle: rays that end above it need not be followed. In
//! Bernstein's form the cubic has the coefficients h_1, h_1 + (h_2 - h_0)/6, h_2 - (h_3 - h_1)/6, h_2, and lies below
//! the largest: with samples between m and M, D = M - m, below M + D/6 along x, and after y, where values spread over
//! 4/3 D, below M + D/6 + (4/3 D)/6 = M + 7/18 D.

use holonom::declaration::{Invalid, finite, finite_vector, positive};
use holonom::functions::Function;
use holonom::math::{Vec3, vec3};
use std::sync::Arc;

/// A height over the world's x-y plane.
pub trait Terrain: Send + Sync {
    /// Height (m) and unit normal, upwards, at (x, y).
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3);
    /// A bound (m) that the height does not exceed over the rectangle between two corners (x, y), each the lower one
    /// first; infinity, where nothing is known, is always true.
    fn highest(&self, _low: [f64; 2], _high: [f64; 2]) -> f64 {
        f64::INFINITY
    }
    /// Are the parameters usable?
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// The normal from the slopes.
fn normal(slope_x: f64, slope_y: f64) -> Vec3 {
    vec3(-slope_x, -slope_y, 1.0) / (1.0 + slope_x * slope_x + slope_y * slope_y).sqrt()
}

/// Height and both slopes as a function: `|x, y| [h, h_x, h_y]`.
impl<F: Fn(f64, f64) -> [f64; 3] + Send + Sync> Terrain for F {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let [h, slope_x, slope_y] = self(x, y);
        (h, normal(slope_x, slope_y))
    }
}

/// A terrain of any kind.
impl Terrain for Box<dyn Terrain> {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        self.as_ref().height_and_normal(x, y)
    }
    fn highest(&self, low: [f64; 2], high: [f64; 2]) -> f64 {
        self.as_ref().highest(low, high)
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.as_ref().validate()
    }
}

/// A plane, level or inclined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneTerrain {
    point: Vec3,
    normal: Vec3,
}

impl PlaneTerrain {
    /// Through a point (m), with a normal of any length that points upwards.
    pub fn new(point: impl Into<Vec3>, normal: impl Into<Vec3>) -> Self {
        PlaneTerrain { point: point.into(), normal: normal.into().normalize() }
    }

    /// Level, at a height (m).
    pub fn level(height: f64) -> Self {
        Self::new([0.0, 0.0, height], [0.0, 0.0, 1.0])
    }
}

impl Terrain for PlaneTerrain {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let n = self.normal;
        (self.point.z - (n.x * (x - self.point.x) + n.y * (y - self.point.y)) / n.z, n)
    }
    fn highest(&self, low: [f64; 2], high: [f64; 2]) -> f64 {
        let at = |k: usize, downhill: f64| if downhill > 0.0 { low[k] } else { high[k] };
        self.height_and_normal(at(0, self.normal.x), at(1, self.normal.y)).0
    }
    fn validate(&self) -> Result<(), Invalid> {
        finite_vector("point of the plane", self.point)?;
        if self.normal.is_finite() && self.normal.z > 1e-6 {
            Ok(())
        } else {
            Err(Invalid::new("normal", format!("normal of the plane is {}, must point upwards", self.normal)))
        }
    }
}

/// A road whose height depends on one direction alone.
#[derive(Clone)]
pub struct ProfileTerrain {
    height: Arc<dyn Function>,
    /// Cosine and sine of the direction.
    along: [f64; 2],
}

impl ProfileTerrain {
    /// Height (m) as a function of x (m).
    pub fn new(height: impl Function + 'static) -> Self {
        ProfileTerrain { height: Arc::new(height), along: [1.0, 0.0] }
    }

    /// As a function of the way from the origin in a direction that is turned by this angle (rad) from x towards y,
    /// instead of x: for roads whose edges are crossed obliquely.
    pub fn heading(self, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        ProfileTerrain { along: [cos, sin], ..self }
    }
}

impl Terrain for ProfileTerrain {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let [c, s] = self.along;
        let [h, slope, _] = self.height.at(c * x + s * y);
        (h, normal(c * slope, s * slope))
    }
    fn highest(&self, low: [f64; 2], high: [f64; 2]) -> f64 {
        let (mut from, mut to) = (0.0, 0.0);
        for (k, part) in self.along.into_iter().enumerate() {
            from += (part * low[k]).min(part * high[k]);
            to += (part * low[k]).max(part * high[k]);
        }
        self.height.highest(from, to)
    }
    fn validate(&self) -> Result<(), Invalid> {
        finite("heading", self.along[0] + self.along[1])?;
        self.height.validate()
    }
}

/// Heights sampled on a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    origin: [f64; 2],
    spacing: f64,
    columns: usize,
    heights: Vec<f64>,
}

impl HeightField {
    /// `heights[i + columns * j]` (m) is the height at `origin + spacing (i, j)` (m): x runs fastest. At least 2 by 2.
    pub fn new(origin: [f64; 2], spacing: f64, columns: usize, heights: impl Into<Vec<f64>>) -> Self {
        HeightField { origin, spacing, columns, heights: heights.into() }
    }

    fn rows(&self) -> usize {
        self.heights.len() / self.columns.max(1)
    }

    /// A sample, extrapolated in line by one beyond the border.
    fn sample(&self, i: isize, j: isize) -> f64 {
        let (n, m) = (self.columns as isize, self.rows() as isize);
        let inner = |k: isize, n: isize| {
            if k < 0 {
                (0, 1)
            } else if k >= n {
                (n - 1, n - 2)
            } else {
                (k, k)
            }
        };
        let ((i0, i1), (j0, j1)) = (inner(i, n), inner(j, m));
        let at = |i: isize, j: isize| self.heights[(i + n * j) as usize];
        let along_x = |j: isize| if i0 == i1 { at(i0, j) } else { 2.0 * at(i0, j) - at(i1, j) };
        if j0 == j1 { along_x(j0) } else { 2.0 * along_x(j0) - along_x(j1) }
    }
}

/// Value and slope of the cubic through the middle two of four samples.
fn cubic(h: [f64; 4], t: f64) -> (f64, f64) {
    let (a, b) = (0.5 * (h[2] - h[0]), 0.5 * (h[3] - h[1]));
    let rise = h[2] - h[1];
    // h_1 + a t + (3 rise - 2 a - b) t^2 + (a + b - 2 rise) t^3
    let (c2, c3) = (3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise);
    (h[1] + t * (a + t * (c2 + t * c3)), a + t * (2.0 * c2 + 3.0 * t * c3))
}

impl Terrain for HeightField {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let cell = |x: f64, origin: f64, n: usize| {
            let s = (x - origin) / self.spacing;
            let inside = s.clamp(0.0, (n - 1) as f64);
            let i = (inside as usize).min(n - 2);
            (i as isize, inside - i as f64, if s == inside { 1.0 / self.spacing } else { 0.0 })
        };
        let (i, tx, x_scale) = cell(x, self.origin[0], self.columns);
        let (j, ty, y_scale) = cell(y, self.origin[1], self.rows());
        let (mut values, mut slopes) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            let line = std::array::from_fn(|l| self.sample(i + l as isize - 1, j + k as isize - 1));
            (values[k], slopes[k]) = cubic(line, tx);
        }
        let (height, slope_y) = cubic(values, ty);
        (height, normal(cubic(slopes, ty).0 * x_scale, slope_y * y_scale))
    }
    fn highest(&self, low: [f64; 2], high: [f64; 2]) -> f64 {
        let cell = |x: f64, origin: f64, n: usize| {
            let s = ((x - origin) / self.spacing).clamp(0.0, (n - 1) as f64);
            (s as usize).min(n - 2) as isize
        };
        let range = |k: usize, n: usize| cell(low[k], self.origin[k], n) - 1..cell(high[k], self.origin[k], n) + 3;
        let (columns, lines) = (range(0, self.columns), range(1, self.rows()));
        // more samples than rays would look at themselves
        if columns.len() * lines.len() > 100 {
            return f64::INFINITY;
        }
        let samples = lines.flat_map(|j| columns.clone().map(move |i| self.sample(i, j)));
        let (least, most) = samples.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), h| (a.min(h), b.max(h)));
        most + 7.0 / 18.0 * (most - least)
    }
    fn validate(&self) -> Result<(), Invalid> {
        finite("origin", self.origin[0] + self.origin[1])?;
        positive("spacing", self.spacing, "m")?;
        if self.columns < 2 || self.rows() < 2 || self.columns * self.rows() != self.heights.len() {
            let (n, columns) = (self.heights.len(), self.columns);
            return Err(Invalid::new(
                "heights",
                format!("{n} heights in lines of {columns}: must be whole lines, at least 2 of at least 2"),
            ));
        }
        match self.heights.iter().position(|h| !h.is_finite()) {
            Some(i) => Err(Invalid::new("heights", format!("height {i} is {}, must be finite", self.heights[i]))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom::functions::{SmoothTable, Table};
    use holonom::math::SplitMix;

    fn slopes(t: &dyn Terrain, x: f64, y: f64) -> [f64; 2] {
        let n = t.height_and_normal(x, y).1;
        assert!((n.length() - 1.0).abs() < 1e-15);
        [-n.x / n.z, -n.y / n.z]
    }

    /// Normals against differences of heights, inside, outside and across lines of the grid.
    #[test]
    fn normals_are_those_of_the_heights() {
        let mut g = SplitMix(4);
        let heights: Vec<f64> = (0..7 * 5).map(|_| g.symmetric(0.2)).collect();
        let field = HeightField::new([-1.0, 0.5], 0.5, 7, heights.clone());
        assert!(field.validate().is_ok());
        let hill = |x: f64, y: f64| {
            let (s, c) = libm::sincos(x * y);
            [s, y * c, x * c]
        };
        let plane = PlaneTerrain::new([1.0, 2.0, 3.0], [0.3, -0.2, 1.0]);
        for t in [&field as &dyn Terrain, &hill, &plane] {
            for _ in 0..300 {
                let (x, y) = (g.symmetric(2.6), g.symmetric(3.0));
                let h = |dx: f64, dy: f64| t.height_and_normal(x + dx, y + dy).0;
                let [sx, sy] = slopes(t, x, y);
                let e = 1e-6;
                assert!((sx - (h(e, 0.0) - h(-e, 0.0)) / (2.0 * e)).abs() < 1e-4, "{x} {y}");
                assert!((sy - (h(0.0, e) - h(0.0, -e)) / (2.0 * e)).abs() < 1e-4, "{x} {y}");
            }
        }
        for (k, h) in heights.iter().enumerate() {
            let (x, y) = (-1.0 + 0.5 * (k % 7) as f64, 0.5 + 0.5 * (k / 7) as f64);
            assert!((field.height_and_normal(x, y).0 - h).abs() < 1e-15);
        }
        // continuous slopes across the grid's lines
        for _ in 0..100 {
            let (x, y) = (-0.5 + 0.5 * g.below(4) as f64, 0.6 + 1.8 * g.unit());
            let [a, b] = [slopes(&field, x - 1e-9, y), slopes(&field, x + 1e-9, y)];
            assert!((a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6, "{a:?} {b:?}");
        }
    }

    /// No height in a rectangle exceeds the bound, and where bounds are exact they are reached.
    #[test]
    fn bounds_hold() {
        let mut g = SplitMix(11);
        let heights: Vec<f64> = (0..9 * 7).map(|_| g.symmetric(0.2)).collect();
        let field = HeightField::new([-1.0, -0.5], 0.25, 9, heights);
        let plane = PlaneTerrain::new([1.0, 2.0, 3.0], [0.3, -0.2, 1.0]);
        let (x, y) = ([-2.0, -0.5, 0.1, 0.4, 0.9], [0.0, 0.2, 0.15, -0.3, -0.3]);
        let road = ProfileTerrain::new(SmoothTable::new(&x, &y)).heading(0.7);
        let kinked = ProfileTerrain::new(Table::new(&x, &y)).heading(-2.0);
        for (k, t) in [&field as &dyn Terrain, &plane, &road, &kinked].into_iter().enumerate() {
            let mut known = 0;
            for _ in 0..200 {
                let (x, y, a, b) = (g.symmetric(1.5), g.symmetric(1.2), 0.6 * g.unit(), 0.6 * g.unit());
                let bound = t.highest([x, y], [x + a, y + b]);
                known += usize::from(bound < f64::INFINITY);
                let mut largest = f64::NEG_INFINITY;
                for i in 0..=40 {
                    for j in 0..=40 {
                        let at = |k: i32| k as f64 / 40.0;
                        largest = largest.max(t.height_and_normal(x + a * at(i), y + b * at(j)).0);
                    }
                }
                assert!(largest <= bound + 1e-14, "terrain {k}: {largest} above {bound}");
                // a flat piece or a plane: bounds of functions are those of the rectangle's corners
                assert!(k != 1 || bound - largest < 1e-12, "plane: {largest} below {bound}");
            }
            assert!(known > 150, "terrain {k} knew {known} bounds");
        }
        assert_eq!((|_: f64, _: f64| [0.0; 3]).highest([0.0; 2], [1.0; 2]), f64::INFINITY);
    }

    #[test]
    fn a_sampled_plane_is_a_plane() {
        let plane = PlaneTerrain::new([0.0, 0.0, 0.1], [0.1, -0.3, 1.0]);
        let heights: Vec<f64> =
            (0..36).map(|k| plane.height_and_normal(0.2 * (k % 6) as f64, 0.2 * (k / 6) as f64).0).collect();
        let field = HeightField::new([0.0, 0.0], 0.2, 6, heights);
        let mut g = SplitMix(8);
        for _ in 0..200 {
            let (x, y) = (g.unit(), g.unit());
            let (a, b) = (plane.height_and_normal(x, y), field.height_and_normal(x, y));
            assert!((a.0 - b.0).abs() < 1e-14 && (a.1 - b.1).length() < 1e-13);
        }
    }

    #[test]
    fn unusable_terrains_are_refused() {
        assert!(
            HeightField::new([0.0; 2], 0.1, 3, vec![0.0; 7]).validate().unwrap_err().reason.contains("whole lines")
        );
        assert!(HeightField::new([0.0; 2], 0.0, 2, vec![0.0; 4]).validate().unwrap_err().reason.contains("spacing"));
        assert!(HeightField::new([0.0; 2], 0.1, 0, vec![0.0; 4]).validate().is_err());
        assert!(
            HeightField::new([0.0; 2], 0.1, 2, [0.0, 0.0, f64::NAN, 0.0]).validate().unwrap_err().reason.contains("2")
        );
        assert!(PlaneTerrain::new([0.0; 3], [1.0, 0.0, 0.0]).validate().unwrap_err().reason.contains("upwards"));
    }
}

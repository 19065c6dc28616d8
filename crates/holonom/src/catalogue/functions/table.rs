//! Tables: straight between samples, or smooth without overshoot.
//!
//! ```text
//! table         f = y_i + slope_i (x - x_i)                              slope_i = (y_{i+1} - y_i)/h_i
//! smooth table  cubic on every piece, with values y_i and slopes d_i at the samples
//! ```
//!
//! The slopes d_i of the smooth table (Fritsch and Carlson; Butland's weights) are zero where the slopes on both sides
//! differ in sign or one is zero, otherwise their weighted harmonic mean
//!
//! ```text
//! d_i = (w_1 + w_2) / (w_1/slope_{i-1} + w_2/slope_i),     w_1 = 2 h_i + h_{i-1},  w_2 = h_i + 2 h_{i-1}
//! ```
//!
//! and at the ends the slope of the parabola through three samples, cut to the range that keeps the piece monotone. So
//! f rises where the samples rise, falls where they fall, and has its extrema at samples. Both tables go on straight
//! beyond their ends, with the slope they have there; a law that stays constant has its last value twice.

use super::{Function, check_samples};
use crate::catalogue::curves::piece;
use crate::catalogue::declaration::Invalid;

/// Of a function that is monotone between its samples: the largest of its values at both ends and at the samples
/// between them.
fn highest(f: &dyn Function, x: &[f64], y: &[f64], from: f64, to: f64) -> f64 {
    let between = x.partition_point(|&k| k <= from)..x.partition_point(|&k| k < to);
    let samples = y.get(between).unwrap_or_default();
    samples.iter().copied().fold(f.at(from)[0].max(f.at(to)[0]), f64::max)
}

/// Straight between samples. **Its rate jumps at every sample** (at a sample, the rate is that of the piece after it):
/// good for laws of forces, not for prescribed motions.
#[derive(Clone, Debug)]
pub struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    fault: Option<Invalid>,
}

impl Table {
    /// Through the points `(x, y)`.
    pub fn new(x: &[f64], y: &[f64]) -> Self {
        Table { x: x.to_vec(), y: y.to_vec(), fault: check_samples(x, y).err() }
    }
}

impl Function for Table {
    fn at(&self, x: f64) -> [f64; 3] {
        if self.fault.is_some() {
            return [f64::NAN; 3];
        }
        let i = piece(&self.x, x);
        let slope = (self.y[i + 1] - self.y[i]) / (self.x[i + 1] - self.x[i]);
        [self.y[i] + slope * (x - self.x[i]), slope, 0.0]
    }
    fn highest(&self, from: f64, to: f64) -> f64 {
        highest(self, &self.x, &self.y, from, to)
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

/// Through samples with a continuous rate, rising where they rise and falling where they fall: for laws of springs and
/// motors. Its second derivative jumps at the samples.
#[derive(Clone, Debug)]
pub struct SmoothTable {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Of each piece y_i + d z + b z^2 + c z^3: d, b, c.
    pieces: Vec<[f64; 3]>,
    fault: Option<Invalid>,
}

impl SmoothTable {
    /// Through the points `(x, y)`.
    pub fn new(x: &[f64], y: &[f64]) -> Self {
        let fault = check_samples(x, y).err();
        let mut pieces = Vec::new();
        if fault.is_none() {
            let slopes = monotone_slopes(x, y);
            for i in 0..x.len() - 1 {
                let h = x[i + 1] - x[i];
                let (slope, d, e) = ((y[i + 1] - y[i]) / h, slopes[i], slopes[i + 1]);
                pieces.push([d, (3.0 * slope - 2.0 * d - e) / h, (d + e - 2.0 * slope) / (h * h)]);
            }
        }
        SmoothTable { x: x.to_vec(), y: y.to_vec(), pieces, fault }
    }
}

fn monotone_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h = |i: usize| x[i + 1] - x[i];
    let secant = |i: usize| (y[i + 1] - y[i]) / h(i);
    if n == 2 {
        return vec![secant(0); 2];
    }
    // at an end: h and slope of the piece there, then of the next one
    let end = |h: f64, next_h: f64, slope: f64, next: f64| {
        let d = ((2.0 * h + next_h) * slope - h * next) / (h + next_h);
        if d * slope <= 0.0 {
            0.0
        } else if slope * next <= 0.0 && d.abs() > 3.0 * slope.abs() {
            3.0 * slope
        } else {
            d
        }
    };
    let mut d: Vec<f64> = (0..n)
        .map(|i| {
            if i == 0 || i == n - 1 {
                return 0.0;
            }
            let (left, right) = (secant(i - 1), secant(i));
            if left * right <= 0.0 {
                return 0.0;
            }
            let (w, z) = (2.0 * h(i) + h(i - 1), h(i) + 2.0 * h(i - 1));
            (w + z) / (w / left + z / right)
        })
        .collect();
    d[0] = end(h(0), h(1), secant(0), secant(1));
    d[n - 1] = end(h(n - 2), h(n - 3), secant(n - 2), secant(n - 3));
    d
}

impl Function for SmoothTable {
    fn at(&self, x: f64) -> [f64; 3] {
        if self.fault.is_some() {
            return [f64::NAN; 3];
        }
        let inside = x.clamp(self.x[0], self.x[self.x.len() - 1]);
        let i = piece(&self.x, inside);
        let z = inside - self.x[i];
        let [d, b, c] = self.pieces[i];
        let f = self.y[i] + z * (d + z * (b + z * c));
        let rate = d + z * (2.0 * b + 3.0 * z * c);
        if x == inside { [f, rate, 2.0 * b + 6.0 * z * c] } else { [f + rate * (x - inside), rate, 0.0] }
    }
    fn highest(&self, from: f64, to: f64) -> f64 {
        highest(self, &self.x, &self.y, from, to)
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

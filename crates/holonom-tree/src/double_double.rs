//! Numbers of twice the precision: an unevaluated sum `hi + lo` of two floats, `|lo| <= ulp(hi) / 2`, about 31 decimal
//! digits (Dekker 1971, Knuth). The error of a float sum is a float, and so is that of a product; both can be had with
//! float operations alone:
//!
//! ```text
//!     s = fl(a + b),  b' = fl(s - a),  a' = fl(s - b'),    a + b = s + (a - a') + (b - b')            exactly
//!     p = fl(a b),    a = a1 + a2, b = b1 + b2 by halves,  a b = p + (a1 b1 - p + a1 b2 + a2 b1 + a2 b2)
//! ```
//!
//! Products are split by multiplication with 2^27 + 1 rather than taken from `mul_add`, which is slow where the target
//! has no such instruction. Splitting overflows above 1e300; magnitudes in a matrix are far below that.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `hi + lo`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DoubleDouble {
    hi: f64,
    lo: f64,
}

const ZERO: DoubleDouble = DoubleDouble { hi: 0.0, lo: 0.0 };

#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_part = s - a;
    let a_part = s - b_part;
    (s, (a - a_part) + (b - b_part))
}

/// The same where `|a| >= |b|`.
#[inline(always)]
fn quick_two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    DoubleDouble { hi, lo: b - (hi - a) }
}

#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let t = 134_217_729.0 * a;
    let high = t - (t - a);
    (high, a - high)
}

#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl DoubleDouble {
    pub const ZERO: Self = ZERO;

    /// The nearest float.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.hi
    }

    /// `1 / self`.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        DoubleDouble::from(1.0) / self
    }
}

impl From<f64> for DoubleDouble {
    #[inline(always)]
    fn from(x: f64) -> Self {
        DoubleDouble { hi: x, lo: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        DoubleDouble { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // both halves are summed with their errors: sums that cancel keep all their digits
        let (s, e) = two_sum(self.hi, b.hi);
        let (t, f) = two_sum(self.lo, b.lo);
        let first = quick_two_sum(s, e + t);
        quick_two_sum(first.hi, first.lo + f)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (p, e) = two_product(self.hi, b.hi);
        quick_two_sum(p, e + (self.hi * b.lo + self.lo * b.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        // three digits of base 2^53, each the quotient of what the ones before have left
        let q1 = self.hi / b.hi;
        let r = self - b * DoubleDouble::from(q1);
        let q2 = r.hi / b.hi;
        let r = r - b * DoubleDouble::from(q2);
        quick_two_sum(q1, q2) + DoubleDouble::from(r.hi / b.hi)
    }
}

impl AddAssign for DoubleDouble {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for DoubleDouble {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against integers: numbers with 60 bits, whose sums and products are exact in 128.
    #[test]
    fn sums_products_and_quotients_have_thirty_digits() {
        let mut seed = 88_172_645_463_325_252_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 4) as i128 * if seed & 1 == 0 { 1 } else { -1 }
        };
        let number = |i: i128| {
            let hi = i as f64;
            DoubleDouble { hi, lo: (i - hi as i128) as f64 }
        };
        let exact = |d: DoubleDouble| d.hi as i128 + d.lo as i128;
        for _ in 0..10_000 {
            let (a, b) = (next(), next());
            let (x, y) = (number(a), number(b));
            assert_eq!(exact(x + y), a + b);
            assert_eq!(exact(x - y), a - b);
            let error = (exact(x * y) - a * b).unsigned_abs() as f64;
            assert!(error <= 1e-31 * (a as f64 * b as f64).abs(), "{a} * {b}: {error:e}");
            let back = x / y * y - x;
            assert!(back.hi.abs() <= 1e-30 * x.hi.abs(), "{a} / {b}: {:e}", back.hi);
        }
    }
}

//! Numbers that differentiate themselves: write a formula once, get its derivatives.
//!
//! A [`Number`] carries a value x(t) that depends on time through things that move, and with it
//!
//! ```text
//! gradient   dx/d(input k) for every input: which way each input changes it
//! rate       dx/dt       along the motion of the inputs
//! second     d²x/dt²     along the same motion, inputs taken to move on with constant rates
//! ```
//!
//! Inputs are seeded as (value, rate, 0) with a unit gradient. Every operation applies the chain rule to all of it:
//!
//! ```text
//! f(x):   gradient  f' g          rate  f' x'             second  f' x'' + f'' x'²
//! x y:    gradient  x g_y + y g_x rate  x y' + x' y       second  x y'' + 2 x' y' + x'' y
//! ```
//!
//! For a residual C written against attachments, `gradient` is what the Jacobian is made of and `second` is the row's curvature: exactly the two
//! things that a joint written by hand must derive. There is no truncation error: the results are those of the formulas to rounding.
//!
//! Two kinds of inputs occur: the attachments of a constraint (gradient: one vector each, [`Point`]) and the parameters of a body (gradient: one
//! number each).

use crate::math::{Mat3, Vec3, vec3};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// What a gradient must know: it is a vector.
pub trait Gradient: Copy + Send + Sync {
    /// No dependence.
    const ZERO: Self;
    /// `self + s other`.
    fn plus(self, other: &Self, s: f64) -> Self;
    /// `a self + b other`.
    fn combine(self, a: f64, other: &Self, b: f64) -> Self;
    /// `s self`.
    fn scaled(self, s: f64) -> Self;
}

macro_rules! gradient {
    ($cell:ty, $zero:expr) => {
        impl<const N: usize> Gradient for [$cell; N] {
            const ZERO: Self = [$zero; N];
            #[inline(always)]
            fn plus(mut self, other: &Self, s: f64) -> Self {
                for k in 0..N {
                    self[k] += other[k] * s;
                }
                self
            }
            #[inline(always)]
            fn combine(mut self, a: f64, other: &Self, b: f64) -> Self {
                for k in 0..N {
                    self[k] = self[k] * a + other[k] * b;
                }
                self
            }
            #[inline(always)]
            fn scaled(mut self, s: f64) -> Self {
                for k in 0..N {
                    self[k] *= s;
                }
                self
            }
        }
    };
}
gradient!(Vec3, Vec3::ZERO);
gradient!(f64, 0.0);

/// A value with its derivatives. `G` is the gradient: `[Vec3; N]` for N attachments, `[f64; N]` for N parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number<G> {
    /// The value.
    pub value: f64,
    /// Its time derivative.
    pub rate: f64,
    /// Its second time derivative, inputs taken to have none.
    pub second: f64,
    /// Its derivatives by the inputs.
    pub gradient: G,
}

impl<G: Gradient> Number<G> {
    /// A number that depends on nothing.
    #[inline(always)]
    pub fn constant(value: f64) -> Self {
        Number { value, rate: 0.0, second: 0.0, gradient: G::ZERO }
    }

    /// A function of this number, from the function's value, first and second derivative there.
    #[inline(always)]
    pub fn lift(self, [f, f1, f2]: [f64; 3]) -> Self {
        Number {
            value: f,
            rate: f1 * self.rate,
            second: f1 * self.second + f2 * self.rate * self.rate,
            gradient: self.gradient.scaled(f1),
        }
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        let r = self.value.sqrt();
        self.lift([r, 0.5 / r, -0.25 / (r * self.value)])
    }

    /// Sine.
    pub fn sin(self) -> Self {
        let (s, c) = libm::sincos(self.value);
        self.lift([s, c, -s])
    }

    /// Cosine.
    pub fn cos(self) -> Self {
        let (s, c) = libm::sincos(self.value);
        self.lift([c, -s, -c])
    }

    /// Tangent.
    pub fn tan(self) -> Self {
        let f = libm::tan(self.value);
        let f1 = 1.0 + f * f;
        self.lift([f, f1, 2.0 * f * f1])
    }

    /// Exponential.
    pub fn exp(self) -> Self {
        let f = libm::exp(self.value);
        self.lift([f, f, f])
    }

    /// Natural logarithm.
    pub fn ln(self) -> Self {
        let i = 1.0 / self.value;
        self.lift([libm::log(self.value), i, -i * i])
    }

    /// Arc sine, in [-pi/2, pi/2].
    pub fn asin(self) -> Self {
        let c = 1.0 - self.value * self.value;
        let f1 = 1.0 / c.sqrt();
        self.lift([libm::asin(self.value), f1, self.value * f1 / c])
    }

    /// Arc cosine, in [0, pi].
    pub fn acos(self) -> Self {
        let c = 1.0 - self.value * self.value;
        let f1 = -1.0 / c.sqrt();
        self.lift([libm::acos(self.value), f1, self.value * f1 / c])
    }

    /// Arc tangent, in (-pi/2, pi/2).
    pub fn atan(self) -> Self {
        let f1 = 1.0 / (1.0 + self.value * self.value);
        self.lift([libm::atan(self.value), f1, -2.0 * self.value * f1 * f1])
    }

    /// The angle of the point (`x`, `self`), in (-pi, pi]. Turned back by its own value it is the arc tangent of a number that vanishes, which is
    /// that number to second order.
    #[inline(always)]
    pub fn atan2(self, x: Self) -> Self {
        let (s, c) = (self.value, x.value);
        let turned = (self * c - x * s) / (x * c + self * s);
        Number { value: libm::atan2(s, c), ..turned }
    }

    /// A whole power.
    pub fn powi(self, n: i32) -> Self {
        let p = |k: i32| if k == 0 { 1.0 } else { libm::pow(self.value, k as f64) };
        let n_f = n as f64;
        let f1 = if n == 0 { 0.0 } else { n_f * p(n - 1) };
        let f2 = if n == 0 || n == 1 { 0.0 } else { n_f * (n_f - 1.0) * p(n - 2) };
        self.lift([p(n), f1, f2])
    }

    /// The number without its sign. At zero the derivatives are those of the positive side.
    pub fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }

    /// The square.
    #[inline(always)]
    pub fn squared(self) -> Self {
        self * self
    }
}

impl<G: Gradient> Add for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Number {
            value: self.value + o.value,
            rate: self.rate + o.rate,
            second: self.second + o.second,
            gradient: self.gradient.plus(&o.gradient, 1.0),
        }
    }
}

impl<G: Gradient> Sub for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Number {
            value: self.value - o.value,
            rate: self.rate - o.rate,
            second: self.second - o.second,
            gradient: self.gradient.plus(&o.gradient, -1.0),
        }
    }
}

impl<G: Gradient> Mul for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Number {
            value: self.value * o.value,
            rate: self.value * o.rate + self.rate * o.value,
            second: self.value * o.second + 2.0 * self.rate * o.rate + self.second * o.value,
            gradient: self.gradient.combine(o.value, &o.gradient, self.value),
        }
    }
}

impl<G: Gradient> Div for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        // q o = x: differentiate the product and solve for q
        let i = 1.0 / o.value;
        let value = self.value * i;
        let rate = (self.rate - value * o.rate) * i;
        let second = (self.second - 2.0 * rate * o.rate - value * o.second) * i;
        Number { value, rate, second, gradient: self.gradient.combine(i, &o.gradient, -value * i) }
    }
}

impl<G: Gradient> Neg for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl<G: Gradient> Add<f64> for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn add(self, s: f64) -> Self {
        Number { value: self.value + s, ..self }
    }
}

impl<G: Gradient> Sub<f64> for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, s: f64) -> Self {
        Number { value: self.value - s, ..self }
    }
}

impl<G: Gradient> Mul<f64> for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Number {
            value: self.value * s,
            rate: self.rate * s,
            second: self.second * s,
            gradient: self.gradient.scaled(s),
        }
    }
}

impl<G: Gradient> Div<f64> for Number<G> {
    type Output = Self;
    #[inline(always)]
    fn div(self, s: f64) -> Self {
        self * (1.0 / s)
    }
}

impl<G: Gradient> Add<Number<G>> for f64 {
    type Output = Number<G>;
    #[inline(always)]
    fn add(self, n: Number<G>) -> Number<G> {
        n + self
    }
}

impl<G: Gradient> Sub<Number<G>> for f64 {
    type Output = Number<G>;
    #[inline(always)]
    fn sub(self, n: Number<G>) -> Number<G> {
        -n + self
    }
}

impl<G: Gradient> Mul<Number<G>> for f64 {
    type Output = Number<G>;
    #[inline(always)]
    fn mul(self, n: Number<G>) -> Number<G> {
        n * self
    }
}

impl<G: Gradient> Div<Number<G>> for f64 {
    type Output = Number<G>;
    #[inline(always)]
    fn div(self, n: Number<G>) -> Number<G> {
        Number::constant(self) / n
    }
}

impl<G: Gradient> AddAssign for Number<G> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<G: Gradient> SubAssign for Number<G> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<G: Gradient> std::iter::Sum for Number<G> {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Number::constant(0.0), |a, b| a + b)
    }
}

/// Three numbers: a point or a direction in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector<G> {
    /// Along the world's x.
    pub x: Number<G>,
    /// Along the world's y.
    pub y: Number<G>,
    /// Along the world's z.
    pub z: Number<G>,
}

impl<G: Gradient> Vector<G> {
    /// From three numbers.
    #[inline(always)]
    pub fn new(x: Number<G>, y: Number<G>, z: Number<G>) -> Self {
        Vector { x, y, z }
    }

    /// A vector that depends on nothing.
    #[inline(always)]
    pub fn constant(v: Vec3) -> Self {
        Vector { x: Number::constant(v.x), y: Number::constant(v.y), z: Number::constant(v.z) }
    }

    /// Its value.
    #[inline(always)]
    pub fn value(&self) -> Vec3 {
        vec3(self.x.value, self.y.value, self.z.value)
    }

    /// Its time derivative.
    #[inline(always)]
    pub fn rate(&self) -> Vec3 {
        vec3(self.x.rate, self.y.rate, self.z.rate)
    }

    /// Its second time derivative, inputs taken to have none.
    #[inline(always)]
    pub fn second(&self) -> Vec3 {
        vec3(self.x.second, self.y.second, self.z.second)
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> Number<G> {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Scalar product with a fixed vector.
    #[inline(always)]
    pub fn along(self, d: Vec3) -> Number<G> {
        self.x * d.x + self.y * d.y + self.z * d.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Vector { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }

    /// Length. It has no derivatives at zero.
    #[inline(always)]
    pub fn length(self) -> Number<G> {
        self.dot(self).sqrt()
    }

    /// The same direction with length 1.
    #[inline(always)]
    pub fn normalize(self) -> Self {
        self / self.length()
    }

    /// Multiplied by a fixed matrix.
    #[inline(always)]
    pub fn turned(self, m: &Mat3) -> Self {
        let rows = m.transpose();
        Vector { x: self.along(rows.x_axis), y: self.along(rows.y_axis), z: self.along(rows.z_axis) }
    }
}

macro_rules! componentwise {
    ($trait:ident, $method:ident, $other:ty, |$a:ident, $b:ident| $x:expr, $y:expr, $z:expr) => {
        impl<G: Gradient> $trait<$other> for Vector<G> {
            type Output = Vector<G>;
            #[inline(always)]
            fn $method(self, other: $other) -> Vector<G> {
                let ($a, $b) = (self, other);
                Vector { x: $x, y: $y, z: $z }
            }
        }
    };
}
componentwise!(Add, add, Vector<G>, |a, b| a.x + b.x, a.y + b.y, a.z + b.z);
componentwise!(Sub, sub, Vector<G>, |a, b| a.x - b.x, a.y - b.y, a.z - b.z);
componentwise!(Add, add, Vec3, |a, b| a.x + b.x, a.y + b.y, a.z + b.z);
componentwise!(Sub, sub, Vec3, |a, b| a.x - b.x, a.y - b.y, a.z - b.z);
componentwise!(Mul, mul, Number<G>, |a, b| a.x * b, a.y * b, a.z * b);
componentwise!(Mul, mul, f64, |a, b| a.x * b, a.y * b, a.z * b);
componentwise!(Div, div, f64, |a, b| a.x / b, a.y / b, a.z / b);

impl<G: Gradient> Div<Number<G>> for Vector<G> {
    type Output = Vector<G>;
    #[inline(always)]
    fn div(self, n: Number<G>) -> Vector<G> {
        let i = 1.0 / n;
        self * i
    }
}

impl<G: Gradient> Neg for Vector<G> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self * -1.0
    }
}

/// A number that depends on N attachments.
pub type Num<const N: usize> = Number<[Vec3; N]>;

/// A point or direction that depends on N attachments.
pub type Point<const N: usize> = Vector<[Vec3; N]>;

/// An attachment that is where it is and moves as it moves: what velocity rows are written against. `at` carries no gradient, `rate` does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingInput<const N: usize> {
    /// Position or direction; zero for a spin.
    pub at: Point<N>,
    /// Velocity, rate of the direction, or angular velocity.
    pub rate: Point<N>,
}

/// The three coordinates of input `k`: value, rate, unit gradients.
#[inline(always)]
pub(crate) fn seed<const N: usize>(k: usize, value: Vec3, rate: Vec3) -> Point<N> {
    let number = |i: usize, e: Vec3| {
        let mut gradient = [Vec3::ZERO; N];
        gradient[k] = e;
        Number { value: value[i], rate: rate[i], second: 0.0, gradient }
    };
    Vector { x: number(0, Vec3::X), y: number(1, Vec3::Y), z: number(2, Vec3::Z) }
}

/// A vector that moves but is no input.
#[inline(always)]
pub(crate) fn moving<const N: usize>(value: Vec3, rate: Vec3) -> Point<N> {
    let number = |i: usize| Number { value: value[i], rate: rate[i], second: 0.0, gradient: [Vec3::ZERO; N] };
    Vector { x: number(0), y: number(1), z: number(2) }
}

/// Time as a number.
#[inline(always)]
pub(crate) fn time<const N: usize>(t: f64) -> Num<N> {
    Number { value: t, rate: 1.0, second: 0.0, gradient: [Vec3::ZERO; N] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// One formula with every operation in it.
    fn formula(p: Point<2>, q: Point<2>, t: Num<2>) -> Num<2> {
        let d = p - q;
        let r = (d.length() + 0.5).ln() * (p.x * q.y).sin() + (t * p.z).cos() / (q.dot(q) + 2.0);
        let angle = d.cross(p).z.atan2(d.x + 3.0);
        let small = (p.y * 0.3).asin() + (q.z * 0.2).acos() + (p.x - q.z).atan() + (q.x * 0.5).tan();
        let rest = (p.y * q.y * 0.1).exp() - d.normalize().along(vec3(0.2, -0.4, 1.0)) + (p.x + 2.0).powi(3);
        r + angle * 2.0 - small + 1.0 / (rest + 40.0) - (p.z - 0.1).abs().squared() + (2.0 - q.x) / 3.0 - (t * t)
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut g = SplitMix(11);
        for _ in 0..50 {
            let (p, q, vp, vq, t) = (g.vec3(1.0), g.vec3(1.0), g.vec3(1.0), g.vec3(1.0), g.symmetric(1.0));
            let at = |p: Vec3, q: Vec3, t: f64| formula(seed(0, p, vp), seed(1, q, vq), time(t));
            let f = at(p, q, t);
            let h = 1e-5;
            let moved = |h: f64| at(p + vp * h, q + vq * h, t + h);
            let (ahead, behind) = (moved(h), moved(-h));
            let close = |a: f64, b: f64, what: &str| {
                assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "{what}: {a} against {b}");
            };
            close(f.rate, (ahead.value - behind.value) / (2.0 * h), "rate");
            close(f.second, (ahead.rate - behind.rate) / (2.0 * h), "second");
            for (i, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let along_p = (at(p + e * h, q, t).value - at(p - e * h, q, t).value) / (2.0 * h);
                let along_q = (at(p, q + e * h, t).value - at(p, q - e * h, t).value) / (2.0 * h);
                close(f.gradient[0][i], along_p, "gradient by the first input");
                close(f.gradient[1][i], along_q, "gradient by the second input");
            }
        }
    }
}

//! Eigenvalues and eigenvectors of a general real matrix.
//!
//! ```text
//! balance       D^-1 A D with powers of two in D, until rows and columns are of a size (Osborne; Parlett and Reinsch 1969)
//! Hessenberg    Householder reflections, real
//! Schur         A = Q T Q^H by the QR algorithm with Wilkinson's shift, complex: T is triangular, its diagonal the eigenvalues
//! vectors       T y = lambda y by back substitution, then x = D Q y
//! ```
//!
//! Free directions make zeros that come in chains (a place, the speed that changes it), and errors of A move a chain of
//! k zeros by their k-th root, with all that is near. So they are taken out first, by a staircase (Kublanovskaya 1966):
//! with X an orthonormal basis of the null space and Y of its complement
//!
//! ```text
//! A [X Y] = [X Y] [0 C; 0 B],     B = Y^T A Y,  C = X^T A Y          and again with B, until nothing is annihilated
//! B y = lambda y   =>   A (X C y / lambda + Y y) = lambda (...)
//! ```
//!
//! Eigenvalues of a real matrix are real or come in conjugate pairs. In complex arithmetic this holds up to rounding;
//! it is restored at the end.

use crate::analysis::dense::{add, dot, null_space, size};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// Zero.
    pub const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    /// From real and imaginary part.
    pub const fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }
    /// The conjugate.
    pub fn conjugate(self) -> Self {
        Complex::new(self.re, -self.im)
    }
    /// The absolute value.
    pub fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }
    fn square(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
    fn scaled(self, s: f64) -> Self {
        Complex::new(self.re * s, self.im * s)
    }
    fn sqrt(self) -> Self {
        let r = self.abs();
        let re = (0.5 * (r + self.re.abs())).sqrt();
        if re == 0.0 {
            return Complex::ZERO;
        }
        let im = 0.5 * self.im.abs() / re;
        let (re, im) = if self.re >= 0.0 { (re, im) } else { (im, re) };
        Complex::new(re, if self.im < 0.0 { -im } else { im })
    }
}

impl std::ops::Add for Complex {
    type Output = Complex;
    fn add(self, b: Complex) -> Complex {
        Complex::new(self.re + b.re, self.im + b.im)
    }
}
impl std::ops::Sub for Complex {
    type Output = Complex;
    fn sub(self, b: Complex) -> Complex {
        Complex::new(self.re - b.re, self.im - b.im)
    }
}
impl std::ops::Mul for Complex {
    type Output = Complex;
    fn mul(self, b: Complex) -> Complex {
        Complex::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}
impl std::ops::Div for Complex {
    type Output = Complex;
    fn div(self, b: Complex) -> Complex {
        let s = 1.0 / b.re.abs().max(b.im.abs());
        let c = b.scaled(s);
        (self.scaled(s) * c.conjugate()).scaled(1.0 / c.square())
    }
}
impl std::ops::Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex::new(-self.re, -self.im)
    }
}

/// Eigenvalues, with an eigenvector of length 1 for each.
pub(super) struct Eigen {
    pub values: Vec<Complex>,
    pub vectors: Vec<Vec<Complex>>,
}

/// Eigenvalues and eigenvectors of the real `n x n` matrix `a`, in no particular order; conjugate pairs are exact.
/// `None` when the iteration does not end, which no finite matrix is known to bring about.
pub(super) fn eigen(a: &[f64], n: usize) -> Option<Eigen> {
    let mut h = a.to_vec();
    let scale = balance(&mut h, n);
    let q = hessenberg(&mut h, n);
    let mut t: Vec<Complex> = h.iter().map(|&x| Complex::new(x, 0.0)).collect();
    let mut q: Vec<Complex> = q.iter().map(|&x| Complex::new(x, 0.0)).collect();
    schur(&mut t, &mut q, n)?;
    let values: Vec<Complex> = (0..n).map(|i| t[i * n + i]).collect();
    let norm = t.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let vectors = (0..n).map(|k| vector(&t, &q, &scale, n, k, norm)).collect();
    let mut out = Eigen { values, vectors };
    out.pair(4.0 * f64::EPSILON * n as f64 * norm);
    Some(out)
}

/// The same, with chains of zeros taken out first: what is annihilated to within `tolerance` is exactly so. Vectors
/// that belong to zeros are those of the chains, the eigenvectors first.
pub(super) fn staircase(a: &[f64], n: usize, tolerance: f64) -> Option<Eigen> {
    // X, Y and C of every stair
    let mut stairs: Vec<[Vec<Vec<f64>>; 3]> = Vec::new();
    let mut b: Vec<Vec<f64>> = a.chunks_exact(n.max(1)).map(|row| row.to_vec()).collect();
    loop {
        let size = b.len();
        let x = null_space(b.clone(), size, tolerance);
        if x.is_empty() {
            break;
        }
        let y = null_space(x.clone(), size, 0.5);
        let image: Vec<Vec<f64>> = y.iter().map(|y| b.iter().map(|row| dot(row, y)).collect()).collect();
        let project = |onto: &[Vec<f64>]| -> Vec<Vec<f64>> {
            onto.iter().map(|o| image.iter().map(|i| dot(o, i)).collect()).collect()
        };
        let (c, next) = (project(&x), project(&y));
        stairs.push([x, y, c]);
        b = next;
    }
    // back up the stairs
    let lift = |value: Complex, mut v: Vec<Complex>, from: usize| -> Vec<Complex> {
        for [x, y, c] in stairs[..from].iter().rev() {
            let mut out = vec![Complex::ZERO; x[0].len()];
            let mut put = |column: &[f64], s: Complex| {
                out.iter_mut().zip(column).for_each(|(o, k)| *o = *o + s.scaled(*k));
            };
            y.iter().zip(&v).for_each(|(y, v)| put(y, *v));
            if value.abs() > 0.0 {
                for (x, c) in x.iter().zip(c) {
                    put(x, c.iter().zip(&v).fold(Complex::ZERO, |s, (c, v)| s + v.scaled(*c)) / value);
                }
            }
            v = out;
        }
        let length = v.iter().map(|x| x.square()).sum::<f64>().sqrt();
        v.iter().map(|x| x.scaled(1.0 / length)).collect()
    };
    let mut out = Eigen { values: Vec::new(), vectors: Vec::new() };
    for (k, [x, ..]) in stairs.iter().enumerate() {
        for x in x {
            out.values.push(Complex::ZERO);
            out.vectors.push(lift(Complex::ZERO, x.iter().map(|x| Complex::new(*x, 0.0)).collect(), k));
        }
    }
    let rest = eigen(&b.concat(), b.len())?;
    for (value, vector) in rest.values.into_iter().zip(rest.vectors) {
        out.vectors.push(lift(value, vector, stairs.len()));
        out.values.push(value);
    }
    Some(out)
}

impl Eigen {
    /// Make conjugate pairs exact, and real what differs from the real axis by rounding only.
    fn pair(&mut self, noise: f64) {
        let n = self.values.len();
        let mut done = vec![false; n];
        for i in 0..n {
            if done[i] {
                continue;
            }
            done[i] = true;
            let value = self.values[i];
            let apart = |j: usize| (self.values[j] - value.conjugate()).abs();
            let partner = (0..n).filter(|&j| !done[j] && self.values[j].im * value.im < 0.0).fold(
                None,
                |best: Option<usize>, j| if best.is_some_and(|b| apart(b) <= apart(j)) { best } else { Some(j) },
            );
            match partner {
                Some(j) if value.im.abs() > noise => {
                    done[j] = true;
                    let other = self.values[j].conjugate();
                    let mean = (value + other).scaled(0.5);
                    (self.values[i], self.values[j]) = (mean, mean.conjugate());
                    self.vectors[j] = self.vectors[i].iter().map(|x| x.conjugate()).collect();
                }
                _ => {
                    self.values[i].im = 0.0;
                    make_real(&mut self.vectors[i]);
                }
            }
        }
    }
}

/// Turn the phase of a vector that is real but for a factor, and drop what is left of the imaginary part.
fn make_real(x: &mut [Complex]) {
    let largest = x.iter().fold(Complex::ZERO, |m, x| if x.abs() > m.abs() { *x } else { m });
    if largest.abs() > 0.0 {
        let phase = largest.conjugate().scaled(1.0 / largest.abs());
        x.iter_mut().for_each(|x| *x = Complex::new((*x * phase).re, 0.0));
    }
}

/// Balance in place; returns D.
fn balance(a: &mut [f64], n: usize) -> Vec<f64> {
    let mut d = vec![1.0; n];
    for _ in 0..40 {
        let mut settled = true;
        for i in 0..n {
            let (mut column, mut row) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                column += a[j * n + i].abs();
                row += a[i * n + j].abs();
            }
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (before, mut f, mut c, mut r) = (column + row, 1.0, column, row);
            while c < 0.5 * r {
                (c, r, f) = (2.0 * c, 0.5 * r, 2.0 * f);
            }
            while c >= 2.0 * r {
                (c, r, f) = (0.5 * c, 2.0 * r, 0.5 * f);
            }
            if c + r < 0.95 * before {
                settled = false;
                d[i] *= f;
                for j in 0..n {
                    a[i * n + j] /= f;
                }
                for j in 0..n {
                    a[j * n + i] *= f;
                }
            }
        }
        if settled {
            break;
        }
    }
    d
}

/// `A = Q H Q^T` with H in the place of A and zero below its subdiagonal; returns Q.
fn hessenberg(a: &mut [f64], n: usize) -> Vec<f64> {
    let mut q: Vec<f64> = (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
    for k in 0..n.saturating_sub(2) {
        let first = k + 1;
        let mut u: Vec<f64> = (first..n).map(|i| a[i * n + k]).collect();
        if size(&u[1..]) == 0.0 {
            continue;
        }
        let length = dot(&u, &u).sqrt();
        u[0] += if u[0] < 0.0 { -length } else { length };
        let scale = (2.0 / dot(&u, &u)).sqrt();
        u.iter_mut().for_each(|x| *x *= scale);
        let mut left = vec![0.0; n];
        for (i, row) in a.chunks_exact(n).enumerate().skip(first) {
            add(&mut left, u[i - first], row);
        }
        for (i, row) in a.chunks_exact_mut(n).enumerate().skip(first) {
            add(row, -u[i - first], &left);
        }
        for row in a.chunks_exact_mut(n).chain(q.chunks_exact_mut(n)) {
            let s = dot(&row[first..], &u);
            add(&mut row[first..], -s, &u);
        }
        for i in k + 2..n {
            a[i * n + k] = 0.0;
        }
    }
    q
}

/// From Hessenberg to triangular form in place; `q` gathers the rotations.
fn schur(t: &mut [Complex], q: &mut [Complex], n: usize) -> Option<()> {
    let mut high = n.saturating_sub(1);
    let mut rounds = 0;
    let total = size(&t.iter().map(|x| x.abs()).collect::<Vec<_>>());
    while high > 0 {
        let low = (1..=high)
            .rev()
            .find(|&k| {
                let near = t[(k - 1) * n + k - 1].abs() + t[k * n + k].abs();
                let near = if near > 0.0 { near } else { total };
                t[k * n + k - 1].abs() <= f64::EPSILON * near
            })
            .unwrap_or(0);
        if low > 0 {
            t[low * n + low - 1] = Complex::ZERO;
        }
        if low == high {
            high -= 1;
            rounds = 0;
            continue;
        }
        rounds += 1;
        if rounds > 300 {
            return None;
        }
        let shift = if rounds % 11 == 10 {
            // a shift off the beaten track ends the rare cycles
            t[high * n + high] + Complex::new(t[high * n + high - 1].abs(), 0.3 * t[high * n + high - 1].abs())
        } else {
            wilkinson(
                t[(high - 1) * n + high - 1],
                t[(high - 1) * n + high],
                t[high * n + high - 1],
                t[high * n + high],
            )
        };
        (low..=high).for_each(|i| t[i * n + i] = t[i * n + i] - shift);
        let mut rotations = Vec::with_capacity(high - low);
        for k in low..high {
            let (a, b) = (t[k * n + k], t[(k + 1) * n + k]);
            let r = (a.square() + b.square()).sqrt();
            let (a, b) =
                if r > 0.0 { (a.scaled(1.0 / r), b.scaled(1.0 / r)) } else { (Complex::new(1.0, 0.0), Complex::ZERO) };
            for j in k..n {
                let (x, y) = (t[k * n + j], t[(k + 1) * n + j]);
                t[k * n + j] = a.conjugate() * x + b.conjugate() * y;
                t[(k + 1) * n + j] = a * y - b * x;
            }
            rotations.push((a, b));
        }
        for (k, (a, b)) in (low..high).zip(rotations) {
            let turn = |m: &mut [Complex], rows: usize| {
                for i in 0..rows {
                    let (x, y) = (m[i * n + k], m[i * n + k + 1]);
                    m[i * n + k] = x * a + y * b;
                    m[i * n + k + 1] = y * a.conjugate() - x * b.conjugate();
                }
            };
            turn(t, k + 2);
            turn(q, n);
        }
        (low..=high).for_each(|i| t[i * n + i] = t[i * n + i] + shift);
    }
    Some(())
}

/// The eigenvalue of `[a b; c d]` nearer to d.
fn wilkinson(a: Complex, b: Complex, c: Complex, d: Complex) -> Complex {
    let half = (a - d).scaled(0.5);
    let root = (half * half + b * c).sqrt();
    let larger = if (half + root).square() >= (half - root).square() { half + root } else { half - root };
    if larger.square() == 0.0 { d } else { d - b * c / larger }
}

/// Eigenvector k, of length 1.
fn vector(t: &[Complex], q: &[Complex], scale: &[f64], n: usize, k: usize, norm: f64) -> Vec<Complex> {
    let least = f64::EPSILON * norm.max(f64::MIN_POSITIVE);
    let mut y = vec![Complex::ZERO; n];
    y[k] = Complex::new(1.0, 0.0);
    for i in (0..k).rev() {
        let mut sum = Complex::ZERO;
        for j in i + 1..=k {
            sum = sum + t[i * n + j] * y[j];
        }
        let mut gap = t[i * n + i] - t[k * n + k];
        if gap.abs() < least {
            gap = Complex::new(least, 0.0);
        }
        y[i] = -(sum / gap);
        // chains of equal eigenvalues grow without bound
        let large = y[i].abs();
        if large > 1e100 {
            y[i..=k].iter_mut().for_each(|y| *y = y.scaled(1.0 / large));
        }
    }
    let mut x: Vec<Complex> =
        (0..n).map(|i| (0..=k).fold(Complex::ZERO, |sum, j| sum + q[i * n + j] * y[j]).scaled(scale[i])).collect();
    let length = x.iter().map(|x| x.square()).sum::<f64>().sqrt();
    x.iter_mut().for_each(|x| *x = x.scaled(1.0 / length));
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    fn residual(a: &[f64], n: usize) -> f64 {
        let e = eigen(a, n).expect("ends");
        let mut worst: f64 = 0.0;
        for (value, x) in e.values.iter().zip(&e.vectors) {
            for i in 0..n {
                let ax = (0..n).fold(Complex::ZERO, |s, j| s + x[j].scaled(a[i * n + j]));
                worst = worst.max((ax - *value * x[i]).abs());
            }
        }
        worst / size(a).max(1e-300)
    }

    #[test]
    fn random_matrices_are_solved() {
        let mut g = SplitMix(21);
        for n in [1, 2, 3, 5, 12, 40] {
            let a: Vec<f64> = (0..n * n).map(|_| g.symmetric(1.0)).collect();
            assert!(residual(&a, n) < 1e-13 * n as f64, "{n}: {:e}", residual(&a, n));
        }
    }

    #[test]
    fn awkward_matrices_are_solved() {
        // cyclic permutation, rotation, Jordan block, zero, badly scaled
        let cycle: Vec<f64> = (0..36).map(|k| f64::from((k / 6 + 1) % 6 == k % 6)).collect();
        assert!(residual(&cycle, 6) < 1e-14);
        assert!(residual(&[0.0, 1.0, -1.0, 0.0], 2) < 1e-15);
        assert!(residual(&[2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0], 3) < 1e-14);
        assert_eq!(residual(&[0.0; 9], 3), 0.0);
        let scaled = [1.0, 1e8, 2e-9, 1.0];
        let e = eigen(&scaled, 2).expect("ends");
        let mut values: Vec<f64> = e.values.iter().map(|v| v.re).collect();
        values.sort_by(f64::total_cmp);
        let root = 0.2f64.sqrt();
        assert!((values[0] - 1.0 + root).abs() < 1e-15 && (values[1] - 1.0 - root).abs() < 1e-15, "{values:?}");
    }

    #[test]
    fn chains_of_zeros_are_taken_out() {
        // a chain of three zeros and a small eigenvalue, hidden by a rotation
        let n = 5;
        let t = [
            [0.0, 2.0, 1.0, 0.3, 1.0],
            [0.0, 0.0, 3.0, 1.0, 2.0],
            [0.0; 5],
            [0.0, 0.0, 0.0, 1e-3, 4.0],
            [0.0, 0.0, 0.0, 0.0, -2.0],
        ];
        let mut a: Vec<f64> = t.concat();
        let mut g = SplitMix(6);
        for k in 0..n - 1 {
            let (s, c) = libm::sincos(g.symmetric(3.0));
            for i in 0..n {
                let (x, y) = (a[i * n + k], a[i * n + k + 1]);
                (a[i * n + k], a[i * n + k + 1]) = (c * x - s * y, s * x + c * y);
            }
            for i in 0..n {
                let (x, y) = (a[k * n + i], a[(k + 1) * n + i]);
                (a[k * n + i], a[(k + 1) * n + i]) = (c * x - s * y, s * x + c * y);
            }
        }
        let e = staircase(&a, n, 1e-10).expect("ends");
        assert_eq!(e.values.iter().filter(|v| **v == Complex::ZERO).count(), 3);
        // rounding of A alone moves the small eigenvalue by this much: it lies beside a chain of three
        let inherent = |lambda: f64| f64::EPSILON * (4.0 / lambda).powi(2).max(1.0) * 4.0;
        for (value, x) in e.values.iter().zip(&e.vectors).filter(|(v, _)| **v != Complex::ZERO) {
            let expected = if value.re > 0.0 { 1e-3 } else { -2.0 };
            assert!((value.re - expected).abs() < inherent(expected.abs()), "{value:?}");
            for i in 0..n {
                let ax = (0..n).fold(Complex::ZERO, |s, j| s + x[j].scaled(a[i * n + j]));
                assert!((ax - *value * x[i]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn pairs_are_exact() {
        let mut g = SplitMix(4);
        let n = 9;
        let a: Vec<f64> = (0..n * n).map(|_| g.symmetric(1.0)).collect();
        let e = eigen(&a, n).expect("ends");
        for v in e.values.iter().filter(|v| v.im != 0.0) {
            assert!(e.values.iter().any(|w| *w == v.conjugate()));
        }
        let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
        let sum: f64 = e.values.iter().map(|v| v.re).sum();
        assert!((trace - sum).abs() < 1e-13);
    }
}

//! Vectors of three numbers, and 3 x 3 matrices.

pub(crate) type V3 = [f64; 3];
/// Packed symmetric 3 x 3: 00 01 02 11 12 22.
pub(crate) type Sym3 = [f64; 6];

pub(crate) const IDENTITY: [V3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[inline(always)]
pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn sym3_mul(m: &Sym3, x: V3) -> V3 {
    [
        m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
        m[1] * x[0] + m[3] * x[1] + m[4] * x[2],
        m[2] * x[0] + m[4] * x[1] + m[5] * x[2],
    ]
}

#[inline(always)]
pub(crate) fn rows_of(a: &Sym3) -> [V3; 3] {
    [[a[0], a[1], a[2]], [a[1], a[3], a[4]], [a[2], a[4], a[5]]]
}

#[inline(always)]
pub(crate) fn column(b: &[V3; 3], j: usize) -> V3 {
    [b[0][j], b[1][j], b[2][j]]
}

/// Inverse of a symmetric positive definite 3 x 3 by cofactors; `None` when a leading minor is not positive.
#[inline(always)]
pub(crate) fn invert(c: &Sym3) -> Option<Sym3> {
    let k00 = c[3] * c[5] - c[4] * c[4];
    let k01 = c[2] * c[4] - c[1] * c[5];
    let k02 = c[1] * c[4] - c[2] * c[3];
    let k22 = c[0] * c[3] - c[1] * c[1];
    let det = c[0] * k00 + c[1] * k01 + c[2] * k02;
    if !(c[0] > 0.0 && k22 > 0.0 && det > 0.0) {
        return None;
    }
    let i = 1.0 / det;
    let k11 = c[0] * c[5] - c[2] * c[2];
    let k12 = c[1] * c[2] - c[0] * c[4];
    Some([k00 * i, k01 * i, k02 * i, k11 * i, k12 * i, k22 * i])
}

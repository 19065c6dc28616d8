//! 6 x 6 blocks, one per rigid body: fixed sizes, no lanes, pivots kept inverted so that solving divides nothing.

/// A 6 x 6 block, row after row.
pub type Block6 = [f64; 36];

/// No block.
pub const ZERO: Block6 = [0.0; 36];

/// The identity.
pub const ONE: Block6 = {
    let mut one = ZERO;
    let mut i = 0;
    while i < 6 {
        one[7 * i] = 1.0;
        i += 1;
    }
    one
};

/// `m = L L^T` in the lower triangle; the diagonal of `L` is kept inverted. False where a pivot is not positive.
pub fn cholesky6(m: &mut Block6) -> bool {
    for j in 0..6 {
        let mut d = m[7 * j];
        for k in 0..j {
            d -= m[6 * j + k] * m[6 * j + k];
        }
        if !(d > 0.0 && d.is_finite()) {
            return false;
        }
        let inverse = 1.0 / d.sqrt();
        m[7 * j] = inverse;
        for i in j + 1..6 {
            let mut x = m[6 * i + j];
            for k in 0..j {
                x -= m[6 * i + k] * m[6 * j + k];
            }
            m[6 * i + j] = x * inverse;
        }
    }
    true
}

/// `b = b L^-T` with the factor of [`cholesky6`].
pub fn divide(l: &Block6, b: &mut Block6) {
    for r in 0..6 {
        let row = &mut b[6 * r..6 * r + 6];
        for j in 0..6 {
            let mut x = row[j];
            for k in 0..j {
                x -= row[k] * l[6 * j + k];
            }
            row[j] = x * l[7 * j];
        }
    }
}

/// `c -= a b^T`.
#[inline(always)]
pub fn subtract(a: &Block6, b: &Block6, c: &mut Block6) {
    // columns of b side by side, so that rows of c are updated as vectors
    let mut t = ZERO;
    for i in 0..6 {
        for j in 0..6 {
            t[6 * j + i] = b[6 * i + j];
        }
    }
    for i in 0..6 {
        let mut row = [0.0; 6];
        for k in 0..6 {
            let s = a[6 * i + k];
            for j in 0..6 {
                row[j] += s * t[6 * k + j];
            }
        }
        for j in 0..6 {
            c[6 * i + j] -= row[j];
        }
    }
}

/// `a b`.
pub fn times(a: &Block6, b: &Block6) -> Block6 {
    let mut c = ZERO;
    for i in 0..6 {
        for k in 0..6 {
            let s = a[6 * i + k];
            for j in 0..6 {
                c[6 * i + j] += s * b[6 * k + j];
            }
        }
    }
    c
}

/// `c -= a b`.
#[inline(always)]
pub fn subtract_product(a: &Block6, b: &Block6, c: &mut Block6) {
    for i in 0..6 {
        let mut row = [0.0; 6];
        for k in 0..6 {
            let s = a[6 * i + k];
            for j in 0..6 {
                row[j] += s * b[6 * k + j];
            }
        }
        for j in 0..6 {
            c[6 * i + j] -= row[j];
        }
    }
}

/// `block += s x^T y`.
#[inline(always)]
pub fn add_outer(block: &mut Block6, s: f64, x: &[f64; 6], y: &[f64; 6]) {
    for r in 0..6 {
        let t = s * x[r];
        for c in 0..6 {
            block[6 * r + c] += t * y[c];
        }
    }
}

/// The inverse, by Gauss and Jordan with pivots from the whole column.
pub fn invert(m: &Block6) -> Option<Block6> {
    let mut a = *m;
    let mut b = ONE;
    for j in 0..6 {
        let pivot = (j..6).max_by(|&p, &q| a[6 * p + j].abs().total_cmp(&a[6 * q + j].abs()))?;
        let size = a[6 * pivot + j];
        if !(size.abs() > 0.0 && size.is_finite()) {
            return None;
        }
        for k in 0..6 {
            a.swap(6 * j + k, 6 * pivot + k);
            b.swap(6 * j + k, 6 * pivot + k);
        }
        for k in 0..6 {
            a[6 * j + k] /= size;
            b[6 * j + k] /= size;
        }
        for i in (0..6).filter(|&i| i != j) {
            let s = a[6 * i + j];
            for k in 0..6 {
                a[6 * i + k] -= s * a[6 * j + k];
                b[6 * i + k] -= s * b[6 * j + k];
            }
        }
    }
    Some(b)
}

/// `x = L^-1 x` with the factor of [`cholesky6`].
pub fn forward(l: &Block6, x: &mut [f64]) {
    for i in 0..6 {
        let mut y = x[i];
        for k in 0..i {
            y -= l[6 * i + k] * x[k];
        }
        x[i] = y * l[7 * i];
    }
}

/// `x = L^-T x` with the factor of [`cholesky6`].
pub fn backward(l: &Block6, x: &mut [f64]) {
    for i in (0..6).rev() {
        let mut y = x[i];
        for k in i + 1..6 {
            y -= l[6 * k + i] * x[k];
        }
        x[i] = y * l[7 * i];
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::noise;
    use super::*;

    fn random(seed: &mut u64) -> Block6 {
        std::array::from_fn(|_| noise(seed))
    }

    #[test]
    fn blocks_are_inverted() {
        let seed = &mut 1;
        for _ in 0..50 {
            let mut a = random(seed);
            a[0] = 0.0;
            let product = times(&a, &invert(&a).unwrap());
            assert!((0..36).all(|i| (product[i] - ONE[i]).abs() < 1e-9), "{product:?}");
        }
        assert_eq!(invert(&[1.0; 36]), None);
    }

    #[test]
    fn definite_blocks_are_factored_and_solved() {
        let seed = &mut 2;
        for _ in 0..50 {
            // 1 + g g^T, by the kernels themselves
            let g = random(seed);
            let (mut a, mut negative) = (ONE, ZERO);
            subtract(&g, &g, &mut negative);
            (0..36).for_each(|i| a[i] -= negative[i]);
            let b: [f64; 6] = std::array::from_fn(|_| noise(seed));
            let (mut l, mut x) = (a, b);
            assert!(cholesky6(&mut l));
            forward(&l, &mut x);
            backward(&l, &mut x);
            for i in 0..6 {
                let sum: f64 = (0..6).map(|j| a[6 * i + j] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-13);
            }
            // A L^-T = L
            let mut right = a;
            divide(&l, &mut right);
            assert!((0..6).all(|i| (right[7 * i] * l[7 * i] - 1.0).abs() < 1e-13));
            assert!((0..6).all(|i| (0..i).all(|j| (right[6 * i + j] - l[6 * i + j]).abs() < 1e-13)));
        }
        assert!(!cholesky6(&mut ZERO.clone()));
    }
}

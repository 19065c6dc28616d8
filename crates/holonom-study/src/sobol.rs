//! Points that fill a unit cube evenly: Sobol's sequence in the order of Gray codes (Antonov and Saleev), with the
//! direction numbers of Joe and Kuo (new-joe-kuo-6, 2008).
//!
//! A dimension has a primitive polynomial over GF(2) of degree s, x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1, and odd
//! numbers m_1 .. m_s, m_i < 2^i. Further ones follow from
//!
//! ```text
//! m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s)
//! ```
//!
//! and v_k = m_k 2^(BITS - k). Point n is the exclusive or of the v_k of the ones in the Gray code of n. The first 2^k
//! points put exactly one into each of 2^k equal slices of every axis, and the shift below (exclusive or with one
//! random number for each axis) keeps that.

/// Axes there are numbers for.
pub const MOST_AXES: usize = 21;
/// Bits of a point, so at most 2^BITS points.
const BITS: usize = 32;

/// Degree, coefficients a_1 .. a_(s-1) as bits with a_1 the highest, and m_1 .. m_s, of the axes from the second on.
type Direction = (u32, u32, &'static [u32]);
const DIRECTIONS: [Direction; MOST_AXES - 1] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// v_1 .. v_BITS of an axis.
fn directions(axis: usize) -> [u32; BITS] {
    let mut v = [0; BITS];
    let Some((degree, coefficients, m)) = axis.checked_sub(1).map(|k| DIRECTIONS[k % DIRECTIONS.len()]) else {
        // the first axis: the digits of n mirrored at the point
        return std::array::from_fn(|k| 1 << (BITS - 1 - k));
    };
    let s = degree as usize;
    for k in 0..BITS {
        if k < s {
            v[k] = m[k] << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for i in 1..s {
            if coefficients >> (s - 1 - i) & 1 == 1 {
                v[k] ^= v[k - i];
            }
        }
    }
    v
}

/// The bits of point `n` on an axis, before any shift.
fn bits(axis: usize, n: u32) -> u32 {
    let gray = n ^ (n >> 1);
    let v = directions(axis);
    (0..BITS).filter(|k| gray >> k & 1 == 1).fold(0, |x, k| x ^ v[k])
}

/// Point `n` on an axis, strictly between 0 and 1.
pub fn point(axis: usize, n: u32, shift: u32) -> f64 {
    // in the middle of its slice: never 0, where a normal distribution ends
    (f64::from(bits(axis, n) ^ shift) + 0.5) / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By an independent program (scipy.stats.qmc.Sobol without scrambling).
    #[test]
    fn known_points() {
        let at = |axis, n| f64::from(bits(axis, n)) / 4_294_967_296.0;
        let first: Vec<f64> = (0..8).map(|n| at(0, n)).collect();
        assert_eq!(first, [0.0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125]);
        let second: Vec<f64> = (0..8).map(|n| at(1, n)).collect();
        assert_eq!(second, [0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625]);
        KNOWN.iter().for_each(|&(axis, n, x)| assert_eq!(at(axis, n), x, "axis {axis}, point {n}"));
    }

    /// Axis, point, coordinate.
    const KNOWN: &[(usize, u32, f64)] = &[
        (2, 5, 0.125),
        (2, 300, 0.287109375),
        (2, 1999, 0.13427734375),
        (3, 5, 0.375),
        (3, 300, 0.341796875),
        (3, 1999, 0.49169921875),
        (4, 5, 0.875),
        (4, 300, 0.076171875),
        (4, 1999, 0.80224609375),
        (5, 5, 0.625),
        (5, 300, 0.529296875),
        (5, 1999, 0.73583984375),
        (6, 5, 0.875),
        (6, 300, 0.505859375),
        (6, 1999, 0.35205078125),
        (7, 5, 0.375),
        (7, 300, 0.904296875),
        (7, 1999, 0.48486328125),
        (8, 5, 0.375),
        (8, 300, 0.646484375),
        (8, 1999, 0.43017578125),
        (9, 5, 0.125),
        (9, 300, 0.580078125),
        (9, 1999, 0.33642578125),
        (10, 5, 0.375),
        (10, 300, 0.251953125),
        (10, 1999, 0.01416015625),
        (11, 5, 0.875),
        (11, 300, 0.482421875),
        (11, 1999, 0.49462890625),
        (12, 5, 0.875),
        (12, 300, 0.845703125),
        (12, 1999, 0.28759765625),
        (13, 5, 0.125),
        (13, 300, 0.994140625),
        (13, 1999, 0.65966796875),
        (14, 5, 0.875),
        (14, 300, 0.810546875),
        (14, 1999, 0.84814453125),
        (15, 5, 0.375),
        (15, 300, 0.173828125),
        (15, 1999, 0.72509765625),
        (16, 5, 0.875),
        (16, 300, 0.455078125),
        (16, 1999, 0.43212890625),
        (17, 5, 0.375),
        (17, 300, 0.064453125),
        (17, 1999, 0.27685546875),
        (18, 5, 0.375),
        (18, 300, 0.126953125),
        (18, 1999, 0.71923828125),
        (19, 5, 0.625),
        (19, 300, 0.580078125),
        (19, 1999, 0.52099609375),
        (20, 5, 0.625),
        (20, 300, 0.736328125),
        (20, 1999, 0.71728515625),
    ];

    #[test]
    fn every_slice_has_one_point_and_pairs_of_axes_fill_squares() {
        for axis in 0..MOST_AXES {
            for k in [1, 4, 8] {
                let mut seen = vec![false; 1 << k];
                for n in 0..1u32 << k {
                    let slot = (point(axis, n, 0x5bd1_e995) * f64::from(1u32 << k)) as usize;
                    assert!(!std::mem::replace(&mut seen[slot], true), "axis {axis}, slice {slot} of {}", 1 << k);
                }
            }
        }
        // the first two axes are a (0, 2)-sequence: one point in every rectangle of area 2^-8
        for k in 0..=8 {
            let mut seen = vec![false; 256];
            for n in 0..256 {
                let (a, b) =
                    ((point(0, n, 0) * f64::from(1 << k)) as usize, (point(1, n, 0) * f64::from(256 >> k)) as usize);
                assert!(!std::mem::replace(&mut seen[(a << (8 - k)) + b], true));
            }
        }
    }
}

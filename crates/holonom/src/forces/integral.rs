//! Integral of a function of one variable, for the energy of laws that store it.
//!
//! ```text
//! 15 points of Kronrod, of which 7 are Gauss's; the error is taken as |K15 - G7|
//! an interval whose error exceeds its share of TOLERANCE x (integral of |f| over the whole) is halved, at most DEPTH times
//! ```
//!
//! A kink inside an interval of width h costs an error of order h^2, a jump one of order h; after DEPTH = 50 halvings both are below
//! rounding. The intervals still to do are kept on a stack of DEPTH + 1, since one of each width is the most there can be.

const TOLERANCE: f64 = 1e-14;
const DEPTH: usize = 50;

/// Nodes on [0, 1] of the symmetric rule, Kronrod's weights, Gauss's weights (0 where the node is Kronrod's alone).
const RULE: [(f64, f64, f64); 8] = [
    (0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
    (0.949_107_912_342_758_5, 0.063_092_092_629_978_55, 0.129_484_966_168_869_7),
    (0.864_864_423_359_769_1, 0.104_790_010_322_250_18, 0.0),
    (0.741_531_185_599_394_4, 0.140_653_259_715_525_92, 0.279_705_391_489_276_7),
    (0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    (0.405_845_151_377_397_2, 0.190_350_578_064_785_4, 0.381_830_050_505_118_9),
    (0.207_784_955_007_898_47, 0.204_432_940_075_298_9, 0.0),
    (0.0, 0.209_482_141_084_727_82, 0.417_959_183_673_469_4),
];

/// Integral, its error, and the integral of |f|.
fn rule(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, f64, f64) {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut kronrod, mut gauss, mut size) = (0.0, 0.0, 0.0);
    for (x, w, g) in RULE {
        let both = if x == 0.0 { [f(centre), 0.0] } else { [f(centre - half * x), f(centre + half * x)] };
        kronrod += w * (both[0] + both[1]);
        gauss += g * (both[0] + both[1]);
        size += w * (both[0].abs() + both[1].abs());
    }
    (half * kronrod, (half * (kronrod - gauss)).abs(), (half * size).abs())
}

/// The integral of `f` from `a` to `b`.
pub(crate) fn integral(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (_, _, size) = rule(&f, a, b);
    let mut stack = [(0.0, 0.0, 0); DEPTH + 1];
    stack[0] = (a, b, 0);
    let (mut height, mut sum) = (1, 0.0);
    while height > 0 {
        height -= 1;
        let (a, b, depth) = stack[height];
        let (value, error, _) = rule(&f, a, b);
        // an infinite or undefined value cannot be improved
        let enough = !(error > TOLERANCE * size);
        if enough || depth == DEPTH {
            sum += value;
        } else {
            let middle = 0.5 * (a + b);
            stack[height] = (middle, b, depth + 1);
            stack[height + 1] = (a, middle, depth + 1);
            height += 2;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_kinked_and_broken_functions() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 2e-14 * (1.0 + b.abs()), "{a} {b}");
        close(integral(|x| x * x * x, 0.3, 1.7), (1.7_f64.powi(4) - 0.3_f64.powi(4)) / 4.0);
        close(integral(libm::exp, 2.0, -1.0), libm::exp(-1.0) - libm::exp(2.0));
        close(integral(|x| (x - 0.123).max(0.0), 0.0, 2.0), 1.877 * 1.877 / 2.0);
        close(integral(|x| if x > 0.7 { 3.0 } else { -1.0 }, 0.0, 1.0), 0.2);
        close(integral(|x: f64| x.abs().sqrt(), -1.0, 1.0), 4.0 / 3.0);
        close(integral(|x| libm::sin(40.0 * x), 0.0, 1.0), (1.0 - libm::cos(40.0)) / 40.0);
        assert_eq!(integral(|_| 1.0, 0.5, 0.5), 0.0);
        assert!(integral(|_| f64::NAN, 0.0, 1.0).is_nan());
    }
}

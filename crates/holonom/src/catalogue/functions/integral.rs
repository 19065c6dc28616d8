//! Integral of a function of one variable: the energy of a force law, the load of a tyre.
//!
//! ```text
//! Lobatto's 4 points (degree 5) inside 7 (degree 9) inside 13 (degree 17), which give the integral I_13
//! error: the larger of |I_13 - I_7| and |I_13 - I_4| / 100
//! an interval whose error exceeds TOLERANCE x (integral of |f| over the whole) is halved, at most DEPTH times
//! ```
//!
//! (Gander and Gautschi 2000.) All rules look at the ends of the interval: a law with a kink close to an end, as tables
//! have, is noticed there. A kink inside an interval of width h costs an error of order h^2, a jump one of order h;
//! after DEPTH = 50 halvings both are below rounding. The third rule is there because two may agree by chance over a
//! kink. The intervals still to do are kept on a stack of DEPTH + 1, since one of each width is the most there can be.

const TOLERANCE: f64 = 1e-14;
const DEPTH: usize = 50;

/// Node on [0, 1] of the symmetric rules, weights among 13, 7 and 4 (0 where the node is not one of them).
const RULE: [(f64, f64, f64, f64); 7] = [
    (1.0, 0.015_827_191_973_480_2, 77.0 / 1470.0, 1.0 / 6.0),
    (0.942_882_415_695_480, 0.094_273_840_218_850_0, 0.0, 0.0),
    (0.816_496_580_927_726, 0.155_071_987_336_585, 432.0 / 1470.0, 0.0),
    (0.641_853_342_345_781, 0.188_821_573_960_182, 0.0, 0.0),
    (0.447_213_595_499_958, 0.199_773_405_226_859, 625.0 / 1470.0, 5.0 / 6.0),
    (0.236_383_199_662_150, 0.224_926_465_333_340, 0.0, 0.0),
    (0.0, 0.242_611_071_901_408, 672.0 / 1470.0, 0.0),
];

/// Integral, its error, and the integral of |f|.
fn rule(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, f64, f64) {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut fine, mut middle, mut coarse, mut size) = (0.0, 0.0, 0.0, 0.0);
    for (x, w_13, w_7, w_4) in RULE {
        let both = if x == 0.0 {
            [f(centre), 0.0]
        } else if x == 1.0 {
            [f(a), f(b)]
        } else {
            [f(centre - half * x), f(centre + half * x)]
        };
        let sum = both[0] + both[1];
        fine += w_13 * sum;
        middle += w_7 * sum;
        coarse += w_4 * sum;
        size += w_13 * (both[0].abs() + both[1].abs());
    }
    let error = (fine - middle).abs().max(0.01 * (fine - coarse).abs());
    (half * fine, (half * error).abs(), (half * size).abs())
}

/// The integral of `f` from `a` to `b`, to a relative error of about 1e-14 of the integral of |f|; `f` may have kinks
/// and jumps. Nothing is allocated.
pub fn integral(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
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
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
        close(integral(|x| x * x * x, 0.3, 1.7), (1.7_f64.powi(4) - 0.3_f64.powi(4)) / 4.0);
        close(integral(libm::exp, 2.0, -1.0), libm::exp(-1.0) - libm::exp(2.0));
        for kink in [0.123, 1e-3, 1e-5, 1e-7, 1.0, 1.999, 1.999999] {
            close(integral(|x| (x - kink).max(0.0), 0.0, 2.0), (2.0 - kink) * (2.0 - kink) / 2.0);
            close(integral(|x| (x - kink).abs(), 0.0, 2.0), ((2.0 - kink) * (2.0 - kink) + kink * kink) / 2.0);
        }
        let (mut g, mut worst) = (crate::math::SplitMix(6), 0.0_f64);
        for _ in 0..10_000 {
            let kink = 2.0 * g.unit() * libm::pow(10.0, -6.0 * g.unit());
            let exact = ((2.0 - kink) * (2.0 - kink) + kink * kink) / 2.0;
            worst = worst.max((integral(|x| (x - kink).abs(), 0.0, 2.0) - exact).abs());
        }
        assert!(worst < 3e-12, "{worst:e}");
        close(integral(|x| if x > 0.7 { 3.0 } else { -1.0 }, 0.0, 1.0), 0.2);
        close(integral(|x: f64| x.abs().sqrt(), -1.0, 1.0), 4.0 / 3.0);
        close(integral(|x| libm::sin(40.0 * x), 0.0, 1.0), (1.0 - libm::cos(40.0)) / 40.0);
        assert_eq!(integral(|_| 1.0, 0.5, 0.5), 0.0);
        assert!(integral(|_| f64::NAN, 0.0, 1.0).is_nan());
    }
}

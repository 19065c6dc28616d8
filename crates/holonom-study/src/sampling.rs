//! Random numbers and distributions. Every number is a function of the seed of the study, the number of the sample and
//! the number of the factor alone: runs can be made in any order and on any machine, and of a longer study the first
//! rows are those of the shorter one (but for Latin hypercubes, which depend on their size).
//!
//! Distributions are drawn by the inverse of their distribution function, so that the evenness of a Sobol sequence or
//! a hypercube is kept: x = F^-1(u), u strictly between 0 and 1.

use crate::sobol;
use libm::{exp, log, sqrt};

/// How the unit cube of the sampled factors is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleMethod {
    /// Independent numbers.
    MonteCarlo,
    /// Every factor has one sample in each of `count` slices of equal probability.
    LatinHypercube,
    /// Sobol's sequence with a random shift.
    Sobol,
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a permutation of 64-bit words that spreads every bit.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random word for a purpose.
fn word(seed: u64, stream: u64, number: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let a = mixed(seed.wrapping_add(GOLDEN));
    let b = mixed(a ^ stream.wrapping_mul(GOLDEN).wrapping_add(1));
    mixed(b.wrapping_add(number.wrapping_mul(GOLDEN)).wrapping_add(GOLDEN))
}

/// Strictly between 0 and 1: the middle of one of 2^52 slices.
fn unit(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0
}

/// The coordinate of a sample along one factor.
pub fn coordinate(method: SampleMethod, seed: u64, count: u64, axis: usize, sample: u64) -> f64 {
    let stream = axis as u64;
    match method {
        SampleMethod::MonteCarlo => unit(word(seed, stream, sample)),
        SampleMethod::Sobol => sobol::point(axis, sample as u32, word(seed, stream, u64::MAX) as u32),
        SampleMethod::LatinHypercube => {
            let slice = permuted(word(seed, stream, u64::MAX), count, sample);
            (slice as f64 + unit(word(seed, stream, sample))) / count as f64
        }
    }
}

/// The image of `i` under a random permutation of 0 .. n: a Feistel network over the next power of four, walked until
/// it comes back into the range. Needs no memory, so a run can be made alone.
fn permuted(key: u64, n: u64, i: u64) -> u64 {
    let half = (64 - n.max(2).saturating_sub(1).leading_zeros()).div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut x = i;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..6 {
            (left, right) = (right, left ^ (word(key, round, right) & mask));
        }
        x = left << half | right;
        if x < n {
            return x;
        }
    }
}

/// How a factor is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Equally between two values.
    Uniform {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// The logarithm equally between those of two positive values.
    LogUniform {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// A bell around the mean; with bounds, what is left of it between them.
    Normal {
        /// The middle.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
        /// What is below is left out; -infinity for nothing.
        low: f64,
        /// What is above is left out; infinity for nothing.
        high: f64,
    },
    /// The logarithm in a bell.
    LogNormal {
        /// Half is below.
        median: f64,
        /// The standard deviation of the logarithm.
        deviation: f64,
    },
    /// A triangle over three values.
    Triangular {
        /// The least.
        low: f64,
        /// The likeliest.
        mode: f64,
        /// The largest.
        high: f64,
    },
}

impl Distribution {
    /// The value below which the part `u` lies, 0 < u < 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Distribution::Uniform { low, high } => (low + u * (high - low)).clamp(low, high),
            Distribution::LogUniform { low, high } => exp(log(low) + u * (log(high) - log(low))).clamp(low, high),
            Distribution::Normal { mean, deviation, low, high } => {
                let below = |x: f64| normal_part((x - mean) / deviation);
                let (a, b) = (below(low), below(high));
                // far out in a tail nothing is left to be told apart
                if !(b > a) {
                    return mean.clamp(low, high);
                }
                (mean + deviation * normal_quantile(a + u * (b - a))).clamp(low, high)
            }
            Distribution::LogNormal { median, deviation } => median * exp(deviation * normal_quantile(u)),
            Distribution::Triangular { low, mode, high } => {
                let (width, rise) = (high - low, mode - low);
                if u * width < rise {
                    low + sqrt(u * width * rise)
                } else {
                    high - sqrt((1.0 - u) * width * (high - mode))
                }
            }
        }
    }

    /// The one value that stands for it where another factor is varied alone.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }
}

/// The part of a standard normal distribution below x.
fn normal_part(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The inverse of [`normal_part`], by Wichura's rational approximations (AS 241, PPND16), 16 digits. Around the middle
/// in q = p - 1/2, in the tails in r = sqrt(-ln(min(p, 1 - p))).
fn normal_quantile(p: f64) -> f64 {
    fn ratio(x: f64, a: [f64; 8], b: [f64; 7]) -> f64 {
        let above = a.iter().rev().fold(0.0, |sum, c| sum * x + c);
        let below = b.iter().rev().fold(0.0, |sum, c| sum * x + c) * x + 1.0;
        above / below
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180625 - q * q, MIDDLE.0, MIDDLE.1);
    }
    let r = sqrt(-log(p.min(1.0 - p)));
    let x = if r <= 5.0 { ratio(r - 1.6, NEAR.0, NEAR.1) } else { ratio(r - 5.0, FAR.0, FAR.1) };
    if q < 0.0 { -x } else { x }
}

/// Numerator, and denominator without its leading 1, lowest power first.
type Coefficients = ([f64; 8], [f64; 7]);
#[allow(clippy::excessive_precision)]
const MIDDLE: Coefficients = (
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
);
#[allow(clippy::excessive_precision)]
const NEAR: Coefficients = (
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
);
#[allow(clippy::excessive_precision)]
const FAR: Coefficients = (
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    /// F(F^-1(u)) = u, with a distribution function that shares nothing with the approximation.
    #[test]
    fn quantiles_are_inverse_to_distribution_functions() {
        for k in 1..4096 {
            // 1 - u is exact
            let u = f64::from(k) / 4096.0;
            let x = normal_quantile(u);
            assert!((normal_part(x) - u).abs() < 1e-15, "{u}: {x}");
            assert_eq!(normal_quantile(1.0 - u).abs() - x.abs(), 0.0, "{u}");
        }
        for x in [-30.0, -12.0, -7.0, -3.0, 0.3] {
            assert!((normal_quantile(normal_part(x)) - x).abs() < 1e-13 * (1.0 + f64::abs(x)), "{x}");
        }
        let triangle = Distribution::Triangular { low: 1.0, mode: 2.0, high: 5.0 };
        let below = |x: f64| if x < 2.0 { (x - 1.0) * (x - 1.0) / 4.0 } else { 1.0 - (5.0 - x) * (5.0 - x) / 12.0 };
        let cut = Distribution::Normal { mean: 1.0, deviation: 2.0, low: 0.0, high: 3.0 };
        for k in 1..100 {
            let u = f64::from(k) / 100.0;
            assert!((below(triangle.quantile(u)) - u).abs() < 1e-14);
            let part = |x: f64| normal_part((x - 1.0) / 2.0);
            let x = cut.quantile(u);
            assert!(((part(x) - part(0.0)) / (part(3.0) - part(0.0)) - u).abs() < 1e-14);
        }
    }

    #[test]
    fn hypercubes_have_one_sample_in_every_slice_and_moments_are_those_of_the_distribution() {
        for count in [1, 2, 3, 10, 97, 1000] {
            for axis in 0..3 {
                let mut seen = vec![false; count as usize];
                for sample in 0..count {
                    let u = coordinate(SampleMethod::LatinHypercube, 7, count, axis, sample);
                    assert!(u > 0.0 && u < 1.0);
                    let slice = (u * count as f64) as usize;
                    assert!(!std::mem::replace(&mut seen[slice], true), "{count}, slice {slice}");
                }
            }
        }
        let d = Distribution::Normal { mean: 2.0, deviation: 0.5, low: f64::NEG_INFINITY, high: f64::INFINITY };
        for method in [SampleMethod::MonteCarlo, SampleMethod::LatinHypercube, SampleMethod::Sobol] {
            let n = 4096;
            let x: Vec<f64> = (0..n).map(|i| d.quantile(coordinate(method, 3, n, 1, i))).collect();
            let mean = x.iter().sum::<f64>() / n as f64;
            let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
            // six standard errors of independent numbers
            assert!((mean - 2.0).abs() < 0.05 && (variance - 0.25).abs() < 0.035, "{method:?} {mean} {variance}");
        }
        // two factors and two seeds have nothing to do with each other
        let of = |seed, axis| (0..4096).map(move |i| coordinate(SampleMethod::MonteCarlo, seed, 0, axis, i) - 0.5);
        for (a, b) in [((1, 0), (1, 1)), ((1, 0), (2, 0)), ((0, 1), (1, 0))] {
            let product = of(a.0, a.1).zip(of(b.0, b.1)).map(|(x, y)| 12.0 * x * y).sum::<f64>() / 4096.0;
            assert!(product.abs() < 6.0 / 64.0, "{a:?} {b:?}: {product}");
        }
    }
}

//! Reference accelerations of some cases, kept in `data/` with all their digits.

use serde::Deserialize;

/// Accelerations of all bodies of a case in its first state, from an independent dense solve.
#[derive(Clone, Debug, Deserialize)]
pub struct ForwardDynamics {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of multipliers.
    pub multipliers: usize,
    /// Per body: acceleration of the centre of mass (m/s^2), then angular acceleration (rad/s^2), world axes.
    #[serde(rename = "body_acc")]
    pub accelerations: Vec<[f64; 6]>,
}

impl ForwardDynamics {
    /// Largest deviation of `found` (six numbers per body, in order), relative to the largest acceleration.
    /// Infinite when the sizes differ or a number is NaN.
    pub fn error(&self, found: &[f64]) -> f64 {
        let expected = self.accelerations.as_flattened();
        if found.len() != expected.len() || found.iter().any(|x| x.is_nan()) {
            return f64::INFINITY;
        }
        let largest = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        expected.iter().zip(found).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / largest
    }
}

/// The reference of a case: `a16 a128 b16 b128 c128 d127 e20 e40`; `None` for the others.
pub fn forward_dynamics(case: &str) -> Option<ForwardDynamics> {
    let mut all: std::collections::BTreeMap<String, ForwardDynamics> =
        serde_json::from_str(include_str!("../data/forward-dynamics.json")).expect("the embedded data is valid");
    all.remove(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_the_size_of_its_case() {
        for name in ["a16", "a128", "b16", "b128", "c128", "d127", "e20", "e40"] {
            let r = forward_dynamics(name).expect("listed");
            assert_eq!(r.accelerations.len(), r.bodies, "{name}");
            assert_eq!(crate::case(name).expect("known").n_bodies(), r.bodies, "{name}");
            assert_eq!(r.error(r.accelerations.as_flattened()), 0.0);
        }
        assert!(forward_dynamics("a17").is_none());
    }

    #[test]
    fn digits_survive_reading() {
        let r = forward_dynamics("a16").expect("listed");
        assert_eq!(r.accelerations[0][0].to_bits(), (-3.2484194520142076f64).to_bits());
    }
}

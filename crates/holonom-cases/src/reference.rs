//! Known answers: accelerations of some cases, and sampled motions of problems with closed forms or high-precision solutions.
//!
//! The numbers stand in `data/` with all their digits and are read when asked for.

use serde::Deserialize;
use serde_json::{Map, Value};

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

/// A problem with a known answer.
#[derive(Clone, Debug, Deserialize)]
pub struct Problem {
    /// Short name; its first three characters select it.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// What is modelled, in words.
    pub definition: String,
    /// Names of the sample columns; the first is `t` in a motion, and what the rows are numbered by otherwise.
    /// None where all answers are scalars.
    #[serde(default)]
    pub columns: Vec<String>,
    /// One row per sample time, or whatever the first column says.
    #[serde(default)]
    pub samples: Vec<Vec<f64>>,
    /// Digits of the samples and scalars that can be trusted.
    pub trusted_digits: i32,
    #[serde(default)]
    scalars: Map<String, Value>,
    parameters: Map<String, Value>,
    #[serde(default)]
    initial: Map<String, Value>,
}

/// Read numbers out of a map of the embedded data. A name that is not there is a mistake in this program.
fn numbers(map: &Map<String, Value>, name: &str) -> Vec<f64> {
    let value = map.get(name).unwrap_or_else(|| panic!("the embedded data has no `{name}`"));
    let list = value.as_array().map_or(std::slice::from_ref(value), |list| list);
    list.iter().map(|x| x.as_f64().unwrap_or_else(|| panic!("`{name}` is not made of numbers"))).collect()
}

impl Problem {
    /// Number of this name among the scalar answers.
    ///
    /// # Panics
    /// When there is none, here and in the functions below.
    pub fn scalar(&self, name: &str) -> f64 {
        numbers(&self.scalars, name)[0]
    }

    /// List of this name among the scalar answers.
    pub fn scalars(&self, name: &str) -> Vec<f64> {
        numbers(&self.scalars, name)
    }

    /// Number of this name in a group of scalar answers.
    pub fn scalar_of(&self, group: &str, name: &str) -> f64 {
        let group = self.scalars.get(group).and_then(Value::as_object);
        numbers(group.unwrap_or_else(|| panic!("the embedded data has no group for `{name}`")), name)[0]
    }

    /// Numbers inside a scalar answer that has parts, by their path: `"/billiard/v_final"`.
    pub fn scalars_at(&self, path: &str) -> Vec<f64> {
        let mut parts = path.split('/').skip(1);
        let top = parts.next().and_then(|name| self.scalars.get(name));
        let found = parts.try_fold(top, |value, name| Some(value?.as_object()?.get(name))).flatten();
        let value = found.unwrap_or_else(|| panic!("the embedded data has no `{path}`"));
        let list = value.as_array().map_or(std::slice::from_ref(value), |list| list);
        list.iter().map(|x| x.as_f64().unwrap_or_else(|| panic!("`{path}` is not made of numbers"))).collect()
    }

    /// A parameter.
    pub fn parameter(&self, name: &str) -> f64 {
        numbers(&self.parameters, name)[0]
    }

    /// A parameter or an initial value, if there is one of that name and it is a number.
    pub fn given(&self, name: &str) -> Option<f64> {
        [&self.parameters, &self.initial].into_iter().find_map(|map| map.get(name)?.as_f64())
    }

    /// A parameter that is a vector.
    pub fn parameter_vector(&self, name: &str) -> [f64; 3] {
        vector(&numbers(&self.parameters, name))
    }

    /// A number inside a parameter that has parts, by its path: `("frame", "/I/0/2")`.
    pub fn parameter_in(&self, name: &str, path: &str) -> f64 {
        let number = self.parameters.get(name).and_then(|part| part.pointer(path)).and_then(Value::as_f64);
        number.unwrap_or_else(|| panic!("the embedded data has no number `{path}` in `{name}`"))
    }

    /// An initial value.
    pub fn initial(&self, name: &str) -> f64 {
        numbers(&self.initial, name)[0]
    }

    /// A list of initial values.
    pub fn initials(&self, name: &str) -> Vec<f64> {
        numbers(&self.initial, name)
    }

    /// An initial value that is a vector.
    pub fn initial_vector(&self, name: &str) -> [f64; 3] {
        vector(&numbers(&self.initial, name))
    }

    /// The sample times.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.samples.iter().map(|row| row[0])
    }
}

fn vector(x: &[f64]) -> [f64; 3] {
    [x[0], x[1], x[2]]
}

/// All problems at hand: name and data.
pub static PROBLEMS: &[(&str, &str)] = &[
    ("p01-a01-pendulum", include_str!("../data/p01-a01-pendulum.json")),
    ("p02-a02-fourbar-n2", include_str!("../data/p02-a02-fourbar-n2.json")),
    ("p03-andrews-squeezer", include_str!("../data/p03-andrews-squeezer.json")),
    ("p04-a05-flyball", include_str!("../data/p04-a05-flyball.json")),
    ("p05-spatial-slider-crank", include_str!("../data/p05-spatial-slider-crank.json")),
    ("p06-double-pendulum", include_str!("../data/p06-double-pendulum.json")),
    ("p07-spherical-pendulum", include_str!("../data/p07-spherical-pendulum.json")),
    ("p08-free-asymmetric-top", include_str!("../data/p08-free-asymmetric-top.json")),
    ("p09-dzhanibekov", include_str!("../data/p09-dzhanibekov.json")),
    ("p10-heavy-top-fast", include_str!("../data/p10-heavy-top-fast.json")),
    ("p11-planar-slider-crank", include_str!("../data/p11-planar-slider-crank.json")),
    ("p12-peaucellier", include_str!("../data/p12-peaucellier.json")),
    ("p13-rolling-disk", include_str!("../data/p13-rolling-disk.json")),
    ("p14-chaplygin-sleigh", include_str!("../data/p14-chaplygin-sleigh.json")),
    ("p15-knife-edge-incline", include_str!("../data/p15-knife-edge-incline.json")),
    ("p16-whipple-linear", include_str!("../data/p16-whipple-linear.json")),
    ("p17-friction-block", include_str!("../data/p17-friction-block.json")),
    ("p18-friction-sphere", include_str!("../data/p18-friction-sphere.json")),
    ("p19-impacts", include_str!("../data/p19-impacts.json")),
    ("p20-coulomb-oscillator", include_str!("../data/p20-coulomb-oscillator.json")),
    ("p21-unilateral-separation", include_str!("../data/p21-unilateral-separation.json")),
    ("p22-bead-on-circle", include_str!("../data/p22-bead-on-circle.json")),
    ("p23-ball-on-turntable", include_str!("../data/p23-ball-on-turntable.json")),
    ("p24-cardan", include_str!("../data/p24-cardan.json")),
    ("p25-gears-pulleys-screw", include_str!("../data/p25-gears-pulleys-screw.json")),
    ("p26-chain-statics-and-modes", include_str!("../data/p26-chain-statics-and-modes.json")),
    ("p27-affine-body", include_str!("../data/p27-affine-body.json")),
    ("p28-elastica", include_str!("../data/p28-elastica.json")),
];

/// A problem by its full name.
pub fn problem(id: &str) -> Option<Problem> {
    let (_, data) = PROBLEMS.iter().find(|(name, _)| *name == id)?;
    Some(serde_json::from_str(data).expect("the embedded data is valid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_can_be_read_and_is_rectangular() {
        for (id, _) in PROBLEMS {
            let p = problem(id).expect("listed");
            assert_eq!(p.id, *id);
            assert!(p.trusted_digits >= 9, "{id}");
            if p.columns.is_empty() {
                assert!(p.samples.is_empty() && p.scalars.len() > 1, "{id}");
                continue;
            }
            // motions are sampled in time, the others by the number of a joint, an impact, a swing, a load, a speed
            let motion = p.columns[0] == "t";
            assert!(motion || ["joint", "n", "k", "alpha", "v"].contains(&p.columns[0].as_str()), "{id}");
            assert!(p.samples.len() > if motion { 20 } else { 3 }, "{id}");
            assert!(p.samples.iter().all(|row| row.len() == p.columns.len()), "{id}");
            assert!(p.times().zip(p.times().skip(1)).all(|(a, b)| a < b), "{id}");
        }
    }

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

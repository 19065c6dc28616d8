//! Reference answers: sampled motions and scalars from closed forms or high-precision solutions, kept in `data/` with
//! all their digits.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The reference answers of a problem, with the parameters and initial values they belong to.
#[derive(Clone, Debug, Deserialize)]
pub struct Reference {
    /// Short name; its first three characters select it.
    pub id: String,
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

impl Reference {
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

#[cfg(test)]
mod tests {
    #[test]
    fn every_data_file_can_be_read_and_is_rectangular() {
        for id in crate::names() {
            let p = crate::problem(id).expect("listed");
            assert_eq!(p.id, id);
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
}

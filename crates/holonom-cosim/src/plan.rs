//! The variables of a unit.
//!
//! Every variable has a number (a *value reference*), by which it is set and read. It is made from the name alone, so
//! that a unit exported again with more or fewer variables has the same numbers for those that stayed: 32 bits of a
//! hash (FNV-1a), and the next free number where two names meet, in the order of the names. `time` is number 0.

use holonom_scene::Limits;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};

/// Name of the file of resources that holds the plan.
pub const PLAN_FILE: &str = "unit.json";
/// Name of the file of resources that holds the scene.
pub const SCENE_FILE: &str = "scene.toml";

/// Any variable, as far as all of them are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitVariable {
    /// Its name.
    pub name: String,
    /// Its number.
    pub reference: u32,
    /// Its unit, as the scene's quantities have it; empty where it has none or several.
    pub unit: String,
    /// What a reader should know; may be empty.
    pub description: String,
}

/// A parameter of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitParameter {
    /// What it is called.
    #[serde(flatten)]
    pub variable: UnitVariable,
    /// Its value in the scene.
    pub start: f64,
    /// Is it calculated from other parameters, and so not set?
    pub calculated: bool,
}

/// What an input acts on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum InputKind {
    /// What a drive is told, in the place of its function of time.
    Drive {
        /// Name of the drive.
        drive: String,
        /// It prescribes a motion, which must not jump: the value is reached at the end of the communication step.
        motion: bool,
    },
    /// A force or torque along a coordinate of a joint.
    Effort {
        /// Name of the joint.
        joint: String,
        /// Which of its coordinates.
        index: usize,
    },
}

/// An input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitInput {
    /// What it is called.
    #[serde(flatten)]
    pub variable: UnitVariable,
    /// Its value until it is set.
    pub start: f64,
    /// What it acts on.
    pub acts: InputKind,
}

/// Everything that a unit is besides its scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitPlan {
    /// What made it, with its version.
    pub program: String,
    /// Name of the model, for people.
    pub model: String,
    /// What it shows, for people.
    pub description: String,
    /// Name of its libraries: letters, digits and `_`.
    pub identifier: String,
    /// Belongs to this scene, these variables and this version of the program alone.
    pub token: String,
    /// End of an experiment, s.
    pub stop_time: f64,
    /// Communication step of an experiment, s.
    pub step: f64,
    /// Relative tolerance of its adaptive steps; none where steps are fixed.
    pub tolerance: Option<f64>,
    /// Parameters, in the order of the scene.
    pub parameters: Vec<UnitParameter>,
    /// Inputs.
    pub inputs: Vec<UnitInput>,
    /// Outputs: quantities of the scene by name.
    pub outputs: Vec<UnitVariable>,
    /// Limits that were changed to read the scene.
    pub limits: Vec<(String, u64)>,
}

/// Which variable a number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableId {
    Time,
    Parameter(usize),
    Input(usize),
    Output(usize),
}

impl UnitPlan {
    /// Give every variable its number.
    pub(crate) fn number(&mut self) {
        let parameters = self.parameters.iter_mut().map(|p| &mut p.variable);
        let inputs = self.inputs.iter_mut().map(|i| &mut i.variable);
        let mut all: Vec<&mut UnitVariable> = parameters.chain(inputs).chain(&mut self.outputs).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let mut taken = BTreeSet::from([0]);
        for variable in all {
            let mut number = hash(&variable.name);
            while !taken.insert(number) {
                number = number.wrapping_add(1);
            }
            variable.reference = number;
        }
    }

    /// A name that two variables have, if any two have.
    pub(crate) fn twice(&self) -> Option<&str> {
        let mut seen = HashSet::from(["time"]);
        self.variables().map(|v| v.name.as_str()).find(|name| !seen.insert(name))
    }

    /// All variables but time: parameters, inputs, outputs.
    pub fn variables(&self) -> impl Iterator<Item = &UnitVariable> {
        let parameters = self.parameters.iter().map(|p| &p.variable);
        parameters.chain(self.inputs.iter().map(|i| &i.variable)).chain(&self.outputs)
    }

    /// The limits that the scene is read with.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        for (name, value) in &self.limits {
            limits.set(name, *value);
        }
        limits
    }

    /// All numbers with their variables.
    pub(crate) fn references(&self) -> impl Iterator<Item = (u32, VariableId)> {
        let parameters =
            self.parameters.iter().enumerate().map(|(k, p)| (p.variable.reference, VariableId::Parameter(k)));
        let inputs = self.inputs.iter().enumerate().map(|(k, i)| (i.variable.reference, VariableId::Input(k)));
        let outputs = self.outputs.iter().enumerate().map(|(k, o)| (o.reference, VariableId::Output(k)));
        std::iter::once((0, VariableId::Time)).chain(parameters).chain(inputs).chain(outputs)
    }
}

/// FNV-1a.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(outputs: &[&str]) -> UnitPlan {
        let variable = |name: &&str| UnitVariable {
            name: name.to_string(),
            reference: 0,
            unit: "m".into(),
            description: String::new(),
        };
        let mut plan = UnitPlan {
            program: String::new(),
            model: String::new(),
            description: String::new(),
            identifier: String::new(),
            token: String::new(),
            stop_time: 1.0,
            step: 0.1,
            tolerance: None,
            parameters: Vec::new(),
            inputs: Vec::new(),
            outputs: outputs.iter().map(variable).collect(),
            limits: Vec::new(),
        };
        plan.number();
        plan
    }

    #[test]
    fn numbers_belong_to_names() {
        let (few, many) = (plan(&["b.pos.x", "a.pos.x"]), plan(&["a.pos.x", "c.pos.x", "b.pos.x"]));
        assert_eq!(few.outputs[0].reference, many.outputs[2].reference);
        assert_eq!(few.outputs[1].reference, many.outputs[0].reference);
        assert_eq!(plan(&["a", "b", "a"]).twice(), Some("a"));
        assert_eq!(many.twice(), None);
    }

    #[test]
    fn names_that_meet_get_different_numbers() {
        // two words with the same 32 bits
        assert_eq!(hash("costarring"), hash("liquid"));
        let both = plan(&["liquid", "costarring"]);
        assert_eq!(both.outputs[0].reference, both.outputs[1].reference + 1);
    }
}

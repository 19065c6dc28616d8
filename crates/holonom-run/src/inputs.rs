//! Inputs: numbers that a program sets while a simulation runs.
//!
//! An input of a drive takes the place of the function of time that the scene gives it; one of a joint coordinate is a
//! force or torque along it. Between two settings an input is a function of time that is twice continuously
//! differentiable:
//!
//! ```text
//! set(value, rate, over):   x(s) = x0 + v0 s + a0 s²/2 + c3 s³ + c4 s⁴ + c5 s⁵,   s = t - t0 in [0, over]
//!                           from where it is now to value and rate, second derivative 0;  then  value + rate (s - over)
//! over = 0                  at once
//! ```
//!
//! A model belongs to all its simulations, and an input to one: the simulation then has a model of its own, built anew
//! from the scene with a function that can be set in the place of the drive's.

use holonom::declaration::{DriveAction, Invalid};
use holonom::forces::CoordinateForce;
use holonom::functions::Function;
use holonom::{Edited, JointId, Model, ModelError, Simulation, drives, joints};
use holonom_scene::Scene;
use holonom_scene::fields::Val;
use holonom_scene::scene::InteractionRecord;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// What an input is at present.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputCourse {
    t0: f64,
    over: f64,
    c: [f64; 6],
    /// Afterwards.
    value: f64,
    rate: f64,
}

impl InputCourse {
    /// The same value for ever.
    pub fn constant(value: f64) -> InputCourse {
        InputCourse { t0: 0.0, over: 0.0, c: [value, 0.0, 0.0, 0.0, 0.0, 0.0], value, rate: 0.0 }
    }

    /// From a value with its derivatives at `t0` to another value and rate.
    pub fn towards([x0, v0, a0]: [f64; 3], t0: f64, value: f64, rate: f64, over: f64) -> InputCourse {
        let mut c = [x0, v0, 0.5 * a0, 0.0, 0.0, 0.0];
        if over > 0.0 {
            // what is left to the higher terms at the end, in units of the whole way
            let p = value - (x0 + over * (v0 + 0.5 * over * a0));
            let q = (rate - (v0 + over * a0)) * over;
            let r = -a0 * over * over;
            let h = over * over * over;
            c[3] = (10.0 * p - 4.0 * q + 0.5 * r) / h;
            c[4] = (-15.0 * p + 7.0 * q - r) / (h * over);
            c[5] = (6.0 * p - 3.0 * q + 0.5 * r) / (h * over * over);
        }
        InputCourse { t0, over, c, value, rate }
    }

    /// Value and two derivatives at a time.
    pub fn at(&self, t: f64) -> [f64; 3] {
        let s = t - self.t0;
        if s >= self.over {
            return [self.value + self.rate * (s - self.over), self.rate, 0.0];
        }
        let (c, s) = (&self.c, s.max(0.0));
        let x = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
        let v = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])));
        [x, v, 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))]
    }
}

/// A number that can be set, and what it is while nobody has set it.
#[derive(Clone)]
pub struct InputCell {
    course: Arc<Mutex<Option<InputCourse>>>,
    otherwise: Arc<dyn Function>,
}

impl InputCell {
    /// Not set yet.
    pub fn new(otherwise: Arc<dyn Function>) -> InputCell {
        InputCell { course: Arc::default(), otherwise }
    }

    /// The same, set by others.
    pub fn detached(&self) -> InputCell {
        InputCell { course: Arc::new(Mutex::new(self.course())), otherwise: self.otherwise.clone() }
    }

    /// What was set.
    pub fn course(&self) -> Option<InputCourse> {
        *self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Set it, or go back to what it is otherwise.
    pub fn put(&self, course: Option<InputCourse>) {
        *self.course.lock().unwrap_or_else(PoisonError::into_inner) = course;
    }
}

impl Function for InputCell {
    fn at(&self, t: f64) -> [f64; 3] {
        self.course().map_or_else(|| self.otherwise.at(t), |p| p.at(t))
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.otherwise.validate()
    }
}

/// The one number that a drive is told: the field of its table, and the function of time there. `None` for drives that
/// are told several, or none.
pub fn told(drive: &InteractionRecord) -> Option<(&'static str, Arc<dyn Function>)> {
    let functions = drive.record.values().iter().filter(|(_, v, _)| matches!(v, Val::Function(_)));
    let functions: Vec<&'static str> = functions.map(|(field, ..)| *field).collect();
    let field = match functions[..] {
        [one] => one,
        _ if functions.contains(&"value") => "value",
        _ => return None,
    };
    drive.record.function(field).map(|f| (field, f))
}

/// Does a drive prescribe motion (and not an effort)? What it is told must then not jump.
pub fn prescribes_motion(drive: &InteractionRecord) -> bool {
    drives::declaration(drive.kind().name).is_some_and(|d| d.action != DriveAction::Effort)
}

/// A scene whose drives follow inputs: name of the drive, field of its table, and what stands there instead.
pub fn scene_with<'a>(scene: &Scene, inputs: impl Iterator<Item = (&'a str, &'static str, &'a InputCell)>) -> Scene {
    let mut scene = scene.clone();
    for (name, field, cell) in inputs {
        let Some(drive) = scene.drives.iter_mut().find(|d| &*d.name == name) else { continue };
        let span = drive.record.span_of(field);
        Arc::make_mut(&mut drive.record).replace(field, Val::Function(Arc::new(cell.clone())), span);
    }
    scene
}

/// A force (N) or torque (N m) along a joint coordinate that follows an input, never larger than `limit`.
pub fn add_effort(
    sim: &mut Simulation,
    name: &str,
    (joint, i): (JointId, usize),
    cell: &InputCell,
    limit: f64,
) -> Result<Edited, ModelError> {
    let cell = cell.clone();
    let law = move |_: f64, _: f64, t: f64| cell.at(t)[0].clamp(-limit, limit);
    let coordinate = sim.model().coordinate(joint, i);
    sim.add_force(name, CoordinateForce::new(coordinate, law)).map(|(_, edited)| edited)
}

/// Every coordinate of every joint that is not a drive.
pub fn coordinates(model: &Model) -> impl Iterator<Item = (JointId, usize)> + '_ {
    let joints = model.joints().filter(|j| !joints::is_drive(model.constraint(*j).kind()));
    joints.flat_map(|j| (0..model.coordinate_kinds(j).len()).map(move |i| (j, i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_joins_its_ends_with_two_derivatives() {
        let course = InputCourse::towards([1.0, -2.0, 3.0], 0.5, 4.0, 5.0, 0.25);
        let close = |a: [f64; 3], b: [f64; 3], by: f64| (0..3).all(|k| (a[k] - b[k]).abs() < by);
        assert!(close(course.at(0.5), [1.0, -2.0, 3.0], 1e-12));
        assert!(close(course.at(0.75), [4.0, 5.0, 0.0], 1e-12));
        assert!(close(course.at(0.75 - 1e-12), [4.0, 5.0, 0.0], 1e-7), "{:?}", course.at(0.75 - 1e-12));
        assert!(close(course.at(1.75), [9.0, 5.0, 0.0], 1e-12));
        // the derivatives are those of the value
        let (t, h) = (0.6, 1e-5);
        let [x, v, a] = course.at(t);
        let (before, after) = (course.at(t - h), course.at(t + h));
        assert!(((after[0] - before[0]) / (2.0 * h) - v).abs() < 1e-5);
        assert!(((after[0] - 2.0 * x + before[0]) / (h * h) - a).abs() < 1e-2);
    }

    /// Answers are those of the input as it is, in a state that did not change.
    #[test]
    fn an_effort_that_is_set_is_seen_at_once() {
        let loaded = crate::scenes::open("pendulum", &Default::default()).map_err(|e| e.text()).expect("read");
        let model = Arc::new(loaded.build().map_err(|e| e.render()).expect("built"));
        let mut sim = Simulation::new(model.clone());
        let cell = InputCell::new(Arc::new(0.0));
        let at = coordinates(&model).next().expect("a hinge");
        add_effort(&mut sim, "effort", at, &cell, f64::INFINITY).expect("added");
        let mut accelerations = |effort: f64| {
            cell.put(Some(InputCourse::constant(effort)));
            sim.state_mut();
            sim.accelerations().expect("solved")
        };
        let [none, one, two] = [0.0, 1.0, 2.0].map(&mut accelerations);
        let largest = none.iter().zip(&one).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(largest > 1e-3, "{none:?} {one:?}");
        for k in 0..none.len() {
            assert!((two[k] - 2.0 * one[k] + none[k]).abs() < 1e-9 * largest.max(none[k].abs()), "{k}");
        }
    }
}

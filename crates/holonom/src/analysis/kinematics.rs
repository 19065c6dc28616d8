//! Inverse kinematics: how the joints of a mechanism must move for what is prescribed to happen.
//!
//! The mechanism is moved by the law f = m v without any push: of all motions that the joints and the prescribed rows
//! allow, it takes
//!
//! ```text
//! min  1/2 v^T M v    subject to   J v + C_t = 0            (H [v; lambda] = [0; C_t])
//! ```
//!
//! the *least motion* in the metric of the masses. Where the mechanism has just the freedom that is prescribed there is
//! nothing to choose; where it has more (an arm of seven joints whose hand follows a path), this is what decides.
//! Positions are on the constraints to rounding, whatever the step; the choice among spare motions is that of the
//! midpoint rule.
//!
//! The joint motions, as functions of time, then drive motors in a second model without the prescribed rows, whose
//! multipliers are the torques that the motors must give. A [`crate::catalogue::joints::Servo`] gets torques in one
//! run, where there are as many actuators as rows.

use crate::analysis::doctor;
use crate::catalogue::functions::SplineFunction;
use crate::error::StepError;
use crate::model::JointId;
use crate::step::laws;
use crate::step::mechanism::Mechanism;

/// Motions of joint coordinates, found by inverse kinematics.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    /// Times, s, evenly spaced.
    pub times: Vec<f64>,
    /// Values (turns counted), one list per coordinate asked for.
    pub values: Vec<Vec<f64>>,
    /// Rates at the same times.
    pub rates: Vec<Vec<f64>>,
    /// Freedom that was not prescribed and was decided by least motion.
    pub spare_freedom: usize,
}

impl JointMotion {
    /// Coordinate `i` as a function of time, twice continuously differentiable: for
    /// [`crate::catalogue::joints::Motor::position`].
    pub fn function(&self, i: usize) -> SplineFunction {
        let (values, rates) = (&self.values[i], &self.rates[i]);
        let (first, last) = (rates.first().copied().unwrap_or(0.0), rates.last().copied().unwrap_or(0.0));
        SplineFunction::clamped(&self.times, values, first, last)
    }
}

/// How these joint coordinates move while the mechanism follows what is prescribed in it, from now to `t_end` in
/// `steps` equal steps. Nothing but kinematics counts: no inertia, no forces. Spare freedom takes the least motion in
/// the metric of the masses. The state stays what it is.
pub(crate) fn inverse_kinematics(
    mechanism: &mut Mechanism,
    coordinates: &[(JointId, usize)],
    t_end: f64,
    steps: usize,
) -> Result<JointMotion, StepError> {
    let start = mechanism.state.t;
    if !(t_end.is_finite() && t_end > start) || steps == 0 {
        return Err(StepError::Invalid(format!(
            "inverse kinematics from {start} s to {t_end} s in {steps} steps: the end must be finite and later, the steps at least 1"
        )));
    }
    for &(joint, i) in coordinates {
        if mechanism.coordinate(joint, i).is_none() {
            let name = mechanism.model.joint_name(joint);
            return Err(StepError::Invalid(format!("joint `{name}` has no coordinate number {i}")));
        }
    }
    let spare_freedom = doctor::diagnose(mechanism)?.mobility;
    let before = mechanism.state.clone();
    let result = follow_prescribed(mechanism, coordinates, start, t_end, steps);
    mechanism.set_state(before);
    let (times, values, rates) = result?;
    Ok(JointMotion { times, values, rates, spare_freedom })
}

#[allow(clippy::type_complexity)]
fn follow_prescribed(
    mechanism: &mut Mechanism,
    coordinates: &[(JointId, usize)],
    start: f64,
    t_end: f64,
    steps: usize,
) -> Result<(Vec<f64>, Vec<Vec<f64>>, Vec<Vec<f64>>), StepError> {
    let mut times = Vec::with_capacity(steps + 1);
    let (mut values, mut rates) = (vec![Vec::new(); coordinates.len()], vec![Vec::new(); coordinates.len()]);
    for k in 0..=steps {
        if k > 0 {
            let next = start + (t_end - start) * k as f64 / steps as f64;
            laws::kinematic_step_of_joints(mechanism, next - mechanism.state.t)?;
            mechanism.state_mut().t = next;
        }
        // rates at this very pose
        let v = laws::velocities_from_forces(mechanism, &[])?;
        mechanism.state_mut().v.copy_from_slice(&v);
        times.push(mechanism.state.t);
        for (n, &(joint, i)) in coordinates.iter().enumerate() {
            let (value, rate) = mechanism.coordinate(joint, i).unwrap_or((f64::NAN, f64::NAN));
            values[n].push(value);
            rates[n].push(rate);
        }
    }
    Ok((times, values, rates))
}

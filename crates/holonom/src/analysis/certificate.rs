//! A certificate: how good the present state and the equations at it are.

use crate::analysis::contacts;
use crate::error::StepError;
use crate::solve::residual::Residual;
use crate::step::contradiction;
use crate::step::mechanism::Mechanism;
use crate::step::promises;
use holonom_tree::Cost;

/// What can be said of a state and of the last solve at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// How well the accelerations and multipliers satisfy the equations of motion and the constraints.
    pub residual: Residual,
    /// Largest gap of a joint, m or rad.
    pub gap: f64,
    /// Largest rate of a gap, m/s or rad/s.
    pub gap_rate: f64,
    /// Rows that depended on others in the factorisation, where the solver can tell. [`crate::Simulation::diagnose`]
    /// names them.
    pub rank_deficiency: Option<usize>,
    /// Rows contradict each other: in accelerations, which are then those of least squares, or some row is not kept by
    /// them ([`Residual::contradiction`]); or in rates, so that there are no velocities that suit all joints and
    /// drives.
    pub contradiction: bool,
    /// How well forces of contacts, limits and friction obey their laws (scaled; 0 where none act, and where they are
    /// those of the last step).
    pub complementarity: f64,
    /// Largest overlap of shapes, or excess over a limit or the length of a rope, m or rad.
    pub overlap: f64,
    /// Counted work and fill of the elimination.
    pub cost: Cost,
}

/// The certificate of the present state.
pub(crate) fn certificate(mechanism: &mut Mechanism) -> Result<Certificate, StepError> {
    let (gap, gap_rate) = mechanism.violation();
    let (model, state) = (&mechanism.model, &mechanism.state);
    let rates = contradiction::of_rates(model, &state.q, &state.v, state.t, &mechanism.work).is_some();
    let overlap = contacts::overlap(mechanism);
    mechanism.evaluate()?;
    let complementarity =
        if mechanism.work.contact.acting.acting { mechanism.work.contact.acting.task.residual } else { 0.0 };
    let (model, _, work) = mechanism.parts();
    let residual = work.kkt.residual(model, &work.eval);
    let left_out = work.kkt.solver.contradiction() || residual.contradiction > promises::CONTRADICTION;
    Ok(Certificate {
        residual,
        gap,
        gap_rate,
        rank_deficiency: work.kkt.solver.deficiency(),
        contradiction: rates || left_out,
        complementarity,
        overlap,
        cost: model.cost(),
    })
}

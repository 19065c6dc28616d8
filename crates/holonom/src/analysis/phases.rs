//! One evaluation of the equations of motion, phase by phase: for programs that time the phases or look between them.
//!
//! ```
//! use holonom::prelude::*;
//! use holonom::{Workspace, phases};
//!
//! let mut m = ModelBuilder::new();
//! let bob = m.body("bob", Particle::new(1.0, [1.0, 0.0, 0.0]));
//! m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
//! let model = m.build()?;
//! let state = model.initial_state();
//! let mut work = Workspace::new(&model, SolverKind::Tree);
//! phases::equations(&model, state, &mut work); // M, F, J, c
//! phases::factor(&model, state, &mut work)?; // H = L D L^T
//! phases::solve(&model, state, &mut work)?; // vdot, lambda
//! assert_eq!(work.accelerations(), [0.0, 0.0, -9.81]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The state and the workspace must be of this model; others make these functions panic or give numbers without
//! meaning.

use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::model::Model;
use crate::model::state::State;

/// First phase: bodies, forces and constraints at `state`. Fills M, F, J and c. Allocates nothing.
pub fn equations(model: &Model, state: &State, work: &mut Workspace) {
    let State { q, v, t, .. } = state;
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::apply_forces(model, q, v, *t, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, *t, &mut work.eval);
}

/// Second phase: factor H at the values of the first.
pub fn factor(model: &Model, state: &State, work: &mut Workspace) -> Result<(), StepError> {
    work.kkt.factor(model, state.t, &work.eval)
}

/// Third phase: accelerations and multipliers, to be read from the workspace.
pub fn solve(model: &Model, state: &State, work: &mut Workspace) -> Result<(), StepError> {
    work.kkt.solve_motion(model, state.t, &work.eval)
}

/// All phases in order: state in, all accelerations and multipliers out.
pub fn accelerations(model: &Model, state: &State, work: &mut Workspace) -> Result<(), StepError> {
    dynamics::accelerations(model, &state.q, &state.v, state.t, None, work)
}

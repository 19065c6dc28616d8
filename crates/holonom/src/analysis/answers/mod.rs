//! Answers that robotics and design ask for, from the factor of one state: what pushes do, which efforts a motion
//!
//! ```
//! use holonom::answers::PushAlong;
//! use holonom::prelude::*;
//!
//! let mut m = ModelBuilder::new();
//! let y = [0.0, 1.0, 0.0];
//! let rod = m.body("rod", Rigid::cuboid(3.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
//! let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), rod.at([-0.5, 0.0, 0.0]).along(y)));
//! let sim = Simulation::build(m)?;
//!
//! let mut held = sim.held_factor()?; // one factorisation; every answer below is a solve
//! let tip = PushAlong::point(rod.at([0.5, 0.0, 0.0]), [0.0, 0.0, 1.0]);
//! let answer = held.push(&tip, 10.0)?; // 10 N upwards at the tip, and nothing else
//! let row = held.row(&tip)?;
//! let up: f64 = row.iter().zip(&answer.acceleration).map(|(r, a)| r * a).sum();
//! assert!((up - 10.0 / held.effective_mass(&tip)?).abs() < 1e-12);
//!
//! // the torque that holds it still against gravity
//! let still = vec![0.0; held.n_v()];
//! let torque = held.inverse_dynamics(&still, &[PushAlong::coordinate(pin, 0)], None)?;
//! assert!((torque.efforts[0] + 3.0 * 9.81 * 0.5).abs() < 1e-9); // about y, which turns the tip down
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod along;
mod derivatives;
mod factor;
mod inverse;
mod joint_equations;
mod least;
mod rollout;

pub use along::PushAlong;
pub use derivatives::{Derivative, Derivatives, Displacement};
pub use factor::{HeldFactor, Response};
pub use inverse::InverseDynamics;
pub use joint_equations::{JointEquations, JointRate};
pub use rollout::{Rollout, RolloutGradient, RolloutOptions, RolloutParameter, RolloutTable};

//! Who answers questions about a simulation: a double of its mechanism.
//!
//! Most answers need the equations of motion, and so scratch memory to solve them in; but somebody who only reads must
//! not change what he reads, nor need the right to. So reads take `&self` and are answered by a double: the same model
//! and choices, a copy of the state, and scratch of its own, made at the first read and kept. Answers depend on state,
//! model, solver, drift correction and on who handles inequality rows, and on nothing that a run carries in its
//! scratch: a run that is read and one that is not have the same bits.
//!
//! A read costs a copy of the state, and one evaluation when the state is another than at the read before, or was laid
//! hands on ([`crate::Simulation::state_mut`]).

use crate::error::StepError;
use crate::step::integrate::{Attempt, Integrator, Motion};
use crate::step::mechanism::Mechanism;
use std::sync::{Arc, Mutex, PoisonError};

/// The double of a mechanism, once somebody has asked.
#[derive(Default)]
pub(crate) struct Double(Mutex<Option<Mechanism>>);

impl Double {
    /// Put a question to the double of `mechanism`.
    pub fn answer<T>(&self, mechanism: &Mechanism, question: impl FnOnce(&mut Mechanism) -> T) -> T {
        // a question that panicked leaves a double that is made anew
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut double = match kept.take() {
            Some(d) if Arc::ptr_eq(&d.model, &mechanism.model) && d.solver == mechanism.solver => d,
            _ => mechanism.another(),
        };
        double.follow(mechanism);
        let answer = question(&mut double);
        *kept = Some(double);
        answer
    }

    /// What was computed does not hold any more, though the state may be the same: a function that the model follows,
    /// set from outside, is another now.
    pub fn forget(&mut self) {
        if let Some(double) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            double.current = false;
        }
    }
}

/// In place of the integrator of the original: it never steps.
struct NeverSteps {
    handles_inequalities: bool,
}

impl Integrator for NeverSteps {
    fn name(&self) -> &'static str {
        "none"
    }
    fn order(&self) -> u32 {
        0
    }
    fn handles_inequalities(&self) -> bool {
        self.handles_inequalities
    }
    fn attempt(&mut self, _: &mut Motion<'_>, _: f64) -> Result<Attempt, StepError> {
        Err(StepError::Invalid("who only answers questions takes no steps".into()))
    }
}

impl Mechanism {
    /// The same model and solver, with scratch of its own.
    fn another(&self) -> Mechanism {
        let mut double = Mechanism::new(self.model.clone());
        let handles_inequalities = self.method.integrator.handles_inequalities();
        double.method.integrator = Box::new(NeverSteps { handles_inequalities });
        if double.solver != self.solver {
            double.work = crate::contact::inequality::workspace::Workspace::new(&self.model, self.solver);
            double.solver = self.solver;
        }
        double
    }

    /// The state and choices of `original`, which has the same model and solver.
    fn follow(&mut self, original: &Mechanism) {
        self.set_interrupt(original.interrupt().clone());
        self.impacts = original.impacts;
        let handles_inequalities = original.method.integrator.handles_inequalities();
        let same = self.state == original.state
            && self.method.drift == original.method.drift
            && self.method.integrator.handles_inequalities() == handles_inequalities;
        if !same {
            self.state.clone_from(&original.state);
            self.method.drift = original.method.drift;
            if self.method.integrator.handles_inequalities() != handles_inequalities {
                self.method.integrator = Box::new(NeverSteps { handles_inequalities });
            }
            self.current = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::attach::BodyId;
    use crate::catalogue::bodies::Particle;
    use crate::catalogue::forces::UserForce;
    use crate::prelude::{ModelBuilder, Simulation};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A law that is switched from outside: with hands on the state, answers are those of the law as it is now.
    #[test]
    fn answers_follow_what_is_set_from_outside() -> Result<(), Box<dyn std::error::Error>> {
        let on = Arc::new(AtomicBool::new(false));
        let mut m = ModelBuilder::new();
        m.gravity([0.0; 3]);
        let ball = m.body("ball", Particle::new(2.0, [0.0; 3]));
        let (switch, at) = (on.clone(), vec![ball.origin().p(), BodyId::GROUND.origin().p()]);
        m.force(
            "push",
            UserForce::new(at, move |_: &crate::attach::View, _: f64, push: &mut crate::forces::Push| {
                if switch.load(Ordering::Relaxed) {
                    push.on(0, crate::math::Vec3::X);
                }
            }),
        );
        let mut sim = Simulation::build(m)?;
        assert_eq!(sim.accelerations()?, [0.0; 3]);
        on.store(true, Ordering::Relaxed);
        sim.state_mut();
        assert_eq!(sim.accelerations()?, [0.5, 0.0, 0.0]);
        Ok(())
    }
}

//! Questions about where shapes are.

use super::Simulation;
use crate::analysis::queries::Queries;
use crate::error::StepError;
use crate::model::shapes::ShapeId;
use crate::step::mechanism::Mechanism;

impl Simulation {
    /// The shapes where they are now, to be asked what a ray or a moving shape hits, and which points are nearest.
    ///
    /// ```
    /// use holonom::prelude::*;
    /// let mut m = ModelBuilder::new();
    /// let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 1.1]));
    /// m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::default());
    /// m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::default());
    /// let mut sim = Simulation::build(m)?;
    /// let mut shapes = sim.queries()?;
    /// let hit = shapes.ray(vec3(0.0, 0.0, 5.0), vec3(0.0, 0.0, -1.0), 100.0).expect("the ball");
    /// assert!(hit.body == ball && (hit.distance - 3.8).abs() < 1e-12);
    /// let apart = shapes.between(ball, BodyId::GROUND, 10.0).expect("near");
    /// assert!((apart.distance - 1.0).abs() < 1e-12);
    /// sim.run_until(0.1)?;
    /// sim.follow_queries(&mut shapes)?;
    /// assert!(shapes.between(ball, BodyId::GROUND, 10.0).expect("near").distance < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn queries(&self) -> Result<Queries, StepError> {
        self.read(Queries::new)
    }

    /// Pairs of a sensor and a shape that is in it now, sensors first.
    pub fn sensed(&self) -> Vec<(ShapeId, ShapeId)> {
        self.read(Mechanism::sensed)
    }

    /// Move the shapes of [`Simulation::queries`] to where they are now.
    ///
    /// # Errors
    ///
    /// Shapes of another model.
    pub fn follow_queries(&self, queries: &mut Queries) -> Result<(), StepError> {
        if !queries.is_of(self.model()) {
            return Err(StepError::Invalid("these are the shapes of another model".into()));
        }
        self.read(|m| queries.follow(m));
        Ok(())
    }
}

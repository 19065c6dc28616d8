//! Exactly defined mechanisms, shared by tests, benchmarks and verification, so that answers can be compared with other
//! programs.
//!
//! Every link is a 1 kg box of 1.0 x 0.2 x 0.2 m with its long axis along body x, body origin at the proximal end,
//! centre of mass at (0.5, 0, 0), inertia about it diag(0.08, 1.04, 1.04)/12 kg m². A joint sits at the origin of the
//! child and at a point `at` of the parent; at zero joint position the two frames are parallel.
//!
//! [`case`] finds a mechanism by name: trees in [`TreeCase`], closed loops in [`LoopCase`] (some of which have other
//! bodies). [`pile_case`] finds piles, held by contact alone. [`forward_dynamics`] gives reference accelerations,
//! computed independently of this engine.

mod loops;
mod piles;
mod reference;
mod state;

pub use loops::{LoopCase, LoopFamily, loop_case};
pub use piles::{HeapKind, PileCase, Thrown, pile_case};
pub use reference::{ForwardDynamics, forward_dynamics};
pub use state::{Given, SEED, TreeCase, TreeJoint, tree_case};

use holonom::ModelBuilder;
use holonom::prelude::*;

/// The common link, not yet placed.
pub fn link() -> Rigid {
    link_of_mass(1.0)
}

/// The common link with another mass (inertia in proportion).
pub fn link_of_mass(mass: f64) -> Rigid {
    Rigid::principal(mass, vec3(0.08, 1.04, 1.04) * (mass / 12.0)).centre([0.5, 0.0, 0.0])
}

/// A mechanism by name.
pub enum Case {
    /// Without loops.
    Tree(TreeCase),
    /// With loops.
    Loop(LoopCase),
}

/// Any of [`tree_case`] and [`loop_case`]; `None` for other names.
pub fn case(name: &str) -> Option<Case> {
    tree_case(name).map(Case::Tree).or_else(|| loop_case(name).map(Case::Loop))
}

impl Case {
    /// Number of bodies.
    pub fn n_bodies(&self) -> usize {
        match self {
            Case::Tree(case) => case.n_bodies(),
            Case::Loop(case) => case.n_bodies(),
        }
    }

    /// The model, starting in the state of [`SEED`].
    pub fn builder(&self) -> ModelBuilder {
        match self {
            Case::Tree(case) => case.builder(),
            Case::Loop(case) => case.builder(),
        }
    }

    /// A state of the built model from another seed. Joints hold to rounding.
    pub fn state(&self, model: &Model, seed: u64) -> State {
        match self {
            Case::Tree(case) => case.state(model, seed),
            Case::Loop(case) => case.state(model, seed),
        }
    }
}

/// A ball chain at rest along x, first link pinned to the ground at the origin; `mass(i)` is the mass of link i.
pub fn straight_ball_chain(n: usize, mass: impl Fn(usize) -> f64) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..n {
        let body = m.body(format!("link {i}"), link_of_mass(mass(i)).position([i as f64, 0.0, 0.0]));
        m.joint(format!("ball {i}"), Spherical::new(above, body.origin()));
        above = body.at([1.0, 0.0, 0.0]);
    }
    m
}

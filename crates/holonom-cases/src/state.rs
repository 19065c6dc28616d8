//! Trees in random states that are reproducible to the last bit: splitmix64 with a seed (1996 unless another is asked
//! for), first all positions in body order, then all velocities.
//!
//! - ball joint: position exp of a rotation vector of 3 U(0.5); velocity 3 U(1), relative angular velocity in child
//!   axes
//! - revolute: U(0.5) rad; U(1) rad/s
//! - free root: position 0 and exp of 3 U(0.5); velocity 3 U(1) of the frame origin in world axes, then 3 U(1) angular
//!   velocity in body axes

use crate::link_of_mass;
use holonom::ModelBuilder;
use holonom::bodies::Body;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;

/// The seed of the states that the reference accelerations belong to.
pub const SEED: u64 = 1996;

/// Joint between a link and its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeJoint {
    /// Ball joint.
    Ball,
    /// Revolute about this axis of both frames.
    Revolute(Vec3),
    /// No joint: a free root.
    Free,
}

/// A tree of links.
pub struct TreeCase {
    /// Parent of each link; `None` is the ground (or nothing, for a free root).
    pub parent: Vec<Option<usize>>,
    /// Where the joint sits on the parent.
    pub at: Vec<Vec3>,
    /// The joint above each link.
    pub joint: Vec<TreeJoint>,
    /// How the joints are given to the engine.
    pub given: Given,
}

/// How joints are given to the engine: what differs is the cost, not the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// As they are; through the lock-row door where they have one.
    AsTheyAre,
    /// Row by row, with gradients and curvatures written by hand.
    ByHand,
    /// As formulas that differentiate themselves.
    AsFormulas,
}

/// The cases by name: `aN` ball chain, `bN` revolute chain (axes y, z alternating), `c128` binary tree with a free
/// root, `d127` star with a free hub; `hN` and `wN` are `bN` with the rows of its joints written by hand, and written
/// as formulas. `None` for other names. `cN` and `dN` of other sizes follow the same rule.
pub fn tree_case(name: &str) -> Option<TreeCase> {
    let kind = name.chars().next()?;
    let n: usize = name.get(1..)?.parse().ok()?;
    if n == 0 || n > 4_000_000 {
        return None;
    }
    let given = match kind {
        'h' => Given::ByHand,
        'w' => Given::AsFormulas,
        _ => Given::AsTheyAre,
    };
    let mut case = TreeCase { parent: Vec::new(), at: Vec::new(), joint: Vec::new(), given };
    let mut add = |parent: Option<usize>, at: Vec3, joint| {
        case.parent.push(parent);
        case.at.push(at);
        case.joint.push(joint);
    };
    let end = vec3(1.0, 0.0, 0.0);
    match kind {
        'a' | 'b' | 'h' | 'w' => {
            for i in 0..n {
                let axis = if i % 2 == 0 { Vec3::Y } else { Vec3::Z };
                let joint = if kind == 'a' { TreeJoint::Ball } else { TreeJoint::Revolute(axis) };
                add(i.checked_sub(1), if i == 0 { Vec3::ZERO } else { end }, joint);
            }
        }
        'c' => {
            add(None, Vec3::ZERO, TreeJoint::Free);
            for i in 1..n {
                let side = if i % 2 == 1 { 0.1 } else { -0.1 };
                add(Some((i - 1) / 2), vec3(1.0, side, 0.0), TreeJoint::Ball);
            }
        }
        'd' => {
            add(None, Vec3::ZERO, TreeJoint::Free);
            for k in 0..n {
                let t = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
                add(Some(0), vec3(0.5 + 0.5 * libm::cos(t), 0.5 * libm::sin(t), 0.0), TreeJoint::Ball);
            }
        }
        _ => return None,
    }
    Some(case)
}

impl TreeCase {
    /// Number of links.
    pub fn n_bodies(&self) -> usize {
        self.parent.len()
    }

    /// The links in the random state of this seed.
    pub fn links(&self, seed: u64) -> Vec<Rigid> {
        self.links_with_masses(seed, |_| 1.0)
    }

    fn links_with_masses(&self, seed: u64, mass: impl Fn(usize) -> f64) -> Vec<Rigid> {
        let mut g = SplitMix(seed);
        let turns: Vec<Quat> = self
            .joint
            .iter()
            .map(|joint| match joint {
                TreeJoint::Ball | TreeJoint::Free => exp_quat(g.vec3(0.5)),
                TreeJoint::Revolute(axis) => exp_quat(*axis * g.symmetric(0.5)),
            })
            .collect();
        // pose and twist of each body origin: orientation, position, velocity, spin
        let mut placed: Vec<(Quat, Vec3, Vec3, Vec3)> = Vec::with_capacity(self.n_bodies());
        for i in 0..self.n_bodies() {
            let (e_p, x_p, v_p, w_p) = match self.parent[i] {
                Some(p) => placed[p],
                None => (Quat::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO),
            };
            let e = (e_p * turns[i]).normalize();
            let arm = e_p * self.at[i];
            let mut v = v_p + w_p.cross(arm);
            let w = match self.joint[i] {
                TreeJoint::Ball => w_p + e * g.vec3(1.0),
                TreeJoint::Revolute(axis) => w_p + e * axis * g.symmetric(1.0),
                TreeJoint::Free => {
                    v = g.vec3(1.0);
                    e * g.vec3(1.0)
                }
            };
            placed.push((e, x_p + arm, v, w));
        }
        let place = |(i, (e, x, v, w))| link_of_mass(mass(i)).position(x).orientation(e).velocity(v).spin(w);
        placed.into_iter().enumerate().map(place).collect()
    }

    /// The model, starting in the random state of [`SEED`].
    pub fn builder(&self) -> ModelBuilder {
        self.builder_with_masses(|_| 1.0)
    }

    /// The same with other masses, kg (inertia in proportion).
    pub fn builder_with_masses(&self, mass: impl Fn(usize) -> f64) -> ModelBuilder {
        let mut m = ModelBuilder::new();
        if self.given == Given::ByHand {
            m.general_rows_only();
        }
        for (i, link) in self.links_with_masses(SEED, mass).into_iter().enumerate() {
            let body = m.body(format!("link {i}"), link);
            // links are the only bodies, in order
            let above = self.parent[i].map_or(BodyId::GROUND, BodyId::from_index).at(self.at[i]);
            match self.joint[i] {
                TreeJoint::Ball => {
                    m.joint(format!("joint {i}"), Spherical::new(above, body.origin()));
                }
                TreeJoint::Revolute(axis) => {
                    let (a, b) = (above.along(axis), body.origin().along(axis));
                    if self.given == Given::AsFormulas {
                        // the same five conditions
                        let parts = [a.p(), b.p(), a.x(), a.y(), a.z(), b.z()];
                        let hinge = Written::new(parts, |[p, q, x, y, z, axis], _| {
                            let d = q - p;
                            [x.dot(d), y.dot(d), z.dot(d), -y.dot(axis), x.dot(axis)]
                        });
                        m.joint(format!("joint {i}"), hinge);
                    } else {
                        m.joint(format!("joint {i}"), Revolute::new(a, b));
                    }
                }
                TreeJoint::Free => {}
            }
        }
        m
    }

    /// A state of the built model with the positions and velocities of another seed. Joints hold to rounding.
    pub fn state(&self, model: &Model, seed: u64) -> State {
        let mut state = model.initial_state().clone();
        for (id, link) in model.bodies().zip(self.links(seed)) {
            link.initial(&mut state.q[model.q_range(id)], &mut state.v[model.v_range(id)]);
        }
        state
    }
}

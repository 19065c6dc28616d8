//! Two points brought together step by step, before they are joined.
//!
//! By the law f = m v: no inertia, no gravity, every pose on the way legal. Let W be the velocity of the one point
//! against the other for a unit push between them (3 x 3, symmetric, from three solves with all joints kept) and g the
//! gap. The push that closes the gap with time constant tau is
//!
//! ```text
//! f = (W + mu 1)^-1 (-g / tau - drift)       mu = 0.02 of the largest eigenvalue of W. drift: what drives do by themselves
//! ```
//!
//! With mu directions that joints hold, or nearly hold, take no large pushes; where a stretched linkage would be thrown
//! past its nearest pose nevertheless, the push is halved until the gap becomes smaller.
//!
//! Drives of speed let go meanwhile, and time stands still, so that nothing moves but what must. Light bodies come to
//! heavy ones, and the ground stays. What is near enough is closed exactly when the joint is made.

use super::Edit;
use super::editor::EditMoment;
use holonom::joints::{self, Closes};
use holonom::math::{Mat3, Vec3, symmetric_eigen};
use holonom::{Checkpoint, Marker, Model, Simulation, State, StepError};
use std::sync::Arc;

/// Time constant, s.
const TAU: f64 = 0.15;
/// A gap of this part of the size of the scene is closed at once.
const NEAR: f64 = 1e-3;
/// mu as a part of the largest eigenvalue.
const DAMPING: f64 = 0.02;
/// How often a push that does harm is halved.
const HALVINGS: usize = 12;
/// Simulated seconds after which a gap must have become smaller by a hundredth.
const PATIENCE: f64 = 0.5;

/// Which part of a gap must be closed, with the axis in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GapPart {
    which: Closes,
    axis: Vec3,
}

impl GapPart {
    /// What a kind of joint closes; none for those that are made at once.
    pub fn of(kind: &str, axis: Option<Vec3>) -> Option<GapPart> {
        let axis = axis.unwrap_or(Vec3::Z).normalize();
        let which = joints::declaration(kind).map(|d| d.closes).filter(|c| *c != Closes::Nothing);
        which.map(|which| GapPart { which, axis })
    }

    /// That part of a gap.
    pub fn part(self, gap: Vec3) -> Vec3 {
        let z = self.axis;
        match self.which {
            Closes::Nothing => Vec3::ZERO,
            Closes::Point => gap,
            Closes::AcrossAxis => gap - z * z.dot(gap),
            Closes::AlongAxis => z * z.dot(gap),
        }
    }
}

/// Two points on their way to each other, and the joint that is made when they have met.
#[derive(Clone)]
pub struct PointAssembly {
    pub(super) edit: Edit,
    pub(super) closes: GapPart,
    pub(super) a: Marker,
    pub(super) b: Marker,
    before: (Arc<Model>, State),
    /// Drives that turn or move something of their own accord, by name: they let go meanwhile.
    drives: Vec<String>,
    /// The mechanism with its drives, from the first step on.
    driven: Option<Checkpoint>,
    /// Had the mechanism left the start of its scene then?
    moved: bool,
    size: f64,
    gap: f64,
    best: f64,
    waited: f64,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AssemblyProgress {
    /// On the way; the gap in m.
    Closing(f64),
    /// Near enough for the joint to be made.
    Closed,
    /// It becomes no smaller; the gap in m.
    Stuck(f64),
}

impl PointAssembly {
    pub(super) fn new(
        edit: Edit,
        closes: GapPart,
        (a, b): (Marker, Marker),
        size: f64,
        now: &Simulation,
        moved: bool,
        drives: Vec<String>,
    ) -> Self {
        let gap = closes.part(now.point(b).0 - now.point(a).0).length();
        let before = (now.model().clone(), now.state().clone());
        PointAssembly { edit, closes, a, b, before, drives, driven: None, moved, size, gap, best: gap, waited: 0.0 }
    }

    /// Put the mechanism back to where it was before it began to move, for points that do not meet. Hands may have come
    /// or gone since.
    pub fn put_back(&self, sim: &mut Simulation) {
        if let Some(driven) = &self.driven {
            sim.return_to(driven);
        }
        let (model, state) = &self.before;
        let same = Arc::ptr_eq(model, sim.model());
        let state = if same { state.clone() } else { sim.model().carry(model, state) };
        sim.set_state(state);
    }

    /// The moment before it began.
    pub(super) fn moment(&self) -> EditMoment {
        self.moved.then(|| self.before.clone())
    }

    /// The gap, m.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// What is going on, for people.
    pub fn activity(&self) -> String {
        format!("joining: {:.1} mm apart", 1e3 * self.gap)
    }

    /// Move the mechanism for `dt` seconds of the page; its own time stands still. Its velocities are those of this
    /// motion, and mean nothing afterwards.
    pub fn step(&mut self, sim: &mut Simulation, dt: f64) -> Result<AssemblyProgress, StepError> {
        if self.driven.is_none() {
            self.driven = Some(sim.checkpoint());
            for name in &self.drives {
                // one that cannot let go moves on, which is allowed for
                let _ = sim.model().joint(name).map(|drive| sim.break_joint(drive));
            }
        }
        let time = sim.time();
        let gap = self.closes.part(sim.point(self.b).0 - sim.point(self.a).0);
        let towards = |v: Vec3| self.closes.part(v);
        let drift = towards(self.rate(sim, &[])?);
        let mut columns = [Vec3::ZERO; 3];
        for (column, e) in columns.iter_mut().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
            let e = towards(e);
            *column = towards(self.rate(sim, &[(self.b, e), (self.a, -e)])?) - drift;
        }
        let wanted = -gap / dt.max(TAU) - drift;
        let w = Mat3::from_cols(columns[0], columns[1], columns[2]);
        let mut push = damped_solve(w, wanted);
        let (start, was) = (sim.state().clone(), gap.length());
        for _ in 0..HALVINGS {
            sim.kinematic_step(&[(self.b, push), (self.a, -push)], dt)?;
            self.gap = self.closes.part(sim.point(self.b).0 - sim.point(self.a).0).length();
            if self.gap < was {
                break;
            }
            sim.set_state(start.clone());
            (push, self.gap) = (push * 0.5, was);
        }
        // drives that follow a function of time stay where they are
        sim.state_mut().t = time;
        if self.gap < NEAR * self.size {
            return Ok(AssemblyProgress::Closed);
        }
        self.waited += dt;
        if self.gap < 0.99 * self.best {
            (self.best, self.waited) = (self.gap, 0.0);
        }
        Ok(if self.waited > PATIENCE {
            AssemblyProgress::Stuck(self.best.min(self.gap))
        } else {
            AssemblyProgress::Closing(self.gap)
        })
    }

    /// Velocity of the second point against the first under these pushes.
    fn rate(&self, sim: &mut Simulation, pushes: &[(Marker, Vec3)]) -> Result<Vec3, StepError> {
        let v = sim.velocities_from_forces(pushes)?;
        let kept = std::mem::replace(&mut sim.state_mut().v, v);
        let rate = sim.point(self.b).1 - sim.point(self.a).1;
        sim.state_mut().v = kept;
        Ok(rate)
    }
}

/// The f with (W + mu 1) f = w, for symmetric W without negative eigenvalues; zero where W is.
fn damped_solve(w: Mat3, wanted: Vec3) -> Vec3 {
    let (axes, values) = symmetric_eigen(&((w + w.transpose()) * 0.5));
    let largest = values.iter().fold(0.0, |a: f64, x| a.max(*x));
    let along = |(axis, value): (Vec3, f64)| axis * (axis.dot(wanted) / (value.max(0.0) + DAMPING * largest));
    match largest > 0.0 {
        true => [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().zip(values).map(along).sum(),
        false => Vec3::ZERO,
    }
}

//! Hands on a mechanism: what pulls, pushes and turns from outside.
//!
//! A hand that *grabs* is a [`Mouse`]: three rows that make the held point follow a target, in the same solve as all
//! joints, with a force of at most its cap. A hand that *pushes* or *twists* is a force law whose value can be set.
//! Both are put into the running model by surgery (`Simulation::add_joint`, `add_force`) behind everything that is the
//! scene's own, in the order in which the hands came, so that the same inputs make the same model.

use crate::message::{HandKind, HandNow, Triple};
use holonom::forces::UserForce;
use holonom::joints::{Mouse, MouseTarget};
use holonom::{Attachment, BodyId, Marker, Mat3, Model, ModelError, Simulation, Vec3};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How fast a held point follows, s.
pub const FOLLOW: f64 = 0.05;
/// Caps that make sense, N.
pub const CAPS: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// A vector that can be set while a force law reads it.
#[derive(Clone, Debug)]
pub struct SharedVector(Arc<[AtomicU64; 3]>);

impl SharedVector {
    fn new(value: Triple) -> Self {
        SharedVector(Arc::new(value.map(|x| AtomicU64::new(x.to_bits()))))
    }
    fn set(&self, value: Triple) {
        for (slot, x) in self.0.iter().zip(value) {
            slot.store(x.to_bits(), Ordering::Relaxed);
        }
    }
    fn get(&self) -> Vec3 {
        let x = |i: usize| f64::from_bits(self.0[i].load(Ordering::Relaxed));
        Vec3::new(x(0), x(1), x(2))
    }
}

/// What a hand does.
#[derive(Clone, Debug)]
pub enum HandAction {
    /// Pulls its point towards a target.
    Grab {
        /// Where to.
        target: MouseTarget,
        /// Most force, N.
        cap: f64,
    },
    /// Pushes its point, N.
    Push(SharedVector),
    /// Turns its body, N m.
    Twist(SharedVector),
}

/// A hand.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Whose, and which of theirs.
    pub owner: (u32, u32),
    /// Where it holds.
    pub marker: Marker,
    /// What it does.
    pub grip: HandAction,
    /// Does it stay when its owner leaves?
    pub pinned: bool,
}

impl Hand {
    /// The name of its joint or force in the model; no scene can have such a name.
    fn name(&self) -> String {
        format!("\u{1}hand {} {}", self.owner.0, self.owner.1)
    }

    /// A hand that grabs. The target is where the point is.
    pub fn grab(owner: (u32, u32), marker: Marker, cap: f64, sim: &Simulation) -> Hand {
        let target = Mouse::new(marker, FOLLOW).target();
        target.set(sim.point(marker).0);
        Hand { owner, marker, grip: HandAction::Grab { target, cap }, pinned: false }
    }

    /// A hand that pushes a point.
    pub fn push(owner: (u32, u32), marker: Marker, force: Triple) -> Hand {
        Hand { owner, marker, grip: HandAction::Push(SharedVector::new(force)), pinned: false }
    }

    /// A hand that turns a body.
    pub fn twist(owner: (u32, u32), body: BodyId, torque: Triple) -> Hand {
        Hand { owner, marker: body.origin(), grip: HandAction::Twist(SharedVector::new(torque)), pinned: false }
    }

    /// Does it grab?
    pub fn grabs(&self) -> bool {
        matches!(self.grip, HandAction::Grab { .. })
    }

    /// Put it into the model.
    fn attach(&self, sim: &mut Simulation) -> Result<(), ModelError> {
        match &self.grip {
            HandAction::Grab { target, cap } => {
                let mouse = Mouse::with_target(self.marker, FOLLOW, target.clone()).cap(*cap);
                sim.add_joint(self.name(), mouse)?;
            }
            HandAction::Push(dial) => {
                let dial = dial.clone();
                let law = UserForce::new([self.marker.p()], move |_, _, push| push.on(0, dial.get()));
                sim.add_force(self.name(), law)?;
            }
            HandAction::Twist(dial) => {
                let dial = dial.clone();
                let on = [Attachment::spin(self.marker.body)];
                sim.add_force(self.name(), UserForce::new(on, move |_, _, push| push.on(0, dial.get())))?;
            }
        }
        Ok(())
    }

    /// Take it out of the model, if it is in there.
    fn detach(&self, sim: &mut Simulation) -> Result<(), ModelError> {
        let name = self.name();
        if let Some(joint) = sim.model().joint(&name) {
            sim.remove_joint(joint)?;
        }
        if let Some(force) = sim.model().force(&name) {
            sim.remove_force(force)?;
        }
        Ok(())
    }

    /// What it applies now, as a hand shown.
    pub fn now(&self, sim: &mut Simulation) -> HandNow {
        let at = sim.point(self.marker).0;
        let (kind, to, force, cap) = match &self.grip {
            HandAction::Grab { target, cap } => {
                let force = match sim.model().joint(&self.name()) {
                    Some(joint) => sim.multipliers_of(joint).ok().and_then(|l| Some(Vec3::from_slice(l.get(..3)?))),
                    None => None,
                };
                (HandKind::Grab, target.get(), force.unwrap_or(Vec3::ZERO), *cap)
            }
            HandAction::Push(dial) => (HandKind::Push, at, dial.get(), f64::INFINITY),
            HandAction::Twist(dial) => (HandKind::Twist, at, dial.get(), f64::INFINITY),
        };
        HandNow {
            client: self.owner.0,
            hand: self.owner.1,
            kind,
            body: sim.model().body_name(self.marker.body).into(),
            at: at.to_array(),
            to: to.to_array(),
            force: force.to_array(),
            cap,
            pinned: self.pinned,
        }
    }
}

/// All hands, in the order they came.
#[derive(Clone, Debug, Default)]
pub struct Hands {
    all: Vec<Hand>,
    /// Are those that grab in the model? Under the law f = m v they are not.
    attached: bool,
}

impl Hands {
    /// All of them.
    pub fn all(&self) -> &[Hand] {
        &self.all
    }

    /// Is anything grabbed?
    pub fn grab(&self) -> bool {
        self.all.iter().any(Hand::grabs)
    }

    /// A hand by its owner.
    pub fn get_mut(&mut self, owner: (u32, u32)) -> Option<&mut Hand> {
        self.all.iter_mut().find(|h| h.owner == owner)
    }

    /// Add a hand; one of the same owner is let go first.
    pub fn add(&mut self, hand: Hand, sim: &mut Simulation) -> Result<(), ModelError> {
        self.let_go(sim, |h| h.owner == hand.owner)?;
        if self.attached || !hand.grabs() {
            hand.attach(sim)?;
        }
        self.all.push(hand);
        Ok(())
    }

    /// Let go of some.
    pub fn let_go(&mut self, sim: &mut Simulation, which: impl Fn(&Hand) -> bool) -> Result<(), ModelError> {
        let mut k = 0;
        while k < self.all.len() {
            if which(&self.all[k]) {
                self.all[k].detach(sim)?;
                self.all.remove(k);
            } else {
                k += 1;
            }
        }
        Ok(())
    }

    /// Put those that grab into the model, or take them out of it.
    pub fn attach(&mut self, sim: &mut Simulation, attached: bool) -> Result<(), ModelError> {
        if self.attached == attached {
            return Ok(());
        }
        self.attached = attached;
        for hand in self.all.iter().filter(|h| h.grabs()) {
            if attached { hand.attach(sim)? } else { hand.detach(sim)? }
        }
        Ok(())
    }

    /// Another cap: the hand is taken out and put back.
    pub fn set_cap(&mut self, owner: (u32, u32), new: f64, sim: &mut Simulation) -> Result<(), ModelError> {
        let attached = self.attached;
        let Some(hand) = self.get_mut(owner) else { return Ok(()) };
        if let HandAction::Grab { cap, .. } = &mut hand.grip {
            *cap = new;
            if attached {
                hand.detach(sim)?;
                hand.attach(sim)?;
            }
        }
        Ok(())
    }

    /// Move the target of one that grabs.
    pub fn set_target(&mut self, owner: (u32, u32), to: Triple) {
        if let Some(Hand { grip: HandAction::Grab { target, .. }, .. }) = self.get_mut(owner) {
            target.set(to);
        }
    }

    /// Another force or torque for a hand that has one already; `false` where there is none of this kind.
    pub fn set_effort(&mut self, owner: (u32, u32), marker: Marker, value: Triple, twist: bool) -> bool {
        match self.get_mut(owner) {
            Some(Hand { grip: HandAction::Push(dial), marker: at, .. }) if !twist && *at == marker => dial.set(value),
            Some(Hand { grip: HandAction::Twist(dial), marker: at, .. }) if twist && at.body == marker.body => {
                dial.set(value)
            }
            _ => return false,
        }
        true
    }

    /// Those on bodies that another model has too, as hands on that model.
    pub fn on(self, before: &Model, model: &Model) -> Vec<Hand> {
        let moved = |mut hand: Hand| {
            hand.marker.body = model.body(before.body_name(hand.marker.body))?;
            Some(hand)
        };
        self.all.into_iter().filter_map(moved).collect()
    }
}

impl Hand {
    /// A push or twist as pushes on points: a torque is a couple of forces on arms of this length, m.
    pub fn as_pushes(&self, sim: &Simulation, size: f64) -> Vec<(Marker, Vec3)> {
        match &self.grip {
            HandAction::Grab { .. } => Vec::new(),
            HandAction::Push(dial) => vec![(self.marker, dial.get())],
            HandAction::Twist(dial) => {
                let torque = dial.get();
                let arm = torque.any_orthogonal_vector().normalize_or_zero() * size;
                // 2 arm x f = torque, arm perpendicular to it
                let force = torque.cross(arm) / (2.0 * arm.length_squared().max(f64::MIN_POSITIVE));
                let to_body = sim.axes(self.marker.body).unwrap_or(Mat3::IDENTITY).inverse();
                let at = |d: Vec3| Marker { point: self.marker.point + to_body * d, ..self.marker };
                vec![(at(arm), force), (at(-arm), -force)]
            }
        }
    }
}

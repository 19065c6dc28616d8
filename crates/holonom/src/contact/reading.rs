//! Contacts of a running simulation, for those who look.
//!
//! Where events are followed, forces are those of the moment. Where time is stepped they are the means over the last step, impacts included: that is what moved the bodies. Before the
//! first step they are those of the moment.

use super::touch::Touching;
use super::{Contact, Friction, ShapeId};
use crate::catalogue::attach::BodyId;
use crate::contact::inequality::gather::Touched;
use crate::contact::inequality::memory::{self, Held};
use crate::contact::inequality::regime::{self, Tolerances};
use crate::contact::inequality::{Key, Side, SidedRows, gather, project};
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::workspace::{Workspace, bodies_at};
use crate::math::Vec3;
use crate::model::{JointId, Model};
use crate::simulation::Simulation;

/// Two shapes near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The shapes.
    pub shapes: (ShapeId, ShapeId),
    /// Their bodies.
    pub bodies: (BodyId, BodyId),
    /// Gap, m; negative where they overlap.
    pub gap: f64,
}

/// What a joint with sides does: a limit, a rope, dry friction, a drive with a cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Force (N) or torque (N m): of a limit that of the lower stop less that of the upper one, of a rope its tension, of friction and drives their force along
    /// the coordinate, of a hand its size.
    pub load: f64,
    /// Distance to the nearest stop, or slack of a rope, m or rad; negative beyond it. `None` for friction and drives.
    pub gap: Option<f64>,
    /// `None`: away from the stops, slack. `Stick`: at a stop, taut, does not slip, drives as it is told. `Slip`: slips; is at its cap.
    pub state: Friction,
}

impl Simulation {
    /// All contacts at present: touching shapes with the forces between them, in a stable order.
    pub fn contacts(&mut self) -> Result<Vec<Contact>, StepError> {
        let mut out = Vec::new();
        self.read_contacts(&mut out)?;
        Ok(out)
    }

    /// The same into memory at hand.
    pub fn read_contacts(&mut self, out: &mut Vec<Contact>) -> Result<(), StepError> {
        out.clear();
        if self.model.shapes.is_empty() {
            return Ok(());
        }
        self.evaluate()?;
        out.extend(acting(&self.work));
        Ok(())
    }

    /// Shapes that are at most `distance` apart, m: one entry for each pair of features that may touch, in a stable order.
    pub fn read_near(&mut self, distance: f64, out: &mut Vec<Near>) {
        out.clear();
        if self.model.shapes.is_empty() {
            return;
        }
        self.current = false;
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work);
        let Workspace { frames, contacts, .. } = &mut self.work;
        let bodies = &bodies_at(&self.model, frames, &s.q, &s.v);
        contacts.detect_within(&self.model, bodies, distance);
        for c in &contacts.candidates {
            let ends = [c.a, c.b].map(|s| self.model.shapes.all[s as usize].body);
            let gap = Touching::of(c, ends[0], ends[1], bodies).gap;
            if gap <= distance {
                out.push(Near { shapes: (ShapeId(c.a), ShapeId(c.b)), bodies: (ends[0], ends[1]), gap });
            }
        }
    }

    /// Largest overlap of shapes, and largest excess over a limit or a rope, at the current state, m or rad.
    pub fn overlap(&mut self) -> f64 {
        if !self.model.has_sides() {
            return 0.0;
        }
        self.gather_present();
        self.current = false;
        project::deepest(&self.work)
    }

    /// All sided rows that may act at the current state.
    fn gather_present(&mut self) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work);
        gather::detect(&self.model, &s.q, &s.v, 0.0, &mut self.work);
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// The same with every touch that acted in the last step. Surfaces that curve and bodies that turn may have left it open by a little, of the second order in
    /// the step.
    fn gather_remembered(&mut self) {
        let touches = self.state.held.iter().map(|h| h.key).filter(|key| key.is_touch()).count();
        let known = |work: &Workspace, held: &[Held]| {
            let key = |c: &holonom_collide::Candidate| Key(c.a, c.b, c.key);
            work.contacts.candidates.iter().filter(|c| memory::find(held, key(c)).is_some()).count()
        };
        for h in [0.0, 1e-3, 1e-2, 1e-1] {
            let s = &self.state;
            evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work);
            gather::detect(&self.model, &s.q, &s.v, h, &mut self.work);
            if known(&self.work, &s.held) == touches {
                break;
            }
        }
        let s = &self.state;
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// Answers that need smooth forces cannot be had where something touches or friction acts.
    pub(crate) fn refuse_contacts(&mut self, what: &str) -> Result<(), StepError> {
        self.find_regime();
        self.current = false;
        let sided = &self.work.sided;
        let regime = &self.work.acting.regime;
        match sided.blocks.iter().find(|b| regime.is_closed(b.key)) {
            None => Ok(()),
            Some(block) => {
                let name = match block.origin {
                    crate::contact::inequality::Origin::Joint(k) => {
                        format!("`{}` acts", self.model.joint_names.get(self.model.sided[k as usize].joint as usize))
                    }
                    crate::contact::inequality::Origin::Touch(k) => {
                        let (a, b) = sided.touches[k as usize].bodies;
                        format!("`{}` touches `{}`", self.model.body_name(a), self.model.body_name(b))
                    }
                };
                Err(StepError::Invalid(format!("{what} needs forces that are smooth, and {name}")))
            }
        }
    }

    /// Before the equations are evaluated at the current state: what touches there, and how.
    pub(crate) fn find_regime(&mut self) {
        if !self.model.has_sides() {
            return;
        }
        let remembered = self.method.integrator.handles_sides() && !self.state.held.is_empty();
        if remembered {
            self.gather_remembered();
        } else {
            self.gather_present();
        }
        let mut regime = std::mem::take(&mut self.work.acting.regime);
        regime::judge(&self.work.sided, Tolerances::of(&self.model), &mut regime);
        self.work.acting.held.clear();
        if remembered {
            self.work.acting.held.extend_from_slice(&self.state.held);
            for held in &self.state.held {
                regime.set(held.key, 0, regime::Slip::Stick);
            }
        }
        self.work.acting.regime = regime;
    }
}

/// Touches of the state whose equations are in the workspace.
pub(crate) fn acting(work: &Workspace) -> impl Iterator<Item = Contact> + '_ {
    let (sided, x) = (&work.sided, &work.acting.task.x);
    // nothing was solved for: nothing acts
    let touches = if work.acting.acting && x.len() == sided.len() { &sided.touches[..] } else { &[] };
    touches.iter().map(|touch| {
        let candidate = &work.contacts.candidates[touch.candidate as usize];
        describe(sided, x, touch, (ShapeId(candidate.a), ShapeId(candidate.b)), candidate.key)
    })
}

/// What a joint with sides does at the state whose equations are in the workspace; `None` for other joints.
pub(crate) fn standing(model: &Model, work: &Workspace, joint: JointId) -> Option<Standing> {
    let k = model.sided.binary_search_by_key(&joint.0, |r| r.joint).ok()?;
    let x = work.acting.of_joint(&model.sided[k])?;
    let sided = &work.sided;
    let (mut gap, mut state) = (None, Friction::None);
    let tolerances = Tolerances::of(model);
    for block in sided.blocks.iter().filter(|b| b.origin == crate::contact::inequality::Origin::Joint(k as u32)) {
        let row = block.row as usize;
        let pushes = block.rows().map(|row| work.acting.task.x[row]);
        let yields = match block.side {
            Side::Push { .. } => {
                gap = Some(gap.map_or(sided.gap[row], |least: f64| least.min(sided.gap[row])));
                if work.acting.task.x[row] > 0.0 {
                    state = Friction::Stick;
                }
                continue;
            }
            Side::Within { least, most } => {
                let push = work.acting.task.x[row];
                push <= least * (1.0 - 1e-9) || push >= most * (1.0 - 1e-9)
            }
            Side::Ball { radius } => pushes.map(|x| x * x).sum::<f64>().sqrt() >= radius * (1.0 - 1e-9),
            Side::Dry { .. } | Side::Cone { .. } => regime::slip_of(sided, block).length() > tolerances.rate,
        };
        state = if yields { Friction::Slip } else { Friction::Stick };
    }
    let load = match *x {
        [one] => one,
        [lower, upper] if gap.is_some() => lower - upper,
        ref all => all.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    Some(Standing { load, gap, state })
}

fn describe(sided: &SidedRows, x: &[f64], touch: &Touched, shapes: (ShapeId, ShapeId), key: u64) -> Contact {
    let (mut force, mut torque, mut friction) = (Vec3::ZERO, Vec3::ZERO, Friction::None);
    let mut normal = 0.0;
    for block in &sided.blocks[touch.block as usize..(touch.block + touch.n_blocks) as usize] {
        let row = block.row as usize;
        match block.side {
            Side::Cone { spin: false, sliding, .. } => {
                let t = regime::in_world(sided, block, |row| x[row]);
                force += t;
                if normal > 0.0 {
                    let full = t.length() >= sliding * normal * (1.0 - 1e-6);
                    let slips = regime::slip_of(sided, block).length() > 1e-9;
                    friction = if full && slips { Friction::Slip } else { Friction::Stick };
                }
            }
            Side::Cone { .. } if block.n == 1 => torque += touch.now.n * x[row],
            Side::Cone { .. } => torque += regime::in_world(sided, block, |row| x[row]),
            _ => {
                normal = x[row];
                force += touch.now.n * normal;
            }
        }
    }
    Contact {
        shapes,
        bodies: touch.bodies,
        key,
        point: touch.now.point,
        normal: touch.now.n,
        gap: touch.now.gap,
        force,
        torque,
        slip: touch.slip,
        friction,
    }
}

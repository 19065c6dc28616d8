//! Contacts of a running simulation, for those who look.
//!
//! Where events are followed, forces are those of the moment. Where time is stepped they are the means over the last step, impacts included: that is what moved the bodies. Before the
//! first step they are those of the moment.

use super::{Contact, Friction, ShapeId};
use crate::error::StepError;
use crate::evaluate;
use crate::math::Vec3;
use crate::sided::gather::Touched;
use crate::sided::regime::{self, Tolerances};
use crate::sided::{Side, SidedRows, gather, project};
use crate::simulation::Simulation;

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
        let (sided, x) = (&self.work.sided, &self.work.acting.task.x);
        for touch in &sided.touches {
            let candidate = &self.work.contacts.candidates[touch.candidate as usize];
            let shapes = (ShapeId(candidate.a), ShapeId(candidate.b));
            out.push(describe(sided, x, touch, shapes, candidate.key));
        }
        Ok(())
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
                    crate::sided::Origin::Joint(k) => {
                        format!("`{}` acts", self.model.joint_names.get(self.model.sided[k as usize].joint as usize))
                    }
                    crate::sided::Origin::Touch(k) => {
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
        self.gather_present();
        let mut regime = std::mem::take(&mut self.work.acting.regime);
        regime::judge(&self.work.sided, Tolerances::of(&self.model), &mut regime);
        let remembered = self.method.integrator.handles_sides() && !self.state.held.is_empty();
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

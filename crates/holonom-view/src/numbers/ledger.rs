//! Where energy went.
//!
//! The change of the bodies' energy since the ledger was opened is the sum of all works, of what projection and time
//! stepping changed, of what hands did, and of the integrator's error: the entries add up to it. Joints that hold still
//! do no work; what the books say of them is error, and is one entry. What springs store is in their work.

use super::is_hand;
use holonom::joints::{self, RowLaw};
use holonom::{JointId, Model, Simulation};
use serde::Serialize;

/// The energy ledger. All in J; positive works gave energy to the bodies.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerAnswer {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Energy of bodies in the field of gravity now, zero at height zero.
    pub gravity: f64,
    /// Stored now in springs and inside elastic bodies.
    pub elastic: f64,
    /// Sum of the three.
    pub total: f64,
    /// Change of the bodies' kinetic, gravitational and stored energy since the start: the sum of all lines, and the
    /// error.
    pub change: f64,
    /// What did it.
    pub lines: Vec<LedgerLine>,
    /// What is left: the integrator's own error.
    pub error: f64,
    /// What friction, contacts and damping inside bodies took (not negative); a part of the lines.
    pub dissipated: f64,
}

/// A line of the ledger.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerLine {
    /// For people.
    pub label: String,
    /// `force`, `drive`, `inequality` (limits, friction, ropes), `joints` (all that hold still), `bodies`, `contacts`,
    /// `hand`, `projection`, `stepping`, `others`.
    pub kind: &'static str,
    /// What is meant, such as `joint.crank`, where it is one thing.
    pub path: Option<String>,
    /// J.
    pub work: f64,
}

/// So many entries are told apart; of more, the smaller ones are one.
const MOST: usize = 80;

/// Does a joint do work where it holds exactly?
fn works(model: &Model, joint: JointId) -> Option<&'static str> {
    let constraint = model.constraint(joint);
    if model.is_sided(joint) {
        return Some(if joints::is_drive(constraint.kind()) { "drive" } else { "inequality" });
    }
    (constraint.rheonomic() || constraint.own_force_direction()).then_some("drive")
}

/// Where energy went since the start.
pub fn ledger(sim: &mut Simulation) -> LedgerAnswer {
    let (energy, books) = (sim.energy(), sim.ledger());
    let model = sim.model();
    let mut named: Vec<LedgerLine> = Vec::new();
    let (mut by_hand, mut held, mut friction) = (books.imposed, 0.0, 0.0);
    for force in model.forces() {
        let (name, work) = (model.force_name(force), books.force(force));
        match is_hand(name) {
            true => by_hand += work,
            false => named.push(LedgerLine {
                label: name.to_string(),
                kind: "force",
                path: Some(format!("force.{name}")),
                work,
            }),
        }
    }
    for joint in model.joints() {
        let (name, work) = (model.joint_name(joint), books.joint(joint));
        match works(model, joint) {
            _ if is_hand(name) => by_hand += work,
            Some(kind) => {
                if matches!(model.constraint(joint).law(), RowLaw::Dry { .. }) {
                    friction += work;
                }
                named.push(LedgerLine { label: name.to_string(), kind, path: Some(format!("joint.{name}")), work });
            }
            None => held += work,
        }
    }
    if named.len() > MOST {
        named.sort_by(|a, b| b.work.abs().total_cmp(&a.work.abs()));
        let rest: f64 = named[MOST..].iter().map(|w| w.work).sum();
        let n = named.len() - MOST;
        named.truncate(MOST);
        named.push(LedgerLine { label: format!("{n} more"), kind: "others", path: None, work: rest });
    }
    let one = |label: &str, kind, work| LedgerLine { label: label.to_string(), kind, path: None, work };
    let mut all = named;
    if model.n_joints() > 0 {
        all.push(one("Joints that hold still (should be 0)", "joints", held));
    }
    if books.bodies != 0.0 {
        all.push(one("Damping inside bodies", "bodies", books.bodies));
    }
    if model.has_inequalities() {
        all.push(one("Friction of contacts", "contacts", books.friction));
        all.push(one("Impacts of contacts", "contacts", books.impacts));
        all.push(one("Drives and joints in blows", "contacts", books.blows));
    }
    all.push(one("Imposed by hand", "hand", by_hand));
    all.push(one("Projection: gaps of joints closed", "projection", books.projection));
    if books.stepping != 0.0 {
        all.push(one("Time stepping: steps of finite length", "stepping", books.stepping));
    }
    LedgerAnswer {
        kinetic: energy.kinetic,
        gravity: energy.gravity,
        elastic: energy.elastic,
        total: energy.total(),
        change: books.change,
        dissipated: (-(books.bodies + books.contacts + friction)).max(0.0),
        error: books.integrator,
        lines: all,
    }
}

//! Inequality rows at one state, written out for checks that want to see every number.

use super::contacts;
use crate::contact::inequality::{Origin, RowBound, mode};
use crate::error::StepError;
use crate::model::JointId;
use crate::step::mechanism::Mechanism;

/// What the multipliers of some rows may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InequalityLaw {
    /// `G vdot + c >= 0`, multiplier `>= 0`, one of them 0.
    Push,
    /// `G vdot + c = 0` with the multiplier within bounds; at a bound the row gives way.
    Within {
        /// Smallest multiplier.
        least: f64,
        /// Largest multiplier.
        most: f64,
    },
    /// A vector of at most this length.
    Ball {
        /// Largest length.
        radius: f64,
    },
    /// A vector within a cone over the multiplier of another row.
    Cone {
        /// That row.
        normal: usize,
        /// Coefficient (or lever, m) that holds now: while sliding, or while sticking.
        mu: f64,
    },
}

/// A run of rows under one law.
#[derive(Clone, Debug, PartialEq)]
pub struct InequalityBlock {
    /// The rows.
    pub rows: std::ops::Range<usize>,
    /// Their law.
    pub law: InequalityLaw,
    /// Is it closed (a touch, a stop, a taut rope)? Rows that are not may not push. Friction is as closed as its touch;
    /// caps always are.
    pub closed: bool,
    /// Does it slip, as the velocities say? Then there is no condition on the acceleration: the multiplier is the full
    /// friction against the slip.
    pub slips: bool,
    /// The joint, where it is one and no touch.
    pub joint: Option<JointId>,
}

/// Inequality rows at one state: `M vdot = J^T lambda + G^T f + F`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InequalityTable {
    /// Runs of rows.
    pub blocks: Vec<InequalityBlock>,
    /// G, `rows x n_v`.
    pub jacobian: Vec<f64>,
    /// Gaps, m or rad; 0 for rows on velocities and accelerations.
    pub gap: Vec<f64>,
    /// `G v`, and what moves by itself.
    pub rate: Vec<f64>,
    /// c of `G vdot + c`.
    pub c: Vec<f64>,
    /// f: the multipliers.
    pub force: Vec<f64>,
    /// `G vdot + c`.
    pub acceleration: Vec<f64>,
}

/// Write out the inequality rows that act at the present state of a simulation, and their forces.
pub(crate) fn acting_rows(mechanism: &mut Mechanism) -> Result<InequalityTable, StepError> {
    mechanism.evaluate()?;
    let (work, n) = (&mechanism.work, mechanism.model.n_v());
    let (ineq, acting) = (&work.contact.rows, &work.contact.acting);
    let mut out = InequalityTable {
        gap: ineq.gap.clone(),
        rate: ineq.rate.clone(),
        c: ineq.c.clone(),
        ..InequalityTable::default()
    };
    out.jacobian.resize(ineq.len() * n, 0.0);
    out.force.resize(ineq.len(), 0.0);
    for row in 0..ineq.len() {
        ineq.push(row, 1.0, &mut out.jacobian[row * n..(row + 1) * n]);
        out.acceleration.push(ineq.product(row, &work.kkt.x) + ineq.c[row]);
        out.force[row] = acting.task.x.get(row).copied().unwrap_or(0.0);
    }
    for block in &ineq.blocks {
        let known = work.contact.mode.find(block.key, mode::part_of(block));
        let slips = known.is_some_and(|c| c.slip != mode::Slip::Stick);
        let law = law(block.bound, slips, |joint| acting.load_of(joint));
        let joint = joint(mechanism, block.origin);
        out.blocks.push(InequalityBlock { rows: block.rows(), law, closed: known.is_some(), slips, joint });
    }
    Ok(out)
}

/// Write out all inequality rows of the present state, open ones included, without solving for anything: forces and
/// accelerations are zero.
pub(crate) fn all_rows(mechanism: &mut Mechanism) -> InequalityTable {
    contacts::overlap(mechanism); // gathers them
    let (ineq, n) = (&mechanism.work.contact.rows, mechanism.model.n_v());
    let mut out = InequalityTable {
        gap: ineq.gap.clone(),
        rate: ineq.rate.clone(),
        c: ineq.c.clone(),
        ..InequalityTable::default()
    };
    out.jacobian.resize(ineq.len() * n, 0.0);
    (out.force, out.acceleration) = (vec![0.0; ineq.len()], vec![0.0; ineq.len()]);
    for row in 0..ineq.len() {
        ineq.push(row, 1.0, &mut out.jacobian[row * n..(row + 1) * n]);
    }
    out.blocks.extend(ineq.blocks.iter().map(|block| InequalityBlock {
        rows: block.rows(),
        law: law(block.bound, false, |_| 0.0),
        closed: false,
        slips: false,
        joint: joint(mechanism, block.origin),
    }));
    out
}

fn law(bound: RowBound, slips: bool, load: impl Fn(u32) -> f64) -> InequalityLaw {
    match bound {
        RowBound::Push { .. } | RowBound::Soft { .. } => InequalityLaw::Push,
        RowBound::Within { least, most } => InequalityLaw::Within { least, most },
        RowBound::Ball { radius } => InequalityLaw::Ball { radius },
        RowBound::Dry { constant, lever, loaded } => {
            let most = constant + lever * loaded.map_or(0.0, load);
            InequalityLaw::Within { least: -most, most }
        }
        RowBound::Cone { normal, sliding, sticking, .. } => {
            InequalityLaw::Cone { normal: normal as usize, mu: if slips { sliding } else { sticking } }
        }
    }
}

fn joint(mechanism: &Mechanism, origin: Origin) -> Option<JointId> {
    match origin {
        Origin::Joint(k) => Some(JointId(mechanism.model.inequalities[k as usize].joint)),
        Origin::Touch(_) => None,
    }
}

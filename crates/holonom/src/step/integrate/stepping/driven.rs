//! Stops and contacts against which a drive goes on, whatever the impulses of the step.

use super::Stepping;
use crate::contact::inequality::solve::Joints;
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{Block, RowBound, blocked};
use crate::error::StepError;
use crate::step::integrate::Motion;

/// How far drives may push a row on in a step against its impulse, of the model's length scale.
const BLOCKED: f64 = 1e-7;

impl Stepping {
    /// What drives push on against all impulses, by the velocity change in `work.kkt.x`.
    pub(super) fn refuse_blocked(&self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let allowed = BLOCKED * m.model.contact_scale() / h;
        let held = |i: usize| self.task.laws.get(i).is_some_and(Option::is_some);
        let beyond = |m: &Motion<'_>, block: &Block| {
            let (rows, row) = (&m.work.contact.rows, block.row as usize);
            let least = -(rows.gap[row].max(0.0) + self.anew.bend(m, h, block)) / h;
            least - rows.rate[row] - rows.product(row, &m.work.kkt.x)
        };
        let over =
            |(i, b): (usize, &Block)| matches!(b.bound, RowBound::Push { .. }) && held(i) && beyond(m, b) > allowed;
        if !m.work.contact.rows.blocks.iter().enumerate().any(over) {
            return Ok(());
        }
        let blocks = &m.work.contact.rows.blocks;
        let by: Vec<f64> = blocks.iter().map(|block| beyond(m, block)).collect();
        let starts: Vec<u32> = blocks.iter().map(|block| block.row).collect();
        let of = |block: &Block| by[starts.binary_search(&block.row).unwrap_or(0)];
        let Workspace { eval, kkt, contact, .. } = &mut *m.work;
        let joints = &mut Joints { model: m.model, t: m.t, eval, kkt };
        blocked::refuse(&contact.rows, m.q, joints, held, |block| (of(block), allowed))
    }
}

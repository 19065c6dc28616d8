//! The complementarity problem of a step without the rows that nothing comes near.

use super::Stepping;
use crate::contact::inequality::solve::{self, Task};
use crate::contact::inequality::{RowBound, project};
use crate::error::StepError;
use crate::step::integrate::Motion;

impl Stepping {
    /// Solve the problem posed. Rows that are left alone without pushes (stops far away, bodies that pass each other) are left out, and brought in where the answer
    /// violates them; an answer that obeys them all solves the whole problem.
    pub(super) fn solve_near(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (model, n, work) = (m.model, m.v.len(), &mut *m.work);
        let Task { laws, b, x, .. } = &mut self.task;
        let margin = model.gravity.length() * h;
        self.laws.clone_from(laws);
        self.out.clear();
        for (block, law) in work.contact.rows.blocks.iter().zip(laws.iter_mut()) {
            let row = block.row as usize;
            let out = match block.bound {
                RowBound::Push { .. } => law.is_some() && b[row] > margin && x[row] == 0.0,
                // the friction of a touch follows its normal row
                RowBound::Cone { .. } => self.out.last() == Some(&true),
                _ => false,
            };
            if out {
                *law = None;
                block.rows().for_each(|row| x[row] = 0.0);
            }
            self.out.push(out);
        }
        // every round starts from the same guess: what has nothing to do with the rows brought in comes out the same to the last bit
        self.guess.clone_from(x);
        let tolerance = project::QUIET * model.contact_scale() / h;
        loop {
            solve::solve(model, m.t, &mut self.task, work)?;
            if !self.out.contains(&true) {
                return Ok(());
            }
            work.kkt.x.fill(0.0);
            for (row, &x) in self.task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                work.contact.rows.push(row, x, &mut work.kkt.x[..n]);
            }
            work.kkt.solve(model, m.t, &work.eval)?;
            let (ineq, mut more, mut last) = (&work.contact.rows, false, false);
            for (i, block) in ineq.blocks.iter().enumerate() {
                if !self.out[i] {
                    continue;
                }
                let row = block.row as usize;
                last = match block.bound {
                    RowBound::Cone { .. } => last,
                    _ => self.task.b[row] + ineq.product(row, &work.kkt.x) < -tolerance,
                };
                if last {
                    (self.out[i], self.task.laws[i], more) = (false, self.laws[i], true);
                }
            }
            if !more {
                return Ok(());
            }
            self.task.x.copy_from_slice(&self.guess);
        }
    }
}

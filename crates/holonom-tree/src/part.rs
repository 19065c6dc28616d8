//! Some components of a plan on their own: those that have no cycles, where others need not be solved for.
//!
//! Components do not feel each other, so a part of them has the same factor and the same solution, to the last bit,
//! whether the others are there or not.

use crate::blocks::Blocks;
use crate::factor::{Factor, Singular};
use crate::plan::{Op, Plan};
use crate::solve::{backward_pair, forward_pair};
use crate::structure::Node;

/// Pivots of some components of a plan, leaves first.
#[derive(Clone, Debug, Default)]
pub struct PlanPart {
    ops: Vec<u32>,
    fronts: Vec<u32>,
}

impl Plan {
    /// The components that these nodes make up (all nodes of a component, or none of them); `None` where one of them
    /// has cycles.
    pub fn part(&self, wanted: impl Fn(Node) -> bool) -> Option<PlanPart> {
        let mut part = PlanPart::default();
        self.write_part(wanted, &mut part).then_some(part)
    }

    /// The same into memory that is there: `false` where one of them has cycles. Allocates nothing after the first
    /// time.
    pub fn write_part(&self, wanted: impl Fn(Node) -> bool, part: &mut PlanPart) -> bool {
        part.ops.clear();
        part.fronts.clear();
        part.ops.reserve_exact(self.ops.len());
        part.fronts.reserve_exact(self.fronts.len());
        let n = self.structure.n_nodes() as u32;
        if (0..n).any(|i| wanted(Node(i)) && self.in_core(Node(i))) {
            return false;
        }
        for (k, op) in self.ops.iter().enumerate() {
            match op {
                Op::Pair(pair) if wanted(Node(pair.dual)) => part.ops.push(k as u32),
                Op::Front(f) if wanted(self.members_of(self.fronts[*f as usize].members)[0].node) => {
                    part.ops.push(k as u32);
                    part.fronts.push(*f);
                }
                _ => {}
            }
        }
        true
    }

    /// [`Plan::factor_and_solve`] of some components, with a factor of their own: what it holds of others is of no use
    /// afterwards. Entries of `x` that belong to others stay as they are.
    ///
    /// # Panics
    /// When `x` is shorter than [`Plan::len`].
    pub fn factor_and_solve_part(
        &self,
        part: &PlanPart,
        blocks: &Blocks,
        factor: &mut Factor,
        x: &mut [f64],
    ) -> Result<(), Singular> {
        assert!(x.len() >= self.len(), "solve: the vector has {} entries, the plan {}", x.len(), self.len());
        factor.six.fill([0.0; 21]);
        self.assemble(part.fronts.iter().map(|k| &self.fronts[*k as usize]), blocks, factor);
        for &k in &part.ops {
            match &self.ops[k as usize] {
                Op::Pair(pair) => {
                    self.factor_pair(pair, blocks, factor)?;
                    forward_pair(pair, factor, x);
                }
                Op::Front(k) => {
                    let front = &self.fronts[*k as usize];
                    self.factor_front(front, blocks, factor)?;
                    self.forward_front(front, factor, x);
                }
                Op::InversePivot(_) | Op::Panel(_) => {}
            }
        }
        for &k in part.ops.iter().rev() {
            match &self.ops[k as usize] {
                Op::Pair(pair) => backward_pair(pair, factor, x),
                Op::Front(k) => self.backward_front(&self.fronts[*k as usize], factor, x),
                Op::InversePivot(_) | Op::Panel(_) => {}
            }
        }
        Ok(())
    }
}

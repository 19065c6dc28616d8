//! Where the factor L has blocks: read from the plan, column by column, for pictures and reports.
//!
//! Pairs, inverse pivots and panels never write L out as one matrix, but each of them is an elimination in a known
//! order with known neighbours. What is told here is the block pattern of L in that order. A node that carries deferred
//! duals stands first in its front, the duals after it.

use crate::plan::{Op, Plan};
use crate::structure::Node;

/// One block column of L.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorColumn {
    /// The node eliminated.
    pub node: Node,
    /// Nodes eliminated later for which the column has a block, in the order of their elimination.
    pub below: Vec<Node>,
}

impl Plan {
    /// The block columns of L, in the order of elimination. Every node is there once. Takes time and memory linear in
    /// the blocks of L.
    pub fn columns(&self) -> Vec<FactorColumn> {
        let mut columns = Vec::with_capacity(self.structure.n_nodes());
        for op in &self.ops {
            match op {
                Op::Pair(pair) => {
                    let dual = Node(pair.dual);
                    columns.push(FactorColumn { node: self.node_at(pair.x_child), below: vec![dual] });
                    let parent = pair.has_parent().then(|| self.node_at(pair.x_parent));
                    columns.push(FactorColumn { node: dual, below: parent.into_iter().collect() });
                }
                Op::Front(index) => {
                    let front = &self.fronts[*index as usize];
                    let above = front.up.filter(|u| u.size > 0).map(|u| self.node_at(u.x));
                    self.push_block(front.members, above.as_slice(), &mut columns);
                }
                Op::InversePivot(index) => {
                    let pivot = &self.inverse_pivots[*index as usize];
                    let links = self.links_of_pivot(pivot);
                    columns.push(FactorColumn {
                        node: pivot.node,
                        below: links.iter().map(|l| self.node_at(l.x)).collect(),
                    });
                }
                Op::Panel(index) => {
                    let panel = &self.panels[*index as usize];
                    let above: Vec<Node> = self.ups[panel.ups.0 as usize..panel.ups.1 as usize]
                        .iter()
                        .filter(|u| u.size > 0)
                        .map(|u| self.node_at(u.x))
                        .collect();
                    self.push_block(panel.members, &above, &mut columns);
                }
            }
        }
        columns
    }

    /// Columns of the members of one dense block, beside which `above` is left.
    fn push_block(&self, members: (u32, u32), above: &[Node], columns: &mut Vec<FactorColumn>) {
        let members = self.members_of(members);
        for (k, member) in members.iter().enumerate() {
            let rest = members[k + 1..].iter().filter(|m| m.size > 0).map(|m| m.node);
            let below = if member.size > 0 { rest.chain(above.iter().copied()).collect() } else { Vec::new() };
            columns.push(FactorColumn { node: member.node, below });
        }
    }

    /// The node with entries whose part of a vector starts here. (Nodes without entries share their place with the
    /// next.)
    fn node_at(&self, x: u32) -> Node {
        Node(self.offsets.partition_point(|&start| start <= x) as u32 - 1)
    }
}

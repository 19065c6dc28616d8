//! A plan: the list of pivots that the numeric phase walks, and where each keeps its numbers. The planner makes it.

use crate::inverse_pivot::{InversePivot, InversePivotLink};
use crate::panel::{Panel, PanelLink, PanelUp, Target};
use crate::structure::{Link, Mask, Node, Structure};

/// Why a structure cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// This dual has two links to one node: they are one link, and must be given as one.
    #[error("dual node {} is linked twice to one node", .0.index())]
    LinkedTwice(Node),
    /// This dual has rows but no links.
    #[error("dual node {} has rows but no links", .0.index())]
    Unlinked(Node),
    /// This node lies on a cycle, and [`Baraff`](crate::Baraff) knows forests only.
    #[error("node {} lies on a cycle", .0.index())]
    Cycle(Node),
    /// The rows of this dual depend on each other in what hangs below it, and [`Baraff`](crate::Baraff) would need its
    /// pivot there.
    #[error("the rows of dual node {} are dependent in what hangs below it", .0.index())]
    Dependent(Node),
}

/// How a node is eliminated, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotForm {
    /// Alone, as a dense block (a dual: through its rows).
    Rows,
    /// Together with the primal node below it, through the free directions.
    Free,
    /// After its parent, inside the parent's block.
    Deferred,
    /// After the nodes it is linked to (hubs may come later), with whatever neighbours are left: the order inside
    /// cycles.
    Core,
}

/// Work of the numeric phase, counted from the plan (which it follows exactly).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Pivot blocks.
    pub pivots: usize,
    /// Multiplications and additions of one factorisation.
    pub factor_flops: f64,
    /// Multiplications and additions of one solve.
    pub solve_flops: f64,
    /// Largest front: a pivot block, in a core together with the neighbours it has left.
    pub largest: usize,
    /// Numbers in the factors.
    pub entries: usize,
    /// Numbers in one triangle of the matrix.
    pub matrix_entries: usize,
}

impl Cost {
    /// Numbers in the factors over those in the matrix. About 1 where elimination makes no fill.
    pub fn fill(&self) -> f64 {
        if self.matrix_entries == 0 { 1.0 } else { self.entries as f64 / self.matrix_entries as f64 }
    }
}

pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Index of the child among the blocks of size 6, and the parent's.
    pub child: u32,
    pub parent: u32,
    pub x_child: u32,
    pub x_dual: u32,
    pub x_parent: u32,
    pub transform: u32,
    /// Index among the pivots of this form.
    pub pivot: u32,
    pub dual: u32,
    pub mask: Mask,
    pub aligned: bool,
    pub child_is_far: bool,
    /// What the child receives from below, if anything, is already moved to the point of this pair.
    pub shifted: bool,
    /// The child receives nothing from below.
    pub leaf: bool,
    /// The transform to whose point the parent's block is moved, or `NONE`, and the parent's end of it.
    pub parent_transform: u32,
    pub parent_is_far: bool,
}

impl Pair {
    /// Is this the pair with a kernel of its own, three rows and `E = 1`?
    #[inline(always)]
    pub fn three_aligned(&self) -> bool {
        self.aligned && self.mask == Mask::FIRST_THREE
    }

    #[inline(always)]
    pub fn has_parent(&self) -> bool {
        self.parent != NONE
    }

    #[inline(always)]
    pub fn parent_is_shifted(&self) -> bool {
        self.parent_transform != NONE
    }
}

/// Where a packed matrix lives in the factor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Store {
    Six(u32),
    Arena(u32),
    /// In a panel that starts here, row by row.
    Panel(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Up {
    pub store: Store,
    /// Size of the matrix that holds the parent, and the parent's place in it.
    pub n: u32,
    pub at: u32,
    pub x: u32,
    pub size: u32,
    /// The link between the top member of this front and the parent.
    pub link: u32,
    /// First row of the top member in this front.
    pub top: u32,
}

/// A dense pivot block: one node, or a primal node and the duals deferred to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    pub n: u32,
    pub n_primal: u32,
    pub store: Store,
    /// Offset of Y = L^-1 B.
    pub y: u32,
    pub members: (u32, u32),
    pub up: Option<Up>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub node: Node,
    pub at: u32,
    pub x: u32,
    pub size: u32,
    /// Link to the leader, for a deferred dual.
    pub link: u32,
}

/// The member that row `row` of a pivot block belongs to.
pub(crate) fn member_at(members: &[Member], row: u32) -> &Member {
    members.iter().rev().find(|m| m.at <= row && m.size > 0).unwrap_or(&members[0])
}

/// Entries of the vector `x` that belong to a pivot block, in the block's order.
pub(crate) fn gather(members: &[Member], x: &[f64], z: &mut [f64]) {
    for m in members {
        z[m.at as usize..][..m.size as usize].copy_from_slice(&x[m.x as usize..][..m.size as usize]);
    }
}

/// The reverse of [`gather`].
pub(crate) fn scatter(members: &[Member], z: &[f64], x: &mut [f64]) {
    for m in members {
        x[m.x as usize..][..m.size as usize].copy_from_slice(&z[m.at as usize..][..m.size as usize]);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Pair(Pair),
    /// Index of a front.
    Front(u32),
    /// Index of an inverse pivot.
    InversePivot(u32),
    /// Index of a panel.
    Panel(u32),
}

/// Elimination order, storage and kernels for one structure. Immutable; may be shared between threads.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(crate) structure: Structure,
    pub(crate) ops: Vec<Op>,
    pub(crate) fronts: Vec<Front>,
    pub(crate) members: Vec<Member>,
    pub(crate) n_six: usize,
    /// How many of them are central; those come first.
    pub(crate) n_central: usize,
    pub(crate) n_arena: usize,
    pub(crate) n_y: usize,
    pub(crate) n_aligned: usize,
    pub(crate) n_free: usize,
    pub(crate) largest_front: usize,
    pub(crate) largest_link: usize,
    pub(crate) n_x: usize,
    /// Start of each node in a vector.
    pub(crate) offsets: Vec<u32>,
    pub(crate) parents: Vec<u32>,
    pub(crate) deferred: Vec<bool>,
    pub(crate) paired: Vec<bool>,
    pub(crate) core: Vec<bool>,
    /// Ranges of a vector: see [`Plan::large_parts`] and [`Plan::looped_parts`].
    pub(crate) large: Vec<(u32, u32)>,
    pub(crate) looped: Vec<(u32, u32)>,
    pub(crate) inverse_pivots: Vec<InversePivot>,
    pub(crate) inverse_pivot_links: Vec<InversePivotLink>,
    pub(crate) panels: Vec<Panel>,
    pub(crate) ups: Vec<PanelUp>,
    pub(crate) panel_links: Vec<PanelLink>,
    pub(crate) targets: Vec<Target>,
    pub(crate) n_w: usize,
    pub(crate) n_panels: usize,
}

impl Plan {
    /// Length of a right-hand side.
    pub fn len(&self) -> usize {
        self.n_x
    }

    /// No unknowns at all?
    pub fn is_empty(&self) -> bool {
        self.n_x == 0
    }

    /// The structure this plan was made for.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Parent of a node in the elimination tree.
    pub fn parent(&self, node: Node) -> Option<Node> {
        let p = self.parents[node.index()];
        (p != NONE).then_some(Node(p))
    }

    /// How a dual is eliminated.
    pub fn form(&self, node: Node) -> PivotForm {
        if self.deferred[node.index()] {
            PivotForm::Deferred
        } else if self.paired[node.index()] {
            PivotForm::Free
        } else if self.core[node.index()] {
            PivotForm::Core
        } else {
            PivotForm::Rows
        }
    }

    /// Counted work of one factorisation and one solve.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        let dense = |cost: &mut Cost, p: u32, q: u32| {
            let (p, q) = (p as f64, q as f64);
            cost.factor_flops += p * p * p / 3.0 + q * p * p + q * (q + 1.0) * p;
            cost.solve_flops += 2.0 * (p * p + 2.0 * p * q);
        };
        for op in &self.ops {
            cost.pivots += 1;
            match op {
                Op::Pair(p) => {
                    let free = (6 - p.mask.count()) as f64;
                    let (factor, solve) =
                        if p.three_aligned() { (390.0, 120.0) } else { (260.0 + 62.0 * free, 230.0 + 50.0 * free) };
                    cost.factor_flops += factor;
                    cost.solve_flops += solve;
                    cost.largest = cost.largest.max(6);
                    cost.entries += 21 + 6 * p.mask.count();
                }
                Op::Front(index) => {
                    let f = &self.fronts[*index as usize];
                    let q = f.up.map_or(0, |u| u.size);
                    dense(&mut cost, f.n, q);
                    cost.largest = cost.largest.max(f.n as usize);
                    cost.entries += (f.n * (f.n + 1) / 2 + f.n * q) as usize;
                }
                Op::InversePivot(index) => {
                    let links = self.links_of_pivot(&self.inverse_pivots[*index as usize]);
                    let rows: u32 = links.iter().map(|l| l.rows).sum();
                    let q = rows as f64;
                    // an inverse of size 3, W, and the products of all pairs
                    cost.factor_flops += 40.0 + 18.0 * q + 6.0 * q * (q + 1.0);
                    cost.solve_flops += 2.0 * (9.0 + 12.0 * q);
                    cost.largest = cost.largest.max(6 + rows as usize);
                    cost.entries += 7 + 6 * rows as usize;
                }
                Op::Panel(index) => {
                    let p = &self.panels[*index as usize];
                    dense(&mut cost, p.n, p.width - p.n);
                    cost.largest = cost.largest.max(p.width as usize);
                    cost.entries += (p.n * (p.n + 1) / 2 + p.n * (p.width - p.n)) as usize;
                }
            }
        }
        let s = &self.structure;
        let blocks: usize = (0..s.n_nodes())
            .filter(|&i| !s.is_dual(Node(i as u32)))
            .map(|i| s.sizes[i] as usize)
            .map(|n| n * (n + 1) / 2)
            .sum();
        cost.matrix_entries = blocks + s.links().map(|(dual, primal)| s.size(dual) * s.size(primal)).sum::<usize>();
        cost
    }

    /// The parts of a vector that belong to trees in which some dual was deferred because the blocks below it are far
    /// larger than its parent's, as ranges. There, a step of iterative refinement ([`Plan::residual`]) pays.
    pub fn large_parts(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.large.iter().map(|&(start, end)| start as usize..end as usize)
    }

    /// The parts of a vector that belong to components with cycles, as ranges. (Two duals with a single link each close
    /// a cycle too.)
    pub fn looped_parts(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.looped.iter().map(|&(start, end)| start as usize..end as usize)
    }

    /// Does any component have cycles?
    pub fn has_loops(&self) -> bool {
        !self.looped.is_empty()
    }

    /// Is the node on a cycle, or on a path between cycles?
    pub fn in_core(&self, node: Node) -> bool {
        self.core[node.index()]
    }

    pub(crate) fn offset(&self, node: Node) -> usize {
        self.offsets[node.index()] as usize
    }

    #[inline(always)]
    pub(crate) fn members_of(&self, (first, end): (u32, u32)) -> &[Member] {
        &self.members[first as usize..end as usize]
    }

    pub(crate) fn link(&self, index: u32) -> &Link {
        &self.structure.links[index as usize]
    }
}

//! Which nodes lie on cycles, or on paths between them: the part of the graph that no peeling from the leaves can
//! reach.
//!
//! A dual with a single link ties its node to something outside the matrix, the same for all such duals of one
//! component. Two of them close a cycle through it as surely as a dual with two links would: their rows compete for the
//! same directions. So every component gets one virtual node, *outside*, to which its single-link duals are linked;
//! what remains when nodes with fewer than two links have been taken away, again and again, is the core. In a component
//! that has a core, outside is part of it: the path from the cycles to the outside is then eliminated in the core's
//! order, which needs no rank on the way.

use crate::planner::Planner;
use crate::structure::Node;

pub(crate) struct Core {
    /// Is the node in the core?
    pub inside: Vec<bool>,
    /// Component of each node, and the nodes grouped by component.
    pub component: Vec<u32>,
    pub members: Vec<u32>,
    /// Start of each component in `members`.
    pub starts: Vec<u32>,
}

impl Core {
    pub fn find(planner: &Planner) -> Self {
        let mut core = components(planner);
        let mut inside = peel(planner, &core, &vec![false; core.n_components()]);
        if inside.iter().any(|&k| k) {
            let keep: Vec<bool> =
                (0..core.n_components()).map(|c| core.nodes_of(c).iter().any(|&i| inside[i as usize])).collect();
            inside = peel(planner, &core, &keep);
        }
        core.inside = inside;
        for node in &planner.s.cyclic {
            let c = core.component[node.index()] as usize;
            for k in core.starts[c]..core.starts[c + 1] {
                core.inside[core.members[k as usize] as usize] = true;
            }
        }
        core
    }

    pub fn n_components(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn nodes_of(&self, component: usize) -> &[u32] {
        &self.members[self.starts[component] as usize..self.starts[component + 1] as usize]
    }

    pub fn is_empty(&self) -> bool {
        !self.inside.iter().any(|&k| k)
    }
}

fn components(planner: &Planner) -> Core {
    let n = planner.s.n_nodes();
    let (mut component, mut members, mut starts) = (vec![u32::MAX; n], Vec::with_capacity(n), vec![0]);
    for first in 0..n {
        if component[first] != u32::MAX {
            continue;
        }
        let id = starts.len() as u32 - 1;
        component[first] = id;
        let mut k = members.len();
        members.push(first as u32);
        while k < members.len() {
            for &l in planner.links_of(members[k] as usize) {
                let other = planner.other_end(l, members[k]) as usize;
                if component[other] == u32::MAX {
                    component[other] = id;
                    members.push(other as u32);
                }
            }
            k += 1;
        }
        starts.push(members.len() as u32);
    }
    Core { inside: vec![false; n], component, members, starts }
}

/// Take away nodes with fewer than two links until none is left; `keep` says of which components outside stays in any
/// case.
fn peel(planner: &Planner, core: &Core, keep: &[bool]) -> Vec<bool> {
    let s = planner.s;
    let n = s.n_nodes();
    let single = |i: usize| s.is_dual(Node(i as u32)) && planner.degree(i) == 1;
    // nodes, then the outside of each component
    let mut degree: Vec<u32> = (0..n).map(|i| planner.degree(i) as u32).collect();
    degree.resize(n + core.n_components(), 0);
    let mut singles = vec![Vec::new(); core.n_components()];
    for i in (0..n).filter(|&i| single(i)) {
        let c = core.component[i] as usize;
        degree[i] += 1;
        degree[n + c] += 1;
        singles[c].push(i as u32);
    }
    let mut gone = vec![false; degree.len()];
    let stays = |i: usize| i >= n && keep[i - n];
    let mut queue: Vec<usize> = (0..degree.len()).filter(|&i| degree[i] < 2 && !stays(i)).collect();
    queue.iter().for_each(|&i| gone[i] = true);
    while let Some(i) = queue.pop() {
        let mut lose = |other: usize, queue: &mut Vec<usize>| {
            if !gone[other] {
                degree[other] -= 1;
                if degree[other] < 2 && !stays(other) {
                    gone[other] = true;
                    queue.push(other);
                }
            }
        };
        if i >= n {
            singles[i - n].iter().for_each(|&dual| lose(dual as usize, &mut queue));
            continue;
        }
        for &l in planner.links_of(i) {
            lose(planner.other_end(l, i as u32) as usize, &mut queue);
        }
        if single(i) {
            lose(n + core.component[i] as usize, &mut queue);
        }
    }
    gone.truncate(n);
    gone.into_iter().map(|gone| !gone).collect()
}

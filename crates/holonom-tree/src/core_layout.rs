//! Storage and pivots of the core, from an order of elimination.

use crate::blocks::Blocks;
use crate::inverse_pivot::{InversePivot, InversePivotLink};
use crate::order::Elimination;
use crate::panel::{Panel, PanelLink, PanelUp, Target};
use crate::plan::{Member, NONE, Op, Plan};
use crate::planner::Planner;
use crate::structure::{Kind, LinkValue, Mask, Node};

/// Duals with the same later neighbours share a panel of at most this many rows.
const WIDEST: u32 = 96;

/// Where the nodes of the core are kept.
#[derive(Default)]
pub(crate) struct Places {
    position: Vec<u32>,
    /// Panel of each node, and its first row there.
    panel: Vec<u32>,
    row: Vec<u32>,
}

impl Places {
    pub fn row(&self, node: usize) -> u32 {
        self.row[node]
    }

    /// The panel of a node of the core; an inverse pivot has none.
    pub fn panel<'p>(&self, plan: &'p Plan, node: usize) -> Option<&'p Panel> {
        plan.panels.get(self.panel[node] as usize)
    }
}

impl Planner<'_> {
    /// Lay out the core. `has_children` says which of its nodes have something hanging from them. Returns its pivots,
    /// in order.
    pub(crate) fn lay_out_core(
        &self,
        order: &Elimination,
        has_children: &[bool],
        sample: &Blocks,
        plan: &mut Plan,
    ) -> (Vec<Op>, Places) {
        let s = self.s;
        let n_nodes = s.n_nodes();
        let mut places = Places { position: vec![NONE; n_nodes], panel: vec![NONE; n_nodes], row: vec![0; n_nodes] };
        for (k, &i) in order.nodes.iter().enumerate() {
            places.position[i as usize] = k as u32;
        }
        let is_dual = |i: u32| s.is_dual(Node(i));
        let mut is_hub = vec![false; n_nodes];
        order.hubs.iter().for_each(|&h| is_hub[h as usize] = true);
        let n_central = plan.n_central;
        let is_inverse = |i: u32| {
            let central = sample.among_six(Node(i)).is_some_and(|k| (k as usize) < n_central);
            !is_dual(i) && central && !has_children[i as usize] && !is_hub[i as usize]
        };
        // panels and inverse pivots, with their neighbours
        let mut ops = Vec::new();
        let mut k = 0;
        while k < order.nodes.len() {
            let first = order.nodes[k];
            if is_inverse(first) {
                ops.push(Op::InversePivot(plan.inverse_pivots.len() as u32));
                let pivot = self.inverse_pivot(first, order.later_of(k), sample, plan);
                plan.inverse_pivots.push(pivot);
                k += 1;
                continue;
            }
            let mut last = k;
            let mut n = s.sizes[first as usize];
            while is_dual(first)
                && let Some(&next) = order.nodes.get(last + 1)
                && order.later_of(last).first() == Some(&next)
                && is_dual(next)
                && order.later_of(last).len() == order.later_of(last + 1).len() + 1
                && n + s.sizes[next as usize] <= WIDEST
            {
                last += 1;
                n += s.sizes[next as usize];
            }
            self.push_panel(&order.nodes[k..=last], order.later_of(last), sample, plan, &mut places);
            ops.push(Op::Panel(plan.panels.len() as u32 - 1));
            k = last + 1;
        }
        self.address(&ops, order, plan, &places);
        (ops, places)
    }

    fn inverse_pivot(&self, node: u32, later: &[u32], sample: &Blocks, plan: &mut Plan) -> InversePivot {
        let s = self.s;
        let first = plan.inverse_pivot_links.len() as u32;
        for &dual in later {
            let link = self.link_between(dual, node);
            let (three_aligned, transform) = match s.kinds[dual as usize] {
                Kind::Masked { transform, mask: Mask::FIRST_THREE, aligned: true } => (true, transform),
                _ => (false, NONE),
            };
            let rows = s.sizes[dual as usize];
            let far = s.links[link as usize].value == LinkValue::Far;
            let x = plan.offsets[dual as usize];
            plan.inverse_pivot_links.push(InversePivotLink {
                link,
                x,
                rows,
                w: plan.n_w as u32,
                three_aligned,
                transform,
                far,
            });
            plan.n_w += 6 * rows as usize;
        }
        InversePivot {
            node: Node(node),
            central: sample.among_six(Node(node)).unwrap_or(NONE),
            x: plan.offsets[node as usize],
            inverse: plan.inverse_pivots.len() as u32,
            links: (first, plan.inverse_pivot_links.len() as u32),
            targets: 0,
        }
    }

    fn push_panel(&self, nodes: &[u32], later: &[u32], sample: &Blocks, plan: &mut Plan, places: &mut Places) {
        let s = self.s;
        let first_member = plan.members.len() as u32;
        let mut n = 0;
        for &i in nodes {
            let size = s.sizes[i as usize];
            places.panel[i as usize] = plan.panels.len() as u32;
            places.row[i as usize] = n;
            plan.members.push(Member { node: Node(i), at: n, x: plan.offsets[i as usize], size, link: NONE });
            n += size;
        }
        let first_up = plan.ups.len() as u32;
        let mut width = n;
        for &i in later {
            let size = s.sizes[i as usize];
            plan.ups.push(PanelUp { x: plan.offsets[i as usize], size, column: width });
            width += size;
        }
        let primal = !s.is_dual(Node(nodes[0]));
        let six = if primal { sample.among_six(Node(nodes[0])).unwrap_or(NONE) } else { NONE };
        plan.panels.push(Panel {
            n,
            width,
            at: plan.n_panels as u32,
            six,
            central: if (six as usize) < plan.n_central { six } else { NONE },
            primal,
            members: (first_member, plan.members.len() as u32),
            ups: (first_up, plan.ups.len() as u32),
            links: (0, 0),
            targets: 0,
        });
        plan.n_panels += (n * width) as usize;
        plan.largest_front = plan.largest_front.max(width as usize);
    }

    /// Addresses of the blocks that every pivot writes to, and of the blocks that stand there from the start.
    fn address(&self, ops: &[Op], order: &Elimination, plan: &mut Plan, places: &Places) {
        let mut k = 0;
        for op in ops {
            let first_target = plan.targets.len() as u32;
            let n_members = match op {
                Op::Panel(p) => {
                    let (start, end) = plan.panels[*p as usize].members;
                    (end - start) as usize
                }
                _ => 1,
            };
            let later = order.later_of(k + n_members - 1);
            for (i, &a) in later.iter().enumerate() {
                for &b in &later[i..] {
                    plan.targets.push(self.target(a, b, order, plan, places));
                }
            }
            match op {
                Op::InversePivot(f) => plan.inverse_pivots[*f as usize].targets = first_target,
                Op::Panel(p) => {
                    let first_link = plan.panel_links.len() as u32;
                    for &i in &order.nodes[k..k + n_members] {
                        self.push_links(i, order, plan, places);
                    }
                    let panel = &mut plan.panels[*p as usize];
                    panel.targets = first_target;
                    panel.links = (first_link, plan.panel_links.len() as u32);
                }
                _ => {}
            }
            k += n_members;
        }
    }

    /// Links of a node towards the nodes eliminated after it.
    fn push_links(&self, node: u32, order: &Elimination, plan: &mut Plan, places: &Places) {
        for &link in self.links_of(node as usize) {
            let other = self.other_end(link, node);
            let (own, others) = (places.position[node as usize], places.position[other as usize]);
            if others != NONE && others > own {
                let column = self.column(node, other, order, plan, places);
                plan.panel_links.push(PanelLink { link, row: places.row[node as usize], column });
            }
        }
    }

    /// The block between nodes `a` and `b`, in the panel of `a`, which is eliminated first (or is `b`).
    fn target(&self, a: u32, b: u32, order: &Elimination, plan: &Plan, places: &Places) -> Target {
        let panel = &plan.panels[places.panel[a as usize] as usize];
        let column = self.column(a, b, order, plan, places);
        Target { at: panel.at + places.row[a as usize] * panel.width + column, stride: panel.width }
    }

    /// FactorColumn of node `b` in the panel of `a`.
    fn column(&self, a: u32, b: u32, order: &Elimination, plan: &Plan, places: &Places) -> u32 {
        if places.panel[a as usize] == places.panel[b as usize] {
            return places.row[b as usize];
        }
        let panel = &plan.panels[places.panel[a as usize] as usize];
        let last = plan.members[panel.members.1 as usize - 1].node.0;
        let later = order.later_of(places.position[last as usize] as usize);
        let wanted = places.position[b as usize];
        let at = later.partition_point(|&i| places.position[i as usize] < wanted);
        plan.ups[panel.ups.0 as usize + at].column
    }

    fn link_between(&self, dual: u32, primal: u32) -> u32 {
        let found = self.links_of(dual as usize).iter().find(|&&l| self.other_end(l, dual) == primal);
        found.copied().unwrap_or(NONE)
    }
}

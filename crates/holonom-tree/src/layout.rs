//! Storage and pivots outside cycles: from a rooted forest to the list of pivots that the numeric phase walks.

use crate::blocks::Blocks;
use crate::core::Core;
use crate::core_layout::Places;
use crate::order::Elimination;
use crate::packed;
use crate::plan::{Front, Member, NONE, Op, Pair, Plan, Store, Up};
use crate::planner::{Planner, RootedForest};
use crate::structure::{Kind, LinkValue, Node, Structure};

impl Planner<'_> {
    /// Write the plan for a forest and, inside `core`, an order of elimination.
    pub(crate) fn lay_out(&self, forest: &RootedForest, core: &Core, order: &Elimination, sample: &Blocks) -> Plan {
        let mut layout = Layout::new(self, forest, core, sample);
        layout.choose_pairs(sample);
        layout.reserve_fronts();
        let core_ops = layout.lay_out_core(order, sample);
        layout.push_pivots();
        let mut plan = layout.plan;
        choose_reference_points(&mut plan);
        plan.ops.extend(core_ops);
        plan.ops.shrink_to_fit();
        plan.fronts.shrink_to_fit();
        plan.members.shrink_to_fit();
        let links = self.s.links();
        plan.largest_link = links.map(|(dual, primal)| self.s.size(dual) * self.s.size(primal)).max().unwrap_or(0);
        plan
    }
}

/// A plan in the making, with what only its making needs, node by node.
struct Layout<'a> {
    planner: &'a Planner<'a>,
    forest: &'a RootedForest,
    plan: Plan,
    /// Number and total size of the duals deferred to a node.
    carried: Vec<(u32, u32)>,
    /// The matrix that holds the node's block, and the block's first row there.
    store: Vec<Store>,
    row: Vec<u32>,
    /// Where the nodes of the core are kept.
    places: Places,
}

impl<'a> Layout<'a> {
    fn new(planner: &'a Planner<'a>, forest: &'a RootedForest, core: &Core, sample: &Blocks) -> Self {
        let s = planner.s;
        let n = s.n_nodes();
        let mut x = vec![0u32; n + 1];
        for i in 0..n {
            x[i + 1] = x[i] + s.sizes[i];
        }
        let parents: Vec<u32> = (0..n as u32).map(|i| forest.parent(planner, i).unwrap_or(NONE)).collect();
        let mut carried = vec![(0u32, 0u32); n];
        for i in (0..n).filter(|&i| forest.deferred[i]) {
            let (count, size) = &mut carried[parents[i] as usize];
            *count += 1;
            *size += s.sizes[i];
        }
        let plan = Plan {
            // units are for planning only
            structure: Structure { units: Vec::new(), ..s.clone() },
            ops: Vec::with_capacity(n),
            n_six: sample.central.len() + sample.six.len(),
            n_central: sample.central.len(),
            n_x: x[n] as usize,
            parents,
            deferred: forest.deferred.clone(),
            paired: vec![false; n],
            core: core.inside.clone(),
            large: parts(core, &forest.large, &x),
            looped: parts(core, &core.inside, &x),
            offsets: x,
            ..Plan::default()
        };
        let (store, row) = (vec![Store::Arena(0); n], vec![0; n]);
        Layout { planner, forest, plan, carried, store, row, places: Places::default() }
    }

    /// Nodes of size 6 to which nothing is deferred have a store of their own. Those of them that form pairs with the
    /// dual above are found here.
    fn choose_pairs(&mut self, sample: &Blocks) {
        let n = self.store.len();
        for i in (0..n).filter(|&i| self.carried[i].0 == 0) {
            if let Some(k) = sample.among_six(Node(i as u32)) {
                self.store[i] = Store::Six(k);
            }
        }
        for i in 0..n {
            if let Some(pair) = self.pair(i) {
                self.plan.paired[pair.dual as usize] = true;
            }
        }
    }

    /// Room for all other fronts: a leader and the duals deferred to it, stored where the leader is. A paired dual has
    /// no block of its own.
    fn reserve_fronts(&mut self) {
        let (plan, sizes) = (&mut self.plan, &self.planner.s.sizes);
        let mut n_arena = 0;
        for i in 0..sizes.len() {
            if matches!(self.store[i], Store::Arena(_)) && !plan.deferred[i] && !plan.paired[i] && !plan.core[i] {
                self.store[i] = Store::Arena(n_arena);
                n_arena += packed::len((sizes[i] + self.carried[i].1) as usize) as u32;
            }
        }
        plan.n_arena = n_arena as usize;
        let mut filled = sizes.clone();
        for i in (0..sizes.len()).filter(|&i| plan.deferred[i]) {
            let p = plan.parents[i] as usize;
            self.row[i] = filled[p];
            filled[p] += sizes[i];
            self.store[i] = self.store[p];
        }
    }

    /// The core: its pivots, and its panels as the stores of those of its nodes that have no other.
    fn lay_out_core(&mut self, order: &Elimination, sample: &Blocks) -> Vec<Op> {
        let plan = &mut self.plan;
        let mut has_children = vec![false; self.store.len()];
        plan.parents.iter().filter(|&&p| p != NONE).for_each(|&p| has_children[p as usize] = true);
        for (k, &i) in order.nodes.iter().enumerate() {
            plan.parents[i as usize] = order.later_of(k).first().copied().unwrap_or(NONE);
        }
        let (ops, places) = self.planner.lay_out_core(order, &has_children, sample, plan);
        for i in (0..self.store.len()).filter(|&i| plan.core[i]) {
            if let (Store::Arena(_), Some(panel)) = (self.store[i], places.panel(plan, i)) {
                self.store[i] = Store::Panel(panel.at);
                self.row[i] = places.row(i);
            }
        }
        self.places = places;
        ops
    }

    /// Pivots outside the core, leaves first.
    fn push_pivots(&mut self) {
        // members of each front, grouped by leader
        let plan = &self.plan;
        let is_deferred = |i: &u32| plan.deferred[*i as usize];
        let nodes = 0..self.store.len() as u32;
        let mut deferred: Vec<(u32, u32)> = nodes.filter(is_deferred).map(|i| (plan.parents[i as usize], i)).collect();
        deferred.sort_unstable();
        for &i in &self.forest.order {
            let i = i as usize;
            if self.plan.deferred[i] || self.plan.paired[i] || self.plan.core[i] {
                continue;
            }
            if let Some(pair) = self.pair(i) {
                let count = if pair.three_aligned() { &mut self.plan.n_aligned } else { &mut self.plan.n_free };
                *count += 1;
                let pair = Pair { pivot: *count as u32 - 1, ..pair };
                self.plan.ops.push(Op::Pair(pair));
            } else {
                let start = deferred.partition_point(|&(leader, _)| (leader as usize) < i);
                self.push_front(i, &deferred[start..][..self.carried[i].0 as usize]);
            }
        }
    }

    /// The front of a leader and the duals deferred to it.
    fn push_front(&mut self, i: usize, deferred: &[(u32, u32)]) {
        let s = self.planner.s;
        let first = self.plan.members.len() as u32;
        let member =
            |i: usize, at, link| Member { node: Node(i as u32), at, x: self.plan.offsets[i], size: s.sizes[i], link };
        let leader = member(i, 0, NONE);
        let others = deferred.iter().map(|&(_, d)| d as usize);
        let others: Vec<Member> = others.map(|d| member(d, self.row[d], self.forest.parent_link[d])).collect();
        let (n, up) = (self.front_size(i), self.up(i));
        let plan = &mut self.plan;
        plan.members.push(leader);
        plan.members.extend(others);
        let n_primal = if s.is_dual(Node(i as u32)) { 0 } else { s.sizes[i] };
        let members = (first, plan.members.len() as u32);
        plan.ops.push(Op::Front(plan.fronts.len() as u32));
        plan.fronts.push(Front { n, n_primal, store: self.store[i], y: plan.n_y as u32, members, up });
        plan.n_y += (n * up.map_or(0, |u| u.size)) as usize;
        plan.largest_front = plan.largest_front.max(n as usize);
    }

    /// What is above a front: where its leader's parent is stored.
    fn up(&self, i: usize) -> Option<Up> {
        let link = self.forest.parent_link[i];
        if link == NONE {
            return None;
        }
        let p = self.plan.parents[i] as usize;
        let (x, size) = (self.plan.offsets[p], self.planner.s.sizes[p]);
        Some(Up { store: self.store[p], n: self.front_size(p), at: self.row[p], x, size, link, top: 0 })
    }

    /// Size of the matrix that holds a node.
    fn front_size(&self, i: usize) -> u32 {
        if let Store::Panel(_) = self.store[i] {
            return self.places.panel(&self.plan, i).map_or(0, |p| p.width);
        }
        let leader = if self.plan.deferred[i] { self.plan.parents[i] as usize } else { i };
        self.planner.s.sizes[leader] + self.carried[leader].1
    }

    /// The pair pivot of primal node `i` and the masked dual above it, where the free form applies and is cheaper.
    fn pair(&self, i: usize) -> Option<Pair> {
        let (s, plan) = (self.planner.s, &self.plan);
        if s.is_dual(Node(i as u32)) || plan.parents[i] == NONE || self.carried[i].0 > 0 {
            return None;
        }
        let dual = plan.parents[i] as usize;
        if plan.deferred[dual] || plan.core[i] || plan.core[dual] {
            return None;
        }
        let Kind::Masked { transform, mask, aligned } = s.kinds[dual] else { return None };
        if mask.count() < 3 || (plan.parents[dual] == NONE && self.planner.degree(dual) > 1) {
            return None;
        }
        let Store::Six(child) = self.store[i] else { return None };
        let (parent, x_parent) = match plan.parents[dual] {
            NONE => (NONE, 0),
            p => match self.store[p as usize] {
                Store::Six(k) => (k, plan.offsets[p as usize]),
                _ => return None,
            },
        };
        Some(Pair {
            child,
            parent,
            x_child: plan.offsets[i],
            x_dual: plan.offsets[dual],
            x_parent,
            transform,
            pivot: 0,
            dual: dual as u32,
            mask,
            aligned,
            child_is_far: s.links[self.forest.parent_link[i] as usize].value == LinkValue::Far,
            shifted: true,
            leaf: true,
            parent_transform: NONE,
            parent_is_far: false,
        })
    }
}

/// Where the components that contain a marked node lie in a vector, as ranges.
fn parts(core: &Core, marked: &[bool], x: &[u32]) -> Vec<(u32, u32)> {
    let mut wanted = vec![false; core.n_components()];
    (0..marked.len()).filter(|&i| marked[i]).for_each(|i| wanted[core.component[i] as usize] = true);
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for i in (0..marked.len()).filter(|&i| wanted[core.component[i] as usize]) {
        match parts.last_mut() {
            Some(last) if last.1 == x[i] => last.1 = x[i + 1],
            _ => parts.push((x[i], x[i + 1])),
        }
    }
    parts
}

/// Decide, for every block of size 6, to which point it is moved, and whether anything is written to it from below.
///
/// A block that only pairs write to is kept at the point of its own pair: what comes from below is then moved once,
/// from point to point. A block that fronts write to stays as it is given, and is moved when it is eliminated.
fn choose_reference_points(plan: &mut Plan) {
    let n = plan.n_six;
    let mut from_fronts = vec![false; n];
    let mut own: Vec<Option<(u32, bool)>> = vec![None; n];
    for op in &plan.ops {
        match op {
            Op::Front(index) => {
                let front = &plan.fronts[*index as usize];
                if let Some(Up { store: Store::Six(k), .. }) = front.up {
                    from_fronts[k as usize] = true;
                }
                if let Store::Six(k) = front.store {
                    from_fronts[k as usize] = true;
                }
            }
            Op::Pair(pair) => own[pair.child as usize] = Some((pair.transform, pair.child_is_far)),
            Op::InversePivot(_) | Op::Panel(_) => {}
        }
    }
    let mut written = from_fronts.clone();
    for op in &mut plan.ops {
        let Op::Pair(pair) = op else { continue };
        pair.shifted = !from_fronts[pair.child as usize];
        // children come before their parents, so whoever writes to this child has done so
        pair.leaf = !written[pair.child as usize];
        if pair.has_parent() {
            let p = pair.parent as usize;
            written[p] = true;
            if let (Some((transform, far)), false) = (own[p], from_fronts[p]) {
                (pair.parent_transform, pair.parent_is_far) = (transform, far);
            }
        }
    }
}

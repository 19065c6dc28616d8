//! From structure to a list of pivots: which order, which storage, which kernel.
//!
//! Order. Each tree is rooted and eliminated leaves first; a node then has one neighbour left, its parent, and
//! elimination makes no fill. One case needs care: a dual can be a pivot only when the nodes eliminated before it give
//! its rows full rank (its pivot block is `-J D^-1 J^T` over its children). Where they do not, it is *deferred*: it
//! joins its parent's pivot and is eliminated right after it, when all its rows are complete. A parent that carries
//! deferred duals has fewer directions left, so the dual above it is deferred too. With `J` of full row rank every
//! pivot is then legal, and blocks stay as small as two nodes and what hangs on them.
//!
//! Scale. Eliminating a node adds to its parent; when what is added is 10^9 times larger than the parent's own block,
//! the sum keeps seven digits of that, and later pivots subtract the large part again. Such a dual is deferred too: its
//! parent is then eliminated as it stands, and small and large meet in the dual's pivot as the sum of two inverses,
//! `-(J D^-1 J^T)` of either side, where neither drowns the other in a way that matters.
//!
//! Form. A pair (primal of size 6, masked dual above it) is one pivot. With three rows or more it goes through the free
//! directions ([`crate::transform`]); with fewer, through the rows, as all dense blocks do. Counted flops decide: 195,
//! 320 and 474 through 1, 2 and 3 rows against 1060, 806 and 585 through 5, 4 and 3 free directions, and three aligned
//! rows cost less than half of that.

use crate::blocks::Blocks;
use crate::core::Core;
use crate::order::{self, Elimination};
use crate::plan::{NONE, Plan, PlanError};
use crate::rank::independent;
use crate::structure::{Kind, LinkValue, Node, Structure};

impl Structure {
    /// Plan the elimination. `sample` holds values typical of the matrix, generic ones: the
    /// planner looks at the rank of dense links there.
    pub fn plan(&self, sample: &Blocks) -> Result<Plan, PlanError> {
        Planner::new(self).run(sample)
    }
}

/// Blocks this many times larger than that of the node they hang from would drown it (see the module's text). Measured
/// on chains, the residual grows with the square of the ratio: 2e-12 here, 2e-10 at ten times as much.
const LARGER: f64 = 300.0;
/// How many duals one node takes into its pivot block by choice; what comes beyond is solved for all the same, with
/// fewer digits.
const FEW: u32 = 6;
/// Orders with hubs are tried this often, each time with more duals after their hubs, before the planner does without
/// hubs.
const ATTEMPTS: usize = 4;

/// Trees with their roots; a core stands in the place of the root of its component.
pub(crate) struct RootedForest {
    /// Nodes, leaves first; the core last within its component.
    pub order: Vec<u32>,
    /// Link of each node to its parent, or `NONE`.
    pub parent_link: Vec<u32>,
    /// Duals that wait for their parent, and those of them that do because of their scale.
    pub deferred: Vec<bool>,
    pub large: Vec<bool>,
}

impl RootedForest {
    pub fn parent(&self, planner: &Planner, node: u32) -> Option<u32> {
        let link = self.parent_link[node as usize];
        (link != NONE).then(|| planner.other_end(link, node))
    }
}

pub(crate) struct Planner<'s> {
    pub s: &'s Structure,
    /// Links of node i: `adjacent[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    adjacent: Vec<u32>,
    may_lose_rank: Vec<bool>,
    /// [`Structure::unit`] of every node: columns and size.
    units: Vec<(u32, f64)>,
}

impl<'s> Planner<'s> {
    pub fn new(s: &'s Structure) -> Self {
        let n = s.n_nodes();
        let mut starts = vec![0u32; n + 1];
        // a dual without rows ties nothing together
        let links = || s.links.iter().enumerate().filter(|(_, l)| s.size(l.dual) > 0);
        for (_, l) in links() {
            starts[l.dual.index() + 1] += 1;
            starts[l.primal.index() + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut fill = starts.clone();
        let mut adjacent = vec![0; starts[n] as usize];
        for (k, l) in links() {
            for node in [l.dual, l.primal] {
                adjacent[fill[node.index()] as usize] = k as u32;
                fill[node.index()] += 1;
            }
        }
        let mut may_lose_rank = vec![false; n];
        s.may_lose_rank.iter().for_each(|node| may_lose_rank[node.index()] = true);
        let mut units = vec![(0, 1.0); n];
        s.units.iter().for_each(|&(node, columns, size)| units[node.index()] = (columns, size));
        Planner { s, starts, adjacent, may_lose_rank, units }
    }

    pub fn links_of(&self, node: usize) -> &[u32] {
        &self.adjacent[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub fn degree(&self, node: usize) -> usize {
        self.links_of(node).len()
    }

    fn run(self, sample: &Blocks) -> Result<Plan, PlanError> {
        self.refuse_twice()?;
        let mut core = Core::find(&self);
        let mut forest = self.root_trees(&core, sample)?;
        self.defer(&mut forest, &mut core, sample);
        if core.is_empty() {
            return Ok(self.lay_out(&forest, &core, &Elimination::default(), sample));
        }
        // a hub waits for its duals, as far as their pivots stay strong without it
        let mut late = vec![false; self.s.n_nodes()];
        for _ in 0..ATTEMPTS {
            let elimination = order::cheapest(&self, &core, &late, true);
            let plan = self.lay_out(&forest, &core, &elimination, sample);
            let small = plan.small_before_hubs(&elimination, &core, sample);
            if small.is_empty() {
                return Ok(plan);
            }
            small.iter().for_each(|&dual| late[dual as usize] = true);
        }
        let elimination = order::cheapest(&self, &core, &late, false);
        Ok(self.lay_out(&forest, &core, &elimination, sample))
    }

    /// Two links between the same two nodes are one link, and must be given as one.
    fn refuse_twice(&self) -> Result<(), PlanError> {
        for i in (0..self.s.n_nodes()).filter(|&i| self.s.is_dual(Node(i as u32))) {
            let links = self.links_of(i);
            for (k, &l) in links.iter().enumerate() {
                let primal = self.other_end(l, i as u32);
                if links[..k].iter().any(|&other| self.other_end(other, i as u32) == primal) {
                    return Err(PlanError::LinkedTwice(Node(i as u32)));
                }
            }
        }
        Ok(())
    }

    /// Root every tree, at one of its nodes or at the core. Nothing is deferred yet.
    pub fn root_trees(&self, core: &Core, sample: &Blocks) -> Result<RootedForest, PlanError> {
        let n = self.s.n_nodes();
        let mut parent_link = vec![NONE; n];
        let mut seen = vec![false; n];
        let mut order: Vec<u32> = Vec::with_capacity(n);
        let mut wish = vec![false; n];
        for r in &self.s.roots {
            wish[r.index()] = true;
        }
        for c in 0..core.n_components() {
            let component = core.nodes_of(c);
            let start = order.len();
            order.extend(component.iter().copied().filter(|&i| core.inside[i as usize]));
            if order.len() == start {
                order.push(self.choose_root(component, &wish, sample)?);
            }
            order[start..].iter().for_each(|&i| seen[i as usize] = true);
            let mut k = start;
            while k < order.len() {
                let node = order[k];
                for &l in self.links_of(node as usize) {
                    let other = self.other_end(l, node);
                    if !seen[other as usize] {
                        seen[other as usize] = true;
                        parent_link[other as usize] = l;
                        order.push(other);
                    }
                }
                k += 1;
            }
        }
        order.reverse();
        Ok(RootedForest { order, parent_link, deferred: vec![false; n], large: vec![false; n] })
    }

    pub fn other_end(&self, link: u32, node: u32) -> u32 {
        let l = &self.s.links[link as usize];
        if l.dual.0 == node { l.primal.0 } else { l.dual.0 }
    }

    fn choose_root(&self, component: &[u32], wish: &[bool], sample: &Blocks) -> Result<u32, PlanError> {
        let is_dual = |i: u32| self.s.is_dual(Node(i));
        if component.len() == 1 && is_dual(component[0]) {
            let node = Node(component[0]);
            return if self.s.size(node) == 0 { Ok(node.0) } else { Err(PlanError::Unlinked(node)) };
        }
        if let Some(&r) = component.iter().find(|&&i| wish[i as usize]) {
            return Ok(r);
        }
        if let Some(&r) = component.iter().filter(|&&i| is_dual(i) && self.degree(i as usize) == 1).min() {
            return Ok(r);
        }
        // a primal node that cannot give full rank to one of its duals is best eliminated last
        let lacks_rank = |i: u32| {
            self.links_of(i as usize).iter().any(|&l| {
                let link = &self.s.links[l as usize];
                let dense = matches!(link.value, LinkValue::Dense(_));
                dense && (self.may_lose_rank[i as usize] || !self.full_rank(&[l], link.dual, sample))
            })
        };
        let primals = || component.iter().copied().filter(|&i| !is_dual(i));
        let best = primals().max_by_key(|&i| (lacks_rank(i), self.degree(i as usize), std::cmp::Reverse(i)));
        Ok(best.unwrap_or(component[0]))
    }

    /// Do these links of a dual, side by side, have full row rank in the sample, with something to spare?
    pub fn full_rank(&self, links: &[u32], dual: Node, sample: &Blocks) -> bool {
        let m = self.s.size(dual);
        let mut rows = vec![Vec::new(); m];
        let mut squares = vec![0.0; m];
        let mut block = Vec::new();
        for &l in self.links_of(dual.index()) {
            sample.dense_link(self.s, l as usize, &mut block);
            let primal = self.s.links[l as usize].primal;
            let (width, (columns, unit)) = (self.s.size(primal), self.units[primal.index()]);
            block.chunks_exact_mut(width).for_each(|row| row[..columns as usize].iter_mut().for_each(|x| *x *= unit));
            for (i, row) in rows.iter_mut().enumerate() {
                let part = &block[i * width..(i + 1) * width];
                squares[i] += part.iter().map(|x| x * x).sum::<f64>();
                if links.contains(&l) {
                    row.extend_from_slice(part);
                }
            }
        }
        // A pivot J D^-1 J^T squares what is left of a row: a rest of 1e-3 costs six digits of the answer, one of 1e-8
        // all of them. To defer is always legal, so a row in doubt counts as dependent here. The length of a row is
        // that over all its links: in one of them there may be nothing but rounding errors.
        independent(&rows, |i| squares[i].sqrt(), 1e-3).iter().all(|&keep| keep)
    }

    /// Which duals wait for their parent: those that must, because their rows lack rank below it, and those that had
    /// better, because the nodes below are in doubt or their blocks far larger. Of the second kind a node takes only a
    /// few, so that its pivot block stays small. A dual that would be deferred to a node of the core joins the core
    /// instead, where duals come after all primal nodes anyway.
    fn defer(&self, forest: &mut RootedForest, core: &mut Core, sample: &Blocks) {
        let RootedForest { order, parent_link, deferred, large } = forest;
        let n = self.s.n_nodes();
        let mut carries = vec![false; n];
        let mut may_lose_rank = self.may_lose_rank.clone();
        let mut n_by_choice = vec![0u32; n];
        // largest scale in the subtree of each node
        let mut scale: Vec<f64> =
            (0..n).map(|i| sample.diagonal(Node(i as u32)).first().copied().unwrap_or(0.0)).collect();
        let own = scale.clone();
        let mut below = Vec::new();
        for &i in &*order {
            let node = Node(i);
            let up = parent_link[i as usize];
            if up == NONE {
                continue;
            }
            let parent = self.other_end(up, i) as usize;
            let subtree = scale[i as usize];
            scale[parent] = scale[parent].max(subtree);
            if !self.s.is_dual(node) {
                continue;
            }
            below.clear();
            below.extend(self.links_of(i as usize).iter().copied().filter(|&l| l != up));
            let children = || below.iter().map(|&l| self.other_end(l, i) as usize);
            let masked = matches!(self.s.kinds[i as usize], Kind::Masked { .. });
            let enough = if masked { !below.is_empty() } else { self.full_rank(&below, node, sample) };
            let too_large = subtree > LARGER * own[parent] && self.s.size(node) > 0;
            let must = !enough || children().any(|c| carries[c]);
            let had_better = n_by_choice[parent] < FEW && (too_large || children().any(|c| may_lose_rank[c]));
            if core.inside[parent] && (must || had_better) {
                core.inside[i as usize] = true;
                parent_link[i as usize] = NONE;
            } else if must {
                deferred[i as usize] = true;
                carries[parent] = true;
            } else if had_better {
                deferred[i as usize] = true;
                n_by_choice[parent] += 1;
                // the rows deferred to the parent take away some of what it has to give
                may_lose_rank[parent] |= !too_large;
                large[i as usize] = too_large;
            }
        }
    }
}

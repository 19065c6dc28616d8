//! The order of elimination inside the core: primal nodes first, then the duals so that little fill arises.
//!
//! When all primal nodes of a core are gone, what remains between its duals is `-J D^-1 J^T`: negative definite, so
//! that any order of them is legal and stable, and only the fill matters. (An order that mixes the two kinds, as a
//! fill-reducing order of the whole matrix would, meets pivots without full rank, and nearly so; on nets it loses all
//! digits.)
//!
//! The duals are ordered greedily on a quotient graph, after Amestoy, Davis and Duff: every eliminated node is an
//! *element*, a list of the nodes it has made neighbours of each other; a primal node is an element from the start.
//! Eliminating a node merges its elements into one. The number of neighbours is bounded from above by sums of list
//! lengths, so that the work per pivot is that of walking over the lists once. Three measures of what is cheapest next
//! are tried, and the order with the smallest count of operations is kept.
//!
//! One exception. A primal node with many duals, a *hub*, would make all of them neighbours: its elimination alone
//! costs the square of their number. It may come after its duals instead. Until then the duals have only the other
//! nodes to give their rows full rank, as if the hub could not move. Where that is not enough, the planner says so
//! (`late`), and the dual waits for the hubs.

use crate::core::Core;
use crate::planner::Planner;
use crate::structure::Node;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A primal node with more duals than this may be a hub.
const HUB: usize = 6;

/// Order of the core's nodes, with the later neighbours of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
    pub nodes: Vec<u32>,
    /// Neighbours eliminated after node k of the order: `later[starts[k]..starts[k + 1]]`, in the order of their
    /// elimination.
    pub starts: Vec<u32>,
    pub later: Vec<u32>,
    /// Hubs left to be eliminated after their duals.
    pub hubs: Vec<u32>,
    /// Operations, by component.
    flops: Vec<f64>,
}

impl Elimination {
    pub fn later_of(&self, k: usize) -> &[u32] {
        &self.later[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    fn push(&mut self, node: u32, later: impl IntoIterator<Item = u32>) {
        self.nodes.push(node);
        self.later.extend(later);
        self.starts.push(self.later.len() as u32);
    }
}

/// What is cheapest to eliminate next?
#[derive(Clone, Copy, Debug)]
enum Measure {
    /// Fewest neighbours.
    Degree,
    /// Fewest operations.
    Flops,
    /// Least fill: pairs of neighbours, less those that the largest element has joined already.
    Fill,
}

/// The cheapest order found, component by component: what is best for one is nothing to the others. `late` are duals
/// that must wait for the hubs of their component; without `hubs`, there are none.
pub(crate) fn cheapest(planner: &Planner, core: &Core, late: &[bool], hubs: bool) -> Elimination {
    let inside = &core.inside;
    let links_inside =
        |i: usize| planner.links_of(i).iter().filter(|&&l| inside[planner.other_end(l, i as u32) as usize]).count();
    let is_hub: Vec<bool> = (0..inside.len())
        .map(|i| hubs && inside[i] && !planner.s.is_dual(Node(i as u32)) && links_inside(i) > HUB)
        .collect();
    let none = vec![false; inside.len()];
    let mut tried: Vec<Elimination> = Vec::new();
    for is_hub in [&none, &is_hub].into_iter().take(1 + is_hub.contains(&true) as usize) {
        for measure in [Measure::Degree, Measure::Flops, Measure::Fill] {
            tried.push(Graph::new(planner, core, late, is_hub).run(measure));
        }
    }
    // the first of equals
    let choice: Vec<usize> = (0..core.n_components())
        .map(|c| (0..tried.len()).reduce(|a, b| if tried[b].flops[c] < tried[a].flops[c] { b } else { a }).unwrap_or(0))
        .collect();
    let component = |i: u32| core.component[i as usize] as usize;
    let mut best = Elimination { starts: vec![0], ..Default::default() };
    for (t, order) in tried.iter().enumerate() {
        for (k, &i) in order.nodes.iter().enumerate().filter(|(_, i)| choice[component(**i)] == t) {
            best.push(i, order.later_of(k).iter().copied());
        }
        best.hubs.extend(order.hubs.iter().copied().filter(|&h| choice[component(h)] == t));
    }
    in_postorder(best)
}

fn flops(pivot: u32, rest: u32) -> f64 {
    let (p, q) = (pivot as f64, rest as f64);
    p * p * p / 3.0 + q * p * p + q * (q + 1.0) * p
}

struct Graph<'p> {
    planner: &'p Planner<'p>,
    is_hub: &'p [bool],
    /// Duals that wait for the hubs of their component: the late ones, and those that have nothing but hubs.
    waits: Vec<bool>,
    /// How many duals a hub still waits for.
    awaited: Vec<u32>,
    component: &'p [u32],
    /// Hubs not yet eliminated, by component.
    hubs_left: Vec<u32>,
    /// Elements of each node still there, and its neighbours that are not yet in an element with it (duals and hubs).
    elements: Vec<Vec<u32>>,
    direct: Vec<Vec<u32>>,
    /// Nodes of each element, by the node whose elimination made it, and the sum of their sizes.
    nodes: Vec<Vec<u32>>,
    weight: Vec<u32>,
    /// Upper bound on the sum of the sizes of a node's neighbours.
    degree: Vec<u32>,
    done: Vec<bool>,
    order: Elimination,
    members: Vec<u32>,
}

impl<'p> Graph<'p> {
    fn new(planner: &'p Planner, core: &'p Core, late: &[bool], is_hub: &'p [bool]) -> Self {
        let inside = &core.inside;
        let n = inside.len();
        let mut graph = Graph {
            planner,
            is_hub,
            waits: vec![false; n],
            awaited: vec![0; n],
            component: &core.component,
            hubs_left: vec![0; core.n_components()],
            elements: vec![Vec::new(); n],
            direct: vec![Vec::new(); n],
            nodes: vec![Vec::new(); n],
            weight: vec![0; n],
            degree: vec![0; n],
            done: vec![true; n],
            order: Elimination { starts: vec![0], flops: vec![0.0; core.n_components()], ..Default::default() },
            members: Vec::new(),
        };
        let size = |i: u32| planner.s.sizes[i as usize];
        for i in (0..n).filter(|&i| inside[i] && !planner.s.is_dual(Node(i as u32))) {
            let neighbours: Vec<u32> = planner
                .links_of(i)
                .iter()
                .map(|&l| planner.other_end(l, i as u32))
                .filter(|&d| inside[d as usize])
                .collect();
            if is_hub[i] {
                for &dual in &neighbours {
                    graph.direct[dual as usize].push(i as u32);
                }
                graph.direct[i] = neighbours;
                graph.members.push(i as u32);
                graph.order.hubs.push(i as u32);
                continue;
            }
            graph.weight[i] = neighbours.iter().map(|&d| size(d)).sum();
            graph.order.flops[core.component[i] as usize] += flops(size(i as u32), graph.weight[i]);
            graph.order.push(i as u32, neighbours.iter().copied());
            neighbours.iter().for_each(|&d| graph.elements[d as usize].push(i as u32));
            graph.nodes[i] = neighbours;
        }
        graph.members.extend((0..n as u32).filter(|&i| inside[i as usize] && planner.s.is_dual(Node(i))));
        for &i in &graph.members {
            let i = i as usize;
            graph.done[i] = false;
            if !is_hub[i] {
                graph.waits[i] = late[i] || graph.elements[i].is_empty();
            }
            let around: u32 = graph.elements[i].iter().map(|&e| graph.weight[e as usize] - size(i as u32)).sum();
            graph.degree[i] = around + graph.direct[i].iter().map(|&d| size(d)).sum::<u32>();
        }
        for &h in &graph.order.hubs {
            graph.hubs_left[core.component[h as usize] as usize] += 1;
        }
        for h in (0..n).filter(|&i| is_hub[i]) {
            graph.awaited[h] = graph.direct[h].iter().filter(|&&d| !graph.waits[d as usize]).count() as u32;
        }
        graph
    }

    fn size(&self, node: u32) -> u32 {
        self.planner.s.sizes[node as usize]
    }

    /// May the node be eliminated now?
    fn ready(&self, node: u32) -> bool {
        let hubs_left = self.hubs_left[self.component[node as usize] as usize];
        self.awaited[node as usize] == 0 && !(self.waits[node as usize] && hubs_left > 0)
    }

    fn score(&self, node: u32, measure: Measure) -> u64 {
        let (p, q) = (self.size(node), self.degree[node as usize]);
        match measure {
            Measure::Degree => q as u64,
            Measure::Flops => flops(p, q) as u64,
            Measure::Fill => {
                let cliques = self.elements[node as usize].iter().map(|&e| (self.weight[e as usize] - p) as u64);
                (q as u64 * q as u64).saturating_sub(cliques.max().map_or(0, |c| c * c))
            }
        }
    }

    fn run(mut self, measure: Measure) -> Elimination {
        let mut heap: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::with_capacity(self.members.len());
        let mut score = vec![u64::MAX; self.done.len()];
        for &i in &self.members {
            if self.ready(i) {
                score[i as usize] = self.score(i, measure);
                heap.push(Reverse((score[i as usize], i)));
            }
        }
        let mut outside = vec![0u32; self.done.len()]; // of each element: the weight of its nodes that are not in the new one
        let mut stamp = vec![u32::MAX; self.done.len()];
        while let Some(Reverse((value, node))) = heap.pop() {
            if self.done[node as usize] || score[node as usize] != value {
                continue; // an old entry
            }
            let mut changed = self.eliminate(node, &mut outside, &mut stamp);
            let component = self.component[node as usize];
            if self.is_hub[node as usize] && self.hubs_left[component as usize] == 0 {
                let waited = |&i: &u32| self.waits[i as usize] && !self.done[i as usize];
                changed.extend(
                    self.members.iter().copied().filter(waited).filter(|&i| self.component[i as usize] == component),
                );
            }
            for i in changed {
                if self.ready(i) {
                    let new = self.score(i, measure);
                    if new != score[i as usize] {
                        score[i as usize] = new;
                        heap.push(Reverse((new, i)));
                    }
                }
            }
        }
        self.order
    }

    /// Eliminate a node; returns those whose score may have changed.
    fn eliminate(&mut self, node: u32, outside: &mut [u32], stamp: &mut [u32]) -> Vec<u32> {
        let p = node as usize;
        self.done[p] = true;
        if self.is_hub[p] {
            self.hubs_left[self.component[p] as usize] -= 1;
        } else if !self.waits[p] {
            for &l in self.planner.links_of(p) {
                let other = self.planner.other_end(l, node) as usize;
                self.awaited[other] -= self.is_hub[other] as u32;
            }
        }
        // the new element: all neighbours, once
        let mut around: Vec<u32> = Vec::new();
        let absorbed = std::mem::take(&mut self.elements[p]);
        let direct = std::mem::take(&mut self.direct[p]);
        stamp[p] = node;
        for &e in &absorbed {
            for &i in &std::mem::take(&mut self.nodes[e as usize]) {
                if stamp[i as usize] != node {
                    stamp[i as usize] = node;
                    around.push(i);
                }
            }
        }
        for &i in &direct {
            if stamp[i as usize] != node {
                stamp[i as usize] = node;
                around.push(i);
            }
        }
        around.sort_unstable();
        let weight: u32 = around.iter().map(|&i| self.size(i)).sum();
        self.order.flops[self.component[p] as usize] += flops(self.size(node), weight);
        self.order.push(node, around.iter().copied());
        for &i in &around {
            let i = i as usize;
            self.elements[i].retain(|e| !absorbed.contains(e));
            self.direct[i].retain(|&d| stamp[d as usize] != node);
        }
        // weights of the other elements outside the new one, each counted once
        for &i in &around {
            for &e in &self.elements[i as usize] {
                outside[e as usize] = self.weight[e as usize];
            }
        }
        for &i in &around {
            for &e in &self.elements[i as usize] {
                outside[e as usize] -= self.planner.s.sizes[i as usize];
            }
        }
        for &i in &around {
            let elsewhere: u32 = self.elements[i as usize].iter().map(|&e| outside[e as usize]).sum();
            let beside: u32 = self.direct[i as usize].iter().map(|&d| self.size(d)).sum();
            self.degree[i as usize] = weight - self.size(i) + elsewhere + beside;
            // an element inside the new one says nothing more
            let outside = &*outside;
            self.elements[i as usize].retain(|&e| outside[e as usize] > 0);
            self.elements[i as usize].push(node);
        }
        self.nodes[p] = around.clone();
        self.weight[p] = weight;
        around
    }
}

/// The same elimination in an order in which every node comes right after what it depends on: children before parents
/// in the elimination tree, one branch after the other, so that the numeric phase finds its numbers close together.
fn in_postorder(order: Elimination) -> Elimination {
    let n = order.nodes.len();
    let top = order.nodes.iter().max().map_or(0, |&i| i as usize + 1);
    let mut position = vec![0u32; top];
    for (k, &i) in order.nodes.iter().enumerate() {
        position[i as usize] = k as u32;
    }
    let parent: Vec<u32> =
        (0..n).map(|k| order.later_of(k).iter().map(|&i| position[i as usize]).min().unwrap_or(u32::MAX)).collect();
    // children of each, first child first
    let (mut first, mut next) = (vec![u32::MAX; n], vec![u32::MAX; n]);
    for k in (0..n).rev() {
        if parent[k] != u32::MAX {
            next[k] = first[parent[k] as usize];
            first[parent[k] as usize] = k as u32;
        }
    }
    let mut sequence = Vec::with_capacity(n);
    let mut stack: Vec<u32> = Vec::new();
    for root in (0..n).filter(|&k| parent[k] == u32::MAX) {
        stack.push(root as u32);
        while let Some(&k) = stack.last() {
            match first[k as usize] {
                u32::MAX => {
                    sequence.push(k);
                    stack.pop();
                }
                child => {
                    first[k as usize] = next[child as usize];
                    stack.push(child);
                }
            }
        }
    }
    for (k, &old) in sequence.iter().enumerate() {
        position[order.nodes[old as usize] as usize] = k as u32;
    }
    let mut out = Elimination { starts: vec![0], hubs: order.hubs.clone(), ..Default::default() };
    for &old in &sequence {
        let mut later = order.later_of(old as usize).to_vec();
        later.sort_unstable_by_key(|&i| position[i as usize]);
        out.push(order.nodes[old as usize], later);
    }
    out
}

//! Which joints belong to one loop, or to loops that share bodies: the clusters that can hold a direction twice.
//!
//! Bodies, the ground and joints are the nodes of a graph, with an edge from every joint to whatever it touches (a condition on one body alone
//! holds it against the ground). Edges that lie on a common cycle form a biconnected component; components that meet in a joint are one
//! cluster. Forces inside a cluster balance without the rest: what hangs on it by a single joint can neither add to nor take from a
//! dependency among its rows. A body that cannot move everywhere (a planar one) is guided by the ground: for this purpose that is one more joint.

use crate::catalogue::attach::AttachmentKind;
use crate::catalogue::bodies::Body;
use crate::math::Vec3;
use crate::model::{Model, Sets, touched_bodies};
use holonom_tree::independent_rows;

/// The loops of a mechanism.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Loops {
    /// Joints of each cluster, in order.
    pub clusters: Vec<Vec<usize>>,
    /// Independent loops: how many joints (or further ends of joints with several) could be cut without anything coming apart.
    pub count: usize,
}

impl Loops {
    pub fn of(model: &Model) -> Loops {
        let (n_bodies, n_joints) = (model.n_bodies(), model.n_joints());
        // bodies, the ground, joints, guides
        let guided: Vec<usize> = (0..n_bodies)
            .filter(|&i| !reaches_everywhere(model.bodies[i].as_ref(), model.q_of(i, &model.initial.q)))
            .collect();
        let n = n_bodies + 1 + n_joints + guided.len();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (k, joint) in model.joints.iter().enumerate().filter(|(_, j)| j.n_rows > 0) {
            let attachments = joint.constraint.attachments();
            let mut ends = touched_bodies(attachments);
            if ends.len() == 1 || attachments.iter().any(|a| a.body.is_ground()) {
                ends.push(n_bodies as u32);
            }
            edges.extend(ends.iter().map(|&e| (e, (n_bodies + 1 + k) as u32)));
        }
        let n_edges = edges.len();
        for (g, &i) in guided.iter().enumerate() {
            let guide = (n_bodies + 1 + n_joints + g) as u32;
            edges.extend([(i as u32, guide), (n_bodies as u32, guide)]);
        }
        let mut component = biconnected(n, &edges);
        // components that meet in a joint belong together; a component of one edge is a bridge
        let n_components = component.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
        let mut size = vec![0; n_components];
        component.iter().for_each(|&c| size[c as usize] += 1);
        component.truncate(n_edges);
        edges.truncate(n_edges);
        let mut sets = Sets::new(n_components);
        let mut first = vec![u32::MAX; n_joints];
        for (&(_, joint), &c) in edges.iter().zip(&component).filter(|(_, c)| size[**c as usize] > 1) {
            let k = joint as usize - n_bodies - 1;
            if first[k] == u32::MAX {
                first[k] = c;
            } else {
                sets.join(first[k], c);
            }
        }
        let mut clusters: Vec<Vec<usize>> = Vec::new();
        let mut number = vec![u32::MAX; n_components];
        for k in (0..n_joints).filter(|&k| first[k] != u32::MAX) {
            let root = sets.find(first[k]) as usize;
            if number[root] == u32::MAX {
                number[root] = clusters.len() as u32;
                clusters.push(Vec::new());
            }
            clusters[number[root] as usize].push(k);
        }
        // edges - nodes + pieces, over the nodes that have edges
        let mut pieces = Sets::new(n);
        let mut used = vec![false; n];
        for &(a, b) in &edges {
            pieces.join(a, b);
            (used[a as usize], used[b as usize]) = (true, true);
        }
        let roots = (0..n as u32).filter(|&i| used[i as usize] && pieces.find(i) == i).count();
        let nodes = used.iter().filter(|&&u| u).count();
        Loops { clusters, count: edges.len() + roots - nodes }
    }
}

/// Biconnected component of every edge (Hopcroft and Tarjan), without recursion.
fn biconnected(n: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut starts = vec![0u32; n + 1];
    for &(a, b) in edges {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut fill = starts.clone();
    let mut around = vec![0u32; 2 * edges.len()];
    for (e, &(a, b)) in edges.iter().enumerate() {
        for i in [a, b] {
            around[fill[i as usize] as usize] = e as u32;
            fill[i as usize] += 1;
        }
    }
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; edges.len()];
    let (mut depth, mut low, mut next) = (vec![NONE; n], vec![NONE; n], starts.clone());
    let (mut time, mut count) = (0, 0);
    let mut open: Vec<u32> = Vec::new(); // edges not yet in a component
    let mut path: Vec<(u32, u32)> = Vec::new(); // node, edge that led to it
    for root in 0..n as u32 {
        if depth[root as usize] != NONE {
            continue;
        }
        (depth[root as usize], low[root as usize]) = (time, time);
        time += 1;
        path.push((root, NONE));
        while let Some(&(node, via)) = path.last() {
            let i = node as usize;
            if next[i] < starts[i + 1] {
                let e = around[next[i] as usize];
                next[i] += 1;
                let (a, b) = edges[e as usize];
                let other = if a == node { b } else { a } as usize;
                if e == via {
                    continue;
                }
                if depth[other] == NONE {
                    (depth[other], low[other]) = (time, time);
                    time += 1;
                    open.push(e);
                    path.push((other as u32, e));
                } else if depth[other] < depth[i] {
                    open.push(e);
                    low[i] = low[i].min(depth[other]);
                }
                continue;
            }
            path.pop();
            let Some(&(above, _)) = path.last() else { continue };
            let above = above as usize;
            low[above] = low[above].min(low[i]);
            if low[i] >= depth[above] {
                while let Some(e) = open.pop() {
                    component[e as usize] = count;
                    if e == via {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

/// Can a push in any direction move the body's origin? Not that of a planar body: rows on it may vanish in some poses, though not in a
/// generic one, and the planner must not rely on them.
pub(crate) fn reaches_everywhere(body: &dyn Body, q: &[f64]) -> bool {
    let origin = AttachmentKind::Point(Vec3::ZERO);
    let push = |g: Vec3| {
        let mut row = vec![0.0; body.n_dof()];
        body.pull(q, &origin, g, &mut row);
        row
    };
    body.can_carry(&origin).is_ok()
        && independent_rows(&[push(Vec3::X), push(Vec3::Y), push(Vec3::Z)]).iter().all(|&k| k)
}

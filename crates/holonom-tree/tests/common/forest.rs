//! Random forests with a matrix of full rank, described apart from their numbering so that they can be declared in any
//! order.
//!
//! Full rank. Every row of a dual is *owned* by one of the primal nodes it links; the rows owned by one node are orthonormal
//! in that node's columns. A dual's rows owned by its k-th node are zero in the nodes after that one. In a forest the owners
//! then form an order without cycles, in which the rows are block triangular with independent blocks. Afterwards the rows of
//! a dual are mixed among themselves, so that a block that lacks rank does not show it by rows of zeros.

use holonom_tree::{Blocks, Mask, MaskedTransform, Node, Structure, packed};

use super::offsets;
use super::rng::{Rng, norm, remove};

/// One step in growing a forest. Indices into earlier nodes are taken modulo their number, so any list of steps is legal.
#[derive(Clone, Debug)]
pub enum Step {
    /// A primal node alone: a new tree.
    Primal { size: usize },
    /// A dual with dense rows between an earlier primal node and new ones of these sizes. It gets fewer rows when its nodes
    /// have no room for as many.
    Dense { rows: usize, to: usize, fresh: Vec<usize> },
    /// A masked dual between an earlier node of size 6 and a new one.
    Masked { mask: u8, aligned: bool, to: usize, fresh_is_far: bool },
    /// A masked dual with one end, the far or the near one, on an earlier node of size 6; no dual at all when the node has no room for it.
    Hung { mask: u8, aligned: bool, to: usize, is_far: bool },
}

#[derive(Clone, Debug)]
pub enum Item {
    Primal { size: usize, diagonal: Vec<f64> },
    Dense { rows: usize, links: Vec<(usize, Vec<f64>)> },
    Masked { mask: Mask, aligned: bool, near: Option<usize>, far: Option<usize>, transform: MaskedTransform },
}

/// Nodes by position; duals name primal nodes by theirs.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    pub items: Vec<Item>,
}

/// A forest with numbers for its nodes.
pub struct Problem {
    pub structure: Structure,
    pub blocks: Blocks,
    /// Position in the forest -> node.
    pub nodes: Vec<Node>,
}

struct Grower {
    rng: Rng,
    forest: Forest,
    /// Primal nodes: position, size, orthonormal basis of the rows owned.
    primals: Vec<(usize, usize, Vec<Vec<f64>>)>,
}

impl Forest {
    /// Grow a forest, with values from `seed`.
    pub fn grow(steps: &[Step], seed: u64) -> Forest {
        let mut grower = Grower { rng: Rng(seed), forest: Forest::default(), primals: Vec::new() };
        for step in steps {
            match *step {
                Step::Primal { size } => {
                    grower.primal(size);
                }
                Step::Dense { rows, to, ref fresh } => grower.dense(rows, to, fresh),
                Step::Masked { mask, aligned, to, fresh_is_far } => {
                    let old = grower.six(to);
                    let new = grower.primal(6);
                    let (near, far) = if fresh_is_far { (old, new) } else { (new, old) };
                    grower.masked(Mask(mask), aligned, Some(near), Some(far), new);
                }
                Step::Hung { mask, aligned, to, is_far } => {
                    let end = grower.six(to);
                    let (near, far) = if is_far { (None, Some(end)) } else { (Some(end), None) };
                    grower.masked(Mask(mask), aligned, near, far, end);
                }
            }
        }
        grower.forest
    }

    /// Declare the nodes in the order of `order`, except that the ends of a masked dual always come before it.
    pub fn declare(&self, order: &[usize]) -> Problem {
        let mut s = Structure::new();
        let mut nodes: Vec<Option<Node>> = vec![None; self.items.len()];
        let mut transforms = Vec::new();
        fn primal(s: &mut Structure, items: &[Item], nodes: &mut [Option<Node>], i: usize) -> Node {
            let Item::Primal { size, .. } = items[i] else { panic!("item {i} is not primal") };
            *nodes[i].get_or_insert_with(|| s.primal(size))
        }
        for &i in order {
            match &self.items[i] {
                Item::Primal { .. } => {
                    primal(&mut s, &self.items, &mut nodes, i);
                }
                Item::Dense { rows, .. } => nodes[i] = Some(s.dual(*rows)),
                Item::Masked { mask, aligned, near, far, transform } => {
                    let [near, far] =
                        [near, far].map(|end| end.map(|end| primal(&mut s, &self.items, &mut nodes, end)));
                    nodes[i] = Some(s.masked(*mask, *aligned, near, far));
                    transforms.push(*transform);
                }
            }
        }
        let nodes: Vec<Node> = nodes.into_iter().map(|node| node.expect("the order names every item")).collect();
        let mut links = Vec::new();
        for &i in order {
            if let Item::Dense { links: ends, .. } = &self.items[i] {
                links.extend(ends.iter().map(|(primal, values)| (s.link(nodes[i], nodes[*primal]), values)));
            }
        }
        let mut blocks = Blocks::new(&s);
        for (item, &node) in self.items.iter().zip(&nodes) {
            if let Item::Primal { diagonal, .. } = item {
                blocks.diagonal_mut(node).copy_from_slice(diagonal);
            }
        }
        for (link, values) in links {
            blocks.link_mut(link).copy_from_slice(values);
        }
        blocks.transforms.copy_from_slice(&transforms);
        Problem { structure: s, blocks, nodes }
    }

    /// Declared in the order of growth.
    pub fn in_order(&self) -> Problem {
        self.declare(&(0..self.items.len()).collect::<Vec<_>>())
    }
}

impl Problem {
    /// Length of a vector.
    pub fn len(&self) -> usize {
        offsets(&self.structure)[self.structure.n_nodes()]
    }

    /// A vector laid out by node, with the forest's items in their order of growth instead.
    pub fn by_item(&self, x: &[f64]) -> Vec<f64> {
        let offsets = offsets(&self.structure);
        self.nodes.iter().flat_map(|n| x[offsets[n.index()]..offsets[n.index() + 1]].iter().copied()).collect()
    }

    /// The reverse of [`Problem::by_item`].
    pub fn by_node(&self, by_item: &[f64]) -> Vec<f64> {
        let offsets = offsets(&self.structure);
        let mut x = vec![0.0; by_item.len()];
        let mut at = 0;
        for node in &self.nodes {
            let size = self.structure.size(*node);
            x[offsets[node.index()]..][..size].copy_from_slice(&by_item[at..at + size]);
            at += size;
        }
        x
    }
}

impl Grower {
    /// A new primal node; returns its place in `primals`.
    fn primal(&mut self, size: usize) -> usize {
        let mut diagonal = vec![0.0; packed::len(size)];
        self.rng.definite(size, &mut diagonal);
        self.primals.push((self.forest.items.len(), size, Vec::new()));
        self.forest.items.push(Item::Primal { size, diagonal });
        self.primals.len() - 1
    }

    /// An earlier node of size 6, or a new one when there is none.
    fn six(&mut self, to: usize) -> usize {
        let sixes: Vec<usize> = (0..self.primals.len()).filter(|&p| self.primals[p].1 == 6).collect();
        if sixes.is_empty() { self.primal(6) } else { sixes[to % sixes.len()] }
    }

    fn dense(&mut self, rows: usize, to: usize, fresh: &[usize]) {
        let mut ends = vec![if self.primals.is_empty() { self.primal(3) } else { to % self.primals.len() }];
        ends.extend(fresh.iter().map(|&size| self.primal(size)).collect::<Vec<_>>());
        self.rng.shuffle(&mut ends);

        // owners, as places in `ends`: in order, so that the rows are triangular
        let mut room: Vec<usize> = ends.iter().map(|&p| self.primals[p].1 - self.primals[p].2.len()).collect();
        let mut owners = Vec::new();
        for _ in 0..rows {
            let with_room: Vec<usize> = (0..ends.len()).filter(|&e| room[e] > 0).collect();
            if with_room.is_empty() {
                break;
            }
            let owner = with_room[self.rng.below(with_room.len())];
            room[owner] -= 1;
            owners.push(owner);
        }
        owners.sort_unstable();

        let rows = owners.len();
        let mix = self.mixer(rows);
        let mut links = Vec::new();
        for (e, &p) in ends.iter().enumerate() {
            let (position, size, _) = self.primals[p];
            let mut block: Vec<Vec<f64>> = Vec::new();
            let mut basis: Vec<Vec<f64>> = Vec::new();
            for &owner in &owners {
                let row = if owner > e {
                    // not the owner: independent of the rows above where there is room, else a copy of one of them
                    match self.rng.direction(size, &basis) {
                        Some(row) if self.rng.below(4) > 0 => {
                            basis.push(row.clone());
                            row
                        }
                        _ => basis.first().cloned().unwrap_or(vec![0.0; size]),
                    }
                } else if owner == e {
                    let row = self.rng.direction(size, &self.primals[p].2).expect("room was counted");
                    self.primals[p].2.push(row.clone());
                    basis.push(row.clone());
                    row
                } else {
                    vec![0.0; size]
                };
                block.push(row);
            }
            let mixed = (0..rows).flat_map(|i| {
                let mix = &mix[i];
                let block = &block;
                (0..size).map(move |j| (0..rows).map(|k| mix[k] * block[k][j]).sum::<f64>())
            });
            links.push((position, mixed.collect()));
        }
        self.forest.items.push(Item::Dense { rows, links });
    }

    /// A rotation of n rows, stretched a little; or none at all.
    fn mixer(&mut self, n: usize) -> Vec<Vec<f64>> {
        let mut mix: Vec<Vec<f64>> = Vec::new();
        if self.rng.below(4) == 0 {
            return (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
        }
        while let Some(row) = self.rng.direction(n, &mix) {
            mix.push(row);
        }
        for row in &mut mix {
            let stretch = 1.0 + 0.5 * self.rng.unit();
            row.iter_mut().for_each(|v| *v *= stretch);
        }
        mix
    }

    fn masked(&mut self, mask: Mask, aligned: bool, near: Option<usize>, far: Option<usize>, owner: usize) {
        let owned = &self.primals[owner].2;
        // a fresh node always has room; an earlier one may have to be asked a few times, or be full
        for _ in 0..8 {
            let axes = if aligned { super::IDENTITY } else { self.rng.axes() };
            let mut transform = MaskedTransform { axes, near: self.rng.vector(), far: self.rng.vector() };
            let arm = if far == Some(owner) { transform.far } else { transform.near };
            let mut basis = owned.clone();
            let fits = masked_rows(mask, &transform.axes, arm).into_iter().all(|mut row| {
                let length = norm(&row);
                remove(&mut row, &basis);
                let left = norm(&row);
                row.iter_mut().for_each(|v| *v /= left);
                basis.push(row);
                left > 0.1 * length
            });
            if !fits {
                continue;
            }
            if aligned {
                // the axes of an aligned dual are not to be read
                transform.axes = [[f64::NAN; 3]; 3];
            }
            // nor the lever arm of a missing node
            if near.is_none() {
                transform.near = [f64::NAN; 3];
            }
            if far.is_none() {
                transform.far = [f64::NAN; 3];
            }
            self.primals[owner].2 = basis;
            let [near, far] = [near, far].map(|end| end.map(|end| self.primals[end].0));
            self.forest.items.push(Item::Masked { mask, aligned, near, far, transform });
            return;
        }
    }
}

/// The rows `mask^T diag(E, E)^T [1 -[r]; 0 1]`, multiplied out: `[r] y = r x y`.
pub fn masked_rows(mask: Mask, axes: &[[f64; 3]; 3], r: [f64; 3]) -> Vec<Vec<f64>> {
    let minus_r = [[0.0, r[2], -r[1]], [-r[2], 0.0, r[0]], [r[1], -r[0], 0.0]];
    let mut x = [[0.0; 6]; 6];
    for i in 0..3 {
        x[i][i] = 1.0;
        x[3 + i][3 + i] = 1.0;
        x[i][3..].copy_from_slice(&minus_r[i]);
    }
    mask.rows()
        .map(|k| {
            let half = 3 * (k / 3);
            (0..6).map(|j| (0..3).map(|i| axes[k % 3][i] * x[half + i][j]).sum()).collect()
        })
        .collect()
}

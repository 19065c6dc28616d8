//! Broad phase: pairs near enough to be tested, by axis-aligned bounding boxes in the world, in a tree that is built
//! anew for every call.
//!
//! Halving by the middle of the widest axis; two branches are compared only where they overlap. Which pairs come out
//! depends on the bounds alone, not on the tree.

use crate::{Mat3, Vec3};

/// An oriented bounding box of a shape, in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    pub centre: Vec3,
    pub axes: Mat3,
    pub half: Vec3,
}

/// An axis-aligned bounding box in the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aabb {
    pub low: Vec3,
    pub high: Vec3,
}

impl Aabb {
    /// Holds nothing yet.
    pub const EMPTY: Aabb = Aabb { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    pub fn include(&mut self, other: &Aabb) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// The axis along which it is longest.
    pub fn widest(&self) -> usize {
        let width = self.high - self.low;
        if width.x >= width.y && width.x >= width.z {
            0
        } else if width.y >= width.z {
            1
        } else {
            2
        }
    }
}

/// A branch with children `first` and `first + 1`, or a leaf with `count` places from `first` on.
#[derive(Clone, Copy, Debug)]
struct Node {
    extent: Aabb,
    first: u32,
    count: u32,
}

/// Boxes per leaf.
const LEAF: usize = 4;

/// A tree of bounding boxes; its memory is reused.
#[derive(Default)]
pub(crate) struct AabbTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    open: Vec<u32>,
    open_pairs: Vec<(u32, u32)>,
}

impl AabbTree {
    pub fn build(&mut self, extents: &[Aabb]) {
        self.order.clear();
        self.order.extend(0..extents.len() as u32);
        self.nodes.clear();
        self.open.clear();
        if extents.is_empty() {
            return;
        }
        self.nodes.push(Node { extent: Aabb::EMPTY, first: 0, count: extents.len() as u32 });
        self.open.push(0);
        while let Some(k) = self.open.pop() {
            let node = self.nodes[k as usize];
            let (first, count) = (node.first as usize, node.count as usize);
            let members = &mut self.order[first..first + count];
            let (mut extent, mut middles) = (Aabb::EMPTY, Aabb::EMPTY);
            for i in members.iter() {
                let own = &extents[*i as usize];
                extent.include(own);
                let middle = own.low + own.high;
                middles.include(&Aabb { low: middle, high: middle });
            }
            self.nodes[k as usize].extent = extent;
            if count <= LEAF {
                continue;
            }
            let axis = middles.widest();
            let middle = |i: u32| extents[i as usize].low[axis] + extents[i as usize].high[axis];
            let half = count / 2;
            members.select_nth_unstable_by(half, |i, j| middle(*i).total_cmp(&middle(*j)).then(i.cmp(j)));
            let children = self.nodes.len() as u32;
            let child = |first: usize, count: usize| Node { extent, first: first as u32, count: count as u32 };
            self.nodes.push(child(first, half));
            self.nodes.push(child(first + half, count - half));
            self.nodes[k as usize].first = children;
            self.nodes[k as usize].count = 0;
            self.open.extend([children, children + 1]);
        }
    }

    fn members(&self, node: &Node) -> &[u32] {
        &self.order[node.first as usize..(node.first + node.count) as usize]
    }

    /// What overlaps an extent, or is in a leaf with what does; sorted. `stack` is memory.
    pub fn near(&self, extent: &Aabb, stack: &mut Vec<u32>, found: &mut Vec<u32>) {
        found.clear();
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(k) = stack.pop() {
            let node = &self.nodes[k as usize];
            if !node.extent.overlaps(extent) {
                continue;
            }
            if node.count == 0 {
                stack.extend([node.first, node.first + 1]);
            } else {
                found.extend(self.members(node));
            }
        }
        found.sort_unstable();
    }

    /// The least of `square(i)`, the squared distance of a point from what is in extent i: that least value, m^2.
    /// Branches farther away than what has been found are not looked at. `stack` is memory.
    pub fn nearest(&self, point: Vec3, stack: &mut Vec<(f64, u32)>, mut square: impl FnMut(u32) -> f64) -> f64 {
        let away = |k: u32| {
            let extent = &self.nodes[k as usize].extent;
            (point.clamp(extent.low, extent.high) - point).length_squared()
        };
        let mut best = f64::INFINITY;
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push((away(0), 0));
        }
        while let Some((least, k)) = stack.pop() {
            if least >= best {
                continue;
            }
            let node = &self.nodes[k as usize];
            if node.count > 0 {
                best = self.members(node).iter().fold(best, |best, i| best.min(square(*i)));
                continue;
            }
            let (a, b) = ((away(node.first), node.first), (away(node.first + 1), node.first + 1));
            // the nearer one first
            stack.extend(if a.0 <= b.0 { [b, a] } else { [a, b] });
        }
        best
    }

    /// Calls `hit` with what a ray may meet within `most` (m), nearer branches first; it gives how far along the ray it
    /// is met, or infinity, and what is farther is not looked at any more. `direction` has the length 1; `stack` is
    /// memory.
    pub fn along(
        &self,
        origin: Vec3,
        direction: Vec3,
        mut most: f64,
        stack: &mut Vec<(f64, u32)>,
        mut hit: impl FnMut(u32) -> f64,
    ) {
        // where the ray enters the extent; infinite where it does not
        let enters = |k: u32| {
            let extent = &self.nodes[k as usize].extent;
            let (mut from, mut to) = (0.0f64, f64::INFINITY);
            for axis in 0..3 {
                let (o, d) = (origin[axis], direction[axis]);
                let (low, high) = (extent.low[axis] - o, extent.high[axis] - o);
                if d == 0.0 {
                    if low > 0.0 || high < 0.0 {
                        return f64::INFINITY;
                    }
                    continue;
                }
                let (a, b) = (low / d, high / d);
                (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
            }
            // rounding must not lose what is flat
            if from <= to * (1.0 + 1e-12) + 1e-300 { from * (1.0 - 1e-12) } else { f64::INFINITY }
        };
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push((enters(0), 0));
        }
        while let Some((from, k)) = stack.pop() {
            if !(from <= most) || from == f64::INFINITY {
                continue;
            }
            let node = &self.nodes[k as usize];
            if node.count > 0 {
                for i in self.members(node) {
                    most = most.min(hit(*i));
                }
                continue;
            }
            let (a, b) = ((enters(node.first), node.first), (enters(node.first + 1), node.first + 1));
            stack.extend(if a.0 <= b.0 { [b, a] } else { [a, b] });
        }
    }

    /// Calls `near` with every pair of overlapping extents once, in no particular order. The tree must have been built
    /// from them.
    pub fn pairs(&mut self, extents: &[Aabb], mut near: impl FnMut(u32, u32)) {
        let mut open = std::mem::take(&mut self.open_pairs);
        open.clear();
        if !self.nodes.is_empty() {
            open.push((0, 0));
        }
        while let Some((k, l)) = open.pop() {
            let (a, b) = (&self.nodes[k as usize], &self.nodes[l as usize]);
            if k == l {
                if a.count == 0 {
                    open.extend([(a.first, a.first), (a.first + 1, a.first + 1), (a.first, a.first + 1)]);
                    continue;
                }
                let members = self.members(a);
                for (m, i) in members.iter().enumerate() {
                    for j in &members[m + 1..] {
                        if extents[*i as usize].overlaps(&extents[*j as usize]) {
                            near(*i, *j);
                        }
                    }
                }
            } else if !a.extent.overlaps(&b.extent) {
                continue;
            } else if a.count == 0 {
                open.extend([(a.first, l), (a.first + 1, l)]);
            } else if b.count == 0 {
                open.extend([(k, b.first), (k, b.first + 1)]);
            } else {
                for i in self.members(a) {
                    for j in self.members(b) {
                        if extents[*i as usize].overlaps(&extents[*j as usize]) {
                            near(*i, *j);
                        }
                    }
                }
            }
        }
        self.open_pairs = open;
    }
}

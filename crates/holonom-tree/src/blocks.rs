//! The numbers of the matrix, in one flat array per kind of block.

use crate::packed;
use crate::structure::{Kind, Link, LinkId, LinkValue, Node, Structure};
use crate::transform::MaskedTransform;

/// Values of the matrix described by a [`Structure`]: fill them, then [`factor`](crate::Plan::factor).
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Diagonal blocks `[a 1, 0; 0, C]` of size 6, as promised by [`Structure::central`]: a, then C packed.
    pub(crate) central: Vec<[f64; 7]>,
    /// Packed diagonal blocks of the other primal nodes of size 6, which have kernels of their own too.
    pub(crate) six: Vec<[f64; 21]>,
    /// Packed diagonal blocks of all other primal nodes.
    pub(crate) other: Vec<f64>,
    /// Node -> index into `six`, or offset into `other`.
    place: Vec<Place>,
    pub(crate) links: Vec<f64>,
    /// Start and end of each dense link.
    link_ranges: Vec<(u32, u32)>,
    /// One per masked dual.
    pub transforms: Vec<MaskedTransform>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Central(u32),
    Six(u32),
    /// Offset, and the size of the node (not of its packed block: eight bytes must do).
    Other {
        offset: u32,
        size: u16,
    },
    None,
}

impl Blocks {
    /// All zero, sized for the structure.
    pub fn new(structure: &Structure) -> Self {
        let (mut n_central, mut n_six, mut n_other) = (0, 0, 0);
        let place = structure
            .kinds
            .iter()
            .zip(&structure.sizes)
            .zip(&structure.central)
            .map(|((kind, &size), &central)| match (kind, size) {
                (Kind::Primal, 6) if central => {
                    n_central += 1;
                    Place::Central(n_central - 1)
                }
                (Kind::Primal, 6) => {
                    n_six += 1;
                    Place::Six(n_six - 1)
                }
                (Kind::Primal, n) => {
                    let len = packed::len(n as usize) as u32;
                    n_other += len;
                    Place::Other { offset: n_other - len, size: n as u16 }
                }
                _ => Place::None,
            })
            .collect();
        Blocks {
            central: vec![[0.0; 7]; n_central as usize],
            six: vec![[0.0; 21]; n_six as usize],
            other: vec![0.0; n_other as usize],
            place,
            links: vec![0.0; structure.n_dense],
            link_ranges: structure.dense_links.clone(),
            transforms: vec![MaskedTransform::default(); structure.n_transforms],
        }
    }

    /// Take over all numbers of blocks of the same structure.
    pub(crate) fn copy_from(&mut self, other: &Blocks) {
        self.central.copy_from_slice(&other.central);
        self.six.copy_from_slice(&other.six);
        self.other.copy_from_slice(&other.other);
        self.links.copy_from_slice(&other.links);
        self.transforms.copy_from_slice(&other.transforms);
    }

    /// Diagonal block of a primal node, packed (see [`packed`]); the seven numbers `a, C packed` of a node promised to
    /// be [central](Structure::central); empty for a dual.
    #[inline]
    pub fn diagonal_mut(&mut self, node: Node) -> &mut [f64] {
        match self.place[node.index()] {
            Place::Central(i) => &mut self.central[i as usize],
            Place::Six(i) => &mut self.six[i as usize],
            Place::Other { offset, size } => &mut self.other[offset as usize..][..packed::len(size as usize)],
            Place::None => &mut [],
        }
    }

    /// Diagonal block of a primal node, as in [`Blocks::diagonal_mut`].
    pub fn diagonal(&self, node: Node) -> &[f64] {
        match self.place[node.index()] {
            Place::Central(i) => &self.central[i as usize],
            Place::Six(i) => &self.six[i as usize],
            Place::Other { offset, size } => &self.other[offset as usize..][..packed::len(size as usize)],
            Place::None => &[],
        }
    }

    /// The diagonal block of a primal node that is not of size 6, packed.
    #[inline]
    pub(crate) fn packed(&self, node: Node) -> Option<&[f64]> {
        match self.place[node.index()] {
            Place::Other { offset, size } => Some(&self.other[offset as usize..][..packed::len(size as usize)]),
            _ => None,
        }
    }

    /// Entry (i, j) of the diagonal block of a primal node.
    pub fn entry(&self, node: Node, i: usize, j: usize) -> f64 {
        match self.place[node.index()] {
            Place::Central(k) => {
                let d = &self.central[k as usize];
                match (i < 3, j < 3) {
                    (true, true) if i == j => d[0],
                    (false, false) => packed::get(&d[1..], 3, i - 3, j - 3),
                    _ => 0.0,
                }
            }
            Place::Six(k) => packed::get(&self.six[k as usize], 6, i, j),
            Place::Other { size, .. } => packed::get(self.diagonal(node), size as usize, i, j),
            Place::None => 0.0,
        }
    }

    /// The whole diagonal block of a primal node, packed, whatever form it is given in.
    pub fn packed_diagonal(&self, node: Node, size: usize, out: &mut Vec<f64>) {
        out.clear();
        for i in 0..size {
            out.extend((i..size).map(|j| self.entry(node, i, j)));
        }
    }

    /// Index among all blocks of size 6, central ones first; `None` for other nodes.
    pub(crate) fn among_six(&self, node: Node) -> Option<u32> {
        match self.place[node.index()] {
            Place::Central(k) => Some(k),
            Place::Six(k) => Some(self.central.len() as u32 + k),
            _ => None,
        }
    }

    /// Dense link block `J`, dual size x primal size, row by row.
    #[inline]
    pub fn link_mut(&mut self, link: LinkId) -> &mut [f64] {
        let (start, end) = self.link_ranges[link.0 as usize];
        &mut self.links[start as usize..end as usize]
    }

    /// Dense link block `J`.
    pub fn link(&self, link: LinkId) -> &[f64] {
        let (start, end) = self.link_ranges[link.0 as usize];
        &self.links[start as usize..end as usize]
    }

    /// The block of any link, dense or masked, written out as `rows x columns` into `out`.
    pub(crate) fn write_link(&self, structure: &Structure, link: &Link, out: &mut [f64]) {
        match (link.value, structure.kinds[link.dual.index()]) {
            (LinkValue::Dense(start), _) => out.copy_from_slice(&self.links[start as usize..][..out.len()]),
            (end, Kind::Masked { transform, mask, aligned }) => {
                self.transforms[transform as usize].write_rows(mask, aligned, end == LinkValue::Far, out)
            }
            // `Structure` makes near and far links only for masked duals
            _ => out.fill(0.0),
        }
    }

    /// The block of any link; `out` is written to only where it is not at hand.
    #[inline]
    pub(crate) fn any_link<'b>(&'b self, structure: &Structure, link: &Link, out: &'b mut [f64]) -> &'b [f64] {
        if let LinkValue::Dense(start) = link.value {
            return &self.links[start as usize..][..out.len()];
        }
        self.write_link(structure, link, out);
        out
    }

    /// The block of the `index`-th link of the structure (dense or masked) as a dense matrix. For references and
    /// checks.
    pub fn dense_link(&self, structure: &Structure, index: usize, out: &mut Vec<f64>) {
        let link = structure.links[index];
        out.clear();
        out.resize(structure.size(link.dual) * structure.size(link.primal), 0.0);
        self.write_link(structure, &link, out);
    }
}

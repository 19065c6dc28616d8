//! Which rows depend on others, asked of the rows alone.
//!
//! Pivots of duals compare a row with those before it in the metric `D^-1`. Where the blocks of D are graded that
//! metric says little about the rows: a direction in which they differ by much may weigh nothing. *Neutral* blocks
//! weigh every column by what the rows have in it,
//!
//! ```text
//!     own_r = sum_c J_rc^2 / d_c,        d_c = sum_r J_rc^2 / own_r        in turns, from d = 1
//! ```
//!
//! which converges to a scaling in which all rows and all columns are of the same length, whatever the units of either.
//! (The mean over the first three columns, and over the last three, of a block promised to be `[a 1, 0; 0, C]`, which
//! must keep that form.) A column in which all rows have nothing but rounding is scaled by none of them. Pivots
//! relative to own sizes do not depend on the scale of rows, so d is all that is needed.

use crate::blocks::Blocks;
use crate::packed;
use crate::plan::Plan;
use crate::structure::Node;

/// The blocks of a matrix, with neutral ones on the diagonal of some nodes.
#[derive(Clone, Debug)]
pub struct NeutralBlocks {
    blocks: Blocks,
    nodes: Vec<Node>,
    /// Links of these nodes, by their indices in the structure.
    links: Vec<u32>,
    /// Scales of columns and own sizes of rows, by place in a vector.
    column: Vec<f64>,
    own: Vec<f64>,
    /// Squares of the lengths of rows as they are: entries that are rounding against them count as zero.
    length: Vec<f64>,
    link: Vec<f64>,
}

/// Entries below 1e-13 of their rows, as squares.
const ROUNDING: f64 = 1e-26;
/// Rounds of scaling: after three, row and column lengths differ by a factor of about two.
const ROUNDS: usize = 3;

impl Plan {
    /// Room for the blocks of a matrix with neutral ones on the diagonal of the wanted nodes.
    pub fn new_neutral(&self, wanted: impl Fn(Node) -> bool) -> NeutralBlocks {
        let s = &self.structure;
        let primals = (0..s.n_nodes() as u32).map(Node).filter(|&i| !s.is_dual(i) && wanted(i));
        let of_wanted = |l: &u32| wanted(s.links[*l as usize].primal) && s.size(s.links[*l as usize].dual) > 0;
        NeutralBlocks {
            blocks: Blocks::new(s),
            nodes: primals.collect(),
            links: (0..s.links.len() as u32).filter(of_wanted).collect(),
            column: vec![1.0; self.len()],
            own: vec![0.0; self.len()],
            length: vec![0.0; self.len()],
            link: vec![0.0; self.largest_link],
        }
    }

    /// Take over the numbers of a matrix, with neutral blocks where they are wanted. Allocates nothing.
    pub fn neutralise<'n>(&self, blocks: &Blocks, out: &'n mut NeutralBlocks) -> &'n Blocks {
        out.blocks.copy_from(blocks);
        out.column.fill(1.0);
        out.own.fill(0.0);
        out.length.fill(0.0);
        self.scale(blocks, out, |j2, row, _| *row += j2);
        std::mem::swap(&mut out.own, &mut out.length);
        for _ in 0..ROUNDS {
            out.own.fill(0.0);
            self.scale(blocks, out, |j2, row, column| *row += j2 / *column);
            out.nodes.iter().for_each(|&i| out.column[self.offset(i)..][..self.structure.size(i)].fill(0.0));
            self.scale(blocks, out, |j2, row, column| *column += if *row > 0.0 { j2 / *row } else { 0.0 });
            for &node in &out.nodes {
                let columns = &mut out.column[self.offset(node)..][..self.structure.size(node)];
                if self.structure.central[node.index()] {
                    let (first, last) = columns.split_at_mut(3);
                    first.fill((first[0] + first[1] + first[2]) / 3.0);
                    last.fill((last[0] + last[1] + last[2]) / 3.0);
                }
                // a column that no row touches weighs nothing in any of them
                columns.iter_mut().filter(|c| !(**c > 0.0)).for_each(|c| *c = 1.0);
            }
        }
        for &node in &out.nodes {
            let (at, n) = (self.offset(node), self.structure.size(node));
            let block = out.blocks.diagonal_mut(node);
            block.fill(0.0);
            if self.structure.central[node.index()] {
                block[0] = out.column[at];
                (0..3).for_each(|i| block[1 + packed::at(3, i, i)] = out.column[at + 3]);
            } else {
                (0..n).for_each(|i| block[packed::at(n, i, i)] = out.column[at + i]);
            }
        }
        &out.blocks
    }

    /// Visit all entries of the links of the wanted nodes: squares, with the numbers of their rows and columns.
    fn scale(&self, blocks: &Blocks, out: &mut NeutralBlocks, visit: impl Fn(f64, &mut f64, &mut f64)) {
        let NeutralBlocks { links, column, own, length, link: scratch, .. } = out;
        for &l in &*links {
            let link = self.link(l);
            let (rows, columns) = (self.structure.size(link.dual), self.structure.size(link.primal));
            let block = &mut scratch[..rows * columns];
            blocks.write_link(&self.structure, link, block);
            let (dual, primal) = (self.offset(link.dual), self.offset(link.primal));
            for r in 0..rows {
                for c in 0..columns {
                    let j2 = block[r * columns + c].powi(2);
                    if j2 > ROUNDING * length[dual + r] {
                        visit(j2, &mut own[dual + r], &mut column[primal + c]);
                    }
                }
            }
        }
    }
}

impl NeutralBlocks {
    /// The blocks as last taken over.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }
}

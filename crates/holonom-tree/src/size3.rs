//! Fronts about a primal node of size 3: none, one or two duals of size 2 deferred to it, and a dual of size 2 above.
//!
//! The same operations as for any front ([`crate::factor`], [`crate::solve`]), in the same order, with all sizes known
//! to the compiler: such blocks are so small that loops over their sizes cost more than what is done in them.

use crate::blocks::Blocks;
use crate::factor::{Factor, Singular};
use crate::packed;
use crate::plan::{Front, Plan, Store, Up};
use crate::solve::{eliminate_from_parent, substitute_parent};
use crate::structure::LinkValue;

/// A front of this form: where it and what is above it are stored, and its dense link.
#[derive(Clone, Copy)]
pub(crate) struct Size3 {
    at: u32,
    up: Up,
    up_at: u32,
    link: u32,
}

impl Plan {
    /// The front as one of this form, if it is.
    #[inline(always)]
    pub(crate) fn size3(&self, front: &Front) -> Option<Size3> {
        let (3 | 5 | 7, 3, Store::Arena(at), Some(up)) = (front.n, front.n_primal, front.store, front.up) else {
            return None;
        };
        let (2, 0, Store::Arena(up_at)) = (up.size, up.top, up.store) else { return None };
        let members = self.members_of(front.members);
        match self.link(up.link).value {
            LinkValue::Dense(link) if members[1..].iter().all(|m| m.size == 2) => Some(Size3 { at, up, up_at, link }),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) fn factor_size3(
        &self,
        small: &Size3,
        front: &Front,
        blocks: &Blocks,
        factor: &mut Factor,
    ) -> Result<(), Singular> {
        let eliminated = match front.n {
            3 => eliminate::<3, 6>(small, front, blocks, factor),
            5 => eliminate::<5, 15>(small, front, blocks, factor),
            _ => eliminate::<7, 28>(small, front, blocks, factor),
        };
        eliminated
            .map_err(|k| self.at_fault(front, k, factor.arena[small.at as usize + packed::at(front.n as usize, k, k)]))
    }

    #[inline(always)]
    pub(crate) fn forward_size3(&self, small: &Size3, front: &Front, factor: &Factor, x: &mut [f64]) {
        match front.n {
            3 => self.forward_small::<3>(small, front, factor, x),
            5 => self.forward_small::<5>(small, front, factor, x),
            _ => self.forward_small::<7>(small, front, factor, x),
        }
    }

    #[inline(always)]
    pub(crate) fn backward_size3(&self, small: &Size3, front: &Front, factor: &Factor, x: &mut [f64]) {
        match front.n {
            3 => self.backward_small::<3>(small, front, factor, x),
            5 => self.backward_small::<5>(small, front, factor, x),
            _ => self.backward_small::<7>(small, front, factor, x),
        }
    }

    #[inline(always)]
    fn forward_small<const N: usize>(&self, small: &Size3, front: &Front, factor: &Factor, x: &mut [f64]) {
        let matrix = &factor.arena[small.at as usize..][..packed::len(N)];
        let mut z = self.read::<N>(front, x);
        packed::solve_lower_any(matrix, N, &mut z, 1);
        self.write(front, &z, x);
        eliminate_from_parent(
            matrix,
            &factor.y[front.y as usize..][..2 * N],
            &z,
            &mut x[small.up.x as usize..][..2],
            N,
            2,
        );
    }

    #[inline(always)]
    fn backward_small<const N: usize>(&self, small: &Size3, front: &Front, factor: &Factor, x: &mut [f64]) {
        let matrix = &factor.arena[small.at as usize..][..packed::len(N)];
        let mut z = self.read::<N>(front, x);
        substitute_parent(matrix, &factor.y[front.y as usize..][..2 * N], &mut z, &x[small.up.x as usize..][..2], N, 2);
        packed::solve_upper_any(matrix, N, &mut z);
        self.write(front, &z, x);
    }

    /// The entries of a vector that belong to a front; its members stand in it one after the other.
    #[inline(always)]
    fn read<const N: usize>(&self, front: &Front, x: &[f64]) -> [f64; N] {
        let members = &self.members[front.members.0 as usize..][..1 + (N - 3) / 2];
        let mut z = [0.0; N];
        z[..3].copy_from_slice(&x[members[0].x as usize..][..3]);
        for (k, m) in members[1..].iter().enumerate() {
            z[3 + 2 * k..5 + 2 * k].copy_from_slice(&x[m.x as usize..][..2]);
        }
        z
    }

    #[inline(always)]
    fn write<const N: usize>(&self, front: &Front, z: &[f64; N], x: &mut [f64]) {
        let members = &self.members[front.members.0 as usize..][..1 + (N - 3) / 2];
        x[members[0].x as usize..][..3].copy_from_slice(&z[..3]);
        for (k, m) in members[1..].iter().enumerate() {
            x[m.x as usize..][..2].copy_from_slice(&z[3 + 2 * k..5 + 2 * k]);
        }
    }
}

/// `L` is the number of entries of a packed matrix of size `N`.
#[inline(always)]
fn eliminate<const N: usize, const L: usize>(
    small: &Size3,
    front: &Front,
    blocks: &Blocks,
    factor: &mut Factor,
) -> Result<(), usize> {
    // what is above is stored elsewhere: a front is not its own parent
    let mut m = [0.0; L];
    m.copy_from_slice(&factor.arena[small.at as usize..][..L]);
    let eliminated = packed::factor_any(&mut m, N, |k| k < 3);
    factor.arena[small.at as usize..][..L].copy_from_slice(&m);
    eliminated?;
    let [a, b, c, d, e, f] = blocks.links[small.link as usize..][..6] else { return Ok(()) };
    let mut y = [[0.0; 2]; N];
    (y[0], y[1], y[2]) = ([-a, -d], [-b, -e], [-c, -f]);
    for k in 0..N {
        let row = packed::at(N, k, k);
        for i in k + 1..N {
            let l = m[row + i - k];
            y[i] = [y[i][0] - l * y[k][0], y[i][1] - l * y[k][1]];
        }
    }
    factor.y[front.y as usize..][..2 * N].as_chunks_mut::<2>().0.copy_from_slice(&y);
    let (size, at) = (small.up.n as usize, small.up.at as usize);
    let target = &mut factor.arena[small.up_at as usize..][..packed::len(size)];
    let (first, last) = (packed::at(size, at, at), packed::at(size, at + 1, at + 1));
    let mut t = [target[first], target[first + 1], target[last]];
    for k in 0..N {
        let inverse = m[packed::at(N, k, k)];
        let l = [y[k][0] * inverse, y[k][1] * inverse];
        t = [t[0] - l[0] * y[k][0], t[1] - l[0] * y[k][1], t[2] - l[1] * y[k][1]];
    }
    (target[first], target[first + 1], target[last]) = (t[0], t[1], t[2]);
    Ok(())
}

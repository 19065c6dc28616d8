//! Parametric surfaces, and a table that finds the nearest of their points.
//!
//! Nearest point. The patch is cut into cells, each inside a sphere found by sampling it; a tree of spheres leads to
//! the cells that can hold the point nearest to p. From the middle of a cell f = |r - p|^2 / 2 is minimised:
//!
//! ```text
//! d = r - p      f_u = d . r_u      f_uu = r_u . r_u + d . r_uu      f_uv = r_u . r_v + d . r_uv      and so on
//! ```
//!
//! by Newton's method, with r_i . r_j in place of the Hessian where that is not positive definite, and steps halved
//! until f decreases; to rounding. There is no memory: (u, v) depends on p alone, and jumps where two points are
//! equally near.
//!
//! Edges. Where a direction is not closed the patch goes on straight: with u, v the nearest parameters of the domain
//! and du, dv what is beyond,
//!
//! ```text
//! r(u + du, v + dv) = r + r_u du + r_v dv + r_uv du dv
//! ```
//!
//! which has continuous first derivatives across the edge. Third derivatives are not given beyond it (zero).

use super::spheres::Spheres;
use super::{Patch, PatchJet};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::Vec3;
use std::sync::Arc;

/// A patch given by a function of (u, v).
pub struct UserPatch {
    at: Box<dyn Fn(f64, f64) -> PatchJet + Send + Sync>,
    domain: [(f64, f64); 2],
    closed: [bool; 2],
}

impl UserPatch {
    /// Over `u` and `v`, each from its first to its last value, closed along neither.
    pub fn new(u: (f64, f64), v: (f64, f64), at: impl Fn(f64, f64) -> PatchJet + Send + Sync + 'static) -> Self {
        UserPatch { at: Box::new(at), domain: [u, v], closed: [false; 2] }
    }

    /// The same, closed along u, along v.
    pub fn closed(self, u: bool, v: bool) -> Self {
        UserPatch { closed: [u, v], ..self }
    }
}

impl Patch for UserPatch {
    fn domain(&self) -> [(f64, f64); 2] {
        self.domain
    }
    fn closed(&self) -> [bool; 2] {
        self.closed
    }
    fn at(&self, u: f64, v: f64) -> PatchJet {
        (self.at)(u, v)
    }
}

/// Cells of every piece between two breaks, and along a whole direction at least.
const CELLS: usize = 2;
const LEAST_CELLS: usize = 8;

/// A patch with what is needed to find the nearest of its points. Cheap to clone.
#[derive(Clone)]
pub struct Sheet {
    patch: Arc<dyn Patch>,
    table: Arc<Table>,
}

#[derive(Default)]
struct Table {
    /// Middles of the cells, in the order of the tree.
    starts: Vec<[f64; 2]>,
    spheres: Spheres,
    fault: Option<Invalid>,
}

impl Sheet {
    /// Make the table of a patch. One that cannot be used is reported by [`Sheet::validate`].
    pub fn new(patch: impl Patch + 'static) -> Self {
        Self::shared(Arc::new(patch))
    }

    /// The same for a patch that others share.
    pub fn shared(patch: Arc<dyn Patch>) -> Self {
        let table = Table::of(patch.as_ref());
        Sheet { patch, table: Arc::new(table.unwrap_or_else(|e| Table { fault: Some(e), ..Table::default() })) }
    }

    /// The patch itself.
    pub fn patch(&self) -> &dyn Patch {
        self.patch.as_ref()
    }

    /// Is the patch usable?
    pub fn validate(&self) -> Result<(), Invalid> {
        self.table.fault.clone().map_or(Ok(()), Err)
    }

    /// r with its derivatives at any `(u, v)`: closed directions go round, the others go on straight.
    pub fn at(&self, u: f64, v: f64) -> PatchJet {
        let (domain, closed) = (self.patch.domain(), self.patch.closed());
        let mut inside = [u, v];
        let mut beyond = [0.0; 2];
        for k in 0..2 {
            let (from, to) = domain[k];
            let x = inside[k];
            if !(x >= from && x <= to) {
                if closed[k] {
                    inside[k] = x - (to - from) * libm::floor((x - from) / (to - from));
                }
                inside[k] = inside[k].clamp(from, to);
                beyond[k] = if closed[k] { 0.0 } else { x - inside[k] };
            }
        }
        let j = self.patch.at(inside[0], inside[1]);
        let [du, dv] = beyond;
        if du == 0.0 && dv == 0.0 {
            return j;
        }
        PatchJet {
            r: j.r + j.u * du + j.v * dv + j.uv * (du * dv),
            u: j.u + j.uv * dv,
            v: j.v + j.uv * du,
            uu: if du == 0.0 { j.uu + j.uuv * dv } else { Vec3::ZERO },
            uv: j.uv,
            vv: if dv == 0.0 { j.vv + j.uvv * du } else { Vec3::ZERO },
            ..PatchJet::default()
        }
    }

    /// Parameters of the point nearest to `p`, on the patch or its continuation; closed directions inside their domain.
    pub fn nearest(&self, p: Vec3) -> [f64; 2] {
        let (mut best, mut found) = (f64::INFINITY, [f64::NAN; 2]);
        self.table.spheres.search(p, best, |i| {
            let (at, d) = self.descend(p, self.table.starts[i]);
            if d < best {
                (best, found) = (d, at);
            }
            d
        });
        found
    }

    /// Newton's method from a start; where it ends and how far from `p` that is.
    fn descend(&self, p: Vec3, start: [f64; 2]) -> ([f64; 2], f64) {
        let domain = self.patch.domain();
        let width = domain.map(|(from, to)| to - from);
        let [mut u, mut v] = start;
        let mut j = self.at(u, v);
        for _ in 0..60 {
            let d = j.r - p;
            let (fu, fv) = (d.dot(j.u), d.dot(j.v));
            let (uu, uv, vv) = (j.u.length_squared(), j.u.dot(j.v), j.v.length_squared());
            let (mut a, mut b, mut c) = (uu + d.dot(j.uu), uv + d.dot(j.uv), vv + d.dot(j.vv));
            if !(a > 1e-3 * uu && a * c - b * b > 1e-3 * (uu * vv - uv * uv)) {
                (a, b, c) = (uu, uv, vv);
            }
            let det = a * c - b * b;
            let (mut du, mut dv) = ((b * fv - c * fu) / det, (b * fu - a * fv) / det);
            let size = (du.abs() / width[0]).max(dv.abs() / width[1]);
            if !size.is_finite() {
                break;
            }
            if size > 0.25 {
                (du, dv) = (du * (0.25 / size), dv * (0.25 / size));
            }
            let here = d.length_squared();
            let slope = fu * du + fv * dv;
            let mut next = self.at(u + du, v + dv);
            // so close that f no longer shows the decrease: take the step as it is
            if size > 1e-7 {
                for _ in 0..40 {
                    if (next.r - p).length_squared() <= here + 0.2 * slope {
                        break;
                    }
                    (du, dv) = (0.5 * du, 0.5 * dv);
                    next = self.at(u + du, v + dv);
                }
            }
            (u, v, j) = (u + du, v + dv, next);
            if size <= 4.0 * f64::EPSILON {
                break;
            }
        }
        let mut at = [u, v];
        for k in 0..2 {
            let (from, to) = domain[k];
            if self.patch.closed()[k] && !(at[k] >= from && at[k] <= to) {
                at[k] = (at[k] - width[k] * libm::floor((at[k] - from) / width[k])).clamp(from, to);
            }
        }
        (at, (j.r - p).length())
    }
}

/// Ends of the cells along one direction.
fn cuts(patch: &dyn Patch, direction: usize) -> Vec<f64> {
    let (from, to) = patch.domain()[direction];
    let mut pieces = vec![from];
    pieces.extend_from_slice(patch.breaks(direction));
    pieces.push(to);
    let per_piece = CELLS.max(LEAST_CELLS.div_ceil(pieces.len() - 1));
    let mut out = vec![from];
    for piece in pieces.windows(2) {
        out.extend((1..=per_piece).map(|i| piece[0] + (piece[1] - piece[0]) * (i as f64 / per_piece as f64)));
    }
    out
}

impl Table {
    fn of(patch: &dyn Patch) -> Result<Table, Invalid> {
        patch.validate()?;
        for (k, (from, to)) in patch.domain().into_iter().enumerate() {
            if !(from.is_finite() && to.is_finite() && from < to) {
                let name = ["u", "v"][k];
                return refuse!("", "{name} runs from {from} to {to}, must be finite and increase");
            }
        }
        let (us, vs) = (cuts(patch, 0), cuts(patch, 1));
        // neighbours in both directions stay near each other when the bits of both numbers alternate
        let spread = |x: usize| (0..24).fold(0u64, |sum, bit| sum | ((x as u64 >> bit & 1) << (2 * bit)));
        let cells = (0..us.len() - 1).flat_map(|i| (0..vs.len() - 1).map(move |j| (i, j)));
        let mut order: Vec<(u64, usize, usize)> = cells.map(|(i, j)| (spread(i) | spread(j) << 1, i, j)).collect();
        order.sort_unstable();
        let (mut starts, mut leaves) = (vec![], vec![]);
        for (_, i, j) in order {
            let (u, v) = (0.5 * (us[i] + us[i + 1]), 0.5 * (vs[j] + vs[j + 1]));
            let middle = patch.at(u, v);
            let normal = middle.u.cross(middle.v);
            if !(middle.r.is_finite() && normal.is_finite() && normal.length() > 0.0) {
                return refuse!(
                    "points",
                    "patch is {} m with normal {normal} at ({u}, {v}), must be regular",
                    middle.r
                );
            }
            let at = |a: f64, b: f64, k: usize| a + (b - a) * (k as f64 / 4.0);
            let radius = (0..25)
                .map(|k| patch.at(at(us[i], us[i + 1], k % 5), at(vs[j], vs[j + 1], k / 5)).r)
                .fold(0.0, |radius: f64, r| radius.max((r - middle.r).length()));
            starts.push([u, v]);
            leaves.push((middle.r, 1.1 * radius));
        }
        for k in (0..2).filter(|&k| patch.closed()[k]) {
            let (from, to) = patch.domain()[k];
            let size = leaves.iter().fold(0.0, |size: f64, (r, _)| size.max((*r - leaves[0].0).length()));
            for at in &[&vs, &us][k][..] {
                let edge = |x: f64| if k == 0 { patch.at(x, *at) } else { patch.at(*at, x) };
                let (a, b) = (edge(from), edge(to));
                let name = ["u", "v"][k];
                if (a.r - b.r).length() > 1e-9 * size {
                    return refuse!("", "closed along {name}, but {} m does not meet {} m, must meet", b.r, a.r);
                }
                if (a.normal() - b.normal()).length() > 1e-9 {
                    return refuse!("", "closed along {name}, but the normal jumps at {} m, must not jump", a.r);
                }
            }
        }
        Ok(Table { starts, spheres: Spheres::new(&leaves), fault: None })
    }
}

//! Rows: what a constraint writes, and the small conditions that joints are made of.

use super::{Attached, View};
use crate::math::Vec3;

/// One row of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// C.
    pub gap: f64,
    /// C_t.
    pub rate_t: f64,
    /// The part of d²C/dt² that is quadratic in the attachments' rates, plus 2 C_qt v + C_tt.
    pub curvature: f64,
}

/// Where a constraint writes its rows.
pub struct Rows<'w> {
    pub(crate) rows: &'w mut [Row],
    /// `rows x attachments`.
    pub(crate) gradients: &'w mut [Vec3],
    /// Force directions, where they differ from the gradients; same shape, or empty.
    pub(crate) forces: &'w mut [Vec3],
    pub(crate) n_attachments: usize,
    /// Where only gaps and their rates are wanted.
    pub(crate) gaps: Option<GapSums<'w>>,
}

/// Rates of gaps and their noise, summed up by the parts of a joint on the spot: no gradients are written down and
/// multiplied out again. What says its gradients itself still writes them.
pub(crate) struct GapSums<'w> {
    /// Sum of g . rate over the attachments of each row, and of |g| times the size and the speed of what each is made
    /// of.
    pub sums: &'w mut [[f64; 3]],
    /// Size and speed of every attachment; empty where nobody asks for noise.
    pub sizes: &'w [(f64, f64)],
    /// Were gradients written down too? They start at zero only then.
    pub written: bool,
}

impl GapSums<'_> {
    #[inline(always)]
    fn add(&mut self, i: usize, g: Vec3, (k, a): (usize, Attached)) {
        let sum = &mut self.sums[i];
        sum[0] += g.dot(a.rate);
        if let Some((size, speed)) = self.sizes.get(k) {
            let length = g.length() * f64::EPSILON;
            sum[1] += length * size;
            sum[2] += length * speed;
        }
    }
}

impl Rows<'_> {
    /// Row `i`.
    #[inline(always)]
    pub fn row(&mut self, i: usize) -> &mut Row {
        &mut self.rows[i]
    }

    /// dC_i/d(attachment k).
    #[inline(always)]
    pub fn gradient(&mut self, i: usize, k: usize, g: Vec3) {
        if let Some(gaps) = &mut self.gaps
            && !gaps.written
        {
            gaps.written = true;
            self.gradients.fill(Vec3::ZERO);
        }
        self.gradients[i * self.n_attachments + k] += g;
    }

    /// Push direction of row `i` on attachment `k`, for constraints with `own_force_direction`.
    pub fn force(&mut self, i: usize, k: usize, h: Vec3) {
        if let Some(slot) = self.forces.get_mut(i * self.n_attachments + k) {
            *slot += h;
        }
    }

    // ---- parts: small conditions that joints are made of -------------------------------------------------------

    /// Rows i, i+1, i+2: point `b` on point `a`, along the world axes.  C = p_b - p_a.
    pub fn coincide(&mut self, i: usize, a: (usize, Attached), b: (usize, Attached)) {
        for (j, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            self.row(i + j).gap = (b.1.at - a.1.at)[j];
            if let Some(gaps) = &mut self.gaps {
                gaps.add(i + j, -e, a);
                gaps.add(i + j, e, b);
                continue;
            }
            self.gradient(i + j, a.0, -e);
            self.gradient(i + j, b.0, e);
        }
    }

    /// Row i: no offset along the carried direction `e`.  C = e . (p_b - p_a),  curvature 2 edot . (pdot_b - pdot_a).
    pub fn along(&mut self, i: usize, e: (usize, Attached), a: (usize, Attached), b: (usize, Attached)) {
        let d = b.1.at - a.1.at;
        self.row(i).gap = e.1.at.dot(d);
        if let Some(gaps) = &mut self.gaps {
            gaps.add(i, -e.1.at, a);
            gaps.add(i, e.1.at, b);
            gaps.add(i, d, e);
            return;
        }
        self.row(i).curvature = 2.0 * e.1.rate.dot(b.1.rate - a.1.rate);
        self.gradient(i, e.0, d);
        self.gradient(i, b.0, e.1.at);
        self.gradient(i, a.0, -e.1.at);
    }

    /// Row i: carried directions perpendicular.  C = s d . e,  curvature 2 s ddot . edot.
    pub fn perpendicular(&mut self, i: usize, s: f64, d: (usize, Attached), e: (usize, Attached)) {
        self.row(i).gap = s * d.1.at.dot(e.1.at);
        if let Some(gaps) = &mut self.gaps {
            gaps.add(i, s * e.1.at, d);
            gaps.add(i, s * d.1.at, e);
            return;
        }
        self.row(i).curvature = 2.0 * s * d.1.rate.dot(e.1.rate);
        self.gradient(i, d.0, s * e.1.at);
        self.gradient(i, e.0, s * d.1.at);
    }

    /// Rows i, i+1: axis z_b along the third axis of a, of which x and y are given. C = (- y_a . z_b, x_a . z_b): small
    /// turns about x_a, y_a.
    pub fn parallel(&mut self, i: usize, [x, y]: [(usize, Attached); 2], z_b: (usize, Attached)) {
        self.perpendicular(i, -1.0, y, z_b);
        self.perpendicular(i + 1, 1.0, x, z_b);
    }

    /// Rows i, i+1, i+2: axes (x, y, z) of b along those of a. C = (z_a . y_b, x_a . z_b, y_a . x_b): small turns about
    /// x_a, y_a, z_a.
    pub fn same_axes(&mut self, i: usize, a: [(usize, Attached); 3], b: [(usize, Attached); 3]) {
        self.perpendicular(i, 1.0, a[2], b[1]);
        self.perpendicular(i + 1, 1.0, a[0], b[2]);
        self.perpendicular(i + 2, 1.0, a[1], b[0]);
    }
}

/// Attachment `k` with its number, as the parts want it.
#[inline(always)]
pub(crate) fn numbered(a: &View, k: usize) -> (usize, Attached) {
    (k, a.get(k))
}

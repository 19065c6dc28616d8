//! What tension does to bodies that turn within a step: geometric stiffness.
//!
//! A force f that a joint exerts on a body at the arm r makes the torque r × f. As the body turns by θ, so does the
//! arm:
//!
//! ```text
//! d(r × f) = (θ × r) × f = r (f . θ) - θ (r . f)        so the torque falls by K θ,   K = sum over joints of (r . f) 1 - (r fᵀ + f rᵀ)/2
//! ```
//!
//! For a link between two joints under the tension T, K is T times its length, across. A light link under a heavy load
//! swings at sqrt(K / I), often much faster than a step can follow; a step with the torque at its start would throw it
//! about. Taken at the end of the step instead, θ = h w1,
//!
//! ```text
//! (I + h² K)(w1 - w0) = h (torque - h K w0)
//! ```
//!
//! the link comes to rest in the direction of its load, however long the step (Tournier et al. 2015; the rest of the
//! step is linear in v1 already). Only what K holds back counts (its positive part: a strut under pressure is left
//! alone), and only where h² K exceeds I: slower motion is followed better without it. The mass block stays symmetric
//! and keeps its form, so the elimination does not notice.

use crate::contact::inequality::workspace::Workspace;
use crate::math::{Mat3, Vec3, symmetric_eigen};
use crate::model::{Form, Model};
use holonom_tree::{Node, packed};

/// `h² K` of every body; zero where it does not matter.
#[derive(Default)]
pub(crate) struct Tension {
    k: Vec<Mat3>,
    any: bool,
}

/// `(r . p) 1 - (r pᵀ + p rᵀ)/2`
fn held(r: Vec3, p: Vec3) -> Mat3 {
    let outer = Mat3::from_cols(r * p.x, r * p.y, r * p.z);
    Mat3::from_diagonal(Vec3::splat(r.dot(p))) - (outer + outer.transpose()) * 0.5
}

impl Tension {
    /// Add `h² K` to the mass blocks and `- h K w` to the forces, K from the impulses of the joints. Did it matter to
    /// any body?
    pub fn stiffen(&mut self, model: &Model, h: f64, impulses: &[f64], work: &mut Workspace) -> bool {
        self.k.clear();
        self.k.resize(model.n_bodies(), Mat3::ZERO);
        for joint in &model.joints {
            let Form::Lock { transform, mask, .. } = &joint.form else { continue };
            let s = &work.eval.blocks.transforms[*transform as usize];
            let rows = mask.rows().zip(&impulses[joint.row as usize..][..joint.n_rows as usize]);
            let p = rows.filter(|(i, _)| *i < 3).fold(Vec3::ZERO, |p, (i, x)| p + Vec3::from(s.axes[i]) * *x);
            let at = joint.constraint.attachments();
            for (body, arm, p) in [(at[0].body, s.near, -p), (at[1].body, s.far, p)] {
                if let Some(i) = body.index() {
                    self.k[i] += held(Vec3::from(arm), p) * h;
                }
            }
        }
        self.any = false;
        for i in 0..model.n_bodies() {
            self.k[i] = match model.bodies[i].central() {
                true => positive_part(&self.k[i], moments(work.eval.blocks.diagonal_mut(Node(i as u32)))),
                false => Mat3::ZERO,
            };
            if self.k[i] != Mat3::ZERO {
                self.any = true;
                let torque = self.k[i] * work.eval.frames[i].w / h;
                let v = model.v_start[i] as usize + 3;
                (0..3).for_each(|j| work.eval.force[v + j] -= torque[j]);
            }
        }
        self.add(work);
        self.any
    }

    /// No stiffness.
    pub fn clear(&mut self) {
        self.k.clear();
        self.any = false;
    }

    /// `a . h² K b` for velocity coordinates a and b.
    pub fn product(&self, model: &Model, a: &[f64], b: &[f64]) -> f64 {
        let spin = |x: &[f64], i: usize| {
            let v = model.v_start[i] as usize + 3;
            Vec3::from_slice(&x[v..v + 3])
        };
        let held = self.k.iter().enumerate().filter(|(_, k)| **k != Mat3::ZERO);
        held.map(|(i, k)| spin(a, i).dot(*k * spin(b, i))).sum()
    }

    /// Does it matter to any body?
    pub fn matters(&self) -> bool {
        self.any
    }

    /// Add `h² K` to the mass blocks. Positions that are corrected by what then moves most easily leave taut links
    /// where they point: with the bare masses a light link would rather turn across by a lot than let its load move
    /// along by a little.
    pub fn add(&self, work: &mut Workspace) {
        for (i, k) in self.k.iter().enumerate().filter(|(_, k)| **k != Mat3::ZERO) {
            let mass = work.eval.blocks.diagonal_mut(Node(i as u32));
            for row in 0..3 {
                for column in row..3 {
                    mass[1 + packed::at(3, row, column)] += k.col(column)[row];
                }
            }
        }
    }
}

/// Sum of the moments of inertia in the mass block of a central body.
fn moments(mass: &[f64]) -> f64 {
    (0..3).map(|k| mass[1 + packed::at(3, k, k)]).sum()
}

/// What of `k` holds back; zero where that is less than the inertia.
fn positive_part(k: &Mat3, inertia: f64) -> Mat3 {
    // no eigenvalue is larger than three times the largest entry
    let largest = k.to_cols_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if !(9.0 * largest > inertia) {
        return Mat3::ZERO;
    }
    let (axes, values) = symmetric_eigen(k);
    let mut out = Mat3::ZERO;
    for (j, value) in values.into_iter().enumerate().filter(|(_, value)| *value > 0.0) {
        let e = axes.col(j);
        out += Mat3::from_cols(e * e.x, e * e.y, e * e.z) * value;
    }
    if out.x_axis.x + out.y_axis.y + out.z_axis.z > inertia { out } else { Mat3::ZERO }
}

//! A body that deforms homogeneously: every point moves as x = c + A X.
//!
//! ```text
//! q = (c, A_1, A_2, A_3)   centre of mass and the columns of A, world axes (12);   v = qdot
//! T = 1/2 m |cdot|^2 + 1/2 sum_kl S_kl Adot_k . Adot_l      S = integral of X X^T dm, the second moments (kg m^2)
//! M = diag(m 1, S (x) 1): constant, so there are no inertial forces
//! point X:      at = c + sum_k X_k A_k,   J = (1, X_1 1, X_2 1, X_3 1),   jdot_v = 0
//! direction D:  at = sum_k D_k A_k: turns and stretches with the body
//! ```
//!
//! It has no single angular velocity, so it carries no spin.

use super::{Body, Inertia, Momentum, finite, positive};
use crate::attach::{Attached, Carried, Frame, read3, write3};
use crate::math::{Mat3, Vec3};
use holonom_tree::packed;

/// A homogeneously deforming body with twelve degrees of freedom.
#[derive(Clone, Debug)]
pub struct Affine {
    mass: f64,
    second: Mat3,
    centre: Vec3,
    position: Vec3,
    shape: Mat3,
    velocity: Vec3,
    shape_rate: Mat3,
}

impl Affine {
    /// Mass (kg) and second moments of mass about the centre of mass, `integral X X^T dm`, in body axes (kg m^2).
    pub fn new(mass: f64, second_moments: Mat3) -> Self {
        Affine {
            mass,
            second: second_moments,
            centre: Vec3::ZERO,
            position: Vec3::ZERO,
            shape: Mat3::IDENTITY,
            velocity: Vec3::ZERO,
            shape_rate: Mat3::ZERO,
        }
    }

    /// A uniform box with full side lengths `size`, origin at its centre.
    pub fn cuboid(mass: f64, size: impl Into<Vec3>) -> Self {
        let s = size.into();
        Self::new(mass, Mat3::from_diagonal(s * s * (mass / 12.0)))
    }

    /// Centre of mass, from the body's origin in body coordinates (m).
    pub fn centre(self, centre: impl Into<Vec3>) -> Self {
        Affine { centre: centre.into(), ..self }
    }

    /// Start position of the body's origin (m) and start value of A (a rotation, a stretch, or both).
    pub fn pose(self, position: impl Into<Vec3>, shape: Mat3) -> Self {
        Affine { position: position.into(), shape, ..self }
    }

    /// Start velocity of the body's origin (m/s) and rate of A (1/s).
    pub fn velocity(self, velocity: impl Into<Vec3>, shape_rate: Mat3) -> Self {
        Affine { velocity: velocity.into(), shape_rate, ..self }
    }

    /// Weights of (c, A_1, A_2, A_3) in what is carried.
    fn weights(&self, what: &Carried) -> [f64; 4] {
        match what {
            Carried::Point(p) => {
                let x = *p - self.centre;
                [1.0, x.x, x.y, x.z]
            }
            Carried::Direction(d) => [0.0, d.x, d.y, d.z],
            Carried::Spin => [0.0; 4],
        }
    }
}

fn combine(weights: &[f64; 4], x: &[f64]) -> Vec3 {
    (0..4).map(|k| read3(&x[3 * k..]) * weights[k]).sum()
}

impl Body for Affine {
    fn kind(&self) -> &'static str {
        "affine body"
    }
    fn n_q(&self) -> usize {
        12
    }
    fn n_dof(&self) -> usize {
        12
    }
    fn mass(&self) -> f64 {
        self.mass
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        write3(q, self.position + self.shape * self.centre);
        write3(v, self.velocity + self.shape_rate * self.centre);
        q[3..].copy_from_slice(&self.shape.to_cols_array());
        v[3..].copy_from_slice(&self.shape_rate.to_cols_array());
    }
    fn validate(&self) -> Result<(), String> {
        positive("mass", self.mass, "kg")?;
        finite("centre", self.centre)?;
        finite("position", self.position)?;
        finite("velocity", self.velocity)?;
        if !self.shape.is_finite() || !self.shape_rate.is_finite() || self.shape.determinant() <= 0.0 {
            return Err("the start shape A must be finite with a positive determinant".into());
        }
        let s = &self.second;
        let size = s.x_axis.x.abs() + s.y_axis.y.abs() + s.z_axis.z.abs();
        let off = [("xy", s.y_axis.x, s.x_axis.y), ("xz", s.z_axis.x, s.x_axis.z), ("yz", s.z_axis.y, s.y_axis.z)];
        if let Some((name, upper, lower)) = off.into_iter().find(|(_, u, l)| (u - l).abs() > 1e-9 * size) {
            return Err(format!(
                "second moments are not symmetric: {name} is {upper} above and {lower} below the diagonal"
            ));
        }
        let entries = [s.x_axis.x, s.y_axis.x, s.z_axis.x, s.y_axis.y, s.z_axis.y, s.z_axis.z];
        let mut factors = entries;
        if !s.is_finite() || packed::factor(&mut factors, 3, |_| true).is_err() {
            return Err(format!("second moments {entries:?} kg m^2 (xx xy xz yy yz zz) must be positive definite"));
        }
        Ok(())
    }
    fn can_carry(&self, what: &Carried) -> Result<(), &'static str> {
        match what {
            Carried::Spin => Err("an affine body has no single angular velocity"),
            _ => Ok(()),
        }
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &Carried) -> Attached {
        let w = self.weights(what);
        Attached { at: combine(&w, q), rate: combine(&w, v), jdot_v: Vec3::ZERO }
    }
    fn pull(&self, _: &[f64], what: &Carried, g: Vec3, out: &mut [f64]) {
        let w = self.weights(what);
        for k in 0..4 {
            for i in 0..3 {
                out[3 * k + i] += w[k] * g[i];
            }
        }
    }
    fn evaluate(&self, _: &[f64], _: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        out.mass.fill(0.0);
        out.force.fill(0.0);
        write3(out.force, self.mass * gravity);
        for i in 0..3 {
            out.mass[packed::at(12, i, i)] = self.mass;
            for k in 0..3 {
                for l in k..3 {
                    out.mass[packed::at(12, 3 + 3 * k + i, 3 + 3 * l + i)] = self.second.col(l)[k];
                }
            }
        }
    }
    fn q_rate(&self, _: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
    }
    fn advance(&self, q: &mut [f64], v: &[f64], dt: f64) {
        for i in 0..12 {
            q[i] += dt * v[i];
        }
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        read3(q)
    }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let linear = self.mass * read3(v);
        let mut angular = read3(q).cross(linear);
        for k in 0..3 {
            for l in 0..3 {
                angular += read3(&q[3 + 3 * k..]).cross(read3(&v[3 + 3 * l..])) * self.second.col(l)[k];
            }
        }
        Momentum { linear, angular }
    }
}

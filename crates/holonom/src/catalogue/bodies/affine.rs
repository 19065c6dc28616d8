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
//!
//! Without a material it is a dust of points that offers no resistance. [`Affine::elastic`] gives it one (St. Venant
//! and Kirchhoff), with Green's strain E, Young's modulus Y, Poisson's ratio n, and the volume V0 of the undeformed
//! body:
//!
//! ```text
//! E = (A^T A - 1) / 2                                        zero for every rotation; exact for large turns
//! U = V0 (mu tr E^2 + lam/2 (tr E)^2)                        mu = Y / (2 (1 + n)),  lam = Y n / ((1 + n) (1 - 2 n))
//! T = 2 mu E + lam (tr E) 1 + eta Edot                       stress (Pa); eta: viscosity (Pa s), Edot = (A^T Adot + Adot^T A) / 2
//! force on A = - V0 A T                                      column k: - V0 sum_l T_lk A_l
//! power lost = V0 eta Edot : Edot >= 0
//! ```
//!
//! T is symmetric, so these forces have no moment: linear and angular momentum are kept. The second derivative of U,
//!
//! ```text
//! d2U = V0 (2 mu dE : dE + lam (tr dE)^2) + V0 tr(dA T dA^T),       dE = (A^T dA + dA^T A) / 2
//! ```
//!
//! is positive semidefinite in its first part. The second counts in `stiffen` with the tensile part of T (negative
//! eigenvalues replaced by zero); the viscous part is V0 eta dE : dE. U is finite where A is singular: a body
//! compressed to less than about 0.6 of its length gives way (its stress falls again), and enough force can turn it
//! inside out.

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame, read3, write3};
use crate::catalogue::declaration::{Invalid, finite_vector, positive};
use crate::catalogue::mass::MassProperties;
use crate::error::refuse;
use crate::math::{Mat3, Vec3, symmetric_eigen};
use holonom_tree::packed;

/// What resists the deformation of an [`Affine`] body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Material {
    /// Young's modulus, Pa.
    young: f64,
    poisson: f64,
    /// Of the undeformed body, m^3.
    volume: f64,
    /// Viscosity, Pa s.
    viscosity: f64,
}

impl Material {
    /// Constants of Lame, Pa.
    fn lame(&self) -> (f64, f64) {
        let mu = 0.5 * self.young / (1.0 + self.poisson);
        (mu, 2.0 * mu * self.poisson / (1.0 - 2.0 * self.poisson))
    }

    fn stress(&self, a: &Mat3, a_rate: &Mat3) -> Mat3 {
        let (mu, lam) = self.lame();
        let e = strain(a);
        let rate = symmetric_part(a.transpose() * *a_rate);
        e * (2.0 * mu) + Mat3::from_diagonal(Vec3::splat(lam * trace(&e))) + rate * self.viscosity
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("Young's modulus", self.young, "Pa")?;
        positive("volume", self.volume, "m^3")?;
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return refuse!("poisson", "Poisson's ratio is {}, must be between -1 and 0.5", self.poisson);
        }
        if !(self.viscosity.is_finite() && self.viscosity >= 0.0) {
            return refuse!("viscosity", "viscosity is {} Pa s, must be finite and not negative", self.viscosity);
        }
        Ok(())
    }
}

fn trace(m: &Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn symmetric_part(m: Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

/// Green's strain.
fn strain(a: &Mat3) -> Mat3 {
    (a.transpose() * *a - Mat3::IDENTITY) * 0.5
}

/// Sum of the products of all entries.
fn square(m: &Mat3) -> f64 {
    m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()
}

fn shape_of(x: &[f64]) -> Mat3 {
    Mat3::from_cols(read3(&x[3..]), read3(&x[6..]), read3(&x[9..]))
}

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
    material: Option<Material>,
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
            material: None,
        }
    }

    /// With these mass properties; points are given from their origin. The material is given apart, see
    /// [`Affine::elastic`].
    pub fn from_properties(properties: &MassProperties) -> Self {
        Self::new(properties.mass(), properties.second_moments()).centre(properties.centre())
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

    /// Elastic: Young's modulus (Pa), Poisson's ratio, and the volume of the undeformed body (m^3). It is free of
    /// stress where A is a rotation.
    pub fn elastic(self, young: f64, poisson: f64, volume: f64) -> Self {
        let viscosity = self.material.map_or(0.0, |m| m.viscosity);
        Affine { material: Some(Material { young, poisson, volume, viscosity }), ..self }
    }

    /// Friction inside an elastic body: a stress of `viscosity` (Pa s) times the rate of Green's strain. Call it after
    /// [`Affine::elastic`].
    pub fn viscous(self, viscosity: f64) -> Self {
        // without a volume there is no body to be viscous: `validate` refuses it
        let none = Material { young: f64::NAN, poisson: 0.0, volume: f64::NAN, viscosity };
        Affine { material: Some(self.material.map_or(none, |m| Material { viscosity, ..m })), ..self }
    }

    /// Weights of (c, A_1, A_2, A_3) in what is carried.
    fn weights(&self, what: &AttachmentKind) -> [f64; 4] {
        match what {
            AttachmentKind::Point(p) => {
                let x = *p - self.centre;
                [1.0, x.x, x.y, x.z]
            }
            AttachmentKind::Direction(d) => [0.0, d.x, d.y, d.z],
            AttachmentKind::Spin => [0.0; 4],
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
    fn validate(&self) -> Result<(), Invalid> {
        positive("mass", self.mass, "kg")?;
        finite_vector("centre", self.centre)?;
        finite_vector("position", self.position)?;
        finite_vector("velocity", self.velocity)?;
        if !self.shape.is_finite() || !self.shape_rate.is_finite() || self.shape.determinant() <= 0.0 {
            return Err("the start shape A must be finite with a positive determinant".into());
        }
        super::second_moments(&self.second)?;
        match &self.material {
            Some(m) if m.young.is_nan() && m.volume.is_nan() => {
                Err("viscosity needs a material: call `elastic` before `viscous`".into())
            }
            Some(m) => m.validate(),
            None => Ok(()),
        }
    }
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str> {
        match what {
            AttachmentKind::Spin => Err("an affine body has no single angular velocity"),
            _ => Ok(()),
        }
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        let w = self.weights(what);
        Attached { at: combine(&w, q), rate: combine(&w, v), jdot_v: Vec3::ZERO }
    }
    fn pull(&self, _: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let w = self.weights(what);
        for k in 0..4 {
            for i in 0..3 {
                out[3 * k + i] += w[k] * g[i];
            }
        }
    }
    fn evaluate(&self, q: &[f64], v: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
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
        if let Some(m) = &self.material {
            let a = shape_of(q);
            let push = a * m.stress(&a, &shape_of(v)) * -m.volume;
            out.force[3..].copy_from_slice(&push.to_cols_array());
        }
    }
    /// Forces inside do not depend on velocity, unless they are viscous; then the body flies straight on and they act
    /// in the kicks.
    fn inertial_in_flight(&self) -> bool {
        self.material.is_none_or(|m| m.viscosity == 0.0)
    }
    fn stiffen(&self, q: &[f64], v: &[f64], per_position: f64, per_velocity: f64, mass: &mut [f64]) {
        let Some(m) = &self.material else { return };
        let (mu, lam) = m.lame();
        let a = shape_of(q);
        // dE_kl = (A_k . dA_l + A_l . dA_k) / 2 as a row over the nine numbers of dA
        let row = |k: usize, l: usize| {
            let mut row = [0.0; 9];
            for i in 0..3 {
                row[3 * l + i] += 0.5 * a.col(k)[i];
                row[3 * k + i] += 0.5 * a.col(l)[i];
            }
            row
        };
        let mut add = |row: &[f64; 9], weight: f64| {
            for i in 0..9 {
                for j in i..9 {
                    mass[packed::at(12, 3 + i, 3 + j)] += weight * row[i] * row[j];
                }
            }
        };
        let each = m.volume * (2.0 * mu * per_position + m.viscosity * per_velocity);
        let mut sum = [0.0; 9];
        for k in 0..3 {
            let r = row(k, k);
            add(&r, each);
            sum.iter_mut().zip(&r).for_each(|(s, r)| *s += r);
            for l in k + 1..3 {
                add(&row(k, l), 2.0 * each);
            }
        }
        add(&sum, m.volume * lam * per_position);
        // dA n for a direction n of tension: three rows, one for each component
        let (axes, tensions) = symmetric_eigen(&m.stress(&a, &shape_of(v)));
        for (k, tension) in tensions.into_iter().enumerate() {
            let (n, weight) = (axes.col(k), m.volume * tension.max(0.0) * per_position);
            for i in 0..3 {
                let mut row = [0.0; 9];
                (0..3).for_each(|l| row[3 * l + i] = n[l]);
                add(&row, weight);
            }
        }
    }
    fn stored(&self, q: &[f64]) -> f64 {
        let Some(m) = &self.material else { return 0.0 };
        let ((mu, lam), e) = (m.lame(), strain(&shape_of(q)));
        m.volume * (mu * square(&e) + 0.5 * lam * trace(&e) * trace(&e))
    }
    fn dissipation(&self, q: &[f64], v: &[f64]) -> Option<f64> {
        let m = self.material.as_ref().filter(|m| m.viscosity > 0.0)?;
        let rate = symmetric_part(shape_of(q).transpose() * shape_of(v));
        Some(m.volume * m.viscosity * square(&rate))
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

//! Surfaces f(x) = 0.

use crate::error::Invalid;
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

/// A smooth surface f(x) = 0, in axes of its own (m).
pub trait Surface: Send + Sync {
    /// f: negative inside, zero on the surface, positive outside.
    fn value(&self, x: Vec3) -> f64;
    /// Its gradient, which points outwards.
    fn gradient(&self, x: Vec3) -> Vec3;
    /// Its second derivatives.
    fn hessian(&self, x: Vec3) -> Mat3;
    /// Its third derivatives, contracted twice with `u`: the gradient by x of `u . hessian(x) u`.
    fn third(&self, x: Vec3, u: Vec3) -> Vec3;
    /// A point of the surface near `x`, not necessarily the nearest: where a search for the nearest begins. By default
    /// some of Newton's steps along the gradient.
    fn near(&self, mut x: Vec3) -> Vec3 {
        for _ in 0..20 {
            let g = self.gradient(x);
            let step = g * (self.value(x) / g.length_squared());
            if !step.is_finite() {
                break;
            }
            x -= step;
        }
        x
    }
    /// f at the origin, for surfaces that shrink to it with f, as an ellipsoid does: then the search for the place
    /// where two of them touch can begin with small ones.
    fn innermost(&self) -> Option<f64> {
        None
    }
    /// How deep below the surface (m) the gradient may vanish; negative where that is outside, infinite where it is
    /// nowhere.
    fn depth(&self) -> f64 {
        f64::INFINITY
    }
    /// Along how many directions it is straight everywhere: 2 for a plane, 1 for a cylinder, otherwise 0.
    fn straight(&self) -> usize {
        0
    }
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// A surface that others share.
impl Surface for Arc<dyn Surface> {
    fn value(&self, x: Vec3) -> f64 {
        self.as_ref().value(x)
    }
    fn gradient(&self, x: Vec3) -> Vec3 {
        self.as_ref().gradient(x)
    }
    fn hessian(&self, x: Vec3) -> Mat3 {
        self.as_ref().hessian(x)
    }
    fn third(&self, x: Vec3, u: Vec3) -> Vec3 {
        self.as_ref().third(x, u)
    }
    fn near(&self, x: Vec3) -> Vec3 {
        self.as_ref().near(x)
    }
    fn innermost(&self) -> Option<f64> {
        self.as_ref().innermost()
    }
    fn depth(&self) -> f64 {
        self.as_ref().depth()
    }
    fn straight(&self) -> usize {
        self.as_ref().straight()
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.as_ref().validate()
    }
}

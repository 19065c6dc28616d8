//! Curves and surfaces in space by their parameters.

use crate::error::Invalid;
use crate::math::Vec3;

/// A curve in space, r(s).
pub trait Curve: Send + Sync {
    /// First and last parameter.
    fn domain(&self) -> (f64, f64);
    /// Does its end join its start, with the same direction?
    fn closed(&self) -> bool;
    /// r (m) and its derivatives by the parameter, r', r'', r''', at `s` in the domain.
    fn at(&self, s: f64) -> [Vec3; 4];
    /// Parameters strictly inside the domain, increasing, at which some derivative may jump. The direction of r' never
    /// may.
    fn breaks(&self) -> &[f64] {
        &[]
    }
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// r(u, v) with its derivatives (m per parameter).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchJet {
    /// Point (m).
    pub r: Vec3,
    /// dr/du.
    pub u: Vec3,
    /// dr/dv.
    pub v: Vec3,
    /// Second derivative by u.
    pub uu: Vec3,
    /// Mixed second derivative.
    pub uv: Vec3,
    /// Second derivative by v.
    pub vv: Vec3,
    /// Third derivative by u.
    pub uuu: Vec3,
    /// Twice by u, once by v.
    pub uuv: Vec3,
    /// Once by u, twice by v.
    pub uvv: Vec3,
    /// Third derivative by v.
    pub vvv: Vec3,
}

impl PatchJet {
    /// Unit normal, r_u × r_v made one long.
    pub fn normal(&self) -> Vec3 {
        self.u.cross(self.v).normalize()
    }
}

/// A surface in space, r(u, v).
pub trait Patch: Send + Sync {
    /// First and last u, first and last v.
    fn domain(&self) -> [(f64, f64); 2];
    /// Does it close on itself along u, along v?
    fn closed(&self) -> [bool; 2] {
        [false; 2]
    }
    /// r (m) and its derivatives at `(u, v)` in the domain.
    fn at(&self, u: f64, v: f64) -> PatchJet;
    /// Parameters strictly inside the domain of direction 0 (u) or 1 (v), increasing, at which second derivatives may
    /// jump.
    fn breaks(&self, _direction: usize) -> &[f64] {
        &[]
    }
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

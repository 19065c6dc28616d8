//! Surfaces f(x) = 0 with their derivatives, for points that stay on them and bodies that touch.
//!
//! ```text
//! plane     f = z                                                     inside below
//! quadric   f = a (x^2/a_x^2 + y^2/a_y^2 + z^2/a_z^2 - 1) / 2         a: the least of the semi-axes, of which some may be infinite
//! torus     f = ((rho - R)^2 + z^2 - r^2) / (2 r)                     rho^2 = x^2 + y^2
//! ```
//!
//! f is negative inside and its gradient points outwards. What a joint uses is, to first order, the distance from the
//! surface, whatever the scale of f:
//!
//! ```text
//! C = f / |grad f|                                  outside
//! C = f / sqrt(|grad f|^2 + (f/l)^2)                inside, l being `depth`
//! ```
//!
//! The second form differs from the first by f^3, so that C has continuous second derivatives, and it stays finite
//! where grad f vanishes inside (the centre of a quadric, the core of a torus): a mechanism can be assembled from
//! there. The derivatives of C up to the second need those of f up to the third:
//!
//! ```text
//! third(x, u)_k = sum_ij d^3 f/(dx_i dx_j dx_k) u_i u_j
//! ```

mod kinds;

pub use crate::catalogue::interface::Surface;
pub use kinds::{SURFACES, SurfaceGuide, given, make};

use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::number::{Gradient, Number, Vector};
use crate::math::{Mat3, Vec3, vec3};

/// The plane z = 0; inside is z < 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane;

impl Surface for Plane {
    fn value(&self, x: Vec3) -> f64 {
        x.z
    }
    fn gradient(&self, _: Vec3) -> Vec3 {
        Vec3::Z
    }
    fn hessian(&self, _: Vec3) -> Mat3 {
        Mat3::ZERO
    }
    fn third(&self, _: Vec3, _: Vec3) -> Vec3 {
        Vec3::ZERO
    }
    fn straight(&self) -> usize {
        2
    }
}

/// A sphere, an ellipsoid or a cylinder about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quadric {
    /// Semi-axes along x, y and z (m); one of them may be infinite.
    pub semi_axes: Vec3,
}

impl Quadric {
    /// A sphere of this radius (m).
    pub fn sphere(radius: f64) -> Self {
        Quadric { semi_axes: Vec3::splat(radius) }
    }

    /// An ellipsoid with these semi-axes (m).
    pub fn ellipsoid(semi_axes: impl Into<Vec3>) -> Self {
        Quadric { semi_axes: semi_axes.into() }
    }

    /// An endless cylinder along z with this radius (m).
    pub fn cylinder(radius: f64) -> Self {
        Quadric { semi_axes: vec3(radius, radius, f64::INFINITY) }
    }

    /// a / a_i^2.
    fn factors(&self) -> Vec3 {
        self.semi_axes.min_element() * (1.0 / self.semi_axes) * (1.0 / self.semi_axes)
    }
}

impl Surface for Quadric {
    fn value(&self, x: Vec3) -> f64 {
        0.5 * ((self.factors() * x).dot(x) - self.semi_axes.min_element())
    }
    fn gradient(&self, x: Vec3) -> Vec3 {
        self.factors() * x
    }
    fn hessian(&self, _: Vec3) -> Mat3 {
        Mat3::from_diagonal(self.factors())
    }
    fn third(&self, _: Vec3, _: Vec3) -> Vec3 {
        Vec3::ZERO
    }
    fn near(&self, x: Vec3) -> Vec3 {
        // along the ray from the centre, or from the axis; from the centre itself along the first axis
        let scaled = x * (1.0 / self.semi_axes);
        let free = vec3(
            if self.semi_axes.x.is_finite() { 0.0 } else { x.x },
            if self.semi_axes.y.is_finite() { 0.0 } else { x.y },
            if self.semi_axes.z.is_finite() { 0.0 } else { x.z },
        );
        let across = x - free;
        if scaled.length() > 0.0 {
            free + across / scaled.length()
        } else if self.semi_axes.x.is_finite() {
            free + self.semi_axes.x * Vec3::X
        } else {
            free + self.semi_axes.y * Vec3::Y
        }
    }
    fn innermost(&self) -> Option<f64> {
        (self.straight() == 0).then(|| self.value(Vec3::ZERO))
    }
    fn depth(&self) -> f64 {
        self.semi_axes.min_element()
    }
    fn straight(&self) -> usize {
        self.semi_axes.to_array().iter().filter(|a| a.is_infinite()).count()
    }
    fn validate(&self) -> Result<(), Invalid> {
        if let Some(a) = self.semi_axes.to_array().into_iter().find(|a| !(*a > 0.0)) {
            return refuse!("half_axes", "semi-axis is {a} m, must be positive");
        }
        match self.straight() {
            0 | 1 => Ok(()),
            n => refuse!("half_axes", "{n} semi-axes are infinite, must be at most 1"),
        }
    }
}

/// A torus about the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Radius of the circle along the core (m).
    pub ring: f64,
    /// Radius of the tube (m), less than that of the ring.
    pub tube: f64,
}

impl Surface for Torus {
    fn value(&self, x: Vec3) -> f64 {
        let out = x.truncate().length() - self.ring;
        (out * out + x.z * x.z - self.tube * self.tube) / (2.0 * self.tube)
    }
    fn gradient(&self, x: Vec3) -> Vec3 {
        let out = 1.0 - self.ring / x.truncate().length();
        vec3(x.x * out, x.y * out, x.z) / self.tube
    }
    fn hessian(&self, x: Vec3) -> Mat3 {
        // second derivatives of rho: t t^T / rho with t across the ray
        let rho = x.truncate().length();
        let t = vec3(-x.y, x.x, 0.0) / rho;
        let bend = Mat3::from_cols(t * t.x, t * t.y, Vec3::ZERO) * (self.ring / rho);
        (Mat3::IDENTITY - bend) * (1.0 / self.tube)
    }
    fn third(&self, x: Vec3, u: Vec3) -> Vec3 {
        // gradient of k^2 / rho^3 with k = x u_y - y u_x
        let rho = x.truncate().length();
        let k = x.x * u.y - x.y * u.x;
        let r3 = 1.0 / (rho * rho * rho);
        let by_k = vec3(u.y, -u.x, 0.0) * (2.0 * k * r3);
        let by_rho = vec3(x.x, x.y, 0.0) * (-3.0 * k * k * r3 / (rho * rho));
        (by_k + by_rho) * (-self.ring / self.tube)
    }
    fn near(&self, x: Vec3) -> Vec3 {
        let flat = vec3(x.x, x.y, 0.0);
        let ray = if flat.length() > 0.0 { flat.normalize() } else { Vec3::X };
        let core = ray * self.ring;
        let out = if x == core { ray } else { (x - core).normalize() };
        core + out * self.tube
    }
    fn depth(&self) -> f64 {
        self.tube
    }
    fn validate(&self) -> Result<(), Invalid> {
        if !(self.ring.is_finite() && self.tube > 0.0 && self.tube < self.ring) {
            return refuse!(
                "tube_radius",
                "tube has radius {} m and ring {} m, must be positive and the tube less than the ring",
                self.tube,
                self.ring
            );
        }
        Ok(())
    }
}

/// A surface seen from its other side: what was inside is outside, as for a ball in a bowl.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside<S>(pub S);

impl<S: Surface> Surface for Inside<S> {
    fn value(&self, x: Vec3) -> f64 {
        -self.0.value(x)
    }
    fn gradient(&self, x: Vec3) -> Vec3 {
        -self.0.gradient(x)
    }
    fn hessian(&self, x: Vec3) -> Mat3 {
        -self.0.hessian(x)
    }
    fn third(&self, x: Vec3, u: Vec3) -> Vec3 {
        -self.0.third(x, u)
    }
    fn near(&self, x: Vec3) -> Vec3 {
        self.0.near(x)
    }
    fn depth(&self) -> f64 {
        -self.0.depth()
    }
    fn straight(&self) -> usize {
        self.0.straight()
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.0.validate()
    }
}

/// A function of a point that moves, from its value, gradient, and `rate . hessian rate`.
#[inline(always)]
pub(crate) fn lifted<G: Gradient>(x: &Vector<G>, value: f64, gradient: Vec3, bend: f64) -> Number<G> {
    let along = x.along(gradient);
    Number { value, second: along.second + bend, ..along }
}

/// f and its gradient at a point that moves, in the surface's axes.
#[inline(always)]
pub(crate) fn lift<G: Gradient>(surface: &dyn Surface, x: &Vector<G>) -> (Number<G>, Vector<G>) {
    let (at, rate) = (x.value(), x.rate());
    let (g, h, t) = (surface.gradient(at), surface.hessian(at), surface.third(at, rate));
    let f = lifted(x, surface.value(at), g, rate.dot(h * rate));
    let component = |k: usize| lifted(x, g[k], h.col(k), t[k]);
    (f, Vector::new(component(0), component(1), component(2)))
}

/// The distance from the surface to first order, at a point that moves.
#[inline(always)]
pub(crate) fn distance<G: Gradient>(surface: &dyn Surface, x: &Vector<G>) -> Number<G> {
    let (f, gradient) = lift(surface, x);
    let steep = gradient.dot(gradient);
    let depth = surface.depth();
    if f.value * depth < 0.0 { f / (steep + f.squared() / (depth * depth)).sqrt() } else { f / steep.sqrt() }
}

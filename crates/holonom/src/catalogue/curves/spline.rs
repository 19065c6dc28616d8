//! Cubic spline through points, with continuous second derivative.
//!
//! The parameter is the length of the polygon through the points (m), which keeps |r'| near one: the equations are
//! those of `cubic.rs`, component by component. r''' jumps at the points.

use super::Curve;
use super::cubic::{Ends, evaluate, second_derivatives};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::Vec3;

/// A smooth curve through given points. The parameter is the length along the polygon of the points (m).
#[derive(Clone, Debug)]
pub struct CubicSpline {
    points: Vec<Vec3>,
    knots: Vec<f64>,
    moments: Vec<Vec3>,
    closed: bool,
    fault: Option<Invalid>,
}

impl CubicSpline {
    /// Open, without curvature at its ends. Two points make a straight line.
    pub fn natural(points: &[Vec3]) -> Self {
        Self::new(points, Ends::Natural)
    }

    /// Open, with the directions of `first` and `last` (of any length) at its ends.
    pub fn clamped(points: &[Vec3], first: Vec3, last: Vec3) -> Self {
        Self::new(points, Ends::Clamped(first.normalize(), last.normalize()))
    }

    /// Closed: from the last point it goes on to the first.
    pub fn closed(points: &[Vec3]) -> Self {
        Self::new(points, Ends::Closed)
    }

    fn new(given: &[Vec3], ends: Ends<Vec3>) -> Self {
        let closed = ends == Ends::Closed;
        let mut points = given.to_vec();
        if closed {
            points.extend(given.first());
        }
        let mut knots = vec![0.0];
        knots.extend(points.windows(2).scan(0.0, |at, p| {
            *at += (p[1] - p[0]).length();
            Some(*at)
        }));
        let fault = check(given, &points, ends).err();
        let moments = if fault.is_none() { second_derivatives(&knots, &points, ends) } else { vec![] };
        CubicSpline { points, knots, moments, closed, fault }
    }
}

fn check(given: &[Vec3], points: &[Vec3], ends: Ends<Vec3>) -> Result<(), Invalid> {
    let least = if ends == Ends::Closed { 3 } else { 2 };
    if given.len() < least {
        return refuse!("points", "{} points, must be at least {least}", given.len());
    }
    if let Some(p) = given.iter().find(|p| !p.is_finite()) {
        return refuse!("points", "point {p} m, must be finite");
    }
    if let Some(i) = (1..points.len()).find(|&i| points[i] == points[i - 1]) {
        return refuse!("points", "points {} and {} are both {}, must differ", i - 1, i % given.len(), points[i]);
    }
    match ends {
        Ends::Clamped(a, b) if !(a.is_finite() && b.is_finite()) => {
            Err("direction at an end has zero length or is not finite, must be finite and longer than 0".into())
        }
        _ => Ok(()),
    }
}

impl Curve for CubicSpline {
    fn domain(&self) -> (f64, f64) {
        (0.0, self.knots[self.knots.len() - 1])
    }
    fn closed(&self) -> bool {
        self.closed
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        if self.fault.is_some() {
            return [Vec3::NAN; 4];
        }
        evaluate(&self.knots, &self.points, &self.moments, s)
    }
    fn breaks(&self) -> &[f64] {
        self.knots.get(1..self.knots.len() - 1).unwrap_or(&[])
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

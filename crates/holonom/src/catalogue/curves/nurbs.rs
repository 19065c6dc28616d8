//! NURBS curve: a rational B-spline of degree 1 to 7.
//!
//! ```text
//! r(u) = sum_i N_i(u) w_i P_i / sum_i N_i(u) w_i
//! ```
//!
//! Basis and quotient with their derivatives: `basis.rs`. The direction of r' must not jump: at a knot that stands p
//! times the curve could have a corner, and is refused if it has one. r'' and r''' may jump at knots; a joint that
//! follows the curve sees only its shape, so that a circle in four arcs is as good as a circle.

use super::Curve;
use super::basis::{Knots, check_weights, evaluate};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::{Vec3, vec3};

/// A rational B-spline curve; the parameter is that of its knots.
#[derive(Clone, Debug)]
pub struct Nurbs {
    knots: Knots,
    points: Vec<Vec3>,
    weights: Vec<f64>,
    breaks: Vec<f64>,
    closed: bool,
    fault: Option<Invalid>,
}

impl Nurbs {
    /// From control points (m), as many weights, and `points + degree + 1` knots. The curve runs from knot `degree` to
    /// knot `points`.
    pub fn new(degree: usize, points: &[Vec3], weights: &[f64], knots: &[f64]) -> Self {
        Self::from(Knots { degree, knots: knots.to_vec() }, points, weights)
    }

    /// From control points alone: weights 1, knots uniform on [0, 1], starting at the first point and ending at the
    /// last.
    pub fn clamped(degree: usize, points: &[Vec3]) -> Self {
        Self::from(Knots::clamped(degree, points.len()), points, &vec![1.0; points.len()])
    }

    /// A circle about the origin in the x-y plane, from x towards y, in four arcs of degree 2 over [0, 4].
    pub fn circle(radius: f64) -> Self {
        let w = 0.5_f64.sqrt();
        const CORNERS: [(f64, f64); 9] = [
            (1.0, 0.0),
            (1.0, 1.0),
            (0.0, 1.0),
            (-1.0, 1.0),
            (-1.0, 0.0),
            (-1.0, -1.0),
            (0.0, -1.0),
            (1.0, -1.0),
            (1.0, 0.0),
        ];
        let points = CORNERS.map(|(x, y)| vec3(x, y, 0.0) * radius);
        let knots = [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0];
        Self::new(2, &points, &[1.0, w, 1.0, w, 1.0, w, 1.0, w, 1.0], &knots).closed()
    }

    /// The same as a closed curve: its end must meet its start with the same direction.
    pub fn closed(self) -> Self {
        Nurbs { closed: true, ..self }
    }

    fn from(knots: Knots, points: &[Vec3], weights: &[f64]) -> Self {
        let fault = check(&knots, points, weights).err();
        let breaks = if fault.is_none() { knots.breaks() } else { vec![] };
        Nurbs { knots, points: points.to_vec(), weights: weights.to_vec(), breaks, closed: false, fault }
    }
}

fn check(knots: &Knots, points: &[Vec3], weights: &[f64]) -> Result<(), Invalid> {
    knots.check(points.len(), "")?;
    check_weights(weights, points.len())?;
    if let Some(p) = points.iter().find(|p| !p.is_finite()) {
        return refuse!("points", "control point {p} m, must be finite");
    }
    for u in knots.breaks() {
        let slope = |s: usize| evaluate(knots, s, u, points, weights)[1];
        let (before, after) = (slope(knots.span_before(u)), slope(knots.span(u)));
        if (before.normalize_or_zero() - after.normalize_or_zero()).length() > 1e-9 {
            return refuse!("points", "corner at {u}: the direction jumps from {before} to {after}, must not jump");
        }
    }
    Ok(())
}

impl Curve for Nurbs {
    fn domain(&self) -> (f64, f64) {
        self.knots.domain()
    }
    fn closed(&self) -> bool {
        self.closed
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        if self.fault.is_some() {
            return [Vec3::NAN; 4];
        }
        evaluate(&self.knots, self.knots.span(s), s, &self.points, &self.weights)
    }
    fn breaks(&self) -> &[f64] {
        &self.breaks
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

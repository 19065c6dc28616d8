//! Constraints with random parameters, for the tables: what needs more than a line.

use super::{Motor, PointOnLine, PointOnPlane, PrescribedPoint, Revolute, Servo};
use crate::attach::Marker;
use crate::coordinate::Coordinate;
use crate::math::{SplitMix, vec3};

pub fn motor(a: Marker, b: Marker, g: &mut SplitMix) -> Motor {
    let (amplitude, rate) = (0.2 + g.unit(), 0.5 + g.unit());
    let goal = move |t: f64| {
        let (s, c) = libm::sincos(rate * t);
        [amplitude * s, amplitude * rate * c, -amplitude * rate * rate * s]
    };
    let hinge = Coordinate::of(Revolute::new(a, b), 0);
    if g.unit() < 0.5 { Motor::position(hinge, goal) } else { Motor::speed(hinge, goal) }
}

pub fn led(a: Marker, b: Marker, g: &mut SplitMix) -> PrescribedPoint {
    let (from, rate) = (g.vec3(0.5), 0.5 + g.unit());
    PrescribedPoint::new(a, b, move |t| {
        let (s, c) = libm::sincos(rate * t);
        [from + vec3(c, s, t), vec3(-s * rate, c * rate, 1.0), vec3(-c, -s, 0.0) * (rate * rate)]
    })
}

pub fn servo(a: Marker, b: Marker, g: &mut SplitMix) -> Servo {
    // pushes along the axes of a, not at the point that is led but beside it
    let beside = Marker { point: b.point + g.vec3(0.1), ..b };
    let across = |i| Coordinate::of(PointOnPlane::new(a, beside), i);
    Servo::new(led(a, b, g), [across(0), across(1), Coordinate::of(PointOnLine::new(a, beside), 0)])
}

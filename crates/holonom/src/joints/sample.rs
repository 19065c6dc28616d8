//! Constraints with random parameters, for the tables: what needs more than a line.

use super::{Motor, PlanarJoint, PrescribedPoint, Revolute, Servo};
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
    let actuators: Vec<_> = (0..3).map(|i| Coordinate::of(PlanarJoint::new(a, b), i)).collect();
    Servo::new(led(a, b, g), actuators)
}

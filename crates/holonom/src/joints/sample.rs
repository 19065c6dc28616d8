//! Constraints with random parameters, for the tables: what needs more than a line.

use super::{
    Belt, Coupler, Cylindrical, Differential, Gear, Motor, PlanarJoint, PrescribedPoint, RackAndPinion, Reeving,
    Revolute, Servo, VelocityRatio, Winch, Worm,
};
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

fn radius(g: &mut SplitMix) -> f64 {
    0.2 + g.unit()
}

pub fn coupler(a: Marker, b: Marker, g: &mut SplitMix) -> Coupler {
    let terms = (0..2).map(|i| (0.5 + g.unit(), Coordinate::of(Cylindrical::new(a, b), i)));
    Coupler::new(terms.collect::<Vec<_>>())
}

pub fn differential(a: Marker, b: Marker, _: &mut SplitMix) -> Differential {
    // three shafts need more than two bodies: here the third turns the other way round
    let angle = |a, b| Coordinate::of(Revolute::new(a, b), 0);
    Differential::new(angle(a, b), angle(a, b), angle(b, a))
}

pub fn gear(a: Marker, b: Marker, g: &mut SplitMix) -> Gear {
    let (r_a, r_b) = (radius(g), radius(g));
    let gear = if g.unit() < 0.5 { Gear::external(a, b, r_a, r_b) } else { Gear::internal(a, b, r_a, r_a + r_b) };
    let gear = if g.unit() < 0.5 { gear.other_flank() } else { gear };
    if g.unit() < 0.3 { gear } else { gear.pressure_angle(0.3 + 0.2 * g.unit()).helix(g.symmetric(0.5)) }
}

pub fn worm(a: Marker, b: Marker, g: &mut SplitMix) -> Worm {
    let worm = Worm::new(a, b, 0.1 + g.unit(), radius(g));
    if g.unit() < 0.3 { worm } else { worm.worm_radius(radius(g)) }
}

pub fn rack(a: Marker, b: Marker, g: &mut SplitMix) -> RackAndPinion {
    let rack = RackAndPinion::new(a, b, radius(g));
    if g.unit() < 0.5 { rack } else { rack.other_side() }
}

pub fn belt(a: Marker, b: Marker, g: &mut SplitMix) -> Belt {
    let (r_a, r_b) = (radius(g), radius(g));
    if g.unit() < 0.5 { Belt::open(a, b, r_a, r_b) } else { Belt::crossed(a, b, r_a, r_b) }
}

pub fn winch(a: Marker, b: Marker, g: &mut SplitMix) -> Winch {
    let winch = Winch::new(a, b, 0.02 + 0.1 * g.unit());
    if g.unit() < 0.5 { winch } else { winch.other_side() }
}

pub fn reeving(a: Marker, b: Marker, g: &mut SplitMix) -> Reeving {
    let (eye, far) = (a.body.at(a.point), crate::BodyId::GROUND.at(g.vec3(2.0)));
    Reeving::new([eye, b, eye, far, b])
}

pub fn ratio(a: Marker, b: Marker, g: &mut SplitMix) -> VelocityRatio {
    let ratio = g.symmetric(3.0);
    if g.unit() < 0.5 {
        return VelocityRatio::spins(a, b, ratio);
    }
    let of = |i| Coordinate::of(Cylindrical::new(a, b), i);
    VelocityRatio::coordinates(of(1), of(0), ratio)
}

//! Constraints with random parameters, for the tables: what needs more than a line.

use super::{
    Belt, Coupler, Cylindrical, Differential, DryFriction, Freedom, Gear, Limit, Motor, PointOnCurve, PointOnLine,
    PointOnPlane, PointOnSurface, PrescribedPoint, RackAndPinion, Reeving, Revolute, Serial, Servo, SurfaceTangency,
    VelocityRatio, Winch, Worm,
};
use crate::catalogue::attach::Marker;
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::curves::{Circle, CubicSpline, Helix, Nurbs, NurbsSurface, Sheet};
use crate::catalogue::surfaces::{Inside, Plane, Quadric, Torus};
use crate::math::{SplitMix, Vec3, vec3};

pub fn motor(a: Marker, b: Marker, g: &mut SplitMix) -> Motor {
    let (amplitude, rate) = (0.2 + g.unit(), 0.5 + g.unit());
    let goal = move |t: f64| {
        let (s, c) = libm::sincos(rate * t);
        [amplitude * s, amplitude * rate * c, -amplitude * rate * rate * s]
    };
    let hinge = Coordinate::of(Revolute::new(a, b), 0);
    if g.unit() < 0.5 { Motor::position(hinge, goal) } else { Motor::speed(hinge, goal) }
}

pub fn limit(a: Marker, b: Marker, g: &mut SplitMix) -> Limit {
    Limit::new(Coordinate::of(Revolute::new(a, b), 0), -0.2 - g.unit(), 0.2 + g.unit()).restitution(g.unit())
}

pub fn dry_friction(a: Marker, b: Marker, g: &mut SplitMix) -> DryFriction {
    DryFriction::constant(Coordinate::of(Revolute::new(a, b), 0), g.unit())
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

/// Along z, bent gently: centres of curvature are metres away.
fn wavy(n: usize, g: &mut SplitMix) -> Vec<Vec3> {
    (0..n).map(|i| vec3(g.symmetric(0.08), g.symmetric(0.08), i as f64 - 0.5 * n as f64)).collect()
}

pub fn on_curve(a: Marker, b: Marker, g: &mut SplitMix) -> PointOnCurve {
    match g.below(5) {
        0 => PointOnCurve::new(a, b, Circle { radius: 2.5 + g.unit() }),
        1 => PointOnCurve::new(a, b, Nurbs::circle(2.5 + g.unit())),
        2 => PointOnCurve::new(a, b, Helix { radius: 2.5 + g.unit(), pitch: 4.0, turns: 1.5 }),
        3 => PointOnCurve::new(a, b, CubicSpline::natural(&wavy(6, g))),
        _ => PointOnCurve::new(a, b, Nurbs::clamped(4, &wavy(8, g))),
    }
}

pub fn on_surface(a: Marker, b: Marker, g: &mut SplitMix) -> PointOnSurface {
    let r = 0.9 + g.unit();
    match g.below(5) {
        0 => PointOnSurface::new(a, b, Plane),
        1 => PointOnSurface::new(a, b, Quadric::ellipsoid([r, 1.0, 1.3])),
        2 => PointOnSurface::new(a, b, Inside(Quadric::cylinder(r))),
        3 => PointOnSurface::new(a, b, Torus { ring: 1.0 + r, tube: 0.8 }),
        _ => {
            let points: Vec<Vec3> =
                (0..30).map(|k| vec3((k / 6) as f64 - 2.0, (k % 6) as f64 - 2.5, g.symmetric(0.08))).collect();
            PointOnSurface::patch(a, b, Sheet::new(NurbsSurface::clamped([3, 3], [5, 6], &points)))
        }
    }
}

pub fn touching(a: Marker, b: Marker, g: &mut SplitMix) -> SurfaceTangency {
    let mut semi_axes = || vec3(0.2 + 0.2 * g.unit(), 0.2 + 0.2 * g.unit(), 0.2 + 0.2 * g.unit());
    let (first, second) = (Quadric::ellipsoid(semi_axes()), Quadric::ellipsoid(semi_axes()));
    match g.below(4) {
        0 => SurfaceTangency::new(a, Plane, b, second),
        1 => SurfaceTangency::new(a, first, b, Plane),
        2 => SurfaceTangency::new(a, Quadric::cylinder(0.3), b, second),
        _ => SurfaceTangency::new(a, first, b, second),
    }
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
    let (eye, far) = (a.body.at(a.point), crate::catalogue::attach::BodyId::GROUND.at(g.vec3(2.0)));
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

/// Three freedoms, so that three rows are left.
pub fn serial(a: Marker, b: Marker, g: &mut SplitMix) -> Serial {
    let near = |e: Vec3, g: &mut SplitMix| e + g.vec3(0.3);
    let hinge = |axis: Vec3, g: &mut SplitMix| Freedom::Hinge { axis, point: g.vec3(0.2) };
    let skew = |e: Vec3, g: &mut SplitMix| hinge(near(e, g), g);
    let slide = |e: Vec3, g: &mut SplitMix| Freedom::Slide { axis: near(e, g) };
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    let freedoms = match g.below(6) {
        // away from where the joint holds, only perpendicular axes reach every orientation
        0 => [hinge(x, g), hinge(y, g), hinge(z, g)],
        1 => [slide(x, g), skew(y, g), skew(z, g)],
        2 => [skew(x, g), slide(y, g), skew(z, g)],
        3 => [skew(x, g), slide(y, g), slide(z, g)],
        4 => [slide(x, g), slide(y, g), skew(z, g)],
        _ => [skew(z, g), skew(y, g), slide(x, g)],
    };
    Serial::new(a, b, freedoms)
}

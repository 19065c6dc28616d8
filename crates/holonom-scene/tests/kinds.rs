//! Every kind of the engine's catalogue can be written in a scene file, and means what the same joint made by a program means.

use holonom::curves::{Circle, CubicSpline, Helix, Line, Nurbs, NurbsSurface, Sheet};
use holonom::declaration::{Make, Need};
use holonom::functions::{Harmonic, SmoothStep};
use holonom::joints::{self, Constraint};
use holonom::math::{Mat3, SplitMix, exp_quat, vec3};
use holonom::prelude::*;
use holonom::surfaces::{Inside, Plane, Quadric, Torus};
use holonom_scene::Loader;
use holonom_scene::kinds::{CURVES, DRIVES, JOINTS, SURFACES};

/// Two bodies at no special place, in motion, with a frame on each.
const BODIES: &str = r#"
gravity = [0.3, -0.2, -9.81]
[body.one]
mass = 1.2
inertia = [0.02, 0.03, 0.04, 0.001, -0.002, 0.003]
com = [0.01, 0.02, -0.03]
at = [0.1, 0.2, 0.3]
rotation = { axis = [1, 2, 3], angle = 0.4 }
velocity = [0.1, -0.2, 0.3]
spin = [0.5, 0.4, -0.3]
frames.f = { at = [0.05, -0.02, 0.04], rotation = { axis = [0, 1, 0], angle = 0.2 } }
[body.two]
mass = 0.7
inertia = [0.01, 0.02, 0.015]
at = [0.5, -0.1, 1.1]
rotation = { axis = [-1, 0.5, 0], angle = 0.3 }
velocity = [-0.2, 0.1, 0.05]
spin = [-0.4, 0.3, 0.6]
frames.f = { at = [-0.06, 0.03, 0.02], rotation = { axis = [1, 0, 0.5], angle = -0.25 } }
"#;

/// The same bodies.
fn bodies(m: &mut ModelBuilder) -> [Marker; 2] {
    m.gravity([0.3, -0.2, -9.81]);
    let turn = |axis: [f64; 3], angle: f64| exp_quat(vec3(axis[0], axis[1], axis[2]).normalize() * angle);
    let inertia = Mat3::from_cols(vec3(0.02, 0.001, -0.002), vec3(0.001, 0.03, 0.003), vec3(-0.002, 0.003, 0.04));
    let one = Rigid::new(1.2, inertia).centre([0.01, 0.02, -0.03]).position([0.1, 0.2, 0.3]);
    let one = one.orientation(turn([1.0, 2.0, 3.0], 0.4)).velocity([0.1, -0.2, 0.3]).spin([0.5, 0.4, -0.3]);
    let two = Rigid::new(0.7, Mat3::from_diagonal(vec3(0.01, 0.02, 0.015))).position([0.5, -0.1, 1.1]);
    let two = two.orientation(turn([-1.0, 0.5, 0.0], 0.3)).velocity([-0.2, 0.1, 0.05]).spin([-0.4, 0.3, 0.6]);
    let (one, two) = (m.body("one", one), m.body("two", two));
    let frame =
        |body: BodyId, at: [f64; 3], axis, angle| Marker { axes: Mat3::from_quat(turn(axis, angle)), ..body.at(at) };
    [frame(one, [0.05, -0.02, 0.04], [0.0, 1.0, 0.0], 0.2), frame(two, [-0.06, 0.03, 0.02], [1.0, 0.0, 0.5], -0.25)]
}

type Direct = fn(&mut ModelBuilder, Marker, Marker);

struct Case {
    /// Kind of the engine.
    engine: &'static str,
    /// What stands in the scene file after the bodies.
    text: &'static str,
    /// The same by program.
    direct: Direct,
}

/// A joint between the two frames: kind, its other fields, and how a program makes it.
macro_rules! joint {
    ($kind:literal, $rest:literal, $make:expr) => {
        Case {
            engine: $kind,
            text: concat!("[joint.it]\nkind = \"", $kind, "\"\na = \"one.f\"\nb = \"two.f\"\n", $rest),
            direct: |m, a, b| {
                let make: fn(Marker, Marker) -> Box<dyn Constraint> = $make;
                m.boxed_joint("it", make(a, b));
            },
        }
    };
}

/// Something on the coordinates of two hinges.
macro_rules! on_hinges {
    ($engine:literal, $text:literal, $make:expr) => {
        Case { engine: $engine, text: concat!(
            "[joint.first]\nkind = \"cylindrical\"\nb = \"one.f\"\n[joint.second]\nkind = \"revolute\"\na = \"one\"\nb = \"two.f\"\n",
            "[joint.third]\nkind = \"perpendicular-axes\"\nb = \"two\"\naxis_b = [1, 0, 0]\n", $text), direct: |m, a, b| {
            let see = |m: &ModelBuilder, body, at: Marker, of: BodyId| {
                let world = drawn(of, at);
                Marker { body, ..back(m, body, world) }
            };
            let ground = see(m, BodyId::GROUND, a, a.body);
            let first = m.joint("first", Cylindrical::new(ground, a));
            let on_one = see(m, a.body, b, b.body);
            let second = m.joint("second", Revolute::new(on_one, b));
            let across = b.body.origin().along(Vec3::X);
            let third = m.joint("third", PerpendicularAxes::new(BodyId::GROUND.origin(), across));
            let c = [m.coordinate(first, 0), m.coordinate(first, 1), m.coordinate(second, 0), m.coordinate(third, 0)];
            let make: fn(&mut ModelBuilder, [Coordinate; 4]) = $make;
            make(m, c);
        } }
    };
}

/// Where a marker of a body is, at the start.
fn drawn(body: BodyId, at: Marker) -> (Vec3, Mat3) {
    let (p, r) = pose(body);
    (p + r * at.point, r * at.axes)
}

/// A place of the world, as a marker of a body.
fn back(_: &ModelBuilder, body: BodyId, (at, axes): (Vec3, Mat3)) -> Marker {
    let (p, r) = pose(body);
    Marker { axes: r.transpose() * axes, ..body.at(r.transpose() * (at - p)) }
}

fn pose(body: BodyId) -> (Vec3, Mat3) {
    let turn = |axis: Vec3, angle: f64| Mat3::from_quat(exp_quat(axis.normalize() * angle));
    match body.index() {
        None => (Vec3::ZERO, Mat3::IDENTITY),
        Some(0) => (vec3(0.1, 0.2, 0.3), turn(vec3(1.0, 2.0, 3.0), 0.4)),
        Some(_) => (vec3(0.5, -0.1, 1.1), turn(vec3(-1.0, 0.5, 0.0), 0.3)),
    }
}

fn cases() -> Vec<Case> {
    vec![
        joint!("weld", "", |a, b| Box::new(Weld::new(a, b))),
        joint!("revolute", "", |a, b| Box::new(Revolute::new(a, b))),
        joint!("prismatic", "", |a, b| Box::new(Prismatic::new(a, b))),
        joint!("cylindrical", "", |a, b| Box::new(Cylindrical::new(a, b))),
        joint!("screw", "lead = 0.3", |a, b| Box::new(Screw::new(a, b, 0.3))),
        joint!("screw", "lead = -0.3\nphase = 0.2", |a, b| Box::new(Screw::new(a, b, -0.3).phase(0.2))),
        joint!("universal", "", |a, b| Box::new(Universal::new(a, b))),
        joint!("constant-velocity", "", |a, b| Box::new(ConstantVelocity::new(a, b))),
        joint!("spherical", "", |a, b| Box::new(Spherical::new(a, b))),
        joint!("planar", "", |a, b| Box::new(PlanarJoint::new(a, b))),
        joint!("pin-slot", "", |a, b| Box::new(PinSlot::new(a, b))),
        joint!("distance", "length = 0.8", |a, b| Box::new(Distance::new(a, b, 0.8))),
        joint!("distance", "", |a, b| {
            let length = (drawn(b.body, b).0 - drawn(a.body, a).0).length();
            Box::new(Distance::new(a, b, length))
        }),
        joint!("rope", "length = 0.9\nrestitution = 0.5", |a, b| Box::new(Rope::new(a, b, 0.9).restitution(0.5))),
        joint!("rope", "", |a, b| {
            let length = (drawn(b.body, b).0 - drawn(a.body, a).0).length();
            Box::new(Rope::new(a, b, length))
        }),
        joint!("cone-limit", "angle = 2.5\nrestitution = 0.5", |a, b| {
            Box::new(ConeLimit::new(a, b, 2.5).restitution(0.5))
        }),
        joint!("parallel-axes", "", |a, b| Box::new(ParallelAxes::new(a, b))),
        joint!("perpendicular-axes", "", |a, b| Box::new(PerpendicularAxes::new(a, b))),
        joint!("perpendicular-axes", "angle = 0.7", |a, b| Box::new(PerpendicularAxes::new(a, b).angle(0.7))),
        joint!("orientation-lock", "", |a, b| Box::new(OrientationLock::new(a, b))),
        joint!("oldham", "", |a, b| Box::new(Oldham::new(a, b))),
        joint!("point-on-line", "", |a, b| Box::new(PointOnLine::new(a, b))),
        joint!("point-on-plane", "", |a, b| Box::new(PointOnPlane::new(a, b))),
        joint!("point-on-curve", "curve = { kind = \"circle\", radius = 0.5 }", |a, b| {
            Box::new(PointOnCurve::new(a, b, Circle { radius: 0.5 }))
        }),
        joint!("point-on-curve", "curve = { kind = \"line\", from = [0, 0, 0.1], to = [1, 2, 3] }", |a, b| {
            Box::new(PointOnCurve::new(a, b, Line { from: vec3(0.0, 0.0, 0.1), to: vec3(1.0, 2.0, 3.0) }))
        }),
        joint!("point-on-curve", "curve = { kind = \"helix\", radius = 0.3, pitch = 0.2, turns = 4 }", |a, b| {
            Box::new(PointOnCurve::new(a, b, Helix { radius: 0.3, pitch: 0.2, turns: 4.0 }))
        }),
        joint!(
            "point-on-curve",
            "curve = { kind = \"spline\", points = [[0, 0, 0], [0.5, 0.2, 0.4], [0.3, -0.4, 1]] }",
            |a, b| Box::new(PointOnCurve::new(a, b, CubicSpline::natural(&three())))
        ),
        joint!(
            "point-on-curve",
            "curve = { kind = \"spline\", points = [[0, 0, 0], [0.5, 0.2, 0.4], [0.3, -0.4, 1]], closed = true }",
            |a, b| Box::new(PointOnCurve::new(a, b, CubicSpline::closed(&three())))
        ),
        joint!(
            "point-on-curve",
            "curve = { kind = \"nurbs\", degree = 2, points = [[0, 0, 0], [0.5, 0.2, 0.4], [0.3, -0.4, 1]], weights = [1, 2, 1], knots = [0, 0, 0, 1, 1, 1] }",
            |a, b| {
                let knots = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
                Box::new(PointOnCurve::new(a, b, Nurbs::new(2, &three(), &[1.0, 2.0, 1.0], &knots)))
            }
        ),
        joint!("point-on-surface", "surface = { kind = \"torus\", ring_radius = 0.6, tube_radius = 0.2 }", |a, b| {
            Box::new(PointOnSurface::new(a, b, Torus { ring: 0.6, tube: 0.2 }))
        }),
        joint!("point-on-surface", "surface = { kind = \"cylinder\", radius = 0.4, inside = true }", |a, b| {
            Box::new(PointOnSurface::new(a, b, Inside(Quadric::cylinder(0.4))))
        }),
        joint!(
            "point-on-surface",
            "surface = { kind = \"plane\" }\naxis_a = [0, 1, 1]\nx_axis_a = [1, 0, 0]",
            |a, b| { Box::new(PointOnSurface::new(a.axes(Vec3::X, vec3(0.0, 1.0, 1.0)), b, Plane)) }
        ),
        joint!(
            "point-on-surface",
            "[joint.it.surface]\nkind = \"nurbs\"\ndegree_u = 1\ndegree_v = 2\nrows = 2\npoints = [[0, 0, 0], [0, 0.5, 0.3], [0, 1, 0], [1, 0, 0.2], [1, 0.5, 0.5], [1, 1, 0]]",
            |a, b| {
                let p = [
                    [0.0, 0.0, 0.0],
                    [0.0, 0.5, 0.3],
                    [0.0, 1.0, 0.0],
                    [1.0, 0.0, 0.2],
                    [1.0, 0.5, 0.5],
                    [1.0, 1.0, 0.0],
                ];
                let patch = NurbsSurface::clamped([1, 2], [2, 3], &p.map(Vec3::from));
                Box::new(PointOnSurface::patch(a, b, Sheet::new(patch)))
            }
        ),
        joint!(
            "tangency",
            "surface_a = { kind = \"sphere\", radius = 0.3 }\nsurface_b = { kind = \"ellipsoid\", half_axes = [0.1, 0.2, 0.3] }",
            |a, b| { Box::new(SurfaceTangency::new(a, Quadric::sphere(0.3), b, Quadric::ellipsoid([0.1, 0.2, 0.3]))) }
        ),
        joint!(
            "rolling",
            "surface_a = { kind = \"plane\" }\nsurface_b = { kind = \"sphere\", radius = 0.3 }",
            |a, b| { Box::new(SurfaceRolling::new(a, Plane, b, Quadric::sphere(0.3))) }
        ),
        joint!("gear", "radius_a = 0.3\nradius_b = 0.5", |a, b| Box::new(Gear::external(a, b, 0.3, 0.5))),
        joint!(
            "gear",
            "radius_a = 0.3\nradius_b = 0.5\ninternal = true\npressure_angle = 0.35\nhelix = -0.2\nother_flank = true\nphase = 0.1",
            |a, b| {
                let gear = Gear::internal(a, b, 0.3, 0.5).pressure_angle(0.35).helix(-0.2);
                Box::new(gear.other_flank().phase(0.1))
            }
        ),
        joint!("bevel-gear", "radius_a = 0.3\nradius_b = 0.5\naxis_b = [1, 0, 0.2]", |a, b| {
            Box::new(BevelGear::new(a, b.along([1.0, 0.0, 0.2]), 0.3, 0.5))
        }),
        joint!("worm", "lead = 0.1\nwheel_radius = 0.4\nworm_radius = 0.1\naxis_b = [1, 0, 0.2]", |a, b| {
            Box::new(Worm::new(a, b.along([1.0, 0.0, 0.2]), 0.1, 0.4).worm_radius(0.1))
        }),
        joint!("rack-and-pinion", "radius = 0.2", |a, b| Box::new(RackAndPinion::new(a, b, 0.2))),
        joint!("rack-and-pinion", "radius = 0.2\nother_side = true\nphase = 0.3\nx_axis_b = [0, 1, 0]", |a, b| {
            let rack = b.axes(Vec3::Y, Vec3::Z);
            Box::new(RackAndPinion::new(a, rack, 0.2).other_side().phase(0.3))
        }),
        joint!("belt", "radius_a = 0.2\nradius_b = 0.1", |a, b| Box::new(Belt::open(a, b, 0.2, 0.1))),
        joint!("belt", "radius_a = 0.2\nradius_b = 0.1\ncrossed = true\nphase = 0.2", |a, b| {
            Box::new(Belt::crossed(a, b, 0.2, 0.1).phase(0.2))
        }),
        joint!("winch", "radius = 0.1", |a, b| Box::new(Winch::new(a, b, 0.1))),
        joint!("winch", "radius = 0.1\nother_side = true\nlength = 0.9", |a, b| {
            Box::new(Winch::new(a, b, 0.1).other_side().length(0.9))
        }),
        joint!("rolling-disc", "radius = 0.4\naxis_b = [0.2, 1, 0.1]", |a, b| {
            Box::new(RollingDisc::new(a, b.along([0.2, 1.0, 0.1]), 0.4))
        }),
        joint!("rolling-sphere", "radius = 0.4", |a, b| Box::new(RollingSphere::new(a, b, 0.4))),
        joint!("knife-edge", "x_axis_b = [1, 1, 0]", |a, b| Box::new(KnifeEdge::new(
            a,
            b.axes([1.0, 1.0, 0.0], Vec3::Z)
        ))),
        joint!("velocity-ratio", "ratio = -2.5", |a, b| Box::new(VelocityRatio::spins(a, b, -2.5))),
        Case {
            engine: "reeving",
            text: "[joint.it]\nkind = \"reeving\"\npoints = [\"ground\", \"one.f\", { body = \"ground\", at = [1, 0, 2] }, \"two.f\", \"one\"]\nlength = 6",
            direct: |m, a, b| {
                let points = [BodyId::GROUND.origin(), a, BodyId::GROUND.at([1.0, 0.0, 2.0]), b, a.body.origin()];
                m.joint("it", Reeving::new(points).length(6.0));
            },
        },
        on_hinges!(
            "coupler",
            "[joint.it]\nkind = \"coupler\"\nterms = [{ joint = \"first.1\", factor = 2 }, { joint = \"second\", factor = -0.5 }]",
            |m, [_, angle, second, _]| {
                m.joint("it", Coupler::new([(2.0, angle), (-0.5, second)]));
            }
        ),
        on_hinges!(
            "differential",
            "[joint.it]\nkind = \"differential\"\nleft = \"first.1\"\nright = \"second\"\ncarrier = \"third\"\noffset = 0.1",
            |m, [_, angle, second, third]| {
                m.joint("it", Differential::new(angle, second, third).offset(0.1));
            }
        ),
        on_hinges!(
            "velocity-ratio",
            "[joint.it]\nkind = \"velocity-ratio\"\nfirst = \"first.1\"\nsecond = \"second\"\nratio = 3",
            |m, [_, angle, second, _]| {
                m.joint("it", VelocityRatio::coordinates(angle, second, 3.0));
            }
        ),
        Case {
            engine: "limit",
            text: "[joint.it]\nkind = \"cylindrical\"\na = \"one.f\"\nb = \"two.f\"\nlimits = [[-inf, 0.85], [-0.5, 0.1]]\nrestitution = 0.3",
            direct: |m, a, b| {
                let it = m.joint("it", Cylindrical::new(a, b));
                m.joint("it.limit", Limit::new(m.coordinate(it, 0), f64::NEG_INFINITY, 0.85).restitution(0.3));
                m.joint("it.limit.1", Limit::new(m.coordinate(it, 1), -0.5, 0.1).restitution(0.3));
            },
        },
        Case {
            engine: "dry-friction",
            text: "[joint.it]\nkind = \"cylindrical\"\na = \"one.f\"\nb = \"two.f\"\nfriction_coefficient = 0.2\nfriction_radius = 0.05\nfriction = 0.3",
            direct: |m, a, b| {
                let it = m.joint("it", Cylindrical::new(a, b));
                m.joint("it.friction", DryFriction::of_load(m.coordinate(it, 0), 0.2).with_constant(0.3));
                m.joint("it.friction.1", DryFriction::of_load(m.coordinate(it, 1), 0.2 * 0.05));
            },
        },
        on_hinges!("motor", "[drive.it]\nkind = \"speed\"\njoint = \"second\"\nvalue = 2\neffort = 0.03", |m,
                                                                                                           [
            _,
            _,
            second,
            _,
        ]| {
            m.joint("it", Motor::speed(second, 2.0).effort(0.03));
        }),
        on_hinges!(
            "motor",
            "[drive.it]\nkind = \"position\"\njoint = \"first.0\"\nvalue = { kind = \"smooth-step\", to = 0.3, end = 0.2 }",
            |m, [way, ..]| {
                m.joint("it", Motor::position(way, SmoothStep { from: 0.0, to: 0.3, start: 0.0, end: 0.2 }));
            }
        ),
        on_hinges!(
            "motor",
            "[drive.it]\nkind = \"speed\"\njoint = \"second\"\nvalue = { kind = \"harmonic\", amplitude = 2, frequency = 5, phase = 0.3 }",
            |m, [_, _, second, _]| {
                let f = Harmonic { mean: 0.0, amplitude: 2.0, frequency: 5.0, phase: 0.3 };
                m.joint("it", Motor::speed(second, f));
            }
        ),
        on_hinges!("torque", "[drive.it]\nkind = \"torque\"\njoint = \"second\"\nvalue = \"3*t\"", |m,
                                                                                                    [
            _,
            _,
            second,
            _,
        ]| {
            m.force("it", CoordinateForce::new(second, |_, _, t| 3.0 * t));
        }),
        on_hinges!(
            "torque-curve",
            "[drive.it]\nkind = \"torque-curve\"\njoint = \"second\"\ntorque = \"5 - w^2\"\nthrottle = 0.5",
            |m, [_, _, second, _]| {
                let curve = TorqueCurve::new(|w: f64| [5.0 - w * w, -2.0 * w, -2.0]).throttle(0.5);
                m.force("it", CoordinateForce::motor(second, curve));
            }
        ),
        on_hinges!(
            "torque-curve",
            "[drive.it]\nkind = \"torque-curve\"\njoint = \"second\"\nstall_torque = 2\nno_load_speed = 30\nthrottle = \"-1\"",
            |m, [_, _, second, _]| {
                m.force("it", CoordinateForce::motor(second, TorqueCurve::stall_and_no_load(2.0, 30.0).throttle(-1.0)));
            }
        ),
        on_hinges!(
            "torque-curve",
            "[drive.it]\nkind = \"torque-curve\"\njoint = \"second\"\nconstant = 0.05\nresistance = 0.8\nvoltage = 12",
            |m, [_, _, second, _]| {
                m.force("it", CoordinateForce::motor(second, TorqueCurve::dc(0.05, 0.8, 12.0)));
            }
        ),
        on_hinges!(
            "controller",
            "[drive.it]\nkind = \"controller\"\njoint = \"second\"\nvalue = 0.4\nkp = 20\nkd = 0.5\nlimit = 6",
            |m, [_, _, second, _]| {
                let law = |q: f64, w: f64, _| (20.0 * (0.4 - q) - 0.5 * w).clamp(-6.0, 6.0);
                m.force("it", CoordinateForce::new(second, law));
            }
        ),
        Case {
            engine: "prescribed-point",
            text: "[drive.it]\nkind = \"path\"\na = \"one.f\"\nb = \"two.f\"\nx = \"0.4 + 0.1*t^2\"\nz = 0.7",
            direct: |m, a, b| {
                let path = |t: f64| [vec3(0.4 + 0.1 * t * t, 0.0, 0.7), vec3(0.2 * t, 0.0, 0.0), vec3(0.2, 0.0, 0.0)];
                m.joint("it", PrescribedPoint::new(a, b, path).only(true, false, true));
            },
        },
        Case {
            engine: "prescribed-point",
            text: "[drive.it]\nkind = \"path\"\na = \"one.f\"\nb = \"two.f\"\ncurve = { kind = \"circle\", radius = 0.5 }\ndistance = \"0.2*t\"",
            direct: |m, a, b| {
                let path = |t: f64| {
                    let (s, c) = libm::sincos(0.4 * t);
                    let (e, f) = (vec3(c, s, 0.0) * 0.5, vec3(-s, c, 0.0) * 0.5);
                    [e, f * 0.4, e * -0.16]
                };
                m.joint("it", PrescribedPoint::new(a, b, path));
            },
        },
        on_hinges!(
            "servo",
            "[drive.it]\nkind = \"servo\"\nactuators = [\"second\", \"first.0\"]\ncondition = { kind = \"path\", b = \"two\", x = \"0.4 + 0.1*t\", y = 0 }",
            |m, [way, _, second, _]| {
                let path = |t: f64| [vec3(0.4 + 0.1 * t, 0.0, 0.0), vec3(0.1, 0.0, 0.0), Vec3::ZERO];
                let two = BodyId::from_index(1).origin();
                let led = PrescribedPoint::new(BodyId::GROUND.origin(), two, path).only(true, true, false);
                m.joint("it", Servo::new(led, [second, way]));
            }
        ),
        Case {
            engine: "serial",
            text: "[joint.it]\nkind = \"serial\"\na = \"one\"\nb = \"two\"\nat = [0.3, 0.1, 0.7]\nfreedoms = [\n\
                   { kind = \"hinge\", axis = [0, 1, 0.2], at = [0.3, 0.1, 0.8] },\n{ kind = \"slide\", axis = [1, 0, 0] },\n\
                   { kind = \"hinge\", axis = [1, 0, 0.3] },\n]\n",
            direct: |m, a, b| {
                let at = (vec3(0.3, 0.1, 0.7), Mat3::IDENTITY);
                let freedoms = [
                    joints::Freedom::Hinge { axis: vec3(0.0, 1.0, 0.2), point: vec3(0.0, 0.0, 0.1) },
                    joints::Freedom::Slide { axis: Vec3::X },
                    joints::Freedom::Hinge { axis: vec3(1.0, 0.0, 0.3), point: Vec3::ZERO },
                ];
                m.joint("it", joints::Serial::new(back(m, a.body, at), back(m, b.body, at), freedoms));
            },
        },
        Case {
            engine: "formula",
            text: "[joint.it]\nkind = \"formula\"\npoints = { a = \"one.f\", b = \"two.f\" }\nexpression = \"distance(a, b) - 0.9\"\n",
            direct: |m, a, b| {
                m.joint("it", Written::new([a.p(), b.p()], |[p, q], _| [(p - q).length() - 0.9]));
            },
        },
        Case {
            engine: "rotor-gear",
            text: "[body.r]\nkind = \"rotor\"\nrotor_inertia = 0.3\nrate = 0.4\n[joint.hinge]\nkind = \"revolute\"\nb = \"one.f\"\n\
                   [joint.it]\nkind = \"rotor-gear\"\nb = \"r\"\njoint = \"hinge\"\nratio = 2\n",
            direct: |m, a, _| {
                let r = m.body("r", holonom::bodies::Rotor::new(0.3).rate(0.4));
                let hinge = m.joint("hinge", Revolute::new(back(m, BodyId::GROUND, drawn(a.body, a)), a));
                let angle = m.coordinate(hinge, 0);
                m.joint("it", joints::RotorGear::new(r, angle, 2.0));
            },
        },
    ]
}

fn three() -> [Vec3; 3] {
    [vec3(0.0, 0.0, 0.0), vec3(0.5, 0.2, 0.4), vec3(0.3, -0.4, 1.0)]
}

/// The engine's names for what a scene calls otherwise. The mouse is a hand that moves while it runs: there is nothing to write in a file.
fn scene_names(engine: &str) -> &'static [&'static str] {
    match engine {
        "motor" => &["position", "speed"],
        "prescribed-point" => &["path"],
        // said by fields of joints: `limits`, and `friction` or `friction_coefficient`
        "mouse" | "limit" | "dry-friction" => &[],
        other => JOINTS.find(other).or(DRIVES.find(other)).map_or(&["?"], |k| std::slice::from_ref(&k.name)),
    }
}

/// Joints between two frames without a case by hand: with every other field left out they are the sample of their own
/// declaration.
fn plain_joints() -> Vec<&'static joints::JointDeclaration> {
    let (cases, mut plain) = (cases(), joints::JOINTS.to_vec());
    plain.retain(|d| cases.iter().all(|c| c.engine != d.name()));
    plain.retain(|d| matches!(d.kind.make, Make::Joint(_)) && d.sample.is_some());
    plain.retain(|d| d.kind.all_fields().all(|f| ["a", "b"].contains(&f.name) || !matches!(f.need, Need::Required)));
    plain
}

#[test]
fn every_kind_of_the_engine_has_a_name_in_scenes_and_a_case_here() {
    let (cases, plain) = (cases(), plain_joints());
    for kind in joints::JOINTS.iter().map(|d| &d.kind) {
        for name in scene_names(kind.name) {
            assert!(JOINTS.find(name).is_some() || DRIVES.find(name).is_some(), "`{}` cannot be written", kind.name);
            let asked = |c: &&Case| c.engine == kind.name && c.text.contains(&format!("kind = \"{name}\""));
            let is_plain = plain.iter().any(|d| d.name() == *name);
            assert!(is_plain || cases.iter().any(|c| asked(&c)), "no case for `{}` as `{name}`", kind.name);
        }
    }
    for (engine, field) in [("limit", "limits"), ("dry-friction", "friction"), ("dry-friction", "friction_coefficient")]
    {
        assert!(JOINTS.common.iter().any(|f| f.name == field), "{field}");
        let asked = |c: &Case| c.engine == engine && c.text.contains(&format!("\n{field} = "));
        assert!(cases.iter().any(asked), "no case for `{engine}` as `{field}`");
    }
    // and nothing here is left out of the cases
    for kind in JOINTS.kinds().chain(DRIVES.kinds()).chain(CURVES.kinds()).chain(SURFACES.kinds()) {
        let written = format!("kind = \"{}\"", kind.name);
        let is_plain = plain.iter().any(|d| d.name() == kind.name);
        assert!(is_plain || cases.iter().any(|c| c.text.contains(&written)), "no case for `{}`", kind.name);
    }
}

#[test]
fn a_joint_from_text_is_the_joint_from_the_program() {
    for case in cases() {
        compare_roads(case.text, case.direct);
    }
    for joint in plain_joints() {
        let text = format!("[joint.it]\nkind = \"{}\"\na = \"one.f\"\nb = \"two.f\"\n", joint.name());
        let sample = joint.sample.expect("a sample");
        compare_roads(&text, |m, a, b| {
            m.boxed_joint("it", sample(a, b, &mut SplitMix(1)));
        });
    }
}

/// The same model, start and motion from a scene and from a program.
fn compare_roads(text: &str, direct: impl Fn(&mut ModelBuilder, Marker, Marker)) {
    let scene = format!("{BODIES}{text}");
    let loaded = Loader::new().load_text("case.toml", scene).unwrap_or_else(|e| panic!("{text}\n{}", e.render()));
    let model = loaded.build().unwrap_or_else(|e| panic!("{text}\n{}", e.render()));
    let mut m = ModelBuilder::new();
    let [a, b] = bodies(&mut m);
    direct(&mut m, a, b);
    let direct = m.build().unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(model.n_rows(), direct.n_rows(), "{text}");
    let (mut one, mut other) = (Simulation::new(model), Simulation::new(direct));
    compare(&one, &other, text);
    let (x, y) = (one.accelerations().expect("solves"), other.accelerations().expect("solves"));
    let size = y.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (x, y) in x.iter().zip(&y) {
        assert!((x - y).abs() <= 1e-10 * size, "acceleration {x} against {y}\n{text}");
    }
    let (x, y) = (one.multipliers().expect("solves"), other.multipliers().expect("solves"));
    let size = y.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (x, y) in x.iter().zip(&y) {
        assert!((x - y).abs() <= 1e-10 * size, "multiplier {x} against {y}\n{text}");
    }
    one.run_until(0.1).expect("runs");
    other.run_until(0.1).expect("runs");
    compare(&one, &other, text);
}

fn compare(one: &Simulation, other: &Simulation, text: &str) {
    for (what, x, y) in [("q", &one.state().q, &other.state().q), ("v", &one.state().v, &other.state().v)] {
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= 1e-11 * (1.0 + y.abs()), "{what}: {x} against {y} at t = {}\n{text}", one.time());
        }
    }
}

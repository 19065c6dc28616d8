//! Kinds of forces. Those between two points take the bodies' origins where no point is named; those about an axis are placed like joints.
//! (User forces are made from Rust functions: they are code, not scenes.)

use super::{Make, Mistake, mistake, tyres};
use crate::build::Site;
use crate::codes;
use crate::fields::*;
use holonom::forces::{Force, Matrix6};
use holonom::functions::Function;
use holonom::prelude::*;
use std::sync::Arc;

/// Kinds of forces.
pub static FORCES: Family = Family {
    name: "force",
    common: &[],
    kinds: &[LOADS, SPRINGS, RESISTANCE, ON_COORDINATES, tyres::KINDS],
    default: None,
};

/// Two points.
pub static ENDS: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point on it; the body's origin if no point is named"),
    required("b", Type::Point, "second body, or a point on it; the body's origin if no point is named"),
];

/// Two bodies with an axis or axes in common, as in joints.
pub static AXES: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point or frame on it"),
    required("b", Type::Point, "second body, or a point or frame on it"),
    optional("at", POSITION, "the point named, or the origin of b", "where it is in the world, at the poses given"),
    optional(
        "axis",
        Type::Direction,
        "z of the frame named, or of the world",
        "its z axis in the world, at the poses given",
    ),
    optional("x_axis", Type::Direction, "perpendicular to the axis", "its x axis, roughly, in the world"),
];

const FRAME_OF_LOAD: Field = optional(
    "axes",
    Type::Choice(&["world", "body"]),
    "world",
    "whose axes: those of the world, or those of the body (of its frame, if `on` names one), which turn with it",
);

/// How the torque of a motor depends on its speed: by a function, or by the figures of a DC motor.
pub static MOTOR: &[Field] = &[
    optional(
        "torque",
        Type::Function("w", "N m or N"),
        "a DC motor",
        "torque at full throttle as a function of the speed w, rad/s or m/s",
    ),
    optional("stall_torque", Type::Number(Allowed::Positive, "N m"), "not said", "of a DC motor at full voltage"),
    optional("no_load_speed", Type::Number(Allowed::Positive, "rad/s"), "not said", "of a DC motor at full voltage"),
    optional("constant", Type::Number(Allowed::Positive, "N m/A"), "not said", "of a DC motor; the same as V s"),
    optional("resistance", Type::Number(Allowed::Positive, "ohm"), "not said", "of the winding of a DC motor"),
    optional("voltage", Type::Number(Allowed::Positive, "V"), "not said", "full voltage of a DC motor"),
    optional(
        "throttle",
        Type::Function("t", ""),
        "1",
        "how far it is open, 0 to 1; for a DC motor the part of the full voltage, -1 to 1",
    ),
];

static LOADS: &[Kind] = &[
    Kind {
        name: "point-force",
        summary: "a force on a point of a body, constant or a function of time",
        fields: &[&[
            required("on", Type::Point, "the body, or a point on it"),
            required("force", Type::VectorFunction("t", "N"), "the force; each component a number or a function of t"),
            FRAME_OF_LOAD,
        ]],
        make: Make::Force(|r, s| {
            let on = s.point("on")?;
            Ok(match steady(r, "force") {
                Some(force) if !in_body(r) => Box::new(PointForce::new(on, force)),
                _ => load(r, "force", on, on.p()),
            })
        }),
    },
    Kind {
        name: "torque",
        summary: "a torque on a body, constant or a function of time",
        fields: &[&[
            required("on", Type::Point, "the body, or a frame on it"),
            required(
                "torque",
                Type::VectorFunction("t", "N m"),
                "the torque; each component a number or a function of t",
            ),
            FRAME_OF_LOAD,
        ]],
        make: Make::Force(|r, s| {
            let on = s.point("on")?;
            Ok(match steady(r, "torque") {
                Some(torque) if !in_body(r) => Box::new(Torque::new(on.body, torque)),
                _ => load(r, "torque", on, on.spin()),
            })
        }),
    },
];

fn in_body(r: &Record) -> bool {
    r.text("axes") == Some("body")
}

/// The vector, if all three are plain numbers.
fn steady(r: &Record, field: &str) -> Option<Vec3> {
    match r.list(field) {
        [(Val::Number(x), _), (Val::Number(y), _), (Val::Number(z), _)] => Some(vec3(*x, *y, *z)),
        _ => None,
    }
}

/// The three components as functions of time.
fn components(r: &Record, field: &str) -> [Arc<dyn Function>; 3] {
    let list = r.list(field);
    std::array::from_fn(|k| match list.get(k) {
        Some((Val::Function(f), _)) => f.clone(),
        Some((Val::Number(x), _)) => Arc::new(*x) as Arc<dyn Function>,
        _ => Arc::new(0.0),
    })
}

/// A push by functions of time, in the axes of the world or of the marker.
fn load(r: &Record, field: &str, on: Marker, pushed: holonom::Attachment) -> Box<dyn Force> {
    let parts = components(r, field);
    let value = move |t: f64| vec3(parts[0].at(t)[0], parts[1].at(t)[0], parts[2].at(t)[0]);
    if in_body(r) {
        Box::new(UserForce::new([pushed, on.x(), on.y(), on.z()], move |a, t, push| {
            let f = value(t);
            push.on(0, a.at(1) * f.x + a.at(2) * f.y + a.at(3) * f.z);
        }))
    } else {
        Box::new(UserForce::new([pushed], move |_, t, push| push.on(0, value(t))))
    }
}

static SPRINGS: &[Kind] = &[
    Kind {
        name: "spring",
        summary: "a linear spring and damper between two points",
        fields: &[
            ENDS,
            &[
                required("stiffness", Type::Number(Allowed::NotNegative, "N/m"), "tension per way"),
                optional("length", Type::Number(Allowed::NotNegative, "m"), "0", "length at which it does not pull"),
                optional("damping", Type::Number(Allowed::NotNegative, "N s/m"), "0", "tension per speed"),
            ],
        ],
        make: Make::Force(|r, s| {
            let (a, b) = ends(r, s)?;
            Ok(Box::new(Spring::new(a, b, of(r, "stiffness"), of(r, "length")).damping(of(r, "damping"))))
        }),
    },
    Kind {
        name: "spring-law",
        summary: "a spring, a damper or both between two points, by laws of your own",
        fields: &[
            ENDS,
            &[
                optional("tension", Type::Function("x", "N"), "0", "tension as a function of the length x (m)"),
                optional(
                    "length",
                    Type::Number(Allowed::NotNegative, "m"),
                    "0",
                    "length at which its energy is called 0",
                ),
                optional(
                    "damping",
                    Type::Function("v", "N"),
                    "0",
                    "tension as a function of the rate v of the length (m/s), in addition",
                ),
            ],
        ],
        make: Make::Force(|r, s| {
            let (a, b) = ends(r, s)?;
            Ok(match (r.function("tension"), r.function("damping")) {
                (Some(f), None) => Box::new(SpringLaw::new(a, b, f, of(r, "length"))),
                (Some(f), Some(d)) => Box::new(SpringLaw::new(a, b, f, of(r, "length")).damping(d)),
                (None, Some(d)) => Box::new(SpringLaw::damper(a, b, d)),
                (None, None) => return Err(one_of(r, "tension", "damping")),
            })
        }),
    },
    Kind {
        name: "one-sided-spring",
        summary: "a spring that only pulls (an elastic rope) or only pushes (a buffer)",
        fields: &[
            ENDS,
            &[
                required("stiffness", Type::Number(Allowed::NotNegative, "N/m"), "force per way"),
                required("length", Type::Number(Allowed::NotNegative, "m"), "length at which it begins to act"),
                optional(
                    "side",
                    Type::Choice(&["tension", "compression"]),
                    "tension",
                    "whether it acts when longer (tension) or when shorter (compression)",
                ),
            ],
        ],
        make: Make::Force(|r, s| {
            let (a, b) = ends(r, s)?;
            let (k, rest) = (of(r, "stiffness"), of(r, "length"));
            let law = match r.text("side") {
                Some("compression") => OneSided::compression(k, rest),
                _ => OneSided::tension(k, rest),
            };
            Ok(Box::new(SpringLaw::new(a, b, law, rest)))
        }),
    },
    Kind {
        name: "torsion-spring",
        summary: "a linear torsion spring and damper about a common axis that a joint keeps; it does not count turns",
        fields: &[
            AXES,
            &[
                required("stiffness", Type::Number(Allowed::NotNegative, "N m/rad"), "torque per angle"),
                optional("rest", ANGLE, "0", "angle at which it does not pull, from the poses given"),
                optional("damping", Type::Number(Allowed::NotNegative, "N m s/rad"), "0", "torque per angular speed"),
            ],
        ],
        make: Make::Force(|r, s| {
            let spring = TorsionSpring::new(s.a, s.b, of(r, "stiffness"), of(r, "rest"));
            Ok(Box::new(spring.damping(of(r, "damping"))))
        }),
    },
    Kind {
        name: "torsion-law",
        summary: "a torsion spring, a damper or both about the z axis of a, by laws of your own",
        fields: &[
            AXES,
            &[
                optional("torque", Type::Function("x", "N m"), "0", "torque that turns b back, by the angle x (rad)"),
                optional("rest", ANGLE, "0", "angle at which its energy is called 0"),
                optional(
                    "damping",
                    Type::Function("v", "N m"),
                    "0",
                    "torque against the rate v of the angle (rad/s), in addition",
                ),
                optional("middle", ANGLE, "0", "the angle is taken within half a turn of this one"),
            ],
        ],
        make: Make::Force(|r, s| {
            let law = match (r.function("torque"), r.function("damping")) {
                (Some(f), None) => TorsionLaw::new(s.a, s.b, f, of(r, "rest")),
                (Some(f), Some(d)) => TorsionLaw::new(s.a, s.b, f, of(r, "rest")).damping(d),
                (None, Some(d)) => TorsionLaw::damper(s.a, s.b, d),
                (None, None) => return Err(one_of(r, "torque", "damping")),
            };
            Ok(Box::new(law.middle(of(r, "middle"))))
        }),
    },
    Kind {
        name: "bushing",
        summary: "stiffness and damping in all six directions between two frames, in the axes of a",
        fields: &[
            AXES,
            &[
                optional("stiffness", Type::Numbers("N/m"), "0", "along x, y, z; one number for all three"),
                optional(
                    "torsional_stiffness",
                    Type::Numbers("N m/rad"),
                    "0",
                    "about x, y, z; one number for all three",
                ),
                optional("damping", Type::Numbers("N s/m"), "0", "along x, y, z; one number for all three"),
                optional(
                    "torsional_damping",
                    Type::Numbers("N m s/rad"),
                    "0",
                    "about x, y, z; one number for all three",
                ),
                optional(
                    "stiffness_matrix",
                    Type::Numbers("N/m, N/rad, N m/rad"),
                    "from the above",
                    "all of it: 36 numbers, row by row over (x, y, z; turns about x, y, z); symmetric, no negative eigenvalue",
                ),
                optional("damping_matrix", Type::Numbers("N s/m, ..."), "from the above", "the same for the damping"),
                optional("preload_force", Type::Vector("N"), "[0, 0, 0]", "on a, where the two frames coincide"),
                optional("preload_torque", Type::Vector("N m"), "[0, 0, 0]", "on a, where the two frames coincide"),
            ],
        ],
        make: Make::Force(bushing),
    },
    Kind {
        name: "axis-motor",
        summary: "a motor between two bodies about the z axis of a: its torque on b depends on the speed",
        fields: &[AXES, MOTOR],
        make: Make::Force(|r, s| Ok(Box::new(AxisMotor::new(s.a, s.b, torque_curve(r)?)))),
    },
];

static RESISTANCE: &[Kind] = &[
    Kind {
        name: "drag",
        summary: "resistance of a fluid against a point: linear, quadratic, or both",
        fields: &[&[
            required("on", Type::Point, "the body, or a point on it"),
            optional("linear", Type::Number(Allowed::NotNegative, "N s/m"), "0", "force per speed"),
            optional("density", Type::Number(Allowed::NotNegative, "kg/m^3"), "no quadratic part", "of the fluid"),
            optional("coefficient", Type::Number(Allowed::NotNegative, ""), "1", "drag coefficient"),
            optional("area", Type::Number(Allowed::NotNegative, "m^2"), "no quadratic part", "frontal area"),
            optional("wind", Type::Vector("m/s"), "[0, 0, 0]", "velocity of the fluid, world axes"),
        ]],
        make: Make::Force(|r, s| {
            if r.has("density") != r.has("area") || (r.has("coefficient") && !r.has("density")) {
                let m = mistake(r, "coefficient", codes::MISSING_FIELD, "quadratic drag needs `density` and `area`");
                return Err(Box::new(m.help("write  density = 1.2, area = 0.5  (kg/m^3, m^2)")));
            }
            let mut drag = Drag::linear(s.point("on")?, of(r, "linear"));
            if let (Some(density), Some(area)) = (r.number("density"), r.number("area")) {
                drag = drag.plus_quadratic(density, r.number("coefficient").unwrap_or(1.0), area);
            } else if !r.has("linear") {
                return Err(one_of(r, "linear", "density"));
            }
            Ok(Box::new(drag.wind(r.vector("wind").unwrap_or_default())))
        }),
    },
    Kind {
        name: "angular-drag",
        summary: "resistance of a fluid against the spin of a body",
        fields: &[&[
            required("on", Type::Point, "the body"),
            optional("linear", Type::Number(Allowed::NotNegative, "N m s/rad"), "0", "torque per angular speed"),
            optional("quadratic", Type::Number(Allowed::NotNegative, "N m s^2/rad^2"), "0", "torque per its square"),
        ]],
        make: Make::Force(|r, s| {
            if !r.has("linear") && !r.has("quadratic") {
                return Err(one_of(r, "linear", "quadratic"));
            }
            Ok(Box::new(AngularDrag::new(s.point("on")?.body, of(r, "linear"), of(r, "quadratic"))))
        }),
    },
    Kind {
        name: "spin-damper",
        summary: "resistance against the spin of b against a, about whatever axis: a ball joint in grease",
        fields: &[&[
            optional("a", Type::Point, "ground", "first body"),
            required("b", Type::Point, "second body"),
            required("damping", Type::Number(Allowed::NotNegative, "N m s/rad"), "torque per relative angular speed"),
        ]],
        make: Make::Force(|r, s| {
            let c = of(r, "damping");
            Ok(Box::new(UserForce::new([s.a.spin(), s.b.spin()], move |a, _, push| {
                let torque = (a.rate(0) - a.rate(1)) * c;
                push.on(1, torque);
                push.on(0, -torque);
            })))
        }),
    },
];

const JOINT: Field = required("joint", Type::Coordinate, "the joint, or one of its coordinates");

/// One coordinate, or a weighted sum of several.
static SUM: &[Field] = &[
    optional("joint", Type::Coordinate, "`terms`", "the joint, or one of its coordinates"),
    optional(
        "terms",
        Type::Records(&[
            required("joint", Type::Coordinate, "the joint, or one of its coordinates"),
            required("factor", NUMBER, "what its coordinate is multiplied by; such that all have one unit"),
        ]),
        "`joint`",
        "instead of one coordinate: a sum of several, as of a tendon over many joints",
    ),
];

/// The coordinates of a force, each with its factor.
fn terms(r: &Record, s: &Site) -> Result<Vec<(f64, Coordinate)>, Mistake> {
    match (r.has("joint"), r.has("terms")) {
        (true, false) => return Ok(vec![(1.0, s.coordinate("joint")?)]),
        (true, true) => return Err(mistake(r, "terms", codes::EXCLUSIVE, "`joint` and `terms` exclude each other")),
        (false, false) => return Err(one_of(r, "joint", "terms")),
        (false, true) => {}
    }
    let mut out = Vec::new();
    for (value, _) in r.list("terms") {
        let Val::Record(term) = value else { continue };
        let Some(c) = term.coordinate("joint") else { continue };
        out.push((term.number("factor").unwrap_or(1.0), s.coordinate_of(c, term.span_of("joint"))?));
    }
    if out.is_empty() {
        let m = mistake(r, "terms", codes::WRONG_LENGTH, "`terms` has too few elements");
        return Err(Box::new(m.label("0, must be at least 1")));
    }
    Ok(out)
}

static ON_COORDINATES: &[Kind] = &[
    Kind {
        name: "coordinate-force",
        summary: "a force along, or a torque about, the coordinate of a joint, as a function of time",
        fields: &[
            SUM,
            &[required(
                "force",
                Type::Function("t", "N or N m"),
                "what drives the coordinate forward, as a function of t",
            )],
        ],
        make: Make::Force(|r, s| {
            let f = r.function("force").unwrap_or_else(|| Arc::new(0.0));
            let terms = terms(r, s)?;
            let first = terms[0].1.clone();
            Ok(Box::new(CoordinateForce::new(first, move |_, _, t| f.at(t)[0]).on_sum(terms)))
        }),
    },
    Kind {
        name: "coordinate-spring",
        summary: "a linear spring and damper on the coordinate of a joint; angles count turns",
        fields: &[
            SUM,
            &[
                optional("stiffness", Type::Number(Allowed::NotNegative, "N/m or N m/rad"), "0", "force per way"),
                optional("rest", Type::Number(Allowed::Any, "m or rad"), "0", "value at which it does not pull"),
                optional("damping", Type::Number(Allowed::NotNegative, "N s/m or N m s/rad"), "0", "force per rate"),
            ],
        ],
        make: Make::Force(|r, s| {
            if !r.has("stiffness") && !r.has("damping") {
                return Err(one_of(r, "stiffness", "damping"));
            }
            let terms = terms(r, s)?;
            let spring = CoordinateForce::spring(terms[0].1.clone(), of(r, "stiffness"), of(r, "rest"));
            Ok(Box::new(spring.damping(of(r, "damping")).on_sum(terms)))
        }),
    },
    Kind {
        name: "coordinate-servo",
        summary: "a drive with feedback on the coordinate of a joint whose force has limits",
        fields: &[
            SUM,
            &[
                required(
                    "force",
                    Type::Function("t", "N or N m"),
                    "what drives the coordinate forward, as a function of t",
                ),
                optional("stiffness", Type::Number(Allowed::NotNegative, "N/m or N m/rad"), "0", "force back per way"),
                optional("rest", Type::Number(Allowed::Any, "m or rad"), "0", "value from which the way counts"),
                optional(
                    "damping",
                    Type::Number(Allowed::NotNegative, "N s/m or N m s/rad"),
                    "0",
                    "force back per rate",
                ),
                required("least", Type::Number(Allowed::Any, "N or N m"), "smallest force, all together"),
                required("most", Type::Number(Allowed::Any, "N or N m"), "largest force"),
            ],
        ],
        make: Make::Force(|r, s| {
            let f = r.function("force").unwrap_or_else(|| Arc::new(0.0));
            let (k, rest, c) = (of(r, "stiffness"), of(r, "rest"), of(r, "damping"));
            let (least, most) = (of(r, "least"), of(r, "most"));
            if !(least <= most) {
                let m = mistake(r, "most", codes::OUT_OF_RANGE, "`most` is out of range");
                return Err(Box::new(m.label(format!("{most}, must not be less than `least`, {least}"))));
            }
            let terms = terms(r, s)?;
            let law = move |q: f64, v: f64, t: f64| (f.at(t)[0] - k * (q - rest) - c * v).clamp(least, most);
            Ok(Box::new(CoordinateForce::new(terms[0].1.clone(), law).on_sum(terms)))
        }),
    },
    Kind {
        name: "coordinate-feedback",
        summary: "an actuator on the coordinate of a joint, told by sensors of any coordinates, which feel nothing of it",
        fields: &[&[
            JOINT,
            required(
                "sensors",
                Type::Records(&[
                    required("joint", Type::Coordinate, "the joint, or one of its coordinates"),
                    optional(
                        "gain",
                        NUMBER,
                        "0",
                        "force per way or angle; a negative one on the own coordinate is a spring",
                    ),
                    optional(
                        "rate_gain",
                        NUMBER,
                        "0",
                        "force per rate; a negative one on the own coordinate is a damper",
                    ),
                ]),
                "what the force depends on: the sum of gain times coordinate and rate_gain times rate",
            ),
            optional("offset", Type::Number(Allowed::Any, "N or N m"), "0", "a constant force in addition"),
            optional("least", Type::Number(Allowed::Any, "N or N m"), "none", "smallest force, all together"),
            optional("most", Type::Number(Allowed::Any, "N or N m"), "none", "largest force"),
        ]],
        make: Make::Force(|r, s| {
            let mut sensors = Vec::new();
            for (value, _) in r.list("sensors") {
                let Val::Record(sensor) = value else { continue };
                let Some(c) = sensor.coordinate("joint") else { continue };
                let c = s.coordinate_of(c, sensor.span_of("joint"))?;
                sensors.push((of(sensor, "gain"), of(sensor, "rate_gain"), c));
            }
            let least = r.number("least").unwrap_or(f64::NEG_INFINITY);
            let most = r.number("most").unwrap_or(f64::INFINITY);
            if !(least <= most) {
                let m = mistake(r, "most", codes::OUT_OF_RANGE, "`most` is out of range");
                return Err(Box::new(m.label(format!("{most}, must not be less than `least`, {least}"))));
            }
            let force = Feedback::new(s.coordinate("joint")?, sensors);
            Ok(Box::new(force.offset(of(r, "offset")).range(least, most)))
        }),
    },
    Kind {
        name: "coordinate-law",
        summary: "a spring or a damper by a law of your own on the coordinate of a joint",
        fields: &[&[
            JOINT,
            optional(
                "spring",
                Type::Function("x", "N or N m"),
                "none",
                "what pulls back, by the coordinate x (m or rad)",
            ),
            optional("rest", Type::Number(Allowed::Any, "m or rad"), "0", "value at which its energy is called 0"),
            optional("damper", Type::Function("v", "N or N m"), "none", "what resists, by the rate v (m/s or rad/s)"),
            optional(
                "damping",
                Type::Number(Allowed::NotNegative, "N s/m or N m s/rad"),
                "0",
                "force per rate, in addition",
            ),
        ]],
        make: Make::Force(|r, s| {
            let c = s.coordinate("joint")?;
            let law = match (r.function("spring"), r.function("damper")) {
                (Some(f), None) => CoordinateForce::spring_law(c, f, of(r, "rest")),
                (None, Some(f)) => CoordinateForce::damper_law(c, f),
                (None, None) => return Err(one_of(r, "spring", "damper")),
                (Some(_), Some(_)) => {
                    let m = mistake(r, "damper", codes::EXCLUSIVE, "`spring` and `damper` exclude each other");
                    return Err(Box::new(m.help("make them two forces on the same joint")));
                }
            };
            Ok(Box::new(law.damping(of(r, "damping"))))
        }),
    },
];

fn of(r: &Record, name: &str) -> f64 {
    r.number(name).unwrap_or(0.0)
}

fn one_of(r: &Record, first: &str, second: &str) -> Mistake {
    let m = mistake(r, first, codes::MISSING_FIELD, format!("neither `{first}` nor `{second}` is given"));
    Box::new(m.help("give at least one of them"))
}

/// The points at the two ends.
fn ends(r: &Record, s: &Site) -> Result<(Marker, Marker), Mistake> {
    let a = if r.has("a") { s.point("a")? } else { BodyId::GROUND.origin() };
    Ok((a, s.point("b")?))
}

/// One number for x, y and z, or three; not negative.
fn three(r: &Record, field: &str) -> Result<Vec3, Mistake> {
    let v = match r.numbers(field) {
        None => Vec3::ZERO,
        Some([x]) => Vec3::splat(*x),
        Some([x, y, z]) => vec3(*x, *y, *z),
        Some(other) => {
            let m = mistake(r, field, codes::WRONG_LENGTH, format!("`{field}` must have 1 or 3 elements"));
            return Err(Box::new(m.label(format!("{} elements", other.len()))));
        }
    };
    if !(v.min_element() >= 0.0) {
        let m = mistake(r, field, codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
        return Err(Box::new(m.label(format!("{}, must not be negative", v.min_element()))));
    }
    Ok(v)
}

/// A matrix by its 36 numbers, or with two vectors along its diagonal.
fn matrix(r: &Record, whole: &str, along: &str, about: &str) -> Result<Matrix6, Mistake> {
    let Some(numbers) = r.numbers(whole) else {
        let (u, w) = (three(r, along)?, three(r, about)?);
        let diagonal = [u.x, u.y, u.z, w.x, w.y, w.z];
        return Ok(std::array::from_fn(|i| std::array::from_fn(|j| if i == j { diagonal[i] } else { 0.0 })));
    };
    if let Some(other) = [along, about].into_iter().find(|f| r.has(f)) {
        let m = mistake(r, other, codes::EXCLUSIVE, format!("`{other}` and `{whole}` exclude each other"));
        return Err(Box::new(m.help("keep one of them")));
    }
    if numbers.len() != 36 {
        let m = mistake(r, whole, codes::WRONG_LENGTH, format!("`{whole}` must have 36 elements"));
        return Err(Box::new(m.label(format!("{} elements", numbers.len()))));
    }
    Ok(std::array::from_fn(|i| std::array::from_fn(|j| numbers[6 * i + j])))
}

fn bushing(r: &Record, s: &Site) -> Result<Box<dyn Force>, Mistake> {
    let stiffness = matrix(r, "stiffness_matrix", "stiffness", "torsional_stiffness")?;
    let damping = matrix(r, "damping_matrix", "damping", "torsional_damping")?;
    let of = |name: &str| r.vector(name).unwrap_or_default();
    let bushing = Bushing::full(s.a, s.b, stiffness).full_damping(damping);
    Ok(Box::new(bushing.preload(of("preload_force"), of("preload_torque"))))
}

/// The torque curve of a motor: a function, or a DC motor in one of two ways.
pub fn torque_curve(r: &Record) -> Result<TorqueCurve, Mistake> {
    let curve = r.function("torque");
    let speeds = (r.number("stall_torque"), r.number("no_load_speed"));
    let electric = (r.number("constant"), r.number("resistance"), r.number("voltage"));
    let curve = match (curve, speeds, electric) {
        (Some(f), (None, None), (None, None, None)) => TorqueCurve::new(f),
        (None, (Some(stall), Some(speed)), (None, None, None)) => TorqueCurve::stall_and_no_load(stall, speed),
        (None, (None, None), (Some(k), Some(resistance), Some(u))) => TorqueCurve::dc(k, resistance, u),
        _ => {
            let m = mistake(r, "torque", codes::EXCLUSIVE, "the motor must be described in exactly one way");
            return Err(Box::new(m.help(
                "give `torque`, or `stall_torque` and `no_load_speed`, or `constant`, `resistance` and `voltage`",
            )));
        }
    };
    Ok(match r.function("throttle") {
        Some(f) => curve.throttle(f),
        None => curve,
    })
}

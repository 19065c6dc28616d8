//! Kinds of drives: what makes joints and points move as they should.
//!
//! `position`, `speed` and `path` are rows: the motion is exact, and the drive gives whatever that takes. `servo` is such a motion kept by the
//! torques of actuators elsewhere. `torque`, `torque-curve` and `controller` are forces: they give what they say, and what moves
//! is left to the equations.

use super::forces::MOTOR;
use super::joints::KINDS as JOINT_KINDS;
use super::{CURVES, Driven, Make, Mistake, curve, mistake, torque_curve};
use crate::build::Site;
use crate::codes;
use crate::fields::*;
use holonom::curves::Track;
use holonom::functions::Function;
use holonom::prelude::*;
use std::sync::Arc;

/// Kinds of drives.
pub static DRIVES: Family = Family { name: "drive", common: &[], kinds: &[KINDS], default: None };

/// What a servo may keep: a path, or any joint.
pub static CONDITIONS: Family = Family {
    name: "condition",
    common: &[],
    kinds: &[
        &[Kind {
            name: "path",
            summary: "a point of b moves along a path in the axes of a",
            fields: PATH,
            make: Make::Joint(|r, s| Ok(Box::new(path(r, s)?))),
        }],
        JOINT_KINDS[0],
        JOINT_KINDS[1],
        JOINT_KINDS[2],
        JOINT_KINDS[3],
        JOINT_KINDS[4],
    ],
    default: None,
};

/// The most a drive gives.
static EFFORT: &[Field] = &[optional(
    "effort",
    Type::Number(Allowed::Positive, "N m or N"),
    "that of the joint, or no cap",
    "the largest torque or force it can give; where that is not enough, it gives way",
)];

const JOINT: Field = required("joint", Type::Coordinate, "the joint, or one of its coordinates");
static PATH: &[&[Field]] = &[&[
    optional(
        "a",
        Type::Point,
        "ground",
        "body, point or frame in whose axes the path is given, and from which it starts",
    ),
    required("b", Type::Point, "the point that is led"),
    optional("axis_a", Type::Direction, "z of the frame named, or of the body", "z of the path, in the frame of a"),
    optional("x_axis_a", Type::Direction, "x of the frame named, or of the body", "x of the path, in the frame of a"),
    optional("x", Type::Function("t", "m"), "free", "the way along x as a function of t"),
    optional("y", Type::Function("t", "m"), "free", "the way along y"),
    optional("z", Type::Function("t", "m"), "free", "the way along z"),
    optional("curve", Type::Kind(&CURVES), "not said", "instead of x, y, z: a curve that is run through"),
    optional(
        "distance",
        Type::Function("t", "m"),
        "not said",
        "length of arc from the curve's start as a function of t",
    ),
]];

static KINDS: &[Kind] = &[
    Kind {
        name: "position",
        summary: "a joint coordinate follows a function of time exactly; the drive gives whatever force or torque that takes",
        fields: &[
            &[JOINT, required("value", Type::Function("t", "m or rad"), "the coordinate as a function of t")],
            EFFORT,
        ],
        make: Make::Drive(|r, s| capped(r, s, Motor::position(s.coordinate("joint")?, value(r)?))),
    },
    Kind {
        name: "speed",
        summary: "the rate of a joint coordinate follows a function of time exactly",
        fields: &[
            &[JOINT, required("value", Type::Function("t", "m/s or rad/s"), "the rate as a function of t")],
            EFFORT,
        ],
        make: Make::Drive(|r, s| capped(r, s, Motor::speed(s.coordinate("joint")?, value(r)?))),
    },
    Kind {
        name: "path",
        summary: "a point of b moves along a path in the axes of a, led by whatever force that takes at the point",
        fields: PATH,
        make: Make::Drive(|r, s| Ok(Driven::Row(Box::new(path(r, s)?)))),
    },
    Kind {
        name: "servo",
        summary: "a condition is kept by the forces or torques of actuators on joint coordinates, one for each of its rows",
        fields: &[&[
            required(
                "condition",
                Type::Kind(&CONDITIONS),
                "what is to hold: a path, or any joint by its kind and fields",
            ),
            required(
                "actuators",
                Type::Coordinates,
                "joints, or coordinates of joints, as many as the condition has rows",
            ),
        ]],
        make: Make::Drive(servo),
    },
    Kind {
        name: "torque",
        summary: "a torque (or force) along a joint coordinate, as a function of time",
        fields: &[&[
            JOINT,
            required("value", Type::Function("t", "N m or N"), "positive drives the coordinate forward"),
        ]],
        make: Make::Drive(|r, s| {
            let (of, f) = (s.coordinate("joint")?, value(r)?);
            let most = s.effort("joint", None).unwrap_or(f64::INFINITY);
            Ok(Driven::Push(Box::new(CoordinateForce::new(of, move |_, _, t| f.at(t)[0].clamp(-most, most)))))
        }),
    },
    Kind {
        name: "torque-curve",
        summary: "a motor by its torque as a function of speed, or a DC motor by its figures, which brakes at zero voltage",
        fields: &[&[JOINT], MOTOR],
        make: Make::Drive(|r, s| {
            Ok(Driven::Push(Box::new(CoordinateForce::motor(s.coordinate("joint")?, torque_curve(r)?))))
        }),
    },
    Kind {
        name: "controller",
        summary: "a spring towards a moving target: torque = kp (value - coordinate) + kd (rate - its rate)",
        fields: &[&[
            JOINT,
            required("value", Type::Function("t", "m or rad"), "where the coordinate should be, as a function of t"),
            required("kp", Type::Number(Allowed::NotNegative, "N m/rad or N/m"), "torque per deviation"),
            optional(
                "kd",
                Type::Number(Allowed::NotNegative, "N m s/rad or N s/m"),
                "0",
                "torque per deviation of the rate",
            ),
            optional("rate", Type::Function("t", "rad/s or m/s"), "0", "the rate it should have, as a function of t"),
            optional("limit", Type::Number(Allowed::Positive, "N m or N"), "none", "largest torque it can give"),
        ]],
        make: Make::Drive(|r, s| {
            let (of, goal) = (s.coordinate("joint")?, value(r)?);
            let number = |name: &str, otherwise: f64| r.number(name).unwrap_or(otherwise);
            let (kp, kd, limit) = (number("kp", 0.0), number("kd", 0.0), number("limit", f64::INFINITY));
            let limit = s.effort("joint", r.number("limit")).unwrap_or(limit);
            let rate = r.function("rate").unwrap_or_else(|| Arc::new(0.0));
            let law = move |q: f64, w: f64, t: f64| {
                (kp * (goal.at(t)[0] - q) + kd * (rate.at(t)[0] - w)).clamp(-limit, limit)
            };
            Ok(Driven::Push(Box::new(CoordinateForce::new(of, law))))
        }),
    },
];

fn value(r: &Record) -> Result<Arc<dyn Function>, Mistake> {
    r.function("value").ok_or_else(|| mistake(r, "value", codes::MISSING_FIELD, "`value` is missing"))
}

/// A motor, with a cap if it or its joint says one.
fn capped(r: &Record, s: &Site, motor: Motor) -> Result<Driven, Mistake> {
    Ok(Driven::Row(Box::new(match s.effort("joint", r.number("effort")) {
        Some(effort) => motor.effort(effort),
        None => motor,
    })))
}

fn servo(r: &Record, s: &Site) -> Result<Driven, Mistake> {
    let Some(condition) = r.record("condition") else {
        return Err(mistake(r, "condition", codes::MISSING_FIELD, "`condition` is missing"));
    };
    let inner = s.within(condition)?;
    let Some(Make::Joint(make)) = condition.kind.map(|k| k.make) else {
        return Err(mistake(r, "condition", codes::UNKNOWN_KIND, "`condition` has no kind that can be kept"));
    };
    let made = make(condition, &inner)?;
    let actuators = s.coordinates("actuators")?;
    let (rows, n) = (made.n_rows(), actuators.len());
    if rows != n {
        let m = mistake(r, "actuators", codes::WRONG_LENGTH, format!("`actuators` must have {rows} elements"));
        return Err(Box::new(m.label(format!("{n} elements; one for each row of the condition"))));
    }
    Ok(Driven::Row(Box::new(Servo::of(Arc::from(made), actuators))))
}

/// A point on a path: three functions of time, some of which may be left out, or a curve and how far along it.
fn path(r: &Record, s: &Site) -> Result<PrescribedPoint, Mistake> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    match (r.record("curve"), r.function("distance")) {
        (Some(record), Some(distance)) => {
            if let Some(field) = AXES.into_iter().find(|f| r.has(f)) {
                return Err(mistake(r, field, codes::EXCLUSIVE, format!("`{field}` and `curve` exclude each other")));
            }
            let track = curve(record)?;
            Ok(PrescribedPoint::new(s.a, s.b, move |t| along(&track, distance.at(t))))
        }
        (Some(_), None) => Err(mistake(r, "curve", codes::MISSING_FIELD, "`curve` without `distance`")),
        (None, Some(_)) => Err(mistake(r, "distance", codes::MISSING_FIELD, "`distance` without `curve`")),
        (None, None) => {
            let held = AXES.map(|f| r.has(f));
            if held == [false; 3] {
                let m = mistake(r, "b", codes::MISSING_FIELD, "the path is missing");
                return Err(Box::new(
                    m.help("give some of `x`, `y`, `z` as functions of t, or `curve` and `distance`"),
                ));
            }
            let of = |f: &str| -> Box<dyn Function> {
                r.function(f).map_or_else(|| Box::new(0.0) as _, |f| Box::new(f) as _)
            };
            Ok(PrescribedPoint::components(s.a, s.b, AXES.map(of)).only(held[0], held[1], held[2]))
        }
    }
}

/// Where a point is that has gone `d` along a track, with two derivatives by time: with u = r'/|r'| at the parameter where the arc is d,
///
/// ```text
/// r_d = u,    r_dd = (r'' - u (u . r'')) / |r'|^2,       velocity u d',   acceleration r_dd d'^2 + u d''
/// ```
fn along(track: &Track, [d, d1, d2]: [f64; 3]) -> [Vec3; 3] {
    let [r, v, a, _] = track.at(parameter(track, d));
    let speed = v.length();
    let u = v / speed;
    let bend = (a - u * u.dot(a)) / (speed * speed);
    [r, u * d1, bend * (d1 * d1) + u * d2]
}

/// The parameter at which the arc is `d`: Newton's steps within an interval that holds the answer.
fn parameter(track: &Track, d: f64) -> f64 {
    let (from, to) = track.curve().domain();
    let length = track.length();
    let d = if track.curve().closed() { d - length * libm::floor(d / length) } else { d };
    if !(d >= 0.0 && d <= length) {
        // beyond an end it goes on straight, at the speed of the end
        let (end, beyond) = if d < 0.0 { (from, d) } else { (to, d - length) };
        return end + beyond / track.at(end)[1].length();
    }
    let (mut low, mut high) = (from, to);
    let mut s = from + (to - from) * (d / length);
    for _ in 0..200 {
        let miss = track.arc(s) - d;
        if miss > 0.0 {
            high = s;
        } else {
            low = s;
        }
        let newton = s - miss / track.at(s)[1].length();
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - s).abs() <= 4.0 * f64::EPSILON * (to - from).abs() {
            return next;
        }
        s = next;
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom::curves::{Circle, CubicSpline};

    #[test]
    fn a_path_along_a_curve_has_the_derivatives_it_says() {
        let points = [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.3, 0.1), vec3(1.5, 1.0, -0.4), vec3(0.2, 1.4, 0.0)];
        let curves = [Track::new(CubicSpline::natural(&points)), Track::new(Circle { radius: 0.7 })];
        let distance = |t: f64| [0.3 + 0.8 * t + 0.2 * t * t, 0.8 + 0.4 * t, 0.4];
        let h = 1e-4;
        for track in &curves {
            // before the start, on the way, around and beyond the end
            for t in [-0.9, 0.2, 0.9, 1.4, 2.7] {
                let at = |t: f64| along(track, distance(t));
                let [r, v, a] = at(t);
                assert!(
                    (track.arc(parameter(track, distance(t)[0])) - distance(t)[0].rem_euclid(track.length())).abs()
                        < 1e-12
                        || !track.curve().closed()
                );
                assert!(((at(t + h)[0] - at(t - h)[0]) / (2.0 * h) - v).length() < 1e-7, "{t}");
                assert!(((at(t + h)[0] - 2.0 * r + at(t - h)[0]) / (h * h) - a).length() < 1e-6, "{t}");
            }
        }
    }
}

//! Prescribed point: a point of b moves along a path given in the axes of a.
//!
//! ```text
//! C_i = e_i . (p_b - p_a) - r_i(t),      e = axes (x, y, z) of a,   C_t = - r_i',   c gets - r_i''
//! ```
//!
//! for all three components, or some of them. The multipliers are the force that leads the point: a *hand* at the
//! point, not the torques of motors elsewhere; for those see [`super::Servo`]. There is no singular pose.

use super::{Constraint, JointDeclaration, JointRole, Rows, check_markers, numbered};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::curves::{self, CURVES, Track};
use crate::catalogue::declaration::{
    DriveAction, DriveDeclaration, Driven, Field, FieldType, Invalid, Kind, Make, Parameters, optional, required,
};
use crate::catalogue::functions::Function;
use crate::math::{SplitMix, Vec3, vec3};
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind { name: "prescribed-point", summary: "a point is led along a path", fields: &[], make: Make::Elsewhere },
    label: "Led point",
    role: JointRole::Drive,
    rows: 3,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

static PATH: &[&[Field]] = &[&[
    optional(
        "a",
        FieldType::Point,
        "ground",
        "body, point or frame in whose axes the path is given, and from which it starts",
    ),
    required("b", FieldType::Point, "the point that is led"),
    optional(
        "axis_a",
        FieldType::Direction,
        "z of the frame named, or of the body",
        "z of the path, in the frame of a",
    ),
    optional(
        "x_axis_a",
        FieldType::Direction,
        "x of the frame named, or of the body",
        "x of the path, in the frame of a",
    ),
    optional("x", FieldType::Function("t", "m"), "free", "the way along x as a function of t"),
    optional("y", FieldType::Function("t", "m"), "free", "the way along y"),
    optional("z", FieldType::Function("t", "m"), "free", "the way along z"),
    optional("curve", FieldType::Kind(&CURVES), "not said", "instead of x, y, z: a curve that is run through"),
    optional(
        "distance",
        FieldType::Function("t", "m"),
        "not said",
        "length of arc from the curve's start as a function of t",
    ),
]];

pub(crate) static PATH_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "path",
        summary: "a point of b moves along a path in the axes of a, led by whatever force that takes at the point",
        fields: PATH,
        make: Make::Drive(|p| Ok(Driven::Row(Box::new(path(p)?)))),
    },
    action: DriveAction::Condition,
    on_length: None,
    on_angle: None,
};

/// The same as a condition that a servo keeps.
pub(crate) static PATH_CONDITION: Kind = Kind {
    name: "path",
    summary: "a point of b moves along a path in the axes of a",
    fields: PATH,
    make: Make::Joint(|p| Ok(Box::new(path(p)?))),
};

/// A point on a path: three functions of time, some of which may be left out, or a curve and how far along it.
fn path(p: &dyn Parameters) -> Result<PrescribedPoint, Invalid> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    match (p.has("curve"), p.function("distance")) {
        (true, Some(distance)) => {
            if let Some(field) = AXES.into_iter().find(|f| p.has(f)) {
                return Err(Invalid::exclusive(field, "curve"));
            }
            let track = curves::given(p, "curve")?;
            Ok(PrescribedPoint::new(p.a(), p.b(), move |t| along(&track, distance.at(t))))
        }
        (true, None) => Err(Invalid::without("curve", "distance")),
        (false, Some(_)) => Err(Invalid::without("distance", "curve")),
        (false, None) => {
            let held = AXES.map(|f| p.has(f));
            if held == [false; 3] {
                let help = "give some of `x`, `y`, `z` as functions of t, or `curve` and `distance`";
                return Err(Invalid::missing("b", "the path is missing").help(help));
            }
            let of = |f: &str| -> Box<dyn Function> {
                p.function(f).map_or_else(|| Box::new(0.0) as _, |f| Box::new(f) as _)
            };
            Ok(PrescribedPoint::components(p.a(), p.b(), AXES.map(of)).only(held[0], held[1], held[2]))
        }
    }
}

/// Where a point is that has gone `d` along a track, with two derivatives by time: with u = r'/|r'| at the parameter
/// where the arc is d,
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

type Path = dyn Fn(f64) -> [Vec3; 3] + Send + Sync;

/// A point led along a path.
#[derive(Clone)]
pub struct PrescribedPoint {
    attachments: [Attachment; 5],
    markers: (Marker, Marker),
    path: Arc<Path>,
    held: [bool; 3],
    functions: Option<Arc<[Box<dyn Function>; 3]>>,
}

impl PrescribedPoint {
    /// The point of `b` is at `path(t)` in the axes and from the point of `a`. The path gives position, velocity and
    /// acceleration.
    pub fn new(a: Marker, b: Marker, path: impl Fn(f64) -> [Vec3; 3] + Send + Sync + 'static) -> Self {
        let attachments = [a.p(), b.p(), a.x(), a.y(), a.z()];
        PrescribedPoint { attachments, markers: (a, b), path: Arc::new(path), held: [true; 3], functions: None }
    }

    /// The same from a function of time for each component.
    pub fn components(a: Marker, b: Marker, components: [Box<dyn Function>; 3]) -> Self {
        let functions = Arc::new(components);
        let path = functions.clone();
        let point = Self::new(a, b, move |t| {
            let [x, y, z] = [path[0].at(t), path[1].at(t), path[2].at(t)];
            std::array::from_fn(|k| vec3(x[k], y[k], z[k]))
        });
        PrescribedPoint { functions: Some(functions), ..point }
    }

    /// Lead only these components; the others are free.
    pub fn only(self, x: bool, y: bool, z: bool) -> Self {
        PrescribedPoint { held: [x, y, z], ..self }
    }

    fn held(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&i| self.held[i])
    }
}

impl Constraint for PrescribedPoint {
    fn kind(&self) -> &'static str {
        "prescribed-point"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        self.held().count()
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers.0, &self.markers.1)?;
        if self.n_rows() == 0 {
            return Err("leads no component, must lead at least one".into());
        }
        self.functions.iter().flat_map(|f| f.iter()).try_for_each(|f| f.validate())
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let [r, r1, r2] = (self.path)(t);
        for (row, i) in self.held().enumerate() {
            out.along(row, numbered(a, 2 + i), numbered(a, 0), numbered(a, 1));
            let row = out.row(row);
            row.gap -= r[i];
            row.rate_t = -r1[i];
            row.curvature -= r2[i];
        }
    }
}

pub(super) fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> PrescribedPoint {
    let (from, rate) = (g.vec3(0.5), 0.5 + g.unit());
    PrescribedPoint::new(a, b, move |t| {
        let (s, c) = libm::sincos(rate * t);
        [from + vec3(c, s, t), vec3(-s * rate, c * rate, 1.0), vec3(-c, -s, 0.0) * (rate * rate)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::curves::{Circle, CubicSpline};

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

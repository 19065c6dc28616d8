//! Velocity ratio: one speed is a multiple of another. A condition on velocities only, which says nothing about angles
//! or places.
//!
//! ```text
//! spins         a = z_b . w_b - k z_a . w_a            each body's absolute spin about its own z axis
//! coordinates   a = q_2' - k q_1'                      rates of two joint coordinates
//! ```
//!
//! (Baraff 1996: "the rotational speed of one object is twice that of another".) Spins about axes that themselves move
//! are in general no derivatives of anything: the first is nonholonomic. The multiplier is a torque lambda about z_b on
//! b, and - k lambda about z_a on a (for coordinates: generalised forces along q_2 and q_1). The sum of the torques is
//! not zero: something unseen, the housing, takes the rest. Position drift between the two is not corrected, because
//! none is defined; where phases must stay, use `Coupler` or a gear.

use super::{AXES_A, AXES_B, Constraint, Cylindrical, JointDeclaration, Level, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Fault, FieldType, Invalid, Kind, Make, NUMBER, Parameters, optional, required};
use crate::error::refuse;
use crate::math::SplitMix;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "velocity-ratio",
        summary: "one spin about z, or the rate of one coordinate, is a multiple of another; phases are free",
        fields: &[
            &[
                optional("a", FieldType::Point, "ground", "first body, or a frame on it"),
                optional("b", FieldType::Point, "not said", "second body, which spins `ratio` times as fast as a"),
            ],
            AXES_A,
            AXES_B,
            &[
                optional("first", FieldType::Coordinate, "not said", "instead of bodies: the first coordinate"),
                optional("second", FieldType::Coordinate, "not said", "the second coordinate, `ratio` times as fast"),
                required("ratio", NUMBER, "how many times as fast as the first the second is"),
            ],
        ],
        make: Make::Joint(|p| Ok(Box::new(spins_or_rates(p)?))),
    },
    label: "Velocity ratio",
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

fn spins_or_rates(p: &dyn Parameters) -> Result<VelocityRatio, Invalid> {
    let ratio = p.number("ratio").unwrap_or(1.0);
    match (p.has("b"), p.coordinate("first"), p.coordinate("second")) {
        (true, None, None) => Ok(VelocityRatio::spins(p.a(), p.b(), ratio)),
        (false, Some(first), Some(second)) => Ok(VelocityRatio::coordinates(first, second, ratio)),
        (true, first, _) => {
            let field = if first.is_some() { "first" } else { "second" };
            Err(Invalid::new(field, format!("bodies and `{field}` exclude each other")).fault(Fault::Exclusive))
        }
        (false, None, None) => Err(Invalid::missing("b", "neither bodies nor coordinates are named")
            .help("give `a` and `b` (bodies that spin), or `first` and `second` (coordinates)")),
        (false, Some(_), None) => Err(Invalid::without("first", "second")),
        (false, None, Some(_)) => Err(Invalid::without("second", "first")),
    }
}

/// Keeps two speeds in a fixed ratio.
#[derive(Clone, Debug)]
pub struct VelocityRatio {
    /// The axes, where spins are meant.
    axes: Option<(Marker, Marker)>,
    readings: Readings,
    ratio: f64,
}

impl VelocityRatio {
    /// b spins about the z axis of its marker `ratio` times as fast as a about that of its own.
    pub fn spins(a: Marker, b: Marker, ratio: f64) -> Self {
        let attachments = [a.spin(), b.spin(), a.z(), b.z()];
        VelocityRatio { axes: Some((a, b)), readings: Readings::new(attachments, []), ratio }
    }

    /// The coordinate `second` changes `ratio` times as fast as `first`; the unit of the ratio is theirs.
    pub fn coordinates(first: Coordinate, second: Coordinate, ratio: f64) -> Self {
        VelocityRatio { axes: None, readings: Readings::new([], [first, second]), ratio }
    }
}

impl Constraint for VelocityRatio {
    fn kind(&self) -> &'static str {
        "velocity-ratio"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        if let Some((a, b)) = &self.axes {
            check_markers(a, b)?;
        }
        if !self.ratio.is_finite() {
            return refuse!("ratio", "ratio is {}, must be finite", self.ratio);
        }
        self.readings.validate()
    }
    fn level(&self, _: usize) -> Level {
        Level::Velocity
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        if self.axes.is_none() {
            self.readings.add(a, 0, -self.ratio, 0, out);
            self.readings.add(a, 1, 1.0, 0, out);
            return;
        }
        for (k, s) in [(0, -self.ratio), (1, 1.0)] {
            let (spin, z) = (a.get(k), a.get(2 + k));
            out.gradient(0, k, z.at * s);
            out.row(0).curvature += s * z.rate.dot(spin.rate);
        }
    }
    fn reference(&self) -> usize {
        self.readings.coordinates().first().map_or(1, |c| c.joint.reference())
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> VelocityRatio {
    let ratio = g.symmetric(3.0);
    if g.unit() < 0.5 {
        return VelocityRatio::spins(a, b, ratio);
    }
    let of = |i| Coordinate::of(Cylindrical::new(a, b), i);
    VelocityRatio::coordinates(of(1), of(0), ratio)
}

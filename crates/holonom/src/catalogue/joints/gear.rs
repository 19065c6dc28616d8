//! Gear wheels on parallel axes: spur or helical, external or internal, between two bodies. No carrier is named.
//!
//! d = p_b - p_a from centre to centre, D its length, n = d / D, z the common direction of the axes, u = z × n.
//!
//! ```text
//! alpha   angle of  d in a's (x, y) about z_a            on rigid bodies   dalpha = u . dd / D - z . (turn of a)
//! beta    angle of -d in b's (x, y) about z_b                              dbeta  = u . dd / D - z . (turn of b)
//! C = r_a alpha + r_b beta - phase                       r_b > 0 external, r_b < 0 internal (the larger wheel is the ring)
//! ```
//!
//! Both angles are relative to the centre line. When a carrier turns it, they count turns relative to the carrier, and
//! planetary trains need nothing else. Say D = |r_a + r_b| and sigma = sign(r_a + r_b): then
//!
//! ```text
//! dC = sigma u . dd - r_a z . (turn of a) - r_b z . (turn of b)
//!
//! force on b    sigma u,   torque about p_b   - r_b z  =  (P - p_b) × sigma u
//! force on a  - sigma u,   torque about p_a   - r_a z  =  (P - p_a) × (- sigma u)         P = p_a + w_a d,   w_a = r_a / (r_a + r_b)
//! ```
//!
//! so the row pushes with unit force along the tangent at the pitch point P, and its multiplier is the tangential tooth
//! force P_t (N). Centres at another distance keep the ratio r_b / r_a; P divides d in the same proportion, and P_t is
//! the multiplier times |r_a + r_b| / D.
//!
//! Teeth have pressure angle phi and helix angle psi. With w_b = 1 - w_a, R_a and R_b the length of d in the plane of a
//! and of b, and the offset along the axes h = (w_a z_a + w_b z_b) . d:
//!
//! ```text
//! C = r_a alpha + r_b beta + k_r (w_a R_a + w_b R_b) - k_a h - const
//! k_r = +- tan(phi) / cos(psi)         k_a = tan(psi)
//! force on b at P:   P_t (sigma u + k_r n - k_a z)            P_r = P_t tan(phi) / cos(psi)        P_a = P_t tan(psi)
//! ```
//!
//! (The torques of h are w_a z × d on a and w_b z × d on b: those of the forces - z and z at P. The weights of R and
//! those with which alpha and beta bring the planes of a and b in make the other components meet there too.) While
//! bearings hold centres and planes, the added terms are constant: the motion is that of plain wheels, and the bearings
//! feel the whole tooth force.
//!
//! Signs. psi > 0: right-handed teeth on a (and left-handed ones on an external b, right-handed ones on an internal b).
//! Such a tooth stands at the arc r_a alpha_0 + h tan(psi), so a wheel that slides along its axis screws through the
//! other: C is exact for that motion too. Teeth only push. The multiplier tells which flank does: positive where the
//! teeth hold a back from turning positively about z_a (a drives forwards, or brakes backwards). The tangential and
//! axial forces turn with the flank; the radial one parts the wheels on either flank, which no single row can say: k_r
//! is that of the flank with a positive multiplier, [`Gear::other_flank`] chooses the other one. Backlash is not
//! modelled.
//!
//! The constants come from the pose at the start, unless [`Gear::phase`] gives the phase. Singular where the centres
//! coincide. Coordinates: alpha and beta, turns counted.

use super::polar::Polar;
use super::{Constraint, CoordinateKind, Glyph, JointDeclaration, PARALLEL, RADII, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{
    ANGLE, Fault, FieldType, Invalid, Kind, Make, Parameters, optional, optional_finite,
};
use crate::error::refuse;
use crate::math::SplitMix;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "gear",
        summary: "wheels on parallel axes mesh: spur or helical, external or internal. Coordinates: the angles to the other wheel",
        fields: &[
            PARALLEL,
            RADII,
            &[
                optional("internal", FieldType::Flag, "false", "the larger wheel is a ring with teeth inside"),
                optional("pressure_angle", ANGLE, "0", "of the teeth, usually 20 degrees; at least 0, less than pi/2"),
                optional("helix", ANGLE, "0", "helix angle, positive for right-handed teeth on a; -pi/2 to pi/2"),
                optional(
                    "other_flank",
                    FieldType::Flag,
                    "false",
                    "a drives backwards: the radial force is that of the other flank",
                ),
            ],
        ],
        make: Make::Joint(|p| Ok(Box::new(meshing(p)?))),
    },
    label: "Gear",
    coordinates: &[("angle on a", CoordinateKind::Angle), ("angle on b", CoordinateKind::Angle)],
    glyph: Glyph::Wheels,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

fn meshing(p: &dyn Parameters) -> Result<Gear, Invalid> {
    let (r_a, r_b) = (p.of("radius_a"), p.of("radius_b"));
    let internal = p.flag("internal");
    if internal && r_a == r_b {
        let invalid = Invalid::new("radius_b", "wheel and ring have the same radius").fault(Fault::Range);
        return Err(invalid.label(format!("{r_b} m, must differ from radius_a")));
    }
    let (a, b) = (p.a(), p.b());
    let mut made = if internal { Gear::internal(a, b, r_a, r_b) } else { Gear::external(a, b, r_a, r_b) };
    let steep = |x: f64| (0.0..FRAC_PI_2).contains(&x);
    if let Some(angle) = p.fitting("pressure_angle", steep, "at least 0 and less than pi/2, rad")? {
        made = made.pressure_angle(angle);
    }
    if let Some(angle) = p.fitting("helix", |x| x.abs() < FRAC_PI_2, "between -pi/2 and pi/2, rad")? {
        made = made.helix(angle);
    }
    if p.flag("other_flank") {
        made = made.other_flank();
    }
    Ok(p.number("phase").map_or(made.clone(), |x| made.phase(x)))
}

/// Two wheels that mesh, on parallel axes: the z axes of two markers at their centres, which point the same way.
#[derive(Clone, Debug)]
pub struct Gear {
    a: Marker,
    b: Marker,
    attachments: [Attachment; 8],
    r_a: f64,
    /// Negative for internal teeth.
    r_b: f64,
    internal: bool,
    pressure_angle: f64,
    helix: f64,
    flank: f64,
    phase: Option<f64>,
    /// Radial and axial terms at the start.
    rest: Option<f64>,
}

const P_A: usize = 0;
const P_B: usize = 1;

impl Gear {
    /// Wheels with external teeth, which turn in opposite senses; pitch radii in m.
    pub fn external(a: Marker, b: Marker, r_a: f64, r_b: f64) -> Self {
        Gear {
            a,
            b,
            attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()],
            r_a,
            r_b,
            internal: false,
            pressure_angle: 0.0,
            helix: 0.0,
            flank: 1.0,
            phase: None,
            rest: None,
        }
    }

    /// A wheel within a ring, which turn in the same sense: the one with the larger pitch radius is the ring. Pitch
    /// radii in m.
    pub fn internal(a: Marker, b: Marker, r_a: f64, r_b: f64) -> Self {
        Gear { r_b: -r_b, internal: true, ..Gear::external(a, b, r_a, r_b) }
    }

    /// Pressure angle of the teeth, normal to them (rad; usually 20 degrees). Without it the radial force is left out.
    pub fn pressure_angle(self, angle: f64) -> Self {
        Gear { pressure_angle: angle, ..self }
    }

    /// Helix angle (rad), positive for right-handed teeth on a. Without it the teeth are straight.
    pub fn helix(self, angle: f64) -> Self {
        Gear { helix: angle, ..self }
    }

    /// The radial force is that of the flank whose multiplier is negative: a drives backwards.
    pub fn other_flank(self) -> Self {
        Gear { flank: -self.flank, ..self }
    }

    /// The value (m) of r_a alpha + r_b beta (external) or r_a alpha - r_b beta (internal). Otherwise that of the start
    /// pose.
    pub fn phase(self, phase: f64) -> Self {
        Gear { phase: Some(phase), ..self }
    }

    fn polar(&self, a: &View) -> [Polar; 2] {
        [Polar::between(a, 2, 3, P_A, P_B), Polar::between(a, 5, 6, P_B, P_A)]
    }

    /// Part of a's radius in the distance of the centres; the rest is b's.
    fn weights(&self) -> (f64, f64) {
        let w = self.r_a / (self.r_a + self.r_b);
        (w, 1.0 - w)
    }

    /// k_r and k_a.
    fn slopes(&self) -> (f64, f64) {
        let parts = if self.internal { -self.flank } else { self.flank };
        (parts * libm::tan(self.pressure_angle) / libm::cos(self.helix), libm::tan(self.helix))
    }

    /// Everything but the constants.
    fn write(&self, a: &View, out: &mut Rows) {
        let [at_a, at_b] = self.polar(a);
        at_a.add(&at_a.followed(a, 0), self.r_a, 0, out);
        at_b.add(&at_b.followed(a, 1), self.r_b, 0, out);
        let ((w_a, w_b), (k_r, k_a)) = (self.weights(), self.slopes());
        if k_r != 0.0 {
            at_a.add(&at_a.length(), k_r * w_a, 0, out);
            at_b.add(&at_b.length(), k_r * w_b, 0, out);
        }
        if k_a != 0.0 {
            let (p, q, z_a, z_b) = (a.get(P_A), a.get(P_B), a.get(4), a.get(7));
            let (d, d_rate) = (q.at - p.at, q.rate - p.rate);
            let z = z_a.at * w_a + z_b.at * w_b;
            out.row(0).gap -= k_a * z.dot(d);
            out.row(0).curvature -= k_a * 2.0 * (z_a.rate * w_a + z_b.rate * w_b).dot(d_rate);
            out.gradient(0, P_B, z * -k_a);
            out.gradient(0, P_A, z * k_a);
            out.gradient(0, 4, d * (-k_a * w_a));
            out.gradient(0, 7, d * (-k_a * w_b));
        }
    }

    /// Arc and added terms at a pose.
    fn constants(&self, a: &View) -> (f64, f64) {
        let [at_a, at_b] = self.polar(a);
        let arc = self.r_a * at_a.followed(a, 0).value + self.r_b * at_b.followed(a, 1).value;
        let ((w_a, w_b), (k_r, k_a)) = (self.weights(), self.slopes());
        let apart = w_a * at_a.length().value + w_b * at_b.length().value;
        let along = (a.at(4) * w_a + a.at(7) * w_b).dot(a.at(P_B) - a.at(P_A));
        (arc, k_r * apart - k_a * along)
    }
}

/// Is this a usable radius?
pub(super) fn check_radius(field: &str, what: &str, radius: f64) -> Result<(), Invalid> {
    if radius.is_finite() && radius > 0.0 {
        Ok(())
    } else {
        refuse!(field, "{what} is {radius} m, must be finite and greater than 0")
    }
}

impl Constraint for Gear {
    fn kind(&self) -> &'static str {
        "gear"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.a, &self.b)?;
        check_radius("radius_a", "pitch radius of the first wheel", self.r_a)?;
        check_radius("radius_b", "pitch radius of the second wheel", if self.internal { -self.r_b } else { self.r_b })?;
        if self.r_a + self.r_b == 0.0 {
            return refuse!("radius_b", "wheel and ring both have a pitch radius of {} m, must differ", self.r_a);
        }
        let quarter = FRAC_PI_2;
        if !(self.pressure_angle >= 0.0 && self.pressure_angle < quarter) {
            return refuse!(
                "pressure_angle",
                "pressure angle is {} rad, must be at least 0 and below pi/2",
                self.pressure_angle
            );
        }
        if !(self.helix.abs() < quarter) {
            return refuse!("helix", "helix angle is {} rad, must be between -pi/2 and pi/2", self.helix);
        }
        optional_finite("phase", self.phase, "m")
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        self.write(a, out);
        out.row(0).gap -= self.phase.unwrap_or(0.0) + self.rest.unwrap_or(0.0);
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        let polar = &self.polar(a)[i];
        polar.measure(&polar.angle(), out);
    }
    fn follows_turns(&self) -> bool {
        true
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        if self.rest.is_some() {
            return None;
        }
        let (arc, rest) = self.constants(a);
        Some(Arc::new(Gear { phase: Some(self.phase.unwrap_or(arc)), rest: Some(rest), ..self.clone() }))
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(4).dot(a.at(7))
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Gear {
    let (r_a, r_b) = (0.2 + g.unit(), 0.2 + g.unit());
    let gear = if g.unit() < 0.5 { Gear::external(a, b, r_a, r_b) } else { Gear::internal(a, b, r_a, r_a + r_b) };
    let gear = if g.unit() < 0.5 { gear.other_flank() } else { gear };
    if g.unit() < 0.3 { gear } else { gear.pressure_angle(0.3 + 0.2 * g.unit()).helix(g.symmetric(0.5)) }
}

//! Motors: torque as a function of speed and of how far the throttle is open.
//!
//! ```text
//! curve       tau = x(t) curve(w)                          x: throttle, 0 to 1; curve: full-throttle torque, a table or a formula
//! DC motor    tau = k (u(t) - k w) / R                     k: torque constant = back-EMF constant (N m/A = V s), R: winding (ohm)
//!             = stall (x(t) - w / no_load)                 stall = k u / R,  no_load = u / k  at full voltage
//! ```
//!
//! The throttle of a curve scales its torque; that of a DC motor is its voltage and shifts the line, so that a motor at
//! zero voltage brakes. [`TorqueCurve::torque`] is the law; `CoordinateForce::motor` applies it to the coordinate of a
//! joint, [`AxisMotor`] between two bodies, w = (w_b - w_a) . z_a, with +tau z_a on b and the opposite on a. Power
//! given: tau w. Stiff direction: the turn about z_a, with damping -dtau/dw where the torque falls.

use super::{AXES, CoordinateForce, Force, ForceDeclaration, ForceGlyph, Push, Stiffness};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{
    Allowed, DriveAction, DriveDeclaration, Driven, Fault, Field, FieldType, Invalid, Kind, Make, ON_JOINT, Parameters,
    optional, positive,
};
use crate::catalogue::functions::Function;
use std::sync::Arc;

/// Torque (N m) from speed (rad/s) and time (s); or force from velocity, for linear motors.
#[derive(Clone)]
pub struct TorqueCurve {
    form: Form,
    throttle: Arc<dyn Function>,
}

#[derive(Clone)]
enum Form {
    Curve(Arc<dyn Function>),
    /// Stall torque, no-load speed.
    Line(f64, f64),
}

impl TorqueCurve {
    /// Torque (N m) at full throttle as a function of speed (rad/s). The throttle is open.
    pub fn new(curve: impl Function + 'static) -> Self {
        TorqueCurve { form: Form::Curve(Arc::new(curve)), throttle: Arc::new(1.0) }
    }

    /// A DC motor by its stall torque (N m) and no-load speed (rad/s) at full voltage.
    pub fn stall_and_no_load(stall: f64, no_load: f64) -> Self {
        TorqueCurve { form: Form::Line(stall, no_load), throttle: Arc::new(1.0) }
    }

    /// A DC motor by its constant k (N m/A, the same as V s), the resistance of its winding (ohm) and full voltage (V).
    pub fn dc(constant: f64, resistance: f64, voltage: f64) -> Self {
        Self::stall_and_no_load(constant * voltage / resistance, voltage / constant)
    }

    /// How far the throttle is open, 0 to 1, as a function of time (s): values outside are taken as the nearest end.
    /// For a DC motor it is the voltage as a part of the full one, and may be -1 to 1.
    pub fn throttle(self, of_time: impl Function + 'static) -> Self {
        TorqueCurve { throttle: Arc::new(of_time), ..self }
    }

    /// Torque (N m) and its derivative by speed (N m s) at a speed (rad/s) and time (s).
    pub fn torque(&self, speed: f64, t: f64) -> (f64, f64) {
        let x = self.throttle.at(t)[0];
        match &self.form {
            Form::Curve(curve) => {
                let (x, [torque, slope, _]) = (x.clamp(0.0, 1.0), curve.at(speed));
                (x * torque, x * slope)
            }
            Form::Line(stall, no_load) => (stall * (x.clamp(-1.0, 1.0) - speed / no_load), -stall / no_load),
        }
    }

    /// Are the parameters usable?
    pub fn validate(&self) -> Result<(), Invalid> {
        match &self.form {
            Form::Curve(curve) => curve.validate().map_err(|e| e.within("torque").prefixed("torque curve: "))?,
            Form::Line(stall, no_load) => {
                positive("stall torque", *stall, "N m")?;
                positive("no-load speed", *no_load, "rad/s")?;
            }
        }
        self.throttle.validate().map_err(|e| e.within("throttle").prefixed("throttle: "))
    }
}

/// A motor between two bodies, about the z axis of marker a.
#[derive(Clone)]
pub struct AxisMotor {
    /// Spins of a and b, z of a.
    attachments: [Attachment; 3],
    curve: TorqueCurve,
}

impl AxisMotor {
    /// Its case on a, its shaft on b; the joint between them is yours.
    pub fn new(a: Marker, b: Marker, curve: TorqueCurve) -> Self {
        AxisMotor { attachments: [Attachment::spin(a.body), Attachment::spin(b.body), a.z()], curve }
    }

    fn speed(a: &View) -> f64 {
        (a.rate(1) - a.rate(0)).dot(a.at(2))
    }
}

impl Force for AxisMotor {
    fn kind(&self) -> &'static str {
        "axis motor"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.curve.validate()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        let torque = a.at(2) * self.curve.torque(Self::speed(a), t).0;
        push.on(0, -torque);
        push.on(1, torque);
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, t: f64, out: &mut Stiffness) {
        let z = a.at(2);
        out.gradient(0, 0, -z);
        out.gradient(0, 1, z);
        out.set(0, 0, 0.0, (-self.curve.torque(Self::speed(a), t).1).max(0.0));
    }
}

pub(super) static AXIS_MOTOR: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "axis-motor",
        summary: "a motor between two bodies about the z axis of a: its torque on b depends on the speed",
        fields: &[AXES, MOTOR],
        make: Make::Force(|p| Ok(Box::new(AxisMotor::new(p.a(), p.b(), torque_curve(p)?)))),
    },
    label: "Motor",
    law: "axis motor",
    glyph: ForceGlyph::Dashes,
};

/// How the torque of a motor depends on its speed: by a function, or by the figures of a DC motor.
pub(super) static MOTOR: &[Field] = &[
    optional(
        "torque",
        FieldType::Function("w", "N m or N"),
        "a DC motor",
        "torque at full throttle as a function of the speed w, rad/s or m/s",
    ),
    optional("stall_torque", FieldType::Number(Allowed::Positive, "N m"), "not said", "of a DC motor at full voltage"),
    optional(
        "no_load_speed",
        FieldType::Number(Allowed::Positive, "rad/s"),
        "not said",
        "of a DC motor at full voltage",
    ),
    optional("constant", FieldType::Number(Allowed::Positive, "N m/A"), "not said", "of a DC motor; the same as V s"),
    optional("resistance", FieldType::Number(Allowed::Positive, "ohm"), "not said", "of the winding of a DC motor"),
    optional("voltage", FieldType::Number(Allowed::Positive, "V"), "not said", "full voltage of a DC motor"),
    optional(
        "throttle",
        FieldType::Function("t", ""),
        "1",
        "how far it is open, 0 to 1; for a DC motor the part of the full voltage, -1 to 1",
    ),
];

pub(crate) static TORQUE_CURVE_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "torque-curve",
        summary: "a motor by its torque as a function of speed, or a DC motor by its figures, which brakes at zero voltage",
        fields: &[&[ON_JOINT], MOTOR],
        make: Make::Drive(|p| {
            let force = CoordinateForce::motor(p.given_coordinate("joint")?, torque_curve(p)?);
            Ok(Driven::Push(Box::new(force)))
        }),
    },
    action: DriveAction::Effort,
    on_length: None,
    on_angle: None,
};

/// The torque curve of a motor: a function, or a DC motor in one of two ways.
fn torque_curve(p: &dyn Parameters) -> Result<TorqueCurve, Invalid> {
    let curve = p.function("torque");
    let speeds = (p.number("stall_torque"), p.number("no_load_speed"));
    let electric = (p.number("constant"), p.number("resistance"), p.number("voltage"));
    let curve = match (curve, speeds, electric) {
        (Some(f), (None, None), (None, None, None)) => TorqueCurve::new(f),
        (None, (Some(stall), Some(speed)), (None, None, None)) => TorqueCurve::stall_and_no_load(stall, speed),
        (None, (None, None), (Some(k), Some(resistance), Some(u))) => TorqueCurve::dc(k, resistance, u),
        _ => {
            let invalid = Invalid::new("torque", "the motor must be described in exactly one way");
            return Err(invalid.fault(Fault::Exclusive).help(
                "give `torque`, or `stall_torque` and `no_load_speed`, or `constant`, `resistance` and `voltage`",
            ));
        }
    };
    Ok(match p.function("throttle") {
        Some(f) => curve.throttle(f),
        None => curve,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dc_motor_two_ways() {
        let (k, r, u) = (0.05, 0.8, 12.0);
        let by_constant = TorqueCurve::dc(k, r, u);
        for (speed, x) in [(0.0, 1.0), (100.0, 0.5), (-30.0, 0.0), (u / k, 1.0), (10.0, -1.0)] {
            let motor = by_constant.clone().throttle(x);
            let (torque, slope) = motor.torque(speed, 0.0);
            assert!((torque - k * (x * u - k * speed) / r).abs() < 1e-14);
            assert!((slope + k * k / r).abs() < 1e-16);
        }
        assert!(TorqueCurve::dc(k, -r, u).validate().unwrap_err().reason.contains("stall torque is -0.75"));
        assert!(TorqueCurve::new(f64::NAN).validate().unwrap_err().reason.starts_with("torque curve"));
    }

    #[test]
    fn the_throttle_scales_a_curve_and_stays_in_its_range() {
        let curve = |w: f64| [10.0 - w * w, -2.0 * w, -2.0];
        let engine = TorqueCurve::new(curve).throttle(|t: f64| [t, 1.0, 0.0]);
        assert_eq!(engine.torque(2.0, 0.5), (3.0, -2.0));
        assert_eq!(engine.torque(2.0, -4.0), (0.0, 0.0));
        assert_eq!(engine.torque(2.0, 4.0), (6.0, -4.0));
    }
}

//! A deformable tyre on a terrain, sampled as in Tasora (2001, section 6): rays from the hub to the tread, every 3
//! to 6 mm of its circumference.
//!
//! ```text
//! p, e          hub centre; axle, a unit vector                  d = -z: down
//! u_1, u_2      down as seen in the wheel's plane: u_1 = (d - (d.e) e) / s,  s = |d - (d.e) e|;     u_2 = e × u_1
//! ray           r(phi) = cos(phi) u_1 + sin(phi) u_2 in the lower half, to the circle of a row: offset y along e, radius R
//!               meets the terrain at x = p + y e + rho r;     deflection  delta = R - rho
//! n             the terrain's normal there;     l = -n . r > 0
//! ```
//!
//! **Springs.** The tread moves along its ray. Between two rays, h apart, its deflection is linear; its energy E and
//! the loads f = dE/d(delta) on the rays are those of `carcass.rs`. (A chord lies below its arc by h^2/12 R in the
//! mean: rays are longer by that, and the error left is of a higher order.) From `n . dx = 0` on the terrain,
//! `d(delta) = -(n . dx_w) / l`, where dx_w is the displacement of the point x as a point of the wheel. So by virtual
//! work the frictionless terrain pushes on the wheel with
//!
//! ```text
//! N n  at x,     N = f / l:      along the terrain's normal, such that its part along the ray is the radial load f
//! ```
//!
//! The rays do not spin with the wheel: they keep their angles from u_1. A turn dtheta of the wheel turns them by
//! dtheta less its part along e, plus what keeps u_2 level: `dtheta' = dtheta_across + e (d.e / s) (dtheta . u_1)`. So
//! the torque on the wheel is the sum T of (x - p) × N n with
//!
//! ```text
//! T  ->  T - e (e.T) + u_1 (d.e / s) (e.T)
//! ```
//!
//! (e.T is zero for infinitely many rays: no frictionless terrain turns a round wheel about its axle.) These pushes are
//! exactly -dE, on any terrain with a continuous normal.
//!
//! **Damping.** The tread that passes through a ray is deflected at the rate `deltadot = -(n . v_w) / l`, with v_w the
//! velocity of x as a point of the spinning wheel. The radial load becomes f (1 + chi deltadot), not below 0: power
//! `-f chi deltadot^2`. It vanishes with f, and a rolling wheel pays it all the time: this is its rolling resistance.
//!
//! **Friction.** The slip velocity is u = v_w - n (n . v_w). Forwards is along e × n, sideways along n × (e × n):
//!
//! ```text
//! V^2 = max(|v_hub|^2, (w . e R)^2) + V_0^2        sigma = |u| / V
//! force  - N (mu_x(sigma) u_x + mu_y(sigma) u_y) / |u|
//! ```
//!
//! 0 is free rolling, 1 a locked wheel or one that spins on the spot. Below the creep speed V_0 friction is viscous: a
//! parked wheel on a slope creeps. The power is never positive. On a flat road u is the same at all x, and zero when
//! the wheel rolls with the radius R - d.
//!
//! Not modelled: shear of the tread, sideways and lengthwise (no relaxation length, no rolling radius between R - d and
//! R), the rim, walls (rays are those of the lower half), a wheel lying on its side. Where a ray grazes the terrain,
//! 1/l is kept below 20.
//!
//! Stiff directions: the six motions of the hub, from lumped slopes of the springs, the damping, and the secant of the
//! friction.

use crate::curves::{Grip, SlipCurve};
use crate::terrain::Terrain;
use crate::tread::{LoadedRay, RayFrame, Section, Tread};
use holonom::attach::{Attached, Attachment, Marker, View};
use holonom::declaration::{Invalid, not_negative, positive};
use holonom::forces::{Force, Push, Stiffness};
use holonom::functions::Function;
use holonom::math::Vec3;
use std::sync::Arc;

/// A deformable tyre on a terrain that is fixed to the world.
#[derive(Clone)]
pub struct Tyre {
    /// Hub, axle, spin.
    attachments: [Attachment; 3],
    terrain: Arc<dyn Terrain>,
    load: Arc<dyn Function>,
    radius: f64,
    max_deflection: f64,
    resolution: f64,
    section: Option<Section>,
    damping: f64,
    /// Forwards and sideways.
    friction: Option<[Arc<dyn Function>; 2]>,
    creep_speed: f64,
    /// What follows from the dimensions and the load, or why they are unusable.
    tread: Result<Tread, Invalid>,
}

impl Tyre {
    /// A tyre on the wheel whose hub centre is the marker's point and whose axle is its z axis. `radius` is that of the
    /// undeformed tread (m); `load` the vertical force (N) as a function of the deflection (m) of the upright tyre on a
    /// flat road, up to `max_deflection` (m).
    ///
    /// A ray every 3 mm, one row, no damping, no friction, unless set.
    pub fn new(
        hub: Marker,
        radius: f64,
        load: impl Function + 'static,
        max_deflection: f64,
        terrain: impl Terrain + 'static,
    ) -> Self {
        Tyre {
            attachments: [hub.p(), hub.z(), hub.spin()],
            terrain: Arc::new(terrain),
            load: Arc::new(load),
            radius,
            max_deflection,
            resolution: 0.003,
            section: None,
            damping: 0.0,
            friction: None,
            creep_speed: 0.05,
            tread: Err(Invalid::new("", "")),
        }
        .laid_out()
    }

    /// Tread between two rays (m): 0.003 to 0.006 is usual.
    pub fn resolution(self, resolution: f64) -> Self {
        Tyre { resolution, ..self }.laid_out()
    }

    /// A rounded cross-section: `rows` circles over the `width` (m), on an arc of radius `crown` (m, at least half the
    /// width).
    pub fn section(self, width: f64, crown: f64, rows: usize) -> Self {
        Tyre { section: Some(Section { width, crown, rows }), ..self }.laid_out()
    }

    /// Radial damping, as a part of the load per speed of deflection (s/m).
    pub fn damping(self, per_speed: f64) -> Self {
        Tyre { damping: per_speed, ..self }
    }

    /// Coefficients of friction as functions of slip, forwards and sideways: zero at zero, never negative.
    pub fn friction(self, forwards: impl Function + 'static, sideways: impl Function + 'static) -> Self {
        Tyre { friction: Some([Arc::new(forwards), Arc::new(sideways)]), ..self }
    }

    /// The same friction in both directions, by [`SlipCurve`].
    pub fn grip(self, grip: Grip) -> Self {
        self.friction(SlipCurve::new(grip), SlipCurve::new(grip))
    }

    /// Below this speed (m/s) friction is viscous. 0.05 m/s unless set.
    pub fn creep_speed(self, speed: f64) -> Self {
        Tyre { creep_speed: speed, ..self }
    }

    /// Number of rays around the whole tread, in each row; 0 where the dimensions are unusable.
    pub fn rays_around(&self) -> usize {
        self.tread.as_ref().map_or(0, Tread::rays_around)
    }

    fn laid_out(mut self) -> Self {
        self.tread = self.lay_out();
        self
    }

    fn lay_out(&self) -> Result<Tread, Invalid> {
        self.check_dimensions()?;
        self.load.validate().map_err(|e| e.within("load").prefixed("load: "))?;
        Tread::fit(self.load.as_ref(), self.max_deflection, self.radius, self.resolution, self.section)
    }

    fn check_dimensions(&self) -> Result<(), Invalid> {
        positive("radius", self.radius, "m")?;
        positive("largest deflection", self.max_deflection, "m")?;
        positive("resolution", self.resolution, "m")?;
        if self.max_deflection > 0.5 * self.radius {
            return Err(Invalid::new(
                "deflection",
                format!("largest deflection is {} m, must be at most half the radius", self.max_deflection),
            ));
        }
        if self.resolution > 0.1 * self.radius || self.resolution < 1e-5 * self.radius {
            return Err(Invalid::new(
                "resolution",
                format!("resolution is {} m, must be 0.00001 to 0.1 of the radius", self.resolution),
            ));
        }
        if let Some(Section { width, crown, rows }) = self.section {
            positive("width", width, "m")?;
            positive("crown radius", crown, "m")?;
            if crown < 0.5 * width || crown > 1e3 * self.radius {
                return Err(Invalid::new(
                    "section",
                    format!("crown radius is {crown} m, must be at least half the width"),
                ));
            }
            if !(1..=100).contains(&rows) || width > self.radius {
                return Err(Invalid::new(
                    "section",
                    format!("{rows} rows over {width} m: must be 1 to 100, over less than the radius"),
                ));
            }
        }
        Ok(())
    }

    /// Visit every ray that takes a load; the energy of the springs is returned (J).
    fn visit_loaded(&self, hub: Vec3, axle: Vec3, mut visit: impl FnMut(&RayFrame, LoadedRay)) -> f64 {
        let (Ok(tread), Some(frame)) = (&self.tread, RayFrame::new(axle)) else { return 0.0 };
        tread.visit_loaded(self.terrain.as_ref(), hub, &frame, |ray| visit(&frame, ray))
    }

    /// The reference speed of slip, V.
    fn reference_speed(&self, hub: &Attached, spin: Vec3, axle: Vec3) -> f64 {
        let rolling = spin.dot(axle) * self.radius;
        (hub.rate.length_squared().max(rolling * rolling) + self.creep_speed * self.creep_speed).sqrt()
    }

    /// Forwards and sideways on the terrain, with the friction force per slip velocity of each and per normal force.
    fn friction_secants(&self, axle: Vec3, normal: Vec3, slip: f64, reference: f64) -> [(Vec3, f64); 2] {
        let forwards = axle.cross(normal).normalize_or_zero();
        let sideways = normal.cross(forwards);
        let Some(friction) = &self.friction else { return [(forwards, 0.0), (sideways, 0.0)] };
        let coefficient = |law: &Arc<dyn Function>| {
            if slip > 1e-9 * reference {
                law.at(slip / reference)[0].max(0.0) / slip
            } else {
                law.at(0.0)[1].max(0.0) / reference
            }
        };
        [(forwards, coefficient(&friction[0])), (sideways, coefficient(&friction[1]))]
    }
}

impl Force for Tyre {
    fn kind(&self) -> &'static str {
        "tyre"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.tread.as_ref().map_err(Invalid::clone)?;
        not_negative("damping", self.damping, "s/m")?;
        positive("creep speed", self.creep_speed, "m/s")?;
        for (what, law) in ["friction forwards", "friction sideways"].iter().zip(self.friction.iter().flatten()) {
            law.validate().map_err(|e| e.prefixed(&format!("{what}: ")))?;
        }
        self.terrain.validate().map_err(|e| e.within("terrain").prefixed("terrain: "))
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        let (hub, axle, spin) = (a.get(0), a.at(1), a.rate(2));
        let reference = self.reference_speed(&hub, spin, axle);
        let (mut force, mut elastic, mut torque) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        self.visit_loaded(hub.at, axle, |frame, ray| {
            let velocity = hub.rate + spin.cross(ray.arm);
            let approach = -ray.normal.dot(velocity);
            let damped = (1.0 + self.damping * approach * ray.steepness).max(0.0);
            let push = ray.normal * (ray.load * ray.steepness);
            force += push * damped;
            torque += ray.arm.cross(push * (damped - 1.0));
            elastic += frame.spring_torque(ray.arm.cross(push));
            if self.friction.is_some() {
                let slip = velocity + ray.normal * approach;
                let pressure = ray.load * ray.steepness * damped;
                let [x, y] = self.friction_secants(axle, ray.normal, slip.length(), reference);
                let drag = (x.0 * (x.1 * x.0.dot(slip)) + y.0 * (y.1 * y.0.dot(slip))) * -pressure;
                force += drag;
                torque += ray.arm.cross(drag);
            }
        });
        push.on(0, force);
        push.on(2, torque + elastic);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        self.visit_loaded(a.at(0), a.at(1), |_, _| {})
    }
    fn n_stiff(&self) -> usize {
        6
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let (hub, axle, spin) = (a.get(0), a.at(1), a.rate(2));
        let reference = self.reference_speed(&hub, spin, axle);
        let (mut k, mut c) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        let add = |m: &mut [[f64; 6]; 6], value: f64, along: Vec3, turn: Vec3| {
            let x = [along.x, along.y, along.z, turn.x, turn.y, turn.z];
            for (row, xi) in m.iter_mut().zip(x) {
                for (entry, xj) in row.iter_mut().zip(x) {
                    *entry += value * xi * xj;
                }
            }
        };
        self.visit_loaded(hub.at, axle, |frame, ray| {
            let (n, steep) = (ray.normal, ray.steepness);
            let turn = ray.arm.cross(n);
            add(&mut k, ray.slope * steep * steep, n, frame.spring_torque(turn));
            let velocity = hub.rate + spin.cross(ray.arm);
            let approach = -n.dot(velocity);
            let damped = (1.0 + self.damping * approach * steep).max(0.0);
            if damped > 0.0 {
                add(&mut c, ray.load * self.damping * steep * steep, n, turn);
            }
            let slip = (velocity + n * approach).length();
            for (along, secant) in self.friction_secants(axle, n, slip, reference) {
                add(&mut c, ray.load * steep * damped * secant, along, ray.arm.cross(along));
            }
        });
        for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            out.gradient(i, 0, axis);
            out.gradient(3 + i, 2, axis);
        }
        for i in 0..6 {
            for j in i..6 {
                out.set(i, j, k[i][j], c[i][j]);
            }
        }
    }
}

//! A deformable tyre on a terrain, sampled as in Tasora (2001, section 6): rays from the hub to the tread, every 3 to 6 mm of its circumference.
//!
//! ```text
//! p, e          hub centre; axle, a unit vector                  d = -z: down
//! u_1, u_2      down as seen in the wheel's plane: u_1 = (d - (d.e) e) / s,  s = |d - (d.e) e|;     u_2 = e × u_1
//! ray           r(phi) = cos(phi) u_1 + sin(phi) u_2, from the circle of a row (offset y along e, radius R) in the lower half
//! meets the terrain at x = p + y e + rho r;       deflection  delta = R - rho;       n: the terrain's normal;       l = -n . r > 0
//! ```
//!
//! **Springs.** The tread moves along its ray. Between two rays, h apart, it gives way linearly; its energy E and the loads f = dE/d(delta) on the
//! rays are those of `carcass.rs`. (A chord lies below its arc by h^2/12 R in the mean: rays are longer by that, and the error left is of a
//! higher order.) From `n . dx = 0` on the terrain, `d(delta) = -(n . dx_w) / l`, where dx_w is the displacement of the point x as a
//! point of the wheel. So by virtual work the frictionless terrain pushes on the wheel with
//!
//! ```text
//! N n  at x,     N = f / l:      along the terrain's normal, such that its part along the ray is the radial load f
//! ```
//!
//! The rays do not spin with the wheel: they hang from u_1. A turn dtheta of the wheel turns them by dtheta less its part along e, plus what keeps
//! u_2 level: `dtheta' = dtheta_across + e (d.e / s) (dtheta . u_1)`. So the torque on the wheel is the sum T of (x - p) × N n with
//!
//! ```text
//! T  ->  T - e (e.T) + u_1 (d.e / s) (e.T)
//! ```
//!
//! (e.T is zero for infinitely many rays: no frictionless terrain turns a round wheel about its axle.) These pushes are exactly -dE, on any
//! terrain with a continuous normal.
//!
//! **Damping.** The tread that passes through a ray gives way at the rate `deltadot = -(n . v_w) / l`, with v_w the velocity of x as a point of the
//! spinning wheel. The radial load becomes f (1 + chi deltadot), not below 0: power `-f chi deltadot^2`. It vanishes with f, and a rolling wheel
//! pays it all the time: this is its rolling resistance.
//!
//! **Friction.** The slip velocity is u = v_w - n (n . v_w). Forwards is along e × n, sideways along n × (e × n):
//!
//! ```text
//! V^2 = max(|v_hub|^2, (w . e R)^2) + V_0^2        sigma = |u| / V        force  - N (mu_x(sigma) u_x + mu_y(sigma) u_y) / |u|
//! ```
//!
//! 0 is free rolling, 1 a locked wheel or one that spins on the spot. Below the creep speed V_0 friction is viscous: a parked wheel on a slope
//! creeps. The power is never positive. On a flat road u is the same at all x, and zero when the wheel rolls with the radius R - d.
//!
//! Not modelled: the tread's own sideways and lengthwise give (no relaxation length, no rolling radius between R - d and R), the rim, walls
//! (rays are those of the lower half), a wheel lying on its side. Where a ray grazes the terrain, 1/l is kept below 20.
//!
//! Stiff directions: the six motions of the hub, from lumped slopes of the springs, the damping, and the secant of the friction.

mod carcass;
mod curves;

pub use curves::{Grip, SlipCurve, TyreLoad};

use super::terrain::Terrain;
use super::{Force, Push, Stiffness};
use crate::catalogue::attach::{Attached, Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, not_negative, positive};
use crate::catalogue::functions::Function;
use crate::math::Vec3;
use carcass::Carcass;
use std::sync::Arc;

/// A deformable tyre on a terrain that is fixed to the world.
#[derive(Clone)]
pub struct Tyre {
    /// Hub, axle, spin.
    attachments: [Attachment; 3],
    terrain: Arc<dyn Terrain>,
    load: Arc<dyn Function>,
    radius: f64,
    most: f64,
    resolution: f64,
    /// Width, crown radius, number of rows.
    section: Option<(f64, f64, usize)>,
    damping: f64,
    friction: Option<[Arc<dyn Function>; 2]>,
    creep: f64,
    rows: Vec<Row>,
    /// Cosine and sine of every ray.
    rays: Vec<(f64, f64)>,
    /// Why there are no rows.
    fault: Option<Invalid>,
}

#[derive(Clone, Debug)]
struct Row {
    offset: f64,
    /// Of the tread, and h^2/12 R more (m).
    radius: f64,
    /// Length of tread between two rays (m).
    length: f64,
    carcass: Carcass,
}

/// A distance to the ground (m), and its normal there.
type Ground = (f64, Vec3);

/// One ray that takes a load.
struct Contact {
    /// From the hub to where it meets the terrain, world axes.
    arm: Vec3,
    normal: Vec3,
    /// 1/l.
    steep: f64,
    /// Radial load (N) and its slope (N/m).
    load: f64,
    slope: f64,
}

/// What is known of a ray.
struct Ray {
    direction: Vec3,
    /// Clearance of the tread, and the normal below it.
    first: Ground,
    /// Where it meets the terrain, if that was asked for.
    met: Option<Ground>,
    /// From the tread on both sides.
    load: f64,
    slope: f64,
}

/// Spans of at most this many pieces of tread are not halved.
const SHORT_SPAN: usize = 4;

/// Where the rays hang.
struct Hang {
    axle: Vec3,
    down: Vec3,
    across: Vec3,
    /// d.e / s.
    lean: f64,
}

impl Tyre {
    /// A tyre on the wheel whose hub centre is the marker's point and whose axle is its z axis. `radius` is that of the undeformed tread (m); `load`
    /// the vertical force (N) as a function of the deflection (m) of the upright tyre on a flat road, up to `most` (m).
    ///
    /// A ray every 3 mm, one row, no damping, no friction, unless set.
    pub fn new(
        hub: Marker,
        radius: f64,
        load: impl Function + 'static,
        most: f64,
        terrain: impl Terrain + 'static,
    ) -> Self {
        Tyre {
            attachments: [hub.p(), hub.z(), hub.spin()],
            terrain: Arc::new(terrain),
            load: Arc::new(load),
            radius,
            most,
            resolution: 0.003,
            section: None,
            damping: 0.0,
            friction: None,
            creep: 0.05,
            rows: Vec::new(),
            rays: Vec::new(),
            fault: None,
        }
        .laid_out()
    }

    /// Tread between two rays (m): 0.003 to 0.006 is usual.
    pub fn resolution(self, resolution: f64) -> Self {
        Tyre { resolution, ..self }.laid_out()
    }

    /// A rounded cross-section: `rows` circles over the `width` (m), on an arc of radius `crown` (m, at least half the width).
    pub fn section(self, width: f64, crown: f64, rows: usize) -> Self {
        Tyre { section: Some((width, crown, rows)), ..self }.laid_out()
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
        Tyre { creep: speed, ..self }
    }

    /// Number of rays around the whole tread, in each row.
    pub fn rays_around(&self) -> usize {
        2 * self.rays.len().saturating_sub(1)
    }

    /// Everything that follows from the dimensions. Where they are unusable it is left empty; `validate` says so.
    fn laid_out(mut self) -> Self {
        self.rows.clear();
        self.rays.clear();
        self.fault = None;
        if self.check_dimensions().is_err() || self.load.validate().is_err() {
            return self;
        }
        let quarter = (0.5 * std::f64::consts::PI * self.radius / self.resolution).ceil() as usize;
        let step = 0.5 * std::f64::consts::PI / quarter as f64;
        for k in 0..=2 * quarter {
            let (sin, cos) = libm::sincos(step * (k as f64 - quarter as f64));
            self.rays.push((cos, sin));
        }
        let (width, crown, n) = self.section.unwrap_or((0.0, 1.0, 1));
        let offset = |j: usize| if n == 1 { 0.0 } else { width * (j as f64 / (n - 1) as f64 - 0.5) };
        let drop = |y: f64| y * y / (crown + (crown * crown - y * y).max(0.0).sqrt());
        // an even number of rows has none in the middle: the highest is at the radius
        let highest = drop(offset(n / 2));
        let drops: Vec<f64> = (0..n).map(|j| drop(offset(j)) - highest).collect();
        for (j, d) in drops.iter().enumerate() {
            let radius = self.radius - d;
            match Carcass::fit(self.load.as_ref(), self.most, radius, &drops, j) {
                Ok(Some(carcass)) => {
                    // the sagitta's mean
                    let length = radius * step;
                    let radius = radius + length * length / (12.0 * radius);
                    self.rows.push(Row { offset: offset(j), radius, length, carcass });
                }
                Ok(None) => {}
                Err(fault) => self.fault = Some(fault),
            }
        }
        self
    }

    fn check_dimensions(&self) -> Result<(), Invalid> {
        positive("radius", self.radius, "m")?;
        positive("largest deflection", self.most, "m")?;
        positive("resolution", self.resolution, "m")?;
        if self.most > 0.5 * self.radius {
            return Err(Invalid::new(
                "deflection",
                format!("largest deflection is {} m, must be at most half the radius", self.most),
            ));
        }
        if self.resolution > 0.1 * self.radius || self.resolution < 1e-5 * self.radius {
            return Err(Invalid::new(
                "resolution",
                format!("resolution is {} m, must be 0.00001 to 0.1 of the radius", self.resolution),
            ));
        }
        if let Some((width, crown, rows)) = self.section {
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

    /// How far a ray reaches until it meets the terrain, and the normal there; `None` where that is beyond 1.5 radii.
    fn reach(&self, from: Vec3, ray: Vec3, radius: f64, first: (f64, Vec3)) -> Option<(f64, Vec3)> {
        let (mut rho, (mut clear, mut normal)) = (radius, first);
        let (mut low, mut high) = if clear > 0.0 { (radius, 1.5 * radius) } else { (0.0, radius) };
        for _ in 0..60 {
            if clear.abs() <= 1e-15 * radius {
                break;
            }
            let slope = normal.dot(ray) / normal.z;
            let newton = rho - clear / slope;
            let next = if slope < 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let last = rho;
            rho = next;
            (clear, normal) = self.clearance(from + ray * rho);
            *if clear > 0.0 { &mut low } else { &mut high } = rho;
            if (rho - last).abs() <= 1e-16 * radius {
                break;
            }
        }
        (rho < 1.4999 * radius).then_some((rho, normal))
    }

    /// Height of a point above the terrain, and the terrain's normal below it.
    fn clearance(&self, x: Vec3) -> (f64, Vec3) {
        let (height, normal) = self.terrain.height_and_normal(x.x, x.y);
        (x.z - height, normal)
    }

    /// Visit every ray that takes a load; the energy is returned (J).
    fn contacts(&self, hub: Vec3, axle: Vec3, mut visit: impl FnMut(&Hang, Contact)) -> f64 {
        let tilt = -axle.z;
        let level = (1.0 - tilt * tilt).max(0.0).sqrt();
        // lying on its side it has no lower half
        if level < 1e-3 {
            return 0.0;
        }
        let down = (-Vec3::Z - axle * tilt) / level;
        let hang = Hang { axle, down, across: axle.cross(down), lean: tilt / level };
        let mut energy = 0.0;
        for row in &self.rows {
            energy += self.row_contacts(row, hub, &hang, &mut visit);
        }
        energy
    }

    /// Those of one row. Spans of rays are halved until they are short, and left out as soon as they are known to lie above the terrain.
    fn row_contacts(&self, row: &Row, hub: Vec3, hang: &Hang, visit: &mut impl FnMut(&Hang, Contact)) -> f64 {
        let offset = hang.axle * row.offset;
        let centre = hub + offset;
        let direction = |k: usize| hang.down * self.rays[k].0 + hang.across * self.rays[k].1;
        let none = (1.5 * row.radius, Vec3::ZERO);
        let meet = |ray: Vec3, first: Ground| self.reach(centre, ray, row.radius, first).unwrap_or(none);
        // the last ray that was looked at: its number, and what is known of it
        let mut last: Option<(usize, Ray)> = None;
        let mut flush = |ray: Option<(usize, Ray)>| {
            let Some((_, Ray { direction, met: Some((rho, normal)), load, slope, .. })) = ray else { return };
            if normal != Vec3::ZERO && load > 0.0 {
                let steep = 1.0 / (-normal.dot(direction)).max(0.05);
                visit(hang, Contact { arm: offset + direction * rho, normal, steep, load, slope });
            }
        };
        let mut energy = 0.0;
        let mut spans = [(0, 0); 2 * usize::BITS as usize];
        spans[0] = (0, self.rays.len() - 1);
        let mut n = 1;
        while n > 0 {
            n -= 1;
            let (from, to) = spans[n];
            if self.above_terrain(centre, hang, row.radius, from, to) {
                continue;
            }
            if to - from > SHORT_SPAN {
                let middle = from.midpoint(to);
                (spans[n], spans[n + 1]) = ((middle, to), (from, middle));
                n += 2;
                continue;
            }
            for k in from..=to {
                if last.as_ref().is_some_and(|(i, _)| *i == k) {
                    continue;
                }
                let ray = direction(k);
                let first = self.clearance(centre + ray * row.radius);
                let mut now = Ray { direction: ray, first, met: None, load: 0.0, slope: 0.0 };
                if let Some((_, before)) = last.as_mut().filter(|(i, _)| i + 1 == k)
                    && (first.0 < 0.0 || before.first.0 < 0.0)
                {
                    let a = *before.met.get_or_insert_with(|| meet(before.direction, before.first));
                    let b = *now.met.insert(meet(ray, first));
                    let share = row.carcass.share(row.radius - a.0, row.radius - b.0);
                    energy += row.length * share.energy;
                    before.load += row.length * share.load[0];
                    before.slope += row.length * share.slope[0];
                    now.load = row.length * share.load[1];
                    now.slope = row.length * share.slope[1];
                }
                flush(last.replace((k, now)));
            }
        }
        flush(last);
        energy
    }

    /// Is the tread of the rays `from..=to` known to lie above the terrain?
    fn above_terrain(&self, centre: Vec3, hang: &Hang, radius: f64, from: usize, to: usize) -> bool {
        // from a quarter turn behind to a quarter turn before: sines rise, cosines have their largest in the middle
        let (first, last, middle) = (self.rays[from], self.rays[to], self.rays.len() / 2);
        let highest = if (from..=to).contains(&middle) { 1.0 } else { first.0.max(last.0) };
        let (cos, sin) = ((first.0.min(last.0), highest), (first.1, last.1));
        let span = |down: f64, across: f64| {
            let a = (down * cos.0, down * cos.1, across * sin.0, across * sin.1);
            (radius * (a.0.min(a.1) + a.2.min(a.3)), radius * (a.0.max(a.1) + a.2.max(a.3)))
        };
        let (x, y) = (span(hang.down.x, hang.across.x), span(hang.down.y, hang.across.y));
        // more than rounding can be
        let room = 1e-9 * radius;
        let low = [centre.x + x.0 - room, centre.y + y.0 - room];
        let high = [centre.x + x.1 + room, centre.y + y.1 + room];
        centre.z + span(hang.down.z, hang.across.z).0 - room > self.terrain.highest(low, high)
    }

    /// Squared reference speed of slip, V^2.
    fn speed_squared(&self, hub: &Attached, spin: Vec3, axle: Vec3) -> f64 {
        let rolling = spin.dot(axle) * self.radius;
        hub.rate.length_squared().max(rolling * rolling) + self.creep * self.creep
    }

    /// Forwards and sideways on the terrain, with the friction force per slip velocity of each and per normal force.
    fn grips(&self, axle: Vec3, normal: Vec3, slip: f64, reference: f64) -> [(Vec3, f64); 2] {
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
        self.check_dimensions()?;
        self.load.validate().map_err(|e| e.within("load").prefixed("load: "))?;
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        not_negative("damping", self.damping, "s/m")?;
        positive("creep speed", self.creep, "m/s")?;
        for (what, law) in ["friction forwards", "friction sideways"].iter().zip(self.friction.iter().flatten()) {
            law.validate().map_err(|e| e.prefixed(&format!("{what}: ")))?;
        }
        self.terrain.validate().map_err(|e| e.within("terrain").prefixed("terrain: "))
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        let (hub, axle, spin) = (a.get(0), a.at(1), a.rate(2));
        let reference = self.speed_squared(&hub, spin, axle).sqrt();
        let (mut force, mut elastic, mut torque) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        self.contacts(hub.at, axle, |hang, c| {
            let velocity = hub.rate + spin.cross(c.arm);
            let approach = -c.normal.dot(velocity);
            let damped = (1.0 + self.damping * approach * c.steep).max(0.0);
            let push = c.normal * (c.load * c.steep);
            force += push * damped;
            torque += c.arm.cross(push * (damped - 1.0));
            let turn = c.arm.cross(push);
            let about_axle = hang.axle.dot(turn);
            elastic += turn + (hang.down * hang.lean - hang.axle) * about_axle;
            if self.friction.is_some() {
                let slip = velocity + c.normal * approach;
                let pressure = c.load * c.steep * damped;
                let [x, y] = self.grips(axle, c.normal, slip.length(), reference);
                let drag = (x.0 * (x.1 * x.0.dot(slip)) + y.0 * (y.1 * y.0.dot(slip))) * -pressure;
                force += drag;
                torque += c.arm.cross(drag);
            }
        });
        push.on(0, force);
        push.on(2, torque + elastic);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        self.contacts(a.at(0), a.at(1), |_, _| {})
    }
    fn n_stiff(&self) -> usize {
        6
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let (hub, axle, spin) = (a.get(0), a.at(1), a.rate(2));
        let reference = self.speed_squared(&hub, spin, axle).sqrt();
        let (mut k, mut c) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        let add = |m: &mut [[f64; 6]; 6], value: f64, along: Vec3, turn: Vec3| {
            let x = [along.x, along.y, along.z, turn.x, turn.y, turn.z];
            for (row, xi) in m.iter_mut().zip(x) {
                for (entry, xj) in row.iter_mut().zip(x) {
                    *entry += value * xi * xj;
                }
            }
        };
        self.contacts(hub.at, axle, |hang, contact| {
            let (n, steep) = (contact.normal, contact.steep);
            let turn = contact.arm.cross(n);
            let hung = turn + (hang.down * hang.lean - hang.axle) * hang.axle.dot(turn);
            add(&mut k, contact.slope * steep * steep, n, hung);
            let velocity = hub.rate + spin.cross(contact.arm);
            let approach = -n.dot(velocity);
            let damped = (1.0 + self.damping * approach * steep).max(0.0);
            if damped > 0.0 {
                add(&mut c, contact.load * self.damping * steep * steep, n, turn);
            }
            let slip = (velocity + n * approach).length();
            for (along, grip) in self.grips(axle, n, slip, reference) {
                add(&mut c, contact.load * steep * damped * grip, along, contact.arm.cross(along));
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

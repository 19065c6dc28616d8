//! Bead on a circular wire. The circle is a constraint written here, as a user would write it; fixed, or turning about its vertical
//! diameter. The fixed one also from the catalogue: a massless rod and a plane.
//!
//! With d from the centre to the bead, n(t) the unit normal of the circle's plane:
//!
//! ```text
//! C_0 = |d| - R      gradient d/|d|      curvature (d' . d' - (d . d'/|d|)^2) / |d|
//! C_1 = n . d        gradient n          C_t = n' . d      curvature 2 n' . d' + n'' . d
//! ```
//!
//! Scalars of the turning hoop: a bead put at `hoop_theta_eq` stays there; `hoop_freq` is the limit of two small amplitudes; at
//! `hoop_critical_rate` the bead beside the bottom is in balance, which follows from its accelerations at two rates, since they are linear
//! in the square of the rate.

use super::book::{Book, Stop};
use super::track::{Passing, Track, period, swing};
use holonom::JointId;
use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::prelude::*;
use holonom_cases::Problem;

/// A circle about the origin, turning about y.
struct Circle {
    /// A point of the ground, and the bead.
    on: [Attachment; 2],
    radius: f64,
    rate: f64,
}

impl Circle {
    /// In the x-y plane at t = 0.
    fn new(bead: BodyId, radius: f64, rate: f64) -> Self {
        let point = |body| Attachment::point(body, Vec3::ZERO);
        Circle { on: [point(BodyId::GROUND), point(bead)], radius, rate }
    }
}

impl Constraint for Circle {
    fn kind(&self) -> &'static str {
        "circle"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        2
    }
    fn rheonomic(&self) -> bool {
        self.rate != 0.0
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let (d, d_rate) = (a.at(1) - a.at(0), a.rate(1) - a.rate(0));
        let r = d.length();
        let outward = d / r;
        let along = outward.dot(d_rate);
        out.row(0).gap = r - self.radius;
        out.row(0).curvature = (d_rate.length_squared() - along * along) / r;
        let (s, c) = (self.rate * t).sin_cos();
        let n = vec3(s, 0.0, c);
        let n_rate = vec3(c, 0.0, -s) * self.rate;
        out.row(1).gap = n.dot(d);
        out.row(1).rate_t = n_rate.dot(d);
        out.row(1).curvature = 2.0 * n_rate.dot(d_rate) - self.rate * self.rate * n.dot(d);
        for (i, g) in [outward, n].into_iter().enumerate() {
            out.gradient(i, 0, -g);
            out.gradient(i, 1, g);
        }
    }
}

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    book.variant("a circle of one's own");
    let (mut m, bead) = bead(p, p.initial("theta"), 0.0);
    let circle = m.joint("circle", Circle::new(bead, p.parameter("R"), 0.0));
    fixed(p, book, m, bead, &[circle])?;

    book.variant("rod and plane");
    let (mut m, bead) = self::bead(p, p.initial("theta"), 0.0);
    let rod = m.joint("rod", Distance::new(BodyId::GROUND.origin(), bead.origin(), p.parameter("R")));
    let plane = m.joint("plane", PointOnPlane::new(BodyId::GROUND.origin(), bead.origin()));
    fixed(p, book, m, bead, &[rod, plane])?;

    book.variant("turning hoop");
    turning(p, book)
}

/// A bead at rest on a circle that turns at `rate` and lies in the x-y plane.
fn bead(p: &Problem, theta: f64, rate: f64) -> (ModelBuilder, BodyId) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let (s, c) = theta.sin_cos();
    let at = p.parameter("R") * vec3(s, -c, 0.0);
    let bead = m.body("bead", Particle::new(p.parameter("m"), at).velocity(vec3(0.0, rate, 0.0).cross(at)));
    (m, bead)
}

fn fixed(p: &Problem, book: &mut Book, m: ModelBuilder, bead: BodyId, joints: &[JointId]) -> Result<(), Stop> {
    let mut track = Track::run(Simulation::build(m)?, p.times())?;
    let mut before = p.initial("theta");
    let rows = track.read(|sim| {
        let (r, v) = sim.point(bead.origin());
        let (theta, rate) = swing(r, v, before);
        before = theta;
        let mut force = Vec3::ZERO;
        for joint in joints {
            force += sim.reaction(*joint)?.force;
        }
        Ok(vec![r.x, r.y, theta, rate, -force.dot(r) / r.length()])
    });
    let rows = rows.into_iter().collect::<Result<Vec<_>, StepError>>()?;
    book.columns(&rows);
    // back at rest where it started, once per period: its angle begins to fall
    let returns = track.events(Passing::Down, |sim| {
        let (r, v) = sim.point(bead.origin());
        swing(r, v, 0.0).1
    })?;
    book.scalar("period_a", period(&returns), p.scalar("period_a"));
    let energies = track.energies();
    book.constant("energy", &energies, energies[0]);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}

/// A bead that starts at rest on the turning hoop.
fn hoop(p: &Problem, theta: f64, rate: f64) -> Result<(Simulation, BodyId), Stop> {
    let (mut m, bead) = bead(p, theta, rate);
    m.joint("hoop", Circle::new(bead, p.parameter("R"), rate));
    Ok((Simulation::build(m)?, bead))
}

/// Angle of the bead from the bottom and its rate, for a bead that stays on its side of the hoop.
fn angle(sim: &Simulation, bead: BodyId) -> (f64, f64) {
    let (r, v) = sim.point(bead.origin());
    let out = r.x.hypot(r.z);
    (out.atan2(-r.y), v.y / out)
}

fn turning(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let rate = p.parameter("Om");
    // ten samples per second, for five seconds
    let times = || (0..=50).map(|k| 0.1 * k as f64);
    let (sim, bead) = hoop(p, 0.5, rate)?;
    let mut track = Track::run(sim, times())?;
    let theta = track.read(|sim| angle(sim, bead).0);
    book.scalar("hoop_theta_at_1s", Some(theta[10]), p.scalar("hoop_theta_at_1s"));
    book.scalar("hoop_theta_at_5s", Some(theta[50]), p.scalar("hoop_theta_at_5s"));
    let lowest = track.events(Passing::Up, |sim| angle(sim, bead).1)?;
    let highest = track.events(Passing::Down, |sim| angle(sim, bead).1)?;
    book.scalar("hoop_period_from_0p5", period(&lowest), p.scalar("hoop_period_from_0p5"));
    let top = highest.last().map(|state| {
        track.sim.set_state(state.clone());
        angle(&track.sim, bead).0
    });
    book.scalar("hoop_theta_max", top, p.scalar("hoop_theta_max"));
    book.constant("joint gap", &track.gaps(), 0.0);

    let rest = p.scalar("hoop_theta_eq");
    let (sim, bead) = hoop(p, rest, rate)?;
    let mut track = Track::run(sim, times())?;
    book.constant("hoop_theta_eq", &track.read(|sim| angle(sim, bead).0), rest);

    // frequencies differ from the limit by a term in the square of the amplitude, which two amplitudes remove
    let frequency = |amplitude: f64| -> Result<Option<f64>, Stop> {
        let (sim, bead) = hoop(p, rest + amplitude, rate)?;
        let mut track = Track::run(sim, times())?;
        let highest = track.events(Passing::Down, |sim| angle(sim, bead).1)?;
        Ok(period(&highest).map(|t| std::f64::consts::TAU / t))
    };
    let limit = frequency(1e-3)?.zip(frequency(2e-3)?).map(|(one, two)| (4.0 * one - two) / 3.0);
    book.scalar("hoop_freq", limit, p.scalar("hoop_freq"));

    let near = 1e-5;
    let beginning = |rate: f64| -> Result<f64, Stop> {
        let (mut sim, _) = hoop(p, near, rate)?;
        let a = sim.accelerations()?;
        // along the circle, in the pose of t = 0, as seen from the hoop
        let (s, c) = near.sin_cos();
        Ok(a[0] * c + a[1] * s + rate * rate * s * c)
    };
    let (still, fast) = (beginning(0.0)?, beginning(rate)?);
    let critical = rate * (still / (still - fast)).sqrt();
    book.scalar("hoop_critical_rate", Some(critical), p.scalar("hoop_critical_rate"));
    Ok(())
}

//! Bead on a circular wire. The fixed circle as a constraint written here, as a user would write it; as a massless rod
//! and a plane; and as a curve. The turning one as a curve on a hoop that a motor leads around.
//!
//! The constraint, with d from the centre to the bead and n the unit normal of the circle's plane:
//!
//! ```text
//! C_0 = |d| - R      gradient d/|d|      curvature (d' . d' - (d . d'/|d|)^2) / |d|
//! C_1 = n . d        gradient n
//! ```
//!
//! Scalars of the turning hoop: a bead put at `hoop_theta_eq` stays there; `hoop_freq` is the limit of two small
//! amplitudes; at `hoop_critical_rate` the bead beside the bottom is in balance, which follows from its accelerations
//! at two rates, since they are linear in the square of the rate.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, pendulum_angle, period};
use crate::scenes::load;
use holonom::JointId;
use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::prelude::*;

/// A circle about the origin, in the x-y plane.
struct Circle {
    /// A point of the ground, and the bead.
    on: [Attachment; 2],
    radius: f64,
}

impl Circle {
    fn new(bead: BodyId, radius: f64) -> Self {
        let point = |body| Attachment::point(body, Vec3::ZERO);
        Circle { on: [point(BodyId::GROUND), point(bead)], radius }
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
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        let (d, d_rate) = (a.at(1) - a.at(0), a.rate(1) - a.rate(0));
        let r = d.length();
        let outward = d / r;
        let along = outward.dot(d_rate);
        out.row(0).gap = r - self.radius;
        out.row(0).curvature = (d_rate.length_squared() - along * along) / r;
        let n = Vec3::Z;
        out.row(1).gap = n.dot(d);
        for (i, g) in [outward, n].into_iter().enumerate() {
            out.gradient(i, 0, -g);
            out.gradient(i, 1, g);
        }
    }
}

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("a circle of one's own");
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let (s, c) = p.initial("theta").sin_cos();
    let bead = m.body("bead", Particle::new(p.parameter("m"), p.parameter("R") * vec3(s, -c, 0.0)));
    let circle = m.joint("circle", Circle::new(bead, p.parameter("R")));
    fixed(p, compare, Simulation::build(m)?, bead, &[circle])?;

    compare.variant("rod and plane");
    let loaded = load("p22-rod-and-plane", &[])?;
    let joints = [loaded.joint("rod")?, loaded.joint("plane")?];
    let bead = loaded.body("bead")?;
    fixed(p, compare, loaded.sim, bead, &joints)?;

    compare.variant("wire");
    let loaded = load("p22-bead-on-wire", &[])?;
    let (bead, wire) = (loaded.body("bead")?, loaded.joint("wire")?);
    fixed(p, compare, loaded.sim, bead, &[wire])?;

    compare.variant("turning hoop");
    turning(p, compare)
}

fn fixed(
    p: &Reference,
    compare: &mut Comparison,
    sim: Simulation,
    bead: BodyId,
    joints: &[JointId],
) -> Result<(), VerifyError> {
    let mut sampled = SampledRun::run(sim, p.times())?;
    let mut before = p.initial("theta");
    let rows = sampled.read(|sim| {
        let (r, v) = sim.point(bead.origin());
        let (theta, rate) = pendulum_angle(r, v, before);
        before = theta;
        let mut force = Vec3::ZERO;
        for joint in joints {
            force += sim.reaction(*joint)?.force;
        }
        Ok(vec![r.x, r.y, theta, rate, -force.dot(r) / r.length()])
    });
    let rows = rows.into_iter().collect::<Result<Vec<_>, StepError>>()?;
    compare.columns(&rows);
    // back at rest where it started, once per period: its angle begins to fall
    let returns = sampled.events(Crossing::Down, |sim| {
        let (r, v) = sim.point(bead.origin());
        pendulum_angle(r, v, 0.0).1
    })?;
    compare.scalar("period_a", period(&returns), p.scalar("period_a"));
    let energies = sampled.energies();
    compare.constant("energy", &energies, energies[0]);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

/// A bead that starts at rest on the turning hoop.
fn hoop(theta: f64, rate: f64) -> Result<(Simulation, BodyId), VerifyError> {
    let loaded = load("p22-turning-hoop", &[("theta", theta), ("Om", rate)])?;
    let bead = loaded.body("bead")?;
    Ok((loaded.sim, bead))
}

/// Angle of the bead from the bottom and its rate, for a bead that stays on its side of the hoop.
fn angle(sim: &Simulation, bead: BodyId) -> (f64, f64) {
    let (r, v) = sim.point(bead.origin());
    let out = r.x.hypot(r.z);
    (out.atan2(-r.y), v.y / out)
}

fn turning(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let rate = p.parameter("Om");
    // ten samples per second, for five seconds
    let times = || (0..=50).map(|k| 0.1 * k as f64);
    let (sim, bead) = hoop(0.5, rate)?;
    let mut sampled = SampledRun::run(sim, times())?;
    let theta = sampled.read(|sim| angle(sim, bead).0);
    compare.scalar("hoop_theta_at_1s", Some(theta[10]), p.scalar("hoop_theta_at_1s"));
    compare.scalar("hoop_theta_at_5s", Some(theta[50]), p.scalar("hoop_theta_at_5s"));
    let lowest = sampled.events(Crossing::Up, |sim| angle(sim, bead).1)?;
    let highest = sampled.events(Crossing::Down, |sim| angle(sim, bead).1)?;
    compare.scalar("hoop_period_from_0p5", period(&lowest), p.scalar("hoop_period_from_0p5"));
    let top = highest.last().map(|state| {
        sampled.sim.set_state(state.clone());
        angle(&sampled.sim, bead).0
    });
    compare.scalar("hoop_theta_max", top, p.scalar("hoop_theta_max"));
    compare.constant("joint gap", &sampled.gaps(), 0.0);

    let rest = p.scalar("hoop_theta_eq");
    let (sim, bead) = hoop(rest, rate)?;
    let mut sampled = SampledRun::run(sim, times())?;
    compare.constant("hoop_theta_eq", &sampled.read(|sim| angle(sim, bead).0), rest);

    // frequencies differ from the limit by a term in the square of the amplitude, which two amplitudes remove
    let frequency = |amplitude: f64| -> Result<Option<f64>, VerifyError> {
        let (sim, bead) = hoop(rest + amplitude, rate)?;
        let mut sampled = SampledRun::run(sim, times())?;
        let highest = sampled.events(Crossing::Down, |sim| angle(sim, bead).1)?;
        Ok(period(&highest).map(|t| std::f64::consts::TAU / t))
    };
    let limit = frequency(1e-3)?.zip(frequency(2e-3)?).map(|(one, two)| (4.0 * one - two) / 3.0);
    compare.scalar("hoop_freq", limit, p.scalar("hoop_freq"));

    let near = 1e-5;
    let beginning = |rate: f64| -> Result<f64, VerifyError> {
        let (sim, bead) = hoop(near, rate)?;
        let at = sim.model().v_range(bead);
        let a = &sim.accelerations()?[at];
        // along the circle, in the pose of t = 0, as seen from the hoop
        let (s, c) = near.sin_cos();
        Ok(a[0] * c + a[1] * s + rate * rate * s * c)
    };
    let (still, fast) = (beginning(0.0)?, beginning(rate)?);
    let critical = rate * (still / (still - fast)).sqrt();
    compare.scalar("hoop_critical_rate", Some(critical), p.scalar("hoop_critical_rate"));
    Ok(())
}

//! Stiff flyball governor: a shaft on a bearing, a slider on the shaft, two rods hinged to its head that carry heavy balls, and stiff
//! spring-dampers between the slider and the middles of the rods. A tree of rigid bodies; the balls are parts of the rods, or particles held
//! at their ends.

use super::book::{Book, Stop};
use super::track::Track;
use holonom::JointId;
use holonom::math::exp_quat;
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::PI;

/// Dimensions that the problem gives in words: kg/m^3, m and kg.
const DENSITY: f64 = 3000.0;
const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.01;
const CUBE: f64 = 0.1;
const BALL: f64 = 5.0;
/// From the axis to the hinges of the rods, and to the springs' ends on the slider.
const OUT: f64 = 0.05;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    govern(p, book, "balls as parts of the rods", false)?;
    govern(p, book, "balls as particles", true)?;
    long_steps(p, book)
}

/// The implicit integrator: at fixed steps a hundred times longer than the fast time scale (0.12 ms; an explicit method is not stable beyond about
/// 0.25 ms), and with steps of its own choice.
fn long_steps(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let deviation = |tolerance: f64, fixed: Option<f64>| -> Result<(f64, usize), Stop> {
        let (m, governor) = mechanism(p, true);
        let mut sim = Simulation::build(m)?;
        sim.set_integrator(IntegratorKind::Sdirk4 { relative: tolerance, absolute: tolerance });
        let (mut worst, mut steps) = (0.0f64, 0);
        for row in &p.samples {
            let run = match fixed {
                Some(h) => sim.run_fixed(row[0], h)?,
                None => sim.run_until(row[0])?,
            };
            steps += run.steps;
            let s = sim.coordinate(governor.slide, 0).map_or(f64::NAN, |(s, _)| s);
            let off = (s - row[3]).abs();
            worst = if off <= worst { worst } else { off };
        }
        Ok((worst, steps))
    };
    for (name, h, allowed) in [
        ("implicit, 800 steps of 12.5 ms", 0.0125, 1e-4),
        ("implicit, 1600 steps of 6.25 ms", 0.00625, 2e-5),
        ("implicit, 4000 steps of 2.5 ms", 0.0025, 1e-6),
    ] {
        book.variant(name);
        book.at_most("s", &[deviation(1e-8, Some(h))?.0], allowed);
    }
    book.variant("implicit, steps of its own choice");
    let (worst, steps) = deviation(1e-10, None)?;
    book.at_most("s", &[worst], 1e-7);
    // the default explicit method takes 40,000
    book.at_most("steps in thousands", &[steps as f64 / 1000.0], 8.0);
    Ok(())
}

struct Governor {
    bearing: JointId,
    slide: JointId,
    hinges: Vec<JointId>,
}

/// A prism or cube of this size.
fn block(size: [f64; 3]) -> Rigid {
    Rigid::cuboid(DENSITY * size[0] * size[1] * size[2], size)
}

/// A rod along x from its hinge, with the ball at its far end.
fn loaded_rod() -> Rigid {
    let mass = DENSITY * LENGTH * THICKNESS * THICKNESS;
    let total = mass + BALL;
    let centre = (0.5 * mass + BALL) * LENGTH / total;
    let thin = mass * THICKNESS * THICKNESS / 12.0;
    // the rod's middle and the ball, about their common centre
    let apart = mass * BALL / total * (0.5 * LENGTH) * (0.5 * LENGTH);
    let across = mass * LENGTH * LENGTH / 12.0 + thin + apart;
    Rigid::principal(total, [2.0 * thin, across, across]).centre([centre, 0.0, 0.0])
}

fn mechanism(p: &Problem, particles: bool) -> (ModelBuilder, Governor) {
    let (omega, alpha, height) = (vec3(0.0, 0.0, p.parameter("omega0")), p.parameter("alpha0"), p.parameter("s0"));
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    let shaft = block([THICKNESS, THICKNESS, LENGTH]).position([0.0, 0.0, 0.5 * LENGTH]);
    let shaft = m.body("shaft", shaft.spin(omega));
    let slider = m.body("slider", block([CUBE; 3]).position([0.0, 0.0, height]).spin(omega));
    let foot = shaft.at([0.0, 0.0, -0.5 * LENGTH]);
    let bearing = m.joint("bearing", Revolute::new(BodyId::GROUND.origin(), foot));
    let slide = m.joint("slide", Prismatic::new(foot, slider.origin()));
    let mut hinges = Vec::new();
    for (side, sign, turn) in [("right", 1.0, 0.0), ("left", -1.0, PI)] {
        // a rod's own axes: x along it; y, the hinge, to the left of its way out
        let turned = exp_quat(vec3(0.0, 0.0, turn)) * exp_quat(vec3(0.0, alpha, 0.0));
        let head = vec3(sign * OUT, 0.0, LENGTH);
        let place = |rod: Rigid| rod.position(head).orientation(turned).velocity(omega.cross(head)).spin(omega);
        let rod = if particles {
            block([LENGTH, THICKNESS, THICKNESS]).centre([0.5 * LENGTH, 0.0, 0.0])
        } else {
            loaded_rod()
        };
        let rod = m.body(format!("{side} rod"), place(rod));
        let out = vec3(sign, 0.0, 0.0);
        let hinge = Revolute::new(
            shaft.at(head - Vec3::Z * (0.5 * LENGTH)).axes(out, Vec3::Z.cross(out)),
            rod.origin().axes(Vec3::X, Vec3::Y),
        );
        hinges.push(m.joint(format!("{side} hinge"), hinge));
        if particles {
            let at = head + turned * vec3(LENGTH, 0.0, 0.0);
            let ball = m.body(format!("{side} ball"), Particle::new(BALL, at).velocity(omega.cross(at)));
            m.joint(format!("{side} seat"), Spherical::new(rod.at([LENGTH, 0.0, 0.0]), ball.origin()));
        }
        let (near, middle) = (slider.at(out * OUT), rod.at([0.5 * LENGTH, 0.0, 0.0]));
        let spring = Spring::new(near, middle, p.parameter("K"), p.parameter("l0")).damping(p.parameter("C"));
        m.force(format!("{side} spring"), spring);
    }
    (m, Governor { bearing, slide, hinges })
}

fn govern(p: &Problem, book: &mut Book, name: &'static str, particles: bool) -> Result<(), Stop> {
    let (m, governor) = mechanism(p, particles);
    // stiff: the steps of an explicit method are bounded by stability, and a tolerance at the level of rounding only costs time
    let mut track = Track::run_with(Simulation::build(m)?, IntegratorKind::default(), p.times())?;
    book.variant(name);
    let mut lopsided = Vec::new();
    let rows = track.read(|sim| {
        let mut at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (phi, alpha, s) = (at(governor.bearing), at(governor.hinges[0]), at(governor.slide));
        lopsided.push(at(governor.hinges[1]).0 - alpha.0);
        vec![phi.0, alpha.0, s.0, phi.1, alpha.1, s.1]
    });
    book.columns(&rows);
    let heights = || rows.iter().map(|row| row[2]);
    book.scalar("s_min_over_samples", heights().reduce(f64::min), p.scalar("s_min_over_samples"));
    book.scalar("s_max_over_samples", heights().reduce(f64::max), p.scalar("s_max_over_samples"));
    book.constant("difference of the rods", &lopsided, 0.0);
    // the dampers take energy, and the ledger knows how much
    let unexplained = track.read(|sim| sim.ledger().integrator);
    book.constant("energy not accounted for", &unexplained, 0.0);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}

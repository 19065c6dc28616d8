//! Double pendulum of point masses. As particles on massless rods, and as two dumb-bells with point masses at their ends: the mass at the
//! fixed pin does not move, and the two masses at the middle pin move as one. So (m1, m1/2) and (m1/2, m2) make the same pendulum.

use super::book::{Book, Stop};
use super::track::{Track, swing};
use holonom::bodies::Body;
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::FRAC_PI_2;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    particles(p, book)?;
    let (m1, m2) = (p.parameter("m1"), p.parameter("m2"));
    let upper = DumbBell::new(m1, 0.5 * m1, p.parameter("L1"));
    let lower = DumbBell::new(0.5 * m1, m2, p.parameter("L2"));
    let at = p.parameter("L1");
    let maximal = Coordinates::Maximal;
    links(p, book, "planar dumb-bells", maximal, upper.planar(0.0), lower.planar(at))?;
    links(p, book, "rigid dumb-bells", maximal, upper.rigid(0.0), lower.rigid(at))?;
    links(p, book, "rigid, joint coordinates", Coordinates::Joint, upper.rigid(0.0), lower.rigid(at))
}

/// Two point masses on a massless rod along x.
struct DumbBell {
    mass: f64,
    /// From the near mass.
    centre: f64,
    inertia: f64,
}

impl DumbBell {
    fn new(near: f64, far: f64, length: f64) -> Self {
        let mass = near + far;
        DumbBell { mass, centre: length * far / mass, inertia: near * far / mass * length * length }
    }

    /// With its near mass, which is its origin, at x.
    fn planar(&self, x: f64) -> Planar {
        Planar::new(self.mass, self.inertia).centre(self.centre, 0.0).pose(x, 0.0, 0.0)
    }

    /// The same in space; it never turns about its own axis, so its inertia there does not matter.
    fn rigid(&self, x: f64) -> Rigid {
        Rigid::principal(self.mass, [1e-3 * self.inertia, self.inertia, self.inertia])
            .centre([self.centre, 0.0, 0.0])
            .position([x, 0.0, 0.0])
    }
}

fn gravity(p: &Problem) -> Vec3 {
    vec3(0.0, -p.parameter("g"), 0.0)
}

fn particles(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (l1, l2) = (p.parameter("L1"), p.parameter("L2"));
    let mut m = ModelBuilder::new();
    m.gravity(gravity(p));
    let first = m.body("first", Particle::new(p.parameter("m1"), [l1, 0.0, 0.0]));
    let second = m.body("second", Particle::new(p.parameter("m2"), [l1 + l2, 0.0, 0.0]));
    m.joint("upper rod", Distance::new(BodyId::GROUND.origin(), first.origin(), l1));
    m.joint("lower rod", Distance::new(first.origin(), second.origin(), l2));
    let mut track = Track::run(Simulation::build(m)?, p.times())?;

    book.variant("particles on rods");
    let (mut before1, mut before2) = (FRAC_PI_2, FRAC_PI_2);
    let rows = track.read(|sim| {
        let ((r1, v1), (r2, v2)) = (sim.point(first.origin()), sim.point(second.origin()));
        let (angle1, rate1) = swing(r1, v1, before1);
        let (angle2, rate2) = swing(r2 - r1, v2 - v1, before2);
        (before1, before2) = (angle1, angle2);
        vec![angle1, angle2, rate1, rate2]
    });
    book.columns(&rows);
    scalars(p, book, &mut track);
    Ok(())
}

fn links(
    p: &Problem,
    book: &mut Book,
    name: &'static str,
    coordinates: Coordinates,
    upper: impl Body + 'static,
    lower: impl Body + 'static,
) -> Result<(), Stop> {
    let mut m = ModelBuilder::new();
    m.gravity(gravity(p));
    let upper = m.body("upper", upper);
    let lower = m.body("lower", lower);
    let shoulder = m.joint("shoulder", Revolute::new(BodyId::GROUND.origin(), upper.origin()));
    let elbow = m.joint("elbow", Revolute::new(upper.at([p.parameter("L1"), 0.0, 0.0]), lower.origin()));
    let mut sim = Simulation::build(m)?;
    sim.set_coordinates(coordinates)?;
    let mut track = Track::run(sim, p.times())?;

    book.variant(name);
    let rows = track.read(|sim| {
        let mut angle = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let ((a, a_rate), (b, b_rate)) = (angle(shoulder), angle(elbow));
        vec![FRAC_PI_2 + a, FRAC_PI_2 + a + b, a_rate, a_rate + b_rate]
    });
    book.columns(&rows);
    scalars(p, book, &mut track);
    Ok(())
}

fn scalars(p: &Problem, book: &mut Book, track: &mut Track) {
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.constant("joint gap", &track.gaps(), 0.0);
}

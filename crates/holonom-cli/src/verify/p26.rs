//! A hanging chain: its shape at rest, its small motions, and those of a string with beads.
//!
//! (a) Twenty links between two pins, from a start like the letter V, to rest with `Simulation::equilibrium`: of plane bodies, and of bodies in
//! space on ball joints, where each link may also turn about itself. Horizontal tension: the horizontal part of every joint's reaction.
//!
//! (b) Ten particles on massless rods, hanging straight down. In space every frequency is there twice.
//!
//! (c) Twenty beads on massless rods along x. The first rod ends on the ground, the last one in a slider that is pulled with the tension along
//! the line; to first order it does not move when the beads do. Again every frequency is there twice.

use super::book::{Book, Stop};
use super::plane::{Bar, Made, ground, pin};
use holonom::EquilibriumOptions;
use holonom::prelude::*;
use holonom_cases::Problem;

const LINKS: usize = 20;
const LINK: f64 = 0.1;
const SPAN: f64 = 1.2;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    book.variant("plane links from a V");
    catenary(p, book, plane_chain(p))?;
    book.variant("links on ball joints from a V");
    catenary(p, book, ball_chain(p))?;
    book.variant("hanging particles");
    hanging(p, book)?;
    book.variant("beads on a string");
    string(p, book)
}

/// A chain before it is let go: the markers of its links' first and second ends.
struct Chain {
    m: ModelBuilder,
    ends: Vec<(Marker, Marker)>,
    joints: Vec<holonom::JointId>,
}

/// Joint `i` on the letter V.
fn on_v(i: usize) -> [f64; 2] {
    let half = LINKS as f64 / 2.0;
    let depth = ((half * LINK) * (half * LINK) - 0.25 * SPAN * SPAN).sqrt();
    let (i, n) = (i as f64, LINKS as f64);
    [SPAN * i / n, -depth * (1.0 - (i / half - 1.0).abs())]
}

fn plane_chain(p: &Problem) -> Chain {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let (mut ends, mut joints) = (Vec::new(), Vec::new());
    let mut above = ground(on_v(0));
    for i in 0..LINKS {
        let bar = Bar::new(Made::Plane, &mut m, &format!("link {i}"), 0.05, on_v(i), on_v(i + 1));
        joints.push(pin(&mut m, &format!("pin {i}"), above, bar.from()));
        above = bar.to();
        ends.push((bar.from(), bar.to()));
    }
    joints.push(pin(&mut m, "last pin", above, ground(on_v(LINKS))));
    Chain { m, ends, joints }
}

fn ball_chain(p: &Problem) -> Chain {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let (mut ends, mut joints) = (Vec::new(), Vec::new());
    let mut above = ground(on_v(0));
    for i in 0..LINKS {
        let (from, to) = (on_v(i), on_v(i + 1));
        let angle = (to[1] - from[1]).atan2(to[0] - from[0]);
        let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.0];
        let inertia = 0.05 * LINK * LINK / 12.0;
        let link = Rigid::principal(0.05, vec3(0.1, 1.0, 1.0) * inertia).position(middle);
        let link = m.body(format!("link {i}"), link.orientation(holonom::math::exp_quat(vec3(0.0, 0.0, angle))));
        let (near, far) = (link.at([-0.5 * LINK, 0.0, 0.0]), link.at([0.5 * LINK, 0.0, 0.0]));
        joints.push(m.joint(format!("ball {i}"), Spherical::new(above, near)));
        above = far;
        ends.push((near, far));
    }
    joints.push(m.joint("last ball", Spherical::new(above, ground(on_v(LINKS)))));
    Chain { m, ends, joints }
}

fn catenary(p: &Problem, book: &mut Book, chain: Chain) -> Result<(), Stop> {
    let mut sim = Simulation::build(chain.m)?;
    let found = sim.equilibrium(&EquilibriumOptions::default())?;
    let mut points = vec![sim.point(chain.ends[0].0).0];
    points.extend(chain.ends.iter().map(|(_, far)| sim.point(*far).0));
    book.columns(&points.iter().map(|x| vec![x.x, x.y]).collect::<Vec<_>>());
    book.at_most("out of the plane", &points.iter().map(|x| x.z).collect::<Vec<_>>(), 1e-9);
    let angles: Vec<f64> = points.windows(2).map(|w| (w[1].y - w[0].y).atan2(w[1].x - w[0].x)).collect();
    book.series("link_angles", &angles, &p.scalars("link_angles"));
    let mut tensions = Vec::new();
    for joint in chain.joints {
        tensions.push(sim.reaction(joint)?.force.x.abs());
    }
    book.constant("H", &tensions, p.scalar("H"));
    book.at_most("residual", &[found.residual], 1e-12);
    // of chains in space each link may turn about itself; nothing else may give way
    let least = found.stiffness.iter().fold(f64::INFINITY, |m: f64, s| m.min(*s));
    book.at_most("stiffness below zero", &[least.min(0.0)], 1e-6);
    Ok(())
}

/// The expected frequencies, each one twice, against the circular frequencies found.
fn twice(p: &Problem, book: &mut Book, name: &str, sim: &mut Simulation) -> Result<(), Stop> {
    let modes = sim.linearise()?;
    let found: Vec<f64> = modes.frequencies().iter().map(|f| std::f64::consts::TAU * f).collect();
    let expected: Vec<f64> = p.scalars(name).into_iter().flat_map(|w| [w, w]).collect();
    book.series(name, &found, &expected);
    book.at_most("number of modes", &[found.len() as f64 - expected.len() as f64], 0.0);
    book.at_most("estimated error", &[modes.error()], 1e-9);
    Ok(())
}

fn hanging(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let mut above = BodyId::GROUND.origin();
    for i in 0..10 {
        let bob = m.body(format!("bob {i}"), Particle::new(0.3, [0.0, -LINK * (i + 1) as f64, 0.0]));
        m.joint(format!("rod {i}"), Distance::new(above, bob.origin(), LINK));
        above = bob.origin();
    }
    twice(p, book, "hanging_modes_w", &mut Simulation::build(m)?)
}

fn string(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (beads, spacing, tension) = (20, 0.05, 10.0);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let mut above = BodyId::GROUND.origin();
    for i in 0..beads {
        let bead = m.body(format!("bead {i}"), Particle::new(0.01, [spacing * (i + 1) as f64, 0.0, 0.0]));
        m.joint(format!("rod {i}"), Distance::new(above, bead.origin(), spacing));
        above = bead.origin();
    }
    let end = m.body("slider", Particle::new(1.0, [spacing * (beads + 1) as f64, 0.0, 0.0]));
    m.joint("last rod", Distance::new(above, end.origin(), spacing));
    m.joint("line", PointOnLine::new(BodyId::GROUND.origin().along([1.0, 0.0, 0.0]), end.origin()));
    m.force("tension", PointForce::new(end.origin(), [tension, 0.0, 0.0]));
    twice(p, book, "string_modes_w", &mut Simulation::build(m)?)
}

//! Four-bar mechanism with two loops: three cranks on the ground and two couplers, all of 1 m. Twice per turn all links lie on one line;
//! there the rows of the joints become dependent, and the motion could leave the branch of parallelograms. In space with hinges (35 rows on
//! 30 velocities, one freedom: redundant in every pose), and as plane bodies.
//!
//! Near that pose errors in the accelerations grow with one over the distance from it, and what is lost depends on how near a stage of the
//! integrator happens to fall: some of the trusted digits. So the motion is followed with steps of 1 ms, and held to a hundredth of what the
//! problem asks of an accurate run, that is 1e-8.
//!
//! At every step joints are closed to 1e-10 and the loops are parallelograms. At the singular pose a gap of rounding size lets the pins
//! stray by its square root, 1e-8 m; ten times that is allowed, where another branch is a metre away. Energy is held to 1e-7 J,
//! a millionth of what the problem allows. The same at the samples of a run whose steps the integrator chooses, at its usual tolerance.

use super::book::{Book, Stop};
use super::plane::{Bar, Made, ground, pin};
use super::track::{Passing, Track, fixed_steps, period};
use holonom::JointId;
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::FRAC_PI_2;

/// Errors of the motion: m, m/s, rad, rad/s, s.
const MOTION: f64 = 1e-8;
/// Change of energy at any step, J.
const ENERGY: f64 = 1e-7;
/// Largest gap of a joint at any step, m or rad.
const CLOSED: f64 = 1e-10;
/// Step of the run that is compared, s.
const STEP: f64 = 1e-3;
/// How far a parallelogram may be from one, m.
const PARALLEL: f64 = 1e-7;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, made) in [("hinges in space", Made::Space), ("plane bodies", Made::Plane)] {
        book.variant(name);
        fixed(p, book, made)?;
        adaptive(p, book, made)?;
    }
    Ok(())
}

struct FourBars {
    /// Upper ends of the cranks.
    tops: Vec<Marker>,
    /// The pin of the first crank.
    first: JointId,
}

fn mechanism(p: &Problem, made: Made) -> (ModelBuilder, FourBars) {
    let (mass, length, rate) = (p.parameter("m"), p.parameter("L"), p.initial("phi_dot"));
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -p.parameter("g"), 0.0]);
    let n = p.parameter("N") as usize;
    let foot = |i: usize| [i as f64 * length, 0.0];
    let top = |i: usize| [i as f64 * length, length];
    // clockwise, so the tops move along +x
    let cranks: Vec<Bar> = (0..=n)
        .map(|i| Bar::moving(made, &mut m, &format!("crank {i}"), mass, foot(i), top(i), [0.0; 2], -rate))
        .collect();
    let pins: Vec<JointId> = cranks
        .iter()
        .enumerate()
        .map(|(i, crank)| pin(&mut m, &format!("foot {i}"), ground(foot(i)), crank.from()))
        .collect();
    for i in 1..=n {
        let name = format!("coupler {i}");
        let coupler = Bar::moving(made, &mut m, &name, mass, top(i - 1), top(i), [rate * length, 0.0], 0.0);
        pin(&mut m, &format!("left of {i}"), cranks[i - 1].to(), coupler.from());
        pin(&mut m, &format!("right of {i}"), cranks[i].to(), coupler.to());
    }
    (m, FourBars { tops: cranks.iter().map(Bar::to).collect(), first: pins[0] })
}

impl FourBars {
    /// How far the tops are from where parallelograms put them, m.
    fn skew(&self, sim: &Simulation, length: f64) -> f64 {
        let (first, _) = sim.point(self.tops[0]);
        let off = |(i, top): (usize, &Marker)| (sim.point(*top).0 - first - Vec3::X * (i as f64 * length)).length();
        self.tops.iter().enumerate().map(off).fold(0.0, f64::max)
    }
}

/// What must hold at every step.
#[derive(Default)]
struct Watched {
    gaps: Vec<f64>,
    skews: Vec<f64>,
    changes: Vec<f64>,
}

impl Watched {
    fn look(&mut self, p: &Problem, bars: &FourBars, sim: &mut Simulation) {
        self.gaps.push(sim.violation().0);
        self.skews.push(bars.skew(sim, p.parameter("L")));
        self.changes.push(sim.energy().total() - p.scalar("total_energy"));
    }

    fn verdicts(&self, book: &mut Book, steps: &str) {
        book.at_most(&format!("{steps}: joint gap"), &self.gaps, CLOSED);
        book.at_most(&format!("{steps}: off the parallelogram"), &self.skews, PARALLEL);
        book.at_most(&format!("{steps}: change of energy"), &self.changes, ENERGY);
    }
}

fn fixed(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let (m, bars) = mechanism(p, made);
    let mut sim = Simulation::build(m)?;
    let (mut watched, mut states) = (Watched::default(), Vec::new());
    let mut times = p.times().peekable();
    fixed_steps(&mut sim, p.parameter("t_end"), STEP, |sim| {
        watched.look(p, &bars, sim);
        if times.next_if(|t| (sim.time() - t).abs() < 0.5 * STEP).is_some() {
            states.push(sim.state().clone());
        }
    })?;
    let mut track = Track { sim, states };
    let rows = track.read(|sim| {
        let (r, v) = sim.point(bars.tops[0]);
        // the crank's own angle is counted from x, the other way round
        let (angle, rate) = sim.coordinate(bars.first, 0).unwrap_or((f64::NAN, f64::NAN));
        vec![r.x, r.y, v.x, v.y, FRAC_PI_2 - angle, -rate]
    });
    // at the bottom the first top passes the other way
    let upright = track.events(Passing::Up, |sim| sim.point(bars.tops[0]).0.x)?;
    let energies = track.energies();
    book.held_to(MOTION, |book| {
        book.columns(&rows);
        book.scalar("time_per_full_turn", period(&upright), p.scalar("time_per_full_turn"));
        book.constant("total_energy", &energies, p.scalar("total_energy"));
    });
    watched.verdicts(book, "steps of 1 ms");
    Ok(())
}

fn adaptive(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let (m, bars) = mechanism(p, made);
    let mut sim = Simulation::build(m)?;
    let mut watched = Watched::default();
    for t in p.times() {
        sim.run_until(t)?;
        watched.look(p, &bars, &mut sim);
    }
    watched.verdicts(book, "chosen steps");
    Ok(())
}

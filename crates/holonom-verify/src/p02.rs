//! Four-bar mechanism with two loops: three cranks on the ground and two couplers, all of 1 m. Twice per turn all links
//! lie on one line; there the rows of the joints become dependent, and the motion could leave the branch of
//! parallelograms. In space with hinges (35 rows on 30 velocities, one freedom: redundant in every pose), and as plane
//! bodies.
//!
//! Near that pose errors in the accelerations grow with one over the distance from it, and what is lost depends on how
//! near a stage of the integrator happens to fall: some of the trusted digits. So the motion is followed with steps of
//! 1 ms, and held to a hundredth of what the problem asks of an accurate run, that is 1e-8.
//!
//! At every step joints are closed to 1e-10 and the loops are parallelograms. At the singular pose a gap of rounding
//! size lets the pins stray by its square root, 1e-8 m; ten times that is allowed, where another branch is a metre
//! away. Energy is held to 1e-7 J, a millionth of what the problem allows. The same at the samples of a run whose steps
//! the integrator chooses, at its usual tolerance.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, fixed_steps, period};
use crate::scenes::load_with;
use holonom::JointId;
use holonom::prelude::*;

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

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, kind) in [("hinges in space", "rigid"), ("plane bodies", "planar")] {
        compare.variant(name);
        fixed(p, compare, kind)?;
        adaptive(p, compare, kind)?;
    }
    Ok(())
}

struct FourBars {
    /// Upper ends of the cranks.
    tops: Vec<Marker>,
    /// The pin of the first crank.
    first: JointId,
}

/// The mechanism, its links bodies of that kind.
fn mechanism(p: &Reference, kind: &str) -> Result<(Simulation, FourBars), VerifyError> {
    let of = |what: &str, link: &str| format!("repeat.{what}.body.{link}-${{i}}.kind={kind}");
    let scene = load_with("p02-four-bars", &[], &[&of("cranks", "crank"), &of("couplers", "coupler")])?;
    let cranks = 1..=p.parameter("N") as usize + 1;
    let tops = cranks.map(|i| scene.point(&format!("crank-{i}.to"))).collect::<Result<_, _>>()?;
    let first = scene.joint("foot-1")?;
    Ok((scene.sim, FourBars { tops, first }))
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
    fn look(&mut self, p: &Reference, bars: &FourBars, sim: &mut Simulation) {
        self.gaps.push(sim.violation().0);
        self.skews.push(bars.skew(sim, p.parameter("L")));
        self.changes.push(sim.energy().total() - p.scalar("total_energy"));
    }

    fn verdicts(&self, compare: &mut Comparison, steps: &str) {
        compare.at_most(&format!("{steps}: joint gap"), &self.gaps, CLOSED);
        compare.at_most(&format!("{steps}: off the parallelogram"), &self.skews, PARALLEL);
        compare.at_most(&format!("{steps}: change of energy"), &self.changes, ENERGY);
    }
}

fn fixed(p: &Reference, compare: &mut Comparison, kind: &str) -> Result<(), VerifyError> {
    let (mut sim, bars) = mechanism(p, kind)?;
    let (mut watched, mut states) = (Watched::default(), Vec::new());
    let mut times = p.times().peekable();
    fixed_steps(&mut sim, p.parameter("t_end"), STEP, |sim| {
        watched.look(p, &bars, sim);
        if times.next_if(|t| (sim.time() - t).abs() < 0.5 * STEP).is_some() {
            states.push(sim.state().clone());
        }
    })?;
    let mut sampled = SampledRun { sim, states };
    let rows = sampled.read(|sim| {
        let (r, v) = sim.point(bars.tops[0]);
        // hinges count counterclockwise
        let (angle, rate) = sim.coordinate(bars.first, 0).unwrap_or((f64::NAN, f64::NAN));
        vec![r.x, r.y, v.x, v.y, -angle, -rate]
    });
    // at the bottom the first top passes the other way
    let upright = sampled.events(Crossing::Up, |sim| sim.point(bars.tops[0]).0.x)?;
    let energies = sampled.energies();
    compare.held_to(MOTION, |compare| {
        compare.columns(&rows);
        compare.scalar("time_per_full_turn", period(&upright), p.scalar("time_per_full_turn"));
        compare.constant("total_energy", &energies, p.scalar("total_energy"));
    });
    watched.verdicts(compare, "steps of 1 ms");
    Ok(())
}

fn adaptive(p: &Reference, compare: &mut Comparison, kind: &str) -> Result<(), VerifyError> {
    let (mut sim, bars) = mechanism(p, kind)?;
    let mut watched = Watched::default();
    for t in p.times() {
        sim.run_until(t)?;
        watched.look(p, &bars, &mut sim);
    }
    watched.verdicts(compare, "chosen steps");
    Ok(())
}

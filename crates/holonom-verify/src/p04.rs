//! Stiff flyball governor: a shaft on a bearing, a slider on the shaft, two rods hinged to its head that carry heavy
//! balls, and stiff spring-dampers between the slider and the middles of the rods. A tree of rigid bodies; the balls
//! are parts of the rods, or particles held at their ends.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use holonom::JointId;
use holonom::prelude::*;

const PARTS: &str = "p04-governor";
const PARTICLES: &str = "p04-governor-particles";

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    govern(p, compare, "balls as parts of the rods", PARTS)?;
    govern(p, compare, "balls as particles", PARTICLES)?;
    long_steps(p, compare)
}

/// The implicit integrator: at fixed steps a hundred times longer than the fast time scale (0.12 ms; an explicit method
/// is not stable beyond about 0.25 ms), and with steps of its own choice.
fn long_steps(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let deviation = |tolerance: f64, fixed: Option<f64>| -> Result<(f64, usize), VerifyError> {
        let (mut sim, governor) = mechanism(PARTICLES)?;
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
        compare.variant(name);
        compare.at_most("s", &[deviation(1e-8, Some(h))?.0], allowed);
    }
    compare.variant("implicit, steps of its own choice");
    let (worst, steps) = deviation(1e-10, None)?;
    compare.at_most("s", &[worst], 1e-7);
    // the default explicit method takes 40,000
    compare.at_most("steps in thousands", &[steps as f64 / 1000.0], 8.0);
    Ok(())
}

struct Governor {
    bearing: JointId,
    slide: JointId,
    hinges: [JointId; 2],
}

fn mechanism(name: &str) -> Result<(Simulation, Governor), VerifyError> {
    let scene = load(name, &[])?;
    let (bearing, slide) = (scene.joint("bearing")?, scene.joint("slide")?);
    let hinges = [scene.joint("right-hinge")?, scene.joint("left-hinge")?];
    Ok((scene.sim, Governor { bearing, slide, hinges }))
}

fn govern(p: &Reference, compare: &mut Comparison, name: &'static str, scene: &str) -> Result<(), VerifyError> {
    let (sim, governor) = mechanism(scene)?;
    // stiff: the steps of an explicit method are bounded by stability, and a tolerance at the level of rounding only
    // costs time
    let mut sampled = SampledRun::run_with(sim, IntegratorKind::default(), p.times())?;
    compare.variant(name);
    let mut lopsided = Vec::new();
    let rows = sampled.read(|sim| {
        let at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (phi, alpha, s) = (at(governor.bearing), at(governor.hinges[0]), at(governor.slide));
        lopsided.push(at(governor.hinges[1]).0 - alpha.0);
        vec![phi.0, alpha.0, s.0, phi.1, alpha.1, s.1]
    });
    compare.columns(&rows);
    let heights = || rows.iter().map(|row| row[2]);
    compare.scalar("s_min_over_samples", heights().reduce(f64::min), p.scalar("s_min_over_samples"));
    compare.scalar("s_max_over_samples", heights().reduce(f64::max), p.scalar("s_max_over_samples"));
    compare.constant("difference of the rods", &lopsided, 0.0);
    // the dampers take energy, and the ledger knows how much
    let unexplained = sampled.read(|sim| sim.ledger().integrator);
    compare.constant("energy not accounted for", &unexplained, 0.0);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

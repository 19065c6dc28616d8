//! Spatial slider-crank: a crank on a hinge, a connecting rod on a ball joint, a Cardan joint, a slider. One loop, 17
//! rows on 18 velocities: one freedom and nothing redundant.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let scene = load("p05-slider-crank", &[])?;
    let (hinge, guide) = (scene.joint("hinge")?, scene.joint("guide")?);
    let mut sampled = SampledRun::run(scene.sim, p.times())?;

    compare.variant("rigid bodies");
    let rows = sampled.read(|sim| {
        let at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (theta, x) = (at(hinge), at(guide));
        vec![theta.0, theta.1, x.0, x.1]
    });
    compare.columns(&rows);
    compare.constant("total_energy", &sampled.energies(), p.scalar("total_energy"));
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

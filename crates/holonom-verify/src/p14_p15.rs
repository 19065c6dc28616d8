//! Blades: the Chaplygin sleigh, and a skate on an incline. Each as a planar body, and as a rigid body on a plane.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use holonom::prelude::*;

pub(crate) fn sleigh(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, scene) in
        [("planar body", "p14-chaplygin-sleigh"), ("rigid body on a plane", "p14-chaplygin-sleigh-rigid")]
    {
        let loaded = load(scene, &[])?;
        let (body, edge) = (loaded.body("sleigh")?, loaded.point("sleigh.edge")?);
        let mut sampled = SampledRun::run(loaded.sim, p.times())?;
        compare.variant(name);
        let mut heading = 0.0;
        let rows = sampled.read(|sim| {
            let ((at, v), axes) = (sim.point(edge), sim.axes(body).unwrap_or(Mat3::NAN));
            heading = holonom::math::unwrap_angle(axes.x_axis.y.atan2(axes.x_axis.x), heading);
            vec![at.x, at.y, heading, v.dot(axes.x_axis), sim.spin(body).map_or(f64::NAN, |w| w.z)]
        });
        compare.columns(&rows);
        let energies = sampled.energies();
        compare.constant("energy", &energies, energies[0]);
        let slips = sampled.read(|sim| sim.violation().1);
        compare.constant("slip", &slips, 0.0);
    }
    Ok(())
}

pub(crate) fn skate(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, scene) in [("planar body", "p15-skate"), ("rigid body on a plane", "p15-skate-rigid")] {
        let loaded = load(scene, &[])?;
        let body = loaded.body("skate")?;
        let mut sampled = SampledRun::run(loaded.sim, p.times())?;
        compare.variant(name);
        let rows = sampled.read(|sim| sim.centre(body).truncate().to_array().to_vec());
        compare.columns(&rows);
        let drift = rows.last().map(|row| row[1] / 2.0);
        compare.scalar("drift_per_turn_y", drift, p.scalar("drift_per_turn_y"));
    }
    Ok(())
}

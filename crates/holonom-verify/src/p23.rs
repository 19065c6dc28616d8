//! Ball rolling on a turntable: the table is a body on a bearing, driven by a motor at constant speed.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let radius = p.parameter("a");
    for (name, scene) in [
        ("table driven in position", "p23-ball-on-turntable"),
        ("table driven in speed", "p23-ball-on-turntable-speed"),
    ] {
        let loaded = load(scene, &[])?;
        let ball = loaded.body("ball")?;
        let mut sampled = SampledRun::run(loaded.sim, p.times())?;
        compare.variant(name);
        let rows = sampled.read(|sim| {
            let (at, v) = (sim.centre(ball), sim.centre_velocity(ball));
            vec![at.x, at.y, v.x, v.y]
        });
        compare.columns(&rows);
        let centre = p.scalars("circle_centre");
        let radii = sampled.read(|sim| (sim.centre(ball) - vec3(centre[0], centre[1], radius)).length());
        compare.constant("circle_radius", &radii, p.scalar("circle_radius"));
        let unexplained = sampled.read(|sim| sim.ledger().integrator);
        compare.constant("energy not accounted for", &unexplained, 0.0);
        let slips = sampled.read(|sim| sim.violation().1);
        compare.constant("slip", &slips, 0.0);
    }
    Ok(())
}

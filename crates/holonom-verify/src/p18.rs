//! A ball that slips until it rolls: three straight shots, and one with side spin.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::events::{first, sharp, watch};
use holonom::EventKind;
use holonom::prelude::*;

/// Name, radius, velocity, spin.
const SHOTS: [(&str, f64, [f64; 2], [f64; 3]); 4] = [
    ("nospin", 0.1, [2.0, 0.0], [0.0; 3]),
    ("backspin1", 0.1, [2.0, 0.0], [0.0, -30.0, 0.0]),
    ("backspin2", 0.1, [2.0, 0.0], [0.0, -60.0, 0.0]),
    ("billiard", 0.028575, [2.0, 0.5], [40.0, -20.0, 15.0]),
];

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, r, v, w) in SHOTS {
        compare.variant(name);
        let known = |what: &str| p.scalars_at(&format!("/{name}/{what}"));
        let parameters =
            [("r", r), ("v_x", v[0]), ("v_y", v[1]), ("omega_x", w[0]), ("omega_y", w[1]), ("omega_z", w[2])];
        let shot = || sharp("p18-ball", &parameters, &[]);
        let loaded = shot()?;
        let ball = loaded.body("ball")?;
        let mut sim = loaded.sim;
        let slip = |sim: &Simulation| {
            let spin = sim.spin(ball).unwrap_or(Vec3::NAN);
            sim.centre_velocity(ball) + spin.cross(vec3(0.0, 0.0, -r))
        };
        compare.series("slip0", &slip(&sim).to_array()[..2], &known("slip0"));
        // energy after each twentieth of twice the time of slip
        let t_roll = known("t_roll")[0];
        let mut energies = vec![sim.energy().total()];
        let mut rolls = None;
        for k in 1..=20 {
            rolls = rolls.or(first(&watch(&mut sim, 0.1 * k as f64 * t_roll)?, EventKind::Sticks));
            energies.push(sim.energy().total());
        }
        compare.scalar("t_roll", rolls, t_roll);
        compare.series("v_final", &sim.centre_velocity(ball).to_array()[..2], &known("v_final"));
        compare.series("w_final", &sim.spin(ball).unwrap_or(Vec3::NAN).to_array(), &known("w_final"));
        compare.at_most("residual slip", &[slip(&sim).length()], 1e-12);
        let gains: Vec<f64> = energies.windows(2).map(|e| (e[1] - e[0]).max(0.0)).collect();
        compare.at_most("gain of energy", &gains, 1e-12);
        let mut sim = shot()?.sim;
        sim.run_until(rolls.unwrap_or(0.0))?;
        compare.series("x_roll", &sim.centre(ball).to_array()[..2], &known("x_roll"));
    }
    Ok(())
}

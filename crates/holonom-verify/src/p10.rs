//! Fast heavy top: a rigid body on a ball joint. In maximal coordinates, and in joint coordinates.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, period, quaternion};
use crate::scenes::load;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    top(p, compare, "ball joint", Coordinates::Maximal)?;
    top(p, compare, "joint coordinates", Coordinates::Joint)
}

fn top(
    p: &Reference,
    compare: &mut Comparison,
    name: &'static str,
    coordinates: Coordinates,
) -> Result<(), VerifyError> {
    let loaded = load("p10-heavy-top", &[])?;
    let top = loaded.body("top")?;
    let mut sim = loaded.sim;
    sim.set_coordinates(coordinates)?;
    let mut sampled = SampledRun::run(sim, p.times())?;

    compare.variant(name);
    let mut samples = p.samples.iter();
    let rows = sampled.read(|sim| {
        let reference = samples.next().map_or(&[][..], |row| &row[4..8]);
        let axes = sim.axes(top).unwrap_or(Mat3::NAN);
        let mut row = sim.centre(top).to_array().to_vec();
        row.extend(quaternion(axes, reference));
        row.extend((axes.transpose() * sim.spin(top).unwrap_or(Vec3::NAN)).to_array());
        row
    });
    compare.columns(&rows);

    let rises = |sim: &mut Simulation| sim.centre_velocity(top).z;
    let lows = sampled.events(Crossing::Up, rises)?;
    let highs = sampled.events(Crossing::Down, rises)?;
    compare.scalar("nutation_period", period(&highs), p.scalar("nutation_period"));
    let roots = p.scalars("z_roots");
    for (name, events, expected) in [("lowest height", lows, roots[0]), ("highest height", highs, roots[1])] {
        let height = events.last().map(|state| {
            sampled.sim.set_state(state.clone());
            sampled.sim.centre(top).z / p.parameter_vector("X")[1]
        });
        compare.scalar(name, height, expected);
    }
    compare.constant("total_energy", &sampled.energies(), p.scalar("total_energy"));
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

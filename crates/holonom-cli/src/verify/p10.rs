//! Fast heavy top: a rigid body on a ball joint. In maximal coordinates, and in joint coordinates.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::{Passing, Track, period, quaternion};
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    top(p, book, "ball joint", Coordinates::Maximal)?;
    top(p, book, "joint coordinates", Coordinates::Joint)
}

fn top(p: &Problem, book: &mut Book, name: &'static str, coordinates: Coordinates) -> Result<(), Stop> {
    let staged = stage("p10-heavy-top", &[])?;
    let top = staged.body("top")?;
    let mut sim = staged.sim;
    sim.set_coordinates(coordinates)?;
    let mut track = Track::run(sim, p.times())?;

    book.variant(name);
    let mut samples = p.samples.iter();
    let rows = track.read(|sim| {
        let reference = samples.next().map_or(&[][..], |row| &row[4..8]);
        let axes = sim.axes(top).unwrap_or(Mat3::NAN);
        let mut row = sim.centre(top).to_array().to_vec();
        row.extend(quaternion(axes, reference));
        row.extend((axes.transpose() * sim.spin(top).unwrap_or(Vec3::NAN)).to_array());
        row
    });
    book.columns(&rows);

    let rises = |sim: &mut Simulation| sim.centre_velocity(top).z;
    let lows = track.events(Passing::Up, rises)?;
    let highs = track.events(Passing::Down, rises)?;
    book.scalar("nutation_period", period(&highs), p.scalar("nutation_period"));
    let roots = p.scalars("z_roots");
    for (name, events, expected) in [("lowest height", lows, roots[0]), ("highest height", highs, roots[1])] {
        let height = events.last().map(|state| {
            track.sim.set_state(state.clone());
            track.sim.centre(top).z / p.parameter_vector("X")[1]
        });
        book.scalar(name, height, expected);
    }
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}

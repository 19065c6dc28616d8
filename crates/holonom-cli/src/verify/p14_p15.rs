//! Blades: the Chaplygin sleigh, and a skate on an incline. Each as a planar body, and as a rigid body on a plane.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::Track;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn sleigh(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, scene) in
        [("planar body", "p14-chaplygin-sleigh"), ("rigid body on a plane", "p14-chaplygin-sleigh-rigid")]
    {
        let staged = stage(scene, &[])?;
        let (body, edge) = (staged.body("sleigh")?, staged.point("sleigh.edge")?);
        let mut track = Track::run(staged.sim, p.times())?;
        book.variant(name);
        let mut heading = 0.0;
        let rows = track.read(|sim| {
            let ((at, v), axes) = (sim.point(edge), sim.axes(body).unwrap_or(Mat3::NAN));
            heading = holonom::math::unwrap_angle(axes.x_axis.y.atan2(axes.x_axis.x), heading);
            vec![at.x, at.y, heading, v.dot(axes.x_axis), sim.spin(body).map_or(f64::NAN, |w| w.z)]
        });
        book.columns(&rows);
        let energies = track.energies();
        book.constant("energy", &energies, energies[0]);
        let slips = track.read(|sim| sim.violation().1);
        book.constant("slip", &slips, 0.0);
    }
    Ok(())
}

pub(super) fn skate(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, scene) in [("planar body", "p15-skate"), ("rigid body on a plane", "p15-skate-rigid")] {
        let staged = stage(scene, &[])?;
        let body = staged.body("skate")?;
        let mut track = Track::run(staged.sim, p.times())?;
        book.variant(name);
        let rows = track.read(|sim| sim.centre(body).truncate().to_array().to_vec());
        book.columns(&rows);
        let drift = rows.last().map(|row| row[1] / 2.0);
        book.scalar("drift_per_turn_y", drift, p.scalar("drift_per_turn_y"));
    }
    Ok(())
}

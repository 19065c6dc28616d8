//! Spatial slider-crank: a crank on a hinge, a connecting rod on a ball joint, a Cardan joint, a slider. One loop, 17 rows on 18
//! velocities: one freedom and nothing redundant.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::Track;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let scene = stage("p05-slider-crank", &[])?;
    let (hinge, guide) = (scene.joint("hinge")?, scene.joint("guide")?);
    let mut track = Track::run(scene.sim, p.times())?;

    book.variant("rigid bodies");
    let rows = track.read(|sim| {
        let mut at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (theta, x) = (at(hinge), at(guide));
        vec![theta.0, theta.1, x.0, x.1]
    });
    book.columns(&rows);
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}

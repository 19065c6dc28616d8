//! Ball rolling on a turntable: the table is a body on a bearing, driven by a motor at constant speed.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::Track;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let radius = p.parameter("a");
    for (name, scene) in [
        ("table driven in position", "p23-ball-on-turntable"),
        ("table driven in speed", "p23-ball-on-turntable-speed"),
    ] {
        let staged = stage(scene, &[])?;
        let ball = staged.body("ball")?;
        let mut track = Track::run(staged.sim, p.times())?;
        book.variant(name);
        let rows = track.read(|sim| {
            let (at, v) = (sim.centre(ball), sim.centre_velocity(ball));
            vec![at.x, at.y, v.x, v.y]
        });
        book.columns(&rows);
        let centre = p.scalars("circle_centre");
        let radii = track.read(|sim| (sim.centre(ball) - vec3(centre[0], centre[1], radius)).length());
        book.constant("circle_radius", &radii, p.scalar("circle_radius"));
        let unexplained = track.read(|sim| sim.ledger().integrator);
        book.constant("energy not accounted for", &unexplained, 0.0);
        let slips = track.read(|sim| sim.violation().1);
        book.constant("slip", &slips, 0.0);
    }
    Ok(())
}

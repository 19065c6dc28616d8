//! Ball rolling on a turntable: the table is a body on a bearing, driven by a motor at constant speed.

use super::book::{Book, Stop};
use super::track::Track;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (rate, radius, mass) = (p.parameter("Om"), p.parameter("a"), p.parameter("m"));
    for (name, by_position) in [("table driven in position", true), ("table driven in speed", false)] {
        let mut m = ModelBuilder::new();
        let table = m.body("table", Rigid::cuboid(10.0, [1.0, 1.0, 0.1]).spin([0.0, 0.0, rate]));
        let bearing = m.joint("bearing", Revolute::new(BodyId::GROUND.origin(), table.origin()));
        let drive = m.coordinate(bearing, 0);
        let motor = if by_position {
            Motor::position(drive, move |t: f64| [rate * t, rate, 0.0])
        } else {
            Motor::speed(drive, rate)
        };
        m.joint("motor", motor);
        let inertia = 0.4 * mass * radius * radius;
        let ball = Rigid::principal(mass, [inertia; 3])
            .position(p.initial_vector("centre"))
            .velocity(p.initial_vector("velocity"))
            .spin(p.initial_vector("omega"));
        let ball = m.body("ball", ball);
        m.joint("rolling", RollingSphere::new(table.origin(), ball.origin(), radius));
        let mut track = Track::run(Simulation::build(m)?, p.times())?;
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

//! Watch for: a rod falls from horizontal about a pin, which carries two and a half times its weight as it passes the bottom.

use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new(); // SI units, z up, gravity (0, 0, -9.81)
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.01, 0.01]).position([0.5, 0.0, 0.0]));
    let (on_ground, on_rod) = (BodyId::GROUND.origin(), rod.at([-0.5, 0.0, 0.0]));
    let pin = m.joint("pin", Revolute::new(on_ground.along([0.0, 1.0, 0.0]), on_rod.along([0.0, 1.0, 0.0])));
    let mut sim = Simulation::build(m)?;

    println!("  time s   angle deg   rate rad/s   load on the pin / weight");
    for k in 0..=12 {
        sim.run_until(0.05 * k as f64)?;
        let (angle, rate) = sim.coordinate(pin, 0).ok_or("a revolute joint has one coordinate")?;
        let load = sim.reaction(pin)?.force.length() / 9.81;
        println!("{:8.2} {:11.3} {:12.4} {:14.4}", sim.time(), angle.to_degrees(), rate, load);
    }
    println!("The pin is off by {:.0e} m.", sim.violation().0);
    Ok(())
}

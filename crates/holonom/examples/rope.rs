//! Watch for: a rope of a hundred links carries a thousand times the mass of a link, swings, and never stretches.

use holonom::prelude::*;

const LINKS: usize = 100;
const LENGTH: f64 = 0.1;

/// A rope of 10 kg and 10 m along x, pinned at the origin, with this mass tied to its end.
fn rope(tied: f64) -> Result<Simulation, ModelError> {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..LINKS {
        let shape = Rigid::cuboid(0.1, [LENGTH, 0.02, 0.02]);
        let link = m.body(format!("link {i}"), shape.position([LENGTH * (i as f64 + 0.5), 0.0, 0.0]));
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([-0.5 * LENGTH, 0.0, 0.0])));
        above = link.at([0.5 * LENGTH, 0.0, 0.0]);
    }
    let weight = m.body("weight", Particle::new(tied, [LENGTH * LINKS as f64, 0.0, 0.0]));
    m.joint("knot", Spherical::new(above, weight.origin()));
    Simulation::build(m)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for tied in [0.1, 100.0] {
        let mut sim = rope(tied)?;
        let weight = sim.model().body("weight").ok_or("has a weight")?;
        let pin = sim.model().joint("ball 0").ok_or("has a pin")?;
        let start = sim.energy().total();
        let (mut gap, mut steps, mut load): (f64, _, f64) = (0.0, 0, 0.0);
        for k in 1..=20 {
            steps += sim.run_until(0.05 * k as f64)?.steps;
            gap = gap.max(sim.violation().0);
            load = load.max(sim.reaction(pin)?.force.length());
        }
        let scale = (10.0 * 5.0 + tied * 10.0) * 9.81; // what it can lose by falling
        let error = (sim.energy().total() - start).abs() / scale;
        let at = sim.point(weight.origin()).0;
        println!("tied on: {tied} kg, released from horizontal, 1 s in {steps} steps");
        println!("   weight now at ({:.3}, {:.3}) m, largest load on the pin {load:.1} N", at.x, at.z);
        println!("   largest gap in {} joints {gap:.1e} m, energy error {error:.1e} of what it can lose", LINKS + 1);
    }
    Ok(())
}

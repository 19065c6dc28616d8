//! Watch for: a swinging chain is caught by a second pin in mid-air, hangs between the two, breaks, and is taken back to before it all.

use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..6 {
        let shape = Rigid::cuboid(1.0, [0.5, 0.05, 0.05]).position([0.25 + 0.5 * i as f64, 0.0, 0.0]);
        let link = m.body(format!("link {i}"), shape);
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([-0.25, 0.0, 0.0])));
        above = link.at([0.25, 0.0, 0.0]);
    }
    let tip = above;
    let mut sim = Simulation::build(m)?;
    let show = |what: &str, sim: &mut Simulation| {
        let (t, at, e, gap) = (sim.time(), sim.point(tip).0, sim.energy(), sim.violation().0);
        println!(
            "{what:<24} t {t:4.2} s   tip ({:6.3}, {:6.3})   kinetic {:7.3} J   gap {gap:.0e} m",
            at.x, at.z, e.kinetic
        );
    };

    sim.run_until(0.6)?;
    show("swinging", &mut sim);
    let before = sim.checkpoint(); // the model and the state of this moment

    // A second pin where the tip is: it takes hold at once, by impulses that cost energy.
    let (pin, caught) = sim.add_joint("second pin", Spherical::new(BodyId::GROUND.at(sim.point(tip).0), tip))?;
    show("caught", &mut sim);
    println!("    velocities jumped by up to {:.1}, {:.2} J lost", caught.jump, -caught.energy);
    sim.run_until(1.2)?;
    show("between two pins", &mut sim);
    println!("    the pin carries {:.1} N", sim.reaction(pin)?.force.length());

    // The middle gives way: two pieces, each on its own pin.
    let middle = sim.model().joint("ball 3").ok_or("has a middle")?;
    sim.break_joint(middle)?;
    sim.run_until(1.6)?;
    show("broken in the middle", &mut sim);
    let ledger = sim.ledger();
    println!("    imposed by edits {:.2} J, unaccounted for {:.0e} J", ledger.imposed, ledger.integrator);

    // And back, edits and all, to the last bit.
    sim.return_to(&before);
    show("taken back", &mut sim);
    sim.run_until(1.6)?;
    show("never caught", &mut sim);
    Ok(())
}

//! Watch for: a rope over two pulleys, written as one formula, accelerates its weights as the textbook says, can be dragged, and has its line in the energy ledger.

use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let light = m.body("light", Particle::new(1.0, [-1.0, 0.0, -2.0]));
    let heavy = m.body("heavy", Particle::new(3.0, [1.0, 0.0, -2.0]));
    // the constraint: the rope from one weight over two small wheels to the other is 4 m long
    let (left, right) = (vec3(-1.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0));
    let rope = Written::new([light.origin().p(), heavy.origin().p()], move |[p, q], _time| {
        [(p - left).length() + (q - right).length() - 4.0]
    });
    let rope = m.joint("rope", rope);
    let mut sim = Simulation::build(m)?;

    // it has a reaction, like any joint
    let tension = sim.reaction(rope)?.force.z;
    println!("tension at the start {tension:.6} N, textbook 2 m M g / (m + M) = {:.6} N", 1.5 * 9.81);
    sim.run_until(0.5)?;
    let fallen = -2.0 - sim.point(heavy.origin()).0.z;
    println!("fallen in half a second {fallen:.9} m, textbook g t² / 4 = {:.9} m", 9.81 * 0.25 / 4.0);

    // it can be dragged: a hand takes the light weight and leads it aside; the heavy one follows over the rope
    let mouse = Mouse::new(light.origin(), 0.1);
    let target = mouse.target();
    let (hand, _) = sim.add_joint("hand", mouse)?;
    for k in 1..=10 {
        target.set([-1.0 - 0.05 * k as f64, 0.0, -1.0]);
        sim.run_until(0.5 + 0.1 * k as f64)?;
    }
    let (p, q) = (sim.point(light.origin()).0, sim.point(heavy.origin()).0);
    println!("dragged to ({:.3}, {:.3}, {:.3}), the other hangs at {:.3} m", p.x, p.y, p.z, q.z);
    println!("the rope is {:.12} m long", (p - left).length() + (q - right).length());

    // and it stands in the ledger: a rope does no work, the hand does
    let ledger = sim.ledger();
    println!("work of the hand {:.6} J, of the rope {:.0e} J", ledger.joint(hand), ledger.joint(rope));
    println!("energy changed by {:.6} J, of which {:.0e} J are not accounted for", ledger.change, ledger.integrator);
    Ok(())
}

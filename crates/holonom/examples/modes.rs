//! Watch for: two frequencies and a free direction of a double pendulum on a cart, the bend and the ringing of a loaded rod, and a top that stands only when it spins fast enough.

use holonom::EquilibriumOptions;
use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // small motions about rest
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let cart = m.body("cart", Rigid::cuboid(3.0, [0.4, 0.2, 0.1]));
    m.joint(
        "rail",
        Prismatic::new(BodyId::GROUND.origin().along([1.0, 0.0, 0.0]), cart.origin().along([1.0, 0.0, 0.0])),
    );
    let mut above = cart.origin().along(y);
    for (i, name) in ["upper rod", "lower rod"].into_iter().enumerate() {
        let rod = m.body(name, Rigid::cuboid(1.0, [0.05, 0.05, 0.8]).position([0.0, 0.0, -0.4 - 0.8 * i as f64]));
        m.joint(format!("pin {i}"), Revolute::new(above, rod.at([0.0, 0.0, 0.4]).along(y)));
        above = rod.at([0.0, 0.0, -0.4]).along(y);
    }
    println!("a double pendulum on a cart\n{}", Simulation::build(m)?.linearise()?);

    // rest under a load, and small motions about it
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let (links, length) = (8, 1.0 / 8.0);
    let mut above = BodyId::GROUND.origin().along(y);
    for i in 0..links {
        let at = [length * (i as f64 + 0.5), 0.0, 0.0];
        let link = m.body(format!("link {i}"), Rigid::cuboid(0.1, [length, 0.02, 0.02]).position(at));
        let near = link.at([-0.5 * length, 0.0, 0.0]).along(y);
        m.joint(format!("pin {i}"), Revolute::new(above, near));
        m.force(format!("spring {i}"), TorsionSpring::new(above, near, 20.0, 0.0).damping(0.02));
        above = link.at([0.5 * length, 0.0, 0.0]).along(y);
    }
    m.force("load", PointForce::new(above, [0.0, 0.0, -5.0]));
    let mut sim = Simulation::build(m)?;
    let found = sim.equilibrium(&EquilibriumOptions::default())?;
    let tip = sim.point(above).0;
    println!("a rod of {links} links, bent by 5 N: tip at ({:.4}, {:.4}) m", tip.x, tip.z);
    println!(
        "{} moves, residual {:.0e}, {:?}\n{}",
        found.iterations,
        found.residual,
        found.stability,
        sim.linearise()?
    );

    // small motions about a moving state
    for rate in [20.0, 60.0] {
        let mut m = ModelBuilder::new();
        let top = Rigid::principal(1.0, [0.01, 0.01, 0.012]).position([0.0, 0.0, 0.1]).spin([0.0, 0.0, rate]);
        let top = m.body("top", top);
        m.joint("tip", Spherical::new(BodyId::GROUND.origin(), top.at([0.0, 0.0, -0.1])));
        let modes = Simulation::build(m)?.linearise()?;
        println!("a top that spins at {rate} rad/s {}\n{modes}", if modes.is_stable() { "stands" } else { "falls" });
    }
    Ok(())
}

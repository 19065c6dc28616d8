//! Watch for: a chaotic chain is taken back in time from a few hundred bytes and arrives at the same bits again.

use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..4 {
        let link =
            Rigid::cuboid(1.0, [0.5, 0.05, 0.05]).position([0.25 + 0.5 * i as f64, 0.0, 0.0]).spin([3.0, 0.0, 0.0]);
        let link = m.body(format!("link {i}"), link);
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([-0.25, 0.0, 0.0])));
        above = link.at([0.25, 0.0, 0.0]);
    }
    let tip = above;
    let mut sim = Simulation::build(m)?;
    let show = |what: &str, sim: &Simulation| {
        let at = sim.point(tip).0;
        println!("{what:<28} t {:4.1} s   tip at x {:+.6} m   hash {:016x}", sim.time(), at.x, sim.state().hash());
    };

    sim.run_until(3.0)?;
    let saved = sim.snapshot(); // bytes with a checksum; `sim.state().clone()` does the same in memory
    show(&format!("saved, {} bytes", saved.len()), &sim);
    sim.run_until(10.0)?;
    show("seven seconds later", &sim);
    let hash = sim.state().hash();

    sim.restore(&saved)?;
    show("rolled back", &sim);
    sim.run_until(10.0)?;
    show("seven seconds later again", &sim);
    assert_eq!(hash, sim.state().hash());

    // Another simulation of the same model, nudged by a billionth of a metre: equal bits are no accident.
    let mut other = Simulation::new(sim.model().clone());
    other.restore(&saved)?;
    other.state_mut().q[0] += 1e-9;
    other.project()?;
    other.run_until(10.0)?;
    show("nudged by 1e-9 m before", &other);

    let mut damaged = saved;
    damaged[100] ^= 1;
    if let Err(e) = sim.restore(&damaged) {
        println!("{:<28} {e}", "with one bit flipped");
    }
    Ok(())
}

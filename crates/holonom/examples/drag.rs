//! Watch for: an arm follows a hand by the law f = m v: it goes where it is pulled, stops when let go, and never opens a joint.

use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new(); // gravity plays no part in this law
    let y = vec3(0.0, 1.0, 0.0);
    let mut above = BodyId::GROUND.origin().axes([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    for i in 0..3 {
        let shape = Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5 + i as f64, 0.0, 0.0]);
        let link = m.body(format!("link {i}"), shape);
        let near = link.at([-0.5, 0.0, 0.0]);
        if i == 0 {
            m.joint("shoulder", Universal::new(above, near)); // turns about the vertical, then up and down
        } else {
            m.joint(format!("hinge {i}"), Revolute::new(above.along(y), near.along(y)));
        }
        above = link.at([0.5, 0.0, 0.0]);
    }
    let hand = above;
    let mut sim = Simulation::build(m)?;

    println!("{:<14}{:>6}{:>27}{:>20}{:>16}", "", "time", "hand at", "from the target", "largest gap");
    let targets =
        [("pulled up", vec3(1.0, 0.5, 1.0)), ("pulled down", vec3(1.0, -1.0, -1.0)), ("too far", vec3(4.0, 0.0, 0.0))];
    for (name, target) in targets {
        for step in 0..=600 {
            let at = sim.point(hand).0;
            if step % 200 == 0 {
                let (time, away, gap) = (sim.time(), (target - at).length(), sim.violation().0);
                let [x, y, z] = at.to_array();
                println!("{name:<14}{time:>4.0} s   ({x:7.4},{y:8.4},{z:8.4}){away:>17.1e} m{gap:>14.0e} m");
            }
            // a spring from the hand to the target, stiff enough to bring it there in about a second
            sim.kinematic_step(&[(hand, 5.0 * (target - at))], 0.01)?;
        }
    }
    let before = sim.point(hand).0;
    sim.kinematic_step(&[], 1.0)?;
    println!("let go: moved by {} m in a second", (sim.point(hand).0 - before).length());
    Ok(())
}

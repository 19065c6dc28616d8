//! Watch for: what the foot of a crane's boom carries, in world axes and along the boom, and that every load adds up to zero.

use holonom::math::exp_quat;
use holonom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, boom_mass, load_mass) = (6.0, 240.0, 500.0);
    let rise = 40f64.to_radians();
    let along = vec3(rise.cos(), 0.0, rise.sin()); // from the foot of the boom to its tip
    let (foot, y, z) = (vec3(0.0, 0.0, 2.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    let tip = foot + along * length;

    let mut m = ModelBuilder::new();
    let mast = m.body("mast", Rigid::cylinder(300.0, 0.2, 2.0).position([0.0, 0.0, 1.0]));
    let shape = Rigid::cuboid(boom_mass, [length, 0.3, 0.3]).orientation(exp_quat(-rise * y));
    let boom = m.body("boom", shape.position(0.5 * (foot + tip)));
    let load = m.body("load", Particle::new(load_mass, tip - 3.0 * z));
    // markers in world terms at the start pose: a point, and the direction of the joint's axis
    let (on_mast, on_boom) = (m.marker(mast, foot, y), m.marker(boom, foot, y));
    let slew = m.joint("slew", Revolute::new(BodyId::GROUND.origin(), m.marker(mast, [0.0; 3], z)));
    let root = m.joint("root", Weld::new(on_mast, on_boom));
    let rope = m.joint("rope", Distance::new(boom.at([0.5 * length, 0.0, 0.0]), load.origin(), 3.0));
    let sim = Simulation::build(m)?;

    println!("Action of the first body on the second, at the joint's point on the second.\n");
    println!("{:32}{:>26}  {:>30}", "", "force N", "torque N m");
    let line = |what: &str, f: Vec3, t: Vec3| {
        println!("{what:<32}{:9.1}{:9.1}{:9.1}    {:10.1}{:10.1}{:10.1}", f.x, f.y, f.z, t.x, t.y, t.z);
    };
    for (joint, name) in [(slew, "ground on mast"), (root, "mast on boom"), (rope, "boom on load")] {
        let r = sim.reaction(joint)?;
        line(&format!("{name}, world axes"), r.force, r.torque);
    }
    let r = sim.reaction_in(root, Axes::B)?;
    line("mast on boom, boom axes", r.force, r.torque);
    println!(
        "\nThe boom is pressed with {:.1} N, sheared with {:.1} N and bent with {:.1} N m.",
        r.force.x, r.force.z, -r.torque.y
    );

    // Equilibrium of the boom about its centre: what the mast does to it, what the load does to it, its weight.
    let (root, rope, centre) = (sim.reaction(root)?, sim.reaction(rope)?, sim.centre(boom));
    let force = root.force - rope.force - 9.81 * boom_mass * z;
    let torque = root.torque + (root.point - centre).cross(root.force) - (tip - centre).cross(rope.force);
    println!("Left over on the boom: force {:.0e} N, torque {:.0e} N m.", force.length(), torque.length());
    Ok(())
}

//! Watch for: the doctor counts what moves, names the rows that hold something twice, and marks with ~ the pin loads that rigid bodies cannot know.

use holonom::prelude::*;

/// A door of 20 kg on three hinges in one line. One hinge would do for the motion: ten rows of fifteen are surplus.
fn door() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let leaf = m.body("leaf", Rigid::cuboid(20.0, [0.8, 0.04, 2.0]).position([0.4, 0.0, 1.0]));
    for (name, z) in [("bottom", 0.2), ("middle", 1.0), ("top", 1.8)] {
        m.joint(name, Revolute::new(BodyId::GROUND.at([0.0, 0.0, z]), leaf.at([-0.4, 0.0, z - 1.0])));
    }
    m
}

/// Crank, coupler and rocker in the x-z plane, on hinges about y. In the plane nothing is surplus; across it each loop has three rows too many.
fn four_bar() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let (a, b, c, d) = (vec3(0.0, 0.0, 0.0), vec3(0.2, 0.0, 0.3), vec3(0.9, 0.0, 0.6), vec3(0.8, 0.0, 0.0));
    let mut rod = |name: &str, p: Vec3, q: Vec3| {
        let length = (q - p).length();
        let shape = Rigid::cuboid(2.0 * length, [length, 0.05, 0.05]).position(0.5 * (p + q));
        m.body(name, shape.orientation(Quat::from_rotation_arc(Vec3::X, (q - p) / length)))
    };
    let (crank, coupler, rocker) = (rod("crank", a, b), rod("coupler", b, c), rod("rocker", d, c));
    let pins = [
        ("crank pin", BodyId::GROUND, crank, a),
        ("crank-coupler", crank, coupler, b),
        ("coupler-rocker", coupler, rocker, c),
        ("rocker pin", BodyId::GROUND, rocker, d),
    ];
    for (name, first, second, at) in pins {
        let (first, second) = (m.marker(first, at, y), m.marker(second, at, y));
        m.joint(name, Revolute::new(first, second));
    }
    m
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, m) in [("A door on three hinges", door()), ("A four-bar on spatial hinges", four_bar())] {
        let sim = Simulation::build(m)?;
        let diagnosis = sim.diagnose()?;
        println!("{name}\n\n{diagnosis}");
        println!("{:<16}{:>36}   {:>33}", "pin loads", "force N", "torque N m");
        for r in &diagnosis.reactions {
            let mark = |x: f64, unique: bool| format!("{}{x:.3}", if unique { "" } else { "~" });
            print!("{:<16}", sim.model().joint_name(r.joint));
            (0..3).for_each(|i| print!("{:>12}", mark(r.reaction.force[i], r.force_unique[i])));
            print!("   ");
            (0..3).for_each(|i| print!("{:>11}", mark(r.reaction.torque[i], r.torque_unique[i])));
            println!();
        }
        println!();
    }
    Ok(())
}

//! Watch for: solvers differ in speed, never in the answer; integrators differ in both, and projection closes the joints for all.

use holonom::prelude::*;
use std::time::Instant;

/// Twelve links of half a metre on alternating hinges, released from horizontal.
fn chain() -> Result<Simulation, ModelError> {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..12 {
        let axis = if i % 2 == 0 { Vec3::Y } else { vec3(0.0, 1.0, 1.0) };
        let link = m
            .body(format!("link {i}"), Rigid::cuboid(1.0, [0.5, 0.1, 0.1]).position([0.25 + 0.5 * i as f64, 0.0, 0.0]));
        m.joint(format!("hinge {i}"), Revolute::new(above.along(axis), link.at([-0.25, 0.0, 0.0]).along(axis)));
        above = link.at([0.25, 0.0, 0.0]);
    }
    Simulation::build(m)
}

fn tip(sim: &Simulation) -> Vec3 {
    sim.point(BodyId::from_index(11).at([0.25, 0.0, 0.0])).0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut exact = chain()?;
    exact.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
    exact.run_until(1.0)?;
    let end = tip(&exact);
    println!("One second; deviation of the tip from the tightest run, energy error, largest gap of a joint.\n");
    println!("{:<34}{:>12}{:>14}{:>12}{:>12}{:>9}", "", "evaluations", "deviation m", "energy J", "gap m", "ms");
    let report = |name: &str, mut sim: Simulation| -> Result<(), Box<dyn std::error::Error>> {
        let (start, clock) = (sim.energy().total(), Instant::now());
        let done = sim.run_until(1.0)?;
        let (ms, off) = (1e3 * clock.elapsed().as_secs_f64(), (tip(&sim) - end).length());
        let (energy, gap) = ((sim.energy().total() - start).abs(), sim.violation().0);
        println!("{name:<34}{:>12}{off:>14.1e}{energy:>12.1e}{gap:>12.1e}{ms:>9.1}", done.evaluations);
        Ok(())
    };
    for name in SolverKind::NAMES {
        let mut sim = chain()?;
        sim.set_solver(SolverKind::from_name(name).ok_or("every name in the list is known")?)?;
        report(&format!("solver {name}, dop853"), sim)?;
    }
    for name in IntegratorKind::NAMES {
        let mut sim = chain()?;
        sim.set_integrator(IntegratorKind::from_name(name).ok_or("every name in the list is known")?);
        report(&format!("solver tree, {name}"), sim)?;
    }
    let mut sim = chain()?;
    sim.set_coordinates(Coordinates::Joint)?;
    report("solver tree, joint coordinates", sim)?;
    let mut sim = chain()?;
    sim.set_drift(Drift::None);
    report("solver tree, no drift correction", sim)
}

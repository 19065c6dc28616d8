//! What a motion keeps: momentum when nothing acts from outside, energy, and the way back.

mod common;

use common::grow::Wish;
use common::spec::Spec;
use common::{difference, for_mechanisms, gap, size};
use holonom::Momentum;
use holonom::prelude::*;

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// Sum of the absolute momenta of the bodies, linear and angular about the origin.
fn momentum_scale(sim: &Simulation, spec: &Spec) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for (i, b) in spec.bodies.iter().enumerate() {
        let id = common::spec::body_id(i);
        let p = b.mass * sim.centre_velocity(id).length();
        let spin = sim.spin(id).map_or(1.0, |w| w.length());
        sum.0 += p;
        sum.1 += p * sim.centre(id).length() + spin * size(&b.inertia().to_cols_array());
    }
    sum
}

#[test]
fn an_isolated_system_keeps_its_momentum() {
    for_mechanisms("momentum", 1.0, Wish::ISOLATED, |spec, worst| {
        for (name, kind) in
            [("rk4", IntegratorKind::RungeKutta4), ("dop853", TIGHT), ("rattle", IntegratorKind::Rattle)]
        {
            let mut sim = spec.simulation();
            sim.set_integrator(kind);
            for _ in 0..5 {
                let before: Momentum = sim.momentum();
                let scale = momentum_scale(&sim, spec);
                sim.step(1e-3).expect("regular");
                let after = sim.momentum();
                let linear = (after.linear - before.linear).length() / scale.0.max(1e-300);
                let angular = (after.angular - before.angular).length() / scale.1.max(1e-300);
                worst.at_most(name, linear.max(angular), 1e-12)?;
            }
        }
        Ok(())
    });
}

/// RATTLE is symmetric: forward, turn the velocities round, and the same number of steps leads back.
#[test]
fn rattle_finds_the_way_back() {
    for_mechanisms("time reversal", 0.5, Wish { most: 5, forces: false, ..Wish::ANY }, |spec, worst| {
        let mut sim = spec.simulation();
        sim.set_integrator(IntegratorKind::Rattle);
        let start = sim.state().clone();
        let steps = 50;
        let run = |sim: &mut Simulation| (0..steps).all(|_| sim.step(2e-3).is_ok());
        if !run(&mut sim) {
            worst.note("singular on the way", 1.0);
            return Ok(());
        }
        let moved = gap(&sim.state().q, &start.q);
        sim.state_mut().v.iter_mut().for_each(|v| *v = -*v);
        if !run(&mut sim) {
            worst.note("singular on the way", 1.0);
            return Ok(());
        }
        worst.note("way there", moved);
        worst.at_most("position on return", gap(&sim.state().q, &start.q), 1e-9)?;
        let back: Vec<f64> = sim.state().v.iter().map(|v| -v).collect();
        worst.at_most("velocity on return", difference(&back, &start.v) * size(&start.v).min(1.0), 1e-9)
    });
}

/// Without dampers and drives the energy stays, within the tolerance of the integrator.
#[test]
fn energy_is_kept() {
    // affine bodies have no stiffness and collapse after a while; planar ones meet dead points
    let wish = Wish { most: 4, planar: false, affine: false, forces: false, ..Wish::ANY };
    for_mechanisms("energy", 0.25, wish, |spec, worst| {
        let mut sim = spec.simulation();
        sim.set_integrator(TIGHT);
        let start = sim.energy();
        sim.run_until(0.5).expect("regular");
        let end = sim.energy();
        let scale = end.kinetic.max(start.gravity.abs()).max(end.gravity.abs());
        worst.at_most("change of energy", (end.total() - start.total()).abs() / scale.max(1e-300), 1e-9)
    });
}

/// Euler's method with projection loses energy or keeps it; it does not pump a chain up until it breaks.
#[test]
fn euler_survives_a_swinging_chain() {
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    for i in 0..4 {
        let x = 0.25 + 0.5 * i as f64;
        let link = m.body(format!("link {i}"), Rigid::cuboid(1.0, [0.5, 0.05, 0.05]).position([x, 0.0, 0.0]));
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([-0.25, 0.0, 0.0])));
        above = link.at([0.25, 0.0, 0.0]);
    }
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::SemiImplicitEuler);
    let start = sim.energy().total();
    let mut highest = f64::NEG_INFINITY;
    for _ in 0..20_000 {
        sim.step(1e-3).expect("regular");
        highest = highest.max(sim.energy().total() - start);
    }
    println!("euler over 20 s: highest energy above the start {highest:.2} J");
    // the chain falls through 40 J
    assert!(highest < 1.0, "{highest} J");
    assert!(sim.violation().0 < 1e-12);
}

//! Extreme mass ratios: joint forces are solved for, not iterated, so they cost no digits of the equations.

use holonom::prelude::*;
use holonom_cases::{straight_ball_chain, tree_case};

/// Largest residual, in a random pose with random velocities and stretched out at rest.
fn residual(name: &str, mass: impl Fn(usize) -> f64 + Copy) -> f64 {
    let case = tree_case(name).expect("a known case");
    let stirred = case.builder_with_masses(mass);
    let mut models = vec![stirred];
    if name.starts_with('a') {
        models.push(straight_ball_chain(case.n_bodies(), mass));
    }
    let of = |m: ModelBuilder| {
        let mut sim = Simulation::build(m).expect("a valid chain");
        sim.residual().expect("regular").largest()
    };
    models.into_iter().map(of).fold(0.0, f64::max)
}

#[test]
fn a_heavy_end() {
    for power in [3, 6, 9, 12] {
        for name in ["a1000", "b1000"] {
            let r = residual(name, |i| if i == 999 { 10f64.powi(power) } else { 1.0 });
            println!("{name}, end mass 1 : 1e{power}: residual {r:.2e}");
            assert!(r <= 1e-9, "{name}, 1e{power}: {r:e}");
        }
    }
}

#[test]
fn a_light_end() {
    let r = residual("a1000", |i| if i == 999 { 1e-9 } else { 1.0 });
    assert!(r <= 1e-9, "{r:e}");
}

#[test]
fn alternating_masses() {
    for power in [3, 6, 9] {
        for name in ["a1000", "b1000", "c1000"] {
            let r = residual(name, |i| if i % 2 == 0 { 1.0 } else { 10f64.powi(power) });
            println!("{name}, alternating 1 : 1e{power}: residual {r:.2e}");
            assert!(r <= 1e-9, "{name}, 1e{power}: {r:e}");
        }
    }
}

/// The heavy end pulls a light rope along: the tree solver against the dense one, whose pivots are of the other kind.
#[test]
fn accelerations_agree_with_the_dense_solve() {
    for power in [6, 9, 12] {
        let builder = || {
            let case = tree_case("a24").expect("a known case");
            case.builder_with_masses(|i| if i == 23 { 10f64.powi(power) } else { 1.0 })
        };
        let mut tree = Simulation::build(builder()).expect("a valid chain");
        let mut dense = Simulation::build(builder()).expect("a valid chain");
        dense.set_solver(SolverKind::DenseKkt).expect("it applies");
        let (a, b) = (tree.accelerations().expect("regular").to_vec(), dense.accelerations().expect("regular"));
        let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let error = a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / size;
        println!("end mass 1 : 1e{power}, 24 links: disagreement {error:.2e}");
        assert!(error < 1e-9, "1e{power}: {error:e}");
    }
}

/// A pendulum with a bob 10^9 times heavier than its rod keeps its joints closed and its energy over a swing.
#[test]
fn a_heavy_bob_swings() {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(1e-6, [1.0, 0.01, 0.01]).position([0.5, 0.0, 0.0]));
    let bob = m.body("bob", Rigid::ball(1e3, 0.05).position([1.0, 0.0, 0.0]));
    m.joint("pivot", Spherical::new(BodyId::GROUND.origin(), rod.at([-0.5, 0.0, 0.0])));
    m.joint("hook", Weld::new(rod.at([0.5, 0.0, 0.0]), bob.origin()));
    let mut sim = Simulation::build(m).expect("a valid pendulum");
    let start = sim.energy().total();
    sim.run_until(1.0).expect("a smooth motion");
    let error = (sim.energy().total() - start).abs() / 9810.0;
    let gap = sim.violation().0;
    println!("heavy bob: gap {gap:.1e} m, energy {error:.1e}");
    assert!(gap < 1e-12 && error < 1e-9, "gap {gap:e}, energy {error:e}");
}

/// Only the chain that needs refinement is refined: another one beside it keeps its bits.
#[test]
fn a_neighbour_keeps_its_bits() {
    let chain = |m: &mut ModelBuilder, name: &str, y: f64, heavy: f64| {
        let mut above = BodyId::GROUND.at([0.0, y, 0.0]);
        for i in 0..5 {
            let mass = if i == 4 { heavy } else { 1.0 };
            let body = Rigid::cuboid(mass, [1.0, 0.2, 0.2]).position([0.5 + i as f64, y, 0.0]).spin([0.3, 0.1, 0.7]);
            let body = m.body(format!("{name} {i}"), body);
            m.joint(format!("{name} joint {i}"), Spherical::new(above, body.at([-0.5, 0.0, 0.0])));
            above = body.at([0.5, 0.0, 0.0]);
        }
    };
    let (mut alone, mut beside) = (ModelBuilder::new(), ModelBuilder::new());
    chain(&mut alone, "light", 0.0, 1.0);
    chain(&mut beside, "light", 0.0, 1.0);
    chain(&mut beside, "heavy", 5.0, 1e9);
    let bits = |m: ModelBuilder| -> Vec<u64> {
        let mut sim = Simulation::build(m).expect("valid");
        sim.accelerations().expect("regular")[..30].iter().map(|a| a.to_bits()).collect()
    };
    assert_eq!(bits(alone), bits(beside));
}

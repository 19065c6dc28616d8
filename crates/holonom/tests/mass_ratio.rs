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
        let sim = Simulation::build(m).expect("a valid chain");
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
        let tree = Simulation::build(builder()).expect("a valid chain");
        let mut dense = Simulation::build(builder()).expect("a valid chain");
        dense.set_solver(SolverKind::DenseKkt).expect("it applies");
        let (a, b) = (tree.accelerations().expect("regular"), dense.accelerations().expect("regular"));
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
        let sim = Simulation::build(m).expect("valid");
        sim.accelerations().expect("regular")[..30].iter().map(|a| a.to_bits()).collect()
    };
    assert_eq!(bits(alone), bits(beside));
}

/// Fifty links of 1 kg and 0.1 m, in one line at an angle, with a load of `ratio` kg on the last: in space on ball
/// joints, or in a plane on hinges.
fn loaded(ratio: f64, flat: bool) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity(if flat { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] });
    let along = if flat { vec3(0.6, -0.8, 0.0) } else { vec3(0.6, 0.0, -0.8) };
    let angle = (-0.8f64).atan2(0.6);
    let mut last = BodyId::GROUND.origin();
    for i in 0..50 {
        let at = along * (0.1 * i as f64 + 0.05);
        let body = if flat {
            m.body(format!("link {i}"), Planar::rod(1.0, 0.1).pose(at.x, at.y, angle))
        } else {
            let turn = Quat::from_rotation_y(-angle);
            m.body(format!("link {i}"), Rigid::cuboid(1.0, [0.1, 0.02, 0.02]).position(at).orientation(turn))
        };
        let near = body.at([-0.05, 0.0, 0.0]);
        match flat {
            true => m.joint(format!("pin {i}"), Revolute::new(last, near)),
            false => m.joint(format!("pin {i}"), Spherical::new(last, near)),
        };
        last = body.at([0.05, 0.0, 0.0]);
    }
    let at = along * 5.1;
    let load = if flat {
        m.body("load", Planar::new(ratio, 0.004 * ratio).pose(at.x, at.y, angle))
    } else {
        let turn = Quat::from_rotation_y(-angle);
        m.body("load", Rigid::principal(ratio, Vec3::splat(0.004 * ratio)).position(at).orientation(turn))
    };
    match flat {
        true => m.joint("eye", Revolute::new(last, load.at([-0.1, 0.0, 0.0]))),
        false => m.joint("eye", Spherical::new(last, load.at([-0.1, 0.0, 0.0]))),
    };
    m
}

/// Angle of a pendulum of the same length, its load rigidly on it, after `end` seconds: what a heavy load on light links
/// swings like.
fn pendulum(end: f64) -> f64 {
    let moment = 5.1 * 5.1 + 0.004;
    let steps = 4000;
    let h = end / f64::from(steps);
    let (mut angle, mut rate) = ((0.6f64).atan2(0.8), 0.0);
    for _ in 0..steps {
        rate -= 0.5 * h * 9.81 * 5.1 / moment * angle.sin();
        angle += h * rate;
        rate -= 0.5 * h * 9.81 * 5.1 / moment * angle.sin();
    }
    angle
}

/// Motion with heavy loads: half a second in steps of 1 ms by the methods that damp what swings faster. The load swings
/// as it must, joints stay closed, nothing is thrown about.
#[test]
fn heavy_loads_swing() {
    for flat in [false, true] {
        for ratio in [1e6, 1e9, 1e12] {
            for (name, allowed) in [("sdirk4", 1e-4), ("stepping", 4e-3), ("euler", 4e-3)] {
                let mut sim = Simulation::build(loaded(ratio, flat)).expect("valid");
                sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
                sim.run_fixed(0.5, 1e-3).unwrap_or_else(|e| panic!("{name}, {ratio:e}: {e}"));
                let load = sim.model().body("load").expect("there");
                let at = sim.centre(load);
                let angle = at.x.atan2(if flat { -at.y } else { -at.z });
                let (off, gap) = ((angle - pendulum(0.5)).abs(), sim.violation().0);
                println!("flat {flat}, 1 : {ratio:e}, {name}: angle off by {off:.1e}, gap {gap:.1e}");
                assert!(off < allowed, "{name}, 1 : {ratio:e}: {off:e}");
                assert!(gap < 1e-13, "{name}, 1 : {ratio:e}: gap {gap:e}");
            }
        }
    }
}

/// A method that damps nothing says what is too fast for it.
#[test]
fn rattle_names_what_swings_too_fast() {
    for flat in [false, true] {
        for ratio in [1e6, 1e9, 1e12] {
            let mut sim = Simulation::build(loaded(ratio, flat)).expect("valid");
            sim.set_integrator(IntegratorKind::Rattle);
            let error = sim.run_fixed(0.5, 1e-3).expect_err("too fast");
            println!("1 : {ratio:e}: {error}");
            let StepError::TautLink { body, rate, .. } = error else { panic!("1 : {ratio:e}: {error}") };
            assert!(body.starts_with("link") && rate > 1e4, "{body} at {rate}");
            assert!(rate > (9.81 * ratio / 0.1).sqrt(), "{rate} is slower than the links are");
        }
    }
}

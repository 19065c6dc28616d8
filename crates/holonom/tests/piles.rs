//! Piles: a wall of bricks and a tower whose heaviest brick is on top.

use holonom::prelude::*;

/// Courses of bricks, 1.0 x 0.2 x 0.2 m and 1 kg each, on a plane.
fn wall(courses: usize, length: usize) -> (Simulation, Vec<BodyId>) {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.5);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let size = vec3(1.0, 0.2, 0.2);
    let mut bricks = Vec::new();
    for i in 0..courses {
        for j in 0..length {
            let x = 1.01 * j as f64 + if i % 2 == 1 { 0.505 } else { 0.0 };
            let brick = m.body(
                format!("brick-{i}-{j}"),
                Rigid::cuboid(1.0, size).position([x, 0.0, 0.1 + 0.2 * i as f64]),
            );
            m.shape(brick.origin(), Shape::Box { half: size / 2.0 }, stone);
            bricks.push(brick);
        }
    }
    (Simulation::build(m).unwrap(), bricks)
}

fn main_figures(sim: &mut Simulation, bricks: &[BodyId], seconds: f64, dt: f64) -> (f64, f64, f64) {
    let start: Vec<Vec3> = bricks.iter().map(|b| sim.centre(*b)).collect();
    let clock = std::time::Instant::now();
    let summary = sim.run_fixed(seconds, dt).unwrap();
    let cost = clock.elapsed().as_secs_f64() / summary.steps as f64;
    let moved = bricks.iter().zip(&start).map(|(b, s)| sim.centre(*b) - *s);
    let (mut sink, mut creep) = (0.0f64, 0.0f64);
    for d in moved {
        sink = sink.max(-d.z);
        creep = creep.max(d.x.hypot(d.y));
    }
    (sink, creep, cost)
}

#[test]
fn a_wall_of_100_bricks_stands() {
    let (mut sim, bricks) = wall(10, 10);
    let seconds: f64 = std::env::var("SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0.1);
    let (sink, creep, cost) = main_figures(&mut sim, &bricks, seconds, 1e-3);
    println!("wall: sink {sink:.2e} m, creep {creep:.2e} m, {:.3} ms per step, {} contacts", 1e3 * cost, sim.contacts().unwrap().len());
    assert!(sink <= 1e-3 && creep <= 1e-3);
}

#[test]
fn a_tower_with_its_heaviest_brick_on_top_stands() {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.5);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let size = vec3(1.0, 1.0, 0.2);
    let bricks: Vec<BodyId> = (0..10)
        .map(|i| {
            let mass = 1000f64.powf(i as f64 / 9.0);
            let brick = m.body(format!("brick-{i}"), Rigid::cuboid(mass, size).position([0.0, 0.0, 0.1 + 0.2 * i as f64]));
            m.shape(brick.origin(), Shape::Box { half: size / 2.0 }, stone);
            brick
        })
        .collect();
    let mut sim = Simulation::build(m).unwrap();
    let (sink, creep, cost) = main_figures(&mut sim, &bricks, 2.0, 1e-3);
    println!("tower: sink {sink:.2e} m, creep {creep:.2e} m, {:.3} ms per step", 1e3 * cost);
    assert!(sink <= 1e-6 && creep <= 1e-6);
}

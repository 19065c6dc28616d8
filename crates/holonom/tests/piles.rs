//! Piles: a wall of bricks and a tower whose heaviest brick is on top.

use holonom::Sleeping;
use holonom::prelude::*;

/// Courses of bricks, 1.0 x 0.2 x 0.2 m and 1 kg each, on a plane.
fn wall(courses: usize, length: usize, shift: f64) -> (Simulation, Vec<BodyId>) {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.5);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let size = vec3(1.0, 0.2, 0.2);
    let mut bricks = Vec::new();
    for i in 0..courses {
        for j in 0..length {
            let x = 1.01 * j as f64 + if i % 2 == 1 { shift } else { 0.0 };
            let brick =
                m.body(format!("brick-{i}-{j}"), Rigid::cuboid(1.0, size).position([x, 0.0, 0.2 * (0.5 + i as f64)]));
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
    let (mut sim, bricks) = wall(10, 10, 0.495);
    let (sink, creep, cost) = main_figures(&mut sim, &bricks, 0.5, 1e-3);
    println!(
        "wall: sink {sink:.2e} m, creep {creep:.2e} m, {:.3} ms per step, {} contacts",
        1e3 * cost,
        sim.contacts().unwrap().len()
    );
    assert!(sink <= 1e-9 && creep <= 1e-9);
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
            let brick =
                m.body(format!("brick-{i}"), Rigid::cuboid(mass, size).position([0.0, 0.0, 0.1 + 0.2 * i as f64]));
            m.shape(brick.origin(), Shape::Box { half: size / 2.0 }, stone);
            brick
        })
        .collect();
    let mut sim = Simulation::build(m).unwrap();
    let (sink, creep, cost) = main_figures(&mut sim, &bricks, 2.0, 1e-3);
    println!("tower: sink {sink:.2e} m, creep {creep:.2e} m, {:.3} ms per step", 1e3 * cost);
    assert!(sink <= 1e-6 && creep <= 1e-6);
}

#[test]
fn a_wall_falls_asleep_and_wakes_when_hit() {
    let (mut sim, bricks) = wall(3, 3, 0.495);
    sim.set_sleeping(Some(Sleeping::default()));
    let start: Vec<Vec3> = bricks.iter().map(|b| sim.centre(*b)).collect();
    sim.run_fixed(1.0, 1e-3).unwrap();
    assert!(sim.state().v.iter().all(|v| *v == 0.0), "asleep, nothing moves at all");
    let asleep = sim.state().hash();
    let contacts = sim.contacts().unwrap();
    let weight: f64 = contacts.iter().filter(|c| c.bodies.1.is_ground()).map(|c| c.force.z).sum();
    assert!((weight - 9.0 * 9.81).abs() < 1e-6, "the ground still carries it: {weight} N");
    sim.run_fixed(2.0, 1e-3).unwrap();
    assert_ne!(asleep, sim.state().hash(), "time goes on");
    assert!(bricks.iter().zip(&start).all(|(b, s)| (sim.centre(*b) - *s).length() < 1e-9));

    // a push on the top brick wakes it
    let top = *bricks.last().unwrap();
    let range = sim.model().v_range(top);
    sim.state_mut().v[range.start + 1] = 1.0;
    sim.run_fixed(2.3, 1e-3).unwrap();
    assert!((sim.centre(top) - start[8]).y > 0.05, "it slides off: {}", sim.centre(top) - start[8]);
    assert!((sim.centre(bricks[0]) - start[0]).length() < 1e-4);
}

/// A ball of 200 kg at 10 m/s into a wall of 5 x 10 bricks, through the blow and most of the fall: the energy never rises above that of the start, and
/// overlaps stay small. (They are larger than in a pile at rest: what comes near only because of the blow is found a step later.)
#[test]
fn a_wall_hit_by_a_heavy_ball_collapses_without_gaining_energy() {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.5);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let size = vec3(1.0, 0.2, 0.2);
    let mut bricks = Vec::new();
    for i in 0..5 {
        for j in 0..10 {
            let x = 1.01 * j as f64 + if i % 2 == 1 { 0.495 } else { 0.0 };
            let place = [x, 0.0, 0.2 * (0.5 + i as f64)];
            let brick = m.body(format!("brick-{i}-{j}"), Rigid::cuboid(1.0, size).position(place));
            m.shape(brick.origin(), Shape::Box { half: size / 2.0 }, stone);
            bricks.push(brick);
        }
    }
    let ball = m.body("ball", Rigid::ball(200.0, 0.4).position([5.0, -1.0, 0.5]).velocity([0.0, 10.0, 0.0]));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.4 }, stone);
    let mut sim = Simulation::build(m).unwrap();
    let steps = 600;
    let h = 1e-3;
    let start = sim.energy().total();
    let mut energy = start;
    let (mut most, mut deepest, mut gained) = (0.0f64, 0.0f64, 0.0f64);
    let mut spent = 0.0;
    for step in 1..=steps {
        let now = std::time::Instant::now();
        sim.run_fixed(step as f64 * h, h).unwrap();
        let cost = now.elapsed().as_secs_f64();
        spent += cost;
        most = most.max(cost);
        let new = sim.energy().total();
        assert!(new <= start * (1.0 + 1e-9), "energy {new} J in step {step}, at the start {start} J");
        gained = gained.max(new - energy);
        energy = new;
        deepest = deepest.max(sim.overlap());
    }
    let mean = spent / steps as f64;
    println!(
        "ball: {:.2} ms per step, at most {:.1} ms; overlaps to {deepest:.1e} m, energy gained in a step {gained:.1e} J",
        1e3 * mean,
        1e3 * most
    );
    assert!(gained <= 1e-9 * start, "a step gained {gained} J of {start} J");
    assert!(deepest <= 1e-6, "overlap {deepest} m");
    let moved = bricks.iter().filter(|b| sim.centre(**b).y.abs() > 0.05).count();
    assert!(moved >= 3, "only {moved} bricks were knocked out");
}

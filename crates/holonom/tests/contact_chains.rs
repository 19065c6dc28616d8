//! Chains that fall onto the floor, onto themselves and onto each other, and one that swings two tonnes into a wall.

#[path = "common/articulated.rs"]
mod articulated;

use articulated::{Watch, chain};
use holonom::prelude::*;

const STEPS: [f64; 2] = [1e-3, 1.0 / 60.0];

fn floor(m: &mut ModelBuilder, material: Material) {
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
}

/// Twenty links hang above the floor and are let go.
fn falling_chain() -> Simulation {
    let mut m = ModelBuilder::new();
    let iron = Material::new(0.4);
    floor(&mut m, iron);
    // not quite upright, so that it falls to one side of itself
    let from = vec3(0.0, 0.0, 2.3);
    chain(&mut m, "link", 20, (from, vec3(0.03, 0.02, -1.0)), (0.05, 0.012, 0.1), Some(iron));
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    sim
}

#[test]
fn a_chain_falls_and_coils() {
    for dt in STEPS {
        let mut sim = falling_chain();
        let mut watch = Watch::new(&mut sim);
        let clock = std::time::Instant::now();
        watch.run(&mut sim, 1.5, dt);
        println!("{:.2} s", clock.elapsed().as_secs_f64());
        watch.demand(&format!("falling chain, {dt:.4} s"));
        assert!(watch.contacts > 20);
    }
}

#[test]
fn two_chains_collide() {
    for dt in STEPS {
        let mut m = ModelBuilder::new();
        let iron = Material::new(0.3);
        floor(&mut m, iron);
        let links = (0.05, 0.012, 0.1);
        // one hangs from both ends, the other falls across it
        let low = chain(&mut m, "low", 10, (vec3(-0.5, 0.0, 0.8), Vec3::X), links, Some(iron));
        m.joint("left", Spherical::new(BodyId::GROUND.at([-0.5, 0.0, 0.8]), low.start()));
        chain(&mut m, "high", 10, (vec3(0.03, -0.48, 1.2), Vec3::Y), links, Some(iron));
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(IntegratorKind::Stepping);
        let mut watch = Watch::new(&mut sim);
        let clock = std::time::Instant::now();
        watch.run(&mut sim, 1.5, dt);
        println!("{:.2} s", clock.elapsed().as_secs_f64());
        watch.demand(&format!("two chains, {dt:.4} s"));
    }
}

#[test]
fn sixty_four_links_swing_two_tonnes_into_a_wall() {
    let mut m = ModelBuilder::new();
    let iron = Material::new(0.3);
    let way = vec3(1.0, 0.0, -1.0).normalize();
    let line = chain(&mut m, "link", 64, (Vec3::ZERO, way), (0.05, 0.01, 0.1), None);
    m.joint("hook", Spherical::new(BodyId::GROUND.origin(), line.start()));
    let ball = m.body("ball", Rigid::ball(2000.0, 0.4).position(way * 6.8));
    m.joint("eye", Spherical::new(line.end(63), ball.at(way * -0.4)));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.4 }, iron);
    // the wall stands left of the lowest place, its face towards +x
    m.shape(BodyId::GROUND.at([-0.6, 0.0, 0.0]).along([1.0, 0.0, 0.0]), Shape::HalfSpace, iron);
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    let mut watch = Watch::new(&mut sim);
    watch.run(&mut sim, 10.0, 1.0 / 60.0);
    watch.demand("2 t on 64 links of 50 g");
    assert!(watch.contacts > 0);
}

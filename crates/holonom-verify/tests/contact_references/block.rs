//! p17 (a), (b), (d): a block on a ramp, a block on the floor, a box that carries balls. The block is a particle, or a box on four corners.

use super::{close, events_until, first, first_order, problem, stepped};
use holonom::prelude::*;
use holonom::{EventKind, Friction};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Block {
    Particle,
    Cuboid,
}

const BLOCKS: [Block; 2] = [Block::Particle, Block::Cuboid];

/// A plane that falls towards +x by `angle`, and on it a block with the velocity `along` (m/s; x down the plane, y across).
fn ramp(block: Block, angle: f64, mu: f64, along: [f64; 2]) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let (s, c) = angle.sin_cos();
    let (n, down) = (vec3(s, 0.0, c), vec3(c, 0.0, -s));
    let velocity = down * along[0] + Vec3::Y * along[1];
    let material = Material::new(mu);
    m.shape(BodyId::GROUND.origin().along(n), Shape::HalfSpace, material);
    let body = match block {
        Block::Particle => {
            let body = m.body("block", Particle::new(1.0, [0.0; 3]).velocity(velocity));
            m.shape(body.origin(), Shape::Point, material);
            body
        }
        Block::Cuboid => {
            let half = vec3(0.15, 0.1, 0.05);
            let turned = Quat::from_rotation_y(angle);
            let place = Rigid::cuboid(1.0, half * 2.0).position(n * half.z).orientation(turned).velocity(velocity);
            let body = m.body("block", place);
            m.shape(body.origin(), Shape::Box { half }, material);
            body
        }
    };
    (Simulation::build(m).unwrap(), body)
}

const SLOPE: f64 = std::f64::consts::FRAC_PI_6;

/// Way and speed down the ramp.
fn down(sim: &Simulation, start: Vec3, body: BodyId) -> (f64, f64) {
    let (s, c) = SLOPE.sin_cos();
    let down = vec3(c, 0.0, -s);
    (down.dot(sim.centre(body) - start), down.dot(sim.centre_velocity(body)))
}

#[test]
fn a_block_slides_down_a_ramp() {
    let p = problem("p17");
    for block in BLOCKS {
        let (mut sim, body) = ramp(block, SLOPE, 0.5, [0.0; 2]);
        let start = sim.centre(body);
        let a = sim.accelerations().unwrap()[..3].to_vec();
        let a = vec3(a[0], a[1], a[2]).length();
        close(&format!("{block:?} acceleration at rest"), a, p.scalar("a_slide"), 1e-12);
        sim.run_until(2.0).unwrap();
        let (way, speed) = down(&sim, start, body);
        close(&format!("{block:?} speed after 2 s"), speed, 2.0 * p.scalar("a_slide"), 1e-11);
        close(&format!("{block:?} way after 2 s"), way, 2.0 * p.scalar("a_slide"), 1e-11);
        let contacts = sim.contacts().unwrap();
        let normal: f64 = contacts.iter().map(|c| c.force.dot(c.normal)).sum();
        close(&format!("{block:?} normal force"), normal, p.scalar("normal_force"), 1e-10);
        assert!(contacts.iter().all(|c| c.friction != Friction::Stick), "{contacts:?}");

        let (sim, body) = ramp(block, SLOPE, 0.5, [0.0; 2]);
        let sim = stepped(sim, 2.0, 1e-3);
        close(&format!("{block:?} speed, stepped"), down(&sim, start, body).1, 2.0 * p.scalar("a_slide"), 1e-10);
    }
}

#[test]
fn the_critical_coefficient_of_the_ramp() {
    let critical = problem("p17").scalar("mu_critical_ramp");
    for block in BLOCKS {
        for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
            // a box that hardly slides is stiff: friction stops its turning the more quickly the more slowly it slides, at the rate mu g / speed
            let off = if block == Block::Cuboid && kind != IntegratorKind::Stepping { 1e-2 } else { 1e-6 };
            for (mu, slides) in [(critical * (1.0 - off), true), (critical * (1.0 + 1e-6), false)] {
                let (mut sim, body) = ramp(block, SLOPE, mu, [0.0; 2]);
                let start = sim.centre(body);
                sim.set_integrator(kind);
                sim.run_until(1.0).unwrap();
                let speed = down(&sim, start, body).1;
                let expected = if slides { 9.81 * (SLOPE.sin() - mu * SLOPE.cos()) } else { 0.0 };
                close(&format!("{block:?} {kind:?} mu {mu}"), speed, expected, 1e-11);
            }
        }
    }
}

#[test]
fn a_block_launched_up_the_ramp_comes_back() {
    let p = problem("p17");
    for block in BLOCKS {
        let (mut sim, body) = ramp(block, SLOPE, 0.5, [-3.0, 0.0]);
        let start = sim.centre(body);
        let events = events_until(&mut sim, 0.5);
        let turned = first(&events, EventKind::Slips);
        close(&format!("{block:?} t_up"), turned, p.scalar("t_up"), 1e-10);
        let (mut again, _) = ramp(block, SLOPE, 0.5, [-3.0, 0.0]);
        again.run_until(turned).unwrap();
        close(&format!("{block:?} s_up"), -down(&again, start, body).0, p.scalar("s_up"), 1e-10);
        sim.run_until(p.scalar("t_return")).unwrap();
        let (way, speed) = down(&sim, start, body);
        close(&format!("{block:?} t_return"), -way / speed, 0.0, 1e-10);
        close(&format!("{block:?} v_return"), speed, p.scalar("v_return"), 1e-10);
        first_order(&format!("{block:?} way at t_return"), 2.0, |dt| {
            let sim = stepped(ramp(block, SLOPE, 0.5, [-3.0, 0.0]).0, p.scalar("t_return"), dt);
            down(&sim, start, body).0
        });
    }
}

#[test]
fn a_block_that_sticks_does_not_creep() {
    for block in BLOCKS {
        for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
            let (mut sim, body) = ramp(block, SLOPE, 0.6, [-3.0, 0.0]);
            sim.set_integrator(kind);
            sim.run_until(1.0).unwrap();
            let stopped = sim.centre(body);
            for k in 1..=60 {
                sim.run_until(1.0 + k as f64).unwrap();
                let speed = sim.centre_velocity(body).length();
                close(&format!("{block:?} {kind:?} speed at {k} s"), speed, 0.0, 1e-12);
            }
            let crept = (sim.centre(body) - stopped).length() / 60.0;
            close(&format!("{block:?} {kind:?} creep"), crept, 0.0, 1e-12);
        }
    }
}

#[test]
fn friction_is_the_same_in_all_directions() {
    let p = problem("p17");
    for block in BLOCKS {
        for k in 0..12 {
            let way = (0.1 + 0.55 * k as f64).sin_cos();
            let (mut sim, body) = ramp(block, 0.0, 0.5, [2.0 * way.1, 2.0 * way.0]);
            let (start, u) = (sim.centre(body), vec3(way.1, way.0, 0.0));
            let events = events_until(&mut sim, 1.0);
            close(
                &format!("{block:?} {k} stop time"),
                first(&events, EventKind::Sticks),
                p.scalar("isotropy_stop_time"),
                1e-10,
            );
            let gone = sim.centre(body) - start;
            close(&format!("{block:?} {k} stop distance"), gone.dot(u), p.scalar("isotropy_stop_distance"), 1e-10);
            close(&format!("{block:?} {k} off the line"), gone.cross(u).length(), 0.0, 1e-12);
            close(&format!("{block:?} {k} speed at rest"), sim.centre_velocity(body).length(), 0.0, 1e-12);
        }
    }
    let way = 1.0f64.sin_cos();
    for block in BLOCKS {
        first_order(&format!("{block:?} stop distance"), 1.1, |dt| {
            let (sim, body) = ramp(block, 0.0, 0.5, [2.0 * way.1, 2.0 * way.0]);
            let start = sim.centre(body);
            let sim = stepped(sim, 1.0, dt);
            let gone = sim.centre(body) - start;
            close("off the line", gone.cross(vec3(way.1, way.0, 0.0)).length(), 0.0, 1e-12);
            gone.dot(vec3(way.1, way.0, 0.0)) - p.scalar("isotropy_stop_distance")
        });
    }
}

/// A box on the floor that carries five by five balls, pushed along the diagonal.
fn box_with_balls() -> (Simulation, BodyId, Vec<BodyId>) {
    let mut m = ModelBuilder::new();
    let (half, r) = (vec3(1.0, 1.0, 0.1), 0.1);
    let floor = m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.4));
    let tray = m.body("box", Rigid::cuboid(10.0, half * 2.0).position([0.0, 0.0, half.z]));
    let tray_shape = m.shape(tray.origin(), Shape::Box { half }, Material::new(0.4));
    m.pair(floor, tray_shape, Material::new(0.4));
    m.force("push", PointForce::new(tray.origin(), vec3(1.0, 1.0, 0.0) * (150.0 / 2f64.sqrt())));
    let mut balls = Vec::new();
    for i in 0..25 {
        let at = vec3(0.35 * ((i % 5) as f64 - 2.0), 0.35 * ((i / 5) as f64 - 2.0), 2.0 * half.z + r);
        let ball = m.body(format!("ball {i}"), Rigid::ball(1.0, r).position(at));
        let shape = m.shape(ball.origin(), Shape::Sphere { radius: r }, Material::new(0.8));
        m.pair(shape, tray_shape, Material::new(0.8));
        balls.push(ball);
    }
    (Simulation::build(m).unwrap(), tray, balls)
}

#[test]
fn a_box_is_pushed_from_under_its_balls() {
    let p = problem("p17");
    let along = vec3(1.0, 1.0, 0.0) / 2f64.sqrt();
    // the reference is rounded to four digits in the data; the formula is not
    let a_box = (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 * 2.0 / 7.0);
    close("a_box in the data", a_box, p.scalar("simbench_a_box"), 1e-12);
    for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let (mut sim, tray, balls) = box_with_balls();
        sim.set_integrator(kind);
        let a = sim.accelerations().unwrap();
        let of = |k: usize| vec3(a[6 * k], a[6 * k + 1], a[6 * k + 2]);
        close(&format!("{kind:?} a_box"), of(0).dot(along), p.scalar("simbench_a_box"), 1e-8);
        for k in 1..=25 {
            close(&format!("{kind:?} a_ball {k}"), of(k).dot(along), p.scalar("simbench_a_ball"), 1e-8);
        }
        let t = 0.2;
        if kind == IntegratorKind::Stepping {
            sim.run_fixed(t, 1e-3).unwrap();
        } else {
            sim.run_until(t).unwrap();
        }
        let speed = sim.centre_velocity(tray);
        close(&format!("{kind:?} box"), (speed - along * (t * a_box)).length(), 0.0, 1e-9);
        for (k, ball) in balls.iter().enumerate() {
            let speed = sim.centre_velocity(*ball);
            close(&format!("{kind:?} ball {k}"), (speed - along * (t * a_box * 2.0 / 7.0)).length(), 0.0, 1e-9);
        }
    }
}

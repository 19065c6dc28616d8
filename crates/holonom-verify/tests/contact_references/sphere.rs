//! p18: a ball that slips until it rolls.

use super::{close, events_until, first, first_order, problem, stepped};
use holonom::EventKind;
use holonom::prelude::*;

struct Shot {
    name: &'static str,
    radius: f64,
    velocity: [f64; 2],
    spin: [f64; 3],
}

const SHOTS: [Shot; 4] = [
    Shot { name: "nospin", radius: 0.1, velocity: [2.0, 0.0], spin: [0.0; 3] },
    Shot { name: "backspin1", radius: 0.1, velocity: [2.0, 0.0], spin: [0.0, -30.0, 0.0] },
    Shot { name: "backspin2", radius: 0.1, velocity: [2.0, 0.0], spin: [0.0, -60.0, 0.0] },
    Shot { name: "billiard", radius: 0.028575, velocity: [2.0, 0.5], spin: [40.0, -20.0, 15.0] },
];

fn ball(shot: &Shot) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let [x, y] = shot.velocity;
    let start = Rigid::ball(1.0, shot.radius).position([0.0, 0.0, shot.radius]).velocity([x, y, 0.0]).spin(shot.spin);
    let ball = m.body("ball", start);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.2));
    m.shape(ball.origin(), Shape::Sphere { radius: shot.radius }, Material::new(0.2));
    (Simulation::build(m).unwrap(), ball)
}

/// Slip of the point of contact, m/s.
fn slip(sim: &Simulation, ball: BodyId, radius: f64) -> f64 {
    (sim.centre_velocity(ball) + sim.spin(ball).unwrap().cross(vec3(0.0, 0.0, -radius))).length()
}

#[test]
fn balls_slip_until_they_roll() {
    let p = problem("p18");
    for shot in &SHOTS {
        let name = shot.name;
        let known = |what: &str| p.scalars_at(&format!("/{name}/{what}"));
        let (mut sim, ball) = ball(shot);
        let slip0 = sim.centre_velocity(ball) + sim.spin(ball).unwrap().cross(vec3(0.0, 0.0, -shot.radius));
        close(&format!("{name} slip0"), (slip0 - plane(&known("slip0"))).length(), 0.0, 1e-15);
        // the path on the way is a parabola, and energy only falls
        let (t_roll, u) = (known("t_roll")[0], slip0.normalize());
        let mut energy = sim.energy().total();
        for k in 1..=10 {
            let t = 0.099 * k as f64 * t_roll;
            sim.run_until(t).unwrap();
            let expected = plane(&shot.velocity) * t - u * (0.5 * 0.2 * 9.81 * t * t);
            close(&format!("{name} path"), (flat(sim.centre(ball)) - expected).length(), 0.0, 1e-11);
            let now = sim.energy().total();
            assert!(now < energy, "{name}: {now} after {energy}");
            energy = now;
        }
        let events = events_until(&mut sim, 2.0 * t_roll);
        let rolls = first(&events, EventKind::Sticks);
        close(&format!("{name} t_roll"), rolls, t_roll, 1e-11);
        assert_eq!(events.len(), 1, "{name}: {events:?}");
        let v = plane(&known("v_final"));
        let w = known("w_final");
        let at = plane(&known("x_roll")) + v * (2.0 * t_roll - rolls);
        close(&format!("{name} x_roll"), (flat(sim.centre(ball)) - at).length(), 0.0, 1e-10);
        for t in [2.0 * t_roll, 3.0 * t_roll + 5.0] {
            sim.run_until(t).unwrap();
            close(&format!("{name} v_final"), (sim.centre_velocity(ball) - v).length(), 0.0, 1e-11);
            let spin = sim.spin(ball).unwrap();
            close(&format!("{name} w_final"), (spin - vec3(w[0], w[1], w[2])).length(), 0.0, 1e-10);
            close(&format!("{name} residual slip"), slip(&sim, ball, shot.radius), 0.0, 1e-13);
            close(&format!("{name} height"), sim.centre(ball).z, shot.radius, 1e-14);
        }
        let end = sim.energy().total();
        assert!(end <= energy * (1.0 + 1e-14), "{name}: {end} after {energy}");
    }
}

#[test]
fn balls_slip_until_they_roll_stepped() {
    let p = problem("p18");
    for shot in &SHOTS {
        let name = shot.name;
        let known = |what: &str| p.scalars_at(&format!("/{name}/{what}"));
        let t_roll = known("t_roll")[0];
        let after = 1.5 * t_roll;
        let at = plane(&known("x_roll")) + plane(&known("v_final")) * (after - t_roll);
        // velocities are exact: friction is constant while there is slip, and stops it exactly
        let (sim, ball) = ball(shot);
        let sim = stepped(sim, after, 1e-3);
        close(&format!("{name} v_final"), (sim.centre_velocity(ball) - plane(&known("v_final"))).length(), 0.0, 1e-10);
        close(&format!("{name} residual slip"), slip(&sim, ball, shot.radius), 0.0, 1e-12);
        // positions follow the velocity at the end of each step: off by mu g t_roll dt / 2
        first_order(&format!("{name} x"), 0.6 * 0.2 * 9.81 * t_roll, |dt| {
            let (sim, ball) = super::sphere::ball(shot);
            (flat(stepped(sim, after, dt).centre(ball)) - at).length()
        });
    }
}

fn plane(x: &[f64]) -> Vec3 {
    vec3(x[0], x[1], 0.0)
}

/// Without its height.
fn flat(x: Vec3) -> Vec3 {
    vec3(x.x, x.y, 0.0)
}

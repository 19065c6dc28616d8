//! p21: contacts that open. A ladder leaves its wall, a particle and a rolling ball leave a sphere.

use super::{close, events_until, first, first_order, problem, stepped};
use holonom::prelude::*;
use holonom::{Event, EventKind, EventPlace, ShapeId};

/// A rod of 2 m that leans on a wall (x = 0) and stands on a floor (y = 0), `theta` from the vertical; planar or rigid. Shapes: wall, floor, top, foot.
fn ladder(theta: f64, rigid: bool) -> (Simulation, BodyId, [ShapeId; 4]) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -9.81, 0.0]);
    let smooth = Material::smooth();
    let wall = m.shape(BodyId::GROUND.origin().along(Vec3::X), Shape::HalfSpace, smooth);
    let floor = m.shape(BodyId::GROUND.origin().along(Vec3::Y), Shape::HalfSpace, smooth);
    let (s, c) = theta.sin_cos();
    // the rod's x axis points up along it
    let angle = std::f64::consts::FRAC_PI_2 + theta;
    let rod = if rigid {
        let across = 1.0 / 3.0;
        let rod = Rigid::principal(1.0, [1e-3, across, across]).position([s, c, 0.0]);
        m.body("ladder", rod.orientation(Quat::from_rotation_z(angle)))
    } else {
        m.body("ladder", Planar::rod(1.0, 2.0).pose(s, c, angle))
    };
    let top = m.shape(rod.at([1.0, 0.0, 0.0]), Shape::Point, smooth);
    let foot = m.shape(rod.at([-1.0, 0.0, 0.0]), Shape::Point, smooth);
    (Simulation::build(m).unwrap(), rod, [wall, floor, top, foot])
}

/// Angle from the vertical and its rate.
fn lean(sim: &Simulation, rod: BodyId) -> (f64, f64) {
    let along = sim.axes(rod).unwrap().x_axis;
    ((-along.x).atan2(along.y), sim.spin(rod).unwrap().z)
}

/// The first event of a kind between two shapes.
fn between(events: &[Event], kind: EventKind, a: ShapeId, b: ShapeId) -> f64 {
    let here = |e: &&Event| match e.place {
        EventPlace::Contact { shapes, .. } => shapes == (a, b) || shapes == (b, a),
        _ => false,
    };
    events.iter().filter(|e| e.kind == kind).find(here).unwrap_or_else(|| panic!("{events:?}")).time
}

#[test]
fn a_ladder_leaves_its_wall() {
    let p = problem("p21");
    let known = |name: &str| p.scalar_of("ladder", name);
    for rigid in [false, true] {
        let (mut sim, rod, [wall, floor, top, foot]) = ladder(10f64.to_radians(), rigid);
        let energy = sim.energy().total();
        let events = events_until(&mut sim, 1.2);
        let leaves = between(&events, EventKind::Opens, wall, top);
        close(&format!("rigid {rigid} t_leave"), leaves, known("t_leave"), 1e-9);
        let flat = between(&events, EventKind::Impact, floor, top);
        close(&format!("rigid {rigid} t_flat"), flat, known("t_flat"), 1e-9);
        assert!(!events.iter().any(|e| e.kind == EventKind::Opens && e.time < flat && e.time != leaves), "{events:?}");

        let (mut sim, _, _) = ladder(10f64.to_radians(), rigid);
        sim.run_until(leaves).unwrap();
        let (theta, omega) = lean(&sim, rod);
        close(&format!("rigid {rigid} theta_leave"), theta, known("theta_leave"), 1e-8);
        close(&format!("rigid {rigid} omega_leave"), omega, known("omega_leave"), 1e-8);
        close(&format!("rigid {rigid} v_x at leaving"), sim.centre_velocity(rod).x, known("v_x"), 1e-9);
        let force = sim.contacts().unwrap().iter().map(|c| c.force.x).sum::<f64>();
        close(&format!("rigid {rigid} wall force at leaving"), force, 0.0, 1e-7);
        // just before it is flat, and what the last microsecond adds
        sim.run_until(flat - 1e-6).unwrap();
        close(&format!("rigid {rigid} v_x"), sim.centre_velocity(rod).x, known("v_x"), 1e-9);
        let alpha = if rigid { sim.accelerations().unwrap()[5] } else { sim.accelerations().unwrap()[2] };
        close(&format!("rigid {rigid} omega_flat"), lean(&sim, rod).1 + 1e-6 * alpha, known("omega_flat"), 1e-8);
        close(&format!("rigid {rigid} energy"), sim.energy().total(), energy, 1e-9);
        close(&format!("rigid {rigid} foot"), sim.point(rod.at([-1.0, 0.0, 0.0])).0.y, 0.0, 1e-14);
        let _ = foot;
        // it lies there afterwards, and slides on
        sim.run_until(2.0).unwrap();
        close(&format!("rigid {rigid} spin when flat"), lean(&sim, rod).1, 0.0, 1e-12);
        close(&format!("rigid {rigid} height when flat"), sim.centre(rod).y, 0.0, 1e-12);
        close(&format!("rigid {rigid} v_x when flat"), sim.centre_velocity(rod).x, known("v_x"), 1e-9);
    }
}

#[test]
fn a_ladder_stepped() {
    let p = problem("p21");
    let (mut exact, rod, _) = ladder(10f64.to_radians(), false);
    for t in [0.8, 1.05] {
        exact.run_until(t).unwrap();
        let known = lean(&exact, rod).0;
        first_order(&format!("lean at {t} s"), 2.0, |dt| {
            lean(&stepped(ladder(10f64.to_radians(), false).0, t, dt), rod).0 - known
        });
    }
    let sim = stepped(ladder(10f64.to_radians(), false).0, 1.05, 1e-3);
    close("v_x, stepped", sim.centre_velocity(rod).x, p.scalar_of("ladder", "v_x"), 1e-4);
}

/// Something at the top of a fixed sphere of radius 1: a particle without friction (radius 0), or a ball that rolls.
fn on_sphere(radius: f64, speed: f64, mu: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let material = Material::new(mu);
    m.shape(BodyId::GROUND.origin(), Shape::Sphere { radius: 1.0 }, material);
    let body = if radius > 0.0 {
        let ball = Rigid::ball(1.0, radius).position([0.0, 0.0, 1.0 + radius]);
        m.body("ball", ball.velocity([speed, 0.0, 0.0]).spin([0.0, speed / radius, 0.0]))
    } else {
        m.body("ball", Particle::new(1.0, [0.0, 0.0, 1.0]).velocity([speed, 0.0, 0.0]))
    };
    m.shape(body.origin(), if radius > 0.0 { Shape::Sphere { radius } } else { Shape::Point }, material);
    (Simulation::build(m).unwrap(), body)
}

/// Angle from the top, and its rate.
fn angle(sim: &Simulation, body: BodyId) -> (f64, f64) {
    let (x, v) = (sim.centre(body), sim.centre_velocity(body));
    (x.x.atan2(x.z), (x.z * v.x - x.x * v.z) / x.length_squared())
}

#[test]
fn a_particle_and_a_ball_leave_a_sphere() {
    let p = problem("p21");
    for (group, radius, speed, mu, allowed) in [("particle", 0.0, 0.5, 0.0, 1e-9), ("ball", 0.1, 0.3, 1e9, 1e-8)] {
        let known = |name: &str| p.scalar_of(group, name);
        let (mut sim, body) = on_sphere(radius, speed, mu);
        let energy = sim.energy().total();
        let events = events_until(&mut sim, 1.3);
        let leaves = first(&events, EventKind::Opens);
        close(&format!("{group} t"), leaves, known("t"), allowed);
        let (mut sim, _) = on_sphere(radius, speed, mu);
        sim.run_until(leaves).unwrap();
        let (theta, rate) = angle(&sim, body);
        close(&format!("{group} theta"), theta, known("theta"), allowed);
        close(&format!("{group} cos"), theta.cos(), known("cos"), allowed);
        close(&format!("{group} thetad"), rate, known("thetad"), 10.0 * allowed);
        if radius > 0.0 {
            let slip = sim.contacts().unwrap().iter().map(|c| c.slip.length()).fold(0.0, f64::max);
            close(&format!("{group} slip"), slip, 0.0, 1e-6);
        }
        // afterwards it flies
        let (x, v) = (sim.centre(body), sim.centre_velocity(body));
        sim.run_until(leaves + 0.3).unwrap();
        let flown = x + v * 0.3 - Vec3::Z * (0.5 * 9.81 * 0.09);
        close(&format!("{group} flight"), (sim.centre(body) - flown).length(), 0.0, 1e-11);
        close(&format!("{group} energy"), sim.energy().total(), energy, 1e-8);
        assert!(sim.contacts().unwrap().iter().all(|c| c.force == Vec3::ZERO));

        let at = 0.9 * known("t");
        let (mut exact, _) = on_sphere(radius, speed, mu);
        exact.run_until(at).unwrap();
        let theta = angle(&exact, body).0;
        first_order(&format!("{group} angle"), 1e-2, |dt| {
            angle(&stepped(on_sphere(radius, speed, mu).0, at, dt), body).0 - theta
        });
    }
}

//! p17 (c): a tall box on a ramp and on a platform that is accelerated. It tips just above the angle or the acceleration of the reference and not just below, and slides instead where friction is
//! small.

use super::{close, problem};
use holonom::functions::Polynomial;
use holonom::prelude::*;

const HALF: Vec3 = Vec3::new(0.1, 0.1, 0.3);

fn on_ramp(angle: f64, mu: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let n = vec3(angle.sin(), 0.0, angle.cos());
    m.shape(BodyId::GROUND.origin().along(n), Shape::HalfSpace, Material::new(mu));
    let start = Rigid::cuboid(1.0, HALF * 2.0).position(n * HALF.z).orientation(Quat::from_rotation_y(angle));
    let tall = m.body("tall", start);
    m.shape(tall.origin(), Shape::Box { half: HALF }, Material::new(mu));
    (Simulation::build(m).unwrap(), tall)
}

/// On a platform that is led along x with this acceleration from rest. The platform's top is a half-space, or the face of a box.
fn on_platform(acceleration: f64, mu: f64, face: bool) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let half = vec3(2.0, 1.0, 0.05);
    let platform = m.body("platform", Rigid::cuboid(5.0, half * 2.0).position([0.0, 0.0, -half.z]));
    let along = |body| m.marker(body, [0.0, 0.0, -half.z], [1.0, 0.0, 0.0]);
    let (a, b) = (along(BodyId::GROUND), along(platform));
    let slide = m.joint("slide", Prismatic::new(a, b));
    m.joint("drive", Motor::position(m.coordinate(slide, 0), Polynomial::new(&[0.0, 0.0, 0.5 * acceleration])));
    if face {
        m.shape(platform.origin(), Shape::Box { half }, Material::new(mu));
    } else {
        m.shape(platform.at([0.0, 0.0, half.z]), Shape::HalfSpace, Material::new(mu));
    }
    let tall = m.body("tall", Rigid::cuboid(1.0, HALF * 2.0).position([0.0, 0.0, HALF.z]));
    m.shape(tall.origin(), Shape::Box { half: HALF }, Material::new(mu));
    (Simulation::build(m).unwrap(), tall)
}

/// Moment of inertia about a lower edge.
fn about_edge() -> f64 {
    let square = HALF.x * HALF.x + HALF.z * HALF.z;
    square / 3.0 + square
}

fn spin(sim: &Simulation, body: BodyId) -> f64 {
    sim.spin(body).unwrap().y
}

const KINDS: [IntegratorKind; 2] =
    [IntegratorKind::Dop853 { relative: 1e-10, absolute: 1e-10 }, IntegratorKind::Stepping];

#[test]
fn a_tall_box_tips_on_a_steep_ramp() {
    let tip = problem("p17").scalar("tip_angle");
    for kind in KINDS {
        for below in [1e-6, 1e-3, 0.1] {
            let (mut sim, tall) = on_ramp(tip - below, 2.0);
            sim.set_integrator(kind);
            let start = sim.centre(tall);
            sim.run_until(1.0).unwrap();
            close(&format!("{kind:?} spin, {below} below"), spin(&sim, tall), 0.0, 1e-12);
            close(&format!("{kind:?} moved, {below} below"), (sim.centre(tall) - start).length(), 0.0, 1e-12);
        }
        for above in [1e-6, 1e-3, 0.1] {
            let (mut sim, tall) = on_ramp(tip + above, 2.0);
            sim.set_integrator(kind);
            // while the angle has hardly changed, the edge is a hinge: alpha = g sqrt(b² + h²) sin(above) / I; then it grows
            let alpha = 9.81 * HALF.x.hypot(HALF.z) * above.sin() / about_edge();
            let t = 0.01;
            sim.run_until(t).unwrap();
            close(&format!("{kind:?} spin, {above} above"), spin(&sim, tall) / t, alpha, 3e-3 * alpha);
            let (t, k) = (0.2, (9.81 * HALF.x.hypot(HALF.z) / about_edge()).sqrt());
            sim.run_until(t).unwrap();
            let grown = above * k * (k * t).sinh();
            close(&format!("{kind:?} spin grown, {above} above"), spin(&sim, tall), grown, 2e-2 * grown);
        }
    }
}

#[test]
fn a_tall_box_tips_on_an_accelerated_platform() {
    let tip = problem("p17").scalar("tip_platform_acceleration");
    for (kind, face) in [(KINDS[0], false), (KINDS[0], true), (KINDS[1], false), (KINDS[1], true)] {
        for below in [1e-6, 1e-3, 0.5] {
            let (mut sim, tall) = on_platform(tip - below, 2.0, face);
            sim.set_integrator(kind);
            let t = 0.5;
            sim.run_until(t).unwrap();
            close(&format!("{kind:?} {face} spin, {below} below"), spin(&sim, tall), 0.0, 1e-11);
            let speed = sim.centre_velocity(tall).x;
            close(&format!("{kind:?} {face} speed, {below} below"), speed, (tip - below) * t, 1e-10);
        }
        for above in [1e-6, 1e-3, 0.5] {
            let (mut sim, tall) = on_platform(tip + above, 2.0, face);
            sim.set_integrator(kind);
            // in the platform's frame: alpha = (h a - b g) / I about the rear edge, towards -x
            let alpha = HALF.z * above / about_edge();
            let t = 0.01;
            sim.run_until(t).unwrap();
            close(&format!("{kind:?} {face} spin, {above} above"), -spin(&sim, tall) / t, alpha, 3e-3 * alpha);
        }
    }
}

#[test]
fn a_tall_box_slides_where_friction_is_small() {
    let mu = 0.3;
    for kind in KINDS {
        let angle = problem("p17").scalar("tip_angle") + 0.05;
        let (mut sim, tall) = on_ramp(angle, mu);
        sim.set_integrator(kind);
        let t = 0.5;
        sim.run_until(t).unwrap();
        let a = 9.81 * (angle.sin() - mu * angle.cos());
        close(&format!("{kind:?} ramp speed"), sim.centre_velocity(tall).length(), a * t, 1e-10);
        close(&format!("{kind:?} ramp spin"), spin(&sim, tall), 0.0, 1e-11);
        for face in [false, true] {
            let (mut sim, tall) = on_platform(4.0, mu, face);
            sim.set_integrator(kind);
            sim.run_until(t).unwrap();
            close(&format!("{kind:?} {face} platform speed"), sim.centre_velocity(tall).x, mu * 9.81 * t, 1e-10);
            close(&format!("{kind:?} {face} platform spin"), spin(&sim, tall), 0.0, 1e-11);
        }
    }
}

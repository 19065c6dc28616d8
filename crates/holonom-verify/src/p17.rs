//! Block with dry friction: on a ramp, in all directions on the floor, tall enough to tip, and under balls. Blocks are
//! boxes on four corners.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::events::{first, sharp, threshold, watch};
use holonom::EventKind;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    ramp(p, compare)?;
    floor(p, compare)?;
    tall(p, compare)?;
    under_balls(p, compare)
}

/// A block with this friction and speed down the ramp of 30 degrees.
fn block(mu: f64, v: f64) -> Result<(Simulation, BodyId), VerifyError> {
    let loaded = sharp("p17-block", &[("mu", mu), ("v", v)], &[])?;
    let body = loaded.body("block")?;
    Ok((loaded.sim, body))
}

fn ramp(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("ramp");
    let acceleration = |mu: f64| -> Result<f64, VerifyError> { Ok(block(mu, 0.0)?.0.accelerations()?[0]) };
    // linear in mu while it slides
    let (a, b) = (acceleration(0.3)?, acceleration(0.5)?);
    compare.scalar("mu_critical_ramp", Some(0.3 + 0.2 * a / (a - b)), p.scalar("mu_critical_ramp"));
    let (mut sim, body) = block(p.scalar("mu_critical_ramp") * (1.0 + 1e-6), 0.0)?;
    sim.run_until(1.0)?;
    compare.at_most("speed just above the critical coefficient", &[sim.centre_velocity(body).length()], 1e-10);

    let (mut sim, body) = block(0.5, 0.0)?;
    sim.run_until(1.0)?;
    compare.scalar("a_slide", Some(sim.centre_velocity(body).x), p.scalar("a_slide"));
    let normal = sim.contacts()?.iter().map(|c| c.force.z).sum();
    compare.scalar("normal_force", Some(normal), p.scalar("normal_force"));

    let (mut sim, body) = block(0.5, -3.0)?;
    let turned = first(&watch(&mut sim, 0.5)?, EventKind::Slips);
    compare.scalar("t_up", turned, p.scalar("t_up"));
    sim.run_until(p.scalar("t_return"))?;
    let (way, speed) = (sim.centre(body).x, sim.centre_velocity(body).x);
    // how far it is off then tells how late it is
    compare.scalar("t_return", Some(p.scalar("t_return") - way / speed), p.scalar("t_return"));
    compare.scalar("v_return", Some(speed), p.scalar("v_return"));
    let (mut sim, body) = block(0.5, -3.0)?;
    sim.run_until(turned.unwrap_or(0.0))?;
    compare.scalar("s_up", Some(-sim.centre(body).x), p.scalar("s_up"));

    let (mut sim, body) = block(0.6, -3.0)?;
    sim.run_until(1.0)?;
    let (stopped, mut speeds) = (sim.centre(body), Vec::new());
    for k in 1..=60 {
        sim.run_until(1.0 + k as f64)?;
        speeds.push(sim.centre_velocity(body).length());
    }
    compare.at_most("speed while it sticks, mu = 0.6", &speeds, 1e-12);
    compare.at_most("creep in a minute, mu = 0.6", &[(sim.centre(body) - stopped).length()], 1e-11);
    Ok(())
}

fn floor(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("floor, 12 directions");
    let (mut times, mut ways, mut aside) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..12 {
        let way = 0.1 + 0.55 * k as f64;
        let loaded = sharp("p17-block", &[("slope", 0.0), ("v", 2.0), ("way", way)], &[])?;
        let body = loaded.body("block")?;
        let mut sim = loaded.sim;
        let (start, along) = (sim.centre(body), vec3(way.cos(), way.sin(), 0.0));
        times.push(first(&watch(&mut sim, 1.0)?, EventKind::Sticks).unwrap_or(f64::NAN));
        let gone = sim.centre(body) - start;
        ways.push(gone.dot(along));
        aside.push(gone.cross(along).length());
    }
    compare.constant("isotropy_stop_time", &times, p.scalar("isotropy_stop_time"));
    compare.constant("isotropy_stop_distance", &ways, p.scalar("isotropy_stop_distance"));
    compare.at_most("off the straight line", &aside, 1e-10);
    Ok(())
}

fn tall(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("tall box");
    // it tips where it begins to turn; without that it stays at rest on its support
    let tips = |name: &str, parameter: &str, value: f64| -> Result<bool, VerifyError> {
        let loaded = sharp(name, &[(parameter, value)], &[])?;
        let n = loaded.sim.accelerations()?.len();
        Ok(loaded.sim.accelerations()?[n - 3..].iter().any(|w| w.abs() > 1e-9))
    };
    let angle = threshold(0.1, 0.6, |slope| tips("p17-tall-box", "slope", slope))?;
    compare.scalar("tip_angle", Some(angle), p.scalar("tip_angle"));
    let acceleration = threshold(1.0, 6.0, |a| tips("p17-platform", "a", a))?;
    compare.scalar("tip_platform_acceleration", Some(acceleration), p.scalar("tip_platform_acceleration"));

    let mu = 0.3;
    let slope = p.scalar("tip_angle") + 0.05;
    let mut loaded = sharp("p17-tall-box", &[("slope", slope), ("mu", mu)], &[])?;
    let body = loaded.body("box")?;
    loaded.sim.run_until(0.5)?;
    let (sin, cos) = slope.sin_cos();
    let slides = 0.5 * p.parameter("g") * (sin - mu * cos);
    compare.scalar("slides on the ramp where mu < b/h, speed", Some(loaded.sim.centre_velocity(body).x), slides);
    compare.at_most("slides on the ramp, spin", &[loaded.sim.spin(body).map_or(f64::NAN, |w| w.length())], 1e-9);
    let mut loaded = sharp("p17-platform", &[("a", 4.0), ("mu", mu)], &[])?;
    let body = loaded.body("box")?;
    loaded.sim.run_until(0.5)?;
    let slides = 0.5 * mu * p.parameter("g");
    compare.scalar("slides on the platform where mu < b/h, speed", Some(loaded.sim.centre_velocity(body).x), slides);
    compare.at_most("slides on the platform, spin", &[loaded.sim.spin(body).map_or(f64::NAN, |w| w.length())], 1e-9);
    Ok(())
}

fn under_balls(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, integrator) in
        [("box under balls, events", IntegratorKind::default()), ("box under balls, stepped", IntegratorKind::Stepping)]
    {
        compare.variant(name);
        let mut loaded = super::scenes::load("p17-box-under-balls", &[])?;
        let sim = &mut loaded.sim;
        sim.set_integrator(integrator);
        let along = vec3(1.0, 1.0, 0.0) / 2f64.sqrt();
        let t = 0.1;
        sim.run_until(t)?;
        let speed = |sim: &Simulation, k: usize| sim.centre_velocity(BodyId::from_index(k)).dot(along);
        compare.scalar("simbench_a_box", Some(speed(sim, 0) / t), p.scalar("simbench_a_box"));
        let balls: Vec<f64> = (1..=25).map(|k| speed(sim, k) / t).collect();
        compare.constant("simbench_a_ball", &balls, p.scalar("simbench_a_ball"));
    }
    Ok(())
}

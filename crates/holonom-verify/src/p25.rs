//! Gears, ropes, racks and screws: accelerations and forces at the start, then in motion over several turns, with the
//! relation between turns and lengths kept to the end. Everything is held to 1e-10, the reference's demand on rates and
//! accelerations (on forces it asks for 1e-6).
//!
//! Wheels turn about z but for the Atwood machine, whose drum turns about y: gravity is along - z. The planetary train
//! and the differential are made of wheels on bearings that mesh; nothing knows their ratios.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use holonom::JointId;
use holonom::prelude::*;
use std::f64::consts::TAU;

const LIMIT: f64 = 1e-10;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let parts: [(&'static str, crate::Run); 9] = [
        ("Atwood", atwood),
        ("movable pulley", movable_pulley),
        ("screw", screw),
        ("rack", rack),
        ("gear pair", gear_pair),
        ("helical gear", helical),
        ("planetary, one planet", |p, compare| planetary(p, compare, 1)),
        ("planetary, three planets", |p, compare| planetary(p, compare, 3)),
        ("bevel differential", differential),
    ];
    for (name, part) in parts {
        compare.variant(name);
        let mut result = Ok(());
        compare.held_to(LIMIT, |compare| result = part(p, compare));
        result?;
    }
    Ok(())
}

/// Acceleration of a body: of its centre, or angular.
fn acceleration(sim: &mut Simulation, body: BodyId) -> Result<(Vec3, Vec3), StepError> {
    let range = sim.model().v_range(body);
    let a = &sim.accelerations()?[range];
    let angular = if a.len() > 3 { vec3(a[3], a[4], a[5]) } else { Vec3::ZERO };
    Ok((vec3(a[0], a[1], a[2]), angular))
}

fn multiplier(sim: &mut Simulation, joint: JointId) -> Result<f64, StepError> {
    let row = sim.model().rows_of(joint).start;
    Ok(sim.multipliers()?[row])
}

/// Value (turns counted) and rate of a joint's coordinate.
fn coordinate(sim: &mut Simulation, joint: JointId, i: usize) -> (f64, f64) {
    sim.coordinate(joint, i).unwrap_or((f64::NAN, f64::NAN))
}

/// Run with twenty looks, at all of which `residuals` should vanish, and count the turns of `counter` at the end.
fn in_motion<const N: usize>(
    compare: &mut Comparison,
    sim: Simulation,
    end: f64,
    names: [&str; N],
    (counter, i): (JointId, usize),
    mut residuals: impl FnMut(&mut Simulation) -> [f64; N],
) -> Result<(), VerifyError> {
    let mut sampled = SampledRun::run(sim, (0..=20).map(|k| end * k as f64 / 20.0))?;
    let found = sampled.read(&mut residuals);
    for (k, name) in names.iter().enumerate() {
        compare.at_most(name, &found.iter().map(|row| row[k]).collect::<Vec<_>>(), LIMIT);
    }
    compare.at_most("joint gap", &sampled.gaps(), LIMIT);
    let turns = sampled.read(|sim| coordinate(sim, counter, i).0 / TAU);
    // a run that stands still proves nothing
    let most = turns.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    compare.at_most("turns short of three", &[(3.0 - most).max(0.0)], LIMIT);
    Ok(())
}

fn atwood(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-atwood", &[])?;
    let (heavy, light) = (loaded.body("heavy")?, loaded.body("light")?);
    let bearing = loaded.joint("bearing")?;
    let ropes = [loaded.joint("heavy rope")?, loaded.joint("light rope")?];
    let radius = loaded.parameter("R")?;
    let mut sim = loaded.sim;
    compare.scalar("atwood_a", Some(-acceleration(&mut sim, heavy)?.0.z), p.scalar("atwood_a"));
    compare.scalar("atwood_a, light side", Some(acceleration(&mut sim, light)?.0.z), p.scalar("atwood_a"));
    compare.scalar("atwood_T1", Some(-multiplier(&mut sim, ropes[0])?), p.scalar("atwood_T1"));
    compare.scalar("atwood_T2", Some(-multiplier(&mut sim, ropes[1])?), p.scalar("atwood_T2"));
    let a = p.scalar("atwood_a");
    in_motion(compare, sim, 2.0, ["fall", "turn of the drum", "sway"], (bearing, 0), |sim| {
        let (t, turn) = (sim.time(), coordinate(sim, bearing, 0).0);
        let (high, low) = (sim.centre(light), sim.centre(heavy));
        [
            low.z + 1.0 + 0.5 * a * t * t,
            radius * turn - 0.5 * a * t * t,
            (high.x + radius).abs() + (low.x - radius).abs(),
        ]
    })
}

fn movable_pulley(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-movable-pulley", &[])?;
    let (load, weight) = (loaded.body("load")?, loaded.body("weight")?);
    let mut sim = loaded.sim;
    // the reference counts downwards
    let (down, other) = (-acceleration(&mut sim, load)?.0.z, acceleration(&mut sim, weight)?.0.z);
    compare.scalar("movable_pulley_a", Some(down), p.scalar("movable_pulley_a"));
    compare.scalar("weight against load", Some(other / down), 2.0);
    let mut sampled = SampledRun::run(sim, (0..=20).map(|k| 0.05 * k as f64))?;
    let a = p.scalar("movable_pulley_a");
    let off = sampled.read(|sim| {
        let s = 0.5 * a * sim.time() * sim.time();
        (sim.centre(load).z + 3.0 + s).abs() + (sim.centre(weight).z + 1.0 - 2.0 * s).abs()
    });
    compare.at_most("way of both", &off, LIMIT);
    compare.at_most("joint gap", &sampled.gaps(), LIMIT);
    Ok(())
}

fn screw(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-screw", &[])?;
    let (nut, thread) = (loaded.body("nut")?, loaded.joint("thread")?);
    let lead = loaded.parameter("lead")?;
    let mut sim = loaded.sim;
    let (linear, angular) = acceleration(&mut sim, nut)?;
    compare.scalar("screw_a", Some(-linear.z), p.scalar("screw_a"));
    compare.scalar("turn per way", Some(angular.z / linear.z * lead / TAU), 1.0);
    let a = p.scalar("screw_a");
    in_motion(compare, sim, 2.0, ["fall", "turns per way", "rate"], (thread, 1), |sim| {
        let ((offset, speed), (turn, rate)) = (coordinate(sim, thread, 0), coordinate(sim, thread, 1));
        [offset + 0.5 * a * sim.time() * sim.time(), offset - lead / TAU * turn, speed - lead / TAU * rate]
    })
}

fn rack(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-rack", &[])?;
    let (bar, radius) = (loaded.body("rack")?, loaded.parameter("R")?);
    let (bearing, slide, teeth) = (loaded.joint("bearing")?, loaded.joint("slide")?, loaded.joint("teeth")?);
    let mut sim = loaded.sim;
    let a = p.scalar("rack_a");
    compare.scalar("rack_a", Some(acceleration(&mut sim, bar)?.0.x), a);
    compare.scalar("tooth force", Some(-multiplier(&mut sim, teeth)?), 2.0 * a);
    in_motion(compare, sim, 1.5, ["way", "turns per way", "rate"], (bearing, 0), |sim| {
        let ((offset, speed), (turn, rate)) = (coordinate(sim, slide, 0), coordinate(sim, bearing, 0));
        [offset - 0.5 * a * sim.time() * sim.time(), offset - radius * turn, speed - radius * rate]
    })
}

fn gear_pair(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-gear-pair", &[])?;
    let (one, two) = (loaded.body("wheel 1")?, loaded.body("wheel 2")?);
    let (first, second) = (loaded.joint("bearing 1")?, loaded.joint("bearing 2")?);
    let (teeth, r2) = (loaded.joint("teeth")?, loaded.parameter("R2")?);
    let mut sim = loaded.sim;
    let alpha = p.scalar("gear_alpha1");
    compare.scalar("gear_alpha1", Some(acceleration(&mut sim, one)?.1.z), alpha);
    compare.scalar("alpha2 / alpha1", Some(acceleration(&mut sim, two)?.1.z / alpha), -0.5);
    // what turns the second wheel: J2 alpha2 / r2
    compare.scalar("tooth force", Some(multiplier(&mut sim, teeth)?), 0.4 * 0.5 * alpha / r2);
    in_motion(compare, sim, 10.0, ["phase", "ratio of rates"], (first, 0), |sim| {
        let ((a1, w1), (a2, w2)) = (coordinate(sim, first, 0), coordinate(sim, second, 0));
        [a1 + 2.0 * a2, w1 + 2.0 * w2]
    })
}

/// The driven wheel on a bearing, the other one welded to the ground: both feel the whole tooth force.
fn helical(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-helical-gear", &[])?;
    let (bearing, weld, teeth) = (loaded.joint("bearing")?, loaded.joint("weld")?, loaded.joint("teeth")?);
    let (torque, r_a) = (loaded.parameter("torque")?, loaded.parameter("R")?);
    let at = vec3(r_a + loaded.parameter("R_locked")?, 0.0, 0.0);
    let mut sim = loaded.sim;
    let [pt, pr, pa] = ["helical_Pt", "helical_Pr", "helical_Pa"].map(|name| p.scalar(name));
    compare.scalar("helical_Pt", Some(multiplier(&mut sim, teeth)?), pt);
    // forward turning pushes the other wheel along y, away along x, and right-handed teeth push it along - z
    let force = sim.reaction(teeth)?.force;
    compare.scalar("helical_Pr", Some(force.x), pr);
    compare.scalar("helical_Pa", Some(-force.z), pa);
    // the bearing feels the same, and what tilts the wheel: the force acts at its rim
    let rim = vec3(r_a, 0.0, 0.0);
    let held = sim.reaction(bearing)?;
    let tooth = vec3(pr, pt, -pa);
    let moment = rim.cross(tooth) - vec3(0.0, 0.0, torque);
    compare.series("force on the bearing", &held.force.to_array(), &tooth.to_array());
    compare.series("moment on the bearing", &held.torque.to_array(), &moment.to_array());
    // and the weld that holds the other wheel
    let held = sim.reaction(weld)?;
    compare.series("force on the weld", &held.force.to_array(), &(-tooth).to_array());
    compare.series("moment on the weld", &held.torque.to_array(), &(rim - at).cross(-tooth).to_array());
    Ok(())
}

fn planetary(p: &Reference, compare: &mut Comparison, planets: usize) -> Result<(), VerifyError> {
    let loaded = load("p25-planetary", &[("planets", planets as f64)])?;
    let (sun, carrier, planet) = (loaded.body("sun")?, loaded.body("carrier")?, loaded.body("planet/1")?);
    let (of_sun, of_carrier) = (loaded.joint("sun bearing")?, loaded.joint("carrier bearing")?);
    let (of_planet, arm) = (loaded.joint("planet bearing/1")?, loaded.parameter("arm")?);
    let mut sim = loaded.sim;
    let (to_carrier, to_planet) = (p.scalar("planetary_carrier_ratio"), p.scalar("planetary_planet_ratio"));
    let turning = acceleration(&mut sim, sun)?.1.z;
    let found = [acceleration(&mut sim, carrier)?.1.z / turning, acceleration(&mut sim, planet)?.1.z / turning];
    compare.scalar("planetary_carrier_ratio", Some(found[0]), to_carrier);
    compare.scalar("planetary_planet_ratio", Some(found[1]), to_planet);
    // torques through the ratios, against the moments of all wheels: planets weigh 1 kg and go round with the carrier
    let round = 0.05 + planets as f64 * arm * arm;
    let moment = 0.01 + round * to_carrier * to_carrier + planets as f64 * 0.002 * to_planet * to_planet;
    compare.scalar("acceleration of the sun", Some(turning), (1.0 - to_carrier) / moment);
    in_motion(compare, sim, 3.0, ["carrier", "planet", "carrier's rate", "planet's rate"], (of_carrier, 0), |sim| {
        let [(a, w), (b, u), (c, z)] = [of_sun, of_carrier, of_planet].map(|joint| coordinate(sim, joint, 0));
        // the planet's bearing turns with the carrier
        [b - to_carrier * a, b + c - to_planet * a, u - to_carrier * w, u + z - to_planet * w]
    })
}

/// Side wheels and a cross wheel on a carrier; different torques on the two sides.
fn differential(_: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let loaded = load("p25-bevel-differential", &[])?;
    let [left, right, carrier] = [loaded.body("left")?, loaded.body("right")?, loaded.body("carrier")?];
    let (of_left, of_right) = (loaded.joint("left bearing")?, loaded.joint("right bearing")?);
    let of_carrier = loaded.joint("carrier bearing")?;
    let mut sim = loaded.sim;
    let turning = [left, right, carrier].map(|body| acceleration(&mut sim, body).map_or(f64::NAN, |a| a.1.x));
    compare.scalar("mean of the sides", Some(0.5 * (turning[0] + turning[1]) - turning[2]), 0.0);
    in_motion(compare, sim, 6.0, ["turns", "rates"], (of_carrier, 0), |sim| {
        let [(a, w), (b, u), (c, z)] = [of_left, of_right, of_carrier].map(|joint| coordinate(sim, joint, 0));
        [a + b - 2.0 * c, w + u - 2.0 * z]
    })
}

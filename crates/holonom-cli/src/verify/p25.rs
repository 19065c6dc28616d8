//! Gears, ropes, racks and screws: accelerations and forces at the start, then in motion over several turns, with the relation between turns and
//! lengths kept to the end. Everything is held to 1e-10, the reference's demand on rates and accelerations (on forces it asks for 1e-6).
//!
//! Wheels turn about z but for the Atwood machine, whose drum turns about y: gravity is along - z. The planetary train and the differential are
//! made of wheels on bearings that mesh; nothing knows their ratios.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::Track;
use holonom::JointId;
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::TAU;

const LIMIT: f64 = 1e-10;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let parts: [(&'static str, super::Run); 9] = [
        ("Atwood", atwood),
        ("movable pulley", movable_pulley),
        ("screw", screw),
        ("rack", rack),
        ("gear pair", gear_pair),
        ("helical gear", helical),
        ("planetary, one planet", |p, book| planetary(p, book, 1)),
        ("planetary, three planets", |p, book| planetary(p, book, 3)),
        ("bevel differential", differential),
    ];
    for (name, part) in parts {
        book.variant(name);
        let mut result = Ok(());
        book.held_to(LIMIT, |book| result = part(p, book));
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
    book: &mut Book,
    sim: Simulation,
    end: f64,
    names: [&str; N],
    (counter, i): (JointId, usize),
    mut residuals: impl FnMut(&mut Simulation) -> [f64; N],
) -> Result<(), Stop> {
    let mut track = Track::run(sim, (0..=20).map(|k| end * k as f64 / 20.0))?;
    let found = track.read(&mut residuals);
    for (k, name) in names.iter().enumerate() {
        book.at_most(name, &found.iter().map(|row| row[k]).collect::<Vec<_>>(), LIMIT);
    }
    book.at_most("joint gap", &track.gaps(), LIMIT);
    let turns = track.read(|sim| coordinate(sim, counter, i).0 / TAU);
    // a run that stands still proves nothing
    let most = turns.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    book.at_most("turns short of three", &[(3.0 - most).max(0.0)], LIMIT);
    Ok(())
}

fn atwood(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-atwood", &[])?;
    let (heavy, light) = (staged.body("heavy")?, staged.body("light")?);
    let bearing = staged.joint("bearing")?;
    let ropes = [staged.joint("heavy rope")?, staged.joint("light rope")?];
    let radius = staged.parameter("R")?;
    let mut sim = staged.sim;
    book.scalar("atwood_a", Some(-acceleration(&mut sim, heavy)?.0.z), p.scalar("atwood_a"));
    book.scalar("atwood_a, light side", Some(acceleration(&mut sim, light)?.0.z), p.scalar("atwood_a"));
    book.scalar("atwood_T1", Some(-multiplier(&mut sim, ropes[0])?), p.scalar("atwood_T1"));
    book.scalar("atwood_T2", Some(-multiplier(&mut sim, ropes[1])?), p.scalar("atwood_T2"));
    let a = p.scalar("atwood_a");
    in_motion(book, sim, 2.0, ["fall", "turn of the drum", "sway"], (bearing, 0), |sim| {
        let (t, turn) = (sim.time(), coordinate(sim, bearing, 0).0);
        let (high, low) = (sim.centre(light), sim.centre(heavy));
        [
            low.z + 1.0 + 0.5 * a * t * t,
            radius * turn - 0.5 * a * t * t,
            (high.x + radius).abs() + (low.x - radius).abs(),
        ]
    })
}

fn movable_pulley(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-movable-pulley", &[])?;
    let (load, weight) = (staged.body("load")?, staged.body("weight")?);
    let mut sim = staged.sim;
    // the reference counts downwards
    let (down, other) = (-acceleration(&mut sim, load)?.0.z, acceleration(&mut sim, weight)?.0.z);
    book.scalar("movable_pulley_a", Some(down), p.scalar("movable_pulley_a"));
    book.scalar("weight against load", Some(other / down), 2.0);
    let mut track = Track::run(sim, (0..=20).map(|k| 0.05 * k as f64))?;
    let a = p.scalar("movable_pulley_a");
    let off = track.read(|sim| {
        let s = 0.5 * a * sim.time() * sim.time();
        (sim.centre(load).z + 3.0 + s).abs() + (sim.centre(weight).z + 1.0 - 2.0 * s).abs()
    });
    book.at_most("way of both", &off, LIMIT);
    book.at_most("joint gap", &track.gaps(), LIMIT);
    Ok(())
}

fn screw(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-screw", &[])?;
    let (nut, thread) = (staged.body("nut")?, staged.joint("thread")?);
    let lead = staged.parameter("lead")?;
    let mut sim = staged.sim;
    let (linear, angular) = acceleration(&mut sim, nut)?;
    book.scalar("screw_a", Some(-linear.z), p.scalar("screw_a"));
    book.scalar("turn per way", Some(angular.z / linear.z * lead / TAU), 1.0);
    let a = p.scalar("screw_a");
    in_motion(book, sim, 2.0, ["fall", "turns per way", "rate"], (thread, 1), |sim| {
        let ((offset, speed), (turn, rate)) = (coordinate(sim, thread, 0), coordinate(sim, thread, 1));
        [offset + 0.5 * a * sim.time() * sim.time(), offset - lead / TAU * turn, speed - lead / TAU * rate]
    })
}

fn rack(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-rack", &[])?;
    let (bar, radius) = (staged.body("rack")?, staged.parameter("R")?);
    let (bearing, slide, teeth) = (staged.joint("bearing")?, staged.joint("slide")?, staged.joint("teeth")?);
    let mut sim = staged.sim;
    let a = p.scalar("rack_a");
    book.scalar("rack_a", Some(acceleration(&mut sim, bar)?.0.x), a);
    book.scalar("tooth force", Some(-multiplier(&mut sim, teeth)?), 2.0 * a);
    in_motion(book, sim, 1.5, ["way", "turns per way", "rate"], (bearing, 0), |sim| {
        let ((offset, speed), (turn, rate)) = (coordinate(sim, slide, 0), coordinate(sim, bearing, 0));
        [offset - 0.5 * a * sim.time() * sim.time(), offset - radius * turn, speed - radius * rate]
    })
}

fn gear_pair(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-gear-pair", &[])?;
    let (one, two) = (staged.body("wheel 1")?, staged.body("wheel 2")?);
    let (first, second) = (staged.joint("bearing 1")?, staged.joint("bearing 2")?);
    let (teeth, r2) = (staged.joint("teeth")?, staged.parameter("R2")?);
    let mut sim = staged.sim;
    let alpha = p.scalar("gear_alpha1");
    book.scalar("gear_alpha1", Some(acceleration(&mut sim, one)?.1.z), alpha);
    book.scalar("alpha2 / alpha1", Some(acceleration(&mut sim, two)?.1.z / alpha), -0.5);
    // what turns the second wheel: J2 alpha2 / r2
    book.scalar("tooth force", Some(multiplier(&mut sim, teeth)?), 0.4 * 0.5 * alpha / r2);
    in_motion(book, sim, 10.0, ["phase", "ratio of rates"], (first, 0), |sim| {
        let ((a1, w1), (a2, w2)) = (coordinate(sim, first, 0), coordinate(sim, second, 0));
        [a1 + 2.0 * a2, w1 + 2.0 * w2]
    })
}

/// The driven wheel on a bearing, the other one welded to the ground: both feel the whole tooth force.
fn helical(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-helical-gear", &[])?;
    let (bearing, weld, teeth) = (staged.joint("bearing")?, staged.joint("weld")?, staged.joint("teeth")?);
    let (torque, r_a) = (staged.parameter("torque")?, staged.parameter("R")?);
    let at = vec3(r_a + staged.parameter("R_locked")?, 0.0, 0.0);
    let mut sim = staged.sim;
    let [pt, pr, pa] = ["helical_Pt", "helical_Pr", "helical_Pa"].map(|name| p.scalar(name));
    book.scalar("helical_Pt", Some(multiplier(&mut sim, teeth)?), pt);
    // forward turning pushes the other wheel along y, away along x, and right-handed teeth push it along - z
    let force = sim.reaction(teeth)?.force;
    book.scalar("helical_Pr", Some(force.x), pr);
    book.scalar("helical_Pa", Some(-force.z), pa);
    // the bearing feels the same, and what tilts the wheel: the force acts at its rim
    let rim = vec3(r_a, 0.0, 0.0);
    let held = sim.reaction(bearing)?;
    let tooth = vec3(pr, pt, -pa);
    let moment = rim.cross(tooth) - vec3(0.0, 0.0, torque);
    book.series("force on the bearing", &held.force.to_array(), &tooth.to_array());
    book.series("moment on the bearing", &held.torque.to_array(), &moment.to_array());
    // and the weld that holds the other wheel
    let held = sim.reaction(weld)?;
    book.series("force on the weld", &held.force.to_array(), &(-tooth).to_array());
    book.series("moment on the weld", &held.torque.to_array(), &(rim - at).cross(-tooth).to_array());
    Ok(())
}

fn planetary(p: &Problem, book: &mut Book, planets: usize) -> Result<(), Stop> {
    let staged = stage("p25-planetary", &[("planets", planets as f64)])?;
    let (sun, carrier, planet) = (staged.body("sun")?, staged.body("carrier")?, staged.body("planet/1")?);
    let (of_sun, of_carrier) = (staged.joint("sun bearing")?, staged.joint("carrier bearing")?);
    let (of_planet, arm) = (staged.joint("planet bearing/1")?, staged.parameter("arm")?);
    let mut sim = staged.sim;
    let (to_carrier, to_planet) = (p.scalar("planetary_carrier_ratio"), p.scalar("planetary_planet_ratio"));
    let turning = acceleration(&mut sim, sun)?.1.z;
    let found = [acceleration(&mut sim, carrier)?.1.z / turning, acceleration(&mut sim, planet)?.1.z / turning];
    book.scalar("planetary_carrier_ratio", Some(found[0]), to_carrier);
    book.scalar("planetary_planet_ratio", Some(found[1]), to_planet);
    // torques through the ratios, against the moments of all wheels: planets weigh 1 kg and go round with the carrier
    let round = 0.05 + planets as f64 * arm * arm;
    let moment = 0.01 + round * to_carrier * to_carrier + planets as f64 * 0.002 * to_planet * to_planet;
    book.scalar("acceleration of the sun", Some(turning), (1.0 - to_carrier) / moment);
    in_motion(book, sim, 3.0, ["carrier", "planet", "carrier's rate", "planet's rate"], (of_carrier, 0), |sim| {
        let [(a, w), (b, u), (c, z)] = [of_sun, of_carrier, of_planet].map(|joint| coordinate(sim, joint, 0));
        // the planet's bearing turns with the carrier
        [b - to_carrier * a, b + c - to_planet * a, u - to_carrier * w, u + z - to_planet * w]
    })
}

/// Side wheels and a cross wheel on a carrier; different torques on the two sides.
fn differential(_: &Problem, book: &mut Book) -> Result<(), Stop> {
    let staged = stage("p25-bevel-differential", &[])?;
    let [left, right, carrier] = [staged.body("left")?, staged.body("right")?, staged.body("carrier")?];
    let (of_left, of_right) = (staged.joint("left bearing")?, staged.joint("right bearing")?);
    let of_carrier = staged.joint("carrier bearing")?;
    let mut sim = staged.sim;
    let turning = [left, right, carrier].map(|body| acceleration(&mut sim, body).map_or(f64::NAN, |a| a.1.x));
    book.scalar("mean of the sides", Some(0.5 * (turning[0] + turning[1]) - turning[2]), 0.0);
    in_motion(book, sim, 6.0, ["turns", "rates"], (of_carrier, 0), |sim| {
        let [(a, w), (b, u), (c, z)] = [of_left, of_right, of_carrier].map(|joint| coordinate(sim, joint, 0));
        [a + b - 2.0 * c, w + u - 2.0 * z]
    })
}

//! Gears, ropes, racks and screws: accelerations and forces at the start, then in motion over several turns, with the relation between turns and
//! lengths kept to the end. Everything is held to 1e-10, the reference's demand on rates and accelerations (on forces it asks for 1e-6).
//!
//! Wheels turn about z but for the Atwood machine, whose drum turns about y: gravity is along - z. The planetary train and the differential are
//! made of wheels on bearings that mesh; nothing knows their ratios.

use super::book::{Book, Stop};
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

/// A wheel on a bearing of `base`, at this point of it; both turn about `axis`, and their axes are parallel at the start.
fn wheel(m: &mut ModelBuilder, name: &str, moment: f64, base: Marker, at: Vec3, axis: Vec3) -> (BodyId, JointId) {
    let body = m.body(name, Rigid::principal(1.0, Vec3::splat(moment)).position(at));
    let bearing = m.joint(format!("bearing of {name}"), Revolute::new(base.along(axis), body.origin().along(axis)));
    (body, bearing)
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
    let (radius, axis) = (0.1, Vec3::Y);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    let (drum, bearing) = wheel(&mut m, "drum", 0.02, BodyId::GROUND.origin(), Vec3::ZERO, axis);
    let heavy = m.body("heavy", Particle::new(3.0, [radius, 0.0, -1.0]));
    let light = m.body("light", Particle::new(2.0, [-radius, 0.0, -5.0]));
    let at = drum.origin().along(axis);
    let ropes = [
        m.joint("rope to the heavy one", Winch::new(at, heavy.origin(), radius).other_side()),
        m.joint("rope to the light one", Winch::new(at, light.origin(), radius)),
    ];
    let mut sim = Simulation::build(m)?;
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
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    let load = m.body("load", Particle::new(2.0, [0.0, 0.0, -3.0]));
    let weight = m.body("weight", Particle::new(1.5, [1.0, 0.0, -1.0]));
    let (beam, pulley) = (BodyId::GROUND.origin(), BodyId::GROUND.at([1.0, 0.0, 0.0]));
    m.joint("rope", Reeving::new([beam, load.origin(), beam, pulley, weight.origin()]));
    let mut sim = Simulation::build(m)?;
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
    let lead = 0.02;
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    let nut = m.body("nut", Rigid::principal(1.0, Vec3::splat(0.002)));
    let thread = m.joint("thread", Screw::new(BodyId::GROUND.origin(), nut.origin(), lead));
    let mut sim = Simulation::build(m)?;
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
    let radius = 0.05;
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    let centre = vec3(0.0, radius, 0.0);
    let (pinion, bearing) = wheel(&mut m, "pinion", 0.01, BodyId::GROUND.at(centre), centre, Vec3::Z);
    let bar = m.body("rack", Rigid::principal(2.0, [0.01, 0.1, 0.1]));
    let slide = m.joint("slide", Prismatic::new(BodyId::GROUND.origin().along(Vec3::X), bar.origin().along(Vec3::X)));
    let teeth = m.joint("teeth", RackAndPinion::new(pinion.origin(), bar.origin(), radius));
    m.force("torque", Torque::new(pinion, [0.0, 0.0, 0.5]));
    let mut sim = Simulation::build(m)?;
    let a = p.scalar("rack_a");
    book.scalar("rack_a", Some(acceleration(&mut sim, bar)?.0.x), a);
    book.scalar("tooth force", Some(-multiplier(&mut sim, teeth)?), 2.0 * a);
    in_motion(book, sim, 1.5, ["way", "turns per way", "rate"], (bearing, 0), |sim| {
        let ((offset, speed), (turn, rate)) = (coordinate(sim, slide, 0), coordinate(sim, bearing, 0));
        [offset - 0.5 * a * sim.time() * sim.time(), offset - radius * turn, speed - radius * rate]
    })
}

fn gear_pair(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (r1, r2) = (0.1, 0.2);
    let mut m = ModelBuilder::new();
    let at = vec3(r1 + r2, 0.0, 0.0);
    let (one, first) = wheel(&mut m, "wheel 1", 0.1, BodyId::GROUND.origin(), Vec3::ZERO, Vec3::Z);
    let (two, second) = wheel(&mut m, "wheel 2", 0.4, BodyId::GROUND.at(at), at, Vec3::Z);
    let teeth = m.joint("teeth", Gear::external(one.origin(), two.origin(), r1, r2));
    m.force("torque", Torque::new(one, [0.0, 0.0, 1.0]));
    let mut sim = Simulation::build(m)?;
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
    let (torque, r_a, r_b) = (1000.0, 2.0, 1.0);
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let at = vec3(r_a + r_b, 0.0, 0.0);
    let (driven, bearing) = wheel(&mut m, "driven", 1.0, BodyId::GROUND.origin(), Vec3::ZERO, Vec3::Z);
    let locked = m.body("locked", Rigid::principal(1.0, Vec3::ONE).position(at));
    let weld = m.joint("weld", Weld::new(BodyId::GROUND.at(at), locked.origin()));
    let gear = Gear::external(driven.origin(), locked.origin(), r_a, r_b);
    let teeth = m.joint("teeth", gear.pressure_angle(20f64.to_radians()).helix(10f64.to_radians()));
    m.force("torque", Torque::new(driven, [0.0, 0.0, torque]));
    let mut sim = Simulation::build(m)?;
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
    let (r_sun, r_planet) = (0.1, 0.05);
    let (r_ring, arm) = (r_sun + 2.0 * r_planet, r_sun + r_planet);
    let ground = BodyId::GROUND.origin();
    let mut m = ModelBuilder::new();
    let (sun, of_sun) = wheel(&mut m, "sun", 0.01, ground, Vec3::ZERO, Vec3::Z);
    let (carrier, of_carrier) = wheel(&mut m, "carrier", 0.05, ground, Vec3::ZERO, Vec3::Z);
    let mut first = None;
    for k in 0..planets {
        let (s, c) = (TAU * k as f64 / planets as f64).sin_cos();
        let at = vec3(c, s, 0.0) * arm;
        let (planet, bearing) = wheel(&mut m, &format!("planet {k}"), 0.002, carrier.at(at), at, Vec3::Z);
        m.joint(format!("sun and planet {k}"), Gear::external(sun.origin(), planet.origin(), r_sun, r_planet));
        m.joint(format!("planet {k} and ring"), Gear::internal(planet.origin(), ground, r_planet, r_ring));
        first.get_or_insert((planet, bearing));
    }
    let Some((planet, of_planet)) = first else { return Ok(()) };
    m.force("torque", Torque::new(sun, [0.0, 0.0, 1.0]));
    m.force("load", Torque::new(carrier, [0.0, 0.0, -1.0]));
    let mut sim = Simulation::build(m)?;
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
    let (r_side, r_cross) = (0.1, 0.06);
    let ground = BodyId::GROUND.origin();
    let mut m = ModelBuilder::new();
    let (left, of_left) = wheel(&mut m, "left", 0.01, ground, Vec3::ZERO, Vec3::X);
    let (right, of_right) = wheel(&mut m, "right", 0.02, ground, Vec3::ZERO, Vec3::X);
    let (carrier, of_carrier) = wheel(&mut m, "carrier", 0.05, ground, Vec3::ZERO, Vec3::X);
    let (cross, _) = wheel(&mut m, "cross", 0.003, carrier.origin(), Vec3::ZERO, Vec3::Z);
    let spider = cross.origin().along(Vec3::Z);
    m.joint("left teeth", BevelGear::new(left.origin().along(-Vec3::X), spider, r_side, r_cross));
    m.joint("right teeth", BevelGear::new(right.origin().along(Vec3::X), spider, r_side, r_cross));
    m.force("drive", Torque::new(carrier, [0.5, 0.0, 0.0]));
    m.force("drag", Torque::new(right, [-0.05, 0.0, 0.0]));
    let mut sim = Simulation::build(m)?;
    let turning = [left, right, carrier].map(|body| acceleration(&mut sim, body).map_or(f64::NAN, |a| a.1.x));
    book.scalar("mean of the sides", Some(0.5 * (turning[0] + turning[1]) - turning[2]), 0.0);
    in_motion(book, sim, 6.0, ["turns", "rates"], (of_carrier, 0), |sim| {
        let [(a, w), (b, u), (c, z)] = [of_left, of_right, of_carrier].map(|joint| coordinate(sim, joint, 0));
        [a + b - 2.0 * c, w + u - 2.0 * z]
    })
}

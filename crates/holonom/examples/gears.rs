//! Watch for: a planetary gear turns its carrier at a third of the sun's rate, and its teeth and bearings carry what a textbook says.

use holonom::JointId;
use holonom::prelude::*;
use std::f64::consts::TAU;

const SUN: f64 = 0.1; // pitch radii, m
const PLANET: f64 = 0.05;
const RING: f64 = SUN + 2.0 * PLANET;
const PLANETS: usize = 3;

/// A wheel that turns about z on a bearing of `base`.
fn wheel(m: &mut ModelBuilder, name: &str, mass: f64, radius: f64, base: Marker, at: Vec3) -> (BodyId, JointId) {
    let body = m.body(name, Rigid::cylinder(mass, radius, 0.03).position(at));
    let bearing = m.joint(format!("bearing of {name}"), Revolute::new(base, body.origin()));
    (body, bearing)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let ground = BodyId::GROUND.origin();
    let (sun, of_sun) = wheel(&mut m, "sun", 2.0, SUN, ground, Vec3::ZERO);
    let (carrier, of_carrier) = wheel(&mut m, "carrier", 3.0, 0.18, ground, Vec3::ZERO);
    let mut planets = Vec::new();
    for k in 0..PLANETS {
        let (s, c) = libm::sincos(TAU * k as f64 / PLANETS as f64);
        let at = vec3(c, s, 0.0) * (SUN + PLANET);
        let (planet, bearing) = wheel(&mut m, &format!("planet {k}"), 0.5, PLANET, carrier.at(at), at);
        // helical teeth with the usual pressure angle; no one mentions the carrier, and the ring is a part of the ground
        let teeth = |gear: Gear, hand: f64| gear.pressure_angle(0.349).helix(hand * 0.2);
        let inner = Gear::external(sun.origin(), planet.origin(), SUN, PLANET);
        let outer = Gear::internal(planet.origin(), ground, PLANET, RING).other_flank();
        let inner = m.joint(format!("sun and planet {k}"), teeth(inner, 1.0));
        let outer = m.joint(format!("planet {k} and ring"), teeth(outer, -1.0));
        planets.push((planet, bearing, inner, outer));
    }
    let (drive, load) = (6.0, -15.0);
    m.force("drive", Torque::new(sun, [0.0, 0.0, drive]));
    m.force("load", Torque::new(carrier, [0.0, 0.0, load]));

    let mut sim = Simulation::build(m)?;
    println!("sun {SUN} m, {PLANETS} planets of {PLANET} m, ring {RING} m; drive {drive} N m, load {load} N m");
    println!("    t    sun, turns  carrier, turns     ratio   off by");
    for k in 1..=5 {
        sim.run_until(k as f64)?;
        let turns = |joint, sim: &mut Simulation| sim.coordinate(joint, 0).map_or(f64::NAN, |(angle, _)| angle / TAU);
        let (fast, slow) = (turns(of_sun, &mut sim), turns(of_carrier, &mut sim));
        println!("{:5.1} {fast:13.4} {slow:15.4} {:9.6} {:8.1e}", sim.time(), fast / slow, (fast - 3.0 * slow).abs());
    }

    // three planets carry what one could: the loads are not unique, and the smallest ones are shown
    println!(
        "on each planet, N: tangential force of the sun, of the ring; of the bearing along the way round, along the arm, along the axis"
    );
    for &(planet, bearing, inner, outer) in &planets {
        // the torque about the planet's axis is its radius times the tangential force; the ring's is the opposite of that on its first body
        let from_sun = -sim.reaction(inner)?.torque.z / PLANET;
        let arm = sim.centre(planet).normalize();
        let (held, ring) = (sim.reaction(bearing)?.force, sim.reaction(outer)?);
        let round = Vec3::Z.cross(arm);
        let from_ring = -ring.force.dot(round);
        println!("   {from_sun:9.4} {from_ring:9.4} {:12.4} {:11.4} {:9.4}", held.dot(round), held.dot(arm), held.z);
    }
    Ok(())
}

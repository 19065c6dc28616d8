//! Watch for: the wheel is thrown without spin and spun up by friction at its first touch; it bounces, and every bump throws it off the road again.
//! The energy only falls.
//!
//! ```text
//! cargo run --release -p holonom-tyre --example tyre
//! ```

use holonom::prelude::*;
use holonom_tyre::{Grip, Tyre, TyreLoad};

const RADIUS: f64 = 0.34;

/// Bumps 25 mm high from x = 2 m on, one every metre.
fn road(x: f64, _y: f64) -> [f64; 3] {
    let from = x - 2.0;
    if from <= 0.0 {
        return [0.0; 3];
    }
    let (s, c) = libm::sincos(std::f64::consts::PI * from);
    // sin^4: flat between the bumps, and smooth
    [0.025 * s * s * s * s, 0.1 * std::f64::consts::PI * s * s * s * c, 0.0]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // half a bicycle with its rider, as one heavy wheel that stays upright: it moves in the x-z plane, its axle is y
    let (mass, inertia) = (45.0, 0.15);
    let mut m = ModelBuilder::new();
    let plane = Planar::new(mass, inertia).plane([0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let wheel = m.body("wheel", plane.pose(0.0, RADIUS + 0.02, 0.0).velocity(4.0, 0.0, 0.0));
    // the plane's normal is -y: in the body's axes the axle is -z
    let hub = wheel.origin().along([0.0, 0.0, -1.0]);
    let tyre = Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, 0.03, road).damping(1.0).grip(Grip::ASPHALT_CLEAN);
    println!("{} rays around the tread", tyre.rays_around());
    m.force("tyre", tyre);

    let mut sim = Simulation::build(m)?;
    println!("  t (s)    x (m)  hub above road (m)  load (N)  speed (m/s)  rim (m/s)  energy (J)");
    for k in 0..=30 {
        sim.run_until(0.05 * k as f64)?;
        let (centre, velocity) = (sim.centre(wheel), sim.centre_velocity(wheel));
        // what carries the wheel beside its weight is the tyre
        let load = mass * (sim.accelerations()?[1] + 9.81);
        let rim = sim.spin(wheel).map_or(0.0, |w| w.y * RADIUS);
        let above = centre.z - road(centre.x, 0.0)[0];
        let energy = sim.energy().total();
        println!(
            "  {:5.2}  {:7.3}  {above:18.4}  {load:8.1}  {:11.4}  {rim:9.4}  {energy:10.3}",
            sim.time(),
            centre.x,
            velocity.x
        );
    }
    Ok(())
}

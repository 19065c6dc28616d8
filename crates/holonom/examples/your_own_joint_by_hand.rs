//! Watch for: the same rope as in `your_own_joint`, with gradient and curvature written by hand through the trait: same textbook answers.

use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::prelude::*;

/// |p_a - wheel_a| + |p_b - wheel_b| = length: a massless rope from a over two small wheels to b.
struct RopeOverPulleys {
    ends: [Attachment; 2],
    wheels: [Vec3; 2],
    length: f64,
}

impl Constraint for RopeOverPulleys {
    fn kind(&self) -> &'static str {
        "rope over pulleys"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.ends
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        out.row(0).gap = -self.length;
        for (k, wheel) in self.wheels.into_iter().enumerate() {
            let end = a.get(k); // where the end is, how fast it moves
            let (d, r) = (end.at - wheel, (end.at - wheel).length());
            let n = d / r;
            let across = end.rate - n * n.dot(end.rate);
            out.row(0).gap += r;
            out.row(0).curvature += across.length_squared() / r; // d²r/dt² at constant velocity
            out.gradient(0, k, n); // dr/d(end): the engine makes J and the reaction from it
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let light = m.body("light", Particle::new(1.0, [-1.0, 0.0, -2.0]));
    let heavy = m.body("heavy", Particle::new(3.0, [1.0, 0.0, -2.0]));
    let ends = [Attachment::point(light, Vec3::ZERO), Attachment::point(heavy, Vec3::ZERO)];
    let wheels = [vec3(-1.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0)];
    let rope = m.joint("rope", RopeOverPulleys { ends, wheels, length: 4.0 });
    let mut sim = Simulation::build(m)?;

    // Is the mathematics right? Rates and accelerations against finite differences, at any velocity.
    let mut stirred = sim.state().clone();
    stirred.v.copy_from_slice(&[0.3, -0.7, 0.4, -0.2, 0.9, 0.5]);
    let check = holonom::check::constraint(sim.model(), rope, &stirred, 1e-5);
    println!("finite differences: rate off by {:.0e}, acceleration by {:.0e}", check.rate, check.acceleration);
    let tension = sim.reaction(rope)?.force.z;
    println!("tension at the start {tension:.6} N, textbook 2 m M g / (m + M) = {:.6} N", 1.5 * 9.81);
    sim.run_until(0.5)?;
    let fallen = -2.0 - sim.point(heavy.origin()).0.z;
    println!("fallen in half a second {fallen:.9} m, textbook g t² / 4 = {:.9} m", 9.81 * 0.25 / 4.0);
    Ok(())
}

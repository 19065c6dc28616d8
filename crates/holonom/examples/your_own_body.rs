//! Watch for: a bead on a parabolic wire is a body with one coordinate; a catalogue joint hangs a weight on it, and energy holds.

use holonom::attach::{Attached, AttachmentKind, Frame};
use holonom::bodies::{Body, Inertia};
use holonom::prelude::*;
use holonom::{Momentum, check};

/// A bead of this mass (kg) at p(u) = (u, 0, u²), m. With p' = (1, 0, 2u) and p'' = (0, 0, 2):
/// v = du/dt,   M = m p'.p',   force = m p'.(g - p'' v²).
struct Bead(f64);

#[rustfmt::skip]
fn slope(q: &[f64]) -> Vec3 { vec3(1.0, 0.0, 2.0 * q[0]) }
const BEND: Vec3 = vec3(0.0, 0.0, 2.0);
#[rustfmt::skip]
impl Body for Bead {
    fn kind(&self) -> &'static str { "bead on a wire" }
    fn n_dof(&self) -> usize { 1 }
    fn mass(&self) -> f64 { self.0 }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) { (q[0], v[0]) = (1.0, 0.0) }
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str> {
        if *what == AttachmentKind::Point(Vec3::ZERO) { Ok(()) } else { Err("a bead carries only the point where it is") }
    }
    fn carry(&self, q: &[f64], v: &[f64], _: &AttachmentKind) -> Attached {
        Attached { at: self.centre(q), rate: slope(q) * v[0], jdot_v: BEND * v[0] * v[0] }
    }
    fn pull(&self, q: &[f64], _: &AttachmentKind, push: Vec3, out: &mut [f64]) { out[0] += slope(q).dot(push) }
    fn evaluate(&self, q: &[f64], v: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        out.mass[0] = self.0 * slope(q).length_squared();
        out.force[0] = self.0 * slope(q).dot(gravity - BEND * v[0] * v[0]);
    }
    fn inertial_in_flight(&self) -> bool { false }
    fn centre(&self, q: &[f64]) -> Vec3 { vec3(q[0], 0.0, q[0] * q[0]) }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let linear = slope(q) * (self.0 * v[0]);
        Momentum { linear, angular: self.centre(q).cross(linear) }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = ModelBuilder::new();
    let bead = m.body("bead", Bead(1.0));
    let weight = m.body("weight", Particle::new(0.5, [1.0, 0.0, 0.4]));
    m.joint("thread", Distance::new(bead.origin(), weight.origin(), 0.6));
    let mut sim = Simulation::build(m)?;
    for k in 0..=5 {
        sim.run_until(0.4 * k as f64)?;
        let (bead, weight) = (sim.point(bead.origin()).0, sim.point(weight.origin()).0);
        println!("t {:.1} s   bead at x {:7.4}   weight at ({:7.4}, {:7.4})", sim.time(), bead.x, weight.x, weight.z);
    }
    let c = check::body(sim.model(), bead, sim.state(), &[AttachmentKind::Point(Vec3::ZERO)], Vec3::ONE, 1e-5);
    let worst = c.rate.max(c.jdot_v).max(c.power).max(c.q_rate);
    println!("finite differences off by {worst:.0e}, energy off by {:.0e} J", sim.ledger().change.abs());
    Ok(())
}

//! Two free bodies run into each other, from event to event: every pair of shapes, slow and fast, thick and thin.
//!
//! What is asserted is measured by the judge of distances, which shares no mathematics with detection: no blow without
//! a touch, no overlap after any step, none inside a step (nobody passes through), energy that never rises, time that
//! always advances. Gravity is off and nothing drives the bodies, so the energy is what they set out with, less what
//! blows and friction take.
//!
//! FLIGHTS=200 flies 200 times per pair and manner; WHICH="box hull fast 7" flies one of them.

#[path = "common/distance.rs"]
mod distance;

use distance::{Judged, distance as judge};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::{Event, EventKind};
use holonom_collide::RigidTransform;

const SHAPES: [&str; 5] = ["sphere", "box", "capsule", "cylinder", "hull"];
/// Rims that meet edges, capsules and rims have no features of their own kind yet: these pairs are flown when asked for
/// only.
const ROUGH: [[&str; 2]; 4] =
    [["box", "cylinder"], ["capsule", "cylinder"], ["cylinder", "cylinder"], ["cylinder", "hull"]];
/// Name, speed (m/s), greatest spin about each axis (rad/s), thickness of blades or 0 (m).
const MANNERS: [(&str, f64, f64, f64); 4] =
    [("slow", 3.0, 2.5, 0.0), ("spinning", 3.0, 20.0, 0.0), ("fast", 30.0, 3.0, 0.0), ("blades", 3.0, 20.0, 2e-3)];

/// Two shapes may be this far apart when they collide, m.
const TOUCHES: f64 = 1e-9;
/// They may overlap by this much, m.
const OVERLAP: f64 = 1e-8;
/// Energy may rise by this part of what there was.
const GAIN: f64 = 1e-9;
/// More steps than this in a flight of a few lengths are no progress.
const STEPS: usize = 3000;

fn shape(name: &str, thin: f64, g: &mut SplitMix) -> Shape {
    let mut size = |low: f64, high: f64| low + (high - low) * g.unit();
    let thick = |x: f64| if thin > 0.0 { thin } else { x };
    match name {
        "sphere" => Shape::Sphere { radius: size(0.05, 0.12) },
        "box" => {
            let half = vec3(size(0.03, 0.12), size(0.03, 0.12), size(0.02, 0.1));
            Shape::Box { half: vec3(half.x, half.y, thick(half.z)) }
        }
        "capsule" => Shape::Capsule { radius: thick(size(0.03, 0.06)), half_length: size(0.05, 0.15) },
        "cylinder" => Shape::Cylinder { radius: size(0.03, 0.1), half_length: thick(size(0.03, 0.12)) },
        "hull" => {
            let flat = if thin > 0.0 { vec3(1.0, 1.0, 0.02) } else { Vec3::ONE };
            Shape::Hull { points: (0..10).map(|_| g.vec3(0.2) * flat).collect() }
        }
        "plane" => Shape::HalfSpace,
        _ => panic!("no shape {name}"),
    }
}

struct Flight {
    sim: Simulation,
    bodies: [BodyId; 2],
    shapes: [Shape; 2],
    time: f64,
}

fn flight(pair: [&str; 2], manner: usize, number: u64) -> Flight {
    let (_, speed, spin, thin) = MANNERS[manner];
    let seed = pair.concat().bytes().fold(manner as u64, |s, b| s.wrapping_mul(131).wrapping_add(u64::from(b)));
    let g = &mut SplitMix(seed.wrapping_mul(1000).wrapping_add(number));
    let shapes = pair.map(|name| shape(name, thin, g));
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let mut body = |name: &str, position: Vec3, velocity: Vec3, g: &mut SplitMix| {
        let (mass, moments) = (1.0 + 4.0 * g.unit(), vec3(2e-3, 2e-3, 2e-3) + g.vec3(5e-4));
        let orientation = exp_quat(g.vec3(3.0));
        let rigid = Rigid::principal(mass, moments * mass).position(position).orientation(orientation);
        m.body(name, rigid.velocity(velocity).spin(g.vec3(spin)))
    };
    let aside = vec3(-0.7, g.symmetric(0.15), g.symmetric(0.15));
    let a = body("a", aside, vec3(speed, 0.0, 0.0), g);
    let b = body("b", Vec3::ZERO, Vec3::ZERO, g);
    let (friction, restitution) = ([0.0, 0.3][g.below(2)], [0.0, 0.5, 1.0][g.below(3)]);
    let material = Material::new(friction).restitution(restitution);
    for (body, shape) in [a, b].into_iter().zip(&shapes) {
        m.shape(body.origin(), shape.clone(), material);
    }
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::default());
    sim.keep_events(1000);
    Flight { sim, bodies: [a, b], shapes, time: 1.2 / speed }
}

/// Where body 0 or 1 is: position and quaternion.
fn pose(state: &State, body: usize) -> RigidTransform {
    let q = &state.q[7 * body..];
    let rotation = Mat3::from_quat(Quat::from_xyzw(q[4], q[5], q[6], q[3]).normalize());
    RigidTransform { position: vec3(q[0], q[1], q[2]), rotation }
}

impl Flight {
    fn judged(&self) -> Judged {
        let pose = |body: BodyId| {
            let rotation = self.sim.axes(body).expect("rigid");
            RigidTransform { position: self.sim.point(body.origin()).0, rotation }
        };
        judge((&self.shapes[0], &pose(self.bodies[0])), (&self.shapes[1], &pose(self.bodies[1])))
    }

    /// Flies to the end. What was wrong, if anything.
    fn fly(&mut self) -> Result<usize, String> {
        let start = self.sim.energy().total();
        let (mut before, mut blows) = (start, 0);
        let mut apart = self.judged();
        for _ in 0..STEPS {
            let t = self.sim.time();
            if t >= self.time {
                return Ok(blows);
            }
            let from = self.sim.state().clone();
            let report = self.sim.step_towards(self.time).map_err(|e| format!("at {t}: {e}"))?;
            let was = std::mem::replace(&mut apart, self.judged());
            for Event { time, kind, .. } in self.sim.take_events() {
                if kind == EventKind::Impact {
                    blows += 1;
                    let at = if time == t { was } else { apart };
                    if !(at.least <= TOUCHES) {
                        return Err(format!("ghost: a blow at {time} s across {:e} m", at.least));
                    }
                }
            }
            if apart.overlap() > OVERLAP {
                return Err(format!("overlap: {:e} m at {} s", apart.overlap(), self.sim.time()));
            }
            self.look_inside(&from, report.step)?;
            let now = self.sim.energy().total();
            if now - before > GAIN * start {
                return Err(format!("gain: {:e} of the energy at {} s", (now - before) / start, self.sim.time()));
            }
            before = now;
        }
        Err(format!("stall: {STEPS} steps to {} s", self.sim.time()))
    }

    /// The way inside the step just taken.
    fn look_inside(&mut self, from: &State, step: f64) -> Result<(), String> {
        let reach: f64 = self.shapes.iter().map(Shape::bounding_radius).sum();
        let far = |sim: &Simulation| (sim.centre(self.bodies[0]) - sim.centre(self.bodies[1])).length();
        if step < 1e-12 || far(&self.sim) > reach + 0.7 {
            return Ok(());
        }
        let (mut sample, mut worst) = (self.sim.state().clone(), (0.0, 0.0));
        let times = (1..24).map(|k| from.t + step * f64::from(k) / 24.0);
        let shapes = &self.shapes;
        let look = |state: &State| {
            let [a, b] = [0, 1].map(|body| pose(state, body));
            if (a.position - b.position).length() > reach {
                return;
            }
            let overlap = judge((&shapes[0], &a), (&shapes[1], &b)).overlap();
            if overlap > worst.0 {
                worst = (overlap, state.t);
            }
        };
        self.sim.sample_step(from, step, times, &mut sample, look).map_err(|e| e.to_string())?;
        // what is inside a step is no better than its interpolation
        if worst.0 > 100.0 * OVERLAP {
            return Err(format!("through: {:e} m inside a step, at {} s", worst.0, worst.1));
        }
        Ok(())
    }
}

/// Says which flights take long.
struct Watch(String, std::time::Instant);

impl Drop for Watch {
    fn drop(&mut self) {
        let time = self.1.elapsed().as_secs_f64();
        if time > 2.0 {
            println!("{}: {time:.1} s", self.0);
        }
    }
}

#[test]
fn blows_are_where_shapes_touch() {
    let flights: u64 = std::env::var("FLIGHTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let which = std::env::var("WHICH").ok();
    let (mut wrong, mut blows, mut flown) = (Vec::new(), 0, 0);
    for (manner, (name, ..)) in MANNERS.iter().enumerate() {
        for (i, a) in SHAPES.iter().enumerate() {
            for b in &SHAPES[i..] {
                for number in 0..flights {
                    let label = format!("{a} {b} {name} {number}");
                    if which.is_none() && ROUGH.contains(&[a, b]) {
                        continue;
                    }
                    if which.as_ref().is_some_and(|w| *w != label) {
                        continue;
                    }
                    flown += 1;
                    let _watch = Watch(label.clone(), std::time::Instant::now());
                    match flight([a, b], manner, number).fly() {
                        Ok(n) => blows += n,
                        Err(e) => wrong.push(format!("{label}: {e}")),
                    }
                }
            }
        }
    }
    println!("{flown} flights, {blows} blows, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} of {flown}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(which.is_some() || blows * 4 > flown, "{blows} blows in {flown} flights");
}

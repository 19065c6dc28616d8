//! Articulated mechanisms in contact: builders, and a watch that keeps the worst of a run.
#![allow(dead_code)]

use holonom::prelude::*;
use holonom::{JointId, ShapeId, StepReport};

/// The turn that takes z into the direction `d`.
pub fn along(d: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::Z, d.normalize())
}

/// A capsule on `body` along its z axis, whose round ends reach to ± length / 2.
pub fn capsule(m: &mut ModelBuilder, body: BodyId, radius: f64, length: f64, material: Material) -> ShapeId {
    m.shape(body.origin(), Shape::Capsule { radius, half_length: 0.5 * length - radius }, material)
}

/// Links from point to point, held together by ball joints: capsules as long as the links, so that neighbours share the ball of their joint.
pub struct Chain {
    pub links: Vec<BodyId>,
    pub joints: Vec<JointId>,
    pub length: f64,
}

impl Chain {
    /// Where link `i` ends.
    pub fn end(&self, i: usize) -> Marker {
        self.links[i].at([0.0, 0.0, 0.5 * self.length])
    }

    /// Where the chain begins.
    pub fn start(&self) -> Marker {
        self.links[0].at([0.0, 0.0, -0.5 * self.length])
    }
}

/// A chain of `n` links of `length` m from `from` along `way`.
pub fn chain(
    m: &mut ModelBuilder,
    name: &str,
    n: usize,
    (from, way): (Vec3, Vec3),
    (mass, radius, length): (f64, f64, f64),
    material: Option<Material>,
) -> Chain {
    let way = way.normalize();
    let mut out = Chain { links: Vec::new(), joints: Vec::new(), length };
    for i in 0..n {
        let at = from + way * (length * (i as f64 + 0.5));
        let shape = Rigid::cylinder(mass, radius, length).position(at).orientation(along(way));
        let link = m.body(format!("{name} {i}"), shape);
        if let Some(material) = material {
            let shape = Shape::Capsule { radius, half_length: 0.5 * length };
            m.shape(link.origin(), shape, material);
        }
        out.links.push(link);
        if i > 0 {
            let (above, below) = (out.end(i - 1), link.at([0.0, 0.0, -0.5 * length]));
            out.joints.push(m.joint(format!("{name} ball {i}"), Spherical::new(above, below)));
        }
    }
    out
}

/// The worst of a run.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub start: f64,
    /// Largest mechanical energy, less that at the start, J.
    pub gain: f64,
    /// Largest rise of the mechanical energy over its lowest so far that neither forces, joints nor contacts account for, J.
    pub rise: f64,
    /// m or rad.
    pub gap: f64,
    pub overlap: f64,
    pub contacts: usize,
    pub steps: usize,
    last: f64,
}

impl Watch {
    pub fn new(sim: &mut Simulation) -> Watch {
        let start = sim.energy().total();
        let gain = f64::NEG_INFINITY;
        Watch { start, gain, rise: 0.0, gap: 0.0, overlap: 0.0, contacts: 0, steps: 0, last: start }
    }

    /// One step, looked at.
    pub fn step(&mut self, sim: &mut Simulation, dt: f64) -> StepReport {
        let report = sim.step(dt).unwrap_or_else(|e| panic!("t = {}: {e}", sim.time()));
        let energy = sim.energy().total();
        assert!(energy.is_finite() && sim.state().q.iter().chain(&sim.state().v).all(|x| x.is_finite()));
        self.gain = self.gain.max(energy - self.start);
        self.rise = self.rise.max(energy - self.last);
        self.last = energy;
        self.gap = self.gap.max(report.gap);
        self.overlap = self.overlap.max(report.overlap);
        self.contacts = self.contacts.max(report.contacts);
        self.steps += 1;
        report
    }

    pub fn run(&mut self, sim: &mut Simulation, seconds: f64, dt: f64) {
        for _ in 0..(seconds / dt).round() as usize {
            self.step(sim, dt);
        }
    }

    pub fn print(&self, what: &str) {
        let Watch { start, gain, rise, gap, overlap, contacts, steps, last } = self;
        println!(
            "{what}: {steps} steps, joint gap {gap:.1e}, overlap {overlap:.1e}, energy {start:.4} -> {last:.4} J (most above start {gain:.1e}, largest rise in a step {rise:.1e}), at most {contacts} contacts"
        );
    }

    /// Joints closed, nothing overlaps, no energy from nowhere.
    pub fn demand(&self, what: &str) {
        self.print(what);
        assert!(self.gap <= 1e-8, "{what}: joint gap {}", self.gap);
        assert!(self.overlap <= 1e-6, "{what}: overlap {}", self.overlap);
        assert!(self.gain <= 1e-9 * self.start.abs().max(1.0), "{what}: energy {} J above the start", self.gain);
    }
}

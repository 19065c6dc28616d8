//! Random mechanisms with contacts, stops, ropes and dry friction, as data: they can be moved, scaled and renumbered with their mechanism.
//!
//! Contacts touch exactly: a ball on one body, and a ball or a box on another (or on the ground) put where it touches.

use super::grow::{self, Wish};
use super::spec::{Kind, Spec, body_id};
use super::{direction, turn};
use holonom::joints::pairs;
use holonom::math::{Mat3, SplitMix, Vec3, vec3};
use holonom::prelude::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct ShapeSpec {
    pub on: Marker,
    pub shape: Shape,
    pub material: Material,
}

/// A stop (`lower`, `upper`) or, with `friction`, dry friction on coordinate 0 of a joint.
#[derive(Clone, Debug)]
pub struct StopSpec {
    pub joint: usize,
    pub angle: bool,
    pub lower: f64,
    pub upper: f64,
    pub friction: Option<f64>,
}

#[derive(Clone, Debug)]
pub struct Sided {
    pub spec: Spec,
    pub shapes: Vec<ShapeSpec>,
    pub stops: Vec<StopSpec>,
    /// Taut ropes; with `rod`, rods that close a loop.
    pub ropes: Vec<(Marker, Marker, f64, bool)>,
}

impl Sided {
    pub fn builder(&self) -> ModelBuilder {
        let mut m = self.spec.builder();
        for id in self.spec.joint_ids() {
            m.collide_across(id);
        }
        for s in &self.shapes {
            m.shape(s.on, s.shape.clone(), s.material);
        }
        let ids = self.spec.joint_ids();
        for (i, s) in self.stops.iter().enumerate() {
            let coordinate = m.coordinate(ids[s.joint], 0);
            match s.friction {
                Some(limit) => m.joint(format!("friction {i}"), DryFriction::constant(coordinate, limit)),
                None => m.joint(format!("stop {i}"), Limit::new(coordinate, s.lower, s.upper)),
            };
        }
        for (i, &(a, b, length, rod)) in self.ropes.iter().enumerate() {
            if rod {
                m.joint(format!("rod {i}"), Distance::new(a, b, length));
            } else {
                m.joint(format!("rope {i}"), Rope::new(a, b, length));
            }
        }
        m
    }

    pub fn simulation(&self) -> Simulation {
        Simulation::build(self.builder()).expect("a mechanism that was built before")
    }

    /// Is there anything with sides?
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.stops.is_empty() && self.ropes.iter().all(|r| r.3)
    }

    pub fn with_restitution(&self, e: f64) -> Sided {
        let mut out = self.clone();
        out.shapes.iter_mut().for_each(|s| s.material = s.material.restitution(e));
        out
    }

    pub fn smooth(&self) -> Sided {
        let mut out = self.clone();
        out.shapes.iter_mut().for_each(|s| s.material = Material::smooth().restitution(s.material.restitution));
        out
    }

    fn map_markers(&self, spec: Spec, marker: impl Fn(Marker) -> Marker) -> Sided {
        Sided {
            spec,
            shapes: self.shapes.iter().map(|s| ShapeSpec { on: marker(s.on), ..s.clone() }).collect(),
            stops: self.stops.clone(),
            ropes: self.ropes.iter().map(|&(a, b, l, rod)| (marker(a), marker(b), l, rod)).collect(),
        }
    }

    /// Everything turned by `q` and shifted by `s`.
    pub fn moved(&self, q: Mat3, s: Vec3) -> Sided {
        self.map_markers(self.spec.moved(q, s), |m| {
            if m.body.is_ground() { Marker { point: q * m.point + s, axes: q * m.axes, ..m } } else { m }
        })
    }

    /// In other units: lengths, masses and times multiplied.
    pub fn scaled(&self, l: f64, m: f64, t: f64) -> Sided {
        let mut out = self.map_markers(self.spec.scaled(l, m, t), |x| Marker { point: x.point * l, ..x });
        for s in &mut out.shapes {
            s.shape = match s.shape {
                Shape::Sphere { radius } => Shape::Sphere { radius: radius * l },
                Shape::Box { half } => Shape::Box { half: half * l },
                ref other => panic!("{other:?} is not drawn"),
            };
            s.material = s.material.rolling(s.material.rolling * l).torsional(s.material.torsional * l);
        }
        for s in &mut out.stops {
            let unit = if s.angle { 1.0 } else { l };
            (s.lower, s.upper) = (s.lower * unit, s.upper * unit);
            let force = m * l / (t * t);
            s.friction = s.friction.map(|f| f * force * if s.angle { l } else { 1.0 });
        }
        out.ropes.iter_mut().for_each(|r| r.2 *= l);
        out
    }

    /// New place k holds old body `bodies[k]`.
    pub fn renumbered(&self, bodies: &[usize]) -> Sided {
        let joints: Vec<usize> = (0..self.spec.joints.len()).collect();
        self.map_markers(self.spec.renumbered(bodies, &joints), |m| match m.body.index() {
            Some(i) => {
                let k = bodies.iter().position(|&k| k == i).expect("a permutation");
                Marker { body: body_id(k), ..m }
            }
            None => m,
        })
    }
}

/// Mechanisms of rigid bodies and particles (and planar bodies, where wanted).
pub const WISH: Wish = Wish { most: 5, planar: false, affine: false, scaled: false, ..Wish::ANY };

/// Put contacts, stops, ropes, dry friction and loops on a mechanism, as many as fit.
pub fn furnish(spec: &Spec, wanted: usize, g: &mut SplitMix) -> Sided {
    let mut out = Sided { spec: spec.clone(), shapes: vec![], stops: vec![], ropes: vec![] };
    for _ in 0..wanted {
        let mut next = out.clone();
        let mut sim = out.simulation();
        match g.below(8) {
            0 => add_stop(&mut next, &mut sim, g),
            1 => add_rope(&mut next, &sim, g),
            _ => add_contact(&mut next, &sim, g),
        }
        let Ok(model) = next.builder().build() else { continue };
        let sim = Simulation::new(model);
        // a loop may hold it still, or be redundant: not what is looked at here
        let dense = super::dense::Dense::at(sim.model(), sim.state());
        if sim.overlap() < 1e-12 && dense.rcond() > grow::CONDITION {
            out = next;
        }
    }
    out
}

fn material(g: &mut SplitMix) -> Material {
    let m = Material::new(if g.below(4) == 0 { 0.0 } else { g.unit() });
    if g.below(4) == 0 { m.static_friction(m.friction + 0.3 * g.unit()) } else { m }
}

fn add_contact(out: &mut Sided, sim: &Simulation, g: &mut SplitMix) {
    let n = out.spec.bodies.len();
    if n == 0 {
        return;
    }
    let i = g.below(n);
    let point = if out.spec.bodies[i].kind == Kind::Particle { Vec3::ZERO } else { g.vec3(0.4) };
    let on = body_id(i).at(point);
    let (radius, normal) = (0.02 + 0.1 * g.unit(), direction(g));
    let surface = sim.point(on).0 - normal * radius;
    let j = g.below(n + 2);
    let other = if j >= n || j == i || out.spec.bodies[j].kind == Kind::Particle { BodyId::GROUND } else { body_id(j) };
    let (origin, axes) = (sim.point(other.origin()).0, sim.axes(other).expect("not a particle"));
    let flat = g.below(2) == 0;
    let (depth, shape) = if flat {
        let half = Vec3::splat(0.03) + vec3(g.unit(), g.unit(), g.unit()) * 0.05;
        (half.z, Shape::Box { half })
    } else {
        let radius = 0.02 + 0.1 * g.unit();
        (radius, Shape::Sphere { radius })
    };
    let (x, y) = holonom::math::perpendicular(normal);
    let place = Marker {
        body: other,
        point: axes.transpose() * (surface - normal * depth - origin),
        axes: axes.transpose() * Mat3::from_cols(x, y, normal),
    };
    out.shapes.push(ShapeSpec { on, shape: Shape::Sphere { radius }, material: material(g) });
    out.shapes.push(ShapeSpec { on: place, shape, material: material(g) });
}

fn add_stop(out: &mut Sided, sim: &mut Simulation, g: &mut SplitMix) {
    let ids = out.spec.joint_ids();
    if ids.is_empty() {
        return;
    }
    let joint = g.below(ids.len());
    let Some((value, _)) = sim.coordinate(ids[joint], 0) else { return };
    let name = pairs()[out.spec.joints[joint].kind].name();
    let angle = ["revolute", "universal", "constant-velocity"].contains(&name);
    // what coordinate 0 of the others is depends on the joint
    if !angle && name != "prismatic" {
        return;
    }
    let (lower, upper) = if g.below(2) == 0 { (value, value + 1.0) } else { (value - 1.0, value) };
    let friction = (g.below(2) == 0).then(|| 3.0 * g.unit());
    out.stops.push(StopSpec { joint, angle, lower, upper, friction });
}

fn add_rope(out: &mut Sided, sim: &Simulation, g: &mut SplitMix) {
    let n = out.spec.bodies.len();
    if n == 0 {
        return;
    }
    let at = |i: usize, g: &mut SplitMix| {
        body_id(i).at(if out.spec.bodies[i].kind == Kind::Particle { Vec3::ZERO } else { g.vec3(0.4) })
    };
    let (i, j) = (g.below(n), g.below(n));
    let a = at(i, g);
    let b = if i == j { BodyId::GROUND.at(g.vec3(2.0)) } else { at(j, g) };
    let length = (sim.point(a).0 - sim.point(b).0).length();
    out.ropes.push((a, b, length, g.below(2) == 0));
}

/// Run a test on random mechanisms with sides.
pub fn for_sided(
    name: &str,
    share: f64,
    wanted: usize,
    test: impl Fn(&Sided, &mut SplitMix, &super::Worst) -> Result<(), TestCaseError>,
) {
    let met = std::cell::Cell::new(0);
    super::for_all(name, share, grow::steps(WISH), |(steps, seed), worst| {
        let mut g = SplitMix(seed ^ 0x51de);
        let grown = grow::grow(&steps, seed, WISH).spec;
        let sided = furnish(&grown, wanted, &mut g);
        met.set(met.get() + !sided.is_empty() as usize);
        test(&sided, &mut g, worst)
    });
    println!("{name}: {} mechanisms with sides", met.get());
    assert!(met.get() > 10, "{name}: only {} mechanisms had sides", met.get());
}

/// A rotation and a shift of the world.
pub fn displacement(g: &mut SplitMix) -> (Mat3, Vec3) {
    (turn(g), g.vec3(2.0))
}

//! What tests of edits share: mechanisms that move, joints that fit them where they are, and joints chosen at run time.

use super::linkage::{Rough, hinge};
use super::turn;
use holonom::JointId;
use holonom::joints::{Constraint, pairs};
use holonom::math::SplitMix;
use holonom::prelude::*;

const GROUND: BodyId = BodyId::GROUND;

/// A point and axes of the world, as a marker on a body where it is now.
pub fn marker_now(sim: &Simulation, body: BodyId, point: Vec3, axes: Mat3) -> Marker {
    let back = sim.axes(body).expect("a body with axes").transpose();
    Marker { body, point: back * (point - sim.point(body.origin()).0), axes: back * axes }
}

/// A joint that fits where the bodies are now.
pub fn fitting(sim: &Simulation, kind: usize, a: BodyId, b: BodyId, g: &mut SplitMix) -> Box<dyn Constraint> {
    let (point, axes) = (g.vec3(0.5), turn(g));
    let (a, b) = (marker_now(sim, a, point, axes), marker_now(sim, b, point, axes));
    let kind = &pairs()[kind];
    if kind.name() == "distance" {
        let far = b.body.at(b.point + vec3(0.3, -0.4, 0.5));
        return Box::new(Distance::new(a, far, (sim.point(far).0 - point).length()));
    }
    if kind.name() == "perpendicular-axes" {
        // axes that coincide, so a quarter of a turn between them
        let quarter = Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X);
        return Box::new(PerpendicularAxes::new(a, Marker { axes: b.axes * quarter, ..b }));
    }
    (kind.sample.expect("a sample"))(a, b, g)
}

/// Links of a metre along x, pinned to the ground, on balls or on hinges about y, with some velocity.
pub fn chain(n: usize, balls: bool, spin: f64) -> (Simulation, Marker) {
    let mut m = ModelBuilder::new();
    let mut above = GROUND.origin();
    for i in 0..n {
        let at = vec3(0.5 + i as f64, 0.0, 0.0);
        let omega = vec3(if balls { 0.7 } else { 0.0 }, spin, 0.0);
        let link = Rigid::cuboid(1.0, [1.0, 0.1, 0.06]).position(at).velocity(omega.cross(at)).spin(omega);
        let link = m.body(format!("link {i}"), link);
        let near = link.at([-0.5, 0.0, 0.0]);
        if balls {
            m.joint(format!("joint {i}"), Spherical::new(above, near));
        } else {
            hinge(&mut m, &format!("joint {i}"), above, near);
        }
        above = link.at([0.5, 0.0, 0.0]);
    }
    (Simulation::build(m).expect("a chain"), above)
}

pub fn copy(sim: &Simulation) -> Simulation {
    let mut copy = Simulation::new(sim.model().clone());
    copy.set_state(sim.state().clone());
    copy
}

/// A chain of hinges that turns, fast enough over and over, with a spring that works.
pub fn whirling(left_out: Option<usize>, spin: f64) -> Simulation {
    let mut m = ModelBuilder::new();
    let mut above = GROUND.origin();
    for i in 0..4 {
        let at = vec3(0.5 + i as f64, 0.0, 0.0);
        let omega = vec3(0.0, spin, 0.0);
        let link = Rigid::cuboid(1.0, [1.0, 0.1, 0.06]).position(at).velocity(omega.cross(at)).spin(omega);
        let link = m.body(format!("link {i}"), link);
        if left_out != Some(i) {
            hinge(&mut m, &format!("joint {i}"), above, link.at([-0.5, 0.0, 0.0]));
        }
        above = link.at([0.5, 0.0, 0.0]);
    }
    m.force("spring", Spring::new(GROUND.at([0.0, 0.0, 1.0]), above, 5.0, 1.0).damping(0.2));
    Simulation::build(m).expect("a chain")
}

pub fn closed(make: fn(&mut ModelBuilder, &mut Rough)) -> Simulation {
    let mut m = ModelBuilder::new();
    make(&mut m, &mut Rough::not());
    Simulation::build(m).expect("closes")
}

pub fn id(sim: &Simulation, name: &str) -> JointId {
    sim.model().joint(name).expect("a joint of this name")
}

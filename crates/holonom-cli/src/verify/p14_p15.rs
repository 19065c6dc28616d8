//! Blades: the Chaplygin sleigh, and a skate on an incline. Each as a planar body, and as a rigid body on a plane.

use super::book::{Book, Stop};
use super::track::Track;
use holonom::prelude::*;
use holonom_cases::Problem;

const GROUND: BodyId = BodyId::GROUND;

/// A body in the x-y plane, or a rigid one held there.
fn plane_body(m: &mut ModelBuilder, rigid: bool, mass: f64, inertia: f64, at: Vec3, v: Vec3, spin: f64) -> BodyId {
    if rigid {
        let body = Rigid::principal(mass, [inertia, inertia, inertia]).position(at).velocity(v).spin([0.0, 0.0, spin]);
        let body = m.body("body", body);
        m.joint("table", PlanarJoint::new(GROUND.origin(), body.origin()));
        body
    } else {
        m.body("body", Planar::new(mass, inertia).pose(at.x, at.y, 0.0).velocity(v.x, v.y, spin))
    }
}

pub(super) fn sleigh(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, rigid) in [("planar body", false), ("rigid body on a plane", true)] {
        let (a, speed, spin) = (p.parameter("a"), p.initial("v"), p.initial("w"));
        let mut m = ModelBuilder::new();
        m.gravity([0.0; 3]);
        // the centre of mass is a ahead of the edge
        let velocity = vec3(speed, spin * a, 0.0);
        let body = plane_body(&mut m, rigid, p.parameter("m"), p.parameter("I"), vec3(a, 0.0, 0.0), velocity, spin);
        let edge = body.at([-a, 0.0, 0.0]);
        m.joint("blade", KnifeEdge::new(GROUND.origin(), edge));
        let mut track = Track::run(Simulation::build(m)?, p.times())?;
        book.variant(name);
        let mut heading = 0.0;
        let rows = track.read(|sim| {
            let ((at, v), axes) = (sim.point(edge), sim.axes(body).unwrap_or(Mat3::NAN));
            heading = holonom::math::unwrap_angle(axes.x_axis.y.atan2(axes.x_axis.x), heading);
            vec![at.x, at.y, heading, v.dot(axes.x_axis), sim.spin(body).map_or(f64::NAN, |w| w.z)]
        });
        book.columns(&rows);
        let energies = track.energies();
        book.constant("energy", &energies, energies[0]);
        let slips = track.read(|sim| sim.violation().1);
        book.constant("slip", &slips, 0.0);
    }
    Ok(())
}

pub(super) fn skate(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, rigid) in [("planar body", false), ("rigid body on a plane", true)] {
        let slope = p.parameter("slope_deg").to_radians();
        let mut m = ModelBuilder::new();
        m.gravity([p.parameter("g") * slope.sin(), 0.0, -p.parameter("g") * slope.cos()]);
        let body = plane_body(&mut m, rigid, 2.0, 0.3, Vec3::ZERO, Vec3::ZERO, p.parameter("w"));
        m.joint("blade", KnifeEdge::new(GROUND.origin(), body.origin()));
        let mut track = Track::run(Simulation::build(m)?, p.times())?;
        book.variant(name);
        let rows = track.read(|sim| sim.centre(body).truncate().to_array().to_vec());
        book.columns(&rows);
        let drift = rows.last().map(|row| row[1] / 2.0);
        book.scalar("drift_per_turn_y", drift, p.scalar("drift_per_turn_y"));
    }
    Ok(())
}

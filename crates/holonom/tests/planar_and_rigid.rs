//! The same plane mechanism from planar bodies, from rigid bodies on planar joints, and from rigid bodies on spatial hinges moves alike.

mod common;

use common::Worst;
use holonom::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    Planar,
    OnPlane,
    Hinges,
}

/// A rod from one point of the x-y plane to another.
fn rod(
    m: &mut ModelBuilder,
    made: Made,
    name: &str,
    mass: f64,
    from: [f64; 2],
    to: [f64; 2],
    spin: f64,
) -> (Marker, Marker) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let (length, angle) = (dx.hypot(dy), libm::atan2(dy, dx));
    let inertia = mass * length * length / 12.0;
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    let body = if made == Made::Planar {
        m.body(name, Planar::new(mass, inertia).pose(middle[0], middle[1], angle).velocity(0.0, 0.0, spin))
    } else {
        // moments about the other axes do not matter in the plane
        let body = Rigid::principal(mass, [0.7 * inertia, inertia, inertia])
            .position([middle[0], middle[1], 0.0])
            .orientation(holonom::math::exp_quat(vec3(0.0, 0.0, angle)))
            .spin([0.0, 0.0, spin]);
        m.body(name, body)
    };
    if made == Made::OnPlane {
        m.joint(format!("{name} on the table"), PlanarJoint::new(BodyId::GROUND.origin(), body.origin()));
    }
    (body.at([-0.5 * length, 0.0, 0.0]), body.at([0.5 * length, 0.0, 0.0]))
}

/// A pin: in space a hinge about z; on the table, which holds the rest already, a point on a line along z.
fn pin(m: &mut ModelBuilder, made: Made, name: &str, a: Marker, b: Marker) {
    if made == Made::OnPlane {
        m.joint(name, PointOnLine::new(a, b));
    } else {
        m.joint(name, Revolute::new(a, b));
    }
}

/// A double pendulum whose tip also moves a crank with a slider, with a spring, a damper and a knife edge on a loose rod.
fn mechanism(made: Made) -> (Simulation, Vec<Marker>) {
    let mut m = ModelBuilder::new();
    m.gravity([1.0, -9.81, 0.0]);
    let ground = |x: f64, y: f64| BodyId::GROUND.at([x, y, 0.0]);
    // four-bar: 0.4 - 1.0 - 0.7 on a base of 1.1
    let crank = rod(&mut m, made, "crank", 0.5, [0.0, 0.0], [0.0, 0.4], 0.0);
    let end = {
        // the joint of coupler and rocker: distances 1.0 from (0, 0.4) and 0.7 from (1.1, 0)
        let (dx, dy) = (1.1f64, -0.4f64);
        let d2: f64 = dx * dx + dy * dy;
        let along = (d2 + 1.0 - 0.49) / (2.0 * d2);
        let across = (1.0 / d2 - along * along).sqrt();
        [along * dx - across * dy, 0.4 + along * dy + across * dx]
    };
    let coupler = rod(&mut m, made, "coupler", 1.0, [0.0, 0.4], end, 0.0);
    let rocker = rod(&mut m, made, "rocker", 0.8, [1.1, 0.0], end, 0.0);
    pin(&mut m, made, "base", ground(0.0, 0.0), crank.0);
    pin(&mut m, made, "knee", crank.1, coupler.0);
    pin(&mut m, made, "top", coupler.1, rocker.1);
    pin(&mut m, made, "foot", ground(1.1, 0.0), rocker.0);
    // a pendulum on the coupler, and a rod that slides on a blade, tied to it
    let bob = rod(&mut m, made, "bob", 0.6, end, [end[0] + 0.5, end[1]], 0.0);
    pin(&mut m, made, "hook", coupler.1, bob.0);
    let sleigh = rod(&mut m, made, "sleigh", 1.2, [2.0, -0.5], [2.6, -0.5], 1.0);
    m.joint("blade", KnifeEdge::new(ground(0.0, 0.0), sleigh.0));
    m.force("tie", Spring::new(bob.1, sleigh.1, 25.0, 1.0).damping(0.8));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    (sim, vec![crank.1, coupler.1, bob.1, sleigh.0, sleigh.1])
}

#[test]
fn planar_and_rigid_bodies_move_alike() {
    let worst = Worst::default();
    let mut all: Vec<_> = [Made::Planar, Made::OnPlane, Made::Hinges].map(mechanism).into();
    for k in 0..=20 {
        let mut seen = Vec::new();
        for (sim, points) in &mut all {
            sim.run_until(0.1 * k as f64).expect("regular");
            let places: Vec<(Vec3, Vec3)> = points.iter().map(|&p| sim.point(p)).collect();
            seen.push((places, sim.energy().total()));
        }
        for other in &seen[1..] {
            for (a, b) in seen[0].0.iter().zip(&other.0) {
                worst.demand("positions", (a.0 - b.0).length(), 1e-9);
                worst.demand("velocities", (a.1 - b.1).length(), 1e-8);
            }
            worst.demand("energies", (seen[0].1 - other.1).abs(), 1e-9);
        }
    }
    // and it has moved
    let (sim, points) = &all[0];
    assert!((sim.point(points[0]).0 - vec3(0.0, 0.4, 0.0)).length() > 0.1);
    worst.print("planar against rigid");
}

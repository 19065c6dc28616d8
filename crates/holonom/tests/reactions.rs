//! Reactions: action and reaction, either role of the two bodies, either form of the rows.

mod common;

use common::grow::Wish;
use common::spec::{BodySpec, Kind, Spec, body_id};
use common::{for_mechanisms, gap, size};
use holonom::Reaction;
use holonom::prelude::*;

/// Rate of momentum of one body, and its rate of angular momentum about the world origin, less gravity.
fn inertial_wrench(spec: &Spec, i: usize, sim: &Simulation, a: &[f64]) -> (Vec3, Vec3) {
    let b = &spec.bodies[i];
    let a = &a[sim.model().v_range(body_id(i))];
    let three = |k: usize| vec3(a[k], a[k + 1], a[k + 2]);
    let centre = sim.centre(body_id(i));
    let (linear, spin) = match b.kind {
        Kind::Particle => (three(0), Vec3::ZERO),
        Kind::Rigid => {
            let r = sim.axes(body_id(i)).expect("has axes");
            let w = sim.spin(body_id(i)).expect("has a spin");
            let inertia = r * b.inertia() * r.transpose();
            (three(0), inertia * three(3) + w.cross(inertia * w))
        }
        Kind::Planar => {
            let p = b.plane();
            (p.x_axis * a[0] + p.y_axis * a[1], p.z_axis * (b.inertia().z_axis.z * a[2]))
        }
        Kind::Affine => {
            let shape = sim.axes(body_id(i)).expect("has axes");
            let terms = (0..9).map(|k| shape.col(k / 3).cross(three(3 + 3 * (k % 3))) * b.second.col(k / 3)[k % 3]);
            (three(0), terms.sum())
        }
        Kind::Uniform | Kind::PerAxis => {
            // as points of the shape A = R S: A'' = [w'] A + R S'' + [w] [w] A + 2 [w] R S'
            let r = sim.axes(body_id(i)).expect("has axes");
            let w = sim.spin(body_id(i)).expect("has a spin");
            let scales = |x: &[f64]| if b.kind == Kind::Uniform { Vec3::splat(x[0]) } else { vec3(x[0], x[1], x[2]) };
            let s = scales(&sim.state().q[sim.model().q_range(body_id(i))][7..]);
            let rate = scales(&sim.state().v[sim.model().v_range(body_id(i))][6..]);
            let column = |k: usize| r.col(k) * s[k];
            let second = |k: usize| {
                let spun = w.cross(column(k)) + r.col(k) * (2.0 * rate[k]);
                three(3).cross(column(k)) + r.col(k) * scales(&a[6..])[k] + w.cross(spun)
            };
            let terms = (0..9).map(|k| column(k / 3).cross(second(k % 3)) * b.second.col(k / 3)[k % 3]);
            (three(0), terms.sum())
        }
    };
    let force = (linear - spec.gravity) * b.mass;
    (force, spin + centre.cross(force))
}

/// What a body can feel of a wrench: a planar body only what acts in its plane.
fn felt(b: &BodySpec, centre: Vec3, (force, moment): (Vec3, Vec3)) -> [f64; 6] {
    if b.kind == Kind::Planar {
        let p = b.plane();
        let about = moment - centre.cross(force);
        return [p.x_axis.dot(force), p.y_axis.dot(force), 0.0, 0.0, 0.0, p.z_axis.dot(about)];
    }
    let [fx, fy, fz] = force.to_array();
    let [mx, my, mz] = moment.to_array();
    [fx, fy, fz, mx, my, mz]
}

fn wrench(r: &Reaction) -> (Vec3, Vec3) {
    (r.force, r.torque + r.point.cross(r.force))
}

/// Every joint pushes body b with its reaction and body a with the opposite: with that, force and moment of every body balance.
#[test]
fn the_two_sides_of_every_joint_balance() {
    for_mechanisms("balance", 2.0, Wish { forces: false, ..Wish::ANY }, |spec, worst| {
        let sim = spec.simulation();
        let a = sim.accelerations().expect("regular");
        let n = spec.bodies.len();
        let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); n];
        let mut scale = vec![0.0; n];
        for (j, id) in spec.joints.iter().zip(sim.model().joints()) {
            let (force, moment) = wrench(&sim.reaction(id).expect("regular"));
            for (body, sign) in [(j.a.body, -1.0), (j.b.body, 1.0)] {
                if let Some(i) = body.index() {
                    sums[i].0 += sign * force;
                    sums[i].1 += sign * moment;
                    scale[i] += force.length() + moment.length();
                }
            }
        }
        for i in 0..n {
            let centre = sim.centre(body_id(i));
            let inertial = inertial_wrench(spec, i, &sim, &a);
            let weight = spec.bodies[i].mass * (spec.gravity.length() + size(&a)) * (1.0 + centre.length());
            let scale = scale[i] + weight + inertial.1.length();
            let error = gap(&felt(&spec.bodies[i], centre, sums[i]), &felt(&spec.bodies[i], centre, inertial));
            worst.at_most("imbalance of a body", error / scale.max(1e-300), 1e-10)?;
        }
        Ok(())
    });
}

/// All reactions of a mechanism, moved to the world origin.
fn wrenches(sim: &mut Simulation) -> Vec<f64> {
    let joints: Vec<_> = sim.model().joints().collect();
    let all = joints.into_iter().flat_map(|j| {
        let (f, m) = wrench(&sim.reaction(j).expect("regular"));
        [f.x, f.y, f.z, m.x, m.y, m.z]
    });
    all.collect()
}

/// Exchanging the roles of a and b changes the sign of the reaction and nothing else.
#[test]
fn the_roles_of_the_bodies_do_not_matter() {
    for_mechanisms("roles", 2.0, Wish::ANY, |spec, worst| {
        let mut turned = spec.clone();
        let mut signs = vec![1.0; spec.joints.len()];
        for (j, joint) in spec.joints.iter().enumerate() {
            // the axes of an affine body stretch: a condition written with them is another one than with the axes of its partner
            let deforms = |m: &Marker| m.body.index().is_some_and(|i| spec.bodies[i].kind == Kind::Affine);
            let by_points = ["spherical", "distance"].contains(&joint.name());
            if !by_points && (deforms(&joint.a) || deforms(&joint.b)) {
                continue;
            }
            if let Some(other) = joint.turned() {
                turned.joints[j] = other;
                signs[j] = -1.0;
            }
        }
        let mut sim = spec.simulation();
        // between planar bodies other rows may be dropped, and a rough start pose may then be led to another branch
        if common::grow::verdict(&turned).is_err() {
            worst.note("turned mechanism refused", 1.0);
            return Ok(());
        }
        let mut other = turned.simulation();
        // assembly from a rough pose may end elsewhere: compare at one state
        let (q, v) = (sim.state().q.clone(), sim.state().v.clone());
        set_motion(&mut other, &q, &v);
        // a body that nothing pushes has neither
        let scale = (size(&sim.accelerations().expect("regular")) + size(&wrenches(&mut sim))).max(1e-300);
        let error = gap(&sim.accelerations().expect("regular"), &other.accelerations().expect("regular")) / scale;
        worst.at_most("accelerations", error, 1e-10)?;
        // where rows are dropped (planar bodies) the split between rows that say the same is arbitrary
        if spec.bodies.iter().all(|b| b.kind != Kind::Planar) {
            let found: Vec<f64> = wrenches(&mut other).iter().enumerate().map(|(k, x)| signs[k / 6] * x).collect();
            worst.at_most("reactions", gap(&wrenches(&mut sim), &found) / scale, 1e-10)?;
        }
        Ok(())
    });
}

fn set_motion(sim: &mut Simulation, q: &[f64], v: &[f64]) {
    let state = sim.state_mut();
    state.q.copy_from_slice(q);
    state.v.copy_from_slice(v);
}

/// Lock rows and general rows are two ways to write the same joint.
#[test]
fn lock_rows_and_general_rows_agree() {
    for_mechanisms("rows", 4.0, Wish::ANY, |spec, worst| {
        let general = Spec { general_rows: true, ..spec.clone() };
        let (mut lock, mut rows) = (spec.simulation(), general.simulation());
        let (q, v) = (lock.state().q.clone(), lock.state().v.clone());
        set_motion(&mut rows, &q, &v);
        let (a, b) = (lock.accelerations().expect("regular"), rows.accelerations().expect("regular"));
        let scale = size(&a) + size(&wrenches(&mut lock));
        worst.at_most("accelerations", gap(&a, &b) / scale.max(1e-300), 1e-10)?;
        let (r, s) = (wrenches(&mut lock), wrenches(&mut rows));
        worst.at_most("reactions", gap(&r, &s) / scale.max(1e-300), 1e-10)
    });
}

/// A planar body in a tilted plane hangs from a pin: the plane carries the weight across it, the pin only what acts within the plane.
#[test]
fn a_pin_in_a_tilted_plane_carries_its_share() {
    let (slope, weight) = (0.5f64, 9.81);
    let (s, c) = slope.sin_cos();
    // u is level, w points up the slope
    let (u, w) = (vec3(1.0, 0.0, 0.0), vec3(0.0, c, s));
    let mut m = ModelBuilder::new();
    let plate = m.body("plate", Planar::new(1.0, 0.1).plane(Vec3::ZERO, u, w).pose(0.0, -1.0, 0.0));
    let normal = u.cross(w);
    // markers with axes of no particular direction, turned about the normal
    let pin = m
        .joint("pin", Revolute::new(m.marker(BodyId::GROUND, Vec3::ZERO, normal), m.marker(plate, Vec3::ZERO, normal)));
    let sim = Simulation::build(m).expect("valid");
    let r = sim.reaction(pin).expect("regular");
    let expected = w * (weight * s);
    assert!((r.force - expected).length() < 1e-12, "pin load {} N, expected {expected} N", r.force);
    assert!(r.torque.length() < 1e-12, "{}", r.torque);
}

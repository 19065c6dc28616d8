//! Starts of joints that lie on loops.
//!
//! [`crate::initial_poses`] moves bodies along a forest of joints; where these close loops, the engine's assembly moves
//! all bodies a little to close them, and a joint would not begin at its `start`. So the loops are first closed with
//! the coordinates that were given held by drives, then the rates in the same way, and the model itself is built in the
//! pose and motion found. Where joints of a loop have more starts than it has freedom, such a pose need not exist; then
//! the nearest one counts, which is what the assembly finds by itself.

use crate::build::Drafted;
use crate::initial_poses::BodyStart;
use crate::scene::{Pose, Scene};
use holonom::joints::{Chart, CoordinateKind, Motor};
use holonom::math::{Vec3, quat_from_axes, unwrap_angle};
use holonom::{BodyId, Coordinate, Marker, Model, Simulation};
use std::sync::Arc;

/// How far a coordinate (m, rad) or its rate may be from the value given.
const NEAR: f64 = 1e-9;

/// A coordinate and its given start.
struct GivenStart<'a> {
    joint: &'a str,
    index: usize,
    value: Option<f64>,
    rate: Option<f64>,
}

/// All given starts of coordinates that can be driven. A ball joint has none, and rolling has others than those it is
/// started by.
fn given_starts<'s>(scene: &'s Scene, model: &Model) -> Vec<GivenStart<'s>> {
    let mut out = Vec::new();
    let driven = |name: &str| {
        let constraint = model.joint(name).map(|joint| model.constraint(joint));
        constraint.is_none_or(|c| c.chart().is_none_or(|chart| chart.n_u() == c.coordinates().len()))
    };
    for link in scene.joints.iter().filter(|link| driven(&link.name)) {
        let (values, rates) = (link.record.numbers("start"), link.record.numbers("start_rate"));
        let n = values.map_or(0, <[f64]>::len).max(rates.map_or(0, <[f64]>::len));
        out.extend((0..n).map(|index| GivenStart {
            joint: &link.name,
            index,
            value: values.and_then(|v| v.get(index).copied()),
            rate: rates.and_then(|r| r.get(index).copied()),
        }));
    }
    out
}

/// Do the coordinates have their given starts?
fn kept(sim: &Simulation, given: &[GivenStart]) -> bool {
    given.iter().all(|s| {
        let model = sim.model();
        let Some(constraint) = model.joint(s.joint).map(|joint| model.constraint(joint)) else { return true };
        let kind = constraint.coordinates().get(s.index).copied();
        let found = constraint.chart().and_then(|chart| coordinate(sim, chart, s.index));
        let (Some(kind), Some((value, rate))) = (kind, found) else { return true };
        let near = |found: f64, wanted: f64| (found - wanted).abs() <= NEAR * (1.0 + wanted.abs());
        let turned = |wanted: f64| if kind == CoordinateKind::Angle { unwrap_angle(value, wanted) } else { value };
        s.value.is_none_or(|x| near(turned(x), x)) && s.rate.is_none_or(|x| near(rate, x))
    })
}

/// A coordinate and its rate, looking at the two bodies of its joint only.
fn coordinate(sim: &Simulation, chart: &dyn Chart, index: usize) -> Option<(f64, f64)> {
    let (a, b) = chart.markers();
    let axes = |m: &Marker| Some(sim.axes(m.body)? * m.axes);
    let spin = |m: &Marker| if m.body == BodyId::GROUND { Some(Vec3::ZERO) } else { sim.spin(m.body) };
    let ((pa, va), (pb, vb)) = (sim.point(a), sim.point(b));
    let (back, wa) = (axes(&a)?.transpose(), spin(&a)?);
    let mut u = vec![0.0; chart.n_u()];
    chart.read(back * (pb - pa), back * axes(&b)?, &mut u);
    let linear = back * (vb - va - wa.cross(pb - pa));
    let angular = back * (spin(&b)? - wa);
    let (l, w) = chart.rate_row(&u, index);
    Some((*u.get(index)?, linear.dot(l) + angular.dot(w)))
}

/// The places and motions of the bodies of a model at its start; rotations of bodies that have no axes, or skew ones,
/// as they were drawn.
fn places_in(sim: &Simulation, scene: &Scene) -> Vec<BodyStart> {
    let place = |(i, body): (usize, &crate::scene::BodyRecord)| {
        let id = BodyId::from_index(i);
        let (position, velocity) = sim.point(id.origin());
        let axes = sim.axes(id).filter(|a| (*a * a.transpose()).abs_diff_eq(holonom::Mat3::IDENTITY, 1e-9));
        let rotation = axes.map_or(body.pose.rotation, quat_from_axes);
        let spin = sim.spin(id).unwrap_or(body.spin);
        BodyStart::new(Pose { position, rotation }, velocity, spin)
    };
    scene.bodies.iter().enumerate().map(place).collect()
}

/// The same model, its joints at their given starts as far as loops allow. `again` drafts it with bodies in other
/// places.
pub(crate) fn settled<'s>(
    scene: &'s Scene,
    model: Model,
    again: impl Fn(Option<Vec<BodyStart>>) -> Option<Drafted<'s>>,
) -> Model {
    // `[start]` overrides the starts of joints
    let given = if model.has_loops() && scene.starts.is_empty() { given_starts(scene, &model) } else { Vec::new() };
    if given.is_empty() {
        return model;
    }
    let model = Arc::new(model);
    let kept = kept(&Simulation::new(model.clone()), &given);
    let better = if kept { None } else { found(scene, &given, again) };
    // no other reference to it is left
    better.or_else(|| Arc::try_unwrap(model).ok()).expect("the simulation that looked at it is gone")
}

/// The model in the pose and motion in which all given starts hold.
fn found<'s>(
    scene: &'s Scene,
    given: &[GivenStart],
    again: impl Fn(Option<Vec<BodyStart>>) -> Option<Drafted<'s>>,
) -> Option<Model> {
    // with a row more for every coordinate that `hold` gives a motor for
    let held = |mut drafted: Drafted, hold: &dyn Fn(&GivenStart, Coordinate) -> Option<Motor>| -> Option<Simulation> {
        for s in given {
            let Some(&joint) = drafted.ids.get(s.joint) else { continue };
            if s.index >= drafted.builder.constraint(joint).coordinates().len() {
                continue;
            }
            if let Some(motor) = hold(s, drafted.builder.coordinate(joint, s.index)) {
                // no joint of a scene has a dot in its name
                drafted.builder.joint(format!("{}.{}", s.joint, s.index), motor);
            }
        }
        Some(Simulation::new(drafted.builder.build().ok()?))
    };
    let drafted = again(None)?;
    let moving = drafted.places.clone()?;
    let posed = held(drafted, &|s, c| s.value.map(|x| Motor::position(c, x)))?;
    let mut places = places_in(&posed, scene);
    for (place, moving) in places.iter_mut().zip(&moving) {
        place.move_like(moving);
    }
    if given.iter().any(|s| s.rate.is_some()) {
        let drafted = again(Some(places))?;
        places = places_in(&held(drafted, &|s, c| s.rate.map(|x| Motor::speed(c, x)))?, scene);
    }
    again(Some(places))?.builder.build().ok()
}

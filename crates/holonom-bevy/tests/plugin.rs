//! The plugin against a loop without Bevy.

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy, Virtual};
use bevy_transform::TransformPlugin;
use bevy_transform::prelude::*;
use holonom::prelude::*;
use holonom_bevy::{HolonomPlugin, Mechanism, MotionStopped, ShownBody, Z_UP};
use std::time::Duration;

/// Bevy's own fixed step, s: exact in binary.
const STEP: f64 = 1.0 / 64.0;

fn pendulum() -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let axis = BodyId::GROUND.origin().along([0.0, 1.0, 0.0]);
    m.joint("pin", Revolute::new(axis, rod.at([-0.5, 0.0, 0.0]).along([0.0, 1.0, 0.0])));
    (Simulation::build(m).unwrap(), rod)
}

/// An app whose frames take this long.
fn app(frame: f64) -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin, HolonomPlugin));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(frame)));
    app
}

/// A mechanism and what shows a body of it.
fn spawn(app: &mut App, mechanism: Mechanism, body: BodyId) -> (Entity, Entity) {
    let parent = app.world_mut().spawn(mechanism).id();
    (parent, app.world_mut().spawn((ShownBody(body), ChildOf(parent))).id())
}

fn sim(app: &App, mechanism: Entity) -> &Simulation {
    &app.world().get::<Mechanism>(mechanism).unwrap().sim
}

#[test]
fn steps_are_those_of_a_plain_loop_whatever_the_frames() {
    for (frame, frames, parts) in [(STEP, 65, 1), (4.0 * STEP, 17, 1), (STEP / 2.0, 129, 3)] {
        let (ours, rod) = pendulum();
        let mut app = app(frame);
        let (mechanism, _) = spawn(&mut app, Mechanism::new(ours).in_parts(parts), rod);
        // the first frame has no time yet
        (0..frames).for_each(|_| app.update());
        let (mut plain, _) = pendulum();
        for _ in 0..64 * parts {
            plain.step(STEP / f64::from(parts)).unwrap();
        }
        assert_eq!(sim(&app, mechanism).state().hash(), plain.state().hash(), "frames of {frame} s");
    }
}

#[test]
fn a_body_is_drawn_between_the_two_newest_steps_with_z_up() {
    let (ours, rod) = pendulum();
    let mut app = app(STEP / 4.0);
    let (_, shown) = spawn(&mut app, Mechanism::new(ours), rod);
    // two steps and three quarters of the next
    (0..12).for_each(|_| app.update());
    let (mut plain, rod) = pendulum();
    plain.step(STEP).unwrap();
    let before = plain.point(rod.origin()).0;
    plain.step(STEP).unwrap();
    let wanted = before.lerp(plain.point(rod.origin()).0, 0.75);
    let local = app.world().get::<Transform>(shown).unwrap();
    assert!((local.translation - wanted.as_vec3()).length() < 1e-6, "{local:?}, {wanted}");
    let at = app.world().get::<GlobalTransform>(shown).unwrap().translation();
    assert!((at.y - wanted.z as f32).abs() < 1e-6 && (at.z + wanted.y as f32).abs() < 1e-6, "{at}");
    assert!((Z_UP * bevy_math::Vec3::Z - bevy_math::Vec3::Y).length() < 1e-6);
}

#[test]
fn time_that_is_paused_moves_nothing() {
    let (ours, rod) = pendulum();
    let mut app = app(STEP);
    let (mechanism, _) = spawn(&mut app, Mechanism::new(ours), rod);
    app.world_mut().resource_mut::<bevy_time::Time<Virtual>>().pause();
    (0..10).for_each(|_| app.update());
    assert_eq!(sim(&app, mechanism).time(), 0.0);
}

#[derive(Resource, Default)]
struct Stops(Vec<MotionStopped>);

#[test]
fn a_motion_that_cannot_be_followed_stops_with_a_message_and_its_last_good_state() {
    let (mut ours, rod) = pendulum();
    // not a number: refused by the step, by name
    ours.state_mut().v.fill(f64::NAN);
    let mut app = app(STEP);
    app.init_resource::<Stops>();
    app.add_systems(Update, |mut heard: MessageReader<MotionStopped>, mut stops: ResMut<Stops>| {
        stops.0.extend(heard.read().cloned());
    });
    let (broken, _) = spawn(&mut app, Mechanism::new(ours), rod);
    let (other, rod) = pendulum();
    let (sound, _) = spawn(&mut app, Mechanism::new(other), rod);
    (0..10).for_each(|_| app.update());
    let stops = &app.world().resource::<Stops>().0;
    assert_eq!(stops.len(), 1, "{stops:?}");
    assert_eq!(stops[0].mechanism, broken);
    assert!(app.world().get::<Mechanism>(broken).unwrap().stopped().is_some());
    assert!(sim(&app, sound).time() > 0.1);
}

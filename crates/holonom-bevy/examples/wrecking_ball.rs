//! Watch for: a level of a game in Bevy, without a window: the same bits at 30, 60 and 144 frames per second, and bodies drawn between the steps.

use bevy_app::{App, Startup};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::prelude::*;
use holonom::prelude::*;
use holonom_bevy::{HolonomPlugin, HolonomSystems, Mechanism, ShownBody};
use std::time::Duration;

/// Fixed steps after which the runs are compared: two seconds of Bevy's 64 a second.
const STEPS: u64 = 128;

/// The state after so many steps.
#[derive(Resource, Default)]
struct Seen {
    steps: u64,
    hash: Option<u64>,
}

/// The box that is looked at.
#[derive(Component)]
struct Top;

/// A wrecking ball of half a tonne on eight links of two kilograms, held level, and three boxes.
fn level(mut commands: Commands) -> Result {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.6);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let mut above = BodyId::GROUND.at([0.0, 0.0, 4.2]);
    for i in 0..8 {
        let x = -0.4 * (f64::from(i) + 0.5);
        let link = m.body(format!("link {i}"), Rigid::cuboid(2.0, [0.4, 0.05, 0.05]).position([x, 0.0, 4.2]));
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([0.2, 0.0, 0.0])));
        above = link.at([-0.2, 0.0, 0.0]);
    }
    let ball = m.body("ball", Rigid::ball(500.0, 0.4).position([-3.2, 0.0, 4.2]));
    m.joint("hook", Spherical::new(above, ball.origin()));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.4 }, stone);
    let boxes: Vec<BodyId> = (0..3)
        .map(|i| {
            let at = [0.7, 0.0, 0.25 + 0.5 * f64::from(i)];
            let brick = m.body(format!("box {i}"), Rigid::cuboid(20.0, [0.5; 3]).position(at));
            m.shape(brick.origin(), Shape::Box { half: vec3(0.25, 0.25, 0.25) }, stone);
            brick
        })
        .collect();
    let mut sim = Simulation::build(m)?;
    sim.set_integrator(IntegratorKind::Stepping);
    let level = commands.spawn(Mechanism::new(sim).in_parts(4)).id();
    // in a game each of these also gets a mesh and a material
    commands.spawn((ShownBody(ball), ChildOf(level)));
    for brick in boxes {
        let mut shown = commands.spawn((ShownBody(brick), ChildOf(level)));
        shown.insert_if(Top, || brick.index() == Some(11));
    }
    Ok(())
}

fn look(mut seen: ResMut<Seen>, mechanism: Single<&Mechanism>) {
    seen.steps += 1;
    if seen.steps == STEPS {
        seen.hash = Some(mechanism.sim.state().hash());
    }
}

fn main() {
    let mut ends = Vec::new();
    for rate in [30, 60, 144] {
        let mut app = App::new();
        app.add_plugins((TimePlugin, TransformPlugin, HolonomPlugin)).init_resource::<Seen>();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / rate));
        app.add_systems(Startup, level);
        app.add_systems(bevy_app::FixedUpdate, look.after(HolonomSystems::Step));
        let mut frames = 0;
        let hash = loop {
            app.update();
            frames += 1;
            if let Some(hash) = app.world().resource::<Seen>().hash {
                break hash;
            }
        };
        let mut top = app.world_mut().query_filtered::<&GlobalTransform, With<Top>>();
        let at = top.iter(app.world()).next().map(GlobalTransform::translation).unwrap_or_default();
        println!(
            "{rate:>3} frames per second: {frames} frames; the top box is drawn at height {:.2} m, {:.2} m along",
            at.y, at.x
        );
        ends.push(hash);
    }
    println!(
        "after {STEPS} steps the state has the hash {:016x}, whatever the frames: {}",
        ends[0],
        ends.iter().all(|h| *h == ends[0])
    );
    assert!(ends.iter().all(|hash| *hash == ends[0]), "{ends:x?}");
}

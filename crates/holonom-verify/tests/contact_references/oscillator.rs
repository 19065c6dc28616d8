//! p20: a block on a spring with dry friction; on the floor, and on a slide with friction in the joint.

use super::{close, events_until, first_order, problem, stepped};
use holonom::EventKind;
use holonom::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Particle,
    Cuboid,
    Slide,
}

const WAYS: [Way; 3] = [Way::Particle, Way::Cuboid, Way::Slide];

fn oscillator(way: Way) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let half = vec3(0.2, 0.1, 0.05);
    let material = Material::new(0.3);
    let block = match way {
        Way::Particle => m.body("block", Particle::new(1.0, [0.2, 0.0, 0.0])),
        _ => m.body("block", Rigid::cuboid(1.0, half * 2.0).position([0.2, 0.0, half.z])),
    };
    let height = if way == Way::Particle { 0.0 } else { half.z };
    m.force("spring", Spring::new(BodyId::GROUND.at([-1.0, 0.0, height]), block.origin(), 100.0, 1.0));
    if way == Way::Slide {
        let (a, b) = (m.marker(BodyId::GROUND, [0.0, 0.0, height], Vec3::X), block.origin().along(Vec3::X));
        let slide = m.joint("slide", Prismatic::new(a, b));
        m.joint("friction", DryFriction::of_load(m.coordinate(slide, 0), 0.3));
    } else {
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
        m.shape(block.origin(), if way == Way::Particle { Shape::Point } else { Shape::Box { half } }, material);
    }
    (Simulation::build(m).unwrap(), block)
}

#[test]
fn a_block_on_a_spring_turns_and_stops() {
    let p = problem("p20");
    for way in WAYS {
        let (mut sim, block) = oscillator(way);
        let events = events_until(&mut sim, 1.5);
        let mut times: Vec<f64> =
            events.iter().filter(|e| e.kind == EventKind::Slips && e.time > 0.0).map(|e| e.time).collect();
        times.extend(events.iter().find(|e| e.kind == EventKind::Sticks).map(|e| e.time));
        // a box turns on all four corners at once
        times.dedup();
        assert_eq!(times.len(), 3, "{way:?}: {events:?}");
        let (mut again, _) = oscillator(way);
        for (k, row) in p.samples.iter().enumerate().skip(1) {
            close(&format!("{way:?} time {k}"), times[k - 1], row[1], 1e-9);
            again.run_until(times[k - 1]).unwrap();
            close(&format!("{way:?} turning point {k}"), again.centre(block).x, row[2], 1e-10);
        }
        close(&format!("{way:?} x_stop"), sim.centre(block).x, p.scalar("x_stop"), 1e-10);
        close(&format!("{way:?} t_stop"), times[2], p.scalar("t_stop"), 1e-9);
        // at rest, exactly and for good
        let stopped = sim.centre(block);
        sim.run_until(61.5).unwrap();
        close(&format!("{way:?} speed at rest"), sim.centre_velocity(block).length(), 0.0, 1e-15);
        close(&format!("{way:?} drift in a minute"), (sim.centre(block) - stopped).length(), 0.0, 1e-12);
        // the band in which it sticks: friction holds the spring there, and not beyond
        let friction = 100.0 * p.scalar("x_stop").abs() / 9.81;
        assert!(friction < 0.3 && p.scalar("stick_band") == 0.3 * 9.81 / 100.0);
    }
}

#[test]
fn a_block_on_a_spring_stepped() {
    let p = problem("p20");
    for way in WAYS {
        let known = p.samples[1][2];
        // the turning point is a minimum: its own error, not that of the time of looking
        first_order(&format!("{way:?} first turning point"), 5e-3, |dt| {
            let sim = oscillator(way).0;
            let block = BodyId::from_index(0);
            let mut least = f64::INFINITY;
            let mut sim = stepped(sim, dt, dt);
            while sim.time() < 0.4 {
                sim.run_fixed(sim.time() + dt, dt).unwrap();
                least = least.min(sim.centre(block).x);
            }
            least - known
        });
        let (sim, block) = oscillator(way);
        let mut sim = stepped(sim, 1.5, 1e-3);
        let stopped = sim.centre(block);
        close(&format!("{way:?} x_stop, stepped"), stopped.x, p.scalar("x_stop"), 1e-5);
        sim.run_fixed(2.5, 1e-3).unwrap();
        close(&format!("{way:?} speed, stepped"), sim.centre_velocity(block).length(), 0.0, 1e-13);
        close(&format!("{way:?} drift, stepped"), (sim.centre(block) - stopped).length(), 0.0, 1e-13);
    }
}

//! What users of contact take for granted, each against a known answer: shapes that cannot touch are refused, rays and
//! casts answer where shapes are, belts carry, slow impacts do not rebound, soft surfaces give way by their law, sensors
//! notice, events have their impulses.

use holonom::prelude::*;
use holonom::{Event, EventKind, EventPlace};

const G: f64 = 9.81;

/// Both ways through time.
fn both() -> [IntegratorKind; 2] {
    [IntegratorKind::default(), IntegratorKind::Stepping]
}

fn simulate(m: ModelBuilder, integrator: IntegratorKind) -> Simulation {
    let mut sim = Simulation::build(m).expect("a model");
    sim.set_integrator(integrator);
    sim
}

/// To the time `t`, in steps of `h`.
fn run(sim: &mut Simulation, t: f64, h: f64) {
    let steps = ((t - sim.time()) / h).round() as usize;
    for _ in 0..steps {
        sim.step(h).expect("it steps");
    }
}

fn tetrahedron() -> Shape {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    Shape::Mesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

/// Two bodies with surfaces of triangles would pass through each other: that is said, unless they are told to.
#[test]
fn two_meshes_do_not_pass_in_silence() {
    let describe = || {
        let mut m = ModelBuilder::new();
        let a = m.body("left", Rigid::ball(1.0, 0.5));
        let b = m.body("right", Rigid::ball(1.0, 0.5).position([5.0, 0.0, 0.0]));
        m.shape(a.origin(), tetrahedron(), Material::default());
        m.shape(b.origin(), tetrahedron(), Material::default());
        (m, a, b)
    };
    let message = Simulation::build(describe().0).err().expect("refused").to_string();
    assert!(message.contains("`left`") && message.contains("`right`"), "{message}");
    let (mut m, a, b) = describe();
    m.ignore_pair(a, b);
    Simulation::build(m).expect("they may pass");
    // a mesh on the ground and a hull on a body
    let (mut m, a, b) = describe();
    m.ignore_pair(a, b);
    m.shape(BodyId::GROUND.origin(), tetrahedron(), Material::default());
    assert!(Simulation::build(m).is_err(), "the ground's mesh meets those of the bodies");
}

#[test]
fn queries_answer_where_shapes_are() {
    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 2.0]));
    let crate_ = m.body("crate", Rigid::ball(1.0, 0.1).position([3.0, 0.0, 0.5]).velocity([0.0, 1.0, 0.0]));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::smooth());
    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
    let corner = m.shape(crate_.origin(), Shape::Box { half: vec3(0.5, 0.5, 0.5) }, Material::smooth());
    let mut sim = Simulation::build(m).expect("a model");
    let mut shapes = sim.queries().expect("queries");
    let hit = shapes.ray(vec3(3.0, 0.0, 9.0), vec3(0.0, 0.0, -2.0), 20.0).expect("the crate");
    assert!(hit.shape == corner && hit.body == crate_ && (hit.distance - 8.0).abs() < 1e-12);
    assert!((hit.normal - Vec3::Z).length() < 1e-12);
    let hit = shapes.ray_where(vec3(3.0, 0.0, 9.0), -Vec3::Z, 20.0, |_, b| b != crate_).expect("the ground");
    assert!(hit.body.is_ground() && (hit.distance - 9.0).abs() < 1e-12);
    assert!(shapes.ray(vec3(0.0, 0.0, 9.0), Vec3::Z, 20.0).is_none());
    // a box of half a metre that slides along x towards the crate stops half a metre before it
    let probe = Shape::Box { half: vec3(0.5, 0.2, 0.2) };
    let place = (vec3(0.0, 0.0, 0.5), Mat3::IDENTITY);
    let hit = shapes.cast(&probe, place, Vec3::X, 50.0, |_, _| true).expect("a shape").expect("the crate");
    assert!(hit.body == crate_ && (hit.distance - 2.0).abs() < 1e-12, "{hit:?}");
    let down = shapes.cast(&probe, place, -Vec3::Z, 50.0, |_, _| true).expect("a shape").expect("the ground");
    assert!(down.body.is_ground() && (down.distance - 0.3).abs() < 1e-12, "{down:?}");
    // the point of the crate nearest to a place
    let near = shapes.closest(&Shape::Point, (vec3(2.0, 2.0, 0.25), Mat3::IDENTITY), 50.0, |_, b| b == crate_);
    let near = near.expect("a shape").expect("the crate");
    assert!((near.distance - (0.5f64.powi(2) + 1.5f64.powi(2)).sqrt()).abs() < 1e-12, "{near:?}");
    assert!((near.points.1 - vec3(2.5, 0.5, 0.25)).length() < 1e-12);
    let apart = shapes.between(ball, crate_, 50.0).expect("near");
    let expected = (2.5f64.powi(2) + 1.0).sqrt() - 0.1;
    assert!((apart.distance - expected).abs() < 1e-12, "{} for {expected}", apart.distance);
    // and after a while
    sim.run_until(0.5).expect("it runs");
    sim.follow_queries(&mut shapes).expect("the same model");
    let height = 2.0 - 0.5 * 9.81 * 0.25 - 0.1;
    let apart = shapes.between(ball, BodyId::GROUND, 50.0).expect("near");
    assert!((apart.distance - height).abs() < 1e-9, "{}", apart.distance);
    assert!(shapes.closest(&Shape::Sphere { radius: -1.0 }, place, 1.0, |_, _| true).is_err());
}

/// A box laid on a belt is carried along with mu g until it has the belt's speed, and then rides.
#[test]
fn a_belt_accelerates_a_box_to_its_speed() {
    let (mu, speed) = (0.3, 1.2);
    for integrator in both() {
        let mut m = ModelBuilder::new();
        let belt = m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(mu));
        m.surface_velocity(belt, [speed, 0.0, 5.0]); // of it the part along the plane counts
        let parcel = m.body("parcel", Rigid::cuboid(2.0, [0.4, 0.4, 0.4]).position([0.0, 0.0, 0.2]));
        m.shape(parcel.origin(), Shape::Box { half: vec3(0.2, 0.2, 0.2) }, Material::new(mu));
        let mut sim = simulate(m, integrator);
        let slip = speed / (mu * G);
        run(&mut sim, 0.5 * slip, slip / 400.0);
        let (x, v) = sim.point(parcel.origin());
        assert!((v.x - mu * G * sim.time()).abs() < 2e-9, "{integrator:?}: {} m/s", v.x);
        assert!((x.x - 0.5 * mu * G * sim.time().powi(2)).abs() < 4e-3 * speed * slip, "{integrator:?}: {x}");
        run(&mut sim, 3.0 * slip, slip / 400.0);
        let (x, v) = sim.point(parcel.origin());
        assert!((v - vec3(speed, 0.0, 0.0)).length() < 1e-9, "{integrator:?}: {v}");
        // half of the way of the slip is lost
        assert!((x.x - speed * (sim.time() - 0.5 * slip)).abs() < 5e-3 * speed * slip, "{integrator:?}: {x}");
        assert!((x.z - 0.2).abs() < 1e-8, "{integrator:?}: {x}");
        let l = sim.ledger();
        assert!(l.integrator.abs() < 1e-9, "{integrator:?}: {l:?}");
        // friction gave it the energy of the belt's speed, and no more
        assert!((l.friction - 0.5 * 2.0 * speed * speed).abs() < 1e-2, "{integrator:?}: {} J", l.friction);
    }
}

/// A belt on a disc that turns: the velocity of its surface turns along. A puck at rest over its middle is carried as the
/// difference of speeds says.
#[test]
fn a_belt_on_a_body_that_moves_counts_over_the_body() {
    for integrator in both() {
        let mut m = ModelBuilder::new();
        let cart = m.body("cart", Rigid::cuboid(1000.0, [4.0, 1.0, 0.2]).velocity([-0.5, 0.0, 0.0]));
        let top = m.shape(cart.origin(), Shape::Box { half: vec3(2.0, 0.5, 0.1) }, Material::new(0.5));
        m.surface_velocity(top, [0.5, 0.0, 0.0]);
        m.joint("rail", Prismatic::new(BodyId::GROUND.origin().along(Vec3::X), cart.origin().along(Vec3::X)));
        let puck = m.body("puck", Rigid::cuboid(1.0, [0.2, 0.2, 0.2]).position([0.0, 0.0, 0.2]));
        m.shape(puck.origin(), Shape::Box { half: vec3(0.1, 0.1, 0.1) }, Material::new(0.5));
        let mut sim = simulate(m, integrator);
        run(&mut sim, 1.0, 1e-2);
        // 0.5 m/s forward on what goes 0.5 m/s backward: it stays where it is
        let (x, v) = sim.point(puck.origin());
        assert!(v.length() < 1e-9 && (x - vec3(0.0, 0.0, 0.2)).length() < 1e-8, "{integrator:?}: {x} {v}");
        let contacts = sim.contacts().expect("forces");
        assert!(contacts.iter().all(|c| c.slip.length() < 1e-9), "{integrator:?}");
    }
}

/// Bounces of a ball: heights e^2 h, until the speed of an impact is below the threshold; that one is the last.
#[test]
fn slow_impacts_do_not_rebound() {
    let (e, threshold) = (0.5, 0.8);
    for integrator in both() {
        let mut m = ModelBuilder::new();
        let rubber = Material::smooth().restitution(e).restitution_speed(threshold);
        let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 1.1]));
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::smooth().restitution(e));
        m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, rubber);
        let mut sim = simulate(m, integrator);
        sim.keep_events(1000);
        run(&mut sim, 3.0, 1e-3);
        let impacts: Vec<Event> = sim.take_events().into_iter().filter(|e| e.kind == EventKind::Impact).collect();
        // 4.43, 2.21, 1.11 m/s rebound; 0.55 m/s does not
        let first = (2.0 * G).sqrt();
        let speeds: Vec<f64> = impacts.iter().map(|i| i.speed).collect();
        assert_eq!(impacts.len(), 4, "{integrator:?}: {speeds:?}");
        let exact = integrator != IntegratorKind::Stepping;
        for (k, impact) in impacts.iter().enumerate() {
            let speed = first * e.powi(k as i32);
            let back = if speed >= threshold { e } else { 0.0 };
            let near = if exact { 1e-9 } else { 2e-2 };
            assert!((impact.speed - speed).abs() < near, "{integrator:?}: {speeds:?}");
            // m (1 + e) u, and where time is stepped the weight over the step
            assert!((impact.impulse.z - (1.0 + back) * speed).abs() < 2.0 * near, "{integrator:?}: {impact:?}");
            assert!(impact.impulse.x == 0.0 && impact.impulse.y == 0.0);
            assert!(impact.point.expect("a point").length() < 1e-2, "{impact:?}");
        }
        let (x, v) = sim.point(ball.origin());
        assert!((x.z - 0.1).abs() < 1e-8 && v.length() < 1e-8, "{integrator:?}: {x} {v}");
    }
}

/// A ball on a soft floor rests m g / k deep; let go at touch without damping it swings with sqrt(k / m) about there.
#[test]
fn a_soft_floor_gives_way_by_its_law() {
    let (mass, k) = (2.0f64, 4000.0f64);
    let sink = mass * G / k;
    for integrator in both() {
        for (damping, settled) in [(2.0 * (k * mass).sqrt() * 0.5, true), (0.0, false)] {
            let mut m = ModelBuilder::new();
            let ball = m.body("ball", Rigid::ball(mass, 0.1).position([0.0, 0.0, 0.1]));
            m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.5).soft(k, damping));
            m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::new(0.5));
            let mut sim = simulate(m, integrator);
            let period = 2.0 * std::f64::consts::PI * (mass / k).sqrt();
            if settled {
                run(&mut sim, 20.0 * period, period / 50.0);
                let z = sim.point(ball.origin()).0.z;
                assert!((0.1 - sink - z).abs() < 1e-9, "{integrator:?}: {} for {sink}", 0.1 - z);
                let force: f64 = sim.contacts().expect("forces").iter().map(|c| c.force.z).sum();
                assert!((force - mass * G).abs() < 1e-6, "{integrator:?}: {force}");
                assert!(sim.overlap() == 0.0, "what the law says is no fault");
            } else {
                // at half a period it is twice as deep, and then back where it was
                let fine = if integrator != IntegratorKind::Stepping { period / 50.0 } else { period / 20_000.0 };
                run(&mut sim, 0.5 * period, fine);
                let z = sim.point(ball.origin()).0.z;
                let near = if integrator != IntegratorKind::Stepping { 1e-9 } else { 1e-3 * sink };
                assert!((0.1 - 2.0 * sink - z).abs() < near, "{integrator:?}: {} for {}", 0.1 - z, 2.0 * sink);
            }
            let l = sim.ledger();
            assert!(l.integrator.abs() < 1e-8, "{integrator:?}: {l:?}");
        }
    }
}

/// A heap of many soft touches, whichever solver takes it: every box of a wall stands, and the lowest row carries all
/// the weight.
#[test]
fn many_soft_touches_carry_the_weight() {
    let (mass, k, n) = (1.0, 1e5, 12);
    let soft = Material::new(0.6).soft(k, 300.0);
    let mut m = ModelBuilder::new();
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, soft);
    let mut top = BodyId::GROUND;
    for i in 0..n {
        let at = [0.0, 0.0, 0.1 + 0.2 * i as f64];
        top = m.body(format!("box{i}"), Rigid::cuboid(mass, [0.4, 0.4, 0.2]).position(at));
        m.shape(top.origin(), Shape::Box { half: vec3(0.2, 0.2, 0.1) }, soft);
    }
    let mut sim = simulate(m, IntegratorKind::Stepping);
    run(&mut sim, 2.0, 2e-3);
    // four touches of k / 2 each under every box: sink of joint i is (n - i) m g / (4 k / 2)
    let expected: f64 = (0..n).map(|i| f64::from(n - i) * mass * G / (2.0 * k)).sum();
    let z = sim.point(top.origin()).0.z;
    let sunk = 0.1 + 0.2 * f64::from(n - 1) - z;
    assert!((sunk - expected).abs() < 1e-6, "{sunk} for {expected}");
    let carried: f64 =
        sim.contacts().expect("forces").iter().filter(|c| c.bodies.1.is_ground()).map(|c| c.force.z).sum();
    assert!((carried - f64::from(n) * mass * G).abs() < 1e-3, "{carried}");
}

/// Friction of a soft touch has the limit mu times the force of the law: a block on a soft slope slides down with g (sin
/// - mu cos), and sticks below the angle of friction.
#[test]
fn friction_of_a_soft_touch_follows_the_force_of_its_law() {
    for integrator in both() {
        for (mu, slides) in [(0.3, true), (0.8, false)] {
            let angle = 0.5f64;
            let mut m = ModelBuilder::new();
            m.gravity([G * angle.sin(), 0.0, -G * angle.cos()]);
            let puck = m.body("puck", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 0.1]));
            // held upright: it slides and does not roll
            let upright = m.joint("upright", OrientationLock::new(BodyId::GROUND.origin(), puck.origin()));
            m.collide_across(upright);
            m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(mu).soft(1e4, 200.0));
            m.shape(puck.origin(), Shape::Sphere { radius: 0.1 }, Material::new(mu));
            let mut sim = simulate(m, integrator);
            run(&mut sim, 1.0, 1e-3);
            let before = sim.point(puck.origin()).1.x;
            run(&mut sim, 1.5, 1e-3);
            let v = sim.point(puck.origin()).1.x;
            let expected = if slides { G * (angle.sin() - mu * angle.cos()) } else { 0.0 };
            let near = if integrator != IntegratorKind::Stepping { 1e-8 } else { 1e-6 };
            assert!(((v - before) / 0.5 - expected).abs() < near, "{integrator:?} {mu}: {}", (v - before) / 0.5);
            assert!(slides || v.abs() < 1e-9, "{integrator:?}: {v}");
        }
    }
}

/// A ball falls through a thin sensor: it is noticed when it enters and when it leaves, at the moments of free fall, and
/// nothing holds it up.
#[test]
fn a_sensor_notices_and_does_not_push() {
    for (integrator, h) in
        [(IntegratorKind::default(), 0.7), (IntegratorKind::default(), 1e-2), (IntegratorKind::Stepping, 1e-2)]
    {
        let mut m = ModelBuilder::new();
        let gate =
            m.shape(BodyId::GROUND.at([0.0, 0.0, 1.0]), Shape::Box { half: vec3(1.0, 1.0, 0.01) }, Material::default());
        m.sensor(gate);
        let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 2.0]));
        let shape = m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::default());
        let mut sim = simulate(m, integrator);
        sim.keep_events(100);
        let steps = (0.7f64 / h).round() as usize;
        let mut seen = 0;
        for _ in 0..steps {
            sim.step(h).expect("it steps");
            seen += sim.sensed().len();
        }
        let events = sim.take_events();
        let kinds: Vec<EventKind> = events.iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [EventKind::Enters, EventKind::Leaves], "{integrator:?} {h}");
        for (event, height) in events.iter().zip([1.11, 0.89]) {
            let time = (2.0 * (2.0 - height) / G).sqrt();
            assert!((event.time - time).abs() < 1e-9, "{integrator:?} {h}: {} for {time}", event.time);
            assert!(matches!(event.place, EventPlace::Contact { shapes, .. } if shapes == (gate, shape)));
            assert!((event.point.expect("a place").z - height).abs() < 1e-9);
        }
        assert!(seen > 0 || h > 0.1, "polled while it was inside");
        let z = sim.point(ball.origin()).0.z;
        assert!((z - (2.0 - 0.5 * G * sim.time().powi(2))).abs() < 1e-9, "{integrator:?}: {z}");
    }
}

/// Touches that begin, impacts and touches that end, where time is stepped: one of each for a box that is dropped on a
/// table, slides over its edge and falls.
#[test]
fn time_stepping_reports_what_began_and_ended() {
    let mut m = ModelBuilder::new();
    m.shape(BodyId::GROUND.at([0.0, 0.0, -0.5]), Shape::Box { half: vec3(1.0, 1.0, 0.5) }, Material::smooth());
    let ball = m.body("ball", Rigid::ball(3.0, 0.1).position([0.0, 0.0, 0.3]).velocity([1.0, 0.0, 0.0]));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
    let mut sim = simulate(m, IntegratorKind::Stepping);
    sim.keep_events(100);
    run(&mut sim, 1.5, 1e-3);
    let events = sim.take_events();
    let kinds: Vec<EventKind> = events.iter().map(|e| e.kind).collect();
    assert!(kinds.starts_with(&[EventKind::Impact, EventKind::Closes]), "{kinds:?}");
    let count = |kind| kinds.iter().filter(|k| **k == kind).count();
    assert!(count(EventKind::Impact) == 1 && count(EventKind::Closes) == count(EventKind::Opens), "{kinds:?}");
    let fall = (2.0 * 0.2 / G).sqrt();
    assert!((events[0].time - fall).abs() < 2e-3, "{}", events[0].time);
    assert!((events[0].impulse.z - 3.0 * G * fall).abs() < 0.1, "{}", events[0].impulse);
    let end = events.last().expect("an end");
    // over the edge after 1 m; from there it rolls off the corner
    assert!(end.kind == EventKind::Opens && end.time > 0.99 && end.time < 1.3, "{end:?}");
}

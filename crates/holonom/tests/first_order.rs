//! The law f = m v, and impulses, where things have sides: contacts, stops, ropes, friction and caps hold as they do in
//! dynamics.

use holonom::math::SplitMix;
use holonom::prelude::*;

const G: f64 = 9.81;
const STEPS: [f64; 4] = [1e-3, 1.0 / 60.0, 0.07, 0.4];

fn floor(m: &mut ModelBuilder, material: Material) {
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
}

fn block(m: &mut ModelBuilder, name: &str, size: Vec3, at: Vec3, material: Material) -> BodyId {
    let body = m.body(name, Rigid::cuboid(1.0, size).position(at));
    m.shape(body.origin(), Shape::Box { half: size * 0.5 }, material);
    body
}

/// Sink for `seconds` in steps of `dt`; nothing overlaps on the way. Returns the largest overlap.
fn sink(sim: &mut Simulation, seconds: f64, dt: f64) -> f64 {
    let mut overlap = 0.0f64;
    for _ in 0..(seconds / dt).ceil() as usize {
        sim.kinematic_step_under_forces(dt).unwrap_or_else(|e| panic!("{e}"));
        overlap = overlap.max(sim.overlap());
        assert!(sim.violation().0 <= 1e-10, "joints open by {}", sim.violation().0);
    }
    assert!(overlap <= 1e-9, "overlap {overlap:e}");
    let l = sim.ledger();
    assert!(l.integrator.abs() <= 1e-12 * (1.0 + l.change.abs()), "{l:?}");
    overlap
}

#[test]
fn a_box_comes_to_the_floor_and_stays() {
    for dt in STEPS {
        let mut m = ModelBuilder::new();
        floor(&mut m, Material::new(0.5));
        let a = block(&mut m, "a", vec3(1.0, 1.0, 1.0), vec3(0.0, 0.0, 1.0), Material::new(0.5));
        let mut sim = Simulation::build(m).unwrap();
        sink(&mut sim, 1.0, dt);
        let (at, v) = (sim.centre(a), sim.centre_velocity(a));
        assert!((at.z - 0.5).abs() <= 1e-12 && v.length() <= 1e-12, "{dt} s: {at}, {v}");
    }
}

/// A tilted box lands on an edge, turns about it and comes to lie flat, at every step size.
#[test]
fn a_tilted_box_comes_to_lie_flat() {
    for (dt, mu) in [(1e-2, 0.0), (1e-2, 0.6), (0.05, 0.6)] {
        let mut m = ModelBuilder::new();
        floor(&mut m, Material::new(mu));
        let size = vec3(0.6, 0.4, 0.2);
        let q = holonom::math::exp_quat(vec3(0.2, 0.5, 0.1));
        let a = m.body("a", Rigid::cuboid(1.0, size).position([0.0, 0.0, 1.0]).orientation(q));
        m.shape(a.origin(), Shape::Box { half: size * 0.5 }, Material::new(mu));
        let mut sim = Simulation::build(m).unwrap();
        sink(&mut sim, 6.0, dt);
        let up = sim.axes(a).unwrap().z_axis.z;
        let height = sim.centre(a).z;
        assert!((height - 0.1).abs() < 1e-8 && up > 1.0 - 1e-8, "{dt} s, friction {mu}: {height}, {up}");
    }
}

#[test]
fn stops_of_hinges_and_sliders_hold() {
    for dt in STEPS {
        let mut m = ModelBuilder::new();
        let size = vec3(1.0, 0.1, 0.1);
        let arm = m.body("arm", Rigid::cuboid(1.0, size).position([0.5, 0.0, 0.0]));
        let (y, z) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let hinge =
            m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
        let turn = m.coordinate(hinge, 0);
        m.joint("stop", Limit::new(turn, -0.3, 0.3));
        let cart = m.body("cart", Rigid::ball(2.0, 0.1).position([3.0, 0.0, 0.0]));
        let rail = m.joint("rail", Prismatic::new(BodyId::GROUND.at([3.0, 0.0, 0.0]).along(z), cart.origin().along(z)));
        let way = m.coordinate(rail, 0);
        m.joint("end", Limit::new(way, -0.7, 0.2));
        let mut sim = Simulation::build(m).unwrap();
        sink(&mut sim, 1.0, dt);
        let (turn, way) = (sim.coordinate(hinge, 0).unwrap().0, sim.coordinate(rail, 0).unwrap().0);
        assert!((turn - 0.3).abs() < 1e-12 && (way + 0.7).abs() < 1e-12, "{dt} s: {turn} {way}");
    }
}

#[test]
fn a_rope_holds() {
    for dt in [1e-3, 1.0 / 60.0, 0.07] {
        let mut m = ModelBuilder::new();
        let stone = m.body("stone", Rigid::ball(1.0, 0.1).position([0.6, 0.1, -0.2]));
        m.joint("rope", Rope::new(BodyId::GROUND.origin(), stone.origin(), 1.0));
        let mut sim = Simulation::build(m).unwrap();
        let mut taut = false;
        for _ in 0..(4.0 / dt) as usize {
            sim.kinematic_step_under_forces(dt).unwrap();
            let length = sim.centre(stone).length();
            assert!(length <= 1.0 + 1e-9, "{dt} s: rope of {length} m");
            taut |= length > 1.0 - 1e-6;
        }
        let at = sim.centre(stone);
        assert!(taut && (at - vec3(0.0, 0.0, -1.0)).length() < 1e-6, "{dt} s: {at}");
    }
}

/// On an incline below the angle of friction nothing moves; above it the speed is g (sin - mu cos) times one second.
#[test]
fn friction_holds_below_its_angle_and_slides_above_it() {
    for (angle, mu) in [(0.3, 0.4), (0.3, 0.2), (0.6, 0.0), (0.6, 0.68), (0.6, 0.69)] {
        let (sin, cos) = libm::sincos(angle);
        let mut m = ModelBuilder::new();
        m.gravity(vec3(sin, 0.0, -cos) * G);
        floor(&mut m, Material::new(mu));
        let size = vec3(0.5, 0.5, 0.2);
        let a = block(&mut m, "a", size, vec3(0.0, 0.0, 0.1), Material::new(mu));
        let mut sim = Simulation::build(m).unwrap();
        let dt = 0.01;
        sink(&mut sim, 1.0, dt);
        let expected = (G * (sin - mu * cos)).max(0.0);
        let (v, x) = (sim.centre_velocity(a), sim.centre(a).x);
        assert!((v - vec3(expected, 0.0, 0.0)).length() < 1e-9, "{angle} rad, {mu}: {v} instead of {expected}");
        assert!((x - expected * sim.time()).abs() < 1e-9, "{angle} rad, {mu}: {x}");
        if expected == 0.0 {
            assert!(x.abs() < 1e-12, "it creeps: {x}");
        }
    }
}

#[test]
fn a_stack_stands() {
    for dt in STEPS {
        let mut m = ModelBuilder::new();
        let material = Material::new(0.5);
        floor(&mut m, material);
        let size = vec3(0.4, 0.4, 0.2);
        let boxes: Vec<_> = (0..4)
            .map(|i| block(&mut m, &format!("b{i}"), size, vec3(0.01 * i as f64, 0.0, 0.15 + 0.3 * i as f64), material))
            .collect();
        let mut sim = Simulation::build(m).unwrap();
        sink(&mut sim, 1.5, dt);
        for (i, b) in boxes.iter().enumerate() {
            let (at, v) = (sim.centre(*b), sim.centre_velocity(*b));
            let height = 0.1 + 0.2 * i as f64;
            assert!((at.z - height).abs() < 1e-9 && v.length() < 1e-9, "{dt} s: box {i} at {at}, {v}");
        }
    }
}

/// A chain of links, one end held above the floor: it comes to hang and lie.
#[test]
fn a_chain_comes_to_lie_on_the_floor() {
    let mut m = ModelBuilder::new();
    let material = Material::new(0.4);
    floor(&mut m, material);
    let y = [0.0, 1.0, 0.0];
    let mut last = BodyId::GROUND.at([0.0, 0.0, 0.5]);
    let mut links = Vec::new();
    for i in 0..6 {
        let link =
            m.body(format!("l{i}"), Rigid::cuboid(0.3, [0.3, 0.05, 0.05]).position([0.15 + 0.3 * i as f64, 0.0, 0.5]));
        m.shape(link.origin(), Shape::Box { half: vec3(0.15, 0.025, 0.025) }, material);
        m.joint(format!("h{i}"), Revolute::new(last.along(y), link.at([-0.15, 0.0, 0.0]).along(y)));
        last = link.at([0.15, 0.0, 0.0]);
        links.push(link);
    }
    let mut sim = Simulation::build(m).unwrap();
    sink(&mut sim, 4.0, 0.01);
    let low = links.iter().map(|l| sim.centre(*l).z).fold(f64::INFINITY, f64::min);
    assert!((low - 0.025).abs() < 1e-8, "{low}");
    let fastest = links.iter().map(|l| sim.centre_velocity(*l).length()).fold(0.0, f64::max);
    assert!(fastest < 0.05, "{fastest} m/s");
}

fn driven_against_a_stop(effort: Option<f64>) -> (Simulation, holonom::JointId) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let y = [0.0, 1.0, 0.0];
    let arm = m.body("arm", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let hinge = m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
    let turn = m.coordinate(hinge, 0);
    m.joint("stop", Limit::new(turn.clone(), -0.3, 0.3));
    let motor = Motor::speed(turn, 1.0);
    m.joint("drive", effort.into_iter().fold(motor, Motor::effort));
    (Simulation::build(m).unwrap(), hinge)
}

#[test]
fn a_drive_against_a_stop_is_refused_by_name_or_gives_way() {
    let (mut sim, hinge) = driven_against_a_stop(Some(2.0));
    for _ in 0..100 {
        sim.kinematic_step_under_forces(0.01).unwrap();
    }
    let (at, rate) = sim.coordinate(hinge, 0).unwrap();
    assert!((at - 0.3).abs() < 1e-12 && rate.abs() < 1e-12, "{at} {rate}");

    let (mut sim, hinge) = driven_against_a_stop(None);
    let error = loop {
        let before = sim.state().clone();
        match sim.kinematic_step_under_forces(0.01) {
            Ok(()) => assert!(sim.coordinate(hinge, 0).unwrap().0 <= 0.3 + 1e-9),
            Err(e) => {
                assert_eq!(*sim.state(), before, "a step that is refused changes nothing");
                break e;
            }
        }
    };
    let at = sim.coordinate(hinge, 0).unwrap().0;
    assert!((at - 0.3).abs() < 0.011, "{at}");
    let text = error.to_string();
    assert!(matches!(error, StepError::Blocked { .. }), "{error:?}");
    assert!(text.contains("`stop`") && text.contains("`drive`"), "{text}");
}

#[test]
fn a_drive_into_the_floor_is_refused_by_name() {
    let mut m = ModelBuilder::new();
    floor(&mut m, Material::new(0.3));
    let a = block(&mut m, "hammer", vec3(0.2, 0.2, 0.2), vec3(0.0, 0.0, 0.5), Material::new(0.3));
    let z = [0.0, 0.0, 1.0];
    let rail = m.joint("rail", Prismatic::new(BodyId::GROUND.at([0.0, 0.0, 0.5]).along(z), a.origin().along(z)));
    m.collide_across(rail);
    let way = m.coordinate(rail, 0);
    m.joint("press", Motor::speed(way, -1.0));
    let mut sim = Simulation::build(m).unwrap();
    let error = (0..200).find_map(|_| sim.kinematic_step_under_forces(0.01).err()).expect("the floor is there");
    let text = error.to_string();
    assert!(text.contains("`hammer`") && text.contains("`press`"), "{text}");
    assert!(sim.centre(a).z >= 0.1 - 1e-9, "{}", sim.centre(a));
}

/// A hand pushes a box along the floor into a wall: pushes alone, no weight.
#[test]
fn pushes_do_not_go_through_walls() {
    let mut m = ModelBuilder::new();
    m.shape(BodyId::GROUND.at([1.0, 0.0, 0.0]).along([-1.0, 0.0, 0.0]), Shape::HalfSpace, Material::new(0.5));
    let a = block(&mut m, "a", vec3(0.2, 0.2, 0.2), Vec3::ZERO, Material::new(0.5));
    let mut sim = Simulation::build(m).unwrap();
    for _ in 0..100 {
        sim.kinematic_step(&[(a.origin(), vec3(2.0, 0.4, 0.0))], 0.01).unwrap();
    }
    let (at, v) = (sim.centre(a), sim.centre_velocity(a));
    // 0.9 m at 2 m/s, 0.4 m/s across; at the wall friction holds up to half the push
    assert!((at.x - 0.9).abs() < 1e-9 && v.length() < 1e-9, "{at}, {v}");
    assert!((at.y - 0.4 * 0.45).abs() < 1e-9, "{at}");
}

/// Random heaps of jointed bodies sink: nothing overlaps, joints stay closed, and potential energy never rises by more
/// than what corrections of positions give.
#[test]
fn random_mechanisms_sink_onto_what_is_there() {
    let (mut worst, mut rise) = (0.0f64, 0.0f64);
    for seed in 0..12 {
        let mut g = SplitMix(seed + 77);
        let mut m = ModelBuilder::new();
        let material = Material::new(0.8 * g.unit());
        floor(&mut m, material);
        for i in 0..2 + g.below(3) {
            let at = vec3(0.5 * i as f64, g.symmetric(0.3), 0.4 + 0.2 * g.unit());
            let size = vec3(0.2, 0.15, 0.1) + vec3(g.unit(), g.unit(), g.unit()) * 0.1;
            let q = holonom::math::exp_quat(g.vec3(1.0));
            let a = m.body(format!("a{i}"), Rigid::cuboid(0.5 + g.unit(), size).position(at).orientation(q));
            m.shape(a.origin(), Shape::Box { half: size * 0.5 }, material);
            let b = m.body(format!("b{i}"), Rigid::ball(0.3, 0.08).position(at + q * vec3(0.3, 0.0, 0.0)));
            m.shape(b.origin(), Shape::Sphere { radius: 0.08 }, material);
            m.joint(format!("j{i}"), Spherical::new(a.at([0.15, 0.0, 0.0]), b.at(q * vec3(-0.15, 0.0, 0.0))));
        }
        let mut sim = Simulation::build(m).unwrap();
        let mut last = sim.energy().gravity;
        for _ in 0..150 {
            sim.kinematic_step_under_forces(0.01).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let now = sim.energy().gravity;
            (rise, last) = (rise.max(now - last), now);
            worst = worst.max(sim.overlap());
            assert!(sim.violation().0 <= 1e-10);
        }
    }
    println!("random heaps: overlap {worst:.1e} m, largest rise in a step {rise:.1e} J");
    assert!(worst <= 1e-9, "{worst}");
    assert!(rise <= 1e-3, "{rise}");
}

/// Blows of the hand on what rests on a floor, at a stop, on a rope.
#[test]
fn impulses_do_not_drive_bodies_into_each_other() {
    let (mass, mu) = (1.0, 0.4);
    let mut m = ModelBuilder::new();
    let material = Material::new(mu).restitution(0.6);
    floor(&mut m, material);
    let a = block(&mut m, "a", vec3(0.8, 0.8, 0.1), vec3(0.0, 0.0, 0.05), material);
    let y = [0.0, 1.0, 0.0];
    let arm = m.body("arm", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([3.5, 0.0, 2.0]));
    let hinge =
        m.joint("hinge", Revolute::new(BodyId::GROUND.at([3.0, 0.0, 2.0]).along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
    let turn = m.coordinate(hinge, 0);
    m.joint("stop", Limit::new(turn, -1.0, 0.0));
    let stone = m.body("stone", Rigid::ball(1.0, 0.05).position([-3.0, 0.0, 1.0]));
    m.joint("rope", Rope::new(BodyId::GROUND.at([-3.0, 0.0, 2.0]), stone.origin(), 1.0));
    let mut sim = Simulation::build(m).unwrap();
    // straight down, and onto the stop: nothing moves
    let down = [
        (a.origin(), vec3(0.0, 0.0, -2.0)),
        (arm.at([0.5, 0.0, 0.0]), vec3(0.0, 0.0, -1.0)),
        (stone.origin(), vec3(0.0, 0.0, -3.0)),
    ];
    let jump = sim.velocity_jump(&down).unwrap();
    assert!(jump.iter().all(|dv| dv.abs() < 1e-12), "{jump:?}");
    // at a slant: friction takes mu times what the floor gives
    sim.apply_impulses(&[(a.origin(), vec3(3.0, 0.0, -2.0))]).unwrap();
    let v = sim.centre_velocity(a);
    let expected = (3.0 - mu * 2.0) / mass;
    assert!((v - vec3(expected, 0.0, 0.0)).length() < 1e-10, "{v} instead of {expected}");
    let l = sim.ledger();
    let friction = -mu * 2.0 * 0.5 * (3.0 / mass + expected);
    assert!((l.friction - friction).abs() < 1e-9, "{} instead of {friction}", l.friction);
    assert!(l.integrator.abs() < 1e-12, "{l:?}");
    // and away from it: nothing holds
    let jump = sim.velocity_jump(&[(a.origin(), vec3(0.0, 0.0, 5.0)), (arm.at([0.5, 0.0, 0.0]), vec3(0.0, 0.0, 1.0))]);
    let jump = jump.unwrap();
    assert!((jump[2] - 5.0).abs() < 1e-12 && jump[6..12].iter().any(|dv| dv.abs() > 0.1), "{jump:?}");
}

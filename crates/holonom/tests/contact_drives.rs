//! The capped hand, ropes, motors with a cap on their effort, and dry friction that follows the load.

#[path = "common/articulated.rs"]
mod articulated;

use articulated::{Watch, chain};
use holonom::prelude::*;

const G: f64 = 9.81;
const EVENTS: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-10, absolute: 1e-10 };
const BOTH: [(IntegratorKind, f64); 2] = [(EVENTS, 0.05), (IntegratorKind::Stepping, 1.0 / 60.0)];

#[test]
fn a_hand_presses_a_ball_against_a_wall_with_its_cap() {
    for (kind, dt) in BOTH {
        let mut m = ModelBuilder::new();
        let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.5, 0.0, 0.0]));
        m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
        m.shape(BodyId::GROUND.at([1.0, 0.0, 0.0]).along([-1.0, 0.0, 0.0]), Shape::HalfSpace, Material::smooth());
        let hand = Mouse::new(ball.origin(), 0.05).cap(50.0);
        hand.target().set([4.0, 0.0, 0.0]);
        m.joint("hand", hand);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(kind);
        let mut overlap = 0.0f64;
        for _ in 0..(60.0 / dt) as usize {
            let report = sim.step(dt).unwrap();
            overlap = overlap.max(report.overlap);
        }
        let force = sim.contacts().unwrap()[0].force;
        let expected = (50.0f64 * 50.0 - G * G).sqrt(); // the hand carries the weight as well
        let (at, v) = (sim.centre(ball), sim.centre_velocity(ball));
        println!(
            "pressed by {kind:?}: {force} N, expected {expected:.9}; at {at}, {:.1e} m/s, overlap {overlap:.1e}",
            v.length()
        );
        assert!((force.length() - expected).abs() < 1e-6 * expected, "{kind:?}: {force}");
        assert!(overlap <= 1e-8 && v.length() < 1e-6 && (at.x - 0.9).abs() < 1e-8);
    }
}

#[test]
fn a_hand_presses_a_ball_onto_the_floor_with_its_cap_and_the_weight() {
    for (kind, dt) in BOTH {
        let mut m = ModelBuilder::new();
        let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 0.3]));
        m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::new(0.5));
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.5));
        let hand = Mouse::new(ball.origin(), 0.05).cap(30.0);
        let target = hand.target();
        target.set([0.0, 0.0, -5.0]);
        let hand = m.joint("hand", hand);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(kind);
        sim.run_fixed(60.0, dt).unwrap();
        let force = sim.contacts().unwrap()[0].force.z;
        println!("pressed down by {kind:?}: {force:.9} N");
        assert!((force - 30.0 - G).abs() < 1e-6, "{kind:?}: {force}");
        // let go: nothing jumps, the weight is left
        let before = sim.state().v.clone();
        sim.remove_joint(hand).unwrap();
        assert_eq!(sim.state().v, before);
        sim.run_fixed(61.0, dt).unwrap();
        let contact = sim.contacts().unwrap()[0];
        assert!((contact.force.z - G).abs() < 1e-6 && (sim.centre(ball).z - 0.1).abs() < 1e-9, "{contact:?}");
    }
}

/// Targets metres apart, twice a second.
fn yank(sim: &mut Simulation, target: &holonom::joints::MouseTarget, places: &[[f64; 3]], seconds: f64) -> Watch {
    let mut watch = Watch::new(sim);
    for i in 0..(seconds * 60.0) as usize {
        target.set(places[(i / 30) % places.len()]);
        watch.step(sim, 1.0 / 60.0);
    }
    watch
}

#[test]
fn a_cable_of_200_links_is_dragged_hard() {
    for cap in [50.0, 5000.0] {
        let mut m = ModelBuilder::new();
        let cable = chain(&mut m, "link", 200, (Vec3::ZERO, vec3(1.0, 0.0, -0.2)), (0.02, 0.01, 0.05), None);
        m.joint("hook", Spherical::new(BodyId::GROUND.origin(), cable.start()));
        let hand = Mouse::new(cable.end(199), 0.05).cap(cap);
        let target = hand.target();
        let hand = m.joint("hand", hand);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(IntegratorKind::Stepping);
        let watch =
            yank(&mut sim, &target, &[[9.0, 3.0, 2.0], [-8.0, 0.0, 5.0], [3.0, -9.0, -4.0], [30.0, 0.0, 0.0]], 5.0);
        let fastest = |sim: &Simulation| sim.state().v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        watch.print(&format!("cable, cap {cap} N"));
        let before = fastest(&sim);
        sim.remove_joint(hand).unwrap();
        let mut after = Watch::new(&mut sim);
        after.run(&mut sim, 2.0, 1.0 / 60.0);
        println!("  let go at {before:.2} rad/s at most; 2 s later {:.2}", fastest(&sim));
        assert!(watch.gap <= 1e-8, "{}", watch.gap);
        after.demand(&format!("cable let go, {cap} N"));
    }
}

#[test]
fn a_four_bar_is_dragged_hard() {
    for cap in [50.0, 5000.0] {
        let mut m = ModelBuilder::new();
        let rod = |x: f64, z: f64, angle: f64, length: f64| {
            Rigid::cuboid(1.0, [length, 0.05, 0.05]).position([x, 0.0, z]).orientation(Quat::from_rotation_y(-angle))
        };
        let turn = 0.9f64;
        let (c, s) = (turn.cos(), turn.sin());
        let crank = m.body("crank", rod(0.25 * c, 0.25 * s, turn, 0.5));
        let coupler = m.body("coupler", rod(0.5 * c + 0.5, 0.5 * s, 0.0, 1.0));
        let rocker = m.body("rocker", rod(1.0 + 0.25 * c, 0.25 * s, turn, 0.5));
        let y = Vec3::Y;
        let pin = |a: Marker, b: Marker| Revolute::new(a.along(y), b.along(y));
        m.joint("a", pin(BodyId::GROUND.origin(), crank.at([-0.25, 0.0, 0.0])));
        m.joint("b", pin(crank.at([0.25, 0.0, 0.0]), coupler.at([-0.5, 0.0, 0.0])));
        m.joint("c", pin(coupler.at([0.5, 0.0, 0.0]), rocker.at([0.25, 0.0, 0.0])));
        m.joint("d", pin(BodyId::GROUND.at([1.0, 0.0, 0.0]), rocker.at([-0.25, 0.0, 0.0])));
        let hand = Mouse::new(coupler.at([0.2, 0.0, 0.1]), 0.05).cap(cap);
        let target = hand.target();
        m.joint("hand", hand);
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(IntegratorKind::Stepping);
        let watch = yank(&mut sim, &target, &[[3.0, 1.0, 2.0], [-4.0, 0.0, 1.0], [0.5, -2.0, -3.0]], 10.0);
        watch.print(&format!("four-bar, cap {cap} N"));
        assert!(watch.gap <= 1e-8, "{}", watch.gap);
    }
}

#[test]
fn a_thrown_mass_jerks_its_rope_taut() {
    let (length, from, v0) = (1.0, vec3(0.2, 0.0, -0.3), vec3(1.5, 0.0, 5.0));
    // free flight until |x| = length
    let flight = |t: f64| (from + v0 * t - Vec3::Z * (0.5 * G * t * t), v0 - Vec3::Z * (G * t));
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if flight(middle).0.length() < length { low = middle } else { high = middle }
    }
    for restitution in [0.0, 0.4] {
        let make = || {
            let mut m = ModelBuilder::new();
            let stone = m.body("stone", Particle::new(2.0, from).velocity(v0));
            m.joint("rope", Rope::new(BodyId::GROUND.origin(), stone.origin(), length).restitution(restitution));
            (Simulation::build(m).unwrap(), stone)
        };
        let (x, v) = flight(low);
        let n = x / length;
        let after = v - n * (n.dot(v) * (1.0 + restitution));
        let lost = 0.5 * 2.0 * (v.length_squared() - after.length_squared());
        let (mut sim, stone) = make();
        sim.run_until(low + 1e-9).unwrap();
        let found = sim.centre_velocity(stone);
        let (off, booked) = ((found - after).length(), sim.ledger().joints[0] + lost);
        println!(
            "rope, e = {restitution}: taut after {low:.6} s, velocity off by {off:.1e} m/s, ledger by {booked:.1e} of {lost:.3} J"
        );
        assert!(off < 1e-7 && booked.abs() < 1e-9, "{found} instead of {after}");
        let (mut sim, stone) = make();
        sim.set_integrator(IntegratorKind::Stepping);
        let mut watch = Watch::new(&mut sim);
        watch.run(&mut sim, 3.0, 1e-3);
        watch.demand(&format!("rope by steps, e = {restitution}"));
        assert!(sim.centre(stone).length() <= length + 1e-9);
    }
}

#[test]
fn two_hundred_kilograms_hang_on_twenty_ropes() {
    for (kind, dt) in [(IntegratorKind::Stepping, 1e-3), (IntegratorKind::Stepping, 1.0 / 240.0)] {
        let mut m = ModelBuilder::new();
        let mut above = BodyId::GROUND.origin();
        let mut ropes = Vec::new();
        for i in 0..20 {
            let last = i == 19;
            let at = [0.004 * (i + 1) as f64, 0.0, -0.1 * (i + 1) as f64];
            let knot = m.body(format!("knot {i}"), Particle::new(if last { 200.0 } else { 0.5 }, at));
            ropes.push(m.joint(format!("rope {i}"), Rope::new(above, knot.origin(), 0.105)));
            above = knot.origin();
        }
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(kind);
        let mut watch = Watch::new(&mut sim);
        let clock = std::time::Instant::now();
        watch.run(&mut sim, 2.0, dt);
        watch.demand(&format!("200 kg on ropes, {kind:?} ({:.1} s)", clock.elapsed().as_secs_f64()));
        let pull = sim.multipliers_of(ropes[0]).unwrap()[0];
        println!("  tension at the top {pull:.2} N");
        assert!(pull > 0.5 * 200.0 * G);
    }
}

#[test]
fn motors_hold_up_to_their_cap_and_slip_with_it() {
    for kind in [EVENTS, IntegratorKind::Stepping] {
        for (part, holds) in [(1.0 + 1e-7, true), (2.0, true), (1.0 - 1e-7, false), (0.5, false)] {
            let mut m = ModelBuilder::new();
            let arm = m.body("arm", Rigid::principal(2.0, [0.1, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
            let axis = [0.0, 1.0, 0.0];
            let hinge = m.joint(
                "hinge",
                Revolute::new(BodyId::GROUND.origin().along(axis), arm.at([-0.5, 0.0, 0.0]).along(axis)),
            );
            let weight = 2.0 * G * 0.5;
            let motor = Motor::speed(m.coordinate(hinge, 0), 0.0).effort(part * weight);
            let motor = m.joint("motor", motor);
            let mut sim = Simulation::build(m).unwrap();
            sim.set_integrator(kind);
            let torque = sim.multipliers_of(motor).unwrap()[0].abs();
            let rate = sim.accelerations().unwrap()[4];
            let expected = if holds { 0.0 } else { (1.0 - part) * weight / (0.1 + 2.0 * 0.25) };
            assert!((torque - weight * part.min(1.0)).abs() < 1e-12 * weight, "{part}: {torque}");
            assert!((rate.abs() - expected).abs() < 1e-12 * weight.max(expected), "{part}: {rate} and not {expected}");
            sim.run_fixed(0.5, 1e-3).unwrap();
            let (angle, speed) = sim.coordinate(hinge, 0).unwrap();
            println!(
                "motor with {part} of the load, {kind:?}: torque {torque:.9}, angle after 0.5 s {angle:.2e}, speed {speed:.2e}"
            );
            if holds {
                assert!(angle.abs() < 1e-12 && speed.abs() < 1e-12);
            } else {
                assert!(angle.abs() > 0.1 * expected * 0.125);
                let torque = sim.multipliers_of(motor).unwrap()[0].abs();
                assert!((torque - part * weight).abs() < 1e-9, "{torque}");
            }
        }
    }
}

#[test]
fn a_block_on_a_slide_sticks_while_the_slope_is_below_the_friction() {
    let mu = 0.4f64;
    for kind in [EVENTS, IntegratorKind::Stepping] {
        for (part, sticks) in [(1.0 - 1e-7, true), (0.5, true), (1.0 + 1e-7, false), (1.5, false)] {
            let slope = (mu * part).atan();
            let down = vec3(slope.cos(), 0.0, -slope.sin());
            let mut m = ModelBuilder::new();
            let block = m.body("block", Rigid::cuboid(3.0, [0.2; 3]));
            let slide =
                m.joint("slide", Prismatic::new(BodyId::GROUND.origin().along(down), block.origin().along(down)));
            let friction = m.joint("friction", DryFriction::of_load(m.coordinate(slide, 0), mu));
            let mut sim = Simulation::build(m).unwrap();
            sim.set_integrator(kind);
            let grip = sim.multipliers_of(friction).unwrap()[0];
            sim.run_fixed(1.0, 1e-3).unwrap();
            let (way, speed) = sim.coordinate(slide, 0).unwrap();
            let expected = if sticks { 0.0 } else { G * (slope.sin() - mu * slope.cos()) };
            println!(
                "slope {part} mu, {kind:?}: friction {grip:.6} N, speed after 1 s {speed:.3e} m/s, expected {expected:.3e}"
            );
            assert!(
                (speed - expected).abs() < 1e-9 * (1.0 + expected),
                "{part} {kind:?}: {speed} m/s instead of {expected}"
            );
            if sticks {
                assert!(way.abs() < 1e-12);
                assert!((grip.abs() - 3.0 * G * slope.sin()).abs() < 1e-9);
            }
        }
    }
}

/// Statics of a slider-crank at rest without weight: the piston is pushed by P against the crank's torque. With rod angle f and crank angle t the rod carries
/// F, the guide F sin f, and at the point of slipping  F cos f = P + mu F sin f,  torque = F r sin(t + f).
#[test]
fn a_slider_crank_jams_and_yields_where_statics_say() {
    let (r, l, t, push, mu) = (0.2, 0.5, 0.8f64, 100.0, 0.25);
    let f = (r * t.sin() / l).asin();
    let rod_force = push / (f.cos() - mu * f.sin());
    let slips_at = rod_force * r * (t + f).sin();
    for (part, moves) in [(1.0 - 1e-7, false), (1.0 + 1e-7, true)] {
        let mut m = ModelBuilder::new();
        m.gravity([0.0; 3]);
        let (pin, piston) = (vec3(r * t.cos(), 0.0, r * t.sin()), vec3(r * t.cos() + l * f.cos(), 0.0, 0.0));
        let turned = |angle: f64| Quat::from_rotation_y(-angle);
        let rigid = |at: Vec3, angle| Rigid::cuboid(1.0, [0.3, 0.05, 0.05]).position(at).orientation(turned(angle));
        let crank = m.body("crank", rigid(pin * 0.5, t));
        let rod = m.body("rod", rigid((pin + piston) * 0.5, -f));
        let slider = m.body("slider", rigid(piston, 0.0));
        let y = Vec3::Y;
        let hinge = |a: Marker, b: Marker| Revolute::new(a.along(y), b.along(y));
        m.joint("main", hinge(BodyId::GROUND.origin(), crank.at([-0.5 * r, 0.0, 0.0])));
        m.joint("crank pin", Spherical::new(crank.at([0.5 * r, 0.0, 0.0]), rod.at([-0.5 * l, 0.0, 0.0])));
        m.joint("wrist pin", hinge(slider.origin(), rod.at([0.5 * l, 0.0, 0.0])));
        let x = Vec3::X;
        let slide = m.joint("slide", Prismatic::new(BodyId::GROUND.at(piston).along(x), slider.origin().along(x)));
        let friction = m.joint("friction", DryFriction::of_load(m.coordinate(slide, 0), mu));
        m.force("load", PointForce::new(slider.origin(), x * -push));
        m.force("torque", Torque::new(crank, y * (part * slips_at)));
        let sim = Simulation::build(m).unwrap();
        let size = sim.accelerations().unwrap().iter().fold(0.0f64, |m, a| m.max(a.abs()));
        let grip = sim.multipliers_of(friction).unwrap()[0];
        let guide = sim.reaction(slide).unwrap().force.length();
        println!(
            "slider-crank at {part} of the torque {slips_at:.6} N m: fastest acceleration {size:.1e}, friction {grip:.6} N of {:.6} N",
            mu * guide
        );
        assert!((guide - rod_force * f.sin()).abs() < 1e-6 * guide && (grip.abs() - mu * guide).abs() < 1e-6 * guide);
        assert!(if moves { size > 1e-7 } else { size < 1e-9 }, "{size}");
    }
}

/// A slider with a speed drive pushes a row of balls that are free, and goes on; against a wall it is blocked, by name.
#[test]
fn a_drive_pushes_what_is_free_and_is_blocked_by_what_is_not() {
    for (kind, dt) in BOTH {
        for wall in [false, true] {
            let mut m = ModelBuilder::new();
            m.gravity([0.0, 0.0, 0.0]);
            let slider = m.body("slider", Rigid::ball(1.0, 0.1));
            m.shape(slider.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
            let balls: Vec<BodyId> = (0..3)
                .map(|k| {
                    let at = [0.4 + 0.3 * f64::from(k), 0.0, 0.0];
                    let ball = m.body(format!("ball {k}"), Rigid::ball(0.2, 0.1).position(at));
                    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
                    ball
                })
                .collect();
            if wall {
                let face = BodyId::GROUND.at([0.0, 0.3, 0.0]).along([0.0, -1.0, 0.0]);
                m.shape(face, Shape::HalfSpace, Material::smooth());
            }
            // along y the wall is hit, along x the balls are
            let axis = if wall { Vec3::Y } else { Vec3::X };
            let rail =
                m.joint("rail", Prismatic::new(BodyId::GROUND.origin().along(axis), slider.origin().along(axis)));
            m.collide_across(rail);
            let drive = Motor::speed(m.coordinate(rail, 0), 1.0);
            m.joint("drive", drive);
            let mut sim = Simulation::build(m).unwrap();
            sim.set_integrator(kind);
            let run = sim.run_fixed(2.0, dt);
            if wall {
                let Err(StepError::Blocked { what, drives, time }) = run else { panic!("{kind:?}: {run:?}") };
                assert!(what.contains("`slider`") && what.contains("ground"), "{what}");
                assert_eq!(drives, ["drive"]);
                assert!((time - 0.2).abs() < dt, "{kind:?}: {time}");
            } else {
                run.unwrap();
                assert!((sim.centre(slider).x - 2.0).abs() < 1e-9, "{kind:?}: {}", sim.centre(slider));
                assert!(balls.iter().all(|&b| sim.centre_velocity(b).x >= 1.0 - 1e-9), "{kind:?}: not all were pushed");
            }
        }
    }
}

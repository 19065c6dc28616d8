//! The ledger closes through impacts, with drives: on random mechanisms that are driven and bounce, judged by the
//! energy of the bodies as this test adds it up itself, from masses, sizes, positions and velocities.
//!
//! PROPTEST_CASES=6400 makes it a thousand mechanisms.

use holonom::functions::Harmonic;
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom::{Ledger, Restitution};
use proptest::prelude::ProptestConfig;

const G: f64 = 9.81;

/// A body as the test knows it: moments about the centre, along the body's axes.
struct Known {
    body: BodyId,
    mass: f64,
    moments: Vec3,
}

struct Bouncing {
    builder: ModelBuilder,
    bodies: Vec<Known>,
    law: Restitution,
}

/// A box or a ball with its shape.
fn body(m: &mut ModelBuilder, i: usize, at: Vec3, motion: (Vec3, Vec3), material: Material, g: &mut SplitMix) -> Known {
    let mass = 0.2 + 3.0 * g.unit();
    let (v, w) = motion;
    if g.below(3) == 0 {
        let r = 0.06 + 0.1 * g.unit();
        let body = m.body(format!("ball {i}"), Rigid::ball(mass, r).position(at).velocity(v).spin(w));
        m.shape(body.origin(), Shape::Sphere { radius: r }, material);
        return Known { body, mass, moments: Vec3::splat(0.4 * mass * r * r) };
    }
    let size = vec3(0.1 + 0.3 * g.unit(), 0.1 + 0.3 * g.unit(), 0.1 + 0.3 * g.unit());
    let body = m.body(format!("box {i}"), Rigid::cuboid(mass, size).position(at).velocity(v).spin(w));
    m.shape(body.origin(), Shape::Box { half: size * 0.5 }, material);
    let square = size * size;
    let moments = vec3(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
    Known { body, mass, moments }
}

/// A random mechanism in which nothing overlaps at the start.
fn bouncing(seed: u64) -> Bouncing {
    let apart = |b: Bouncing| Simulation::build(b.builder).expect("valid").overlap() == 0.0;
    let draws = (0..).map(|k| seed + (k << 32));
    let good = draws.into_iter().find(|draw| apart(drawn(*draw))).unwrap_or(seed);
    drawn(good)
}

/// One to four bodies above a floor, the first of them free or hinged to the ground; drives by speed and position,
/// springs, stops, dry friction.
fn drawn(seed: u64) -> Bouncing {
    let mut g = SplitMix(seed.wrapping_mul(0x9e37_79b9) ^ 0xb10e);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -G]);
    let mu = if g.below(4) == 0 { 0.0 } else { 0.9 * g.unit() };
    let material = Material::new(mu).restitution(0.9 * g.unit());
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
    let base = vec3(0.0, 0.0, 0.45 + 0.3 * g.unit());
    let (v, w) = (g.vec3(1.5), g.vec3(4.0));
    let at = |x: Vec3| (v + w.cross(x - base), w);
    let mut bodies = vec![body(&mut m, 0, base, (v, w), material, &mut g)];
    let mut places = vec![base];
    for i in 1..1 + g.below(4) {
        let parent = g.below(i);
        let arm = vec3(0.45 * if g.below(2) == 0 { 1.0 } else { -1.0 }, g.symmetric(0.2), g.symmetric(0.1));
        let place = places[parent] + arm;
        let child = body(&mut m, i, place, at(place), material, &mut g);
        let (a, b) = (bodies[parent].body.at(arm * 0.5), child.body.at(arm * -0.5));
        let axis = [Vec3::X, Vec3::Y, Vec3::Z][g.below(3)];
        let name = format!("joint {i}");
        let driven = match g.below(4) {
            0 => {
                m.joint(name, Spherical::new(a, b));
                None
            }
            1 => Some((m.joint(name, Prismatic::new(a.along(axis), b.along(axis))), 0.3)),
            _ => Some((m.joint(name, Revolute::new(a.along(axis), b.along(axis))), 4.0)),
        };
        if let Some((joint, size)) = driven {
            let coordinate = m.coordinate(joint, 0);
            let wave = |rate: f64, g: &mut SplitMix| {
                let omega = 1.0 + 5.0 * g.unit();
                let amplitude = if rate == 0.0 { 0.25 * size / omega } else { rate };
                Harmonic { mean: 0.0, amplitude, frequency: omega, phase: 0.0 }
            };
            let (drive, stop) = (format!("drive {i}"), format!("stop {i}"));
            let _ = match g.below(6) {
                0 => Some(m.joint(drive, Motor::speed(coordinate, g.symmetric(size)))),
                1 => Some(m.joint(drive, Motor::speed(coordinate, wave(size, &mut g)))),
                2 => Some(m.joint(drive, Motor::position(coordinate, wave(0.0, &mut g)))),
                3 => Some(m.joint(stop, Limit::new(coordinate, -0.1 * size, 0.1 * size))),
                4 => Some(m.joint(drive, Motor::speed(coordinate, g.symmetric(size)).effort(2.0))),
                _ => None,
            };
        }
        // what drives alone connect cannot give way to itself
        for other in &bodies {
            m.ignore_pair(other.body, child.body);
        }
        places.push(place);
        bodies.push(child);
    }
    // another that is free, for blows between bodies
    if g.below(2) == 0 {
        let place = base + vec3(g.symmetric(0.3), 1.0, 0.2);
        let motion = (vec3(g.symmetric(0.5), -3.0 * g.unit(), 0.0), g.vec3(3.0));
        bodies.push(body(&mut m, 9, place, motion, material, &mut g));
    }
    if g.below(3) == 0 {
        let hook = BodyId::GROUND.at(base + vec3(0.0, 0.0, 0.8));
        m.force("spring", Spring::new(hook, bodies[0].body.origin(), 40.0 * g.unit(), 0.5).damping(g.unit()));
    }
    let law = if g.below(4) == 0 { Restitution::Poisson } else { Restitution::Newton };
    Bouncing { builder: m, bodies, law }
}

/// Kinetic and potential energy of the bodies.
fn energy(sim: &Simulation, bodies: &[Known]) -> (f64, f64) {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for b in bodies {
        let v = sim.centre_velocity(b.body);
        let w = sim.axes(b.body).expect("rigid").transpose() * sim.spin(b.body).expect("rigid");
        kinetic += 0.5 * b.mass * v.dot(v) + 0.5 * (b.moments * w).dot(w);
        potential += b.mass * G * sim.centre(b.body).z;
    }
    (kinetic, potential)
}

/// All columns but the error.
fn columns(l: &Ledger) -> [f64; 9] {
    let sum = |x: &[f64]| x.iter().sum::<f64>();
    [sum(&l.forces), sum(&l.joints), l.bodies, l.friction, l.impacts, l.blows, l.projection, l.stepping, l.imposed]
}

/// A run, and what its ledger leaves open of the scale of its energies.
struct Run {
    open: f64,
    ledger: Ledger,
    scale: f64,
    events: usize,
    failed: bool,
}

fn run(case: Bouncing, kind: IntegratorKind, dt: Option<f64>, end: f64, most: usize) -> Run {
    let Bouncing { builder, bodies, law } = case;
    let mut sim = Simulation::build(builder).expect("valid");
    sim.set_integrator(kind);
    sim.set_impacts(holonom::ImpactLaw { restitution: law, ..Default::default() });
    let (t0, v0) = energy(&sim, &bodies);
    let (mut kinetic, mut least, mut largest) = (t0, v0, v0);
    let (mut open, mut events, mut failed, mut scale) = (0.0f64, 0, false, 0.0);
    for _ in 0..most {
        let left = end - sim.time();
        if left < 1e-12 {
            break;
        }
        let report = match dt {
            Some(dt) => sim.step(dt.min(left)),
            None => sim.step_towards(end),
        };
        let report = match report {
            Ok(report) => report,
            Err(e) => {
                println!("stopped: {e}");
                failed = true;
                break;
            }
        };
        events += report.events;
        let (t, v) = energy(&sim, &bodies);
        (kinetic, least, largest) = (kinetic.max(t), least.min(v), largest.max(v));
        scale = kinetic.max(largest - least);
        open = open.max((t + v - t0 - v0 - columns(&sim.ledger()).iter().sum::<f64>()).abs());
    }
    Run { open: open / scale, ledger: sim.ledger(), scale, events, failed }
}

fn cases(share: f64) -> u64 {
    ((ProptestConfig::default().cases as f64 * share) as u64).max(1)
}

#[test]
fn with_events_nothing_is_left_open() {
    let (mut worst, mut blown, mut events, mut failed) = (0.0f64, 0, 0, 0);
    let n = cases(40.0 / 256.0);
    for seed in 0..n {
        let r = run(bouncing(seed), IntegratorKind::default(), None, 0.5, 600);
        if r.open > 1e-9 {
            println!(
                "seed {seed}: {:.2e} of {:.3} J open, {} events, {:?}",
                r.open,
                r.scale,
                r.events,
                columns(&r.ledger)
            );
        }
        worst = worst.max(r.open);
        events += r.events;
        failed += r.failed as u64;
        blown += (r.ledger.blows.abs() > 1e-6 * r.scale) as u64;
    }
    println!(
        "events: {n} mechanisms, {events} events, {failed} stopped, drives worked in blows of {blown}; open {worst:.2e}"
    );
    assert!(worst <= 1e-9, "{worst:e} of the energy is unaccounted for");
    assert!(blown >= n / 20 && events as u64 > 2 * n, "hardly anything was driven into anything");
}

#[test]
fn time_stepping_is_exact() {
    let (mut worst, mut failed, mut stepped) = (0.0f64, 0, 0.0f64);
    let n = cases(40.0 / 256.0);
    for seed in 0..n {
        for dt in [1e-3, 1.0 / 120.0] {
            let r = run(bouncing(seed), IntegratorKind::Stepping, Some(dt), 0.5, 1000);
            if r.open > 1e-12 {
                println!("seed {seed}, {dt} s: {:.2e} of {:.3} J open, {:?}", r.open, r.scale, columns(&r.ledger));
            }
            worst = worst.max(r.open);
            failed += r.failed as u64;
            stepped = stepped.max(r.ledger.stepping.abs() / r.scale);
        }
    }
    println!(
        "stepping: {n} mechanisms, {failed} stopped; open {worst:.2e}, the rule itself changed up to {stepped:.2e}"
    );
    assert!(worst <= 1e-12, "{worst:e} of the energy is unaccounted for");
    assert!(10 * failed <= n, "{failed} of {n} stopped");
}

/// A block that is pushed along a floor with friction: every column is known in closed form, step by step.
#[test]
fn columns_of_a_sliding_block() {
    let (mass, mu, v0, h) = (2.0, 0.3, 1.5, 1e-3);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -G]);
    let size = vec3(0.4, 0.4, 0.2);
    let block = m.body("block", Rigid::cuboid(mass, size).position([0.0, 0.0, 0.1]).velocity([v0, 0.0, 0.0]));
    m.shape(block.origin(), Shape::Box { half: size * 0.5 }, Material::new(mu));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(mu));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Stepping);
    let (mut v, mut taken) = (v0, 0.0);
    for _ in 0..100 {
        sim.step(h).expect("regular");
        let after: f64 = v - h * mu * G;
        taken += h * mu * mass * G * 0.5 * (v + after);
        v = after;
        let l = sim.ledger();
        assert!((l.friction + taken).abs() < 1e-12 && l.impacts.abs() < 1e-13 && l.stepping.abs() < 1e-12, "{l:?}");
    }
    assert!((sim.centre_velocity(block).x - v).abs() < 1e-12 && taken > 0.5);
}

/// A free fall by steps on velocities: gravity works at the mean velocity, the body falls at the new one, and the
/// column says so: - h² m g²/2 for each step. A dry joint keeps the steps of its company from being smooth, and a spring
/// without stiffness puts the stone into that company.
#[test]
fn the_column_of_time_stepping_is_that_of_the_rule() {
    let (mass, h) = (3.0, 2e-3);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -G]);
    let stone = m.body("stone", Rigid::ball(mass, 0.1).position([0.0, 0.0, 5.0]));
    let wheel = m.body("wheel", Rigid::ball(1.0, 0.1).position([3.0, 0.0, 0.0]).spin([0.0, 3.0, 0.0]));
    let y = [0.0, 1.0, 0.0];
    let hinge = m.joint("hinge", Revolute::new(BodyId::GROUND.at([3.0, 0.0, 0.0]).along(y), wheel.origin().along(y)));
    let turn = m.coordinate(hinge, 0);
    m.joint("dry", DryFriction::constant(turn, 1e-3));
    m.force("company", Spring::new(stone.origin(), wheel.origin(), 0.0, 1.0));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Stepping);
    for k in 1..=50 {
        sim.step(h).expect("regular");
        let expected = -0.5 * k as f64 * h * h * mass * G * G;
        let l = sim.ledger();
        assert!((l.stepping - expected).abs() < 1e-11, "step {k}: {} instead of {expected}", l.stepping);
        assert!(l.integrator.abs() < 1e-12, "{l:?}");
    }
}

/// Two blocks on a slider, one driven against the other's direction, that hits a wall: the impulse of the drive and its
/// work are those of momentum.
#[test]
fn a_drive_works_in_a_blow() {
    // the cart (mass a) meets a stop at the speed u; a mass b is driven along it at the constant rate s, so that
    // a u+ + b (u+ + s) - a u - b (u + s) = p, u+ = -e u; the drive's impulse is b (u+ - u), its work that times s
    let (a, b, u, s, e) = (2.0, 0.7, 1.3, 0.8, 0.5);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let x = [1.0, 0.0, 0.0];
    let cart = m.body("cart", Rigid::ball(a, 0.1).velocity([u, 0.0, 0.0]));
    let rider = m.body("rider", Rigid::ball(b, 0.1).position([0.0, 0.0, 0.5]).velocity([u + s, 0.0, 0.0]));
    let rail = m.joint("rail", Prismatic::new(BodyId::GROUND.origin().along(x), cart.origin().along(x)));
    let over = cart.at([0.0, 0.0, 0.5]).along(x);
    let slide = m.joint("slide", Prismatic::new(over, rider.origin().along(x)));
    let (along, across) = (m.coordinate(rail, 0), m.coordinate(slide, 0));
    m.joint("stop", Limit::new(along, -5.0, 0.4).restitution(e));
    m.joint("drive", Motor::speed(across, s));
    let mut sim = Simulation::build(m).expect("valid");
    sim.run_until(0.6).expect("regular");
    let after = -e * u;
    let found = sim.centre_velocity(cart).x;
    assert!((found - after).abs() < 1e-10, "{found} instead of {after}");
    let l = sim.ledger();
    let drive = b * (after - u) * s;
    let stop = (a + b) * (after - u) * 0.5 * (after + u);
    let stop_column = l.joint(sim.model().joint("stop").expect("by name"));
    assert!((l.blows - drive).abs() < 1e-10, "{} instead of {drive}", l.blows);
    assert!((stop_column - stop).abs() < 1e-10, "{stop_column} instead of {stop}");
    assert!(l.integrator.abs() < 1e-11 && l.projection.abs() < 1e-11, "{l:?}");
}

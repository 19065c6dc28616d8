//! Every integrator keeps its order whatever the rows are: in a closed loop, with rows on velocities (a rolling disc, a
//! snakeboard), with drives of position and of speed, with forces that depend on velocity. Errors are those of
//! positions and velocities at the end, against tolerances of 1e-13 and the dense solver.

mod common;

use common::slopes;
use holonom::prelude::*;

const END: f64 = 0.8;

/// Integrator, its order, and the largest of five step sizes.
const METHODS: [(&str, f64, f64); 5] =
    [("euler", 1.0, 2e-3), ("rattle", 2.0, 8e-3), ("rk4", 4.0, 1.6e-2), ("sdirk4", 4.0, 3.2e-2), ("dop853", 8.0, 0.16)];

fn link(mass: f64) -> Rigid {
    Rigid::cuboid(mass, [1.0, 0.2, 0.1])
}

/// A spatial pendulum of two links whose end runs on a line: one loop, holonomic rows.
fn closed() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let a = m.body("a", link(1.0).position([0.5, 0.0, 0.0]));
    let b = m.body("b", link(0.7).position([1.5, 0.0, 0.0]).spin([0.4, 0.0, 0.0]));
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(y), a.at([-0.5, 0.0, 0.0]).along(y)));
    m.joint("ball", Spherical::new(a.at([0.5, 0.0, 0.0]), b.at([-0.5, 0.0, 0.0])));
    let guide = BodyId::GROUND.at([2.0, 0.0, 0.0]).along([0.6, 0.3, -1.0]);
    m.joint("guide", PointOnLine::new(guide, b.at([0.5, 0.0, 0.0])));
    m
}

/// A disc that rolls and leans.
fn disc() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let lean: f64 = 0.15;
    let (s, c) = lean.sin_cos();
    let body = Rigid::principal(2.0, vec3(0.1, 0.1, 0.2))
        .position([0.0, 0.0, 0.4 * c])
        .orientation(Quat::from_rotation_x(std::f64::consts::FRAC_PI_2 + lean))
        .spin([0.2, -5.0 * c, -5.0 * s])
        .velocity([2.0, 0.0, 0.0]);
    let b = m.body("disc", body);
    m.joint("rolls", RollingDisc::new(BodyId::GROUND.origin(), b.origin(), 0.4));
    m
}

/// A board on two axles with a rotor that a spring turns to and fro, all springs so many times as stiff: wheels do not
/// slip sideways.
fn snakeboard(stiff: f64) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let board = m.body("board", Planar::new(2.0, 0.3).velocity(0.9, 0.0, 0.0));
    let rotor = m.body("rotor", Planar::new(0.5, 0.2).velocity(0.9, 0.0, 3.0));
    m.joint("shaft", Revolute::new(board.origin(), rotor.origin()));
    m.force("coil", TorsionSpring::new(board.origin(), rotor.origin(), 2.0 * stiff, 0.0));
    for (name, x, angle) in [("front", 0.5, 0.5), ("rear", -0.5, -0.4)] {
        let axle = m.body(format!("{name} axle"), Planar::new(0.3, 0.02).pose(x, 0.0, angle).velocity(0.9, 0.0, 0.2));
        m.joint(format!("{name} pivot"), Revolute::new(board.at([x, 0.0, 0.0]), axle.origin()));
        m.force(format!("{name} coil"), TorsionSpring::new(board.origin(), axle.origin(), 0.3 * stiff, 0.0));
        m.joint(format!("{name} wheels"), KnifeEdge::new(BodyId::GROUND.origin(), axle.origin()));
    }
    m
}

/// Three links: the first led through positions, the second paced in speed, the third free, damped at its hinge.
fn driven() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let mut last: Option<BodyId> = None;
    for (i, axis) in [[0.0, 1.0, 0.0], [0.3, 1.0, 0.0], [0.0, 1.0, 0.4]].into_iter().enumerate() {
        let body = m.body(format!("link {i}"), link(1.0 - 0.2 * i as f64).position([0.5 + i as f64, 0.0, 0.0]));
        let near = last.map_or(BodyId::GROUND.origin(), |b: BodyId| b.at([0.5, 0.0, 0.0])).along(axis);
        let joint = m.joint(format!("hinge {i}"), Revolute::new(near, body.at([-0.5, 0.0, 0.0]).along(axis)));
        let q = m.coordinate(joint, 0);
        match i {
            0 => {
                let goal =
                    |t: f64| [0.4 * (1.0 - libm::cos(5.0 * t)), 2.0 * libm::sin(5.0 * t), 10.0 * libm::cos(5.0 * t)];
                m.joint("led", Motor::position(q, goal));
            }
            1 => {
                let goal = |t: f64| [1.5 * libm::sin(8.0 * t), 12.0 * libm::cos(8.0 * t), -96.0 * libm::sin(8.0 * t)];
                m.joint("paced", Motor::speed(q, goal));
            }
            _ => {
                let near = near.along(axis);
                let damper = TorsionSpring::new(near, body.at([-0.5, 0.0, 0.0]).along(axis), 0.0, 0.0).damping(0.3);
                m.force("damper", damper);
            }
        }
        last = Some(body);
    }
    m
}

type Mechanism = (&'static str, fn() -> ModelBuilder);

const MECHANISMS: [Mechanism; 4] =
    [("closed loop", closed), ("rolling disc", disc), ("snakeboard", || snakeboard(20.0)), ("driven", driven)];

fn simulation(m: ModelBuilder, name: &str) -> Simulation {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(match name {
        // its tolerance also says how well stages are solved
        "sdirk4" => IntegratorKind::Sdirk4 { relative: 1e-11, absolute: 1e-11 },
        _ => IntegratorKind::from_name(name).expect("known"),
    });
    sim
}

fn end(sim: &Simulation) -> Vec<f64> {
    let mut x = sim.state().q.clone();
    x.extend_from_slice(&sim.state().v);
    x
}

fn reference(m: ModelBuilder) -> Vec<f64> {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_solver(SolverKind::DenseKkt).expect("it applies");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
    sim.set_max_step(0.01);
    sim.run_until(END).expect("regular");
    end(&sim)
}

/// Errors at five or six step sizes, as long as they stand clear of rounding, and of what implicit stages leave
/// unsolved.
fn errors(make: fn() -> ModelBuilder, name: &str, largest: f64, exact: &[f64]) -> Vec<f64> {
    let error = |k: i32| {
        let mut sim = simulation(make(), name);
        match sim.run_fixed(END, largest * 0.5f64.powi(k)) {
            Ok(_) => common::gap(&end(&sim), exact),
            Err(_) => f64::INFINITY, // the largest steps may be far too large
        }
    };
    let floor = if name == "sdirk4" { 2e-12 } else { 1e-12 };
    let n = if name == "sdirk4" { 6 } else { 5 };
    (0..n).map(error).skip_while(|e| *e > 1.0).take_while(|e| *e > floor).collect()
}

#[test]
fn every_integrator_keeps_its_order_with_every_kind_of_row() {
    for (what, make) in MECHANISMS {
        let exact = reference(make());
        for (name, stated, largest) in METHODS {
            let errors = errors(make, name, largest, &exact);
            let s = slopes(&errors);
            // the last ones: terms of higher order have faded
            let tail = &s[s.len().saturating_sub(3)..];
            let found = tail.iter().sum::<f64>() / tail.len() as f64;
            println!("{what}, {name}: order {found:.2}, slopes {s:.2?}, errors {errors:?}");
            assert!(errors.len() >= 4, "{what}, {name}: too few errors above rounding: {errors:?}");
            // of order 8 the steps are so long that errors still fall faster than they will
            let above = if name == "dop853" { 1.5 } else { 0.3 };
            let good = found > stated - 0.3 && found < stated + above;
            assert!(good, "{what}, {name}: order {found}, stated {stated}, {errors:?}");
        }
    }
}

/// Where nothing touches or slides, time stepping is smooth and better than its order 1; with a drive at its cap it is
/// of order 1.
#[test]
fn stepping_has_order_one_where_a_row_is_at_its_bound() {
    let make = || {
        let mut m = ModelBuilder::new();
        let y = [0.0, 1.0, 0.0];
        let a = m.body("a", link(1.0).position([0.5, 0.0, 0.0]));
        let b = m.body("b", link(0.7).position([1.5, 0.0, 0.0]));
        let hinge = Revolute::new(BodyId::GROUND.origin().along(y), a.at([-0.5, 0.0, 0.0]).along(y));
        let hinge = m.joint("hinge", hinge);
        m.joint("ball", Spherical::new(a.at([0.5, 0.0, 0.0]), b.at([-0.5, 0.0, 0.0])));
        let q = m.coordinate(hinge, 0);
        m.joint("capped", Motor::speed(q, 50.0).effort(3.0));
        m
    };
    let mut sim = Simulation::build(make()).expect("valid");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    sim.run_until(END).expect("regular");
    let errors = errors(make, "stepping", 4e-3, &end(&sim));
    let s = slopes(&errors);
    println!("capped drive, stepping: slopes {s:.2?}, errors {errors:?}");
    assert!(errors.len() == 5 && s.iter().all(|s| (s - 1.0).abs() < 0.2), "{errors:?}");
    for (what, make) in MECHANISMS {
        let exact = reference(make());
        let mut sim = simulation(make(), "stepping");
        sim.run_fixed(END, 2e-3).expect("regular");
        let error = common::gap(&end(&sim), &exact);
        println!("{what}, stepping at 2 ms: {error:.1e}");
        assert!(error < 1e-6, "{what}: {error:e}");
    }
}

/// The snakeboard is reversible and so is RATTLE: its energy error neither grows with time nor falls by less than 4
/// when the step is halved; and the same steps backwards lead to the start.
#[test]
fn rattle_keeps_the_energy_of_a_snakeboard() {
    let worst = |h: f64, end: f64| {
        let mut sim = simulation(snakeboard(1.0), "rattle");
        let start = sim.energy().total();
        (0..(end / h).round() as usize).fold(0.0, |worst: f64, _| {
            sim.step(h).expect("regular");
            worst.max((sim.energy().total() - start).abs() / start)
        })
    };
    let (short, long, fine) = (worst(0.01, 30.0), worst(0.01, 150.0), worst(0.005, 30.0));
    println!("snakeboard, energy error: {short:.2e} in 30 s, {long:.2e} in 150 s, {fine:.2e} at half the step");
    assert!(long < 1.2 * short, "it grows: {short:e}, {long:e}");
    assert!(short / fine > 3.5 && short < 5e-3, "{short:e}, {fine:e}");
    let mut sim = simulation(snakeboard(1.0), "rattle");
    let start = sim.state().clone();
    for _ in 0..2 {
        for _ in 0..200 {
            sim.step(0.01).expect("regular");
        }
        sim.state_mut().v.iter_mut().for_each(|v| *v = -*v);
    }
    let off = common::gap(&sim.state().q, &start.q);
    println!("snakeboard, 200 steps forth and back: {off:.1e}");
    assert!(off < 1e-10, "{off:e}");
}

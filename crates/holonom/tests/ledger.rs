//! The energy ledger: every joule has a column.

mod common;

use common::grow::Wish;
use common::{Worst, for_mechanisms};
use holonom::prelude::*;
use holonom::{ForceId, Ledger};

fn run(m: ModelBuilder, kind: IntegratorKind, t: f64) -> (Ledger, Simulation) {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(kind);
    sim.run_until(t).expect("regular");
    (sim.ledger(), sim)
}

/// The columns add up to the change, whatever happens; joints that stand still do no work; the rest is the integrator's error.
#[test]
fn the_columns_add_up() {
    let wish = Wish { most: 4, planar: false, affine: false, ..Wish::ANY };
    for_mechanisms("ledger", 0.25, wish, |spec, worst| {
        for kind in [IntegratorKind::default(), IntegratorKind::RungeKutta4, IntegratorKind::Rattle] {
            let mut sim = spec.simulation();
            sim.set_integrator(kind);
            let start = sim.energy();
            let stored = spec.stored(sim.state(), sim.model());
            if sim.run_until(0.3).is_err() {
                worst.note("not smooth", 1.0);
                return Ok(());
            }
            let (l, end) = (sim.ledger(), sim.energy());
            let scale =
                end.kinetic.max(start.kinetic) + l.forces.iter().map(|f| f.abs()).sum::<f64>() + start.gravity.abs();
            let works = l.forces.iter().sum::<f64>() + l.joints.iter().sum::<f64>() + l.bodies;
            let sum = works + l.projection + l.integrator;
            worst.at_most("sum of the columns", (l.change - sum).abs() / scale.max(1e-300), 1e-13)?;
            let change = end.kinetic + end.gravity + spec.stored(sim.state(), sim.model())
                - start.kinetic
                - start.gravity
                - stored;
            worst.at_most("change", (l.change - change).abs() / scale.max(1e-300), 1e-13)?;
            if kind == IntegratorKind::default() {
                let joints = l.joints.iter().map(|j| j.abs()).sum::<f64>();
                worst.at_most("work of joints that stand still", joints / scale.max(1e-300), 1e-9)?;
                worst.at_most("integrator", l.integrator.abs() / scale.max(1e-300), 1e-8)?;
            }
        }
        Ok(())
    });
}

/// A pendulum with a spring and a damper.
fn damped_pendulum() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let axis = [0.0, 1.0, 0.0];
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let tail = m.body("tail", Rigid::cuboid(0.5, [0.6, 0.1, 0.1]).position([1.3, 0.0, 0.0]).spin([0.0, 0.0, 1.0]));
    let pivot = BodyId::GROUND.origin().along(axis);
    m.joint("hinge", Revolute::new(pivot, rod.at([-0.5, 0.0, 0.0]).along(axis)));
    m.joint("ball", Spherical::new(rod.at([0.5, 0.0, 0.0]), tail.at([-0.3, 0.0, 0.0])));
    m.force(
        "spring",
        Spring::new(BodyId::GROUND.at([0.0, 0.0, -2.0]), tail.at([0.3, 0.0, 0.0]), 20.0, 1.0).damping(0.5),
    );
    m.force("brake", TorsionSpring::new(pivot, rod.at([-0.5, 0.0, 0.0]).along(axis), 0.0, 0.0).damping(0.2));
    m
}

#[test]
fn the_integrator_column_falls_with_the_tolerance() {
    let errors: Vec<f64> = [1e-4, 1e-6, 1e-8, 1e-10]
        .map(|tolerance| {
            let kind = IntegratorKind::Dop853 { relative: tolerance, absolute: tolerance };
            run(damped_pendulum(), kind, 2.0).0.integrator.abs()
        })
        .to_vec();
    println!("integrator column: {errors:?}");
    assert!(errors[0] < 1e-2 && errors[3] < 1e-8, "{errors:?}");
    assert!(errors.windows(2).all(|e| e[1] < 0.2 * e[0]), "{errors:?}");
}

#[test]
fn dampers_only_take() {
    let mut sim = Simulation::build(damped_pendulum()).expect("valid");
    let brake: ForceId = sim.model().force("brake").expect("by name");
    let mut last = 0.0;
    for k in 1..=50 {
        sim.run_until(0.05 * k as f64).expect("regular");
        let work = sim.ledger().force(brake);
        assert!(work <= last + 1e-12, "the brake gave {} J back", work - last);
        last = work;
    }
    assert!(last < -0.1, "the brake took only {last} J");
}

/// A damped oscillator on a slider, whose energy is known at all times.
#[test]
fn a_damper_takes_what_it_should() {
    let worst = Worst::default();
    let (mass, k, c, x0) = (2.0, 50.0, 1.5, 0.3);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let axis = [1.0, 0.0, 0.0];
    let cart = m.body("cart", Rigid::ball(mass, 0.1).position([x0, 0.0, 0.0]));
    let slider = Prismatic::new(BodyId::GROUND.origin().along(axis), cart.origin().along(axis));
    m.joint("slider", slider);
    // far away, so that the spring acts along the slider only
    let far = 4.0;
    let spring = m.force("spring", Spring::new(BodyId::GROUND.at([-far, 0.0, 0.0]), cart.origin(), k, far).damping(c));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    let (decay, omega0) = (0.5 * c / mass, (k / mass).sqrt());
    let omega = (omega0 * omega0 - decay * decay).sqrt();
    for i in 1..=20 {
        let t = 0.1 * i as f64;
        sim.run_until(t).expect("regular");
        let (s, co) = libm::sincos(omega * t);
        let e = x0 * libm::exp(-decay * t);
        let (x, v) = (e * (co + decay / omega * s), -e * (omega0 * omega0 / omega) * s);
        let l = sim.ledger();
        worst.demand("position", (sim.centre(cart).x - x).abs(), 1e-10);
        // the force's work is all the kinetic energy there is; what is neither kinetic nor elastic was dissipated
        worst.demand("work of spring and damper", (l.force(spring) - 0.5 * mass * v * v).abs(), 1e-10);
        let energy = sim.energy();
        let dissipated = 0.5 * k * x0 * x0 - energy.kinetic - energy.elastic;
        let expected = 0.5 * k * x0 * x0 - 0.5 * mass * v * v - 0.5 * k * x * x;
        worst.demand("dissipated energy", (dissipated - expected).abs(), 1e-10);
        worst.demand("integrator", l.integrator.abs(), 1e-10);
        worst.demand("slider", l.joints[0].abs(), 1e-12);
    }
    worst.print("damper");
}

/// Between steps, too: the ledger of a sampled state belongs to its own time.
#[test]
fn sampled_states_carry_their_own_ledger() {
    let mut sim = Simulation::build(damped_pendulum()).expect("valid");
    let mut seen = Simulation::build(damped_pendulum()).expect("valid");
    let mut worst: f64 = 0.0;
    let run = sim.run_sampled(1.0, 0.01, |_, state| {
        seen.set_state(state.clone());
        worst = worst.max(seen.ledger().integrator.abs());
    });
    run.expect("regular");
    println!("integrator column of samples: {worst:.2e}");
    assert!(worst < 1e-7, "a sample's ledger leaves {worst} J open");
}

#[test]
fn the_ledger_can_be_opened_anew() {
    let (before, mut sim) = run(damped_pendulum(), IntegratorKind::default(), 0.5);
    assert!(before.change.abs() > 0.1, "{before:?}");
    sim.reset_ledger();
    let open = sim.ledger();
    assert!(open.change == 0.0 && open.forces.iter().chain(&open.joints).all(|w| *w == 0.0), "{open:?}");
    sim.run_until(1.0).expect("regular");
    let l = sim.ledger();
    assert!(l.integrator.abs() < 1e-8, "{l:?}");
}

/// A blow enters as imposed, not as an error of the integrator.
#[test]
fn a_blow_has_a_column_of_its_own() {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    m.joint("pivot", Spherical::new(BodyId::GROUND.origin(), rod.at([-0.5, 0.0, 0.0])));
    let mut sim = Simulation::build(m).expect("valid");
    sim.run_until(0.2).expect("regular");
    let before = sim.energy().total();
    sim.apply_impulses(&[(rod.at([0.5, 0.0, 0.0]), vec3(0.0, 0.7, 0.2))]).expect("regular");
    let blow = sim.energy().total() - before;
    sim.run_until(0.5).expect("regular");
    let l = sim.ledger();
    assert!(blow > 0.1, "{blow}");
    assert!((l.imposed - blow).abs() < 1e-12, "{} J entered, {blow} J given", l.imposed);
    assert!(l.integrator.abs() < 1e-9, "{:e} J", l.integrator);
}

/// Everything that feeds and takes at once: a motor led in position, one led in speed, one with a torque curve, a hand that leads a point, a servo, dampers
/// and springs on points and on coordinates. What is left over is below 1e-9 of the energy exchanged.
#[test]
fn drives_and_dampers_close_to_a_billionth() {
    let tight = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let link = |m: &mut ModelBuilder, name: &str, x: f64| {
        m.body(name, Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([x, 0.0, 0.0]))
    };
    let (a, b, c, d) = (link(&mut m, "a", 0.5), link(&mut m, "b", 1.5), link(&mut m, "c", 2.5), link(&mut m, "d", 3.5));
    let (near, far) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let first = m.joint("first", Revolute::new(BodyId::GROUND.origin().along(y), a.at(near).along(y)));
    let second = m.joint("second", Revolute::new(a.at(far).along(y), b.at(near).along(y)));
    let third = m.joint("third", Revolute::new(b.at(far).along([0.0, 0.0, 1.0]), c.at(near).along([0.0, 0.0, 1.0])));
    let fourth =
        m.joint("fourth", Universal::new(c.at(far).axes(y, [1.0, 0.0, 0.0]), d.at(near).axes(y, [1.0, 0.0, 0.0])));
    let coordinate = |m: &ModelBuilder, joint, i| m.coordinate(joint, i);
    let led = coordinate(&m, first, 0);
    let led = m.joint(
        "led",
        Motor::position(led, |t: f64| [0.3 * libm::sin(2.0 * t), 0.6 * libm::cos(2.0 * t), -1.2 * libm::sin(2.0 * t)]),
    );
    let paced = coordinate(&m, second, 0);
    let paced = m.joint("paced", Motor::speed(paced, |t: f64| [libm::sin(3.0 * t), 3.0 * libm::cos(3.0 * t), 0.0]));
    let turned = coordinate(&m, third, 0);
    m.force(
        "curve",
        holonom::forces::CoordinateForce::motor(
            turned.clone(),
            holonom::forces::TorqueCurve::stall_and_no_load(4.0, 10.0),
        ),
    );
    m.force("coil", holonom::forces::CoordinateForce::spring(turned, 5.0, 0.2).damping(0.3));
    m.force("rope", Spring::new(BodyId::GROUND.at([2.0, 0.5, 1.5]), d.at(far), 30.0, 0.8).damping(1.5));
    // a particle carried along a path by hand, tied to the chain
    let bead = m.body("bead", Particle::new(0.4, [3.0, -1.0, 0.5]));
    let path = |t: f64| {
        let (s, c) = libm::sincos(1.5 * t);
        [vec3(3.0 + 0.2 * s, -1.0, 0.5), vec3(0.3 * c, 0.0, 0.0), vec3(-0.45 * s, 0.0, 0.0)]
    };
    let hand = m.joint("hand", PrescribedPoint::new(BodyId::GROUND.origin(), bead.origin(), path));
    m.force("tie", Spring::new(bead.origin(), c.origin(), 20.0, 0.5).damping(0.4));
    // a servo: actuators on the universal joint keep the height of a point and its side
    let actuators = [coordinate(&m, fourth, 0), coordinate(&m, fourth, 1)];
    let hold = PrescribedPoint::new(c.at(far), d.at(far), |t: f64| {
        let lift = 0.2 * libm::sin(t);
        [vec3(0.0, lift, 0.0), vec3(0.0, 0.2 * libm::cos(t), 0.0), vec3(0.0, -lift, 0.0)]
    });
    let servo = m.joint("servo", holonom::joints::Servo::new(hold.only(false, true, true), actuators));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(tight);
    // energy exchanged: the sum of what every force and joint gave or took, step by step
    let (mut exchanged, mut last) = (0.0, sim.ledger());
    for k in 1..=200 {
        sim.run_until(0.01 * k as f64).expect("regular");
        let now = sim.ledger();
        let moved = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
        exchanged += moved(&now.forces, &last.forces) + moved(&now.joints, &last.joints);
        last = now;
    }
    println!("exchanged {exchanged:.3} J, left over {:.1e} J, projection {:.1e} J", last.integrator, last.projection);
    for joint in [led, paced, hand, servo] {
        assert!(last.joint(joint).abs() > 1e-2, "{} works: {} J", sim.model().joint_name(joint), last.joint(joint));
    }
    assert!(exchanged > 10.0 && (last.integrator.abs() + last.projection.abs()) < 1e-9 * exchanged, "{last:?}");
}

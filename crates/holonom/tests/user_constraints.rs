//! Constraints of one's own: moved in time, nonholonomic, and on three bodies. Equals of the built-in ones.

mod common;

use common::own::{HalfWay, KnifeEdge, OnPath, circle};
use common::{Worst, difference, size};
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom::{Ledger, SolverKind, check};

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// All solvers, the finite differences, and the residual at the current state.
fn check_all(sim: &mut Simulation, worst: &Worst) {
    for joint in sim.model().joints() {
        let c = check::constraint(sim.model(), joint, sim.state(), 1e-5);
        worst.note("rate", c.rate);
        worst.note("acceleration", c.acceleration);
        assert!(c.rate < 1e-7 && c.acceleration < 1e-6 && c.jacobian < 1e-12, "{c:?}");
    }
    let a = sim.accelerations().expect("regular");
    worst.demand("residual", sim.residual().expect("regular").largest(), 1e-10);
    for name in SolverKind::NAMES {
        sim.set_solver(SolverKind::from_name(name).expect("known")).expect("it applies");
        worst.demand("difference of solvers", difference(&sim.accelerations().expect("regular"), &a), 1e-9);
    }
    sim.set_solver(SolverKind::Tree).expect("it applies");
}

/// A rod whose end is led along a path, with a second link on a ball joint.
fn led() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([0.5, 0.0, 0.0]).spin([0.2, 0.5, 0.3]));
    let tail = m.body("tail", Rigid::cuboid(0.5, [0.6, 0.1, 0.1]).position([1.3, 0.0, 0.0]));
    m.joint("lead", OnPath::new(Attachment::point(rod, [-0.5, 0.0, 0.0]), circle));
    m.joint("ball", Spherical::new(rod.at([0.5, 0.0, 0.0]), tail.at([-0.3, 0.0, 0.0])));
    m
}

#[test]
fn a_prescribed_path_is_followed() {
    let worst = Worst::default();
    let mut sim = Simulation::build(led()).expect("valid");
    sim.set_integrator(TIGHT);
    let end = BodyId::from_index(0).at([-0.5, 0.0, 0.0]);
    for k in 0..=10 {
        sim.run_until(0.2 * k as f64).expect("regular");
        check_all(&mut sim, &worst);
        let ([r, rate, _], (at, v)) = (circle(sim.time()), sim.point(end));
        worst.demand("distance from the path", (at - r).length(), 1e-12);
        worst.demand("velocity against the path", (v - rate).length(), 1e-12);
    }
    // with one attachment, the reaction is reported there
    let lead = sim.model().joint("lead").expect("by name");
    let reaction = sim.reaction(lead).expect("regular");
    assert!((reaction.point - circle(sim.time())[0]).length() < 1e-12, "{reaction:?}");
    worst.print("path");
}

/// Energy comes from the joint that is led, and the ledger says so: to the tolerance, and to second order with RATTLE.
#[test]
fn a_prescribed_path_does_the_work() {
    let run = |kind: IntegratorKind, step: Option<f64>| -> Ledger {
        let mut sim = Simulation::build(led()).expect("valid");
        sim.set_integrator(kind);
        match step {
            Some(h) => sim.run_fixed(2.0, h),
            None => sim.run_until(2.0),
        }
        .expect("regular");
        sim.ledger()
    };
    let tight = run(TIGHT, None);
    println!("led: change {:.6} J, joints {:?}, rest {:.2e}", tight.change, tight.joints, tight.integrator);
    assert!(tight.change.abs() > 0.1, "the path does work: {} J", tight.change);
    assert!((tight.change - tight.joints[0]).abs() < 1e-9, "{tight:?}");
    assert!(tight.joints[1].abs() < 1e-9 && tight.integrator.abs() < 1e-9, "{tight:?}");
    for (name, order, steps) in
        [("rattle", 2.0, [4e-3, 2e-3, 1e-3]), ("rk4", 4.0, [2e-2, 1e-2, 5e-3]), ("euler", 1.0, [4e-3, 2e-3, 1e-3])]
    {
        let kind = IntegratorKind::from_name(name).expect("known");
        let errors = steps.map(|h| (run(kind, Some(h)).joints[0] - tight.joints[0]).abs());
        let slopes = common::slopes(&errors);
        println!("work of the path, {name}: errors {errors:?}, slopes {slopes:.2?}");
        assert!(slopes.iter().all(|s| *s > order - 0.4), "{name}: errors {errors:?}, slopes {slopes:?}");
    }
}

/// Chaplygin's sleigh: a blade away from the centre of mass.
fn sleigh() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let sleigh = m.body("sleigh", Planar::new(2.0, 0.3).centre(0.4, 0.0).pose(0.1, 0.2, 0.3).velocity(1.0, 0.4, 2.0));
    m.joint(
        "blade",
        KnifeEdge::new(Attachment::point(sleigh, Vec3::ZERO), Attachment::direction(sleigh, [0.0, 1.0, 0.0])),
    );
    m
}

#[test]
fn a_knife_edge_keeps_energy_and_direction() {
    let worst = Worst::default();
    let mut sim = Simulation::build(sleigh()).expect("valid");
    sim.set_integrator(TIGHT);
    let start = sim.energy().total();
    let (m, i, a) = (2.0, 0.3, 0.4);
    for k in 0..=10 {
        sim.run_until(0.3 * k as f64).expect("regular");
        check_all(&mut sim, &worst);
        worst.demand("gap rate", sim.violation().1, 1e-12);
        let change = (sim.energy().total() - start).abs() / start;
        worst.demand("energy", change, 1e-10);
        // the known equations: u' = a w^2, (I + m a^2) w' = - m a u w, with u the speed along the blade
        let id = BodyId::from_index(0);
        let w = sim.spin(id).expect("spins").z;
        let u = sim.axes(id).expect("axes").x_axis.dot(sim.point(id.origin()).1);
        let w_rate = sim.accelerations().expect("regular")[2];
        worst.demand("known equation", (w_rate + m * a * u * w / (i + m * a * a)).abs(), 1e-10);
    }
    // it ends up gliding straight ahead
    let w = sim.spin(BodyId::from_index(0)).expect("spins").z.abs();
    assert!(w < 1.0, "still turning at {w} rad/s");
    worst.print("knife edge");
}

/// A row on three bodies, and a blade on a rigid one: energy stays, all solvers agree.
#[test]
fn a_row_on_three_bodies() {
    let worst = Worst::default();
    let mut g = SplitMix(5);
    for draw in 0..20 {
        let mut m = ModelBuilder::new();
        let mut body = |m: &mut ModelBuilder, name: &str, kind: usize| {
            let (x, v) = (g.vec3(1.0), g.vec3(1.0));
            match kind {
                0 => m.body(name, Particle::new(1.0, x).velocity(v)),
                1 => m.body(name, Rigid::cuboid(1.0, [0.5, 0.3, 0.2]).position(x).velocity(v).spin(g.vec3(2.0))),
                _ => m.body(name, Affine::cuboid(1.0, [0.5, 0.3, 0.2]).pose(x, Mat3::IDENTITY).velocity(v, Mat3::ZERO)),
            }
        };
        let ids = [body(&mut m, "left", draw % 3), body(&mut m, "middle", draw / 3 % 3), body(&mut m, "right", 1)];
        let tail = body(&mut m, "tail", 1);
        let mut at = |id: BodyId, kind: usize| Attachment::point(id, if kind == 0 { Vec3::ZERO } else { g.vec3(0.2) });
        let on = [at(ids[0], draw % 3), at(ids[1], draw / 3 % 3), at(ids[2], 1)];
        m.joint("half way", HalfWay::new(on, vec3(0.6, 0.0, 0.8)));
        m.joint("ball", Spherical::new(ids[2].at([0.2, 0.0, 0.0]), tail.at([-0.2, 0.1, 0.0])));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        let start = sim.energy();
        check_all(&mut sim, &worst);
        sim.run_until(0.5).expect("regular");
        check_all(&mut sim, &worst);
        let end = sim.energy();
        let scale = start.kinetic.max(end.kinetic);
        worst.demand("energy", (end.total() - start.total()).abs() / scale, 1e-9);
        worst.demand("gap", sim.violation().0, 1e-12);
        worst.note("way of the middle", size(&sim.state().q));
    }
    worst.print("three bodies");
}

/// A row of speeds, |v|^2 = c^2, has the gradient 2 v: none at rest. It is a row like any other all the same: it is not
/// dropped, the model stays a tree, and the speed is kept. The answer is known: of a particle that keeps its speed only
/// the direction turns, so vdot = g - v (v . g) / v^2.
#[test]
fn a_held_speed_keeps_the_plan_of_a_tree() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(2.0, [0.0, 0.0, 1.0]).velocity([3.0, 0.0, 4.0]));
    let tail = m.body("tail", Rigid::cuboid(0.5, [0.6, 0.1, 0.1]).position([0.3, 0.0, 1.0]).velocity([3.0, 0.0, 4.0]));
    m.joint("speed", WrittenRate::new([bob.origin().p()], |[p], _t| [p.rate.dot(p.rate) - 25.0]));
    m.joint("ball", Spherical::new(bob.origin(), tail.at([-0.3, 0.0, 0.0])));
    let alone = {
        let mut m = ModelBuilder::new();
        let bob = m.body("bob", Particle::new(2.0, [0.0, 0.0, 1.0]).velocity([3.0, 0.0, 4.0]));
        m.joint("speed", WrittenRate::new([bob.origin().p()], |[p], _t| [p.rate.dot(p.rate) - 25.0]));
        m
    };
    for (m, joints) in [(alone, 1), (m, 2)] {
        let mut sim = Simulation::build(m).expect("valid");
        assert_eq!(sim.model().n_joints(), joints);
        assert_eq!(sim.model().n_rows(), 1 + 3 * (joints - 1), "no row is dropped");
        assert!(!sim.model().has_loops(), "a tree is planned as a tree");
        assert_eq!(sim.solver().name(), "tree");
        if joints == 1 {
            let (v, g) = (Vec3::new(3.0, 0.0, 4.0), Vec3::new(0.0, 0.0, -9.81));
            let a = Vec3::from_slice(&sim.accelerations().expect("regular"));
            assert!((a - (g - v * (v.dot(g) / 25.0))).length() < 1e-12, "{a}");
        }
        for _ in 0..10 {
            sim.run_until(sim.time() + 0.1).expect("regular");
            assert!((sim.point(BodyId::from_index(0).origin()).1.length() - 5.0).abs() < 1e-12);
        }
    }
}

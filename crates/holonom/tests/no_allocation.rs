//! Steps after the first must not touch the allocator. Alone in its file, because the count is that of the whole process.

use holonom::curves::{CubicSpline, Nurbs, NurbsSurface, Sheet};
use holonom::math::exp_quat;
use holonom::prelude::*;
use holonom::surfaces::{Plane, Quadric, Torus};
use holonom_cases::straight_ball_chain;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Lock rows, general rows, deferred pivots, forces, turns: everything that has scratch memory.
fn machine() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let axis = [0.0, 1.0, 0.0];
    let mut above = BodyId::GROUND.origin().along(axis);
    for i in 0..8 {
        let x = i as f64 + 0.5;
        let link = Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([x, 0.0, 0.0]).spin([0.0, 0.1 * x, 0.0]);
        let link = m.body(format!("link {i}"), link);
        let near = link.at([-0.5, 0.0, 0.0]).along(axis);
        match i % 3 {
            0 => m.joint(format!("hinge {i}"), Revolute::new(above, near)),
            1 => m.joint(format!("ball {i}"), Spherical::new(above, near)),
            _ => m.joint(format!("cross {i}"), Universal::new(above, near)),
        };
        above = link.at([0.5, 0.0, 0.0]).along(axis);
    }
    let bead = m.body("bead", Particle::new(0.5, [9.0, 0.0, 0.0]));
    m.joint("string", Distance::new(above, bead.origin(), 1.0));
    let blob = m.body("blob", Affine::cuboid(0.5, [0.2; 3]).pose([9.0, 0.0, 0.0], Mat3::IDENTITY));
    m.joint("knot", Spherical::new(bead.origin(), blob.origin()));
    let jelly =
        Affine::cuboid(0.5, [0.2; 3]).elastic(1e4, 0.3, 8e-3).viscous(5.0).pose([9.0, 0.0, 0.1], Mat3::IDENTITY);
    let jelly = m.body("jelly", jelly);
    m.joint("jelly on blob", Spherical::new(blob.at([0.0, 0.0, 0.1]), jelly.origin()));
    let ball = Scaled::per_axis_from(&MassProperties::sphere(100.0, 0.1)).spring(3.0, 1.0).position([0.0, 1.0, 0.0]);
    let ball = m.body("balloon", ball);
    m.joint("balloon pin", Revolute::new(BodyId::GROUND.at([0.0, 1.0, 0.1]), ball.at([0.0, 0.0, 0.1])));
    let swing = Parametric::new([0.3], |[a], x| holonom::bodies::Place::new(a.sin() * x.x, a * 0.0, a.cos() * -x.x));
    let swing = m.body("swing", swing.mass([1.0, 0.0, 0.0], 1.0).potential(|[a]| a * a));
    let hung = m.body("hung", Particle::new(0.2, [0.3, 0.0, -1.5]));
    m.joint("thread", Distance::new(swing.at([1.0, 0.0, 0.0]), hung.origin(), 0.6));
    let plate = m.body("plate", Planar::rod(1.0, 1.0).pose(0.5, 3.0, 0.0));
    m.joint("pin", Revolute::new(BodyId::GROUND.at([0.0, 3.0, 0.0]), plate.at([-0.5, 0.0, 0.0])));
    m.force("spring", Spring::new(BodyId::GROUND.at([0.0, 0.0, -5.0]), bead.origin(), 5.0, 1.0).damping(0.1));
    let first = BodyId::from_index(0);
    let law = |x: f64| [(x - 3.0).max(0.0), 1.0, 0.0];
    m.force("law", SpringLaw::new(BodyId::GROUND.at([0.0, 1.0, 0.0]), bead.origin(), law, 3.0));
    m.force(
        "bushing",
        Bushing::new(BodyId::GROUND.origin(), first.origin(), [1.0; 3], [1.0; 3]).damping([0.1; 3], [0.1; 3]),
    );
    m.force("drag", Drag::quadratic(bead.origin(), 1.2, 0.5, 0.1));
    m.force("wind", UserForce::new([Attachment::point(bead, Vec3::ZERO)], |a, _, push| push.on(0, -0.1 * a.rate(0))));
    m
}

/// Loops, and rows that hold the same thing twice: a four-bar of spatial hinges, a ring of balls, a door on three hinges, a block
/// that two hinges hold still.
fn looped() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let y = Vec3::Y;
    let ground = BodyId::GROUND;
    let hinge = |a: Marker, b: Marker| Revolute::new(a.along(y), b.along(y));
    let rod = |x: f64, z: f64, turn: f64| {
        Rigid::cuboid(1.0, [1.0, 0.1, 0.06]).position([x, 0.0, z]).orientation(exp_quat(y * turn))
    };
    let ends = |b: BodyId| (b.at([-0.5, 0.0, 0.0]), b.at([0.5, 0.0, 0.0]));
    // a parallelogram whose cranks lean
    let (sin, cos) = (0.6, 0.8);
    let up = -libm::atan2(cos, sin);
    let crank = ends(m.body("crank", rod(0.5 * sin, 0.5 * cos, up)));
    let coupler = ends(m.body("coupler", rod(sin + 0.5, cos, 0.0)));
    let rocker = ends(m.body("rocker", rod(1.0 + 0.5 * sin, 0.5 * cos, up)));
    m.joint("crank pin", hinge(ground.origin(), crank.0));
    m.joint("crank-coupler", hinge(crank.1, coupler.0));
    m.joint("coupler-rocker", hinge(coupler.1, rocker.1));
    m.joint("rocker pin", hinge(ground.at([1.0, 0.0, 0.0]), rocker.0));
    // eight links in a ring, one of them pinned in its middle
    let radius = 0.5 / libm::tan(std::f64::consts::PI / 8.0);
    let links: Vec<_> = (0..8)
        .map(|i| {
            let heading = std::f64::consts::TAU * i as f64 / 8.0;
            let at = vec3(radius * libm::sin(heading), 5.0 - radius * libm::cos(heading), 0.0);
            let shape = Rigid::cuboid(1.0, [1.0, 0.1, 0.06]).position(at).orientation(exp_quat(Vec3::Z * heading));
            ends(m.body(format!("link {i}"), shape.spin([0.1, 0.2, 0.3])))
        })
        .collect();
    for i in 0..8 {
        m.joint(format!("ball {i}"), Spherical::new(links[i].1, links[(i + 1) % 8].0));
    }
    m.joint("ring pin", Spherical::new(ground.at([0.0, 5.0 - radius, 0.0]), links[0].0.body.origin()));
    let leaf = m.body("leaf", Rigid::cuboid(20.0, [0.8, 0.04, 2.0]).position([0.4, -5.0, 1.0]).spin([0.0, 0.0, 0.5]));
    for z in [0.2, 1.0, 1.8] {
        m.joint(format!("hinge at {z}"), Revolute::new(ground.at([0.0, -5.0, z]), leaf.at([-0.4, 0.0, z - 1.0])));
    }
    let block = m.body("block", Rigid::cuboid(1.0, [1.0; 3]));
    for (name, axis) in [("first", Vec3::X), ("second", Vec3::Y)] {
        m.joint(name, Revolute::new(ground.at(axis).along(axis), block.at(axis).along(axis)));
    }
    m
}

/// Joints that follow curves and surfaces.
fn guided() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let ground = BodyId::GROUND.origin();
    let rail: Vec<Vec3> = (0..6).map(|i| vec3(i as f64, 0.3 * (i % 2) as f64, -0.2 * i as f64)).collect();
    let car = m.body("car", Rigid::cuboid(1.0, [0.3, 0.2, 0.1]).position(rail[0]).spin([0.1, 0.2, 0.3]));
    m.joint("rail", PointOnCurve::new(ground, car.origin(), CubicSpline::natural(&rail)));
    let bead = m.body("bead", Particle::new(0.5, [0.0, 1.0, 0.0]).velocity([1.0, 0.0, 0.0]));
    m.joint("wire", PointOnCurve::new(ground, bead.origin(), Nurbs::circle(1.0)));
    let pearl = m.body("pearl", Particle::new(0.5, [0.5, 0.5, 0.0]).velocity([1.0, 0.0, 0.0]));
    let net: Vec<Vec3> = (0..25).map(|k| vec3((k / 5) as f64, (k % 5) as f64, 0.1 * (k % 3) as f64)).collect();
    m.joint(
        "net",
        PointOnSurface::patch(ground, pearl.origin(), Sheet::new(NurbsSurface::clamped([3, 3], [5, 5], &net))),
    );
    let egg = m.body("egg", Rigid::cuboid(1.0, [0.5, 0.4, 0.3]).position([9.0, 0.0, 0.5]).spin([1.0, 2.0, 0.0]));
    m.joint("floor", SurfaceTangency::new(ground, Plane, egg.origin(), Quadric::ellipsoid([0.3, 0.4, 0.5])));
    let drop = m.body("drop", Particle::new(0.5, [1.5, 0.0, 0.0]).velocity([0.0, 1.0, 0.0]));
    m.joint("ring", PointOnSurface::new(ground, drop.origin(), Torus { ring: 1.0, tube: 0.5 }));
    m
}

/// The quietest of ten rounds: what the code itself allocates it allocates every time, the test harness only now and then.
fn quietest(mut round: impl FnMut()) -> Stats {
    let rounds = (0..10).map(|_| {
        let region = Region::new(COUNTING);
        round();
        region.change()
    });
    rounds.min_by_key(|s| s.allocations + s.reallocations + s.deallocations).expect("ten rounds")
}

/// Step a few times until all memory is there, then count.
fn count(what: &str, mut sim: Simulation, adaptive: bool) {
    for _ in 0..2 {
        sim.step(1e-3).expect("regular");
    }
    let fixed = quietest(|| {
        for _ in 0..5 {
            sim.step(1e-3).expect("regular");
        }
    });
    assert_eq!(fixed, Stats::default(), "{what}, fixed steps");
    if adaptive {
        let used = quietest(|| {
            let goal = sim.time() + 0.02;
            sim.run_until(goal).expect("regular");
        });
        assert_eq!(used, Stats::default(), "{what}, adaptive steps");
    }
}

/// One test only: others would run at the same time and be counted with it.
#[test]
fn nothing_is_allocated_after_the_first_step() {
    for name in IntegratorKind::NAMES {
        for drift in [Drift::Project, Drift::Feedback(Default::default()), Drift::None] {
            let mut sim = Simulation::build(machine()).expect("valid");
            sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
            sim.set_drift(drift);
            count(&format!("{name}, {drift:?}"), sim, *name == "dop853");
            let mut sim = Simulation::build(looped()).expect("closes");
            sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
            sim.set_drift(drift);
            assert_eq!(sim.step(1e-3).expect("regular").rank_deficiency, 3 + 10 + 4);
            count(&format!("{name}, {drift:?}, loops"), sim, *name == "dop853");
        }
    }
    count("guides", Simulation::build(guided()).expect("closes"), true);
    for name in ["rk4", "dop853"] {
        let mut sim = Simulation::build(straight_ball_chain(10, |_| 1.0)).expect("valid");
        sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
        sim.set_coordinates(Coordinates::Joint).expect("a tree of rigid bodies");
        count(&format!("{name} in joint coordinates"), sim, name == "dop853");
    }
    let mut sim = Simulation::build(looped()).expect("valid");
    sim.set_integrator(IntegratorKind::RungeKutta4);
    sim.set_coordinates(Coordinates::Joint).expect("any model");
    assert!(!sim.cut_joints().is_empty(), "a loop without a cut");
    count("rk4 in joint coordinates, around loops", sim, false);
    for m in [machine(), looped()] {
        let mut sim = Simulation::build(m).expect("valid");
        sim.evaluate().expect("regular");
        let used = quietest(|| {
            sim.state_mut();
            sim.evaluate().expect("regular");
        });
        assert_eq!(used, Stats::default(), "an evaluation");
    }
}

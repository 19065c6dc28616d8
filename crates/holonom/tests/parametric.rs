//! Bodies made from functions of parameters, alone, among others, and against the same things built from constrained particles.

mod common;

use common::{Worst, direction, gap, slopes, turn};
use holonom::bodies::{Body, Parameter, Place};
use holonom::math::SplitMix;
use holonom::prelude::*;
use holonom::{AttachmentKind, check};

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-14, absolute: 1e-14 };

fn built(m: ModelBuilder) -> Simulation {
    let mut sim = Simulation::build(m).expect("sound");
    sim.set_integrator(TIGHT);
    sim
}

/// r in the direction of an angle from the downward vertical, in the x-y plane.
fn hang<const U: usize>(angle: Parameter<U>, r: f64) -> Place<U> {
    Place::new(angle.sin() * r, angle.cos() * -r, Parameter::constant(0.0))
}

/// Three parameters, a curved way, directions and energy inside.
fn twisted() -> impl Body {
    let place = |[a, b, s]: [Parameter<3>; 3], x: Vec3| {
        let radius = s * 0.4 + x.x;
        let height = (b * 0.7).sin() * x.y + s * s * 0.2 + x.z;
        Place::new(a.cos() * radius, a.sin() * radius + b * x.z, height)
    };
    Parametric::new([0.3, -0.4, 0.8], place)
        .rates([0.5, 1.0, -0.6])
        .mass([1.0, 0.2, 0.1], 0.7)
        .mass([0.2, 1.0, 0.4], 1.3)
        .mass([0.4, -0.3, 1.0], 0.4)
        .directions(|[a, _, _], d| {
            Place::new(a.cos() * d.x - a.sin() * d.y, a.sin() * d.x + a.cos() * d.y, a * 0.0 + d.z)
        })
        .potential(|[a, b, s]| (a * b * 0.5).cos() * 2.0 + (s - 1.0).squared() * 3.0)
}

#[test]
fn it_carries_what_it_says() {
    let mut g = SplitMix(6);
    let worst = Worst::default();
    let mut m = ModelBuilder::new();
    let id = m.body("twisted", twisted());
    let model = m.build().expect("sound");
    let mut state = model.initial_state().clone();
    for _ in 0..50 {
        state.q.iter_mut().chain(&mut state.v).for_each(|x| *x = g.symmetric(1.0));
        let carried =
            [AttachmentKind::Point(g.vec3(1.0)), AttachmentKind::Direction(direction(&mut g)), AttachmentKind::Spin];
        let c = check::body(&model, id, &state, &carried, g.vec3(2.0), 1e-5);
        for (name, value, allowed) in
            [("rate", c.rate, 1e-8), ("jdot_v", c.jdot_v, 1e-8), ("power", c.power, 1e-13), ("q_rate", c.q_rate, 1e-9)]
        {
            worst.demand(name, value, allowed);
        }
    }
    worst.print("parametric");
}

#[test]
fn energy_is_kept_and_rattle_converges() {
    let mut m = ModelBuilder::new();
    m.body("twisted", twisted());
    let mut exact = built(m);
    let start = exact.energy();
    exact.run_until(1.0).expect("regular");
    let end = exact.energy();
    assert!((end.total() - start.total()).abs() < 1e-11 * end.kinetic, "{start:?} {end:?}");
    assert!(
        (end.elastic - start.elastic).abs() > 0.1 && (end.gravity - start.gravity).abs() > 0.1,
        "{start:?} {end:?}"
    );
    let error = |n: usize| {
        let mut sim = Simulation::new(exact.model().clone());
        sim.set_integrator(IntegratorKind::Rattle);
        for _ in 0..n {
            sim.step(1.0 / n as f64).expect("regular");
        }
        gap(&sim.state().q, &exact.state().q)
    };
    let errors: Vec<f64> = [400, 800, 1600].into_iter().map(error).collect();
    println!("rattle: {errors:?}, orders {:.3?}", slopes(&errors));
    assert!(slopes(&errors).iter().all(|s| (s - 2.0).abs() < 0.1), "{errors:?}");
}

/// A crank described by its angle drives a rigid coupler through a hinge; the same with a rigid crank on a hinge of its own.
#[test]
fn joints_with_rigid_bodies() {
    let axis = Vec3::Y;
    let turned = |angle: Parameter<1>, d: Vec3| {
        let (s, c) = (angle.sin(), angle.cos());
        Place::new(c * d.x + s * d.z, Parameter::constant(d.y), c * d.z - s * d.x)
    };
    // masses of 2 kg at 0.5 m and 1 kg at 1 m from the shaft
    let crank = Parametric::new([0.4], move |[a], x| turned(a, x))
        .mass([0.5, 0.0, 0.0], 2.0)
        .mass([1.0, 0.0, 0.0], 1.0)
        .rates([3.0])
        .directions(move |[a], d| turned(a, d));
    let dumbbell = MassProperties::point(2.0, [0.5, 0.0, 0.0]).plus(&MassProperties::point(1.0, [1.0, 0.0, 0.0]));
    // it turns about y alone, so a little inertia along the rod changes nothing
    let inertia = dumbbell.inertia() + Mat3::from_diagonal(vec3(0.01, 0.0, 0.0));
    let start = holonom::math::exp_quat(axis * 0.4);
    let rigid = Rigid::new(dumbbell.mass(), inertia).centre(dumbbell.centre()).orientation(start).spin(axis * 3.0);

    let finish = |mut m: ModelBuilder, crank: BodyId| {
        let tip = start * vec3(1.0, 0.0, 0.0);
        let coupler = m.body("coupler", Rigid::cuboid(0.7, [0.8, 0.1, 0.05]).position(tip + vec3(0.4, 0.0, 0.0)));
        let knee = m.joint(
            "knee",
            Revolute::new(crank.at([1.0, 0.0, 0.0]).along(axis), coupler.at([-0.4, 0.0, 0.0]).along(axis)),
        );
        let tail = m.body("tail", Rigid::ball(0.3, 0.1).position(tip + vec3(0.8, 0.0, -0.3)));
        m.joint("ball", Spherical::new(coupler.at([0.4, 0.0, 0.0]), tail.at([0.0, 0.0, 0.3])));
        let mut sim = built(m);
        sim.run_until(1.5).expect("regular");
        let end = sim.point(tail.origin());
        (end.0, end.1, sim.reaction(knee).expect("regular"), sim.violation().0)
    };
    let mut m = ModelBuilder::new();
    let id = m.body("crank", crank);
    let by_angle = finish(m, id);
    let mut m = ModelBuilder::new();
    let id = m.body("crank", rigid);
    m.joint("shaft", Revolute::new(BodyId::GROUND.origin().along(axis), id.origin().along(axis)));
    let by_hinge = finish(m, id);
    println!("{by_angle:?}\n{by_hinge:?}");
    assert!((by_angle.0 - by_hinge.0).length() < 1e-9 && (by_angle.1 - by_hinge.1).length() < 1e-8);
    assert!((by_angle.2.force - by_hinge.2.force).length() < 1e-7 && by_angle.3 < 1e-13);
}

/// A chain of points that knows its own lengths is the same as one of rods, wherever it is and however it is turned.
#[test]
fn many_masses_in_a_turned_frame() {
    let mut g = SplitMix(31);
    let (axes, at) = (turn(&mut g), g.vec3(1.0));
    let mut m = ModelBuilder::new();
    let chain = Parametric::new([0.3, 0.8, -0.5, 1.1], move |u, x| {
        let n = x.x as usize;
        let sum = u[..n].iter().fold(Place::constant(Vec3::ZERO), |sum, &a| sum + hang(a, 0.4));
        sum.turned(&axes) + at
    })
    .masses((1..=4).map(|n| (vec3(n as f64, 0.0, 0.0), 0.5 * n as f64)));
    let body = m.body("chain", chain);
    let mut whole = built(m);

    let mut m = ModelBuilder::new();
    let plane = axes.z_axis;
    let mut above = BodyId::GROUND.at(at);
    let mut bobs = Vec::new();
    for n in 1..=4 {
        let start = whole.point(body.at([n as f64, 0.0, 0.0])).0;
        let bob = m.body(format!("bob {n}"), Particle::new(0.5 * n as f64, start)).origin();
        m.joint(format!("rod {n}"), Distance::new(above, bob, 0.4));
        // the function stays in its plane
        m.joint(format!("plane {n}"), PointOnPlane::new(BodyId::GROUND.at(at).along(plane), bob));
        above = bob;
        bobs.push(bob);
    }
    let mut parts = built(m);
    whole.run_until(1.0).expect("regular");
    parts.run_until(1.0).expect("regular");
    for (n, bob) in (1..=4).zip(bobs) {
        let (a, b) = (whole.point(body.at([n as f64, 0.0, 0.0])), parts.point(bob));
        let error = (a.0 - b.0).length().max((a.1 - b.1).length());
        assert!(error < 1e-9, "bob {n} differs by {error:e}");
    }
}

#[test]
fn what_has_no_sense_is_refused() {
    let build = |body: Box<dyn Fn(&mut ModelBuilder) -> BodyId>| {
        let mut m = ModelBuilder::new();
        body(&mut m);
        m.build().err().expect("refused").to_string()
    };
    let line = |[u]: [Parameter<1>; 1], x: Vec3| Place::new(u + x.x, u * 0.0, u * 0.0);
    let none = build(Box::new(move |m| m.body("none", Parametric::new([0.0], line))));
    assert!(none.contains("at least one parameter and one point mass"), "{none}");
    let negative = build(Box::new(move |m| m.body("light", Parametric::new([0.0], line).mass(Vec3::ZERO, -1.0))));
    assert!(negative.contains("a point mass is -1 kg"), "{negative}");
    let lost = build(Box::new(move |m| m.body("lost", Parametric::new([f64::NAN], line).mass(Vec3::ZERO, 1.0))));
    assert!(lost.contains("parameter 0 starts at NaN"), "{lost}");
    let root = |[u]: [Parameter<1>; 1], _: Vec3| Place::new(u.sqrt(), u, u);
    let rough = build(Box::new(move |m| m.body("rough", Parametric::new([0.0], root).mass(Vec3::ZERO, 1.0))));
    assert!(rough.contains("finite and smooth"), "{rough}");
    let idle = |[u, _]: [Parameter<2>; 2], _: Vec3| Place::new(u, u * 2.0, u * 0.0);
    let still = build(Box::new(move |m| m.body("still", Parametric::new([0.0; 2], idle).mass(Vec3::ZERO, 1.0))));
    assert!(still.contains("mass block is not positive definite"), "{still}");
    let joined = build(Box::new(move |m| {
        let a = m.body("slider", Parametric::new([0.0], line).mass(Vec3::ZERO, 1.0));
        let b = m.body("b", Rigid::ball(1.0, 1.0));
        m.joint("hinge", Revolute::new(a.origin(), b.origin()));
        a
    }));
    assert!(joined.contains("only when `directions` says where they point"), "{joined}");
    let spun = build(Box::new(move |m| {
        let a = m.body("slider", Parametric::new([0.0], line).mass(Vec3::ZERO, 1.0));
        m.force("torque", Torque::new(a, [0.0, 0.0, 1.0]));
        a
    }));
    assert!(spun.contains("has no angular velocity"), "{spun}");
}

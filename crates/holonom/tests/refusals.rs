//! What cannot be simulated is refused, by name, with what is allowed; and what fails on the way leaves the state as it was.

mod common;

use common::own::Odd;
use holonom::joints::{Level, RowLaw};
use holonom::prelude::*;

/// Build; the message must contain all of `parts`.
#[track_caller]
fn refused<R>(parts: &[&str], fill: impl FnOnce(&mut ModelBuilder) -> R) -> ModelError {
    let mut m = ModelBuilder::new();
    let _ = fill(&mut m);
    let e = m.build().err().unwrap_or_else(|| panic!("built, but should have been refused with {parts:?}"));
    let text = e.to_string();
    for part in parts {
        assert!(text.contains(part), "`{text}` does not say `{part}`");
    }
    e
}

fn rigid() -> Rigid {
    Rigid::cuboid(1.0, [1.0, 0.2, 0.2])
}

const NAN: f64 = f64::NAN;

#[test]
fn bodies() {
    for mass in [NAN, 0.0, -1.0, f64::INFINITY] {
        let value = format!("mass is {mass} kg");
        let parts = ["body `brick`", &value, "must be finite and greater than 0"];
        refused(&parts, |m| m.body("brick", Particle::new(mass, [0.0; 3])));
        refused(&parts, |m| m.body("brick", Rigid::principal(mass, [1.0; 3])));
        refused(&parts, |m| m.body("brick", Planar::new(mass, 1.0)));
        refused(&parts, |m| m.body("brick", Affine::new(mass, Mat3::IDENTITY)));
    }
    let inertia = |m: &mut ModelBuilder, i: Mat3| m.body("top", Rigid::new(1.0, i));
    let diagonal = |x, y, z| Mat3::from_diagonal(vec3(x, y, z));
    refused(&["body `top`", "principal moments", "greater than 0"], |m| inertia(m, diagonal(1.0, -1.0, 1.0)));
    refused(&["body `top`", "principal moments", "greater than 0"], |m| inertia(m, diagonal(1.0, 1.0, 0.0)));
    refused(&["body `top`", "none may exceed the sum of the other two"], |m| inertia(m, diagonal(1.0, 1.0, 2.1)));
    refused(&["body `top`", "not finite"], |m| inertia(m, diagonal(NAN, 1.0, 1.0)));
    let skew = Mat3::from_cols(vec3(1.0, 0.2, 0.0), vec3(0.1, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    refused(&["body `top`", "not symmetric", "0.1", "0.2"], |m| inertia(m, skew));
    refused(&["body `blob`", "not symmetric"], |m| m.body("blob", Affine::new(1.0, skew)));
    refused(&["body `blob`", "positive definite"], |m| m.body("blob", Affine::new(1.0, diagonal(1.0, 0.0, 1.0))));
    refused(&["body `blob`", "positive determinant"], |m| {
        m.body("blob", Affine::cuboid(1.0, [1.0; 3]).pose([0.0; 3], diagonal(1.0, 1.0, -1.0)))
    });
    for moment in [NAN, 0.0, -2.0] {
        let parts = ["body `disc`", "moment of inertia", "must be finite and greater than 0"];
        refused(&parts, |m| m.body("disc", Planar::new(1.0, moment)));
    }
    refused(&["body `disc`", "plane", "not parallel"], |m| {
        m.body("disc", Planar::new(1.0, 1.0).plane([0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]))
    });
    refused(&["body `top`", "position", "must be finite"], |m| m.body("top", rigid().position([NAN, 0.0, 0.0])));
    refused(&["body `top`", "spin", "must be finite"], |m| m.body("top", rigid().spin([0.0, NAN, 0.0])));
    refused(&["body `top`", "orientation", "length 1"], |m| {
        m.body("top", rigid().orientation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)))
    });
}

#[test]
fn joints() {
    refused(&["joint `hinge`", "axis on the second body", "longer than 0"], |m| {
        let a = m.body("a", rigid());
        m.joint("hinge", Revolute::new(BodyId::GROUND.origin(), a.origin().along([0.0; 3])));
    });
    refused(&["joint `ball`", "point on the second body", "must be finite"], |m| {
        let a = m.body("a", rigid());
        m.joint("ball", Spherical::new(BodyId::GROUND.origin(), a.at([NAN, 0.0, 0.0])));
    });
    for length in [0.0, -1.0, NAN] {
        refused(&["joint `rod`", &format!("length is {length} m"), "finite and greater than 0"], |m| {
            let a = m.body("a", rigid());
            m.joint("rod", Distance::new(BodyId::GROUND.origin(), a.at([0.5, 0.0, 0.0]), length));
        });
    }
    refused(&["joint `ball`", "body number 7", "has 1 bodies"], |m| {
        let a = m.body("a", rigid());
        m.joint("ball", Spherical::new(BodyId::from_index(7).origin(), a.origin()));
    });
    refused(&["joint `hinge`", "body `bead` (particle)", "a direction", "no orientation"], |m| {
        let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
        m.joint("hinge", Revolute::new(BodyId::GROUND.origin(), bead.origin()));
    });
    refused(&["joint `ball`", "body `bead` (particle)", "a point", "only the point at its own origin"], |m| {
        let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
        m.joint("ball", Spherical::new(BodyId::GROUND.origin(), bead.at([0.1, 0.0, 0.0])));
    });
    refused(&["joint `ball`", "joins a body to itself", "must join two bodies"], |m| {
        let a = m.body("a", rigid());
        m.joint("ball", Spherical::new(a.origin(), a.at([1.0, 0.0, 0.0])));
    });
    refused(&["joint `ball`", "touches no body, only the ground"], |m| {
        m.joint("ball", Spherical::new(BodyId::GROUND.origin(), BodyId::GROUND.origin()));
    });
}

#[test]
fn names_and_model() {
    refused(&["two bodies", "`twin`", "must differ"], |m| {
        m.body("twin", rigid());
        m.body("twin", rigid());
    });
    refused(&["two joints", "`pin`", "must differ"], |m| {
        for name in ["a", "b"] {
            let body = m.body(name, rigid());
            m.joint("pin", Spherical::new(BodyId::GROUND.origin(), body.origin()));
        }
    });
    refused(&["two forces", "`push`", "must differ"], |m| {
        let a = m.body("a", rigid());
        m.force("push", PointForce::new(a.origin(), [1.0, 0.0, 0.0]));
        m.force("push", PointForce::new(a.origin(), [1.0, 0.0, 0.0]));
    });
    refused(&["gravity", "must be finite"], |m| {
        m.gravity([0.0, 0.0, NAN]);
    });
}

#[test]
fn forces() {
    refused(&["force `spring`", "stiffness is -1 N/m", "not negative"], |m| {
        let a = m.body("a", rigid());
        m.force("spring", Spring::new(BodyId::GROUND.origin(), a.origin(), -1.0, 1.0));
    });
    refused(&["force `spring`", "damping", "not negative"], |m| {
        let a = m.body("a", rigid());
        m.force("spring", Spring::new(BodyId::GROUND.origin(), a.origin(), 1.0, 1.0).damping(NAN));
    });
    refused(&["force `wind`", "must be finite"], |m| {
        let a = m.body("a", rigid());
        m.force("wind", PointForce::new(a.origin(), [NAN, 0.0, 0.0]));
    });
    refused(&["force `twist`", "body `bead` (particle)", "a spin"], |m| {
        let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
        m.force("twist", Torque::new(bead, [1.0, 0.0, 0.0]));
    });
    refused(&["force `pull`", "body number 3", "has 1 bodies"], |m| {
        m.body("a", rigid());
        m.force("pull", PointForce::new(BodyId::from_index(3).origin(), [1.0, 0.0, 0.0]));
    });
}

#[test]
fn assembly() {
    // a rod of 1 m from a plate at height 0 to a point at height 5
    refused(&["joint `rod` cannot be closed", "allowed"], |m| {
        let plate = m.body("plate", Planar::new(1.0, 1.0));
        m.joint("rod", Distance::new(BodyId::GROUND.at([0.5, 0.0, 5.0]), plate.origin(), 1.0));
    });
    // two plates in parallel planes cannot share a point
    refused(&["joint `pin` cannot be closed", "allowed"], |m| {
        let low = m.body("low", Planar::new(1.0, 1.0));
        let high = m.body("high", Planar::new(1.0, 1.0).plane([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
        m.joint("pin", Revolute::new(low.origin(), high.origin()));
    });
    // turned over by half a turn about x: the axes point in opposite directions
    refused(&["joint `hinge` is assembled the wrong way round"], |m| {
        let a = m.body("a", rigid().orientation(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)));
        m.joint("hinge", Revolute::new(BodyId::GROUND.origin(), a.origin()));
    });
}

#[test]
fn what_this_version_does_not_solve() {
    let odd = |law, level, own_force, rows| {
        move |m: &mut ModelBuilder| {
            let a = m.body("a", rigid());
            let on = [Attachment::point(BodyId::GROUND, Vec3::ZERO), Attachment::point(a, Vec3::ZERO)];
            m.joint("limit", Odd { on, law, own_force, rows, level });
        }
    };
    let bounded = RowLaw::Bounded { least: -1.0, most: 1.0 };
    refused(&["joint `limit`", "unilateral", "on positions"], odd(RowLaw::Unilateral, Level::Velocity, false, 1));
    refused(&["joint `limit`", "unilateral", "on positions"], odd(RowLaw::Unilateral, Level::Acceleration, false, 1));
    refused(&["joint `limit`", "rows with bounds", "on velocities"], odd(bounded, Level::Position, false, 1));
    refused(&["joint `limit`", "rows with bounds", "of their own"], odd(bounded, Level::Velocity, true, 1));
    refused(&["joint `limit`", "of their own"], odd(RowLaw::Unilateral, Level::Position, true, 1));
    refused(&["joint `limit`", "at most 3 rows"], odd(RowLaw::Ball { radius: 1.0 }, Level::Velocity, false, 4));
    refused(&["joint `limit`", "at most 32 rows"], odd(RowLaw::Equality, Level::Position, false, 33));
}

/// Shapes and stops that make no sense are refused by name, with what is allowed.
#[test]
fn shapes_stops_and_friction() {
    let ball = || Shape::Sphere { radius: 0.1 };
    let on = |shape: Shape, material: Material| {
        move |m: &mut ModelBuilder| {
            let a = m.body("a", rigid());
            m.shape(a.origin(), shape, material);
        }
    };
    refused(&["shape 0 on `blob`", "affine", "rigid"], |m| {
        let blob = m.body("blob", Affine::cuboid(1.0, [0.1; 3]));
        m.shape(blob.origin(), ball(), Material::default());
    });
    for radius in [0.0, -1.0, NAN, f64::INFINITY] {
        refused(&["shape 0 on `a`", "radius"], on(Shape::Sphere { radius }, Material::default()));
    }
    for friction in [-0.1, NAN, f64::INFINITY] {
        refused(&["shape 0 on `a`", "friction"], on(ball(), Material::new(friction)));
    }
    refused(&["shape 0 on `a`", "static friction"], on(ball(), Material::new(0.5).static_friction(0.4)));
    for e in [-0.1, 1.1, NAN] {
        refused(&["shape 0 on `a`", "restitution", "between 0 and 1"], on(ball(), Material::new(0.5).restitution(e)));
    }
    refused(&["shape 0 on `a`", "not finite"], |m| {
        let a = m.body("a", rigid());
        m.shape(a.at([0.0, NAN, 0.0]), ball(), Material::default());
    });
    let slider = |m: &mut ModelBuilder| {
        let a = m.body("a", rigid());
        let rail = m.joint("rail", Prismatic::new(BodyId::GROUND.origin(), a.origin()));
        m.coordinate(rail, 0)
    };
    for (lower, upper) in [(1.0, -1.0), (0.0, 0.0), (NAN, 1.0), (0.0, NAN)] {
        refused(&["joint `stop`", "lower limit", "below upper"], |m| {
            let along = slider(m);
            m.joint("stop", Limit::new(along, lower, upper));
        });
    }
    for limit in [-1.0, NAN, f64::INFINITY] {
        refused(&["joint `brake`", "constant friction", "at least 0"], |m| {
            let along = slider(m);
            m.joint("brake", DryFriction::constant(along, limit));
        });
    }
    refused(&["joint `rope`", "restitution"], |m| {
        let a = m.body("a", rigid());
        m.joint("rope", Rope::new(BodyId::GROUND.origin(), a.at([0.1, 0.0, 0.0]), 1.0).restitution(2.0));
    });
}

/// A failed step leaves the state as it was to the bit, also where it began with an impact.
#[test]
fn a_failed_step_undoes_its_impact() {
    for kind in [IntegratorKind::default(), IntegratorKind::RungeKutta4, IntegratorKind::Stepping] {
        let mut m = ModelBuilder::new();
        let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 0.1]).velocity([1.0, 0.0, -1.0]));
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.3).restitution(0.5));
        m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::new(0.3).restitution(0.5));
        m.force(
            "nonsense",
            UserForce::new([Attachment::point(ball, Vec3::ZERO)], |_, t, push| {
                push.on(0, Vec3::splat(if t > 0.0 { NAN } else { 0.0 }));
            }),
        );
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(kind);
        let before = sim.snapshot();
        for _ in 0..2 {
            let failed =
                if kind == IntegratorKind::default() { sim.run_until(0.1).err() } else { sim.step(1e-3).err() };
            // time stepping takes forces at the start of a step: it fails one step later
            let Some(e) = failed else {
                assert_eq!(kind, IntegratorKind::Stepping);
                let before = sim.snapshot();
                assert!(sim.step(1e-3).is_err());
                assert_eq!(sim.snapshot(), before, "{kind:?}: the failed step changed the state");
                break;
            };
            assert!(e.to_string().contains("`ball`"), "{kind:?}: {e}");
            assert_eq!(sim.snapshot(), before, "{kind:?}: the failed step changed the state");
        }
    }
}

/// Numbers far from one: nothing becomes NaN, nothing sinks, nothing gains energy.
#[test]
fn hostile_sizes_in_contact() {
    for (radius, mass, friction, e) in [
        (1e-6, 1e-9, 0.5, 0.5),
        (1e6, 1e9, 0.5, 0.5),
        (0.1, 1e-9, 1e3, 0.0),
        (0.1, 1e9, 1e3, 0.0),
        (0.1, 1.0, 0.5, 1.0),
        (1e-6, 1.0, 1e3, 1.0),
    ] {
        for kind in [IntegratorKind::Stepping, IntegratorKind::default()] {
            // with such friction between such masses, forces do not exist for most of the time: a case for time stepping
            if friction > 1.0 && kind != IntegratorKind::Stepping {
                continue;
            }
            let mut m = ModelBuilder::new();
            let material = Material::new(friction).restitution(e);
            m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
            // a light ball under one 1e9 times as heavy, a little aside; without losses it would bounce a hundred thousand times between that and the floor
            let ratio = if e < 1.0 { 1e9 } else { 2.0 };
            let time = (radius / 9.81f64).sqrt();
            for (i, (mass, z)) in [(mass, 1.05), (mass * ratio, 3.1)].into_iter().enumerate() {
                let at = vec3(0.01 * i as f64, 0.0, z) * radius;
                let body = Rigid::ball(mass, radius).position(at).velocity([0.1 * radius / time, 0.0, 0.0]);
                let body = m.body(format!("ball {i}"), body);
                m.shape(body.origin(), Shape::Sphere { radius }, material);
            }
            let mut sim = Simulation::build(m).expect("valid");
            sim.set_integrator(kind);
            let start = sim.energy().total();
            let what = format!("{radius} m, {mass} kg, friction {friction}, e {e}, {kind:?}");
            let done = sim.run_fixed(2.0 * time, 0.02 * time);
            assert!(done.is_ok(), "{what}: {done:?}");
            assert!(sim.state().v.iter().chain(&sim.state().q).all(|x| x.is_finite()), "{what}");
            let overlap = sim.overlap();
            assert!(overlap < 1e-6 * radius, "{what}: {overlap} m deep");
            let energy = sim.energy().total();
            assert!(energy <= start * (1.0 + 1e-2), "{what}: {start} J, then {energy} J");
        }
    }
}

/// A pendulum whose drive returns NaN from `from` seconds on.
fn broken_drive(from: f64) -> Simulation {
    let mut m = ModelBuilder::new();
    let axis = [0.0, 1.0, 0.0];
    let rod = m.body("rod", rigid().position([0.5, 0.0, 0.0]));
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), rod.at([-0.5, 0.0, 0.0]).along(axis)));
    let law = UserForce::new([Attachment::spin(rod)], move |_, t, push| {
        push.on(0, Vec3::Y * if t < from { 0.1 } else { NAN });
    });
    m.force("drive", law);
    Simulation::build(m).expect("valid")
}

#[test]
fn a_failed_step_leaves_the_state_as_it_was() {
    for name in IntegratorKind::NAMES {
        let mut sim = broken_drive(0.05);
        sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
        let e = loop {
            let before = sim.snapshot();
            match sim.step(1e-2) {
                Ok(_) => assert!(sim.time() < 0.1, "{name}: NaN went unnoticed until {} s", sim.time()),
                Err(e) => {
                    assert_eq!(sim.snapshot(), before, "{name}: the failed step changed the state");
                    break e;
                }
            }
        };
        println!("{name}: {e}");
        assert!(e.to_string().contains("`rod`"), "{name}: {e}");
        assert!(e.to_string().contains("finite"), "{name}: {e}");
        // and once more, with the same result
        let before = sim.snapshot();
        assert!(sim.step(1e-2).is_err(), "{name}");
        assert_eq!(sim.snapshot(), before, "{name}: the second failed step changed the state");
    }
    // adaptive: up to the last good step, then an error; what was reached stays
    let mut sim = broken_drive(0.05);
    let e = sim.run_until(1.0).expect_err("NaN from 0.05 s on");
    println!("adaptive: {e}");
    assert!(e.to_string().contains("`rod` left the finite range"), "{e}");
    assert!(sim.time() < 0.05 && sim.state().q.iter().all(|x| x.is_finite()), "at {} s", sim.time());
    let before = sim.snapshot();
    assert!(sim.run_until(1.0).is_err());
    assert_eq!(sim.snapshot(), before, "a second attempt changed the state");
}

#[test]
fn a_singular_pose_is_named() {
    // the rod stands across the plate: it can hold nothing there
    let mut m = ModelBuilder::new();
    let plate = m.body("plate", Planar::new(1.0, 1.0).velocity(0.1, 0.0, 0.0));
    m.joint("rod", Distance::new(BodyId::GROUND.at([0.0, 0.0, 1.0]), plate.origin(), 1.0));
    let mut sim = Simulation::build(m).expect("valid in other poses");
    for name in IntegratorKind::NAMES {
        sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
        let before = sim.snapshot();
        let e = sim.step(1e-3).expect_err("singular").to_string();
        assert!(e.contains("singular") && e.contains("`rod`"), "{name}: {e}");
        assert_eq!(sim.snapshot(), before, "{name}: the failed step changed the state");
    }
}

#[test]
fn requests_that_make_no_sense() {
    let mut sim = broken_drive(f64::INFINITY);
    for name in IntegratorKind::NAMES {
        sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
        let before = sim.snapshot();
        for dt in [0.0, -1e-3, NAN, f64::INFINITY] {
            let errors = [
                sim.step(dt).expect_err("not a step"),
                sim.run_fixed(1.0, dt).expect_err("not a step"),
                sim.run_sampled(1.0, dt, |_, _| ()).expect_err("not an interval"),
                sim.kinematic_step(&[], dt).expect_err("not a step"),
            ];
            for e in errors.map(|e| e.to_string()) {
                assert!(e.contains(&format!(" {dt} s")) && e.contains("finite and greater than 0"), "{name}: {e}");
            }
        }
        for t in [NAN, f64::INFINITY, -f64::INFINITY] {
            for result in [sim.run_until(t), sim.run_fixed(t, 1e-3), sim.run_sampled(t, 1e-3, |_, _| ())] {
                let e = result.expect_err("not a time").to_string();
                assert!(e.contains(&format!("end time is {t} s")) && e.contains("must be finite"), "{name}: {e}");
            }
        }
        assert_eq!(sim.snapshot(), before, "{name}: a refused request changed the state");
    }
}

#[test]
fn tolerances_without_meaning() {
    for (relative, absolute) in [(f64::NAN, 1e-10), (0.0, 1e-10), (1e-10, -1.0), (2.0, 1e-10)] {
        let mut m = ModelBuilder::new();
        m.body("ball", Particle::new(1.0, Vec3::ZERO));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(IntegratorKind::Dop853 { relative, absolute });
        let message = sim.run_until(1.0).expect_err("no such tolerance").to_string();
        assert!(message.contains("tolerance of dop853") && message.contains("less than 1"), "{message}");
    }
}

#[test]
fn steps_and_pushes_without_meaning() {
    let fresh = || {
        let mut m = ModelBuilder::new();
        m.body("ball", Particle::new(1.0, Vec3::ZERO));
        Simulation::build(m).expect("valid")
    };
    for longest in [0.0, -1.0, f64::NAN] {
        let mut sim = fresh();
        sim.set_max_step(longest);
        let message = sim.run_until(1.0).expect_err("no such step").to_string();
        assert!(message.contains("longest step"), "{message}");
    }
    let mut sim = fresh();
    let (before, push) = (sim.snapshot(), [(BodyId::from_index(0).origin(), vec3(0.0, f64::NAN, 0.0))]);
    for message in [
        sim.apply_impulses(&push).expect_err("no such push").to_string(),
        sim.kinematic_step(&push, 0.1).expect_err("no such push").to_string(),
    ] {
        assert!(message.contains("`ball`") && message.contains("finite"), "{message}");
    }
    assert_eq!(sim.snapshot(), before);
}

/// A world without bodies can be run: time passes.
#[test]
fn an_empty_model_runs() {
    let mut sim = Simulation::build(ModelBuilder::new()).expect("nothing is wrong");
    sim.step(0.1).expect("nothing happens");
    sim.run_until(1.0).expect("nothing happens");
    assert_eq!((sim.time(), sim.energy().total()), (1.0, 0.0));
}

/// What a gear was not told comes from the start pose, if it can; a formula without derivatives is found out, not left out.
#[test]
fn what_cannot_be_settled_or_differentiated_is_named() {
    let mut m = ModelBuilder::new();
    let wheel = m.body("wheel", Rigid::cuboid(1.0, [0.1; 3]));
    m.joint("mesh", Gear::external(BodyId::GROUND.origin(), wheel.origin(), 0.1, 0.2));
    let error = m.build().err().expect("its centres coincide").to_string();
    assert!(error.contains("joint `mesh` (gear): cannot take what it was not told"), "{error}");

    let mut m = ModelBuilder::new();
    let body = m.body("body", Rigid::cuboid(1.0, [0.1; 3]));
    m.joint("cusp", Written::new([body.origin().p()], |[p], _| [(p.x * 0.0).sqrt()]));
    let sim = Simulation::build(m).expect("nothing is wrong with its values");
    let error = sim.accelerations().expect_err("it has no gradient").to_string();
    assert!(error.contains("`cusp`"), "{error}");
    // and one that has none elsewhere is kept
    let mut m = ModelBuilder::new();
    let body = m.body("body", Rigid::cuboid(1.0, [0.1; 3]).position([0.5, 0.0, 0.0]));
    m.joint("arc", Written::new([body.origin().p()], |[p], _| [p.x.acos() - 1.0]));
    let model = m.build().expect("it has a value here");
    assert_eq!(model.n_rows(), 1);
}

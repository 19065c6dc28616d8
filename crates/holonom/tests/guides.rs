//! Points on curves and surfaces, and surfaces that touch: rows by finite differences, motions against known ones, energy, refusals.

mod common;

use common::Worst;
use common::grow::{random_body, random_marker};
use common::spec::{Kind, Spec, body_id};
use holonom::curves::{Circle, CubicSpline, Line, Nurbs, NurbsSurface, Sheet, Track, UserCurve};
use holonom::joints::{Constraint, JOINTS};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::surfaces::{Inside, Plane, Quadric, Surface, Torus};
use holonom::{JointId, check};
use std::f64::consts::TAU;

const GROUND: BodyId = BodyId::GROUND;

/// The ground and every kind of body.
const KINDS: [Option<Kind>; 5] =
    [None, Some(Kind::Particle), Some(Kind::Planar), Some(Kind::Rigid), Some(Kind::Affine)];

#[test]
fn rows_are_the_derivatives_of_the_gap() {
    let worst = Worst::default();
    let mut g = SplitMix(41);
    for (name, expected) in [("point-on-curve", 19), ("point-on-surface", 19), ("tangency", 15)] {
        let kind = JOINTS.iter().find(|k| k.name() == name).expect("in the table");
        let mut pairs = 0;
        for (a, b) in KINDS.iter().flat_map(|a| KINDS.iter().map(move |b| (*a, *b))) {
            if a.is_none() && b.is_none() {
                continue;
            }
            let mut built = 0;
            for _ in 0..12 {
                let gravity = g.vec3(9.0);
                let mut spec = Spec { bodies: vec![], joints: vec![], forces: vec![], gravity, general_rows: false };
                let ids = [a, b].map(|k| match k {
                    None => GROUND,
                    Some(k) => {
                        let mut body = random_body(k, &mut g);
                        // about a metre apart
                        body.position = common::direction(&mut g) * if spec.bodies.is_empty() { 0.1 } else { 1.1 };
                        spec.bodies.push(body);
                        body_id(spec.bodies.len() - 1)
                    }
                });
                let near = |m: Marker| Marker { point: m.point * 0.3, ..m };
                let (p, q) = (near(random_marker(a, ids[0], &mut g)), near(random_marker(b, ids[1], &mut g)));
                let joint = (kind.sample.expect("a sample"))(p, q, &mut g);
                assert_eq!(joint.n_rows(), kind.rows);
                let mut m = spec.builder();
                m.boxed_joint("joint".to_string(), joint);
                let model = match m.build() {
                    Ok(model) => model,
                    Err(ModelError::NotCarried { .. }) => break,
                    // a plane that a body cannot leave need not meet the surface
                    Err(ModelError::NotAssembled { .. }) if [a, b].contains(&Some(Kind::Planar)) => continue,
                    Err(e) => panic!("{name} between {a:?} and {b:?}: {e}"),
                };
                built += 1;
                let joint = model.joints().next().expect("one joint");
                for _ in 0..4 {
                    let mut state = model.initial_state().clone();
                    for i in 0..spec.bodies.len() {
                        let q = &mut state.q[model.q_range(body_id(i))];
                        q.iter_mut().for_each(|x| *x += g.symmetric(0.15));
                        if spec.bodies[i].kind == Kind::Rigid {
                            let length = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
                            q[3..].iter_mut().for_each(|x| *x /= length);
                        }
                    }
                    state.v.iter_mut().for_each(|v| *v = g.symmetric(1.5));
                    let c = check::constraint(&model, joint, &state, 1e-5);
                    worst.note("rate", c.rate);
                    worst.note("acceleration", c.acceleration);
                    worst.note("jacobian", c.jacobian);
                    assert!(
                        c.rate < 1e-7 && c.acceleration < 1e-6 && c.jacobian < 1e-12,
                        "{name} between {a:?} and {b:?}: {c:?}"
                    );
                }
            }
            assert!(built == 0 || built >= 4, "{name} between {a:?} and {b:?}: built {built} of 12");
            pairs += usize::from(built > 0);
        }
        assert_eq!(pairs, expected, "pairs of kinds that can carry {name}");
    }
    worst.print("guides");
}

#[test]
fn surfaces_have_the_derivatives_they_say() {
    let worst = Worst::default();
    let mut g = SplitMix(42);
    let all: [(&str, Box<dyn Surface>); 5] = [
        ("plane", Box::new(Plane)),
        ("ellipsoid", Box::new(Quadric::ellipsoid([0.5, 1.0, 2.0]))),
        ("cylinder", Box::new(Quadric::cylinder(0.7))),
        ("torus", Box::new(Torus { ring: 1.2, tube: 0.4 })),
        ("inside of a torus", Box::new(Inside(Torus { ring: 1.2, tube: 0.4 }))),
    ];
    for (name, f) in &all {
        f.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
        for _ in 0..200 {
            let (x, u) = (g.vec3(2.0) + vec3(0.3, 0.0, 0.0), g.vec3(1.0));
            if x.truncate().length() < 0.3 {
                continue;
            }
            const H: f64 = 1e-5;
            let ahead = |e: Vec3| (x + e * H, x - e * H);
            for (k, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let (p, m) = ahead(e);
                let first = (f.value(p) - f.value(m)) / (2.0 * H);
                let second = (f.gradient(p) - f.gradient(m)) / (2.0 * H);
                let third = u.dot((f.hessian(p) - f.hessian(m)) * u) / (2.0 * H);
                for (what, error) in [
                    ("gradient", first - f.gradient(x)[k]),
                    ("hessian", (second - f.hessian(x).col(k)).length()),
                    ("third", (third - f.third(x, u)[k]) / (1.0 + third.abs())),
                ] {
                    worst.note(what, error.abs());
                    assert!(error.abs() < 1e-7, "{what} of {name} at {x}: off by {error}");
                }
            }
            let on = f.near(x);
            assert!(f.value(on).abs() < 1e-12, "{name}: {on} is not on it");
        }
    }
    worst.print("surfaces");
}

/// A bead at angle theta from the bottom of a circle of radius one in the x-z plane.
fn bead(theta: f64) -> (ModelBuilder, BodyId, Marker) {
    let mut m = ModelBuilder::new();
    let (s, c) = libm::sincos(theta);
    let bead = m.body("bead", Particle::new(1.0, [s, 0.0, -c]));
    // marker with its x-y plane in the world's x-z plane
    (m, bead, GROUND.origin().axes([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]))
}

/// The bead on a circle, released at 2.5 rad: position and force towards the centre after 5 s, by elliptic functions.
#[test]
fn a_bead_on_a_circle_of_nurbs_is_a_pendulum() {
    let worst = Worst::default();
    let (x, z, force) = (-0.605863557036802, 0.795568570429171, -7.69514529069946);
    let round = |s: f64| {
        let (sin, cos) = libm::sincos(s);
        let (e, f) = (vec3(cos, sin, 0.0), vec3(-sin, cos, 0.0));
        [e, f, -e, -f]
    };
    let tracks = [
        ("nurbs", Track::new(Nurbs::circle(1.0))),
        ("circle", Track::new(Circle { radius: 1.0 })),
        ("user's", Track::new(UserCurve::new(0.0, TAU, round).closed())),
    ];
    for (name, track) in tracks {
        let (mut m, bead, marker) = bead(2.5);
        let wire = m.joint("wire", PointOnCurve::on(marker, bead.origin(), track));
        let mut sim = Simulation::build(m).expect("on the wire");
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
        let start = sim.energy().total();
        let mut lowest: f64 = 0.0;
        while sim.time() < 5.0 {
            sim.run_until((sim.time() + 0.1).min(5.0)).expect("regular");
            lowest = lowest.max((sim.energy().total() - start).abs());
        }
        let p = sim.point(bead.origin()).0;
        worst.demand("position", (p - vec3(x, 0.0, z)).length(), 1e-9);
        worst.demand("energy", lowest, 1e-9);
        let pull = sim.reaction(wire).expect("regular").force.dot(-p);
        worst.demand("force", (pull - force).abs(), 1e-8);
        let (arc, rate) = sim.coordinate(wire, 0).expect("one coordinate");
        let angle = libm::atan2(p.z, p.x);
        worst.demand("arc", (arc - if angle < 0.0 { angle + TAU } else { angle }).abs(), 1e-12);
        worst.demand("speed", (rate.abs() - sim.point(bead.origin()).1.length()).abs(), 1e-12);
        println!("{name}: energy {lowest:.1e}");
    }
    worst.print("bead");
}

#[test]
fn a_roller_coaster_keeps_its_energy() {
    let points: Vec<Vec3> = (0..14)
        .map(|i| {
            let angle = TAU * i as f64 / 14.0;
            let (s, c) = libm::sincos(angle);
            vec3(6.0 * c, 4.0 * s, 1.5 * libm::sin(2.0 * angle) + 0.7 * libm::cos(3.0 * angle))
        })
        .collect();
    let mut m = ModelBuilder::new();
    // a car that also turns: its pivot, not its centre, is on the rail
    let car = Rigid::cuboid(1.5, [0.4, 0.2, 0.1]).position(points[0] - vec3(0.0, 0.0, 0.3)).velocity([0.0, 7.0, 0.0]);
    let car = m.body("car", car);
    let rail =
        m.joint("rail", PointOnCurve::new(GROUND.origin(), car.at([0.0, 0.0, 0.3]), CubicSpline::closed(&points)));
    let mut sim = Simulation::build(m).expect("on the rail");
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    let energy = sim.energy();
    let (start, size) = (energy.total(), energy.kinetic);
    let (mut worst, mut laps, mut last) = (0.0_f64, 0, 0.0);
    for i in 1..=100 {
        sim.run_until(0.1 * i as f64).expect("regular");
        worst = worst.max((sim.energy().total() - start).abs() / size);
        let arc = sim.coordinate(rail, 0).expect("one").0;
        laps += i32::from(arc < last - 10.0);
        last = arc;
    }
    println!("roller coaster: energy {worst:.1e}, gap {:.1e}, laps {laps}", sim.violation().0);
    assert!(worst < 1e-9 && sim.violation().0 < 1e-12 && laps >= 1);
}

#[test]
fn a_bead_runs_off_the_end_of_its_wire_straight_on() {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let arc = UserCurve::new(0.0, 1.0, |s| {
        let (sin, cos) = libm::sincos(s);
        [vec3(cos, sin, 0.0), vec3(-sin, cos, 0.0), vec3(-cos, -sin, 0.0), vec3(sin, -cos, 0.0)]
    });
    let bead = m.body("bead", Particle::new(2.0, [1.0, 0.0, 0.0]).velocity([0.0, 0.5, 0.0]));
    let wire = m.joint("wire", PointOnCurve::new(GROUND.origin(), bead.origin(), arc));
    let mut sim = Simulation::build(m).expect("on the wire");
    sim.run_until(1.0).expect("regular");
    assert!((sim.coordinate(wire, 0).expect("one").0 - 0.5).abs() < 1e-10);
    assert!((sim.reaction(wire).expect("regular").force.length() - 0.5).abs() < 1e-10);
    sim.run_until(4.0).expect("regular");
    let (sin, cos) = libm::sincos(1.0);
    let p = sim.point(bead.origin()).0;
    assert!((p - vec3(cos - sin, sin + cos, 0.0)).length() < 1e-9, "{p}");
    let (at, rate) = sim.coordinate(wire, 0).expect("one");
    assert!((at - 2.0).abs() < 1e-9 && (rate - 0.5).abs() < 1e-9);
    assert!(sim.reaction(wire).expect("regular").force.length() < 1e-9);
}

#[test]
fn a_line_is_a_line() {
    // the same bar on a straight curve and on the joint that knows straight lines only
    let run = |curve: bool| {
        let mut m = ModelBuilder::new();
        let rail = m.body("rail", Rigid::cuboid(2.0, [1.0, 0.2, 0.1]).spin([0.3, 0.2, 0.5]));
        let bar = m.body("bar", Rigid::cuboid(1.0, [0.5, 0.1, 0.2]).position([0.7, 0.0, 0.0]).spin([1.0, -1.0, 0.4]));
        let (a, b) = (rail.at([0.1, 0.0, 0.0]).along([1.0, 0.0, 0.0]), bar.at([-0.2, 0.0, 0.0]));
        m.joint("pin", Spherical::new(GROUND.origin(), rail.origin()));
        let joint = if curve {
            let line = Line { from: vec3(0.0, 0.0, -0.2), to: vec3(0.0, 0.0, 3.0) };
            m.joint("slide", PointOnCurve::new(a, b, line))
        } else {
            m.joint("slide", PointOnLine::new(a, b))
        };
        let mut sim = Simulation::build(m).expect("closed");
        sim.run_until(1.0).expect("regular");
        let force = sim.reaction(joint).expect("regular").force;
        (sim.state().q.clone(), force, sim.coordinate(joint, 0).expect("one"))
    };
    let (p, q) = (run(true), run(false));
    let difference = common::difference(&p.0, &q.0);
    println!("line: {difference:.1e}");
    assert!(difference < 1e-10 && (p.1 - q.1).length() < 1e-8);
    assert!((p.2.0 - 0.2 - q.2.0).abs() < 1e-10 && (p.2.1 - q.2.1).abs() < 1e-9);
}

/// Runs a mechanism and returns where a marker is and the largest change of energy, relative to the kinetic energy it has had.
fn run(m: ModelBuilder, marker: Marker, t: f64) -> (Vec3, f64, Simulation) {
    let mut sim = Simulation::build(m).expect("closed");
    let start = sim.energy().total();
    let (mut worst, mut kinetic) = (0.0_f64, 0.0_f64);
    for i in 1..=20 {
        sim.run_until(t * i as f64 / 20.0).expect("regular");
        worst = worst.max((sim.energy().total() - start).abs());
        kinetic = kinetic.max(sim.energy().kinetic);
    }
    assert!(sim.violation().0 < 1e-12);
    (sim.point(marker).0, worst / kinetic, sim)
}

fn pearl(m: &mut ModelBuilder, at: [f64; 3], velocity: [f64; 3]) -> Marker {
    m.body("pearl", Particle::new(0.7, at).velocity(velocity)).origin()
}

#[test]
fn a_point_on_a_sphere_is_a_spherical_pendulum() {
    let mut results = vec![];
    for kind in 0..2 {
        let mut m = ModelBuilder::new();
        let p = pearl(&mut m, [1.2, 0.0, 0.0], [0.0, 2.0, 0.5]);
        match kind {
            0 => m.joint("rod", Distance::new(GROUND.origin(), p, 1.2)),
            _ => m.joint("sphere", PointOnSurface::new(GROUND.origin(), p, Quadric::sphere(1.2))),
        };
        let (at, energy, sim) = run(m, p, 3.0);
        let joint = sim.model().joints().next().expect("one");
        let force = sim.reaction(joint).expect("regular").force;
        println!("spherical pendulum: energy {energy:.1e}");
        assert!(energy < 1e-9);
        results.push((at, force));
    }
    let d = (results[0].0 - results[1].0).length();
    println!("spherical pendulum: {d:.1e}");
    assert!(d < 1e-9 && (results[0].1 - results[1].1).length() < 1e-7);
}

#[test]
fn points_on_surfaces_keep_their_energy() {
    let mut g = SplitMix(43);
    let points: Vec<Vec3> =
        (0..63).map(|k| vec3((k / 9) as f64 - 3.0, (k % 9) as f64 - 4.0, g.symmetric(0.4))).collect();
    let bumps = Sheet::new(NurbsSurface::clamped([5, 5], [7, 9], &points));
    let ground = GROUND.origin();
    type Make = Box<dyn Fn(Marker) -> PointOnSurface>;
    let cases: [(&str, [f64; 3], [f64; 3], Make); 4] = [
        (
            "ellipsoid",
            [1.0, 0.0, 0.0],
            [0.0, 1.5, 0.7],
            Box::new(move |p| PointOnSurface::new(ground, p, Quadric::ellipsoid([1.0, 0.7, 1.6]))),
        ),
        (
            "cylinder",
            [0.5, 0.0, 0.0],
            [0.0, 1.5, 0.7],
            Box::new(move |p| PointOnSurface::new(ground, p, Inside(Quadric::cylinder(0.5)))),
        ),
        (
            "torus",
            [1.4, 0.0, 0.0],
            [0.0, 1.5, 0.7],
            Box::new(move |p| PointOnSurface::new(ground, p, Torus { ring: 1.0, tube: 0.4 })),
        ),
        ("patch", [0.1, 0.2, 0.0], [0.5, 0.7, 0.0], Box::new(move |p| PointOnSurface::patch(ground, p, bumps.clone()))),
    ];
    for (name, at, velocity, make) in cases {
        let mut m = ModelBuilder::new();
        let p = pearl(&mut m, at, velocity);
        m.joint("surface", make(p));
        let (_, energy, _) = run(m, p, 2.0);
        println!("point on {name}: energy {energy:.1e}");
        assert!(energy < 1e-9, "{name}: {energy}");
    }
}

fn gap_of(sim: &Simulation) -> f64 {
    check::equations(sim.model(), sim.state()).gap[0]
}

#[test]
fn spheres_touch_at_the_distance_of_their_centres() {
    let mut g = SplitMix(44);
    let mut m = ModelBuilder::new();
    let (p, q) = (m.body("p", Rigid::ball(1.0, 0.3)), m.body("q", Rigid::ball(1.0, 0.5).position([0.8, 0.0, 0.0])));
    m.joint("touch", SurfaceTangency::new(p.origin(), Quadric::sphere(0.3), q.origin(), Quadric::sphere(0.5)));
    let mut sim = Simulation::build(m).expect("in touch");
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        // apart, in touch and overlapping
        let at = common::direction(&mut g) * (0.55 + g.unit());
        sim.state_mut().q[0..3].copy_from_slice(&[0.1, 0.2, 0.3]);
        sim.state_mut().q[7..10].copy_from_slice(&(at + vec3(0.1, 0.2, 0.3)).to_array());
        worst = worst.max((gap_of(&sim) - (at.length() - 0.8)).abs());
    }
    println!("sphere on sphere: {worst:.1e}");
    assert!(worst < 2e-15);
}

#[test]
fn the_gap_is_the_distance_between_the_surfaces() {
    // ellipsoid above a plane: the height of its lowest point, from its support function
    let worst = Worst::default();
    let mut g = SplitMix(45);
    let axes = vec3(0.5, 0.2, 0.3);
    let mut m = ModelBuilder::new();
    let egg = m.body("egg", Rigid::cuboid(1.0, [0.5, 0.2, 0.3]).position([0.0, 0.0, 0.3]));
    let floor = GROUND.at([0.1, 0.0, -0.2]).axes([1.0, 0.0, 0.0], [0.2, 0.1, 1.0]);
    m.joint("touch", SurfaceTangency::new(floor, Plane, egg.origin(), Quadric::ellipsoid(axes)));
    let mut sim = Simulation::build(m).expect("in touch");
    for _ in 0..500 {
        let (at, turn) = (g.vec3(2.0), exp_quat(g.vec3(3.0)));
        sim.state_mut().q.copy_from_slice(&[at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]);
        let n = floor.axes.z_axis;
        let support = (axes * (Mat3::from_quat(turn).transpose() * n)).length();
        let right = n.dot(at - floor.point) - support;
        worst.demand("ellipsoid and plane", (gap_of(&sim) - right).abs(), 1e-14);
    }
    // two ellipsoids: the gap along any direction is at most the largest over all of them, which is at the common normal
    let shapes = [
        (axes, vec3(0.3, 0.4, 0.25)),
        (vec3(1.0, 0.1, 0.1), vec3(0.1, 0.8, 0.2)),
        (vec3(1.0, 1.0, 0.1), vec3(0.1, 0.8, 0.8)),
        (vec3(1.0, 0.02, 0.02), vec3(0.02, 0.02, 1.0)),
    ];
    for (axes, other) in shapes {
        let mut m = ModelBuilder::new();
        let b = m.body("b", Rigid::ball(1.0, 0.3).position([2.0, 0.0, 0.0]));
        let (first, second) = (Quadric::ellipsoid(axes), Quadric::ellipsoid(other));
        m.joint("touch", SurfaceTangency::new(GROUND.origin(), first, b.origin(), second));
        let mut sim = Simulation::build(m).expect("in touch");
        let mut apart = 0;
        for _ in 0..60 {
            let (at, turn) = (common::direction(&mut g) * (0.5 + 1.5 * g.unit()), exp_quat(g.vec3(3.0)));
            sim.state_mut().q.copy_from_slice(&[at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]);
            let back = Mat3::from_quat(turn).transpose();
            let along = |n: Vec3| n.dot(at) - (axes * n).length() - (other * (back * n)).length();
            // climb the sphere of directions
            let mut n = at.normalize();
            for _ in 0..500 {
                let m = common::direction(&mut g);
                n = if along(m) > along(n) { m } else { n };
            }
            let mut step = 0.5;
            while step > 1e-9 {
                let best = (0..40)
                    .map(|_| (n + g.vec3(step)).normalize())
                    .fold(n, |best, n| if along(n) > along(best) { n } else { best });
                if best == n {
                    step *= 0.7;
                }
                n = best;
            }
            // bodies that overlap far have more than one common normal
            if along(n) > 0.0 {
                apart += 1;
                worst.demand("ellipsoid and ellipsoid", (gap_of(&sim) - along(n)).abs(), 1e-12);
            }
        }
        assert!(apart > 20, "only {apart} poses apart");
    }
    worst.print("gap");
}

#[test]
fn touching_bodies_keep_their_energy() {
    let ellipsoid = vec3(0.5, 0.3, 0.4);
    let brick = |at: [f64; 3]| Rigid::cuboid(1.0, [0.8, 0.5, 0.6]).position(at);
    type Make = Box<dyn Fn(&mut ModelBuilder) -> BodyId>;
    let cases: [(&str, Make); 4] = [
        (
            "ellipsoid on a plane",
            Box::new(move |m| {
                let egg = m.body("egg", brick([0.0, 0.0, 0.4]).spin([2.0, 1.0, -3.0]).velocity([0.3, 0.0, 0.0]));
                m.joint("t", SurfaceTangency::new(GROUND.origin(), Plane, egg.origin(), Quadric::ellipsoid(ellipsoid)));
                egg
            }),
        ),
        (
            "ellipsoid in a bowl",
            Box::new(move |m| {
                let egg = m.body("egg", brick([0.0, 0.0, -1.6]).spin([2.0, 1.0, -3.0]).velocity([1.0, 0.5, 0.0]));
                let bowl = Inside(Quadric::sphere(2.0));
                m.joint("t", SurfaceTangency::new(GROUND.origin(), bowl, egg.origin(), Quadric::ellipsoid(ellipsoid)));
                egg
            }),
        ),
        (
            "ellipsoid on an ellipsoid, both free",
            Box::new(move |m| {
                m.gravity([0.0; 3]);
                let other = m.body("other", brick([0.0, 0.0, 0.0]).spin([0.5, 0.3, 1.0]));
                let egg = m.body("egg", brick([0.9, 0.0, 0.0]).spin([2.0, 1.0, -1.0]).velocity([0.3, 0.4, 0.0]));
                let shape = Quadric::ellipsoid(ellipsoid);
                m.joint("t", SurfaceTangency::new(other.origin(), shape, egg.at([0.05, 0.0, 0.0]), shape));
                egg
            }),
        ),
        (
            "ellipsoid on a cylinder",
            Box::new(move |m| {
                let egg = m.body("egg", brick([0.0, 0.0, 0.9]).spin([0.2, 0.1, 1.0]).velocity([0.3, 0.0, 0.0]));
                let log = GROUND.origin().along([1.0, 0.0, 0.0]);
                m.joint(
                    "t",
                    SurfaceTangency::new(log, Quadric::cylinder(0.5), egg.origin(), Quadric::ellipsoid(ellipsoid)),
                );
                egg
            }),
        ),
    ];
    for (name, make) in cases {
        let mut m = ModelBuilder::new();
        let egg = make(&mut m);
        let (_, energy, _) = run(m, egg.origin(), 2.0);
        println!("{name}: energy {energy:.1e}");
        assert!(energy < 1e-9, "{name}: {energy}");
    }
}

#[test]
fn a_ball_on_a_torus_moves_as_its_centre_on_a_thicker_one() {
    let mut ends = vec![];
    for kind in 0..2 {
        let mut m = ModelBuilder::new();
        let ball = Rigid::ball(1.0, 0.2).position([1.0, 0.0, 0.5]).velocity([0.1, 0.8, 0.0]);
        let ball = m.body("ball", ball.spin([3.0, 1.0, 0.0]));
        if kind == 0 {
            let torus = Torus { ring: 1.0, tube: 0.3 };
            m.joint("t", SurfaceTangency::new(GROUND.origin(), torus, ball.origin(), Quadric::sphere(0.2)));
        } else {
            m.joint("t", PointOnSurface::new(GROUND.origin(), ball.origin(), Torus { ring: 1.0, tube: 0.5 }));
        }
        let (at, energy, sim) = run(m, ball.origin(), 2.0);
        let joint: JointId = sim.model().joints().next().expect("one");
        println!("ball on torus: energy {energy:.1e}");
        assert!(energy < 1e-9);
        ends.push((at, sim.reaction(joint).expect("regular").force));
    }
    let d = (ends[0].0 - ends[1].0).length();
    println!("ball on torus: {d:.1e}");
    assert!(d < 1e-9 && (ends[0].1 - ends[1].1).length() < 1e-7);
}

#[test]
fn what_cannot_work_is_refused_by_name() {
    let refuse = |joint: &dyn Fn(Marker, Marker) -> Box<dyn Constraint>, reason: &str| {
        let mut m = ModelBuilder::new();
        let b = m.body("b", Rigid::ball(1.0, 0.3));
        m.boxed_joint("guide".to_string(), joint(GROUND.origin(), b.origin()));
        let e = m.build().map(drop).expect_err("refused").to_string();
        assert!(e.contains("guide") && e.contains(reason), "{e}");
    };
    let sphere = Quadric::sphere(0.2);
    refuse(&|a, b| Box::new(PointOnCurve::new(a, b, Circle { radius: 0.0 })), "radius is 0 m");
    refuse(&|a, b| Box::new(PointOnSurface::new(a, b, Quadric::sphere(-1.0))), "semi-axis is -1 m, must be positive");
    refuse(
        &|a, b| Box::new(PointOnSurface::new(a, b, Quadric::ellipsoid([1.0, f64::INFINITY, f64::INFINITY]))),
        "2 semi-axes are infinite",
    );
    refuse(&|a, b| Box::new(PointOnSurface::new(a, b, Torus { ring: 1.0, tube: 2.0 })), "tube has radius 2 m");
    refuse(&|a, b| Box::new(SurfaceTangency::new(a, Plane, b, Plane)), "touches at no single point");
    refuse(&|a, b| Box::new(SurfaceTangency::new(a, Plane, b, Quadric::cylinder(0.2))), "touches at no single point");
    refuse(&|a, b| Box::new(SurfaceTangency::new(a, sphere, b, Torus { ring: 0.1, tube: 0.3 })), "on the second body");
    // parallel cylinders have no unique pair: crossed they run, parallel they say so
    let mut m = ModelBuilder::new();
    let b = m.body("b", Rigid::ball(1.0, 0.3).position([0.5, 0.0, 0.0]).orientation(exp_quat(vec3(0.7, 0.0, 0.0))));
    let log = Quadric::cylinder(0.2);
    m.joint("logs", SurfaceTangency::new(GROUND.origin(), log, b.origin(), log));
    let mut sim = Simulation::build(m).expect("crossed");
    assert!(sim.violation().0 < 1e-12);
    sim.step(1e-3).expect("crossed");
    sim.state_mut().q.copy_from_slice(&[0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let e = sim.step(1e-3).map(drop).expect_err("parallel").to_string();
    assert!(e.contains("`logs`"), "{e}");
}

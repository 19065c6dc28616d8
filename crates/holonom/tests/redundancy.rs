//! Joints that hold the same thing twice, and drives that want different things.

mod common;
#[path = "common/singular.rs"]
mod singular;

use common::dense::Dense;
use common::{dot, gap, size};
use holonom::attach::View;
use holonom::joints::{Constraint, Rows};
use holonom::prelude::*;
use singular::Singular;

fn solver(name: &str) -> SolverKind {
    SolverKind::from_name(name).expect("a known solver")
}

// ---- the door ----------------------------------------------------------------------------------------------------------

/// A door on hinges about z at these heights; gravity is askew, so that it swings.
fn door(heights: &[f64]) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity([2.0, -3.0, -9.0]);
    let leaf = m.body("leaf", Rigid::cuboid(20.0, [0.8, 0.05, 2.0]).position([0.4, 0.0, 0.0]).spin([0.0, 0.0, 1.5]));
    for (i, &z) in heights.iter().enumerate() {
        m.joint(format!("hinge {i}"), Revolute::new(BodyId::GROUND.at([0.0, 0.0, z]), leaf.at([-0.4, 0.0, z])));
    }
    m
}

const DOORS: [&[f64]; 3] = [&[0.0], &[-0.8, 0.8], &[-0.8, 0.0, 0.8]];

/// Sum of the forces of all joints, and of their moments about the origin of the world.
fn total_wrench(sim: &mut Simulation) -> (Vec3, Vec3) {
    let ids: Vec<_> = sim.model().joints().collect();
    ids.into_iter().fold((Vec3::ZERO, Vec3::ZERO), |(force, moment), id| {
        let r = sim.reaction(id).expect("regular");
        (force + r.force, moment + r.torque + r.point.cross(r.force))
    })
}

#[test]
fn a_door_swings_alike_on_one_two_and_three_hinges() {
    let mut runs: Vec<Simulation> = DOORS.map(|h| Simulation::build(door(h)).expect("valid")).into();
    for k in 0..=10 {
        let (mut states, mut wrenches) = (Vec::new(), Vec::new());
        for sim in &mut runs {
            sim.run_fixed(0.1 * k as f64, 1e-3).expect("regular");
            assert!(sim.violation().0 < 1e-12, "gap {:e}", sim.violation().0);
            states.push([&sim.state().q[..], &sim.state().v].concat());
            wrenches.push(total_wrench(sim));
        }
        for i in 1..3 {
            let motion = gap(&states[0], &states[i]);
            assert!(motion <= 1e-10, "{} hinges, t = {:.1} s: motion differs by {motion:e}", i + 1, 0.1 * k as f64);
            let [force, moment] = [wrenches[0].0 - wrenches[i].0, wrenches[0].1 - wrenches[i].1].map(|d| d.length());
            let scale = wrenches[0].0.length();
            assert!(scale > 150.0, "the door has a weight: {scale}");
            assert!(force <= 1e-9 * scale && moment <= 1e-9 * scale, "{} hinges: {force:e} N, {moment:e} N m", i + 1);
        }
    }
    let hinge = runs[0].model().joint("hinge 0").expect("by name");
    let turned = runs[0].coordinate(hinge, 0).expect("an angle").0;
    assert!(turned.abs() > 0.5, "the door swings: {turned} rad");
}

#[test]
fn the_doctor_on_doors() {
    for heights in DOORS {
        let n = heights.len();
        let sim = Simulation::build(door(heights)).expect("valid");
        let d = sim.diagnose().expect("regular");
        assert_eq!((d.rows, d.rank, d.mobility, d.mobility_generic), (5 * n, 5, 1, 1), "{n} hinges");
        assert_eq!((d.loops, d.surplus(), d.is_singular()), (n - 1, 5 * (n - 1), false), "{n} hinges");
        assert_eq!(sim.certificate().expect("regular").rank_deficiency, Some(5 * (n - 1)));
        let text = d.to_string();
        if n == 1 {
            assert!(d.redundant.is_empty() && d.not_unique.is_empty(), "{text}");
            assert!(d.reactions.iter().all(|r| r.is_unique()), "{text}");
            continue;
        }
        assert_eq!(d.redundant.iter().map(|s| s.dropped.len()).sum::<usize>(), 5 * (n - 1), "{text}");
        assert_eq!(d.not_unique.len(), 5 * n, "{text}");
        for r in &d.reactions {
            // about its own axis a hinge holds nothing, and that is certain
            assert_eq!((r.force_unique, r.torque_unique), ([false; 3], [false, false, true]), "{text}");
        }
        assert!((0..n).all(|i| text.contains(&format!("`hinge {i}`"))), "{text}");
    }
}

/// The smallest sum of |F_i|^2 + |T_i|^2 / L^2 with a given sum of forces and moments (F, T), T about the centre of the hinges:
/// F_i = F / n + z_i beta × z,  T_i = L^2 beta,  beta = T / (2 sum z_i^2),  L^2 being the mean of z_i^2.
#[test]
fn loads_are_shared_by_smallest_norm() {
    for heights in &DOORS[1..] {
        let n = heights.len() as f64;
        let squares = heights.iter().map(|z| z * z).sum::<f64>();
        let mut sim = Simulation::build(door(heights)).expect("valid");
        sim.run_fixed(0.3, 1e-3).expect("regular");
        let (force, moment) = total_wrench(&mut sim);
        let beta = vec3(moment.x, moment.y, 0.0) / (2.0 * squares);
        assert!(beta.length() > 10.0, "there is a moment to share: {moment}");
        let d = sim.diagnose().expect("regular");
        for (r, &z) in d.reactions.iter().zip(*heights) {
            let (f, t) = (force / n + beta.cross(Vec3::Z) * z, beta * (squares / n));
            let error = (r.reaction.force - f).length().max((r.reaction.torque - t).length()) / force.length();
            assert!(error < 1e-9, "hinge at {z}: {:?}, expected {f} N, {t} N m", r.reaction);
            assert_eq!(sim.reaction(r.joint).expect("regular"), r.reaction);
        }
    }
}

#[test]
fn loads_follow_the_stiffness() {
    let compliances = [(2e-6, 3e-5), (5e-7, 1e-5), (1e-6, 8e-6)];
    for n in [2, 3] {
        let heights = DOORS[n - 1];
        let ids: Vec<_> = door(heights).build().expect("valid").joints().collect();
        let mut m = door(heights);
        for (&id, c) in ids.iter().zip(compliances) {
            m.compliance(id, c.0, c.1);
        }
        let mut sim = Simulation::build(m).expect("valid");
        sim.run_fixed(0.3, 1e-3).expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        let lambda = sim.multipliers().expect("regular");
        let weights: Vec<f64> = compliances[..n].iter().flat_map(|c| [c.0, c.0, c.0, c.1, c.1]).collect();
        let expected = Singular::of(&d).smallest(&lambda, &weights);
        let total = total_wrench(&mut sim).0;
        let stiffness: f64 = compliances[..n].iter().map(|c| 1.0 / c.0).sum();
        for (i, id) in ids.into_iter().enumerate() {
            let r = sim.reaction(id).expect("regular");
            // the weight, along the axis, in proportion to stiffness
            let share = total.z / compliances[i].0 / stiffness;
            assert!((r.force.z - share).abs() < 1e-9 * total.length(), "hinge {i}: {} N, expected {share}", r.force.z);
            let rows = &expected[5 * i..5 * i + 5];
            let error = (r.force.length() - dot(&rows[..3], &rows[..3]).sqrt())
                .abs()
                .max((r.torque.length() - dot(&rows[3..], &rows[3..]).sqrt()).abs());
            assert!(error < 1e-9 * total.length(), "hinge {i}: {r:?}, expected {rows:?}");
        }
        let plain: Vec<f64> = vec![1.0; 5 * n];
        let other = Singular::of(&d).smallest(&lambda, &plain);
        assert!(gap(&other, &expected) > 1.0, "the stiffnesses make a difference");
    }
}

// ---- more redundant mechanisms -----------------------------------------------------------------------------------------

/// A planar four-bar of spatial hinges about y: crank 0.3, coupler 0.8, rocker 0.6, ground 0.7 m.
fn four_bar() -> ModelBuilder {
    let y = [0.0, 1.0, 0.0];
    let [o, a, b, c] = [vec3(0.0, 0.0, 0.0), vec3(0.1, 0.0, 0.28), vec3(0.75, 0.0, 0.6), vec3(0.7, 0.0, 0.0)];
    let mut m = ModelBuilder::new();
    let rod = |m: &mut ModelBuilder, name: &str, p: Vec3, q: Vec3| {
        let d = q - p;
        let turn = Mat3::from_cols(d.normalize(), Vec3::Y, d.normalize().cross(Vec3::Y));
        let body = Rigid::cuboid(d.length(), [d.length(), 0.05, 0.05]).position((p + q) / 2.0);
        m.body(name, body.orientation(Quat::from_mat3(&turn)).spin([0.0, 1.0, 0.0]))
    };
    let [crank, coupler, rocker] =
        [("crank", o, a), ("coupler", a, b), ("rocker", b, c)].map(|(n, p, q)| rod(&mut m, n, p, q));
    let ground = BodyId::GROUND;
    for (name, first, second, at) in [
        ("foot", ground, crank, o),
        ("pin", crank, coupler, a),
        ("eye", coupler, rocker, b),
        ("heel", rocker, ground, c),
    ] {
        let (first, second) = (m.marker(first, at, y), m.marker(second, at, y));
        m.joint(name, Revolute::new(first, second));
    }
    m
}

#[test]
fn a_four_bar_of_spatial_hinges() {
    let mut sim = Simulation::build(four_bar()).expect("valid");
    for _ in 0..3 {
        let d = sim.diagnose().expect("regular");
        assert_eq!((d.rows, d.rank, d.mobility, d.mobility_generic, d.loops), (20, 17, 1, 1, 1), "{d}");
        assert!(!d.is_singular(), "{d}");
        let dropped: Vec<_> = d.redundant.iter().flat_map(|s| &s.dropped).collect();
        assert_eq!(dropped.len(), 3, "{d}");
        let text = d.to_string();
        assert!(dropped.iter().all(|r| text.contains(&format!("`{}`: {}", r.joint_name, r.holds))), "{text}");
        // forces in the plane and only those are certain
        for r in &d.reactions {
            assert_eq!((r.force_unique, r.torque_unique[1]), ([true, false, true], true), "{text}");
        }
        sim.run_until(sim.time() + 0.2).expect("regular");
    }
}

/// A chain of rigid bodies with every ball joint given `times` times; masses rise from 1 to `ratio`.
fn balls(n: usize, times: usize, ratio: f64, length: f64) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity(vec3(1.0, 2.0, -9.0) * length);
    let mut last = BodyId::GROUND.origin();
    for i in 0..n {
        let mass = ratio.powf(i as f64 / (n - 1) as f64);
        let body = Rigid::cuboid(mass, vec3(1.0, 0.3, 0.2) * length).spin([0.3 * i as f64, 1.0, -0.5]);
        let at = vec3(0.5 + i as f64, 0.0, 0.0) * length;
        let body = m.body(format!("link {i}"), body.position(at));
        for k in 0..times {
            m.joint(format!("ball {i} {k}"), Spherical::new(last, body.at(vec3(-0.5, 0.0, 0.0) * length)));
        }
        last = body.at(vec3(0.5, 0.0, 0.0) * length);
    }
    m
}

/// A frame of four bodies welded all round, on one hinge: a loop of 24 rows and rank 18.
fn welded_ring() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let corners = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.2), vec3(-1.0, 0.0, 0.0), vec3(0.0, -1.0, 0.3)];
    let sides: Vec<_> = (0..4)
        .map(|i| {
            m.body(
                format!("side {i}"),
                Rigid::cuboid(1.0 + i as f64, [0.5, 0.4, 0.2]).position(corners[i]).spin(Vec3::X),
            )
        })
        .collect();
    let hinge =
        Revolute::new(BodyId::GROUND.at([1.5, 0.0, 0.0]).along(Vec3::X), sides[0].at([0.5, 0.0, 0.0]).along(Vec3::X));
    m.joint("hinge", hinge);
    for i in 0..4 {
        let (a, b, at) = (sides[i], sides[(i + 1) % 4], (corners[i] + corners[(i + 1) % 4]) / 2.0);
        let (a, b) = (m.marker(a, at, Vec3::Z), m.marker(b, at, Vec3::Z));
        m.joint(format!("weld {i}"), Weld::new(a, b));
    }
    m
}

#[test]
fn redundant_joints_give_the_accelerations_of_the_pseudo_inverse() {
    let cases: Vec<(String, ModelBuilder, usize)> = [
        ("door on 2".to_string(), door(DOORS[1]), 5),
        ("door on 3".to_string(), door(DOORS[2]), 10),
        ("four-bar".to_string(), four_bar(), 3),
        ("welded ring".to_string(), welded_ring(), 6),
    ]
    .into_iter()
    .chain([(1.0, 1.0), (1e6, 1.0), (1e-6, 1.0), (1.0, 1e-3), (1.0, 1e3), (1e6, 1e-3), (1e6, 1e3)].map(
        |(ratio, length)| (format!("balls twice, masses 1:{ratio:e}, {length} m"), balls(6, 2, ratio, length), 18),
    ))
    .chain([("balls three times".to_string(), balls(5, 3, 1e3, 1.0), 30)])
    .collect();
    let mut wrong = Vec::new();
    for (name, m, surplus) in cases {
        let mut sim = Simulation::build(m).expect("valid");
        let d = Dense::at(sim.model(), sim.state());
        let s = Singular::of(&d);
        assert!(s.is_clear() && s.rank() == d.m - surplus, "{name}: rank {} of {}", s.rank(), d.m);
        let (expected, violation) = s.accelerations(&d);
        assert!(violation < 1e-9 * size(&expected), "{name}: rows that can hold: {violation:e}");
        for solver_name in ["sparse", "huge-pivot", "auxiliary", "dense", "cg"] {
            sim.set_solver(solver(solver_name)).expect("it applies");
            let allowed = if solver_name == "sparse" { 1e-10 } else { 1e-9 };
            let error = match sim.accelerations() {
                Ok(found) => gap(&found, &expected) / size(&expected),
                Err(e) => {
                    wrong.push(format!("{name}, {solver_name}: {e}"));
                    continue;
                }
            };
            println!("{name}, {solver_name}: error {error:.1e}");
            if !(error <= allowed) {
                wrong.push(format!("{name}, {solver_name}: error {error:e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// ---- contradictions ----------------------------------------------------------------------------------------------------

/// A point moves along `along` with constant acceleration from rest: C = s (along . (p - p_0) - a t^2 / 2).
struct Drive {
    on: [Attachment; 1],
    along: Vec3,
    from: Vec3,
    acceleration: f64,
    scale: f64,
}

impl Constraint for Drive {
    fn kind(&self) -> &'static str {
        "drive"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let (s, acceleration) = (self.scale, self.acceleration);
        *out.row(0) = holonom::joints::Row {
            gap: s * (self.along.dot(a.at(0) - self.from) - 0.5 * acceleration * t * t),
            rate_t: -s * acceleration * t,
            curvature: -s * acceleration,
        };
        out.gradient(0, 0, self.along * s);
    }
}

/// A body on a ball joint, a second one hanging from it if wanted, and drives (point, direction, acceleration, scale) on the first.
fn driven(tail: bool, drives: &[(Vec3, Vec3, f64, f64)]) -> Simulation {
    let mut m = ModelBuilder::new();
    let arm = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.3, 0.2]).position([0.5, 0.0, 0.0]));
    m.joint("ball", Spherical::new(BodyId::GROUND.origin(), arm.at([-0.5, 0.0, 0.0])));
    if tail {
        let tail = m.body("tail", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([1.5, 0.0, 0.0]));
        m.joint("elbow", Spherical::new(arm.at([0.5, 0.0, 0.0]), tail.at([-0.5, 0.0, 0.0])));
    }
    for (i, &(point, along, acceleration, scale)) in drives.iter().enumerate() {
        let on = [Attachment::point(arm, point - vec3(0.5, 0.0, 0.0))];
        m.joint(format!("drive {i}"), Drive { on, along, from: point, acceleration, scale });
    }
    Simulation::build(m).expect("the drives agree at the start")
}

fn check_contradictions(tail: bool) {
    let (tip, mid) = (vec3(1.0, 0.0, 0.0), vec3(0.5, 0.0, 0.0));
    // rows of the same coordinate, in other units, through other points of the same body
    for drives in [
        vec![(tip, Vec3::Z, 1.0, 1.0), (tip, Vec3::Z, 2.0, 1.0)],
        vec![(tip, Vec3::Z, 1.0, 1.0), (tip, Vec3::Z, 4.0, 1e3)],
        vec![(tip, Vec3::Z, 1.0, 1.0), (mid, Vec3::Z, -3.0, 1.0)],
        vec![(tip, Vec3::Z, 1.0, 1.0), (mid, Vec3::Z, -3.0, 0.1), (tip, Vec3::Y, 2.0, 1.0), (tip, Vec3::Z, 7.0, 20.0)],
    ] {
        let mut sim = driven(tail, &drives);
        let d = Dense::at(sim.model(), sim.state());
        let (expected, violation) = Singular::of(&d).accelerations(&d);
        assert!(violation > 0.1, "they contradict each other: {violation}");
        let found = sim.accelerations().expect("finite");
        let error = gap(&found, &expected) / size(&expected);
        println!("{} drives: error {error:.1e}, violation {violation:.2}", drives.len());
        // with rows that give way by 1e-8, forces grow to 1e8 of what they were: 2e-8 of the accelerations is rounding
        assert!(error < 1e-7, "{drives:?}: error {error:e}, {found:?} instead of {expected:?}");
        assert!(size(&sim.multipliers().expect("finite")).is_finite());
        let certificate = sim.certificate().expect("finite");
        assert!(certificate.contradiction, "{certificate:?}");
        assert!(certificate.residual.constraint > 1e-3, "{certificate:?}");
        assert!(certificate.residual.motion < 1e-6, "{certificate:?}");
        // a step is refused, or leaves numbers
        for _ in 0..20 {
            if sim.step(1e-3).is_err() {
                break;
            }
        }
        assert!(size(&sim.state().q).is_finite() && size(&sim.state().v).is_finite());
    }
}

#[test]
fn contradictions_are_settled_by_least_squares() {
    check_contradictions(false);
}

/// What hangs on the bodies in conflict changes nothing in the weights of the rows.
#[test]
fn contradictions_with_a_branch_are_settled_by_least_squares() {
    check_contradictions(true);
}

#[test]
fn drives_that_agree_are_no_contradiction() {
    let tip = vec3(1.0, 0.0, 0.0);
    for second in [(tip, Vec3::Z, 1.0, 1.0), (tip, Vec3::Z, 1.0, 1e3), (vec3(0.5, 0.0, 0.0), Vec3::Z, 0.5, 1.0)] {
        let sim = driven(true, &[(tip, Vec3::Z, 1.0, 1.0), second]);
        let d = Dense::at(sim.model(), sim.state());
        let (expected, violation) = Singular::of(&d).accelerations(&d);
        assert!(violation < 1e-10, "{violation:e}");
        let found = sim.accelerations().expect("regular");
        assert!(gap(&found, &expected) < 1e-10 * size(&expected), "{:e}", gap(&found, &expected));
        let certificate = sim.certificate().expect("regular");
        assert_eq!((certificate.contradiction, certificate.rank_deficiency), (false, Some(1)), "{certificate:?}");
        assert!(certificate.residual.largest() < 1e-10, "{certificate:?}");
    }
}

// ---- a flat parallelogram ----------------------------------------------------------------------------------------------

#[test]
fn a_flat_parallelogram() {
    let y = [0.0, 1.0, 0.0];
    let mut m = ModelBuilder::new();
    let rod = |x: f64, l: f64| Rigid::cuboid(l, [l, 0.05, 0.05]).position([x + l / 2.0, 0.0, 0.0]);
    // feet at 0 and 1, cranks of 0.4 along x, coupler of 1
    let crank = m.body("crank", rod(0.0, 0.4));
    let coupler = m.body("coupler", rod(0.4, 1.0));
    let rocker = m.body("rocker", rod(1.0, 0.4));
    let ground = BodyId::GROUND;
    for (name, a, b, x) in [
        ("foot", ground, crank, 0.0),
        ("pin", crank, coupler, 0.4),
        ("eye", coupler, rocker, 1.4),
        ("heel", rocker, ground, 1.0),
    ] {
        let (a, b) = (m.marker(a, [x, 0.0, 0.0], y), m.marker(b, [x, 0.0, 0.0], y));
        m.joint(name, Revolute::new(a, b));
    }
    let mut sim = Simulation::build(m).expect("a pose that closes");
    let d = sim.diagnose().expect("finite");
    assert!(d.is_singular() || d.surplus() > 3, "{d}");
    assert_eq!(d.rank, 16, "flat, one row more depends on the others: {d}");
    let start = sim.energy().total();
    for k in 0..300 {
        sim.step(1e-3).unwrap_or_else(|e| panic!("step {k}: {e}"));
        assert!(sim.violation().0 < 1e-8, "step {k}: gap {:e}", sim.violation().0);
    }
    let energy = sim.energy();
    assert!(energy.kinetic > 0.1, "it falls: {energy:?}");
    assert!((energy.total() - start).abs() < 1e-6 * energy.kinetic, "{start} became {}", energy.total());
}

/// Asking for reactions must leave the equations of the present state as they are.
#[test]
fn asking_for_loads_changes_nothing() {
    let mut m = ModelBuilder::new();
    let door = m.body("door", Rigid::cuboid(20.0, [1.0, 0.05, 2.0]).position([0.5, 0.0, 1.0]));
    let hinges = [0.2, 1.8].map(|z| {
        let (a, b) = (m.marker(BodyId::GROUND, [0.0, 0.0, z], Vec3::Z), m.marker(door, [0.0, 0.0, z], Vec3::Z));
        m.joint(format!("hinge at {z}"), Revolute::new(a, b))
    });
    m.force("push", PointForce::new(door.at([0.5, 0.0, 0.0]), [0.0, 30.0, 0.0]));
    let mut sim = Simulation::build(m).expect("valid");
    let before = (sim.multipliers().expect("regular"), sim.residual().expect("regular"));
    let loads = hinges.map(|h| sim.reaction(h).expect("regular"));
    assert_eq!(before, (sim.multipliers().expect("regular"), sim.residual().expect("regular")));
    assert_eq!(loads, hinges.map(|h| sim.reaction(h).expect("regular")), "and twice the same");
    sim.step(1e-3).expect("regular");
    assert_ne!(loads[0], sim.reaction(hinges[0]).expect("regular"), "but not after a step");
}

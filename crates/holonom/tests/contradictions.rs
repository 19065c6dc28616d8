//! Drives that contradict each other are refused at the start or stop the run, by name and by how much; drives that
//! agree run and are redundant. On one hinge, over couplers, around parallelograms; from the start, later; in speeds,
//! in positions, in both; with every integrator and solver.

mod common;

use common::dense::Dense;
use holonom::Residual;
use holonom::prelude::*;

const GROUND: BodyId = BodyId::GROUND;

/// When they begin to disagree, where they do so later, s.
const LATER: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Topology {
    /// Drives on one hinge.
    OneHinge(usize),
    /// A hinge each, coupled one to the next in this ratio.
    Coupled(usize, f64),
    /// Slides along z, coupled one to the next in this ratio.
    Slides(usize, f64),
    /// The cranks of parallelograms beside each other.
    Parallelograms(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Off {
    Agree,
    FromStart(f64),
    /// By this part of the speed for every second since, to this power.
    Later(f64, i32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Speeds,
    Positions,
    Mixed,
}

/// What drive `i` wants: position, speed and acceleration at `t`, `ratio^-i` times that of the first, and the last one
/// off by something.
fn goal(speed: f64, off: Off, last: bool) -> impl Fn(f64) -> [f64; 3] + Clone {
    move |t: f64| {
        let (s, c) = libm::sincos(t);
        // speed (1 + sin t): not constant, so that accelerations count too
        let mut f = [speed * (t + 1.0 - c), speed * (1.0 + s), speed * c];
        match off {
            Off::FromStart(by) if last => {
                f[0] += by * t;
                f[1] += by;
            }
            Off::Later(by, power) if last && t > LATER => {
                let (since, p) = (t - LATER, power as f64);
                f[0] += by * libm::pow(since, p + 1.0) / (p + 1.0);
                f[1] += by * libm::pow(since, p);
                f[2] += by * p * libm::pow(since, p - 1.0);
            }
            _ => {}
        }
        f
    }
}

fn motor(
    position: bool,
    coordinate: Coordinate,
    goal: impl Fn(f64) -> [f64; 3] + Clone + Send + Sync + 'static,
) -> Motor {
    if position {
        Motor::position(coordinate, goal)
    } else {
        // a speed is a function with two derivatives; the second is not used
        Motor::speed(coordinate, move |t: f64| [goal(t)[1], goal(t)[2], 0.0])
    }
}

/// The mechanism, and the joints that must be named.
fn build(topology: Topology, off: Off, how: How) -> (ModelBuilder, Vec<String>) {
    let mut m = ModelBuilder::new();
    let mut coordinates = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let y = [0.0, 1.0, 0.0];
    let ratio = match topology {
        Topology::OneHinge(_) => {
            let body = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.1, 0.2]).position([0.5, 0.0, 0.0]));
            let hinge = m.joint("hinge", Revolute::new(GROUND.origin().along(y), body.at([-0.5, 0.0, 0.0]).along(y)));
            let Topology::OneHinge(n) = topology else { unreachable!() };
            coordinates.extend((0..n).map(|_| m.coordinate(hinge, 0)));
            1.0
        }
        Topology::Coupled(n, ratio) => {
            for i in 0..n {
                let at = i as f64;
                let size = [0.6 + 0.1 * at, 0.1, 0.2];
                let body = m.body(format!("arm {i}"), Rigid::cuboid(1.0 + at, size).position([0.5, at, 0.0]));
                let (a, b) = (GROUND.at([0.0, at, 0.0]).along(y), body.at([-0.5, 0.0, 0.0]).along(y));
                let hinge = m.joint(format!("hinge {i}"), Revolute::new(a, b));
                coordinates.push(m.coordinate(hinge, 0));
            }
            couple(&mut m, &coordinates, ratio, &mut names);
            ratio
        }
        Topology::Slides(n, ratio) => {
            for i in 0..n {
                let at = [i as f64, 0.0, 0.0];
                let body = m.body(format!("block {i}"), Rigid::cuboid(1.0 + i as f64, [0.2; 3]).position(at));
                let slide = Prismatic::new(GROUND.at(at).along([0.0, 0.0, 1.0]), body.origin().along([0.0, 0.0, 1.0]));
                let slide = m.joint(format!("slide {i}"), slide);
                coordinates.push(m.coordinate(slide, 0));
            }
            couple(&mut m, &coordinates, ratio, &mut names);
            ratio
        }
        Topology::Parallelograms(n) => {
            let (half, mut before) = (vec3(0.1, 0.0, 0.2), None);
            for i in 0..=n {
                let foot = vec3(0.7 * i as f64, 0.0, 0.0);
                let crank = m.body(format!("crank {i}"), Rigid::cuboid(1.0, [0.1, 0.05, 0.4]).position(foot + half));
                let hinge =
                    m.joint(format!("foot {i}"), Revolute::new(GROUND.at(foot).along(y), crank.at(-half).along(y)));
                coordinates.push(m.coordinate(hinge, 0));
                if let Some(left) = before {
                    let middle = foot + half * 2.0 - vec3(0.35, 0.0, 0.0);
                    let rod = m.body(format!("rod {i}"), Rigid::cuboid(0.5, [0.7, 0.05, 0.05]).position(middle));
                    let ends = [vec3(-0.35, 0.0, 0.0), vec3(0.35, 0.0, 0.0)].map(|p| rod.at(p).along(y));
                    let left: BodyId = left;
                    m.joint(format!("left {i}"), Revolute::new(left.at(half).along(y), ends[0]));
                    m.joint(format!("right {i}"), Revolute::new(crank.at(half).along(y), ends[1]));
                    names.extend([format!("left {i}"), format!("right {i}")]);
                }
                names.push(format!("foot {i}"));
                before = Some(crank);
            }
            coordinates.drain(1..n);
            1.0
        }
    };
    let n = coordinates.len();
    for (i, coordinate) in coordinates.into_iter().enumerate() {
        let position = how == How::Positions || how == How::Mixed && i % 2 == 1;
        let speed = 0.5 / libm::pow(ratio, i as f64);
        m.joint(format!("drive {i}"), motor(position, coordinate, goal(speed, off, i + 1 == n)));
        names.push(format!("drive {i}"));
    }
    (m, names)
}

/// q_i = ratio q_i+1.
fn couple(m: &mut ModelBuilder, coordinates: &[Coordinate], ratio: f64, names: &mut Vec<String>) {
    for (i, pair) in coordinates.windows(2).enumerate() {
        m.joint(format!("coupler {i}"), Coupler::new([(1.0, pair[0].clone()), (-ratio, pair[1].clone())]));
        names.push(format!("coupler {i}"));
    }
}

const TOPOLOGIES: [Topology; 8] = [
    Topology::OneHinge(2),
    Topology::OneHinge(4),
    Topology::Coupled(2, 2.0),
    Topology::Coupled(2, -0.3),
    Topology::Coupled(4, 1.5),
    Topology::Slides(3, 3.0),
    Topology::Parallelograms(1),
    Topology::Parallelograms(3),
];

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// On one hinge the others agree, so the last one contradicts all of them; elsewhere the self-stress goes through
/// everything between the drives.
fn expect_names(topology: Topology, found: &[String], names: &[String], what: &str) {
    match topology {
        // on slides and coupled hinges a drive in the middle shares the stress
        // and the feet of the cranks between hold nothing against it
        Topology::Parallelograms(n) => {
            assert!(found[..2] == ["drive 0", "drive 1"], "{what}: {found:?}");
            let between = |name: &String| (1..n).any(|i| *name == format!("foot {i}"));
            let expected = names.iter().filter(|name| !between(name)).cloned().collect();
            assert_eq!(sorted(found.to_vec()), sorted(expected), "{what}");
        }
        _ => assert_eq!(sorted(found.to_vec()), sorted(names.to_vec()), "{what}"),
    }
}

#[test]
fn contradictions_at_the_start_are_refused_by_name_and_amount() {
    for topology in TOPOLOGIES {
        for by in [2.0, -1e-2, 1e-6] {
            for how in [How::Speeds, How::Positions, How::Mixed] {
                let what = format!("{topology:?} off by {by:e} in {how:?}");
                let (m, names) = build(topology, Off::FromStart(by), how);
                match m.build() {
                    Err(ModelError::RatesContradict { joint, rate, conflict }) => {
                        expect_names(topology, &conflict, &names, &what);
                        assert_eq!(Some(&joint), conflict.iter().filter(|n| n.starts_with("drive")).max(), "{what}");
                        assert!((rate - by.abs()).abs() < 1e-3 * by.abs(), "{what}: {rate:e}");
                    }
                    Err(e) => panic!("{what}: {e}"),
                    Ok(_) => panic!("{what}: built"),
                }
            }
        }
    }
}

fn integrators() -> Vec<IntegratorKind> {
    let names = ["euler", "rk4", "dop853", "sdirk4", "rattle", "stepping"];
    names.into_iter().map(|name| IntegratorKind::from_name(name).expect("known")).collect()
}

/// Run to 0.2 s.
fn run(sim: &mut Simulation, kind: IntegratorKind) -> Result<holonom::Summary, StepError> {
    let adaptive = matches!(kind, IntegratorKind::Dop853 { .. } | IntegratorKind::Sdirk4 { .. });
    sim.set_integrator(kind);
    if adaptive { sim.run_until(0.2) } else { sim.run_fixed(0.2, 2e-3) }
}

#[test]
fn drives_that_agree_run_and_are_redundant() {
    for topology in TOPOLOGIES {
        for how in [How::Speeds, How::Positions, How::Mixed] {
            for kind in integrators() {
                // RATTLE closes positions by impulses, and a speed that is integrated with an error stands in its way
                if how == How::Mixed && kind == IntegratorKind::Rattle {
                    continue;
                }
                let what = format!("{topology:?} {how:?} {kind:?}");
                let mut sim =
                    Simulation::build(build(topology, Off::Agree, how).0).unwrap_or_else(|e| panic!("{what}: {e}"));
                let found = sim.diagnose().expect("regular");
                assert!(found.surplus() > 0 && found.contradictions.is_empty(), "{what}: {found}");
                let summary = run(&mut sim, kind).unwrap_or_else(|e| panic!("{what}: {e}"));
                // where the integral of a speed is not exact, it is not quite the position that another drive wants
                let coarse = !matches!(kind, IntegratorKind::Dop853 { .. } | IntegratorKind::Sdirk4 { .. });
                if how == How::Mixed && coarse {
                    continue;
                }
                let broken: Vec<String> =
                    summary.worst.broken(sim.model(), sim.drift()).map(|b| b.to_string()).collect();
                assert!(broken.is_empty(), "{what}: {broken:?}");
                let certificate = sim.certificate().expect("regular");
                assert!(!certificate.contradiction, "{what}: {certificate:?}");
                // at the speed that all of them want
                let first = sim.model().joints().next().expect("a joint");
                let rate = sim.coordinate(first, 0).expect("a coordinate").1;
                let wanted = 0.5 * (1.0 + libm::sin(0.2));
                assert!((rate - wanted).abs() < 1e-9, "{what}: {rate} instead of {wanted}");
            }
        }
    }
}

#[test]
fn contradictions_that_come_later_stop_the_run() {
    for topology in TOPOLOGIES {
        for (k, how) in [How::Speeds, How::Positions, How::Mixed].into_iter().enumerate() {
            for kind in integrators() {
                if how == How::Mixed && kind == IntegratorKind::Rattle {
                    continue;
                }
                // one with a kink, one smooth
                let off = Off::Later(0.5, 1 + (k as i32) % 2);
                let what = format!("{topology:?} {how:?} {kind:?} {off:?}");
                let (m, names) = build(topology, off, how);
                let mut sim = Simulation::build(m).unwrap_or_else(|e| panic!("{what}: {e}"));
                match run(&mut sim, kind) {
                    Err(StepError::Contradiction { conflict, time, rate, .. }) => {
                        expect_names(topology, &conflict, &names, &what);
                        assert!(time > LATER && time < LATER + 5e-3, "{what}: {time}");
                        assert!(rate > 0.0 && rate < 1e-2, "{what}: {rate}");
                    }
                    Err(e) => panic!("{what}: {e}"),
                    Ok(_) => panic!("{what}: nothing said"),
                }
                // the state is that before the step
                assert!(sim.time() <= LATER + 5e-3 && sim.violation().1 < 1e-6, "{what}");
            }
        }
    }
}

/// Whatever the solver, and without correction of drift.
#[test]
fn every_solver_and_drift() {
    let solvers = ["sparse", "huge-pivot", "auxiliary", "dense", "dense-kkt", "banded", "cg"];
    let drifts = [Drift::Project, Drift::Feedback(holonom::Feedback::default()), Drift::None];
    let mut silent = Vec::new();
    for topology in TOPOLOGIES {
        for name in solvers {
            for drift in drifts {
                let what = format!("{topology:?} {name} {drift:?}");
                let (m, _) = build(topology, Off::Later(0.5, 1), How::Speeds);
                let mut sim = Simulation::build(m).unwrap_or_else(|e| panic!("{what}: {e}"));
                sim.set_solver(SolverKind::from_name(name).expect("known")).expect("applies");
                sim.set_drift(drift);
                match sim.run_until(0.2) {
                    Err(StepError::Contradiction { time, .. }) => {
                        // where nothing is corrected it is seen at the start of the next step
                        assert!(time > LATER && (time < LATER + 5e-3 || drift != Drift::Project), "{what}: {time}");
                    }
                    // solvers that know no dependent rows say so
                    Err(StepError::Singular { .. } | StepError::NotConverged { .. }) if name != "sparse" => {}
                    Err(e) => panic!("{what}: {e}"),
                    Ok(_) => silent.push(what),
                }
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

/// The doctor does not call a contradiction redundant.
#[test]
fn the_doctor_names_contradictions_to_come() {
    for topology in TOPOLOGIES {
        // they agree in rates now, and not in accelerations
        let off = Off::FromStart(0.0);
        let (m, _) = build(topology, off, How::Speeds);
        let sim = Simulation::build(m).expect("they agree");
        assert!(sim.diagnose().expect("regular").contradictions.is_empty(), "{topology:?}");
        let (mut m, names) = build(topology, off, How::Speeds);
        let model = m.build().expect("they agree");
        let hinge = model.joints().next().expect("a joint");
        m = build(topology, off, How::Speeds).0;
        m.joint("drive x", Motor::speed(model.coordinate(hinge, 0), |t: f64| [0.5 + t, 1.0, 0.0]));
        m.joint("drive z", Motor::speed(model.coordinate(hinge, 0), |t: f64| [0.5 - t, -1.0, 0.0]));
        let mut sim = Simulation::build(m).expect("they agree in rates");
        let found = sim.diagnose().expect("finite");
        let named: Vec<&str> = found.contradictions.iter().flatten().map(|j| sim.model().joint_name(*j)).collect();
        for name in ["drive x", "drive z"] {
            assert!(named.contains(&name), "{topology:?}: {named:?} of {names:?}");
        }
        assert!(sim.certificate().expect("finite").contradiction, "{topology:?}");
        assert!(matches!(sim.step(1e-3), Err(StepError::Contradiction { .. })), "{topology:?}");
    }
}

/// The residual by its definition, in dense arithmetic; rigid bodies only. In a contradiction multipliers count for
/// nothing.
fn by_hand(sim: &mut Simulation) -> Residual {
    let d = Dense::at(sim.model(), sim.state());
    let (a, lambda) = (sim.accelerations().expect("finite"), sim.multipliers().expect("finite"));
    let model = sim.model().clone();
    let (ma, pushed) = (d.mass_times(&a), d.transposed_times(&lambda));
    let at = |i: usize| d.e.mass[i * d.n + i];
    let weight = |k: usize| {
        let body = k / 6 * 6;
        if k % 6 < 3 { at(k) } else { (at(body + 3) + at(body + 4) + at(body + 5)) / 3.0 }
    };
    let square =
        |i: usize| (6 * i..6 * i + 6).map(|k| a[k] * ma[k] + d.e.force[k] * d.e.force[k] / weight(k)).sum::<f64>();
    let (mut joints, mut around) = (Vec::new(), vec![0.0f64; model.n_bodies()]);
    for j in model.joints() {
        let mut bodies: Vec<usize> = model.constraint(j).attachments().iter().filter_map(|a| a.body.index()).collect();
        bodies.sort();
        bodies.dedup();
        joints.push(bodies.iter().map(|&i| square(i)).sum::<f64>());
        bodies.iter().for_each(|&i| around[i] = around[i].max(*joints.last().expect("one")));
    }
    let violation = d.jacobian_times(&a);
    let mut out = Residual::default();
    for (j, size) in model.joints().zip(joints) {
        for row in model.rows_of(j) {
            let own: f64 = d.row(row).iter().enumerate().map(|(k, x)| x * x / weight(k)).sum();
            let reading = (violation[row] + d.e.c[row]).abs() / (d.e.c[row].abs() + (own * size).sqrt());
            out.constraint = out.constraint.max(reading);
        }
    }
    out.contradiction = out.constraint;
    for k in 0..d.n {
        let size = square(k / 6).max(around[k / 6]).sqrt();
        out.motion = out.motion.max((ma[k] - pushed[k] - d.e.force[k]).abs() / (weight(k).sqrt() * size));
    }
    out
}

/// Two roads to what a certificate says.
#[test]
fn residuals_are_what_their_definition_says() {
    for topology in TOPOLOGIES {
        let (m, _) = build(topology, Off::Agree, How::Speeds);
        let model = m.build().expect("they agree");
        let mut m = build(topology, Off::Agree, How::Speeds).0;
        let first = model.coordinate(model.joints().next().expect("a joint"), 0);
        m.joint("drive x", Motor::speed(first, |t: f64| [0.5 + 3.0 * t, 3.0, 0.0]));
        compare(&format!("{topology:?}"), Simulation::build(m).expect("they agree in rates"));
    }
    // ball joints, to the ground and between bodies
    let mut m = ModelBuilder::new();
    let arm = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.3, 0.2]).position([0.5, 0.1, 0.0]));
    let tail = m.body("tail", Rigid::cuboid(1.0, [0.1, 0.4, 1.0]).position([1.0, 0.1, 0.5]));
    m.joint("shoulder", Spherical::new(GROUND.at([0.0, 0.1, 0.0]), arm.at([-0.5, 0.0, 0.0])));
    m.joint("elbow", Spherical::new(arm.at([0.5, 0.0, 0.0]), tail.at([0.0, 0.0, -0.5])));
    for (name, up) in [("up", 1.0), ("down", -2.0)] {
        let tip = vec3(1.0, 0.1, 0.0);
        let path = move |t: f64| [tip + vec3(0.0, 0.0, 0.5 * up * t * t), vec3(0.0, 0.0, up * t), vec3(0.0, 0.0, up)];
        let drive = PrescribedPoint::new(GROUND.origin(), arm.at([0.5, 0.0, 0.0]), path).only(false, false, true);
        m.joint(name, drive);
    }
    compare("balls", Simulation::build(m).expect("they agree in rates"));
}

fn compare(what: &str, mut sim: Simulation) {
    let (found, expected) = (sim.residual().expect("finite"), by_hand(&mut sim));
    println!("{what}: {found:?}");
    assert!(found.contradiction > 1e-3, "{what}: {found:?}");
    for (a, b) in [(found.constraint, expected.constraint), (found.contradiction, expected.contradiction)] {
        assert!((a - b).abs() < 1e-6 * b, "{what}: {found:?}, {expected:?}");
    }
    assert!((found.motion - expected.motion).abs() < 1e-6, "{what}: {found:?}, {expected:?}");
}

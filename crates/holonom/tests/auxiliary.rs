//! Auxiliary rows: what they cost, and rows with force directions of their own.

mod common;

use common::dense::Dense;
use common::{Worst, dot, gap, size};
use holonom::attach::View;
use holonom::joints::{Constraint, Row, Rows};
use holonom::prelude::*;
use holonom::{Counts, JointId};
use holonom_cases::loop_case;

fn solver(name: &str) -> SolverKind {
    SolverKind::from_name(name).expect("a known solver")
}

/// Counts of one evaluation.
fn one_evaluation(sim: &mut Simulation) -> Counts {
    sim.set_solver(SolverKind::Auxiliary).expect("it applies to everything");
    assert_eq!(sim.solver_counts(), Some(Counts::default()));
    sim.evaluate().expect("regular");
    sim.solver_counts().expect("it works with factors")
}

/// A chain of n ball links with a rod from its end to the ground: one closing row.
fn chain_with_rod(n: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let mut last = BodyId::GROUND.origin();
    for i in 0..n {
        let link = m.body(format!("{i}"), Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([i as f64 + 0.5, 0.0, 0.0]));
        m.joint(format!("ball {i}"), Spherical::new(last, link.at([-0.5, 0.0, 0.0])));
        last = link.at([0.5, 0.0, 0.0]);
    }
    m.joint("rod", Distance::new(BodyId::GROUND.at([n as f64, 1.0, -1.0]), last, std::f64::consts::SQRT_2));
    m
}

/// One factorisation and k + 2 sweeps each way; while k is small beside the work of a sweep, two backward ones only.
#[test]
fn sweeps_are_counted() {
    let ring = |name: &str| loop_case(name).expect("a known case").builder();
    let mut seen = [false; 2];
    for (name, m, k) in [
        ("rod", chain_with_rod(10), 1),
        ("e20", ring("e20"), 3),
        ("fourbars-1", ring("fourbars-1"), 5),
        ("fourbars-8", ring("fourbars-8"), 40),
        ("ladder-20", ring("ladder-20"), 60),
    ] {
        let mut sim = Simulation::build(m).expect("valid");
        let exact = sim.accelerations().expect("regular");
        let counts = one_evaluation(&mut sim);
        assert_eq!(sim.auxiliary_rows(), k, "{name}");
        let shortcut = counts.backward == 2;
        println!("{name}: {k} auxiliary rows, {counts:?}");
        let backward = if shortcut { 2 } else { k + 2 };
        assert_eq!(counts, Counts { factors: 1, forward: k + 2, backward }, "{name}");
        seen[shortcut as usize] = true;
        let error = gap(&sim.accelerations().expect("regular"), &exact) / size(&exact);
        assert!(error < 1e-9, "{name}: error {error:e}");
        // the answer is at hand: asking again costs nothing
        sim.multipliers().expect("regular");
        assert_eq!(sim.solver_counts(), Some(counts), "{name}");
    }
    assert_eq!(seen, [true; 2], "both ways are taken");
    // a single closing row is worth the shortcut, a hundred in a short model are not
    assert_eq!(one_evaluation(&mut Simulation::build(chain_with_rod(10)).expect("valid")).backward, 2);
    let many = one_evaluation(&mut Simulation::build(ring("ladder-40")).expect("valid"));
    assert_eq!((many.forward, many.backward), (122, 122));
}

/// The height of a point follows h(t) = h_0 + a (1 - cos(w t)), enforced by a torque about `axis` between two bodies.
struct Servo {
    /// The point, the spin the torque acts on, the spin it is taken from.
    on: [Attachment; 3],
    axis: Vec3,
    height: f64,
    amplitude: f64,
    rate: f64,
}

impl Servo {
    fn wanted(&self, t: f64) -> [f64; 3] {
        let (a, w) = (self.amplitude, self.rate);
        let (s, c) = libm::sincos(w * t);
        [self.height + a * (1.0 - c), a * w * s, a * w * w * c]
    }
}

impl Constraint for Servo {
    fn kind(&self) -> &'static str {
        "servo"
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
    fn own_force_direction(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let [h, rate, acceleration] = self.wanted(t);
        *out.row(0) = Row { gap: a.at(0).z - h, rate_t: -rate, curvature: -acceleration };
        out.gradient(0, 0, Vec3::Z);
        out.force(0, 1, self.axis);
        out.force(0, 2, -self.axis);
    }
}

/// A base that slides along x on a spring, an arm hinged to it about y, a tool welded to the arm. A torque between base and arm moves the tip
/// of the tool. With a brace, a rod from the ground to the base closes a loop and holds it.
fn arm(brace: bool) -> (ModelBuilder, [BodyId; 3], JointId) {
    let (x, y) = (Vec3::X, Vec3::Y);
    let mut m = ModelBuilder::new();
    let base = m.body("base", Rigid::cuboid(10.0, [0.4, 0.4, 0.2]));
    let arm = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let tool = m.body("tool", Rigid::cuboid(0.5, [0.5, 0.2, 0.1]).position([1.25, 0.0, 0.0]));
    m.joint("slide", Prismatic::new(BodyId::GROUND.origin().along(x), base.origin().along(x)));
    m.joint("hinge", Revolute::new(base.origin().along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
    m.joint("grip", Weld::new(arm.at([0.5, 0.0, 0.0]), tool.at([-0.25, 0.0, 0.0])));
    m.force("spring", Spring::new(BodyId::GROUND.at([0.0, 0.0, 1.0]), base.origin(), 100.0, 0.5).damping(3.0));
    if brace {
        m.joint("brace", Distance::new(BodyId::GROUND.at([-1.0, 0.0, 0.0]), base.origin(), 1.0));
    }
    let on = [Attachment::point(tool, [0.25, 0.0, 0.0]), Attachment::spin(arm), Attachment::spin(base)];
    let servo = m.joint("servo", Servo { on, axis: y, height: 0.0, amplitude: 0.1, rate: 4.0 });
    (m, [base, arm, tool], servo)
}

const SOLVERS: [&str; 7] = ["sparse", "huge-pivot", "auxiliary", "dense", "dense-kkt", "banded", "cg"];

#[test]
fn a_servo_row_is_met_by_its_actuator() {
    let worst = Worst::default();
    for brace in [false, true] {
        let (m, ids, servo) = arm(brace);
        let mut sim = Simulation::build(m).expect("valid");
        assert_eq!(sim.auxiliary_rows(), 1, "on top of any solver");
        sim.reset_ledger();
        let tip = ids[2].at([0.25, 0.0, 0.0]);
        let row = sim.model().rows_of(servo).start;
        let mut work = 0.0;
        let mut powers = Vec::new();
        for k in 0..=1000 {
            if k > 0 {
                sim.step(1e-3).expect("regular");
            }
            let t = sim.time();
            worst.demand("gap", sim.violation().0, 1e-9);
            worst.demand("gap rate", sim.violation().1, 1e-9);
            worst.demand("height", (sim.point(tip).0.z - 0.1 * (1.0 - libm::cos(4.0 * t))).abs(), 1e-9);
            let torque = sim.multipliers().expect("regular")[row];
            let turn = sim.spin(ids[1]).expect("spins").y - sim.spin(ids[0]).expect("spins").y;
            powers.push(torque * turn);
        }
        // Simpson's rule
        for p in powers.windows(3).step_by(2) {
            work += (p[0] + 4.0 * p[1] + p[2]) * 1e-3 / 3.0;
        }
        let ledger = sim.ledger();
        println!("brace {brace}: work {work:.6} J, {ledger:?}");
        assert!(size(&powers) > 1.0, "the actuator has to do something");
        assert!(
            (ledger.joint(servo) - work).abs() < 1e-8,
            "{} J in the ledger, {work} J by quadrature",
            ledger.joint(servo)
        );
        let given: f64 = ledger.forces.iter().chain(&ledger.joints).sum::<f64>() + ledger.projection;
        assert!((ledger.change - given).abs() < 1e-8 && ledger.integrator.abs() < 1e-8, "{ledger:?}");
        for joint in sim.model().joints().filter(|j| *j != servo) {
            assert!(ledger.joint(joint).abs() < 1e-8, "workless joints do no work: {ledger:?}");
        }
    }
    worst.print("servo");
}

/// M vdot - F - J^T lambda of all other joints is what the servo pushes: a torque on two bodies, and nothing on the body it moves.
#[test]
fn servo_forces_act_on_the_actuator_only() {
    for brace in [false, true] {
        let (m, ids, servo) = arm(brace);
        let mut sim = Simulation::build(m).expect("valid");
        sim.run_until(0.3).expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        let row = sim.model().rows_of(servo).start;
        let expected = sim.accelerations().expect("regular");
        let closing = if brace { 1 } else { 0 };
        for name in SOLVERS {
            sim.set_solver(solver(name)).expect("it applies");
            let a = sim.accelerations().expect("regular");
            let error = gap(&a, &expected) / size(&expected);
            assert!(error < 1e-9, "brace {brace}, {name}: error {error:e}");
            let rows = if name == "auxiliary" { 1 + closing } else { 1 };
            assert_eq!(sim.auxiliary_rows(), rows, "brace {brace}, {name}");
            let mut lambda = sim.multipliers().expect("regular");
            let torque = std::mem::take(&mut lambda[row]);
            assert!(torque.abs() > 1.0, "{torque}");
            let push = d.transposed_times(&lambda);
            let rest: Vec<f64> =
                d.mass_times(&a).iter().zip(&d.e.force).zip(&push).map(|((m, f), p)| m - f - p).collect();
            for (id, share) in [(ids[0], -torque), (ids[1], torque), (ids[2], 0.0)] {
                let error = gap(&rest[sim.model().v_range(id)], &[0.0, 0.0, 0.0, 0.0, share, 0.0]);
                assert!(error < 1e-9 * torque.abs(), "brace {brace}, {name}, {id:?}: off by {error:e} of {torque}");
            }
            // the demand itself
            let left = dot(d.row(row), &a) + d.e.c[row];
            assert!(left.abs() < 1e-9 * size(&a), "brace {brace}, {name}: {left:e}");
            let residual = sim.residual().expect("regular");
            assert!(residual.largest() < 1e-10, "brace {brace}, {name}: {residual:?}");
        }
    }
}

/// The motion is the same whichever solver keeps the other rows.
#[test]
fn a_servo_runs_with_every_solver() {
    for brace in [false, true] {
        let mut reference: Option<Vec<f64>> = None;
        for name in SOLVERS {
            let mut sim = Simulation::build(arm(brace).0).expect("valid");
            sim.set_solver(solver(name)).expect("it applies");
            sim.run_fixed(0.2, 2e-3).expect("regular");
            assert!(sim.violation().0 < 1e-9, "brace {brace}, {name}");
            let q = sim.state().q.clone();
            let error = gap(&q, reference.get_or_insert(q.clone()));
            assert!(error < 1e-9, "brace {brace}, {name}: {error:e}");
        }
    }
}

/// A servo adds a row, and takes a freedom.
#[test]
fn the_doctor_counts_servo_rows() {
    for brace in [false, true] {
        let sim = Simulation::build(arm(brace).0).expect("valid");
        let d = sim.diagnose().expect("regular");
        let rows = 17 + usize::from(brace);
        assert_eq!((d.rows, d.rank, d.mobility), (rows, rows, 18 - rows), "{d}");
        assert!(d.redundant.is_empty(), "{d}");
    }
}

//! Force laws: power, energy, action and reaction, stiff directions, invariance; every law of the table, then each by itself.

mod common;

use common::{Worst, difference, gap, turn};
use holonom::forces::{Force, LawSample, SAMPLES};
use holonom::functions::{Function, SmoothTable, Table};
use holonom::math::{SplitMix, exp_quat, quat_from_axes};
use holonom::prelude::*;
use holonom::{ForceId, check};

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// Two free bodies about one metre apart, moving, turned by up to 1 rad, and both carried along by a common motion.
fn two_bodies(seed: u64, carried: (Vec3, Mat3)) -> (ModelBuilder, Marker, Marker) {
    let mut g = SplitMix(seed);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let mut markers = [BodyId::GROUND.origin(); 2];
    for (i, marker) in markers.iter_mut().enumerate() {
        let inertia = Mat3::from_diagonal(vec3(0.3, 0.4, 0.5) + g.vec3(0.05));
        let axes = Mat3::from_quat(exp_quat(g.vec3(0.6)));
        let (shift, about) = carried;
        let body = Rigid::new(1.0 + g.unit(), inertia)
            .position(shift + about * (vec3(i as f64, 0.0, 0.0) + g.vec3(0.2)))
            .orientation(quat_from_axes(about * axes))
            .velocity(about * g.vec3(0.5))
            .spin(about * g.vec3(0.7));
        let body = m.body(["a", "b"][i], body);
        *marker = body.at(g.vec3(0.2)).axes(vec3(1.0, 0.0, 0.0) + g.vec3(0.3), vec3(0.0, 0.0, 1.0) + g.vec3(0.3));
    }
    (m, markers[0], markers[1])
}

const STILL: (Vec3, Mat3) = (Vec3::ZERO, Mat3::IDENTITY);

fn with_force(kind: &LawSample, seed: u64, carried: (Vec3, Mat3)) -> (Simulation, ForceId, usize) {
    let (mut m, a, b) = two_bodies(seed, carried);
    let law = (kind.sample)(a, b, &mut SplitMix(seed + 100));
    let n_stiff = law.n_stiff();
    let id = m.boxed_force("law", law);
    (Simulation::build(m).expect("valid"), id, n_stiff)
}

/// What the force does: forces and torques about the centres, body by body.
fn pushes(kind: &LawSample, seed: u64, carried: (Vec3, Mat3)) -> Vec<f64> {
    let free = Simulation::build(two_bodies(seed, carried).0).expect("valid");
    let (sim, _, _) = with_force(kind, seed, carried);
    let with = check::equations(sim.model(), sim.state()).force;
    let without = check::equations(free.model(), free.state()).force;
    with.iter().zip(&without).map(|(a, b)| a - b).collect()
}

fn read(x: &[f64]) -> Vec3 {
    vec3(x[0], x[1], x[2])
}

/// Power two ways, forces against the gradient of the energy, stiff directions against differences of the force.
#[test]
fn every_law_agrees_with_its_energy_and_its_stiff_directions() {
    let worst = Worst::default();
    for kind in SAMPLES {
        for seed in 0..20 {
            let (sim, id, n_stiff) = with_force(kind, seed, STILL);
            let found = check::force(sim.model(), id, sim.state(), 1e-5);
            worst.demand("power", found.power, 1e-13);
            worst.demand("stiff directions are positive", -found.least, 1e-14);
            if kind.stores {
                worst.demand("gradient of the energy", found.energy, 1e-8);
            }
            // the torsion spring is for axes that agree, and what is told by the rates of others has no symmetric matrix: see below
            if n_stiff > 0 && !["torsion spring", "coordinate feedback"].contains(&kind.name) {
                worst.demand("damping", found.damping, 1e-8);
            }
        }
    }
    worst.print("laws");
}

/// Of a feedback the stiff direction is what its own coordinate does to it, whatever else it is told.
#[test]
fn the_stiff_direction_of_a_feedback_is_its_own_coordinate() {
    let worst = Worst::default();
    for seed in 0..20 {
        let (mut m, a, b) = two_bodies(seed, STILL);
        let (turn, way) = (Coordinate::of(Revolute::new(a, b), 0), Coordinate::of(Cylindrical::new(a, b), 0));
        let sensors = [(-2.0, -0.3, turn.clone()), (-0.5, -0.1, turn.clone()), (0.7, 0.0, way)];
        let id = m.force("feedback", CoordinateFeedback::new(turn, sensors).offset(0.2));
        let sim = Simulation::build(m).expect("valid");
        let found = check::force(sim.model(), id, sim.state(), 1e-5);
        worst.demand("power", found.power, 1e-13);
        worst.demand("damping", found.damping, 1e-8);
    }
    worst.print("feedback");
}

/// Without a load, stiffness is exact.
#[test]
fn stiffness_is_exact_at_rest() {
    let worst = Worst::default();
    for seed in 0..20 {
        let (m, a, b) = two_bodies(seed, STILL);
        let sim = Simulation::build(m).expect("valid");
        let length = (sim.point(b).0 - sim.point(a).0).length();
        // a marker on b that coincides with a's
        let (r_a, r_b) = (sim.axes(a.body).expect("rigid"), sim.axes(b.body).expect("rigid"));
        let x_b = sim.centre(b.body);
        let same = b.body.at(r_b.transpose() * (sim.point(a).0 - x_b));
        let same = same.axes(r_b.transpose() * (r_a * a.axes.x_axis), r_b.transpose() * (r_a * a.axes.z_axis));
        let mut g = SplitMix(seed);
        let mut k = [[0.0; 6]; 6];
        let factor: [[f64; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| g.symmetric(1.0)));
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            k[i][j] = common::dot(&factor[i], &factor[j]);
        }
        let cubic = move |x: f64| {
            let s = x - length;
            [2.0 * s + s * s, 2.0 + 2.0 * s, 2.0]
        };
        let linear = |x: f64| [3.0 * x, 3.0, 0.0];
        let laws: Vec<Box<dyn Force>> = vec![
            Box::new(Spring::new(a, b, 3.0, length).damping(1.0)),
            Box::new(SpringLaw::new(a, b, cubic, length)),
            Box::new(SpringLaw::general(a, b, move |r, v, _| 2.0 * (r - length) + v)),
            Box::new(Bushing::full(a, same, k)),
            Box::new(TorsionSpring::new(a, same, 2.0, 0.0)),
            Box::new(TorsionLaw::new(a, same, linear, 0.0)),
        ];
        for law in laws {
            let (mut m, _, _) = two_bodies(seed, STILL);
            let kind = law.kind();
            let id = m.boxed_force("law", law);
            let sim = Simulation::build(m).expect("valid");
            let found = check::force(sim.model(), id, sim.state(), 1e-5);
            assert!(found.stiffness < 1e-8, "{kind}: {found:?}");
            worst.demand("stiffness", found.stiffness, 1e-8);
        }
    }
    worst.print("laws without a load");
}

/// Where the axes agree the torsion spring is exact at any angle, and is the torsion law.
#[test]
fn torsion_springs_about_a_common_axis() {
    let worst = Worst::default();
    let mut g = SplitMix(12);
    for _ in 0..20 {
        let (angle, k, c, rest) = (g.symmetric(2.5), 1.0 + g.unit(), g.unit(), g.symmetric(0.5));
        let (axes, spins) = (turn(&mut g), [g.vec3(1.0), g.vec3(1.0)]);
        let orientation = [quat_from_axes(axes), quat_from_axes(axes) * exp_quat(Vec3::Z * angle)];
        let run = |law: bool| {
            let mut m = ModelBuilder::new();
            m.gravity([0.0; 3]);
            let [a, b] = [0, 1].map(|i| {
                let body = Rigid::ball(1.0, 0.5).orientation(orientation[i]).spin(spins[i]);
                m.body(["a", "b"][i], body.position([0.0, i as f64, 0.0])).origin()
            });
            let id = if law {
                let back = move |x: f64| [k * (x - rest), k, 0.0];
                m.force("law", TorsionLaw::new(a, b, back, rest).damping(move |w: f64| [c * w, c, 0.0]))
            } else {
                m.force("spring", TorsionSpring::new(a, b, k, rest).damping(c))
            };
            let sim = Simulation::build(m).expect("valid");
            let found = check::force(sim.model(), id, sim.state(), 1e-5);
            worst.demand("gradient of the energy", found.energy, 1e-8);
            worst.demand("damping", found.damping, 1e-8);
            worst.demand("power", found.power, 1e-13);
            let energy = sim.energy().elastic;
            (check::equations(sim.model(), sim.state()).force, energy)
        };
        let (spring, law) = (run(false), run(true));
        worst.demand("spring against law", gap(&spring.0, &law.0), 1e-13);
        worst.demand("energies", (spring.1 - law.1).abs(), 1e-13);
    }
    worst.print("torsion");
}

#[test]
fn action_is_reaction() {
    let worst = Worst::default();
    for kind in SAMPLES.iter().filter(|k| k.mutual) {
        for seed in 0..20 {
            let (sim, _, _) = with_force(kind, seed, STILL);
            let f = pushes(kind, seed, STILL);
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for (i, body) in sim.model().bodies().enumerate() {
                let at = read(&f[6 * i..]);
                force += at;
                torque += sim.centre(body).cross(at) + read(&f[6 * i + 3..]);
            }
            assert!(common::size(&f) > 1e-3 || kind.name == "spring law", "{} does nothing", kind.name);
            worst.demand("sum of forces", force.length(), 1e-14);
            worst.demand("sum of torques", torque.length(), 1e-14);
        }
    }
    worst.print("laws");
}

/// A common motion turns the pushes with it.
#[test]
fn laws_between_bodies_do_not_feel_a_common_motion() {
    let worst = Worst::default();
    for kind in SAMPLES.iter().filter(|k| k.mutual) {
        for seed in 0..20 {
            let mut g = SplitMix(seed + 500);
            let (shift, about) = (g.vec3(3.0), turn(&mut g));
            let here = pushes(kind, seed, STILL);
            let there = pushes(kind, seed, (shift, about));
            let turned: Vec<f64> = here.chunks(3).flat_map(|f| (about * read(f)).to_array()).collect();
            worst.demand("pushes", gap(&turned, &there) / (1.0 + common::size(&here)), 2e-14);
            let (a, b) = (with_force(kind, seed, STILL).0, with_force(kind, seed, (shift, about)).0);
            let (ea, eb) = (a.energy().elastic, b.energy().elastic);
            worst.demand("energy", (ea - eb).abs() / (1.0 + ea.abs()), 1e-13);
        }
    }
    worst.print("common motion");
}

/// The ledger's work against the energies; momentum; what only takes, only takes.
#[test]
fn power_balance_and_momentum() {
    let worst = Worst::default();
    for kind in SAMPLES {
        for seed in 0..3 {
            let (mut sim, id, _) = with_force(kind, seed, STILL);
            sim.set_integrator(TIGHT);
            let (start, momentum) = (sim.energy(), sim.momentum());
            let (mut exchanged, mut last) = (0.0, 0.0);
            for k in 1..=20 {
                sim.run_until(0.05 * k as f64).expect("regular");
                let (now, ledger) = (sim.energy(), sim.ledger());
                let scale = start.kinetic + (now.elastic - start.elastic).abs();
                exchanged += (ledger.force(id) - last).abs();
                last = ledger.force(id);
                worst.demand("integrator", ledger.integrator.abs() / scale, 1e-9);
                let lost = -(ledger.force(id) + now.elastic - start.elastic) / scale;
                if kind.stores && !kind.summary.contains("damp") && !kind.summary.contains("rate") {
                    worst.demand("work against stored energy", lost.abs(), 1e-9);
                } else if kind.passive {
                    worst.demand("energy gained by a passive law", -lost, 1e-12);
                    assert!(lost > 0.0, "{} {seed} takes nothing", kind.name);
                }
                if kind.mutual {
                    let end = sim.momentum();
                    worst.demand("linear momentum", (end.linear - momentum.linear).length(), 1e-13);
                    worst.demand("angular momentum", (end.angular - momentum.angular).length(), 1e-10);
                }
            }
            assert!(exchanged > 1e-4, "{} {seed} did no work", kind.name);
        }
    }
    worst.print("power balance");
}

/// A spring law written out is the spring; a tension-only law is slack below its rest length.
#[test]
fn laws_contain_the_linear_spring() {
    let run = |law: bool| {
        let mut m = ModelBuilder::new();
        let bob = m.body("bob", Particle::new(0.7, [0.4, 0.0, -1.0]));
        let (a, b) = (BodyId::GROUND.origin(), bob.origin());
        if law {
            let tension = |r: f64| [30.0 * (r - 0.8), 30.0, 0.0];
            m.force("law", SpringLaw::new(a, b, tension, 0.8).damping(|v: f64| [0.3 * v, 0.3, 0.0]));
        } else {
            m.force("spring", Spring::new(a, b, 30.0, 0.8).damping(0.3));
        }
        let mut sim = Simulation::build(m).expect("valid");
        sim.run_until(1.0).expect("regular");
        let energy = sim.energy();
        (sim.state().q.clone(), energy)
    };
    let ((q, e), (q_law, e_law)) = (run(false), run(true));
    assert!(difference(&q, &q_law) < 1e-13, "{q:?} {q_law:?}");
    assert!((e.elastic - e_law.elastic).abs() < 1e-13 * (1.0 + e.elastic), "{e:?} {e_law:?}");
}

/// A particle thrown up on a rope falls back freely until the rope is taut; the energy is kept through the kink.
#[test]
fn a_rope_pulls_only() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(1.0, [0.0, 0.0, -0.5]));
    m.force("rope", SpringLaw::new(BodyId::GROUND.origin(), bob.origin(), OneSided::tension(500.0, 1.0), 1.0));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let start = sim.energy().total();
    let taut = (2.0 * 0.5 / 9.81_f64).sqrt();
    sim.run_until(0.99 * taut).expect("regular");
    let t = sim.time();
    assert!((sim.centre(bob).z - (-0.5 - 0.5 * 9.81 * t * t)).abs() < 1e-13 && sim.energy().elastic == 0.0);
    sim.run_until(2.0).expect("regular");
    assert!((sim.energy().total() - start).abs() < 1e-9, "{:e}", sim.energy().total() - start);
}

/// Tables as laws: the energy is the area under the table, kinks and all; a motor by samples.
#[test]
fn tables_are_laws() {
    let (x, y) = ([0.5, 0.8, 1.1, 1.7], [-4.0, 0.0, 9.0, 11.0]);
    let area = |r: f64| {
        let table = Table::new(&x, &y);
        let corners: Vec<f64> =
            [0.8].into_iter().chain(x.into_iter().filter(|c| *c > 0.8 && *c < r)).chain([r]).collect();
        corners.windows(2).map(|w| 0.5 * (table.at(w[0])[0] + table.at(w[1])[0]) * (w[1] - w[0])).sum::<f64>()
    };
    for smooth in [false, true] {
        let mut m = ModelBuilder::new();
        let bob = m.body("bob", Particle::new(0.7, [0.2, 0.0, -1.6]));
        let (a, b) = (BodyId::GROUND.origin(), bob.origin());
        let spring = match smooth {
            true => m.force("spring", SpringLaw::new(a, b, SmoothTable::new(&x, &y), 0.8)),
            false => m.force("spring", SpringLaw::new(a, b, Table::new(&x, &y), 0.8)),
        };
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        let start = sim.energy();
        for i in 1..=20 {
            sim.run_until(0.1 * i as f64).expect("regular");
            let now = sim.energy();
            if !smooth {
                let r = sim.centre(bob).length();
                assert!((now.elastic - area(r)).abs() < 1e-12 || r < 0.8, "{} {}", now.elastic, area(r));
            }
            let exchanged = start.kinetic + start.elastic + start.gravity.abs();
            let missing = sim.ledger().force(spring) + now.elastic - start.elastic;
            assert!(missing.abs() < 1e-9 * exchanged, "{missing:e} of {exchanged}");
        }
    }
    let curve = TorqueCurve::new(SmoothTable::new(&[0.0, 100.0, 300.0, 500.0], &[60.0, 80.0, 75.0, 0.0])).throttle(0.5);
    assert!((curve.torque(100.0, 0.0).0 - 40.0).abs() < 1e-12 && curve.validate().is_ok());
    assert!(TorqueCurve::new(Table::new(&[1.0], &[2.0])).validate().is_err());
}

/// Terminal speeds: m g = c v, and m g = b v^2.
#[test]
fn falling_bodies_reach_their_terminal_speed() {
    for (drag, expected) in [(0, 9.81 / 3.0), (1, (9.81_f64 / (0.5 * 1.2 * 0.47 * 0.8)).sqrt())] {
        let mut m = ModelBuilder::new();
        let ball = m.body("ball", Rigid::ball(1.0, 0.1));
        let law = match drag {
            0 => Drag::linear(ball.origin(), 3.0),
            _ => Drag::quadratic(ball.origin(), 1.2, 0.47, 0.8),
        };
        m.force("drag", law.wind([2.0, 0.0, 0.0]));
        let mut sim = Simulation::build(m).expect("valid");
        sim.run_until(60.0).expect("regular");
        let v = sim.centre_velocity(ball);
        assert!((v - vec3(2.0, 0.0, -expected)).length() < 1e-6 * expected, "{v}");
    }
}

/// A motor with a flywheel: exponential approach to the no-load speed; its case takes the opposite torque.
#[test]
fn a_dc_motor_runs_up() {
    let (inertia, k, r, u) = (0.02, 0.1, 0.5, 6.0);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let wheel = m.body("wheel", Rigid::new(1.0, Mat3::from_diagonal(Vec3::splat(inertia))));
    let (a, b) = (BodyId::GROUND.origin(), wheel.origin());
    let pin = m.joint("pin", Revolute::new(a, b));
    m.force("motor", AxisMotor::new(a, b, TorqueCurve::dc(k, r, u)));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let time = inertia * r / (k * k);
    for i in 1..=10 {
        let t = 0.3 * time * i as f64;
        sim.run_until(t).expect("regular");
        let (_, speed) = sim.coordinate(pin, 0).expect("an angle");
        let expected = u / k * (1.0 - libm::exp(-t / time));
        assert!((speed - expected).abs() < 1e-9 * expected, "{speed} {expected}");
    }
}

/// A coil spring set ten turns away: q = rest (1 - cos(w t)) goes through twenty turns, which the spring counts.
#[test]
fn a_coil_spring_counts_turns() {
    let (inertia, k, rest) = (0.02, 0.5, 20.0 * std::f64::consts::PI);
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let wheel = m.body("wheel", Planar::new(1.0, inertia));
    let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin(), wheel.origin()));
    let spring = CoordinateForce::spring(m.coordinate(pin, 0), k, rest);
    let coil = m.force("coil", spring);
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let worst = Worst::default();
    let omega = (k / inertia).sqrt();
    let start = sim.energy().elastic;
    assert!((start - 0.5 * k * rest * rest).abs() < 1e-12 * start);
    for i in 1..=20 {
        let t = 0.05 * std::f64::consts::PI / omega * i as f64;
        sim.run_until(t).expect("regular");
        let (angle, _) = sim.coordinate(pin, 0).expect("an angle");
        worst.demand("angle", (angle - rest * (1.0 - libm::cos(omega * t))).abs() / rest, 1e-10);
        let (energy, work) = (sim.energy(), sim.ledger().force(coil));
        worst.demand("energy", (energy.total() - start).abs() / start, 1e-10);
        worst.demand("work", (work + energy.elastic - start).abs() / start, 1e-10);
        let found = check::force(sim.model(), coil, sim.state(), 1e-5);
        worst.demand("gradient of the energy", found.energy, 1e-8);
        worst.demand("stiffness", found.stiffness, 1e-8);
    }
    let (angle, _) = sim.coordinate(pin, 0).expect("an angle");
    assert!((angle / std::f64::consts::TAU - 20.0).abs() < 1e-8, "{angle}");
    worst.print("coil spring");
}

/// Laws on coordinates of joints in a mechanism: a motor against a spring and a damper, and a drive of one's own.
#[test]
fn laws_on_the_coordinates_of_joints() {
    let worst = Worst::default();
    let mut m = ModelBuilder::new();
    let axis = [0.0, 1.0, 0.0];
    let arm = m.body("arm", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let slider = m.body("slider", Rigid::cuboid(0.4, [0.2, 0.2, 0.2]).position([0.7, 0.0, 0.0]));
    let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(axis), arm.at([-0.5, 0.0, 0.0]).along(axis)));
    let x = [1.0, 0.0, 0.0];
    let rail = m.joint("rail", Prismatic::new(arm.origin().along(x), slider.origin().along(x)));
    let (angle, offset) = (m.coordinate(pin, 0), m.coordinate(rail, 0));
    let curve = TorqueCurve::stall_and_no_load(12.0, 8.0).throttle(|t: f64| [0.5 + 0.5 * libm::sin(t), 0.0, 0.0]);
    let motor = m.force("motor", CoordinateForce::motor(angle.clone(), curve.clone()));
    let back = |q: f64| [40.0 * (q - 0.2) + 90.0 * q * q * q, 40.0 + 270.0 * q * q, 540.0 * q];
    let spring = m.force("spring", CoordinateForce::spring_law(offset.clone(), back, 0.2));
    let damper =
        m.force("damper", CoordinateForce::damper_law(offset.clone(), |v: f64| [0.4 * v + v * v * v, 0.4, 0.0]));
    let drive = m.force("drive", CoordinateForce::new(offset, |_, _, t| 3.0 * libm::cos(7.0 * t)));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let start = sim.energy();
    let mut last = 0.0;
    for i in 1..=20 {
        sim.run_until(0.1 * i as f64).expect("regular");
        let (ledger, now) = (sim.ledger(), sim.energy());
        let exchanged: f64 = ledger.forces.iter().map(|w| w.abs()).sum();
        worst.demand("integrator", ledger.integrator.abs() / exchanged, 1e-9);
        let stored = now.elastic - start.elastic;
        worst.demand("work of the spring", (ledger.force(spring) + stored).abs() / exchanged, 1e-9);
        assert!(ledger.force(damper) < last, "the damper gave");
        last = ledger.force(damper);
        assert!(ledger.force(motor).abs() > 1e-3 && ledger.force(drive).abs() > 1e-5, "{ledger:?}");
        for id in [motor, spring, damper, drive] {
            worst.demand("power", check::force(sim.model(), id, sim.state(), 1e-5).power, 1e-13);
        }
    }
    worst.print("laws on coordinates");
}

/// Two bodies on a bushing in space: nothing is lost, also for large turns.
#[test]
fn an_undamped_bushing_keeps_energy_and_momentum() {
    let worst = Worst::default();
    for seed in 0..5 {
        let (mut m, a, b) = two_bodies(seed, STILL);
        m.force("bushing", Bushing::new(a, b, [50.0, 80.0, 30.0], [4.0, 6.0, 9.0]));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        let (energy, momentum) = (sim.energy().total(), sim.momentum());
        for k in 1..=50 {
            sim.run_until(0.1 * k as f64).expect("regular");
            worst.demand("energy", (sim.energy().total() - energy).abs() / energy, 1e-9);
            worst.demand("angular momentum", (sim.momentum().angular - momentum.angular).length(), 1e-9);
        }
    }
    worst.print("bushing");
}

/// Planar bodies take a bushing, bodies without a spin are refused by name.
#[test]
fn who_can_carry_what() {
    let mut m = ModelBuilder::new();
    let plate = m.body("plate", Planar::rod(1.0, 1.0).pose(0.1, 0.2, 0.3));
    m.force("bushing", Bushing::new(BodyId::GROUND.origin(), plate.origin(), [9.0; 3], [1.0; 3]));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    let start = sim.energy().total();
    sim.run_until(1.0).expect("regular");
    assert!((sim.energy().total() - start).abs() < 1e-10);

    let mut m = ModelBuilder::new();
    let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
    m.force("bushing", Bushing::new(BodyId::GROUND.origin(), bead.origin(), [9.0; 3], [1.0; 3]));
    let refusal = m.build().err().expect("a particle has no spin").to_string();
    assert!(refusal.contains("bushing") && refusal.contains("bead"), "{refusal}");
}

#[test]
fn unusable_parameters_are_named() {
    let (a, b) = (BodyId::GROUND.origin(), BodyId::from_index(0).origin());
    let bad: Vec<(Box<dyn Force>, &str)> = vec![
        (Box::new(Bushing::new(a, b, [-1.0, 0.0, 0.0], [0.0; 3])), "stiffness (0, 0) is -1"),
        (Box::new(Bushing::new(a, b, [1.0; 3], [0.0; 3]).preload([f64::NAN, 0.0, 0.0], [0.0; 3])), "preload"),
        (Box::new(SpringLaw::new(a, b, f64::INFINITY, 0.0)), "spring law: constant is inf"),
        (Box::new(SpringLaw::new(a, b, 1.0, f64::NAN)), "energy is zero is NaN"),
        (Box::new(SpringLaw::new(a, b, OneSided::tension(-3.0, 1.0), 0.0)), "stiffness is -3 N/m"),
        (Box::new(TorsionLaw::damper(a, b, f64::NAN)), "damper law"),
        (Box::new(Drag::linear(b, -2.0)), "linear drag is -2 N s/m"),
        (Box::new(Drag::quadratic(b, 1.0, -1.0, -1.0)), "quadratic drag"),
        (Box::new(Drag::linear(b, 1.0).wind([f64::NAN, 0.0, 0.0])), "wind"),
        (Box::new(AngularDrag::new(b.body, 0.0, -1.0)), "quadratic drag is -1"),
        (
            Box::new(CoordinateForce::spring(Coordinate::of(Revolute::new(a, b), 0), -1.0, 0.0)),
            "stiffness is -1 N/m or",
        ),
        (Box::new(CoordinateForce::spring(Coordinate::of(Spherical::new(a, b), 0), 1.0, 0.0)), "there is no number 0"),
        (Box::new(AxisMotor::new(a, b, TorqueCurve::stall_and_no_load(1.0, 0.0))), "no-load speed is 0 rad/s"),
    ];
    for (law, expected) in bad {
        let mut m = ModelBuilder::new();
        m.body("body", Rigid::ball(1.0, 0.1));
        m.boxed_force("law", law);
        let refusal = m.build().err().expect(expected).to_string();
        assert!(refusal.contains(expected), "{refusal}, expected {expected}");
    }
}

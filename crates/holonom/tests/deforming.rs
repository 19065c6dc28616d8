//! Bodies that change their shape: elastic affine bodies and bodies with a scale.

mod common;

use common::grow::random_body;
use common::spec::Kind;
use common::{Worst, gap, slopes};
use holonom::attach::Frame;
use holonom::bodies::{Body, Inertia};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 };

fn alone(body: impl Body + 'static) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let id = m.body("body", body);
    let mut sim = Simulation::build(m).expect("one body");
    sim.set_integrator(TIGHT);
    (sim, id)
}

/// A of an affine body, or R S of one with scales: where the body axes go.
fn shape(sim: &Simulation, id: BodyId) -> Mat3 {
    let at = |p: Vec3| sim.point(id.at(p)).0;
    let o = at(Vec3::ZERO);
    Mat3::from_cols(at(Vec3::X) - o, at(Vec3::Y) - o, at(Vec3::Z) - o)
}

fn distance(a: Mat3, b: Mat3) -> f64 {
    gap(&a.to_cols_array(), &b.to_cols_array())
}

/// A brick with full second moments, turned, stretched, moving.
fn elastic(g: &mut SplitMix) -> Affine {
    let axes = common::turn(g);
    let second = MassProperties::cuboid(1000.0, [1.0, 0.6, 0.4]).rotated(axes).second_moments();
    let shape = common::turn(g) * (Mat3::IDENTITY + Mat3::from_cols(g.vec3(0.1), g.vec3(0.1), g.vec3(0.1)));
    let rate = Mat3::from_cols(g.vec3(3.0), g.vec3(3.0), g.vec3(3.0));
    Affine::new(240.0, second)
        .centre(g.vec3(0.2))
        .pose(g.vec3(1.0), shape)
        .velocity(g.vec3(1.0), rate)
        .elastic(1e5, 0.3, 0.24)
}

fn scaled(kind: Kind, g: &mut SplitMix) -> Scaled {
    let b = random_body(kind, g);
    let new = if kind == Kind::Uniform { Scaled::uniform } else { Scaled::per_axis };
    new(b.mass, b.second)
        .centre(b.centre)
        .position(b.position)
        .orientation(Quat::from_mat3(&b.turn))
        .scales(b.scales())
        .velocity(b.velocity)
        .spin(b.spin)
        .scale_rates(b.scale_rates)
        .spring(b.stiffness, 1.1)
}

#[test]
fn energy_and_momentum_are_kept() {
    let worst = Worst::default();
    let mut g = SplitMix(21);
    for k in 0..30 {
        let (mut sim, _) = match k % 3 {
            0 => alone(elastic(&mut g)),
            1 => alone(scaled(Kind::Uniform, &mut g)),
            _ => alone(scaled(Kind::PerAxis, &mut g)),
        };
        let (energy, momentum) = (sim.energy(), sim.momentum());
        assert!(energy.elastic > 0.0);
        sim.run_until(1.0).expect("regular");
        let (e, m) = (sim.energy(), sim.momentum());
        let kind = ["elastic affine", "uniform scale", "scale per axis"][k % 3];
        worst.demand("energy", (e.total() - energy.total()).abs() / energy.total(), 1e-10);
        let scale = 1.0 + momentum.linear.length() + momentum.angular.length();
        worst.demand(
            "momentum",
            ((m.linear - momentum.linear).length() + (m.angular - momentum.angular).length()) / scale,
            1e-10,
        );
        let exchanged = (e.elastic - energy.elastic).abs() / energy.total();
        worst.note(kind, exchanged);
        assert!(sim.ledger().integrator.abs() < 1e-9 * energy.total(), "{kind}: {:?}", sim.ledger());
    }
    // the test is about something: energy went in and out of the springs
    for kind in ["elastic affine", "uniform scale", "scale per axis"] {
        assert!(worst.get(kind) > 0.01, "{kind} exchanged {}", worst.get(kind));
    }
    worst.print("kept");
}

/// Friction inside: energy falls at every step, by what the ledger says.
#[test]
fn friction_inside_takes_energy() {
    let mut g = SplitMix(5);
    for k in 0..9 {
        let (mut sim, _) = match k % 3 {
            0 => alone(elastic(&mut g).viscous(300.0)),
            1 => alone(scaled(Kind::Uniform, &mut g).damping(0.4)),
            _ => alone(scaled(Kind::PerAxis, &mut g).damping(0.4)),
        };
        let start = sim.energy().total();
        let angular = sim.momentum().angular;
        let mut last = start;
        for i in 1..=50 {
            sim.run_until(0.01 * i as f64).expect("regular");
            let now = sim.energy().total();
            assert!(now <= last * (1.0 + 1e-14), "kind {}: energy rose from {last} to {now}", k % 3);
            last = now;
        }
        let l = sim.ledger();
        // most of the energy is in the flight and the spin, which friction inside leaves alone
        assert!(l.bodies < -1e-3 * start, "kind {}: only {} of {start} J lost", k % 3, l.bodies);
        assert!((l.change - l.bodies).abs() < 1e-9 * start && l.integrator.abs() < 1e-9 * start, "{l:?}");
        assert!((sim.momentum().angular - angular).length() < 1e-10 * (1.0 + angular.length()));
    }
}

/// Pushed along its axes only, a body with scales moves as an affine body does: springs of six kinds on the six faces.
#[test]
fn pure_stretch_is_that_of_an_affine_body() {
    let (mass, second) = (2.0, Mat3::from_diagonal(vec3(0.3, 0.2, 0.1)));
    let (scales, rates) = (vec3(1.1, 0.9, 1.2), vec3(0.5, -0.4, 0.3));
    let run = |body: &dyn Fn(&mut ModelBuilder) -> BodyId| {
        let mut m = ModelBuilder::new();
        let id = body(&mut m);
        for k in 0..6 {
            let (axis, sign) = (Vec3::AXES[k % 3], if k < 3 { 1.0 } else { -1.0 });
            let face = id.at(axis * (0.5 * sign));
            let wall = BodyId::GROUND.at(axis * (3.0 * sign));
            m.force(format!("spring {k}"), Spring::new(wall, face, 10.0 + 5.0 * (k % 3) as f64, 2.0).damping(0.3));
        }
        // gravity would lead the springs off the axes
        m.gravity(Vec3::ZERO);
        let mut sim = Simulation::build(m).expect("springs alone");
        sim.set_integrator(TIGHT);
        sim.run_until(2.0).expect("regular");
        shape(&sim, id)
    };
    let a = run(&|m| {
        let body = Affine::new(mass, second);
        m.body(
            "affine",
            body.pose(Vec3::ZERO, Mat3::from_diagonal(scales)).velocity(Vec3::ZERO, Mat3::from_diagonal(rates)),
        )
    });
    let b = run(&|m| m.body("scaled", Scaled::per_axis(mass, second).scales(scales).scale_rates(rates)));
    println!("affine {a}\nscaled {b}");
    assert!(distance(a, Mat3::from_diagonal(scales)) > 0.1, "it moved");
    assert!(distance(a, b) < 1e-10, "differ by {:e}", distance(a, b));
}

/// Spin and size against equations written down here for the size, the angular momentum along the body axes, and the attitude:
/// K = s² I W,  K' = K × W,  e' = e (0, W)/2,  (tr P) s'' = s W . I W - k ln(s/r)/s.
#[test]
fn a_spinning_body_breathes_as_its_minimal_equations_say() {
    let properties =
        MassProperties::cuboid(700.0, [0.5, 0.3, 0.2]).rotated(Mat3::from_quat(exp_quat(vec3(0.4, 0.2, -0.7))));
    let (inertia, p) = (properties.inertia(), properties.second_moments());
    let (trace, k, rest) = (p.x_axis.x + p.y_axis.y + p.z_axis.z, 6.0, 0.9);
    let (s0, rate0, spin) = (1.2, -0.8, vec3(1.0, 4.0, -2.0));
    let body = Scaled::uniform_from(&properties).scale(s0).scale_rate(rate0).spin(spin).spring(k, rest);
    let (mut sim, id) = alone(body);
    let angular = sim.momentum().angular;
    sim.run_until(2.0).expect("regular");

    // y = (s, s', K, e)
    let inverse = inertia.inverse();
    let rate = |y: &[f64; 9]| {
        let momentum = vec3(y[2], y[3], y[4]);
        let w = inverse * momentum / (y[0] * y[0]);
        let turning = momentum.cross(w);
        let e = Quat::from_xyzw(y[6], y[7], y[8], y[5]) * Quat::from_xyzw(w.x, w.y, w.z, 0.0);
        let pull = y[0] * w.dot(inertia * w) - k * libm::log(y[0] / rest) / y[0];
        [y[1], pull / trace, turning.x, turning.y, turning.z, 0.5 * e.w, 0.5 * e.x, 0.5 * e.y, 0.5 * e.z]
    };
    let start = inertia * spin * (s0 * s0);
    let mut y = [s0, rate0, start.x, start.y, start.z, 1.0, 0.0, 0.0, 0.0];
    let h = 1e-4;
    for _ in 0..20_000 {
        let ahead = |k: &[f64; 9], h: f64| -> [f64; 9] { std::array::from_fn(|i| y[i] + h * k[i]) };
        let k1 = rate(&y);
        let k2 = rate(&ahead(&k1, 0.5 * h));
        let k3 = rate(&ahead(&k2, 0.5 * h));
        let k4 = rate(&ahead(&k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let r = Mat3::from_quat(Quat::from_xyzw(y[6], y[7], y[8], y[5]).normalize());
    let expected = r * y[0];
    let size = (sim.state().q[7] - y[0]).abs().max((sim.state().v[6] - y[1]).abs());
    println!("scale {} differs by {size:e}, shape by {:e}", y[0], distance(shape(&sim, id), expected));
    assert!(size < 1e-9 && distance(shape(&sim, id), expected) < 1e-9);
    assert!((sim.momentum().angular - angular).length() < 1e-11 * angular.length());
    assert!((y[0] - s0).abs() > 0.05, "the size changed");
}

/// RATTLE keeps momentum, converges with order 2, and finds the way back, with the flights of these bodies and with friction in the kicks.
#[test]
fn rattle_flies_these_bodies() {
    let mut g = SplitMix(77);
    type Make = Box<dyn Fn(&mut SplitMix) -> Simulation>;
    let bodies: [(&str, bool, Make); 6] = [
        ("elastic", true, Box::new(|g| alone(elastic(g)).0)),
        ("viscous", false, Box::new(|g| alone(elastic(g).viscous(200.0)).0)),
        ("uniform", true, Box::new(|g| alone(scaled(Kind::Uniform, g)).0)),
        ("per axis", true, Box::new(|g| alone(scaled(Kind::PerAxis, g)).0)),
        ("uniform, damped", false, Box::new(|g| alone(scaled(Kind::Uniform, g).damping(0.3)).0)),
        ("per axis, damped", false, Box::new(|g| alone(scaled(Kind::PerAxis, g).damping(0.3)).0)),
    ];
    for (name, conserves, make) in bodies {
        let mut exact = make(&mut g);
        let start = exact.state().clone();
        exact.run_until(0.2).expect("regular");
        let run = |h: f64, steps: usize| {
            let mut sim = Simulation::new(exact.model().clone());
            sim.set_integrator(IntegratorKind::Rattle);
            for _ in 0..steps {
                sim.step(h).expect("regular");
            }
            sim
        };
        let errors: Vec<f64> = (0..4)
            .map(|k| {
                let n = 100 << k;
                let sim = run(0.2 / n as f64, n);
                gap(&sim.state().q, &exact.state().q).max(gap(&sim.state().v, &exact.state().v))
            })
            .collect();
        let orders = slopes(&errors);
        println!("{name}: errors {errors:?}, orders {orders:.2?}");
        assert!(orders[1..].iter().all(|o| (o - 2.0).abs() < 0.15), "{name}: {orders:?}");
        if conserves {
            let mut sim = run(1e-3, 200);
            let (before, after) = (exact.momentum(), sim.momentum());
            let scale = 1.0 + before.angular.length();
            assert!((before.angular - after.angular).length() < 1e-11 * scale, "{name}: {before:?} {after:?}");
            sim.state_mut().v.iter_mut().for_each(|v| *v = -*v);
            for _ in 0..200 {
                sim.step(1e-3).expect("regular");
            }
            let back = gap(&sim.state().q, &start.q);
            assert!(back < 1e-10, "{name}: {back:e} from where it began");
        }
    }
}

/// Stiff bodies are nearly rigid: deviations from a rigid body of the same moments fall as 1 / Young's modulus.
#[test]
fn a_stiff_affine_body_is_a_rigid_one() {
    // as the free asymmetric top, moments 1, 2, 3, with a little thickness: a lamina has no second moment across
    let second = vec3(2.0, 1.0, 0.1);
    let spin = vec3(1.0, 0.0, 0.8);
    let moments = vec3(second.y + second.z, second.x + second.z, second.x + second.y);
    let (mut rigid, top) = alone(Rigid::principal(1.0, moments).spin(spin));
    let times: Vec<f64> = (1..=40).map(|k| 0.05 * k as f64).collect();
    let expected: Vec<Mat3> = times
        .iter()
        .map(|&t| {
            rigid.run_until(t).expect("regular");
            shape(&rigid, top)
        })
        .collect();
    let rate = Mat3::from_cols(spin.cross(Vec3::X), spin.cross(Vec3::Y), spin.cross(Vec3::Z));
    let errors: Vec<f64> = [1e6, 1e7, 1e8, 1e9, 1e10]
        .into_iter()
        .map(|young| {
            let body =
                Affine::new(1.0, Mat3::from_diagonal(second)).velocity(Vec3::ZERO, rate).elastic(young, 0.3, 1e-3);
            let (mut sim, id) = alone(body);
            sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-11, absolute: 1e-11 });
            let at = |(&t, expected): (&f64, &Mat3)| {
                sim.run_until(t).expect("regular");
                distance(shape(&sim, id), *expected)
            };
            times.iter().zip(&expected).map(at).fold(0.0, f64::max)
        })
        .collect();
    let ratios: Vec<f64> = errors.windows(2).map(|e| e[0] / e[1]).collect();
    println!("errors {errors:?}, ratios {ratios:.2?}");
    assert!(ratios[1..].iter().all(|r| (8.0..12.5).contains(r)), "{ratios:?}");
    assert!(errors[4] < 1e-5, "{errors:?}");
}

/// Force of a body on itself at `(q, v)`.
fn inner_force(body: &dyn Body, q: &[f64], v: &[f64]) -> Vec<f64> {
    let n = body.n_dof();
    let (mut mass, mut force) = (vec![0.0; n * (n + 1) / 2], vec![0.0; n]);
    body.evaluate(q, v, &Frame::NONE, Vec3::ZERO, Inertia { mass: &mut mass, force: &mut force });
    force
}

/// What `stiffen` adds, as a full matrix.
fn stiffness(body: &dyn Body, q: &[f64], v: &[f64], per_position: f64, per_velocity: f64) -> Vec<f64> {
    let n = body.n_dof();
    let mut packed = vec![0.0; n * (n + 1) / 2];
    body.stiffen(q, v, per_position, per_velocity, &mut packed);
    (0..n * n).map(|k| holonom_tree::packed::get(&packed, n, k / n, k % n)).collect()
}

/// `stiffen` against differences of the force, at rest, in tension, where it is exact; and positive semidefinite in compression.
#[test]
fn stiffness_is_the_slope_of_the_forces() {
    let mut g = SplitMix(9);
    let turned = common::turn(&mut g);
    let stretch = |s: f64| turned * Mat3::from_diagonal(vec3(s, s * 1.01, s * 1.02));
    let brick = |s: f64| {
        Affine::cuboid(240.0, [1.0, 0.6, 0.4]).pose(Vec3::ZERO, stretch(s)).elastic(1e5, 0.3, 0.24).viscous(300.0)
    };
    let second = Mat3::from_diagonal(vec3(0.3, 0.2, 0.1));
    let per_axis = |s: f64| Scaled::per_axis(2.0, second).scale(s).spring(7.0, 1.0).damping(0.4);
    for (stretched, squeezed) in [
        (Box::new(brick(1.1)) as Box<dyn Body>, Box::new(brick(0.5)) as Box<dyn Body>),
        (Box::new(per_axis(1.3)), Box::new(per_axis(4.0))),
        (Box::new(Scaled::uniform(2.0, second).scale(0.7).spring(7.0, 1.0)), Box::new(per_axis(3.0))),
    ] {
        let start = |body: &dyn Body| {
            let (mut q, mut v) = (vec![0.0; body.n_q()], vec![0.0; body.n_dof()]);
            body.initial(&mut q, &mut v);
            (q, v)
        };
        let body = stretched.as_ref();
        let (q, v) = start(body);
        let n = v.len();
        let (k, d) = (stiffness(body, &q, &v, 1.0, 0.0), stiffness(body, &q, &v, 0.0, 1.0));
        let size = common::size(&k);
        let h = 1e-5;
        for j in 0..n {
            let mut step = vec![0.0; n];
            step[j] = 1.0;
            let force = |s: f64| {
                let mut q = q.clone();
                body.advance(&mut q, &step, s);
                inner_force(body, &q, &v)
            };
            let push = |s: f64| inner_force(body, &q, &step.iter().map(|x| x * s).collect::<Vec<_>>());
            let (ahead, behind, fast, back) = (force(h), force(-h), push(h), push(-h));
            for i in 0..n {
                let slope = (behind[i] - ahead[i]) / (2.0 * h);
                // a force turns with the body: rows and columns of rotation hold none of it at rest
                if i < 3 || n == 12 || i >= 6 {
                    let error = (slope - k[i * n + j]).abs() / size;
                    assert!(error < 1e-7, "{}: K({i}, {j}) is {} and not {slope}", body.kind(), k[i * n + j]);
                }
                let slope = (back[i] - fast[i]) / (2.0 * h);
                assert!((slope - d[i * n + j]).abs() < 1e-7 * size, "{}: D({i}, {j})", body.kind());
            }
        }
        let body = squeezed.as_ref();
        let (q, v) = start(body);
        let k = stiffness(body, &q, &v, 1.0, 0.0);
        for _ in 0..200 {
            let x: Vec<f64> = (0..v.len()).map(|_| g.symmetric(1.0)).collect();
            let m = x.len();
            let form: f64 = (0..m * m).map(|e| x[e / m] * k[e] * x[e % m]).sum();
            assert!(form >= -1e-9 * common::size(&k), "{}: {form}", body.kind());
        }
    }
}

#[test]
fn differences_of_poses_lead_back() {
    let mut g = SplitMix(2);
    for kind in [Kind::Uniform, Kind::PerAxis] {
        for _ in 0..20 {
            let (a, b) = (scaled(kind, &mut g), scaled(kind, &mut g));
            let (mut from, mut to) = (vec![0.0; a.n_q()], vec![0.0; a.n_q()]);
            let mut v = vec![0.0; a.n_dof()];
            a.initial(&mut from, &mut v);
            b.initial(&mut to, &mut v);
            a.difference(&from, &to, &mut v);
            a.advance(&mut from, &v, 1.0);
            // a quaternion and its negative are the same turn
            let sign =
                if from[3] * to[3] + from[4] * to[4] + from[5] * to[5] + from[6] * to[6] < 0.0 { -1.0 } else { 1.0 };
            to[3..7].iter_mut().for_each(|x| *x *= sign);
            assert!(gap(&from, &to) < 1e-13, "{from:?} {to:?}");
        }
    }
}

/// Without spring and spin nothing stops a body from shrinking away: the step is refused and names it. With a spring it turns round.
#[test]
fn a_body_that_shrinks_away_is_refused() {
    let second = Mat3::from_diagonal(vec3(0.3, 0.2, 0.1));
    for name in IntegratorKind::NAMES {
        let shrinking = |stiffness: f64| {
            let mut m = ModelBuilder::new();
            m.body("balloon", Scaled::uniform(1.0, second).scale_rate(-2.0).spring(stiffness, 1.0));
            let mut sim = Simulation::build(m).expect("one body");
            sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
            sim
        };
        if *name != "euler" {
            let mut sim = shrinking(0.0);
            let error = (0..60).find_map(|_| sim.step(0.013).err()).expect("its size reaches zero after half a second");
            let named = matches!(&error, StepError::NotFinite { body, .. } if body == "balloon");
            // an implicit method meets the end of the equations inside its iteration
            let implicit = *name == "sdirk4" && matches!(error, StepError::NotConverged { .. });
            assert!(named || implicit, "{name}: {error}");
            // a method of first order meets it a step or two late
            let latest = if *name == "stepping" { 0.5 + 2.0 * 0.013 } else { 0.5 };
            assert!(sim.state().q[7] > 0.0 && sim.time() < latest, "{name}: {:?} at {}", sim.state().q, sim.time());
        }
        let mut sim = shrinking(1.0);
        for _ in 0..200 {
            sim.step(0.005).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        assert!(sim.state().q[7] > 0.3, "{name}: {}", sim.state().q[7]);
    }
}

/// A spring that is too weak lets a body shrink to almost nothing before it turns round, and by then its orientation has
/// lost as many digits as its size: named, the state before it kept. With a stronger one it comes back.
#[test]
fn a_body_that_all_but_vanishes_is_refused() {
    let second = Mat3::from_diagonal(vec3(0.3, 0.2, 0.1));
    for (stiffness, least) in [(1e-2, None), (0.05, Some(libm::exp(-(2.4_f64 / 0.05).sqrt())))] {
        let mut m = ModelBuilder::new();
        m.gravity([0.0; 3]);
        m.body("balloon", Scaled::uniform(1.0, second).scale_rate(-2.0).spring(stiffness, 1.0));
        let mut sim = Simulation::build(m).expect("one body");
        let mut smallest = f64::INFINITY;
        let mut stopped = None;
        while sim.time() < 1.2 && stopped.is_none() {
            stopped = sim.step_towards(1.2).err();
            smallest = smallest.min(sim.state().q[7]);
        }
        match least {
            None => {
                assert!(
                    matches!(&stopped, Some(StepError::NotFinite { body, .. }) if body == "balloon"),
                    "{stopped:?}"
                );
                assert!(smallest >= 1e-6 && sim.time() < 0.51, "{smallest:e} at {} s", sim.time());
            }
            // where the spring has taken all of the kinetic energy, 1.2 J
            Some(least) => {
                assert!(stopped.is_none(), "{stopped:?}");
                assert!(smallest > least && smallest < 3.0 * least, "{smallest:e}, not {least:e}");
            }
        }
    }
}

#[test]
fn parameters_without_sense_are_refused() {
    let refusal = |body: &dyn Body| body.validate().expect_err("refused").reason;
    let brick = || Affine::cuboid(1.0, [1.0, 1.0, 1.0]);
    assert!(refusal(&brick().viscous(1.0)).contains("call `elastic` before"));
    assert!(refusal(&brick().elastic(-1.0, 0.3, 1.0)).contains("Young's modulus is -1 Pa"));
    assert!(refusal(&brick().elastic(1.0, 0.5, 1.0)).contains("between -1 and 0.5"));
    assert!(refusal(&brick().elastic(1.0, 0.3, 0.0)).contains("volume is 0 m^3"));
    assert!(refusal(&brick().elastic(1.0, 0.3, 1.0).viscous(-2.0)).contains("viscosity is -2 Pa s"));
    let ball = || Scaled::uniform_from(&MassProperties::sphere(1.0, 1.0));
    assert!(refusal(&ball().scale(0.0)).contains("greater than 0"));
    assert!(refusal(&ball().scales([1.0, 2.0, 1.0])).contains("the same along all axes"));
    assert!(refusal(&ball().spring(-1.0, 1.0)).contains("stiffness is -1 J"));
    assert!(refusal(&ball().damping(f64::NAN)).contains("damping is NaN J s"));
    assert!(refusal(&ball().spring(1.0, 0.0)).contains("rest scale is 0"));
    assert!(refusal(&Scaled::per_axis(1.0, Mat3::ZERO)).contains("positive definite"));
}

/// Scaled bodies in a mechanism: joints hold, the energy stays.
#[test]
fn a_breathing_pendulum_keeps_its_energy() {
    let mut m = ModelBuilder::new();
    let brick = MassProperties::cuboid(500.0, [0.4, 0.2, 0.1]).translated([0.2, 0.0, 0.0]);
    let a = m.body("a", Scaled::per_axis_from(&brick).spring(40.0, 1.0));
    m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(Vec3::Y), a.origin().along(Vec3::Y)));
    let b = m.body("b", Scaled::uniform_from(&brick).position([0.4, 0.0, 0.0]).spring(40.0, 1.0));
    m.joint("ball", Spherical::new(a.at([0.4, 0.0, 0.0]), b.origin()));
    let mut sim = Simulation::build(m).expect("closed");
    sim.set_integrator(TIGHT);
    let start = sim.energy().total();
    sim.run_until(1.0).expect("regular");
    let (end, gaps) = (sim.energy(), sim.violation());
    assert!((end.total() - start).abs() < 1e-10 * end.kinetic && gaps.0 < 1e-13, "{end:?} {gaps:?}");
    assert!(end.elastic > 1e-3, "{end:?}");
}

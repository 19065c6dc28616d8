//! What the scenes after Witkin (1997) and some of those after Baraff (1996) claim, each against a figure found on another road: the papers' own formulas
//! integrated here, closed forms, incidence lists, a second description of the same mechanism.

use holonom::bodies::{Parameter, Place};
use holonom::pattern::Matrix;
use holonom::prelude::*;
use holonom::{BodyId, Feedback};
use holonom_scene::gallery;
use holonom_scene::{Loaded, Loader};
use std::f64::consts::{FRAC_PI_2, PI};

fn load(name: &str) -> Loaded {
    let entry = gallery::find(name).expect("in the gallery");
    let loaded = Loader::new().load_text(&format!("{name}.toml"), entry.text);
    loaded.unwrap_or_else(|f| panic!("{}", f.render()))
}

/// The scene as `holonom run` would begin it.
fn start(name: &str) -> Simulation {
    let loaded = load(name);
    let mut sim = Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    sim.set_drift(loaded.scene.run.drift());
    if let Some(kind) = loaded.scene.run.integrator.as_deref().and_then(IntegratorKind::from_name) {
        sim.set_integrator(kind);
    }
    sim
}

fn body(sim: &Simulation, name: &str) -> BodyId {
    sim.model().body(name).unwrap_or_else(|| panic!("body `{name}`"))
}

fn integrator(name: &str) -> IntegratorKind {
    IntegratorKind::from_name(name).expect("an integrator")
}

/// Where the wires of the three beads have their middles.
const MIDDLES: [(&str, f64); 3] = [("held", -2.4), ("cancelled", 0.0), ("penalty", 2.4)];

/// Each bead's place in its plane, from the middle of its circle.
fn beads(sim: &Simulation) -> [[f64; 2]; 3] {
    MIDDLES.map(|(name, x)| {
        let at = sim.centre(body(sim, name));
        assert!(at.y.abs() < 1e-12, "{name} left its plane by {} m", at.y);
        [at.x - x, at.z]
    })
}

fn radius([x, z]: [f64; 2]) -> f64 {
    libm::hypot(x, z)
}

/// x'' of a bead of 1 kg on the unit circle by Witkin's equation 7, with |x| - 1 for his C: the force along x that makes C'' = 0.
fn witkin([x, z, u, w]: [f64; 4]) -> [f64; 4] {
    let r = libm::hypot(x, z);
    let (nx, nz) = (x / r, z / r);
    let radial = u * nx + w * nz;
    let lambda = -(u * u + w * w - radial * radial) / r + 9.81 * nz;
    [u, w, lambda * nx, lambda * nz - 9.81]
}

/// The classical Runge-Kutta method.
fn runge_kutta(mut s: [f64; 4], h: f64, steps: usize) -> [f64; 4] {
    let ahead = |s: [f64; 4], h: f64, k: [f64; 4]| std::array::from_fn(|i| s[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = witkin(s);
        let k2 = witkin(ahead(s, h / 2.0, k1));
        let k3 = witkin(ahead(s, h / 2.0, k2));
        let k4 = witkin(ahead(s, h, k3));
        s = std::array::from_fn(|i| s[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    s
}

#[test]
fn the_bead_drifts_as_witkins_equation_does() {
    let mut sim = start("bead");
    sim.set_drift(Drift::None);
    sim.set_integrator(integrator("rk4"));
    sim.run_fixed(10.0, 0.01).expect("regular");
    let [held, cancelled, _] = beads(&sim);
    let (s, c) = libm::sincos(2.0 * PI / 3.0);
    let [x, z, ..] = runge_kutta([s, -c, 0.0, 0.0], 0.01, 1000);
    let off = libm::hypot(held[0] - x, held[1] - z);
    let between = libm::hypot(held[0] - cancelled[0], held[1] - cancelled[1]);
    println!(
        "drift {:.2e} m, from his equation {off:.1e} m, between the first two {between:.1e} m",
        radius(held) - 1.0
    );
    // there is a drift, it is the one of his equation, and feedback that is added before does nothing against it
    assert!((radius(held) - 1.0).abs() > 1e-5);
    assert!(off < 1e-11 && between < 1e-11);
}

#[test]
fn feedback_keeps_the_bead_and_hardly_minds_its_constants() {
    let drift = |drift: Drift, kind: &str| {
        let mut sim = start("bead");
        sim.set_drift(drift);
        sim.set_integrator(integrator(kind));
        sim.run_fixed(10.0, 0.01).expect("regular");
        radius(beads(&sim)[0]) - 1.0
    };
    let none = drift(Drift::None, "rk4").abs();
    for (ks, kd) in [(10.0, 6.0), (100.0, 20.0), (400.0, 40.0), (1000.0, 30.0)] {
        let left = drift(Drift::Feedback(Feedback { ks, kd }), "rk4").abs();
        println!("ks {ks}, kd {kd}: {left:.1e} m of {none:.1e} m");
        assert!(left < 0.2 * none);
    }
    // "an outward spiral", with the simplest method
    let spiral = drift(Drift::None, "euler");
    assert!(spiral > 0.3, "{spiral}");
}

#[test]
fn the_penalty_gives_way_and_the_constraint_does_not() {
    let mut sim = start("bead");
    let (mut worst, mut stretch) = (0.0f64, 0.0f64);
    for k in 1..=1000 {
        sim.run_until(0.01 * k as f64).expect("regular");
        let [held, cancelled, penalty] = beads(&sim).map(radius);
        worst = worst.max((held - 1.0).abs()).max((cancelled - 1.0).abs());
        stretch = stretch.max(penalty - 1.0);
    }
    // at the bottom: weight, and v^2/r from a fall of 1.5 m, over the stiffness; it rings about that by as much as it was let go with, m g/2 at the most
    let load = 9.81 * (1.0 + 2.0 * 1.5);
    println!("constraint {worst:.1e} m, penalty {stretch:.2e} m");
    assert!(worst < 1e-13);
    assert!(stretch > load / 1e4 && stretch < (load + 9.81) / 1e4, "{stretch}");
}

#[test]
fn a_double_pendulum_three_ways() {
    let end = |sim: &mut Simulation, lower: BodyId| {
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        sim.run_until(2.0).expect("regular");
        (sim.centre(lower), sim.centre_velocity(lower))
    };
    let mut maximal = start("double-pendulum");
    let lower = body(&maximal, "lower");
    let by_constraints = end(&mut maximal, lower);
    let mut joint = start("double-pendulum");
    joint.set_coordinates(Coordinates::Joint).expect("a tree");
    let by_angles = end(&mut joint, lower);
    // the upper rod by its angle: two particles that have its mass, centre and moment of inertia; the lower one a body on a hinge
    let (l, r) = (0.5, 0.02);
    let m = 2700.0 * PI * r * r * l;
    let across = m * (3.0 * r * r + l * l) / 12.0;
    let k = (across / m).sqrt();
    let hang = |a: Parameter<1>, d: Vec3| {
        let (s, c) = (a.sin(), a.cos());
        Place::new(s * d.x + c * d.z, Parameter::constant(d.y), s * d.z - c * d.x)
    };
    let upper = Parametric::new([FRAC_PI_2], move |[a], x| hang(a, x))
        .mass([l / 2.0 - k, 0.0, 0.0], m / 2.0)
        .mass([l / 2.0 + k, 0.0, 0.0], m / 2.0)
        .directions(move |[a], d| hang(a, d));
    let inertia = Mat3::from_diagonal(vec3(across, across, m * r * r / 2.0));
    let mut b = ModelBuilder::new();
    let upper = b.body("upper", upper);
    let lower = b.body("lower", Rigid::new(m, inertia).position([l, 0.0, l / 2.0]));
    b.joint(
        "elbow",
        Revolute::new(upper.at([l, 0.0, 0.0]).along(Vec3::Y), lower.at([0.0, 0.0, -l / 2.0]).along(Vec3::Y)),
    );
    let mut hybrid = Simulation::build(b).expect("a model");
    let by_both = end(&mut hybrid, lower);
    for (name, (p, v)) in [("angles", by_angles), ("hybrid", by_both)] {
        let (dp, dv) = ((p - by_constraints.0).length(), (v - by_constraints.1).length());
        println!("{name} and constraints: {dp:.1e} m, {dv:.1e} m/s");
        assert!(dp < 1e-10 && dv < 1e-9, "{name}: {dp} m, {dv} m/s");
    }
}

/// Blocks of a pattern, by the names of their rows and columns.
fn blocks(model: &Model, matrix: Matrix) -> Vec<(String, String)> {
    let p = model.pattern(matrix).expect("small");
    let mut found = Vec::new();
    for row in &p.rows {
        for column in &p.columns {
            let inside = |e: &&holonom::pattern::Entry| {
                row.range.contains(&(e.row as usize)) && column.range.contains(&(e.column as usize))
            };
            if p.entries.iter().any(|e| inside(&e)) {
                found.push((row.name.clone(), column.name.clone()));
            }
        }
    }
    found
}

#[test]
fn figure_2_is_joined_as_in_the_paper() {
    let sim = start("figure-2");
    let mut expected = Vec::new();
    for (row, (a, b)) in [(1, 2), (2, 3), (2, 4), (1, 5), (5, 6)].into_iter().enumerate() {
        // the graph of Figure 2b counts on from the six bodies
        expected.push((format!("constraint {}", row + 7), format!("body {a}")));
        expected.push((format!("constraint {}", row + 7), format!("body {b}")));
    }
    assert_eq!(blocks(sim.model(), Matrix::J), expected);
    // eleven nodes, ten edges: equation (9), and nothing new in its factor
    assert_eq!(blocks(sim.model(), Matrix::H).iter().filter(|(a, b)| a != b).count(), 2 * 10);
    assert_eq!(sim.model().pattern(Matrix::L).expect("small").n_fill(), 0);
}

#[test]
fn the_star_has_a_dense_matrix_and_a_sparse_one() {
    let sim = start("star");
    let n = sim.model().n_joints();
    assert_eq!(n, 32);
    assert_eq!(blocks(sim.model(), Matrix::A).len(), n * n);
    assert_eq!(blocks(sim.model(), Matrix::J).len(), 2 * n);
    assert_eq!(sim.model().pattern(Matrix::L).expect("small").n_fill(), 0);
}

#[test]
fn a_straight_chain_is_singular_and_goes_on() {
    let mut sim = start("straight-chain-both-ends");
    let doctor = sim.diagnose().expect("it can be asked");
    // to first order nine joints move sideways, two ways each, and ten links spin; what the walls do along the chain is done twice
    assert_eq!((doctor.mobility, doctor.surplus(), doctor.is_singular()), (9 * 2 + 10, 1, true));
    let before = sim.energy().total();
    sim.run_until(10.0).expect("it runs");
    assert!((sim.energy().total() - before).abs() < 1e-14 && sim.violation().0 < 1e-13);
    for i in 1..=10 {
        let link = body(&sim, &format!("link {i}"));
        let spin = sim.spin(link).expect("it turns");
        let expected = vec3(if i % 2 == 0 { 2.0 } else { -2.0 }, 0.0, 0.0);
        assert!((spin - expected).length() < 1e-12 && (sim.centre(link).x - 0.2 * (i as f64 - 0.5)).abs() < 1e-12);
    }
}

#[test]
fn the_right_wheel_spins_twice_as_fast() {
    let mut sim = start("gearbox-nonholonomic");
    let (left, right) = (body(&sim, "left"), body(&sim, "right"));
    let gearbox = sim.model().joint("gearbox").expect("a ratio");
    let about = |sim: &Simulation, b: BodyId| {
        let axis = sim.model().orientation(sim.state(), b).expect("rigid") * Vec3::Z;
        sim.spin(b).expect("rigid").dot(axis)
    };
    let before = sim.energy().total();
    let first = about(&sim, right);
    let h = 1e-3;
    let torque = |sim: &mut Simulation| sim.multipliers_of(gearbox).expect("regular")[0];
    let (mut worst, mut last, mut push, mut change) = (0.0f64, torque(&mut sim), 0.0, 0.0f64);
    for k in 1..=3000 {
        sim.run_until(h * k as f64).expect("regular");
        worst = worst.max((about(&sim, right) - 2.0 * about(&sim, left)).abs());
        let now = torque(&mut sim);
        push += 0.5 * h * (last + now);
        last = now;
        change = change.max((about(&sim, right) - first).abs());
    }
    // the right one is round: nothing but the row can change its spin. Disc of 0.2 x 0.02 m and stem of 0.01 x 0.15 m, 2700 kg/m^3
    let round = |r: f64, length: f64| 2700.0 * PI * r * r * length * r * r / 2.0;
    let expected = push / (round(0.2, 0.02) + round(0.01, 0.15));
    let found = about(&sim, right) - first;
    let energy = (sim.energy().total() - before).abs() / before.abs();
    println!(
        "ratio within {worst:.1e} rad/s, spin changes by up to {change:.3} rad/s, at the end {found:.6} for {expected:.6}, energy {energy:.1e}"
    );
    assert!(worst < 1e-11 && energy < 1e-8);
    assert!(change > 0.5 && (found - expected).abs() < 1e-4 * change);
}

#[test]
fn the_bridge_closes_as_the_feedback_says() {
    let mut sim = start("assembly");
    let first = sim.violation().0;
    assert!(first > 2.0, "open by {first} m");
    for t in [0.25, 0.5, 1.0, 2.0, 4.0] {
        sim.run_until(t).expect("regular");
        // ks = 16, kd = 8: C'' = -16 C - 8 C' from rest
        let expected = first * (1.0 + 4.0 * t) * libm::exp(-4.0 * t);
        let gap = sim.violation().0;
        assert!((gap - expected).abs() < 1e-8, "at {t} s {gap} m for {expected} m");
    }
    sim.run_until(10.0).expect("regular");
    assert!(sim.violation().0 < 1e-10);
    // it hangs: every plank below the posts, the middle one lowest
    let heights: Vec<f64> = (1..=7).map(|i| sim.centre(body(&sim, &format!("plank {i}"))).z).collect();
    assert!(heights.iter().all(|&z| z < 1.4 && z > heights[3] - 0.05), "{heights:?}");
}

#[test]
fn the_chains_strike_and_do_not_pass_through_each_other() {
    let mut sim = start("two-chains-collide");
    let (mut energy, mut overlap) = (sim.energy().total(), 0.0f64);
    let before = energy;
    for k in 1..=500 {
        sim.run_until(0.01 * k as f64).expect("regular");
        let now = sim.energy().total();
        assert!(now < energy + 1e-6, "energy grows at {} s", sim.time());
        energy = now;
        overlap = overlap.max(sim.overlap());
    }
    println!("{:.1} J lost of {before:.1} J, overlap {overlap:.1e} m", before - energy);
    assert!(before - energy > 10.0 && overlap < 1e-8);
    assert!(sim.violation().0 < 1e-13);
}

#[test]
fn the_figure_holds_on_and_stays_within_its_limits() {
    let mut sim = start("closed-figure");
    let deg = PI / 180.0;
    let limits = [("elbow", -30.0, 110.0), ("knee", -14.0, 130.0), ("hip", -110.0, 25.0)];
    let (mut touched, mut beyond) = (0, 0.0f64);
    for _ in 0..5000 {
        sim.step(1e-3).expect("it steps");
        touched += usize::from(!sim.contacts().expect("regular").is_empty());
        for (name, low, high) in limits {
            for i in 1..=2 {
                let joint = sim.model().joint(&format!("{name} {i}")).expect("a joint");
                let angle = sim.coordinate(joint, 0).expect("an angle").0;
                beyond = beyond.max(low * deg - angle).max(angle - high * deg);
            }
        }
    }
    println!("in touch for {touched} ms, at most {beyond:.1e} rad beyond a stop");
    assert!(touched > 10 && beyond < 1e-8 && sim.overlap() < 1e-8 && sim.violation().0 < 1e-12);
    // both hands are on the bar, where they took hold of it 26 cm from its middle
    let (bar, length) = (body(&sim, "bar"), libm::hypot(0.06, 0.31));
    for (i, side) in [(1, 1.0), (2, -1.0)] {
        let hand = sim.point(body(&sim, &format!("forearm {i}")).at([length, 0.0, 0.0])).0;
        let hold = sim.point(bar.at([0.45 + 0.26 * side, 0.0, 0.0])).0;
        assert!((hand - hold).length() < 1e-12, "hand {i} at {hand}, bar at {hold}");
    }
}

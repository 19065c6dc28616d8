//! The tyre: load against deflection, energy, rolling, braking, settling.

use holonom::check;
use holonom::functions::{Function, SmoothTable, Table};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom_tyre::{Grip, HeightField, PlaneTerrain, ProfileTerrain, SlipCurve, Terrain, Tyre, TyreLoad};
use std::cell::RefCell;
use std::collections::BTreeMap;

const RADIUS: f64 = 0.34;
const MOST: f64 = 0.02;
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-11, absolute: 1e-11 };

/// The largest of every figure measured, for the report at the end of a test.
#[derive(Default)]
struct Worst(RefCell<BTreeMap<&'static str, f64>>);

impl Worst {
    /// Note the figure, and fail when it is larger than allowed (or NaN).
    fn demand(&self, what: &'static str, value: f64, allowed: f64) {
        assert!(value <= allowed, "{what}: {value:e}, allowed {allowed:e}");
        let mut figures = self.0.borrow_mut();
        let old = figures.entry(what).or_insert(0.0);
        *old = value.max(*old);
    }

    fn print(&self, test: &str) {
        for (what, value) in self.0.borrow().iter() {
            println!("{test}: {what} {value:.2e}");
        }
    }
}

/// A wheel whose axle is the world's y axis, rolling along x.
fn wheel(mass: f64) -> Rigid {
    let inertia = Mat3::from_diagonal(vec3(0.5, 1.0, 0.5) * (mass * RADIUS * RADIUS));
    Rigid::new(mass, inertia)
}

fn hub(body: BodyId) -> Marker {
    body.origin().axes([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
}

/// Hills and dales, a metre long and a few centimetres high.
fn bumps(x: f64, y: f64) -> [f64; 3] {
    let ((s, c), (s2, c2)) = (libm::sincos(6.0 * x), libm::sincos(5.0 * y + 2.0 * x));
    [0.02 * s + 0.015 * s2, 0.12 * c + 0.03 * c2, 0.075 * c2]
}

/// Force (N) and torque (N m) of a tyre on a wheel at rest in space, by pose and twist.
fn wrench(tyre: impl Fn(Marker) -> Tyre, body: Rigid) -> (Vec3, Vec3) {
    let with = |tyred: bool| {
        let mut m = ModelBuilder::new();
        let wheel = m.body("wheel", body.clone());
        if tyred {
            m.force("tyre", tyre(hub(wheel)));
        }
        let sim = Simulation::build(m).expect("valid");
        check::equations(sim.model(), sim.state()).force
    };
    let f: Vec<f64> = with(true).iter().zip(&with(false)).map(|(a, b)| a - b).collect();
    (vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]))
}

fn flat(hub: Marker) -> Tyre {
    Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, MOST, PlaneTerrain::level(0.0))
}

/// On a flat road the tyre carries what its table says; the error falls with the square of the resolution.
#[test]
fn load_against_deflection() {
    let full = TyreLoad::CITY_BIKE.at(MOST)[0];
    for rows in [1, 5] {
        let mut errors = Vec::new();
        for resolution in [0.012, 0.006, 0.003, 0.0015] {
            let (mut worst, mut relative) = (0.0_f64, 0.0_f64);
            let mut m = ModelBuilder::new();
            m.gravity([0.0; 3]);
            let id = m.body("wheel", wheel(2.0).position([0.3, -0.2, 1.0]));
            let tyre = flat(hub(id)).resolution(resolution);
            m.force("tyre", if rows > 1 { tyre.section(0.026, 0.014, rows) } else { tyre });
            let sim = Simulation::build(m).expect("valid");
            for k in 1..=80 {
                let d = 0.00025 * k as f64;
                let mut state = sim.state().clone();
                state.q[2] = RADIUS - d;
                let f = check::equations(sim.model(), &state).force;
                let (force, torque) = (vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]));
                let expected = TyreLoad::CITY_BIKE.at(d)[0];
                let error = (force.z - expected).abs();
                worst = worst.max(error / full);
                if d >= 0.0024 {
                    relative = relative.max(error / expected);
                }
                assert!(force.x.abs() + force.y.abs() < 1e-10 && torque.length() < 1e-10, "{force} {torque}");
            }
            println!("{rows} rows, {resolution} m: {worst:.2e} of the largest load, {relative:.2e} relative");
            errors.push(worst);
            if resolution <= 0.003 {
                assert!(worst < 1e-3 && relative < 1e-3, "{worst} {relative}");
            }
        }
        let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
        println!("orders {slopes:?}");
        assert!(slopes[..2].iter().all(|s| *s > 1.5), "{slopes:?}");
    }
    let flat = flat(hub(BodyId::from_index(0)));
    assert_eq!(flat.rays_around(), 716);
}

/// A measured table is reproduced at its samples and between them.
#[test]
fn a_table_of_loads() {
    let (d, f) = ([0.0, 0.004, 0.008, 0.012, 0.02], [0.0, 340.0, 800.0, 1310.0, 2500.0]);
    let worst = Worst::default();
    let (smooth, straight) = (SmoothTable::new(&d, &f), Table::new(&d, &f));
    for k in 1..=40 {
        let depth = 0.0005 * k as f64;
        let body = || wheel(2.0).position([0.0, 0.0, RADIUS - depth]);
        let tyre = |hub| Tyre::new(hub, RADIUS, smooth.clone(), MOST, PlaneTerrain::level(0.0));
        worst.demand("smooth table", (wrench(tyre, body()).0.z - smooth.at(depth)[0]).abs() / 2500.0, 1e-4);
        let tyre = |hub| Tyre::new(hub, RADIUS, straight.clone(), MOST, PlaneTerrain::level(0.0));
        worst.demand("table", (wrench(tyre, body()).0.z - straight.at(depth)[0]).abs() / 2500.0, 1e-3);
    }
    worst.print("table of loads");
}

/// Pushes are the gradient of the energy on any terrain and in any pose; power; stiff directions.
#[test]
fn pushes_are_the_gradient_of_the_energy() {
    let worst = Worst::default();
    let mut g = SplitMix(17);
    let heights: Vec<f64> = (0..40 * 40).map(|_| g.symmetric(0.01)).collect();
    for case in 0..60 {
        let at = g.vec3(1.0);
        let (turn, lean) = (g.symmetric(3.0), g.symmetric(0.5));
        let orientation = exp_quat(Vec3::Z * turn) * exp_quat(Vec3::X * lean) * exp_quat(Vec3::Y * g.symmetric(3.0));
        let field = HeightField::new([-2.0, -2.0], 0.1, 40, heights.clone());
        let mut m = ModelBuilder::new();
        // deep enough in every pose
        let low = RADIUS * libm::cos(lean) - 0.008 - 0.007 * g.unit();
        let ground = match case % 3 {
            0 => 0.0,
            1 => bumps(at.x, at.y)[0],
            _ => Terrain::height_and_normal(&field, at.x, at.y).0,
        };
        let body = wheel(3.0)
            .position([at.x, at.y, ground + low])
            .orientation(orientation)
            .velocity(g.vec3(2.0))
            .spin(g.vec3(5.0));
        let id = m.body("wheel", body);
        let make = |hub: Marker| match case % 3 {
            0 => Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, MOST, PlaneTerrain::level(0.0)),
            1 => Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, MOST, bumps),
            _ => Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, MOST, field.clone()),
        };
        let tyre = make(hub(id)).damping(0.3).grip(Grip::ASPHALT_WET).resolution(0.006);
        let tyre = if case % 2 == 0 { tyre.section(0.03, 0.02, 3) } else { tyre };
        let force = m.force("tyre", tyre);
        let sim = Simulation::build(m).expect("valid");
        let stored = sim.energy().elastic;
        assert!(stored > 0.0, "case {case} does not touch");
        let found = check::force(sim.model(), force, sim.state(), 1e-7);
        println!("case {case}: {stored:.3} J {found:?}");
        worst.demand("power", found.power, 1e-12);
        worst.demand("gradient of the energy", found.energy, 1e-8);
        worst.demand("stiff directions are positive", -found.least, 1e-14);
    }
    worst.print("tyre");
}

/// Stiff directions of the upright tyre on a flat road against differences of the force.
#[test]
fn stiff_directions_of_a_standing_wheel() {
    let mut m = ModelBuilder::new();
    let id = m.body("wheel", wheel(3.0).position([0.0, 0.0, RADIUS - 0.006]).spin([0.0, 1e-5, 0.0]));
    let force = m.force("tyre", flat(hub(id)).damping(0.3).grip(Grip::ASPHALT_CLEAN));
    let sim = Simulation::build(m).expect("valid");
    let found = check::force(sim.model(), force, sim.state(), 1e-7);
    println!("{found:?}");
    assert!(found.stiffness < 0.02 && found.damping < 0.02, "{found:?}");
}

/// A flat road is the same everywhere and in every direction.
#[test]
fn a_flat_road_is_the_same_everywhere() {
    let worst = Worst::default();
    let mut g = SplitMix(3);
    let tyre = |hub| flat(hub).damping(0.2).grip(Grip::STONE_WET).section(0.028, 0.014, 3);
    for _ in 0..20 {
        let lean = exp_quat(Vec3::X * g.symmetric(0.4));
        let (velocity, spin, height) = (g.vec3(3.0), g.vec3(9.0), 0.33 - 0.02 * g.unit());
        let body = |turn: f64, x: f64, y: f64| {
            let yaw = exp_quat(Vec3::Z * turn);
            let place = vec3(x, y, height);
            (wheel(2.0).position(place).orientation(yaw * lean).velocity(yaw * velocity).spin(yaw * spin), yaw)
        };
        let (here, _) = body(0.0, 0.0, 0.0);
        let (there, yaw) = body(g.symmetric(3.0), g.symmetric(9.0), g.symmetric(9.0));
        let (a, b) = (wrench(tyre, here), wrench(tyre, there));
        let scale = 1.0 + a.0.length();
        worst.demand("force", (yaw * a.0 - b.0).length() / scale, 1e-10);
        worst.demand("torque", (yaw * a.1 - b.1).length() / scale, 1e-10);
    }
    worst.print("tyre");
}

/// Friction against slip: at most static friction times load, kinetic friction when the wheel is locked or spins on the spot.
#[test]
fn braking_saturates() {
    let grip = Grip::ASPHALT_CLEAN;
    let tyre = |hub| flat(hub).grip(grip);
    let (v, low) = (8.0, RADIUS - 0.005);
    let at = |spin: f64, vx: f64, vy: f64| {
        let body = wheel(2.0).position([0.0, 0.0, low]).velocity([vx, vy, 0.0]).spin([0.0, spin, 0.0]);
        let (f, _) = wrench(tyre, body);
        (f.x / f.z, f.y / f.z)
    };
    let mut largest = 0.0_f64;
    for k in 0..=200 {
        let slip = 0.005 * k as f64;
        let spin = v / low * (1.0 - slip);
        let (x, y) = at(spin, v, 0.0);
        assert!(x <= 1e-12 && y.abs() < 1e-12, "{slip}: {x} {y}");
        largest = largest.max(-x);
        let reference = v.max(spin * RADIUS).hypot(0.05);
        let expected = SlipCurve::new(grip).at(slip * v / reference)[0];
        assert!((x + expected).abs() < 1e-9, "{slip}: {x} {expected}");
    }
    assert!((largest - grip.sticking).abs() < 1e-3 && largest <= grip.sticking, "{largest}");
    let (locked, _) = at(0.0, v, 0.0);
    assert!((locked + grip.sliding).abs() < 1e-4, "{locked}");
    let (spinning, _) = at(30.0, 0.0, 0.0);
    assert!((spinning - grip.sliding).abs() < 1e-2, "{spinning}");
    let (none, side) = at(v / low, v, 0.3);
    assert!(none.abs() < 1e-9 && side < -0.3 && side > -grip.sticking, "{none} {side}");
    // both at once: the same circle
    let (x, y) = at(v / low * 0.95, v, 3.0);
    assert!(x.hypot(y) < grip.sticking && x < 0.0 && y < -0.8 * grip.sliding, "{x} {y}");
}

/// A wheel dropped on the road comes to rest at the deflection of its weight.
#[test]
fn a_dropped_wheel_settles_where_the_table_says() {
    let mass = 40.0;
    let mut m = ModelBuilder::new();
    let id = m.body("wheel", wheel(mass).position([0.0, 0.0, RADIUS + 0.02]));
    m.force("tyre", flat(hub(id)).damping(3.0).grip(Grip::ASPHALT_CLEAN));
    let mut sim = Simulation::build(m).expect("valid");
    sim.run_until(3.0).expect("regular");
    // k d (1 + h d) = m g
    let (k, h) = (8.0e4, 40.0);
    let expected = ((1.0 + 4.0 * h * mass * 9.81 / k).sqrt() - 1.0) / (2.0 * h);
    let d = RADIUS - sim.centre(id).z;
    println!("settled at {d:.6} m, the table says {expected:.6} m");
    assert!(sim.centre_velocity(id).length() < 1e-6, "{}", sim.centre_velocity(id));
    assert!((d / expected - 1.0).abs() < 1e-3, "{d} {expected}");
}

/// Without damping or friction nothing is lost on any road: what is missing is the integrator's error, and falls with its tolerance.
#[test]
fn a_lossless_wheel_keeps_its_energy_on_a_bumpy_road() {
    let run = |tolerance: f64| {
        let mut m = ModelBuilder::new();
        let lean = exp_quat(vec3(0.15, 0.0, 0.3));
        let body = wheel(10.0).position([0.0, 0.0, 0.38]).orientation(lean);
        let id = m.body("wheel", body.velocity([1.5, 0.2, 0.0]).spin([0.1, 4.0, 0.5]));
        let tyre = Tyre::new(hub(id), RADIUS, TyreLoad::SOFT_BIKE, 0.05, bumps).resolution(0.006);
        let force = m.force("tyre", tyre);
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(IntegratorKind::Dop853 { relative: tolerance, absolute: tolerance });
        let start = sim.energy();
        let (mut worst, mut stored) = (0.0_f64, 0.0_f64);
        for k in 1..=50 {
            sim.run_until(0.02 * k as f64).expect("regular");
            let (now, ledger) = (sim.energy(), sim.ledger());
            stored = stored.max(now.elastic);
            worst = worst.max((ledger.force(force) + now.elastic - start.elastic).abs());
            worst = worst.max((now.total() - start.total()).abs());
        }
        println!("lossless, tolerance {tolerance:e}: {worst:.2e} J missing, {stored:.3} J were stored");
        worst / stored
    };
    let errors = [1e-9, 1e-11, 1e-14].map(run);
    assert!(errors[0] < 1e-5 && errors[1] < 1e-6 && errors[2] < 1e-9, "{errors:?}");
}

/// Rolling freely without damping the wheel keeps its speed; with damping it loses what the deflecting tread dissipates:
/// P = integral of chi q deltadot^2 over the tread, where deltadot = w (R - d) tan a / cos a on a flat road. With q = k delta both
/// the load and P are elementary or a plain sum.
#[test]
fn rolling_resistance_is_the_damping_of_the_tread() {
    let (stiffness, mass, speed) = (4e6, 30.0, 5.0);
    let load = move |d: f64| {
        let d = d.max(0.0);
        let tan = (d * (2.0 * RADIUS - d)).sqrt() / (RADIUS - d);
        let force = 2.0 * RADIUS * stiffness * (RADIUS * libm::asinh(tan) - (RADIUS - d) * tan);
        [force, 2.0 * RADIUS * stiffness * tan, 0.0]
    };
    // the deflection under the weight, of the sampled tyre
    let tyre = |hub| Tyre::new(hub, RADIUS, load, MOST, PlaneTerrain::level(0.0));
    let (mut low, mut high) = (0.0, MOST);
    for _ in 0..50 {
        let d = 0.5 * (low + high);
        let carried = wrench(tyre, wheel(mass).position([0.0, 0.0, RADIUS - d])).0.z;
        *if carried < mass * 9.81 { &mut low } else { &mut high } = d;
    }
    let d = 0.5 * (low + high);
    assert!((load(d)[0] / (mass * 9.81) - 1.0).abs() < 1e-3);
    let run = |chi: f64, grip: Option<Grip>, t: f64| {
        let mut m = ModelBuilder::new();
        let spin = speed / (RADIUS - d);
        let body = wheel(mass).position([0.0, 0.0, RADIUS - d]).velocity([speed, 0.0, 0.0]).spin([0.0, spin, 0.0]);
        let id = m.body("wheel", body);
        let tyre = tyre(hub(id)).damping(chi);
        m.force("tyre", if let Some(grip) = grip { tyre.grip(grip) } else { tyre });
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(TIGHT);
        let start = sim.energy().total();
        sim.run_until(t).expect("regular");
        (start - sim.energy().total(), sim.centre_velocity(id).x)
    };
    let (loss, v) = run(0.0, Some(Grip::ASPHALT_CLEAN), 0.2);
    println!("free: loss {loss:.2e} J, speed {v}");
    assert!(loss.abs() < 1e-9 * 375.0 && (v - speed).abs() < 1e-9 * speed, "{loss} {v}");
    let chi = 0.02;
    let (n, most) = (20_000, libm::acos((RADIUS - d) / RADIUS));
    let mut power = 0.0;
    for i in 0..n {
        let a = most * ((i as f64 + 0.5) / n as f64 * 2.0 - 1.0);
        let (delta, cos) = (RADIUS - (RADIUS - d) / libm::cos(a), libm::cos(a));
        let rate = speed * libm::tan(a) / cos;
        power += chi * stiffness * delta * rate * rate * RADIUS * 2.0 * most / n as f64;
    }
    let t = 0.1;
    let (loss, v) = run(chi, Some(Grip::ASPHALT_CLEAN), t);
    println!("damped: loses {} W, the tread's damping is {power} W; speed {v}", loss / t);
    assert!(v < speed && (loss / t / power - 1.0).abs() < 0.02, "{} {power}", loss / t);
    let (double, _) = run(2.0 * chi, Some(Grip::ASPHALT_CLEAN), t);
    assert!((double / loss - 2.0).abs() < 0.04, "{double} {loss}");
}

/// With friction and damping the energy never grows, wherever the wheel goes.
#[test]
fn energy_never_grows() {
    for seed in 0..3 {
        let mut g = SplitMix(seed);
        let mut m = ModelBuilder::new();
        let body = wheel(8.0)
            .position([0.0, 0.0, 0.42])
            .orientation(exp_quat(vec3(0.1, 0.0, 0.5) + g.vec3(0.1)))
            .velocity(g.vec3(2.0))
            .spin(vec3(0.0, 6.0, 0.0) + g.vec3(3.0));
        let id = m.body("wheel", body);
        let tyre = Tyre::new(hub(id), RADIUS, TyreLoad::SOFT_BIKE, 0.05, bumps)
            .damping(0.5)
            .grip(Grip::STONE_CLEAN)
            .creep_speed(0.3)
            .section(0.04, 0.025, 3)
            .resolution(0.006);
        let force = m.force("tyre", tyre);
        let mut sim = Simulation::build(m).expect("valid");
        let (start, mut last) = (sim.energy(), sim.energy().total());
        let mut grown = 0.0_f64;
        for k in 1..=80 {
            sim.run_until(0.01 * k as f64).expect("regular");
            let (now, ledger) = (sim.energy(), sim.ledger());
            grown = grown.max(now.total() - last);
            last = now.total();
            assert!(ledger.integrator.abs() < 1e-6 * start.total(), "{:e}", ledger.integrator);
            assert!(ledger.force(force) + now.elastic - start.elastic < 1e-6 * start.total());
        }
        println!("seed {seed}: grew by {grown:.2e} J at most, {} J of {} J left", last, start.total());
        assert!(grown < 1e-6 * start.total() && last < 0.9 * start.total(), "{grown} {last}");
    }
}

/// A planar wheel in the x-z plane feels what a rigid one does.
#[test]
fn a_planar_wheel_rolls_like_a_rigid_one() {
    let run = |planar: bool| {
        let mut m = ModelBuilder::new();
        let (mass, inertia) = (6.0, 6.0 * RADIUS * RADIUS);
        let (v, w) = (2.0, 3.0);
        let id = if planar {
            // u = x, w = z: the normal is -y, about which angles count
            let body = Planar::new(mass, inertia).plane([0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
            m.body("wheel", body.pose(0.0, 0.36, 0.0).velocity(v, 0.0, -w))
        } else {
            m.body("wheel", wheel(mass).position([0.0, 0.0, 0.36]).velocity([v, 0.0, 0.0]).spin([0.0, w, 0.0]))
        };
        let axle = if planar { [0.0, 0.0, -1.0] } else { [0.0, 1.0, 0.0] };
        let road = |x: f64, _: f64| {
            let (s, c) = libm::sincos(9.0 * x);
            [0.01 * s, 0.09 * c, 0.0]
        };
        let tyre = Tyre::new(id.origin().along(axle), RADIUS, TyreLoad::SOFT_BIKE, 0.05, road);
        m.force("tyre", tyre.damping(0.3).grip(Grip::ASPHALT_WET).resolution(0.006));
        let mut sim = Simulation::build(m).expect("valid");
        sim.run_until(0.4).expect("regular");
        (sim.centre(id), sim.spin(id).expect("turns"))
    };
    let (rigid, planar) = (run(false), run(true));
    assert!((rigid.0 - planar.0).length() < 1e-7, "{} {}", rigid.0, planar.0);
    assert!((rigid.1 - planar.1).length() < 1e-5, "{} {}", rigid.1, planar.1);
}

#[test]
fn unusable_tyres_are_refused() {
    let id = BodyId::from_index(0);
    let bad = [
        (Tyre::new(hub(id), -1.0, TyreLoad::CITY_BIKE, 0.02, PlaneTerrain::level(0.0)), "radius is -1 m"),
        (Tyre::new(hub(id), 0.3, TyreLoad::CITY_BIKE, 0.2, PlaneTerrain::level(0.0)), "half the radius"),
        (Tyre::new(hub(id), 0.3, TyreLoad::new(-5.0, 0.0), 0.02, PlaneTerrain::level(0.0)), "stiffness is -5 N/m"),
        (Tyre::new(hub(id), 0.3, 100.0, 0.02, PlaneTerrain::level(0.0)), "load is 100 N without"),
        (Tyre::new(hub(id), 0.3, TyreLoad::CITY_BIKE, 0.02, PlaneTerrain::new([0.0; 3], [1.0, 0.0, 0.0])), "terrain"),
        (Tyre::new(hub(id), 0.3, Table::new(&[0.0], &[]), 0.02, PlaneTerrain::level(0.0)), "load: "),
        (flat(hub(id)).resolution(0.2), "resolution is 0.2 m"),
        (flat(hub(id)).section(0.04, 0.01, 3), "crown radius is 0.01 m"),
        (flat(hub(id)).section(0.04, 0.03, 0), "0 rows"),
        (flat(hub(id)).damping(-0.1), "damping is -0.1 s/m"),
        (flat(hub(id)).creep_speed(0.0), "creep speed is 0 m/s"),
        (flat(hub(id)).friction(f64::NAN, 0.5), "friction forwards"),
    ];
    for (tyre, expected) in bad {
        let mut m = ModelBuilder::new();
        m.body("wheel", wheel(1.0));
        m.force("tyre", tyre);
        let refusal = m.build().err().expect(expected).to_string();
        assert!(refusal.contains(expected), "{refusal}, expected {expected}");
    }
    let mut m = ModelBuilder::new();
    let bead = m.body("bead", Particle::new(1.0, [0.0; 3]));
    m.force("tyre", flat(hub(bead)));
    assert!(m.build().err().expect("no axle").to_string().contains("bead"));
}

/// A terrain that keeps what it knows of its height to itself: every ray is looked at.
struct Silent<T>(T);

impl<T: Terrain> Terrain for Silent<T> {
    fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        self.0.height_and_normal(x, y)
    }
}

/// Rays that are left out because the terrain lies below them had no load: forces are the same bit by bit, on edges, slopes, grids, with one row and more.
#[test]
fn rays_left_out_carry_nothing() {
    let mut g = SplitMix(5);
    let (x, y) = ([-9.0, 0.0, 0.02, 0.3, 0.32, 9.0], [0.0, 0.0, 0.05, 0.05, 0.0, 0.0]);
    let stone = ProfileTerrain::new(SmoothTable::new(&x, &y)).heading(0.3);
    let heights: Vec<f64> = (0..40 * 40).map(|_| g.symmetric(0.01)).collect();
    let grid = HeightField::new([-1.0, -1.0], 0.05, 40, heights);
    let plane = PlaneTerrain::new([0.0; 3], [0.1, -0.2, 1.0]);
    let mut loaded = 0;
    for k in 0..300 {
        let at = [g.symmetric(0.5), g.symmetric(0.3), RADIUS + g.symmetric(0.03)];
        let turn = exp_quat(vec3(g.symmetric(0.3), g.symmetric(0.3), g.symmetric(0.3)));
        let body = wheel(2.0).position(at).orientation(turn).velocity(g.vec3(2.0)).spin(g.vec3(9.0));
        let rows = if k % 3 == 0 { 3 } else { 1 };
        let tyre = |hub: Marker, t: Box<dyn Terrain>| {
            let tyre = Tyre::new(hub, RADIUS, TyreLoad::CITY_BIKE, MOST, t).damping(0.2);
            tyre.grip(Grip::STONE_WET).resolution(0.006).section(0.026, 0.014, rows)
        };
        for i in 0..3 {
            let pick = |silent: bool| -> Box<dyn Terrain> {
                match (i, silent) {
                    (0, false) => Box::new(stone.clone()),
                    (0, true) => Box::new(Silent(stone.clone())),
                    (1, false) => Box::new(grid.clone()),
                    (1, true) => Box::new(Silent(grid.clone())),
                    (_, false) => Box::new(plane),
                    (_, true) => Box::new(Silent(plane)),
                }
            };
            let told = wrench(|hub| tyre(hub, pick(false)), body.clone());
            let untold = wrench(|hub| tyre(hub, pick(true)), body.clone());
            assert_eq!(told, untold, "terrain {i}, pose {k}");
            loaded += usize::from(told.0.z > 1.0);
        }
    }
    assert!(loaded > 200, "{loaded} loaded tyres");
}

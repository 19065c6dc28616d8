//! The prosthetic arm after Tasora (2001), held to what can be said of it by hand.
//!
//! - its size: 42 coordinates of velocity and 40 rows, 54 and 50 with forearm and hand, mobility 2 and 4 without drives;
//! - its differential: motors that turn alike raise the arm, motors that turn against each other swing it sideways, by a ratio known from lead and radius;
//! - torques at rest: the slope of the potential energy, over the ratio;
//! - the wrist on its NURBS curve, evaluated here a second time by the recursion of Cox and de Boor, with its own length of arc;
//! - torques in motion by two other roads: their work is the change of energy, and position drives fed with the angles that came out give the same torques.

use holonom::{Model, Simulation, Vec3};
use holonom_scene::{Loader, gallery};
use std::fmt::Write;

fn text(name: &str) -> &'static str {
    gallery::find(name).unwrap_or_else(|| panic!("{name} is in the gallery")).text
}

fn model(name: &str, text: &str) -> Model {
    let loaded = Loader::new().load_text(&format!("{name}.toml"), text).unwrap_or_else(|f| panic!("{}", f.render()));
    loaded.build().unwrap_or_else(|f| panic!("{}", f.render()))
}

fn open(name: &str) -> Simulation {
    Simulation::new(model(name, text(name)))
}

fn run(name: &str, until: f64) -> Simulation {
    let mut sim = open(name);
    sim.run_until(until).expect("runs");
    sim
}

fn coordinate(sim: &mut Simulation, joint: &str, i: usize) -> (f64, f64) {
    let joint = sim.model().joint(joint).unwrap_or_else(|| panic!("a joint {joint}"));
    sim.coordinate(joint, i).expect("a coordinate")
}

fn efforts(sim: &mut Simulation, drive: &str) -> Vec<f64> {
    let joint = sim.model().joint(drive).unwrap_or_else(|| panic!("a drive {drive}"));
    sim.multipliers_of(joint).expect("solved")
}

/// A point of a body: where it is and how fast.
fn point(sim: &Simulation, body: &str, at: [f64; 3]) -> (Vec3, Vec3) {
    let body = sim.model().body(body).unwrap_or_else(|| panic!("a body {body}"));
    sim.point(body.at(at))
}

const GRAVITY: f64 = 9.81;
const UPPER: f64 = 0.30;
const PULLEY: f64 = 0.022;
/// Turns of a motor per turn of its wheel: the wire runs once around the pulley while the nut goes as far, one lead per turn.
const TURNS: f64 = std::f64::consts::TAU * PULLEY / 0.002;
/// The same of the worms, which advance by a lead of 3 mm on the rim of a wheel of 30 mm.
const WORM_TURNS: f64 = std::f64::consts::TAU * 0.03 / 0.003;

#[test]
fn sizes_are_those_of_the_paper() {
    for (name, bodies, rows, mobility) in
        [("prosthetic-shoulder", 7, 40, 2), ("prosthetic-shoulder-worm", 7, 40, 2), ("prosthetic-arm", 9, 50, 4)]
    {
        let sim = open(name);
        assert_eq!((sim.model().n_bodies(), sim.model().n_rows()), (bodies, rows), "{name}");
        assert_eq!(sim.model().n_bodies() * 6, rows + mobility, "{name}: 42 + 40, 54 + 50");
        let doctor = sim.diagnose().expect("regular");
        assert_eq!((doctor.rank, doctor.mobility), (rows, mobility), "{name}");
    }
}

/// Where the elbow is with the arm swung sideways about x and then raised forwards about its own axle.
fn elbow(sideways: f64, forwards: f64) -> Vec3 {
    let down = UPPER * forwards.cos();
    Vec3::new(UPPER * forwards.sin(), down * sideways.sin(), -down * sideways.cos())
}

#[test]
fn alike_the_motors_raise_the_arm_and_against_each_other_they_swing_it() {
    for (name, turns) in [("prosthetic-shoulder", TURNS), ("prosthetic-shoulder-worm", WORM_TURNS)] {
        // both at 0.9; then 1.6 and 0.2; then both at 0
        for (time, left, right) in [(1.9, 0.9, 0.9), (3.8, 1.6, 0.2), (6.5, 0.0, 0.0)] {
            let mut sim = run(name, time);
            let motors = [coordinate(&mut sim, "left-shaft", 0).0, coordinate(&mut sim, "right-shaft", 0).0];
            assert!((motors[0] - left * turns).abs() < 1e-8 && (motors[1] - right * turns).abs() < 1e-8, "{motors:?}");
            let expected = elbow((left - right) / 2.0, (left + right) / 2.0);
            let off = (point(&sim, "upper-arm", [0.0, 0.0, -UPPER]).0 - expected).length();
            println!("{name} at {time} s: elbow off by {off:.1e} m");
            assert!(off < 1e-9, "{name} at {time} s: {off:e}");
        }
    }
}

/// Torques of left motor, right motor and elbow that hold an arm at rest, from the masses and where they are now, and a load on the hand.
///
/// Turning by dφ about x lifts a mass by y dφ, by dθ about the axle (0, -cos φ, -sin φ) by x cos φ dθ. The nuts go down along the arm with the wires while it is
/// raised: by the radius of the pulley times dθ, and one down and one up with dφ. The wheels turn by θ + φ and θ - φ against the shell.
fn holding(sim: &mut Simulation, load: Option<(Vec3, f64)>) -> [f64; 3] {
    let (sideways, forwards) = (coordinate(sim, "suspension", 0).0, coordinate(sim, "suspension", 1).0);
    let elbow = elbow(sideways, forwards);
    let model = sim.model().clone();
    let (mut by_forwards, mut by_sideways, mut by_elbow) = (0.0, 0.0, 0.0);
    let mut add = |at: Vec3, mass: f64, below: bool| {
        by_forwards += GRAVITY * mass * at.x * sideways.cos();
        by_sideways += GRAVITY * mass * at.y;
        if below {
            by_elbow += GRAVITY * mass * (at.x - elbow.x) * sideways.cos();
        }
    };
    for body in model.bodies() {
        let below = ["forearm", "hand", "bottle"].contains(&model.body_name(body));
        add(sim.centre(body), model.mass(body), below);
    }
    if let Some((at, mass)) = load {
        add(at, mass, true);
    }
    for nut in ["left-nut", "right-nut"] {
        let mass = model.mass(model.body(nut).expect("a nut"));
        by_forwards -= GRAVITY * mass * PULLEY * forwards.cos() * sideways.cos();
    }
    [(by_forwards + by_sideways) / (2.0 * TURNS), (by_forwards - by_sideways) / (2.0 * TURNS), by_elbow]
}

#[test]
fn torques_at_rest_are_the_weight_over_the_ratio() {
    let mut sim = run("prosthetic-shoulder", 1.95);
    let [left, right, _] = holding(&mut sim, None);
    let found = [efforts(&mut sim, "left-motor")[0], efforts(&mut sim, "right-motor")[0]];
    println!("shoulder: {found:?} N m, by hand {left} {right}");
    assert!((found[0] - left).abs() < 1e-9 && (found[1] - right).abs() < 1e-9 && left > 0.005);

    for (name, time, load) in [
        ("prosthetic-arm-book", 2.35, 0.0),
        ("prosthetic-arm-book", 2.95, 0.6),
        ("prosthetic-arm-book", 5.4, 0.6),
        ("prosthetic-arm-bottle", 0.2, 0.0),
        ("prosthetic-arm-bottle", 2.5, 0.0),
        ("prosthetic-arm-bottle", 4.9, 0.0),
    ] {
        let mut sim = run(name, time);
        let tool = point(&sim, "hand", [0.0, 0.0, -0.13]).0;
        let expected = holding(&mut sim, Some((tool, load)));
        let found = efforts(&mut sim, "task");
        println!("{name} at {time} s: {found:?} N m, by hand {expected:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{name} at {time} s");
        }
    }
}

/// A clamped rational B-spline of degree 3 with the knots 0, 1, 2, ...
struct Curve {
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    knots: Vec<f64>,
}

impl Curve {
    fn new(points: Vec<[f64; 3]>, weights: Vec<f64>) -> Curve {
        let last = points.len() - 3;
        let knots = [0; 3].into_iter().chain(0..=last).chain([last; 3]).map(|k| k as f64).collect();
        Curve { points, weights, knots }
    }

    fn spans(&self) -> usize {
        self.points.len() - 3
    }

    /// Basis function i of a degree, by the recursion of Cox and de Boor.
    fn basis(&self, i: usize, degree: usize, u: f64) -> f64 {
        let k = &self.knots;
        if degree == 0 {
            return f64::from(u8::from(k[i] <= u && u < k[i + 1]));
        }
        let part = |top: f64, below: f64, lower: f64| if below > 0.0 { top / below * lower } else { 0.0 };
        part(u - k[i], k[i + degree] - k[i], self.basis(i, degree - 1, u))
            + part(k[i + degree + 1] - u, k[i + degree + 1] - k[i + 1], self.basis(i + 1, degree - 1, u))
    }

    fn slope(&self, i: usize, u: f64) -> f64 {
        let k = &self.knots;
        let part = |below: f64, lower: f64| if below > 0.0 { 3.0 / below * lower } else { 0.0 };
        part(k[i + 3] - k[i], self.basis(i, 2, u)) - part(k[i + 4] - k[i + 1], self.basis(i + 1, 2, u))
    }

    /// Point and derivative by u.
    fn at(&self, u: f64) -> (Vec3, Vec3) {
        let (mut a, mut da, mut w, mut dw) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
        for i in 0..self.points.len() {
            let (n, dn) = (self.basis(i, 3, u) * self.weights[i], self.slope(i, u) * self.weights[i]);
            (a, da, w, dw) = (a + Vec3::from(self.points[i]) * n, da + Vec3::from(self.points[i]) * dn, w + n, dw + dn);
        }
        (a / w, (da - a / w * dw) / w)
    }

    /// Length of arc up to u: Simpson's rule on 128 pieces of each span, within which the curve is analytic.
    fn length(&self, u: f64) -> f64 {
        let speed = |u: f64| self.at(u).1.length();
        let mut sum = 0.0;
        for span in 0..self.spans() {
            let from = span as f64;
            // the last point of a span belongs to the next
            let to = u.min(from + 1.0) - 1e-15;
            if to <= from {
                break;
            }
            let h = (to - from) / 128.0;
            for k in 0..128 {
                let x = from + f64::from(k) * h;
                sum += h / 6.0 * (speed(x) + 4.0 * speed(x + h / 2.0) + speed(x + h - 1e-15));
            }
        }
        sum
    }

    /// The point at a length of arc, by bisection.
    fn after(&self, length: f64) -> Vec3 {
        let (mut low, mut high) = (0.0, self.spans() as f64 - 1e-12);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if self.length(middle) < length { low = middle } else { high = middle }
        }
        self.at(low).0
    }
}

fn smooth(t: f64, start: f64, end: f64) -> f64 {
    let z = ((t - start) / (end - start)).clamp(0.0, 1.0);
    z * z * z * (10.0 - 15.0 * z + 6.0 * z * z)
}

/// Where the wrist is with these angles.
fn wrist(forwards: f64, sideways: f64, bend: f64) -> [f64; 3] {
    let (ahead, down) = (
        UPPER * forwards.sin() + 0.22 * (forwards + bend).sin(),
        UPPER * forwards.cos() + 0.22 * (forwards + bend).cos(),
    );
    [ahead, down * sideways.sin(), -down * sideways.cos()]
}

#[test]
fn the_wrist_keeps_to_its_curve() {
    let book = Curve::new(
        vec![
            wrist(-0.1, 0.05, 0.4),
            [0.11, 0.07, -0.47],
            [0.24, 0.18, -0.37],
            [0.33, 0.29, -0.23],
            [0.40, 0.25, -0.10],
            [0.36, 0.11, -0.11],
            [0.28, 0.02, -0.20],
            [0.23, -0.01, -0.25],
            [0.20, -0.03, -0.27],
        ],
        vec![1.0, 1.0, 1.0, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0],
    );
    let bottle = Curve::new(
        vec![
            wrist(0.1, 0.1, 1.47),
            [0.26, 0.03, -0.27],
            [0.32, 0.04, -0.16],
            [0.38, 0.10, -0.10],
            [0.40, 0.19, -0.13],
            [0.38, 0.23, -0.20],
            [0.37, 0.24, -0.235],
        ],
        vec![1.0; 7],
    );
    type Law = fn(f64) -> f64;
    let along_book: Law = |t| 0.61 * smooth(t, 0.3, 2.3) + (0.995 - 0.61) * smooth(t, 3.0, 5.0);
    let along_bottle: Law = |t| 0.255 * smooth(t, 0.3, 2.0) + (0.44 - 0.255) * smooth(t, 2.8, 4.5);
    let tasks =
        [("prosthetic-arm-book", &book, along_book, 1.0), ("prosthetic-arm-bottle", &bottle, along_bottle, 0.446)];
    for (name, curve, along, whole) in tasks {
        let length = curve.length(curve.spans() as f64);
        assert!((length - whole).abs() < 1e-3, "{name}: the curve is {length} m long");
        let mut sim = open(name);
        let mut worst = 0.0_f64;
        for k in 0..=10 {
            let t = 0.5 * f64::from(k);
            if k > 0 {
                sim.run_until(t).expect("runs");
            }
            let off = (point(&sim, "hand", [0.0; 3]).0 - curve.after(along(t))).length();
            worst = worst.max(off);
        }
        println!("{name}: wrist off its curve by {worst:.1e} m");
        assert!(worst < 1e-11, "{name}: {worst:e}");
    }
    // and the straight one: across the line there is nothing, and its speed is a sixth of the way per second
    let mut sim = run("prosthetic-arm-line", 4.0);
    let (way, from) = (Vec3::new(0.18, 0.12, 0.22), Vec3::from(wrist(-0.1, -0.1, 1.3)));
    let (at, velocity) = point(&sim, "hand", [0.0; 3]);
    assert!((at - from).cross(way.normalize()).length() < 1e-12);
    assert!((velocity - way / 6.0).length() < 1e-9, "{velocity:?}");
    // one gear gathers speed meanwhile, the other turns back
    let early = [coordinate(&mut sim, "left-bearing", 0).1, coordinate(&mut sim, "right-bearing", 0).1];
    sim.run_until(6.4).expect("runs");
    let late = [coordinate(&mut sim, "left-bearing", 0).1, coordinate(&mut sim, "right-bearing", 0).1];
    println!("gears at constant speed of the hand: {early:?}, later {late:?} rad/s");
    assert!(late[0] > 1.3 * early[0] && early[1] > 0.0 && late[1] < 0.0);
}

#[test]
fn the_bottle_leans_to_no_side() {
    let mut sim = open("prosthetic-arm-bottle");
    for k in 1..=10 {
        sim.run_until(0.5 * f64::from(k)).expect("runs");
        let hand = sim.model().body("hand").expect("a hand");
        let axes = sim.axes(hand).expect("axes");
        assert!(axes.x_axis.z.abs() < 1e-12, "{}", axes.x_axis.z);
        // its neck is y of the hand; the forearm is what leans
        assert!(axes.y_axis.z > 0.9, "{}", axes.y_axis.z);
    }
}

#[test]
fn what_the_motors_do_becomes_energy() {
    // Simpson's rule over pairs of steps
    const H: f64 = 2.5e-3;
    type Power = fn(&mut Simulation) -> f64;
    let book: Power = |sim| {
        let mut power: f64 = 0.0;
        for (k, effort) in efforts(sim, "task").into_iter().enumerate() {
            power += effort * coordinate(sim, ["left-shaft", "right-shaft", "elbow"][k], 0).1;
        }
        let weight = 0.6 * GRAVITY * smooth(sim.time(), 2.4, 2.9);
        power - weight * point(sim, "hand", [0.0, 0.0, -0.13]).1.z
    };
    let bottle: Power = |sim| {
        let mut power = efforts(sim, "level")[0] * coordinate(sim, "rotation", 0).1;
        for (k, effort) in efforts(sim, "task").into_iter().enumerate() {
            power += effort * coordinate(sim, ["left-shaft", "right-shaft", "elbow"][k], 0).1;
        }
        power
    };
    for (name, steps, power) in [("prosthetic-arm-book", 2000, book), ("prosthetic-arm-bottle", 2000, bottle)] {
        let mut sim = open(name);
        let total = |sim: &mut Simulation| {
            let e = sim.energy();
            e.kinetic + e.gravity + e.elastic
        };
        let start = total(&mut sim);
        let (mut work, mut most) = (0.0, 0.0_f64);
        let mut before = power(&mut sim);
        for _ in 0..steps / 2 {
            sim.step(H).expect("steps");
            let middle = power(&mut sim);
            sim.step(H).expect("steps");
            let after = power(&mut sim);
            work += H / 3.0 * (before + 4.0 * middle + after);
            before = after;
            most = most.max((total(&mut sim) - start).abs());
        }
        let gained = total(&mut sim) - start;
        println!("{name}: work {work:.9} J, energy gained {gained:.9} J, at most {most:.3} J on the way");
        assert!(most > 1.0 && (work - gained).abs() < 1e-6 * most, "{name}: {work} and {gained}");
    }
}

#[test]
fn position_drives_with_the_same_angles_need_the_same_torques() {
    // angles of the book scene every 5 ms, as splines for three position drives in place of the servo
    const H: f64 = 5e-3;
    const JOINTS: [&str; 3] = ["left-shaft", "right-shaft", "elbow"];
    let name = "prosthetic-arm-book";
    let mut sim = open(name);
    let (mut times, mut angles, mut torques) = (vec![0.0], [const { Vec::new() }; 3], Vec::new());
    for k in 0..=1000 {
        if k > 0 {
            sim.step(H).expect("steps");
            times.push(sim.time());
        }
        for (list, joint) in angles.iter_mut().zip(JOINTS) {
            list.push(coordinate(&mut sim, joint, 0).0);
        }
        torques.push(efforts(&mut sim, "task"));
    }
    let scene = text(name);
    let (from, to) =
        (scene.find("[drive.task]").expect("a task"), scene.find("[drive.rotation-motor]").expect("a motor"));
    let mut led = scene[..from].to_string();
    for (list, joint) in angles.iter().zip(JOINTS) {
        writeln!(led, "[drive.led-{joint}]\nkind = \"position\"\njoint = \"{joint}\"").expect("text");
        writeln!(led, "value = {{ kind = \"spline\", first_slope = 0, last_slope = 0, x = {times:?}, y = {list:?} }}")
            .expect("text");
    }
    led += &scene[to..];
    // its columns name the servo that is no more
    let led = led.replace("\"task.effort*\", ", "");
    let mut sim = Simulation::new(model(name, &led));
    let mut worst = [0.0_f64; 3];
    for torques in &torques {
        for (k, joint) in JOINTS.iter().enumerate() {
            let found = efforts(&mut sim, &format!("led-{joint}"))[0];
            worst[k] = worst[k].max((found - torques[k]).abs());
        }
        sim.step(H).expect("steps");
    }
    let largest: Vec<f64> = (0..3).map(|k| torques.iter().map(|t| t[k].abs()).fold(0.0, f64::max)).collect();
    println!("largest torques {largest:?} N m, differences {worst:?} N m");
    for k in 0..3 {
        assert!(worst[k] < 1e-3 * largest[k], "{}: {:e} of {:e}", JOINTS[k], worst[k], largest[k]);
    }
}

//! Parts that are given roughly are brought together, near where they were given; parts that cannot be brought together are refused, with
//! the joints that contradict each other and the smallest gap.

mod common;

use common::dense::Dense;
use common::linkage::{self, Rough, Y, hinge, rod};
use common::{Worst, direction, size};
use holonom::joints::{Constraint, pairs};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::{Assembly, Drift, Feedback};
use std::f64::consts::PI;

const GROUND: BodyId = BodyId::GROUND;

/// The refusal of a mechanism that cannot be closed: joint, gap, joints in conflict (sorted).
#[track_caller]
fn not_assembled(m: ModelBuilder) -> (String, f64, Vec<String>) {
    match m.build() {
        Err(ModelError::NotAssembled { joint, gap, mut conflict, .. }) => {
            println!("`{joint}`: gap {gap:.6}, in conflict {conflict:?}");
            conflict.sort();
            (joint, gap, conflict)
        }
        Err(e) => panic!("refused, but not as one that cannot be closed: {e}"),
        Ok(_) => panic!("built, but it cannot be closed"),
    }
}

fn names(of: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = of.iter().map(|n| n.to_string()).collect();
    names.sort();
    names
}

/// A bead between two rods of 1.0 and 1.3 m from one point; perhaps something hanging on it.
fn two_rods(bead: Vec3, hanging: bool) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let bead = m.body("bead", Particle::new(1.0, bead));
    m.joint("short", Distance::new(GROUND.origin(), bead.origin(), 1.0));
    m.joint("long", Distance::new(GROUND.origin(), bead.origin(), 1.3));
    if hanging {
        let other = m.body("other", Particle::new(1.0, [0.0, 2.0, 0.0]));
        m.joint("sound", Distance::new(bead.origin(), other.origin(), 2.0));
    }
    m
}

const BEADS: [Vec3; 3] = [vec3(1.1, 0.0, 0.0), vec3(1.15, 0.0, 0.0), vec3(0.2, 0.3, -0.7)];

#[test]
fn rods_that_contradict_each_other() {
    for bead in BEADS {
        let (joint, gap, conflict) = not_assembled(two_rods(bead, false));
        assert_eq!(conflict, names(&["short", "long"]));
        assert!(joint == "short" || joint == "long", "{joint}");
        assert!((gap - 0.3).abs() < 1e-3, "smallest gap {gap}, must be 0.3");
    }
}

#[test]
fn what_hangs_on_a_contradiction_is_not_part_of_it() {
    for bead in BEADS {
        assert_eq!(not_assembled(two_rods(bead, true)).2, names(&["short", "long"]), "bead at {bead}");
    }
}

/// Names of the joints of [`impossible`].
const BAD: [&str; 4] = ["crank pin", "crank-coupler", "coupler-rocker", "rocker pin"];

/// A four-bar on `base` whose ground link of 1.60 m is longer than 0.20 m, 0.50 m and 0.40 m together; the crank starts at this angle.
fn impossible(m: &mut ModelBuilder, base: BodyId, at: Vec3, angle: f64) -> Marker {
    let rough = &mut Rough::not();
    let end = at + vec3(angle.cos(), 0.0, angle.sin()) * 0.2;
    let far = at + vec3(1.6, 0.0, 0.0);
    let crank = rod(m, "crank", at, end, rough);
    let coupler = rod(m, "coupler", end, end + vec3(0.5, 0.0, 0.0), rough);
    let rocker = rod(m, "rocker", far - vec3(0.0, 0.0, 0.4), far, rough);
    let (near, across) = (m.marker(base, at, Y), m.marker(base, far, Y));
    m.joint(BAD[0], Revolute::new(near, crank.0.along(Y)));
    hinge(m, BAD[1], crank.1, coupler.0);
    hinge(m, BAD[2], coupler.1, rocker.0);
    m.joint(BAD[3], Revolute::new(across, rocker.1.along(Y)));
    rocker.0
}

const ANGLES: [f64; 5] = [0.0, 0.1, 0.8, -1.5, 3.0];

#[test]
fn a_four_bar_with_too_long_a_ground_link() {
    for angle in ANGLES {
        let mut m = ModelBuilder::new();
        impossible(&mut m, GROUND, Vec3::ZERO, angle);
        let (joint, _, conflict) = not_assembled(m);
        assert_eq!(conflict, names(&BAD), "crank at {angle}");
        assert!(BAD.contains(&joint.as_str()), "{joint}");
    }
}

/// 1.60 - 0.20 - 0.50 - 0.40 m, wherever the search begins.
#[test]
fn the_smallest_gap_does_not_depend_on_the_start() {
    let mut wrong = Vec::new();
    for angle in ANGLES {
        let mut m = ModelBuilder::new();
        impossible(&mut m, GROUND, Vec3::ZERO, angle);
        let gap = not_assembled(m).1;
        if !((gap - 0.5).abs() < 1e-3) {
            wrong.push(format!("crank at {angle}: smallest gap {gap:.4}, must be 0.5"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same on the coupler of a sound linkage, with another sound loop hanging on its rocker.
#[test]
fn only_the_loop_at_fault_is_named() {
    for angle in [0.0, 0.8] {
        let mut m = ModelBuilder::new();
        let rough = &mut Rough::not();
        let [a, b, c, d] = [vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 1.0), vec3(2.0, 0.0, 1.0), vec3(2.0, 0.0, 0.0)];
        let left = rod(&mut m, "left", a, b, rough);
        let beam = rod(&mut m, "beam", b, c, rough);
        let right = rod(&mut m, "right", c, d, rough);
        hinge(&mut m, "left foot", GROUND.at(a), left.0);
        hinge(&mut m, "left head", left.1, beam.0);
        hinge(&mut m, "right head", beam.1, right.0);
        hinge(&mut m, "right foot", GROUND.at(d), right.1);
        let hook = impossible(&mut m, beam.0.body, vec3(0.2, 0.0, 1.0), angle);
        let (mut last, mut from) = (hook, vec3(1.8, 0.0, 0.6));
        for (i, to) in [vec3(2.1, 0.0, 0.5), vec3(2.2, 0.0, 0.8), vec3(2.0, 0.0, 1.0)].into_iter().enumerate() {
            let side = rod(&mut m, &format!("side {i}"), from, to, rough);
            hinge(&mut m, &format!("side hinge {i}"), last, side.0);
            (last, from) = (side.1, to);
        }
        m.joint("side string", Distance::new(last, hook.body.origin(), (from - vec3(1.8, 0.0, 0.8)).length()));
        assert_eq!(not_assembled(m).2, names(&BAD), "crank at {angle}");
    }
}

type Make = fn(&mut ModelBuilder, &mut Rough);
const LINKAGES: [(&str, Make); 4] = [
    ("four-bar", linkage::four_bar),
    ("six-bar", linkage::six_bar),
    ("ring", linkage::ring),
    ("platform", linkage::platform),
];

/// A linkage with its parts moved away by up to `by`, and where they start.
fn rough(make: Make, by: f64, seed: u64, how: Assembly) -> (ModelBuilder, Rough) {
    let (mut m, mut rough) = (ModelBuilder::new(), Rough::new(by, seed));
    make(&mut m, &mut rough);
    m.assembly(how);
    (m, rough)
}

/// On which side of the line from the crank's end to the rocker's foot does the coupler's end lie? Sums over the loops of a ring: its turning.
fn orientation(name: &str, q: &[f64]) -> f64 {
    let end = |i: usize, side: f64, length: f64| {
        let q = &q[7 * i..];
        Vec3::from_slice(q) + Quat::from_xyzw(q[4], q[5], q[6], q[3]) * vec3(0.5 * side * length, 0.0, 0.0)
    };
    let length = |a: Vec3, b: Vec3| (a - b).length();
    let [b, c, d] = [vec3(0.1, 0.0, 0.4), vec3(1.0, 0.0, 0.9), vec3(1.2, 0.0, 0.0)];
    let side = |b: Vec3, c: Vec3, d: Vec3| (c - b).cross(d - b).y;
    match name {
        "four-bar" => side(end(0, 1.0, length(Vec3::ZERO, b)), end(1, 1.0, length(b, c)), d),
        "six-bar" => {
            let [e, f, g] = [vec3(0.55, 0.0, 0.65), vec3(1.6, 0.0, 1.2), vec3(2.0, 0.0, 0.0)];
            let first = side(end(0, 1.0, length(Vec3::ZERO, b)), end(1, 1.0, length(b, c)), d);
            let second = side(end(1, 0.0, 1.0), end(3, 1.0, length(e, f)), g);
            if first > 0.0 && second > 0.0 { 1.0 } else { -1.0 }
        }
        "ring" => {
            (0..12).map(|i| Vec3::from_slice(&q[7 * i..]).cross(Vec3::from_slice(&q[7 * ((i + 1) % 12)..])).z).sum()
        }
        // the plate lies above the ground, upright
        _ => q[2].min((Quat::from_xyzw(q[4], q[5], q[6], q[3]) * Vec3::Z).z),
    }
}

#[test]
fn rough_starts_come_together_near_by() {
    let worst = Worst::default();
    let mut wrong = Vec::new();
    for (name, make) in LINKAGES {
        let exact = rough(make, 0.0, 0, Assembly::Newton).1.q;
        assert!(orientation(name, &exact) > 0.0, "{name}");
        let mut ratio: f64 = 0.0;
        for (by, seeds) in [(0.05, 40), (0.3, 100)] {
            for seed in 0..seeds {
                let (m, hint) = rough(make, by, seed, Assembly::Newton);
                let sim = match Simulation::build(m) {
                    Ok(sim) => sim,
                    Err(e) => {
                        wrong.push(format!("{name}, seed {seed}, by {by}: {e}"));
                        continue;
                    }
                };
                worst.demand("gap", sim.violation().0, 1e-9);
                // a legal pose is no farther away than the one that was roughened
                let (moved, away) = (hint.distance(&sim.state().q, &hint.q), hint.distance(&exact, &hint.q));
                ratio = ratio.max(moved / away);
                if moved > 3.0 * away {
                    wrong
                        .push(format!("{name}, seed {seed}, by {by}: moved by {moved:.3} although {away:.3} suffices"));
                }
                if by < 0.1 && !(orientation(name, &sim.state().q) > 0.0) {
                    wrong.push(format!("{name}, seed {seed}, by {by}: on another branch"));
                }
            }
        }
        println!("{name}: moved by at most {ratio:.2} times what would have sufficed");
    }
    worst.print("rough starts");
    assert!(wrong.is_empty(), "{} faults: {wrong:#?}", wrong.len());
}

#[test]
fn gradual_assembly_arrives_too() {
    let worst = Worst::default();
    for (name, make) in LINKAGES {
        for seed in 0..15 {
            let (m, hint) = rough(make, 0.3, seed, Assembly::Gradual);
            let sim = Simulation::build(m).unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
            worst.demand("gap", sim.violation().0, 1e-9);
            let away = hint.distance(&rough(make, 0.0, 0, Assembly::Newton).1.q, &hint.q);
            worst.demand("moved, of what suffices", hint.distance(&sim.state().q, &hint.q) / away, 3.0);
        }
    }
    worst.print("gradual");
}

/// Three links of one length, all in one place, hinges or balls between their ends.
#[test]
fn a_triangle_begun_in_one_place() {
    for how in [Assembly::Newton, Assembly::Gradual] {
        for hinges in [true, false] {
            let mut m = ModelBuilder::new();
            m.assembly(how);
            let rough = &mut Rough::not();
            let links = [0, 1, 2].map(|i| rod(&mut m, &format!("link {i}"), Vec3::ZERO, Vec3::X, rough));
            for i in 0..3 {
                let (a, b) = (links[i].1, links[(i + 1) % 3].0);
                if hinges {
                    hinge(&mut m, &format!("joint {i}"), a, b);
                } else {
                    m.joint(format!("joint {i}"), Spherical::new(a, b));
                }
            }
            let sim = Simulation::build(m).unwrap_or_else(|e| panic!("{how:?}, hinges {hinges}: {e}"));
            let gap = sim.violation().0;
            let [a, b, c] = links.map(|l| sim.point(l.0).0);
            let sides = [(b - a).length(), (c - b).length(), (a - c).length()];
            println!("{how:?}, hinges {hinges}: gap {gap:.1e}, sides {sides:?}");
            assert!(gap <= 1e-9, "{gap:e}");
            assert!(sides.iter().all(|s| (s - 1.0).abs() < 1e-9), "{sides:?}");
        }
    }
}

/// Start velocities that joints do not allow become legal by impulses of the joints: u . M dv = 0 for every legal u.
#[test]
fn start_velocities_become_legal() {
    let worst = Worst::default();
    for (name, make) in LINKAGES {
        for seed in 0..5 {
            let stirred = |seed: u64| {
                let (mut m, mut rough) = (ModelBuilder::new(), Rough::new(0.0, seed));
                rough.stir = 2.0;
                make(&mut m, &mut rough);
                let sim = Simulation::build(m).expect("closes");
                let jump: Vec<f64> = sim.state().v.iter().zip(&rough.v).map(|(legal, given)| legal - given).collect();
                (sim, jump)
            };
            let (sim, jump) = stirred(seed);
            let legal = stirred(seed + 100).0.state().v.clone();
            let rate = sim.violation().1;
            let d = Dense::at(sim.model(), sim.state());
            let scale = (d.inner(&legal, &legal) * d.inner(&jump, &jump)).sqrt();
            assert!(size(&jump) > 0.1 && size(&legal) > 1e-3, "{name}: nothing to see");
            worst.demand("rate of the gaps", rate, 1e-12);
            worst.demand("legal motion along the jump", d.inner(&legal, &jump).abs() / scale, 1e-12);
        }
    }
    worst.print("velocities");
}

/// Joints whose rows vanish also half a turn away. Which axes must agree: all, or z alone.
const TWO_SIDED: [(&str, bool); 9] = [
    ("weld", true),
    ("prismatic", true),
    ("revolute", false),
    ("cylindrical", false),
    ("planar", false),
    ("parallel-axes", false),
    ("orientation-lock", true),
    ("oldham", true),
    ("pin-slot", false),
];

fn joint(kind: &str, a: Marker, b: Marker) -> Box<dyn Constraint> {
    let kind = pairs().iter().find(|k| k.name() == kind).expect("in the table");
    (kind.sample.expect("a sample"))(a, b, &mut SplitMix(0))
}

/// Smallest cosine between the axes that must agree.
fn agreement(sim: &Simulation, a: Marker, b: Marker, all: bool) -> f64 {
    let axes = |m: Marker| sim.axes(m.body).expect("has axes") * m.axes;
    let (a, b) = (axes(a), axes(b));
    (if all { 0..3 } else { 2..3 }).map(|k| a.col(k).dot(b.col(k))).fold(1.0, f64::min)
}

/// Bodies that start turned the wrong way round, or nearly: what was built and is wrong, and what was refused with another reason than that.
fn turned_wrongly() -> (Vec<String>, Vec<String>) {
    let (mut right, mut refused, mut wrong, mut misjudged) = (0, 0, Vec::new(), Vec::new());
    for (kind, all) in TWO_SIDED {
        let mut g = SplitMix(11);
        let mut cases: Vec<(f64, Vec3)> = Vec::new();
        for axis in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().chain((0..9).map(|_| direction(&mut g))) {
            cases.extend([180.0, 170.0, 179.9, 135.0].map(|degrees| (degrees, axis)));
        }
        // axes that take each other's places are perpendicular to their own
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            cases.extend([120.0, 125.0, -120.0].map(|degrees| (degrees, vec3(x, y, 1.0).normalize())));
        }
        for (degrees, axis) in cases {
            let off = exp_quat(axis * (degrees * PI / 180.0));
            for setting in ["on the ground", "on a body", "in a loop", "in general rows"] {
                let mut m = ModelBuilder::new();
                if setting == "in general rows" {
                    m.general_rows_only();
                }
                let shape = || Rigid::cuboid(1.0, [0.6, 0.4, 0.3]);
                let base = if setting == "on the ground" {
                    GROUND
                } else {
                    let base = m.body("base", shape());
                    m.joint("foot", Revolute::new(GROUND.origin(), base.origin()));
                    base
                };
                let arm = m.body("arm", shape().position([1.0, 0.0, 0.0]).orientation(off));
                let (a, b) = (base.at([0.5, 0.0, 0.0]), arm.at([-0.5, 0.0, 0.0]));
                m.boxed_joint("suspect", joint(kind, a, b));
                if setting == "in a loop" {
                    let far = m.body("far", shape().position([1.5, 0.5, 0.0]));
                    m.joint("elbow", Spherical::new(arm.at([0.5, 0.0, 0.0]), far.at([0.0, -0.5, 0.0])));
                    m.joint("string", Distance::new(GROUND.at([0.5, 1.0, 0.0]), far.at([-0.3, 0.0, 0.0]), 0.8));
                }
                let what = format!("{kind} {setting}, {degrees} degrees about {axis:.2}");
                match Simulation::build(m) {
                    Ok(sim) => {
                        let (gap, cos) = (sim.violation().0, agreement(&sim, a, b, all));
                        right += 1;
                        if !(gap <= 1e-9 && cos > 0.999_999) {
                            wrong.push(format!("{what}: taken with gap {gap:.1e}, cosine of the axes {cos:.3}"));
                        }
                    }
                    Err(ModelError::WrongBranch { joint }) if joint == "suspect" => refused += 1,
                    Err(e) => misjudged.push(format!("{what}: {e}")),
                }
            }
        }
    }
    println!(
        "{right} built, {} of them wrong, {refused} refused as turned, {} otherwise",
        wrong.len(),
        misjudged.len()
    );
    (wrong, misjudged)
}

#[test]
fn a_wrong_turn_is_never_taken_as_it_is() {
    let wrong = turned_wrongly().0;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A joint that can be closed by turning its body must not be called one that cannot be closed.
#[test]
fn a_wrong_turn_is_put_right_or_named() {
    let misjudged = turned_wrongly().1;
    assert!(misjudged.is_empty(), "{} of them, such as {:#?}", misjudged.len(), &misjudged[..misjudged.len().min(8)]);
}

/// Left open, parts fly together under feedback: C'' = -ks C - kd C' has a known solution while nothing else is in the way.
#[test]
fn parts_that_start_open_are_pulled_together_in_time() {
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    m.assembly(Assembly::Open);
    let ball = m.body("ball", Particle::new(2.0, [0.3, -0.1, 0.2]));
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([3.0, 0.5, -0.2]));
    m.joint("eye", Spherical::new(GROUND.origin(), ball.origin()));
    m.joint(
        "pin",
        Revolute::new(GROUND.at([1.0, 0.0, 0.0]).along(Y), rod.at([-0.5, 0.0, 0.0]).along(vec3(0.6, 0.8, 0.0))),
    );
    let mut sim = Simulation::build(m).expect("open joints are no mistake here");
    assert!(sim.violation().0 > 0.4, "left as they were given");
    let (ks, kd) = (25.0, 10.0);
    sim.set_drift(Drift::Feedback(Feedback { ks, kd }));
    // critically damped: x = x0 (1 + 5 t) exp(-5 t)
    sim.run_until(0.4).expect("runs");
    let expected = vec3(0.3, -0.1, 0.2) * ((1.0 + 2.0) * (-2.0f64).exp());
    assert!((sim.centre(ball) - expected).length() < 1e-8, "{:?}", sim.centre(ball));
    sim.run_until(8.0).expect("runs");
    assert!(sim.violation().0 < 1e-10, "{:e}", sim.violation().0);
}

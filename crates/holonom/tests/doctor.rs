//! The doctor against dense algebra, on random mechanisms with loops and on some where the answer is known.

#[path = "common/closed.rs"]
mod closed;
mod common;
#[path = "common/singular.rs"]
mod singular;

use closed::{Closed, closed};
use common::dense::Dense;
use common::spec::{Spec, body_id};
use common::{Worst, gap, size};
use holonom::attach::View;
use holonom::joints::{Constraint, Rows, pairs};
use holonom::prelude::*;
use holonom::{Diagnosis, JointId};
use singular::Singular;

const RIGID: Closed = Closed { most: 6, rigid: true, closing: 5, full_rank: false };
const MIXED: Closed = Closed { rigid: false, ..RIGID };

/// Mechanisms whose rank is clear, with their diagnosis.
fn for_clear(
    numbers: std::ops::Range<u64>,
    wish: Closed,
    mut test: impl FnMut(u64, &Spec, &mut Simulation, &Dense, &Singular, &Diagnosis),
) {
    let (mut clear, mut redundant, asked) = (0, 0, numbers.end - numbers.start);
    for number in numbers {
        let spec = closed(number, wish);
        let mut sim = spec.simulation();
        let d = Dense::at(sim.model(), sim.state());
        let s = Singular::of(&d);
        if s.is_clear() {
            clear += 1;
            redundant += u64::from(s.rank() < d.m);
            let diagnosis = sim.diagnose().expect("finite");
            test(number, &spec, &mut sim, &d, &s, &diagnosis);
        }
    }
    println!("{clear} of {asked} mechanisms with a clear rank, {redundant} of them redundant");
    assert!(10 * clear >= 9 * asked && 2 * redundant >= asked, "{clear} of {asked} clear, {redundant} redundant");
}

#[test]
fn rank_mobility_and_uniqueness() {
    let mut wrong = Vec::new();
    for wish in [RIGID, MIXED] {
        for_clear(0..150, wish, |number, _, sim, d, s, found| {
            let mut say = |what: String| wrong.push(format!("rigid: {}, {number}: {what}", wish.rigid));
            if found.rank != s.rank() {
                say(format!("rank {} of {}, expected {}", found.rank, d.m, s.rank()));
            }
            if (found.rows, found.mobility, found.surplus()) != (d.m, d.n - s.rank(), d.m - s.rank()) {
                say(format!("mobility {}, surplus {} of {} rows", found.mobility, found.surplus(), found.rows));
            }
            let clusters: (usize, usize) =
                found.clusters.iter().fold((0, 0), |sum, c| (sum.0 + c.rows, sum.1 + c.rank));
            if clusters.0 - clusters.1 != found.surplus() || found.clusters.iter().any(|c| !c.exact) {
                say(format!("clusters {:?}", found.clusters));
            }
            let dropped: usize = found.redundant.iter().map(|r| r.dropped.len()).sum();
            if dropped != found.surplus()
                || found.redundant.iter().any(|r| !r.dropped.iter().all(|x| r.rows.contains(x)))
            {
                say(format!("{dropped} rows could be left out"));
            }
            let certificate = sim.certificate().expect("finite");
            if certificate.rank_deficiency != Some(found.surplus()) || certificate.contradiction {
                say(format!(
                    "the factors say {:?}, contradiction {}",
                    certificate.rank_deficiency, certificate.contradiction
                ));
            }
            if found.mobility == 0 && found.is_singular() {
                say(format!("it cannot move at all, and is called singular (stuck: {})", found.stuck));
            }
            // every multiplier
            let marked = |r: usize| found.not_unique.iter().any(|n| sim.model().rows_of(n.joint).start + n.row == r);
            let in_set = |r: usize| {
                found.redundant.iter().flat_map(|s| &s.rows).any(|n| sim.model().rows_of(n.joint).start + n.row == r)
            };
            for (r, freedom) in s.freedom().into_iter().enumerate() {
                let expected = if freedom > 1e-4 {
                    true
                } else if freedom < 1e-9 {
                    false
                } else {
                    continue;
                };
                if marked(r) != expected || in_set(r) != expected {
                    say(format!("row {r}: freedom {freedom:e}, marked {}, in a set {}", marked(r), in_set(r)));
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What rows remain without the dropped ones is of full rank.
#[test]
fn what_could_be_left_out_can() {
    for_clear(200..260, RIGID, |number, _, sim, d, s, found| {
        let model = sim.model();
        let dropped: Vec<usize> =
            found.redundant.iter().flat_map(|s| &s.dropped).map(|n| model.rows_of(n.joint).start + n.row).collect();
        let kept: Vec<usize> = (0..d.m).filter(|r| !dropped.contains(r)).collect();
        let mut e = d.e.clone();
        e.jacobian = kept.iter().flat_map(|&r| d.row(r).to_vec()).collect();
        e.c = kept.iter().map(|&r| d.e.c[r]).collect();
        let rest = Singular::of(&Dense { n: d.n, m: kept.len(), e });
        assert_eq!((kept.len(), rest.rank()), (s.rank(), s.rank()), "{number}");
    });
}

/// Forces and torques of all joints on one rigid body: force, and moment about its centre of mass.
fn wrench_on(sim: &Simulation, found: &Diagnosis, body: BodyId) -> [f64; 6] {
    let (mut force, mut moment) = (Vec3::ZERO, Vec3::ZERO);
    for r in &found.reactions {
        let ends = sim.model().constraint(r.joint).attachments();
        for (end, sign) in [(ends[0].body, -1.0), (ends[1].body, 1.0)] {
            if end == body {
                let r = &r.reaction;
                force += r.force * sign;
                moment += (r.torque + (r.point - sim.centre(body)).cross(r.force)) * sign;
            }
        }
    }
    [force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

/// Rows of forces of a joint; the others are torques.
fn force_rows(name: &str) -> usize {
    match name {
        "weld" | "revolute" | "universal" | "spherical" | "constant-velocity" => 3,
        "prismatic" | "cylindrical" | "point-on-line" | "pin-slot" => 2,
        "planar" | "point-on-plane" | "distance" | "oldham" => 1,
        "parallel-axes" | "perpendicular-axes" | "orientation-lock" => 0,
        other => panic!("{other} is not in the table"),
    }
}

#[test]
fn splits_push_the_same_and_are_smallest() {
    assert!(pairs().iter().all(|k| force_rows(k.name()) <= k.rows));
    let worst = Worst::default();
    let mut wrong = Vec::new();
    for_clear(300..420, RIGID, |number, spec, sim, d, s, found| {
        let lambda = sim.multipliers().expect("finite");
        let push = d.transposed_times(&lambda);
        let scale = size(&push) + size(&d.e.force);
        for i in 0..spec.bodies.len() {
            let error = gap(&wrench_on(sim, found, body_id(i)), &push[6 * i..6 * i + 6]) / scale;
            worst.note("push on bodies", error);
            if !(error <= 1e-9) {
                wrong.push(format!("{number}: the split pushes body {i} otherwise by {error:e}"));
            }
        }
        // compliances 1 and 1 / L^2, L being the root mean square distance of the joints of a cluster from their centroid
        let mut weight = vec![1.0; d.m];
        for cluster in &found.clusters {
            let points: Vec<Vec3> =
                cluster.joints.iter().map(|j| found.reaction(*j).expect("each").reaction.point).collect();
            let centroid = points.iter().copied().sum::<Vec3>() / points.len() as f64;
            let square = points.iter().map(|p| (*p - centroid).length_squared()).sum::<f64>() / points.len() as f64;
            // joints at one place but for rounding have no such distance
            let whole = sim.model().length_scale().powi(2);
            let square = if square > 1e-18 * whole { square } else { whole };
            for j in &cluster.joints {
                let rows = sim.model().rows_of(*j);
                let forces = force_rows(spec.joints[j.index()].name());
                weight[rows.start + forces..rows.end].fill(1.0 / square);
            }
        }
        let expected = s.smallest(&lambda, &weight);
        let scale = size(&expected) + scale;
        for r in &found.reactions {
            let rows = &expected[sim.model().rows_of(r.joint)];
            let (forces, torques) = rows.split_at(force_rows(spec.joints[r.joint.index()].name()));
            let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let error = (r.reaction.force.length() - length(forces))
                .abs()
                .max((r.reaction.torque.length() - length(torques)).abs());
            worst.note("smallest loads", error / scale);
            if !(error <= 1e-9 * scale) {
                wrong.push(format!(
                    "{number}: {} {}: off by {error:e} of {scale:e}",
                    spec.joints[r.joint.index()].name(),
                    r.joint.index()
                ));
            }
            let again = sim.reaction(r.joint).expect("finite");
            let same = (again.force - r.reaction.force).length() + (again.torque - r.reaction.torque).length();
            if !(same <= 1e-9 * scale) {
                wrong
                    .push(format!("{number}: joint {}: `reaction` and the doctor differ by {same:e}", r.joint.index()));
            }
            // flags of the reaction and of the rows
            let marked = found.not_unique.iter().any(|n| n.joint == r.joint);
            if marked == r.is_unique() {
                wrong.push(format!(
                    "{number}: joint {}: rows marked {marked}, reaction unique {}",
                    r.joint.index(),
                    r.is_unique()
                ));
            }
        }
    });
    worst.print("splits");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_report_names_what_it_speaks_of() {
    for_clear(500..520, RIGID, |number, _, _, _, _, found| {
        let text = found.to_string();
        assert!(text.contains(&format!("mobility {}", found.mobility)), "{number}: {text}");
        for set in &found.redundant {
            for row in set.rows.iter().take(24) {
                assert!(text.contains(&format!("`{}`: {}", row.joint_name, row.holds)), "{number}: {row} in\n{text}");
            }
        }
        assert_eq!(text.contains("all reactions are unique"), found.redundant.is_empty(), "{number}: {text}");
    });
}

// ---- known answers -----------------------------------------------------------------------------------------------------

/// Ball links in a straight line between two pins: nothing but their spins about the line can move.
#[test]
fn a_taut_chain() {
    let mut wrong = Vec::new();
    for n in [2, 3, 4, 5, 8] {
        let mut m = ModelBuilder::new();
        let mut last = BodyId::GROUND.origin();
        for i in 0..n {
            let link =
                m.body(format!("link {i}"), Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([i as f64 + 0.5, 0.0, 0.0]));
            m.joint(format!("ball {i}"), Spherical::new(last, link.at([-0.5, 0.0, 0.0])));
            last = link.at([0.5, 0.0, 0.0]);
        }
        m.joint("end", Spherical::new(last, BodyId::GROUND.at([n as f64, 0.0, 0.0])));
        let mut sim = Simulation::build(m).expect("it fits exactly");
        let d = sim.diagnose().expect("finite");
        assert_eq!((d.rows, d.rank, d.surplus(), d.loops), (3 * (n + 1), 3 * n + 2, 1, 1), "{d}");
        let text = d.to_string();
        if !(d.is_singular() && text.contains("singular") && text.contains("`end`: translation along x")) {
            wrong.push(format!("{n} links: not called singular: {text}"));
        }
        let mut largest = 0.0f64;
        for k in 0..1000 {
            match sim.step(1e-3) {
                Ok(report) => largest = largest.max(report.gap),
                Err(e) => {
                    wrong.push(format!("{n} links, step {k}: {e}"));
                    break;
                }
            }
        }
        println!("{n} links: gap {largest:.1e}");
        if !(largest < 1e-8) {
            wrong.push(format!("{n} links: gap {largest:e}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// e . (w_1 + w_2 - 2 w_3) = 0: a differential, with the carrier last.
struct Differential {
    on: [Attachment; 3],
    axis: Vec3,
}

impl Constraint for Differential {
    fn kind(&self) -> &'static str {
        "differential"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn level(&self, _: usize) -> holonom::joints::Level {
        holonom::joints::Level::Velocity
    }
    fn rows(&self, _: &View, _: f64, out: &mut Rows) {
        for (k, weight) in [1.0, 1.0, -2.0].into_iter().enumerate() {
            out.gradient(0, k, self.axis * weight);
        }
    }
}

/// Three shafts about x with torques on them, and a differential between them; on hinges to the ground, or free.
fn shafts(hinged: bool) -> (Simulation, JointId) {
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let ids: Vec<BodyId> = (0..3)
        .map(|i| {
            let moment = 1.0 + i as f64;
            let shaft = Rigid::principal(1.0, [moment, 2.0 * moment, 2.0 * moment]).position([0.0, i as f64, 0.0]);
            m.body(format!("shaft {i}"), shaft.spin([2.0, 0.0, 0.0]))
        })
        .collect();
    for (i, &id) in ids.iter().enumerate().filter(|_| hinged) {
        let ground = BodyId::GROUND.at([0.0, i as f64, 0.0]).along(Vec3::X);
        m.joint(format!("bearing {i}"), Revolute::new(ground, id.origin().along(Vec3::X)));
    }
    for (i, torque) in [3.0, -1.0, 5.0].into_iter().enumerate() {
        m.force(format!("torque {i}"), Torque::new(ids[i], [torque, 0.0, 0.0]));
    }
    let on = [Attachment::spin(ids[0]), Attachment::spin(ids[1]), Attachment::spin(ids[2])];
    let joint = m.joint("differential", Differential { on, axis: Vec3::X });
    (Simulation::build(m).expect("valid"), joint)
}

/// I_i a_i = T_i + g_i lambda with g = (1, 1, -2) and g . a = 0.
#[test]
fn a_differential_in_a_tree_and_in_loops() {
    let (moments, torques, g) = ([1.0, 2.0, 3.0], [3.0, -1.0, 5.0], [1.0, 1.0, -2.0]);
    let free: f64 = (0..3).map(|i| g[i] * torques[i] / moments[i]).sum();
    let lambda = -free / (0..3).map(|i| g[i] * g[i] / moments[i]).sum::<f64>();
    for hinged in [false, true] {
        let (mut sim, joint) = shafts(hinged);
        assert_eq!(sim.model().has_loops(), hinged);
        let d = sim.diagnose().expect("regular");
        let rows = if hinged { 16 } else { 1 };
        assert_eq!((d.rows, d.rank, d.mobility, d.loops), (rows, rows, 18 - rows, if hinged { 2 } else { 0 }), "{d}");
        assert!(d.redundant.is_empty() && d.reactions.iter().all(|r| r.is_unique()), "{d}");
        let names: &[&str] = if hinged { &[] } else { &["tree"] };
        for name in names.iter().chain(&["sparse", "huge-pivot", "auxiliary", "dense", "dense-kkt", "banded", "cg"]) {
            sim.set_solver(SolverKind::from_name(name).expect("known")).expect("it applies");
            let a = sim.accelerations().expect("regular");
            for i in 0..3 {
                let expected = (torques[i] + g[i] * lambda) / moments[i];
                let found = &a[6 * i..6 * i + 6];
                let error = gap(found, &[0.0, 0.0, 0.0, expected, 0.0, 0.0]);
                assert!(error < 1e-9, "hinged {hinged}, {name}, shaft {i}: {found:?}, expected {expected}");
            }
            let rows = sim.model().rows_of(joint);
            let found = sim.multipliers().expect("regular")[rows.start];
            assert!((found - lambda).abs() < 1e-9, "hinged {hinged}, {name}: lambda {found}, expected {lambda}");
            // on the second body acts its share
            let r = sim.reaction(joint).expect("regular");
            assert!(r.force.length() < 1e-9 && (r.torque - Vec3::X * lambda).length() < 1e-9, "{name}: {r:?}");
        }
        sim.run_until(1.0).expect("regular");
        let spin = |i: usize| sim.spin(body_id(i)).expect("spins").x;
        assert!((spin(0) + spin(1) - 2.0 * spin(2)).abs() < 1e-10);
        assert!((spin(0) - 2.0 - (torques[0] + lambda) / moments[0]).abs() < 1e-9, "{}", spin(0));
    }
}

/// The doctor has instruments of his own: the same findings whatever solver is in use, above the size that is written out too, and the solver goes
/// on as before.
#[test]
fn the_solver_in_use_does_not_matter() {
    let case = holonom_cases::loop_case("r250").expect("a known case");
    let mut sim = Simulation::build(case.builder()).expect("valid");
    let expected = sim.diagnose().expect("regular");
    assert_eq!((expected.surplus(), expected.clusters[0].exact), (3, false), "1250 rows, three of them too many");
    for name in ["huge-pivot", "auxiliary"] {
        sim.set_solver(SolverKind::from_name(name).expect("known")).expect("it applies");
        let before = sim.accelerations().expect("regular");
        let found = sim.diagnose().expect("regular");
        assert_eq!(
            (found.rank, found.mobility, found.stuck),
            (expected.rank, expected.mobility, expected.stuck),
            "{name}"
        );
        assert_eq!(found.not_unique, expected.not_unique, "{name}");
        assert_eq!(sim.accelerations().expect("regular"), before, "{name}");
    }
}

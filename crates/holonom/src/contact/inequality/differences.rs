//! Rows of every kind of touch against differences: two roads to the same numbers.
//!
//! Candidates are made by hand, with random features of random bodies in random motion, so that every kind of touch is
//! met whatever detection finds.

use super::gather;
use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::{BodyId, Marker};
use crate::catalogue::bodies::{Particle, Planar, Rigid};
use crate::contact::inequality::workspace::Workspace;
use crate::evaluate;
use crate::math::{Mat3, Quat, SplitMix, Vec3, exp_quat, vec3};
use crate::model::Model;
use crate::model::shapes::Material;
use crate::model::state::State;
use crate::solve::SolverKind;
use holonom_collide::CollisionShape as Shape;
use holonom_collide::{Candidate, FeaturePair, RigidTransform};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ground,
    Particle,
    Planar,
    Rigid,
}

const KINDS: [Kind; 4] = [Kind::Ground, Kind::Particle, Kind::Planar, Kind::Rigid];
const TOUCHES: [&str; 6] = ["point-plane", "point-point", "point-line", "line-line", "rim-plane", "ellipsoid-plane"];

fn turn(g: &mut SplitMix) -> Mat3 {
    Mat3::from_quat(exp_quat(g.vec3(3.0)))
}

fn body(m: &mut ModelBuilder, name: &str, kind: Kind, at: Vec3, g: &mut SplitMix) -> BodyId {
    let r = turn(g);
    match kind {
        Kind::Ground => BodyId::GROUND,
        Kind::Particle => m.body(name, Particle::new(0.5 + g.unit(), at).velocity(g.vec3(1.0))),
        Kind::Planar => m.body(
            name,
            Planar::new(0.5 + g.unit(), 0.1 + g.unit())
                .plane(at, r.x_axis, r.y_axis)
                .centre(g.symmetric(0.3), g.symmetric(0.3))
                .pose(g.symmetric(0.5), g.symmetric(0.5), g.symmetric(3.0))
                .velocity(g.symmetric(1.0), g.symmetric(1.0), g.symmetric(2.0)),
        ),
        Kind::Rigid => {
            let arms = vec3(0.2 + g.unit(), 0.2 + g.unit(), 0.2 + g.unit());
            let inertia = Mat3::from_diagonal(vec3(arms.y + arms.z, arms.x + arms.z, arms.x + arms.y));
            m.body(
                name,
                Rigid::new(0.5 + g.unit(), inertia)
                    .centre(g.vec3(0.3))
                    .position(at)
                    .orientation(Quat::from_mat3(&r))
                    .velocity(g.vec3(1.0))
                    .spin(g.vec3(2.0)),
            )
        }
    }
}

/// Two bodies with a shape each (what the shapes are does not matter), resistance of every kind between them.
fn pair(a: Kind, b: Kind, g: &mut SplitMix) -> Arc<Model> {
    let mut m = ModelBuilder::new();
    let ends = [("a", a, g.vec3(0.5)), ("b", b, g.vec3(0.5) + vec3(0.0, 0.0, 2.0))];
    let ends = ends.map(|(name, kind, at)| body(&mut m, name, kind, at, g));
    for end in ends {
        m.shape(
            Marker { body: end, ..BodyId::GROUND.origin() },
            Shape::Point,
            Material::new(0.5).rolling(0.1).torsional(0.2),
        );
    }
    Arc::new(m.build().expect("two bodies"))
}

/// A touch of this kind with random features, where the bodies can carry them.
fn touch(what: &str, a: Kind, b: Kind, g: &mut SplitMix) -> Option<FeaturePair> {
    let turns = |k: Kind| k != Kind::Particle;
    let point = |k: Kind, g: &mut SplitMix| if turns(k) { g.vec3(0.6) } else { Vec3::ZERO };
    let direction = |g: &mut SplitMix| turn(g) * Vec3::X;
    let (p, o) = (point(a, g), point(b, g));
    match what {
        "point-plane" if turns(b) => Some(FeaturePair::PointPlane { p, o, n: direction(g) }),
        "point-point" => Some(FeaturePair::PointPoint { p, o }),
        "point-line" if turns(b) => Some(FeaturePair::PointLine { p, o, d: direction(g) }),
        "line-line" if turns(a) && turns(b) => {
            Some(FeaturePair::LineLine { p, d: direction(g), o, e: direction(g), outward: direction(g) })
        }
        "rim-plane" if turns(a) && turns(b) => {
            Some(FeaturePair::RimPlane { c: p, axis: direction(g), rim: 0.1 + g.unit(), o, n: direction(g) })
        }
        "ellipsoid-plane" if turns(a) && turns(b) => {
            let (x, z) = (direction(g), direction(g));
            let y = z.cross(x).normalize();
            let half = [x, y, x.cross(y)].map(|h| h * (0.1 + g.unit()));
            Some(FeaturePair::EllipsoidPlane { c: p, half, o, n: direction(g) })
        }
        _ => None,
    }
}

/// Gap, rate, c per row, and velocity and spin over the other body, world axes.
struct Seen {
    gap: f64,
    rate: Vec<f64>,
    c: Vec<f64>,
    tangents: [Vec3; 2],
    normal: Vec3,
    point: Vec3,
    slip: Vec3,
    spin: Vec3,
}

fn see(model: &Model, q: &[f64], v: &[f64], work: &mut Workspace) -> Seen {
    evaluate::place_bodies(model, q, v, &mut work.eval);
    gather::gather(model, q, v, 0.0, work);
    let s = &work.contact.rows;
    let (t, n) = (s.touches[0].tangents, s.touches[0].now.n);
    assert_eq!(s.len(), 6, "normal, two of slip, one of turning, two of rolling");
    let r = &s.rate;
    Seen {
        gap: s.gap[0],
        rate: r.clone(),
        c: s.c.clone(),
        tangents: t,
        normal: n,
        point: s.touches[0].now.point,
        slip: n * r[0] + t[0] * r[1] + t[1] * r[2],
        spin: n * r[3] + t[0] * r[4] + t[1] * r[5],
    }
}

fn moved(model: &Model, state: &State, h: f64) -> Vec<f64> {
    let mut q = state.q.clone();
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, &mut q), model.v_of(i, &state.v), h);
    }
    q
}

fn pose(model: &Arc<Model>, shape: usize) -> RigidTransform {
    let sim = crate::Simulation::new(model.clone());
    let body = model.shapes.all[shape].body;
    let rotation = sim.axes(body).unwrap_or(Mat3::IDENTITY);
    RigidTransform { position: sim.point(body.origin()).0, rotation }
}

/// Run on every touch between all kinds of bodies that carry it.
fn every_touch(seed: u64, mut test: impl FnMut(&str, &Arc<Model>, &mut Workspace, &Candidate)) {
    let mut g = SplitMix(seed);
    for (what, a, b) in TOUCHES.iter().flat_map(|t| KINDS.map(|a| KINDS.map(|b| (t, a, b))).concat()) {
        if a == Kind::Ground && b == Kind::Ground {
            continue;
        }
        for _ in 0..12 {
            let model = pair(a, b, &mut g);
            let Some(touch) = touch(what, a, b, &mut g) else { break };
            let radius_a = 0.2 * g.unit();
            let radius = radius_a + 0.2 * g.unit();
            let candidate = Candidate { a: 0, b: 1, key: 0, features: touch, radius, radius_a };
            let mut work = Workspace::new(&model, SolverKind::Tree);
            work.contact.detection.candidates.push(candidate);
            test(&format!("{what} between {a:?} and {b:?}"), &model, &mut work, &candidate);
        }
    }
}

#[test]
fn rows_of_touches_are_derivatives_of_gaps() {
    let (mut worst, mut count) = ([0.0f64; 5], 0);
    every_touch(1, |what, model, work, candidate| {
        let state = model.initial_state();
        let now = see(model, &state.q, &state.v, work);
        // detection's own idea of the same touch
        let other = holonom_collide::gap(candidate, &pose(model, 0), &pose(model, 1));
        let apart =
            (other.gap - now.gap).abs() + (other.normal - now.normal).length() + (other.point - now.point).length();
        assert!(apart < 1e-12, "{what}: detection says {other:?}, {apart:e} off");
        // lines that are nearly parallel and points that nearly meet turn their normal too fast for differences
        let fast = work.contact.rows.touches[0].now;
        if fast.n_rate.length() + fast.point_rate.length() > 20.0 {
            return;
        }
        for row in 0..6 {
            let jv = work.contact.rows.product(row, &state.v);
            let off = (jv - now.rate[row]).abs();
            worst[0] = worst[0].max(off);
            assert!(off < 1e-12, "{what}, row {row}: G v = {jv}, rate {}", now.rate[row]);
        }
        const H: f64 = 1e-5;
        let ahead = see(model, &moved(model, state, H), &state.v, work);
        let behind = see(model, &moved(model, state, -H), &state.v, work);
        let mut note = |k: usize, found: f64, said: f64, size: f64, part: &str| {
            let off = (found - said).abs() / (1.0 + size);
            worst[k] = worst[k].max(off);
            assert!(off < 1e-7, "{what}, {part}: differences give {found}, said {said}, off by {off:e}");
        };
        let size = 1.0 + fast.n_rate.length_squared() + fast.point_rate.length_squared();
        note(1, (ahead.gap - behind.gap) / (2.0 * H), now.rate[0], size, "rate of the gap");
        note(2, (ahead.rate[0] - behind.rate[0]) / (2.0 * H), now.c[0], size, "c of the normal row");
        let u = (ahead.slip - behind.slip) / (2.0 * H);
        note(3, now.tangents[0].dot(u), now.c[1], size, "c of the first slip row");
        note(3, now.tangents[1].dot(u), now.c[2], size, "c of the second slip row");
        let w = (ahead.spin - behind.spin) / (2.0 * H);
        note(4, now.normal.dot(w), now.c[3], size, "c of the turning row");
        note(4, now.tangents[0].dot(w), now.c[4], size, "c of the first rolling row");
        note(4, now.tangents[1].dot(w), now.c[5], size, "c of the second rolling row");
        count += 1;
    });
    assert!(count > 400, "only {count} touches were checked; worst (G v, rate, c normal, c slip, c spin): {worst:?}");
}

/// Action is reaction: the pushes of every row on two free rigid bodies have neither a resultant nor a moment.
#[test]
fn pushes_of_touches_balance() {
    let mut count = 0;
    every_touch(2, |what, model, work, _| {
        let rigid = |k: usize| model.bodies.get(k).is_some_and(|b| b.n_dof() == 6);
        if !(rigid(0) && rigid(1)) {
            return;
        }
        let state = model.initial_state();
        see(model, &state.q, &state.v, work);
        for row in 0..6 {
            let mut push = vec![0.0; 12];
            work.contact.rows.push(row, 1.0, &mut push);
            let three = |k: usize| vec3(push[k], push[k + 1], push[k + 2]);
            let force = three(0) + three(6);
            let centre = |k: usize| model.bodies[k].centre(model.q_of(k, &state.q));
            let moment = three(3) + three(9) + centre(0).cross(three(0)) + centre(1).cross(three(6));
            assert!(force.length() + moment.length() < 1e-13, "{what}, row {row}: {force} {moment}");
        }
        count += 1;
    });
    assert_eq!(count, 12 * TOUCHES.len());
}

//! Patterns of J, H, A and L against the matrices themselves, written out densely.

#[path = "common/closed.rs"]
mod closed;
mod common;

use closed::{Closed, closed};
use common::for_mechanisms;
use common::grow::Wish;
use holonom::PivotForm;
use holonom::attach::View;
use holonom::check::{Equations, equations};
use holonom::joints::{Constraint, Rows};
use holonom::pattern::{Matrix, Part, Pattern};
use holonom::prelude::*;
use std::collections::BTreeSet;

/// The entries of a pattern as a set.
fn places(p: &Pattern) -> BTreeSet<(usize, usize)> {
    let set: BTreeSet<_> = p.entries.iter().map(|e| (e.row as usize, e.column as usize)).collect();
    assert_eq!(set.len(), p.entries.len(), "an entry is listed twice");
    assert!(set.iter().all(|&(r, c)| r < p.n_rows && c < p.n_columns));
    set
}

/// Parts must cover everything, in order, without holes.
fn covers(parts: &[Part], n: usize) {
    let mut end = 0;
    for part in parts {
        assert_eq!(part.range.start, end, "{part:?}");
        end = part.range.end;
    }
    assert_eq!(end, n);
}

/// H as a square of numbers in the order of the pattern.
fn dense(model: &Model, e: &Equations, order: &[Part]) -> (usize, Vec<f64>) {
    let n_v = model.n_v();
    let place: Vec<usize> = order
        .iter()
        .flat_map(|part| match (model.body(&part.name), model.joint(&part.name)) {
            (Some(body), None) => model.v_range(body),
            (None, Some(joint)) => model.rows_of(joint).start + n_v..model.rows_of(joint).end + n_v,
            other => panic!("{part:?} is {other:?}"),
        })
        .collect();
    let n = place.len();
    let h = |a: usize, b: usize| match (a < n_v, b < n_v) {
        (true, true) => e.mass[a * n_v + b],
        (true, false) => -e.jacobian[(b - n_v) * n_v + a],
        (false, true) => -e.jacobian[(a - n_v) * n_v + b],
        (false, false) => 0.0,
    };
    (n, place.iter().flat_map(|&a| place.iter().map(move |&b| h(a, b))).collect())
}

/// L of an LDL^T without exchanges.
fn factor(n: usize, mut h: Vec<f64>) -> Vec<f64> {
    let mut l = vec![0.0; n * n];
    for k in 0..n {
        let pivot = h[k * n + k];
        assert!(pivot != 0.0, "pivot {k}");
        l[k * n + k] = 1.0;
        for i in k + 1..n {
            l[i * n + k] = h[i * n + k] / pivot;
        }
        for i in k + 1..n {
            if l[i * n + k] != 0.0 {
                for j in k + 1..n {
                    h[i * n + j] -= l[i * n + k] * h[k * n + j];
                }
            }
        }
    }
    l
}

fn check(model: &Model) {
    let state = model.initial_state();
    let e = equations(model, state);
    let [j, h, a, l] = Matrix::ALL.map(|m| model.pattern(m).expect("small"));
    covers(&j.rows, model.n_rows());
    covers(&j.columns, model.n_v());
    covers(&a.rows, model.n_rows());
    covers(&h.rows, h.n_rows);
    assert_eq!((&h.rows, &h.columns, &h.rows), (&l.rows, &l.columns, &h.columns));
    // J: what is not zero is there, and at the state nothing else is
    let numbers = |n: usize, x: &[f64]| -> BTreeSet<_> {
        x.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(k, _)| (k / n, k % n)).collect()
    };
    let n_v = model.n_v();
    let at_state = numbers(n_v, &e.jacobian);
    assert!(at_state.is_subset(&places(&j)));
    assert_eq!(places(&model.pattern_at(Matrix::J, state).expect("small")), at_state);
    // H
    let (n, values) = dense(model, &e, &h.rows);
    let at_state = numbers(n, &values);
    assert!(at_state.is_subset(&places(&h)));
    assert_eq!(places(&model.pattern_at(Matrix::H, state).expect("small")), at_state);
    // A: joints that share a body, no others
    let row = |i: usize| &e.jacobian[i * n_v..(i + 1) * n_v];
    let a_places = places(&a);
    for (r, c) in (0..model.n_rows()).flat_map(|r| (0..model.n_rows()).map(move |c| (r, c))) {
        let meet = model.bodies().any(|b| {
            let touches = |i: usize| model.v_range(b).any(|k| row(i)[k] != 0.0);
            touches(r) && touches(c)
        });
        assert!(!meet || a_places.contains(&(r, c)), "A({r}, {c})");
        assert_eq!(a_places.contains(&(r, c)), a_places.contains(&(c, r)));
    }
    // L: everything an elimination makes; what is not fill is the lower triangle of H, with full blocks on the diagonal
    let l_places = places(&l);
    let made = numbers(n, &factor(n, values));
    assert!(made.is_subset(&l_places), "{:?}", made.difference(&l_places).collect::<Vec<_>>());
    let part_of = |i: usize| h.rows.iter().position(|p| p.range.contains(&i)).expect("inside");
    let mut lower: BTreeSet<_> = places(&h).into_iter().filter(|(r, c)| c <= r).collect();
    for p in &h.rows {
        lower.extend(p.range.clone().flat_map(|r| (p.range.start..=r).map(move |c| (r, c))));
    }
    let given: BTreeSet<_> =
        l.entries.iter().filter(|e| !e.fill).map(|e| (e.row as usize, e.column as usize)).collect();
    assert_eq!(given, lower);
    for e in l.entries.iter().filter(|e| e.fill) {
        assert_ne!(part_of(e.row as usize), part_of(e.column as usize));
    }
    let deferred = model.joints().any(|id| model.pivot_form(id) == PivotForm::Deferred);
    if !model.has_loops() && !deferred {
        assert_eq!(l_places, lower, "a forest has no fill");
    }
}

#[test]
fn random_forests() {
    for_mechanisms("patterns of forests", 0.2, Wish::ANY, |spec, _| {
        if let Ok(model) = spec.build() {
            check(&model);
        }
        Ok(())
    });
}

#[test]
fn random_loops_make_fill() {
    let wish = Closed { most: 7, rigid: false, closing: 3, full_rank: true };
    let mut with_fill = 0;
    for number in 0..60 {
        let model = closed(number, wish).build().expect("built before");
        check(&model);
        with_fill += (model.pattern(Matrix::L).expect("small").n_fill() > 0) as usize;
    }
    assert!(with_fill > 20, "{with_fill}");
}

#[test]
fn a_chain_has_none_and_a_ring_has_some() {
    let ball =
        |m: &mut ModelBuilder, k: usize, a: Marker, b: Marker| m.joint(format!("ball {k}"), Spherical::new(a, b));
    let build = |n: usize, ring: bool| {
        let mut m = ModelBuilder::new();
        let mut last = BodyId::GROUND.origin();
        for i in 0..n {
            let (s, c) = libm::sincos(0.3 * i as f64);
            let at = m.body(format!("link {i}"), Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([i as f64, s, c]));
            let (here, there) = (at.at([-0.4, 0.0, 0.0]), at.at([0.4, 0.0, 0.0]));
            ball(&mut m, i, last, here);
            last = there;
        }
        if ring {
            m.joint("tie", Distance::new(BodyId::GROUND.at([n as f64, 2.0, 0.0]), last, 4.0));
        }
        m.build().expect("a chain")
    };
    let chain = build(12, false);
    check(&chain);
    let l = chain.pattern(Matrix::L).expect("small");
    assert_eq!((l.n_rows, l.n_fill()), (12 * 9, 0));
    let a = chain.pattern(Matrix::A).expect("small");
    assert_eq!(a.entries.len(), 9 * (12 + 2 * 11), "neighbours share a body");
    let ring = build(12, true);
    check(&ring);
    assert!(ring.pattern(Matrix::L).expect("small").n_fill() > 0);
}

/// Two points at one height, by a force between one of them and a third.
struct Pushed {
    on: [Attachment; 3],
}

impl Constraint for Pushed {
    fn kind(&self) -> &'static str {
        "pushed"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn own_force_direction(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, _: f64, out: &mut Rows) {
        out.row(0).gap = a.at(1).z - a.at(0).z;
        out.gradient(0, 0, -Vec3::Z);
        out.gradient(0, 1, Vec3::Z);
        out.force(0, 1, Vec3::Z);
        out.force(0, 2, -Vec3::Z);
    }
}

#[test]
fn rows_with_force_directions_of_their_own_are_in_j_and_a_only() {
    let mut m = ModelBuilder::new();
    let bodies: Vec<BodyId> =
        (0..3).map(|i| m.body(format!("p{i}"), Particle::new(1.0, [i as f64, 0.0, 0.0]))).collect();
    m.joint("rod", Distance::new(bodies[0].origin(), bodies[1].origin(), 1.0));
    let on = [0, 1, 2].map(|i| bodies[i].origin().p());
    m.joint("pushed", Pushed { on });
    m.joint("last", Distance::new(bodies[1].origin(), bodies[2].origin(), 1.0));
    let model = m.build().expect("three particles");
    let [j, h, a, _] = Matrix::ALL.map(|m| model.pattern(m).expect("small"));
    assert_eq!(j.rows.last().map(|p| p.name.as_str()), Some("pushed"));
    assert_eq!((j.n_rows, h.n_rows, a.n_rows), (3, 9 + 2, 3));
    check(&model);
}

#[test]
fn a_pattern_nobody_can_look_at_is_refused() {
    let mut m = ModelBuilder::new();
    let hub = m.body("hub", Particle::new(1.0, [0.0, 0.0, 0.0]));
    for i in 0..7000 {
        let (s, c) = libm::sincos(i as f64);
        let leaf = m.body(format!("leaf {i}"), Particle::new(1.0, [s, c, 0.0]));
        m.joint(format!("rod {i}"), Distance::new(hub.origin(), leaf.origin(), 1.0));
    }
    let model = m.build().expect("a star");
    let refused = model.pattern(Matrix::A).expect_err("49 million entries");
    assert_eq!(refused.entries, 7000 * 7000 + 7000);
    assert!(refused.to_string().contains("at most 20000000"), "{refused}");
    assert!(model.pattern(Matrix::L).is_ok());
}

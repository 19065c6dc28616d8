//! The stages of a build, each by itself.

use crate::BodyId;
use crate::build::builder::ModelBuilder;
use crate::build::check::Checked;
use crate::build::index::Indexed;
use crate::build::plan::Planned;
use crate::build::settle::Settled;
use crate::build::start;
use crate::error::ModelError;
use crate::math::Vec3;
use crate::model::{Form, Start};
use crate::prelude::{Planar, Revolute, Rigid, Screw};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Links of 1 m along x, one behind the other, each turning about y at its near end; the first is pinned to the ground.
fn chain(m: &mut ModelBuilder, name: &str, n: usize, gap: f64) -> Vec<BodyId> {
    let mut links: Vec<BodyId> = Vec::new();
    for i in 0..n {
        let place = [i as f64 + 0.5 + gap * i as f64, 0.0, 0.0];
        let link = m.body(format!("{name}{i}"), Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position(place));
        let near = links.last().map_or(BodyId::GROUND.origin(), |last| last.at([0.5, 0.0, 0.0]));
        m.joint(format!("{name}{i}"), Revolute::new(near.along(Vec3::Y), link.at([-0.5, 0.0, 0.0]).along(Vec3::Y)));
        links.push(link);
    }
    links
}

fn indexed(m: ModelBuilder) -> Indexed {
    Indexed::new(Settled::new(Checked::new(m).unwrap()).unwrap())
}

#[test]
fn checked_refuses_what_cannot_be_told_apart() {
    let mut m = ModelBuilder::new();
    chain(&mut m, "a", 1, 0.0);
    chain(&mut m, "a", 1, 0.0);
    assert!(matches!(Checked::new(m), Err(ModelError::DuplicateName { what: "bodies", .. })));
}

#[test]
fn checked_starts_where_the_bodies_say() {
    let mut m = ModelBuilder::new();
    chain(&mut m, "a", 2, 0.0);
    let checked = Checked::new(m).unwrap();
    assert_eq!((&checked.q_start[..], &checked.v_start[..]), (&[0, 7, 14][..], &[0, 6, 12][..]));
    assert_eq!((checked.start.q[0], checked.start.q[7]), (0.5, 1.5));
    assert_eq!(checked.frames(&checked.start.q, &checked.start.v).len(), 3);
}

/// A nut on a screw of 0.1 m lead, 0.3 m along it.
fn nut() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let nut = m.body("nut", Rigid::cuboid(1.0, [0.1, 0.1, 0.1]).position([0.0, 0.0, 0.3]));
    m.joint("thread", Screw::new(BodyId::GROUND.origin(), nut.origin(), 0.1));
    m
}

#[test]
fn settled_takes_the_phase_of_a_screw_from_the_start() {
    for turns in [0, 2] {
        let by_name = BTreeMap::from([("thread".to_string(), vec![turns])]);
        let start = Some(Start { turns: by_name, ..Checked::new(nut()).unwrap().start });
        let settled = Settled::new(Checked::new(ModelBuilder { start, ..nut() }).unwrap()).unwrap();
        assert_eq!(settled.given.state.turns, [turns]);
        assert!((settled.given.angles.known[0].0 - TAU * turns as f64).abs() < 1e-12);
        let constraint = &settled.checked.parts.joints[0].0;
        let frames = settled.checked.frames(&settled.given.state.q, &settled.given.state.v);
        let bodies = &settled.checked.at(&frames, &settled.given.state.q, &settled.given.state.v);
        let view = settled.given.angles.view(bodies, constraint.attachments(), settled.turns.slots_of(0), 0.0);
        assert!(constraint.settled(&view).is_none(), "nothing is left open");
    }
}

#[test]
fn indexed_numbers_islands_and_rows() {
    let mut m = ModelBuilder::new();
    chain(&mut m, "a", 2, 0.0);
    chain(&mut m, "b", 1, 0.0);
    let Indexed { layout, structure, .. } = indexed(m);
    assert_eq!((layout.n_islands, &layout.island[..]), (2, &[0, 0, 1][..]));
    assert_eq!(
        layout.joints.iter().map(|j| (j.row, j.n_rows, j.island)).collect::<Vec<_>>(),
        [(0, 5, 0), (5, 5, 0), (10, 5, 1)]
    );
    assert_eq!((layout.n_rows, structure.n_nodes()), (15, 6));
    assert!(layout.joints.iter().all(|j| matches!(j.form, Form::Lock { .. })));
    // the first link starts 0.5 m from the second; every lever is half a link
    assert_eq!((layout.island_length[0], layout.island_lever[0]), (1.0, 0.5));
}

#[test]
fn indexed_drops_rows_that_vanish_in_every_pose() {
    let mut m = ModelBuilder::new();
    let disc = m.body("disc", Planar::new(1.0, 0.1));
    m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(Vec3::Z), disc.at([0.5, 0.0, 0.0]).along(Vec3::Z)));
    let joint = &indexed(m).layout.joints[0];
    assert_eq!((joint.constraint.n_rows(), joint.n_rows, joint.kept), (5, 2, 0b00011));
}

#[test]
fn planned_knows_its_loops() {
    let open = {
        let mut m = ModelBuilder::new();
        chain(&mut m, "a", 3, 0.0);
        Planned::new(indexed(m)).unwrap()
    };
    assert!(!open.model.has_loops());
    assert_eq!(open.model.looped_islands, [false]);
    let mut m = ModelBuilder::new();
    let links = chain(&mut m, "a", 3, 0.0);
    let end = BodyId::GROUND.at([3.0, 0.0, 0.0]).along(Vec3::Y);
    m.joint("closing", Revolute::new(end, links[2].at([0.5, 0.0, 0.0]).along(Vec3::Y)));
    let closed = Planned::new(indexed(m)).unwrap();
    assert!(closed.model.has_loops());
    assert_eq!(closed.model.looped_islands, [true]);
    // spatial joints about parallel axes: three rows say what others have said
    assert!(closed.model.regularisation.softness.is_empty(), "loops are looked at once the pose is closed");
}

#[test]
fn a_model_starts_closed_with_an_empty_ledger() {
    let mut m = ModelBuilder::new();
    chain(&mut m, "a", 3, 0.3);
    let planned = Planned::new(indexed(m)).unwrap();
    let given = planned.model.initial.clone();
    assert!(given.work.is_empty());
    let model = start::start(planned).unwrap();
    assert_eq!(model.initial.work, vec![0.0; model.n_works() + 2]);
    assert_ne!(model.initial.q, given.q);
    let ends: Vec<f64> = (0..3).map(|i| model.q_of(i, &model.initial.q)[0]).collect();
    assert!((ends[1] - ends[0] - 1.0).abs() < 1e-9 && (ends[2] - ends[1] - 1.0).abs() < 1e-9, "{ends:?}");
}

#[test]
fn general_rows_close_what_locks_do() {
    let mut m = ModelBuilder::new();
    chain(&mut m, "a", 3, 0.3);
    let planned = Planned::new(indexed(m)).unwrap();
    let (q, _) = start::assembled_by_general_rows(&planned.model, planned.assembly).unwrap();
    let model = start::start(planned).unwrap();
    let apart = q.iter().zip(&model.initial.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart}");
}

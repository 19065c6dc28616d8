mod common;
use common::grow::*;
use common::dense::*;
use common::spec::*;
use holonom::prelude::*;
#[test]
fn roles() {
    let steps = [
        Step { kind: Kind::Rigid, link: Link::Free, joint: 0, reversed: false },
        Step { kind: Kind::Planar, link: Link::Body(160), joint: 0, reversed: false },
        Step { kind: Kind::Planar, link: Link::Body(165), joint: 6, reversed: false },
    ];
    let g = grow(&steps, 13482818173575768079, Wish::ANY);
    for turned in [false, true] {
        let mut spec = g.spec.clone();
        if turned { for j in &mut spec.joints { *j = j.turned().unwrap(); } }
        let model = spec.build().unwrap();
        let d = Dense::at(&model, model.initial_state());
        for j in model.joints() { println!("{:?} {:?}", spec.joints[j.index()].name(), model.rows_of(j)); }
        println!("rcond {} rows {} gap {:?}", d.rcond(), d.m, d.e.gap);
        for i in 0..d.m { println!("{:.3?}", d.row(i)); }
        for i in 0..3 { println!("{:?} plane {:?} {:?}", spec.bodies[i].kind, spec.bodies[i].plane(), spec.joints.get(i).map(|j| (j.a.axes, j.b.axes))); }
    }
}
#[test]
fn power() {
    let steps = [
        Step { kind: Kind::Planar, link: Link::Body(160), joint: 0, reversed: false },
        Step { kind: Kind::Rigid, link: Link::Ground, joint: 1, reversed: false },
        Step { kind: Kind::Planar, link: Link::Body(450), joint: 0, reversed: false },
    ];
    let g = grow(&steps, 13751255064716222385, Wish::ANY);
        let spec = g.spec.clone();
        let mut sim = spec.simulation();
        let model = sim.model().clone();
        let d = Dense::at(&model, model.initial_state());
        for j in model.joints() { println!("{:?} {:?}", spec.joints[j.index()].name(), model.rows_of(j)); }
        println!("rcond {} rows {} gap {:?} {:?}", d.rcond(), d.m, d.e.gap, d.e.gap_rate);
        println!("v {:?} l {:?}", sim.state().v.clone(), sim.multipliers());
}

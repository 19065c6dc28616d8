mod common;
use common::slopes;
use common::top::Top;
use holonom::prelude::*;
fn top() -> Top {
    Top { moments: vec3(1.0, 2.0, 2.5), a: 1.0, c: 1.2 }
}
fn run(kind: IntegratorKind, h: f64, n: usize, joint: bool) -> f64 {
    let top = top();
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let r = top.axes(0.0);
    let b = m.body("top", Rigid::principal(1.0, top.moments).orientation(Quat::from_mat3(&r)).spin(r * top.spin(0.0)));
    let mut s = Simulation::build(m).unwrap();
    s.set_integrator(kind);
    if joint {
        s.set_coordinates(Coordinates::Joint).unwrap();
    }
    for _ in 0..n {
        s.step(h).unwrap();
    }
    let t = s.time();
    let e = s.axes(b).unwrap() - top.axes(t);
    let we = s.spin(b).unwrap() - top.axes(t) * top.spin(t);
    e.to_cols_array().iter().fold(0.0, |a: f64, b| a.max(b.abs())).max(we.length())
}
#[test]
fn tops() {
    println!("{:e}", run(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 }, 1e-3, 4000, false));
    for (k, hs) in [
        ("euler", [1e-2, 5e-3, 2.5e-3, 1.25e-3]),
        ("rk4", [0.1, 0.05, 0.025, 0.0125]),
        ("rattle", [0.1, 0.05, 0.025, 0.0125]),
        ("dop853", [0.8, 0.4, 0.2, 0.1]),
    ] {
        for joint in [false, true] {
            if joint && (k == "euler" || k == "rattle") {
                continue;
            }
            let e: Vec<f64> = hs
                .iter()
                .map(|h| run(IntegratorKind::from_name(k).unwrap(), *h, (4.0 / h).round() as usize, joint))
                .collect();
            println!("{k} {joint} {e:?} {:?}", slopes(&e));
        }
    }
}
fn double() -> (ModelBuilder, BodyId, BodyId) {
    let mut m = ModelBuilder::new();
    let a = m.body("a", Rigid::cuboid(1.0, [1.0, 0.3, 0.1]).position([0.5, 0.0, 0.0]).spin([0.3, 0.5, 0.0]));
    let b = m.body("b", Rigid::cuboid(0.7, [0.8, 0.2, 0.3]).position([1.4, 0.0, 0.0]).spin([1.0, 0.4, 2.0]));
    let axis = [0.1, 1.0, 0.2];
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), a.at([-0.5, 0.0, 0.0]).along(axis)));
    m.joint("ball", Spherical::new(a.at([0.5, 0.0, 0.1]), b.at([-0.4, 0.0, 0.1])));
    (m, a, b)
}
fn run2(kind: IntegratorKind, h: f64, t: f64, joint: bool) -> (f64, Vec<f64>) {
    let mut s = Simulation::build(double().0).unwrap();
    s.set_integrator(kind);
    if joint {
        s.set_coordinates(Coordinates::Joint).unwrap();
    }
    let e0 = s.energy().total();
    let mut worst: f64 = 0.0;
    for _ in 0..(t / h).round() as usize {
        s.step(h).unwrap();
        worst = worst.max((s.energy().total() - e0).abs());
    }
    let mut x = s.state().q.clone();
    x.extend(&s.state().v);
    (worst, x)
}
#[test]
fn pend() {
    let r = run2(IntegratorKind::from_name("dop853").unwrap(), 1e-3, 1.0, false);
    println!("{:e}", r.0);
    for (k, hs) in [
        ("euler", [1e-2, 5e-3, 2.5e-3, 1.25e-3]),
        ("rk4", [0.02, 0.01, 0.005, 0.0025]),
        ("rattle", [0.02, 0.01, 0.005, 0.0025]),
        ("dop853", [0.2, 0.1, 0.05, 0.025]),
    ] {
        for joint in [false, true] {
            if joint && (k == "euler" || k == "rattle") {
                continue;
            }
            let e: Vec<(f64, f64)> = hs
                .iter()
                .map(|h| {
                    let x = run2(IntegratorKind::from_name(k).unwrap(), *h, 1.0, joint);
                    (x.0, common::gap(&x.1, &r.1))
                })
                .collect();
            let en: Vec<f64> = e.iter().map(|x| x.0).collect();
            let er: Vec<f64> = e.iter().map(|x| x.1).collect();
            println!("{k} {joint} {en:?} {:?} \n {er:?} {:?}", slopes(&en), slopes(&er));
        }
    }
}
fn pose(s: &Simulation, a: BodyId, b: BodyId) -> Vec<f64> {
    let mut x = s.state().v.clone();
    for k in [a, b] {
        x.extend(s.centre(k).to_array());
        x.extend(s.axes(k).unwrap().to_cols_array());
    }
    x
}
fn run3(kind: IntegratorKind, h: f64, t: f64, joint: bool) -> (f64, Vec<f64>) {
    let (m, a, b) = double();
    let mut s = Simulation::build(m).unwrap();
    s.set_integrator(kind);
    if joint {
        s.set_coordinates(Coordinates::Joint).unwrap();
    }
    let e0 = s.energy().total();
    let mut worst: f64 = 0.0;
    for _ in 0..(t / h).round() as usize {
        s.step(h).unwrap();
        worst = worst.max((s.energy().total() - e0).abs());
    }
    (worst, pose(&s, a, b))
}
#[test]
fn pend3() {
    for t in [0.4, 0.8, 1.6] {
        let r = run3(IntegratorKind::from_name("dop853").unwrap(), 5e-4, t, false);
        for (k, hs) in [("dop853", [0.08, 0.04, 0.02, 0.01, 0.005]), ("rk4", [0.02, 0.01, 0.005, 0.0025, 0.00125])] {
            for joint in [false, true] {
                let e: Vec<(f64, f64)> = hs
                    .iter()
                    .map(|h| {
                        let x = run3(IntegratorKind::from_name(k).unwrap(), *h, t, joint);
                        (x.0, common::gap(&x.1, &r.1))
                    })
                    .collect();
                let en: Vec<f64> = e.iter().map(|x| x.0).collect();
                let er: Vec<f64> = e.iter().map(|x| x.1).collect();
                println!("{k} {joint} {en:?} {:?} \n {er:?} {:?}", slopes(&en), slopes(&er));
            }
        }
    }
}

//! Ropes on drums and through eyes, screws: against closed forms and what is conserved.

mod common;

use common::Worst;
use holonom::math::SplitMix;
use holonom::prelude::*;
use std::f64::consts::TAU;

const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 };

/// A puck tied to a fixed peg: the rope winds up, the free part l shortens, and with nothing to do work the speed v stays. The end moves across the
/// rope, l l' = - R v, so l² = l_0² - 2 R v t; the rope's angle turns by (l_0 - l) / R.
#[test]
fn a_rope_winds_up_on_a_peg() {
    let (r, v, start) = (0.05, 1.3, 2.0);
    for side in [1.0, -1.0] {
        let mut m = ModelBuilder::new();
        m.gravity([0.0, 0.0, 0.0]);
        // the free part from (0, - side r) along x; the puck is thrown so that it winds the rope up
        let puck = m.body("puck", Particle::new(0.7, [start, -side * r, 0.0]).velocity([0.0, side * v, 0.0]));
        let winch = Winch::new(BodyId::GROUND.origin(), puck.origin(), r);
        let rope = m.joint("rope", if side > 0.0 { winch.other_side() } else { winch });
        let mut sim = Simulation::build(m).expect("a puck on a rope");
        sim.set_integrator(TIGHT);
        let worst = Worst::default();
        for k in 1..=60 {
            let t = 0.5 * k as f64;
            let square = start * start - 2.0 * r * v * t;
            if square < 0.01 {
                break;
            }
            sim.run_until(t).expect("regular");
            let l = sim.coordinate(rope, 0).expect("a length").0;
            worst.demand("free length", (l - square.sqrt()).abs(), 1e-9);
            let (at, rate) = sim.point(puck.origin());
            worst.demand("speed", (rate.length() - v).abs(), 1e-9);
            // the free part touches the peg
            let turned = side * (start - l) / r;
            let along = vec3(libm::cos(turned), libm::sin(turned), 0.0);
            let touch = vec3(-along.y, along.x, 0.0) * (-side * r);
            worst.demand("place", (at - touch - along * l).length(), 1e-8);
            // tension m v² / l, along the rope
            let force = sim.reaction(rope).expect("regular").force;
            worst.demand("tension", (force + along * (0.7 * v * v / l)).length(), 1e-8);
        }
        let turns = (start - sim.coordinate(rope, 0).expect("a length").0) / r / TAU;
        worst.print("winding up");
        println!("winding up: {turns:.1} turns");
        assert!(turns > 5.0, "{turns}");
    }
}

/// A drum that tumbles in space with a weight on its rope: nothing is gained or lost.
#[test]
fn a_drum_in_space_keeps_what_it_has() {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let drum = m.body("drum", Rigid::principal(2.0, [0.05, 0.06, 0.04]).spin([0.3, -0.2, 6.0]));
    let end = m.body("end", Rigid::ball(0.5, 0.1).position([1.0, -0.4, 0.2]).velocity([0.5, 0.4, 0.1]));
    let hook = end.at([0.05, 0.05, 0.0]);
    m.joint("rope", Winch::new(drum.at([0.01, 0.0, 0.0]), hook, 0.08));
    let mut sim = Simulation::build(m).expect("a drum");
    sim.set_integrator(TIGHT);
    let (energy, momentum, worst) = (sim.energy().total(), sim.momentum(), Worst::default());
    for k in 1..=20 {
        sim.run_until(0.1 * k as f64).expect("regular");
        let now = sim.momentum();
        worst.demand("energy", (sim.energy().total() - energy).abs(), 1e-10);
        worst.demand("momentum", (now.linear - momentum.linear).length(), 1e-11);
        worst.demand("angular momentum", (now.angular - momentum.angular).length(), 1e-10);
    }
    worst.print("drum in space");
}

/// Four falls between two blocks: a quarter of the load balances it.
#[test]
fn a_tackle_with_four_falls() {
    let (load_mass, weight_mass, g) = (4.0, 1.25, 9.81);
    let mut m = ModelBuilder::new();
    let load = m.body("load", Particle::new(load_mass, [0.0, 0.0, -2.0]));
    let weight = m.body("weight", Particle::new(weight_mass, [1.0, 0.0, -1.0]));
    let (top, low, out) = (BodyId::GROUND.origin(), load.origin(), BodyId::GROUND.at([1.0, 0.0, 0.0]));
    let rope = m.joint("rope", Reeving::new([top, low, top, low, top, out, weight.origin()]));
    let mut sim = Simulation::build(m).expect("a tackle");
    let up = (4.0 * weight_mass - load_mass) * g / (load_mass + 16.0 * weight_mass);
    let a = sim.accelerations().expect("regular");
    assert!((a[2] - up).abs() < 1e-13 && (a[5] + 4.0 * up).abs() < 1e-13, "{a:?}");
    let tension = load_mass * (g + up) / 4.0;
    assert!((sim.multipliers().expect("regular")[0] + tension).abs() < 1e-13);
    // the reaction is that on the weight, and the load feels four times as much
    assert!((sim.reaction(rope).expect("regular").force - vec3(0.0, 0.0, tension)).length() < 1e-13);
    sim.run_until(0.5).expect("regular");
    assert!((sim.centre(load).z + 2.0 - 0.125 * up).abs() < 1e-12);
    assert!((sim.coordinate(rope, 0).expect("a length").0 - (8.0 + 1.0 + 1.0)).abs() < 1e-12);
}

/// Long ropes are allowed; those of more than sixteen points have no coordinate.
#[test]
fn a_rope_through_many_eyes() {
    let mut m = ModelBuilder::new();
    let beads: Vec<_> =
        (0..30).map(|i| m.body(format!("bead {i}"), Particle::new(0.1, [i as f64 * 0.1, 0.0, 0.0]))).collect();
    let ends = [BodyId::GROUND.at([-0.1, 0.0, 0.0]), BodyId::GROUND.at([3.0, 0.0, 0.0])];
    let points = std::iter::once(ends[0]).chain(beads.iter().map(|b| b.origin())).chain([ends[1]]);
    let rope = m.joint("rope", Reeving::new(points).length(3.3));
    let mut sim = Simulation::build(m).expect("a rope of eyes");
    sim.run_until(0.2).expect("regular");
    assert!(sim.violation().0 < 1e-12, "{:?}", sim.violation());
    assert!(sim.coordinate(rope, 0).is_none());
}

/// A screw between two bodies in space, of either hand: conserved quantities, and the thread kept over many turns.
#[test]
fn a_screw_in_space() {
    let mut g = SplitMix(9);
    for lead in [0.1, -0.03, 0.0] {
        let mut m = ModelBuilder::new();
        m.gravity([0.0, 0.0, 0.0]);
        let bolt = m.body("bolt", Rigid::principal(1.0, [0.02, 0.03, 0.01]).centre(g.vec3(0.05)).spin([0.3, 0.2, 0.0]));
        let nut = m.body("nut", Rigid::principal(0.5, [0.01, 0.01, 0.015]).spin([0.0, 0.0, 30.0]));
        let thread = m.joint("thread", Screw::new(bolt.origin(), nut.origin(), lead));
        let mut sim = Simulation::build(m).expect("a screw");
        sim.set_integrator(TIGHT);
        let (energy, momentum, worst) = (sim.energy().total(), sim.momentum(), Worst::default());
        for k in 1..=20 {
            sim.run_until(0.1 * k as f64).expect("regular");
            let (offset, turn) = (sim.coordinate(thread, 0).expect("two").0, sim.coordinate(thread, 1).expect("two").0);
            worst.demand("thread", (offset - lead / TAU * turn).abs(), 1e-12);
            let now = sim.momentum();
            worst.demand("energy", (sim.energy().total() - energy).abs(), 1e-10);
            worst.demand("momentum", (now.linear - momentum.linear).length(), 1e-11);
            worst.demand("angular momentum", (now.angular - momentum.angular).length(), 1e-10);
        }
        let turns = sim.coordinate(thread, 1).expect("two").0 / TAU;
        worst.print("screw");
        assert!(turns > 3.0, "{turns}");
    }
}

/// Spins about axes that move: one object twice as fast as another, whatever is done to them.
#[test]
fn one_spins_twice_as_fast_as_the_other() {
    let mut m = ModelBuilder::new();
    let a = m.body("a", Rigid::cuboid(1.0, [0.3, 0.2, 0.1]).spin([0.5, 0.1, 1.0]));
    let b = m.body("b", Rigid::cuboid(2.0, [0.1, 0.4, 0.2]).position([1.0, 0.0, 0.0]).spin([-0.4, 0.3, 2.0]));
    m.joint("twice", VelocityRatio::spins(a.origin(), b.origin(), 2.0));
    m.force("torque", Torque::new(a, [0.02, 0.01, 0.03]));
    let mut sim = Simulation::build(m).expect("two bodies");
    let worst = Worst::default();
    for k in 1..=20 {
        sim.run_until(0.1 * k as f64).expect("regular");
        let own = |body: BodyId| {
            let (axes, spin) = (sim.axes(body).expect("rigid"), sim.spin(body).expect("rigid"));
            axes.z_axis.dot(spin)
        };
        worst.demand("ratio", (own(b) - 2.0 * own(a)).abs(), 1e-13);
    }
    worst.print("twice as fast");
}

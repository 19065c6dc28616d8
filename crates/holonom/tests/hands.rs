//! What hands on a running mechanism need of it: forces that come and go, joints that become others, motion in thick honey.

use holonom::prelude::*;

/// A rod of 2 kg on a hinge about y at the origin, swinging, with a motor if asked for.
fn rod(motor: Option<f64>) -> Simulation {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -9.81]);
    let rod = m.body("rod", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let pin =
        m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(Vec3::Y), rod.at([-0.5, 0.0, 0.0]).along(Vec3::Y)));
    if let Some(speed) = motor {
        let coordinate = m.coordinate(pin, 0);
        m.joint("motor", Motor::speed(coordinate, speed));
    }
    Simulation::build(m).expect("it can be built")
}

fn rate(sim: &mut Simulation) -> f64 {
    let pin = sim.model().joint("pin").expect("it is there");
    sim.coordinate(pin, 0).expect("an angle").1
}

#[test]
fn honey_keeps_a_part_of_the_velocity_and_the_joints() {
    let mut sim = rod(None);
    sim.run_until(0.4).expect("it runs");
    let (before, energy) = (rate(&mut sim), sim.energy());
    let imposed = sim.ledger().imposed;
    sim.damp(0.5).expect("it can be damped");
    assert!((rate(&mut sim) - 0.5 * before).abs() < 1e-12 * before.abs());
    assert!((sim.energy().kinetic - 0.25 * energy.kinetic).abs() < 1e-12 * energy.kinetic);
    let (gap, gap_rate) = sim.violation();
    assert!(gap < 1e-14 && gap_rate < 1e-13, "{gap:e} {gap_rate:e}");
    // the loss is in the books
    let lost = sim.ledger().imposed - imposed;
    assert!((lost + 0.75 * energy.kinetic).abs() < 1e-10, "{lost}");
    assert!(sim.ledger().integrator.abs() < 1e-8);
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(sim.damp(wrong).is_err());
    }
}

#[test]
fn honey_does_not_stop_a_drive() {
    let mut sim = rod(Some(3.0));
    sim.run_until(0.2).expect("it runs");
    sim.damp(0.0).expect("it can be damped");
    assert!((rate(&mut sim) - 3.0).abs() < 1e-12);
}

#[test]
fn forces_come_and_go_with_their_work_in_the_books() {
    let mut sim = rod(None);
    let tip = sim.model().body("rod").expect("it is there").at([0.5, 0.0, 0.0]);
    let free = sim.accelerations().expect("solved");
    // holds the rod level: half its weight at twice the arm
    let (id, edited) = sim.add_force("hand", PointForce::new(tip, [0.0, 0.0, 9.81])).expect("added");
    assert_eq!((edited.moved, edited.jump), (0.0, 0.0));
    assert!(sim.accelerations().expect("solved").iter().all(|a| a.abs() < 1e-12));
    sim.run_until(0.5).expect("it runs");
    assert!(rate(&mut sim).abs() < 1e-12);
    sim.remove_force(id).expect("removed");
    let again = sim.accelerations().expect("solved");
    assert!(again.iter().zip(&free).all(|(a, b)| (a - b).abs() < 1e-9));
    // a push that did work leaves it behind as imposed
    let (id, _) = sim.add_force("hand", PointForce::new(tip, [0.0, 0.0, -20.0])).expect("added");
    sim.run_until(0.8).expect("it runs");
    let work = sim.ledger().force(id);
    assert!(work > 1.0, "{work}");
    sim.remove_force(id).expect("removed");
    let books = sim.ledger();
    assert!((books.imposed - work).abs() < 1e-12 * work && books.integrator.abs() < 1e-8, "{books:?}");
    assert!(sim.remove_force(id).is_err(), "it is gone");
}

#[test]
fn a_joint_becomes_another_under_its_name() {
    let mut sim = rod(Some(3.0));
    sim.run_until(0.1).expect("it runs");
    let (pin, motor) = (sim.model().joint("pin").expect("pin"), sim.model().joint("motor").expect("motor"));
    let coordinate = sim.model().coordinate(pin, 0);
    let edited = sim.replace_joint(motor, Motor::speed(coordinate, -1.0)).expect("replaced");
    assert_eq!(sim.model().joint("motor"), Some(motor));
    assert!((rate(&mut sim) + 1.0).abs() < 1e-12);
    assert!(edited.jump > 3.9 && edited.moved < 1e-12, "{edited:?}");
    sim.run_until(0.3).expect("it runs");
    assert!((rate(&mut sim) + 1.0).abs() < 1e-12);
}

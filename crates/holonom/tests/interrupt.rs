//! A step can be given up wherever it is: the state is as it was, and the step taken again has the same bits as if nobody
//! had asked.

use holonom::Interrupt;
use holonom::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A hinge with stops that it runs into, a loop that is closed by a rod, or boxes that lie on each other.
fn mechanism(which: usize) -> Model {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    match which {
        0 => {
            let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
            let pin =
                m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), rod.at([-0.5, 0.0, 0.0]).along(y)));
            let stop = Limit::new(m.coordinate(pin, 0), -0.2, 0.2);
            m.joint("stop", stop);
        }
        1 => {
            let a = m.body("a", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
            let b = m.body("b", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([1.5, 0.0, 0.0]));
            m.joint("A", Revolute::new(BodyId::GROUND.origin().along(y), a.at([-0.5, 0.0, 0.0]).along(y)));
            m.joint("B", Revolute::new(a.at([0.5, 0.0, 0.0]).along(y), b.at([-0.5, 0.0, 0.0]).along(y)));
            m.joint("rod", Distance::new(BodyId::GROUND.at([1.0, 0.0, 1.0]), b.at([0.5, 0.0, 0.0]), 2f64.sqrt()));
        }
        _ => {
            m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.5));
            for k in 0..4 {
                let at = [0.1 * k as f64, 0.0, 0.5 + 1.01 * k as f64];
                let body = m.body(format!("box {k}"), Rigid::cuboid(1.0, [1.0, 1.0, 1.0]).position(at));
                m.shape(body.origin(), Shape::Box { half: vec3(0.5, 0.5, 0.5) }, Material::new(0.5));
            }
        }
    }
    m.build().expect("it can be built")
}

/// Somebody who says stop when asked for the n-th time, and from then on.
fn at(n: u64) -> (Interrupt, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    (Interrupt::when(move || count.fetch_add(1, Ordering::Relaxed) + 1 >= n), asked)
}

/// From 0.3 s on by this integrator, for so many steps.
fn run(sim: &mut Simulation, kind: IntegratorKind, steps: usize) -> Result<(), StepError> {
    let adaptive = matches!(kind, IntegratorKind::Dop853 { .. } | IntegratorKind::Sdirk4 { .. });
    for _ in 0..steps {
        if adaptive {
            sim.step_towards(sim.time() + 0.01)?;
        } else {
            sim.step(5e-3)?;
        }
    }
    Ok(())
}

#[test]
fn a_step_that_was_given_up_leaves_the_state_and_the_bits() {
    let dop853 = IntegratorKind::default();
    let sdirk4 = IntegratorKind::Sdirk4 { relative: 1e-6, absolute: 1e-6 };
    let smooth =
        [dop853, IntegratorKind::RungeKutta4, IntegratorKind::Rattle, sdirk4, IntegratorKind::SemiImplicitEuler];
    let touching = [dop853, IntegratorKind::RungeKutta4, IntegratorKind::Stepping];
    for which in 0..3 {
        let kinds = if which == 1 { &smooth[..] } else { &touching[..] };
        for &kind in kinds {
            let model = Arc::new(mechanism(which));
            let mut sim = Simulation::new(model.clone());
            sim.set_integrator(kind);
            run(&mut sim, kind, 12).expect("it moves");
            let start = sim.state().clone();
            // how often is somebody asked in the next steps, and where do they end?
            let (never, asked) = at(u64::MAX);
            let mut reference = Simulation::new(model.clone());
            reference.set_integrator(kind);
            reference.set_state(start.clone());
            reference.set_interrupt(never);
            run(&mut reference, kind, 3).expect("it moves");
            let times = asked.load(Ordering::Relaxed);
            assert!(times > 3, "mechanism {which}, {kind:?}: nobody is asked");
            for n in (1..=times).step_by((times as usize / 40).max(1)) {
                sim.set_state(start.clone());
                let (interrupt, _) = at(n);
                sim.set_interrupt(interrupt);
                let mut taken = 0;
                let given_up = loop {
                    let before = sim.state().clone();
                    match run(&mut sim, kind, 1) {
                        Ok(()) => taken += 1,
                        Err(e) => {
                            assert!(
                                matches!(e, StepError::Interrupted { .. }),
                                "mechanism {which}, {kind:?}, {n}: {e}"
                            );
                            assert_eq!(
                                sim.state().hash(),
                                before.hash(),
                                "mechanism {which}, {kind:?}, {n}: not as before"
                            );
                            break true;
                        }
                    }
                    if taken == 3 {
                        break false;
                    }
                };
                assert!(given_up, "mechanism {which}, {kind:?}: nobody heeds number {n} of {times}");
                sim.set_interrupt(Interrupt::never());
                run(&mut sim, kind, 3 - taken).expect("it goes on");
                assert_eq!(
                    sim.state().hash(),
                    reference.state().hash(),
                    "mechanism {which}, {kind:?}, {n}: other bits"
                );
            }
        }
    }
}

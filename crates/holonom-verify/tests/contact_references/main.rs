//! Problems with known answers for contact, friction and impacts (p17 to p21): every number of the references, with events followed
//! (the default integrator) and, at first order, with time stepped.

mod block;
mod impacts;
mod oscillator;
mod separation;
mod sphere;
mod tipping;

use holonom::prelude::*;
use holonom::{Event, EventKind};
use holonom_verify::Reference;

fn problem(short: &str) -> Reference {
    let name = holonom_verify::names().find(|name| name.starts_with(short)).expect("listed");
    holonom_verify::problem(name).expect("listed")
}

/// `found` is `expected` within `allowed`, or a message that says how far off it is. `HOLONOM_SHOW=1` prints how far off all of them are.
#[track_caller]
fn close(what: &str, found: f64, expected: f64, allowed: f64) {
    let error = (found - expected).abs();
    if std::env::var_os("HOLONOM_SHOW").is_some() {
        println!("{what}: off by {error:.2e}, allowed {allowed:.0e}");
    }
    assert!(error <= allowed, "{what}: {found:e}, expected {expected:e}, off by {error:.3e}, allowed {allowed:.0e}");
}

/// Run to `t` with events followed and say what happened.
fn events_until(sim: &mut Simulation, t: f64) -> Vec<Event> {
    sim.keep_events(1000);
    sim.run_until(t).unwrap();
    sim.take_events()
}

/// The first event of a kind after the very start.
#[track_caller]
fn first(events: &[Event], kind: EventKind) -> f64 {
    events.iter().find(|e| e.kind == kind && e.time > 0.0).unwrap_or_else(|| panic!("no {kind:?} in {events:?}")).time
}

/// Time stepping with `dt`.
fn stepped(mut sim: Simulation, t: f64, dt: f64) -> Simulation {
    sim.set_integrator(IntegratorKind::Stepping);
    sim.run_fixed(t, dt).unwrap();
    sim
}

/// The error of time stepping with the step dt is at most `slope` times dt, and smaller where steps are shorter: order 1. (Not half for half the step: a stop falls anywhere within a step.)
#[track_caller]
fn first_order(what: &str, slope: f64, error: impl Fn(f64) -> f64) {
    let steps = [1e-3, 0.5e-3, 0.25e-3, 0.125e-3];
    let errors = steps.map(|dt| error(dt).abs());
    if std::env::var_os("HOLONOM_SHOW").is_some() {
        println!("{what}, stepped: off by {errors:?} at 1, 1/2, 1/4, 1/8 ms, allowed {slope:.1e} dt");
    }
    for (dt, error) in steps.iter().zip(errors) {
        assert!(error <= slope * dt, "{what}: off by {error:e} with steps of {dt} s, allowed {:e}", slope * dt);
    }
    assert!(errors[3] < 0.3 * errors[0] || errors[0] < 1e-9, "{what}: {errors:?}");
}

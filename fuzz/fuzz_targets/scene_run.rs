//! Any bytes as a scene file, and if they happen to be a small mechanism, it is run for some steps by some integrator.
//! Nothing may panic, no step goes on for ever, and what is called a step keeps its joints closed or says that it does not.
#![no_main]

use holonom::{IntegratorKind, Interrupt, Simulation, WorstOfRun};
use holonom_scene::{Limits, Loader};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Times that the engine may ask whether to go on, over all steps.
const WORK: u64 = 20_000;

fuzz_target!(|data: &[u8]| {
    let Some((&which, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let limits = Limits { bodies: 200, values: 1000, ..Limits::default() };
    let loader = Loader { limits, ..Loader::new() };
    let Ok(loaded) = loader.load_text("fuzz.toml", text) else { return };
    if loaded.scene.bodies.len() > 8 || loaded.scene.joints.len() > 8 {
        return;
    }
    let Ok(model) = loaded.build() else { return };
    let mut sim = Simulation::new(model);
    let names = ["dop853", "stepping", "rk4", "euler", "rattle", "sdirk4"];
    let kind = IntegratorKind::from_name(names[which as usize % names.len()]).expect("it has that name");
    sim.set_integrator(kind);
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    sim.set_interrupt(Interrupt::when(move || count.fetch_add(1, Ordering::Relaxed) > WORK));
    let mut worst = WorstOfRun::default();
    for _ in 0..30 {
        let adaptive = sim.integrator().1;
        let step = if adaptive { sim.step_towards(sim.time() + 0.02) } else { sim.step(2e-3) };
        let Ok(report) = step else { break };
        worst.add(&report, sim.time());
        assert!(sim.state().q.iter().chain(&sim.state().v).all(|x| x.is_finite()));
        let said = worst.broken(sim.model(), sim.drift()).next().is_some();
        assert!(report.gap <= 1e-6 * sim.model().length_scale().max(1.0) || said, "gap {:e}", report.gap);
    }
});

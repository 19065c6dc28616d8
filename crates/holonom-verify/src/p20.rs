//! Mass on a spring with dry friction: a box on the floor, and a block on a slide whose friction follows its load.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::events::{largest_acceleration, sharp, threshold, watch};
use holonom::EventKind;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, scene) in [("on the floor", "p20-oscillator"), ("on a slide", "p20-slide")] {
        compare.variant(name);
        let loaded = sharp(scene, &[], &[])?;
        let block = loaded.body("block")?;
        let mut sim = loaded.sim;
        let start = sim.state().clone();
        let events = watch(&mut sim, 1.5)?;
        let turns = |kind| events.iter().filter(move |e| e.kind == kind && e.time > 0.0).map(|e| e.time);
        let mut times: Vec<f64> = turns(EventKind::Slips).chain(turns(EventKind::Sticks)).collect();
        // all corners of a box turn at once
        times.dedup();
        let stopped = sim.centre(block);
        compare.scalar("x_stop", Some(stopped.x), p.scalar("x_stop"));
        compare.scalar("t_stop", times.last().copied(), p.scalar("t_stop"));
        sim.run_until(61.5)?;
        compare.at_most("speed at rest", &[sim.centre_velocity(block).length()], 1e-15);
        compare.at_most("drift in a minute of rest", &[(sim.centre(block) - stopped).length()], 1e-12);
        sim.set_state(start);
        let mut rows = vec![vec![0.0, sim.centre(block).x]];
        for t in times {
            sim.run_until(t)?;
            rows.push(vec![t, sim.centre(block).x]);
        }
        compare.columns(&rows);
        let band = threshold(0.0, 0.2, |x| Ok(largest_acceleration(&mut sharp(scene, &[("x", x)], &[])?.sim)? > 1e-9))?;
        compare.scalar("stick_band", Some(band), p.scalar("stick_band"));
    }
    Ok(())
}

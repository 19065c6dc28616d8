//! Mass on a spring with dry friction: a box on the floor, and a block on a slide whose friction follows its load.

use super::book::{Book, Stop};
use super::happened::{sharp, stirring, threshold, watch};
use holonom::EventKind;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, scene) in [("on the floor", "p20-oscillator"), ("on a slide", "p20-slide")] {
        book.variant(name);
        let staged = sharp(scene, &[], &[])?;
        let block = staged.body("block")?;
        let mut sim = staged.sim;
        let start = sim.state().clone();
        let events = watch(&mut sim, 1.5)?;
        let turns = |kind| events.iter().filter(move |e| e.kind == kind && e.time > 0.0).map(|e| e.time);
        let mut times: Vec<f64> = turns(EventKind::Slips).chain(turns(EventKind::Sticks)).collect();
        // all corners of a box turn at once
        times.dedup();
        let stopped = sim.centre(block);
        book.scalar("x_stop", Some(stopped.x), p.scalar("x_stop"));
        book.scalar("t_stop", times.last().copied(), p.scalar("t_stop"));
        sim.run_until(61.5)?;
        book.at_most("speed at rest", &[sim.centre_velocity(block).length()], 1e-15);
        book.at_most("drift in a minute of rest", &[(sim.centre(block) - stopped).length()], 1e-12);
        sim.set_state(start);
        let mut rows = vec![vec![0.0, sim.centre(block).x]];
        for t in times {
            sim.run_until(t)?;
            rows.push(vec![t, sim.centre(block).x]);
        }
        book.columns(&rows);
        let band = threshold(0.0, 0.2, |x| Ok(stirring(&mut sharp(scene, &[("x", x)], &[])?.sim)? > 1e-9))?;
        book.scalar("stick_band", Some(band), p.scalar("stick_band"));
    }
    Ok(())
}

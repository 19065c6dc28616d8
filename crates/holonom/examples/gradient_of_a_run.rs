//! Watch for: what a gradient of a whole run costs, in runs: the same for one parameter and for hundreds.

use holonom::answers::{PushAlong, Rollout, RolloutOptions, RolloutParameter};
use holonom::prelude::*;
use std::sync::Arc;
use std::time::Instant;

const STEPS: usize = 200;

/// A chain of links on hinges, each with a mass and a length of its own; `closed` with its end tied to the ground.
fn chain(masses: &[f64], lengths: &[f64], closed: bool) -> Result<Model, holonom::ModelError> {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let (mut above, mut at) = (BodyId::GROUND.origin().along(y), 0.0);
    for (i, (mass, length)) in masses.iter().zip(lengths).enumerate() {
        let rod = Rigid::cuboid(*mass, [*length, 0.05, 0.05]).position([at + 0.5 * length, 0.0, 0.0]);
        let rod = m.body(format!("link {i}"), rod);
        m.joint(format!("pin {i}"), Revolute::new(above, rod.at([-0.5 * length, 0.0, 0.0]).along(y)));
        above = rod.at([0.5 * length, 0.0, 0.0]).along(y);
        at += length;
    }
    if closed {
        m.joint("tie", Distance::new(BodyId::GROUND.at([0.5 * at, 0.0, 0.3 * at]), above, (0.34f64).sqrt() * at));
    }
    m.build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).and_then(|n| n.parse::<usize>().ok()); // or of one size alone
    let sizes = [(2, false), (16, false), (64, false), (16, true)];
    for (n, closed) in sizes.into_iter().filter(|(n, _)| wanted.is_none_or(|w| w == *n)) {
        let (masses, lengths) = (vec![0.5; n], vec![0.3; n]);
        let model = Arc::new(chain(&masses, &lengths, closed)?);
        let mut options = RolloutOptions::new(1e-3, STEPS);
        options.controls =
            (0..n).filter_map(|i| model.joint(&format!("pin {i}"))).map(|j| PushAlong::coordinate(j, 0)).collect();
        options.controls.truncate(1);
        options.sizes = vec![0.1; STEPS * options.controls.len()];
        let mut parameters = Vec::new();
        for i in 0..2 * n {
            let make = |x: f64| {
                let (mut masses, mut lengths) = (masses.clone(), lengths.clone());
                if i < n {
                    masses[i] = x
                } else {
                    lengths[i - n] = x
                }
                chain(&masses, &lengths, closed)
            };
            parameters.push(RolloutParameter::new(if i < n { 0.5 } else { 0.3 }, 0.3, make)?);
        }
        // the least of several times, in turn
        let mut times = [f64::INFINITY; 4];
        for _ in 0..7 {
            let clock = Instant::now();
            let run = Rollout::run(&model, None, options.clone(), |_, _| {})?;
            let seconds = clock.elapsed().as_secs_f64();
            times[0] = times[0].min(seconds);
            for (k, count) in [0, 1, 2 * n].into_iter().enumerate() {
                let clock = Instant::now();
                let last = |k: usize, q: &mut [f64]| {
                    if k == STEPS {
                        q[0] = 1.0
                    }
                };
                let found = run.gradient(&parameters[..count], |k, _, q, _| last(k, q))?;
                times[k + 1] = times[k + 1].min(seconds + clock.elapsed().as_secs_f64());
                std::hint::black_box(found);
            }
        }
        let [run, start, one, all] = times;
        println!(
            "{n} links{}: a run {:.2} ms; with its gradient by the start and {STEPS} controls {:.2} runs, one parameter {:.2}, {} parameters {:.2}",
            if closed { ", closed" } else { "" },
            1e3 * run,
            start / run,
            one / run,
            2 * n,
            all / run
        );
    }
    Ok(())
}

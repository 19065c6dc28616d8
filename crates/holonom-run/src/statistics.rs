//! What is watched during a run: gaps, energies, counts.

use holonom::{Energy, Ledger, Promise, Simulation, StepReport, WorstOfRun};
use std::time::Instant;

/// Steps from look to look.
const EVERY: u64 = 8;
/// Energy that may be missing from a good state, of what moved.
const ROUGHLY: f64 = 0.1;

/// Largest and smallest of what was seen.
pub struct RunStatistics {
    /// Residuals, gaps, overlaps.
    pub worst: WorstOfRun,
    /// Impacts, openings, sticks and slips that began or ended.
    pub events: u64,
    /// Short steps because events brought no time.
    pub forced: u64,
    /// Energies when the run began.
    pub start: Energy,
    /// Energies after the last step.
    pub now: Energy,
    peak_kinetic: f64,
    potential: (f64, f64),
    /// Sum of what single bodies weigh times how high they lie, J: the energy is rounded as a sum of such terms,
    /// however small it is itself.
    weighed: f64,
    /// The ledger when the run began: a resumed run has one from before.
    ledger_at_start: Ledger,
    /// Steps taken.
    pub steps: u64,
    /// Attempts rejected by the error control.
    pub rejected: u64,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Joints that broke.
    pub broken: usize,
    begun: Instant,
    /// Wall time of the whole run, s.
    pub wall: f64,
}

impl RunStatistics {
    /// At the start of a run.
    pub fn begin(sim: &mut Simulation) -> Self {
        let mut worst = WorstOfRun::default();
        let (gap, gap_rate) = sim.violation();
        worst.note(Promise::Gap, gap, sim.time());
        worst.note(Promise::GapRate, gap_rate, sim.time());
        worst.note(Promise::Overlap, sim.overlap(), sim.time());
        let start = sim.energy();
        let potential = start.gravity + start.elastic;
        RunStatistics {
            worst,
            events: 0,
            forced: 0,
            start,
            now: start,
            peak_kinetic: start.kinetic,
            potential: (potential, potential),
            weighed: weighed(sim),
            ledger_at_start: sim.ledger(),
            steps: 0,
            rejected: 0,
            evaluations: 0,
            broken: 0,
            begun: Instant::now(),
            wall: 0.0,
        }
    }

    /// A step was taken.
    pub fn after_step(&mut self, sim: &mut Simulation, report: &StepReport) {
        self.steps += 1;
        self.rejected += report.rejected as u64;
        self.evaluations += report.evaluations as u64;
        self.broken += report.broken;
        self.worst.add(report, sim.time());
        self.events += report.events as u64;
        self.forced += report.forced as u64;
        self.now = sim.energy();
        let potential = self.now.gravity + self.now.elastic;
        self.peak_kinetic = self.peak_kinetic.max(self.now.kinetic);
        self.potential = (self.potential.0.min(potential), self.potential.1.max(potential));
    }

    /// Is it time to see whether the state is good, and is it? A state is good as long as the energy is accounted for,
    /// roughly.
    pub fn finds_good(&mut self, sim: &Simulation) -> bool {
        self.broken == 0 && self.steps.is_multiple_of(EVERY) && self.energy_drift(sim) <= ROUGHLY
    }

    /// Wall time so far, s.
    pub fn elapsed(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// The run is over: overlaps are measured once more, of everything.
    pub fn end(&mut self, sim: &mut Simulation) {
        self.wall = self.elapsed();
        self.worst.note(Promise::Overlap, sim.overlap(), sim.time());
    }

    /// What was not kept, in one line.
    pub fn warnings(&self, sim: &Simulation) -> Option<String> {
        let broken: Vec<String> = self.worst.broken(sim.model(), sim.drift()).map(|b| b.to_string()).collect();
        (!broken.is_empty()).then(|| format!("the motion is not as exact as promised: {}", broken.join("; ")))
    }

    /// What the method changed of the energy, by projection, time stepping and its own error, over the larger of peak
    /// kinetic energy and range of potential energy. Where neither rises above the rounding of the energy itself
    /// nothing has moved, and there is nothing to account for.
    pub fn energy_drift(&self, sim: &Simulation) -> f64 {
        let numerical = |l: &Ledger| l.integrator + l.projection + l.stepping;
        self.of_what_moved(numerical(&sim.ledger()) - numerical(&self.ledger_at_start))
    }

    /// What no column of the ledger explains, over the same.
    pub fn energy_unaccounted(&self, sim: &Simulation) -> f64 {
        self.of_what_moved(sim.ledger().integrator - self.ledger_at_start.integrator)
    }

    fn of_what_moved(&self, error: f64) -> f64 {
        let size = self.peak_kinetic.max(self.potential.1 - self.potential.0);
        let error = error.abs();
        let rounding = 1e-12 * self.start.total().abs().max(self.now.total().abs()).max(self.weighed);
        if size > rounding || error > rounding && size > 0.0 { error / size } else { 0.0 }
    }
}

fn weighed(sim: &Simulation) -> f64 {
    let model = sim.model();
    model.bodies().map(|b| (model.mass(b) * model.gravity().dot(sim.centre(b))).abs()).sum()
}

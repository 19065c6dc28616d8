//! What is promised of every step, and the worst that a run has done.
//!
//! Bounds stand here and nowhere else; why they are what they are stands beside them. Gaps are promised nothing where
//! feedback is asked to pull them together in time: it works with them.

use super::StepReport;
use crate::error::StepError;
use crate::model::Model;
use crate::solve::residual::Residual;
use crate::step::drift::Drift;
use std::fmt;

/// Residuals of the equations of motion and of the joints, each relative to the size of what is summed in it. Solvers
/// leave 1e-13; 1e-9 is what a chain of a thousand links with a mass ratio of 1e9 may leave.
pub const RESIDUAL: f64 = 1e-9;
/// Violation of rows measured without their multipliers ([`Residual::contradiction`]). Loads of 1e9 times what is
/// applied leave 1e-7 by rounding; rows that were left out wrongly leave 1e-5 and more.
pub const CONTRADICTION: f64 = 1e-6;
/// Gaps of joints after a step, m or rad, in a mechanism of up to a metre; in larger ones of its length. Projection
/// leaves 1e-15 of the coordinates.
pub const GAP: f64 = 1e-10;
/// Rates of gaps after a step, m/s or rad/s, in a mechanism of up to a metre; in larger ones of its length per second.
/// Projection leaves 1e-15 of the speeds, and those may be large where lengths are not.
pub const GAP_RATE: f64 = 1e-9;
/// And with one correction a step.
const ONCE: f64 = 1e-6;
/// Overlap of shapes, and excess over limits and ropes, m or rad, in a mechanism of up to a metre; in larger ones of
/// its length. Time stepping halves its steps while more than 1e-7 is left, and curved surfaces may turn into each
/// other by a little more until the next step looks.
pub const OVERLAP: f64 = 1e-6;

/// Something that a run is watched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Residual of `M vdot = J^T lambda + F`.
    Motion,
    /// Residual of `J vdot + c = 0`.
    Constraint,
    /// The same, with multipliers left out of what it is compared with.
    Contradiction,
    /// Gaps of joints.
    Gap,
    /// Rates of gaps.
    GapRate,
    /// Overlaps, and excess over limits.
    Overlap,
}

impl Promise {
    /// All of them.
    pub const ALL: [Promise; 6] = [
        Promise::Motion,
        Promise::Constraint,
        Promise::Contradiction,
        Promise::Gap,
        Promise::GapRate,
        Promise::Overlap,
    ];

    /// What is promised for a model and what is done about drift.
    pub fn bound(self, model: &Model, drift: Drift) -> f64 {
        let length = model.length_scale().max(1.0);
        match self {
            Promise::Gap | Promise::GapRate if matches!(drift, Drift::Feedback(_)) => f64::INFINITY,
            Promise::Gap | Promise::GapRate if drift == Drift::Once => ONCE * length,
            Promise::Motion | Promise::Constraint => RESIDUAL,
            Promise::Contradiction => CONTRADICTION,
            Promise::Gap => (GAP * length).max(drift.tolerance()),
            Promise::GapRate => (GAP_RATE * length).max(drift.tolerance()),
            Promise::Overlap => OVERLAP * length.max(model.contact_scale()),
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Promise::Motion => "residual of the equations of motion",
            Promise::Constraint => "residual of the joints",
            Promise::Contradiction => "contradiction of the joints",
            Promise::Gap => "gap of a joint",
            Promise::GapRate => "rate of a gap",
            Promise::Overlap => "overlap or excess over a limit",
        }
    }

    /// Unit: 1 for a pure number.
    pub fn unit(self) -> &'static str {
        match self {
            Promise::Motion | Promise::Constraint | Promise::Contradiction => "1",
            Promise::Gap | Promise::Overlap => "m or rad",
            Promise::GapRate => "m/s or rad/s",
        }
    }

    fn of(self, report: &StepReport) -> f64 {
        match self {
            Promise::Motion => report.residual.motion,
            Promise::Constraint => report.residual.constraint,
            Promise::Contradiction => report.residual.contradiction,
            Promise::Gap => report.gap,
            Promise::GapRate => report.gap_rate,
            Promise::Overlap => report.overlap.max(report.overlap_anew),
        }
    }
}

/// The worst of many steps, and when it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorstOfRun {
    /// Value and time, in the order of [`Promise::ALL`].
    found: [(f64, f64); 6],
}

/// A promise that was not kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrokenPromise {
    /// Which.
    pub promise: Promise,
    /// The worst.
    pub found: f64,
    /// What was promised.
    pub promised: f64,
    /// When it was worst, s.
    pub time: f64,
}

impl WorstOfRun {
    /// A step that ended at `time`.
    pub fn add(&mut self, report: &StepReport, time: f64) {
        for (promise, worst) in Promise::ALL.into_iter().zip(&mut self.found) {
            let value = promise.of(report);
            if !(value <= worst.0) {
                *worst = (value, time);
            }
        }
    }

    /// A value measured otherwise than by the report of a step.
    pub fn note(&mut self, promise: Promise, value: f64, time: f64) {
        let worst = &mut self.found[promise as usize];
        if !(value <= worst.0) {
            *worst = (value, time);
        }
    }

    /// Of each the worse one.
    pub fn merge(&mut self, other: &WorstOfRun) {
        for (worst, other) in self.found.iter_mut().zip(&other.found) {
            if !(other.0 <= worst.0) {
                *worst = *other;
            }
        }
    }

    /// The worst value.
    pub fn value(&self, promise: Promise) -> f64 {
        self.found[promise as usize].0
    }

    /// The worst residuals.
    pub fn residual(&self) -> Residual {
        let [motion, constraint, contradiction] =
            [Promise::Motion, Promise::Constraint, Promise::Contradiction].map(|p| self.value(p));
        Residual { motion, constraint, contradiction }
    }

    /// What was not kept, for a model and what is done about drift.
    pub fn broken(&self, model: &Model, drift: Drift) -> impl Iterator<Item = BrokenPromise> + use<> {
        let bounds = Promise::ALL.map(|p| p.bound(model, drift));
        let broken = |(promise, ((found, time), promised)): (Promise, ((f64, f64), f64))| {
            (!(found <= promised)).then_some(BrokenPromise { promise, found, promised, time })
        };
        Promise::ALL.into_iter().zip(self.found.into_iter().zip(bounds)).filter_map(broken)
    }
}

impl WorstOfRun {
    /// `Err` where something was not kept.
    pub fn strict(&self, model: &Model, drift: Drift) -> Result<(), StepError> {
        match self.broken(model, drift).next() {
            Some(broken) => Err(StepError::NotCertified { what: broken.to_string(), time: broken.time }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let unit = match self.promise.unit() {
            "1" => String::new(),
            unit => format!(" {unit}"),
        };
        let BrokenPromise { promise, found, promised, time } = self;
        write!(f, "{} {found:.1e}{unit} at t = {time:.6} s (promised: {promised:.0e})", promise.words())
    }
}

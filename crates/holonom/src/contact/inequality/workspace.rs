//! All scratch memory of a simulation, one struct for each layer; sized once from the model. It can be thrown away at
//! any time.

use super::InequalityRows;
use super::blows::Blow;
use super::forces::Forces;
use super::impact;
use super::mode::ContactMode;
use super::solve::Solvers;
use crate::contact::detection::Contacts;
use crate::evaluate::convergence::Correction;
use crate::evaluate::evaluation::Evaluation;
use crate::model::Model;
use crate::solve::SolverKind;
use crate::solve::kkt::Kkt;
use crate::solve::part::PartSolver;
use holonom_collide::Candidate;
use holonom_lcp::Interrupt;

/// Inequality rows, their solvers, and candidates for contacts.
pub(crate) struct ContactScratch {
    pub rows: InequalityRows,
    pub solvers: Solvers,
    pub impact: impact::Scratch,
    pub detection: Contacts,
    /// What has been pushed apart in the correction under way.
    pub held: Vec<Candidate>,
    /// Who touches whom and how, as long as nothing changes.
    pub mode: ContactMode,
    /// Forces of inequality rows at the moment of the equations.
    pub acting: Forces,
    /// Largest overlap when last measured, m or rad.
    pub overlap: f64,
    /// Largest overlap of everything that was near at the start of a step since the last report began, m or rad.
    pub overlap_before: f64,
    /// Only what nothing pushes is being followed: inequality rows are left out of the equations of motion.
    pub flying: bool,
    /// Those that are followed on their own, where others are not.
    pub flown: PartSolver,
    /// What pushed in the steps on velocities since this was emptied, where somebody wants to know.
    pub blows: Option<Vec<Blow>>,
}

impl ContactScratch {
    /// Nothing touches, nothing acts.
    pub fn clear_forces(&mut self) {
        self.mode.closed.clear();
        self.acting.clear();
    }
}

/// Scratch for one simulation thread.
pub struct Workspace {
    pub(crate) eval: Evaluation,
    pub(crate) kkt: Kkt,
    pub(crate) correction: Correction,
    pub(crate) contact: ContactScratch,
}

impl Workspace {
    /// Scratch for `model`, with the named solver.
    pub fn new(model: &Model, solver: SolverKind) -> Self {
        Workspace {
            eval: Evaluation::new(model, model.structure()),
            kkt: Kkt::new(model, solver),
            correction: Correction::default(),
            contact: ContactScratch {
                rows: InequalityRows::default(),
                solvers: Solvers::default(),
                impact: Default::default(),
                detection: Contacts::new(model),
                held: Vec::new(),
                mode: ContactMode::default(),
                acting: Forces::default(),
                overlap: 0.0,
                overlap_before: 0.0,
                flying: false,
                flown: PartSolver::default(),
                blows: None,
            },
        }
    }

    /// Who may have a step given up.
    pub(crate) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.kkt.interrupt.clone_from(interrupt);
        self.contact.solvers.set_interrupt(interrupt);
    }

    /// What is noted for the report of a step begins anew.
    pub(crate) fn begin_report(&mut self) {
        self.kkt.check.reset();
        self.contact.overlap_before = 0.0;
    }

    /// Accelerations found last, per velocity coordinate.
    pub fn accelerations(&self) -> &[f64] {
        &self.kkt.x[..self.eval.force.len()]
    }

    /// Multipliers found last, per row.
    pub fn multipliers(&self) -> &[f64] {
        &self.kkt.x[self.eval.force.len()..]
    }
}

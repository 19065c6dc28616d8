//! Questions that take long, answered apart from the motion: with a copy of the state, so that they can be answered
//! while it goes on. What is quick is answered at once.

use super::history::Moment;
use super::{Pace, Session};
use crate::message::{Answer, BacklogAnswer, Question};
use crate::numbers;
use holonom::{Checkpoint, Interrupt, Simulation};
use holonom_scene::{Loaded, Quantities};
use std::sync::Arc;

/// Most rows of a backlog.
const MOST_ROWS: usize = 4000;

/// Something to download.
#[derive(Clone, Debug, PartialEq)]
pub enum Download {
    /// The scene as it is, edits included.
    Scene,
    /// The log of inputs.
    Inputs,
    /// Recorded quantities as CSV; the usual ones where none are named.
    Csv {
        /// Their names.
        names: Vec<String>,
    },
}

/// What a question comes to.
pub enum InquiryResult {
    /// An answer.
    Answer(Answer),
    /// A file.
    Bytes(Vec<u8>),
}

/// What is asked.
enum Asked {
    Doctor,
    Spy(String),
    Backlog(Vec<String>),
    Csv(Vec<String>),
}

/// A long question with all that its answer needs.
pub struct Inquiry {
    asked: Asked,
    loaded: Arc<Loaded>,
    now: Checkpoint,
    moments: Vec<Arc<Moment>>,
}

impl Session {
    /// A question: long ones come back as something to be answered apart, quick ones are answered.
    pub fn inquire(&mut self, question: &Question) -> Result<Inquiry, Result<InquiryResult, String>> {
        let asked = match question {
            Question::Doctor => Asked::Doctor,
            Question::Spy { matrix } => Asked::Spy(matrix.clone()),
            Question::Backlog { names } => Asked::Backlog(names.clone()),
            quick => return Err(self.answer_quick(quick).map(InquiryResult::Answer)),
        };
        Ok(self.inquiry(asked))
    }

    /// The same for a download.
    pub fn inquire_download(&mut self, what: &Download) -> Result<Inquiry, Result<InquiryResult, String>> {
        let bytes = match what {
            Download::Scene => self.scene_text().into_bytes(),
            Download::Inputs => self.log_text().into_bytes(),
            Download::Csv { names } => return Ok(self.inquiry(Asked::Csv(names.clone()))),
        };
        Err(Ok(InquiryResult::Bytes(bytes)))
    }

    fn inquiry(&self, asked: Asked) -> Inquiry {
        let moments = match &asked {
            Asked::Backlog(_) | Asked::Csv(_) => self.history.moments().to_vec(),
            _ => Vec::new(),
        };
        Inquiry { asked, loaded: self.loaded.clone(), now: self.sim.checkpoint(), moments }
    }

    /// Answer a question, however long it takes.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, String> {
        let result = self.inquire(question).map_or_else(|quick| quick, |long| long.answer(Interrupt::never()));
        match result? {
            InquiryResult::Answer(answer) => Ok(answer),
            InquiryResult::Bytes(_) => Err("this is no question".into()),
        }
    }

    /// Something to download, however long it takes.
    pub fn download(&mut self, what: &Download) -> Result<Vec<u8>, String> {
        let result = self.inquire_download(what).map_or_else(|quick| quick, |long| long.answer(Interrupt::never()));
        match result? {
            InquiryResult::Bytes(bytes) => Ok(bytes),
            InquiryResult::Answer(_) => Err("this is no file".into()),
        }
    }
}

impl Inquiry {
    /// The answer, unless it is given up.
    pub fn answer(self, interrupt: Interrupt) -> Result<InquiryResult, String> {
        let model = self.now.model().clone();
        let mut sim = Simulation::new(model);
        sim.set_interrupt(interrupt.clone());
        Pace::set_up(&self.loaded.scene.run, &mut sim).map_err(|e| e.to_string())?;
        sim.return_to(&self.now);
        Ok(match &self.asked {
            Asked::Doctor => {
                let report = numbers::diagnose(&self.loaded.scene, &mut sim)?;
                InquiryResult::Answer(Answer::Doctor(Box::new(report)))
            }
            Asked::Spy(matrix) => InquiryResult::Answer(Answer::Spy(numbers::spy(sim.model(), matrix)?)),
            Asked::Backlog(names) => InquiryResult::Answer(Answer::Backlog(self.backlog(names, &mut sim, &interrupt)?)),
            Asked::Csv(names) => InquiryResult::Bytes(self.csv(names, &mut sim, &interrupt)?),
        })
    }

    /// A table of recorded quantities, every so many moments.
    fn table(
        &self,
        names: &[String],
        stride: usize,
        sim: &mut Simulation,
        interrupt: &Interrupt,
    ) -> Result<(Quantities, Vec<Vec<f64>>), String> {
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut q = Quantities::of_scene(sim.model(), &self.loaded.scene, &patterns)
            .map_err(|unknown| unknown.diagnostic(None).message)?;
        let mut rows = Vec::with_capacity(self.moments.len() / stride + 1);
        for moment in self.moments.iter().step_by(stride) {
            if interrupt.is_asked() {
                return Err("the question was taken back".into());
            }
            sim.return_to(&moment.checkpoint);
            let mut row = vec![f64::NAN; q.len()];
            // where forces do not exist there are none to tell of
            let _ = q.read(sim, &mut row);
            rows.push(row);
        }
        Ok((q, rows))
    }

    fn backlog(&self, names: &[String], sim: &mut Simulation, interrupt: &Interrupt) -> Result<BacklogAnswer, String> {
        let stride = self.moments.len().div_ceil(MOST_ROWS).max(1);
        let (q, rows) = self.table(names, stride, sim, interrupt)?;
        let column =
            |k: usize| -> Vec<Option<f64>> { rows.iter().map(|r| Some(r[k]).filter(|x| x.is_finite())).collect() };
        Ok(BacklogAnswer {
            names: q.names().map(String::from).collect(),
            units: q.all().iter().map(|x| x.unit).collect(),
            ticks: self.moments.iter().step_by(stride).map(|m| m.tick).collect(),
            values: (0..q.len()).map(column).collect(),
        })
    }

    fn csv(&self, names: &[String], sim: &mut Simulation, interrupt: &Interrupt) -> Result<Vec<u8>, String> {
        let (q, rows) = self.table(names, 1, sim, interrupt)?;
        let mut out = q.names().collect::<Vec<_>>().join(",");
        out.push('\n');
        for row in rows {
            let cells: Vec<String> =
                row.iter().map(|x| if x.is_nan() { String::new() } else { format!("{x:?}") }).collect();
            out += &cells.join(",");
            out.push('\n');
        }
        Ok(out.into_bytes())
    }
}

//! What a session shows: pictures, frames, answers, downloads.

use super::{InputError, SceneOrigin, Session};
use crate::edit;
use crate::hub::Download;
use crate::message::{
    Answer, BacklogAnswer, FrameHeader, FrameSection, HandNow, MotionMode, Question, SceneAnswer, encode_frame,
};
use crate::numbers;
use crate::picture::{Picture, picture};
use crate::sections::{self, FrameSections};
use holonom::{Model, Simulation};
use holonom_scene::{Quantities, gallery};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most rows of a backlog or a table of recorded quantities.
const MOST_ROWS: usize = 4000;

/// What was prepared for showing.
#[derive(Default)]
pub struct FrameCache {
    /// Of which picture.
    revision: Option<u64>,
    sections: FrameSections,
    numbers: Vec<Vec<f32>>,
    /// Names watched, and how to read them in a model.
    watched: Option<(Vec<String>, Arc<Model>, Watched)>,
}

/// Quantities to read, and where each name's value stands among them.
struct Watched {
    quantities: Quantities,
    at: Vec<Option<usize>>,
}

impl Session {
    /// What is to be drawn.
    pub fn picture(&mut self) -> Picture {
        let mut out = picture(&self.loaded, &mut self.sim, self.own_joints);
        out.forces.truncate(self.own_forces);
        (out.revision, out.tick) = (self.revision, self.pace.tick);
        out.name.clone_from(&self.origin.name);
        (out.can_undo, out.can_redo) = (self.editor.can_undo(), self.editor.can_redo());
        self.shown.sections = FrameSections::new(self.sim.model(), &out);
        self.shown.revision = Some(self.revision);
        out
    }

    /// What is to be seen now.
    pub fn frame(&mut self, mut header: FrameHeader, wanted: &[FrameSection], watched: &[String]) -> Vec<u8> {
        let energy = self.sim.energy();
        (header.kinetic, header.potential) = (energy.kinetic, energy.total() - energy.kinetic);
        (header.tick, header.time, header.past, header.mode) = (self.tick, self.sim.time(), self.past, self.mode);
        (header.integrator, header.gap) = (self.integrator(), self.gap);
        header.broken = self.worst.broken(self.sim.model(), self.sim.drift()).map(|b| b.to_string()).collect();
        header.recorded = self.history.span();
        if !self.past {
            header.recorded[1] = self.tick;
        }
        (header.revision, header.activity) = (self.revision, self.activity());
        header.hands = self.hands_now();
        header.values = self.values(watched);
        if self.shown.revision != Some(self.revision) {
            self.picture();
        }
        let FrameCache { sections, numbers, .. } = &mut self.shown;
        let always =
            if sections.deforms() { &[FrameSection::Poses, FrameSection::Shears][..] } else { &[FrameSection::Poses] };
        let all: Vec<FrameSection> =
            always.iter().chain(wanted.iter().filter(|s| !always.contains(s))).copied().collect();
        numbers.resize(numbers.len().max(all.len()), Vec::new());
        for (section, out) in all.iter().zip(numbers.iter_mut()) {
            out.clear();
            sections.fill(*section, &mut self.sim, out);
        }
        let parts: Vec<_> =
            all.iter().zip(numbers.iter()).map(|(s, out)| (*s, sections::width(*s), out.as_slice())).collect();
        encode_frame(&mut header, &parts)
    }

    /// All hands as they are.
    pub fn hands_now(&mut self) -> Vec<HandNow> {
        let sim = &mut self.sim;
        self.hands.all().iter().map(|h| h.now(sim)).collect()
    }

    fn values(&mut self, names: &[String]) -> BTreeMap<String, Option<f64>> {
        let model = self.sim.model();
        let known = self.shown.watched.as_ref().is_some_and(|w| w.0 == names && Arc::ptr_eq(&w.1, model));
        if !known {
            self.shown.watched = None;
            let of = |names: &[&str]| Quantities::of_scene(model, &self.loaded.scene, names).ok();
            // names that fit nothing are left out, not in the way of the others
            let good: Vec<&str> = names.iter().map(String::as_str).filter(|n| of(&[n]).is_some()).collect();
            if let Some(quantities) = of(&good).filter(|_| !good.is_empty()) {
                let at = names.iter().map(|name| quantities.names().position(|n| n == name)).collect();
                self.shown.watched = Some((names.to_vec(), model.clone(), Watched { quantities, at }));
            }
        }
        let nothing = || names.iter().map(|n| (n.clone(), None)).collect();
        let Some((_, _, watched)) = &mut self.shown.watched else { return nothing() };
        let mut values = vec![f64::NAN; watched.quantities.len()];
        // what cannot be computed is NaN, and shown as missing
        let _ = watched.quantities.read(&mut self.sim, &mut values);
        let value = |at: &Option<usize>| at.map(|k| values[k]).filter(|x| x.is_finite());
        names.iter().cloned().zip(watched.at.iter().map(value)).collect()
    }

    /// Answer a question.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, String> {
        let (scene, sim) = (&self.loaded.scene, &mut self.sim);
        Ok(match question {
            Question::Gallery => Answer::Gallery(numbers::gallery(self.own_name())),
            Question::Doctor => Answer::Doctor(Box::new(numbers::diagnose(scene, sim)?)),
            Question::Quantities => Answer::Quantities(numbers::quantities(scene, sim)),
            Question::Ledger => Answer::Ledger(numbers::ledger(sim)),
            Question::Spy { matrix } => Answer::Spy(numbers::spy(sim.model(), matrix)?),
            Question::Backlog { names } => Answer::Backlog(self.backlog(names)?),
            Question::Scene => Answer::Scene(SceneAnswer { name: self.origin.name.clone(), text: self.scene_text() }),
            Question::Details { path } => {
                Answer::Details(Box::new(edit::details(&self.editor, path).map_err(|e| e.message)?))
            }
        })
    }

    /// The scene as text.
    pub fn scene_text(&self) -> String {
        self.editor.scene_text()
    }

    /// The scene that the program was started with.
    pub fn own_name(&self) -> Option<&str> {
        self.own.as_ref().map(|own| own.name.as_str())
    }

    /// A table of recorded quantities, thinned out to what can be looked at.
    fn table(&mut self, names: &[String], most: usize) -> Result<(Quantities, Vec<Vec<f64>>), String> {
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut q = Quantities::of_scene(self.sim.model(), &self.loaded.scene, &patterns)
            .map_err(|unknown| unknown.diagnostic(None).message)?;
        let moments = self.history.moments();
        let stride = moments.len().div_ceil(most).max(1);
        let mut rows = Vec::with_capacity(moments.len() / stride + 1);
        let mut look = Simulation::new(self.sim.model().clone());
        for moment in moments.iter().step_by(stride) {
            look.return_to(&moment.checkpoint);
            let mut row = vec![f64::NAN; q.len()];
            // where forces do not exist there are none to tell of
            let _ = q.read(&mut look, &mut row);
            rows.push(row);
        }
        Ok((q, rows))
    }

    fn backlog(&mut self, names: &[String]) -> Result<BacklogAnswer, String> {
        let (q, rows) = self.table(names, MOST_ROWS)?;
        let column =
            |k: usize| -> Vec<Option<f64>> { rows.iter().map(|r| Some(r[k]).filter(|x| x.is_finite())).collect() };
        let ticks: Vec<u64> = self.history.moments().iter().map(|m| m.tick).collect();
        let stride = ticks.len().div_ceil(MOST_ROWS).max(1);
        Ok(BacklogAnswer {
            names: q.names().map(String::from).collect(),
            units: q.all().iter().map(|x| x.unit).collect(),
            ticks: ticks.into_iter().step_by(stride).collect(),
            values: (0..q.len()).map(column).collect(),
        })
    }

    /// Something to download.
    pub fn download(&mut self, what: &Download) -> Result<Vec<u8>, String> {
        match what {
            Download::Scene => Ok(self.scene_text().into_bytes()),
            Download::Inputs => Ok(self.log_text().into_bytes()),
            Download::Csv { names } => {
                let (q, rows) = self.table(names, usize::MAX)?;
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
    }

    // ---- opening -----------------------------------------------------------------------------------------------

    /// Open the scene that the program was started with, or one of the gallery, by its name.
    pub fn open_named(&mut self, name: &str) -> Result<(), InputError> {
        let own = self.own.clone().filter(|own| own.name == name);
        let gallery =
            gallery::find(name).map(|entry| SceneOrigin { name: name.into(), text: entry.text.into(), folder: None });
        let origin = own.map(|own| SceneOrigin::clone(&own)).or(gallery);
        let origin = origin.ok_or_else(|| format!("there is no scene `{name}` in the gallery"))?;
        self.open_text(&origin.name, &origin.text, origin.folder.as_deref()).map_err(|e| unusable(name, e))
    }

    /// Open a scene from its text; it may name no files.
    pub fn open_own(&mut self, name: &str, text: &str) -> Result<(), InputError> {
        self.open_text(name, text, None).map_err(|e| unusable(name, e))
    }

    /// An empty scene.
    pub fn open_new(&mut self) {
        let (revision, own, loader) = (self.revision + 1, self.own.take(), std::mem::take(&mut self.loader));
        *self = Session { revision, own, loader, ..Session::new() };
    }

    /// Where the present scene came from.
    pub fn origin(&self) -> &SceneOrigin {
        &self.origin
    }

    /// How the mechanism answers.
    pub fn mode(&self) -> MotionMode {
        self.mode
    }
}

fn unusable(name: &str, details: String) -> InputError {
    InputError { message: format!("the scene `{name}` cannot be opened"), details: Some(details) }
}

//! What a session shows: pictures, frames, answers, downloads.

use super::{InputError, SceneOrigin, Session};
use crate::edit;
use crate::message::{Answer, FrameHeader, FrameSection, HandNow, MotionMode, Question, SceneAnswer, encode_frame};
use crate::numbers;
use crate::picture::{Picture, picture};
use crate::sections::{self, FrameSections};
use holonom::Model;
use holonom_scene::{Quantities, gallery};
use std::collections::BTreeMap;
use std::sync::Arc;

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

    /// Answer a question that takes no time.
    pub(super) fn answer_quick(&mut self, question: &Question) -> Result<Answer, String> {
        let (scene, sim) = (&self.loaded.scene, &mut self.sim);
        Ok(match question {
            Question::Gallery => Answer::Gallery(numbers::gallery(self.own_name())),
            Question::Quantities => Answer::Quantities(numbers::quantities(scene, sim)),
            Question::Ledger => Answer::Ledger(numbers::ledger(sim)),
            Question::Scene => Answer::Scene(SceneAnswer { name: self.origin.name.clone(), text: self.scene_text() }),
            Question::Details { path } => {
                Answer::Details(Box::new(edit::details(&self.editor, path).map_err(|e| e.message)?))
            }
            Question::Doctor | Question::Spy { .. } | Question::Backlog { .. } => {
                return Err("this takes longer".into());
            }
        })
    }

    /// The scene as text.
    pub fn scene_text(&self) -> String {
        self.editor.scene_text()
    }

    /// The scene that the program was started with.
    pub fn own_name(&self) -> Option<&str> {
        self.choices.own.as_ref().map(|own| own.name.as_str())
    }

    // ---- opening -----------------------------------------------------------------------------------------------

    /// Open the scene that the program was started with, or one of the gallery, by its name.
    pub fn open_named(&mut self, name: &str) -> Result<(), InputError> {
        let own = self.choices.own.clone().filter(|own| own.name == name);
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
        *self = Session { revision: self.revision + 1, ..Session::begin(self.choices.clone()) };
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

//! Building in a running session: the scene's document is changed, and the session goes on with what it has become.

use super::{InputError, Pace, Session};
use crate::edit::{AssemblyProgress, ChangedScene, Edit, EditError, EditOutcome};
use crate::message::Reply;
use holonom::{Simulation, State, StepError};
use holonom_scene::Loaded;
use std::sync::Arc;

impl From<EditError> for InputError {
    fn from(t: EditError) -> Self {
        InputError { message: t.message, details: t.details }
    }
}

impl Session {
    /// Change the scene.
    pub(super) fn edit(&mut self, client: u32, edit: &Edit) -> Result<(), InputError> {
        self.not_while_assembling()?;
        match self.editor.apply(edit, &self.sim)? {
            EditOutcome::Changed(changed) => self.take_over(*changed),
            EditOutcome::Assemble(assembly) => {
                // a hand in between would be a third opinion
                self.let_go(|_| true)?;
                self.jog = None;
                self.assembly = Some((client, assembly));
                Ok(())
            }
        }
    }

    /// Take the last change back.
    pub(super) fn undo(&mut self) -> Result<(), InputError> {
        if let Some((_, assembly)) = self.assembly.take() {
            assembly.put_back(&mut self.sim);
            return Ok(());
        }
        let changed = self.editor.undo(&self.sim)?;
        self.take_over(changed)
    }

    /// Make it again.
    pub(super) fn redo(&mut self) -> Result<(), InputError> {
        self.not_while_assembling()?;
        let changed = self.editor.redo(&self.sim)?;
        self.take_over(changed)
    }

    fn not_while_assembling(&self) -> Result<(), InputError> {
        if self.assembly.is_some() {
            return Err("two points are being joined; wait until they have met, or undo".into());
        }
        Ok(())
    }

    /// What is going on besides the motion, for people.
    pub fn activity(&self) -> Option<String> {
        let assembling = self.assembly.as_ref().map(|(_, a)| a.activity());
        assembling.or_else(|| self.jog.as_ref().filter(|j| j.moves()).map(|_| "jogging".to_string()))
    }

    /// Does time have to run, whether it is let or not?
    pub fn assembles(&self) -> bool {
        self.assembly.is_some()
    }

    /// A tick of bringing two points together.
    pub(super) fn assemble(&mut self) -> Result<(), StepError> {
        let Some((client, assembly)) = &mut self.assembly else { return Ok(()) };
        let client = *client;
        let progress = match assembly.step(&mut self.sim, self.pace.tick) {
            Ok(AssemblyProgress::Closing(_)) => return Ok(()),
            Ok(progress) => progress,
            Err(_) => AssemblyProgress::Stuck(assembly.gap()),
        };
        let Some((_, assembly)) = self.assembly.take() else { return Ok(()) };
        let joined = self.editor.join(&assembly, progress, &self.sim).map_err(InputError::from);
        if let Err(refusal) = joined.and_then(|changed| self.take_over(changed)) {
            assembly.put_back(&mut self.sim);
            self.gap = self.sim.violation().0;
            let InputError { message, details } = refusal;
            self.outbox.push((Some(client), Reply::Error { id: None, message, details }));
        }
        Ok(())
    }

    /// Back to the start of the scene as it is now.
    pub(super) fn restart(&mut self) -> Result<(), InputError> {
        self.assembly = None;
        self.let_go(|_| true)?;
        let origin = super::SceneOrigin { text: self.editor.scene_text(), ..self.origin.clone() };
        let loaded = self.load(&origin).map_err(|details| InputError {
            message: "the scene cannot be read again".into(),
            details: Some(details),
        })?;
        let model = loaded
            .build()
            .map_err(|f| InputError { message: "the scene cannot be built again".into(), details: Some(f.render()) })?;
        self.replace(loaded, Arc::new(model), None)
    }

    fn take_over(&mut self, changed: ChangedScene) -> Result<(), InputError> {
        let ChangedScene { loaded, model, state, notes, made } = changed;
        self.replace(loaded, model, state)?;
        self.outbox.extend(notes.into_iter().map(|message| (None, Reply::Note { message })));
        if let Some(name) = made {
            self.outbox.push((None, Reply::Made { name }));
        }
        Ok(())
    }

    /// Another model takes the place of the present one. Hands hold on to bodies that are still there.
    fn replace(&mut self, loaded: Loaded, model: Arc<holonom::Model>, state: Option<State>) -> Result<(), InputError> {
        let before = self.sim.model().clone();
        let mut sim = Simulation::new(model);
        Pace::set_up(&loaded.scene.run, &mut sim).map_err(|e| e.to_string())?;
        if let Some(state) = state {
            sim.set_state(state);
        }
        sim.set_interrupt(self.choices.interrupt.clone());
        (self.sim, self.loaded, self.jog) = (sim, Arc::new(loaded), None);
        self.pace = Pace::of(&self.loaded.scene.run, self.sim.model());
        self.revision += 1;
        let hands = std::mem::take(&mut self.hands);
        self.settle();
        for hand in hands.on(&before, self.sim.model()) {
            self.hands.add(hand, &mut self.sim).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

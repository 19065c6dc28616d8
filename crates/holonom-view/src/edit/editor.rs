//! The document of a scene, what was undone and what can be done again.

use super::assembly::{AssemblyProgress, GapPart, PointAssembly};
use super::poses::{AfterEdit, SceneDraft, has_moved};
use super::{BodyPoint, Edit, EditError};
use holonom::declaration::DriveAction;
use holonom::drives;
use holonom::math::{Mat3, Quat, Vec3};
use holonom::{BodyId, Marker, Model, Simulation, State};
use holonom_scene::node::{DocNode, DocTable, Value, parse_toml};
use holonom_scene::scene::InteractionRecord;
use holonom_scene::write;
use holonom_scene::{Format, Limits, Loaded, Loader, Quantities, Report, Scene};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

/// Changes that can be undone.
const MOST: usize = 200;

/// A gap of this part of the size is not seen: it is closed at once, exactly.
const CLOSED: f64 = 1e-4;

/// A moment to come back to: where the mechanism was, in which model. None is the start of the scene.
pub(super) type EditMoment = Option<(Arc<Model>, State)>;

/// A scene before or after a change.
struct Step {
    text: String,
    /// Where the mechanism was, if the change began it anew.
    moment: Option<EditMoment>,
}

/// A scene that is being built.
pub struct SceneEditor {
    loader: Loader,
    /// Where files that the scene names are looked for.
    path: Option<PathBuf>,
    text: String,
    document: DocTable,
    pub(super) scene: Scene,
    /// The model of the scene, without hands; built when it is first needed.
    own: OnceCell<Option<Arc<Model>>>,
    undo: Vec<Step>,
    redo: Vec<Step>,
}

/// A changed scene.
pub struct ChangedScene {
    /// The new scene.
    pub loaded: Loaded,
    /// Its model.
    pub model: Arc<Model>,
    /// Where the mechanism goes on from; from the start of the model if not said.
    pub state: Option<State>,
    /// What people should know.
    pub notes: Vec<String>,
    /// Name of what was added.
    pub made: Option<String>,
}

/// What a change comes to.
pub enum EditOutcome {
    /// It is made.
    Changed(Box<ChangedScene>),
    /// Points must be brought together first: [`PointAssembly::step`] until it is done, then [`SceneEditor::join`].
    Assemble(Box<PointAssembly>),
}

/// The text of an empty scene.
const EMPTY: &str = "title = \"A new mechanism\"\n\n[run]\ntime = 10\n";

impl SceneEditor {
    /// With a scene that was loaded. Settings of its loader are in its document already.
    pub fn new(loader: &Loader, loaded: &Loaded) -> Self {
        let loader = Loader { settings: Vec::new(), parameters: Vec::new(), ..loader.clone() };
        let file = loaded.sources.files().first();
        let path = file.and_then(|f| f.path.as_ref()).map(|p| p.with_extension("toml"));
        // as it was written, comments and all, if that is all there is
        let written = file.filter(|_| loaded.format == Format::Scene).map(|f| f.text.clone());
        let same = |text: &String| parse_toml(text, 0, &loader.limits, &mut Report::new()) == loaded.document;
        let text = written.filter(same).unwrap_or_else(|| write::document(&loaded.document));
        let (document, scene) = (loaded.document.clone(), loaded.scene.clone());
        let own = OnceCell::new();
        SceneEditor { loader, path, text, document, scene, own, undo: Vec::new(), redo: Vec::new() }
    }

    /// With nothing.
    pub fn empty() -> (Self, Loaded, Model) {
        let loader = Loader::new();
        let loaded = loader.load_text("new.toml", EMPTY).expect("an empty scene can be read");
        let model = loaded.build().expect("an empty scene can be built");
        (SceneEditor::new(&loader, &loaded), loaded, model)
    }

    /// The scene as text.
    pub fn scene_text(&self) -> String {
        self.text.clone()
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The document.
    pub(super) fn document(&self) -> &DocTable {
        &self.document
    }

    /// Is there a change to undo?
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Is there a change to make again?
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Make a change. `now` is the mechanism as it is; hands on it do not count.
    pub fn apply(&mut self, edit: &Edit, now: &Simulation) -> Result<EditOutcome, EditError> {
        if let Edit::AddJoint { joint, a, b, axis, .. } = edit
            && let Some(closes) = GapPart::of(joint, axis.map(Vec3::from).filter(|v| v.length() > 0.0))
            && a.body != b.body
        {
            let draft = SceneDraft::new(&self.document, &self.scene, now, self.has_moved(now));
            let gap = closes.part(draft.world(b)? - draft.world(a)?).length();
            if gap > CLOSED * draft.size() {
                // what would be wrong with it is said before anything moves
                self.trial(edit, now)?;
                let ends = (marker(now, a), marker(now, b));
                let rates = |d: &&InteractionRecord| {
                    drives::declaration(d.kind().name).is_some_and(|d| d.action == DriveAction::Speed)
                };
                let fast = self.scene.drives.iter().filter(rates).map(|d| d.name.to_string());
                let (moved, fast) = (self.has_moved(now), fast.collect());
                let assembly = PointAssembly::new(edit.clone(), closes, ends, draft.size(), now, moved, fast);
                return Ok(EditOutcome::Assemble(Box::new(assembly)));
            }
        }
        self.make(edit, now, None).map(|c| EditOutcome::Changed(Box::new(c)))
    }

    /// Make the joint of an assembly, from where the mechanism has come to. If the points have not met, nothing
    /// changes.
    pub fn join(
        &mut self,
        assembly: &PointAssembly,
        progress: AssemblyProgress,
        now: &Simulation,
    ) -> Result<ChangedScene, EditError> {
        match progress {
            AssemblyProgress::Closed => self.make(&assembly.edit, now, Some(assembly.moment())),
            AssemblyProgress::Closing(gap) | AssemblyProgress::Stuck(gap) => {
                let message =
                    format!("the points cannot be brought together: the smallest gap reached is {:.3} mm", 1e3 * gap);
                let help = "The joints and drives that are there leave no freedom to close it. Change a length, remove a drive, or start from another pose.";
                Err(EditError { message, details: Some(help.into()) })
            }
        }
    }

    /// Take the last change back.
    pub fn undo(&mut self, now: &Simulation) -> Result<ChangedScene, EditError> {
        let step = self.undo.pop().ok_or_else(|| EditError::new("there is no change to undo"))?;
        let back = Step { text: self.text.clone(), moment: step.moment.as_ref().map(|_| self.moment(now)) };
        let changed = self.step_to(&step, now);
        // a step that cannot be taken now can be taken another time
        if changed.is_ok() {
            self.redo.push(back)
        } else {
            self.undo.push(step)
        }
        changed
    }

    /// Make it again.
    pub fn redo(&mut self, now: &Simulation) -> Result<ChangedScene, EditError> {
        let step = self.redo.pop().ok_or_else(|| EditError::new("there is no change to make again"))?;
        let back = Step { text: self.text.clone(), moment: step.moment.as_ref().map(|_| self.moment(now)) };
        let changed = self.step_to(&step, now);
        if changed.is_ok() {
            self.undo.push(back)
        } else {
            self.redo.push(step)
        }
        changed
    }

    fn step_to(&mut self, step: &Step, now: &Simulation) -> Result<ChangedScene, EditError> {
        let (loaded, model) = self.build(&step.text)?;
        let mut notes = Vec::new();
        let state = match &step.moment {
            Some(moment) => moment.as_ref().map(|(old, state)| model.carry(old, state)),
            None if self.has_moved(now) => go_on(now, &model, &mut notes),
            None => None,
        };
        self.own = OnceCell::from(Some(model.clone()));
        (self.text, self.document, self.scene) = (step.text.clone(), loaded.document.clone(), loaded.scene.clone());
        Ok(ChangedScene { loaded, model, state, notes, made: None })
    }

    /// Would the reader take it? The engine is not asked.
    fn trial(&self, edit: &Edit, now: &Simulation) -> Result<(), EditError> {
        let mut draft = SceneDraft::new(&self.document, &self.scene, now, self.has_moved(now));
        perform(&mut draft, edit)?;
        self.load(&write::document(&draft.document)).map(|_| ())
    }

    fn make(&mut self, edit: &Edit, now: &Simulation, joined: Option<EditMoment>) -> Result<ChangedScene, EditError> {
        let mut draft = SceneDraft::new(&self.document, &self.scene, now, self.has_moved(now));
        if joined.is_some() {
            draft.start_here(false)?;
        }
        let made = perform(&mut draft, edit)?;
        let SceneDraft { mut document, mut notes, then, .. } = draft;
        let mut text = write::document(&document);
        let (mut loaded, model) = self.build(&text)?;
        // what is to be recorded of things that are no more
        let gone: Vec<String> = unknown_columns(&model, &loaded.scene);
        if !gone.is_empty() {
            forget_columns(&mut document, &gone);
            notes.push(format!("no longer recorded: {}", gone.join(", ")));
            text = write::document(&document);
            loaded = self.load(&text)?;
        }
        let state = match then {
            AfterEdit::On if self.has_moved(now) => go_on(now, &model, &mut notes),
            _ => None,
        };
        let anew = then == AfterEdit::Anew || (state.is_none() && self.has_moved(now));
        let moment = joined.or_else(|| anew.then(|| self.moment(now)));
        self.own = OnceCell::from(Some(model.clone()));
        self.undo.push(Step { text: std::mem::replace(&mut self.text, text), moment });
        if self.undo.len() > MOST {
            self.undo.remove(0);
        }
        self.redo.clear();
        (self.document, self.scene) = (loaded.document.clone(), loaded.scene.clone());
        Ok(ChangedScene { loaded, model, state, notes, made })
    }

    fn load(&self, text: &str) -> Result<Loaded, EditError> {
        Ok(match &self.path {
            Some(path) => self.loader.load_text_at(path, text),
            None => self.loader.load_text("scene.toml", text),
        }?)
    }

    fn build(&self, text: &str) -> Result<(Loaded, Arc<Model>), EditError> {
        let loaded = self.load(text)?;
        let model = loaded.build()?;
        Ok((loaded, Arc::new(model)))
    }

    fn has_moved(&self, now: &Simulation) -> bool {
        let own = self.own.get_or_init(|| self.build(&self.text).ok().map(|(_, model)| model));
        // a scene that cannot be built again is not known to stand where it started
        own.as_ref().is_none_or(|own| has_moved(own, now))
    }

    fn moment(&self, now: &Simulation) -> EditMoment {
        self.has_moved(now).then(|| (now.model().clone(), now.state().clone()))
    }

    /// The budgets that scenes are read with.
    pub fn limits(&self) -> Limits {
        self.loader.limits
    }
}

fn marker(now: &Simulation, spot: &BodyPoint) -> Marker {
    let body = now.model().body(&spot.body).unwrap_or(BodyId::GROUND);
    Marker { body, point: spot.point.into(), axes: Mat3::IDENTITY }
}

/// The present state as one of the new model, if it fits there.
fn go_on(now: &Simulation, model: &Arc<Model>, notes: &mut Vec<String>) -> Option<State> {
    let mut sim = Simulation::new(model.clone());
    sim.set_state(model.carry(now.model(), now.state()));
    let fits = sim.violation().0 < 1e-6 * (1.0 + model.length_scale());
    if fits && sim.project().is_ok() {
        sim.reset_ledger();
        return Some(sim.state().clone());
    }
    notes.push("the mechanism starts again: in its present pose the change does not fit".into());
    None
}

/// Make a change in a draft; the name of what was added.
fn perform(draft: &mut SceneDraft, edit: &Edit) -> Result<Option<String>, EditError> {
    let vec = |t: &[f64; 3]| Vec3::from(*t);
    Ok(match edit {
        Edit::AddBody { name, body, joints } => Some(draft.add_body(name.as_deref(), body, joints)?),
        Edit::AddGroundPoint { name, at } => Some(draft.add_ground_point(name.as_deref(), vec(at))?),
        Edit::AddJoint { name, joint, a, b, axis, fields } => {
            draft.world(a)?;
            draft.world(b)?;
            draft.start_here(true)?;
            Some(draft.add_joint(name.as_deref(), joint, (a, b), axis.as_ref().map(vec), fields)?)
        }
        Edit::AddDrive { name, drive, on, fields } => Some(draft.add_drive(name.as_deref(), drive, on, fields)?),
        Edit::AddForce { name, force, a, b, fields } => {
            Some(draft.add_force(name.as_deref(), force, [a.as_ref(), b.as_ref()], fields)?)
        }
        Edit::Duplicate { body, by } => Some(draft.duplicate(body, vec(by))?),
        Edit::Set { path, value } => draft.set(path, value).map(|()| None)?,
        Edit::Rename { path, name } => draft.rename(path, name).map(|()| Some(name.trim().to_string()))?,
        Edit::Remove { path } => draft.remove(path).map(|()| None)?,
        Edit::Cut { joint } => draft.cut(joint).map(|()| None)?,
        Edit::Weld { joint } => draft.weld(joint).map(|()| None)?,
        Edit::MoveBody { body, at, turn } => {
            draft.move_body(body, vec(at), turn.map(|[x, y, z, w]| Quat::from_xyzw(x, y, z, w))).map(|()| None)?
        }
    })
}

/// Columns that fit nothing.
fn unknown_columns(model: &Model, scene: &Scene) -> Vec<String> {
    let columns = scene.record.columns.iter().map(|c| &c.0);
    columns.filter(|c| Quantities::of_scene(model, scene, &[c.as_str()]).is_err()).cloned().collect()
}

fn forget_columns(document: &mut DocTable, gone: &[String]) {
    let unknown = |node: &DocNode| node.as_text().is_some_and(|t| gone.iter().any(|g| g == t));
    let Some(record) = super::document::inner_mut(document, "record") else { return };
    let Some(columns) = record.get_mut("columns") else { return };
    let left = match &mut columns.value {
        Value::List(list) => {
            list.retain(|n| !unknown(n));
            !list.is_empty()
        }
        _ => !unknown(columns),
    };
    if !left {
        super::document::take(record, "columns");
        if record.is_empty() {
            super::document::take(document, "record");
        }
    }
}

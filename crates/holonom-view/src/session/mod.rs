//! A simulation that people put their hands on.
//!
//! Time goes in ticks of fixed length. Inputs are applied between ticks, in the order in which they come, and logged;
//! nothing else decides the motion. There is no clock and no thread here: [`crate::hub`] runs a session against the
//! clock, [`replay`] without one, and both come to the same bits.

mod building;
pub mod hands;
mod history;
mod inquiry;
mod jog;
mod kinematic;
pub mod log;
mod pace;
mod showing;

pub use inquiry::{Download, Inquiry, InquiryResult};
pub use log::{InputLog, ReplayResult, replay};

use crate::edit::{PointAssembly, SceneEditor};
use crate::message::{MotionMode, Reply, Request, Triple};
use hands::{CAPS, Hand, Hands};
use history::{History, Moment};
use holonom::{BodyId, IntegratorKind, Interrupt, Marker, Simulation, StepError, Vec3, WorstOfRun};
use holonom_scene::{Loaded, Loader};
use jog::Jog;
use log::{Input, LogEntry, ProgramInput};
use pace::Pace;
use showing::FrameCache;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Time constant with which velocities decay in quasi-static motion, s.
const VELOCITY_DECAY: f64 = 0.02;
/// Most hands at work at once.
const MOST_HANDS: usize = 64;
/// Moments kept per simulated second, at most.
const MOMENTS: f64 = 60.0;

/// Where a scene came from: enough to read it again.
#[derive(Clone, Debug, Default)]
pub struct SceneOrigin {
    /// Name of the gallery or file.
    pub name: String,
    /// Text.
    pub text: String,
    /// Folder of the file, if it is one.
    pub folder: Option<PathBuf>,
}

/// Why an input was refused: one sentence, and perhaps a report with lines.
#[derive(Clone, Debug, PartialEq)]
pub struct InputError {
    /// One sentence that stands alone.
    pub message: String,
    /// The report, as a compiler would print it.
    pub details: Option<String>,
}

impl<T: Into<String>> From<T> for InputError {
    fn from(message: T) -> Self {
        InputError { message: message.into(), details: None }
    }
}

/// What a session is begun with, and keeps whatever scene is opened.
#[derive(Clone, Default)]
pub struct SessionChoices {
    /// The scene that the program was started with.
    own: Option<Arc<SceneOrigin>>,
    /// Limits and folders for reading scenes.
    loader: Loader,
    /// Who may have a tick given up.
    interrupt: Interrupt,
}

/// A running mechanism.
pub struct Session {
    choices: SessionChoices,
    pub(crate) origin: SceneOrigin,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) sim: Simulation,
    /// Joints and forces of the scene; hands come after them.
    pub(crate) own_joints: usize,
    pub(crate) own_forces: usize,
    pub(crate) tick: u64,
    /// Tick and time from which ticks are counted.
    base: (u64, f64),
    pub(crate) pace: Pace,
    pub(crate) mode: MotionMode,
    /// Real-time steps, also while nothing is grabbed?
    pub(crate) hurried: bool,
    /// Is stepping what the simulation is set to?
    stepping: bool,
    pub(crate) hands: Hands,
    pub(crate) history: History,
    pub(crate) log: Vec<LogEntry>,
    jog: Option<Jog>,
    /// The scene as a document that can be changed.
    pub(crate) editor: SceneEditor,
    /// Points on their way to each other, and for whom.
    assembly: Option<(u32, Box<PointAssembly>)>,
    /// What clients are to be told: one of them, or all.
    pub(crate) outbox: Vec<(Option<u32>, Reply)>,
    /// Is a moment of the past shown?
    pub(crate) past: bool,
    /// Changes when what is drawn does.
    pub(crate) revision: u64,
    /// Largest gap after the last tick, m or rad.
    pub gap: f64,
    /// The worst since the model was set up.
    pub worst: WorstOfRun,
    /// A length of the scene, m.
    size: f64,
    shown: FrameCache,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// An empty scene.
    pub fn new() -> Session {
        let (editor, loaded, model) = SceneEditor::empty();
        let sim = Simulation::new(model);
        let pace = Pace::of(&loaded.scene.run, sim.model());
        let mut session = Session {
            choices: SessionChoices { loader: Loader::new(), ..SessionChoices::default() },
            origin: SceneOrigin { name: "new".into(), text: editor.scene_text(), folder: None },
            loaded: Arc::new(loaded),
            own_joints: 0,
            own_forces: 0,
            sim,
            tick: 0,
            base: (0, 0.0),
            pace,
            mode: MotionMode::Dynamic,
            hurried: false,
            stepping: false,
            hands: Hands::default(),
            history: History::default(),
            log: Vec::new(),
            jog: None,
            editor,
            assembly: None,
            outbox: Vec::new(),
            past: false,
            revision: 0,
            gap: 0.0,
            worst: WorstOfRun::default(),
            size: 1.0,
            shown: FrameCache::default(),
        };
        session.settle();
        session
    }

    /// An empty scene, with the choices of another session.
    pub fn begin(choices: SessionChoices) -> Session {
        let mut session = Session { choices, ..Session::new() };
        session.sim.set_interrupt(session.choices.interrupt.clone());
        session
    }

    /// What it was begun with.
    pub fn choices(&self) -> SessionChoices {
        self.choices.clone()
    }

    /// Somebody who may have a tick given up ([`Simulation::set_interrupt`]): the state is then as before it. The
    /// motion of ticks that are taken does not depend on it.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.sim.set_interrupt(interrupt.clone());
        self.choices.interrupt = interrupt;
    }

    /// Run the scene that the program is started with: it can be opened again by its name. The loader's limits and
    /// folders hold for all scenes from now on.
    pub fn start_with(&mut self, origin: SceneOrigin, loaded: Loaded, loader: &Loader) -> Result<(), String> {
        let (allowed, package_paths) = (loader.allowed.clone(), loader.package_paths.clone());
        self.choices.loader = Loader { limits: loader.limits, allowed, package_paths, ..Loader::default() };
        self.choices.own = Some(Arc::new(origin.clone()));
        self.open(origin, loaded)
    }

    /// Read a scene and run it from its start.
    pub fn open_text(&mut self, name: &str, text: &str, folder: Option<&Path>) -> Result<(), String> {
        let origin = SceneOrigin { name: name.into(), text: text.into(), folder: folder.map(Path::to_path_buf) };
        let loaded = self.load(&origin)?;
        self.open(origin, loaded)
    }

    fn load(&self, origin: &SceneOrigin) -> Result<Loaded, String> {
        let SceneOrigin { name, text, folder } = origin;
        let known = [".toml", ".urdf", ".xacro", ".xml", ".mjcf"].iter().any(|suffix| name.ends_with(suffix));
        let file = if known { name.clone() } else { format!("{name}.toml") };
        // the name of a scene is no path: files are looked for in its folder, wherever the name points
        let file = Path::new(&file).file_name().map_or_else(|| file.clone(), |f| f.to_string_lossy().into_owned());
        let loaded = match folder {
            Some(folder) => self.choices.loader.load_text_at(&folder.join(&file), text.as_str()),
            None => self.choices.loader.load_text(&file, text.as_str()),
        };
        loaded.map_err(|f| f.render())
    }

    /// Run a scene that was read from its start.
    pub fn open(&mut self, origin: SceneOrigin, loaded: Loaded) -> Result<(), String> {
        let model = Arc::new(loaded.build().map_err(|f| f.render())?);
        let mut sim = Simulation::new(model);
        Pace::set_up(&loaded.scene.run, &mut sim).map_err(|e| e.to_string())?;
        let (revision, choices) = (self.revision + 1, self.choices.clone());
        let editor = SceneEditor::new(&choices.loader, &loaded);
        sim.set_interrupt(choices.interrupt.clone());
        *self = Session { origin, sim, loaded: Arc::new(loaded), revision, choices, editor, ..Session::new() };
        self.pace = Pace::of(&self.loaded.scene.run, self.sim.model());
        if matches!(self.loaded.scene.run.law.as_deref(), Some("kinematic" | "first-order")) {
            self.mode = MotionMode::Kinematic;
        }
        self.settle();
        self.tell_warnings();
        Ok(())
    }

    /// What of the scene does not count, such as meshes that are not there.
    fn tell_warnings(&mut self) {
        let report = &self.loaded.report;
        let n = report.all().len();
        if n == 0 {
            return;
        }
        let first = &report.all()[0].message;
        let more = if n > 1 { format!(", and {} more", n - 1) } else { String::new() };
        let message = format!("the scene is open, but not all of it counts: {first}{more}");
        let details = report.render(&self.loaded.sources);
        self.outbox.push((None, Reply::Warning { message, details }));
    }

    /// After the model was replaced: count what is its own, set it up, begin a history.
    fn settle(&mut self) {
        (self.own_joints, self.own_forces) = (self.sim.model().n_joints(), self.sim.model().n_forces());
        self.base = (self.tick, self.sim.time());
        self.size = self.sim.model().length_scale();
        self.stepping = true;
        self.set_stepping(false);
        // cannot fail: there are no hands yet
        let _ = self.hands.attach(&mut self.sim, self.mode != MotionMode::Kinematic);
        let every = (1.0 / (MOMENTS * self.pace.tick)).round().max(1.0) as u64;
        self.history = History::new(every);
        (self.gap, self.worst) = (self.sim.violation().0, WorstOfRun::default());
        self.past = false;
        self.keep_moment();
    }

    /// Back to the start of the scene, edits kept. Hands let go.
    pub fn reset(&mut self) -> Result<(), InputError> {
        self.input(0, Input::Said(Request::Reset))
    }

    // ---- looking -----------------------------------------------------------------------------------------------

    /// The simulation; for looking at.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.sim
    }

    /// The scene.
    pub fn scene(&self) -> &holonom_scene::Scene {
        &self.loaded.scene
    }

    /// Ticks since the start.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Length of a tick, s.
    pub fn tick_length(&self) -> f64 {
        self.pace.tick
    }

    /// Hash over the bits of the state, 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        format!("{:016x}", self.sim.state().hash())
    }

    /// Does anybody hold anything?
    pub fn is_held_by(&self, client: u32) -> bool {
        self.hands.all().iter().any(|h| h.owner.0 == client && !h.pinned)
    }

    // ---- time --------------------------------------------------------------------------------------------------

    /// One tick. On failure the state is as before it.
    pub fn advance(&mut self) -> Result<(), StepError> {
        self.resume();
        let goal = self.base.1 + (self.tick + 1 - self.base.0) as f64 * self.pace.tick;
        let before = self.sim.state().clone();
        if self.assembly.is_some() {
            self.tick += 1;
            return self.assemble();
        }
        let result = self.take_tick(goal);
        if let Err(e) = result {
            self.sim.set_state(before);
            return Err(e);
        }
        self.tick += 1;
        if self.history.wants(self.tick) {
            self.keep_moment();
        }
        Ok(())
    }

    fn take_tick(&mut self, goal: f64) -> Result<(), StepError> {
        if let Some(jog) = &mut self.jog {
            jog.advance(self.sim.time(), self.pace.tick, self.size)?;
        }
        if self.mode == MotionMode::Kinematic {
            let h = goal - self.sim.time();
            kinematic::step(&mut self.sim, self.hands.all(), self.size, h)?;
            self.sim.state_mut().t = goal;
            self.gap = self.sim.violation().0;
            return Ok(());
        }
        let hurry = self.hurried || self.hands.grab() || self.mode == MotionMode::QuasiStatic;
        self.set_stepping(hurry);
        let (sim, worst) = (&mut self.sim, &mut self.worst);
        let report = if hurry { self.pace.hurried(sim, goal, worst) } else { self.pace.accurate(sim, goal, worst) }?;
        self.gap = report.gap;
        if self.mode == MotionMode::QuasiStatic {
            self.sim.damp(libm::exp(-self.pace.tick / VELOCITY_DECAY))?;
            self.gap = self.sim.violation().0;
        }
        Ok(())
    }

    fn set_stepping(&mut self, stepping: bool) {
        if self.stepping != stepping {
            self.sim.set_integrator(if stepping { IntegratorKind::Stepping } else { self.pace.integrator });
            self.stepping = stepping;
        }
    }

    /// Name of the integrator in use.
    pub fn integrator(&self) -> &'static str {
        if self.mode == MotionMode::Kinematic { "f = m v" } else { self.sim.integrator().0 }
    }

    fn keep_moment(&mut self) {
        let s = self.sim.state();
        let bytes = 8 * (s.q.len() + s.v.len() + self.sim.model().n_joints() + self.sim.model().n_forces()) + 1000;
        let (checkpoint, hands) = (self.sim.checkpoint(), self.hands.clone());
        let (tick, mode, hurried, stepping) = (self.tick, self.mode, self.hurried, self.stepping);
        let (jog, logged) = (self.jog.as_ref().map(Jog::keep), self.log.len());
        self.history.keep(Arc::new(Moment { tick, checkpoint, hands, mode, hurried, stepping, jog, logged, bytes }));
    }

    /// Show the last kept moment at or before a tick.
    pub fn seek(&mut self, tick: u64) {
        if self.assembly.is_some() {
            return;
        }
        if !self.past {
            // the present is where one can come back to
            self.keep_moment();
        }
        let Some(moment) = self.history.at(tick).cloned() else { return };
        // before the state is restored: it keeps the next step of the error control
        self.set_stepping(moment.stepping);
        self.sim.return_to(&moment.checkpoint);
        (self.tick, self.mode, self.hurried) = (moment.tick, moment.mode, moment.hurried);
        self.hands = moment.hands.clone();
        self.jog = moment.jog.as_ref().map(|kept| Jog::back(kept, &self.sim));
        self.gap = self.sim.violation().0;
        self.past = true;
    }

    /// Go on from the moment that is shown, if it is one of the past: what came after it is forgotten.
    pub fn resume(&mut self) {
        if !self.past {
            return;
        }
        self.past = false;
        self.history.forget_from(self.tick + 1);
        if let Some(moment) = self.history.moments().last() {
            self.log.truncate(moment.logged);
        }
        let _ = self.input(0, Input::Own(ProgramInput::Resume));
    }

    // ---- inputs ------------------------------------------------------------------------------------------------

    /// Something that a client or the program does. What is refused changes nothing and is not logged.
    pub fn input(&mut self, client: u32, input: Input) -> Result<(), InputError> {
        self.resume();
        let logged = self.log.len();
        self.log.push(LogEntry { tick: self.tick, client, input: input.clone() });
        let done = self.apply(client, &input);
        if done.is_err() {
            self.log.truncate(logged);
        }
        done
    }

    fn apply(&mut self, client: u32, input: &Input) -> Result<(), InputError> {
        match input {
            Input::Own(ProgramInput::Leave) => self.let_go(|h| h.owner.0 == client && !h.pinned),
            Input::Own(ProgramInput::Resume) => self.let_go(|h| !h.pinned),
            Input::Own(ProgramInput::Hurry { on }) => {
                self.hurried = *on;
                Ok(())
            }
            Input::Said(request) => self.apply_request(client, request),
        }
    }

    fn apply_request(&mut self, client: u32, request: &Request) -> Result<(), InputError> {
        match request {
            Request::Grab { hand, body, point, cap } => {
                let marker = self.marker(body, *point)?;
                check_cap(*cap)?;
                let hand = Hand::grab((client, *hand), marker, *cap, &self.sim);
                self.add_hand(hand)
            }
            Request::Move { hand, to } => {
                check_finite("the place to pull to", *to)?;
                let owner = (client, *hand);
                if self.hands.get_mut(owner).is_some_and(|h| !h.pinned) {
                    self.hands.set_target(owner, *to);
                }
                Ok(())
            }
            Request::Cap { hand, cap } => {
                check_cap(*cap)?;
                self.hands.set_cap((client, *hand), *cap, &mut self.sim).map_err(|e| e.to_string().into())
            }
            Request::Pin { hand } => {
                if let Some(hand) = self.hands.get_mut((client, *hand)) {
                    hand.pinned = true;
                }
                Ok(())
            }
            Request::Push { hand, body, point, force } => self.push((client, *hand), body, *point, *force),
            Request::Twist { hand, body, torque } => self.twist((client, *hand), body, *torque),
            Request::Release { hand, client: whose } => {
                let owner = (whose.unwrap_or(client), *hand);
                self.let_go(|h| h.owner == owner && (owner.0 == client || h.pinned))
            }
            Request::ReleaseAll => self.let_go(|_| true),
            Request::Mode { mode } => self.set_mode(*mode),
            Request::Drive { joint, on } => self.switch_drive(joint, *on),
            Request::Jog { body, point, velocity } => self.jog_tool(body, *point, *velocity),
            Request::Reset => self.restart(),
            Request::Edit { edit } => self.edit(client, edit),
            Request::Undo => self.undo(),
            Request::Redo => self.redo(),
            other => Err(format!("{other:?} is not an input").into()),
        }
    }

    fn push(&mut self, owner: (u32, u32), body: &str, point: Triple, force: Triple) -> Result<(), InputError> {
        let marker = self.marker(body, point)?;
        check_finite("the force", force)?;
        if self.hands.set_effort(owner, marker, force, false) {
            return Ok(());
        }
        self.add_hand(Hand::push(owner, marker, force))
    }

    fn twist(&mut self, owner: (u32, u32), body: &str, torque: Triple) -> Result<(), InputError> {
        let marker = self.marker(body, [0.0; 3])?;
        check_finite("the torque", torque)?;
        if self.sim.spin(marker.body).is_none() {
            return Err(format!("body `{body}` has no orientation, it cannot be twisted").into());
        }
        if self.hands.set_effort(owner, marker, torque, true) {
            return Ok(());
        }
        self.add_hand(Hand::twist(owner, marker.body, torque))
    }

    fn set_mode(&mut self, mode: MotionMode) -> Result<(), InputError> {
        if self.mode == MotionMode::Kinematic && mode != MotionMode::Kinematic {
            // motion without inertia leaves no momentum behind; drives go on
            let v = self.sim.velocities_from_forces(&[]).map_err(|e| e.to_string())?;
            self.sim.state_mut().v.copy_from_slice(&v);
        }
        self.mode = mode;
        self.hands.attach(&mut self.sim, mode != MotionMode::Kinematic).map_err(|e| e.to_string().into())
    }

    fn switch_drive(&mut self, joint: &str, on: bool) -> Result<(), InputError> {
        let id = self.sim.model().joint(joint).filter(|id| id.index() < self.own_joints);
        let id = id.ok_or_else(|| format!("there is no drive `{joint}`"))?;
        let done = if on { self.sim.mend_joint(id) } else { self.sim.break_joint(id) };
        done.map_err(|e| e.to_string())?;
        self.revision += 1;
        Ok(())
    }

    fn jog_tool(&mut self, body: &str, point: Triple, velocity: Triple) -> Result<(), InputError> {
        check_finite("the velocity", velocity)?;
        let tool = self.marker(body, point)?;
        let jog = match &mut self.jog {
            Some(jog) => jog,
            none => none.insert(Jog::begin(&self.loaded.scene, &mut self.sim, tool)?),
        };
        jog.set(tool, Vec3::from_array(velocity));
        Ok(())
    }

    fn add_hand(&mut self, hand: Hand) -> Result<(), InputError> {
        if self.hands.all().len() >= MOST_HANDS {
            return Err(format!("there are {MOST_HANDS} hands at work already, no more are possible").into());
        }
        self.hands.add(hand, &mut self.sim).map_err(|e| e.to_string().into())
    }

    fn let_go(&mut self, which: impl Fn(&Hand) -> bool) -> Result<(), InputError> {
        self.hands.let_go(&mut self.sim, which).map_err(|e| e.to_string().into())
    }

    /// A point of a body.
    fn marker(&self, body: &str, point: Triple) -> Result<Marker, InputError> {
        check_finite("the point", point)?;
        let id: BodyId = self.sim.model().body(body).ok_or_else(|| format!("there is no body `{body}`"))?;
        let carries = self.sim.axes(id).is_some() || point == [0.0; 3];
        // a body without orientation is held where it is
        Ok(id.at(if carries { Vec3::from_array(point) } else { Vec3::ZERO }))
    }
}

fn check_cap(cap: f64) -> Result<(), InputError> {
    if CAPS.contains(&cap) {
        return Ok(());
    }
    Err(format!("the cap of a hand is {cap} N, must be from {:e} to {:e} N", CAPS.start(), CAPS.end()).into())
}

fn check_finite(what: &str, value: Triple) -> Result<(), InputError> {
    if value.iter().all(|x| x.is_finite() && x.abs() < 1e15) {
        return Ok(());
    }
    Err(format!("{what} is {value:?}, must be finite").into())
}

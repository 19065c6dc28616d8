//! The thread that owns the session: inputs in one order, ticks against the clock, frames.

use super::beside::{self, Asker};
use super::desk::{Desk, Job, Next};
use super::watch::GivenUp;
use crate::clock::Instant;
use crate::message::{FrameHeader, Reply, Request, StepMethod};
use crate::session::log::{Input, ProgramInput};
use crate::session::{InputError, Session, SessionChoices};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Length of a frame.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// The part of a frame that may be spent on ticks; the rest is for composing what is seen, and for others.
const BUSY: Duration = Duration::from_millis(12);
/// When frames are late, what was said is heard all the same: all that waits, for so long at most. One input a frame
/// would be answered later and later.
const HEARING: Duration = Duration::from_millis(4);
/// Single steps that can be asked for at once.
const MOST_STEPS: u32 = 10_000;
/// For so long the clock may run ahead before real-time steps are taken, s.
const PATIENCE: f64 = 0.4;
/// How long what is computed may take before it is given up.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    /// A tick.
    pub tick: Duration,
    /// A tick in whose place a real-time step can be taken.
    pub accurate: Duration,
    /// Composing a frame, and what is answered between ticks.
    pub look: Duration,
}

impl Default for Longest {
    fn default() -> Self {
        let [tick, accurate, look] = [10, 1, 3].map(Duration::from_secs);
        Longest { tick, accurate, look }
    }
}

/// State of the thread that runs the session.
pub(super) struct SessionLoop {
    session: Session,
    /// What a session is begun with, for one that takes its place.
    choices: SessionChoices,
    desk: Arc<Desk>,
    longest: Longest,
    publish: watch::Sender<Arc<Vec<u8>>>,
    playing: bool,
    /// Single steps that were asked for and are not taken yet.
    owed: u32,
    speed: f64,
    method: StepMethod,
    /// Simulated time that the clock is ahead, s.
    behind: f64,
    /// How long the clock has not been met, s.
    late: f64,
    /// Simulated seconds per second, and seconds per tick, smoothed.
    real_time: f64,
    cost: f64,
    stopped: Option<String>,
    /// Number of the picture that clients have.
    drawn: Option<u64>,
    /// Something to show that was not shown yet.
    news: bool,
}

impl SessionLoop {
    pub fn new(session: Session, desk: Arc<Desk>, longest: Longest, publish: watch::Sender<Arc<Vec<u8>>>) -> Self {
        SessionLoop {
            choices: session.choices(),
            session,
            desk,
            longest,
            publish,
            playing: false,
            owed: 0,
            speed: 1.0,
            method: StepMethod::Auto,
            behind: 0.0,
            late: 0.0,
            real_time: 1.0,
            cost: 0.0,
            stopped: None,
            drawn: None,
            news: true,
        }
    }

    pub fn work(mut self) {
        let mut next = Instant::now();
        let mut last = next;
        loop {
            loop {
                match self.desk.next(next) {
                    Next::Stop => return,
                    Next::Job(job) => self.guarded(|s| s.hear(*job)),
                    Next::Time => break,
                }
                if Instant::now() >= next + HEARING && !self.desk.is_alone() {
                    break;
                }
            }
            let now = Instant::now();
            let passed = (now - last).as_secs_f64().min(0.25);
            (last, next) = (now, (next + FRAME).max(now));
            self.guarded(|s| s.turn(passed));
        }
    }

    /// What a frame's time brings: ticks, what is to be told of them, and what is to be seen.
    pub fn turn(&mut self, passed: f64) {
        if self.playing || self.session.assembles() {
            self.run(passed);
        }
        self.step_on();
        self.post();
        self.show();
    }

    // ---- faults ------------------------------------------------------------------------------------------

    /// A panic ends the session, and nothing else.
    pub fn guarded(&mut self, work: impl FnOnce(&mut SessionLoop)) {
        if let Err(fault) = catch_unwind(AssertUnwindSafe(|| work(self))) {
            self.begin_anew(&words_of(fault));
        }
    }

    /// Another session in place of one that cannot be trusted any more: the same scene from its start, as far as it can
    /// still be read.
    fn begin_anew(&mut self, fault: &str) {
        let (old, choices) = (&self.session, &self.choices);
        let reopened = catch_unwind(AssertUnwindSafe(|| {
            let mut new = Session::begin(choices.clone());
            let origin = old.origin().clone();
            let text = old.scene_text();
            new.open_text(&origin.name, &text, origin.folder.as_deref()).map(|()| new)
        }));
        let (session, what) = match reopened {
            Ok(Ok(session)) => (session, "the scene begins anew"),
            _ => (Session::begin(self.choices.clone()), "this is an empty scene"),
        };
        let revision = self.session.revision.max(self.drawn.unwrap_or(0));
        self.session = session;
        self.session.revision += revision + 1;
        self.session.set_interrupt(self.desk.watch.interrupt());
        (self.playing, self.owed, self.behind, self.late, self.drawn) = (false, 0, 0.0, 0.0, None);
        self.stopped = Some(format!("a fault in the program ended the session; {what}"));
        let message = format!("A fault in the program ended the session ({fault}); {what}. Please report it.");
        self.desk.tell_all(&Reply::Error { id: None, message, details: None });
        self.news = true;
    }

    // ---- time --------------------------------------------------------------------------------------------------

    /// Catch up with the clock as far as a frame allows.
    fn run(&mut self, passed: f64) {
        let tick = self.session.tick_length();
        self.behind += passed * self.speed;
        let (begun, mut ticks) = (Instant::now(), 0);
        while self.behind >= tick && begun.elapsed() < BUSY {
            if !self.advance() {
                break;
            }
            self.behind -= tick;
            ticks += 1;
        }
        let part = 1.0 - libm::exp(-passed / 0.5);
        if ticks > 0 {
            let each = begun.elapsed().as_secs_f64() / ticks as f64;
            self.cost += part * (each - self.cost);
        }
        self.real_time += part * (ticks as f64 * tick / passed.max(1e-6) - self.real_time);
        // what cannot be caught up with is given up: slow motion, not a jump later. A moment in which others had the
        // processor is caught up with
        let most = (0.15 * self.speed).max(2.0 * tick);
        let late = self.behind > most;
        self.behind = self.behind.min(most);
        self.late = if late { self.late + passed } else { (self.late - passed).max(0.0) };
        if self.late > PATIENCE && self.may_hurry() {
            self.hurry_instead("The clock cannot be kept with the accuracy that the scene asks for");
        }
    }

    /// Take steps that were asked for, as many as a frame has time for: others want to be heard too.
    fn step_on(&mut self) {
        let begun = Instant::now();
        while self.owed > 0 && begun.elapsed() < BUSY {
            let tick = Instant::now();
            if !self.advance() {
                break;
            }
            self.owed -= 1;
            self.cost = tick.elapsed().as_secs_f64();
        }
    }

    /// One tick. False where it was not taken: because somebody wants something else first, or because it cannot be.
    fn advance(&mut self) -> bool {
        let most = if self.may_hurry() { self.longest.accurate } else { self.longest.tick };
        let session = &mut self.session;
        let (result, given_up) = self.desk.watch.over(most, || session.advance());
        let Err(e) = result else {
            self.news = true;
            return true;
        };
        match given_up {
            // what is wanted comes first, and then the tick once more
            Some(GivenUp::Unwanted) => return false,
            Some(GivenUp::TooLong) if self.may_hurry() => {
                self.hurry_instead("A step took too long to compute");
            }
            Some(GivenUp::TooLong) => {
                let time = self.session.simulation().time();
                self.stop_with(format!(
                "after {} s of computing the step from t = {:.6} s had not come to its end, and was given up; the state before it is kept. \
                 Real-time steps may get across it, so may a shorter time step or another integrator in the scene; \
                 undo takes the last change back",
                most.as_secs(),
                time,
            ));
            }
            None => self.stop_with(e.to_string()),
        }
        false
    }

    fn stop_with(&mut self, why: String) {
        (self.playing, self.owed, self.stopped, self.news) = (false, 0, Some(why), true);
    }

    /// May real-time steps take the place of accurate ones?
    fn may_hurry(&self) -> bool {
        self.method == StepMethod::Auto && !self.session.hurried
    }

    fn hurry_instead(&mut self, why: &str) {
        self.hurry(true);
        self.desk.tell_all(&Reply::Note { message: format!("{why}: real-time steps from now on.") });
        self.news = true;
    }

    fn hurry(&mut self, on: bool) {
        let _ = self.session.input(0, Input::Own(ProgramInput::Hurry { on }));
        self.late = 0.0;
    }

    fn let_go(&mut self, client: u32) {
        if self.session.is_held_by(client) {
            let _ = self.session.input(client, Input::Own(ProgramInput::Leave));
            self.news = true;
        }
    }

    /// Tell what the session has to tell.
    fn post(&mut self) {
        for (to, reply) in std::mem::take(&mut self.session.outbox) {
            match to {
                Some(id) => self.desk.tell(id, &reply),
                None => self.desk.tell_all(&reply),
            }
        }
    }

    // ---- frames ------------------------------------------------------------------------------------------

    fn show(&mut self) {
        let (desk, session) = (self.desk.clone(), &mut self.session);
        if self.drawn != Some(session.revision) {
            let (picture, _) = desk.watch.over(self.longest.look, || session.picture());
            self.drawn = Some(session.revision);
            desk.tell_all(&Reply::Picture(Box::new(picture)));
            self.news = true;
        }
        if !(desk.take_news() | self.news) {
            return;
        }
        self.news = false;
        let wanted = desk.wanted();
        let header = FrameHeader {
            playing: self.playing,
            method: self.method,
            speed: self.speed,
            real_time: if self.playing { self.real_time } else { 0.0 },
            cost_us: 1e6 * self.cost,
            clients: wanted.clients,
            stopped: self.stopped.clone(),
            ..FrameHeader::default()
        };
        let composed = desk.watch.over(self.longest.look, || session.frame(header, &wanted.sections, &wanted.watched));
        self.publish.send_replace(Arc::new(composed.0));
    }

    // ---- requests ------------------------------------------------------------------------------------------

    pub fn hear(&mut self, job: Job) {
        match job {
            Job::LetGo(id) => self.let_go(id),
            Job::Said(id, request) => self.obey(id, request),
            Job::Fetch(what, answer) => {
                let asker = Asker::Fetch(answer);
                match self.session.inquire_download(&what) {
                    Ok(inquiry) => beside::begin(&self.desk, asker, inquiry),
                    Err(result) => asker.tell(&self.desk, result),
                }
            }
            #[cfg(test)]
            Job::Panic => panic!("as the test wants it"),
        }
    }

    fn obey(&mut self, id: u32, request: Request) {
        // questions change nothing that is seen; news that came before them stay news
        self.news |= !matches!(request, Request::Ask { .. });
        let done = match request {
            Request::Play => {
                (self.playing, self.stopped, self.behind, self.owed) = (true, None, 0.0, 0);
                self.session.resume();
                Ok(())
            }
            Request::Pause => {
                (self.playing, self.owed) = (false, 0);
                Ok(())
            }
            Request::Step { ticks } => {
                (self.playing, self.owed) = (false, self.owed.saturating_add(ticks).min(MOST_STEPS));
                self.step_on();
                Ok(())
            }
            Request::Speed { factor } if (0.01..=10.0).contains(&factor) => {
                (self.speed, self.behind) = (factor, 0.0);
                Ok(())
            }
            Request::Speed { factor } => Err(format!("the speed is {factor}, must be from 0.01 to 10").into()),
            Request::Method { method } => {
                self.method = method;
                self.hurry(method == StepMethod::RealTime);
                Ok(())
            }
            Request::Seek { tick } => {
                (self.playing, self.owed) = (false, 0);
                self.session.seek(tick);
                Ok(())
            }
            Request::Reset => {
                (self.stopped, self.behind, self.owed) = (None, 0.0, 0);
                self.session.reset()
            }
            Request::Open { scene } => self.opened(|s| s.open_named(&scene)),
            Request::OpenText { name, text } => self.opened(|s| s.open_own(&name, &text)),
            Request::New => self.opened(|s| {
                s.open_new();
                Ok(())
            }),
            Request::Ask { id: number, question } => {
                let asker = Asker::Client(id, number);
                let (desk, session) = (self.desk.clone(), &mut self.session);
                match desk.watch.over(self.longest.look, || session.inquire(&question)).0 {
                    Ok(inquiry) => beside::begin(&desk, asker, inquiry),
                    Err(result) => asker.tell(&desk, result),
                }
                Ok(())
            }
            input => {
                // what the session answers hands with may need the equations solved
                let (desk, session) = (self.desk.clone(), &mut self.session);
                desk.watch.over(self.longest.tick, || session.input(id, Input::Said(input))).0
            }
        };
        if let Err(InputError { message, details }) = done {
            self.desk.tell(id, &Reply::Error { id: None, message, details });
        }
    }

    fn opened(&mut self, open: impl FnOnce(&mut Session) -> Result<(), InputError>) -> Result<(), InputError> {
        open(&mut self.session)?;
        (self.playing, self.stopped, self.owed) = (false, None, 0);
        (self.behind, self.late, self.cost) = (0.0, 0.0, 0.0);
        if self.method == StepMethod::RealTime {
            self.hurry(true);
        }
        Ok(())
    }
}

/// What a panic said.
fn words_of(fault: Box<dyn Any + Send>) -> String {
    let text = fault.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| fault.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no words".into())
}

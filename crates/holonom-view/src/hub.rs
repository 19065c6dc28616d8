//! The thread that runs a session against the clock, and its clients.
//!
//! One thread owns the session; all requests reach it through one queue, so that inputs have one order. Sixty times a
//! second it lets the session catch up with the clock, as far as that can be done in a frame's time, and publishes what
//! is to be seen. Only the newest frame is kept, so a client that reads slowly sees fewer of them. Replies wait in
//! queues of bounded length; a client that does not read them is disconnected.
//!
//! A client that holds something must send something at least every 200 ms; otherwise its hands are released. While no
//! client is connected, time stands still.

use crate::catalogue::catalogue;
use crate::message::{FrameHeader, FrameSection, Reply, Request, StepMethod};
use crate::session::log::{Input, ProgramInput};
use crate::session::{InputError, Session};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Length of a frame.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// The part of a frame that may be spent on ticks; the rest is for composing what is seen, and for others.
const BUSY: Duration = Duration::from_millis(12);
/// When frames are late, what was said is heard all the same: all that waits, for so long at most. One input a frame
/// would be answered later and later.
const HEARING: Duration = Duration::from_millis(4);
/// A client that holds something and is silent for so long lets go.
const SILENCE: Duration = Duration::from_millis(200);
/// Replies that may wait for a client to read them.
const QUEUE: usize = 256;
/// Quantities that a client may watch.
const MOST_WATCHED: usize = 64;
/// Single steps that can be asked for at once.
const MOST_STEPS: u32 = 10_000;
/// For so long the clock may run ahead before real-time steps are taken, s.
const PATIENCE: f64 = 0.4;

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

enum Event {
    Connect { replies: mpsc::Sender<Arc<str>>, id: oneshot::Sender<u32> },
    Leave(u32),
    Said(u32, Request),
    Fetch(Download, oneshot::Sender<Result<Vec<u8>, String>>),
    Stop,
}

/// A session at work. Clones are the same one.
#[derive(Clone)]
pub struct Hub {
    events: Sender<Event>,
    frames: watch::Receiver<Arc<Vec<u8>>>,
}

/// A connected client; dropping it disconnects.
pub struct Client {
    /// Its number.
    pub id: u32,
    /// The newest frame.
    pub frames: watch::Receiver<Arc<Vec<u8>>>,
    /// Replies in order; closed when the client was cut off.
    pub replies: mpsc::Receiver<Arc<str>>,
    events: Sender<Event>,
}

impl Client {
    /// Send a request.
    pub fn request(&self, request: Request) {
        // a hub that has stopped receives nothing
        let _ = self.events.send(Event::Said(self.id, request));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Leave(self.id));
    }
}

impl Hub {
    /// Start the thread.
    pub fn start(session: Session) -> Hub {
        let (events, queue) = channel();
        let (publish, frames) = watch::channel(Arc::new(Vec::new()));
        let hub = Hub { events, frames };
        std::thread::Builder::new()
            .name("session".into())
            .spawn(move || SessionLoop::new(session, publish).work(&queue))
            .expect("a thread can be started");
        hub
    }

    /// A new client. `None` when the hub has stopped.
    pub async fn connect(&self) -> Option<Client> {
        let (sender, replies) = mpsc::channel(QUEUE);
        let (id, number) = oneshot::channel();
        self.events.send(Event::Connect { replies: sender, id }).ok()?;
        let id = number.await.ok()?;
        Some(Client { id, frames: self.frames.clone(), replies, events: self.events.clone() })
    }

    /// Something to download.
    pub async fn fetch(&self, what: Download) -> Result<Vec<u8>, String> {
        let gone = || "the program is stopping".to_string();
        let (answer, wait) = oneshot::channel();
        self.events.send(Event::Fetch(what, answer)).map_err(|_| gone())?;
        wait.await.map_err(|_| gone())?
    }

    /// End the thread.
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }
}

/// What is known of a client.
struct ConnectedClient {
    replies: mpsc::Sender<Arc<str>>,
    heard: Instant,
    sections: Vec<FrameSection>,
    watched: Vec<String>,
}

/// State of the thread that runs the session.
struct SessionLoop {
    session: Session,
    publish: watch::Sender<Arc<Vec<u8>>>,
    clients: BTreeMap<u32, ConnectedClient>,
    next_client: u32,
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
    fn new(session: Session, publish: watch::Sender<Arc<Vec<u8>>>) -> SessionLoop {
        SessionLoop {
            session,
            publish,
            clients: BTreeMap::new(),
            next_client: 1,
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

    fn work(mut self, queue: &Receiver<Event>) {
        let mut next = Instant::now();
        let mut last = next;
        loop {
            loop {
                let wait = if self.clients.is_empty() {
                    Duration::from_secs(3600)
                } else {
                    next.saturating_duration_since(Instant::now())
                };
                match queue.recv_timeout(wait) {
                    Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                    Ok(event) => self.hear(event),
                    Err(RecvTimeoutError::Timeout) => break,
                }
                if Instant::now() >= next + HEARING && !self.clients.is_empty() {
                    break;
                }
            }
            let now = Instant::now();
            let passed = (now - last).as_secs_f64().min(0.25);
            (last, next) = (now, (next + FRAME).max(now));
            self.drop_the_silent(now);
            if self.playing || self.session.assembles() {
                self.run(passed);
            }
            self.step_on();
            self.post();
            self.show();
        }
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
        if self.method == StepMethod::Auto && self.late > PATIENCE && !self.session.hurried {
            self.hurry(true);
            self.tell_all(&Reply::Note {
                message:
                    "The clock cannot be kept with the accuracy that the scene asks for: real-time steps from now on."
                        .into(),
            });
        }
    }

    /// Take steps that were asked for, as many as a frame has time for: others want to be heard too.
    fn step_on(&mut self) {
        let begun = Instant::now();
        while self.owed > 0 && begun.elapsed() < BUSY {
            let tick = Instant::now();
            self.owed = if self.advance() { self.owed - 1 } else { 0 };
            self.cost = tick.elapsed().as_secs_f64();
        }
    }

    fn advance(&mut self) -> bool {
        match self.session.advance() {
            Ok(()) => {
                self.news = true;
                true
            }
            Err(e) => {
                (self.playing, self.stopped, self.news) = (false, Some(e.to_string()), true);
                false
            }
        }
    }

    fn hurry(&mut self, on: bool) {
        let _ = self.session.input(0, Input::Own(ProgramInput::Hurry { on }));
        self.late = 0.0;
    }

    /// Clients that hold something and say nothing are gone.
    fn drop_the_silent(&mut self, now: Instant) {
        let silent: Vec<u32> =
            self.clients.iter().filter(|(_, c)| now - c.heard > SILENCE).map(|(id, _)| *id).collect();
        for id in silent {
            self.let_go(id);
        }
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
                Some(id) => self.tell(id, &reply),
                None => self.tell_all(&reply),
            }
        }
    }

    // ---- frames ------------------------------------------------------------------------------------------

    fn show(&mut self) {
        if self.drawn != Some(self.session.revision) {
            let picture = self.session.picture();
            self.drawn = Some(self.session.revision);
            self.tell_all(&Reply::Picture(Box::new(picture)));
            self.news = true;
        }
        if !self.news {
            return;
        }
        self.news = false;
        let mut sections: Vec<FrameSection> = self.clients.values().flat_map(|c| c.sections.iter().copied()).collect();
        sections.sort();
        sections.dedup();
        let mut watched: Vec<String> = self.clients.values().flat_map(|c| c.watched.iter().cloned()).collect();
        watched.sort();
        watched.dedup();
        let header = FrameHeader {
            playing: self.playing,
            method: self.method,
            speed: self.speed,
            real_time: if self.playing { self.real_time } else { 0.0 },
            cost_us: 1e6 * self.cost,
            clients: self.clients.len(),
            stopped: self.stopped.clone(),
            ..FrameHeader::default()
        };
        let frame = self.session.frame(header, &sections, &watched);
        self.publish.send_replace(Arc::new(frame));
    }

    // ---- requests ------------------------------------------------------------------------------------------

    fn hear(&mut self, event: Event) {
        match event {
            Event::Connect { replies, id } => {
                let number = self.next_client;
                self.next_client += 1;
                let known =
                    ConnectedClient { replies, heard: Instant::now(), sections: Vec::new(), watched: Vec::new() };
                self.clients.insert(number, known);
                let _ = id.send(number);
                self.tell(number, &Reply::Welcome { client: number, version: env!("CARGO_PKG_VERSION") });
                self.tell(number, &Reply::Catalogue(catalogue()));
                if self.drawn == Some(self.session.revision) {
                    let picture = Reply::Picture(Box::new(self.session.picture()));
                    self.tell(number, &picture);
                }
                self.news = true;
            }
            Event::Leave(id) => {
                self.let_go(id);
                self.clients.remove(&id);
                self.news = true;
            }
            Event::Said(id, request) => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.heard = Instant::now();
                    self.obey(id, request);
                }
            }
            Event::Fetch(what, answer) => {
                let _ = answer.send(self.session.download(&what));
            }
            Event::Stop => {}
        }
    }

    fn obey(&mut self, id: u32, request: Request) {
        // questions change nothing that is seen; news that came before them stay news
        self.news |= !matches!(request, Request::Ask { .. } | Request::Ping { .. });
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
            Request::Show { sections } => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.sections = sections;
                }
                Ok(())
            }
            Request::Watch { mut names } => {
                names.truncate(MOST_WATCHED);
                if let Some(client) = self.clients.get_mut(&id) {
                    client.watched = names;
                }
                Ok(())
            }
            Request::Ask { id: number, question } => {
                match self.session.answer(&question) {
                    Ok(answer) => self.tell(id, &Reply::Answer { id: number, answer }),
                    Err(message) => self.tell(id, &Reply::Error { id: Some(number), message, details: None }),
                }
                Ok(())
            }
            Request::Ping { id: number } => {
                self.tell(id, &Reply::Pong { id: number });
                Ok(())
            }
            input => self.session.input(id, Input::Said(input)),
        };
        if let Err(InputError { message, details }) = done {
            self.tell(id, &Reply::Error { id: None, message, details });
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

    fn tell(&mut self, id: u32, reply: &Reply) {
        let text: Arc<str> = serde_json::to_string(reply).unwrap_or_default().into();
        self.tell_text(id, text);
    }

    fn tell_all(&mut self, reply: &Reply) {
        let text: Arc<str> = serde_json::to_string(reply).unwrap_or_default().into();
        for id in self.clients.keys().copied().collect::<Vec<_>>() {
            self.tell_text(id, text.clone());
        }
    }

    fn tell_text(&mut self, id: u32, text: Arc<str>) {
        let Some(client) = self.clients.get(&id) else { return };
        if client.replies.try_send(text).is_err() {
            // it does not read: disconnect
            self.let_go(id);
            self.clients.remove(&id);
        }
    }
}

//! Where clients are heard: who is connected, what waits to be done, what they are told. Every call here is short.

use super::beside::Inquiries;
use super::watch::Watch;
use crate::catalogue::catalogue;
use crate::clock::Instant;
use crate::message::{FrameSection, Reply, Request};
use crate::session::Download;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Requests of one client that may wait; who has so many is not read until the session has caught up.
pub const MOST_WAITING: usize = 256;
/// A client that holds something and is silent for so long lets go.
const SILENCE: Duration = Duration::from_millis(200);
/// How often the watch looks.
const LOOK: Duration = Duration::from_millis(10);
/// Quantities that a client may watch.
const MOST_WATCHED: usize = 64;

/// Something for the session to do.
pub(super) enum Job {
    /// A client asks for it.
    Said(u32, Request),
    /// What a client holds is let go.
    LetGo(u32),
    /// Something is downloaded.
    Fetch(Download, oneshot::Sender<Result<Vec<u8>, String>>),
    /// A fault in the session itself.
    #[cfg(test)]
    Panic,
}

impl Job {
    /// Is it pointless to go on computing when this waits? Not for what hands say all the time, nor for questions.
    fn is_urgent(&self) -> bool {
        use Request::*;
        match self {
            Job::Said(_, request) => !matches!(
                request,
                Grab { .. }
                    | Move { .. }
                    | Cap { .. }
                    | Push { .. }
                    | Twist { .. }
                    | Jog { .. }
                    | Pin { .. }
                    | Ask { .. }
                    | Play
                    | Step { .. }
                    | Speed { .. }
            ),
            _ => false,
        }
    }
}

/// What the session does next.
pub(super) enum Next {
    Job(Box<Job>),
    /// Nothing has come until the time given.
    Time,
    Stop,
}

/// What is known of a client.
struct ConnectedClient {
    replies: mpsc::Sender<Arc<str>>,
    heard: Instant,
    /// It was silent, and what it held was let go.
    released: bool,
    /// Requests of it that wait.
    waiting: usize,
    sections: Vec<FrameSection>,
    watched: Vec<String>,
}

#[derive(Default)]
struct Inside {
    clients: BTreeMap<u32, ConnectedClient>,
    /// Number of the client that came last.
    last_client: u32,
    jobs: VecDeque<Job>,
    /// The newest picture, for those who come.
    picture: Option<Arc<str>>,
    /// There is something to show that is no job.
    news: bool,
    stop: bool,
}

/// What frames are to hold.
#[derive(Default)]
pub(super) struct Wanted {
    pub clients: usize,
    pub sections: Vec<FrameSection>,
    pub watched: Vec<String>,
}

/// The desk.
#[derive(Default)]
pub(super) struct Desk {
    inside: Mutex<Inside>,
    /// Something waits to be done.
    bell: Condvar,
    /// Somebody came.
    arrival: Condvar,
    pub watch: Watch,
    pub inquiries: Inquiries,
}

impl Desk {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- clients ----------------------------------------------------------------------------------------------

    /// Somebody comes, and is told who they are, what can be built and what there is to see.
    pub fn connect(&self, replies: mpsc::Sender<Arc<str>>) -> Option<u32> {
        let mut inside = self.inside();
        if inside.stop {
            return None;
        }
        inside.last_client += 1;
        let id = inside.last_client;
        let (sections, watched) = (Vec::new(), Vec::new());
        let client = ConnectedClient { replies, heard: Instant::now(), released: false, waiting: 0, sections, watched };
        inside.clients.insert(id, client);
        inside.tell(id, text_of(&Reply::Welcome { client: id, version: env!("CARGO_PKG_VERSION") }));
        inside.tell(id, text_of(&Reply::Catalogue(catalogue())));
        if let Some(picture) = inside.picture.clone() {
            inside.tell(id, picture);
        }
        inside.news = true;
        drop(inside);
        self.bell.notify_one();
        self.arrival.notify_one();
        Some(id)
    }

    /// Somebody leaves.
    pub fn leave(&self, id: u32) {
        self.inquiries.take_back(id, None);
        let mut inside = self.inside();
        inside.clients.remove(&id);
        inside.jobs.push_back(Job::LetGo(id));
        inside.news = true;
        drop(inside);
        self.bell.notify_one();
    }

    /// A client says something: what concerns the session waits for it, the rest is done at once.
    pub fn said(&self, id: u32, request: Request) {
        let mut inside = self.inside();
        let Some(client) = inside.clients.get_mut(&id) else { return };
        (client.heard, client.released) = (Instant::now(), false);
        match request {
            Request::Ping { id: number } => inside.tell(id, text_of(&Reply::Pong { id: number })),
            Request::Show { sections } => {
                client.sections = sections;
                client.sections.sort();
                client.sections.dedup();
                inside.news = true;
            }
            Request::Watch { mut names } => {
                names.truncate(MOST_WATCHED);
                client.watched = names;
                inside.news = true;
            }
            Request::TakeBack { id: number } => {
                drop(inside);
                self.inquiries.take_back(id, Some(number));
                return;
            }
            request => inside.wait_for(id, request),
        }
        drop(inside);
        self.bell.notify_one();
    }

    /// Do so many requests of a client wait that it should not be read?
    pub fn is_behind(&self, id: u32) -> bool {
        self.inside().clients.get(&id).is_some_and(|c| c.waiting >= MOST_WAITING)
    }

    /// Tell somebody something.
    pub fn tell(&self, id: u32, reply: &Reply) {
        let text = text_of(reply);
        self.inside().tell(id, text);
    }

    /// Tell everybody.
    pub fn tell_all(&self, reply: &Reply) {
        let text = text_of(reply);
        let mut inside = self.inside();
        if matches!(reply, Reply::Picture(_)) {
            inside.picture = Some(text.clone());
        }
        for id in inside.clients.keys().copied().collect::<Vec<_>>() {
            inside.tell(id, text.clone());
        }
    }

    /// What frames are to hold.
    pub fn wanted(&self) -> Wanted {
        let inside = self.inside();
        let mut wanted = Wanted { clients: inside.clients.len(), ..Wanted::default() };
        for client in inside.clients.values() {
            wanted.sections.extend(&client.sections);
            wanted.watched.extend(client.watched.iter().cloned());
        }
        wanted.sections.sort();
        wanted.sections.dedup();
        wanted.watched.sort();
        wanted.watched.dedup();
        wanted
    }

    /// Is there something to show that is no job? Asked once, it is forgotten.
    pub fn take_news(&self) -> bool {
        std::mem::take(&mut self.inside().news)
    }

    // ---- work -------------------------------------------------------------------------------------------------

    /// One more thing to do.
    pub fn push(&self, job: Job) {
        let mut inside = self.inside();
        if !inside.stop {
            inside.jobs.push_back(job);
        }
        drop(inside);
        self.bell.notify_one();
    }

    /// What to do next: what waits, or nothing until `until`; with nobody there, nothing until somebody comes.
    pub fn next(&self, until: Instant) -> Next {
        let mut inside = self.inside();
        loop {
            if inside.stop {
                return Next::Stop;
            }
            if let Some(job) = inside.jobs.pop_front() {
                if let Job::Said(id, _) = &job
                    && let Some(client) = inside.clients.get_mut(id)
                {
                    client.waiting = client.waiting.saturating_sub(1);
                }
                return Next::Job(Box::new(job));
            }
            let alone = inside.clients.is_empty();
            let left = until.saturating_duration_since(Instant::now());
            if !alone && left.is_zero() {
                return Next::Time;
            }
            let wait = if alone { Duration::from_secs(3600) } else { left };
            inside = self.bell.wait_timeout(inside, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Is nobody connected?
    pub fn is_alone(&self) -> bool {
        self.inside().clients.is_empty()
    }

    /// Nothing more is done.
    pub fn stop(&self) {
        let mut inside = self.inside();
        inside.stop = true;
        inside.clients.clear();
        inside.jobs.clear();
        drop(inside);
        self.inquiries.stop();
        self.bell.notify_all();
        self.arrival.notify_all();
    }

    /// The thread that watches: slices that go on for too long are given up, and those who hold something and say
    /// nothing are gone.
    pub fn watch_over(&self) {
        loop {
            let mut inside = self.inside();
            while inside.clients.is_empty() && !inside.stop && !self.watch.is_busy() {
                inside = self.arrival.wait(inside).unwrap_or_else(PoisonError::into_inner);
            }
            let (stop, urgent) = (inside.stop, inside.stop || inside.jobs.iter().any(Job::is_urgent));
            let rung = inside.release_the_silent(Instant::now());
            drop(inside);
            if rung {
                self.bell.notify_one();
            }
            self.watch.look(|| urgent);
            if stop && !self.watch.is_busy() {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Inside {
    fn tell(&mut self, id: u32, text: Arc<str>) {
        let Some(client) = self.clients.get(&id) else { return };
        if client.replies.try_send(text).is_err() {
            // it does not read: disconnect
            self.clients.remove(&id);
            self.jobs.push_back(Job::LetGo(id));
            self.news = true;
        }
    }

    /// Put a request at the end of the queue. A move of a hand whose last word was a move takes its place.
    fn wait_for(&mut self, id: u32, request: Request) {
        if let Request::Move { hand, .. } = request {
            let own = self.jobs.iter_mut().rev().find_map(|job| match job {
                Job::Said(client, said) if *client == id => Some(said),
                _ => None,
            });
            if let Some(last @ Request::Move { .. }) = own
                && matches!(last, Request::Move { hand: h, .. } if *h == hand)
            {
                *last = request;
                return;
            }
        }
        self.jobs.push_back(Job::Said(id, request));
        if let Some(client) = self.clients.get_mut(&id) {
            client.waiting += 1;
        }
    }

    /// Those who say nothing let go. Is there something to do now?
    fn release_the_silent(&mut self, now: Instant) -> bool {
        let mut rung = false;
        for (&id, client) in &mut self.clients {
            if !client.released && now.saturating_duration_since(client.heard) > SILENCE {
                client.released = true;
                rung = true;
                self.jobs.push_back(Job::LetGo(id));
            }
        }
        rung
    }
}

fn text_of(reply: &Reply) -> Arc<str> {
    serde_json::to_string(reply).unwrap_or_default().into()
}

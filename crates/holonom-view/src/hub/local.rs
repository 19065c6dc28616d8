//! A hub without a thread, for one client in the same process: a Web Worker has no other. Whoever owns it gives it
//! turns, sixty a second, and takes out what it says.

use super::QUEUE;
use super::desk::{Desk, Job, Next};
use super::work::{Longest, SessionLoop};
use crate::clock::Instant;
use crate::message::{Reply, Request};
use crate::session::{Download, Session};
use holonom::Interrupt;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// The longest time that a turn catches up with, s: after a pause of the host there is no jump.
const LONGEST_TURN: f64 = 0.25;

/// A session at work in turns, with one client.
pub struct LocalHub {
    work: SessionLoop,
    desk: Arc<Desk>,
    client: u32,
    replies: mpsc::Receiver<Arc<str>>,
    frames: watch::Receiver<Arc<Vec<u8>>>,
    last: Instant,
}

impl LocalHub {
    /// Its client is connected: the first replies wait.
    pub fn new(mut session: Session) -> LocalHub {
        let desk = Arc::new(Desk::default());
        // nobody else watches: what is being computed looks at the clock itself
        let looking = desk.clone();
        session.set_interrupt(Interrupt::when(move || {
            looking.watch.look(|| false);
            looking.watch.is_raised()
        }));
        let (publish, frames) = watch::channel(Arc::new(Vec::new()));
        let (sender, replies) = mpsc::channel(QUEUE);
        // cannot fail: the desk has not stopped
        let client = desk.connect(sender).unwrap_or_default();
        let work = SessionLoop::new(session, desk.clone(), Longest::default(), publish);
        LocalHub { work, desk, client, replies, frames, last: Instant::now() }
    }

    /// What the client says: a request as JSON. What cannot be understood is answered.
    pub fn hear(&mut self, text: &str) {
        match serde_json::from_str::<Request>(text) {
            Ok(request) => self.desk.said(self.client, request),
            Err(e) => {
                let message = format!("a message was not understood: {e}");
                self.desk.tell(self.client, &Reply::Error { id: None, message, details: None });
            }
        }
        self.do_jobs();
    }

    /// Everything that waits.
    fn do_jobs(&mut self) {
        // with nobody there the desk would wait for somebody
        while !self.desk.is_alone()
            && let Next::Job(job) = self.desk.next(Instant::now())
        {
            self.work.guarded(|work| work.hear(*job));
        }
    }

    /// What a frame's time brings, by the clock.
    pub fn turn(&mut self) {
        let now = Instant::now();
        let passed = (now - self.last).as_secs_f64().min(LONGEST_TURN);
        self.last = now;
        self.work.guarded(|work| work.turn(passed));
    }

    /// The next reply, in order.
    pub fn reply(&mut self) -> Option<Arc<str>> {
        self.replies.try_recv().ok()
    }

    /// The newest frame, if there is one that was not taken yet.
    pub fn frame(&mut self) -> Option<Arc<Vec<u8>>> {
        // cannot fail: the sender is here
        let new = self.frames.has_changed().unwrap_or(false);
        new.then(|| self.frames.borrow_and_update().clone())
    }

    /// Something to download.
    pub fn fetch(&mut self, what: Download) -> Result<Vec<u8>, String> {
        let (answer, answered) = oneshot::channel();
        self.desk.push(Job::Fetch(what, answer));
        self.do_jobs();
        answered.blocking_recv().unwrap_or_else(|_| Err("the session has stopped".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Replies of one kind that wait.
    fn said(hub: &mut LocalHub, kind: &str) -> Vec<String> {
        let all: Vec<Arc<str>> = std::iter::from_fn(|| hub.reply()).collect();
        let start = format!("{{\"say\":\"{kind}\"");
        all.iter().filter(|r| r.starts_with(&start)).map(|r| r.to_string()).collect()
    }

    /// The header of the frame after so many ticks.
    fn after(hub: &mut LocalHub, ticks: u64) -> Value {
        hub.hear(&format!(r#"{{"do":"step","ticks":{ticks}}}"#));
        loop {
            hub.turn();
            let Some(frame) = hub.frame() else { continue };
            let length = u32::from_le_bytes(frame[..4].try_into().expect("four bytes")) as usize;
            let header: Value = serde_json::from_slice(&frame[4..4 + length]).expect("a header");
            if header["tick"] == ticks || !header["stopped"].is_null() {
                return header;
            }
        }
    }

    #[test]
    fn the_first_words_are_those_of_a_socket() {
        let mut hub = LocalHub::new(Session::new());
        let first: Vec<Arc<str>> = std::iter::from_fn(|| hub.reply()).collect();
        assert!(first[0].starts_with("{\"say\":\"welcome\"") && first[1].starts_with("{\"say\":\"catalogue\""));
        hub.turn();
        assert_eq!(said(&mut hub, "picture").len(), 1);
        assert!(hub.frame().is_some());
        assert!(hub.frame().is_none(), "a frame is taken once");
    }

    #[test]
    fn steps_that_are_asked_for_come_to_the_hash_of_a_session() {
        let mut hub = LocalHub::new(Session::new());
        hub.hear(r#"{"do":"open","scene":"double-pendulum"}"#);
        assert!(after(&mut hub, 48)["stopped"].is_null());
        let mut session = Session::new();
        session.open_named("double-pendulum").expect("a scene of the gallery");
        (0..48).for_each(|_| session.advance().expect("it moves"));
        let log = String::from_utf8(hub.fetch(Download::Inputs).expect("a log")).expect("text");
        assert!(log.lines().next().is_some_and(|heading| heading.contains(&session.hash())));
    }

    #[test]
    fn nonsense_is_answered() {
        let mut hub = LocalHub::new(Session::new());
        hub.hear("{\"do\":\"dance\"}");
        assert!(said(&mut hub, "error")[0].contains("a message was not understood"));
        hub.hear(r#"{"do":"open","scene":"nowhere"}"#);
        assert!(said(&mut hub, "error")[0].contains("nowhere"));
    }

    #[test]
    fn legs_in_planes_walk_on_in_long_steps() {
        let mut hub = LocalHub::new(Session::new());
        hub.hear(r#"{"do":"open","scene":"strandbeest"}"#);
        hub.hear(r#"{"do":"method","method":"real-time"}"#);
        let header = after(&mut hub, 480);
        assert!(header["stopped"].is_null(), "{header}");
        assert!(header["gap"].as_f64().is_some_and(|gap| gap < 1e-9), "{header}");
    }

    #[test]
    fn a_silent_client_goes_on_holding() {
        let mut hub = LocalHub::new(Session::new());
        hub.hear(r#"{"do":"open","scene":"pendulum"}"#);
        hub.hear(r#"{"do":"grab","hand":1,"body":"rod","point":[0,0,0],"cap":100}"#);
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert_eq!(after(&mut hub, 1)["hands"].as_array().map(Vec::len), Some(1));
    }
}

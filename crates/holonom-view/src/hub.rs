//! A session at work, and its clients.
//!
//! ```text
//! door     this file: how others reach a session; nothing here computes
//! desk     who is connected, what they have said and nobody has done yet, what they are told
//! work     the thread that owns the session: inputs in one order, ticks against the clock, frames
//! watch    the thread that computes nothing: how long has what is being computed been going on?
//! beside   long questions, each on a thread of its own
//! local    the same without threads, for one client in the same process
//! ```
//!
//! Clients are heard at the desk, whatever is being computed: signs of life are answered there, those who come are
//! shown what there is, inputs wait in a queue of bounded length, of which moves of one hand take a single place. The
//! session does what waits between ticks. A tick in which somebody wants to pause, undo or open something else is given
//! up after `watch::GRACE`, and one that does not end by itself is given up as well and said to be so: the state
//! before it stays, and with it everything that can be done.
//!
//! Sixty times a second the session catches up with the clock, as far as that can be done in a frame's time, and
//! publishes what is to be seen. Only the newest frame is kept, so a client that reads slowly sees fewer of them.
//! Replies wait in queues of bounded length; a client that does not read them is disconnected. A client that holds
//! something must send something at least every 200 ms; otherwise its hands are released. While no client is connected,
//! time stands still.
//!
//! A panic ends the session it happens in and nothing else: clients are told, and the scene is opened anew.

mod beside;
mod desk;
mod local;
#[cfg(test)]
mod tests;
mod watch;
mod work;

use crate::message::Request;
use crate::session::Session;
use desk::{Desk, Job};
use std::sync::Arc;
use std::thread::Builder;
use tokio::sync::{mpsc, oneshot, watch as channel};
use work::{Longest, SessionLoop};

pub use crate::session::Download;
pub use desk::MOST_WAITING;
pub use local::LocalHub;

/// Replies that may wait for a client to read them.
const QUEUE: usize = 256;

/// A session at work. Clones are the same one.
#[derive(Clone)]
pub struct Hub {
    desk: Arc<Desk>,
    frames: channel::Receiver<Arc<Vec<u8>>>,
}

/// A connected client; dropping it disconnects.
pub struct Client {
    /// Its number.
    pub id: u32,
    /// The newest frame.
    pub frames: channel::Receiver<Arc<Vec<u8>>>,
    /// Replies in order; closed when the client was cut off.
    pub replies: mpsc::Receiver<Arc<str>>,
    desk: Arc<Desk>,
}

impl Client {
    /// Send a request.
    pub fn request(&self, request: Request) {
        self.desk.said(self.id, request);
    }

    /// Do [`MOST_WAITING`] of its requests wait already? Then nothing more should be read from it.
    pub fn is_behind(&self) -> bool {
        self.desk.is_behind(self.id)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.desk.leave(self.id);
    }
}

impl Hub {
    /// Start the threads.
    pub fn start(session: Session) -> Hub {
        Hub::start_with(session, Longest::default())
    }

    fn start_with(mut session: Session, longest: Longest) -> Hub {
        let (publish, frames) = channel::channel(Arc::new(Vec::new()));
        let desk = Arc::new(Desk::default());
        session.set_interrupt(desk.watch.interrupt());
        let (watched, worked) = (desk.clone(), desk.clone());
        let threads = [
            Builder::new().name("watch".into()).spawn(move || watched.watch_over()),
            Builder::new()
                .name("session".into())
                .spawn(move || SessionLoop::new(session, worked, longest, publish).work()),
        ];
        for thread in threads {
            thread.expect("a thread can be started");
        }
        Hub { desk, frames }
    }

    /// A new client. `None` when the hub has stopped.
    pub async fn connect(&self) -> Option<Client> {
        let (sender, replies) = mpsc::channel(QUEUE);
        let id = self.desk.connect(sender)?;
        Some(Client { id, frames: self.frames.clone(), replies, desk: self.desk.clone() })
    }

    /// Something to download.
    pub async fn fetch(&self, what: Download) -> Result<Vec<u8>, String> {
        let (answer, wait) = oneshot::channel();
        self.desk.push(Job::Fetch(what, answer));
        wait.await.map_err(|_| "the program is stopping".to_string())?
    }

    /// End the threads.
    pub fn stop(&self) {
        self.desk.stop();
    }
}

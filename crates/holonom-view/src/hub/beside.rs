//! Long questions, beside the motion: each on a thread of its own, with a copy of what it needs. A bounded number of
//! them; whoever asked may take one back, and takes all of them back by leaving.

use super::desk::Desk;
use crate::message::Reply;
use crate::session::{Inquiry, InquiryResult};
use holonom::Interrupt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use tokio::sync::oneshot;

/// Questions at work, of all clients and of one.
const MOST: usize = 8;
const MOST_OF_ONE: usize = 3;

/// Whom the answer is for.
pub(super) enum Asker {
    /// A client, and its number for the question.
    Client(u32, u32),
    /// Somebody who downloads.
    Fetch(oneshot::Sender<Result<Vec<u8>, String>>),
}

impl Asker {
    fn names(&self) -> (Option<u32>, Option<u32>) {
        match self {
            Asker::Client(client, id) => (Some(*client), Some(*id)),
            Asker::Fetch(_) => (None, None),
        }
    }

    /// Tell the result.
    pub fn tell(self, desk: &Desk, result: Result<InquiryResult, String>) {
        match self {
            Asker::Client(client, id) => {
                let reply = match result {
                    Ok(InquiryResult::Answer(answer)) => Reply::Answer { id, answer },
                    Ok(InquiryResult::Bytes(_)) => return,
                    Err(message) => Reply::Error { id: Some(id), message, details: None },
                };
                desk.tell(client, &reply);
            }
            Asker::Fetch(answer) => {
                let _ = answer.send(result.map(|r| match r {
                    InquiryResult::Bytes(bytes) => bytes,
                    InquiryResult::Answer(_) => Vec::new(),
                }));
            }
        }
    }
}

/// A question at work.
struct Running {
    client: Option<u32>,
    id: Option<u32>,
    enough: Arc<AtomicBool>,
}

/// All of them.
#[derive(Default)]
pub(super) struct Inquiries {
    running: Mutex<Vec<Running>>,
}

impl Inquiries {
    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody wants to know any more: one question of a client, or all.
    pub fn take_back(&self, client: u32, id: Option<u32>) {
        let running = self.running();
        let theirs = running.iter().filter(|r| r.client == Some(client) && (id.is_none() || r.id == id));
        theirs.for_each(|r| r.enough.store(true, Ordering::Relaxed));
    }

    /// All of them are taken back.
    pub fn stop(&self) {
        self.running().iter().for_each(|r| r.enough.store(true, Ordering::Relaxed));
    }

    /// How many are at work.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.running().len()
    }
}

/// Begin to answer a question, or tell why not.
pub(super) fn begin(desk: &Arc<Desk>, asker: Asker, inquiry: Inquiry) {
    let (client, id) = asker.names();
    let enough = Arc::new(AtomicBool::new(false));
    {
        let mut running = desk.inquiries.running();
        let own = running.iter().filter(|r| r.client.is_some() && r.client == client).count();
        if running.len() >= MOST || own >= MOST_OF_ONE {
            drop(running);
            let busy = "so many questions are being answered that this one has to be asked again later";
            return asker.tell(desk, Err(busy.into()));
        }
        running.push(Running { client, id, enough: enough.clone() });
    }
    let (answering, flag) = (desk.clone(), enough.clone());
    let work = move || {
        let stop = flag.clone();
        let asked = Interrupt::when(move || stop.load(Ordering::Relaxed));
        let result = catch_unwind(AssertUnwindSafe(|| inquiry.answer(asked)))
            .unwrap_or_else(|_| Err("a fault in the program: this question cannot be answered".into()));
        answering.inquiries.running().retain(|r| !Arc::ptr_eq(&r.enough, &flag));
        let taken_back = flag.load(Ordering::Relaxed);
        asker.tell(&answering, if taken_back { Err("the question was taken back".into()) } else { result });
    };
    if cfg!(target_family = "wasm") {
        // no threads: at once
        return work();
    }
    if Builder::new().name("question".into()).spawn(work).is_err() {
        // its asker hears nothing, as of a program without threads; the place is free again
        desk.inquiries.running().retain(|r| !Arc::ptr_eq(&r.enough, &enough));
    }
}

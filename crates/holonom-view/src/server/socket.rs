//! One client: a WebSocket at one end, the hub at the other.
//!
//! Reading and writing go on side by side, and the client is gone when either ends. What is written: replies in their
//! order, and of frames always the newest only, so that a slow client sees fewer of them and nothing piles up. A
//! message that is not taken within [`PATIENCE`] ends the connection. What is read is small ([`LARGEST`]; the text of a
//! scene may be [`LARGEST_SCENE`]) and well-formed JSON; what is not is answered with what was wrong, and too much
//! nonsense in a row ends the connection.

use crate::hub::{Client, Hub};
use crate::message::{Reply, Request};
use axum::body::Bytes;
use axum::extract::WebSocketUpgrade;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

/// Longest message, bytes.
pub const LARGEST: usize = 1 << 20;
/// Longest message that opens a scene from its text, bytes.
pub const LARGEST_SCENE: usize = 8 << 20;
/// Longest wait for a client to take a message. A page on a slow machine may be busy with a large picture for seconds;
/// meanwhile one message waits, and no more.
pub const PATIENCE: Duration = Duration::from_secs(8);
/// Longest message to a client, bytes: a frame or picture of about a million bodies.
pub const LARGEST_SENT: usize = 64 << 20;
/// Messages in a row that are not understood before the connection is closed.
pub const NONSENSE: u32 = 100;

/// Answers of this file that may wait to be written.
const ANSWERS: usize = 16;
/// Bytes that a client may say at once, bytes per second for ever, and what each message counts besides its length.
const BURST: f64 = 16e6;
const RATE: f64 = 4e6;
const OVERHEAD: usize = 256;
/// How often it is looked whether the session has caught up with a client.
const BACKLOG: Duration = Duration::from_millis(4);
/// Longest wait for a client to take notice of the end.
const GOODBYE: Duration = Duration::from_millis(200);

/// How a socket may be used.
pub(super) fn limited(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    // one message is written at a time, and flushed: no more than that ever waits
    upgrade
        .max_message_size(LARGEST_SCENE)
        .max_frame_size(LARGEST_SCENE)
        .write_buffer_size(0)
        .max_write_buffer_size(LARGEST_SENT + (64 << 10))
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The client left, or does not take what is sent to it.
    Gone,
    /// The hub has cut it off, or has ended.
    Cut,
    /// Nothing it says is understood.
    Nonsense,
    /// A message was beyond all limits.
    TooLarge,
    /// The server stops.
    Stop,
}

impl End {
    /// What is said to the client, if it may still listen.
    fn words(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            End::Gone => return None,
            End::Cut => (close_code::AGAIN, "too slow to be told everything; connect again"),
            End::Nonsense => (close_code::POLICY, "too many messages that are not understood"),
            End::TooLarge => (close_code::SIZE, "a message is longer than 8 MiB"),
            End::Stop => (close_code::AWAY, "the program ends"),
        };
        Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })
    }
}

/// Serve one client until it leaves, is cut off, or the server stops.
pub(super) async fn serve(socket: WebSocket, hub: Hub, mut stop: watch::Receiver<bool>) {
    let Some(mut client) = hub.connect().await else { return };
    let frames = client.frames.clone();
    let replies = std::mem::replace(&mut client.replies, mpsc::channel(1).1);
    let (mut sink, stream) = socket.split();
    let (answer, answers) = mpsc::channel(ANSWERS);
    let end = tokio::select! {
        end = read(stream, &client, answer) => end,
        end = write(&mut sink, frames, replies, answers) => end,
        _ = stop.wait_for(|stop| *stop) => End::Stop,
    };
    drop(client); // lets go of everything it held, before any wait
    if let Some(close) = end.words() {
        let _ = timeout(GOODBYE, sink.send(Message::Close(Some(close)))).await;
    }
}

// ---- reading -----------------------------------------------------------------------------------------------------

/// Everything the client says goes to the hub; what cannot be understood is answered here.
async fn read(mut stream: SplitStream<WebSocket>, client: &Client, answer: mpsc::Sender<Utf8Bytes>) -> End {
    let (mut nonsense, mut allowance) = (0, Allowance::new(Instant::now()));
    loop {
        let message = match stream.next().await {
            Some(Ok(message)) => message,
            Some(Err(e)) if too_large(&e) => return End::TooLarge,
            Some(Err(_)) | None => return End::Gone,
        };
        if let Some(wait) = allowance.spend(message_length(&message), Instant::now()) {
            sleep(wait).await;
        }
        let understood = match message {
            Message::Close(_) => return End::Gone,
            // answered by the library
            Message::Ping(_) | Message::Pong(_) => continue,
            Message::Text(text) => understand(&text),
            Message::Binary(bytes) => {
                Err(format!("a binary message of {} bytes was not understood: requests are JSON texts", bytes.len()))
            }
        };
        match understood {
            Ok(request) => {
                nonsense = 0;
                client.request(request);
                // who says more than the session can do waits here, and is not read until it has caught up
                while client.is_behind() {
                    sleep(BACKLOG).await;
                }
            }
            Err(_) if nonsense >= NONSENSE => return End::Nonsense,
            Err(message) => {
                nonsense += 1;
                // one who asks faster than it reads waits here, and is not read until it does
                if answer.send(error(message)).await.is_err() {
                    return End::Gone;
                }
            }
        }
    }
}

/// A request, or what is wrong with it.
fn understand(text: &str) -> Result<Request, String> {
    let request = serde_json::from_str(text).map_err(|e| {
        let start: String = text.chars().take(60).collect();
        let more = if start.len() < text.len() { " ..." } else { "" };
        format!("a message was not understood: {e}; it reads {start:?}{more}")
    })?;
    if text.len() > LARGEST && !matches!(request, Request::OpenText { .. }) {
        return Err(format!(
            "a message of {:.1} MiB is too long: at most {} MiB, or {} MiB for the text of a scene",
            text.len() as f64 / f64::from(1 << 20),
            LARGEST >> 20,
            LARGEST_SCENE >> 20
        ));
    }
    Ok(request)
}

/// How much a client may say: much at once, but not for ever. Who says more is read more slowly.
struct Allowance {
    /// Bytes that may be read at once.
    left: f64,
    since: Instant,
}

impl Allowance {
    fn new(now: Instant) -> Self {
        Allowance { left: BURST, since: now }
    }

    /// After a message: how long to wait before the next one is read.
    fn spend(&mut self, bytes: usize, now: Instant) -> Option<Duration> {
        let gained = RATE * now.saturating_duration_since(self.since).as_secs_f64();
        self.left = (self.left + gained).min(BURST) - (bytes + OVERHEAD) as f64;
        self.since = now;
        (self.left < 0.0).then(|| Duration::from_secs_f64(-self.left / RATE))
    }
}

fn message_length(message: &Message) -> usize {
    match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes) => bytes.len(),
        Message::Close(_) => 0,
    }
}

/// Did a message exceed the limit of the socket?
fn too_large(e: &axum::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(e);
    while let Some(e) = cause {
        // the library's type is not part of axum's interface, its words are
        if e.to_string().contains("Space limit exceeded") {
            return true;
        }
        cause = e.source();
    }
    false
}

// ---- writing -----------------------------------------------------------------------------------------------------

/// Everything that the client is told, one message at a time: answers and replies in order, frames when there is time
/// for them.
async fn write(
    sink: &mut SplitSink<WebSocket, Message>,
    mut frames: watch::Receiver<Arc<Vec<u8>>>,
    mut replies: mpsc::Receiver<Arc<str>>,
    mut answers: mpsc::Receiver<Utf8Bytes>,
) -> End {
    // a frame that was there before the client belongs to a picture it will be sent
    frames.mark_changed();
    loop {
        let message = tokio::select! {
            biased;
            answer = answers.recv() => match answer {
                Some(text) => Message::Text(text),
                None => return End::Gone,
            },
            reply = replies.recv() => match reply {
                Some(text) if text.len() > LARGEST_SENT => Message::Text(unsendable(text.len())),
                Some(text) => Message::Text((&*text).into()),
                None => return End::Cut,
            },
            changed = frames.changed() => match changed {
                Ok(()) => {
                    let frame = frames.borrow_and_update().clone();
                    if frame.is_empty() || frame.len() > LARGEST_SENT {
                        continue;
                    }
                    Message::Binary(Bytes::from_owner(Shared(frame)))
                }
                Err(_) => return End::Cut,
            },
        };
        match timeout(PATIENCE, sink.send(message)).await {
            Ok(Ok(())) => {}
            _ => return End::Gone,
        }
    }
}

fn error(message: String) -> Utf8Bytes {
    serde_json::to_string(&Reply::Error { id: None, message, details: None }).unwrap_or_default().into()
}

/// In place of a reply that no page could take.
fn unsendable(bytes: usize) -> Utf8Bytes {
    error(format!(
        "an answer of {} MiB is too large to be shown (at most {} MiB); the command line has no such limit",
        bytes >> 20,
        LARGEST_SENT >> 20
    ))
}

/// A frame is shared by all clients, not copied for each.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(understand(r#"{"do": "play"}"#), Ok(Request::Play));
        for (bad, part) in [
            ("", "EOF"),
            ("play", "expected value"),
            (r#"{"do": "fly"}"#, "unknown variant `fly`"),
            (r#"{"do": "grab", "hand": 1}"#, "missing field"),
            (r#"{"do": "step", "ticks": -1}"#, "invalid value"),
            (r#"{"do": "speed", "factor": "fast"}"#, "invalid type"),
        ] {
            let message = understand(bad).expect_err(bad);
            assert!(message.contains(part), "{bad}: {message}");
        }
        let deep = "[".repeat(100_000);
        assert!(understand(&deep).is_err(), "too deep");
        let long = format!(r#"{{"do": "watch", "names": ["{}"]}}"#, "x".repeat(LARGEST));
        assert!(understand(&long).expect_err("too long").contains("too long: at most 1 MiB"));
        let scene = format!(r##"{{"do": "open-text", "name": "a.toml", "text": "{}"}}"##, "#".repeat(LARGEST));
        assert!(understand(&scene).is_ok(), "the text of a scene may be longer");
        let ugly = "\u{1f600}".repeat(1000);
        assert!(understand(&ugly).expect_err("no JSON").len() < 1000, "not all of it is repeated");
    }

    #[test]
    fn who_says_too_much_is_read_more_slowly() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert_eq!(allowance.spend(LARGEST_SCENE, start), None, "a large scene at once");
        // a hand that moves a thousand times a second, for a minute
        for k in 0..60_000 {
            assert_eq!(allowance.spend(120, start + Duration::from_millis(k)), None, "{k}");
        }
        let later = start + Duration::from_secs(60);
        let waits = (0..100).filter_map(|_| allowance.spend(LARGEST, later)).max().expect("it has to wait");
        assert!(waits > Duration::from_secs(10), "100 MiB take their time: {waits:?}");
    }
}

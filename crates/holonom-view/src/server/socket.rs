//! One client: a WebSocket at one end, the hub at the other.
//!
//! Reading and writing go on side by side, and the client is gone when either ends. What is written: replies in their order, and of frames always the
//! newest only, so that a slow client sees fewer of them and nothing piles up. A message that is not taken within [`PATIENCE`] ends the connection. What
//! is read is small ([`LARGEST`]; the text of a scene may be [`LARGEST_SCENE`]) and well-formed JSON; what is not is answered with what was wrong, and
//! too much nonsense in a row ends the connection.

use crate::hub::{Client, Hub};
use crate::message::{Reply, Request};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::extract::WebSocketUpgrade;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// Longest message, bytes.
pub const LARGEST: usize = 1 << 20;
/// Longest message that opens a scene from its text, bytes.
pub const LARGEST_SCENE: usize = 8 << 20;
/// Longest wait for a client to take a message.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Messages in a row that are not understood before a client is shown the door.
pub const NONSENSE: u32 = 100;

/// Answers of this file that may wait to be written.
const ANSWERS: usize = 16;
/// Longest wait for a client to take notice of the end.
const GOODBYE: Duration = Duration::from_millis(200);

/// How a socket may be used.
pub(super) fn limited(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    // one message is written at a time and flushed: the buffer never holds more than that, and none is larger than a scene's picture
    upgrade
        .max_message_size(LARGEST_SCENE)
        .max_frame_size(LARGEST_SCENE)
        .write_buffer_size(0)
        .max_write_buffer_size(256 << 20)
}

/// Serve one client until it leaves, is cut off, or the server stops.
pub(super) async fn serve(socket: WebSocket, hub: Hub, mut stop: watch::Receiver<bool>) {
    let client = hub.connect();
    let (mut sink, stream) = socket.split();
    let (answer, answers) = mpsc::channel(ANSWERS);
    let Client { id, frames, replies, .. } = client;
    let ending = tokio::select! {
        ending = read(stream, &client, answer) => ending,
        ending = write(&mut sink, frames, replies, answers) => ending,
        _ = stop.wait_for(|stop| *stop) => End::Stop,
    };
    drop(client); // lets go of everything it held, before any wait
    if let Some(close) = ending.words() {
        let _ = timeout(GOODBYE, sink.send(Message::Close(Some(close)))).await;
    }
}

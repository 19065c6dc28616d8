//! A server at work, and clients of it made by hand: plain sockets, so that a test can be as rude as it likes.

#![allow(dead_code)]

use holonom_view::hub::Hub;
use holonom_view::server::{Server, Token};
use holonom_view::session::Session;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A server in a thread of its own; stopped when dropped.
pub struct Running {
    pub address: SocketAddr,
    pub url: String,
    pub ticket_url: String,
    pub hub: Hub,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// With a pendulum.
    pub fn new() -> Running {
        Running::on(0, Token::random().expect("random"))
    }

    pub fn on(port: u16, token: Token) -> Running {
        let mut session = Session::new();
        session.open_named("pendulum").expect("it is in the gallery");
        let hub = Hub::start(session);
        let server = Server::bind_with(hub.clone(), port, token).expect("bound");
        let (address, url, ticket_url) = (server.address(), server.url(), server.ticket_url());
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let thread =
            std::thread::spawn(move || server.run_until(|| asked.load(Ordering::Relaxed)).expect("served to the end"));
        Running { address, url, ticket_url, hub, stop, thread: Some(thread) }
    }

    /// Ask it to stop and wait.
    pub fn stop(&mut self) -> Duration {
        let begun = Instant::now();
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("ended well");
        }
        begun.elapsed()
    }

    pub fn token(&self) -> String {
        self.url.split("token=").nth(1).expect("a token").to_string()
    }

    pub fn cookie(&self) -> String {
        format!("Cookie: holonom-{}={}", self.address.port(), self.token())
    }

    pub fn host(&self) -> String {
        format!("Host: {}", self.address)
    }

    pub fn origin(&self) -> String {
        format!("Origin: http://{}", self.address)
    }

    /// A request as written, to the end of the connection.
    pub fn ask(&self, request: &[&str]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        let text = format!("{}\r\nConnection: close\r\n\r\n", request.join("\r\n"));
        let _ = stream.write_all(text.as_bytes()); // a refused request may be cut short
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer::new(&bytes)
    }

    /// A visit with everything right.
    pub fn get(&self, path: &str) -> Answer {
        self.ask(&[&format!("GET {path} HTTP/1.1"), &self.host(), &self.cookie()])
    }

    /// A WebSocket with everything right.
    pub fn socket(&self) -> Socket {
        self.knock(&[&self.host(), &self.origin(), &self.cookie()]).expect("let in")
    }

    /// A WebSocket with these headers, or the refusal.
    pub fn knock(&self, headers: &[&str]) -> Result<Socket, Answer> {
        shake_hands(TcpStream::connect(self.address).expect("connected"), headers)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        self.hub.stop();
    }
}

/// Ask for a WebSocket on a connection.
pub fn shake_hands(mut stream: TcpStream, headers: &[&str]) -> Result<Socket, Answer> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
    let text = format!(
        "GET /socket HTTP/1.1\r\n{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        headers.join("\r\n")
    );
    stream.write_all(text.as_bytes()).expect("sent");
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        head.push(byte[0]);
    }
    let answer = Answer::new(&head);
    if answer.status == 101 { Ok(Socket { stream }) } else { Err(answer) }
}

/// An answer, taken apart.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    fn new(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|l| l.split(' ').nth(1)).and_then(|s| s.parse().ok()).unwrap_or(0);
        let headers = lines
            .filter_map(|l| l.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_string()))
            .collect();
        Answer { status, headers, body: bytes.get(end + 4..).unwrap_or_default().to_vec() }
    }

    /// A header that stands there once.
    pub fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(n, _)| n == name);
        let value = found.next().map_or("", |(_, value)| value);
        assert!(found.next().is_none(), "{name} stands there twice");
        value
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// What a server says over a WebSocket.
#[derive(Debug)]
pub enum Said {
    Text(Value),
    /// The header of a frame.
    Frame(Value),
    /// Code and reason.
    Close(u16, String),
    Pong,
}

/// A WebSocket, client side, by hand.
pub struct Socket {
    pub stream: TcpStream,
}

impl Socket {
    /// Any frame of the protocol, masked (with zeros) as clients must.
    pub fn raw(&mut self, opcode: u8, payload: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![0x80 | opcode];
        match payload.len() {
            n @ 0..=125 => frame.push(0x80 | n as u8),
            n @ 126..=0xffff => {
                frame.push(0x80 | 126);
                frame.extend((n as u16).to_be_bytes());
            }
            n => {
                frame.push(0x80 | 127);
                frame.extend((n as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(payload);
        self.stream.write_all(&frame)
    }

    pub fn say(&mut self, text: &str) {
        self.raw(1, text.as_bytes()).expect("said");
    }

    /// The next message; `None` when the connection has ended.
    pub fn hear(&mut self) -> Option<Said> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        let length = match head[1] {
            126 => {
                let mut n = [0; 2];
                self.stream.read_exact(&mut n).ok()?;
                u16::from_be_bytes(n) as usize
            }
            127 => {
                let mut n = [0; 8];
                self.stream.read_exact(&mut n).ok()?;
                u64::from_be_bytes(n) as usize
            }
            n => n as usize,
        };
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload).ok()?;
        Some(match head[0] & 15 {
            1 => Said::Text(serde_json::from_slice(&payload).expect("JSON")),
            2 => {
                let n = u32::from_le_bytes(payload[..4].try_into().expect("four bytes")) as usize;
                Said::Frame(serde_json::from_slice(&payload[4..4 + n]).expect("JSON"))
            }
            8 => Said::Close(
                u16::from_be_bytes(payload.get(..2)?.try_into().ok()?),
                String::from_utf8_lossy(&payload[2..]).into_owned(),
            ),
            _ => Said::Pong,
        })
    }

    /// The next text of this kind.
    pub fn reply(&mut self, kind: &str) -> Value {
        loop {
            match self.hear() {
                Some(Said::Text(v)) if v["say"] == kind => return v,
                Some(Said::Close(code, reason)) => panic!("closed ({code} {reason}) while waiting for `{kind}`"),
                Some(_) => {}
                None => panic!("ended while waiting for `{kind}`"),
            }
        }
    }

    /// The next frame that is as wanted.
    pub fn frame(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            match self.hear() {
                Some(Said::Frame(v)) if wanted(&v) => return v,
                Some(Said::Close(code, reason)) => panic!("closed ({code} {reason}) while waiting for a frame"),
                Some(_) => {}
                None => panic!("ended while waiting for a frame"),
            }
        }
    }

    /// Read to the end: the code and reason, if the server gave them.
    pub fn ending(&mut self) -> Option<(u16, String)> {
        loop {
            match self.hear() {
                Some(Said::Close(code, reason)) => return Some((code, reason)),
                Some(_) => {}
                None => return None,
            }
        }
    }

    /// Is the other side still there?
    pub fn alive(&mut self) -> bool {
        self.say(r#"{"do": "ping", "id": 4711}"#);
        loop {
            match self.hear() {
                Some(Said::Text(v)) if v["say"] == "pong" && v["id"] == 4711 => return true,
                Some(Said::Close(..)) | None => return false,
                Some(_) => {}
            }
        }
    }
}

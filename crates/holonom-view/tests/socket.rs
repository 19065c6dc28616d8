//! Clients of every kind: well-behaved, slow, gone, confused, hostile. None of them may hurt another.

mod common;
use common::{Running, Said, Socket, shake_hands};
use holonom_view::server::MOST_CLIENTS;
use holonom_view::server::socket::{LARGEST, LARGEST_SCENE, NONSENSE};
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// A connection whose system holds little of what was not read.
fn narrow(address: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4096).expect("set");
        socket.connect(address).await.expect("connected")
    });
    let stream = stream.into_std().expect("the same stream");
    stream.set_nonblocking(false).expect("set");
    stream
}

/// A scene whose frames are large: so many particles that fly.
fn cloud(n: usize) -> String {
    format!(
        "[repeat.cloud]\ncount = {n}\n[repeat.cloud.body.\"p${{i}}\"]\nkind = \"particle\"\nmass = 1\nat = [\"${{i}}\", 0, 0]\n"
    )
}

fn open(socket: &mut Socket, text: &str) {
    let request = serde_json::json!({ "do": "open-text", "name": "cloud.toml", "text": text });
    socket.say(&request.to_string());
}

/// Memory of this program that is in use, bytes.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(1024 * line.trim().trim_end_matches(" kB").parse::<u64>().ok()?)
}

#[test]
fn a_client_is_welcomed_and_obeyed() {
    let server = Running::new();
    let mut socket = server.socket();
    assert!(socket.reply("welcome")["client"].is_number());
    assert_eq!(socket.reply("picture")["name"], "pendulum");
    socket.say(r#"{"do": "play"}"#);
    let first = socket.frame(|f| f["playing"] == true);
    let later = socket.frame(|f| f["tick"].as_u64() > first["tick"].as_u64());
    assert!(later["time"].as_f64() > first["time"].as_f64());
    assert!(socket.alive());
    // a polite end
    socket.raw(8, &1000_u16.to_be_bytes()).expect("sent");
    assert!(!matches!(socket.ending(), Some((code, _)) if code != 1000));
}

#[test]
fn a_question_takes_no_news_away() {
    let server = Running::new();
    let mut socket = server.socket();
    socket.reply("picture");
    socket.frame(|f| f["tick"] == 0);
    for tick in 1..=40 {
        // both are heard before the next frame is made
        socket.say(r#"{"do": "step", "ticks": 1}"#);
        socket.say(r#"{"do": "ping", "id": 7}"#);
        assert_eq!(socket.frame(|f| f["tick"] == tick)["playing"], false);
    }
}

#[test]
fn who_never_reads_is_cut_and_the_others_go_on() {
    let server = Running::new();
    let mut good = server.socket();
    open(&mut good, &cloud(5000));
    let picture = loop {
        let picture = good.reply("picture");
        if picture["name"] == "cloud.toml" {
            break picture;
        }
    };
    assert_eq!(picture["bodies"].as_array().map(Vec::len), Some(5000));
    good.say(r#"{"do": "play"}"#);
    good.frame(|f| f["playing"] == true);
    let before = memory();
    let headers = [server.host(), server.origin(), server.cookie()];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut deaf: Vec<Socket> =
        (0..8).map(|_| shake_hands(narrow(server.address), &headers).expect("let in")).collect();
    // they may talk while they do not listen: everything they say is answered, and must not pile up
    for socket in &mut deaf {
        for id in 0..500 {
            let _ = socket.raw(1, format!(r#"{{"do": "ping", "id": {id}}}"#).as_bytes());
        }
    }
    let (begun, mut frames, mut longest, mut last) = (Instant::now(), 0, Duration::ZERO, Instant::now());
    let mut alone = None;
    while begun.elapsed() < Duration::from_secs(12) {
        let frame = good.frame(|_| true);
        (frames, longest, last) = (frames + 1, longest.max(last.elapsed()), Instant::now());
        if frame["clients"] == 1 && begun.elapsed() > Duration::from_millis(500) {
            alone = Some(begun.elapsed());
            break;
        }
    }
    let alone = alone.expect("the deaf are cut off");
    println!("cut after {alone:?}; {frames} frames meanwhile, longest wait {longest:?}");
    assert!(frames >= 10 && longest < Duration::from_secs(1), "{frames} frames, longest wait {longest:?}");
    if let (Some(before), Some(after)) = (before, memory()) {
        let grown = after.saturating_sub(before) >> 20;
        println!("memory grew by {grown} MiB");
        assert!(grown < 96, "eight deaf clients cost {grown} MiB");
    }
    for socket in &mut deaf {
        assert!(socket.ending().is_none_or(|e| e.0 != 1000), "the connection has ended");
    }
    assert!(good.alive());
}

#[test]
fn a_download_that_is_not_read_is_dropped() {
    let server = Running::new();
    let mut socket = server.socket();
    open(&mut socket, &format!("title = \"long\"\n# {}\n", "x".repeat(7 << 20)));
    while socket.reply("picture")["name"] != "cloud.toml" {}
    let mut stream = narrow(server.address);
    write!(stream, "GET /files/scene.toml HTTP/1.1\r\n{}\r\n{}\r\n\r\n", server.host(), server.cookie()).expect("sent");
    std::thread::sleep(Duration::from_secs(14));
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
    let mut taken = Vec::new();
    let end = stream.read_to_end(&mut taken);
    assert!(!end.is_err_and(|e| matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)), "still open");
    assert!(taken.len() < 7 << 20, "the rest was dropped: {} bytes came", taken.len());
    // who reads gets it all
    assert!(server.get("/files/scene.toml").body.len() > 7 << 20);
}

/// Grab the rod, wait until the other client sees the hand; then do something; how long until the hand is gone?
fn time_to_let_go(leave: impl Fn(Socket, &mut dyn FnMut()) -> Option<Socket>) -> Duration {
    let server = Running::new();
    let (mut holder, mut watcher) = (server.socket(), server.socket());
    holder.reply("picture");
    holder.say(r#"{"do": "play"}"#);
    let hands = |f: &Value| f["hands"].as_array().map_or(0, Vec::len);
    // the hand is held for as long as its client speaks
    let mut said = Instant::now();
    holder.say(r#"{"do": "grab", "hand": 1, "body": "rod", "point": [0.5, 0, 0], "cap": 50}"#);
    let held = Instant::now();
    while held.elapsed() < Duration::from_millis(600) {
        holder.say(r#"{"do": "move", "hand": 1, "to": [0.8, 0, 0.2]}"#);
        said = Instant::now();
        std::thread::sleep(Duration::from_millis(50));
    }
    watcher.say(r#"{"do": "ping", "id": 1}"#);
    watcher.reply("pong");
    assert_eq!(hands(&watcher.frame(|_| true)), 1, "it is held");
    holder.say(r#"{"do": "move", "hand": 1, "to": [0.8, 0, 0.2]}"#);
    said = said.max(Instant::now());
    let kept = leave(holder, &mut || said = Instant::now());
    watcher.frame(|f| hands(f) == 0);
    let took = said.elapsed();
    drop(kept);
    took
}

/// A busy machine may be late once; three times in a row it is the program.
fn at_best(measure: impl Fn() -> Duration) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(measure());
        if best <= Duration::from_millis(250) {
            break;
        }
    }
    best
}

#[test]
fn who_vanishes_lets_go_within_a_quarter_of_a_second() {
    let killed = at_best(|| {
        time_to_let_go(|socket, _| {
            drop(socket);
            None
        })
    });
    assert!(killed <= Duration::from_millis(250), "closed: {killed:?}");
    let frozen = at_best(|| time_to_let_go(|socket, _| Some(socket)));
    assert!(frozen <= Duration::from_millis(250), "silent: {frozen:?}");
    println!("closed {killed:?}, silent {frozen:?}");
}

#[test]
fn what_is_not_understood_is_answered() {
    let server = Running::new();
    let mut socket = server.socket();
    for (bad, part) in [
        ("", "not understood"),
        ("hello", "not understood"),
        ("null", "not understood"),
        ("{}", "missing field `do`"),
        (r#"{"do": "fly"}"#, "unknown variant `fly`"),
        (r#"{"do": "play", "now": true}"#, ""),
        (r#"{"do": "grab", "hand": -1}"#, "not understood"),
        (r#"{"do": "speed", "factor": 1e999}"#, "not understood"),
    ] {
        socket.say(bad);
        if part.is_empty() {
            continue; // unit variants may carry more; all that counts is that it lives on
        }
        let refused = socket.reply("error");
        assert!(refused["message"].as_str().is_some_and(|m| m.contains(part)), "{bad}: {refused}");
    }
    socket.raw(2, &[0, 1, 2, 255]).expect("sent");
    let refused = socket.reply("error");
    assert!(refused["message"].as_str().is_some_and(|m| m.contains("binary message of 4 bytes")), "{refused}");
    socket.raw(9, b"ping of the protocol").expect("sent");
    while !matches!(socket.hear(), Some(Said::Pong)) {}
    assert!(socket.alive());
    // numbers that are no numbers, names that are no names: refused by the session, not here
    for odd in [
        r#"{"do": "grab", "hand": 1, "body": "nobody", "point": [0, 0, 0], "cap": 1}"#,
        r#"{"do": "speed", "factor": -1}"#,
        r#"{"do": "open", "scene": "../../etc/passwd"}"#,
    ] {
        socket.say(odd);
        assert!(socket.reply("error")["message"].is_string(), "{odd}");
    }
    assert!(socket.alive());
}

#[test]
fn too_much_nonsense_ends_the_connection() {
    let server = Running::new();
    let mut socket = server.socket();
    // one good message in between forgives all
    for round in 0..2 {
        for _ in 0..NONSENSE {
            socket.say("nonsense");
            socket.reply("error");
        }
        if round == 0 {
            assert!(socket.alive());
        }
    }
    socket.say("nonsense");
    let (code, reason) = socket.ending().expect("a reason");
    assert_eq!(code, 1008, "{reason}");
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn messages_may_not_be_too_long() {
    let server = Running::new();
    let mut socket = server.socket();
    socket.say(&format!(r#"{{"do": "watch", "names": ["{}"]}}"#, "x".repeat(LARGEST)));
    let refused = socket.reply("error");
    assert!(refused["message"].as_str().is_some_and(|m| m.contains("at most 1 MiB, or 8 MiB")), "{refused}");
    // the text of a scene may be longer
    open(&mut socket, &format!("title = \"long\"\n# {}\n", "x".repeat(2 * LARGEST)));
    while socket.reply("picture")["title"] != "long" {}
    assert!(socket.alive());
    let _ = socket.raw(1, "x".repeat(LARGEST_SCENE + 1).as_bytes());
    // what was not read any more may have reset the connection before the reason came
    if let Some((code, reason)) = socket.ending() {
        assert_eq!(code, 1009, "{reason}");
    }
    // a length that is a lie costs nothing
    let mut socket = server.socket();
    socket.stream.write_all(&[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]).expect("sent");
    assert!(socket.ending().is_none_or(|e| e.0 != 1000));
    // frames that no client sends
    for bytes in [&b"\x81\x05hello"[..], &[0x8f, 0x80, 0, 0, 0, 0], &[0xc1, 0x80, 0, 0, 0, 0], &[0xff; 64]] {
        let mut socket = server.socket();
        socket.stream.write_all(bytes).expect("sent");
        assert!(socket.ending().is_none_or(|e| e.0 != 1000), "{bytes:?}");
    }
    assert!(server.socket().alive());
}

#[test]
fn there_is_a_most_of_clients() {
    let server = Running::new();
    let mut sockets: Vec<Socket> = (0..MOST_CLIENTS).map(|_| server.socket()).collect();
    assert!(sockets.iter_mut().all(Socket::alive));
    let one_more = || server.knock(&[&server.host(), &server.origin(), &server.cookie()]);
    let answer = one_more().err().expect("refused");
    assert_eq!(answer.status, 503);
    assert_eq!(server.get("/").status, 200, "the page itself can still say so");
    drop(sockets.pop());
    let begun = Instant::now();
    while one_more().is_err() {
        assert!(begun.elapsed() < Duration::from_secs(5), "a place is free again");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn stopping_tells_the_clients_and_takes_no_time() {
    let mut server = Running::new();
    let mut sockets: Vec<Socket> = (0..3).map(|_| server.socket()).collect();
    assert!(sockets.iter_mut().all(Socket::alive));
    let idle = TcpStream::connect(server.address).expect("connected");
    let took = server.stop();
    assert!(took < Duration::from_secs(2), "{took:?}");
    for socket in &mut sockets {
        assert_eq!(socket.ending().map(|e| e.0), Some(1001));
    }
    drop(idle);
}

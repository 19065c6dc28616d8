//! Random sequences of messages, sensible and absurd, to a server over its socket: it never panics, it comes back from
//! every one of them, somebody else is answered at all times, and memory does not grow.
//!
//! `HOLONOM_SEQUENCES` says how many (the soak asks for many), `HOLONOM_SEED` from which seed; a failure says what to
//! set to see it again.

mod common;
use common::{Running, Said, Socket};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Sequences where nothing else is asked for, and the time after which no new one is begun then.
const FEW: u64 = 250;
const LONG_ENOUGH: Duration = Duration::from_secs(25);
/// The session comes back from a sequence within this time.
const COMES_BACK: Duration = Duration::from_secs(30);
/// Somebody else's sign of life is answered within this time.
const AT_ONCE: Duration = Duration::from_millis(250);

/// Numbers without a library (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
    fn in_hundred(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    fn number(&mut self) -> Value {
        match self.below(12) {
            0 => json!(0),
            1 => json!(-1),
            2 => json!(1e308),
            3 => json!(-1e-320),
            4 => json!(u64::MAX),
            5 => json!(1e-9),
            6 => json!(1e6),
            _ => json!(self.below(2001) as f64 / 500.0 - 2.0),
        }
    }
    fn triple(&mut self) -> Value {
        match self.below(20) {
            0 => json!([0, 0]),
            1 => Value::Null,
            _ => json!([self.number(), self.number(), self.number()]),
        }
    }
    fn body(&mut self) -> &'static str {
        self.one_of(&[
            "rod",
            "crank",
            "coupler",
            "rocker",
            "link 1",
            "bob",
            "body",
            "body 2",
            "ground",
            "",
            "\u{1}hand 1 1",
            "a.b",
        ])
    }
    fn joint(&mut self) -> &'static str {
        self.one_of(&["pin", "A", "B", "C", "D", "motor", "joint", "drive", "hinge", "", "\u{1}hand 1 1"])
    }
    fn path(&mut self) -> String {
        let section = self.one_of(&["body", "joint", "drive", "force", "ground", "run", "params", "", "nowhere"]);
        let name = if self.in_hundred(50) { self.body() } else { self.joint() };
        let rest = self.one_of(&[
            "",
            ".mass",
            ".at",
            ".axis",
            ".shapes.0.radius",
            ".value",
            ".limit",
            ".kind",
            ".a.b.c.d",
            ".inertia",
        ]);
        format!("{section}.{name}{rest}")
    }
    fn point(&mut self) -> Value {
        json!({ "body": self.body(), "point": self.triple() })
    }
    /// Values for fields of which nobody knows what they are.
    fn anything(&mut self, depth: usize) -> Value {
        match self.below(if depth > 2 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.in_hundred(50)),
            2 | 3 => self.number(),
            4 => json!(self.one_of(&["sphere", "box", "${1/0}", "x", "\u{1f600}", "nan"])),
            5 => (0..self.below(5)).map(|_| self.anything(depth + 1)).collect(),
            6 => self.triple(),
            _ => {
                let mut map = Map::new();
                for _ in 0..self.below(4) {
                    let key = self.one_of(&["kind", "radius", "size", "mass", "at", "height", "x"]);
                    map.insert(key.into(), self.anything(depth + 1));
                }
                Value::Object(map)
            }
        }
    }

    fn edit(&mut self) -> Value {
        let shape = json!({ "kind": self.one_of(&["sphere", "box", "capsule", "cylinder", "none"]), "radius": self.number(), "size": self.triple() });
        match self.below(13) {
            0 | 1 => {
                json!({ "kind": "add-body", "body": { "shape": shape, "at": self.triple(), "mass": self.number() } })
            }
            2 => {
                json!({ "kind": "add-body", "body": { "shape": { "kind": "sphere", "radius": 0.1 }, "density": 1000 } })
            }
            3 => json!({ "kind": "add-ground-point", "at": self.triple() }),
            4 | 5 => {
                json!({ "kind": "add-joint", "joint": self.one_of(&["revolute", "spherical", "weld", "distance", "rope", "gear", "none"]),
                "a": self.point(), "b": self.point(), "axis": self.triple() })
            }
            6 => {
                json!({ "kind": "add-drive", "drive": self.one_of(&["speed", "position", "torque"]), "on": self.joint(), "fields": { "value": self.anything(0) } })
            }
            7 => {
                json!({ "kind": "add-force", "force": self.one_of(&["spring", "drag", "none"]), "a": self.point(), "b": self.point(), "fields": self.anything(1) })
            }
            8 => json!({ "kind": "set", "path": self.path(), "value": self.anything(0) }),
            9 => json!({ "kind": "remove", "path": self.path() }),
            10 => json!({ "kind": self.one_of(&["cut", "weld"]), "joint": self.joint() }),
            11 => {
                json!({ "kind": "move-body", "body": self.body(), "at": self.triple(), "turn": [self.number(), 0, 0, 1] })
            }
            _ if self.in_hundred(50) => json!({ "kind": "duplicate", "body": self.body(), "by": self.triple() }),
            _ => json!({ "kind": "rename", "path": self.path(), "name": self.body() }),
        }
    }

    fn scene(&mut self) -> String {
        let pole = "[body.rod]\nmass = 1\ninertia = [1, 1, 1]\nat = [1, 0, 0]\n[joint.pin]\nkind = \"revolute\"\nb = \"rod\"\naxis = [0, 1, 0]\n";
        match self.below(7) {
            0 => format!("{pole}[drive.motor]\nkind = \"position\"\njoint = \"pin\"\nvalue = \"1/(0.2-t)\"\n"),
            1 => format!("{pole}limits = [-0.1, 0.1]\n[drive.motor]\nkind = \"speed\"\njoint = \"pin\"\nvalue = 1\n"),
            2 => "[contact]\n[ground]\nshapes = [{ kind = \"plane\" }]\n[repeat.r]\ncount = 60\n[repeat.r.body.\"b${i}\"]\nmass = 1\n\
                  at = [\"${mod(i,4)}\", 0, \"${0.4*i}\"]\nshape = { kind = \"box\", size = [1, 1, 1] }\n"
                .into(),
            3 => "[contact]\n[ground]\nshapes = [{ kind = \"plane\" }]\n[body.bob]\nat = [0, 0, 0]\nshape = { kind = \"sphere\", radius = 0.2 }\ndensity = 700\n".into(),
            4 => "include = [\"/etc/passwd\"]\n".into(),
            5 => "[body".into(),
            _ => format!("{pole}[run]\nintegrator = \"rk4\"\ndt = {}\n", self.number()),
        }
    }

    /// A message; most of them can be understood.
    fn message(&mut self) -> String {
        let hand = self.below(3);
        let message = match self.below(32) {
            0..3 => json!({ "do": "play" }),
            3 => json!({ "do": "pause" }),
            4 => json!({ "do": "step", "ticks": self.below(40) }),
            5 => json!({ "do": "step", "ticks": self.number() }),
            6 => json!({ "do": "speed", "factor": self.number() }),
            7 => json!({ "do": "reset" }),
            8 => json!({ "do": "seek", "tick": self.below(200) }),
            9 => json!({ "do": "method", "method": self.one_of(&["auto", "accurate", "real-time", "never"]) }),
            10 | 11 => {
                json!({ "do": "grab", "hand": hand, "body": self.body(), "point": self.triple(), "cap": self.number() })
            }
            12..15 => json!({ "do": "move", "hand": hand, "to": self.triple() }),
            15 => json!({ "do": "cap", "hand": hand, "cap": self.number() }),
            16 => json!({ "do": "pin", "hand": hand }),
            17 => {
                json!({ "do": "push", "hand": hand, "body": self.body(), "point": self.triple(), "force": self.triple() })
            }
            18 => json!({ "do": "twist", "hand": hand, "body": self.body(), "torque": self.triple() }),
            19 => json!({ "do": self.one_of(&["release-all", "undo", "redo", "new", "nothing"]) }),
            20 => json!({ "do": "release", "hand": hand, "client": self.below(3) }),
            21 => json!({ "do": "mode", "mode": self.one_of(&["dynamic", "quasi-static", "kinematic"]) }),
            22 => json!({ "do": "jog", "body": self.body(), "point": self.triple(), "velocity": self.triple() }),
            23 => json!({ "do": "drive", "joint": self.joint(), "on": self.in_hundred(50) }),
            24 => json!({ "do": "show", "sections": ["reactions", "contacts", "accelerations", "centre"] }),
            25 => json!({ "do": "watch", "names": [self.path(), "energy.kinetic", "*", "", "A force"] }),
            26 => {
                json!({ "do": "ask", "id": self.below(5), "question": { "about": self.one_of(&["doctor", "ledger", "quantities", "scene", "gallery"]) } })
            }
            27 => {
                json!({ "do": "ask", "id": self.below(5), "question": { "about": "backlog", "names": ["energy.*", self.path()] } })
            }
            28 => json!({ "do": "ask", "id": self.below(5), "question": { "about": "details", "path": self.path() } }),
            29 => {
                json!({ "do": "open", "scene": self.one_of(&["pendulum", "four-bar", "double-pendulum", "tippe-top", "no such scene"]) })
            }
            30 => {
                json!({ "do": "open-text", "name": self.one_of(&["a.toml", "a.urdf", "a.xml", "../a.toml"]), "text": self.scene() })
            }
            _ => json!({ "do": "edit", "edit": self.edit() }),
        };
        let text = message.to_string();
        if self.in_hundred(96) {
            return text;
        }
        // a piece is gone, or comes twice
        let at = self.below(text.len());
        match (text.is_char_boundary(at), self.in_hundred(50)) {
            (true, true) => text[..at].into(),
            (true, false) => format!("{}{text}", &text[..at]),
            _ => "\u{0}".into(),
        }
    }
}

fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? >> 10)
}

/// Say a sequence, and wait until the session has come back from it. What it said of itself if it broke.
fn play(socket: &mut Socket, seed: u64) -> Result<(), String> {
    let mut dice = Dice(seed);
    let length = 1 + dice.below(24);
    let messages: Vec<String> = (0..length).map(|_| dice.message()).collect();
    let told = || format!("seed {seed}:\n{}", messages.join("\n"));
    for message in &messages {
        if socket.raw(1, message.as_bytes()).is_err() {
            return Err(format!("the connection broke, {}", told()));
        }
        if dice.in_hundred(10) {
            std::thread::sleep(Duration::from_millis(dice.below(30) as u64));
        }
    }
    // whatever it does now, this is answered after it
    for end in
        [r#"{"do":"pause"}"#, r#"{"do":"release-all"}"#, r#"{"do":"ask","id":77777,"question":{"about":"scene"}}"#]
    {
        socket.say(end);
    }
    let begun = Instant::now();
    loop {
        match socket.hear() {
            Some(Said::Text(v)) if v["id"] == 77777 => return Ok(()),
            Some(Said::Text(v)) if v["message"].as_str().is_some_and(|m| m.contains("fault in the program")) => {
                return Err(format!("{}, {}", v["message"], told()));
            }
            Some(Said::Close(code, reason)) => return Err(format!("closed ({code} {reason}), {}", told())),
            None => return Err(format!("it has ended, or is silent for too long, {}", told())),
            Some(_) if begun.elapsed() > COMES_BACK => return Err(format!("it does not come back, {}", told())),
            Some(_) => {}
        }
    }
}

#[test]
fn whatever_is_said_the_session_comes_back_and_others_are_answered() {
    let set = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let (count, seed) = (set("HOLONOM_SEQUENCES"), set("HOLONOM_SEED").unwrap_or(1));
    let server = Running::new();
    let mut socket = server.socket();
    socket.stream.set_read_timeout(Some(COMES_BACK)).expect("set");
    // somebody else, who asks for a sign of life all the time
    let mut other = server.socket();
    let (done, slowest) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let (asked, noted) = (done.clone(), slowest.clone());
    // what the machine keeps a thread waiting that only wants to sleep
    let lag = Arc::new(AtomicU64::new(0));
    let overslept = lag.clone();
    let watcher = std::thread::spawn(move || {
        while !asked.load(Ordering::Relaxed) {
            let begun = Instant::now();
            assert!(other.alive(), "the other one is not answered");
            noted.fetch_max(begun.elapsed().as_millis() as u64, Ordering::Relaxed);
            let asleep = Instant::now();
            std::thread::sleep(Duration::from_millis(5));
            overslept.fetch_max(asleep.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
    });
    let (begun, mut played, mut settled) = (Instant::now(), 0, None);
    while played < count.unwrap_or(FEW) && (count.is_some() || begun.elapsed() < LONG_ENOUGH) {
        if let Err(what) = play(&mut socket, seed + played) {
            panic!("HOLONOM_SEED={} HOLONOM_SEQUENCES=1: {what}", seed + played);
        }
        played += 1;
        if played == count.unwrap_or(FEW).min(2000) / 2 {
            settled = memory();
        }
        if played % 1000 == 0 {
            println!("{played} sequences, slowest sign of life {slowest:?} ms, {:?} MiB", memory());
        }
    }
    done.store(true, Ordering::Relaxed);
    watcher.join().expect("it was answered to the end");
    let slowest = Duration::from_millis(slowest.load(Ordering::Relaxed));
    let lag = Duration::from_millis(lag.load(Ordering::Relaxed));
    println!("{played} sequences in {:?}, slowest sign of life {slowest:?}, of a sleeper {lag:?}", begun.elapsed());
    assert!(played >= 20, "only {played} sequences");
    assert!(slowest < AT_ONCE + lag, "a sign of life took {slowest:?}");
    if let (Some(before), Some(after)) = (settled, memory()) {
        println!("memory: {before} MiB, then {after} MiB");
        assert!(after < before + 128, "memory grew from {before} to {after} MiB");
    }
}

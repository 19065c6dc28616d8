//! A session that is hard at work, ill or full of questions is heard all the same.

use super::desk::Job;
use super::work::Longest;
use super::{Client, Hub, MOST_WAITING};
use crate::message::{Question, Request, StepMethod};
use crate::session::Session;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The longest wait for an answer that is owed at once.
const AT_ONCE: Duration = Duration::from_millis(250);

/// A wall of so many bricks, every course shifted: a tick of some hundred is longer than anybody wants to wait.
fn wall(bricks: usize) -> String {
    format!(
        "[contact]\nfriction = 0.5\n[ground]\nshapes = [{{ kind = \"plane\" }}]\n[repeat.wall]\ncount = {bricks}\n\
         [repeat.wall.body.\"brick ${{i}}\"]\n\
         at = [\"${{1.01*mod(i - 1, 20) + 0.495*mod(floor((i - 1)/20), 2)}}\", 0, \"${{0.2*(0.5 + floor((i - 1)/20))}}\"]\n\
         mass = 1\nshape = {{ kind = \"box\", size = [1, 0.2, 0.2] }}\n\
         [run]\nintegrator = \"stepping\"\ndt = 0.04\n"
    )
}

/// A drive that runs to infinity at t = 1 s: steps without end.
const POLE: &str = "[body.a]\nmass = 1\ninertia = [1, 1, 1]\nat = [1, 0, 0]\n[joint.j]\nkind = \"revolute\"\nb = \"a\"\n\
    axis = [0, 1, 0]\n[drive.p]\nkind = \"position\"\njoint = \"j\"\nvalue = \"1/(1-t)\"\n";

fn hub(text: &str, longest: Longest) -> Hub {
    let mut session = Session::new();
    session.open_text("scene.toml", text, None).expect("it can be read");
    Hub::start_with(session, longest)
}

fn connect(hub: &Hub) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(hub.connect()).expect("it is not stopped")
}

/// The next reply that is as wanted, within the time, and how long it took.
fn wait_for(client: &mut Client, most: Duration, wanted: impl Fn(&Value) -> bool) -> (Value, Duration) {
    let begun = Instant::now();
    loop {
        if let Ok(text) = client.replies.try_recv() {
            let reply: Value = serde_json::from_str(&text).expect("JSON");
            if wanted(&reply) {
                return (reply, begun.elapsed());
            }
            continue;
        }
        assert!(begun.elapsed() < most, "nothing came within {most:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Header of the newest frame.
fn frame(client: &Client) -> Value {
    let bytes = client.frames.borrow().clone();
    if bytes.is_empty() {
        return Value::Null;
    }
    let n = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[4..4 + n]).expect("JSON")
}

fn frame_as(client: &Client, most: Duration, wanted: impl Fn(&Value) -> bool) -> (Value, Duration) {
    let begun = Instant::now();
    loop {
        let frame = frame(client);
        if wanted(&frame) {
            return (frame, begun.elapsed());
        }
        assert!(begun.elapsed() < most, "no such frame within {most:?}: {frame}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Say pings for so long; the longest wait for the answer, beyond what the machine keeps a thread waiting that only
/// wants to sleep.
fn slowest_pong(client: &mut Client, time: Duration) -> Duration {
    let (begun, mut slowest, mut lag, mut id) = (Instant::now(), Duration::ZERO, Duration::ZERO, 0);
    while begun.elapsed() < time {
        id += 1;
        client.request(Request::Ping { id });
        let (_, took) = wait_for(client, Duration::from_secs(20), |r| r["say"] == "pong" && r["id"] == id);
        slowest = slowest.max(took);
        let asleep = Instant::now();
        std::thread::sleep(Duration::from_millis(5));
        lag = lag.max(asleep.elapsed());
    }
    slowest.saturating_sub(lag)
}

#[test]
fn a_session_deep_in_a_step_is_heard() {
    let hub = hub(&wall(600), Longest::default());
    let (mut one, mut other) = (connect(&hub), connect(&hub));
    frame_as(&one, Duration::from_secs(20), |f| f["time"] == 0.0);
    one.request(Request::Method { method: StepMethod::Accurate });
    one.request(Request::Grab { hand: 1, body: "brick 300".into(), point: [0.0; 3], cap: 1e4 });
    one.request(Request::Move { hand: 1, to: [15.0, 3.0, 4.0] });
    one.request(Request::Play);
    frame_as(&one, Duration::from_secs(20), |f| f["playing"] == true);
    let slowest = slowest_pong(&mut other, Duration::from_millis(1500));
    assert!(slowest < AT_ONCE, "a sign of life took {slowest:?}");
    // somebody who comes is shown what there is
    let begun = Instant::now();
    let mut third = connect(&hub);
    wait_for(&mut third, AT_ONCE, |r| r["say"] == "picture");
    assert!(begun.elapsed() < AT_ONCE);
    // and the tick on its way does not keep anybody from stopping it
    other.request(Request::Pause);
    let (_, took) = frame_as(&other, Duration::from_secs(10), |f| f["playing"] == false);
    assert!(took < Duration::from_millis(1500), "paused after {took:?}");
    one.request(Request::Open { scene: "pendulum".into() });
    let (_, took) = wait_for(&mut one, Duration::from_secs(10), |r| r["say"] == "picture" && r["name"] == "pendulum");
    assert!(took < Duration::from_secs(2), "opened after {took:?}");
    hub.stop();
}

#[test]
fn a_step_without_an_end_is_given_up_and_said_to_be_so() {
    // far less than a step of such a wall takes
    let [tick, accurate] = [20, 10].map(Duration::from_millis);
    let hub = hub(&wall(800), Longest { tick, accurate, ..Longest::default() });
    let mut client = connect(&hub);
    frame_as(&client, Duration::from_secs(20), |f| f["time"] == 0.0);
    client.request(Request::Play);
    // first real-time steps are tried, as where the clock is not kept; they are what the scene asks for already
    wait_for(&mut client, Duration::from_secs(20), |r| {
        r["say"] == "note" && r["message"].as_str().is_some_and(|m| m.contains("too long"))
    });
    let (frame, _) = frame_as(&client, Duration::from_secs(20), |f| !f["stopped"].is_null());
    let why = frame["stopped"].as_str().expect("words");
    for part in ["given up", "the state before it is kept", "undo"] {
        assert!(why.contains(part), "`{part}` is missing in {why}");
    }
    assert_eq!((&frame["playing"], &frame["time"]), (&Value::from(false), &Value::from(0.0)));
    // what can be done goes on
    client.request(Request::Open { scene: "pendulum".into() });
    client.request(Request::Play);
    frame_as(&client, Duration::from_secs(20), |f| f["time"].as_f64() > Some(0.05));
    hub.stop();
}

#[test]
fn a_drive_that_runs_to_infinity_silences_nobody() {
    let hub = hub(POLE, Longest::default());
    let mut client = connect(&hub);
    frame_as(&client, Duration::from_secs(20), |f| f["time"] == 0.0);
    client.request(Request::Method { method: StepMethod::Accurate });
    client.request(Request::Speed { factor: 10.0 });
    client.request(Request::Play);
    let slowest = slowest_pong(&mut client, Duration::from_millis(1000));
    assert!(slowest < AT_ONCE, "a sign of life took {slowest:?}");
    // still, so that it is not at the pole again before anybody has looked
    client.request(Request::Pause);
    client.request(Request::Reset);
    frame_as(&client, Duration::from_secs(20), |f| f["time"].as_f64() < Some(0.5));
    hub.stop();
}

#[test]
fn a_fault_ends_one_session_and_says_so() {
    let hub = hub(POLE, Longest::default());
    let (mut one, mut other) = (connect(&hub), connect(&hub));
    let (before, _) = wait_for(&mut one, Duration::from_secs(20), |r| r["say"] == "picture");
    hub.desk.push(Job::Panic);
    for client in [&mut one, &mut other] {
        let (error, _) = wait_for(client, Duration::from_secs(20), |r| r["say"] == "error");
        let message = error["message"].as_str().expect("words");
        assert!(message.contains("as the test wants it") && message.contains("begins anew"), "{message}");
        let (after, _) = wait_for(client, Duration::from_secs(20), |r| r["say"] == "picture" && r != &before);
        assert!(after["revision"].as_u64() > before["revision"].as_u64(), "a picture of its own");
        assert_eq!(after["bodies"], before["bodies"]);
    }
    one.request(Request::Play);
    frame_as(&other, Duration::from_secs(20), |f| f["time"].as_f64() > Some(0.05) && f["stopped"].is_null());
    hub.stop();
}

#[test]
fn long_questions_are_answered_beside_the_motion_and_can_be_taken_back() {
    let chains = "[ladder.l]\nrungs = 150\n[ladder.l.body]\nmass = 1\nsize = [1, 0.1, 0.1]\n";
    let mut session = Session::new();
    if session.open_text("ladder.toml", chains, None).is_err() {
        session.open_named("ring-40").expect("a scene of the gallery");
    }
    let hub = Hub::start(session);
    let (mut one, mut other) = (connect(&hub), connect(&hub));
    for id in 1..=20 {
        one.request(Request::Ask { id, question: Question::Doctor });
    }
    (1..=20).for_each(|id| one.request(Request::TakeBack { id }));
    let slowest = slowest_pong(&mut other, Duration::from_millis(300));
    assert!(slowest < AT_ONCE, "a sign of life took {slowest:?}");
    // each of them is answered once: with a report, or with why not
    let mut open: Vec<u64> = (1..=20).collect();
    while !open.is_empty() {
        let (reply, _) = wait_for(&mut one, Duration::from_secs(60), |r| r["say"] == "answer" || r["say"] == "error");
        let id = reply["id"].as_u64().expect("a number");
        assert!(open.contains(&id), "{id} answered twice: {reply}");
        open.retain(|x| *x != id);
    }
    assert_eq!(hub.desk.inquiries.count(), 0);
    other.request(Request::Ask { id: 7, question: Question::Doctor });
    let (reply, _) = wait_for(&mut other, Duration::from_secs(60), |r| r["id"] == 7);
    assert_eq!(reply["say"], "answer");
    hub.stop();
}

#[test]
fn inputs_that_wait_are_bounded() {
    let hub = hub(&wall(800), Longest::default());
    let (one, mut other) = (connect(&hub), connect(&hub));
    frame_as(&one, Duration::from_secs(20), |f| f["time"] == 0.0);
    one.request(Request::Method { method: StepMethod::Accurate });
    one.request(Request::Play);
    frame_as(&one, Duration::from_secs(20), |f| f["playing"] == true);
    // moves of a hand take one place
    for k in 0..100_000 {
        one.request(Request::Move { hand: 1, to: [f64::from(k), 0.0, 0.0] });
    }
    assert!(!one.is_behind());
    while !one.is_behind() {
        one.request(Request::Cap { hand: 1, cap: 1.0 });
    }
    // who has said too much keeps nobody else from being heard
    let slowest = slowest_pong(&mut other, Duration::from_millis(200));
    assert!(slowest < AT_ONCE, "a sign of life took {slowest:?}");
    const { assert!(MOST_WAITING < 1000) };
    hub.stop();
}

//! Sessions without a page: hands, history, replay.

use holonom_scene::Loader;
use holonom_view::message::{MotionMode, Request, Triple};
use holonom_view::session::log::{Input, ProgramInput};
use holonom_view::session::{Session, replay};

fn open(name: &str) -> Session {
    let mut session = Session::new();
    session.open_named(name).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    session
}

fn say(session: &mut Session, client: u32, request: Request) {
    session.input(client, Input::Said(request)).unwrap_or_else(|e| panic!("{e:?}"));
}

fn grab(session: &mut Session, body: &str, point: Triple, cap: f64) {
    say(session, 1, Request::Grab { hand: 0, body: body.into(), point, cap });
}

fn point(session: &mut Session, body: &str, point: Triple) -> Triple {
    let sim = session.simulation();
    let id = sim.model().body(body).unwrap();
    sim.point(id.at(point)).0.to_array()
}

fn run(session: &mut Session, seconds: f64) -> f64 {
    let ticks = (seconds / session.tick_length()).round() as u64;
    let mut gap: f64 = 0.0;
    for _ in 0..ticks {
        session.advance().unwrap_or_else(|e| panic!("tick {}: {e}", session.tick()));
        gap = gap.max(session.gap);
        assert!(session.gap <= 1e-8, "tick {}: gap {:e}", session.tick(), session.gap);
        assert!(session.simulation().state().q.iter().all(|x| x.is_finite()));
    }
    gap
}

/// The hand goes wildly to and fro, farther than the mechanism can follow.
fn drag_hard(name: &str, body: &str, cap: f64, mode: MotionMode) -> (f64, Session) {
    let mut session = open(name);
    say(&mut session, 1, Request::Mode { mode });
    let start = point(&mut session, body, [0.0; 3]);
    grab(&mut session, body, [0.0; 3], cap);
    let mut gap: f64 = 0.0;
    let h = session.tick_length();
    let frames = (10.0 / (4.0 * h)) as usize;
    for k in 0..frames {
        let t = k as f64 * 4.0 * h;
        let (a, b, c) = (libm::sin(7.0 * t), libm::sin(11.0 * t + 1.0), libm::sin(5.0 * t + 2.0));
        let to = [start[0] + 3.0 * a, start[1] + 2.0 * b, start[2] + 3.0 * c];
        say(&mut session, 1, Request::Move { hand: 0, to });
        gap = gap.max(run(&mut session, 4.0 * h));
    }
    (gap, session)
}

#[test]
fn hard_dragging_opens_no_joint() {
    for (name, body, cap) in [
        ("ring-40", "", 1000.0),
        ("cable-200", "", 1000.0),
        ("prosthetic-arm", "hand", 200.0),
        ("parallelogram", "coupler", 500.0),
        ("four-bar", "coupler", 500.0),
        ("tree-128", "", 200.0),
    ] {
        let body = if body.is_empty() {
            let mut s = open(name);
            let model = s.simulation().model().clone();
            model.body_name(model.bodies().last().unwrap()).to_string()
        } else {
            body.to_string()
        };
        for mode in [MotionMode::Dynamic, MotionMode::QuasiStatic, MotionMode::Kinematic] {
            let begun = std::time::Instant::now();
            let (gap, mut session) = drag_hard(name, &body, cap, mode);
            let wall = begun.elapsed().as_secs_f64();
            eprintln!("{name:20} {mode:?}: gap {gap:.1e}, {wall:.2} s for 10 s");
            assert!(gap <= 1e-8, "{name} {mode:?}: {gap:e}");
            // let go while moving: nothing jumps
            let before = session.simulation().state().v.clone();
            say(&mut session, 1, Request::Release { hand: 0, client: None });
            let after = &session.simulation().state().v;
            let (largest, jump) = before
                .iter()
                .zip(after)
                .fold((1.0_f64, 0.0_f64), |(m, j), (a, b)| (m.max(a.abs()), j.max((a - b).abs())));
            assert!(jump <= 1e-12 * largest, "{name} {mode:?}: {jump:e}");
            run(&mut session, 0.2);
        }
    }
}

fn distance(a: Triple, b: Triple) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn a_held_point_follows_with_no_more_than_the_cap() {
    // a rod of 0.5 kg or so on a hinge, held out at rest; then with less than its weight takes
    for (cap, holds) in [(200.0, true), (0.5, false)] {
        let mut session = open("pendulum");
        let body = {
            let model = session.simulation().model().clone();
            model.body_name(model.bodies().next().unwrap()).to_string()
        };
        let at = point(&mut session, &body, [0.0; 3]);
        grab(&mut session, &body, [0.0; 3], cap);
        run(&mut session, 1.0);
        let off = distance(point(&mut session, &body, [0.0; 3]), at);
        assert_eq!(off < 1e-3, holds, "cap {cap} N: {off} m off");
        for hand in session.hands_now() {
            let force = distance(hand.force, [0.0; 3]);
            assert!(force <= cap * (1.0 + 1e-9), "{force} N of {cap} N");
            assert!(force > 0.4 * cap.min(1.0));
        }
    }
}

/// Two clients drag, one pins, one leaves; modes change; a drive is switched off.
fn busy_session() -> Session {
    let mut session = open("four-bar");
    run(&mut session, 0.3);
    say(&mut session, 1, Request::Grab { hand: 0, body: "coupler".into(), point: [0.1, 0.0, 0.0], cap: 50.0 });
    say(&mut session, 2, Request::Grab { hand: 0, body: "rocker".into(), point: [0.0; 3], cap: 80.0 });
    for k in 0..40 {
        let x = k as f64 / 40.0;
        say(&mut session, 1, Request::Move { hand: 0, to: [x, 0.1 * x, 0.3] });
        say(&mut session, 2, Request::Move { hand: 0, to: [0.5 - x, -0.1, 0.2 + x] });
        run(&mut session, 0.02);
    }
    say(&mut session, 1, Request::Drive { joint: "motor".into(), on: false });
    say(&mut session, 1, Request::Pin { hand: 0 });
    run(&mut session, 0.2);
    say(&mut session, 2, Request::Mode { mode: MotionMode::Kinematic });
    say(&mut session, 2, Request::Move { hand: 0, to: [0.5, 0.0, 0.4] });
    run(&mut session, 0.2);
    say(&mut session, 2, Request::Mode { mode: MotionMode::QuasiStatic });
    say(&mut session, 2, Request::Push { hand: 3, body: "crank".into(), point: [0.0; 3], force: [0.0, 0.0, 20.0] });
    run(&mut session, 0.2);
    session.input(2, Input::Own(ProgramInput::Leave)).unwrap();
    say(&mut session, 1, Request::Mode { mode: MotionMode::Dynamic });
    say(&mut session, 1, Request::Twist { hand: 4, body: "crank".into(), torque: [0.0, 1.0, 0.0] });
    run(&mut session, 0.3);
    session
}

#[test]
fn a_log_replays_to_the_same_bits() {
    let session = busy_session();
    let text = session.log_text();
    let replayed = replay(&text, &Loader::new()).unwrap();
    assert_eq!(replayed.hash, session.hash());
    assert_eq!(replayed.expected, session.hash());
    assert_eq!(replayed.ticks, session.tick());
    assert!(replayed.max_gap < 1e-8);
    // and one input less is another motion
    let other: Vec<&str> = text.lines().filter(|line| !line.contains("\"twist\"")).collect();
    let other = other.join("\n");
    assert_ne!(replay(&other, &Loader::new()).unwrap().hash, session.hash());
}

#[test]
fn logs_with_mistakes_are_refused() {
    let text = busy_session().log_text();
    let refused = |text: &str| replay(text, &Loader::new()).unwrap_err();
    assert!(refused("").contains("empty"));
    assert!(refused("{}").contains("line 1"), "{}", refused("{}"));
    assert!(refused(&text.replacen("\"version\":1", "\"version\":2", 1)).contains("version 2"));
    let late = text.replacen("{\"tick\":", "{\"tick\":9999999", 1);
    assert!(refused(&late).contains("line 2: tick"), "{}", refused(&late));
    let odd = text.replacen("\"do\":\"grab\"", "\"do\":\"grasp\"", 1);
    assert!(refused(&odd).contains("line 2"), "{}", refused(&odd));
}

#[test]
fn time_goes_on_from_a_moment_of_the_past() {
    let mut session = open("double-pendulum");
    run(&mut session, 1.0);
    let (tick, hash) = (session.tick(), session.hash());
    session.seek(tick / 2);
    assert!(session.tick() <= tick / 2 && session.tick() > tick / 2 - 10);
    // nothing happens in between: the same bits again
    while session.tick() < tick {
        session.advance().unwrap();
    }
    assert_eq!(session.hash(), hash);
    // another future, whose log replays
    session.seek(tick / 3);
    let from = session.tick();
    grab(&mut session, "lower", [0.0; 3], 30.0);
    run(&mut session, 0.4);
    assert!(session.tick() < tick && session.tick() > from);
    assert_ne!(session.hash(), hash);
    let replayed = replay(&session.log_text(), &Loader::new()).unwrap();
    assert_eq!(replayed.hash, session.hash());
    // looking back and returning to the present keeps the future
    let (tick, hash) = (session.tick(), session.hash());
    session.seek(0);
    session.seek(u64::MAX);
    assert_eq!((session.tick(), session.hash()), (tick, hash));
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut session = open("four-bar");
    run(&mut session, 0.1);
    let before = session.log_text();
    for request in [
        Request::Grab { hand: 0, body: "nobody".into(), point: [0.0; 3], cap: 1.0 },
        Request::Grab { hand: 0, body: "crank".into(), point: [f64::NAN, 0.0, 0.0], cap: 1.0 },
        Request::Grab { hand: 0, body: "crank".into(), point: [0.0; 3], cap: -1.0 },
        Request::Grab { hand: 0, body: "crank".into(), point: [0.0; 3], cap: f64::INFINITY },
        Request::Push { hand: 0, body: "crank".into(), point: [0.0; 3], force: [f64::INFINITY, 0.0, 0.0] },
        Request::Drive { joint: "nothing".into(), on: false },
        Request::Drive { joint: "motor".into(), on: true },
        Request::Play,
    ] {
        let shown = format!("{request:?}");
        let refusal = session.input(1, Input::Said(request)).expect_err(&shown);
        assert!(!refusal.message.is_empty());
    }
    assert_eq!(session.log_text(), before);
}

fn edit(session: &mut Session, json: &str) {
    let request: Request = serde_json::from_str(&format!("{{\"do\": \"edit\", \"edit\": {json}}}")).unwrap();
    say(session, 1, request);
}

#[test]
fn what_is_built_runs_replays_and_goes_on_after_a_reset() {
    let mut session = open("double-pendulum");
    run(&mut session, 0.3);
    edit(&mut session, r#"{"kind": "set", "path": "body.lower.mass", "value": 3.0}"#);
    let time = session.simulation().time();
    assert!((time - 0.3).abs() < 0.01, "time goes on: {time}");
    grab(&mut session, "lower", [0.0; 3], 40.0);
    run(&mut session, 0.2);
    // a hand holds on while the scene changes under it
    edit(&mut session, r#"{"kind": "set", "path": "body.lower.mass", "value": 2.0}"#);
    assert_eq!(session.hands_now().len(), 1);
    run(&mut session, 0.2);
    say(&mut session, 1, Request::Undo);
    run(&mut session, 0.1);
    session.reset().unwrap();
    assert_eq!(session.simulation().time(), 0.0);
    assert!(session.hands_now().is_empty());
    assert!(session.scene_text().contains("mass = 3"), "{}", session.scene_text());
    run(&mut session, 0.3);
    let replayed = replay(&session.log_text(), &Loader::new()).unwrap();
    assert_eq!(replayed.hash, session.hash());
}

#[test]
fn two_points_are_joined_for_all_to_see() {
    let mut session = Session::new();
    for (name, x) in [("left", 0.0), ("right", 1.5)] {
        edit(
            &mut session,
            &format!(
                r#"{{"kind": "add-body", "name": "{name}", "body": {{"shape": {{"kind": "box", "size": [1, 0.1, 0.1]}}, "density": 1000, "at": [{x}, 0, 0]}}}}"#
            ),
        );
    }
    edit(
        &mut session,
        r#"{"kind": "add-joint", "joint": "spherical", "a": {"body": "left", "point": [0.5, 0, 0]}, "b": {"body": "right", "point": [-0.5, 0, 0]}}"#,
    );
    assert!(session.assembles());
    let mut gaps = Vec::new();
    while session.assembles() {
        let a = point(&mut session, "left", [0.5, 0.0, 0.0]);
        let b = point(&mut session, "right", [-0.5, 0.0, 0.0]);
        gaps.push(distance(a, b));
        session.advance().unwrap();
        assert!(gaps.len() < 2000);
    }
    assert!(gaps.len() > 20, "it is seen: {} ticks", gaps.len());
    assert!(gaps.windows(2).all(|w| w[1] <= w[0]), "{gaps:?}");
    assert_eq!(session.simulation().model().n_joints(), 1);
    assert!(session.simulation().violation().0 < 1e-12);
    run(&mut session, 0.1);
    let replayed = replay(&session.log_text(), &Loader::new()).unwrap();
    assert_eq!(replayed.hash, session.hash());
    // and one that cannot be closed says how near it came
    edit(
        &mut session,
        r#"{"kind": "add-joint", "joint": "spherical", "a": {"body": "left", "point": [-0.5, 0, 0]}, "b": {"body": "right", "point": [3, 0, 0]}}"#,
    );
    while session.assembles() {
        session.advance().unwrap();
    }
    assert_eq!(session.simulation().model().n_joints(), 1);
}

#[test]
fn a_tool_is_jogged_by_way_of_the_motors() {
    let mut session = open("prosthetic-arm");
    let tool = [0.0; 3];
    let before = point(&mut session, "hand", tool);
    run(&mut session, 0.1);
    for velocity in [[0.0, 0.0, 0.1], [0.0, 0.05, 0.0]] {
        let start = point(&mut session, "hand", tool);
        say(&mut session, 1, Request::Jog { body: "hand".into(), point: tool, velocity });
        let gap = run(&mut session, 0.5);
        say(&mut session, 1, Request::Jog { body: "hand".into(), point: tool, velocity: [0.0; 3] });
        run(&mut session, 0.5);
        let end = point(&mut session, "hand", tool);
        for i in 0..3 {
            assert!((end[i] - start[i] - 0.5 * velocity[i]).abs() < 5e-3, "{velocity:?}: {start:?} -> {end:?}");
        }
        assert!(gap < 1e-8);
    }
    assert!(distance(before, point(&mut session, "hand", tool)) > 0.04);
    let replayed = replay(&session.log_text(), &Loader::new()).unwrap();
    assert_eq!(replayed.hash, session.hash());
    // from the middle of a jog
    let last = session.tick();
    session.seek(last / 2);
    run(&mut session, 0.2);
    assert_eq!(replay(&session.log_text(), &Loader::new()).unwrap().hash, session.hash());
    let mut free = open("double-pendulum");
    let jog = Request::Jog { body: "lower".into(), point: tool, velocity: [0.1, 0.0, 0.0] };
    assert!(free.input(1, Input::Said(jog)).unwrap_err().message.contains("no position drives"));
}

/// What is not as promised stands in the header of every frame until the scene is reset; what is as promised leaves it
/// empty.
#[test]
fn broken_promises_are_shown() {
    let text = r#"
        run = { drift = "none", integrator = "rk4", dt = 0.01 }
        body.arm = { from = [0, 0, 0], to = [1, 0, 0], mass = 1, shape = { kind = "rod", radius = 0.02 } }
        joint.pin = { kind = "revolute", b = "arm.from", axis = [0, 1, 0] }
    "#;
    let header = |session: &mut Session| {
        let frame = session.frame(Default::default(), &[], &[]);
        String::from_utf8_lossy(&frame).into_owned()
    };
    let mut session = Session::new();
    session.open_text("drifts", text, None).expect("opens");
    assert!(header(&mut session).contains(r#""broken":[]"#), "{}", header(&mut session));
    for _ in 0..60 {
        session.advance().expect("goes on");
    }
    assert!(header(&mut session).contains(r#""broken":["gap of a joint "#), "{}", header(&mut session));
    session.reset().expect("resets");
    assert!(header(&mut session).contains(r#""broken":[]"#), "{}", header(&mut session));
    let mut session = open("pendulum");
    run(&mut session, 1.0);
    assert!(header(&mut session).contains(r#""broken":[]"#), "{}", header(&mut session));
}

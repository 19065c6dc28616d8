//! `holonom view`, `holonom` alone, and `holonom replay`: started, visited, stopped.

mod common;
use common::{Folder, command, diagnosed, holonom, json, refused, scene, stderr, stdout};
use holonom_view::message::Request;
use holonom_view::session::Session;
use holonom_view::session::log::Input;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A page that is served; killed when dropped.
struct Page {
    child: Child,
    out: BufReader<ChildStdout>,
    /// What was printed up to the address.
    greeting: String,
    url: String,
}

/// What is printed up to the address, and the address.
fn greeting(out: &mut impl BufRead) -> (String, String) {
    let mut greeting = String::new();
    loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).expect("text") > 0, "no address in\n{greeting}");
        greeting += &line;
        if let Some(url) = line.split_whitespace().find(|w| w.starts_with("http://")) {
            return (greeting, url.to_string());
        }
    }
}

impl Page {
    /// Without a screen.
    fn open(args: &[&str]) -> Page {
        Page::start(command(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"))
    }

    fn start(command: &mut Command) -> Page {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let (greeting, url) = greeting(&mut out);
        Page { child, out, greeting, url }
    }

    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().expect("a host")
    }

    /// The body of what stands there, with the token as the page's cookie.
    fn get(&self, path: &str) -> (u16, String) {
        let (port, token) = (self.address().split(':').nth(1), self.url.split("token=").nth(1));
        let cookie = format!("holonom-{}={}", port.expect("a port"), token.expect("a token"));
        let mut stream = TcpStream::connect(self.address()).expect("connected");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
            self.address()
        )
        .expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("text");
        let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, text.split_once("\r\n\r\n").map(|(_, body)| body.to_string()).unwrap_or_default())
    }

    /// Ask it to end: exit code, the rest of standard output, standard error.
    fn end(mut self, signal: &str) -> (Option<i32>, String, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().is_ok_and(|s| s.success()));
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("waited") {
                Some(status) => break status,
                None => assert!(begun.elapsed() < Duration::from_secs(20), "it does not end"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let (mut rest, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut rest).expect("text");
        self.child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
        (status.code(), rest, err)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn alone_it_serves_the_page_says_where_and_ends_when_asked() {
    for (args, signal) in [(&[][..], "-INT"), (&["view", "--no-open"], "-TERM")] {
        let page = Page::open(args);
        assert!(
            page.greeting.starts_with("holonom ") && page.url.starts_with("http://127.0.0.1:"),
            "{}",
            page.greeting
        );
        let (status, html) = page.get("/");
        assert_eq!(status, 200);
        assert!(html.starts_with("<!doctype html>"), "{}", &html[..html.len().min(200)]);
        let (code, rest, err) = page.end(signal);
        assert_eq!(code, Some(0), "{args:?} {signal}: {err}");
        assert!(rest.contains("Ctrl-C"), "{rest}");
        assert!(err.is_empty() || err.starts_with("warning: this build carries no page"), "{err}");
        assert!(rest.lines().all(|l| l.chars().count() <= 120), "{rest}");
    }
}

#[cfg(unix)]
#[test]
fn a_scene_is_opened_as_it_was_asked_for() {
    let file = scene("door");
    let page = Page::open(&["view", &file, "--no-open"]);
    assert_eq!(page.get("/files/scene.toml").1, std::fs::read_to_string(&file).expect("there"));
    drop(page);
    // changes are in the text, so that the page can go back to the start
    let page = Page::open(&["view", "pendulum", "--no-open", "--set", "body.rod.density=1234"]);
    assert!(page.greeting.contains("A pendulum"), "{}", page.greeting);
    assert!(page.get("/files/scene.toml").1.contains("density = 1234"), "{}", page.get("/files/scene.toml").1);
}

#[cfg(unix)]
#[test]
fn a_recording_opens_its_scene() {
    let folder = Folder::new("view-run");
    let (run, csv) = (folder.file("swing.parquet"), folder.file("swing.csv"));
    for out in [&run, &csv] {
        let args = ["run", "pendulum", "--time", "0.1", "--set", "body.rod.density=1234", "--out", out];
        let done = holonom(&args);
        assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    }
    let page = Page::open(&["view", &run, "--no-open"]);
    assert!(page.get("/files/scene.toml").1.contains("density = 1234"));
    drop(page);
    refused(&["view", &csv, "--no-open"], 2, &["does not say which scene", "name the scene"]);
    refused(&["view", &folder.file("gone.hrec"), "--no-open"], 5, &["gone.hrec"]);
    // a scene that lies beside its recording is found from anywhere
    let near = folder.file("mine.toml");
    std::fs::copy(scene("door"), &near).expect("copied");
    let done = command(&["run", "mine.toml", "--time", "0.01", "--out", "mine.hrec"]).current_dir(&folder.0).output();
    assert!(done.expect("started").status.success());
    let page = Page::open(&["view", &folder.file("mine.hrec"), "--no-open"]);
    assert_eq!(page.get("/files/scene.toml").1, std::fs::read_to_string(&near).expect("there"));
}

#[test]
fn mistakes_end_it_before_it_begins() {
    refused(&["view", "pendulim", "--no-open"], 2, &["did you mean `pendulum`?"]);
    diagnosed(&["view", "nothing.toml", "--no-open"], 2, "E0104", &[]);
    refused(&["view", "--port", "70000"], 2, &["--port"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = taken.local_addr().expect("bound").port().to_string();
    refused(&["view", "--no-open", "--port", &port], 5, &[&format!("port {port} is in use"), "leave --port out"]);
}

#[cfg(unix)]
#[test]
fn with_a_port_of_its_own_the_address_stays() {
    let folder = Folder::new("view-port");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("bound").port().to_string();
    let start = |args: &[&str]| {
        let mut command = command(&[&["view", "pendulum", "--no-open"], args].concat());
        Page::start(command.env("XDG_RUNTIME_DIR", &folder.0))
    };
    let first = start(&["--port", &port]);
    let url = first.url.clone();
    assert!(url.starts_with(&format!("http://127.0.0.1:{port}/")), "{url}");
    assert_eq!(first.end("-INT").0, Some(0));
    assert_eq!(start(&["--port", &port]).url, url, "an open page goes on");
    let token = |page: &Page| page.url.split("token=").nth(1).expect("a token").to_string();
    assert_ne!(token(&start(&[])), token(&start(&[])), "otherwise every start has its own");
    let file = std::fs::metadata(folder.0.join("holonom").join(format!("page-{port}.token"))).expect("kept");
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_started_with_a_ticket() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("view-browser");
    let (opener, told) = (folder.file("xdg-open"), folder.file("told"));
    std::fs::write(&opener, format!("#!/bin/sh\nprintf '%s' \"$*\" > '{told}.new' && mv '{told}.new' '{told}'\n"))
        .expect("written");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap_or_default());
    let start = |args: &[&str], display: &str| {
        let mut command = command(args);
        Page::start(command.env("PATH", &path).env("DISPLAY", display).env_remove("WAYLAND_DISPLAY"))
    };
    for (args, display) in [(&["view", "--no-open"][..], ":0"), (&["view"], "")] {
        let page = start(args, display);
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(page.get("/").0, 200);
        assert!(!std::path::Path::new(&told).exists(), "{args:?} with DISPLAY={display:?}");
    }
    let page = start(&["view"], ":0");
    let begun = Instant::now();
    let url = loop {
        match std::fs::read_to_string(&told) {
            Ok(url) => break url,
            Err(_) => assert!(begun.elapsed() < Duration::from_secs(20), "no browser was started"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let token = page.url.split("token=").nth(1).expect("a token");
    assert!(url.starts_with(&format!("http://{}/?ticket=", page.address())) && !url.contains(token), "{url}");
    // a browser that cannot be started is no reason to stop
    std::fs::write(&opener, "#!/no/such/shell\n").expect("written");
    assert_eq!(start(&["view"], ":0").get("/").0, 200);
}

#[test]
fn what_was_done_on_the_page_is_replayed_to_the_same_bits() {
    let mut session = Session::new();
    session.open_named("double-pendulum").expect("it is in the gallery");
    let body = session.scene().bodies[0].name.to_string();
    let say = |session: &mut Session, request| session.input(1, Input::Said(request)).expect("done");
    for k in 0..300 {
        match k {
            50 => say(&mut session, Request::Grab { hand: 1, body: body.clone(), point: [0.1, 0.0, 0.0], cap: 30.0 }),
            51..200 => say(&mut session, Request::Move { hand: 1, to: [0.3, 0.001 * f64::from(k), -0.2] }),
            200 => say(&mut session, Request::Release { hand: 1, client: None }),
            _ => {}
        }
        session.advance().expect("it moves");
    }
    let folder = Folder::new("replay");
    let file = folder.file("inputs.jsonl");
    let log = session.log_text();
    std::fs::write(&file, &log).expect("written");
    let v = json(&["replay", &file, "--json"]);
    assert_eq!(v["hash"], session.hash());
    assert_eq!((v["same"].as_bool(), v["ticks"].as_u64(), v["inputs"].as_u64()), (Some(true), Some(300), Some(151)));
    assert_eq!(v["hash"].as_str().map(str::len), Some(16));
    assert!(v["max_gap"].as_f64().expect("a number") < 1e-8);
    let out = holonom(&["replay", &file]);
    assert_eq!(out.status.code(), Some(0));
    assert!(stdout(&out).contains(&session.hash()) && stdout(&out).contains("same bits"), "{}", stdout(&out));
    // another motion is said to be one
    let other = log.replace("0.3,0.1,-0.2", "0.31,0.1,-0.2");
    assert_ne!(other, log);
    std::fs::write(&file, other).expect("written");
    let out = holonom(&["replay", &file]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(stdout(&out).contains("NOT the same") && stdout(&out).contains(&session.hash()), "{}", stdout(&out));
    // what is no log says so
    for (text, part) in [("", "empty"), ("nonsense\n", "heading"), (&log[..log.len() - 20], "line 152")] {
        std::fs::write(&file, text).expect("written");
        refused(&["replay", &file], 2, &["cannot be replayed", part]);
    }
    refused(&["replay", &folder.file("gone.jsonl")], 5, &["gone.jsonl"]);
    // a log may not choose a folder to read from
    let (head, rest) = log.split_once('\n').expect("a heading");
    let mut heading: serde_json::Value = serde_json::from_str(head).expect("JSON");
    heading["folder"] = "/etc".into();
    std::fs::write(&file, format!("{heading}\n{rest}")).expect("written");
    refused(&["replay", &file], 2, &["reads files from `/etc`", "--allow-path /etc"]);
    assert_eq!(json(&["replay", &file, "--allow-path", "/etc", "--json"])["same"], true);
    // blank lines before the heading change nothing
    std::fs::write(&file, format!("\n  \n{heading}\n{rest}")).expect("written");
    refused(&["replay", &file], 2, &["reads files from `/etc`", "--allow-path /etc"]);
    // and only an ordinary file is read
    refused(&["replay", "/dev/zero"], 2, &["not an ordinary file"]);
}

/// A log, in a folder of its own, whose scene names a file outside it: by its folder, or by a name that is a path.
#[test]
fn a_log_reads_no_file_outside_its_folder() {
    let (inside, outside) = (Folder::new("log-inside"), Folder::new("log-outside"));
    std::fs::write(outside.file("canary.toml"), "[body.canary]\nmass = 1\ninertia = [1, 1, 1]\n").expect("written");
    let file = inside.file("inputs.jsonl");
    let text = "include = [\"canary.toml\"]\n";
    let heading = |scene: &str, folder: &str| serde_json::json!({ "holonom": "inputs", "version": 1, "scene": scene, "text": text, "folder": folder, "end": 1, "hash": "" });
    let (own, other) = (inside.0.display().to_string(), outside.0.display().to_string());
    for before in ["", "\n", " \n\t\n"] {
        std::fs::write(&file, format!("{before}{}\n", heading("s.toml", &other))).expect("written");
        refused(&["replay", &file], 2, &["reads files from"]);
    }
    for scene in [format!("{other}/s.toml"), "../log-outside/s.toml".into(), format!("x/../../{other}/s.toml")] {
        std::fs::write(&file, format!("{}\n", heading(&scene, &own))).expect("written");
        let out = holonom(&["replay", &file]);
        assert_eq!(out.status.code(), Some(2), "{scene}: {}", stdout(&out));
        assert!(stderr(&out).contains("no file `canary.toml`"), "{scene}: {}", stderr(&out));
    }
    // the same file where it may be read
    std::fs::copy(outside.file("canary.toml"), inside.file("canary.toml")).expect("copied");
    std::fs::write(&file, format!("{}\n", heading("s.toml", &own))).expect("written");
    let out = holonom(&["replay", &file]);
    assert!(stdout(&out).contains("1 ticks"), "{}", stderr(&out));
}

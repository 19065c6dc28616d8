//! Who is let in, and how: every rule of the loopback server, tried from outside over real sockets.

mod common;
use common::Running;
use holonom_view::hub::Hub;
use holonom_view::page;
use holonom_view::server::{LARGEST_HEAD, Server, Token};
use holonom_view::session::Session;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn it_listens_to_this_machine_only() {
    let server = Running::new();
    assert!(server.address.ip().is_loopback(), "{}", server.address);
}

#[test]
fn another_host_is_forbidden() {
    let server = Running::new();
    let port = server.address.port();
    let ask = |headers: &[&str]| {
        let cookie = server.cookie();
        server.ask(&[&["GET / HTTP/1.1"], headers, &[&cookie]].concat()).status
    };
    for good in ["127.0.0.1", "localhost"] {
        assert_eq!(ask(&[&format!("Host: {good}:{port}")]), 200, "{good}");
    }
    for bad in [
        "evil.example".into(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("evil.example.127.0.0.1:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".into(),
        "localhost".into(),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        format!("x@127.0.0.1:{port}"),
        String::new(),
    ] {
        assert_eq!(ask(&[&format!("Host: {bad}")]), 403, "`{bad}`");
    }
    assert_eq!(ask(&[]), 403, "none at all");
    assert_eq!(ask(&[&server.host(), "Host: evil.example"]), 403, "two of them");
    // the name may also stand in the first line
    let absolute = |host: &str| {
        let line = format!("GET http://{host}/ HTTP/1.1");
        server.ask(&[&line, &server.host(), &server.cookie()]).status
    };
    assert_eq!(absolute(&server.address.to_string()), 200);
    assert_eq!(absolute("evil.example"), 403);
    // the host is looked at before the token: a stranger learns nothing of it
    assert_eq!(server.ask(&[&format!("GET /?token={} HTTP/1.1", server.token()), "Host: evil.example"]).status, 403);
}

#[test]
fn another_origin_is_forbidden() {
    let server = Running::new();
    let port = server.address.port();
    let evil = [
        "null".into(),
        String::new(),
        "http://evil.example".into(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port}@evil.example"),
        format!("http://evil.example/http://127.0.0.1:{port}"),
        format!("http://evil.example?http://127.0.0.1:{port}"),
        format!("http://127.0.0.1.evil.example:{port}"),
        format!("http://evil-localhost:{port}"),
        format!("http://localhost.evil.example:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://127.0.0.1:{port}/"),
        format!("ws://127.0.0.1:{port}"),
        "http://127.0.0.1".into(),
        "http://".into(),
        format!("127.0.0.1:{port}"),
        "file://".into(),
    ];
    for origin in &evil {
        let header = format!("Origin: {origin}");
        let answer = server.knock(&[&server.host(), &header, &server.cookie()]).err().expect(origin);
        assert_eq!(answer.status, 403, "WebSocket from `{origin}`");
        for line in ["GET / HTTP/1.1", "GET /files/scene.toml HTTP/1.1", "POST / HTTP/1.1"] {
            let answer = server.ask(&[line, &server.host(), &header, &server.cookie()]);
            assert_eq!(answer.status, 403, "{line} from `{origin}`");
        }
    }
    let two = [&server.host()[..], &server.origin(), "Origin: http://evil.example", &server.cookie()];
    assert_eq!(server.knock(&two).err().expect("refused").status, 403, "two of them");
    // a WebSocket, and whatever might change something, must say where it comes from
    assert_eq!(server.knock(&[&server.host(), &server.cookie()]).err().expect("refused").status, 403);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"] {
        let line = format!("{method} / HTTP/1.1");
        assert_eq!(server.ask(&[&line, &server.host(), &server.cookie()]).status, 403, "{method}");
        assert_eq!(server.ask(&[&line, &server.host(), &server.origin(), &server.cookie()]).status, 405, "{method}");
    }
    // its own page, by either name
    for name in ["127.0.0.1", "localhost"] {
        let (host, origin) = (format!("Host: {name}:{port}"), format!("Origin: http://{name}:{port}"));
        assert!(server.knock(&[&host, &origin, &server.cookie()]).is_ok(), "{name}");
    }
}

#[test]
fn without_the_token_nothing_is_shown() {
    let server = Running::new();
    let (token, name) = (server.token(), format!("holonom-{}", server.address.port()));
    assert!(token.len() * 4 >= 128, "{token}");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let wrong = [
        String::new(),
        "Cookie: ".into(),
        format!("Cookie: {name}="),
        format!("Cookie: {name}={}", &token[..token.len() - 1]),
        format!("Cookie: {name}={}{last}", &token[..token.len() - 1]),
        format!("Cookie: {name}={token}0"),
        format!("Cookie: {name}={}", token.to_uppercase() + "x"),
        format!("Cookie: holonom={token}"),
        format!("Cookie: x{name}={token}"),
        format!("Authorization: Bearer {token}"),
    ];
    for header in &wrong {
        let headers: Vec<&str> = [header.as_str()].into_iter().filter(|h| !h.is_empty()).collect();
        for path in ["/", "/files/scene.toml", "/files/inputs.jsonl", "/files/recording.csv", "/nowhere"] {
            let line = format!("GET {path} HTTP/1.1");
            let answer = server.ask(&[&[&line[..], &server.host()], &headers[..]].concat());
            assert_eq!(answer.status, 401, "{path} with `{header}`");
            assert!(answer.text().contains("address that it printed") && !answer.text().contains(&token));
        }
        let (host, origin) = (server.host(), server.origin());
        let answer = server.knock(&[&[&host[..], &origin], &headers[..]].concat()).err().expect("refused");
        assert_eq!(answer.status, 401, "WebSocket with `{header}`");
    }
    // among others, and beside one of the same name that another program has set
    for header in [format!("Cookie: a=b; {name}={token}; c=d"), format!("Cookie: {name}=false; {name}={token}")] {
        assert_eq!(server.ask(&["GET / HTTP/1.1", &server.host(), &header]).status, 200, "{header}");
    }
    // in the address it opens the page, not the files
    for path in ["/files/scene.toml", "/socket"] {
        assert_eq!(server.ask(&[&format!("GET {path}?token={token} HTTP/1.1"), &server.host()]).status, 401, "{path}");
    }
    for query in ["token=", &format!("token={}", &token[1..]), &format!("Token={token}"), &format!("xtoken={token}")] {
        assert_eq!(server.ask(&[&format!("GET /?{query} HTTP/1.1"), &server.host()]).status, 401, "{query}");
    }
}

#[test]
fn the_token_moves_from_the_address_into_a_cookie() {
    let server = Running::new();
    let answer = server.ask(&[&format!("GET /?token={} HTTP/1.1", server.token()), &server.host()]);
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    assert!(!answer.text().contains(&server.token()));
    let cookie = answer.header("set-cookie");
    let mut parts = cookie.split("; ");
    let pair = parts.next().expect("a value");
    assert_eq!(pair, format!("holonom-{}={}", server.address.port(), server.token()));
    let flags: Vec<&str> = parts.collect();
    assert!(["Path=/", "HttpOnly", "SameSite=Strict"].iter().all(|f| flags.contains(f)), "{cookie}");
    assert!(!cookie.contains("Domain"), "for this name only: {cookie}");
    let page = server.ask(&["GET / HTTP/1.1", &server.host(), &format!("Cookie: {pair}")]);
    assert_eq!((page.status, page.header("set-cookie")), (200, ""));
    assert_eq!(page.text(), page::HTML);
    assert!(!page.text().contains(&server.token()), "scripts do not see it");
}

#[test]
fn a_ticket_lets_in_once() {
    let server = Running::new();
    let ticket = server.ticket_url.split("/?").nth(1).expect("a query");
    assert!(!server.ticket_url.contains(&server.token()));
    assert_eq!(server.ask(&[&format!("HEAD /?{ticket} HTTP/1.1"), &server.host()]).status, 401, "a look takes nothing");
    assert_eq!(server.ask(&[&format!("GET /?{ticket}0 HTTP/1.1"), &server.host()]).status, 401, "nor does a mistake");
    let first = server.ask(&[&format!("GET /?{ticket} HTTP/1.1"), &server.host()]);
    assert_eq!(first.status, 303);
    assert!(first.header("set-cookie").contains(&server.token()));
    let second = server.ask(&[&format!("GET /?{ticket} HTTP/1.1"), &server.host()]);
    assert_eq!((second.status, second.header("set-cookie")), (401, ""));
}

#[test]
fn every_answer_is_dressed() {
    let server = Running::new();
    let (host, cookie, origin) = (server.host(), server.cookie(), server.origin());
    let answers = [
        (200, server.get("/")),
        (200, server.get("/files/scene.toml")),
        (200, server.ask(&["HEAD / HTTP/1.1", &host, &cookie])),
        (303, server.ask(&[&format!("GET /?token={} HTTP/1.1", server.token()), &host])),
        (400, server.get("/files/recording.csv?names=no.such.thing")),
        (401, server.ask(&["GET / HTTP/1.1", &host])),
        (403, server.ask(&["GET / HTTP/1.1", "Host: evil.example", &cookie])),
        (404, server.get("/nowhere")),
        (404, server.get("/files/passwd")),
        (405, server.ask(&["POST / HTTP/1.1", &host, &cookie, &origin])),
        (426, server.get("/socket")),
    ];
    for (status, answer) in &answers {
        assert_eq!(answer.status, *status);
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{status}: {name}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), "", "{status}");
        let policy = answer.header("content-security-policy");
        let rule = |name: &str| policy.split("; ").find_map(|r| r.strip_prefix(name)).unwrap_or("none").trim();
        assert_eq!(rule("default-src"), "'none'", "{policy}");
        for name in ["frame-ancestors", "base-uri", "form-action"] {
            assert_eq!(rule(name), "'none'", "{name}: {policy}");
        }
        for name in ["script-src", "style-src"] {
            let known = rule(name).split(' ').all(|s| s == "'none'" || s.starts_with("'sha256-"));
            assert!(known, "{name}: {policy}");
        }
        for word in ["unsafe", "*", "http:", "https:"] {
            assert!(!policy.contains(word), "`{word}`: {policy}");
        }
        let port = server.address.port();
        assert_eq!(rule("connect-src"), format!("'self' ws://127.0.0.1:{port} ws://localhost:{port}"));
    }
}

#[test]
fn files_can_be_kept_and_reading_changes_nothing() {
    let server = Running::new();
    let mut socket = server.socket();
    let before = socket.frame(|_| true);
    let inputs = server.get("/files/inputs.jsonl");
    assert_eq!(inputs.header("content-disposition"), "attachment; filename=\"inputs.jsonl\"");
    let scene = server.get("/files/scene.toml");
    assert_eq!(scene.header("content-disposition"), "attachment; filename=\"scene.toml\"");
    assert!(scene.text().contains("[body.rod]"), "{}", scene.text());
    let csv = server.get("/files/recording.csv?names=rod.pos.x,rod.pos.z");
    assert_eq!(csv.text().lines().next(), Some("time,rod.pos.x,rod.pos.z"));
    assert!(csv.header("content-type").starts_with("text/csv"));
    for path in
        ["/?do=play", "/play", "/files/scene.toml?do=reset", "/socket?do=play", "/files/../play", "/files/", "//"]
    {
        server.get(path);
    }
    assert!(socket.alive());
    assert_eq!(server.get("/files/inputs.jsonl").text(), inputs.text());
    socket.say(r#"{"do": "pause"}"#);
    let after = socket.frame(|_| true);
    for key in ["tick", "time", "playing", "revision", "mode", "speed"] {
        assert_eq!(before[key], after[key], "{key}");
    }
}

#[test]
fn a_head_may_not_be_too_long() {
    let server = Running::new();
    let long = format!("X-Long: {}", "x".repeat(4 * LARGEST_HEAD));
    let status = server.ask(&["GET / HTTP/1.1", &server.host(), &server.cookie(), &long]).status;
    assert!(status == 431 || status == 400 || status == 0, "{status}");
    let path = format!("/{}", "x".repeat(4 * LARGEST_HEAD));
    let status = server.get(&path).status;
    assert!([0, 400, 414, 431].contains(&status), "{status}");
    let many: Vec<String> = (0..50_000).map(|k| format!("X-{k}: 1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (host, cookie) = (server.host(), server.cookie());
    let status = server.ask(&[&["GET / HTTP/1.1", &host[..], &cookie], &many[..]].concat()).status;
    assert!([0, 400, 431].contains(&status), "{status}");
    assert_eq!(server.get("/").status, 200, "it goes on");
}

#[test]
fn a_connection_that_asks_for_nothing_is_closed() {
    let server = Running::new();
    let begun = Instant::now();
    let mut silent = TcpStream::connect(server.address).expect("connected");
    let mut slow = TcpStream::connect(server.address).expect("connected");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
    for stream in [&mut silent, &mut slow] {
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
        let mut rest = Vec::new();
        // closed or reset: both are an end; a timeout is not
        let end = stream.read_to_end(&mut rest);
        assert!(!end.is_err_and(|e| matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)), "still open");
    }
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_busy_port_is_named() {
    let server = Running::new();
    let port = server.address.port();
    let e = Server::bind(Hub::start(Session::new()), port).err().expect("taken");
    assert_eq!(e.kind(), ErrorKind::AddrInUse);
    assert_eq!(e.to_string(), format!("port {port} is in use by another program"));
}

#[test]
fn after_a_restart_with_the_same_token_the_cookie_is_still_good() {
    let mut first = Running::new();
    let (port, cookie) = (first.address.port(), first.cookie());
    let mut socket = first.socket();
    let took = first.stop();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(socket.ending().map(|e| e.0), Some(1001), "clients are told");
    assert!(TcpStream::connect(first.address).is_err(), "the port is free");
    // the page's connections of before may linger in the system: the port is bound all the same
    let folder = std::env::temp_dir().join(format!("holonom-restart-{}", std::process::id()));
    let kept = Token::kept_in(&folder, port).expect("a token");
    let second = Running::on(port, kept.clone());
    assert_eq!(second.ask(&["GET / HTTP/1.1", &second.host(), &cookie]).status, 401, "another token");
    let cookie = second.cookie();
    drop(second);
    let third = Running::on(port, Token::kept_in(&folder, port).expect("the same token"));
    assert_eq!(third.ask(&["GET / HTTP/1.1", &third.host(), &cookie]).status, 200);
    assert!(third.knock(&[&third.host(), &third.origin(), &cookie]).is_ok());
    std::fs::remove_dir_all(&folder).expect("removed");
}

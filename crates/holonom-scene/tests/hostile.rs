//! Files made to do harm: each is refused in its class, quickly, and nothing outside the scene's folder is opened.

use holonom_scene::diagnostic::Class;
use holonom_scene::{Limits, LoadError, Loader};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("holonom-hostile-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("scene")).expect("made");
        Folder(path)
    }

    fn scene(&self) -> PathBuf {
        self.0.join("scene/main.toml")
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(file), text).expect("written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn quickly<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = f();
    let time = start.elapsed().as_secs_f64();
    println!("{what}: {time:.3} s");
    assert!(time < 2.0, "{what} took {time} s");
    out
}

fn refused(what: &str, text: impl Into<String>) -> LoadError {
    let text = text.into();
    let failed = quickly(what, || match Loader::new().load_text("hostile.toml", text) {
        Err(failed) => failed,
        Ok(loaded) => loaded.build().map(|_| ()).expect_err(what),
    });
    let shown = quickly(what, || failed.render());
    assert!(shown.len() < 40_000, "{what}: {} bytes shown", shown.len());
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{what}: control characters shown");
    failed
}

fn code(failed: &LoadError) -> (&str, Class) {
    (failed.report.all()[0].code.name(), failed.report.class())
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let folder = Folder::new("large");
    let file = std::fs::File::create(folder.scene()).expect("made");
    file.set_len((64 << 20) + 1).expect("grown");
    let failed = quickly("large", || Loader::new().load(&folder.scene()).map(|_| ()).expect_err("too large"));
    assert_eq!(code(&failed), ("E0501", Class::Limit));
}

#[test]
fn nesting_is_counted_before_it_is_followed() {
    for n in [100, 10_000, 1_000_000] {
        for (open, close) in [("[", "]"), ("{ a = ", " }"), ("[{a=", "}]")] {
            let text = format!("x = {}1{}\n", open.repeat(n), close.repeat(n));
            let failed = refused(&format!("{n} x {open}"), text);
            assert_eq!(code(&failed), ("E0502", Class::Limit), "{n} x {open}");
        }
        let failed = refused("only opened", format!("x = {}", "[".repeat(n)));
        assert_eq!(code(&failed), ("E0502", Class::Limit));
    }
    // brackets in texts and comments are no nesting
    let text = format!("title = \"{0}\"\ndescription = '''{0}'''\n# {0}\n", "[".repeat(10_000));
    assert!(Loader::new().load_text("fine.toml", text).is_ok());
}

#[test]
fn keys_with_many_dots() {
    for n in [200, 10_000, 1_000_000] {
        for text in [
            format!("a{} = 1\n", ".a".repeat(n)),
            format!("[a{}]\nb = 1\n", ".a".repeat(n)),
            format!("[body.x]\nmass{} = 1\n", ".a".repeat(n)),
        ] {
            let failed = refused(&format!("{n} dots"), text);
            assert!(matches!(code(&failed), ("E0502", Class::Limit) | ("E0101", Class::Input)), "{:?}", code(&failed));
        }
    }
}

#[test]
fn lists_of_a_million() {
    let list = "0,".repeat(1_100_000);
    let failed = refused("vector", format!("[body.x]\nat = [{list}]\n"));
    assert_eq!(code(&failed).1, Class::Input);
    let failed = refused("numbers", format!("[body.x]\nmass = 1\ninertia = [{list}]\n"));
    assert_eq!(code(&failed), ("E0507", Class::Limit));
    let failed = refused("columns", format!("[record]\ncolumns = [{list}]\n"));
    assert_eq!(code(&failed), ("E0507", Class::Limit));
}

#[test]
fn a_hundred_thousand_mistakes() {
    let bodies: String = (0..100_000).map(|i| format!("[body.b{i}]\nmass = -1\n")).collect();
    let failed = quickly("bodies", || Loader::new().load_text("many.toml", bodies).map(|_| ()).expect_err("wrong"));
    assert_eq!(failed.report.n_errors(), 100_000);
    let shown = failed.render();
    assert_eq!(shown.matches("error[").count(), 20);
    assert!(shown.ends_with("... and 99980 more\n"), "{}", &shown[shown.len() - 60..]);
    let fields: String = (0..100_000).map(|i| format!("f{i} = 1\n")).collect();
    let failed = refused("fields", format!("[body.x]\n{fields}"));
    assert_eq!(code(&failed), ("E0201", Class::Input));
    let keys: String = (0..100_000).map(|_| "x = 1\n".to_string()).collect();
    let failed = refused("the same key", keys);
    assert_eq!(code(&failed), ("E0101", Class::Input));
    let quotes = "x = \"\n".repeat(100_000);
    assert_eq!(code(&refused("quotes", quotes)), ("E0101", Class::Input));
    assert_eq!(code(&refused("nonsense", "= ]\n".repeat(100_000))), ("E0101", Class::Input));
}

#[test]
fn expressions_that_never_end() {
    let body = |e: &str| format!("[body.x]\nmass = \"${{{e}}}\"\n");
    for (what, e) in [
        ("brackets", format!("{}1{}", "(".repeat(4000), ")".repeat(4000))),
        ("a million brackets", "(".repeat(1_000_000)),
        ("minus", format!("{}1", "-".repeat(9000))),
        ("powers", format!("9{}", "^9".repeat(4000))),
        ("calls", format!("{}1{}", "sin(".repeat(2000), ")".repeat(2000))),
        ("sums", format!("0{}", "+1".repeat(1_000_000))),
        ("a long name", "a".repeat(1_000_000)),
    ] {
        let failed = refused(what, body(&e));
        assert!(matches!(code(&failed).1, Class::Input | Class::Limit), "{what}: {:?}", code(&failed));
    }
    // parameters that double each other cannot blow up: each is one number
    let doubling: String = (1..1000).map(|i| format!("p{i} = \"${{p{0} + p{0}}}\"\n", i - 1)).collect();
    let text = format!("[params]\np0 = 1\n{doubling}");
    quickly("doubling", || {
        Loader::new().load_text("p.toml", text).map(|_| ()).map_err(|f| f.render()).expect("finite")
    });
    // the worst order: each round finds one
    let backwards: String = (1..2000).rev().map(|i| format!("p{i} = \"${{p{} + 1}}\"\n", i - 1)).collect();
    let text = format!("[params]\n{backwards}p0 = 1\n");
    quickly("backwards", || {
        Loader::new().load_text("p.toml", text).map(|_| ()).map_err(|f| f.render()).expect("known")
    });
}

#[test]
fn counts_beyond_measure() {
    for count in ["1e18", "9223372036854775807", "1e300", "99999999999999999999999999", "'${2^60}'"] {
        let text = format!("[chain.x]\ncount = {count}\nlength = 1\nlink = {{ mass = 1 }}\n");
        assert_eq!(code(&refused(count, text)), ("E0504", Class::Limit), "{count}");
    }
    // one after the other
    let many: String = (0..30)
        .map(|k| format!("[chain.x{k}]\ncount = 100000\nlength = 1\nlink = {{ mass = 1, inertia = [1,1,1] }}\n"))
        .collect();
    assert_eq!(code(&refused("thirty chains", many)), ("E0504", Class::Limit));
    // also where the limit was lifted: it is refused for want of sense, not of memory
    let loader = Loader { limits: Limits { bodies: u64::MAX, ..Limits::default() }, ..Loader::new() };
    let text = "[chain.x]\ncount = 1e18\nlength = 1\nlink = { mas = 1 }\n";
    assert!(quickly("no limit", || loader.load_text("x.toml", text).is_err()));
}

#[test]
fn names_numbers_and_ends_of_lines() {
    let class = |text: &str| code(&refused("text", text)).0.to_string();
    assert_eq!(class("[body.\"a\\u0000b\"]\nmass = 1\n"), "E0208");
    assert_eq!(class("[body.\"a\\u001b[31mb\"]\nmass = 1\n"), "E0208");
    assert_eq!(class("[body.\"\"]\nmass = 1\n"), "E0208");
    assert_eq!(class(&format!("[body.{}]\nmass = 1\n", "n".repeat(100_000))), "E0208");
    assert_eq!(class("[body.x]\nmass = 1\0\n"), "E0101");
    assert_eq!(class("[body.x]\nmass = 1e999\n"), "E0206");
    assert_eq!(class("[body.x]\nmass = -1e999\n"), "E0206");
    assert_eq!(class("[body.x]\nmass = nan\n"), "E0206");
    assert_eq!(class("[body.x]\nmass = -0.0\n"), "E0205");
    assert_eq!(class("[body.x]\nmass = 0x7fffffffffffffffffffff\ninertia = [1, 1, 1]\nat = [inf, 0, 0]\n"), "E0206");
    assert_eq!(class("[body.x]\nmass = 1\n[body.x]\nmass = 1\n"), "E0101");
    assert_eq!(class("[joint.x]\nkind = 'weld'\nb = 'a\\u0000'\n"), "E0210");
    let body = "[body.x]\nmass = 1\ninertia = [1, 1, 1]\nat = [-0.0, 0, 0]\n";
    for text in [body.replace('\n', "\r\n"), format!("\u{feff}{body}"), body.trim_end().to_string()] {
        let loaded = Loader::new().load_text("x.toml", text).map_err(|f| f.render()).expect("fine");
        assert_eq!(loaded.scene.bodies.len(), 1);
    }
    // places count from the first character after the mark, and lines end as they do
    let failed = refused("mark", format!("\u{feff}{}", "[body.x]\r\nmass = -1\r\n"));
    let place = failed.sources.place(failed.report.all()[0].span.expect("place")).expect("place");
    assert_eq!((place.line, place.column), (2, 8));
    let failed = refused("mark", "\u{feff}gravty = 1\n");
    let place = failed.sources.place(failed.report.all()[0].span.expect("place")).expect("place");
    assert_eq!((place.line, place.column), (1, 1));
}

#[test]
fn bytes_that_are_no_text() {
    let folder = Folder::new("bytes");
    for bytes in [&b"title = \"\xff\xfe\"\n"[..], b"\x00\x01\x02\xff", b"\xff\xfe[\0b\0"] {
        folder.write("scene/main.toml", bytes);
        let failed = quickly("bytes", || Loader::new().load(&folder.scene()).map(|_| ()).expect_err("no text"));
        assert_eq!(code(&failed), ("E0102", Class::Input));
    }
    folder.write("scene/main.toml", "include = ['part.toml']\n");
    folder.write("scene/part.toml", b"# \xc3\x28\n");
    let failed = quickly("bytes", || Loader::new().load(&folder.scene()).map(|_| ()).expect_err("no text"));
    assert_eq!(code(&failed), ("E0102", Class::Input));
}

/// When it was last read, in nanoseconds, where the system keeps that.
#[cfg(unix)]
fn last_read(path: &Path) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).expect("there");
    (meta.atime(), meta.atime_nsec())
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_opened() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("outside");
    let secret = folder.0.join("secret.toml");
    folder.write("secret.toml", "title = \"secret\"\n");
    // read long ago, so that any later reading would show (times of reading are at least updated once a day)
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(10 * 86_400);
    let file = std::fs::File::options().write(true).open(&secret).expect("opened");
    file.set_times(std::fs::FileTimes::new().set_accessed(long_ago).set_modified(long_ago)).expect("set");
    drop(file);
    let before = last_read(&secret);
    symlink(&secret, folder.0.join("scene/link.toml")).expect("link");
    symlink(&folder.0, folder.0.join("scene/up")).expect("link");
    symlink("/dev/zero", folder.0.join("scene/zero.toml")).expect("link");
    symlink("loop.toml", folder.0.join("scene/loop.toml")).expect("link");
    let fifo = folder.0.join("scene/pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|s| s.success());
    std::fs::create_dir(folder.0.join("scene/folder.toml")).expect("made");
    let absolute = secret.display().to_string();
    let address = format!("file://{absolute}");
    for (name, expected) in [
        (absolute.as_str(), "E0110"),
        ("../secret.toml", "E0110"),
        ("../nothing.toml", "E0110"),
        ("../../../../../../../etc/passwd", "E0110"),
        ("a/../../secret.toml", "E0110 E0104"),
        ("link.toml", "E0110"),
        ("up/secret.toml", "E0110"),
        (address.as_str(), "E0110"),
        ("https://example.org/x.toml", "E0110"),
        ("/dev/zero", "E0110"),
        ("/dev/stdin", "E0110"),
        ("/proc/self/environ", "E0110"),
        ("zero.toml", "E0110"),
        ("loop.toml", "E0104"),
        ("pipe.toml", if made { "E0111" } else { "E0104" }),
        ("folder.toml", "E0111"),
        (".", "E0111"),
        ("", "E0111 E0104"),
        ("a\\u0000b", "E0110"),
        ("nothing.toml", "E0104"),
    ] {
        folder.write("scene/main.toml", format!("include = [\"{name}\"]\n"));
        // a pipe that were opened would wait for ever
        let failed = quickly(name, || Loader::new().load(&folder.scene()).map(|_| ()).expect_err(name));
        let (code, class) = code(&failed);
        assert!(expected.contains(code) && class == Class::Input, "{name}: {code}, expected {expected}");
        let place = failed.sources.place(failed.report.all()[0].span.expect("place")).expect("place");
        assert_eq!((place.line, place.column), (1, 12), "{name}");
        assert!(!failed.render().contains("secret\""), "{name}: contents shown");
        assert_eq!(failed.sources.files().len(), 1, "{name}: another text was read");
    }
    assert_eq!(last_read(&secret), before, "it was read");
    // the test can fail: reading it does change its time, where the system keeps times at all
    let _ = std::fs::read(&secret).expect("readable");
    println!("times of reading are kept here: {}", last_read(&secret) != before);
    // allowed by name, it is read
    folder.write("scene/main.toml", "include = [\"../secret.toml\"]\n");
    let loader = Loader { allowed: vec![folder.0.clone()], ..Loader::new() };
    let loaded = loader.load(&folder.scene()).map_err(|f| f.render()).expect("allowed");
    assert_eq!(loaded.scene.title, "secret");
}

#[cfg(unix)]
#[test]
fn the_scene_itself_must_be_a_file() {
    let folder = Folder::new("itself");
    for path in ["/dev/zero", "/dev/null", "/"] {
        let failed = quickly(path, || Loader::new().load(Path::new(path)).map(|_| ()).expect_err(path));
        assert_eq!(code(&failed), ("E0111", Class::Input), "{path}");
    }
    let fifo = folder.0.join("pipe.toml");
    if std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|s| s.success()) {
        let failed = quickly("pipe", || Loader::new().load(&fifo).map(|_| ()).expect_err("pipe"));
        assert_eq!(code(&failed), ("E0111", Class::Input));
    }
}

#[test]
fn settings_are_no_way_around() {
    for setting in ["include=['/etc/passwd']", "chain.x.count=1e18", "body.x.mass=1e999", "title=\u{1b}[31m"] {
        let loader = Loader { settings: vec![setting.to_string(), "a".repeat(1_000_000)], ..Loader::new() };
        let text = "[body.x]\nmass = 1\ninertia = [1, 1, 1]\n[chain.x]\ncount = 1\nlength = 1\nlink = { mass = 1, inertia = [1, 1, 1] }\n";
        let failed = quickly(setting, || loader.load_text("x.toml", text).map(|_| ()).expect_err(setting));
        assert!(failed.render().len() < 10_000, "{setting}");
    }
    let deep = format!("body.x.mass={}", "[".repeat(1_000_000));
    let loader = Loader { settings: vec![deep, format!("body.x{}=1", ".a".repeat(100_000))], ..Loader::new() };
    assert!(quickly("deep", || loader.load_text("x.toml", "[body.x]\nmass = 1\n").is_err()));
}

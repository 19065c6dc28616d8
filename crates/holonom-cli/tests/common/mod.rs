//! Runs the command and looks at what came out.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A scene of the tests.
#[allow(dead_code)]
pub fn scene(name: &str) -> String {
    format!("{}/tests/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// A folder of its own, removed when dropped.
#[allow(dead_code)]
pub struct Folder(pub PathBuf);

#[allow(dead_code)]
impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("holonom-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Run, expect this exit code and a diagnostic with this code and all these parts.
#[allow(dead_code)]
pub fn diagnosed(args: &[&str], exit: i32, code: &str, parts: &[&str]) {
    let out = holonom(args);
    let message = stderr(&out);
    assert_eq!(out.status.code(), Some(exit), "{args:?}: {message}");
    assert!(out.stdout.is_empty(), "{args:?}");
    assert!(message.contains(&format!("error[{code}]: ")) && !message.contains("panicked"), "{args:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{args:?}: `{part}` is missing in\n{message}");
    }
}

/// The command with these arguments, not yet started.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonom"));
    command.args(args);
    command
}

/// Run to the end.
pub fn holonom(args: &[&str]) -> Output {
    command(args).output().expect("the command can be started")
}

/// What went to standard output.
#[allow(dead_code)]
pub fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).expect("text")
}

/// What went to standard error.
#[allow(dead_code)]
pub fn stderr(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).expect("text")
}

/// The last line of standard output as JSON, after a run that ended well.
#[allow(dead_code)]
pub fn json(args: &[&str]) -> Value {
    let out = holonom(args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", stderr(&out));
    serde_json::from_str(stdout(&out).lines().last().expect("a line")).expect("valid JSON")
}

/// Run, expect this exit code, nothing on standard output, and an error message with all these parts.
#[allow(dead_code)]
pub fn refused(args: &[&str], code: i32, parts: &[&str]) {
    let out = holonom(args);
    let message = stderr(&out);
    assert_eq!(out.status.code(), Some(code), "{args:?}: {message}");
    assert!(out.stdout.is_empty(), "{args:?}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{args:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{args:?}: `{part}` is missing in\n{message}");
    }
    for line in message.lines().skip(1) {
        assert!(line.starts_with("  = "), "{args:?}: odd line in\n{message}");
    }
}

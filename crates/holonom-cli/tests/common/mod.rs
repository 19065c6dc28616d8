//! Runs the command and looks at what came out.

use serde_json::Value;
use std::process::{Command, Output};

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

//! The command as a whole: help, mistakes, output that cannot be written. `holonom` alone is the page: see `view.rs`.

mod common;
use common::{command, holonom, refused, stderr, stdout};
use std::process::Stdio;

#[test]
fn help_and_version_are_answers() {
    for args in
        [&["--help"][..], &["--version"], &["bench", "--help"], &["verify", "-h"], &["run", "-h"], &["plot", "--help"]]
    {
        let out = holonom(args);
        assert_eq!(out.status.code(), Some(0), "{args:?}");
        assert!(!out.stdout.is_empty() && out.stderr.is_empty(), "{args:?}");
    }
    let help = stdout(&holonom(&["--help"]));
    assert!(help.contains("bench") && help.contains("verify") && help.contains("Exit codes"), "{help}");
}

#[test]
fn mistakes_on_the_command_line_end_with_code_2() {
    refused(&["benhc"], 2, &["'benhc'", "= help: ", "'bench'"]);
    refused(&["fly", "crane.toml"], 2, &["'fly'", "commands are view, run, check"]);
    refused(&["bench", "--jsno"], 2, &["'--jsno'", "'--json'"]);
    refused(&["bench", "--solver", "tre"], 2, &["'tre'", "'tree'", "dense-kkt"]);
    refused(&["bench", "--solver"], 2, &["--solver"]);
    refused(&["verify", "--solver", "tree"], 2, &["'--solver'"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_with_code_5() {
    for args in [&["bench", "a2", "--json"][..], &["bench", "a2"], &["verify", "p08", "--json"], &["--help"], &[]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let out = command(args).stdout(full).output().expect("started");
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(5), "{args:?}: {message}");
        assert!(message.starts_with("error: cannot write to standard output"), "{args:?}: {message}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    for args in [&["verify", "p08"][..], &["bench", "a2"]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        drop(child.stdout.take());
        let out = child.wait_with_output().expect("ended");
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", stderr(&out));
        assert!(out.stderr.is_empty(), "{args:?}: {}", stderr(&out));
    }
}

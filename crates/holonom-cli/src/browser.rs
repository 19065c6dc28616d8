//! Opens an address in the user's browser: without a shell, without waiting, and without a word when it does not work.

use std::process::{Command, Stdio};

/// Try to open it. On a machine without a screen nothing is tried.
pub(crate) fn open(url: &str) {
    let Some(mut command) = opener(url) else { return };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // a group of its own: Ctrl-C ends this program, not the browser
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    if let Ok(mut child) = command.spawn() {
        std::thread::spawn(move || child.wait());
    }
}

#[cfg(target_os = "macos")]
fn opener(url: &str) -> Option<Command> {
    let mut command = Command::new("open");
    command.arg(url);
    Some(command)
}

#[cfg(windows)]
fn opener(url: &str) -> Option<Command> {
    // what `start` does, without a shell that would read signs in the address
    let mut command = Command::new("rundll32.exe");
    command.args(["url.dll,FileProtocolHandler", url]);
    Some(command)
}

#[cfg(not(any(windows, target_os = "macos")))]
fn opener(url: &str) -> Option<Command> {
    // without a screen xdg-open would start a browser in the terminal
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some_and(|v| !v.is_empty()));
    let mut command = Command::new("xdg-open");
    command.arg(url);
    screen.then_some(command)
}

//! Standard output with every write checked, and progress on standard error.

use crate::error::CliError;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Refuses to write over a file unless told to. Devices and pipes are written to as they are.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> Result<(), CliError> {
    if path.is_file() && !force {
        return Err(CliError::usage(format!("`{}` is there already", path.display())).help("--force replaces it"));
    }
    Ok(())
}

/// Standard output. A reader that has seen enough (`| head`) is no error: what follows is dropped.
pub(crate) struct StandardOutput {
    closed: bool,
}

impl StandardOutput {
    pub fn new() -> Self {
        StandardOutput { closed: false }
    }

    /// Write and flush.
    pub fn write(&mut self, text: &str) -> Result<(), CliError> {
        if self.closed {
            return Ok(());
        }
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(e) => Err(CliError::io(format!("cannot write to standard output: {e}"))
                .help("check that the disk is not full and that the target can be written to")),
        }
    }

    /// A value as one line of JSON.
    pub fn json(&mut self, value: &impl serde::Serialize) -> Result<(), CliError> {
        let text =
            serde_json::to_string(value).map_err(|e| CliError::io(format!("cannot write the answer as JSON: {e}")))?;
        self.write(&(text + "\n"))
    }
}

/// One line on standard error that replaces itself; nothing when that is not a terminal.
pub(crate) struct ProgressLine {
    visible: bool,
}

impl ProgressLine {
    pub fn new() -> Self {
        ProgressLine { visible: std::io::stderr().is_terminal() }
    }

    pub fn show(&self, text: &str) {
        if self.visible {
            let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.show("");
    }
}

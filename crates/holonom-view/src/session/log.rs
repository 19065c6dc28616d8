//! The log of inputs: everything that was done to a session, and at which tick.
//!
//! Motion depends on nothing else: a log replayed without a page, a clock or a network gives the same state to the last
//! bit. A log is text, one JSON object a line; the first is the [`LogHeading`], all others are [`LogEntry`]s in the
//! order in which they were applied, each before the tick that it names.

use super::Session;
use crate::message::Request;
use holonom_scene::Loader;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// First line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogHeading {
    /// What this is: `inputs`.
    pub holonom: String,
    /// Version of the form.
    pub version: u32,
    /// Name of the scene.
    pub scene: String,
    /// Its text.
    pub text: String,
    /// The folder whose files it may name, if it is a file.
    pub folder: Option<PathBuf>,
    /// Last tick.
    pub end: u64,
    /// Hash of the state then.
    pub hash: String,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Before which tick.
    pub tick: u64,
    /// By whom.
    pub client: u32,
    /// What.
    pub input: Input,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Input {
    /// Asked for by a client.
    Said(Request),
    /// Done by the program.
    Own(ProgramInput),
}

/// Inputs of the program itself. Their names differ from those of requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum ProgramInput {
    /// A client is gone: its hands let go.
    Leave,
    /// Time goes on from a moment of the past: hands that were not pinned let go.
    Resume,
    /// Real-time steps from now on, or no longer.
    Hurry {
        /// Which.
        on: bool,
    },
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayResult {
    /// Name of the scene.
    pub scene: String,
    /// Ticks.
    pub ticks: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Inputs applied.
    pub inputs: usize,
    /// Hash of the last state.
    pub hash: String,
    /// What the log says it should be.
    pub expected: String,
    /// Largest gap of a joint after any tick, m or rad.
    pub max_gap: f64,
}

impl Session {
    /// The log so far, as text.
    pub fn log_text(&self) -> String {
        let heading = LogHeading {
            holonom: "inputs".into(),
            version: 1,
            scene: self.origin.name.clone(),
            text: self.origin.text.clone(),
            folder: self.origin.folder.clone(),
            end: self.tick,
            hash: self.hash(),
        };
        let mut out = serde_json::to_string(&heading).unwrap_or_default();
        for entry in &self.log {
            out.push('\n');
            out += &serde_json::to_string(entry).unwrap_or_default();
        }
        out.push('\n');
        out
    }
}

/// A log of inputs as it was read, before anything of it is done.
pub struct InputLog<'a> {
    heading: LogHeading,
    /// Number and text of every line after the heading.
    lines: Vec<(usize, &'a str)>,
}

impl<'a> InputLog<'a> {
    /// Read a log. Mistakes in it are one sentence with the line.
    pub fn read(text: &'a str) -> Result<InputLog<'a>, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (n, first) = lines.next().ok_or("the file is empty; a log of inputs begins with a heading")?;
        let heading: LogHeading = serde_json::from_str(first)
            .map_err(|e| format!("line {} is not the heading of a log of inputs: {e}", n + 1))?;
        if heading.holonom != "inputs" || heading.version != 1 {
            return Err(format!(
                "this is `{}` of version {}, must be `inputs` of version 1",
                heading.holonom, heading.version
            ));
        }
        Ok(InputLog { heading, lines: lines.collect() })
    }

    /// The folder that the scene of the log reads its files from, as the log itself says: whoever replays a log that
    /// somebody else made decides whether it may.
    pub fn folder(&self) -> Option<&Path> {
        self.heading.folder.as_deref()
    }

    /// How many ticks it goes on for.
    pub fn ticks(&self) -> u64 {
        self.heading.end
    }

    /// Do again what the log says.
    pub fn replay(self, loader: &Loader) -> Result<ReplayResult, String> {
        let InputLog { heading, lines } = self;
        let mut session = Session::new();
        session.choices.loader = loader.clone();
        session.open_text(&heading.scene, &heading.text, heading.folder.as_deref())?;
        let mut max_gap: f64 = 0.0;
        let mut run_to = |session: &mut Session, tick: u64| -> Result<(), String> {
            while session.tick < tick {
                session.advance().map_err(|e| format!("stopped at tick {}: {e}", session.tick))?;
                max_gap = max_gap.max(session.gap);
            }
            Ok(())
        };
        let inputs = lines.len();
        for (n, line) in lines {
            let entry: LogEntry = serde_json::from_str(line).map_err(|e| format!("line {}: {e}", n + 1))?;
            if entry.tick > heading.end || entry.tick < session.tick {
                return Err(format!("line {}: tick {} is out of order", n + 1, entry.tick));
            }
            run_to(&mut session, entry.tick)?;
            // what was refused then is refused now, and changes nothing
            let _ = session.input(entry.client, entry.input);
        }
        run_to(&mut session, heading.end)?;
        Ok(ReplayResult {
            scene: heading.scene,
            ticks: session.tick,
            time: session.sim.time(),
            inputs,
            hash: session.hash(),
            expected: heading.hash,
            max_gap,
        })
    }
}

/// Replay a log, with files from the folder it names.
pub fn replay(text: &str, loader: &Loader) -> Result<ReplayResult, String> {
    InputLog::read(text)?.replay(loader)
}

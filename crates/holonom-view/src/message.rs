//! Messages between the page and the program.
//!
//! Over one WebSocket. The page sends [`Request`]s: JSON texts, `{"do": "play"}`. The program sends [`Reply`]s: JSON
//! texts, `{"say": "picture", ...}`, and *frames*: binary messages, the moving part of what is seen, up to sixty times
//! a second. A frame is
//!
//! ```text
//! u32 little endian     length n of the header in bytes, a multiple of 4
//! n bytes               header: JSON (FrameHeader), padded with blanks
//! f32 little endian     the sections that the header lists, one after the other, count * width numbers each
//! ```
//!
//! Lengths in m, angles in rad, everything in SI units, world axes (z up) unless said otherwise. Quaternions are
//! written x, y, z, w. Numbers that do not exist are NaN in frames and `null` in JSON. The page has the same types in
//! `web/src/protocol.ts`, which `cargo xtask protocol` writes from these.

use crate::catalogue::BuildCatalogue;
use crate::edit::{DetailsAnswer, Edit};
use crate::numbers::{DoctorAnswer, GalleryAnswer, LedgerAnswer, QuantityAnswer, SpyAnswer};
use crate::picture::Picture;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Three numbers.
pub type Triple = [f64; 3];

/// How a mechanism answers a hand.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MotionMode {
    /// f = m a.
    #[default]
    Dynamic,
    /// f = m a, heavily damped: what moves comes to rest at once.
    QuasiStatic,
    /// f = m v: through legal poses, without gravity and inertia.
    Kinematic,
}

/// How time is stepped through.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepMethod {
    /// As the scene says; real-time steps where that cannot keep up with the clock.
    #[default]
    Auto,
    /// As the scene says, however long it takes.
    Accurate,
    /// Steps on velocities, one solve each.
    RealTime,
}

/// A request of a client.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    // ---- what is shown ----
    /// Open a scene of the gallery (or the one the program was started with) by its name.
    Open {
        /// Its name.
        scene: String,
    },
    /// Open a scene from its text; the suffix of the name says what it is.
    OpenText {
        /// File name.
        name: String,
        /// The text.
        text: String,
    },
    /// An empty scene to build in.
    New,

    // ---- time ----
    /// Let time run. After `seek` from the moment that is shown; what came after it is forgotten.
    Play,
    /// Stop time.
    Pause,
    /// So many ticks, then pause.
    Step {
        /// Number of ticks.
        ticks: u32,
    },
    /// Simulated seconds per second, 0.01 to 10.
    Speed {
        /// Factor.
        factor: f64,
    },
    /// Back to the start of the scene, keeping edits.
    Reset,
    /// Show a recorded moment: the last kept one at or before this tick. Pauses.
    Seek {
        /// Tick.
        tick: u64,
    },
    /// How to step.
    Method {
        /// Which way.
        method: StepMethod,
    },

    // ---- hands: numbers are each client's own ----
    /// Take hold of a body at a point of it (body frame).
    Grab {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// Name of the body.
        body: String,
        /// Point, body frame, m.
        point: Triple,
        /// Most force, N.
        cap: f64,
    },
    /// Pull towards this place.
    Move {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// World, m.
        to: Triple,
    },
    /// Another cap.
    Cap {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// N.
        cap: f64,
    },
    /// Leave the hand where it is: it stays when its client lets go or leaves.
    Pin {
        /// Number of the hand, chosen by the client.
        hand: u32,
    },
    /// Push a point with a constant force until released; said again with the same hand, it changes.
    Push {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// Name of the body.
        body: String,
        /// Point, body frame, m.
        point: Triple,
        /// N, world axes.
        force: Triple,
    },
    /// Turn a body with a constant torque until released.
    Twist {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// Name of the body.
        body: String,
        /// N m, world axes.
        torque: Triple,
    },
    /// Let go of one hand. Pinned hands are named by the `client` that made them.
    Release {
        /// Number of the hand, chosen by the client.
        hand: u32,
        /// Whose hand; one's own where not said. Only pinned hands of others can be released.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<u32>,
    },
    /// Let go of everything, pinned hands of everybody too.
    ReleaseAll,
    /// How the mechanism answers.
    Mode {
        /// Which way.
        mode: MotionMode,
    },
    /// Move a tool point at this velocity by way of the motors; zero stops it.
    Jog {
        /// Name of the body.
        body: String,
        /// Point, body frame, m.
        point: Triple,
        /// m/s, world axes.
        velocity: Triple,
    },
    /// Switch a drive off or on.
    Drive {
        /// Its name.
        joint: String,
        /// On?
        on: bool,
    },

    // ---- what is sent ----
    /// Sections wanted in frames besides poses.
    Show {
        /// Which.
        sections: Vec<FrameSection>,
    },
    /// Quantities wanted in frames.
    Watch {
        /// Their names, at most 64.
        names: Vec<String>,
    },
    /// A question; the answer carries the same number.
    Ask {
        /// Number chosen by the client.
        id: u32,
        /// What.
        question: Question,
    },
    /// A question is not wanted any more; it is answered with an error, or was answered already.
    TakeBack {
        /// Its number.
        id: u32,
    },
    /// Sign of life, answered by `pong`. A client that holds something sends something at least ten times a second.
    Ping {
        /// Number chosen by the client.
        id: u32,
    },

    // ---- building ----
    /// Change the scene.
    Edit {
        /// How.
        edit: Edit,
    },
    /// Take the last change back.
    Undo,
    /// Make it again.
    Redo,
}

/// Questions.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// What can be opened.
    Gallery,
    /// The doctor's report on the present pose.
    Doctor,
    /// Names and units of everything that can be watched.
    Quantities,
    /// Where energy went.
    Ledger,
    /// Where a matrix has entries.
    Spy {
        /// J, H, A or L.
        matrix: String,
    },
    /// The recorded past of quantities.
    Backlog {
        /// Their names.
        names: Vec<String>,
    },
    /// The scene as text.
    Scene,
    /// What a body, joint, drive or force of the scene says, and what may be changed in it.
    Details {
        /// Path, such as `body.crank`.
        path: String,
    },
}

/// Answers, one for each question.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)] // as the questions
pub enum Answer {
    Gallery(GalleryAnswer),
    Doctor(Box<DoctorAnswer>),
    Quantities(Vec<QuantityAnswer>),
    Ledger(LedgerAnswer),
    Spy(SpyAnswer),
    Backlog(BacklogAnswer),
    Scene(SceneAnswer),
    Details(Box<DetailsAnswer>),
}

/// Recorded quantities.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BacklogAnswer {
    /// Names; the first is `time`.
    pub names: Vec<String>,
    /// Units of each.
    pub units: Vec<&'static str>,
    /// Ticks at which they were recorded.
    pub ticks: Vec<u64>,
    /// One list for each name, as long as `ticks`; null where a quantity does not exist.
    pub values: Vec<Vec<Option<f64>>>,
}

/// A scene as text.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneAnswer {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Parts of a frame.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameSection {
    /// Always sent, one per body: origin x y z, quaternion x y z w. NaN quaternion: the body has no orientation.
    Poses,
    /// One per body of `Picture::deforming`: columns of the matrix that takes its axes to the world, 9 numbers.
    Shears,
    /// One per joint: point, force, torque (action of a on b), 1 if unique: 10 numbers. NaN where there is none.
    Reactions,
    /// One per applied force and point it acts on: point, force, torque: 9 numbers.
    Applied,
    /// One per contact point: place, force on the first body, gap, 0 stick or 1 slip or 2 frictionless: 8 numbers.
    Contacts,
    /// One per body: centre of mass, its velocity, angular velocity: 9 numbers.
    Velocities,
    /// One per body: centre of mass, its acceleration: 6 numbers.
    Accelerations,
    /// One: centre of mass of everything, its velocity: 6 numbers.
    Centre,
}

/// Header of a frame.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, Serialize)]
pub struct FrameHeader {
    /// Ticks since the scene was opened; a reset does not begin them anew.
    pub tick: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Does time run?
    pub playing: bool,
    /// Is a moment of the past shown?
    pub past: bool,
    /// How the mechanism answers.
    pub mode: MotionMode,
    /// How time is stepped through.
    pub method: StepMethod,
    /// Name of the integrator in use.
    pub integrator: &'static str,
    /// Simulated seconds per second wanted.
    pub speed: f64,
    /// Simulated seconds per second reached.
    pub real_time: f64,
    /// Cost of a tick, microseconds.
    pub cost_us: f64,
    /// Largest gap of a joint, m or rad.
    pub gap: f64,
    /// What was not kept of the promises on residuals, gaps and overlaps since the scene was opened or reset, in words.
    pub broken: Vec<String>,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy, J.
    pub potential: f64,
    /// First and last tick that is recorded.
    pub recorded: [u64; 2],
    /// Number of the picture that this frame belongs to.
    pub revision: u64,
    /// Clients connected.
    pub clients: usize,
    /// Why it stopped, if it did.
    pub stopped: Option<String>,
    /// What is going on besides: assembling, jogging.
    pub activity: Option<String>,
    /// All hands.
    pub hands: Vec<HandNow>,
    /// Watched quantities.
    pub values: BTreeMap<String, Option<f64>>,
    /// What follows.
    pub sections: Vec<SectionHeader>,
}

/// A section of a frame.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SectionHeader {
    /// Which.
    pub name: FrameSection,
    /// How many.
    pub count: usize,
    /// Numbers each.
    pub width: usize,
}

/// What a hand does.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandKind {
    /// Pulls a point towards a target.
    Grab,
    /// Pushes a point with a constant force.
    Push,
    /// Turns a body with a constant torque.
    Twist,
}

/// A hand as it is.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandNow {
    /// Whose.
    pub client: u32,
    /// Its number.
    pub hand: u32,
    /// What it does.
    pub kind: HandKind,
    /// Name of the body.
    pub body: String,
    /// Where it holds, world, m.
    pub at: Triple,
    /// Where it pulls to, world, m (for `grab`).
    pub to: Triple,
    /// What it applies: N, or N m for `twist`; world axes.
    pub force: Triple,
    /// Most it may apply, N.
    pub cap: f64,
    /// Does it stay when its client leaves?
    pub pinned: bool,
}

/// A frame, encoded.
pub fn encode_frame(header: &mut FrameHeader, sections: &[(FrameSection, usize, &[f32])]) -> Vec<u8> {
    header.sections =
        sections.iter().map(|&(name, width, data)| SectionHeader { name, count: data.len() / width, width }).collect();
    let mut text = serde_json::to_vec(header).unwrap_or_default();
    text.resize(text.len().next_multiple_of(4), b' ');
    let numbers: usize = sections.iter().map(|s| s.2.len()).sum();
    let mut out = Vec::with_capacity(4 + text.len() + 4 * numbers);
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(&text);
    for (_, _, data) in sections {
        for x in *data {
            out.extend_from_slice(&x.to_le_bytes());
        }
    }
    out
}

/// A message to a client, besides frames.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum Reply {
    /// First message of a connection.
    Welcome {
        /// The client's own number.
        client: u32,
        /// Version of the program.
        version: &'static str,
    },
    /// What can be built and how it is drawn. Sent once, before the first picture.
    Catalogue(&'static BuildCatalogue),
    /// What is to be drawn; everything that does not move. Sent when a scene is opened or its structure changes.
    Picture(Box<Picture>),
    /// An answer.
    Answer {
        /// Number of the question.
        id: u32,
        /// The answer.
        answer: Answer,
    },
    /// Something went wrong; for people.
    Error {
        /// Number of the question, if it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// One sentence that stands alone.
        message: String,
        /// More: the rendered report, with lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<String>,
    },
    /// Something worth knowing; for people.
    Note {
        /// One sentence.
        message: String,
    },
    /// A scene was opened, but not all of it counts; for people.
    Warning {
        /// One sentence.
        message: String,
        /// The rendered report, with lines.
        details: String,
    },
    /// Something was added to the scene.
    Made {
        /// Its name.
        name: String,
    },
    /// Answer to `ping`.
    Pong {
        /// Its number.
        id: u32,
    },
}

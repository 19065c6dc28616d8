//! Changes of a scene by hand, as changes of its *document*: the same tables that a scene file has. A change is made in
//! a copy, written as text, read and built; whatever the reader or the engine says against it is the answer, and
//! nothing has changed. So whatever can be built by hand can be saved, and what is saved is what `holonom run` takes.
//!
//! ```text
//! editor    the document, what was undone and what can be done again
//! document     tables, paths such as `body.crank.mass`, names, JSON
//! adding       bodies, joints, drives: what is new
//! changing     fields, names; what is cut, welded, moved, copied, removed
//! references   who speaks of whom: what goes with a body that is removed, what changes with a name
//! expand       pieces of generators as bodies and joints of their own, from the moment that one of them is changed
//! record       what was read, written as a table again
//! poses        the present poses as the ones that the scene starts from
//! assembly     two points brought together by the law f = m v, for all to see
//! details      what a thing says, and what may be changed in it
//! ```
//!
//! What was decided:
//!
//! - **Time goes on.** A change of a mass, a drive or a limit, and a joint that is cut, need no particular pose: the
//!   mechanism goes on from where it is, and the scene starts where it started. Where a change holds in the present
//!   pose only (a joint that is made, a weld, a body that is moved), the present poses are written to `[start]`, and
//!   time begins anew. Joints hold on to bodies as they are *drawn*, so neither their axes nor the zeros of their
//!   coordinates, limits and springs move along.
//! - **Generators** stay as they are until a piece of them is changed itself; then that generator, and no other, is
//!   written out.
//! - **Comments** of a file are lost with the first change: the writer has none. What was not changed is saved as it
//!   was read.

mod adding;
mod assembly;
mod changing;
mod details;
mod document;
mod editor;
mod expand;
mod poses;
mod record;
mod references;

pub use assembly::{AssemblyProgress, PointAssembly};
pub(crate) use details::declared;
pub use details::{DerivedFact, DetailsAnswer, FieldDeclaration, FieldForm, FieldValue, details};
pub use editor::{ChangedScene, EditOutcome, SceneEditor};

use crate::message::Triple;
use holonom_scene::LoadError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A point on a body.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyPoint {
    /// Name of the body, or `ground`.
    pub body: String,
    /// In the body's frame, m.
    pub point: Triple,
}

/// A joint that a new body comes with.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachedJoint {
    /// Its kind: `revolute`, ...
    pub joint: String,
    /// Where on the new body, its frame, m.
    pub point: Triple,
    /// What it is joined to.
    pub to: BodyPoint,
    /// Its axis, world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Triple>,
}

/// A change of the scene.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// A new body, and what it is joined to. The points must lie at the same place already.
    AddBody {
        /// Its name; one that is free if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its table, as in a scene file: shape, place, density, ...
        body: Map<String, Value>,
        /// Joints that it comes with.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        joints: Vec<AttachedJoint>,
    },
    /// A named point of the ground.
    AddGroundPoint {
        /// Its name; one that is free if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// World, m.
        at: Triple,
    },
    /// A joint between two points. If they are apart, the bodies are brought together.
    AddJoint {
        /// Its name; one that is free if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its kind: `revolute`, ...
        joint: String,
        /// First side.
        a: BodyPoint,
        /// Second side.
        b: BodyPoint,
        /// Its axis, world, at the poses in which the points have met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<Triple>,
        /// Other fields of its kind.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        fields: Map<String, Value>,
    },
    /// A drive on a joint.
    AddDrive {
        /// Its name; one that is free if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its kind: `speed`, `position`, `torque`, ...
        drive: String,
        /// The joint, or one of its coordinates: `hinge`, `slider.1`.
        on: String,
        /// Other fields of its kind, such as `value` and `effort`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        fields: Map<String, Value>,
    },
    /// A force.
    AddForce {
        /// Its name; one that is free if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its kind: `spring`, ...
        force: String,
        /// First side, for kinds that have sides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        a: Option<BodyPoint>,
        /// Second side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        b: Option<BodyPoint>,
        /// Other fields of its kind.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        fields: Map<String, Value>,
    },
    /// Another value of a field.
    Set {
        /// Path, such as `body.crank.mass`, `body.crank.shapes.0.radius`, `run.time`.
        path: String,
        /// The value; null takes the field away.
        value: Value,
    },
    /// Rename a thing.
    Rename {
        /// Path, such as `body.crank`.
        path: String,
        /// The new name.
        name: String,
    },
    /// Take a body, joint, drive, force or point of the ground away, and what cannot be without it.
    Remove {
        /// Path, such as `body.crank`.
        path: String,
    },
    /// Take a joint or drive away; its bodies go on as they move.
    Cut {
        /// Its name.
        joint: String,
    },
    /// Make a weld of a joint, as its bodies stand.
    Weld {
        /// Its name.
        joint: String,
    },
    /// Another place for a body; its joints pull it back as far as they must.
    MoveBody {
        /// Its name.
        body: String,
        /// World, m.
        at: Triple,
        /// Quaternion x, y, z, w; as it is if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<[f64; 4]>,
    },
    /// A second body like this one, without its joints.
    Duplicate {
        /// Its name.
        body: String,
        /// Where to, from where it is, m.
        by: Triple,
    },
}

/// Why a change cannot be made. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct EditError {
    /// One sentence that stands alone.
    pub message: String,
    /// More: the rendered report.
    pub details: Option<String>,
}

impl EditError {
    fn new(message: impl Into<String>) -> Self {
        EditError { message: message.into(), details: None }
    }
}

impl From<LoadError> for EditError {
    fn from(failed: LoadError) -> Self {
        let first = failed.report.all().iter().find(|d| d.severity == holonom_scene::Severity::Error);
        let message = first.map_or_else(
            || "the scene cannot be built".to_string(),
            |d| {
                let label = if d.label.is_empty() { String::new() } else { format!(": {}", d.label) };
                let path = if d.path.is_empty() { String::new() } else { format!(" ({})", d.path.replace('/', ".")) };
                format!("{}{label}{path}", d.message)
            },
        );
        EditError { message, details: Some(failed.render()) }
    }
}

//! Answers to questions, as JSON. The shape of each answer is that of a struct here, and of `web/src/panels/answers.ts` in the page.
//!
//! Hands that people put on a mechanism are joints and forces of the running model; their names begin with [`HAND`], which no name of a scene can. No answer
//! lists them: the ledger adds up what they did.

mod doctor;
mod freedom;
mod gallery;
mod ledger;
mod quantities;
mod spy;

pub use doctor::{LoopCluster, DoctorAnswer, SentenceLevel, NonUniqueLoad, DoctorRow, Sentence, RedundantRows, diagnose};
pub use freedom::{FreeMotions, free_motions};
pub use gallery::{SceneCard, GalleryAnswer, cards, verification};
pub use ledger::{LedgerAnswer, LedgerLine, ledger as books};
pub use quantities::{FULL, QuantityAnswer, quantities as catalogue};
pub use spy::{MatrixBand, SpyAnswer, spy as matrix};

use holonom::Simulation;
use holonom_scene::Scene;
use serde::Serialize;
use serde_json::Value;

/// What names of hands begin with.
pub const HAND: char = '\u{1}';

/// Is this the name of a hand?
pub fn is_hand(name: &str) -> bool {
    name.starts_with(HAND)
}

fn value(answer: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(answer).map_err(|e| e.to_string())
}

/// The doctor's report on the present pose: a [`DoctorAnswer`].
pub fn doctor(scene: &Scene, sim: &mut Simulation) -> Result<Value, String> {
    value(&diagnose(scene, sim)?)
}

/// Names and units of what can be watched: a list of [`QuantityAnswer`].
pub fn quantities(scene: &Scene, sim: &mut Simulation) -> Result<Value, String> {
    value(&catalogue(scene, sim))
}

/// Where energy went: a [`LedgerAnswer`].
pub fn ledger(_scene: &Scene, sim: &mut Simulation) -> Result<Value, String> {
    value(&books(sim))
}

/// Where a matrix has entries: a [`SpyAnswer`].
pub fn spy(_scene: &Scene, sim: &mut Simulation, name: &str) -> Result<Value, String> {
    value(&matrix(sim.model(), name)?)
}

/// What can be opened: a [`GalleryAnswer`]. `own` is the scene that the program was started with.
pub fn gallery(own: Option<&str>) -> Value {
    value(&GalleryAnswer { own, scenes: cards(), verification: verification() }).unwrap_or_default()
}

/// `1 body`, `2 bodies`.
fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// So many names of a long list are written out.
const LISTED: usize = 8;

/// "`a`, `b` and `c`"; of many, the first and a count.
fn list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().take(LISTED).map(|n| format!("`{}`", n.as_ref())).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        _ if names.len() > LISTED => format!("{} and {} more", quoted.join(", "), names.len() - LISTED),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

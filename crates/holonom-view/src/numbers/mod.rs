//! Answers to questions.
//!
//! Hands that people put on a mechanism are joints and forces of the running model; their names begin with [`HAND`],
//! which no name of a scene can. No answer lists them: the ledger adds up what they did.

mod doctor;
mod freedom;
mod gallery;
mod ledger;
mod quantities;
mod spy;

pub use doctor::{
    ClusterAnswer, DoctorAnswer, DoctorRow, NonUniqueLoad, RedundantRows, Sentence, SentenceLevel, diagnose,
};
pub use freedom::{FreeMotions, free_motions};
pub use gallery::{GalleryAnswer, SceneCard, cards, verification};
pub use ledger::{LedgerAnswer, LedgerLine, ledger};
pub use quantities::{FULL, QuantityAnswer, quantities};
pub use spy::{MatrixBand, SpyAnswer, spy};

/// What names of hands begin with.
pub const HAND: char = '\u{1}';

/// Is this the name of a hand?
pub fn is_hand(name: &str) -> bool {
    name.starts_with(HAND)
}

/// What can be opened. `own` is the scene that the program was started with.
pub fn gallery(own: Option<&str>) -> GalleryAnswer {
    GalleryAnswer { own: own.map(String::from), scenes: cards(), verification: verification() }
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

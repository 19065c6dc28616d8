//! `include`: the contents of other scene files are added.

use crate::load::Workshop;
use crate::node::Table;

/// Follow the includes of a document.
pub fn include(document: Table, _file: u32, _workshop: &mut Workshop) -> Table {
    document
}

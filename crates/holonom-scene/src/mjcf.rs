//! Import.

use crate::load::Workshop;
use crate::node::Table;

/// Read a model as a scene document.
pub fn import(_file: u32, _workshop: &mut Workshop) -> Table {
    Table::new()
}

//! `--set path=value`.

use crate::diagnostic::Report;
use crate::limits::Limits;
use crate::node::Table;
use crate::source::Sources;

/// Change values of a document.
pub fn apply(
    _document: &mut Table,
    _settings: &[String],
    _sources: &mut Sources,
    _limits: &Limits,
    _report: &mut Report,
) {
}

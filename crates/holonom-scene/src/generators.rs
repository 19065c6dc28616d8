//! Generators: many bodies and joints from a few lines.

use crate::node::Node;
use crate::read::Making;
use crate::source::Span;

/// Sections that generate, in the order they are read.
pub const KINDS: &[&str] = &[];

/// Make what a generator says.
pub fn generate(_making: &mut Making, _kind: &str, _name: &str, _node: &Node, _span: Span) {}

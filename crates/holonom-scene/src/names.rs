//! The registry of names in use.
//!
//! Every table of a scene has its own entry. The pieces of a generator have none: they are all called `NAME/...`, so
//! the generator registers the prefix once, and a million pieces cost nothing. Two names conflict if they are equal, or
//! if one of them lies under the prefix of a generator.

use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// Names must differ within one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// Bodies.
    Body,
    /// Joints and drives.
    Joint,
    /// Forces.
    Force,
}

/// A body that has a name, and which it is in the list of bodies.
#[derive(Clone, Copy, Debug)]
struct Entry {
    span: Span,
    index: u32,
}

/// The names registered so far.
#[derive(Debug, Default)]
pub struct NameRegistry {
    entries: [HashMap<Box<str>, Entry>; 3],
    /// Everything before a slash in a name that was written.
    above: HashSet<Box<str>>,
    /// Prefixes of generators: where they were written, and the first of their bodies.
    prefixes: HashMap<Box<str>, Entry>,
}

/// Everything before a slash, longest last.
fn ancestors(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

impl NameRegistry {
    /// Register a name; `index` is its place in the list. On failure: where the other one stands.
    pub fn register(&mut self, space: Namespace, name: &str, span: Span, index: usize) -> Result<(), Span> {
        self.insert_ancestors(name)?;
        match self.entries[space as usize].insert(name.into(), Entry { span, index: index as u32 }) {
            Some(other) => Err(other.span),
            None => Ok(()),
        }
    }

    /// Register all names that begin with `prefix/`; the bodies of that prefix begin at `index`.
    pub fn register_prefix(&mut self, prefix: &str, span: Span, index: usize) -> Result<(), Span> {
        if self.above.contains(prefix) {
            let under = |name: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
            let mut written = self.entries.iter().flat_map(|e| e.iter()).chain(&self.prefixes);
            if let Some(other) = written.find(|(name, _)| under(name)).map(|(_, e)| e.span) {
                return Err(other);
            }
        }
        self.insert_ancestors(prefix)?;
        match self.prefixes.insert(prefix.into(), Entry { span, index: index as u32 }) {
            Some(other) => Err(other.span),
            None => Ok(()),
        }
    }

    /// Note everything before a slash; none of it may be the prefix of a generator.
    fn insert_ancestors(&mut self, name: &str) -> Result<(), Span> {
        if let Some(other) = ancestors(name).find_map(|a| self.prefixes.get(a)) {
            return Err(other.span);
        }
        for a in ancestors(name) {
            if !self.above.contains(a) {
                self.above.insert(a.into());
            }
        }
        Ok(())
    }

    /// A body that was written, by its name: its place in the list.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.entries[Namespace::Body as usize].get(name).map(|e| e.index as usize)
    }

    /// The generator a name belongs to: where its bodies begin in the list.
    pub fn generated(&self, name: &str) -> Option<usize> {
        ancestors(name).find_map(|a| self.prefixes.get(a)).map(|e| e.index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prefixes_conflict_in_either_order() {
        let at = |start| Span { file: 0, start, end: start + 1 };
        let mut c = NameRegistry::default();
        assert_eq!(c.register(Namespace::Body, "rope", at(1), 0), Ok(()));
        assert_eq!(c.register(Namespace::Joint, "rope", at(2), 0), Ok(()), "a joint may be called like a body");
        assert_eq!(c.register(Namespace::Body, "rope", at(3), 1), Err(at(1)));
        assert_eq!(c.register(Namespace::Body, "leg/1/foot", at(4), 1), Ok(()));
        assert_eq!(c.register_prefix("leg/2", at(5), 2), Ok(()));
        assert_eq!(c.register_prefix("leg/1", at(6), 2), Err(at(4)), "it would lie above a body");
        assert!(c.register_prefix("leg", at(6), 2).is_err(), "it would lie above both");
        assert_eq!(c.register_prefix("leg/2/toe", at(7), 2), Err(at(5)), "it would lie under another");
        assert_eq!(c.register(Namespace::Force, "leg/2/wind", at(8), 0), Err(at(5)));
        assert_eq!(c.register_prefix("rope", at(9), 2), Ok(()), "`rope` and `rope/1` differ");
        assert_eq!((c.body("leg/1/foot"), c.body("leg/2/1"), c.generated("leg/2/1")), (Some(1), None, Some(2)));
    }
}

//! Budgets, charged before anything is expanded or allocated.

use crate::codes::{self, Code};
use crate::diagnostic::Diagnostic;

/// The largest of everything that a file may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file: u64,
    /// Levels of nesting.
    pub depth: u64,
    /// Attributes of one XML element.
    pub attributes: u64,
    /// Bodies, and as many joints and as many forces.
    pub bodies: u64,
    /// Files read altogether.
    pub files: u64,
    /// Triangles of all meshes.
    pub triangles: u64,
    /// Elements of a list, and characters of an expression.
    pub values: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file: 64 << 20,
            depth: 10_000,
            attributes: 1024,
            bodies: 2_000_000,
            files: 1000,
            triangles: 20_000_000,
            values: 1_000_000,
        }
    }
}

impl Limits {
    /// All by name, as `--limit NAME=VALUE` knows them.
    pub const NAMES: [&'static str; 7] = ["file", "depth", "attributes", "bodies", "files", "triangles", "values"];

    /// Change one by its name.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let slot = match name {
            "file" => &mut self.file,
            "depth" => &mut self.depth,
            "attributes" => &mut self.attributes,
            "bodies" => &mut self.bodies,
            "files" => &mut self.files,
            "triangles" => &mut self.triangles,
            "values" => &mut self.values,
            _ => return false,
        };
        *slot = value;
        true
    }

    /// Those that differ from others, by name.
    pub fn changed(&self, from: &Limits) -> Vec<(String, u64)> {
        let values = |l: &Limits| [l.file, l.depth, l.attributes, l.bodies, l.files, l.triangles, l.values];
        let both = Limits::NAMES.iter().zip(values(self).into_iter().zip(values(from)));
        both.filter(|(_, (a, b))| a != b).map(|(name, (a, _))| (name.to_string(), a)).collect()
    }

    /// A diagnostic if `what` asks for more than `limit`.
    pub fn check(code: Code, what: &str, asked: u64, limit: u64, flag: &str) -> Result<(), Box<Diagnostic>> {
        if asked <= limit {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(code, format!("{what}: {asked} exceeds the limit of {limit}"))
                .label(format!("{asked}, the limit is {limit}"))
                .help(format!("--limit {flag}={asked} allows it")),
        ))
    }

    /// May so many bodies be made?
    pub fn bodies(&self, what: &str, asked: u64) -> Result<(), Box<Diagnostic>> {
        Limits::check(codes::TOO_MANY_BODIES, what, asked, self.bodies, "bodies")
    }
}

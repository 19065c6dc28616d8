//! Generators: many bodies and joints from a few lines.
//!
//! ```toml
//! [chain.rope]                      # ten links in a row, hung from the ground
//! count = 10
//! from = [0, 0, 0]
//! to = [0, 0, -2]
//! link = { shape = { kind = "rod", radius = 0.02 }, density = 1000 }
//! joint = { kind = "spherical" }
//! first = "ground"
//! ```
//!
//! | section | makes | bodies | joints |
//! |---|---|---|---|
//! | `[chain.NAME]` | a row | `NAME/1` ... | `NAME/i` at the beginning of piece i; `NAME/last` |
//! | `[ring.NAME]` | a closed row | `NAME/1` ... | `NAME/i` at the beginning of piece i; `NAME/first` is the pin |
//! | `[tree.NAME]` | pieces that branch at their ends | `NAME/1` ..., numbered level by level | `NAME/i` at the beginning of piece i |
//! | `[star.NAME]` | arms around a hub | `NAME/hub`, `NAME/1` ... | `NAME/i` |
//! | `[ladder.NAME]` | two rows joined by rungs | `NAME/left/i`, `NAME/right/i`, `NAME/rung/i` | the same; `NAME/rung/i/left`, `NAME/rung/i/right` |
//! | `[grid.NAME]` | rows and columns | `NAME/row/column` | `NAME/row/column/right`, `NAME/row/column/down` |
//! | `[repeat.NAME]` | any tables, several times | as written, with `${i}` | as written |
//!
//! `link` is a body table and `joint` a joint table, of any kind that joins two bodies, without what the generator
//! itself says: where the bodies are, and what is joined to what. A piece with a length has its origin at its
//! beginning, its x axis along itself, and the points `from` and `to`, like any body with two ends; pieces are joined
//! there. A piece that has only a place (`step`, `[grid]`) is joined half-way to its neighbour, a particle at itself.
//! In `joint`, `a` and `b` name other points: of the piece before, and of the piece itself.
//!
//! Expressions in `link` and `joint` may use `i` (from 1) and `n`; `[tree]` besides `level` and `k` (which child),
//! `[grid]` `row` and `column`. `velocity` and `spin` move the whole as if it were rigid.
//!
//! What was decided: counts are charged against the limit before anything is made. A template that does not use the
//! counters is read once, and what was read is shared by all pieces. A generator owns all names that begin with its own
//! and a slash (see `names.rs`).

mod branches;
mod fields;
mod nets;
mod repeat;
mod rows;
mod sizes;
mod template;

pub use fields::{SECTIONS, Section};
pub use sizes::room_for_all;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::fields::{BodyRef, Field, PointRef, Record, Where};
use crate::node::{DocNode, DocTable};
use crate::read::SceneReader;
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::Vec3;
use std::sync::Arc;

/// Sections that generate, in the order they are read.
pub const KINDS: &[&str] = &["chain", "tree", "star", "ring", "ladder", "grid", "repeat"];

/// Make what a generator says.
pub fn generate(m: &mut SceneReader, kind: &str, name: &str, node: &DocNode, span: Span) {
    // None: something is wrong and was reported
    let _ = match kind {
        "chain" => rows::chain(m, name, node, span),
        "ring" => rows::ring(m, name, node, span),
        "tree" => branches::tree(m, name, node, span),
        "star" => branches::star(m, name, node, span),
        "ladder" => nets::ladder(m, name, node, span),
        "grid" => nets::grid(m, name, node, span),
        _ => repeat::repeat(m, name, node, span),
    };
}

/// The fields of a generator, and how its whole moves.
struct GeneratorInput<'n> {
    name: &'n str,
    span: Span,
    table: &'n DocTable,
    record: Record,
    count: u64,
    velocity: Vec3,
    spin: Vec3,
}

impl<'n> GeneratorInput<'n> {
    /// Read the fields, charge the count, register the names. Fields that depend on counters are left.
    fn read(
        m: &mut SceneReader,
        kind: &str,
        name: &'n str,
        node: &'n DocNode,
        span: Span,
        fields: &'static [&'static [Field]],
        left: &[&str],
    ) -> Option<GeneratorInput<'n>> {
        let table = m.reader.table(node, name)?;
        let size = sizes::size(m, kind, table, span);
        let left: Vec<&str> = left.iter().chain(sizes::FIELDS).copied().collect();
        let record = m.reader.fields_but(table, span, name, fields, None, &left);
        let (size, record) = (size?, record?);
        if !m.room_for(size.bodies, size.span, &format!("bodies of `{name}`")) {
            return None;
        }
        let first = m.scene.bodies.len();
        if m.names.register_prefix(name, span, first).is_err() {
            let message = format!("there are two of the name `{}`", crate::confine::shown(name));
            let label = format!("all names that begin with `{}/` belong to it", crate::confine::shown(name));
            m.reader.error(codes::DUPLICATE, span, message, label);
            return None;
        }
        // within reason, should the limit have been lifted
        let some = size.bodies.min(1 << 22) as usize;
        m.scene.bodies.reserve(some);
        m.scene.joints.reserve(some + 1);
        let (velocity, spin) = (record.vector("velocity"), record.vector("spin"));
        Some(GeneratorInput {
            name,
            span,
            table,
            record,
            count: size.count,
            velocity: velocity.unwrap_or_default(),
            spin: spin.unwrap_or_default(),
        })
    }

    /// Of several fields at most one may be given; false, with an error in the report, if there are more.
    fn at_most_one(&self, m: &mut SceneReader, names: &[&str]) -> bool {
        let mut there = names.iter().filter(|n| self.table.get(n).is_some());
        match (there.next(), there.next()) {
            (Some(first), Some(second)) => {
                let at = self.table.entry(second).map_or(self.span, |e| e.key_span);
                let d = Diagnostic::error(codes::EXCLUSIVE, format!("`{first}` and `{second}` exclude each other"));
                m.reader.complain(d.at(at).label(format!("`{first}` is said too")).help("keep one of them"));
                false
            }
            _ => true,
        }
    }

    fn missing(&self, m: &mut SceneReader, message: String, help: &str) {
        let d = Diagnostic::error(codes::MISSING_FIELD, message).at(self.span);
        m.reader.complain(d.label("missing").help(help));
    }
}

/// Counters that expressions may use while a generator works.
struct Counters {
    base: usize,
}

impl Counters {
    fn enter(m: &mut SceneReader, names: &[(&str, f64)]) -> Counters {
        let locals = &mut m.reader.names.locals;
        let base = locals.len();
        locals.extend(names.iter().map(|(n, x)| (Arc::<str>::from(*n), *x)));
        Counters { base }
    }

    fn set(&self, m: &mut SceneReader, values: &[f64]) {
        for (local, x) in m.reader.names.locals[self.base..].iter_mut().zip(values) {
            local.1 = *x;
        }
    }

    fn leave(self, m: &mut SceneReader) {
        m.reader.names.locals.truncate(self.base);
    }
}

/// Where a point is as far as it is known yet: the bodies named must have been made before.
fn world(m: &SceneReader, p: &PointRef) -> Option<Vec3> {
    let (pose, points) = match &p.body {
        BodyRef::Ground => (Pose::IDENTITY, &*m.scene.ground_points),
        BodyRef::Index(i) => m.scene.bodies.get(*i as usize).map(|b| (b.pose, &*b.points))?,
        BodyRef::Named(name) => {
            let body = match m.names.body(name) {
                Some(i) => m.scene.bodies.get(i).filter(|b| b.name == *name),
                None => m.names.generated(name).and_then(|first| {
                    // pieces in a row are found by their number, others by looking
                    let number = name.rsplit('/').next().and_then(|i| i.parse::<usize>().ok());
                    let near = number.and_then(|i| m.scene.bodies.get((first + i).checked_sub(1)?));
                    let found = near.filter(|b| b.name == *name);
                    found.or_else(|| m.scene.bodies.get(first..)?.iter().find(|b| b.name == *name))
                }),
            };
            body.map(|b| (b.pose, &*b.points))?
        }
    };
    match &p.at {
        Where::Unsaid => None,
        Where::At(at) => Some(pose.point(*at)),
        Where::Named(name) => points.iter().find(|p| p.name == *name).map(|p| pose.point(p.pose.position)),
    }
}

//! The reference of all fields as Markdown, from the declarations: `docs/scenes-reference.md`.

use crate::fields::{Allowed, Family, Field, Need, Type};
use crate::generators;
use crate::read::SECTIONS;
use crate::sections::{Content, content};
use std::fmt::Write;

/// The unit of what a field holds; empty if it has none.
pub fn unit(ty: &Type) -> &'static str {
    match ty {
        Type::Number(_, unit)
        | Type::Vector(unit)
        | Type::Numbers(unit)
        | Type::Vectors(unit)
        | Type::Intervals(unit) => unit,
        Type::Function(_, unit) | Type::VectorFunction(_, unit) => unit,
        Type::Map(inner) => self::unit(inner),
        _ => "",
    }
}

/// What a field holds, in words.
pub fn holds(ty: &Type) -> String {
    let with_unit = |what: &str| match unit(ty) {
        "" => what.to_string(),
        unit => format!("{what}, {unit}"),
    };
    match ty {
        Type::Number(Allowed::Any, _) => with_unit("number"),
        Type::Number(Allowed::Positive, _) => with_unit("number > 0"),
        Type::Number(Allowed::NotNegative, _) => with_unit("number >= 0"),
        Type::Number(Allowed::Fraction, _) => with_unit("number from 0 to 1"),
        Type::Integer(from, i64::MAX) => format!("whole number, {from} or more"),
        Type::Integer(from, to) => format!("whole number, {from} to {to}"),
        Type::Flag => "true or false".into(),
        Type::Text => "text".into(),
        Type::Texts => "text, or a list of texts".into(),
        Type::Choice(words) => words.iter().map(|w| format!("`\"{w}\"`")).collect::<Vec<_>>().join(" "),
        Type::Vector(_) => with_unit("vector"),
        Type::Direction => "direction".into(),
        Type::Rotation => "rotation".into(),
        Type::Numbers(_) => with_unit("number, or a list of numbers"),
        Type::Vectors(_) => with_unit("list of vectors"),
        Type::Intervals(_) => with_unit("`[lower, upper]`, or a list of such pairs"),
        Type::Point => "point".into(),
        Type::Points => "list of points".into(),
        Type::Pairs => "list of pairs of bodies".into(),
        Type::Coordinate => "coordinate".into(),
        Type::Coordinates => "list of coordinates".into(),
        Type::Function(variable, _) => with_unit(&format!("function of {variable}")),
        Type::VectorFunction(variable, _) => with_unit(&format!("three numbers or functions of {variable}")),
        Type::Formula => "[formula](scenes.md#formulas)".into(),
        Type::File => "name of a file".into(),
        Type::Kind(family) => format!("[{0}](#{1})", family.name, anchor(family)),
        Type::Kinds(family) => format!("list of [{0}](#{1})", family.name, anchor(family)),
        Type::Record(_) => "table, see below".into(),
        Type::Records(_) => "list of tables, see below".into(),
        Type::Map(inner) => match inner {
            Type::Record([]) => "named tables, as in the section of that name".into(),
            Type::Record(_) => "named tables, see below".into(),
            _ => format!("named: {}", holds(inner)),
        },
    }
}

fn anchor(family: &Family) -> String {
    format!("kinds-of-{}", family.name.replace(' ', "-"))
}

/// Families in the order they are met.
#[derive(Default)]
struct Met(Vec<&'static Family>);

impl Met {
    fn note(&mut self, ty: &Type) {
        match ty {
            Type::Kind(f) | Type::Kinds(f) => self.add(f),
            Type::Function(..) | Type::VectorFunction(..) => self.add(&crate::kinds::FUNCTIONS),
            Type::Map(inner) => self.note(inner),
            Type::Record(fields) | Type::Records(fields) => fields.iter().for_each(|f| self.note(&f.ty)),
            _ => {}
        }
    }

    fn add(&mut self, family: &'static Family) {
        if !self.0.iter().any(|f| f.name == family.name) {
            self.0.push(family);
        }
    }
}

/// The whole reference.
pub fn markdown() -> String {
    let mut out = String::from(INTRODUCTION);
    let mut met = Met::default();
    out.push_str("\n## Sections\n\n| section | what it is |\n|---|---|\n");
    for (name, doc) in SECTIONS {
        let _ = writeln!(out, "| `{name}` | {} |", cell(doc));
    }
    for (name, doc) in SECTIONS {
        match content(name) {
            Some(Content::Table(fields)) => {
                let _ = write!(out, "\n## `[{name}]`\n\n{}.\n", capital(doc));
                table(&mut out, fields, &mut met);
            }
            Some(Content::Tables(fields)) => {
                let generator = generators::SECTIONS.iter().find(|s| s.name == *name);
                let summary = generator.map_or(*doc, |s| s.summary);
                let _ = write!(out, "\n## `[{name}.NAME]`\n\n{}.\n", capital(summary));
                table(&mut out, fields, &mut met);
            }
            Some(Content::Kinds(family)) => met.add(family),
            _ => {}
        }
    }
    // families lead to further families
    let mut done = 0;
    while let Some(&family) = met.0.get(done) {
        kinds(&mut out, family, &mut met);
        done += 1;
    }
    out
}

fn kinds(out: &mut String, family: &'static Family, met: &mut Met) {
    let _ = write!(out, "\n## Kinds of {}\n", family.name);
    if let Some(default) = family.default {
        let _ = write!(out, "\nWithout a `kind` it is `\"{default}\"`.\n");
    }
    if !family.common.is_empty() {
        out.push_str("\nAll of them have:\n");
        table(out, &[family.common], met);
    }
    for kind in family.kinds() {
        let _ = write!(out, "\n### `kind = \"{}\"` ({})\n\n{}.\n", kind.name, family.name, capital(kind.summary));
        table(out, kind.fields, met);
    }
}

fn table(out: &mut String, groups: &[&'static [Field]], met: &mut Met) {
    let fields: Vec<&Field> = groups.iter().flat_map(|group| group.iter()).collect();
    if fields.is_empty() {
        return;
    }
    out.push_str("\n| field | holds | if not said | meaning |\n|---|---|---|---|\n");
    for field in &fields {
        let otherwise = match field.need {
            Need::Required => "**must be said**",
            Need::Optional(text) => text,
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            field.name,
            cell(&holds(&field.ty)),
            cell(otherwise),
            cell(field.doc)
        );
        met.note(&field.ty);
    }
    for field in fields {
        let inner = match &field.ty {
            Type::Record(inner) | Type::Records(inner) => inner,
            Type::Map(Type::Record(inner)) => inner,
            _ => continue,
        };
        if !inner.is_empty() {
            let _ = write!(out, "\nInside `{}`:\n", field.name);
            table(out, &[inner], met);
        }
    }
}

/// Text inside a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

const INTRODUCTION: &str = "\
# Scene files: every section and field

Written by `cargo xtask scenes` from the declarations the program reads scenes by. The guide is [scenes.md](scenes.md).

All quantities are in SI units, angles in radians, z is up. What a field may hold:

| holds | written as |
|---|---|
| number | `1.5`, or an expression in text: `\"${L/2}\"`, with the parameters of the scene, `pi`, `tau` and `deg` |
| vector | three numbers: `[0, 0, \"${L}\"]` |
| direction | a vector of any length but zero |
| rotation | `{ axis = [0, 0, 1], angle = 0.5 }`, `{ rpy = [roll, pitch, yaw] }`, `{ x = [1, 0, 0], z = [0, 0, 1] }` (where its axes point), or a quaternion `[w, x, y, z]` |
| point | a body `\"rod\"`, a point or frame of one `\"rod.tip\"`, or `{ body = \"rod\", at = [0, 0, 1] }` in the body's frame; `ground` is a body too |
| coordinate | a joint `\"hinge\"`, meaning its first coordinate, or `\"slider.1\"`, its second |
| function | a number, an expression in the variable named, `\"0.3*sin(2*pi*t)\"`, or a table: see [functions](#kinds-of-function) |

Expressions know `+ - * / ^ ( )` and the functions `sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log10 abs min max floor ceil round
mod sign hypot step ramp`.

Bodies and forces made from functions of a program (parametric bodies, user forces) have no place in scene files: they are made with the Rust
library.
";

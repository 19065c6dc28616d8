//! Functions of one variable, where an expression does not do.

use super::Make;
use crate::fields::*;
use holonom::functions::{Function, SmoothStep};
use std::sync::Arc;

/// Kinds of functions.
pub static FUNCTIONS: Family = Family { name: "function", common: &[], kinds: &[KINDS], default: None };

static KINDS: &[Kind] = &[Kind {
    name: "smooth-step",
    summary: "from one value to another with continuous acceleration",
    fields: &[&[
        optional("from", NUMBER, "0", "value before"),
        required("to", NUMBER, "value after"),
        optional("start", NUMBER, "0", "where it begins"),
        required("end", NUMBER, "where it ends"),
    ]],
    make: Make::Function(|r| {
        let of = |name: &str| r.number(name).unwrap_or(0.0);
        Ok(Arc::new(SmoothStep { from: of("from"), to: of("to"), start: of("start"), end: of("end") }))
    }),
}];

/// Make a function from its record.
pub fn function(record: &Record) -> Result<Arc<dyn Function>, String> {
    match record.kind.map(|k| k.make) {
        Some(Make::Function(make)) => make(record),
        _ => Err("not a function".into()),
    }
}

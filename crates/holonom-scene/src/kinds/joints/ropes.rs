//! Joints that hold only one way.

use super::POINTS;
use crate::fields::*;
use crate::kinds::Make;
use holonom::prelude::*;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[Kind {
    name: "rope",
    summary: "keeps two points within a distance, and is slack below it. Coordinate: the distance",
    fields: &[POINTS, &[optional("length", LENGTH, "as drawn", "length of the rope")]],
    make: Make::Joint(|r, s| {
        let drawn = || (s.drawn(&s.b) - s.drawn(&s.a)).length();
        let rope = Rope::new(s.a, s.b, r.number("length").unwrap_or_else(drawn));
        Ok(Box::new(rope.restitution(r.number("restitution").unwrap_or(0.0))))
    }),
}];

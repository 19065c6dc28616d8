//! What the sections of a scene hold, as data: from it the writer takes its order, the schema its rules, the reference
//! its text.

use crate::contact::{CONTACT, SURFACE};
use crate::fields::{Family, Field, Type};
use crate::generators;
use crate::kinds::{BODIES, DRIVES, FORCES, JOINTS};
use crate::read::{CAMERA, GROUND, RECORD, RUN, START};

static GROUND_FIELDS: &[&[Field]] = &[GROUND];
static START_FIELDS: &[&[Field]] = &[START];
static CONTACT_FIELDS: &[&[Field]] = &[CONTACT, SURFACE];
static RUN_FIELDS: &[&[Field]] = &[RUN];
static RECORD_FIELDS: &[&[Field]] = &[RECORD];
static CAMERA_FIELDS: &[&[Field]] = &[CAMERA];

/// What a section holds.
#[derive(Clone, Copy)]
pub enum Content {
    /// A value.
    Value(&'static Type),
    /// Names with numbers.
    Parameters,
    /// A table with these fields.
    Table(&'static [&'static [Field]]),
    /// Named tables with these fields.
    Tables(&'static [&'static [Field]]),
    /// Named tables with a kind.
    Kinds(&'static Family),
}

/// What the section of that name holds; none if there is no such section.
pub fn content(section: &str) -> Option<Content> {
    Some(match section {
        "title" | "description" => Content::Value(&Type::Text),
        "include" => Content::Value(&Type::Texts),
        "gravity" => Content::Value(&Type::Vector("m/s^2")),
        "params" => Content::Parameters,
        "ground" => Content::Table(GROUND_FIELDS),
        "contact" => Content::Table(CONTACT_FIELDS),
        "start" => Content::Tables(START_FIELDS),
        "run" => Content::Table(RUN_FIELDS),
        "record" => Content::Table(RECORD_FIELDS),
        "camera" => Content::Tables(CAMERA_FIELDS),
        "body" => Content::Kinds(&BODIES),
        "joint" => Content::Kinds(&JOINTS),
        "drive" => Content::Kinds(&DRIVES),
        "force" => Content::Kinds(&FORCES),
        _ => Content::Tables(generators::SECTIONS.iter().find(|s| s.name == section)?.fields),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_described() {
        for (name, _) in crate::read::SECTIONS {
            assert!(content(name).is_some(), "{name}");
        }
        assert!(content("bodies").is_none());
    }
}

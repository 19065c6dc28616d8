//! The import ledger: what was not read, reported once for every kind of element or attribute, with the number of times
//! it occurs.

use crate::diagnostic::Report;
use crate::xml::{Document, Unread};
use std::collections::HashMap;

/// Warnings for all parts of a document that were not read.
pub fn unread(document: &Document, report: &mut Report) {
    // the first of every kind, and how many there are
    let mut lines: Vec<(Unread, usize)> = Vec::new();
    let mut known: HashMap<(String, Option<&str>), usize> = HashMap::new();
    for part in document.unread() {
        let element = part.element();
        // elements of one name mean different things in different sections
        let section = element.parent().map_or("", |p| p.name());
        let key = match part {
            Unread::Element(_) => (format!("{section}/{}", element.name()), None),
            Unread::Attribute(_, a) => (element.name().to_string(), Some(a.name)),
            Unread::Text(..) => (element.name().to_string(), Some("#text")),
        };
        let line = *known.entry(key).or_insert_with(|| {
            lines.push((part, 0));
            lines.len() - 1
        });
        lines[line].1 += 1;
    }
    for (part, n) in lines {
        let suffix = if n > 1 { format!(" ({n} times)") } else { String::new() };
        report.push(part.warning(&suffix).label(why(&part)).path(part.element().path()));
    }
}

fn why(part: &Unread) -> &'static str {
    match (part, part.element().name()) {
        (Unread::Element(_), name) => of_element(name),
        (Unread::Text(..), _) => "has no effect here",
        (Unread::Attribute(_, a), element) => match (a.name, element) {
            ("size" | "type", "site") => "only for appearance",
            ("limited" | "range", "tendon" | "fixed" | "spatial") => "lengths of tendons are not limited",
            (_, "flag") => "a switch of another simulator",
            (name, _) => of_attribute(name),
        },
    }
}

fn of_element(name: &str) -> &'static str {
    match name {
        "visual" | "statistic" | "light" | "texture" | "skin" | "layer" => "only for appearance",
        "size" => "sizes of memory",
        "hfield" => "height fields are only for contact",
        "sensor" => "quantities are recorded by their names instead",
        "keyframe" | "key" => "the model starts at its reference configuration",
        "custom" | "numeric" | "text" | "tuple" => "has no effect on the simulation",
        "composite" | "flexcomp" | "deformable" | "flex" => "soft and composite bodies are not made",
        "plugin" | "extension" => "there are no plugins here",
        "attach" | "model" => "models are not attached to each other",
        "flag" => "switches of another simulator",
        _ => "has no effect here",
    }
}

fn of_attribute(name: &str) -> &'static str {
    match name {
        "solref" | "solimp" | "solreflimit" | "solimplimit" | "solreffriction" | "solimpfriction" | "solreffix"
        | "solimpfix" | "solmix" | "margin" | "gap" | "torquescale" => {
            "compliance of constraints: here they hold exactly"
        }
        "priority" => "friction of a pair is the geometric mean of its geoms'",
        "nconmax" | "njmax" => "sizes of memory",
        "cone" | "impratio" => "friction cones are round and exact here",
        "o_margin" | "o_solref" | "o_solimp" | "o_friction" => "compliance of constraints: here they hold exactly",
        "timestep" | "integrator" => "steps are chosen to an accuracy; --dt and --integrator change that",
        "solver" | "iterations" | "tolerance" | "ls_iterations" | "noslip_iterations" | "jacobian" | "apirate" => {
            "settings of another solver"
        }
        "rgba" | "material" | "group" | "width" | "resolution" | "texuniform" | "specular" | "shininess"
        | "reflectance" | "texture" | "texrepeat" | "emission" | "ipd" | "focal" => "only for appearance",
        "fluidshape" | "fluidcoef" | "wind" => "no fluid forces act on the bodies",
        "user" => "has no effect on the simulation",
        "gravcomp" => "gravity acts on every body in full",
        "actuatorfrcrange" | "actuatorfrclimited" | "actuatorgravcomp" => "limits of forces are not enforced",
        _ => "has no effect here",
    }
}

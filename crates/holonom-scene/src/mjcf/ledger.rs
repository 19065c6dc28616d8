//! The import ledger: what nobody asked for, told once for every kind of thing, with the number of times it occurs.

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, Report};
use crate::source::Span;
use crate::xml::{Document, Unread};
use std::collections::HashMap;

/// Warnings for all parts of a document that were not read.
pub fn unread(document: &Document, report: &mut Report) {
    // message, reason, first place, number
    let mut lines: Vec<(String, &'static str, Span, String, usize)> = Vec::new();
    let mut known: HashMap<(String, Option<String>), usize> = HashMap::new();
    for part in document.unread() {
        let (element, attribute, span) = match part {
            Unread::Element(e) => (e, None, e.span()),
            Unread::Attribute(e, a) => (e, Some(a.name), a.name_span),
            Unread::Text(e, span) => (e, Some("#text"), span),
        };
        // elements of one name mean different things in different sections
        let section = element.parent().map_or("", |p| p.name());
        let place = if attribute.is_none() { format!("{section}/{}", element.name()) } else { element.name().into() };
        let key = (place, attribute.map(str::to_string));
        match known.get(&key) {
            Some(&i) => lines[i].4 += 1,
            None => {
                known.insert(key, lines.len());
                let message = match attribute {
                    None => format!("<{}> is not used", shown(element.name())),
                    Some("#text") => format!("text in <{}> is not used", shown(element.name())),
                    Some(name) => format!("`{}` of <{}> is not used", shown(name), shown(element.name())),
                };
                let why = match attribute {
                    None => of_element(element.name()),
                    Some("size" | "type") if element.name() == "site" => "only for looks",
                    Some("limited" | "range") if ["tendon", "fixed", "spatial"].contains(&element.name()) => {
                        "lengths of tendons are not limited"
                    }
                    Some(_) if element.name() == "flag" => "a switch of another simulator",
                    Some(name) => of_attribute(name),
                };
                lines.push((message, why, span, element.path(), 1));
            }
        }
    }
    for (message, why, span, path, n) in lines {
        let message = if n > 1 { format!("{message} ({n} times)") } else { message };
        report.push(Diagnostic::warning(codes::IGNORED, message).at(span).label(why).path(path));
    }
}

fn of_element(name: &str) -> &'static str {
    match name {
        "visual" | "statistic" | "light" | "texture" | "skin" | "layer" => "only for looks",
        "size" => "sizes of memory",
        "hfield" => "height fields are only for contact",
        "sensor" => "quantities are recorded by their names instead",
        "keyframe" | "key" => "the model starts at its reference configuration",
        "custom" | "numeric" | "text" | "tuple" => "means nothing to the simulation",
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
            "how constraints give way: here they hold exactly"
        }
        "priority" => "friction of a pair is the geometric mean of its geoms'",
        "nconmax" | "njmax" => "sizes of memory",
        "cone" | "impratio" => "friction cones are round and exact here",
        "o_margin" | "o_solref" | "o_solimp" | "o_friction" => "how constraints give way: here they hold exactly",
        "timestep" | "integrator" => "steps are chosen to an accuracy; --dt and --integrator change that",
        "solver" | "iterations" | "tolerance" | "ls_iterations" | "noslip_iterations" | "jacobian" | "apirate" => {
            "settings of another solver"
        }
        "rgba" | "material" | "group" | "width" | "resolution" | "texuniform" | "specular" | "shininess"
        | "reflectance" | "texture" | "texrepeat" | "emission" | "ipd" | "focal" => "only for looks",
        "fluidshape" | "fluidcoef" | "wind" => "no fluid forces act on the bodies",
        "user" => "means nothing to the simulation",
        "gravcomp" => "gravity acts on every body in full",
        "actuatorfrcrange" | "actuatorfrclimited" | "actuatorgravcomp" => "limits of forces are not enforced",
        _ => "has no effect here",
    }
}

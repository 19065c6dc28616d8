//! Import of URDF: a robot becomes the document that a scene file would be, with places that point into the XML.
//!
//! ```text
//! XML -> robot (what the file says) -> tree (bodies, poses, masses) -> document, with the side file NAME.loops.toml added
//! ```
//!
//! What is done with what is in `docs/import.md`; the decisions are documented where they are taken: links into bodies
//! in `tree.rs`, mesh files in `files.rs`, loops and starts in `side.rs`. Whatever is read and has no effect, or not
//! the effect it was meant to have, is a warning W0404 with its place, reported where it is read, or, for all that is
//! never read, by the XML reader.

mod document;
mod files;
mod robot;
mod side;
mod tree;
mod values;

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::load::ImportContext;
use crate::node::DocTable;
use crate::xml::{self, Element};
use files::Files;
use values::Values;

/// Read a model as a scene document.
pub fn import(file: u32, context: &mut ImportContext) -> DocTable {
    let text = context.sources.file(file).map_or("", |f| f.text.as_str());
    let xml = match xml::Document::parse(text, file, &context.limits) {
        Ok(xml) => xml,
        Err(d) => {
            context.report.push(*d);
            return DocTable::new();
        }
    };
    let root = xml.root();
    if let Some(d) = refusal(root) {
        context.report.push(d);
        return DocTable::new();
    }
    let side = side::read(file, context);
    let mut finder = Files::new(context.confinement, context.folder(file), context.limits);
    let errors = context.report.n_errors();
    let links = root.children().filter(|e| e.name() == "link").count() as u64;
    if let Err(d) = context.limits.bodies("links", links) {
        context.report.push(d.at(root.span()));
        return DocTable::new();
    }
    let mut values = Values::new(context.report);
    let robot = robot::read(root, &mut values, &mut finder);
    // a joint that could not be read would make its child a second root: say only what is wrong
    if context.report.n_errors() > errors {
        return DocTable::new();
    }
    let mut values = Values::new(context.report);
    let document = tree::tree(&robot, &side.base, root.span(), &mut values)
        .and_then(|tree| document::write(&robot, &tree, side, root.span(), &mut values));
    xml.report_unread(context.report, why);
    document.unwrap_or_default()
}

/// Is it a robot at all?
fn refusal(root: Element) -> Option<Diagnostic> {
    let xacro = |e: &Element| e.name().starts_with("xacro:") || e.name().starts_with("xi:");
    if root.name() != "robot" {
        let message = format!("the root element of a URDF is <robot>, not <{}>", shown(root.name()));
        let d = Diagnostic::error(codes::NOT_A_ROBOT, message).at(root.span()).label("not a robot");
        return Some(match root.name() {
            "mujoco" => d.help("an MJCF file has the suffix .xml"),
            "sdf" => d.help("convert SDF to URDF or MJCF first"),
            _ => d,
        });
    }
    let template = root.children().find(xacro)?;
    let message = format!("<{}> belongs to a xacro template, which must be expanded first", shown(template.name()));
    let d = Diagnostic::error(codes::XACRO, message).at(template.span()).label("not expanded");
    Some(d.help("expand it with  xacro FILE > robot.urdf  and read the result"))
}

/// Why an element or attribute has no effect.
fn why(element: &str, attribute: Option<&str>) -> Option<&'static str> {
    Some(match (element, attribute) {
        ("transmission", None) => "actuators are not imported: add drives in a side file",
        ("gazebo" | "plugin", None) => "only for Gazebo",
        ("sensor", None) => "sensors are not imported: any quantity can be recorded",
        ("safety_controller", None) => "soft limits of a controller",
        ("calibration", None) => "reference positions for a real robot",
        ("contact" | "contact_coefficients", None) => "contact parameters of other engines",
        ("texture", None) => "textures are not shown",
        ("ros2_control", None) => "only for ros2_control",
        ("verbose" | "verboseness", None) => "has no meaning in a URDF",
        ("inertial" | "visual" | "collision" | "material", None) => "more than the one that counts",
        ("joint", Some(_)) => "not an attribute of a joint",
        _ => return None,
    })
}

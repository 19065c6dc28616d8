//! The content of a URDF: links with mass and shapes, and the joints between them, checked element by element. Nothing
//! is placed yet.

use super::files::Files;
use super::values::{Values, pose};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::node::{DocTable, numbers};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::math::{Mat3, Vec3, vec3};
use std::collections::HashMap;

/// A robot, its links and joints in the order they are written. Every `span` is the place of the value before it in the
/// file.
#[derive(Default)]
pub struct Robot {
    pub name: Option<(String, Span)>,
    pub links: Vec<UrdfLink>,
    pub joints: Vec<UrdfJoint>,
}

/// A link.
pub struct UrdfLink {
    pub name: String,
    pub span: Span,
    /// Mass in the link's frame; none where the file gives none. It may be 0, with an inertia or without.
    pub mass: Option<Mass>,
    pub mass_span: Span,
    pub inertia_span: Span,
    /// Shapes to be drawn, and shapes for contacts.
    pub shapes: Vec<UrdfShape>,
}

/// A shape on a link: a table of the scene language that lacks its place.
pub struct UrdfShape {
    /// Where it is on the link.
    pub pose: Pose,
    pub pose_span: Span,
    pub fields: DocTable,
    pub span: Span,
}

/// Types of joints of the standard; `spherical` is not in it, but in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrdfJointType {
    Fixed,
    /// Rotation about the axis; `continuous` is one without limits.
    Revolute,
    Continuous,
    /// Translation along the axis.
    Prismatic,
    /// Translation in the plane perpendicular to the axis, rotation about it.
    Planar,
    Spherical,
    Floating,
}

impl UrdfJointType {
    const ALL: [(&str, UrdfJointType); 7] = [
        ("revolute", UrdfJointType::Revolute),
        ("continuous", UrdfJointType::Continuous),
        ("prismatic", UrdfJointType::Prismatic),
        ("fixed", UrdfJointType::Fixed),
        ("planar", UrdfJointType::Planar),
        ("floating", UrdfJointType::Floating),
        ("spherical", UrdfJointType::Spherical),
    ];

    /// Its name in URDF.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|t| t.1 == self).map_or("", |t| t.0)
    }

    /// Does it have exactly one coordinate?
    pub fn has_single_coordinate(self) -> bool {
        matches!(self, UrdfJointType::Revolute | UrdfJointType::Continuous | UrdfJointType::Prismatic)
    }

    /// Does it need an axis?
    fn has_axis(self) -> bool {
        self.has_single_coordinate() || self == UrdfJointType::Planar
    }
}

/// A joint.
pub struct UrdfJoint {
    pub name: String,
    pub span: Span,
    pub ty: UrdfJointType,
    /// Number of the parent link.
    pub parent: usize,
    /// Number of the child link.
    pub child: usize,
    /// Where the child is named.
    pub child_span: Span,
    /// Frame of the child in that of the parent, at zero.
    pub pose: Pose,
    pub pose_span: Span,
    /// Unit axis in the frame of the child.
    pub axis: Vec3,
    pub axis_span: Span,
    /// Viscous damping, N s/m or N m s/rad.
    pub damping: Option<(f64, Span)>,
    /// Dry friction, N or N m.
    pub friction: Option<(f64, Span)>,
    /// Lower and upper bound of the coordinate, m or rad.
    pub limits: Option<([f64; 2], Span)>,
    /// Largest force or torque of whatever drives it, N or N m.
    pub effort: Option<(f64, Span)>,
    /// Follows another joint.
    pub mimic: Option<Mimic>,
}

/// q = multiplier * q of another joint + offset.
pub struct Mimic {
    /// Name of the other joint as written.
    pub joint: String,
    pub span: Span,
    /// m or rad per m or rad.
    pub multiplier: f64,
    pub offset: f64,
}

/// Read all of it. Errors go to the report.
pub fn read(root: Element, values: &mut Values, files: &mut Files) -> Robot {
    let mut robot = Robot { name: root.attr("name").map(|a| (a.value.to_string(), a.span)), ..Robot::default() };
    // about the file, not about the robot
    root.attr("version");
    for a in root.attributes().filter(|a| a.name.starts_with("xmlns")) {
        root.attr(a.name);
    }
    let colours = colours(root, values);
    let mut links: HashMap<&str, usize> = HashMap::new();
    for e in root.children_named("link") {
        let Some(name) = values.name(e) else { continue };
        let index = robot.links.len();
        if links.insert(name.value, index).is_some() {
            values.twice("link", name);
            continue;
        }
        let link = link(e, name, &colours, values, files);
        robot.links.push(link);
    }
    let mut joints: HashMap<&str, ()> = HashMap::new();
    for e in root.children_named("joint") {
        let Some(name) = values.name(e) else { continue };
        if joints.insert(name.value, ()).is_some() {
            values.twice("joint", name);
            continue;
        }
        robot.joints.extend(joint(e, name, &links, values));
    }
    robot
}

/// Colours by the name of their material, wherever it is defined.
fn colours<'d>(root: Element<'d>, values: &mut Values) -> HashMap<&'d str, [f64; 3]> {
    let mut out = HashMap::new();
    let inside = root.children().filter(|e| e.name() == "link").flat_map(|l| l.children());
    let inside = inside.filter(|e| e.name() == "visual").flat_map(|v| v.children());
    for e in root.children().chain(inside).filter(|e| e.name() == "material") {
        if e.parent().is_some_and(|p| p.name() == "robot") {
            e.take();
            e.attr("name");
        }
        let Some(name) = e.peek("name") else { continue };
        if let Some(c) = e.children().find(|c| c.name() == "color")
            && let Some(rgba) = c.peek("rgba").and_then(|a| a.numbers("rgba", 4..=4).ok())
        {
            out.entry(name.value).or_insert([rgba[0], rgba[1], rgba[2]]);
            if e.parent().is_some_and(|p| p.name() == "robot") {
                colour(e, values);
            }
        }
    }
    out
}

/// The colour in a material element.
fn colour(material: Element, values: &mut Values) -> Option<([f64; 3], Span)> {
    let rgba = material.child("color")?.attr("rgba")?;
    let [r, g, b, a] = values.numbers::<4>(rgba, "rgba")?;
    if a != 1.0 {
        values.ignored(rgba.span, format!("transparency {a} is not shown"), "colours are red, green, blue");
    }
    Some(([r, g, b], rgba.span))
}

fn link(e: Element, name: Attr, colours: &HashMap<&str, [f64; 3]>, values: &mut Values, files: &mut Files) -> UrdfLink {
    let mut link = UrdfLink {
        name: name.value.to_string(),
        span: name.span,
        mass: None,
        mass_span: e.span(),
        inertia_span: e.span(),
        shapes: Vec::new(),
    };
    let before = values.enter(format!("link/{}", shown(name.value)));
    if let Some(inertial) = e.child("inertial") {
        mass(inertial, &mut link, values);
    }
    let mut unread = false;
    for v in e.children_named("visual") {
        let Some(mut shape) = shape(v, values, files) else {
            unread = true;
            continue;
        };
        if let Some(m) = v.child("material") {
            shape_colour(m, &mut shape, colours, values);
        }
        shape.fields.put("collides", shape.span, false);
        match coloured(shape, files) {
            Ok(shapes) => link.shapes.extend(shapes),
            Err((span, message, why)) => {
                unread = true;
                values.ignored(span, message, why);
            }
        }
    }
    // where nothing can be shown as it should look, what touches is better than nothing
    let stand_in = unread && link.shapes.is_empty();
    for c in e.children_named("collision") {
        if let Some(mut shape) = shape(c, values, files) {
            if !stand_in {
                shape.fields.put("hidden", shape.span, true);
            }
            link.shapes.push(shape);
        }
    }
    values.leave(before);
    link
}

/// Meshes of more materials are shown in one colour.
const MOST_MATERIALS: usize = 40;

/// A visual in the colours of its file: one shape for every material. Where the file has none, that of the URDF stays.
fn coloured(shape: UrdfShape, files: &mut Files) -> Result<Vec<UrdfShape>, (Span, String, String)> {
    let file = shape.fields.get("file").and_then(|n| Some((n.as_text()?.to_string(), n.span)));
    let Some((file, span)) = file else { return Ok(vec![shape]) };
    let materials = files.materials(&file);
    let materials = materials.map_err(|why| (span, format!("the mesh `{}` is not shown", shown(&file)), why))?;
    let n = materials.len();
    if n > MOST_MATERIALS {
        return Ok(vec![shape]);
    }
    let of = |(material, colour): &(String, Option<[f64; 3]>)| {
        let mut fields = shape.fields.clone();
        if let Some(c) = colour {
            fields.entries_mut().retain(|e| e.key != "colour");
            fields.push("colour", span, numbers(span, c));
        }
        if n > 1 {
            fields.put("material", span, material.as_str());
        }
        UrdfShape { fields, ..shape }
    };
    let shapes: Vec<UrdfShape> = materials.iter().map(of).collect();
    Ok(if shapes.is_empty() { vec![shape] } else { shapes })
}

/// The colour of a visual: that of its material element, or that of the material it names.
fn shape_colour(m: Element, shape: &mut UrdfShape, colours: &HashMap<&str, [f64; 3]>, values: &mut Values) {
    let given = colour(m, values);
    let named = m.attr("name").filter(|n| !n.value.is_empty());
    let of_name = || named.and_then(|n| Some((*colours.get(n.value)?, n.span)));
    match (given.or_else(of_name), named) {
        (Some((c, span)), _) => shape.fields.push("colour", span, numbers(span, &c)),
        (None, Some(name)) if !m.children().any(|c| c.name() == "texture") => {
            let message = format!("the material `{}` has no colour", shown(name.value));
            values.ignored(name.span, message, "shown in the colour of its place in the list");
        }
        _ => {}
    }
}

fn mass(inertial: Element, link: &mut UrdfLink, values: &mut Values) {
    let (frame, _) = pose(inertial, values);
    let Some(m) = inertial.child("mass") else {
        values.missing(inertial, "<mass>");
        return;
    };
    let Some(attr) = values.required(m, "value") else { return };
    let Some(mass) = values.number(attr, "mass") else { return };
    link.mass_span = attr.span;
    let mut moments = [0.0; 6];
    let inertia = inertial.child("inertia");
    match inertia {
        Some(i) => {
            link.inertia_span = i.span();
            for (k, name) in ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].into_iter().enumerate() {
                let Some(x) = values.required(i, name).and_then(|a| values.number(a, name)) else { return };
                moments[k] = x;
            }
        }
        None => values.missing(inertial, "<inertia>"),
    }
    if mass < 0.0 {
        let label = format!("{mass} kg, must be greater than 0");
        values.error(codes::OUT_OF_RANGE, attr.span, "`mass` is out of range", label);
        return;
    }
    let [xx, yy, zz, xy, xz, yz] = moments;
    let inertia = Mat3::from_cols(vec3(xx, xy, xz), vec3(xy, yy, yz), vec3(xz, yz, zz));
    link.mass = Some(Mass { mass, centre: Vec3::ZERO, inertia }.placed(&frame));
}

/// Geometry of a visual or a collision.
fn shape(e: Element, values: &mut Values, files: &mut Files) -> Option<UrdfShape> {
    // visuals and collisions have names that nothing refers to
    e.attr("name");
    let (pose, pose_span) = pose(e, values);
    let Some(geometry) = e.child("geometry") else {
        values.missing(e, "<geometry>");
        return None;
    };
    let known = ["box", "sphere", "cylinder", "capsule", "mesh"];
    let Some(g) = geometry.children().find(|g| known.contains(&g.name())) else {
        let label = "known: box, sphere, cylinder, capsule, mesh";
        values.ignored(geometry.span(), "the geometry has no shape that is known", label);
        geometry.take_whole();
        return None;
    };
    g.take();
    let span = g.span();
    let mut fields = DocTable::new();
    fields.put("kind", g.name_span(), g.name());
    match g.name() {
        "box" => {
            let size = values.required(g, "size")?;
            let all = values.numbers::<3>(size, "size")?;
            values.sizes(size.span, &all)?;
            fields.push("size", size.span, numbers(size.span, &all));
        }
        "mesh" => {
            let file = values.required(g, "filename")?;
            if let Some(scale) = g.attr("scale") {
                let all = values.numbers::<3>(scale, "scale")?;
                fields.push("scale", scale.span, numbers(scale.span, &all));
            }
            let path = match files.find(file.value) {
                Ok(path) => path,
                Err(why) => {
                    let message = format!("the mesh `{}` is not shown", shown(file.value));
                    values.ignored(file.span, message, why);
                    return None;
                }
            };
            fields.put("file", file.span, path);
        }
        round => {
            let lengths: &[&str] = if round == "sphere" { &["radius"] } else { &["radius", "length"] };
            for name in lengths {
                let attr = values.required(g, name)?;
                let x = values.number(attr, name)?;
                values.sizes(attr.span, &[x])?;
                fields.put(*name, attr.span, x);
            }
        }
    }
    fields.put("massless", span, true);
    Some(UrdfShape { pose, pose_span, fields, span })
}

fn joint(e: Element, name: Attr, links: &HashMap<&str, usize>, values: &mut Values) -> Option<UrdfJoint> {
    let before = values.enter(format!("joint/{}", shown(name.value)));
    let joint = joint_inside(e, name, links, values);
    values.leave(before);
    joint
}

fn joint_inside(e: Element, name: Attr, links: &HashMap<&str, usize>, values: &mut Values) -> Option<UrdfJoint> {
    let ty = joint_type(e, values)?;
    let (parent, child) = (joint_end(e, "parent", links, values), joint_end(e, "child", links, values));
    let ((parent, _), (child, child_span)) = (parent?, child?);
    if parent == child {
        values.error(codes::SELF_JOINT, child_span, "the joint joins a link to itself", "the same link as the parent");
        return None;
    }
    let (pose, pose_span) = pose(e, values);
    let (axis, axis_span) = axis(e, ty, values)?;
    let (limits, effort) = limit(e, ty, values);
    let dynamics = e.child("dynamics");
    let mut resistance = |name, unit| match dynamics.and_then(|d| d.attr(name)) {
        Some(attr) => resistance(attr, name, unit, ty, values),
        None => Some(None),
    };
    let damping = resistance("damping", "N s/m or N m s/rad")?;
    let friction = resistance("friction", "N or N m")?;
    let mimic = match e.child("mimic") {
        Some(m) => mimic(m, ty, values)?,
        None => None,
    };
    let (name, span) = (name.value.to_string(), name.span);
    Some(UrdfJoint {
        name,
        span,
        ty,
        parent,
        child,
        child_span,
        pose,
        pose_span,
        axis,
        axis_span,
        damping,
        friction,
        limits,
        effort,
        mimic,
    })
}

fn joint_type(e: Element, values: &mut Values) -> Option<UrdfJointType> {
    let attr = values.required(e, "type")?;
    let found = UrdfJointType::ALL.iter().find(|t| t.0 == attr.value);
    if found.is_none() {
        let names = UrdfJointType::ALL.map(|t| t.0);
        let d = Diagnostic::unknown(codes::UNKNOWN_KIND, "joint of type", attr.value, names);
        values.complain(d.at(attr.span).help(format!("known: {}", names.join(", "))));
    }
    found.map(|t| t.1)
}

/// The link that `<parent>` or `<child>` names: its number, and where it is named.
fn joint_end(e: Element, which: &str, links: &HashMap<&str, usize>, values: &mut Values) -> Option<(usize, Span)> {
    let Some(end) = e.child(which) else {
        values.missing(e, &format!("<{which}>"));
        return None;
    };
    let link = values.required(end, "link")?;
    let found = links.get(link.value);
    if found.is_none() {
        values.unknown("link", link.value, link.span, || {
            // in the order of the links, so that the nearest of them does not depend on a hash
            let mut all: Vec<_> = links.iter().map(|(name, i)| (*i, *name)).collect();
            all.sort_unstable();
            all.into_iter().map(|(_, name)| name)
        });
    }
    found.map(|&index| (index, link.span))
}

/// The unit axis of a joint, x where none is given, and where it stands.
fn axis(e: Element, ty: UrdfJointType, values: &mut Values) -> Option<(Vec3, Span)> {
    let Some(xyz) = e.child("axis").and_then(|a| a.attr("xyz")) else { return Some((Vec3::X, e.span())) };
    let axis = Vec3::from(values.numbers::<3>(xyz, "axis")?);
    let length = axis.length();
    // many files give fixed joints an axis of zeros
    if !(length > 1e-12) && ty.has_axis() {
        let d = Diagnostic::error(codes::ZERO_DIRECTION, "the axis of the joint has zero length").at(xyz.span);
        let d = d.label(format!("length {length}, must be greater than 1e-12"));
        values.complain(d.help("for a hinge about the vertical write  <axis xyz=\"0 0 1\"/>"));
        return None;
    }
    Some((axis / length, xyz.span))
}

/// Damping or dry friction of a joint; the inner option is empty where it is zero or cannot be used.
fn resistance(attr: Attr, name: &str, unit: &str, ty: UrdfJointType, values: &mut Values) -> Option<Given<f64>> {
    let x = values.number(attr, name)?;
    if x < 0.0 {
        let label = format!("{x}, must be 0 or greater ({unit})");
        values.error(codes::OUT_OF_RANGE, attr.span, format!("`{name}` is out of range"), label);
    } else if x > 0.0 && !ty.has_single_coordinate() {
        values.ignored(attr.span, format!("`{name}` is not used"), no_single_coordinate(ty));
    }
    Some((x > 0.0 && ty.has_single_coordinate()).then_some((x, attr.span)))
}

fn no_single_coordinate(ty: UrdfJointType) -> String {
    format!("a joint of type {} has no single coordinate", ty.name())
}

fn mimic(m: Element, ty: UrdfJointType, values: &mut Values) -> Option<Option<Mimic>> {
    if !ty.has_single_coordinate() {
        values.ignored(m.span(), "<mimic> is not used", no_single_coordinate(ty));
        m.take_whole();
        return Some(None);
    }
    let joint = values.required(m, "joint")?;
    let mut number = |name: &str, default: f64| match m.attr(name) {
        Some(a) => values.number(a, name),
        None => Some(default),
    };
    let (multiplier, offset) = (number("multiplier", 1.0)?, number("offset", 0.0)?);
    Some(Some(Mimic { joint: joint.value.to_string(), span: joint.span, multiplier, offset }))
}

/// A value that may be given, and where it stands.
type Given<T> = Option<(T, Span)>;

/// Bounds of the coordinate, and the largest force or torque of its drives. What cannot be enforced is reported.
fn limit(e: Element, ty: UrdfJointType, values: &mut Values) -> (Given<[f64; 2]>, Given<f64>) {
    let Some(limit) = e.child("limit") else { return (None, None) };
    let (place, push) = if ty == UrdfJointType::Prismatic { ("m", "N") } else { ("rad", "N m") };
    let mut read = |name: &str| {
        let attr = limit.attr(name)?;
        // "inf" means that there is no limit
        let x = match attr.value.trim().parse::<f64>() {
            Ok(x) if x.is_infinite() => x,
            _ => values.number(attr, name)?,
        };
        Some((x, attr.span))
    };
    let (lower, upper, effort, velocity) = (read("lower"), read("upper"), read("effort"), read("velocity"));
    let single = ty.has_single_coordinate();
    if let Some((x, span)) = velocity.filter(|v| v.0.is_finite() && v.0 != 0.0 && single) {
        values.ignored(span, "the `velocity` of the limits is not enforced", format!("{x} {place}/s"));
    }
    let given = lower.or(upper).or(effort).filter(|s| s.0.is_finite() && s.0 != 0.0);
    if given.is_some() && !single && !matches!(ty, UrdfJointType::Fixed | UrdfJointType::Floating) {
        values.ignored(limit.span(), "the limits are not used", no_single_coordinate(ty));
    }
    if !single {
        return (None, None);
    }
    let effort = match effort {
        // written by exporters that know no effort
        Some((x, span)) if x <= 0.0 => {
            values.ignored(span, "the `effort` of the limits counts as not given", format!("{x} {push}"));
            None
        }
        effort => effort.filter(|e| e.0.is_finite()),
    };
    // the standard has 0 for a bound that is not given; where neither is, there is none
    let bounds = [lower, upper].map(|b| b.map_or(0.0, |b| b.0));
    let span = lower.or(upper).map(|b| b.1);
    let free = bounds == [f64::NEG_INFINITY, f64::INFINITY];
    let limits = span.filter(|_| ty != UrdfJointType::Continuous && !free).map(|span| (bounds, span));
    match limits {
        Some(([l, u], span)) if !(l < u) => {
            let label = format!("{l} to {u} {place}: the first must be less");
            values.ignored(span, "the limits of the joint are not enforced", label);
            (None, effort)
        }
        _ => (limits, effort),
    }
}

//! What a URDF says: links with mass and shapes, joints between them. Read from XML, checked element by element, nothing placed yet.

use super::files::Files;
use super::values::{Values, list, pose};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{Node, Table, numbers};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::math::{Mat3, Vec3, vec3};
use std::collections::HashMap;

/// A robot.
#[derive(Default)]
pub struct Robot {
    /// Its name, and where it stands.
    pub name: Option<(String, Span)>,
    /// Its links in the order they are written.
    pub links: Vec<Link>,
    /// Its joints in the order they are written.
    pub joints: Vec<Joint>,
}

/// A link.
pub struct Link {
    /// Its name as written.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Mass in the link's frame; none where the file gives none. It may be 0, with an inertia or without.
    pub mass: Option<Mass>,
    /// Where mass and inertia stand.
    pub mass_span: Span,
    /// Where the inertia stands.
    pub inertia_span: Span,
    /// What it looks like and touches with.
    pub shapes: Vec<Shape>,
}

/// A shape on a link: a table of the scene language that lacks its place.
pub struct Shape {
    /// Where it is on the link.
    pub pose: Pose,
    /// Where that stands.
    pub pose_span: Span,
    /// The other fields.
    pub fields: Table,
    /// The element it came from.
    pub span: Span,
}

/// What a joint lets move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Nothing.
    Fixed,
    /// A turn about the axis.
    Turn,
    /// A way along the axis.
    Slide,
    /// A plane across the axis.
    Plane,
    /// All turns about a point: not in the standard, but in use.
    Ball,
    /// Everything.
    Free,
}

const TYPES: [(&str, Freedom); 7] = [
    ("revolute", Freedom::Turn),
    ("continuous", Freedom::Turn),
    ("prismatic", Freedom::Slide),
    ("fixed", Freedom::Fixed),
    ("planar", Freedom::Plane),
    ("floating", Freedom::Free),
    ("spherical", Freedom::Ball),
];

/// A joint.
pub struct Joint {
    /// Its name as written.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// What it lets move.
    pub freedom: Freedom,
    /// Number of the parent link.
    pub parent: usize,
    /// Number of the child link.
    pub child: usize,
    /// Where the child is named.
    pub child_span: Span,
    /// Frame of the child in that of the parent, at zero.
    pub pose: Pose,
    /// Where that stands.
    pub pose_span: Span,
    /// Unit axis in the frame of the child.
    pub axis: Vec3,
    /// Where that stands.
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
    /// Where it stands.
    pub span: Span,
    /// m or rad per m or rad.
    pub multiplier: f64,
    /// m or rad.
    pub offset: f64,
}

/// Read all of it. Mistakes go to the report.
pub fn read(root: Element, values: &mut Values, files: &mut Files) -> Robot {
    let mut robot = Robot { name: root.attr("name").map(|a| (a.value.to_string(), a.span)), ..Robot::default() };
    // say what the file is, not what the robot is
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
            && let Some(rgba) = c.peek("rgba").and_then(|a| list::<4>(a.value).ok())
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

fn link(e: Element, name: Attr, colours: &HashMap<&str, [f64; 3]>, values: &mut Values, files: &mut Files) -> Link {
    let mut link = Link {
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
    for v in e.children_named("visual") {
        // visuals and collisions have names that nothing refers to
        v.attr("name");
        if let Some(mut shape) = shape(v, values, files) {
            if let Some(m) = v.child("material") {
                let given = colour(m, values);
                let named = m.attr("name").filter(|n| !n.value.is_empty());
                match (given, named) {
                    (Some((c, span)), _) => shape.fields.push("colour", span, numbers(span, &c)),
                    (None, Some(n)) => match colours.get(n.value) {
                        Some(c) => shape.fields.push("colour", n.span, numbers(n.span, c)),
                        None if m.children().any(|c| c.name() == "texture") => {}
                        None => {
                            let message = format!("the material `{}` has no colour", shown(n.value));
                            values.ignored(n.span, message, "shown in the colour of its place in the list");
                        }
                    },
                    (None, None) => {}
                }
            }
            shape.fields.push("collides", shape.span, Node::new(shape.span, false));
            link.shapes.push(shape);
        }
    }
    for c in e.children_named("collision") {
        c.attr("name");
        if let Some(mut shape) = shape(c, values, files) {
            shape.fields.push("hidden", shape.span, Node::new(shape.span, true));
            link.shapes.push(shape);
        }
    }
    values.leave(before);
    link
}

fn mass(inertial: Element, link: &mut Link, values: &mut Values) {
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
fn shape(e: Element, values: &mut Values, files: &mut Files) -> Option<Shape> {
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
    let mut fields = Table::new();
    let mut text = |key: &str, span, value: &str| fields.push(key, span, Node::new(span, value));
    text("kind", g.name_span(), g.name());
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
            fields.push("file", file.span, Node::new(file.span, path));
        }
        round => {
            let lengths: &[&str] = if round == "sphere" { &["radius"] } else { &["radius", "length"] };
            for name in lengths {
                let attr = values.required(g, name)?;
                let x = values.number(attr, name)?;
                values.sizes(attr.span, &[x])?;
                fields.push(*name, attr.span, Node::new(attr.span, x));
            }
        }
    }
    fields.push("massless", span, Node::new(span, true));
    Some(Shape { pose, pose_span, fields, span })
}

fn joint(e: Element, name: Attr, links: &HashMap<&str, usize>, values: &mut Values) -> Option<Joint> {
    let before = values.enter(format!("joint/{}", shown(name.value)));
    let made = joint_inside(e, name, links, values);
    values.leave(before);
    made
}

fn joint_inside(e: Element, name: Attr, links: &HashMap<&str, usize>, values: &mut Values) -> Option<Joint> {
    let ty = values.required(e, "type")?;
    let Some((_, freedom)) = TYPES.iter().find(|t| t.0 == ty.value) else {
        let d = Diagnostic::error(codes::UNKNOWN_KIND, format!("there is no joint of type `{}`", shown(ty.value)));
        let d = match nearest(ty.value, TYPES.iter().map(|t| t.0)) {
            Some(near) => d.label(format!("did you mean `{near}`?")),
            None => d.label("not known"),
        };
        let names: Vec<_> = TYPES.iter().map(|t| t.0).collect();
        values.complain(d.at(ty.span).help(format!("known: {}", names.join(", "))));
        return None;
    };
    let mut side = |which: &str| {
        let Some(side) = e.child(which) else {
            values.missing(e, &format!("<{which}>"));
            return None;
        };
        let link = values.required(side, "link")?;
        let Some(&index) = links.get(link.value) else {
            let message = format!("there is no link `{}`", shown(link.value));
            let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, message).at(link.span);
            let names = if values.hints() { links_in_order(links) } else { Vec::new() };
            values.complain(match nearest(link.value, names) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            });
            return None;
        };
        Some((index, link.span))
    };
    let (parent, child) = (side("parent"), side("child"));
    let ((parent, _), (child, child_span)) = (parent?, child?);
    if parent == child {
        values.error(codes::SELF_JOINT, child_span, "the joint joins a link to itself", "the same link as the parent");
        return None;
    }
    let (pose, pose_span) = pose(e, values);
    let (mut axis, mut axis_span) = (Vec3::X, e.span());
    if let Some(a) = e.child("axis")
        && let Some(xyz) = a.attr("xyz")
    {
        let [x, y, z] = values.numbers::<3>(xyz, "axis")?;
        (axis, axis_span) = (vec3(x, y, z), xyz.span);
        let length = axis.length();
        // a fixed joint turns about nothing, and many files say so with an axis of zeros
        if !(length > 1e-12) && !matches!(freedom, Freedom::Fixed | Freedom::Free | Freedom::Ball) {
            let d = Diagnostic::error(codes::ZERO_DIRECTION, "the axis of the joint has zero length").at(axis_span);
            let d = d.label(format!("length {length}, must be greater than 1e-12"));
            values.complain(d.help("for a hinge about the vertical write  <axis xyz=\"0 0 1\"/>"));
            return None;
        }
        axis /= length;
    }
    let (limits, effort) = limit(e, *freedom, ty.value, values);
    let (mut damping, mut friction) = (None, None);
    if let Some(d) = e.child("dynamics") {
        let moves = matches!(freedom, Freedom::Turn | Freedom::Slide);
        if let Some(attr) = d.attr("damping") {
            let x = values.number(attr, "damping")?;
            if x < 0.0 {
                let label = format!("{x}, must be 0 or greater (N s/m or N m s/rad)");
                values.error(codes::OUT_OF_RANGE, attr.span, "`damping` is out of range", label);
            } else if moves && x > 0.0 {
                damping = Some((x, attr.span));
            } else if x > 0.0 {
                let label = format!("a joint of type {} has no single coordinate", ty.value);
                values.ignored(attr.span, "`damping` is not used", label);
            }
        }
        if let Some(attr) = d.attr("friction") {
            let x = values.number(attr, "friction")?;
            if x < 0.0 {
                let label = format!("{x}, must be 0 or greater (N or N m)");
                values.error(codes::OUT_OF_RANGE, attr.span, "`friction` is out of range", label);
            } else if moves && x > 0.0 {
                friction = Some((x, attr.span));
            } else if x > 0.0 {
                let label = format!("a joint of type {} has no single coordinate", ty.value);
                values.ignored(attr.span, "`friction` is not used", label);
            }
        }
    }
    let mimic = match e.child("mimic") {
        Some(m) if matches!(freedom, Freedom::Turn | Freedom::Slide) => {
            let other = values.required(m, "joint")?;
            let mut number = |name: &str, otherwise: f64| match m.attr(name) {
                Some(a) => values.number(a, name),
                None => Some(otherwise),
            };
            let (multiplier, offset) = (number("multiplier", 1.0)?, number("offset", 0.0)?);
            Some(Mimic { joint: other.value.to_string(), span: other.span, multiplier, offset })
        }
        Some(m) => {
            let label = format!("a joint of type {} has no single coordinate", ty.value);
            values.ignored(m.span(), "<mimic> is not used", label);
            m.take_whole();
            None
        }
        None => None,
    };
    Some(Joint {
        name: name.value.to_string(),
        span: name.span,
        freedom: *freedom,
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

/// Names in the order of the links, so that the nearest of them does not depend on a hash.
fn links_in_order<'a>(links: &HashMap<&'a str, usize>) -> Vec<&'a str> {
    let mut all: Vec<_> = links.iter().map(|(name, i)| (*i, *name)).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, name)| name).collect()
}

/// A number and where it stands.
type Said<T> = Option<(T, Span)>;

/// Bounds of the coordinate, and the largest force or torque of its drives. What cannot be enforced is said.
fn limit(e: Element, freedom: Freedom, ty: &str, values: &mut Values) -> (Said<[f64; 2]>, Said<f64>) {
    let Some(limit) = e.child("limit") else { return (None, None) };
    let (place, push) = if freedom == Freedom::Slide { ("m", "N") } else { ("rad", "N m") };
    let mut read = |name: &str| {
        let attr = limit.attr(name)?;
        // "inf" is a way to say that there is no limit
        let x = match attr.value.trim().parse::<f64>() {
            Ok(x) if x.is_infinite() => x,
            _ => values.number(attr, name)?,
        };
        Some((x, attr.span))
    };
    let (lower, upper, effort, velocity) = (read("lower"), read("upper"), read("effort"), read("velocity"));
    let single = matches!(freedom, Freedom::Turn | Freedom::Slide);
    if let Some((x, span)) = velocity.filter(|v| v.0.is_finite() && v.0 != 0.0 && single) {
        values.ignored(span, "the `velocity` of the limits is not enforced", format!("{x} {place}/s"));
    }
    let said = lower.or(upper).or(effort).filter(|s| s.0.is_finite() && s.0 != 0.0);
    if let (Some(_), false, false) = (said, single, matches!(freedom, Freedom::Fixed | Freedom::Free)) {
        values.ignored(
            limit.span(),
            "the limits are not used",
            format!("a joint of type {ty} has no single coordinate"),
        );
    }
    if !single {
        return (None, None);
    }
    let effort = match effort {
        // a habit of those who know no effort
        Some((x, span)) if x <= 0.0 => {
            values.ignored(span, "the `effort` of the limits counts as not said", format!("{x} {push}"));
            None
        }
        effort => effort.filter(|e| e.0.is_finite()),
    };
    // the standard has 0 for a bound that is not said; where neither is, none is meant
    let bounds = [lower, upper].map(|b| b.map_or(0.0, |b| b.0));
    let span = lower.or(upper).map(|b| b.1);
    let free = bounds == [f64::NEG_INFINITY, f64::INFINITY];
    let limits = span.filter(|_| ty != "continuous" && !free).map(|span| (bounds, span));
    match limits {
        Some(([l, u], span)) if !(l < u) => {
            let label = format!("{l} to {u} {place}: the first must be less");
            values.ignored(span, "the limits of the joint are not enforced", label);
            (None, effort)
        }
        _ => (limits, effort),
    }
}

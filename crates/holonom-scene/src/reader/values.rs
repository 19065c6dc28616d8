//! Single values: numbers and expressions, text, lists, vectors, rotations, points on bodies, coordinates, functions.

use super::Reader;
use crate::codes;
use crate::diagnostic::{Diagnostic, nearest};
use crate::expression::{self, Expression, ExpressionError};
use crate::fields::*;
use crate::formula::{FormulaNames, read_formula, with_locals};
use crate::limits::Limits;
use crate::node::{DocNode, Value};
use crate::source::Span;
use holonom::math::{Mat3, Quat, Vec3, exp_quat, quat_from_axes, vec3};
use std::sync::Arc;

/// An error of an expression that begins at byte `from` of a text value.
pub fn place(e: &ExpressionError, node: &DocNode, from: usize) -> Span {
    // one more for the quote; exact as long as the text holds no escapes
    let start = node.span.start as usize + 1 + from;
    let (a, b) = (start + e.at.start, start + e.at.end.max(e.at.start + 1));
    if b <= node.span.end as usize { Span::new(node.span.file, a..b) } else { node.span }
}

impl Reader<'_> {
    /// Is an expression too long to be read? Then that was said.
    pub(super) fn too_long(&mut self, node: &DocNode, text: &str) -> bool {
        let (n, most) = (text.len() as u64, expression::LONGEST as u64);
        let Err(mut d) = Limits::check(codes::TOO_LARGE_VALUE, "characters of an expression", n, most, "values") else {
            return false;
        };
        // no flag changes it
        d.notes.clear();
        self.complain(d.at(node.span));
        true
    }

    pub(super) fn expression(&mut self, node: &DocNode, text: &str, from: usize, field: &str) -> Option<f64> {
        if self.too_long(node, text) {
            return None;
        }
        let names = &self.names;
        match Expression::read(text, "", &|n| names.get(n)) {
            Ok(e) if e.value().is_finite() => Some(e.value()),
            Ok(e) => self.no_value(node, field, text, e.value()),
            Err(e) => {
                let span = place(&e, node, from);
                self.bad_expression(&e, span);
                None
            }
        }
    }

    /// Say that an expression has no finite value.
    fn no_value<T>(&mut self, node: &DocNode, field: &str, text: &str, value: f64) -> Option<T> {
        let message = format!("the expression in `{field}` has no finite value");
        self.error(codes::EXPRESSION_VALUE, node.span, message, format!("{} = {value}", text.trim()));
        None
    }

    pub(super) fn bad_expression(&mut self, e: &ExpressionError, span: Span) {
        let code = if e.unknown.is_some() { codes::UNKNOWN_PARAMETER } else { codes::EXPRESSION_SYNTAX };
        let mut d = Diagnostic::error(code, e.message.clone()).at(span);
        if let Some(name) = &e.unknown {
            let known = self.names.params.keys().map(String::as_str).chain(self.names.locals.iter().map(|l| &*l.0));
            d = match nearest(name, known) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.help(format!("add it:  [params]  {name} = 1.0")),
            };
        }
        self.complain(d);
    }

    /// A number: as it stands, or from an expression in `${}`.
    pub fn number(&mut self, node: &DocNode, field: &str) -> Option<f64> {
        let value = match &node.value {
            Value::Integer(i) => *i as f64,
            Value::Number(x) => *x,
            Value::Text(text) => {
                let trimmed = text.trim();
                let Some(inner) =
                    trimmed.strip_prefix("${").and_then(|t| t.strip_suffix('}')).filter(|t| !t.contains("${"))
                else {
                    self.wrong_type(node, field, "a number");
                    return None;
                };
                let from = text.find("${").unwrap_or(0) + 2;
                return self.expression(node, inner, from, field);
            }
            _ => {
                self.wrong_type(node, field, "a number");
                return None;
            }
        };
        if !value.is_finite() {
            self.error(
                codes::NOT_FINITE,
                node.span,
                format!("`{field}` is not finite"),
                format!("{value}, must be a finite number"),
            );
            return None;
        }
        Some(value)
    }

    pub(super) fn checked_number(&mut self, node: &DocNode, field: &str, allowed: Allowed, unit: &str) -> Option<f64> {
        let x = self.number(node, field)?;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let (fine, must) = match allowed {
            Allowed::Any => (true, ""),
            Allowed::Positive => (x > 0.0, "must be greater than 0"),
            Allowed::NotNegative => (x >= 0.0, "must not be negative"),
            Allowed::Fraction => ((0.0..=1.0).contains(&x), "must be from 0 to 1"),
        };
        if !fine {
            self.error(
                codes::OUT_OF_RANGE,
                node.span,
                format!("`{field}` is out of range"),
                format!("{x}{unit}, {must}"),
            );
            return None;
        }
        Some(x)
    }

    /// Bounds: one pair, or a list of them.
    pub(super) fn intervals(&mut self, node: &DocNode, field: &str, unit: &str) -> Option<Val> {
        let list = self.list(node, field)?;
        let one = !list.is_empty() && list.iter().all(|x| x.as_list().is_none());
        let pairs: Vec<&DocNode> = if one { vec![node] } else { list.iter().collect() };
        let read = pairs.into_iter().map(|pair| Some((Val::Numbers(self.interval(pair, field, unit)?), pair.span)));
        Some(Val::List(read.collect::<Option<Vec<_>>>()?.into()))
    }

    /// A lower and an upper bound; nothing for an empty list.
    fn interval(&mut self, node: &DocNode, field: &str, unit: &str) -> Option<Box<[f64]>> {
        let list = self.list(node, field)?;
        let mut bounds = Vec::new();
        for x in list {
            bounds.push(match x.value {
                Value::Number(x) if x.is_infinite() => x,
                _ => self.number(x, field)?,
            });
        }
        let wrong = match bounds[..] {
            [] => return Some([].into()),
            [lower, upper] if lower < upper => return Some([lower, upper].into()),
            [lower, upper] => (codes::OUT_OF_RANGE, format!("{lower} and {upper} {unit}, the first must be less")),
            _ => (codes::WRONG_LENGTH, format!("{} elements, must be [lower, upper]", bounds.len())),
        };
        let message = match wrong.0 == codes::OUT_OF_RANGE {
            true => format!("`{field}` is out of range"),
            false => format!("`{field}` must have 2 elements, or be a list of such pairs"),
        };
        let d = Diagnostic::error(wrong.0, message).at(node.span).label(wrong.1);
        self.complain(
            d.help("angles are in rad:  limits = [\"${-90*deg}\", \"${90*deg}\"]; `-inf` and `inf` are no bounds"),
        );
        None
    }

    /// A whole number in a range.
    pub fn integer(&mut self, node: &DocNode, field: &str, from: i64, to: i64) -> Option<i64> {
        let x = match node.value {
            Value::Integer(i) => i as f64,
            _ => self.number(node, field)?,
        };
        let bounds = if to == i64::MAX { format!("at least {from}") } else { format!("from {from} to {to}") };
        if x != libm::trunc(x) {
            self.error(codes::WRONG_TYPE, node.span, format!("`{field}` must be a whole number"), format!("{x}"));
            return None;
        }
        if !(x >= from as f64 && x <= to as f64) {
            self.error(
                codes::OUT_OF_RANGE,
                node.span,
                format!("`{field}` is out of range"),
                format!("{x}, must be {bounds}"),
            );
            return None;
        }
        Some(x as i64)
    }

    /// Text, with the `${}` in it replaced by values.
    pub fn text(&mut self, node: &DocNode, field: &str) -> Option<String> {
        let Value::Text(text) = &node.value else {
            self.wrong_type(node, field, "text");
            return None;
        };
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find("${") {
            out.push_str(&rest[..start]);
            let Some(length) = rest[start..].find('}') else {
                self.error(codes::EXPRESSION_SYNTAX, node.span, "`${` without its closing brace", "here");
                return None;
            };
            let from = text.len() - rest.len() + start + 2;
            let x = self.expression(node, &rest[start + 2..start + length], from, field)?;
            out.push_str(&format!("{x}"));
            rest = &rest[start + length + 1..];
        }
        out.push_str(rest);
        Some(out)
    }

    pub(super) fn flag(&mut self, node: &DocNode, field: &str) -> Option<bool> {
        match node.value {
            Value::Flag(x) => Some(x),
            _ => {
                self.wrong_type(node, field, "true or false");
                None
            }
        }
    }

    /// The elements of a list.
    pub fn list<'n>(&mut self, node: &'n DocNode, field: &str) -> Option<&'n [DocNode]> {
        let Some(list) = node.as_list() else {
            self.wrong_type(node, field, "a list");
            return None;
        };
        let what = format!("elements of `{field}`");
        if let Err(d) = Limits::check(codes::TOO_LARGE_VALUE, &what, list.len() as u64, self.limits.values, "values") {
            self.complain(d.at(node.span));
            return None;
        }
        Some(list)
    }

    /// A list of exactly `n` numbers.
    pub fn exactly(&mut self, node: &DocNode, field: &str, n: usize, like: &str) -> Option<Vec<f64>> {
        let Some(list) = node.as_list() else {
            self.wrong_type(node, field, &format!("a list of {n} numbers, e.g. {like}"));
            return None;
        };
        if list.len() != n {
            let message = format!("`{field}` must have {n} elements");
            self.error(codes::WRONG_LENGTH, node.span, message, format!("{} elements, e.g. {like}", list.len()));
            return None;
        }
        let values: Vec<_> = list.iter().map(|x| self.number(x, field)).collect();
        values.into_iter().collect()
    }

    /// Three numbers.
    pub fn vector(&mut self, node: &DocNode, field: &str) -> Option<Vec3> {
        self.exactly(node, field, 3, "[0, 0, 1]").map(|v| vec3(v[0], v[1], v[2]))
    }

    /// Three numbers that point somewhere; of unit length on return.
    pub fn direction(&mut self, node: &DocNode, field: &str) -> Option<Vec3> {
        let v = self.vector(node, field)?;
        let length = v.length();
        if !(length > 1e-12) || !length.is_finite() {
            let d = Diagnostic::error(codes::ZERO_DIRECTION, format!("`{field}` has zero length")).at(node.span);
            let d = d.label(format!("length {length}, must be greater than 1e-12"));
            self.complain(d.help(format!("for the vertical write  {field} = [0, 0, 1]")));
            return None;
        }
        // an axis that is a unit vector already keeps its bits
        Some(if length == 1.0 { v } else { v / length })
    }

    /// A rotation in any of its forms.
    pub fn rotation(&mut self, node: &DocNode, field: &str) -> Option<Quat> {
        let Some(table) = node.as_table() else {
            let q = self.exactly(node, field, 4, "[1, 0, 0, 0], a quaternion (w, x, y, z)")?;
            return self.unit(Quat::from_xyzw(q[1], q[2], q[3], q[0]), node, field);
        };
        let names: Vec<&str> = table.entries().iter().map(|e| e.key.as_str()).collect();
        let get = |name: &str| table.get(name);
        match (names.as_slice(), get("axis"), get("angle"), get("rpy"), get("x"), get("z"), get("quaternion")) {
            (_, Some(axis), Some(angle), None, ..) if names.len() == 2 => {
                let axis = self.direction(axis, "axis");
                let angle = self.number(angle, "angle");
                Some(exp_quat(axis? * angle?))
            }
            (["rpy"], _, _, Some(rpy), ..) => {
                let v = self.exactly(rpy, "rpy", 3, "[0, 0, 1.57]")?;
                Some(from_rpy(v[0], v[1], v[2]))
            }
            (_, None, None, None, Some(x), Some(z), None) if names.len() == 2 => {
                let (x, z) = (self.direction(x, "x"), self.direction(z, "z"));
                let (x, z) = (x?, z?);
                let y = z.cross(x);
                if !(y.length() > 1e-9) {
                    self.error(
                        codes::BAD_ROTATION,
                        node.span,
                        format!("`{field}`: x and z are parallel"),
                        "must not be",
                    );
                    return None;
                }
                let y = y.normalize();
                Some(quat_from_axes(Mat3::from_cols(y.cross(z), y, z)))
            }
            (["quaternion"], .., Some(q)) => self.rotation(q, field),
            _ => {
                let d = Diagnostic::error(codes::WRONG_TYPE, format!("`{field}` is not a rotation that is understood"));
                let d = d.at(node.span).label(format!("has the fields {}", names.join(", ")));
                self.complain(d.help("write  { axis = [0, 0, 1], angle = 0.5 }  or  { rpy = [0, 0, 0.5] }  or  { x = [1, 0, 0], z = [0, 0, 1] }  or  [w, x, y, z]"));
                None
            }
        }
    }

    pub(super) fn unit(&mut self, q: Quat, node: &DocNode, field: &str) -> Option<Quat> {
        let length = q.length();
        if !((length - 1.0).abs() < 1e-3) {
            let label = format!("length {length}, must be 1");
            self.error(codes::BAD_ROTATION, node.span, format!("`{field}` is not a unit quaternion"), label);
            return None;
        }
        Some(if length == 1.0 { q } else { q.normalize() })
    }

    /// A body, or a point on one.
    pub fn point(&mut self, node: &DocNode, field: &str) -> Option<PointRef> {
        if let Some(table) = node.as_table() {
            let record = self.fields(table, node.span, field, &[POINT_FIELDS], None)?;
            let body = body_ref(record.text("body")?);
            let at = record.vector("at").map_or(Where::Unsaid, Where::At);
            return Some(PointRef { body, at });
        }
        let text = self.text(node, field)?;
        let (body, point) = match text.split_once('.') {
            Some((body, point)) => (body, Where::Named(point.into())),
            None => (text.as_str(), Where::Unsaid),
        };
        Some(PointRef { body: body_ref(body), at: point })
    }

    /// A coordinate of a joint.
    pub fn coordinate(&mut self, node: &DocNode, field: &str) -> Option<CoordinateRef> {
        let text = self.text(node, field)?;
        let (joint, index) = match text.split_once('.') {
            Some((joint, index)) => match index.parse::<usize>() {
                Ok(index) => (joint, index),
                Err(_) => {
                    let label = "after the dot: the number of the coordinate, 0 for the first";
                    self.error(codes::UNKNOWN_COORDINATE, node.span, format!("`{text}` is not a coordinate"), label);
                    return None;
                }
            },
            None => (text.as_str(), 0),
        };
        Some(CoordinateRef { joint: joint.into(), index })
    }

    /// A formula over the points and coordinates of the record it stands in. That of a force may use the quantity it
    /// acts along, and its rate.
    pub(super) fn formula(&mut self, node: &DocNode, field: &str, record: &Record) -> Option<Val> {
        let text = self.text(node, field)?;
        let (inner, from) = match text.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')) {
            Some(inner) => (inner, text.find("${").unwrap_or(0) + 2),
            None => (text.as_str(), 0),
        };
        if self.too_long(node, inner) {
            return None;
        }
        let names = |field: &str| record.map(field).iter().map(|(name, ..)| &**name).collect::<Vec<&str>>();
        let (points, coordinates) = (names("points"), names("coordinates"));
        let given: &[&str] = if field == "force" { &["s", "rate"] } else { &[] };
        let known = |name: &str| self.names.get(name);
        let read =
            read_formula(inner, &FormulaNames { points: &points, coordinates: &coordinates, given, known: &known });
        match read {
            Ok(formula) => {
                let local = |name: &str| {
                    let hidden = points.contains(&name) || coordinates.contains(&name) || given.contains(&name);
                    let found = self.names.locals.iter().rev().find(|(n, _)| **n == *name).map(|(_, x)| *x);
                    found.filter(|_| !hidden)
                };
                let written = with_locals(inner, &local);
                Some(Val::Formula(Arc::new(formula), written.into()))
            }
            Err(e) => {
                let code = if e.unknown.is_some() { codes::UNKNOWN_PARAMETER } else { codes::EXPRESSION_SYNTAX };
                let mut d = Diagnostic::error(code, e.message.clone()).at(place(&e, node, from));
                if let Some(name) = &e.unknown {
                    let params = self.names.params.keys().map(String::as_str);
                    let named = points.iter().chain(&coordinates).chain(given).copied().chain(["t"]);
                    d = match nearest(name, named.chain(params)) {
                        Some(near) => d.label(format!("did you mean `{near}`?")),
                        None => d.label("not known here"),
                    };
                    d = d.help(format!("name it in  points = {{ {name} = \"BODY.POINT\" }}  or in  coordinates = {{ {name} = \"JOINT\" }}"));
                }
                self.complain(d);
                None
            }
        }
    }

    /// A function: a number, an expression in its variable, or a table with a kind.
    pub fn function(
        &mut self,
        node: &DocNode,
        field: &str,
        variable: &'static str,
    ) -> Option<Arc<dyn holonom::functions::Function>> {
        // a part of a function has the variable of the whole
        let variable = if variable.is_empty() { self.variable } else { variable };
        let outer = std::mem::replace(&mut self.variable, variable);
        let read = self.function_of(node, field, variable);
        self.variable = outer;
        read
    }

    pub(super) fn function_of(
        &mut self,
        node: &DocNode,
        field: &str,
        variable: &str,
    ) -> Option<Arc<dyn holonom::functions::Function>> {
        match &node.value {
            Value::Text(text) => {
                let (inner, from) = match text.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')) {
                    Some(inner) => (inner, text.find("${").unwrap_or(0) + 2),
                    None => (text.as_str(), 0),
                };
                if self.too_long(node, inner) {
                    return None;
                }
                let names = &self.names;
                match Expression::read(inner, variable, &|n| names.get(n)) {
                    Ok(e) if e.at(0.0).iter().all(|x| x.is_finite()) || !e.is_constant() => Some(Arc::new(e)),
                    Ok(e) => self.no_value(node, field, inner, e.value()),
                    Err(e) => {
                        let span = place(&e, node, from);
                        self.bad_expression(&e, span);
                        None
                    }
                }
            }
            Value::Table(_) => {
                let record = self.kind(node, field, &crate::kinds::FUNCTIONS)?;
                match crate::kinds::function(&record) {
                    Ok(f) => Some(f),
                    Err(d) => {
                        self.complain(*d);
                        None
                    }
                }
            }
            _ => self.number(node, field).map(|x| Arc::new(x) as Arc<dyn holonom::functions::Function>),
        }
    }
}

static POINT_FIELDS: &[Field] = &[
    required("body", Type::Text, "name of the body, or ground"),
    optional("at", POSITION, "not said", "point in the body's own frame"),
];

/// The body of that name.
pub fn body_ref(name: &str) -> BodyRef {
    if name == "ground" { BodyRef::Ground } else { BodyRef::Named(name.into()) }
}

/// Turns about fixed x, then y, then z, rad: the convention of URDF.
pub fn from_rpy(roll: f64, pitch: f64, yaw: f64) -> Quat {
    let about = |axis: Vec3, angle: f64| exp_quat(axis * angle);
    about(Vec3::Z, yaw) * about(Vec3::Y, pitch) * about(Vec3::X, roll)
}

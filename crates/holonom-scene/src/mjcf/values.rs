//! Values of attributes: numbers, words, flags, rotations. An error goes to the report, at the attribute, and the value
//! counts as not given.

use super::Context;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::math::{Mat3, Quat, Vec3, exp_quat, quat_from_axes, vec3};
use std::collections::HashMap;
use std::rc::Rc;

/// The attributes of an element: its own, then the defaults that hold for it.
#[derive(Clone)]
pub struct Attributes<'d> {
    /// The element.
    pub element: Element<'d>,
    /// Those of the defaults, the innermost class before the others.
    pub defaults: Rc<AttributeMap<'d>>,
}

/// Attributes by their names.
pub type AttributeMap<'d> = HashMap<&'d str, Attr<'d>>;

/// The notations of a rotation; they exclude each other.
pub const ROTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl<'d> Attributes<'d> {
    /// Without defaults.
    pub fn plain(element: Element<'d>) -> Self {
        Attributes { element, defaults: Rc::default() }
    }

    /// An attribute; it counts as read.
    pub fn attr(&self, name: &str) -> Option<Attr<'d>> {
        self.element.attr(name).or_else(|| self.defaults.get(name).copied())
    }

    /// The place of the element.
    pub fn span(&self) -> Span {
        self.element.span()
    }

    /// The place of the value of an attribute; that of the element, if there is none.
    pub fn span_of(&self, name: &str) -> Span {
        self.attr(name).map_or(self.span(), |a| a.span)
    }
}

impl<'d> Context<'d, '_> {
    /// Report an error.
    pub fn error(&mut self, code: codes::Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report.push(Diagnostic::error(code, message).at(span).label(label));
    }

    /// Numbers of an attribute, from `least` to `most` of them.
    pub fn numbers(&mut self, a: &Attr<'d>, least: usize, most: usize) -> Option<Vec<f64>> {
        a.numbers(a.name, least..=most).map_err(|d| self.report.push(*d)).ok()
    }

    /// Exactly N numbers of an attribute, if it is there.
    pub fn array<const N: usize>(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<[f64; N]> {
        let a = attrs.attr(name)?;
        self.numbers(&a, N, N)?.try_into().ok()
    }

    /// The first number of an attribute that may have up to `most`.
    pub fn first(&mut self, attrs: &Attributes<'d>, name: &str, most: usize) -> Option<f64> {
        let a = attrs.attr(name)?;
        self.numbers(&a, 1, most)?.first().copied()
    }

    /// Two numbers that are bounds in force: where `limited` says so, or by default where they are given.
    pub fn range(&mut self, attrs: &Attributes<'d>, range: &str, limited: &str) -> Option<[f64; 2]> {
        let v = self.array::<2>(attrs, range);
        let on = match self.word(attrs, limited, &["true", "false", "auto"]) {
            Some("true") => true,
            Some("false") => false,
            _ => self.settings.autolimits && v.is_some(),
        };
        v.filter(|_| on)
    }

    /// One number.
    pub fn number(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<f64> {
        let a = attrs.attr(name)?;
        self.numbers(&a, 1, 1).map(|v| v[0])
    }

    /// One number that must not be negative.
    pub fn not_negative(&mut self, attrs: &Attributes<'d>, name: &str, unit: &str) -> Option<f64> {
        let x = self.number(attrs, name)?;
        if x < 0.0 {
            let span = attrs.span_of(name);
            let label = format!("{x} {unit}, must not be negative").replace("  ", " ");
            self.error(codes::OUT_OF_RANGE, span, format!("`{name}` is out of range"), label);
            return None;
        }
        Some(x)
    }

    /// Three numbers.
    pub fn vector(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<Vec3> {
        self.array::<3>(attrs, name).map(Vec3::from)
    }

    /// Three numbers as a direction of length 1.
    pub fn direction(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<Vec3> {
        let v = self.vector(attrs, name)?;
        self.unit(v, name, attrs.span_of(name))
    }

    fn unit(&mut self, v: Vec3, name: &str, span: Span) -> Option<Vec3> {
        let length = v.length();
        if !(length > 1e-12) || !length.is_finite() {
            let label = format!("length {length}, must be greater than 1e-12");
            self.error(codes::ZERO_DIRECTION, span, format!("`{name}` has zero length"), label);
            return None;
        }
        Some(if length == 1.0 { v } else { v / length })
    }

    /// One of the words given.
    pub fn word(&mut self, attrs: &Attributes<'d>, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let a = attrs.attr(name)?;
        let found = words.iter().find(|w| **w == a.value.trim());
        if found.is_none() {
            let message = format!("`{}` cannot be `{}`", shown(name), shown(a.value));
            let d = Diagnostic::error(codes::UNKNOWN_CHOICE, message).suggest(a.value, words.iter().copied(), "");
            self.report.push(d.at(a.span).help(format!("one of: {}", words.join(", "))));
        }
        found.copied()
    }

    /// True or false.
    pub fn flag(&mut self, attrs: &Attributes<'d>, name: &str) -> Option<bool> {
        self.word(attrs, name, &["true", "false"]).map(|w| w == "true")
    }

    /// An angle of the file in rad.
    pub fn angle(&self, x: f64) -> f64 {
        if self.settings.radian { x } else { x * (std::f64::consts::PI / 180.0) }
    }

    /// Turns about the axes of `eulerseq`, in the file's unit.
    pub fn euler(&self, v: [f64; 3]) -> Quat {
        let mut q = Quat::IDENTITY;
        for (axis, angle) in self.settings.eulerseq.bytes().zip(v) {
            let e = match axis.to_ascii_lowercase() {
                b'x' => Vec3::X,
                b'y' => Vec3::Y,
                _ => Vec3::Z,
            };
            let turn = exp_quat(e * self.angle(angle));
            // small letters: about the axes as they have turned so far; capitals: about fixed ones
            q = if axis.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        q.normalize()
    }

    /// The rotation of an element, in any of the five notations.
    pub fn rotation(&mut self, attrs: &Attributes<'d>) -> Option<Quat> {
        // attributes of the element come before those of its defaults
        let own: Vec<Attr> = ROTATIONS.iter().filter_map(|w| attrs.element.attr(w)).collect();
        let given = match own.is_empty() {
            true => ROTATIONS.iter().filter_map(|w| attrs.defaults.get(w).copied()).collect(),
            false => own,
        };
        if given.is_empty() {
            return None;
        }
        if given.len() > 1 {
            let message = format!("`{}` and `{}` exclude each other", given[0].name, given[1].name);
            self.error(codes::EXCLUSIVE, given[1].name_span, message, "the rotation is given already");
            return None;
        }
        let a = given[0];
        match a.name {
            "quat" => {
                let v = self.numbers(&a, 4, 4)?;
                let q = Quat::from_xyzw(v[1], v[2], v[3], v[0]);
                if !(q.length() > 1e-12) {
                    let label = format!("length {}, must be greater than 1e-12", q.length());
                    self.error(codes::BAD_ROTATION, a.span, "`quat` has zero length", label);
                    return None;
                }
                Some(q.normalize())
            }
            "axisangle" => {
                let v = self.numbers(&a, 4, 4)?;
                let axis = self.unit(vec3(v[0], v[1], v[2]), "axisangle", a.span)?;
                Some(exp_quat(axis * self.angle(v[3])))
            }
            "xyaxes" => {
                let v = self.numbers(&a, 6, 6)?;
                let x = self.unit(vec3(v[0], v[1], v[2]), "xyaxes", a.span)?;
                let y = vec3(v[3], v[4], v[5]);
                let y = self.unit(y - x * x.dot(y), "xyaxes", a.span)?;
                Some(quat_from_axes(Mat3::from_cols(x, y, x.cross(y))).normalize())
            }
            "zaxis" => {
                let v = self.numbers(&a, 3, 3)?;
                Some(towards(self.unit(vec3(v[0], v[1], v[2]), "zaxis", a.span)?))
            }
            _ => {
                let v = self.numbers(&a, 3, 3)?;
                Some(self.euler([v[0], v[1], v[2]]))
            }
        }
    }

    /// Position and rotation of an element.
    pub fn pose(&mut self, attrs: &Attributes<'d>) -> crate::scene::Pose {
        let position = self.vector(attrs, "pos").unwrap_or_default();
        crate::scene::Pose { position, rotation: self.rotation(attrs).unwrap_or_default() }
    }
}

/// The shortest turn that takes z to a direction.
pub fn towards(z: Vec3) -> Quat {
    let axis = Vec3::Z.cross(z);
    let s = axis.length();
    let angle = libm::atan2(s, z.z);
    // straight down: about x, as good as any
    if s < 1e-12 { exp_quat(Vec3::X * angle) } else { exp_quat(axis * (angle / s)) }
}

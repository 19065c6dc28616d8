//! Values of attributes: numbers, words, flags, rotations. A mistake goes to the report, at the attribute, and the value counts as not given.

use super::Context;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::math::{Mat3, Quat, Vec3, exp_quat, quat_from_axes, vec3};
use std::collections::HashMap;
use std::rc::Rc;

/// Where attributes are looked up: the element itself, then the defaults that hold for it.
#[derive(Clone)]
pub struct Look<'d> {
    /// The element.
    pub element: Element<'d>,
    /// What defaults say, the most special class before the others.
    pub defaults: Rc<Said<'d>>,
}

/// Attributes by their names.
pub type Said<'d> = HashMap<&'d str, Attr<'d>>;

/// The ways to say a rotation; they exclude each other.
pub const ROTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl<'d> Look<'d> {
    /// Without defaults.
    pub fn plain(element: Element<'d>) -> Self {
        Look { element, defaults: Rc::default() }
    }

    /// An attribute; it counts as read.
    pub fn attr(&self, name: &str) -> Option<Attr<'d>> {
        self.element.attr(name).or_else(|| self.defaults.get(name).copied())
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.element.span()
    }
}

impl<'d> Context<'d, '_> {
    /// Say what is wrong.
    pub fn error(&mut self, code: codes::Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report.push(Diagnostic::error(code, message).at(span).label(label));
    }

    /// Numbers of an attribute, from `least` to `most` of them.
    pub fn numbers(&mut self, a: &Attr<'d>, least: usize, most: usize) -> Option<Vec<f64>> {
        let words: Vec<&str> = a.value.split_ascii_whitespace().collect();
        if words.len() < least || words.len() > most {
            let wanted = match (least, most) {
                (n, m) if n == m => format!("{n}"),
                (n, usize::MAX) => format!("at least {n}"),
                (n, m) => format!("{n} to {m}"),
            };
            let message = format!("`{}` must have {wanted} numbers", shown(a.name));
            self.error(codes::WRONG_LENGTH, a.span, message, format!("{} given", words.len()));
            return None;
        }
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            // the place of the word itself, where the text has no references in it
            let offset = word.as_ptr() as usize - a.value.as_ptr() as usize;
            let start = a.span.start as usize + offset;
            let whole = (a.span.end - a.span.start) as usize == a.value.len();
            let span = if whole { Span::new(a.span.file, start..start + word.len()) } else { a.span };
            match word.parse::<f64>() {
                Ok(x) if x.is_finite() => out.push(x),
                Ok(x) => {
                    let message = format!("`{}` is not finite", shown(a.name));
                    self.error(codes::NOT_FINITE, span, message, format!("{x}, must be a finite number"));
                    return None;
                }
                Err(_) => {
                    let message = format!("`{}` must be made of numbers", shown(a.name));
                    self.error(codes::WRONG_TYPE, span, message, format!("`{}` is not a number", shown(word)));
                    return None;
                }
            }
        }
        Some(out)
    }

    /// One number.
    pub fn number(&mut self, look: &Look<'d>, name: &str) -> Option<f64> {
        let a = look.attr(name)?;
        self.numbers(&a, 1, 1).map(|v| v[0])
    }

    /// One number that must not be negative.
    pub fn not_negative(&mut self, look: &Look<'d>, name: &str, unit: &str) -> Option<f64> {
        let x = self.number(look, name)?;
        if x < 0.0 {
            let span = look.attr(name).map_or(look.span(), |a| a.span);
            let label = format!("{x} {unit}, must not be negative").replace("  ", " ");
            self.error(codes::OUT_OF_RANGE, span, format!("`{name}` is out of range"), label);
            return None;
        }
        Some(x)
    }

    /// Three numbers.
    pub fn vector(&mut self, look: &Look<'d>, name: &str) -> Option<Vec3> {
        let a = look.attr(name)?;
        self.numbers(&a, 3, 3).map(|v| vec3(v[0], v[1], v[2]))
    }

    /// Three numbers that point somewhere, at length 1.
    pub fn direction(&mut self, look: &Look<'d>, name: &str) -> Option<Vec3> {
        let a = look.attr(name)?;
        let v = self.numbers(&a, 3, 3)?;
        self.unit(vec3(v[0], v[1], v[2]), name, a.span)
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

    /// One of some words.
    pub fn word(&mut self, look: &Look<'d>, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let a = look.attr(name)?;
        let found = words.iter().find(|w| **w == a.value.trim());
        if found.is_none() {
            let d =
                Diagnostic::error(codes::UNKNOWN_CHOICE, format!("`{}` cannot be `{}`", shown(name), shown(a.value)));
            let d = match nearest(a.value, words.iter().copied()) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            };
            self.report.push(d.at(a.span).help(format!("one of: {}", words.join(", "))));
        }
        found.copied()
    }

    /// True or false.
    pub fn flag(&mut self, look: &Look<'d>, name: &str) -> Option<bool> {
        self.word(look, name, &["true", "false"]).map(|w| w == "true")
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

    /// The rotation an element says, in any of the five ways.
    pub fn rotation(&mut self, look: &Look<'d>) -> Option<Quat> {
        // an element's own words come before any default's
        let own: Vec<Attr> = ROTATIONS.iter().filter_map(|w| look.element.attr(w)).collect();
        let given = match own.is_empty() {
            true => ROTATIONS.iter().filter_map(|w| look.defaults.get(w).copied()).collect(),
            false => own,
        };
        if given.is_empty() {
            return None;
        }
        if given.len() > 1 {
            let message = format!("`{}` and `{}` exclude each other", given[0].name, given[1].name);
            self.error(codes::EXCLUSIVE, given[1].name_span, message, "the rotation is said already");
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
    pub fn pose(&mut self, look: &Look<'d>) -> crate::scene::Pose {
        let position = self.vector(look, "pos").unwrap_or_default();
        crate::scene::Pose { position, rotation: self.rotation(look).unwrap_or_default() }
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

//! Numbers, names and poses from XML attributes, and the diagnostics when they are wrong.

use crate::codes::{self, Code};
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, Report, SHOWN};
use crate::reader::from_rpy;
use crate::scene::Pose;
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::math::{Quat, Vec3, vec3};

/// Reads values and reports what is wrong with them.
pub struct Values<'r> {
    report: &'r mut Report,
    path: String,
}

impl<'r> Values<'r> {
    /// With a report for what is wrong.
    pub fn new(report: &'r mut Report) -> Self {
        Values { report, path: String::new() }
    }

    /// What is read from now on belongs to this; gives back what was before.
    pub fn enter(&mut self, path: String) -> String {
        std::mem::replace(&mut self.path, path)
    }

    /// Back to what was before.
    pub fn leave(&mut self, before: String) {
        self.path = before;
    }

    /// An error: there is no such thing. Only the first messages are shown, so that near names are looked for only for
    /// these: a file may hold a million such errors.
    pub fn unknown<'n, I: Iterator<Item = &'n str>>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl FnOnce() -> I,
    ) {
        let known = (self.report.n_errors() < SHOWN).then(known).into_iter().flatten();
        self.complain(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, what, name, known).at(span));
    }

    /// Where all of it goes.
    pub fn report(&mut self) -> &mut Report {
        self.report
    }

    /// Report a diagnostic.
    pub fn complain(&mut self, d: Diagnostic) {
        let d = if d.path.is_empty() { d.path(self.path.clone()) } else { d };
        self.report.push(d);
    }

    /// An error.
    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.complain(Diagnostic::error(code, message).at(span).label(label));
    }

    /// An entry of the import ledger: what has no effect, or not the one it was meant to have, and why.
    pub fn ignored(&mut self, span: Span, message: impl Into<String>, why: impl Into<String>) {
        self.complain(Diagnostic::warning(codes::IGNORED, message).at(span).label(why));
    }

    /// An element lacks something.
    pub fn missing(&mut self, e: Element, what: &str) {
        let message = format!("<{}> has no {what}", shown(e.name()));
        let d = Diagnostic::error(codes::MISSING_FIELD, message).at(e.span()).label(format!("{what} is missing"));
        self.complain(d);
    }

    /// An attribute that must be there.
    pub fn required<'d>(&mut self, e: Element<'d>, name: &str) -> Option<Attr<'d>> {
        let attr = e.attr(name);
        if attr.is_none() {
            self.missing(e, &format!("`{name}`"));
        }
        attr
    }

    /// The name of an element, which must not be empty.
    pub fn name<'d>(&mut self, e: Element<'d>) -> Option<Attr<'d>> {
        let name = self.required(e, "name")?;
        if name.value.is_empty() {
            let label = "must have a character at least";
            self.error(codes::BAD_NAME, name.name_span, format!("the name of the {} is empty", e.name()), label);
            return None;
        }
        Some(name)
    }

    /// Two of one name.
    pub fn twice(&mut self, what: &str, name: Attr) {
        let message = format!("there are two {what}s of the name `{}`", shown(name.value));
        self.error(codes::DUPLICATE, name.span, message, format!("another {what} has it"));
    }

    /// One finite number.
    pub fn number(&mut self, attr: Attr, what: &str) -> Option<f64> {
        self.numbers::<1>(attr, what).map(|x| x[0])
    }

    /// Some finite numbers, separated by blanks.
    pub fn numbers<const N: usize>(&mut self, attr: Attr, what: &str) -> Option<[f64; N]> {
        match attr.numbers(what, N..=N) {
            Ok(all) => all.try_into().ok(),
            Err(d) => {
                self.complain(d.at(attr.span));
                None
            }
        }
    }

    /// Lengths of a shape: an empty one is left out, a negative one is an error.
    pub fn sizes(&mut self, span: Span, all: &[f64]) -> Option<()> {
        if all.iter().any(|x| *x < 0.0) {
            let label = format!("{} m, must be greater than 0", joined(all));
            self.error(codes::OUT_OF_RANGE, span, "a size is out of range", label);
            return None;
        }
        if all.contains(&0.0) {
            self.ignored(span, "the shape has no volume and is left out", format!("{} m", joined(all)));
            return None;
        }
        Some(())
    }
}

fn joined(all: &[f64]) -> String {
    all.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// The `<origin>` of an element: `xyz` (m), and `rpy` (rad; about fixed x, then y, then z) or `quat_xyzw`.
pub fn pose(e: Element, values: &mut Values) -> (Pose, Span) {
    let Some(origin) = e.child("origin") else { return (Pose::IDENTITY, e.span()) };
    let mut three = |name: &str| match origin.attr(name).map(|a| values.numbers::<3>(a, name)) {
        Some(Some([x, y, z])) => vec3(x, y, z),
        _ => Vec3::ZERO,
    };
    let position = three("xyz");
    let rpy = three("rpy");
    let mut rotation = from_rpy(rpy.x, rpy.y, rpy.z);
    if let Some(a) = origin.attr("quat_xyzw")
        && let Some([x, y, z, w]) = values.numbers::<4>(a, "quat_xyzw")
    {
        let q = Quat::from_xyzw(x, y, z, w);
        let length = q.length();
        if !((length - 1.0).abs() < 1e-3) {
            let label = format!("length {length}, must be 1");
            values.error(codes::BAD_ROTATION, a.span, "`quat_xyzw` is not a unit quaternion", label);
        } else {
            rotation = q.normalize();
        }
    }
    (Pose { position, rotation }, origin.span())
}

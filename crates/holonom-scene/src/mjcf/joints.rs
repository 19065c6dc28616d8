//! Joints: what is read of them, and which joint of the engine a set of them is.
//!
//! Several joints on one body act one after the other, the first next to the parent:
//!
//! | set | becomes |
//! |---|---|
//! | hinge; slide; ball; free | revolute; prismatic; spherical; none |
//! | slide, then a hinge about the same direction | cylindrical |
//! | two slides, then a hinge, all perpendicular | planar |
//! | two perpendicular hinges with a point in common | universal |
//! | any other set of up to three hinges with independent axes and three independent slides; slides and a ball | serial |
//! | anything else | several of these, with light bodies between them: the only approximation, and listed in the ledger |
//!
//! The coordinates of the scene are those of the file less their `ref`.

use super::Context;
use super::bodies::BodyIndex;
use super::defaults::ClassId;
use super::tree::Item;
use super::values::Attributes;
use crate::codes;
use crate::confine::shown;
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::{Mat3, Vec3};

/// Which motions a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MjcfJointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

impl MjcfJointKind {
    /// Does it have a coordinate along or about an axis?
    fn has_coordinate(self) -> bool {
        matches!(self, MjcfJointKind::Slide | MjcfJointKind::Hinge)
    }
}

/// A joint of the file.
#[derive(Clone, Debug)]
pub struct MjcfJoint {
    pub name: String,
    pub span: Span,
    pub kind: MjcfJointKind,
    /// In the world, at the reference configuration.
    pub at: Vec3,
    /// In the world, of length 1.
    pub axis: Vec3,
    /// m or rad.
    pub reference: f64,
    pub spring_reference: f64,
    pub stiffness: f64,
    pub damping: f64,
    pub armature: f64,
    /// Bounds of the coordinate, less `ref`: m or rad.
    pub limits: Option<[f64; 2]>,
    /// Dry friction, N or N m.
    pub friction: f64,
}

/// A set of joints as one joint of the scene: its kind, and which of its coordinates each of them is.
pub struct ComposedJoint {
    pub kind: &'static str,
    pub coordinates: Vec<Option<usize>>,
}

impl<'d> Context<'d, '_> {
    /// `<joint>` or `<freejoint>`.
    pub fn joint(&mut self, item: Item<'_, 'd>, body: BodyIndex, frame: &Pose, class: Option<ClassId>, suffix: &str) {
        let free = item.name() == "freejoint";
        let attrs =
            if free { Attributes::plain(item.element().take()) } else { self.attributes(item.element(), class) };
        let word = if free { Some("free") } else { self.word(&attrs, "type", &["free", "ball", "slide", "hinge"]) };
        let kind = match word {
            Some("free") => MjcfJointKind::Free,
            Some("ball") => MjcfJointKind::Ball,
            Some("slide") => MjcfJointKind::Slide,
            Some(_) => MjcfJointKind::Hinge,
            None if attrs.attr("type").is_some() => return,
            None => MjcfJointKind::Hinge,
        };
        let span = attrs.span();
        if let Some((message, label)) = self.refused_joint(kind, body) {
            return self.error(codes::BROKEN_TREE, span, message, label);
        }
        let Some(name) = self.joint_name(&attrs, body, suffix) else { return };
        let place = self.bodies[body].world.then(frame);
        let at = place.point(self.vector(&attrs, "pos").unwrap_or_default());
        let axis = match attrs.attr("axis").filter(|_| kind.has_coordinate()) {
            Some(_) => match self.direction(&attrs, "axis") {
                Some(axis) => axis,
                None => return,
            },
            None => Vec3::Z,
        };
        let angular = |c: &Self, x: f64| if kind == MjcfJointKind::Hinge { c.angle(x) } else { x };
        let reference = self.number(&attrs, "ref").unwrap_or(0.0);
        let spring_reference = self.number(&attrs, "springref").unwrap_or(0.0);
        let (reference, spring_reference) = (angular(self, reference), angular(self, spring_reference));
        let stiffness = attrs.attr("stiffness").and_then(|a| self.linear(&a, "stiffness")).unwrap_or(0.0).max(0.0);
        let damping = attrs.attr("damping").and_then(|a| self.linear(&a, "damping")).unwrap_or(0.0).max(0.0);
        let armature = self.not_negative(&attrs, "armature", "kg m^2 or kg").unwrap_or(0.0);
        if let Some(a) = attrs.attr("springdamper")
            && let Some([time, ratio]) = self.array(&attrs, "springdamper")
            && time > 0.0
            && ratio > 0.0
        {
            let why = "it sets stiffness and damping from the mass that hangs on the joint, which is not done here";
            self.note(a.name_span, "`springdamper` is not used", why);
        }
        let friction = self.dry_friction(&attrs, &name, kind);
        let limits = self.limits_of(&attrs, &name, kind).map(|v| v.map(|x| angular(self, x) - reference));
        let axis = Mat3::from_quat(place.rotation) * axis;
        self.bodies[body].joints.push(MjcfJoint {
            name,
            span,
            kind,
            at,
            axis,
            reference,
            spring_reference,
            stiffness,
            damping,
            armature,
            limits,
            friction,
        });
    }

    /// Why a body cannot have a joint, or one of this kind: message and label.
    fn refused_joint(&self, kind: MjcfJointKind, body: BodyIndex) -> Option<(&'static str, &'static str)> {
        let owner = &self.bodies[body];
        if body == 0 {
            Some(("the world cannot have a joint", "must stand in a <body>"))
        } else if kind == MjcfJointKind::Free && (owner.parent != 0 || !owner.joints.is_empty()) {
            Some(("a free joint must be the only one, on a body of the world", "not here"))
        } else if owner.joints.iter().any(|j| j.kind == MjcfJointKind::Free) {
            Some(("a body with a free joint can have no other", "one too many"))
        } else {
            None
        }
    }

    fn joint_name(&mut self, attrs: &Attributes<'d>, body: BodyIndex, suffix: &str) -> Option<String> {
        let Some(a) = attrs.element.attr("name") else {
            let owner = &self.bodies[body];
            let number = if owner.joints.is_empty() { String::new() } else { (owner.joints.len() + 1).to_string() };
            let name = format!("{}_joint{number}", owner.name);
            return Some(super::free(&mut self.joint_names, name));
        };
        let name = self.name(&format!("{}{suffix}", a.value), a.span);
        if !self.joint_names.insert(name.clone()) {
            let message = format!("there are two joints `{}`", shown(&name));
            self.error(codes::DUPLICATE, a.span, message, "another joint has it");
            return None;
        }
        Some(name)
    }

    /// `frictionloss`, where it is in force, N or N m.
    fn dry_friction(&mut self, attrs: &Attributes<'d>, name: &str, kind: MjcfJointKind) -> f64 {
        let x = self.not_negative(attrs, "frictionloss", "N m or N").unwrap_or(0.0);
        if x == 0.0 || !self.settings.friction {
            return 0.0;
        }
        if !kind.has_coordinate() {
            let at = attrs.attr("frictionloss").map_or(attrs.span(), |a| a.name_span);
            let why = format!("{x} N m or N: only hinges and slides have dry friction here");
            self.note(at, format!("dry friction of joint `{name}` is not used"), why);
            return 0.0;
        }
        x
    }

    /// The first number of an attribute that may hold the coefficients of a polynomial.
    fn linear(&mut self, a: &crate::xml::Attr<'d>, what: &str) -> Option<f64> {
        let v = self.numbers(a, 1, 8)?;
        if v[0] < 0.0 {
            let message = format!("`{what}` is out of range");
            self.error(codes::OUT_OF_RANGE, a.span, message, format!("{}, must not be negative", v[0]));
            return None;
        }
        if v[1..].iter().any(|x| *x != 0.0) {
            self.note(a.name_span, format!("`{what}` counts as linear"), "its higher coefficients are not used");
        }
        Some(v[0])
    }

    /// The range of a joint as it is written, where it is in force.
    fn limits_of(&mut self, attrs: &Attributes<'d>, name: &str, kind: MjcfJointKind) -> Option<[f64; 2]> {
        let range = attrs.attr("range").and_then(|a| self.numbers(&a, 2, 2).map(|v| (v, a)));
        let limited = match self.word(attrs, "limited", &["true", "false", "auto"]) {
            Some("true") => true,
            Some("false") => false,
            _ => self.settings.autolimits && range.as_ref().is_some_and(|(v, _)| v[0] != 0.0 || v[1] != 0.0),
        };
        let (v, a) = range.filter(|_| limited)?;
        if !(v[0] < v[1]) {
            let label = format!("{} to {}, the second must be greater", v[0], v[1]);
            self.error(codes::OUT_OF_RANGE, a.span, "`range` is out of range", label);
            return None;
        }
        if !self.settings.limits {
            return None;
        }
        if !kind.has_coordinate() {
            let why = "only hinges and slides have limits here";
            self.note(a.name_span, format!("the range of joint `{name}` is not enforced"), why);
            return None;
        }
        Some([v[0], v[1]])
    }
}

const SMALL: f64 = 1e-9;

fn perpendicular(a: Vec3, b: Vec3) -> bool {
    a.dot(b).abs() < SMALL
}

/// One joint of the scene for a set of joints; none where there is no exact one.
pub fn compose(joints: &[MjcfJoint]) -> Option<ComposedJoint> {
    use MjcfJointKind::*;
    let one = |kind, coordinates: &[Option<usize>]| Some(ComposedJoint { kind, coordinates: coordinates.to_vec() });
    let scale = joints.iter().map(|j| (j.at - joints[0].at).length()).fold(0.0, f64::max);
    match joints {
        [j] if j.kind == Free => one("free", &[None]),
        [j] if j.kind == Ball => one("spherical", &[None]),
        [j] if j.kind == Slide => one("prismatic", &[Some(0)]),
        [j] if j.kind == Hinge => one("revolute", &[Some(0)]),
        [s, h] if s.kind == Slide && h.kind == Hinge && s.axis.dot(h.axis) > 1.0 - 1e-15 => {
            one("cylindrical", &[Some(0), Some(1)])
        }
        [a, b] if a.kind == Hinge && b.kind == Hinge && perpendicular(a.axis, b.axis) && scale < 1e-15 => {
            one("universal", &[Some(0), Some(1)])
        }
        [s, t, h]
            if s.kind == Slide
                && t.kind == Slide
                && h.kind == Hinge
                && perpendicular(s.axis, t.axis)
                && perpendicular(s.axis, h.axis)
                && perpendicular(t.axis, h.axis) =>
        {
            // x and y of the plane must turn into each other about the hinge
            let right = s.axis.cross(t.axis).dot(h.axis) > 0.0;
            one("planar", if right { &[Some(0), Some(1), Some(2)] } else { &[Some(1), Some(0), Some(2)] })
        }
        _ => {
            let of = |kind| joints.iter().filter(move |j| j.kind == kind).map(|j| j.axis).collect::<Vec<Vec3>>();
            let (hinges, slides, balls) = (of(Hinge), of(Slide), of(Ball).len());
            let independent = |axes: &[Vec3]| match axes {
                [] | [_] => true,
                [a, b] => a.cross(*b).length() > 1e-6,
                [a, b, c] => a.dot(b.cross(*c)).abs() > 1e-6,
                _ => false,
            };
            let fits = balls == 0 || (balls == 1 && hinges.is_empty());
            let frees = joints.iter().any(|j| j.kind == Free);
            if !fits || frees || !independent(&hinges) || !independent(&slides) {
                return None;
            }
            let mut next = 0;
            let coordinates = joints.iter().map(|j| {
                let ball = j.kind == Ball;
                next += usize::from(!ball);
                (!ball).then(|| next - 1)
            });
            Some(ComposedJoint { kind: "serial", coordinates: coordinates.collect() })
        }
    }
}

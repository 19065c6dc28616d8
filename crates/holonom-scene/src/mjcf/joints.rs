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
use super::bodies::BodyId;
use super::defaults::ClassId;
use super::tree::Item;
use super::values::Look;
use crate::codes;
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::Vec3;

/// What a joint lets a body do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint of the file.
#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub span: Span,
    pub kind: JointKind,
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
pub struct Composed {
    pub kind: &'static str,
    pub coordinates: Vec<Option<usize>>,
}

impl<'d> Context<'d, '_> {
    /// `<joint>` or `<freejoint>`.
    pub fn joint(&mut self, item: Item<'_, 'd>, body: BodyId, frame: &Pose, class: Option<ClassId>, suffix: &str) {
        let free = item.name() == "freejoint";
        let look = if free { Look::plain(item.element().take()) } else { self.look(item.element(), class) };
        let kind = match if free { Some("free") } else { self.word(&look, "type", &["free", "ball", "slide", "hinge"]) }
        {
            Some("free") => JointKind::Free,
            Some("ball") => JointKind::Ball,
            Some("slide") => JointKind::Slide,
            Some(_) => JointKind::Hinge,
            None if look.attr("type").is_some() => return,
            None => JointKind::Hinge,
        };
        let span = look.span();
        let owner = &self.bodies[body];
        let number = owner.joints.len();
        let default_name =
            format!("{}_joint{}", owner.name, if number == 0 { String::new() } else { (number + 1).to_string() });
        if body == 0 {
            self.error(codes::BROKEN_TREE, span, "the world cannot have a joint", "must stand in a <body>");
            return;
        }
        let (world, parent) = (owner.world, owner.parent);
        if kind == JointKind::Free && (parent != 0 || number > 0) {
            self.error(
                codes::BROKEN_TREE,
                span,
                "a free joint must be the only one, on a body of the world",
                "not here",
            );
            return;
        }
        if owner.joints.iter().any(|j| j.kind == JointKind::Free) {
            self.error(codes::BROKEN_TREE, span, "a body with a free joint can have no other", "one too many");
            return;
        }
        let name = match look.element.attr("name") {
            Some(a) => {
                let name = self.name(&format!("{}{suffix}", a.value), a.span);
                if !self.joint_names.insert(name.clone()) {
                    let message = format!("there are two joints `{}`", crate::confine::shown(&name));
                    self.error(codes::DUPLICATE, a.span, message, "another joint has it");
                    return;
                }
                name
            }
            None => super::free(&mut self.joint_names, default_name),
        };
        let place = world.then(frame);
        let at = place.point(self.vector(&look, "pos").unwrap_or_default());
        let axis = if look.attr("axis").is_some() && matches!(kind, JointKind::Slide | JointKind::Hinge) {
            match self.direction(&look, "axis") {
                Some(axis) => axis,
                None => return,
            }
        } else {
            Vec3::Z
        };
        let angular = |c: &Self, x: f64| if kind == JointKind::Hinge { c.angle(x) } else { x };
        let reference = self.number(&look, "ref").unwrap_or(0.0);
        let spring_reference = self.number(&look, "springref").unwrap_or(0.0);
        let (reference, spring_reference) = (angular(self, reference), angular(self, spring_reference));
        let stiffness = look.attr("stiffness").and_then(|a| self.linear(&a, "stiffness")).unwrap_or(0.0);
        let damping = look.attr("damping").and_then(|a| self.linear(&a, "damping")).unwrap_or(0.0);
        let armature = self.not_negative(&look, "armature", "kg m^2 or kg").unwrap_or(0.0);
        let (stiffness, damping) = (stiffness.max(0.0), damping.max(0.0));
        if let Some(a) = look.attr("springdamper")
            && let Some(v) = self.numbers(&a, 2, 2)
            && v[0] > 0.0
            && v[1] > 0.0
        {
            let why = "it sets stiffness and damping from the mass that hangs on the joint, which is not done here";
            self.note(a.name_span, "`springdamper` is not used", why);
        }
        let mut friction = 0.0;
        if let Some(x) = self.not_negative(&look, "frictionloss", "N m or N")
            && x > 0.0
        {
            if !self.settings.friction {
                // switched off by the file itself
            } else if matches!(kind, JointKind::Slide | JointKind::Hinge) {
                friction = x;
            } else {
                let at = look.attr("frictionloss").map_or(span, |a| a.name_span);
                let why = format!("{x} N m or N: only hinges and slides have dry friction here");
                self.note(at, format!("dry friction of joint `{name}` is not used"), why);
            }
        }
        let limits = self.limits_of(&look, &name, kind).map(|v| v.map(|x| angular(self, x) - reference));
        let axis = holonom::math::Mat3::from_quat(place.rotation) * axis;
        self.bodies[body].joints.push(Joint {
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
    fn limits_of(&mut self, look: &Look<'d>, name: &str, kind: JointKind) -> Option<[f64; 2]> {
        let range = look.attr("range").and_then(|a| self.numbers(&a, 2, 2).map(|v| (v, a)));
        let limited = match self.word(look, "limited", &["true", "false", "auto"]) {
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
        if !matches!(kind, JointKind::Slide | JointKind::Hinge) {
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
pub fn compose(joints: &[Joint]) -> Option<Composed> {
    use JointKind::*;
    let made = |kind, coordinates: &[Option<usize>]| Some(Composed { kind, coordinates: coordinates.to_vec() });
    let scale = joints.iter().map(|j| (j.at - joints[0].at).length()).fold(0.0, f64::max);
    match joints {
        [j] if j.kind == Free => made("free", &[None]),
        [j] if j.kind == Ball => made("spherical", &[None]),
        [j] if j.kind == Slide => made("prismatic", &[Some(0)]),
        [j] if j.kind == Hinge => made("revolute", &[Some(0)]),
        [s, h] if s.kind == Slide && h.kind == Hinge && s.axis.dot(h.axis) > 1.0 - 1e-15 => {
            made("cylindrical", &[Some(0), Some(1)])
        }
        [a, b] if a.kind == Hinge && b.kind == Hinge && perpendicular(a.axis, b.axis) && scale < 1e-15 => {
            made("universal", &[Some(0), Some(1)])
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
            made("planar", if right { &[Some(0), Some(1), Some(2)] } else { &[Some(1), Some(0), Some(2)] })
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
            Some(Composed { kind: "serial", coordinates: coordinates.collect() })
        }
    }
}

//! What the constructors of the engine's kinds are given: the values of a record, with bodies and joints looked up in
//! the scene.

use super::Mistake;
use crate::build::{Joints, Sides, coordinate_of, marker, markers, pose_of};
use crate::fields::{Record, Val};
use crate::scene::{Pose, Scene};
use crate::source::Span;
use holonom::declaration::{Component, Kind, Parameters};
use holonom::formulas::Formula;
use holonom::functions::Function;
use holonom::math::{Mat3, Vec3};
use holonom::{BodyId, Coordinate, Marker};
use std::sync::Arc;

/// The scene in which names are looked up, and what was made of it so far.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) joints: &'a Joints<'a>,
}

/// The values of a record.
#[derive(Clone, Copy)]
pub struct RecordParameters<'a> {
    record: &'a Record,
    a: Marker,
    b: Marker,
    /// None for functions, which name neither bodies nor joints.
    context: Option<BuildContext<'a>>,
}

impl<'a> RecordParameters<'a> {
    /// A record that names neither bodies nor joints.
    pub fn plain(record: &'a Record) -> Self {
        let ground = BodyId::GROUND.origin();
        RecordParameters { record, a: ground, b: ground, context: None }
    }

    /// The record of a joint, drive or force. Whatever it names is looked up here once, so that making it cannot fail
    /// for a name.
    pub(crate) fn new(sides: &Sides<'a>, context: BuildContext<'a>) -> Result<Self, Mistake> {
        let (a, b) = markers(context.scene, context.joints, sides)?;
        let record = sides.record;
        for (name, value, span) in record.values() {
            if !matches!(*name, "a" | "b") || sides.b.is_none() {
                look_up(value, *span, sides.name, &context)?;
            }
        }
        Ok(RecordParameters { record, a, b, context: Some(context) })
    }

    /// A table inside this one; its sides are its own.
    fn within(&self, record: &'a Record) -> RecordParameters<'a> {
        let own = |context: &BuildContext<'a>| {
            markers(context.scene, context.joints, &Sides::inside("", record)).unwrap_or((self.a, self.b))
        };
        let (a, b) = self.context.as_ref().map_or((self.a, self.b), own);
        RecordParameters { record, a, b, context: self.context }
    }
}

/// Does everything that a value names exist?
fn look_up(value: &Val, span: Span, name: &str, context: &BuildContext) -> Result<(), Mistake> {
    match value {
        Val::Point(p) => marker(context, p, span).map(|_| ()),
        Val::Coordinate(c) => coordinate_of(context, c, span).map(|_| ()),
        Val::List(list) => list.iter().try_for_each(|(v, span)| look_up(v, *span, name, context)),
        Val::Map(map) => map.iter().try_for_each(|(_, v, span)| look_up(v, *span, name, context)),
        Val::Record(inner) => RecordParameters::new(&Sides::inside(name, inner), *context).map(|_| ()),
        _ => Ok(()),
    }
}

impl Parameters for RecordParameters<'_> {
    fn kind(&self) -> Option<&'static Kind> {
        self.record.kind
    }
    fn a(&self) -> Marker {
        self.a
    }
    fn b(&self) -> Marker {
        self.b
    }
    fn has(&self, field: &str) -> bool {
        self.record.has(field)
    }
    fn number(&self, field: &str) -> Option<f64> {
        self.record.number(field)
    }
    fn integer(&self, field: &str) -> Option<i64> {
        self.record.integer(field)
    }
    fn flag(&self, field: &str) -> bool {
        self.record.flag(field)
    }
    fn text(&self, field: &str) -> Option<&str> {
        self.record.text(field)
    }
    fn vector(&self, field: &str) -> Option<Vec3> {
        self.record.vector(field)
    }
    fn numbers(&self, field: &str) -> Option<&[f64]> {
        self.record.numbers(field)
    }
    fn vectors(&self, field: &str) -> Option<&[Vec3]> {
        self.record.vectors(field)
    }
    fn function(&self, field: &str) -> Option<Arc<dyn Function>> {
        self.record.function(field)
    }
    fn components(&self, field: &str) -> [Component; 3] {
        let list = self.record.list(field);
        std::array::from_fn(|k| match list.get(k) {
            Some((Val::Function(f), _)) => Component::Function(f.clone()),
            Some((Val::Number(x), _)) => Component::Number(*x),
            _ => Component::Number(0.0),
        })
    }
    fn point(&self, field: &str) -> Option<Marker> {
        marker(self.context.as_ref()?, self.record.point(field)?, self.record.span).ok()
    }
    fn points(&self, field: &str) -> Vec<Marker> {
        let Some(context) = &self.context else { return Vec::new() };
        let of = |(v, span): &(Val, Span)| match v {
            Val::Point(p) => marker(context, p, *span).ok(),
            _ => None,
        };
        self.record.list(field).iter().filter_map(of).collect()
    }
    fn coordinate(&self, field: &str) -> Option<Coordinate> {
        coordinate_of(self.context.as_ref()?, self.record.coordinate(field)?, self.record.span).ok()
    }
    fn coordinates(&self, field: &str) -> Vec<Coordinate> {
        let Some(context) = &self.context else { return Vec::new() };
        let of = |(v, span): &(Val, Span)| match v {
            Val::Coordinate(c) => coordinate_of(context, c, *span).ok(),
            _ => None,
        };
        self.record.list(field).iter().filter_map(of).collect()
    }
    fn formula(&self, field: &str) -> Option<Arc<Formula>> {
        self.record.formula(field)
    }
    fn named_points(&self, field: &str) -> Vec<Marker> {
        let Some(context) = &self.context else { return Vec::new() };
        let of = |(_, v, span): &(Box<str>, Val, Span)| match v {
            Val::Point(p) => marker(context, p, *span).ok(),
            _ => None,
        };
        self.record.map(field).iter().filter_map(of).collect()
    }
    fn named_coordinates(&self, field: &str) -> Vec<Coordinate> {
        let Some(context) = &self.context else { return Vec::new() };
        let of = |(_, v, span): &(Box<str>, Val, Span)| match v {
            Val::Coordinate(c) => coordinate_of(context, c, *span).ok(),
            _ => None,
        };
        self.record.map(field).iter().filter_map(of).collect()
    }
    fn table(&self, field: &str) -> Option<Box<dyn Parameters + '_>> {
        Some(Box::new(self.within(self.record.record(field)?)))
    }
    fn tables(&self, field: &str) -> Vec<Box<dyn Parameters + '_>> {
        let inner = self.record.list(field).iter().filter_map(|(v, _)| match v {
            Val::Record(r) => Some(self.within(r)),
            _ => None,
        });
        inner.map(|given| Box::new(given) as Box<dyn Parameters>).collect()
    }
    fn drawn(&self, body: BodyId) -> (Vec3, Mat3) {
        let pose = self.context.as_ref().map_or(Pose::IDENTITY, |c| pose_of(c.scene, body));
        (pose.position, Mat3::from_quat(pose.rotation))
    }
    fn effort(&self, field: &str, own: Option<f64>) -> Option<f64> {
        let context = self.context.as_ref().filter(|c| !c.scene.run.ideal)?;
        let of_joint = || {
            let c = self.record.coordinate(field)?;
            context.joints.records.get(&*c.joint)?.numbers("effort")?.get(c.index).copied()
        };
        own.or_else(of_joint)
    }
}

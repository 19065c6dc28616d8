//! From what was described to what is legal: names that are unique, parameters, attachments and readings that exist.

use crate::build::builder::ModelBuilder;
use crate::build::shapes;
use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, Frame, is_direction};
use crate::catalogue::bodies::{Body, frame_of};
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::joints::{Constraint, Level, RowLaw};
use crate::error::ModelError;
use crate::model::{Names, Start};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A description in which every part is legal by itself, with the places of the bodies' coordinates.
pub(crate) struct Checked {
    /// What was described, without its names and its start.
    pub parts: ModelBuilder,
    pub body_names: Names,
    pub joint_names: Names,
    pub force_names: Names,
    /// First coordinate of each body in q and in v; one entry more than there are bodies.
    pub q_start: Vec<u32>,
    pub v_start: Vec<u32>,
    /// The start that was asked for, or else what the bodies say.
    pub start: Start,
    /// Bodies that dissipate energy inside.
    pub dissipative: Vec<u32>,
}

impl Checked {
    pub fn new(mut parts: ModelBuilder) -> Result<Checked, ModelError> {
        let body_names = unique("bodies", std::mem::take(&mut parts.body_names))?;
        let joint_names = unique("joints", std::mem::take(&mut parts.joint_names))?;
        let force_names = unique("forces", std::mem::take(&mut parts.force_names))?;
        if !parts.gravity.is_finite() {
            return Err(ModelError::Parameter(format!("gravity is {}, must be finite", parts.gravity)));
        }
        for (i, body) in parts.bodies.iter().enumerate() {
            let refuse = |reason| ModelError::Body { body: body_names.get(i).into(), kind: body.kind(), reason };
            body.validate().map_err(refuse)?;
        }
        let references = References { bodies: &parts.bodies, body_names: &body_names, joint_names: &joint_names };
        for (i, law) in parts.forces.iter().enumerate() {
            let name = force_names.get(i);
            law.validate().map_err(|reason| ModelError::Force { force: name.into(), kind: law.kind(), reason })?;
            references.check("force", name, law.attachments(), law.reads())?;
        }
        for (i, (constraint, _)) in parts.joints.iter().enumerate() {
            let (name, kind) = (joint_names.get(i), constraint.kind());
            constraint.validate().map_err(|reason| ModelError::Joint { joint: name.into(), kind, reason })?;
            references.check("joint", name, constraint.attachments(), constraint.reads())?;
            check_form(name, constraint.as_ref())?;
        }
        check_options(&parts, &joint_names)?;
        shapes::check(&parts.shapes, &parts.bodies, &body_names)?;
        let (q_start, v_start) = (offsets(&parts.bodies, |b| b.n_q()), offsets(&parts.bodies, |b| b.n_dof()));
        let said = said_start(&parts.bodies, &q_start, &v_start);
        let loses = |i: &usize| {
            parts.bodies[*i].dissipation(part(&q_start, *i, &said.q), part(&v_start, *i, &said.v)).is_some()
        };
        let dissipative = (0..parts.bodies.len()).filter(loses).map(|i| i as u32).collect();
        let start = parts.start.take().unwrap_or(said);
        Ok(Checked { parts, body_names, joint_names, force_names, q_start, v_start, start, dissipative })
    }

    /// Frames of the bodies, then that of the ground.
    pub fn frames(&self, q: &[f64], v: &[f64]) -> Vec<Frame> {
        let frame =
            |i: usize| frame_of(self.parts.bodies[i].as_ref(), part(&self.q_start, i, q), part(&self.v_start, i, v));
        (0..self.parts.bodies.len()).map(frame).chain([Frame::GROUND]).collect()
    }

    /// The bodies at `(q, v)`, with their frames there.
    pub fn at<'a>(&'a self, frames: &'a [Frame], q: &'a [f64], v: &'a [f64]) -> Bodies<'a> {
        Bodies { bodies: &self.parts.bodies, frames, q, v, q_start: &self.q_start, v_start: &self.v_start }
    }
}

/// The part of `x` that belongs to body `i`.
pub(super) fn part<'a>(starts: &[u32], i: usize, x: &'a [f64]) -> &'a [f64] {
    &x[starts[i] as usize..starts[i + 1] as usize]
}

fn unique(what: &'static str, names: Vec<Box<str>>) -> Result<Names, ModelError> {
    let names = Names::new(names);
    match names.duplicate() {
        Some(name) => Err(ModelError::DuplicateName { what, name: name.into() }),
        None => Ok(names),
    }
}

/// First coordinate of each body, and their number at the end.
fn offsets(bodies: &[Arc<dyn Body>], size: impl Fn(&dyn Body) -> usize) -> Vec<u32> {
    let mut starts = Vec::with_capacity(bodies.len() + 1);
    starts.push(0);
    for body in bodies {
        starts.push(starts[starts.len() - 1] + size(body.as_ref()) as u32);
    }
    starts
}

/// Where the bodies say that they start.
fn said_start(bodies: &[Arc<dyn Body>], q_start: &[u32], v_start: &[u32]) -> Start {
    let n = bodies.len();
    let (mut q, mut v) = (vec![0.0; q_start[n] as usize], vec![0.0; v_start[n] as usize]);
    for (i, body) in bodies.iter().enumerate() {
        let range = |starts: &[u32]| starts[i] as usize..starts[i + 1] as usize;
        body.initial(&mut q[range(q_start)], &mut v[range(v_start)]);
    }
    Start { q, v, t: 0.0, turns: BTreeMap::new() }
}

/// What joints and forces may refer to.
struct References<'a> {
    bodies: &'a [Arc<dyn Body>],
    body_names: &'a Names,
    joint_names: &'a Names,
}

impl References<'_> {
    /// Every body attached to must be there and able to carry what is attached; every coordinate read must be there.
    fn check(
        &self,
        what: &'static str,
        name: &str,
        attachments: &[Attachment],
        reads: &[Coordinate],
    ) -> Result<(), ModelError> {
        for a in attachments {
            let Some(i) = a.body.index() else { continue };
            let Some(body) = self.bodies.get(i) else {
                return Err(ModelError::UnknownBody { what, name: name.into(), index: i, bodies: self.bodies.len() });
            };
            let refuse = |reason| ModelError::NotCarried {
                what,
                name: name.into(),
                body: self.body_names.get(i).to_string(),
                kind: body.kind(),
                carried: a.what.describe(),
                reason,
            };
            body.can_carry(&a.what).map_err(refuse)?;
            match a.what {
                AttachmentKind::Point(p) if !p.is_finite() => return Err(refuse("the point is not finite")),
                AttachmentKind::Direction(d) if !is_direction(d) => {
                    return Err(refuse("the direction has zero length (less than 1e-12) or is not finite"));
                }
                _ => {}
            }
        }
        let missing = |c: &&Coordinate| !c.name.is_empty() && self.joint_names.find(&c.name).is_none();
        if let Some(c) = reads.iter().find(missing) {
            let reason = format!("{what} `{name}`: there is no joint `{}` whose coordinate it could use", c.name);
            return Err(ModelError::Parameter(reason));
        }
        Ok(())
    }
}

/// Laws, levels and numbers of rows that the engine can work with.
fn check_form(name: &str, constraint: &dyn Constraint) -> Result<(), ModelError> {
    let unsupported = |what| Err(ModelError::Unsupported { joint: name.into(), what });
    match (constraint.law(), constraint.level(0)) {
        (RowLaw::Unilateral, Level::Velocity | Level::Acceleration) => {
            return unsupported("unilateral rows must be conditions on positions");
        }
        (RowLaw::Bounded { .. } | RowLaw::Ball { .. } | RowLaw::Dry { .. }, Level::Position) => {
            return unsupported("rows with bounds must be conditions on velocities or accelerations");
        }
        (RowLaw::Ball { .. }, _) if constraint.n_rows() > 3 => {
            return unsupported("a bounded vector may have at most 3 rows");
        }
        _ => {}
    }
    if constraint.law() != RowLaw::Equality && constraint.own_force_direction() {
        return unsupported("rows with bounds cannot have force directions of their own");
    }
    if constraint.n_rows() > 32 {
        return unsupported("a constraint may have at most 32 rows; split it");
    }
    if constraint.attachments().len() < 2 && constraint.lock_shape().is_some() {
        return unsupported("a lock needs attachments 0 and 1 to name its two bodies");
    }
    if constraint.attachments().iter().all(|a| a.body.is_ground()) {
        let reason = "touches no body, only the ground".into();
        return Err(ModelError::Joint { joint: name.into(), kind: constraint.kind(), reason });
    }
    Ok(())
}

/// Compliances and break loads of joints.
fn check_options(parts: &ModelBuilder, names: &Names) -> Result<(), ModelError> {
    for (&joint, &(translation, rotation)) in &parts.compliance {
        if !(translation > 0.0 && rotation > 0.0 && translation.is_finite() && rotation.is_finite()) {
            let name = names.get(joint as usize);
            return Err(ModelError::Parameter(format!(
                "compliance of joint `{name}` is {translation} m/N and {rotation} rad/(N m), both must be finite and greater than 0"
            )));
        }
    }
    for (&joint, &(force, torque)) in &parts.break_loads {
        if !(force > 0.0 && torque > 0.0) {
            let name = names.get(joint as usize);
            return Err(ModelError::Parameter(format!(
                "break load of joint `{name}` is {force} N and {torque} N m, both must be greater than 0"
            )));
        }
    }
    Ok(())
}

//! Contacts of a running simulation, for those who look.
//!
//! Where events are followed, forces are those of the moment. Where time is stepped they are the means over the last
//! step, impacts included: that is what moved the bodies. Before the first step they are those of the moment.

use crate::catalogue::attach::BodyId;
use crate::contact::inequality::gather::ActiveContact;
use crate::contact::inequality::memory;
use crate::contact::inequality::mode::{self, Tolerances};
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{InequalityRows, RowBound, project};
use crate::contact::touch::ContactGeometry;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::Vec3;
use crate::model::shapes::ShapeId;
use crate::model::warm_start::{Key, WarmStart};
use crate::model::{JointId, Model};
use crate::step::mechanism::Mechanism;

/// A slip that nobody would see, in tolerances of rates ([`Tolerances`]): 3e-3 of the speed of a fall through the size
/// of the shapes.
const SLOW: f64 = 3e4;

/// What friction does at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// Not pressed together, or without friction.
    None,
    /// No slip: where time is stepped, none that shows (a touch on a body that turns slips by the second order of the
    /// step).
    Stick,
    /// Slips against the full friction.
    Slip,
}

/// A contact as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The shapes; the force acts on the first.
    pub shapes: (ShapeId, ShapeId),
    /// Their bodies.
    pub bodies: (BodyId, BodyId),
    /// The same touch has the same key from step to step.
    pub key: u64,
    /// Where, world (m).
    pub point: Vec3,
    /// Unit normal from the second to the first, world.
    pub normal: Vec3,
    /// Gap, m; negative where the shapes overlap.
    pub gap: f64,
    /// Force on the first body, N; over the last step where time is stepped.
    pub force: Vec3,
    /// Torque on the first body from resistance against rolling and turning, N m.
    pub torque: Vec3,
    /// Velocity of the first body's surface over the second's, along the plane of contact (m/s).
    pub slip: Vec3,
    /// What friction does.
    pub friction: Friction,
}

/// Two shapes near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The shapes.
    pub shapes: (ShapeId, ShapeId),
    /// Their bodies.
    pub bodies: (BodyId, BodyId),
    /// Gap, m; negative where they overlap.
    pub gap: f64,
}

/// What a inequality joint does: a limit, a rope, dry friction, a drive with a cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InequalityStatus {
    /// Force (N) or torque (N m): of a limit that of the lower stop less that of the upper one, of a rope its tension,
    /// of friction and drives their force along the coordinate, of a hand its size.
    pub load: f64,
    /// Distance to the nearest stop, or slack of a rope, m or rad; negative beyond it. `None` for friction and drives.
    pub gap: Option<f64>,
    /// `None`: away from the stops, slack. `Stick`: at a stop, taut, does not slip, drives as it is told. `Slip`:
    /// slips; is at its cap.
    pub state: Friction,
}

/// All contacts at present: touching shapes with the forces between them, in a stable order.
pub(crate) fn contacts(mechanism: &mut Mechanism) -> Result<Vec<Contact>, StepError> {
    let mut out = Vec::new();
    read_contacts(mechanism, &mut out)?;
    Ok(out)
}

/// The same into memory at hand.
pub(crate) fn read_contacts(mechanism: &mut Mechanism, out: &mut Vec<Contact>) -> Result<(), StepError> {
    out.clear();
    if mechanism.model.shapes.is_empty() {
        return Ok(());
    }
    mechanism.evaluate()?;
    out.extend(acting(&mechanism.model, &mechanism.work));
    Ok(())
}

/// Shapes that are at most `distance` apart, m: one entry for each pair of features that may touch, in a stable order.
pub(crate) fn read_near(mechanism: &mut Mechanism, distance: f64, out: &mut Vec<Near>) {
    out.clear();
    if mechanism.model.shapes.is_empty() {
        return;
    }
    mechanism.current = false;
    let s = &mechanism.state;
    evaluate::place_bodies(&mechanism.model, &s.q, &s.v, &mut mechanism.work.eval);
    let Workspace { eval, contact, .. } = &mut mechanism.work;
    let bodies = &bodies_at(&mechanism.model, &eval.frames, &s.q, &s.v);
    contact.detection.detect_within(&mechanism.model, bodies, distance);
    for c in &contact.detection.candidates {
        let ends = [c.a, c.b].map(|s| mechanism.model.shapes.all[s as usize].body);
        let gap = ContactGeometry::of(c, ends[0], ends[1], bodies).gap;
        if gap <= distance {
            out.push(Near { shapes: (ShapeId(c.a), ShapeId(c.b)), bodies: (ends[0], ends[1]), gap });
        }
    }
}

/// The least gap between the shapes of each of these pairs of bodies, m; NaN where it is more than `most`, and between
/// bodies that never touch. Into memory at hand.
pub(crate) fn read_gaps(mechanism: &mut Mechanism, pairs: &[(BodyId, BodyId)], most: f64, out: &mut Vec<f64>) {
    out.clear();
    if mechanism.model.shapes.is_empty() {
        out.resize(pairs.len(), f64::NAN);
        return;
    }
    mechanism.current = false;
    let s = &mechanism.state;
    evaluate::place_bodies(&mechanism.model, &s.q, &s.v, &mut mechanism.work.eval);
    let Workspace { eval, contact, .. } = &mut mechanism.work;
    let bodies = &bodies_at(&mechanism.model, &eval.frames, &s.q, &s.v);
    contact.detection.place_carriers(&mechanism.model, bodies);
    out.extend(pairs.iter().map(|&pair| {
        let candidates = contact.detection.nearest(pair, most).iter();
        let gap = candidates.map(|c| {
            let ends = [c.a, c.b].map(|s| mechanism.model.shapes.all[s as usize].body);
            ContactGeometry::of(c, ends[0], ends[1], bodies).gap
        });
        gap.filter(|gap| *gap <= most).fold(f64::NAN, f64::min)
    }));
}

/// Largest overlap of shapes, and largest excess over a limit or a rope, at the current state, m or rad.
pub(crate) fn overlap(mechanism: &mut Mechanism) -> f64 {
    if !mechanism.model.has_inequalities() {
        return 0.0;
    }
    mechanism.gather_present();
    mechanism.current = false;
    project::deepest(&mechanism.work)
}

/// Answers that need smooth forces cannot be had where something touches or friction acts.
pub(crate) fn refuse_contacts(mechanism: &mut Mechanism, what: &str) -> Result<(), StepError> {
    mechanism.find_contact_mode();
    mechanism.current = false;
    let ineq = &mechanism.work.contact.rows;
    let mode = &mechanism.work.contact.mode;
    match ineq.blocks.iter().find(|b| mode.is_closed(b.key)) {
        None => Ok(()),
        Some(block) => {
            let name = match block.origin {
                crate::contact::inequality::Origin::Joint(k) => {
                    format!(
                        "`{}` acts",
                        mechanism.model.joint_names.get(mechanism.model.inequalities[k as usize].joint as usize)
                    )
                }
                crate::contact::inequality::Origin::Touch(k) => {
                    let (a, b) = ineq.touches[k as usize].bodies;
                    format!("`{}` touches `{}`", mechanism.model.body_name(a), mechanism.model.body_name(b))
                }
            };
            Err(StepError::Invalid(format!("{what} needs forces that are smooth, and {name}")))
        }
    }
}

/// Touches of the state whose equations are in the workspace.
pub(crate) fn acting<'w>(model: &Model, work: &'w Workspace) -> impl Iterator<Item = Contact> + 'w {
    let slow = SLOW * Tolerances::of(model).rate;
    let (ineq, x) = (&work.contact.rows, &work.contact.acting.task.x);
    // nothing was solved for: nothing acts
    let touches = if work.contact.acting.acting && x.len() == ineq.len() { &ineq.touches[..] } else { &[] };
    touches.iter().map(move |touch| {
        let candidate = &work.contact.detection.candidates[touch.candidate as usize];
        let mut contact = describe(ineq, x, touch, (ShapeId(candidate.a), ShapeId(candidate.b)), candidate.key);
        let key = Key(candidate.a, candidate.b, candidate.key);
        if let Some(known) = memory::find(&work.contact.acting.warm_start, key) {
            contact.friction = remembered(ineq, touch, known, slow);
        }
        contact
    })
}

/// What a inequality joint does at the state whose equations are in the workspace; `None` for other joints.
pub(crate) fn inequality_status(model: &Model, work: &Workspace, joint: JointId) -> Option<InequalityStatus> {
    let k = model.inequalities.binary_search_by_key(&joint.0, |r| r.joint).ok()?;
    let x = work.contact.acting.of_joint(&model.inequalities[k])?;
    let ineq = &work.contact.rows;
    let (mut gap, mut state) = (None, Friction::None);
    let tolerances = Tolerances::of(model);
    for block in ineq.blocks.iter().filter(|b| b.origin == crate::contact::inequality::Origin::Joint(k as u32)) {
        let row = block.row as usize;
        let pushes = block.rows().map(|row| work.contact.acting.task.x[row]);
        let yields = match block.bound {
            RowBound::Push { .. } | RowBound::Soft { .. } => {
                gap = Some(gap.map_or(ineq.gap[row], |least: f64| least.min(ineq.gap[row])));
                if work.contact.acting.task.x[row] > 0.0 {
                    state = Friction::Stick;
                }
                continue;
            }
            RowBound::Within { least, most } => {
                let push = work.contact.acting.task.x[row];
                push <= least * (1.0 - 1e-9) || push >= most * (1.0 - 1e-9)
            }
            RowBound::Ball { radius } => pushes.map(|x| x * x).sum::<f64>().sqrt() >= radius * (1.0 - 1e-9),
            RowBound::Dry { .. } | RowBound::Cone { .. } => mode::slip_of(ineq, block).length() > tolerances.rate,
        };
        state = if yields { Friction::Slip } else { Friction::Stick };
    }
    let load = match *x {
        [one] => one,
        [lower, upper] if gap.is_some() => lower - upper,
        ref all => all.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    Some(InequalityStatus { load, gap, state })
}

/// What friction did at a touch over the last step, where time is stepped. Forces are those remembered, in world axes,
/// and the axes of the touch have turned since: the cone is that of the forces as they were. A touch whose friction was
/// within its cone stuck, in the pose at the start of the step; it may slip by the second order of the step in the pose
/// at its end. Where that is more than nobody would see, it slips now.
fn remembered(ineq: &InequalityRows, touch: &ActiveContact, known: &WarmStart, slow: f64) -> Friction {
    let blocks = &ineq.blocks[touch.block as usize..(touch.block + touch.n_blocks) as usize];
    let cone = blocks.iter().find_map(|block| match block.bound {
        RowBound::Cone { spin: false, sliding, .. } => Some((block, sliding)),
        _ => None,
    });
    let Some((block, sliding)) = cone.filter(|_| known.force[0] > 0.0) else { return Friction::None };
    let full =
        Vec3::new(known.force[1], known.force[2], known.force[3]).length() >= sliding * known.force[0] * (1.0 - 1e-6);
    let slip = mode::slip_of(ineq, block).length();
    if slip > if full { 1e-9 } else { slow } { Friction::Slip } else { Friction::Stick }
}

fn describe(ineq: &InequalityRows, x: &[f64], touch: &ActiveContact, shapes: (ShapeId, ShapeId), key: u64) -> Contact {
    let (mut force, mut torque, mut friction) = (Vec3::ZERO, Vec3::ZERO, Friction::None);
    let mut normal = 0.0;
    for block in &ineq.blocks[touch.block as usize..(touch.block + touch.n_blocks) as usize] {
        let row = block.row as usize;
        match block.bound {
            RowBound::Cone { spin: false, sliding, .. } => {
                let t = mode::in_world(ineq, block, |row| x[row]);
                force += t;
                if normal > 0.0 {
                    let full = t.length() >= sliding * normal * (1.0 - 1e-6);
                    let slips = mode::slip_of(ineq, block).length() > 1e-9;
                    friction = if full && slips { Friction::Slip } else { Friction::Stick };
                }
            }
            RowBound::Cone { .. } if block.n == 1 => torque += touch.now.n * x[row],
            RowBound::Cone { .. } => torque += mode::in_world(ineq, block, |row| x[row]),
            _ => {
                normal = x[row];
                force += touch.now.n * normal;
            }
        }
    }
    Contact {
        shapes,
        bodies: touch.bodies,
        key,
        point: touch.now.point,
        normal: touch.now.n,
        gap: touch.now.gap,
        force,
        torque,
        slip: touch.slip,
        friction,
    }
}

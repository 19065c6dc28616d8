//! Which quantities there are: for everything of a model the names, units and where the numbers come from.
//!
//! ```text
//! BODY.pos.x  BODY.vel.x  BODY.acc.x              centre of mass, world axes        BODY.origin.x      the body's own origin
//! BODY.quat.w BODY.omega.x BODY.alpha.x           orientation, angular velocity and acceleration, world axes
//! BODY.angle                                      of planar bodies: about the normal of their plane, turns counted
//! BODY.POINT.pos.x  BODY.POINT.vel.x  BODY.POINT.acc.x   points that the scene names
//! JOINT.coordinate  JOINT.rate  JOINT.acceleration   of its first coordinate; .1 .2 .. for further ones
//! JOINT.force.x  JOINT.torque.x                   action of body a on body b at b's point, world axes
//! BODY.vel.norm  JOINT.force.norm ..              lengths of vectors, of all but positions
//! ROD.tension                                     of rods, winches and ropes over pulleys: negative where they push
//! JOINT.multiplier  JOINT.multiplier.1 ..         row by row; DRIVE.effort is the same for what drives a coordinate
//! JOINT.limit.effort  JOINT.friction.effort       what stops and dry friction do along the first coordinate; JOINT.limit.1.effort along the second
//! ROPE.tension  ROPE.gap  JOINT.limit.gap          room left; ROPE.state, JOINT.limit.state, JOINT.friction.state, DRIVE.state: 0 free, 1 holds, 2 slips or is at its cap
//! FORCE.power  FORCE.BODY.force.x                 what the force gives to the bodies; what it does to the points of one, world axes
//! contact.A.B.force.x                             on body A from body B, all their contacts together, world axes; A is before B in the scene, the
//!                                                 ground last. contact.A.B.normal, .points, .state (0 none, 1 stick, 2 slip), .gap (the least; NaN far away)
//! BODY.contact.force.x  BODY.contact.points       all contacts of a body together
//! contact.count  contact.overlap  contact.largest of the whole model
//! energy.*  momentum.*  ledger.*  certificate.*  solver.*
//! ```

use crate::scene::Scene;
use holonom::joints::{self, CoordinateKind, JointDeclaration, JointRole, RowLaw};
use holonom::math::{Mat3, Vec3};
use holonom::{Attachment, AttachmentKind, BodyId, ForceId, JointId, Marker, MayTouch, Model};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What is observed of a model: each gives several numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Observable {
    Time,
    /// Centre of mass: position, velocity; acceleration where the point of the body it lies at is known.
    Centre(BodyId, Option<Marker>),
    /// A point: position, velocity, acceleration.
    Point(Marker),
    /// Orientation: w, x, y, z.
    Orientation(BodyId),
    /// Angular velocity and acceleration.
    Spin(BodyId),
    /// Angle of a body that moves in a plane.
    PlaneAngle(BodyId),
    /// Coordinate and rate.
    Coordinate(JointId, u32),
    /// Second derivative of a coordinate.
    Acceleration(JointId, u32),
    /// Force and torque.
    Reaction(JointId),
    /// Multipliers.
    Multipliers(JointId),
    /// Minus the first multiplier of what pulls.
    Tension(JointId),
    /// Of a joint with inequality rows: force along its coordinate or tension, gap, state.
    Status(JointId),
    /// Between two bodies: force (3), sum of normal forces, contact points, state.
    Contact(BodyId, BodyId),
    /// Least gap between two bodies.
    ContactGap(BodyId, BodyId),
    /// Of a body: force (3), contact points.
    BodyContacts(BodyId),
    /// Of all: contact points, largest force.
    Contacts,
    Power(ForceId),
    /// What a force does to the points of a body, all together.
    ForceOnBody(ForceId, BodyId),
    /// Kinetic, potential, elastic, total.
    Energy,
    /// Linear, angular.
    Momentum,
    WorkOfForce(ForceId),
    WorkOfJoint(JointId),
    /// Change, bodies, projection, imposed, error, contacts, friction, impacts, blows, stepping.
    Ledger,
    /// Residual, dependent rows, complementarity, contradiction.
    Certificate,
    /// Largest overlap.
    Overlap,
    /// Gap, gap rate.
    Gaps,
    /// Iterations.
    Solver,
}

/// One quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Source {
    pub of: Observable,
    /// Which of the numbers it gives; with [`NORM`] the length of the vector that begins there.
    pub part: u32,
    pub unit: &'static str,
    /// Is it recorded where no columns are chosen?
    pub by_default: bool,
}

/// Added to the first part of a vector: its length.
pub(super) const NORM: u32 = 16;

impl Source {
    /// The first of the numbers it is made of.
    pub fn first(&self) -> usize {
        (self.part % NORM) as usize
    }

    /// Is it the length of a vector?
    pub fn is_norm(&self) -> bool {
        self.part >= NORM
    }
}

const XYZ: [&str; 3] = ["x", "y", "z"];
/// Pairs of bodies whose columns are recorded by default; of more pairs than that, none.
pub(super) const MOST_PAIRS_BY_DEFAULT: usize = 64;
/// Pairs that are looked through for a pattern that does not begin with `contact.` and the name of a body.
const MOST_PAIRS: usize = 100_000;

/// Name, unit, observable, part, is it recorded by default.
type Global = (&'static str, &'static str, Observable, u32, bool);
/// Numbers of quantities that belong to no body, joint or force.
const GLOBAL: &[Global] = &[
    ("energy.kinetic", "J", Observable::Energy, 0, true),
    ("energy.potential", "J", Observable::Energy, 1, true),
    ("energy.elastic", "J", Observable::Energy, 2, true),
    ("energy.total", "J", Observable::Energy, 3, true),
    ("momentum.linear.x", "kg m/s", Observable::Momentum, 0, false),
    ("momentum.linear.y", "kg m/s", Observable::Momentum, 1, false),
    ("momentum.linear.z", "kg m/s", Observable::Momentum, 2, false),
    ("momentum.angular.x", "kg m^2/s", Observable::Momentum, 3, false),
    ("momentum.angular.y", "kg m^2/s", Observable::Momentum, 4, false),
    ("momentum.angular.z", "kg m^2/s", Observable::Momentum, 5, false),
    ("ledger.change", "J", Observable::Ledger, 0, false),
    ("ledger.bodies", "J", Observable::Ledger, 1, false),
    ("ledger.projection", "J", Observable::Ledger, 2, false),
    ("ledger.friction", "J", Observable::Ledger, 6, false),
    ("ledger.impacts", "J", Observable::Ledger, 7, false),
    ("ledger.blows", "J", Observable::Ledger, 8, false),
    ("ledger.stepping", "J", Observable::Ledger, 9, false),
    ("ledger.imposed", "J", Observable::Ledger, 3, false),
    ("ledger.error", "J", Observable::Ledger, 4, false),
    ("certificate.residual", "1", Observable::Certificate, 0, false),
    ("certificate.dependent_rows", "1", Observable::Certificate, 1, false),
    ("certificate.gap", "m, rad", Observable::Gaps, 0, false),
    ("certificate.gap_rate", "m/s, rad/s", Observable::Gaps, 1, false),
    ("certificate.contradiction", "1", Observable::Certificate, 3, false),
    ("solver.iterations", "1", Observable::Solver, 0, false),
];
/// Those of models in which something may touch, stop, slip or yield.
const OF_CONTACT: &[Global] = &[
    ("contact.count", "1", Observable::Contacts, 0, false),
    ("contact.overlap", "m, rad", Observable::Overlap, 0, false),
    ("contact.largest", "N", Observable::Contacts, 1, false),
    ("ledger.contacts", "J", Observable::Ledger, 5, false),
    ("certificate.complementarity", "1", Observable::Certificate, 2, false),
];

/// All there is, without writing it down: a model of a million bodies has thirty million quantities.
pub(super) struct Catalogue<'a> {
    pub model: &'a Model,
    scene: Option<&'a Scene>,
    /// Where the centre of mass lies in the axes of each body.
    centres: Vec<Option<Marker>>,
    /// Units of what drives do.
    efforts: HashMap<&'a str, &'static str>,
    touching: MayTouch,
    /// Pairs of bodies that may touch; counted where that takes no time.
    n_pairs: usize,
}

impl Observable {
    /// Is it read from an observation?
    pub fn needs_observation(self) -> bool {
        use Observable::*;
        let plain = matches!(self, Time | Energy | Momentum | Gaps | Ledger | Overlap | Solver);
        !plain && !matches!(self, WorkOfForce(_) | WorkOfJoint(_) | ContactGap(..))
    }

    /// Must the equations be solved for this part of it: is it an acceleration, or a force of joints and contacts?
    pub fn needs_forces(self, part: u32) -> bool {
        use Observable::*;
        let part = part % NORM;
        match self {
            Centre(..) | Point(_) => part >= 6,
            Spin(_) => part >= 3,
            Orientation(_) | PlaneAngle(_) | Coordinate(..) | ForceOnBody(..) => false,
            _ => self.needs_observation(),
        }
    }
}

impl<'a> Catalogue<'a> {
    pub fn new(model: &'a Model, scene: Option<&'a Scene>) -> Self {
        let scene = scene.filter(|s| s.bodies.len() == model.n_bodies());
        let mut efforts = HashMap::new();
        for drive in scene.into_iter().flat_map(|s| &s.drives) {
            let Some(driven) = drive.record.coordinate("joint") else { continue };
            let Some(joint) = model.joint(&driven.joint) else { continue };
            if let Some(kind) = model.constraint(joint).coordinates().get(driven.index) {
                efforts.insert(&*drive.name, effort_unit(*kind));
            }
        }
        let centres = model.bodies().map(|body| local_centre(model, body)).collect();
        let touching = model.may_touch();
        let carriers = touching.n_carriers();
        let few = carriers * carriers.saturating_sub(1) / 2 <= MOST_PAIRS;
        let n_pairs = if few { touching.count().0 } else { usize::MAX };
        Catalogue { model, scene, centres, efforts, touching, n_pairs }
    }

    /// Everything that belongs to no one.
    pub fn globals(&self, visit: &mut dyn FnMut(&str, Source)) {
        visit("time", Source { of: Observable::Time, part: 0, unit: "s", by_default: true });
        let of_contact = if self.model.has_inequalities() { OF_CONTACT } else { &[] };
        for &(name, unit, of, part, by_default) in GLOBAL.iter().chain(of_contact) {
            visit(name, Source { of, part, unit, by_default });
        }
        let mut name = String::new();
        let mut works = |kind: &str, owner: &str, of: Observable| {
            name.clear();
            let _ = write!(name, "ledger.{kind}.{owner}");
            visit(&name, Source { of, part: 0, unit: "J", by_default: false });
        };
        for f in self.model.forces() {
            works("force", self.model.force_name(f), Observable::WorkOfForce(f));
        }
        for j in self.model.joints() {
            works("joint", self.model.joint_name(j), Observable::WorkOfJoint(j));
        }
    }

    /// Everything of a body. Names are given without that of the body.
    pub fn of_body(&self, body: BodyId, visit: &mut dyn FnMut(&str, Source)) {
        let Some(i) = body.index() else { return };
        let centre = self.centres[i];
        let mut vector = |name: &str, of: Observable, first: u32, unit: &'static str, by_default: bool| {
            for (k, axis) in XYZ.iter().enumerate() {
                visit(&format!("{name}.{axis}"), Source { of, part: first + k as u32, unit, by_default });
            }
            // the length of a position says little
            if unit != "m" {
                visit(&format!("{name}.norm"), Source { of, part: NORM + first, unit, by_default: false });
            }
        };
        let of = Observable::Centre(body, centre);
        vector("pos", of, 0, "m", true);
        vector("vel", of, 3, "m/s", false);
        if centre.is_some() {
            vector("acc", of, 6, "m/s^2", false);
        }
        vector("origin", Observable::Point(body.origin()), 0, "m", false);
        let points = self.scene.map_or(&[][..], |s| &s.bodies[i].points);
        for p in points {
            let of = Observable::Point(body.at(p.pose.position));
            vector(&format!("{}.pos", p.name), of, 0, "m", false);
            vector(&format!("{}.vel", p.name), of, 3, "m/s", false);
            vector(&format!("{}.acc", p.name), of, 6, "m/s^2", false);
        }
        if self.touching.carries(body) {
            vector("contact.force", Observable::BodyContacts(body), 0, "N", false);
        }
        if self.model.body_kind(body) != "particle" {
            vector("omega", Observable::Spin(body), 0, "rad/s", false);
            vector("alpha", Observable::Spin(body), 3, "rad/s^2", false);
            for (k, name) in ["quat.w", "quat.x", "quat.y", "quat.z"].iter().enumerate() {
                visit(name, Source { of: Observable::Orientation(body), part: k as u32, unit: "1", by_default: true });
            }
        }
        if self.model.angle(self.model.initial_state(), body).is_some() {
            visit("angle", Source { of: Observable::PlaneAngle(body), part: 0, unit: "rad", by_default: false });
        }
        if self.touching.carries(body) {
            visit(
                "contact.points",
                Source { of: Observable::BodyContacts(body), part: 3, unit: "1", by_default: false },
            );
        }
    }

    /// Everything between a body and those after it that it may touch; names follow `contact.BODY.`.
    fn of_pairs(&self, a: BodyId, visit: &mut dyn FnMut(&str, Source)) {
        let by_default = self.n_pairs <= MOST_PAIRS_BY_DEFAULT;
        for b in self.touching.partners(a) {
            let (other, of) = (self.model.body_name(b), Observable::Contact(a, b));
            for (k, axis) in XYZ.iter().enumerate() {
                visit(&format!("{other}.force.{axis}"), Source { of, part: k as u32, unit: "N", by_default });
            }
            visit(&format!("{other}.force.norm"), Source { of, part: NORM, unit: "N", by_default: false });
            let gap = Observable::ContactGap(a, b);
            let parts = [
                ("normal", "N", of, 3, false),
                ("gap", "m", gap, 0, false),
                ("points", "1", of, 4, by_default),
                ("state", "1", of, 5, by_default),
            ];
            for (name, unit, of, part, by_default) in parts {
                visit(&format!("{other}.{name}"), Source { of, part, unit, by_default });
            }
        }
    }

    /// Everything of a joint or drive.
    pub fn of_joint(&self, joint: JointId, visit: &mut dyn FnMut(&str, Source)) {
        let constraint = self.model.constraint(joint);
        for (k, kind) in constraint.coordinates().iter().enumerate() {
            let (unit, rate, acceleration) = match kind {
                CoordinateKind::Angle => ("rad", "rad/s", "rad/s^2"),
                CoordinateKind::Length => ("m", "m/s", "m/s^2"),
            };
            let of = Observable::Coordinate(joint, k as u32);
            let suffix = if k == 0 { String::new() } else { format!(".{k}") };
            visit(&format!("coordinate{suffix}"), Source { of, part: 0, unit, by_default: true });
            visit(&format!("rate{suffix}"), Source { of, part: 1, unit: rate, by_default: true });
            let name = format!("acceleration{suffix}");
            let of = Observable::Acceleration(joint, k as u32);
            visit(&name, Source { of, part: 0, unit: acceleration, by_default: false });
        }
        let rows = self.model.n_multipliers(joint);
        let declaration = joints::declaration(constraint.kind()).unwrap_or(&JointDeclaration::PLAIN);
        let (drives, inequality) = (declaration.role == JointRole::Drive, self.model.is_sided(joint));
        for (part, name) in ["force", "torque"].iter().enumerate() {
            for (k, axis) in XYZ.iter().enumerate() {
                let (part, unit) = ((3 * part + k) as u32, ["N", "N m"][part]);
                let of = Observable::Reaction(joint);
                visit(
                    &format!("{name}.{axis}"),
                    Source { of, part, unit, by_default: rows > 0 && !drives && !inequality },
                );
            }
            let (of, unit) = (Observable::Reaction(joint), ["N", "N m"][part]);
            visit(&format!("{name}.norm"), Source { of, part: NORM + 3 * part as u32, unit, by_default: false });
        }
        if inequality {
            let (effort, gap) = self.inequality_units(joint);
            let of = Observable::Status(joint);
            if !drives {
                visit(declaration.effort, Source { of, part: 0, unit: effort, by_default: true });
            }
            if constraint.law() == RowLaw::Unilateral {
                visit("gap", Source { of, part: 1, unit: gap, by_default: false });
            }
            visit("state", Source { of, part: 2, unit: "1", by_default: true });
        }
        if declaration.pulls && rows > 0 {
            visit("tension", Source { of: Observable::Tension(joint), part: 0, unit: "N", by_default: true });
        }
        let unit = self.efforts.get(self.model.joint_name(joint)).copied().unwrap_or("N, N m");
        for k in 0..rows {
            let suffix = if k == 0 { String::new() } else { format!(".{k}") };
            let (of, part) = (Observable::Multipliers(joint), k as u32);
            if drives {
                visit(&format!("effort{suffix}"), Source { of, part, unit, by_default: true });
            }
            visit(&format!("multiplier{suffix}"), Source { of, part, unit: "N, N m", by_default: false });
        }
    }

    /// Units of the effort and the gap of a joint with inequality rows.
    fn inequality_units(&self, joint: JointId) -> (&'static str, &'static str) {
        let constraint = self.model.constraint(joint);
        let read = constraint.reads().first().map(|c| c.kind());
        match read.or(constraint.coordinates().first().copied()) {
            Some(kind) => (effort_unit(kind), if kind == CoordinateKind::Angle { "rad" } else { "m" }),
            None => ("N, N m", "m, rad"),
        }
    }

    /// Everything of a force.
    pub fn of_force(&self, force: ForceId, visit: &mut dyn FnMut(&str, Source)) {
        visit("power", Source { of: Observable::Power(force), part: 0, unit: "W", by_default: false });
        let mut pushed: Vec<BodyId> = Vec::new();
        for a in self.model.force_attachments(force) {
            let on_point = matches!(a.what, AttachmentKind::Point(_)) && a.body != BodyId::GROUND;
            if on_point && !pushed.contains(&a.body) {
                pushed.push(a.body);
                let owner = self.model.body_name(a.body);
                for (part, axis) in (0..).zip(XYZ) {
                    let source =
                        Source { of: Observable::ForceOnBody(force, a.body), part, unit: "N", by_default: false };
                    visit(&format!("{owner}.force.{axis}"), source);
                }
                let of = Observable::ForceOnBody(force, a.body);
                visit(&format!("{owner}.force.norm"), Source { of, part: NORM, unit: "N", by_default: false });
            }
        }
    }

    /// Every owner with everything it has; `enter` says whether to visit it.
    pub fn all(&self, mut enter: impl FnMut(&str) -> bool, mut visit: impl FnMut(&str, Source)) {
        self.globals(&mut visit);
        let model = self.model;
        let mut full = String::new();
        let mut put = |owner: &str, name: &str, source: Source| {
            full.clear();
            let _ = write!(full, "{owner}.{name}");
            visit(&full, source);
        };
        for body in model.bodies() {
            let owner = model.body_name(body);
            if enter(owner) {
                self.of_body(body, &mut |name, s| put(owner, name, s));
            }
        }
        for joint in model.joints() {
            let owner = model.joint_name(joint);
            if enter(owner) {
                self.of_joint(joint, &mut |name, s| put(owner, name, s));
            }
        }
        for force in model.forces() {
            let owner = model.force_name(force);
            if enter(owner) {
                self.of_force(force, &mut |name, s| put(owner, name, s));
            }
        }
        // of very many pairs only those of bodies that a pattern names
        let all_pairs = self.n_pairs <= MOST_PAIRS || !enter("\0");
        let mut owner = String::new();
        for body in model.bodies().filter(|b| all_pairs && self.touching.carries(*b)) {
            owner.clear();
            let _ = write!(owner, "contact.{}", model.body_name(body));
            if enter(&owner) {
                self.of_pairs(body, &mut |name, s| put(&owner, name, s));
            }
        }
    }
}

/// Unit of the force along a coordinate.
fn effort_unit(kind: CoordinateKind) -> &'static str {
    match kind {
        CoordinateKind::Angle => "N m",
        CoordinateKind::Length => "N",
    }
}

/// The point of a body at which its centre of mass lies, for bodies that carry points linearly: solved from where four
/// points are at the start.
fn local_centre(model: &Model, body: BodyId) -> Option<Marker> {
    let state = model.initial_state();
    let place = |p: Vec3| model.carried(state, &Attachment::point(body, p));
    let origin = place(Vec3::ZERO)?;
    let arm = model.centre(state, body) - origin;
    if arm == Vec3::ZERO {
        return Some(body.origin());
    }
    let column = |p: Vec3| place(p).map(|p| p - origin);
    let frame = Mat3::from_cols(column(Vec3::X)?, column(Vec3::Y)?, column(Vec3::Z)?);
    if !(frame.determinant().abs() > 1e-12) {
        return None;
    }
    let local = frame.inverse() * arm;
    // a body that bends has no such point
    let found = column(local)?;
    ((found - arm).length() <= 1e-9 * (arm.length() + origin.length())).then(|| body.at(local))
}

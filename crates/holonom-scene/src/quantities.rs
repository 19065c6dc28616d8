//! Named quantities of a model: everything that can be recorded, plotted or shown, by name and unit.
//!
//! Names are made of the name of a body, joint or force and what is meant of it (`crank.pos.x`, `pin.force.z`); `*`
//! stands for anything. The first quantity of every selection is `time`. Reading a row solves the equations at most
//! once, and takes no memory after the first (unless joints are redundant: their loads are then split anew at every
//! state).

mod catalogue;
mod contact_sums;

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::scene::Scene;
use crate::source::Span;
use catalogue::{Catalogue, Observable, Source};
use contact_sums::ContactSums;
use holonom::math::Vec3;
use holonom::{
    AttachmentKind, BodyId, Diagnosis, Ledger, Model, Observation, ObservationDepth, Simulation, SolverKind, StepError,
};
use std::collections::HashSet;

/// Columns that are recorded by default; of larger models only those of the whole.
pub const MOST_BY_DEFAULT: usize = 4000;
/// What can be asked for at once.
pub const MOST: usize = 200_000;

/// One quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name, such as `crank.pos.x`.
    pub name: String,
    /// Its unit, such as `m`.
    pub unit: &'static str,
    /// What a reader should know; mostly empty.
    pub note: String,
}

/// A selection of quantities, and how to read them.
#[derive(Clone, Debug)]
pub struct Quantities {
    all: Vec<Quantity>,
    sources: Vec<Source>,
    reduced: bool,
    scratch: Scratch,
}

/// Memory that is kept from one state to the next.
#[derive(Clone, Debug, Default)]
struct Scratch {
    ledger: Ledger,
    contacts: ContactSums,
    /// Pairs of bodies whose gaps are asked for, in the order of the columns, and the gaps, m.
    pairs: Vec<(BodyId, BodyId)>,
    gaps: Vec<f64>,
    /// Of one force.
    pushes: Vec<Vec3>,
}

/// A name or pattern that fits no quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownQuantity {
    /// Which of the patterns.
    pub index: usize,
    /// As written.
    pub pattern: String,
    /// What was probably meant.
    pub near: Option<String>,
    /// What the thing it names has, where it names one.
    pub has: Vec<String>,
    /// So many were selected, more than [`MOST`]: the pattern is not unknown but too wide.
    pub too_many: Option<usize>,
}

impl UnknownQuantity {
    /// As a message.
    pub fn diagnostic(&self, span: Option<Span>) -> Diagnostic {
        let name = shown(&self.pattern);
        if let Some(n) = self.too_many {
            let d = Diagnostic::error(codes::TOO_LARGE_VALUE, format!("`{name}` selects too many quantities"));
            let d =
                d.label(format!("{n} and more, at most {MOST}")).help("name fewer of them: `energy.*`, `BODY.pos.*`");
            return Diagnostic { span, ..d };
        }
        let what = if self.pattern.contains('*') { "no quantity fits" } else { "there is no quantity" };
        let d = Diagnostic::error(codes::UNKNOWN_COLUMN, format!("{what} `{name}`"));
        let d = d.label(self.near.as_ref().map_or("not known".into(), |near| format!("did you mean `{near}`?")));
        let d = if self.has.is_empty() {
            d.help("quantities are called BODY.pos.x, JOINT.coordinate, JOINT.force.x, energy.kinetic ...; `*` stands for anything")
        } else {
            d.help(format!("there are {}", self.has.join(", ")))
        };
        Diagnostic { span, ..d }
    }
}

impl Quantities {
    /// The quantities of a model that patterns select, in their order; the usual ones if there are no patterns.
    pub fn new(model: &Model, patterns: &[&str]) -> Result<Quantities, UnknownQuantity> {
        Quantities::select(model, None, patterns)
    }

    /// The same, with the points that the scene of the model names.
    pub fn of_scene(model: &Model, scene: &Scene, patterns: &[&str]) -> Result<Quantities, UnknownQuantity> {
        Quantities::select(model, Some(scene), patterns)
    }

    fn select(model: &Model, scene: Option<&Scene>, patterns: &[&str]) -> Result<Quantities, UnknownQuantity> {
        let catalogue = Catalogue::new(model, scene);
        let mut chosen = Chosen::default();
        chosen.put("time", Source { of: Observable::Time, part: 0, unit: "s", by_default: true });
        let mut reduced = false;
        if patterns.is_empty() {
            let per_joint = 8;
            reduced = 7 * model.n_bodies() + per_joint * model.n_joints() > MOST_BY_DEFAULT;
            let mut put = |name: &str, s: Source, wanted: bool| {
                if s.by_default && wanted {
                    chosen.put(name, s);
                }
            };
            // bodies and joints first, as they are read first
            if !reduced {
                catalogue.all(|_| true, |name, s| put(name, s, s.of != Observable::Energy));
            }
            catalogue.globals(&mut |name, s| put(name, s, true));
        }
        for (index, pattern) in patterns.iter().enumerate() {
            let pattern = pattern.trim();
            let head = pattern.split('*').next().unwrap_or("");
            // an owner whose name cannot begin the pattern has nothing to give
            let enter = |owner: &str| {
                let n = owner.len().min(head.len());
                owner.as_bytes()[..n] == head.as_bytes()[..n]
                    && (head.len() <= owner.len() || head.as_bytes()[owner.len()] == b'.')
            };
            let (mut found, mut too_many) = (0, false);
            catalogue.all(enter, |name, s| {
                // a star means the parts of a vector; its length is asked for by its own name
                let meant = !s.is_norm() || pattern.ends_with("norm");
                if !too_many && meant && fits(pattern, name) {
                    found += 1;
                    chosen.put(name, s);
                    too_many = chosen.all.len() > MOST;
                }
            });
            if found == 0 || too_many {
                let mut unknown = suggest(&catalogue, pattern);
                unknown.index = index;
                unknown.too_many = too_many.then_some(chosen.all.len());
                return Err(unknown);
            }
        }
        Ok(Quantities { all: chosen.all, sources: chosen.sources, reduced, scratch: Scratch::default() })
    }

    /// All of them; the first is `time`.
    pub fn all(&self) -> &[Quantity] {
        &self.all
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Never: there is always `time`.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|q| q.name.as_str())
    }

    /// Their units.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|q| q.unit)
    }

    /// The model is so large that only the energies were taken.
    pub fn reduced(&self) -> bool {
        self.reduced
    }

    /// Is any reaction among them?
    pub fn has_reactions(&self) -> bool {
        self.asks(|o| matches!(o, Observable::Reaction(_) | Observable::Multipliers(_) | Observable::Tension(_)))
    }

    /// Note at every component of a reaction that is not unique that it is not, and how this solver shares such loads.
    pub fn mark_not_unique(&mut self, diagnosis: &Diagnosis, solver: SolverKind) {
        let split = if solver.keeps_its_loads() {
            format!("that of the solver {}", solver.name())
        } else {
            "the split with the smallest loads".into()
        };
        let note = format!("not unique: redundant joints share this load, given is {split}");
        for (quantity, source) in self.all.iter_mut().zip(&self.sources) {
            let doubtful = match source.of {
                Observable::Reaction(joint) => diagnosis.reaction(joint).is_some_and(|r| {
                    let all = [r.force_unique, r.torque_unique].concat();
                    let first = source.first();
                    !all[first..first + if source.is_norm() { 3 } else { 1 }].iter().all(|unique| *unique)
                }),
                Observable::Tension(joint) => diagnosis.not_unique.iter().any(|r| r.joint == joint && r.row == 0),
                Observable::Multipliers(joint) => {
                    diagnosis.not_unique.iter().any(|r| r.joint == joint && r.row == source.part as usize)
                }
                _ => false,
            };
            if doubtful {
                quantity.note.clone_from(&note);
            }
        }
    }

    /// The values at the present state of a simulation of this model, one for each quantity. What does not exist (any
    /// more) is NaN.
    ///
    /// # Errors
    /// When the equations cannot be solved at this state. All values are written all the same: places, velocities and
    /// energies as they are, NaN for accelerations and for forces of joints and contacts.
    ///
    /// # Panics
    /// When `out` has not the length of the selection.
    pub fn read(&mut self, sim: &mut Simulation, out: &mut [f64]) -> Result<(), StepError> {
        assert_eq!(out.len(), self.sources.len(), "one value for each quantity");
        self.read_plain(sim, out);
        if !self.asks(Observable::needs_observation) {
            return Ok(());
        }
        let model = sim.model().clone();
        let depth = match self.has_reactions() {
            true => ObservationDepth::LeastLoads,
            false if self.sources.iter().any(|s| s.of.needs_forces(s.part)) => ObservationDepth::Forces,
            false => ObservationDepth::Places,
        };
        let mut seen = sim.observe_partly(depth);
        let failure = seen.failure().cloned();
        if self.asks(|l| matches!(l, Observable::Contact(..) | Observable::BodyContacts(_) | Observable::Contacts)) {
            self.scratch.contacts.read(&model, seen.contacts());
        }
        let mut numbers = [f64::NAN; 9];
        let mut last = None;
        for (source, out) in self.sources.iter().zip(out) {
            if let Observable::Multipliers(joint) = source.of {
                *out = seen.multipliers(joint).get(source.part as usize).copied().unwrap_or(f64::NAN);
            } else if let Observable::Tension(joint) = source.of {
                *out = seen.multipliers(joint).first().map_or(f64::NAN, |x| -x);
            } else if source.of.needs_observation() {
                if last != Some(source.of) {
                    last = Some(source.of);
                    numbers = self.scratch.numbers(source.of, &mut seen, &model);
                }
                let known = failure.is_none() || !source.of.needs_forces(source.part);
                let first = source.first();
                *out = match (known, source.is_norm()) {
                    (false, _) => f64::NAN,
                    (true, false) => numbers[first],
                    (true, true) => Vec3::from_slice(&numbers[first..first + 3]).length(),
                };
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn asks(&self, of: impl Fn(Observable) -> bool) -> bool {
        self.sources.iter().any(|s| of(s.of))
    }

    /// The values that need no solution of the equations.
    fn read_plain(&mut self, sim: &mut Simulation, out: &mut [f64]) {
        let energy = if self.asks(|o| o == Observable::Energy) { sim.energy() } else { Default::default() };
        let momentum = if self.asks(|o| o == Observable::Momentum) { sim.momentum() } else { Default::default() };
        let gaps = if self.asks(|o| o == Observable::Gaps) { sim.violation() } else { (0.0, 0.0) };
        if self.asks(|o| matches!(o, Observable::Ledger | Observable::WorkOfForce(_) | Observable::WorkOfJoint(_))) {
            sim.read_ledger(&mut self.scratch.ledger);
        }
        let pairs = self.sources.iter().filter_map(|s| match s.of {
            Observable::ContactGap(a, b) => Some((a, b)),
            _ => None,
        });
        self.scratch.pairs.clear();
        self.scratch.pairs.extend(pairs);
        if !self.scratch.pairs.is_empty() {
            // gaps are worth knowing where bodies are near each other
            let near = sim.model().length_scale();
            sim.read_gaps(&self.scratch.pairs, near, &mut self.scratch.gaps);
        }
        let mut gap_of_pair = self.scratch.gaps.iter();
        let overlap = if self.asks(|o| o == Observable::Overlap) { sim.overlap() } else { 0.0 };
        let l = &self.scratch.ledger;
        for (source, out) in self.sources.iter().zip(out) {
            let k = source.part as usize;
            *out = match source.of {
                Observable::Time => sim.time(),
                Observable::Energy => [energy.kinetic, energy.gravity, energy.elastic, energy.total()][k],
                Observable::Momentum if k < 3 => momentum.linear[k],
                Observable::Momentum => momentum.angular[k - 3],
                Observable::Gaps => [gaps.0, gaps.1][k],
                Observable::WorkOfForce(f) => l.force(f),
                Observable::WorkOfJoint(j) => l.joint(j),
                Observable::Ledger => {
                    let given = [l.change, l.bodies, l.projection, l.imposed, l.integrator];
                    let touching = [l.contacts, l.friction, l.impacts, l.blows, l.stepping];
                    given.into_iter().chain(touching).nth(k).unwrap_or(f64::NAN)
                }
                Observable::Overlap => overlap,
                Observable::ContactGap(..) => gap_of_pair.next().copied().unwrap_or(f64::NAN),
                Observable::Solver => sim.solver_iterations().map_or(f64::NAN, |n| n as f64),
                _ => continue,
            };
        }
    }
}

impl Scratch {
    /// The numbers of one observable, in the order of its parts; NaN for those that do not exist.
    fn numbers(&mut self, of: Observable, seen: &mut Observation, model: &Model) -> [f64; 9] {
        let mut numbers = [f64::NAN; 9];
        let mut put = |first: usize, v: Vec3| numbers[first..first + 3].copy_from_slice(&v.to_array());
        match of {
            Observable::Centre(body, point) => {
                let (at, velocity) = seen.centre(body);
                put(0, at);
                put(3, velocity);
                if let Some(m) = point.and_then(|p| seen.point(p)) {
                    put(6, m.acceleration);
                }
            }
            Observable::Point(marker) => {
                if let Some(m) = seen.point(marker) {
                    put(0, m.at);
                    put(3, m.velocity);
                    put(6, m.acceleration);
                }
            }
            Observable::Spin(body) => {
                if let Some(m) = seen.spin(body) {
                    put(0, m.velocity);
                    put(3, m.acceleration);
                }
            }
            Observable::Reaction(joint) => {
                let r = seen.reaction(joint);
                put(0, r.force);
                put(3, r.torque);
            }
            Observable::ForceOnBody(force, body) => {
                seen.pushes(force, &mut self.pushes);
                let pushed = model.force_attachments(force).iter().zip(&self.pushes);
                let on_body = pushed.filter(|(a, _)| a.body == body && matches!(a.what, AttachmentKind::Point(_)));
                put(0, on_body.fold(Vec3::ZERO, |sum, (_, push)| sum + *push));
            }
            Observable::Acceleration(joint, i) => {
                numbers[0] = seen.coordinate_acceleration(joint, i as usize).unwrap_or(f64::NAN);
            }
            Observable::PlaneAngle(body) => numbers[0] = seen.angle(body).unwrap_or(f64::NAN),
            Observable::Orientation(body) => {
                if let Some(e) = seen.orientation(body) {
                    numbers[..4].copy_from_slice(&[e.w, e.x, e.y, e.z]);
                }
            }
            Observable::Coordinate(joint, i) => {
                if let Some((value, rate)) = seen.coordinate(joint, i as usize) {
                    (numbers[0], numbers[1]) = (value, rate);
                }
            }
            Observable::Status(joint) => {
                if let Some(s) = seen.inequality_status(joint) {
                    numbers[..3].copy_from_slice(&[s.load, s.gap.unwrap_or(f64::NAN), contact_sums::code(s.state)]);
                }
            }
            Observable::Contact(a, b) => {
                let sum = self.contacts.between(model, a, b);
                put(0, sum.force);
                numbers[3..6].copy_from_slice(&[sum.normal, sum.points as f64, contact_sums::code(sum.state)]);
            }
            Observable::BodyContacts(body) => {
                let sum = self.contacts.of(body);
                put(0, sum.force);
                numbers[3] = sum.points as f64;
            }
            Observable::Contacts => (numbers[0], numbers[1]) = (self.contacts.points as f64, self.contacts.largest),
            Observable::Power(force) => numbers[0] = seen.power(force),
            Observable::Certificate => {
                let residual = seen.residual();
                (numbers[0], numbers[3]) = (residual.largest(), residual.contradiction);
                numbers[1] = seen.rank_deficiency().map_or(f64::NAN, |n| n as f64);
                numbers[2] = seen.complementarity();
            }
            _ => {}
        }
        numbers
    }
}

#[derive(Default)]
struct Chosen {
    all: Vec<Quantity>,
    sources: Vec<Source>,
    names: HashSet<String>,
}

impl Chosen {
    fn put(&mut self, name: &str, source: Source) {
        if self.names.insert(name.to_string()) {
            self.all.push(Quantity { name: name.to_string(), unit: source.unit, note: String::new() });
            self.sources.push(source);
        }
    }
}

/// Does a name fit a pattern in which `*` stands for anything?
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(mut part) = parts.next() else { return rest.is_empty() };
    // every part but the last as early as it comes; the last at the end
    for next in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        part = next;
    }
    rest.ends_with(part)
}

/// The unit of a quantity by its name alone, as far as that says it; for tables that have lost their units.
pub fn usual_unit(name: &str) -> &'static str {
    let first = name.split('.').next().unwrap_or("");
    let which = |w: &str| matches!(w, "w" | "x" | "y" | "z" | "norm") || w.bytes().all(|b| b.is_ascii_digit());
    let words = || name.rsplit('.').skip_while(|w| which(w));
    match (first, words().next().unwrap_or("")) {
        ("time", _) => "s",
        ("energy" | "ledger", _) => "J",
        ("momentum", "linear") => "kg m/s",
        ("momentum", "angular") => "kg m^2/s",
        (_, "pos" | "origin") => "m",
        (_, "vel") => "m/s",
        (_, "acc") => "m/s^2",
        (_, "omega") => "rad/s",
        (_, "alpha") => "rad/s^2",
        (_, "quat") => "1",
        (_, "force") => "N",
        (_, "torque") => "N m",
        (_, "power") => "W",
        ("contact", "gap" | "overlap") => "m",
        ("contact", "largest") | (_, "tension" | "normal") => "N",
        (_, "points" | "state") | ("contact", "count") => "1",
        (_, "gap") => "m or rad",
        (_, "coordinate") => "m or rad",
        (_, "rate") => "m/s or rad/s",
        (_, "acceleration") => "m/s^2 or rad/s^2",
        (_, "angle") => "rad",
        (_, "effort") => "N or N m",
        _ => "",
    }
}

/// What was probably meant.
fn suggest(catalogue: &Catalogue, pattern: &str) -> UnknownQuantity {
    let model = catalogue.model;
    let (owner, rest) = pattern.split_once('.').unwrap_or((pattern, ""));
    let mut of_owner: Vec<String> = Vec::new();
    let mut gather = |name: &str, _| of_owner.push(name.to_string());
    if let Some(b) = model.body(owner) {
        catalogue.of_body(b, &mut gather);
    }
    if let Some(j) = model.joint(owner) {
        catalogue.of_joint(j, &mut gather);
    }
    if let Some(f) = model.force(owner) {
        catalogue.of_force(f, &mut gather);
    }
    let near = if of_owner.is_empty() {
        let mut globals = Vec::new();
        catalogue.globals(&mut |name, _| globals.push(name.to_string()));
        let owners = model.bodies().map(|b| model.body_name(b)).chain(model.joints().map(|j| model.joint_name(j)));
        let owners = owners.chain(model.forces().map(|f| model.force_name(f)));
        nearest(pattern, globals.iter().map(String::as_str)).map(str::to_string).or_else(|| {
            nearest(owner, owners).map(|o| if rest.is_empty() { format!("{o}.*") } else { format!("{o}.{rest}") })
        })
    } else if rest.is_empty() {
        Some(format!("{owner}.*"))
    } else {
        let whole =
            of_owner.iter().map(String::as_str).find(|n| n.starts_with(rest) && n[rest.len()..].starts_with('.'));
        match whole {
            Some(_) => Some(format!("{owner}.{rest}.*")),
            None => nearest(rest, of_owner.iter().map(String::as_str)).map(|r| format!("{owner}.{r}")),
        }
    };
    // pos.x, pos.y, pos.z are shown as one
    let mut has: Vec<String> = Vec::new();
    for name in of_owner {
        let short = match name.rsplit_once('.') {
            Some((head, "w" | "x" | "y" | "z")) => format!("{owner}.{head}.*"),
            _ => format!("{owner}.{name}"),
        };
        if !has.contains(&short) && has.len() < 12 {
            has.push(short);
        }
    }
    UnknownQuantity { index: 0, pattern: pattern.to_string(), near, has, too_many: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_units() {
        for (name, unit) in [
            ("time", "s"),
            ("rod.pos.x", "m"),
            ("pin.torque.z", "N m"),
            ("energy.total", "J"),
            ("pin.rate", "m/s or rad/s"),
            ("slide.coordinate.1", "m or rad"),
            ("bolt.multiplier.2", ""),
            ("contact.ball.ground.force.z", "N"),
            ("contact.ball.ground.state", "1"),
            ("knee.limit.effort", "N or N m"),
            ("pin.force.norm", "N"),
            ("rod.vel.norm", "m/s"),
        ] {
            assert_eq!(usual_unit(name), unit, "{name}");
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, yes) in [
            ("a.pos.x", "a.pos.x", true),
            ("a.pos.x", "a.pos.xx", false),
            ("*", "anything", true),
            ("*.pos.*", "chain/1.pos.x", true),
            ("*.pos.*", "chain/1.quat.x", false),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "abcd", false),
            ("*x", "x", true),
            ("**", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(fits(pattern, name), yes, "{pattern} {name}");
        }
    }
}

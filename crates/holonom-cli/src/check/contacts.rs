//! What the doctor says of contact: who may touch whom, what overlaps at the start, which limits are exceeded there,
//! how it will be run.

use crate::text::plural;
use holonom::promises::Promise;
use holonom::{BodyId, ImpactOrder, IntegratorKind, Model, Restitution, Simulation};
use holonom_scene::Scene;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Pairs of bodies are counted one by one up to so many bodies with shapes.
const MOST_COUNTED: usize = 3000;
/// So many overlaps are named.
const SHOWN: usize = 12;
/// Overlaps smaller than this part of the model's size are rounding.
const ROUNDING: f64 = 1e-9;

/// Two bodies that overlap.
#[derive(Serialize)]
pub(super) struct StartOverlap {
    pub a: String,
    pub b: String,
    /// m.
    pub depth: f64,
}

/// A limit or rope that is exceeded.
#[derive(Serialize)]
pub(super) struct LimitExcess {
    pub joint: String,
    /// m or rad.
    pub by: f64,
}

/// What there is to say.
pub(super) struct ContactReport {
    pub shapes: usize,
    carriers: usize,
    /// Pairs of bodies that may touch, and those that may not.
    pub pairs: Option<(usize, usize)>,
    pub overlaps: Vec<StartOverlap>,
    pub exceeded: Vec<LimitExcess>,
    /// Limits, ropes, dry frictions and capped drives.
    pub sided: usize,
    pub integrator: String,
    by_default: bool,
    pub impacts: String,
}

impl ContactReport {
    pub fn of(scene: &Scene, sim: &mut Simulation) -> ContactReport {
        let model = sim.model().clone();
        let may = model.may_touch();
        let said = scene.run.integrator.clone();
        let law = scene.contact.impacts;
        ContactReport {
            shapes: model.n_shapes(),
            carriers: may.n_carriers(),
            pairs: (may.n_carriers() <= MOST_COUNTED).then(|| may.count()),
            overlaps: overlaps(&model, sim),
            exceeded: exceeded(&model, sim),
            sided: model.joints().filter(|j| model.is_sided(*j)).count(),
            by_default: said.is_none(),
            integrator: said.unwrap_or_else(|| model.default_integrator().name().to_string()),
            impacts: format!(
                "{}, {}",
                match law.restitution {
                    Restitution::Newton => "newton",
                    Restitution::Poisson => "poisson",
                },
                match law.order {
                    ImpactOrder::Simultaneous => "simultaneous",
                    ImpactOrder::Sequential => "sequential",
                }
            ),
        }
    }

    /// Is there anything to say?
    pub fn any(&self) -> bool {
        self.shapes > 0 || self.sided > 0
    }

    pub fn text(&self, text: &mut String) {
        if !self.any() {
            return;
        }
        text.push('\n');
        if self.shapes > 0 {
            let bodies = plural(self.carriers, "body", "bodies");
            let _ =
                write!(text, "{} on {bodies} (the ground counts) may touch", plural(self.shapes, "shape", "shapes"));
            let _ = match self.pairs {
                Some((0, _)) => {
                    writeln!(text, ", but no two of them: joints hold them together, or they ignore each other.")
                }
                Some((may, 0)) => {
                    writeln!(text, ": {}, none excluded.", plural(may, "pair of bodies", "pairs of bodies"))
                }
                Some((may, not)) => writeln!(
                    text,
                    ": {}; {not} more do not, because a joint holds them together or they ignore each other.",
                    plural(may, "pair of bodies", "pairs of bodies")
                ),
                None => writeln!(text, ", too many pairs to count."),
            };
        }
        if self.sided > 0 {
            let _ = writeln!(
                text,
                "{} may act: limits, ropes, dry friction, caps on drives.",
                plural(self.sided, "one-sided joint", "one-sided joints")
            );
        }
        let chosen = if self.by_default { "" } else { ", as the scene says" };
        let how = match IntegratorKind::from_name(&self.integrator) {
            Some(IntegratorKind::Stepping) => {
                "time stepping: impacts, friction and resting contact are laws between velocities, step by step; of first order where something touches, RK4 for what touches nothing"
            }
            _ => "with events: impacts, and where contacts open, stick or slip, are found to rounding",
        };
        let _ = writeln!(text, "Run with `{}`{chosen}, {how}.", self.integrator);
        if self.shapes > 0 {
            let _ = writeln!(
                text,
                "Law of impacts: {}. Mobility and loads above are those without contacts.",
                self.impacts
            );
        }
    }

    /// What is worth a look.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        in_words(&self.overlaps, &self.exceeded)
    }
}

/// What a run begins with that is no legal state, where that is more than a step may leave.
pub(crate) fn beyond_at_the_start(model: &Arc<Model>) -> Vec<String> {
    if model.n_shapes() == 0 && !model.joints().any(|j| model.is_sided(j)) {
        return Vec::new();
    }
    let mut sim = Simulation::new(model.clone());
    let allowed = Promise::Overlap.bound(model, sim.drift());
    let (mut overlaps, mut exceeded) = (overlaps(model, &mut sim), exceeded(model, &mut sim));
    overlaps.retain(|o| o.depth > allowed);
    exceeded.retain(|e| e.by > allowed);
    in_words(&overlaps, &exceeded).collect()
}

fn in_words<'a>(overlaps: &'a [StartOverlap], exceeded: &'a [LimitExcess]) -> impl Iterator<Item = String> + use<'a> {
    let named = overlaps.iter().take(SHOWN).map(|o| {
            format!(
                "`{}` and `{}` overlap by {:.3e} m at the start: they will be pushed apart at once. Move one of them, or let them pass through each other (`[contact] ignore`).",
                o.a, o.b, o.depth
            )
        });
    let more = overlaps.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("{more} more pairs of bodies overlap at the start."));
    let beyond = exceeded.iter().take(SHOWN).map(|e| {
            format!("`{}` is exceeded by {:.3e} m or rad at the start: it will be pushed back at once, unless drives hold it there.", e.joint, e.by)
        });
    named.chain(more).chain(beyond)
}

/// Pairs of bodies that overlap, the deepest first.
fn overlaps(model: &Model, sim: &mut Simulation) -> Vec<StartOverlap> {
    let mut near = Vec::new();
    sim.read_near(0.0, &mut near);
    let slot = |b: BodyId| b.index().unwrap_or(usize::MAX);
    let mut deepest: BTreeMap<(usize, usize), (BodyId, BodyId, f64)> = BTreeMap::new();
    for n in near.iter().filter(|n| n.gap < -ROUNDING * model.length_scale()) {
        let (a, b) = if slot(n.bodies.0) < slot(n.bodies.1) { n.bodies } else { (n.bodies.1, n.bodies.0) };
        let entry = deepest.entry((slot(a), slot(b))).or_insert((a, b, 0.0));
        entry.2 = entry.2.max(-n.gap);
    }
    let name = |b: BodyId| model.body_name(b).to_string();
    let mut all: Vec<StartOverlap> =
        deepest.into_values().map(|(a, b, depth)| StartOverlap { a: name(a), b: name(b), depth }).collect();
    all.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    all
}

/// Limits and ropes that are exceeded.
fn exceeded(model: &Model, sim: &mut Simulation) -> Vec<LimitExcess> {
    // where the equations cannot be solved the doctor has said so already
    let Ok(seen) = sim.observe() else { return Vec::new() };
    let gap = |j: holonom::JointId| seen.inequality_status(j).and_then(|s| s.gap);
    let beyond = model.joints().filter_map(|j| gap(j).filter(|g| *g < -ROUNDING).map(|g| (j, g)));
    beyond.map(|(j, g)| LimitExcess { joint: model.joint_name(j).to_string(), by: -g }).collect()
}

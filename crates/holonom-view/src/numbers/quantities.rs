//! What can be watched: names and units, in groups.
//!
//! A model of ten thousand bodies has half a million quantities. Those of the first bodies, joints and forces are listed ([`MostShown`]); every other has a name of the same
//! pattern, and can be watched by it.

use super::is_hand;
use crate::picture::structure::is_quick;
use holonom::{Model, Simulation};
use holonom_scene::{Quantities, Scene};
use serde::Serialize;

/// What can be watched.
#[derive(Clone, Debug, Default, Serialize)]
pub struct QuantitiesAnswer {
    /// Groups in order: the whole mechanism first, then bodies, joints, forces, contacts.
    pub groups: Vec<Group>,
    /// Patterns of names that are not listed, because there are too many.
    pub patterns: Vec<Pattern>,
    /// What is left out, for people; empty where nothing is.
    pub note: String,
}

/// Quantities that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// For people: the name of the body, joint or force, or what the group is about.
    pub title: String,
    /// `time`, `energy`, `momentum`, `ledger`, `certificate`, `contact`, `body`, `joint` or `force`.
    pub kind: &'static str,
    /// What it belongs to, such as `body.crank`.
    pub path: Option<String>,
    /// Its quantities.
    pub quantities: Vec<Named>,
}

/// A quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    /// Its name, such as `crank.pos.x`.
    pub name: String,
    /// Its name within its group, such as `pos.x`.
    pub label: String,
    /// Its unit, such as `m`.
    pub unit: &'static str,
    /// What a reader should know; mostly empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Names of the same pattern: `BODY.pos.x` for any body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// `body`, `joint` or `force`.
    pub of: &'static str,
    /// What follows the name and a dot.
    pub label: String,
    /// Its unit.
    pub unit: &'static str,
}

/// How many bodies, joints and forces are listed.
pub struct MostShown;

impl MostShown {
    /// Of each.
    pub const OWNERS: usize = 100;
    /// Pairs of bodies that may touch.
    pub const PAIRS: usize = 50;
}

/// Quantities of the whole: title, kind, pattern.
const WHOLE: [(&str, &str, &str); 6] = [
    ("Time", "time", "time"),
    ("Energy", "energy", "energy.*"),
    ("Momentum", "momentum", "momentum.*"),
    ("Energy ledger", "ledger", "ledger.*"),
    ("Certificate", "certificate", "certificate.*"),
    ("Contacts", "contact", "contact.*"),
];

/// Selects by patterns, one at a time: one that selects nothing, or too much, is no reason to refuse the others.
struct Selector<'a> {
    model: &'a Model,
    scene: &'a Scene,
    found: Option<holonom::Diagnosis>,
}

impl Selector<'_> {
    fn named(&self, pattern: &str, prefix: &str) -> Vec<Named> {
        let Ok(mut all) = Quantities::of_scene(self.model, self.scene, &[pattern]) else { return Vec::new() };
        if let Some(found) = &self.found {
            all.mark_not_unique(found);
        }
        // every selection begins with `time`
        let own = all.all().iter().skip(if pattern == "time" { 0 } else { 1 });
        let own = own.filter(|q| !q.name.contains(super::HAND));
        own.map(|q| Named {
            name: q.name.clone(),
            label: q.name.strip_prefix(prefix).unwrap_or(&q.name).to_string(),
            unit: q.unit,
            note: q.note.clone(),
        })
        .collect()
    }
}

/// What can be watched of a mechanism.
pub fn quantities(scene: &Scene, sim: &mut Simulation) -> QuantitiesAnswer {
    // what depends on which loads are unique is said where that is quick to know
    let quick = sim.model().n_joints() > 0 && is_quick(sim);
    let found = if quick { sim.diagnose().ok() } else { None };
    let model = sim.model().clone();
    let select = Selector { model: &model, scene, found };
    let names = |all: Vec<&str>| -> Vec<String> { all.into_iter().filter(|n| !is_hand(n)).map(String::from).collect() };
    let owners = [
        ("body", names(model.bodies().map(|b| model.body_name(b)).collect())),
        ("joint", names(model.joints().map(|j| model.joint_name(j)).collect())),
        ("force", names(model.forces().map(|f| model.force_name(f)).collect())),
    ];
    let few = owners.iter().all(|(_, names)| names.len() <= MostShown::OWNERS);
    let mut out = QuantitiesAnswer::default();
    for (title, kind, pattern) in WHOLE {
        let quantities = match kind {
            // of very many joints and pairs only the sums
            "ledger" if !few => Vec::new(),
            "contact" => of_contacts(&select, &model),
            _ => select.named(pattern, &format!("{kind}.")),
        };
        if !quantities.is_empty() {
            out.groups.push(Group { title: title.into(), kind, path: None, quantities });
        }
    }
    for (kind, names) in &owners {
        for name in names.iter().take(MostShown::OWNERS) {
            let prefix = format!("{name}.");
            let mut quantities = select.named(&format!("{name}.*"), &prefix);
            // `pin.limit.effort` belongs to `pin.limit`, not to `pin`; and a force may have the name of a body
            let longer = |q: &Named| {
                names.iter().any(|n| {
                    n.len() > name.len() && n.starts_with(&prefix) && q.name[..].starts_with(n.as_str()) && {
                        q.name.as_bytes().get(n.len()) == Some(&b'.')
                    }
                })
            };
            quantities.retain(|q| belongs(&model, kind, name, q) && !longer(q));
            if !quantities.is_empty() {
                let path = Some(format!("{kind}.{name}"));
                out.groups.push(Group { title: name.clone(), kind, path, quantities });
            }
        }
        let left = names.len().saturating_sub(MostShown::OWNERS);
        if left > 0 {
            let first = out.groups.iter().find(|g| g.kind == *kind);
            let like = |q: &Named| Pattern { of: kind, label: q.label.clone(), unit: q.unit };
            out.patterns.extend(first.into_iter().flat_map(|g| &g.quantities).map(like));
            out.note += &format!(
                "{} more {} have quantities of the same kind: write `NAME.pos.x` and the like. ",
                left,
                match *kind {
                    "body" => "bodies",
                    "joint" => "joints",
                    _ => "forces",
                }
            );
        }
    }
    out.note = out.note.trim_end().to_string();
    out
}

/// Does a quantity of a name belong to the body, joint or force of that name? They may share it.
fn belongs(model: &Model, kind: &str, name: &str, q: &Named) -> bool {
    let others = [
        ("body", model.body(name).is_some()),
        ("joint", model.joint(name).is_some()),
        ("force", model.force(name).is_some()),
    ];
    if others.iter().filter(|o| o.1).count() < 2 {
        return true;
    }
    let of_joint = ["coordinate", "rate", "force.", "torque.", "multiplier", "effort", "tension", "gap", "state"];
    let owner = if q.label == "power" {
        "force"
    } else if of_joint.iter().any(|p| q.label.starts_with(p)) {
        "joint"
    } else {
        "body"
    };
    owner == kind
}

/// Sums over all contacts, and pairs where there are few of them.
fn of_contacts(select: &Selector, model: &Model) -> Vec<Named> {
    if !model.has_sides() {
        return Vec::new();
    }
    let may = model.may_touch();
    let few = may.n_carriers() <= MostShown::PAIRS && may.count().0 <= MostShown::PAIRS;
    if few {
        return select.named("contact.*", "contact.");
    }
    ["contact.count", "contact.overlap", "contact.largest"]
        .iter()
        .flat_map(|name| select.named(name, "contact."))
        .collect()
}

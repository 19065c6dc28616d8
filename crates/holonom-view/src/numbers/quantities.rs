//! What can be watched: names and units, in the order of the catalogue (the whole mechanism, bodies, joints, forces,
//! pairs that may touch).
//!
//! A model of ten thousand bodies has half a million quantities, more than a page can list. Of such models everything
//! is listed of the first bodies, joints and forces ([`FULL`]), and of the others only where they are: names of the
//! same pattern (`NAME.vel.x`) can be watched all the same.

use super::is_hand;
use crate::picture::coordinate_name;
use crate::picture::structure::is_quick;
use holonom::joints::CoordinateKind;
use holonom::{Diagnosis, Model, Simulation, SolverKind};
use holonom_scene::{Quantities, Scene};
use serde::Serialize;

/// A quantity.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantityAnswer {
    /// Its name, such as `crank.pos.x`.
    pub name: String,
    /// Its unit, such as `m`.
    pub unit: &'static str,
    /// What a reader should know; mostly empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Bodies, joints and forces, of each the first so many, of which everything is listed however large the model.
pub const FULL: usize = 50;
/// Models up to so many bodies, joints and forces are listed in full.
const SMALL: usize = 400;
/// Pairs of bodies that may touch are listed up to so many.
const PAIRS: usize = 64;
/// Names in the list.
const MOST: usize = 60_000;

/// What belongs to no body, joint or force.
const WHOLE: [&str; 5] = ["energy.*", "momentum.*", "certificate.*", "solver.*", "ledger.*"];
/// The same in large models, where every joint has an entry in the ledger.
const WHOLE_OF_MANY: [&str; 9] = [
    "energy.*",
    "momentum.*",
    "certificate.*",
    "solver.*",
    "ledger.change",
    "ledger.bodies",
    "ledger.projection",
    "ledger.imposed",
    "ledger.error",
];

/// What can be watched of a mechanism; the first is `time`.
pub fn quantities(scene: &Scene, sim: &mut Simulation) -> Vec<QuantityAnswer> {
    // which loads are unique is said where that is quick to know
    let quick = sim.model().n_joints() > 0 && is_quick(sim);
    let found = if quick { sim.diagnose().ok() } else { None };
    let model = sim.model().clone();
    let bodies: Vec<&str> = model.bodies().map(|b| model.body_name(b)).collect();
    let joints: Vec<&str> = model.joints().map(|j| model.joint_name(j)).filter(|n| !is_hand(n)).collect();
    let forces: Vec<&str> = model.forces().map(|f| model.force_name(f)).filter(|n| !is_hand(n)).collect();
    let small = bodies.len() + joints.len() + forces.len() <= SMALL;
    let most = if small { usize::MAX } else { FULL };
    let mut patterns: Vec<String> = match small {
        true => WHOLE.map(String::from).to_vec(),
        false => WHOLE_OF_MANY.map(String::from).to_vec(),
    };
    for names in [&bodies, &joints, &forces] {
        patterns.extend(names.iter().take(most).map(|name| format!("{name}.*")));
    }
    if model.has_inequalities() {
        let may = model.may_touch();
        let few = may.n_carriers() <= PAIRS && may.count().0 <= PAIRS;
        let of_contacts: &[&str] =
            if few { &["contact.*"] } else { &["contact.count", "contact.overlap", "contact.largest"] };
        patterns.extend(of_contacts.iter().map(|p| p.to_string()));
    }
    let mut all = select(&model, scene, &patterns, found.as_ref().map(|d| (d, sim.solver())));
    if !small {
        all.extend(places(&model, &bodies));
        all.truncate(MOST);
    }
    all
}

/// What patterns select, each quantity once.
fn select(
    model: &Model,
    scene: &Scene,
    patterns: &[String],
    found: Option<(&Diagnosis, SolverKind)>,
) -> Vec<QuantityAnswer> {
    let names: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let selected = Quantities::of_scene(model, scene, &names).or_else(|unknown| {
        // one that selects nothing is no reason to do without the others
        let rest: Vec<&str> = names.iter().enumerate().filter(|(k, _)| *k != unknown.index).map(|(_, n)| *n).collect();
        Quantities::of_scene(model, scene, &rest).or_else(|_| Quantities::of_scene(model, scene, &["energy.*"]))
    });
    let Ok(mut selected) = selected else { return Vec::new() };
    if let Some((found, solver)) = found {
        selected.mark_not_unique(found, solver);
    }
    let own = selected.all().iter().filter(|q| !q.name.contains(super::HAND));
    own.map(|q| QuantityAnswer { name: q.name.clone(), unit: q.unit, note: q.note.clone() }).collect()
}

/// Where the bodies and joints are of which not everything is listed.
fn places<'a>(model: &'a Model, bodies: &'a [&'a str]) -> impl Iterator<Item = QuantityAnswer> + 'a {
    let named = |name: String, unit| QuantityAnswer { name, unit, note: String::new() };
    let centres = bodies
        .iter()
        .skip(FULL)
        .flat_map(move |body| ["x", "y", "z"].map(|axis| named(format!("{body}.pos.{axis}"), "m")));
    let own = model.joints().filter(|j| !is_hand(model.joint_name(*j))).skip(FULL);
    let coordinates = own.flat_map(move |joint| {
        let name = model.joint_name(joint);
        model.coordinate_kinds(joint).iter().enumerate().map(move |(i, kind)| {
            named(coordinate_name(name, i), if *kind == CoordinateKind::Angle { "rad" } else { "m" })
        })
    });
    centres.chain(coordinates)
}

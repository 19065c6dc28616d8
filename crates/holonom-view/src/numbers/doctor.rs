//! The doctor's report on the present pose, in sentences and tables.
//!
//! The same facts as `holonom check` prints. A sentence stands alone, says whether it is good news, a remark or a
//! warning, and names what it speaks of by paths (`joint.A`, `body.crank`), so that a page can point there.

use super::{LISTED, free_motions, is_hand, list, plural};
use crate::picture::kind_of;
use holonom::doctor::{JointReaction, RedundantSet, RowName};
use holonom::joints;
use holonom::{BodyId, Diagnosis, Model, Simulation};
use holonom_scene::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a sentence is meant.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceLevel {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Worth a look.
    Warn,
}

/// One sentence, or two that belong together.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sentence {
    /// What is said.
    pub text: String,
    /// How it is meant.
    pub level: SentenceLevel,
    /// What it speaks of: `joint.A`, `body.crank`. At most 500.
    pub paths: Vec<String>,
}

/// A row of a joint.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DoctorRow {
    /// Name of the joint.
    pub joint: String,
    /// Which of its multipliers, from 0.
    pub row: usize,
    /// What it holds, such as "translation along x".
    pub holds: String,
}

/// Rows that hold the same thing more than once.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RedundantRows {
    /// All of them.
    pub rows: Vec<DoctorRow>,
    /// Those that could be left out: one choice of several.
    pub dropped: Vec<DoctorRow>,
}

/// Loops that share joints.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterAnswer {
    /// Names of its joints.
    pub joints: Vec<String>,
    /// Rows of these joints.
    pub rows: usize,
    /// How many are independent.
    pub rank: usize,
}

/// A reaction with components that are not unique, in world axes.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NonUniqueLoad {
    /// Name of the joint.
    pub joint: String,
    /// N.
    pub force: [f64; 3],
    /// N m.
    pub torque: [f64; 3],
    /// Can the component have no other value?
    pub force_unique: [bool; 3],
    /// The same of the torque.
    pub torque_unique: [bool; 3],
}

/// The report.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DoctorAnswer {
    /// In words.
    pub sentences: Vec<Sentence>,
    /// Bodies, the ground not counted.
    pub bodies: usize,
    /// Joints and drives.
    pub joints: usize,
    /// Rows of all joints.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
    /// Independent ways to start moving from this pose.
    pub mobility: usize,
    /// The same at poses nearby.
    pub mobility_generic: usize,
    /// Is the pose singular?
    pub singular: bool,
    /// Independent loops.
    pub loops: usize,
    /// Largest gap of any joint, m or rad.
    pub gap: f64,
    /// Rows that hold something twice.
    pub redundant: Vec<RedundantRows>,
    /// Multipliers that are not unique.
    pub not_unique: Vec<DoctorRow>,
    /// Loops that share joints.
    pub clusters: Vec<ClusterAnswer>,
    /// Reactions that are not unique: the split with the smallest loads.
    pub loads: Vec<NonUniqueLoad>,
}

/// Paths of one sentence.
pub const MOST_PATHS: usize = 500;
/// Lines of a table.
const MOST_LINES: usize = 2000;
/// A gap up to this part of the mechanism's size is rounding, or nearly.
const CLOSED: f64 = 1e-9;
/// A gap from this part of its size on can be seen.
const OPEN: f64 = 1e-4;
/// Ratio of masses worth a word: still solved exactly, but a sign of mixed-up units.
const ODD_RATIO: f64 = 1e6;
/// Overlaps smaller than this part of the model's size are rounding.
const OVERLAP: f64 = 1e-9;

fn joint_paths<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    names.into_iter().take(MOST_PATHS).map(|n| format!("joint.{n}")).collect()
}

fn say(all: &mut Vec<Sentence>, level: SentenceLevel, text: impl Into<String>, paths: Vec<String>) {
    all.push(Sentence { text: text.into(), level, paths });
}

/// Ask the doctor.
pub fn diagnose(scene: &Scene, sim: &mut Simulation) -> Result<DoctorAnswer, String> {
    let d = sim.diagnose().map_err(|e| e.to_string())?;
    let model = sim.model().clone();
    let own = model.joints().filter(|j| !is_hand(model.joint_name(*j))).count();
    let mut all = Vec::new();
    what_it_is(&mut all, &model, &d, own);
    how_it_moves(&mut all, &model, &d, sim);
    loops(&mut all, &model, &d);
    redundant(&mut all, &model, &d);
    gaps(&mut all, &model, &d);
    touching(&mut all, &model, sim);
    worth_a_look(&mut all, scene, &model);
    let row = |r: &RowName| DoctorRow { joint: r.joint_name.clone(), row: r.row, holds: r.holds.clone() };
    let rows = |list: &[RowName]| list.iter().take(MOST_LINES).map(row).collect::<Vec<_>>();
    let name = |r: &JointReaction| model.joint_name(r.joint).to_string();
    Ok(DoctorAnswer {
        sentences: all,
        bodies: d.bodies,
        joints: own,
        rows: d.rows,
        rank: d.rank,
        mobility: d.mobility,
        mobility_generic: d.mobility_generic,
        singular: d.is_singular(),
        loops: d.loops,
        gap: d.gap,
        redundant: together(&d)
            .iter()
            .map(|set| RedundantRows { rows: rows(&set.rows), dropped: rows(&set.dropped) })
            .collect(),
        not_unique: rows(&d.not_unique),
        clusters: d
            .clusters
            .iter()
            .map(|c| ClusterAnswer {
                joints: c.joints.iter().map(|j| model.joint_name(*j).to_string()).collect(),
                rows: c.rows,
                rank: c.rank,
            })
            .collect(),
        loads: d
            .reactions
            .iter()
            .filter(|r| !r.is_unique())
            .take(MOST_LINES)
            .map(|r| NonUniqueLoad {
                joint: name(r),
                force: r.reaction.force.to_array(),
                torque: r.reaction.torque.to_array(),
                force_unique: r.force_unique,
                torque_unique: r.torque_unique,
            })
            .collect(),
    })
}

fn by_kind<'a>(kinds: impl Iterator<Item = &'a str>) -> String {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    kinds.for_each(|k| *count.entry(k).or_insert(0) += 1);
    let parts: Vec<String> = count.iter().map(|(k, n)| format!("{n} {k}")).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn what_it_is(all: &mut Vec<Sentence>, model: &Model, d: &Diagnosis, own: usize) {
    let bodies = by_kind(model.bodies().map(|b| kind_of(model, b)));
    let joints = model.joints().filter(|j| !is_hand(model.joint_name(*j)));
    let joints = by_kind(joints.map(|j| model.constraint(j).kind()));
    let bodies = format!("{}{bodies}", plural(d.bodies, "body", "bodies"));
    let text = match own {
        0 => format!("{bodies} and no joints."),
        n => {
            let rows = plural(d.rows, "row", "rows");
            format!(
                "{bodies} and {}{joints} with {rows}, of which {} are independent.",
                plural(n, "joint", "joints"),
                d.rank
            )
        }
    };
    say(all, SentenceLevel::Note, text, Vec::new());
}

/// Does anything drive it?
fn is_driven(model: &Model) -> bool {
    model.joints().any(|j| joints::is_drive(model.constraint(j).kind()) && !is_hand(model.joint_name(j)))
}

fn how_it_moves(all: &mut Vec<Sentence>, model: &Model, d: &Diagnosis, sim: &Simulation) {
    match d.mobility {
        0 if d.bodies == 0 => say(all, SentenceLevel::Note, "There is nothing here yet.", Vec::new()),
        0 if is_driven(model) => {
            say(all, SentenceLevel::Good, "It moves as its drives say, and in no other way.", Vec::new());
        }
        0 => say(
            all,
            SentenceLevel::Note,
            "Nothing can move: it is a structure, whose loads are all there is to see.",
            Vec::new(),
        ),
        n => {
            let ways = plural(n, "free motion", "free motions");
            let found = free_motions(sim, n).unwrap_or_default();
            let mut names: Vec<&str> = Vec::new();
            for (joint, _) in &found.coordinates {
                let name = model.joint_name(*joint);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let text = match (names.is_empty(), found.unseen) {
                (true, _) => format!("{ways}."),
                (false, 0) if n == 1 => format!("{ways}: where {} stands decides where everything is.", list(&names)),
                (false, 0) => format!("{ways}, told apart by {}, for instance.", list(&names)),
                (false, unseen) => format!(
                    "{ways}: {} told by {}, and {unseen} that no joint measures.",
                    found.coordinates.len(),
                    list(&names)
                ),
            };
            say(all, SentenceLevel::Good, text, joint_paths(names));
        }
    }
    if d.mobility > d.mobility_generic {
        let ways = plural(d.mobility_generic, "free motion", "free motions");
        let text = format!(
            "This pose is singular: at poses nearby there are {ways}. Branches of motion meet here, or it is at a dead centre."
        );
        say(all, SentenceLevel::Warn, text, Vec::new());
    } else if d.stuck {
        let text = "This pose is singular: some motions that the joints allow to begin cannot go on.";
        say(all, SentenceLevel::Warn, text, Vec::new());
    }
}

fn loops(all: &mut Vec<Sentence>, model: &Model, d: &Diagnosis) {
    if d.joints == 0 {
        return;
    }
    if d.loops == 0 {
        say(all, SentenceLevel::Good, "No loops: the joints form a tree, and no load can be ambiguous.", Vec::new());
        return;
    }
    let on: Vec<&str> = d.clusters.iter().flat_map(|c| &c.joints).map(|j| model.joint_name(*j)).collect();
    let text = match on.is_empty() {
        true => format!("{}.", plural(d.loops, "loop", "loops")),
        false => format!(
            "{}; on {} lie {}.",
            plural(d.loops, "loop", "loops"),
            if d.loops == 1 { "it" } else { "them" },
            list(&on)
        ),
    };
    say(all, SentenceLevel::Note, text, joint_paths(on.iter().copied()));
}

fn redundant(all: &mut Vec<Sentence>, model: &Model, d: &Diagnosis) {
    let sets = together(d);
    if sets.is_empty() {
        if d.joints > 0 && d.loops > 0 {
            let text = "No joint is redundant: every load is unique and can be trusted.";
            say(all, SentenceLevel::Good, text, Vec::new());
        }
        return;
    }
    for set in sets.iter().take(LISTED) {
        let names = joints_of(set);
        let surplus = plural(set.dropped.len(), "row", "rows");
        let is = if set.dropped.len() == 1 { "is" } else { "are" };
        let mut could: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        set.dropped.iter().for_each(|r| could.entry(&r.joint_name).or_default().push(&r.holds));
        let more = if could.len() > LISTED { ", and more of others" } else { "" };
        let could: Vec<String> = could.iter().take(LISTED).map(|(j, h)| format!("of `{j}` {}", h.join(", "))).collect();
        let text = format!(
            "{} hold the same thing more than once: {surplus} {is} surplus. Could be left out, for instance: {}{more}.",
            list(&names),
            could.join("; ")
        );
        say(all, SentenceLevel::Warn, text, joint_paths(names.iter().map(String::as_str)));
    }
    if sets.len() > LISTED {
        say(all, SentenceLevel::Warn, format!("... and {} more such sets.", sets.len() - LISTED), Vec::new());
    }
    let doubtful = d.reactions.iter().filter(|r| !r.is_unique());
    let doubtful: Vec<&str> = doubtful.map(|r| model.joint_name(r.joint)).collect();
    if doubtful.is_empty() {
        return;
    }
    let text = format!(
        "The motion is exact all the same, but the loads on {} are not unique: rigid bodies cannot say how redundant joints share a load. Shown is the split with the smallest loads.",
        list(&doubtful)
    );
    say(all, SentenceLevel::Warn, text, joint_paths(doubtful));
    let help = "To make them unique let one joint hold less (a ball joint or a sleeve instead of a hinge); to have them shared as stiff parts would, give the joints a `compliance`.";
    say(all, SentenceLevel::Note, help, Vec::new());
    let sure = d.reactions.iter().filter(|r| r.is_unique()).map(|r| model.joint_name(r.joint));
    let sure: Vec<&str> = sure.filter(|n| !is_hand(n)).collect();
    if !sure.is_empty() {
        say(all, SentenceLevel::Good, format!("Loads to be trusted: {}.", list(&sure)), joint_paths(sure));
    }
}

fn gaps(all: &mut Vec<Sentence>, model: &Model, d: &Diagnosis) {
    if d.rows == 0 {
        return;
    }
    let part = d.gap / model.length_scale().min(1.0);
    let (level, text) = if part <= CLOSED {
        (SentenceLevel::Good, format!("Joints are closed to rounding: the largest gap is {:.1e} m or rad.", d.gap))
    } else if part <= OPEN {
        (SentenceLevel::Note, format!("The largest gap of a joint is {:.1e} m or rad.", d.gap))
    } else {
        (
            SentenceLevel::Warn,
            format!("A joint is open by {:.1e} m or rad: it cannot be closed, or is being pulled apart.", d.gap),
        )
    };
    say(all, level, text, Vec::new());
}

fn touching(all: &mut Vec<Sentence>, model: &Model, sim: &mut Simulation) {
    if !model.has_inequalities() {
        return;
    }
    if model.n_shapes() > 0 {
        let touches = sim.contacts().unwrap_or_default();
        let (points, bodies) = (touches.len(), model.may_touch().n_carriers());
        let may = format!(
            "{} of {} may touch",
            plural(model.n_shapes(), "shape", "shapes"),
            plural(bodies, "body", "bodies")
        );
        let text = match points {
            0 => format!("{may}; nothing touches now. Mobility and loads are those without contacts."),
            n => format!(
                "{may}; they touch at {} now. Mobility and loads are those without contacts.",
                plural(n, "point", "points")
            ),
        };
        say(all, SentenceLevel::Note, text, Vec::new());
        overlaps(all, model, sim);
    }
    let bounded: Vec<&str> =
        model.joints().filter(|j| model.is_sided(*j)).map(|j| model.joint_name(j)).filter(|n| !is_hand(n)).collect();
    if !bounded.is_empty() {
        let text = format!(
            "{} on one side or up to a bound only: limits, ropes, dry friction, caps on drives.",
            if bounded.len() == 1 { "1 joint acts".into() } else { format!("{} joints act", bounded.len()) }
        );
        say(all, SentenceLevel::Note, text, joint_paths(bounded));
    }
}

/// Pairs of bodies that overlap.
fn overlaps(all: &mut Vec<Sentence>, model: &Model, sim: &mut Simulation) {
    let mut near = Vec::new();
    sim.read_near(0.0, &mut near);
    let least = OVERLAP * model.length_scale();
    let mut deepest = BTreeMap::new();
    for n in near.iter().filter(|n| n.gap < -least) {
        let (a, b) = n.bodies;
        let entry = deepest.entry((a.min(b), a.max(b))).or_insert(0.0f64);
        *entry = entry.max(-n.gap);
    }
    let deep = deepest.iter().max_by(|a, b| a.1.total_cmp(b.1));
    let Some((&(a, b), &depth)) = deep else { return };
    let name = |b: BodyId| model.body_name(b);
    let text = format!(
        "{} overlap, `{}` and `{}` the most: by {depth:.1e} m.",
        plural(deepest.len(), "pair of bodies", "pairs of bodies"),
        name(a),
        name(b)
    );
    let paths = [a, b].into_iter().filter(|b| !b.is_ground()).map(|b| format!("body.{}", name(b))).collect();
    // what is stepped through time overlaps by a little
    let level = if depth > 1e-3 * model.length_scale() { SentenceLevel::Warn } else { SentenceLevel::Note };
    say(all, level, text, paths);
}

fn worth_a_look(all: &mut Vec<Sentence>, scene: &Scene, model: &Model) {
    let mass = |b: &BodyId| model.mass(*b);
    let heavy = |b: &BodyId| mass(b) > 0.0;
    let lightest = model.bodies().filter(heavy).min_by(|a, b| mass(a).total_cmp(&mass(b)));
    let heaviest = model.bodies().filter(heavy).max_by(|a, b| mass(a).total_cmp(&mass(b)));
    if let (Some(light), Some(heavy)) = (lightest, heaviest)
        && mass(&heavy) > ODD_RATIO * mass(&light)
    {
        let name = |b| model.body_name(b);
        let text = format!(
            "`{}` has {:.3e} kg and `{}` {:.3e} kg. Joints hold at any ratio, but grams or millimetres may have slipped in.",
            name(light),
            mass(&light),
            name(heavy),
            mass(&heavy)
        );
        say(all, SentenceLevel::Warn, text, vec![format!("body.{}", name(light)), format!("body.{}", name(heavy))]);
    }
    if scene.run.ideal {
        say(all, SentenceLevel::Note, "Run as ideal: contacts, limits, friction and caps are left out.", Vec::new());
    }
}

/// Redundant sets of the same joints as one: people think in joints, not in rows.
fn together(d: &Diagnosis) -> Vec<RedundantSet> {
    let mut sets: BTreeMap<Vec<String>, RedundantSet> = BTreeMap::new();
    for set in &d.redundant {
        let all = sets.entry(joints_of(set)).or_insert_with(|| RedundantSet { rows: Vec::new(), dropped: Vec::new() });
        all.rows.extend(set.rows.iter().cloned());
        all.dropped.extend(set.dropped.iter().cloned());
    }
    sets.into_values().collect()
}

/// Names of the joints of a set, each once.
fn joints_of(set: &RedundantSet) -> Vec<String> {
    let mut names: Vec<String> = set.rows.iter().map(|r| r.joint_name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

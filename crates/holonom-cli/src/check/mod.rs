//! `holonom check`: the doctor's report on a scene, as one would want to read it.

mod contacts;

use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::scene::{OpenedScene, SceneArgs};
use crate::text::{plural, significant};
use contacts::ContactReport;
pub(crate) use contacts::beyond_at_the_start;
use holonom::doctor::{JointReaction, RedundantSet};
use holonom::joints;
use holonom::math::Vec3;
use holonom::{Diagnosis, JointId, Model, Simulation};
use holonom_run::stop::time_scale;
use holonom_scene::Scene;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Ask the doctor about a mechanism: mobility, loops, redundant joints, which loads to trust.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// So many of a long list are shown.
const SHOWN: usize = 12;
/// Ratio of masses worth a word: still solved exactly, but a sign of mixed-up units.
const ODD_RATIO: f64 = 1e6;

pub(crate) fn run(args: &CheckArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let opened = args.scene.open()?;
    let mut sim = Simulation::new(opened.model.clone());
    let d = sim.diagnose().map_err(|e| CliError::step(&format!("scene `{}`", opened.name), &e))?;
    let undriven = without_drives(&opened);
    let contacts = ContactReport::of(&opened.loaded.scene, &mut sim);
    let warnings: Vec<String> = warnings(&opened, &d, &sim).into_iter().chain(contacts.warnings()).collect();
    let report = CheckReport { opened: &opened, diagnosis: d, undriven, contacts, warnings };
    if args.json {
        out.json(&report.data())?
    } else {
        out.write(&report.text())?
    }
    Ok(Exit::Ok)
}

/// What the doctor found.
struct CheckReport<'a> {
    opened: &'a OpenedScene,
    diagnosis: Diagnosis,
    /// The same without drives, where there are any.
    undriven: Option<Diagnosis>,
    contacts: ContactReport,
    warnings: Vec<String>,
}

impl CheckReport<'_> {
    /// The object of `check --json`; names are a contract.
    fn data(&self) -> Value {
        let CheckReport { opened, diagnosis: d, undriven, contacts, warnings } = self;
        let model = &opened.model;
        let cost = model.cost();
        let size = holonom_scene::sanity::size(&opened.loaded.scene, model);
        json!({
            "scene": opened.name,
            "mass": size.map(|s| s.0),
            "size": size.map(|s| s.1.to_array()),
            "bodies": d.bodies,
            "joints": d.joints,
            "rows": d.rows,
            "rank": d.rank,
            "mobility": d.mobility,
            "mobility_generic": d.mobility_generic,
            "without_drives": undriven.as_ref().map(|u| json!({ "rows": u.rows, "rank": u.rank, "mobility": u.mobility })),
            "loops": d.loops,
            "contradictions": d.contradictions.iter().map(|set| names_of(model, set)).collect::<Vec<_>>(),
            "redundant": together(d).iter().map(joints_of).collect::<Vec<_>>(),
            "not_unique": d.reactions.iter().flat_map(|r| doubtful(model, r)).collect::<Vec<_>>(),
            "assembled_gap": d.gap,
            "singular": d.is_singular(),
            "forces": model.n_forces(),
            "solver": model.default_solver().name(),
            "flops": cost.factor_flops + cost.solve_flops,
            "shapes": contacts.shapes,
            "contact_pairs": contacts.pairs.map(|p| p.0),
            "contact_pairs_excluded": contacts.pairs.map(|p| p.1),
            "one_sided": contacts.sided,
            "overlaps": contacts.overlaps,
            "exceeded": contacts.exceeded,
            "integrator": contacts.integrator,
            "impacts": contacts.impacts,
            "warnings": warnings,
            "ignored": opened.loaded.report.to_data(&opened.loaded.sources),
        })
    }

    fn text(&self) -> String {
        let CheckReport { opened, diagnosis: d, undriven, contacts, warnings } = self;
        let mut text = String::new();
        let title = &opened.loaded.scene.title;
        let title = if title.is_empty() { String::new() } else { format!(": {title}") };
        let _ = writeln!(text, "{}{title}\n", opened.name);
        what_it_is(&mut text, &opened.loaded.scene, &opened.model, d);
        how_it_moves(&mut text, &opened.model, d);
        if let Some(u) = undriven.as_ref().filter(|u| u.rows != d.rows) {
            let _ = writeln!(
                text,
                "Without its drives it has {} and mobility {}.",
                plural(u.rows, "row", "rows"),
                u.mobility
            );
        }
        what_is_redundant(&mut text, &opened.model, d);
        contacts.text(&mut text);
        let cost = opened.model.cost();
        let per_body = (cost.factor_flops + cost.solve_flops) / d.bodies.max(1) as f64;
        let _ = writeln!(
            text,
            "\nAssembled with a largest gap of {:.1e} m or rad. Solver {}: {per_body:.0} operations per body and evaluation.",
            d.gap,
            opened.model.default_solver().name()
        );
        for w in warnings {
            let _ = writeln!(text, "\nWorth a look: {w}");
        }
        let ignored = opened.loaded.report.warnings().count();
        if ignored > 0 {
            let _ = writeln!(text, "\n{ignored} parts of the file do not count as they stand; they are listed above.");
        }
        text
    }
}

fn what_it_is(text: &mut String, scene: &Scene, model: &Model, d: &Diagnosis) {
    let bodies = by_kind(model.bodies().map(|b| model.body_kind(b)));
    let _ = writeln!(text, "{}{}", plural(d.bodies, "body", "bodies"), in_brackets(&bodies));
    let active = model.joints().map(|j| model.constraint(j).kind());
    let joints = by_kind(active);
    let rows = plural(d.rows, "row", "rows");
    let _ = writeln!(text, "{}{}, together {rows}", plural(d.joints, "joint", "joints"), in_brackets(&joints));
    if model.n_forces() > 0 {
        let _ = writeln!(text, "{}", plural(model.n_forces(), "force", "forces"));
    }
    if let Some((mass, edges)) = holonom_scene::sanity::size(scene, model) {
        let edges = edges.to_array().map(|x| significant(x, 3));
        let _ = writeln!(text, "mass {} kg, size {} m along x, y, z", significant(mass, 5), edges.join(" x "));
    }
    let _ = writeln!(text, "{}", if d.loops == 0 { "no loops".into() } else { plural(d.loops, "loop", "loops") });
}

fn how_it_moves(text: &mut String, model: &Model, d: &Diagnosis) {
    let ways = match d.mobility {
        0 if is_driven(model) => "It moves as its drives say, and in no other way".to_string(),
        0 => "It cannot move".to_string(),
        1 => "It moves freely in 1 way".to_string(),
        n => format!("It moves freely in {n} ways"),
    };
    let _ = writeln!(text, "\n{ways} (mobility {}: {} rows are independent).", d.mobility, d.rank);
    if d.mobility > d.mobility_generic {
        let _ = writeln!(
            text,
            "This pose is singular: at poses nearby it moves in {}. Branches of motion meet here, or it is at a dead centre.",
            if d.mobility_generic == 1 { "1 way".into() } else { format!("{} ways", d.mobility_generic) }
        );
    } else if d.stuck {
        text.push_str("This pose is singular: some motions that the joints allow to begin cannot go on.\n");
    }
}

fn what_is_redundant(text: &mut String, model: &Model, d: &Diagnosis) {
    if d.redundant.is_empty() {
        text.push_str("No joint is redundant: every load is unique and can be trusted.\n");
        return;
    }
    let sets = together(d);
    for set in sets.iter().take(SHOWN) {
        let names: Vec<String> = joints_of(set).iter().map(|n| format!("`{n}`")).collect();
        let joints: BTreeSet<_> = set.rows.iter().map(|r| r.joint).collect();
        let all: usize = joints.iter().map(|j| model.rows_of(*j).len()).sum();
        let surplus = set.dropped.len();
        let _ = writeln!(
            text,
            "\n{} hold the same thing more than once: {surplus} of their {all} rows are surplus.",
            list(&names)
        );
        let mut could: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        set.dropped.iter().for_each(|r| could.entry(&r.joint_name).or_default().push(&r.holds));
        let more = if could.len() > SHOWN { format!("; and of {} more", could.len() - SHOWN) } else { String::new() };
        let shown = could.iter().take(SHOWN).map(|(joint, rows)| format!("of `{joint}` {}", rows.join(", ")));
        let _ = writeln!(text, "  could be left out, for instance: {}{more}", shown.collect::<Vec<_>>().join("; "));
    }
    if sets.len() > SHOWN {
        let _ = writeln!(text, "... and {} more such sets", sets.len() - SHOWN);
    }
    which_loads_to_trust(text, model, d);
}

fn names_of(model: &Model, joints: &[JointId]) -> Vec<String> {
    joints.iter().map(|j| model.joint_name(*j).to_string()).collect()
}

/// What the motion is worth where rows hold the same thing twice.
fn is_it_exact(text: &mut String, model: &Model, d: &Diagnosis) {
    for set in &d.contradictions {
        let names: Vec<String> = names_of(model, set).iter().map(|n| format!("`{n}`")).collect();
        let _ =
            writeln!(text, "\n{} contradict each other: no motion suits all of them, and a run stops.", list(&names));
    }
    if !d.contradictions.is_empty() {
        text.push_str("\nRigid bodies cannot say how redundant joints share a load");
        return;
    }
    let rheonomic = |set: &&RedundantSet| {
        let mut joints: Vec<JointId> = set.rows.iter().map(|r| r.joint).collect();
        joints.dedup();
        joints.iter().filter(|j| model.constraint(**j).rheonomic()).count() > 1
    };
    let driven = d.redundant.iter().find(rheonomic).is_some();
    let condition = if driven { ", as long as the drives among them agree; a run stops where they do not" } else { "" };
    let _ = write!(
        text,
        "\nThe motion is exact all the same{condition}. Rigid bodies cannot say how redundant joints share a load"
    );
}

/// Loads that rigid bodies leave open, with the split that is shown, and those that are unique.
fn which_loads_to_trust(text: &mut String, model: &Model, d: &Diagnosis) {
    let (sure, unsure): (Vec<&JointReaction>, Vec<_>) = d.reactions.iter().partition(|r| r.is_unique());
    is_it_exact(text, model, d);
    text.push_str("; marked ~ is the split with\nthe smallest loads, everything else is unique.\n");
    let largest = d
        .reactions
        .iter()
        .flat_map(|r| (r.reaction.force.abs().to_array().into_iter()).chain(r.reaction.torque.abs().to_array()));
    let largest = largest.fold(0.0, f64::max);
    let width = unsure.iter().take(SHOWN).map(|r| model.joint_name(r.joint).len()).max().unwrap_or(0);
    for r in unsure.iter().take(SHOWN) {
        let (f, t) = (r.reaction.force, r.reaction.torque);
        let _ = writeln!(
            text,
            "  {:width$}  force ({}) N   torque ({}) N m",
            model.joint_name(r.joint),
            vector(f, &r.force_unique, largest),
            vector(t, &r.torque_unique, largest)
        );
    }
    if unsure.len() > SHOWN {
        let _ = writeln!(text, "  ... and {} more", unsure.len() - SHOWN);
    }
    if !sure.is_empty() {
        let names: Vec<String> = sure.iter().take(SHOWN).map(|r| format!("`{}`", model.joint_name(r.joint))).collect();
        let more = if sure.len() > SHOWN { format!(" and {} more", sure.len() - SHOWN) } else { String::new() };
        let _ = writeln!(text, "Loads to be trusted: {}{more}.", names.join(", "));
    }
}

fn vector(v: Vec3, unique: &[bool; 3], largest: f64) -> String {
    let part = |k: usize| {
        let x = if v[k].abs() <= 1e-12 * largest { 0.0 } else { v[k] };
        let digits = if x == 0.0 {
            "0".into()
        } else if (1e-3..1e6).contains(&x.abs()) {
            format!("{x:.4}")
        } else {
            format!("{x:.3e}")
        };
        format!("{:>11}", format!("{}{digits}", if unique[k] { "" } else { "~" }))
    };
    [part(0), part(1), part(2)].join(",")
}

fn warnings(opened: &OpenedScene, d: &Diagnosis, sim: &Simulation) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(holonom_scene::remarks::unfelt_gravity(&opened.loaded.scene));
    all.extend(holonom_scene::sanity::remarks(&opened.loaded, &opened.model));
    all.extend(holonom_scene::remarks::assumed_centres(&opened.loaded.scene));
    let method = opened.loaded.scene.run.integrator.clone();
    let method = method.unwrap_or_else(|| opened.model.default_integrator().name().to_string());
    all.extend(holonom_scene::remarks::unheard_order(&opened.loaded.scene, &opened.model, &method));
    all.extend(holonom_scene::remarks::through_the_ground(&opened.loaded.scene, &opened.model));
    let model = &opened.model;
    let mass = |b: &holonom::BodyId| model.mass(*b);
    let lightest = model.bodies().min_by(|a, b| mass(a).total_cmp(&mass(b)));
    let heaviest = model.bodies().max_by(|a, b| mass(a).total_cmp(&mass(b)));
    if let (Some(light), Some(heavy)) = (lightest, heaviest)
        && mass(&heavy) > ODD_RATIO * mass(&light)
    {
        all.push(format!(
            "`{}` has {:.3e} kg and `{}` {:.3e} kg. Joints hold at any ratio, but grams or millimetres may have slipped in.",
            model.body_name(light),
            mass(&light),
            model.body_name(heavy),
            mass(&heavy)
        ));
    }
    let natural = 1.0 / model.rate_scale();
    if let Some((what, time)) = time_scale(&opened.loaded.scene, model, sim) {
        let dt = opened.loaded.scene.run.dt;
        if let Some(dt) = dt.filter(|dt| *dt > 0.5 * time) {
            all.push(format!(
                "the step of {dt} s is too long for {what} ({time:.1e} s): use dt <= {:.0e} s, or `integrator = \"implicit\"`.",
                0.2 * time
            ));
        } else if time < 1e-3 * natural {
            all.push(format!(
                "{what} acts within {time:.1e} s, much faster than the mechanism itself ({natural:.1e} s): `--integrator implicit` may be quicker."
            ));
        }
    }
    if d.mobility == 0 && d.bodies > 0 && !is_driven(model) {
        all.push("nothing moves and nothing is driven: a structure, whose loads are all there is to see.".into());
    }
    all
}

/// Beyond so many bodies nobody asks what a model would be without its drives.
const MOST_UNDRIVEN: usize = 3000;

/// The same mechanism when nothing drives it.
fn without_drives(opened: &OpenedScene) -> Option<Diagnosis> {
    let scene = &opened.loaded.scene;
    if scene.drives.is_empty() || scene.bodies.len() > MOST_UNDRIVEN {
        return None;
    }
    let mut undriven = scene.clone();
    undriven.drives.clear();
    let model = holonom_scene::build::build(&undriven, &mut holonom_scene::Report::new())?;
    Simulation::new(model).diagnose().ok()
}

/// Does anything drive it?
fn is_driven(model: &Model) -> bool {
    model.joints().any(|j| joints::is_drive(model.constraint(j).kind()))
}

/// Redundant sets of the same joints as one: people think in joints, not in rows.
fn together(d: &Diagnosis) -> Vec<RedundantSet> {
    let mut sets: Vec<RedundantSet> = Vec::new();
    for set in &d.redundant {
        let names = joints_of(set);
        match sets.iter_mut().find(|s| joints_of(s) == names) {
            Some(same) => {
                same.rows.extend(set.rows.iter().cloned());
                same.dropped.extend(set.dropped.iter().cloned());
            }
            None => sets.push(set.clone()),
        }
    }
    sets
}

/// Names of the joints of a set, each once.
fn joints_of(set: &RedundantSet) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in &set.rows {
        if !names.contains(&row.joint_name) {
            names.push(row.joint_name.clone());
        }
    }
    names.sort();
    names
}

/// Components of a reaction that are not unique, named as columns are.
fn doubtful(model: &Model, r: &JointReaction) -> Vec<String> {
    let name = model.joint_name(r.joint);
    let part = |what: &str, unique: &[bool; 3]| {
        (0..3).filter(|k| !unique[*k]).map(|k| format!("{name}.{what}.{}", ["x", "y", "z"][k])).collect::<Vec<_>>()
    };
    [part("force", &r.force_unique), part("torque", &r.torque_unique)].concat()
}

fn by_kind<'a>(kinds: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut count = BTreeMap::new();
    kinds.for_each(|k| *count.entry(k).or_insert(0) += 1);
    count
}

fn in_brackets(kinds: &BTreeMap<&str, usize>) -> String {
    // `rigid body` is one of two bodies: the noun has been said
    let noun = |k: &str| k.strip_suffix(" body").unwrap_or(k).to_string();
    let parts: Vec<String> = kinds.iter().map(|(k, n)| format!("{n} {}", noun(k))).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// `a`, `b` and `c`; of many, the first and a count.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        many if many.len() > SHOWN => format!("{} and {} more", many[..SHOWN].join(", "), many.len() - SHOWN),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

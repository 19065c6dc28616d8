//! What an experienced colleague would ask about a scene that is legal: units that slipped, bodies that nothing holds,
//! a pose that is far from the one drawn. Nothing is refused; every line names the thing, the value and the remedy.

use crate::build;
use crate::confine::shown;
use crate::fields::{Record, Val};
use crate::kinds;
use crate::load::{Format, Loaded};
use crate::node::{DocNode, DocTable, Value};
use crate::remarks::named;
use crate::scene::{BodyRecord, InteractionRecord, Pose, Scene};
use holonom::joints::CoordinateKind;
use holonom::math::Vec3;
use holonom::{Attachment, BodyId, Model};
use std::f64::consts::{PI, TAU};

/// Angles beyond this, rad, were more likely meant as degrees: two turns.
const TWO_TURNS: f64 = 2.0 * TAU;
/// Densities, kg/m^3, from the lightest foam to osmium (22 590); others that a scene gives are mistakes of units.
const DENSITIES: [f64; 2] = [15.0, 25_000.0];
/// The same where a body has a mass of its own, which may stand for more than its shapes show.
const WITH_MASS: [f64; 2] = [1e-2, 1e7];
/// A mechanism larger than this, m, was more likely drawn in millimetres.
const LARGEST: f64 = 2000.0;
/// Gravity above this, m/s^2, was more likely meant in mm/s^2.
const STRONGEST: f64 = 1000.0;
/// Part of the diagonal of the mechanism by which assembly may move a body without a word.
const FAR: f64 = 0.4;
/// Models of more bodies are not looked at body by body.
const MANY: usize = 20_000;

/// Total mass, kg, and edges of the box around everything at the start, m; none without bodies.
pub fn size(scene: &Scene, model: &Model) -> Option<(f64, Vec3)> {
    let state = model.initial_state();
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (id, body) in model.bodies().zip(&scene.bodies).take(MANY) {
        let place = |p: Vec3| model.carried(state, &Attachment::point(id, p));
        let centre = model.centre(state, id);
        let corners = body.shapes.iter().filter_map(|s| Some((s, s.geometry.bounds()?))).flat_map(|(s, (l, h))| {
            let pick = move |k: usize, i: usize| if k >> i & 1 == 0 { l[i] } else { h[i] };
            (0..8).map(move |k| s.pose.point(Vec3::new(pick(k, 0), pick(k, 1), pick(k, 2))))
        });
        let ends = body.points.iter().map(|p| p.pose.position);
        for p in corners.chain(ends).filter_map(place).chain([centre]) {
            (low, high) = (low.min(p), high.max(p));
        }
    }
    let mass = model.bodies().map(|b| model.mass(b)).sum();
    (low.cmple(high).all()).then_some((mass, high - low))
}

/// All that is worth a word.
pub fn remarks(loaded: &Loaded, model: &Model) -> Vec<String> {
    let scene = &loaded.scene;
    if model.n_bodies() == 0 {
        return vec!["the scene has no bodies: there is nothing to move.".into()];
    }
    let mut all = Vec::new();
    all.extend(odd_gravity(scene));
    all.extend(odd_densities(scene));
    all.extend(odd_size(scene, model));
    all.extend(large_angles(loaded, model));
    all.extend(early_drives(scene, model));
    if model.n_bodies() <= MANY {
        all.extend(unheld(loaded, model));
        all.extend(moved_far(scene, model));
        all.extend(nearly_repeated(model));
    }
    all
}

/// Joints that hold nearly, and not quite, what others hold.
fn nearly_repeated(model: &Model) -> Vec<String> {
    let near = model.nearly_repeated();
    let says = |holds: bool| {
        let of = || near.iter().filter(move |n| n.holds == holds);
        let least = of().map(|n| n.difference).fold(f64::INFINITY, f64::min);
        let names = of().map(|n| format!("`{}`", shown(model.joint_name(n.joint))));
        let (names, verb) = named(names, "holds", "hold")?;
        let what = format!("{names} {verb} nearly what other joints hold: one direction differs by {least:.1e}");
        Some(if holds {
            format!(
                "{what}. It is taken as drawn: held with loads {:.0e} times those of joints that fit. Where they are \
                 meant to fit, give axes and points exactly.",
                1.0 / least
            )
        } else {
            format!(
                "{what}. They count as holding the same, and open by the difference as they move: give axes and points \
                 exactly."
            )
        })
    };
    [true, false].into_iter().filter_map(says).collect()
}

fn odd_gravity(scene: &Scene) -> Option<String> {
    let g = scene.gravity.length();
    (g > STRONGEST).then(|| {
        format!(
            "gravity is {g} m/s^2, {:.0} times that of the earth: lengths are in metres here, not millimetres.",
            g / 9.81
        )
    })
}

fn odd_densities(scene: &Scene) -> Vec<String> {
    let of = |b: &BodyRecord| b.mass.zip(b.volume).map(|(m, v)| m.mass / v);
    let odd = |light: bool| {
        let strange = move |b: &&BodyRecord| {
            let [least, most] = if b.record.has("mass") { WITH_MASS } else { DENSITIES };
            of(b).is_some_and(|d| if light { d < least } else { d > most })
        };
        let said = scene.bodies.iter().filter(strange);
        let first = said.clone().next().and_then(of);
        Some((named(said.map(|b| format!("`{}`", shown(&b.name))), "has", "have")?, first?))
    };
    let light = odd(true).map(|((names, verb), d)| {
        format!("{names} {verb} {d:.3} kg per cubic metre, less than foam: densities are in kg/m^3, steel has 7850 and not 7.85.")
    });
    let heavy = odd(false).map(|((names, verb), d)| {
        format!("{names} {verb} {d:.4e} kg per cubic metre, more than any metal: masses are in kg, and lengths in m, not in mm.")
    });
    light.into_iter().chain(heavy).collect()
}

fn odd_size(scene: &Scene, model: &Model) -> Option<String> {
    let (_, edges) = size(scene, model)?;
    let longest = edges.max_element();
    (longest > LARGEST).then(|| {
        format!("the mechanism is {longest:.4e} m long: lengths are in metres, and millimetres may have slipped in.")
    })
}

/// Angles given as numbers that are more than two turns.
fn large_angles(loaded: &Loaded, model: &Model) -> Vec<String> {
    let mut all = Vec::new();
    let remedy = |x: f64| format!("angles are in radians: {x} degrees are  \"${{{x} * deg}}\".");
    for link in &loaded.scene.joints {
        let Some(id) = model.joint(&link.name) else { continue };
        let kinds = model.constraint(id).coordinates();
        for field in ["start", "limits"] {
            let Some(x) = largest_angle(link.record.get(field), kinds).filter(|x| x.abs() > TWO_TURNS) else {
                continue;
            };
            let name = shown(&link.name);
            let turns = x / TAU;
            all.push(format!("`{field}` of joint `{name}` is {x} rad, {turns:.1} turns; {}", remedy(x)));
        }
    }
    for link in &loaded.scene.drives {
        if let Some((x, joint)) = constant_angle(link, model).filter(|(x, _)| x.abs() > TWO_TURNS) {
            let (name, turns) = (shown(&link.name), x / TAU);
            all.push(format!("drive `{name}` holds `{}` at {x} rad, {turns:.1} turns; {}", shown(&joint), remedy(x)));
        }
    }
    let mut written = Vec::new();
    written_angles(&loaded.document, String::new(), &mut written);
    all.extend(
        written
            .into_iter()
            .take(3)
            .map(|(path, x)| format!("`{path}` is {x} rad, {:.1} turns; {}", x / TAU, remedy(x))),
    );
    all
}

/// The value with the largest size among those of a field that belong to coordinates that are angles.
fn largest_angle(value: Option<&Val>, kinds: &[CoordinateKind]) -> Option<f64> {
    let is_angle = |k: usize| kinds.get(k).is_some_and(|k| *k == CoordinateKind::Angle);
    let mut found: Vec<f64> = Vec::new();
    match value? {
        Val::Number(x) if is_angle(0) => found.push(*x),
        // one number for every coordinate, or the bounds of a single one
        Val::Numbers(all) => {
            let single = kinds.len() == 1;
            found.extend(all.iter().enumerate().filter(|(k, _)| is_angle(if single { 0 } else { *k })).map(|p| p.1));
        }
        Val::List(pairs) => {
            for (k, (pair, _)) in pairs.iter().enumerate().filter(|(k, _)| is_angle(*k)) {
                let _ = k;
                if let Val::Numbers(bounds) = pair {
                    found.extend(bounds.iter());
                }
            }
        }
        _ => {}
    }
    found.into_iter().filter(|x| x.is_finite()).max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

/// The angle at which a position drive holds a joint for good, and the joint.
fn constant_angle(link: &InteractionRecord, model: &Model) -> Option<(f64, String)> {
    let (goal, joint) = position_drive(link)?;
    let id = model.joint(&joint.0)?;
    let angle = model.constraint(id).coordinates().get(joint.1) == Some(&CoordinateKind::Angle);
    let [x, rate, _] = goal.at(0.0);
    (angle && rate == 0.0 && goal.at(1.0)[0] == x).then_some((x, joint.0))
}

type Goal = std::sync::Arc<dyn holonom::functions::Function>;

/// What a position drive follows, and the coordinate it leads.
fn position_drive(link: &InteractionRecord) -> Option<(Goal, (String, usize))> {
    let record: &Record = &link.record;
    if record.kind?.name != "position" {
        return None;
    }
    let coordinate = record.coordinate("joint")?;
    Some((record.function("value")?, (coordinate.joint.to_string(), coordinate.index)))
}

/// Numbers under the names `angle` and `rpy`, wherever they stand.
fn written_angles(table: &DocTable, path: String, out: &mut Vec<(String, f64)>) {
    let number = |n: &DocNode| match n.value {
        Value::Number(x) => Some(x),
        Value::Integer(x) => Some(x as f64),
        _ => None,
    };
    // the parser allows 80 levels
    for e in table.entries() {
        if out.len() > 3 {
            return;
        }
        let here = if path.is_empty() { shown(&e.key) } else { format!("{path}.{}", shown(&e.key)) };
        match (&*e.key, &e.node.value) {
            ("angle", _) => out.extend(number(&e.node).filter(|x| x.abs() > TWO_TURNS).map(|x| (here, x))),
            ("rpy", Value::List(list)) => {
                out.extend(list.iter().filter_map(number).find(|x| x.abs() > TWO_TURNS).map(|x| (here, x)));
            }
            (_, Value::Table(inner)) => written_angles(inner, here, out),
            (_, Value::List(list)) => {
                let tables = list.iter().filter_map(DocNode::as_table);
                tables.for_each(|inner| written_angles(inner, here.clone(), out));
            }
            _ => {}
        }
    }
}

/// Drives that pulled their joints away from where they were drawn or told to start.
fn early_drives(scene: &Scene, model: &Model) -> Vec<String> {
    let disagreements = scene.drives.iter().filter_map(|link| disagreement(scene, link));
    let noticed =
        disagreements.filter(|d| d.is_angle(model).is_some_and(|angle| d.gap() > if angle { 0.5 * PI } else { 0.0 }));
    let far = noticed.filter(|d| d.gap() > FAR * model.length_scale() || d.is_angle(model) == Some(true));
    far.map(|d| format!("{}: the mechanism starts where the drive puts it.", d.said(model))).collect()
}

/// A position drive that does not start where its joint does.
pub(crate) struct Disagreement<'a> {
    /// The drive.
    pub link: &'a InteractionRecord,
    joint: String,
    index: usize,
    drive: f64,
    start: f64,
}

impl Disagreement<'_> {
    /// How far they are apart, m or rad.
    pub fn gap(&self) -> f64 {
        (self.drive - self.start).abs()
    }

    /// Is what is driven an angle, as far as the kind of its joint says?
    pub fn is_angle_by_kind(&self, scene: &Scene) -> Option<bool> {
        let led = scene.joints.iter().find(|j| *j.name == *self.joint)?;
        let kind = holonom::joints::declaration(led.record.kind?.name)?;
        kind.coordinates.get(self.index).map(|c| c.1 == CoordinateKind::Angle)
    }

    /// Where the drive begins, m or rad.
    pub fn goal(&self) -> f64 {
        self.drive
    }

    fn is_angle(&self, model: &Model) -> Option<bool> {
        let id = model.joint(&self.joint)?;
        model.constraint(id).coordinates().get(self.index).map(|k| *k == CoordinateKind::Angle)
    }

    fn said(&self, model: &Model) -> String {
        self.in_words(self.is_angle(model))
    }

    /// In words, without the unit where it is not known.
    pub fn in_words(&self, is_angle: Option<bool>) -> String {
        let unit = is_angle.map_or("", |angle| if angle { " rad" } else { " m" });
        let (name, joint) = (shown(&self.link.name), shown(&self.joint));
        format!("the drive `{name}` starts at {}{unit}, the joint `{joint}` at {}{unit}", self.drive, self.start)
    }
}

/// The disagreement of a drive with the start of its joint, where there is one of more than rounding.
pub(crate) fn disagreement<'a>(scene: &'a Scene, link: &'a InteractionRecord) -> Option<Disagreement<'a>> {
    let (goal, (joint, index)) = position_drive(link)?;
    let led = scene.joints.iter().find(|j| *j.name == *joint)?;
    let start = led.record.numbers("start").and_then(|all| all.get(index).copied()).unwrap_or(0.0);
    let drive = goal.at(0.0)[0];
    ((drive - start).abs() > 1e-6).then_some(Disagreement { link, joint, index, drive, start })
}

/// Does gravity not move the body, because it is planar and lies in the x-y plane?
fn lies_across(scene: &Scene, body: &BodyRecord) -> bool {
    let planar = body.record.kind.and_then(kinds::plane_of).is_some() && !body.record.has("plane");
    planar && (scene.gravity.x, scene.gravity.y) == (0.0, 0.0)
}

/// Bodies that neither joints nor forces tie to the ground, and that nothing can catch.
fn unheld(loaded: &Loaded, model: &Model) -> Option<String> {
    let scene = &loaded.scene;
    if scene.gravity == Vec3::ZERO || scene.run.law.as_deref().is_some_and(|l| l != "dynamic") {
        return None;
    }
    let n = model.n_bodies();
    // the ground is one past the last
    let mut group: Vec<usize> = (0..=n).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    let slot = |b: BodyId| b.index().unwrap_or(n);
    let mut tie = |attachments: &[Attachment]| {
        if let Some(first) = attachments.first() {
            for other in attachments {
                let (a, b) = (root(&mut group, slot(first.body)), root(&mut group, slot(other.body)));
                group[a.max(b)] = a.min(b);
            }
        }
    };
    model.joints().for_each(|j| tie(model.constraint(j).attachments()));
    model.forces().for_each(|f| tie(model.force_attachments(f)));
    let mut caught = vec![false; n + 1];
    let ground = root(&mut group, n);
    caught[ground] = true;
    // drag, thrust and the like act on one body alone and may carry it
    for f in model.forces() {
        let at = model.force_attachments(f);
        if at.iter().all(|a| a.body == at[0].body) && !at.is_empty() {
            let r = root(&mut group, slot(at[0].body));
            caught[r] = true;
        }
    }
    // what touches something may come to rest on it
    for (i, body) in scene.bodies.iter().enumerate().take(n) {
        if body.shapes.iter().any(|s| scene.collides(s)) {
            let r = root(&mut group, i);
            caught[r] = true;
        }
    }
    let falls = |i: usize, group: &mut [usize]| {
        let moves = scene.bodies.get(i).is_some_and(|b| b.moves || lies_across(scene, b));
        !moves && model.mass(BodyId::from_index(i)) > 0.0 && !caught[root(group, i)]
    };
    let free: Vec<usize> = (0..n).filter(|i| falls(*i, &mut group)).collect();
    let first = shown(model.body_name(BodyId::from_index(*free.first()?)));
    if loaded.format == Format::Urdf && free.len() == n {
        return Some(format!(
            "nothing holds the robot: its root `{first}` is a free body, and all of it falls. --fixed-base fixes it to the ground; a floor under \
             it is in docs/import.md."
        ));
    }
    let names = free.iter().map(|i| format!("`{}`", shown(model.body_name(BodyId::from_index(*i)))));
    let (names, verb) = named(names, "falls", "fall")?;
    Some(format!("{names} {verb} freely: no joint, force or contact holds what gravity pulls."))
}

/// Bodies that assembly put far from where they were drawn or told to start.
fn moved_far(scene: &Scene, model: &Model) -> Option<String> {
    let starts = build::places(scene);
    let state = model.initial_state();
    let (_, edges) = size(scene, model)?;
    let diagonal = edges.length();
    let away = |i: usize| {
        let drawn: Pose = starts.as_ref().and_then(|s| s.get(i).copied()).unwrap_or(scene.bodies[i].pose);
        let now = model.carried(state, &Attachment::point(BodyId::from_index(i), Vec3::ZERO))?;
        let far = (now - drawn.position).length();
        (scene.bodies[i].placed && far > FAR * diagonal).then_some((far, i))
    };
    let n = model.n_bodies().min(scene.bodies.len());
    let all: Vec<(f64, usize)> = (0..n).filter_map(away).collect();
    let (far, i) = all.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let more = if all.len() > 1 { format!(", and {} other bodies far too", all.len() - 1) } else { String::new() };
    Some(format!(
        "to close its joints the mechanism was assembled {far:.3} m away from where `{}` was drawn{more}: check lengths and points, or draw it nearer.",
        shown(&scene.bodies[i].name)
    ))
}

//! What a scene leaves to defaults that its writer may not know of: nothing is wrong, but the motion depends on it.

use crate::confine::shown;
use crate::kinds;
use crate::scene::{BodyRecord, Scene};
use holonom::{BodyId, ImpactOrder, IntegratorKind, JointId, Model};
use std::collections::BTreeSet;

/// Names shown before "and n more".
const NAMED: usize = 3;

/// Planar bodies lie in the world's x-y plane where nobody says otherwise, and gravity points along -z: it does not
/// move them. `None` where that is said, or gravity has a part in the plane, or is zero.
pub fn unfelt_gravity(scene: &Scene) -> Option<String> {
    let g = scene.gravity;
    if g.z == 0.0 || (g.x, g.y) != (0.0, 0.0) {
        return None;
    }
    let by_default = |b: &&BodyRecord| b.record.kind.and_then(kinds::plane_of).is_some() && !b.record.has("plane");
    let (names, verb) = listed(scene.bodies.iter().filter(by_default), "lies", "lie")?;
    Some(format!(
        "{names} {verb} in the x-y plane, and gravity (along z) does not act in it: for the x-z plane write  plane = \
         {{ x = [1, 0, 0], y = [0, 0, 1] }}, or turn the gravity."
    ))
}

/// Bodies with two ends whose centre of mass nobody says: it is the middle. `None` where there are none.
pub fn assumed_centres(scene: &Scene) -> Option<String> {
    let assumed = |b: &&BodyRecord| {
        let r = &b.record;
        let is_point = r.kind.is_some_and(|k| k.name == "particle");
        // without shapes that have mass there is nothing else to take it from
        !is_point && r.has("from") && r.has("to") && r.has("mass") && !r.has("com") && b.volume.is_none()
    };
    let (names, verb) = listed(scene.bodies.iter().filter(assumed), "has", "have")?;
    Some(format!("{names} {verb} no `com`: the centre of mass is taken halfway from `from` to `to`."))
}

/// `order = "sequential"` where time is stepped: there all impacts of a step are simultaneous. `integrator`: by its
/// name.
pub fn unheard_order(scene: &Scene, model: &Model, integrator: &str) -> Option<String> {
    let stepped = IntegratorKind::from_name(integrator) == Some(IntegratorKind::Stepping);
    let said = scene.contact.impacts.order == ImpactOrder::Sequential;
    (stepped && said && model.n_shapes() > 0).then(|| {
        "`order = \"sequential\"` is not heard by `stepping`, which takes all impacts of a step at once: blows follow each \
         other with events, e.g.  integrator = \"dop853\"."
            .to_string()
    })
}

/// Bodies that joints hold to the ground, and that therefore pass through its shapes, where nobody says whether they
/// should. `None` where there are none.
pub fn through_the_ground(scene: &Scene, model: &Model) -> Option<String> {
    let unsaid = |joint: JointId| {
        let name = model.joint_name(joint);
        scene.joints.iter().any(|j| *j.name == *name && !j.record.has("collide"))
    };
    let held: BTreeSet<BodyId> = model.held_to_the_ground().filter(|(_, j)| unsaid(*j)).map(|(body, _)| body).collect();
    let (names, verb) = named(held.iter().map(|b| format!("`{}`", shown(model.body_name(*b)))), "passes", "pass")?;
    Some(format!(
        "{names} {verb} through the shapes of the ground, because joints to the ground hold what they carry apart from \
         it: write  collide = true  in these joints to let them touch, or  collide = false  where this is meant."
    ))
}

/// Names in a row, and the verb that goes with their number.
fn listed<'a>(
    bodies: impl Iterator<Item = &'a BodyRecord>,
    one: &'static str,
    many: &'static str,
) -> Option<(String, &'static str)> {
    named(bodies.map(|b| format!("`{}`", shown(&b.name))), one, many)
}

pub(crate) fn named(
    names: impl Iterator<Item = String>,
    one: &'static str,
    many: &'static str,
) -> Option<(String, &'static str)> {
    let names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(NAMED);
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match (names.len(), more) {
        (0, _) => None,
        (1, _) => Some((first, one)),
        (_, 0) => Some((first, many)),
        _ => Some((format!("{first} and {more} more"), many)),
    }
}

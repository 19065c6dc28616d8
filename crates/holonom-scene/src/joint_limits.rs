//! Fields of a joint besides its kind and markers: limits, dry friction, a cap on its drives, and whether its bodies
//! collide.
//!
//! Limits and friction become joints of the model with derived names, `JOINT.limit` and `JOINT.friction` for the first
//! coordinate, `JOINT.limit.1` for the second and so on (a joint of a scene has no dot in its name, so they are free).

use crate::codes;
use crate::diagnostic::{Diagnostic, field_error};
use crate::fields::{Record, Val};
use crate::scene::InteractionRecord;
use holonom::joints::{CoordinateKind, DryFriction, Limit};
use holonom::{JointId, ModelBuilder};

/// Add the limits and the friction of the joint `id`.
pub(crate) fn add(
    link: &InteractionRecord,
    id: JointId,
    ideal: bool,
    builder: &mut ModelBuilder,
) -> Result<(), Box<Diagnostic>> {
    let record = &*link.record;
    let coordinates = builder.constraint(id).coordinates();
    let n = coordinates.len();
    let kind = |k: usize| coordinates[k];
    for field in ["limits", "friction", "effort", "friction_coefficient"] {
        let count = match record.get(field) {
            Some(Val::List(list)) => list.len(),
            Some(Val::Numbers(list)) => list.len(),
            Some(_) => 1,
            None => 0,
        };
        if count > n {
            return Err(too_many(record, field, count, n));
        }
    }
    if record.flag("collide") {
        builder.collide_across(id);
    }
    let name = |what: &str, k: usize| match k {
        0 => format!("{}.{what}", link.name),
        _ => format!("{}.{what}.{k}", link.name),
    };
    let numbers = |field: &str| record.numbers(field).unwrap_or(&[]);
    for field in ["friction", "effort"] {
        let fits = |x: f64| if field == "effort" { x > 0.0 } else { x >= 0.0 };
        if let Some((k, x)) = numbers(field).iter().enumerate().find(|(_, x)| !fits(**x)) {
            let unit = if kind(k) == CoordinateKind::Length { "N" } else { "N m" };
            let must = if field == "effort" { "must be greater than 0" } else { "must not be negative" };
            let m = field_error(record, field, codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
            return Err(Box::new(m.label(format!("{x} {unit}, {must}"))));
        }
    }
    let mu = record.number("friction_coefficient").unwrap_or(0.0);
    let radius = record.number("friction_radius");
    if let Some(k) = (0..n).find(|k| mu > 0.0 && kind(*k) != CoordinateKind::Length)
        && radius.is_none()
    {
        let message = "`friction_coefficient` needs a `friction_radius` where a coordinate is an angle";
        let m = field_error(record, "friction_coefficient", codes::MISSING_FIELD, message);
        return Err(Box::new(m.label(format!("coordinate {k}")).help("friction_radius: radius of the pin, m")));
    }
    if let (Some(_), true) = (radius, mu == 0.0) {
        let m = field_error(
            record,
            "friction_radius",
            codes::MISSING_FIELD,
            "`friction_radius` without `friction_coefficient`",
        );
        return Err(Box::new(m.help("friction_coefficient: friction torque = coefficient * radius * force")));
    }
    if ideal {
        return Ok(());
    }
    for (k, (bounds, _)) in record.list("limits").iter().enumerate() {
        let Val::Numbers(bounds) = bounds else { continue };
        let [lower, upper] = bounds[..] else { continue };
        if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
            continue;
        }
        let stop = Limit::new(builder.coordinate(id, k), lower, upper);
        builder.joint(name("limit", k), stop.restitution(record.number("restitution").unwrap_or(0.0)));
    }
    for k in 0..n {
        let constant = numbers("friction").get(k).copied().unwrap_or(0.0);
        let lever = if kind(k) == CoordinateKind::Length { mu } else { mu * radius.unwrap_or(0.0) };
        if constant > 0.0 || lever > 0.0 {
            let rub = DryFriction::of_load(builder.coordinate(id, k), lever).with_constant(constant);
            builder.joint(name("friction", k), rub);
        }
    }
    Ok(())
}

fn too_many(record: &Record, field: &str, count: usize, n: usize) -> Box<Diagnostic> {
    let message = match n {
        0 => format!("`{field}` needs a joint with a coordinate"),
        _ => format!("`{field}` has more elements than the joint has coordinates"),
    };
    let label = if n == 0 { "this joint has none".to_string() } else { format!("{count}, the joint has {n}") };
    Box::new(field_error(record, field, codes::UNKNOWN_COORDINATE, message).label(label))
}

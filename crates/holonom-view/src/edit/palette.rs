//! What can be built: kinds of shapes, bodies, joints, drives and forces, from the tables that scenes are read by, so that a new kind appears by itself.

use super::assembly::Closes;
use super::details::declared;
use holonom_scene::fields::{Allowed, Field, Kind, Need, Type};
use holonom_scene::kinds::{BODIES, DRIVES, FORCES, JOINTS, SHAPES};
use serde_json::{Value, json};

/// Sides and axes of joints are chosen in the view, not typed.
const SIDES: [&str; 9] = ["a", "b", "at", "axis", "x_axis", "axis_a", "axis_b", "x_axis_a", "x_axis_b"];

/// Everything that can be built.
///
/// `shapes[].between`: lies between two points (rods, beams). `shapes[].sizes`: a start to draw with, as parts of the size of the scene; none for shapes
/// that cannot be drawn by hand. `joints[].sides`: joins two points; `joints[].axis`: has an axis; `joints[].closes`: its points are brought together.
pub fn palette() -> Value {
    json!({
        "shapes": SHAPES.kinds().map(shape).collect::<Vec<_>>(),
        "bodies": BODIES.kinds().map(|k| plain(k, &[])).collect::<Vec<_>>(),
        "joints": JOINTS.kinds().map(joint).collect::<Vec<_>>(),
        "drives": DRIVES.kinds().map(|k| plain(k, &["joint"])).collect::<Vec<_>>(),
        "forces": FORCES.kinds().map(sided).collect::<Vec<_>>(),
    })
}

fn fields(kind: &'static Kind) -> impl Iterator<Item = &'static Field> {
    kind.fields.iter().flat_map(|g| g.iter())
}

fn plain(kind: &'static Kind, but: &[&str]) -> Value {
    let listed: Vec<Value> = fields(kind).filter(|f| !but.contains(&f.name)).map(declared).collect();
    json!({ "kind": kind.name, "summary": kind.summary, "fields": listed })
}

fn sided(kind: &'static Kind) -> Value {
    let mut out = plain(kind, &SIDES);
    out["sides"] = (kind.has("a") && kind.has("b")).into();
    out["axis"] = (kind.has("axis") || kind.has("axis_a")).into();
    out
}

fn joint(kind: &'static Kind) -> Value {
    let mut out = sided(kind);
    out["closes"] = Closes::of(kind.name, None).is_some().into();
    // what must be said besides the sides
    out["asks"] = fields(kind).any(|f| f.need == Need::Required && f.name != "b").into();
    out
}

fn shape(kind: &'static Kind) -> Value {
    let mut out = plain(kind, &["from", "to"]);
    out["between"] = (kind.has("from") && kind.has("to")).into();
    out["sizes"] = sizes(kind).unwrap_or(Value::Null);
    out
}

/// Sizes to begin with: thin where a shape lies between two points.
fn sizes(kind: &'static Kind) -> Option<Value> {
    let thin = kind.has("from") && kind.has("to");
    if !thin && fields(kind).next().is_none() {
        // planes and points have no mass
        return None;
    }
    let mut out = serde_json::Map::new();
    for field in fields(kind).filter(|f| f.need == Need::Required) {
        let value: Value = match (field.name, &field.ty) {
            ("size" | "half_axes", Type::Vector("m")) => json!([0.2, 0.12, 0.12]),
            ("inner_radius", Type::Number(Allowed::Positive, "m")) => json!(0.05),
            ("outer_radius", Type::Number(Allowed::Positive, "m")) => json!(0.08),
            ("tube_radius", Type::Number(Allowed::Positive, "m")) => json!(0.02),
            ("width" | "height", Type::Number(Allowed::Positive, "m")) if thin => json!(0.03),
            ("length" | "height", Type::Number(Allowed::Positive, "m")) => json!(0.2),
            (_, Type::Number(Allowed::Positive, "m")) => json!(if thin { 0.015 } else { 0.08 }),
            _ => return None,
        };
        out.insert(field.name.into(), value);
    }
    Some(Value::Object(out))
}

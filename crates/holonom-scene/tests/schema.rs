//! The schema and the reference are fresh, accept what the program accepts, and refuse what it refuses.

use holonom_scene::gallery::{GALLERY, VERIFICATION};
use holonom_scene::node::{DocNode, Value as Item, parse_toml};
use holonom_scene::{Limits, Report, gallery_page, reference, schema};
use serde_json::{Map, Value, json};

/// As much of JSON Schema as ours uses; anything else is a mistake of the schema. The first complaint, with its place.
fn check(value: &Value, rule: &Value, root: &Value, at: &str) -> Result<(), String> {
    let Value::Object(rule) = rule else { return Err(format!("{at}: a rule that is no object: {rule}")) };
    for (key, rule_value) in rule {
        let fine = match key.as_str() {
            "description" | "title" | "default" | "definitions" | "$schema" | "then" => true,
            "$ref" => {
                let name = rule_value.as_str().and_then(|r| r.strip_prefix("#/definitions/")).expect("our references");
                check(value, &root["definitions"][name], root, at)?;
                true
            }
            "type" => match rule_value {
                Value::Array(list) => list.iter().any(|t| is(value, t)),
                t => is(value, t),
            },
            "enum" => rule_value.as_array().is_some_and(|l| l.contains(value)),
            "const" => value == rule_value,
            "pattern" => value.as_str().is_none_or(|t| t.trim().starts_with("${") && t.trim().ends_with('}')),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule_value.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule_value.as_f64().expect("a number")),
            "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > rule_value.as_f64().expect("a number")),
            "minItems" => value.as_array().is_none_or(|l| l.len() as u64 >= rule_value.as_u64().expect("a number")),
            "maxItems" => value.as_array().is_none_or(|l| l.len() as u64 <= rule_value.as_u64().expect("a number")),
            "items" => {
                for (i, x) in value.as_array().into_iter().flatten().enumerate() {
                    check(x, rule_value, root, &format!("{at}/{i}"))?;
                }
                true
            }
            "required" => {
                let has = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
                value.as_object().is_none() || rule_value.as_array().expect("names").iter().all(has)
            }
            "properties" => {
                for (name, x) in value.as_object().into_iter().flatten() {
                    if let Some(inner) = rule_value.get(name) {
                        check(x, inner, root, &format!("{at}/{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = rule.get("properties").and_then(Value::as_object);
                for (name, x) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|k| k.contains_key(name)) {
                        continue;
                    }
                    match rule_value {
                        Value::Bool(true) => {}
                        Value::Bool(false) => return Err(format!("{at}: no field `{name}`")),
                        inner => check(x, inner, root, &format!("{at}/{name}"))?,
                    }
                }
                true
            }
            "anyOf" => {
                let options = rule_value.as_array().expect("a list");
                let tried: Vec<_> = options.iter().map(|o| check(value, o, root, at)).collect();
                if tried.iter().all(Result::is_err) {
                    return Err(format!("{at}: none of the {} forms", tried.len()));
                }
                true
            }
            "allOf" => {
                for part in rule_value.as_array().expect("a list") {
                    check(value, part, root, at)?;
                }
                true
            }
            "if" => {
                if check(value, rule_value, root, at).is_ok() {
                    check(value, &rule["then"], root, at)?;
                }
                true
            }
            other => return Err(format!("{at}: the schema uses `{other}`")),
        };
        if !fine {
            return Err(format!("{at}: {value} against {key} {rule_value}"));
        }
    }
    Ok(())
}

fn is(value: &Value, ty: &Value) -> bool {
    match ty.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|x| x == x.trunc()),
        _ => false,
    }
}

fn json_of(node: &DocNode) -> Value {
    match &node.value {
        Item::Integer(i) => json!(i),
        Item::Number(x) => json!(x),
        Item::Text(t) => json!(t),
        Item::Flag(f) => json!(f),
        Item::List(list) => Value::Array(list.iter().map(json_of).collect()),
        Item::Table(t) => {
            Value::Object(t.entries().iter().map(|e| (e.key.clone(), json_of(&e.node))).collect::<Map<_, _>>())
        }
    }
}

fn valid(text: &str) -> Result<(), String> {
    let mut report = Report::new();
    let table = parse_toml(text, 0, &Limits::default(), &mut report);
    assert!(!report.has_errors(), "{text}");
    let document = Value::Object(table.entries().iter().map(|e| (e.key.clone(), json_of(&e.node))).collect());
    let schema = schema::schema();
    check(&document, &schema, &schema, "")
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn generated_files_are_fresh() {
    let files = [
        ("scenes/scene.schema.json", schema::text()),
        ("docs/scenes-reference.md", reference::markdown()),
        ("docs/gallery.md", gallery_page::markdown()),
    ];
    for (name, fresh) in files {
        let found = std::fs::read_to_string(format!("{ROOT}/{name}")).unwrap_or_default();
        assert!(found == fresh, "{name} is stale: run `cargo xtask scenes`");
    }
}

#[test]
fn all_scenes_that_come_with_the_program_are_valid() {
    for e in GALLERY.iter().chain(VERIFICATION) {
        valid(e.text).unwrap_or_else(|why| panic!("{}: {why}", e.name));
    }
}

const GOOD: &str = r#"
title = "a test"
gravity = [0, 0, "${-g}"]
[params]
g = 9.81
h = "${g/2}"
[body.rod]
mass = "${g}"
inertia = [1, 1, 1]
rotation = { axis = [0, 0, 1], angle = 0.5 }
shape = { kind = "box", size = [1, 1, 1] }
points.tip = [0, 0, 1]
[joint.pin]
kind = "revolute"
b = "rod.tip"
break_force = 100
[drive.motor]
kind = "position"
joint = "pin"
value = "0.3*sin(t)"
[force.push]
kind = "point-force"
on = { body = "rod", at = [0, 0, 1] }
force = [0, 1, "sin(t)"]
[record]
columns = ["rod.*"]
"#;

#[test]
fn what_is_wrong_is_refused_and_what_is_right_is_not() {
    assert_eq!(valid(GOOD), Ok(()));
    let changes = [
        ("mass =", "mas =", "no field `mas`"),
        ("kind = \"revolute\"", "kind = \"revolut\"", "/joint/pin"),
        ("kind = \"revolute\"\n", "", "/joint/pin"),
        ("inertia = [1, 1, 1]", "inertia = \"heavy\"", "/body/rod/inertia"),
        ("size = [1, 1, 1]", "size = [1, 1]", "/body/rod/shape/size"),
        ("size = [1, 1, 1]", "radius = 1", "/body/rod/shape"),
        ("break_force = 100", "break_force = -100", "/joint/pin/break_force"),
        ("break_force = 100", "break_force = \"100\"", "/joint/pin/break_force"),
        ("value = \"0.3*sin(t)\"\n", "", "/drive/motor"),
        ("[record]", "[recording]", "no field `recording`"),
        ("gravity = [0, 0, \"${-g}\"]", "gravity = 9.81", "/gravity"),
    ];
    for (from, to, says) in changes {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD);
        let why = valid(&text).expect_err(&text);
        assert!(why.contains(says), "{from} -> {to}: {why}");
    }
}

#[test]
fn every_kind_and_field_is_in_the_reference() {
    let text = reference::markdown();
    for family in ["body", "joint", "drive", "force", "shape", "function", "terrain"] {
        assert!(text.contains(&format!("\n## Kinds of {family}\n")), "{family}");
    }
    for link in text.split("](#").skip(1) {
        let anchor = link.split(')').next().expect("a link");
        let heading = format!("\n## {}{}\n", anchor[..1].to_uppercase(), anchor[1..].replace('-', " "));
        assert!(text.contains(&heading), "{anchor} leads nowhere");
    }
}

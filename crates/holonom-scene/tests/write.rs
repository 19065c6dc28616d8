//! Documents written as text and read again.

use holonom::math::SplitMix;
use holonom_scene::gallery::{GALLERY, VERIFICATION};
use holonom_scene::node::{DocNode, DocTable, Value, parse_toml};
use holonom_scene::source::Span;
use holonom_scene::write::{document, formatted, number};
use holonom_scene::{Limits, Report};

const HERE: Span = Span { file: 0, start: 0, end: 0 };

fn read(text: &str) -> DocTable {
    let mut report = Report::new();
    let table = parse_toml(text, 0, &Limits::default(), &mut report);
    assert!(!report.has_errors(), "{:?}\n{text}", report.all());
    table
}

/// The same values, whatever their order and however whole numbers are written; to the bit.
fn same(a: &Value, b: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Integer(i) if *i as f64 as i64 == *i => Some((*i as f64).to_bits()),
        Value::Number(x) if x.is_nan() => Some(f64::NAN.to_bits()),
        Value::Number(x) => Some(x.to_bits()),
        _ => None,
    };
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Flag(a), Value::Flag(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.value, &b.value))
        }
        (Value::Table(a), Value::Table(b)) => same_tables(a, b),
        _ => number(a).is_some() && number(a) == number(b) || a == b,
    }
}

fn same_tables(a: &DocTable, b: &DocTable) -> bool {
    let inside = |x: &DocTable, y: &DocTable| {
        x.entries().iter().all(|e| y.get(&e.key).is_some_and(|n| same(&e.node.value, &n.value)))
    };
    a.entries().len() == b.entries().len() && inside(a, b)
}

fn assert_round_trip(table: &DocTable, what: &str) {
    let text = document(table);
    let again = read(&text);
    assert!(same_tables(table, &again), "{what}: values changed\n{text}");
    assert_eq!(document(&again), text, "{what}: not canonical");
}

#[test]
fn scenes_come_back_as_they_were() {
    for e in GALLERY.iter().chain(VERIFICATION) {
        assert_round_trip(&read(e.text), e.name);
        let tidy = formatted(e.text).expect(e.name);
        assert!(same_tables(&read(e.text), &read(&tidy)), "{}", e.name);
        assert_eq!(tidy, e.text, "{} is not tidy", e.name);
    }
}

#[test]
fn a_scene_in_canonical_form() {
    let text = r#"
joint.pin = { axis = [0, 1.0, 0], b = "rod", kind = "revolute", break_force = 1e9, start = 0.5 }
"odd name" = 1
body."left rod" = { colour = [1.0, 0, 0], density = 7800.0, shape = { size = [1, 0.05, 0.05], kind = "box" }, from = [0, 0, 0], to = [1, 0, 0] }
gravity = [0, 0, -1e-9]
body.b = { mass = 1, inertia = [1, 1, 1], points = { a = [0.123456789, 0.123456789, 0.123456789], b = [0.123456789, 0.123456789, 0.123456789] } }
title = "it's \"so\""
description = "two\nlines"
"#;
    let expected = r#"title = "it's \"so\""
description = """
two
lines"""
gravity = [0, 0, -1e-9]
"odd name" = 1

[body."left rod"]
from = [0, 0, 0]
to = [1, 0, 0]
density = 7800
shape = { kind = "box", size = [1, 0.05, 0.05] }
colour = [1, 0, 0]

[body.b]
mass = 1
inertia = [1, 1, 1]

[body.b.points]
a = [0.123456789, 0.123456789, 0.123456789]
b = [0.123456789, 0.123456789, 0.123456789]

[joint.pin]
kind = "revolute"
b = "rod"
axis = [0, 1, 0]
start = 0.5
break_force = 1000000000
"#;
    assert_eq!(document(&read(text)), expected);
}

#[test]
fn numbers_keep_their_bits() {
    for (x, text) in [
        (1.0, "1"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1e-9, "1e-9"),
        (1e300, "1e300"),
        (0.30000000000000004, "0.30000000000000004"),
        (f64::from_bits(1), "5e-324"),
        (9007199254740993.0, "9.007199254740992e15"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(number(x), text);
    }
    let mut g = SplitMix(1);
    for _ in 0..20_000 {
        let x = f64::from_bits(g.bits());
        let back = match &read(&format!("x = {}", number(x))).get("x").expect("x").value {
            Value::Integer(i) => *i as f64,
            Value::Number(x) => *x,
            other => panic!("{other:?}"),
        };
        assert!(back.to_bits() == x.to_bits() || (x.is_nan() && back.is_nan()), "{x:e}");
    }
}

fn random_text(g: &mut SplitMix) -> String {
    let some = [
        'a', 'Z', '0', '-', '_', ' ', '.', '"', '\'', '\\', '\n', '\t', '\r', '#', '=', 'ü', '\u{1}', '\u{7f}', '[',
        '}', '$', '{',
    ];
    (0..g.below(12)).map(|_| some[g.below(some.len())]).collect()
}

fn random_value(g: &mut SplitMix, depth: usize) -> Value {
    match g.below(if depth == 0 { 4 } else { 7 }) {
        0 => Value::Integer(g.bits() as i64 >> g.below(60)),
        1 => Value::Number(f64::from_bits(g.bits())),
        2 => Value::Text(random_text(g)),
        3 => Value::Flag(g.below(2) == 0),
        4 => Value::List((0..g.below(30)).map(|_| DocNode::new(HERE, g.symmetric(9.0))).collect()),
        5 => Value::List((0..g.below(4)).map(|_| DocNode::new(HERE, random_value(g, depth - 1))).collect()),
        _ => Value::Table(random_table(g, depth - 1, &[])),
    }
}

fn random_table(g: &mut SplitMix, depth: usize, names: &[&str]) -> DocTable {
    let mut table = DocTable::new();
    for _ in 0..g.below(6) {
        let name = match g.below(2) {
            0 if !names.is_empty() => names[g.below(names.len())].to_string(),
            _ => random_text(g),
        };
        if table.get(&name).is_none() {
            let value = random_value(g, depth);
            table.put(name, HERE, value);
        }
    }
    table
}

#[test]
fn any_document_comes_back_and_is_canonical() {
    let names = ["body", "joint", "title", "params", "run", "ground", "chain", "repeat", "gravity", "camera"];
    let mut g = SplitMix(7);
    for k in 0..3000 {
        let table = random_table(&mut g, 4, &names);
        assert_round_trip(&table, &format!("document {k}"));
        let text = document(&table);
        let tidy = formatted(&text).expect("TOML");
        assert!(same_tables(&read(&tidy), &table), "{text}\n{tidy}");
        assert_eq!(formatted(&tidy).expect("TOML"), tidy);
    }
}

#[test]
fn a_file_by_hand_is_tidied_and_stays_what_it_is() {
    let text = "\u{feff}#:schema scene.schema.json\r\n\r\n\r\n\r\n# a pendulum\r\ntitle=\"a = b, {c}\"   # named,so\r\n[body.rod]   \n  mass   =  1.50 # kg\n\
                shape={kind=\"box\",size=[1,2 , 3]}\nlong = [\n  1,2,\n\n\n  3, # three\n]\nempty = {}\n'x=y'='''a,b\n\n\n\n#=''''\n\n\n";
    let expected = "#:schema scene.schema.json\n\n# a pendulum\ntitle = \"a = b, {c}\"   # named,so\n[body.rod]\n  mass   =  1.50 # kg\n\
                    shape = { kind = \"box\", size = [1, 2 , 3] }\nlong = [\n  1, 2,\n\n  3, # three\n]\nempty = {}\n'x=y' = '''a,b\n\n\n\n#=''''\n";
    assert_eq!(formatted(text).expect("TOML"), expected);
    assert_eq!(formatted(expected).expect("TOML"), expected);
    assert_eq!(formatted("").expect("nothing"), "");
    assert!(formatted("a = = 1").expect_err("no TOML").has_errors());
}

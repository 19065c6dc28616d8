//! `holonom bench`: fields, right answers, refusals.

mod common;
use common::{diagnosed, holonom, json, refused, stderr, stdout};

#[test]
fn small_cases_are_right_and_every_field_is_a_number() {
    let report = json(&["bench", "a16", "a128", "b16", "b128", "c128", "d127", "--json"]);
    let cases = report["cases"].as_array().expect("a list");
    let expected = [
        ("a16", 16, 48),
        ("a128", 128, 384),
        ("b16", 16, 80),
        ("b128", 128, 640),
        ("c128", 128, 381),
        ("d127", 128, 381),
    ];
    assert_eq!(cases.len(), expected.len());
    for (case, (name, n, rows)) in cases.iter().zip(expected) {
        assert_eq!(case["case"], name);
        assert_eq!(case["n"].as_u64(), Some(n), "{name}");
        assert_eq!(case["rows"].as_u64(), Some(rows), "{name}");
        let number = |key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{name}: {key} is no number"));
        for key in ["us_min", "us_median", "ns_per_body", "us_jacobian", "us_factor", "us_solve"] {
            assert!(number(key) > 0.0, "{name}: {key} is {}", number(key));
        }
        assert_eq!(number("us_auxiliary"), 0.0);
        assert!(number("us_min") <= number("us_median"), "{name}");
        assert!((number("ns_per_body") * n as f64 - 1e3 * number("us_min")).abs() < 1e-6 * 1e3 * number("us_min"));
        assert!(number("error") < 1e-9, "{name}: error {:e}", number("error"));
        assert_eq!(case.as_object().expect("an object").len(), 11, "{name}");
    }
    for key in ["exponents", "time_exponents"] {
        let fitted = report[key].as_object().expect("an object");
        assert_eq!(fitted.keys().collect::<Vec<_>>(), ["a", "b"], "{key}");
    }
    for family in ["a", "b"] {
        let exponent = report["exponents"][family].as_f64().expect("a number");
        assert!(exponent > 0.5 && exponent <= 1.01, "{family}: {exponent}");
    }
}

#[test]
fn loops_are_right_and_show_their_fill() {
    let report = json(&[
        "bench",
        "e20",
        "e40",
        "r20",
        "ladder-10",
        "ladder-100",
        "fourbars-10",
        "fourbars-100",
        "grid-8",
        "--json",
    ]);
    let cases = report["cases"].as_array().expect("a list");
    let expected = [
        ("e20", 20, 63),
        ("e40", 40, 123),
        ("r20", 20, 105),
        ("ladder-10", 30, 120),
        ("ladder-100", 300, 1200),
        ("fourbars-10", 21, 155),
        ("fourbars-100", 201, 1505),
        ("grid-8", 64, 342),
    ];
    assert_eq!(cases.len(), expected.len());
    for (case, (name, n, rows)) in cases.iter().zip(expected) {
        assert_eq!(case["case"], name);
        assert_eq!((case["n"].as_u64(), case["rows"].as_u64()), (Some(n), Some(rows)), "{name}");
        let number = |key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{name}: {key} is no number"));
        assert!(number("error") < 1e-9, "{name}: error {:e}", number("error"));
        assert!(number("us_auxiliary") > 0.0, "{name}");
        assert!(number("front") > 0.0 && number("front") < 200.0, "{name}: front {}", number("front"));
    }
    let fitted = report["exponents"].as_object().expect("an object");
    assert_eq!(fitted.keys().collect::<Vec<_>>(), ["e", "fourbars", "ladder"]);
}

#[test]
fn without_a_reference_the_error_is_a_residual() {
    let report = json(&["bench", "a17", "b3", "c5", "d1", "--json"]);
    for case in report["cases"].as_array().expect("a list") {
        assert!(case["error"].as_f64().expect("a number") < 1e-10, "{case}");
    }
}

#[test]
fn every_solver_gives_the_same_answer() {
    for solver in ["dense", "dense-kkt", "banded", "cg"] {
        let report = json(&["bench", "a16", "b16", "c128", "--solver", solver, "--json"]);
        for case in report["cases"].as_array().expect("a list") {
            assert!(case["error"].as_f64().expect("a number") < 1e-9, "{solver}: {case}");
        }
        // operations are counted for the tree only
        assert_eq!(report["exponents"].as_object().expect("an object").len(), 0, "{solver}");
    }
}

#[test]
fn the_table_has_one_line_per_case() {
    let out = holonom(&["bench", "a16", "b16"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(out.stderr.is_empty(), "progress only on a terminal: {}", stderr(&out));
    let text = stdout(&out);
    for (case, size) in [("a16", "48"), ("b16", "80")] {
        let line = text.lines().find(|l| l.starts_with(case)).expect("a line of its own");
        assert!(line.contains(size) && line.ends_with("reference"), "{line}");
    }
    assert!(text.contains("us") && text.contains("The same on every machine"), "{text}");
}

#[test]
fn unknown_cases_are_refused_with_what_is_known() {
    refused(&["bench", "windmill"], 2, &["`windmill`", "known cases", "aN"]);
    refused(&["bench", "a16", "A128"], 2, &["`A128`", "did you mean `a128`?"]);
    refused(&["bench", "a0"], 2, &["`a0`", "at least 1"]);
    refused(&["bench", ""], 2, &["known cases"]);
    diagnosed(&["bench", "crane.toml"], 2, "E0104", &["crane.toml"]);
    refused(&["bench", "pendulm"], 2, &["did you mean `pendulum`?"]);
    refused(&["bench", "e2"], 2, &["`e2`", "at least 3"]);
    refused(&["bench", "ladder64"], 2, &["`ladder64`", "did you mean `ladder-64`?"]);
}

#[test]
fn sizes_beyond_a_limit_are_refused_at_once() {
    refused(&["bench", "a2000001"], 4, &["2000000 bodies"]);
    refused(&["bench", "d99999999999999999999"], 4, &["2000000 bodies"]);
    refused(&["bench", "ladder-700000"], 4, &["2000000 bodies"]);
    refused(&["bench", "grid-500"], 4, &["128 cubes"]);
    refused(&["bench", "a1024", "--solver", "dense"], 4, &["`dense`", "3072", "2000 rows"]);
    refused(&["bench", "a1024", "--solver", "dense-kkt"], 4, &["`dense-kkt`", "2000 unknowns"]);
    refused(&["bench", "d1000", "--solver", "banded"], 4, &["`banded`", "2000 rows"]);
    refused(&["bench", "b8192", "--solver", "cg"], 4, &["`cg`", "10000 rows"]);
}

#[test]
fn whole_steps_of_scenes_are_timed() {
    let report = json(&["bench", "ring-40", "--steps", "--integrator", "rk4", "--dt", "0.01", "--json"]);
    let steps = &report["scene_steps"][0];
    assert_eq!(
        (steps["scene"].as_str(), steps["n"].as_u64(), steps["rows"].as_u64()),
        (Some("ring-40"), Some(40), Some(120))
    );
    assert_eq!(
        (steps["integrator"].as_str(), steps["steps"].as_u64(), steps["dt"].as_f64()),
        (Some("rk4"), Some(100), Some(0.01))
    );
    let number = |key: &str| steps[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    // a step has four evaluations at its core
    let one = json(&["bench", "ring-40", "--json"])["cases"][0]["us_min"].as_f64().expect("a number");
    assert!(number("us_min") > 2.0 * one && number("us_min") <= number("us_median"), "{steps}");
    assert!(number("gap") < 1e-10 && number("passages") >= 3.0, "{steps}");
    refused(&["bench", "a16", "--steps"], 2, &["`a16` is a case", "leave --steps out"]);
    refused(&["bench", "ring-40", "--steps", "--dt", "-1"], 2, &["--dt is -1 s", "greater than 0"]);
}

#[test]
fn the_iterative_solver_gives_what_is_asked_of_it() {
    let with = |tolerance: &str| {
        let report = json(&["bench", "baraff-2d-108", "--solver", "cg", "--tolerance", tolerance, "--json"]);
        let case = &report["cases"][0];
        (case["iterations"].as_u64().expect("counted"), case["error"].as_f64().expect("a number"))
    };
    let (rough, fine) = (with("1e-2"), with("1e-10"));
    assert!(rough.0 < fine.0 && rough.1 > 1e-8 && fine.1 < 1e-9, "{rough:?} {fine:?}");
    refused(&["bench", "baraff-2d-108", "--solver", "cg", "--tolerance", "0"], 2, &["--tolerance is 0"]);
    refused(&["bench", "baraff-2d-108", "--tolerance", "1e-3"], 2, &["--tolerance is for --solver cg"]);
}

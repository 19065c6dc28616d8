//! The table of joints says of every kind what the kind itself says, and the catalogue page lists it.

use holonom::attach::BodyId;
use holonom::declaration::{Kind, Make};
use holonom::joints::{CoordinateKind, JOINTS, JointRole, RowLaw, declaration, pairs};
use holonom::math::SplitMix;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn declarations_agree_with_the_constraints_they_make() {
    let (a, b) = (BodyId::from_index(0).at([0.1, 0.2, 0.3]), BodyId::from_index(1).at([0.3, -0.1, 0.2]));
    for d in JOINTS {
        let Some(sample) = d.sample else { continue };
        let made = sample(a, b, &mut SplitMix(7));
        assert_eq!((made.kind(), made.n_rows()), (d.name(), d.rows));
        // a serial joint has as many as it is told, others the same at every call
        let said: Vec<CoordinateKind> = d.coordinates.iter().map(|c| c.1).collect();
        assert!(d.name() == "serial" || made.coordinates() == said, "{}", d.name());
        let inequality = made.law() != RowLaw::Equality;
        assert!(!inequality || d.role == JointRole::Inequality || d.role == JointRole::Drive, "{}", d.name());
    }
}

#[test]
fn names_and_labels_are_unique_and_pairs_are_those_of_the_table() {
    let names: BTreeSet<&str> = JOINTS.iter().map(|d| d.name()).collect();
    let labels: BTreeSet<&str> = JOINTS.iter().map(|d| d.label).collect();
    assert_eq!((names.len(), labels.len()), (JOINTS.len(), JOINTS.len()));
    assert!(!labels.contains(""));
    let in_table = JOINTS.iter().filter(|d| d.role == JointRole::Pair).map(|d| d.name());
    assert!(pairs().iter().map(|d| d.name()).eq(in_table));
    assert!(JOINTS.iter().all(|d| declaration(d.name()).is_some_and(|found| std::ptr::eq(found, *d))));
}

#[test]
fn fields_are_declared_once_and_explained() {
    let forces = holonom::forces::FORCES.iter().map(|d| &d.kind);
    let joints = JOINTS.iter().map(|d| &d.kind);
    for kind in joints.chain(forces).chain(holonom::drives::DRIVES.iter().map(|d| &d.kind)) {
        let names: Vec<&str> = kind.all_fields().map(|f| f.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{kind:?}");
        assert!(kind.all_fields().all(|f| !f.doc.is_empty()) && !kind.summary.is_empty(), "{kind:?}");
        assert!(!matches!(kind.make, Make::Elsewhere) || names.is_empty(), "{kind:?} has fields that nothing reads");
    }
}

const BEGIN: &str = "<!-- kinds: written by the test `table` -->\n";
const END: &str = "<!-- end of kinds -->";

/// What the catalogue page says of the kinds that files can say.
fn listed() -> String {
    let mut out = String::from("\n| joint | rows | coordinates | |\n|---|---:|---|---|\n");
    for d in JOINTS {
        let coordinates: Vec<&str> = d.coordinates.iter().map(|c| c.0).collect();
        let summary = d.kind.summary.split(". Coordinate").next().unwrap_or_default();
        let _ = writeln!(out, "| `{}` | {} | {} | {summary} |", d.name(), d.rows, coordinates.join(", "));
    }
    let list = |out: &mut String, title: &str, kinds: &mut dyn Iterator<Item = &'static Kind>| {
        let _ = write!(out, "\n| {title} | |\n|---|---|\n");
        for kind in kinds {
            let _ = writeln!(out, "| `{}` | {} |", kind.name, kind.summary);
        }
    };
    list(&mut out, "drive", &mut holonom::drives::DRIVES.iter().map(|d| &d.kind));
    list(&mut out, "force", &mut holonom::forces::FORCES.iter().map(|d| &d.kind));
    out + "\n"
}

#[test]
fn the_catalogue_page_lists_the_tables() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/catalogue.md");
    let text = std::fs::read_to_string(&page).expect("docs/catalogue.md");
    let start = text.find(BEGIN).expect("the list has its mark") + BEGIN.len();
    let end = start + text[start..].find(END).expect("the list ends");
    let now = listed();
    if std::env::var_os("HOLONOM_WRITE").is_some() {
        std::fs::write(&page, format!("{}{now}{}", &text[..start], &text[end..])).expect("written");
        return;
    }
    assert!(text[start..end] == now, "stale; run `HOLONOM_WRITE=1 cargo test -p holonom --test table`");
}

//! Answers to questions, held to what the engine itself says.

use holonom::Simulation;
use holonom::joints::Mouse;
use holonom::pattern::Matrix;
use holonom_scene::gallery::{GALLERY, VERIFICATION, find};
use holonom_scene::{Loader, Quantities, Scene};
use holonom_view::numbers::{self, SentenceLevel};
use std::time::Instant;

fn open(name: &str) -> (Scene, Simulation) {
    let entry = find(name).expect("scene");
    let loaded =
        Loader::new().load_text(&format!("{name}.toml"), entry.text).unwrap_or_else(|f| panic!("{}", f.render()));
    let model = loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
    (loaded.scene, Simulation::new(model))
}

#[test]
fn every_scene_has_all_answers() {
    for entry in GALLERY.iter().chain(VERIFICATION) {
        let name = entry.name;
        let (scene, mut sim) = open(name);
        let large = sim.model().n_bodies() > 1000;
        if !large {
            // some stop on purpose
            let _ = sim.run_until(0.02);
        }
        let said = numbers::diagnose(&scene, &mut sim).unwrap_or_else(|e| panic!("{name}: {e}"));
        let d = sim.diagnose().expect("solved");
        assert_eq!(
            (said.bodies, said.rows, said.rank, said.mobility),
            (d.bodies, d.rows, d.rank, d.mobility),
            "{name}"
        );
        assert!(said.sentences.len() >= 2, "{name}");
        for s in &said.sentences {
            assert!(s.text.ends_with('.'), "{name}: {}", s.text);
            for path in &s.paths {
                let known = match path.split_once('.') {
                    Some(("joint", n)) => sim.model().joint(n).is_some(),
                    Some(("body", n)) => sim.model().body(n).is_some(),
                    _ => false,
                };
                assert!(known, "{name}: {path}");
            }
        }
        let books = numbers::ledger(&mut sim);
        let sum: f64 = books.lines.iter().map(|l| l.work).sum::<f64>() + books.error;
        let size = books.lines.iter().map(|l| l.work.abs()).fold(books.change.abs() + books.total.abs(), f64::max);
        assert!((sum - books.change).abs() <= 1e-12 * size.max(1e-12), "{name}: {sum} {}", books.change);
        assert!((books.total - sim.energy().total()).abs() <= 1e-12 * size, "{name}");
        for matrix in Matrix::ALL {
            let said = numbers::spy(sim.model(), matrix.name()).unwrap_or_else(|e| panic!("{name}: {e}"));
            let pattern = sim.model().pattern(matrix).expect("small");
            assert_eq!(
                (said.rows, said.columns, said.entries),
                (pattern.n_rows, pattern.n_columns, pattern.entries.len())
            );
            // blocks cover exactly the entries; of L those on the diagonal are triangles
            let triangle = |b: &[usize; 5]| matrix == Matrix::L && b[0] == b[1];
            let area = |b: &[usize; 5]| if triangle(b) { b[2] * (b[2] + 1) / 2 } else { b[2] * b[3] };
            assert_eq!(said.blocks.iter().map(area).sum::<usize>(), said.entries, "{name} {}", matrix.name());
            assert_eq!(said.row_bands.iter().map(|b| b.count).sum::<usize>(), said.rows, "{name}");
        }
        let all = numbers::quantities(&scene, &mut sim);
        assert_eq!(all[0].name, "time", "{name}");
        let few: Vec<&str> = all.iter().step_by(1 + all.len() / 200).map(|q| q.name.as_str()).collect();
        let q = Quantities::of_scene(sim.model(), &scene, &few).unwrap_or_else(|u| panic!("{name}: {}", u.pattern));
        for (name, unit) in q.names().zip(q.units()) {
            assert!(all.iter().any(|n| n.name == name && n.unit == unit), "{name} {unit}");
        }
    }
}

#[test]
fn the_doctor_speaks_of_the_door() {
    let (scene, mut sim) = open("door-3-hinges");
    let said = numbers::diagnose(&scene, &mut sim).expect("report");
    said.sentences.iter().for_each(|s| println!("{:?}: {} {:?}", s.level, s.text, s.paths));
    assert!(!said.redundant.is_empty() && !said.loads.is_empty() && !said.not_unique.is_empty());
    let warned: Vec<_> = said.sentences.iter().filter(|s| s.level == SentenceLevel::Warn).collect();
    assert!(warned.iter().any(|s| s.text.contains("more than once") && s.paths.len() == 3), "{warned:?}");
    assert!(warned.iter().any(|s| s.text.contains("not unique")), "{warned:?}");
    let surplus: usize = said.redundant.iter().map(|s| s.dropped.len()).sum();
    assert_eq!(surplus, said.rows - said.rank);
    let marked = numbers::quantities(&scene, &mut sim);
    assert!(marked.iter().any(|q| q.note.starts_with("not unique")));
}

#[test]
fn free_motions_are_named() {
    let motions = |name: &str| {
        let (scene, mut sim) = open(name);
        let said = numbers::diagnose(&scene, &mut sim).expect("report");
        said.sentences.iter().for_each(|s| println!("{name}: {:?}: {} {:?}", s.level, s.text, s.paths));
        let found = numbers::free_motions(&sim, said.mobility);
        (said, found)
    };
    let (said, found) = motions("four-bar");
    if said.mobility == 1 {
        let found = found.expect("found");
        assert_eq!((found.coordinates.len(), found.unseen), (1, 0));
        assert!(said.sentences.iter().any(|s| s.text.starts_with("1 free motion: ") && s.paths.len() == 1));
    }
    let (said, found) = motions("double-pendulum");
    let found = found.expect("found");
    assert_eq!((said.mobility, found.coordinates.len(), found.unseen), (2, 2, 0));
    // a ball in the air: six motions that no joint sees
    let (said, found) = motions("bouncing-ball");
    assert_eq!(found.map(|f| f.unseen), Some(said.mobility));
}

#[test]
fn hands_are_in_the_ledger_alone() {
    let (scene, mut sim) = open("double-pendulum");
    let before = numbers::quantities(&scene, &mut sim).len();
    let joints = sim.model().n_joints();
    let body = sim.model().bodies().last().expect("a body");
    let mouse = Mouse::new(body.origin(), 0.05).cap(200.0);
    let target = mouse.target();
    target.set(sim.point(body.origin()).0 + holonom::Vec3::new(0.3, 0.0, 0.3));
    sim.add_joint("\u{1}hand 1 1", mouse).expect("added");
    sim.run_until(0.1).expect("runs");
    let books = numbers::ledger(&mut sim);
    let hand = books.lines.iter().find(|l| l.kind == "hand").expect("a line");
    assert!(hand.work > 1e-3, "{books:?}");
    assert!(books.lines.iter().all(|l| !l.label.contains('\u{1}')));
    assert_eq!(numbers::quantities(&scene, &mut sim).len(), before + extra_of_inequalities(&sim, before, &scene));
    let said = numbers::diagnose(&scene, &mut sim).expect("report");
    assert_eq!(said.joints, joints);
    assert!(!serde_json::to_string(&said).expect("JSON").contains("hand 1 1"));
}

/// A capped hand makes the model one with sides, which has quantities of contacts.
fn extra_of_inequalities(sim: &Simulation, _before: usize, scene: &Scene) -> usize {
    let of = |patterns: &[&str]| Quantities::of_scene(sim.model(), scene, patterns).map_or(0, |q| q.len() - 1);
    of(&["contact.*"]) + of(&["ledger.contacts"]) + of(&["certificate.complementarity"])
}

#[test]
fn the_gallery_is_drawn_in_no_time() {
    let began = Instant::now();
    let answer = serde_json::to_value(numbers::gallery(Some("mine"))).expect("JSON");
    let took = began.elapsed().as_secs_f64();
    println!("gallery: {:.0} ms, {} bytes", 1e3 * took, answer.to_string().len());
    assert!(took < 3.0, "{took} s");
    assert_eq!(answer["own"], "mine");
    assert_eq!(answer["scenes"].as_array().map(Vec::len), Some(GALLERY.len()));
    assert_eq!(answer["verification"].as_array().map(Vec::len), Some(VERIFICATION.len()));
    for card in numbers::cards() {
        let (scene, sim) = open(card.name);
        assert_eq!((card.bodies, &card.title), (sim.model().n_bodies(), &scene.title), "{}", card.name);
        assert!(!card.sketch.is_empty() && card.sketch.len() <= 200, "{}: {}", card.name, card.sketch.len());
        for line in &card.sketch {
            assert!(line.len() >= 4 && line.len() % 2 == 0 && line.iter().all(|x| x.is_finite()), "{}", card.name);
        }
    }
    let loops = |name: &str| numbers::cards().iter().find(|c| c.name == name).map(|c| c.loops);
    assert_eq!((loops("four-bar"), loops("double-pendulum")), (Some(true), Some(false)));
}

#[test]
fn a_matrix_that_is_none_is_refused() {
    let (_, sim) = open("pendulum");
    assert!(numbers::spy(sim.model(), "Q").is_err_and(|e| e.contains("J, H, A and L")));
}

//! Every scene of the gallery loads without a warning, says what it is, and keeps its joints closed for ten seconds at a step of a millisecond.

use holonom::Simulation;
use holonom_scene::Loader;
use holonom_scene::gallery::{self, GALLERY};

/// Bodies, rows, redundant rows, and mobility, as their comments promise.
const PROMISED: &[(&str, usize, usize, usize, usize)] = &[
    ("pendulum", 1, 5, 0, 1),
    ("double-pendulum", 2, 10, 0, 2),
    ("door-3-hinges", 1, 15, 10, 1),
    ("four-bar", 3, 21, 3, 0),
    ("slider-crank", 3, 20, 3, 1),
    ("gear-train", 5, 30, 0, 0),
    ("rope", 21, 63, 0, 63),
    ("crane", 3, 13, 0, 5),
    ("ring-40", 40, 120, 0, 120),
    ("baraff-tree-381", 127, 381, 0, 381),
];

#[test]
fn joints_stay_closed() {
    for entry in GALLERY {
        let loaded = Loader::new().load_text(&format!("{}.toml", entry.name), entry.text);
        let loaded = loaded.unwrap_or_else(|f| panic!("{}", f.render()));
        assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
        let scene = &loaded.scene;
        if entry.name != "pendulum" {
            assert!(!scene.title.is_empty() && !scene.description.is_empty(), "{}: title and description", entry.name);
            assert!(!scene.cameras.is_empty() && scene.run.time.is_some(), "{}: camera and run", entry.name);
            assert!(entry.text.contains("# check: "), "{}: what the doctor will say", entry.name);
        }
        let model = loaded.build().unwrap_or_else(|f| panic!("{}: {}", entry.name, f.render()));
        let found = (model.n_bodies(), model.n_rows());
        let mut sim = Simulation::new(model);
        let doctor = sim.diagnose().expect("regular");
        println!("{}: {found:?}, redundant {}, mobility {}", entry.name, doctor.rows - doctor.rank, doctor.mobility);
        let mut worst = 0.0f64;
        let start = std::time::Instant::now();
        for k in 0..10_000 {
            if let Err(e) = sim.step(1e-3) {
                panic!("{} at step {k}: {e}", entry.name);
            }
            if k % 10 == 9 {
                worst = worst.max(sim.violation().0);
            }
        }
        println!("{}: gap {worst:.1e}, {:.2} s", entry.name, start.elapsed().as_secs_f64());
        assert!(worst <= 1e-10, "{}: gap {worst:e}", entry.name);
        let promised = PROMISED.iter().find(|p| p.0 == entry.name).unwrap_or_else(|| panic!("{}", entry.name));
        assert_eq!(
            (found.0, found.1, doctor.rows - doctor.rank, doctor.mobility),
            (promised.1, promised.2, promised.3, promised.4),
            "{}: bodies, rows, redundant, mobility",
            entry.name
        );
    }
}

#[test]
fn the_pendulum_fits_in_ten_lines() {
    assert!(gallery::find("pendulum").expect("there").text.lines().count() <= 10);
}

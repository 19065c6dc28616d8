//! Every scene of the gallery loads without a warning, says what it is, and keeps its joints closed for ten seconds at a step of a millisecond.

use holonom::{IntegratorKind, Simulation};
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
    ("bouncing-ball", 1, 0, 0, 6),
    ("newtons-cradle", 5, 25, 0, 5),
    ("wall-100", 100, 0, 0, 600),
    ("tower-1000", 10, 0, 0, 60),
    ("parallelogram", 3, 20, 4, 2),
    ("prosthetic-arm", 9, 49, 0, 5),
    ("cable-200", 200, 600, 0, 600),
    ("tree-128", 128, 384, 0, 384),
    ("boxes-10000", 10000, 0, 0, 60000),
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
        // piles cost more, and have no joints to keep closed
        let steps = if found.1 == 0 { 500 } else { 10_000 };
        if let Some(kind) = scene.run.integrator.as_deref().and_then(IntegratorKind::from_name) {
            sim.set_integrator(kind);
        }
        for k in 0..steps {
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

/// The gallery scene of that name, run to a time with the integrator and step it says.
fn run(name: &str, until: f64) -> Simulation {
    let entry = gallery::find(name).expect("there");
    let loaded =
        Loader::new().load_text(&format!("{name}.toml"), entry.text).unwrap_or_else(|f| panic!("{}", f.render()));
    let mut sim = Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    let run = &loaded.scene.run;
    if let Some(kind) = run.integrator.as_deref().and_then(IntegratorKind::from_name) {
        sim.set_integrator(kind);
    }
    match run.dt {
        Some(dt) => sim.run_fixed(until, dt).expect("runs"),
        None => sim.run_until(until).expect("runs"),
    };
    sim
}

#[test]
fn the_ball_bounces_to_64_per_cent() {
    // it falls for sqrt(2 h / g), and then takes twice 0.8 times that for each rise and fall
    let fall = (2.0f64 / 9.81).sqrt();
    let top = fall * (1.0 + 0.8);
    let sim = run("bouncing-ball", top);
    let ball = sim.model().body("ball").expect("a ball");
    assert!((sim.centre(ball).z - 0.1 - 0.64).abs() < 1e-8, "{}", sim.centre(ball).z);
    // all bounces together take fall (1 + 2 (0.8 + 0.64 + ..)) = 9 fall = 4.06 s
    let sim = run("bouncing-ball", 5.0);
    assert!((sim.centre(ball).z - 0.1).abs() < 1e-6 && sim.centre_velocity(ball).length() < 1e-6);
}

#[test]
fn the_cradle_passes_the_blow_on() {
    let mut sim = run("newtons-cradle", 0.0);
    // half a period later the last ball is as high as the first was, and the others hang still
    let period = std::f64::consts::TAU * (1.0f64 / 9.81).sqrt();
    let mut highest = [0.0f64; 5];
    while sim.time() < 0.75 * period {
        sim.step(1e-3).expect("it steps");
        if sim.time() > 0.3 * period {
            for (k, highest) in highest.iter_mut().enumerate() {
                let joint = sim.model().joint(&format!("string {}", k + 1)).expect("a string");
                *highest = highest.max(sim.coordinate(joint, 0).expect("an angle").0.abs());
            }
        }
    }
    let degrees = highest.map(f64::to_degrees);
    assert!(degrees[4] > 29.9 && degrees[..4].iter().all(|a| *a < 0.1), "{degrees:?}");
}

#[test]
fn the_wall_and_the_tower_stand() {
    for (name, n) in [("wall-100", 100), ("tower-1000", 10)] {
        let start = run(name, 0.0);
        let mut sim = run(name, 0.2);
        for i in 1..=n {
            let brick = sim.model().body(&format!("brick {i}")).expect("a brick");
            let moved = (sim.centre(brick) - start.centre(brick)).length();
            assert!(moved < 1e-6, "{name}: brick {i} moved by {moved} m");
        }
        assert!(sim.overlap() < 1e-9, "{name}: {} m", sim.overlap());
    }
}

//! Every scene of the gallery loads without a warning, says what it is, and keeps its joints closed for ten seconds at a step of a millisecond.

use holonom::{Drift, IntegratorKind, Simulation};
use holonom_scene::gallery::{self, GALLERY, GalleryScene};
use holonom_scene::{Loader, Scene};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the comment `# check:` of a scene promises.
#[derive(Debug, PartialEq)]
struct Promise {
    bodies: usize,
    rows: usize,
    redundant: usize,
    mobility: usize,
}

/// `# check: 3 bodies, 4 joints, 20 rows, 3 redundant, mobility 1`. Where rows or redundant ones are not mentioned there are none.
fn promise(text: &str) -> Option<Promise> {
    let line = text.lines().find_map(|l| l.strip_prefix("# check: "))?;
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let at = |name: &[&str]| words.iter().position(|w| name.contains(w));
    let before = |k: usize| words.get(k.checked_sub(1)?)?.parse().ok();
    Some(Promise {
        bodies: before(at(&["bodies", "body"])?)?,
        rows: at(&["rows", "row"]).map_or(Some(0), before)?,
        redundant: at(&["redundant"]).filter(|k| words[k - 1] != "nothing").map_or(Some(0), before)?,
        mobility: words.get(at(&["mobility"])? + 1)?.parse().ok()?,
    })
}

/// The first scene of all is too short for a comment.
const PENDULUM: Promise = Promise { bodies: 1, rows: 5, redundant: 0, mobility: 1 };

/// All there is to say of a scene at its start.
fn well_described(entry: &GalleryScene) -> (Scene, Simulation) {
    let loaded = Loader::new().load_text(&format!("{}.toml", entry.name), entry.text);
    let loaded = loaded.unwrap_or_else(|f| panic!("{}", f.render()));
    assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
    let scene = &loaded.scene;
    let promised = match entry.name {
        "pendulum" => PENDULUM,
        name => {
            assert!(!scene.title.is_empty() && !scene.description.is_empty(), "{name}: title and description");
            assert!(!scene.cameras.is_empty() && scene.run.time.is_some(), "{name}: camera and run");
            promise(entry.text).unwrap_or_else(|| panic!("{name}: `# check: N bodies, N rows, mobility N`"))
        }
    };
    let model = loaded.build().unwrap_or_else(|f| panic!("{}: {}", entry.name, f.render()));
    let (bodies, rows) = (model.n_bodies(), model.n_rows());
    let mut sim = Simulation::new(model);
    let doctor = sim.diagnose().unwrap_or_else(|e| panic!("{}: {e}", entry.name));
    let found = Promise { bodies, rows, redundant: doctor.rows - doctor.rank, mobility: doctor.mobility };
    assert_eq!(found, promised, "{}", entry.name);
    sim.set_drift(scene.run.drift());
    if let Some(kind) = scene.run.integrator.as_deref().and_then(IntegratorKind::from_name) {
        sim.set_integrator(kind);
    }
    (loaded.scene, sim)
}

#[test]
fn every_scene_is_what_its_comment_says_and_its_joints_stay_closed() {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(entry) = GALLERY.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (scene, sim) = well_described(entry);
            stay_closed(entry.name, &scene, sim);
        }
    };
    std::thread::scope(|s| {
        let hands = [s.spawn(work), s.spawn(work)];
        for hand in hands {
            hand.join().unwrap_or_else(|p| std::panic::resume_unwind(p));
        }
    });
}

/// Ten seconds at a millisecond each, and joints within 1e-10 m or rad, or 1e-8 where bodies touch.
fn stay_closed(name: &str, scene: &Scene, mut sim: Simulation) {
    let start = std::time::Instant::now();
    // piles cost more, and have no joints to keep closed
    let steps = if sim.model().n_rows() == 0 { 500 } else { 10_000 };
    let mut worst = 0.0f64;
    for k in 0..steps {
        if let Err(e) = sim.step(1e-3) {
            panic!("{name} at step {k}: {e}");
        }
        if k % 10 == 9 {
            worst = worst.max(sim.violation().0);
        }
    }
    println!("{name}: gap {worst:.1e}, {:.2} s", start.elapsed().as_secs_f64());
    let allowed = if sim.model().n_shapes() > 0 { 1e-8 } else { 1e-10 };
    // where feedback closes them in time, what counts is that they are closed in the end
    let found = if scene.run.drift() == Drift::Project { worst } else { sim.violation().0 };
    assert!(found <= allowed, "{name}: gap {found:e}");
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
        let sim = run(name, 0.2);
        for i in 1..=n {
            let brick = sim.model().body(&format!("brick {i}")).expect("a brick");
            let moved = (sim.centre(brick) - start.centre(brick)).length();
            assert!(moved < 1e-6, "{name}: brick {i} moved by {moved} m");
        }
        assert!(sim.overlap() < 1e-9, "{name}: {} m", sim.overlap());
    }
}

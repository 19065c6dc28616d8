//! What the machines and toys of the gallery claim, against figures that were found in other ways: linkages by circles that meet, loads by moments,
//! periods by elliptic integrals, published eigenvalues.

use holonom::{BodyId, IntegratorKind, Mat3, Simulation, Vec3};
use holonom_scene::gallery;
use holonom_scene::{Loader, Quantities, Scene};

/// A scene of the gallery with settings, ready to step, and its own step.
struct Case {
    scene: Scene,
    sim: Simulation,
    dt: f64,
}

fn case(name: &str, settings: &[&str]) -> Case {
    let entry = gallery::find(name).expect("a scene of the gallery");
    let loader = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
    let loaded = loader.load_text(&format!("{name}.toml"), entry.text).unwrap_or_else(|f| panic!("{}", f.render()));
    let mut sim = Simulation::new(loaded.build().unwrap_or_else(|f| panic!("{}", f.render())));
    let run = &loaded.scene.run;
    match run.integrator.as_deref() {
        Some(kind) => sim.set_integrator(IntegratorKind::from_name(kind).expect("a known integrator")),
        None => {
            let tolerance = run.tolerance.unwrap_or(1e-10);
            sim.set_integrator(IntegratorKind::Dop853 { relative: tolerance, absolute: tolerance });
        }
    }
    let dt = run.dt.unwrap_or(1e-3);
    Case { scene: loaded.scene, sim, dt }
}

impl Case {
    fn body(&self, name: &str) -> BodyId {
        self.sim.model().body(name).unwrap_or_else(|| panic!("no body `{name}`"))
    }

    fn axes(&self, name: &str) -> Mat3 {
        self.sim.axes(self.body(name)).expect("it has an orientation")
    }

    /// Where a point of a body is, and how fast.
    fn point(&self, name: &str) -> (Vec3, Vec3) {
        self.sim.point(self.scene.marker(name).unwrap_or_else(|| panic!("no point `{name}`")))
    }

    fn coordinate(&mut self, joint: &str) -> f64 {
        let id = self.sim.model().joint(joint).unwrap_or_else(|| panic!("no joint `{joint}`"));
        self.sim.coordinate(id, 0).expect("it has a coordinate").0
    }

    /// Force and torque of body a on body b.
    fn load(&mut self, joint: &str) -> (Vec3, Vec3) {
        let id = self.sim.model().joint(joint).unwrap_or_else(|| panic!("no joint `{joint}`"));
        let reaction = self.sim.reaction(id).expect("solvable");
        (reaction.force, reaction.torque)
    }

    fn mass(&self, name: &str) -> f64 {
        let body = self.scene.bodies.iter().find(|b| &*b.name == name).unwrap_or_else(|| panic!("no body `{name}`"));
        body.mass.expect("it has a mass").mass
    }

    /// One step of the scene's own length; how far shapes overlap after it, or limits are passed, of all that the step knew of.
    fn step(&mut self) -> f64 {
        let (t, dt) = (self.sim.time(), self.dt);
        self.sim.step(dt).unwrap_or_else(|e| panic!("at {t} s: {e}")).overlap
    }

    fn read(&mut self, names: &[&str]) -> Vec<f64> {
        let mut q = Quantities::of_scene(self.sim.model(), &self.scene, names).unwrap_or_else(|_| panic!("{names:?}"));
        let mut row = vec![0.0; q.len()];
        q.read(&mut self.sim, &mut row).expect("solvable");
        row
    }
}

// ---- the beach animal

type Point = [f64; 2];

/// Where circles about `a` and `b` meet: the one of the two points on the left of the way from a to b.
fn meet(a: Point, ra: f64, b: Point, rb: f64) -> Point {
    let (x, z) = (b[0] - a[0], b[1] - a[1]);
    let d2 = x * x + z * z;
    let along = 0.5 * (1.0 + (ra * ra - rb * rb) / d2);
    let across = (ra * ra / d2 - along * along).sqrt();
    [a[0] + along * x - across * z, a[1] + along * z + across * x]
}

/// The foot of a leg that points to +x, from where its crank pin is, in Jansen's units. The crank's axle is the origin.
fn foot(pin: Point) -> Point {
    let fixed = [38.0, -7.8];
    let top = meet(pin, 50.0, fixed, 41.5);
    let knee = meet(fixed, 39.3, pin, 61.9);
    let hip = meet(top, 55.8, fixed, 40.1);
    let ankle = meet(hip, 39.4, knee, 36.7);
    meet(ankle, 65.7, knee, 49.0)
}

#[test]
fn the_feet_of_the_beach_animal_run_on_jansens_curve() {
    let mut c = case("strandbeest", &[]);
    let (mut worst, mut gap, mut overlap) = (0.0f64, 0.0f64, 0.0f64);
    let start = c.point("frame").0.x;
    for k in 0..60_000 {
        c.step();
        if k % 200 != 0 {
            continue;
        }
        gap = gap.max(c.sim.violation().0);
        overlap = overlap.max(c.sim.overlap());
        let (axle, axes) = (c.point("frame").0, c.axes("frame"));
        // in the plane of the frame, outwards for the leg, in Jansen's units of a centimetre
        let seen =
            |p: Vec3, side: f64| [100.0 * side * (p - axle).dot(axes.x_axis), 100.0 * (p - axle).dot(axes.y_axis)];
        for leg in 1..=6usize {
            let side = if leg % 2 == 1 { 1.0 } else { -1.0 };
            let pin = seen(c.point(&format!("crank.pin{}", leg.div_ceil(2))).0, side);
            let found = seen(c.point(&format!("lower {leg}.foot")).0, side);
            let expected = foot(pin);
            worst = worst.max((found[0] - expected[0]).abs().max((found[1] - expected[1]).abs()) / 100.0);
        }
    }
    let way = c.point("frame").0.x - start;
    println!("foot off by {worst:.1e} m, gap {gap:.1e} m, overlap {overlap:.1e} m, walked {way:.2} m in 60 s");
    assert!(worst <= 1e-9, "a foot is {worst} m beside its curve");
    assert!(gap <= 1e-8 && overlap <= 1e-8, "gap {gap} m, overlap {overlap} m");
    // three strides to a turn of the crank, each as long as a foot on the ground moves in the third of a turn in which it is the lowest one
    let x = |degrees: f64| foot([15.0 * degrees.to_radians().cos(), 15.0 * degrees.to_radians().sin()])[0] / 100.0;
    let stride = x(215.0) - x(95.0);
    let expected = 3.0 * stride * c.coordinate("shaft").abs() / std::f64::consts::TAU;
    println!("{expected:.2} m by strides of {stride:.3} m");
    assert!((way / expected - 1.0).abs() < 0.1, "it walked {way} m; strides make {expected} m");
}

// ---- the excavator

/// A member that turns about a pivot is held by a strut between a base and the attachment. What the strut does to the member at the attachment, and
/// the pivot to the member: from the moments of the member about the pivot, and of the strut about its base. Loads are forces with their points; all
/// in the plane y = 0.
fn held(pivot: Vec3, attachment: Vec3, base: Vec3, member: &[(Vec3, Vec3)], strut: &[(Vec3, Vec3)]) -> (Vec3, Vec3) {
    let about = |p: Vec3, loads: &[(Vec3, Vec3)]| loads.iter().map(|(at, f)| (*at - p).cross(*f).y).sum::<f64>();
    let (r, s) = (attachment - pivot, attachment - base);
    // r x F + M = 0 and -s x F + N = 0, of which the y components are r.z F.x - r.x F.z and so on
    let (m, n) = (about(pivot, member), about(base, strut));
    let det = -r.z * s.x + r.x * s.z;
    let f = Vec3::new((m * s.x + n * r.x) / det, 0.0, (n * r.z + m * s.z) / det);
    let all: Vec3 = member.iter().map(|(_, f)| *f).sum();
    (f, -f - all)
}

/// At rest: all cylinders stay as drawn.
const STILL: [&str; 3] = ["drive.boom oil.value=0", "drive.stick oil.value=0", "drive.bucket oil.value=0"];

#[test]
fn the_pins_of_the_excavator_carry_what_moments_say() {
    for bearings in ["bearings=0", "bearings=1"] {
        let mut c = case("excavator", &[&STILL[..], &[bearings, "dig=0"]].concat());
        c.sim.run_until(8.0).expect("it stays as it is");
        // the pose as drawn
        let at = |x: f64, z: f64| Vec3::new(x, 0.0, z);
        let (foot, stick, bucket, rocker) = (at(0.0, 2.0), at(5.3, 4.55), at(6.1, 1.85), at(6.02, 2.3));
        let (boom_base, boom_end, stick_base, stick_end) = (at(0.75, 1.55), at(2.3, 4.0), at(2.35, 4.9), at(4.75, 5.2));
        let (bucket_base, knee, ear) = (at(5.72, 4.36), at(6.55, 2.55), at(6.5, 1.95));
        let weight = |names: &[&str]| -> Vec<(Vec3, Vec3)> {
            names.iter().map(|n| (c.sim.centre(c.body(n)), Vec3::new(0.0, 0.0, -9.81 * c.mass(n)))).collect()
        };
        let soil = 9.81 * 900.0 / 2.0 * (9.0f64.tanh() + 9.0f64.tanh());
        let soil = (at(5.93, 1.05), Vec3::new(0.0, 0.0, -soil));

        let lower = ["bucket", "rocker", "link", "bucket barrel", "bucket rod", "stick"];
        let upper = ["stick barrel", "stick rod", "boom"];
        let all = [&weight(&lower)[..], &weight(&upper), &[soil]].concat();
        let (boom_f, boom_r) = held(foot, boom_end, boom_base, &all, &weight(&["boom barrel", "boom rod"]));
        let outer = [&weight(&lower)[..], &[soil]].concat();
        let (stick_f, stick_r) = held(stick, stick_end, stick_base, &outer, &weight(&["stick barrel", "stick rod"]));
        let filled = [&weight(&["bucket"])[..], &[soil]].concat();
        let (link_f, bucket_r) = held(bucket, ear, knee, &filled, &weight(&["link"]));
        // the rocker carries the link, which pulls at the bucket and weighs something itself
        let hung = Vec3::new(0.0, 0.0, -9.81 * c.mass("link")) - link_f;
        let carried = [&weight(&["rocker"])[..], &[(knee, hung)]].concat();
        let (rod_f, rocker_r) = held(rocker, knee, bucket_base, &carried, &weight(&["bucket barrel", "bucket rod"]));

        // struts are body b at their ends, so the member acts on them
        let expected = [
            ("boom foot", boom_r),
            ("boom end", -boom_f),
            ("stick pin", stick_r),
            ("stick end", -stick_f),
            ("bucket pin", bucket_r),
            ("link bucket", -link_f),
            ("link rocker", -hung),
            ("rocker pin", rocker_r),
            ("bucket end", -rod_f),
        ];
        for (pin, by_hand) in expected {
            let found = c.load(pin).0;
            println!("{pin}: {found:.3} N, by hand {by_hand:.3} N");
            let off = ((found.x - by_hand.x).powi(2) + (found.z - by_hand.z).powi(2)).sqrt();
            assert!(off <= 1e-6, "{bearings}, {pin}: {found} N, by hand {by_hand} N");
        }
    }
}

#[test]
fn bearings_that_align_themselves_make_all_loads_of_the_excavator_unique() {
    let mut c = case("excavator", &[&STILL[..], &["bearings=1", "dig=0", "soil=0", "side=5000"]].concat());
    let doctor = c.sim.diagnose().expect("regular");
    assert_eq!((doctor.rows, doctor.rank, doctor.mobility), (66, 66, 0));
    c.sim.run_until(4.0).expect("it stays as it is");
    // cylinders and link cannot carry anything across, so the pins of the arm carry all of it
    let side = Vec3::new(0.0, 5000.0, 0.0);
    let teeth = Vec3::new(6.35, 0.0, 0.55);
    for (pin, at) in [("boom foot", (0.0, 2.0)), ("stick pin", (5.3, 4.55)), ("bucket pin", (6.1, 1.85))] {
        let (force, torque) = c.load(pin);
        let by_hand = -(teeth - Vec3::new(at.0, 0.0, at.1)).cross(side);
        println!("{pin}: {:.3} N across, {torque:.3} N m, by hand {by_hand:.3} N m", force.y);
        assert!((force.y + side.y).abs() < 1e-6, "{pin}: {} N across", force.y);
        assert!((torque - by_hand).length() < 1e-6, "{pin}: {torque} N m, by hand {by_hand} N m");
    }
    for end in ["boom base", "boom end", "stick end", "bucket end", "link bucket"] {
        assert!(c.load(end).0.y.abs() < 1e-6, "{end} carries {} N across", c.load(end).0.y);
    }
}

// ---- the ball

#[test]
fn the_rope_carries_two_tonnes_and_does_not_stretch() {
    let mut c = case("rope-2t-ball", &[]);
    let (length, radius) = (8.0f64, (2000.0 / 7800.0 * 3.0 / (4.0 * std::f64::consts::PI)).cbrt());
    let jib = c.point("ground.jib").0;
    let (mut gap, mut longest, mut bottom) = (0.0f64, 0.0f64, None);
    while c.sim.time() < 4.0 {
        let before = c.point("ball").0.x;
        c.step();
        gap = gap.max(c.sim.violation().0);
        longest = longest.max((c.point("ball.eye").0 - jib).length());
        if bottom.is_none() && before < 0.0 && c.point("ball").0.x >= 0.0 {
            bottom = Some((c.point("ball").1.length(), c.load("rope/1").0.length()));
        }
    }
    // a ball on a string, with the little that goes into its turning: v^2 (1 + 2/5 r^2 / l^2) = 2 g l (1 - cos 50)
    let l = length + radius;
    let v2 = 2.0 * 9.81 * l * (1.0 - 50f64.to_radians().cos()) / (1.0 + 0.4 * (radius / l).powi(2));
    let tension = 2000.0 * (9.81 + v2 / l);
    let (speed, pull) = bottom.expect("it comes down");
    println!("{speed:.3} m/s and {pull:.0} N at the bottom, by hand {:.3} and {tension:.0}", v2.sqrt());
    println!("gap {gap:.1e} m, at most {:.1e} m longer than it is", longest - length);
    assert!((speed / v2.sqrt() - 1.0).abs() < 5e-3, "{speed} m/s");
    assert!((pull / tension - 1.0).abs() < 2e-2, "{pull} N");
    assert!(gap <= 1e-8 && longest <= length + 1e-9, "gap {gap} m, {longest} m long");
    // and the wall is down: the block in the middle of the third course has left its place
    let block = c.sim.centre(c.body("block 8"));
    assert!(block.x > 2.0, "{block}");
}

// ---- the handle

#[test]
fn the_handle_turns_over_as_elliptic_functions_say() {
    let mut c = case("dzhanibekov", &["run.tolerance=1e-12"]);
    // cylinders along y and x, about the centre of mass of both
    let (bar, stem, r, density) = (0.26f64, 0.16f64, 0.016f64, 2700.0);
    let per_metre = density * std::f64::consts::PI * r * r;
    let (mb, ms) = (per_metre * bar, per_metre * stem);
    let (long, across) = (|m: f64| m * r * r / 2.0, |m: f64, l: f64| m * (3.0 * r * r + l * l) / 12.0);
    let away = mb * ms / (mb + ms) * (stem / 2.0).powi(2);
    let least = long(mb) + across(ms, stem) + away;
    let middle = across(mb, bar) + long(ms);
    let most = across(mb, bar) + across(ms, stem) + away;
    assert!(least < middle && middle < most);
    let w = [0.09, 9.0, 0.09];
    let twice_t = least * w[0] * w[0] + middle * w[1] * w[1] + most * w[2] * w[2];
    let l2 = (least * w[0]).powi(2) + (middle * w[1]).powi(2) + (most * w[2]).powi(2);
    // Landau and Lifshitz, Mechanics, 37; with the ends exchanged where the momentum is on the other side of the separatrix
    let (a, b) = if l2 > twice_t * middle { (least, most) } else { (most, least) };
    let rate = ((b - middle) * (l2 - twice_t * a) / (a * middle * b)).sqrt();
    let k2 = (middle - a) * (twice_t * b - l2) / ((b - middle) * (l2 - twice_t * a));
    let (mut x, mut y) = (1.0f64, (1.0 - k2).sqrt());
    for _ in 0..40 {
        (x, y) = ((x + y) / 2.0, (x * y).sqrt());
    }
    let expected = std::f64::consts::PI / x / rate; // 2 K / rate
    let id = c.body("handle");
    let about_stem = |sim: &Simulation| sim.spin(id).expect("spins").dot(sim.axes(id).expect("has axes").x_axis);
    let mut turns = Vec::new();
    while turns.len() < 8 {
        let state = c.sim.state().clone();
        let (t, before) = (c.sim.time(), about_stem(&c.sim));
        c.step();
        if before * about_stem(&c.sim) < 0.0 {
            // the moment in between at which the spin about the stem is nought
            let after = c.sim.state().clone();
            let (mut low, mut high) = (1e-12, c.dt);
            for _ in 0..40 {
                let half = 0.5 * (low + high);
                c.sim.set_state(state.clone());
                c.sim.step(half).expect("steps");
                if before * about_stem(&c.sim) > 0.0 { low = half } else { high = half }
            }
            turns.push(t + low);
            c.sim.set_state(after);
        }
    }
    for pair in turns.windows(2) {
        println!("turns over after {:.9} s, elliptic integral {expected:.9} s", pair[1] - pair[0]);
        assert!(((pair[1] - pair[0]) / expected - 1.0).abs() < 1e-7);
    }
}

// ---- the coin

#[test]
fn the_coin_rolls_in_the_circle_of_steady_motion() {
    let (r, thick, lean, turn, g) = (0.15f64, 0.012f64, 0.4f64, 2.2f64, 9.81);
    // per mass. Moments about the centre: m g r sin(lean) = turn cos(lean) ((I_axis + m r^2) w + I_across turn sin(lean)), w along the coin's axis
    let (axis, across) = (r * r / 2.0, r * r / 4.0 + thick * thick / 12.0);
    let w = (g * r * lean.tan() / turn - across * turn * lean.sin()) / (axis + r * r);
    let roll = w + turn * lean.sin();
    let settings =
        [format!("lean={lean}"), format!("turn={turn}"), format!("roll={roll}"), "force.air.linear=0".to_string()];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut c = case("rolling-coin", &settings);
    let centre = c.point("coin").0 + Vec3::new(0.0, r * w / turn, 0.0);
    let (mut off, mut slip, height) = (0.0f64, 0.0f64, c.point("coin").0.z);
    while c.sim.time() < 6.0 {
        c.step();
        let ((p, v), axes) = (c.point("coin"), c.axes("coin"));
        off = off.max(((p - centre).truncate().length() - r * w / turn).abs()).max((p.z - height).abs());
        // the rim's lowest point is the way down, less its part along the axis of the coin
        let down = (-Vec3::Z + axes.y_axis * axes.y_axis.z).normalize() * r;
        slip = slip.max((v + c.sim.spin(c.body("coin")).expect("spins").cross(down)).length());
    }
    println!("off the circle by {off:.1e} m, slips at {slip:.1e} m/s");
    assert!(off < 1e-8 && slip < 1e-10, "off by {off} m, slips at {slip} m/s");
}

#[test]
fn the_coin_spirals_down_and_by_contact_falls_on_its_face() {
    let mut c = case("rolling-coin", &[]);
    let start = c.sim.energy().total();
    c.sim.run_until(12.0).expect("it rolls");
    assert!(c.point("coin").0.z < 0.05, "it leans: {} m", c.point("coin").0.z);
    let (lost, air) = (start - c.sim.energy().total(), -c.sim.ledger().forces.iter().sum::<f64>());
    assert!(lost > 0.5 * start && (lost - air).abs() < 1e-8 * start, "{lost} J lost, the air took {air} J");
    let mut c = case("rolling-coin", &["slip=1"]);
    c.sim.set_integrator(IntegratorKind::Stepping);
    c.sim.run_fixed(13.0, 1e-3).expect("it rolls");
    let height = c.point("coin").0.z;
    assert!((height - 0.006).abs() < 1e-6, "half its thickness: {height} m");
}

// ---- the bicycle

/// Lean of the bicycle to the left, rad, at the given rate of samples after the push is over; without what the castering mode leaves behind.
fn leans(speed: f64, push: f64, from: f64, to: f64, every: f64) -> Vec<f64> {
    let settings = [format!("v={speed}"), format!("push={push}"), "run.tolerance=1e-12".to_string()];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut c = case("whipple-bicycle", &settings);
    let n = ((to - from) / every).round() as usize;
    let sample = |k: usize| {
        c.sim.run_until(from + every * k as f64).expect("it rides");
        // of the frame's own axis to the left, how far it points down
        (-c.axes("rear frame").y_axis.z).asin()
    };
    (0..=n).map(sample).collect()
}

#[test]
fn the_bicycle_decays_at_the_published_rates() {
    // Meijaard, Papadopoulos, Ruina and Schwab 2007, at 5 m/s: weave and capsize. Castering, -14.08/s, is over long before the samples begin.
    let (weave, frequency, capsize) = (-0.775341882195842f64, 4.46486771378822f64, -0.322866429004087f64);
    let every = 0.1;
    let x = leans(5.0, 0.5, 2.5, 8.0, every);
    // x[k+3] = p x[k+2] + q x[k+1] + r x[k] holds for a sum of three such motions; least squares
    let mut normal = [[0.0f64; 4]; 3];
    for w in x.windows(4) {
        let row = [w[2], w[1], w[0], w[3]];
        for (i, line) in normal.iter_mut().enumerate() {
            for (j, entry) in line.iter_mut().enumerate() {
                *entry += row[i] * row[j];
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            if j != i {
                let factor = normal[j][i] / normal[i][i];
                let line = normal[i];
                normal[j].iter_mut().zip(line).for_each(|(e, l)| *e -= factor * l);
            }
        }
    }
    let found = [normal[0][3] / normal[0][0], normal[1][3] / normal[1][1], normal[2][3] / normal[2][2]];
    // (z - c)(z^2 - 2 m cos(f) z + m^2) with c, m: decay over one interval
    let (m, c, turn) = ((weave * every).exp(), (capsize * every).exp(), (frequency * every).cos());
    let expected = [c + 2.0 * m * turn, -(m * m + 2.0 * m * turn * c), c * m * m];
    println!("recurrence {found:?}, published {expected:?}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-5, "{found:?}, published {expected:?}");
    }
}

#[test]
fn the_bicycle_recovers_at_5_and_weaves_ever_more_at_3_5() {
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // as shipped: pushed to the left by eight degrees, a tenth of it left in the end
    let x = leans(5.0, 100.0, 0.5, 8.0, 0.1);
    let peak = largest(&x);
    println!("peak {peak:.4} rad, at 8 s {:.4} rad", x[x.len() - 1]);
    assert!(peak > 0.1 && x[5] > 0.0 && x[x.len() - 1].abs() < 0.1 * peak);
    let growth = |speed: f64| {
        let x = leans(speed, 0.5, 2.0, 6.0, 0.05);
        largest(&x[60..]) / largest(&x[..20])
    };
    let (slow, just_below, just_above) = (growth(3.5), growth(4.0), growth(5.0));
    println!("lean grows {slow:.2} times in 3 s at 3.5 m/s, {just_below:.2} at 4, {just_above:.2} at 5");
    // published: unstable below 4.29 m/s; the weave grows as exp(0.413 t) at 4 m/s
    assert!(slow > 5.0 && just_below > 2.0 && just_above < 0.5);
}

// ---- figures

#[test]
fn the_doll_comes_down_the_stairs_in_one_piece() {
    let mut c = case("ragdoll-stairs", &[]);
    let stops = [("elbow", -2.3, 0.05), ("knee", -0.05, 2.2), ("ankle", -0.5, 0.5)];
    let cones = [("chest", "upper arm", 1.4), ("pelvis", "thigh", 1.2)];
    let (mut gap, mut overlap, mut fresh, mut beyond) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    while c.sim.time() < 8.0 {
        overlap = overlap.max(c.step());
        gap = gap.max(c.sim.violation().0);
        // looked for anew after the step, which finds touches that the step itself did not know of
        let found = c.sim.overlap();
        if found > 1e-8 {
            println!("{:.3} s: overlap {found:.1e} m that the step did not know of", c.sim.time());
        }
        fresh = fresh.max(found);
        for side in 1..=2 {
            for (joint, lower, upper) in stops {
                let angle = c.coordinate(&format!("{joint} {side}"));
                beyond = beyond.max(lower - angle).max(angle - upper);
            }
            for (a, b, cone) in cones {
                let (a, b) = (c.axes(a).z_axis, c.axes(&format!("{b} {side}")).z_axis);
                beyond = beyond.max(a.cross(b).length().atan2(a.dot(b)) - cone);
            }
        }
    }
    let pelvis = c.point("pelvis").0;
    println!(
        "gap {gap:.1e} m, overlap {overlap:.1e} m, anew {fresh:.1e} m, beyond stops {beyond:.1e} rad, pelvis at {pelvis:.2}"
    );
    assert!(gap <= 1e-8 && overlap <= 1e-8 && beyond <= 1e-8);
    assert!(fresh < 1e-3, "{fresh} m");
    // the floor is 1.98 m below the landing
    assert!(pelvis.z < -1.4 && pelvis.z > -1.98, "{pelvis}");
}

#[test]
fn the_humanoid_keeps_its_balance_while_its_motors_are_strong_enough() {
    let mut c = case("humanoid", &[]);
    let (mut gap, mut overlap, mut lowest) = (0.0f64, 0.0f64, f64::MAX);
    while c.sim.time() < 17.0 {
        c.step();
        gap = gap.max(c.sim.violation().0);
        overlap = overlap.max(c.sim.overlap());
        lowest = lowest.min(c.point("pelvis").0.z);
        assert!(c.point("head").0.z > c.point("pelvis").0.z + 0.4, "it falls at {} s", c.sim.time());
    }
    let end = c.point("pelvis").0;
    println!("gap {gap:.1e} m, overlap {overlap:.1e} m, pelvis down to {lowest:.3} m and back to {end:.4}");
    assert!(gap <= 1e-8 && overlap <= 1e-8);
    // the hip goes down by what the lengths of shank and thigh, 0.42 m each, and their leans make; the pelvis' centre, 6 cm above it, tilts along
    let hip = 0.08 + 0.42 * 0.55f64.cos() + 0.42 * 1f64.cos();
    assert!((lowest - (hip + 0.06 * 0.45f64.cos())).abs() < 2e-3, "{lowest}, by hand {hip}");
    assert!((end.z - 0.98).abs() < 2e-3 && end.truncate().length() < 0.05, "{end}");
    // it stands still: the ground carries its weight
    let carried: f64 = c.read(&["foot 1.contact.force.z", "foot 2.contact.force.z"])[1..].iter().sum();
    let weight = 9.81 * c.scene.mass();
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} N of {weight} N");

    let mut weak = case("humanoid", &["strength=0.2"]);
    while weak.sim.time() < 6.0 {
        weak.step();
    }
    assert!(weak.point("pelvis").0.z < 0.5, "a fifth of the strength is not enough");
}

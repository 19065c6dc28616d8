//! modes, equilibrium, ik and torques: known numbers, and how they refuse.

mod common;
use common::{Folder, diagnosed, holonom, json, refused, stderr, stdout};
use serde_json::Value;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn text(args: &[&str]) -> String {
    let out = holonom(args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", stderr(&out));
    stdout(&out)
}

/// A file with this text.
fn file(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.file(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Ten equal beads on equal threads: the squares of the frequencies are g/l times the zeros of the Laguerre polynomial
/// L_10 (Abramowitz and Stegun, table 25.9).
#[test]
fn modes_of_a_hanging_chain_are_zeros_of_a_laguerre_polynomial() {
    const ZEROS: [f64; 10] = [
        0.137793470540,
        0.729454549503,
        1.808342901740,
        3.401433697855,
        5.552496140064,
        8.330152746764,
        11.843785837900,
        16.279257831378,
        21.996585811981,
        29.920697012274,
    ];
    let folder = Folder::new("modes");
    let (length, mut scene) = (0.3, String::from("[run]\n"));
    for i in 0..10 {
        let below =
            format!("[body.bead{i}]\nkind = \"particle\"\nmass = 0.2\nat = [0, 0, {}]\n", -length * (i + 1) as f64);
        let above = if i == 0 { "ground".to_string() } else { format!("bead{}", i - 1) };
        let thread = format!("[joint.thread{i}]\nkind = \"distance\"\na = \"{above}\"\nb = \"bead{i}\"\n");
        scene += &(below + &thread);
    }
    let scene = file(&folder, "chain.toml", &scene);
    let v = json(&["modes", &scene, "--json"]);
    assert_eq!(v["stable"], true);
    assert_eq!(v["undamped"], true);
    let modes = v["modes"].as_array().expect("a list");
    assert_eq!(modes.len(), 20, "every mode swings both ways");
    let mut worst: f64 = 0.0;
    for (i, mode) in modes.iter().enumerate() {
        let expected = (9.81 / length * ZEROS[i / 2]).sqrt() / std::f64::consts::TAU;
        let found = mode["frequency"].as_f64().expect("a number");
        worst = worst.max((found / expected - 1.0).abs());
    }
    println!("hanging chain: {worst:.1e} of the frequencies");
    assert!(worst < 1e-9, "{worst:e}");
    let shown = text(&["modes", &scene, "--shapes", "1"]);
    assert!(
        shown.contains("frequency, Hz") && shown.contains("no motion grows") && shown.contains("mode 1"),
        "{shown}"
    );
}

/// The eigenvalues of the benchmark bicycle at 5 m/s: Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2.
#[test]
fn eigenvalues_of_the_benchmark_bicycle() {
    let known = [
        (-0.775341882195845, 4.46486771378823),
        (-0.775341882195845, -4.46486771378823),
        (-0.322866429004087, 0.0),
        (-14.0783896927982, 0.0),
    ];
    let v = json(&["modes", "p16-whipple-bicycle", "--set", "v=5", "--json"]);
    let found: Vec<Vec<f64>> = v["eigenvalues"].as_array().expect("a list").iter().map(numbers).collect();
    for (re, im) in known {
        let near = found.iter().map(|x| (x[0] - re).hypot(x[1] - im)).fold(f64::INFINITY, f64::min);
        println!("{re} {im:+}i: off by {near:.1e}");
        assert!(near < 1e-9 * re.hypot(im).max(1.0), "{re} {im:+}i: {near:e}");
    }
    let slow = text(&["modes", "p16-whipple-bicycle", "--set", "v=3.5"]);
    assert!(slow.contains("UNSTABLE"), "{slow}");
}

#[test]
fn a_pendulum_comes_to_rest() {
    let v = json(&["equilibrium", "pendulum", "--json"]);
    assert_eq!(v["stability"], "stable");
    assert!(v["residual"].as_f64().expect("a number") < 1e-12);
    let (name, body) = v["final"]["bodies"].as_object().expect("a map").iter().next().expect("a body");
    let com = numbers(&body["com"]);
    assert!(com[2] < 0.0 && com[0].abs() < 1e-9, "{name} rests at {com:?}");
    let shown = text(&["equilibrium", "pendulum"]);
    assert!(shown.contains("stable: it comes back") && shown.contains("torque, N m"), "{shown}");
    // modes about it are those of the resting pendulum
    let stiffness = numbers(&v["stiffness"]);
    let modes = json(&["modes", "pendulum", "--rest", "--json"]);
    let frequency = modes["modes"][0]["frequency"].as_f64().expect("a number");
    assert!((stiffness[0].sqrt() / std::f64::consts::TAU / frequency - 1.0).abs() < 1e-9);
}

/// A driven four-bar linkage.
const FOUR_BAR: &str = r#"
[body.crank]
kind = "rigid"
from = [0, 0, 0]
to = [0, 0, 0.4]
shape = { kind = "rod", radius = 0.03 }
density = 7800
[body.coupler]
kind = "rigid"
from = [0, 0, 0.4]
to = [1.2, 0, 0.9]
shape = { kind = "rod", radius = 0.03 }
density = 7800
[body.rocker]
kind = "rigid"
from = [1.2, 0, 0.9]
to = [1, 0, 0]
shape = { kind = "rod", radius = 0.03 }
density = 7800
[joint.A]
kind = "revolute"
b = "crank.from"
axis = [0, 1, 0]
[joint.B]
kind = "revolute"
a = "crank.to"
b = "coupler"
axis = [0, 1, 0]
[joint.C]
kind = "spherical"
a = "coupler.to"
b = "rocker"
[joint.D]
kind = "revolute"
b = "rocker.to"
axis = [0, 1, 0]
[drive.motor]
kind = "position"
joint = "A"
value = "0.3*sin(2*t)"
"#;

#[test]
fn joints_follow_what_is_prescribed() {
    let folder = Folder::new("ik");
    let scene = file(&folder, "fourbar.toml", FOUR_BAR);
    let v = json(&["ik", &scene, "--joints", "A,D", "--time", "1", "--rate", "50", "--json"]);
    assert_eq!(v["spare_freedom"], 0);
    let (times, a, rate) = (numbers(&v["times"]), numbers(&v["coordinates"]["A"]), numbers(&v["rates"]["A"]));
    assert_eq!(times.len(), 51);
    for ((t, a), rate) in times.iter().zip(&a).zip(&rate) {
        assert!((a - 0.3 * (2.0 * t).sin()).abs() < 1e-10, "at {t} s: {a}");
        assert!((rate - 0.6 * (2.0 * t).cos()).abs() < 1e-9, "at {t} s: {rate}");
    }
    // the rocker's angle and its rate belong together
    let (d, rate) = (numbers(&v["coordinates"]["D"]), numbers(&v["rates"]["D"]));
    for k in 1..50 {
        let slope = (d[k + 1] - d[k - 1]) / (times[k + 1] - times[k - 1]);
        assert!((slope - rate[k]).abs() < 2e-3, "at {} s: {slope} against {}", times[k], rate[k]);
    }
    let out = folder.file("joints.csv");
    let shown = text(&["ik", &scene, "--time", "1", "--out", &out]);
    assert!(shown.contains("A.coordinate") && shown.contains("decides every joint"), "{shown}");
    assert!(json(&["info", &out, "--json"])["rows"] == 101);
    refused(&["ik", &scene, "--joints", "Q"], 2, &["no joint `Q`", "= help"]);
    refused(&["ik", &scene, "--joints", "A.2"], 2, &["1 coordinate, there is no number 2"]);
    refused(&["ik", &scene, "--time", "-1"], 2, &["must be finite and later"]);
    refused(&["ik", &scene, "--time", "1", "--out", &out], 2, &["is there already"]);
}

/// The torques of a motor are its multipliers; at other joints the power is the same.
#[test]
fn torques_of_a_driven_linkage() {
    let folder = Folder::new("torques");
    let scene = file(&folder, "fourbar.toml", FOUR_BAR);
    let run = folder.file("run.csv");
    text(&[
        "run",
        &scene,
        "--time",
        "1",
        "--rate",
        "50",
        "--out",
        &run,
        "--columns",
        "motor.effort,A.rate,D.rate",
        "--quiet",
    ]);
    let recorded = std::fs::read_to_string(&run).expect("there");
    let mut lines = recorded.lines().filter(|l| !l.starts_with('#'));
    let heading: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let at = |name: &str| heading.iter().position(|h| h.contains(name)).expect("recorded");
    let (effort, rate_a, rate_d) = (at("motor.effort"), at("A.rate"), at("D.rate"));
    let rows: Vec<Vec<f64>> = lines
        .map(|l| l.split(',').filter_map(|x| x.parse().ok()).collect())
        .filter(|r: &Vec<f64>| r.len() > 3)
        .collect();
    let v = json(&["torques", &scene, "--time", "1", "--rate", "50", "--json"]);
    assert_eq!((v["unique"].as_bool(), v["rank"].as_u64()), (Some(true), Some(1)));
    assert!(v["missed"].as_f64().expect("a number") < 1e-9);
    assert_eq!(v["units"]["A"], "N m");
    let torques = numbers(&v["efforts"]["A"]);
    assert_eq!(torques.len(), rows.len());
    let largest = torques.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (torque, row) in torques.iter().zip(&rows) {
        assert!((torque - row[effort]).abs() < 1e-6 * largest, "{torque} against {}", row[effort]);
    }
    // the same motion made at the rocker: the power is that of the motor
    let other = json(&["torques", &scene, "--joints", "D", "--time", "1", "--rate", "50", "--json"]);
    for (torque, row) in numbers(&other["efforts"]["D"]).iter().zip(&rows) {
        let (here, there) = (torque * row[rate_d], row[effort] * row[rate_a]);
        assert!((here - there).abs() < 1e-6 * largest, "{here} against {there}");
    }
    // both: the smallest, and it is said
    let both = json(&["torques", &scene, "--joints", "A,D", "--time", "1", "--rate", "50", "--json"]);
    assert_eq!((both["unique"].as_bool(), both["rank"].as_u64()), (Some(false), Some(1)));
    let (a, d) = (numbers(&both["efforts"]["A"]), numbers(&both["efforts"]["D"]));
    for k in 0..a.len() {
        assert!(a[k] * a[k] + d[k] * d[k] <= torques[k] * torques[k] * (1.0 + 1e-9));
    }
    let shown = text(&["torques", &scene, "--joints", "A,D", "--time", "0.2"]);
    assert!(shown.contains("not unique") && shown.contains("smallest"), "{shown}");
    // too few: said too
    let pendulum = text(&["torques", "double-pendulum", "--joints", &first_joint("double-pendulum"), "--time", "0.1"]);
    assert!(pendulum.contains("unique"), "{pendulum}");
}

fn first_joint(scene: &str) -> String {
    let v = json(&["run", scene, "--time", "0", "--json"]);
    v["final"]["joints"].as_object().expect("a map").keys().next().expect("a joint").clone()
}

#[test]
fn mistakes_are_said() {
    refused(&["modes", "pendulim"], 2, &["no scene `pendulim`", "did you mean `pendulum`?"]);
    refused(&["equilibrium", "pendulum", "--tolerance", "0"], 2, &["--tolerance is 0"]);
    refused(&["torques", "pendulum", "--joints", "nothing"], 2, &["no joint `nothing`"]);
    refused(&["torques", "pendulum", "--rate", "0"], 2, &["--rate is 0"]);
    let folder = Folder::new("answers-mistakes");
    // what falls freely has no equilibrium
    let ball = file(&folder, "ball.toml", "[body.ball]\nkind = \"particle\"\nmass = 1\n");
    refused(&["equilibrium", &ball, "--iterations", "20"], 3, &["did not converge", "no equilibrium"]);
    let broken = file(&folder, "broken.toml", "[body.ball]\nkind = \"partikle\"\nmass = 1\n");
    diagnosed(&["modes", &broken], 2, "E0204", &["did you mean `particle`?"]);
    for command in ["modes", "equilibrium", "ik", "torques"] {
        let help = text(&[command, "--help"]);
        assert!(help.contains("Examples:") && help.contains("--json") && help.contains("--set"), "{command}: {help}");
    }
}

//! Planar slider-crank with a constant torque on its crank, started at a dead centre. As plane bodies, and in space with hinges and a
//! slider (20 rows of rank 17). Also with the crank led around at a constant rate, where the slider's path is known in closed form.

use super::book::{Book, Stop};
use super::plane::{Bar, Made, Plate, ground, pin};
use super::track::Track;
use holonom::JointId;
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::TAU;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, made) in [("plane bodies", Made::Plane), ("hinges in space", Made::Space)] {
        book.variant(name);
        driven_by_torque(p, book, made)?;
        led(p, book, made)?;
    }
    Ok(())
}

struct SliderCrank {
    crank: Bar,
    hinge: JointId,
    guide: JointId,
}

/// Where the slider of a mechanism with these lengths is, and how fast it moves, when the crank is at `theta`.
fn slider((l1, l2): (f64, f64), theta: f64, rate: f64) -> (f64, f64) {
    let (s, c) = theta.sin_cos();
    let reach = (l2 * l2 - l1 * l1 * s * s).sqrt();
    (l1 * c + reach, -(l1 * s + l1 * l1 * s * c / reach) * rate)
}

fn mechanism(p: &Problem, made: Made, lengths: (f64, f64), theta: f64) -> (ModelBuilder, SliderCrank) {
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let elbow = [lengths.0 * theta.cos(), lengths.0 * theta.sin()];
    let end = [slider(lengths, theta, 0.0).0, 0.0];
    let crank = Bar::new(made, &mut m, "crank", p.parameter("m1"), [0.0, 0.0], elbow);
    let rod = Bar::new(made, &mut m, "rod", p.parameter("m2"), elbow, end);
    // the slider does not turn: any moment of inertia will do
    let block = Plate::new(p.parameter("m3"), 1e-3, end, 0.0).add(made, &mut m, "slider");
    let hinge = pin(&mut m, "hinge", ground([0.0, 0.0]), crank.from());
    pin(&mut m, "elbow", crank.to(), rod.from());
    pin(&mut m, "wrist", rod.to(), block.origin());
    let guide = Prismatic::new(ground([0.0, 0.0]).along(Vec3::X), block.origin().along(Vec3::X));
    let guide = m.joint("guide", guide);
    (m, SliderCrank { crank, hinge, guide })
}

fn driven_by_torque(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let lengths = (p.parameter("L1"), p.parameter("L2"));
    let (mut m, parts) = mechanism(p, made, lengths, p.initial("theta"));
    m.force("torque", Torque::new(parts.crank.body, [0.0, 0.0, p.parameter("torque")]));
    let mut sim = Simulation::build(m)?;
    let model = sim.model().clone();
    let start = sim.accelerations()?[model.v_range(parts.crank.body).end - 1];
    book.scalar("theta_ddot_0", Some(start), p.scalar("theta_ddot_0"));
    let mut track = Track::run(sim, p.times())?;
    let rows = track.read(|sim| {
        let mut at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (theta, x) = (at(parts.hinge), at(parts.guide));
        vec![theta.0, theta.1, x.0, x.1]
    });
    book.columns(&rows);
    let work: Vec<f64> = rows.iter().map(|row| p.parameter("torque") * row[0]).collect();
    book.series("kinetic energy, against work", &track.energies(), &work);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}

/// The kinematic companion: other lengths, theta = 65 degrees + 2 pi t.
fn led(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let (lengths, start) = ((0.12, 0.26), 65f64.to_radians());
    let (mut m, parts) = mechanism(p, made, lengths, start);
    let crank = m.coordinate(parts.hinge, 0);
    m.joint("drive", Motor::position(crank, move |t: f64| [start + TAU * t, TAU, 0.0]));
    let times: Vec<f64> = (0..=40).map(|k| 0.05 * k as f64).collect();
    let mut track = Track::run(Simulation::build(m)?, times.iter().copied())?;
    let found = track.read(|sim| sim.coordinate(parts.guide, 0).unwrap_or((f64::NAN, f64::NAN)));
    let known: Vec<(f64, f64)> = times.iter().map(|t| slider(lengths, start + TAU * t, TAU)).collect();
    let (x, v): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
    let (x_known, v_known): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
    book.series("led around: x_slider", &x, &x_known);
    book.series("led around: vx_slider", &v, &v_known);
    book.constant("led around: joint gap", &track.gaps(), 0.0);
    Ok(())
}

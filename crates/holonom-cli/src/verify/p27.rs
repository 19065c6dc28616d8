//! Elastic affine body: steady spin in its stretched shape, and breathing. Also with body axes that are not the principal ones, so that the
//! second moments are full.

use super::book::{Book, Stop};
use super::track::Track;
use holonom::math::exp_quat;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let turned = Mat3::from_quat(exp_quat(vec3(0.3, -0.7, 0.4)));
    for (spin, breathing, axes) in [
        ("spinning", "breathing", Mat3::IDENTITY),
        ("spinning, full second moments", "breathing, full second moments", turned),
    ] {
        book.variant(spin);
        spinning(p, book, axes)?;
        book.variant(breathing);
        breathes(p, book, axes)?;
    }
    Ok(())
}

/// The brick with its principal axes along the columns of `axes`.
struct Brick<'a> {
    p: &'a Problem,
    axes: Mat3,
}

impl Brick<'_> {
    /// A simulation that starts with these values of A and its rate, both along the principal axes.
    fn start(&self, shape: Mat3, rate: Mat3) -> Result<(Simulation, BodyId), Stop> {
        let (mu, lam) = (self.p.parameter("mu"), self.p.parameter("lam"));
        let young = mu * (3.0 * lam + 2.0 * mu) / (lam + mu);
        let poisson = 0.5 * lam / (lam + mu);
        let second = self.turn(Mat3::from_diagonal(self.p.parameter_vector("S").into()));
        let second = (second + second.transpose()) * 0.5;
        let body = Affine::new(self.p.parameter("m"), second)
            .pose(Vec3::ZERO, self.turn(shape))
            .velocity(Vec3::ZERO, self.turn(rate))
            .elastic(young, poisson, self.p.parameter("V0"));
        let mut m = ModelBuilder::new();
        m.gravity(Vec3::ZERO);
        let brick = m.body("brick", body);
        Ok((Simulation::build(m)?, brick))
    }

    fn turn(&self, m: Mat3) -> Mat3 {
        self.axes * m * self.axes.transpose()
    }

    /// A and its rate along the principal axes, as points of the body show them.
    fn look(&self, sim: &Simulation, brick: BodyId) -> (Mat3, Mat3) {
        let o = sim.point(brick.origin());
        let columns = [0, 1, 2].map(|k| sim.point(brick.at(self.axes.col(k))));
        let matrix = |x: [Vec3; 3]| self.axes.transpose() * Mat3::from_cols(x[0], x[1], x[2]);
        (matrix(columns.map(|c| c.0 - o.0)), matrix(columns.map(|c| c.1 - o.1)))
    }
}

/// One turn and a half: the stretches stay, and the body is where the rate says.
fn spinning(p: &Problem, book: &mut Book, axes: Mat3) -> Result<(), Stop> {
    const RATE: f64 = 5.0;
    let expected = p.scalars("spin_stretches");
    let stretch = Mat3::from_diagonal(vec3(expected[0], expected[1], expected[2]));
    let brick = Brick { p, axes };
    // [w] diag(s), w along z
    let spin = Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::ZERO) * RATE;
    let (sim, id) = brick.start(stretch, spin * stretch)?;
    let times: Vec<f64> = (0..=60).map(|k| 0.025 * std::f64::consts::TAU / RATE * k as f64).collect();
    let mut track = Track::run(sim, times.iter().copied())?;
    let shapes = track.read(|sim| brick.look(sim, id).0);
    for (k, name) in ["first stretch", "second stretch", "third stretch"].into_iter().enumerate() {
        let found: Vec<f64> = shapes.iter().map(|a| a.col(k).length()).collect();
        // ten digits, as the problem asks
        book.held_to(1e-10, |book| book.constant(name, &found, expected[k]));
    }
    let turned: Vec<f64> = shapes
        .iter()
        .zip(&times)
        .map(|(a, t)| {
            let r = Mat3::from_quat(exp_quat(vec3(0.0, 0.0, RATE * t)));
            (*a - r * stretch).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
        })
        .collect();
    book.constant("distance from the turned shape", &turned, 0.0);
    Ok(())
}

fn breathes(p: &Problem, book: &mut Book, axes: Mat3) -> Result<(), Stop> {
    let brick = Brick { p, axes };
    let (sim, id) = brick.start(Mat3::from_diagonal(p.initial_vector("A").into()), Mat3::ZERO)?;
    let mut track = Track::run(sim, p.times())?;
    let rows = track.read(|sim| {
        let (a, rate) = brick.look(sim, id);
        [a, rate].iter().flat_map(|m| [m.x_axis.x, m.y_axis.y, m.z_axis.z]).collect::<Vec<f64>>()
    });
    book.columns(&rows);
    let off = track.read(|sim| {
        let a = brick.look(sim, id).0;
        let off = [a.x_axis.y, a.x_axis.z, a.y_axis.x, a.y_axis.z, a.z_axis.x, a.z_axis.y];
        off.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    });
    book.constant("off the diagonal", &off, 0.0);
    book.constant("energy", &track.energies(), p.scalar("breathing_energy"));
    Ok(())
}

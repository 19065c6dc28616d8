//! Elastic affine body: steady spin in its stretched shape, and breathing. Also with body axes that are not the
//! principal ones, so that the second moments are full.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use holonom::math::exp_quat;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (spin, breathing, turn) in
        [("spinning", "breathing", 0.0), ("spinning, full second moments", "breathing, full second moments", 0.86)]
    {
        compare.variant(spin);
        spinning(p, compare, turn)?;
        compare.variant(breathing);
        breathes(p, compare, turn)?;
    }
    Ok(())
}

/// The brick, and where its principal axes lie in it.
struct Brick(Marker);

impl Brick {
    /// Stretched along its principal axes, spinning about the third; these axes turned in the body by `turn`.
    fn start(stretches: [f64; 3], spin: f64, turn: f64) -> Result<(Simulation, Brick), VerifyError> {
        let [s1, s2, s3] = stretches;
        let scene = load("p27-affine-body", &[("s1", s1), ("s2", s2), ("s3", s3), ("w", spin), ("turn", turn)])?;
        let principal = scene.point("brick.principal")?;
        Ok((scene.sim, Brick(principal)))
    }

    /// A and its rate from the principal axes to the world, as points of the body show them.
    fn look(&self, sim: &Simulation) -> (Mat3, Mat3) {
        let o = sim.point(self.0);
        let columns = [0, 1, 2].map(|k| sim.point(self.0.body.at(self.0.point + self.0.axes.col(k))));
        let matrix = |x: [Vec3; 3]| Mat3::from_cols(x[0], x[1], x[2]);
        (matrix(columns.map(|c| c.0 - o.0)), matrix(columns.map(|c| c.1 - o.1)))
    }
}

/// One turn and a half: the stretches stay, and the body is where the rate says.
fn spinning(p: &Reference, compare: &mut Comparison, turn: f64) -> Result<(), VerifyError> {
    const RATE: f64 = 5.0;
    let expected = p.scalars("spin_stretches");
    let stretch = Mat3::from_diagonal(vec3(expected[0], expected[1], expected[2]));
    let (sim, brick) = Brick::start([expected[0], expected[1], expected[2]], RATE, turn)?;
    let times: Vec<f64> = (0..=60).map(|k| 0.025 * std::f64::consts::TAU / RATE * k as f64).collect();
    let mut sampled = SampledRun::run(sim, times.iter().copied())?;
    let shapes = sampled.read(|sim| brick.look(sim).0);
    for (k, name) in ["first stretch", "second stretch", "third stretch"].into_iter().enumerate() {
        let found: Vec<f64> = shapes.iter().map(|a| a.col(k).length()).collect();
        // ten digits, as the problem asks
        compare.held_to(1e-10, |compare| compare.constant(name, &found, expected[k]));
    }
    let turned: Vec<f64> = shapes
        .iter()
        .zip(&times)
        .map(|(a, t)| {
            let r = Mat3::from_quat(exp_quat(vec3(0.0, 0.0, RATE * t)));
            (*a - r * stretch).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
        })
        .collect();
    compare.constant("distance from the turned shape", &turned, 0.0);
    Ok(())
}

fn breathes(p: &Reference, compare: &mut Comparison, turn: f64) -> Result<(), VerifyError> {
    let (sim, brick) = Brick::start(p.initial_vector("A"), 0.0, turn)?;
    let mut sampled = SampledRun::run(sim, p.times())?;
    let rows = sampled.read(|sim| {
        let (a, rate) = brick.look(sim);
        [a, rate].iter().flat_map(|m| [m.x_axis.x, m.y_axis.y, m.z_axis.z]).collect::<Vec<f64>>()
    });
    compare.columns(&rows);
    let off = sampled.read(|sim| {
        let a = brick.look(sim).0;
        let off = [a.x_axis.y, a.x_axis.z, a.y_axis.x, a.y_axis.z, a.z_axis.x, a.z_axis.y];
        off.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    });
    compare.constant("off the diagonal", &off, 0.0);
    compare.constant("energy", &sampled.energies(), p.scalar("breathing_energy"));
    Ok(())
}

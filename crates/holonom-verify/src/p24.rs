//! Cardan shaft: two shafts at an angle of 30 degrees on bearings, joined by a Cardan joint with a massless cross. With
//! a hinge for each bearing (14 rows on 12 velocities, one freedom: redundant), and with a self-aligning bearing for
//! the output shaft, which only holds a point of it on its line (11 rows, nothing redundant).
//!
//! Also with a second joint behind the first, the yokes of the middle shaft in phase, and the input led around at a
//! constant rate: the middle shaft turns as the closed form says, the last one as the first. What is led is held to
//! 1e-10, the reference's own demand.
//!
//! Axes of every shaft: x along it, z upwards at the start. The input's arm is its y, the output's arm its z, so t1 and
//! t2 are the turns of the shafts about themselves.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::{ProblemScene, load};
use holonom::math::unwrap_angle;
use holonom::prelude::*;

/// What the rates behind a led shaft may be off by, relative to its own.
const LED: f64 = 1e-10;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("hinges");
    free(p, compare, "p24-cardan-hinges")?;
    compare.variant("self-aligning bearing");
    free(p, compare, "p24-cardan-self-aligning")?;
    compare.variant("two joints, led");
    led(p, compare)
}

/// A shaft and its axes at the start.
#[derive(Clone, Copy)]
struct Shaft {
    body: BodyId,
    axes: Mat3,
}

impl Shaft {
    /// The shaft of this name, at this angle in the x-y plane.
    fn new(loaded: &ProblemScene, name: &str, angle: f64) -> Result<Shaft, VerifyError> {
        let (s, c) = angle.sin_cos();
        Ok(Shaft { body: loaded.body(name)?, axes: Mat3::from_cols(vec3(c, s, 0.0), vec3(-s, c, 0.0), Vec3::Z) })
    }

    /// How far it has turned, nearest to `before`, and how fast.
    fn turned(&self, sim: &Simulation, before: f64) -> (f64, f64) {
        let y = sim.axes(self.body).unwrap_or(Mat3::NAN).y_axis;
        let angle = y.dot(self.axes.z_axis).atan2(y.dot(self.axes.y_axis));
        (unwrap_angle(angle, before), self.axes.x_axis.dot(sim.spin(self.body).unwrap_or(Vec3::NAN)))
    }
}

/// Turn and rate of the shaft behind a joint when that before it has turned by `t1` at the rate `w1`.
fn behind(b: f64, t1: f64, w1: f64) -> (f64, f64) {
    let ((s, c), (sb, cb)) = (t1.sin_cos(), b.sin_cos());
    (unwrap_angle(s.atan2(c * cb), t1), w1 * cb / (1.0 - sb * sb * c * c))
}

fn free(p: &Reference, compare: &mut Comparison, scene: &str) -> Result<(), VerifyError> {
    let (b, w1) = (p.parameter("b_deg").to_radians(), p.initial("w1"));
    let (_, w2) = behind(b, 0.0, w1);
    let loaded = load(scene, &[])?;
    let (input, output) = (Shaft::new(&loaded, "input", 0.0)?, Shaft::new(&loaded, "output", b)?);
    let mut sampled = SampledRun::run(loaded.sim, p.times())?;

    let (mut t1, mut t2) = (p.initial("t1"), p.initial("t1"));
    let rows = sampled.read(|sim| {
        let (first, second) = (input.turned(sim, t1), output.turned(sim, t2));
        (t1, t2) = (first.0, second.0);
        vec![first.0, first.1, second.0, second.1]
    });
    compare.columns(&rows);
    let energy = 0.5 * (p.parameter("J1") * w1 * w1 + p.parameter("J2") * w2 * w2);
    compare.constant("energy", &sampled.energies(), energy);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

fn led(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let (b, w1) = (p.parameter("b_deg").to_radians(), p.initial("w1"));
    let loaded = load("p24-cardan-two-joints", &[])?;
    let (middle, last) = (Shaft::new(&loaded, "middle", b)?, Shaft::new(&loaded, "last", 0.0)?);
    let mut sampled = SampledRun::run(loaded.sim, p.times())?;

    let [mut t2_off, mut w2_off, mut t3_off, mut w3_off] = [const { Vec::new() }; 4];
    sampled.read(|sim| {
        let t1 = w1 * sim.time();
        let known = behind(b, t1, w1);
        let (t2, w2) = middle.turned(sim, known.0);
        let (t3, w3) = last.turned(sim, t1);
        t2_off.push(t2 - known.0);
        w2_off.push((w2 - known.1) / w1);
        t3_off.push(t3 - t1);
        w3_off.push((w3 - w1) / w1);
    });
    compare.at_most("angle of the middle shaft", &t2_off, LED);
    compare.at_most("ratio w2/w1", &w2_off, LED);
    compare.at_most("angle of the last shaft", &t3_off, LED);
    compare.at_most("ratio w3/w1", &w3_off, LED);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

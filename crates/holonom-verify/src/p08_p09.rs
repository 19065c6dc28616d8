//! Free rigid bodies: the asymmetric top, and the flip about the intermediate axis. Also with body axes that are not
//! the principal ones, so that the inertia tensor is full.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, period, quaternion};
use crate::scenes::load;
use holonom::prelude::*;

pub(crate) fn free_top(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for mut top in both(p, "p08-free-top")? {
        top.motion(p, compare);
        // once per period w2 passes zero upwards
        let rounds = top.sampled.events(Crossing::Up, |sim| top.view.omega(sim).y)?;
        compare.scalar("period", period(&rounds), p.scalar("period"));
    }
    Ok(())
}

pub(crate) fn flip(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for mut top in both(p, "p09-flip")? {
        top.motion(p, compare);
        // w2 changes sign at every flip
        let mut flips = top.sampled.events(Crossing::Up, |sim| top.view.omega(sim).y)?;
        flips.extend(top.sampled.events(Crossing::Down, |sim| top.view.omega(sim).y)?);
        flips.sort_by(|a, b| a.t.total_cmp(&b.t));
        let span = |n: usize| flips.windows(n + 1).next().map(|w| w[n].t - w[0].t);
        compare.scalar("flip_interval", span(1), p.scalar("flip_interval"));
        compare.scalar("period", span(2), p.scalar("period"));
        // of the elliptic functions, from energy and angular momentum at the end
        let [i1, i2, i3] = p.parameter_vector("I");
        let twice = 2.0 * top.sampled.energies().last().copied().unwrap_or(f64::NAN);
        let square = top.sampled.sim.momentum().angular.length_squared();
        let m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1));
        compare.scalar("modulus_m", Some(m), p.scalar("modulus_m"));
    }
    Ok(())
}

/// How the principal axes lie in the body.
#[derive(Clone, Copy)]
struct Principal {
    body: BodyId,
    /// Columns: principal axes, in body axes.
    axes: Mat3,
}

impl Principal {
    /// Principal axes in the world.
    fn world(&self, sim: &Simulation) -> Mat3 {
        sim.axes(self.body).unwrap_or(Mat3::NAN) * self.axes
    }

    /// Angular velocity along the principal axes.
    fn omega(&self, sim: &Simulation) -> Vec3 {
        self.world(sim).transpose() * sim.spin(self.body).unwrap_or(Vec3::NAN)
    }
}

struct Top {
    name: &'static str,
    view: Principal,
    sampled: SampledRun,
}

fn both(p: &Reference, scene: &str) -> Result<[Top; 2], VerifyError> {
    Ok([top(p, "principal axes", scene, 0.0)?, top(p, "full inertia tensor", scene, 0.86)?])
}

/// The body with its principal axes turned in it by this angle.
fn top(p: &Reference, name: &'static str, scene: &str, turn: f64) -> Result<Top, VerifyError> {
    let scene = load(scene, &[("turn", turn)])?;
    let principal = scene.point("top.principal")?;
    let sampled = SampledRun::run(scene.sim, p.times())?;
    Ok(Top { name, view: Principal { body: principal.body, axes: principal.axes }, sampled })
}

impl Top {
    /// Columns and conserved quantities.
    fn motion(&mut self, p: &Reference, compare: &mut Comparison) {
        compare.variant(self.name);
        let view = self.view;
        let mut samples = p.samples.iter();
        let rows = self.sampled.read(|sim| {
            let reference = samples.next().map_or(&[][..], |row| &row[4..]);
            let mut row = view.omega(sim).to_array().to_vec();
            row.extend(quaternion(view.world(sim), reference));
            row
        });
        compare.columns(&rows);
        let energies = self.sampled.energies();
        compare.constant("energy", &energies, energies[0]);
        let momenta = self.sampled.read(|sim| sim.momentum().angular);
        for (k, name) in ["angular momentum x", "angular momentum y", "angular momentum z"].into_iter().enumerate() {
            let component: Vec<f64> = momenta.iter().map(|l| l[k]).collect();
            compare.constant(name, &component, component[0]);
        }
    }
}

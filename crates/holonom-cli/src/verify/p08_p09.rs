//! Free rigid bodies: the asymmetric top, and the flip about the intermediate axis. Also with body axes that are not the principal ones, so
//! that the inertia tensor is full.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::{Passing, Track, period, quaternion};
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn free_top(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for mut top in both(p, "p08-free-top")? {
        top.motion(p, book);
        // once per period w2 passes zero upwards
        let rounds = top.track.events(Passing::Up, |sim| top.view.omega(sim).y)?;
        book.scalar("period", period(&rounds), p.scalar("period"));
    }
    Ok(())
}

pub(super) fn flip(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for mut top in both(p, "p09-flip")? {
        top.motion(p, book);
        // w2 changes sign at every flip
        let mut flips = top.track.events(Passing::Up, |sim| top.view.omega(sim).y)?;
        flips.extend(top.track.events(Passing::Down, |sim| top.view.omega(sim).y)?);
        flips.sort_by(|a, b| a.t.total_cmp(&b.t));
        let span = |n: usize| flips.windows(n + 1).next().map(|w| w[n].t - w[0].t);
        book.scalar("flip_interval", span(1), p.scalar("flip_interval"));
        book.scalar("period", span(2), p.scalar("period"));
        // of the elliptic functions, from energy and angular momentum at the end
        let [i1, i2, i3] = p.parameter_vector("I");
        let twice = 2.0 * top.track.energies().last().copied().unwrap_or(f64::NAN);
        let square = top.track.sim.momentum().angular.length_squared();
        let m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1));
        book.scalar("modulus_m", Some(m), p.scalar("modulus_m"));
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
    track: Track,
}

fn both(p: &Problem, scene: &str) -> Result<[Top; 2], Stop> {
    Ok([top(p, "principal axes", scene, 0.0)?, top(p, "full inertia tensor", scene, 0.86)?])
}

/// The body with its principal axes turned in it by this angle.
fn top(p: &Problem, name: &'static str, scene: &str, turn: f64) -> Result<Top, Stop> {
    let scene = stage(scene, &[("turn", turn)])?;
    let principal = scene.point("top.principal")?;
    let track = Track::run(scene.sim, p.times())?;
    Ok(Top { name, view: Principal { body: principal.body, axes: principal.axes }, track })
}

impl Top {
    /// Columns and conserved quantities.
    fn motion(&mut self, p: &Problem, book: &mut Book) {
        book.variant(self.name);
        let view = self.view;
        let mut samples = p.samples.iter();
        let rows = self.track.read(|sim| {
            let reference = samples.next().map_or(&[][..], |row| &row[4..]);
            let mut row = view.omega(sim).to_array().to_vec();
            row.extend(quaternion(view.world(sim), reference));
            row
        });
        book.columns(&rows);
        let energies = self.track.energies();
        book.constant("energy", &energies, energies[0]);
        let momenta = self.track.read(|sim| sim.momentum().angular);
        for (k, name) in ["angular momentum x", "angular momentum y", "angular momentum z"].into_iter().enumerate() {
            let component: Vec<f64> = momenta.iter().map(|l| l[k]).collect();
            book.constant(name, &component, component[0]);
        }
    }
}

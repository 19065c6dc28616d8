//! The forest as a map of rates: velocities of the bodies for unit rates, and accelerations of rates from those of the
//! bodies.

use super::{JointSpace, Limb, place};
use crate::catalogue::attach::{Frame, Marker};
use crate::catalogue::joints::Chart;
use crate::math::Vec3;
use crate::model::{JointId, Model};

/// A rate of the forest: number `index` of a joint, or of a body that moves by its own velocity coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForestRate {
    pub joint: Option<JointId>,
    pub body: u32,
    pub index: u32,
}

impl JointSpace {
    /// What every rate is.
    pub fn labels(&self) -> Vec<ForestRate> {
        let each = |l: &Limb| {
            let (joint, body) = (l.joint.map(JointId), l.body);
            (0..l.n_w).map(move |index| ForestRate { joint, body, index })
        };
        self.limbs.iter().flat_map(each).collect()
    }

    /// Stand at a state: its coordinates and rates `(u, w)`.
    pub fn stand(&mut self, model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.n_u + self.n_w];
        self.read(model, q, v, &mut y);
        y
    }

    /// The rates among coordinates and rates.
    pub fn rates_in<'y>(&self, y: &'y [f64]) -> &'y [f64] {
        &y[self.n_u..]
    }

    /// Velocities of the bodies for a unit of each rate, one column after the other, at the coordinates in `y`.
    pub fn directions(&mut self, model: &Model, y: &[f64]) -> Vec<Vec<f64>> {
        let mut y = y.to_vec();
        (0..self.n_w)
            .map(|k| {
                y[self.n_u..].fill(0.0);
                y[self.n_u + k] = 1.0;
                self.to_bodies(model, &y);
                self.v.clone()
            })
            .collect()
    }

    /// Conditions on the rates that leave exactly those that a motion can have, where a joint has more of them than
    /// directions that are free: `w - psi . (sum_k w_k phi_k) = 0`, each a list of factors.
    pub fn surplus(&mut self, model: &Model, y: &[f64]) -> Vec<Vec<f64>> {
        let mut rows = Vec::new();
        for limb in &self.limbs {
            let Some(chart) = limb.joint.and_then(|k| model.joints[k as usize].constraint.chart()) else { continue };
            if limb.narrow.is_some() || chart.freedom() == chart.n_w() {
                continue;
            }
            let u = &y[limb.u as usize..][..limb.n_u as usize];
            for i in 0..limb.n_w as usize {
                let (pl, pa) = limb.rate_row(chart, u, i);
                let mut row = vec![0.0; self.n_w];
                row[limb.w as usize + i] = 1.0;
                for k in 0..limb.n_w as usize {
                    let (fl, fa) = limb.free(chart, u, k);
                    row[limb.w as usize + k] -= pl.dot(fl) + pa.dot(fa);
                }
                rows.push(row);
            }
        }
        rows
    }

    /// Accelerations of all rates at the coordinates and rates `y`, whose frames must be up to date, from those of the
    /// bodies' velocity coordinates.
    pub fn accelerations_of_rates(&self, model: &Model, y: &[f64], vdot: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n_w];
        for limb in &self.limbs {
            let u = &y[limb.u as usize..][..limb.n_u as usize];
            let w = &y[self.n_u + limb.w as usize..][..limb.n_w as usize];
            let out = &mut out[limb.w as usize..][..limb.n_w as usize];
            match self.joint(model, limb) {
                Some((chart, a, b)) => self.accelerations_of_limb(model, limb, (chart, &a, &b), (u, w), vdot, out),
                None => out.copy_from_slice(model.v_of(limb.body as usize, vdot)),
            }
        }
        out
    }

    /// The same for one limb below a joint between these frames.
    pub(super) fn accelerations_of_limb(
        &self,
        model: &Model,
        limb: &Limb,
        (chart, a, b): (&dyn Chart, &Frame, &Frame),
        (u, w): (&[f64], &[f64]),
        vdot: &[f64],
        out: &mut [f64],
    ) {
        limb.rates(chart, u, self.relative_acceleration(model, chart, (a, b), vdot), out);
        if limb.narrow.is_none() {
            out.iter_mut().enumerate().for_each(|(k, out)| *out += chart.drift(u, w, k));
        }
    }

    /// Relative acceleration of a limb's joint, in a's axes, from the accelerations of the bodies' velocity
    /// coordinates.
    fn relative_acceleration(
        &self,
        model: &Model,
        chart: &dyn Chart,
        (a, b): (&Frame, &Frame),
        vdot: &[f64],
    ) -> (Vec3, Vec3) {
        let (ma, mb) = chart.markers();
        let (at_a, at_b) = (place(a, &ma), place(b, &mb));
        let acceleration = |m: &Marker| {
            m.body.index().map_or((Vec3::ZERO, Vec3::ZERO), |i| self.poses[i].acceleration(model.v_of(i, vdot)))
        };
        let ((xa, wa), (xb, wb)) = (acceleration(&ma), acceleration(&mb));
        let (ra, rb) = (at_b.point - a.x, at_b.point - b.x);
        let (sa, sb) = (a.w.cross(ra), b.w.cross(rb));
        let slip = b.v + sb - a.v - sa;
        let lin = xb + wb.cross(rb) - xa - wa.cross(ra) + b.w.cross(sb) - a.w.cross(sa + 2.0 * slip);
        let ang = wb - wa + b.w.cross(a.w);
        let back = at_a.axes.transpose();
        (back * lin, back * ang)
    }
}

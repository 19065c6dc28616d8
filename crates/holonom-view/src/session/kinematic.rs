//! Dragging by the law f = m v: through legal poses, without gravity and inertia.
//!
//! The mechanism answers pushes f on the held points with velocities in proportion. The held points answer with
//!
//! ```text
//! pdot = p0 + A f,     A = P H^-1 P^T       (3k x 3k, symmetric, positive semidefinite; P takes velocities to those of the points)
//! ```
//!
//! where p0 is what drives do. The pushes wanted are those with pdot = (h - p) / tau for the targets h, as nearly as
//! the joints allow: the least squares solution with the least pushes,
//!
//! ```text
//! (A A + e² I) f = A (wanted - p0),      e = 1e-4 of the mean diagonal of A: directions in which nothing can move get no push
//! ```
//!
//! A is measured: one solve for each unit push. A step that would run over a limit or into a contact, or so far that
//! the joints cannot be closed after it, is taken shorter, down to standing still.

use super::hands::{FOLLOW, Hand, HandAction};
use holonom::{Marker, Simulation, StepError, Vec3};

/// Joints that are open by no more than this are closed, m or rad.
const CLOSED: f64 = 1e-8;

/// One step of `h` seconds with hands on the mechanism.
pub fn step(sim: &mut Simulation, hands: &[Hand], size: f64, h: f64) -> Result<(), StepError> {
    // fast, but not so fast that a step leaves the neighbourhood in which the answer is linear
    let fastest = 10.0 * size;
    let held: Vec<(Marker, Vec3)> = hands
        .iter()
        .filter_map(|hand| match &hand.grip {
            HandAction::Grab { target, .. } => {
                let rate = (target.get() - sim.point(hand.marker).0) / FOLLOW;
                Some((hand.marker, rate * (fastest / rate.length().max(fastest))))
            }
            _ => None,
        })
        .collect();
    let mut pushes = pushes_for(sim, &held)?;
    // read as kg m/s: a force of 1 N moves 1 kg at 1 m/s
    pushes.extend(hands.iter().flat_map(|hand| hand.as_pushes(sim, size)));
    as_far_as_allowed(sim, &pushes, size, h)
}

/// One step of `h` seconds in which a point has this velocity.
pub fn step_at_speed(sim: &mut Simulation, tool: (Marker, Vec3), size: f64, h: f64) -> Result<(), StepError> {
    let pushes = pushes_for(sim, &[tool])?;
    as_far_as_allowed(sim, &pushes, size, h)
}

fn as_far_as_allowed(sim: &mut Simulation, pushes: &[(Marker, Vec3)], size: f64, h: f64) -> Result<(), StepError> {
    let start = sim.state().clone();
    let allowed = sim.overlap().max(1e-9 * size);
    // a shaft that goes round faster than its turns can be counted leaves its gear a tooth behind
    let open = sim.violation().0.max(CLOSED);
    let mut part = 1.0;
    loop {
        let scaled: Vec<_> = pushes.iter().map(|&(m, f)| (m, f * part)).collect();
        match sim.kinematic_step(&scaled, h) {
            Ok(()) if part == 0.0 || (sim.overlap() <= allowed && sim.violation().0 <= open) => return Ok(()),
            Err(e) if part == 0.0 => return Err(e),
            // over a limit, or so far that the joints could not be closed
            _ => sim.set_state(start.clone()),
        }
        part = if part > 1.0 / 64.0 { 0.5 * part } else { 0.0 };
    }
}

/// Pushes with which points have these velocities, as nearly as the joints allow.
fn pushes_for(sim: &mut Simulation, held: &[(Marker, Vec3)]) -> Result<Vec<(Marker, Vec3)>, StepError> {
    let n = 3 * held.len();
    if n == 0 {
        return Ok(Vec::new());
    }
    let start = sim.state().clone();
    let answer = |sim: &mut Simulation, pushes: &[(Marker, Vec3)]| -> Result<Vec<f64>, StepError> {
        let v = sim.velocities_from_forces(pushes)?;
        sim.state_mut().v.copy_from_slice(&v);
        let rates = held.iter().flat_map(|(m, _)| sim.point(*m).1.to_array()).collect();
        sim.state_mut().v.copy_from_slice(&start.v);
        Ok(rates)
    };
    let base = answer(sim, &[])?;
    let mut a = vec![0.0; n * n];
    for j in 0..n {
        let mut unit = Vec3::ZERO;
        unit[j % 3] = 1.0;
        let column = answer(sim, &[(held[j / 3].0, unit)])?;
        for i in 0..n {
            a[i * n + j] = column[i] - base[i];
        }
    }
    let wanted: Vec<f64> = held.iter().flat_map(|(_, rate)| rate.to_array()).zip(&base).map(|(w, b)| w - b).collect();
    let f = least_squares(&a, &wanted);
    Ok(held.iter().enumerate().map(|(k, (m, _))| (*m, Vec3::from_slice(&f[3 * k..3 * k + 3]))).collect())
}

/// The damped least squares solution of A f = r, A symmetric and positive semidefinite.
pub fn least_squares(a: &[f64], r: &[f64]) -> Vec<f64> {
    let n = r.len();
    let mean = (0..n).map(|i| a[i * n + i]).sum::<f64>() / n as f64;
    // in the unit of A: where a mechanism is as good as locked its square is nothing at all
    let a: Vec<f64> = a.iter().map(|a| a / mean).collect();
    let e = 1e-4;
    if !(mean > 0.0 && a.iter().all(|a| a.is_finite())) {
        return vec![0.0; n];
    }
    let mut m = vec![0.0; n * n];
    let mut x = vec![0.0; n];
    for i in 0..n {
        for j in 0..n {
            m[i * n + j] = (0..n).map(|k| a[k * n + i] * a[k * n + j]).sum();
        }
        m[i * n + i] += e * e;
        x[i] = (0..n).map(|k| a[k * n + i] * r[k]).sum();
    }
    // L D L^T in place
    for j in 0..n {
        for i in j + 1..n {
            let l = m[i * n + j] / m[j * n + j];
            for k in j + 1..=i {
                m[i * n + k] -= l * m[k * n + j];
            }
        }
        for i in j + 1..n {
            m[i * n + j] /= m[j * n + j];
        }
    }
    for i in 0..n {
        x[i] -= (0..i).map(|k| m[i * n + k] * x[k]).sum::<f64>();
    }
    for i in (0..n).rev() {
        x[i] = x[i] / m[i * n + i] - (i + 1..n).map(|k| m[k * n + i] * x[k]).sum::<f64>();
    }
    x.iter_mut().for_each(|x| *x /= mean);
    // pushes without bound move nothing either
    if x.iter().all(|x| x.is_finite()) { x } else { vec![0.0; n] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_leaves_out_what_cannot_move() {
        // A of rank 2 in a turned frame: the part of r outside its range is lost, the rest is met
        let (u, w) = ([0.6, 0.8, 0.0], [0.0, 0.0, 1.0]);
        let a: Vec<f64> = (0..9).map(|k| 2.0 * u[k / 3] * u[k % 3] + 5.0 * w[k / 3] * w[k % 3]).collect();
        let f = least_squares(&a, &[1.0, 0.0, -3.0]);
        let along: f64 = f.iter().zip(u).map(|(a, b)| a * b).sum();
        let across = f[0] * 0.8 - f[1] * 0.6;
        assert!((along - 0.3).abs() < 1e-6, "{along}");
        assert!((f[2] + 0.6).abs() < 1e-6, "{}", f[2]);
        assert!(across.abs() < 1e-6, "{across}");
        assert_eq!(least_squares(&[0.0; 9], &[1.0; 3]), vec![0.0; 3]);
        // locked but for rounding of rounding
        let f = least_squares(&[1e-170, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-200], &[1.0, 1.0, 1.0]);
        assert!(f.iter().all(|f| f.is_finite()), "{f:?}");
    }
}

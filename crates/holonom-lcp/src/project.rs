//! What the laws make of a push that would be wanted: onto half lines, intervals and discs, and how the outcome changes with it.
//!
//! ```text
//!     Free     x = p              Push   x = max(p, 0)            Within  x = p between the bounds
//!     Cone     x_n from its own row first; radius = mu max(x_n, 0);   x_t = p_t inside the disc,  radius p_t / |p_t| outside
//! ```
//!
//! `x = P(x - r a)` for any `r > 0` says exactly that `x` and `a` obey the laws. For cones this is *not* the projection onto the
//! cone: the normal row is settled without regard to the slip, which is Coulomb's law and not its associated relaxation.
//!
//! Derivative, row by row (`W = dP/dp`):
//!
//! ```text
//!     held at an end     0
//!     free to move       1
//!     sliding            radius/|p| (1 - e e^T)  in p_t,   mu e  in p_n where the normal is free to move       e = p_t/|p_t|
//! ```

use crate::law::Law;
use crate::scale::walk;

/// What a law did with its rows at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// Held at an end of its interval, or a disc of no radius.
    Held,
    /// Follows `p`.
    Moving,
    /// At the rim: `e` is the direction of `p`, `turn = radius / |p|`.
    Sliding { e: [f64; 3], turn: f64 },
}

/// `x = P(p)`.
pub(crate) fn project(laws: &[Law], p: &[f64], x: &mut [f64]) {
    for (i, law) in walk(laws) {
        match *law {
            Law::Free => x[i] = p[i],
            Law::Push => x[i] = p[i].max(0.0),
            Law::Within { least, most } => x[i] = p[i].clamp(least, most),
            Law::Cone { normal, mu, rows } => {
                let radius = mu * x[normal].max(0.0);
                clip(&p[i..i + rows], radius, &mut x[i..i + rows]);
            }
            Law::Ball { radius, rows } => {
                clip(&p[i..i + rows], radius, &mut x[i..i + rows]);
            }
        }
    }
}

/// `x = P(p)`, with the mode of every law.
pub(crate) fn project_with_modes(laws: &[Law], p: &[f64], x: &mut [f64], modes: &mut Vec<Mode>) {
    modes.clear();
    for (i, law) in walk(laws) {
        modes.push(match *law {
            Law::Free => {
                x[i] = p[i];
                Mode::Moving
            }
            Law::Push => {
                x[i] = p[i].max(0.0);
                if p[i] >= 0.0 { Mode::Moving } else { Mode::Held }
            }
            Law::Within { least, most } => {
                x[i] = p[i].clamp(least, most);
                if p[i] > least && p[i] < most { Mode::Moving } else { Mode::Held }
            }
            Law::Cone { normal, mu, rows } => {
                let radius = mu * x[normal].max(0.0);
                clip(&p[i..i + rows], radius, &mut x[i..i + rows])
            }
            Law::Ball { radius, rows } => clip(&p[i..i + rows], radius, &mut x[i..i + rows]),
        });
    }
}

/// `x = P(p)` for the rows of one law; `p` holds those rows only.
pub(crate) fn settle(law: &Law, i: usize, p: &[f64; 3], x: &mut [f64]) -> Mode {
    let rows = law.rows();
    match *law {
        Law::Free => {
            x[i] = p[0];
            Mode::Moving
        }
        Law::Push => {
            x[i] = p[0].max(0.0);
            if p[0] >= 0.0 { Mode::Moving } else { Mode::Held }
        }
        Law::Within { least, most } => {
            x[i] = p[0].clamp(least, most);
            if p[0] > least && p[0] < most { Mode::Moving } else { Mode::Held }
        }
        Law::Cone { normal, mu, .. } => {
            let radius = mu * x[normal].max(0.0);
            clip(&p[..rows], radius, &mut x[i..i + rows])
        }
        Law::Ball { radius, .. } => clip(&p[..rows], radius, &mut x[i..i + rows]),
    }
}

fn clip(p: &[f64], radius: f64, x: &mut [f64]) -> Mode {
    let reach = length(p);
    if reach <= radius {
        x.copy_from_slice(p);
        return Mode::Moving;
    }
    let mut e = [0.0; 3];
    for k in 0..p.len() {
        e[k] = p[k] / reach;
        x[k] = radius * e[k];
    }
    Mode::Sliding { e, turn: radius / reach }
}

/// Euclidean length of up to three numbers, safe against overflow of their squares.
pub(crate) fn length(p: &[f64]) -> f64 {
    let most = p.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    most * p.iter().map(|v| (v / most) * (v / most)).sum::<f64>().sqrt()
}

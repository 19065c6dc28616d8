//! Projections of forces onto what the laws admit (half lines, intervals and discs), and the derivatives of these
//! projections.
//!
//! ```text
//!     Free     x = p              Push   x = max(p, 0)            Within  x = p between the bounds
//!     Cone     x_n from its own row first; radius = mu max(x_n, 0);   x_t = p_t inside the disc,  radius p_t / |p_t| outside
//! ```
//!
//! `x = P(x - r a)` for any `r > 0` says exactly that `x` and `a` obey the laws. For cones this is *not* the projection
//! onto the cone: the normal row is projected without regard to the slip, which is Coulomb's law and not its associated
//! relaxation. The projection onto the cones themselves, which the convex relaxation needs, is that of
//! [`normal_on_cones`].
//!
//! Derivative, row by row (`W = dP/dp`):
//!
//! ```text
//!     held at an end     0
//!     free to move       1
//!     sliding            radius/|p| (1 - e e^T)  in p_t,   mu e  in p_n where the normal is free to move       e = p_t/|p_t|
//! ```

use crate::law::ComplementarityLaw as Law;

/// What the projection did with the rows of a law: its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProjectionMode {
    /// Held at an end of its interval, or a disc of no radius.
    Held,
    /// Follows `p`.
    Moving,
    /// At the rim: `e` is the direction of `p`, `turn = radius / |p|`.
    Sliding { e: [f64; 3], turn: f64 },
}

/// `x = P(p)`, with the mode of every law.
pub(crate) fn project(laws: &[Law], p: &[f64], x: &mut [f64], modes: &mut Vec<ProjectionMode>) {
    modes.clear();
    for (i, law) in Law::with_first_rows(laws) {
        modes.push(project_law(law, i, &p[i..i + law.rows()], x));
    }
}

/// `x = P(p)` for the rows of one law; `p` holds those rows only.
#[inline]
pub(crate) fn project_law(law: &Law, i: usize, p: &[f64], x: &mut [f64]) -> ProjectionMode {
    match *law {
        Law::Free => {
            x[i] = p[0];
            ProjectionMode::Moving
        }
        Law::Push => {
            x[i] = p[0].max(0.0);
            if p[0] >= 0.0 { ProjectionMode::Moving } else { ProjectionMode::Held }
        }
        Law::Within { least, most } => {
            x[i] = p[0].clamp(least, most);
            if p[0] > least && p[0] < most { ProjectionMode::Moving } else { ProjectionMode::Held }
        }
        Law::Cone { normal, mu, rows } => {
            let radius = mu * x[normal].max(0.0);
            clip(&p[..rows], radius, &mut x[i..i + rows])
        }
        Law::Ball { radius, rows } => clip(&p[..rows], radius, &mut x[i..i + rows]),
    }
}

fn clip(p: &[f64], radius: f64, x: &mut [f64]) -> ProjectionMode {
    let reach = length(p);
    if reach <= radius {
        x.copy_from_slice(p);
        return ProjectionMode::Moving;
    }
    let mut e = [0.0; 3];
    for k in 0..p.len() {
        e[k] = p[k] / reach;
        x[k] = radius * e[k];
    }
    ProjectionMode::Sliding { e, turn: radius / reach }
}

/// Euclidean length of up to three numbers, safe against overflow of their squares.
pub(crate) fn length(p: &[f64]) -> f64 {
    let most = p.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    most * p.iter().map(|v| (v / most) * (v / most)).sum::<f64>().sqrt()
}

/// Friction on a normal row: one [`Law::Cone`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrictionCone {
    pub normal: usize,
    pub first: usize,
    pub rows: usize,
    pub mu: f64,
    /// Index of the law.
    pub law: usize,
}

impl FrictionCone {
    /// All cones, sorted by their normals.
    pub fn collect(laws: &[Law], cones: &mut Vec<FrictionCone>) {
        cones.clear();
        for (at, (first, law)) in Law::with_first_rows(laws).enumerate() {
            if let Law::Cone { normal, mu, rows } = *law {
                cones.push(FrictionCone { normal, first, rows, mu, law: at });
            }
        }
        cones.sort_unstable_by_key(|c| (c.normal, c.first));
    }

    /// Its rows of a vector.
    pub fn of<'v>(&self, v: &'v [f64]) -> &'v [f64] {
        &v[self.first..self.first + self.rows]
    }
}

/// Adds `share` of De Saxce's shift, `s_n = sum over the cones of normal n of mu |a_t|`.
///
/// With this shift of `a_n`, Coulomb's law becomes the optimality condition of a convex problem over the cones:
/// `K* ∋ a + s  ⊥  x ∈ K`.
pub(crate) fn add_slip_shift(cones: &[FrictionCone], a: &[f64], share: f64, shift: &mut [f64]) {
    for c in cones {
        shift[c.normal] += share * c.mu * length(c.of(a));
    }
}

/// The normal force in the projection of `p` onto `{ |x_t| <= mu x_n }` for all `cones` of one normal.
///
/// It is the `s >= 0` where the pulls of all discs on it balance: `s - p_n = sum over the cones outside their disc of
/// mu (|p_t| - mu s)`, a monotone and piecewise linear equation, solved by Newton's method.
pub(crate) fn normal_on_cones(cones: &[FrictionCone], p: &[f64]) -> f64 {
    let wanted = p[cones[0].normal];
    let mut s = wanted.max(0.0);
    for _ in 0..8 {
        let (mut pull, mut rate) = (s - wanted, 1.0);
        for c in cones {
            let outside = length(c.of(p)) - c.mu * s;
            if outside > 0.0 {
                pull -= c.mu * outside;
                rate += c.mu * c.mu;
            }
        }
        let new = (s - pull / rate).max(0.0);
        if new == s {
            break;
        }
        s = new;
    }
    s
}

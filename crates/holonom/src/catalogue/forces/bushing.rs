//! A bushing: an elastic and damping element between two markers that resists all six relative motions.
//!
//! ```text
//! R_a, R_b    axes of the markers, to the world         d = p_b - p_a         R = R_a^T R_b
//! xi = (u, theta)       u = R_a^T d,     theta = log R: the rotation vector, in a's axes, shorter than pi
//! energy  E = xi^T K xi / 2 + w . xi                    generalised force  g = K xi + w + C xidot = (g_u, g_theta)
//! ```
//!
//! Rates. `udot = R_a^T (pdot_b - pdot_a - w_a × d)`. From `R_b = R_a R` follows `Rdot R^T = [omega]` with
//! `omega = R_a^T (w_b - w_a)`, and with the left Jacobian of the rotation vector, `omega = L(theta) thetadot`,
//!
//! ```text
//! thetadot = L^-1 omega        L^-1(theta) = 1 - [theta]/2 + k(phi) [theta]^2,    phi = |theta|
//! k(phi) = 1/phi^2 - cot(phi/2) / (2 phi) = 1/12 + phi^2/720 + phi^4/30240 + ...
//! ```
//!
//! (k: L = 1 + (1 - cos phi)/phi^2 [theta] + (phi - sin phi)/phi^3 [theta]^2; multiply out with [theta]^3 = -phi^2
//! [theta]. The right Jacobian is its transpose, so that either gives the same torques.) What the bushing takes up is
//! `g . xidot`; reading off the factors of the attachments' rates, with `f = R_a g_u` and `m = R_a L^-T g_theta`,
//!
//! ```text
//! on b:  force -f at p_b,  torque -m           on a:  force +f at p_a,  torque  m + d × f
//! ```
//!
//! The force on a thus acts through p_b: action and reaction are opposite about every point, so that momentum is kept
//! exactly, and with C = 0 the pushes are exactly `-dE`. With C the power is `-dE/dt - xidot^T C xidot`.
//!
//! At half a turn theta jumps to the other side: the bushing is for rotations below pi. It pushes on spins: bodies that
//! have none are refused. Stiff directions: the six components of xi, with gradients as above (what is left out is
//! proportional to the load and vanishes at rest).

use super::{AXES, Force, ForceDeclaration, ForceGlyph, Push, Stiffness};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{FieldType, Invalid, Kind, Make, Parameters, optional};
use crate::error::refuse;
use crate::math::{Mat3, Vec3, log_quat, quat_from_axes, vec3};

/// A symmetric matrix over (translation x, y, z; rotation x, y, z) in the axes of marker a.
pub type Matrix6 = [[f64; 6]; 6];

/// Stiffness and damping in all six directions between two markers.
#[derive(Clone, Debug)]
pub struct Bushing {
    /// p_a, p_b, spins of a and b, axes of a, axes of b.
    attachments: [Attachment; 10],
    stiffness: Matrix6,
    damping: Matrix6,
    preload: [f64; 6],
}

/// Everything known at one state.
struct Local {
    /// Axes of a, columns in the world.
    r_a: Mat3,
    /// p_b - p_a, world.
    d: Vec3,
    xi: [f64; 6],
    /// L^-1(theta).
    l_inverse: Mat3,
}

impl Bushing {
    /// Stiffness along x, y, z of marker a (N/m) and about them (N m/rad).
    pub fn new(a: Marker, b: Marker, translation: impl Into<Vec3>, rotation: impl Into<Vec3>) -> Self {
        Self::full(a, b, diagonal(translation.into(), rotation.into()))
    }

    /// A full stiffness matrix over (translation, rotation) in the axes of a: symmetric, positive semidefinite. N/m,
    /// N/rad, N m/rad.
    pub fn full(a: Marker, b: Marker, stiffness: Matrix6) -> Self {
        let spin = Attachment::spin;
        let attachments = [a.p(), b.p(), spin(a.body), spin(b.body), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()];
        Bushing { attachments, stiffness, damping: [[0.0; 6]; 6], preload: [0.0; 6] }
    }

    /// Damping along x, y, z of marker a (N s/m) and about them (N m s/rad).
    pub fn damping(self, translation: impl Into<Vec3>, rotation: impl Into<Vec3>) -> Self {
        self.full_damping(diagonal(translation.into(), rotation.into()))
    }

    /// A full damping matrix over the rates of (translation, rotation vector): symmetric, positive semidefinite.
    pub fn full_damping(self, damping: Matrix6) -> Self {
        Bushing { damping, ..self }
    }

    /// What the bushing does to marker a when the markers coincide: a force (N) and a torque (N m) in the axes of a;
    /// the opposite acts on b.
    pub fn preload(self, force: impl Into<Vec3>, torque: impl Into<Vec3>) -> Self {
        let (f, m) = (force.into(), torque.into());
        Bushing { preload: [f.x, f.y, f.z, m.x, m.y, m.z], ..self }
    }

    fn local(&self, a: &View) -> Local {
        let r_a = Mat3::from_cols(a.at(4), a.at(5), a.at(6));
        let r_b = Mat3::from_cols(a.at(7), a.at(8), a.at(9));
        let d = a.at(1) - a.at(0);
        let u = r_a.transpose() * d;
        let theta = log_quat(quat_from_axes(r_a.transpose() * r_b));
        Local { r_a, d, xi: [u.x, u.y, u.z, theta.x, theta.y, theta.z], l_inverse: l_inverse(theta) }
    }

    /// Gradients of the six components of xi by (p_b, spin of b, spin of a), world axes; that by p_a is minus that by
    /// p_b.
    fn gradient(local: &Local, i: usize) -> (Vec3, Vec3, Vec3) {
        if i < 3 {
            let e = local.r_a.col(i);
            (e, Vec3::ZERO, -local.d.cross(e))
        } else {
            // the row i of L^-1 R_a^T
            let e = local.r_a * local.l_inverse.row(i - 3);
            (Vec3::ZERO, e, -e)
        }
    }

    fn rates(local: &Local, a: &View) -> [f64; 6] {
        let (p_rate, w_a, w_b) = (a.rate(1) - a.rate(0), a.rate(2), a.rate(3));
        std::array::from_fn(|i| {
            let (p, b, s) = Self::gradient(local, i);
            p.dot(p_rate) + b.dot(w_b) + s.dot(w_a)
        })
    }
}

fn diagonal(translation: Vec3, rotation: Vec3) -> Matrix6 {
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = translation[i];
        m[3 + i][3 + i] = rotation[i];
    }
    m
}

fn times(m: &Matrix6, x: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..6).map(|j| m[i][j] * x[j]).sum())
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of the left Jacobian of the rotation vector.
fn l_inverse(theta: Vec3) -> Mat3 {
    let phi = theta.length();
    // cancellation of the closed form: 1e-16 / phi^2; error of the series: phi^6 / 1.2e6
    let k = if phi < 0.1 {
        let p = phi * phi;
        1.0 / 12.0 + p * (1.0 / 720.0 + p * (1.0 / 30240.0 + p / 1209600.0))
    } else {
        1.0 / (phi * phi) - libm::cos(0.5 * phi) / (2.0 * phi * libm::sin(0.5 * phi))
    };
    let cross = Mat3::from_cols(theta.cross(Vec3::X), theta.cross(Vec3::Y), theta.cross(Vec3::Z));
    Mat3::IDENTITY - cross * 0.5 + cross * cross * k
}

/// Is the matrix finite, symmetric and positive semidefinite? Entries are measured against their diagonals.
fn check(name: &str, m: &Matrix6) -> Result<(), Invalid> {
    for (i, row) in m.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            if !value.is_finite() {
                return refuse!(name.replace(' ', "_"), "{name} ({i}, {j}) is {value}, must be finite");
            }
        }
        if m[i][i] < 0.0 {
            return refuse!(name.replace(' ', "_"), "{name} ({i}, {i}) is {}, must not be negative", m[i][i]);
        }
    }
    let scale = |i: usize, j: usize| m[i][i].sqrt() * m[j][j].sqrt();
    let mut l = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..i {
            if (m[i][j] - m[j][i]).abs() > 1e-12 * scale(i, j) {
                let (a, b) = (m[i][j], m[j][i]);
                return refuse!(
                    name.replace(' ', "_"),
                    "{name} ({i}, {j}) is {a} and ({j}, {i}) is {b}, must be symmetric"
                );
            }
            if m[i][i] == 0.0 || m[j][j] == 0.0 {
                if m[i][j] != 0.0 {
                    return refuse!(
                        name.replace(' ', "_"),
                        "{name} couples {i} and {j}, of which one has none of its own: not positive"
                    );
                }
            } else {
                l[i][j] = 0.5 * (m[i][j] + m[j][i]) / scale(i, j);
            }
        }
        l[i][i] = if m[i][i] > 0.0 { 1.0 } else { 0.0 };
    }
    // Cholesky of the scaled matrix, the largest pivot first: entries are at most 1
    let mut left = [true; 6];
    while let Some(p) = (0..6).filter(|&i| left[i]).max_by(|&i, &j| l[i][i].total_cmp(&l[j][j])) {
        left[p] = false;
        let entry = |l: &Matrix6, i: usize, j: usize| l[i.max(j)][i.min(j)];
        let pivot = l[p][p];
        for i in (0..6).filter(|&i| left[i]) {
            let at_i = entry(&l, i, p);
            if pivot <= 1e-12 {
                if pivot < -1e-12 || at_i.abs() > 1e-6 {
                    return refuse!(name.replace(' ', "_"), "{name} is not positive semidefinite");
                }
                continue;
            }
            for j in (0..=i).filter(|&j| left[j]) {
                l[i][j] -= at_i * entry(&l, j, p) / pivot;
            }
        }
        if pivot < -1e-12 {
            return refuse!(name.replace(' ', "_"), "{name} is not positive semidefinite");
        }
    }
    Ok(())
}

impl Force for Bushing {
    fn kind(&self) -> &'static str {
        "bushing"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        check("stiffness", &self.stiffness)?;
        check("damping", &self.damping)?;
        match self.preload.iter().find(|p| !p.is_finite()) {
            Some(p) => refuse!("preload_force", "preload has an entry {p}, must be finite"),
            None => Ok(()),
        }
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        let local = self.local(a);
        let elastic = times(&self.stiffness, &local.xi);
        let viscous = times(&self.damping, &Self::rates(&local, a));
        let g: [f64; 6] = std::array::from_fn(|i| elastic[i] + viscous[i] + self.preload[i]);
        let f = local.r_a * Vec3::new(g[0], g[1], g[2]);
        let m = local.r_a * (local.l_inverse.transpose() * Vec3::new(g[3], g[4], g[5]));
        push.on(0, f);
        push.on(2, m + local.d.cross(f));
        push.on(1, -f);
        push.on(3, -m);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        let xi = self.local(a).xi;
        0.5 * dot(&xi, &times(&self.stiffness, &xi)) + dot(&self.preload, &xi)
    }
    fn n_stiff(&self) -> usize {
        6
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let local = self.local(a);
        for i in 0..6 {
            let (p, b, s) = Self::gradient(&local, i);
            for (k, g) in [(0, -p), (1, p), (2, s), (3, b)] {
                out.gradient(i, k, g);
            }
            for j in i..6 {
                out.set(i, j, self.stiffness[i][j], self.damping[i][j]);
            }
        }
    }
}

pub(super) static BUSHING: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "bushing",
        summary: "stiffness and damping in all six directions between two frames, in the axes of a",
        fields: &[
            AXES,
            &[
                optional("stiffness", FieldType::Numbers("N/m"), "0", "along x, y, z; one number for all three"),
                optional(
                    "torsional_stiffness",
                    FieldType::Numbers("N m/rad"),
                    "0",
                    "about x, y, z; one number for all three",
                ),
                optional("damping", FieldType::Numbers("N s/m"), "0", "along x, y, z; one number for all three"),
                optional(
                    "torsional_damping",
                    FieldType::Numbers("N m s/rad"),
                    "0",
                    "about x, y, z; one number for all three",
                ),
                optional(
                    "stiffness_matrix",
                    FieldType::Numbers("N/m, N/rad, N m/rad"),
                    "from the above",
                    "all of it: 36 numbers, row by row over (x, y, z; turns about x, y, z); symmetric, no negative eigenvalue",
                ),
                optional(
                    "damping_matrix",
                    FieldType::Numbers("N s/m, ..."),
                    "from the above",
                    "the same for the damping",
                ),
                optional("preload_force", FieldType::Vector("N"), "[0, 0, 0]", "on a, where the two frames coincide"),
                optional(
                    "preload_torque",
                    FieldType::Vector("N m"),
                    "[0, 0, 0]",
                    "on a, where the two frames coincide",
                ),
            ],
        ],
        make: Make::Force(|p| Ok(Box::new(of_fields(p)?))),
    },
    label: "Bushing",
    law: "bushing",
    glyph: ForceGlyph::Spring,
};

/// One number for x, y and z, or three; not negative.
fn three(p: &dyn Parameters, field: &str) -> Result<Vec3, Invalid> {
    let v = match p.numbers(field) {
        None => Vec3::ZERO,
        Some([x]) => Vec3::splat(*x),
        Some([x, y, z]) => vec3(*x, *y, *z),
        Some(other) => return Err(Invalid::count(field, other.len(), "1 or 3")),
    };
    if !(v.min_element() >= 0.0) {
        return Err(Invalid::range(field, format!("{}, must not be negative", v.min_element())));
    }
    Ok(v)
}

/// A matrix by its 36 numbers, or with two vectors along its diagonal.
fn matrix(p: &dyn Parameters, whole: &str, along: &str, about: &str) -> Result<Matrix6, Invalid> {
    let Some(numbers) = p.numbers(whole) else {
        let (u, w) = (three(p, along)?, three(p, about)?);
        let diagonal = [u.x, u.y, u.z, w.x, w.y, w.z];
        return Ok(std::array::from_fn(|i| std::array::from_fn(|j| if i == j { diagonal[i] } else { 0.0 })));
    };
    if let Some(other) = [along, about].into_iter().find(|f| p.has(f)) {
        return Err(Invalid::exclusive(other, whole).help("keep one of them"));
    }
    if numbers.len() != 36 {
        return Err(Invalid::count(whole, numbers.len(), 36));
    }
    Ok(std::array::from_fn(|i| std::array::from_fn(|j| numbers[6 * i + j])))
}

fn of_fields(p: &dyn Parameters) -> Result<Bushing, Invalid> {
    let stiffness = matrix(p, "stiffness_matrix", "stiffness", "torsional_stiffness")?;
    let damping = matrix(p, "damping_matrix", "damping", "torsional_damping")?;
    let of = |name: &str| p.vector(name).unwrap_or_default();
    let bushing = Bushing::full(p.a(), p.b(), stiffness).full_damping(damping);
    Ok(bushing.preload(of("preload_force"), of("preload_torque")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{SplitMix, exp_quat};

    /// `exp(L eps) exp(theta) = exp(theta + eps)`: the inverse Jacobian against differences of the logarithm.
    #[test]
    fn the_inverse_jacobian_is_the_derivative_of_the_logarithm() {
        let mut g = SplitMix(5);
        let mut worst: f64 = 0.0;
        for size in [1e-6, 1e-3, 0.09999, 0.10001, 1.0, 2.0, 3.1] {
            for _ in 0..20 {
                let theta = g.vec3(1.0).normalize() * size;
                let (l, e) = (l_inverse(theta), g.vec3(1.0).normalize());
                let at = |h: f64| log_quat(exp_quat(e * h) * exp_quat(theta));
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                worst = worst.max((slope - l * e).length());
            }
        }
        assert!(worst < 1e-8, "{worst:e}");
        let (below, above) = (l_inverse(Vec3::X * 0.1), l_inverse(Vec3::X * 0.099999999999));
        assert!((below - above).to_cols_array().iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn matrices_that_are_no_stiffness_are_refused() {
        let good = diagonal(Vec3::splat(2.0), Vec3::new(1.0, 0.0, 3.0));
        assert!(check("k", &good).is_ok());
        let with = |i: usize, j: usize, both: bool, value: f64| {
            let mut m = good;
            m[i][j] = value;
            if both {
                m[j][i] = value;
            }
            check("k", &m)
        };
        assert!(with(0, 3, true, 1.0).is_ok() && with(0, 3, true, 2.0_f64.sqrt()).is_ok());
        assert!(with(0, 3, true, 1.5).unwrap_err().reason.contains("not positive semidefinite"));
        assert!(with(0, 3, false, 1.0).unwrap_err().reason.contains("symmetric"));
        assert!(with(0, 4, true, 0.1).unwrap_err().reason.contains("none of its own"));
        assert!(with(2, 2, true, -1.0).unwrap_err().reason.contains("negative"));
        assert!(with(2, 5, true, f64::NAN).unwrap_err().reason.contains("finite"));
        // two dependent rows and one that disagrees with them
        let mut m = [[0.0; 6]; 6];
        for (i, j, value) in [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0), (0, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5)] {
            (m[i][j], m[j][i]) = (value, value);
        }
        assert!(check("k", &m).is_ok());
        (m[1][2], m[2][1]) = (-0.5, -0.5);
        assert!(check("k", &m).is_err());
    }
}

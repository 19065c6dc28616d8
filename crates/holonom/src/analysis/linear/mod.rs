//! Small motions and equilibria: the system linearised on its legal directions.
//!
//! ```text
//! directions    N_h: J_h N_h = 0 for all rows on positions;  N: J N = 0 for these and the rows on velocities (nonholonomic ones)
//!               both orthonormal in the mass metric:  N^T M N = 1.  Without nonholonomic rows N_h = N
//! neighbours    of a base motion (q0(t), v0(t)):  dq, the displacement from q0 to q in velocity coordinates;  dv = v - v0
//! coordinates   z = N_h^T M dq,   w = N^T M dv
//! equations     zdot = N_h^T M d(dq)/dt,    wdot = N^T M (vdot - vdot0)            [zdot; wdot] = A [z; w]
//! ```
//!
//! Both the neighbour and the base move. The displacement of a turning body has a rate of its own even at equal angular
//! velocities: a rotation vector d in world axes follows `d(d)/dt = dw + w × d`. It is had by letting both poses
//! advance for a moment, to either bound, and differencing `Body::difference` between them; no body kind is named. What
//! the rows leave of dv follows from dq (`J dv = - dJ v0`) and is found by making v0 legal at the neighbour.
//!
//! Along a motion that is not at rest A belongs to one moment. Eigenvalues mean something where A stays the same as
//! time goes on, as seen by some
//! [`Observer`]: a bicycle that runs straight, seen in axes at rest; a satellite that spins about an axis of inertia, seen from the satellite;
//! a conical pendulum, seen in axes that go round with it. Where components are taken along axes that turn with rate
//! Om, the rates lose the part that only the turning makes, body by body: `zdot = N_h^T M (d(dq)/dt - Om dq)`,
//! `wdot = N^T M (d(dv)/dt - Om dv)`, with Om x the rate of a vector of constant components (`Om × x` for every vector
//! in x; [`Body::turned`](crate::catalogue::bodies::Body::turned)).
//!
//! The columns of A by w are differences at constant pose; N_h^T M N, their upper part, is exact. The columns by z need
//! a closed neighbour each. The module `neighbour` has the differences and their error, which is measured.
//!
//! At rest, in equilibrium, with forces that have a potential and no dampers, A = [0 1; -K 0] with K symmetric. That is
//! recognised, and the squares of the frequencies are then the eigenvalues of K, each with a real mode shape.
//!
//! Cost: up to 16 evaluations for each of the n_h + n directions, all of O(bodies); memory and algebra are dense in the
//! number of directions (n^3 for the eigenvalues), and the bases come from a dense factorisation of J. Meant for some
//! hundreds of free directions.

mod basis;
mod eigen;
pub(crate) mod equilibrium;
pub(crate) mod neighbour;
pub(crate) mod ports;

pub use eigen::Complex;
pub use equilibrium::{Equilibrium, EquilibriumOptions, Stability};

use crate::analysis::{contacts, dense};
use crate::catalogue::attach::BodyId;
use crate::error::StepError;
use crate::evaluate::angles;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::state::State;
use crate::step::mechanism::Mechanism;
use basis::{Basis, Directions};
use neighbour::{Neighbourhood, advance, carried, derivative, difference, extent};
use std::fmt;
use std::sync::Arc;

/// What A makes of a direction below this part of its size is taken for nothing.
const ZERO: f64 = 1e-10;

/// In which axes small motions about a moving base are written. About a state at rest all are the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Observer {
    /// World axes. For bodies that spin about an axis of symmetry this is the right choice: wheels, symmetric tops.
    #[default]
    World,
    /// For each body axes that turn with it: a body of any shape that spins steadily.
    Bodies,
    /// For all bodies axes that turn with this rate, rad/s, world axes: a whole mechanism that goes round.
    Turning(Vec3),
    /// A rate for every body, in order.
    Each(Vec<Vec3>),
}

impl Observer {
    fn turns(&self, sim: &Mechanism) -> Result<Vec<Vec3>, StepError> {
        let n = sim.model.n_bodies();
        let turns: Vec<Vec3> = match self {
            Observer::World => vec![Vec3::ZERO; n],
            Observer::Bodies => sim.model.bodies().map(|b| sim.spin(b).unwrap_or(Vec3::ZERO)).collect(),
            Observer::Turning(rate) => vec![*rate; n],
            Observer::Each(rates) => rates.clone(),
        };
        if turns.len() != n {
            return Err(StepError::Invalid(format!(
                "the observer has rates for {} bodies, the model {n}",
                turns.len()
            )));
        }
        match turns.iter().find(|t| !t.is_finite()) {
            Some(t) => Err(StepError::Invalid(format!("rate of the observer's axes is {t} rad/s, must be finite"))),
            None => Ok(turns),
        }
    }
}

/// One small motion: `exp(eigenvalue t)` times its shape. A conjugate pair is one mode, that with the positive
/// imaginary part: the motion is the real part.
#[derive(Clone, Debug)]
pub struct Mode {
    /// The eigenvalue, 1/s.
    pub eigenvalue: Complex,
    /// Displacements, per velocity coordinate. The largest entry is 1.
    pub position: Vec<Complex>,
    /// Changes of the velocity coordinates, on the same scale.
    pub velocity: Vec<Complex>,
    /// The body with the largest share of the motion, measured by its mass.
    pub body: BodyId,
    /// That share, from 0 to 1.
    pub share: f64,
    /// The eigenvalue is zero as far as can be told: a direction in which nothing pulls back or drives on (a cyclic
    /// coordinate, or its speed). Where a speed only moves a place, the shape is that of the chain: what A makes of it
    /// is a free direction again.
    pub free: bool,
}

impl Mode {
    /// Undamped natural frequency |eigenvalue| / 2 pi, Hz; 0 for a real eigenvalue.
    pub fn frequency(&self) -> f64 {
        if self.eigenvalue.im == 0.0 { 0.0 } else { self.eigenvalue.abs() / std::f64::consts::TAU }
    }

    /// Damping ratio: 0 without damping, 1 where oscillation ends, negative for a motion that grows.
    pub fn damping(&self) -> f64 {
        let size = self.eigenvalue.abs();
        if size == 0.0 { 0.0 } else { 0.0 - self.eigenvalue.re / size }
    }
}

/// The system linearised about a state. `Display` prints a table of the modes.
#[derive(Clone)]
pub struct Linearisation {
    model: Arc<Model>,
    matrix: Vec<f64>,
    directions: (Vec<Vec<f64>>, Vec<Vec<f64>>),
    eigenvalues: Vec<Complex>,
    modes: Vec<Mode>,
    error: f64,
    acceleration: f64,
    undamped: bool,
    evaluations: usize,
}

impl Linearisation {
    /// A, row by row, `(n_positions + n_velocities)` square: `[zdot; wdot] = A [z; w]`.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }
    /// Number of free directions of positions.
    pub fn n_positions(&self) -> usize {
        self.directions.0.len()
    }
    /// Number of free directions of velocities: fewer where there are nonholonomic rows.
    pub fn n_velocities(&self) -> usize {
        self.directions.1.len()
    }
    /// Free direction `i` of the positions, in velocity coordinates (a column of N_h).
    pub fn position_direction(&self, i: usize) -> &[f64] {
        &self.directions.0[i]
    }
    /// Free direction `i` of the velocities (a column of N).
    pub fn velocity_direction(&self, i: usize) -> &[f64] {
        &self.directions.1[i]
    }
    /// All eigenvalues, 1/s, those of free directions included; by size.
    pub fn eigenvalues(&self) -> &[Complex] {
        &self.eigenvalues
    }
    /// The modes, by the size of their eigenvalues: one for each real eigenvalue and each conjugate pair.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }
    /// Frequencies of all modes that oscillate, Hz, ascending.
    pub fn frequencies(&self) -> Vec<f64> {
        let mut out: Vec<f64> =
            self.modes.iter().filter(|m| !m.free && m.eigenvalue.im != 0.0).map(|m| m.frequency()).collect();
        out.sort_by(f64::total_cmp);
        out
    }
    /// Estimated error of the worst column of A, relative to the largest entry of A.
    pub fn error(&self) -> f64 {
        self.error
    }
    /// Acceleration of the base as the observer sees it, in the mass norm (kg^1/2 m/s^2). It vanishes in equilibrium
    /// and in steady motion; where it does not, A belongs to this moment only.
    pub fn acceleration(&self) -> f64 {
        self.acceleration
    }
    /// The base is at rest and nothing damps or drives: K is symmetric, all mode shapes are real.
    pub fn is_undamped(&self) -> bool {
        self.undamped
    }
    /// Does no mode grow, as far as can be told? Free directions count as not growing.
    pub fn is_stable(&self) -> bool {
        self.modes.iter().all(|m| m.free || m.eigenvalue.re <= self.noise(m.eigenvalue))
    }
    /// Evaluations of the equations of motion spent.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// What a real part may be by error alone: in proportion to the error of A, but to its root where eigenvalues lie
    /// together, for they may have been one.
    fn noise(&self, eigenvalue: Complex) -> f64 {
        let error = self.error + f64::EPSILON;
        let fastest = self.eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let root = 3.0 * error.sqrt() * fastest;
        let near = self.eigenvalues.iter().filter(|v| (**v - eigenvalue).abs() <= root).count();
        if near > 1 { root } else { 10.0 * error * dense::size(&self.matrix) / eigenvalue.abs().max(1.0) }
    }
}

impl fmt::Debug for Linearisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linearisation")
            .field("n_positions", &self.n_positions())
            .field("n_velocities", &self.n_velocities())
            .field("eigenvalues", &self.eigenvalues)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Linearisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>4}  {:>13}  {:>10}  {:>28}  moves most",
            "mode", "frequency, Hz", "damping", "eigenvalue, 1/s"
        )?;
        for (i, mode) in self.modes.iter().enumerate() {
            let value = mode.eigenvalue;
            let frequency = if value.im == 0.0 { "-".into() } else { format!("{:.6}", mode.frequency()) };
            let (damping, value) = if mode.free {
                ("free".into(), format!("{:.1e}", value.abs()))
            } else if value.im == 0.0 {
                ("-".into(), format!("{:.6}", value.re))
            } else {
                (format!("{:.6}", mode.damping()), format!("{:.6} +- {:.6}i", value.re, value.im))
            };
            let body = self.model.body_name(mode.body);
            let share = 100.0 * mode.share;
            writeln!(f, "{:>4}  {frequency:>13}  {damping:>10}  {value:>28}  {body} ({share:.0} %)", i + 1)?;
        }
        Ok(())
    }
}

/// The small motions about the present state: eigenvalues, modes, and the matrix they come from, in world axes. The
/// state is not changed.
pub(crate) fn linearise(mechanism: &mut Mechanism) -> Result<Linearisation, StepError> {
    linearise_from(mechanism, &Observer::World)
}

/// The same in other axes: what is constant in time, and so has eigenvalues that mean something, depends on who looks.
pub(crate) fn linearise_from(mechanism: &mut Mechanism, observer: &Observer) -> Result<Linearisation, StepError> {
    contacts::refuse_contacts(mechanism, "a linearisation")?;
    let turns = observer.turns(mechanism)?;
    let base = closed(mechanism)?;
    let model = mechanism.model.clone();
    let (_, _, work) = mechanism.parts();
    let basis = basis::basis(&model, &base)?;
    let mut around = Neighbourhood { model: &model, work, base: &base, evaluations: 0 };
    let (matrix, error) = matrix(&mut around, &basis, &turns)?;
    let a = around.accelerations(&base.q, &base.v)?;
    let evaluations = around.evaluations;
    let carried = carried(&model, &turns, &base.v);
    let seen: Vec<f64> = a.iter().zip(&carried).map(|(a, c)| a - c).collect();
    let acceleration = basis.velocities.components(&seen).iter().map(|x| x * x).sum::<f64>().sqrt();
    let largest = dense::size(&matrix);
    let still = base.v.iter().all(|v| *v == 0.0);
    let n = basis.velocities.len();
    let stiffness = if still && basis.same { stiffness(&matrix, n) } else { None };
    let undamped = stiffness.is_some();
    let (eigenvalues, mut modes) = match stiffness {
        Some(k) => undamped_modes(&k, error, &model, &basis),
        None => general_modes(&matrix, &model, &basis).ok_or(StepError::NotConverged {
            what: "the eigenvalues",
            residual: f64::NAN,
            iterations: 300,
            time: base.t,
        })?,
    };
    // errors of A move a double zero by their root
    let fastest = eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let zero = (3.0 * error.sqrt()).max(1e-7 * fastest);
    modes.iter_mut().for_each(|m| m.free = m.eigenvalue.abs() <= zero);
    let error = if largest > 0.0 { error / largest } else { 0.0 };
    let directions = (basis.positions.n, basis.velocities.n);
    Ok(Linearisation { model, matrix, directions, eigenvalues, modes, error, acceleration, undamped, evaluations })
}

/// The present state with joints closed and legal velocities.
fn closed(mechanism: &mut Mechanism) -> Result<State, StepError> {
    let model = mechanism.model.clone();
    let mut base = mechanism.state.clone();
    let (_, _, work) = mechanism.parts();
    angles::note_angles(&model, &base.q, &base.v, &base.turns, base.t, &mut work.eval);
    let (mut q, mut v) = (base.q.clone(), base.v.clone());
    Neighbourhood { model: &model, work, base: &base, evaluations: 0 }.close(&mut q, &mut v)?;
    (base.q, base.v) = (q, v);
    Ok(base)
}

/// A, and the largest estimated error of its columns.
fn matrix(around: &mut Neighbourhood, basis: &Basis, turns: &[Vec3]) -> Result<(Vec<f64>, f64), StepError> {
    let (model, base) = (around.model, around.base);
    let (nh, n) = (basis.positions.len(), basis.velocities.len());
    let size = nh + n;
    let mut a = vec![0.0; size * size];
    let mut worst: f64 = 0.0;
    let rate = model.rate_scale().max(extent(model, &base.v));
    let seen = |accelerations: Vec<f64>, v: &[f64]| -> Vec<f64> {
        let c = carried(model, turns, v);
        basis.velocities.components(&accelerations.iter().zip(c).map(|(a, c)| a - c).collect::<Vec<_>>())
    };
    for (j, direction) in basis.positions.n.iter().enumerate() {
        let unit = 1.0 / extent(model, direction);
        let (column, error) = derivative(unit, |h| {
            let (q, v) = around.displaced(&basis.positions, &basis.velocities, j, h)?;
            let mut out = relative_rate(model, base, &q, &v, 0.03 / rate);
            out = basis.positions.components(&out);
            let accelerations = around.accelerations(&q, &v)?;
            out.extend(seen(accelerations, &v));
            Ok(out)
        })?;
        let turning = basis.positions.components(&carried(model, turns, direction));
        for i in 0..size {
            a[i * size + j] = column[i] - if i < nh { turning[i] } else { 0.0 };
        }
        worst = worst.max(error);
    }
    for (j, direction) in basis.velocities.n.iter().enumerate() {
        let unit = rate / extent(model, direction);
        let (column, error) = derivative(unit, |h| {
            let v: Vec<f64> = base.v.iter().zip(direction).map(|(v, d)| v + h * d).collect();
            let accelerations = around.accelerations(&base.q, &v)?;
            Ok(seen(accelerations, &v))
        })?;
        let upper = if basis.same {
            (0..nh).map(|i| f64::from(i == j)).collect()
        } else {
            basis.positions.components(direction)
        };
        for i in 0..size {
            a[i * size + nh + j] = if i < nh { upper[i] } else { column[i - nh] };
        }
        worst = worst.max(error);
    }
    Ok((a, worst))
}

/// d/dt of the displacement from the base to a neighbour, while both move: a central difference of eighth order over
/// steps of `e` seconds, long enough to keep rounding small.
fn relative_rate(model: &Model, base: &crate::model::state::State, q: &[f64], v: &[f64], e: f64) -> Vec<f64> {
    let mut out = vec![0.0; model.n_v()];
    if base.v == v && v.iter().all(|v| *v == 0.0) {
        return out;
    }
    let after = |e: f64| {
        let (mut from, mut to) = (base.q.clone(), q.to_vec());
        advance(model, &mut from, &base.v, e);
        advance(model, &mut to, v, e);
        difference(model, &from, &to)
    };
    for (k, weight) in [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0].into_iter().enumerate() {
        let steps = (k + 1) as f64;
        dense::add(&mut out, weight / e, &after(steps * e));
        dense::add(&mut out, -weight / e, &after(-steps * e));
    }
    out
}

/// K of A = [0 1; -K 0], where A is of this form and K symmetric.
fn stiffness(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let size = 2 * n;
    let block = |rows: usize, columns: usize| -> Vec<f64> {
        (0..n * n).map(|k| a[(rows + k / n) * size + columns + k % n]).collect()
    };
    let (drag, mut k) = (block(n, n), block(n, 0));
    let largest = dense::size(&k);
    if dense::size(&drag) > 1e-10 * largest.sqrt() || dense::size(&block(0, 0)) > 0.0 {
        return None;
    }
    for i in 0..n {
        for j in 0..=i {
            let (x, y) = (-k[i * n + j], -k[j * n + i]);
            if (x - y).abs() > 1e-8 * largest {
                return None;
            }
            (k[i * n + j], k[j * n + i]) = (0.5 * (x + y), 0.5 * (x + y));
        }
    }
    Some(k)
}

/// From the eigenvalues of K: a pair for each. Those within the error of K are zero.
fn undamped_modes(k: &[f64], error: f64, model: &Model, basis: &Basis) -> (Vec<Complex>, Vec<Mode>) {
    let n = basis.positions.len();
    let (mut squares, vectors) = dense::symmetric_eigen(k, n);
    let zero = (9.0 * error).max(1e-14 * dense::size(&squares));
    squares.iter_mut().filter(|s| s.abs() <= zero).for_each(|s| *s = 0.0);
    let (mut values, mut modes) = (Vec::new(), Vec::new());
    let real = |x: &[f64], s: Complex| -> Vec<Complex> { x.iter().map(|x| Complex::new(s.re * x, s.im * x)).collect() };
    for (square, vector) in squares.iter().zip(&vectors) {
        let root = square.abs().sqrt();
        let pair = if *square >= 0.0 {
            [Complex::new(0.0, root), Complex::new(0.0, -root)]
        } else {
            [Complex::new(root, 0.0), Complex::new(-root, 0.0)]
        };
        values.extend(pair);
        // of a growing motion both halves are modes
        let shown = if *square < 0.0 { 2 } else { 1 };
        for value in &pair[..shown] {
            let z = real(vector, Complex::new(1.0, 0.0));
            modes.push(mode(model, basis, *value, &z, &real(vector, *value)));
        }
    }
    sorted(values, modes)
}

/// From the eigenvalues of A, with w measured in units of the mechanism's own rate r: `[0 .; . 0]` has blocks of one
/// size then.
fn general_modes(a: &[f64], model: &Model, basis: &Basis) -> Option<(Vec<Complex>, Vec<Mode>)> {
    let (nh, n) = (basis.positions.len(), basis.velocities.len());
    let size = nh + n;
    let pulls = a
        .iter()
        .enumerate()
        .filter(|(k, _)| k / size >= nh && k % size < nh)
        .fold(0.0, |m: f64, (_, x)| m.max(x.abs()));
    let rate = if pulls > 0.0 { pulls.sqrt() } else { model.rate_scale() };
    let unit = |k: usize| if k < nh { 1.0 } else { rate };
    let scaled: Vec<f64> = a.iter().enumerate().map(|(k, x)| x * unit(k % size) / unit(k / size)).collect();
    let eigen = eigen::staircase(&scaled, size, ZERO * dense::size(&scaled))?;
    let shown = eigen.values.iter().zip(&eigen.vectors).filter(|(value, _)| value.im >= 0.0);
    let modes = shown
        .map(|(value, x)| {
            let w: Vec<Complex> = x[nh..].iter().map(|x| Complex::new(x.re * rate, x.im * rate)).collect();
            mode(model, basis, *value, &x[..nh], &w)
        })
        .collect();
    Some(sorted(eigen.values, modes))
}

fn sorted(mut values: Vec<Complex>, mut modes: Vec<Mode>) -> (Vec<Complex>, Vec<Mode>) {
    let order =
        |a: &Complex, b: &Complex| a.abs().total_cmp(&b.abs()).then(a.re.total_cmp(&b.re)).then(b.im.total_cmp(&a.im));
    values.sort_by(order);
    modes.sort_by(|a, b| order(&a.eigenvalue, &b.eigenvalue));
    (values, modes)
}

/// A mode from its components.
fn mode(model: &Model, basis: &Basis, eigenvalue: Complex, z: &[Complex], w: &[Complex]) -> Mode {
    let combine = |columns: &[Vec<f64>], x: &[Complex]| -> Vec<Complex> {
        let mut out = vec![Complex::ZERO; model.n_v()];
        for (column, x) in columns.iter().zip(x) {
            for (out, c) in out.iter_mut().zip(column) {
                (out.re, out.im) = (out.re + c * x.re, out.im + c * x.im);
            }
        }
        out
    };
    let length = |x: &[Complex]| x.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>();
    let (mut position, mut velocity) = (combine(&basis.positions.n, z), combine(&basis.velocities.n, w));
    // shares of the motion, by mass
    let shares = |d: &Directions, x: &[Complex], shape: &[Complex]| -> Vec<f64> {
        let images = combine(&d.mn, x);
        model
            .bodies()
            .map(|b| model.v_range(b).map(|k| shape[k].re * images[k].re + shape[k].im * images[k].im).sum())
            .collect()
    };
    let by_speed = length(z) < 1e-12 * length(w);
    let shares =
        if by_speed { shares(&basis.velocities, w, &velocity) } else { shares(&basis.positions, z, &position) };
    let most = (0..shares.len()).fold(0, |m, i| if shares[i] > shares[m] { i } else { m });
    let largest = if by_speed { &velocity } else { &position };
    let largest = largest.iter().fold(Complex::ZERO, |m, x| if x.abs() > m.abs() { *x } else { m });
    if largest.abs() > 0.0 {
        position.iter_mut().chain(&mut velocity).for_each(|x| *x = *x / largest);
    }
    let total: f64 = shares.iter().sum();
    let share = if total > 0.0 { shares[most] / total } else { 0.0 };
    Mode { eigenvalue, position, velocity, body: BodyId::from_index(most), share, free: false }
}

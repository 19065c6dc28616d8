//! Does the solution solve the equations? Measured anew from M, F, J and c, row by row, and against the size of what is
//! summed there. Every row counts, also one that the solver took for dependent and left out.
//!
//! ```text
//! r = M x - J^T lambda - F        s = J x + c        (x = vdot; or a change of velocity, with impulses as F)
//! ```
//!
//! What is a small residual? Terms that cancel leave rounding, and rounding over rounding says nothing: in a robot that
//! falls freely no joint transmits a force, nothing turns, and every term of the equations of turning is rounding of
//! forces elsewhere. So sizes are taken in the metric of the masses, in which newtons and newton metres compare, and
//! bodies share theirs with those they are joined to. With w the weight of a coordinate (mass, or mean moment of
//! inertia), for a body i, a row k and a joint j:
//!
//! ```text
//! e_i^2 = x_i . M x_i + F_i . w^-1 F_i                        what moves it and what pushes it
//! o_k   = sum over coordinates of J_k^2 / w                   the row's own size: |J_k x| <= o_k^1/2 (x . w x)^1/2
//! l_j^2 = sum over its rows of lambda_k^2 o_k                 what it transmits
//! E_j^2 = sum over its bodies of e_i^2                        without what is transmitted
//! L_j^2 = sum over its bodies of (e_i + sum of l over the joints of i)^2        with it
//!
//! motion           |r| / (w^1/2 (the largest L of the joints of the body, or e_i))
//! constraint       |s_k| / (|c_k| + o_k^1/2 L_j)
//! contradiction    |s_k| / (|c_k| + o_k^1/2 E_j)
//! ```
//!
//! The first two are what a backward stable solver makes as small as rounding, whatever the masses. But rows that
//! contradict each other can push against each other as hard as they like, and lambda in the denominator would hide
//! what they leave: in the third multipliers do not count. (Nor do they in the second where the solver knows that it
//! settled a contradiction.) It grows with the ratio of forces transmitted to forces applied, 1e9 times rounding in a
//! rope under 1e9 times its own weight, so its bound must be wider.
//!
//! Cost: one product with M, J and J^T, and one sum of squares of J. No factorisation, and after the first time no
//! memory.

use crate::catalogue::attach::read3;
use crate::evaluate::evaluation::Evaluation;
use crate::math::{Mat3, Vec3, vec3};
use crate::model::{Form, Joint, Model};
use holonom_tree::{Mask, Node};

/// Largest residuals, each relative to the size of what is summed in its equation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Of `M vdot = J^T lambda + F`, body by body.
    pub motion: f64,
    /// Of `J vdot + c = 0`, row by row, those included that the solver left out.
    pub constraint: f64,
    /// Of `J vdot + c = 0` again, measured by forces and inertia alone: multipliers that push against each other cannot
    /// hide what they leave. Large where rows contradict each other, and where one was left out that does not depend on
    /// the others.
    pub contradiction: f64,
}

impl Residual {
    /// The larger of those of the motion and of the constraints.
    pub fn largest(&self) -> f64 {
        self.motion.max(self.constraint)
    }

    /// Of each the larger one; what is not a number counts as larger than any.
    pub fn worse(self, other: Residual) -> Residual {
        Residual {
            motion: larger(self.motion, other.motion),
            constraint: larger(self.constraint, other.constraint),
            contradiction: larger(self.contradiction, other.contradiction),
        }
    }
}

/// The larger one; what is not a number is larger than any.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Residual of the solution `x`; `contradiction`: the solver settled one. Takes memory of its own.
pub(crate) fn residual(model: &Model, eval: &Evaluation, x: &[f64], contradiction: bool) -> Residual {
    ResidualCheck::default().measure(model, eval, x, &eval.force, &eval.c, contradiction)
}

/// Residuals of the steps, and scratch memory to find them; sized when first needed.
#[derive(Default)]
pub(crate) struct ResidualCheck {
    /// The next solution is to be measured.
    pub wanted: bool,
    /// The worst since it was last reset.
    pub worst: Residual,
    /// A right-hand side before it is solved for in place.
    pub rhs: Vec<f64>,
    /// r and 1 / w, per velocity coordinate.
    motion: Vec<f64>,
    light: Vec<f64>,
    /// s and o, per row.
    rows: Vec<f64>,
    own: Vec<f64>,
    /// e, and the sum of l, per body; the largest L of its joints, squared.
    size: Vec<f64>,
    load: Vec<f64>,
    around: Vec<f64>,
    /// l, E^2 and L^2, per joint.
    transmitted: Vec<f64>,
    free: Vec<f64>,
    loaded: Vec<f64>,
    block: Vec<f64>,
    /// Every joint with every body it touches, and the links whose rows are written out; listed when first needed.
    ends: Vec<(u32, u32)>,
    written: Vec<WrittenLink>,
    locks: Vec<LockEnd>,
    listed: bool,
}

/// One end of a lock, on a rigid body about its centre.
#[derive(Clone, Copy, Debug)]
struct LockEnd {
    transform: u32,
    /// First row, and first velocity coordinate of the body.
    row: u32,
    at: u32,
    mask: Mask,
    is_far: bool,
    /// Three translations along the axes of the world, and nothing else.
    point_alone: bool,
}

/// A link of the structure whose rows are written out.
#[derive(Clone, Copy, Debug)]
struct WrittenLink {
    link: u32,
    joint: u32,
    body: u32,
}

impl ResidualCheck {
    /// A report begins.
    pub fn reset(&mut self) {
        (self.wanted, self.worst) = (false, Residual::default());
    }

    /// Measure `x` where a measurement is wanted. `x` and the right-hand side stand as in the equations of motion.
    #[inline]
    pub fn note(&mut self, model: &Model, eval: &Evaluation, x: &[f64], contradiction: bool) {
        if self.wanted {
            let found = self.measure(model, eval, x, &eval.force, &eval.c, contradiction);
            (self.wanted, self.worst) = (false, self.worst.worse(found));
        }
    }

    /// The same for the right-hand side that was kept.
    pub fn note_kept(&mut self, model: &Model, eval: &Evaluation, x: &[f64], contradiction: bool) {
        if self.wanted {
            let rhs = std::mem::take(&mut self.rhs);
            let (force, rows) = rhs.split_at(model.n_v());
            let found = self.measure(model, eval, x, force, rows, contradiction);
            (self.wanted, self.worst) = (false, self.worst.worse(found));
            self.rhs = rhs;
        }
    }

    fn measure(
        &mut self,
        model: &Model,
        eval: &Evaluation,
        x: &[f64],
        force: &[f64],
        c: &[f64],
        contradiction: bool,
    ) -> Residual {
        let (vdot, lambda) = x.split_at(model.n_v());
        self.resize(model);
        self.bodies(model, eval, vdot, force);
        self.rows.copy_from_slice(c);
        self.locks(eval, vdot, lambda);
        self.links(model, eval, vdot, lambda);
        self.own_directions(model, eval, vdot, lambda);
        self.spread(model, lambda, contradiction);
        Residual {
            motion: self.worst_motion(model),
            constraint: self.worst_row(model, c, &self.loaded),
            contradiction: self.worst_row(model, c, &self.free),
        }
    }

    fn resize(&mut self, model: &Model) {
        for x in [&mut self.motion, &mut self.light] {
            x.resize(model.n_v(), 0.0);
        }
        for x in [&mut self.rows, &mut self.own] {
            x.resize(model.n_rows(), 0.0);
        }
        for x in [&mut self.size, &mut self.load, &mut self.around] {
            x.resize(model.n_bodies(), 0.0);
        }
        for x in [&mut self.transmitted, &mut self.free, &mut self.loaded] {
            x.resize(model.n_joints(), 0.0);
        }
        self.own.fill(0.0);
        if !self.listed {
            self.list(model);
        }
    }

    /// What is linked with what.
    fn list(&mut self, model: &Model) {
        self.ends.clear();
        self.written.clear();
        for (k, (dual, primal)) in model.structure().links().enumerate() {
            let (joint, body) = (dual.index() - model.n_bodies(), primal.index());
            self.ends.push((joint as u32, body as u32));
            if !(matches!(model.joints[joint].form, Form::Lock { .. }) && model.structure().is_central(primal)) {
                self.written.push(WrittenLink { link: k as u32, joint: joint as u32, body: body as u32 });
            }
        }
        self.locks.clear();
        for joint in &model.joints {
            let &Form::Lock { transform, mask, aligned } = &joint.form else { continue };
            let ends = joint.constraint.attachments();
            for (k, is_far) in [(0, false), (1, true)] {
                let body = ends[k].body.index().filter(|i| model.structure().is_central(Node(*i as u32)));
                let Some(body) = body else { continue };
                let (row, at) = (joint.row, model.v_start[body]);
                let point_alone = aligned && mask == Mask::FIRST_THREE;
                self.locks.push(LockEnd { transform, row, at, mask, is_far, point_alone });
            }
        }
        for (j, joint) in with_own_directions(model).iter().enumerate() {
            if let Form::Own(form) = &joint.form {
                self.ends.extend(form.bodies.iter().map(|b| (j as u32, b.body)));
            }
        }
        self.listed = true;
    }

    /// `M x - F`, weights and sizes of the bodies.
    fn bodies(&mut self, model: &Model, eval: &Evaluation, vdot: &[f64], force: &[f64]) {
        for i in 0..model.n_bodies() {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            let (x, f) = (&vdot[range.clone()], &force[range.clone()]);
            let (out, light) = (&mut self.motion[range.clone()], &mut self.light[range]);
            let d = eval.blocks.diagonal(Node(i as u32));
            if let (&[m, xx, xy, xz, yy, yz, zz], &[a, b, c, p, q, r]) = (d, x) {
                // a rigid body about its centre: mass, then moments of inertia
                let turned = [xx * p + xy * q + xz * r, xy * p + yy * q + yz * r, xz * p + yz * q + zz * r];
                out.copy_from_slice(&[m * a, m * b, m * c, turned[0], turned[1], turned[2]]);
                let (straight, turning) = (1.0 / m, 3.0 / (xx + yy + zz));
                light.copy_from_slice(&[straight, straight, straight, turning, turning, turning]);
                if let (Some(x), Some(f), Some(out), Some(light)) =
                    (x.first_chunk::<6>(), f.first_chunk::<6>(), out.first_chunk_mut::<6>(), light.first_chunk::<6>())
                {
                    let mut square = 0.0;
                    for k in 0..6 {
                        square += x[k] * out[k] + f[k] * f[k] * light[k];
                        out[k] -= f[k];
                    }
                    self.size[i] = f64::max(square, 0.0).sqrt();
                    continue;
                }
            } else {
                for r in 0..x.len() {
                    out[r] = (0..x.len()).map(|c| eval.blocks.entry(Node(i as u32), r, c) * x[c]).sum();
                    light[r] = 1.0 / eval.blocks.entry(Node(i as u32), r, r);
                }
            }
            let mut square = 0.0;
            for k in 0..x.len() {
                square += x[k] * out[k] + f[k] * f[k] * light[k];
                out[k] -= f[k];
            }
            self.size[i] = square.max(0.0).sqrt();
        }
    }

    /// The same as [`ResidualCheck::links`] for locks of rigid bodies about their centres, without writing their rows
    /// out: along e at the arm r the row is e . (a + alpha x r), about e it is e . alpha.
    fn locks(&mut self, eval: &Evaluation, vdot: &[f64], lambda: &[f64]) {
        let ResidualCheck { motion, light, rows, own, locks, .. } = self;
        for lock in &*locks {
            let (at, first) = (lock.at as usize, lock.row as usize);
            let (Some(x), Some(light), Some(motion)) =
                (vdot[at..].first_chunk::<6>(), light[at..].first_chunk::<6>(), motion[at..].first_chunk_mut::<6>())
            else {
                continue;
            };
            let transform = &eval.blocks.transforms[lock.transform as usize];
            let (arm, sign) = if lock.is_far { (transform.far, 1.0) } else { (transform.near, -1.0) };
            let (arm, straight, turning) = (Vec3::from_array(arm), light[0], light[3]);
            let alpha = vec3(x[3], x[4], x[5]);
            let a = vec3(x[0], x[1], x[2]) + alpha.cross(arm);
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            if lock.point_alone {
                // a point held in the axes of the world
                let (Some(rows), Some(own)) =
                    (rows[first..].first_chunk_mut::<3>(), own[first..].first_chunk_mut::<3>())
                else {
                    continue;
                };
                let far = straight + turning * arm.length_squared();
                let squares = arm * arm;
                let (a, squares) = ((a * sign).to_array(), squares.to_array());
                for k in 0..3 {
                    rows[k] += a[k];
                    own[k] += far - turning * squares[k];
                }
                force = read3(&lambda[first..]) * sign;
            } else {
                let axes = Mat3::from_cols_array_2d(&transform.axes);
                for (row, k) in (first..).zip(lock.mask.rows()) {
                    let e = axes.col(k % 3) * sign;
                    if k < 3 {
                        rows[row] += e.dot(a);
                        own[row] += straight + turning * arm.cross(e).length_squared();
                        force += e * lambda[row];
                    } else {
                        rows[row] += e.dot(alpha);
                        own[row] += turning;
                        torque += e * lambda[row];
                    }
                }
            }
            torque += arm.cross(force);
            let push = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
            (0..6).for_each(|k| motion[k] -= push[k]);
        }
    }

    /// `J x` into the rows, `- J^T lambda` into the motion, own sizes.
    fn links(&mut self, model: &Model, eval: &Evaluation, vdot: &[f64], lambda: &[f64]) {
        let ResidualCheck { motion, light, rows, own, block, written, .. } = self;
        for &WrittenLink { link, joint, body } in &*written {
            eval.blocks.dense_link(model.structure(), link as usize, block);
            let first = model.joints[joint as usize].row as usize;
            let at = model.v_start[body as usize] as usize;
            let width = model.v_start[body as usize + 1] as usize - at;
            if width == 6 {
                let y: &[f64; 6] = &std::array::from_fn(|c| vdot[at + c]);
                let light: &[f64; 6] = &std::array::from_fn(|c| light[at + c]);
                let mut push = [0.0; 6];
                for (r, row) in block.as_chunks::<6>().0.iter().enumerate() {
                    let (l, mut product, mut square) = (lambda[first + r], 0.0, 0.0);
                    for c in 0..6 {
                        product += row[c] * y[c];
                        square += row[c] * row[c] * light[c];
                        push[c] += row[c] * l;
                    }
                    rows[first + r] += product;
                    own[first + r] += square;
                }
                (0..6).for_each(|c| motion[at + c] -= push[c]);
                continue;
            }
            for (r, row) in block.chunks_exact(width).enumerate() {
                for (c, &j) in row.iter().enumerate() {
                    rows[first + r] += j * vdot[at + c];
                    own[first + r] += j * j * light[at + c];
                    motion[at + c] -= j * lambda[first + r];
                }
            }
        }
    }

    /// The same for rows with force directions of their own.
    fn own_directions(&mut self, model: &Model, eval: &Evaluation, vdot: &[f64], lambda: &[f64]) {
        for joint in with_own_directions(model) {
            let Form::Own(form) = &joint.form else { continue };
            for (r, row) in joint.row_range().enumerate() {
                let at = form.at as usize + r * form.width();
                for b in &form.bodies {
                    for i in 0..b.n as usize {
                        let (e, column) = (at + b.column as usize + i, b.v as usize + i);
                        self.rows[row] += eval.own.j[e] * vdot[column];
                        let larger = eval.own.j[e].abs().max(eval.own.k[e].abs());
                        self.own[row] += larger * larger * self.light[column];
                        self.motion[column] -= eval.own.k[e] * lambda[row];
                    }
                }
            }
        }
    }

    /// Sizes from bodies to joints and back.
    fn spread(&mut self, model: &Model, lambda: &[f64], contradiction: bool) {
        for (joint, l) in model.joints.iter().zip(&mut self.transmitted) {
            // the length of a vector of rows, not the sum of its parts: one root for a joint
            let square = |row: usize| lambda[row] * lambda[row] * self.own[row];
            *l = if contradiction { 0.0 } else { joint.row_range().map(square).sum::<f64>().sqrt() };
        }
        self.load.fill(0.0);
        self.around.fill(0.0);
        self.free.fill(0.0);
        self.loaded.fill(0.0);
        let ResidualCheck { size, load, around, transmitted, free, loaded, ends, .. } = self;
        let ends = || ends.iter().map(|&(joint, body)| (joint as usize, body as usize));
        ends().for_each(|(j, i)| load[i] += transmitted[j]);
        for (j, i) in ends() {
            free[j] += size[i] * size[i];
            let all = size[i] + load[i];
            loaded[j] += all * all;
        }
        ends().for_each(|(j, i)| around[i] = around[i].max(loaded[j]));
    }

    /// Squares are compared, and only what may be the worst is divided.
    fn worst_motion(&self, model: &Model) -> f64 {
        let mut worst = 0.0;
        for i in 0..model.n_bodies() {
            let size = self.size[i] + self.load[i];
            let square = (size * size).max(self.around[i]);
            for k in model.v_start[i] as usize..model.v_start[i + 1] as usize {
                let r = self.motion[k] * self.motion[k] * self.light[k];
                if r != 0.0 && !(r <= worst * square) {
                    worst = larger(r / square, worst);
                }
            }
        }
        worst.sqrt()
    }

    fn worst_row(&self, model: &Model, c: &[f64], squares: &[f64]) -> f64 {
        let mut worst = 0.0;
        for (joint, square) in model.joints.iter().zip(squares) {
            for row in joint.row_range() {
                let (s, least) = (self.rows[row], self.own[row] * square);
                if s != 0.0 && !(s * s <= worst * worst * least) {
                    worst = larger(s.abs() / (c[row].abs() + least.sqrt()), worst);
                }
            }
        }
        worst
    }
}

/// The joints, if any of them has rows with force directions of their own: those are not in the matrix.
fn with_own_directions(model: &Model) -> &[Joint] {
    if model.n_v() + model.n_rows() > model.plan.len() { &model.joints } else { &[] }
}

//! Rows that vanish identically: a spatial joint between planar bodies has rows that say nothing new in any pose.

use crate::build::check::Checked;
use crate::build::islands::{Islands, equations};
use crate::catalogue::attach::{Bodies, View};
use crate::catalogue::bodies::Body;
use crate::catalogue::joints::{Constraint, Mask};
use crate::evaluate::RowScratch;
use crate::math::{SplitMix, Vec3};
use crate::model::touched_bodies;
use holonom_tree::independent_rows;
use std::sync::Arc;

/// Rows of each joint that are kept, bit by bit: of those of joints that enter row by row the first independent set,
/// judged at three random poses. (That the dropped rows hold is checked once the model is assembled.)
pub(super) fn kept_rows(checked: &Checked, islands: &Islands, locks: &[Option<Mask>], q: &[f64]) -> Vec<u32> {
    let mut kept: Vec<u32> = checked.parts.joints.iter().map(|(c, status)| equations(c.as_ref(), status)).collect();
    let judged: Vec<usize> = (0..kept.len()).filter(|&k| locks[k].is_none() && kept[k] != 0).collect();
    if judged.is_empty() {
        return kept;
    }
    let (mut g, mut moving) = (SplitMix(0x5eed), SplitMix(0x0e1));
    let mut needed = vec![0u32; kept.len()];
    for _ in 0..3 {
        let lever = |i: usize| islands.lever[islands.of_body[i] as usize];
        let v = random_velocity(&checked.parts.bodies, lever, &mut moving);
        let q = random_pose(&checked.parts.bodies, &checked.q_start, lever, q, &mut g);
        let frames = checked.frames(&q, &v);
        let bodies = &checked.at(&frames, &q, &v);
        for &k in &judged {
            let rows = jacobian(checked.parts.joints[k].0.as_ref(), bodies);
            // a formula may have no value in a pose that is never taken: then nothing is known, and nothing dropped
            let known = rows.iter().flatten().all(|x| x.is_finite());
            for (i, keep) in independent_rows(&rows).into_iter().enumerate() {
                needed[k] |= ((keep || !known) as u32) << i;
            }
        }
    }
    judged.into_iter().for_each(|k| kept[k] &= needed[k]);
    kept
}

/// A generic pose: `q` moved at random, by up to 0.7 rad and 0.7 levers (m, by body).
pub(super) fn random_pose(
    bodies: &[Arc<dyn Body>],
    q_start: &[u32],
    lever: impl Fn(usize) -> f64,
    q: &[f64],
    g: &mut SplitMix,
) -> Vec<f64> {
    let mut q = q.to_vec();
    let mut v = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let lever = lever(i);
        v.clear();
        v.extend((0..body.n_dof()).map(|k| g.symmetric(0.7) * if k < body.n_lengths() { lever } else { 1.0 }));
        body.advance(&mut q[q_start[i] as usize..q_start[i + 1] as usize], &v, 1.0);
    }
    q
}

/// A generic velocity, of up to 1 rad/s and 1 lever/s. A row of velocities that is not linear in them (a speed that is
/// held, `|v|^2 = c`) has a gradient that vanishes at rest, and at rest alone.
pub(super) fn random_velocity(bodies: &[Arc<dyn Body>], lever: impl Fn(usize) -> f64, g: &mut SplitMix) -> Vec<f64> {
    let of_body = |(i, body): (usize, &Arc<dyn Body>)| {
        let lever = lever(i);
        let size = |k: usize| if k < body.n_lengths() { lever } else { 1.0 };
        (0..body.n_dof()).map(|k| g.symmetric(1.0) * size(k)).collect::<Vec<f64>>()
    };
    bodies.iter().enumerate().flat_map(of_body).collect()
}

/// Rows of a constraint in the velocity coordinates of the bodies it touches, at t = 0.
fn jacobian(constraint: &dyn Constraint, bodies: &Bodies) -> Vec<Vec<f64>> {
    let attachments = constraint.attachments();
    let (m, n) = (constraint.n_rows(), attachments.len());
    let (mut rows, mut gradients, mut forces) =
        (vec![Default::default(); m], vec![Vec3::ZERO; m * n], vec![Vec3::ZERO; m * n]);
    let mut out = RowScratch { rows: &mut rows, gradients: &mut gradients, forces: &mut forces };
    out.evaluate(constraint, &View::new(bodies, attachments), 0.0);
    let touched = touched_bodies(attachments);
    let row = |gradients: &[Vec3]| {
        let mut row = Vec::new();
        for &body in &touched {
            let start = row.len();
            row.resize(start + bodies.bodies[body as usize].n_dof(), 0.0);
            for (a, g) in attachments.iter().zip(gradients).filter(|(a, _)| a.body.0 == body) {
                bodies.pull(a, *g, &mut row[start..]);
            }
        }
        // a row that vanishes has only rounding left: measure it against its gradients
        let size: f64 = gradients.iter().map(|g| g.length_squared()).sum();
        let left: f64 = row.iter().map(|x| x * x).sum();
        if left <= 1e-18 * size {
            row.fill(0.0);
        }
        row
    };
    gradients.chunks_exact(n).map(row).collect()
}

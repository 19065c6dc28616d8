//! Islands: bodies connected by joints, the ground left out.

use crate::build::check::{Checked, part};
use crate::catalogue::joints::{Constraint, RowLaw};
use crate::math::Vec3;
use crate::model::{JointStatus, Sets, touched_bodies};
use std::sync::Arc;

/// Bit i: row i of a joint is an equation of the matrix. Inequality rows are elsewhere, and a broken joint has none.
pub(super) fn equations(constraint: &dyn Constraint, status: &JointStatus) -> u32 {
    match constraint.n_rows() {
        _ if constraint.law() != RowLaw::Equality || matches!(status, JointStatus::Broken) => 0,
        32 => u32::MAX,
        n => (1 << n) - 1,
    }
}

/// Islands: bodies connected by joints, the ground left out.
pub(super) struct Islands {
    pub of_body: Vec<u32>,
    pub of_joint: Vec<u32>,
    pub count: usize,
    /// Length scale and longest lever of each, m: see [`ModelLayout`](crate::model::ModelLayout).
    pub length: Vec<f64>,
    pub lever: Vec<f64>,
    pub jointed: Vec<bool>,
}

impl Islands {
    pub fn new(checked: &Checked, q: &[f64]) -> Islands {
        let n = checked.parts.bodies.len();
        let mut sets = Sets::new(n);
        let held = |(constraint, status): &(Arc<dyn Constraint>, _)| equations(constraint.as_ref(), status) != 0;
        for (constraint, _) in checked.parts.joints.iter().filter(|joint| held(joint)) {
            touched_bodies(constraint.attachments()).windows(2).for_each(|w| sets.join(w[0], w[1]));
        }
        // a root has the lowest number of its set: islands are numbered in the order of their first bodies
        let (mut of_body, mut count): (Vec<u32>, usize) = (Vec::with_capacity(n), 0);
        for i in 0..n as u32 {
            let root = sets.find(i);
            of_body.push(if root == i { count as u32 } else { of_body[root as usize] });
            count += (root == i) as usize;
        }
        let of_joint = |(constraint, _): &(Arc<dyn Constraint>, _)| {
            let first = constraint.attachments().iter().find_map(|a| a.body.index());
            first.map_or(0, |i| of_body[i])
        };
        let of_joint: Vec<u32> = checked.parts.joints.iter().map(of_joint).collect();
        let mut jointed = vec![false; count];
        for (joint, &island) in checked.parts.joints.iter().zip(&of_joint) {
            jointed[island as usize] |= held(joint);
        }
        let length = length_scales(checked, &of_body, &of_joint, count, q);
        let lever = levers(checked, &of_body, &length);
        Islands { of_body, of_joint, count, length, lever, jointed }
    }
}

/// Length scale of each island.
fn length_scales(checked: &Checked, of_body: &[u32], of_joint: &[u32], count: usize, q: &[f64]) -> Vec<f64> {
    let mut scale = vec![0.0f64; count];
    let mut first = vec![None; count];
    for (i, body) in checked.parts.bodies.iter().enumerate() {
        let (k, centre) = (of_body[i] as usize, body.centre(part(&checked.q_start, i, q)));
        let from: Vec3 = *first[k].get_or_insert(centre);
        scale[k] = scale[k].max((centre - from).length());
    }
    for ((constraint, _), &island) in checked.parts.joints.iter().zip(of_joint) {
        for a in constraint.attachments().iter().filter(|a| !a.body.is_ground()) {
            let scale = &mut scale[island as usize];
            *scale = scale.max(a.carried_point().length());
        }
    }
    scale.iter().map(|&s| if s > 0.0 { s } else { 1.0 }).collect()
}

/// Longest lever of the joints of each island, or its length scale where there is none.
fn levers(checked: &Checked, of_body: &[u32], length: &[f64]) -> Vec<f64> {
    let mut levers = vec![0.0f64; length.len()];
    let attachments = checked.parts.joints.iter().flat_map(|(constraint, _)| constraint.attachments());
    for (a, i) in attachments.filter_map(|a| Some((a, a.body.index()?))) {
        let lever = &mut levers[of_body[i] as usize];
        *lever = lever.max(a.carried_point().length());
    }
    levers.iter().zip(length).map(|(&l, &whole)| if l > 0.0 { l } else { whole }).collect()
}

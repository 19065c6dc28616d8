//! Which motions a mechanism is free to make, in terms of its joints.
//!
//! A few random velocities are brought onto the rows; what is left of them, less what the rows prescribe by themselves,
//! are random free motions. The rates of all joint coordinates in them are the columns of a small matrix, in which
//! elimination with full pivoting picks coordinates that tell the motions apart, the ones that move most first. Motions
//! that no coordinate sees are those of bodies that no joint measures.

use super::is_hand;
use holonom::joints::CoordinateKind;
use holonom::math::SplitMix;
use holonom::{JointId, Simulation};

/// Free motions by the joint coordinates that tell them apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FreeMotions {
    /// Joints and which of their coordinates.
    pub coordinates: Vec<(JointId, usize)>,
    /// Motions that no joint coordinate sees.
    pub unseen: usize,
}

/// More motions than this are not told apart.
const MOST: usize = 8;
/// Nor are those of mechanisms with more velocity coordinates.
const LARGEST: usize = 3000;
/// Rates below this part of the largest are rounding.
const ROUNDING: f64 = 1e-6;

/// Coordinates that tell `mobility` free motions apart at the present pose; `None` where there are too many to tell, or
/// they cannot be found.
pub fn free_motions(sim: &Simulation, mobility: usize) -> Option<FreeMotions> {
    let model = sim.model();
    if mobility == 0 || mobility > MOST || model.n_v() > LARGEST {
        return None;
    }
    let coordinates: Vec<(JointId, usize)> = model
        .joints()
        .filter(|j| !is_hand(model.joint_name(*j)))
        .flat_map(|j| (0..model.coordinate_kinds(j).len()).map(move |i| (j, i)))
        .collect();
    let mut look = Simulation::new(model.clone());
    let at = sim.state();
    let mut rates_of = |v: Vec<f64>| -> Option<Vec<f64>> {
        let mut state = at.clone();
        state.v = v;
        look.set_state(state);
        look.project().ok()?;
        coordinates.iter().map(|&(j, i)| look.coordinate(j, i).map(|(_, rate)| rate)).collect()
    };
    let prescribed = rates_of(vec![0.0; model.n_v()])?;
    let length = model.length_scale();
    let mut g = SplitMix(0x6d0b);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for _ in 0..mobility {
        let v = (0..model.n_v()).map(|_| g.symmetric(length.max(1.0))).collect();
        rows.push(rates_of(v)?.iter().zip(&prescribed).map(|(a, b)| a - b).collect());
    }
    // lengths are measured against the size of the mechanism
    let scale: Vec<f64> = coordinates
        .iter()
        .map(|&(j, i)| if model.coordinate_kinds(j)[i] == CoordinateKind::Length { 1.0 / length } else { 1.0 })
        .collect();
    rows.iter_mut().for_each(|row| row.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s));
    let picked = pivots(rows);
    Some(FreeMotions {
        unseen: mobility - picked.len(),
        coordinates: picked.into_iter().map(|k| coordinates[k]).collect(),
    })
}

/// Columns that elimination with full pivoting takes, in their order.
fn pivots(mut rows: Vec<Vec<f64>>) -> Vec<usize> {
    let largest = rows.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut picked = Vec::new();
    while !rows.is_empty() {
        let mut best = (0, 0, 0.0);
        for (r, row) in rows.iter().enumerate() {
            for (c, x) in row.iter().enumerate() {
                // of equals the first: the one written first
                if x.abs() > best.2 * (1.0 + ROUNDING) {
                    best = (r, c, x.abs());
                }
            }
        }
        let (r, c, size) = best;
        if !(size > ROUNDING * largest) || largest == 0.0 {
            break;
        }
        picked.push(c);
        let pivot = rows.swap_remove(r);
        for row in &mut rows {
            let factor = row[c] / pivot[c];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            row[c] = 0.0;
        }
    }
    picked.sort_unstable();
    picked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_picks_columns_that_tell_rows_apart() {
        // the third column is the sum of the first two, the fourth does not move
        let rows = vec![vec![1.0, 0.1, 1.1, 0.0], vec![0.2, 3.0, 3.2, 0.0], vec![1.2, 3.1, 4.3, 0.0]];
        let picked = pivots(rows);
        assert_eq!(picked.len(), 2);
        assert!(!picked.contains(&3));
        assert!(pivots(vec![vec![0.0; 3]; 2]).is_empty());
    }
}

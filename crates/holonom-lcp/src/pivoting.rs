//! Problems whose laws are intervals, by principal pivoting: dry friction, stops, caps and equations, without a cone.
//!
//! With `A` definite there is one solution, and all there is to find is which rows lie at an end of their interval:
//!
//! ```text
//!     I = rows between their ends (a = 0),   E = rows at an end (x given)
//!     A_II x_I = -(b_I + A_IE x_E),          a_E = b_E + A_EI x_I + A_EE x_E
//! ```
//!
//! A row of `I` whose `x` came out beyond an end goes to that end; a row of `E` whose `a` has the wrong sign goes to
//! `I`. All of them change at once as long as fewer and fewer are wrong; where that stalls, only the last one changes
//! (Murty), which never visits a set twice, until there are fewer wrong ones than ever before (Júdice and Pires 1994:
//! block principal pivoting). From the set of the step before, one factorisation of `A_II` is the rule.
//!
//! Rows along one direction are the rule too: the stop and the dry friction of one joint, the stops of fingers that
//! mimic each other. They make `A` singular, but harmlessly. Without units (unit diagonal) such rows have `A_rk = +-1`,
//! and with this sign, `a_k = +-(a_r - s_k)`, `s_k = b_r -+ b_k`: all of them are functions of the one `a_r`, and what
//! they push together is a *staircase* of it that only descends (`+` sign; with `-` the ends change places):
//!
//! ```text
//!     X = sum +-x_k       ----- hi_1 + hi_2 -----|                        a step at every s_k, where x_k lies between
//!                                                |-- lo_1 + hi_2 --|      its ends and a_k = 0
//!                                               s_1                |-- lo_1 + lo_2 --
//!                                                                 s_2                       a_r ->
//! ```
//!
//! So every staircase is one row, which is at one of its steps (`a_r = s`, in `I`) or on one of its levels (X given, in
//! `E`). An interval alone is a staircase with one step. Rows whose steps coincide share their load as evenly as their
//! ends allow: the smallest forces. Where `A_II` has no factor even so, the caller has a method that knows which of
//! many forces to prefer.

use crate::dense::{cholesky, cholesky_solve, dot, largest, zeros};
use crate::law::ComplementarityLaw as Law;

/// Changes of all wrong rows at once that may pass without progress.
const PATIENCE: usize = 3;
/// A pivot below this part of its diagonal is a row that depends on others.
const DEPENDENT: f64 = 1e-10;
/// What counts as on the right side, in the unit of a problem without units.
const ROUNDING: f64 = 1e-13;
/// Rows closer to parallel than this are along one direction; what they differ by is judged with the solution.
const PARALLEL: f64 = 1e-12;

/// One row among those along its direction.
#[derive(Clone, Copy, Debug)]
struct Member {
    row: usize,
    /// With or against the direction.
    sign: f64,
    /// Where it steps.
    s: f64,
    /// Ends of its push along the direction.
    low: f64,
    high: f64,
}

/// Rows along one direction.
#[derive(Clone, Copy, Debug)]
struct Staircase {
    /// The row whose direction it is.
    row: usize,
    members: (usize, usize),
    steps: (usize, usize),
    /// Its first level: one more than steps.
    levels: usize,
    place: Place,
}

/// Members that step at one place.
#[derive(Clone, Copy, Debug)]
struct Step {
    s: f64,
    members: (usize, usize),
}

/// Where a staircase is, by numbers counted from its first step and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At a step.
    At(usize),
    /// On the level before the step of this number.
    Level(usize),
}

/// The method, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntervalPivoting {
    members: Vec<Member>,
    stairs: Vec<Staircase>,
    steps: Vec<Step>,
    levels: Vec<f64>,
    taken: Vec<bool>,
    /// What each staircase pushes, at its row.
    total: Vec<f64>,
    inner: Vec<usize>,
    h: Vec<f64>,
    z: Vec<f64>,
    wrong: Vec<(usize, Place)>,
}

/// The interval of a law, if it is one.
fn interval(law: &Law) -> Option<(f64, f64)> {
    match *law {
        Law::Free => Some((f64::NEG_INFINITY, f64::INFINITY)),
        Law::Push => Some((0.0, f64::INFINITY)),
        Law::Within { least, most } => Some((least, most)),
        Law::Cone { .. } | Law::Ball { .. } => None,
    }
}

impl IntervalPivoting {
    /// Solves a problem without units (unit diagonal) from the guess `y`, in place, in at most `limit` factorisations,
    /// which are returned. `None`: not all laws are intervals, rows depend on each other, or the limit was met; `y` is
    /// then of no use.
    pub fn solve(&mut self, a: &[f64], b: &[f64], laws: &[Law], y: &mut [f64], limit: usize) -> Option<usize> {
        self.build(a, b, laws)?;
        self.place(y);
        let (mut fewest, mut patience) = (self.stairs.len() + 1, PATIENCE);
        for round in 1..=limit {
            if !self.solve_inner(a, b) {
                return None;
            }
            self.find_wrong(a, b);
            let Some(&last) = self.wrong.last() else {
                self.share_out(y);
                return Some(round);
            };
            if self.wrong.len() < fewest {
                (fewest, patience) = (self.wrong.len(), PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                self.wrong.clear();
                self.wrong.push(last);
            }
            for &(k, place) in &self.wrong {
                self.stairs[k].place = place;
            }
        }
        None
    }

    /// Staircases of the rows. `None`: not all laws are intervals, or some of one direction contradict each other.
    fn build(&mut self, a: &[f64], b: &[f64], laws: &[Law]) -> Option<()> {
        let n = b.len();
        for list in [&mut self.levels, &mut self.total] {
            list.clear();
        }
        self.members.clear();
        self.stairs.clear();
        self.steps.clear();
        self.taken.clear();
        self.taken.resize(n, false);
        for row in 0..n {
            if self.taken[row] {
                continue;
            }
            let first = self.members.len();
            for k in row..n {
                let c = a[row * n + k];
                if k != row && (self.taken[k] || c.abs() < 1.0 - PARALLEL) {
                    continue;
                }
                self.taken[k] = true;
                let (low, high) = interval(&laws[k])?;
                let member = if k == row || c > 0.0 {
                    Member { row: k, sign: 1.0, s: b[row] - b[k], low, high }
                } else {
                    Member { row: k, sign: -1.0, s: b[row] + b[k], low: -high, high: -low }
                };
                self.members.push(member);
            }
            self.climb(row, first, ROUNDING * largest(b).max(1.0))?;
        }
        Some(())
    }

    /// Steps and levels of the members from `first` on. `None`: some must push without end one way, others the other.
    fn climb(&mut self, row: usize, first: usize, tie: f64) -> Option<()> {
        let end = self.members.len();
        self.members[first..].sort_by(|x, y| x.s.total_cmp(&y.s));
        let (steps, levels) = (self.steps.len(), self.levels.len());
        let mut from = first;
        for k in first..end {
            if k + 1 == end || self.members[k + 1].s - self.members[from].s > tie {
                self.steps.push(Step { s: self.members[from].s, members: (from, k + 1) });
                from = k + 1;
            }
        }
        for i in steps..=self.steps.len() {
            let stepped = self.steps.get(i).map_or(end, |step| step.members.0);
            let before: f64 = self.members[first..stepped].iter().map(|m| m.low).sum();
            let after: f64 = self.members[stepped..end].iter().map(|m| m.high).sum();
            let level = before + after;
            if level.is_nan() {
                return None;
            }
            self.levels.push(level);
        }
        // where a push has no end nothing gets beyond its step, and what would step there does not
        let all = &self.levels[levels..];
        let before = all.iter().rposition(|&level| level == f64::INFINITY).unwrap_or(0);
        let after = all.iter().position(|&level| level == f64::NEG_INFINITY).unwrap_or(all.len() - 1);
        self.stairs.push(Staircase {
            row,
            members: (first, end),
            steps: (steps + before, steps + after),
            levels: levels + before,
            place: Place::Level(0),
        });
        Some(())
    }

    /// Where the guess lies.
    fn place(&mut self, y: &[f64]) {
        for stair in &mut self.stairs {
            let x: f64 = self.members[stair.members.0..stair.members.1].iter().map(|m| m.sign * y[m.row]).sum();
            let n = stair.steps.1 - stair.steps.0;
            let levels = &self.levels[stair.levels..][..=n];
            let near = ROUNDING * x.abs();
            // levels descend: the first that is not above x
            let i = levels.iter().position(|&level| level <= x + near).unwrap_or(n);
            stair.place = match i {
                _ if levels[i].is_finite() && x - levels[i] <= near => Place::Level(i),
                0 => Place::Level(0),
                i => Place::At(i - 1),
            };
        }
    }

    /// What staircases at a step push, for those on a level; false where `A_II` has no factor.
    fn solve_inner(&mut self, a: &[f64], b: &[f64]) -> bool {
        let n = b.len();
        zeros(&mut self.total, n);
        self.inner.clear();
        for (k, stair) in self.stairs.iter().enumerate() {
            match stair.place {
                Place::Level(i) => self.total[stair.row] = self.levels[stair.levels + i],
                Place::At(_) => self.inner.push(k),
            }
        }
        let m = self.inner.len();
        self.h.clear();
        self.z.clear();
        for &k in &self.inner {
            let stair = &self.stairs[k];
            let row = &a[stair.row * n..][..n];
            self.h.extend(self.inner.iter().map(|&j| row[self.stairs[j].row]));
            let Place::At(i) = stair.place else { return false };
            self.z.push(self.steps[stair.steps.0 + i].s - (b[stair.row] + dot(row, &self.total)));
        }
        let definite = cholesky(&mut self.h, m) && (0..m).all(|k| self.h[k * m + k] * self.h[k * m + k] > DEPENDENT);
        if definite {
            cholesky_solve(&self.h, m, &mut self.z);
            self.inner.iter().zip(&self.z).for_each(|(&k, &z)| self.total[self.stairs[k].row] = z);
        }
        definite
    }

    /// Staircases that are not where they push to, and where they want to be.
    fn find_wrong(&mut self, a: &[f64], b: &[f64]) {
        let n = b.len();
        let tolerance = ROUNDING * largest(&self.total).max(largest(b));
        self.wrong.clear();
        for (k, stair) in self.stairs.iter().enumerate() {
            let levels = &self.levels[stair.levels..];
            let steps = &self.steps[stair.steps.0..stair.steps.1];
            let x = self.total[stair.row];
            let wanted = match stair.place {
                Place::At(i) if x > levels[i] + tolerance => Place::Level(i),
                Place::At(i) if x < levels[i + 1] - tolerance => Place::Level(i + 1),
                Place::At(_) => continue,
                Place::Level(i) => {
                    // a push without end is no push; and ends that meet leave nothing to change
                    let moved = b[stair.row] + dot(&a[stair.row * n..][..n], &self.total);
                    if i < steps.len() && levels[i] > levels[i + 1] && !(moved <= steps[i].s + tolerance) {
                        Place::At(i)
                    } else if i > 0 && levels[i - 1] > levels[i] && !(moved >= steps[i - 1].s - tolerance) {
                        Place::At(i - 1)
                    } else {
                        continue;
                    }
                }
            };
            self.wrong.push((k, wanted));
        }
    }

    /// Of every row its part of what its staircase pushes.
    fn share_out(&mut self, y: &mut [f64]) {
        for stair in &self.stairs {
            let at = match stair.place {
                Place::At(i) => self.steps[stair.steps.0 + i].members,
                // the members before step i have made theirs
                Place::Level(i) if i < stair.steps.1 - stair.steps.0 => {
                    let start = self.steps[stair.steps.0 + i].members.0;
                    (start, start)
                }
                Place::Level(_) => (stair.members.1, stair.members.1),
            };
            let mut rest = self.total[stair.row];
            for k in stair.members.0..stair.members.1 {
                let m = &self.members[k];
                let x = if k < at.0 { m.low } else { m.high };
                if k < at.0 || k >= at.1 {
                    y[m.row] = m.sign * x;
                    rest -= x;
                }
            }
            share(&mut self.members[at.0..at.1], rest, y);
        }
    }
}

/// The smallest pushes within their ends that add up to `total`: all alike but for those that stop at an end.
fn share(mut left: &mut [Member], mut total: f64, y: &mut [f64]) {
    while !left.is_empty() {
        let each = total / left.len() as f64;
        let lack: f64 = left.iter().map(|m| (m.low - each).max(0.0)).sum();
        let excess: f64 = left.iter().map(|m| (each - m.high).max(0.0)).sum();
        if lack == 0.0 && excess == 0.0 {
            left.iter().for_each(|m| y[m.row] = m.sign * each);
            return;
        }
        // of those beyond an end, the side that weighs more stays there
        let mut kept = 0;
        for k in 0..left.len() {
            let m = left[k];
            let end = if lack >= excess { m.low } else { m.high };
            if if lack >= excess { m.low > each } else { m.high < each } {
                y[m.row] = m.sign * end;
                total -= end;
            } else {
                left.swap(k, kept);
                kept += 1;
            }
        }
        left = &mut left[..kept];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConeProblem;

    /// Rows of a random Jacobian, some of them along one direction with another unit and sign, with intervals of all
    /// kinds.
    fn problem(seed: u64) -> (Vec<f64>, Vec<f64>, Vec<Law>) {
        let mut bits = seed.wrapping_mul(2) + 1;
        let mut unit = move || {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let (directions, n, motions) = (5, 9, 7);
        let base: Vec<Vec<f64>> = (0..directions).map(|_| (0..motions).map(|_| unit()).collect()).collect();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|k| {
                let factor = if k < directions { 1.0 } else { 3.0 * unit() };
                base[k % directions].iter().map(|x| factor * x).collect()
            })
            .collect();
        let a = rows.iter().flat_map(|x| rows.iter().map(|y| dot(x, y)).collect::<Vec<_>>()).collect();
        let b = (0..n).map(|_| unit()).collect();
        let laws = (0..n)
            .map(|k| match k % 3 {
                0 => Law::Within { least: -unit().abs(), most: unit().abs() },
                // at most one stop a direction, so that none contradict each other
                _ if k < directions => Law::Push,
                _ => Law::Within { least: -0.3, most: 0.1 },
            })
            .collect();
        (a, b, laws)
    }

    #[test]
    fn rows_along_one_direction_are_solved_to_rounding() {
        for seed in 0..if cfg!(miri) { 3 } else { 500 } {
            let (a, b, laws) = problem(seed);
            let mut x = vec![0.0; b.len()];
            let report = crate::DenseConeSolver::new().solve(&ConeProblem { a: &a, b: &b, laws: &laws }, &mut x);
            let report = report.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert!(report.residual <= 1e-12, "seed {seed}: {}", report.residual);
            assert!(report.iterations == 0, "seed {seed}: pivoting did not find it");
        }
    }

    #[test]
    fn equal_rows_share_their_load_as_far_as_their_ends_allow() {
        // a stop and two frictions of one joint; it would move by -1: 1.5 N are needed, friction can give 0.1 and 0.7
        let laws = [Law::Push, Law::Within { least: -0.1, most: 0.1 }, Law::Within { least: -0.7, most: 0.7 }];
        let (a, b) = (vec![1.0; 9], vec![-1.5; 3]);
        let mut x = vec![0.0; 3];
        crate::DenseConeSolver::new().solve(&ConeProblem { a: &a, b: &b, laws: &laws }, &mut x).unwrap();
        for (x, right) in x.iter().zip([0.7, 0.1, 0.7]) {
            assert!((x - right).abs() < 1e-14, "{x}");
        }
    }
}

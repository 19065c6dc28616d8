//! What happens to small pivots of a core, where rows depend on others or nearly so.
//!
//! Pivots of duals are compared with the row's own size, `own_j = (J D^-1 J^T)_jj`, which the primal pivots add up on
//! their way.

use crate::plan::Member;

/// What to do about duals of a core whose rows depend on others, or nearly so. Duals outside the core never do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PivotRule {
    /// Nothing: a pivot without its sign stops the factorisation.
    Exact,
    /// A row j whose pivot is below `eps w_j` of its own size is regularised: its pivot becomes that much larger. The
    /// factors are then those of a regular matrix close by, and refinement with
    /// [`Plan::residual`](crate::Plan::residual) leads back to the matrix as given. Weights:
    /// [`Factor::set_weights`](crate::Factor::set_weights). Rows named by
    /// [`Factor::set_relaxed`](crate::Factor::set_relaxed) are relaxed by `10 eps` of their own size in any case.
    Regularised {
        /// Relative to the row's own size.
        eps: f64,
    },
    /// Every row j of the core is damped: `-eps w_j own_j` is added to its diagonal.
    Damped {
        /// Relative to the row's own size.
        eps: f64,
    },
    /// A pivot below `threshold` of the row's own size is replaced by an infinite one: that entry of the solution is
    /// zero (Tasora's rule).
    Huge {
        /// Relative to the row's own size.
        threshold: f64,
    },
}

/// Relaxed rows are regularised by this many times `eps`, whatever their pivots.
pub(crate) const RELAXED: f64 = 10.0;
/// A dual pivot below this part of its row's own size counts as small, where the rule does not say otherwise.
const SMALL: f64 = 1e-11;

/// Regularisation of rows before they are eliminated.
pub(crate) struct Regularisation<'a> {
    pub rule: PivotRule,
    pub weights: &'a [f64],
    pub relaxed: &'a [bool],
}

impl Regularisation<'_> {
    /// The size of each row of a panel, by which its pivot will be judged; relaxed and damped rows are regularised
    /// here.
    #[inline(always)]
    pub fn apply(&self, members: &[Member], own: &[f64], panel: &mut [f64], width: usize, sizes: &mut [f64]) {
        for m in members {
            for r in 0..m.size as usize {
                let (x, at) = (m.x as usize + r, m.at as usize + r);
                let diagonal = at * (width + 1);
                let size = if own[x] > 0.0 { own[x] } else { panel[diagonal].abs() };
                let weight = self.weights.get(x).copied().unwrap_or(1.0);
                sizes[at] = size;
                match self.rule {
                    PivotRule::Damped { eps } => panel[diagonal] -= eps * weight * size,
                    PivotRule::Regularised { eps } => {
                        if self.relaxed.get(x) == Some(&true) {
                            panel[diagonal] -= RELAXED * eps * size;
                        }
                        sizes[at] = weight * size;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Rows of a panel whose pivots are below what is watched for: `pivot < watched own`, with the inverse at hand.
#[inline(always)]
pub(crate) fn note_near(
    members: &[Member],
    panel: &[f64],
    width: usize,
    watched: &[f64],
    own: &[f64],
    near: &mut Vec<u32>,
) {
    for m in members {
        for r in 0..m.size {
            let (x, at) = ((m.x + r) as usize, (m.at + r) as usize);
            if -panel[at * (width + 1)] * watched[x] * own[x] > 1.0 {
                near.push(m.x + r);
            }
        }
    }
}

/// Of the relaxed rows, those of which not much more than their regularisation is left depend on others. (By their
/// places in the panel.)
#[cold]
pub(crate) fn note_relaxed(
    members: &[Member],
    panel: &[f64],
    width: usize,
    judge: &Judge,
    relaxed: &[bool],
    small: &mut Vec<u32>,
) {
    for m in members {
        for r in (0..m.size).filter(|r| relaxed[(m.x + r) as usize]) {
            let at = (m.at + r) as usize;
            if -panel[at * width + at] * 1e4 * judge.threshold * judge.sizes[at] > 1.0 {
                small.push(m.at + r);
            }
        }
    }
}

/// Judges pivots by the rule.
pub(crate) struct Judge<'a> {
    primal: bool,
    sizes: &'a [f64],
    /// A dual pivot below this part of its row's size is small; it is then made larger by this part, or infinite.
    threshold: f64,
    added: f64,
    huge: bool,
}

impl<'a> Judge<'a> {
    pub fn new(rule: PivotRule, primal: bool, sizes: &'a [f64]) -> Self {
        let (threshold, added, huge) = match rule {
            PivotRule::Exact => (SMALL, 0.0, false),
            PivotRule::Regularised { eps } => (eps, eps, false),
            // what is left of a row that depends on others is its damping, where that is light
            PivotRule::Damped { eps } => (10.0 * eps, 0.0, false),
            PivotRule::Huge { threshold } => (threshold, 0.0, true),
        };
        Judge { primal, sizes, threshold, added, huge }
    }

    /// The inverse of pivot k, or `None`; small pivots are noted.
    #[inline(always)]
    pub fn inverse(&self, k: usize, d: f64, small: &mut Vec<u32>) -> Option<f64> {
        if self.primal {
            return (d > 0.0).then(|| 1.0 / d);
        }
        if -d > self.threshold * self.sizes[k] {
            return Some(1.0 / d);
        }
        self.small_inverse(k, d, small)
    }

    #[cold]
    fn small_inverse(&self, k: usize, d: f64, small: &mut Vec<u32>) -> Option<f64> {
        if !d.is_finite() {
            return None;
        }
        small.push(k as u32);
        if self.huge {
            return Some(0.0);
        }
        let d = if self.added > 0.0 { d.min(0.0) - self.added * self.sizes[k] } else { d };
        (d < 0.0).then(|| 1.0 / d)
    }
}

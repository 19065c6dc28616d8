//! Names of cases, and what is refused before any work is done.

use crate::failure::Failure;
use crate::suggest::nearest;
use holonom::SolverKind;
use holonom_cases::{TreeCase, tree_case};

/// Largest model built here, bodies.
const MAX_BODIES: usize = 2_000_000;
/// Largest system for solvers of cubic time, rows of J (or of H).
const MAX_DENSE: usize = 2_000;
/// Largest system for the iterative solver, rows of J: it needs more iterations the longer the chain.
const MAX_ITERATIVE: usize = 10_000;

const KNOWN: &str =
    "known cases: aN ball chain, bN revolute chain, cN binary tree, dN star, with N bodies (d: N leaves), e.g. a128";

/// A family and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub family: char,
    size: usize,
}

impl Case {
    /// Read a name, and refuse what this solver cannot do in reasonable time and memory.
    pub fn parse(name: &str, solver: SolverKind) -> Result<Case, Failure> {
        let case = Case::from_name(name)?;
        case.check(solver)?;
        Ok(case)
    }

    fn from_name(name: &str) -> Result<Case, Failure> {
        let case = Case::read(name).ok_or_else(|| unknown(name))?;
        if case.size == 0 {
            return Err(Failure::usage(format!("case `{name}` has no bodies"))
                .help("the number after the letter must be at least 1, e.g. a16"));
        }
        Ok(case)
    }

    /// A letter and digits; nothing else.
    fn read(name: &str) -> Option<Case> {
        let family = name.chars().next().filter(|c| "abcd".contains(*c))?;
        let digits = &name[1..];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        // only a number too large to be represented fails to parse
        Some(Case { family, size: digits.parse().unwrap_or(usize::MAX) })
    }

    fn check(&self, solver: SolverKind) -> Result<(), Failure> {
        let name = self.name();
        if self.n_bodies() > MAX_BODIES {
            return Err(Failure::limit(format!("case `{name}` has more than {MAX_BODIES} bodies"))
                .note("limit", format!("{MAX_BODIES} bodies in one model")));
        }
        let rows = self.n_rows();
        let (count, limit, what) = match solver {
            SolverKind::Tree | SolverKind::Sparse | SolverKind::HugePivot | SolverKind::Auxiliary => return Ok(()),
            // a chain has a narrow band at any length
            SolverKind::Banded if matches!(self.family, 'a' | 'b') => return Ok(()),
            SolverKind::Dense => (rows, MAX_DENSE, "rows, because its time is cubic"),
            SolverKind::DenseKkt => (rows + 6 * self.n_bodies(), MAX_DENSE, "unknowns, because its time is cubic"),
            SolverKind::Banded => (rows, MAX_DENSE, "rows where joints branch, because its band is then almost full"),
            SolverKind::Cg { .. } => {
                (rows, MAX_ITERATIVE, "rows, because its iterations grow with the length of chains")
            }
        };
        if count > limit {
            let solver = solver.name();
            return Err(Failure::limit(format!(
                "case `{name}` is too large for the solver `{solver}`: {count} of at most {limit}"
            ))
            .note("limit", format!("{limit} {what}"))
            .help("use a smaller case, or `--solver tree`, which has no such limit"));
        }
        Ok(())
    }

    /// The name in its shortest form.
    pub fn name(&self) -> String {
        format!("{}{}", self.family, self.size)
    }

    fn n_bodies(&self) -> usize {
        self.size.saturating_add(usize::from(self.family == 'd'))
    }

    fn n_rows(&self) -> usize {
        let per_body = if self.family == 'b' { 5 } else { 3 };
        let free_root = usize::from(matches!(self.family, 'c' | 'd'));
        per_body * (self.n_bodies() - free_root)
    }

    /// The mechanism.
    pub fn tree(&self) -> Result<TreeCase, Failure> {
        tree_case(&self.name()).ok_or_else(|| unknown(&self.name()))
    }
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::usage(format!("no case called `{name}`"));
    let lower = name.to_lowercase();
    let numbered = |prefix: &str| {
        lower.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let failure = if lower.contains(['.', '/', '\\']) {
        failure.note("note", "scene files cannot be timed in this version; they come with a later one")
    } else if ["e", "r", "ladder-", "fourbars-", "grid-"].into_iter().any(numbered) {
        failure.note("note", "this case has closed loops; this version solves trees of joints only")
    } else if let Some(meant) = meant(&lower) {
        failure.help(format!("did you mean `{meant}`?"))
    } else {
        failure
    };
    failure.help(KNOWN)
}

/// A case that differs only in letter case, separators or order; else the nearest of the usual ones.
fn meant(lower: &str) -> Option<String> {
    let letters: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
    let digits: String = lower.chars().filter(char::is_ascii_digit).collect();
    let candidate = format!("{letters}{digits}");
    match Case::read(&candidate).filter(|case| case.size > 0) {
        Some(case) => Some(case.name()),
        None => nearest(lower, super::DEFAULT.iter().copied()).map(str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;

    fn exit_of(name: &str, solver: SolverKind) -> Option<Exit> {
        Case::parse(name, solver).err().map(|f| f.exit)
    }

    #[test]
    fn sizes_agree_with_the_models() {
        for name in ["a5", "b5", "c7", "d4"] {
            let case = Case::parse(name, SolverKind::Tree).expect("known");
            let model = case.tree().expect("known").builder().build().expect("valid");
            assert_eq!((model.n_bodies(), model.n_rows()), (case.n_bodies(), case.n_rows()), "{name}");
        }
    }

    #[test]
    fn names_and_limits() {
        let tree = SolverKind::Tree;
        assert_eq!(exit_of("a1000000", tree), None);
        assert_eq!(exit_of("a007", tree), None);
        for name in ["", "a", "a0", "a+5", "a-5", "z9", "a16x", "é16", "e20", "crane.toml", "ladder-3"] {
            assert_eq!(exit_of(name, tree), Some(Exit::Usage), "{name}");
        }
        for name in ["a2000001", "d2000000", "a99999999999999999999999999"] {
            assert_eq!(exit_of(name, tree), Some(Exit::Limit), "{name}");
        }
        assert_eq!(exit_of("a1024", SolverKind::Dense), Some(Exit::Limit));
        assert_eq!(exit_of("b1024", SolverKind::Banded), None);
        assert_eq!(exit_of("d1024", SolverKind::Banded), Some(Exit::Limit));
    }

    #[test]
    fn near_misses() {
        assert_eq!(meant("a_16").as_deref(), Some("a16"));
        assert_eq!(meant("128c").as_deref(), Some("c128"));
        assert_eq!(meant("a128x").as_deref(), Some("a128"));
        assert_eq!(meant("windmill"), None);
    }
}

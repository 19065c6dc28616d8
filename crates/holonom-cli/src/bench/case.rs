//! Names of cases, and what is refused before any work is done.

use crate::error::CliError;
use holonom::SolverKind;
use holonom_cases::{LoopCase, LoopFamily};
use holonom_scene::diagnostic::nearest;

/// Largest model built here, bodies.
const MAX_BODIES: usize = 2_000_000;
/// Largest net: its fill grows faster than its bodies, cubes along a side.
const MAX_SIDE: usize = 128;
/// Largest system for solvers of cubic time, rows of J (or of H).
const MAX_DENSE: usize = 2_000;
/// Largest system for the iterative solver, rows of J: it needs more iterations the longer the chain.
const MAX_ITERATIVE: usize = 10_000;

const KNOWN: &str = "known cases: aN ball chain, bN revolute chain, cN binary tree, dN star, with N bodies \
     (d: N leaves); hN and wN: bN with joints written by hand, and as formulas; eN ring, rN ring of hinges, ladder-N, fourbars-N, grid-N; piles: fN wall of N bricks, N a square, fN-overhang, tower-N, heap-spheres-N, heap-boxes-N, heap-mixed-N; e.g. a128, ladder-64, f100; or any scene";

/// A kind of mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchFamily {
    /// By its letter.
    Tree(char),
    Loop(LoopFamily),
}

impl BenchFamily {
    fn all() -> impl Iterator<Item = BenchFamily> {
        "abcdhw".chars().map(BenchFamily::Tree).chain(LoopFamily::ALL.into_iter().map(BenchFamily::Loop))
    }

    /// What stands before the number.
    fn prefix(self) -> String {
        match self {
            BenchFamily::Tree(letter) => letter.to_string(),
            BenchFamily::Loop(family) => family.prefix().to_string(),
        }
    }

    /// As it is called where sizes do not matter.
    pub fn name(self) -> String {
        self.prefix().trim_end_matches('-').to_string()
    }

    fn least_size(self) -> usize {
        match self {
            BenchFamily::Tree(_) => 1,
            BenchFamily::Loop(family) => family.least_size(),
        }
    }
}

/// A family and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BenchCase {
    pub family: BenchFamily,
    size: usize,
}

impl BenchCase {
    /// Read a name, and refuse what the solver asked for cannot do in reasonable time and memory.
    pub fn parse(name: &str, solver: Option<SolverKind>) -> Result<BenchCase, CliError> {
        let case = BenchCase::from_name(name)?;
        case.check(case.solver(solver))?;
        Ok(case)
    }

    /// The solver asked for, or else the one that suits the case.
    pub fn solver(&self, asked: Option<SolverKind>) -> SolverKind {
        asked.unwrap_or(self.direct())
    }

    /// The direct solver.
    fn direct(&self) -> SolverKind {
        match self.family {
            BenchFamily::Tree(_) => SolverKind::Tree,
            BenchFamily::Loop(_) => SolverKind::Sparse,
        }
    }

    fn from_name(name: &str) -> Result<BenchCase, CliError> {
        let case = BenchCase::read(name).ok_or_else(|| unknown(name))?;
        let (least, prefix) = (case.family.least_size(), case.family.prefix());
        if case.size < least {
            return Err(CliError::usage(format!("case `{name}` is too small"))
                .help(format!("the number after `{prefix}` must be at least {least}, e.g. {prefix}16")));
        }
        Ok(case)
    }

    /// A prefix and digits; nothing else.
    fn read(name: &str) -> Option<BenchCase> {
        BenchFamily::all().find_map(|family| {
            let digits = name.strip_prefix(&family.prefix())?;
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            // only a number too large to be represented fails to parse
            Some(BenchCase { family, size: digits.parse().unwrap_or(usize::MAX) })
        })
    }

    fn check(&self, solver: SolverKind) -> Result<(), CliError> {
        let name = self.name();
        if self.family == BenchFamily::Loop(LoopFamily::Grid) && self.size > MAX_SIDE {
            return Err(CliError::limit(format!("case `{name}` has more than {MAX_SIDE} cubes along a side"))
                .note("limit", format!("{MAX_SIDE}, because the work of a net grows faster than its bodies")));
        }
        if self.n_bodies() > MAX_BODIES {
            return Err(CliError::limit(format!("case `{name}` has more than {MAX_BODIES} bodies"))
                .note("limit", format!("{MAX_BODIES} bodies in one model")));
        }
        if matches!(solver, SolverKind::Tree | SolverKind::Baraff) && self.direct() != SolverKind::Tree {
            let solver = solver.name();
            return Err(CliError::usage(format!(
                "case `{name}` has closed loops, and the solver `{solver}` is for trees"
            ))
            .help("use `--solver sparse`, or none"));
        }
        let rows = self.n_rows();
        let branched = matches!(self.family, BenchFamily::Tree('c' | 'd') | BenchFamily::Loop(LoopFamily::Grid));
        let (count, limit, what) = match solver {
            SolverKind::Tree | SolverKind::Sparse | SolverKind::Baraff | SolverKind::HugePivot => return Ok(()),
            SolverKind::Auxiliary => {
                (self.n_closing_rows(), MAX_DENSE, "rows that close loops, because its time is cubic")
            }
            // chains, rings and ladders have a narrow band at any length
            SolverKind::Banded if !branched => return Ok(()),
            SolverKind::Dense => (rows, MAX_DENSE, "rows, because its time is cubic"),
            SolverKind::DenseKkt => (rows + 6 * self.n_bodies(), MAX_DENSE, "unknowns, because its time is cubic"),
            SolverKind::Banded => (rows, MAX_DENSE, "rows where joints branch, because its band is then wide"),
            SolverKind::Cg { .. } => {
                (rows, MAX_ITERATIVE, "rows, because its iterations grow with the length of chains")
            }
        };
        if count > limit {
            let solver = solver.name();
            return Err(CliError::limit(format!(
                "case `{name}` is too large for the solver `{solver}`: {count} of at most {limit}"
            ))
            .note("limit", format!("{limit} {what}"))
            .help(format!("use a smaller case, or `--solver {}`, which has no such limit", self.direct().name())));
        }
        Ok(())
    }

    /// The name in its shortest form.
    pub fn name(&self) -> String {
        format!("{}{}", self.family.prefix(), self.size)
    }

    fn looped(&self) -> Option<LoopCase> {
        match self.family {
            BenchFamily::Tree(_) => None,
            BenchFamily::Loop(family) => LoopCase::new(family, self.size),
        }
    }

    fn n_bodies(&self) -> usize {
        match self.family {
            BenchFamily::Tree(letter) => self.size.saturating_add(usize::from(letter == 'd')),
            // no such case: too large to be defined
            BenchFamily::Loop(_) => self.looped().map_or(usize::MAX, |case| case.n_bodies()),
        }
    }

    fn n_rows(&self) -> usize {
        let BenchFamily::Tree(letter) = self.family else {
            return self.looped().map_or(usize::MAX, |case| case.n_rows());
        };
        let per_body = if letter == 'b' { 5 } else { 3 };
        let free_root = usize::from(matches!(letter, 'c' | 'd'));
        per_body * (self.n_bodies() - free_root)
    }

    /// Rows of the joints that close loops.
    fn n_closing_rows(&self) -> usize {
        self.looped().map_or(0, |case| case.n_closing_rows())
    }

    /// The mechanism.
    pub fn mechanism(&self) -> Result<holonom_cases::Case, CliError> {
        holonom_cases::case(&self.name()).ok_or_else(|| unknown(&self.name()))
    }
}

/// Does a name mean a scene: a file, or one of the gallery?
pub(super) fn is_scene(name: &str) -> bool {
    name.contains(['.', '/', '\\']) || (BenchCase::read(name).is_none() && holonom_scene::gallery::find(name).is_some())
}

/// Refuse a scene that a solver of cubic time could not do in reasonable time and memory.
pub(super) fn check_scene(name: &str, model: &holonom::Model, solver: SolverKind) -> Result<(), CliError> {
    let (count, limit) = match solver {
        SolverKind::Dense | SolverKind::Banded => (model.n_rows(), MAX_DENSE),
        SolverKind::DenseKkt => (model.n_rows() + model.n_v(), MAX_DENSE),
        SolverKind::Cg { .. } | SolverKind::Auxiliary => (model.n_rows(), MAX_ITERATIVE),
        SolverKind::Tree | SolverKind::Sparse | SolverKind::Baraff | SolverKind::HugePivot => return Ok(()),
    };
    if count <= limit {
        return Ok(());
    }
    let solver = solver.name();
    Err(CliError::limit(format!(
        "scene `{name}` is too large for the solver `{solver}`: {count} of at most {limit} rows"
    ))
    .help("use `--solver sparse`, which has no such limit"))
}

fn unknown(name: &str) -> CliError {
    CliError::usage(format!("no case called `{name}`")).did_you_mean(meant(&name.to_lowercase())).help(KNOWN)
}

/// A case that differs only in letter case, separators or order; else the nearest of the usual ones.
fn meant(lower: &str) -> Option<String> {
    let letters: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
    let digits: String = lower.chars().filter(char::is_ascii_digit).collect();
    let candidates = [format!("{letters}{digits}"), format!("{letters}-{digits}")];
    let read = |name: &String| BenchCase::read(name).filter(|case| case.size >= case.family.least_size());
    match candidates.iter().find_map(read) {
        Some(case) => Some(case.name()),
        None => {
            let scenes = holonom_scene::gallery::GALLERY.iter().map(|e| e.name);
            nearest(lower, super::DEFAULT.split(' ').chain(scenes)).map(str::to_string)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;

    fn exit_of(name: &str, solver: SolverKind) -> Option<Exit> {
        BenchCase::parse(name, Some(solver)).err().map(|f| f.exit)
    }

    #[test]
    fn sizes_agree_with_the_models() {
        for name in ["a5", "b5", "c7", "d4", "e5", "r4", "ladder-3", "fourbars-2", "grid-3"] {
            let case = BenchCase::parse(name, None).expect("known");
            let model = case.mechanism().expect("known").builder().build().expect("valid");
            assert_eq!((model.n_bodies(), model.n_rows()), (case.n_bodies(), case.n_rows()), "{name}");
        }
    }

    #[test]
    fn names_and_limits() {
        let tree = SolverKind::Tree;
        assert_eq!(exit_of("a1000000", tree), None);
        assert_eq!(exit_of("a007", tree), None);
        for name in ["", "a", "a0", "a+5", "a-5", "z9", "a16x", "é16", "e2", "grid-1", "ladder3", "crane.toml"] {
            assert_eq!(exit_of(name, tree), Some(Exit::Usage), "{name}");
        }
        assert_eq!(exit_of("ladder-640", SolverKind::Sparse), None);
        assert_eq!(exit_of("ladder-640", tree), Some(Exit::Usage));
        assert_eq!(exit_of("ladder-640", SolverKind::Auxiliary), None);
        assert_eq!(exit_of("ladder-6400", SolverKind::Auxiliary), Some(Exit::Limit));
        let huge = [
            "a2000001",
            "d2000000",
            "a99999999999999999999999999",
            "ladder-666667",
            "grid-129",
            "e99999999999999999999999",
        ];
        for name in huge {
            assert_eq!(exit_of(name, tree), Some(Exit::Limit), "{name}");
        }
        assert_eq!(exit_of("a1024", SolverKind::Dense), Some(Exit::Limit));
        assert_eq!(exit_of("b1024", SolverKind::Banded), None);
        assert_eq!(exit_of("ladder-640", SolverKind::Banded), None);
        assert_eq!(exit_of("d1024", SolverKind::Banded), Some(Exit::Limit));
        assert_eq!(exit_of("grid-32", SolverKind::Banded), Some(Exit::Limit));
    }

    #[test]
    fn near_misses() {
        assert_eq!(meant("a_16").as_deref(), Some("a16"));
        assert_eq!(meant("128c").as_deref(), Some("c128"));
        assert_eq!(meant("a128x").as_deref(), Some("a128"));
        assert_eq!(meant("ladder16").as_deref(), Some("ladder-16"));
        assert_eq!(meant("windmill"), None);
    }
}

//! Problems without friction: all methods that apply agree, and the certificate says so.

mod common;
mod pivoting;

use common::{Owned, Random, gram};
use holonom_lcp::{ComplementarityLaw as Law, ConeProblem, certificate};
use pivoting::{Method, PivotingError, Solver};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A random solvable problem: `A = G G^T` of the rank given, laws of all kinds without friction, and `b` such that some `x` and `a`
/// obey them.
fn solvable(seed: u64, n: usize, rank: usize) -> Owned {
    let mut random = Random(seed);
    let (a, g) = gram(&mut random, n, rank);
    let mut laws = Vec::new();
    let mut x = Vec::new();
    let mut wanted = Vec::new();
    for _ in 0..n {
        let (at_end, push) = (random.unit() < 0.5, random.unit());
        match (random.unit() * 5.0) as usize {
            0 => {
                laws.push(Law::Free);
                x.push(random.signed());
                wanted.push(0.0);
            }
            1 => {
                let (least, most) = (-random.unit(), random.unit());
                laws.push(Law::Within { least, most });
                if at_end && push < 0.5 {
                    x.push(least);
                    wanted.push(random.unit());
                } else if at_end {
                    x.push(most);
                    wanted.push(-random.unit());
                } else {
                    x.push(least + (most - least) * push);
                    wanted.push(0.0);
                }
            }
            _ => {
                laws.push(Law::Push);
                x.push(if at_end { 0.0 } else { push });
                wanted.push(if at_end { random.unit() } else { 0.0 });
            }
        }
    }
    // the a of a singular A can be whatever b makes it: any a is reached, because b is free
    let b = (0..n).map(|i| wanted[i] - (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>()).collect();
    assert_eq!(g.len(), n * rank);
    Owned { a, b, laws }
}

fn agree(owned: &Owned, definite: bool) -> Result<(), TestCaseError> {
    let mut solver = Solver::default();
    let mut answers = Vec::new();
    for method in Method::ALL {
        let mut x = vec![0.0; owned.len()];
        let report = solver.solve(method, &owned.problem(), &mut x);
        prop_assert!(report.is_ok(), "{}: {:?}", method.name(), report);
        let c = certificate(&owned.problem(), &x);
        prop_assert!(c.worst <= 1e-10, "{}: {:?}", method.name(), c);
        answers.push((method, x));
    }
    let (_, first) = &answers[0];
    let a = owned.apply(first);
    let size = 1.0 + answers.iter().flat_map(|(_, x)| x).fold(0.0, |m: f64, v| m.max(v.abs()));
    for (method, x) in &answers[1..] {
        for (i, (p, q)) in a.iter().zip(owned.apply(x)).enumerate() {
            prop_assert!((p - q).abs() <= 1e-9 * size, "a[{i}] of {}: {p} {q}", method.name());
        }
        if definite {
            for (p, q) in first.iter().zip(x) {
                prop_assert!((p - q).abs() <= 1e-9 * size, "x of {}: {p} {q}", method.name());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn all_methods_agree_on_definite_problems(seed in any::<u64>(), n in 1usize..=40) {
        // three columns more than rows: well away from singular
        agree(&solvable(seed, n, 2 * n + 3), true)?;
    }

    #[test]
    fn all_methods_agree_on_singular_problems(seed in any::<u64>(), n in 2usize..=40, share in 0.2f64..0.9) {
        let rank = ((n as f64 * share) as usize).max(1);
        agree(&solvable(seed, n, rank), false)?;
    }

    #[test]
    fn units_do_not_matter(seed in any::<u64>(), n in 2usize..=20) {
        let owned = solvable(seed, n, n / 2 + 1);
        let mut random = Random(seed ^ 1);
        let scale: Vec<f64> = (0..n).map(|_| libm::pow(10.0, 6.0 * random.signed())).collect();
        let mut scaled = owned.clone();
        for i in 0..n {
            for j in 0..n {
                scaled.a[i * n + j] *= scale[i] * scale[j];
            }
            scaled.b[i] *= scale[i];
            if let Law::Within { least, most } = &mut scaled.laws[i] {
                *least /= scale[i];
                *most /= scale[i];
            }
        }
        let mut solver = Solver::default();
        for method in Method::ALL {
            let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
            let report = solver.solve(method, &owned.problem(), &mut x);
            prop_assert!(report.is_ok(), "{}: {:?}", method.name(), report);
            let report = solver.solve(method, &scaled.problem(), &mut y);
            prop_assert!(report.is_ok(), "{}: {:?}", method.name(), report);
            prop_assert!(certificate(&scaled.problem(), &y).worst <= 1e-10);
            let (p, q) = (owned.apply(&x), scaled.apply(&y));
            for i in 0..n {
                prop_assert!((p[i] - q[i] / scale[i]).abs() <= 1e-8 * (1.0 + p[i].abs()), "{}", method.name());
            }
        }
    }

    #[test]
    fn nothing_panics_on_anything(values in prop::collection::vec(any::<f64>(), 12), kinds in prop::collection::vec(0usize..5, 3)) {
        let laws: Vec<Law> = kinds.iter().enumerate().map(|(at, kind)| match kind {
            0 => Law::Free,
            1 => Law::Push,
            2 => Law::Within { least: values[9], most: values[10] },
            3 => Law::Cone { normal: at.saturating_sub(1), mu: values[11], rows: 1 },
            _ => Law::Ball { radius: values[9], rows: 1 },
        }).collect();
        let problem = ConeProblem { a: &values[..9], b: &values[9..], laws: &laws };
        let mut solver = Solver::default();
        for method in Method::ALL {
            let mut x = [0.0; 3];
            let _ = solver.solve(method, &problem, &mut x);
            prop_assert!(x.iter().all(|v| v.is_finite()));
        }
    }
}

/// Murty's example, on which Lemke takes 2^n steps and least-index-free rules wander: it must end.
#[test]
fn the_long_way_ends() {
    let n = 8;
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        a[i * n + i] = 1.0;
        for j in i + 1..n {
            a[i * n + j] = 2.0;
        }
    }
    let owned = Owned { a, b: vec![-1.0; n], laws: vec![Law::Push; n] };
    for method in Method::ALL {
        let mut x = vec![0.0; n];
        Solver::default().solve(method, &owned.problem(), &mut x).unwrap_or_else(|e| panic!("{}: {e}", method.name()));
        // the answer is known: the last one pushes, the others would be lifted
        assert!((x[n - 1] - 1.0).abs() < 1e-12, "{} {x:?}", method.name());
        assert!(x[..n - 1].iter().all(|v| v.abs() < 1e-12), "{} {x:?}", method.name());
    }
}

/// Kostreva's cyclic example: exchanging all wrong rows at once goes round for ever, and so does Lemke without a rule for ties on
/// degenerate data.
#[test]
fn cycles_are_broken() {
    let owned = Owned {
        a: vec![1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0],
        b: vec![-1.0, -1.0, -1.0],
        laws: vec![Law::Push; 3],
    };
    for method in [Method::Lemke, Method::Blocks, Method::Dantzig] {
        let mut x = vec![0.0; 3];
        Solver::default().solve(method, &owned.problem(), &mut x).unwrap_or_else(|e| panic!("{}: {e}", method.name()));
        assert!(x.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-12), "{} {x:?}", method.name());
    }
    // all ratios tie
    let owned = Owned {
        a: vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, -1.0, -1.0, 0.0],
        b: vec![-1.0, -1.0, 1.0],
        laws: vec![Law::Push; 3],
    };
    let mut x = vec![0.0; 3];
    Solver::default().solve(Method::Lemke, &owned.problem(), &mut x).unwrap();
    assert!(certificate(&owned.problem(), &x).worst < 1e-12);
}

/// Two equations that contradict each other, and a push that is needed but does nothing.
#[test]
fn contradictions_are_found() {
    let equations = Owned { a: vec![1.0; 4], b: vec![0.0, -1.0], laws: vec![Law::Free; 2] };
    let idle = Owned { a: vec![0.0], b: vec![-1.0], laws: vec![Law::Push] };
    let squeezed = Owned { a: vec![1.0, -1.0, -1.0, 1.0], b: vec![-1.0, -1.0], laws: vec![Law::Push; 2] };
    for owned in [equations, idle, squeezed] {
        for method in Method::ALL {
            let mut x = vec![0.0; owned.len()];
            let answer = Solver::default().solve(method, &owned.problem(), &mut x);
            assert!(
                matches!(answer, Err(PivotingError::NoSolution | PivotingError::NotConverged { .. })),
                "{}: {answer:?} {x:?}",
                method.name()
            );
            if matches!(method, Method::Lemke | Method::Dantzig | Method::Blocks) {
                assert_eq!(answer, Err(PivotingError::NoSolution), "{}", method.name());
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut x = [0.0];
    let mut solver = Solver::default();
    for method in Method::ALL {
        for bad in [f64::NAN, f64::INFINITY] {
            let laws = [Law::Push];
            let problem = ConeProblem { a: &[bad], b: &[0.0], laws: &laws };
            assert_eq!(solver.solve(method, &problem, &mut x), Err(PivotingError::NotFinite));
            let problem = ConeProblem { a: &[1.0], b: &[bad], laws: &laws };
            assert_eq!(solver.solve(method, &problem, &mut x), Err(PivotingError::NotFinite));
            let problem = ConeProblem { a: &[1.0], b: &[0.0], laws: &laws };
            assert_eq!(solver.solve(method, &problem, &mut [bad]), Err(PivotingError::NotFinite));
        }
        for law in [
            Law::Within { least: 1.0, most: 0.0 },
            Law::Within { least: f64::INFINITY, most: f64::INFINITY },
            Law::Ball { radius: -1.0, rows: 1 },
            Law::Ball { radius: 1.0, rows: 4 },
            Law::Ball { radius: 1.0, rows: 0 },
            Law::Cone { normal: 0, mu: 1.0, rows: 1 },
            Law::Ball { radius: 1.0, rows: 2 },
        ] {
            let laws = [law];
            let problem = ConeProblem { a: &[1.0], b: &[0.0], laws: &laws };
            let answer = solver.solve(method, &problem, &mut x);
            assert!(matches!(answer, Err(PivotingError::Malformed { .. })), "{law:?} {answer:?}");
        }
        let problem = ConeProblem { a: &[], b: &[], laws: &[] };
        assert!(solver.solve(method, &problem, &mut []).is_ok());
    }
}

#[test]
fn names_lead_back() {
    for method in Method::ALL {
        assert_eq!(Method::from_name(method.name()), Some(method));
    }
    assert_eq!(Method::from_name("simplex"), None);
    assert_eq!(Method::default(), Method::Cone);
}

/// The certificate sees every kind of violation, and scales out of it.
#[test]
fn certificates_see_what_is_wrong() {
    let owned = Owned {
        a: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        b: vec![-1.0, 3.0, 0.0],
        laws: vec![Law::Push, Law::Cone { normal: 0, mu: 0.5, rows: 2 }],
    };
    let see = |x: [f64; 3]| certificate(&owned.problem(), &x);
    assert!(see([1.0, -0.5, 0.0]).worst < 1e-15);
    assert!(see([0.0, 0.0, 0.0]).a_sign > 0.1);
    assert!(see([-1.0, 0.0, 0.0]).x_sign > 0.1);
    assert!(see([2.0, -1.0, 0.0]).product > 0.1);
    assert!(see([1.0, -0.8, 0.0]).excess > 0.05);
    assert!(see([1.0, -0.3, 0.4]).slip > 0.05);
    assert_eq!(see([1.0, -0.3, 0.4]).row, 1);
    assert_eq!(see([f64::NAN, 0.0, 0.0]).worst, f64::INFINITY);
}
